"""All pairs of several systems, of labels, scores or ranked lists: from tallies to findings."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from edgeworth.comparing.difference import Difference
from edgeworth.comparing.findings import (
    Adjust,
    ComparisonFindings,
    Pair,
    all_pairs,
    enough_names,
    headline_of,
    put_together,
    told_pairs,
)
from edgeworth.comparing.forecasts.differences import forecast_case_difference, forecast_difference
from edgeworth.comparing.forecasts.duels import Duel, forecast_duel
from edgeworth.comparing.forecasts.groups import CaseGroups, wealth_of_groups
from edgeworth.comparing.forecasts.race import WealthRace, race_of_duels, race_of_sums
from edgeworth.comparing.labels.differences import default_spellings, label_differences
from edgeworth.comparing.paired import Paired
from edgeworth.comparing.paired_scores import PairedScores
from edgeworth.comparing.queries.differences import (
    QueryRule,
    groups_of_queries,
    match_queries,
    matched_difference,
    query_values,
)
from edgeworth.comparing.queries.permutation import SharedSigns
from edgeworth.comparing.queries.tukey import randomised_tukey
from edgeworth.comparing.scores.differences import score_difference, shared_permutations
from edgeworth.core.laws import check_level
from edgeworth.core.policies import PredictionsMade
from edgeworth.errors import OptionError
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.forecasts.scoring_rules import RULES, case_scores
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.resolving import resolve_ranking

OF_LABELS = ("informedness", "markedness", "accuracy", "mcc")
OF_SCORES = ("average_precision", "roc_auc")
OF_LISTS = ("average_precision", "ndcg@10", "precision@10", "reciprocal_rank")


def compare_labels(
    paired: Paired,
    *,
    measures: Sequence[str] | None = None,
    method: Any = None,
    level: float = 0.95,
    power: float = 0.8,
    adjust: Adjust = "holm",
    seed: int = 0,
) -> ComparisonFindings:
    """Compare labels of several predictors of the same cases."""
    check_level(level)
    names = enough_names(paired.names)
    # Of many systems the measures of single labels are left out: there are pairs enough to read.
    usual = default_spellings(paired) if len(names) <= 3 else OF_LABELS
    spellings = tuple(measures or usual)
    pairs = {
        pair: label_differences(
            paired, *pair, spellings, method=method, seed=seed, level=level, quick=len(names) > 3
        )
        for pair in told_pairs(names)
    }
    return put_together(
        "labels",
        names,
        pairs,
        unit="group" if paired.is_grouped else "case",
        headline=headline_of(pairs),
        level=level,
        power=power,
        adjust=adjust,
        cases=float(paired.total),
        seed=seed,
        disagreements=tuple(_disagreement(paired, *pair) for pair in pairs),
        dropped=paired.dropped,
        notes=_dropped(paired.dropped),
    )


def compare_scores(
    paired: PairedScores,
    *,
    measures: Sequence[str] | None = None,
    method: Any = None,
    level: float = 0.95,
    power: float = 0.8,
    adjust: Adjust = "holm",
    seed: int = 0,
) -> ComparisonFindings:
    """Compare scores that several systems gave to the same cases."""
    check_level(level)
    names = enough_names(paired.names)
    # Swapping two systems takes up to seconds a pair: many pairs share what is quick for two.
    swaps = None if len(names) == 2 else shared_permutations(paired, len(all_pairs(names)))
    pairs = {
        pair: {
            found.measure: found
            for found in (
                score_difference(paired, *pair, measure, method=method, permutations=swaps, seed=seed)
                for measure in measures or OF_SCORES
            )
        }
        for pair in told_pairs(names)
    }
    return put_together(
        "scores",
        names,
        pairs,
        unit="case" if paired.groups is None else "group",
        headline=headline_of(pairs),
        level=level,
        power=power,
        adjust=adjust,
        cases=float(len(paired)),
        seed=seed,
        dropped=paired.dropped,
        notes=_dropped(paired.dropped),
    )


def compare_lists(
    lists: Mapping[str, RankedLists],
    *,
    measures: Sequence[str] | None = None,
    queries: QueryRule = "intersection",
    groups: Mapping[Any, Hashable] | None = None,
    level: float = 0.95,
    power: float = 0.8,
    adjust: Adjust = "holm",
    draws: int = 10_000,
    seed: int = 0,
) -> ComparisonFindings:
    """Compare ranked lists query by query.

    ``groups`` names the group of each query, where queries come in groups that belong together (one user's,
    variants of one question): the unit is then the group.
    """
    check_level(level)
    names = enough_names(tuple(lists))
    pairs: dict[Pair, dict[str, Difference]] = {pair: {} for pair in all_pairs(names)}
    notes: list[str] = []
    tukey: dict[Pair, float] | None = None
    headline = ""
    cases = math.nan
    for spelling in measures or OF_LISTS:
        resolved = resolve_ranking(next(iter(lists.values())), spelling)
        matched = match_queries(
            {name: query_values(each, spelling) for name, each in lists.items()}, queries=queries
        )
        if matched.note is not None:
            notes.append(f"{matched.note[0].upper()}{matched.note[1:]}.")
        # Of many pairs random signs are drawn once for all, and only the first measure's are counted.
        many = len(names) > 3 and len(matched.queries) > 0 and groups is None
        shared = SharedSigns.of(matched.values, draws=draws, seed=seed) if many else None
        for first, second in pairs:
            pairs[first, second][resolved.spelling] = matched_difference(
                matched,
                first,
                second,
                measure=resolved.spelling,
                direction=resolved.measure.direction,
                groups=groups,
                draws=draws,
                seed=seed,
                shared=shared,
                exact=not headline,
            )
        if not headline:
            headline, cases = resolved.spelling, float(len(matched.queries))
            if adjust == "tukey" and len(matched.queries):
                units = None if groups is None else groups_of_queries(matched.queries, groups)
                p_values = randomised_tukey(matched.values, groups=units, draws=draws, seed=seed).p_values
                place = {name: index for index, name in enumerate(names)}
                tukey = {(a, b): float(p_values[place[a], place[b]]) for a, b in pairs}
    return put_together(
        "lists",
        names,
        pairs,
        unit="query" if groups is None else "group",
        headline=headline,
        level=level,
        power=power,
        adjust=adjust,
        tukey=tukey,
        cases=cases,
        seed=seed,
        notes=tuple(dict.fromkeys(notes)),
    )


def _disagreement(paired: Paired, first: str, second: str) -> dict[str, Any]:
    found = paired.discordance(first, second)
    words = (
        "both_right",
        "only_first_right",
        "only_second_right",
        "both_wrong_alike",
        "both_wrong_differently",
        "disagreements",
    )
    return {"first": first, "second": second, **{word: getattr(found, word) for word in words}}


def _dropped(number: int) -> tuple[str, ...]:
    return (f"{number:,} rows were dropped for missing values.",) if number else ()


OF_FORECASTS = tuple(name for name, rule in RULES.items() if not rule.is_ordered)
MOST_DUELS = 28
"""Pairs whose wealth is followed case by case: eight systems; of more only the end is told."""

IN_SAMPLE = (
    "the predictions were made in sample: they knew these outcomes, so the wealth they would have won proves "
    "nothing"
)
OVERLAPPING = (
    "forecasts {horizon} steps ahead are bets that overlap: the next is placed before the last is settled, "
    "so the product of their factors is no e-value, and the confidence sequences do not hold"
)
MIXED_UP = (
    "Rows of one group do not stand together, so bets are not settled in the order of time: of wealth only "
    "the end counts."
)


def compare_forecasts(
    forecasts: Mapping[str, Forecasts],
    *,
    measures: Sequence[str] | None = None,
    groups: Any = None,
    horizon: int = 1,
    ordered: bool = False,
    predictions_made: PredictionsMade = "before",
    level: float = 0.95,
    power: float = 0.8,
    adjust: Adjust = "holm",
    seed: int = 0,
) -> ComparisonFindings:
    """Compare probabilities that several systems gave to the same cases, and let them bet with each other.

    With ``groups`` a group is one bet: the geometric mean of its rows' factors. Forecasts several steps ahead
    (``horizon``), and those made in sample, prove nothing by their wealth, and ``no_evidence`` says why.
    """
    check_level(level)
    names = enough_names(tuple(forecasts))
    wanted = tuple(measures or OF_FORECASTS)
    notes = _how_made(predictions_made)
    scores = ForecastScores.from_forecasts(forecasts, scores=tuple(dict.fromkeys((*wanted, "log"))))
    units = None if groups is None else CaseGroups.of(groups, scores.cases)
    by_case = units is not None or horizon != 1

    def difference(pair: Pair, score: str) -> Difference:
        if not by_case:
            found = forecast_difference(scores, *pair, score)
            # Where sums of products have lost the digits, the cases are in hand.
            if found.no_interval is None:
                return found
        return forecast_case_difference(forecasts, *pair, score, groups=units, horizon=horizon)

    pairs = {pair: {score: difference(pair, score) for score in wanted} for pair in told_pairs(names)}
    no_evidence = _no_evidence(predictions_made, horizon)
    duels = _duels(forecasts, units, ordered, predictions_made, level)
    race = race_of_duels(duels) if duels else _race_at_the_end(forecasts, scores, units)
    if ordered and units is not None and not units.is_together:
        notes = (*notes, MIXED_UP)
    return put_together(
        "probabilities",
        names,
        pairs,
        unit="case" if units is None else "group",
        headline=headline_of(pairs),
        level=level,
        power=power,
        adjust=adjust,
        cases=float(scores.cases),
        seed=seed,
        race=race if no_evidence is None else race.without_evidence(no_evidence),
        duels=duels if no_evidence is None else (),
        no_evidence=no_evidence,
        notes=notes,
    )


def _no_evidence(predictions_made: PredictionsMade, horizon: int) -> str | None:
    if predictions_made == "in-sample":
        return IN_SAMPLE
    return None if horizon == 1 else OVERLAPPING.format(horizon=horizon)


def _duels(
    forecasts: Mapping[str, Forecasts],
    units: CaseGroups | None,
    ordered: bool,
    predictions_made: PredictionsMade,
    level: float,
) -> tuple[Duel, ...]:
    """The wealth of each against each, bet by bet; none of too many, or where a bet cannot be settled."""
    pairs = all_pairs(tuple(forecasts))
    if len(pairs) > MOST_DUELS or not _settled(forecasts):
        return ()
    found = []
    for first, second in pairs:
        mine, its = forecasts[first], forecasts[second]
        terms: dict[str, Any] = {
            "against": second,
            "ordered": ordered,
            "predictions_made": predictions_made,
        }
        if units is None:
            wealth, unit = Wealth.from_forecasts(mine, its, **terms), "case"
        else:
            wealth, unit = wealth_of_groups(mine, its, units, **terms), "group"
        found.append(forecast_duel(wealth, first, second, level=level, unit=unit))
    return tuple(found)


def _race_at_the_end(
    forecasts: Mapping[str, Forecasts], scores: ForecastScores, units: CaseGroups | None
) -> WealthRace:
    """The same without the way there, from sums of log scores."""
    if units is None:
        return race_of_sums(scores.systems, scores.sums[scores.names.index("log")], scores.cases)
    logs = np.stack([case_scores(each, ("log",))[0] for each in forecasts.values()], axis=1)
    return race_of_sums(tuple(forecasts), units.means(logs).sum(axis=0), units.number, "group")


def _settled(forecasts: Mapping[str, Forecasts]) -> bool:
    """Whether no two systems gave probability 0 to the same thing that happened."""
    zeros = [each.of_truth(each.probabilities) == 0 for each in forecasts.values()]
    return not bool((np.sum(zeros, axis=0) > 1).any())


def _how_made(predictions_made: PredictionsMade) -> tuple[str, ...]:
    said = {
        "before": (),
        "cross-validated": (
            "Predictions were cross-validated: each is of a model that knew other cases' outcomes, so what "
            "wealth proves holds given those.",
        ),
        "in-sample": ("Predictions were made in sample: they flatter whoever fits more, and prove nothing.",),
    }
    if predictions_made not in said:
        raise OptionError(f"predictions_made is one of {', '.join(said)}; saw {predictions_made!r}")
    return said[predictions_made]
