"""The tally of grades: for each item its repeats, their sum and the sum of their squares."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self, TypeVar

import numpy as np

from edgeworth.common.arrays import AnyArray, Floats, Integers
from edgeworth.common.json_types import JsonObject
from edgeworth.core.labels import canonical_label, label_positions
from edgeworth.core.serialization import (
    COUNT,
    COUNTS,
    FLAG,
    FLOATS,
    TEXT,
    Field,
    Serializable,
    optional,
    tuple_of,
)
from edgeworth.errors import InputError, MergeError
from edgeworth.grades.kind import GRADES
from edgeworth.sources.alignment import aligned
from edgeworth.sources.batches import check_lengths
from edgeworth.sources.columns import Coded, Column, as_column, encode, encode_all
from edgeworth.sources.numbers import NUMBER, as_scores

GRADE_BY_WORD = {
    **dict.fromkeys(("1", "1.0", "true", "c", "yes"), 1.0),
    **dict.fromkeys(("0", "0.0", "false", "i", "no"), 0.0),
}
"""How right and wrong are written, in any case of letters. A CSV file of pandas may hold 1.0."""

Name = TypeVar("Name", str, int)
"""The name of an item or a cluster, or the number of its row."""

LARGEST_GRADE = 1e70
"""Fourth powers of larger grades, which intervals need, could be beyond the range of floats."""

UNBOUNDED = (-math.inf, math.inf)
TEXTS = optional(tuple_of(TEXT))


def check_bounds(bounds: Iterable[float]) -> tuple[float, float]:
    """Check the lowest and the highest grade that there can be."""
    try:
        low, high = (float(bound) for bound in bounds)
    except (TypeError, ValueError, OverflowError):
        low = high = math.nan
    if not low < high or any(LARGEST_GRADE < abs(bound) < math.inf for bound in (low, high)):
        raise InputError(
            f"the grade range must be the lowest and the highest grade, as in (0, 5); saw {bounds!r}"
        )
    return low, high


@dataclass(frozen=True, eq=False)
class Grades(Serializable):
    """A tally of graded answers, such as right or wrong, or points.

    Make one with ``from_grades``, and pass it to ``ew.measure``, ``ew.estimate`` or ``ew.evaluate``. You can
    add tallies with ``+``. You need the attributes below only to read the counts themselves.

    An item is what was graded, such as a question. Several grades of one item are its repeats. The arrays
    have one entry per item. If there are no ids, one entry stands for all items with the same grade (and the
    same cluster), and ``items`` counts them. Every item still counts.

    Attributes
    ----------
    ids : tuple, optional
        The id of each item, or None. Without ids, each row is an item of its own.
    clusters : tuple of str, optional
        The cluster of each entry.
    items : array of int
        The number of items that each entry stands for; 1 if there are ids.
    repeats : array of int
        The number of grades per item in each entry; 1 if there are no ids.
    sums, squares : array of float
        Per item, the sum of the grades and the sum of their squares.
    unscored : int
        The number of rows without a grade, which are left out.
    zero_one : bool
        Whether every grade in the data is 0 or 1.
    bounds : (float, float)
        The lowest and the highest possible grade; infinite if no range is stated.
    lower_is_better : bool
        Whether a low grade is a good one.

    Examples
    --------
    >>> grades = Grades.from_grades([1, 0, 1, 1, None], ids=["a", "a", "b", "c", "c"])
    >>> grades.number, grades.rows_counted, grades.dropped, grades.means.tolist()
    (3, 4, 1, [0.5, 1.0, 1.0])
    >>> grades.is_share, grades.is_binary
    (True, True)
    """

    kind: ClassVar = GRADES
    name_in_files: ClassVar = GRADES.name
    FIELDS: ClassVar = {
        "ids": TEXTS,
        "clusters": TEXTS,
        "items": COUNTS,
        "repeats": COUNTS,
        "sums": FLOATS,
        "squares": FLOATS,
        "unscored": COUNT,
        "zero_one": FLAG,
        "bounds": Field(
            "the lowest and the highest grade",
            lambda bounds: check_bounds(FLOATS.load(bounds)),
            lambda bounds: FLOATS.dump(np.array(bounds)),
        ),
        "lower_is_better": FLAG,
    }
    rule: ClassVar = "every item has one number, ids differ, and sums are within the grade range"

    ids: tuple[str, ...] | tuple[int, ...] | None
    """The name of each entry; the number of its row or case in a comparison, which needs no names."""
    clusters: tuple[str, ...] | None
    """The cluster of each entry."""
    items: Integers
    repeats: Integers
    sums: Floats
    squares: Floats
    unscored: int = 0
    """Rows without a grade: left out, and counted apart."""
    zero_one: bool = True
    """Whether every grade is 0 or 1."""
    bounds: tuple[float, float] = UNBOUNDED
    lower_is_better: bool = False

    @classmethod
    def empty(cls, *, bounds: tuple[float, float] = UNBOUNDED, lower_is_better: bool = False) -> Self:
        """Make the tally of no grades.

        :meta private:
        """
        no_counts = np.zeros(0, dtype=np.int64)
        no_sums = np.zeros(0)
        return cls(
            ids=None,
            clusters=None,
            items=no_counts,
            repeats=no_counts,
            sums=no_sums,
            squares=no_sums,
            bounds=bounds,
            lower_is_better=lower_is_better,
        )

    @classmethod
    @aligned
    def from_grades(
        cls,
        grades: object,
        *,
        ids: object = None,
        clusters: object = None,
        grade_range: tuple[float, float] | None = None,
        lower_is_better: bool = False,
    ) -> Self:
        """Tally grades, one per row.

        Parameters
        ----------
        grades : array_like
            Numbers, booleans, or words for right and wrong (true/false, C/I, yes/no). Rows with a missing
            grade (None, NaN) are left out, and ``unscored`` counts them.
        ids : array_like, optional
            The item of each row. Rows of one item are repeats of it. Without ids, each row is an item.
        clusters : array_like, optional
            The cluster of each row. Items of one cluster are not independent: questions about one passage,
            tasks of one user.
        grade_range : (float, float), optional
            The lowest and the highest possible grade.
        lower_is_better : bool
            Whether a low grade is a good one, as for latencies.

        Returns
        -------
        Grades
            The tally.

        Examples
        --------
        >>> grades = Grades.from_grades([1, 0, 1, 1], ids=["a", "a", "b", "c"])
        >>> grades.means.tolist(), grades.repeats.tolist()
        ([0.5, 1.0, 1.0], [2, 1, 1])
        """
        column = as_column(grades, "grades")
        is_numeric = not isinstance(column, Coded) and column.dtype.kind in "biuf"
        labels = () if is_numeric else encode(column, "grades").labels
        has_words = any(isinstance(label, str) and not NUMBER.fullmatch(label.strip()) for label in labels)
        return cls.from_columns(
            (as_right if has_words else as_points)(column, "grades"),
            None if ids is None else as_column(ids, "ids"),
            None if clusters is None else as_column(clusters, "clusters"),
            bounds=UNBOUNDED if grade_range is None else check_bounds(grade_range),
            lower_is_better=lower_is_better,
        )

    @classmethod
    def from_columns(
        cls,
        values: Floats,
        ids: Column | None = None,
        clusters: Column | None = None,
        *,
        rows: Integers | None = None,
        first_row: int = 1,
        are_named: bool = True,
        bounds: tuple[float, float] = UNBOUNDED,
        lower_is_better: bool = False,
    ) -> Self:
        """Tally a batch of columns. ``rows`` holds the number of rows with the values of each entry.

        Ids are read as text, or, if not ``are_named``, stay whole numbers.

        :meta private:
        """
        check_lengths({"grades": values, "ids": ids, "clusters": clusters})
        low, high = bounds
        is_outside = (values < low) | (values > high)
        if is_outside.any():
            index = int(np.argmax(is_outside))
            raise InputError(
                f"grades must be between {low:g} and {high:g}; "
                f"row {first_row + index:,} has {values[index]:g}"
            )
        rows = np.ones(len(values), dtype=np.int64) if rows is None else rows
        item_ids = ids if ids is None or not are_named else _encode_sorted(ids, "id", first_row)
        cluster_ids = None if clusters is None else _encode_sorted(clusters, "cluster", first_row)
        is_missing = np.isnan(values)
        empty = cls.empty(bounds=bounds, lower_is_better=lower_is_better)
        empty = replace(empty, unscored=int(rows[is_missing].sum()))
        if is_missing.all():
            return empty
        is_graded = ~is_missing
        points = values[is_graded] + 0.0
        rows = rows[is_graded]
        items, repeats = (rows, np.ones_like(rows)) if ids is None else (np.ones_like(rows), rows)
        by_row = replace(
            empty,
            items=items,
            repeats=repeats,
            sums=points * repeats,
            squares=points**2 * repeats,
            zero_one=bool(np.isin(points, [0, 1]).all()),
        )
        return by_row._add_up(
            None if item_ids is None else item_ids[is_graded],
            None if cluster_ids is None else cluster_ids[is_graded],
        )

    def select(self, items: Iterable[Hashable]) -> Self:
        """Keep the items with these ids.

        Parameters
        ----------
        items : iterable
            The ids of the items to keep.

        Returns
        -------
        Grades
            The tally of these items. Rows without a grade have no id in a tally, so ``unscored`` is 0.

        Examples
        --------
        >>> Grades.from_grades([1, 0, 1], ids=["a", "b", "c"]).select(["a", "c"]).number
        2
        """
        wanted = set(items)
        ids = self.ids or ()
        indexes = np.array([index for index, item in enumerate(ids) if item in wanted], dtype=np.intp)
        return replace(
            self,
            ids=None if self.ids is None else tuple(ids[index] for index in indexes),
            clusters=None if self.clusters is None else tuple(self.clusters[index] for index in indexes),
            items=self.items[indexes],
            repeats=self.repeats[indexes],
            sums=self.sums[indexes],
            squares=self.squares[indexes],
            unscored=0,
        )

    def __add__(self, other: Self) -> Self:
        """Add the items of both tallies. If both hold an item, its grades in both are repeats."""
        if not isinstance(other, Grades):
            return NotImplemented
        if not other.has_cases or not self.has_cases:
            smaller, larger = sorted((self, other), key=lambda grades: (grades.has_cases, grades.unscored))
            return replace(larger, unscored=larger.unscored + smaller.unscored)
        for own_rule, other_rule in zip(self._rules, other._rules, strict=True):
            if own_rule != other_rule:
                raise MergeError(f"grades {own_rule} and grades {other_rule} cannot be merged")
        joined = replace(
            self,
            items=np.concatenate([self.items, other.items]),
            repeats=np.concatenate([self.repeats, other.repeats]),
            sums=np.concatenate([self.sums, other.sums]),
            squares=np.concatenate([self.squares, other.squares]),
            unscored=self.unscored + other.unscored,
            zero_one=self.zero_one and other.zero_one,
        )
        ids = None if self.ids is None else _sort_names([*self.ids, *(other.ids or ())])
        clusters = None if self.clusters is None else _sort_names([*self.clusters, *(other.clusters or ())])
        return joined._add_up(ids, clusters)

    def _add_up(self, ids: Column | None, clusters: Coded | None) -> Self:
        """Add up the rows of each item. Without ids, hold equal items of a cluster once.

        The entries are in the order of their ids, or of their clusters and grades.
        """
        codes: AnyArray = np.zeros(len(self.sums), dtype=np.int64)
        if ids is not None:
            codes = ids.codes if isinstance(ids, Coded) else ids
        elif clusters is not None:
            codes = clusters.codes
        if ids is None:
            grades, grade_codes = np.unique(self.sums, return_inverse=True)
            codes = np.add(np.multiply(codes, len(grades)), grade_codes)
        if ids is not None and np.greater(codes[1:], codes[:-1]).all():
            # Each item has one row, and the rows are in order.
            first_rows = entries = np.arange(len(codes))
        else:
            _, first_rows, entries = np.unique(codes, return_index=True, return_inverse=True)
        item_names = None if ids is None else tuple(ids[first_rows].tolist())
        cluster_names = None if clusters is None else tuple(map(str, clusters[first_rows].tolist()))
        if item_names is not None and clusters is not None:
            differing = np.flatnonzero(clusters.codes != clusters.codes[first_rows][entries])
            if len(differing):
                row = differing[0]
                item = item_names[entries[row]]
                first = clusters.labels[clusters.codes[first_rows[entries[row]]]]
                second = clusters.labels[clusters.codes[row]]
                raise InputError(f"item {item!r} is in two clusters, {first!r} and {second!r}: keep one")

        def total(values: Integers | Floats) -> Floats:
            return np.asarray(np.bincount(entries, weights=values), dtype=np.float64)

        # Rows of one item are repeats of it; rows without ids are items of their own.
        return replace(
            self,
            ids=item_names,
            clusters=cluster_names,
            items=total(self.items).astype(np.int64) if ids is None else self.items[first_rows],
            repeats=self.repeats[first_rows] if ids is None else total(self.repeats).astype(np.int64),
            sums=self.sums[first_rows] if ids is None else total(self.sums),
            squares=self.squares[first_rows] if ids is None else total(self.squares),
        )

    @property
    def _rules(self) -> tuple[str, ...]:
        """Return the properties that grades must share to be added."""
        return (
            f"{'without' if self.ids is None else 'with'} ids",
            f"{'without' if self.clusters is None else 'with'} clusters",
            f"between {self.bounds[0]:g} and {self.bounds[1]:g}",
            f"of which {'low' if self.lower_is_better else 'high'} ones are good",
        )

    @property
    def has_cases(self) -> bool:
        """Whether anything was graded.

        :meta private:
        """
        return len(self.items) > 0

    @property
    def dropped(self) -> int:
        """The number of rows without a grade, as in ``unscored``; every kind of tally has this property."""
        return self.unscored

    @property
    def rows_counted(self) -> int:
        """The number of rows that have a grade."""
        return int((self.items * self.repeats).sum())

    @property
    def number(self) -> int:
        """The number of items."""
        return int(self.items.sum())

    @property
    def is_share(self) -> bool:
        """Whether the mean is the share of grades that are 1.

        Every grade is 0 or 1, as in ``zero_one``, and ``bounds`` state no other range, such as 0 to 5.
        """
        return self.zero_one and self.bounds in (UNBOUNDED, (0.0, 1.0))

    @property
    def is_binary(self) -> bool:
        """Whether the grades mean right (1) and wrong (0): ``is_share``, and not ``lower_is_better``."""
        return self.is_share and not self.lower_is_better

    @property
    def means(self) -> Floats:
        """The mean grade per item of each entry."""
        return np.asarray(self.sums / self.repeats)

    def facts(self) -> JsonObject:
        """Return the numbers of items, grades, clusters and unscored answers.

        :meta private:
        """
        clusters = {} if self.clusters is None else {"clusters": len(set(self.clusters))}
        unscored = {"unscored": self.unscored} if self.unscored else {}
        return {"items": self.number, "grades": self.rows_counted} | clusters | unscored

    def __repr__(self) -> str:
        return f"<Grades: {', '.join(f'{value:,} {name}' for name, value in self.facts().items())}>"

    def _fits_together(self) -> bool:
        """Return whether the numbers can come from grades."""
        slack = 1e-9 * (1 + abs(self.squares))
        columns = (self.ids, self.clusters, self.repeats, self.sums, self.squares)
        checks = (
            *(len(column) == len(self.items) for column in columns if column is not None),
            self.ids is None or list(self.ids) == sorted({*self.ids}),
            (self.items >= 1) & (self.repeats >= 1) & (abs(self.sums) <= LARGEST_GRADE * self.repeats),
            self.repeats == 1 if self.ids is None else self.items == 1,
            self.squares >= self.sums**2 / self.repeats - slack,
            abs(np.clip(self.means, *self.bounds) - self.means) <= 1e-9,
            not self.zero_one or (self.sums == self.squares) & (self.sums % 1 == 0),
        )
        return all(bool(np.all(check)) for check in checks)


def as_right(column: Column, name: str, first_row: int = 1) -> Floats:
    """Read right and wrong as 1 and 0, and a missing grade as NaN. Raise an error for anything else.

    >>> as_right(as_column(["C", "i", True, 0, None], "correct"), "correct").tolist()
    [1.0, 0.0, 1.0, 0.0, nan]
    """
    coded = encode(column, name)
    grades = [GRADE_BY_WORD.get(str(canonical_label(label)).strip().lower()) for label in coded.labels]
    # A column may list labels that do not occur in it.
    is_unknown = np.isin(coded.codes, [code for code, grade in enumerate(grades) if grade is None])
    if is_unknown.any():
        index = int(np.argmax(is_unknown))
        value = f"row {first_row + index:,} has {coded.labels[coded.codes[index]]!r}"
        raise InputError(f"{name} must be 1/0, true/false, C/I or yes/no; {value}")
    return np.array([*grades, math.nan], dtype=np.float64)[coded.codes]


def as_points(column: Column, name: str, first_row: int = 1) -> Floats:
    """Read grades as numbers that have a variance, and a missing grade as NaN."""
    values = as_scores(column, name, first_row)
    is_wrong = np.abs(values) > LARGEST_GRADE
    if is_wrong.any():
        index = int(np.argmax(is_wrong))
        needed = f"finite numbers, from -{LARGEST_GRADE:g} to {LARGEST_GRADE:g}"
        raise InputError(f"{name} must be {needed}; row {first_row + index:,} has {values[index]:g}")
    return values


def _encode_sorted(column: Column, name: str, first_row: int) -> Coded:
    """Encode names as text, so that 1 and "1" are the same, with labels in alphabetical order."""
    coded = encode_all(column, name, first_row, "every grade needs one")
    texts = [label if type(label) is str else str(canonical_label(label)) for label in coded.labels]
    encoded_texts = _sort_names(texts)
    return Coded(encoded_texts.codes[coded.codes], encoded_texts.labels)


def _sort_names(names: Sequence[Name]) -> Coded:
    """Encode names with labels in sorted order."""
    labels = tuple(sorted(set(names)))
    return Coded(label_positions(names, labels), labels)
