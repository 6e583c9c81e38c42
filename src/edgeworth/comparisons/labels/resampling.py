"""Replicates of two predictors' tables, made again from the combinations of cells that occurred together.

A replicate is a weight for each unit: how often a combination (or a whole cluster) was drawn, what a
posterior gives it, how much of it is swapped. Both tables follow from the same weights, so that pairing is
kept; and all that most measures see of a table, its diagonal and margins, is a sum over units, so that no
table is made. Replicates are made once and serve every measure of the same cells."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from edgeworth.common.arrays import Floats, Integers
from edgeworth.common.progress import track_rounds
from edgeworth.comparisons.labels.joint_cells import JointCells, Places
from edgeworth.decisions.views import LabelView, Marginals, Resolved, label_view
from edgeworth.errors import OptionError

if TYPE_CHECKING:
    from scipy.sparse import csc_array, csr_array

SparseCounts: TypeAlias = "csr_array[np.float64, tuple[int, int]]"
"""What each unit (a column) adds to the margins or cells of a table (rows)."""

SparseTranspose: TypeAlias = "csc_array[np.float64]"

View: TypeAlias = Marginals | LabelView | Floats
"""What a measure is computed from: margins, those of one label, or cells."""

MAX_NUMBERS_AT_ONCE = 1 << 22
"""Numbers drawn at once; more draws go in several rounds."""

MAX_NUMBERS_DRAWN = 1 << 24
MIN_DRAWS = 1_000
"""With very many units there are fewer draws, down to this many."""

Draw: TypeAlias = Callable[[int], Floats | Integers]
"""Weights of that many replicates, a unit in each row."""


@dataclass(frozen=True)
class Replicates:
    """What a measure sees of many first tables, and of the second ones: a replicate in each row."""

    first: Floats
    second: Floats
    size: int
    """How many labels there are."""

    def differences(self, resolved: Resolved, without_value: float = math.nan) -> Floats:
        """Compute first less second; an undefined value counts as ``without_value``."""
        first, second = (
            resolved.of_view(view_of(seen, self.size, resolved)) for seen in (self.first, self.second)
        )
        if not math.isnan(without_value):
            first, second = (np.where(np.isnan(values), without_value, values) for values in (first, second))
        return np.asarray(first - second)


def bootstrap(cells: JointCells, resolved: Resolved, draws: int, seed: int) -> Floats:
    """Draw cases (or whole clusters) with replacement and compute the difference in each replicate."""
    if cells.clusters is None and not cells.is_counted:
        raise OptionError("a bootstrap needs cases that count alike; with sampling weights use Delta()")
    unit, weight = units_of(cells)
    number = int(unit.max()) + 1
    if cells.clusters is not None and number < 2:
        raise OptionError("all cases are in one cluster: there is nothing to resample")
    size = int(cells.weight.sum()) if cells.clusters is None else number
    shares = cells.weight / size if cells.clusters is None else np.full(number, 1 / number)

    def make() -> Replicates:
        rng = np.random.default_rng(seed)
        first, second = (
            contributions(cells, positions, unit, weight, resolved) for positions in cells.places
        )
        return replicate(lambda n: rng.multinomial(size, shares, size=n).T, first, second, draws, cells.size)

    key = ("bootstrap", draws, seed, resolved.measure.scope == "cells")
    return _cached_replicates(cells, key, make).differences(resolved)


def posterior(cells: JointCells, resolved: Resolved, prior: float, draws: int, seed: int) -> Floats:
    """Draw differences from the Dirichlet posterior of the joint cells.

    ``prior`` cases are spread evenly over the combinations seen and their mirror images, the two predictors
    exchanged: it favours neither, and does not grow with the cube of the labels. For two classes with all
    combinations seen, 2 cases are ¼ on each of 8, which gives wins and losses Goutte & Gaussier's ½ each,
    and each cell of a predictor's table Jeffreys' ½.
    """
    if not cells.is_plain:
        raise OptionError("the posterior takes cases as independent and alike; use Delta() or Bootstrap()")

    def make() -> Replicates:
        first_positions, second_positions = cells.places
        size = cells.tables[0].cells.size
        every, where = np.unique(
            np.concatenate(
                [first_positions * size + second_positions, second_positions * size + first_positions]
            ),
            return_inverse=True,
        )
        shape = np.full(len(every), prior / len(every))
        shape += np.bincount(where[: len(first_positions)], weights=cells.weight, minlength=len(every))
        rng, total = np.random.default_rng(seed), float(cells.weight.sum())

        def draw(number: int) -> Floats:
            drawn = rng.standard_gamma(shape[:, None], size=(len(shape), number))
            return np.asarray(drawn * (total / drawn.sum(axis=0)))

        unit, weight = np.arange(len(every)), np.ones(len(every))
        first, second = (
            contributions(cells, positions, unit, weight, resolved) for positions in np.divmod(every, size)
        )
        return replicate(draw, first, second, draws, cells.size)

    key = ("posterior", prior, draws, seed, resolved.measure.scope == "cells")
    return _cached_replicates(cells, key, make).differences(resolved)


def _cached_replicates(cells: JointCells, key: Hashable, make: Callable[[], Replicates]) -> Replicates:
    """Return the replicates that an earlier measure of these cells made, or make them."""
    if key not in cells.cached_replicates:
        replicates = make()
        cells.cached_replicates[key] = replicates.first, replicates.second
    return Replicates(*cells.cached_replicates[key], cells.size)


def units_of(cells: JointCells) -> tuple[Places, Floats]:
    """Find the unit of each combination (a cluster or the combination itself) and its weight there."""
    if cells.clusters is None:
        return np.arange(len(cells.weight)), np.ones(len(cells.weight))
    _, cluster = np.unique(cells.clusters, return_inverse=True)
    return cluster, cells.weight.astype(np.float64)


def contributions(
    cells: JointCells, positions: Places, unit: Places, weight: Floats, resolved: Resolved
) -> SparseCounts:
    """Compute what each unit adds to the margins of a table (sparse, a unit in each column).

    Hits, predictions, real cases and abstentions of each label, or every cell if a measure needs those.
    """
    from scipy import sparse

    size = cells.size
    number = int(unit.max()) + 1 if len(unit) else 0
    if resolved.measure.scope == "cells":
        return sparse.csr_array((weight, (positions, unit)), shape=((size + 1) * size, number))
    predicted, real = cells.split(positions)
    decided = predicted < size
    parts = [(real, decided & (predicted == real)), (predicted, decided), (real, decided), (real, ~decided)]
    rows = np.concatenate([label[where] + block * size for block, (label, where) in enumerate(parts)])
    columns, values = (np.concatenate([values[where] for _, where in parts]) for values in (unit, weight))
    return sparse.csr_array((values, (rows, columns)), shape=(4 * size, number))


def replicate(draw: Draw, first: SparseCounts, second: SparseCounts, draws: int, size: int) -> Replicates:
    """Make many replicates from what each unit adds."""
    at_once = max(1, MAX_NUMBERS_AT_ONCE // max(first.shape[1], 1))
    parts: list[tuple[Floats, Floats]] = []
    for start in track_rounds(draws, at_once, "draws"):
        weights = np.ascontiguousarray(draw(min(at_once, draws - start)), dtype=np.float64)
        parts.append((multiply(first, weights).T, multiply(second, weights).T))
    return Replicates(np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts]), size)


def multiply(counts: SparseCounts | SparseTranspose, weights: Floats) -> Floats:
    """Multiply sparse counts by a matrix; the product is not sparse."""
    return np.asarray(counts @ weights)


def affordable_draws(draws: int, units: int) -> int:
    """Lower the number of draws if each draw takes very many random numbers."""
    return min(draws, max(MIN_DRAWS, MAX_NUMBERS_DRAWN // max(units, 1)))


def view_of(flat: Floats, size: int, resolved: Resolved) -> View:
    """View tables in rows, each of margins or of cells, as the measure does."""
    if resolved.measure.scope == "cells":
        return flat.reshape(-1, size + 1, size)[:, :-1, :]
    return view_of_margins(np.split(flat, 4, axis=1), resolved)


def view_of_margins(parts: Sequence[Floats], resolved: Resolved) -> Marginals | LabelView:
    """View hits, predictions, real cases and abstentions, one column per label, as the measure does."""
    view = Marginals(*parts)
    return view if resolved.position is None else label_view(view, resolved.position)
