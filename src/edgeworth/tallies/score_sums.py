"""Sums of the scores of forecasts and of their products between systems, block by block on all cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from edgeworth.sources.probabilities import FEW_COLUMNS
from edgeworth.tallies.forecast_columns import Forecasts
from edgeworth.tallies.joint import Floats, Numbers
from edgeworth.tallies.scoring_rules import fill
from edgeworth.tallies.threads import in_order, row_blocks

BLOCK_VALUES = 1 << 19
"""Probabilities scored at once (of five classes on two cores, half and twice as many take longer)."""

BlockOf: TypeAlias = Callable[[slice, Sequence[Floats | None]], Sequence[Forecasts]]
"""The forecasts of each system for some rows, and room for the table of each, if that is of use."""


class ScoreSums(NamedTuple):
    """Sums over cases, as in ``ForecastScores``."""

    classes: Numbers
    sums: Floats
    products: Floats
    zeros: Numbers


def score_sums(
    block_of: BlockOf, scores: Sequence[str], *, cases: int, systems: int, classes: int
) -> ScoreSums:
    """Score so many cases of so many systems and classes."""
    length = max(1, BLOCK_VALUES // (systems * classes))
    most = min(cases, length)
    # Of two columns only one sum is taken, and many are quicker to go through row by row.
    kept = classes if 2 < classes <= FEW_COLUMNS else 0

    def scored(run: Iterator[slice]) -> list[ScoreSums]:
        # Blocks share one workspace: memory asked for in each block costs a fifth more. It is one piece, as
        # several are handed back to the system together, and the next call asks for them again.
        workspace = np.empty((len(scores) + 1 + kept) * systems * most)
        room, rest = np.split(workspace, [(len(scores) + 1) * systems * most])
        room = room.reshape(len(scores) + 1, systems, most)
        tables = list(rest.reshape(systems, kept * most)) if kept else [None] * systems
        return [_of_block(block_of(rows, tables), scores, room) for rows in run]

    parts = in_order(scored, row_blocks(cases, length), fewest=2)
    return ScoreSums(*(np.sum(each, axis=0) for each in zip(*parts, strict=True)))


def _of_block(forecasts: Sequence[Forecasts], scores: Sequence[str], room: Floats) -> ScoreSums:
    first = forecasts[0]
    happened = [each.of_truth(each.probabilities) for each in forecasts]
    spare = room[-1, 0, : len(first)]
    values = room[:-1, :, : len(first)]
    for place, (each, got) in enumerate(zip(forecasts, happened, strict=True)):
        fill(values[:, place], each, scores, got, spare)
    sums = values.sum(axis=2)
    is_finite = bool(np.isfinite(sums).all())
    finite = values if is_finite else np.where(np.isfinite(values), values, 0.0)
    # Where the log score is finite, nothing of probability 0 came true.
    zeros = [0 if is_finite and "log" in scores else np.count_nonzero(got == 0) for got in happened]
    products = np.einsum("csn,crn->csr", finite, finite)
    return ScoreSums(_class_counts(first), sums, products, np.array(zeros))


def _class_counts(forecasts: Forecasts) -> Numbers:
    """How often each class came true."""
    if forecasts.size > FEW_COLUMNS:
        return np.bincount(forecasts.codes, minlength=forecasts.size)
    # Unlike bincount, comparing lets other threads run meanwhile.
    counts = [np.count_nonzero(forecasts.codes == place) for place in range(forecasts.size - 1)]
    return np.array([*counts, len(forecasts) - sum(counts)])
