"""Rows counted between edges: whatever the batches, and whatever travels."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeworth.rankings.scores import background as between
from edgeworth.rankings.scores.background import GapCounts
from edgeworth.rankings.scores.by_class import CappedScoresByClass, rows_of_classes

SCORES = st.sampled_from([-math.inf, -1.0, -0.0, 0.0, 0.5, 1.0, 2.0, math.inf])
CHUNKS = st.lists(st.lists(st.tuples(SCORES, st.integers(0, 4)), max_size=9), max_size=5)


def place(score: float, edges: list[float]) -> int:
    return 2 * sum(edge < score for edge in edges) + (score in edges)


@given(CHUNKS, st.sets(SCORES, max_size=5), st.sampled_from([None, "i", "f", "mixed"]), st.integers(1, 12))
def test_every_cut_counts_the_same(chunks: Any, chosen: set[float], kind: str | None, together: int) -> None:
    edges = sorted({score + 0.0 for score in chosen})
    kinds = [kind if kind != "mixed" else [None, "i", "f"][number % 3] for number in range(len(chunks))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(between, "MIN_ROWS_COUNTED", together)
        total = GapCounts(np.array(edges))
        for rows, how in zip(chunks, kinds, strict=True):
            scores = np.array([score for score, _ in rows], dtype=np.float64)
            numbers = np.array([number for _, number in rows], dtype=np.int64)
            weights = {None: None, "i": numbers, "f": numbers / 4}[how]
            part = GapCounts.of(np.array(edges), scores, weights)
            total = total + (pickle.loads(pickle.dumps(part)) if len(rows) % 2 else part)
        run = total.scores
    expected, squares, fourths = Counter[int](), Counter[int](), Counter[int]()
    met: dict[int, list[float]] = {}
    for rows, how in zip(chunks, kinds, strict=True):
        for score, number in rows:
            weight = {None: 1.0, "i": float(number), "f": number / 4}[how]
            # A count of 3 is three cases of weight 1.
            one = weight if how == "f" else 1.0
            where = place(score, edges)
            expected[where] += weight
            squares[where] += weight * one
            fourths[where] += weight * one**3
            if weight:
                met.setdefault(where, []).append(score)
    assert total.rows == sum(map(len, chunks))
    assert ([] if run.weight is None else run.weight.tolist()) == [expected[where] for where in sorted(met)]
    if run.square is not None and run.fourth is not None:
        assert run.square.tolist() == [squares[where] for where in sorted(met)]
        assert run.fourth.tolist() == [fourths[where] for where in sorted(met)]
    assert run.scores.tolist() == [min(met[where]) for where in sorted(met)]
    assert run.ends.tolist() == [max(met[where]) for where in sorted(met)]


def test_no_rows_travel() -> None:
    edges = np.array([0.0])
    part = GapCounts.of(edges, np.random.default_rng(1).normal(size=100_000))
    assert len(pickle.dumps(part)) < 2000
    assert pickle.loads(pickle.dumps(part)).waiting == ()


def test_the_rows_given_are_not_sorted_where_they_lie() -> None:
    scores = np.array([3.0, 1.0, 2.0])
    assert GapCounts.of(np.array([1.5]), scores).scores.scores.tolist() == [1.0, 2.0]
    assert scores.tolist() == [3.0, 1.0, 2.0]


def test_nothing_is_nowhere() -> None:
    assert GapCounts(np.zeros(0)).scores.total == 0


# -- classes -------------------------------------------------------------------------------------------


def classes(truth: list[str], most: int) -> CappedScoresByClass:
    numbers = np.arange(len(truth), dtype=np.float64)
    return CappedScoresByClass.of_classes(*rows_of_classes(np.array(truth, dtype=object), numbers), most)


@given(st.lists(st.lists(st.sampled_from("aaab"), max_size=8), max_size=5), st.integers(0, 40))
def test_classes_are_whole_or_counted(chunks: list[list[str]], most: int) -> None:
    total = CappedScoresByClass(most)
    for chunk in chunks:
        total = total + classes(chunk, most)
    assert total.rows == Counter(label for chunk in chunks for label in chunk)
    assert total.is_whole == (total.total <= most)
    for label in total.kept:
        expected = sorted(float(row) for chunk in chunks for row, x in enumerate(chunk) if x == label)
        assert total.sorted_scores([label]).scores.tolist() == expected
    assert sum(total.rows[label] for label in total.kept) <= most


def test_the_largest_class_goes_first() -> None:
    total = classes(["a"] * 5 + ["b"] * 2 + ["c"] * 3, 6)
    assert set(total.kept) == {"b", "c"}
    again = total + classes(["a", "b"], 6)
    assert set(again.kept) == {"b", "c"}
    assert again.rows == {"a": 6, "b": 3, "c": 3}
