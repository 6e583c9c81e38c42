"""Wealth in blocks: what happened between two positions, small and mergeable in order.

A block covers positions within one cell of a grid that is aligned to position 0. The grid is the finest with
at most ``MOST_BLOCKS`` cells up to the last position, so a short path is kept case by case and one of 10⁸
cases in a few thousand blocks, and shards that were cut anywhere come out the same when they are joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats, Integers
from edgeworth.bet.fractional import FRACTIONS, fractional_logs, whole_sum
from edgeworth.core.plain import COUNTS, FLOATS, FLOATS_OR_NAN, Plain, reshape_array
from edgeworth.core.threads import map_blocks
from edgeworth.errors import InputError, MergeError

MOST_BLOCKS = 4096

SUMS = (
    "model_mean",
    "model_variance",
    "model_third",
    "price_mean",
    "price_variance",
    "price_third",
    "model_log_growth",
    "price_log_half",
    "brier",
    "brier_square",
    "log",
    "log_square",
)
"""Sums over cases: mean, variance and third absolute central moment of the log factor if the model, or the
prices, are right; the logarithm of the factor's mean if the model is right, and of its square root's mean if
the prices are; differences of scores, rival less model, and their squares."""

LOGS = ("wealth", "henzi_brier", "henzi_log")
"""Sums of log factors, in which ruin absorbs."""


def grid_of(end: int) -> int:
    """The size of a block when positions reach up to ``end``: a power of two.

    >>> grid_of(4096), grid_of(4097), grid_of(10**8)
    (1, 2, 32768)
    """
    size = 1
    while size * MOST_BLOCKS < end:
        size *= 2
    return size


@dataclass(frozen=True)
class Blocks(Plain):
    """Consecutive pieces of a path, in order: from ``starts`` to before ``ends``.

    ``logs`` are sums of log factors, ``fractions`` those of each stake fraction; ``top`` and ``bottom`` are
    the highest and lowest log wealth on the way, from 0 at the start of the block, and ``drawdown`` the
    largest fall from a height reached within it.
    """

    FIELDS: ClassVar = {
        "starts": COUNTS,
        "ends": COUNTS,
        "logs": FLOATS,
        "fractions": FLOATS,
        "sums": FLOATS_OR_NAN,
        "top": FLOATS,
        "bottom": FLOATS,
        "drawdown": FLOATS,
    }

    starts: Integers
    ends: Integers
    logs: Floats
    fractions: Floats
    sums: Floats
    top: Floats
    bottom: Floats
    drawdown: Floats

    @classmethod
    def empty(cls) -> Self:
        """No cases."""
        none, zero = np.zeros(0), np.zeros(0, dtype=np.int64)
        wide = np.zeros((0, len(FRACTIONS)))
        return cls(zero, zero, np.zeros((0, len(LOGS))), wide, np.zeros((0, len(SUMS))), none, none, none)

    @classmethod
    def _of_fields(cls, found: dict[str, Any]) -> Self:
        number, empty = len(found["starts"]), cls.empty()
        widths = {name: getattr(empty, name).shape[1:] for name in found}
        return cls(**{name: reshape_array(array, number, *widths[name]) for name, array in found.items()})

    rule: ClassVar = "positions ascend and do not overlap"

    def _fits_together(self) -> bool:
        """Check the rule."""
        return bool(np.all(self.ends > self.starts) and np.all(self.starts[1:] >= self.ends[:-1]))

    @classmethod
    def of_cases(cls, logs: Floats, fractions: Floats, sums: Floats, first: int) -> Self:
        """One block a case."""
        starts = np.arange(first, first + len(logs), dtype=np.int64)
        return cls.of_steps(starts, starts + 1, logs, fractions, sums)

    @classmethod
    def of_steps(
        cls, starts: Integers, ends: Integers, logs: Floats, fractions: Floats, sums: Floats
    ) -> Self:
        """Cases that were settled together are one step of the path, from before it to after it."""
        wealth = logs[:, 0]
        fallen = np.maximum(0.0, -wealth)
        return cls(
            starts, ends, logs, fractions, sums, np.maximum(0.0, wealth), np.minimum(0.0, wealth), fallen
        )

    @classmethod
    def of_runs(cls, logs: Floats, fractions: Floats, sums: Floats, first: int, length: int) -> Self:
        """One block for every so many cases; ``fractions`` are summed already, one row a block."""
        # Each case's own are as wide as all the rest, so they are never there.
        none = np.zeros((len(logs), 0))
        return replace(cls.of_cases(logs, none, sums, first)._join_evenly(length), fractions=fractions)

    @property
    def number(self) -> int:
        """How many blocks there are."""
        return len(self.starts)

    @classmethod
    def end_to_end(cls, parts: Sequence[Self]) -> Self:
        """Pieces of a path one after the other, none before its predecessor's end."""
        some = [part for part in parts if part.number]
        if len(some) < 2:
            return some[0] if some else cls.empty()
        columns = ([getattr(part, name) for part in some] for name in cls.FIELDS)
        return cls(*(np.concatenate(column) for column in columns))

    def __add__(self, other: Self) -> Self:
        """Both, in order of position; positions that both have are refused."""
        if not self.number or not other.number:
            return self if self.number else other
        joined = self.end_to_end([self, other])
        joined = joined._at(np.argsort(joined.starts, kind="stable"))
        overlap = joined.starts[1:] < joined.ends[:-1]
        if overlap.any():
            place = int(joined.starts[1:][overlap][0])
            raise MergeError(f"both hold the case at position {place:,}: a path has each position once")
        return joined.coarsen()

    def _at(self, rows: Any) -> Self:
        return replace(self, **{name: getattr(self, name)[rows] for name in self.FIELDS})

    def coarsen(self, end: int = 0) -> Self:
        """Neighbours within one cell of the grid joined; ``end`` is where the whole path will end."""
        if not self.number:
            return self
        cell = self.starts // grid_of(max(end, int(self.ends[-1])))
        # A gap in the positions keeps two pieces of one cell apart.
        is_new = np.ones(self.number, dtype=bool)
        is_new[1:] = (cell[1:] != cell[:-1]) | (self.starts[1:] != self.ends[:-1])
        firsts = np.flatnonzero(is_new)
        if len(firsts) == self.number:
            return self
        lengths = np.diff(firsts, append=self.number)
        # Runs of blocks that are joined equally many at a time are joined all at once.
        edges = [0, *(np.flatnonzero(np.diff(lengths)) + 1).tolist(), len(firsts)]
        stops = [*firsts.tolist(), self.number]
        runs = ((slice(stops[a], stops[b]), int(lengths[a])) for a, b in pairwise(edges))
        return self.end_to_end([self._at(rows)._join_evenly(length) for rows, length in runs])

    def _join_evenly(self, length: int) -> Self:
        """Every so many blocks as one block."""
        if length == 1:
            return self
        number = self.number // length

        def rows(values: Floats) -> Floats:
            return values.reshape(number, length, *values.shape[1:])

        before = _before(rows(self.logs[:, 0]))
        with np.errstate(invalid="ignore"):
            tops, bottoms = before + rows(self.top), before + rows(self.bottom)
        if not np.isfinite(self.logs[:, 0]).all():
            # Ruin absorbs, whether boundless wealth came before it or after.
            tops, bottoms = (np.where(np.isnan(x) | (before == -np.inf), -np.inf, x) for x in (tops, bottoms))
        peak = np.maximum.accumulate(np.maximum(tops, 0.0), axis=1)
        earlier = np.concatenate([np.zeros((number, 1)), peak[:, :-1]], axis=1)
        with np.errstate(invalid="ignore"):
            falls = np.where(np.isinf(bottoms) & (bottoms < 0), np.inf, earlier - bottoms)
        # What was boundless or lost before falls no further.
        inside = np.where(np.isinf(before), 0.0, rows(self.drawdown))
        with np.errstate(invalid="ignore"):
            # Where an infinite gain meets an infinite loss a sum is not a number, and stays so.
            sums = rows(self.sums).sum(axis=1)
        drawdown = np.maximum(np.nan_to_num(falls, nan=0.0, posinf=np.inf), inside).max(axis=1)
        return replace(
            self,
            starts=self.starts[::length],
            ends=self.ends[length - 1 :: length],
            logs=whole_sum(rows(self.logs).swapaxes(0, 1)),
            fractions=whole_sum(rows(self.fractions).swapaxes(0, 1)),
            sums=sums,
            top=np.maximum(0.0, tops.max(axis=1)),
            bottom=np.minimum(0.0, bottoms.min(axis=1)),
            drawdown=np.maximum(0.0, drawdown),
        )


def _before(logs: Floats) -> Floats:
    """Log wealth before each block of each run."""
    moved = np.concatenate([np.zeros((len(logs), 1)), logs[:, :-1]], axis=1)
    if np.isfinite(moved).all():
        return np.asarray(np.cumsum(moved, axis=1))
    from edgeworth.bet.fractional import running_sum

    return running_sum(moved.T).T


PIECE = 1 << 14
"""Cases worked on at once: each has a log factor for every stake fraction."""

CasesOf = Callable[[slice], tuple[Floats, Floats]]
"""Log factors and sums of some rows, a column a case."""


def in_time(times: Integers, cases: int) -> NDArray[np.intp]:
    """The rows in order of their times, those of one time as they were given."""
    if len(times) != cases:
        raise InputError(f"there are {len(times):,} times for {cases:,} cases: every case has one")
    return np.argsort(times, kind="stable")


def is_tied(times: Integers | None) -> bool:
    """Whether a time occurs more than once, in times that ascend."""
    return times is not None and bool((times[1:] == times[:-1]).any())


def timed_blocks(cases_of: CasesOf, realised: Floats, times: Integers, first: int) -> Blocks:
    """The path in blocks of whole times. ``realised`` are the log factors of full stakes, rows by time."""
    cases = len(realised)
    starts = np.flatnonzero(np.diff(times, prepend=times[0] - 1))
    ends = np.append(starts[1:], cases)

    def steps(rows: slice) -> Blocks:
        # A time may be longer than a piece, so pieces of one are added afterwards.
        pieces = [
            slice(start, min(start + PIECE, rows.stop)) for start in range(rows.start, rows.stop, PIECE)
        ]
        parts = [_by_time(times[piece], _of_piece(cases_of, realised, piece)) for piece in pieces]
        whole = tuple(np.concatenate([part[1][place] for part in parts]) for place in range(3))
        _, (logs, fractions, sums) = _by_time(np.concatenate([part[0] for part in parts]), whole)
        here = slice(*np.searchsorted(starts, [rows.start, rows.stop]))
        blocks = Blocks.of_steps(first + starts[here], first + ends[here], logs, fractions, sums)
        return blocks.coarsen(first + cases)

    # Runs begin where a time does.
    edges = np.unique(np.append(starts[np.searchsorted(starts, np.arange(0, starts[-1] + 1, PIECE))], cases))
    runs = [slice(start, stop) for start, stop in pairwise(edges.tolist())]
    return Blocks.end_to_end(map_blocks(steps, runs)).coarsen(first + cases)


def _of_piece(cases_of: CasesOf, realised: Floats, rows: slice) -> tuple[Floats, ...]:
    logs, sums = cases_of(rows)
    return logs.T, fractional_logs(realised[rows]), sums.T


def _by_time(times: Integers, columns: tuple[Floats, ...]) -> tuple[Integers, tuple[Floats, ...]]:
    """Rows of one time added up: log factors, those of each stake fraction, and sums."""
    at = np.flatnonzero(np.diff(times, prepend=times[0] - 1))
    logs, fractions, sums = columns
    with np.errstate(invalid="ignore"):
        # Where an infinite gain meets an infinite loss a sum is not a number, and stays so.
        added = np.add.reduceat(sums, at, axis=0)
    return times[at], (_log_sums(logs, at), _log_sums(fractions, at), added)


def _log_sums(logs: Floats, at: NDArray[np.intp]) -> Floats:
    """Σ log factors from each place to the next; ruin absorbs."""
    with np.errstate(invalid="ignore"):
        added = np.add.reduceat(logs, at, axis=0)
    if np.isfinite(added).all():
        return np.asarray(added)
    return np.where(np.logical_or.reduceat(logs == -np.inf, at, axis=0), -np.inf, added)
