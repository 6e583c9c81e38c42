"""How much one more case in a cell moves a measure: the derivative behind the delta method."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.decisions.computing import Resolved, label_view
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.views import LabelView, Marginals, marginals
from edgeworth.errors import OptionError

STEP = 1e-30
"""An imaginary step has no rounding error to balance, so it may be as small as one likes."""

MOST_ENTRIES = 1 << 20


def influence(table: ContingencyTable, resolved: Resolved) -> NDArray[np.float64]:
    """d measure / d cell, for every cell (K+1, K) including the abstentions; centred over the cases.

    Centring makes Σ cells·influence 0, as it is by itself for every measure of proportions.
    """
    cells = table.cells.astype(np.float64)
    slopes = _slopes(cells, resolved)
    slopes = np.where(cells > 0, slopes, 0.0)
    total = cells.sum()
    return np.where(cells > 0, slopes - (cells * slopes).sum() / total, 0.0)


def variance(table: ContingencyTable, resolved: Resolved) -> float:
    """The delta method's variance: Σ count·influence², Σw²·influence², or sums within clusters squared."""
    slopes = influence(table, resolved)
    if table.clusters is not None:
        number = table.clusters.number
        cluster, cell, weight = table.clusters.cells(table.labels)
        sums = np.bincount(cluster, weights=weight * slopes.ravel()[cell], minlength=number)
        return float(number / (number - 1) * (sums**2).sum()) if number > 1 else float("nan")
    weight = table.cells if table.squared is None else table.squared
    return float((weight * slopes**2).sum())


def _slopes(cells: NDArray[np.float64], resolved: Resolved) -> NDArray[Any]:
    if resolved.measure.scope == "cells":
        if resolved.measure.gradient is None:
            raise OptionError(
                f"{resolved.spelling} has no derivative to use: estimate it with method=Bootstrap()"
            )
        inner = resolved.measure.gradient(cells[:-1])
        # These gradients hold up to a constant; on decided cases alone, abstentions must not fix it.
        inner = inner - (cells[:-1] * inner).sum() / cells[:-1].sum()
        return np.vstack([inner, np.zeros((1, cells.shape[1]))])
    view = marginals(cells)
    if resolved.position is not None:
        return _label_slopes(cells, resolved, label_view(view, resolved.position), resolved.position)
    return _overall_slopes(cells, resolved, view)


def _label_slopes(
    cells: NDArray[np.float64], resolved: Resolved, view: LabelView, position: int
) -> NDArray[np.float64]:
    """A label's measure depends on four numbers: its hits, its row, its column and the total."""
    step = 1j * STEP * np.eye(4)
    moved = LabelView(
        view.hits + step[0], view.predicted + step[1], view.real + step[2], view.total + step[3]
    )
    hits, row, column, total = resolved.of_view(moved).imag / STEP
    slopes = np.full(cells.shape, total)
    slopes[position] += row
    slopes[:-1, position] += column
    slopes[position, position] += hits
    slopes[-1] = 0.0
    return slopes


def _overall_slopes(cells: NDArray[np.float64], resolved: Resolved, view: Marginals) -> NDArray[np.float64]:
    """A table's measure depends on its diagonal and margins, so K·4 derivatives stand for K·(K+1)."""
    size = cells.shape[1]
    parts = {}
    chunk = max(1, MOST_ENTRIES // max(size, 1))
    for name in ("hits", "predicted", "real", "abstained"):
        base = getattr(view, name)
        found = np.empty(size)
        for start in range(0, size, chunk):
            moved = np.arange(start, min(start + chunk, size))
            shifted = np.broadcast_to(base, (len(moved), size)).astype(np.complex128)
            shifted[np.arange(len(moved)), moved] += 1j * STEP
            found[moved] = resolved.of_view(replace(_spread(view, len(moved)), **{name: shifted})).imag / STEP
        parts[name] = found
    slopes = np.empty(cells.shape)
    slopes[:-1] = parts["predicted"][:, None] + parts["real"][None, :] + np.diag(parts["hits"])
    slopes[-1] = parts["abstained"]
    return slopes


def _spread(view: Marginals, rows: int) -> Marginals:
    size = view.hits.shape[-1]
    return Marginals(
        *(
            np.broadcast_to(part, (rows, size))
            for part in (view.hits, view.predicted, view.real, view.abstained)
        )
    )
