"""Scores of probability forecasts: sums of each score and of their products between systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError, MergeError
from edgeworth.sources.columns import Label, as_column
from edgeworth.sources.probabilities import FEW_COLUMNS
from edgeworth.tallies.forecast_columns import Forecasts, GivenForecasts
from edgeworth.tallies.joint import Floats, Numbers
from edgeworth.tallies.labels import listed
from edgeworth.tallies.matrices import same_array
from edgeworth.tallies.serial import count_from_json, labels_from_json, labels_to_json, payload_field
from edgeworth.tallies.shown import Shown
from edgeworth.tallies.threads import in_order, row_blocks

BLOCK_ROWS = 1 << 17
"""Rows scored at once (fastest of 2^12 to 2^18 measured, of five classes on two cores)."""

FEW = 1e-3
"""Brier scores below it are added up from what is left of each probability."""

SCORES = ("log", "brier", "ranked", "spherical")


def case_scores(forecasts: Forecasts, names: Sequence[str]) -> Floats:
    """The scores of each case, one row a score, lower being better.

    log: −ln p(y). brier: Σ_k (p_k − y_k)², for two classes (p − y)². ranked: Σ_k (P(Y ≤ k) − 1[y ≤ k])².
    spherical: 1 − p(y)/‖p‖. (Gneiting & Raftery 2007.)

    >>> case_scores(Forecasts.of([0, 1], np.array([[0.5, 0.5], [0.6, 0.4]])), ["brier"]).round(2).tolist()
    [[0.25, 0.36]]
    """
    scored = np.empty((len(names), len(forecasts)))
    spare = np.empty(len(forecasts))
    _fill(scored, forecasts, names, forecasts.of_truth(forecasts.probabilities), spare)
    return scored


def _fill(
    scored: Floats, forecasts: Forecasts, names: Sequence[str], happened: Floats, spare: Floats
) -> None:
    for row, name in zip(scored, names, strict=True):
        _SCORING[name](forecasts, happened, row, spare)


def _log(_: Forecasts, happened: Floats, row: Floats, __: Floats) -> None:
    with np.errstate(divide="ignore"):
        np.log(happened, out=row)
    np.negative(row, out=row)


def _brier(forecasts: Forecasts, happened: Floats, row: Floats, spare: Floats) -> None:
    if forecasts.size == 2:
        np.subtract(1, happened, out=row)
        np.square(row, out=row)
        return
    # Σ p_k² − 2p(y) + 1, which loses its digits near 0: there what is left is added up by itself.
    _sum_squares(forecasts.probabilities, row, spare)
    row -= happened
    row -= happened
    row += 1
    if row.min(initial=1) < FEW:
        few = np.flatnonzero(row < FEW)
        row[few] = (1 - happened[few]) ** 2 + _others(forecasts, few)


def _sum_squares(values: Floats, row: Floats, spare: Floats) -> None:
    """Σ p_k² of each row; a few columns are gone through one by one."""
    if values.shape[1] > FEW_COLUMNS:
        np.einsum("ij,ij->i", values, values, out=row)
        return
    np.square(values[:, 0], out=row)
    for place in range(1, values.shape[1]):
        row += np.square(values[:, place], out=spare)


def _ranked(forecasts: Forecasts, _: Floats, row: Floats, __: Floats) -> None:
    below = np.cumsum(forecasts.probabilities, axis=1)[:, :-1]
    came = forecasts.codes[:, None] <= np.arange(forecasts.size - 1)
    np.einsum("ij,ij->i", below - came, below - came, out=row)


def _spherical(forecasts: Forecasts, happened: Floats, row: Floats, _: Floats) -> None:
    others = _others(forecasts, np.arange(len(forecasts)))
    norm = np.sqrt(others + happened**2)
    np.divide(others, norm * (norm + happened), out=row)


def _others(forecasts: Forecasts, rows: NDArray[np.intp]) -> Floats:
    """Σ p_k² over what did not happen, of some rows."""
    rest = forecasts.probabilities[rows]
    rest[np.arange(len(rows)), forecasts.codes[rows]] = 0
    return np.asarray(np.einsum("ij,ij->i", rest, rest))


_SCORING = {"log": _log, "brier": _brier, "ranked": _ranked, "spherical": _spherical}


@dataclass(frozen=True, eq=False)
class ForecastScores(Shown):
    """How forecasts of one or more systems scored on the same cases.

    ``sums[c, s]`` is the sum of score c of system s, ``products[c, s, r]`` of the products of two systems'
    scores: enough for means, intervals and paired differences after merging. ``zeros[s]`` counts cases in
    which system s gave probability 0 to what happened; its log score is infinite then, and said to be.
    """

    systems: tuple[str, ...]
    labels: tuple[Label, ...]
    classes: Numbers
    """How often each class came true."""
    sums: Floats
    products: Floats
    zeros: Numbers
    names: tuple[str, ...] = SCORES

    def __post_init__(self) -> None:
        for array in (self.classes, self.sums, self.products, self.zeros):
            array.setflags(write=False)

    @classmethod
    def empty(cls) -> Self:
        """No cases."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls((), (), nothing, np.zeros((len(SCORES), 0)), np.zeros((len(SCORES), 0, 0)), nothing)

    @classmethod
    def from_probabilities(
        cls,
        truth: Any,
        probabilities: Any,
        *,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
        normalise: bool = False,
        scores: Sequence[str] = SCORES,
    ) -> Self:
        """Score one system's probabilities, or several by name (a mapping), on the same truth.

        >>> scores = ForecastScores.from_probabilities([1, 0, 1], [0.8, 0.3, 0.5])
        >>> round(scores.mean("brier"), 6)
        0.126667
        """
        _check_scores(scores)
        systems = probabilities if isinstance(probabilities, Mapping) else {"forecast": probabilities}
        if not systems:
            raise InputError("there are no forecasts to score")
        column = as_column(truth, "truth")
        given = {
            str(system): GivenForecasts.of(
                column,
                values,
                labels=labels,
                positive=positive,
                name="probabilities" if len(systems) == 1 else f"probabilities of {system}",
            )
            for system, values in systems.items()
        }
        if len(given) < len(systems):
            raise InputError(f"systems have different names; saw {listed(tuple(systems))}")
        first = next(iter(given.values())).came

        def block(rows: slice) -> dict[str, Forecasts]:
            return {system: each.checked(rows, first, normalise) for system, each in given.items()}

        return cls._added(block, scores, len(column), len(given))

    @classmethod
    def from_forecasts(cls, forecasts: Mapping[str, Forecasts], *, scores: Sequence[str] = SCORES) -> Self:
        """Score checked forecasts of the same cases."""
        _check_scores(scores)
        if not forecasts:
            raise InputError("there are no forecasts to score")
        first = next(iter(forecasts.values()))
        for each in forecasts.values():
            if each.labels != first.labels or not np.array_equal(each.codes, first.codes):
                raise InputError("the forecasts to score together are of the same cases and classes")

        def block(rows: slice) -> dict[str, Forecasts]:
            return {system: each[rows] for system, each in forecasts.items()}

        return cls._added(block, scores, len(first), len(forecasts))

    @classmethod
    def _added(
        cls,
        block: Callable[[slice], Mapping[str, Forecasts]],
        scores: Sequence[str],
        cases: int,
        systems: int,
    ) -> Self:
        # Several systems share the room that one would take.
        length = max(1, BLOCK_ROWS // systems)

        def scored(run: list[slice]) -> list[Self]:
            # Blocks share one workspace: asking the system for memory anew in each costs a fifth more.
            room = np.empty((len(scores) + 1, systems, min(cases, length)))
            return [cls._of_block(block(rows), scores, room) for rows in run]

        parts: list[Self] = in_order(scored, row_blocks(cases, length))
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total

    @classmethod
    def _of_block(cls, forecasts: Mapping[str, Forecasts], scores: Sequence[str], room: Floats) -> Self:
        first = next(iter(forecasts.values()))
        happened = [each.of_truth(each.probabilities) for each in forecasts.values()]
        spare = room[-1, 0, : len(first)]
        values = room[:-1, :, : len(first)]
        for place, (each, got) in enumerate(zip(forecasts.values(), happened, strict=True)):
            _fill(values[:, place], each, scores, got, spare)
        sums = values.sum(axis=2)
        finite = values if np.isfinite(sums).all() else np.where(np.isfinite(values), values, 0.0)
        return cls(
            tuple(forecasts),
            first.labels,
            np.bincount(first.codes, minlength=first.size),
            sums,
            np.einsum("csn,crn->csr", finite, finite),
            np.array([_zeros(each) for each in happened]),
            tuple(scores),
        )

    @property
    def cases(self) -> int:
        """How many cases were scored."""
        return int(self.classes.sum())

    def mean(self, score: str, system: str | None = None) -> float:
        """The mean of a score, lower being better; infinite where probability 0 came true, nan of nothing."""
        total = float(self.sums[self._score(score), self.place(system)])
        return total / self.cases if self.cases else float("nan")

    def place(self, system: str | None) -> int:
        """Which system is meant."""
        if system is None and len(self.systems) == 1:
            return 0
        if system not in self.systems:
            raise InputError(f"there is no system {system!r}; there are {listed(self.systems)}")
        return self.systems.index(system)

    def _score(self, score: str) -> int:
        if score not in self.names:
            raise InputError(f"the score {score!r} was not taken; there are {', '.join(self.names)}")
        return self.names.index(score)

    def __add__(self, other: Self) -> Self:
        """All cases of both."""
        if not isinstance(other, ForecastScores):
            return NotImplemented
        if not self.systems or not other.systems:
            return self if self.systems else other
        if (self.systems, self.labels, self.names) != (other.systems, other.labels, other.names):
            raise MergeError(
                f"scores of {listed(self.systems)} over {listed(self.labels)} do not add to those of "
                f"{listed(other.systems)} over {listed(other.labels)}"
            )
        return replace(
            self,
            classes=self.classes + other.classes,
            sums=self.sums + other.sums,
            products=self.products + other.products,
            zeros=self.zeros + other.zeros,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; an infinite sum is null, and the zeros say why."""
        return {
            "kind": "forecast_scores",
            "systems": list(self.systems),
            "labels": labels_to_json(self.labels),
            "classes": self.classes.tolist(),
            "scores": list(self.names),
            "sums": [[x if np.isfinite(x) else None for x in row] for row in self.sums.tolist()],
            "products": self.products.tolist(),
            "zeros": self.zeros.tolist(),
        }

    @classmethod
    def from_dict(cls, payload: dict[str, Any]) -> Self:
        """The scores that ``to_dict`` described."""
        if payload.get("kind") != "forecast_scores":
            raise InputError("a tally of this kind is forecast_scores")
        systems, names = (tuple(payload_field(payload, name, list)) for name in ("systems", "scores"))
        labels = labels_from_json(payload_field(payload, "labels", list))
        try:
            sums = np.array(
                [
                    [np.inf if x is None else float(x) for x in row]
                    for row in payload_field(payload, "sums", list)
                ]
            )
            products = np.array(payload_field(payload, "products", list), dtype=np.float64)
            if not systems:
                sums, products = sums.reshape(len(names), 0), products.reshape(len(names), 0, 0)
            classes, zeros = (
                np.array(
                    [count_from_json({name: x}, name) for x in payload_field(payload, name, list)],
                    dtype=np.int64,
                )
                for name in ("classes", "zeros")
            )
            found = cls(systems, labels, classes, sums, products, zeros, names)
            fits = all(isinstance(system, str) for system in systems) and found._fits_together()
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"the parts of a tally do not fit together: {error}") from None
        if not fits:
            raise InputError("the parts of a tally do not fit together")
        return found

    def _fits_together(self) -> bool:
        """Whether sums, products and counts can be of the same cases."""
        shape = (len(self.names), len(self.systems))
        if self.sums.shape != shape or self.products.shape != (*shape, len(self.systems)):
            return False
        if len(self.classes) != len(self.labels) or self.zeros.shape != (len(self.systems),):
            return False
        if any(len(set(names)) < len(names) for names in (self.systems, self.labels, self.names)):
            return False
        # Only the log score is ever infinite, and exactly where probability 0 came true.
        is_log = np.array([name == "log" for name in self.names])[:, None]
        infinite = is_log & (self.zeros > 0)
        squares = np.diagonal(self.products, axis1=1, axis2=2)
        counted = np.where(is_log, self.cases - self.zeros, self.cases)
        slack = 1 + 1e-9
        return bool(
            set(self.names) <= set(SCORES)
            and np.all(self.zeros <= self.cases)
            and np.all(np.isinf(self.sums) == infinite)
            and np.all(self.sums >= 0)
            and np.all(np.isfinite(self.products) & (self.products >= 0))
            and np.array_equal(self.products, self.products.transpose(0, 2, 1))
            # Cauchy and Schwarz: (Σx)² ≤ n Σx² and (Σxy)² ≤ Σx² Σy².
            and np.all(np.where(infinite, 0.0, self.sums) ** 2 <= counted * squares * slack)
            and np.all(self.products**2 <= squares[:, :, None] * squares[:, None, :] * slack)
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ForecastScores):
            return NotImplemented
        return (self.systems, self.labels, self.names) == (other.systems, other.labels, other.names) and all(
            same_array(mine, its)
            for mine, its in (
                (self.classes, other.classes),
                (self.sums, other.sums),
                (self.products, other.products),
                (self.zeros, other.zeros),
            )
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside: equal by value, not hashable

    def __repr__(self) -> str:
        return f"<ForecastScores: {self.cases:,} cases, {len(self.systems)} systems>"


def _zeros(happened: Floats) -> int:
    """How often probability 0 came true; the smallest is quicker to find than all are to count."""
    return int(np.count_nonzero(happened == 0)) if len(happened) and happened.min() == 0 else 0


def _check_scores(scores: Sequence[str]) -> None:
    unknown = [scores] if isinstance(scores, str) else [name for name in scores if name not in SCORES]
    if unknown:
        raise InputError(f"scores are a list of some of {', '.join(SCORES)}; saw {unknown[0]!r}")
    if not scores or len(set(scores)) < len(scores):
        raise InputError(f"each score is taken once, and one at least; saw {listed(scores)}")
