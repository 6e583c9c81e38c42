"""Usual cuts of a ranking as rows of a table, and what it does where targets are rarer or more frequent."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from edgeworth.arrays import finite_or_none
from edgeworth.core.estimates import estimate
from edgeworth.core.formatting import format_level, format_number
from edgeworth.core.registry import measure
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import OptionError
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.thresholds import Cuts, Goal, thresholds_at
from edgeworth.report.report import Cell, Grid, Report, Section, make_columns

MOST_FALLOUT = 0.05
"""Powers' limit on errors of the first kind."""
MEASURES = ("recall", "fallout", "precision", "informedness")


def usual_cuts(ranking: Ranking) -> dict[str, float]:
    """Find the thresholds of highest informedness, of fallout up to 5%, and of as many predicted as real."""
    cuts = Cuts.of(ranking)
    low = int(np.flatnonzero(cuts.fallout <= MOST_FALLOUT)[-1])
    best, _ = Goal().best(cuts)
    places = {"highest informedness": best, f"fallout at most {MOST_FALLOUT:.0%}": low}
    found = {
        name: math.inf if not place else thresholds_at(ranking, np.array([place]))[0]
        for name, place in places.items()
    }
    return found | {"as many predicted as actual targets": _matching_threshold(ranking)}


def _matching_threshold(ranking: Ranking) -> float:
    """Find the score down to which most nearly as many are predicted as there are targets."""
    scores = np.union1d(ranking.targets.scores, ranking.background.scores)
    low, high = 0, len(scores) - 1
    while low < high:
        # The lowest score that takes no more than there are targets.
        middle = (low + high) // 2
        low, high = (
            (low, middle) if _taken(ranking, scores[middle]) <= ranking.target_total else (middle + 1, high)
        )
    near = [float(score) for score in scores[max(low - 1, 0) : low + 1][::-1]]
    return min(near, key=lambda score: abs(_taken(ranking, score) - ranking.target_total))


def _taken(ranking: Ranking, threshold: float) -> float:
    table = ranking.at_threshold(threshold)
    return float(table.predicted[table.index(ranking.target)])


def shifted_precision(table: ContingencyTable, prevalence: float, level: float) -> tuple[float, float, float]:
    """Compute precision where targets have another share, from recall and fallout, with an interval.

    The two are of different cases, so that the errors of their logarithms add up in squares (Donner & Zou
    2012, MOVER), with Wilson's bounds of each.
    """
    recall, fallout = (estimate(table, name) for name in ("recall", "fallout"))
    hit, alarm = recall.value, fallout.value
    (hit_low, hit_high), (alarm_low, alarm_high) = recall.interval(level), fallout.interval(level)
    if not hit or not alarm:
        # A bound of each: one of the logarithms is not finite.
        ratios = (hit / alarm if alarm else math.inf if hit else math.nan), hit_low / alarm_high, math.inf
        ratios = ratios if not alarm else (0.0, 0.0, hit_high / alarm_low if alarm_low else math.inf)
    else:
        down = math.hypot(math.log(hit / hit_low), math.log(alarm_high / alarm))
        up = math.hypot(math.log(hit_high / hit), math.log(alarm / alarm_low))
        ratios = (hit / alarm, hit / alarm * math.exp(-down), hit / alarm * math.exp(up))
    odds = prevalence / (1 - prevalence)
    value, low, high = (1 - 1 / (1 + odds * ratio) if ratio < math.inf else 1.0 for ratio in ratios)
    return value if hit or alarm else math.nan, low, high


def shifted_average_precision(ranking: Ranking, prevalence: float) -> float:
    """Compute average precision where targets have another share; tied items are taken together.

    >>> ranking = Ranking.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    >>> shifted_average_precision(ranking, 0.5), round(shifted_average_precision(ranking, 0.1), 4)
    (0.8333333333333333, 0.5909)
    """
    cuts = Cuts.of(ranking)
    hits, alarms = prevalence * cuts.recall[1:], (1 - prevalence) * cuts.fallout[1:]
    return float((np.diff(cuts.recall) * hits / (hits + alarms)).sum())


def with_cuts(report: Report, ranking: Ranking, prevalence: float | None, level: float) -> Report:
    """Add the usual cuts to a report, and what to expect at a prevalence that was asked for."""
    if prevalence is not None and not 0 < prevalence < 1:
        raise OptionError(f"a prevalence lies between 0 and 1; saw {prevalence!r}")
    if not ranking.targets.total or not ranking.background.total:
        return report
    cuts: list[dict[str, Any]] = []
    lines: list[tuple[Cell, ...]] = []
    for name, threshold in usual_cuts(ranking).items():
        table = ranking.at_threshold(threshold)
        values = {each: finite_or_none(measure(table, each)) for each in MEASURES}
        depth = float(table.predicted[table.index(ranking.target)])
        cuts.append({"chosen_for": name, "threshold": finite_or_none(threshold), "depth": depth} | values)
        if prevalence is not None:
            value, low, high = map(finite_or_none, shifted_precision(table, prevalence, level))
            cuts[-1]["shifted_precision"] = {"value": value, "low": low, "high": high, "level": level}
            lines.append((f"precision, {name}", value, (low, high), prevalence))
    columns = make_columns("cut/text", "threshold", "predicted/count", *MEASURES)
    rows = tuple(tuple(list(cut.values())[: len(columns)]) for cut in cuts)
    sections = [Section("Usual cuts", (), (Grid("", columns, rows, "on the data that chose them"),))]
    numbers: dict[str, Any] = {"cuts": cuts}
    if prevalence is not None:
        value = shifted_average_precision(ranking, prevalence)
        lines.insert(0, ("average precision", value, (None, None), prevalence))
        columns = make_columns("measure/text", "value", f"{format_level(level)} CI/interval", "chance level")
        text = (
            "The scores of each class are taken to be as here; only the share of targets changes. Recall, "
            "fallout, informedness and ROC area stay the same.",
        )
        note = (
            "intervals take the cut as fixed; average precision leans upward where targets are rarer than "
            "here, since few of the others are seen near the top, and has no interval"
        )
        title = f"At a prevalence of {format_number(prevalence)}"
        sections.append(Section(title, text, (Grid("", columns, tuple(lines), note),), is_main=True))
        numbers["prevalence"] = {"share": prevalence, "average_precision": value}
    place = next((i + 1 for i, x in enumerate(report.sections) if x.slider is not None), len(report.sections))
    every = (*report.sections[:place], *sections, *report.sections[place:])
    return replace(report, sections=every, numbers={**report.numbers, **numbers})
