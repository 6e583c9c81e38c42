"""Charts of decisions: the tables, each label's edge, the house margin, the bias."""

from __future__ import annotations

from typing import Any

from edgeworth.arrays import finite_or_none
from edgeworth.core.estimates import Estimate
from edgeworth.decisions.decision_tables import contingency_chart, dollars_chart
from edgeworth.decisions.findings import DecisionFindings
from edgeworth.report.charts.chart import Chart, Charts, Kit
from edgeworth.report.charts.names import drawn_names
from edgeworth.report.charts.theme import FIRST, INK, SECOND, WIDTH
from edgeworth.report.charts.ticks import ticks
from edgeworth.report.report import Column
from edgeworth.report.wording import level_said, percent

MOST_LABELS = 30
"""Labels drawn: a table of more is a table, not a picture."""

LABEL_STEP = 26
MARGIN_POINTS = 61


def decision_charts(findings: DecisionFindings) -> Charts:
    """The charts of a report on decisions."""
    charts = [_edges(findings), _bias(findings)]
    if len(findings.table.labels) <= MOST_LABELS:
        charts = [contingency_chart(findings), dollars_chart(findings), *charts]
    if findings.informedness.undefined is None:
        charts.append(_margin(findings))
    return Charts(tuple(charts))


def _edges(findings: DecisionFindings) -> Chart:
    level = level_said(findings.level)
    rows: list[dict[str, Any]] = []
    drawn = _most(findings, 3)
    names = drawn_names(label for label, _ in drawn)
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

    worst = drawn_names(findings.superstitious[:5]).names
    says = (
        "No label's bets do worse than guessing."
        if not worst
        else (f"Bets on {', '.join(worst)} do worse than guessing: they are superstitious.")
    )
    return Chart(
        "edges",
        "The edge of each label",
        says + _of_many(findings) + names.said,
        {"edges": tuple(rows)},
        draw,
        (Column("label"), *(Column(name, "number") for name in ("edge", "low", "high")), Column("verdict")),
    )


def _bias(findings: DecisionFindings) -> Chart:
    table = findings.table
    place = {label: index for index, label in enumerate(table.labels)}
    drawn = _most(findings, 4)
    names = drawn_names(label for label, _ in drawn)
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
        _largest_said(rows) + _of_many(findings) + names.said,
        {"bias": rows},
        draw,
        (Column("label"), Column("bias", "percent"), Column("real", "count"), Column("predicted", "count")),
    )


def _largest_said(rows: tuple[dict[str, Any], ...]) -> str:
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
        f"{percent(abs(bias), decimals)} of the cases: the largest difference."
    )


def _margin(findings: DecisionFindings) -> Chart:
    """Return of a unit bet against the house's margin: (1 + return at no margin)/(1 + margin) − 1."""
    even = findings.payoffs.break_even_margin
    rows = tuple(
        {"margin": margin, "return": value} for margin, value in findings.returns_by_margin(MARGIN_POINTS)
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
        f"A unit bet on each prediction breaks even at a house margin of {percent(even, 1)}.",
        {"margin": rows},
        draw,
        (Column("margin", "percent"), Column("return", "percent")),
    )


def _most(findings: DecisionFindings, place: int) -> list[tuple[Any, tuple[Estimate, ...]]]:
    """The labels to draw: all of few; of many those furthest from 0 in one of their estimates."""
    labels = list(findings.labels.items())
    if len(labels) <= MOST_LABELS:
        return labels
    return sorted(labels, key=lambda item: -abs(finite_or_none(item[1][place].value) or 0.0))[:MOST_LABELS]


def _of_many(findings: DecisionFindings) -> str:
    number = len(findings.table.labels)
    return (
        "" if number <= MOST_LABELS else f" The {MOST_LABELS} furthest from 0 of {number} labels are drawn."
    )
