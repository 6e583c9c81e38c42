"""What a measure sees of a table. Every view works on one table or on a stack of them (leading axes).

The fields may be complex: the delta method differentiates a measure by an imaginary step, so functions of a
view use only +, −, ×, ÷, roots and logarithms, and compare real parts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgeworth.arrays import Values, difference


@dataclass(frozen=True)
class LabelView:
    """One label against the rest: hits, times predicted, times real, all cases."""

    hits: Values
    predicted: Values
    real: Values
    total: Values

    @property
    def false_alarms(self) -> Values:
        """Predicted but not real."""
        return difference(self.predicted, self.hits, self.predicted)

    @property
    def misses(self) -> Values:
        """Real but not predicted."""
        return difference(self.real, self.hits, self.real)

    @property
    def rejections(self) -> Values:
        """Neither predicted nor real."""
        return difference(self.not_real, self.predicted - self.hits, self.total)

    @property
    def not_real(self) -> Values:
        """Cases of other classes."""
        return difference(self.total, self.real, self.total)

    @property
    def not_predicted(self) -> Values:
        """Predictions of other labels."""
        return difference(self.total, self.predicted, self.total)


@dataclass(frozen=True)
class Marginals:
    """The diagonal and the margins of a table, one entry a label along the last axis."""

    hits: Values
    predicted: Values
    real: Values
    abstained: Values

    @property
    def total(self) -> Values:
        """Cases decided."""
        return np.asarray(self.real.sum(axis=-1))

    def by_label(self) -> LabelView:
        """Each label against the rest."""
        return LabelView(self.hits, self.predicted, self.real, self.total[..., None])


def marginals(cells: Values) -> Marginals:
    """The view of cells (…, K+1, K), whose last row holds the abstentions."""
    cells = as_floats(cells)
    counts = cells[..., :-1, :]
    return Marginals(
        np.diagonal(counts, axis1=-2, axis2=-1), counts.sum(axis=-1), counts.sum(axis=-2), cells[..., -1, :]
    )


def as_floats(cells: Values) -> Values:
    """Integers as floats: products of four margins of a large table would overflow."""
    return cells.astype(np.float64) if cells.dtype.kind == "i" else cells
