"""Swapping whole clusters: every way of swapping, one by one, is the oracle."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from edgeworth.comparisons.labels.differences import label_differences
from edgeworth.comparisons.paired import Paired

Value = Callable[[np.ndarray], Fraction]
"""Of a table whose rows are predicted."""


def quotient(top: int, bottom: int) -> Fraction:
    return Fraction(int(top), int(bottom)) if bottom else Fraction(0)


def informedness(table: np.ndarray) -> Fraction:
    """Powers' B."""
    real, predicted, cases = table.sum(axis=0).tolist(), table.sum(axis=1).tolist(), int(table.sum())
    total = Fraction(0)
    for label, (r, p) in enumerate(zip(real, predicted, strict=True)):
        if 0 < r < cases:
            hits = int(table[label, label])
            total += Fraction(p, cases) * (Fraction(hits, r) - Fraction(p - hits, cases - r))
    return total


def recall(table: np.ndarray) -> Fraction:
    return quotient(table[0, 0], table[:, 0].sum())


MEASURES: dict[str, Value] = {
    "informedness": informedness,
    "accuracy": lambda t: quotient(np.trace(t), t.sum()),
    "precision[0]": lambda t: quotient(t[0, 0], t[0].sum()),
    "recall[0]": recall,
    "f[0]": lambda t: quotient(2 * t[0, 0], t[0].sum() + t[:, 0].sum()),
    "informedness[0]": lambda t: recall(t) - quotient(t[0, 1:].sum(), t[:, 1:].sum()),
}


def drawn(clusters: int, classes: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(clusters), rng.integers(1, 9, clusters))
    truth = rng.integers(0, classes, len(cluster))
    one, two = (
        np.where(rng.random(len(truth)) < p, truth, rng.integers(0, classes, len(truth))) for p in (0.7, 0.4)
    )
    return cluster, truth, one, two


def paired(cluster: Any, truth: Any, one: Any, two: Any) -> Paired:
    return Paired.from_labels(truth, {"one": one, "two": two}, clusters=cluster)


def brute_force(
    cluster: np.ndarray, truth: np.ndarray, one: np.ndarray, two: np.ndarray, value: Value
) -> Fraction:
    size = int(max(truth.max(), one.max(), two.max())) + 1

    def table(message: np.ndarray) -> np.ndarray:
        return np.bincount(message * size + truth, minlength=size * size).reshape(size, size)

    def difference(swaps: Sequence[bool]) -> Fraction:
        swap = np.array(swaps)[cluster]
        return abs(value(table(np.where(swap, two, one))) - value(table(np.where(swap, one, two))))

    number = int(cluster.max()) + 1
    observed = difference([False] * number)
    every = [difference(swaps) >= observed for swaps in product([False, True], repeat=number)]
    return Fraction(sum(every), len(every))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("measure", MEASURES)
def test_equals_every_swap(seed: int, measure: str) -> None:
    data = drawn(7, 2 + seed % 3, seed)
    result = label_differences(paired(*data), "one", "two", [measure])[measure]
    assert result.tests["randomisation"].exact == brute_force(*data, MEASURES[measure])


def test_clusters_of_one_case_are_cases() -> None:
    _, truth, one, two = drawn(12, 2, 3)
    alone = paired(np.arange(len(truth)), truth, one, two)
    plain = Paired.from_labels(truth, {"one": one, "two": two})
    for measure in ("informedness", "accuracy", "recall[0]"):
        ours, cases = (label_differences(item, "one", "two", [measure])[measure] for item in (alone, plain))
        assert ours.tests["randomisation"].exact == cases.tests["randomisation"].exact


def test_identical_systems() -> None:
    cluster, truth, one, _ = drawn(9, 2, 1)
    for measure, result in label_differences(
        paired(cluster, truth, one, one), "one", "two", list(MEASURES)
    ).items():
        assert result.tests["randomisation"].exact == 1, measure


def test_many_clusters() -> None:
    """A thousand documents: accuracy exactly, near what the normal law says."""
    cluster, truth, one, two = drawn(1_000, 2, 2)
    right = (one == truth).astype(int) - (two == truth)
    near = np.where(np.arange(len(truth)) % 9 > 0, one, two)  # a difference that is not out of sight
    amounts = np.bincount(cluster, weights=(one == truth).astype(int) - (near == truth))
    tail = label_differences(paired(cluster, truth, one, near), "one", "two", ["accuracy"])["accuracy"].tests[
        "randomisation"
    ]
    away = abs(amounts.sum()) / math.sqrt((amounts**2).sum())
    assert right.any()
    assert tail.kind == "exact"
    assert tail.p_value == pytest.approx(math.erfc(away / math.sqrt(2)), rel=0.3)
