"""Swapping whole groups: every way of swapping, one by one, is the oracle."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from edgeworth.comparing.randomisation import groups as randomisation_groups
from edgeworth.comparing.randomisation.classes import TwoClassPair, two_class_test
from edgeworth.comparing.randomisation.groups import GroupCounts, group_tables_test, groups_test
from edgeworth.errors import InputError, OptionError

Value = Callable[[np.ndarray], Fraction]
"""Of hits, false alarms, misses and background."""


def quotient(top: int, bottom: int) -> Fraction:
    return Fraction(int(top), int(bottom)) if bottom else Fraction(0)


MEASURES: dict[str, Value] = {
    "precision": lambda t: quotient(t[0], t[0] + t[1]),
    "recall": lambda t: quotient(t[0], t[0] + t[2]),
    "f": lambda t: quotient(2 * t[0], 2 * t[0] + t[1] + t[2]),
    "accuracy": lambda t: quotient(t[0] + t[3] - t[1], t[0] + t[2] + t[3]),
    "informedness": lambda t: quotient(t[0], t[0] + t[2]) - quotient(t[1], t[3]),
}


def brute_force(first: np.ndarray, second: np.ndarray, value: Callable[[np.ndarray], Fraction]) -> Fraction:
    def difference(swaps: Sequence[bool]) -> Fraction:
        swap = np.array(swaps).reshape((-1,) + (1,) * (first.ndim - 1))
        one, two = np.where(swap, second, first), np.where(swap, first, second)
        return abs(value(one.sum(axis=0)) - value(two.sum(axis=0)))

    observed = difference([False] * len(first))
    every = [difference(swaps) >= observed for swaps in product([False, True], repeat=len(first))]
    return Fraction(sum(every), len(every))


def random_groups(groups: int, most: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(groups, 4): hits, false alarms, misses, background of each system."""
    rng = np.random.default_rng(seed)
    targets, background = rng.integers(0, most, groups), rng.integers(0, most, groups)
    systems = []
    for skill in (0.7, 0.5):
        hits, alarms = rng.binomial(targets, skill), rng.binomial(background, 0.6 - skill / 2)
        systems.append(np.stack([hits, alarms, targets - hits, background], axis=1))
    return systems[0], systems[1]


def counts(system: np.ndarray) -> GroupCounts:
    return GroupCounts.of(*system.T[:3])


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("measure", MEASURES)
def test_equals_every_swap(seed: int, measure: str) -> None:
    first, second = random_groups(7, (2, 4, 30)[seed % 3], seed)
    ours = groups_test(counts(first), counts(second), measure, background=first[:, 3])
    assert ours.exact == brute_force(first, second, MEASURES[measure])


@pytest.mark.parametrize("measure", ["precision", "f"])
def test_enumeration_and_floats_give_the_same(measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = random_groups(12, 15, 4)
    exact = groups_test(counts(first), counts(second), measure)
    assert exact.exact is not None
    monkeypatch.setattr(randomisation_groups, "MOST_BYTES", 0)
    assert groups_test(counts(first), counts(second), measure) == exact
    monkeypatch.setattr(randomisation_groups, "MOST_ENUMERATED", 0)
    in_floats = groups_test(counts(first), counts(second), measure)
    assert in_floats.exact is None
    assert in_floats.p_value == pytest.approx(exact.p_value, rel=1e-12)
    monkeypatch.setattr(randomisation_groups, "MOST_CELLS", 0)
    drawn = groups_test(counts(first), counts(second), measure, draws=20_000, seed=9)
    assert drawn.kind == "drawn"
    assert drawn.low <= exact.p_value <= drawn.high


def test_groups_of_one_case_are_cases() -> None:
    pair = TwoClassPair(40, 50, 10, 9, 3, 5, 4, 8)
    hits = [(1, 1)] * 10 + [(1, 0)] * 9 + [(0, 1)] * 3 + [(0, 0)] * 18
    alarms = [(1, 1)] * 5 + [(1, 0)] * 4 + [(0, 1)] * 8 + [(0, 0)] * 33
    systems = [
        GroupCounts.of(
            [h[s] for h in hits] + [0] * 50,
            [0] * 40 + [a[s] for a in alarms],
            [1 - h[s] for h in hits] + [0] * 50,
        )
        for s in (0, 1)
    ]
    background = [0] * 40 + [1] * 50
    for measure in MEASURES:
        ours = groups_test(systems[0], systems[1], measure, background=background)
        assert ours.exact == two_class_test(pair, measure).exact


def informedness(table: np.ndarray) -> Fraction:
    """Powers' B with abstentions at zero weight."""
    cells = table[:-1]
    real, predicted, cases = table.sum(axis=0).tolist(), cells.sum(axis=1).tolist(), int(table.sum())
    total = Fraction(0)
    for label, (r, p) in enumerate(zip(real, predicted, strict=True)):
        if 0 < r < cases:
            hits = int(cells[label, label])
            total += Fraction(p, cases) * (Fraction(hits, r) - Fraction(p - hits, cases - r))
    return total


def accuracy(table: np.ndarray) -> Fraction:
    return quotient(np.trace(table[:-1]), table.sum())


@pytest.mark.parametrize("seed", range(8))
def test_tables_of_groups(seed: int) -> None:
    rng = np.random.default_rng(seed)
    classes, groups = 2 + seed % 3, 6
    real = rng.integers(0, 6, (groups, classes))
    first, second = (
        np.stack(
            [
                np.stack([rng.multinomial(n, np.full(classes + 1, 1 / (classes + 1))) for n in row], axis=1)
                for row in real
            ]
        )
        for _ in range(2)
    )
    for measure, value in (("informedness", informedness), ("accuracy", accuracy)):
        assert group_tables_test(first, second, measure).exact == brute_force(first, second, value)


def test_identical_systems() -> None:
    first, _ = random_groups(9, 8, 1)
    for measure in MEASURES:
        same = groups_test(counts(first), counts(first), measure, background=first[:, 3])
        assert same.exact == 1


def test_many_groups() -> None:
    """A thousand documents: F in floating point or by draws, accuracy exactly, and they are fast."""
    first, second = random_groups(1_000, 8, 2)
    assert groups_test(counts(first), counts(second), "f", draws=2_000).p_value > 0
    tail = groups_test(counts(first), counts(second), "accuracy", background=first[:, 3])
    amounts = (first[:, 0] - first[:, 1]) - (second[:, 0] - second[:, 1])
    away = abs(int(amounts.sum())) / math.sqrt(float((amounts**2).sum()))
    assert tail.kind == "exact"
    assert tail.p_value == pytest.approx(math.erfc(away / math.sqrt(2)), rel=0.3)


def test_what_cannot_be_is_refused() -> None:
    one = GroupCounts.of([1, 2], [0, 1], [1, 0])
    with pytest.raises(InputError, match="as many targets"):
        groups_test(one, GroupCounts.of([1, 2], [0, 1], [0, 0]), "f")
    with pytest.raises(InputError, match="same groups"):
        groups_test(one, GroupCounts.of([1], [0], [1]), "f")
    with pytest.raises(OptionError, match="background"):
        groups_test(one, one, "accuracy")
    with pytest.raises(InputError, match="as many background"):
        groups_test(one, one, "accuracy", background=[0, 0])
    with pytest.raises(InputError, match="whole numbers"):
        GroupCounts.of([0.5], [1], [1])
    with pytest.raises(InputError, match="at least 0"):
        GroupCounts.of([-1], [1], [1])
    with pytest.raises(InputError, match="one entry a group"):
        GroupCounts.of([1, 2], [1], [1])
    with pytest.raises(InputError, match=r"groups, K \+ 1, K"):
        group_tables_test(np.zeros((2, 2, 2), dtype=int), np.zeros((2, 2, 2), dtype=int), "accuracy")
    with pytest.raises(InputError, match="as many cases of each class"):
        group_tables_test([[[1], [0]]], [[[1], [1]]], "accuracy")
