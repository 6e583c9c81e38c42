"""What was judged for each query, whether or not a run found it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from edgeworth.arrays import Integers
from edgeworth.core.labels import canonical_order, positions
from edgeworth.core.plain import COUNTS, LABELS, Plain
from edgeworth.errors import InputError, MergeError
from edgeworth.rankings.trec.list_building import Places, list_numbers
from edgeworth.sources.columns import Label


@dataclass(frozen=True, eq=False)
class Judged(Plain):
    """How many documents of each grade were judged for each query, whether or not a run found them."""

    FIELDS: ClassVar = {"queries": LABELS, "starts": COUNTS, "grades": COUNTS, "numbers": COUNTS}

    queries: tuple[Label, ...]
    starts: Places
    grades: Integers
    """The grades given for each query, ascending; none of them negative."""
    numbers: Integers

    def __post_init__(self) -> None:
        for array in (self.starts, self.grades, self.numbers):
            array.setflags(write=False)

    @classmethod
    def count(cls, query: Places, grade: Integers, queries: tuple[Label, ...]) -> Judged:
        """Count judgements. A negative grade means that a document was pooled but not judged (trec_eval)."""
        is_judged = grade >= 0
        ones = np.ones(int(is_judged.sum()), dtype=np.int64)
        return cls.summed(query[is_judged], grade[is_judged], ones, queries)

    @classmethod
    def summed(cls, query: Places, grade: Integers, number: Integers, queries: tuple[Label, ...]) -> Judged:
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

    def chosen(self, queries: tuple[Label, ...]) -> Judged:
        """Some of the queries, in canonical order."""
        if queries == self.queries:
            return self
        place = positions(queries, self.queries)
        inverse = np.full(len(self.queries), -1, dtype=np.intp)
        inverse[place] = np.arange(len(place))
        query = inverse[self.list_of]
        keep = query >= 0
        return Judged.summed(query[keep], self.grades[keep], self.numbers[keep], queries)

    def without(self, query: Places, grade: Integers) -> Judged:
        """What is left when the documents that were retrieved are taken out."""
        found = Judged.count(query, grade, self.queries)
        left = Judged.summed(
            np.concatenate((self.list_of, found.list_of)),
            np.concatenate((self.grades, found.grades)),
            np.concatenate((self.numbers, -found.numbers)),
            self.queries,
        )
        if np.any(left.numbers < 0):
            query_of = left.queries[int(left.list_of[np.argmax(left.numbers < 0)])]
            raise InputError(f"query {query_of!r} has more documents of a grade than were judged")
        return left

    def check_alike(self, other: Judged) -> None:
        """Refuse tables that judge a query differently."""
        common = canonical_order(set(self.queries) & set(other.queries))
        left, right = self.chosen(common), other.chosen(common)
        for place, query in enumerate(common if left != right else ()):
            if left._of(place) != right._of(place):
                raise MergeError(
                    f"query {query!r} was judged differently in the two: merge lists judged by the same qrels"
                )

    def __add__(self, other: Judged) -> Judged:
        """The queries of both; one that is in both must be judged alike there."""
        self.check_alike(other)
        if set(other.queries) <= set(self.queries):
            return self
        queries, mine = canonical_order(self.queries + other.queries), set(self.queries)
        news = tuple(query for query in other.queries if query not in mine)
        right = other.chosen(news)
        query = np.concatenate(
            (positions(self.queries, queries)[self.list_of], positions(news, queries)[right.list_of])
        )
        return Judged.summed(
            query,
            np.concatenate((self.grades, right.grades)),
            np.concatenate((self.numbers, right.numbers)),
            queries,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Judged):
            return NotImplemented
        return (
            self.queries == other.queries
            and np.array_equal(self.starts, other.starts)
            and np.array_equal(self.grades, other.grades)
            and np.array_equal(self.numbers, other.numbers)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal by value, not hashable

    rule: ClassVar = "starts ascend, and queries and grades are in canonical order"

    def _fits_together(self) -> bool:
        """Check the rule."""
        starts, queries = self.starts, canonical_order(self.queries)
        return (
            starts.shape == (len(queries) + 1,)
            and self.grades.shape == self.numbers.shape == (int(starts[-1]),)
            and starts[0] == 0
            and bool(np.all(starts[1:] >= starts[:-1]))
            and self == Judged.summed(self.list_of, self.grades, self.numbers, queries)
        )

    def _of(self, place: int) -> tuple[list[int], list[int]]:
        rows = slice(*self.starts[place : place + 2])
        return self.grades[rows].tolist(), self.numbers[rows].tolist()
