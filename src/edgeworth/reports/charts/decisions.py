"""Charts of decisions: the table, the bookmaker's dollars, each label's edge, the house margin, the bias."""

from __future__ import annotations

from typing import Any

from edgeworth.inference import DecisionFindings, Estimate
from edgeworth.measures.views import finite_or_none
from edgeworth.reports.charts.chart import Chart, Charts, Kit
from edgeworth.reports.charts.theme import FIRST, INK, SECOND, WIDTH
from edgeworth.reports.report import Column
from edgeworth.reports.wording import level_said, percent, short_names

MOST_LABELS = 30
"""Labels drawn: a table of more is a table, not a picture."""

LABEL_STEP = 26
MARGIN_POINTS = 61


def decision_charts(findings: DecisionFindings) -> Charts:
    """The charts of a report on decisions."""
    charts = [_edges(findings), _bias(findings)]
    if len(findings.table.labels) <= MOST_LABELS:
        charts = [_contingency(findings), _dollars(findings), *charts]
    if findings.informedness.undefined is None:
        charts.append(_margin(findings))
    return Charts(tuple(charts))


def _contingency(findings: DecisionFindings) -> Chart:
    table = findings.table
    labels, counts = short_names(table.labels), table.counts.tolist()
    real = table.real.tolist()
    rows = tuple(
        {
            "predicted": labels[row],
            "real": labels[column],
            "cases": counts[row][column],
            "share of real": counts[row][column] / real[column] if real[column] else None,
        }
        for row in range(len(labels))
        for column in range(len(labels))
    )

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        base = kit.base("contingency").encode(
            x=alt.X("real:N", sort=labels, title="really", axis=_top(alt, labels)),
            y=alt.Y("predicted:N", sort=labels, title="predicted"),
            tooltip=[
                alt.Tooltip("predicted:N"),
                alt.Tooltip("real:N"),
                alt.Tooltip("cases:Q", format=","),
                alt.Tooltip("share of real:Q", format=".1%"),
            ],
        )
        squares = base.mark_rect(cornerRadius=2).encode(
            color=alt.Color(
                "share of real:Q",
                scale=alt.Scale(range=["#f3f3f3", FIRST], domain=[0, 1]),
                legend=alt.Legend(title="share of the real class", format=".0%", gradientLength=160),
            )
        )
        size = _cell_size(len(labels))
        drawn = squares
        if len(labels) <= 12:
            # Dark squares need light figures.
            figures = base.mark_text().encode(
                text=alt.Text("cases:Q", format=",.6~g"),
                color=alt.condition("datum['share of real'] > 0.7", alt.value("white"), alt.value("#111")),
            )
            drawn = squares + figures
        return drawn.properties(width=size, height=size)

    right = sum(counts[place][place] for place in range(len(labels)))
    return Chart(
        "contingency",
        "What was predicted, and what it really was",
        f"{right:,.6g} of {table.total:,.6g} decided cases are on the diagonal: the prediction was right.",
        {"contingency": rows},
        draw,
        (Column("predicted"), Column("real"), Column("cases", "count"), Column("share of real", "percent")),
    )


def _dollars(findings: DecisionFindings) -> Chart:
    money = findings.payoffs
    labels, cells = short_names(money.labels), money.cells.tolist()
    rows = tuple(
        {
            "bet on": labels[row],
            "comes in": labels[column],
            "dollars": finite_or_none(cells[row][column]),
            "odds": finite_or_none(float(money.odds[row])),
        }
        for row in range(len(labels))
        for column in range(len(labels))
    )

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        base = kit.base("dollars").encode(
            x=alt.X("comes in:N", sort=labels, title="comes in", axis=_top(alt, labels)),
            y=alt.Y("bet on:N", sort=labels, title="bet on"),
            tooltip=[
                alt.Tooltip("bet on:N"),
                alt.Tooltip("comes in:N"),
                alt.Tooltip("dollars:Q", format="$,.2f"),
                alt.Tooltip("odds:Q", format=".2f", title="fair odds"),
            ],
        )
        squares = base.mark_rect(cornerRadius=2).encode(
            color=alt.Color(
                "dollars:Q",
                scale=alt.Scale(range=["#f0a860", "#f3f3f3", "#7fb6de"], domainMid=0),
                legend=alt.Legend(title="dollars won (blue) and lost", format="$,.0f", gradientLength=160),
            )
        )
        size = _cell_size(len(labels))
        if len(labels) <= 8:
            figures = base.mark_text(color="#222").encode(text=alt.Text("dollars:Q", format="$,.2f"))
            squares = squares + figures
        return squares.properties(width=size, height=size)

    total = "nothing that can be counted" if money.total != money.total else f"${money.total:,.2f}"
    return Chart(
        "bookmaker",
        "What each bet won and lost at fair odds",
        f"With ${money.pool:g} in the pool of each bet, the predictions earn {total} in all.",
        {"dollars": rows},
        draw,
        (Column("bet on"), Column("comes in"), Column("dollars", "dollars"), Column("odds", "number")),
    )


def _edges(findings: DecisionFindings) -> Chart:
    level = level_said(findings.level)
    rows = []
    drawn = _most(findings, 3)
    for name, (label, estimates) in zip(short_names(label for label, _ in drawn), drawn, strict=True):
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
    order = [row["label"] for row in rows]

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        colour = alt.Color(
            "verdict:N",
            scale=alt.Scale(domain=["not worse than guessing", "worse than guessing"], range=[FIRST, SECOND]),
            legend=alt.Legend(title=None) if findings.superstitious else None,
        )
        base = kit.base("edges").encode(
            y=alt.Y("label:N", sort=order, title=None),
            color=colour,
            tooltip=[
                alt.Tooltip("label:N"),
                alt.Tooltip("edge:Q", format=".3f"),
                alt.Tooltip("low:Q", format=".3f"),
                alt.Tooltip("high:Q", format=".3f"),
            ],
        )
        bars = base.mark_rule(strokeWidth=3, opacity=0.55).encode(
            x=alt.X("low:Q", title=f"edge: recall − fallout, with {level} interval"), x2="high:Q"
        )
        dots = base.mark_point(filled=True, size=70, opacity=1).encode(x="edge:Q")
        zero = kit.once().mark_rule(strokeDash=[4, 3], color=INK, opacity=0.6).encode(x=alt.datum(0))
        return (zero + bars + dots).properties(width=WIDTH, height=alt.Step(LABEL_STEP))

    worst = short_names(findings.superstitious[:5])
    says = (
        "Bets on no label do worse than guessing."
        if not worst
        else (f"Bets on {', '.join(worst)} do worse than guessing: they are superstitious.")
    )
    return Chart(
        "edges",
        "The edge of each label",
        says + _of_many(findings),
        {"edges": tuple(rows)},
        draw,
        (Column("label"), *(Column(name, "number") for name in ("edge", "low", "high")), Column("verdict")),
    )


def _bias(findings: DecisionFindings) -> Chart:
    table = findings.table
    place = {label: index for index, label in enumerate(table.labels)}
    drawn = _most(findings, 4)
    rows = tuple(
        {
            "label": name,
            "bias": finite_or_none(estimates[4].value),
            "real": table.real[place[label]].item(),
            "predicted": table.predicted[place[label]].item(),
        }
        for name, (label, estimates) in zip(short_names(label for label, _ in drawn), drawn, strict=True)
    )
    order = [row["label"] for row in rows]

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        signed_shares = alt.Axis(format="+.1~%", tickCount=5)
        bars = (
            kit.base("bias")
            .mark_bar(color=FIRST, cornerRadius=2)
            .encode(
                x=alt.X("bias:Q", title="predicted share − real share", axis=signed_shares),
                y=alt.Y("label:N", sort=order, title=None),
                color=alt.condition("datum.bias < 0", alt.value(SECOND), alt.value(FIRST)),
                tooltip=[
                    alt.Tooltip("label:N"),
                    alt.Tooltip("bias:Q", format="+.2%"),
                    alt.Tooltip("real:Q", format=",.6~g"),
                    alt.Tooltip("predicted:Q", format=",.6~g"),
                ],
            )
        )
        return bars.properties(width=WIDTH, height=alt.Step(LABEL_STEP))

    largest = max(rows, key=lambda row: abs(row["bias"] or 0.0))
    said = "more" if (largest["bias"] or 0.0) > 0 else "less"
    return Chart(
        "bias",
        "Which labels are said too often",
        f"{largest['label']} is predicted {said} often than it is real, by "
        f"{percent(abs(largest['bias'] or 0.0), 1)} of the cases: the largest difference."
        + _of_many(findings),
        {"bias": rows},
        draw,
        (Column("label"), Column("bias", "percent"), Column("real", "count"), Column("predicted", "count")),
    )


def _margin(findings: DecisionFindings) -> Chart:
    """Return of a unit bet against the house's margin: (1 + return at no margin)/(1 + margin) − 1."""
    even = findings.payoffs.break_even_margin
    rows = tuple(
        {"margin": margin, "return": value} for margin, value in findings.returns_by_margin(MARGIN_POINTS)
    )

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        line = (
            kit.base("margin")
            .mark_line(color=FIRST)
            .encode(
                x=alt.X("margin:Q", title="the house's margin", axis=alt.Axis(format=".0%")),
                y=alt.Y(
                    "return:Q", title="return of a unit bet on each prediction", axis=alt.Axis(format="+.0%")
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


def _top(alt: Any, labels: list[str]) -> Any:
    """An axis above a square table; long names stand at a slope."""
    is_long = max(map(len, labels)) > 8
    return alt.Axis(orient="top", labelAngle=-35 if is_long else 0, labelLimit=110)


def _cell_size(labels: int) -> int:
    return max(160, min(520, 56 * labels if labels <= 8 else 22 * labels))
