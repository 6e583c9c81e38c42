"""The parts of a tally of forecasts that measures are computed from, and estimates of these measures."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from edgeworth.core.estimates import Estimate, Method, estimate, no_test, undefined_estimate
from edgeworth.core.measures import Measure, Spelling
from edgeworth.core.registry import canonical_spelling, catalogue
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import OptionError
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.calibration import Calibration
from edgeworth.forecasts.estimates import paired_score_test
from edgeworth.forecasts.kind import SCORES
from edgeworth.forecasts.scarce_outcomes import scarcity_of_tally
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.forecasts.tally import AGAINST, MODEL, POSSIBLE_SCORES, ForecastTally
from edgeworth.rankings.ranking import Ranking
from edgeworth.sources.columns import Label


def area_estimate(tally: ForecastTally, label: Label) -> Estimate:
    """Estimate the ROC area of a class; with clusters and several classes it has no interval."""
    area = estimate(tally.ranking(label), "roc_area")
    if tally.clusters is None or len(tally.labels) == 2:
        return area
    reason = "a ROC area of one class of several is not supported with clusters"
    return replace(area, law=None, method=None, no_interval=reason, chance_test=no_test)


def calibration_of(tally: ForecastTally) -> Calibration:
    """Return the calibration of every class; of two, the first mirrors the second."""
    curves = tally.curves
    if len(tally.labels) == 2 and len(curves) == 1:
        curves = (curves[0].mirror(), *curves)
    return Calibration(tally.labels, curves, clusters=tally.clusters)


def estimate_tally(
    tally: ForecastTally, measure: str | Measure, *, method: Method | None = None, seed: int = 0
) -> Estimate:
    """Estimate a measure of the model's scores, wealth, calibration, top-1 decisions or ranking.

    A mean score is tested against the opponent's, case by case, as in the verdict. Ordered cases have a
    confidence sequence there instead, and cases in which too little happened have Hoeffding's bounds; here
    neither has a p-value.
    """
    part, written = part_of_tally(tally, measure)
    result = estimate(part, str(written), method=method, rng=seed)
    if isinstance(part, Wealth) and (tally.clusters is not None or tally.is_weighted):
        rows = "weights" if tally.clusters is None else "clusters"
        reason = f"{result.measure} is not supported with {rows}: bets treat rows as equal and independent"
        return undefined_estimate(part, result.measure, reason, result.size)
    entry = next((entry for entry in catalogue() if entry.name == written.name), None)
    is_sequential = tally.wealth.ordered and tally.wealth.book != "constant"
    if entry is None or not entry.score or written.label not in (None, MODEL) or is_sequential:
        return result
    scores = replace(tally.scores, clusters=tally.clusters)
    possible = tally.possible if entry.score in POSSIBLE_SCORES else None
    scarcity = scarcity_of_tally(scores, tally.tables, possible, entry.score)
    if scarcity is not None:
        return replace(result, no_chance_test=scarcity)
    test = paired_score_test(scores, entry.score, MODEL, AGAINST, name=tally.against)
    return replace(result, chance_test=test)


PartOfForecasts: TypeAlias = ContingencyTable | ForecastScores | Wealth | Calibration | Ranking


def part_of_tally(tally: ForecastTally, measure: str | Measure) -> tuple[PartOfForecasts, Spelling]:
    """Find the part of a tally that a measure is computed from, and how the measure is written for it."""
    written = Spelling(measure.name) if isinstance(measure, Measure) else canonical_spelling(measure, SCORES)
    entry = next((entry for entry in catalogue() if entry.name == written.name), None)
    scope = "scores" if entry is None else entry.scope
    part: PartOfForecasts = tally.tables[MODEL]
    if scope == "scores":
        scores = replace(tally.scores, clusters=tally.clusters)
        # The report is about the model, so a score needs a name only if you ask for one.
        part = scores.alone(MODEL) if written.label is None and tally.labels else scores
    elif scope == "wealth":
        part = tally.wealth
    elif scope == "calibration":
        part = calibration_of(tally)
    elif scope == "ranking" or written.depth is not None:
        ranking = tally.ranking()
        if ranking is None:
            raise OptionError(f"{written}: more than two classes have no single ranking")
        part = ranking
    return part, written
