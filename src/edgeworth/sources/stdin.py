"""Read standard input and other pipes, which are copied to a temporary file first."""

from __future__ import annotations

import shutil
import sys
import tempfile
import weakref
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from edgeworth.errors import InputError
from edgeworth.sources.paths import FileSource, find_format, first_line

NAME = "standard input"
PIECE_BYTES = 1 << 20


def open_standard_input() -> FileSource:
    """Open standard input, and detect its format by its first bytes."""
    if sys.stdin is None or sys.stdin.closed:
        raise InputError(f"{NAME} is closed: pipe a file into the command, or name a file")
    if getattr(sys.stdin, "buffer", None) is None:
        raise InputError(f"{NAME} is not a stream of bytes: name a file")
    if sys.stdin.isatty():
        raise InputError(f"nothing is piped into {NAME}: pipe a file into the command, or name a file")
    return open_stream(sys.stdin.buffer, NAME)


def open_stream(stream: IO[bytes], name: str) -> FileSource:
    """Copy a pipe to a temporary file that lives as long as the source, because it is read more than once.

    If the system allows, the file has no name, so that it disappears with the process.
    """
    descriptors = Path("/proc/self/fd")
    is_nameless = descriptors.exists()
    with ExitStack() as stack:
        try:
            file: IO[bytes]
            if is_nameless:
                file = stack.enter_context(tempfile.TemporaryFile(prefix="edgeworth-"))
            else:
                file = stack.enter_context(tempfile.NamedTemporaryFile(prefix="edgeworth-"))
            shutil.copyfileobj(stream, file, PIECE_BYTES)
            file.flush()
        except OSError as error:
            raise InputError(f"{name} cannot be copied to a temporary file: {first_line(error)}") from None
        path = descriptors / str(file.fileno()) if is_nameless else Path(file.name)
        source: FileSource = find_format(path, name).open(path, name)
        weakref.finalize(source, stack.pop_all().close)
        return source
