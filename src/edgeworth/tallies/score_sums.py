"""Sums of the scores of forecasts and of their products between systems, block by block on all cores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.sources.probabilities import FEW_COLUMNS
from edgeworth.tallies.forecast_tiles import Tiles, are_tiled, starts_of_rows, tiled_blocks
from edgeworth.tallies.joint import Floats, Numbers
from edgeworth.tallies.scoring_rules import fill
from edgeworth.tallies.threads import in_order, row_blocks

BLOCK_VALUES = 1 << 19
"""Probabilities scored at once."""

TILED_VALUES = 3 << 17
"""The same of many in tiles (of five classes on two cores, half and twice as many take longer)."""

COUNTED_ROWS = 1 << 19
"""Rows of which classes are counted at once."""

BlockOf: TypeAlias = Callable[[slice, Floats], Sequence[Tiles]]
"""The forecasts of each system for some rows, given room for the tiles of each."""


class ScoreSums(NamedTuple):
    """Sums over cases, as in ``ForecastScores``."""

    sums: Floats
    products: Floats
    zeros: Numbers


def score_sums(
    block_of: BlockOf, scores: Sequence[str], *, cases: int, systems: int, classes: int
) -> ScoreSums:
    """Score so many cases of so many systems and classes."""
    is_tiled, width = are_tiled(classes), systems * classes
    if cases * width <= BLOCK_VALUES:
        blocks = [slice(0, cases)]
    elif is_tiled:
        blocks = tiled_blocks(cases, TILED_VALUES // width)
    else:
        blocks = row_blocks(cases, max(1, BLOCK_VALUES // width))
    most = max(rows.stop - rows.start for rows in blocks)
    in_tiles = classes * most if is_tiled else 0

    def scored(run: Iterator[slice]) -> list[ScoreSums]:
        # Blocks share one workspace: memory asked for in each block costs a fifth more. It is one piece, as
        # several are handed back to the system together, and the next call asks for them again.
        workspace = np.empty(systems * ((len(scores) + 1) * most + in_tiles))
        room, tiles = np.split(workspace, [(len(scores) + 1) * systems * most])
        room, tiles = room.reshape(len(scores) + 1, systems, most), tiles.reshape(systems, in_tiles)
        starts = starts_of_rows(most, classes) if is_tiled else None
        with np.errstate(divide="ignore"):  # of the logarithm of 0
            return [_of_block(block_of(rows, tiles), scores, room, starts) for rows in run]

    parts = in_order(scored, blocks, fewest=2)
    return ScoreSums(*(np.sum(each, axis=0) for each in zip(*parts, strict=True)))


def _of_block(
    forecasts: Sequence[Tiles], scores: Sequence[str], room: Floats, starts: NDArray[np.intp] | None
) -> ScoreSums:
    happened = [each.happened(starts) for each in forecasts]
    cases = len(happened[0])
    values, spare = room[:-1, :, :cases], room[-1, 0, :cases]
    for place, (each, got) in enumerate(zip(forecasts, happened, strict=True)):
        fill(values[:, place], each, scores, got, spare)
    sums = values.sum(axis=2)
    is_finite = bool(np.isfinite(sums).all())
    finite = values if is_finite else np.where(np.isfinite(values), values, 0.0)
    # Where the log score is finite, nothing of probability 0 came true.
    zeros = [0 if is_finite and "log" in scores else np.count_nonzero(got == 0) for got in happened]
    products = np.einsum("csn,crn->csr", finite, finite)
    return ScoreSums(sums, products, np.array(zeros))


def class_counts(codes: NDArray[np.intp], classes: int) -> Numbers:
    """How often each class came true.

    >>> class_counts(np.array([2, 0, 2]), 3).tolist()
    [1, 0, 2]
    """
    if classes > FEW_COLUMNS:
        return np.bincount(codes, minlength=classes)
    if classes == 2:
        second = np.count_nonzero(codes)
        return np.array([len(codes) - second, second])

    def counted(run: Iterator[slice]) -> list[list[int]]:
        # Unlike bincount, comparing lets other threads run meanwhile; bytes are compared many at a time.
        small = (codes[rows].astype(np.uint8) for rows in run)
        return [[int(np.count_nonzero(block == place)) for place in range(1, classes)] for block in small]

    counts = np.sum(in_order(counted, row_blocks(len(codes), COUNTED_ROWS)), axis=0)
    return np.array([len(codes) - counts.sum(), *counts])
