"""Marks of axes: each another number as it is written, 0 among them, and never many."""

from __future__ import annotations

import re
from typing import Any

import altair as alt
import numpy as np
import pytest
import vl_convert

import edgeworth as ew
from edgeworth.report.charts.axes import colour_layer, number_axis, ticks


def axis_texts(svg: str, letters: str) -> list[str]:
    return [text for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg) if re.fullmatch(letters, text)]


def written(values: list[float], form: str, *, whole: bool = False) -> list[str]:
    """What an axis around some values writes."""
    marks = ticks(values, whole=whole)
    axis = marks.percent_axis(alt) if form == "percent" else marks.axis(alt, signed=form == "signed")
    x = alt.X("x:Q", scale=marks.scale(alt), axis=axis, title=None)
    data = alt.InlineData([{"x": value} for value in values])
    chart = alt.Chart(data).mark_point().encode(x=x)
    svg = vl_convert.vegalite_to_svg(chart.properties(width=400).to_dict())
    return axis_texts(svg, r"[−+]?[\d.,]+(e[-+]?\d+)?[%kMGµmn]?")


def number(text: str) -> float:
    """The number that a mark of an axis says."""
    scale = {"%": 1e-2, "k": 1e3, "M": 1e6, "G": 1e9}.get(text[-1], 1.0)
    return float(text.rstrip("%kMG").replace("−", "-").replace(",", "")) * scale


@pytest.mark.parametrize("form", ["plain", "signed", "percent"])
@pytest.mark.parametrize(
    "values",
    [
        [0.0],
        [0.4],
        [-0.0004, 0.0011],
        [-3e-7, 2e-7],
        [0.017, 0.93],
        [-1.0, 0.2],
        [-5135.0, 4183.0],
        [99_999.0, 3.0],
        [-513_500.0, 418_300.0],
        [1e9],
    ],
    ids=str,
)
def test_marks_cover_the_values_and_differ_and_0_is_written(values: list[float], form: str) -> None:
    texts = written(values, form)
    assert ("0%" if form == "percent" else "0") in texts
    assert 3 <= len(texts) <= 8
    numbers = [number(text) for text in texts]
    assert numbers == sorted(set(numbers))
    assert numbers[0] <= min(values)
    assert numbers[-1] >= max(values)


@pytest.mark.parametrize("most", [0, 1, 2, 3, 7, 143])
def test_whole_numbers_have_whole_marks(most: int) -> None:
    texts = written([most], "plain", whole=True)
    assert "0" in texts
    assert all(number(text).is_integer() for text in texts)


def test_what_is_no_number_does_not_count() -> None:
    assert ticks([None, float("nan"), float("inf"), 0.4]) == ticks([0.4])
    assert ticks([None]) == ticks([]) == ticks([0.0])


@pytest.mark.parametrize("moved", [0, 1, 3, 400])
def test_small_biases_are_told_apart(moved: int) -> None:
    """Predicted shares differ from real ones by a few in ten thousand."""
    truth = np.repeat(["a", "b"], 5000)
    text = truth.copy()
    text[:moved] = "b"
    chart = ew.evaluate(truth=truth, prediction=text).charts["bias"]
    result = axis_texts(chart.svg(), r"[−+]?[\d.,]+%")
    assert "0%" in result
    assert len(result) >= 3
    assert len(set(result)) == len(result)
    assert "0.0% of" not in chart.description
    assert ("as often as it occurs" in chart.description) == (moved == 0)


@pytest.mark.slow
@pytest.mark.parametrize("accuracy", [0.55, 0.801, 0.97])
def test_the_forest_shows_0(accuracy: float) -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 600)

    def system(rate: float) -> Any:
        return np.where(rng.random(600) < rate, truth, 1 - truth)

    report = ew.compare(truth=truth, systems={"one": system(accuracy), "two": system(0.8)}).report
    for name in ("differences", "disagreements"):
        result = axis_texts(report.charts[name].svg(), r"[−+]?[\d.,]+")
        assert result.count("0") == 1, (name, result)
        if name == "differences":
            assert len(set(result)) == len(result)


def test_0_stands_on_both_sides_of_many_marks() -> None:
    """Seven marks: by itself Vega leaves out every second, 0 among them."""
    truth = np.repeat(["a", "b"], 10_000)
    ahead, behind = truth.copy(), truth.copy()
    ahead[:4183] = "b"
    behind[5000:10_000] = "b"
    behind[10_000:10_135] = "a"
    report = ew.compare(truth=truth, systems={"behind": behind, "ahead": ahead}).report
    result = axis_texts(report.charts["disagreements"].svg(), r"[\d,]+")
    assert result == ["6,000", "4,000", "2,000", "0", "2,000", "4,000", "6,000"]
    predicted = np.where(np.arange(20_000) < 3000, "b", truth)
    result = axis_texts(ew.evaluate(truth=truth, prediction=predicted).charts["bias"].svg(), r"[−+]?\d+%")
    assert sorted(result) == sorted(["−20%", "−10%", "0%", "+10%", "+20%"])


@pytest.mark.parametrize(
    ("most", "wanted"), [(9_000, {"format": ",.6~g"}), (100_000, {"format": ",.6~g"}), (100_001, None)]
)
def test_thousands_are_written_out_up_to_a_hundred(most: float, wanted: dict[str, str] | None) -> None:
    assert number_axis([0, -most]) == (wanted or SHORT)


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


@pytest.mark.parametrize(
    ("names", "columns"),
    [
        (("wealth", "if the model is right", "if the prices are right"), 0),
        (("a" * 20, "b" * 20, "c" * 20), 2),
    ],
)
def test_a_legend_that_is_wider_than_its_chart_has_two_columns(names: tuple[str, ...], columns: int) -> None:
    layer = colour_layer(alt, alt.Chart().mark_line(), names[0], dict.fromkeys(names, "#123456"))
    assert layer.to_dict(validate=False)["encoding"]["color"]["legend"]["columns"] == columns
