"""Cuts of a ranking: the threshold chosen, usual cuts, another prevalence, and a cut that readers move."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from edgeworth.common.arrays import finite_or_none
from edgeworth.common.json_types import JsonObject
from edgeworth.core.estimates import Estimate, estimate
from edgeworth.core.formatting import MINUS, format_count, format_interval, format_level, format_number
from edgeworth.core.registry import measure
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import OptionError
from edgeworth.rankings.estimates import estimate_lists
from edgeworth.rankings.findings import ListFindings
from edgeworth.rankings.measure_lookup import resolve_ranking, tie_groups_of
from edgeworth.rankings.policy import MAX_USUAL_FALLOUT
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.thresholds import (
    DIVISIONS_INTO_FOLDS,
    FOLDS,
    Cuts,
    Goal,
    ThresholdChoice,
    thin_cuts,
    thresholds_at,
)
from edgeworth.report.estimates import estimate_row
from edgeworth.report.report import Cell, Column, Grid, Report, Section, make_columns
from edgeworth.report.slider import MAX_SLIDER_STEPS, Slider
from edgeworth.report.verdict import Claim, Verdict, claims_of, estimate_numbers
from edgeworth.report.wording import describe_estimate, enumerate_names, format_like, format_option

SLID = ("recall", "precision", "informedness")
"""Measures that a page shows beside a cut that its reader moves."""
NAMES = {"cost": "cost per case"}
START_DEPTH = 10
"""The depth of queries that a page shows first."""


def threshold_section(
    ranking: Ranking | None, choice: ThresholdChoice | None, level: float
) -> tuple[Section, ...]:
    """Report the chosen threshold, its values on these data, and what to expect on new data."""
    if ranking is None or choice is None:
        return ()
    table, own, new = choice.table, choice.estimates, choice.expected
    selected = f"{format_count(choice.depth)} of {format_count(float(ranking.total))} items"
    text = [
        f"{_where(ranking, choice)} ({choice.goal.words}): {selected} are predicted {ranking.target}.",
        "It was chosen on these data, so the values below are optimistic: expect less on new data.",
    ]
    if new:
        text[1] = (
            "It was chosen on these data, so its values on them are optimistic. On new data, expect "
            f"{_sought(choice.goal, new, level)}. This is measured on cases that were not used to choose "
            f"the threshold ({FOLDS}-fold cross-fitting, repeated {DIVISIONS_INTO_FOLDS} times)."
        )
    names = (Column("predicted ↓  actual →"), *(Column(str(label), "count") for label in table.labels))
    counts = zip(table.labels, table.counts.tolist(), strict=True)
    interval = f"{format_level(level)} interval/interval"
    heads = ["measure/text", "these data", interval, *(["new data (cross-fitted)", interval] if new else [])]
    tables = [own, new] if new else [own]
    rows = tuple(
        (
            NAMES.get(name, name),
            *(cell for estimates in tables for cell in estimate_row(estimates[name], level)[1:3]),
        )
        for name in own
    )
    rows += tuple(
        (f"cost per case, {name}", *(cell for _ in tables for cell in estimate_row(cost, level)[1:3]))
        for name, cost in choice.constant_costs.items()
    )
    note = "Intervals treat the threshold as fixed. On new data, coverage may be up to 10 points lower"
    grids = (
        Grid("", names, tuple((str(label), *row) for label, row in counts)),
        Grid("", make_columns(*heads), rows, note),
    )
    slider = partial(threshold_slider, ranking, choice, level)
    is_requested = choice.goal != Goal()
    return (Section("Where to cut", tuple(text), grids, is_main=is_requested, slider=slider),)


def _sought(goal: Goal, estimates: Mapping[str, Estimate], level: float) -> str:
    """Write the values that the threshold was chosen for or must reach."""
    names = (goal.aim, *(name for name in goal.required if name != goal.aim))
    return enumerate_names(
        [f"{NAMES.get(name, name)} {describe_estimate(estimates[name], level)}" for name in names]
    )


def _where(ranking: Ranking, choice: ThresholdChoice) -> str:
    if not choice.depth:
        return "No score is high enough"
    return f"{_threshold_word(ranking)} {_shown_key(ranking, choice)}"


def _shown_key(ranking: Ranking, choice: ThresholdChoice) -> str:
    return _key(ranking, choice.threshold).replace("-", MINUS)


def _threshold_word(ranking: Ranking) -> str:
    return "Depth" if ranking.is_placed else "Threshold"


def _key(ranking: Ranking, threshold: float) -> str:
    """Name a threshold for links; by its rank if scores are ranks."""
    if ranking.is_placed:
        return "0" if threshold == math.inf else str(-int(threshold))
    return repr(threshold).removesuffix(".0")


def with_threshold(
    verdict: str, ranking: Ranking | None, choice: ThresholdChoice | None, level: float
) -> str:
    """Lead a verdict with the chosen threshold, if one was requested."""
    if ranking is None or choice is None or choice.goal == Goal():
        return verdict
    estimates, aim = choice.expected or choice.estimates, choice.goal.aim
    numbers = {
        "threshold": choice.threshold,
        "is_depth": ranking.is_placed,
        "measure": aim,
        "is_on_new_data": bool(choice.expected),
        **estimate_numbers(estimates[aim], level),
    }
    basis = "on new data (cross-fitted)" if choice.expected else "on the same data (optimistic)"
    claim = Claim("threshold", _advice(ranking, choice, level), "advised", numbers, basis)
    others = claims_of(verdict) or (Claim("ranking", verdict),)
    # The threshold answers what to flag, so what a top of the list holds is in the table only.
    return Verdict([claim, *(other for other in others if other.about != "hits")])


def _advice(ranking: Ranking, choice: ThresholdChoice, level: float) -> str:
    """Advise the threshold, or to flag no case or every case if that costs as little."""
    goal, estimates = choice.goal, choice.expected or choice.estimates
    takes_all_or_none = choice.depth in (0, float(ranking.ranked_total))
    basis = "on new data" if choice.expected else "on the same data (optimistic)"
    against = ""
    if goal.aim == "cost":
        unit, cost = "item" if ranking.is_placed else "case", estimates["cost"]
        constants = [constant.value for constant in choice.constant_costs.values()]
        none, every = format_like(cost, level, *constants)
        if not goal.required and (takes_all_or_none or min(constants) <= cost.value):
            flags_all = constants[1] <= constants[0]
            least = f"Flag {f'every {unit}' if flags_all else f'no {unit}'}"
            least += f": that costs {every if flags_all else none} per {unit}"
            if takes_all_or_none:
                return f"{least}. No threshold costs less on these data."
            value, _, interval = describe_estimate(cost, level).partition(" ")
            best = f"The best {_threshold_word(ranking).lower()}, {_shown_key(ranking, choice)},"
            no_less = "and no threshold is shown to cost less"
            return f"{least}, {no_less}. {best} is expected to cost {value} {basis} {interval}."
        against = f", against {every} if every {unit} is flagged and {none} if none is"
    start = f"Flag cases at or above {_shown_key(ranking, choice)}, the threshold"
    if ranking.is_placed:
        start = f"Flag the first {format_count(choice.depth)} items, the depth"
    aim = f"{'chosen for' if goal.required else 'with'} the {goal.words}"
    expected = "expected " if choice.expected else ""
    return f"{start} {aim}: {expected}{_sought(goal, estimates, level)} {basis}{against}."


def threshold_slider(ranking: Ranking, choice: ThresholdChoice, level: float) -> Slider:
    """Find what each threshold decides, the chosen one among them."""
    # From the lowest threshold up, but from the first place down.
    thresholds = sorted(
        {*thin_cuts(ranking, MAX_SLIDER_STEPS - 2), choice.threshold}, reverse=ranking.is_placed
    )
    tables = [ranking.at_threshold(threshold) for threshold in thresholds]
    target_index, goal = tables[0].index(ranking.target), choice.goal
    order = (
        [target_index, target_index, 1 - target_index, 1 - target_index],
        [target_index, 1 - target_index, target_index, 1 - target_index],
    )
    return Slider(
        name=_threshold_word(ranking),
        classes=(str(ranking.target), str(ranking.rest)),
        keys=[_key(ranking, threshold) for threshold in thresholds],
        counts=[table.counts[order].tolist() for table in tables],
        estimates={name: [estimate(table, name) for table in tables] for name in SLID},
        start=thresholds.index(choice.threshold),
        level=level,
        costs=(1.0, 1.0) if goal.cost_miss is None else (goal.cost_false_alarm or 0.0, goal.cost_miss),
    )


def depth_section(findings: ListFindings) -> tuple[Section, ...]:
    """Make a section with a depth slider, if the lists are complete and hold both classes."""
    lists = findings.lists
    if not lists.is_whole or not 0 < lists.targets.sum() < len(lists.scores):
        return ()
    text = "Counts are totals over all lists. Recall, precision and informedness are means over lists."
    return (Section("Review depth", (text,), slider=partial(depth_slider, findings)),)


def depth_slider(findings: ListFindings) -> Slider:
    """Find what reviewing each query's list down to a depth finds."""
    lists = findings.lists
    most = int(lists.sizes.max())
    spread = np.arange(1, most + 1) if most <= MAX_SLIDER_STEPS else np.geomspace(1, most, MAX_SLIDER_STEPS)
    depths = np.unique(np.round(spread)).astype(int)
    groups = tie_groups_of(lists, resolve_ranking(lists, "recall@1"))
    hits = np.array([groups.hits_at(depth).sum() for depth in depths])
    alarms = np.array([np.minimum(groups.ranked, depth).sum() for depth in depths]) - hits
    targets = float(groups.targets.sum())
    background = len(lists.scores) - targets
    return Slider(
        name="Depth",
        classes=("relevant", "other"),
        keys=[str(depth) for depth in depths],
        counts=np.column_stack([hits, alarms, targets - hits, background - alarms]).tolist(),
        estimates={
            name: [estimate_lists(lists, f"{name}@{depth}", groups=groups) for depth in depths]
            for name in SLID
        },
        start=int(np.argmin(np.abs(depths - START_DEPTH))),
        level=findings.level,
    )


MEASURES = ("recall", "fallout", "precision", "informedness")


def usual_cuts(ranking: Ranking) -> dict[str, float]:
    """Find the thresholds of highest informedness, of fallout up to 5%, and of as many predicted as real."""
    cuts = Cuts.of(ranking)
    low = int(np.flatnonzero(cuts.fallout <= MAX_USUAL_FALLOUT)[-1])
    best, _ = Goal().best(cuts)
    thresholds = thresholds_at(ranking, np.array([best, low]))
    names = ("highest informedness", f"fallout at most {MAX_USUAL_FALLOUT:.0%}")
    matching = {"as many predicted as actual targets": _matching_threshold(ranking)}
    return dict(zip(names, thresholds, strict=True)) | matching


def _matching_threshold(ranking: Ranking) -> float:
    """Find the score down to which most nearly as many are predicted as there are targets."""
    last = ranking.score_at(min(ranking.target_total, ranking.ranked_total))
    # The highest score that takes enough, and before it the next higher one of each class.
    higher = [
        run.scores[np.searchsorted(run.scores, last, side="right") :][:1]
        for run in (ranking.targets, ranking.background)
    ]
    scores = np.append(np.concatenate(higher), last)
    selected = ranking.ranked_total - ranking.targets.below(scores) - ranking.background.below(scores)
    return float(scores[np.argmin(np.abs(selected - ranking.target_total))])


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
    """Add the usual cuts to a report, and what to expect at a requested prevalence."""
    if prevalence is not None and not 0 < prevalence < 1:
        raise OptionError(f"a prevalence lies between 0 and 1; saw {prevalence!r}")
    if not ranking.targets.total or not ranking.background.total:
        return report
    cuts: list[JsonObject] = []
    lines: list[tuple[Cell, ...]] = []
    for name, threshold in usual_cuts(ranking).items():
        table = ranking.at_threshold(threshold)
        values = {rate: finite_or_none(measure(table, rate)) for rate in MEASURES}
        depth = float(table.predicted[table.index(ranking.target)])
        cuts.append({"chosen_for": name, "threshold": finite_or_none(threshold), "depth": depth} | values)
        if prevalence is not None:
            value, low, high = map(finite_or_none, shifted_precision(table, prevalence, level))
            cuts[-1]["shifted_precision"] = {"value": value, "low": low, "high": high, "level": level}
            lines.append((f"precision, {name}", value, (low, high), prevalence))
    columns = make_columns("cut/text", "threshold", "predicted/count", *MEASURES)
    rows = tuple(tuple(list(cut.values())[: len(columns)]) for cut in cuts)
    sections = [
        Section("Usual cuts", (), (Grid("", columns, rows, "Measured on the same data; optimistic"),))
    ]
    numbers: JsonObject = {"cuts": cuts}
    verdict = report.verdict
    if prevalence is not None:
        value = shifted_average_precision(ranking, prevalence)
        lines.insert(0, ("average precision", value, (None, None), prevalence))
        columns = make_columns("measure/text", "value", f"{format_level(level)} CI/interval", "chance level")
        text = (
            "Assumes that the scores of each class stay as they are here and only the share of targets "
            "changes. Recall, fallout, informedness and ROC area stay the same.",
        )
        note = (
            "Intervals treat the cut as fixed. Average precision has no interval and is biased upward if "
            "targets are rarer than here"
        )
        title = f"At a prevalence of {format_number(prevalence)}"
        sections.append(Section(title, text, (Grid("", columns, tuple(lines), note),), is_main=True))
        numbers["prevalence"] = {"share": prevalence, "average_precision": value}
        claims = claims_of(verdict) or (Claim("ranking", verdict),)
        verdict = Verdict([*claims, _at_prevalence(prevalence, cuts[-1]["shifted_precision"], value)])
    position = next(
        (i + 1 for i, x in enumerate(report.sections) if x.slider is not None), len(report.sections)
    )
    every = (*report.sections[:position], *sections, *report.sections[position:])
    return replace(report, verdict=verdict, sections=every, numbers={**report.numbers, **numbers})


def _at_prevalence(prevalence: float, precision: JsonObject, average: float) -> Claim:
    """Write what to expect at a prevalence, at the cut that predicts as many targets as there are."""
    value, low, high, level = precision.values()
    sure = f"{format_number(value)} ({format_level(level)} CI {format_interval(low, high)})"
    text = (
        f"At a prevalence of {format_option(prevalence)}, expect precision {sure} if you select as many "
        f"items as there are targets here. Expect average precision {format_number(average)}, biased upward "
        "and without an interval."
    )
    numbers = {**precision, "prevalence": prevalence, "average_precision": average}
    return Claim("prevalence", text, "estimated", numbers, "Wilson and MOVER, with a fixed cut")
