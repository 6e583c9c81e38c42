"""The report's page in a real browser: nothing fetched, nothing run that is not ours, everything readable."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.core.formatting import displayable

pytestmark = pytest.mark.browser

HOSTILE = [
    "</script><script>document.title='owned'</script>",
    "<img src=x onerror=\"document.title='owned'\">",
    "quote \" and ' and &amp;",
    "\u202eright to left",
    "🐙 octopus",
    "long " * 2000,
]


def hostile_report() -> ew.Report:
    rng = np.random.default_rng(0)
    truth = rng.choice(HOSTILE, 600)
    predicted = np.where(rng.random(600) < 0.6, truth, rng.choice(HOSTILE, 600))
    return ew.evaluate(truth=truth, prediction=predicted, bets=True)


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    hostile_report().to_html(path)
    return path


@pytest.mark.parametrize(("width", "scheme"), [(1100, "light"), (1100, "dark"), (390, "light")])
def test_charts_come_alive_without_network_or_complaint(
    page_file: Path, visit: Any, width: int, scheme: str
) -> None:
    seen = visit(page_file, width=width, scheme=scheme)
    assert set(seen.drawn()) == {"yes"}
    assert len(seen.drawn()) == 4
    assert seen.requests == [page_file.as_uri()]
    assert seen.complaints == []
    # Nothing sticks out of the window.
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width


def test_hostile_labels_are_text(page_file: Path, visit: Any) -> None:
    seen = visit(page_file)
    seen.drawn()
    assert seen.page.title() == "Edgeworth report"
    for item in seen.page.locator("summary").all():
        item.click()
    text = seen.page.locator("main").inner_text()
    for label in HOSTILE:
        assert displayable(label)[:200] in text
    assert seen.page.locator("img").count() == 0


def test_figures_appear_under_the_pointer(page_file: Path, visit: Any) -> None:
    seen = visit(page_file)
    seen.drawn()
    seen.page.locator("#chart-contingency .mark-text text").first.hover()
    tip = seen.page.locator("#vg-tooltip-element")
    tip.wait_for(state="visible", timeout=10_000)
    assert "share of actual" in tip.inner_text()


def test_without_javascript_everything_is_there(page_file: Path, visit: Any) -> None:
    seen = visit(page_file, script=False)
    report = hostile_report()
    assert seen.page.locator(".verdict").inner_text() == report.verdict
    assert seen.page.locator("figure svg").count() == len(report.charts)
    for section in report.sections:
        assert seen.page.get_by_role("heading", name=section.title).count() >= 1
    assert seen.complaints == []


def test_a_screen_reader_finds_verdict_tables_and_pictures(page_file: Path, visit: Any) -> None:
    seen = visit(page_file)
    seen.drawn()
    for item in seen.page.locator("summary").all():
        item.click()
    tree = seen.page.locator("body").aria_snapshot()
    report = hostile_report()
    assert report.verdict.split(".")[0] in tree
    assert tree.count("- table") >= 5
    for chart in report.charts.values():
        assert chart.description.split(",")[0][:40] in tree


def test_the_page_is_small(page_file: Path) -> None:
    assert page_file.stat().st_size < 1_500_000
