"""Where a report goes: the terminal, and files as asked for."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, ClassVar

from cyclopts import Parameter

from edgeworth.cli.options import GROUPS, Hyphen, input_files
from edgeworth.common.escaping import visible
from edgeworth.common.progress import track_progress
from edgeworth.errors import OptionError

if TYPE_CHECKING:
    from edgeworth.report.report import Report


NOT_PAGES = (".pdf", ".docx", ".doc", ".png", ".svg")
"""Endings of documents and pictures, which a web page is not."""

STANDARD_STREAM = "-"
"""The name of standard input among inputs, and of standard output among outputs."""
NO_OPTIONS: Mapping[str, object] = {}


def file_option(text: str) -> Parameter:
    """Describe an option that names a file to write, which may be - for standard output."""
    return Parameter(help=text, metavar="FILE", allow_leading_hyphen=True)


@Parameter(name="*", group=GROUPS["Output"])
@dataclass(frozen=True)
class Output:
    """Options that every report has."""

    full: Annotated[
        bool,
        Parameter(help="Show every section, and write the rows behind every chart to JSON.", negative=""),
    ] = False
    json: Annotated[
        str | None, file_option("Also write everything as JSON to this file; with -, print only that.")
    ] = None
    html: Annotated[
        str | None,
        file_option(
            "Also write one page with charts, which needs no network, to this file; with -, print only that."
        ),
    ] = None
    markdown: Annotated[
        str | None, file_option("Also write the report as Markdown to this file; with -, print only that.")
    ] = None
    title: Annotated[
        str | None,
        Hyphen,
        Parameter(help="The title of the page and of the Markdown.", metavar="TEXT"),
    ] = None
    chart: Annotated[
        tuple[tuple[str, str], ...],
        Parameter(
            help="Write a chart, by its name, to a file that ends in .svg, .png, .pdf or .json.",
            metavar="NAME FILE",
            negative="",
        ),
    ] = ()

    places: ClassVar[tuple[str, ...]] = ("html", "json", "markdown")
    """Options that name one file each, in the order in which they are written."""

    def __post_init__(self) -> None:
        self._check_places()
        if self.html is not None and Path(self.html).suffix.lower() in NOT_PAGES:
            raise OptionError(
                f"--html writes a web page, not a {Path(self.html).suffix} file: name it report.html. "
                "To make a PDF, open the page in a browser and print it"
            )
        if self.title is not None and self.html is None and self.markdown is None:
            raise OptionError("--title needs a page or Markdown: add --html FILE or --markdown FILE")
        if self.chart:
            from edgeworth.report.charts.chart import chart_format

            for _, path in self.chart:
                chart_format(path)

    @property
    def has_output_file(self) -> bool:
        """Whether an output file is written, which states the digest of the data; the terminal does not."""
        return any(getattr(self, name) is not None for name in Output.places)

    def check(
        self, files: Sequence[str] = (), options: Mapping[str, object] = NO_OPTIONS, **more: str | None
    ) -> None:
        """Refuse to write over a file that the command reads.

        ``files`` and ``options`` are what the command was given, ``more`` its own outputs by their options.
        """
        outputs = [*self._check_places(**more), STANDARD_STREAM]
        if outputs[:-1] or _status_of(STANDARD_STREAM, sys.stdout) is not None:
            refuse_inputs(outputs, input_files(files, options))

    def _check_places(self, **more: str | None) -> list[str]:
        """Check the files that will be written: each needs a folder, and no two outputs may share a file."""
        given = {name: getattr(self, name) for name in self.places} | more
        taken = [f"--{name} -" for name, target in given.items() if target == "-"]
        if len(taken) > 1:
            raise OptionError(f"only one output can go to standard output; saw {' and '.join(taken)}")
        names = [name for name in given.values() if name is not None and name != "-"]
        names += [path for _, path in self.chart]
        for name in names:
            try:
                has_folder, is_folder = Path(name).absolute().parent.is_dir(), Path(name).is_dir()
            except (OSError, ValueError) as error:
                why = error.strerror if isinstance(error, OSError) else error
                raise OptionError(f"{name!r} cannot be written: {why}") from None
            if not name or not has_folder:
                raise OptionError(f"{name!r} cannot be written: there is no such folder")
            if is_folder:
                raise OptionError(f"{name!r} cannot be written: it is a folder")
        if len({os.path.realpath(name) for name in names}) < len(names):
            raise OptionError(f"two outputs would be written to one file; saw {', '.join(names)}")
        return names


NO_OUTPUT = Output()


@Parameter(name="*", group=GROUPS["Output"])
@dataclass(frozen=True)
class ComparisonOutput(Output):
    """Options that a comparison has as well."""

    csv: Annotated[
        str | None, file_option("Write all pairs and measures as CSV; with -, print only that.")
    ] = None
    latex: Annotated[str | None, file_option("Write the same table as LaTeX; with -, print only that.")] = (
        None
    )
    places: ClassVar[tuple[str, ...]] = ("csv", "latex", *Output.places)


@Parameter(name="*", group=GROUPS["Output"])
@dataclass(frozen=True)
class SearchOutput(Output):
    """Options that a report on search runs has as well."""

    csv: Annotated[
        str | None,
        file_option("Write runs × measures as CSV, with adjusted p-values; with -, print only that."),
    ] = None
    latex: Annotated[
        str | None,
        file_option(
            "Write runs × measures as LaTeX, best in bold, † against --baseline; with -, print only that."
        ),
    ] = None
    per_query: Annotated[
        str | None,
        file_option("Write the value of each run, query and measure as CSV; with -, print only that."),
    ] = None
    places: ClassVar[tuple[str, ...]] = ("csv", "latex", "per_query", *Output.places)


NO_SEARCH_OUTPUT = SearchOutput()


def refuse_inputs(outputs: Iterable[str], inputs: Iterable[str]) -> None:
    """Refuse to write over an input, also if a link or a redirected stream is the same file."""
    names = set(inputs) - {STANDARD_STREAM}
    statuses = [_status_of(name, sys.stdin) for name in inputs]
    read = {(status.st_dev, status.st_ino) for status in statuses if status is not None}
    for name in outputs:
        status = _status_of(name, sys.stdout)
        if name in names or (status is not None and (status.st_dev, status.st_ino) in read):
            shown = "standard output is a file that" if name == STANDARD_STREAM else name
            raise OptionError(f"{shown} is read, so nothing is written over it")


def _status_of(name: str, stream: IO[str]) -> os.stat_result | None:
    """Return what identifies a file, or None if there is no file; the standard streams may be files too."""
    try:
        status = os.fstat(stream.fileno()) if name == STANDARD_STREAM else Path(name).stat()
    except (OSError, ValueError, AttributeError):  # it does not exist, or is closed
        return None
    return status if stat.S_ISREG(status.st_mode) else None


def show(report: Report, output: Output, **tables: Callable[[str | None], str]) -> None:
    """Write what was asked for, and show the report unless standard output is taken."""
    on_screen, written = None, list[str]()
    with track_progress("writing"):
        # Charts first: a name that does not exist is found before anything is written.
        charts = [(report.charts[name], path) for name, path in output.chart]
        for chart, path in charts:
            chart.save(path)
            written.append(path)
        title = output.title or ""
        writers: dict[str, Callable[[str | None], str]] = {
            "html": lambda path: report.to_html(path, title=title),
            "json": lambda path: report.to_json(path, full=output.full),
            "markdown": lambda path: report.to_markdown(path, title=title),
            **tables,
        }
        for name in output.places:
            target = getattr(output, name)
            if target == "-":
                on_screen = writers[name](None)
            elif target is not None:
                writers[name](target)
                written.append(target)
    if on_screen is not None:
        # Text is UTF-8 whatever the terminal is.
        sys.stdout.buffer.write(on_screen.encode())
    else:
        from edgeworth.report.terminal import print_report

        print_report(report, full=output.full)
    if written:
        sys.stdout.flush()
        sys.stderr.write(f"Wrote {visible(', '.join(written))}.\n")
