"""What the charts of rankings have in common: names and colours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgeworth.report.charts import parts
from edgeworth.report.charts.parts import (
    CHANCE,
    HIGH,
    PLAIN,
    WIDE,
    Later,
    axis_figures,
    band_between,
    rows_of,
    touch_points,
)
from edgeworth.report.charts.theme import FIRST

__all__ = [
    "CHANCE",
    "COLOURS",
    "DEPTH",
    "HIGH",
    "OURS",
    "PLAIN",
    "RANDOM",
    "WIDE",
    "Later",
    "axis_figures",
    "band_between",
    "coloured",
    "rows_of",
    "touch_points",
]

OURS, RANDOM = "this ranking", "random selection"
COLOURS = {OURS: FIRST, RANDOM: CHANCE}
DEPTH = "items looked at"


def coloured(alt: Any, layer: Any, who: str, colours: Mapping[str, str] = COLOURS) -> Any:
    """A layer in the colour of who it is about, with one legend for all layers."""
    return parts.coloured(alt, layer, who, colours)
