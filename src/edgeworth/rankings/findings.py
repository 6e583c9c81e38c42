"""Everything worth saying about a ranking, or about many ranked lists, computed once."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral

import numpy as np

from edgeworth.common.arrays import Values
from edgeworth.core.estimates import Estimate, Method, Plan, estimate
from edgeworth.core.registry import measure
from edgeworth.core.sampling_distributions import check_level, is_significant
from edgeworth.core.test_results import TestResult
from edgeworth.errors import InputError, OptionError, check_whole
from edgeworth.rankings.estimates import estimate_lists, selection_tail
from edgeworth.rankings.intervals.bands import (
    RELATIVE_SUM_TOLERANCE,
    HitCurve,
    chart_depths,
    hit_curve_at,
)
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.measure_lookup import resolve_ranking, tie_groups_of, values_in_mean, with_ties
from edgeworth.rankings.policy import MIN_P_VALUE_COMPUTED
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.thresholds import Goal, ThresholdChoice, find_threshold
from edgeworth.rankings.tie_groups import TieGroups
from edgeworth.sources.columns import Label

VALUES_WITHOUT_INTERVAL = ("pr_auc", "reciprocal_rank", "ndcg", "best_informedness")
"""Measures that a report shows without an interval."""


@dataclass(frozen=True)
class AtDepth:
    """What the first items of a ranking hold."""

    depth: int
    hits: float
    by_chance: float
    precision: Estimate
    recall: Estimate
    lift: float
    at_least: TestResult | None


@dataclass(frozen=True)
class Worth:
    """What reviewing is worth when a target found gains and an item reviewed costs."""

    gain: float
    cost: float
    at_depth: float
    best_depth: float
    best_value: float


class AgainstChance(ABC):
    """What the verdict states about its measure against a random order."""

    level: float
    tail: TestResult | None
    """P(random orders do as well), or as badly when this is worse than they are on average."""

    @property
    @abstractmethod
    def headline(self) -> Estimate:
        """The measure of the verdict."""

    @property
    def is_better(self) -> bool:
        """Whether it does at least as well as random orders do on average."""
        return not self.headline.value < self.headline.chance

    @property
    def is_significant(self) -> bool:
        """Whether random order is ruled out at the level, either way: by its law, or else by the interval."""
        if self.tail is not None:
            return is_significant(2 * self.tail.p_value, self.level)
        return self._excludes_chance(otherwise=False)

    @property
    def is_conclusive(self) -> bool:
        """Whether both the test and the interval rule random order out."""
        return self.is_significant and self._excludes_chance(otherwise=True)

    def _excludes_chance(self, *, otherwise: bool) -> bool:
        """Return whether the interval excludes the chance level, if both are known."""
        if self.headline.law is None or math.isnan(self.headline.chance):
            return otherwise
        return self.headline.chance not in self.headline.interval(self.level)


@dataclass(frozen=True)
class RankingFindings(AgainstChance):
    """The numbers behind a report on one ranking."""

    ranking: Ranking
    level: float
    depth: int
    average_precision: Estimate
    roc_auc: Estimate
    plain: dict[str, float]
    by_depth: tuple[AtDepth, ...]
    tail: TestResult | None
    best: ThresholdChoice | None
    worth: Worth | None
    curve: HitCurve | None
    plan: Plan
    tie_bracket: tuple[float, float] | None
    """Average precision with ties in the worst and in the best order, if that makes a difference."""
    asked_depth: int | None = None
    """The depth that was asked for, which may lie beyond the list."""
    threshold_warnings: tuple[str, ...] = ()

    @property
    def headline(self) -> Estimate:
        return self.average_precision

    @property
    def at_verdict_depth(self) -> AtDepth:
        """What the first items of the verdict hold."""
        return next(row for row in self.by_depth if row.depth == self.depth)

    @property
    def takes_whole_list(self) -> bool:
        """Whether the verdict is of the whole list, which finds what there is in any order."""
        return self.depth >= math.floor(self.ranking.ranked_total)

    @property
    def can_be_drawn(self) -> bool:
        """Whether there are both targets and other items, so that charts can be drawn."""
        return self.average_precision.undefined is None and bool(self.ranking.background.total)


def examine_ranking(
    ranking: Ranking,
    *,
    level: float = 0.95,
    seed: int = 0,
    depth: int | None = None,
    gain: float | None = None,
    cost: float | None = None,
    goal: Goal | None = None,
    method: Method | None = None,
) -> RankingFindings:
    """Estimate, test and price a ranking, and choose a threshold for the goal."""
    check_level(level)
    _check_gain_and_cost(gain, cost)
    if not ranking.ranked_total:
        raise InputError("there are no items")
    precision = estimate(ranking, "average_precision", method=method, rng=seed)
    best, warnings = find_threshold(ranking, goal or Goal(), seed=seed)
    chosen = _headline_depth(ranking) if depth is None else _check_depth(depth, ranking)
    defined = precision.undefined is None
    better = defined and precision.value >= precision.chance
    tail = None
    if defined:
        resolved = resolve_ranking(ranking, precision.measure)
        tail = selection_tail(
            ranking, resolved, "greater" if better else "less", seed, enough=MIN_P_VALUE_COMPUTED
        )
    return RankingFindings(
        ranking=ranking,
        level=level,
        depth=chosen,
        average_precision=precision,
        roc_auc=estimate(ranking, "roc_auc", rng=seed),
        plain={name: measure(ranking, name) for name in VALUES_WITHOUT_INTERVAL},
        by_depth=tuple(_at_depth(ranking, at, seed) for at in _depths(ranking, chosen)) if defined else (),
        tail=tail,
        best=best,
        threshold_warnings=warnings,
        worth=None if gain is None or cost is None else _worth(ranking, chosen, gain, cost),
        curve=hit_curve_at(ranking, chart_depths(ranking, chosen), level) if defined else None,
        plan=precision.cases_needed(level=level),
        tie_bracket=_tie_bracket(ranking) if defined else None,
        asked_depth=depth,
    )


def round_depths(most: float) -> list[int]:
    """1, 2, 5, 10, 20, 50, … up to a depth."""
    return [step * 10**power for power in range(16) for step in (1, 2, 5) if step * 10**power <= most]


MIN_HEADLINE_DEPTH = 10
"""The depth of the verdict if a list of at least twice as many items has fewer targets."""


def _headline_depth(ranking: Ranking) -> int:
    """Choose as many items as there are targets, but at most half of the list.

    A person who reviews nearly everything finds nearly everything in any order.
    """
    half = max(1, math.floor(ranking.ranked_total / 2))
    least = MIN_HEADLINE_DEPTH if half >= MIN_HEADLINE_DEPTH else 1
    return min(half, max(least, number_of_targets(ranking)))


def number_of_targets(ranking: Ranking) -> int:
    """Count the targets; a sum of weights is rounded up, whatever the order of its terms."""
    return math.ceil(ranking.target_total * (1 - RELATIVE_SUM_TOLERANCE))


def _check_depth(depth: int, ranking: Ranking) -> int:
    """Replace a depth beyond the list by the whole list."""
    check_whole(depth, "a depth", 1, Integral)
    return min(int(depth), max(1, math.floor(ranking.ranked_total)))


def _check_gain_and_cost(gain: float | None, cost: float | None) -> None:
    if (gain is None) != (cost is None):
        raise OptionError(
            "the value of a depth needs both gain (per target found) and cost (per item reviewed)"
        )
    for name, value in (("gain", gain), ("cost", cost)):
        number = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if value is not None and not (number and math.isfinite(value)):
            raise OptionError(f"{name} must be a finite number; saw {value!r}")


def _depths(ranking: Ranking, chosen: int) -> list[int]:
    """List the depths to show: round numbers from 10 on, and the depth of the verdict."""
    most = ranking.ranked_total
    depths = [depth for depth in round_depths(most) if depth >= min(10, most)]
    return sorted({*depths, chosen})


def _at_depth(ranking: Ranking, depth: int, seed: int) -> AtDepth:
    table = ranking.at_depth(depth)
    target_index = table.index(ranking.target)

    def estimate_at_depth(name: str) -> Estimate:
        # Cut once, and named as on the ranking.
        return replace(estimate(table, name, rng=seed), measure=f"{name}@{depth}")

    precision = estimate_at_depth("precision")
    return AtDepth(
        depth=depth,
        hits=table.counts[target_index, target_index].item(),
        by_chance=float(table.predicted[target_index] * ranking.target_total / ranking.total),
        precision=precision,
        recall=estimate_at_depth("recall"),
        lift=measure(table, "lift"),
        at_least=precision.test_against_chance("greater"),
    )


def _worth(ranking: Ranking, depth: int, gain: float, cost: float) -> Worth:
    terms = f"(gain={float(gain)!r}, cost={float(cost)!r})"
    names = (f"value@{depth}", "best_depth", "best_value")
    return Worth(gain, cost, *(measure(ranking, f"{name}{terms}") for name in names))


def _tie_bracket(ranking: Ranking) -> tuple[float, float] | None:
    groups = ranking.tie_groups
    if not ranking.is_counted or np.all(groups.size == groups.hits):
        return None
    worst, best = (measure(ranking, f"average_precision(ties={ties})") for ties in ("worst", "best"))
    return worst, best


FOLD_MEASURES = ("average_precision", "roc_auc", "r_precision", "precision@10", "recall@10")
LIST_MEASURES = (
    "average_precision",
    "ndcg",
    "ndcg@10",
    "precision@10",
    "recall@10",
    "r_precision",
    "reciprocal_rank",
    "success@10",
)


@dataclass(frozen=True)
class ListFindings(AgainstChance):
    """The numbers behind a report on many lists."""

    lists: RankedLists
    level: float
    estimates: dict[str, Estimate]
    queries: dict[Label, dict[str, float]]
    tail: TestResult | None
    """Known if the lists are complete."""
    unit: str = "query"
    """What a list is of: a query, or a fold."""

    @property
    def headline(self) -> Estimate:
        """The measure of the verdict: the first."""
        return next(iter(self.estimates.values()))

    @property
    def without_targets(self) -> int:
        """Lists in which there was nothing to find."""
        return int((self.lists.targets == 0).sum())

    @property
    def counted(self) -> int:
        """Lists that the means are over."""
        return len(self.values)

    @property
    def spread(self) -> tuple[float, float, float]:
        """Lowest, middle and highest value of the headline over lists."""
        return float(self.values.min()), float(np.median(self.values)), float(self.values.max())

    @cached_property
    def values(self) -> Values:
        """The values of the headline that its mean is over."""
        return np.array([value for _, value in self.counted_by_name()])

    def counted_by_name(self) -> list[tuple[str, float]]:
        """Return the lists that the mean of the headline is over, by name."""
        headline = next(iter(self.estimates))
        return [(str(query), value) for query, _, value in self.counted_values([headline])]

    def counted_values(self, measures: Iterable[str] | None = None) -> list[tuple[Label, str, float]]:
        """List the query, the measure and each value that a mean is over, by the same rule as the mean."""
        names = list(self.estimates if measures is None else measures)
        return [
            (query, name, values[name])
            for query, values in self.queries.items()
            for name in names
            if not math.isnan(values[name])
        ]


def examine_lists(
    lists: RankedLists,
    *,
    measures: Sequence[str] | None = None,
    ties: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    unit: str = "query",
) -> ListFindings:
    """Compute means over lists with their uncertainty, and the values of each list."""
    measures = measures or (FOLD_MEASURES if unit == "fold" else LIST_MEASURES)
    check_level(level)
    if not lists.number:
        raise InputError("there are no lists to evaluate")
    groups_by_view: dict[tuple[str, int | None], TieGroups] = {}
    estimates, values_by_measure = {}, {}
    for name in (with_ties(name, ties or lists.default_ties) for name in measures):
        resolved = resolve_ranking(lists, name)
        if resolved.view not in groups_by_view:
            # Sorting is most of the work, and the same for every measure under one policy.
            groups_by_view[resolved.view] = tie_groups_of(lists, resolved)
        groups = groups_by_view[resolved.view]
        estimates[name] = estimate_lists(lists, name, groups=groups, seed=seed)
        values_by_measure[name] = values_in_mean(lists, resolved, resolved.values(groups))
    rows = np.stack(list(values_by_measure.values()), axis=1).tolist()
    queries = {
        lists.queries[index]: dict(zip(values_by_measure, row, strict=True)) for index, row in enumerate(rows)
    }
    findings = ListFindings(lists, level, estimates, queries, None, unit)
    return replace(
        findings, tail=findings.headline.test_against_chance("greater" if findings.is_better else "less")
    )
