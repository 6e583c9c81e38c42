"""The command's standard streams: every byte gets out, in whatever encoding the terminal has."""

from __future__ import annotations

import codecs
import io
import os
import select
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

REPLACEMENTS = {
    "−": "-",
    "–": "-",
    "—": "-",
    "…": "...",
    "≤": "<=",
    "≥": ">=",
    "≈": "~",
    "×": "x",
    "÷": "/",
    "·": "|",
    "→": "->",
    "↓": "v",
    "½": "1/2",
    "²": "^2",
    "∞": "inf",
    "χ": "chi",
    "Φ": "Phi",
    "Σ": "sum",
    "Δ": "Delta",
    "α": "alpha",
    "β": "beta",
    "µ": "u",
}
"""What a terminal shows whose encoding lacks a character that reports use; other characters become ?."""


class WholeWriter(io.RawIOBase):
    """A file descriptor to which every byte is written, or an error is raised.

    One write to a descriptor may take only some of the bytes, or none if it does not block. Python's
    unbuffered streams (PYTHONUNBUFFERED=1) drop the rest without a word.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        """Return the descriptor."""
        return self._descriptor

    def isatty(self) -> bool:
        """Return whether the descriptor is a terminal."""
        return os.isatty(self._descriptor)

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        """Write all of the data, waiting for a reader that is slow."""
        view = memoryview(data).cast("B")
        done = 0
        while done < len(view):
            try:
                done += os.write(self._descriptor, view[done:])
            except BlockingIOError:
                select.select([], [self._descriptor], [])
        return done


def prepare_streams() -> None:
    """Make standard output and standard error write everything, and replace what their encoding lacks."""
    codecs.register_error("edgeworth", _replace)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        # A Windows console is no descriptor of bytes; and what somebody captures is theirs.
        if stream is getattr(sys, f"__{name}__") and stream is not None and sys.platform != "win32":
            setattr(sys, name, _whole(stream))
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="edgeworth")


def _whole(stream: TextIO) -> TextIO:
    """Make a stream to the same descriptor that writes every byte."""
    stream.flush()
    writer = io.BufferedWriter(WholeWriter(stream.fileno()))
    is_by_line = stream is sys.stderr or writer.isatty()
    return io.TextIOWrapper(writer, stream.encoding, errors="edgeworth", line_buffering=is_by_line)


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Replace the characters that an encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(REPLACEMENTS.get(character, "?") for character in lacking), error.end
