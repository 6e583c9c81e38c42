"""The tally of grades: for each item its repeats, their sum and the sum of their squares."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from edgeworth.common.arrays import Floats, Integers
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
from edgeworth.sources.alignment import aligned
from edgeworth.sources.batches import check_lengths
from edgeworth.sources.columns import Coded, Column, as_column, encode, encode_all
from edgeworth.sources.numbers import NUMBER, as_scores

RIGHT = {
    **dict.fromkeys(("1", "1.0", "true", "c", "yes"), 1.0),
    **dict.fromkeys(("0", "0.0", "false", "i", "no"), 0.0),
}
"""How right and wrong are written, in any case of letters. A CSV file of pandas may hold 1.0."""

UNBOUNDED = (-math.inf, math.inf)
TEXTS = optional(tuple_of(TEXT))
NUMBERS = ("items", "repeats", "sums", "squares")
"""Each has one of them for every entry."""


def check_bounds(bounds: Any) -> tuple[float, float]:
    """Check the lowest and the highest grade that there can be."""
    try:
        low, high = (float(bound) for bound in bounds)
    except (TypeError, ValueError):
        low = high = math.nan
    if not low < high:
        raise InputError(f"the grade range is the lowest and the highest grade, as in (0, 5); saw {bounds!r}")
    return low, high


@dataclass(frozen=True, eq=False)
class Grades(Serializable):
    """Items with the number of their repeats, the sum of their grades and the sum of the squares.

    With ``ids`` every entry is one item. Without them each row is an item of its own, and equal ones are
    held once: ``items`` says how many there are of each.
    """

    kind: ClassVar = "grades"
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
    rule: ClassVar = "there is one number for each item, ids differ, and sums are of grades within bounds"

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
    def empty(cls, **rules: Any) -> Self:
        """Make the tally of no grades."""
        none, nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
        return cls(None, None, none, none, nothing, nothing, **rules)

    @classmethod
    @aligned
    def from_grades(
        cls,
        grades: Any,
        *,
        ids: Any = None,
        clusters: Any = None,
        grade_range: tuple[float, float] | None = None,
        lower_is_better: bool = False,
    ) -> Self:
        """Tally grades, one a row.

        Parameters
        ----------
        grades : array_like
            Numbers, booleans, or words for right and wrong (true/false, C/I, yes/no). A missing one (None,
            NaN) is unscored: it is left out and counted apart.
        ids : array_like, optional
            The item of each row; rows of one item are repeats of it. Without ids each row is an item.
        clusters : array_like, optional
            Items that are not independent: the passage that questions are about, the user.
        grade_range : (float, float), optional
            The lowest and the highest grade possible.
        lower_is_better : bool
            Whether a low grade is a good one, as of latencies.

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
        **rules: Any,
    ) -> Self:
        """Tally a batch of columns; ``rows`` says for how many rows each stands.

        Ids are names, which are text, or else (not ``are_named``) whole numbers that stay what they are.
        """
        found = cls.empty(**rules)
        check_lengths({"grades": values, "ids": ids, "clusters": clusters})
        (low, high), wrong = found.bounds, (values < found.bounds[0]) | (values > found.bounds[1])
        if wrong.any():
            row = int(np.argmax(wrong))
            place = f"row {first_row + row:,}"
            raise InputError(f"grades lie between {low:g} and {high:g}; {place} has {values[row]:g}")
        rows = np.ones(len(values), dtype=np.int64) if rows is None else rows
        items = ids if ids is None or not are_named else _in_order(ids, "id", first_row)
        units = None if clusters is None else _in_order(clusters, "cluster", first_row)
        absent = np.isnan(values)
        found = replace(found, unscored=int(rows[absent].sum()))
        if absent.all():
            return found
        points, rows = values[~absent] + 0.0, rows[~absent]
        named: Any = (None if x is None else x[~absent] for x in (items, units))
        many, repeats = (rows, np.ones_like(rows)) if ids is None else (np.ones_like(rows), rows)
        numbers: dict[str, Any] = {"items": many, "repeats": repeats, "sums": points * repeats}
        numbers |= {"squares": points**2 * repeats, "zero_one": bool(np.isin(points, [0, 1]).all())}
        return replace(found, **numbers)._add_up(*named)

    def select(self, items: Iterable[str | int]) -> Self:
        """Keep the items with these ids; answers without a grade are not among them."""
        wanted = set(items)
        kept = np.array([place for place, item in enumerate(self.ids or ()) if item in wanted], dtype=np.intp)
        numbers = {name: getattr(self, name)[kept] for name in NUMBERS}
        ids = None if self.ids is None else tuple(self.ids[place] for place in kept)
        clusters = None if self.clusters is None else tuple(self.clusters[place] for place in kept)
        return replace(self, ids=ids, clusters=clusters, unscored=0, **numbers)

    def __add__(self, other: Self) -> Self:
        """Add the items of both; repeats of an item in both are repeats of it."""
        if not isinstance(other, Grades):
            return NotImplemented
        if not other.has_cases or not self.has_cases:
            part, whole = sorted((self, other), key=lambda each: (each.has_cases, each.unscored))
            return replace(whole, unscored=whole.unscored + part.unscored)
        for mine, its in zip(self._rules, other._rules, strict=True):
            if mine != its:
                raise MergeError(f"grades {mine} and grades {its} do not add up")
        both: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in NUMBERS
        }
        unscored, zero_one = self.unscored + other.unscored, self.zero_one and other.zero_one
        ids = None if self.ids is None else _numbered((*self.ids, *(other.ids or ())))
        clusters = None if self.clusters is None else _numbered((*self.clusters, *(other.clusters or ())))
        return replace(self, unscored=unscored, zero_one=zero_one, **both)._add_up(ids, clusters)

    def _add_up(self, ids: Column | None, clusters: Coded | None) -> Self:
        """Add up the rows of an item, or hold equal items of a cluster once, in the order of their names."""
        named = clusters if ids is None else ids
        codes: Any = 0 if named is None else named.codes if isinstance(named, Coded) else named
        if ids is None:
            grades, of_rows = np.unique(self.sums, return_inverse=True)
            codes = codes * len(grades) + of_rows
        if ids is not None and (codes[1:] > codes[:-1]).all():
            first = places = np.arange(len(codes))  # one row an item, and in order
        else:
            _, first, places = np.unique(codes, return_index=True, return_inverse=True)
        held: list[Any] = [None if x is None else tuple(x[first].tolist()) for x in (ids, clusters)]
        if ids is not None and clusters is not None:
            differ = np.flatnonzero(clusters.codes != clusters.codes[first][places])
            if len(differ):
                item, one = (names[places[differ[0]]] for names in held)
                two = f"{one!r} and {clusters.labels[clusters.codes[differ[0]]]!r}"
                raise InputError(f"item {item!r} is in two clusters, {two}: an item is in one")
        numbers: dict[str, Any] = {}
        for name in NUMBERS:
            values, is_summed = getattr(self, name), (name == "items") == (ids is None)
            sums = np.bincount(places, weights=values).astype(values.dtype)
            numbers[name] = sums if is_summed else values[first]
        return replace(self, ids=held[0], clusters=held[1], **numbers)

    @property
    def _rules(self) -> tuple[str, ...]:
        """Say what grades must have in common to be added."""
        return (
            f"{'without' if self.ids is None else 'with'} ids",
            f"{'without' if self.clusters is None else 'with'} clusters",
            f"between {self.bounds[0]:g} and {self.bounds[1]:g}",
            f"of which {'low' if self.lower_is_better else 'high'} ones are good",
        )

    @property
    def has_cases(self) -> bool:
        """Tell whether anything was graded."""
        return len(self.items) > 0

    @property
    def dropped(self) -> int:
        """Count the rows that were left out, for they have no grade."""
        return self.unscored

    @property
    def rows_counted(self) -> int:
        """Count the rows that have a grade."""
        return int((self.items * self.repeats).sum())

    @property
    def number(self) -> int:
        """Count the items."""
        return int(self.items.sum())

    @property
    def is_share(self) -> bool:
        """Tell whether the mean is a share: every grade is 0 or 1, and no other is possible."""
        return self.zero_one and self.bounds in (UNBOUNDED, (0.0, 1.0))

    @property
    def is_binary(self) -> bool:
        """Tell whether grades are right or wrong, 1 or 0. A grade that is good if low is neither."""
        return self.is_share and not self.lower_is_better

    @property
    def means(self) -> Floats:
        """The mean grade of each entry."""
        return np.asarray(self.sums / self.repeats)

    def facts(self) -> dict[str, Any]:
        """Say in a few lines what was counted."""
        clusters = {} if self.clusters is None else {"clusters": len(set(self.clusters))}
        unscored = {"unscored": self.unscored} if self.unscored else {}
        return {"items": self.number, "grades": self.rows_counted} | clusters | unscored

    def __repr__(self) -> str:
        return f"<Grades: {', '.join(f'{value:,} {name}' for name, value in self.facts().items())}>"

    def _fits_together(self) -> bool:
        """Check that the numbers are of grades."""
        slack = 1e-9 * (1 + abs(self.squares))
        columns = (self.ids, self.clusters, self.repeats, self.sums, self.squares)
        checks = (
            *(len(column) == len(self.items) for column in columns if column is not None),
            self.ids is None or list(self.ids) == sorted({*self.ids}),
            (self.items >= 1) & (self.repeats >= 1) & np.isfinite(self.sums),
            self.repeats == 1 if self.ids is None else self.items == 1,
            self.squares >= self.sums**2 / self.repeats - slack,
            abs(np.clip(self.means, *self.bounds) - self.means) <= 1e-9,
            not self.zero_one or (self.sums == self.squares) & (self.sums % 1 == 0),
        )
        return all(bool(np.all(check)) for check in checks)


def as_right(column: Column, name: str, first_row: int = 1) -> Floats:
    """Read right and wrong as 1 and 0, a missing one as NaN; anything else is refused.

    >>> as_right(as_column(["C", "i", True, 0, None], "correct"), "correct").tolist()
    [1.0, 0.0, 1.0, 0.0, nan]
    """
    coded = encode(column, name)
    found = [RIGHT.get(str(canonical_label(label)).strip().lower()) for label in coded.labels]
    # A label need not occur.
    wrong = np.isin(coded.codes, [code for code, value in enumerate(found) if value is None])
    if wrong.any():
        row = int(np.argmax(wrong))
        seen = f"row {first_row + row:,} has {coded.labels[coded.codes[row]]!r}"
        raise InputError(f"{name} is right or wrong: 1/0, true/false, C/I or yes/no; {seen}")
    return np.array([*found, math.nan], dtype=np.float64)[coded.codes]


def as_points(column: Column, name: str, first_row: int = 1) -> Floats:
    """Read grades as finite numbers, a missing one as NaN."""
    values = as_scores(column, name, first_row)
    if np.isinf(values).any():
        row = int(np.argmax(np.isinf(values)))
        raise InputError(f"{name} are finite numbers; row {first_row + row:,} has {values[row]:g}")
    return values


def _in_order(column: Column, name: str, first_row: int) -> Coded:
    """Read names as text, 1 and "1" alike, numbered in their order."""
    coded = encode_all(column, name, first_row, "every grade needs one")
    texts = [label if type(label) is str else str(canonical_label(label)) for label in coded.labels]
    ordered = _numbered(texts)
    return Coded(ordered.codes[coded.codes], ordered.labels)


def _numbered(names: Sequence[Any]) -> Coded:
    """Number names in their order."""
    ordered = tuple(sorted(set(names)))
    return Coded(label_positions(names, ordered), ordered)
