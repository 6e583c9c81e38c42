"""Truth beside probabilities: which column of probabilities came true in each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError
from edgeworth.sources.columns import MISSING, Column, Label, as_column, encode
from edgeworth.sources.probabilities import as_probabilities, checked, names_of_columns
from edgeworth.tallies.joint import Floats
from edgeworth.tallies.labels import canonical, canonical_order, find, listed, usual_positive

NOT_POSITIVE = "other"


@dataclass(frozen=True)
class Forecasts:
    """Checked probabilities (n, K) and the class that came true in each row."""

    codes: NDArray[np.intp]
    probabilities: Floats
    labels: tuple[Label, ...]

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
    ) -> Self:
        """Check a batch. ``labels`` name the columns; for one column, ``positive`` names its class.

        Give a dataframe as it is: its columns may be called as the classes, in any order.

        >>> Forecasts.of(["b", "a"], [[0.2, 0.8], [0.7, 0.3]]).codes.tolist()
        [1, 0]
        """
        values, named = as_probabilities(probabilities, name), names_of_columns(probabilities)
        came = CameTrue.of(
            truth, values, labels=labels, positive=positive, named=named, first_row=first_row, name=name
        )
        rows = checked(values, name=name, first_row=first_row, normalise=normalise)
        return cls(came.codes, rows, came.labels)

    @property
    def size(self) -> int:
        """How many classes there are."""
        return len(self.labels)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: slice) -> Self:
        """Some of the rows."""
        return replace(self, codes=self.codes[rows], probabilities=self.probabilities[rows])

    def of_truth(self, values: Floats) -> Floats:
        """The entry of each row in the column that came true."""
        return np.take(values, self.places)  # numpy reads a table row by row

    @cached_property
    def places(self) -> NDArray[np.intp]:
        """Where the entry of what came true stands, counting row by row."""
        size = self.probabilities.shape[1]
        return np.arange(0, size * len(self.codes), size) + self.codes


@dataclass(frozen=True)
class CameTrue:
    """The column of probabilities that came true in each row, and the class of each column."""

    codes: NDArray[np.intp]
    labels: tuple[Label, ...]

    @classmethod
    def of(
        cls,
        truth: Any,
        probabilities: Floats,
        *,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
        named: Sequence[Label] | None = None,
        first_row: int = 1,
        name: str = "probabilities",
    ) -> Self:
        """Find the columns; the probabilities themselves are not checked here.

        ``named`` is what a dataframe calls its columns: it counts where it names every class of the truth.
        """
        column = as_column(truth, "truth")
        if len(column) != len(probabilities):
            raise InputError(f"truth has {len(column):,} rows, the {name} have {len(probabilities):,}")
        is_single = probabilities.ndim == 1
        number = 2 if is_single else probabilities.shape[1]
        if not _is_whole(column):
            column = encode(column, "truth")
            if (column.codes == MISSING).any():
                row = first_row + int(np.argmax(column.codes == MISSING))
                raise InputError(f"truth is missing in row {row:,}: drop such rows beforehand")
        if labels is None and named is not None and not is_single:
            labels = _as_named(column, named)
        if labels is None and not is_single and _is_whole(column):
            places = _places(_ends(column), number)
            if places is not None:
                assert isinstance(column, np.ndarray)
                return cls(column.astype(np.intp, copy=False), places)
        names = column_labels(column, number, labels, positive, is_single=is_single)
        return cls(truth_codes(column, names, first_row), names)


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
        named = names_of_columns(values)
        came = CameTrue.of(truth, array, labels=labels, positive=positive, named=named, name=name)
        return cls(array, came, name)

    def checked(self, rows: slice, first: CameTrue, normalise: bool = False) -> Forecasts:
        """A block of rows, its columns in the order of the first system's."""
        found = checked(self.values[rows], name=self.name, first_row=rows.start + 1, normalise=normalise)
        if self.came.labels != first.labels:
            if set(self.came.labels) != set(first.labels):
                raise InputError(
                    f"{self.name} are of {listed(self.came.labels)}, those of the first system of "
                    f"{listed(first.labels)}: say which column is which (labels=, --labels)"
                )
            found = found[:, [self.came.labels.index(label) for label in first.labels]]
        return Forecasts(first.codes[rows], found, first.labels)


def _is_whole(truth: Column) -> bool:
    """Whole numbers can be columns' places as they are."""
    return isinstance(truth, np.ndarray) and truth.dtype.kind in "ui" and len(truth) > 0


def _as_named(truth: Column, named: Sequence[Label]) -> tuple[Label, ...] | None:
    """The truth's labels in the order of columns that are called the same, if all of them are."""
    seen = {str(label): label for label in canonical_order(encode(truth, "truth").labels)}
    written = [str(canonical(name)) for name in named]
    if not seen or not seen.keys() <= set(written):
        return None
    return tuple(seen.get(text, canonical(name)) for text, name in zip(written, named, strict=True))


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
            raise InputError(f"{number} columns need {number} different labels; saw {listed(names)}")
        return names[::-1] if is_single and positive is not None and not find(positive, names) else names
    seen = _ends(truth) if _is_whole(truth) else canonical_order(encode(truth, "truth").labels)
    if not seen:
        raise InputError("there are no rows, so the class of each column has to be declared (labels=)")
    places = _places(seen, number)
    if is_single:
        if places is None and _is_whole(truth):
            seen = canonical_order(encode(truth, "truth").labels)
        return _pair(seen if places is None else places, positive)
    if places is not None:
        return places
    seen = canonical_order(encode(truth, "truth").labels)
    if len(seen) != number:
        raise InputError(
            f"there are {number} columns of probabilities and truth has {len(seen)} labels ({listed(seen)}): "
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


def _pair(seen: tuple[Label, ...], positive: Label | None) -> tuple[Label, ...]:
    if positive is None:
        target = usual_positive(seen)
        if target is None:
            raise InputError(
                f"truth has the labels {listed(seen)}: say which one the probability is of "
                "(positive=, --positive)"
            )
    elif len(seen) == 1 and str(canonical(positive)) != str(seen[0]):
        # The positive class need not have come true.
        target = canonical(positive)
    else:
        target = seen[find(positive, seen)]
    rest = [label for label in seen if label != target]
    if len(rest) > 1:
        raise InputError(f"one column of probabilities is for two classes; truth has {listed(seen)}")
    return (rest[0] if rest else NOT_POSITIVE, target)


def truth_codes(truth: Column, labels: tuple[Label, ...], first_row: int) -> NDArray[np.intp]:
    """The column that came true in each row; a class without a column is an error."""
    if _is_whole(truth) and labels == tuple(range(len(labels))):
        assert isinstance(truth, np.ndarray)
        if not (truth.min() >= 0 and truth.max() < len(labels)):
            row = int(np.argmax((truth < 0) | (truth >= len(labels))))
            raise _without_column(truth[row], first_row + row, labels)
        return truth.astype(np.intp, copy=False)
    coded = encode(truth, "truth")
    place = {label: index for index, label in enumerate(labels)}
    written = {str(label): index for index, label in enumerate(labels)}
    table = [place.get(canonical(x), written.get(str(canonical(x)), -1)) for x in coded.labels]
    codes = np.array([*table, -1], dtype=np.intp)[coded.codes]
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise _without_column(coded.labels[coded.codes[row]], first_row + row, labels)
    return codes


def _without_column(label: Any, row: int, labels: tuple[Label, ...]) -> InputError:
    return InputError(
        f"truth is {canonical(label)!r} in row {row:,}, which has no column of probabilities; "
        f"the columns are {listed(labels)}"
    )
