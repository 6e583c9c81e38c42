"""Convert Arrow columns, which come from Parquet, Arrow files, frames and engines that count rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import AnyArray, Numbers
from edgeworth.errors import InputError
from edgeworth.sources.batches import Batch
from edgeworth.sources.columns import MISSING, Coded, Column, Label, as_column, encode
from edgeworth.sources.paths import FileSource, first_line, open_bytes, read_head

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import ipc

    ArrowArray: TypeAlias = pa.Array[pa.Scalar[pa.DataType]]
    TextArray: TypeAlias = pa.Array[pa.StringScalar]
    Reader: TypeAlias = ipc.RecordBatchFileReader | ipc.RecordBatchStreamReader

NUMPY_FLOAT_NAMES = {"halffloat": "float16", "float": "float32", "double": "float64"}
"""Numpy's names of Arrow's float types; integers have the same name in both."""

MAX_LABEL_BYTES = 1 << 20
"""A longer text is no label, and takes many times its size in memory."""

MAX_ROWS_ENCODED_IN_PYTHON = 10_000
"""Python encodes this many texts in less time than Arrow takes to load its functions."""


def arrow_column(array: ArrowArray, name: str) -> Column:
    """Convert an Arrow array to the same values as ``as_column``, but faster for most types.

    Text, categories and integers with nulls become codes; integers stay exact and nulls are missing.

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
        return _bits(array, DATA_BUFFER)
    if kinds.is_floating(kind):
        numbers = _numbers(array)
        return np.where(_bits(array, VALIDITY_BUFFER), numbers, np.nan) if array.null_count else numbers
    if kinds.is_integer(kind):
        return _encode(array) if array.null_count else _numbers(array)
    if is_text_type(kind):
        check_label_bytes(array, name)
        return _encode(array)
    if isinstance(array, pa.DictionaryArray):
        check_label_bytes(array.dictionary, name)
        # A dictionary of numbers may hold NaN, which is missing and no label.
        if is_text_type(array.type.value_type) and len(array.dictionary) <= len(array):
            return _to_codes(array.indices, array.dictionary.to_pylist())
        # A long dictionary is not converted again for each short batch.
        return arrow_column(array.dictionary_decode(), name)
    return as_column(pa.chunked_array([array]), name)


def check_label_bytes(array: ArrowArray, name: str) -> None:
    """Raise an error if a text is too long to be a label, before Python converts it.

    >>> import pyarrow as pa
    >>> check_label_bytes(pa.array(["a", None, "b" * 100]), "truth")
    """
    if not is_text_type(array.type) or array.nbytes <= MAX_LABEL_BYTES:
        return
    longest = int(_text_bytes(array).max(initial=0))
    if longest > MAX_LABEL_BYTES:
        raise InputError(f"{name} holds a text of {longest:,} bytes: a label has at most {MAX_LABEL_BYTES:,}")


def _text_bytes(array: ArrowArray) -> Numbers:
    """Return the number of bytes of each text."""
    import pyarrow as pa
    import pyarrow.types as kinds

    if kinds.is_string_view(array.type):
        array = array.cast(pa.large_string())
    offset_type = np.dtype(np.int32 if kinds.is_string(array.type) else np.int64)
    offsets = np.frombuffer(_buffer(array, DATA_BUFFER), dtype=offset_type)
    return np.diff(offsets[array.offset : array.offset + len(array) + 1])


class TextColumn(Coded):
    """A column of text in an Arrow array, which is encoded only when its codes or labels are used."""

    array: TextArray

    def __init__(self, array: TextArray) -> None:
        object.__setattr__(self, "array", array)

    def __len__(self) -> int:
        return len(self.array)

    @cached_property
    def _coded(self) -> Coded:
        if len(self.array) <= MAX_ROWS_ENCODED_IN_PYTHON:
            return encode(np.array(self.array.to_pylist(), dtype=object), "")
        return _encode(self.array)

    @property
    def codes(self) -> NDArray[np.intp]:
        """The index of each row's label, -1 if it is missing."""
        return self._coded.codes

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels that occur."""
        return self._coded.labels


def is_text_type(kind: pa.DataType) -> bool:
    """Return whether an Arrow type is text."""
    import pyarrow.types as kinds

    return kinds.is_string(kind) or kinds.is_large_string(kind) or kinds.is_string_view(kind)


def _encode(array: ArrowArray | TextArray) -> Coded:
    encoded = array.dictionary_encode()
    return _to_codes(encoded.indices, encoded.dictionary.to_pylist())


def _to_codes(indices: ArrowArray, entries: Sequence[Label]) -> Coded:
    """Convert a dictionary array, whose dictionary may hold a label twice, or a null."""
    codes = _numbers(indices).astype(np.intp, copy=False)
    if indices.null_count:
        codes = np.where(_bits(indices, VALIDITY_BUFFER), codes, MISSING)
    if len(codes) and not MISSING <= codes.min() <= codes.max() < len(entries):
        import pyarrow as pa

        raise pa.ArrowInvalid("a code has no label: it is damaged")
    label_codes: dict[Label, int] = {}
    for label in entries:
        if label is not None:
            label_codes.setdefault(label, len(label_codes))
    if len(label_codes) < len(entries):
        new_codes = [MISSING if label is None else label_codes[label] for label in entries]
        codes = np.array([*new_codes, MISSING], dtype=np.intp)[codes]
    return Coded(codes, tuple(label_codes))


# Arrow's own conversion to numpy imports pandas, which takes longer than counting a hundred million rows.

VALIDITY_BUFFER = 0
"""The buffer of an array with one bit per row: whether its value is not null."""

DATA_BUFFER = 1
"""The buffer with the values themselves, or with the offsets of texts."""


def _buffer(array: ArrowArray, index: int) -> memoryview[int]:
    buffer = array.buffers()[index]
    assert buffer is not None, "an array with rows has this buffer"
    return memoryview(buffer)


def _numbers(array: ArrowArray) -> AnyArray:
    """Return the numbers in an array's memory, where a null may be any number."""
    kind = str(array.type)
    dtype = np.dtype(NUMPY_FLOAT_NAMES.get(kind, kind))
    if not len(array):
        return np.empty(0, dtype=dtype)
    return np.frombuffer(_buffer(array, DATA_BUFFER), dtype=dtype)[array.offset : array.offset + len(array)]


def _bits(array: ArrowArray, buffer: int) -> NDArray[np.bool_]:
    """Return the bits of a buffer that has one per row."""
    if not len(array):
        return np.empty(0, dtype=bool)
    bits = np.frombuffer(_buffer(array, buffer), dtype=np.uint8)
    unpacked = np.unpackbits(bits, count=array.offset + len(array), bitorder="little")
    return unpacked[array.offset :].view(np.bool_)


def arrow_batches(
    record_batches: Iterable[pa.RecordBatch], columns: Sequence[str], *, repeats: bool = False
) -> Iterator[Batch]:
    """Convert Arrow record batches, and number their rows across batches.

    With ``repeats`` the last column is the number of rows that each row represents.
    """
    row = 1
    for record_batch in record_batches:
        if not record_batch.num_rows:
            continue
        if repeats:
            # An engine that counts returns the columns in the order asked for, under other names.
            values = {
                name: arrow_column(record_batch.column(index), name) for index, name in enumerate(columns)
            }
            counts = _numbers(record_batch.column(len(columns))).astype(np.int64, copy=False)
            yield Batch(values, 1, counts)
        else:
            values = {name: arrow_column(record_batch.column(name), name) for name in columns}
            yield Batch(values, row)
            row += record_batch.num_rows


BATCH_ROWS = 1 << 17
"""A file may be one record batch of any size, which is mapped into memory and cut into batches."""

FILE_MAGIC = b"ARROW1"
"""How a file with a footer begins; a stream has none."""


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
        self._has_footer = head.startswith(FILE_MAGIC)
        with self._opened() as reader:
            self.schema = reader.schema
            self.rows = reader.count_rows() if hasattr(reader, "count_rows") else None
            self.names = tuple(reader.schema.names)

    def read(self, columns: list[str]) -> Iterator[Batch]:
        """Yield a record batch, or a part of one, at a time."""
        with self._opened(columns) as reader:
            yield from arrow_batches(self._record_batches(reader), columns)

    def _record_batches(self, reader: Reader) -> Iterator[pa.RecordBatch]:
        import pyarrow.ipc as ipc

        batches: Iterable[pa.RecordBatch]
        if isinstance(reader, ipc.RecordBatchFileReader):
            batches = map(reader.get_batch, range(reader.num_record_batches))
        else:
            batches = reader
        for batch in batches:
            # A damaged file may point outside of itself, which would end the process.
            batch.validate(full=True)
            for start in range(0, batch.num_rows, BATCH_ROWS):
                yield batch.slice(start, BATCH_ROWS)

    @contextmanager
    def _opened(self, columns: Sequence[str] = ()) -> Iterator[Reader]:
        """Open a reader of the named columns (all, if none are named)."""
        import pyarrow as pa
        import pyarrow.ipc as ipc

        options = ipc.IpcReadOptions(use_threads=False)
        if columns and self.schema is not None:
            options.included_fields = [self.schema.get_field_index(name) for name in columns]
        try:
            if self._has_footer:
                # The system may drop pages of a memory map, so that one huge batch takes no memory.
                with pa.memory_map(str(self.path)) as file:
                    yield ipc.open_file(file, options=options)
            else:
                with open_bytes(self.path) as stream:
                    yield ipc.open_stream(stream, options=options)
        except (OSError, UnicodeDecodeError, pa.ArrowException) as error:
            raise InputError(f"{self.name} cannot be read as an Arrow file: {first_line(error)}") from None


COMBINED_ROWS = 1 << 20
COMBINED_BYTES = 256 << 20


def combine_record_batches(record_batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Combine record batches until they have about a million rows, or a quarter of a gigabyte.

    Engines return small batches (Spark 10,000 rows), and each batch that is counted costs a merge.

    >>> import pyarrow as pa
    >>> small = pa.record_batch({"y": [1, 2]})
    >>> [batch.num_rows for batch in combine_record_batches([small, small])]
    [4]
    """
    waiting: list[pa.RecordBatch] = []
    rows = 0
    size = 0
    for batch in record_batches:
        if batch.num_rows:
            waiting.append(batch)
            rows += batch.num_rows
            size += batch.nbytes
        if rows >= COMBINED_ROWS or size >= COMBINED_BYTES:
            yield from _combine(waiting)
            waiting = []
            rows = 0
            size = 0
    yield from _combine(waiting)


def _combine(batches: list[pa.RecordBatch]) -> list[pa.RecordBatch]:
    if len(batches) < 2:
        return batches
    import pyarrow as pa

    return pa.Table.from_batches(batches).unify_dictionaries().combine_chunks().to_batches()
