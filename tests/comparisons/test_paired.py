"""Several predictors on the same cases, against counting row by row."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeworth import ContingencyTable, EdgeworthError, Paired
from edgeworth.comparisons.paired import Discordance
from edgeworth.core.labels import parse_labels
from edgeworth.errors import InputError, MergeError
from edgeworth.sources.columns import BLOCK_ROWS, as_column

LABELS = ["cat", "dog", "emu", 3, 4, 5]


def drawn(rows: int, columns: int, labels: list[Any], seed: int) -> list[list[Any]]:
    places = np.random.default_rng(seed).integers(len(labels), size=(columns, rows))
    return [[labels[index] for index in column] for column in places]


def discordance(truth: list[Any], one: list[Any], two: list[Any], weights: list[Any]) -> Discordance:
    """Row by row."""
    total: Counter[str] = Counter()
    for real, first, second, weight in zip(truth, one, two, weights, strict=True):
        if first == real and second == real:
            total["both"] += weight
        elif first == real:
            total["first"] += weight
        elif second == real:
            total["second"] += weight
        else:
            total["alike" if first == second else "differently"] += weight
    return Discordance(*(total[name] for name in ("both", "first", "second", "alike", "differently")))


@given(
    st.lists(
        st.tuples(*[st.sampled_from(LABELS[:4])] * 4, st.integers(0, 4)),
        min_size=1,
        max_size=30,
    )
)
def test_tables_and_discordance_of_random_rows(rows: list[tuple[Any, ...]]) -> None:
    truth, one, two, three, weights = (list(column) for column in zip(*rows, strict=True))
    predictions = {"one": one, "two": two, "three": three}
    paired = Paired.from_labels(truth, predictions, weights=weights)
    every = sorted(
        {label for row in rows for label in row[:4]}, key=lambda label: (isinstance(label, str), label)
    )
    for name, prediction in predictions.items():
        assert paired.table(name) == ContingencyTable.from_labels(
            truth, prediction, weights=weights, labels=every
        )
    for first, second in (("one", "two"), ("three", "one"), ("two", "two")):
        expected = discordance(truth, predictions[first], predictions[second], weights)
        assert paired.discordance(first, second) == expected


def test_more_predictors_than_one_number_can_hold() -> None:
    """7 levels in 26 columns are 2^73 combinations."""
    truth, *columns = drawn(BLOCK_ROWS + 300, 26, LABELS, seed=1)
    predictions = {f"model {number}": column for number, column in enumerate(columns)}
    paired = Paired.from_labels(truth, predictions)
    for name in ("model 0", "model 13", "model 24"):
        assert paired.table(name) == ContingencyTable.from_labels(truth, predictions[name])
    expected = discordance(truth, columns[3], columns[24], [1] * len(truth))
    assert paired.discordance("model 3", "model 24") == expected
    assert paired.joint.rows.sum() == len(truth)


@pytest.mark.parametrize("number", [21, 62, 63, 64, 70])
@pytest.mark.parametrize("make", [list, np.array], ids=["lists", "arrays"])
def test_any_number_of_predictors_that_all_say_the_same(number: int, make: Any) -> None:
    """A sorted file starts like this: a block with one class, and everyone right."""
    predictions = {f"model {index}": make([7, 7, 7]) for index in range(number)}
    paired = Paired.from_labels(make([7, 7, 7]), predictions)
    assert paired.discordance("model 0", f"model {number - 1}") == Discordance(3, 0, 0, 0, 0)


@pytest.mark.parametrize("number", [4, 16, 40])
def test_predictors_of_small_integers(number: int) -> None:
    truth, *columns = drawn(500, number + 1, [0, 1], seed=2)
    paired = Paired.from_labels(
        np.array(truth), {str(index): np.array(column) for index, column in enumerate(columns)}
    )
    for position in (0, number - 1):
        assert paired.table(str(position)) == ContingencyTable.from_labels(truth, columns[position])
    expected = discordance(truth, columns[0], columns[-1], [1] * 500)
    assert paired.discordance("0", str(number - 1)) == expected


def test_sampling_weights() -> None:
    truth, one, two = drawn(200, 3, LABELS, seed=3)
    weights = np.random.default_rng(4).uniform(0.1, 5, size=200)
    paired = Paired.from_labels(truth, {"one": one, "two": two}, weights=weights)
    expected = discordance(truth, one, two, weights.tolist())
    for name in vars(expected):
        assert getattr(paired.discordance("one", "two"), name) == pytest.approx(
            getattr(expected, name), rel=1e-12
        )
    table, alone = paired.table("two"), ContingencyTable.from_labels(truth, two, weights=weights)
    np.testing.assert_allclose(table.cells, alone.cells, rtol=1e-12)
    assert table.squared is not None
    assert alone.squared is not None
    np.testing.assert_allclose(table.squared, alone.squared, rtol=1e-12)


def test_disagreements_are_all_that_differ() -> None:
    truth, one, two = drawn(300, 3, LABELS, seed=5)
    disagreements = sum(first != second for first, second in zip(one, two, strict=True))
    paired = Paired.from_labels(truth, {"one": one, "two": two})
    assert paired.discordance("one", "two").disagreements == disagreements


@pytest.mark.parametrize(("gap", "options"), [(None, {"missing": "abstain"}), ("?", {"abstain": "?"})])
def test_one_predictor_abstains_where_the_other_decides(gap: Any, options: dict[str, Any]) -> None:
    paired = Paired.from_labels(["a", "b", "b"], {"one": ["a", gap, "b"], "two": [gap, "b", "a"]}, **options)
    assert paired.table("one").labels == ("a", "b")
    assert paired.table("one").abstained.tolist() == [0, 1]
    assert paired.table("two").abstained.tolist() == [1, 0]
    assert paired.discordance("one", "two") == Discordance(0, 2, 1, 0, 0)


def test_a_row_without_one_prediction_is_dropped_for_all() -> None:
    """Otherwise the predictors would be compared on different cases."""
    paired = Paired.from_labels(
        ["a", "b", None, "b"], {"one": ["a", None, "b", "b"], "two": ["a", "b", "b", "a"]}, missing="drop"
    )
    assert paired.dropped == 2
    assert paired.table("two").counts.tolist() == [[1, 1], [0, 0]]
    assert paired.table("one").dropped == 2


def test_dropped_rows_leave_no_labels_behind() -> None:
    """Adding tallies forgets such labels, so keeping them would make shards differ from the whole."""
    one = Paired.from_labels(["a", None], {"only": ["a", "ghost"]}, missing="drop")
    two = Paired.from_labels(["a"], {"only": ["a"]}, missing="drop")
    whole = Paired.from_labels(["a", None, "a"], {"only": ["a", "ghost", "a"]}, missing="drop")
    assert whole.joint.labels == (("a",),)
    assert one + two == whole


def test_only_combinations_that_occurred_are_held() -> None:
    paired = Paired.from_labels([1, 1, 0, 1], {"one": [1, 1, 0, 0], "two": [1, 1, 1, 1]})
    assert paired.joint.rows.tolist() == [1, 1, 2]
    assert paired.joint.keys.tolist() == [[1, 1, 2], [2, 1, 2], [2, 2, 2]]


def test_what_cannot_be_paired() -> None:
    with pytest.raises(InputError, match="no predictors"):
        Paired.from_labels([1], {})
    with pytest.raises(InputError, match="no cases"):
        Paired.from_labels([], {"one": []})
    with pytest.raises(InputError, match="truth has 2, one has 2, two has 1"):
        Paired.from_labels([1, 0], {"one": [1, 0], "two": [1]})
    with pytest.raises(InputError, match="no predictor 'zwei'; there are 'one', 'two'"):
        Paired.from_labels([1, 0], {"one": [1, 0], "two": [1, 0]}).table("zwei")
    with pytest.raises(InputError, match="never agree"):
        Paired.from_labels([1, 0], {"one": [1, 0], "two": ["1", "0"]})


def test_batches_add_up_to_the_whole() -> None:
    truth, one, two = drawn(1000, 3, LABELS, seed=6)
    whole = Paired.from_labels(truth, {"one": one, "two": two})
    batches = Paired.empty()
    for start in range(0, 1000, 300):
        rows = slice(start, start + 300)
        predictions = {"one": as_column(one[rows], "one"), "two": as_column(two[rows], "two")}
        batches += Paired.from_columns(as_column(truth[rows], "truth"), predictions, first_row=start + 1)
    assert batches == whole


def test_a_batch_names_the_row_of_the_whole() -> None:
    columns = [as_column(values, "") for values in (["a", "b"], ["a", None])]
    with pytest.raises(InputError, match="one is missing in row 502"):
        Paired.from_columns(columns[0], {"one": columns[1]}, first_row=501)


def test_an_empty_batch_changes_nothing() -> None:
    nothing = Paired.from_columns(as_column([], ""), {"one": as_column([], "")})
    whole = Paired.from_labels(["a", "b"], {"one": ["a", "a"]})
    assert nothing + whole == whole + nothing == whole


def test_clusters_against_counting_row_by_row() -> None:
    truth, one, two = drawn(400, 3, LABELS, seed=7)
    clusters = np.random.default_rng(8).integers(0, 30, 400).tolist()
    paired = Paired.from_labels(truth, {"one": one, "two": two}, clusters=clusters)
    assert paired.is_clustered
    names, labels = paired.joint.labels[1], paired.labels
    results = {
        (labels[key[0] - 1], labels[key[1] - 1], labels[key[2] - 1], names[key[3] - 1]): rows
        for key, rows in zip(paired.joint.keys.tolist(), paired.joint.rows.tolist(), strict=True)
    }
    assert results == Counter(zip(truth, one, two, clusters, strict=True))
    alone = Paired.from_labels(truth, {"one": one, "two": two})
    assert not alone.is_clustered
    assert paired.table("two") == alone.table("two")
    assert paired.discordance("one", "two") == alone.discordance("one", "two")


def test_clusters_have_names_of_their_own() -> None:
    """A document called "a" is not the label "a"."""
    paired = Paired.from_labels(["a", "b"], {"one": ["a", "a"]}, clusters=["b", "zoe"])
    assert paired.labels == ("a", "b")
    assert paired.joint.labels[1] == ("b", "zoe")


@pytest.mark.parametrize("missing", ["error", "abstain"])
def test_a_row_without_a_cluster_cannot_be_placed(missing: Any) -> None:
    with pytest.raises(InputError, match=r"clusters is missing in row 2 \(1 such row\)"):
        Paired.from_labels(["a", "b"], {"one": ["a", "b"]}, clusters=["x", None], missing=missing)


def test_a_row_without_a_cluster_can_be_dropped() -> None:
    paired = Paired.from_labels(["a", "b"], {"one": ["a", "b"]}, clusters=["x", None], missing="drop")
    assert (paired.total, paired.dropped) == (1, 1)


def test_clustered_and_unclustered_do_not_add() -> None:
    one = Paired.from_labels(["a"], {"one": ["a"]}, clusters=["x"])
    with pytest.raises(MergeError, match="clusters"):
        one + Paired.from_labels(["a"], {"one": ["a"]})


def test_the_positive_label_goes_along() -> None:
    paired = Paired.from_labels(["ham", "spam"], {"one": ["ham", "ham"]}, positive="spam")
    assert paired.table("one").positive == "spam"
    again = Paired.from_dict(json.loads(json.dumps(paired.to_dict())))
    assert again == paired
    assert (paired + Paired.from_labels(["ham"], {"one": ["ham"]})).table("one").positive == "spam"
    with pytest.raises(EdgeworthError, match="eggs"):
        paired.declare(positive="eggs")


def test_labels_and_clusters_read_as_text_become_numbers() -> None:
    paired = Paired.from_labels(
        ["1", "0", "1.0"], {"one": ["1.0", "0", "0"]}, clusters=["7", "7", "8"], positive="1"
    )
    renamed = paired.rename(parse_labels)
    assert renamed == Paired.from_labels([1, 0, 1], {"one": [1, 0, 0]}, clusters=[7, 7, 8], positive=1)


CLUSTERED = Paired.from_labels(["a", "b"], {"one": ["a", "a"]}, clusters=["x", "y"], positive="a")


@pytest.mark.parametrize(
    "fields",
    [
        {"grouped": False},
        {"grouped": "yes"},
        {"labels": [["a", "b"]]},
        {"labels": [["a", "b"], ["x", "x"]]},
        {"keys": [[1, 1, 1], [2, 1, 0]]},
        {"keys": [[0, 1, 1], [2, 1, 2]]},
        {"keys": [[1, 1, 1], [2, 1, 3]]},
        {"positive": "c"},
        {"positive": ["a"]},
    ],
    ids=str,
)
def test_damaged_clusters_are_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(EdgeworthError):
        Paired.from_dict(json.loads(json.dumps(CLUSTERED.to_dict())) | fields)


def test_a_tally_from_before_there_were_clusters_is_read() -> None:
    paired = Paired.from_labels(["a", "b"], {"one": ["a", "a"]})
    payload = {name: value for name, value in paired.to_dict().items() if name not in ("grouped", "positive")}
    assert Paired.from_dict(payload) == paired


@pytest.mark.parametrize("labels", [41, 50])
def test_very_many_combinations_of_small_integers(labels: int) -> None:
    """Past 40 labels a full array a block no longer pays; with as many rows as combinations one for all."""
    rng = np.random.default_rng(labels)
    truth, one, two = rng.integers(0, labels, (3, labels**3 + 7))
    one = np.where(rng.random(len(one)) < 0.7, truth, one)
    paired = Paired.from_labels(truth, {"one": one, "two": two})
    counted = Counter((truth * labels**2 + one * labels + two).tolist())
    codes = ((paired.joint.keys - 1) @ [labels**2, labels, 1]).tolist()
    assert dict(zip(codes, paired.joint.rows.tolist(), strict=True)) == counted
    assert codes == sorted(codes)
