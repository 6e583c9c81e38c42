"""Laws of chance for rankings, against every order of targets and background counted as fractions."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import comb

import numpy as np
import pytest
from scipy import stats

from edgeworth.common.choices import Over
from edgeworth.rankings.chance.exact import probability_beyond, value_counts
from edgeworth.rankings.chance.hits import RandomOrder, hit_rank, hits, joint_hit_ranks
from edgeworth.rankings.chance.law import average_precision
from edgeworth.rankings.chance.moments import precision_moments


@cache
def every_order(n: int, m: int) -> tuple[tuple[int, ...], ...]:
    """The ranks of the targets, for every order."""
    return tuple(itertools.combinations(range(1, n + 1), m))


@cache
def sums(n: int, m: int, depth: int) -> tuple[Fraction, ...]:
    """W = Σ i/T_i over the hits within the depth, for every order."""
    unit = int(np.lcm.reduce(np.arange(1, 13)))
    whole = (
        sum(i * unit // rank for i, rank in enumerate(ranks, 1) if rank <= depth)
        for ranks in every_order(n, m)
    )
    return tuple(Fraction(value, unit) for value in whole)


def share(n: int, m: int, depth: int, condition: Callable[[Fraction], bool]) -> Fraction:
    values = sums(n, m, depth)
    return Fraction(sum(map(condition, values)), len(values))


def central_moments(values: np.ndarray) -> tuple[Fraction, Fraction, Fraction]:
    """Mean, variance and third central moment of whole numbers, exactly."""
    many = len(values)
    first, second, third = (Fraction(int((values**power).sum()), many) for power in (1, 2, 3))
    return first, second - first**2, third - 3 * first * second + 2 * first**3


@pytest.mark.parametrize("n", range(1, 13))
def test_moments_equal_enumeration_for_every_number_of_targets_and_every_depth(n: int) -> None:
    unit = int(np.lcm.reduce(np.arange(1, n + 1)))
    for m in range(1, n + 1):
        ranks = np.array(every_order(n, m), dtype=object)
        gains = np.arange(1, m + 1, dtype=object) * unit // ranks
        for depth in range(1, n + 1):
            mean, variance, third = central_moments(np.where(ranks <= depth, gains, 0).sum(axis=1))
            result = precision_moments(n, m, depth, exact=True)
            assert (result.mean, result.variance) == (mean / unit, variance / unit**2), (m, depth)
            assert result.third == third / unit**3, (m, depth)


@pytest.mark.parametrize("over", ["targets", "reachable"])
def test_average_precision_at_a_depth_is_divided_as_asked(over: Over) -> None:
    for n, m, depth in itertools.product([6, 7], [1, 3, 5], [1, 2, 4, 6, 9]):
        law = average_precision(n, m, depth=depth, over=over)
        divisor = m if over == "targets" else min(m, depth)
        values = [value / divisor for value in sums(n, m, min(depth, n))]
        mean = sum(values) / Fraction(len(values))
        assert law.exact_mean == mean
        assert law.exact_variance == sum((value - mean) ** 2 for value in values) / Fraction(len(values))
        assert law.mean == pytest.approx(float(mean), rel=1e-15)
        assert law.tail(values[0]).exact == Fraction(sum(v >= values[0] for v in values), len(values))


@pytest.mark.slow
@pytest.mark.parametrize("n", range(1, 10))
def test_exact_tails_equal_enumeration_at_and_beside_every_value(n: int) -> None:
    hair = Fraction(1, 10**20)
    for m, depth in itertools.product(range(1, n + 1), range(1, n + 1)):
        law = average_precision(n, m, depth=depth)
        values = sums(n, m, depth)
        for value in sorted(set(values))[:: max(1, len(set(values)) // 12)]:
            at_least = share(n, m, depth, lambda w, v=value: w >= v)
            at_most = share(n, m, depth, lambda w, v=value: w <= v)
            assert law.tail(value / m).exact == at_least, (m, depth, value)
            assert law.lower_tail(value / m).exact == at_most, (m, depth, value)
            assert law.tail(value / m + hair).exact == 1 - at_most, (m, depth, value)
            assert law.lower_tail(value / m - hair).exact == 1 - at_least, (m, depth, value)
            # A float is not the value itself, and means it.
            assert law.tail(float(value / m)).exact == at_least, (m, depth, value)
            assert law.lower_tail(float(value / m)).exact == at_most, (m, depth, value)


@pytest.mark.parametrize(("n", "m", "depth"), [(9, 4, 9), (10, 3, 5), (11, 6, 8), (12, 5, 1), (8, 8, 4)])
def test_the_whole_law_equals_enumeration(n: int, m: int, depth: int) -> None:
    values = sums(n, m, depth)
    result = average_precision(n, m, depth=depth).distribution()
    expected = [(w / m, Fraction(values.count(w), len(values))) for w in sorted(set(values))]
    assert result.exact == tuple(expected)
    np.testing.assert_array_equal(result.low, result.high)
    np.testing.assert_allclose(result.probability.sum(), 1.0, rtol=1e-12)


def test_counting_by_python_integers_equals_counting_by_machine_integers() -> None:
    """A list of 60 ranks no longer fits into 64 bits; with few targets it can be enumerated all the same."""
    n, m = 60, 3
    values = [sum(Fraction(i, rank) for i, rank in enumerate(ranks, 1)) for ranks in every_order(n, m)]
    for threshold in [Fraction(1, 2), Fraction(7, 6), Fraction(2)]:
        expected = Fraction(sum(value >= threshold for value in values), len(values))
        assert probability_beyond(RandomOrder(n, m, n), threshold) == expected
    result, ways = value_counts(RandomOrder(n, m, n), most=10**9)
    assert result == sorted(set(values))
    assert sum(ways) == comb(n, m) * (ways[0] // values.count(result[0]))


@pytest.mark.parametrize(("n", "m"), [(1, 0), (1, 1), (6, 0), (7, 3), (9, 9), (12, 5)])
def test_hits_equal_enumeration_and_scipy(n: int, m: int) -> None:
    for t in range(1, n + 1):
        law = hits(n, m, t)
        counts = [sum(rank <= t for rank in ranks) for ranks in every_order(n, m)]
        mean = Fraction(sum(counts), len(counts))
        assert law.exact_mean == mean
        assert law.exact_variance == sum((count - mean) ** 2 for count in counts) / Fraction(len(counts))
        for h in range(-1, n + 2):
            assert law.probability(h) == pytest.approx(counts.count(h) / len(counts), rel=1e-14)
            at_least, at_most = (sum(f(c) for c in counts) / len(counts) for f in (h.__le__, h.__ge__))
            assert law.tail(h).p_value == pytest.approx(at_least, rel=1e-12)
            assert law.lower_tail(h).p_value == pytest.approx(at_most, rel=1e-12)
        for level in (0.5, 0.8, 0.95, 0.99):
            low, high = law.interval(level)
            expected = stats.hypergeom(n, m, t).ppf([(1 - level) / 2, (1 + level) / 2])
            assert [low, high] == list(expected), (t, level)


@pytest.mark.parametrize(("n", "m"), [(5, 1), (7, 3), (9, 9), (10, 6)])
def test_ranks_of_hits_equal_enumeration(n: int, m: int) -> None:
    orders = every_order(n, m)
    for j in range(1, m + 1):
        law, ranks = hit_rank(n, m, j), [order[j - 1] for order in orders]
        mean = Fraction(sum(ranks), len(ranks))
        assert law.exact_mean == mean
        assert law.exact_variance == sum((rank - mean) ** 2 for rank in ranks) / Fraction(len(ranks))
        for k in range(-1, n + 3):
            assert law.probability(k) == pytest.approx(ranks.count(k) / len(ranks), rel=1e-14)
            at_least, at_most = (sum(f(r) for r in ranks) / len(ranks) for f in (k.__le__, k.__ge__))
            assert law.tail(k).p_value == pytest.approx(at_least, rel=1e-12)
            assert law.lower_tail(k).p_value == pytest.approx(at_most, rel=1e-12)
        for i in range(1, j):
            pairs = [(order[i - 1], order[j - 1]) for order in orders]
            joint = joint_hit_ranks(n, m, i, j)
            for s, t in itertools.product(range(n + 2), repeat=2):
                assert joint.probability(s, t) == pytest.approx(pairs.count((s, t)) / len(pairs), rel=1e-14)
            product = Fraction(sum(s * t for s, t in pairs), len(pairs))
            assert joint.exact_covariance == product - hit_rank(n, m, i).exact_mean * mean


@pytest.mark.parametrize(("first", "second"), [(2, 5), (3, 3), (5, 1), (1, 7)])
def test_the_covariance_of_hits_at_two_depths_is_that_of_all_orders(first: int, second: int) -> None:
    orders = list(itertools.combinations(range(1, 8), 3))
    pairs = [[sum(rank <= depth for rank in order) for depth in (first, second)] for order in orders]
    product, one, other = (
        Fraction(sum(values), len(orders))
        for values in ([a * b for a, b in pairs], *zip(*pairs, strict=True))
    )
    assert hits(7, 3, first).covariance(second) == pytest.approx(float(product - one * other))
