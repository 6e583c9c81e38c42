"""Tally files: a tally as JSON, with where it came from, checked whenever it is read.

What every field means is in docs/tally-files.md.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from edgeworth.core.plain import tally_from_dict
from edgeworth.errors import EdgeworthError, InputError
from edgeworth.report.writing import write_whole
from edgeworth.tallied import Tallied, as_tallied, canonical_text
from edgeworth.tally_sections import (
    check_rows,
    provenance_from_dict,
    provenance_to_dict,
    terms_from_dict,
    terms_to_dict,
)

FORMAT = "edgeworth.tally"
VERSION = 1
SECTIONS = ("tally", "terms", "provenance")
"""What the checksum is of."""

PIECE_BYTES = 1 << 20

LARGEST = 2 << 30
"""Files of more bytes, as they are or unpacked, are not read."""

UNPACKED = 256 << 20
MOST_PACKED = 100
"""Beyond so many bytes a file may not be packed more often than numbers can be: who sends a hundred kilobytes
is not given gigabytes of memory."""


def write_tally(tally: Any, path: str | os.PathLike[str]) -> None:
    """Write a tally to a file, whole or not at all; a name that ends in .gz is compressed.

    ``tally`` is what ``ew.tally`` or ``ew.merge_tallies`` made, or any tally: a table, a ranking, wealth.
    """
    text = tally_text(as_tallied(tally))
    name = os.fspath(path)
    write_whole(Path(name), gzip.compress(text.encode(), mtime=0) if name.endswith(".gz") else text)


def read_tally(path: str | os.PathLike[str]) -> Tallied:
    """Read a tally file; one that is wrong, truncated, changed or of a later format is refused."""
    name = os.fspath(path)
    return tally_of_text(_read(name), name)


def tally_text(tallied: Tallied) -> str:
    """A tally as the text of a file: a line for each section."""
    sections = {
        "tally": tallied.payload,
        "terms": terms_to_dict(tallied),
        "provenance": provenance_to_dict(tallied),
    }
    lines = {name: canonical_text(section) for name, section in sections.items()}
    head = f'{{"format":"{FORMAT}","version":{VERSION},"checksum":"{_checksum(lines.values())}"'
    return ",\n".join([head, *(f'"{name}":{line}' for name, line in lines.items())]) + "}\n"


def tally_of_text(text: str, name: str = "a tally") -> Tallied:
    """The tally in the text of a file called ``name``.

    >>> from edgeworth.tallying import tally
    >>> text = tally_text(tally(truth=[1, 0, 1], prediction=[1, 1, 1]))
    >>> tally_of_text(text).settled.counts.tolist()
    [[0, 0], [1, 2]]
    """
    found = _parsed(text, name)
    _check_format(found, name)
    for section in SECTIONS:
        if not isinstance(found.get(section), dict):
            raise InputError(f"{name} is no whole tally file: it has no {section!r}")
    # A file that was laid out anew is spelt as we do before it is told whether it was changed.
    if found.get("checksum") != (_checksum_as_written(text) or ""):
        lines = [canonical_text(found[section]) for section in SECTIONS]
        if found.get("checksum") != _checksum(lines):
            raise InputError(f"{name} was changed after it was written: its checksum does not fit")
    try:
        tally = tally_from_dict(found["tally"])
        beside = terms_from_dict(found["terms"], tally) | provenance_from_dict(found["provenance"], tally)
        tallied = Tallied(tally, file=name, **beside)
        check_rows(tallied)
    except EdgeworthError as error:
        raise InputError(f"{name} cannot be read as a tally: {error}") from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        raise InputError(f"{name} cannot be read as a tally: its parts do not fit together") from None
    return tallied


# -- writing ---------------------------------------------------------------------------------------------


def _checksum(lines: Iterable[str]) -> str:
    whole = "\n".join(lines).encode(errors="surrogatepass")
    return f"sha256:{hashlib.sha256(whole).hexdigest()}"


# -- reading ---------------------------------------------------------------------------------------------


def _read(name: str) -> str:
    try:
        return _content(Path(name)).decode()
    except EdgeworthError:
        raise
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}") from None
    except (EOFError, zlib.error, ValueError):
        raise InputError(f"{name} is no tally file, or only a part of one") from None


def _content(path: Path) -> bytes | bytearray:
    """The bytes of a file, unpacked; of one that would take all memory only a sentence."""
    size = path.stat().st_size
    if not path.name.endswith(".gz"):
        if size > LARGEST:
            raise InputError(f"{path} is no tally file that could be read: it has {size:,} bytes")
        return path.read_bytes()
    most = min(LARGEST, max(UNPACKED, MOST_PACKED * size))
    content = bytearray()
    with gzip.open(path) as packed:
        while piece := packed.read(PIECE_BYTES):
            content += piece
            if len(content) > most:
                raise InputError(
                    f"{path} is no tally file that could be read: its {size:,} bytes are more than {most:,} "
                    "unpacked"
                )
    return content


def _parsed(text: str, name: str) -> dict[str, Any]:
    try:
        found = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise InputError(f"{name} is no tally file, or only a part of one: it is not whole JSON") from None
    if not isinstance(found, dict):
        raise InputError(f"{name} is no tally file: it holds {type(found).__name__}, not an object")
    return found


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("JSON has no such number")


def _check_format(found: Mapping[str, Any], name: str) -> None:
    seen = found.get("format")
    if seen != FORMAT:
        is_report = str(found.get("schema", "")).startswith("edgeworth.report")
        what = "it is a report" if is_report else f"its format is {seen!r}, not {FORMAT!r}"
        raise InputError(f"{name} is no tally file: {what}")
    version = found.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise InputError(f"{name} is no tally file: its version is {version!r}")
    if version > VERSION:
        raise InputError(
            f"{name} is of version {version} of the format, and this Edgeworth reads versions up to "
            f"{VERSION}: install a later one"
        )


def _checksum_as_written(text: str) -> str | None:
    """The checksum of sections that stand as we write them, a line each: nothing has to be written anew."""
    lines = text.split("\n")
    if len(lines) != len(SECTIONS) + 2:
        return None
    starts = [f'"{section}":' for section in SECTIONS]
    if not all(line.startswith(start) for line, start in zip(lines[1:-1], starts, strict=True)):
        return None
    return _checksum(line[len(start) : -1] for line, start in zip(lines[1:-1], starts, strict=True))
