"""Three systems or more: a table with one row per system, and the chart of their values with intervals."""

from __future__ import annotations

import math

from edgeworth.common.arrays import finite_or_none, plain_values
from edgeworth.comparisons.findings import ComparisonFindings
from edgeworth.core.amounts import is_share
from edgeworth.core.formatting import cut_middle, format_level, format_number, format_together, plural
from edgeworth.report.charts.axes import ticks
from edgeworth.report.charts.axis_names import axis_names
from edgeworth.report.charts.chart import FIRST, WIDTH, Chart, Kit, Rows
from edgeworth.report.report import Cell, Column, Grid, Section, make_columns
from edgeworth.report.wording import describe_measure, interval_cell

MAX_MEASURES_SHOWN = 5
"""The table is as wide as they are many; the JSON has all measures."""

MAX_NAME_LENGTH = 24
"""Characters of a system's name in a table; the JSON has them all."""

MAX_SYSTEMS_DRAWN = 40
PIXELS_PER_LINE = 26
NEUTRAL = "#8a8f98"

ADJUSTED = {"holm": "Holm p", "benjamini-hochberg": "BH p", "tukey": "Tukey p", "none": "p"}


def leaderboard_section(findings: ComparisonFindings) -> Section:
    """Tabulate the systems, the best first: value, interval, rank interval and who is tied for first."""
    headline, *others = findings.measures[:MAX_MEASURES_SHOWN]
    if findings.headline in others:
        others = [headline, *(name for name in others if name != findings.headline)]
        headline = findings.headline
    level = format_level(findings.level)
    columns = [Column("system"), Column(describe_measure(headline), "number")]
    cells: list[list[Cell]] = [
        [cut_middle(name, MAX_NAME_LENGTH), finite_or_none(findings.values[name][headline])]
        for name in findings.ranked
    ]

    def add(column: Column, values: list[Cell]) -> None:
        columns.append(column)
        for row, value in zip(cells, values, strict=True):
            row.append(value)

    if has_intervals(findings):
        intervals = [interval_cell(findings.intervals[name]) for name in findings.ranked]
        add(Column(f"{level} CI", "interval"), list(intervals))
    if findings.ranks:
        add(Column("rank"), [_rank(findings, name) for name in findings.ranked])
        add(Column("first"), [_first(findings, name) for name in findings.ranked])
    letters = findings.letters
    if any(letters.values()):
        add(Column("letters"), [letters[name] or "–" for name in findings.ranked])
    for measure in others:
        values: list[Cell] = [finite_or_none(findings.values[name][measure]) for name in findings.ranked]
        add(Column(describe_measure(measure), "number"), values)
    charts = [name for name, is_drawn in drawn_charts(findings).items() if is_drawn]
    grid = Grid("", tuple(columns), tuple(map(tuple, cells)), _note(findings, headline, bool(others)))
    return Section("Leaderboard", (), (grid,), tuple(charts), is_main=True)


def has_intervals(findings: ComparisonFindings) -> bool:
    """Return whether some system has an interval of its own."""
    return any(math.isfinite(low + high) for low, high in findings.intervals.values())


def drawn_charts(findings: ComparisonFindings) -> dict[str, bool]:
    """List the charts of systems that are drawn: values with intervals, and ranks."""
    is_board = len(findings.names) > 2
    return {"systems": is_board and has_intervals(findings), "leaderboard": is_board and bool(findings.ranks)}


def _rank(findings: ComparisonFindings, name: str) -> str:
    if name not in findings.ranks:
        return "–"
    low, high = findings.ranks[name]
    return f"{low} to {high}" if low < high else f"{low}"


def _first(findings: ComparisonFindings, name: str) -> str:
    """Mark the first system, or those that are tied for first."""
    tied = findings.tied_for_first
    if name not in tied:
        return ""
    return "first" if len(tied) == 1 else "tied"


def _note(findings: ComparisonFindings, headline: str, has_others: bool) -> str:
    """Explain the columns, and give the leader's interval that allows for having chosen it."""
    level = format_level(findings.level)
    best = "lowest" if findings.direction == "lower" else "highest"
    parts = [f"{best} {describe_measure(headline)} first"]
    leader = findings.leader
    if leader is not None and math.isfinite(leader.interval.low + leader.interval.high):
        _, low, high = format_together(leader.value, *leader.interval)
        picked = f"adjusted for picking the best of {leader.systems}, {leader.system} has {low} to {high}"
        parts.append(f"CI: for each system by itself; {picked}")
    if findings.ranks:
        is_adjusted = findings.adjust in ("holm", "tukey")
        sure = f"{level} CI for all ranks together" if is_adjusted else "not adjusted for all pairs"
        parts.append(f"rank: {sure}")
    if any(findings.letters.values()):
        limit = f"{ADJUSTED[findings.adjust]} ≥ {format_number(1 - findings.level)}"
        parts.append(f"systems that share a letter do not differ significantly ({limit})")
    hidden = len(findings.measures) - MAX_MEASURES_SHOWN
    if has_others and hidden > 0:
        parts.append(f"{hidden} more {plural(hidden, 'measure is', 'measures are')} in the JSON")
    return "; ".join(parts)


def systems_chart(findings: ComparisonFindings) -> Chart:
    """Draw each system's value with its interval, the best first."""
    drawn = findings.ranked[:MAX_SYSTEMS_DRAWN]
    names, tied = axis_names(drawn), findings.tied_for_first
    marks_tied = "first" if len(tied) == 1 else "tied for first"
    rows: Rows = tuple(
        plain_values(
            {
                "system": label,
                "value": findings.values[name][findings.headline],
                "low": findings.intervals[name].low,
                "high": findings.intervals[name].high,
                "finding": marks_tied if name in tied else "not first",
            }
        )
        for name, label in zip(drawn, names.names, strict=True)
    )
    # Points show positions, not lengths, so the axis need not begin at 0; from there, intervals are tiny.
    marks = ticks((row[key] for row in rows for key in ("value", "low", "high")), zero=False)
    what = describe_measure(findings.headline)

    def draw(kit: Kit) -> object:
        alt = kit.alt
        scale = alt.Scale(domain=[marks_tied, "not first"], range=[FIRST, NEUTRAL])
        base = kit.base("systems").encode(
            y=alt.Y("system:N", sort=list(names.names), title=None, axis=alt.Axis(**names.options)),
            color=alt.Color("finding:N", scale=scale, legend=alt.Legend(title=None)),
            tooltip=kit.tooltip({"system": "", "value": ".4~g", "low": ".4~g", "high": ".4~g"}),
        )
        axis = marks.percent_axis(alt) if is_share(findings.headline) else marks.axis(alt)
        across = alt.X("low:Q", title=what, scale=marks.scale(alt), axis=axis)
        bars = base.mark_rule(strokeWidth=2, opacity=1).encode(x=across, x2="high:Q")
        dots = base.mark_point(filled=True, size=70, opacity=1).encode(x="value:Q")
        return (bars + dots).properties(width=WIDTH, height=PIXELS_PER_LINE * len(rows))

    text = "Intervals are for each system by itself. Two that overlap may still differ: compare the pairs."
    if len(findings.names) > len(drawn):
        text += f" The first {len(drawn)} of {len(findings.names):,} systems are drawn."
    return Chart(
        "systems",
        f"{what[0].upper()}{what[1:]} of each system with {format_level(findings.level)} intervals",
        text,
        {"systems": rows},
        draw,
        make_columns("system/text", "value", "low", "high", "finding/text"),
    )
