"""Scores of probability forecasts: sums of each score and of their products between systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from edgeworth.errors import InputError, MergeError
from edgeworth.sources.columns import Label
from edgeworth.sources.probabilities import as_probabilities
from edgeworth.tallies.forecast_columns import Forecasts
from edgeworth.tallies.joint import Floats, Numbers
from edgeworth.tallies.labels import listed
from edgeworth.tallies.matrices import same_array
from edgeworth.tallies.serial import count_from_json, labels_from_json, labels_to_json, payload_field

SCORES = ("log", "brier", "ranked", "spherical")


def case_scores(forecasts: Forecasts, names: Sequence[str]) -> Floats:
    """The scores of each case, one row a score, lower being better.

    log: −ln p(y). brier: Σ_k (p_k − y_k)², for two classes (p − y)². ranked: Σ_k (P(Y ≤ k) − 1[y ≤ k])².
    spherical: 1 − p(y)/‖p‖.
    """
    happened = forecasts.of_truth(forecasts.probabilities)
    return np.stack([_SCORING[name](forecasts, happened) for name in names])


def _log(_: Forecasts, happened: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return -np.log(happened)


def _brier(forecasts: Forecasts, happened: Floats) -> Floats:
    if forecasts.size == 2:
        return np.asarray((1 - happened) ** 2)
    squares = np.einsum("ij,ij->i", forecasts.probabilities, forecasts.probabilities)
    return np.asarray(squares - 2 * happened + 1)


def _ranked(forecasts: Forecasts, _: Floats) -> Floats:
    below = np.cumsum(forecasts.probabilities, axis=1)[:, :-1]
    came = forecasts.codes[:, None] <= np.arange(forecasts.size - 1)
    return np.asarray(((below - came) ** 2).sum(axis=1))


def _spherical(forecasts: Forecasts, happened: Floats) -> Floats:
    norms = np.sqrt(np.einsum("ij,ij->i", forecasts.probabilities, forecasts.probabilities))
    return np.asarray(1 - happened / norms)


_SCORING = {"log": _log, "brier": _brier, "ranked": _ranked, "spherical": _spherical}


@dataclass(frozen=True, eq=False)
class ForecastScores:
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
        systems = probabilities if isinstance(probabilities, Mapping) else {"forecast": probabilities}
        forecasts = {
            str(name): Forecasts.of(
                truth,
                as_probabilities(values),
                labels=labels,
                positive=positive,
                normalise=normalise,
                name="probabilities" if len(systems) == 1 else f"probabilities of {name}",
            )
            for name, values in systems.items()
        }
        return cls.from_forecasts(forecasts, scores=scores)

    @classmethod
    def from_forecasts(cls, forecasts: Mapping[str, Forecasts], *, scores: Sequence[str] = SCORES) -> Self:
        """Score checked forecasts."""
        unknown = [name for name in scores if name not in SCORES]
        if unknown:
            raise InputError(f"a score is one of {', '.join(SCORES)}; saw {unknown[0]!r}")
        if not forecasts:
            raise InputError("there are no forecasts to score")
        first = next(iter(forecasts.values()))
        values = np.stack([case_scores(each, scores) for each in forecasts.values()], axis=1)
        finite = np.where(np.isfinite(values), values, 0.0)
        return cls(
            tuple(forecasts),
            first.labels,
            np.bincount(first.codes, minlength=first.size),
            values.sum(axis=2),
            np.einsum("csn,crn->csr", finite, finite),
            np.array([(each.of_truth(each.probabilities) == 0).sum() for each in forecasts.values()]),
            tuple(scores),
        )

    @property
    def cases(self) -> int:
        """How many cases were scored."""
        return int(self.classes.sum())

    def mean(self, score: str, system: str | None = None) -> float:
        """The mean of a score, lower being better; infinite where probability 0 came true."""
        return float(self.sums[self._score(score), self.place(system)] / self.cases)

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
            ).reshape(len(names), len(systems))
            products = np.array(payload_field(payload, "products", list), dtype=np.float64)
            products = products.reshape(len(names), len(systems), len(systems))
            classes, zeros = (
                np.array(
                    [count_from_json({name: x}, name) for x in payload_field(payload, name, list)],
                    dtype=np.int64,
                )
                for name in ("classes", "zeros")
            )
        except (TypeError, ValueError) as error:
            raise InputError(f"the parts of a tally do not fit together: {error}") from None
        if len(classes) != len(labels) or len(zeros) != len(systems) or not set(names) <= set(SCORES):
            raise InputError("the parts of a tally do not fit together")
        return cls(systems, labels, classes, sums, products, zeros, names)

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
