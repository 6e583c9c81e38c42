"""The front of this folder: any tally and a measure to an estimate with its uncertainty."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from edgeworth.core.definition import Measure
from edgeworth.core.estimates import Estimate, check_method, law_or_reason, undefined_estimate
from edgeworth.decisions.computing import Resolved, at_guessing, resolve
from edgeworth.decisions.methods import Delta, Dirichlet, Method, default_method, is_at_an_end
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.testing import guessing_tail
from edgeworth.errors import check_seed

if TYPE_CHECKING:
    from edgeworth.core.measurable import Measurable


def estimate(
    tally: Measurable, measure: str | Measure, *, method: Method | None = None, seed: int = 0
) -> Estimate:
    """A measure with its uncertainty.

    Without a ``method`` each measure gets the one that suits it. Of decisions: Wilson for proportions,
    Newcombe for informedness of two classes or of one label, the delta method for the rest, weights and
    clusters included. Of a ranking: the influence of each case for average precision and ROC area, a
    bootstrap for the rest; at a depth, what suits the decisions there. Of many lists: Student's t over lists.
    Of probabilities: Student's t over cases.

    >>> table = ContingencyTable.from_matrix([[56, 48], [14, 32]], rows="predicted")
    >>> [round(bound, 4) for bound in estimate(table, "informedness").interval()]
    [0.0524, 0.3339]
    """
    check_seed(seed)
    check_method(method)
    if isinstance(tally, ContingencyTable):
        return estimate_decisions(tally, measure, method=method, seed=seed)
    return _estimate_others(tally, measure, method, seed)


def _estimate_others(tally: Any, measure: str | Measure, method: Method | None, seed: int) -> Estimate:
    """Of rankings and probabilities; what that takes is loaded for them alone."""
    from edgeworth.forecasts.betting.wealth import Wealth
    from edgeworth.forecasts.calibration import Calibration
    from edgeworth.forecasts.forecast_estimates import estimate_forecasts
    from edgeworth.forecasts.scores import ForecastScores
    from edgeworth.rankings.along import cut_of
    from edgeworth.rankings.lists import RankedLists
    from edgeworth.rankings.ranking import Ranking
    from edgeworth.rankings.ranking_estimates import estimate_lists, estimate_ranking

    if isinstance(tally, ForecastScores | Calibration | Wealth):
        return estimate_forecasts(tally, measure, method=method)
    if isinstance(tally, RankedLists):
        return estimate_lists(tally, measure, method=method, seed=seed)
    if not isinstance(tally, Ranking):
        return estimate_decisions(tally, measure, method=method, seed=seed)
    cut = cut_of(tally, measure)
    if cut is None:
        return estimate_ranking(tally, measure, method=method, seed=seed)
    table, spelling = cut
    return replace(estimate_decisions(table, spelling, method=method, seed=seed), measure=str(measure))


def estimate_decisions(
    tally: ContingencyTable, measure: str | Measure, *, method: Method | None = None, seed: int = 0
) -> Estimate:
    """A measure of decisions with its uncertainty."""
    resolved = resolve(tally, measure)
    table, focus = _in_focus(tally, resolved)
    undefined = focus.undefined(table)
    if undefined is not None:
        return undefined_estimate(tally, resolved.spelling, undefined)
    chosen = default_method(table, focus, seed) if method is None else method
    law, no_interval = law_or_reason(chosen, table, focus, required=method is not None)
    if method is None and isinstance(chosen, Delta) and is_at_an_end(table, focus, law):
        # An error of 0 proves nothing.
        chosen = Dirichlet(seed=seed)
        law, no_interval = law_or_reason(chosen, table, focus, required=False)
    return Estimate(
        measure=resolved.spelling,
        value=float(focus.values(table.cells)),
        chance=at_guessing(focus, table),
        method=chosen,
        undefined=None,
        no_interval=no_interval,
        tally=tally,
        law=law,
        chance_test=lambda alternative: guessing_tail(tally, resolved, alternative, seed),
    )


def _in_focus(table: ContingencyTable, resolved: Resolved) -> tuple[ContingencyTable, Resolved]:
    """A measure of one label needs four cells, not a thousand labels squared."""
    if resolved.position is None or table.clusters is not None or len(table.labels) <= 2:
        return table, resolved
    return table.one_against_rest(resolved.label), replace(resolved, position=0)
