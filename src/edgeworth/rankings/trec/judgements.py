"""What was judged for each query, whether or not a run found it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats, Integers, Numbers, freeze
from edgeworth.core.labels import canonical_label, canonical_order, label_positions, parse_labels
from edgeworth.core.serialization import COUNTS, LABELS, Serializable
from edgeworth.errors import InputError, MergeError
from edgeworth.rankings.trec.identifiers import Identifiers, as_identifiers, first_repeat
from edgeworth.sources.columns import MISSING, Coded, Column, Label, check_not_missing, encode_all, is_missing
from edgeworth.sources.numbers import as_scores

Places: TypeAlias = NDArray[np.intp]

UNJUDGED = -1
"""The grade of an item without a judgement. It counts as background, except in bpref, which omits it."""


@dataclass(frozen=True)
class Groups:
    """Rows by query: which queries, where each one's rows start, and the order that brings them together."""

    queries: tuple[Label, ...]
    starts: Places
    order: Places


def group_rows(column: Column, first_row: int = 1) -> Groups:
    """Group rows by their label, in canonical order of labels and in input order inside a group.

    >>> groups = group_rows(np.array(["b", "a", "b"]))
    >>> groups.queries, groups.starts.tolist(), groups.order.tolist()
    (('a', 'b'), [0, 1, 3], [1, 0, 2])
    """
    coded = encode_all(column, "the query", first_row, "every row belongs to a query")
    queries = canonical_order(coded.labels)
    if queries == coded.labels:
        return group_codes(coded.codes, queries)
    new_codes = label_positions((canonical_label(label) for label in coded.labels), queries)
    return group_codes(new_codes[coded.codes], queries)


def group_codes(codes: Places, queries: tuple[Label, ...]) -> Groups:
    """Group rows by the position of their query."""
    starts = np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=len(queries))))).astype(np.intp)
    return Groups(queries, starts, np.argsort(codes, kind="stable"))


def are_starts(starts: Places, lists: int, items: int) -> bool:
    """Return whether lists start one after the other, the first at 0, and the last ends with the items."""
    is_whole = len(starts) == lists + 1 and starts[0] == 0 and starts[-1] == items
    return bool(is_whole and np.all(starts[1:] >= starts[:-1]))


def list_numbers(starts: Places) -> Places:
    """Return the number of its list for each item."""
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


# -- truth ---------------------------------------------------------------------------------------------


def as_grades(column: Column, positive: Label | None, first_row: int = 1) -> Integers:
    """Read truth as grades, 0 for background: from booleans, whole numbers, or labels with the positive one.

    >>> as_grades(np.array([True, False]), None).tolist(), as_grades(np.array(["a", "b"]), "b").tolist()
    ([1, 0], [0, 1])
    """
    if positive is None and isinstance(column, np.ndarray) and column.dtype.kind in "biuf":
        return _whole_numbers(cast(Numbers, column), first_row)
    coded = encode_all(column, "truth", first_row, "drop such rows, or fill in their truth")
    labels = [canonical_label(label) for label in coded.labels]
    if positive is not None:
        target = canonical_label(positive)
        is_target = [label == target or str(label) == str(target) for label in labels]
        return np.array(is_target, dtype=np.int64)[coded.codes]
    numbers = parse_labels(labels)
    for code, label in enumerate(numbers):
        if not isinstance(label, int):
            raise _no_grade(label, first_row + int(np.argmax(coded.codes == code)))
    return _whole_numbers(np.array([*numbers, 0], dtype=object)[coded.codes].astype(np.int64), first_row)


def _whole_numbers(column: Numbers, first_row: int) -> Integers:
    wrong, highest = np.zeros(0, dtype=np.bool_), 2**63
    if column.dtype.kind == "f":
        wrong = ~((column >= 0) & (column < highest) & (column == np.floor(column)))
    elif column.size and not 0 <= int(column.min()) <= int(column.max()) < highest:
        wrong = (column < 0) | (column >= highest)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise _no_grade(column[row].item(), first_row + row)
    return column.astype(np.int64)


def _no_grade(label: object, row: int) -> InputError:
    if is_missing(label):
        return InputError(f"truth is missing in row {row:,}: drop such rows, or fill in their truth")
    return InputError(
        f"truth in row {row:,} is {label!r}: grades are whole numbers of at least 0 (0 is background); for "
        "other labels, name the positive one (positive=, --positive)"
    )


# -- scores and ids ------------------------------------------------------------------------------------


def as_list_scores(column: Column, first_row: int = 1) -> Floats:
    """Read scores as floats; infinite ones rank first or last, NaN has no rank and is refused."""
    scores = as_scores(column)
    absent = np.isnan(scores)
    if absent.any():
        row = first_row + int(np.argmax(absent))
        raise InputError(f"the score in row {row:,} is missing or NaN, which has no rank: drop such rows")
    return scores


def as_ids(column: Column, first_row: int = 1) -> Identifiers:
    """Encode identifiers as UTF-8 bytes; whole numbers as they are written."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuS":
        return column.astype(np.bytes_)
    if isinstance(column, Coded):
        check_not_missing(column.codes == MISSING, "ids", first_row, "every document has one")
        return as_identifiers([_written(label) for label in column.labels])[column.codes]
    items = column.tolist()
    for row, item in enumerate(items):
        if is_missing(item):
            raise InputError(f"ids is missing in row {first_row + row:,}")
    return as_identifiers([_written(item) for item in items])


def _written(item: object) -> bytes:
    try:
        text = (
            item if isinstance(item, bytes) else str(canonical_label(item)).encode("utf-8", "surrogateescape")
        )
    except UnicodeEncodeError:
        raise InputError(f"an id holds an invalid character (a lone surrogate): {item!r}") from None
    if b"\0" in text:
        raise InputError(f"an id holds a zero byte: {text!r}")
    return text


def check_ids(
    queries: tuple[Label, ...], starts: Places, ids: Identifiers, *, are_folds: bool = False
) -> None:
    """Refuse a list that holds one item twice."""
    numbers = list_numbers(starts)
    repeat = first_repeat(numbers, ids)
    if repeat is not None:
        document = ids[repeat[0]].decode("utf-8", errors="backslashreplace")
        repeated = f"{queries[numbers[repeat[0]]]!r} has id {document!r} twice"
        if are_folds:
            raise InputError(
                f"fold {repeated}. In repeated cross-validation, each repeat needs its own names of folds"
            )
        raise InputError(f"query {repeated}")


@dataclass(frozen=True, eq=False)
class Judged(Serializable):
    """How many documents of each grade were judged for each query, whether or not a run found them."""

    FIELDS: ClassVar = {"queries": LABELS, "starts": COUNTS, "grades": COUNTS, "numbers": COUNTS}

    queries: tuple[Label, ...]
    starts: Places
    grades: Integers
    """The grades given for each query, ascending; none of them negative."""
    numbers: Integers

    def __post_init__(self) -> None:
        freeze(self.starts, self.grades, self.numbers)

    @classmethod
    def count(cls, query: Places, grade: Integers, queries: tuple[Label, ...]) -> Judged:
        """Count judgements. A negative grade means that a document was pooled but not judged (trec_eval)."""
        is_judged = grade >= 0
        ones = np.ones(int(is_judged.sum()), dtype=np.int64)
        return cls.add_up(query[is_judged], grade[is_judged], ones, queries)

    @classmethod
    def add_up(cls, query: Places, grade: Integers, number: Integers, queries: tuple[Label, ...]) -> Judged:
        """Numbers of documents added up by query and grade."""
        levels, level = np.unique(grade, return_inverse=True)
        cells, cell = np.unique(query * max(len(levels), 1) + level, return_inverse=True)
        numbers = np.bincount(cell, weights=number, minlength=len(cells)).astype(np.int64)
        query, level = np.divmod(cells, max(len(levels), 1))
        starts = np.searchsorted(query, np.arange(len(queries) + 1)).astype(np.intp)
        return cls(queries, starts, levels[level].astype(np.int64), numbers)

    @property
    def list_of(self) -> Places:
        """The query of each grade, by position."""
        return list_numbers(self.starts)

    def select(self, queries: tuple[Label, ...]) -> Judged:
        """Select some of the queries, in canonical order."""
        if queries == self.queries:
            return self
        indices = label_positions(queries, self.queries)
        inverse = np.full(len(self.queries), -1, dtype=np.intp)
        inverse[indices] = np.arange(len(indices))
        query = inverse[self.list_of]
        keep = query >= 0
        return Judged.add_up(query[keep], self.grades[keep], self.numbers[keep], queries)

    def without(self, query: Places, grade: Integers) -> Judged:
        """Remove the documents that were retrieved."""
        retrieved = Judged.count(query, grade, self.queries)
        remaining = Judged.add_up(
            np.concatenate((self.list_of, retrieved.list_of)),
            np.concatenate((self.grades, retrieved.grades)),
            np.concatenate((self.numbers, -retrieved.numbers)),
            self.queries,
        )
        if np.any(remaining.numbers < 0):
            query_of = remaining.queries[int(remaining.list_of[np.argmax(remaining.numbers < 0)])]
            raise InputError(f"query {query_of!r} has more documents of a grade than were judged")
        return remaining

    def __add__(self, other: Judged) -> Judged:
        """Combine the queries; a query that is in both must have the same judgements."""
        common = canonical_order(set(self.queries) & set(other.queries))
        if self.select(common) != other.select(common):
            differing = next(query for query in common if self.select((query,)) != other.select((query,)))
            raise MergeError(
                f"query {differing!r} was judged differently in the two: merge lists judged by the same qrels"
            )
        if set(other.queries) <= set(self.queries):
            return self
        queries, own_queries = canonical_order(self.queries + other.queries), set(self.queries)
        new_queries = tuple(query for query in other.queries if query not in own_queries)
        right = other.select(new_queries)
        query = np.concatenate(
            (
                label_positions(self.queries, queries)[self.list_of],
                label_positions(new_queries, queries)[right.list_of],
            )
        )
        return Judged.add_up(
            query,
            np.concatenate((self.grades, right.grades)),
            np.concatenate((self.numbers, right.numbers)),
            queries,
        )

    rule: ClassVar = "starts ascend, and queries and grades are in canonical order"

    def _fits_together(self) -> bool:
        queries = canonical_order(self.queries)
        return (
            self.grades.shape == self.numbers.shape
            and are_starts(self.starts, len(queries), len(self.grades))
            and self == Judged.add_up(self.list_of, self.grades, self.numbers, queries)
        )
