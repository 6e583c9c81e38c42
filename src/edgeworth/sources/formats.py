"""The formats of files, in one table: what reads each, how its files end and begin, and what people call it.

A new format is a module with a source of its own, and an entry here. Folders, standard input, object stores,
Spark, the command's help and errors all read this table.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any


@dataclass(frozen=True)
class Format:
    """A format of files. Places of code are written ``module:name`` and loaded on first use."""

    name: str
    """What a file of it is, in a sentence: "a.csv is delimited text"."""
    words: tuple[str, ...]
    """What people call it."""
    endings: tuple[str, ...]
    other_endings: tuple[str, ...] = ()
    """Endings of files that are read when they are named, and left alone in a folder."""
    beginnings: tuple[bytes, ...] = ()
    """How such files begin, for those without a known ending."""
    source: str | None = None
    """The class that reads one file; None where only Spark reads it."""
    many: str = "edgeworth.sources.opening:ManySource"
    """The class that reads several files as one."""
    duckdb: str | None = None
    """How DuckDB reads ``$path`` from an object store; None where it cannot."""
    is_text: bool = False
    """Whether DuckDB's values are all text."""
    spark: str | None = None
    """What Spark calls it; None where Spark cannot read it."""

    def open(self, path: Path, name: str | None = None) -> Any:
        """Open one file of this format, called ``name`` in errors."""
        assert self.source is not None, f"{self.name} has no reader"
        return resolve_name(self.source)(path, name)


FORMATS = (
    Format(
        "delimited text",
        ("CSV", "TSV"),
        (".csv", ".tsv", ".tab"),
        (".txt",),
        source="edgeworth.sources.text_files:DelimitedSource",
        duckdb="read_csv($path, header = true, all_varchar = true, nullstr = '')",
        is_text=True,
        spark="csv",
    ),
    Format(
        "Parquet",
        ("Parquet",),
        (".parquet", ".pq"),
        beginnings=(b"PAR1",),
        source="edgeworth.sources.parquet:ParquetSource",
        many="edgeworth.sources.parquet:ManyParquet",
        duckdb="read_parquet($path)",
        spark="parquet",
    ),
    Format(
        "JSON lines",
        ("JSON lines",),
        (".jsonl", ".ndjson"),
        (".json",),
        beginnings=(b"{",),
        source="edgeworth.sources.text_files:JsonLinesSource",
        duckdb="read_ndjson_auto($path)",
        spark="json",
    ),
    Format(
        "Arrow",
        ("Arrow",),
        (".arrow", ".feather", ".ipc"),
        beginnings=(b"ARROW1", b"\xff\xff\xff\xff", b"FEA1"),
        source="edgeworth.sources.arrow:ArrowSource",
    ),
    Format("ORC", ("ORC",), (".orc",), spark="orc"),
)
"""Every format; a file that says nothing about itself is taken for the first."""

READ = tuple(each for each in FORMATS if each.source is not None)

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
