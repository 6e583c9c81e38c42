"""Every kind of column counts the same labels, exactly as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from edgeworth import ContingencyTable
from edgeworth.errors import InputError

Make = Callable[[list[Any]], Any]

NUMBERS = [3, 1, 2, 3, 3, 1, 2, 1]
WORDS = ["cat", "dog", "cat", "emu", "dog", "dog", "Cat", ""]
TRUTHS = [True, False, False, True, True, False, True, True]


def pairs(table: ContingencyTable) -> Counter[tuple[Any, Any]]:
    """The table as (truth, prediction) with how often it occurred."""
    counter: Counter[tuple[Any, Any]] = Counter()
    for row, predicted in enumerate(table.labels):
        for column, real in enumerate(table.labels):
            if table.counts[row, column]:
                counter[real, predicted] = int(table.counts[row, column])
    return counter


def assert_counts(make: Make, values: list[Any]) -> None:
    table = ContingencyTable.from_labels(make(values), make(values[::-1]))
    assert pairs(table) == Counter(zip(values, reversed(values), strict=True))
    # == takes True for 1 and 2.0 for 2; the labels must be of the kind that was given.
    assert {type(label) for label in table.labels} == {type(value) for value in values}


INTEGER_KINDS: dict[str, Make] = {
    "list": list,
    "tuple": tuple,
    "generator": iter,
    "list of numpy scalars": lambda values: [np.int16(value) for value in values],
    **{
        name: lambda values, name=name: np.array(values, dtype=name)
        for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
    },
    "numpy object": lambda values: np.array(values, dtype=object),
    "numpy big-endian": lambda values: np.array(values, dtype=">i4"),
    "numpy strided": lambda values: np.repeat(np.array(values), 2)[::2],
    "numpy column": lambda values: np.array(values).reshape(-1, 1),
    "whole floats": lambda values: np.array(values, dtype=np.float64),
    "whole half floats": lambda values: np.array(values, dtype=np.float16),
    "list of whole floats": lambda values: [float(value) for value in values],
    "masked without gaps": lambda values: np.ma.masked_array(values),
    "pandas int64": pd.Series,
    "pandas Int64": lambda values: pd.Series(values, dtype="Int64"),
    "pandas UInt8": lambda values: pd.Series(values, dtype="UInt8"),
    "pandas arrow": lambda values: pd.Series(values, dtype="int64[pyarrow]"),
    "pandas category": lambda values: pd.Series(values, dtype="category"),
    "pandas extension array": lambda values: pd.array(values, dtype="Int64"),
    "pandas index": pd.Index,
    "pandas with another index": lambda values: pd.Series(values, index=range(100, 100 + len(values))),
    "polars": pl.Series,
    "polars UInt8": lambda values: pl.Series(values, dtype=pl.UInt8),
    "arrow array": pa.array,
    "arrow chunks": lambda values: pa.chunked_array([values[:3], values[3:]]),
}

TEXT_KINDS: dict[str, Make] = {
    "list": list,
    "numpy <U": np.array,
    "numpy object": lambda values: np.array(values, dtype=object),
    "numpy bytes": lambda values: np.array([value.encode() for value in values]),
    "list of bytes": lambda values: [value.encode() for value in values],
    "numpy string dtype": lambda values: np.array(values, dtype=np.dtypes.StringDType()),
    "pandas": pd.Series,
    "pandas object": lambda values: pd.Series(values, dtype="object"),
    "pandas string": lambda values: pd.Series(values, dtype="string"),
    "pandas category": lambda values: pd.Series(values, dtype="category"),
    "pandas categorical": pd.Categorical,
    "polars String": pl.Series,
    "polars Categorical": lambda values: pl.Series(values, dtype=pl.Categorical),
    "polars Enum": lambda values: pl.Series(values, dtype=pl.Enum(sorted(set(values)))),
    "arrow array": pa.array,
    "arrow chunks": lambda values: pa.chunked_array([values[:3], values[3:]]),
    "arrow dictionary": lambda values: pa.chunked_array([pa.array(values).dictionary_encode()]),
}

BOOLEAN_KINDS: dict[str, Make] = {
    "list": list,
    "numpy": np.array,
    "numpy object": lambda values: np.array(values, dtype=object),
    "pandas": pd.Series,
    "pandas boolean": lambda values: pd.Series(values, dtype="boolean"),
    "polars": pl.Series,
    "arrow chunks": lambda values: pa.chunked_array([values]),
}


@pytest.mark.parametrize("make", INTEGER_KINDS.values(), ids=INTEGER_KINDS)
def test_integers(make: Make) -> None:
    assert_counts(make, NUMBERS)


@pytest.mark.parametrize("make", TEXT_KINDS.values(), ids=TEXT_KINDS)
def test_text(make: Make) -> None:
    assert_counts(make, WORDS)


@pytest.mark.parametrize("make", BOOLEAN_KINDS.values(), ids=BOOLEAN_KINDS)
def test_booleans(make: Make) -> None:
    assert_counts(make, TRUTHS)


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"])
def test_the_ends_of_each_integer_type(name: str) -> None:
    ends = np.iinfo(name)
    values = [int(ends.min), int(ends.max), int(ends.max) - 1, int(ends.max)]
    assert_counts(lambda values: np.array(values, dtype=name), values)


# A narrow range is counted in a full array; close to the ends of int64 its offset must not overflow.
@pytest.mark.parametrize("low", [2**53, 2**62, 2**63 - 2, -(2**63), -(2**62), 1_700_000_000_000_000_000])
def test_neighbouring_large_integers_stay_apart(low: int) -> None:
    assert_counts(lambda values: np.array(values, dtype=np.int64), [low, low + 1, low, low])
    assert_counts(list, [low, low + 1, low, low])


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([2**60 + 1, None], dtype="Int64"),
        pd.Series([2**60 + 1, None], dtype="int64[pyarrow]"),
        pl.Series([2**60 + 1, None]),
        pa.chunked_array([[2**60 + 1, None]]),
        pa.array([2**60 + 1, None]),
        np.ma.masked_array([2**60 + 1, 0], [False, True]),
    ],
    ids=["pandas Int64", "pandas arrow", "polars", "arrow chunks", "arrow array", "masked"],
)
def test_a_gap_does_not_turn_large_integers_into_their_neighbours(column: Any) -> None:
    table = ContingencyTable.from_labels(column, column, missing="drop")
    assert table.labels == (2**60 + 1,)
    assert table.dropped == 1


def test_integers_beyond_every_machine_type() -> None:
    assert_counts(list, [10**30, 10**30 + 1, 10**30])
    assert_counts(lambda values: np.array(values, dtype=np.uint64), [2**63, 2**64 - 1, 5, 2**63 + 1])


def test_true_one_and_one_point_nothing_are_one_label() -> None:
    table = ContingencyTable.from_labels([True, 1, 1.0, 0, 5], [1, 1.0, True, False, 5])
    assert table.counts.tolist() == [[1, 0, 0], [0, 3, 0], [0, 0, 1]]
    assert list(map(repr, table.labels)) == ["0", "1", "5"]


@pytest.mark.parametrize("make", [list, np.array], ids=["lists", "arrays"])
def test_booleans_beside_numbers_are_numbers(make: Make) -> None:
    """However they arrive, so that shards of one column do not print differently."""
    mixed = ContingencyTable.from_labels(make([True, False]), make([1, 0]))
    assert list(map(repr, mixed.labels)) == ["0", "1"]


def test_zero_has_no_sign() -> None:
    table = ContingencyTable.from_labels([-0.0, 0, 0.0, 1], np.array([0.0, -0.0, 0.0, 1.0]))
    assert list(map(repr, table.labels)) == ["0", "1"]
    assert table.counts.tolist() == [[3, 0], [0, 1]]


def test_fractions_and_infinities_are_labels_too() -> None:
    infinity = float("inf")
    table = ContingencyTable.from_labels([0.5, infinity, 2.0, -infinity], [0.5, infinity, 2, 2])
    assert table.labels == (-infinity, 0.5, 2, infinity)


def test_text_and_numbers_that_look_alike_are_different_labels() -> None:
    table = ContingencyTable.from_labels(["1", 1, "a"], [1, 1, "a"])
    assert table.labels == (1, "1", "a")
    assert table.counts.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1]]


@pytest.mark.parametrize(
    ("column", "message"),
    [
        ("abc", "saw str"),
        (b"abc", "saw bytes"),
        ({"a": 1}, "saw dict"),
        (5, "saw int"),
        (None, "saw NoneType"),
        (np.zeros((3, 2)), r"shape \(3, 2\)"),
        (np.array(5), r"shape \(\)"),
        ([[1], [2], [3]], "holds lists of labels"),
        ([{"a": 1}] * 3, "holds a dict"),
    ],
)
def test_what_is_no_column_of_labels_is_refused_by_name(column: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"prediction .*{message}"):
        ContingencyTable.from_labels([1, 2, 3], column)


def test_truth_as_text_and_prediction_as_numbers_is_refused() -> None:
    """They would never agree, and B of that would be a wrong number."""
    with pytest.raises(InputError, match=r"'0' \(str\) where prediction has 0 \(int\)"):
        ContingencyTable.from_labels(["0", "1"], [0, 1])
