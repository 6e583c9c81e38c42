"""Rows that add up to 1 only within the tolerance: what was rounded off is no evidence."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeworth.common.arrays import PROBABILITY_SUM_TOLERANCE
from edgeworth.forecasts.betting import log_returns
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.sources import numbers

SHORT = [0.3333331, 0.333333, 0.333333]
"""Adds up to 0.9999991."""


def mean_wealth(p: list[list[float]], q: list[list[float]], **options: Any) -> float:
    """E[W] over all outcomes, if the rival's rows, divided by their sums as fractions, are the truth."""
    chances = [[Fraction(x) / sum(map(Fraction, row)) for x in row] for row in q]
    total = []
    for truth in itertools.product(range(len(q[0])), repeat=len(q)):
        chance = math.prod((chances[i][k] for i, k in enumerate(truth)), start=Fraction(1))
        wealth = Wealth.from_probabilities(
            list(truth), np.array(p), against=np.array(q), labels=range(len(q[0])), **options
        )
        total.append(float(chance) * wealth.wealth)
    return math.fsum(total)


@pytest.mark.slow
@pytest.mark.parametrize("stake", [1.0, 0.5])
@pytest.mark.parametrize(
    ("p", "q"),
    [
        ([[1 / 3] * 3] * 5, [SHORT] * 5),
        ([SHORT] * 5, [[1 / 3] * 3] * 5),
        ([[0.2, 0.3, 0.5 + 9e-7]] * 5, [SHORT] * 5),
        ([[0.6, 0.4 - 5e-7]] * 6, [[0.5 - 5e-7, 0.5 - 4e-7]] * 6),
    ],
)
def test_a_fair_game_stays_fair(p: list[list[float]], q: list[list[float]], stake: float) -> None:
    assert mean_wealth(p, q, fraction=stake) == pytest.approx(1, abs=1e-13)


@settings(max_examples=20)  # each goes through all outcomes
@given(
    rows=st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=2, max_size=3),
    off=st.lists(st.floats(-0.99, 0.99), min_size=8, max_size=8),
)
def test_a_fair_game_stays_fair_however_rows_were_rounded(
    rows: list[tuple[int, int]], off: list[float]
) -> None:
    p = [[a / 10, 1 - a / 10 + off[i] * PROBABILITY_SUM_TOLERANCE] for i, (a, _) in enumerate(rows)]
    q = [[b / 10, 1 - b / 10 + off[i + 4] * PROBABILITY_SUM_TOLERANCE] for i, (_, b) in enumerate(rows)]
    assert mean_wealth(p, q) <= 1 + 1e-12


def test_many_rounded_rows_prove_nothing() -> None:
    """5 million cases that say the same were e = 90 against a rival whose rows add up to 0.9999991."""
    cases = 150_000
    truth = np.arange(cases) % 3
    p, q = np.full((cases, 3), 1 / 3), np.tile(np.array(SHORT), (cases, 1))
    # Every class as often: Σ ln(1/3) − ln(q/Σq), where without the division ln Σq = −9e-7 a case is too much.
    expected = -cases * np.log(3 * np.array(SHORT) / sum(SHORT)).mean()
    assert abs(expected) < 1e-6 < 9e-7 * cases
    log_wealth = Wealth.from_probabilities(truth, p, against=q).log_wealth
    assert log_wealth == pytest.approx(expected, abs=1e-9)


def test_there_is_one_tolerance() -> None:
    for module in (numbers, log_returns):
        assert vars(module)["PROBABILITY_SUM_TOLERANCE"] is PROBABILITY_SUM_TOLERANCE
        assert not {"TOLERANCE", "OFF_ONE"} & set(vars(module))
