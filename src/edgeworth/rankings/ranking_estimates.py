"""Estimates of a ranking's measures, and of means over many lists."""

from __future__ import annotations

import math

from edgeworth.core.definition import Measure
from edgeworth.core.estimates import Estimate, law_or_reason, undefined_estimate
from edgeworth.decisions.methods import ClopperPearson, Delta, Dirichlet, Method, Newcombe, Wilson
from edgeworth.decisions.posteriors import BetaPosterior
from edgeworth.errors import OptionError
from edgeworth.rankings.along import ResolvedRanking, needs_whole_cases, resolve_ranking, steps_of
from edgeworth.rankings.formulas.steps import Steps
from edgeworth.rankings.intervals.ranking_methods import AcrossLists, default_ranking_method
from edgeworth.rankings.intervals.resampling import ListValues
from edgeworth.rankings.list_values import counted
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.ranking_testing import lists_tail, selection_tail

OF_DECISIONS = (BetaPosterior, ClopperPearson, Delta, Dirichlet, Newcombe, Wilson)


def estimate_ranking(
    ranking: Ranking, measure: str | Measure, *, method: Method | None = None, seed: int = 0
) -> Estimate:
    """A measure of one ranking with its uncertainty."""
    resolved = resolve_ranking(ranking, measure)
    steps = steps_of(ranking, resolved)
    reason = needs_whole_cases(ranking, resolved) or resolved.undefined(steps)[0]
    if reason is not None:
        return undefined_estimate(ranking, resolved.spelling, reason)
    _check_ranking_method(method)
    chosen = default_ranking_method(ranking, resolved, seed) if method is None else method
    law, no_interval = law_or_reason(chosen, ranking, resolved, required=method is not None)
    return Estimate(
        measure=resolved.spelling,
        value=float(resolved.values(steps)[0]),
        chance=float(resolved.at_random(steps)[0]),
        method=chosen,
        undefined=None,
        no_interval=no_interval,
        tally=ranking,
        law=law,
        chance_test=lambda alternative: selection_tail(ranking, resolved, alternative, seed),
    )


def _check_ranking_method(method: Method | None) -> None:
    if isinstance(method, OF_DECISIONS):
        raise OptionError(
            f"{method} is for decisions (precision@100 cuts a ranking into some); rankings have Influence(), "
            "Boyd(), Survival() and Bootstrap(), many lists AcrossLists() and Bootstrap()"
        )


def estimate_lists(
    lists: RankedLists, measure: str | Measure, *, method: Method | None = None, seed: int = 0
) -> Estimate:
    """A measure's mean over lists with its uncertainty."""
    resolved = resolve_ranking(lists, measure)
    return estimate_steps(lists, resolved, steps_of(lists, resolved), method=method, seed=seed)


def estimate_steps(
    lists: RankedLists,
    resolved: ResolvedRanking,
    steps: Steps,
    *,
    method: Method | None = None,
    seed: int = 0,
) -> Estimate:
    """The same for lists that have been put in order already."""
    values = counted(lists, resolved.values(steps))
    if not len(values):
        reasons = [reason for reason in resolved.undefined(steps) if reason is not None]
        reason = f"no list has a value: {reasons[0]}" if reasons else "there are no lists"
        return undefined_estimate(lists, resolved.spelling, reason)
    value = float(values.mean())
    _check_ranking_method(method)
    chosen: Method = AcrossLists() if method is None else method
    law, no_interval = law_or_reason(chosen, ListValues(values), resolved, required=method is not None)
    chance = counted(lists, resolved.at_random(steps))
    known = len(chance) == len(values)
    return Estimate(
        measure=resolved.spelling,
        value=value,
        chance=float(chance.mean()) if known else math.nan,
        method=chosen,
        undefined=None,
        no_interval=no_interval,
        tally=lists,
        law=law,
        chance_test=lambda alternative: lists_tail(lists, resolved, value, alternative, seed),
    )
