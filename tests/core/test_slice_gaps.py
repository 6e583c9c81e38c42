"""Gaps between disjoint estimates: the laws that they are made of."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import edgeworth as ew
from edgeworth.core.measures import Combination
from edgeworth.core.sampling_distributions import (
    GapLaw,
    NewcombeLaw,
    NormalLaw,
    Scale,
    mirror_law,
    outer_interval,
    unmirror,
)
from edgeworth.core.slice_gaps import MeanMoments, SkewedMeansLaw, exchange_test


def proportion(hits: float, trials: float) -> Combination:
    return Combination(0.0, np.ones(1), np.array([hits]), np.array([trials]))


def test_two_proportions_have_the_bounds_of_newcombe() -> None:
    """Newcombe 1998, table II, method 10: four published intervals."""
    published = {
        ((56, 70), (48, 80)): (0.0524, 0.3339),
        ((9, 10), (3, 10)): (0.1705, 0.8090),
        ((5, 56), (0, 29)): (-0.0381, 0.1926),
        ((0, 10), (0, 20)): (-0.1611, 0.2775),
    }
    for ((first, first_of), (second, second_of)), bounds in published.items():
        laws = NewcombeLaw(proportion(first, first_of)), NewcombeLaw(proportion(second, second_of))
        law = GapLaw((first / first_of, second / second_of), *laws)
        assert law.interval(0.95) == pytest.approx(bounds, abs=6e-5)


def test_a_p_value_is_the_level_at_which_the_interval_reaches_the_null() -> None:
    law = GapLaw((0.8, 0.6), *two_proportions())
    for null in (0.0, 0.1, 0.3):
        p_value = law.p_value(null, "two-sided")
        assert min(abs(bound - null) for bound in law.interval(1 - p_value)) < 1e-4


def test_a_mirrored_law_has_the_same_bounds_with_the_other_sign() -> None:
    for law in (NewcombeLaw(proportion(1, 12)), GapLaw((0.8, 0.6), *two_proportions())):
        mirrored = mirror_law(law)
        assert mirror_law(mirrored) is law
        assert unmirror(mirrored) == (law, True)
        for level in (0.9, 0.9999):
            low, high = law.outer_interval(level)
            assert outer_interval(mirrored, level) == (-high, -low)
        assert mirrored.p_value(-0.5, "less") == law.p_value(0.5, "greater")


def two_proportions() -> tuple[NewcombeLaw, NewcombeLaw]:
    return NewcombeLaw(proportion(56, 70)), NewcombeLaw(proportion(48, 80))


def test_a_correlation_narrows_the_interval_as_that_of_paired_values() -> None:
    first, second = NormalLaw(1.0, 0.3, Scale(), 20), NormalLaw(0.5, 0.4, Scale(), 30)
    law = GapLaw((1.0, 0.5), first, second, correlation=0.6)
    assert law.standard_error == pytest.approx(np.sqrt(0.09 + 0.16 - 2 * 0.6 * 0.12))
    reach = stats.t.ppf(0.975, 20) * law.standard_error
    assert law.interval(0.95) == pytest.approx((0.5 - reach, 0.5 + reach))


@pytest.mark.parametrize("classes", [1, 2, 3])
def test_the_exchange_test_counts_all_outcomes(classes: int) -> None:
    """By brute force over the hypergeometric laws of all classes."""
    hits, trials = np.array([4.0, 7.0, 2.0])[:classes], np.array([9.0, 8.0, 6.0])[:classes]
    other_hits, others = np.array([10.0, 5.0, 9.0])[:classes], np.array([14.0, 11.0, 10.0])[:classes]
    weights = np.full(classes, 1 / classes)
    test = exchange_test(
        Combination(0.0, weights, hits, trials), Combination(0.0, weights, other_hits, others)
    )
    grids = np.meshgrid(*(np.arange(n + 1) for n in trials), indexing="ij")
    chance, gap = np.ones(grids[0].shape), np.zeros(grids[0].shape)
    for grid, own, n, other, m, weight in zip(grids, hits, trials, other_hits, others, weights, strict=True):
        chance = chance * stats.hypergeom.pmf(grid, int(n + m), int(own + other), int(n))
        gap = gap + weight * (grid / n - (own + other - grid) / m)
    seen = abs(float(weights @ (hits / trials - other_hits / others)))
    same = abs(abs(gap) - seen) < 1e-9
    wanted = chance[(abs(gap) > seen) & ~same].sum() + chance[same].sum() / 2
    assert test is not None
    assert test.p_value == pytest.approx(wanted, rel=1e-6)


def test_halls_transformation_is_its_own_inverse_and_lengthens_the_skewed_side() -> None:
    rng = np.random.default_rng(1)
    parts = [MeanMoments.of(rng.lognormal(0, 1, n), np.ones(n)) for n in (60, 540)]
    law = SkewedMeansLaw.of(*parts)
    assert law is not None
    assert law.skewness > 0
    low, high = law.interval(0.95)
    for bound in (low, high):
        assert law.p_value(bound, "two-sided") == pytest.approx(0.05, abs=1e-9)
    # A small sample of skewed values tends to lie below its mean.
    assert high - law.value > law.value - low


def test_a_ranking_and_its_mirror_have_opposite_gaps() -> None:
    rng = np.random.default_rng(2)
    truth, scores = rng.integers(0, 2, 400), rng.normal(size=400)
    scores += truth * np.where(np.arange(400) < 200, 0.5, 1.5)
    report = ew.evaluate(truth=truth, score=scores, by=np.repeat(["a", "b"], 200), positive=1)
    first, second = report.numbers["slices"]["slices"]
    assert first["slice"] == "a"
    assert first["gap"] == pytest.approx(-second["gap"])
    assert first["p_value"] == pytest.approx(second["p_value"], rel=1e-4)


def test_clusters_that_are_in_both_ranked_slices_make_them_dependent() -> None:
    """Each row is in both slices: the gap is 0, and bounds of fully correlated estimates are subtracted."""
    rng = np.random.default_rng(3)
    truth, cluster = rng.integers(0, 2, 300), np.repeat(np.arange(30), 10)
    scores = rng.normal(size=300) + truth
    twice = [np.concatenate([x, x]) for x in (truth, scores, cluster)]
    report = ew.evaluate(
        truth=twice[0], score=twice[1], cluster=twice[2], by=np.repeat(["a", "b"], 300), positive=1
    )
    row = report.numbers["slices"]["slices"][0]
    assert row["cases"] == 30
    assert row["gap"] == 0
    ranking = ew.Ranking.from_scores(truth, scores, positive=1, clusters=cluster)
    low, high = ew.estimate(ranking, "roc_auc").interval()
    assert row["gap_high"] == pytest.approx(abs(high + low - 2 * row["value"]), rel=1e-3)
    assert row["gap_low"] == pytest.approx(-row["gap_high"])
