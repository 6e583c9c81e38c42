"""Cases that are known together: a path of wealth that is looked at only between times.

The order of rows within one time is nobody's: a file may have been sorted by what happened. The product of
their factors does not depend on it, the way there does, and its maximum would be evidence out of nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats, Integers
from edgeworth.bet.fractional import fractional_logs
from edgeworth.core.threads import in_order
from edgeworth.errors import InputError
from edgeworth.forecasts.betting.wealth_blocks import Blocks

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
        return blocks.coarsened(first + cases)

    # Runs begin where a time does.
    edges = np.unique(np.append(starts[np.searchsorted(starts, np.arange(0, starts[-1] + 1, PIECE))], cases))
    runs = [slice(start, stop) for start, stop in pairwise(edges.tolist())]
    return Blocks.end_to_end(in_order(steps, runs)).coarsened(first + cases)


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
