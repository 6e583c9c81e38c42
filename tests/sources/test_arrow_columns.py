"""An Arrow column gives the values that the same column gives in memory."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from edgeworth.errors import InputError
from edgeworth.sources.arrow import arrow_column
from edgeworth.sources.columns import Coded, Column, as_column, encode
from edgeworth.sources.numbers import as_scores, as_weights

ZURICH = pa.timestamp("us", "Europe/Zurich")

COLUMNS: dict[str, Any] = {
    "int8": pa.array([1, -2, 1], pa.int8()),
    "int64 with a gap": pa.array([2**62 + 1, None, -(2**63)], pa.int64()),
    "uint64": pa.array([2**64 - 1, 0], pa.uint64()),
    "uint64 with a gap": pa.array([2**64 - 1, None, 2**63], pa.uint64()),
    "float16": pa.array(np.array([1.5, 0.25], np.float16)),
    "float32": pa.array([0.1, None, 0.1], pa.float32()),
    "float64": pa.array([0.0, -0.0, float("nan"), None, float("inf"), 2.0]),
    "booleans": pa.array([True, False, True]),
    "booleans with a gap": pa.array([True, None, False]),
    "text": pa.array(["a", "b ", "", "a", "é", "\0", "A", "b"]),
    "text with a gap": pa.array(["a", None, "a"]),
    "large text": pa.array(["a", None, "b"], pa.large_string()),
    "text views": pa.array(["a", None, "a longer text than twelve bytes"], pa.string_view()),
    "categories": pa.array(["a", None, "b", "a"]).dictionary_encode(),
    "categories of integers": pa.array([7, None, 2**60, 7]).dictionary_encode(),
    "a null among the categories": pa.DictionaryArray.from_arrays(
        pa.array([0, 1, None, 2], pa.uint8()), pa.array(["a", None, "b"])
    ),
    "a category twice": pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0]), pa.array(["a", "b", "a"])),
    "more categories than rows": pa.DictionaryArray.from_arrays(pa.array([3]), pa.array(list("abcdef"))),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([2, 3, 4], pa.int32()), pa.array(["a", None, "b"])),
    "decimals": pa.array([Decimal("1.50"), None, Decimal("2.00")]),
    "wide decimals": pa.array([Decimal("1.50")], pa.decimal256(60, 2)),
    "dates": pa.array([dt.date(2020, 2, 29), None]),
    "nanoseconds": pa.array([1_000, None], pa.timestamp("ns")),
    "with a zone": pa.array([dt.datetime(2020, 1, 1, tzinfo=dt.UTC), None], ZURICH),
    "times of day": pa.array([dt.time(1, 2), None]),
    "bytes": pa.array([b"a", None, b"\xff"]),
    "nothing": pa.nulls(3),
    "an extension": pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0123456789abcdef"], pa.binary(16))),
}


def values(column: Column) -> list[Any]:
    """What each row holds, missing ones as None, in a form that tells True from 1 and 1 from 1.0."""
    coded = encode(column, "column")
    return [None if code < 0 else repr(coded.labels[code]) for code in coded.codes.tolist()]


@pytest.mark.parametrize("array", COLUMNS.values(), ids=COLUMNS)
def test_the_same_values_as_in_memory(array: Any) -> None:
    assert values(arrow_column(array, "x")) == values(as_column(pa.chunked_array([array]), "x"))
    assert len(arrow_column(array, "x")) == len(array)


@pytest.mark.parametrize("array", COLUMNS.values(), ids=COLUMNS)
def test_a_slice_is_the_values_of_its_rows(array: Any) -> None:
    rest = array.slice(1)
    assert values(arrow_column(rest, "x")) == values(as_column(pa.chunked_array([rest]), "x"))
    assert len(arrow_column(rest, "x")) == len(array) - 1


def test_integers_stay_what_they_are() -> None:
    """Expected values written by hand: two paths could be wrong in the same way."""
    column = arrow_column(COLUMNS["uint64 with a gap"], "x")
    assert isinstance(column, Coded)
    assert column.labels == (18446744073709551615, 9223372036854775808)
    assert column.codes.tolist() == [0, -1, 1]
    whole = arrow_column(pa.array([3, 1], pa.int32()), "x")
    assert isinstance(whole, np.ndarray)
    assert whole.dtype == np.int32


def test_text_is_coded() -> None:
    column = arrow_column(pa.array(["b", None, "a", "b"]), "x")
    assert isinstance(column, Coded)
    assert column.labels == ("b", "a")
    assert column.codes.tolist() == [0, -1, 1, 0]


NUMBERS = ["int8", "int64 with a gap", "float32", "float64", "booleans", "booleans with a gap", "decimals"]


@pytest.mark.parametrize("name", NUMBERS)
def test_scores_and_weights_are_those_in_memory(name: str) -> None:
    array = COLUMNS[name]
    memory = as_column(pa.chunked_array([array]), "x")
    if name != "int64 with a gap":
        np.testing.assert_array_equal(as_scores(arrow_column(array, "x")), as_scores(memory))
    ours, theirs = as_weights(arrow_column(array, "x")), as_weights(memory)
    assert ours.dtype.kind == theirs.dtype.kind
    np.testing.assert_array_equal(ours, theirs)


def test_large_integers_with_a_gap_are_refused_as_scores() -> None:
    with pytest.raises(InputError, match=r"beyond 2\^53"):
        as_scores(arrow_column(COLUMNS["int64 with a gap"], "x"))


def test_a_list_is_no_label() -> None:
    with pytest.raises(InputError, match="cannot be a label"):
        encode(arrow_column(pa.array([{"a": 1}]), "x"), "x")
