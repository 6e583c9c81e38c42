"""Rows that come in clusters, against counting row by row."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth import ContingencyTable
from edgeworth.errors import InputError
from edgeworth.sources.columns import as_column

LABELS = st.sampled_from(["cat", "dog", "emu", 1, 0])
CLUSTERS = st.sampled_from(["ann", "bob", 7, 8.5])


def by_cluster(tally: ContingencyTable) -> dict[tuple[Any, Any, Any], Any]:
    """(cluster, truth, prediction) with its weight, read back from flat positions; None is no decision."""
    width = len(tally.labels)
    predicted = [*tally.labels, None]
    return {
        (
            tally.clusters.joint.labels[1][cluster],
            tally.labels[cell % width],
            predicted[cell // width],
        ): weight
        for cluster, cell, weight in zip(
            *(part.tolist() for part in tally.clusters.cells(tally.labels)), strict=True
        )
    }


def row_by_row(rows: list[tuple[Any, ...]], away: Any = None) -> dict[tuple[Any, Any, Any], Any]:
    total: dict[tuple[Any, Any, Any], Any] = defaultdict(int)
    for real, predicted, cluster, weight in rows:
        total[cluster, real, None if predicted == away else predicted] += weight
    return dict(total)


@given(st.lists(st.tuples(LABELS, LABELS, CLUSTERS, st.integers(1, 4)), min_size=1, max_size=30))
def test_cells_of_each_cluster(rows: list[tuple[Any, ...]]) -> None:
    truth, prediction, clusters, weights = (list(column) for column in zip(*rows, strict=True))
    tally = ContingencyTable.from_labels(truth, prediction, clusters=clusters, weights=weights)
    assert by_cluster(tally) == row_by_row(rows)
    assert tally.clusters.number == len(set(clusters))
    assert replace(tally, clusters=None) == ContingencyTable.from_labels(truth, prediction, weights=weights)


@given(st.lists(st.tuples(LABELS, LABELS, CLUSTERS, st.just(1)), min_size=1, max_size=30))
def test_the_cells_of_all_clusters_add_up_to_the_table(rows: list[tuple[Any, ...]]) -> None:
    truth, prediction, clusters, _ = (as_column(list(column), "") for column in zip(*rows, strict=True))
    tally = ContingencyTable.from_columns(truth, prediction, clusters=clusters, abstain="dog")
    assert by_cluster(tally) == row_by_row(rows, away="dog")
    summed = np.zeros(tally.cells.size, dtype=np.int64)
    _, cells, weights = tally.clusters.cells(tally.labels)
    np.add.at(summed, cells, weights)
    assert summed.reshape(tally.cells.shape).tolist() == tally.cells.tolist()


def test_declared_labels_move_the_cells_with_them() -> None:
    rows = [("a", "b", 1, 2), ("b", "b", 1, 1), ("b", "a", 2, 5)]
    tally = ContingencyTable.from_labels(
        ["a", "b", "b"],
        ["b", "b", "a"],
        clusters=[1, 1, 2],
        weights=[2, 1, 5],
        labels=["b", "unseen", "a"],
        positive="b",
    )
    assert tally.labels == ("b", "unseen", "a")
    assert tally.positive == "b"
    assert by_cluster(tally) == row_by_row(rows)


def test_renamed_labels_are_renamed_in_every_cluster() -> None:
    tally = ContingencyTable.from_labels(["1", "0", "1.0"], ["1.0", "0", "0"], clusters=["x", "x", "y"])
    renamed = tally.rename_labels([0, 1, 1])
    assert renamed.labels == (0, 1)
    assert by_cluster(renamed) == {("x", 1, 1): 1, ("x", 0, 0): 1, ("y", 1, 0): 1}


def test_clusters_have_names_of_their_own() -> None:
    """A patient called "a" is not the label "a"."""
    tally = ContingencyTable.from_labels(["a", "b"], ["a", "a"], clusters=["b", "zoe"])
    assert tally.labels == ("a", "b")
    assert tally.clusters.joint.labels[1] == ("b", "zoe")


def test_more_clusters_than_labels_are_allowed() -> None:
    """Each row may be a cluster of its own: only labels are expected to repeat."""
    rows = 6000
    tally = ContingencyTable.from_labels(
        np.arange(rows) % 2, np.arange(rows) % 3 % 2, clusters=np.arange(rows)
    )
    assert tally.clusters.number == rows
    assert tally.total == rows


def test_a_cluster_whose_rows_were_all_dropped_is_no_cluster() -> None:
    """It would make the clusters seem more than they are, and the intervals narrower."""
    tally = ContingencyTable.from_labels(
        ["a", None, "b"], ["a", "a", "b"], clusters=["ann", "bob", "cho"], missing="drop"
    )
    assert tally.clusters.number == 2
    assert tally.dropped == 1


@pytest.mark.parametrize("abstain", ["?", b"?", np.str_("?")])
def test_no_decision_in_whatever_form_it_is_given(abstain: Any) -> None:
    columns = [as_column(values, "") for values in (["a", "b"], ["a", "?"], [1, 2])]
    tally = ContingencyTable.from_columns(*columns[:2], clusters=columns[2], abstain=abstain)
    assert tally.labels == ("a", "b")
    assert by_cluster(tally) == {(1, "a", "a"): 1, (2, "b", None): 1}


@pytest.mark.parametrize("missing", ["error", "abstain"])
def test_a_row_without_a_cluster_cannot_be_placed(missing: Any) -> None:
    with pytest.raises(InputError, match="cluster"):
        ContingencyTable.from_labels(["a", "b"], ["a", "b"], clusters=["ann", None], missing=missing)


def test_a_row_without_a_cluster_can_be_dropped() -> None:
    tally = ContingencyTable.from_labels(["a", "b"], ["a", "b"], clusters=["ann", None], missing="drop")
    assert (tally.clusters.number, tally.dropped, tally.total) == (1, 1, 1)


def test_what_cannot_be_clustered() -> None:
    with pytest.raises(InputError, match="truth has 2, prediction has 2, clusters has 1"):
        ContingencyTable.from_labels(["a", "b"], ["a", "b"], clusters=["ann"])
    with pytest.raises(InputError, match="no cases"):
        ContingencyTable.from_labels([], [], clusters=[])
    with pytest.raises(InputError, match="never agree"):
        ContingencyTable.from_labels(["1", "0"], [1, 0], clusters=[1, 2])


@given(st.lists(st.tuples(LABELS, LABELS, CLUSTERS, st.integers(1, 4)), min_size=1, max_size=30))
def test_tables_made_from_a_table_keep_its_clusters(rows: list[tuple[Any, ...]]) -> None:
    truth, prediction, clusters, weights = (list(column) for column in zip(*rows, strict=True))
    tally = ContingencyTable.from_labels(truth, prediction, clusters=clusters, weights=weights)
    first = tally.labels[0]
    other = f"not {first}"
    against_rest = [(*(x if x == first else other for x in row[:2]), *row[2:]) for row in rows]
    assert by_cluster(tally.map_predictions({first: None})) == row_by_row(rows, away=first)
    assert by_cluster(tally.one_against_rest(first)) == row_by_row(against_rest)
    assert by_cluster(tally.declare(labels=tally.labels[::-1])) == row_by_row(rows)
    assert by_cluster(tally.declare(labels=[*tally.labels, "x"]).without_empty_labels()) == row_by_row(rows)


def test_clusters_travel_with_their_table() -> None:
    tally = ContingencyTable.from_labels(["a", "b"], ["a", "a"], clusters=["ann", "bob"])
    payload = tally.to_dict()
    assert list(payload) == ["kind", "table", "labels", "keys", "rows", "weight", "square"]
    assert payload["kind"] == tally.file_kind == "clustered_table"
    assert payload["table"] == replace(tally, clusters=None).to_dict()
    assert ContingencyTable.from_dict(payload) == tally
    assert replace(tally, clusters=None).file_kind == "contingency_table"


@pytest.mark.parametrize("spelling", ["mcc", "kappa", "informedness", "macro_f"])
def test_a_label_that_never_occurs_leaves_the_variance_as_it_is(spelling: str) -> None:
    """Clusters of one case are cases: the plain variance times n/(n − 1), n of all or of a class."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 60)
    prediction = np.where(rng.random(60) < 0.7, truth, rng.integers(0, 3, 60))
    alone = ew.estimate(ew.ContingencyTable.from_labels(truth, prediction, clusters=np.arange(60)), spelling)
    plain = ew.estimate(ew.ContingencyTable.from_labels(truth, prediction), spelling)
    rarest = np.bincount(truth).min()
    ratio = (alone.standard_error / plain.standard_error) ** 2
    assert 60 / 59 <= ratio <= rarest / (rarest - 1)
