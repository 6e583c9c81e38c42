"""Compare the probabilities that several systems gave to the same cases, by scores and by bets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Unpack

import numpy as np

from edgeworth.choices import PredictionsMade
from edgeworth.comparing.difference import Difference
from edgeworth.comparing.findings import ComparisonFindings, Terms, all_pairs, compare_pairs
from edgeworth.comparing.forecasts.bets import (
    CaseClusters,
    Duel,
    WealthRace,
    forecast_duel,
    race_of_duels,
    race_of_sums,
    wealth_of_clusters,
)
from edgeworth.comparing.forecasts.differences import forecast_case_difference, forecast_difference
from edgeworth.errors import OptionError
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.reading import CLIPPED
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.forecasts.scoring_rules import RULES, case_scores

MEASURES = tuple(name for name, rule in RULES.items() if not rule.is_ordered)
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
    "Rows of one cluster do not stand together, so bets are not settled in the order of time: of wealth only "
    "the end counts."
)
NOTES: dict[str, tuple[str, ...]] = {
    "before": (),
    "cross-validated": (
        "Predictions were cross-validated: each is of a model that knew other cases' outcomes, so what "
        "wealth proves holds given those.",
    ),
    "in-sample": ("Predictions were made in sample: they flatter whoever fits more, and prove nothing.",),
}


def compare_forecasts(
    forecasts: Mapping[str, Forecasts],
    *,
    measures: Sequence[str] | None = None,
    clusters: Any = None,
    horizon: int = 1,
    ordered: bool = False,
    predictions_made: PredictionsMade = "before",
    clip: float | None = None,
    level: float = 0.95,
    seed: int = 0,
    **terms: Unpack[Terms],
) -> ComparisonFindings:
    """Compare probabilities that several systems gave to the same cases, and let them bet with each other.

    With ``clusters`` a cluster is one bet: the geometric mean of its rows' factors. Forecasts several steps
    ahead (``horizon``), and those made in sample, prove nothing by their wealth; ``no_evidence`` says why.
    """
    wanted = tuple(measures or MEASURES)
    if predictions_made not in NOTES:
        raise OptionError(f"predictions_made is one of {', '.join(NOTES)}; saw {predictions_made!r}")
    notes = (*NOTES[predictions_made], *(() if clip is None else (CLIPPED.format(clip=clip),)))
    scores = ForecastScores.from_forecasts(forecasts, scores=tuple(dict.fromkeys((*wanted, "log"))))
    units = None if clusters is None else CaseClusters.of(clusters, scores.cases)
    by_case = units is not None or horizon != 1 or ordered
    options = {"clusters": units, "horizon": horizon, "ordered": ordered}

    def difference(first: str, second: str, score: str) -> Difference:
        if not by_case:
            found = forecast_difference(scores, first, second, score)
            # Where sums of products have lost the digits, the cases are in hand.
            if found.no_interval is None:
                return found
        return forecast_case_difference(forecasts, first, second, score, **options)

    no_evidence = None if horizon == 1 else OVERLAPPING.format(horizon=horizon)
    if predictions_made == "in-sample":
        no_evidence = IN_SAMPLE
    duels = _duels(forecasts, units, ordered, predictions_made, level)
    race = race_of_duels(duels) if duels else _race_at_the_end(forecasts, scores, units)
    if ordered and units is not None and not units.is_together:
        notes = (*notes, MIXED_UP)
    return compare_pairs(
        "probabilities",
        tuple(forecasts),
        lambda first, second: {score: difference(first, second, score) for score in wanted},
        unit="case" if units is None else "cluster",
        level=level,
        **terms,
        cases=float(scores.cases),
        seed=seed,
        race=race if no_evidence is None else replace(race, evidence={}, no_evidence=no_evidence),
        duels=duels if no_evidence is None else (),
        no_evidence=no_evidence,
        notes=notes,
    )


def _duels(
    forecasts: Mapping[str, Forecasts],
    units: CaseClusters | None,
    ordered: bool,
    predictions_made: PredictionsMade,
    level: float,
) -> tuple[Duel, ...]:
    """Let each bet against each; not of too many pairs, nor where a bet cannot be settled."""
    pairs = all_pairs(tuple(forecasts))
    zeros = [each.of_truth(each.probabilities) == 0 for each in forecasts.values()]
    if len(pairs) > MOST_DUELS or (np.sum(zeros, axis=0) > 1).any():
        return ()
    bet: Callable[..., Wealth] = Wealth.from_forecasts
    if units is not None:
        bet = partial(wealth_of_clusters, clusters=units)
    terms: dict[str, Any] = {"ordered": ordered, "predictions_made": predictions_made}
    return tuple(
        forecast_duel(
            bet(forecasts[first], forecasts[second], against=second, **terms),
            first,
            second,
            level=level,
            unit="case" if units is None else "cluster",
        )
        for first, second in pairs
    )


def _race_at_the_end(
    forecasts: Mapping[str, Forecasts], scores: ForecastScores, units: CaseClusters | None
) -> WealthRace:
    """Find the end of the race alone, from sums of log scores."""
    if units is None:
        return race_of_sums(scores.systems, scores.sums[scores.names.index("log")], scores.cases)
    logs = np.stack([case_scores(each, ("log",))[0] for each in forecasts.values()], axis=1)
    return race_of_sums(tuple(forecasts), units.means(logs).sum(axis=0), units.number, "cluster")
