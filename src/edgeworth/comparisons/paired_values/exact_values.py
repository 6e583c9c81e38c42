"""Values as whole numbers, so that a tie is a tie: 1/3 + 1/6 and 1/2 differ as floats.

A p-value counts outcomes *at least* as extreme as the one seen, and with per-query values many outcomes are
exactly as extreme. Whether they are is decided in whole numbers, in one of three ways:

* fractions and whole numbers are taken as they are, over their common denominator;
* floats that all lie within rounding of fractions with a small common denominator (precision at 10, decimals
  in a file) are taken to be those fractions;
* other floats are rounded to a fine grid, and ``slack`` is the largest error of a value in steps of the grid.
  Values that are nearer than that count as tied, which can only make a p-value larger.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.core.test_results import SMALLEST_FLOAT
from edgeworth.errors import InputError

NumbersToCompare: TypeAlias = (
    Sequence[float]
    | Sequence[Fraction]
    | Sequence[int | float | Fraction]
    | NDArray[np.float64]
    | NDArray[np.int64]
    | NDArray[np.object_]
)
"""Numbers, whole numbers or fractions, one per unit."""

ClusterNames: TypeAlias = (
    Sequence[Hashable] | NDArray[np.int64] | NDArray[np.intp] | NDArray[np.str_] | NDArray[np.object_]
)
"""The cluster of each unit."""

RELATIVE_ROUNDING = 2.0**-44
"""How far a computed value may be off, relative to the largest: 512 units in the last place, some 6e-14."""

GRID_BITS = 52
"""The magnitudes together span at most 2^52 steps of the grid: sums of them stay exact in 64 bits."""

MAX_SUM_OF_MAGNITUDES = 1 << 62
"""Sums of magnitudes below this fit into 64 bits."""

MAX_DENOMINATOR = 10_000
MAX_COMMON_DENOMINATOR = 1_000_000
"""Of the fractions that floats are read as, where values are about 1; less where they are so large that many
floats lie within rounding of such a fraction by accident."""

MAX_ACCIDENT_RATE = 2.0**-10
"""How rare that accident must be."""


@dataclass(frozen=True, eq=False)
class Scaled:
    """Whole multiples of one unit, each with an error of at most ``slack``; ``rule`` is how they were read.

    They are 64-bit integers, or Python's own if those might overflow.
    """

    numbers: NDArray[np.int64] | NDArray[np.object_]
    slack: int = 0
    rule: str = ""

    @classmethod
    def of(cls, numbers: Iterable[int], slack: int = 0, rule: str = "") -> Self:
        """Make scaled values from whole numbers of any size."""
        held = list(numbers)
        is_small = sum(abs(x) for x in held) < MAX_SUM_OF_MAGNITUDES
        return cls(np.array(held, dtype=np.int64 if is_small else object), slack, rule)

    @property
    def total(self) -> int:
        """The sum; 0 if it is within its error of 0."""
        total = int(self.numbers.sum())
        return 0 if abs(total) <= self.slack * len(self.numbers) else total

    @property
    def signs(self) -> NDArray[np.int64]:
        """1, -1, or 0 for a number within its error of 0."""
        above, below = self.numbers > self.slack, self.numbers < -self.slack
        return np.asarray(above.astype(np.int64) - below.astype(np.int64))

    def without_zeros(self) -> Self:
        """Keep the numbers that are not 0."""
        return replace(self, numbers=self.numbers[self.signs != 0])


NEAR_TIES = "sums that cannot be told apart after rounding count as ties"


def scale_values(values: NumbersToCompare, *, size: float | None = None) -> Scaled:
    """Scale values to whole numbers; ``size`` is the largest value behind them, if they are differences.

    >>> scale_values([0.3 - 0.1, 0.5, -0.1]).numbers.tolist()
    [2, 5, -1]
    >>> scale_values([Fraction(1, 3), 1]).numbers.tolist()
    [1, 3]
    """
    if isinstance(values, np.ndarray) and values.dtype.kind == "f":
        floats = values.astype(np.float64)
    else:
        given = list(values.tolist()) if isinstance(values, np.ndarray) else list(values)
        if all(isinstance(value, (int, Fraction)) for value in given):
            return _over_common_denominator([Fraction(value) for value in given])
        floats = np.array([float(value) for value in given])
    if not np.isfinite(floats).all():
        raise InputError(f"values to compare must be finite numbers; saw {floats[~np.isfinite(floats)][0]}")
    largest = float(np.abs(floats).max(initial=0.0))
    if largest == 0:
        return Scaled(np.zeros(len(floats), dtype=np.int64))
    tolerance = max(RELATIVE_ROUNDING * max(largest / 2, abs(size or largest)), SMALLEST_FLOAT)
    fractions = _read_as_fractions(floats, tolerance)
    if fractions is None:
        return _on_grid(floats, tolerance)
    return _over_common_denominator(fractions)


def scale_units(
    differences: NumbersToCompare,
    *,
    clusters: ClusterNames | None = None,
    size: float | None = None,
) -> Scaled:
    """Scale the differences of cases, or their sums over clusters, to whole numbers."""
    if clusters is None:
        return scale_values(differences, size=size)
    # As many roundings add up in a sum as it has members.
    members = max(Counter(clusters).values(), default=1)
    largest = max((abs(float(x)) for x in differences), default=0.0) if size is None else size
    return scale_values(cluster_sums(differences, clusters), size=members * largest)


def cluster_sums(values: NumbersToCompare, clusters: ClusterNames) -> list[int | float | Fraction]:
    """Sum the values of each cluster, in order of first appearance.

    >>> cluster_sums([1.0, 2.0, 4.0], ["b", "a", "b"])
    [5.0, 2.0]
    """
    if len(values) != len(clusters):
        raise InputError(f"each of {len(values):,} values needs a cluster; saw {len(clusters):,} clusters")
    members: dict[Hashable, list[int | float | Fraction]] = {}
    for value, cluster in zip(values, clusters, strict=True):
        members.setdefault(cluster, []).append(value)
    return [
        sum(held) if all(isinstance(x, (int, Fraction)) for x in held) else math.fsum(map(float, held))
        for held in members.values()
    ]


def _over_common_denominator(fractions: list[Fraction]) -> Scaled:
    common = math.lcm(*(fraction.denominator for fraction in fractions))
    numbers = (fraction.numerator * (common // fraction.denominator) for fraction in fractions)
    return Scaled.of(numbers, 0, "ties decided as fractions")


def _read_as_fractions(floats: NDArray[np.float64], tolerance: float) -> list[Fraction] | None:
    """Find the simple fractions that floats are the rounded values of; None unless all are."""
    rare = MAX_ACCIDENT_RATE / max(tolerance, 1e-300)
    limit, most = int(min(MAX_DENOMINATOR, math.sqrt(rare))), min(MAX_COMMON_DENOMINATOR, rare)
    if limit < 1:
        return None
    distinct, positions = np.unique(floats, return_inverse=True)
    fractions, common = [], 1
    for value in distinct.tolist():
        exact = Fraction(value)
        fraction = exact.limit_denominator(limit)
        common = math.lcm(common, fraction.denominator)
        if abs(fraction - exact) > tolerance or common > most:
            return None
        fractions.append(fraction)
    return [fractions[position] for position in positions.tolist()]


def _on_grid(floats: NDArray[np.float64], tolerance: float) -> Scaled:
    """Round to steps of 2^-k, of which all magnitudes added together span at most 2^52."""
    # The largest is less than 2^exponent, and there are fewer than 2^bit_length.
    exponent = math.frexp(float(np.abs(floats).max()))[1]
    shift = GRID_BITS - exponent - len(floats).bit_length()
    steps = np.rint(np.ldexp(floats, shift)).astype(np.int64)
    # Half a step is lost to the grid, the rest was lost before.
    slack = math.ceil(math.ldexp(tolerance, shift) + 0.5)
    return Scaled(steps, slack, NEAR_TIES)
