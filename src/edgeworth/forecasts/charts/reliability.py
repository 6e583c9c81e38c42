"""The reliability diagram: how often a class came true when its probability was said to be so much."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import astuple
from typing import Any

from edgeworth.core.formatting import format_level, format_number, format_p_value, plural
from edgeworth.forecasts.curves import MOST_DRAWN, pictured_reliability, thin
from edgeworth.forecasts.findings import ForecastFindings
from edgeworth.report.charts.axes import (
    CHANCE,
    HIGH,
    WIDE,
    LazyData,
    band_between,
    colour_layer,
    picture_rows,
)
from edgeworth.report.charts.chart import FIRST, Chart, Kit, Rows
from edgeworth.report.charts.names import axis_names
from edgeworth.report.report import Column

MOST_CLASSES = 6
"""Classes drawn: those that stray furthest."""

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
    every = findings.reliability
    furthest = sorted(every, key=lambda label: every[label].p_value)[:MOST_CLASSES]
    drawn = [label for label in every if label in furthest]
    short = axis_names(drawn)
    names = short.names
    most = MOST_DRAWN // len(drawn)

    def find() -> Mapping[str, Rows]:
        found: dict[str, list[Mapping[str, Any]]] = {"reliability": []}
        for place, (name, label) in enumerate(zip(names, drawn, strict=True)):
            levels = every[label].levels
            found["reliability"] += [
                {"class": name, **dict(zip(STEP, astuple(levels[step]), strict=True))}
                for step in thin(len(levels), most=most)
            ]
            for part, columns in pictured_reliability(every[label], most).items():
                rows = [{"place": place, **row} for row in picture_rows(columns)]
                found.setdefault(part, []).extend(rows)
        return {part: tuple(rows) for part, rows in found.items()}

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        if len(drawn) == 1:
            return _diagram(kit, 0, names[0], HIGH, is_left=True)
        size = (WIDE - 70) // 2
        panels = [
            _diagram(kit, place, name, size, is_left=place % 2 == 0, title=short.drawn[place])
            for place, name in enumerate(names)
        ]
        return alt.concat(*panels, columns=2, spacing=18)

    return Chart(
        "reliability",
        "How often it happens when it was said",
        _says(findings, dict(zip(names, drawn, strict=True))) + (short.caption if len(drawn) > 1 else ""),
        LazyData(find),
        draw,
        (Column("class"), *(Column(name, "number") for name in STEP[:-1]), Column("cases", "count")),
    )


def _diagram(kit: Kit, place: int, name: str, size: int, *, is_left: bool, title: str | None = None) -> Any:
    alt = kit.alt
    whole = alt.Scale(domain=[0, 1])
    marks = [0, 0.2, 0.4, 0.6, 0.8, 1] if title is None else [0, 0.5, 1]
    x = alt.X("forecast:Q", scale=whole, axis=alt.Axis(labels=False, values=marks), title=None)
    y = alt.Y(
        "calibrated:Q",
        scale=whole,
        axis=alt.Axis(format=".0%", values=marks, minExtent=36),
        title="share that came true" if is_left else None,
    )
    here = alt.datum.place == place
    steps = (
        kit.base("reliability").transform_filter(f"datum['class'] === {json.dumps(name)}").encode(x=x, y=y)
    )
    curve = kit.base("curve").transform_filter(here).encode(x=x, y=y)
    diagonal = kit.once().mark_rule(strokeDash=[5, 4], strokeWidth=1.5)
    ends = {"x": alt.datum(0), "x2": alt.datum(1), "y": alt.datum(0), "y2": alt.datum(1)}
    picture = alt.layer(
        band_between(alt, kit.base("band").transform_filter(here).encode(x=x), "low", "high", CHANCE),
        colour_layer(alt, diagonal.encode(**ends), CALIBRATED, COLOURS),
        colour_layer(alt, curve.mark_line(strokeJoin="round").encode(order="forecast:Q"), OURS, COLOURS),
        steps.mark_point(filled=True, size=34, color=FIRST, opacity=1, aria=False).encode(
            tooltip=kit.tooltip({**dict.fromkeys(STEP[:-1], ".1%"), "cases": ","}, TITLES),
        ),
    ).properties(width=size, height=size)
    if title is not None:
        picture = picture.properties(title=title)
    bars = (
        kit.base("histogram")
        .transform_filter(here)
        .transform_calculate(nothing="0")
        .mark_bar(color=FIRST, opacity=0.5, binSpacing=1, aria=False)
        .encode(
            x=alt.X("from:Q", scale=whole, axis=alt.Axis(format=".0%", values=marks), title="forecast"),
            x2="to:Q",
            y=alt.Y(
                "cases:Q",
                axis=alt.Axis(
                    tickCount=2, format="~s", labelExpr="datum.value ? datum.label : '0'", minExtent=36
                ),
                title="cases" if is_left else None,
            ),
            y2="nothing:Q",
            tooltip=kit.tooltip({"from": ".0%", "to": ".0%", "cases": ","}, TITLES),
        )
        .properties(width=size, height=44)
    )
    return alt.vconcat(picture, bars, spacing=12, bounds="flush")


def _says(findings: ForecastFindings, names: Mapping[str, Any]) -> str:
    said = ["Brier score = miscalibration − discrimination + uncertainty."]
    for name, label in names.items():
        parts, bands = findings.parts["brier"][label], findings.reliability[label]
        outside, steps = sum(not step.is_inside for step in bands.levels), len(bands.levels)
        said.append(
            f"Class {name}: {format_number(parts.score)} = {format_number(parts.miscalibration)} − "
            f"{format_number(parts.discrimination)} + "
            f"{format_number(parts.uncertainty)}; {outside} of {steps:,} {plural(steps, 'step')} outside "
            "the band "
            f"(test of calibration: {format_p_value(bands.p_value)})."
        )
    said.append(f"The band holds {format_level(findings.level)} of calibrated forecasts at each value.")
    if len(names) < len(findings.reliability):
        said.append(f"The {len(names)} of {len(findings.reliability)} classes that stray furthest are drawn.")
    return " ".join(said)
