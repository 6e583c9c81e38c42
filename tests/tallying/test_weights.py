"""Frequencies are counts, sampling weights keep Σw², and what is neither is refused by row."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from edgeworth import ContingencyTable, Paired
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.columns import BLOCK_ROWS

TRUTH, PREDICTION = ["a", "a", "b"], ["a", "b", "b"]


def weighted(weights: Any, **options: Any) -> ContingencyTable:
    return ContingencyTable.from_labels(TRUTH, PREDICTION, weights=weights, **options)


@pytest.mark.parametrize(
    "weights",
    [
        [2, 0, 5],
        (2, 0, 5),
        np.array([2, 0, 5], dtype=np.int8),
        np.array([2, 0, 5], dtype=np.uint64),
        np.array([2, 0, 5], dtype=object),
        pd.Series([2, 0, 5]),
        pd.Series([2, 0, 5], dtype="Int64"),
        pl.Series([2, 0, 5]),
    ],
    ids=["list", "tuple", "int8", "uint64", "object", "pandas", "pandas Int64", "polars"],
)
def test_whole_numbers_are_frequencies(weights: Any) -> None:
    table = weighted(weights)
    assert table.counts.tolist() == [[2, 0], [0, 5]]
    assert table.cells.dtype == np.int64
    assert table.is_counted
    assert table.squared is None


def test_frequencies_are_the_same_as_repeated_rows() -> None:
    frequencies = [3, 1, 2]
    repeated = ContingencyTable.from_labels(np.repeat(TRUTH, frequencies), np.repeat(PREDICTION, frequencies))
    assert weighted(frequencies) == repeated


def test_booleans_choose_rows() -> None:
    table = weighted(np.array([True, False, True]))
    assert table.counts.tolist() == [[1, 0], [0, 1]]
    assert table.is_counted


@pytest.mark.parametrize(
    "weights",
    [[0.5, 0.25, 4.0], np.array([0.5, 0.25, 4.0], dtype=np.float32), pd.Series([0.5, 0.25, 4.0])],
    ids=["list", "float32", "pandas"],
)
def test_floats_are_sampling_weights(weights: Any) -> None:
    table = weighted(weights)
    assert table.counts.tolist() == [[0.5, 0.0], [0.25, 4.0]]
    assert table.squared is not None
    assert table.squared.tolist() == [[0.25, 0.0], [0.0625, 16.0], [0.0, 0.0]]
    assert not table.is_counted


def test_whole_floats_are_sampling_weights_until_declared_otherwise() -> None:
    assert not weighted([1.0, 2.0, 3.0]).is_counted
    declared = weighted([1.0, 2.0, 3.0], weight_kind="counts")
    assert declared == weighted([1, 2, 3])
    assert declared.cells.dtype == np.int64


def test_whole_numbers_can_be_declared_sampling_weights() -> None:
    table = weighted([1, 2, 3], weight_kind="sampling")
    assert table.cells.dtype == np.float64
    assert table.squared is not None
    assert table.squared.tolist() == [[1.0, 0.0], [4.0, 9.0], [0.0, 0.0]]


def test_fractions_cannot_be_declared_counts() -> None:
    with pytest.raises(InputError, match=r"whole numbers; row 2 has 1\.5"):
        weighted([1.0, 1.5, 2.0], weight_kind="counts")


def test_a_kind_of_weight_that_does_not_exist() -> None:
    with pytest.raises(OptionError, match="'frequency'"):
        weighted([1, 2, 3], weight_kind="frequency")


BAD = {
    "nan": (float("nan"), "nan"),
    "infinite": (float("inf"), "inf"),
    "minus infinity": (float("-inf"), "-inf"),
    "negative": (-0.5, "-0.5"),
    "none": (None, "nan"),
}


@pytest.mark.parametrize(("bad", "written"), BAD.values(), ids=BAD)
def test_a_bad_weight_is_named_by_its_row(bad: Any, written: str) -> None:
    with pytest.raises(InputError, match=f"row 2 has {written}"):
        weighted([1.0, bad, 2.0])


def test_a_negative_frequency_is_named_by_its_row() -> None:
    with pytest.raises(InputError, match="row 3 has -1"):
        weighted([1, 2, -1])


@pytest.mark.parametrize("weights", [pd.Series([1, None, 2], dtype="Int64"), pl.Series([1.5, None, 2.0])])
def test_a_null_weight_is_named_by_its_row(weights: Any) -> None:
    with pytest.raises(InputError, match="row 2"):
        weighted(weights)


def test_the_row_of_a_bad_weight_in_a_late_block() -> None:
    rows = BLOCK_ROWS + 10
    weights = np.ones(rows)
    weights[BLOCK_ROWS + 4] = np.nan
    with pytest.raises(InputError, match=f"row {BLOCK_ROWS + 5:,} has nan"):
        ContingencyTable.from_labels(np.zeros(rows, dtype=int), np.zeros(rows, dtype=int), weights=weights)


@pytest.mark.parametrize("weights", [["many", "few", "none"], [object()] * 3, [1 + 2j] * 3])
def test_weights_that_are_no_numbers(weights: Any) -> None:
    with pytest.raises(InputError, match="weights must be numbers"):
        weighted(weights)


@pytest.mark.parametrize(
    ("weights", "kind"),
    [
        ([2**64, 1, 1], None),
        (np.array([2**63, 1, 1], dtype=np.uint64), None),
        ([1e300, 1.0, 1.0], "counts"),
        # Each fits, and their sum does not.
        ([2**62, 2**62, 2**62], None),
    ],
    ids=["python integers", "uint64", "declared counts", "sum"],
)
def test_frequencies_too_large_to_count_are_refused(weights: Any, kind: Any) -> None:
    """An overflow would be a wrong number, with any sign."""
    with pytest.raises(InputError, match=r"weights|counts"):
        weighted(weights, weight_kind=kind)


def test_a_row_of_weight_nothing_still_shows_its_label() -> None:
    table = ContingencyTable.from_labels(["a", "c"], ["a", "a"], weights=[1, 0])
    assert table.labels == ("a", "c")
    assert table.counts.tolist() == [[1, 0], [0, 0]]


def test_effective_size_of_equal_weights_is_their_number() -> None:
    assert weighted([2.5, 2.5, 2.5]).effective_size == pytest.approx(3)
    assert weighted([2, 3, 4]).effective_size == 9
    assert weighted(None).effective_size == 3


def test_effective_size_is_kish() -> None:
    weights = [0.5, 3.0, 1.25]
    expected = sum(weights) ** 2 / sum(weight * weight for weight in weights)
    assert weighted(weights).effective_size == pytest.approx(expected, rel=1e-12)


def test_effective_size_counts_abstentions_which_measures_count_too() -> None:
    table = ContingencyTable.from_labels(
        ["a", "b", "b"], ["a", "?", "b"], weights=[1.0, 50.0, 2.0], abstain="?"
    )
    assert table.effective_size == pytest.approx((1 + 50 + 2) ** 2 / (1 + 2500 + 4))
    assert table.without_abstentions().effective_size == pytest.approx((1 + 2) ** 2 / (1 + 4))
    nothing = ContingencyTable.from_labels(["a", "b"], ["?", "?"], weights=[1.0, 2.0], abstain="?")
    assert nothing.without_abstentions().effective_size == 0


def test_paired_and_clustered_take_weights_alike() -> None:
    weights = [0.5, 0.25, 4.0]
    paired = Paired.from_labels(TRUTH, {"only": PREDICTION}, weights=weights)
    clustered = ContingencyTable.from_labels(TRUTH, PREDICTION, clusters=[1, 1, 2], weights=weights)
    assert paired.table("only") == weighted(weights)
    assert replace(clustered, clusters=None) == weighted(weights)
