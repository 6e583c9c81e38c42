"""Read CSV, TSV and other delimited text, and JSON lines, compressed or not, in pieces of bounded size."""

from __future__ import annotations

import atexit
import codecs
import csv
import io
import json
import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias, cast

import numpy as np

from edgeworth.errors import InputError
from edgeworth.sources.arrow import TextColumn
from edgeworth.sources.batches import Batch, check_columns
from edgeworth.sources.columns import Column, as_column, encode
from edgeworth.sources.formats import ending, list_words
from edgeworth.sources.nesting import MAX_NESTING_LEVELS, check_nesting
from edgeworth.sources.paths import (
    HEAD_BYTES,
    MAX_STREAM_BYTES,
    FileSource,
    first_line,
    max_unpacked_bytes,
    open_bytes,
    read_head,
)

if TYPE_CHECKING:
    import pyarrow as pa

PIECE_BYTES = 8 << 20
"""Bytes of delimited text that are parsed at once."""

MAX_PIECES_READ_AHEAD = 32
"""Pieces that Arrow reads before it waits for the parser."""

DELIMITERS = ",\t;|"

DOCUMENT_BEGINNINGS = (b"%PDF-", b"%!PS", b"{\\rtf", b"<!DOCTYPE", b"<!doctype", b"<html", b"<?xml")
"""The first bytes of text files that hold no table."""

REPORT_SCHEMAS = ("edgeworth.report/", "edgeworth/gate/")
"""How the schema begins that the JSON of a report, or of the decision of a gate, names."""

END_MARK = "\x1eend\x1e"
"""A line that is added at the end: if it is missing, an unclosed quotation mark has swallowed rows."""


class DelimitedSource(FileSource):
    """A text file with a header line. Every value is text until its column's labels are known.

    An empty field is a missing value; nothing else is ("NA" may be Namibia).
    """

    is_text = True
    kind = "delimited text"
    top = "a header"

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name)
        head = self._head(are_rows_read_later=True)
        self.delimiter = delimiter_of(path, head)
        try:
            self.names = _header(head, self.delimiter)
        except csv.Error as error:
            raise InputError(f"{self.name} has a header that cannot be read: {error}") from None

    def read(self, columns: list[str]) -> Iterator[Batch]:
        """Yield a few megabytes of the file at a time."""
        import pyarrow as pa
        import pyarrow.csv as arrow_csv

        row, is_whole = 1, False
        last = self.delimiter.join([END_MARK] * len(self.names))
        stream = _WithLastLine(open_bytes(self.path), last)
        atexit.register(stream.end)
        try:
            reader = arrow_csv.open_csv(
                # The stubs know only paths and Python's own files here.
                cast(IO[bytes], pa.PythonFile(stream, mode="r")),
                # One thread, so that an error can name its row.
                read_options=arrow_csv.ReadOptions(use_threads=False, block_size=PIECE_BYTES),
                parse_options=arrow_csv.ParseOptions(
                    delimiter=self.delimiter, newlines_in_values=True, ignore_empty_lines=len(self.names) > 1
                ),
                convert_options=arrow_csv.ConvertOptions(
                    include_columns=columns,
                    column_types=dict.fromkeys(columns, pa.string()),
                    strings_can_be_null=True,
                    null_values=[""],
                ),
            )
            for piece in reader:
                if piece.num_rows and piece.column(columns[0])[-1].as_py() == END_MARK:
                    piece, is_whole = piece.slice(0, piece.num_rows - 1), True
                if piece.num_rows:
                    values = {name: TextColumn(piece.column(name)) for name in columns}
                    yield Batch(values, first_row=row)
                row += piece.num_rows
            if not is_whole:
                raise InputError(f"{self.name} ends inside a quoted field: a quotation mark is never closed")
        except pa.ArrowException as error:
            if "Empty CSV file" in str(error):
                return
            if "straddling" in str(error):
                message = "a row is too long: is a quotation mark not closed?"
                raise InputError(f"{self.name} cannot be read as delimited text: {message}") from None
            if "UTF8" in str(error):
                self._head(are_rows_read_later=False)
            raise InputError(
                f"{self.name} cannot be read as delimited text: {_arrow_message(error)}"
            ) from None
        except OSError as error:
            raise InputError(f"{self.name} cannot be read: {_arrow_message(error)}") from None
        finally:
            atexit.unregister(stream.end)
            stream.end()

    def _head(self, *, are_rows_read_later: bool) -> str:
        """Return the first piece of the file as text, or raise an error if it is not text."""
        head = read_head(self.path, self.name, of_text=True)
        if b"\0" in head or head.startswith(DOCUMENT_BEGINNINGS):
            what = "a binary file (it holds zero bytes)" if b"\0" in head else "a document"
            raise InputError(f"{self.name} is {what}, not a table: pass {list_words(last=' or')}")
        try:
            # The piece may end inside a character.
            decoder = codecs.getincrementaldecoder("utf-8-sig")()
            return decoder.decode(head, final=len(head) < HEAD_BYTES)
        except UnicodeDecodeError as error:
            # Columns that are not read may have any encoding; the others are checked when they are read.
            if are_rows_read_later and b"\n" in head[: error.start]:
                return head.decode("utf-8-sig", errors="replace")
            raise InputError(
                f"{self.name} is not UTF-8 text (byte {error.start:,}): "
                "convert it, for instance with iconv -f latin1 -t utf-8"
            ) from None


class _WithLastLine(io.RawIOBase):
    """A stream with one more line at its end, which Arrow reads ahead in another thread."""

    def __init__(self, stream: pa.NativeFile, line: str) -> None:
        self._stream, self._line, self._last = stream, line.encode() + b"\n", b"\n"
        self._is_wanted = True
        self._is_busy, self._reads = False, 0
        self._ended = threading.Event()

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Read at most ``size`` bytes; Arrow always passes a size."""
        self._is_busy, self._reads, piece = True, self._reads + 1, b""
        try:
            piece = self._next(size) if self._is_wanted else b""
            return piece
        finally:
            if not piece:
                self._ended.set()
            self._is_busy = False

    def _next(self, size: int) -> bytes:
        piece: bytes = self._stream.read(size)
        if piece:
            self._last = piece[-1:]
            return piece
        if self._last not in b"\r\n":
            self._line, self._last = b"\n" + self._line, b"\n"
        piece, self._line = self._line[:size], self._line[size:]
        return piece

    def end(self) -> None:
        """Wait for the current read: a thread that needs Python after Python has ended would never stop."""
        self._is_wanted = False
        # Arrow reads to the end, unless it waits because too many pieces have not been parsed.
        while not self._ended.wait(10 if self._reads < MAX_PIECES_READ_AHEAD else 0.5) and self._is_busy:
            pass


def _header(head: str, delimiter: str) -> tuple[str, ...]:
    # newline="": only \r and \n end a line, because a name may hold other separators of Unicode.
    lines = csv.reader(io.StringIO(head, newline=""), delimiter=delimiter)
    return tuple(next((line for line in lines if line), []))


def delimiter_of(path: Path, head: str) -> str:
    """Return the delimiter of a file, from its ending or its first line."""
    if any(suffix.lower() in {".tsv", ".tab"} for suffix in path.suffixes):
        return "\t"
    first = next((line for line in re.split(r"\r\n|\n|\r", head) if line.strip()), "")
    outside_quotes = re.sub(r'"[^"]*"', "", first)
    return max(DELIMITERS, key=outside_quotes.count)


def _arrow_message(error: Exception) -> str:
    """Return Arrow's message with rows counted as elsewhere, without the header."""
    return re.sub(r"Row #([0-9]+)", lambda match: f"row {int(match[1]) - 1:,}", first_line(error))


Row: TypeAlias = dict[str, object]
"""One JSON object."""

LINES_BYTES = 4 << 20
"""Bytes of JSON lines that are parsed at once."""

MAX_LINE_BYTES = 16 << 20

MAX_ITEMS_LISTED = 20
"""Fields inside longer objects and arrays can be read, but are not listed as columns."""

NEEDED = "JSON lines need one object per line"


class JsonLinesSource(FileSource):
    """A file of JSON objects: one per line, an array of objects, or a table or array inside one object.

    Types may differ from row to row. Python parses the file, which keeps whole numbers exact and dates as
    text. A field that a line lacks is missing in that row, like null. Blank lines are skipped. Fields of
    nested objects are named by their path, ``doc.answer``.
    """

    varies = True
    kind = "JSON lines"

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name)
        self._rows = self._read_document()
        if self._rows is None:
            head = read_head(path, self.name, of_text=True)
            lines = head.rpartition(b"\n")[0] if len(head) >= HEAD_BYTES and b"\n" in head else head
            self.names = _fields(self._parsed(lines, 1))
        else:
            self.names = _fields(self._rows)

    def _read_document(self) -> list[Row] | None:
        """Return the rows of a file that is one JSON value, or None if it has one object per line."""
        first, _, rest = read_head(self.path, self.name).lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
        is_lines = bool(rest.strip()) or ending(self.path) in (".jsonl", ".ndjson")
        try:
            if is_lines and type(json.loads(first)) is dict:
                return None
        except (ValueError, RecursionError):
            pass
        limit = min(MAX_STREAM_BYTES, max(size := self.path.stat().st_size, max_unpacked_bytes(size)))
        try:
            with open_bytes(self.path) as stream:
                content = stream.read(limit + 1)
            if len(content) > limit and is_lines:
                return None
            if len(content) > limit:
                raise InputError(f"{self.name} is too large: it has more than {limit:,} bytes")
            document = json.loads(content.decode("utf-8-sig"))
        except OSError as error:
            raise InputError(f"{self.name} cannot be read: {first_line(error)}") from None
        except InputError:
            raise
        except (ValueError, RecursionError):
            return None
        check_nesting(document, self.name)
        if isinstance(document, dict) and str(document.get("schema")).startswith(REPORT_SCHEMAS):
            raise InputError(f"{self.name} is an Edgeworth report: edgeworth diff compares two of them")
        rows = _rows_of(document, self.name)
        return self._parsed(b"\n".join(json.dumps(row).encode() for row in rows), 1)

    def read(self, columns: list[str]) -> Iterator[Batch]:
        """Yield a few megabytes of the file at a time."""
        row = 1
        for rows in self._pieces():
            if row == 1:
                # A field may be rare, but the first megabytes have it.
                names = self.names if set(columns) <= set(self.names) else _fields(rows)
                inner = (x for x in columns if any(find_field(line, x) is not None for line in rows))
                check_columns(columns, [*dict.fromkeys([*names, *inner])], self.name)
            values = {name: column_of([find_field(line, name) for line in rows]) for name in columns}
            yield Batch(values, first_row=row)
            row += len(rows)

    def _pieces(self) -> Iterator[list[Row]]:
        """Yield the objects of some lines at a time."""
        if self._rows is not None:
            yield self._rows
            return
        first = 1
        try:
            with open_bytes(self.path) as stream:
                held = b""
                while piece := stream.read(LINES_BYTES):
                    whole, newline, held = (held + piece).rpartition(b"\n")
                    if len(held) > MAX_LINE_BYTES:
                        raise InputError(f"{self.name}: the row after row {first:,} has no end: {NEEDED}")
                    if newline and (rows := self._parsed(whole, first)):
                        yield rows
                        first += len(rows)
                if rows := self._parsed(held, first):
                    yield rows
        except OSError as error:
            raise InputError(f"{self.name} cannot be read: {first_line(error)}") from None

    def _parsed(self, text: bytes, first: int) -> list[Row]:
        rows: list[Row] = []
        # splitlines would also split at other characters, which a text may hold.
        for line in text.split(b"\n"):
            if not line.strip():
                continue
            row = first + len(rows)
            try:
                value = json.loads(line.decode("utf-8-sig" if row == 1 else "utf-8"))
            except (ValueError, RecursionError) as error:
                shown = line[:60].decode(errors="replace").strip() + ("…" if len(line) > 60 else "")
                message = f"row {row:,} is not JSON ({first_line(error)})"
                raise InputError(f"{self.name}: {message}: {NEEDED}; saw {shown}") from None
            if type(value) is not dict:
                kind = type(value).__name__
                raise InputError(f"{self.name}: row {row:,} is a {kind}, not a JSON object: {NEEDED}")
            if b"\\u" in line and re.search("[\ud800-\udfff]", json.dumps(value, ensure_ascii=False)):
                message = (
                    f"row {row:,} has half of a character, a surrogate such as \\ud800, which is not text"
                )
                raise InputError(f"{self.name}: {message}")
            if line.count(b"[") + line.count(b"{") > MAX_NESTING_LEVELS:
                check_nesting(value, f"{self.name}, row {row:,}")
            rows.append(value)
        return rows


def find_field(row: Row, name: str) -> object:
    """Return a field of a row by its name or its path, or None.

    >>> find_field({"doc": {"answers": ["no", "yes"]}}, "doc.answers.1")
    'yes'
    """
    if name in row or "." not in name:
        return row.get(name)
    value: object = row
    for part in name.split("."):
        if isinstance(value, list) and part.isdecimal() and len(part) < 10 and int(part) < len(value):
            value = value[int(part)]
        elif isinstance(value, dict):
            value = value.get(part)
        else:
            return None
    return value


def _rows_of(document: object, name: str = "the file") -> list[object]:
    """Return the rows of a JSON value: its items, ``data`` with ``columns``, or the longest array of objects.

    >>> _rows_of({"columns": ["y", "p"], "data": [[1, 0]]}), _rows_of({"run": {"cases": [{"y": 1}]}})
    ([{'y': 1, 'p': 0}], [{'y': 1}])
    """
    if not isinstance(document, dict):
        return list(document) if isinstance(document, list) else [document]
    columns, data = document.get("columns"), document.get("data")
    if isinstance(columns, list) and isinstance(data, list) and all(isinstance(row, list) for row in data):
        _check_table(columns, data, name)
        return [dict(zip(columns, row, strict=True)) for row in data]
    candidates = [
        x for x in document.values() if isinstance(x, list) and x and all(isinstance(y, dict) for y in x)
    ]
    candidates += [
        rows for x in document.values() if isinstance(x, dict) and (rows := _rows_of(x, name)) != [x]
    ]
    return max(candidates, key=len, default=[document])


def _check_table(columns: list[object], data: list[list[object]], name: str) -> None:
    """Raise an error if a column's name is not text, or if a row has too few or too many values."""
    wrong = [column for column in columns if not isinstance(column, str)]
    if wrong or len(set(columns)) < len(columns):
        saw = f"{wrong[0]!r:.60}" if wrong else "one twice"
        raise InputError(f"{name}: the field 'columns' must be a list of different names; saw {saw}")
    for number, row in enumerate(data, start=1):
        if len(row) != len(columns):
            values = f"{len(row):,} values for {len(columns):,} columns"
            raise InputError(f"{name}: row {number:,} of the field 'data' has {values}")


def _fields(rows: Sequence[Row]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for row in rows for path in _paths(row)))


def _paths(value: Row | list[object], above: str = "") -> Iterator[str]:
    """Yield the paths of the fields in an object or array, and of those in short nested ones."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield f"{above}{key}"
        if isinstance(inner, (dict, list)) and len(inner) <= MAX_ITEMS_LISTED:
            yield from _paths(inner, f"{above}{key}.")


def column_of(values: list[object]) -> Column:
    """Convert JSON values to a column: numbers to an array, text to codes, others to objects.

    >>> column_of(["a", None, "a"])
    Coded(codes=array([ 0, -1,  0]), labels=('a',))
    """
    kinds = set(map(type, values))
    if kinds == {int}:
        try:
            return np.array(values, dtype=np.int64)
        except OverflowError:
            pass
    if kinds in ({float}, {bool}):
        return np.array(values)
    if kinds <= {str, type(None)}:
        return encode(as_column(values, ""), "")
    return as_column(values, "")
