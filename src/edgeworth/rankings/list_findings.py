"""Everything worth saying about many ranked lists, computed once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from edgeworth.arrays import Values
from edgeworth.core.estimates import Estimate
from edgeworth.core.laws import check_level
from edgeworth.core.spelling import Spelling
from edgeworth.core.tails import Tail
from edgeworth.errors import InputError
from edgeworth.rankings.estimates import estimate_from_groups
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.measures import TREC_NAMES
from edgeworth.rankings.resolving import resolve_ranking, tie_groups_of, values_to_average
from edgeworth.rankings.tie_groups import TieGroups
from edgeworth.sources.columns import Label

MEASURES = (
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
class ChartedList:
    """A list, or a quantile of many, with its value of the headline."""

    name: str | None
    """The list's name; None for a quantile."""
    share: float
    """The share of lists below it, itself by half."""
    value: float


@dataclass(frozen=True)
class ListFindings:
    """The numbers behind a report on many lists."""

    lists: RankedLists
    level: float
    estimates: dict[str, Estimate]
    queries: dict[Label, dict[str, float]]
    values: Values
    """The values of the headline that its mean is over."""
    tail: Tail | None
    """P(random orders of the same lists do as well, or as badly), where the lists are all there is."""

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

    def charted_lists(self, most: int) -> tuple[ChartedList, ...]:
        """The lists of the mean from the lowest value to the highest; quantiles when there are more."""
        number = self.counted
        if number > most:
            shares = [(place + 0.5) / most for place in range(most)]
            found = np.quantile(self.values, shares)
            return tuple(ChartedList(None, *pair) for pair in zip(shares, found.tolist(), strict=True))
        names = sorted(self._counted_by_name(), key=lambda pair: pair[1])
        return tuple(
            ChartedList(name, (place + 0.5) / number, value) for place, (name, value) in enumerate(names)
        )

    def _counted_by_name(self) -> list[tuple[str, float]]:
        """Each list that the mean is over, by the same rule as the mean."""
        headline, lists = next(iter(self.estimates)), self.lists
        found = []
        for query, targets in zip(lists.queries, lists.targets.tolist(), strict=True):
            value = self.queries[query][headline] if targets else 0.0
            if not math.isnan(value) and (targets or lists.empty_is_zero):
                found.append((str(query), value))
        return found

    @property
    def is_better(self) -> bool:
        """Whether the mean is at least that of random orders."""
        return not self.headline.value < self.headline.chance

    @property
    def is_conclusive(self) -> bool:
        """Whether random orders are ruled out at the level, either way."""
        if self.tail is not None:
            return 2 * self.tail.p_value <= round(1 - self.level, 12)
        found = self.headline
        known = found.law is not None and not math.isnan(found.chance)
        return known and found.chance not in found.interval(self.level)


def examine_lists(
    lists: RankedLists,
    *,
    measures: Sequence[str] = MEASURES,
    ties: str | None = None,
    level: float = 0.95,
    seed: int = 0,
) -> ListFindings:
    """Means over lists with their uncertainty, and the values of each."""
    check_level(level)
    if not lists.number:
        raise InputError("there are no lists to evaluate")
    seen: dict[tuple[str, bool], TieGroups] = {}
    estimates, each = {}, {}
    for name in (with_ties(name, ties) for name in measures):
        resolved = resolve_ranking(lists, name)
        if resolved.view not in seen:
            # Sorting is most of the work, and the same for every measure under one policy.
            seen[resolved.view] = tie_groups_of(lists, resolved)
        groups = seen[resolved.view]
        estimates[name] = estimate_from_groups(lists, resolved, groups, seed=seed)
        each[name] = resolved.values(groups)
    queries = {
        query: {name: float(values[index]) for name, values in each.items()}
        for index, query in enumerate(lists.queries)
    }
    headline = next(iter(estimates.values()))
    better = not headline.value < headline.chance
    tail = headline.chance_tail("greater" if better else "less")
    values = values_to_average(lists, next(iter(each.values())))
    return ListFindings(lists, level, estimates, queries, values, tail)


def with_ties(spelling: str, ties: str | None) -> str:
    """A measure's spelling, or trec_eval's name for it, with a policy for ties unless it has one.

    >>> with_ties("precision@10", "trec"), with_ties("P_10", "trec")
    ('precision@10(ties=trec)', 'precision@10(ties=trec)')
    """
    written = Spelling.parse(TREC_NAMES.get(spelling, spelling))
    if ties is None or "ties" in written.options:
        return str(written)
    return str(replace(written, options={**written.options, "ties": ties}))
