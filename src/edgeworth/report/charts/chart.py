"""A chart as a value: its sentence, the table behind it, and the function that draws it with altair.

Charts are drawn on demand, so that a report does not import altair. Rows are added to the specification after
altair has written it, because altair would check them one by one.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape
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
    """Return the format for a file's ending, or raise an error.

    >>> chart_format("curve.SVG")
    'svg'
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise OptionError(f"the file of a chart must end in {', '.join(FORMATS)}; saw {Path(path).name!r}")
    return ending


@dataclass(frozen=True, repr=False)
class Chart:
    """Data sets by name (tables of plain values), and a function that draws an altair chart with a kit.

    ``description`` is for readers without the picture. ``table`` has the columns of the first data set that
    the table behind the chart shows.
    """

    name: str
    title: str
    description: str
    data: Mapping[str, Rows]
    draw: Callable[[Any], Any] = field(repr=False)
    table: tuple[Column, ...] = ()

    def altair(self) -> altair.TopLevelMixin:
        """Draw the chart as an altair object, to change or to combine."""
        drawn: altair.TopLevelMixin = self.draw(Kit({name: list(rows) for name, rows in self.data.items()}))
        return drawn

    def __getstate__(self) -> dict[str, Any]:
        """Draw the chart before pickling, because drawing functions hold references to the findings."""
        try:
            drawing = PickledDrawing(self._specification())
        except MissingExtraError:
            drawing = PickledDrawing(None)
        return vars(self) | {"data": self._plain_data(), "draw": drawing}

    def __getattr__(self, name: str) -> Any:
        """Return other methods of the altair chart, such as ``chart.properties(width=300)``."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.altair(), name)

    def to_dict(self) -> dict[str, Any]:
        """Return the Vega-Lite specification with its data."""
        spec = self._specification()
        # Altair has put the rows of single lines there.
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
        """Return the picture, which every notebook shows, and Vega-Lite for those that can draw it.

        The bundle has no HTML or Markdown, because nbconvert prefers them and would write no picture.
        """
        del include, exclude
        description = displayable(self.description)
        try:
            spec = self.to_dict()
            return {
                "image/svg+xml": stand_alone_picture(svg_of(spec), description),
                "application/vnd.vegalite.v6+json": spec,
                "text/plain": description,
            }
        except MissingExtraError as error:
            return {"text/plain": f"{description} ({error})"}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {displayable(self.title)}>"

    def numbers(self) -> dict[str, Any]:
        """Return the data of the picture as plain values."""
        return {"title": self.title, "description": self.description, "data": self._plain_data()}

    def _plain_data(self) -> dict[str, list[dict[str, Any]]]:
        return {name: [dict(row) for row in rows] for name, rows in self.data.items()}

    def rows(self) -> list[tuple[Cell, ...]]:
        """List the rows of the table behind the chart."""
        first = next(iter(self.data.values()), ())
        return [tuple(row.get(column.name) for column in self.table) for row in first]


@dataclass(frozen=True)
class PickledDrawing:
    """The specification of a chart that was drawn for pickling; None if altair was not installed."""

    drawn: Mapping[str, Any] | None

    @property
    def specification(self) -> dict[str, Any]:
        """The specification, or an error if there is none."""
        if self.drawn is None:
            raise OptionError(
                "this chart was pickled without altair, so it has no drawing: install "
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


_NEEDLESS = re.compile(
    r'\s(?:style|class|role|aria-[a-z]+|pointer-events|font-family|stroke-miterlimit|xmlns:xlink|version)="[^"]*"'
    r'|\sopacity="1"|\s(?:fill|stroke)-opacity="1"|\stransform="translate\(0,0\)"'
)
_TAG = re.compile(r"<[a-zA-Z][^<>]*>")


_ROOT = re.compile(r'(<svg[^>]*?) width="([\d.]+)" height="([\d.]+)" viewBox="0 0 [\d.]+ [\d.]+"')
_LEFT_OF_THE_PLOT = re.compile(r'transform="translate\(([\d.]+),')
_NAME_OF_A_PART = re.compile(r'(id="|url\(#)((?:clip|gradient_)\d*)')

MARGIN_FOR_WIDE_FONTS = 0.2
"""What a wide font, such as DejaVu Sans, adds to the width of labels that were measured in a usual one."""


def slim_picture(svg: str) -> str:
    """Remove the parts of an SVG that a page does not need, mostly the names of marks.

    Its own styles are removed too, because the page's policy forbids them. The page sets the font, so labels
    on the left may be wider than measured. Names of parts become those of this picture only, because all
    pictures of a notebook are in one document.

    >>> slim_picture('<?xml?><svg class="marks"><text opacity="1" x="1">role="y" z</text></svg>')
    '<svg><text x="1">role="y" z</text></svg>'
    >>> slim_picture('<svg width="40" height="9" viewBox="0 0 40 9"><g transform="translate(20,0)"/></svg>')
    '<svg width="44" height="9" viewBox="-4 0 44 9"><g transform="translate(20,0)"/></svg>'
    """
    svg = _ROOT.sub(_with_margin, svg[svg.index("<svg") :], count=1)
    # Only tags are changed; the text between them are labels.
    svg = _TAG.sub(lambda tag: _NEEDLESS.sub("", tag[0]), svg)
    # The converter counts parts over all pictures that it drew; here they are counted within this picture.
    numbers: dict[str, int] = {}
    for tag in _TAG.finditer(svg):
        for name in _NAME_OF_A_PART.finditer(tag[0]):
            numbers.setdefault(name[2], len(numbers))
    bare = _TAG.sub(lambda tag: _NAME_OF_A_PART.sub(lambda name: f"{name[1]}{numbers[name[2]]}", tag[0]), svg)
    own = f"part_{zlib.crc32(bare.encode()):08x}"
    return _TAG.sub(
        lambda tag: _NAME_OF_A_PART.sub(lambda name: f"{name[1]}{own}_{numbers[name[2]]}", tag[0]), svg
    )


def _with_margin(root: re.Match[str]) -> str:
    """Widen a picture on the left by a share of the space that its labels have there."""
    start, width, height = root.groups()
    left = _LEFT_OF_THE_PLOT.search(root.string)
    margin = round(MARGIN_FOR_WIDE_FONTS * float(left[1])) if left else 0
    wide = f"{float(width) + margin:g}"
    return f'{start} width="{wide}" height="{height}" viewBox="{-margin} 0 {wide} {height}"'


def stand_alone_picture(svg: str, description: str) -> str:
    """Make a picture that needs no page: with its own ground, font and text colour, and its sentence.

    >>> picture = stand_alone_picture('<svg><text fill="currentColor">"currentColor"</text></svg>', "<")
    >>> picture.partition("<title>")[2].partition("<rect")[0], picture.rpartition("<text")[2]
    ('&lt;</title>', ' fill="#1c1f23">"currentColor"</text></svg>')
    """
    inked = _TAG.sub(lambda tag: tag[0].replace(f'"{INK}"', f'"{INK_ON_WHITE}"'), slim_picture(svg))
    root, rest = inked.split(">", 1)
    font = root.replace("<svg", f'<svg font-family="{MEASURED_FONT}"', 1)
    ground = '<rect x="-50%" width="200%" height="100%" fill="white"/>'
    return f"{font}><title>{escape(description, quote=False)}</title>{ground}{rest}"


class Kit:
    """The tools of a drawing function: altair, and each data set by name."""

    def __init__(self, rows: Mapping[str, list[Any]] | None) -> None:
        self.alt = import_extra("altair", "drawing charts")
        self._rows = rows

    @property
    def datasets(self) -> Mapping[str, list[Any]]:
        """The rows of each data set; empty if they are added to the specification later."""
        return self._rows or {}

    def base(self, name: str) -> Any:
        """Start a chart on one data set, by its name in a specification or with its rows for altair."""
        alt = self.alt
        if self._rows is None:
            return alt.Chart(alt.NamedData(name=name))
        return alt.Chart(alt.InlineData(values=self._rows[name], name=name))

    def once(self) -> Any:
        """Start a chart on one row, for a single line; on a data set it would be drawn once per row."""
        return self.alt.Chart(self.alt.InlineData(values=[{"once": 1}]))

    def tooltip(self, formats: Mapping[str, str], titles: Mapping[str, str] | None = None) -> list[Any]:
        """Make tooltips: numbers have a format, names have none, and some have titles."""
        title_options = {name: {"title": title} for name, title in (titles or {}).items()}
        return [
            self.alt.Tooltip(f"{name}:Q", format=form, **title_options.get(name, {}))
            if form
            else self.alt.Tooltip(f"{name}:N", **title_options.get(name, {}))
            for name, form in formats.items()
        ]


def _converter() -> Any:
    return import_extra("vl_convert", "making pictures")


def import_extra(module: str, purpose: str) -> Any:
    """Import a library of the extra for reports, or raise an error that explains how to install it."""
    try:
        return import_module(module)
    except ImportError:
        raise MissingExtraError(purpose, "report") from None


FIRST = "#1f77b4"
SECOND = "#d9730d"
THIRD = "#2a9d6f"
FOURTH = "#b0529f"
INK = "currentColor"
INK_ON_WHITE = "#1c1f23"
"""The text colour of a picture with its own background."""
GAINS = ("#ee9f4d", "#f3f3f3", "#6fb0e0")
"""Colours of losses, zero and gains: light enough for dark digits on any page."""
ON_SQUARES = "#111111"
"""The colour of digits on these colours."""
PALETTE = (FIRST, SECOND, THIRD, FOURTH, "#8a6d3b", "#5f8dd3", "#c44e52", "#7f7f7f")
MEASURED_FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"
"""Fonts as wide as the one in which labels are measured when a picture is drawn."""
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
WIDTH, HEIGHT = 420, 290


def config() -> dict[str, Any]:
    """Return the Vega-Lite configuration."""
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
            # Entries stay apart in fonts that are wider than the one in which they are measured.
            "columnPadding": 24,
        },
        "title": {"color": INK, "fontSize": 13, "anchor": "start"},
        "header": {"labelColor": INK, "titleColor": INK},
        "range": {"category": list(PALETTE)},
        "line": {"strokeWidth": 2},
        "text": {"fill": INK, "fontSize": 12},
        "rule": {"color": INK},
    }
