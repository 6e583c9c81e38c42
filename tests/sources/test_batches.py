"""Batches, folding them, and finding columns by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from edgeworth import ContingencyTable
from edgeworth.errors import InputError
from edgeworth.sources.batches import Batch, check_columns, fold_batches
from edgeworth.sources.columns import Coded
from edgeworth.sources.opening import ArraySource


class Bag(list[Any]):
    """The plainest thing that adds: it keeps what it was given, in order."""

    def __add__(self, other: Any) -> Bag:
        return Bag([*self, *other])


def test_fold_prepares_each_batch_and_adds_in_order() -> None:
    batches = [Batch({"x": np.array(values)}) for values in ([1, 2], [3], [4, 5, 6])]
    assert fold_batches(batches, lambda batch: Bag(batch.columns["x"].tolist()), Bag()) == (
        [1, 2, 3, 4, 5, 6],
        6,
    )


def test_fold_of_no_batches_is_the_empty_value() -> None:
    assert fold_batches([], lambda _: Bag([1]), Bag()) == ([], 0)
    assert fold_batches([], ContingencyTable.empty, ContingencyTable.empty()) == (ContingencyTable.empty(), 0)


def test_a_batch_has_columns_of_one_length() -> None:
    assert len(Batch({"x": np.arange(3), "y": Coded(np.array([0, 0, -1]), ("a",))})) == 3
    assert len(Batch({})) == 0
    with pytest.raises(InputError, match="x has 3, y has 2"):
        Batch({"x": np.arange(3), "y": np.arange(2)})


class Name(str):
    """A column that counts how often it is compared without regard to case."""

    lowered = 0

    def lower(self) -> str:
        self.lowered += 1
        return super().lower()


def test_columns_that_are_there() -> None:
    check_columns(["truth", "guess"], ["id", "truth", "guess"], "file.csv")
    check_columns(["truth", "truth"], ["truth"], "file.csv")
    lowered = [Name(f"c{number}") for number in range(50)]
    check_columns(lowered, lowered, "wide.csv")
    assert all(name.lowered <= 2 for name in lowered), "time grows with the columns, not with their square"
    # Twins among columns nobody asked for do no harm.
    check_columns(["truth"], ["truth", "n", "N", "id", "id"], "file.csv")


@pytest.mark.parametrize(
    ("wanted", "available", "message"),
    [
        ("prediciton", ["truth", "prediction"], r"no column 'prediciton'; did you mean 'prediction'\?"),
        ("Truth", ["truth", "prediction"], r"no column 'Truth'; did you mean 'truth'\?"),
        ("TRUTH", ["truth", "Truth"], r"did you mean 'truth' or 'Truth'\?"),
        ("zzz", ["truth", "prediction"], "it has 'truth', 'prediction'$"),
        ("zzz", [f"column {n}" for n in range(20)], r"'column 7', …$"),
        ("zzz", [], "it has no columns$"),
        ("n", ["n", "N"], r"differ only in case \('N', 'n'\)"),
        ("n", ["n", "n", "n"], "3 columns named 'n'"),
    ],
    ids=["near miss", "case", "two cases", "nothing near", "many", "none", "twins", "three of a name"],
)
def test_columns_that_are_not_there_or_not_alone(wanted: str, available: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check_columns([wanted], available, "file.csv")
    assert str(caught.value).startswith("file.csv ")


def test_arrays_are_one_batch_of_the_wanted_columns() -> None:
    source = ArraySource({"truth": [1, 2], "guess": np.array([1, 1]), "other": ["a", "b"]})
    batches = list(source.batches(["truth", "guess"]))
    assert len(batches) == 1
    assert list(batches[0].columns) == ["truth", "guess"]
    assert batches[0].first_row == 1
    # A source can be read again.
    assert len(list(source.batches(["truth"]))) == 1


def test_arrays_that_do_not_fit() -> None:
    with pytest.raises(InputError, match="truth has 2, guess has 3"):
        ArraySource({"truth": [1, 2], "guess": [1, 2, 3]})
    with pytest.raises(InputError, match="no rows"):
        list(ArraySource({"truth": [], "guess": []}).batches(["truth"]))
    with pytest.raises(InputError, match="no column 'gues'; did you mean 'guess'"):
        list(ArraySource({"truth": [1], "guess": [1]}).batches(["gues"]))
