"""Weights of shards: whole numbers in one and fractions in the next are all sampling weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Self

from edgeworth.sources.batches import Batch, Source, fold
from edgeworth.sources.weights import as_weights


@dataclass(frozen=True)
class _Wholeness:
    """Whether every weight so far was a whole number: the smallest of tallies."""

    is_whole: bool = True

    def __add__(self, other: Self) -> Self:
        return self if not self.is_whole else other


def weights_are_whole(source: Source, column: str) -> bool:
    """Whether every weight is a whole number, by its type or as it is written: a pass over that column."""
    return fold(source, [column], partial(_wholeness, column=column), _Wholeness()).is_whole


def _wholeness(batch: Batch, column: str) -> _Wholeness:
    return _Wholeness(as_weights(batch.columns[column], column).dtype.kind == "i")
