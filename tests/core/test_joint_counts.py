"""Counting in blocks: the dense path, the sorted path, and what happens at the seams."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from edgeworth import ContingencyTable
from edgeworth.core import row_policies
from edgeworth.core.joint_counts import count_joint
from edgeworth.errors import InputError
from edgeworth.sources.columns import BLOCK_ROWS

Make = Callable[[list[Any]], Any]


def totals(truth: list[Any], prediction: list[Any], weights: list[Any]) -> dict[tuple[Any, Any], Any]:
    """Weight of each pair, added one row at a time."""
    total: dict[tuple[Any, Any], Any] = defaultdict(int)
    for real, predicted, weight in zip(truth, prediction, weights, strict=True):
        total[real, predicted] += weight
    return dict(total)


def found(table: ContingencyTable) -> dict[tuple[Any, Any], Any]:
    rows, columns = np.nonzero(table.counts)
    return {
        (table.labels[column], table.labels[row]): table.counts[row, column].item()
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    }


def as_matrix(table: ContingencyTable, values: dict[tuple[Any, Any], Any]) -> list[list[Any]]:
    return [[values.get((real, predicted), 0) for real in table.labels] for predicted in table.labels]


def draw(labels: list[Any], rows: int, seed: int) -> list[Any]:
    return [labels[index] for index in np.random.default_rng(seed).integers(len(labels), size=rows)]


KINDS: dict[str, tuple[Make, list[Any]]] = {
    "small integers": (np.array, [0, 1, 2]),
    "negative integers": (lambda values: np.array(values, dtype=np.int8), [-128, -3, 0, 127]),
    "integers far apart": (np.array, [-(2**40), 0, 7, 2**40, 2**61]),
    "booleans": (np.array, [False, True]),
    "floats": (np.array, [0.25, 0.5, 1e300]),
    "text": (lambda values: np.array(values, dtype=object), ["cat", "dog", "emu"]),
    "fixed text": (np.array, ["cat", "dog", "emu"]),
    "300 integers": (np.array, list(range(300))),
    "300 words": (lambda values: np.array(values, dtype=object), [f"word {n}" for n in range(300)]),
}


@pytest.mark.parametrize("rows", [1, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 1, 2 * BLOCK_ROWS + 17])
@pytest.mark.parametrize("kind", ["small integers", "text"])
def test_no_row_is_lost_at_a_seam(kind: str, rows: int) -> None:
    make, labels = KINDS[kind]
    truth, prediction = draw(labels, rows, 1), draw(labels, rows, 2)
    table = ContingencyTable.from_labels(make(truth), make(prediction))
    assert found(table) == Counter(zip(truth, prediction, strict=True))
    assert table.total == rows


@pytest.mark.parametrize(("make", "labels"), KINDS.values(), ids=KINDS)
def test_every_path_counts_the_same(make: Make, labels: list[Any]) -> None:
    rows = BLOCK_ROWS + 1000
    truth, prediction = draw(labels, rows, 3), draw(labels, rows, 4)
    table = ContingencyTable.from_labels(make(truth), make(prediction))
    assert found(table) == Counter(zip(truth, prediction, strict=True))
    assert table.cells.dtype == np.int64


@pytest.mark.parametrize(("make", "labels"), KINDS.values(), ids=KINDS)
def test_a_label_that_comes_only_in_a_late_block(make: Make, labels: list[Any]) -> None:
    early, late = labels[:-1], labels[-1]
    truth = [*draw(early, BLOCK_ROWS, 5), late, early[0]]
    prediction = [*draw(early, BLOCK_ROWS, 6), early[0], late]
    table = ContingencyTable.from_labels(make(truth), make(prediction))
    assert found(table) == Counter(zip(truth, prediction, strict=True))


@pytest.mark.parametrize("kind", ["small integers", "integers far apart", "text", "300 integers"])
@pytest.mark.parametrize("largest", [9, 2**50], ids=["small", "beyond exact floats"])
def test_frequencies_are_added_exactly(kind: str, largest: int) -> None:
    make, labels = KINDS[kind]
    rows = BLOCK_ROWS + 500
    truth, prediction = draw(labels, rows, 7), draw(labels, rows, 8)
    # 66,036 rows of up to 2^50: block sums pass 2^53, where floats no longer tell integers apart, but fit.
    weights = np.random.default_rng(9).integers(0, largest, size=rows)
    weights[1000:] %= 10
    table = ContingencyTable.from_labels(make(truth), make(prediction), weights=weights)
    expected = totals(truth, prediction, weights.tolist())
    assert found(table) == {pair: weight for pair, weight in expected.items() if weight}
    assert table.cells.dtype == np.int64


@pytest.mark.parametrize("kind", ["small integers", "text", "300 words"])
def test_sampling_weights_keep_their_squares(kind: str) -> None:
    make, labels = KINDS[kind]
    rows = BLOCK_ROWS + 500
    truth, prediction = draw(labels, rows, 10), draw(labels, rows, 11)
    weights = np.random.default_rng(12).uniform(0.1, 3, size=rows)
    table = ContingencyTable.from_labels(make(truth), make(prediction), weights=weights)
    expected = totals(truth, prediction, weights.tolist())
    squares = totals(truth, prediction, [weight * weight for weight in weights.tolist()])
    assert table.squared is not None
    np.testing.assert_allclose(table.counts, as_matrix(table, expected), rtol=1e-12)
    np.testing.assert_allclose(table.squared[:-1], as_matrix(table, squares), rtol=1e-12)


@pytest.mark.parametrize("kind", [None, "counts", "sampling"])
def test_a_range_of_integers_that_grows_and_shrinks_from_block_to_block(kind: Any) -> None:
    """Blocks of one range are added as they are; those of another must be translated first."""
    ranges = [(0, 2), (0, 1), (-3, 5), (0, 2), (0, 400), (0, 2), (7, 7)]
    rng = np.random.default_rng(13)
    truth, prediction = (
        np.concatenate([rng.integers(low, high, BLOCK_ROWS, endpoint=True) for low, high in ranges])
        for _ in range(2)
    )
    # Quarters are exact in any order of addition.
    weights = rng.integers(0, 9, size=len(truth)) / (4 if kind == "sampling" else 1)
    given = None if kind is None else weights
    table = ContingencyTable.from_labels(truth, prediction, weights=given, weight_kind=kind)
    if given is None:
        weights = np.ones(len(truth), dtype=np.int64)
    expected = totals(truth.tolist(), prediction.tolist(), weights.tolist())
    assert found(table) == {pair: weight for pair, weight in expected.items() if weight}


def test_integers_in_one_column_and_text_in_the_other() -> None:
    table = ContingencyTable.from_labels(np.array([1, 2, 1]), ["a", "a", "b"])
    assert table.labels == (1, 2, "a", "b")
    assert found(table) == {(1, "a"): 1, (2, "a"): 1, (1, "b"): 1}


def test_integer_types_that_differ() -> None:
    truth, prediction = np.array([0, 255, 3], dtype=np.uint8), np.array([-128, 3, 3], dtype=np.int8)
    assert found(ContingencyTable.from_labels(truth, prediction)) == {(0, -128): 1, (255, 3): 1, (3, 3): 1}
    truth, prediction = np.array([0, 2**64 - 1], dtype=np.uint64), np.array([-1, 0], dtype=np.int64)
    assert found(ContingencyTable.from_labels(truth, prediction)) == {(0, -1): 1, (2**64 - 1, 0): 1}


def test_the_input_is_left_as_it_was() -> None:
    truth, prediction = np.array([5, 6, 7]), np.array([5, 5, 7])
    weights = np.array([1.0, 2.0, 3.0])
    ContingencyTable.from_labels(truth, prediction, weights=weights)
    assert (truth.tolist(), prediction.tolist(), weights.tolist()) == ([5, 6, 7], [5, 5, 7], [1.0, 2.0, 3.0])
    assert truth.flags.writeable


@pytest.mark.parametrize("make", [np.array, list, lambda values: list(map(str, values))])
def test_columns_that_are_not_labels_are_refused(make: Make) -> None:
    with pytest.raises(InputError, match="5,001 different labels"):
        ContingencyTable.from_labels(make(range(5001)), make(range(5001)))


def test_as_many_labels_as_allowed_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_policies, "MAX_LABELS_IN_TABLE", 40)
    assert ContingencyTable.from_labels(range(40), range(40)).total == 40
    with pytest.raises(InputError, match="41 different labels"):
        ContingencyTable.from_labels(range(41), range(41))


@pytest.mark.parametrize(
    ("truth", "prediction", "weights", "message"),
    [
        ([1, 0], [1], None, "truth has 2, prediction has 1"),
        ([1], [1, 0], None, "truth has 1, prediction has 2"),
        ([1, 0], [1, 0], [1], "truth has 2, prediction has 2, weights has 1"),
        ([1, 0], [], None, "prediction has 0"),
    ],
)
def test_lengths_that_differ_are_said(truth: Any, prediction: Any, weights: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ContingencyTable.from_labels(truth, prediction, weights=weights)


def test_no_rows_at_all() -> None:
    with pytest.raises(InputError, match="no cases"):
        ContingencyTable.from_labels([], [])
    with pytest.raises(InputError, match="no cases"):
        ContingencyTable.from_labels(np.array([], dtype=np.int64), np.array([], dtype=np.int64))


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int16, np.uint16])
def test_narrow_integers_count_as_wide_ones(kind: Any) -> None:
    # So many combinations that no whole number holds them.
    highest = np.iinfo(kind).max
    columns = np.random.default_rng(0).choice([0, 1, highest], (9, 400)).astype(kind)
    names = [f"c{i}" for i in range(9)]
    assert count_joint(columns, names=names) == count_joint(columns.astype(np.int64), names=names)
