"""The distinct games that a bettor played: what the exact law of wealth is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from edgeworth.errors import InputError
from edgeworth.tallies.joint import Floats, Integers
from edgeworth.tallies.threads import row_blocks
from edgeworth.tallies.wealth_serial import floats_from_json, plain_table

MOST_STEPS = 4096
"""Distinct games kept for the exact law; with more of them the law is approximated."""


@dataclass(frozen=True, eq=False)
class Games:
    """The distinct games that were played, and how often: probabilities, prices and log factors (n, K)."""

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

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "probabilities": self.probabilities.tolist(),
            "prices": self.prices.tolist(),
            "log_factors": plain_table(self.log_factors),
            "counts": self.counts.tolist(),
        }


def games_from_dict(payload: Any, size: int) -> Games | None:
    """The games that ``to_dict`` described."""
    if payload is None:
        return None
    names = ("probabilities", "prices", "log_factors", "counts")
    tables = [floats_from_json(payload, name) for name in names] if isinstance(payload, dict) else []
    number = len(tables[-1]) if tables else -1
    if not tables or any(table.shape != (number, size) for table in tables[:3]):
        raise InputError("the games of a tally have a row each and a column a class")
    return Games(tables[0], tables[1], tables[2], tables[3].astype(np.int64))
