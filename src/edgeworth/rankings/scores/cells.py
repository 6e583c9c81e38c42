"""Declared cells: a ranking whose memory is bounded, because scores in one cell count as tied."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from edgeworth.arrays import Floats
from edgeworth.core.plain import FLOATS, Field, optional
from edgeworth.errors import InputError, OptionError
from edgeworth.rankings.scores.runs import Run

Cells: TypeAlias = Sequence[float] | Floats | int | None
"""Ascending edges; or a number of equal cells from 0 to 1, for probabilities; or none."""

MOST_CELLS = 10_000_000
"""More would bound nothing."""


def as_cells(cells: Cells) -> Floats | None:
    """The edges, checked.

    >>> as_cells(4).tolist()
    [0.0, 0.25, 0.5, 0.75]
    """
    if cells is None:
        return None
    if isinstance(cells, (int, np.integer)):
        if isinstance(cells, bool) or not 1 <= cells <= MOST_CELLS:
            raise OptionError(f"a number of cells lies between 1 and {MOST_CELLS:,}; saw {cells}")
        return np.arange(int(cells)) / int(cells)
    try:
        edges = np.asarray(cells, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"cells are edges, or a number of them; saw {cells!r}") from None
    if edges.ndim != 1 or not len(edges) or not np.all(np.isfinite(edges)) or np.any(np.diff(edges) <= 0):
        raise OptionError("cells are edges in ascending order, finite and different from each other")
    return edges + 0.0


def check_unit_range(scores: Floats) -> None:
    """A number of cells means cells from 0 to 1: scores outside would all fall into the two at the ends."""
    outside = (scores < 0) | (scores > 1)
    if outside.any():
        found = scores[outside][0]
        raise InputError(
            f"a number of cells divides the scores from 0 to 1, but there is {found:g}: give the edges"
        )


def in_cells(run: Run, edges: Floats) -> Run:
    """Every score replaced by the lower edge of its cell; below the first edge that is minus infinity."""
    lower = np.concatenate([[-np.inf], edges])
    placed = lower[np.searchsorted(edges, run.scores, side="right")]
    return Run(placed, run.weight, run.square, run.fourth).gathered()


def is_on_cells(runs: Iterable[Run], edges: Floats | None) -> bool:
    """Whether all scores are lower edges of cells, where there are cells."""
    known = np.concatenate([[-np.inf], [] if edges is None else edges])
    scores = [scores for run in runs for scores in (run.scores, run.ends)]
    return edges is None or all(bool(np.isin(each, known).all()) for each in scores)


EDGES = optional(Field("ascending edges", lambda edges: as_cells(FLOATS.load(edges)), FLOATS.dump))
"""The field of a tally that holds its cells."""
