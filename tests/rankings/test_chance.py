"""Which method finds a tail of average precision, what it certifies, and what it says about itself."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from edgeworth.core.test_results import SMALLEST_FLOAT
from edgeworth.errors import InputError, OptionError
from edgeworth.rankings.chance.exact import log_path_bound
from edgeworth.rankings.chance.hits import (
    RandomOrder,
    hit_rank,
    hits,
    joint_hit_ranks,
    random_ranks,
    random_sums,
)
from edgeworth.rankings.chance.law import average_precision
from edgeworth.rankings.chance.moments import harmonic_sums, precision_moments
from edgeworth.rankings.chance.tail_bounds import majorant_coefficients
from edgeworth.rankings.chance.tilting import log_transforms, saddle

# -- numbers of the mathematics' page ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("n", "m", "mean", "variance"),
    [
        (5, 2, Fraction(237, 400), Fraction(63769, 1440000)),
        (10, 3, Fraction(14581, 32400), Fraction(111587629, 3674160000)),
    ],
)
def test_published_moments_as_fractions(n: int, m: int, mean: Fraction, variance: Fraction) -> None:
    law = average_precision(n, m)
    assert (law.exact_mean, law.exact_variance) == (mean, variance)


def test_published_moments_as_floats() -> None:
    small, large = average_precision(100, 10), average_precision(3000, 245)
    assert small.mean == pytest.approx(0.13806706834217836, rel=1e-15)
    assert small.variance == pytest.approx(0.002875741378137822, rel=1e-15)
    assert (round(large.mean, 7), round(large.standard_deviation, 7)) == (0.0839889, 0.0056135)
    assert float(large.exact_variance) == pytest.approx(large.variance, rel=1e-15)


def test_published_tails() -> None:
    assert average_precision(10, 3).tail(0.8).exact == Fraction(1, 20)
    assert average_precision(10, 3).tail(Fraction(4, 5)).exact == Fraction(1, 20)
    law = average_precision(20, 5)
    assert law.tail(0.6).exact == Fraction(50, 969)


def test_the_mean_exceeds_the_share_of_targets_by_the_stated_amount() -> None:
    for n, m in [(2, 1), (9, 4), (40, 40), (250, 13)]:
        surplus = Fraction(n - m, n * (n - 1)) * (harmonic_sums(n, exact=True).first - 1)
        assert average_precision(n, m).exact_mean == Fraction(m, n) + surplus


# -- long lists ----------------------------------------------------------------------------------------


def test_series_for_long_lists_continue_the_sums() -> None:
    for length in (4097, 6000):
        t = range(1, length + 1)
        result = harmonic_sums(length, exact=False)
        first = [math.fsum(1 / k for k in t), math.fsum(1 / k**2 for k in t), math.fsum(1 / k**3 for k in t)]
        running = np.cumsum(1 / np.arange(1, length + 1, dtype=np.longdouble))
        mixed = float((running / np.arange(1, length + 1, dtype=np.longdouble) ** 2).sum())
        assert [float(result.first), float(result.second), float(result.third)] == pytest.approx(
            first, rel=1e-15
        )
        assert float(result.mixed) == pytest.approx(mixed, rel=1e-15)


def test_a_billion_items_cost_nothing() -> None:
    law = average_precision(10**9, 10**8)
    # H − 1 for 10⁹ is 20.300481502…
    surplus = (1 - 0.1) * 20.300481502347943 / (10**9 - 1)
    assert law.mean - 0.1 == pytest.approx(surplus, rel=1e-7)
    assert law.tail(law.mean).kind == "approximation"
    assert law.tail(law.mean).p_value == pytest.approx(0.5, abs=1e-3)
    far = law.tail(0.2)
    assert (far.kind, far.low, far.high) == ("bound", 0.0, SMALLEST_FLOAT)
    assert "below 1e-" in far.method
    assert average_precision(10**9, 10**9).tail(1.0).exact == 1
    assert average_precision(10**9, 1).tail(0.001).exact == Fraction(1, 10**6)


def test_draws_take_over_where_nothing_certain_reaches() -> None:
    law = average_precision(30_000, 30)
    tail = law.tail(0.0035, rng=5)
    assert tail.kind == "drawn"
    assert "seed 5" in tail.method
    assert tail.low < tail.p_value < tail.high
    again = np.concatenate(list(random_sums(RandomOrder(30_000, 30, 30_000), 20_000, 8)))
    error = math.sqrt(tail.p_value / len(again))
    assert abs((again >= 0.0035 * 30).mean() - tail.p_value) < 4.5 * error


# -- brackets ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [0.01, 0.3, 2.0, 9.0])
def test_graham_and_vaalers_functions_enclose_the_cut_exponential(ratio: float) -> None:
    count = 48
    j = np.arange(count)
    above, below = majorant_coefficients(ratio, j / count)
    x = np.concatenate([np.linspace(-20, 20, 4001), [-1e-9, 0.0, 1e-9]])
    waves = np.exp(2j * np.pi * np.outer(x, j) / count) * np.where(j > 0, 2, 1) / count
    repeated = np.exp(-ratio * np.mod(x, count)) / -np.expm1(-ratio * count)
    assert ((waves * above).real.sum(axis=1) >= repeated - 1e-12).all()
    before = np.exp(-ratio * count) / -np.expm1(-ratio * count)
    assert ((waves * below).real.sum(axis=1) <= np.where(x == 0, before, repeated) + 1e-12).all()


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(st.data())
def test_brackets_contain_the_exact_tail(data: st.DataObject) -> None:
    n = data.draw(st.integers(3, 24))
    m = data.draw(st.integers(2, min(n - 1, 8)))
    depth = data.draw(st.integers(1, n))
    law = average_precision(n, m, depth=depth)
    value = data.draw(st.fractions(0, Fraction(min(m, depth), m), max_denominator=40))
    for tail in (law.tail, law.lower_tail):
        exact, result = tail(value, method="exact").exact, tail(value, method="bracket")
        assert exact is not None
        assert result.low <= exact <= result.high
        assert result.p_value >= exact


@pytest.mark.parametrize(("n", "m", "depth"), [(35, 10, 35), (40, 8, 40), (41, 6, 20), (30, 15, 30)])
def test_brackets_are_narrow_where_the_law_is_smooth(n: int, m: int, depth: int) -> None:
    law = average_precision(n, m, depth=depth)
    for away in (-1.2, 0.0, 1.0, 2.0, 3.0, 4.5):
        value = law.mean + away * law.standard_deviation
        exact, result = law.tail(value, method="exact").exact, law.tail(value, method="bracket")
        assert exact is not None
        assert result.low <= exact <= result.high
        assert result.high - result.low < 0.03 * exact, away


@pytest.mark.slow
def test_tails_far_out_stay_narrow_and_never_become_zero() -> None:
    law = average_precision(400, 40)
    previous = 1.0
    for value in (0.12, 0.2, 0.3, 0.5, 0.7, 0.95):
        tail = law.tail(value)
        assert tail.kind == "bracket"
        assert 0 < tail.low <= tail.high < previous
        assert tail.high < 1.03 * tail.low
        previous = tail.low
    assert previous < 1e-40


def test_the_best_order_of_a_long_list_is_counted_even_where_floats_end() -> None:
    tail = average_precision(3000, 245).tail(1.0)
    assert tail.exact == Fraction(1, math.comb(3000, 245))
    assert (tail.low, tail.high, tail.p_value) == (0.0, SMALLEST_FLOAT, SMALLEST_FLOAT)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m", "depth"), [(60, 20, 60), (100, 6, 100), (150, 30, 40)])
def test_tails_fall_and_add_up(n: int, m: int, depth: int) -> None:
    law = average_precision(n, m, depth=depth)
    values = np.linspace(law.mean - 1.5 * law.standard_deviation, law.mean + 4 * law.standard_deviation, 4)
    tails = [law.tail(value) for value in values]
    for first, second in pairwise(tails):
        assert second.low <= first.high
    for value, tail in zip(values, tails, strict=True):
        lower = law.lower_tail(value)
        # The two overlap in the value itself, so together they hold at least everything.
        assert lower.high + tail.high >= 1
        assert lower.low + tail.low <= 1 + 1e-6 or tail.kind == "exact"


# -- draws ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "m"), [(7, 1), (6, 2), (12, 3), (5, 4)])
def test_every_set_of_ranks_is_as_likely_as_any_other(n: int, m: int) -> None:
    """Chi-square over all sets, at 1 in 100,000."""
    drawn = random_ranks(n, m, 20_000, np.random.default_rng(6))
    assert ((drawn >= 1) & (drawn <= n)).all()
    assert (np.diff(drawn, axis=1) > 0).all()
    counts = np.unique(drawn, axis=0, return_counts=True)[1]
    assert len(counts) == math.comb(n, m)
    assert stats.chisquare(counts).pvalue > 1e-5


@pytest.mark.parametrize(
    ("n", "m", "value"),
    [(30, 2, Fraction(3, 5)), (12, 3, Fraction(1, 8))],
)
def test_draws_agree_with_the_exact_tail(n: int, m: int, value: Fraction) -> None:
    law = average_precision(n, m)
    for tail in (law.tail, law.lower_tail):
        exact, result = tail(value, method="exact").exact, tail(value, method="drawn", rng=3)
        assert exact is not None
        assert result.kind == "drawn"
        assert abs(result.p_value - exact) < 4.5 * math.sqrt(float(exact * (1 - exact)) / 10**6) + 2e-6


def test_the_same_seed_gives_the_same_draws() -> None:
    law = average_precision(400, 2)
    first, second = (law.tail(0.1, method="drawn", rng=4) for _ in range(2))
    assert first == second
    assert first != law.tail(0.1, method="drawn", rng=5)


def test_plain_draws_have_the_moments_of_the_law() -> None:
    ranking = RandomOrder(50, 12, 30)
    drawn = np.concatenate(list(random_sums(ranking, 40_000, 2)))
    moments = precision_moments(50, 12, 30)
    error = math.sqrt(moments.variance / len(drawn))
    assert abs(drawn.mean() - float(moments.mean)) < 4.5 * error


# -- bounds and approximations -------------------------------------------------------------------------


@pytest.mark.slow
def test_bounds_hold() -> None:
    for n, m in [(20, 5), (30, 8), (40, 12)]:
        law = average_precision(n, m)
        for value in (0.3, 0.7, 0.95):
            assert law.tail(value, method="bound").high >= law.tail(value).low
    for value in (0.15, 0.8):
        certified = average_precision(500, 50).tail(value)
        assert math.log(certified.low) <= log_path_bound(RandomOrder(500, 50, 500), value * 50)
    assert log_path_bound(RandomOrder(10**6, 10**4, 10**6), 0.5 * 10**4) < -1000


@pytest.mark.slow
def test_edgeworth_is_better_than_the_normal_law_and_says_how_sure_it_is() -> None:
    law = average_precision(1000, 250)
    for away in (0.0, 2.0, 3.0):
        value = law.mean + away * law.standard_deviation
        exact = law.tail(value)
        assert exact.kind == "bracket"
        result, middle = law.tail(value, method="edgeworth"), (exact.low + exact.high) / 2
        assert abs(result.p_value - middle) < abs(stats.norm.sf(away) - middle)
        assert result.low <= exact.high
        assert exact.low <= result.high


@pytest.mark.parametrize(
    ("n", "m", "message"), [(500, 60, "random orders"), (1000, 500, "density"), (10**7, 10**5, "density")]
)
def test_bins_add_up_and_have_the_moments_of_the_law(n: int, m: int, message: str) -> None:
    law = average_precision(n, m)
    result = law.distribution()
    assert message in result.method
    assert result.probability.sum() == pytest.approx(1, abs=0.0011)
    middle, spread = (result.low + result.high) / 2, law.standard_deviation
    # Less than a thousandth is left out, and 20,000 draws have a standard error of a hundredth of the spread.
    mean = (middle * result.probability).sum() / result.probability.sum()
    assert abs(mean - law.mean) < 0.04 * spread
    variance = ((middle - mean) ** 2 * result.probability).sum()
    assert variance == pytest.approx(law.variance, rel=0.06)


@pytest.mark.parametrize("threshold", [0.8, 1.6, 3.0, 5.0, 9.0])
def test_the_tilt_is_as_good_as_the_best(threshold: float) -> None:
    ranking, moments = RandomOrder(100, 10, 100), precision_moments(100, 10, 100)
    mean, deviation = float(moments.mean), math.sqrt(moments.variance)
    point = saddle(ranking, threshold, mean, deviation)
    assert (point.tilt > 0) == (threshold > mean)
    tilts = np.linspace(-40, 40, 161)
    best = (log_transforms(ranking, tilts) - tilts * threshold).min()
    # Near the mean a little is given away for a shorter period.
    assert point.log_bound(threshold) <= best + 0.6


# -- edges ---------------------------------------------------------------------------------------------


def test_all_targets_always_give_one() -> None:
    for n in (1, 2, 7, 4000):
        law = average_precision(n, n)
        assert (law.mean, law.variance) == (1.0, 0.0)
        assert law.tail(1.0).exact == 1
        assert law.tail(0.5).exact == 1
        assert law.lower_tail(0.99).exact == 0
    assert average_precision(4, 4, depth=2).tail(0.5).exact == 1
    assert average_precision(4, 4, depth=2, over="reachable").tail(1.0).exact == 1


def test_one_target_is_uniform_on_the_ranks() -> None:
    law = average_precision(100, 1, depth=20)
    assert law.tail(0.25).exact == Fraction(4, 100)
    assert law.tail(0.01).exact == Fraction(20, 100)
    assert law.tail(0).exact == 1
    assert law.lower_tail(0).exact == Fraction(80, 100)
    assert law.lower_tail(Fraction(1, 3)).exact == Fraction(98, 100)


def test_values_outside_the_range() -> None:
    law = average_precision(10, 3)
    assert law.tail(1.1).exact == 0
    assert law.tail(-0.1).exact == 1
    assert law.lower_tail(-0.1).exact == 0
    assert law.lower_tail(2).exact == 1


def test_a_depth_beyond_the_list_is_the_list() -> None:
    assert average_precision(10, 3, depth=99) == average_precision(10, 3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: average_precision(10, 0), "undefined because there are no targets"),
        (lambda: average_precision(10, 11), "between 0 and 10; saw 11"),
        (lambda: average_precision(0, 0), "at least 1; saw 0"),
        (lambda: average_precision(10.5, 2), "whole number; saw 10.5"),
        (lambda: average_precision(True, True), "saw True"),
        (lambda: average_precision(10, 2, depth=0), "the depth must be at least 1"),
        (lambda: average_precision(10, 2).tail(math.nan), "saw nan"),
        (lambda: average_precision(10**6, 10).exact_mean, "up to 3000 ranks"),
        (lambda: hits(10, 3, 0), "the cut in a list of 10 items"),
        (lambda: hit_rank(10, 0, 1), "so no hit has a rank"),
        (lambda: hit_rank(10, 3, 4), "between 1 and 3; saw 4"),
        (lambda: joint_hit_ranks(10, 3, 2, 2), "must come before the second"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()  # type: ignore[operator]  # wrong on purpose


def test_bad_options_are_refused_in_a_sentence() -> None:
    law = average_precision(10, 3)
    with pytest.raises(OptionError, match="one of exact, bracket"):
        law.tail(0.5, method="guess")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(OptionError, match="seed"):
        law.tail(0.5, rng=-1)
    with pytest.raises(OptionError, match='"targets" or "reachable"'):
        average_precision(10, 3, over="hits")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(OptionError, match="cannot compute this tail"):
        average_precision(10**6, 10**3).tail(0.5, method="exact")


# -- hits ----------------------------------------------------------------------------------------------


def test_the_variance_of_hits_adds_variances_and_covariances() -> None:
    law = hits(3000, 245, 100)
    share = 245 / 3000
    variance = 100 * share * (1 - share) + 100 * 99 * share * (244 / 2999 - share)
    assert law.variance == pytest.approx(variance, rel=1e-12)


def test_hits_of_long_lists() -> None:
    law = hits(10**7, 10**5, 10**4)
    low, high = law.interval(0.95)
    assert law.lower_tail(low - 1).p_value <= 0.025 < law.lower_tail(low).p_value
    assert law.tail(high + 1).p_value <= 0.025 < law.tail(high).p_value
    assert sum(law.probability(h) for h in range(300)) == pytest.approx(1.0, rel=1e-7)
    assert 0 < law.tail(400).p_value < 1e-100
