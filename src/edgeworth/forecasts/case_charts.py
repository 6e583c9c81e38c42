"""Charts with one mark per case: returns and wealth on both scales, and the probabilities of two models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats
from edgeworth.core.formatting import shorten
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.case_axis import CaseAxis
from edgeworth.forecasts.curves import thin
from edgeworth.forecasts.pairs import MAX_SCATTER_POINTS
from edgeworth.report.charts.axes import HIGH, WIDE, number_axis, picture_rows
from edgeworth.report.charts.chart import FIRST, SECOND, THIRD, Chart, Kit, Rows
from edgeworth.report.report import Column, LazyMapping

POINTS_DRAWN = 480
"""Cases of a path that are drawn."""

LARGEST_LOG_WEALTH = 690.0
"""Log wealth beyond which wealth is no float, and its path on the natural scale is left out."""

AXIS_ROOM = 55
"""Room for the labels of each axis, so that panels in one column are aligned."""

PANELS_PER_ROW = 2
"""Scatter plots in one row."""

CAME_TRUE, DID_NOT = "came true", "did not"

EXPECTED = "expected log wealth"
"""Drawn beside log wealth: its mean if the model is right."""

RETURN, LOG_RETURN, WEALTH, LOG_WEALTH, MARTINGALE = (
    "single return",
    "log return",
    "wealth W",
    "log wealth",
    "log M",
)


def paths_chart(name: str, title: str, wealth: Wealth, dates: NDArray[np.datetime64] | None = None) -> Chart:
    """Draw single returns and wealth on natural and log scales, and the martingale, with aligned panels."""
    logs, path = wealth.blocks.logs[:, 0], wealth.path
    has_wealth = bool(np.isfinite(path).all() and path.max() < LARGEST_LOG_WEALTH)
    case_axis = CaseAxis("case", dates)
    columns: dict[str, Floats] = {
        RETURN: np.exp(logs),
        LOG_RETURN: logs,
        LOG_WEALTH: path,
        MARTINGALE: wealth.martingale,
        EXPECTED: np.cumsum(wealth.sums("model_mean")),
    }
    if has_wealth:
        columns[WEALTH] = np.exp(path)
    panels = [RETURN, LOG_RETURN, *([WEALTH] if has_wealth else []), LOG_WEALTH, MARTINGALE]

    def find() -> Mapping[str, Rows]:
        shown = thin(len(path), most=POINTS_DRAWN)
        rows = picture_rows({column: columns[column][shown] for column in (*panels, EXPECTED)})
        placed = zip(case_axis.rows(wealth.positions[shown]), rows, strict=True)
        return {"paths": tuple({**place, **row} for place, row in placed)}

    def draw(kit: Kit) -> object:
        alt, drawn = kit.alt, []
        base = kit.base("paths")
        for panel in panels:
            values = np.asarray(columns[panel], float)
            axis = alt.Axis(
                **number_axis(values[np.isfinite(values)].tolist()),
                tickCount=3,
                minExtent=AXIS_ROOM,
                maxExtent=AXIS_ROOM,
            )
            is_last = panel == panels[-1]
            x = alt.X(
                case_axis.field,
                title=case_axis.title("case" if is_last else None),
                scale=alt.Scale(nice=False),
                axis=case_axis.axis(kit, len(path), labels=is_last),
            )
            mark = base.mark_circle(size=8, color=FIRST) if "return" in panel else base.mark_line(color=FIRST)
            layer = mark.encode(x=x, y=alt.Y(f"{panel}:Q", axis=axis, scale=alt.Scale(zero=False)))
            if panel == LOG_WEALTH:
                expected = base.mark_line(color=THIRD, strokeDash=[5, 4], strokeWidth=1.5)
                layer = alt.layer(expected.encode(x=x, y=alt.Y(f"{EXPECTED}:Q", title=LOG_WEALTH)), layer)
            drawn.append(layer.properties(width=WIDE - AXIS_ROOM, height=70))
        return alt.vconcat(*drawn, spacing=8)

    listed = "wealth, log wealth, and log M" if has_wealth else "log wealth, and log M"
    scale = "" if has_wealth else " Wealth exceeds the largest number, so only its logarithm is drawn."
    return Chart(
        name,
        title,
        f"From the top: the factor by which each case multiplied wealth, its logarithm, {listed}. The dashed "
        "line is the mean of log wealth if the model is right. M is wealth divided by its mean if the model "
        f"is right, so it is a martingale.{scale}",
        LazyMapping(find),
        draw,
        (*case_axis.columns, *(Column(panel, "number") for panel in (*panels, EXPECTED))),
    )


class ScatterPanel(NamedTuple):
    """The probabilities that two models gave one class, and whether it came true."""

    label: str
    came_true: NDArray[np.bool_]
    model: Floats
    rival: Floats


def scatter_chart(name: str, title: str, panels: Sequence[ScatterPanel], systems: tuple[str, str]) -> Chart:
    """Draw one point per case and class: the probabilities of two models, by what happened."""
    cases = len(panels[0].model)
    shown = thin(cases, most=MAX_SCATTER_POINTS // len(panels))
    cut = "" if len(shown) == cases else f" {len(shown):,} of {cases:,} cases are drawn."
    has_classes = len(panels) > 1

    def find() -> Mapping[str, Rows]:
        rows = []
        for panel in panels:
            points = picture_rows({"model": panel.model[shown], "rival": panel.rival[shown]})
            outcomes = np.where(panel.came_true[shown], CAME_TRUE, DID_NOT).tolist()
            label = {"class": panel.label} if has_classes else {}
            rows += [{**label, **row, "outcome": came} for row, came in zip(points, outcomes, strict=True)]
        return {name: tuple(rows)}

    def draw(kit: Kit) -> object:
        alt = kit.alt
        colours = alt.Scale(domain=[CAME_TRUE, DID_NOT], range=[FIRST, SECOND])
        axis = alt.Axis(format=".0%", tickCount=5)
        unit = alt.Scale(domain=[0, 1])
        model, rival = systems
        width = HIGH if not has_classes else (WIDE - 90) // PANELS_PER_ROW
        drawn = []
        for index, panel in enumerate(panels):
            base = kit.base(name)
            if has_classes:
                base = base.transform_filter(alt.datum["class"] == panel.label)
            y_title = f"probability by {model}" if index % PANELS_PER_ROW == 0 else None
            points = base.mark_circle(size=14, opacity=0.6, aria=False).encode(
                x=alt.X("rival:Q", scale=unit, axis=axis, title=f"probability by {rival}"),
                y=alt.Y("model:Q", scale=unit, axis=axis, title=y_title),
                color=alt.Color("outcome:N", scale=colours, legend=alt.Legend(title=None)),
                tooltip=kit.tooltip(
                    {"model": ".1%", "rival": ".1%", "outcome": ""}, {"model": model, "rival": rival}
                ),
            )
            ends = {"x": 0, "x2": 1, "y": 0, "y2": 1}
            corners = {end: alt.datum(value) for end, value in ends.items()}
            diagonal = kit.once().mark_rule(opacity=0.5).encode(**corners)
            picture = alt.layer(diagonal, points).properties(width=width, height=width)
            drawn.append(picture.properties(title=shorten(panel.label, 30)) if has_classes else picture)
        if not has_classes:
            return drawn[0]
        rows = [drawn[start : start + PANELS_PER_ROW] for start in range(0, len(drawn), PANELS_PER_ROW)]
        return alt.vconcat(*(alt.hconcat(*row, spacing=10) for row in rows), spacing=12)

    per = "case and class" if has_classes else "case"
    description = f"One point per {per}. Above the diagonal {systems[0]} gives the higher probability.{cut}"
    columns = (Column("model", "percent"), Column("rival", "percent"), Column("outcome"))
    table = (Column("class"), *columns) if has_classes else columns
    return Chart(name, title, description, LazyMapping(find), draw, table)
