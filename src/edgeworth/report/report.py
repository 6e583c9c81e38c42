"""A report as a value: a verdict, sections of tables, warnings, and where it all came from."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias, TypeVar, get_args

from edgeworth.common.escaping import OBEYED, visible
from edgeworth.common.progress import track_progress
from edgeworth.core.formatting import cut_middle, digits_shown, displayable, shorten
from edgeworth.core.on_demand import as_dictionaries
from edgeworth.errors import EdgeworthError, OptionError
from edgeworth.report.verdict import CROSS_VALIDATED, IN_SAMPLE, Verdict, claims_to_dicts

if TYPE_CHECKING:
    from edgeworth.report.charts.chart import Chart
    from edgeworth.report.frames import Row
    from edgeworth.report.slider import Slider

SCHEMA = "edgeworth.report/1"

ColumnFormat: TypeAlias = Literal[
    "text", "measure", "count", "number", "percent", "dollars", "probability", "belief", "interval"
]
"""A measure is written by its name and read in words; a belief is a probability that is approximate."""

Cell: TypeAlias = str | int | float | tuple[float | None, float | None] | None
"""A pair is an interval. None is undefined."""


About: TypeAlias = Callable[..., dict[str, Any]]
"""Makes the provenance of a report, with what the report itself knows added."""


def make_provenance(**known: Any) -> dict[str, Any]:
    """Say where a report came from: what is needed to make it again."""
    # The same libraries whatever was loaded before, found without loading them.
    from importlib.metadata import version

    from edgeworth import __version__

    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy"))
    versions = f"Python {python_version()}, {libraries}"
    plain = {
        name: value if isinstance(value, (str, int, float, list)) else repr(value)
        for name, value in known.items()
        if value is not None
    }
    return {"edgeworth": __version__, "versions": versions, **plain}


class AtMost(float):
    """A probability of which only an upper bound is known: a number like others, and shown as a bound."""


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, and how its numbers are to be read."""

    name: str
    kind: ColumnFormat = "text"
    is_extra: bool = False
    """Whether a short report leaves it out where the table would be wider than the terminal."""

    @property
    def is_text(self) -> bool:
        """Words stand to the left, numbers to the right."""
        return self.kind in ("text", "measure")


def make_columns(*heads: str, default: ColumnFormat = "number") -> tuple[Column, ...]:
    """Make columns of one kind, or of that behind a slash.

    >>> make_columns("class/text", "mean")
    (Column(name='class', kind='text', is_extra=False), Column(name='mean', kind='number', is_extra=False))
    >>> make_columns("lab/small − lab/large")
    (Column(name='lab/small − lab/large', kind='number', is_extra=False),)
    """
    parts = ((head, *head.rpartition("/")) for head in heads)
    return tuple(
        Column(name, kind) if kind in get_args(ColumnFormat) else Column(head, default)  # type: ignore[arg-type]  # one of them
        for head, name, _, kind in parts
    )


@dataclass(frozen=True)
class Grid:
    """A table: plain values, and how to show them."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Give plain values."""
        return {
            "title": self.title,
            "columns": [{"name": column.name, "kind": column.kind} for column in self.columns],
            "rows": [list(row) for row in self.rows],
            "note": self.note,
        }


@dataclass(frozen=True)
class Section:
    """A heading with sentences and tables under it."""

    title: str
    text: tuple[str, ...] = ()
    grids: tuple[Grid, ...] = ()
    charts: tuple[str, ...] = ()
    """Names of the report's charts that belong here."""
    is_main: bool = False
    """Whether a terminal shows it unless everything is asked for; if no section is, all are."""
    is_folded: bool = False
    """Whether the page shows it only to those who open it."""
    slider: Callable[[], Slider] | None = field(default=None, repr=False, compare=False)
    """Makes a cut that a page lets its reader move."""

    def __getstate__(self) -> dict[str, Any]:
        """Compute the slider, so that the section can be pickled."""
        return vars(self) | {"slider": self.slider and _computed(self.slider)}

    def to_dict(self) -> dict[str, Any]:
        """Give plain values."""
        return {
            "title": self.title,
            "text": list(self.text),
            "tables": [grid.to_dict() for grid in self.grids],
            "charts": list(self.charts),
        }


Value = TypeVar("Value")


def _computed(compute: Callable[[], Value]) -> Callable[[], Value]:
    """Compute a value now, and make a function that returns it and can be pickled; errors are kept too."""
    try:
        return partial(_same, compute())
    except EdgeworthError as error:
        return partial(_raise, error)


def _same(value: Value) -> Value:
    return value


def _raise(error: EdgeworthError) -> NoReturn:
    raise error


class LazyMapping(Mapping[str, Value]):
    """Values by name that are found when somebody first looks: a report on a terminal draws nothing."""

    def __init__(self, find: Callable[[], Mapping[str, Value]]) -> None:
        self._find = find

    @cached_property
    def _found(self) -> Mapping[str, Value]:
        return self._find()

    def __getitem__(self, name: str) -> Value:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the values, computed."""
        return dict, (dict(self),)


class Charts(LazyMapping["Chart"]):
    """Charts by name, given as they are or as a function; an unknown name is told what there is."""

    def __init__(self, charts: Iterable[Chart] | Callable[[], Iterable[Chart]] = ()) -> None:
        given = () if callable(charts) else tuple(charts)
        super().__init__(lambda: self._by_name(charts() if callable(charts) else given))
        if not callable(charts):
            len(self)  # two of one name are refused at once

    def _by_name(self, charts: Iterable[Chart]) -> dict[str, Chart]:
        found: dict[str, Chart] = {}
        for chart in charts:
            if chart.name in found:
                raise OptionError(f"two charts have the name {chart.name!r}; each needs one of its own")
            found[chart.name] = chart
        return found

    def __getitem__(self, name: str) -> Chart:
        if name not in self._found:
            raise OptionError(f"there is no chart {name!r}; there are {', '.join(self) or 'none'}")
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the charts, computed."""
        return Charts, (tuple(self.values()),)


MAX_SOURCE_IN_REPR = 40
MAX_VERDICT_IN_REPR = 120
"""``repr`` shows at most this many characters of a verdict; ``print`` shows the whole report."""


@dataclass(frozen=True, repr=False)
class Report:
    """What an evaluation says: the verdict first, then what it rests on."""

    verdict: str
    sections: tuple[Section, ...]
    warnings: tuple[str, ...]
    provenance: Mapping[str, Any]
    numbers: Mapping[str, Any] = field(default_factory=dict, repr=False)
    charts: Mapping[str, Chart] = field(default_factory=Charts, repr=False)
    digits: int = 3
    """How many digits its tables show."""
    lead: str = ""
    """The name of the chart that shows the verdict: the page has it on its first screen."""
    next_steps: tuple[str, ...] = ()
    """What to look at next, at most three sentences."""
    citation: str = ""
    """One sentence to paste into a paper or a model card: number, interval, test, cases and methods."""
    rows: Callable[[], Sequence[Row]] = field(default=tuple, repr=False, compare=False)
    """Makes a row of each system, slice and measure."""
    items: Callable[[], Sequence[Row]] = field(default=tuple, repr=False, compare=False)
    """Makes a row of each system, item and measure, where items have values."""
    library: str = ""
    """The library whose frame was evaluated."""

    def __getstate__(self) -> dict[str, Any]:
        """Compute what waits to be looked at, so that the report can be pickled without its data."""
        return vars(self) | {"rows": _computed(self.rows), "items": _computed(self.items)}

    def to_dict(self) -> dict[str, Any]:
        """Give everything the report shows, and the numbers behind it, as plain values."""
        return {
            "schema": SCHEMA,
            "verdict": self.verdict,
            "claims": claims_to_dicts(self.verdict),
            "citation": self.citation,
            "warnings": list(self.warnings),
            **as_dictionaries(self.numbers),
            "sections": [section.to_dict() for section in self.sections],
            "charts": {name: chart.numbers() for name, chart in self.charts.items()},
            "provenance": dict(self.provenance),
        }

    def with_notices(self, notices: Iterable[str], digits: int) -> Report:
        """Finish the report of one run: the verdict is one line whatever names hold, notices come first."""
        warnings, verdict = map_texts(visible, (*notices, *self.warnings)), visible(self.verdict)
        if isinstance(self.verdict, Verdict):
            verdict = Verdict(replace(claim, text=visible(claim.text)) for claim in self.verdict.claims)
        steps, citation = map_texts(visible, self.next_steps), visible(self.citation)
        return replace(
            self, verdict=verdict, warnings=warnings, next_steps=steps, citation=citation, digits=digits
        )

    def limit_claims(self, made: str | None) -> Report:
        """Claim no more than predictions can show that were not made before the outcomes."""
        if made == "in-sample":
            numbers = {**self.numbers, "is_conclusive": False}
            for row in numbers.get("slices", {}).get("slices", ()):
                row["is_shown"] = False
            sections = tuple(replace(section, text=()) for section in self.sections)
            return replace(
                self, verdict=Verdict((IN_SAMPLE,)), citation="", numbers=numbers, sections=sections
            )
        if made == "cross-validated":
            return replace(self, warnings=(CROSS_VALIDATED, *self.warnings))
        return self

    def displayed(self) -> Report:
        """Make the same for people to read: names can hold anything, and a terminal or a page obeys some."""
        return replace(
            self,
            # Lines of a verdict are verdicts of several reports.
            verdict="\n".join(map(displayable, self.verdict.split("\n"))),
            sections=map_texts(displayable, self.sections),
            warnings=map_texts(displayable, self.warnings),
            next_steps=map_texts(displayable, self.next_steps),
            citation=displayable(self.citation),
            provenance=map_texts(displayable, self.provenance),
        )

    def to_json(self, path: str | Path | None = None) -> str:
        """Write the report as JSON text; also to ``path`` when given, whole or not at all."""
        from edgeworth.report.formats import write_text

        return write_text(json_text(self.to_dict(), indent=2) + "\n", path)

    def to_html(self, path: str | Path | None = None, *, title: str = "") -> str:
        """Write the report as one page that needs no network; also to ``path`` when given.

        Without a title the page is called by what was read.
        """
        from edgeworth.report.formats import write_text
        from edgeworth.report.html.page import report_to_html

        with track_progress("drawing the page"), digits_shown(self.digits):
            text = report_to_html(self.displayed(), title=displayable(" ".join(title.split())))
        return write_text(text, path)

    def to_markdown(self, path: str | Path | None = None, *, title: str = "") -> str:
        """Write the report as Markdown, under a title if there is one; also to ``path`` when given."""
        from edgeworth.report.formats import report_to_markdown, write_text

        with digits_shown(self.digits):
            text = report_to_markdown(self.displayed(), title=displayable(" ".join(title.split())))
        return write_text(text, path)

    def to_frame(self, library: str | None = None, *, items: bool = False) -> Any:
        """Give the estimates as a frame, one row a system, slice and measure, or the values of each item.

        The library is that of the frame that was evaluated, or else pandas, polars or pyarrow, as installed.
        """
        from edgeworth.report.frames import COLUMNS, make_frame

        columns = ("system", "item", "measure", "value") if items else COLUMNS
        return make_frame(self.items() if items else self.rows(), columns, library or self.library)

    def _repr_html_(self) -> str:
        """Show verdict, warnings and tables in a notebook. Charts are shown by asking for them."""
        from edgeworth.report.html.parts import report_fragment

        with digits_shown(self.digits):
            return report_fragment(self.displayed())

    def __repr__(self) -> str:
        verdict = shorten(visible(self.verdict), MAX_VERDICT_IN_REPR)
        return f"<{type(self).__name__} on {short_source(self.provenance)}: {verdict}>"

    def __str__(self) -> str:
        from edgeworth.report.terminal import plain_text

        return plain_text(self)


def short_source(provenance: Mapping[str, object]) -> str:
    """Name the data of a report in a few characters.

    >>> short_source({"source": "/data/predictions.csv"}), short_source({})
    ('/data/predictions.csv', 'data')
    """
    return cut_middle(visible(str(provenance.get("source", "data"))), MAX_SOURCE_IN_REPR)


def map_texts(change: Callable[[str], str], value: Any) -> Any:
    """Change every text within a value: lists, tuples, mappings and dataclasses of them, however deep."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(name): map_texts(change, each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map_texts(change, each) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        names = [each.name for each in fields(value)]
        return replace(value, **{name: map_texts(change, getattr(value, name)) for name in names})
    return value


def json_text(value: Any, indent: int | None = None) -> str:
    r"""Write JSON in which no sign is one that a terminal obeys: they have their codes, and mean the same.

    >>> json_text(["\x9b2J", "é"])
    '["\\u009b2J","é"]'
    """
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    return re.sub(f"[{OBEYED}]", lambda sign: json.dumps(sign[0])[1:-1], text)


def gather_reports(reports: Mapping[str, Report]) -> Report:
    """Make one report of several, each under its name; in JSON each has a key of its own."""
    warned: dict[str, list[str]] = {}
    for name, report in reports.items():
        for warning in report.warnings:
            warned.setdefault(warning, []).append(name)
    return Report(
        verdict="\n".join(f"{visible(name)}: {report.verdict}" for name, report in reports.items()),
        sections=tuple(
            replace(section, title=f"{name}: {section.title}")
            for name, report in reports.items()
            for section in report.sections
        ),
        warnings=tuple(f"{', '.join(names)}: {warning}" for warning, names in warned.items()),
        provenance=next(iter(reports.values())).provenance,
        numbers={
            "kind": "several",
            "reports": {
                name: {
                    "verdict": x.verdict,
                    "claims": claims_to_dicts(x.verdict),
                    **x.numbers,
                    "provenance": dict(x.provenance),
                }
                for name, x in reports.items()
            },
        },
        charts=Charts(chart for report in reports.values() for chart in report.charts.values()),
    )


def join_reports(first: Report, second: Report) -> Report:
    """Make one report of two on the same data, the first one's verdict first."""
    return Report(
        verdict=f"{first.verdict}\n{second.verdict}",
        sections=(*first.sections, *second.sections),
        warnings=tuple(dict.fromkeys((*first.warnings, *second.warnings))),
        provenance=second.provenance,
        numbers={**first.numbers, **second.numbers},
        charts=Charts((*first.charts.values(), *second.charts.values())),
    )
