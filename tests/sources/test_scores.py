"""Scores of every kind become the floats they are, or are refused with a sentence."""

from __future__ import annotations

import decimal
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from edgeworth.errors import InputError
from edgeworth.sources.columns import Coded
from edgeworth.sources.numbers import MAX_EXACT_INTEGER, as_scores

SAME: dict[str, Any] = {
    "list": [3, -2.5, 0],
    "tuple": (3, -2.5, 0),
    "generator": (x for x in (3, -2.5, 0)),
    "float64": np.array([3, -2.5, 0]),
    "float32": np.array([3, -2.5, 0], dtype=np.float32),
    "float16": np.array([3, -2.5, 0], dtype=np.float16),
    "longdouble": np.array([3, -2.5, 0], dtype=np.longdouble),
    "one column": np.array([[3], [-2.5], [0]]),
    "every other row": np.array([3, 9, -2.5, 9, 0, 9])[::2],
    "big-endian": np.array([3, -2.5, 0], dtype=">f8"),
    "objects": np.array([3, -2.5, 0], dtype=object),
    "numpy scalars": [np.int8(3), np.float32(-2.5), np.uint64(0)],
    "decimals": [decimal.Decimal(3), decimal.Decimal("-2.5"), decimal.Decimal(0)],
    "fractions": [Fraction(3), Fraction(-5, 2), Fraction(0)],
    "pandas": pd.Series([3, -2.5, 0]),
    "pandas nullable": pd.Series([3, -2.5, 0], dtype="Float64"),
    "pandas categories": pd.Series([3.0, -2.5, 0.0]).astype("category"),
    "polars": pl.Series([3.0, -2.5, 0.0]),
    "polars decimal": pl.Series([decimal.Decimal(3), decimal.Decimal("-2.5"), decimal.Decimal(0)]),
    "arrow": pa.array([3, -2.5, 0]),
    "text of a file": Coded(np.array([0, 1, 2]), ("3", "-2.5", "0")),
}


@pytest.mark.parametrize("values", SAME.values(), ids=SAME)
def test_columns_of_every_kind(values: Any) -> None:
    result = as_scores(values)
    assert result.dtype == np.float64
    assert result.tolist() == [3.0, -2.5, 0.0]


@pytest.mark.parametrize(
    "kind", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool"]
)
def test_whole_numbers_of_every_width(kind: str) -> None:
    assert as_scores(np.array([1, 0, 1], dtype=kind)).tolist() == [1.0, 0.0, 1.0]


ABSENT: dict[str, Any] = {
    "None": [1, None],
    "NaN": np.array([1, np.nan]),
    "NaN in a list": [1, math.nan],
    "a decimal that is not a number": [decimal.Decimal(1), decimal.Decimal("nan")],
    "masked": np.ma.masked_array([1.0, 2.0], mask=[False, True]),
    "masked integers": np.ma.masked_array([1, 2], mask=[False, True]),
    "pandas nullable": pd.Series([1, None], dtype="Int64"),
    "pandas nullable float": pd.Series([1, None], dtype="Float64"),
    "pandas NA": [1, pd.NA],
    "polars": pl.Series([1, None]),
    "polars float": pl.Series([1.0, None]),
    "arrow": pa.array([1, None]),
    "an empty field of a file": Coded(np.array([0, -1]), ("1",)),
    "a field that says so": Coded(np.array([0, 1]), ("1", "nan")),
}


@pytest.mark.parametrize("values", ABSENT.values(), ids=ABSENT)
def test_a_missing_score_is_nan(values: Any) -> None:
    first, second = as_scores(values).tolist()
    assert first == 1
    assert math.isnan(second)


@pytest.mark.parametrize(
    "values",
    [
        [math.inf, -math.inf],
        np.array([np.inf, -np.inf], dtype=np.float32),
        Coded(np.array([0, 1]), ("inf", "-inf")),
    ],
)
def test_infinite_scores_are_scores(values: Any) -> None:
    assert as_scores(values).tolist() == [math.inf, -math.inf]


@pytest.mark.parametrize(
    "values", [[], (), np.zeros(0), pd.Series([], dtype=float), pl.Series([], dtype=pl.Int64)]
)
def test_nothing(values: Any) -> None:
    result = as_scores(values)
    assert (result.dtype, len(result)) == (np.float64, 0)


REFUSED: dict[str, Any] = {
    "text": ["0.5", "0.7"],
    "text among numbers": [0.5, "high"],
    "an array of text": np.array(["0.5", "0.7"]),
    "text in pandas": pd.Series(["0.5", "0.7"]),
    "categories of text": pd.Series(["low", "high"]).astype("category"),
    "text in polars": pl.Series(["0.5", "0.7"]),
    "categories of text in polars": pl.Series(["low", "high"], dtype=pl.Categorical),
    "text of a file": Coded(np.array([0, 1]), ("0.5", "high")),
    "complex": np.array([1 + 2j]),
    "complex objects": [1 + 2j],
    "dates": np.array(["2020-01-01"], dtype="datetime64[D]"),
    "durations": np.array([3], dtype="timedelta64[s]"),
    "lists": [[1], [2, 3]],
    "objects": [object()],
    "a fraction beyond floats": [Fraction(10**400)],
    "a matrix": np.zeros((2, 2)),
    "one text": "0.5",
    "a number": 0.5,
    "a dictionary": {"a": 1.0},
    "nothing": None,
}


@pytest.mark.parametrize("values", REFUSED.values(), ids=REFUSED)
def test_what_is_no_column_of_numbers_is_refused(values: Any) -> None:
    with pytest.raises(InputError, match=r"^hits must be (numbers|a column|one column)"):
        as_scores(values, "hits")


def test_the_text_that_was_seen_is_named() -> None:
    with pytest.raises(InputError, match=r"saw the text 'high' in row 2$"):
        as_scores([0.5, "high"])
    with pytest.raises(InputError, match=r"numbers or empty; saw the text 'N/A' in row 1"):
        as_scores(["N/A", 0.5])


HUGE: dict[str, Any] = {
    "int64": np.array([MAX_EXACT_INTEGER + 1, 0]),
    "negative": np.array([-MAX_EXACT_INTEGER - 1, 0]),
    "smallest": np.array([np.iinfo(np.int64).min]),
    "uint64": np.array([2**64 - 1], dtype=np.uint64),
    "python": [2**60, 2**60 + 1],
    "beyond every float": [10**400],
    "with floats": [0.5, 2**60],
    "with a missing one": [None, 2**60],
    "numpy scalars": [np.int64(2**60), np.int64(2**60 + 1)],
    "pandas nullable": pd.Series([2**60, None], dtype="Int64"),
    "polars": pl.Series([2**60, 2**60 + 1]),
    "polars with a null": pl.Series([2**60, None]),
    "arrow": pa.array([2**60, 2**60 + 1]),
}


@pytest.mark.parametrize("values", HUGE.values(), ids=HUGE)
def test_whole_numbers_that_floats_cannot_tell_apart_are_refused(values: Any) -> None:
    with pytest.raises(InputError, match=r"beyond 2\^53"):
        as_scores(values)


def test_the_largest_exact_whole_numbers_are_taken() -> None:
    numbers = [MAX_EXACT_INTEGER, MAX_EXACT_INTEGER - 1, -MAX_EXACT_INTEGER]
    assert as_scores(np.array(numbers)).tolist() == numbers
    assert as_scores(numbers).tolist() == numbers


def test_the_array_of_the_caller_is_not_changed() -> None:
    given = np.array([2.0, 1.0])
    assert as_scores(given) is given
    given.setflags(write=False)
    assert as_scores(given).tolist() == [2.0, 1.0]
