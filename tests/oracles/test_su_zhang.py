"""Su & Zhang's simulation, judged exactly: how often bands of recall cover under random selection.

10,000 random orders of n = 3000 items with m = 245 targets were simulated for their table. The hits are
hypergeometric, so the coverage of a band needs no simulation: it is a finite sum.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln

import edgeworth as ew
from edgeworth.methods import Survival

ITEMS, TARGETS = 3000, 245
DEPTHS = (50, 100, 245, 500, 1500, 2500)
LEVELS = (0.80, 0.95)
SEED_COVERAGE = {
    0.80: (0.7407, 0.7763, 0.8014, 0.8206, 0.8208, 0.8197),
    0.95: (0.9241, 0.9160, 0.9406, 0.9563, 0.9538, 0.9541),
}
SEED_RUNS = 10_000
NEGLECTED = 1e-9
"""Outcomes less likely than this are not summed; together they weigh less than a hundred-thousandth."""


def log_choose(many: int, few: np.ndarray) -> np.ndarray:
    possible = (few >= 0) & (few <= many)
    chosen = np.where(possible, few, 0).astype(float)
    logs = gammaln(many + 1.0) - gammaln(chosen + 1) - gammaln(many - chosen + 1)
    return np.where(possible, logs, -np.inf)


def plausible_hits(items: int) -> np.ndarray:
    mean = items * TARGETS / ITEMS
    deviation = math.sqrt(mean * (1 - TARGETS / ITEMS) * (ITEMS - items) / (ITEMS - 1))
    low, high = math.floor(mean - 6 * deviation - 3), math.ceil(mean + 6 * deviation + 3)
    return np.arange(max(0, low), min(TARGETS, items, high) + 1)


@cache
def outcomes(depth: int) -> tuple[tuple[float, np.ndarray], ...]:
    """The hits that a population band at this depth depends on: a probability and a list that has them.

    By its definition it depends on the hits down to the depth t and on those between t − ⌈t/2⌉ and t + ⌈t/2⌉,
    whose joint law is multivariate hypergeometric.
    """
    half = math.ceil(depth / 2)
    start, end = depth - half, min(ITEMS, depth + half)
    parts = (start, depth - start, end - depth, ITEMS - end)
    first, second, third = np.meshgrid(*(plausible_hits(part) for part in parts[:3]), indexing="ij")
    counts = (first, second, third, TARGETS - first - second - third)
    logs = sum(log_choose(part, count) for part, count in zip(parts, counts, strict=True))
    probability = np.exp(logs - log_choose(ITEMS, np.array(TARGETS)))
    keys = (first + second) * (ITEMS + 1) + second + third
    values, sample, where = np.unique(keys.ravel(), return_index=True, return_inverse=True)
    sums = np.bincount(where, weights=probability.ravel(), minlength=len(values))
    # A list as an example: the likeliest has to exist, so the sample is taken among those that do.
    alive = np.flatnonzero(probability.ravel() > 0)
    sample[where[alive]] = alive
    edges = np.cumsum((0, *parts))
    results = []
    for index in np.flatnonzero(sums > NEGLECTED):
        hits = np.zeros(ITEMS, dtype=np.int8)
        for edge, count in zip(edges[:-1], counts, strict=True):
            hits[edge : edge + count.ravel()[sample[index]]] = 1
        results.append((float(sums[index]), hits))
    return tuple(results)


def covers(hits: np.ndarray, depth: int, level: float, method: str) -> bool:
    """Whether the band of recall, from the public function, holds depth/n: the expected recall."""
    band = ew.rankings.bands(ew.Ranking.from_hits(hits), depths=[depth], level=level, method=method)
    return bool(band.recall_low[0] <= depth / ITEMS <= band.recall_high[0])


def exact_coverage(depth: int, level: float) -> float:
    """P(the default band covers): a sum over the joint law of the hits down to the depth and around it."""
    return math.fsum(
        probability for probability, hits in outcomes(depth) if covers(hits, depth, level, "population")
    )


def exact_survival_coverage(depth: int, level: float) -> float:
    """P(the survival band covers): it depends on h(t) alone."""
    law, covered = stats.hypergeom(ITEMS, TARGETS, depth), 0.0
    for plausible_hit in plausible_hits(depth):
        hits = np.zeros(ITEMS, dtype=np.int8)
        hits[:plausible_hit] = 1
        hits[ITEMS - (TARGETS - plausible_hit) :] = 1
        covered += law.pmf(plausible_hit) * covers(hits, depth, level, "survival")
    return float(covered)


@pytest.mark.parametrize("depth", DEPTHS)
def test_the_outcomes_are_all_there_are(depth: int) -> None:
    assert math.fsum(probability for probability, _ in outcomes(depth)) == pytest.approx(1, abs=1e-5)
    mean = math.fsum(probability * hits[:depth].sum() for probability, hits in outcomes(depth))
    assert mean == pytest.approx(depth * TARGETS / ITEMS, rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
def test_default_bands_cover_better_than_the_published_ones(level: float) -> None:
    ours = [abs(exact_coverage(depth, level) - level) for depth in DEPTHS]
    theirs = [abs(coverage - level) for coverage in SEED_COVERAGE[level]]
    assert np.mean(ours) < np.mean(theirs)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("depth", DEPTHS)
def test_survival_bands_are_those_of_the_source(depth: int, level: float) -> None:
    # Their simulated coverage is a share of 10,000 runs around our exact one: four standard errors.
    exact = exact_survival_coverage(depth, level)
    published = SEED_COVERAGE[level][DEPTHS.index(depth)]
    assert abs(exact - published) < 4 * math.sqrt(exact * (1 - exact) / SEED_RUNS)


def test_the_survival_band_from_the_hypergeometric_law_alone() -> None:
    # The same coverage from h(t) and the formula r ± z √(r(1 − r)/m), without any list.
    for depth in DEPTHS:
        hits = np.arange(TARGETS + 1)
        recall = hits / TARGETS
        for level in LEVELS:
            reach = stats.norm.isf((1 - level) / 2) * np.sqrt(recall * (1 - recall) / TARGETS)
            inside = np.abs(recall - depth / ITEMS) <= reach
            exact = stats.hypergeom(ITEMS, TARGETS, depth).pmf(hits)[inside].sum()
            assert exact_survival_coverage(depth, level) == pytest.approx(exact, abs=1e-6)


def test_recall_of_the_source_under_random_selection() -> None:
    # Their true/empirical columns are means and deviations over 10,000 orders.
    published = {
        50: (0.01680, 0.00791),
        100: (0.03341, 0.01108),
        245: (0.08168, 0.01682),
        500: (0.16675, 0.02289),
        1500: (0.49948, 0.03052),
        2500: (0.83296, 0.02290),
    }
    for depth, (mean, deviation) in published.items():
        law = ew.chance.hits(ITEMS, TARGETS, depth)
        error = law.standard_deviation / TARGETS
        assert abs(mean - law.mean / TARGETS) < 4 * error / math.sqrt(SEED_RUNS)
        # The deviation of about normal draws has an error of deviation/√(2 · runs).
        assert abs(deviation - error) < 4 * error / math.sqrt(2 * SEED_RUNS)


def test_average_precision_of_the_source_under_random_selection() -> None:
    law = ew.chance.average_precision(ITEMS, TARGETS)
    assert round(law.mean, 5) == 0.08399
    assert round(math.sqrt(law.variance), 5) == 0.00561


def test_the_source_s_example() -> None:
    lists = {0.9167: [1, 1, 0, 1, 0, 0, 0, 0], 0.4667: [0, 1, 0, 0, 1, 1, 0, 0]}
    for value, hits in lists.items():
        assert round(ew.measure(ew.Ranking.from_hits(hits), "average_precision"), 4) == value


@pytest.mark.slow
def test_survival_intervals_of_average_precision_cover_better_than_published() -> None:
    # 2,500 orders: the share covered has an error of 0.0080 at 80% and 0.0044 at 95%. Published: 0.7642 and
    # 0.9320, which are 0.036 and 0.018 off.
    rng = np.random.default_rng(0)
    runs, truth = 2500, ew.chance.average_precision(ITEMS, TARGETS).mean
    covered = dict.fromkeys(LEVELS, 0)
    for _ in range(runs):
        hits = np.zeros(ITEMS, dtype=np.int8)
        hits[rng.choice(ITEMS, TARGETS, replace=False)] = 1
        estimate = ew.estimate(ew.Ranking.from_hits(hits), "average_precision", method=Survival())
        for level in LEVELS:
            covered[level] += truth in estimate.interval(level)
    published = {0.80: 0.7642, 0.95: 0.9320}
    for level in LEVELS:
        error = math.sqrt(level * (1 - level) / runs)
        # Closer to nominal than the published share, by more than two standard errors of this simulation.
        assert abs(covered[level] / runs - level) + 2 * error < abs(published[level] - level)
