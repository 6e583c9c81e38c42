"""Unpack zip archives from untrusted sources (deflate, zstd or stored) within a limit of bytes."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO

from edgeworth.errors import InputError, MissingExtraError
from edgeworth.sources.paths import max_unpacked_bytes

ZSTD = 93
"""The number of a compression method that Python cannot unpack before 3.14."""

LOCAL_HEADER_BYTES = 30
"""Bytes before a file's name in an archive."""

METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTD}
"""Others (bzip2, LZMA) unpack to thousands of times their size, and no tool writes logs with them."""

PIECE_BYTES = 1 << 16

MAX_MEMBERS = 1_000_000
"""Files in an archive: a log has at most one per sample."""


def read_archive(path: Path, choose: Callable[[list[str]], list[str]]) -> list[tuple[str, bytearray]]:
    """Unpack the files that ``choose`` picks from the names in an archive.

    Together they may have ``max_unpacked_bytes`` for the archive's size.
    """
    contents: list[tuple[str, bytearray]] = []
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            limit = max_unpacked_bytes(path.stat().st_size)
            bytes_left = limit
            if len(archive.infolist()) > MAX_MEMBERS:
                raise InputError(f"{path} cannot be read: it holds more than {MAX_MEMBERS:,} files")
            for name in choose(archive.namelist()):
                info = archive.getinfo(name)
                bytes_left -= info.file_size
                if bytes_left < 0:
                    message = f"its files have more than {limit:,} bytes when unpacked"
                    raise InputError(f"{path} is too large: {message} ({name} has {info.file_size:,})")
                content = _unpack(file, info, f"{path}, {name}")
                contents.append((name, content))
    except InputError:
        raise
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, NotImplementedError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: it is damaged or incomplete ({error})") from None
    return contents


def _unpack(file: IO[bytes], info: zipfile.ZipInfo, location: str) -> bytearray:
    """Unpack one file, and at most as many bytes as the archive declares."""
    if info.compress_type not in METHODS:
        raise InputError(
            f"{location} is compressed by method {info.compress_type}: only deflate and zstd can be read"
        )
    if info.flag_bits & 1:
        raise InputError(f"{location} is encrypted: decrypt it first")
    # zipfile is not used to read, because it trusts the sizes that an archive declares.
    file.seek(info.header_offset)
    head = file.read(LOCAL_HEADER_BYTES)
    file.seek(sum(int.from_bytes(head[at : at + 2], "little") for at in (26, 28)), 1)
    packed = file.read(info.compress_size)
    content = bytearray()
    if info.compress_type == zipfile.ZIP_STORED:
        content += packed[: info.file_size + 1]
    elif info.compress_type == zipfile.ZIP_DEFLATED:
        content += zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, info.file_size + 1)
    else:
        content += _unpack_zstd(packed, info.file_size + 1)
    if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
        raise InputError(
            f"{location} is damaged: it is not the {info.file_size:,} bytes that the archive declares"
        )
    return content


def _unpack_zstd(packed: bytes, limit: int) -> bytearray:
    """Unpack the first bytes of zstd, which may have several frames."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError("reading .eval logs", "logs") from None
    content = bytearray()
    with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
        while len(content) < limit and (piece := stream.read(min(PIECE_BYTES, limit - len(content)))):
            content += piece
    return content
