"""Sums over runs of cases, taken as logarithms of products, beside fractions and sums case by case."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeworth.bet.fractional import CASES_PER_PRODUCT, FRACTIONS, fraction_sums, fractional_logs, whole_sum

STEPS = st.one_of(
    st.floats(-60, 60),
    st.sampled_from([0.0, 1e-12, -1e-12, 39.9, 40.1, 700.0, 800.0, -800.0, math.inf, -math.inf]),
)


@given(
    steps=st.lists(st.lists(STEPS, min_size=1, max_size=40), min_size=1, max_size=5),
    fractions=st.sampled_from([FRACTIONS, (1.0,), (0.0, 1.0), (0.5,), (1 - 2**-53, 2**-60)]),
)
def test_sums_of_runs_are_sums_of_cases(steps: list[list[float]], fractions: tuple[float, ...]) -> None:
    starts = np.cumsum([0, *(len(run) for run in steps[:-1])])
    expected = [whole_sum(fractional_logs(run, fractions)) for run in steps]
    result = fraction_sums(np.concatenate(steps), starts, fractions)
    np.testing.assert_allclose(result, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    "length", [1, 2, CASES_PER_PRODUCT - 1, CASES_PER_PRODUCT, CASES_PER_PRODUCT + 1, 100]
)
def test_products_of_exact_fractions(length: int) -> None:
    rng = np.random.default_rng(length)
    factors = [[Fraction(int(x), 64) for x in row] for row in rng.integers(1, 256, (3, length))]
    logs = np.log([float(w) for row in factors for w in row])
    result = fraction_sums(logs, np.arange(3) * length)
    for row, sums in zip(factors, result, strict=True):
        for index, c in enumerate(Fraction(k, 20) for k in range(21)):
            exact = math.prod((1 - c + c * w for w in row), start=Fraction(1))
            wanted = math.log(exact.numerator) - math.log(exact.denominator)
            assert sums[index] == pytest.approx(wanted, rel=1e-13, abs=1e-13)


def test_small_gains_of_many_cases_are_not_lost() -> None:
    result = fraction_sums(np.full(4 * 2048, 1e-9), np.arange(4) * 2048, [0.5])
    np.testing.assert_allclose(result, 2048 * 0.5e-9, rtol=0, atol=2048 * 4e-16)


def test_large_and_small_log_factors_case_by_case() -> None:
    np.testing.assert_allclose(
        fractional_logs([800.0, 1.0, 1.1, -800.0, math.inf, -math.inf], [0.0, 0.25, 1.0]),
        [
            [0.0, 800 + math.log(0.25), 800.0],
            [0.0, math.log(0.75 + 0.25 * math.e), 1.0],
            [0.0, math.log(0.75 + 0.25 * math.exp(1.1)), 1.1],
            [0.0, math.log(0.75), -800.0],
            [0.0, math.inf, math.inf],
            [0.0, math.log(0.75), -math.inf],
        ],
        rtol=1e-14,
    )
