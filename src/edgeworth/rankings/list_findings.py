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
from edgeworth.rankings.findings import rules_out_chance
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
        number = min(self.counted, most)
        shares = [(place + 0.5) / number for place in range(number)]
        found = sorted(self._counted_by_name(), key=lambda pair: pair[1])
        if self.counted > most:
            found = [(None, value) for value in np.quantile(self.values, shares).tolist()]
        return tuple(
            ChartedList(name, share, value) for (name, value), share in zip(found, shares, strict=True)
        )

    def _counted_by_name(self) -> list[tuple[str | None, float]]:
        """Each list that the mean is over, by the same rule as the mean."""
        headline, lists = next(iter(self.estimates)), self.lists
        targets = dict(zip(lists.queries, lists.targets.tolist(), strict=True))
        found = {query: values[headline] if targets[query] else 0.0 for query, values in self.queries.items()}
        return [
            (str(query), value)
            for query, value in found.items()
            if not math.isnan(value) and (targets[query] or lists.empty_is_zero)
        ]

    @property
    def is_better(self) -> bool:
        """Whether the mean is at least that of random orders."""
        return not self.headline.value < self.headline.chance

    @property
    def is_conclusive(self) -> bool:
        """Whether random orders are ruled out at the level, either way."""
        return rules_out_chance(self.headline, self.tail, self.level)


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
    rows = np.stack(list(each.values()), axis=1).tolist()
    queries = {lists.queries[place]: dict(zip(each, row, strict=True)) for place, row in enumerate(rows)}
    values = values_to_average(lists, next(iter(each.values())))
    found = ListFindings(lists, level, estimates, queries, values, None)
    return replace(found, tail=found.headline.chance_tail("greater" if found.is_better else "less"))


def with_ties(spelling: str, ties: str | None) -> str:
    """A measure's spelling, or trec_eval's name for it, with a policy for ties unless it has one.

    >>> with_ties("precision@10", "trec"), with_ties("P_10", "trec")
    ('precision@10(ties=trec)', 'precision@10(ties=trec)')
    """
    written = Spelling.parse(TREC_NAMES.get(spelling, spelling))
    if ties is None or "ties" in written.options:
        return str(written)
    return str(replace(written, options={**written.options, "ties": ties}))
