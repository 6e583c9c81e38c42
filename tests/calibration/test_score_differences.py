"""Seeded: intervals of paired rankings cover as often as they say; equal systems are seldom told apart."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

import edgeworth as ew
from edgeworth.inference.comparing.scores.score_differences import score_difference
from edgeworth.tallies.paired_scores import PairedScores

RUNS = 1000
# The share covered has a standard error of .0069 at 95%: 93.5 to 96.5%, which is asked for, is 2.2 of them.
# Rejections of 4 to 6% are asked for, 1.45 of them, so that a test that holds its level would miss them with
# one seed in seven; what is held here is 2.2 of them for both.
LOW, HIGH = 0.935, 0.965
EQUAL = [(200, 0.5, 1.0, 0.7), (1000, 0.1, 1.0, 0.7), (600, 0.5, 2.0, 0.0), (500, 0.3, 0.5, 0.9)]
"""Cases, prevalence, strength d of both systems (targets N(d, 1), background N(0, 1)), and correlation."""
UNEQUAL = [(200, 0.5, (1.5, 1.0), 0.7), (1000, 0.1, (1.5, 1.0), 0.7), (600, 0.3, (2.5, 1.5), 0.5)]
SPELLINGS = ("roc_auc", "average_precision")


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

    found = integrate.quad(precision, strength - 8, strength + 8, limit=500)[0]
    return {"average_precision": found, "roc_auc": float(stats.norm.cdf(strength / math.sqrt(2)))}


@pytest.mark.parametrize(("size", "prevalence", "strength", "shared"), EQUAL)
def test_equal_systems_are_told_apart_one_time_in_twenty(
    size: int, prevalence: float, strength: float, shared: float
) -> None:
    rng = np.random.default_rng([size, int(100 * shared)])
    rejected, covered = dict.fromkeys(SPELLINGS, 0), dict.fromkeys(SPELLINGS, 0)
    for _ in range(RUNS):
        truth, scores = sample(rng, size, prevalence, (strength, strength), shared)
        paired = PairedScores.from_scores(truth, scores)
        for spelling in SPELLINGS:
            found = score_difference(paired, "A", "B", spelling, permutations=0)
            rejected[spelling] += found.p_value() <= 0.05
            covered[spelling] += 0 in found.interval(0.95)
    for spelling in SPELLINGS:
        assert LOW <= covered[spelling] / RUNS <= HIGH, (spelling, covered)
        assert 1 - HIGH <= rejected[spelling] / RUNS <= 1 - LOW, (spelling, rejected)


@pytest.mark.parametrize(("size", "prevalence", "strengths", "shared"), UNEQUAL)
def test_intervals_of_a_difference_cover_it(
    size: int, prevalence: float, strengths: tuple[float, float], shared: float
) -> None:
    rng = np.random.default_rng([size, int(10 * strengths[0])])
    covered = dict.fromkeys(SPELLINGS, 0)
    for _ in range(RUNS):
        truth, scores = sample(rng, size, prevalence, strengths, shared)
        paired = PairedScores.from_scores(truth, scores)
        for spelling in SPELLINGS:
            values = [population(prevalence, strength)[spelling] for strength in strengths]
            found = score_difference(paired, "A", "B", spelling, permutations=0)
            covered[spelling] += values[0] - values[1] in found.interval(0.95)
    for spelling in SPELLINGS:
        assert LOW <= covered[spelling] / RUNS <= HIGH, (spelling, covered)


def test_groups_are_the_sample() -> None:
    # 80 groups of 6 cases of one class that share half of their noise. 500 runs have an error of .0097; taken
    # as 480 independent cases, intervals would cover about 75%.
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
        paired = PairedScores.from_scores(truth, scores, groups=groups)
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
        p_values.append(score_difference(paired, "A", "B", spelling, permutations=99).p_value("permutation"))
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
        method = ew.Bootstrap(draws=150, seed=1)
        found = score_difference(paired, "A", "B", "average_precision", method=method, permutations=0)
        covered += values[0] - values[1] in found.interval(0.95)
    # 150 runs have an error of .018.
    assert 0.9 <= covered / runs <= 0.995
