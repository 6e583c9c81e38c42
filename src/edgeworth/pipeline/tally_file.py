"""Tally files: a tally as JSON, with where it came from, checked whenever it is read.

What every field means is in docs/reference/tally-files.md."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import platform
import re
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import NoReturn, get_args

import numpy as np

from edgeworth import __version__
from edgeworth.common.choices import Missing, PredictionsMade, WeightKind
from edgeworth.common.json_types import JsonObject
from edgeworth.core.kinds import kind_of
from edgeworth.core.serialization import (
    COUNT,
    FLAG,
    LABEL,
    NEEDED,
    NUMBER,
    TEXT,
    WHOLE,
    Field,
    dump_fields,
    list_of,
    load_fields,
    object_of,
    one_of,
    optional,
    tally_from_dict,
    text_like,
    value_field,
)
from edgeworth.core.tallies import HasWeights, Tally, dropped_rows
from edgeworth.errors import EdgeworthError, InputError
from edgeworth.pipeline.tally_record import (
    DIGEST,
    Origin,
    Part,
    TallyRecord,
    as_tally_record,
    canonical_text,
)
from edgeworth.report.formats import write_file
from edgeworth.sources.paths import read_whole_file

FILE_NAMES = {"bins": "cells"}
ROLE_NAMES = {"cluster": "group", "query": "group"}
"""Options and columns that files of format 1 call otherwise."""

OPTIONS: dict[str, Field] = {
    "columns": value_field(
        "an object of text",
        lambda x: isinstance(x, dict) and all(isinstance(name, str) for name in x.values()),
    ),
    "missing": one_of(*get_args(Missing)),
    "positive": LABEL,
    "labels": list_of(LABEL),
    "abstain": Field(
        "a label, or a list of them",
        lambda x: (list_of(LABEL) if isinstance(x, list) else LABEL).load(x),
        lambda x: (list_of(LABEL) if isinstance(x, list) else LABEL).dump(x),
    ),
    "weight_kind": one_of(*get_args(WeightKind)),
    "bins": Field(
        "a number of cells, or their edges",
        lambda x: list_of(NUMBER, least=1).load(x) if isinstance(x, list) else COUNT.load(x),
    ),
    "relevant_from": WHOLE,
    "normalise": FLAG,
    "ordinal": FLAG,
    "ordered": FLAG,
    "fraction": NUMBER,
    "clip": NUMBER,
    "predictions_made": one_of(*get_args(PredictionsMade)),
    "bookmaker": TEXT,
}
"""The options of a tally; which of them a kind may have is in its ``Kind``."""

STATE = {"text": FLAG.of("is_text"), "whole_weights": optional(FLAG, NEEDED).of("has_whole_weights")}
PLACED = {"placed": FLAG.of("has_start_row")}

ORIGIN = {
    "rows": optional(COUNT, NEEDED),
    "number": COUNT,
    "parts": list_of(object_of(Part), least=1),
    "fingerprints": list_of(text_like(r"[0-9a-f]{16}(\+[0-9a-f]{16})*"), least=1),
    "digest": DIGEST,
}
PROVENANCE = {"edgeworth": TEXT, "versions": TEXT, "dropped": COUNT, "notices": list_of(TEXT)} | ORIGIN


# -- terms -----------------------------------------------------------------------------------------------


def terms_to_dict(tallied: TallyRecord) -> JsonObject:
    """Write the options and flags of a tally as plain values."""
    terms = {name: value for name, value in tallied.terms.items() if value is not None}
    if "columns" in terms:
        terms["columns"] = {ROLE_NAMES.get(role, role): name for role, name in terms["columns"].items()}
    options = {FILE_NAMES.get(name, name): OPTIONS[name].dump(value) for name, value in terms.items()}
    return options | dump_fields(STATE | (PLACED if tallied.has_start_row else {}), tallied)


def terms_from_dict(payload: JsonObject, tally: Tally) -> JsonObject:
    """Read the options of a tally (``terms``) and its flags, by the names of ``TallyRecord``."""
    kind = kind_of(tally)
    known = (*kind.terms, "columns") if kind.is_readable else ()
    named = {FILE_NAMES.get(name, name): name for name in known}
    options = {name: OPTIONS[named[name]] for name in named if name in payload}
    # What lies on a path in time can be shifted along it.
    placed = PLACED if "placed" in payload and hasattr(tally, "shift") else {}
    loaded = load_fields(
        options | STATE | placed,
        payload,
        f"the terms of its {getattr(tally, 'file_kind', kind.name)}",
        is_closed=True,
    )
    terms = {named[name]: loaded.pop(name) for name in options}
    if "columns" in terms:
        group = "query" if "query" in kind.roles else "cluster"
        terms["columns"] = {group if role == "group" else role: x for role, x in terms["columns"].items()}
        _check_roles(terms["columns"], tally)
    if loaded["has_whole_weights"] and isinstance(tally, HasWeights):
        tally.as_counts()  # refuses what is not whole
    return loaded | {"terms": terms}


def _check_roles(columns: Mapping[str, str], tally: Tally) -> None:
    """Check that every role that is needed has a column."""
    systems: tuple[str, ...] = getattr(tally, "names", ()) if kind_of(tally).holds_systems else ()
    needed = [*kind_of(tally).roles, *(f"prediction of {name}" for name in systems)]
    missing = [role for role in needed if role not in columns] if columns else []
    if missing:
        raise InputError(f"its terms have no column of {ROLE_NAMES.get(missing[0], missing[0])}")


# -- provenance ------------------------------------------------------------------------------------------


def provenance_to_dict(tallied: TallyRecord) -> JsonObject:
    """Return the origin of a tally as plain values."""
    return dump_fields(ORIGIN, tallied.origin) | {
        "edgeworth": __version__,
        "versions": f"Python {platform.python_version()}, numpy {np.__version__}",
        "dropped": dropped_rows(tallied.tally),
        "notices": list(tallied.notices),
    }


FORMAT = "edgeworth.tally"
VERSION = 1
LOCK_ATTEMPTS, LOCK_PAUSE = 300, 0.1
"""How often a command tries to create a lock file, and the seconds between: half a minute in all."""
SECTIONS = ("tally", "terms", "provenance")
"""What the checksum is of."""


def write_tally(tally: Tally | TallyRecord, path: str | os.PathLike[str]) -> None:
    """Write a tally to a file, whole or not at all; a name that ends in .gz is compressed.

    ``tally`` is what ``ew.tally`` or ``ew.TallyRecord.merge`` made, or any tally: a table, a ranking, wealth.
    """
    text = tally_text(as_tally_record(tally))
    name = os.fspath(path)
    write_file(Path(name), gzip.compress(text.encode(), mtime=0) if name.endswith(".gz") else text)


@contextmanager
def locked(name: str) -> Iterator[Callable[[], None]]:
    """Lock a tally file, so that one command at a time reads it, adds to it and writes it, and others wait.

    It gives a check to call before writing, which refuses a file that another program changed nevertheless.
    The lock is that of the folder, and leaves nothing there. If the file system has no locks, a file beside
    the tally is the lock.
    """
    path = Path(os.path.realpath(name))

    def file_state() -> tuple[int, ...] | None:
        if not path.is_file():
            return None
        status = path.stat()
        return status.st_ino, status.st_mtime_ns, status.st_size

    def check() -> None:
        if file_state() != before:
            raise InputError(f"{name} was changed while it was read: nothing is written, merge again")

    with ExitStack() as stack:
        if name != "-" and not _lock_folder(path.parent, stack):
            stack.enter_context(_lock_file(path))
        before = file_state()
        yield check


def _lock_folder(folder: Path, stack: ExitStack) -> bool:
    """Lock a folder until the stack is closed; return whether its file system has locks."""
    try:
        import fcntl

        descriptor = os.open(folder, os.O_RDONLY)
        stack.callback(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    except (ImportError, OSError):
        return False
    return True


@contextmanager
def _lock_file(path: Path) -> Iterator[None]:
    """Hold a file beside the tally that only one command can create; wait while another holds it."""
    lock = path.with_name(f".{path.name}.lock")
    for attempt in range(LOCK_ATTEMPTS):
        try:
            os.close(os.open(lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
            break
        except FileExistsError:
            if attempt == LOCK_ATTEMPTS - 1:
                raise InputError(
                    f"another command is adding to {path}, or one was killed: if none is running, "
                    f"delete {lock}"
                ) from None
            time.sleep(LOCK_PAUSE)
        except OSError as error:
            raise InputError(f"{path} cannot be locked: {error.strerror}") from None
    try:
        yield
    finally:
        with suppress(OSError):
            lock.unlink()


def read_tally(path: str | os.PathLike[str]) -> TallyRecord:
    """Read a tally file.

    Parameters
    ----------
    path : str or Path
        A file that ``edgeworth tally`` or ``TallyRecord.write`` wrote. It may be compressed.

    Returns
    -------
    TallyRecord
        The tally with its options and origin.

    Raises
    ------
    InputError
        If the file is damaged or changed, or has a later format.

    Examples
    --------
    >>> import edgeworth as ew
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "monday.tally")
    ...     ew.tally(truth=[1, 0, 1], prediction=[1, 1, 1]).write(path)
    ...     record = ew.read_tally(path)
    >>> record.final.counts.tolist()
    [[0, 0], [1, 2]]
    """
    name = os.fspath(path)
    try:
        text = read_whole_file(Path(name)).decode()
    except UnicodeDecodeError:
        raise InputError(f"{name} is not a tally file, or only a part of one: it is not text") from None
    return tally_of_text(text, name)


TALLY_START = re.compile(rb'\s*\{\s*"format"\s*:\s*"edgeworth\.tally"')
START_BYTES = 256


def is_tally_file(path: object) -> bool:
    """Return whether a file, by its first bytes, is a tally file, compressed or not."""
    if not isinstance(path, (str, os.PathLike)) or not Path(path).is_file():
        return False
    try:
        with Path(path).open("rb") as file:
            is_packed = file.peek(2).startswith(b"\x1f\x8b")
            start = (gzip.GzipFile(fileobj=file) if is_packed else file).read(START_BYTES)
    except (OSError, EOFError, zlib.error):
        return False
    return TALLY_START.match(start) is not None


def tally_text(tallied: TallyRecord) -> str:
    """Write a tally as the text of a file, with one line per section."""
    sections = {
        "tally": tallied.tally.to_dict(),
        "terms": terms_to_dict(tallied),
        "provenance": provenance_to_dict(tallied),
    }
    lines = {name: canonical_text(section) for name, section in sections.items()}
    head = f'{{"format":"{FORMAT}","version":{VERSION},"checksum":"{_checksum(lines.values())}"'
    return ",\n".join([head, *(f'"{name}":{line}' for name, line in lines.items())]) + "}\n"


def tally_of_text(text: str, name: str = "a tally") -> TallyRecord:
    """Read the tally in the text of a file called ``name``.

    >>> from edgeworth.pipeline.tally_rows import tally
    >>> text = tally_text(tally(truth=[1, 0, 1], prediction=[1, 1, 1]))
    >>> tally_of_text(text).final.counts.tolist()
    [[0, 0], [1, 2]]
    """
    document = _parsed(text, name)
    _check_format(document, name)
    for section in SECTIONS:
        if not isinstance(document.get(section), dict):
            raise InputError(f"{name} is not a complete tally file: it has no {section!r}")
    # A file with another layout is written in ours before the checksum is compared.
    if document.get("checksum") != (_checksum_as_written(text) or ""):
        try:
            is_ours = document.get("checksum") == _checksum(
                canonical_text(document[section_name]) for section_name in SECTIONS
            )
        except ValueError:
            # A number such as 1e999, which we do not write.
            is_ours = False
        if not is_ours:
            raise InputError(f"{name} was changed after it was written: its checksum does not match")
    try:
        tally = tally_from_dict(document["tally"])
        where = load_fields(PROVENANCE, document["provenance"], "its provenance", is_closed=True)
        origin = Origin(tuple(where["parts"]), tuple(where["fingerprints"]), where["rows"])
        notices, terms = tuple(where["notices"]), terms_from_dict(document["terms"], tally)
        return TallyRecord(tally, origin=origin, notices=notices, file=name, **terms)
    except EdgeworthError as error:
        raise InputError(f"{name} cannot be read as a tally: {error}") from None
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        raise InputError(f"{name} cannot be read as a tally: its parts do not fit together") from None


def _checksum(lines: Iterable[str]) -> str:
    whole = "\n".join(lines).encode(errors="surrogatepass")
    return f"sha256:{hashlib.sha256(whole).hexdigest()}"


def _parsed(text: str, name: str) -> JsonObject:
    try:
        document = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise InputError(
            f"{name} is not a tally file, or only a part of one: it is not complete JSON"
        ) from None
    if not isinstance(document, dict):
        raise InputError(f"{name} is not a tally file: it holds {type(document).__name__}, not an object")
    return document


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError("JSON has no such number")


def _check_format(document: Mapping[str, object], name: str) -> None:
    seen = document.get("format")
    if seen != FORMAT:
        is_report = str(document.get("schema", "")).startswith("edgeworth.report")
        what = f"its format is {seen!r}, not {FORMAT!r}"
        if seen is None:
            what = "it is a report" if is_report else "it does not name its format"
        raise InputError(f"{name} is not a tally file: {what}")
    version = document.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise InputError(f"{name} is not a tally file: its version is {version!r}")
    if version > VERSION:
        raise InputError(
            f"{name} is of version {version} of the format, and this Edgeworth reads versions up to "
            f"{VERSION}: install a later one"
        )


def _checksum_as_written(text: str) -> str | None:
    """Compute the checksum of sections that are written one per line, without writing them again."""
    lines = text.split("\n")
    if len(lines) != len(SECTIONS) + 2:
        return None
    starts = [f'"{section}":' for section in SECTIONS]
    if not all(line.startswith(start) for line, start in zip(lines[1:-1], starts, strict=True)):
        return None
    return _checksum(line[len(start) : -1] for line, start in zip(lines[1:-1], starts, strict=True))
