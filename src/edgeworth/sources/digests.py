"""A fingerprint of a file, so that a report says which data it is about."""

from __future__ import annotations

import hashlib
from pathlib import Path

LARGEST = 1 << 30
"""A file of more bytes is not read once more for its fingerprint."""


def file_digest(path: str | Path) -> str | None:
    """SHA-256 of a file's bytes; None of what is no file, or too large.

    >>> file_digest("no such file") is None
    True
    """
    try:
        file = Path(path)
        if not file.is_file() or file.stat().st_size > LARGEST:
            return None
        with file.open("rb") as content:
            return f"sha256:{hashlib.file_digest(content, 'sha256').hexdigest()}"
    except (OSError, ValueError):
        return None
