"""Everything worth saying about many ranked lists, computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from edgeworth.errors import InputError
from edgeworth.inference.estimates import Estimate
from edgeworth.inference.laws import check_level
from edgeworth.inference.ranking_estimates import estimate_steps
from edgeworth.inference.tails import Tail
from edgeworth.measures import resolve_ranking, steps_of
from edgeworth.measures.steps import Steps
from edgeworth.sources.columns import Label
from edgeworth.tallies import RankedLists

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
class ListFindings:
    """The numbers behind a report on many lists."""

    lists: RankedLists
    level: float
    estimates: dict[str, Estimate]
    queries: dict[Label, dict[str, float]]
    tail: Tail | None
    """P(random orders of the same lists do as well on average), where the lists are all there is."""

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
        return self.lists.number - (0 if self.lists.empty_is_zero else self.without_targets)

    @property
    def spread(self) -> tuple[float, float, float]:
        """Lowest, middle and highest value of the headline over lists."""
        name = next(iter(self.estimates))
        values = np.array([each[name] for each in self.queries.values()])
        values = values[~np.isnan(values)]
        return float(values.min()), float(np.median(values)), float(values.max())


def examine_lists(
    lists: RankedLists,
    *,
    measures: Sequence[str] = MEASURES,
    ties: str | None = None,
    level: float = 0.95,
    seed: int = 0,
    by_chance: bool = True,
) -> ListFindings:
    """Means over lists with their uncertainty, and the values of each."""
    check_level(level)
    if not lists.number:
        raise InputError("there are no lists to evaluate")
    seen: dict[tuple[str, bool], Steps] = {}
    estimates, each = {}, {}
    for name in (with_ties(name, ties) for name in measures):
        resolved = resolve_ranking(lists, name)
        if resolved.view not in seen:
            # Sorting is most of the work, and the same for every measure under one policy.
            seen[resolved.view] = steps_of(lists, resolved)
        steps = seen[resolved.view]
        estimates[name] = estimate_steps(lists, resolved, steps, seed=seed)
        each[name] = resolved.values(steps)
    queries = {
        query: {name: float(values[index]) for name, values in each.items()}
        for index, query in enumerate(lists.queries)
    }
    tail = next(iter(estimates.values())).chance_tail("greater") if by_chance else None
    return ListFindings(lists, level, estimates, queries, tail)


def with_ties(spelling: str, ties: str | None) -> str:
    """A measure's spelling with a policy for ties, unless it has one.

    >>> with_ties("precision@10", "trec")
    'precision@10(ties=trec)'
    """
    from dataclasses import replace

    from edgeworth.measures import Spelling

    written = Spelling.parse(spelling)
    if ties is None or "ties" in written.options:
        return str(written)
    return str(replace(written, options={**written.options, "ties": ties}))
