"""The charts of a report on probabilities: a forecaster beside a rival, and the reliability diagram."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple
from functools import partial

import numpy as np

from edgeworth.core.formatting import (
    format_cases,
    format_level,
    format_number,
    format_percent,
    plural,
    shorten,
)
from edgeworth.forecasts.case_axis import CaseAxis
from edgeworth.forecasts.case_charts import ScatterPanel, paths_chart, scatter_chart
from edgeworth.forecasts.curves import (
    MAX_POINTS_DRAWN,
    pictured_reliability,
    sequence_path,
    sequence_reach,
    thin,
)
from edgeworth.forecasts.estimates import AverageDifference
from edgeworth.forecasts.findings import ForecastFindings
from edgeworth.forecasts.ledger_report import bankroll_chart, evidence_chart
from edgeworth.forecasts.pairs import CELLS_PER_SIDE, ForecastPoints
from edgeworth.forecasts.policy import MAX_CLASSES_SHOWN
from edgeworth.forecasts.wealth_charts import (
    bookmakers_chart,
    drawn_laws,
    luck_chart,
    orders_chart,
    returns_chart,
    stakes_chart,
    wealth_chart,
)
from edgeworth.report.charts.axes import (
    CHANCE,
    HIGH,
    PLAIN,
    WIDE,
    band_between,
    colour_layer,
    picture_rows,
    touch_points,
)
from edgeworth.report.charts.axis_names import axis_names
from edgeworth.report.charts.chart import FIRST, SECOND, Chart, Kit, Rows
from edgeworth.report.report import Charts, Column, LazyMapping, make_columns

CASES = "cases"
PAIR_CELLS = 20
"""Cells from 0 to 1 on either side of the plot of two forecasters."""
MIDDLE = "#b9bcc0"
"""Between the colours of what came true and what did not; seen on white and on black."""


def probabilities_chart(findings: ForecastFindings) -> Chart:
    """Draw how often each pair of probabilities occurred, and how often the class then came true."""
    pairs = findings.pairs
    assert pairs is not None, "drawn only for two classes"
    model, rival = map(findings.name, findings.scores.systems)
    label, short = (f"class {shorten(str(pairs.labels[1]), most)}" for most in (40, 12))
    together = CELLS_PER_SIDE // PAIR_CELLS
    counts, hits = (
        table.reshape(PAIR_CELLS, together, PAIR_CELLS, together).sum(axis=(1, 3))
        for table in (pairs.counts, pairs.hits)
    )
    first, other = np.nonzero(counts)
    order = np.argsort(-counts[first, other], kind="stable")
    first, other = first[order], other[order]
    most = int(counts.max())

    def find() -> Mapping[str, Rows]:
        cases = counts[first, other]
        middles = {"model": (first + 0.5) / PAIR_CELLS, "other": (other + 0.5) / PAIR_CELLS}
        columns = {**middles, "cases": cases, "came true": hits[first, other] / cases}
        return {"probabilities": picture_rows(columns)}

    def draw(kit: Kit) -> object:
        alt = kit.alt
        scale, axis = alt.Scale(domain=[0, 1]), alt.Axis(format=".0%", tickCount=6)
        colours = alt.Scale(domain=[0, 0.5, 1], range=[SECOND, MIDDLE, FIRST], interpolate="rgb")
        legend = alt.Legend(title=f"share of {short}", format=".0%", gradientLength=140, tickCount=3)
        formats = {"model": ".1%", "other": ".1%", "cases": ",", "came true": ".0%"}
        dots = (
            kit.base("probabilities")
            .mark_point(filled=True, opacity=0.95, stroke="currentColor", strokeWidth=0.4, aria=False)
            .encode(
                x=alt.X("other:Q", scale=scale, axis=axis, title=f"probability of {short}, by {rival}"),
                y=alt.Y("model:Q", scale=scale, axis=axis, title=f"probability of {short}, by {model}"),
                size=alt.Size("cases:Q", scale=alt.Scale(domain=[0, most], range=[8, 190]), legend=None),
                color=alt.Color("came true:Q", scale=colours, legend=legend),
                tooltip=kit.tooltip(formats, {"model": f"{model}, about", "other": f"{rival}, about"}),
            )
        )
        return alt.layer(_diagonal(kit, opacity=0.6), dots).properties(width=HIGH + 20, height=HIGH + 20)

    sides = (partial(np.tril, k=-1), partial(np.triu, k=1))
    sentences = [_came(int(side(counts).sum()), int(side(hits).sum()), label) for side in sides]
    width = format_percent(1 / PAIR_CELLS)
    return Chart(
        "probabilities",
        "The two forecasts of each case",
        f"Above the diagonal are cases in which {model} gives a clearly higher probability than {rival}: "
        f"{sentences[0]}; below it: {sentences[1]}. The area of a dot is the number of cases in a cell of "
        f"{width} by {width}, at most {most:,}.",
        LazyMapping(find),
        draw,
        make_columns("model/percent", "other/percent", "cases/count", "came true/percent"),
    )


def _diagonal(kit: Kit, **look: float) -> object:
    ends = {"x": 0, "x2": 1, "y": 0, "y2": 1}
    drawn = {side: kit.alt.datum(end) for side, end in ends.items()}
    return kit.once().mark_rule(strokeDash=[5, 4], **look).encode(**drawn)


def _came(cases: int, hits: int, label: str) -> str:
    if not cases:
        return "none"
    return f"{format_cases(cases)}, {format_percent(hits / cases)} of them of {label}"


def sequence_chart(findings: ForecastFindings) -> Chart | None:
    """Draw the mean score differences and their bounds as cases come in, one panel per score.

    Return None if the final bounds of every sequence are the whole range.
    """
    bets = findings.bets
    model, rival = map(findings.name, findings.scores.systems)
    differences = {"Brier score": bets.brier, "log score": bets.log}
    shown = {
        name: difference.model_less_baseline
        for name, difference in differences.items()
        if difference is not None and difference.sequence is not None
    }
    shown = {name: difference for name, difference in shown.items() if not difference.is_uninformative}
    if not shown:
        return None
    case_axis = CaseAxis(CASES, findings.dates)

    def find() -> Mapping[str, Rows]:
        rows: list[Mapping[str, object]] = []
        for name, difference in shown.items():
            assert difference.sequence is not None
            cases, *columns = sequence_path(difference.sequence)
            indices = thin(len(cases), most=MAX_POINTS_DRAWN // len(shown))
            named = zip(("mean", "low", "high"), (column[indices] for column in columns), strict=True)
            placed = zip(case_axis.rows(cases[indices]), picture_rows(dict(named)), strict=True)
            rows += [{"score": name, **place, **row} for place, row in placed]
        return {"sequence": tuple(rows)}

    def draw(kit: Kit) -> object:
        alt, cases = kit.alt, bets.wealth.cases
        formats = {**case_axis.tooltip, **dict.fromkeys(("mean", "low", "high"), "+.4~f")}
        panels = []
        for name, difference in shown.items():
            assert difference.sequence is not None
            is_last = name == list(shown)[-1]
            domain = {"domain": [0, cases]} if case_axis.dates is None else {}
            x = alt.X(
                case_axis.field,
                scale=alt.Scale(nice=False, **domain),
                axis=case_axis.axis(kit, cases),
                title=case_axis.title("cases seen" if is_last else None),
            )
            base = kit.base("sequence").transform_filter(alt.datum.score == name).encode(x=x)
            reach = sequence_reach(difference.sequence)
            scale = alt.Scale() if reach is None else alt.Scale(domain=_with_zero(reach), nice=True)
            y = alt.Y("mean:Q", scale=scale, title=name, axis=alt.Axis(format=PLAIN, tickCount=5))
            band = band_between(alt, base, "low", "high", FIRST)
            band.mark.clip = True
            layers = [
                band,
                kit.once().mark_rule(strokeDash=[5, 4], opacity=0.7).encode(y=alt.datum(0)),
                base.mark_line(clip=True, strokeJoin="round", color=FIRST).encode(y=y),
                touch_points(base, clip=True).encode(y="mean:Q", tooltip=kit.tooltip(formats)),
            ]
            high = HIGH if len(shown) == 1 else HIGH // 2 - 10
            panels.append(alt.layer(*layers).properties(width=WIDE, height=high))
        return panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=14)

    return Chart(
        "sequence",
        "Difference in mean score as cases arrive",
        f"Score of {model} minus score of {rival}; below 0, {model} is better. "
        + " ".join(_describe_bounds(name, difference) for name, difference in shown.items()),
        LazyMapping(find),
        draw,
        (Column("score"), *case_axis.columns, *make_columns("mean", "low", "high")),
    )


def _with_zero(reach: tuple[float, float]) -> list[float]:
    """Return a span that includes 0, with some room."""
    low, high = min(0.0, reach[0]), max(0.0, reach[1])
    room = 0.05 * (high - low) or 0.01
    return [low - room, high + room]


def _describe_bounds(name: str, difference: AverageDifference) -> str:
    mean, low, high = (format_number(value) for value in (difference.mean, difference.low, difference.high))
    name = name[:1].upper() + name[1:]
    bounds = f"{format_level(difference.level)} bounds {low} to {high}"
    return f"{name}: {mean} at the end, {bounds} ({difference.holds})."


def points_chart(findings: ForecastFindings, points: ForecastPoints) -> Chart:
    """Draw the probabilities that model and rival gave each class, one point per case."""
    labels, systems = findings.scores.labels, findings.scores.systems
    is_binary = len(labels) == 2
    shown = [1] if is_binary else list(range(len(labels)))[:MAX_CLASSES_SHOWN]
    panels = [
        ScatterPanel(str(labels[index]), points.codes == index, points.model[:, row], points.rival[:, row])
        for row, index in enumerate(shown)
    ]
    name = f" of {shorten(str(labels[1]), 30)}" if is_binary else ""
    title = f"The two probabilities{name}, case by case"
    return scatter_chart(
        "scatter", title, panels, (findings.short_name(systems[0]), findings.short_name(systems[1]))
    )


def forecast_charts(findings: ForecastFindings, *, has_bets: bool = False) -> Charts:
    """Make the charts of a report on probabilities; none if there would be nothing to see.

    ``has_bets``: whether the user brought odds or asked for bets.
    """
    wealth = findings.bets.wealth
    if findings.is_weighted:  # bets ignore weights
        return Charts((reliability_chart(findings),))
    if findings.ledger is not None and findings.season is not None:
        # Wealth case by case is not money if rounds are settled together.
        charts = [bankroll_chart(findings.ledger), evidence_chart(findings.season, findings.level)]
    else:
        charts = [
            wealth_chart(findings, has_bets=has_bets),
            returns_chart(findings, has_bets=has_bets),
        ]
        if has_bets and wealth.blocks.number == wealth.cases > 1:
            title = "Returns and wealth, on the natural and the log scale"
            charts.append(paths_chart("paths", title, findings.way, findings.dates))
    if findings.orders is not None:
        charts.append(orders_chart(findings, findings.orders))
    if findings.crowd is not None:
        charts.append(bookmakers_chart(findings.crowd, findings.dates))
    if findings.ledger is None and drawn_laws(findings):
        charts.append(luck_chart(findings, has_bets=has_bets))
    if has_bets and len(wealth.labels) == 2:
        charts.append(stakes_chart(findings))
    # Constant shares are one price for every case.
    if findings.points is not None:
        charts.append(points_chart(findings, findings.points))
    elif findings.pairs is not None and wealth.book != "constant":
        charts.append(probabilities_chart(findings))
    charts += [
        chart for chart in (sequence_chart(findings), reliability_chart(findings)) if chart is not None
    ]
    return Charts(tuple(charts))


STEP = ("from", "to", "forecast", "calibrated", "low", "high", "cases")
"""What the table behind the picture calls the fields of a ``ReliabilityLevel``."""

TITLES = {
    "from": "forecasts from",
    "forecast": "mean forecast",
    "calibrated": "came true",
    "low": "if calibrated, from",
    "high": "to ",
}
OURS, CALIBRATED = "these forecasts", "calibrated forecasts"
COLOURS = {OURS: FIRST, CALIBRATED: CHANCE}


def reliability_chart(findings: ForecastFindings) -> Chart:
    """Draw for each class the recalibrated probability, the band of calibrated forecasts and a histogram."""
    every = findings.furthest
    drawn = list(every)
    short = axis_names(drawn)
    names = short.names
    most = MAX_POINTS_DRAWN // len(drawn)

    def find() -> Mapping[str, Rows]:
        tables: dict[str, list[Mapping[str, object]]] = {"reliability": []}
        for index, (name, label) in enumerate(zip(names, drawn, strict=True)):
            levels = every[label].levels
            tables["reliability"] += [
                {"class": name, **dict(zip(STEP, astuple(levels[step]), strict=True))}
                for step in thin(len(levels), most=most)
            ]
            for part, columns in pictured_reliability(every[label], most).items():
                rows = [{"place": index, **row} for row in picture_rows(columns)]
                tables.setdefault(part, []).extend(rows)
        return {part: tuple(rows) for part, rows in tables.items()}

    def draw(kit: Kit) -> object:
        alt = kit.alt
        if len(drawn) == 1:
            return _diagram(kit, 0, names[0], HIGH, is_left=True)
        size = (WIDE - 70) // 2
        panels = [
            _diagram(kit, index, name, size, is_left=index % 2 == 0, title=short.drawn[index])
            for index, name in enumerate(names)
        ]
        return alt.concat(*panels, columns=2, spacing=18)

    return Chart(
        "reliability",
        "Calibration: forecast against outcome",
        _describe_reliability(findings, dict(zip(names, drawn, strict=True))),
        LazyMapping(find),
        draw,
        (Column("class"), *(Column(name, "number") for name in STEP[:-1]), Column("cases", "count")),
    )


def _diagram(
    kit: Kit, index: int, name: str, size: int, *, is_left: bool, title: str | None = None
) -> object:
    alt = kit.alt
    scale = alt.Scale(domain=[0, 1])
    marks = [0, 0.2, 0.4, 0.6, 0.8, 1] if title is None else [0, 0.5, 1]
    x = alt.X("forecast:Q", scale=scale, axis=alt.Axis(labels=False, values=marks), title=None)
    axis, share = alt.Axis(format=".0%", values=marks, minExtent=36), "share of cases in the class"
    y = alt.Y("calibrated:Q", scale=scale, axis=axis, title=share if is_left else None)
    is_panel = alt.datum.place == index
    steps = (
        kit.base("reliability").transform_filter(f"datum['class'] === {json.dumps(name)}").encode(x=x, y=y)
    )
    curve = kit.base("curve").transform_filter(is_panel).encode(x=x, y=y)
    picture = alt.layer(
        band_between(alt, kit.base("band").transform_filter(is_panel).encode(x=x), "low", "high", CHANCE),
        colour_layer(alt, _diagonal(kit, strokeWidth=1.5), CALIBRATED, COLOURS),
        colour_layer(alt, curve.mark_line(strokeJoin="round").encode(order="forecast:Q"), OURS, COLOURS),
        steps.mark_point(filled=True, size=34, color=FIRST, opacity=1, aria=False).encode(
            tooltip=kit.tooltip({**dict.fromkeys(STEP[:-1], ".1%"), "cases": ","}, TITLES)
        ),
    ).properties(width=size, height=size)
    if title is not None:
        picture = picture.properties(title=title)
    expression = "datum.value ? datum.label : '0'"
    counts = alt.Axis(tickCount=2, format="~s", labelExpr=expression, minExtent=36)
    bars = (
        kit.base("histogram")
        .transform_filter(is_panel)
        .transform_calculate(nothing="0")
        .mark_bar(color=FIRST, opacity=0.5, binSpacing=1, aria=False)
        .encode(
            x=alt.X("from:Q", scale=scale, axis=alt.Axis(format=".0%", values=marks), title="forecast"),
            x2="to:Q",
            y=alt.Y("cases:Q", axis=counts, title="cases" if is_left else None),
            y2="nothing:Q",
            tooltip=kit.tooltip({"from": ".0%", "to": ".0%", "cases": ","}, TITLES),
        )
        .properties(width=size, height=44)
    )
    return alt.vconcat(picture, bars, spacing=12, bounds="flush")


def _describe_reliability(findings: ForecastFindings, names: Mapping[str, object]) -> str:
    sentences = ["Brier score = miscalibration − discrimination + uncertainty."]
    classes = len(findings.reliability)
    adjusted = f", adjusted for {classes} classes" if classes > 1 else ""
    for name, label in names.items():
        parts, bands = findings.parts["brier"][label], findings.reliability[label]
        outside, steps = sum(not step.is_inside for step in bands.levels), len(bands.levels)
        sentences.append(
            f"Class {name}: {format_number(parts.score)} = {format_number(parts.miscalibration)} − "
            f"{format_number(parts.discrimination)} + {format_number(parts.uncertainty)}; {outside} of "
            f"{steps:,} {plural(steps, 'step')} outside the band (test of calibration: "
            f"{bands.p_text(classes)}{adjusted})."
        )
    sentences.append(
        f"At each forecast the band contains {format_level(findings.level)} of calibrated forecasts."
    )
    if len(names) < len(findings.reliability):
        sentences.append(
            f"The {len(names)} of {len(findings.reliability)} classes furthest from calibration are drawn."
        )
    return " ".join(sentences)
