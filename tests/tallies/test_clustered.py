"""Rows that come in clusters, against counting row by row."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeworth import ClusteredTable, ContingencyTable, InputError
from edgeworth.sources.columns import as_column

LABELS = st.sampled_from(["cat", "dog", "emu", 1, 0])
CLUSTERS = st.sampled_from(["ann", "bob", 7, 8.5])


def by_cluster(tally: ClusteredTable) -> dict[tuple[Any, Any, Any], Any]:
    """(cluster, truth, prediction) with its weight, read back from flat positions; None is no decision."""
    width = len(tally.table.labels)
    predicted = [*tally.table.labels, None]
    return {
        (tally.joint.labels[1][cluster], tally.table.labels[cell % width], predicted[cell // width]): weight
        for cluster, cell, weight in zip(*(part.tolist() for part in tally.cluster_cells()), strict=True)
    }


def row_by_row(rows: list[tuple[Any, ...]], away: Any = None) -> dict[tuple[Any, Any, Any], Any]:
    total: dict[tuple[Any, Any, Any], Any] = defaultdict(int)
    for real, predicted, cluster, weight in rows:
        total[cluster, real, None if predicted == away else predicted] += weight
    return dict(total)


@given(st.lists(st.tuples(LABELS, LABELS, CLUSTERS, st.integers(1, 4)), min_size=1, max_size=30))
def test_cells_of_each_cluster(rows: list[tuple[Any, ...]]) -> None:
    truth, prediction, clusters, weights = (list(column) for column in zip(*rows, strict=True))
    tally = ClusteredTable.from_labels(truth, prediction, clusters=clusters, weights=weights)
    assert by_cluster(tally) == row_by_row(rows)
    assert tally.number == len(set(clusters))
    assert tally.table == ContingencyTable.from_labels(truth, prediction, weights=weights)


@given(st.lists(st.tuples(LABELS, LABELS, CLUSTERS, st.just(1)), min_size=1, max_size=30))
def test_the_cells_of_all_clusters_add_up_to_the_table(rows: list[tuple[Any, ...]]) -> None:
    truth, prediction, clusters, _ = (as_column(list(column), "") for column in zip(*rows, strict=True))
    tally = ClusteredTable.from_columns(truth, prediction, clusters, abstain="dog")
    assert by_cluster(tally) == row_by_row(rows, away="dog")
    summed = np.zeros(tally.table.cells.size, dtype=np.int64)
    _, cells, weights = tally.cluster_cells()
    np.add.at(summed, cells, weights)
    assert summed.reshape(tally.table.cells.shape).tolist() == tally.table.cells.tolist()


def test_declared_labels_move_the_cells_with_them() -> None:
    rows = [("a", "b", 1, 2), ("b", "b", 1, 1), ("b", "a", 2, 5)]
    tally = ClusteredTable.from_labels(
        ["a", "b", "b"],
        ["b", "b", "a"],
        clusters=[1, 1, 2],
        weights=[2, 1, 5],
        labels=["b", "unseen", "a"],
        positive="b",
    )
    assert tally.table.labels == ("b", "unseen", "a")
    assert tally.table.positive == "b"
    assert by_cluster(tally) == row_by_row(rows)


def test_renamed_labels_are_renamed_in_every_cluster() -> None:
    tally = ClusteredTable.from_labels(["1", "0", "1.0"], ["1.0", "0", "0"], clusters=["x", "x", "y"])
    renamed = tally.renamed([0, 1, 1])
    assert renamed.table.labels == (0, 1)
    assert by_cluster(renamed) == {("x", 1, 1): 1, ("x", 0, 0): 1, ("y", 1, 0): 1}


def test_clusters_have_names_of_their_own() -> None:
    """A patient called "a" is not the label "a"."""
    tally = ClusteredTable.from_labels(["a", "b"], ["a", "a"], clusters=["b", "zoe"])
    assert tally.table.labels == ("a", "b")
    assert tally.joint.labels[1] == ("b", "zoe")


def test_more_clusters_than_labels_are_allowed() -> None:
    """Each row may be a cluster of its own: only labels are expected to repeat."""
    rows = 6000
    tally = ClusteredTable.from_labels(np.arange(rows) % 2, np.arange(rows) % 3 % 2, clusters=np.arange(rows))
    assert tally.number == rows
    assert tally.table.total == rows


def test_a_cluster_whose_rows_were_all_dropped_is_no_cluster() -> None:
    """It would make the clusters seem more than they are, and the intervals narrower."""
    tally = ClusteredTable.from_labels(
        ["a", None, "b"], ["a", "a", "b"], clusters=["ann", "bob", "cho"], missing="drop"
    )
    assert tally.number == 2
    assert tally.table.dropped == 1


@pytest.mark.parametrize("abstain", ["?", b"?", np.str_("?")])
def test_no_decision_in_whatever_form_it_is_given(abstain: Any) -> None:
    columns = [as_column(values, "") for values in (["a", "b"], ["a", "?"], [1, 2])]
    tally = ClusteredTable.from_columns(*columns, abstain=abstain)
    assert tally.table.labels == ("a", "b")
    assert by_cluster(tally) == {(1, "a", "a"): 1, (2, "b", None): 1}


@pytest.mark.parametrize("missing", ["error", "abstain"])
def test_a_row_without_a_cluster_cannot_be_placed(missing: Any) -> None:
    with pytest.raises(InputError, match="cluster"):
        ClusteredTable.from_labels(["a", "b"], ["a", "b"], clusters=["ann", None], missing=missing)


def test_a_row_without_a_cluster_can_be_dropped() -> None:
    tally = ClusteredTable.from_labels(["a", "b"], ["a", "b"], clusters=["ann", None], missing="drop")
    assert (tally.number, tally.table.dropped, tally.table.total) == (1, 1, 1)


def test_what_cannot_be_clustered() -> None:
    with pytest.raises(InputError, match="truth has 2, prediction has 2, clusters has 1"):
        ClusteredTable.from_labels(["a", "b"], ["a", "b"], clusters=["ann"])
    with pytest.raises(InputError, match="no cases"):
        ClusteredTable.from_labels([], [], clusters=[])
    with pytest.raises(InputError, match="never agree"):
        ClusteredTable.from_labels(["1", "0"], [1, 0], clusters=[1, 2])
