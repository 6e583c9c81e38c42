"""Truth beside probabilities: which column of probabilities came true in each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats, Integers
from edgeworth.core.labels import canonical, canonical_order, find, list_labels, usual_positive
from edgeworth.errors import InputError
from edgeworth.forecasts.column_names import labels_of_columns, refusal, row_at, without_column
from edgeworth.sources.columns import MISSING, Coded, Column, Label, as_column, encode
from edgeworth.sources.probabilities import as_probabilities, checked, names_of_columns

NOT_POSITIVE = "other"

LabelSource: TypeAlias = Literal["places", "labels", "names", "positive"]
"""What says the class of each column: its place, the labels that were declared, its name, or that it is the
only one, and of the positive class."""


@dataclass(frozen=True)
class Forecasts:
    """Checked probabilities (n, K) and the class that came true in each row."""

    codes: NDArray[np.intp]
    probabilities: Floats
    labels: tuple[Label, ...]
    label_source: LabelSource = "places"

    @classmethod
    def of(
        cls,
        truth: Any,
        probabilities: Any,
        *,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
        normalise: bool = False,
        first_row: int = 1,
        name: str = "probabilities",
        columns: Sequence[Label] | None = None,
    ) -> Self:
        """Check a batch. ``labels`` name the columns; for one column, ``positive`` names its class.

        Give a dataframe as it is: its columns may be called as the classes, in any order. ``columns`` are the
        names of a file's; unlike a dataframe's they must tell the classes, unless labels or places do.

        >>> Forecasts.of(["b", "a"], [[0.2, 0.8], [0.7, 0.3]]).codes.tolist()
        [1, 0]
        """
        values = as_probabilities(probabilities, name)
        came = CameTrue.of(
            truth,
            values,
            labels=labels,
            positive=positive,
            named=names_of_columns(probabilities) if columns is None else columns,
            must_tell=columns is not None,
            first_row=first_row,
            name=name,
        )
        rows = checked(values, name=name, first_row=first_row, normalise=normalise)
        return cls(came.codes, rows, came.labels, came.label_source)

    @classmethod
    def beside(
        cls,
        first: Forecasts,
        truth: Any,
        probabilities: Any,
        *,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
        normalise: bool = False,
        name: str = "the rival's probabilities",
    ) -> Forecasts:
        """Another system's probabilities of the same cases, its columns in the order of the first one's.

        >>> model = Forecasts.of(["b", "a"], [[0.2, 0.8], [0.7, 0.3]])
        >>> Forecasts.beside(model, ["b", "a"], [0.5, 0.4], positive="a").probabilities.tolist()
        [[0.5, 0.5], [0.4, 0.6]]
        """
        values = as_probabilities(probabilities, name)
        if values.ndim == 1:
            called = _class_called(names_of_columns(probabilities), first.labels)
            if first.label_source != "positive" or called is not None:
                labels = pair_of(first.labels, positive if called is None else called)
            else:
                labels = first.labels
            probabilities, positive = values, None
        terms: dict[str, Any] = {"labels": labels, "positive": positive, "normalise": normalise}
        return cls.of(truth, probabilities, name=name, **terms).in_order_of(first, name)

    def in_order_of(self, first: Forecasts, name: str = "the rival's probabilities") -> Forecasts:
        """The columns in the order of another system's classes, which must be the same."""
        if self.labels == first.labels:
            return self
        order = order_beside((self.labels, self.label_source), (first.labels, first.label_source), name)
        places = np.argsort(order)
        return replace(
            self,
            codes=places[self.codes],
            probabilities=self.probabilities[:, order],
            labels=first.labels,
            label_source=first.label_source,
        )

    @property
    def size(self) -> int:
        """How many classes there are."""
        return len(self.labels)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: slice | NDArray[np.intp]) -> Self:
        """Some of the rows, or all of them in another order."""
        return replace(self, codes=self.codes[rows], probabilities=self.probabilities[rows])

    def of_truth(self, values: Floats) -> Floats:
        """The entry of each row in the column that came true."""
        return entries(values, self.codes)


def entries(table: Floats, columns: NDArray[np.intp]) -> Floats:
    """One entry of each row, in the column that is told.

    >>> entries(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1, 0])).tolist()
    [2.0, 3.0]
    """
    rows, size = table.shape
    # Every place exists: nothing is clipped, numpy only need not look.
    if table.flags.fnc:
        places = columns * rows
        places += np.arange(rows)
        return np.asarray(np.take(table.T, places, mode="clip"))
    places = np.arange(0, size * rows, size)
    places += columns
    return np.asarray(np.take(table, places, mode="clip"))


@dataclass(frozen=True)
class CameTrue:
    """The column of probabilities that came true in each row, and the class of each column."""

    codes: NDArray[np.intp]
    labels: tuple[Label, ...]
    label_source: LabelSource = "places"

    @classmethod
    def of(
        cls,
        truth: Any,
        probabilities: Floats,
        *,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
        named: Sequence[Label] | None = None,
        must_tell: bool = False,
        first_row: int | Integers = 1,
        name: str = "probabilities",
    ) -> Self:
        """Find the columns; the probabilities themselves are not checked here.

        ``named`` is what the columns are called: it counts where it names every class, and what names some of
        them only is refused. ``must_tell`` refuses names that say nothing, too. ``first_row`` is the number
        of the first row, or of each, for errors.
        """
        column = as_column(truth, "truth")
        if len(column) != len(probabilities):
            raise InputError(f"truth has {len(column):,} rows, the {name} have {len(probabilities):,}")
        is_single = probabilities.ndim == 1
        number = 2 if is_single else probabilities.shape[1]
        if not _is_whole(column):
            column = encode(column, "truth")
            if (column.codes == MISSING).any():
                row = row_at(first_row, int(np.argmax(column.codes == MISSING)))
                raise InputError(f"truth is missing in row {row:,}: drop such rows beforehand")
        if is_single:
            if named is not None and labels is None and positive is None:
                positive = _class_called(named, encode(column, "truth").labels)
            names = column_labels(column, number, labels, positive, is_single=True)
            return cls(truth_codes(column, names, first_row), names, "positive")
        label_source: LabelSource = "places" if labels is None else "labels"
        if named is not None:
            found = _as_named(column, named, labels, must_tell, first_row)
            if found is not None:
                labels, label_source = found, "names"
        if labels is None and _is_whole(column):
            places = _sure_places(_ends(column), number)
            if places is not None:
                assert isinstance(column, np.ndarray)
                return cls(column.astype(np.intp, copy=False), places)
        names = column_labels(column, number, labels, positive, is_single=False)
        return cls(truth_codes(column, names, first_row), names, label_source)


@dataclass(frozen=True)
class GivenForecasts:
    """One system's probabilities as given; they are checked a block at a time, which keeps memory small."""

    values: Floats
    came: CameTrue
    name: str

    @classmethod
    def of(
        cls,
        truth: Column,
        values: Any,
        *,
        labels: Sequence[Label] | None,
        positive: Label | None,
        name: str,
    ) -> Self:
        array = as_probabilities(values, name)
        called = names_of_columns(values)
        came = CameTrue.of(truth, array, labels=labels, positive=positive, named=called, name=name)
        return cls(array, came, name)

    def checked(self, rows: slice, first: CameTrue, *, normalise: bool = False) -> Forecasts:
        """A block of rows, columns in the order of the first system's."""
        came = self.came
        found = checked(self.values[rows], name=self.name, first_row=rows.start + 1, normalise=normalise)
        if came.labels != first.labels:
            order = order_beside(
                (came.labels, came.label_source), (first.labels, first.label_source), self.name
            )
            found = found[:, order]
        return Forecasts(first.codes[rows], found, first.labels)


def _is_whole(truth: Column) -> bool:
    """Whole numbers can be columns' places as they are."""
    return isinstance(truth, np.ndarray) and truth.dtype.kind in "ui" and len(truth) > 0


def order_beside(
    mine: tuple[tuple[Label, ...], LabelSource], first: tuple[tuple[Label, ...], LabelSource], name: str
) -> list[int]:
    """Which of my columns stands for each class of the first system, in its order."""
    (labels, label_source), (wanted, how) = mine, first
    if set(labels) != set(wanted):
        raise InputError(
            f"{name} are of {list_labels(labels)}, those of the first system of {list_labels(wanted)}: "
            "say which "
            "column is which (labels=, --labels)"
        )
    if label_source == "places" and how in ("names", "positive"):
        # In the order of the first one's columns, or in that of the classes? Both are likely.
        raise InputError(
            f"{name} have no names of classes, and the columns of the first system are "
            f"{list_labels(wanted)}, not "
            f"{list_labels(labels)}: name them too, or say the order of both (labels=, --labels)"
        )
    return [labels.index(label) for label in wanted]


def _as_named(
    truth: Column,
    names: Sequence[Label],
    labels: Sequence[Label] | None,
    must_tell: bool,
    first_row: int | Integers,
) -> list[Label] | None:
    """The class of each column by its name; None where the names do not tell it and something else may."""
    # 0, 1, … is what a dataframe calls columns that nobody named.
    if all(type(name) is int for name in names) and tuple(names) == tuple(range(len(names))):
        return None
    if labels is not None:
        return labels_of_columns(names, labels) if len(labels) == len(names) else None
    coded = encode(truth, "truth")
    seen = canonical_order(coded.labels)
    found = labels_of_columns(names, seen)
    if found is not None or not seen or _places(seen, len(names)) is not None:
        return found
    if must_tell or len(without_column(names, seen)) < len(seen):
        raise refusal(names, Coded(coded.codes, tuple(map(canonical, coded.labels))), first_row)
    return None


def _class_called(names: Sequence[Label] | None, labels: Sequence[Label]) -> Label | None:
    """The class that a single column is called after, if it has a name and is."""
    written = {str(canonical(label)): label for label in labels}
    return written.get(str(canonical(names[0]))) if names else None


def column_labels(
    truth: Column,
    number: int,
    labels: Sequence[Label] | None,
    positive: Label | None,
    *,
    is_single: bool,
) -> tuple[Label, ...]:
    """The class of each column: as declared, or as the truth leaves no doubt about it.

    Whole numbers from 0 to K − 1 are the places of K columns, whether or not all of them came true.
    """
    if labels is not None:
        names = tuple(canonical(label) for label in labels)
        if len(names) != number or len(set(names)) != number:
            raise InputError(f"{number} columns need {number} different labels; saw {list_labels(names)}")
        return names[::-1] if is_single and positive is not None and not find(positive, names) else names
    seen = _ends(truth) if _is_whole(truth) else canonical_order(encode(truth, "truth").labels)
    if not seen:
        raise InputError("there are no rows, so the class of each column has to be declared (labels=)")
    places = _places(seen, number)
    if is_single:
        if places is None and _is_whole(truth):
            seen = canonical_order(encode(truth, "truth").labels)
        return pair_of(seen if places is None else places, positive)
    if places is not None:
        return _sure_places(seen, number) or places
    seen = canonical_order(encode(truth, "truth").labels)
    if len(seen) != number:
        raise InputError(
            f"there are {number} columns of probabilities and truth has {len(seen)} labels "
            f"({list_labels(seen)}): "
            "say which column is which (labels=, --labels)"
        )
    return seen


def _ends(truth: Column) -> tuple[Label, ...]:
    """The smallest and the largest of whole numbers, which is quicker than all of them."""
    assert isinstance(truth, np.ndarray)
    return int(truth.min()), int(truth.max())


def _places(seen: tuple[Label, ...], number: int) -> tuple[Label, ...] | None:
    """The labels 0 to K − 1 (for two columns of booleans, False and True) if the truth is among them."""
    if all(isinstance(label, bool) for label in seen):
        return (False, True) if number == 2 else None
    if all(isinstance(label, int) and 0 <= label < number for label in seen):
        return tuple(range(number))
    return None


def _sure_places(seen: tuple[Label, ...], number: int) -> tuple[Label, ...] | None:
    """The same, refused where 1, 2, … may as well count the columns from 1."""
    places = _places(seen, number)
    if places is not None and 0 not in seen and not isinstance(seen[0], bool):
        raise InputError(
            f"truth has neither 0 nor {number} among its labels, so these may count the {number} columns "
            "from 0 or from 1: say which column is which (labels=, --labels)"
        )
    return places


def pair_of(seen: tuple[Label, ...], positive: Label | None) -> tuple[Label, ...]:
    """Two classes, the positive one last: the class of a single column of probabilities."""
    if positive is None:
        target = usual_positive(seen)
        if target is None:
            raise InputError(
                f"truth has the labels {list_labels(seen)}: say which one the probability is of "
                "(positive=, --positive)"
            )
    elif len(seen) == 1 and str(canonical(positive)) != str(seen[0]):
        # The positive class need not have come true.
        target = canonical(positive)
    else:
        target = seen[find(positive, seen)]
    rest = [label for label in seen if label != target]
    if len(rest) > 1:
        raise InputError(f"one column of probabilities is for two classes; truth has {list_labels(seen)}")
    return (rest[0] if rest else NOT_POSITIVE, target)


def truth_codes(truth: Column, labels: tuple[Label, ...], first_row: int | Integers) -> NDArray[np.intp]:
    """The column that came true in each row; a class without a column is an error."""
    if _is_whole(truth) and labels == tuple(range(len(labels))):
        assert isinstance(truth, np.ndarray)
        if not (truth.min() >= 0 and truth.max() < len(labels)):
            row = int(np.argmax((truth < 0) | (truth >= len(labels))))
            raise _without_column(truth[row], row_at(first_row, row), labels)
        return truth.astype(np.intp, copy=False)
    coded = encode(truth, "truth")
    place = {label: index for index, label in enumerate(labels)}
    written = {str(label): index for index, label in enumerate(labels)}
    table = [place.get(canonical(x), written.get(str(canonical(x)), -1)) for x in coded.labels]
    codes = np.array([*table, -1], dtype=np.intp)[coded.codes]
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise _without_column(coded.labels[coded.codes[row]], row_at(first_row, row), labels)
    return codes


def _without_column(label: Any, row: int, labels: tuple[Label, ...]) -> InputError:
    return InputError(
        f"truth is {canonical(label)!r} in row {row:,}, which has no column of probabilities; "
        f"the columns are {list_labels(labels)}"
    )
