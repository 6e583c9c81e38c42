"""Diebold and Mariano's test by exact arithmetic, by the paired t test and by statsmodels' HAC variances."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import statsmodels.api as sm  # type: ignore[import-untyped]  # it has no stubs
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from edgeworth.comparing.forecasts.differences import Kernel, diebold_mariano
from edgeworth.errors import InputError, OptionError

LOSSES = st.lists(
    st.tuples(*(st.integers(0, 64).map(lambda x: Fraction(x, 8)) for _ in range(2))), min_size=3, max_size=12
)


def squared_statistics(
    pairs: list[tuple[Fraction, Fraction]], horizon: int, kernel: Kernel
) -> tuple[Fraction, Fraction, Fraction]:
    """Σd, and the squares of the statistic without and with the correction, exactly; 0 where V is not > 0."""
    n = len(pairs)
    d = [a - b for a, b in pairs]
    mean = sum(d, Fraction(0)) / n
    variance = Fraction(0)
    for lag in range(horizon):
        gamma = sum(((d[t] - mean) * (d[t - lag] - mean) for t in range(lag, n)), Fraction(0)) / n
        weight = Fraction(1) if kernel == "rectangular" else 1 - Fraction(lag, horizon)
        variance += gamma if lag == 0 else 2 * weight * gamma
    if variance <= 0:
        return mean, Fraction(0), Fraction(0)
    plain = mean**2 / (variance / n)
    factor = (n + 1 - 2 * horizon + Fraction(horizon * (horizon - 1), n)) / n
    return mean, plain, plain * factor


@given(pairs=LOSSES, horizon=st.integers(1, 4), kernel=st.sampled_from(["rectangular", "newey-west"]))
def test_the_statistic_is_what_exact_arithmetic_gives(
    pairs: list[tuple[Fraction, Fraction]], horizon: int, kernel: Kernel
) -> None:
    first, second = ([float(pair[place]) for pair in pairs] for place in (0, 1))
    found = diebold_mariano(first, second, horizon=horizon, kernel=kernel)
    if horizon >= len(pairs):
        assert found.undefined is not None
        return
    mean, plain, corrected = squared_statistics(pairs, horizon, kernel)
    differences = {a - b for a, b in pairs}
    assert found.mean == pytest.approx(float(mean), abs=1e-15)
    if differences == {0}:
        assert (found.statistic, found.p_value) == (0.0, 1.0)
    elif len(differences) == 1:
        assert found.undefined is not None
        assert math.isnan(found.p_value)
    elif found.kernel == kernel and found.tail is not None:
        assert found.plain == pytest.approx(math.copysign(math.sqrt(plain), mean), rel=1e-9, abs=1e-12)
        assert found.statistic == pytest.approx(
            math.copysign(math.sqrt(corrected), mean), rel=1e-9, abs=1e-12
        )
        tail = 2 * stats.t.sf(math.sqrt(corrected), len(pairs) - 1)
        assert found.p_value == pytest.approx(tail, rel=1e-9)
    else:
        # Only a variance that is not above 0, exactly or within rounding, has no statistic of its own.
        assert plain == 0 or plain > 10**20


def test_one_step_ahead_it_is_the_paired_t_test() -> None:
    rng = np.random.default_rng(1)
    for cases in (2, 3, 10, 500):
        first, second = rng.exponential(size=cases), rng.exponential(size=cases)
        peer = stats.ttest_rel(first, second)
        found = diebold_mariano(first, second)
        assert found.statistic == pytest.approx(peer.statistic, rel=1e-12)
        assert found.p_value == pytest.approx(peer.pvalue, rel=1e-10)
        assert found.statistic / found.plain == pytest.approx(math.sqrt((cases - 1) / cases), rel=1e-12)
        assert found.mean / found.standard_error == pytest.approx(found.statistic, rel=1e-12)


@pytest.mark.parametrize("horizon", [2, 3, 6])
@pytest.mark.parametrize(("kernel", "theirs"), [("rectangular", "uniform"), ("newey-west", "bartlett")])
def test_the_variance_is_that_of_statsmodels(horizon: int, kernel: Kernel, theirs: str) -> None:
    rng = np.random.default_rng(2)
    noise = rng.normal(size=205)
    first = np.convolve(noise, np.ones(6), "valid") ** 2
    second = rng.exponential(size=200)
    words = {"maxlags": horizon - 1, "kernel": theirs, "use_correction": False}
    peer = sm.OLS(first - second, np.ones(200)).fit(cov_type="HAC", cov_kwds=words)
    found = diebold_mariano(first, second, horizon=horizon, kernel=kernel)
    assert (found.kernel, found.doubt) == (kernel, None)
    assert found.plain == pytest.approx(peer.tvalues[0], rel=1e-10)
    assert found.statistic / found.plain == pytest.approx(
        math.sqrt((201 - 2 * horizon + horizon * (horizon - 1) / 200) / 200), rel=1e-12
    )
    assert f"{horizon} ahead" in (found.tail.method if found.tail else "")


def test_a_rectangular_variance_below_zero_is_replaced_and_said() -> None:
    # Alternating: γ_0 + 2γ_1 < 0.
    first = np.tile([1.0, 0.0], 10) + np.eye(20)[0] / 8
    found = diebold_mariano(first, np.full(20, 0.25), horizon=2)
    assert found.kernel == "newey-west"
    assert found.doubt is not None
    assert "not above 0" in found.doubt
    assert (
        found.statistic == diebold_mariano(first, np.full(20, 0.25), horizon=2, kernel="newey-west").statistic
    )


def test_turned_round_it_is_the_same_test() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.random(50), rng.random(50)
    one, two = (diebold_mariano(*pair, horizon=2) for pair in ((first, second), (second, first)))
    assert one.statistic == pytest.approx(-two.statistic, rel=1e-12)
    assert one.p_value == pytest.approx(two.p_value, rel=1e-12)


def test_what_cannot_be_tested_says_why() -> None:
    infinite = diebold_mariano([0.5, math.inf, 0.25], [0.5, 0.5, math.inf])
    assert infinite.undefined == "losses are infinite: 1 of the first and 1 of the second"
    assert math.isnan(infinite.p_value)
    for cases in (0, 1):
        assert "more than 1 cases" in (diebold_mariano([0.5] * cases, [0.25] * cases).undefined or "")
    assert "more than 3 cases" in (diebold_mariano([1, 2, 4], [0, 0, 0], horizon=3).undefined or "")
    alike = diebold_mariano([0.7, 0.9, 1.3], [0.5, 0.7, 1.1])
    assert "all alike" in (alike.undefined or "")
    assert math.isnan(alike.p_value)
    same = diebold_mariano([0.7, 0.9], [0.7, 0.9], horizon=1)
    assert (same.statistic, same.p_value, same.undefined) == (0.0, 1.0, None)


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="saw 2 and 3"):
        diebold_mariano([1, 2], [1, 2, 3])
    with pytest.raises(InputError, match="row 2 is missing"):
        diebold_mariano([1, math.nan], [1, 2])
    with pytest.raises(InputError, match=r"shape \(1, 2\)"):
        diebold_mariano([[1, 2]], [1, 2])
    for horizon in (0, -1, True, 1.5):
        with pytest.raises(OptionError, match="whole number"):
            diebold_mariano([1, 2], [1, 3], horizon=horizon)  # type: ignore[arg-type]  # refused on purpose
    with pytest.raises(OptionError, match="newey-west"):
        diebold_mariano([1, 2], [1, 3], kernel="parzen")  # type: ignore[arg-type]  # refused on purpose
