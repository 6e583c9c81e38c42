"""Labels: one canonical form and one canonical order, so that shards merge in any order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from operator import and_
from unicodedata import category, normalize

import numpy as np
from numpy.typing import NDArray

from edgeworth.core.formatting import shorten
from edgeworth.errors import InputError, MergeError
from edgeworth.sources.columns import Label, share_one_hash

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
"""Pairs of labels of which the second is the positive one by convention."""

_DECIMAL = re.compile(r"-?(0|[1-9][0-9]{0,399})(\.[0-9]+)?")
"""Text of more digits stays text: Python makes no integers of thousands of digits."""


def canonical_label(label: object) -> Label:
    """Convert a label to one form: numpy scalars to Python's, whole floats to integers, bytes to text.

    >>> canonical_label(np.float64(2.0)), canonical_label(b"spam")
    (2, 'spam')
    """
    # Most labels are these, and there may be as many as rows.
    if type(label) is int or type(label) is str:
        return label
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, (Decimal, Fraction)):
        label = int(label) if label == int(label) else float(label)
    if isinstance(label, float) and float(label).is_integer():
        return int(label)
    if isinstance(label, bytes):
        return label.decode("utf-8", errors="backslashreplace")
    return str(label) if isinstance(label, str) else label


def as_labels(value: object) -> tuple[Label, ...]:
    """Return the labels that an option names: none, one, or each of a collection.

    >>> as_labels(None), as_labels("?"), as_labels(["?", 3.0])
    ((), ('?',), ('?', 3))
    """
    if value is None:
        return ()
    if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        return tuple(canonical_label(label) for label in value)
    return (canonical_label(value),)


def canonical_order(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Order distinct labels: numbers by size, then text, then anything else by its repr.

    True and 1 are one label to Python; they print as numbers as soon as a number is among them.

    >>> canonical_order(["b", 10, 9, "a", True])
    (1, 9, 10, 'a', 'b')
    """
    labels = list(labels)
    texts = [label for label in labels if type(label) is str]
    if len(texts) == len(labels):
        return tuple(sorted(set(texts)))
    integers = [label for label in labels if type(label) is int]
    if len(integers) == len(labels):
        return tuple(sorted(set(integers)))
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
    """Merge labels: keep an order that both sides share, or else sort them in canonical order."""
    if left == right and list(map(type, left)) == list(map(type, right)):
        return left
    if not left or not right:
        return left or right
    return canonical_order(left + right)


def label_positions(labels: Iterable[Label], within: Sequence[Label]) -> NDArray[np.intp]:
    """Find the index of each label in another sequence."""
    index_of = {label: index for index, label in enumerate(within)}
    return np.array([index_of[label] for label in labels], dtype=np.intp)


def find_label(label: object, labels: Sequence[Label]) -> int:
    """Find the index of a label, given as itself or as text, or raise an error that names similar labels.

    >>> find_label("1", (0, 1))
    1
    """
    wanted = canonical_label(label)
    for index, candidate in enumerate(labels):
        if candidate == wanted:
            return index
    texts = [str(candidate) for candidate in labels]
    if str(wanted) in texts:
        return texts.index(str(wanted))
    number = parse_labels([wanted])[0]
    if number in labels:
        return labels.index(number)
    import difflib

    if len(texts) <= 8:
        raise InputError(f"there is no label {wanted!r}; the labels are {', '.join(texts)}")
    near = difflib.get_close_matches(str(wanted), texts, n=3)
    first = f"the first labels are {', '.join(texts[:8])}, …"
    listed = f"similar labels are {', '.join(near)}" if near else first
    raise InputError(f"there is no label {wanted!r}; {listed}")


def usual_positive(labels: Sequence[Label]) -> Label | None:
    """Return the label that is positive by convention, or None if the two labels do not show it."""
    if len(labels) != 2:
        return None
    folded = {label.lower() if isinstance(label, str) else label: label for label in labels}
    for negative, positive in POSITIVE_OF_PAIR:
        if set(folded) == {negative, positive}:
            return folded[positive]
    return None


def parse_labels(labels: Sequence[Label]) -> list[Label]:
    """Convert labels read from text to numbers or booleans if every label is one.

    A leading zero means a code, not a number, so all labels then stay text.

    >>> parse_labels(["1.0", "0"]), parse_labels(["007", "1"]), parse_labels(["True", "False"])
    ([1, 0], ['007', '1'], [True, False])
    """
    texts = [label for label in labels if isinstance(label, str)]
    if len(texts) < len(labels) or not texts:
        return list(labels)
    if all(_DECIMAL.fullmatch(text) for text in texts):
        numbers = [_number(text) for text in texts]
        return list(labels) if share_one_hash(numbers) else numbers
    if {text.lower() for text in texts} <= {"true", "false"}:
        return [text.lower() == "true" for text in texts]
    return list(labels)


def _number(text: str) -> Label:
    whole, _, decimals = text.partition(".")
    return int(whole) if not decimals.strip("0") else float(text)


def merge_positive(left: Label | None, right: Label | None) -> Label | None:
    """Return the positive label of two tables, or raise an error if they differ."""
    if left is not None and right is not None and left != right:
        raise MergeError(f"one table calls {left!r} positive, the other {right!r}")
    return left if left is not None else right


MAX_LABELS_IN_MESSAGE = 6
"""An error message lists at most this many labels."""


def list_labels(labels: Sequence[Label]) -> str:
    """List the first labels, for a sentence."""
    return ", ".join(map(repr, labels[:MAX_LABELS_IN_MESSAGE])) + (
        ", …" if len(labels) > MAX_LABELS_IN_MESSAGE else ""
    )


def looks_missing(label: Label) -> bool:
    """Return whether a label is text that often stands for a missing value."""
    return isinstance(label, str) and label.strip().lower() in {"", "na", "n/a", "nan", "null", "none", "nil"}


MAX_LABELS_SHOWN = 30
"""A notebook, a table or a chart shows at most this many labels."""

MAX_LABEL_LENGTH = 60
"""A notebook shows at most this many characters of a label."""

INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0").union(
    map(chr, range(0xFE00, 0xFE10)), map(chr, range(0xE0100, 0xE01F0))
)
"""Fillers and variation selectors, which are not drawn, as format characters (category Cf) are not."""

MAX_GROUPS_NAMED = 5
"""The most groups of labels that one warning names."""


def find_look_alikes(labels: Iterable[Label]) -> list[tuple[str, ...]]:
    r"""Group labels that look the same on screen: they differ in invisible characters, blanks or composition.

    >>> find_look_alikes(["spam", "spam\u200b", "ham"])
    [('spam', 'spam\u200b')]
    """
    groups: dict[str, list[str]] = {}
    for label in labels:
        if isinstance(label, str):
            groups.setdefault(_drawn_form(label), []).append(label)
    return [tuple(group) for group in groups.values() if len(group) > 1]


def _drawn_form(text: str) -> str:
    """Write a text as it looks: composed, without invisible characters, all blanks alike."""
    if not text.isascii():
        text = "".join(sign for sign in text if sign not in INVISIBLE and category(sign) != "Cf")
        text = normalize("NFC", text)
    return " ".join(text.split())


def describe_look_alikes(groups: Sequence[Sequence[str]]) -> str:
    r"""Name groups of labels that look the same, with the code points in which they differ.

    >>> describe_look_alikes([("spam", "spam\u200b")]).split(". ")[0]
    'These labels look the same but count as different labels: "spam" (as is; with U+200B)'
    """
    named = []
    for group in groups[:MAX_GROUPS_NAMED]:
        counts = [Counter(label) for label in group]
        common = reduce(and_, counts)
        differing = [sorted((characters - common).elements()) for characters in counts]
        points = [" ".join(f"U+{ord(sign):04X}" for sign in signs) for signs in differing]
        ways = "; ".join(f"with {characters}" if characters else "as is" for characters in points)
        named.append(f'"{shorten(_drawn_form(group[0]), MAX_LABEL_LENGTH)}" ({ways})')
    if len(groups) > MAX_GROUPS_NAMED:
        named.append(f"and {len(groups) - MAX_GROUPS_NAMED:,} more")
    return (
        f"These labels look the same but count as different labels: {', '.join(named)}. Write each label in "
        "one way and evaluate again."
    )


def label_facts(labels: Sequence[Label]) -> dict[str, str]:
    """List the classes, shortened if there are many."""
    more = "" if len(labels) <= MAX_LABELS_SHOWN else f" and {len(labels) - MAX_LABELS_SHOWN} more"
    return {"classes": ", ".join(map(short_label, labels[:MAX_LABELS_SHOWN])) + more}


def short_label(label: Label) -> str:
    """Shorten a long label for a small table."""
    return shorten(str(label), MAX_LABEL_LENGTH)
