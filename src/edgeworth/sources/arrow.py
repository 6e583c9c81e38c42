"""From an Arrow column to ours: the one way in for Parquet, Arrow files and what an engine counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import InputError
from edgeworth.sources.batches import Batch
from edgeworth.sources.columns import MISSING, Coded, Column, Label, as_column, encode
from edgeworth.sources.paths import FileSource, first_line, open_bytes, read_head

FLOATS = {"halffloat": "float16", "float": "float32", "double": "float64"}
"""What numpy calls Arrow's floats; integers have one name."""
LONGEST_LABEL = 1 << 20
"""Bytes of a text in a column; a longer one is no label, and takes many times its size in memory."""
FEW_ROWS = 10_000
"""So many texts are encoded in less time than Arrow takes to load its functions."""


def arrow_column(array: Any, name: str) -> Column:
    """An Arrow array with the values that ``as_column`` finds in it, and quicker where there is a way.

    Text, categories and integers with gaps become codes; integers stay exact and nulls are missing.

    >>> import pyarrow as pa
    >>> arrow_column(pa.array([2**63 + 1, None], pa.uint64()), "truth")
    Coded(codes=array([ 0, -1]), labels=(9223372036854775809,))
    """
    import pyarrow as pa
    import pyarrow.types as kinds

    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if kinds.is_run_end_encoded(array.type):
        import pyarrow.compute as compute

        array = compute.run_end_decode(array)  # type: ignore[attr-defined]  # the stubs miss it
    kind = array.type
    if kinds.is_boolean(kind) and not array.null_count:
        return _bits(array, 1)
    if kinds.is_floating(kind):
        return np.where(_bits(array, 0), _numbers(array), np.nan) if array.null_count else _numbers(array)
    if kinds.is_integer(kind):
        return _to_codes(array.dictionary_encode()) if array.null_count else _numbers(array)
    if is_text(kind):
        check_lengths(array, name)
        return _to_codes(array.dictionary_encode())
    if kinds.is_dictionary(kind):
        check_lengths(array.dictionary, name)
        # Among numbers NaN may stand, which is missing and no label.
        if is_text(kind.value_type) and len(array.dictionary) <= len(array):
            return _to_codes(array)
        # A long dictionary is not read once more for each short piece.
        values = array.dictionary_decode()
        return arrow_column(values, name)
    return as_column(pa.chunked_array([array]), name)


def check_lengths(array: Any, name: str) -> None:
    """Refuse a text that is too long to be a label, before Python makes anything of it.

    >>> import pyarrow as pa
    >>> check_lengths(pa.array(["a", None, "b" * 100]), "truth")
    """
    if not is_text(array.type) or array.nbytes <= LONGEST_LABEL:
        return
    longest = int(_text_lengths(array).max(initial=0))
    if longest > LONGEST_LABEL:
        raise InputError(f"{name} holds a text of {longest:,} bytes: a label has at most {LONGEST_LABEL:,}")


def _text_lengths(array: Any) -> NDArray[Any]:
    """Find how many bytes each text has."""
    import pyarrow as pa
    import pyarrow.types as kinds

    if kinds.is_string_view(array.type):
        array = array.cast(pa.large_string())
    offsets = np.int32 if kinds.is_string(array.type) else np.int64
    ends = np.frombuffer(array.buffers()[1], dtype=offsets)[array.offset : array.offset + len(array) + 1]
    return np.diff(ends)


class TextColumn(Coded):
    """A column of text as Arrow holds it: codes and labels are made when somebody asks for them."""

    array: Any

    def __init__(self, array: Any) -> None:
        object.__setattr__(self, "array", array)

    def __len__(self) -> int:
        return len(self.array)

    @cached_property
    def _coded(self) -> Coded:
        if len(self.array) <= FEW_ROWS:
            return encode(np.array(self.array.to_pylist(), dtype=object), "")
        return _to_codes(self.array.dictionary_encode())

    @property
    def codes(self) -> NDArray[np.intp]:
        """The place of each row's label."""
        return self._coded.codes

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels that occur."""
        return self._coded.labels


def is_text(kind: Any) -> bool:
    """Whether a type of Arrow is text."""
    import pyarrow.types as kinds

    return kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind)


def _to_codes(encoded: Any) -> Coded:
    """Codes and labels; a label may stand twice in a dictionary, or a null among its labels."""
    indices = encoded.indices
    codes = _numbers(indices).astype(np.intp, copy=False)
    if indices.null_count:
        codes = np.where(_bits(indices, 0), codes, MISSING)
    entries = encoded.dictionary.to_pylist()
    if len(codes) and not MISSING <= codes.min() <= codes.max() < len(entries):
        import pyarrow as pa

        raise pa.ArrowInvalid("a code has no label: it is damaged")
    labels = {label: place for place, label in enumerate(dict.fromkeys(x for x in entries if x is not None))}
    if len(labels) < len(entries):
        places = [MISSING if label is None else labels[label] for label in entries]
        codes = np.array([*places, MISSING], dtype=np.intp)[codes]
    return Coded(codes, tuple(labels))


# Arrow's own way to numpy imports pandas, which takes longer than counting a hundred million rows.


def _numbers(array: Any) -> NDArray[Any]:
    """The numbers as they lie in memory, whatever stands where one is missing."""
    kind = str(array.type)
    name = FLOATS.get(kind, kind)
    if not len(array):
        return np.empty(0, dtype=name)
    return np.frombuffer(array.buffers()[1], dtype=name)[array.offset : array.offset + len(array)]


def _bits(array: Any, buffer: int) -> NDArray[np.bool_]:
    """A buffer of bits, one a row: buffer 0 says which rows are there, buffer 1 what booleans they hold."""
    if not len(array):
        return np.empty(0, dtype=bool)
    bits = np.frombuffer(array.buffers()[buffer], dtype=np.uint8)
    unpacked = np.unpackbits(bits, count=array.offset + len(array), bitorder="little")
    return unpacked[array.offset :].view(np.bool_)


def arrow_batches(pieces: Iterable[Any], columns: Sequence[str], *, repeats: bool = False) -> Iterator[Batch]:
    """Arrow's record batches as ours, rows numbered through; with ``repeats`` the last column counts each."""
    row = 1
    for piece in pieces:
        if piece.num_rows:
            # A file keeps its own order; an engine that counted keeps ours, and not the names.
            places = range(len(columns)) if repeats else columns
            found = {
                name: arrow_column(piece.column(at), name) for name, at in zip(columns, places, strict=True)
            }
            often = _numbers(piece.column(len(columns))).astype(np.int64, copy=False) if repeats else None
            yield Batch(found, 1 if repeats else row, often)
            row += piece.num_rows


PIECE_ROWS = 1 << 17
"""A file may be one batch of any size; it is in memory as it is on disk, and is handed on in pieces."""

FOOTER = b"ARROW1"


class ArrowSource(FileSource):
    """A file of Arrow record batches, read one after the other."""

    kind = "Arrow"

    def __init__(self, path: Path, name: str | None = None) -> None:
        super().__init__(path, name)
        head = read_head(path, self.name)
        if head.startswith(b"FEA1"):
            raise InputError(
                f"{self.name} is a Feather file of version 1, which is no longer read: convert it"
            )
        self._has_footer = head.startswith(FOOTER)
        with self._opened() as reader:
            self.schema = reader.schema
            self.rows = reader.count_rows() if hasattr(reader, "count_rows") else None
            self.names = tuple(self.schema.names)

    def read(self, columns: list[str]) -> Iterator[Batch]:
        """Read a record batch or a part of one at a time."""
        with self._opened(columns) as reader:
            yield from arrow_batches(self._pieces(reader), columns)

    def _pieces(self, reader: Any) -> Iterator[Any]:
        batches = map(reader.get_batch, range(reader.num_record_batches)) if self._has_footer else reader
        for batch in batches:
            # A damaged file may point outside of itself, which would end the process.
            batch.validate(full=True)
            for start in range(0, batch.num_rows, PIECE_ROWS):
                yield batch.slice(start, PIECE_ROWS)

    @contextmanager
    def _opened(self, columns: Sequence[str] = ()) -> Iterator[Any]:
        """A reader of the wanted columns (all, if none are named)."""
        import pyarrow as pa
        import pyarrow.ipc as ipc

        options = ipc.IpcReadOptions(use_threads=False)
        if columns:
            options.included_fields = [self.schema.get_field_index(name) for name in columns]
        try:
            if self._has_footer:
                # Pages of the map are the system's to drop: a file of one huge batch takes no memory of ours.
                with pa.memory_map(str(self.path)) as file:
                    yield ipc.open_file(file, options=options)
            else:
                with open_bytes(self.path) as stream:
                    yield ipc.open_stream(stream, options=options)
        except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
            raise InputError(f"{self.name} cannot be read as an Arrow file: {first_line(error)}") from None


COMBINED_ROWS = 1 << 20
PIECE_BYTES = 256 << 20


def combine_pieces(pieces: Iterable[Any]) -> Iterator[Any]:
    """The same rows in record batches of about a million rows, or a quarter of a gigabyte.

    Engines hand over small batches (Spark 10,000 rows), and each batch that is counted costs a merge.

    >>> import pyarrow as pa
    >>> small = pa.record_batch({"y": [1, 2]})
    >>> [piece.num_rows for piece in combine_pieces([small, small])]
    [4]
    """
    held: list[Any] = []
    for piece in pieces:
        held += [piece] if piece.num_rows else []
        if sum(x.num_rows for x in held) >= COMBINED_ROWS or sum(x.nbytes for x in held) >= PIECE_BYTES:
            yield from _join(held)
            held = []
    yield from _join(held)


def _join(pieces: list[Any]) -> Iterator[Any]:
    if len(pieces) < 2:
        yield from pieces
        return
    import pyarrow as pa

    yield from pa.Table.from_batches(pieces).unify_dictionaries().combine_chunks().to_batches()
