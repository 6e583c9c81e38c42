"""Counting rows: from a source and its columns to a tally, in one pass that all kinds share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from edgeworth.sources.batches import Reducer, Source
from edgeworth.sources.roles import find_source, resolve_weight_kind, weights_are_whole


@dataclass(frozen=True)
class Counted:
    """A tally as it was counted, and what is known of how."""

    tally: Any
    source: str
    columns: Mapping[str, str]
    rows: int | None = None
    is_text: bool = False
    has_whole_weights: bool | None = None
    """Whether all weights were whole numbers, where that is yet to be decided with other parts."""


def count_rows(
    source: Source | None,
    roles: Mapping[str, Any],
    needed: tuple[str, ...],
    weight_kind: Any,
    reducer: Callable[..., Reducer[Any]],
    *,
    is_final: bool,
) -> Counted:
    """Fold a source into a tally; what is not final counts its rows too, and leaves weights undecided."""
    source, columns = find_source(source, needed, **roles)
    if is_final:
        kind = resolve_weight_kind(source, columns, weight_kind)
        tally = reducer(columns, is_text=source.is_text, weight_kind=kind).fold(source)
        return Counted(tally, source.name, columns, is_text=source.is_text)
    whole = None
    if "weight" in columns and weight_kind is None:
        whole, weight_kind = weights_are_whole(source, columns["weight"]), "sampling"
    folded = reducer(columns, is_text=source.is_text, weight_kind=weight_kind).with_rows().fold(source)
    return Counted(folded.tally, source.name, columns, folded.rows, source.is_text, whole)
