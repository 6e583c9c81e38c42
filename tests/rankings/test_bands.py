"""Bands of recall and precision: by their formulas, over all orders of ties, and by how often they cover."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq
from statsmodels.stats.proportion import proportion_confint

import edgeworth as ew
from edgeworth.errors import OptionError

METHODS: tuple[Any, ...] = ("population", "survival")
hits_lists = st.lists(st.integers(0, 1), min_size=3, max_size=30)


def random_ranking(seed: int, size: int = 400) -> tuple[ew.Ranking, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(size) < 0.15).astype(int)
    scores = rng.normal(size=size) + truth
    return ew.Ranking.from_scores(truth, scores), truth[np.argsort(-scores)]


@given(hits_lists, st.integers(0, 3))
def test_recall_and_precision_at_every_depth(hits: list[int], unranked: int) -> None:
    assume(sum(hits) + unranked)
    ranking = ew.Ranking.from_hits(hits, unranked=unranked)
    depths = np.arange(1, len(hits) + 1)
    result = np.cumsum(hits)
    for method in METHODS:
        band = ew.rankings.bands(ranking, depths=depths, method=method)
        assert band.recall == pytest.approx(result / (sum(hits) + unranked), abs=1e-14)
        assert band.precision == pytest.approx(result / depths, abs=1e-14)


@given(hits_lists, st.integers(0, 2), st.booleans(), st.sampled_from(METHODS))
def test_bands_are_shares_around_the_curve_and_nested(
    hits: list[int], unranked: int, simultaneous: bool, method: Any
) -> None:
    assume(sum(hits) + unranked)
    ranking = ew.Ranking.from_hits(hits, unranked=unranked)
    depths = np.arange(1, len(hits) + 1)
    narrow, wide = (
        ew.rankings.bands(ranking, depths=depths, level=level, method=method, simultaneous=simultaneous)
        for level in (0.8, 0.99)
    )
    for band in (narrow, wide):
        assert np.isfinite([band.recall_low, band.recall_high]).all()
        assert (band.recall_low >= 0).all()
        assert (band.recall_high <= 1).all()
        assert (band.recall_low <= band.recall + 1e-12).all()
        assert (band.recall_high >= band.recall - 1e-12).all()
        assert (band.precision_high <= 1).all()
        assert (band.precision_low <= band.precision + 1e-12).all()
    assert (wide.recall_low <= narrow.recall_low + 1e-12).all()
    assert (wide.recall_high >= narrow.recall_high - 1e-12).all()


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_survival_band_by_its_formula(level: float) -> None:
    ranking, hits = random_ranking(1)
    depths = np.array([1, 7, 50, 200, 400])
    recall = np.cumsum(hits)[depths - 1] / hits.sum()
    reach = stats.norm.isf((1 - level) / 2) * np.sqrt(recall * (1 - recall) / hits.sum())
    band = ew.rankings.bands(ranking, depths=depths, level=level, method="survival")
    assert band.recall_low == pytest.approx(np.maximum(0, recall - reach))
    assert band.recall_high == pytest.approx(np.minimum(1, recall + reach))


def test_the_population_band_by_its_formula() -> None:
    # Depths at which the precision is moderate, so that nothing degenerates.
    ranking, hits = random_ranking(2)
    size, targets, quantile = len(hits), hits.sum(), stats.norm.isf(0.05)
    for depth in (40, 75, 120, 200):
        half = math.ceil(depth / 2)
        window = hits[depth - half : min(size, depth + half)]
        result, local = hits[:depth].sum(), window.mean()
        recall, fallout = result / targets, (depth - result) / (size - targets)
        # A cut that is kept at a depth gives up p of a target for each case that comes above it.
        variance = (1 - local) ** 2 * targets * recall * (1 - recall)
        variance += local**2 * (size - targets) * fallout * (1 - fallout)
        number = min(depth, targets)
        share = result / number
        trials = min(number**2 * share * (1 - share) / variance, number / (1 - number / size))
        # Wilson: the shares whose own standard error reaches the share seen.
        roots = np.roots([1 + quantile**2 / trials, -(2 * share + quantile**2 / trials), share**2])
        band = ew.rankings.bands(ranking, depths=[depth], level=0.9)
        expected = sorted(roots * number / targets)
        assert [band.recall_low[0], band.recall_high[0]] == pytest.approx(expected)


@pytest.mark.parametrize(("depth", "items", "targets"), [(300, 3000, 300), (600, 1200, 120), (90, 900, 100)])
def test_population_bands_know_the_hypergeometric_variance(depth: int, items: int, targets: int) -> None:
    # Hits spread evenly, as random selection has them on average: the width is the hypergeometric one.
    hits = np.zeros(items, dtype=int)
    hits[:: items // targets] = 1
    band = ew.rankings.bands(ew.Ranking.from_hits(hits), depths=[depth], level=0.1)
    quantile = stats.norm.isf(0.45)
    claimed = (band.recall_high[0] - band.recall_low[0]) / (2 * quantile)
    exact = ew.chance.hits(items, int(hits.sum()), depth).standard_deviation / hits.sum()
    # n against n − 1, and Wilson's own correction at so low a level.
    assert claimed == pytest.approx(exact, rel=0.01)


def test_the_simultaneous_band_is_kolmogorov_s() -> None:
    ranking, hits = random_ranking(3)
    for level in (0.8, 0.95):
        reach = stats.kstwobign.ppf(level) / math.sqrt(hits.sum())
        band = ew.rankings.bands(ranking, depths=[30, 200], level=level, simultaneous=True)
        recall = np.cumsum(hits)[[29, 199]] / hits.sum()
        assert band.recall_low == pytest.approx(np.maximum(0, recall - reach))
        assert band.recall_high == pytest.approx(np.minimum(1, recall + reach))
        assert "all depths" in band.method


def test_simultaneous_bands_cover_the_whole_curve() -> None:
    # Under random selection the curve is t/n. 600 runs: 90% has an error of 0.012; the band is wide there.
    rng = np.random.default_rng(4)
    runs, items, targets, covered = 600, 500, 60, 0
    for _ in range(runs):
        hits = rng.permutation(np.repeat([1, 0], [targets, items - targets]))
        band = ew.rankings.bands(ew.Ranking.from_hits(hits), level=0.9, simultaneous=True)
        truth = band.depth / items
        covered += bool(((band.recall_low <= truth) & (truth <= band.recall_high)).all())
    assert covered / runs >= 0.9 - 3 * math.sqrt(0.09 / runs)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.95, 0.5])
@pytest.mark.parametrize("depth", [1, 3, 10, 50])
def test_population_bands_cover_the_precision_at_the_top(share: float, depth: int) -> None:
    # The first 300 of 2000 are targets with probability ``share`` each, so precision at t is that. 800 runs:
    # the error of 95% is 0.0077. Few looks are discrete, so 90% is asked for, or what Wilson's interval of t
    # independent looks reaches (at 3 looks and a share of 0.95 that is 0.857), less 3.3 errors.
    looks = stats.binom(depth, share)
    intervals = [stats.binomtest(hits, depth).proportion_ci(0.95, "wilson") for hits in range(depth + 1)]
    wilson = sum(looks.pmf(hits) for hits, (low, high) in enumerate(intervals) if low <= share <= high)
    wanted = min(0.90, float(wilson))
    rng = np.random.default_rng(5)
    runs, covered = 800, 0
    for _ in range(runs):
        hits = np.concatenate([rng.random(300) < share, rng.random(1700) < 0.01]).astype(int)
        band = ew.rankings.bands(ew.Ranking.from_hits(hits), depths=[depth])
        covered += bool(band.precision_low[0] <= share <= band.precision_high[0])
    assert covered / runs >= wanted - 3.3 * math.sqrt(wanted * (1 - wanted) / runs)


@pytest.mark.slow
@pytest.mark.parametrize("distance", [1.0, 3.0])
def test_population_bands_cover_good_rankings_and_are_no_wider_than_needed(distance: float) -> None:
    # Normal scores: the cut that leaves t of all cases on average has a known recall. 500 runs: the error of
    # 95% is 0.01; up to 99% a band is only discrete, and bands that always cover are too wide.
    size, targets, depths = 569, 212, np.array([93, 150, 212, 300])
    scores = np.linspace(-8.0, distance + 8.0, 100_001)
    taken = targets * stats.norm.sf(scores - distance) + (size - targets) * stats.norm.sf(scores)
    truth = stats.norm.sf(np.interp(-depths, -taken, scores) - distance)
    rng, runs = np.random.default_rng(6), 500
    covered = np.zeros(len(depths))
    actual = np.repeat([1, 0], [targets, size - targets])
    for _ in range(runs):
        drawn = ew.Ranking.from_scores(actual, rng.normal(size=size) + distance * actual)
        band = ew.rankings.bands(drawn, depths=depths)
        covered += (band.recall_low <= truth) & (truth <= band.recall_high)
    assert (covered / runs >= 0.95 - 3 * 0.01).all()
    assert (covered / runs <= 0.99).all()


def test_one_miss_does_not_tear_the_band() -> None:
    hits = np.repeat([1, 0, 1, 0], [80, 1, 119, 369])
    band = ew.rankings.bands(ew.Ranking.from_hits(hits), depths=np.arange(1, 150))
    assert np.abs(np.diff(band.recall_low)).max() < 0.02
    assert np.abs(np.diff(band.recall_high)).max() < 0.01


def test_ties_are_taken_in_random_order() -> None:
    truth, scores = [1, 0, 1, 0, 0, 1], [3.0, 2, 2, 2, 1, 1]
    ranking = ew.Ranking.from_scores(truth, scores)
    curves = []
    for order in itertools.permutations(range(6)):
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order)):
            curves.append(np.cumsum([truth[index] for index in order]))
    band = ew.rankings.bands(ranking, depths=np.arange(1, 7))
    assert band.recall == pytest.approx(np.mean(curves, axis=0) / 3)


def test_at_the_ends_the_band_is_still_open() -> None:
    band = ew.rankings.bands(ew.Ranking.from_hits([0] * 20 + [1] * 5 + [0] * 20), depths=[5, 45])
    assert (band.recall_low[0], band.recall[0]) == (0, 0)
    assert band.recall_high[0] > 0.1
    assert (band.recall_high[1], band.recall[1]) == (1, 1)


def test_depths_are_chosen_when_none_are_given() -> None:
    short = ew.rankings.bands(ew.Ranking.from_hits([1, 0, 1, 0]))
    assert short.depth.tolist() == [1, 2, 3, 4]
    long = ew.rankings.bands(ew.Ranking.from_hits(np.arange(5000) % 7 == 0))
    assert (long.depth[0], long.depth[-1]) == (1, 5000)
    assert 100 < len(long.depth) <= 400
    assert (np.diff(long.depth) >= 1).all()


@pytest.mark.parametrize("depths", [[0], [11], [-3, 2], [[1, 2]], 3, [math.nan], [math.inf]])
def test_depths_that_are_none_are_refused(depths: Any) -> None:
    with pytest.raises(OptionError, match="depths must lie between 1 and 10"):
        ew.rankings.bands(ew.Ranking.from_hits([1] * 4 + [0] * 6), depths=depths)


def test_what_has_no_band_says_so() -> None:
    with pytest.raises(OptionError, match="at least one target"):
        ew.rankings.bands(ew.Ranking.from_hits([0, 0, 0]))
    weighted = ew.Ranking.from_scores([1, 0, 1], [0.9, 0.5, 0.1], weights=[0.5, 1.5, 1.0])
    with pytest.raises(OptionError, match="whole cases"):
        ew.rankings.bands(weighted)
    ranking = ew.Ranking.from_hits([1, 0, 1])
    with pytest.raises(OptionError, match="population"):
        ew.rankings.bands(ranking, method="wilson")  # type: ignore[arg-type]  # wrong on purpose
    for level in (0, 1, 95):
        with pytest.raises(OptionError, match="level"):
            ew.rankings.bands(ranking, level=level)


def test_bounds_of_precision_solve_their_equation() -> None:
    """Each bound q has (q − s)² = z² (q(1 − q) + (1 − t/n)(s − p)²)/t; without a drop it is Wilson's."""
    rng = np.random.default_rng(4)
    hits = (rng.random(200) < np.linspace(0.9, 0.0, 200)).astype(int)
    depths = np.array([8.0, 20.0, 60.0, 150.0])
    band = ew.rankings.bands(ew.Ranking.from_hits(hits), depths=depths)
    share = np.cumsum(hits)[depths.astype(int) - 1] / depths
    starts, ends = (depths / 2).astype(int), np.minimum(200, 1.5 * depths).astype(int)
    around = np.array([hits[start:end].mean() for start, end in zip(starts, ends, strict=True)])
    drop = (1 - depths / 200) * (share - around) ** 2
    for bound in (band.precision_low, band.precision_high):
        is_inside = (bound > 0) & (bound < 1)
        expected = 1.959963984540054**2 / depths * (bound * (1 - bound) + drop)
        assert is_inside.any()
        assert ((bound - share) ** 2)[is_inside] == pytest.approx(expected[is_inside], rel=1e-9)
    level = ew.rankings.bands(ew.Ranking.from_hits([1, 0] * 40), depths=[20, 40])
    assert level.precision_low == pytest.approx(proportion_confint([10, 20], [20, 40], method="wilson")[0])


@pytest.mark.slow
@pytest.mark.parametrize(("cases", "prevalence"), [(150, 0.1), (400, 0.05)])
def test_bands_of_a_short_top_of_targets_cover(cases: int, prevalence: float) -> None:
    """Nearly all of the first ten are targets, and right below them few are: the cut decides."""
    rng, runs, covered = np.random.default_rng(cases), 2000, 0

    def selected(cut: float) -> float:
        return float(prevalence * stats.norm.sf(cut - 3) + (1 - prevalence) * stats.norm.sf(cut))

    cut = brentq(lambda x: selected(x) - 10 / cases, -5, 9)
    expected = prevalence * stats.norm.sf(cut - 3) / (10 / cases)
    for _ in range(runs):
        truth = rng.random(cases) < prevalence
        ranking = ew.Ranking.from_scores(truth, rng.normal(size=cases) + 3 * truth)
        band = ew.rankings.bands(ranking, depths=[10])
        covered += bool(band.precision_low[0] <= expected <= band.precision_high[0])
    # Wilson's interval without the drop at the cut covers 88% to 89%.
    assert covered / runs >= 0.91
