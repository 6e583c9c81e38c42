"""Wealth in blocks: what happened between two positions, small and mergeable in order.

A block covers positions within one cell of a grid that is aligned to position 0. The grid is the finest with
at most ``MAX_BLOCKS`` cells up to the last position, so a short path is kept case by case and one of 10⁸
cases in a few thousand blocks, and shards that were cut anywhere come out the same when they are joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar, Self

import numpy as np

from edgeworth.bet.fractional import (
    FRACTIONS,
    fraction_sums,
    running_sum,
    score_log_factors,
    sums_from,
    whole_sum,
)
from edgeworth.common.arrays import MAX_EXACT_INTEGER, Floats, Integers
from edgeworth.common.json_types import JsonObject
from edgeworth.common.threads import map_blocks, row_blocks
from edgeworth.core.serialization import COUNTS, FLOATS, FLOATS_OR_NAN, Serializable, reshape_array
from edgeworth.errors import MergeError
from edgeworth.forecasts.forecasts import Forecasts, RowSelection
from edgeworth.forecasts.scoring_rules import case_scores

MAX_BLOCKS = 4096

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
the prices are; differences of scores, baseline − model, and their squares."""

LOGS = ("wealth", "henzi_brier", "henzi_log")
"""Sums of log factors, in which ruin absorbs."""


def grid_of(end: int) -> int:
    """Find the block size, a power of two, for positions up to ``end``.

    >>> grid_of(4096), grid_of(4097), grid_of(10**8)
    (1, 2, 32768)
    """
    size = 1
    while size * MAX_BLOCKS < end:
        size *= 2
    return size


@dataclass(frozen=True)
class Blocks(Serializable):
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
        """Return a path without cases."""
        none, zero = np.zeros(0), np.zeros(0, dtype=np.int64)
        wide = np.zeros((0, len(FRACTIONS)))
        return cls(zero, zero, np.zeros((0, len(LOGS))), wide, np.zeros((0, len(SUMS))), none, none, none)

    @classmethod
    def _of_fields(cls, fields: JsonObject) -> Self:
        number, empty = len(fields["starts"]), cls.empty()
        widths = {name: getattr(empty, name).shape[1:] for name in fields}
        return cls(**{name: reshape_array(array, number, *widths[name]) for name, array in fields.items()})

    rule: ClassVar = "positions ascend, do not overlap, and end at 2^53"

    def _fits_together(self) -> bool:
        """Check the rule."""
        is_near = not self.number or int(self.ends[-1]) <= MAX_EXACT_INTEGER
        return is_near and bool(np.all(self.ends > self.starts) and np.all(self.starts[1:] >= self.ends[:-1]))

    @classmethod
    def of_steps(
        cls, starts: Integers, ends: Integers, logs: Floats, fractions: Floats, sums: Floats
    ) -> Self:
        """Make a path in which cases that were settled together are one step."""
        top, bottom = np.maximum(0.0, logs[:, 0]), np.minimum(0.0, logs[:, 0])
        return cls(starts, ends, logs, fractions, sums, top, bottom, -bottom)

    @property
    def number(self) -> int:
        """How many blocks there are."""
        return len(self.starts)

    @classmethod
    def end_to_end(cls, parts: Sequence[Self]) -> Self:
        """Pieces of a path one after the other, none before its predecessor's end."""
        nonempty = [part for part in parts if part.number]
        if len(nonempty) < 2:
            return nonempty[0] if nonempty else cls.empty()
        columns = ([getattr(part, name) for part in nonempty] for name in cls.FIELDS)
        return cls(*(np.concatenate(column) for column in columns))

    def __add__(self, other: Self) -> Self:
        """Both, in order of position; positions that both have are refused."""
        if not self.number or not other.number:
            return self if self.number else other
        joined = self.end_to_end([self, other])
        joined = joined._at(np.argsort(joined.starts, kind="stable"))
        overlap = joined.starts[1:] < joined.ends[:-1]
        if overlap.any():
            position = int(joined.starts[1:][overlap][0])
            raise MergeError(
                f"both parts contain the case at position {position:,}: each position may occur only once"
            )
        return joined.coarsen()

    def _at(self, rows: RowSelection) -> Self:
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
        """Merge every ``size`` blocks into one."""
        if length == 1:
            return self
        number = self.number // length

        def rows(values: Floats) -> Floats:
            return values.reshape(number, length, *values.shape[1:])

        ended = rows(self.logs[:, 0])[:, :-1]
        before = running_sum(np.concatenate([np.zeros((number, 1)), ended], axis=1).T).T
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


CASES_PER_PIECE = 1 << 14
"""Cases worked on at once: each has a log factor for every stake fraction."""


def build_blocks(
    forecasts: Forecasts,
    rival: Forecasts,
    prices: Floats,
    staked: Callable[[slice[int, int, None]], Floats],
    realised: Floats,
    first: int,
    times: Integers | None = None,
) -> Blocks:
    """Build the blocks of a path piece by piece, which limits the memory.

    With ``times``, in ascending order, no block ends between two cases of one time. ``realised`` are the log
    factors of full stakes.
    """
    cases = len(realised)
    end = first + cases
    starts = np.arange(cases) if times is None else np.flatnonzero(np.diff(times, prepend=times[:1] - 1))
    stops = np.append(starts[1:], cases)

    def run_of(rows: slice[int, int, None]) -> Blocks:
        model, opponent, factors = forecasts[rows], rival[rows], staked(rows)
        begin, end_of_piece = np.searchsorted(starts, [rows.start, rows.stop]).tolist()
        piece = slice(begin, end_of_piece)
        at = starts[piece] - rows.start
        logs = np.stack([model.of_truth(factors), *_henzi(model, opponent)])
        sums = _sums(model, opponent, prices[rows], factors)
        if times is not None:
            logs = sums_from(logs, at)
            with np.errstate(invalid="ignore"):
                # Where an infinite gain meets an infinite loss a sum is not a number, and stays so.
                sums = np.add.reduceat(sums, at, axis=1)
        # Each case's own fractions would be as wide as all the rest: they are summed once blocks are known.
        none = np.zeros((len(at), 0))
        blocks = Blocks.of_steps(first + starts[piece], first + stops[piece], logs.T, none, sums.T).coarsen(
            end
        )
        return replace(blocks, fractions=fraction_sums(realised[rows], blocks.starts - first - rows.start))

    # Pieces begin at multiples of their length, and so at a cell of the grid or within one, and at a step.
    boundaries = np.arange((first // CASES_PER_PIECE + 1) * CASES_PER_PIECE, end, CASES_PER_PIECE) - first
    edges = np.unique([0, *stops[np.searchsorted(stops, boundaries)], cases])
    runs = [slice(start, stop) for start, stop in pairwise(edges.tolist())]
    return Blocks.end_to_end(map_blocks(run_of, runs)).coarsen(end)


def _henzi(forecasts: Forecasts, rival: Forecasts) -> list[Floats]:
    """Return the log factors of bets on the score itself; with more than two classes there are no bets."""
    if forecasts.size != 2:
        return [np.zeros(len(forecasts.codes))] * 2
    p, q = forecasts.probabilities[:, 1], rival.probabilities[:, 1]
    return [score_log_factors(forecasts.codes, p, q, score=score) for score in ("brier", "log")]


def _sums(forecasts: Forecasts, rival: Forecasts, prices: Floats, logs: Floats) -> Floats:
    """Return the sums of each case, one row for each of ``SUMS``."""
    model_scores, rival_scores = (case_scores(system, ("brier", "log")) for system in (forecasts, rival))
    with np.errstate(invalid="ignore"):
        brier, log = rival_scores - model_scores
    p, q, by_class = (np.ascontiguousarray(table.T) for table in (forecasts.probabilities, prices, logs))
    moments = [*_moments(p, by_class), *_moments(q, by_class), _log_mean_factor(p, by_class)]
    moments.append(_log_mean_factor(q, by_class / 2))
    return np.stack([*moments, brier, brier**2, log, log**2])


def _log_mean_factor(chances: Floats, logs: Floats) -> Floats:
    """Return log Σ_k chance_k · factor_k of each case, over outcomes that can happen."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return np.asarray(np.log(np.where(chances > 0, chances * np.exp(logs), 0.0).sum(axis=0)))


def _moments(chances: Floats, logs: Floats) -> tuple[Floats, Floats, Floats]:
    """Return mean, variance and third absolute central moment of each case's log factor, with 0 · −inf = 0.

    Rows are classes and columns are cases: whole rows are added at once. Where ruin (or boundless wealth) can
    happen, the logarithm has no finite variance.
    """
    logs = np.where(chances > 0, logs, 0.0)
    with np.errstate(invalid="ignore"):
        mean = (chances * logs).sum(axis=0)
        mean = np.where(np.isnan(mean), -np.inf, mean)
        off = np.abs(logs - mean)
        squares = chances * off * off
        higher = (squares.sum(axis=0), (squares * off).sum(axis=0))
    variance, third = (np.where(np.isfinite(mean), moment, np.inf) for moment in higher)
    return mean, variance, third


MAX_DISTINCT_GAMES = 4096
"""Distinct games kept for the exact law; with more of them the law is approximated."""


@dataclass(frozen=True, eq=False)
class Games(Serializable):
    """The distinct games that were played, and how often: probabilities, prices and log factors (n, K)."""

    FIELDS: ClassVar = {
        "probabilities": FLOATS,
        "prices": FLOATS,
        "log_factors": FLOATS_OR_NAN,
        "counts": COUNTS,
    }

    probabilities: Floats
    prices: Floats
    log_factors: Floats
    counts: Integers

    def __add__(self, other: Self) -> Self | None:
        """Both; None when there are too many to keep."""
        columns = ([getattr(games, name) for games in (self, other)] for name in self.FIELDS)
        return type(self).of(*map(np.concatenate, columns))

    @classmethod
    def of_pieces(
        cls, probabilities: Floats, prices: Floats, logs_of: Callable[[slice[int, int, None]], Floats]
    ) -> Self | None:
        """Equal games counted together, a piece of the path at a time; None when there are too many."""
        total: Self | None = None
        for rows in row_blocks(len(probabilities), 2 * MAX_DISTINCT_GAMES):
            counts = np.ones(len(probabilities[rows]), dtype=np.int64)
            part = cls.of(probabilities[rows], prices[rows], logs_of(rows), counts)
            total = part if total is None or part is None else total + part
            if total is None:
                return None
        return total

    @classmethod
    def of(cls, probabilities: Floats, prices: Floats, log_factors: Floats, counts: Integers) -> Self | None:
        """Equal games counted together; None when there are too many to keep."""
        if len(np.unique(probabilities[:, -1])) > MAX_DISTINCT_GAMES:  # quicker than comparing whole rows
            return None
        size, tables = probabilities.shape[1], (probabilities, prices, log_factors)
        distinct, index = np.unique(np.concatenate(tables, axis=1), axis=0, return_inverse=True)
        if len(distinct) > MAX_DISTINCT_GAMES:
            return None
        total = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(total, index.ravel(), counts)
        return cls(distinct[:, :size], distinct[:, size : 2 * size], distinct[:, 2 * size :], total)

    rule: ClassVar = "each game has a row, and each class a column"

    def _fits_together(self) -> bool:
        """Check the rule."""
        shape = (*self.counts.shape, self.probabilities.shape[-1])
        return self.probabilities.shape == self.prices.shape == self.log_factors.shape == shape
