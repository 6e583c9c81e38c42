"""A reducer: what a batch becomes, and what there is before the first one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Generic, Self

from edgeworth.sources.batches import Batch, Source, T, fold


@dataclass(frozen=True)
class Rowed(Generic[T]):
    """A tally, and how many rows were read for it: weights and lists do not tell."""

    tally: T
    rows: int = 0

    @property
    def needs_positions(self) -> bool:
        """As its tally."""
        return bool(getattr(self.tally, "needs_positions", False))

    def __add__(self, other: Self) -> Self:
        return replace(self, tally=self.tally + other.tally, rows=self.rows + other.rows)


@dataclass(frozen=True)
class Reducer(Generic[T]):
    """From the named columns of a source to a tally. Everything in it can be pickled."""

    columns: tuple[str, ...]
    prepare: Callable[[Batch], T]
    empty: T
    counts_suffice: bool = False

    def over(self, source: Source) -> T:
        """The tally of a source."""
        return fold(source, self.columns, self.prepare, self.empty, counts_suffice=self.counts_suffice)

    def with_rows(self) -> Reducer[Rowed[T]]:
        """The same, counting rows."""
        prepare = partial(_rowed, prepare=self.prepare)
        return Reducer(self.columns, prepare, Rowed(self.empty), self.counts_suffice)


def _rowed(batch: Batch, prepare: Callable[[Batch], Any]) -> Rowed[Any]:
    rows = len(batch) if batch.repeats is None else int(batch.repeats.sum())
    return Rowed(prepare(batch), rows)
