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
from edgeworth.forecasts.curves import (
    MAX_POINTS_DRAWN,
    pictured_reliability,
    sequence_path,
    sequence_reach,
    thin,
)
from edgeworth.forecasts.estimates import AverageDifference
from edgeworth.forecasts.findings import ForecastFindings
from edgeworth.forecasts.tally import CELLS
from edgeworth.forecasts.wealth_charts import (
    bookmakers_chart,
    drawn_laws,
    luck_chart,
    orders_chart,
    returns_chart,
    stakes_chart,
    wealth_chart,
    whole_axis,
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
from edgeworth.report.charts.chart import FIRST, SECOND, Chart, Kit, Rows
from edgeworth.report.charts.names import axis_names
from edgeworth.report.report import Charts, Column, LazyMapping, make_columns

CASES = "cases"
PAIR_CELLS = 20
"""Cells from 0 to 1 on either side of the plot of two forecasters."""
MIDDLE = "#b9bcc0"
"""Between the colours of what came true and what did not; seen on white and on black."""


def probabilities_chart(findings: ForecastFindings) -> Chart:
    """How often which pair of probabilities was said, and how often the class then came true."""
    pairs = findings.pairs
    assert pairs is not None, "drawn only for two classes"
    model, rival = map(findings.name, findings.scores.systems)
    label, short = (f"class {shorten(str(pairs.labels[1]), most)}" for most in (40, 12))
    together = CELLS // PAIR_CELLS
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
        whole, axis = alt.Scale(domain=[0, 1]), alt.Axis(format=".0%", tickCount=6)
        colours = alt.Scale(domain=[0, 0.5, 1], range=[SECOND, MIDDLE, FIRST], interpolate="rgb")
        legend = alt.Legend(title=f"share of {short}", format=".0%", gradientLength=140, tickCount=3)
        formats = {"model": ".1%", "other": ".1%", "cases": ",", "came true": ".0%"}
        dots = (
            kit.base("probabilities")
            .mark_point(filled=True, opacity=0.95, stroke="currentColor", strokeWidth=0.4, aria=False)
            .encode(
                x=alt.X("other:Q", scale=whole, axis=axis, title=f"probability of {short}, by {rival}"),
                y=alt.Y("model:Q", scale=whole, axis=axis, title=f"probability of {short}, by {model}"),
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
        f"Cases in which {model} says clearly more than {rival} lie above the diagonal: {sentences[0]}; "
        f"below it: {sentences[1]}. "
        f"The area of a dot is the number of cases in a cell of {width} by {width}, at most {most:,}.",
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
    """The mean score differences and their bounds as cases come in, a picture for each score.

    None where no sequence says something at its end.
    """
    bets = findings.bets
    model, rival = map(findings.name, findings.scores.systems)
    differences = {"Brier score": bets.brier, "log score": bets.log}
    known = {
        name: difference
        for name, difference in differences.items()
        if difference is not None and difference.sequence is not None
    }
    known = {name: difference for name, difference in known.items() if not difference.says_nothing}
    if not known:
        return None

    def find() -> Mapping[str, Rows]:
        rows: list[Mapping[str, object]] = []
        for name, difference in known.items():
            assert difference.sequence is not None
            columns = sequence_path(difference.sequence)
            indices = thin(len(columns[0]), most=MAX_POINTS_DRAWN // len(known))
            named = zip((CASES, "mean", "low", "high"), (column[indices] for column in columns), strict=True)
            rows += [{"score": name, **row} for row in picture_rows(dict(named))]
        return {"sequence": tuple(rows)}

    def draw(kit: Kit) -> object:
        alt, cases = kit.alt, bets.wealth.cases
        formats = {CASES: ",", **dict.fromkeys(("mean", "low", "high"), "+.4~f")}
        panels = []
        for name, difference in known.items():
            assert difference.sequence is not None
            is_last = name == list(known)[-1]
            whole, axis = alt.Scale(domain=[0, cases], nice=False), whole_axis(kit, cases)
            x = alt.X(f"{CASES}:Q", scale=whole, axis=axis, title="cases seen" if is_last else None)
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
            high = HIGH if len(known) == 1 else HIGH // 2 - 10
            panels.append(alt.layer(*layers).properties(width=WIDE, height=high))
        return panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=14)

    return Chart(
        "sequence",
        "Who scores better on average, as cases come in",
        f"Score of {rival} less that of {model}: above 0 {model} is better. "
        + " ".join(_describe_bounds(name, difference) for name, difference in known.items()),
        LazyMapping(find),
        draw,
        make_columns("score/text", f"{CASES}/count", "mean", "low", "high"),
    )


def _with_zero(reach: tuple[float, float]) -> list[float]:
    """A span that has 0 in it, with some room."""
    low, high = min(0.0, reach[0]), max(0.0, reach[1])
    room = 0.05 * (high - low) or 0.01
    return [low - room, high + room]


def _describe_bounds(name: str, difference: AverageDifference) -> str:
    mean, low, high = (format_number(value) for value in (difference.mean, difference.low, difference.high))
    name = name[:1].upper() + name[1:]
    bounds = f"{format_level(difference.level)} bounds {low} to {high}"
    return f"{name}: {mean} at the end, {bounds} ({difference.holds})."


def forecast_charts(findings: ForecastFindings) -> Charts:
    """The charts of a report on probabilities; none where there would be nothing to see."""
    wealth = findings.bets.wealth
    charts = [wealth_chart(findings), returns_chart(findings)]
    if findings.orders is not None:
        charts.append(orders_chart(findings, findings.orders))
    if findings.crowd is not None:
        charts.append(bookmakers_chart(findings.crowd))
    if drawn_laws(findings):
        charts.append(luck_chart(findings))
    if len(wealth.labels) == 2:
        charts.append(stakes_chart(findings))
    # Constant shares are one price for every case.
    if findings.pairs is not None and wealth.book != "constant":
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
    """For each class the recalibrated probability, the band of calibrated forecasts, and their histogram."""
    every = findings.furthest
    drawn = list(every)
    short = axis_names(drawn)
    names = short.names
    most = MAX_POINTS_DRAWN // len(drawn)

    def find() -> Mapping[str, Rows]:
        found: dict[str, list[Mapping[str, object]]] = {"reliability": []}
        for index, (name, label) in enumerate(zip(names, drawn, strict=True)):
            levels = every[label].levels
            found["reliability"] += [
                {"class": name, **dict(zip(STEP, astuple(levels[step]), strict=True))}
                for step in thin(len(levels), most=most)
            ]
            for part, columns in pictured_reliability(every[label], most).items():
                rows = [{"place": index, **row} for row in picture_rows(columns)]
                found.setdefault(part, []).extend(rows)
        return {part: tuple(rows) for part, rows in found.items()}

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
        "How often it happens when it was said",
        _says(findings, dict(zip(names, drawn, strict=True))),
        LazyMapping(find),
        draw,
        (Column("class"), *(Column(name, "number") for name in STEP[:-1]), Column("cases", "count")),
    )


def _diagram(
    kit: Kit, index: int, name: str, size: int, *, is_left: bool, title: str | None = None
) -> object:
    alt = kit.alt
    whole = alt.Scale(domain=[0, 1])
    marks = [0, 0.2, 0.4, 0.6, 0.8, 1] if title is None else [0, 0.5, 1]
    x = alt.X("forecast:Q", scale=whole, axis=alt.Axis(labels=False, values=marks), title=None)
    axis, share = alt.Axis(format=".0%", values=marks, minExtent=36), "share that came true"
    y = alt.Y("calibrated:Q", scale=whole, axis=axis, title=share if is_left else None)
    here = alt.datum.place == index
    steps = (
        kit.base("reliability").transform_filter(f"datum['class'] === {json.dumps(name)}").encode(x=x, y=y)
    )
    curve = kit.base("curve").transform_filter(here).encode(x=x, y=y)
    picture = alt.layer(
        band_between(alt, kit.base("band").transform_filter(here).encode(x=x), "low", "high", CHANCE),
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
        .transform_filter(here)
        .transform_calculate(nothing="0")
        .mark_bar(color=FIRST, opacity=0.5, binSpacing=1, aria=False)
        .encode(
            x=alt.X("from:Q", scale=whole, axis=alt.Axis(format=".0%", values=marks), title="forecast"),
            x2="to:Q",
            y=alt.Y("cases:Q", axis=counts, title="cases" if is_left else None),
            y2="nothing:Q",
            tooltip=kit.tooltip({"from": ".0%", "to": ".0%", "cases": ","}, TITLES),
        )
        .properties(width=size, height=44)
    )
    return alt.vconcat(picture, bars, spacing=12, bounds="flush")


def _says(findings: ForecastFindings, names: Mapping[str, object]) -> str:
    sentences = ["Brier score = miscalibration − discrimination + uncertainty."]
    for name, label in names.items():
        parts, bands = findings.parts["brier"][label], findings.reliability[label]
        outside, steps = sum(not step.is_inside for step in bands.levels), len(bands.levels)
        sentences.append(
            f"Class {name}: {format_number(parts.score)} = {format_number(parts.miscalibration)} − "
            f"{format_number(parts.discrimination)} + {format_number(parts.uncertainty)}; {outside} of "
            f"{steps:,} {plural(steps, 'step')} outside the band (test of calibration: "
            f"{bands.p_text()})."
        )
    sentences.append(f"The band holds {format_level(findings.level)} of calibrated forecasts at each value.")
    if len(names) < len(findings.reliability):
        sentences.append(
            f"The {len(names)} of {len(findings.reliability)} classes that stray furthest are drawn."
        )
    return " ".join(sentences)
