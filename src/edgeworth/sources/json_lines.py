"""JSON lines: one object a line, compressed or not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from edgeworth.errors import InputError
from edgeworth.sources.batches import Batch, check_columns
from edgeworth.sources.columns import MISSING, Coded, Column
from edgeworth.sources.paths import HEAD_BYTES, FileSource, first_line, open_bytes, read_head

PIECE_BYTES = 4 << 20
LONGEST_LINE = 64 << 20
NEEDED = "JSON lines hold one object a line"


class JsonLinesSource(FileSource):
    """A file of JSON objects. Types are those of the values, and may differ from line to line.

    It is read by Python itself, which keeps whole numbers exact and dates as text.

    A field that a line does not have is missing in that row, as null is. Blank lines are no rows.
    """

    varies = True
    kind = "JSON lines"

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name)
        head = read_head(path, self.name)
        if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"["):
            raise InputError(
                f"{self.name} is one JSON array, and JSON lines are needed, an object a line: "
                f"jq -c '.[]' makes them, or pass a dataframe"
            )
        lines = head if len(head) < HEAD_BYTES else head.rpartition(b"\n")[0]
        self.names = _fields(self._parsed(lines, 1))

    def read(self, columns: list[str]) -> Iterator[Batch]:
        """Read a few megabytes of the file at a time."""
        row = 1
        for rows in self._pieces():
            if row == 1:
                # A field may be rare, but the first megabytes have it.
                there = self.names if set(columns) <= set(self.names) else _fields(rows)
                check_columns(columns, there, self.name)
            found = {name: column_of([line.get(name) for line in rows]) for name in columns}
            yield Batch(found, first_row=row)
            row += len(rows)

    def _pieces(self) -> Iterator[list[dict[str, Any]]]:
        """Objects of some lines at a time."""
        first = 1
        try:
            with open_bytes(self.path) as stream:
                held = b""
                while piece := stream.read(PIECE_BYTES):
                    whole, newline, held = (held + piece).rpartition(b"\n")
                    if len(held) > LONGEST_LINE:
                        raise InputError(f"{self.name}: a row after row {first:,} has no end: {NEEDED}")
                    if newline and (rows := self._parsed(whole, first)):
                        yield rows
                        first += len(rows)
                if rows := self._parsed(held, first):
                    yield rows
        except OSError as error:
            raise InputError(f"{self.name} cannot be read: {first_line(error)}") from None

    def _parsed(self, text: bytes, first: int) -> list[dict[str, Any]]:
        try:
            decoded = text.decode("utf-8-sig" if first == 1 else "utf-8")
            # Not splitlines: a text may hold any of the other characters that end lines.
            rows = [json.loads(line) for line in decoded.split("\n") if line.strip()]
        except (ValueError, RecursionError):
            raise self._refusal([line for line in text.split(b"\n") if line.strip()], first) from None
        wrong = next((place for place, row in enumerate(rows) if type(row) is not dict), None)
        if wrong is not None:
            kind = type(rows[wrong]).__name__
            raise InputError(f"{self.name}: row {first + wrong:,} is no JSON object but a {kind}: {NEEDED}")
        return rows

    def _refusal(self, lines: Sequence[bytes], first: int) -> InputError:
        """What is wrong with the first line that is no JSON."""
        for place, line in enumerate(lines):
            try:
                json.loads(line.decode("utf-8-sig" if first + place == 1 else "utf-8"))
            except (ValueError, RecursionError) as error:
                shown = line[:60].decode(errors="replace").strip() + ("…" if len(line) > 60 else "")
                return InputError(
                    f"{self.name}: row {first + place:,} is not JSON ({first_line(error)}): {NEEDED}; "
                    f"saw {shown}"
                )
        raise AssertionError("a line was refused but none is wrong")


def _fields(rows: Sequence[dict[str, Any]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(field for row in rows for field in row))


def column_of(values: list[Any]) -> Column:
    """JSON's values as a column: numbers as arrays, text as codes, anything else as it is.

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
        place = {label: code for code, label in enumerate(dict.fromkeys(x for x in values if x is not None))}
        codes = (MISSING if value is None else place[value] for value in values)
        return Coded(np.fromiter(codes, dtype=np.intp, count=len(values)), tuple(place))
    return np.fromiter(values, dtype=object, count=len(values))
