"""Truth beside probabilities: which column of probabilities came true in each row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError
from edgeworth.sources.columns import MISSING, Column, Label, as_column, encode
from edgeworth.sources.probabilities import checked
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
        probabilities: Floats,
        *,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
        normalise: bool = False,
        first_row: int = 1,
        name: str = "probabilities",
    ) -> Self:
        """Check a batch. ``labels`` name the columns; for one column, ``positive`` names its class."""
        column = as_column(truth, "truth")
        if len(column) != len(probabilities):
            raise InputError(f"truth has {len(column):,} rows, the {name} have {len(probabilities):,}")
        rows = checked(probabilities, name=name, first_row=first_row, normalise=normalise)
        names = column_labels(column, rows.shape[1], labels, positive, is_single=probabilities.ndim == 1)
        return cls(truth_codes(column, names, first_row), rows, names)

    @property
    def size(self) -> int:
        """How many classes there are."""
        return len(self.labels)

    def of_truth(self, values: Floats) -> Floats:
        """The entry of each row in the column that came true."""
        return np.asarray(values[np.arange(len(self.codes)), self.codes])


def column_labels(
    truth: Column,
    number: int,
    labels: Sequence[Label] | None,
    positive: Label | None,
    *,
    is_single: bool,
) -> tuple[Label, ...]:
    """The class of each column: as declared, or as the truth leaves no doubt about it."""
    if labels is not None:
        names = tuple(canonical(label) for label in labels)
        if len(names) != number or len(set(names)) != number:
            raise InputError(f"{number} columns need {number} different labels; saw {listed(names)}")
        if is_single and positive is not None and names[1] != canonical(positive):
            names = (names[1], names[0])
        return names
    if isinstance(truth, np.ndarray) and truth.dtype.kind in "bui" and len(truth) and positive is None:
        low, high = int(truth.min()), int(truth.max())
        if low >= 0 and high < number:
            return tuple(bool(x) for x in (0, 1)) if truth.dtype.kind == "b" else tuple(range(number))
    seen = canonical_order(label for label in encode(truth, "truth").labels)
    if is_single:
        return _pair(seen, positive)
    if len(seen) != number:
        raise InputError(
            f"there are {number} columns of probabilities and truth has {len(seen)} labels ({listed(seen)}): "
            "say which column is which (labels=, --labels)"
        )
    return seen


def _pair(seen: tuple[Label, ...], positive: Label | None) -> tuple[Label, ...]:
    if positive is not None:
        target = seen[find(positive, seen)]
    else:
        usual = usual_positive(seen)
        if usual is None:
            raise InputError(
                f"truth has the labels {listed(seen)}: say which one the probability is of "
                "(positive=, --positive)"
            )
        target = usual
    rest = [label for label in seen if label != target]
    if len(rest) > 1:
        raise InputError(f"one column of probabilities is for two classes; truth has {listed(seen)}")
    return (rest[0] if rest else NOT_POSITIVE, target)


def truth_codes(truth: Column, labels: tuple[Label, ...], first_row: int) -> NDArray[np.intp]:
    """The column that came true in each row; a class without a column is an error."""
    if isinstance(truth, np.ndarray) and truth.dtype.kind in "bui" and labels == tuple(range(len(labels))):
        if len(truth) and not (truth.min() >= 0 and truth.max() < len(labels)):
            wrong = (truth < 0) | (truth >= len(labels))
            raise _without_column(truth[int(np.argmax(wrong))], int(np.argmax(wrong)) + first_row, labels)
        return truth.astype(np.intp, copy=False)
    coded = encode(truth, "truth")
    place = {label: index for index, label in enumerate(labels)}
    written = {str(label): index for index, label in enumerate(labels)}
    table = [place.get(canonical(x), written.get(str(canonical(x)), -1)) for x in coded.labels]
    codes = np.array([*table, -1], dtype=np.intp)[coded.codes]
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        if coded.codes[row] == MISSING:
            raise InputError(f"truth is missing in row {first_row + row:,}: drop such rows beforehand")
        raise _without_column(coded.labels[coded.codes[row]], first_row + row, labels)
    return codes


def _without_column(label: Any, row: int, labels: tuple[Label, ...]) -> InputError:
    return InputError(
        f"truth is {canonical(label)!r} in row {row:,}, which has no column of probabilities; "
        f"the columns are {listed(labels)}"
    )
