"""The table of file formats: the reader, the endings and first bytes, and the usual name of each.

A new format is a module with a source of its own, and an entry in this table. Folders, standard input, object
stores, Spark, the command's help and errors all read this table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from edgeworth.sources.batches import Source
    from edgeworth.sources.paths import FileSource

Folders = Sequence[Mapping[str, str | None]]
"""For each file, the columns in the names of its folders, as in ``year=2024/part.csv``."""


# Each reader imports its library only when a file of its format is opened.


def _open_delimited(path: Path, name: str | None = None) -> FileSource:
    from edgeworth.sources.text_files import DelimitedSource

    return DelimitedSource(path, name)


def _open_json_lines(path: Path, name: str | None = None) -> FileSource:
    from edgeworth.sources.text_files import JsonLinesSource

    return JsonLinesSource(path, name)


def _open_parquet(path: Path, name: str | None = None) -> FileSource:
    from edgeworth.sources.parquet import ParquetSource

    return ParquetSource(path, name)


def _open_arrow(path: Path, name: str | None = None) -> FileSource:
    from edgeworth.sources.arrow import ArrowSource

    return ArrowSource(path, name)


def _combine(files: Sequence[FileSource], name: str, folders: Folders) -> Source:
    from edgeworth.sources.opening import ManySource

    return ManySource(files, name, folders)


def _combine_parquet(files: Sequence[FileSource], name: str, folders: Folders) -> Source:
    from edgeworth.sources.parquet import ManyParquet

    return ManyParquet(files, name, folders)


@dataclass(frozen=True)
class Format:
    """A format of files."""

    name: str
    """The name in messages: "a.csv is delimited text"."""
    words: tuple[str, ...]
    """The usual names."""
    endings: tuple[str, ...]
    other_endings: tuple[str, ...] = ()
    """Endings of files that are read if they are named, and skipped in a folder."""
    beginnings: tuple[bytes, ...] = ()
    """The first bytes of such files, for files without a known ending."""
    reader: Callable[[Path, str | None], FileSource] | None = None
    """Opens one file; None if only Spark reads the format."""
    combine: Callable[[Sequence[FileSource], str, Folders], Source] = _combine
    """Combines several files into one source."""
    duckdb: str | None = None
    """The SQL with which DuckDB reads ``$path`` from an object store; None if it cannot."""
    is_text: bool = False
    """Whether DuckDB's values are all text."""
    spark: str | None = None
    """Spark's name of the format; None if Spark cannot read it."""

    def open(self, path: Path, name: str | None = None) -> FileSource:
        """Open one file of this format, called ``name`` in errors."""
        assert self.reader is not None, f"{self.name} has no reader"
        return self.reader(path, name)


FORMATS = (
    Format(
        "delimited text",
        ("CSV", "TSV"),
        (".csv", ".tsv", ".tab"),
        (".txt",),
        reader=_open_delimited,
        duckdb="read_csv($path, header = true, all_varchar = true, nullstr = '')",
        is_text=True,
        spark="csv",
    ),
    Format(
        "Parquet",
        ("Parquet",),
        (".parquet", ".pq"),
        beginnings=(b"PAR1",),
        reader=_open_parquet,
        combine=_combine_parquet,
        duckdb="read_parquet($path)",
        spark="parquet",
    ),
    Format(
        "JSON lines",
        ("JSON lines",),
        (".jsonl", ".ndjson"),
        (".json",),
        beginnings=(b"{",),
        reader=_open_json_lines,
        duckdb="read_ndjson_auto($path)",
        spark="json",
    ),
    Format(
        "Arrow",
        ("Arrow",),
        (".arrow", ".feather", ".ipc"),
        beginnings=(b"ARROW1", b"\xff\xff\xff\xff", b"FEA1"),
        reader=_open_arrow,
    ),
    Format("ORC", ("ORC",), (".orc",), spark="orc"),
)
"""Every format; a file that shows no format is read as the first."""

READ = tuple(form for form in FORMATS if form.reader is not None)

COMPRESSED = {".gz", ".zst", ".bz2"}
"""Endings of compressed files."""


def ending(path: Path) -> str:
    """Return the ending of a file without endings of compression: ``.csv`` for ``a.csv.gz``.

    >>> ending(Path("a.b.CSV.gz")), ending(Path("a.gz"))
    ('.csv', '')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def format_by_ending(path: Path) -> Format | None:
    """Return the format with a file's ending, or None."""
    suffix = ending(path)
    return next((form for form in FORMATS if suffix in form.endings + form.other_endings), None)


def format_by_head(head: bytes) -> Format:
    """Return the format of a file that begins with these bytes.

    >>> format_by_head(b'{"y": 1}').name, format_by_head(b"y,p").name
    ('JSON lines', 'delimited text')
    """
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return next((form for form in READ if start.startswith(form.beginnings)), FORMATS[0])


def list_words(formats: tuple[Format, ...] = READ, last: str = ",") -> str:
    """List the usual names of some formats.

    >>> list_words(), list_words(FORMATS[:2], " or")
    ('CSV, TSV, Parquet, JSON lines, Arrow', 'CSV, TSV or Parquet')
    """
    words = [word for form in formats for word in form.words]
    return f"{', '.join(words[:-1])}{last} {words[-1]}"
