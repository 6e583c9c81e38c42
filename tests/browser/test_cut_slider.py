"""The cut that a reader moves: its numbers are Edgeworth's, and its link restores it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.core.formatting import format_interval, format_number

pytestmark = pytest.mark.browser

HOSTILE = "</script><script>document.title='owned'</script>"
MEASURES = ("recall", "precision", "informedness")


def scores() -> tuple[Any, Any]:
    rng = np.random.default_rng(6)
    truth = np.where(rng.random(700) < 0.25, HOSTILE, "ok")
    return truth, rng.normal(size=700) + 1.3 * (truth == HOSTILE)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("cuts")
    truth, score = scores()
    rng = np.random.default_rng(7)
    grade = (rng.random(900) < 0.15).astype(int)
    queries = {
        "truth": grade,
        "score": rng.normal(size=900) + grade,
        "query": np.repeat(np.arange(30), 30),
    }
    reports = {
        "scores": ew.evaluate(truth=truth, score=score, positive=HOSTILE),
        "probabilities": ew.evaluate(
            truth=truth, probabilities=1 / (1 + np.exp(2 - score)), positive=HOSTILE
        ),
        "queries": ew.evaluate(**queries),
    }
    for name, report in reports.items():
        page = report.to_html(folder / f"{name}.html")
        assert len(page.encode()) < 1_500_000
    return {name: folder / f"{name}.html" for name in reports}


def cell(seen: Any, name: str) -> str:
    return str(seen.page.locator(f'.cut [data-cell="{name}"]').first.inner_text())


def check_numbers(seen: Any, tally: Any, depth: str = "") -> None:
    for name in MEASURES:
        estimate = ew.estimate(tally, f"{name}{depth}")
        assert cell(seen, name) == format_number(estimate.value), name
        assert cell(seen, f"{name} interval").removeprefix("95% CI ") == format_interval(*estimate.interval())


@pytest.mark.parametrize("kind", ["scores", "probabilities"])
def test_the_numbers_are_those_of_the_threshold(kind: str, pages: dict[str, Path], visit: Any) -> None:
    truth, score = scores()
    given = score if kind == "scores" else 1 / (1 + np.exp(2 - score))
    ranking = ew.Ranking.from_scores(truth, given, positive=HOSTILE)
    seen = visit(pages[kind])
    slider = seen.page.get_by_role("slider", name="Threshold")
    last = int(slider.get_attribute("max"))
    assert last <= 200
    for index in (0, 1, last // 3, last // 2, last - 1):
        slider.fill(str(index))
        threshold = float(cell(seen, "at").replace("−", "-"))
        table = ranking.at_threshold(threshold)
        check_numbers(seen, table)
        hit = table.index(HOSTILE)
        counts = {"hits": (hit, hit), "alarms": (hit, 1 - hit), "misses": (1 - hit, hit)}
        for name, where in counts.items():
            assert cell(seen, name) == f"{table.counts[where]:,}"
        assert cell(seen, "cost") == f"{table.counts[hit, 1 - hit] + table.counts[1 - hit, hit]:,}"
    slider.fill(str(last))
    assert (cell(seen, "taken"), cell(seen, "precision")) == ("0", "–")
    assert seen.requests == [pages[kind].as_uri()]
    assert seen.complaints == []


def test_the_numbers_are_those_of_the_depth(pages: dict[str, Path], visit: Any) -> None:
    rng = np.random.default_rng(7)
    grade = (rng.random(900) < 0.15).astype(int)
    lists = ew.RankedLists.from_scores(
        grade, rng.normal(size=900) + grade, groups=np.repeat(np.arange(30), 30)
    )
    seen = visit(pages["queries"])
    assert cell(seen, "at") == "10"
    slider = seen.page.get_by_role("slider", name="Depth")
    for depth in (1, 10, 29):
        slider.fill(str(depth - 1))
        assert cell(seen, "at") == str(depth)
        check_numbers(seen, lists, f"@{depth}")
        assert cell(seen, "taken") == f"{30 * depth}"
    assert seen.requests == [pages["queries"].as_uri()]
    assert seen.complaints == []


def test_the_keyboard_moves_it_and_a_link_restores_it(pages: dict[str, Path], visit: Any) -> None:
    seen = visit(pages["scores"])
    slider = seen.page.get_by_role("slider", name="Threshold")
    first = cell(seen, "at")
    slider.focus()
    for key in ("ArrowRight", "ArrowRight", "PageUp"):
        seen.page.keyboard.press(key)
    moved = cell(seen, "at")
    assert moved != first
    spoken = slider.get_attribute("aria-valuetext")
    assert spoken.startswith(f"{moved}, recall {cell(seen, 'recall')}, precision")
    seen.page.get_by_label("Cost of a miss").fill("7")
    price = cell(seen, "cost")
    seen.page.wait_for_timeout(400)
    link = seen.page.url
    assert link.endswith(f"#cut={moved.replace('−', '-')}&alarm=1&miss=7")
    again = visit(pages["scores"])
    again.page.goto(link)
    assert (cell(again, "at"), cell(again, "cost")) == (moved, price)
    # A number between two cuts is the nearest of them; what is no number leaves the cut where it is.
    again.page.evaluate("location.hash = '#cut=99'")
    again.page.wait_for_timeout(100)
    highest = cell(again, "at")
    assert float(highest) == max(float(key) for key in keys(again) if key != "inf")
    again.page.evaluate("location.hash = '#cut=</script>'")
    again.page.wait_for_timeout(100)
    assert again.page.title() == "Edgeworth report"
    assert again.complaints == []


def keys(seen: Any) -> list[str]:
    text = seen.page.locator(".cut script").first.text_content()
    return list(json.loads(text)["keys"])


def test_costs_move_the_best_cut(pages: dict[str, Path], visit: Any) -> None:
    truth, score = scores()
    ranking = ew.Ranking.from_scores(truth, score, positive=HOSTILE)
    seen = visit(pages["scores"])
    results = []
    for alarm, miss in ((1, 1), (1, 20), (5, 1)):
        seen.page.get_by_label("Cost of a false alarm").fill(str(alarm))
        seen.page.get_by_label("Cost of a miss").fill(str(miss))
        button = seen.page.locator(".cut button")
        if button.is_enabled():
            button.click()
        choice = ew.rankings.choose_threshold(ranking, cost_false_alarm=alarm, cost_miss=miss)
        assert cell(seen, "at") == repr(choice.threshold).removesuffix(".0").replace("-", "−")
        assert float(cell(seen, "cost").replace(",", "")) == pytest.approx(
            choice.estimates["cost"].value * len(truth)
        )
        assert cell(seen, "least").startswith(f"{cell(seen, 'cost')} at threshold")
        assert not button.is_enabled()
        results.append(choice.threshold)
    assert results[1] < results[0] < results[2]
    seen.page.get_by_label("Cost of a miss").fill("-1")
    assert (cell(seen, "cost"), cell(seen, "least")) == ("–", "–")
    assert seen.complaints == []


@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_it_fits_and_does_without_script(pages: dict[str, Path], visit: Any, width: int, scheme: str) -> None:
    for path in pages.values():
        seen = visit(path, width=width, scheme=scheme)
        assert seen.page.locator(".cut.live").count() == 1
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
        still = visit(path, width=width, scheme=scheme, script=False)
        assert not still.page.locator(".cut [type=range]").is_visible()
        assert cell(still, "recall") == cell(seen, "recall")
