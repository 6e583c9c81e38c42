"""A fingerprint of files, so that a report says which data it is about."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from edgeworth.sources.paths import PathLike, expand_paths

LARGEST = 1 << 30
"""Files of more bytes in all are not read once more for their fingerprint."""


def file_digest(path: PathLike | Sequence[PathLike]) -> str | None:
    """SHA-256 of a file's bytes, or of those that a pattern or a folder names; None of what is no file.

    >>> file_digest("no such file") is None
    True
    """
    try:
        return combine_digests(file_digests(expand_paths(path)))
    except (OSError, ValueError):
        return None


def file_digests(files: Sequence[Path]) -> tuple[str, ...]:
    """SHA-256 of the bytes of each file; none where one of them is no file, or all are too large.

    Names are not part of it: the same data elsewhere have the same fingerprint.
    """
    try:
        if not all(file.is_file() for file in files):
            return ()
        if sum(file.stat().st_size for file in files) > LARGEST:
            return ()
        return tuple(_digest(file) for file in files)
    except (OSError, ValueError):
        return ()


def combine_digests(digests: Sequence[str]) -> str | None:
    """Of several files the SHA-256 of their digests, one a line, in the order in which they are read.

    >>> combine_digests(["sha256:12"]), combine_digests([])
    ('sha256:12', None)
    """
    if len(digests) < 2:
        return digests[0] if digests else None
    lines = "".join(f"{digest}\n" for digest in digests)
    return f"sha256:{hashlib.sha256(lines.encode()).hexdigest()}"


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return f"sha256:{hashlib.file_digest(content, 'sha256').hexdigest()}"
