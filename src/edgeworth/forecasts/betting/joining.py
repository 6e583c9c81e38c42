"""Paths in time that are merged: which follows which, and what is missing between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from edgeworth.errors import MergeError
from edgeworth.forecasts.betting.path import Blocks
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.tally import ForecastEvidence

MISSING = "Rows are missing on the path in time: position"
"""How the sentence about gaps begins; each merged tally says it anew, for gaps may have been filled."""

TOLD_GAPS = 3


@dataclass(frozen=True)
class Piece:
    """A part of a path, and whether somebody said where on the path it stands."""

    name: str
    tally: Any
    is_placed: bool = False


def in_a_row(pieces: Sequence[Piece]) -> list[Any]:
    """Tallies one after the other: one of which nobody said where it stands goes on where all before end."""
    found: list[Any] = []
    ended = 0
    for piece in pieces:
        tally = piece.tally
        reach = reach_of(tally)
        if reach is not None and ended and not is_placed(piece):
            if getattr(tally, "drawn", None) is not None:
                raise MergeError(
                    "the prices of a drunken bookmaker depend on the place of a row: count "
                    f"{piece.name} with the rows before it, {ended:,} (--rows-before, rows_before=)"
                )
            tally, reach = tally.moved(ended), (ended, ended + reach[1])
        ended = ended if reach is None else max(ended, reach[1])
        found.append(tally)
    return found


def is_placed(piece: Piece) -> bool:
    """Whether it was said where a path stands; one that does not begin at the start was put there."""
    reach = reach_of(piece.tally)
    return piece.is_placed or (reach is not None and reach[0] > 0)


def reach_of(tally: Any) -> tuple[int, int] | None:
    """From which position to which a path goes; None of what has no order, and of no cases."""
    blocks = _blocks(tally)
    return None if blocks is None else (int(blocks.starts[0]), int(blocks.ends[-1]))


def with_gaps_said(notices: Iterable[str], tally: Any) -> tuple[str, ...]:
    """Each notice once, and a sentence about positions that nobody counted between others."""
    kept = dict.fromkeys(notice for notice in notices if not notice.startswith(MISSING))
    said = gaps_said(tally)
    return tuple(kept) if said is None else (*kept, said)


def gaps_said(tally: Any) -> str | None:
    """A sentence about the gaps of a path, counted from 1; None where it has none.

    >>> first, second = (Wealth.from_probabilities([1, 0], [0.6, 0.4], against=[0.5, 0.5]) for _ in range(2))
    >>> gaps_said(first + second.moved(5))
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
    shown = [f"{first:,}" if first == last else f"{first:,} to {last:,}" for first, last in gaps[:TOLD_GAPS]]
    more = len(gaps) - TOLD_GAPS
    shown += [f"{more:,} more such gap{'s' if more > 1 else ''}"] if more > 0 else []
    plural = "s" if len(gaps) > 1 or gaps[0][0] != gaps[0][1] else ""
    listed = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    return f"{MISSING}{plural} {listed}."


def _blocks(tally: Any) -> Blocks | None:
    if isinstance(tally, ForecastEvidence):
        tally = tally.wealth
    return tally.blocks if isinstance(tally, Wealth) and tally.blocks.number else None
