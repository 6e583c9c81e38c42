"""Files appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from edgeworth.errors import InputError


def write_whole(path: Path, content: str | bytes) -> None:
    """Write beside the target under a temporary name, then rename: an interrupted run leaves no half file.

    A link keeps being a link to what is written; what is no ordinary file (a pipe, a device) is written to.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        _written_into(path, content)
        return
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
        # mkstemp makes private files; a report has the permissions of any other new file.
        mask = os.umask(0)
        os.umask(mask)
        Path(temporary).chmod(0o666 & ~mask)
        Path(temporary).replace(path)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _written_into(path: Path, content: str | bytes) -> None:
    try:
        with path.open("wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from None
