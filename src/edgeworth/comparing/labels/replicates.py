"""Replicates of two predictors' tables, made again from the combinations of cells that occurred together.

A replicate is a weight for each unit: how often a combination (or a whole group) was drawn, what a posterior
gives it, how much of it is swapped. Both tables follow from the same weights, so that pairing is kept; and
all that most measures see of a table, its diagonal and margins, is a sum over units, so that no table is
made. Replicates are made once and serve every measure of the same cells.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats
from edgeworth.comparing.labels.joint_cells import JointCells, Places
from edgeworth.decisions.computing import Resolved, label_view
from edgeworth.decisions.views import Marginals
from edgeworth.errors import OptionError
from edgeworth.progress import told_rounds

AT_ONCE = 1 << 22
"""Numbers drawn at once; more draws go in several rounds."""

MOST_NUMBERS = 1 << 24
FEWEST_DRAWS = 1_000
"""With very many units there are fewer draws, down to this many."""

Draw: TypeAlias = Callable[[int], NDArray[Any]]
"""Weights of that many replicates, a unit in each row."""


@dataclass(frozen=True)
class Replicates:
    """What a measure sees of many first tables, and of the second ones: a replicate in each row."""

    first: Floats
    second: Floats
    size: int
    """How many labels there are."""

    def differences(self, resolved: Resolved, without_value: float = math.nan) -> Floats:
        """The first's value less the second's; one that is undefined counts as ``without_value``."""
        first, second = (
            resolved.of_view(_view(seen, self.size, resolved)) for seen in (self.first, self.second)
        )
        if not math.isnan(without_value):
            first, second = (np.where(np.isnan(each), without_value, each) for each in (first, second))
        return np.asarray(first - second)


def bootstrap(cells: JointCells, resolved: Resolved, draws: int, seed: int) -> Floats:
    """Differences of cases drawn with replacement, one multinomial draw a replicate; or of whole groups."""
    if cells.groups is None and not cells.is_counted:
        raise OptionError("a bootstrap needs cases that count alike; with sampling weights use Delta()")
    unit, weight = units_of(cells)
    number = int(unit.max()) + 1
    if cells.groups is not None and number < 2:
        raise OptionError("all cases are in one group: there is nothing to resample")
    size = int(cells.weight.sum()) if cells.groups is None else number
    shares = cells.weight / size if cells.groups is None else np.full(number, 1 / number)

    def make() -> Replicates:
        rng = np.random.default_rng(seed)
        first, second = (seen(cells, place, unit, weight, resolved) for place in cells.places)
        return replicate(
            lambda n: rng.multinomial(size, shares, size=n).T,
            first,
            second,
            draws,
            len(cells.tables[0].labels),
        )

    return remembered(cells, ("bootstrap", draws, seed), resolved, make).differences(resolved)


def posterior(cells: JointCells, resolved: Resolved, prior: float, draws: int, seed: int) -> Floats:
    """Differences of draws from the Dirichlet posterior of the joint cells.

    ``prior`` cases are spread evenly over the combinations seen and their mirror images, the two predictors
    exchanged: it favours neither, and does not grow with the cube of the labels. For two classes with all
    combinations seen, 2 cases are ¼ on each of 8, which gives wins and losses Goutte & Gaussier's ½ each,
    and each cell of a predictor's table Jeffreys' ½.
    """
    if not cells.is_plain:
        raise OptionError("the posterior takes cases as independent and alike; use Delta() or Bootstrap()")

    def make() -> Replicates:
        one, two = cells.places
        size = cells.tables[0].cells.size
        every, where = np.unique(np.concatenate([one * size + two, two * size + one]), return_inverse=True)
        shape = np.full(len(every), prior / len(every))
        shape += np.bincount(where[: len(one)], weights=cells.weight, minlength=len(every))
        rng, total = np.random.default_rng(seed), float(cells.weight.sum())

        def draw(number: int) -> Floats:
            drawn = rng.standard_gamma(shape[:, None], size=(len(shape), number))
            return np.asarray(drawn * (total / drawn.sum(axis=0)))

        unit, weight = np.arange(len(every)), np.ones(len(every))
        first, second = (seen(cells, place, unit, weight, resolved) for place in np.divmod(every, size))
        return replicate(draw, first, second, draws, len(cells.tables[0].labels))

    return remembered(cells, ("posterior", prior, draws, seed), resolved, make).differences(resolved)


def units_of(cells: JointCells) -> tuple[Places, Floats]:
    """The unit of each combination and its weight there: a group with all it weighs, or a case by itself."""
    if cells.groups is None:
        return np.arange(len(cells.weight)), np.ones(len(cells.weight))
    _, group = np.unique(cells.groups, return_inverse=True)
    return group, cells.weight.astype(np.float64)


def seen(cells: JointCells, place: Places, unit: Places, weight: Floats, resolved: Resolved) -> Any:
    """What each unit adds to what a measure sees of a table (sparse, a unit in each column).

    Hits, predictions, real cases and abstentions of each label, or every cell where a measure wants those.
    """
    from scipy import sparse

    size = len(cells.tables[0].labels)
    number = int(unit.max()) + 1 if len(unit) else 0
    if resolved.measure.scope == "cells":
        rows, columns, values = place, unit, weight
        return sparse.csr_array((values, (rows, columns)), shape=((size + 1) * size, number))
    predicted, real = cells.split(place)
    decided = predicted < size
    parts = [(real, decided & (predicted == real)), (predicted, decided), (real, decided), (real, ~decided)]
    rows = np.concatenate([label[where] + block * size for block, (label, where) in enumerate(parts)])
    columns, values = (np.concatenate([each[where] for _, where in parts]) for each in (unit, weight))
    return sparse.csr_array((values, (rows, columns)), shape=(4 * size, number))


def replicate(draw: Draw, first: Any, second: Any, draws: int, size: int) -> Replicates:
    """Many replicates from what each unit adds."""
    at_once = max(1, AT_ONCE // max(first.shape[1], 1))
    parts: list[tuple[Floats, Floats]] = []
    for start in told_rounds(draws, at_once, "draws"):
        weights = np.ascontiguousarray(draw(min(at_once, draws - start)), dtype=np.float64)
        parts.append(((first @ weights).T, (second @ weights).T))
    return Replicates(np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts]), size)


def affordable(draws: int, units: int) -> int:
    """Fewer draws where each of them is of very many numbers."""
    return min(draws, max(FEWEST_DRAWS, MOST_NUMBERS // max(units, 1)))


def remembered(
    cells: JointCells, key: tuple[Any, ...], resolved: Resolved, make: Callable[[], Replicates]
) -> Replicates:
    """Replicates made before from the same cells, or new ones."""
    whole = (*key, resolved.measure.scope == "cells")
    if whole not in cells.memory:
        cells.memory[whole] = make()
    found = cells.memory[whole]
    assert isinstance(found, Replicates)
    return found


def _view(flat: Floats, size: int, resolved: Resolved) -> Any:
    if resolved.measure.scope == "cells":
        return flat.reshape(-1, size + 1, size)[:, :-1, :]
    view = Marginals(*(flat[:, block * size : (block + 1) * size] for block in range(4)))
    return view if resolved.position is None else label_view(view, resolved.position)
