"""Planned sizes reach their power: statsmodels, enumeration and seeded simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower  # type: ignore[import-untyped]  # it has no stubs

from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.labels.differences import label_differences
from edgeworth.comparisons.paired import Paired
from edgeworth.comparisons.paired_values.differences import value_difference
from edgeworth.comparisons.planning import (
    SampleSizePlan,
    mcnemar_cases_needed,
    mcnemar_power,
    swap_cases_needed,
    units_needed,
)
from edgeworth.core.sampling_distributions import BootstrapLaw, NormalLaw, Scale
from edgeworth.errors import OptionError


def difference(value: float, error: float, cases: float, freedom: float = math.inf) -> Difference:
    law = NormalLaw(value, error, Scale(), freedom)
    return Difference("informedness", "A", "B", (0.5 + value, 0.5), law=law, cases=cases)


@pytest.mark.parametrize("effect", [0.05, 0.2, 0.5, 1.0, 2.0])
@pytest.mark.parametrize(("level", "power"), [(0.95, 0.8), (0.99, 0.9), (0.9, 0.5)])
def test_student_s_t_needs_what_statsmodels_says(effect: float, level: float, power: float) -> None:
    cases = 30
    result = units_needed(
        difference(-effect, 1 / math.sqrt(cases), cases, cases - 1.0), level=level, power=power
    )
    theirs = TTestPower().solve_power(effect_size=effect, alpha=1 - level, power=power)
    assert result.needed == math.ceil(float(theirs))
    # The differences have a standard deviation of 1. Their power, as their solver stops at five digits.
    reached = TTestPower().power(result.detectable, cases, 1 - level)
    assert float(reached) == pytest.approx(power, rel=1e-9)


def test_a_normal_law_needs_what_its_formula_says() -> None:
    # (1.959964 + 0.841621)² · (0.02/0.03)² · 400 = 1395.3
    result = units_needed(difference(0.03, 0.02, 400))
    assert result.needed == 1396
    assert result.more == 996
    assert result.detectable == pytest.approx(2.801585 * 0.02, rel=1e-6)
    assert result.to_dict()["more"] == 996
    assert units_needed(difference(0.03, 0.002, 400)).more == 0
    assert units_needed(difference(0.03, 0.02, 400).mirror()) == result


def test_the_power_is_reached_by_new_samples() -> None:
    rng = np.random.default_rng(1)
    # A sample whose mean and spread are exactly 0.03 and 0.12: what it plans for is then known.
    seen = rng.normal(size=60)
    seen = 0.03 + 0.12 * (seen - seen.mean()) / seen.std(ddof=1)
    result = units_needed(value_difference(0.5 + seen, np.full(60, 0.5), measure="ndcg"))
    runs = 20_000
    drawn = rng.normal(0.03, 0.12, (runs, int(result.needed)))
    shown = np.mean(stats.ttest_1samp(drawn, 0.0, axis=1).pvalue <= 0.05)
    # A standard error of 0.0028.
    assert shown == pytest.approx(0.8, abs=0.01)
    drawn = rng.normal(result.detectable, 0.12, (runs, 60))
    shown = np.mean(stats.ttest_1samp(drawn, 0.0, axis=1).pvalue <= 0.05)
    assert shown == pytest.approx(0.8, abs=0.01)


def test_no_difference_needs_infinitely_many_and_no_law_is_not_known() -> None:
    none = units_needed(difference(0.0, 0.02, 100))
    assert math.isinf(none.needed)
    assert math.isinf(none.more)
    assert none.detectable > 0
    assert none.to_dict()["needed"] is None
    same = value_difference([0.5, 0.25], [0.5, 0.25], measure="ndcg")
    assert math.isinf(units_needed(same).needed)
    fixed = value_difference([0.5, 0.25], [0.4, 0.15], measure="ndcg")
    assert math.isnan(units_needed(fixed).needed)
    assert math.isnan(units_needed(fixed).more)
    undefined = Difference("f", "A", "B", (math.nan, 0.2), undefined="no targets", cases=10)
    assert math.isnan(units_needed(undefined).needed)


def test_any_law_with_an_interval_will_do() -> None:
    draws = np.random.default_rng(0).normal(0.05, 0.02, 4000)
    law = BootstrapLaw(0.05, draws)
    result = units_needed(Difference("f", "A", "B", (0.55, 0.5), law=law, cases=200))
    assert result.needed == pytest.approx(200 * (2.8016 * 0.02 / 0.05) ** 2, rel=0.1)


# -- McNemar -------------------------------------------------------------------------------------------


def enumerated_power(cases: int, share: float, majority: float, level: float) -> float:
    """Over every number of disagreements and every split of it, scipy's test."""
    total = 0.0
    for number in range(cases + 1):
        rejected = [k for k in range(number + 1) if number and stats.binomtest(k, number).pvalue <= 1 - level]
        split = sum(stats.binom.pmf(k, number, majority) for k in rejected)
        total += float(stats.binom.pmf(number, cases, share) * split)
    return total


@pytest.mark.parametrize(
    ("cases", "share", "majority", "level"),
    [
        (3, 0.5, 0.9, 0.95),
        (12, 0.4, 0.8, 0.95),
        (25, 0.9, 0.75, 0.9),
        (30, 1.0, 0.7, 0.95),
        (20, 0.3, 1.0, 0.8),
    ],
)
def test_the_power_of_mcnemar_s_test_is_enumeration(
    cases: int, share: float, majority: float, level: float
) -> None:
    expected = enumerated_power(cases, share, majority, level)
    assert mcnemar_power(cases, share, majority, level=level) == pytest.approx(expected, rel=1e-9, abs=1e-14)


def test_mcnemar_s_planned_cases_reach_the_power() -> None:
    result = mcnemar_cases_needed(40, 22, 500)
    rng = np.random.default_rng(2)
    number = rng.binomial(int(result.needed), 62 / 500, 40_000)
    wins = rng.binomial(number, 40 / 62)
    p_values = 2 * stats.binom.cdf(np.minimum(wins, number - wins), number, 0.5)
    # A standard error of 0.002; the exact test's power goes up in steps.
    assert np.mean(p_values <= 0.05) == pytest.approx(0.8, abs=0.01)
    assert mcnemar_power(result.needed, 62 / 500, 40 / 62) >= 0.8
    assert mcnemar_power(0.97 * result.needed, 62 / 500, 40 / 62) < 0.8
    # What 500 cases could show: with that much to detect, 500 are what is needed.
    majority = (1 + result.detectable / (62 / 500)) / 2
    assert mcnemar_power(500, 62 / 500, majority) == pytest.approx(0.8, abs=1e-6)
    assert mcnemar_cases_needed(22, 40, 500) == result


def test_mcnemar_s_extremes() -> None:
    assert math.isinf(mcnemar_cases_needed(0, 0, 50).needed)
    even = mcnemar_cases_needed(9, 9, 100)
    assert math.isinf(even.needed)
    assert math.isfinite(even.detectable)
    few = mcnemar_cases_needed(2, 1, 10)
    # Ten cases of which three in ten are in dispute never show much: at least six disagreements are needed.
    assert math.isnan(few.detectable)
    assert few.needed > 100
    assert mcnemar_cases_needed(5010, 5000, 10**6).needed > 10**8


def test_options_are_checked() -> None:
    with pytest.raises(OptionError, match="power lies between 0 and 1; saw 80"):
        units_needed(difference(0.1, 0.1, 10), power=80)
    with pytest.raises(OptionError, match="confidence level"):
        units_needed(difference(0.1, 0.1, 10), level=95)
    assert SampleSizePlan(10, 5, 0.8, 0.95, 0.1).more == 0


@pytest.mark.parametrize(("value", "error"), [(1e-200, 1e-40), (1e-9, 1e200), (1e-9, 1e308), (1e9, 1e-300)])
def test_a_difference_of_hardly_any_size_needs_without_end(value: float, error: float) -> None:
    """The number is beyond floats; it is no fault."""
    result = units_needed(difference(value, error, 50))
    assert result.needed == (math.inf if value < 1 else math.ceil(1 - math.log2(0.05)))


def test_informedness_with_one_disagreement_is_planned_for_its_randomisation_test() -> None:
    """As many cases as McNemar's test needs: the swaps of one class are its coins."""
    truth = np.arange(100) % 2
    one = np.where(np.arange(100) < 20, 1 - truth, truth)
    two = one.copy()
    two[50] = 1 - two[50]
    differences = label_differences(Paired.from_labels(truth, {"one": one, "two": two}), "one", "two")
    plan = units_needed(differences["informedness"])
    assert plan.needed == units_needed(differences["accuracy"]).needed == 790
    assert units_needed(differences["informedness"].mirror()).needed == plan.needed


def test_amounts_of_two_sizes_reach_their_power() -> None:
    """Targets are 20%, so a disagreement on one weighs four times as much: swaps of both, by simulation."""
    amounts, cases = {4: 3, -4: 1, 1: 4, -1: 2}, 100
    plan = swap_cases_needed(amounts, 0.1, cases)
    rng, runs = np.random.default_rng(4), 4000
    values = np.array([*amounts, 0])
    shares = np.array([*amounts.values(), cases - sum(amounts.values())]) / cases
    sums = rng.multinomial(int(plan.needed), shares, size=runs)
    swapped = rng.choice([-1.0, 1.0], size=(400, int(plan.needed)))
    shown = 0
    for counts in sums[:400]:
        item = np.repeat(values, counts).astype(float)
        shown += np.mean(np.abs(swapped @ item) >= abs(item.sum()) - 1e-9) <= 0.05
    # A standard error of 0.02.
    assert shown / 400 == pytest.approx(0.8, abs=0.06)
    assert 0 < plan.detectable < 1


def test_amounts_without_a_lead_have_no_plan() -> None:
    assert swap_cases_needed({}, 0.0, 100).needed == math.inf
    assert swap_cases_needed({4: 1, -1: 4}, 0.0, 100).needed == math.inf
    # Two in 100 disagree: at least six must, with a power of 80%.
    few = swap_cases_needed({4: 1, 1: 1}, 0.05, 100).needed
    assert stats.binom.sf(5, few, 0.02) >= 0.8
