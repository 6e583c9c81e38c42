"""Lazy frames: their engine reads, counts where counting is enough, and hands over batch by batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from edgeworth.sources.arrow_columns import arrow_batches, counted_batches
from edgeworth.sources.arrow_pieces import PIECE_ROWS, larger_pieces
from edgeworth.sources.batches import Batch, find_columns, no_rows, some_rows
from edgeworth.sources.engine_errors import engine_errors
from edgeworth.sources.partitions import our_names

if TYPE_CHECKING:
    import narwhals.stable.v2 as nw


class LazyFrameSource:
    """A query that has not been run: polars' lazy frames, DuckDB's relations.

    Each pass runs the query again, for the wanted columns only. They travel under names of our own, because
    SQL engines do not tell names apart that differ only in case.
    """

    is_text = False

    def __init__(self, frame: nw.LazyFrame[Any], name: str) -> None:
        self._frame = frame
        self.name = name

    @property
    def names(self) -> tuple[str, ...]:
        """What the columns are called."""
        with engine_errors(self.name):
            return tuple(self._frame.collect_schema().names())

    def batches(self, columns: Sequence[str]) -> Iterator[Batch]:
        """The wanted columns in order, about a million rows at a time."""
        wanted = list(dict.fromkeys(columns))
        pieces = self._pieces(self._renamed(wanted), wanted)
        yield from some_rows(arrow_batches(larger_pieces(pieces), wanted), no_rows(self.name))

    def distinct(self, columns: Sequence[str]) -> Iterator[Batch]:
        """Each combination of values once, and how often it occurs: the engine's own group-by."""
        import narwhals.stable.v2 as nw

        wanted = list(dict.fromkeys(columns))
        frame = self._renamed(wanted)
        counted = frame.group_by(*our_names(wanted)).agg(nw.len().alias("repeats"))
        pieces = self._pieces(counted, [*wanted, "repeats"])
        yield from some_rows(counted_batches(pieces, wanted), no_rows(self.name))

    def _renamed(self, columns: list[str]) -> nw.LazyFrame[Any]:
        import narwhals.stable.v2 as nw

        find_columns(columns, self.names, self.name)
        pairs = zip(columns, our_names(columns), strict=True)
        return self._frame.select(*(nw.col(name).alias(ours) for name, ours in pairs))

    def _pieces(self, frame: nw.LazyFrame[Any], names: list[str]) -> Iterator[Any]:
        """Arrow's record batches as the engine hands them over, with the columns' own names."""
        with engine_errors(self.name):
            pieces = _run(frame)
        while True:
            with engine_errors(self.name):
                piece = next(pieces, None)
            if piece is None:
                return
            yield piece.rename_columns(names)


def _run(frame: nw.LazyFrame[Any]) -> Iterator[Any]:
    native: Any = frame.to_native()
    if hasattr(native, "collect_batches"):
        pieces = native.collect_batches(chunk_size=PIECE_ROWS, maintain_order=True)
        return (batch for piece in pieces for batch in piece.to_arrow().to_batches())
    for reader in ("to_arrow_reader", "fetch_record_batch"):
        if hasattr(native, reader):
            return iter(getattr(native, reader)(PIECE_ROWS))
    # An engine that hands its result over whole: the wanted columns at least, and nothing else.
    return iter(frame.collect(backend="pyarrow").to_native().to_batches())
