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

    With ``highest`` too, an entry stands for cases whose scores lie from ``scores`` to ``highest``, in what
    order is not known. Such spans may overlap; what is asked of them must lie outside.
    """

    scores: Floats
    weight: Numbers | None = None
    square: Floats | None = None
    fourth: Floats | None = None
    """Σw⁴ where there are sampling weights: how sure a variance is."""
    highest: Floats | None = None
    """The highest score of each entry; None where every entry is one score."""

    def __post_init__(self) -> None:
        if self.square is not None and self.fourth is None:
            # Each score is one case, or taken as one: then Σw⁴ comes out larger, which is the safe side.
            object.__setattr__(self, "fourth", self.square**2)
        if self.highest is not None and np.array_equal(self.highest, self.scores):
            object.__setattr__(self, "highest", None)
        for array in (self.scores, self.weight, self.square, self.fourth, self.highest):
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
        return cls(scores[kept], weights[kept], *_powers(weights[kept])).gathered()

    def gathered(self) -> Self:
        """Each score (or span of scores) once, with its cases or weights added up."""
        if not len(self.scores):
            return type(self).empty()
        weight = np.ones(len(self.scores), dtype=np.int64) if self.weight is None else self.weight
        scores = self.scores + 0.0
        if self.highest is None:
            values, where = np.unique(scores, return_inverse=True)
            spans = None
        else:
            values, spans, where = _distinct_spans(scores, self.highest + 0.0)

        def added(column: NDArray[Any] | None) -> NDArray[Any] | None:
            if column is None:
                return None
            total = np.zeros(len(values), dtype=column.dtype)
            np.add.at(total, where, column)
            return total

        return type(self)(values, added(weight), added(self.square), added(self.fourth), spans)

    def __add__(self, other: Self) -> Self:
        """Both sets of cases, in order."""
        if not len(self.scores) or not len(other.scores):
            return other if not len(self.scores) else self
        scores = np.concatenate([self.scores, other.scores])
        if self.weight is None and other.weight is None:
            # Two sorted runs: a stable sort recognises them and merges in one pass.
            return type(self)(np.sort(scores, kind="stable"))
        square = fourth = highest = None
        if self.square is not None or other.square is not None:
            square = np.concatenate([_squares_of(self), _squares_of(other)])
            fourth = np.concatenate([_fourths_of(self), _fourths_of(other)])
        if self.highest is not None or other.highest is not None:
            highest = np.concatenate([self.ends, other.ends])
        weight = np.concatenate([_weight_of(self), _weight_of(other)])
        return type(self)(scores, weight, square, fourth, highest).gathered()

    @property
    def distinct_scores(self) -> Floats:
        """Each score once."""
        if self.weight is not None or not len(self.scores):
            return self.scores
        return np.asarray(self.scores[np.concatenate([[True], self.scores[1:] != self.scores[:-1]])])

    @property
    def ends(self) -> Floats:
        """The highest score of each entry."""
        return self.scores if self.highest is None else self.highest

    @property
    def single(self) -> Self:
        """The entries that are one score each."""
        if self.highest is None:
            return self
        return self._taken(self.highest == self.scores)

    @property
    def spans(self) -> Self:
        """The entries that are more than one score."""
        return self._taken(self.ends > self.scores)

    def _taken(self, entries: Any) -> Self:
        columns = (self.scores, self.weight, self.square, self.fourth, self.highest)
        return type(self)(*(None if column is None else column[entries] for column in columns))  # type: ignore[arg-type]  # scores are never None

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

    def has(self, score: float) -> bool:
        """Whether a score occurs."""
        place = int(np.searchsorted(self.scores, score))
        return place < len(self.scores) and bool(self.scores[place] == score)

    @cached_property
    def _sums(self) -> Numbers:
        """Weight below each place."""
        assert self.weight is not None
        return np.concatenate([np.zeros(1, self.weight.dtype), np.cumsum(self.weight)])

    def at_least(self, threshold: float, *, with_equal: bool = True) -> tuple[int | float, float]:
        """Cases with a score of at least the threshold (or above it), and the sum of their squares."""
        start = int(np.searchsorted(self.scores, threshold, side="left" if with_equal else "right"))
        part = self._taken(slice(start, None))
        return part.total, float(part.total if part.square is None else part.square.sum())

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, which has no infinity."""
        return {
            "scores": [_plain(score) for score in self.scores.tolist()],
            "weight": None if self.weight is None else self.weight.tolist(),
            "square": None if self.square is None else self.square.tolist(),
            **({} if self.fourth is None else {"fourth": self.fourth.tolist()}),
            **(
                {}
                if self.highest is None
                else {"highest": [_plain(score) for score in self.highest.tolist()]}
            ),
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
            and same_array(self.fourth, other.fourth)
            and same_array(self.highest, other.highest)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal by value, not hashable


def are_apart(targets: Run, background: Run) -> bool:
    """Whether no target lies in a span of the background, its ends included."""
    spans = background.spans
    first = np.searchsorted(targets.scores, spans.scores, side="left")
    return bool(np.array_equal(first, np.searchsorted(targets.scores, spans.ends, side="right")))


def run_from_dict(payload: Any) -> Run:
    """The run that ``to_dict`` described, checked."""
    from edgeworth.tallies.serial import numbers_from_json, payload_field

    if not isinstance(payload, dict):
        raise InputError("the runs of a tally are objects with scores")
    scores = _scores_from_json(payload_field(payload, "scores", list))
    columns = {
        name: None if payload.get(name) is None else numbers_from_json(payload[name], name)
        for name in ("weight", "square", "fourth")
    }
    weight, square, fourth = columns.values()
    ends = payload.get("highest")
    highest = None if ends is None else _scores_from_json(payload_field(payload, "highest", list))
    fits = all(
        column is None or column.shape == scores.shape for column in (*columns.values(), highest)
    ) and (not len(scores) or (square is not None) == (weight is not None and weight.dtype.kind == "f"))
    fits = fits and (fourth is None or square is not None) and (highest is None or weight is not None)
    if not fits or not _is_ordered(scores, highest, weight is None):
        raise InputError("the scores of a tally are numbers in ascending order, with a weight each or none")
    return Run(scores, weight, _as_floats(square), _as_floats(fourth), highest)


def _as_floats(column: NDArray[Any] | None) -> Floats | None:
    return None if column is None else column.astype(np.float64)


def _scores_from_json(values: list[Any]) -> Floats:
    return np.array([_parsed(score) for score in values], dtype=np.float64)


def _is_ordered(scores: Floats, highest: Floats | None, may_repeat: bool) -> bool:
    if np.isnan(scores).any() or (highest is not None and not np.all(highest >= scores)):
        return False
    low, high = scores[:-1], scores[1:]
    if may_repeat or highest is None:
        return bool(np.all(low <= high if may_repeat else low < high))
    return bool(np.all((low < high) | ((low == high) & (highest[:-1] < highest[1:]))))


def _plain(score: float) -> float | str:
    return score if np.isfinite(score) else str(score)


def _parsed(score: Any) -> float:
    if isinstance(score, bool) or not (isinstance(score, (int, float)) or score in ("inf", "-inf")):
        raise InputError(f"a score of a tally is a number; saw {score!r}")
    try:
        return float(score)
    except OverflowError:
        raise InputError("a score of a tally is a number that a float can hold") from None


def _distinct_spans(low: Floats, high: Floats) -> tuple[Floats, Floats, NDArray[np.intp]]:
    """Each pair once, in order, and which of them each pair is."""
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    is_new = np.concatenate([[True], (low[1:] != low[:-1]) | (high[1:] != high[:-1])])
    where = np.empty(len(order), dtype=np.intp)
    where[order] = np.cumsum(is_new) - 1
    return low[is_new], high[is_new], where


def _powers(weights: NDArray[Any]) -> tuple[Floats | None, Floats | None]:
    """w² and w⁴ of sampling weights."""
    if weights.dtype.kind != "f":
        return None, None
    square = weights.astype(np.float64) ** 2
    return square, square**2


def _weight_of(run: Run) -> NDArray[Any]:
    return np.ones(len(run.scores), dtype=np.int64) if run.weight is None else run.weight


def _squares_of(run: Run) -> NDArray[Any]:
    return _weight_of(run).astype(np.float64) if run.square is None else run.square


def _fourths_of(run: Run) -> NDArray[Any]:
    return _weight_of(run).astype(np.float64) if run.fourth is None else run.fourth
