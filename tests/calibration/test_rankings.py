"""Seeded: intervals of rankings cover as often as they say, tests of chance reject as seldom as they say."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import edgeworth as ew
from edgeworth.methods import Bootstrap

RUNS = 1500
# With 1,500 runs the share covered has a standard error of 0.0056 at 95%; 0.935 to 0.965 is 2.7 of them. A
# cell whose true coverage is 95% fails by chance once in 140 seeds; the seeds are fixed.
LOW, HIGH = 0.935, 0.965
CELLS = [(500, 0.1, 1.0), (1000, 0.5, 0.5), (1000, 0.1, 2.0), (400, 0.3, 1.0)]
"""Cases, prevalence and strength d: background N(0, 1), targets N(d, 1)."""


@cache
def population(prevalence: float, strength: float) -> dict[str, float]:
    """Average precision ∫ precision(s) f(s) ds over the targets' scores, and ROC area Φ(d/√2)."""

    def precision(score: float) -> float:
        hits = prevalence * stats.norm.sf(score - strength)
        return float(hits / (hits + (1 - prevalence) * stats.norm.sf(score)))

    result = integrate.quad(
        lambda score: precision(score) * stats.norm.pdf(score - strength),
        strength - 8,
        strength + 8,
        limit=500,
    )[0]
    return {"average_precision": result, "roc_auc": float(stats.norm.cdf(strength / math.sqrt(2)))}


def sample(rng: np.random.Generator, size: int, prevalence: float, strength: float) -> ew.Ranking:
    truth = rng.random(size) < prevalence
    return ew.Ranking.from_scores(truth, rng.normal(size=size) + strength * truth)


@pytest.mark.parametrize("spelling", ["average_precision", "roc_auc"])
@pytest.mark.parametrize(("size", "prevalence", "strength"), CELLS)
def test_influence_covers(size: int, prevalence: float, strength: float, spelling: str) -> None:
    truth = population(prevalence, strength)[spelling]
    rng = np.random.default_rng(size + int(10 * strength))
    covered = sum(
        truth in ew.estimate(sample(rng, size, prevalence, strength), spelling).interval(0.95)
        for _ in range(RUNS)
    )
    assert LOW <= covered / RUNS <= HIGH


def test_influence_covers_with_sampling_weights() -> None:
    # Background is kept one time in four and weighted back: about 400 targets and 900 others. 800 runs have
    # an error of 0.0077; 3.2 of them either way.
    runs, size, prevalence, strength = 800, 4000, 0.1, 1.0
    truth, covered = population(prevalence, strength), dict.fromkeys(("average_precision", "roc_auc"), 0)
    rng = np.random.default_rng(3)
    for _ in range(runs):
        is_target = rng.random(size) < prevalence
        kept = is_target | (rng.random(size) < 0.25)
        scores = (rng.normal(size=size) + strength * is_target)[kept]
        weights = np.where(is_target[kept], 1.0, 4.0)
        ranking = ew.Ranking.from_scores(is_target[kept], scores, weights=weights)
        for spelling in covered:
            covered[spelling] += truth[spelling] in ew.estimate(ranking, spelling).interval(0.95)
    for spelling, count in covered.items():
        assert 0.925 <= count / runs <= 0.975, spelling


def subuniform(p_values: list[float], runs: int) -> None:
    """P(p ≤ α) is at most α, with 3.3 standard errors allowed at each of five levels."""
    values = np.array(p_values)
    assert ((values > 0) & (values <= 1)).all()
    for level in (0.01, 0.05, 0.1, 0.25, 0.5):
        error = math.sqrt(level * (1 - level) / runs)
        assert (values <= level).mean() <= level + 3.3 * error, level


@pytest.mark.parametrize(("items", "targets"), [(8, 1), (8, 3), (9, 4), (7, 6)])
@pytest.mark.parametrize("spelling", ["average_precision", "roc_auc"])
def test_tests_of_random_selection_are_exact_in_small_lists(items: int, targets: int, spelling: str) -> None:
    # No simulation: over all equally likely orders, P(p ≤ α) is α at every p-value there is.
    orders = [np.isin(np.arange(items), places) for places in combinations(range(items), targets)]
    estimates = [ew.estimate(ew.Ranking.from_hits(hits), spelling) for hits in orders]
    alternative: Any
    for alternative in ("greater", "less", "two-sided"):
        p_values = np.array([estimate.p_value(alternative=alternative) for estimate in estimates])
        for level in np.unique(p_values):
            share = (p_values <= level * (1 + 1e-9)).mean()
            if alternative == "two-sided":
                assert share <= level + 1e-9
            else:
                assert share == pytest.approx(level, rel=1e-9)


@pytest.mark.parametrize(("items", "targets", "runs"), [(60, 5, 150), (200, 30, 50)])
def test_the_test_of_average_precision_holds_in_longer_lists(items: int, targets: int, runs: int) -> None:
    rng = np.random.default_rng(items + 1)
    p_values = []
    for _ in range(runs):
        hits = rng.permutation(np.repeat([1, 0], [targets, items - targets]))
        estimate = ew.estimate(ew.Ranking.from_hits(hits), "average_precision")
        p_values.append(estimate.p_value(alternative="greater"))
    subuniform(p_values, runs)
    # And no less than uniform where values are so many: Kolmogorov's test at one in a thousand.
    assert stats.kstest(p_values, "uniform").pvalue > 0.001


@pytest.mark.parametrize("levels", [3, 10])
def test_ties_do_not_make_the_test_reject_more(levels: int) -> None:
    rng = np.random.default_rng(levels)
    runs = 200
    p_values: dict[str, list[float]] = {"average_precision": [], "roc_auc": []}
    for _ in range(runs):
        truth = rng.permutation(np.repeat([1, 0], [6, 18]))
        ranking = ew.Ranking.from_scores(truth, rng.integers(0, levels, 24).astype(float))
        for spelling, result in p_values.items():
            result.append(ew.estimate(ranking, spelling).p_value(alternative="greater"))
    for spelling, result in p_values.items():
        for level in (0.01, 0.05, 0.1):
            share = (np.array(result) <= level).mean()
            assert share <= level + 3.3 * math.sqrt(level * (1 - level) / runs), spelling


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("spelling", ["average_precision", "roc_auc"])
@pytest.mark.parametrize("sizes", [(1, 11, 28), (1, 6, 2, 31)])
def test_heavy_ties_and_few_targets_reject_no_more_than_they_say(
    sizes: tuple[int, ...], spelling: str, alternative: Any
) -> None:
    # No simulation: every way to put 8 targets into groups of tied items, with its probability. The law of
    # orders without ties rejected 6.8% of (1, 11, 28) by average precision, the normal law 10.3% of the other
    # by ROC area. Where a p-value lies beside 5% the 9,999 draws may put it on either side.
    rejected = 0.0
    for hits in product(*(range(min(size, 8) + 1) for size in sizes)):
        if sum(hits) == 8:
            truth = [k < many for size, many in zip(sizes, hits, strict=True) for k in range(size)]
            ranking = ew.Ranking.from_scores(truth, -np.repeat(np.arange(len(sizes)), sizes))
            ways = math.prod(math.comb(*pair) for pair in zip(sizes, hits, strict=True))
            p_value = ew.estimate(ranking, spelling).p_value(alternative=alternative)
            rejected += (p_value <= 0.05) * ways / math.comb(40, 8)
    assert rejected <= 0.05


def test_the_test_of_the_roc_area_is_uniform() -> None:
    rng = np.random.default_rng(5)
    runs = 800
    p_values = []
    for _ in range(runs):
        hits = rng.permutation(np.repeat([1, 0], [15, 35]))
        estimate = ew.estimate(ew.Ranking.from_hits(hits), "roc_auc")
        p_values.append(estimate.p_value(alternative="greater"))
    subuniform(p_values, runs)
    assert (np.array(p_values) <= 0.05).mean() >= 0.05 - 3.3 * math.sqrt(0.0475 / runs) - 0.005


def lists_of(rng: np.random.Generator, number: int, items: int, strength: float) -> ew.RankedLists:
    """Lists with ten targets each and a strength of their own."""
    truth = np.tile(np.repeat([1, 0], [10, items - 10]), number)
    own = np.repeat(rng.normal(strength, 0.5, number), items)
    return ew.RankedLists.from_scores(
        truth, rng.normal(size=len(truth)) + own * truth, groups=np.repeat(np.arange(number), items)
    )


@pytest.mark.parametrize("number", [10, 40])
def test_student_s_interval_over_lists_covers(number: int) -> None:
    rng = np.random.default_rng(number)
    # The mean over 20,000 lists stands for the population's: its error is a hundredth of an interval's.
    truth = ew.measure(lists_of(rng, 20_000, 40, 1.0), "average_precision")
    covered = sum(
        truth in ew.estimate(lists_of(rng, number, 40, 1.0), "average_precision").interval(0.95)
        for _ in range(RUNS)
    )
    assert LOW <= covered / RUNS <= HIGH


def test_the_chance_test_of_lists_is_uniform(monkeypatch: pytest.MonkeyPatch) -> None:
    from edgeworth.rankings import estimates as ranking_testing

    # 199 draws a test instead of 9,999: (1 + count)/(1 + draws) is valid however few.
    monkeypatch.setattr(ranking_testing, "MAX_STEPS_DRAWN", 1)
    rng = np.random.default_rng(7)
    runs, p_values = 80, []
    for run in range(runs):
        truth = rng.random(60) < 0.3
        truth[::20] = True
        lists = ew.RankedLists.from_scores(truth, rng.random(60), groups=np.repeat([0, 1, 2], 20))
        estimate = ew.estimate(lists, "average_precision", rng=run)
        p_values.append(estimate.p_value(alternative="greater"))
    # The first item of each list is always a target, but its score is as random as any other.
    subuniform(p_values, runs)
    assert stats.kstest(p_values, "uniform").pvalue > 0.001


def test_draws_of_random_orders_reject_as_seldom_as_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    from edgeworth.rankings import estimates as ranking_testing

    monkeypatch.setattr(ranking_testing, "MAX_DRAWS", 199)
    rng = np.random.default_rng(8)
    runs, p_values = 400, []
    for run in range(runs):
        hits = rng.permutation(np.repeat([1, 0], [6, 34]))
        estimate = ew.estimate(ew.Ranking.from_hits(hits), "ndcg", method=Bootstrap(draws=2), rng=run)
        p_values.append(estimate.p_value(alternative="greater"))
    subuniform(p_values, runs)
    assert stats.kstest(p_values, "uniform").pvalue > 0.001
