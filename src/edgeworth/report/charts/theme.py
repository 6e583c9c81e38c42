"""Colours and type of every chart. The colours differ in lightness, so they part for every kind of eye.

What is not a colour of its own is drawn in the page's text colour (``currentColor``): one picture serves a
light page and a dark one.
"""

from __future__ import annotations

from typing import Any

FIRST = "#1f77b4"
SECOND = "#d9730d"
THIRD = "#2a9d6f"
FOURTH = "#b0529f"
INK = "currentColor"
SHARES = ("#f3f3f3", "#4b9cd8")
"""Colours of shares, from none to all: light enough for dark figures all the way, on any page."""
GAINS = ("#ee9f4d", "#f3f3f3", "#6fb0e0")
"""Colours of losses, nothing, and gains."""
ON_SQUARES = "#111111"
"""Figures on such colours."""
PALETTE = (FIRST, SECOND, THIRD, FOURTH, "#8a6d3b", "#5f8dd3", "#c44e52", "#7f7f7f")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
WIDTH, HEIGHT = 420, 290


def config() -> dict[str, Any]:
    """The Vega-Lite configuration."""
    axis = {
        "labelColor": INK,
        "titleColor": INK,
        "domainColor": INK,
        "tickColor": INK,
        "gridColor": INK,
        "domainOpacity": 0.35,
        "tickOpacity": 0.35,
        "gridOpacity": 0.1,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelLimit": 160,
    }
    return {
        "font": FONT,
        "background": "transparent",
        "view": {"stroke": None, "continuousWidth": WIDTH, "continuousHeight": HEIGHT},
        "axis": axis,
        "axisQuantitative": {"tickCount": 6},
        "legend": {
            "labelColor": INK,
            "titleColor": INK,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "orient": "top",
            "labelLimit": 200,
            "titleLimit": 300,
        },
        "title": {"color": INK, "fontSize": 13, "anchor": "start"},
        "header": {"labelColor": INK, "titleColor": INK},
        "range": {"category": list(PALETTE)},
        "line": {"strokeWidth": 2},
        "text": {"fill": INK, "fontSize": 12},
        "rule": {"color": INK},
    }
