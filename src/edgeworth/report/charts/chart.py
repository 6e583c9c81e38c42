"""A chart as a value: what it says, the table behind it, and how altair draws it.

Drawing waits until somebody looks: a report holds charts without importing altair. Rows are put into the
specification after altair has written it, for altair would check them one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from edgeworth.common.escaping import visible
from edgeworth.core.formatting import displayable
from edgeworth.errors import MissingExtraError, OptionError
from edgeworth.report.formats import write_file
from edgeworth.report.report import Cell, Column, json_text, map_texts

if TYPE_CHECKING:
    import altair


Rows = tuple[Mapping[str, Any], ...]

Altair: TypeAlias = Any
"""A chart, a layer or a channel of Altair, or its module, which is imported only when a chart is drawn."""
FORMATS = ("svg", "png", "pdf", "json")


def chart_format(path: str | Path) -> str:
    """Find the format that a file's ending asks for, or refuse it.

    >>> chart_format("curve.SVG")
    'svg'
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise OptionError(f"a chart is written as {', '.join(FORMATS)}; saw {Path(path).name!r}")
    return ending


@dataclass(frozen=True)
class Chart:
    """Data by name (each a table of plain values), and a function from a kit of tools to an altair chart.

    ``says`` is the sentence that a reader without the picture gets; ``table`` the columns of the first data
    set as they are shown in the table behind the chart.
    """

    name: str
    title: str
    says: str
    data: Mapping[str, Rows]
    draw: Callable[[Any], Any] = field(repr=False)
    table: tuple[Column, ...] = ()

    def altair(self) -> altair.TopLevelMixin:
        """Draw the chart as an altair object, to change or to combine."""
        drawn: altair.TopLevelMixin = self.draw(Kit({name: list(rows) for name, rows in self.data.items()}))
        return drawn

    def __getstate__(self) -> dict[str, Any]:
        """Draw the chart, so that it can be pickled: drawing functions hold on to findings."""
        try:
            drawing = PickledDrawing(self._specification())
        except MissingExtraError:
            drawing = PickledDrawing(None)
        return vars(self) | {"data": self._plain_data(), "draw": drawing}

    def __getattr__(self, name: str) -> Any:
        """Do whatever else an altair chart can: ``chart.properties(width=300)``, ``chart.interactive()``."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.altair(), name)

    def to_dict(self) -> dict[str, Any]:
        """Give the Vega-Lite specification, with its data."""
        spec = self._specification()
        # Altair has put the rows of lines that stand by themselves there.
        datasets = spec.get("datasets", {}) | self._plain_data()
        shown: dict[str, Any] = map_texts(visible, spec | {"datasets": datasets})
        return shown | {"config": config(), "background": "transparent"}

    def _specification(self) -> dict[str, Any]:
        """Write the specification without the rows of the data sets."""
        if isinstance(self.draw, PickledDrawing):
            return self.draw.specification
        spec: dict[str, Any] = self.draw(Kit(None)).to_dict(validate=False)
        return spec

    def svg(self) -> str:
        """Draw the picture as SVG text."""
        return svg_of(self.to_dict())

    def save(self, path: str | Path) -> None:
        """Write the picture as SVG, PNG, PDF or its specification as JSON, by the name's ending."""
        write_file(Path(path), self.render(chart_format(path)))

    def render(self, ending: str) -> bytes:
        """Draw the picture in one of the formats."""
        spec = self.to_dict()
        if ending == "json":
            return json_text(spec, indent=1).encode()
        if ending == "svg":
            return svg_of(spec).encode()
        spec["background"] = "white"
        if ending == "png":
            return bytes(_converter().vegalite_to_png(spec, scale=2))
        return bytes(_converter().vegalite_to_pdf(spec))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        """Let a notebook draw it with its own Vega-Lite, or show the sentence."""
        del include, exclude
        try:
            return {"application/vnd.vegalite.v6+json": self.to_dict(), "text/plain": displayable(self.says)}
        except MissingExtraError as error:
            return {"text/plain": f"{displayable(self.says)} ({error})"}

    def numbers(self) -> dict[str, Any]:
        """Give what the picture shows, as plain values."""
        return {"title": self.title, "says": self.says, "data": self._plain_data()}

    def _plain_data(self) -> dict[str, list[dict[str, Any]]]:
        return {name: [dict(row) for row in rows] for name, rows in self.data.items()}

    def rows(self) -> list[tuple[Cell, ...]]:
        """List the rows of the table behind the chart."""
        first = next(iter(self.data.values()), ())
        return [tuple(row.get(column.name) for column in self.table) for row in first]


@dataclass(frozen=True)
class PickledDrawing:
    """The specification of a chart drawn when it was pickled; None where altair was not installed."""

    drawn: Mapping[str, Any] | None

    @property
    def specification(self) -> dict[str, Any]:
        """The specification, or an error if there is none."""
        if self.drawn is None:
            raise OptionError(
                "this chart was pickled where altair is not installed, so it has no drawing: install "
                "edgeworth[report] there and pickle the report again"
            )
        return dict(self.drawn)

    def __call__(self, kit: Kit) -> Any:
        """Make the altair chart again."""
        spec = self.specification
        return kit.alt.Chart.from_dict(spec | {"datasets": spec.get("datasets", {}) | kit.datasets})


def svg_of(spec: dict[str, Any]) -> str:
    """Draw a Vega-Lite specification as SVG text."""
    return str(_converter().vegalite_to_svg(spec))


class Kit:
    """What a drawing function needs: altair, and each data set by name."""

    def __init__(self, rows: Mapping[str, list[Any]] | None) -> None:
        self.alt = import_extra("altair", "drawing charts")
        self._rows = rows

    @property
    def datasets(self) -> Mapping[str, list[Any]]:
        """The rows of each data set; none if they are put into the specification later."""
        return self._rows or {}

    def base(self, name: str) -> Any:
        """Begin a chart over one data set: named in a specification, or with its rows for altair."""
        alt = self.alt
        if self._rows is None:
            return alt.Chart(alt.NamedData(name=name))
        return alt.Chart(alt.InlineData(values=self._rows[name], name=name))

    def once(self) -> Any:
        """Begin a chart over one row, for a line by itself: over data it would be drawn for each row."""
        return self.alt.Chart(self.alt.InlineData(values=[{"once": 1}]))

    def tooltip(self, formats: Mapping[str, str], titles: Mapping[str, str] | None = None) -> list[Any]:
        """Say what stands under the pointer: numbers by their format, names by none; some have titles."""
        given = {name: {"title": title} for name, title in (titles or {}).items()}
        return [
            self.alt.Tooltip(f"{name}:Q", format=form, **given.get(name, {}))
            if form
            else self.alt.Tooltip(f"{name}:N", **given.get(name, {}))
            for name, form in formats.items()
        ]


def _converter() -> Any:
    return import_extra("vl_convert", "making pictures")


def import_extra(module: str, purpose: str) -> Any:
    """Import a library of the extra for reports, or say how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(purpose, "report") from None


FIRST = "#1f77b4"
SECOND = "#d9730d"
THIRD = "#2a9d6f"
FOURTH = "#b0529f"
INK = "currentColor"
GAINS = ("#ee9f4d", "#f3f3f3", "#6fb0e0")
"""Colours of losses, nothing, and gains: light enough for dark figures all the way, on any page."""
ON_SQUARES = "#111111"
"""Figures on such colours."""
PALETTE = (FIRST, SECOND, THIRD, FOURTH, "#8a6d3b", "#5f8dd3", "#c44e52", "#7f7f7f")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
WIDTH, HEIGHT = 420, 290


def config() -> dict[str, Any]:
    """Give the Vega-Lite configuration."""
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
