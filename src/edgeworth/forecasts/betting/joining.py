"""How paths in time are merged: which follows which, and which positions are missing between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from edgeworth.errors import MergeError
from edgeworth.forecasts.betting.path import Blocks
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.tally import ForecastTally

MISSING = "Rows are missing on the path in time: position"
"""How the sentence about gaps begins; each merged tally says it anew, for gaps may have been filled."""

LISTED_GAPS = 3
"""Gaps that the sentence lists one by one."""


@dataclass(frozen=True)
class PathPiece:
    """A tally that may be a part of a path, and whether the caller gave the row at which it starts."""

    name: str
    tally: Any
    start_is_given: bool = False

    @property
    def span(self) -> tuple[int, int] | None:
        """The positions from which to which the path goes; None without an order or without cases."""
        blocks = _blocks(self.tally)
        return None if blocks is None else (int(blocks.starts[0]), int(blocks.ends[-1]))

    @property
    def has_start_row(self) -> bool:
        """Whether the place of the path is known; one that does not begin at 0 was put there."""
        return self.start_is_given or (self.span is not None and self.span[0] > 0)


def chain_paths(pieces: Sequence[PathPiece]) -> list[Any]:
    """Place each path after the end of all before it, unless its start row was given."""
    found: list[Any] = []
    ended = 0
    for piece in pieces:
        tally, span = piece.tally, piece.span
        if span is not None and ended and not piece.has_start_row:
            if getattr(tally, "drawn", None) is not None:
                raise MergeError(
                    "the prices of a drunken bookmaker depend on the place of a row: count "
                    f"{piece.name} with the rows before it, {ended:,} (--rows-before, rows_before=)"
                )
            tally, span = tally.shift(ended), (ended, ended + span[1])
        ended = ended if span is None else max(ended, span[1])
        found.append(tally)
    return found


def note_gaps(notices: Iterable[str], tally: Any) -> tuple[str, ...]:
    """Keep each notice once, and add a sentence about the gaps of the path if it has some."""
    kept = dict.fromkeys(notice for notice in notices if not notice.startswith(MISSING))
    gaps = describe_gaps(tally)
    return tuple(kept) if gaps is None else (*kept, gaps)


def describe_gaps(tally: Any) -> str | None:
    """Describe the gaps of a path, positions counted from 1; None where it has none.

    >>> first, second = (Wealth.from_probabilities([1, 0], [0.6, 0.4], against=[0.5, 0.5]) for _ in range(2))
    >>> describe_gaps(first + second.shift(5))
    'Rows are missing on the path in time: positions 3 to 5.'
    """
    blocks = _blocks(tally)
    if blocks is None:
        return None
    gaps = [
        (int(end) + 1, int(start))
        for end, start in zip(blocks.ends[:-1], blocks.starts[1:], strict=True)
        if start > end
    ]
    if not gaps:
        return None
    shown = [
        f"{first:,}" if first == last else f"{first:,} to {last:,}" for first, last in gaps[:LISTED_GAPS]
    ]
    more = len(gaps) - LISTED_GAPS
    shown += [f"{more:,} more such gap{'s' if more > 1 else ''}"] if more > 0 else []
    plural = "s" if len(gaps) > 1 or gaps[0][0] != gaps[0][1] else ""
    listed = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    return f"{MISSING}{plural} {listed}."


def _blocks(tally: Any) -> Blocks | None:
    if isinstance(tally, ForecastTally):
        tally = tally.wealth
    return tally.blocks if isinstance(tally, Wealth) and tally.blocks.number else None
