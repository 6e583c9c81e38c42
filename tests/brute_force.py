"""Shared by the tests that compute a measure from its definition: tables to try, and the comparison."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import strategies as st

import edgeworth as ew

Matrix = list[list[int]]
Number = Fraction | float | None
"""None stands for "undefined"."""

matrices = st.integers(1, 4).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 6) | st.just(0), min_size=size, max_size=size), min_size=size, max_size=size
    )
)

DEGENERATE: dict[str, Matrix] = {
    "no cases": [[0, 0], [0, 0]],
    "one case": [[0, 1], [0, 0]],
    "one label": [[5]],
    "one real class": [[3, 0], [2, 0]],
    "one predicted label": [[3, 2], [0, 0]],
    "only one cell": [[0, 0], [0, 4]],
    "never real": [[2, 1, 0], [1, 3, 0], [1, 1, 0]],
    "never predicted": [[2, 1, 4], [1, 3, 1], [0, 0, 0]],
    "never met": [[2, 1, 0], [1, 3, 0], [0, 0, 0]],
    "nothing in common": [[0, 0, 0], [0, 0, 0], [3, 2, 0]],
    "perfect": [[2, 0, 0], [0, 3, 0], [0, 0, 4]],
    "all wrong": [[0, 3], [2, 0]],
    "all apart": [[0, 1, 0], [1, 0, 0], [0, 0, 1]],
}


def over(numerator: Number, denominator: Number) -> Number:
    """A quotient that is undefined when a part is, or when there is nothing to divide by."""
    if numerator is None or not denominator:
        return None
    return Fraction(numerator) / Fraction(denominator)


def check(table: ew.ContingencyTable, spelling: str, expected: Number) -> None:
    """The number, or nan with a sentence that says why and is no stopgap."""
    value = ew.measure(table, spelling)
    if expected is not None:
        assert value == pytest.approx(float(expected), rel=1e-12, abs=1e-12), spelling
        return
    assert math.isnan(value), f"{spelling} is undefined, not {value}"
    reason = ew.estimate(table, spelling).undefined
    assert reason, spelling
    assert not reason.startswith("its formula"), f"{spelling}: {reason}"
