"""Where every case of a ranking stands, so that rankings of the same cases can be compared case by case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats


@dataclass(frozen=True)
class CaseStanding:
    """Where each case of a ranking stands among its ``steps``, the distinct scores of targets, best first.

    ``place`` is k for a target of step k, steps + k for background tied with it, and 2·steps + k for
    background in the gap before it (k = steps: below them all). Cases in one place are alike to measures.
    """

    place: NDArray[np.intp]
    steps: int

    @property
    def places(self) -> int:
        """How many places there are."""
        return 3 * self.steps + 1

    @classmethod
    def among(cls, target_scores: Floats, scores: Floats, targets: NDArray[np.bool_]) -> Self:
        """Cases searched into the scores that targets have (others may be in one of those gaps, or tied)."""
        levels = np.unique(target_scores)
        steps = len(levels)
        below = np.searchsorted(levels, scores)
        is_level = below < steps
        is_level[is_level] = levels[below[is_level]] == scores[is_level]
        place = np.where(is_level, 2 * steps - 1 - below, 3 * steps - below)
        place[targets] -= steps
        return cls(place, steps)
