"""What is missing: an error, dropped and counted, or an abstention."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import edgeworth as ew
from edgeworth import ContingencyTable, EdgeworthError, Paired
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.columns import BLOCK_ROWS

NOTHING = {
    "None": None,
    "nan": float("nan"),
    "numpy nan": np.float32("nan"),
    "pandas NA": pd.NA,
    "NaT": pd.NaT,
    "numpy NaT": np.datetime64("NaT"),
    "decimal nan": Decimal("NaN"),
}

WITH_GAP: dict[str, Any] = {
    "list": ["a", None, "b"],
    "object array": np.array(["a", None, "b"], dtype=object),
    "masked": np.ma.masked_array(["a", "x", "b"], [False, True, False]),
    "pandas": pd.Series(["a", None, "b"]),
    "pandas object": pd.Series(["a", None, "b"], dtype="object"),
    "pandas string": pd.Series(["a", None, "b"], dtype="string"),
    "pandas category": pd.Series(["a", None, "b"], dtype="category"),
    "pandas categorical": pd.Categorical(["a", None, "b"]),
    "polars String": pl.Series(["a", None, "b"]),
    "polars Categorical": pl.Series(["a", None, "b"], dtype=pl.Categorical),
    "polars Enum": pl.Series(["a", None, "b"], dtype=pl.Enum(["a", "b"])),
    "arrow array": pa.array(["a", None, "b"]),
    "arrow chunks": pa.chunked_array([["a", None, "b"]]),
    "arrow dictionary": pa.chunked_array([pa.array(["a", None, "b"]).dictionary_encode()]),
    "arrow dictionary array": pa.array(["a", None, "b"]).dictionary_encode(),
}

NUMBERS_WITH_GAP: dict[str, Any] = {
    "float array": np.array([1, np.nan, 0]),
    "masked": np.ma.masked_array([1, 5, 0], [False, True, False]),
    "pandas float": pd.Series([1, None, 0]),
    "pandas Int64": pd.Series([1, None, 0], dtype="Int64"),
    "pandas Float64": pd.Series([1, None, 0], dtype="Float64"),
    "pandas boolean": pd.Series([True, None, False], dtype="boolean"),
    "pandas category": pd.Series([1, None, 0], dtype="category"),
    "polars Int64": pl.Series([1, None, 0]),
    "polars Float64": pl.Series([1.0, None, 0.0]),
    "polars Boolean": pl.Series([True, None, False]),
    "arrow chunks": pa.chunked_array([[1, None, 0]]),
    "arrow booleans": pa.chunked_array([[True, None, False]]),
}


@pytest.mark.parametrize("nothing", NOTHING.values(), ids=NOTHING)
def test_missing_is_an_error_that_names_column_and_row(nothing: Any) -> None:
    with pytest.raises(InputError, match=r"truth is missing in row 2 \(1 such row\)"):
        ContingencyTable.from_labels(["a", nothing, "b"], ["a", "a", "b"])
    with pytest.raises(InputError, match=r"prediction is missing in row 3 \(2 such rows\)"):
        ContingencyTable.from_labels(["a", "a", "b", "b"], ["a", "a", nothing, nothing])


@pytest.mark.parametrize("nothing", NOTHING.values(), ids=NOTHING)
def test_missing_can_be_dropped_and_is_counted(nothing: Any) -> None:
    table = ContingencyTable.from_labels(["a", nothing, "b", "a"], ["a", "a", nothing, "b"], missing="drop")
    assert table.dropped == 2
    assert table.labels == ("a", "b")
    assert table.counts.tolist() == [[1, 0], [1, 0]]


@pytest.mark.parametrize("nothing", NOTHING.values(), ids=NOTHING)
def test_a_missing_prediction_can_be_an_abstention(nothing: Any) -> None:
    table = ContingencyTable.from_labels(["a", "b", "b"], ["a", nothing, "b"], missing="abstain")
    assert table.abstained.tolist() == [0, 1]
    assert table.counts.tolist() == [[1, 0], [0, 1]]
    assert table.dropped == 0


def test_missing_truth_is_never_an_abstention() -> None:
    with pytest.raises(InputError, match="truth is missing in row 1"):
        ContingencyTable.from_labels([None, "b"], ["a", "b"], missing="abstain")


@pytest.mark.parametrize("column", WITH_GAP.values(), ids=WITH_GAP)
def test_a_gap_in_every_kind_of_text(column: Any) -> None:
    other = ["a", "b", "b"]
    as_truth = ContingencyTable.from_labels(column, other, missing="drop")
    assert (as_truth.dropped, as_truth.counts.tolist()) == (1, [[1, 0], [0, 1]])
    as_prediction = ContingencyTable.from_labels(other, column, missing="abstain")
    assert as_prediction.abstained.tolist() == [0, 1]
    with pytest.raises(InputError, match="prediction is missing in row 2"):
        ContingencyTable.from_labels(other, column)


@pytest.mark.parametrize("column", NUMBERS_WITH_GAP.values(), ids=NUMBERS_WITH_GAP)
def test_a_gap_in_every_kind_of_number(column: Any) -> None:
    table = ContingencyTable.from_labels([1, 0, 0], column, missing="abstain")
    assert table.labels == (0, 1)
    assert table.abstained.tolist() == [1, 0]
    assert table.counts.tolist() == [[1, 0], [0, 1]]


def test_the_row_of_a_gap_in_a_late_block() -> None:
    truth = np.zeros(BLOCK_ROWS + 10)
    truth[BLOCK_ROWS + 2] = np.nan
    with pytest.raises(InputError, match=f"row {BLOCK_ROWS + 3:,}"):
        ContingencyTable.from_labels(truth, np.zeros(BLOCK_ROWS + 10))


def test_dropped_counts_rows_not_weight() -> None:
    table = ContingencyTable.from_labels(["a", None], ["a", "a"], weights=[2, 100], missing="drop")
    assert (table.dropped, table.total) == (1, 2)


def test_a_label_only_in_dropped_rows_is_no_label() -> None:
    """As if the rows had been removed beforehand."""
    table = ContingencyTable.from_labels(["a", None, "b"], ["a", "ghost", "b"], missing="drop")
    assert table.labels == ("a", "b")


def test_nothing_left_after_dropping() -> None:
    for prediction in (["x", "y"], [None, None]):
        with pytest.raises(EdgeworthError, match="no cases"):
            ContingencyTable.from_labels([None, None], prediction, missing="drop")


def test_a_policy_that_does_not_exist() -> None:
    with pytest.raises(OptionError, match="'ignore'"):
        ContingencyTable.from_labels([1], [1], missing="ignore")


def test_the_label_that_means_no_decision() -> None:
    table = ContingencyTable.from_labels(["a", "b", "b", "a"], ["a", "?", "b", "?"], abstain="?")
    assert table.labels == ("a", "b")
    assert table.abstained.tolist() == [1, 1]
    assert table.total == 2


@pytest.mark.parametrize("abstain", [-1, -1.0, np.int8(-1), np.float64(-1)])
def test_a_number_that_means_no_decision(abstain: Any) -> None:
    table = ContingencyTable.from_labels(np.array([0, 1, 1]), np.array([0, -1, 1]), abstain=abstain)
    assert table.labels == (0, 1)
    assert table.abstained.tolist() == [0, 1]


def test_no_decision_that_is_also_a_real_class_stays_a_class() -> None:
    table = ContingencyTable.from_labels(["a", "other", "other"], ["a", "a", "other"], abstain="other")
    assert table.labels == ("a", "other")
    assert table.counts.tolist() == [[1, 1], [0, 0]]
    assert table.abstained.tolist() == [0, 1]


def test_an_abstention_that_never_occurs_changes_nothing() -> None:
    with_option = ContingencyTable.from_labels(["a", "b"], ["a", "b"], abstain="?")
    assert with_option == ContingencyTable.from_labels(["a", "b"], ["a", "b"])


def test_paired_and_clustered_have_the_same_policies() -> None:
    truth, prediction = ["a", None, "b", "b"], ["a", "a", None, "b"]
    with pytest.raises(InputError, match="truth is missing in row 2"):
        Paired.from_labels(truth, {"only": prediction})
    with pytest.raises(InputError, match="truth is missing in row 2"):
        ContingencyTable.from_labels(truth, prediction, clusters=[1, 2, 3, 4])
    dropped = ContingencyTable.from_labels(truth, prediction, missing="drop")
    assert Paired.from_labels(truth, {"only": prediction}, missing="drop").table("only") == dropped
    clustered = ContingencyTable.from_labels(truth, prediction, clusters=[1, 2, 3, 4], missing="drop")
    assert replace(clustered, clusters=None) == dropped


@pytest.mark.parametrize("abstain", ["?", ["?", "!"], ("!", "?")])
def test_a_tally_counts_no_decision_before_its_report(abstain: Any, tmp_path: Path) -> None:
    """Measures of a tally that is not reported on yet knew one label that means no decision, but no list."""
    truth, prediction = ["a", "b", "a", "b", "a"], ["a", "?", "!", "b", "b"]
    wanted = ContingencyTable.from_labels(truth, prediction, abstain=abstain)
    record = ew.tally(truth=truth, prediction=prediction, abstain=abstain)
    assert ew.measure(record.tally, "coverage") == ew.measure(wanted, "coverage")
    assert record.tally.labels == wanted.labels
    assert record.tally.abstained.tolist() == wanted.abstained.tolist()
    path = tmp_path / "tips.csv"
    path.write_text("y,p\n0,0\n1,-1.0\n0,-2\n1,1\n")
    of_file = ew.tally(path, truth="y", prediction="p", abstain=[-1, -2])
    assert ew.measure(of_file.tally, "coverage") == 0.5
