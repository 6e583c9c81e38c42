"""Forecasts of rows that come in clusters: several of one patient, match or document.

For each cluster the tally keeps its cases by class and its sums of probabilities and scores. Means over
cases are ratios of such sums, so their variance is CR2's. For two classes it also keeps the probabilities by
cluster, for the ROC area and average precision. For any number of classes it keeps the likeliest labels.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from edgeworth.common.arrays import Floats, Numbers, freeze
from edgeworth.common.json_types import JsonObject
from edgeworth.core.clusters import ClusterSpread, cluster_variance_of_ratios
from edgeworth.core.joint_counts import JointCounts
from edgeworth.core.labels import canonical_label, canonical_order, label_positions
from edgeworth.core.serialization import (
    FLOATS,
    LABELS,
    NUMBERS,
    Serializable,
    object_of,
    optional,
    reshape_array,
)
from edgeworth.decisions.clusters import BY_CLUSTER, Clusters
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import OptionError
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scoring_rules import PROPER_SCORES, case_scores
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.scores.clusters import ClusteredScores
from edgeworth.rankings.scores.sorted_scores import SortedScores
from edgeworth.sources.columns import Coded, Label


@dataclass(frozen=True, eq=False)
class ForecastClusters(Serializable):
    """Cases by class and sums of scores of each cluster, and what rankings and decisions need by cluster.

    ``classes[g, k]`` counts the cases of class k in cluster g, and ``expected[g, k]`` sums the model's
    probabilities of that class. ``sums[g, c, s]`` is the sum of score c of system s. With sampling weights,
    all are sums of weighted values. ``ranked`` has the probabilities of the second of two classes.
    ``decided`` has as its score the index of the likeliest label; where m labels are equally likely, each
    counts as 1/m of a case.
    """

    FIELDS: ClassVar = {
        "names": LABELS,
        "classes": NUMBERS,
        "expected": FLOATS,
        "sums": FLOATS,
        "decided": object_of(ClusteredScores),
        "ranked": optional(object_of(ClusteredScores)),
    }

    names: tuple[Label, ...]
    classes: Numbers
    expected: Floats
    sums: Floats
    decided: ClusteredScores
    ranked: ClusteredScores | None

    def __post_init__(self) -> None:
        freeze(self.classes, self.expected, self.sums)

    @classmethod
    def of(cls, clusters: Coded, systems: Mapping[str, Forecasts]) -> Self:
        """Sum checked forecasts of the same cases by cluster; the first system is the model."""
        model = next(iter(systems.values()))
        number, size = len(clusters.labels), model.size
        names = tuple(canonical_label(label) for label in clusters.labels)
        weights = model.weights
        classes = np.bincount(clusters.codes * size + model.codes, weights, minlength=number * size)
        expected = np.zeros((number, size))
        forecasts = model.probabilities if weights is None else weights[:, None] * model.probabilities
        np.add.at(expected, clusters.codes, forecasts)
        scores = np.stack([case_scores(system, PROPER_SCORES) for system in systems.values()], axis=1)
        scores = scores if weights is None else scores * weights
        sums = np.zeros((number, *scores.shape[:2]))
        np.add.at(sums, clusters.codes, np.moveaxis(scores, 2, 0))
        named = Coded(clusters.codes, names)
        truth = Coded(model.codes, tuple(range(size)))
        best = model.probabilities == model.probabilities.max(axis=1, keepdims=True)
        rows, chosen = np.nonzero(best)
        ties = best.sum(axis=1)
        shares = None if (ties == 1).all() else 1 / ties[rows]
        if weights is not None:
            shares = weights[rows] * (1.0 if shares is None else shares)
        decided = ClusteredScores.of(
            Coded(named.codes[rows], names),
            Coded(truth.codes[rows], truth.labels),
            chosen.astype(float),
            shares,
        )
        ranked = None
        if size == 2:
            ranked = ClusteredScores.of(named, truth, model.probabilities[:, 1], weights)
        unordered = cls(names, classes.reshape(number, size), expected, sums, decided, ranked)
        return unordered._in_order()

    def _in_order(self) -> Self:
        """Add up clusters of one name, and put those that have a case in canonical order."""
        has_cases = np.flatnonzero(self.classes.sum(axis=1))
        names = [self.names[index] for index in has_cases]
        ordered = canonical_order(names)
        position = label_positions(names, ordered)
        classes = np.zeros((len(ordered), *self.classes.shape[1:]), dtype=self.classes.dtype)
        expected = np.zeros((len(ordered), *self.expected.shape[1:]))
        sums = np.zeros((len(ordered), *self.sums.shape[1:]))
        np.add.at(classes, position, self.classes[has_cases])
        np.add.at(expected, position, self.expected[has_cases])
        np.add.at(sums, position, self.sums[has_cases])
        return replace(self, names=ordered, classes=classes, expected=expected, sums=sums)

    def __add__(self, other: Self) -> Self:
        """Add the cases of both; a cluster that is in both is one cluster."""
        ranked = None
        if self.ranked is not None and other.ranked is not None:
            ranked = self.ranked + other.ranked
        return replace(
            self,
            names=self.names + other.names,
            classes=np.concatenate([self.classes, other.classes]),
            expected=np.concatenate([self.expected, other.expected]),
            sums=np.concatenate([self.sums, other.sums]),
            decided=self.decided + other.decided,
            ranked=ranked,
        )._in_order()

    def alone(self, system: int) -> Self:
        """Keep the scores of one system; decisions and ranking are those of the first."""
        return replace(self, sums=self.sums[:, :, [system]])

    @property
    def number(self) -> int:
        """Return the number of clusters."""
        return len(self.names)

    @property
    def cases(self) -> Floats:
        """Return the number of cases of each cluster."""
        return np.asarray(self.classes.sum(axis=1), dtype=np.float64)

    def spread(self, score: str, system: int, other: int | None = None) -> ClusterSpread:
        """Estimate the variance of a mean score, or of the difference of two systems' mean scores, by CR2."""
        if self.number < 2:
            raise OptionError("all cases are in one cluster, so the variance cannot be estimated")
        sums = self.score_sums(score, system) - (0.0 if other is None else self.score_sums(score, other))
        if not np.isfinite(sums).all():
            raise OptionError(
                "it is infinite because a forecast of probability 0 came true, so it has no interval"
            )
        cases = self.cases
        return cluster_variance_of_ratios(sums - sums.sum() / cases.sum() * cases, cases)

    def score_effects(self, score: str, system: int) -> dict[Hashable, float]:
        """Sum what the cases of each cluster add to a mean score."""
        sums, cases = self.score_sums(score, system), self.cases
        effects = (sums - sums.sum() / cases.sum() * cases) / cases.sum()
        return dict(zip(self.names, effects.tolist(), strict=True))

    def score_sums(self, score: str, system: int) -> Floats:
        """Return the sum of a score over the cases of each cluster."""
        return np.asarray(self.sums[:, PROPER_SCORES.index(score), system])

    def bias_spread(self, index: int) -> ClusterSpread:
        """Estimate the variance of the mean of forecast − outcome of a class, by CR2."""
        if self.number < 2:
            raise OptionError("all cases are in one cluster, so the variance cannot be estimated")
        return cluster_variance_of_ratios(self._bias_residuals(index), self.cases)

    def bias_effects(self, index: int) -> dict[Hashable, float]:
        """Sum what the cases of each cluster add to the mean of forecast − outcome of a class."""
        effects = self._bias_residuals(index) / self.cases.sum()
        return dict(zip(self.names, effects.tolist(), strict=True))

    def _bias_residuals(self, index: int) -> Floats:
        sums, cases = self.expected[:, index] - self.classes[:, index], self.cases
        return np.asarray(sums - sums.sum() / cases.sum() * cases)

    @property
    def log_wealth(self) -> float:
        """Sum over clusters the mean log score of the opponent minus that of the model: one bet per cluster.

        The factor of a cluster is the geometric mean of the factors of its rows, so copies count once. It is
        an e-value however rows of one cluster depend on each other (comparisons/forecasts/bets.py).
        """
        leads = (self.score_sums("log", 1) - self.score_sums("log", 0)) / self.cases
        return float(leads.sum())

    @property
    def log_wealth_against_shares(self) -> float:
        """Compute the same against the constant class shares that do best on these clusters."""
        shares = (self.classes / self.cases[:, None]).mean(axis=0)
        best = self.number * float((shares[shares > 0] * np.log(shares[shares > 0])).sum())
        return -float((self.score_sums("log", 0) / self.cases).sum()) - best

    def with_clusters(self, table: ContingencyTable) -> ContingencyTable:
        """Attach clusters to the table of the likeliest labels."""
        decided = self.decided
        keys = np.stack([decided.classes, decided.scores.astype(np.int64), decided.codes], axis=1) + 1
        # Classes that never came true have no entry, so codes are of those that did.
        came = np.array(decided.labels, dtype=np.int64)
        keys[:, 0] = came[decided.classes] + 1
        joint = JointCounts(
            domains=BY_CLUSTER,
            labels=(table.labels, decided.names),
            keys=keys.astype(np.intp),
            rows=np.zeros(len(keys), dtype=np.int64),
            weight=decided.weight,
            square=None if decided.weight.dtype.kind == "i" else decided.weight.astype(np.float64) ** 2,
        )
        return replace(table, clusters=Clusters(joint.in_order()))

    def ranking(self, labels: tuple[Label, ...], index: int) -> Ranking | None:
        """Rank the cases of two classes by the probability of one of them, clusters attached."""
        if self.ranked is None:
            return None
        ranked = self.ranked.rename({label: int(label == index) for label in self.ranked.labels})
        if index == 0:
            ranked = replace(ranked, scores=1 - ranked.scores).in_order()
        targets, background = (
            SortedScores.of(ranked.scores[of], ranked.weight[of])
            for of in (ranked.is_target, ~ranked.is_target)
        )
        return Ranking(targets, background, labels=(labels[1 - index], labels[index]), clusters=ranked)

    @classmethod
    def _of_fields(cls, fields: JsonObject) -> Self:
        number = len(fields["names"])
        classes = fields["classes"].reshape(number, -1)
        expected = fields["expected"].reshape(number, -1)
        sums = fields["sums"].reshape(number, len(PROPER_SCORES), -1)
        return cls(
            **fields | {"classes": classes, "expected": expected, "sums": reshape_array(sums, *sums.shape)}
        )

    rule: ClassVar = "every cluster has cases, and rankings and decisions are of the same clusters"

    def _fits_together(self) -> bool:
        return (
            len(set(self.names)) == len(self.names)
            and bool(np.all(self.classes.sum(axis=1) > 0))
            and self.expected.shape == self.classes.shape
            and bool(np.allclose(self.expected.sum(axis=1), self.cases, rtol=1e-6))
            and self.decided.names == self.names
            and bool(np.allclose(self.decided.weight.sum(), self.classes.sum(), rtol=1e-9))
            and (self.ranked is None or self.ranked.names == self.names)
        )


def add_clusters(first: ForecastClusters | None, second: ForecastClusters | None) -> ForecastClusters | None:
    """Add the clusters of two parts; None if one of them has none."""
    return None if first is None or second is None else first + second
