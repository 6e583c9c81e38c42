"""Columns of a source read into memory, for what needs all rows at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.core.labels import parse_labels
from edgeworth.errors import InputError
from edgeworth.sources.batches import Source
from edgeworth.sources.columns import MISSING, Coded, Label, encode
from edgeworth.sources.numbers import stack_columns
from edgeworth.sources.opening import open_source


@dataclass(frozen=True)
class WholeColumns:
    """Columns that were read whole, labels and numbers, and the name of their source."""

    labels: Mapping[str, Coded]
    numbers: Mapping[str, NDArray[np.float64]]
    name: str


def read_whole(data: Any, labels: Sequence[str], numbers: Sequence[str]) -> WholeColumns:
    """Read columns of a file or frame into memory; missing labels are refused."""
    source = open_source(data)
    wanted = list(dict.fromkeys([*labels, *numbers]))
    found: dict[str, list[Coded]] = {name: [] for name in labels}
    tables = []
    for batch in source.batches(wanted):
        for name in labels:
            coded = encode(batch.columns[name], name)
            if (coded.codes == MISSING).any():
                row = batch.first_row + int(np.argmax(coded.codes == MISSING))
                raise InputError(f"{name} is missing in row {row:,}: drop such rows beforehand")
            found[name].append(coded)
        if numbers:
            columns = [batch.columns[name] for name in numbers]
            tables.append(stack_columns(columns, list(numbers), batch.first_row))
    whole = np.concatenate(tables) if tables else np.zeros((0, 0))
    return WholeColumns(
        {name: _join(parts, source) for name, parts in found.items()},
        {name: whole[:, place] for place, name in enumerate(numbers)},
        source.name,
    )


def _join(parts: Sequence[Coded], source: Source) -> Coded:
    """Join the batches of a column; labels of a text file become numbers where all of them are."""
    place: dict[Label, int] = {}
    codes = []
    for part in parts:
        table = np.array([place.setdefault(label, len(place)) for label in part.labels], dtype=np.intp)
        codes.append(table[part.codes] if len(table) else part.codes)
    labels = tuple(place)
    return Coded(np.concatenate(codes), tuple(parse_labels(labels)) if source.is_text else labels)
