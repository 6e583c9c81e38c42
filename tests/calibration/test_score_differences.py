"""Seeded: intervals of paired rankings cover as often as they say; equal systems are seldom told apart."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import integrate, stats

from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.comparisons.scores.differences import score_difference
from edgeworth.comparisons.scores.influence import distances, resolve_measure
from edgeworth.comparisons.scores.resampling import SwappedRanks
from edgeworth.methods import Bootstrap
from edgeworth.rankings.intervals.methods import Places, influence_of

LOW, HIGH = 0.935, 0.965
SPELLINGS = ("roc_auc", "average_precision")

# -- equal systems -------------------------------------------------------------------------------------------

# With 2,500 runs a share of 5% has a standard error of 0.0044: 4 to 6% is 2.3 of them.
MANY = 2500
SWAPS = 19
"""With so many, a difference is found at 5% where it is farther from 0 than all swaps: one time in twenty."""

EQUAL = [
    ("average_precision", 200, 20, 1.0, 0.95),
    ("average_precision", 200, 60, 0.0, 0.95),
    ("average_precision", 200, 100, 2.0, 0.95),
    ("roc_auc", 200, 20, 2.0, 0.95),
    ("roc_auc", 200, 100, 2.0, 0.5),
]
"""Measure, cases, targets, strength d of both systems (targets N(d, 1), background N(0, 1)), correlation.

Student's t with the same standard errors finds a difference in 1.2, 2.1, 0.9, 2.3 and 3.6% of these.
"""


def studied(spelling: str, truth: NDArray[np.bool_], ranks: tuple[Any, Any]) -> NDArray[np.float64]:
    """Distances from no difference in many pairs of rankings, a row each; ranks count from the best, 0."""
    outline = PairedScores.from_scores([True, False], {"A": [1.0, 0.0], "B": [0.0, 1.0]})
    resolved = resolve_measure(outline, spelling)[0]
    rows, size = ranks[0].shape
    values, effects = [], []
    for rank in ranks:
        predicted = np.where(truth, rank, size + rank)
        flat = (predicted + np.arange(rows)[:, None] * (3 * size + 1)).ravel()
        counts = np.bincount(flat, minlength=rows * (3 * size + 1)).reshape(rows, -1).astype(np.float64)
        influence = influence_of(Places.of_counts(counts, size), resolved)
        values.append(influence.value)
        effects.append(np.take_along_axis(influence.concatenate(), predicted, axis=1))
    first, second, between = ((item**2).sum(axis=1) for item in (*effects, effects[0] - effects[1]))
    result = distances((values[0], values[1]), (first, second, between), spelling != "roc_auc")
    return np.asarray(result, dtype=np.float64)


@pytest.mark.parametrize(("spelling", "size", "targets", "strength", "shared"), EQUAL)
def test_equal_systems_are_told_apart_one_time_in_twenty(
    spelling: str, size: int, targets: int, strength: float, shared: float
) -> None:
    """The test to go by, its swaps made for many samples at once."""
    rng = np.random.default_rng([size, targets, int(10 * strength), int(100 * shared)])
    truth = np.arange(size) < targets
    together, rejected = 50, 0
    for _ in range(MANY // together):
        common = math.sqrt(shared) * rng.standard_normal((together, size))
        one, two = (
            (common + math.sqrt(1 - shared) * rng.standard_normal((together, size)) + strength * truth)
            .argsort(axis=1)
            .argsort(axis=1)[:, None]
            for _ in range(2)
        )
        swap = rng.random((together, 1 + SWAPS, size)) < 0.5
        swap[:, 0] = False
        ranks = [size - 1 - np.where(s, two, one).reshape(-1, size) for s in (swap, ~swap)]
        result = studied(spelling, truth, (ranks[0], ranks[1])).reshape(together, -1)
        rejected += int((result[:, 0] >= result[:, 1:].max(axis=1)).sum())
    assert 0.04 <= rejected / MANY <= 0.06


# -- by the front door ---------------------------------------------------------------------------------------


def sample(
    rng: np.random.Generator, size: int, prevalence: float, strengths: tuple[float, float], shared: float
) -> tuple[Any, dict[str, Any]]:
    truth = rng.random(size) < prevalence
    common = math.sqrt(shared) * rng.normal(size=size)
    scores = {
        name: common + math.sqrt(1 - shared) * rng.normal(size=size) + strength * truth
        for name, strength in zip("AB", strengths, strict=True)
    }
    return truth, scores


@cache
def population(prevalence: float, strength: float) -> dict[str, float]:
    """Average precision ∫ precision(s) f(s) ds over the targets' scores, and ROC area Φ(d/√2)."""

    def precision(score: float) -> float:
        hits = prevalence * stats.norm.sf(score - strength)
        return float(
            hits / (hits + (1 - prevalence) * stats.norm.sf(score)) * stats.norm.pdf(score - strength)
        )

    result = integrate.quad(precision, strength - 8, strength + 8, limit=500)[0]
    return {"average_precision": result, "roc_auc": float(stats.norm.cdf(strength / math.sqrt(2)))}


# Coverage of 95% in 600 runs has a standard error of 0.0089: 93.5 to 96.5% is 1.7 of them.
RUNS = 600
UNEQUAL = [(200, 0.3, (1.0, 1.0), 0.95), (200, 0.3, (1.5, 1.0), 0.7)]


@pytest.mark.parametrize(("size", "prevalence", "strengths", "shared"), UNEQUAL)
def test_intervals_of_a_difference_cover_it(
    size: int, prevalence: float, strengths: tuple[float, float], shared: float
) -> None:
    rng = np.random.default_rng([size, int(10 * strengths[0])])
    values = [population(prevalence, strength)["average_precision"] for strength in strengths]
    covered = 0
    for run in range(RUNS):
        paired = PairedScores.from_scores(*sample(rng, size, prevalence, strengths, shared))
        difference = score_difference(paired, "A", "B", "average_precision", permutations=99, seed=run)
        covered += values[0] - values[1] in difference.interval(0.95)
    assert LOW <= covered / RUNS <= HIGH, covered


def test_groups_are_the_sample() -> None:
    # 80 groups of 6 cases of one class that share half of their noise. 500 runs have an error of 0.0097;
    # taken as 480 independent cases, intervals would cover about 75%.
    runs, number = 500, 80
    rng = np.random.default_rng(11)
    groups = np.repeat(np.arange(number), 6)
    truth = groups % 2 == 0
    covered, loose = 0, 0
    for _ in range(runs):
        scores = {
            name: rng.normal(size=number)[groups] + rng.normal(size=len(groups)) + truth
            for name in ("A", "B")
        }
        paired = PairedScores.from_scores(truth, scores, clusters=groups)
        covered += 0 in score_difference(paired, "A", "B", "roc_auc", permutations=0).interval(0.95)
        alone = PairedScores.from_scores(truth, scores)
        loose += 0 in score_difference(alone, "A", "B", "roc_auc", permutations=0).interval(0.95)
    assert 0.92 <= covered / runs <= 0.98
    assert loose / runs < 0.85


def test_sampling_weights_are_taken_into_account() -> None:
    # Background is kept one time in four and weighted back.
    runs, size, prevalence, strengths = 500, 3000, 0.1, (1.3, 1.0)
    rng = np.random.default_rng(12)
    covered = dict.fromkeys(SPELLINGS, 0)
    for _ in range(runs):
        truth, scores = sample(rng, size, prevalence, strengths, 0.5)
        kept = truth | (rng.random(size) < 0.25)
        chosen = {name: column[kept] for name, column in scores.items()}
        paired = PairedScores.from_scores(truth[kept], chosen, weights=np.where(truth[kept], 1.0, 4.0))
        for spelling in SPELLINGS:
            values = [population(prevalence, strength)[spelling] for strength in strengths]
            covered[spelling] += values[0] - values[1] in score_difference(
                paired, "A", "B", spelling
            ).interval(0.95)
    for spelling, count in covered.items():
        assert 0.92 <= count / runs <= 0.98, spelling


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_swapping_exchangeable_systems_holds_its_level(spelling: str) -> None:
    runs = 400
    rng = np.random.default_rng(13)
    p_values = []
    for _ in range(runs):
        truth, scores = sample(rng, 200, 0.2, (1.0, 1.0), 0.6)
        paired = PairedScores.from_scores(truth, scores)
        resolved = resolve_measure(paired, spelling)[0]
        swapped = SwappedRanks.of(paired, "A", "B", resolved, 99, 0, studentised=False)
        p_values.append(swapped.tail.p_value)
    for level in (0.05, 0.2, 0.5):
        error = math.sqrt(level * (1 - level) / runs)
        assert abs((np.array(p_values) <= level).mean() - level) <= 3 * error, level


def test_the_bootstrap_covers() -> None:
    runs = 150
    rng = np.random.default_rng(14)
    covered = 0
    for _ in range(runs):
        truth, scores = sample(rng, 300, 0.4, (1.4, 1.0), 0.6)
        paired = PairedScores.from_scores(truth, scores)
        values = [population(0.4, strength)["average_precision"] for strength in (1.4, 1.0)]
        method = Bootstrap(draws=150, rng=1)
        difference = score_difference(paired, "A", "B", "average_precision", method=method, permutations=0)
        covered += values[0] - values[1] in difference.interval(0.95)
    # 150 runs have an error of 0.018.
    assert 0.9 <= covered / runs <= 0.995
