"""Sampling laws against published numbers and against peers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

import edgeworth as ew
from edgeworth.core.measures import Combination
from edgeworth.core.sampling_distributions import (
    ClopperPearsonLaw,
    NewcombeLaw,
    NormalLaw,
    PosteriorLaw,
    Scale,
    check_level,
    natural_scale,
    normal_quantile,
)
from edgeworth.errors import OptionError


def two_by_two(a: int, b: int, c: int, d: int) -> ew.ContingencyTable:
    return ew.ContingencyTable.from_matrix([[a, b], [c, d]], rows="predicted", labels=["+", "-"])


def wilson_law(successes: float, trials: float) -> NewcombeLaw:
    one, hits, number = (np.array([item], dtype=np.float64) for item in (1.0, successes, trials))
    return NewcombeLaw(Combination(0.0, one, hits, number))


@pytest.mark.parametrize(
    ("successes", "trials"), [(0, 10), (10, 10), (3, 10), (81, 263), (1, 1), (499, 1000)]
)
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_proportions_agree_with_statsmodels(successes: int, trials: int, level: float) -> None:
    wilson = proportion_confint(successes, trials, alpha=1 - level, method="wilson")
    exact = proportion_confint(successes, trials, alpha=1 - level, method="beta")
    assert wilson_law(successes, trials).interval(level) == pytest.approx(wilson, abs=1e-12)
    assert ClopperPearsonLaw(successes, trials).interval(level) == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("null", [0.1, 0.5, 0.73])
def test_exact_binomial_tails_agree_with_scipy(null: float) -> None:
    law = ClopperPearsonLaw(7, 20)
    for alternative in ("greater", "less"):
        expected = stats.binomtest(7, 20, null, alternative=alternative).pvalue
        assert law.p_value(null, alternative) == pytest.approx(expected, rel=1e-12)


def test_newcombe_gives_his_own_example() -> None:
    # Newcombe 1998, Statistics in Medicine 17:873, table II (a), method 10: 56/70 − 48/80.
    estimate = ew.estimate(two_by_two(56, 48, 14, 32), "informedness")
    assert str(estimate.method) == "Newcombe"
    assert estimate.value == pytest.approx(0.2)
    assert tuple(estimate.interval()) == pytest.approx((0.0524, 0.3339), abs=5e-5)


@pytest.mark.parametrize(
    ("cells", "low", "high"),
    [
        # Newcombe 1998, table II, method 10: 9/10 − 3/10, 6/7 − 2/7, 5/56 − 0/29, 10/10 − 0/10.
        ((9, 3, 1, 7), 0.1705, 0.8090),
        ((6, 2, 1, 5), 0.0582, 0.8062),
        ((5, 0, 51, 29), -0.0381, 0.1926),
        ((10, 0, 0, 10), 0.6075, 1.0000),
    ],
)
def test_newcombe_gives_his_other_examples(cells: tuple[int, int, int, int], low: float, high: float) -> None:
    estimate = ew.estimate(two_by_two(*cells), "informedness")
    assert tuple(estimate.interval()) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("null", [-0.3, 0.05, 0.2, 0.5])
def test_a_p_value_is_the_level_at_which_the_null_leaves_the_interval(null: float, alternative: str) -> None:
    combination = Combination(0.0, np.array([1.0, -1.0]), np.array([56.0, 48.0]), np.array([70.0, 80.0]))
    normal, wilson = NormalLaw(0.2, 0.07, Scale(-1.0, 1.0)), wilson_law(30, 80)
    for law in (NewcombeLaw(combination), normal, wilson):
        p_value = law.p_value(null, alternative)
        one_sided = {"two-sided": p_value / 2, "greater": p_value, "less": p_value}[alternative]
        below = law is wilson and not 0 < null < 1
        if below or not 1e-9 < one_sided < 0.5:
            continue  # the interval at such a level does not have the null at an end
        low, high = law.interval(1 - 2 * one_sided)
        assert min(abs(low - null), abs(high - null)) < 1e-8


def test_values_are_cut_at_the_ends_of_their_range() -> None:
    law = NormalLaw(0.9, 0.2, natural_scale(-math.inf, 1.0, 0.9))
    assert law.interval(0.95) == pytest.approx((0.9 - 1.959963984540054 * 0.2, 1.0))


def test_student_takes_the_place_of_the_normal_with_few_clusters() -> None:
    law = NormalLaw(0.0, 1.0, Scale(), freedom=4)
    assert law.interval(0.95)[1] == pytest.approx(stats.t.ppf(0.975, 4))
    assert law.p_value(-2.0, "greater") == pytest.approx(stats.t.sf(2.0, 4))


@pytest.mark.parametrize("scale", [Scale(0.0, 1.0), Scale(-1.0, 1.0), Scale(0.0), Scale(-1.0), Scale()])
def test_scales_go_there_and_back_and_their_slope_is_the_derivative(scale: Scale) -> None:
    value, step = 0.37, 1e-6
    assert scale.backward(scale.forward(value)) == pytest.approx(value, rel=1e-14)
    numeric = (scale.forward(value + step) - scale.forward(value - step)) / (2 * step)
    assert scale.slope(value) == pytest.approx(numeric, rel=1e-8)


def test_the_scale_keeps_an_interval_inside_its_range_and_steps_aside_at_the_end() -> None:
    assert natural_scale(0.0, 1.0, 0.99) == Scale(0.0, 1.0)
    assert natural_scale(0.0, 1.0, 1.0) == Scale()
    low, high = NormalLaw(0.98, 0.05, natural_scale(-1.0, 1.0, 0.98)).interval(0.999)
    assert -1 < low < high < 1


def test_posterior_tails_are_shares_of_draws() -> None:
    law = PosteriorLaw(0.5, np.arange(100) / 100)
    assert law.p_value(0.095, "greater") == pytest.approx(0.10)
    assert law.p_value(0.095, "two-sided") == pytest.approx(0.20)


def test_undefined_is_a_result_with_a_reason() -> None:
    table = ew.ContingencyTable.from_matrix([[90, 10], [0, 0]], rows="predicted", labels=["noun", "verb"])
    estimate = ew.estimate(table, "precision[verb]")
    assert math.isnan(estimate.value)
    assert math.isnan(estimate.interval().low)
    assert math.isnan(estimate.p_value())
    assert estimate.undefined == "no case was predicted as verb"
    assert estimate.to_dict()["value"] is None


def test_levels_and_alternatives_are_checked() -> None:
    estimate = ew.estimate(two_by_two(5, 1, 2, 4), "informedness")
    with pytest.raises(OptionError, match="between 0 and 1"):
        estimate.interval(95)
    with pytest.raises(OptionError, match="two-sided"):
        estimate.p_value(0.1, "both")
    with pytest.raises(OptionError, match="two-sided"):
        estimate.p_value(alternative="both")
    with pytest.raises(OptionError, match="Bootstrap"):
        ew.estimate(two_by_two(5, 1, 2, 4), "informedness", method="bootstrap")


@pytest.mark.parametrize("level", [0.0, 1.0, 1e-13, 1 - 1e-13, 1e-300, 95.0, float("nan")])
def test_a_level_at_0_or_1_is_refused(level: float) -> None:
    with pytest.raises(OptionError, match="confidence level"):
        check_level(level)


@pytest.mark.parametrize("level", [1e-12, 1 - 1e-12])
def test_levels_near_0_and_1_have_quantiles(level: float) -> None:
    check_level(level)
    assert 0 < normal_quantile(level) < 8
