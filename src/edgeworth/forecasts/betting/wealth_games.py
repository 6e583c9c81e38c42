"""The distinct games that a bettor played: what the exact law of wealth is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from edgeworth.arrays import Floats, Integers
from edgeworth.core.plain import COUNTS, FLOATS, FLOATS_OR_NAN, Plain
from edgeworth.core.threads import row_blocks

MOST_STEPS = 4096
"""Distinct games kept for the exact law; with more of them the law is approximated."""


@dataclass(frozen=True, eq=False)
class Games(Plain):
    """The distinct games that were played, and how often: probabilities, prices and log factors (n, K)."""

    FIELDS: ClassVar = {
        "probabilities": FLOATS,
        "prices": FLOATS,
        "log_factors": FLOATS_OR_NAN,
        "counts": COUNTS,
    }

    probabilities: Floats
    prices: Floats
    log_factors: Floats
    counts: Integers

    def __add__(self, other: Self) -> Self | None:
        """Both; None when there are too many to keep."""
        return type(self).of(
            np.concatenate([self.probabilities, other.probabilities]),
            np.concatenate([self.prices, other.prices]),
            np.concatenate([self.log_factors, other.log_factors]),
            np.concatenate([self.counts, other.counts]),
        )

    @classmethod
    def of_pieces(
        cls, probabilities: Floats, prices: Floats, logs_of: Callable[[slice], Floats]
    ) -> Self | None:
        """Equal games counted together, a piece of the path at a time; None when there are too many."""
        total: Self | None = None
        for rows in row_blocks(len(probabilities), 2 * MOST_STEPS):
            counts = np.ones(len(probabilities[rows]), dtype=np.int64)
            part = cls.of(probabilities[rows], prices[rows], logs_of(rows), counts)
            total = part if total is None or part is None else total + part
            if total is None:
                return None
        return total

    @classmethod
    def of(cls, probabilities: Floats, prices: Floats, log_factors: Floats, counts: Integers) -> Self | None:
        """Equal games counted together; None when there are too many to keep."""
        size, tables = probabilities.shape[1], (probabilities, prices, log_factors)
        if len(counts) > 2 * MOST_STEPS:
            # A long path shows by its beginning that its games are too many, before all of them are copied.
            few = np.concatenate([table[: 2 * MOST_STEPS] for table in tables], axis=1)
            if len(np.unique(few, axis=0)) > MOST_STEPS:
                return None
        rows = np.concatenate(tables, axis=1)
        distinct, where = np.unique(rows, axis=0, return_inverse=True)
        if len(distinct) > MOST_STEPS:
            return None
        total = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(total, where.ravel(), counts)
        return cls(distinct[:, :size], distinct[:, size : 2 * size], distinct[:, 2 * size :], total)

    rule: ClassVar = "each game has a row, and each class a column"

    def _fits_together(self) -> bool:
        """Check the rule."""
        shape = (*self.counts.shape, self.probabilities.shape[-1])
        return self.probabilities.shape == self.prices.shape == self.log_factors.shape == shape
