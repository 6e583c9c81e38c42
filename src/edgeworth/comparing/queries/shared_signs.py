"""Random signs that all pairs of many systems share.

Flipping the sign of a unit's difference between two systems is flipping the sign of both values, so the
signed sum of a pair is that of the one system less that of the other: one product of a matrix of signs with
the table of values serves every pair. Each p-value is what draws of its own would give; that pairs share
them does not matter to any of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from edgeworth.arrays import Floats
from edgeworth.comparing.queries.exact_values import Scaled, scaled_table
from edgeworth.comparing.queries.permutation import exact_sign_flips
from edgeworth.comparing.randomisation.drawing import check_draws
from edgeworth.core.tails import Tail

AT_ONCE = 1 << 21
"""Signs held at once."""

MOST_UNITS = 30
"""Units whose sign choices are all gone through for one pair among many: some milliseconds."""

LARGEST = 1 << 52
"""Sums below this, and their doubles, are exact as floats."""


@dataclass(frozen=True, eq=False)
class SharedSigns:
    """Values of systems as whole numbers of one step (a row a unit), and how their signs are drawn.

    >>> shared = SharedSigns.of(np.array([[0.5, 0.4], [0.6, 0.5], [0.9, 0.7], [1.0, 0.8]]), draws=999)
    >>> shared.units(0, 1).numbers.tolist(), round(shared.drawn(0, 1).p_value, 1)
    ([1, 1, 2, 2], 0.1)
    """

    values: Scaled
    draws: int
    seed: int

    @classmethod
    def of(cls, values: Floats, *, draws: int, seed: int = 0) -> SharedSigns | None:
        """From a table of values; None where they need whole numbers that are too large."""
        check_draws(draws, seed)
        found = scaled_table(values)
        is_small = found.numbers.dtype != object and int(np.abs(found.numbers).sum(axis=0).max()) < LARGEST
        return cls(found, draws, seed) if is_small else None

    def units(self, first: int, second: int) -> Scaled:
        """The differences of two systems."""
        numbers = self.values.numbers
        return Scaled(numbers[:, first] - numbers[:, second], 2 * self.values.slack, self.values.rule)

    def tail(self, first: int, second: int, *, exact: bool) -> Tail:
        """The permutation test of two systems: counted, if that is asked for and can be, otherwise drawn."""
        found = exact_sign_flips(self.units(first, second), most_units=MOST_UNITS) if exact else None
        return self.drawn(first, second) if found is None else found

    def drawn(self, first: int, second: int) -> Tail:
        """(1 + count)/(1 + draws), choices of signs that give as much being counted."""
        units = self.units(first, second)
        # A flip changes the sum by twice a value, so rounding by at most 2 · slack a unit that differs.
        least = abs(int(units.numbers.sum())) - 2 * units.slack * int((units.signs != 0).sum())
        sums = np.abs(self._sums[:, first] - self._sums[:, second])
        count = int((sums >= least).sum())
        said = f"Monte Carlo, {self.draws:,} choices of signs, seed {self.seed}; {units.rule}"
        return replace(Tail.drawn(count, self.draws, self.seed), method=said)

    @cached_property
    def _sums(self) -> Floats:
        """The signed sum of each system (a column) in each draw: all whole numbers."""
        numbers = self.values.numbers.astype(np.float64)
        generator = np.random.default_rng(self.seed)
        rows = max(1, AT_ONCE // max(len(numbers), 1))
        parts = []
        for start in range(0, self.draws, rows):
            shape = (min(rows, self.draws - start), -(-len(numbers) // 8))
            bits = np.unpackbits(generator.integers(0, 256, size=shape, dtype=np.uint8), axis=1)
            heads = bits[:, : len(numbers)].astype(np.float64) @ numbers
            parts.append(2 * heads - numbers.sum(axis=0))
        return np.concatenate(parts)
