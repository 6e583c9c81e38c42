"""Charts of decisions: the tables, each label's edge, the bias."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from edgeworth.common.arrays import Values, finite_or_none, ratio
from edgeworth.common.json_types import JsonObject
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import format_level, format_percent
from edgeworth.core.labels import MAX_LABELS_SHOWN, label_positions
from edgeworth.decisions.findings import DecisionFindings
from edgeworth.report.charts.axes import table_rows, ticks
from edgeworth.report.charts.axis_names import AxisNames, axis_names
from edgeworth.report.charts.chart import FIRST, GAINS, INK, ON_SQUARES, SECOND, WIDTH, Chart, Kit, Rows
from edgeworth.report.report import Column, make_columns
from edgeworth.sources.columns import Label

if TYPE_CHECKING:
    import altair

MAX_NAME_CHARACTERS = 18
"""The longest name of a row or column that is drawn in full, at a slope."""

CHARACTER_WIDTH = 7
"""The usual width of a character, in points."""

MAX_LABELS_WITH_COUNTS = 12
"""With more labels, the squares have no room for counts."""

MAX_LABELS_WITH_DOLLARS = 8
"""With more labels, the squares have no room for dollars."""


def contingency_chart(findings: DecisionFindings) -> Chart:
    """Draw predicted against actual classes: shares of the actual class, hits blue and errors orange."""
    table = findings.table
    names = axis_names(table.labels, MAX_NAME_CHARACTERS)
    shares = ratio(table.counts, table.real)
    shades = np.where(np.eye(len(shares), dtype=bool), shares, -shares)
    cells = {"cases": table.counts, "share of actual": shares, "shade": shades}
    rows = _square_rows(names, cells, "predicted", "actual")
    has_figures = len(table.labels) <= MAX_LABELS_WITH_COUNTS

    def draw(kit: Kit) -> object:
        tooltip = kit.tooltip({"predicted": "", "actual": "", "cases": ",", "share of actual": ".1%"})
        figures = kit.alt.Text("cases:Q", format=",.6~g") if has_figures else None
        legend = {"title": "errors (orange), hits (blue)", "labelExpr": "format(abs(datum.value), '.0%')"}
        base = kit.base("contingency").encode(tooltip=tooltip)
        return _squares(kit, base, names, ("predicted", "actual"), "shade", 1, legend, figures)

    hits = table.counts.diagonal().sum().item()
    return Chart(
        "contingency",
        "Predicted and actual classes",
        f"{hits:,.6g} of {table.total:,.6g} predictions are right: they are on the diagonal.",
        {"contingency": rows},
        draw,
        make_columns("predicted/text", "actual/text", "cases/count", "share of actual/percent"),
    )


def dollars_chart(findings: DecisionFindings) -> Chart:
    """Draw the dollars of each bet by real class."""
    payoffs = findings.payoffs
    names = axis_names(payoffs.labels, MAX_NAME_CHARACTERS)
    odds = np.broadcast_to(payoffs.odds[:, None], payoffs.cells.shape)
    rows = _square_rows(names, {"dollars": payoffs.cells, "odds": odds}, "bet on", "comes in")
    largest = max((abs(row["dollars"]) for row in rows if row["dollars"] is not None), default=0.0) or 1.0

    def draw(kit: Kit) -> object:
        formats = {"bet on": "", "comes in": "", "dollars": "$,.2f", "odds": ".2f"}
        has_figures = len(payoffs.labels) <= MAX_LABELS_WITH_DOLLARS
        figures = kit.alt.Text("dollars:Q", format="$,.2f") if has_figures else None
        number_format = "$,.0f" if largest >= 2 else "$,.2f"
        legend = {"title": "dollars lost (orange) and won (blue)", "format": number_format}
        base = kit.base("dollars").encode(tooltip=kit.tooltip(formats, {"odds": "fair odds"}))
        return _squares(kit, base, names, ("bet on", "comes in"), "dollars", largest, legend, figures)

    total = "an undefined amount" if payoffs.total != payoffs.total else f"${payoffs.total:,.2f}"
    return Chart(
        "bookmaker",
        "What each bet won and lost at fair odds",
        f"With ${payoffs.pool:g} in the pool of each bet, the predictions earn {total} in all.",
        {"dollars": rows},
        draw,
        (Column("bet on"), Column("comes in"), Column("dollars", "dollars"), Column("odds", "number")),
    )


def _square_rows(names: AxisNames, cells: Mapping[str, Values], down: str, across: str) -> Rows:
    """List the cells of a table: the names of row and column, and each value."""
    labels = np.array(names.names, dtype=object)
    axes = {down: labels.repeat(len(labels)), across: np.tile(labels, len(labels))}
    return table_rows(axes | {name: values.ravel() for name, values in cells.items()})


def _squares(
    kit: Kit,
    base: altair.Chart,
    names: AxisNames,
    heads: tuple[str, str],
    shade: str,
    most: float,
    legend_options: Mapping[str, str],
    figures: altair.Text | None,
) -> object:
    """Draw coloured squares, with figures if there is room. A cell without a value has no square."""
    alt = kit.alt
    down, across = heads
    order = list(names.names)
    labels = len(order)
    # The side of a square is of whole points, so that no seams show.
    widest = 22
    if labels <= MAX_LABELS_WITH_DOLLARS:
        widest = 56
    elif labels <= MAX_LABELS_WITH_COUNTS:
        widest = 36
    side = max(240 // labels, min(widest, 520 // labels))
    # Long names stand at a slope. Every one is drawn: an axis would leave out some of many.
    angle = -45 if CHARACTER_WIDTH * max(map(len, names.drawn)) > side else 0
    top = alt.Axis(orient="top", labelAngle=angle, labelOverlap=False, **names.options)
    base = base.encode(
        x=alt.X(f"{across}:N", sort=order, title=across, axis=top),
        y=alt.Y(f"{down}:N", sort=order, title=down, axis=alt.Axis(**names.options)),
    )
    # As far to either side: what is lost is as dark as what is won.
    ends = [-most, 0, most]
    scale = alt.Scale(range=list(GAINS), domain=ends)
    legend = alt.Legend(values=ends, gradientLength=160, **legend_options)
    # Round corners take five times the room on a page, and are not seen on small squares.
    squares = base.mark_rect(cornerRadius=2 if labels <= MAX_LABELS_WITH_COUNTS else 0)
    chart = squares.encode(color=alt.Color(f"{shade}:Q", scale=scale, legend=legend))
    if figures is not None:
        ink = alt.condition(f"isValid(datum[{shade!r}])", alt.value(ON_SQUARES), alt.value(INK))
        chart += base.mark_text().encode(text=figures, color=ink)
    return chart.properties(width=labels * side, height=labels * side)


BAR_HEIGHT = 26
"""The height of one label's bar, in points."""


def decision_charts(findings: DecisionFindings) -> list[Chart]:
    """Make the charts of a report on decisions."""
    charts = [_edges(findings), _bias(findings)]
    if len(findings.table.labels) <= MAX_LABELS_SHOWN:
        bets = [dollars_chart(findings)] if findings.shows_bets else []
        charts = [contingency_chart(findings), *bets, *charts]
    return charts


def _edges(findings: DecisionFindings) -> Chart:
    level = format_level(findings.level)
    shown = _labels_to_draw(findings, 3)
    names = axis_names(label for label, _ in shown)
    verdicts = ("not worse than guessing", "worse than guessing")
    rows: list[JsonObject] = []
    for name, (label, (_, _, _, edge, _)) in zip(names.names, shown, strict=True):
        values = zip(
            ("informedness", "low", "high"), (edge.value, *edge.interval(findings.level)), strict=True
        )
        numbers = {what: finite_or_none(value) for what, value in values}
        rows.append({"label": name, **numbers, "verdict": verdicts[label in findings.superstitious]})
    marks = ticks(row[key] for row in rows for key in ("informedness", "low", "high"))

    def draw(kit: Kit) -> object:
        alt = kit.alt
        scale = alt.Scale(domain=list(verdicts), range=[FIRST, SECOND])
        legend = alt.Legend(title=None) if findings.superstitious else None
        base = kit.base("edges").encode(
            y=alt.Y("label:N", sort=list(names.names), title=None, axis=alt.Axis(**names.options)),
            color=alt.Color("verdict:N", scale=scale, legend=legend),
            tooltip=kit.tooltip({"label": "", "informedness": ".3f", "low": ".3f", "high": ".3f"}),
        )
        title = f"informedness of this class: recall − fallout, with {level} CI"
        across = alt.X("low:Q", title=title, scale=marks.scale(alt), axis=marks.axis(alt))
        bars = base.mark_rule(strokeWidth=2, opacity=1).encode(x=across, x2="high:Q")
        dots = base.mark_point(filled=True, size=70, opacity=1).encode(x="informedness:Q")
        zero = kit.once().mark_rule(strokeDash=[4, 3], color=INK, opacity=0.6).encode(x=alt.datum(0))
        return (zero + bars + dots).properties(width=WIDTH, height=BAR_HEIGHT * len(rows))

    worst = ", ".join(axis_names(findings.superstitious[:5]).names)
    text = "No class is predicted significantly worse than by guessing."
    if worst:
        text = f"Predictions of {worst} do significantly worse than guessing."
    return Chart(
        "edges",
        "Informedness of each class",
        text + _note_on_cut(findings),
        {"edges": tuple(rows)},
        draw,
        (
            Column("label"),
            *(Column(name, "number") for name in ("informedness", "low", "high")),
            Column("verdict"),
        ),
    )


def _bias(findings: DecisionFindings) -> Chart:
    table = findings.table
    shown = _labels_to_draw(findings, 4)
    names = axis_names(label for label, _ in shown)
    indices = label_positions((label for label, _ in shown), table.labels)
    biases = np.array([estimates[4].value for _, estimates in shown])
    labels = np.array(names.names, dtype=object)
    rows = table_rows(
        {
            "label": labels,
            "bias": biases,
            "actual": table.real[indices],
            "predicted": table.predicted[indices],
        }
    )
    marks = ticks(row["bias"] for row in rows)

    def draw(kit: Kit) -> object:
        alt = kit.alt
        axis = marks.percent_axis(alt, signed=True)
        x_axis = alt.X("bias:Q", title="predicted share − actual share", scale=marks.scale(alt), axis=axis)
        bars = kit.base("bias").mark_bar(color=FIRST, cornerRadius=2)
        bars = bars.encode(
            x=x_axis,
            y=alt.Y("label:N", sort=list(names.names), title=None, axis=alt.Axis(**names.options)),
            color=alt.condition("datum.bias < 0", alt.value(SECOND), alt.value(FIRST)),
            tooltip=kit.tooltip({"label": "", "bias": "+.2%", "actual": ",.6~g", "predicted": ",.6~g"}),
        )
        zero = kit.once().mark_rule(color=INK, opacity=0.6).encode(x=alt.datum(0))
        return (bars + zero).properties(width=WIDTH, height=BAR_HEIGHT * len(rows))

    return Chart(
        "bias",
        "Over- and under-predicted classes",
        _describe_largest(rows) + _note_on_cut(findings),
        {"bias": rows},
        draw,
        (Column("label"), Column("bias", "percent"), Column("actual", "count"), Column("predicted", "count")),
    )


def _describe_largest(rows: Rows) -> str:
    most = max(abs(row["bias"] or 0.0) for row in rows)
    # Biases of two labels are the same but for their last digit: the first of equals is named.
    largest = next(row for row in rows if abs(row["bias"] or 0.0) >= most - 1e-12)
    bias = largest["bias"] or 0.0
    if bias == 0:
        return "Each class is predicted as often as it occurs."
    return (
        f"{largest['label']} is predicted {'more' if bias > 0 else 'less'} often than it occurs, by "
        f"{format_percent(abs(bias), 1)} of the cases. This is the largest difference."
    )


def _labels_to_draw(findings: DecisionFindings, index: int) -> list[tuple[Label, tuple[Estimate, ...]]]:
    """Choose the labels to draw. If there are many, choose those whose estimate is furthest from 0."""
    labels = list(findings.labels.items())
    if len(labels) <= MAX_LABELS_SHOWN:
        return labels
    return sorted(labels, key=lambda item: -abs(finite_or_none(item[1][index].value) or 0.0))[
        :MAX_LABELS_SHOWN
    ]


def _note_on_cut(findings: DecisionFindings) -> str:
    number = len(findings.table.labels)
    return (
        f" The chart shows the {MAX_LABELS_SHOWN} of {number} classes that are furthest from 0."
        if number > MAX_LABELS_SHOWN
        else ""
    )
