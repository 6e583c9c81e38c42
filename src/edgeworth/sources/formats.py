"""The formats of files, in one table: what reads each, how its files end and begin, and what people call it.

A new format is a module with a source of its own, and an entry here. Folders, standard input, object stores,
Spark, the command's help and errors all read this table.
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
"""For each file, the columns that its folders name, as in ``year=2024/part.csv``."""


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
    """What a file of it is, in a sentence: "a.csv is delimited text"."""
    words: tuple[str, ...]
    """What people call it."""
    endings: tuple[str, ...]
    other_endings: tuple[str, ...] = ()
    """Endings of files that are read when they are named, and left alone in a folder."""
    beginnings: tuple[bytes, ...] = ()
    """How such files begin, for those without a known ending."""
    reader: Callable[[Path, str | None], FileSource] | None = None
    """What opens one file; None if only Spark reads it."""
    combine: Callable[[Sequence[FileSource], str, Folders], Source] = _combine
    """What reads several files as one."""
    duckdb: str | None = None
    """How DuckDB reads ``$path`` from an object store; None where it cannot."""
    is_text: bool = False
    """Whether DuckDB's values are all text."""
    spark: str | None = None
    """What Spark calls it; None where Spark cannot read it."""

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
"""Every format; a file that says nothing about itself is taken for the first."""

READ = tuple(each for each in FORMATS if each.reader is not None)

COMPRESSED = {".gz", ".zst", ".bz2"}
"""Endings of compressed files."""


def ending(path: Path) -> str:
    """Find the ending that says what a file holds: ``.csv`` of ``a.csv.gz``.

    >>> ending(Path("a.b.CSV.gz")), ending(Path("a.gz"))
    ('.csv', '')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    while suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    return suffixes[-1] if suffixes else ""


def format_by_ending(path: Path) -> Format | None:
    """Find the format that a file's ending names; None where it names none."""
    found = ending(path)
    return next((each for each in FORMATS if found in each.endings + each.other_endings), None)


def format_by_head(head: bytes) -> Format:
    """Find the format of a file that begins with these bytes.

    >>> format_by_head(b'{"y": 1}').name, format_by_head(b"y,p").name
    ('JSON lines', 'delimited text')
    """
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return next((each for each in READ if start.startswith(each.beginnings)), FORMATS[0])


def list_words(formats: tuple[Format, ...] = READ, last: str = ",") -> str:
    """List what people call some formats.

    >>> list_words(), list_words(FORMATS[:2], " or")
    ('CSV, TSV, Parquet, JSON lines, Arrow', 'CSV, TSV or Parquet')
    """
    words = [word for each in formats for word in each.words]
    return f"{', '.join(words[:-1])}{last} {words[-1]}"
