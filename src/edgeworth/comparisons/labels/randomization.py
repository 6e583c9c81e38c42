"""Randomisation tests of labels: swap two systems' outputs case by case, or cluster by cluster, and count.

If neither system is better, the two outputs of a case could have been swapped with probability ½. The p-value
is the share of the 2^D ways of swapping the D cases with different outputs that give a difference at least as
large as the observed one. Yeh 2000, More accurate tests for the statistical significance of result
differences; Noreen 1989.

Accuracy, recall and balanced accuracy are sums over cases, and a swap changes the sign of what a case adds.
Powers' informedness is no such sum: it weighs each label by how often the label is predicted, so it has
products of two counts that a swap changes, ``B = (1/N) Σ_l P_l (N h_l − R_l P_l) / (R_l (N − R_l))`` with h
hits, P predictions and R real cases. But a swap changes neither the hits of both systems together,
H = h + h', nor their predictions, T = P + P', and a difference of squares is a sum times a difference:
``B − B' = Σ_l [T_l (h_l − h'_l) + (H_l − 2 R_l T_l/N) (P_l − P'_l)] / (2 R_l (N − R_l))``.
So an output k on a case of class y is worth a fixed amount whichever system gives it, and the difference is
a sum of whole numbers (in a common unit) with random signs.

Other measures are functions of both tables, which depend on how many cases of each kind of disagreement are
swapped. For one label against the rest there are two kinds: discordant targets, X ~ Bin(n₁, ½), and
discordant background, Y ~ Bin(n₀, ½).
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats, Integers
from edgeworth.common.progress import track_rounds
from edgeworth.common.threads import row_blocks
from edgeworth.comparisons.labels.joint_cells import JointCells
from edgeworth.comparisons.labels.resampling import (
    MAX_NUMBERS_AT_ONCE,
    Replicates,
    SparseCounts,
    affordable_draws,
    contributions,
    multiply,
    units_of,
    view_of_margins,
)
from edgeworth.comparisons.policy import MIN_CASES_FOR_NORMAL_SWAPS
from edgeworth.comparisons.randomization.coins import (
    LOG_NEGLIGIBLE,
    LOG_NEGLIGIBLE_QUICKLY,
    MAX_COINS_AS_FRACTION,
    Heads,
    coin_law,
    random_heads,
)
from edgeworth.comparisons.randomization.sign_sums import FINE, Grid, sign_sum_tail
from edgeworth.core.measures import CaseWorth
from edgeworth.core.test_results import TestResult
from edgeworth.decisions.margin_slopes import margin_slopes
from edgeworth.decisions.views import Marginals, Resolved


def randomisation_test(
    cells: JointCells, resolved: Resolved, *, seed: int = 0, grid: Grid | None = FINE
) -> TestResult:
    """Test a difference by swapping outputs at random: P(one at least as large, ties included).

    Sums over cases are counted, those of several classes counted or put on a ``grid``; everything else is
    counted where there are few kinds of disagreement (``swap_test``). An abstention is an output like any
    other, swapped with it: it is never right, and the case stays in every total.
    """
    case_worth = _case_worth(cells, resolved)
    if case_worth is not None:
        return _sum_test(cells, case_worth, resolved.position, seed, grid)
    return swap_test(cells, resolved, seed=seed)


def _case_worth(cells: JointCells, resolved: Resolved) -> CaseWorth | None:
    """Give what an output is worth if the difference is a sum over cases, else None."""
    case_worth = resolved.measure.case_worth
    if case_worth is None or not cells.is_counted:
        return None
    has_abstentions = any(table.abstained.any() for table in cells.tables)
    return None if case_worth.needs_decisions and has_abstentions else case_worth


def disagreement_amounts(cells: JointCells, resolved: Resolved) -> dict[int, int] | None:
    """Count the cases on which two systems differ by what each adds to the difference, in a whole unit.

    None if the difference is no sum over independent cases.
    """
    case_worth = _case_worth(cells, resolved)
    if case_worth is None or not cells.is_plain:
        return None
    amounts, differ = _amounts(cells, case_worth, resolved.position)
    tally: Counter[int] = Counter()
    for amount, count, is_different in zip(amounts, cells.weight.tolist(), differ.tolist(), strict=True):
        tally[amount] += count if is_different else 0
    return dict(tally)


def _amounts(
    cells: JointCells, case_worth: CaseWorth, label: int | None
) -> tuple[list[int], NDArray[np.bool_]]:
    """Compute what a case of each combination adds to the difference, and whether the systems differ."""
    (first, real), (second, _) = (cells.split(positions) for positions in cells.places)
    differ = first != second if label is None else (first == label) != (second == label)
    by_output, by_hit = _worth_per_label(cells, case_worth, label)
    amounts = [
        by_output[a] - by_output[b] + by_hit[a] * (a == y) - by_hit[b] * (b == y)
        for a, b, y in zip(first.tolist(), second.tolist(), real.tolist(), strict=True)
    ]
    return amounts, differ


def _sum_test(
    cells: JointCells, case_worth: CaseWorth, label: int | None, seed: int, grid: Grid | None
) -> TestResult:
    """Test a sum over cases, each of which (or each cluster) adds an amount whose sign a coin decides."""
    amounts, differ = _amounts(cells, case_worth, label)
    counts = cells.weight.tolist()
    observed = sum(amount * count for amount, count in zip(amounts, counts, strict=True))
    tally: Counter[int] = Counter()
    if cells.clusters is None:
        for amount, count, is_different in zip(amounts, counts, differ.tolist(), strict=True):
            tally[abs(amount)] += count if is_different else 0
        what = f"swaps of {tally.total():,} disagreements"
        return sign_sum_tail(tally, observed, what=what, seed=seed, grid=grid)
    cluster_sums: Counter[int] = Counter()
    for cluster, amount, count in zip(cells.clusters.tolist(), amounts, counts, strict=True):
        cluster_sums[cluster] += amount * count
    tally.update(abs(amount) for amount in cluster_sums.values() if amount)
    what = f"swaps of {tally.total():,} clusters that differ"
    return sign_sum_tail(tally, observed, what=what, seed=seed, grid=grid)


def _worth_per_label(
    cells: JointCells, case_worth: CaseWorth, label: int | None
) -> tuple[list[int], list[int]]:
    """Compute the worth of an output of each label, and what is added if it is right, in one whole unit.

    A measure of one label gives the others no worth. An abstention, one past the last label, has none.
    """
    size = cells.size
    _, real = cells.split(cells.places[0])
    real_counts = np.bincount(real, cells.weight, size).astype(np.int64).tolist()
    hits, predicted = np.zeros((2, size + 1), dtype=np.int64)
    for output, _ in map(cells.split, cells.places):
        np.add.at(hits, output, cells.weight * (output == real))
        np.add.at(predicted, output, cells.weight)
    by_output = [Fraction(0)] * (size + 1)
    by_hit = [Fraction(0)] * (size + 1)
    for index in range(size) if label is None else (label,):
        by_output[index], by_hit[index] = case_worth.worth(
            sum(real_counts), real_counts[index], int(hits[index]), int(predicted[index])
        )
    unit = math.lcm(*(worth.denominator for worth in (*by_output, *by_hit)))
    return [int(worth * unit) for worth in by_output], [int(worth * unit) for worth in by_hit]


RELATIVE_ROUNDING = 1e-12
"""Rounding may make a swap count as extreme, never as harmless."""

MAX_SWAPS_COUNTED = 1 << 12
"""Up to this number of different swaps, all are counted in whole numbers."""

MAX_SWAPS_SUMMED = 1 << 20
"""Up to this number, all but negligible ones are summed; a sixteenth of it if each has a standard error."""

MAX_LABELS_DIFFERENTIATED = 8
"""Up to this many labels, a measure is differentiated by one margin after the other."""

IMAGINARY_STEP = 1e-20
"""An imaginary step, so small that squares of it vanish."""


def swap_test(
    cells: JointCells, resolved: Resolved, *, studentised: bool = False, draws: int = 10_000, seed: int = 0
) -> TestResult:
    """Test a difference by swapping outputs at random: P(one at least as large, either way).

    If neither predictor is better, the outputs of a case, or of all cases of a cluster, are swapped with
    probability ½. All ways are enumerated if they are few; otherwise some are drawn. If very many cases
    differ, differences in standard errors have a normal law. If a swap leaves a system without a value, the
    value is that of ``without_value``: usually 0/0 is 0. With ``studentised``, each difference is divided by
    its own standard error. The null hypothesis is then equal values, also if equal systems are not
    interchangeable (Janssen 1997; Chung & Romano 2013). Sampling weights are swapped as the effective number
    of cases of equal weight, which is an approximation.
    """
    swaps = _Swaps.of(_without_abstentions(cells, resolved), resolved)
    differ = swaps.limits > 0
    limits = swaps.limits[differ]
    coins = sum(limits.tolist())
    if not coins:
        return TestResult.from_fraction(Fraction(1), "there is nothing to swap")
    what = f"{coins:,} {'cases' if cells.clusters is None else 'clusters'} that differ"
    is_weighted = not cells.is_counted and cells.clusters is None
    if is_weighted:
        what = f"{what}, weights taken as their effective number"
    if studentised:
        what = f"{what}, differences in standard errors"
    far = swaps.distances(swaps.observed[:, None], resolved, studentised)[0]
    least = far - RELATIVE_ROUNDING * max(1.0, far) if math.isfinite(far) else far

    def beyond(swapped: Heads) -> NDArray[np.bool_]:
        is_far = []
        for ways in row_blocks(swapped.shape[1], max(1, MAX_NUMBERS_AT_ONCE // 16 // len(swaps.limits))):
            shares = np.zeros((len(swaps.limits), ways.stop - ways.start))
            shares[differ] = swapped[:, ways] / limits[:, None]
            gaps = swaps.distances(shares, resolved, studentised)
            is_far.append(np.isnan(gaps) | (gaps >= least))
        return np.concatenate(is_far)

    tail, number = None, math.prod(limit + 1 for limit in limits.tolist())
    if number <= MAX_SWAPS_COUNTED and coins <= MAX_COINS_AS_FRACTION:
        swapped = np.stack(np.unravel_index(np.arange(number), limits + 1))
        far_ways = swapped[:, beyond(swapped)].T.tolist()
        # A swap of a number of each unit can be had in a binomial number of ways.
        parts = (math.prod(map(math.comb, limits.tolist(), way)) for way in far_ways)
        tail = TestResult.from_fraction(Fraction(sum(parts), 2**coins), f"all swaps of {what}")
    elif (is_far := _sum_of_ways(limits, MAX_SWAPS_SUMMED // (16 if studentised else 1), beyond)) is not None:
        tail = TestResult.from_probability(is_far, f"all swaps of {what}")
    if tail is not None:
        return TestResult.approximate(tail.p_value, 0.0, f"all swaps of {what}") if is_weighted else tail
    # Of several classes a rare one may decide, and then few cases do.
    if studentised and coins > MIN_CASES_FOR_NORMAL_SWAPS and cells.size == 2:
        return TestResult.approximate(
            math.erfc(math.sqrt(far / 2)), 0.0, f"normal approximation, swaps of {what}"
        )
    number = affordable_draws(draws, len(limits))
    rng, count, at_once = np.random.default_rng(seed), 0, max(1, MAX_NUMBERS_AT_ONCE // len(limits))
    for start in track_rounds(number, at_once, "draws"):
        count += int(beyond(random_heads(rng, limits, min(at_once, number - start))).sum())
    return TestResult.from_draws(count, number, seed, f"swaps of {what}")


def _without_abstentions(cells: JointCells, resolved: Resolved) -> JointCells:
    """Replace abstentions by the other label if both have the same effect on the measure."""
    is_rejection = resolved.measure.counts_abstention_as_rejection
    if resolved.position is None or not is_rejection or cells.size > 2:
        return cells
    first_positions, second_positions = (
        np.where(predicted < cells.size, positions, (1 - resolved.position) * cells.size + real)
        for positions in cells.places
        for predicted, real in (cells.split(positions),)
    )
    return replace(cells, places=(first_positions, second_positions)).compact()


Beyond: TypeAlias = Callable[[Heads], NDArray[np.bool_]]
"""Marks the ways of swapping that are far enough, given one column per way with the swaps of each unit."""


def _sum_of_ways(limits: Integers, most: int, beyond: Beyond) -> float | None:
    """Sum the probabilities of the ways that are far enough; None if there are too many to enumerate."""
    for negligible in (LOG_NEGLIGIBLE_QUICKLY, LOG_NEGLIGIBLE) if len(limits) < most.bit_length() else ():
        laws = [coin_law(limit, negligible) for limit in limits.tolist()]
        shape = [len(heads) for heads, _ in laws]
        if math.prod(shape) > most:
            return None
        ways = np.stack(np.meshgrid(*(heads for heads, _ in laws), indexing="ij"))
        law = functools.reduce(np.multiply.outer, (shares for _, shares in laws)).ravel()
        probability = float(law[beyond(ways.reshape(len(laws), len(law)))].sum())
        if probability > math.exp(-negligible / 2):
            return probability
    return None


def without_value(resolved: Resolved) -> float:
    """Choose the value of 0/0 after a swap: 0, as in trec_eval and scikit-learn.

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
    """Units (clusters, or cases with the same two outputs in either order), and their part of each table.

    ``limits`` is the number of swaps that a unit can have: 0 if both outputs are the same. ``first`` and
    ``second`` are what the unit adds if nothing is swapped, ``observed`` is the share of it that is swapped
    in the data, and ``square`` is the sum of its cases' squared weights over the square of their sum.
    """

    limits: NDArray[np.int64]
    first: SparseCounts
    second: SparseCounts
    observed: Floats
    square: Floats
    size: int

    @classmethod
    def of(cls, cells: JointCells, resolved: Resolved) -> _Swaps:
        first_positions, second_positions = cells.places
        unit, weight = units_of(cells)
        number = int(unit.max()) + 1
        limits, observed, square = np.ones(number, dtype=np.int64), np.zeros(number), np.ones(number)
        if cells.clusters is None:
            turned = first_positions > second_positions
            first_positions, second_positions = (
                np.minimum(first_positions, second_positions),
                np.maximum(first_positions, second_positions),
            )
            _, unit = np.unique(
                first_positions * cells.tables[0].cells.size + second_positions, return_inverse=True
            )
            weight = cells.weight.astype(np.float64)
            totals = np.bincount(unit, weights=weight)
            square = np.bincount(unit, weights=weight if cells.square is None else cells.square) / totals**2
            limits = np.maximum(np.rint(1 / square), 1).astype(np.int64)
            observed = np.bincount(unit, weights=weight * turned) / totals
        first, second = (
            contributions(cells, positions, unit, weight, resolved)
            for positions in (first_positions, second_positions)
        )
        change = (second - first).tocsc()
        change.eliminate_zeros()
        return cls(
            np.where(np.diff(change.indptr) > 0, limits, 0), first, second, observed, square, cells.size
        )

    def distances(self, shares: Floats, resolved: Resolved, studentised: bool) -> Floats:
        """Compute differences, or their squared t, if a share of each unit is swapped: one column per way."""
        change = (self.second - self.first) @ shares
        # Sums of weights may come out a hair below 0.
        tables = [
            np.maximum(table, 0, out=table).T
            for table in (self.first.sum(axis=1)[:, None] + change, self.second.sum(axis=1)[:, None] - change)
        ]
        gaps = np.abs(
            Replicates(tables[0], tables[1], self.size).differences(resolved, without_value(resolved))
        )
        if not studentised:
            return gaps
        slopes = np.split(self._slopes(np.concatenate(tables), resolved), 2, axis=1)
        by_first = self.first.T
        by_second = self.second.T
        if_kept = multiply(by_first, slopes[0]) - multiply(by_second, slopes[1])
        if_swapped = multiply(by_second, slopes[0]) - multiply(by_first, slopes[1])
        swapped = self.square[:, None] * shares
        kept = self.square[:, None] - swapped
        variance = _sum_of_squares(kept, if_kept) + _sum_of_squares(swapped, if_swapped)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(gaps == 0, 0.0, gaps**2 / variance)

    def _slopes(self, tables: Floats, resolved: Resolved) -> Floats:
        """Differentiate a measure by all that units add to a table; 0 if it has no value."""
        slopes = np.zeros(tables.T.shape)
        parts: list[Floats] = np.split(tables, 4, axis=1)
        closed = margin_slopes(resolved, Marginals(*parts)) if self.size > MAX_LABELS_DIFFERENTIATED else None
        if closed is not None:
            return np.nan_to_num(np.concatenate(closed, axis=1).T, nan=0.0, posinf=0.0, neginf=0.0)
        # Nothing is added to abstentions, for one, where there are none.
        for index in np.flatnonzero((self.first + self.second).sum(axis=1)):
            (part, label), moved = divmod(index, self.size), [*parts]
            moved[part] = parts[part] + 1j * IMAGINARY_STEP * (np.arange(self.size) == label)
            slopes[index] = resolved.of_view(view_of_margins(moved, resolved)).imag / IMAGINARY_STEP
        return np.nan_to_num(slopes, nan=0.0, posinf=0.0, neginf=0.0)


def _sum_of_squares(weights: Floats, values: Floats) -> Floats:
    """Sum weight·value² over units, without arrays in between as large as these."""
    return np.asarray(np.einsum("uw,uw,uw->w", weights, values, values))
