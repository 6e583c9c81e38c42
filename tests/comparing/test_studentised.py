"""Swaps in standard errors: every way of swapping, in fractions, is the oracle."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from edgeworth.comparing.labels import swapping
from edgeworth.comparing.labels.differences import label_differences
from edgeworth.comparing.labels.joint_cells import joint_cells
from edgeworth.comparing.labels.swapping import LabelPair, quotient_test, swap_test
from edgeworth.comparing.paired import Paired
from edgeworth.decisions.views import resolve

Row = tuple[int, int, int]
"""Truth, and what either system said."""


def score_square(rows: list[Row], targets: int, share: Fraction) -> Fraction | None:
    """Squared difference over Σ (c − c')², c = (hit − m · (α real + (1 − α) predicted))/b; None for 0/0."""
    hits = [sum(row[0] * row[s] for row in rows) for s in (1, 2)]
    bottoms = [share * targets + (1 - share) * sum(row[s] for row in rows) or Fraction(1) for s in (1, 2)]
    together = Fraction(sum(hits)) / sum(bottoms)
    variance = Fraction(0)
    for row in rows:
        parts = [
            (row[0] * row[s] - together * (share * row[0] + (1 - share) * row[s])) / bottom
            for s, bottom in zip((1, 2), bottoms, strict=True)
        ]
        variance += (parts[0] - parts[1]) ** 2
    gap = Fraction(hits[0]) / bottoms[0] - Fraction(hits[1]) / bottoms[1]
    return gap**2 / variance if gap else Fraction(0)


def rows_of(pair: LabelPair) -> list[Row]:
    said = [(1, 1), (1, 0), (0, 1)]
    hits = zip(said, (pair.both_hit, pair.only_first_hit, pair.only_second_hit), strict=True)
    alarms = zip(said, (pair.both_alarm, pair.only_first_alarm, pair.only_second_alarm), strict=True)
    found = [(1, *each) for each, count in hits for _ in range(count)]
    found += [(1, 0, 0)] * (pair.targets - len(found))
    return found + [(0, *each) for each, count in alarms for _ in range(count)]


@pytest.mark.slow
@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 2)])
@pytest.mark.parametrize("seed", range(6))
def test_equals_every_swap_in_fractions(share: Fraction, seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, 6).tolist()
    pair = LabelPair(sum(counts[:3]) + 3, *counts, fixed=share.numerator)
    rows = rows_of(pair)
    differ = [i for i, row in enumerate(rows) if row[1] != row[2]]
    observed = score_square(rows, pair.targets, share)
    count = 0
    for coins in product([False, True], repeat=len(differ)):
        swapped = {i for i, coin in zip(differ, coins, strict=True) if coin}
        turned = [(t, b, a) if i in swapped else (t, a, b) for i, (t, a, b) in enumerate(rows)]
        count += score_square(turned, pair.targets, share) >= observed
    assert quotient_test(pair).exact == Fraction(count, 2 ** len(differ))


def test_floats_and_whole_numbers_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = LabelPair(300, 40, 60, 41, 30, 25, 33)
    exact = quotient_test(pair)
    assert exact.exact is not None
    monkeypatch.setattr(swapping, "FEW", 0)
    in_floats = quotient_test(pair)
    assert in_floats.exact is None
    assert in_floats.p_value == pytest.approx(exact.p_value, rel=1e-10)
    monkeypatch.setattr(swapping, "MOST_SUMMED", 0)
    assert quotient_test(pair).p_value == pytest.approx(exact.p_value, rel=0.05)


def drawn(cases: int, seed: int, **options: Any) -> Paired:
    """Both precisions are 0.7; the second predicts the class twelve times as often."""
    rng = np.random.default_rng(seed)
    truth, one, two = rng.random(cases) < 0.5, rng.random(cases), rng.random(cases)
    said = {"rare": one < np.where(truth, 0.07, 0.03), "often": two < np.where(truth, 0.84, 0.36)}
    return Paired.from_labels(truth, said, **options)


@pytest.mark.slow
def test_equal_precisions_are_told_apart_no_more_often_than_the_level() -> None:
    """Interchangeability is rejected in some 29% of samples, equal precision in 4.85% (2,000 of them)."""
    plain, shown = [], []
    for seed in range(100):
        cells = joint_cells(drawn(1000, seed), "rare", "often")
        pair = LabelPair.of(cells, resolve(cells.tables[0], "precision[True]"))
        plain.append(quotient_test(pair, studentised=False).p_value < 0.05)
        shown.append(quotient_test(pair).p_value < 0.05)
    # 0.05 and three standard errors of 100 samples, 0.0218 each.
    assert np.mean(shown) < 0.116
    assert np.mean(plain) > 0.15


def test_a_system_that_predicts_a_class_a_few_times_is_no_winner() -> None:
    found = label_differences(drawn(300, 1), "rare", "often", ["precision[True]", "mcc", "recall[True]"])
    assert [each.no_winner is None for each in found.values()] == [False, False, True]
    many = label_differences(drawn(2000, 1), "rare", "often", ["precision[True]", "mcc"])
    assert all(each.no_winner is None for each in many.values())
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
        for said in (first, second):
            right, wrong = [np.mean(truth[said == k] == 1) if (said == k).any() else None for k in (1, 0)]
            if right is None or wrong is None:
                return float("inf")
            values.append(right - wrong)
            share = np.where(
                said == 1, (truth - right) / (said == 1).sum(), (truth - wrong) / -(said == 0).sum()
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
