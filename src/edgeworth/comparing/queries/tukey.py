"""Randomised Tukey HSD: all pairs of systems at once, with the chance of any false finding held.

If all systems are equally good, a unit's values could as well have been dealt to them in any order. The
largest difference between two means that such dealing gives is what every pair must beat (Carterette 2012,
ACM TOIS 30).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats
from edgeworth.comparing.queries.exact_values import cluster_sums
from edgeworth.core.tails import Tail
from edgeworth.core.threads import map_blocks, row_blocks
from edgeworth.errors import check_draws

SAME = 1e-12
"""Differences of means nearer than this, relative to the largest value, count as the same: as beyond."""

VALUES_TOGETHER = 50_000
"""Values dealt in one go by one thread."""


@dataclass(frozen=True, eq=False)
class RandomisedTukey:
    """How often dealing gave a largest difference of at least that of each pair."""

    counts: NDArray[np.int64]
    draws: int
    seed: int
    units: int

    @property
    def p_values(self) -> Floats:
        """(1 + count)/(1 + draws) of every pair; 1 on the diagonal."""
        return np.asarray((1 + self.counts) / (1 + self.draws))

    def tail(self, first: int, second: int) -> Tail:
        """The p-value of one pair, with a 99% interval of what more draws would give."""
        said = f"randomised Tukey HSD, {self.draws:,} draws over {self.units:,} units, seed {self.seed}"
        return replace(Tail.drawn(int(self.counts[first, second]), self.draws, self.seed), method=said)


def randomised_tukey(
    values: Any,
    *,
    clusters: Sequence[Hashable] | NDArray[Any] | None = None,
    draws: int = 10_000,
    seed: int = 0,
) -> RandomisedTukey:
    """Test all pairs of systems at once from their values (units × systems).

    With ``clusters`` a cluster's units are dealt alike: their sums are the values of one unit.

    >>> found = randomised_tukey([[0.9, 0.1, 0.2], [0.8, 0.2, 0.1], [0.9, 0.3, 0.3], [0.7, 0.1, 0.2]])
    >>> found.p_values[0, 1] < 0.05 < found.p_values[1, 2]
    np.True_
    """
    check_draws(draws, seed)
    matrix = np.asarray(values, dtype=np.float64)
    if clusters is not None:
        matrix = np.stack([cluster_sums(column, clusters) for column in matrix.T], axis=1)
    sums = matrix.sum(axis=0)
    distances = np.abs(sums[:, None] - sums[None, :])
    # Dealing values that are all the same changes nothing.
    varied = matrix[np.ptp(matrix, axis=1) > 0]
    ranges = np.sort(_largest_differences(varied, draws, seed))
    same = SAME * max(float(np.abs(matrix).max()), np.finfo(np.float64).tiny) * len(matrix)
    counts = draws - np.searchsorted(ranges, distances - same, side="left")
    return RandomisedTukey(counts.astype(np.int64), draws, seed, len(matrix))


def _largest_differences(matrix: Floats, draws: int, seed: int) -> Floats:
    """max − min of the systems' sums, each unit's values dealt at random, so many times."""
    rows = max(1, VALUES_TOGETHER // matrix.shape[1])
    blocks = row_blocks(draws, rows)
    # Blocks have random streams of their own, so the seed alone decides, not the number of cores.
    streams = np.random.default_rng(seed).spawn(len(blocks))

    def dealt(block: slice) -> Floats:
        sums = deal_sums(matrix, block.stop - block.start, streams[block.start // rows])
        return np.asarray(np.ptp(sums, axis=1))

    return np.concatenate(map_blocks(dealt, blocks))


def deal_sums(matrix: Floats, draws: int, generator: np.random.Generator) -> Floats:
    """Sum each system's values when every unit's are dealt at random, a row a draw.

    Random keys with the systems' numbers in their last bits are sorted; the bits then stand in random order.
    """
    systems = matrix.shape[1]
    last_bits = np.uint64((1 << math.ceil(math.log2(systems))) - 1)
    numbers = np.arange(systems, dtype=np.uint64)
    sums, values = np.zeros((draws, systems)), np.empty((draws, systems))
    for row in matrix:
        keys = generator.integers(0, 1 << 64, size=(draws, systems), dtype=np.uint64)
        keys &= ~last_bits
        keys |= numbers
        keys.sort(axis=1)
        keys &= last_bits
        # No number lies outside the row: clipping only spares the check.
        np.take(row, keys.view(np.int64), out=values, mode="clip")
        sums += values
    return sums
