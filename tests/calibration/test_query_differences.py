"""Seeded: tests over queries reject equal systems as seldom as they say, and intervals cover."""

from __future__ import annotations

import numpy as np
import pytest

from edgeworth.comparisons.paired_values.paired_tests import mean_difference
from edgeworth.comparisons.paired_values.permutation import permutation_test
from edgeworth.comparisons.paired_values.tukey import randomised_tukey
from edgeworth.core.multiple_testing import holm

QUERIES = 300  # more than are counted: signs are drawn
RUNS = 1000
# With 1,000 runs the share rejected at 5% has a standard error of 0.0069; 0.033 to 0.067 is 2.5 of them.
LOW, HIGH = 0.033, 0.067


def equal_systems(rng: np.random.Generator, kind: str, systems: int = 2) -> np.ndarray:
    """Values of systems that are equally good, and alike on easy and hard queries."""
    hardness = rng.beta(1.2, 2.5, (QUERIES, 1))
    if kind == "precision@10":
        return np.asarray(rng.binomial(10, hardness, (QUERIES, systems)) / 10)
    # Skewed, as average precision is, and closer together than queries are.
    return np.asarray(rng.beta(8 * hardness + 0.1, 8 * (1 - hardness) + 0.1, (QUERIES, systems)))


@pytest.mark.parametrize("kind", ["precision@10", "average_precision"])
def test_equal_systems_are_told_apart_as_seldom_as_the_level_says(kind: str) -> None:
    rng = np.random.default_rng(17)
    rejected = {"permutation": 0, "t": 0}
    for run in range(RUNS):
        first, second = equal_systems(rng, kind).T
        drawn = permutation_test(first - second, size=1.0, draws=999, rng=run)
        rejected["permutation"] += drawn.p_value <= 0.05
        rejected["t"] += mean_difference(first - second, size=1.0).test().p_value <= 0.05
    for name, count in rejected.items():
        assert LOW <= count / RUNS <= HIGH, name


@pytest.mark.parametrize("queries", [12, 40])
def test_the_exact_test_holds_for_few_queries(queries: int) -> None:
    rng = np.random.default_rng(queries)
    p_values = np.array(
        [
            permutation_test(rng.exponential(1, queries) * rng.choice([-1, 1], queries)).p_value
            for _ in range(800)
        ]
        if queries < 40
        else [permutation_test(rng.integers(-4, 5, queries)).p_value for _ in range(800)]
    )
    for level in (0.01, 0.05, 0.1, 0.5):
        error = np.sqrt(level * (1 - level) / len(p_values))
        share = (p_values <= level).mean()
        assert share <= level + 3.3 * error, level
        # Values of the p-value lie close together, so it is not much rarer either.
        assert share >= level - 3.3 * error - 0.03, level


def test_student_s_interval_and_the_effect_s_cover() -> None:
    rng, runs = np.random.default_rng(3), 4000
    true_mean, true_effect = 0.05, 0.25
    covered = covered_effect = 0
    for _ in range(runs):
        difference = mean_difference(rng.normal(true_mean, true_mean / true_effect, QUERIES))
        law, effect = difference.law, difference.effect()
        assert law is not None
        assert effect is not None
        low, high = law.interval(0.95)
        covered += low <= true_mean <= high
        low, high = effect.interval()
        covered_effect += low <= true_effect <= high
    # A standard error of 0.0034.
    assert 0.94 <= covered / runs <= 0.96
    assert 0.94 <= covered_effect / runs <= 0.96


def test_of_many_equal_systems_hardly_any_pair_is_told_apart() -> None:
    rng, runs = np.random.default_rng(23), 300
    any_tukey = any_holm = any_plain = 0
    places = np.triu_indices(5, 1)
    for run in range(runs):
        values = equal_systems(rng, "average_precision", 5)[:60]
        any_tukey += randomised_tukey(values, draws=199, seed=run)[places].min() <= 0.05
        pairs = zip(*places, strict=True)
        plain = [mean_difference(values[:, i] - values[:, j]).test().p_value for i, j in pairs]
        any_holm += holm(plain).min() <= 0.05
        any_plain += min(plain) <= 0.05
    # A standard error of 0.0126 at 5%. Unadjusted, ten tests find something far more often.
    assert any_holm / runs <= 0.05 + 3 * 0.0126
    assert 0.05 - 3 * 0.0126 <= any_tukey / runs <= 0.05 + 3 * 0.0126
    assert any_plain / runs > 0.15
