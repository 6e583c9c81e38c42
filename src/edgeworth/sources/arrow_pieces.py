"""Arrow's record batches, joined until each is worth a count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

PIECE_ROWS = 1 << 20
PIECE_BYTES = 256 << 20


def larger_pieces(pieces: Iterable[Any]) -> Iterator[Any]:
    """The same rows in record batches of about a million rows, or a quarter of a gigabyte.

    Engines hand over small batches (Spark 10,000 rows), and each batch that is counted costs a merge.

    >>> import pyarrow as pa
    >>> small = pa.record_batch({"y": [1, 2]})
    >>> [piece.num_rows for piece in larger_pieces([small, small])]
    [4]
    """
    held: list[Any] = []
    rows = size = 0
    for piece in pieces:
        if not piece.num_rows:
            continue
        held.append(piece)
        rows, size = rows + piece.num_rows, size + piece.nbytes
        if rows >= PIECE_ROWS or size >= PIECE_BYTES:
            yield from _joined(held)
            held, rows, size = [], 0, 0
    yield from _joined(held)


def _joined(pieces: list[Any]) -> Iterator[Any]:
    if len(pieces) < 2:
        yield from pieces
        return
    import pyarrow as pa

    yield from pa.Table.from_batches(pieces).unify_dictionaries().combine_chunks().to_batches()
