"""Charts of decisions: the tables, each label's edge, the house margin, the bias."""

from __future__ import annotations

from typing import Any

from edgeworth.arrays import finite_or_none, ratio
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import format_level, format_percent
from edgeworth.decisions.findings import DecisionFindings
from edgeworth.report.charts.axes import ticks
from edgeworth.report.charts.chart import (
    FIRST,
    GAINS,
    INK,
    ON_SQUARES,
    SECOND,
    SHARES,
    WIDTH,
    Chart,
    Kit,
    Rows,
)
from edgeworth.report.charts.names import AxisNames, axis_names
from edgeworth.report.report import Charts, Column

SQUARE_NAMES = 18
"""The most characters of a name above a table, where it stands at a slope."""

SIGN = 7
"""The usual width of a character, in points."""

FIGURES_OF_COUNTS, FIGURES_OF_DOLLARS = 12, 8
"""The most labels for which the squares have room for figures."""


def contingency_chart(findings: DecisionFindings) -> Chart:
    """Draw predicted against real classes; a square's colour is its share of the real class."""
    table = findings.table
    names = axis_names(table.labels, SQUARE_NAMES)
    labels, counts = names.names, table.counts.tolist()
    shares = ratio(table.counts, table.real).tolist()
    rows = tuple(
        {
            "predicted": labels[row],
            "real": labels[column],
            "cases": counts[row][column],
            "share of real": finite_or_none(shares[row][column]),
        }
        for row in range(len(labels))
        for column in range(len(labels))
    )

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        squares = kit.base("contingency").encode(
            x=alt.X("real:N", sort=list(labels), title="really", axis=_top_axis(alt, names)),
            y=alt.Y("predicted:N", sort=list(labels), title="predicted", axis=_left_axis(alt, names)),
            tooltip=[
                alt.Tooltip("predicted:N"),
                alt.Tooltip("real:N"),
                alt.Tooltip("cases:Q", format=","),
                alt.Tooltip("share of real:Q", format=".1%"),
            ],
        )
        colour = alt.Color(
            "share of real:Q",
            scale=alt.Scale(range=list(SHARES), domain=[0, 1]),
            legend=alt.Legend(title="share of the real class", format=".0%", gradientLength=160),
        )
        figures = ("cases:Q", ",.6~g") if len(labels) <= FIGURES_OF_COUNTS else None
        return _squares(alt, squares, colour, "share of real", figures, len(labels))

    right = sum(counts[place][place] for place in range(len(labels)))
    return Chart(
        "contingency",
        "What was predicted, and what it really was",
        f"{right:,.6g} of {table.total:,.6g} decided cases are on the diagonal: the prediction was right."
        + names.caption,
        {"contingency": rows},
        draw,
        (Column("predicted"), Column("real"), Column("cases", "count"), Column("share of real", "percent")),
    )


def dollars_chart(findings: DecisionFindings) -> Chart:
    """Draw the dollars of each bet by real class."""
    money = findings.payoffs
    names = axis_names(money.labels, SQUARE_NAMES)
    labels, cells = names.names, money.cells.tolist()
    rows: Rows = tuple(
        {
            "bet on": labels[row],
            "comes in": labels[column],
            "dollars": finite_or_none(cells[row][column]),
            "odds": finite_or_none(float(money.odds[row])),
        }
        for row in range(len(labels))
        for column in range(len(labels))
    )
    most = max((abs(row["dollars"]) for row in rows if row["dollars"] is not None), default=0.0) or 1.0

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        squares = kit.base("dollars").encode(
            x=alt.X("comes in:N", sort=list(labels), title="comes in", axis=_top_axis(alt, names)),
            y=alt.Y("bet on:N", sort=list(labels), title="bet on", axis=_left_axis(alt, names)),
            tooltip=[
                alt.Tooltip("bet on:N"),
                alt.Tooltip("comes in:N"),
                alt.Tooltip("dollars:Q", format="$,.2f"),
                alt.Tooltip("odds:Q", format=".2f", title="fair odds"),
            ],
        )
        # As far to either side: a dollar lost is as dark as a dollar won.
        colour = alt.Color(
            "dollars:Q",
            scale=alt.Scale(range=list(GAINS), domain=[-most, 0, most]),
            legend=alt.Legend(
                title="dollars lost (orange) and won (blue)",
                format="$,.0f" if most >= 2 else "$,.2f",
                values=[-most, 0, most],
                gradientLength=160,
            ),
        )
        figures = ("dollars:Q", "$,.2f") if len(labels) <= FIGURES_OF_DOLLARS else None
        return _squares(alt, squares, colour, "dollars", figures, len(labels))

    total = "nothing that can be counted" if money.total != money.total else f"${money.total:,.2f}"
    return Chart(
        "bookmaker",
        "What each bet won and lost at fair odds",
        f"With ${money.pool:g} in the pool of each bet, the predictions earn {total} in all.{names.caption}",
        {"dollars": rows},
        draw,
        (Column("bet on"), Column("comes in"), Column("dollars", "dollars"), Column("odds", "number")),
    )


def _squares(
    alt: Any, base: Any, colour: Any, shade: str, figures: tuple[str, str] | None, labels: int
) -> Any:
    """Draw coloured squares, with figures where there is room; a cell without a value has no square."""
    # Round corners take five times the room on a page, and are not seen on small squares.
    squares = base.mark_rect(cornerRadius=2 if labels <= FIGURES_OF_COUNTS else 0)
    drawn = squares.encode(color=colour)
    if figures is not None:
        field, form = figures
        drawn += base.mark_text().encode(
            text=alt.Text(field, format=form),
            color=alt.condition(f"isValid(datum[{shade!r}])", alt.value(ON_SQUARES), alt.value(INK)),
        )
    size = labels * _side(labels)
    return drawn.properties(width=size, height=size)


def _side(labels: int) -> int:
    """Choose the side of a square in whole points, so that no seams show."""
    wide = 56 if labels <= FIGURES_OF_DOLLARS else 36 if labels <= FIGURES_OF_COUNTS else 22
    return max(160 // labels, min(wide, 520 // labels))


def _top_axis(alt: Any, names: AxisNames) -> Any:
    """Make the axis above a table; long names stand at a slope."""
    is_long = SIGN * max(map(len, names.drawn)) > _side(len(names.drawn))
    # Every name: without this the axis leaves out some of many, and a table needs all its heads.
    return alt.Axis(orient="top", labelAngle=-45 if is_long else 0, labelOverlap=False, **names.options)


def _left_axis(alt: Any, names: AxisNames) -> Any:
    return alt.Axis(**names.options)


MOST_LABELS = 30
"""The most labels that are drawn."""

LABEL_STEP = 26
MARGIN_POINTS = 61


def decision_charts(findings: DecisionFindings) -> Charts:
    """Make the charts of a report on decisions."""
    charts = [_edges(findings), _bias(findings)]
    if len(findings.table.labels) <= MOST_LABELS:
        charts = [contingency_chart(findings), dollars_chart(findings), *charts]
    if findings.informedness.undefined is None:
        charts.append(_margin(findings))
    return Charts(tuple(charts))


def _edges(findings: DecisionFindings) -> Chart:
    level = format_level(findings.level)
    rows: list[dict[str, Any]] = []
    drawn = _labels_to_draw(findings, 3)
    names = axis_names(label for label, _ in drawn)
    for name, (label, estimates) in zip(names.names, drawn, strict=True):
        edge = estimates[3]
        low, high = edge.interval(findings.level)
        rows.append(
            {
                "label": name,
                "edge": finite_or_none(edge.value),
                "low": finite_or_none(low),
                "high": finite_or_none(high),
                "verdict": "worse than guessing"
                if label in findings.superstitious
                else "not worse than guessing",
            }
        )
    marks = ticks(row[key] for row in rows for key in ("edge", "low", "high"))

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        colour = alt.Color(
            "verdict:N",
            scale=alt.Scale(domain=["not worse than guessing", "worse than guessing"], range=[FIRST, SECOND]),
            legend=alt.Legend(title=None) if findings.superstitious else None,
        )
        base = kit.base("edges").encode(
            y=alt.Y("label:N", sort=list(names.names), title=None, axis=alt.Axis(**names.options)),
            color=colour,
            tooltip=[
                alt.Tooltip("label:N"),
                alt.Tooltip("edge:Q", format=".3f"),
                alt.Tooltip("low:Q", format=".3f"),
                alt.Tooltip("high:Q", format=".3f"),
            ],
        )
        bars = base.mark_rule(strokeWidth=2, opacity=1).encode(
            x=alt.X(
                "low:Q",
                title=f"edge: recall − fallout, with {level} interval",
                scale=marks.scale(alt),
                axis=marks.axis(alt),
            ),
            x2="high:Q",
        )
        dots = base.mark_point(filled=True, size=70, opacity=1).encode(x="edge:Q")
        zero = kit.once().mark_rule(strokeDash=[4, 3], color=INK, opacity=0.6).encode(x=alt.datum(0))
        return (zero + bars + dots).properties(width=WIDTH, height=LABEL_STEP * len(rows))

    worst = axis_names(findings.superstitious[:5]).names
    says = (
        "No label's bets do worse than guessing."
        if not worst
        else (f"Bets on {', '.join(worst)} do worse than guessing: they are superstitious.")
    )
    return Chart(
        "edges",
        "The edge of each label",
        says + _note_on_cut(findings) + names.caption,
        {"edges": tuple(rows)},
        draw,
        (Column("label"), *(Column(name, "number") for name in ("edge", "low", "high")), Column("verdict")),
    )


def _bias(findings: DecisionFindings) -> Chart:
    table = findings.table
    place = {label: index for index, label in enumerate(table.labels)}
    drawn = _labels_to_draw(findings, 4)
    names = axis_names(label for label, _ in drawn)
    rows = tuple(
        {
            "label": name,
            "bias": finite_or_none(estimates[4].value),
            "real": table.real[place[label]].item(),
            "predicted": table.predicted[place[label]].item(),
        }
        for name, (label, estimates) in zip(names.names, drawn, strict=True)
    )
    marks = ticks(row["bias"] for row in rows)

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        bars = (
            kit.base("bias")
            .mark_bar(color=FIRST, cornerRadius=2)
            .encode(
                x=alt.X(
                    "bias:Q",
                    title="predicted share − real share",
                    scale=marks.scale(alt),
                    axis=marks.percent_axis(alt, signed=True),
                ),
                y=alt.Y("label:N", sort=list(names.names), title=None, axis=alt.Axis(**names.options)),
                color=alt.condition("datum.bias < 0", alt.value(SECOND), alt.value(FIRST)),
                tooltip=[
                    alt.Tooltip("label:N"),
                    alt.Tooltip("bias:Q", format="+.2%"),
                    alt.Tooltip("real:Q", format=",.6~g"),
                    alt.Tooltip("predicted:Q", format=",.6~g"),
                ],
            )
        )
        zero = kit.once().mark_rule(color=INK, opacity=0.6).encode(x=alt.datum(0))
        return (bars + zero).properties(width=WIDTH, height=LABEL_STEP * len(rows))

    return Chart(
        "bias",
        "Which labels are said too often",
        _describe_largest(rows) + _note_on_cut(findings) + names.caption,
        {"bias": rows},
        draw,
        (Column("label"), Column("bias", "percent"), Column("real", "count"), Column("predicted", "count")),
    )


def _describe_largest(rows: tuple[dict[str, Any], ...]) -> str:
    most = max(abs(row["bias"] or 0.0) for row in rows)
    # Biases of two labels are the same but for their last digit: the first of equals is named.
    largest = next(row for row in rows if abs(row["bias"] or 0.0) >= most - 1e-12)
    bias = largest["bias"] or 0.0
    if bias == 0:
        return "Each label is predicted as often as it is real."
    # Digits until there is something to read: a small bias is not a bias of 0.0%.
    decimals = next((digits for digits in (1, 2, 3) if round(abs(bias) * 100, digits)), 6)
    return (
        f"{largest['label']} is predicted {'more' if bias > 0 else 'less'} often than it is real, by "
        f"{format_percent(abs(bias), decimals)} of the cases: the largest difference."
    )


def _margin(findings: DecisionFindings) -> Chart:
    """Draw the return of a unit bet against the overround: (1 + return at fair odds)/(1 + overround) − 1."""
    even = findings.payoffs.break_even_margin
    rows = tuple(
        {"margin": overround, "return": value}
        for overround, value in findings.returns_by_overround(MARGIN_POINTS)
    )

    across, up = ticks([*(row["margin"] for row in rows), even]), ticks(row["return"] for row in rows)

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        line = (
            kit.base("margin")
            .mark_line(color=FIRST)
            .encode(
                x=alt.X(
                    "margin:Q",
                    title="the house's margin",
                    scale=across.scale(alt),
                    axis=across.percent_axis(alt),
                ),
                y=alt.Y(
                    "return:Q",
                    title="return of a unit bet",
                    scale=up.scale(alt),
                    axis=up.percent_axis(alt, signed=True),
                ),
                tooltip=[alt.Tooltip("margin:Q", format=".1%"), alt.Tooltip("return:Q", format="+.1%")],
            )
        )
        zero = kit.once().mark_rule(strokeDash=[4, 3], opacity=0.6).encode(y=alt.datum(0))
        even_rule = kit.once().mark_rule(color=SECOND, strokeWidth=2).encode(x=alt.datum(even))
        return (zero + even_rule + line).properties(width=WIDTH, height=220)

    return Chart(
        "margin",
        "How much margin the predictions can pay",
        f"A unit bet on each prediction breaks even at a house margin of {format_percent(even, 1)}.",
        {"margin": rows},
        draw,
        (Column("margin", "percent"), Column("return", "percent")),
    )


def _labels_to_draw(findings: DecisionFindings, place: int) -> list[tuple[Any, tuple[Estimate, ...]]]:
    """Choose the labels to draw: all of few; of many, those whose estimate is furthest from 0."""
    labels = list(findings.labels.items())
    if len(labels) <= MOST_LABELS:
        return labels
    return sorted(labels, key=lambda item: -abs(finite_or_none(item[1][place].value) or 0.0))[:MOST_LABELS]


def _note_on_cut(findings: DecisionFindings) -> str:
    number = len(findings.table.labels)
    return (
        "" if number <= MOST_LABELS else f" The {MOST_LABELS} furthest from 0 of {number} labels are drawn."
    )
