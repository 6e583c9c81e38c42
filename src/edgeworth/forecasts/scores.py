"""Scores of probability forecasts: sums of each score and of their products between systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from edgeworth.common.arrays import Floats, Numbers, freeze
from edgeworth.common.json_types import JsonObject
from edgeworth.common.threads import map_blocks, row_blocks
from edgeworth.core.labels import list_labels
from edgeworth.core.serialization import (
    COUNT,
    COUNTS,
    FLOAT,
    FLOATS,
    LABELS,
    NUMBERS,
    TEXT,
    Serializable,
    object_of,
    optional,
    reshape_array,
    tuple_of,
)
from edgeworth.errors import InputError, MergeError
from edgeworth.forecasts.class_columns import CodedTruth, order_beside
from edgeworth.forecasts.clusters import ForecastClusters, add_clusters
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.kind import SCORES
from edgeworth.forecasts.scoring_rules import PROPER_SCORES, RULES, case_scores
from edgeworth.sources.alignment import aligned
from edgeworth.sources.columns import Label, as_column
from edgeworth.sources.numbers import as_probabilities, check_probabilities, names_of_columns

BLOCK_VALUES = 1 << 18
"""Probabilities scored at once."""


@dataclass(frozen=True, eq=False)
class ScoreWeights(Serializable):
    """What the variance of weighted means needs: rows, Σw², Σw⁴, Σw²x and Σw²xy for scores x and y."""

    FIELDS: ClassVar = {"rows": COUNT, "square": FLOAT, "fourth": FLOAT, "sums": FLOATS, "products": FLOATS}

    rows: int
    square: float
    fourth: float
    sums: Floats
    """``sums[c, s]`` is Σw²x for score c of system s."""
    products: Floats
    """``products[c, s, r]`` is Σw²xy for score c of the systems s and r."""

    def __post_init__(self) -> None:
        freeze(self.sums, self.products)

    def __add__(self, other: Self) -> Self:
        """Add the cases of both."""
        return replace(
            self,
            rows=self.rows + other.rows,
            square=self.square + other.square,
            fourth=self.fourth + other.fourth,
            sums=self.sums + other.sums,
            products=self.products + other.products,
        )

    rule: ClassVar = "rows have weights above 0"

    def _fits_together(self) -> bool:
        return self.rows > 0 and self.square > 0


@dataclass(frozen=True, eq=False)
class ForecastScores(Serializable):
    """Proper scores of the forecasts of one or more systems on the same cases.

    Attributes
    ----------
    systems : tuple of str
        The systems.
    labels : tuple
        The classes.
    classes : array
        How often each class came true, or the sum of the weights of these cases.
    sums : array, (scores, systems)
        The sum of each score. It is infinite if a system gave probability 0 to what happened.
    products : array, (scores, systems, systems)
        The sums of products of two systems' scores, for intervals and paired differences.
    zeros : array of int, (systems,)
        The number of cases in which a system gave probability 0 to what happened.
    names : tuple of str
        The scores.

    Notes
    -----
    With sampling weights, ``classes``, ``sums`` and ``products`` are sums of weighted values.

    Examples
    --------
    >>> scores = ForecastScores.from_probabilities([1, 0, 1], {"a": [0.8, 0.3, 0.5], "b": [0.5, 0.5, 0.5]})
    >>> scores.systems, scores.cases, scores.index_of("b")
    (('a', 'b'), 3, 1)
    >>> float(scores.total), float(scores.effective_cases)
    (3.0, 3.0)
    """

    kind: ClassVar = SCORES
    name_in_files: ClassVar = SCORES.name
    FIELDS: ClassVar = {
        "systems": tuple_of(TEXT),
        "labels": LABELS,
        "classes": NUMBERS,
        "scores": tuple_of(TEXT).of("names"),
        "sums": replace(
            FLOATS,
            # An infinite sum is null, and the zeros say why.
            load=lambda rows: FLOATS.load([["inf" if x is None else x for x in row] for row in rows]),
            dump=lambda sums: [[x if np.isfinite(x) else None for x in row] for row in sums.tolist()],
        ),
        "products": FLOATS,
        "zeros": COUNTS,
        "weighting": replace(optional(object_of(ScoreWeights)), is_brief=True, default=None),
    }

    systems: tuple[str, ...]
    labels: tuple[Label, ...]
    classes: Numbers
    """How often each class came true, or the sum of the weights of these cases."""
    sums: Floats
    products: Floats
    zeros: Numbers
    names: tuple[str, ...] = PROPER_SCORES
    clusters: ForecastClusters | None = field(default=None, repr=False)
    """The same cases by cluster; not part of files, because the whole tally of forecasts keeps it."""
    weighting: ScoreWeights | None = field(default=None, repr=False)
    """Sums over squared weights, if rows have sampling weights."""

    def __post_init__(self) -> None:
        freeze(self.classes, self.sums, self.products, self.zeros)

    @classmethod
    def empty(cls) -> Self:
        """Return the scores of no cases.

        :meta private:
        """
        nothing = np.zeros(0, dtype=np.int64)
        return cls(
            (), (), nothing, np.zeros((len(PROPER_SCORES), 0)), np.zeros((len(PROPER_SCORES), 0, 0)), nothing
        )

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
        scores: Sequence[str] = PROPER_SCORES,
    ) -> Self:
        """Score the probabilities of one system, or of several, on the same truth.

        Parameters
        ----------
        truth : array_like, (n,)
            The class that came true in each case.
        probabilities : array_like or mapping
            Probabilities (n,) of the positive class or (n, K) of each class; for several systems, by name.
        labels : sequence, optional
            The class of each column.
        positive : label, optional
            The class of a single column.
        normalise : bool
            Whether to divide each row by its sum.
        scores : sequence of str
            Some of "log", "brier", "ranked" and "spherical".

        Returns
        -------
        ForecastScores
            The sums of scores.

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
        inputs: dict[str, tuple[str, Floats, CodedTruth]] = {}
        for system, values in systems.items():
            name = "probabilities" if len(systems) == 1 else f"probabilities of {system}"
            array, named = as_probabilities(values, name), names_of_columns(values)
            came = CodedTruth.of(column, array, labels=labels, positive=positive, named=named, name=name)
            inputs[str(system)] = (name, array, came)
        if len(inputs) < len(systems):
            raise InputError(f"systems have different names; saw {list_labels(tuple(systems))}")
        first = next(iter(inputs.values()))[2]

        def block_of(rows: slice[int, int, None]) -> list[Forecasts]:
            # Checked a block at a time, which keeps memory small.
            forecasts = []
            for name, array, came in inputs.values():
                part = check_probabilities(
                    array[rows], name=name, first_row=rows.start + 1, normalise=normalise
                )
                if came.labels != first.labels:
                    part = part[:, order_beside(came, first, name)]
                forecasts.append(Forecasts(first.codes[rows], part, first.labels))
            return forecasts

        return cls._of_blocks(block_of, tuple(inputs), first, scores)

    @classmethod
    def from_forecasts(
        cls, forecasts: Mapping[str, Forecasts], *, scores: Sequence[str] = PROPER_SCORES
    ) -> Self:
        """Score checked forecasts of the same cases.

        :meta private:
        """
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
        weights = first.weights if isinstance(first, Forecasts) else None

        def sums_of(rows: slice[int, int, None]) -> tuple[Floats, ...]:
            forecasts = block_of(rows)
            values = np.stack([case_scores(system, scores) for system in forecasts], axis=1)
            sums = values.sum(axis=2)
            finite = values if np.isfinite(sums).all() else np.where(np.isfinite(values), values, 0.0)
            zeros = np.array([np.count_nonzero(system.happened == 0) for system in forecasts])
            if weights is None:
                return sums, np.einsum("csn,crn->csr", finite, finite), zeros
            own = weights[rows]
            products, squares = (_weighted_products(finite, power) for power in (own, own**2))
            return values @ own, products, zeros, finite @ own**2, squares

        size = len(first.labels)
        parts = map_blocks(
            sums_of, row_blocks(len(first.codes), max(1, BLOCK_VALUES // (len(systems) * size)))
        )
        sums, products, zeros, *squares = (np.sum(part, axis=0) for part in zip(*parts, strict=True))
        classes = np.bincount(first.codes, weights, minlength=size)
        weighting = None
        if weights is not None:
            weighting = ScoreWeights(
                len(weights), float((weights**2).sum()), float((weights**4).sum()), *squares
            )
        named = tuple(scores)
        return cls(systems, first.labels, classes, sums, products, zeros, named, weighting=weighting)

    @property
    def cases(self) -> int:
        """The number of cases, each of which may have a weight."""
        return int(self.classes.sum()) if self.weighting is None else self.weighting.rows

    @property
    def total(self) -> float:
        """The number of cases, or the sum of their weights."""
        return float(self.classes.sum())

    @property
    def effective_cases(self) -> float:
        """The number of cases, or Kish's effective number (Σw)²/Σw² of weighted ones."""
        return float(self.cases) if self.weighting is None else self.total**2 / self.weighting.square

    def mean(self, score: str, system: str | None = None) -> float:
        """Compute the mean of a score.

        Parameters
        ----------
        score : str
            "log", "brier", "ranked" or "spherical".
        system : str, optional
            The system; not needed if there is only one.

        Returns
        -------
        float
            The mean: infinite if probability 0 came true, nan without cases.

        Examples
        --------
        >>> round(ForecastScores.from_probabilities([1, 0, 1], [0.8, 0.3, 0.5]).mean("log"), 4)
        0.4243
        """
        total = float(self.sums[self._score(score), self.index_of(system)])
        return total / self.total if self.cases else float("nan")

    def index_of(self, system: str | None) -> int:
        """Return the index of a system.

        Parameters
        ----------
        system : str or None
            The system; None means the only one.

        Returns
        -------
        int
            The index.
        """
        if system is None and len(self.systems) == 1:
            return 0
        if system not in self.systems:
            raise InputError(f"there is no system {system!r}; there are {list_labels(self.systems)}")
        return self.systems.index(system)

    def alone(self, system: str) -> Self:
        """Keep the scores of one system.

        :meta private:
        """
        kept, weighting = [self.index_of(system)], self.weighting
        if weighting is not None:
            weighting = replace(
                weighting, sums=weighting.sums[:, kept], products=weighting.products[:, kept][:, :, kept]
            )
        return replace(
            self,
            systems=(system,),
            sums=self.sums[:, kept],
            products=self.products[:, kept][:, :, kept],
            zeros=self.zeros[kept],
            weighting=weighting,
            clusters=None if self.clusters is None else self.clusters.alone(kept[0]),
        )

    def _score(self, score: str) -> int:
        if score not in self.names:
            raise InputError(f"the score {score!r} was not computed; there are {', '.join(self.names)}")
        return self.names.index(score)

    def __add__(self, other: Self) -> Self:
        """Add the cases of both."""
        if not isinstance(other, ForecastScores):
            return NotImplemented
        if not self.systems or not other.systems:
            return self if self.systems else other
        if (self.weighting is None) != (other.weighting is None):
            raise MergeError(
                "weights of one part count cases, and the other part has sampling weights: pass "
                "--weight-kind (weight_kind=) for both"
            )
        if (self.systems, self.labels, self.names) != (other.systems, other.labels, other.names):
            raise MergeError(
                f"scores of {list_labels(self.systems)} over {list_labels(self.labels)} cannot be added to "
                f"those of {list_labels(other.systems)} over {list_labels(other.labels)}"
            )
        return replace(
            self,
            classes=self.classes + other.classes,
            sums=self.sums + other.sums,
            products=self.products + other.products,
            zeros=self.zeros + other.zeros,
            weighting=_add_weighting(self.weighting, other.weighting),
            clusters=add_clusters(self.clusters, other.clusters),
        )

    @classmethod
    def _of_fields(cls, fields: JsonObject) -> Self:
        shape = (len(fields["names"]), len(fields["systems"]))
        sums = reshape_array(fields["sums"], *shape)
        products = reshape_array(fields["products"], *shape, shape[1])
        is_weighted = fields["weighting"] is not None
        classes = fields["classes"].astype(np.float64) if is_weighted else fields["classes"]
        return cls(**fields | {"sums": sums, "products": products, "classes": classes})

    def _fits_together(self) -> bool:
        """Return whether sums, products and counts can belong to the same cases."""
        if len(self.classes) != len(self.labels) or self.zeros.shape != (len(self.systems),):
            return False
        if any(len(set(names)) < len(names) for names in (self.systems, self.labels, self.names)):
            return False
        if not set(self.names) <= set(PROPER_SCORES):
            return False
        # A score without a bound is infinite exactly where probability 0 came true.
        is_unbounded = np.isinf([RULES[name].highest(len(self.labels)) for name in self.names])[:, None]
        infinite = is_unbounded & (self.zeros > 0)
        squares = np.diagonal(self.products, axis1=1, axis2=2)
        counted = np.where(is_unbounded, self.cases - self.zeros, self.cases)
        if self.weighting is not None:
            counted = np.full_like(counted, self.total, dtype=np.float64)
        elif self.classes.dtype.kind != "i":
            return False
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
        """List what was counted.

        :meta private:
        """
        pairs = [(system, score) for system in self.systems for score in self.names]
        means = {f"mean {score} of {system}": self.mean(score, system) for system, score in pairs}
        return {"cases": self.cases, **means}


def _weighted_products(values: Floats, weights: Floats) -> Floats:
    """Return Σwxy for each score and pair of systems, the same to the last bit both ways round."""
    products = np.matmul(values * weights, values.transpose(0, 2, 1))
    return np.asarray(products + products.transpose(0, 2, 1)) / 2


def _add_weighting(first: ScoreWeights | None, second: ScoreWeights | None) -> ScoreWeights | None:
    return None if first is None or second is None else first + second


def _check_scores(scores: Sequence[str], systems: Mapping[str, object]) -> None:
    unknown = [scores] if isinstance(scores, str) else [name for name in scores if name not in PROPER_SCORES]
    if unknown:
        raise InputError(f"scores are a list of some of {', '.join(PROPER_SCORES)}; saw {unknown[0]!r}")
    if not scores or len(set(scores)) < len(scores):
        raise InputError(f"pass at least one score, and each only once; saw {list_labels(scores)}")
    if not systems:
        raise InputError("there are no forecasts to score")
