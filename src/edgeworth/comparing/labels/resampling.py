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


def _view(flat: NDArray[Any], size: int, resolved: Resolved) -> Any:
    if resolved.measure.scope == "cells":
        return flat.reshape(-1, size + 1, size)[:, :-1, :]
    view = Marginals(*(flat[:, block * size : (block + 1) * size] for block in range(4)))
    return view if resolved.position is None else label_view(view, resolved.position)


SAME = 1e-12
"""Rounding may make a swap count as extreme, never as harmless."""

MOST_WAYS = 1 << 15
"""Up to so many swaps that are different in kind, all are gone through."""

STEP = 1e-20
"""An imaginary step, so small that squares of it vanish."""


def swap_test(
    cells: JointCells, resolved: Resolved, *, studentised: bool = False, draws: int = 10_000, seed: int = 0
) -> Tail:
    """Test a difference by swapping outputs at random: P(one at least as large, either way).

    If neither predictor is better, who said what on a case (on all cases of a cluster, where rows come in
    clusters) is a matter of a coin. All ways are gone through when they are few, otherwise some are drawn. A
    system that a swap leaves without a value has the one of ``without_value``: as a rule 0/0 is 0. With
    ``studentised`` differences are in standard errors of their own, so that the test is one of equal values
    even where equal systems are not interchangeable (Janssen 1997; Chung & Romano 2013). Sampling weights
    are swapped as so many cases of equal weight as tell as much: an approximation.
    """
    swaps = _Swaps.of(cells, resolved)
    differ = swaps.limits > 0
    limits = swaps.limits[differ]
    coins = sum(limits.tolist())
    if not coins:
        return Tail.counted(Fraction(1), "there is nothing to swap")
    said = f"{coins:,} {'cases' if cells.clusters is None else 'clusters'} that differ"
    if not cells.is_counted and cells.clusters is None:
        said = f"{said}, weights taken as their effective number"
    if studentised:
        said = f"{said}, differences in standard errors"
    far = swaps.distances(swaps.observed[None, :], resolved, studentised)[0]
    least = far - SAME * max(1.0, far) if math.isfinite(far) else far

    def beyond(swapped: NDArray[np.int64]) -> NDArray[np.bool_]:
        found = [np.zeros(0, dtype=bool)]
        rows = max(1, AT_ONCE // len(swaps.limits))
        for start in range(0, len(swapped), rows):
            counts = np.zeros((len(swapped[start : start + rows]), len(swaps.limits)))
            counts[:, differ] = swapped[start : start + rows]
            gaps = swaps.distances(counts, resolved, studentised)
            found.append(np.isnan(gaps) | (gaps >= least))
        return np.concatenate(found)

    number = math.prod(limit + 1 for limit in limits.tolist())
    if number <= MOST_WAYS:
        swapped = np.stack(np.unravel_index(np.arange(number), limits + 1), axis=1)
        # A swap of so many of each unit can be had in a binomial number of ways.
        parts = (math.prod(map(math.comb, limits.tolist(), way)) for way in swapped[beyond(swapped)].tolist())
        return Tail.counted(Fraction(sum(parts), 2**coins), f"all swaps of {said}")
    number = affordable_draws(draws, len(limits))
    rng, count, at_once = np.random.default_rng(seed), 0, max(1, AT_ONCE // len(limits))
    for start in progress_rounds(number, at_once, "draws"):
        count += int(beyond(random_heads(rng, limits, min(at_once, number - start)).T).sum())
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
    """Units (clusters, or cases alike but for who said what), and what they add to either table.

    ``limits`` is how many swaps a unit can have: none where both said the same. ``first`` and ``second`` are
    what it adds when nothing is swapped, ``observed`` how much of it is swapped in the data, ``square`` the
    sum of its cases' squared weights over the square of their sum.
    """

    limits: NDArray[np.int64]
    first: Any
    second: Any
    observed: Floats
    square: Floats
    size: int

    @classmethod
    def of(cls, cells: JointCells, resolved: Resolved) -> _Swaps:
        one, two = cells.places
        unit, weight = units_of(cells)
        number = int(unit.max()) + 1
        limits, observed, square = np.ones(number, dtype=np.int64), np.zeros(number), np.ones(number)
        if cells.clusters is None:
            turned = one > two
            one, two = np.minimum(one, two), np.maximum(one, two)
            _, unit = np.unique(one * cells.tables[0].cells.size + two, return_inverse=True)
            weight = cells.weight.astype(np.float64)
            totals = np.bincount(unit, weights=weight)
            square = np.bincount(unit, weights=weight if cells.square is None else cells.square) / totals**2
            limits = np.maximum(np.rint(1 / square), 1).astype(np.int64)
            observed = np.bincount(unit, weights=weight * turned) / totals * limits
        first, second = (contributions(cells, place, unit, weight, resolved) for place in (one, two))
        change = (second - first).tocsc()
        change.eliminate_zeros()
        return cls(
            np.where(np.diff(change.indptr) > 0, limits, 0), first, second, observed, square, cells.size
        )

    def distances(self, swapped: Floats, resolved: Resolved, studentised: bool) -> Floats:
        """Compute differences after so many swaps of each unit (a row a replicate), or their squared t."""
        shares = swapped / np.maximum(self.limits, 1)
        change = ((self.second - self.first) @ shares.T).T
        # Sums of weights may come out a hair below 0.
        tables = [
            np.maximum(self.first.sum(axis=1) + change, 0),
            np.maximum(self.second.sum(axis=1) - change, 0),
        ]
        gaps = np.abs(
            Replicates(tables[0], tables[1], self.size).differences(resolved, without_value(resolved))
        )
        if not studentised:
            return gaps
        mine, its = (_slopes(table, self.size, resolved) for table in tables)
        kept = mine @ self.first - its @ self.second
        turned = mine @ self.second - its @ self.first
        variance = ((1 - shares) * kept**2 + shares * turned**2) @ self.square
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(gaps == 0, 0.0, gaps**2 / variance)


def _slopes(tables: Floats, size: int, resolved: Resolved) -> Floats:
    """Differentiate a measure by all that it sees of each table; 0 where it has no value."""
    found = np.empty(tables.shape)
    for column in range(tables.shape[1]):
        moved = tables.astype(np.complex128)
        moved[:, column] += 1j * STEP
        found[:, column] = resolved.of_view(_view(moved, size, resolved)).imag / STEP
    return np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0)


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
