"""Intervals for a running mean that hold at all times at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.arrays import Floats
from edgeworth.errors import InputError, OptionError

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class SequencePoint:
    """A confidence sequence after some cases."""

    cases: int
    mean: float
    low: float
    high: float
    V: float


@dataclass(frozen=True, eq=False)
class ConfidenceSequence:
    """Mean and bounds after ``cases`` cases, an array each; with the level's probability all hold at once.

    The estimand moves: after t cases it is the average of the first t conditional means. Intervals of
    different times are about different numbers, so they are not to be intersected. nan is where nothing is
    said.
    """

    cases: Counts
    mean: Floats
    low: Floats
    high: Floats
    V: Floats
    level: float
    method: str

    def __len__(self) -> int:
        return len(self.cases)

    def at(self, cases: int) -> SequencePoint:
        """The interval after this many cases.

        >>> sequence = ConfidenceSequence(
        ...     np.array([1, 2]), np.zeros(2), -np.ones(2), np.ones(2), np.ones(2), 0.95, "made up"
        ... )
        >>> sequence.at(2)
        SequencePoint(cases=2, mean=0.0, low=-1.0, high=1.0, V=1.0)
        """
        place = int(np.searchsorted(self.cases, cases))
        if place == len(self.cases) or self.cases[place] != cases:
            ends = "none" if not len(self.cases) else f"{int(self.cases[0])} to {int(self.cases[-1])}"
            raise OptionError(
                f"the sequence says nothing after {cases!r} cases; it has {len(self.cases)} times, {ends}"
            )
        return SequencePoint(
            int(self.cases[place]),
            float(self.mean[place]),
            float(self.low[place]),
            float(self.high[place]),
            float(self.V[place]),
        )

    @property
    def last(self) -> SequencePoint:
        """The interval after all cases."""
        if not len(self.cases):
            raise InputError("a sequence without cases has no last interval")
        return self.at(int(self.cases[-1]))


@dataclass(frozen=True, eq=False)
class BlockSums:
    """Cases in order, cut into blocks: how many, Σd and Σd² of each. Blocks of two sets join by appending.

    >>> BlockSums.of(np.array([0.5, -0.5, 1.0]), size=2)
    BlockSums(counts=array([2, 1]), sums=array([0., 1.]), squares=array([0.5, 1. ]))
    """

    counts: Counts
    sums: Floats
    squares: Floats

    def __post_init__(self) -> None:
        """Three arrays of one length, no block empty."""
        object.__setattr__(self, "counts", np.asarray(self.counts, np.int64))
        object.__setattr__(self, "sums", np.asarray(self.sums, float))
        object.__setattr__(self, "squares", np.asarray(self.squares, float))
        if not self.counts.shape == self.sums.shape == self.squares.shape or self.counts.ndim != 1:
            raise InputError(
                "blocks are given by three lists of one length: counts, sums and sums of squares"
            )
        if (self.counts < 1).any():
            raise InputError("a block has at least one case; leave empty blocks out")
        if not (np.isfinite(self.sums).all() and np.isfinite(self.squares).all()):
            raise InputError("sums of differences are finite numbers; an infinite score has no mean")

    @classmethod
    def of(cls, differences: ArrayLike, *, size: int) -> BlockSums:
        """Cut into blocks of a size; the last may be shorter."""
        values = finite_differences(differences)
        if size < 1:
            raise OptionError(f"a block has at least one case; saw a size of {size!r}")
        starts = np.arange(0, len(values), size)
        if not len(starts):
            return cls(np.zeros(0, np.int64), np.zeros(0), np.zeros(0))
        counts = np.diff(np.append(starts, len(values)))
        return cls(counts, np.add.reduceat(values, starts), np.add.reduceat(values**2, starts))


def finite_differences(differences: ArrayLike) -> Floats:
    """One finite number a case."""
    values = np.asarray(differences, float)
    if values.ndim != 1:
        raise InputError(f"score differences are one number a case; saw an array of shape {values.shape}")
    if not np.isfinite(values).all():
        place = int((~np.isfinite(values)).argmax())
        raise InputError(
            f"the score difference of case {place + 1:,} is {float(values[place])!r}: a mean needs finite "
            "scores; a log score is infinite where a forecast gave 0 to what happened"
        )
    return values
