"""Replicates of two predictors' tables, made again from the combinations of cells that occurred together.

A replicate is a weight for each unit: how often a combination (or a whole cluster) was drawn, what a
posterior gives it, how much of it is swapped. Both tables follow from the same weights, so that pairing is
kept; and all that most measures see of a table, its diagonal and margins, is a sum over units, so that no
table is made. Replicates are made once and serve every measure of the same cells."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats
from edgeworth.comparing.labels.joint_cells import JointCells, Places
from edgeworth.comparing.randomisation.classes import worths
from edgeworth.comparing.randomisation.coins import random_heads
from edgeworth.comparing.randomisation.sign_sums import sign_sum_tail
from edgeworth.comparing.randomisation.staircase import Balance, two_class_measure
from edgeworth.core.tails import Tail
from edgeworth.decisions.views import Marginals, Resolved, label_view
from edgeworth.errors import OptionError
from edgeworth.progress import progress_rounds

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
        """Compute first less second; an undefined value counts as ``without_value``."""
        first, second = (
            resolved.of_view(_view(seen, self.size, resolved)) for seen in (self.first, self.second)
        )
        if not math.isnan(without_value):
            first, second = (np.where(np.isnan(each), without_value, each) for each in (first, second))
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
        first, second = (contributions(cells, place, unit, weight, resolved) for place in cells.places)
        return replicate(lambda n: rng.multinomial(size, shares, size=n).T, first, second, draws, cells.size)

    return reuse_replicates(cells, ("bootstrap", draws, seed), resolved, make).differences(resolved)


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
        first, second = (
            contributions(cells, place, unit, weight, resolved) for place in np.divmod(every, size)
        )
        return replicate(draw, first, second, draws, cells.size)

    return reuse_replicates(cells, ("posterior", prior, draws, seed), resolved, make).differences(resolved)


def units_of(cells: JointCells) -> tuple[Places, Floats]:
    """Find the unit of each combination (a cluster or the combination itself) and its weight there."""
    if cells.clusters is None:
        return np.arange(len(cells.weight)), np.ones(len(cells.weight))
    _, cluster = np.unique(cells.clusters, return_inverse=True)
    return cluster, cells.weight.astype(np.float64)


def contributions(cells: JointCells, place: Places, unit: Places, weight: Floats, resolved: Resolved) -> Any:
    """Compute what each unit adds to the margins of a table (sparse, a unit in each column).

    Hits, predictions, real cases and abstentions of each label, or every cell where a measure wants those.
    """
    from scipy import sparse

    size = cells.size
    number = int(unit.max()) + 1 if len(unit) else 0
    if resolved.measure.scope == "cells":
        return sparse.csr_array((weight, (place, unit)), shape=((size + 1) * size, number))
    predicted, real = cells.split(place)
    decided = predicted < size
    parts = [(real, decided & (predicted == real)), (predicted, decided), (real, decided), (real, ~decided)]
    rows = np.concatenate([label[where] + block * size for block, (label, where) in enumerate(parts)])
    columns, values = (np.concatenate([each[where] for _, where in parts]) for each in (unit, weight))
    return sparse.csr_array((values, (rows, columns)), shape=(4 * size, number))


def replicate(draw: Draw, first: Any, second: Any, draws: int, size: int) -> Replicates:
    """Make many replicates from what each unit adds."""
    at_once = max(1, AT_ONCE // max(first.shape[1], 1))
    parts: list[tuple[Floats, Floats]] = []
    for start in progress_rounds(draws, at_once, "draws"):
        weights = np.ascontiguousarray(draw(min(at_once, draws - start)), dtype=np.float64)
        parts.append(((first @ weights).T, (second @ weights).T))
    return Replicates(np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts]), size)


def affordable_draws(draws: int, units: int) -> int:
    """Lower the number of draws where each of them is of very many numbers."""
    return min(draws, max(FEWEST_DRAWS, MOST_NUMBERS // max(units, 1)))


def reuse_replicates(
    cells: JointCells, key: tuple[Any, ...], resolved: Resolved, make: Callable[[], Replicates]
) -> Replicates:
    """Return replicates made before from the same cells, or make them."""
    whole = (*key, resolved.measure.scope == "cells")
    if whole not in cells.memory:
        cells.memory[whole] = make()
    return cast("Replicates", cells.memory[whole])


def _view(flat: Floats, size: int, resolved: Resolved) -> Any:
    if resolved.measure.scope == "cells":
        return flat.reshape(-1, size + 1, size)[:, :-1, :]
    view = Marginals(*(flat[:, block * size : (block + 1) * size] for block in range(4)))
    return view if resolved.position is None else label_view(view, resolved.position)


SAME = 1e-12
"""Rounding may make a swap count as extreme, never as harmless."""

MOST_WAYS = 1 << 15
"""Up to so many swaps that are different in kind, all are gone through."""


def swap_test(cells: JointCells, resolved: Resolved, *, draws: int = 10_000, seed: int = 0) -> Tail:
    """Test a difference by swapping outputs at random: P(one at least as large, either way).

    If neither predictor is better, who said what on a case (on all cases of a cluster, where rows come in
    clusters) is a matter of a coin. All ways are gone through when they are few, otherwise some are drawn. A
    system that a swap leaves without a value has the one of ``without_value``: as a rule 0/0 is 0.
    """
    if cells.clusters is None and not cells.is_counted:
        raise OptionError("randomisation swaps whole cases, and these have sampling weights: use Delta()")
    first, second = cells.values(resolved)
    least = abs(first - second) - SAME * max(1.0, abs(first), abs(second))
    swaps = _Swaps.of(cells, resolved)
    coins = sum(swaps.limits.tolist())
    if not coins:
        return Tail.counted(Fraction(1), "there is nothing to swap")
    said = f"{coins:,} {'cases' if cells.clusters is None else 'clusters'} that differ"
    ways = math.prod(limit + 1 for limit in swaps.limits.tolist())

    def beyond(replicates: Replicates) -> NDArray[np.bool_]:
        gaps = np.abs(replicates.differences(resolved, without_value(resolved)))
        return np.asarray(np.isnan(gaps) | (gaps >= least))

    if ways <= MOST_WAYS:
        swapped = np.stack(np.unravel_index(np.arange(ways), swaps.limits + 1))
        found = swapped[:, beyond(swaps.replicates(lambda _: swapped, ways))].T.tolist()
        # A swap of so many of each unit can be had in a binomial number of ways.
        count = sum(math.prod(map(math.comb, swaps.limits.tolist(), way)) for way in found)
        return Tail.counted(Fraction(count, 2**coins), f"all swaps of {said}")
    number = affordable_draws(draws, len(swaps.limits))

    def make() -> Replicates:
        rng = np.random.default_rng(seed)
        return swaps.replicates(lambda n: random_heads(rng, swaps.limits, n), number)

    count = int(beyond(reuse_replicates(cells, ("swaps", number, seed), resolved, make)).sum())
    method = f"Monte Carlo, {number:,} swaps of {said}, seed {seed}"
    return replace(Tail.drawn(count, number, seed), method=method)


def without_value(resolved: Resolved) -> float:
    """What counts where a swap leaves nothing to divide by: 0/0 is 0, as in trec_eval and scikit-learn.

    That is the worst of a share of successes and the level of guessing for informedness and its kin. Of a
    share of failures (false discovery rate) it is the other end, 1. A measure without bounds has none (nan),
    and such a swap counts as extreme.
    """
    low, high = resolved.measure.range
    if not (math.isfinite(low) and math.isfinite(high)):
        return math.nan
    return high if resolved.measure.direction == "lower" and low >= 0 else 0.0


@dataclass(frozen=True)
class _Swaps:
    """Units (cases alike but for who said what) that can be swapped, how often, and what a swap changes."""

    limits: NDArray[np.int64]
    change: Any
    first: Floats
    second: Floats
    size: int

    @classmethod
    def of(cls, cells: JointCells, resolved: Resolved) -> _Swaps:
        one, two = cells.places
        unit, weight = units_of(cells)
        limits = np.ones(int(unit.max()) + 1, dtype=np.int64)
        if cells.clusters is None:
            one, two = np.minimum(one, two), np.maximum(one, two)
            _, unit = np.unique(one * cells.tables[0].cells.size + two, return_inverse=True)
            weight = cells.weight.astype(np.float64)
            limits = np.zeros(int(unit.max()) + 1, dtype=np.int64)
            np.add.at(limits, unit, cells.weight)
        first, second = (contributions(cells, place, unit, weight, resolved) for place in (one, two))
        change = (second - first).tocsc()
        change.eliminate_zeros()
        differs = np.diff(change.indptr) > 0
        each = change[:, differs]
        if cells.clusters is None:
            each = each / limits[differs]
        return cls(limits[differs], each.tocsr(), first.sum(axis=1), second.sum(axis=1), cells.size)

    def replicates(self, draw: Draw, number: int) -> Replicates:
        """Make both tables after so many swaps of each unit."""
        moved = replicate(draw, self.change, -self.change, number, self.size)
        # Sums of weights may come out a hair below 0.
        return replace(
            moved,
            first=np.maximum(self.first + moved.first, 0),
            second=np.maximum(self.second + moved.second, 0),
        )


def swap_clusters(cells: JointCells, resolved: Resolved, measure: str, seed: int) -> Tail:
    """Test a difference by swapping the two systems' outputs cluster by cluster.

    ``measure`` has the same differences as the resolved one, up to a factor. Where it is a sum over cases,
    so that each cluster adds an amount whose sign a coin decides, signs are counted; otherwise swaps are.
    """
    size, label = cells.size, resolved.position
    unit, weight = units_of(cells)
    both = [contributions(cells, place, unit, weight, resolved) for place in cells.places]
    counts = (both[0] - both[1]).toarray().astype(np.int64)
    hits, predicted = counts[:size], counts[size : 2 * size]
    if label is None:
        margins = (both[0] + both[1]).sum(axis=1).astype(np.int64)
        worth = worths(measure, cells.tables[0].real.tolist(), *margins[: 2 * size].reshape(2, size).tolist())
        changes = np.concatenate([predicted, hits]).T.tolist()
        amounts = [sum(w * c for w, c in zip(worth[0] + worth[1], each, strict=True)) for each in changes]
    else:
        real = int(cells.tables[0].real[label])
        alpha = float(resolved.arguments.get("alpha", 0.5))
        judged = two_class_measure(measure, real, int(cells.tables[0].real.sum()) - real, alpha)
        if not isinstance(judged, Balance):
            return swap_test(cells, resolved, seed=seed)
        pairs = zip(hits[label].tolist(), (predicted - hits)[label].tolist(), strict=True)
        amounts = [judged.hit * hit - judged.alarm * alarm for hit, alarm in pairs]
    counted = Counter(abs(amount) for amount in amounts if amount)
    return sign_sum_tail(counted, sum(amounts), seed=seed, units="clusters that differ")
