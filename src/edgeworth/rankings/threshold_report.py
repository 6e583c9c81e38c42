"""The section on a threshold, and the cut that a page's reader moves: a threshold, or a depth of queries."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

import numpy as np

from edgeworth.core.estimates import Estimate, estimate
from edgeworth.core.formatting import MINUS, format_count, format_level
from edgeworth.decisions.report import estimate_row
from edgeworth.rankings.estimates import estimate_from_groups
from edgeworth.rankings.findings import ListFindings
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.resolving import resolve_ranking, tie_groups_of
from edgeworth.rankings.thresholds import DIVISIONS, FOLDS, Goal, ThresholdChoice, thin_cuts
from edgeworth.report.report import Column, Grid, Section, make_columns
from edgeworth.report.slider import MOST_CUTS, Slider
from edgeworth.report.verdict import Claim, Verdict, numbers_of
from edgeworth.report.wording import describe_estimate

MEASURES = ("recall", "precision", "informedness")
NAMES = {"cost": "cost per case"}
START_DEPTH = 10
"""The depth of queries that a page shows first."""


def threshold_section(
    ranking: Ranking | None, choice: ThresholdChoice | None, level: float
) -> tuple[Section, ...]:
    """Say which threshold was chosen, what it does on these data and what to expect of it on new ones."""
    if ranking is None or choice is None:
        return ()
    table, own, new = choice.table, choice.estimates, choice.expected
    taken = f"{format_count(choice.depth)} of {format_count(float(ranking.total))} items"
    text = [
        f"{_where(ranking, choice)} ({choice.goal.words}): {taken} are predicted {ranking.target}.",
        "It was chosen on these data, so its numbers on them are too good: expect less on new data.",
    ]
    if new:
        text[1] = (
            "It was chosen on these data, so its numbers on them are too good. On new data expect "
            f"{_sought(choice.goal, new, level)}: that is how thresholds did on cases that had no part in "
            f"choosing them ({FOLDS} folds, mean of {DIVISIONS} divisions)."
        )
    names = (Column("predicted ↓  actual →"), *(Column(str(label), "count") for label in table.labels))
    counts = zip(table.labels, table.counts.tolist(), strict=True)
    interval = f"{format_level(level)} interval/interval"
    heads = ["measure/text", "these data", interval, *(["new data (cross-fitted)", interval] if new else [])]
    tables = [own, new] if new else [own]
    rows = tuple(
        (NAMES.get(name, name), *(cell for each in tables for cell in estimate_row(each[name], level)[1:3]))
        for name in own
    )
    note = "intervals take the threshold as fixed; of new data they may cover up to ten points less often"
    grids = (
        Grid("", names, tuple((str(label), *row) for label, row in counts)),
        Grid("", make_columns(*heads), rows, note),
    )
    slider = partial(threshold_slider, ranking, choice, level)
    asked = choice.goal != Goal()
    return (Section("Where to cut", tuple(text), grids, is_main=asked, slider=slider),)


def _sought(goal: Goal, found: Mapping[str, Estimate], level: float) -> str:
    """Say what the threshold was chosen for and what it must reach."""
    names = (goal.aim, *(name for name in goal.required if name != goal.aim))
    return " and ".join(f"{NAMES.get(name, name)} {describe_estimate(found[name], level)}" for name in names)


def _where(ranking: Ranking, choice: ThresholdChoice) -> str:
    if not choice.depth:
        return "No score is high enough"
    return f"{_what(ranking)} {_key(ranking, choice.threshold).replace('-', MINUS)}"


def _what(ranking: Ranking) -> str:
    return "Depth" if ranking.is_placed else "Threshold"


def _key(ranking: Ranking, threshold: float) -> str:
    """Name a threshold for links; where scores are places, by the place."""
    if ranking.is_placed:
        return "0" if threshold == math.inf else str(-int(threshold))
    return repr(threshold).removesuffix(".0")


def with_threshold(
    verdict: str, ranking: Ranking | None, choice: ThresholdChoice | None, level: float
) -> str:
    """Add to a verdict which threshold was chosen, where one was asked for."""
    if ranking is None or choice is None or choice.goal == Goal():
        return verdict
    found = choice.expected or choice.estimates
    how = "expected on new data, cross-fitted" if choice.expected else "on the data it was chosen on"
    where = f"{_where(ranking, choice)} ({choice.goal.words})"
    said = f"{where}: {_sought(choice.goal, found, level)}, {how}."
    numbers = {"threshold": choice.threshold, **numbers_of(found[choice.goal.aim], level)}
    own = getattr(verdict, "claims", (Claim("ranking", verdict),))
    return Verdict([*own, Claim("threshold", said, "advised", numbers, how)])


def threshold_slider(ranking: Ranking, choice: ThresholdChoice, level: float) -> Slider:
    """Find what each threshold decides, the chosen one among them."""
    # From the lowest threshold up, but from the first place down.
    thresholds = sorted({*thin_cuts(ranking, MOST_CUTS - 2), choice.threshold}, reverse=ranking.is_placed)
    tables = [ranking.at_threshold(threshold) for threshold in thresholds]
    place, goal = tables[0].index(ranking.target), choice.goal
    order = ([place, place, 1 - place, 1 - place], [place, 1 - place, place, 1 - place])
    return Slider(
        name=_what(ranking),
        classes=(str(ranking.target), str(ranking.rest)),
        keys=[_key(ranking, threshold) for threshold in thresholds],
        counts=[table.counts[order].tolist() for table in tables],
        estimates={name: [estimate(table, name) for table in tables] for name in MEASURES},
        start=thresholds.index(choice.threshold),
        level=level,
        costs=(1.0, 1.0) if goal.cost_miss is None else (goal.cost_false_alarm or 0.0, goal.cost_miss),
    )


def depth_section(findings: ListFindings) -> tuple[Section, ...]:
    """Let a page's reader move the depth, where the lists are all there is and hold targets and others."""
    lists = findings.lists
    if not lists.is_whole or not 0 < lists.targets.sum() < len(lists.scores):
        return ()
    text = "Counts are of all queries; recall, precision and informedness are means over queries."
    return (Section("How deep to look", (text,), slider=partial(depth_slider, findings)),)


def depth_slider(findings: ListFindings) -> Slider:
    """Find what reviewing each query's list down to a depth finds."""
    lists = findings.lists
    most = int(lists.sizes.max())
    spread = np.arange(1, most + 1) if most <= MOST_CUTS else np.geomspace(1, most, MOST_CUTS)
    depths = np.unique(np.round(spread)).astype(int)
    groups = tie_groups_of(lists, resolve_ranking(lists, "recall@1"))
    hits = np.array([groups.hits_at(depth).sum() for depth in depths])
    alarms = np.array([np.minimum(groups.ranked, depth).sum() for depth in depths]) - hits
    targets = float(groups.targets.sum())
    others = len(lists.scores) - targets
    return Slider(
        name="Depth",
        classes=("relevant", "other"),
        keys=[str(depth) for depth in depths],
        counts=np.column_stack([hits, alarms, targets - hits, others - alarms]).tolist(),
        estimates={
            name: [
                estimate_from_groups(lists, resolve_ranking(lists, f"{name}@{depth}"), groups)
                for depth in depths
            ]
            for name in MEASURES
        },
        start=int(np.argmin(np.abs(depths - START_DEPTH))),
        level=findings.level,
    )
