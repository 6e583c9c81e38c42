"""Names in pictures: short, and different from each other."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth.core.formatting import cut_middle
from edgeworth.report.charts.axis_names import JAVASCRIPT_KEYS, MAX_AXIS_LABEL_LENGTH, axis_names

PREFIX = "https://example.org/taxonomy/products/electronics/category/"


@given(st.lists(st.text(max_size=90), min_size=1, max_size=12, unique=True), st.integers(6, 40))
def test_names_stay_different(names: list[str], most: int) -> None:
    result = axis_names(names, most)
    assert len(result.names) == len(result.drawn) == len(names)
    assert len(set(result.drawn)) == len(set(result.names)) == len(names)
    # A number behind a name that looks like another is all that may be added.
    assert all(len(re.sub(r" \(\d+\)$", "", name)) <= most for name in result.drawn if len(name) > most)


@given(st.text(min_size=1, max_size=60), st.integers(3, 30))
def test_a_cut_keeps_both_ends(text: str, most: int) -> None:
    cut = cut_middle(text, most)
    assert len(cut) <= max(most, 0)
    if cut != text:
        head, _, tail = cut.partition("…") if "…" not in text else ("", "", "")
        assert text.startswith(head)
        assert text.endswith(tail)


def test_short_names_are_left_as_they_are() -> None:
    result = axis_names(["run-1", "run-12", "spam"])
    assert result.names == result.drawn == ("run-1", "run-12", "spam")
    assert "labelExpr" not in result.options


def as_labels(svg: str) -> list[str]:
    return [text for text in re.findall(r"<text[^>]*>([^<]*)</text>", svg) if text.endswith("kind")]


def test_forty_labels_with_one_beginning_are_drawn_apart() -> None:
    rng = np.random.default_rng(2)
    labels = [f"{PREFIX}{number:02d} kind" for number in range(40)]
    truth = rng.choice(labels, 1200)
    predicted = np.where(rng.random(1200) < 0.6, truth, rng.choice(labels, 1200))
    report = ew.evaluate(truth=truth, prediction=predicted)
    for name in ("edges", "bias"):
        chart = report.charts[name]
        drawn = as_labels(chart.svg())
        assert len(drawn) == len(set(drawn)) == 30
        assert max(map(len, drawn)) <= MAX_AXIS_LABEL_LENGTH
        # Under the pointer there is more of the name, and it differs too.
        rows = [row["label"] for row in chart.data[name]]
        assert len(set(rows)) == 30
        assert all(row.startswith("https://") for row in rows)


@pytest.mark.slow
def test_systems_with_one_beginning_are_drawn_apart() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 300)
    systems = {
        f"team-experiment-2024-run-{name}": np.where(rng.random(300) < 0.6 + 0.03 * index, truth, 1 - truth)
        for index, name in enumerate(("alpha", "beta", "gamma", "delta", "epsilon"))
    }
    charts = ew.compare(truth=truth, systems=systems).report.charts
    for name, sign in (("differences", "−"), ("disagreements", "–")):
        drawn = re.findall(rf"<text[^>]*>(team-[^<]+ {sign} team-[^<]+)</text>", charts[name].svg())
        assert len(drawn) == len(set(drawn)) == 10


@pytest.mark.slow
@pytest.mark.parametrize("own", sorted(JAVASCRIPT_KEYS))
def test_names_of_the_drawing_language_s_own_are_names(own: str) -> None:
    labels = [own, "a name that is a good deal longer than the others, 1"]
    charts = ew.evaluate(truth=labels * 10, prediction=labels * 10).charts
    assert ">a name" in charts["contingency"].svg()
    assert f">{own}\u200c<" in charts["edges"].svg()
