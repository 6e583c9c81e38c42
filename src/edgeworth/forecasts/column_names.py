"""Which class a column is of, by its name: p_cat and p_cow are of cat and cow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from edgeworth.core.labels import canonical, list_labels, parse_labels
from edgeworth.errors import InputError
from edgeworth.sources.columns import Coded, Label

MOST_LISTED = 8
"""Names of columns that a sentence can hold."""


def labels_of_columns(names: Sequence[Label], labels: Sequence[Label]) -> list[Label] | None:
    """The class of each column by its name: what is left when letters that all names share are taken off.

    How many letters is open: p_cat and p_cow share "p_c". None where some label has no column, or where
    another number of letters would give a label another column.

    >>> labels_of_columns(["p_cat", "p_cow"], ["cow", "cat"])
    ['cat', 'cow']
    """
    written = _written(labels)
    found: list[str] | None = None
    for rests in _cuts(names, labels):
        if written.keys() <= set(rests):
            if found is not None and any(rests.index(text) != found.index(text) for text in written):
                return None
            found = found or rests
    if found is None or not written:
        return None
    return [written[rest] if rest in written else _unseen(rest, labels) for rest in found]


def without_column(names: Sequence[Label], labels: Sequence[Label]) -> list[Label]:
    """The labels that no column is named after, when names are read as best they can.

    >>> without_column(["p_a", "p_b", "p_c"], ["a", "b", "d"])
    ['d']
    """
    written = _written(labels)
    most = max((written.keys() & set(rests) for rests in _cuts(names, labels)), key=len, default=set())
    return [label for text, label in written.items() if text not in most]


def row_at(first_row: int | NDArray[np.int64], place: int) -> int:
    """The number of a row for a sentence: counted from the first one's, or looked up among all of them."""
    return first_row + place if isinstance(first_row, int) else int(first_row[place])


def refusal(names: Sequence[Label], truth: Coded, first_row: int | NDArray[np.int64] = 1) -> InputError:
    """What to say of columns that are not named after the classes: which class has none, and where it is."""
    label = without_column(names, truth.labels)[0]
    row = row_at(first_row, int(np.argmax(truth.codes == truth.labels.index(label))))
    return InputError(
        f"{len(names)} columns, {named(names)}, are not named after the classes {list_labels(truth.labels)}: "
        f"truth is {canonical(label)!r} in row {row:,}, and no column is called so; say which column is "
        "which (labels=, --labels)"
    )


def named(names: Sequence[Label]) -> str:
    """Some names of columns, for a sentence."""
    return ", ".join(map(str, names[:MOST_LISTED])) + (", …" if len(names) > MOST_LISTED else "")


def _written(labels: Sequence[Label]) -> dict[str, Label]:
    return {_folded(str(canonical(label)), labels): label for label in labels}


def _folded(text: str, labels: Sequence[Label]) -> str:
    """True, TRUE and true are one label of a text file, whatever its columns are called."""
    return text.lower() if all(isinstance(label, bool) for label in labels) else text


def _unseen(text: str, labels: Sequence[Label]) -> Label:
    """A class that did not come true, of the others' kind: beside 0 and 1 it is 2, not "2"."""
    return text if any(isinstance(label, str) for label in labels) else parse_labels([text])[0]


def _cuts(names: Sequence[Label], labels: Sequence[Label]) -> Iterator[list[str]]:
    """The names without so many letters that all begin, and all end, with: most at the beginning first."""
    texts = [_folded(str(canonical(name)), labels) for name in names]
    if len(set(texts)) < len(texts) or not texts:
        return
    for start in range(_shared(texts), -1, -1):
        for end in range(_shared([text[::-1] for text in texts]) + 1):
            rests = [text[start : len(text) - end] for text in texts]
            if all(rests):
                yield rests


def _shared(texts: Sequence[str]) -> int:
    """How many letters all texts begin with."""
    length = 0
    while all(len(text) > length and text[length] == texts[0][length] for text in texts):
        length += 1
    return length
