"""The front of this folder: any tally and a spelling to a number."""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

from edgeworth.errors import OptionError
from edgeworth.measures.along import (
    Ranked,
    ResolvedRanking,
    cut_of,
    needs_whole_cases,
    resolve_ranking,
    steps_of,
)
from edgeworth.measures.computing import resolve
from edgeworth.measures.definition import Measure
from edgeworth.measures.forecast_resolving import Forecast, resolve_forecast
from edgeworth.measures.views import Values
from edgeworth.sources.columns import Label
from edgeworth.tallies import table_of
from edgeworth.tallies.calibration import Calibration
from edgeworth.tallies.clustered import ClusteredTable
from edgeworth.tallies.decisions import ContingencyTable
from edgeworth.tallies.forecast_scores import ForecastScores
from edgeworth.tallies.lists import RankedLists
from edgeworth.tallies.rankings import Ranking
from edgeworth.tallies.wealth import Wealth

Measurable: TypeAlias = ContingencyTable | ClusteredTable | Ranked | Forecast


def measure(tally: Measurable, spelling: str | Measure) -> float:
    """The value of a measure; nan when it is undefined (``ew.estimate`` says why).

    Of many lists it is the mean over those where it is defined.

    >>> table = ContingencyTable.from_matrix([[58, 20], [12, 10]], rows="predicted", labels=["noun", "verb"])
    >>> round(measure(table, "informedness"), 4), round(measure(table, "recall[noun]"), 4)
    (0.1619, 0.8286)
    >>> ranking = Ranking.from_hits([1, 1, 0, 1, 0, 0, 0, 0])
    >>> round(measure(ranking, "average_precision"), 4), measure(ranking, "precision@2")
    (0.9167, 1.0)
    >>> scores = ForecastScores.from_probabilities([1, 0, 1], {"A": [0.8, 0.3, 0.5], "B": [0.5, 0.5, 0.5]})
    >>> round(measure(scores, "brier[A]"), 6), round(measure(scores, "log[B]"), 6)
    (0.126667, 0.693147)
    """
    if isinstance(tally, ForecastScores | Calibration | Wealth):
        return resolve_forecast(tally, spelling).value(tally)
    if isinstance(tally, Ranking):
        cut = cut_of(tally, spelling)
        if cut is not None:
            return measure(*cut)
        resolved = resolve_ranking(tally, spelling)
        if needs_whole_cases(tally, resolved) is not None:
            return math.nan
        return float(resolved.values(steps_of(tally, resolved))[0])
    if isinstance(tally, RankedLists):
        values = counted_values(tally, resolve_ranking(tally, spelling))
        return float(values.mean()) if len(values) else math.nan
    found, table = resolve(tally, spelling), table_of(tally)
    if found.measure.counts_pairs and not table.is_counted:
        return math.nan
    return float(found.values(table.cells))


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
