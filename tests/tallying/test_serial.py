"""A tally file that was damaged, or is something else, is refused: it never becomes another table."""

from __future__ import annotations

import datetime
import json
from typing import Any

import pytest

from edgeworth import ContingencyTable, EdgeworthError, Paired

TABLE = ContingencyTable.from_labels(["a", "b", "b"], ["a", "a", None], missing="abstain")
WEIGHTED = ContingencyTable.from_labels(["a", "b"], ["a", "a"], weights=[0.5, 2.0])
PAIRED = Paired.from_labels(["a", "b"], {"one": ["a", "a"], "two": ["b", "b"]})
CLUSTERED = ContingencyTable.from_labels(["a", "b"], ["a", "a"], clusters=["ann", "bob"])


def changed(tally: Any, **fields: Any) -> dict[str, Any]:
    payload = json.loads(json.dumps(tally.to_dict()))
    return payload | fields


def test_the_payload_is_what_it_says() -> None:
    assert TABLE.to_dict() == {
        "kind": "contingency_table",
        "rows": "predicted",
        "labels": ["a", "b"],
        "counts": [[1, 1], [0, 0]],
        "abstained": [0, 1],
        "squared": None,
        "dropped": 0,
        "numbered": False,
        "positive": None,
    }


def test_a_declared_positive_label_comes_back() -> None:
    table = TABLE.declare(positive="a")
    assert ContingencyTable.from_dict(json.loads(json.dumps(table.to_dict()))) == table


@pytest.mark.parametrize("labels", [[True, False], [0, 1], [2**70, 5], [0.5, 1.5], ["", "é"], [True, "a"]])
def test_labels_come_back_as_the_kind_they_are(labels: list[Any]) -> None:
    table = ContingencyTable.from_labels(labels, labels)
    again = ContingencyTable.from_dict(json.loads(json.dumps(table.to_dict())))
    assert list(map(repr, again.labels)) == list(map(repr, table.labels))


def test_other_labels_are_written_as_text() -> None:
    day = datetime.date(2020, 1, 1)
    table = ContingencyTable.from_labels([day, ("t", 1)], [day, day])
    assert json.loads(json.dumps(table.to_dict()))["labels"] == ["datetime.date(2020, 1, 1)", "('t', 1)"]


DAMAGED: dict[str, dict[str, Any]] = {
    "nothing": {},
    "no labels": changed(TABLE, labels=None),
    "labels as text": changed(TABLE, labels="ab"),
    "too few labels": changed(TABLE, labels=["a"]),
    "too many labels": changed(TABLE, labels=["a", "b", "c"]),
    "a null label": changed(TABLE, labels=["a", None]),
    "a list as label": changed(TABLE, labels=["a", ["b"]]),
    "a label twice": changed(TABLE, labels=["a", "a"]),
    "a row too few": changed(TABLE, counts=[[1, 1]]),
    "ragged rows": changed(TABLE, counts=[[1, 1], [0]]),
    "a negative count": changed(TABLE, counts=[[1, 1], [0, -1]]),
    "a count as text": changed(TABLE, counts=[[1, 1], [0, "2"]]),
    "a count that is NaN": changed(TABLE, counts=[[1, 1], [0, float("nan")]]),
    "a null count": changed(TABLE, counts=[[1, 1], [0, None]]),
    # Six numbers as well, and read row by row they would be another table.
    "two rows of three": changed(TABLE, counts=[[1, 1, 0]], abstained=[0, 0, 1]),
    "too many abstentions": changed(TABLE, abstained=[0, 1, 2]),
    "dropped as text": changed(TABLE, dropped="0"),
    "dropped negative": changed(TABLE, dropped=-1),
    "a positive label that is none": changed(TABLE, positive="c"),
    "rows real": changed(TABLE, rows="real"),
    "another kind": changed(TABLE, kind="paired"),
    "squares of another shape": changed(WEIGHTED, squared=[[1.0]]),
    "a negative square": changed(WEIGHTED, squared=[[0.25, 4.0], [0.0, -1.0], [0.0, 0.0]]),
    "weights without squares": changed(WEIGHTED, squared=None),
}


@pytest.mark.parametrize("payload", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_table_is_refused(payload: dict[str, Any]) -> None:
    with pytest.raises(EdgeworthError):
        ContingencyTable.from_dict(payload)


@pytest.mark.parametrize(
    "fields",
    [
        {"names": None},
        {"names": ["one"]},
        {"names": ["one", "one"]},
        {"labels": []},
        {"labels": [["a"]]},
        {"labels": [["a", "a"]]},
        {"keys": [[1, 1, 2]]},
        {"keys": [[1, 1], [2, 1]]},
        {"keys": [[1, 1, 9], [2, 1, 2]]},
        {"keys": [[1.5, 1, 2], [2, 1, 2]]},
        {"rows": [1]},
        {"weight": [1]},
        {"weight": [1, -1]},
        {"square": [1.0]},
        {"dropped": None},
    ],
    ids=str,
)
def test_damaged_pairs_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(EdgeworthError):
        Paired.from_dict(changed(PAIRED, **fields))


@pytest.mark.parametrize(
    "fields",
    [
        {"table": None},
        {"table": {}},
        {"labels": [["a", "b"]]},
        {"labels": [["a", "zebra"], ["ann", "bob"]]},
        {"keys": [[1, 1, 1]]},
        {"keys": [[1, 1, 1], [2, 1, 9]]},
    ],
    ids=str,
)
def test_damaged_clusters_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(EdgeworthError):
        ContingencyTable.from_dict(changed(CLUSTERED, **fields))
