"""Labels: one canonical form and one canonical order, so that shards merge the same way round or not."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, cast

import numpy as np

from edgeworth.core.formatting import shorten
from edgeworth.errors import InputError, MergeError
from edgeworth.sources.columns import Label

POSITIVE_OF_PAIR: tuple[tuple[Label, Label], ...] = (
    (0, 1),
    (-1, 1),
    ("0", "1"),
    ("-", "+"),
    ("n", "y"),
    ("no", "yes"),
    ("neg", "pos"),
    ("negative", "positive"),
    ("false", "true"),
)
"""Pairs of labels of which everyone means the second by "positive"."""

_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,399})(\.[0-9]+)?")
"""Text of more digits stays text: Python makes no integers of thousands of digits."""


def canonical_label(label: Any) -> Label:
    """Give a label its one form: numpy scalars become Python's, whole floats integers, bytes text.

    >>> canonical_label(np.float64(2.0)), canonical_label(b"spam")
    (2, 'spam')
    """
    if type(label) in (int, str):
        return cast(Label, label)
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, (Decimal, Fraction)):
        label = int(label) if label == int(label) else float(label)
    if isinstance(label, float) and float(label).is_integer():
        return int(label)
    if isinstance(label, bytes):
        return label.decode("utf-8", errors="backslashreplace")
    return str(label) if isinstance(label, str) else cast(Label, label)


def as_labels(given: Any) -> tuple[Label, ...]:
    """List the labels that an option names: none, one, or each of a collection.

    >>> as_labels(None), as_labels("?"), as_labels(["?", 3.0])
    ((), ('?',), ('?', 3))
    """
    if given is None:
        return ()
    several = isinstance(given, (list, tuple, set, frozenset, np.ndarray))
    return tuple(canonical_label(label) for label in given) if several else (canonical_label(given),)


def canonical_order(labels: Iterable[Any]) -> tuple[Label, ...]:
    """Order distinct labels: numbers by size, then text, then anything else by its repr.

    True and 1 are one label to Python; they print as numbers as soon as a number is among them.

    >>> canonical_order(["b", 10, 9, "a", True])
    (1, 9, 10, 'a', 'b')
    """
    labels = list(labels)
    if set(map(type, labels)) in ({str}, {int}):
        return tuple(sorted(set(labels)))
    forms = [canonical_label(label) for label in labels]
    if any(isinstance(label, (int, float)) and not isinstance(label, bool) for label in forms):
        forms = [int(label) if isinstance(label, bool) else label for label in forms]
    return tuple(sorted(set(forms), key=_order))


def _order(label: Label) -> tuple[int, float | int, str]:
    if isinstance(label, (bool, int, float)):
        return (0, label, "")
    if isinstance(label, str):
        return (1, 0, label)
    return (2, 0, f"{type(label).__name__}{label!r}")


def merge_labels(left: tuple[Label, ...], right: tuple[Label, ...]) -> tuple[Label, ...]:
    """Merge labels: an order that both sides share stays, anything else is put in canonical order."""
    if left == right and list(map(type, left)) == list(map(type, right)):
        return left
    if not left or not right:
        return left or right
    return canonical_order(left + right)


def label_positions(labels: Iterable[Label], within: Sequence[Label]) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Find where each label stands in another sequence."""
    place = {label: index for index, label in enumerate(within)}
    return np.array([place[label] for label in labels], dtype=np.intp)


def find_label(label: Any, labels: Sequence[Label]) -> int:
    """Find the position of a label, given as itself or as it is written, or name the near misses.

    >>> find_label("1", (0, 1))
    1
    """
    wanted = canonical_label(label)
    for index, candidate in enumerate(labels):
        if candidate == wanted:
            return index
    written = [str(candidate) for candidate in labels]
    if str(wanted) in written:
        return written.index(str(wanted))
    number = parse_labels([wanted])[0]
    if number in labels:
        return labels.index(number)
    import difflib

    if len(written) <= 8:
        raise InputError(f"there is no label {wanted!r}; the labels are {', '.join(written)}")
    near = difflib.get_close_matches(str(wanted), written, n=3) or written[:8]
    raise InputError(f"there is no label {wanted!r}; the labels are like {', '.join(near)}, …")


def usual_positive(labels: Sequence[Label]) -> Label | None:
    """Find the label that everyone means by "positive", when the two labels leave no doubt."""
    if len(labels) != 2:
        return None
    folded = {label.lower() if isinstance(label, str) else label: label for label in labels}
    for negative, positive in POSITIVE_OF_PAIR:
        if set(folded) == {negative, positive}:
            return folded[positive]
    return None


def parse_labels(labels: Sequence[Label]) -> list[Label]:
    """Make labels read from text numbers when every one is written as a number; booleans likewise.

    Leading zeros mean a code, not a number, and then everything stays text.

    >>> parse_labels(["1.0", "0"]), parse_labels(["007", "1"]), parse_labels(["True", "False"])
    ([1, 0], ['007', '1'], [True, False])
    """
    texts = [label for label in labels if isinstance(label, str)]
    if len(texts) < len(labels) or not texts:
        return list(labels)
    if all(_DECIMAL.fullmatch(text) for text in texts):
        return [_number(text) for text in texts]
    if {text.lower() for text in texts} <= {"true", "false"}:
        return [text.lower() == "true" for text in texts]
    return list(labels)


def _number(text: str) -> Label:
    whole, _, decimals = text.partition(".")
    return int(whole) if not decimals.strip("0") else float(text)


def merge_positive(left: Label | None, right: Label | None) -> Label | None:
    """Merge the positive labels of two tables, which must not differ."""
    if left is not None and right is not None and left != right:
        raise MergeError(f"one table calls {left!r} positive, the other {right!r}")
    return left if left is not None else right


def list_labels(labels: Sequence[Label]) -> str:
    """List the first labels, for a sentence."""
    return ", ".join(repr(label) for label in labels[:6]) + (", …" if len(labels) > 6 else "")


def looks_missing(label: Label) -> bool:
    """Tell whether a label is text that often stands for a missing value."""
    return isinstance(label, str) and label.strip().lower() in {"", "na", "n/a", "nan", "null", "none", "nil"}


MAX_LABELS_SHOWN, LONGEST_LABEL = 30, 60
"""The most labels that a notebook, a table or a chart shows, and the most characters of one in a notebook."""


def label_facts(labels: Sequence[Label]) -> dict[str, str]:
    """List the classes, shortened where there are many."""
    more = "" if len(labels) <= MAX_LABELS_SHOWN else f" and {len(labels) - MAX_LABELS_SHOWN} more"
    return {"classes": ", ".join(map(short_label, labels[:MAX_LABELS_SHOWN])) + more}


def short_label(label: Label) -> str:
    """Shorten a long label for a small table."""
    return shorten(str(label), LONGEST_LABEL)
