"""Calibration: how often each class came true at each forecast value, in memory that may be bounded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats, Numbers, freeze
from edgeworth.common.json_types import JsonObject
from edgeworth.core.labels import find_label, label_facts, list_labels
from edgeworth.core.serialization import (
    AMOUNTS,
    FLAG,
    FLOAT,
    LABELS,
    NUMBERS,
    Serializable,
    object_of,
    optional,
    tuple_of,
)
from edgeworth.errors import MergeError, OptionError
from edgeworth.forecasts.clusters import ForecastClusters, add_clusters
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.kind import CALIBRATION
from edgeworth.sources.alignment import aligned
from edgeworth.sources.columns import Label


@dataclass(frozen=True, eq=False)
class Reliability(Serializable):
    """One class: at each forecast value, how many cases there were and in how many it came true.

    With sampling weights w, ``cases`` and ``hits`` are sums of weights. The rows of ``moments`` are then Σw²
    of cases in which the class came true, Σw² of the others, and Σw⁴ of both.
    """

    FIELDS: ClassVar = {
        "values": AMOUNTS,
        "cases": NUMBERS,
        "hits": NUMBERS,
        "moments": replace(optional(AMOUNTS), is_brief=True, default=None),
    }

    values: Floats
    cases: Numbers
    hits: Numbers
    moments: Floats | None = None

    def __post_init__(self) -> None:
        freeze(self.values, self.cases, self.hits, self.moments)

    @classmethod
    def of(
        cls,
        values: Floats,
        came_true: NDArray[np.bool_],
        step: float | None = None,
        weights: Floats | None = None,
    ) -> Self:
        """Count a batch; with a step, forecasts are rounded to the nearest multiple of it."""
        if step is not None:
            # Dividing gives the float nearest to k/n, where multiplying by the step drifts.
            values = np.round(values * steps_to_one(step)) / steps_to_one(step)
        # Sorted once, with what came true beside; adding 0 makes −0 into 0.
        order = np.argsort(values)
        values, came_true = values[order], np.asarray(came_true)[order]
        values += 0.0
        starts = _starts(values)
        if weights is not None:
            weights = weights[order]
            both = np.stack([np.where(came_true, weights, 0.0), np.where(came_true, 0.0, weights)])
            sums = np.add.reduceat(both, starts, axis=1)
            moments = np.add.reduceat(np.concatenate([both**2, both**4]), starts, axis=1)
            return cls(values[starts], sums.sum(axis=0), sums[0], moments)
        del order
        if len(starts) == len(values):
            return cls(values, np.ones(len(values), dtype=np.int64), came_true.astype(np.int64))
        cases = np.diff(np.append(starts, len(values)))
        return cls(values[starts], cases, np.add.reduceat(came_true, starts, dtype=np.int64))

    def __add__(self, other: Self) -> Self:
        """Add the cases of both."""
        if not isinstance(other, Reliability):
            return NotImplemented
        if not len(self.values) or not len(other.values):
            return self if len(self.values) else other
        values = np.concatenate([self.values, other.values])
        # A stable sort finds the two ascending runs and merges them.
        order = np.argsort(values, kind="stable")
        values = values[order]
        starts = _starts(values)
        cases, hits = (
            np.add.reduceat(np.concatenate(both)[order], starts)
            for both in ((self.cases, other.cases), (self.hits, other.hits))
        )
        moments = None
        if self.moments is not None and other.moments is not None:
            joined = np.concatenate([self.moments, other.moments], axis=1)[:, order]
            moments = np.add.reduceat(joined, starts, axis=1)
        return type(self)(values[starts], cases, hits, moments)

    def mirror(self) -> Self:
        """Return the complementary event: its probability is 1 − p, and it came true if this one did not."""
        return replace(
            self,
            values=np.ascontiguousarray((1 - self.values)[::-1]),
            cases=self.cases[::-1].copy(),
            hits=(self.cases - self.hits)[::-1],
            moments=None if self.moments is None else self.moments[[1, 0, 3, 2], ::-1],
        )

    def select(self, chosen: NDArray[np.bool_]) -> Reliability:
        """Return the cases with some of the forecast values."""
        moments = None if self.moments is None else self.moments[:, chosen]
        return Reliability(self.values[chosen], self.cases[chosen], self.hits[chosen], moments)

    @property
    def squares(self) -> Floats | None:
        """Return Σw² of cases in which the class came true, and of the others; None without weights."""
        return None if self.moments is None else self.moments[:2]

    @property
    def effective_cases(self) -> Floats:
        """Return the number of cases at each value, or Kish's effective number of weighted ones."""
        if self.squares is None:
            return self.cases.astype(np.float64)
        return np.asarray(self.cases**2 / self.squares.sum(axis=0))

    def together(self, starts: NDArray[np.intp]) -> Self:
        """Merge the values from each start to the next into their mean."""
        cases, hits = (np.add.reduceat(counts, starts) for counts in (self.cases, self.hits))
        means = np.add.reduceat(self.values * self.cases, starts) / cases
        # A mean may be rounded beyond the values it is of.
        lasts = np.append(starts[1:], len(self.values)) - 1
        moments = None if self.moments is None else np.add.reduceat(self.moments, starts, axis=1)
        return type(self)(np.clip(means, self.values[starts], self.values[lasts]), cases, hits, moments)

    @classmethod
    def _of_fields(cls, fields: JsonObject) -> Self:
        weighted = {} if fields["moments"] is None else {"moments": fields["moments"].reshape(4, -1)}
        # Sums of weights that happen to be whole are sums of weights all the same.
        weighted |= {name: fields[name].astype(np.float64) for name in ("cases", "hits") if weighted}
        return cls(**fields | weighted)

    rule: ClassVar = "there are ascending values up to 1, cases at each of them, and no more hits than cases"

    def _fits_together(self) -> bool:
        """Check the rule."""
        return (
            self.values.ndim == 1
            and self.values.shape == self.cases.shape == self.hits.shape
            and bool(np.all(self.hits <= self.cases) and np.all(self.cases > 0))
            and bool(np.all(np.diff(self.values) > 0) and np.all(self.values <= 1))
            and (self.cases.dtype.kind == self.hits.dtype.kind == "i" if self.moments is None else True)
            and (self.moments is None or self.moments.shape == (4, len(self.values)))
        )


def _starts(values: Floats | NDArray[np.int64]) -> NDArray[np.intp]:
    """Find where each of some ascending values comes first."""
    return np.flatnonzero(np.append(True, values[1:] != values[:-1])[: len(values)])


@dataclass(frozen=True, eq=False)
class Calibration(Serializable):
    """Forecast probabilities beside what happened, class by class.

    Attributes
    ----------
    labels : tuple
        The classes.
    curves : tuple of Reliability
        For each class: the forecast values, how many cases had each, and in how many the class came true.
    step : float, optional
        The step to which forecasts are rounded, which bounds the memory. A forecast rounded to 0 has an
        infinite log score if its class comes true, so use steps for Brier scores.

    Examples
    --------
    >>> calibration = Calibration.from_probabilities([1, 0, 1, 1], [0.8, 0.3, 0.8, 0.3])
    >>> calibration.labels, calibration.cases
    ((0, 1), 4)
    """

    kind: ClassVar = CALIBRATION
    name_in_files: ClassVar = CALIBRATION.name
    FIELDS: ClassVar = {"labels": LABELS, "step": optional(FLOAT), "curves": tuple_of(object_of(Reliability))}

    labels: tuple[Label, ...]
    curves: tuple[Reliability, ...]
    step: float | None = None
    clusters: ForecastClusters | None = field(default=None, repr=False)
    """The same cases by cluster; not part of files, because the whole tally of forecasts keeps it."""

    @classmethod
    def empty(cls) -> Self:
        """Make the tally of no cases.

        :meta private:
        """
        return cls((), ())

    @property
    def needs_robust_laws(self) -> bool:
        """Return whether rows are weighted or come in clusters, so that outcomes cannot be drawn.

        :meta private:
        """
        is_weighted = any(curve.squares is not None for curve in self.curves)
        return is_weighted or self.clusters is not None

    @classmethod
    @aligned
    def from_probabilities(
        cls,
        truth: object,
        probabilities: object,
        *,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
        normalise: bool = False,
        step: float | None = None,
    ) -> Self:
        """Count forecasts of each class against what happened.

        Parameters
        ----------
        truth : array_like, (n,)
            The class that came true in each case.
        probabilities : array_like, (n,) or (n, K)
            The probabilities of the positive class, or of each class.
        labels : sequence, optional
            The class of each column.
        positive : label, optional
            The class of a single column.
        normalise : bool
            Whether to divide each row by its sum.
        step : float, optional
            Round forecasts to multiples of this; by default every value is kept.

        Returns
        -------
        Calibration
            The counts.

        Examples
        --------
        >>> calibration = Calibration.from_probabilities([1, 0, 1, 1], [0.8, 0.3, 0.8, 0.3])
        >>> calibration.curve(1).hits.tolist()
        [1, 2]
        """
        forecasts = Forecasts.of(truth, probabilities, labels=labels, positive=positive, normalise=normalise)
        return cls.from_forecasts(forecasts, step=step)

    @classmethod
    def from_forecasts(cls, forecasts: Forecasts, *, step: float | None = None) -> Self:
        """Count checked forecasts.

        :meta private:
        """
        if step is not None:
            steps_to_one(step)
        curves = tuple(
            Reliability.of(
                forecasts.probabilities[:, index], forecasts.codes == index, step, forecasts.weights
            )
            for index in range(forecasts.size)
        )
        return cls(forecasts.labels, curves, step)

    @property
    def cases(self) -> int:
        """The number of cases, or the effective number of weighted ones, rounded."""
        if not self.curves:
            return 0
        curve = self.curves[0]
        total = float(curve.cases.sum())
        return round(total if curve.squares is None else total**2 / float(curve.squares.sum()))

    @property
    def _total(self) -> float:
        return float(self.curves[0].cases.sum()) if self.curves else 0.0

    def curve(self, label: Label) -> Reliability:
        """Return the curve of one class.

        Parameters
        ----------
        label : label
            The class.

        Returns
        -------
        Reliability
            ``values``, ``cases`` and ``hits`` at each forecast value.

        Examples
        --------
        >>> Calibration.from_probabilities([1, 0, 1, 1], [0.8, 0.3, 0.8, 0.3]).curve(1).values.tolist()
        [0.3, 0.8]
        """
        return self.curves[find_label(label, self.labels)]

    def __add__(self, other: Self) -> Self:
        """Add the cases of both."""
        if not isinstance(other, Calibration):
            return NotImplemented
        if not self.labels or not other.labels:
            return self if self.labels else other
        if self.labels != other.labels or self.step != other.step:
            raise MergeError(
                f"calibration of {list_labels(self.labels)} on steps of {self.step} cannot be added to "
                f"that of {list_labels(other.labels)} on steps of {other.step}"
            )
        curves = tuple(
            own_curve + other_curve for own_curve, other_curve in zip(self.curves, other.curves, strict=True)
        )
        return replace(self, curves=curves, clusters=add_clusters(self.clusters, other.clusters))

    rule: ClassVar = "every class was forecast in every case, and one of them came true"

    def _fits_together(self) -> bool:
        """Check the rule."""
        if self.step is not None:
            steps_to_one(self.step)
        return (
            len(self.curves) == len(set(self.labels)) == len(self.labels)
            and all(np.isclose(curve.cases.sum(), self._total, rtol=1e-9) for curve in self.curves)
            and bool(np.isclose(sum(curve.hits.sum() for curve in self.curves), self._total, rtol=1e-9))
        )

    def __repr__(self) -> str:
        return f"<Calibration: {self.cases:,} cases, {len(self.labels)} classes>"

    def facts(self) -> JsonObject:
        """List what was counted.

        :meta private:
        """
        return {"cases": self.cases} | label_facts(self.labels)


def steps_to_one(step: float) -> int:
    """Count the steps from 0 to 1.

    >>> steps_to_one(0.05)
    20
    """
    number = round(1 / step) if isinstance(step, (int, float)) and 1e-9 <= step <= 0.5 else 0
    if not number or abs(number * step - 1) > 1e-9:
        raise OptionError(f"the step must be 1 divided by a whole number of at least 2; saw {step!r}")
    return number


MAX_DISTINCT_FORECASTS = 1 << 20
"""The most distinct forecasts that are kept: all those with six decimals."""

CELLS_PER_DOUBLING = 1 << 12
"""Cells from p to 2p, and from 1 − p to 1 − 2p: neighbours in a cell differ by less than 1/4096 of p."""

SMALLEST_CELL_FORECAST = 2.0**-60
"""Forecasts below it share a cell."""

_SHIFT = 52 - 12
_BASE = int(np.float64(SMALLEST_CELL_FORECAST).view(np.int64)) >> _SHIFT
_HALF = (int(np.float64(0.5).view(np.int64)) >> _SHIFT) - _BASE + 1
CELLS = 2 * _HALF + 1
"""Cells from 0 to 1, which have cells of their own."""

ROUNDED = (
    "There are more than {most:,} different forecasts of {classes}. To compute their calibration, "
    "forecasts within 1/{cells:,} of p (or of 1 − p, if that is smaller) were merged at their mean."
)


@dataclass(frozen=True, eq=False)
class BoundedReliability(Reliability):
    """One class: how many cases there were at each forecast, or each cell of them, and how many came true."""

    FIELDS: ClassVar = {"is_rounded": FLAG, **Reliability.FIELDS}

    is_rounded: bool = False

    @classmethod
    def of(
        cls,
        values: Floats,
        came_true: NDArray[np.bool_],
        step: float | None = None,
        weights: Floats | None = None,
    ) -> Self:
        """Count forecasts of a class, and whether it came true.

        >>> result = BoundedReliability.of(np.array([0.2, 0.7, 0.2]), np.array([True, True, False]))
        >>> result.values.tolist(), result.hits.tolist()
        ([0.2, 0.7], [1, 1])
        """
        return super().of(values, came_true, step, weights)._round(is_rounded=False)

    def __add__(self, other: Self) -> Self:
        """Add the cases of both."""
        if not isinstance(other, BoundedReliability):
            return NotImplemented
        return super().__add__(other)._round(is_rounded=self.is_rounded or other.is_rounded)

    def _round(self, *, is_rounded: bool) -> Self:
        """Take the forecasts of a cell together if there are too many, or if some were before."""
        if not is_rounded and len(self.values) <= MAX_DISTINCT_FORECASTS:
            return self
        return replace(self.together(_starts(cells_of(self.values))), is_rounded=True)

    rule: ClassVar = "there is one value in each cell, or not too many of them"

    def _fits_together(self) -> bool:
        """Check the rule."""
        most = len(np.unique(cells_of(self.values))) if self.is_rounded else MAX_DISTINCT_FORECASTS
        return super()._fits_together() and len(self.values) <= most


def cells_of(values: Floats) -> NDArray[np.int64]:
    """Compute the ascending cell of each forecast: the leading 12 binary digits of p, or of 1 − p above ½.

    0.3 is 1.2 · 2⁻², 58 doublings above 2⁻⁶⁰ and 0.2 · 4096 cells further.

    >>> cells_of(np.array([0.0, 0.3, 0.3 + 1e-6, 0.3 + 1e-3])).tolist(), 1 + 58 * 4096 + int(0.2 * 4096)
    ([0, 238388, 238388, 238404], 238388)
    """
    small = np.minimum(values, 1 - values)
    cells = small.view(np.int64) >> _SHIFT
    cells -= _BASE
    np.maximum(cells, 0, out=cells)
    cells += 1
    cells[small == 0] = 0
    return np.where(values > 0.5, CELLS - 1 - cells, cells)
