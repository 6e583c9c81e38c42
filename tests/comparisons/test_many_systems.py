"""Many systems: what is computed at once, what waits until somebody looks, and small enough p-values."""

from __future__ import annotations

import math
import pickle
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.comparisons.findings import ComparisonFindings
from edgeworth.comparisons.paired_values.exact_values import Scaled
from edgeworth.comparisons.paired_values.permutation import MIN_DRAWS_BEYOND, SharedSignFlips, draws_for_pairs
from edgeworth.core.on_demand import OnDemand, as_dictionaries

SYSTEMS, ITEMS = 40, 120


def graded(is_partial: bool, systems: int = SYSTEMS) -> dict[str, ew.Grades]:
    """Make grades of systems, each better than the one before."""
    rng = np.random.default_rng(4)
    ability = np.linspace(0.2, 0.8, systems)
    values = np.clip(ability + rng.normal(0, 0.2, (ITEMS, systems)), 0, 1)
    values = values if is_partial else (rng.random((ITEMS, systems)) < ability).astype(float)
    return {
        f"s{index}": ew.Grades.from_grades(x, ids=range(ITEMS), grade_range=(0, 1))
        for index, x in enumerate(values.T)
    }


def computed(findings: ComparisonFindings) -> tuple[int, int]:
    """Count pairs tested in detail, and plans."""
    assert isinstance(findings.pairs, OnDemand)
    assert isinstance(findings.plans, OnDemand)
    return len(findings.pairs.computed), len(findings.plans.computed)


@pytest.mark.parametrize("is_partial", [False, True])
def test_a_report_plans_only_for_the_pairs_that_it_shows(is_partial: bool) -> None:
    comparison = ew.compare(graded(is_partial, systems=12))
    assert str(comparison)
    _, plans = computed(comparison.findings)
    assert plans < 50 < math.comb(12, 2)
    some = comparison.findings.pairs["s0", "s1"]
    only = next(iter(some.values()))
    if is_partial:
        assert isinstance(only.tests, OnDemand)
        assert only.tests.computed == ("permutation",)
        assert list(only.tests) == ["permutation", "t", "wilcoxon", "sign"]
    pairs = comparison.to_dict()["comparison"]["pairs"]
    assert len(pairs) == math.comb(12, 2)
    assert computed(comparison.findings) == (len(pairs), len(pairs))


def test_json_of_very_many_pairs_leaves_plans_to_a_request() -> None:
    comparison = ew.compare(graded(is_partial=True))
    pairs = comparison.to_dict()["comparison"]["pairs"]
    assert len(pairs) == math.comb(SYSTEMS, 2)
    assert {pair["plan"] for pair in pairs} == {None}
    assert computed(comparison.findings)[1] < 100
    assert comparison.findings.plans["s0", "s39"].needed > 0


def test_a_pair_among_many_has_the_numbers_of_the_pair_alone() -> None:
    """Right or wrong answers are tested exactly, however many systems there are."""
    grades = graded(is_partial=False, systems=6)
    every = ew.compare(grades)
    for first, second in combinations(grades, 2):
        alone = ew.compare({name: grades[name] for name in (first, second)})
        assert every[first, second]["accuracy"].to_dict() == alone[first, second]["accuracy"].to_dict()
        assert every.findings.values[first]["accuracy"] == ew.measure(grades[first], "accuracy")


def test_partial_grades_of_many_systems_can_be_told_apart() -> None:
    """The smallest p-value of 10,000 draws times 780 pairs is 0.078: no pair would ever differ."""
    comparison = ew.compare(graded(is_partial=True))
    assert comparison.tied_for_first != tuple(comparison.names)
    assert comparison.findings.is_conclusive("s0", "s39")
    assert comparison.findings.adjusted["s0", "s39"] < 0.05


@pytest.mark.parametrize(("pairs", "level"), [(45, 0.95), (780, 0.95), (19_900, 0.95), (780, 0.99)])
def test_draws_reach_the_level_of_one_among_all_pairs(pairs: int, level: float) -> None:
    draws = draws_for_pairs(10_000, 1 - (1 - level) / pairs)
    assert draws >= 10_000
    assert pairs / (1 + draws) < 1 - level


def test_more_draws_for_pairs_far_apart_enclose_the_exact_value() -> None:
    """Sixteen units have 65,536 choices of signs, which are enumerated."""
    rng = np.random.default_rng(3)
    values = rng.random((16, 5)) + np.array([0.0, 0.1, 0.3, 0.6, 0.9])
    shared = SharedSignFlips(values, draws=2_000, seed=1, is_counted=False, most=20_000)
    signs = np.array(list(product([1, -1], repeat=16)))
    for first, second in combinations(range(5), 2):
        differences = values[:, first] - values[:, second]
        exact = np.mean(np.abs(signs @ differences) >= abs(differences.sum()) - 1e-9)
        tail = shared.tail(first, second, Scaled.of([]))
        assert tail.low <= exact <= tail.high
        is_near = exact > 2 * MIN_DRAWS_BEYOND / 2_000
        is_far = exact < MIN_DRAWS_BEYOND / 2_000 / 2
        assert f"{20_000:,} choices" in tail.method or not is_far
        assert f"{2_000:,} choices" in tail.method or not is_near


def test_stopping_early_keeps_the_test_valid() -> None:
    """Without a difference p-values are at most the level as often as the level says.

    Systems are exchangeable, so the number of p-values up to a level is binomial.
    """
    rng = np.random.default_rng(5)
    p_values: list[float] = []
    for seed in range(60):
        values = rng.normal(size=(12, 6))
        shared = SharedSignFlips(values, draws=200, seed=seed, is_counted=False, most=2_000)
        p_values += [shared.tail(2 * k, 2 * k + 1, Scaled.of([])).p_value for k in range(3)]
    for level in (0.05, 0.2, 0.5):
        spread = math.sqrt(len(p_values) * level * (1 - level))
        assert np.sum(np.array(p_values) <= level) <= len(p_values) * level + 4 * spread


def test_values_on_demand_are_a_mapping_that_pickles() -> None:
    calls: list[Any] = []

    def double(number: int) -> int:
        calls.append(number)
        return 2 * number

    doubles = OnDemand([1, 2], double)
    assert (doubles[2], doubles[2], list(doubles), calls) == (4, 4, [1, 2], [2])
    with pytest.raises(KeyError):
        doubles[3]
    assert calls == [2]
    assert pickle.loads(pickle.dumps(doubles)) == {1: 2, 2: 4} == doubles
    assert as_dictionaries({"held": doubles}) == {"held": {1: 2, 2: 4}}
