"""The tally of grades: for each item its repeats, their sum and the sum of their squares."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np

from edgeworth.arrays import Floats, Integers
from edgeworth.core.labels import canonical
from edgeworth.core.plain import COUNT, COUNTS, FLAG, FLOATS, TEXT, Field, Plain, optional, tuple_of
from edgeworth.errors import InputError, MergeError
from edgeworth.sources.columns import MISSING, Coded, Column, as_column, encode
from edgeworth.sources.numbers import NUMBER, as_scores

RIGHT = {"1": 1.0, "true": 1.0, "c": 1.0, "yes": 1.0, "0": 0.0, "false": 0.0, "i": 0.0, "no": 0.0}
"""How right and wrong are written, in any case of letters."""

UNBOUNDED = (-math.inf, math.inf)
TEXTS = optional(tuple_of(TEXT))


def _load_bounds(values: Any) -> tuple[float, float]:
    low, high = FLOATS.load(values)
    return check_bounds((float(low), float(high)))


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
class Grades(Plain):
    """Items with the number of their repeats, the sum of their grades and the sum of the squares.

    With ``ids`` every entry is one item. Without them each row is an item of its own, and equal ones are
    held once: ``items`` says how many there are of each.
    """

    kind: ClassVar = "grades"
    FIELDS: ClassVar = {
        "ids": TEXTS,
        "cluster_names": TEXTS,
        "clusters": optional(COUNTS),
        "items": COUNTS,
        "repeats": COUNTS,
        "sums": FLOATS,
        "squares": FLOATS,
        "unscored": COUNT,
        "zero_one": FLAG,
        "bounds": Field("the lowest and the highest grade", _load_bounds, lambda x: FLOATS.dump(np.array(x))),
        "lower_is_better": FLAG,
    }
    rule: ClassVar = "there is one number for each item, ids differ, and sums are of grades within bounds"

    ids: tuple[str, ...] | None
    items: Integers
    repeats: Integers
    sums: Floats
    squares: Floats
    cluster_names: tuple[str, ...] | None = None
    clusters: Integers | None = None
    """The cluster of each entry, as a place among the names."""
    unscored: int = 0
    """Rows without a grade: left out, and counted apart."""
    zero_one: bool = True
    """Whether every grade is 0 or 1."""
    bounds: tuple[float, float] = UNBOUNDED
    lower_is_better: bool = False

    # -- ways in ---------------------------------------------------------------------------------------

    @classmethod
    def empty(cls, bounds: tuple[float, float] = UNBOUNDED, *, lower_is_better: bool = False) -> Self:
        """Make the tally of no grades."""
        none = np.zeros(0, dtype=np.int64)
        rules: dict[str, Any] = {"bounds": bounds, "lower_is_better": lower_is_better}
        return cls(None, none, none, none.astype(np.float64), none.astype(np.float64), **rules)

    @classmethod
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

        Returns
        -------
        Grades
            ``a + b`` adds repeats of items that are in both.

        Examples
        --------
        >>> grades = Grades.from_grades([1, 0, 1, 1], ids=["a", "a", "b", "c"])
        >>> grades.means.tolist(), grades.repeats.tolist()
        ([0.5, 1.0, 1.0], [2, 1, 1])
        """
        column = as_column(grades, "grades")
        return cls.from_columns(
            as_right(column, "grades") if _has_words(column) else as_points(column, "grades"),
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
        bounds: tuple[float, float] = UNBOUNDED,
        lower_is_better: bool = False,
    ) -> Self:
        """Tally a batch of columns; ``rows`` says for how many rows each stands."""
        lengths = [len(values), *(len(column) for column in (ids, clusters) if column is not None)]
        if len(set(lengths)) > 1:
            raise InputError(f"grades, ids and clusters must have as many rows; saw {lengths}")
        wrong = (values < bounds[0]) | (values > bounds[1])
        if wrong.any():
            row = int(np.argmax(wrong))
            raise InputError(
                f"grades lie between {bounds[0]:g} and {bounds[1]:g}; row {first_row + row:,} has "
                f"{values[row]:g}"
            )
        rows = np.ones(len(values), dtype=np.int64) if rows is None else rows
        scored = ~np.isnan(values)
        number, points = rows[scored], values[scored] + 0.0
        empty = replace(cls.empty(bounds, lower_is_better=lower_is_better), unscored=int(rows[~scored].sum()))
        if not len(points):
            return empty
        names, codes = (None, None) if clusters is None else _texts(clusters, "cluster", scored, first_row)
        empty = replace(
            empty,
            cluster_names=names,
            clusters=codes,
            zero_one=bool(((points == 0) | (points == 1)).all()),
        )
        if ids is None:
            return replace(
                empty, items=number, repeats=np.ones_like(number), sums=points, squares=points**2
            )._collapse()
        known, places = _texts(ids, "id", scored, first_row)
        return replace(
            empty,
            ids=known,
            items=np.ones_like(number),
            repeats=number,
            sums=points * number,
            squares=points**2 * number,
        )._gather(places)

    # -- adding ----------------------------------------------------------------------------------------

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
        joined: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(other, name)])
            for name in ("items", "repeats", "sums", "squares")
        }
        summed = replace(
            self,
            **joined,
            unscored=self.unscored + other.unscored,
            zero_one=self.zero_one and other.zero_one,
        )
        if self.cluster_names is not None and other.cluster_names is not None:
            names, codes = _union(self.cluster_names, other.cluster_names)
            parts = (codes[: len(self.cluster_names)], codes[len(self.cluster_names) :])
            held = np.concatenate([parts[0][self.clusters], parts[1][other.clusters]])
            summed = replace(summed, cluster_names=names, clusters=held)
        if self.ids is None or other.ids is None:
            return summed._collapse()
        ids, places = _union(self.ids, other.ids)
        return replace(summed, ids=ids)._gather(places)

    def _gather(self, places: Integers) -> Self:
        """Add up the rows of each id, whose places are given."""
        assert self.ids is not None
        size = len(self.ids)
        clusters = None
        if self.clusters is not None and self.cluster_names is not None:
            clusters = np.zeros(size, dtype=np.int64)
            clusters[places] = self.clusters
            wrong = np.flatnonzero(clusters[places] != self.clusters)
            if len(wrong):
                two = [self.cluster_names[each[wrong[0]]] for each in (self.clusters, clusters[places])]
                raise InputError(
                    f"item {self.ids[places[wrong[0]]]!r} is in two clusters, {two[0]!r} and {two[1]!r}: "
                    "every repeat of an item belongs to one"
                )
        return replace(
            self,
            items=np.ones(size, dtype=np.int64),
            repeats=np.bincount(places, weights=self.repeats, minlength=size).astype(np.int64),
            sums=np.bincount(places, weights=self.sums, minlength=size).astype(np.float64),
            squares=np.bincount(places, weights=self.squares, minlength=size).astype(np.float64),
            clusters=clusters,
        )

    def _collapse(self) -> Self:
        """Hold equal items of a cluster once."""
        values, places = np.unique(self.sums, return_inverse=True)
        key = places if self.clusters is None else self.clusters * len(values) + places
        present, places = np.unique(key, return_inverse=True)
        items = np.bincount(places, weights=self.items).astype(np.int64)
        sums = values[present % max(len(values), 1)]
        clusters = None if self.clusters is None else present // max(len(values), 1)
        return replace(
            self,
            items=items,
            repeats=np.ones_like(items),
            sums=sums,
            squares=sums**2,
            clusters=clusters,
        )

    @property
    def _rules(self) -> tuple[str, ...]:
        """Say what grades must have in common to be added."""
        return (
            f"{'without' if self.ids is None else 'with'} ids",
            f"{'without' if self.clusters is None else 'with'} clusters",
            f"between {self.bounds[0]:g} and {self.bounds[1]:g}",
            f"of which {'low' if self.lower_is_better else 'high'} ones are good",
        )

    # -- what they hold --------------------------------------------------------------------------------

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
    def is_binary(self) -> bool:
        """Tell whether grades are right or wrong, 1 or 0."""
        return self.zero_one and self.bounds in (UNBOUNDED, (0.0, 1.0))

    @property
    def has_repeats(self) -> bool:
        """Tell whether some item has several grades."""
        return bool((self.repeats > 1).any())

    @cached_property
    def means(self) -> Floats:
        """The mean grade of each entry."""
        return np.asarray(self.sums / self.repeats)

    def facts(self) -> dict[str, Any]:
        """Say in a few lines what was counted."""
        clusters = None if self.cluster_names is None else len(self.cluster_names)
        found = {"items": self.number, "grades": self.rows_counted, "clusters": clusters}
        return {name: value for name, value in found.items() if value is not None} | (
            {"unscored": self.unscored} if self.unscored else {}
        )

    def __repr__(self) -> str:
        return f"<Grades: {', '.join(f'{value:,} {name}' for name, value in self.facts().items())}>"

    # -- plain values ----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Give plain values for JSON; items and clusters in the order of their names."""
        return super(Grades, self._in_order()).to_dict()

    def _in_order(self) -> Self:
        found = self
        if found.cluster_names is not None and found.clusters is not None:
            order, place = _sort(found.cluster_names)
            found = replace(found, cluster_names=order, clusters=place[found.clusters])
        if found.ids is None:
            return found._collapse()
        order, place = _sort(found.ids)
        back = np.argsort(place)
        held: dict[str, Any] = {x: getattr(found, x)[back] for x in ("repeats", "sums", "squares")}
        if found.clusters is not None:
            held["clusters"] = found.clusters[back]
        return replace(found, ids=order, **held)

    def _fits_together(self) -> bool:
        """Check that the numbers are of grades."""
        size = len(self.items)
        columns = [self.repeats, self.sums, self.squares]
        columns += [] if self.clusters is None else [self.clusters]
        names = () if self.cluster_names is None else self.cluster_names
        slack = 1e-9 * (self.squares + 1)
        return (
            all(column.shape == (size,) for column in columns)
            and (self.ids is None or len(set(self.ids)) == size)
            and (self.cluster_names is None) == (self.clusters is None)
            and len(set(names)) == len(names)
            and (self.clusters is None or not size or int(self.clusters.max()) < len(names))
            and bool((self.items >= 1).all() and (self.repeats >= 1).all() and np.isfinite(self.sums).all())
            and bool((self.ids is None and (self.repeats == 1).all()) or (self.items == 1).all())
            and bool((self.squares * self.repeats >= self.sums**2 - slack * self.repeats).all())
            and bool(
                (self.means >= self.bounds[0] - 1e-9).all() and (self.means <= self.bounds[1] + 1e-9).all()
            )
            and (not self.zero_one or bool(((self.sums == self.squares) & (self.sums % 1 == 0)).all()))
        )


# -- values of a column ------------------------------------------------------------------------------------


def as_right(column: Column, name: str, first_row: int = 1) -> Floats:
    """Read right and wrong as 1 and 0, a missing one as NaN; anything else is refused.

    >>> as_right(as_column(["C", "i", True, 0, None], "correct"), "correct").tolist()
    [1.0, 0.0, 1.0, 0.0, nan]
    """
    coded = encode(column, name)
    found = [RIGHT.get(str(canonical(label)).strip().lower()) for label in coded.labels]
    for code, value in enumerate(found):
        if value is None:
            row = first_row + int(np.argmax(coded.codes == code))
            raise InputError(
                f"{name} is right or wrong: 1/0, true/false, C/I or yes/no; row {row:,} has "
                f"{coded.labels[code]!r}"
            )
    return np.array([*found, math.nan], dtype=np.float64)[coded.codes]


def as_points(column: Column, name: str, first_row: int = 1) -> Floats:
    """Read grades as finite numbers, a missing one as NaN."""
    values = as_scores(column, name, first_row)
    if np.isinf(values).any():
        row = int(np.argmax(np.isinf(values)))
        raise InputError(f"{name} are finite numbers; row {first_row + row:,} has {values[row]:g}")
    return values


def _has_words(column: Column) -> bool:
    """Tell whether a column holds words, which can only be right or wrong."""
    if not isinstance(column, Coded) and column.dtype.kind in "biuf":
        return False
    labels = encode(column, "grades").labels
    return any(isinstance(label, str) and not NUMBER.fullmatch(label.strip()) for label in labels)


def _texts(column: Column, name: str, kept: Any, first_row: int) -> tuple[tuple[str, ...], Integers]:
    """Read names as text, 1 and "1" alike: those that occur, and the place of each row that is kept."""
    coded = encode(column, name)
    if (coded.codes == MISSING).any():
        row = first_row + int(np.argmax(coded.codes == MISSING))
        raise InputError(f"{name} is missing in row {row:,}: every grade needs one")
    names, places = _union([str(canonical(label)) for label in coded.labels])
    present, codes = np.unique(places[coded.codes[kept]], return_inverse=True)
    return tuple(names[place] for place in present), codes.astype(np.int64)


def _union(*names: Sequence[str]) -> tuple[tuple[str, ...], Integers]:
    """List names once, in order of appearance, and give the place of each."""
    place: dict[str, int] = {}
    codes = [place.setdefault(name, len(place)) for name in chain(*names)]
    return tuple(place), np.array(codes, dtype=np.int64)


def _sort(names: tuple[str, ...]) -> tuple[tuple[str, ...], Integers]:
    """Sort names, and give the new place of each."""
    order = sorted(range(len(names)), key=names.__getitem__)
    place = np.empty(len(names), dtype=np.int64)
    place[order] = np.arange(len(names))
    return tuple(names[each] for each in order), place
