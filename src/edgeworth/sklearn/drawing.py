"""What displays share: the columns of a report's charts, axes, colours and bands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.errors import InputError, MissingExtraError
from edgeworth.report.charts.chart import PALETTE, Rows
from edgeworth.report.report import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CHANCE_COLOUR = "#7f7f7f"
BAND_OPACITY = 0.18


def new_axes() -> tuple[object, Axes]:
    """Make a figure with axes, or raise an error that explains how to install matplotlib."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingExtraError("drawing displays", "sklearn") from None
    # Long labels beside the axes would be cut off without a layout that makes room for them.
    figure, ax = pyplot.subplots(layout="constrained")
    return figure, ax


def chart_column(rows: Rows, name: str) -> Floats:
    """Take a column of a chart; nothing is nan."""
    values = [row[name] for row in rows]
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def chart_band(rows: Rows, low: str = "low", high: str = "high") -> tuple[Floats, Floats] | None:
    """Take the bounds of a chart, or None if it has none."""
    bounds = chart_column(rows, low), chart_column(rows, high)
    return None if np.isnan(bounds).all() else bounds


def chart_rows(report: Report, chart: str, data: str | None = None) -> Rows:
    """Return the rows of a chart, or raise an error that explains why the report has none."""
    if chart not in report.charts:
        warnings = " ".join(report.warnings)
        raise InputError(f"there is nothing to draw: {report.verdict} {warnings}".strip())
    return report.charts[chart].data[data or chart]


def fill_band(ax: Axes, x: Floats, band: tuple[Floats, Floats] | None, colour: str, label: str) -> None:
    """Shade a band, if there is one."""
    if band is not None:
        ax.fill_between(x, *band, color=colour, alpha=BAND_OPACITY, linewidth=0, label=label)


def next_colour(ax: Axes) -> str:
    """Return a colour that no line on these axes has yet, until all are used."""
    used = {line.get_color() for line in ax.lines}
    return next((colour for colour in PALETTE if colour not in used), PALETTE[0])


def show_legend(ax: Axes) -> None:
    """Show the legend; bands and lines of chance that several displays share get one entry."""
    entries, shared = [], set[str]()
    for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
        is_curve = getattr(handle, "get_color", lambda: CHANCE_COLOUR)() != CHANCE_COLOUR
        if is_curve or label not in shared:
            entries.append((handle, label))
            shared.add(label)
    ax.legend([handle for handle, _ in entries], [label for _, label in entries], fontsize="small")
