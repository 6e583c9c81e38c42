"""Sorted scores of one class: what a ranking is made of."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError
from edgeworth.tallies.joint import Floats, Numbers
from edgeworth.tallies.matrices import same_array


@dataclass(frozen=True, eq=False)
class Run:
    """Scores of one class, lowest first.

    Without ``weight`` each score is one case, and equal scores stand side by side. With it each score occurs
    once and stands for a number of cases (integers), or for a sum of sampling weights (floats) with the sum
    of their squares beside it: cases with one score and one class are alike to every measure.
    """

    scores: Floats
    weight: Numbers | None = None
    square: Floats | None = None

    def __post_init__(self) -> None:
        for array in (self.scores, self.weight, self.square):
            if array is not None:
                array.setflags(write=False)

    @classmethod
    def empty(cls) -> Self:
        """No scores."""
        return cls(np.zeros(0))

    @classmethod
    def of(cls, scores: Floats, weights: NDArray[Any] | None = None, *, may_change: bool = False) -> Self:
        """Scores in any order, free of NaN. The array is copied, unless it may be sorted where it is."""
        if weights is None:
            ordered = scores if may_change else scores.copy()
            ordered.sort()
            ordered += 0.0  # -0.0 and 0.0 are one score, and print as one
            return cls(ordered)
        kept = weights > 0
        return cls(scores[kept], weights[kept], _squares(weights[kept])).gathered()

    def gathered(self) -> Self:
        """Each score once, with its cases or weights added up."""
        if not len(self.scores):
            return type(self).empty()
        weight = np.ones(len(self.scores), dtype=np.int64) if self.weight is None else self.weight
        values, where = np.unique(self.scores + 0.0, return_inverse=True)
        total = np.zeros(len(values), dtype=weight.dtype)
        np.add.at(total, where, weight)
        if self.square is None:
            return type(self)(values, total)
        square = np.zeros(len(values))
        np.add.at(square, where, self.square)
        return type(self)(values, total, square)

    def __add__(self, other: Self) -> Self:
        """Both sets of cases, in order."""
        if not len(self.scores) or not len(other.scores):
            return other if not len(self.scores) else self
        scores = np.concatenate([self.scores, other.scores])
        if self.weight is None and other.weight is None:
            # Two sorted runs: a stable sort recognises them and merges in one pass.
            return type(self)(np.sort(scores, kind="stable"))
        square = None
        if self.square is not None or other.square is not None:
            square = np.concatenate([_squares_of(self), _squares_of(other)])
        weight = np.concatenate([_weight_of(self), _weight_of(other)])
        return type(self)(scores, weight, square).gathered()

    @property
    def total(self) -> int | float:
        """Cases, or their weight."""
        if self.weight is None:
            return len(self.scores)
        return self.weight.sum().item()  # type: ignore[no-any-return]  # numpy's item is Any

    @property
    def is_counted(self) -> bool:
        """True when every score stands for whole cases."""
        return self.square is None

    def below(self, thresholds: Any, *, side: str = "left") -> Numbers:
        """Cases with a score below each threshold (``side="right"``: at most the threshold)."""
        where = np.searchsorted(self.scores, thresholds, side=side)  # type: ignore[call-overload]  # a str
        if self.weight is None:
            return np.asarray(where)
        return np.asarray(self._sums[where])

    @cached_property
    def _sums(self) -> Numbers:
        """Weight below each place."""
        assert self.weight is not None
        return np.concatenate([np.zeros(1, self.weight.dtype), np.cumsum(self.weight)])

    def at_least(self, threshold: float, *, with_equal: bool = True) -> tuple[int | float, float]:
        """Cases with a score of at least the threshold (or above it), and the sum of their squares."""
        start = int(np.searchsorted(self.scores, threshold, side="left" if with_equal else "right"))
        part = type(self)(
            self.scores[start:],
            None if self.weight is None else self.weight[start:],
            None if self.square is None else self.square[start:],
        )
        return part.total, float(part.total if part.square is None else part.square.sum())

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, which has no infinity."""
        return {
            "scores": [_plain(score) for score in self.scores.tolist()],
            "weight": None if self.weight is None else self.weight.tolist(),
            "square": None if self.square is None else self.square.tolist(),
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Run):
            return NotImplemented
        same_kind = (self.weight is None) == (other.weight is None)
        return (
            same_kind
            and np.array_equal(self.scores, other.scores)
            and same_array(self.weight, other.weight)
            and same_array(self.square, other.square)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal by value, not hashable


def run_from_dict(payload: Any) -> Run:
    """The run that ``to_dict`` described, checked."""
    from edgeworth.tallies.serial import numbers_from_json, payload_field

    if not isinstance(payload, dict):
        raise InputError("the runs of a tally are objects with scores")
    scores = np.array([_parsed(score) for score in payload_field(payload, "scores", list)], dtype=np.float64)
    weights, squares = payload.get("weight"), payload.get("square")
    weight = None if weights is None else numbers_from_json(weights, "weight")
    square = None if squares is None else numbers_from_json(squares, "square").astype(np.float64)
    low, high = scores[:-1], scores[1:]
    ordered = bool(np.all(low < high if weight is not None else low <= high))
    fits = (
        (weight is None or weight.shape == scores.shape)
        and (square is None or square.shape == scores.shape)
        and (not len(scores) or (square is not None) == (weight is not None and weight.dtype.kind == "f"))
    )
    if not (fits and ordered) or np.isnan(scores).any():
        raise InputError("the scores of a tally are numbers in ascending order, with a weight each or none")
    return Run(scores, weight, square)


def _plain(score: float) -> float | str:
    return score if np.isfinite(score) else str(score)


def _parsed(score: Any) -> float:
    if isinstance(score, bool) or not (isinstance(score, (int, float)) or score in ("inf", "-inf")):
        raise InputError(f"a score of a tally is a number; saw {score!r}")
    try:
        return float(score)
    except OverflowError:
        raise InputError("a score of a tally is a number that a float can hold") from None


def _squares(weights: NDArray[Any]) -> Floats | None:
    return weights.astype(np.float64) ** 2 if weights.dtype.kind == "f" else None


def _weight_of(run: Run) -> NDArray[Any]:
    return np.ones(len(run.scores), dtype=np.int64) if run.weight is None else run.weight


def _squares_of(run: Run) -> NDArray[Any]:
    return _weight_of(run).astype(np.float64) if run.square is None else run.square
