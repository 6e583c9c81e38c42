"""Sums of the scores of forecasts and of their products between systems, block by block on all cores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from edgeworth.arrays import Floats
from edgeworth.core.joint_counts import Numbers
from edgeworth.core.threads import in_order, row_blocks
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scoring_rules import case_scores

BLOCK_VALUES = 1 << 18
"""Probabilities scored at once."""


class ScoreSums(NamedTuple):
    """Sums over cases, as in ``ForecastScores``."""

    sums: Floats
    products: Floats
    zeros: Numbers


def score_sums(
    block_of: Callable[[slice], Sequence[Forecasts]], scores: Sequence[str], *, cases: int, width: int
) -> ScoreSums:
    """Score so many cases; ``block_of`` gives the forecasts of each system for some rows, ``width`` a row."""
    blocks = row_blocks(cases, max(1, BLOCK_VALUES // width))
    parts = in_order(lambda rows: _of_block(block_of(rows), scores), blocks)
    return ScoreSums(*(np.sum(each, axis=0) for each in zip(*parts, strict=True)))


def _of_block(forecasts: Sequence[Forecasts], scores: Sequence[str]) -> ScoreSums:
    values = np.stack([case_scores(each, scores) for each in forecasts], axis=1)
    sums = values.sum(axis=2)
    finite = values if np.isfinite(sums).all() else np.where(np.isfinite(values), values, 0.0)
    zeros = [np.count_nonzero(each.of_truth(each.probabilities) == 0) for each in forecasts]
    return ScoreSums(sums, np.einsum("csn,crn->csr", finite, finite), np.array(zeros))
