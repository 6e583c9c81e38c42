"""Find and open files that are named by a path, several paths, a pattern or a folder."""

from __future__ import annotations

import glob
import gzip
import hashlib
import os
import re
import stat
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from edgeworth.errors import EdgeworthError, InputError, MissingExtraError
from edgeworth.sources.batches import Batch, check_columns, require_rows
from edgeworth.sources.formats import (
    COMPRESSED,
    READ,
    Format,
    ending,
    format_by_ending,
    format_by_head,
    list_words,
)

if TYPE_CHECKING:
    import pyarrow as pa


def first_line(error: Exception) -> str:
    """Return the first line of an engine's message, without the engine's prefix.

    >>> first_line(ValueError("CSV parse error: Expected 2 columns\\nDetail"))
    'Expected 2 columns'
    """
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    text = re.sub(
        r"^(CSV parse error|Invalid|IO Error|Invalid Input Error|IOError): ", "", str(error).strip()
    )
    return text.splitlines()[0] if text else type(error).__name__


PathLike: TypeAlias = str | os.PathLike[str]

TABLE_FOLDERS = {"_delta_log": "Delta", ".hoodie": "Hudi"}
"""Folders that list the current files of a table: its other files hold rows of the past."""

MIN_NAME_SIMILARITY = 0.75
"""Names at least this similar are suggested for a missing file: past.json is not today.json."""


def natural_key(name: object) -> list[tuple[int, int, str]]:
    """Return a key that sorts part 2 before part 10.

    >>> sorted(["part10", "part2"], key=natural_key)
    ['part2', 'part10']
    """
    parts = re.split(r"([0-9]+)", str(name))
    return [(1, int(part), part) if part.isdecimal() else (0, 0, part) for part in parts if part]


def expand_paths(data: PathLike | Sequence[PathLike]) -> list[Path]:
    """Return the files that paths name, in the order given; those of a pattern or folder are sorted."""
    if not isinstance(data, (str, os.PathLike)):
        files = [file for path in data for file in expand_paths(path)]
        if not files:
            raise InputError("no files are named: the list of paths is empty")
        return _once(files)
    path = local_path(data)
    if "://" in str(data) and not is_local_address(data):
        raise InputError(f"{data}: pass files of an object store one at a time, or by a pattern")
    try:
        if path.is_dir():
            return _once(_files_of(path))
        # A file may be called a[1].csv: what exists is meant as it is written.
        if path.exists():
            return _once([path])
    except OSError as error:
        raise InputError(f"{path} cannot be read: {first_line(error)}") from None
    if glob.has_magic(str(path)):
        names = glob.glob(str(path), recursive=True)  # noqa: PTH207  # a pattern may begin anywhere
        files = sorted((file for file in map(Path, names) if file.is_file()), key=natural_key)
        if not files:
            raise InputError(f"no file matches {path}")
        return _once(files)
    is_word = path.suffix == "" and path.parent == Path()
    column = "; to name a column, use an option such as --truth" if is_word else ""
    raise InputError(f"{path} does not exist{_neighbours(path) or column}")


def is_local_address(data: PathLike) -> bool:
    """Return whether data are the address of a file on this machine, ``file:///…``."""
    return isinstance(data, str) and data.lower().startswith("file://")


def local_path(data: PathLike) -> Path:
    """Return the path of a file that is named by path or address.

    >>> str(local_path("file://localhost/data/a%20b.csv"))
    '/data/a b.csv'
    """
    if not is_local_address(data):
        path = Path(data)
        # Arrow and DuckDB would read ~ as the home folder; the shell has expanded it already.
        return path.absolute() if str(path).startswith("~") else path
    from urllib.parse import urlsplit
    from urllib.request import url2pathname

    address = urlsplit(os.fspath(data))
    if address.netloc.lower() not in ("", "localhost"):
        raise InputError(
            f"{data} is on another machine, {address.netloc}: for a file on this machine write file:///…"
        )
    return Path(url2pathname(address.path))


def _once(files: list[Path]) -> list[Path]:
    """Return the files, or raise an error if one is named twice or its name is not UTF-8."""
    seen: dict[str, Path] = {}
    for file in files:
        other = seen.setdefault(os.path.realpath(file), file)
        if other is not file:
            named = f"{file} is named twice" if other == file else f"{other} and {file} are one file"
            raise InputError(f"{named}: name each file once")
        try:
            str(file).encode()
        except UnicodeEncodeError:
            raise InputError(
                f"{os.fsencode(file)!r} is a file name that is not UTF-8: rename the file"
            ) from None
    return files


def _files_of(folder: Path) -> list[Path]:
    """Return the data files at any depth of a folder, without hidden ones and those that begin with _."""
    data_files = []
    data = {name for form in READ for name in form.endings}
    for parent, folders, names in os.walk(folder, onerror=refuse_folder):
        for name, table in TABLE_FOLDERS.items():
            if name in folders:
                raise InputError(
                    f"{parent} is a {table} table, whose files may hold deleted rows: "
                    "read it with its own library and pass the dataframe"
                )
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        files = [Path(parent) / name for name in names if not name.startswith((".", "_"))]
        data_files += [file for file in files if ending(file) in data and file.is_file()]
    if not data_files:
        others = data | {name for form in READ for name in form.other_endings}
        named = sorted(str(file) for file in folder.rglob("*") if ending(file) in others)[:3]
        message = (
            f"{folder} is a folder without data: it has no run logs, and no files of {list_words(last=' or')}"
        )
        raise InputError(
            f"{message}; name the files to read, such as {', '.join(named)}" if named else message
        )
    return sorted(data_files, key=natural_key)


def refuse_folder(error: OSError) -> None:
    """Raise an error for a folder that cannot be listed."""
    raise InputError(f"{error.filename} cannot be read: {first_line(error)}") from None


def _neighbours(path: Path) -> str:
    import difflib

    folder = path.parent
    try:
        names = [entry.name for entry in folder.iterdir()]
    except OSError:
        return ""
    near = difflib.get_close_matches(path.name, names, n=3, cutoff=MIN_NAME_SIMILARITY)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def partition_values(file: Path, below: Path) -> dict[str, str | None]:
    """Return the columns in the names of a file's folders, which Hive writes as key=value.

    >>> partition_values(Path("lake/day=2026-01-02/site=a%20b/x.parquet"), Path("lake"))
    {'day': '2026-01-02', 'site': 'a b'}
    """
    from urllib.parse import unquote

    pairs = [part.partition("=") for part in file.relative_to(below).parts[:-1] if "=" in part]
    return {
        unquote(key): None if value == "__HIVE_DEFAULT_PARTITION__" else unquote(value)
        for key, _, value in pairs
    }


HEAD_BYTES = 64 << 10
"""Bytes that are read to recognise a file."""

MAX_FIRST_LINE_BYTES = 8 << 20

COMPRESSIONS: dict[bytes, Literal["gzip", "zstd", "bz2"]] = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bz2",
}
"""The first bytes of compressed files, for files without a known ending."""

SPREADSHEETS = {".xlsx", ".xls", ".ods"}


class NoRowsError(InputError):
    """A file with columns and no rows: an error for one file, skipped among several."""


class FileSource:
    """A file that can be read in batches, any number of times."""

    kind: ClassVar[str]
    """The format's name in messages."""
    top: ClassVar[str] = "columns"
    """What a file without rows still has, for messages."""
    is_text: bool = False
    varies: ClassVar[bool] = False
    """Whether a column may be absent in the first rows, or change its type."""
    names: tuple[str, ...]
    rows: int | None = None
    schema: pa.Schema | None = None
    """The Arrow schema, if types are known before any row is read."""

    def __init__(self, path: Path, name: str | None = None) -> None:
        self.path = path
        self.name = name or str(path)

    @property
    def paths(self) -> tuple[Path, ...]:
        """The file."""
        return (self.path,)

    def types(self, columns: Sequence[str]) -> Mapping[str, pa.DataType]:
        """Return the Arrow type of each column, or nothing if types are not known."""
        return {} if self.schema is None else {name: self.schema.field(name).type for name in columns}

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Yield the named columns, a part of the file at a time."""
        wanted = list(dict.fromkeys(columns))
        if not self.varies:
            check_columns(wanted, self.names, self.name)
        nothing = NoRowsError(f"{self.name} has {self.top} but no rows")
        yield from require_rows(self.read(wanted), nothing)

    def read(self, columns: list[str]) -> Iterator[Batch]:
        """Yield the columns, all of which exist."""
        raise NotImplementedError


def open_bytes(path: Path) -> pa.NativeFile:
    """Open a file as a stream of bytes, decompressed by its ending or else by its first bytes."""
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError("reading files", "files") from None
    if path.suffix.lower() in COMPRESSED:
        return pa.input_stream(str(path), compression="detect")
    with path.open("rb") as file:
        first = file.read(4)
    compression = next((name for magic, name in COMPRESSIONS.items() if first.startswith(magic)), None)
    return pa.input_stream(str(path), compression=compression)  # type: ignore[arg-type]  # None is missed


def read_head(path: Path, name: str, *, of_text: bool = False) -> bytes:
    """Return the first bytes of a file, for text at least its first line, or raise an error."""
    # pa.ArrowException is not named, because pyarrow may be missing; its errors are also of these types.
    try:
        with open_bytes(path) as stream:
            head: bytes = stream.read(HEAD_BYTES)
            while of_text and not re.search(rb"\S\s*[\r\n]", head) and (more := stream.read(HEAD_BYTES)):
                head += more
                if len(head) > MAX_FIRST_LINE_BYTES:
                    raise InputError(f"{name}: the first line has more than {MAX_FIRST_LINE_BYTES:,} bytes")
    except EdgeworthError:
        raise
    except FileNotFoundError:
        raise InputError(f"{name} does not exist") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{name} cannot be read: {first_line(error)}") from None
    if not head.strip():
        raise InputError(f"{name} is empty")
    return head


MAX_WHOLE_FILE_BYTES = 2 << 30
"""The limit for a file that is read as a whole, also after decompression."""

MAX_STREAM_BYTES = 256 << 20
"""The limit for a pipe or a device."""

MIN_UNPACKED_LIMIT = 16 << 20
"""Every compressed file may decompress to this many bytes."""

MAX_COMPRESSION_RATIO = 100
"""A larger file may decompress to this many times its size. JSON takes up to 25 times its bytes in memory,
so a small hostile file must not expand to gigabytes."""


def max_unpacked_bytes(size: int) -> int:
    """Return the number of bytes that a compressed file of this size may decompress to.

    >>> max_unpacked_bytes(1000), max_unpacked_bytes(1 << 20), max_unpacked_bytes(1 << 40)
    (16777216, 104857600, 2147483648)
    """
    return min(MAX_WHOLE_FILE_BYTES, max(MIN_UNPACKED_LIMIT, MAX_COMPRESSION_RATIO * size))


def read_whole_file(path: Path) -> bytes | bytearray:
    """Return the bytes of a file, decompressed if it is gzip, or raise an error if it is too large."""
    content = bytearray()
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            size = status.st_size if stat.S_ISREG(status.st_mode) else 0
            is_packed = file.peek(2).startswith(b"\x1f\x8b")
            limit = (
                max_unpacked_bytes(size)
                if is_packed
                else min(MAX_WHOLE_FILE_BYTES, max(MAX_STREAM_BYTES, size))
            )
            stream = gzip.GzipFile(fileobj=file) if is_packed else file
            while piece := stream.read(HEAD_BYTES):
                content += piece
                if len(content) > limit:
                    unpacked = " when unpacked" if is_packed else ""
                    raise InputError(f"{path} is too large: it has more than {limit:,} bytes{unpacked}")
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {first_line(error)}") from None
    except (EOFError, zlib.error) as error:
        raise InputError(f"{path} cannot be read: it is damaged or incomplete ({error})") from None
    return content


def find_format(path: Path, name: str) -> Format:
    """Find the format of a file, by its ending or else by its first bytes; ``name`` is its name in errors."""
    if ending(path) in SPREADSHEETS:
        raise InputError(f"{name} is a spreadsheet, not delimited text: save it as CSV, or pass a dataframe")
    form = format_by_ending(path)
    return form if form in READ else format_by_head(read_head(path, name))


MAX_DIGEST_BYTES = 1 << 30
"""Files with more bytes in all are not read again for their digest."""


def file_digest(path: PathLike | Sequence[PathLike]) -> str | None:
    """Return the SHA-256 of a file, or of the files of a pattern or folder; None if there is no file.

    >>> file_digest("no such file") is None
    True
    """
    try:
        return combine_digests(file_digests(expand_paths(path)))
    except (OSError, ValueError):
        return None


def file_digests(files: Sequence[Path]) -> tuple[str, ...]:
    """Return the SHA-256 of each file; none if one of them is no file, or if they are too large.

    Names are not part of it: the same data elsewhere have the same digest.
    """
    try:
        if (
            not all(file.is_file() for file in files)
            or sum(x.stat().st_size for x in files) > MAX_DIGEST_BYTES
        ):
            return ()
        digests = []
        for file in files:
            with file.open("rb") as content:
                digests.append(f"sha256:{hashlib.file_digest(content, 'sha256').hexdigest()}")
        return tuple(digests)
    except (OSError, ValueError):
        return ()


FileStates: TypeAlias = tuple[tuple[int, int, int] | None, ...]
"""What identifies the content of each file without reading it: inode, size and time of its last change."""


def file_states(files: Sequence[Path]) -> FileStates:
    """Return the state of each file; None for a file that cannot be accessed."""
    return tuple(map(_state, files))


def _state(file: Path) -> tuple[int, int, int] | None:
    try:
        status = file.stat()
    except (OSError, ValueError):
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def check_unchanged(files: Sequence[Path], before: FileStates) -> None:
    """Raise an error if a file has changed, because its digest would belong to other data."""
    for file, then, now in zip(files, before, file_states(files), strict=True):
        if then != now:
            raise InputError(
                f"{file} changed while it was read: run again when nothing writes to it, or read a copy"
            )


def combine_digests(digests: Sequence[str]) -> str | None:
    """Return the SHA-256 of several digests, one per line, in the order in which the files are read.

    >>> combine_digests(["sha256:12"]), combine_digests([])
    ('sha256:12', None)
    """
    if len(digests) < 2:
        return digests[0] if digests else None
    lines = "".join(f"{digest}\n" for digest in digests)
    return f"sha256:{hashlib.sha256(lines.encode()).hexdigest()}"
