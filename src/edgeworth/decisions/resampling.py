"""Bootstrap and posterior draws of a measure, and its influence function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from edgeworth.common.arrays import Floats, Numbers
from edgeworth.common.progress import track_rounds
from edgeworth.core.clusters import ClusterSpread, cluster_variance_of_ratios
from edgeworth.decisions.clusters import Clusters
from edgeworth.decisions.margin_slopes import margin_slopes
from edgeworth.decisions.policy import MAX_UNDEFINED_SHARE_OF_DRAWS
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.views import LabelView, Marginals, Resolved, marginals
from edgeworth.errors import OptionError

RELATIVE_ROUNDING_ERROR = 1e-12
"""Draws that differ by no more than this share of their value are the same."""

MAX_CELLS_AT_ONCE = 1 << 22
"""The most cells held at once; more draws go in several rounds."""


def bootstrap_values(table: ContingencyTable, resolved: Resolved, draws: int, seed: int) -> Floats:
    """Compute the measure of tables drawn with replacement, one multinomial draw per replicate."""
    rng = np.random.default_rng(seed)
    cells = table.cells.ravel().astype(np.float64)
    occupied = np.flatnonzero(cells)
    size = round(cells.sum())
    shares = cells[occupied] / cells.sum()

    def draw(number: int) -> Floats:
        drawn = np.zeros((number, cells.size))
        drawn[:, occupied] = rng.multinomial(size, shares, size=number)
        return drawn.reshape(number, *table.cells.shape)

    return _measure_draws(draw, resolved, draws, cells.size)


def posterior_values(
    table: ContingencyTable,
    resolved: Resolved,
    prior: float | None,
    draws: int,
    seed: int,
    sizes: Floats | None = None,
) -> Floats:
    """Compute the measure of tables drawn from the Dirichlet posterior.

    ``sizes`` are the effective numbers of independent cases of each class.
    """
    rng = np.random.default_rng(seed)
    weight = 1 / max(len(table.labels), 1) if prior is None else prior
    shape = table.cells.astype(np.float64)
    real = shape.sum(axis=0)
    # The classes keep their shares of the cases.
    scale = np.where(real > 0, real / np.maximum(real if sizes is None else sizes, 1e-300), 1.0)
    shape /= scale
    shape[:-1] += weight
    if table.abstained.any():
        shape[-1] += weight
    total = float(table.cells.sum())

    def draw(number: int) -> Floats:
        drawn = rng.standard_gamma(shape, size=(number, *shape.shape)) * scale
        return np.asarray(drawn * (total / drawn.sum(axis=(1, 2), keepdims=True)))

    return _measure_draws(draw, resolved, draws, shape.size)


def cluster_bootstrap_values(
    table: ContingencyTable, clusters: Clusters, resolved: Resolved, draws: int, seed: int
) -> Floats:
    """Compute the measure of tables made of clusters drawn with replacement."""
    from scipy import sparse

    if clusters.number < 2:
        raise OptionError("all cases are in one cluster: there is nothing to resample")
    rng = np.random.default_rng(seed)
    cluster, cell, weight = clusters.cells(table.labels)
    size = table.cells.size
    by_cluster = sparse.csr_array((weight.astype(np.float64), (cluster, cell)), shape=(clusters.number, size))
    even = np.full(clusters.number, 1 / clusters.number)

    def draw(number: int) -> Floats:
        chosen = rng.multinomial(clusters.number, even, size=number)
        return np.asarray(chosen @ by_cluster).reshape(number, *table.cells.shape)

    return _measure_draws(draw, resolved, draws, max(size, clusters.number))


def _measure_draws(draw: Callable[[int], Floats], resolved: Resolved, draws: int, entries: int) -> Floats:
    rounds = max(1, MAX_CELLS_AT_ONCE // max(entries, 1))
    parts = [
        resolved.values(draw(min(rounds, draws - start))) for start in track_rounds(draws, rounds, "draws")
    ]
    return np.concatenate(parts)


def defined_draws(values: Floats, spelling: str) -> tuple[Floats, int]:
    """Return the draws with a value and the number without one.

    Raise an error if too many draws have no value, or if all values are the same."""
    defined = values[~np.isnan(values)]
    undefined = len(values) - len(defined)
    if undefined > MAX_UNDEFINED_SHARE_OF_DRAWS * len(values):
        raise OptionError(
            f"{spelling} is undefined in {undefined:,} of {len(values):,} draws, too many to exclude"
        )
    # Differences of this size are rounding.
    if np.ptp(defined) <= RELATIVE_ROUNDING_ERROR * max(1.0, abs(float(defined[0]))):
        raise OptionError("every replicate has the same value, so the variance cannot be estimated")
    return defined, undefined


IMAGINARY_STEP = 1e-30
"""The imaginary step of a numerical derivative, which may be tiny because it has no rounding error."""

MAX_DERIVATIVES_AT_ONCE = 1 << 20
"""The most derivatives of margins that are held at once."""

MAX_CLUSTER_SUMS = 1 << 24
"""The most sums of a class or a proportion in a cluster that are held at once."""

MIN_LABELS_FOR_CLOSED_FORM = 200
"""With more labels a measure with a closed form is differentiated by all margins at once."""

MIN_VARIANCE = 1e-24
"""A variance below this is rounding error."""


def influence(table: ContingencyTable, resolved: Resolved) -> Floats:
    """Compute d measure / d cell for every cell (K+1, K), abstentions too, centred over the cases.

    Centring makes Σ cells·influence 0, as it is by itself for every measure of proportions.
    """
    cells = table.cells.astype(np.float64)
    slopes = np.where(cells > 0, _slopes(cells, resolved), 0.0)
    return np.where(cells > 0, slopes - (cells * slopes).sum() / cells.sum(), 0.0)


def variance(table: ContingencyTable, resolved: Resolved) -> float:
    """Compute the delta method's variance: Σ count·influence², Σw²·influence², or that of clusters."""
    if table.clusters is not None:
        return cluster_spread(table, table.clusters, resolved).variance
    weight = table.cells if table.squared is None else table.squared
    if len(table.labels) > MIN_LABELS_FOR_CLOSED_FORM:
        closed = margin_slopes(resolved, marginals(table.cells))
        if closed is not None:
            return _variance_of_occupied(table.cells, weight, *(np.nan_to_num(x, nan=0.0) for x in closed))
    return float((weight * influence(table, resolved) ** 2).sum())


def _variance_of_occupied(
    cells: Numbers,
    weight: Numbers,
    hits: Floats,
    predicted: Floats,
    real: Floats,
    abstained: Floats,
) -> float:
    """Compute the variance over occupied cells. With many labels, most cells are empty."""
    row, column = np.nonzero(cells)
    is_decided = row < len(hits)
    row_label = np.minimum(row, len(hits) - 1)
    slopes = np.where(is_decided, predicted[row_label] + real[column], abstained[column])
    slopes += np.where(is_decided & (row == column), hits[column], 0.0)
    counts = cells[row, column].astype(np.float64)
    centred = slopes - float(counts @ slopes) / float(counts.sum())
    return float((weight[row, column] * centred**2).sum())


def cluster_spread(table: ContingencyTable, clusters: Clusters, resolved: Resolved) -> ClusterSpread:
    """Compute the variance of sums within clusters by CR2, each class with its own leverage.

    A cluster pulls the predictions of a class towards its own by its share of that class, and the shares of
    the classes by its share of all cases.
    """
    if clusters.number < 2:
        return ClusterSpread(float("nan"), 0.0, 1.0)
    slopes = influence(table, resolved).ravel()
    cluster, cell, weight = clusters.cells(table.labels)
    # Too many classes and clusters to keep apart are taken as one class.
    width = len(table.labels) if len(table.labels) * clusters.number <= MAX_CLUSTER_SUMS else 1
    sum_index, shape = cluster * width + cell % width, (clusters.number, width)
    cases, sums, squares = (
        np.bincount(sum_index, weights=weight * slopes[cell] ** power, minlength=shape[0] * width).reshape(
            shape
        )
        for power in (0, 1, 2)
    )
    totals = np.maximum(cases.sum(axis=0), 1e-300)
    means = sums.sum(axis=0) / totals
    # If only one cluster has a class, or none, the variance of its predictions is unknown.
    largest_share = (cases / totals).max(axis=0)
    is_shared = (largest_share > 0) & (largest_share < 1)
    within, between = (sums - cases * means)[:, is_shared], cases @ means
    variances = np.maximum(squares.sum(axis=0) / totals - means**2, 0)[is_shared]
    cluster_sizes = cases.sum(axis=1)
    return cluster_variance_of_ratios(
        np.column_stack([within, between]),
        np.column_stack([cases[:, is_shared], cluster_sizes]),
        np.append(totals[is_shared], cluster_sizes.sum()),
        np.append(variances, (totals * means**2).sum() / cluster_sizes.sum()),
    )


def _slopes(cells: Floats, resolved: Resolved) -> Floats:
    if resolved.measure.scope == "cells":
        if resolved.measure.gradient is None:
            raise OptionError(f"{resolved.spelling} has no derivative; use method=Bootstrap()")
        inner = resolved.measure.gradient(cells[:-1])
        # These gradients hold up to a constant; on decided cases alone, abstentions must not fix it.
        inner = inner - (cells[:-1] * inner).sum() / cells[:-1].sum()
        return np.vstack([inner, np.zeros((1, cells.shape[1]))])
    if resolved.position is not None:
        return _label_slopes(cells, resolved, resolved.position)
    return _overall_slopes(cells, resolved, marginals(cells))


def _label_slopes(cells: Floats, resolved: Resolved, position: int) -> Floats:
    """Differentiate a label's measure by its hits, its row, its column, the total and the undecided cases."""
    view = resolved.view(cells)
    parts = (view.hits, view.predicted, view.real, view.total, view.abstained, view.undecided)
    moved = LabelView(
        *(part + step for part, step in zip(parts, 1j * IMAGINARY_STEP * np.eye(6), strict=True))
    )
    hits, row, column, total, abstained, undecided = resolved.of_view(moved).imag / IMAGINARY_STEP
    slopes = np.full(cells.shape, total)
    slopes[position] += row
    slopes[:-1, position] += column
    slopes[position, position] += hits
    slopes[-1] = undecided
    slopes[-1, position] += abstained
    return slopes


def _overall_slopes(cells: Floats, resolved: Resolved, view: Marginals) -> Floats:
    """Differentiate a table's measure by its diagonal and margins: K·4 derivatives give all K·(K+1)."""
    size = cells.shape[1]
    closed = margin_slopes(resolved, view) if size > MIN_LABELS_FOR_CLOSED_FORM else None
    if closed is not None:
        return _slopes_of_cells(*(np.nan_to_num(slopes, nan=0.0) for slopes in closed))
    parts = {}
    chunk = max(1, MAX_DERIVATIVES_AT_ONCE // max(size, 1))
    for name in ("hits", "predicted", "real", "abstained"):
        base = getattr(view, name)
        derivatives = np.empty(size)
        for start in range(0, size, chunk):
            moved = np.arange(start, min(start + chunk, size))
            shifted = np.broadcast_to(base, (len(moved), size)).astype(np.complex128)
            shifted[np.arange(len(moved)), moved] += 1j * IMAGINARY_STEP
            derivatives[moved] = (
                resolved.of_view(replace(_repeat(view, len(moved)), **{name: shifted})).imag / IMAGINARY_STEP
            )
        parts[name] = derivatives
    return _slopes_of_cells(parts["hits"], parts["predicted"], parts["real"], parts["abstained"])


def _slopes_of_cells(hits: Floats, predicted: Floats, real: Floats, abstained: Floats) -> Floats:
    """Add the derivatives by the margins that a case of each cell (K+1, K) belongs to."""
    slopes = np.empty((len(hits) + 1, len(hits)))
    np.add(predicted[:, None], real[None, :], out=slopes[:-1])
    slopes[np.arange(len(hits)), np.arange(len(hits))] += hits
    slopes[-1] = abstained
    return slopes


def _repeat(view: Marginals, rows: int) -> Marginals:
    parts = (view.hits, view.predicted, view.real, view.abstained)
    return Marginals(*(np.broadcast_to(part, (rows, part.shape[-1])) for part in parts))
