"""The front of this folder: any tally and a spelling to a number."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from edgeworth.core.definition import Measure
from edgeworth.decisions.computing import resolve
from edgeworth.decisions.table import ContingencyTable

if TYPE_CHECKING:
    from edgeworth.core.measurable import Measurable


def measure(tally: Measurable, spelling: str | Measure) -> float:
    """The value of a measure; nan when it is undefined (``ew.estimate`` says why).

    Of many lists it is the mean over those where it is defined.

    >>> table = ContingencyTable.from_matrix([[58, 20], [12, 10]], rows="predicted", labels=["noun", "verb"])
    >>> round(measure(table, "informedness"), 4), round(measure(table, "recall[noun]"), 4)
    (0.1619, 0.8286)
    >>> from edgeworth.tallies import ForecastScores, Ranking
    >>> ranking = Ranking.from_hits([1, 1, 0, 1, 0, 0, 0, 0])
    >>> round(measure(ranking, "average_precision"), 4), measure(ranking, "precision@2")
    (0.9167, 1.0)
    >>> scores = ForecastScores.from_probabilities([1, 0, 1], {"A": [0.8, 0.3, 0.5], "B": [0.5, 0.5, 0.5]})
    >>> round(measure(scores, "brier[A]"), 6), round(measure(scores, "log[B]"), 6)
    (0.126667, 0.693147)
    """
    if isinstance(tally, ContingencyTable):
        return _measure_decisions(tally, spelling)
    return _measure_others(tally, spelling)


def _measure_decisions(table: ContingencyTable, spelling: str | Measure) -> float:
    found = resolve(table, spelling)
    if found.measure.counts_pairs and not table.is_counted:
        return math.nan
    return float(found.values(table.cells))


def _measure_others(tally: Any, spelling: str | Measure) -> float:
    """Of rankings and probabilities; what that takes is loaded for them alone."""
    from edgeworth.forecasts.betting.wealth import Wealth
    from edgeworth.forecasts.calibration import Calibration
    from edgeworth.forecasts.resolving import resolve_forecast
    from edgeworth.forecasts.scores import ForecastScores
    from edgeworth.rankings.along import cut_of, needs_whole_cases, resolve_ranking, steps_of
    from edgeworth.rankings.list_values import counted_values
    from edgeworth.rankings.lists import RankedLists
    from edgeworth.rankings.ranking import Ranking

    if isinstance(tally, ForecastScores | Calibration | Wealth):
        return resolve_forecast(tally, spelling).value(tally)
    if isinstance(tally, RankedLists):
        values = counted_values(tally, resolve_ranking(tally, spelling))
        return float(values.mean()) if len(values) else math.nan
    if not isinstance(tally, Ranking):
        return _measure_decisions(tally, spelling)
    cut = cut_of(tally, spelling)
    if cut is not None:
        return measure(*cut)
    resolved = resolve_ranking(tally, spelling)
    if needs_whole_cases(tally, resolved) is not None:
        return math.nan
    return float(resolved.values(steps_of(tally, resolved))[0])
