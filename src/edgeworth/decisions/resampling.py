"""Replicates of a measure: new tables drawn from the observed one, or from its posterior."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from edgeworth.decisions.clusters import Clusters
from edgeworth.decisions.computing import Resolved
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import OptionError
from edgeworth.progress import told_rounds

STREAMS = 4
MOST_ENTRIES = 1 << 22
"""Cells held at once; more draws go in several rounds."""


def bootstrap_values(
    table: ContingencyTable, resolved: Resolved, draws: int, seed: int
) -> NDArray[np.float64]:
    """The measure of tables drawn with replacement: one multinomial draw a replicate, not one a row."""
    # numpy draws without Python's lock: four streams, drawn side by side, take half the time on two cores.
    # Their number is fixed, so the seed alone decides what is drawn.
    streams = np.random.default_rng(seed).spawn(STREAMS)
    cells = table.cells.ravel().astype(np.float64)
    occupied = np.flatnonzero(cells)
    size = round(cells.sum())
    shares = cells[occupied] / cells.sum()

    def draw(number: int) -> NDArray[np.float64]:
        parts = [number // STREAMS + (stream < number % STREAMS) for stream in range(STREAMS)]
        with ThreadPoolExecutor(STREAMS) as pool:
            tables = list(
                pool.map(lambda rng, part: rng.multinomial(size, shares, size=part), streams, parts)
            )
        drawn = np.zeros((number, cells.size))
        drawn[:, occupied] = np.concatenate(tables)
        return drawn.reshape(number, *table.cells.shape)

    return _values(draw, resolved, draws, cells.size)


def posterior_values(
    table: ContingencyTable, resolved: Resolved, prior: float | None, draws: int, seed: int
) -> NDArray[np.float64]:
    """The measure of tables drawn from the Dirichlet posterior."""
    rng = np.random.default_rng(seed)
    weight = 1 / max(len(table.labels), 1) if prior is None else prior
    shape = table.cells.astype(np.float64)
    shape[:-1] += weight
    if table.abstained.any():
        shape[-1] += weight
    total = float(table.cells.sum())

    def draw(number: int) -> NDArray[np.float64]:
        drawn = rng.standard_gamma(shape, size=(number, *shape.shape))
        return np.asarray(drawn * (total / drawn.sum(axis=(1, 2), keepdims=True)))

    return _values(draw, resolved, draws, shape.size)


def cluster_bootstrap_values(
    table: ContingencyTable, clusters: Clusters, resolved: Resolved, draws: int, seed: int
) -> NDArray[np.float64]:
    """The measure of tables made of clusters drawn with replacement."""
    from scipy import sparse

    if clusters.number < 2:
        raise OptionError("all cases are in one cluster: there is nothing to resample")
    rng = np.random.default_rng(seed)
    cluster, cell, weight = clusters.cells(table.labels)
    size = table.cells.size
    by_cluster = sparse.csr_array((weight.astype(np.float64), (cluster, cell)), shape=(clusters.number, size))
    even = np.full(clusters.number, 1 / clusters.number)

    def draw(number: int) -> NDArray[np.float64]:
        chosen = rng.multinomial(clusters.number, even, size=number)
        return np.asarray(chosen @ by_cluster).reshape(number, *table.cells.shape)

    return _values(draw, resolved, draws, max(size, clusters.number))


def _values(
    draw: Callable[[int], NDArray[np.float64]], resolved: Resolved, draws: int, entries: int
) -> NDArray[np.float64]:
    rounds = max(1, MOST_ENTRIES // max(entries, 1))
    parts = [
        resolved.values(draw(min(rounds, draws - start))) for start in told_rounds(draws, rounds, "draws")
    ]
    return np.concatenate(parts)


def defined_draws(values: NDArray[np.float64], spelling: str) -> tuple[NDArray[np.float64], int]:
    """The draws in which the measure has a value, and how many had none; too many of those are an error."""
    defined = values[~np.isnan(values)]
    lost = len(values) - len(defined)
    if lost > 0.05 * len(values):
        raise OptionError(
            f"{spelling} is undefined in {lost:,} of {len(values):,} draws, too many to leave out"
        )
    return defined, lost
