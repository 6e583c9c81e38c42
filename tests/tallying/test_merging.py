"""Merging tables whose labels, weights or positive label were declared differently."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from edgeworth import ContingencyTable, EdgeworthError, Paired
from edgeworth.core import row_policies
from edgeworth.decisions.clusters import Clusters
from edgeworth.errors import MergeError


def test_a_declared_order_that_both_share_survives() -> None:
    one = ContingencyTable.from_labels(["lo", "hi"], ["hi", "hi"], labels=["lo", "mid", "hi"])
    two = ContingencyTable.from_labels(["mid", "hi"], ["lo", "hi"], labels=["lo", "mid", "hi"])
    merged = one + two
    assert merged.labels == ("lo", "mid", "hi")
    assert merged.counts.tolist() == [[0, 1, 0], [0, 0, 0], [1, 0, 2]]


def test_a_declared_order_survives_adding_nothing() -> None:
    one = ContingencyTable.from_labels(["b", "a"], ["b", "a"], labels=["b", "a"])
    assert (ContingencyTable.empty() + one).labels == ("b", "a")
    assert (one + ContingencyTable.empty()).labels == ("b", "a")


def test_orders_that_differ_become_canonical_from_either_side() -> None:
    one = ContingencyTable.from_labels(["b", "a"], ["b", "b"], labels=["b", "a"])
    two = ContingencyTable.from_labels(["c", "a"], ["a", "a"])
    assert (one + two).labels == ("a", "b", "c")
    assert one + two == two + one
    assert (one + two).counts.tolist() == [[1, 0, 1], [1, 1, 0], [0, 0, 0]]


def test_counted_cases_weigh_one_each_beside_sampling_weights() -> None:
    counted = ContingencyTable.from_labels(["a"] * 3, ["a"] * 3)
    weighted = ContingencyTable.from_labels(["a", "b"], ["a", "a"], weights=[0.5, 2.0])
    merged = counted + weighted
    assert merged.counts.tolist() == [[3.5, 2.0], [0.0, 0.0]]
    assert merged.squared is not None
    assert merged.squared.tolist() == [[3.25, 4.0], [0.0, 0.0], [0.0, 0.0]]
    assert merged == weighted + counted


def test_dropped_rows_and_abstentions_add_up() -> None:
    one = ContingencyTable.from_labels(["a", None, "b"], ["a", "b", "?"], missing="drop", abstain="?")
    two = ContingencyTable.from_labels(["b", "b", None], ["?", "b", None], missing="drop", abstain="?")
    merged = one + two
    assert merged.dropped == 2
    assert merged.abstained.tolist() == [0, 2]
    assert merged.counts.tolist() == [[1, 0], [0, 1]]


def test_a_declared_positive_label_survives_on_either_side() -> None:
    declared = ContingencyTable.from_labels(["a", "b"], ["a", "b"], positive="a")
    plain = ContingencyTable.from_labels(["a", "b"], ["b", "b"])
    assert (declared + plain).positive == "a"
    assert (plain + declared).positive == "a"


def test_two_different_positive_labels_do_not_merge() -> None:
    one = ContingencyTable.from_labels(["a", "b"], ["a", "b"], positive="a")
    two = ContingencyTable.from_labels(["a", "b"], ["a", "b"], positive="b")
    with pytest.raises(MergeError, match="'a' positive, the other 'b'"):
        one + two


def test_different_predictors_do_not_merge() -> None:
    one = Paired.from_labels([1, 0], {"first": [1, 0], "second": [1, 1]})
    two = Paired.from_labels([1, 0], {"first": [1, 0], "third": [1, 1]})
    with pytest.raises(MergeError, match=r"'second'.*'third'"):
        one + two


@pytest.mark.parametrize(
    "tally",
    [
        ContingencyTable.from_labels([1, 0], [1, 0]),
        Paired.from_labels([1, 0], {"first": [1, 0]}),
        ContingencyTable.from_labels([1, 0], [1, 0], clusters=["ann", "bob"]),
    ],
    ids=["table", "paired", "clustered"],
)
def test_only_tallies_of_one_kind_add(tally: object) -> None:
    with pytest.raises(TypeError):
        tally + 1


def test_a_cluster_in_both_shards_is_one_cluster() -> None:
    one = ContingencyTable.from_labels([1, 0], [1, 0], clusters=["ann", "bob"])
    two = ContingencyTable.from_labels([1, 0], [1, 0], clusters=["ann", "cho"])
    both = one + two
    assert both.clusters is not None
    assert both.clusters.number == 3


def test_a_table_with_clusters_and_one_without_do_not_add() -> None:
    plain = ContingencyTable.from_labels([1, 0], [1, 0])
    clustered = ContingencyTable.from_labels([1, 0], [1, 0], clusters=["ann", "bob"])
    for one, two in ((plain, clustered), (clustered, plain)):
        with pytest.raises(MergeError, match="clusters"):
            one + two
    for table in (plain, clustered):
        assert table + ContingencyTable.empty() == table == ContingencyTable.empty() + table


def test_tables_that_differ_are_not_equal() -> None:
    """The laws compare with ==, so it must be able to say no."""
    table = ContingencyTable.from_matrix([[3, 1], [2, 4]], rows="predicted", labels=["a", "b"])
    weights = table.cells.astype(np.float64)
    others = [
        ContingencyTable.from_matrix([[3, 1], [2, 5]], rows="predicted", labels=["a", "b"]),
        ContingencyTable.from_matrix([[3, 1], [2, 4]], rows="predicted", labels=["a", "c"]),
        ContingencyTable.from_matrix([[3, 1], [2, 4.5]], rows="predicted", labels=["a", "b"]),
        ContingencyTable.from_matrix([[3, 1], [2, 4]], rows="predicted", labels=["a", "b"], positive="a"),
        ContingencyTable(table.labels, table.cells, dropped=1),
        ContingencyTable(table.labels, weights, weights),
        replace(table, clusters=Clusters.empty()),
    ]
    assert all(table != other for other in others)
    assert ContingencyTable(table.labels, weights, weights) != ContingencyTable(
        table.labels, weights, weights**2
    )


def test_joint_counts_that_differ_are_not_equal() -> None:
    paired = Paired.from_labels([1, 0, 1], {"first": [1, 0, 0]})
    assert paired != Paired.from_labels([1, 0, 1], {"first": [1, 0, 1]})
    assert paired != Paired.from_labels([1, 0, 2], {"first": [1, 0, 0]})
    assert paired != Paired.from_labels([1, 0, 1], {"first": [1, 0, 0]}, weights=[1.0, 1.0, 1.0])


def test_a_merge_does_not_change_its_parts() -> None:
    one = ContingencyTable.from_labels(["b"], ["b"])
    two = ContingencyTable.from_labels(["a"], ["b"])
    one + two
    assert one == ContingencyTable.from_labels(["b"], ["b"])
    with pytest.raises(ValueError, match="read-only"):
        one.cells[0, 0] = 5


def test_too_many_labels_are_refused_however_the_rows_were_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a column of identifiers that arrives in pieces fills the memory, square by square."""
    monkeypatch.setattr(row_policies, "MAX_LABELS_IN_TABLE", 4)
    one = ContingencyTable.from_labels([0, 1, 2], [0, 1, 2])
    two = ContingencyTable.from_labels([3, 4, 5], [3, 4, 5])
    with pytest.raises(EdgeworthError, match="6 different labels"):
        ContingencyTable.from_labels(range(6), range(6))
    with pytest.raises(EdgeworthError, match="6 different labels"):
        one + two
