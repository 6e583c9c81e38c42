"""Where the targets of a ranking stand: searched into the background, which was sorted once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats
from edgeworth.rankings.scores.runs import Run


@dataclass(frozen=True)
class Standing:
    """One entry a distinct target score, best first: the tie group there, and what is strictly above it."""

    scores: Floats
    hits_above: Floats
    seen_above: Floats
    hits: Floats
    size: Floats

    def __post_init__(self) -> None:
        for array in (self.scores, self.hits_above, self.seen_above, self.hits, self.size):
            array.setflags(write=False)


def find_standing(targets: Run, background: Run) -> Standing:
    """Search the targets into the background."""
    scores, hits = _distinct(targets)
    below = background.below(scores)
    tied = _tied(background, scores, below)
    hits_above = np.concatenate([np.cumsum(hits[::-1])[::-1][1:], [0]]) if len(hits) else hits
    # Sums of weights round: nothing is above the best by less than nothing.
    seen_above = hits_above + np.maximum(background.total - below - tied, 0)
    return Standing(*(_best_first(x) for x in (scores, hits_above, seen_above, hits, hits + tied)))


def _best_first(column: NDArray[Any]) -> Floats:
    return column[::-1].astype(np.float64)


def _distinct(run: Run) -> tuple[Floats, NDArray[Any]]:
    """Each score once, lowest first, with its cases."""
    if run.weight is not None:
        return run.scores, run.weight
    ends = np.flatnonzero(np.concatenate([run.scores[1:] != run.scores[:-1], [True]])[: len(run.scores)])
    return run.scores[ends], np.diff(ends, prepend=-1)


def _tied(background: Run, scores: Floats, below: NDArray[Any]) -> NDArray[Any]:
    """Background with exactly these scores: a second search, only where there is any."""
    tied = np.zeros_like(below)
    places = np.asarray(
        below if background.weight is None else np.searchsorted(background.scores, scores), dtype=np.intp
    )
    inside = places < len(background.scores)
    equal = np.flatnonzero(inside)[background.scores[places[inside]] == scores[inside]]
    if len(equal):
        tied[equal] = background.below(scores[equal], side="right") - below[equal]
    return tied
