"""A measure of many lists: of each, of all together, and the values that a mean is of."""

from __future__ import annotations

import numpy as np

from edgeworth.arrays import Values
from edgeworth.core.definition import Measure
from edgeworth.core.measuring import measure
from edgeworth.errors import OptionError
from edgeworth.rankings.along import ResolvedRanking, resolve_ranking, steps_of
from edgeworth.rankings.lists import RankedLists
from edgeworth.sources.columns import Label


def measure_each(lists: RankedLists, spelling: str | Measure) -> dict[Label, float]:
    """The value of a measure for each query; nan where it is undefined.

    >>> lists = RankedLists.from_scores([1, 0, 0, 1], [0.9, 0.1, 0.8, 0.2], groups=["a", "a", "b", "b"])
    >>> measure_each(lists, "average_precision")
    {'a': 1.0, 'b': 0.5}
    """
    if not isinstance(lists, RankedLists):
        raise OptionError(f"measure_each is for RankedLists; saw {type(lists).__name__}")
    return dict(zip(lists.queries, list_values(lists, spelling).tolist(), strict=True))


def measure_micro(lists: RankedLists, spelling: str | Measure) -> float:
    """The value over all lists together instead of the mean of each.

    At a depth, the decisions of all lists are added up; otherwise all items are ranked in one list.

    >>> lists = RankedLists.from_scores([1, 1, 0, 0, 1], [5, 4, 3, 2, 1], groups=["a", "a", "a", "b", "b"])
    >>> measure(lists, "recall@1"), round(measure_micro(lists, "recall@1"), 4)
    (0.25, 0.3333)
    """
    resolved = resolve_ranking(lists, spelling)
    if resolved.measure.scope == "ranking":
        return measure(lists.pooled(), spelling)
    return resolved.micro(steps_of(lists, resolved))


def list_values(lists: RankedLists, spelling: str | Measure) -> Values:
    """The value of each list, in the order of ``lists.queries``."""
    resolved = resolve_ranking(lists, spelling)
    return resolved.values(steps_of(lists, resolved))


def counted_values(lists: RankedLists, resolved: ResolvedRanking) -> Values:
    """The values that a mean over lists is of."""
    return counted(lists, resolved.values(steps_of(lists, resolved)))


def counted(lists: RankedLists, values: Values) -> Values:
    """Lists without targets are left out, or count as 0 where the lists say so; so are undefined ones."""
    without = lists.targets == 0
    defined = values[~without & ~np.isnan(values)]
    return np.concatenate([defined, np.zeros(int(without.sum()))]) if lists.empty_is_zero else defined
