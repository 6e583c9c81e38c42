"""A report as a value: a verdict, sections of tables, warnings, and its provenance."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from platform import python_version
from typing import TYPE_CHECKING, Literal, NoReturn, Protocol, TypeAlias, TypeVar, get_args

from edgeworth.common.escaping import OBEYED, visible
from edgeworth.common.json_types import JsonObject, JsonValue
from edgeworth.common.progress import track_progress
from edgeworth.core.formatting import cut_middle, digits_shown, displayable, shorten
from edgeworth.core.on_demand import as_dictionaries
from edgeworth.errors import EdgeworthError, OptionError
from edgeworth.report.brief_json import describe_charts, join_number_lines, leave_out_curves
from edgeworth.report.verdict import CROSS_VALIDATED, IN_SAMPLE, Verdict, claims_to_dicts
from edgeworth.sources.paths import combine_digests

if TYPE_CHECKING:
    from edgeworth.report.charts.chart import Chart
    from edgeworth.report.frames import Frame, Row
    from edgeworth.report.slider import Slider

SCHEMA = "edgeworth.report/1"

ColumnFormat: TypeAlias = Literal[
    "text", "measure", "count", "number", "percent", "dollars", "probability", "belief", "interval"
]
"""A measure's name is shown by its title; a belief is an approximate probability."""

Cell: TypeAlias = str | int | float | tuple[float | None, float | None] | None
"""A pair is an interval. None is undefined."""


class About(Protocol):
    """Makes the provenance of a report from facts that the report adds."""

    def __call__(self, **known: JsonValue) -> JsonObject: ...


def make_provenance(**known: JsonValue) -> JsonObject:
    """Return the facts that are needed to reproduce a report."""
    # The versions are found without loading the libraries.
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
    """A probability of which only an upper bound is known; tables show it with ≤."""


@dataclass(frozen=True)
class Column:
    """A column of a table: its heading, and how its numbers are to be read."""

    name: str
    kind: ColumnFormat = "text"
    is_extra: bool = False
    """Whether a short report omits it if the table would be wider than the terminal."""

    @property
    def is_text(self) -> bool:
        """Whether the column is aligned to the left, as text is."""
        return self.kind in ("text", "measure")


def make_columns(*heads: str, default: ColumnFormat = "number") -> tuple[Column, ...]:
    """Make columns of one kind, or of the kind after a slash.

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

    def to_dict(self) -> JsonObject:
        """Return plain values for JSON."""
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
    """Names of the report's charts that this section shows."""
    is_main: bool = False
    """Whether a terminal shows it without --full; if no section is main, all are shown."""
    is_folded: bool = False
    """Whether the page folds it until the reader opens it."""
    slider: Callable[[], Slider] | None = field(default=None, repr=False, compare=False)
    """Makes the slider with which the reader of a page moves a cut."""

    def __getstate__(self) -> JsonObject:
        """Compute the slider, so that the section can be pickled."""
        return vars(self) | {"slider": self.slider and _computed(self.slider)}

    def to_dict(self) -> JsonObject:
        """Return plain values for JSON."""
        return {
            "title": self.title,
            "text": list(self.text),
            "tables": [grid.to_dict() for grid in self.grids],
            "charts": list(self.charts),
        }


Value = TypeVar("Value")


def _computed(compute: Callable[[], Value]) -> Callable[[], Value]:
    """Compute a value now, and return a function that gives it (or its error) and can be pickled."""
    try:
        return partial(_same, compute())
    except EdgeworthError as error:
        return partial(_raise, error)


def _same(value: Value) -> Value:
    return value


def _raise(error: EdgeworthError) -> NoReturn:
    raise error


class LazyMapping(Mapping[str, Value]):
    """Values by name that are computed on first access, so that a report on a terminal draws nothing."""

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

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the values, computed."""
        return dict, (dict(self),)


class Charts(LazyMapping["Chart"]):
    """Charts by name, from an iterable or a function; the error for an unknown name lists all names."""

    def __init__(self, charts: Iterable[Chart] | Callable[[], Iterable[Chart]] = ()) -> None:
        known_charts = () if callable(charts) else tuple(charts)
        super().__init__(lambda: self._by_name(charts() if callable(charts) else known_charts))
        if not callable(charts):
            len(self)  # raises an error at once if two have one name

    def _by_name(self, charts: Iterable[Chart]) -> dict[str, Chart]:
        by_name: dict[str, Chart] = {}
        for chart in charts:
            if chart.name in by_name:
                raise OptionError(f"two charts have the name {chart.name!r}; each needs its own name")
            by_name[chart.name] = chart
        return by_name

    def __getitem__(self, name: str) -> Chart:
        if name not in self._found:
            raise OptionError(f"there is no chart {name!r}; there are {', '.join(self) or 'none'}")
        return self._found[name]

    def __contains__(self, name: object) -> bool:
        return name in self._found

    def __repr__(self) -> str:
        return f"<Charts: {', '.join(self) or 'none'}>"

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the charts, computed."""
        return Charts, (tuple(self.values()),)


MAX_SOURCE_IN_REPR = 40
MAX_VERDICT_IN_REPR = 120
"""``repr`` shows at most this many characters of a verdict; ``print`` shows the whole report."""


@dataclass(frozen=True, repr=False)
class Report:
    """A report: the verdict first, then the tables, charts and numbers behind it.

    ``ew.evaluate`` makes reports. A report prints as text and renders in notebooks.

    Attributes
    ----------
    verdict : str
        The conclusion.
    sections : tuple of Section
        Titles, tables and texts.
    warnings : tuple of str
        What may be wrong, and what to do about it.
    provenance : mapping
        What was evaluated: files, columns, options and versions.
    numbers : mapping
        The numbers behind the report, by kind.
    charts : mapping of str to Chart
        The charts by name: ``report.charts["roc"].save("roc.svg")``.

    Examples
    --------
    >>> import edgeworth as ew
    >>> report = ew.evaluate(truth=[1, 0] * 20, prediction=[1, 0] * 15 + [0, 1] * 5)
    >>> report.verdict[:29], sorted(report.charts)[:2]
    ('The predictions beat guessing', ['bias', 'contingency'])
    >>> [section.title for section in report.main_sections][:2]
    ['How informed', 'Class by class']
    """

    verdict: str
    sections: tuple[Section, ...]
    warnings: tuple[str, ...]
    provenance: Mapping[str, JsonValue]
    numbers: Mapping[str, JsonValue] = field(default_factory=dict, repr=False)
    charts: Mapping[str, Chart] = field(default_factory=Charts, repr=False)
    digits: int = 3
    """The number of digits in its tables."""
    lead: str = ""
    """The name of the chart that shows the verdict: the page has it on its first screen."""
    next_steps: tuple[str, ...] = ()
    """What to look at next, at most three sentences."""
    citation: str = ""
    """One sentence to paste into a paper or a model card: number, interval, test, cases and methods."""
    rows: Callable[[], Sequence[Row]] = field(default=tuple, repr=False, compare=False)
    """Makes one row per system, slice and measure."""
    items: Callable[[], Sequence[Row]] = field(default=tuple, repr=False, compare=False)
    """Makes one row per system, item and measure, if items have values."""
    library: str = ""
    """The library whose frame was evaluated."""

    def __getstate__(self) -> JsonObject:
        """Compute lazy parts, so that the report can be pickled without its data."""
        return vars(self) | {"rows": _computed(self.rows), "items": _computed(self.items)}

    def to_dict(self, *, full: bool = False) -> JsonObject:
        """Return everything that the report shows, and the numbers behind it, as plain values.

        Parameters
        ----------
        full : bool
            Whether to include the rows behind every chart, and all digits of curves.

        Returns
        -------
        dict
            The report; the reference of JSON lists its keys.

        Examples
        --------
        >>> import edgeworth as ew
        >>> report = ew.evaluate(truth=[1, 0] * 20, prediction=[1, 0] * 15 + [0, 1] * 5)
        >>> list(report.to_dict())[:4]
        ['schema', 'verdict', 'claims', 'citation']
        """
        numbers = as_dictionaries(self.numbers)
        return {
            "schema": SCHEMA,
            "verdict": self.verdict,
            "claims": claims_to_dicts(self.verdict),
            "citation": self.citation,
            "warnings": list(self.warnings),
            **(numbers if full else leave_out_curves(numbers)),
            "sections": [section.to_dict() for section in self.sections],
            "charts": describe_charts(self.charts, full=full),
            "provenance": dict(self.provenance),
        }

    def with_notices(self, notices: Iterable[str], digits: int) -> Report:
        """Finish the report of one run: escape line breaks in the verdict, and put notices first.

        :meta private:
        """
        warnings, verdict = map_texts(visible, (*notices, *self.warnings)), visible(self.verdict)
        if isinstance(self.verdict, Verdict):
            verdict = Verdict(replace(claim, text=visible(claim.text)) for claim in self.verdict.claims)
        steps, citation = map_texts(visible, self.next_steps), visible(self.citation)
        return replace(
            self, verdict=verdict, warnings=warnings, next_steps=steps, citation=citation, digits=digits
        )

    def limit_claims(self, made: str | None) -> Report:
        """Claim less if the predictions were not made before the outcomes.

        :meta private:
        """
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
        """Replace the control characters in names, which a terminal or a page would obey.

        :meta private:
        """
        # Lines of a verdict are verdicts of several reports.
        verdict = "\n".join(map(displayable, self.verdict.split("\n")))
        if isinstance(self.verdict, Verdict):
            verdict = Verdict(replace(claim, text=displayable(claim.text)) for claim in self.verdict.claims)
        return replace(
            self,
            verdict=verdict,
            sections=map_texts(displayable, self.sections),
            warnings=map_texts(displayable, self.warnings),
            next_steps=map_texts(displayable, self.next_steps),
            citation=displayable(self.citation),
            provenance=map_texts(displayable, self.provenance),
        )

    def to_json(self, path: str | Path | None = None, *, full: bool = False) -> str:
        """Write the report as JSON text.

        Parameters
        ----------
        path : str or Path, optional
            Also write the text to this file, completely or not at all.
        full : bool
            Whether to include the rows behind every chart, and all digits of curves.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> import json
        >>> import edgeworth as ew
        >>> report = ew.evaluate(truth=[1, 0] * 20, prediction=[1, 0] * 15 + [0, 1] * 5)
        >>> json.loads(report.to_json())["verdict"] == report.verdict
        True
        """
        from edgeworth.report.formats import write_text

        return write_text(json_text(self.to_dict(full=full), indent=2) + "\n", path)

    def to_metrics(self) -> dict[str, float]:
        """Return the estimates as a flat dictionary, for experiment trackers such as MLflow and W&B.

        Returns
        -------
        dict of str to float
            Each measure has its value under its name (``recall[0]`` is ``recall_0``) and the ends of its
            interval under ``_low`` and ``_high``. Thresholds, costs and slices are included, undefined values
            are left out. Names have only letters, digits, ``_``, ``-``, ``.`` and ``/``.

        Examples
        --------
        >>> import edgeworth as ew
        >>> table = ew.ContingencyTable.from_matrix([[45, 15], [5, 35]], rows="predicted")
        >>> metrics = ew.evaluate(table).to_metrics()
        >>> round(metrics["informedness"], 6), metrics["recall_0"], metrics["cases"]
        (0.6, 0.9, 100.0)
        """
        from edgeworth.report.metrics import report_metrics

        return report_metrics(self.rows(), self.numbers)

    def to_html(self, path: str | Path | None = None, *, title: str = "") -> str:
        """Write the report as one page that needs no network.

        Parameters
        ----------
        path : str or Path, optional
            Also write the page to this file.
        title : str
            The title of the page; by default the name of the data.

        Returns
        -------
        str
            The page.

        Examples
        --------
        >>> import edgeworth as ew
        >>> report = ew.evaluate(truth=[1, 0] * 20, prediction=[1, 0] * 15 + [0, 1] * 5)
        >>> report.to_html(title="Spam filter").startswith("<!doctype html>")
        True
        """
        from edgeworth.report.formats import write_text
        from edgeworth.report.html.page import report_to_html

        with track_progress("drawing the page"), digits_shown(self.digits):
            text = report_to_html(self.displayed(), title=displayable(" ".join(title.split())))
        return write_text(text, path)

    def to_markdown(self, path: str | Path | None = None, *, title: str = "") -> str:
        """Write the report as Markdown.

        Parameters
        ----------
        path : str or Path, optional
            Also write the text to this file.
        title : str
            The heading; by default there is none.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> import edgeworth as ew
        >>> report = ew.evaluate(truth=[1, 0] * 20, prediction=[1, 0] * 15 + [0, 1] * 5)
        >>> report.to_markdown(title="Spam filter").splitlines()[0]
        '# Spam filter'
        """
        from edgeworth.report.formats import report_to_markdown, write_text

        with digits_shown(self.digits):
            text = report_to_markdown(self.displayed(), title=displayable(" ".join(title.split())))
        return write_text(text, path)

    def to_frame(self, library: str | None = None, *, items: bool = False) -> Frame:
        """Return the estimates as a frame.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default that of the frame you evaluated, or one that is installed.
        items : bool
            Return the values of each item instead, if items have values.

        Returns
        -------
        DataFrame or Table
            One row per system, slice and measure. For a slice, ``gap`` is its value minus that of the rest,
            and ``p`` is about the gap.

        Examples
        --------
        >>> import edgeworth as ew
        >>> report = ew.evaluate(truth=[1, 0] * 20, prediction=[1, 0] * 15 + [0, 1] * 5)
        >>> list(report.to_frame("pandas").columns[:4])
        ['system', 'by', 'slice', 'measure']
        """
        from edgeworth.report.frames import COLUMNS, GAP_COLUMNS, make_frame

        rows = self.items() if items else self.rows()
        columns = ("system", "item", "measure", "value") if items else COLUMNS
        if any("gap" in row for row in rows):
            columns = (*columns, *GAP_COLUMNS)
        return make_frame(rows, columns, library or self.library)

    @property
    def main_sections(self) -> tuple[Section, ...]:
        """The sections that are shown unless you ask for everything."""
        return tuple(section for section in self.sections if section.is_main) or self.sections

    def _repr_html_(self) -> str:
        """Show verdict, key figures, the leading chart and the main tables in a notebook."""
        from edgeworth.report.html.notebook import report_fragment

        with digits_shown(self.digits):
            return report_fragment(self.displayed())

    def _repr_markdown_(self) -> str:
        """Show verdict, warnings and the main tables if a notebook is converted to Markdown."""
        return replace(self, sections=self.main_sections).to_markdown()

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


def map_texts(change: Callable[[str], str], value: JsonValue) -> JsonValue:
    """Apply a function to every text in nested lists, tuples, mappings and dataclasses."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {change(name): map_texts(change, item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map_texts(change, item) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        names = [item.name for item in fields(value)]
        return replace(value, **{name: map_texts(change, getattr(value, name)) for name in names})
    return value


def json_text(value: JsonValue, indent: int | None = None) -> str:
    r"""Write JSON with control characters escaped, so that a terminal does not obey them.

    >>> json_text(["\x9b2J", "é"])
    '["\\u009b2J","é"]'
    """
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    text = text if indent is None else join_number_lines(text)
    return re.sub(f"[{OBEYED}]", lambda sign: json.dumps(sign[0])[1:-1], text)


def gather_reports(reports: Mapping[str, Report]) -> Report:
    """Combine several reports into one, each under its name; in JSON each has its own key."""
    names_by_warning: dict[str, list[str]] = {}
    for name, report in reports.items():
        for warning in report.warnings:
            names_by_warning.setdefault(warning, []).append(name)
    return Report(
        verdict="\n".join(f"{visible(name)}: {report.verdict}" for name, report in reports.items()),
        sections=tuple(
            replace(section, title=f"{name}: {section.title}")
            for name, report in reports.items()
            for section in report.sections
        ),
        warnings=tuple(f"{', '.join(names)}: {warning}" for warning, names in names_by_warning.items()),
        provenance=_gather_provenance([report.provenance for report in reports.values()]),
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


def _gather_provenance(parts: Sequence[Mapping[str, JsonValue]]) -> JsonObject:
    """Keep the facts that all reports share, name every source, and combine the digests of the data."""
    first = parts[0]
    shared = {name: value for name, value in first.items() if all(x.get(name) == value for x in parts)}
    names = dict.fromkeys(str(part["source"]) for part in parts if part.get("source"))
    digests = [str(part["digest"]) for part in parts if part.get("digest")]
    is_known = len(digests) == len(parts)
    return {
        **shared,
        **({"source": ", ".join(names)} if names else {}),
        **({"digest": combine_digests([*dict.fromkeys(digests)])} if is_known else {}),
    }


def join_reports(first: Report, second: Report) -> Report:
    """Combine two reports on the same data; the first one's verdict comes first."""
    return Report(
        verdict=f"{first.verdict}\n{second.verdict}",
        sections=(*first.sections, *second.sections),
        warnings=tuple(dict.fromkeys((*first.warnings, *second.warnings))),
        provenance=second.provenance,
        numbers={**first.numbers, **second.numbers},
        charts=Charts((*first.charts.values(), *second.charts.values())),
    )
