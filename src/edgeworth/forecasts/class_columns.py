"""Which class each column of probabilities is of, by its name, its place or declared labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Self, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from edgeworth.bet.ledger import PENDING
from edgeworth.common.arrays import Floats, Integers
from edgeworth.core.labels import (
    canonical_label,
    canonical_order,
    find_label,
    list_labels,
    parse_labels,
    usual_positive,
)
from edgeworth.core.row_policies import refuse_regression
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.columns import DROP_MISSING, MISSING, Coded, Column, Label, as_column, encode

if TYPE_CHECKING:
    from edgeworth.forecasts.forecasts import Forecasts

NOT_POSITIVE = "other"


MAX_COLUMNS_LISTED = 8
"""Names of columns that a sentence can hold."""


LabelSource: TypeAlias = Literal["places", "labels", "names", "positive"]
"""How the class of each column is known: by its position, by the declared labels, by its name, or because it
is the single column of the positive class."""


class ReadingOptions(TypedDict):
    """How the columns of probabilities are read."""

    labels: Sequence[Label] | None
    positive: Label | None
    normalise: bool


Classes: TypeAlias = "CodedTruth | Forecasts"
"""A value that holds the classes of a system's columns."""


@dataclass(frozen=True)
class CodedTruth:
    """The column of probabilities that came true in each row, and the class of each column."""

    codes: NDArray[np.intp]
    labels: tuple[Label, ...]
    label_source: LabelSource = "places"

    @classmethod
    def of(
        cls,
        truth: object,
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

        ``named`` are the names of the columns. They decide if they name every class; names of only some
        classes are refused. With ``must_tell``, names of no class are refused too. ``first_row`` is the
        number of the first row, or of each row, for errors.
        """
        column = as_column(truth, "truth")
        if len(column) != len(probabilities):
            raise InputError(f"truth has {len(column):,} rows, the {name} have {len(probabilities):,}")
        if not _is_whole(column):
            column = encode(column, "truth")
            if (column.codes == MISSING).any():
                row = row_at(first_row, int(np.argmax(column.codes == MISSING)))
                raise InputError(f"truth is missing in row {row:,}: {DROP_MISSING}")
        truth_labels = _seen_labels(column)
        label_source: LabelSource = "places" if labels is None else "labels"
        if probabilities.ndim == 1:
            if named is not None and labels is None and positive is None:
                positive = class_by_name(named, truth_labels)
            names, label_source = _labels_of_one(truth_labels, labels, positive), "positive"
        else:
            named_labels = None
            if named is not None:
                named_labels = _labels_by_name(column, truth_labels, named, labels, must_tell, first_row)
            label_source = label_source if named_labels is None else "names"
            names = _labels_of_each(
                truth_labels, probabilities.shape[1], labels if named_labels is None else named_labels
            )
        return cls(truth_codes(column, names, first_row), names, label_source)


def _labels_of_each(
    truth_labels: tuple[Label, ...], number: int, labels: Sequence[Label] | None
) -> tuple[Label, ...]:
    """Return the class of each column: as declared, or as the truth implies it.

    Whole numbers from 0 to K − 1 are the places of K columns, whether or not all of them came true.
    """
    if labels is not None:
        names = tuple(canonical_label(label) for label in labels)
        if len(names) != number or len(set(names)) != number:
            raise InputError(f"{number} columns need {number} different labels; saw {list_labels(names)}")
        return names
    _check_some(truth_labels)
    positions = _places(truth_labels, number)
    if positions is not None and 0 not in truth_labels and not isinstance(truth_labels[0], bool):
        raise InputError(
            f"truth has neither 0 nor {number} among its labels, so these may count the {number} columns "
            "from 0 or from 1: name the classes in column order (labels=, --labels)"
        )
    if positions is None and len(truth_labels) != number:
        raise InputError(
            f"there are {number} columns of probabilities and truth has {len(truth_labels)} labels "
            f"({list_labels(truth_labels)}): name the classes in column order (labels=, --labels)"
        )
    return positions or truth_labels


def _labels_of_one(
    truth_labels: tuple[Label, ...], labels: Sequence[Label] | None, positive: Label | None
) -> tuple[Label, ...]:
    """Return the two classes of a single column; the last is the class it is for."""
    if labels is not None:
        names = _labels_of_each(truth_labels, 2, labels)
        return names[::-1] if positive is not None and not find_label(positive, names) else names
    _check_some(truth_labels)
    return pair_of(_places(truth_labels, 2) or truth_labels, positive)


def _check_some(truth_labels: tuple[Label, ...]) -> None:
    if not truth_labels:
        raise InputError("there are no rows, so the class of each column has to be declared (labels=)")


def pair_of(truth_labels: tuple[Label, ...], positive: Label | None) -> tuple[Label, ...]:
    """Return two classes, the positive one, which a single column is for, last."""
    if positive is None:
        target = usual_positive(truth_labels)
        if target is None:
            start = f"truth has the labels {list_labels(truth_labels)}: "
            if len(truth_labels) > 2 and all(isinstance(x, float) and 0 <= x <= 1 for x in truth_labels):
                raise InputError(f"{start}these may be probabilities; are truth and probabilities exchanged?")
            refuse_regression(truth_labels)
            raise InputError(f"{start}name the class of the probability (positive=, --positive)")
    elif len(truth_labels) == 1 and str(canonical_label(positive)) != str(truth_labels[0]):
        # The positive class need not have come true.
        target = canonical_label(positive)
    else:
        target = truth_labels[find_label(positive, truth_labels)]
    negatives = [label for label in truth_labels if label != target]
    if len(negatives) > 1:
        raise InputError(
            f"one column of probabilities is for two classes; truth has {list_labels(truth_labels)}"
        )
    return (negatives[0] if negatives else NOT_POSITIVE, target)


def truth_codes(truth: Column, labels: tuple[Label, ...], first_row: int | Integers) -> NDArray[np.intp]:
    """Return the column that came true in each row; raise an error for a class without a column."""
    if _is_whole(truth) and labels == tuple(range(len(labels))):
        assert isinstance(truth, np.ndarray)
        if not (truth.min() >= 0 and truth.max() < len(labels)):
            row = int(np.argmax(np.less(truth, 0) | np.greater_equal(truth, len(labels))))
            raise _without_column(truth[row], row_at(first_row, row), labels)
        return truth.astype(np.intp, copy=False)
    coded = encode(truth, "truth")
    index_of = {label: index for index, label in enumerate(labels)}
    written = {str(label): index for index, label in enumerate(labels)}
    table = [index_of.get(canonical_label(x), written.get(str(canonical_label(x)), -1)) for x in coded.labels]
    codes = np.array([*table, -1], dtype=np.intp)[coded.codes]
    if (codes < 0).any():
        row = int(np.argmax(codes < 0))
        raise _without_column(coded.labels[coded.codes[row]], row_at(first_row, row), labels)
    return codes


def _without_column(label: Label, row: int, labels: tuple[Label, ...]) -> InputError:
    return InputError(
        f"truth is {canonical_label(label)!r} in row {row:,}, which has no column of probabilities; "
        f"the columns are {list_labels(labels)}"
    )


def _is_whole(truth: Column) -> bool:
    """Return whether the truth is whole numbers, which can be column positions."""
    return isinstance(truth, np.ndarray) and truth.dtype.kind in "ui" and len(truth) > 0


def _seen_labels(truth: Column) -> tuple[Label, ...]:
    """Return the labels that came true, in their usual order; small whole numbers need no sorting."""
    if isinstance(truth, np.ndarray) and _is_whole(truth) and truth.min() >= 0 and truth.max() < len(truth):
        return tuple(np.flatnonzero(np.bincount(truth.astype(np.intp, copy=False))).tolist())
    return canonical_order(encode(truth, "truth").labels)


def _places(truth_labels: tuple[Label, ...], number: int) -> tuple[Label, ...] | None:
    """Return the labels 0 to K − 1 (or False and True) if the truth is among them."""
    if all(isinstance(label, bool) for label in truth_labels):
        return (False, True) if number == 2 else None
    if all(isinstance(label, int) and 0 <= label < number for label in truth_labels):
        return tuple(range(number))
    return None


# -- the order of columns beside those of another system -----------------------------------------------------


def order_beside(classes: Classes, first: Classes, name: str) -> list[int]:
    """Find the column of each class, in the order of the first system's classes."""
    labels, first_labels = classes.labels, first.labels
    if set(labels) != set(first_labels):
        raise InputError(
            f"{name} have the classes {list_labels(labels)}, the first system has "
            f"{list_labels(first_labels)}: name the classes in column order (labels=, --labels)"
        )
    if classes.label_source == "places" and first.label_source in ("names", "positive"):
        # In the order of the first one's columns, or in that of the classes? Both are likely.
        raise InputError(
            f"{name} have no names of classes, and the columns of the first system are "
            f"{list_labels(first_labels)}, not {list_labels(labels)}: name them too, or pass the order of "
            "both (labels=, --labels)"
        )
    return [labels.index(label) for label in first_labels]


def order_of_rival(
    columns: Sequence[str], first: Classes, reading: ReadingOptions, name: str = "the rival's probabilities"
) -> list[int]:
    """Find the rival's column of each class of the first system; for a single column, find its class."""
    if len(columns) > 1:
        return order_of_columns(columns, first, reading, name)
    if first.label_source == "positive":
        return [1]
    return [first.labels.index(pair_of(first.labels, reading["positive"])[1])]


def order_of_columns(columns: Sequence[str], first: Classes, reading: ReadingOptions, name: str) -> list[int]:
    """Find the column of each class of the first system, by name, or by position if that was requested."""
    labels = first.labels
    if len(columns) != len(first.labels):
        raise InputError(
            f"{name} need a column for each of {list_labels(labels)}; saw {len(columns)} columns, "
            f"{list_columns(columns)}"
        )
    named_labels = labels_of_columns(columns, labels)
    if named_labels is not None:
        return [named_labels.index(label) for label in labels]
    if reading["labels"] is None and first.label_source == "places":
        return list(range(len(first.labels)))
    if reading["labels"] is None or first.label_source == "names":
        missing = without_column(columns, labels)
        say = "pass the class of each column, in the same order (--labels CLASS,CLASS)"
        advice = "rename them" if first.label_source == "names" else say
        raise InputError(
            f"the columns of {name}, {list_columns(columns)}, are not named after the classes "
            f"{list_labels(labels)}: there is none for {list_labels(missing)}; {advice}"
        )
    declared = [canonical_label(label) for label in reading["labels"]]
    if (
        first.label_source == "positive"
        and reading["positive"] is None
        and usual_positive(declared) == declared[0]
    ):
        raise OptionError(
            f"labels declare the order {_join_labels(declared)} for {name}; also name the class of the "
            "single column of probabilities (positive=, --positive)"
        )
    return [declared.index(label) for label in labels]


def _join_labels(labels: Sequence[Label]) -> str:
    return ",".join(map(str, labels))


# -- names of columns ----------------------------------------------------------------------------------------


def _labels_by_name(
    truth: Column,
    truth_labels: tuple[Label, ...],
    names: Sequence[Label],
    labels: Sequence[Label] | None,
    must_tell: bool,
    first_row: int | Integers,
) -> list[Label] | None:
    """Return the class of each column by its name, or None if the names are not those of classes."""
    # 0, 1, … is what a dataframe calls unnamed columns.
    if all(type(name) is int for name in names) and tuple(names) == tuple(range(len(names))):
        return None
    if labels is not None:
        return labels_of_columns(names, labels) if len(labels) == len(names) else None
    named_labels = labels_of_columns(names, truth_labels)
    if named_labels is not None or not truth_labels or _places(truth_labels, len(names)) is not None:
        return named_labels
    if must_tell or len(without_column(names, truth_labels)) < len(truth_labels):
        coded = encode(truth, "truth")
        raise refusal(names, Coded(coded.codes, tuple(map(canonical_label, coded.labels))), first_row)
    return None


def class_by_name(names: Sequence[Label] | None, labels: Sequence[Label]) -> Label | None:
    """Return the class that a single column is named after, or None."""
    written = {str(canonical_label(label)): label for label in labels}
    return written.get(str(canonical_label(names[0]))) if names else None


def labels_of_columns(names: Sequence[Label], labels: Sequence[Label]) -> list[Label] | None:
    """Find the class of each column: its name without the letters that all names share.

    How many letters is open: p_cat and p_cow share "p_c". None if some label has no column, or if
    another number of letters would give a label another column.

    >>> labels_of_columns(["p_cat", "p_cow"], ["cow", "cat"])
    ['cat', 'cow']
    """
    written = _written(labels)
    column_texts: list[str] | None = None
    for rests in _cuts(names, labels):
        if written.keys() <= set(rests):
            if column_texts is not None and any(
                rests.index(text) != column_texts.index(text) for text in written
            ):
                return None
            column_texts = column_texts or rests
    if column_texts is None or not written:
        return None
    return [
        written[column_text] if column_text in written else _parse_unseen(column_text, labels)
        for column_text in column_texts
    ]


def without_column(names: Sequence[Label], labels: Sequence[Label]) -> list[Label]:
    """Return the labels that no column is named after.

    >>> without_column(["p_a", "p_b", "p_c"], ["a", "b", "d"])
    ['d']
    """
    written = _written(labels)
    most = max((written.keys() & set(rests) for rests in _cuts(names, labels)), key=len, default=set())
    return [label for text, label in written.items() if text not in most]


def refusal(names: Sequence[Label], truth: Coded, first_row: int | NDArray[np.int64] = 1) -> InputError:
    """Write the error for columns that are not named after the classes: which class has no column."""
    label = without_column(names, truth.labels)[0]
    row = row_at(first_row, int(np.argmax(truth.codes == truth.labels.index(label))))
    if str(label).strip().lower() in PENDING:
        return InputError(
            f"truth is {canonical_label(label)!r} in row {row:,}: leave the field empty while the outcome is "
            "unknown, and pass --missing drop (missing='drop')"
        )
    return InputError(
        f"{len(names)} columns, {list_columns(names)}, are not named after the classes "
        f"{list_labels(truth.labels)}: truth is {canonical_label(label)!r} in row {row:,}, and no column "
        "has that name; name the classes in column order (labels=, --labels)"
    )


def row_at(first_row: int | NDArray[np.int64], index: int) -> int:
    """Return the number of a row for a sentence."""
    return first_row + index if isinstance(first_row, int) else int(first_row[index])


def list_columns(names: Sequence[Label]) -> str:
    """Join some names of columns for a sentence."""
    return ", ".join(map(str, names[:MAX_COLUMNS_LISTED])) + (
        ", …" if len(names) > MAX_COLUMNS_LISTED else ""
    )


def _written(labels: Sequence[Label]) -> dict[str, Label]:
    return {_fold_case(str(canonical_label(label)), labels): label for label in labels}


def _fold_case(text: str, labels: Sequence[Label]) -> str:
    """Treat True, TRUE and true in a text file as one label if the labels are booleans."""
    return text.lower() if all(isinstance(label, bool) for label in labels) else text


def _parse_unseen(text: str, labels: Sequence[Label]) -> Label:
    """Parse a class that did not come true like the other labels: beside 0 and 1 it is 2, not "2"."""
    return text if any(isinstance(label, str) for label in labels) else parse_labels([text])[0]


def _cuts(names: Sequence[Label], labels: Sequence[Label]) -> Iterator[list[str]]:
    """Remove the letters with which all names begin and end, longest beginning first."""
    texts = [_fold_case(str(canonical_label(name)), labels) for name in names]
    if len(set(texts)) < len(texts) or not texts:
        return
    for start in range(_shared_length(texts), -1, -1):
        for end in range(_shared_length([text[::-1] for text in texts]) + 1):
            rests = [text[start : len(text) - end] for text in texts]
            if all(rests):
                yield rests


def _shared_length(texts: Sequence[str]) -> int:
    """Return how many letters all texts begin with."""
    length = 0
    while all(len(text) > length and text[length] == texts[0][length] for text in texts):
        length += 1
    return length
