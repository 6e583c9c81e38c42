"""All pairs of several systems, on every kind of prediction: from tallies to findings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from edgeworth.errors import InputError, OptionError
from edgeworth.inference.comparing.differences import Difference
from edgeworth.inference.comparing.findings import (
    Adjust,
    ComparisonFindings,
    Pair,
    all_pairs,
    put_together,
    told_pairs,
)
from edgeworth.inference.comparing.forecasts.forecast_differences import (
    forecast_case_difference,
    forecast_difference,
)
from edgeworth.inference.comparing.forecasts.forecast_duels import Duel, forecast_duel
from edgeworth.inference.comparing.forecasts.wealth_race import race_of_duels, race_of_scores
from edgeworth.inference.comparing.labels.label_differences import default_spellings, label_differences
from edgeworth.inference.comparing.queries.list_differences import (
    QueryRule,
    match_queries,
    matched_difference,
    query_values,
)
from edgeworth.inference.comparing.queries.tukey import randomised_tukey
from edgeworth.inference.comparing.scores.score_differences import score_difference
from edgeworth.inference.laws import check_level
from edgeworth.measures import resolve_ranking
from edgeworth.tallies import ForecastScores, Paired, PairedScores, RankedLists, Wealth
from edgeworth.tallies.forecast_columns import Forecasts
from edgeworth.tallies.wealth import PredictionsMade

OF_LABELS = ("informedness", "markedness", "accuracy", "mcc")
OF_SCORES = ("average_precision", "roc_auc")
OF_LISTS = ("average_precision", "ndcg@10", "precision@10", "reciprocal_rank")
OF_FORECASTS = ("log", "brier", "spherical")
MOST_DUELS = 28
"""Pairs whose wealth is followed case by case: eight systems; of more only the end is told."""


def compare_labels(
    paired: Paired,
    *,
    measures: Sequence[str] | None = None,
    method: Any = None,
    level: float = 0.95,
    adjust: Adjust = "holm",
    seed: int = 0,
) -> ComparisonFindings:
    """Compare labels of several predictors of the same cases."""
    check_level(level)
    names = _enough(paired.names)
    # Of many systems the measures of single labels are left out: there are pairs enough to read.
    usual = default_spellings(paired) if len(names) <= 3 else OF_LABELS
    spellings = tuple(measures or usual)
    pairs = {
        pair: label_differences(paired, *pair, spellings, method=method, seed=seed)
        for pair in told_pairs(names)
    }
    return put_together(
        "labels",
        names,
        pairs,
        unit="group" if paired.is_grouped else "case",
        headline=_headline(pairs),
        level=level,
        adjust=adjust,
        cases=float(paired.total),
        seed=seed,
        disagreements=tuple(_disagreement(paired, *pair) for pair in pairs),
        notes=_dropped(paired.dropped),
    )


def compare_scores(
    paired: PairedScores,
    *,
    measures: Sequence[str] | None = None,
    method: Any = None,
    level: float = 0.95,
    adjust: Adjust = "holm",
    seed: int = 0,
) -> ComparisonFindings:
    """Compare scores that several systems gave to the same cases."""
    check_level(level)
    names = _enough(paired.names)
    # Permutations beside the test to go by take seconds a pair: of many pairs they are left out.
    swaps = None if len(names) == 2 else 0
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
        headline=_headline(pairs),
        level=level,
        adjust=adjust,
        cases=float(len(paired)),
        seed=seed,
        notes=_dropped(paired.dropped),
    )


def compare_lists(
    lists: Mapping[str, RankedLists],
    *,
    measures: Sequence[str] | None = None,
    queries: QueryRule = "intersection",
    level: float = 0.95,
    adjust: Adjust = "holm",
    draws: int = 10_000,
    seed: int = 0,
) -> ComparisonFindings:
    """Compare ranked lists query by query."""
    check_level(level)
    names = _enough(tuple(lists))
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
        for first, second in pairs:
            pairs[first, second][resolved.spelling] = matched_difference(
                matched,
                first,
                second,
                measure=resolved.spelling,
                direction=resolved.measure.direction,
                draws=draws,
                seed=seed,
            )
        if not headline:
            headline, cases = resolved.spelling, float(len(matched.queries))
            if adjust == "tukey" and len(matched.queries):
                p_values = randomised_tukey(matched.values, draws=draws, seed=seed).p_values
                place = {name: index for index, name in enumerate(names)}
                tukey = {(a, b): float(p_values[place[a], place[b]]) for a, b in pairs}
    return put_together(
        "lists",
        names,
        pairs,
        unit="query",
        headline=headline,
        level=level,
        adjust=adjust,
        tukey=tukey,
        cases=cases,
        seed=seed,
        notes=tuple(dict.fromkeys(notes)),
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
    adjust: Adjust = "holm",
    seed: int = 0,
) -> ComparisonFindings:
    """Compare probabilities that several systems gave to the same cases, and let them bet with each other."""
    check_level(level)
    names = _enough(tuple(forecasts))
    wanted = tuple(measures or OF_FORECASTS)
    scores = ForecastScores.from_forecasts(forecasts, scores=tuple(dict.fromkeys((*wanted, "log"))))
    by_case = groups is not None or horizon != 1

    def difference(pair: Pair, score: str) -> Difference:
        if by_case:
            return forecast_case_difference(forecasts, *pair, score, groups=groups, horizon=horizon)
        return forecast_difference(scores, *pair, score)

    pairs = {pair: {score: difference(pair, score) for score in wanted} for pair in told_pairs(names)}
    duels = _duels(forecasts, pairs, ordered, predictions_made, level)
    race = race_of_duels(duels) if duels else race_of_scores(scores)
    return put_together(
        "probabilities",
        names,
        pairs,
        unit="case" if groups is None else "group",
        headline=_headline(pairs),
        level=level,
        adjust=adjust,
        cases=float(scores.cases),
        seed=seed,
        race=race,
        duels=duels,
        notes=_how_made(predictions_made),
    )


def _duels(
    forecasts: Mapping[str, Forecasts],
    pairs: Mapping[Pair, Any],
    ordered: bool,
    predictions_made: PredictionsMade,
    level: float,
) -> tuple[Duel, ...]:
    """The wealth of each against each, case by case; none of too many, or where a bet cannot be settled."""
    if len(pairs) > MOST_DUELS or not _settled(forecasts):
        return ()
    found = []
    for first, second in pairs:
        wealth = Wealth.from_forecasts(
            forecasts[first],
            forecasts[second],
            against=second,
            ordered=ordered,
            predictions_made=predictions_made,
        )
        found.append(forecast_duel(wealth, first, second, level=level))
    return tuple(found)


def _settled(forecasts: Mapping[str, Forecasts]) -> bool:
    """Whether no two systems gave probability 0 to the same thing that happened."""
    zeros = [each.of_truth(each.probabilities) == 0 for each in forecasts.values()]
    return not bool((np.sum(zeros, axis=0) > 1).any())


def _headline(pairs: Mapping[Pair, Mapping[str, Difference]]) -> str:
    """The first measure that every pair has a value of, else the first."""
    spellings = tuple(next(iter(pairs.values())))
    for spelling in spellings:
        if all(found[spelling].undefined is None for found in pairs.values()):
            return spelling
    return spellings[0]


def _enough(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) < 2:
        raise InputError(f"a comparison needs two systems at least; saw {len(names)}")
    return names


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
