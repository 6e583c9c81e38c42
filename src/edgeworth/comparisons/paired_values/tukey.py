"""Randomised Tukey HSD: all pairs of systems at once, with the chance of any false finding held.

If all systems are equally good, a unit's values could as well have been dealt to them in any order. The
largest difference between two means that such dealing gives is what every pair must beat (Carterette 2012,
ACM TOIS 30).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from edgeworth.common.arrays import Floats
from edgeworth.common.threads import map_blocks, row_blocks
from edgeworth.errors import check_whole

RELATIVE_ROUNDING = 1e-12
"""Differences of means nearer than this, relative to the largest value, count as the same: as beyond."""

DEALINGS_PER_GENERATOR = 1_000
"""Dealings by one generator: what they give does not depend on the number of cores."""


def randomised_tukey(values: ArrayLike, *, draws: int = 10_000, seed: int = 0) -> Floats:
    """Test all pairs of systems at once from their values (units × systems): a table of p-values.

    They are (1 + count)/(1 + draws) over dealings whose largest difference is at least that of the pair.

    >>> result = randomised_tukey([[0.9, 0.1, 0.2], [0.8, 0.2, 0.1], [0.9, 0.3, 0.3], [0.7, 0.1, 0.2]])
    >>> result[0, 1] < 0.05 < result[1, 2]
    np.True_
    """
    check_whole(draws, "draws", 1)
    matrix = np.asarray(values, dtype=np.float64)
    sums = matrix.sum(axis=0)
    distances = np.abs(sums[:, None] - sums[None, :])
    # Dealing values that are all the same changes nothing.
    rows = matrix[np.ptp(matrix, axis=1) > 0]
    blocks = row_blocks(draws, DEALINGS_PER_GENERATOR)
    seeds = np.random.SeedSequence(seed).spawn(len(blocks))

    def deal(number: int) -> Floats:
        generator, block = np.random.default_rng(seeds[number]), blocks[number]
        dealt = np.zeros((block.stop - block.start, matrix.shape[1]))
        hands = np.empty_like(dealt)
        for row in rows:
            hands[:] = row
            dealt += generator.permuted(hands, axis=1, out=hands)
        return np.asarray(np.ptp(dealt, axis=1))

    ranges = np.sort(np.concatenate(map_blocks(deal, range(len(blocks)))))
    same = RELATIVE_ROUNDING * max(float(np.abs(matrix).max()), np.finfo(np.float64).tiny) * len(matrix)
    counts = draws - np.searchsorted(ranges, distances - same, side="left")
    return np.asarray((1 + counts) / (1 + draws))
