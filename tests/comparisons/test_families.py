"""Adjusted p-values agree with statsmodels and their definitions, and letters with the pairs told apart."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]  # it has no stubs

import edgeworth as ew
from edgeworth.core.multiple_testing import benjamini_hochberg, compact_letters, holm, letter_groups

probabilities = st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.05, 0.5]), min_size=1, max_size=12)


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 2, 5, 30, 190])
def test_statsmodels_agrees(number: int) -> None:
    rng = np.random.default_rng(number)
    for power in (1, 3):
        # Some of them tied.
        values = np.round(rng.random(number) ** power, 2)
        assert holm(values) == pytest.approx(multipletests(values, method="holm")[1], rel=1e-12)
        assert benjamini_hochberg(values) == pytest.approx(
            multipletests(values, method="fdr_bh")[1], rel=1e-12
        )


@given(probabilities, st.integers(0, 12))
def test_a_test_without_a_p_value_is_none_of_the_family(values: list[float], position: int) -> None:
    position = min(position, len(values))
    with_gap = [*values[:position], math.nan, *values[position:]]
    for adjust in (holm, benjamini_hochberg):
        result = adjust(with_gap)
        assert math.isnan(result[position])
        assert np.array_equal(np.delete(result, position), adjust(values))


@given(probabilities)
def test_adjusting_keeps_the_order_and_only_raises(values: list[float]) -> None:
    order = np.argsort(values)
    for adjust in (holm, benjamini_hochberg):
        result = adjust(values)
        assert (result >= np.array(values)).all()
        assert (result <= 1).all()
        assert (np.diff(result[order]) >= 0).all()
    assert (holm(values) >= benjamini_hochberg(values) * (1 - 1e-12)).all()


def test_one_test_stays_as_it_is_and_none_stays_none() -> None:
    for adjust in (holm, benjamini_hochberg):
        assert adjust([0.03]).tolist() == [0.03]
        assert adjust([]).tolist() == []
        assert math.isnan(adjust([math.nan])[0])


Pair = tuple[int, int]


def shared(groups: list[tuple[int, ...]]) -> set[Pair]:
    return {pair for group in groups for pair in combinations(group, 2)}


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, 7))
def test_systems_share_a_letter_if_and_only_if_they_are_not_told_apart(number: int) -> None:
    pairs = list(combinations(range(number), 2))
    for pattern in range(2 ** len(pairs)):
        apart = [pair for index, pair in enumerate(pairs) if pattern >> index & 1]
        groups = letter_groups(number, apart)
        held = Counter(
            part for group in groups for part in (*combinations(group, 1), *combinations(group, 2))
        )
        assert held.keys() == (set(pairs) - set(apart)) | {(member,) for member in range(number)}
        # No letter can be spared: without it some system has none, or some pair nothing in common.
        for group in groups:
            assert any(held[part] == 1 for size in (1, 2) for part in combinations(group, size))
        assert groups == sorted(groups)


def test_letters_go_down_the_ranking() -> None:
    # 1 = 2, 2 = 3, 3 = 4, and no others.
    names = ["w", "x", "y", "z"]
    apart = {frozenset(pair) for pair in (("w", "y"), ("w", "z"), ("x", "z"))}
    assert compact_letters(names, apart) == {"w": "a", "x": "ab", "y": "bc", "z": "c"}


def test_nobody_told_apart_and_everybody() -> None:
    names = ["b", "a", "c"]
    everyone = {frozenset(pair) for pair in combinations(names, 2)}
    assert compact_letters(names, set()) == {"b": "a", "a": "a", "c": "a"}
    assert compact_letters(names, everyone) == {"b": "a", "a": "b", "c": "c"}
    assert compact_letters([], set()) == {}


def test_eight_systems_in_overlapping_groups() -> None:
    apart = [(0, 6), (0, 7), (1, 5), (1, 6), (1, 7), (2, 6), (2, 7), (3, 7)]
    # Every largest set without a pair told apart, by trying all sets.
    largest: list[tuple[int, ...]] = []
    for size in range(8, 0, -1):
        for chosen in combinations(range(8), size):
            clear = not any(pair in apart for pair in combinations(chosen, 2))
            if clear and not any(set(chosen) < set(other) for other in largest):
                largest.append(chosen)
    assert set(letter_groups(8, apart)) <= set(largest)
    assert shared(letter_groups(8, apart)) == shared(largest)


@pytest.mark.parametrize("seed", range(6))
def test_twenty_systems_on_a_line(seed: int) -> None:
    # Systems nearer than a distance are not told apart: each is in few groups, and groups are runs of ranks.
    places = np.sort(np.random.default_rng(seed).random(20))
    apart = [(i, j) for i, j in combinations(range(20), 2) if places[j] - places[i] > 0.15]
    groups = letter_groups(20, apart)
    assert shared(groups) == set(combinations(range(20), 2)) - set(apart)
    assert all(group == tuple(range(group[0], group[-1] + 1)) for group in groups)


def test_more_groups_than_letters() -> None:
    names = [f"s{k}" for k in range(60)]
    letters = compact_letters(names, {frozenset(pair) for pair in combinations(names, 2)})
    assert (letters["s0"], letters["s26"], letters["s51"], letters["s52"]) == ("a", "A", "Z", "a2")
    assert len(set(letters.values())) == 60
    assert all(re.fullmatch(r"[a-zA-Z]\d*", letter) for letter in letters.values())


# -- ranks -------------------------------------------------------------------------------------------------


def graded(means: dict[str, float], items: int, seed: int) -> ew.Comparison:
    rng = np.random.default_rng(seed)
    ids, hard = [str(i) for i in range(items)], rng.normal(0, 0.5, items)
    grades = {name: mean + hard + rng.normal(0, 0.5, items) for name, mean in means.items()}
    return ew.compare({name: ew.Grades.from_grades(x, ids=ids) for name, x in grades.items()})


def test_ranks_are_bounded_by_the_pairs_that_are_told_apart() -> None:
    result = graded({"a": 2.0, "b": 1.98, "c": 1.0, "d": 0.0}, 160, seed=1)
    assert result.ranks == {"b": (1, 2), "a": (1, 2), "c": (3, 3), "d": (4, 4)}
    assert set(result.tied_for_first) == {"a", "b"}
    plain = result.to_dict()["comparison"]
    assert plain["ranks"]["c"] == [3, 3]
    assert set(plain["tied_for_first"]) == {"a", "b"}
    none = graded(dict.fromkeys("abc", 0.0), 12, seed=2)
    assert set(none.ranks.values()) == {(1, 3)}


def test_all_ranks_hold_together() -> None:
    """Three of five are equal: their true ranks are 1 to 3, any of them, and all five must be covered."""
    means = {"a": 0.4, "b": 0.4, "c": 0.4, "d": 0.2, "e": 0.0}
    true = {"a": (1, 3), "b": (1, 3), "c": (1, 3), "d": (4, 4), "e": (5, 5)}
    runs = 40
    held = 0
    for seed in range(runs):
        ranks = graded(means, 150, seed).ranks
        held += all(ranks[x][0] <= low and high <= ranks[x][1] for x, (low, high) in true.items())
    # 0.95 less three standard errors of 40 runs, 0.034 each.
    assert held / runs >= 0.95 - 3 * 0.034
