"""Read rows into a tally in one pass, for every kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.choices import WeightKind
from edgeworth.core.labels import parse_labels
from edgeworth.core.tallies import Tally
from edgeworth.sources.batches import Reducer, Source
from edgeworth.sources.column_roles import find_source, sum_weights
from edgeworth.sources.columns import Coded, concatenate, encode, encode_all
from edgeworth.sources.numbers import stack_columns
from edgeworth.sources.opening import open_source

ReadT = TypeVar("ReadT", bound=Tally, covariant=True)
TallyT = TypeVar("TallyT", bound=Tally)


@dataclass(frozen=True)
class Counted(Generic[ReadT]):
    """A tally as it was read, with its source and columns."""

    tally: ReadT
    source: str
    columns: Mapping[str, str]
    rows: int | None = None
    is_text: bool = False
    has_whole_weights: bool | None = None
    """Whether all weights were whole numbers, if other parts may still decide that."""


class ReducerMaker(Protocol[TallyT]):
    """Makes the reducer of a kind, once the columns are known."""

    def __call__(
        self, columns: Mapping[str, str], *, is_text: bool, weight_kind: WeightKind | None
    ) -> Reducer[TallyT]: ...


def count_source(
    source: Source | None,
    roles: Mapping[str, object],
    needed: tuple[str, ...],
    weight_kind: WeightKind | None,
    reducer: ReducerMaker[TallyT],
    *,
    is_final: bool,
) -> Counted[TallyT]:
    """Fold a source into a tally; one that is not final counts rows too, and leaves the weight kind open."""
    source, columns = find_source(source, needed, **roles)
    whole = None
    if not is_final and "weight" in columns and weight_kind is None:
        whole, weight_kind = sum_weights(source, columns["weight"])[0], "sampling"
    tally, rows = reducer(columns, is_text=source.is_text, weight_kind=weight_kind).fold_rows(source)
    return Counted(tally, source.name, columns, None if is_final else rows, source.is_text, whole)


@dataclass(frozen=True)
class WholeColumns:
    """Columns that were read whole, labels and numbers, and the name of their source."""

    labels: Mapping[str, Coded]
    numbers: Mapping[str, NDArray[np.float64]]
    name: str


def read_whole(
    data: object,
    labels: Sequence[str],
    numbers: Sequence[str],
    *,
    may_be_missing: Sequence[str] = (),
    advice: str = "drop such rows beforehand",
) -> WholeColumns:
    """Read columns of a file or frame into memory; raise an error if other labels are missing."""
    source = open_source(data)
    wanted = list(dict.fromkeys([*labels, *numbers]))
    label_parts: dict[str, list[Coded]] = {name: [] for name in labels}
    tables = []
    for batch in source.batches(wanted):
        for name in labels:
            column = batch.columns[name]
            is_free = name in may_be_missing
            coded = encode(column, name) if is_free else encode_all(column, name, batch.first_row, advice)
            label_parts[name].append(coded)
        if numbers:
            columns = [batch.columns[name] for name in numbers]
            tables.append(stack_columns(columns, list(numbers), batch.first_row))
    whole = np.concatenate(tables) if tables else np.zeros((0, 0))
    return WholeColumns(
        {name: _join(parts, source) for name, parts in label_parts.items()},
        {name: whole[:, index] for index, name in enumerate(numbers)},
        source.name,
    )


def _join(parts: Sequence[Coded], source: Source) -> Coded:
    """Join the batches of a column; labels of a text file become numbers if all of them are."""
    whole = encode(concatenate(parts), "")
    return Coded(whole.codes, tuple(parse_labels(whole.labels))) if source.is_text else whole
