"""Scores of probability forecasts: sums of each score and of their products between systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from edgeworth.common.arrays import Floats, freeze
from edgeworth.common.json_types import JsonObject
from edgeworth.common.threads import map_blocks, row_blocks
from edgeworth.core.joint_counts import Numbers
from edgeworth.core.labels import list_labels
from edgeworth.core.serialization import COUNTS, FLOATS, LABELS, TEXT, Serializable, reshape_array, tuple_of
from edgeworth.errors import InputError, MergeError
from edgeworth.forecasts.class_columns import CodedTruth, order_beside
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scoring_rules import RULES, SCORES, case_scores
from edgeworth.sources.alignment import aligned
from edgeworth.sources.columns import Label, as_column
from edgeworth.sources.numbers import as_probabilities, check_probabilities, names_of_columns

BLOCK_VALUES = 1 << 18
"""Probabilities scored at once."""


@dataclass(frozen=True, eq=False)
class ForecastScores(Serializable):
    """How forecasts of one or more systems scored on the same cases.

    ``sums[c, s]`` is the sum of score c of system s, ``products[c, s, r]`` of the products of two systems'
    scores: enough for means, intervals and paired differences after merging. ``zeros[s]`` counts cases in
    which system s gave probability 0 to what happened; its log score is infinite then, and said to be.
    """

    kind: ClassVar = "forecast_scores"
    FIELDS: ClassVar = {
        "systems": tuple_of(TEXT),
        "labels": LABELS,
        "classes": COUNTS,
        "scores": tuple_of(TEXT).of("names"),
        "sums": replace(
            FLOATS,
            # An infinite sum is null, and the zeros say why.
            load=lambda rows: FLOATS.load([["inf" if x is None else x for x in row] for row in rows]),
            dump=lambda sums: [[x if np.isfinite(x) else None for x in row] for row in sums.tolist()],
        ),
        "products": FLOATS,
        "zeros": COUNTS,
    }

    systems: tuple[str, ...]
    labels: tuple[Label, ...]
    classes: Numbers
    """How often each class came true."""
    sums: Floats
    products: Floats
    zeros: Numbers
    names: tuple[str, ...] = SCORES

    def __post_init__(self) -> None:
        freeze(self.classes, self.sums, self.products, self.zeros)

    @classmethod
    def empty(cls) -> Self:
        """Return the scores of no cases."""
        nothing = np.zeros(0, dtype=np.int64)
        return cls((), (), nothing, np.zeros((len(SCORES), 0)), np.zeros((len(SCORES), 0, 0)), nothing)

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
        scores: Sequence[str] = SCORES,
    ) -> Self:
        """Score the probabilities of one system, or of several, on the same truth.

        Parameters
        ----------
        truth : array-like, (n,)
            The class that came true in each case.
        probabilities : array-like or mapping
            Probabilities (n,) of the positive class or (n, K) of each class; of several systems, by name.
        labels : sequence, optional
            The class of each column.
        positive : label, optional
            The class of a single column.
        normalise : bool
            Whether each row is divided by its sum.
        scores : sequence of str
            Some of "log", "brier", "ranked" and "spherical".

        Returns
        -------
        ForecastScores

        Notes
        -----
        All scores are strictly proper, and lower is better (Gneiting & Raftery 2007).

        Examples
        --------
        >>> scores = ForecastScores.from_probabilities([1, 0, 1], [0.8, 0.3, 0.5])
        >>> round(scores.mean("brier"), 6)
        0.126667
        """
        systems: Mapping[str, object] = (
            probabilities if isinstance(probabilities, Mapping) else {"forecast": probabilities}
        )
        _check_scores(scores, systems)
        column = as_column(truth, "truth")
        given: dict[str, tuple[str, Floats, CodedTruth]] = {}
        for system, values in systems.items():
            name = "probabilities" if len(systems) == 1 else f"probabilities of {system}"
            array, named = as_probabilities(values, name), names_of_columns(values)
            came = CodedTruth.of(column, array, labels=labels, positive=positive, named=named, name=name)
            given[str(system)] = (name, array, came)
        if len(given) < len(systems):
            raise InputError(f"systems have different names; saw {list_labels(tuple(systems))}")
        first = next(iter(given.values()))[2]

        def block_of(rows: slice[int, int, None]) -> list[Forecasts]:
            # Checked a block at a time, which keeps memory small.
            forecasts = []
            for name, array, came in given.values():
                part = check_probabilities(
                    array[rows], name=name, first_row=rows.start + 1, normalise=normalise
                )
                if came.labels != first.labels:
                    part = part[:, order_beside(came, first, name)]
                forecasts.append(Forecasts(first.codes[rows], part, first.labels))
            return forecasts

        return cls._of_blocks(block_of, tuple(given), first, scores)

    @classmethod
    def from_forecasts(cls, forecasts: Mapping[str, Forecasts], *, scores: Sequence[str] = SCORES) -> Self:
        """Score checked forecasts of the same cases."""
        _check_scores(scores, forecasts)
        first = next(iter(forecasts.values()))
        for system in forecasts.values():
            if system.labels != first.labels or not np.array_equal(system.codes, first.codes):
                raise InputError("the forecasts to score together are of the same cases and classes")
        return cls._of_blocks(
            lambda rows: [system[rows] for system in forecasts.values()], tuple(forecasts), first, scores
        )

    @classmethod
    def _of_blocks(
        cls,
        block_of: Callable[[slice[int, int, None]], Sequence[Forecasts]],
        systems: tuple[str, ...],
        first: CodedTruth | Forecasts,
        scores: Sequence[str],
    ) -> Self:
        def sums_of(rows: slice[int, int, None]) -> tuple[Floats, Floats, Numbers]:
            forecasts = block_of(rows)
            values = np.stack([case_scores(system, scores) for system in forecasts], axis=1)
            sums = values.sum(axis=2)
            finite = values if np.isfinite(sums).all() else np.where(np.isfinite(values), values, 0.0)
            zeros = [np.count_nonzero(system.happened == 0) for system in forecasts]
            return sums, np.einsum("csn,crn->csr", finite, finite), np.array(zeros)

        size = len(first.labels)
        parts = map_blocks(
            sums_of, row_blocks(len(first.codes), max(1, BLOCK_VALUES // (len(systems) * size)))
        )
        sums, products, zeros = (np.sum(part, axis=0) for part in zip(*parts, strict=True))
        classes = np.bincount(first.codes, minlength=size)
        return cls(systems, first.labels, classes, sums, products, zeros, tuple(scores))

    @property
    def cases(self) -> int:
        """Return the number of cases."""
        return int(self.classes.sum())

    def mean(self, score: str, system: str | None = None) -> float:
        """Compute the mean of a score; infinite if probability 0 came true, nan without cases."""
        total = float(self.sums[self._score(score), self.index_of(system)])
        return total / self.cases if self.cases else float("nan")

    def index_of(self, system: str | None) -> int:
        """Return the index of a system; None means the only one."""
        if system is None and len(self.systems) == 1:
            return 0
        if system not in self.systems:
            raise InputError(f"there is no system {system!r}; there are {list_labels(self.systems)}")
        return self.systems.index(system)

    def _score(self, score: str) -> int:
        if score not in self.names:
            raise InputError(f"the score {score!r} was not taken; there are {', '.join(self.names)}")
        return self.names.index(score)

    def __add__(self, other: Self) -> Self:
        """Add the cases of both."""
        if not isinstance(other, ForecastScores):
            return NotImplemented
        if not self.systems or not other.systems:
            return self if self.systems else other
        if (self.systems, self.labels, self.names) != (other.systems, other.labels, other.names):
            raise MergeError(
                f"scores of {list_labels(self.systems)} over {list_labels(self.labels)} do not add to those "
                f"of {list_labels(other.systems)} over {list_labels(other.labels)}"
            )
        return replace(
            self,
            classes=self.classes + other.classes,
            sums=self.sums + other.sums,
            products=self.products + other.products,
            zeros=self.zeros + other.zeros,
        )

    @classmethod
    def _of_fields(cls, fields: JsonObject) -> Self:
        shape = (len(fields["names"]), len(fields["systems"]))
        sums = reshape_array(fields["sums"], *shape)
        products = reshape_array(fields["products"], *shape, shape[1])
        return cls(**fields | {"sums": sums, "products": products})

    def _fits_together(self) -> bool:
        """Whether sums, products and counts can be of the same cases."""
        if len(self.classes) != len(self.labels) or self.zeros.shape != (len(self.systems),):
            return False
        if any(len(set(names)) < len(names) for names in (self.systems, self.labels, self.names)):
            return False
        if not set(self.names) <= set(SCORES):
            return False
        # A score without a bound is infinite exactly where probability 0 came true.
        is_unbounded = np.isinf([RULES[name].highest(len(self.labels)) for name in self.names])[:, None]
        infinite = is_unbounded & (self.zeros > 0)
        squares = np.diagonal(self.products, axis1=1, axis2=2)
        counted = np.where(is_unbounded, self.cases - self.zeros, self.cases)
        slack = 1 + 1e-9
        return bool(
            np.all(self.zeros <= self.cases)
            and np.all(np.isinf(self.sums) == infinite)
            and np.all(self.sums >= 0)
            and np.all(np.isfinite(self.products) & (self.products >= 0))
            and np.array_equal(self.products, self.products.transpose(0, 2, 1))
            # Cauchy and Schwarz: (Σx)² ≤ n Σx² and (Σxy)² ≤ Σx² Σy².
            and np.all(np.where(infinite, 0.0, self.sums) ** 2 <= counted * squares * slack)
            and np.all(self.products**2 <= squares[:, :, None] * squares[:, None, :] * slack)
        )

    def __repr__(self) -> str:
        return f"<ForecastScores: {self.cases:,} cases, {len(self.systems)} systems>"

    def facts(self) -> JsonObject:
        """Say in a few lines what was counted."""
        pairs = [(system, score) for system in self.systems for score in self.names]
        means = {f"mean {score} of {system}": self.mean(score, system) for system, score in pairs}
        return {"cases": self.cases, **means}


def _check_scores(scores: Sequence[str], systems: Mapping[str, object]) -> None:
    unknown = [scores] if isinstance(scores, str) else [name for name in scores if name not in SCORES]
    if unknown:
        raise InputError(f"scores are a list of some of {', '.join(SCORES)}; saw {unknown[0]!r}")
    if not scores or len(set(scores)) < len(scores):
        raise InputError(f"each score is taken once, and one at least; saw {list_labels(scores)}")
    if not systems:
        raise InputError("there are no forecasts to score")
