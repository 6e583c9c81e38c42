"""Marks of axes: each another number as it is written, 0 among them, and never many."""

from __future__ import annotations

import re
from typing import Any

import altair as alt
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth.reports.charts.parts import axis_figures
from edgeworth.reports.charts.ticks import MOST, Ticks, ticks

FINITE = st.floats(-1e9, 1e9, allow_nan=False)


def written(marks: Ticks, per_cent: bool) -> list[str]:
    """What the axis writes, by Python's own formatting."""
    if per_cent:
        return [f"{place:,.{max(0, marks.decimals - 2)}%}" for place in marks.places]
    return [f"{place:,.{marks.decimals}f}" for place in marks.places]


@given(st.lists(FINITE, min_size=1, max_size=8), st.booleans(), st.booleans())
def test_marks_cover_the_values_and_differ(values: list[float], zero: bool, whole: bool) -> None:
    marks = ticks(values, zero=zero, whole=whole)
    low, high = marks.domain
    size = max(map(abs, values))
    assert low <= min(values) + 1e-9 * size
    assert high >= max(values) - 1e-9 * size
    assert 2 <= len(marks.places) <= MOST + 2
    assert len(set(marks.places)) == len(marks.places)
    assert len(set(written(marks, per_cent=False))) == len(marks.places)
    # Differences of shares are at most 1; beyond, per cents have no decimals to lose.
    assert len(set(written(marks, per_cent=True))) == len(marks.places)
    if zero or low <= 0 <= high:
        assert 0 in marks.places
    if whole:
        assert all(float(place).is_integer() for place in marks.places)


def test_what_is_no_number_does_not_count() -> None:
    assert ticks([None, float("nan"), float("inf"), 0.4]) == ticks([0.4])
    assert ticks([None]) == ticks([]) == ticks([0.0])


def axis_texts(svg: str, letters: str) -> list[str]:
    return [text for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg) if re.fullmatch(letters, text)]


@pytest.mark.parametrize("moved", [0, 1, 3, 400])
def test_small_biases_are_told_apart(moved: int) -> None:
    """Predicted shares differ from real ones by a few in ten thousand."""
    truth = np.repeat(["a", "b"], 5000)
    said = truth.copy()
    said[:moved] = "b"
    chart = ew.evaluate(truth=truth, prediction=said).charts["bias"]
    found = axis_texts(chart.svg(), r"[−+]?[\d.,]+%")
    assert "0%" in found
    assert len(found) >= 3
    assert len(set(found)) == len(found)
    assert "0.0% of" not in chart.says
    assert ("as often as it is real" in chart.says) == (moved == 0)


@pytest.mark.parametrize("accuracy", [0.55, 0.801, 0.97])
def test_the_forest_shows_0(accuracy: float) -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 600)

    def system(rate: float) -> Any:
        return np.where(rng.random(600) < rate, truth, 1 - truth)

    report = ew.compare(truth, {"one": system(accuracy), "two": system(0.8)}).report
    for name in ("differences", "disagreements"):
        found = axis_texts(report.charts[name].svg(), r"[−+]?[\d.,]+")
        assert found.count("0") == 1, (name, found)
        if name == "differences":
            assert len(set(found)) == len(found)


def thinned(texts: list[float]) -> list[float]:
    """What Vega leaves of labels that overlap: every second, from the first on."""
    return texts[::2]


@given(st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=4))
def test_0_is_written_even_where_labels_are_thinned(values: list[float]) -> None:
    marks = ticks(values)
    axis = marks.axis(alt).to_dict()
    places, expression = axis["values"], axis["labelExpr"]
    assert axis["tickCount"] == len(places) == len(marks.places)
    assert sorted(places) == list(marks.places)
    if "% 2" in expression:
        # Every second number is blank, counted from 0: whatever is thinned has nothing to overlap with.
        assert len(places) > 3
        return
    assert 0 in thinned(places)
    if len(places) >= MOST:
        assert 0 in thinned(thinned(places))


def test_0_stands_on_both_sides_of_many_marks() -> None:
    """Seven marks: Vega left out every second, 0 among them."""
    truth = np.repeat(["a", "b"], 10_000)
    ahead, behind = truth.copy(), truth.copy()
    ahead[:4183] = "b"
    behind[5000:10_000] = "b"
    behind[10_000:10_135] = "a"
    report = ew.compare(truth, {"behind": behind, "ahead": ahead}).report
    assert axis_texts(report.charts["disagreements"].svg(), r"[\d,]+") == ["4,000", "0", "4,000"]
    said = np.where(np.arange(20_000) < 3000, "b", truth)
    found = axis_texts(ew.evaluate(truth=truth, prediction=said).charts["bias"].svg(), r"[−+]?\d+%")
    assert sorted(found) == sorted(["−20%", "−10%", "0%", "+10%", "+20%"])


@pytest.mark.parametrize(
    ("most", "wanted"), [(9_000, {"format": ",.6~g"}), (100_000, {"format": ",.6~g"}), (100_001, None)]
)
def test_thousands_are_written_out_up_to_a_hundred(most: float, wanted: dict[str, str] | None) -> None:
    assert axis_figures([0, -most]) == (wanted or SHORT)


SHORT = {"format": "~s", "labelExpr": "datum.value ? datum.label : '0'"}


def test_long_axes_begin_at_0_and_short_ones_have_no_powers() -> None:
    rng = np.random.default_rng(2)
    truth = rng.random(200_000) < 0.3
    hits = ew.evaluate(truth=truth, score=rng.random(200_000) + truth).charts["hits"].svg()
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", hits)
    assert "0k" not in texts
    assert {"0", "50k", "200k"} <= set(texts)
    # A loss of e^-12 in a case needs an axis of log returns down to -10.
    p = np.where(np.arange(300) == 150, 6e-6, 0.5)
    report = ew.evaluate(truth=np.ones(300, dtype=int), probabilities=p, against=np.full(300, 0.5))
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", report.charts["returns"].svg())
    assert "−10" in texts
    assert not [text for text in texts if "e+" in text]
