"""The law of a difference of two values: formulas written out, and intervals and tests that agree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from edgeworth.comparisons.scores.sampling_distributions import ScoreDifferenceLaw, Side
from edgeworth.core.sampling_distributions import MAX_NORMAL_QUANTILE
from edgeworth.rankings.intervals.methods import separated_area_bound, separated_precision_bound

LAWS = st.builds(
    lambda one, two, error, other, correlation, freedom, is_area: ScoreDifferenceLaw(
        Side(one, error, 80.0, 300.0, is_area),
        Side(two, other, 80.0, 300.0, is_area),
        correlation,
        math.sqrt(error**2 + other**2 - 2 * correlation * error * other),
        freedom,
    ),
    st.floats(0.1, 0.9),
    st.floats(0.1, 0.9),
    st.floats(0.01, 0.05),
    st.floats(0.01, 0.05),
    st.floats(-0.5, 0.9),
    st.sampled_from([3.0, 20.0, math.inf]),
    st.booleans(),
)


def logit_bounds(value: float, error: float, quantile: float) -> tuple[float, float]:
    middle, reach = math.log(value / (1 - value)), quantile * error / (value * (1 - value))
    return tuple(1 / (1 + math.exp(-x)) for x in (middle - reach, middle + reach))  # type: ignore[return-value]  # two


@given(law=LAWS, level=st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_the_interval_is_its_formula(law: ScoreDifferenceLaw, level: float) -> None:
    one, two = law.first, law.second
    quantile = stats.t.ppf(0.5 + level / 2, law.freedom)
    if one.is_area:
        expected = np.clip(law.value + quantile * law.standard_error * np.array([-1, 1]), -1, 1)
    else:
        (l1, u1), (l2, u2) = (logit_bounds(side.value, side.error, quantile) for side in (one, two))
        down, other_down, up, other_up = one.value - l1, u2 - two.value, u1 - one.value, two.value - l2
        reach = [
            math.sqrt(a * a + b * b - 2 * law.correlation * a * b)
            for a, b in ((down, other_down), (up, other_up))
        ]
        expected = np.array([max(law.value - reach[0], -1), min(law.value + reach[1], 1)])
    assert law.interval(level) == pytest.approx(tuple(expected), abs=1e-12)


@given(law=LAWS, null=st.floats(-0.3, 0.3))
def test_a_null_just_inside_has_the_p_value_of_its_level(law: ScoreDifferenceLaw, null: float) -> None:
    p_value = law.p_value(null, "two-sided")
    assert 0 <= p_value <= 1
    if 1e-6 < p_value < 0.999:
        low, high = law.interval(1 - p_value)
        # Values that go together have a difference whose bounds do not reach everywhere.
        is_out_of_reach = law.distance(null) == MAX_NORMAL_QUANTILE and not low <= null <= high
        assert is_out_of_reach or any(bound == pytest.approx(null, abs=1e-7) for bound in (low, high))
    one_sided: list[Any] = ["greater", "less"]
    tails = [law.p_value(null, alternative) for alternative in one_sided]
    assert sum(tails) == pytest.approx(1)
    assert min(1.0, 2 * min(tails)) == pytest.approx(p_value)


@given(law=LAWS)
def test_at_the_difference_itself_nothing_is_surprising(law: ScoreDifferenceLaw) -> None:
    assert law.p_value(law.value, "two-sided") == 1


@pytest.mark.parametrize("is_area", [False, True])
def test_a_separated_ranking_has_its_binomial_bound(is_area: bool) -> None:
    perfect, other = Side(1.0, 0.0, 40.0, 90.0, is_area), Side(0.7, 0.03, 40.0, 90.0, is_area)
    bound = (separated_area_bound if is_area else separated_precision_bound)(40.0, 90.0, 0.95)
    law = ScoreDifferenceLaw(perfect, other, 0.0, 0.03, math.inf)
    below, above = logit_bounds(0.7, 0.03, stats.norm.isf(0.025))
    low, high = law.interval(0.95)
    assert low == pytest.approx(0.3 - math.hypot(1 - bound, above - 0.7), abs=1e-12)
    assert high == pytest.approx(0.3 + (0.7 - below), abs=1e-12)


def test_a_worthless_area_mirrors_a_perfect_one() -> None:
    worthless, perfect = (Side(value, 0.0, 40.0, 90.0, True) for value in (0.0, 1.0))
    bound = separated_area_bound(40.0, 90.0, 0.9)
    assert worthless.bounds(stats.norm.isf(0.05), 0.05) == pytest.approx((0.0, 1 - bound))
    assert perfect.bounds(stats.norm.isf(0.05), 0.05) == pytest.approx((bound, 1.0))
    law = ScoreDifferenceLaw(perfect, worthless, 0.0, 0.0, math.inf)
    assert law.interval(0.9) == pytest.approx((1 - math.sqrt(2) * (1 - bound), 1.0))


def test_far_from_the_ends_the_bent_interval_is_the_plain_one() -> None:
    sides = [Side(value, 0.001, 80.0, 300.0, False) for value in (0.52, 0.48)]
    error = math.sqrt(2 * 0.001**2 * (1 - 0.3))
    law = ScoreDifferenceLaw(sides[0], sides[1], 0.3, error, math.inf)
    reach = stats.norm.isf(0.025) * error
    assert law.interval(0.95) == pytest.approx((0.04 - reach, 0.04 + reach), abs=1e-6)
