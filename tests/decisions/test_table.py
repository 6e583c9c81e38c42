"""Other tables from one table: declared, renamed, mapped, ignored, transposed."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth import ContingencyTable
from edgeworth.comparisons.paired import Paired
from edgeworth.errors import InputError

TRUTH = ["a", "b", "c", "a", "b", "c", "c", "a"]
PREDICTION = ["a", "b", "a", "b", "b", "c", "b", "?"]
WEIGHTS = [0.5, 1.5, 2.0, 0.25, 3.0, 1.0, 0.75, 4.0]


def counted(**options: Any) -> ContingencyTable:
    return ContingencyTable.from_labels(TRUTH, PREDICTION, abstain="?", **options)


def recount(relabel: dict[str, str | None], prediction_only: bool) -> Counter[tuple[Any, Any]]:
    """(truth, prediction) after each label was replaced in the rows themselves; None is no decision."""
    renamed = {"?": None, **relabel}
    pairs: Counter[tuple[Any, Any]] = Counter()
    for real, predicted in zip(TRUTH, PREDICTION, strict=True):
        pairs[real if prediction_only else relabel.get(real, real), renamed.get(predicted, predicted)] += 1
    return pairs


def found(table: ContingencyTable) -> Counter[tuple[Any, Any]]:
    names = [*table.labels, None]
    pairs: Counter[tuple[Any, Any]] = Counter()
    for row, column in np.argwhere(table.cells):
        pairs[table.labels[column], names[row]] = int(table.cells[row, column])
    return pairs


def test_declared_labels_set_the_order_and_may_be_more() -> None:
    table = counted(labels=["c", "unseen", "a", "b"])
    assert table.labels == ("c", "unseen", "a", "b")
    assert found(table) == found(counted())
    assert table.predicted.tolist() == [1, 0, 2, 4]


def test_a_label_outside_the_declared_ones_is_named() -> None:
    with pytest.raises(InputError, match="'c'"):
        counted(labels=["a", "b"])


def test_a_label_declared_twice() -> None:
    with pytest.raises(InputError, match="twice"):
        counted(labels=["a", "b", "c", "a"])
    # As itself and as it is written.
    with pytest.raises(InputError, match="twice"):
        ContingencyTable.from_labels([0, 1], [0, 1], labels=["1", 1, 0])


def test_labels_may_be_declared_as_they_are_written() -> None:
    table = ContingencyTable.from_labels([0, 1, 1], [0, 1, 0], labels=["1", "0"])
    assert list(map(repr, table.labels)) == ["1", "0"]
    assert table.counts.tolist() == [[1, 0], [1, 1]]


def test_the_positive_label_may_be_given_as_it_is_written() -> None:
    assert ContingencyTable.from_labels([3, 4], [3, 4], positive="4").positive == 4
    with pytest.raises(InputError, match="no label 'five'; the labels are 3, 4"):
        ContingencyTable.from_labels([3, 4], [3, 4], positive="five")


@pytest.mark.parametrize(
    ("pair", "positive"),
    [
        ([0, 1], 1),
        ([False, True], True),
        ([-1, 1], 1),
        (["no", "yes"], "yes"),
        (["No", "YES"], "YES"),
        (["n", "y"], "y"),
        (["-", "+"], "+"),
        (["negative", "positive"], "positive"),
        (["neg", "pos"], "pos"),
        (["FALSE", "TRUE"], "TRUE"),
        ([1, 2], None),
        (["cat", "dog"], None),
        ([0, 1, 2], None),
        ([1], None),
    ],
)
def test_the_positive_label_everyone_means(pair: list[Any], positive: Any) -> None:
    assert ContingencyTable.from_labels(pair, pair).positive == positive
    assert ContingencyTable.from_labels(pair, pair, labels=pair[::-1]).positive == positive


def test_a_declared_positive_label_wins_even_when_it_is_zero() -> None:
    assert ContingencyTable.from_labels([0, 1], [0, 1], positive=0).positive == 0


def test_renamed_labels_that_get_one_name_become_one() -> None:
    table = counted().rename_labels(["x", "y", "x"])
    assert table.labels == ("x", "y")
    assert found(table) == recount({"a": "x", "b": "y", "c": "x"}, prediction_only=False)


def test_renamed_labels_come_in_canonical_order() -> None:
    table = counted().rename_labels([10, 9, "z"])
    assert table.labels == (9, 10, "z")
    assert found(table) == recount({"a": 10, "b": 9, "c": "z"}, prediction_only=False)


def test_the_positive_label_is_renamed_with_the_others() -> None:
    table = ContingencyTable.from_labels(["a", "b"], ["a", "a"], positive="a").rename_labels(["x", "y"])
    assert table.positive == "x"


def test_mapped_changes_predictions_only() -> None:
    table = counted().map_predictions({"a": "b", "c": None})
    assert found(table) == recount({"a": "b", "c": None}, prediction_only=True)
    assert table.labels == ("a", "b", "c")


def test_predictions_mapped_to_a_new_label() -> None:
    table = counted().map_predictions({"a": "new"})
    assert found(table) == recount({"a": "new"}, prediction_only=True)
    assert table.labels == ("a", "b", "c", "new")


def test_an_unknown_label_cannot_be_mapped() -> None:
    with pytest.raises(InputError, match="no label 'zebra'"):
        counted().map_predictions({"zebra": "a"})


def test_ignored_labels_are_no_decisions() -> None:
    table = counted().map_predictions({"a": None, "c": None})
    assert found(table) == recount({"a": None, "c": None}, prediction_only=True)
    assert table.total == 4
    assert table.cells.sum() == counted().cells.sum()


def test_squared_weights_go_where_the_weights_go() -> None:
    whole = counted(weights=WEIGHTS)
    for reshaped, relabel, prediction_only in (
        (whole.map_predictions({"a": "b"}), {"a": "b"}, True),
        (whole.rename_labels(["x", "y", "x"]), {"a": "x", "b": "y", "c": "x"}, False),
        (whole.map_predictions({"b": None}), {"b": None}, True),
    ):
        names, expected = [*reshaped.labels, None], np.zeros(reshaped.cells.shape)
        for real, predicted, weight in zip(TRUTH, PREDICTION, WEIGHTS, strict=True):
            row = names.index({"?": None, **relabel}.get(predicted, predicted))
            column = names.index(real if prediction_only else relabel[real])
            expected[row, column] += weight**2
        np.testing.assert_allclose(reshaped.squared, expected, rtol=1e-12)


def test_labels_that_never_occur_can_be_left_out() -> None:
    table = counted(labels=["first", "c", "middle", "a", "b", "last"]).without_empty_labels()
    assert table.labels == ("c", "a", "b")
    assert found(table) == found(counted())


def test_a_label_that_is_only_real_or_only_predicted_or_only_abstained_on_stays() -> None:
    table = ContingencyTable.from_labels(["a", "b"], ["?", "c"], abstain="?")
    assert table.without_empty_labels().labels == ("a", "b", "c")


def test_a_table_of_no_cases_has_only_empty_labels() -> None:
    nothing = ContingencyTable.from_matrix([[0, 0], [0, 0]], rows="predicted")
    assert nothing.without_empty_labels().labels == ()


def test_a_positive_label_that_is_left_out_is_no_longer_positive() -> None:
    table = ContingencyTable.from_matrix([[0, 0], [0, 5]], rows="real", labels=["a", "b"], positive="a")
    assert table.without_empty_labels().positive is None


@pytest.mark.parametrize("label", ["a", "b", "c"])
def test_one_label_against_the_rest(label: str) -> None:
    rest = {other: f"not {label}" for other in "abc" if other != label}
    table = counted().one_against_rest(label)
    assert table.labels == (label, f"not {label}")
    assert found(table) == recount(rest, prediction_only=False)


def test_cells_of_the_wrong_shape() -> None:
    with pytest.raises(InputError, match=r"2 labels need cells of shape \(3, 2\)"):
        ContingencyTable(("a", "b"), np.zeros((2, 2), dtype=np.int64))


def test_a_matrix_without_names_does_not_say_which_label_is_positive() -> None:
    """Some write the positive label first, some last: a guess would be a wrong number for one of them."""
    table = ContingencyTable.from_matrix([[12, 28], [18, 42]], rows="predicted")
    assert table.positive is None
    assert (table + table).positive is None
    assert (ContingencyTable.empty() + table).positive is None
    assert ContingencyTable.from_dict(table.to_dict()).positive is None
    assert table.declare(labels=[0, 1]).positive == 1
    assert ContingencyTable.from_labels([0, 1], [0, 1]).positive == 1


@pytest.mark.parametrize("several", [["?", "!"], ("?", "!"), {"?", "!"}, np.array(["?", "!"])])
def test_several_labels_may_mean_no_decision(several: Any) -> None:
    truth, prediction = list("aabbabb"), list("ab?!ab?")
    given = {"clusters": [1, 1, 2, 2, 3, 3, 4]}
    table = ew.ContingencyTable.from_labels(truth, prediction, abstain=several, **given)
    one = [label if label != "!" else "?" for label in prediction]
    assert table.to_dict() == ew.ContingencyTable.from_labels(truth, one, abstain="?", **given).to_dict()
    assert ew.measure(table, "coverage") == pytest.approx(4 / 7)
    systems = {"x": prediction, "y": truth}
    paired = Paired.from_labels(truth, systems, abstain=several)
    assert paired.to_dict() == Paired.from_labels(truth, {"x": one, "y": truth}, abstain="?").to_dict()
    several_away = ew.compare(truth=truth, systems=systems, abstain=list(several), measures=["accuracy"])
    one_away = ew.compare(truth=truth, systems={"x": one, "y": truth}, abstain="?", measures=["accuracy"])
    result = (item["x", "y"]["accuracy"].difference for item in (several_away, one_away))
    assert list(result) == pytest.approx([3 / 7 - 1] * 2)
