"""The bytes of a file, unpacked where it is compressed, and what they say it holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from edgeworth.errors import InputError, MissingExtraError
from edgeworth.sources.paths import PACKED, ending
from edgeworth.sources.wording import said

HEAD_BYTES = 64 << 10

PACKINGS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}
"""How compressed bytes begin, for what has no ending to tell by."""

KINDS = {
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".arrow": "Arrow",
    ".feather": "Arrow",
    ".ipc": "Arrow",
    ".jsonl": "JSON lines",
    ".ndjson": "JSON lines",
    ".json": "JSON lines",
    ".csv": "delimited text",
    ".tsv": "delimited text",
    ".tab": "delimited text",
    ".txt": "delimited text",
}

BEGINNINGS = {b"PAR1": "Parquet", b"ARROW1": "Arrow", b"\xff\xff\xff\xff": "Arrow", b"FEA1": "Arrow"}

SPREADSHEETS = {".xlsx", ".xls", ".ods"}


class NoRowsError(InputError):
    """A file with columns and no rows: wrong alone, and nothing among others."""


def unpacked(path: Path) -> Any:
    """A file as a stream of bytes, unpacked as its ending says, or as it begins where that says nothing."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError("reading files", "files") from None
    if path.suffix.lower() in PACKED:
        return pa.input_stream(str(path), compression="detect")
    with path.open("rb") as file:
        first = file.read(4)
    packing: Any = next((packing for magic, packing in PACKINGS.items() if first.startswith(magic)), None)
    return pa.input_stream(str(path), compression=packing)


def head_of(path: Path, name: str) -> bytes:
    """The first bytes of a file, or a sentence about why there are none."""
    # Not pa.ArrowException: it is not known yet whether there is a pyarrow; its errors are these as well.
    try:
        with unpacked(path) as stream:
            head: bytes = stream.read(HEAD_BYTES)
    except MissingExtraError:
        raise
    except (OSError, ValueError) as error:
        raise InputError(f"{name} cannot be read: {said(error)}") from None
    if not head.strip():
        raise InputError(f"{name} is empty")
    return head


def kind_of_file(path: Path, name: str) -> str:
    """What a file holds, as its ending says; without one that says it, as it begins."""
    known = ending(path)
    if known in SPREADSHEETS:
        raise InputError(f"{name} is a spreadsheet, not delimited text: save it as CSV, or pass a dataframe")
    if known in KINDS:
        return KINDS[known]
    head = head_of(path, name)
    for beginning, kind in BEGINNINGS.items():
        if head.startswith(beginning):
            return kind
    return "JSON lines" if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else "delimited text"
