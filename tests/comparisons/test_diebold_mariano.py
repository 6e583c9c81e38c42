"""Diebold and Mariano's test by exact arithmetic and by statsmodels' HAC variances."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import statsmodels.api as sm  # type: ignore[import-untyped]  # it has no stubs
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from edgeworth.common.arrays import Floats
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.forecasts.differences import long_run_variance, mean_score_difference

LOSSES = st.lists(
    st.tuples(*(st.integers(0, 64).map(lambda x: Fraction(x, 8)) for _ in range(2))), min_size=3, max_size=12
)


def diebold_mariano(first: Floats, second: Floats, horizon: int) -> Difference:
    return mean_score_difference(first, second, names=("A", "B"), score="brier", horizon=horizon)


@given(pairs=LOSSES, horizon=st.integers(2, 4))
def test_the_test_is_what_exact_arithmetic_gives(
    pairs: list[tuple[Fraction, Fraction]], horizon: int
) -> None:
    first, second = np.array(pairs, dtype=np.float64).T
    result = diebold_mariano(first, second, horizon)
    n, d = len(pairs), [a - b for a, b in pairs]
    if set(d) == {0}:
        assert result.p_value() == 1.0
        return
    if horizon >= n or len(set(d)) == 1:
        assert result.no_interval is not None
        assert math.isnan(result.p_value())
        return
    mean = sum(d, Fraction(0)) / n
    gammas = [
        sum(((d[t] - mean) * (d[t - lag] - mean) for t in range(lag, n)), Fraction(0)) / n
        for lag in range(horizon)
    ]
    variance = gammas[0] + 2 * sum(gammas[1:], Fraction(0))
    if variance <= 0:
        variance = gammas[0] + 2 * sum(g * (1 - Fraction(k, horizon)) for k, g in enumerate(gammas) if k)
    elif variance < Fraction(1, 10**6):
        return  # rounding may take it below 0
    factor = (n + 1 - 2 * horizon + Fraction(horizon * (horizon - 1), n)) / n
    statistic = math.sqrt(mean**2 / (variance / n) * factor)
    assert result.p_value() == pytest.approx(2 * stats.t.sf(statistic, n - 1), rel=1e-8)


@pytest.mark.parametrize("horizon", [2, 3, 6])
@pytest.mark.parametrize(("newey_west", "theirs"), [(False, "uniform"), (True, "bartlett")])
def test_the_variance_is_that_of_statsmodels(horizon: int, newey_west: bool, theirs: str) -> None:
    rng = np.random.default_rng(2)
    differences = np.convolve(rng.normal(size=205), np.ones(6), "valid") ** 2 - rng.exponential(size=200)
    words = {"maxlags": horizon - 1, "kernel": theirs, "use_correction": False}
    peer = sm.OLS(differences, np.ones(200)).fit(cov_type="HAC", cov_kwds=words)
    result = long_run_variance(differences - differences.mean(), horizon, newey_west=newey_west)
    assert math.sqrt(result / 200) == pytest.approx(peer.bse[0], rel=1e-10)


def test_a_rectangular_variance_below_zero_is_replaced_and_said() -> None:
    # Alternating: γ_0 + 2γ_1 < 0.
    first = np.tile([1.0, 0.0], 10) + np.eye(20)[0] / 8
    result = diebold_mariano(first, np.full(20, 0.25), 2)
    assert "not above 0" in (result.caveat or "")
    assert "newey-west" in result.tests["diebold-mariano"].method


def test_what_cannot_be_tested_says_why() -> None:
    few = diebold_mariano(np.array([1.0, 2, 4]), np.zeros(3), 3)
    assert "more than 3 cases" in (few.no_interval or "")
    alike = diebold_mariano(np.array([0.7, 0.9, 1.3]), np.array([0.5, 0.7, 1.1]), 2)
    assert "the same in every unit" in (alike.no_interval or "")
    assert math.isnan(alike.p_value())
