"""On a dark page what is drawn is seen, and on a telephone 0 stands on its axis."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import edgeworth as ew

pytestmark = pytest.mark.browser

DARK_PAPER = (0x14, 0x17, 0x1B)


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    truth = np.repeat(["a", "b"], 10_000)
    ahead, behind = truth.copy(), truth.copy()
    ahead[:4183] = "b"
    behind[5000:10_000] = "b"
    behind[10_000:10_135] = "a"
    path = tmp_path_factory.mktemp("compared") / "compared.html"
    ew.compare(truth=truth, systems={"the one behind": behind, "the one ahead": ahead}).to_html(path)
    return path


def luminance(colour: tuple[int, ...]) -> float:
    linear = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


@pytest.mark.parametrize("script", [True, False])
def test_intervals_are_seen_on_a_dark_page(compared: Path, visit: Any, script: bool) -> None:
    seen = visit(compared, scheme="dark", script=script)
    if script:
        seen.drawn()
    result = seen.page.locator("#chart-differences svg line").evaluate_all(
        "lines => lines.map(line => getComputedStyle(line)).filter(style => style.strokeWidth === '2px')"
        ".map(style => [style.stroke, style.opacity, style.strokeOpacity])"
    )
    assert result
    for stroke, *opacities in result:
        assert opacities == ["1", "1"]
        colour = tuple(int(part) for part in stroke.removeprefix("rgb(").removesuffix(")").split(","))
        assert (luminance(colour) + 0.05) / (luminance(DARK_PAPER) + 0.05) >= 4.5


@pytest.mark.parametrize("width", [360, 1100])
def test_0_stands_on_both_axes(compared: Path, visit: Any, width: int) -> None:
    seen = visit(compared, width=width)
    seen.drawn()
    for name in ("differences", "disagreements"):
        texts = seen.page.locator(f"#chart-{name} svg text").all_text_contents()
        assert texts.count("0") == 1, (name, texts)


@pytest.fixture(scope="module")
def forecasters(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 200)
    systems = {
        f"larger_probability_{name}": np.clip(0.45 + 0.1 * truth + rng.normal(0, 0.15, 200), 0.01, 0.99)
        for name in "ab"
    }
    path = tmp_path_factory.mktemp("forecasters") / "compared.html"
    ew.compare(truth=truth, systems=systems, kind="probabilities").to_html(path)
    return path


@pytest.mark.parametrize("width", [360, 390, 1100])
def test_labels_of_axes_do_not_overlap(forecasters: Path, visit: Any, width: int) -> None:
    seen = visit(forecasters, width=width)
    seen.drawn()
    boxes = seen.page.locator("#chart-differences svg .mark-text.role-axis-label text").evaluate_all(
        "texts => texts.map(text => [text.textContent, text.getBoundingClientRect()])"
        ".map(([text, box]) => [text, box.left, box.right, box.top])"
    )
    ticks = sorted((left, right, text) for text, left, right, _ in boxes if text.strip("+−.0123456789") == "")
    assert "0" in [text for *_, text in ticks]
    assert len(ticks) >= 2
    for (_, right, text), (left, _, following) in itertools.pairwise(ticks):
        assert right < left, (text, following)


def test_a_chart_beside_a_list_begins_below_its_heading(tmp_path: Path, visit: Any) -> None:
    rng = np.random.default_rng(5)
    truth = rng.choice(list("abc"), 300)
    guess = np.where(rng.random(300) < 0.6, truth, rng.choice(list("abc"), 300))
    path = tmp_path / "labels.html"
    ew.evaluate(truth=truth, prediction=guess).to_html(path)
    page = visit(path, width=1280).page
    description, picture = (
        page.locator(".lead .description").bounding_box(),
        page.locator(".lead .picture").bounding_box(),
    )
    assert 0 <= picture["y"] - (description["y"] + description["height"]) < 20
