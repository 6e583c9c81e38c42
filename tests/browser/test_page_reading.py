"""Reading the page on a telephone, with the keyboard, and on paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeworth as ew

pytestmark = pytest.mark.browser

LABELS = [f"https://example.org/a/long/common/beginning/of/names/{name}" for name in "abcdefghijkl"]


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(7)
    truth = rng.choice(LABELS, 800)
    predicted = np.where(rng.random(800) < 0.6, truth, rng.choice(LABELS, 800))
    path = tmp_path_factory.mktemp("reading") / "report.html"
    ew.evaluate(truth=truth, prediction=predicted, bets=True).to_html(path, title="Reading")
    return path


TABLET = 560


def test_a_telephone_shows_every_column_of_a_table(page_file: Path, visit: Any) -> None:
    seen = visit(page_file, width=390)
    seen.page.get_by_text("Table", exact=True).first.click()
    region = seen.page.get_by_role("region", name="Class by class (table)")
    assert region.evaluate("each => each.scrollWidth <= each.clientWidth + 1")
    heads = region.locator("thead th").all_inner_texts()
    cells = region.locator("tbody tr >> nth=0 >> td")
    assert cells.count() == len(heads) - 1 >= 6
    for index in range(cells.count()):
        box = cells.nth(index).bounding_box()
        assert 0 <= box["x"] < box["x"] + box["width"] <= 390
        assert cells.nth(index).get_attribute("data-head") in heads


def test_a_wide_table_scrolls_under_its_first_column(page_file: Path, visit: Any) -> None:
    seen = visit(page_file, width=TABLET)
    seen.page.get_by_text("Table", exact=True).first.click()
    region = seen.page.get_by_role("region", name="Class by class (table)")
    assert region.evaluate("each => each.scrollWidth > each.clientWidth")
    head, second = (region.locator(f"tbody tr >> nth=0 >> *:nth-child({index})") for index in (1, 2))
    before, moved = head.bounding_box()["x"], second.bounding_box()["x"]
    region.focus()
    assert region.evaluate("each => each === document.activeElement")
    for _ in range(4):
        seen.page.keyboard.press("ArrowRight")
    # The page's policy allows no waiting by an expression; scrolling takes its time.
    for _ in range(100):
        if region.evaluate("each => each.scrollLeft") > 60:
            break
        seen.page.wait_for_timeout(50)
    assert head.bounding_box()["x"] == pytest.approx(before, abs=0.5)
    assert second.bounding_box()["x"] < moved - 40
    # The first column leaves room for others.
    assert head.bounding_box()["width"] < 0.6 * TABLET


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_more_of_a_table_casts_a_shadow(page_file: Path, visit: Any, scheme: str) -> None:
    """At the right edge of a table that goes on, and not of one that ends there."""
    seen = visit(page_file, width=TABLET, scheme=scheme)
    seen.page.get_by_text("Show", exact=True).click()
    for item in seen.page.get_by_text("Table", exact=True).all():
        item.click()

    def edge(name: str) -> bytes:
        region = seen.page.get_by_role("region", name=name)
        region.evaluate("each => each.scrollIntoView({ block: 'start', behavior: 'instant' })")
        box = region.bounding_box()
        # Beside the caption, where only the ground is seen.
        clip = {"x": box["x"] + box["width"] - 3, "y": box["y"] + 6, "width": 2, "height": 8}
        return bytes(seen.page.screenshot(clip=clip))

    shadow, ground = edge("Class by class (table)"), edge("The house")
    assert shadow != ground
    wide = seen.page.get_by_role("region", name="Class by class (table)")
    wide.evaluate("each => { each.scrollLeft = each.scrollWidth; }")
    assert edge("Class by class (table)") == ground


def test_letters_of_pictures_keep_their_size_on_a_telephone(page_file: Path, visit: Any) -> None:
    seen = visit(page_file, width=390)
    assert set(seen.drawn()) == {"yes"}
    for name in ("edges", "bias"):
        svg = seen.page.locator(f"#chart-{name} svg").first
        drawn, room = svg.evaluate("each => [each.getBoundingClientRect().width, each.viewBox.baseVal.width]")
        assert drawn == pytest.approx(room, rel=0.02), name
        assert drawn <= 390


@pytest.mark.parametrize("script", [True, False])
def test_paper_shows_what_is_folded(page_file: Path, visit: Any, script: bool) -> None:
    seen = visit(page_file, script=script)
    folded = seen.page.locator("details table")
    assert folded.count() == 8
    assert folded.first.bounding_box() is None or not folded.first.is_visible()
    seen.page.emulate_media(media="print")
    for index in range(folded.count()):
        assert folded.nth(index).is_visible()
        assert folded.nth(index).bounding_box()["height"] > 50
    assert not seen.page.locator("nav").is_visible()


def test_printing_unfolds_and_folds_again(page_file: Path, visit: Any) -> None:
    seen = visit(page_file)
    seen.drawn()
    unfolded = seen.page.locator("details[open]")
    seen.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert unfolded.count() == seen.page.locator("details").count() >= 8
    seen.page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert unfolded.count() == 0
    assert seen.complaints == []


def test_headings_and_tables_are_found_by_name(page_file: Path, visit: Any) -> None:
    seen = visit(page_file)
    assert seen.page.title() == "Reading"
    assert seen.page.get_by_role("heading", level=1).inner_text() == "Reading"
    assert seen.page.get_by_role("heading", level=2).count() >= 4
    seen.page.get_by_text("Table", exact=True).first.click()
    heads = seen.page.get_by_role("region", name="Class by class (table)").get_by_role("rowheader")
    assert heads.count() == len(LABELS)
