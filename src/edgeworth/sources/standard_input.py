"""Standard input: kept in a temporary file, since some questions need a second look."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import weakref
from pathlib import Path

from edgeworth.errors import InputError
from edgeworth.sources.many import FileSource
from edgeworth.sources.wording import said

NAME = "standard input"
PIECE_BYTES = 1 << 20


def open_standard_input() -> FileSource:
    """What is piped in, of the kind that its first bytes say."""
    from edgeworth.sources.opening import open_file

    if sys.stdin is None or sys.stdin.closed:
        raise InputError(f"{NAME} is closed: pipe a file into the command, or name one")
    if getattr(sys.stdin, "buffer", None) is None:
        raise InputError(f"{NAME} is no stream of bytes here: name a file")
    if sys.stdin.isatty():
        raise InputError(f"nothing is piped into {NAME}: pipe a file into the command, or name one")
    try:
        path, descriptor = _spooled()
    except OSError as error:
        raise InputError(f"{NAME} cannot be kept in a temporary file: {said(error)}") from None
    try:
        source = open_file(path, NAME)
    except BaseException:
        _forget(path, descriptor)
        raise
    weakref.finalize(source, _forget, path, descriptor)
    return source


def _spooled() -> tuple[Path, int]:
    """A temporary file of what comes in, and its open descriptor.

    Where the system allows, the file has lost its name by then: it goes with the process, however that ends.
    """
    descriptor, name = tempfile.mkstemp(prefix="edgeworth-")
    path = Path(name)
    try:
        with os.fdopen(os.dup(descriptor), "wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file, PIECE_BYTES)
        nameless = Path(f"/proc/self/fd/{descriptor}")
        if nameless.exists():
            path.unlink()
            path = nameless
    except BaseException:
        _forget(path, descriptor)
        raise
    return path, descriptor


def _forget(path: Path, descriptor: int) -> None:
    os.close(descriptor)
    if path.parent != Path("/proc/self/fd"):
        path.unlink(missing_ok=True)
