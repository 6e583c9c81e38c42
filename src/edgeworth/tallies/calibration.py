"""Calibration: how often each class came true at each forecast value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from edgeworth.errors import InputError, MergeError, OptionError
from edgeworth.sources.columns import Label
from edgeworth.tallies.forecast_columns import Forecasts
from edgeworth.tallies.joint import Floats, Numbers
from edgeworth.tallies.labels import find, listed
from edgeworth.tallies.matrices import same_array
from edgeworth.tallies.serial import labels_from_json, labels_to_json, numbers_from_json, payload_field
from edgeworth.tallies.shown import Shown


@dataclass(frozen=True, eq=False)
class Reliability:
    """One class: at each forecast value, how many cases there were and in how many it came true."""

    values: Floats
    cases: Numbers
    hits: Numbers

    def __post_init__(self) -> None:
        for array in (self.values, self.cases, self.hits):
            array.setflags(write=False)

    @classmethod
    def of(cls, values: Floats, came_true: Any, step: float | None) -> Self:
        """Count a batch; with a step, forecasts are rounded to the nearest multiple of it."""
        if step is not None:
            # Dividing gives the float nearest to k/n, where multiplying by the step drifts.
            values = np.round(values * steps_to_one(step)) / steps_to_one(step)
        # Sorted once, with what came true beside; adding 0 makes −0 into 0.
        order = np.argsort(values)
        values, came_true = values[order], np.asarray(came_true)[order]
        values += 0.0
        del order
        is_first = np.ones(len(values), dtype=bool)
        is_first[1:] = values[1:] != values[:-1]
        if is_first.all():
            return cls(values, np.ones(len(values), dtype=np.int64), came_true.astype(np.int64))
        starts = np.flatnonzero(is_first)
        cases = np.diff(np.append(starts, len(values)))
        return cls(values[starts], cases, np.add.reduceat(came_true, starts, dtype=np.int64))

    def __add__(self, other: Self) -> Self:
        """All cases of both."""
        if not isinstance(other, Reliability):
            return NotImplemented
        if not len(self.values) or not len(other.values):
            return self if len(self.values) else other
        values = np.concatenate([self.values, other.values])
        # A stable sort finds the two ascending runs and merges them.
        order = np.argsort(values, kind="stable")
        values = values[order]
        is_first = np.ones(len(values), dtype=bool)
        is_first[1:] = values[1:] != values[:-1]
        starts = np.flatnonzero(is_first)
        cases, hits = (
            np.add.reduceat(np.concatenate(both)[order], starts)
            for both in ((self.cases, other.cases), (self.hits, other.hits))
        )
        return type(self)(values[starts], cases, hits)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reliability):
            return NotImplemented
        mine, its = (self.values, self.cases, self.hits), (other.values, other.cases, other.hits)
        return all(same_array(left, right) for left, right in zip(mine, its, strict=True))

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal by value, not hashable


@dataclass(frozen=True, eq=False)
class Calibration(Shown):
    """What forecasts said beside what happened, class by class.

    ``step`` rounds forecasts to multiples of it, which bounds the memory; without it every value is kept.
    Rounded to 0, a forecast's log score is infinite when its class comes true: use steps for Brier scores.
    """

    labels: tuple[Label, ...]
    curves: tuple[Reliability, ...]
    step: float | None = None

    @classmethod
    def empty(cls) -> Self:
        """No cases."""
        return cls((), ())

    @classmethod
    def from_probabilities(
        cls,
        truth: Any,
        probabilities: Any,
        *,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
        normalise: bool = False,
        step: float | None = None,
    ) -> Self:
        """Count forecasts of each class against what happened.

        >>> found = Calibration.from_probabilities([1, 0, 1, 1], [0.8, 0.3, 0.8, 0.3])
        >>> found.curve(1).hits.tolist()
        [1, 2]
        """
        forecasts = Forecasts.of(truth, probabilities, labels=labels, positive=positive, normalise=normalise)
        return cls.from_forecasts(forecasts, step=step)

    @classmethod
    def from_forecasts(cls, forecasts: Forecasts, *, step: float | None = None) -> Self:
        """Count checked forecasts."""
        if step is not None:
            steps_to_one(step)
        curves = tuple(
            Reliability.of(forecasts.probabilities[:, place], forecasts.codes == place, step)
            for place in range(forecasts.size)
        )
        return cls(forecasts.labels, curves, step)

    @property
    def cases(self) -> int:
        """How many cases there are."""
        return int(self.curves[0].cases.sum()) if self.curves else 0

    def curve(self, label: Any) -> Reliability:
        """One class."""
        return self.curves[find(label, self.labels)]

    def __add__(self, other: Self) -> Self:
        """All cases of both."""
        if not isinstance(other, Calibration):
            return NotImplemented
        if not self.labels or not other.labels:
            return self if self.labels else other
        if self.labels != other.labels or self.step != other.step:
            raise MergeError(
                f"calibration of {listed(self.labels)} on steps of {self.step} does not add to "
                f"{listed(other.labels)} on steps of {other.step}"
            )
        curves = tuple(mine + its for mine, its in zip(self.curves, other.curves, strict=True))
        return replace(self, curves=curves)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "kind": "calibration",
            "labels": labels_to_json(self.labels),
            "step": self.step,
            "curves": [curve_to_dict(curve) for curve in self.curves],
        }

    @classmethod
    def from_dict(cls, payload: dict[str, Any]) -> Self:
        """The calibration that ``to_dict`` described."""
        if payload.get("kind") != "calibration":
            raise InputError("a tally of this kind is calibration")
        labels = labels_from_json(payload_field(payload, "labels", list))
        curves = tuple(curve_from_dict(part) for part in payload_field(payload, "curves", list))
        step = payload.get("step")
        if step is not None:
            step = payload_field(payload, "step", float)
            try:
                steps_to_one(step)
            except OptionError as error:
                raise InputError(str(error)) from None
        if len(curves) != len(labels) or len(set(labels)) < len(labels):
            raise InputError("the parts of a tally do not fit together")
        found = cls(labels, curves, step)
        # Every class was forecast in every case, and one of them came true.
        if any(curve.cases.sum() != found.cases for curve in curves) or found.cases != sum(
            int(curve.hits.sum()) for curve in curves
        ):
            raise InputError("the parts of a tally do not fit together")
        return found

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Calibration):
            return NotImplemented
        return (self.labels, self.step, self.curves) == (other.labels, other.step, other.curves)

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal by value, not hashable

    def __repr__(self) -> str:
        return f"<Calibration: {self.cases:,} cases, {len(self.labels)} classes>"


def steps_to_one(step: float) -> int:
    """How many steps there are from 0 to 1.

    >>> steps_to_one(0.05)
    20
    """
    number = round(1 / step) if isinstance(step, (int, float)) and 1e-9 <= step <= 0.5 else 0
    if not number or abs(number * step - 1) > 1e-9:
        raise OptionError(
            f"forecasts are rounded to a step of which a whole number, 2 at least, make 1; saw {step!r}"
        )
    return number


def curve_to_dict(curve: Reliability) -> dict[str, Any]:
    """One class as plain values for JSON."""
    return {name: getattr(curve, name).tolist() for name in ("values", "cases", "hits")}


def curve_from_dict(part: Any) -> Reliability:
    """The class that ``curve_to_dict`` described."""
    if not isinstance(part, Mapping):
        raise InputError(f"a reliability curve of a tally has values, cases and hits; saw {part!r}")
    values, cases, hits = (
        numbers_from_json(payload_field(dict(part), name, list), name) for name in ("values", "cases", "hits")
    )
    fits = values.ndim == 1 and values.shape == cases.shape == hits.shape
    fits = fits and cases.dtype.kind == hits.dtype.kind == "i"
    if not fits or np.any(hits > cases) or np.any(cases < 1):
        raise InputError("a reliability curve has cases at each value, and no more hits than cases")
    if np.any(np.diff(values) <= 0) or np.any(values > 1):
        raise InputError("a reliability curve has ascending values between 0 and 1")
    return Reliability(values.astype(np.float64), cases, hits)
