"""Probabilities of every kind become rows of floats, or are refused with a sentence that names the row."""

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

import edgeworth as ew
from edgeworth.common.arrays import row_sums
from edgeworth.errors import InputError
from edgeworth.sources.columns import Coded
from edgeworth.sources.numbers import (
    FLOAT16_SUM_ERROR,
    as_probabilities,
    check_probabilities,
    names_of_columns,
    stack_columns,
)

ROWS = [[0.25, 0.75], [1.0, 0.0], [0.5, 0.5]]

TABLES: dict[str, Any] = {
    "lists": ROWS,
    "tuples": tuple(map(tuple, ROWS)),
    "list of arrays": [np.array(row) for row in ROWS],
    "array": np.array(ROWS),
    "float32": np.array(ROWS, dtype=np.float32),
    "columns first": np.asfortranarray(ROWS),
    "every other row": np.repeat(ROWS, 2, axis=0)[::2],
    "big-endian": np.array(ROWS, dtype=">f8"),
    "objects": np.array(ROWS, dtype=object),
    "decimals": [[decimal.Decimal(str(x)) for x in row] for row in ROWS],
    "fractions": [[Fraction(x) for x in row] for row in ROWS],
    "pandas": pd.DataFrame(ROWS),
    "pandas, its own rows": pd.DataFrame(ROWS, index=[7, 7, 9]),
    "pandas nullable": pd.DataFrame(ROWS, columns=["a", "b"]).astype("Float64"),
    "pandas, kinds mixed": pd.DataFrame(ROWS, columns=["a", "b"]).astype({"a": "Float64", "b": "float32"}),
    "polars": pl.DataFrame(ROWS, schema=["a", "b"], orient="row"),
    "arrow": pa.table({"a": [row[0] for row in ROWS], "b": [row[1] for row in ROWS]}),
}


@pytest.mark.parametrize("values", TABLES.values(), ids=TABLES)
def test_tables_of_every_kind(values: Any) -> None:
    result = as_probabilities(values)
    assert result.dtype == np.float64
    assert result.tolist() == ROWS


SINGLE: dict[str, Any] = {
    "list": [0.25, 1, 0],
    "array": np.array([0.25, 1, 0]),
    "an array of one column": np.array([[0.25], [1], [0]]),
    "lists of one": [[0.25], [1], [0]],
    "pandas series": pd.Series([0.25, 1, 0]),
    "pandas frame of one column": pd.DataFrame({"p": [0.25, 1, 0]}),
    "polars series": pl.Series([0.25, 1.0, 0.0]),
    "polars frame of one column": pl.DataFrame({"p": [0.25, 1.0, 0.0]}),
    "arrow": pa.array([0.25, 1.0, 0.0]),
    "text of a file": Coded(np.array([0, 1, 2]), ("0.25", "1", "0")),
}


@pytest.mark.parametrize("values", SINGLE.values(), ids=SINGLE)
def test_one_column_of_every_kind(values: Any) -> None:
    result = as_probabilities(values)
    assert result.dtype == np.float64
    assert result.tolist() == [0.25, 1.0, 0.0]


def test_float64_is_not_copied() -> None:
    values = np.array(ROWS)
    assert as_probabilities(values) is values
    assert check_probabilities(values) is values


REFUSED: dict[str, tuple[Any, str]] = {
    "ragged": ([[0.5, 0.5], [0.2, 0.3, 0.5]], "row 1 has 2, row 2 has 3"),
    "a number among rows": ([[0.5, 0.5], 0.5], "row 1 has 2, row 2 has 1"),
    "a row among numbers": ([0.5, [0.5, 0.5]], "row 1 has 1, row 2 has 2"),
    "text": ([["0.5", "0.5"]], "must be numbers"),
    "text among numbers": ([[0.5, "half"]], "must be numbers"),
    "an array of text": (np.array([["0.5", "0.5"]]), "must be numbers"),
    "complex": (np.array([[0.5 + 0j, 0.5]]), "must be numbers"),
    "three dimensions": (np.zeros((2, 2, 2)), r"\(2, 2, 2\)"),
    "no dimension": (np.array(0.5), "one column"),
    "a number": (0.5, "saw float"),
    "a word": ("half", "saw str"),
    "a frame of text": (pd.DataFrame({"a": ["x"], "b": ["y"]}), "column 'a' must be numbers"),
    "a frame with columns of one name": (pd.DataFrame([[0.5, 0.5]], columns=["a", "a"]), "of one name"),
}


@pytest.mark.parametrize(("values", "message"), REFUSED.values(), ids=REFUSED)
def test_what_are_no_probabilities(values: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        as_probabilities(values)


ABSENT: dict[str, Any] = {
    "nan": np.array([[0.5, 0.5], [np.nan, 1]]),
    "None": [[0.5, 0.5], [None, 1]],
    "pandas NA": [[0.5, 0.5], [pd.NA, 1]],
    "masked": np.ma.masked_array([[0.5, 0.5], [0.0, 1]], mask=[[0, 0], [1, 0]]),
    "pandas nullable": pd.DataFrame({"a": [0.5, None], "b": [0.5, 1]}, dtype="Float64"),
    "polars": pl.DataFrame({"a": [0.5, None], "b": [0.5, 1.0]}),
}


@pytest.mark.parametrize("values", ABSENT.values(), ids=ABSENT)
def test_a_missing_probability_is_refused_by_row_and_column(values: Any) -> None:
    with pytest.raises(InputError, match=r"row 2, column 1 is missing \(nan\): .*--missing drop"):
        check_probabilities(as_probabilities(values))


def test_nothing_outside_0_and_1() -> None:
    for wrong, text in [(-1e-300, "-1e-300"), (1 + 2**-52, "1.0000000000000002"), (np.inf, "inf")]:
        with pytest.raises(InputError, match=f"row 12, column 2 has {text}"):
            check_probabilities(np.array([[0.5, 0.5], [0, wrong]]), first_row=11)
        with pytest.raises(InputError, match=f"row 2 has {text}"):
            check_probabilities(np.array([0.5, wrong]))


def test_a_row_must_add_up_to_1() -> None:
    with pytest.raises(InputError, match=r"row 1,000,001 add up to 0\.99, not 1 \(within 0\.00049\)"):
        check_probabilities(np.array([[0.5, 0.5], [0.5, 0.49]]), first_row=10**6)
    for off in (0.99 * FLOAT16_SUM_ERROR, -0.99 * FLOAT16_SUM_ERROR):
        near = np.array([[0.5, 0.5 + off]])
        np.testing.assert_allclose(check_probabilities(near), near / (1 + off), rtol=1e-15)
        assert near[0, 1] == 0.5 + off
    for off in (1.01 * FLOAT16_SUM_ERROR, -1.01 * FLOAT16_SUM_ERROR):
        with pytest.raises(InputError, match="add up to"):
            check_probabilities(np.array([[0.5, 0.5 + off]]))


def test_half_precision_and_five_digits_add_up() -> None:
    rng = np.random.default_rng(5)
    for classes in (2, 5, 300):
        rows = rng.dirichlet(np.full(classes, 0.3), 2000)
        for rounded in (rows.astype(np.float16).astype(np.float64), rows.round(5)):
            result = check_probabilities(rounded)
            np.testing.assert_allclose(result.sum(axis=1), 1, rtol=1e-14)
            np.testing.assert_allclose(result, rounded, rtol=2e-3)


def test_a_report_says_that_rows_were_rescaled() -> None:
    rows = np.random.default_rng(6).dirichlet(np.ones(3), 200)
    truth, short = np.arange(200) % 3, rows.round(5)
    short[0] = [0.33333, 0.33333, 0.33333]
    texts = [w for w in ew.evaluate(truth=truth, probabilities=short).warnings if "within rounding" in w]
    assert len(texts) == 1
    assert not any("within rounding" in w for w in ew.evaluate(truth=truth, probabilities=rows).warnings)
    compared = ew.compare(truth=truth, systems={"A": rows, "B": short}, kind="probabilities")
    assert any("within rounding" in w for w in compared.report.warnings)


def test_rows_that_add_up_to_1_but_for_rounding_are_not_copied() -> None:
    exact = np.random.default_rng(0).dirichlet(np.ones(5), 1000)
    assert check_probabilities(exact) is exact
    mixed = exact.copy()
    mixed[7] *= 1 + 5e-7
    result = check_probabilities(mixed)
    assert result[7].sum() == pytest.approx(1, abs=1e-15)
    others = np.arange(1000) != 7
    # A row comes out the same whatever its neighbours are.
    np.testing.assert_array_equal(result[others], exact[others])
    np.testing.assert_array_equal(result[7], check_probabilities(mixed[7:8])[0])


def test_normalise_divides_by_the_sum() -> None:
    given = np.array([[0.2, 0.2, 0.4], [0, 0, 1], [1, 1, 1]])
    result = check_probabilities(given, normalise=True)
    np.testing.assert_allclose(result, [[0.25, 0.25, 0.5], [0, 0, 1], [1 / 3, 1 / 3, 1 / 3]], rtol=1e-15)
    assert given[0, 0] == 0.2
    with pytest.raises(InputError, match="row 2 are all 0"):
        check_probabilities(np.array([[0.5, 0.5], [0, 0]]), normalise=True)
    with pytest.raises(InputError, match="row 1, column 1 is missing"):
        check_probabilities(np.array([[np.nan, 0.5]]), normalise=True)


def test_one_column_becomes_two_and_two_are_the_least() -> None:
    assert check_probabilities(np.array([0.25, 1])).tolist() == [[0.75, 0.25], [0, 1]]
    with pytest.raises(InputError, match="saw 1"):
        check_probabilities(np.array([[1.0]]))
    assert check_probabilities(np.zeros((0, 3))).shape == (0, 3)
    assert check_probabilities(np.zeros(0)).shape == (0, 2)


def test_names_of_columns() -> None:
    assert names_of_columns(pd.DataFrame(ROWS)) == (0, 1)
    assert names_of_columns(pl.DataFrame({"b": [0.5], "a": [0.5]})) == ("b", "a")
    assert names_of_columns(np.array(ROWS)) is None
    assert names_of_columns(pd.Series([0.5])) is None


def test_columns_side_by_side() -> None:
    assert stack_columns([[0.5, 1], [0.5, 0]], ["a", "b"]).tolist() == [[0.5, 0.5], [1, 0]]
    with pytest.raises(InputError, match="b must be numbers"):
        stack_columns([[0.5], ["x"]], ["a", "b"])
    with pytest.raises(InputError, match="saw none"):
        stack_columns([], [])


@pytest.mark.parametrize("classes", [2, 3, 5, 8, 17])
def test_rows_are_added_up_however_they_lie_in_memory(classes: int) -> None:
    rng = np.random.default_rng(classes)
    for rows in (0, 1, 2, 3, 8, 9, 40):
        table = rng.random((rows, classes))
        assert row_sums(table).tolist() == row_sums(np.asfortranarray(table)).tolist()
        assert row_sums(table).tolist() == [row_sums(row[None])[0] for row in table]
        np.testing.assert_allclose(row_sums(table), list(map(math.fsum, table)), rtol=1e-15)
