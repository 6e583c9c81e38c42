"""Charts of many ranked lists: each list's value, and the means of several runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgeworth.arrays import finite_or_none
from edgeworth.core.formatting import format_level, format_number, plural
from edgeworth.rankings.list_findings import ListFindings
from edgeworth.report.charts.axes import CHANCE, HIGH, PLAIN, WIDE, colour_layer
from edgeworth.report.charts.chart import FIRST, SECOND, Chart, Kit, Rows
from edgeworth.report.charts.names import AxisNames, axis_names
from edgeworth.report.report import Charts, Column

MOST_LISTS = 200
"""Lists drawn one by one; of more, so many quantiles."""
NAMED_LISTS = 40
"""Lists that stand in lines with their names."""
MOST_RUNS = 40
STEP = 18
MEAN, RANDOM = "mean over lists", "random orders"


def list_charts(findings: ListFindings) -> Charts:
    """The charts of a report on many lists."""
    return Charts((_queries(findings),)) if findings.headline.undefined is None else Charts()


def run_charts(runs: Mapping[str, ListFindings]) -> Charts:
    """The charts of a report on one or more runs."""
    if len(runs) == 1:
        return list_charts(next(iter(runs.values())))
    known = {name: found for name, found in runs.items() if found.headline.undefined is None}
    return Charts((_means(known),)) if known else Charts()


def _queries(findings: ListFindings) -> Chart:
    headline, number = findings.headline, findings.counted
    lists = findings.charted_lists(MOST_LISTS)
    what = _said(headline.measure)
    names = axis_names(found.name or f"{found.share:.2%} of lists below" for found in lists)
    rows = tuple(
        {"list": name, "below": found.share, "value": finite_or_none(found.value)}
        for name, found in zip(names.names, lists, strict=True)
    )
    is_named = number <= NAMED_LISTS

    return Chart(
        "queries",
        f"List by list: {what}",
        f"The mean over {number:,} {plural(number, 'list')} is {format_number(headline.value)}"
        f"{_range(findings)}.{names.caption if is_named else ''}",
        {"queries": rows, "mean": (_mean_row(findings),)},
        lambda kit: _draw_lists(kit, findings, names if is_named else None),
        (Column("list"), Column("below", "percent"), Column("value", "number")),
    )


def _range(findings: ListFindings) -> str:
    low, middle, high = (format_number(value) for value in findings.spread)
    chance = finite_or_none(findings.headline.chance)
    said = "" if low == high else f"; lists range from {low} to {high}, half of them at {middle} or above"
    return said if chance is None else f"{said}; random orders reach {format_number(chance)} on average"


def _mean_row(findings: ListFindings) -> dict[str, float | None]:
    low, high = findings.headline.interval(findings.level)
    numbers = {"mean": findings.headline.value, "low": low, "high": high}
    return {name: finite_or_none(number) for name, number in numbers.items()}


def _draw_lists(kit: Kit, findings: ListFindings, names: AxisNames | None) -> Any:
    """A line for each list that has a name, the best on top; otherwise side by side, the lowest first."""
    alt = kit.alt
    title, zero = _said(findings.headline.measure), alt.Scale(zero=True)
    if names is not None:
        axis = alt.Axis(format=PLAIN, tickCount=6)
        along, value = "x", alt.X("value:Q", title=title, axis=axis, scale=zero)
        order, axis = list(names.names[::-1]), alt.Axis(grid=True, **names.options)
        across = {"y": alt.Y("list:N", sort=order, title=None, axis=axis)}
        dot: dict[str, Any] = {"size": 60, "opacity": 1}
        width, height = WIDE - 60, STEP * len(names.names)
    else:
        along, value = "y", alt.Y("value:Q", title=title, scale=zero)
        said, axis = "lists, from the lowest to the highest", alt.Axis(format=".0%", tickCount=5)
        across = {"x": alt.X("below:Q", title=said, axis=axis, scale=alt.Scale(domain=[0, 1]))}
        dot, width, height = {"size": 26, "opacity": 0.9}, WIDE, HIGH
    tips = [alt.Tooltip("list:N"), alt.Tooltip("value:Q", format=".4~g")]
    base = kit.base("queries").encode(**across, tooltip=tips)
    dots = base.mark_point(filled=True, color=FIRST, **dot).encode(**{along: value})
    channel = alt.X if along == "x" else alt.Y
    ends = {along: channel("low:Q"), f"{along}2": "high:Q"}
    around = kit.base("mean").mark_rect(color=SECOND, opacity=0.14).encode(**ends)
    marks = [rule.encode(**{along: place}) for rule, place in _marks(kit, findings)]
    return alt.layer(around, *marks, dots).properties(width=width, height=height)


def _marks(kit: Kit, findings: ListFindings) -> list[tuple[Any, Any]]:
    """The lines of the mean and of random orders, each with where it stands."""
    alt, headline = kit.alt, findings.headline
    chance = finite_or_none(headline.chance)
    colours = {MEAN: SECOND} if chance is None else {MEAN: SECOND, RANDOM: CHANCE}
    base = kit.base("mean")
    found = [(colour_layer(alt, base.mark_rule(strokeWidth=2), MEAN, colours), alt.datum(headline.value))]
    if chance is not None:
        rule = base.mark_rule(strokeWidth=1.5, strokeDash=[5, 4])
        found.append((colour_layer(alt, rule, RANDOM, colours), alt.datum(chance)))
    return found


def _means(runs: Mapping[str, ListFindings]) -> Chart:
    first = next(iter(runs.values()))
    level, what = format_level(first.level), _said(first.headline.measure)
    order = sorted(runs.items(), key=lambda run: -run[1].headline.value)
    top = order[0][1]
    names = axis_names(name for name, _ in order[:MOST_RUNS])
    rows: Rows = tuple(
        {"run": name, **_mean_row(found), "lists": found.counted}
        for name, (_, found) in zip(names.names, order, strict=False)
    )

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        base = kit.base("means").encode(
            y=alt.Y("run:N", sort=list(names.names), title=None, axis=alt.Axis(**names.options)),
            tooltip=[
                alt.Tooltip("run:N"),
                *(alt.Tooltip(f"{name}:Q", format=".4~g") for name in ("mean", "low", "high")),
                alt.Tooltip("lists:Q", format=","),
            ],
        )
        spans = base.mark_rule(strokeWidth=2, color=FIRST).encode(
            x=alt.X("low:Q", title=f"mean {what}, with {level} interval", scale=alt.Scale(zero=False)),
            x2="high:Q",
        )
        dots = base.mark_point(filled=True, size=70, opacity=1, color=FIRST).encode(x="mean:Q")
        return alt.layer(spans, dots).properties(width=WIDE - 60, height=26 * len(rows))

    low, high = (format_number(bound) for bound in top.headline.interval(top.level))
    around = f" ({level} interval {low} to {high})" if top.headline.law is not None else ""
    drawn = f" The first {MOST_RUNS} of {len(order):,} runs are drawn." if len(order) > MOST_RUNS else ""
    return Chart(
        "means",
        "The runs side by side",
        f"{names.names[0]} has the highest mean {what}, {format_number(top.headline.value)}{around}; "
        f"whether it is better than the next is a question for a paired comparison.{drawn}{names.caption}",
        {"means": rows},
        draw,
        (
            Column("run"),
            *(Column(name, "number") for name in ("mean", "low", "high")),
            Column("lists", "count"),
        ),
    )


def _said(spelling: str) -> str:
    """A measure as words: its name and depth, without its options."""
    return spelling.split("(")[0].replace("_", " ")
