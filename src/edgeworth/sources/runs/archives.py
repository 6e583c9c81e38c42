"""Zip archives of strangers: packed with deflate, zstd or not at all, and unpacked within one bound."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO

from edgeworth.errors import InputError, MissingExtraError
from edgeworth.sources.paths import most_unpacked

ZSTD, LOCAL_HEADER = 93, 30
"""A method that Python cannot unpack before 3.14, and the bytes before a file's name in an archive."""
METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTD}
"""Others (bzip2, LZMA) unpack to thousands of times their size, and no tool writes logs with them."""
PIECE = 1 << 16
MOST_MEMBERS = 1_000_000
"""Files in an archive; a log has one for each sample at most."""


def read_archive(path: Path, choose: Callable[[list[str]], list[str]]) -> list[tuple[str, bytearray]]:
    """Unpack the files that ``choose`` picks from the names in an archive.

    Together they may unpack to as much as a packed file of the archive's size may (``most_unpacked``).
    """
    found: list[tuple[str, bytearray]] = []
    try:
        with path.open("rb") as file, zipfile.ZipFile(file) as archive:
            most = most_unpacked(path.stat().st_size)
            left = most
            if len(archive.infolist()) > MOST_MEMBERS:
                raise InputError(f"{path} cannot be read: it holds more than {MOST_MEMBERS:,} files")
            for name in choose(archive.namelist()):
                info = archive.getinfo(name)
                left -= info.file_size
                if left < 0:
                    said = f"its files have unpacked more than {most:,} bytes"
                    raise InputError(
                        f"{path} is too large to be read: {said} ({name} has {info.file_size:,})"
                    )
                content = _unpack(file, info, f"{path}, {name}")
                found.append((name, content))
    except InputError:
        raise
    except (zipfile.BadZipFile, EOFError, OSError, ValueError, NotImplementedError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: it is damaged, or only a part ({error})") from None
    return found


def _unpack(file: IO[bytes], info: zipfile.ZipInfo, place: str) -> bytearray:
    """Unpack one file, and never more of it than it says it has."""
    if info.compress_type not in METHODS:
        raise InputError(f"{place} is packed by method {info.compress_type}: only deflate and zstd are read")
    if info.flag_bits & 1:
        raise InputError(f"{place} is encrypted: decrypt it first")
    # Read here, and not by zipfile, which trusts what an archive says of itself.
    file.seek(info.header_offset)
    head = file.read(LOCAL_HEADER)
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
        raise InputError(f"{place} is damaged: it is not the {info.file_size:,} bytes that it says it is")
    return content


def _unpack_zstd(packed: bytes, most: int) -> bytearray:
    """Unpack the first bytes of zstd, which may have several frames."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError("reading .eval logs", "logs") from None
    content = bytearray()
    with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
        while len(content) < most and (piece := stream.read(min(PIECE, most - len(content)))):
            content += piece
    return content
