"""Zip archives whose files are packed with zstd, which Python's own module cannot unpack before 3.14."""

from __future__ import annotations

import zipfile
import zlib
from typing import Any

from edgeworth.errors import InputError, MissingExtraError
from edgeworth.sources.paths import LARGEST_STREAM, LARGEST_WHOLE, MOST_PACKED

ZSTD = 93
PIECE = 1 << 20
LOCAL_HEADER = 30
"""Bytes before the name of a file within a zip archive; the last four say how long name and extras are."""


def unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, place: str) -> bytes | bytearray:
    """Unpack one file of an archive, and never more than it says it has."""
    most = min(LARGEST_WHOLE, max(LARGEST_STREAM, MOST_PACKED * info.compress_size))
    if info.file_size > most:
        raise InputError(f"{place} is too large to be read: it has unpacked more than {most:,} bytes")
    if info.compress_type != ZSTD:
        return archive.read(info)
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError("reading .eval logs", "logs") from None
    file: Any = archive.fp
    file.seek(info.header_offset)
    head = file.read(LOCAL_HEADER)
    file.seek(sum(int.from_bytes(head[at : at + 2], "little") for at in (26, 28)), 1)
    content = bytearray()
    with pa.CompressedInputStream(pa.BufferReader(file.read(info.compress_size)), "zstd") as stream:
        while len(content) <= info.file_size and (piece := stream.read(PIECE)):
            content += piece
    if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
        raise InputError(f"{place} is damaged: it is not the {info.file_size:,} bytes that it says it is")
    return content
