"""Tables that were counted elsewhere: which way round, and what is no table."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from edgeworth import ContingencyTable
from edgeworth.errors import InputError, OptionError

POSTER = [[12, 28], [18, 42]]


def test_rows_predicted() -> None:
    table = ContingencyTable.from_matrix(POSTER, rows="predicted", labels=["noun", "verb"])
    assert table.counts.tolist() == POSTER
    assert table.predicted.tolist() == [40, 60]
    assert table.real.tolist() == [30, 70]
    assert table.total == 100
    assert table.abstained.tolist() == [0, 0]


def test_rows_real_is_the_other_way_round() -> None:
    table = ContingencyTable.from_matrix(POSTER, rows="real", labels=["noun", "verb"])
    assert table.counts.tolist() == [[12, 18], [28, 42]]
    assert table.real.tolist() == [40, 60]
    assert table == ContingencyTable.from_matrix(
        np.transpose(POSTER), rows="predicted", labels=["noun", "verb"]
    )


def test_rows_must_be_said() -> None:
    with pytest.raises(TypeError, match="rows"):
        ContingencyTable.from_matrix(POSTER)
    with pytest.raises(OptionError, match="'columns'"):
        ContingencyTable.from_matrix(POSTER, rows="columns")


@pytest.mark.parametrize(
    "matrix",
    [
        [[3, 1], [0, 2]],
        ((3, 1), (0, 2)),
        np.array([[3, 1], [0, 2]], dtype=np.uint8),
        [[3.0, 1.0], [0.0, 2.0]],
        np.array([[3, 1], [0, 2]], dtype=np.float32),
        [["3", "1.0"], ["0", "2"]],
        [[Fraction(3), Fraction(1)], [Fraction(0), Fraction(2)]],
        pd.DataFrame([[3, 1], [0, 2]]),
    ],
    ids=["lists", "tuples", "uint8", "whole floats", "float32", "text", "fractions", "pandas"],
)
def test_whole_numbers_are_counts(matrix: Any) -> None:
    table = ContingencyTable.from_matrix(matrix, rows="predicted")
    assert table.counts.tolist() == [[3, 1], [0, 2]]
    assert table.cells.dtype == np.int64
    assert table.squared is None


def test_fractions_are_taken_as_cases_and_rule_exact_tests_out() -> None:
    table = ContingencyTable.from_matrix([[58.1, 20.4], [11.9, 9.6]], rows="predicted")
    assert table.counts.tolist() == [[58.1, 20.4], [11.9, 9.6]]
    assert not table.is_counted
    assert table.effective_size == pytest.approx(100)


def test_the_table_does_not_share_memory_with_the_matrix() -> None:
    for kind in (np.int64, np.float64):
        matrix = np.array([[3, 1], [0, 2]], dtype=kind) + kind(0)
        table = ContingencyTable.from_matrix(matrix, rows="predicted")
        matrix[0, 0] = 99
        assert table.counts[0, 0] == 3


def test_labels_keep_the_order_of_the_matrix() -> None:
    table = ContingencyTable.from_matrix(POSTER, rows="predicted", labels=["verb", "noun"])
    assert table.labels == ("verb", "noun")
    assert ContingencyTable.from_matrix(POSTER, rows="predicted").labels == (0, 1)


def test_labels_are_put_in_their_one_form() -> None:
    table = ContingencyTable.from_matrix(POSTER, rows="real", labels=np.array([1.0, 0.0]))
    assert list(map(repr, table.labels)) == ["1", "0"]
    table = ContingencyTable.from_matrix(POSTER, rows="real", labels=[b"noun", np.str_("verb")])
    assert list(map(repr, table.labels)) == ["'noun'", "'verb'"]


def test_the_positive_label_may_be_declared() -> None:
    table = ContingencyTable.from_matrix(POSTER, rows="real", labels=["noun", "verb"], positive="noun")
    assert table.positive == "noun"
    with pytest.raises(InputError, match="no label 'adverb'"):
        ContingencyTable.from_matrix(POSTER, rows="real", labels=["noun", "verb"], positive="adverb")


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1, 2, 3], [4, 5, 6]], r"square.*\(2, 3\)"),
        ([1, 2, 3, 4], r"square.*\(4,\)"),
        (5, r"square.*\(\)"),
        ([[[1]]], r"square.*\(1, 1, 1\)"),
        ([], r"square.*\(0,\)"),
        (np.zeros((0, 0)), "empty"),
        ([[1, 2], [3]], "rows of equal length"),
        ([[1, "x"], [3, 4]], "needs numbers"),
        ([[1, -2], [3, 4]], "at least 0; saw -2"),
        ([[1, float("nan")], [3, 4]], "finite.*saw nan"),
        ([[1, float("inf")], [3, 4]], "finite.*saw inf"),
        ([[1, None], [3, 4]], "finite.*saw nan"),
    ],
)
def test_what_is_no_table_of_counts(matrix: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        ContingencyTable.from_matrix(matrix, rows="predicted")


@pytest.mark.parametrize(
    "matrix",
    [
        [[1e19, 1], [1, 1]],
        [[2**64, 1], [1, 1]],
        np.array([[2**63, 1], [1, 1]], dtype=np.uint64),
        # Each fits, and their sum does not.
        [[2**62, 2**62], [2**62, 2**62]],
    ],
    ids=["float", "python integer", "uint64", "sum"],
)
def test_counts_too_large_to_add_are_refused(matrix: Any) -> None:
    """They would come out negative."""
    with pytest.raises(InputError, match="count"):
        ContingencyTable.from_matrix(matrix, rows="predicted")


@pytest.mark.parametrize(
    "labels",
    [["a"], ["a", "b", "c"], ["a", "a"], [1, True], [1, 1.0], []],
    ids=["too few", "too many", "twice", "True is 1", "1.0 is 1", "none"],
)
def test_labels_that_do_not_fit(labels: Any) -> None:
    with pytest.raises(InputError, match="needs 2 different labels"):
        ContingencyTable.from_matrix(POSTER, rows="predicted", labels=labels)


@pytest.mark.parametrize("nothing", [None, float("nan")])
def test_a_missing_value_is_no_label(nothing: Any) -> None:
    """It is none in from_labels either, and NaN would not even equal itself."""
    with pytest.raises(InputError, match="label"):
        ContingencyTable.from_matrix(POSTER, rows="predicted", labels=[nothing, "a"])


@pytest.mark.parametrize("count", [1e71, 1e300, 1e-71, 5e-324])
def test_counts_whose_squares_are_no_floats_are_refused(count: float) -> None:
    with pytest.raises(InputError, match=r"between 1e-70 and 1e\+70; saw"):
        ContingencyTable.from_matrix([[count, 2.5], [3, 4]], rows="predicted")
