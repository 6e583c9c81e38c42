"""Swaps in standard errors: every way of swapping, in fractions, is the oracle."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from edgeworth.comparisons.labels import randomization
from edgeworth.comparisons.labels.differences import label_differences
from edgeworth.comparisons.labels.joint_cells import JointCells, joint_cells
from edgeworth.comparisons.labels.randomization import swap_test
from edgeworth.comparisons.paired import Paired
from edgeworth.decisions.views import resolve

Row = tuple[int, int, int]
"""Truth, and what either system said."""


def squared_distance(rows: list[Row], targets: int, share: Fraction) -> Fraction | float:
    """Squared difference over Σ (c − c')², c = (hit − value · (α real + (1 − α) predicted))/b."""
    values, bottoms = [], []
    for s in (1, 2):
        bottoms.append(share * targets + (1 - share) * sum(row[s] for row in rows) or Fraction(1))
        values.append(Fraction(sum(row[0] * row[s] for row in rows)) / bottoms[-1])
    variance = Fraction(0)
    for row in rows:
        first, second = (
            (row[0] * row[s] - value * (share * row[0] + (1 - share) * row[s])) / bottom
            for s, value, bottom in zip((1, 2), values, bottoms, strict=True)
        )
        variance += (first - second) ** 2
    gap = values[0] - values[1]
    return Fraction(0) if not gap else gap**2 / variance if variance else math.inf


def pair_of(counts: list[int]) -> tuple[JointCells, list[Row]]:
    """Targets that both find, only the first, only the second, none; background in the same order."""
    kinds = [(y, a, b) for y in (1, 0) for a, b in ((1, 1), (1, 0), (0, 1), (0, 0))]
    rows = [kind for kind, count in zip(kinds, counts, strict=True) for _ in range(count)]
    truth, one, two = map(list, zip(*rows, strict=True))
    return joint_cells(Paired.from_labels(truth, {"one": one, "two": two}), "one", "two"), rows


@pytest.mark.parametrize("measure", ["precision[1]", "f[1]"])
@pytest.mark.parametrize("seed", range(4))
def test_equals_every_swap_in_fractions(measure: str, seed: int) -> None:
    share = Fraction(0) if measure == "precision[1]" else Fraction(1, 2)
    counts = [*np.random.default_rng(seed).integers(0, 3, 6).tolist(), 2]
    cells, rows = pair_of([*counts[:3], 3, *counts[3:]])
    differ = [i for i, row in enumerate(rows) if row[1] != row[2]]
    targets = sum(row[0] for row in rows)
    observed = squared_distance(rows, targets, share)
    count = 0
    for coins in product([False, True], repeat=len(differ)):
        swapped = {i for i, coin in zip(differ, coins, strict=True) if coin}
        turned = [(t, b, a) if i in swapped else (t, a, b) for i, (t, a, b) in enumerate(rows)]
        count += squared_distance(turned, targets, share) >= observed
    result = swap_test(cells, resolve(cells.tables[0], measure), studentised=True)
    assert result.exact == Fraction(count, 2 ** len(differ))


def test_floats_and_whole_numbers_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    cells, _ = pair_of([40, 32, 18, 159, 30, 15, 23, 100])
    precision = resolve(cells.tables[0], "precision[1]")
    exact = swap_test(cells, precision, studentised=True)
    assert exact.exact is not None
    monkeypatch.setattr(randomization, "MAX_COINS_AS_FRACTION", 0)
    in_floats = swap_test(cells, precision, studentised=True)
    assert in_floats.exact is None
    assert in_floats.p_value == pytest.approx(exact.p_value, rel=1e-10)
    cells, _ = pair_of([40, 60, 41, 159, 30, 25, 33, 100])
    exact = swap_test(cells, precision, studentised=True)
    monkeypatch.setattr(randomization, "MAX_SWAPS_SUMMED", 0)
    drawn = swap_test(cells, precision, studentised=True)
    assert drawn.low <= exact.p_value <= drawn.high
    monkeypatch.setattr(randomization, "MIN_CASES_FOR_NORMAL_SWAPS", 0)
    assert swap_test(cells, precision, studentised=True).p_value == pytest.approx(exact.p_value, rel=0.05)


def drawn(cases: int, seed: int, **options: Any) -> Paired:
    """Both precisions are 0.7; the second predicts the class twelve times as often."""
    rng = np.random.default_rng(seed)
    truth, one, two = rng.random(cases) < 0.5, rng.random(cases), rng.random(cases)
    predictions = {"rare": one < np.where(truth, 0.07, 0.03), "often": two < np.where(truth, 0.84, 0.36)}
    return Paired.from_labels(truth, predictions, **options)


@pytest.mark.slow
def test_equal_precisions_are_told_apart_no_more_often_than_the_level() -> None:
    """Interchangeability is rejected in some 29% of samples of 1,000 cases, equal precision in some 5%."""
    plain, shown = [], []
    for seed in range(100):
        cells = joint_cells(drawn(300, seed), "rare", "often")
        precision = resolve(cells.tables[0], "precision[True]")
        plain.append(swap_test(cells, precision).p_value < 0.05)
        shown.append(swap_test(cells, precision, studentised=True).p_value < 0.05)
    # 0.05 and three standard errors of 100 samples, 0.0218 each.
    assert np.mean(shown) < 0.116
    assert np.mean(plain) > 0.15


def test_a_system_that_predicts_a_class_a_few_times_is_no_winner() -> None:
    differences = label_differences(
        drawn(300, 1), "rare", "often", ["precision[True]", "mcc", "recall[True]"]
    )
    assert [value.no_winner is None for value in differences.values()] == [False, False, True]
    many = label_differences(drawn(2000, 1), "rare", "often", ["precision[True]", "mcc"])
    assert all(member.no_winner is None for member in many.values())
    assert next(iter(many["mcc"].tests)) == "studentised"


def test_markedness_of_few_cases_equals_every_swap() -> None:
    """The general test, whose variance is the delta method's, against its definition case by case."""
    rng = np.random.default_rng(4)
    truth, one, two = (rng.random((3, 14)) < np.array([[0.5], [0.6], [0.5]])).astype(int)
    paired = Paired.from_labels(truth, {"one": one, "two": two})
    cells = joint_cells(paired, "one", "two")
    ours = swap_test(cells, resolve(cells.tables[0], "markedness"), studentised=True)

    def square(first: np.ndarray, second: np.ndarray) -> float:
        values, parts = [], []
        for text in (first, second):
            right, wrong = [np.mean(truth[text == k] == 1) if (text == k).any() else None for k in (1, 0)]
            if right is None or wrong is None:
                return float("inf")
            values.append(right - wrong)
            share = np.where(
                text == 1, (truth - right) / (text == 1).sum(), (truth - wrong) / -(text == 0).sum()
            )
            parts.append(share)
        gap = values[0] - values[1]
        return 0.0 if abs(gap) < 1e-12 else gap**2 / float(((parts[0] - parts[1]) ** 2).sum())

    observed = square(one, two)
    differ = np.flatnonzero(one != two)
    every = []
    for coins in product([False, True], repeat=len(differ)):
        turn = np.zeros(14, dtype=bool)
        turn[differ] = coins
        every.append(square(np.where(turn, two, one), np.where(turn, one, two)) >= observed * (1 - 1e-9))
    assert ours.exact == Fraction(sum(every), len(every))
