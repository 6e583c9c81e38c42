"""Charts of what a ranking is worth: value at depth, and where it falls among random orders."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgeworth.core.formatting import MINUS, format_number
from edgeworth.rankings.findings import RankingFindings
from edgeworth.report.charts.axes import (
    CHANCE,
    HIGH,
    PLAIN,
    WIDE,
    LazyData,
    band_between,
    colour_layer,
    number_axis,
    table_rows,
    touch_points,
)
from edgeworth.report.charts.chart import FIRST, INK, SECOND, Chart, Kit, Rows
from edgeworth.report.report import Column
from edgeworth.report.wording import describe_probability

OURS, RANDOM = "this ranking", "random selection"
COLOURS = {OURS: FIRST, RANDOM: CHANCE}
DEPTH = "items looked at"


KNOWN = "drawn only where gain and cost are known"


def value_chart(findings: RankingFindings) -> Chart:
    """What looking is worth at each depth, when gain and cost are known."""
    worth = findings.worth
    assert worth is not None, KNOWN

    def find() -> Mapping[str, Rows]:
        curve = findings.value_curve
        assert curve is not None, KNOWN
        columns = {
            DEPTH: curve.depth,
            "value": curve.value,
            "low": curve.span and curve.span.low,
            "high": curve.span and curve.span.high,
            "by chance": curve.by_chance,
        }
        return {"value": table_rows(columns)}

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        curve = findings.value_curve
        assert curve is not None, KNOWN
        axis = alt.Axis(**number_axis(curve.depth.tolist()), tickCount=6, tickMinStep=1, labelOverlap=True)
        base = kit.base("value").encode(x=alt.X(f"{DEPTH}:Q", axis=axis, scale=alt.Scale(nice=False)))
        figures = alt.Axis(**number_axis(curve.value.tolist()))
        worth_axis = alt.Y("by chance:Q", title="value", axis=figures)
        layers = [kit.once().mark_rule(opacity=0.4).encode(y=alt.datum(0))]
        if findings.ranking.is_counted:
            layers.append(band_between(alt, base, "low", "high", FIRST))
        layers += [
            colour_layer(
                alt, base.mark_line(strokeDash=[5, 4], strokeWidth=1.5).encode(y=worth_axis), RANDOM, COLOURS
            ),
            colour_layer(alt, base.mark_line(strokeJoin="round").encode(y="value:Q"), OURS, COLOURS),
            touch_points(base).encode(
                y="value:Q",
                tooltip=[
                    alt.Tooltip(f"{DEPTH}:Q", format=",.1~f"),
                    *(
                        alt.Tooltip(f"{name}:Q", format=",.4~g")
                        for name in ("value", "low", "high", "by chance")
                    ),
                ],
            ),
        ]
        if worth.best_depth > 0:
            there = kit.once().encode(x=alt.datum(worth.best_depth), y=alt.datum(worth.best_value))
            layers += [
                kit.once()
                .mark_rule(color=SECOND, strokeWidth=1.5, opacity=0.7)
                .encode(x=alt.datum(worth.best_depth)),
                there.mark_point(filled=True, size=70, color=SECOND, opacity=1),
            ]
        return alt.layer(*layers).properties(width=WIDE, height=HIGH)

    terms = f"With a gain of {_amount(worth.gain)} a hit and a cost of {_amount(worth.cost)} a look"
    said = (
        "looking never pays"
        if worth.best_depth == 0
        else f"the best depth is {worth.best_depth:,.0f} items, worth {_amount(worth.best_value)}"
    )
    return Chart(
        "value",
        "What looking is worth",
        f"{terms}, {said}; the first {findings.depth:,} are worth {_amount(worth.at_depth)}.",
        LazyData(find),
        draw,
        (Column(DEPTH, "count"), *(Column(name, "number") for name in ("value", "low", "high", "by chance"))),
    )


def chance_chart(findings: RankingFindings) -> Chart:
    """The law of average precision under random selection, and this ranking."""
    observed, mean = findings.average_precision.value, findings.average_precision.chance

    def find() -> Mapping[str, Rows]:
        law = findings.chance_law
        columns = {"from": law.low, "to": law.high, "probability": law.probability}
        return {"chance": table_rows(columns)}

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        law = findings.chance_law
        ends = [*law.low.tolist(), *law.high.tolist(), observed]
        room = 0.03 * (max(ends) - min(ends)) or 0.05
        domain = [max(0.0, min(ends) - room), min(1.0, max(ends) + room)]
        x = alt.X(
            "from:Q",
            scale=alt.Scale(domain=domain, nice=False),
            axis=alt.Axis(format=PLAIN, tickCount=6, labelOverlap=True),
            title="average precision",
        )
        y = alt.Y("probability:Q", axis=alt.Axis(format="~%", tickCount=4), title="share of random orders")
        base = kit.base("chance").transform_calculate(nothing="0")
        base = base.encode(
            x=x,
            y=y,
            y2="nothing:Q",
            tooltip=[
                alt.Tooltip("from:Q", format=".4~g"),
                alt.Tooltip("to:Q", format=".4~g"),
                alt.Tooltip("probability:Q", format=".2~%"),
            ],
        )
        if law.is_single:
            shape = base.mark_rule(strokeWidth=3, color=CHANCE)
        else:
            # A stroke keeps a law in sight that is narrower than a point of the picture.
            shape = base.mark_bar(color=CHANCE, stroke=CHANCE, strokeWidth=0.7, binSpacing=0).encode(
                x2="to:Q"
            )
        is_right = observed > (domain[0] + domain[1]) / 2
        here = kit.once().encode(x=alt.datum(observed))
        rule = here.mark_rule(color=SECOND, strokeWidth=2.5)
        text = here.mark_text(
            fill=INK,
            fontWeight=600,
            baseline="bottom",
            align="right" if is_right else "left",
            dy=-4,
        ).encode(y=alt.value(0), text=alt.value(f"this ranking {format_number(observed)}"))
        return alt.layer(shape, rule, text).properties(width=WIDE, height=HIGH)

    how = "well" if findings.is_better else "badly"
    tail = (
        ""
        if findings.tail is None
        else f" do as {how} with probability {describe_probability(findings.tail)}"
    )
    return Chart(
        "chance",
        "Where this ranking falls among random orders",
        f"Random orders of the same items reach an average precision of {format_number(mean)} on average and"
        f"{tail}; this ranking reaches {format_number(observed)}.",
        LazyData(find),
        draw,
        (Column("from", "number"), Column("to", "number"), Column("probability", "probability")),
    )


def _amount(value: float) -> str:
    return f"{value:,.6g}".replace("-", MINUS)
