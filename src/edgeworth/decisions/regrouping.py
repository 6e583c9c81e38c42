"""Tables made from a table by adding up its rows and columns in another way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from edgeworth.core.joint_counts import Numbers
from edgeworth.errors import InputError
from edgeworth.sources.columns import Label

if TYPE_CHECKING:
    from edgeworth.decisions.table import ContingencyTable

    T = TypeVar("T", bound=ContingencyTable)


def regrouped(table: T, labels: tuple[Label, ...], rows: NDArray[Any], columns: NDArray[Any]) -> T:
    """Every row and column added to a new one; a positive label that goes is no longer declared."""

    def gathered(values: Numbers) -> Numbers:
        cells = np.zeros((len(labels) + 1, len(labels)), dtype=values.dtype)
        np.add.at(cells, (rows[:, None], columns[None, :]), values)
        return cells

    return _with_cells(table, labels, gathered(table.cells), _apply(gathered, table.squared))


def without_empty_labels(table: T) -> T:
    """Labels that were neither predicted nor real left out."""
    seen = (table.cells.sum(axis=0) + table.predicted) > 0
    kept, rows = np.flatnonzero(seen), np.append(np.flatnonzero(seen), len(table.labels))
    labels = tuple(table.labels[index] for index in kept)

    def chosen(values: Numbers) -> Numbers:
        return np.asarray(values[np.ix_(rows, kept)])

    return _with_cells(table, labels, chosen(table.cells), _apply(chosen, table.squared))


def one_against_rest(table: T, index: int) -> T:
    """Two labels: one, and all others as one."""

    def gathered(values: Numbers) -> Numbers:
        by_column = np.stack([values[index], values[:-1].sum(axis=0) - values[index], values[-1]])
        return np.stack([by_column[:, index], by_column.sum(axis=1) - by_column[:, index]], axis=1)

    def not_negative(values: Numbers) -> Numbers:
        # A sum of floats less one of its parts may come out a hair below 0.
        return np.maximum(gathered(values), 0)

    labels = (table.labels[index], f"not {table.labels[index]}")
    found = _with_cells(table, labels, not_negative(table.cells), _apply(not_negative, table.squared))
    if table.clusters is None:
        return found
    place = np.where(np.arange(len(table.labels)) == index, 0, 1)
    return replace(found, clusters=table.clusters.regrouped(table.labels, labels, np.append(place, 2), place))


def transposed(table: T) -> T:
    """Predictions and reality exchanged."""
    if table.abstained.any():
        raise InputError("a table with abstentions cannot be transposed: no class stands for them")

    def turned(values: Numbers) -> Numbers:
        return np.vstack([values[:-1].T, np.zeros((1, len(table.labels)), dtype=values.dtype)])

    found = _with_cells(table, table.labels, turned(table.cells), _apply(turned, table.squared))
    return found if table.clusters is None else replace(found, clusters=table.clusters.transposed())


def _apply(change: Any, squared: Any) -> Any:
    return None if squared is None else change(squared)


def _with_cells(table: T, labels: tuple[Label, ...], cells: Numbers, squared: Any) -> T:
    positive = table.declared_positive if table.declared_positive in labels else None
    return replace(table, labels=labels, cells=cells, squared=squared, declared_positive=positive)
