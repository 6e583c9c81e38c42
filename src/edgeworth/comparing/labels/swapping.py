"""Randomisation tests of labels: swap two systems' outputs case by case, or cluster by cluster, and count.

If neither system is better, who said what on a case is a matter of a coin: of all 2^D ways of swapping the
outputs of the D cases on which they disagree, how many give a difference at least as large as the observed
one? Yeh 2000, More accurate tests for the statistical significance of result differences; Noreen 1989.

Accuracy, recall and balanced accuracy are sums over cases, and a swap changes the sign of what a case adds.
Powers' informedness is no such sum: it weighs a label's edge by how often the label is predicted, a product
of two things a swap changes, ``B = (1/N) Σ_l P_l (N h_l − R_l P_l) / (R_l (N − R_l))`` with h hits, P
predictions and R real cases. But swapping leaves both systems' hits H = h + h' and predictions T = P + P'
together as they are, and a difference of squares is a sum times a difference:
``B − B' = Σ_l [T_l (h_l − h'_l) + (H_l − 2 R_l T_l/N) (P_l − P'_l)] / (2 R_l (N − R_l))``.
So an output k on a case of class y is worth a fixed amount whichever system gives it, and the difference is
a sum of whole numbers (in a common unit) with random signs.

Precision and F of a label are quotients. Of a way of swapping only two numbers matter to them: the discordant
targets that fall to the first system, X ~ Bin(n₁, ½), and the discordant background, Y ~ Bin(n₀, ½).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats, Integers
from edgeworth.comparing.labels.joint_cells import JointCells
from edgeworth.comparing.labels.resampling import (
    AT_ONCE,
    Replicates,
    affordable_draws,
    contributions,
    units_of,
    view_of,
)
from edgeworth.comparing.randomisation.coins import (
    FEW,
    NEGLIGIBLE,
    QUICK,
    coin_law,
    from_probability,
    random_heads,
    ways,
)
from edgeworth.comparing.randomisation.sign_sums import FINE, Grid, monte_carlo_tail, sign_sum_tail
from edgeworth.core.tails import Tail
from edgeworth.decisions.views import Resolved
from edgeworth.progress import progress_rounds

SUMS_OF_A_LABEL = {
    "recall": "recall",
    "miss_rate": "recall",
    "informedness": "informedness",
    "label_accuracy": "accuracy",
}
SUMS_OF_ALL = {
    "accuracy": "accuracy",
    "error_rate": "accuracy",
    "informedness": "informedness",
    "balanced_accuracy": "balanced_accuracy",
    "adjusted_balanced_accuracy": "balanced_accuracy",
}
"""Measures whose differences are sums over cases, and which one has the same differences up to a factor."""

QUOTIENTS = {"precision": 0.0, "false_discovery_rate": 0.0, "f": 0.5}
"""Measures of a label whose denominators differ from system to system, with the weight of recall in F."""


def randomisation_test(
    cells: JointCells, resolved: Resolved, *, seed: int = 0, grid: Grid | None = FINE
) -> Tail:
    """Test a difference by swapping outputs at random: P(one at least as large, ties included).

    Sums over cases and quotients of one label are counted, the sums of several classes counted or put on a
    ``grid``; of everything else some swaps are drawn. An abstention is an output like any other, swapped
    with it: it is never right, and the case stays in every total.
    """
    name, is_label = resolved.measure.name, resolved.position is not None
    # Informedness is of the decided cases times their share, both of which swapping changes; and a case
    # without a decision is not right, where one of two labels against the rest would be.
    changed = name in ("informedness", "label_accuracy")
    if cells.is_counted and not (changed and any(table.abstained.any() for table in cells.tables)):
        measure = (SUMS_OF_A_LABEL if is_label else SUMS_OF_ALL).get(name)
        if measure is not None:
            return _sum_test(cells, resolved, measure, seed, grid)
        if is_label and name in QUOTIENTS and cells.clusters is None:
            found = quotient_test(LabelPair.of(cells, resolved), studentised=False)
            if found is not None:
                return found
    return swap_test(cells, resolved, seed=seed)


def studentised_test(cells: JointCells, resolved: Resolved, seed: int = 0) -> Tail:
    """Swap outputs and compare differences in standard errors: all swaps for precision and F of a label."""
    if resolved.position is not None and resolved.measure.name in QUOTIENTS and cells.is_plain:
        found = quotient_test(LabelPair.of(cells, resolved))
        assert found is not None
        return found
    return swap_test(cells, resolved, studentised=True, seed=seed)


def _sum_test(cells: JointCells, resolved: Resolved, measure: str, seed: int, grid: Grid | None) -> Tail:
    """Test a sum over cases, each of which (or each cluster) adds an amount whose sign a coin decides."""
    label = resolved.position
    (first, real), (second, _) = (cells.split(place) for place in cells.places)
    differ = first != second if label is None else (first == label) != (second == label)
    by_output, by_hit = ([*worth, 0] for worth in _worths(cells, measure, label))
    counts = cells.weight.tolist()
    amounts = [
        by_output[a] - by_output[b] + by_hit[a] * (a == y) - by_hit[b] * (b == y)
        for a, b, y in zip(first.tolist(), second.tolist(), real.tolist(), strict=True)
    ]
    observed = sum(amount * count for amount, count in zip(amounts, counts, strict=True))
    tally: Counter[int] = Counter()
    if cells.clusters is None:
        for amount, count, counts_here in zip(amounts, counts, differ.tolist(), strict=True):
            tally[abs(amount)] += count if counts_here else 0
        what = f"swaps of {tally.total():,} disagreements"
        return sign_sum_tail(tally, observed, what=what, seed=seed, grid=grid)
    sums: Counter[int] = Counter()
    for cluster, amount, count in zip(cells.clusters.tolist(), amounts, counts, strict=True):
        sums[cluster] += amount * count
    tally.update(abs(amount) for amount in sums.values() if amount)
    what = f"swaps of {tally.total():,} clusters that differ"
    return sign_sum_tail(tally, observed, what=what, seed=seed, grid=grid)


def _worths(cells: JointCells, measure: str, label: int | None) -> tuple[list[int], list[int]]:
    """Find what an output of each label is worth, and what more when right, in whole numbers of one unit."""
    size, (_, real) = cells.size, cells.split(cells.places[0])
    reals = np.bincount(real, cells.weight, size).astype(np.int64).tolist()
    cases = sum(reals)
    if label is not None:
        by_output, by_hit = [0] * size, [0] * size
        targets, background = reals[label], cases - reals[label]
        hit, alarm = {"recall": (1, 0), "accuracy": (1, 1)}.get(measure, (background, targets))
        by_output[label], by_hit[label] = -alarm, hit + alarm
        return by_output, by_hit
    hits, predicted = np.zeros((2, size + 1), dtype=np.int64)
    for output, _ in map(cells.split, cells.places):
        np.add.at(hits, output, cells.weight * (output == real))
        np.add.at(predicted, output, cells.weight)
    margins = zip(reals, hits[:-1].tolist(), predicted[:-1].tolist(), strict=True)
    every = [_worth(measure, cases, *each) for each in margins]
    unit = math.lcm(*(part.denominator for parts in every for part in parts))
    return [int(output * unit) for output, _ in every], [int(right * unit) for _, right in every]


def _worth(measure: str, cases: int, real: int, hits: int, predicted: int) -> tuple[Fraction, Fraction]:
    """Find what one label is worth; one that is never or always real has no fair odds, and earns nothing."""
    if measure == "accuracy":
        return Fraction(0), Fraction(1)
    if measure == "balanced_accuracy":
        return Fraction(0), Fraction(1, real) if real else Fraction(0)
    if not 0 < real < cases:
        return Fraction(0), Fraction(0)
    odds = 2 * real * (cases - real)
    return Fraction(cases * hits - 2 * real * predicted, cases * odds), Fraction(predicted, odds)


MOST_CELLS = 1 << 20
"""Pairs (x, y) that are counted in whole numbers; more are summed in floating point, in blocks of as many."""

MOST_SUMMED = 1 << 23
"""Pairs beyond which they are not summed."""

UNCLEAR = 1e-13
"""Relative distance below which floats do not decide; their own error is about ten roundings."""


@dataclass(frozen=True)
class LabelPair:
    """On how many targets, and on how much background, both systems or only one predicted the label.

    The measure is ``hits / (fixed · targets + slope · predicted)``: precision, or F with the weight of recall
    fixed / (fixed + slope). 0/0 is 0.
    """

    targets: int
    both_hit: int
    only_first_hit: int
    only_second_hit: int
    both_alarm: int
    only_first_alarm: int
    only_second_alarm: int
    fixed: int = 0
    slope: int = 1

    @classmethod
    def of(cls, cells: JointCells, resolved: Resolved) -> LabelPair:
        """Count one label against the rest; an abstention is not a prediction of it."""
        (first, real), (second, _) = (cells.split(place) for place in cells.places)
        one, two, target = (each == resolved.position for each in (first, second, real))
        parts = [kind & said for kind in (target, ~target) for said in (one & two, one & ~two, ~one & two)]
        counts = [int(cells.weight[part].sum()) for part in (target, *parts)]
        share = Fraction(str(float(resolved.arguments.get("alpha", QUOTIENTS[resolved.measure.name]))))
        return replace(cls(*counts), fixed=share.numerator, slope=share.denominator - share.numerator)

    @property
    def hits(self) -> int:
        """Targets on which only one of the systems predicted the label."""
        return self.only_first_hit + self.only_second_hit

    @property
    def alarms(self) -> int:
        """Background on which only one of the systems predicted the label."""
        return self.only_first_alarm + self.only_second_alarm

    def parts(self, x: Any, y: Any, *, studentised: bool) -> tuple[Any, Any]:
        """Compute the difference where the first has so many of them, and its variance, as whole numbers.

        Not ``studentised``, instead of the variance the square of the common denominator.
        """
        mine, its = self.both_hit + x, self.both_hit + self.hits - x
        one = self._bottom(mine + self.both_alarm + y)
        two = self._bottom(its + self.both_alarm + self.alarms - y)
        if not studentised:
            return mine * two - its * one, (one * two) ** 2
        top = 2 * self.both_hit + self.hits
        predicted = 2 * (self.both_hit + self.both_alarm) + self.hits + self.alarms
        bottom = 2 * self.fixed * self.targets + self.slope * predicted
        hit, miss, alarm = (
            bottom - top * (self.fixed + self.slope),
            -top * self.fixed,
            -top * self.slope,
        )
        every = (
            (self.both_hit, hit, hit),
            (x, hit, miss),
            (self.hits - x, miss, hit),
            (self.targets - self.both_hit - self.hits, miss, miss),
            (self.both_alarm, alarm, alarm),
            (y, alarm, 0),
            (self.alarms - y, 0, alarm),
        )
        spread = sum(count * (first * two - second * one) ** 2 for count, first, second in every)
        return bottom * (mine * two - its * one), spread

    def _bottom(self, predicted: Any) -> Any:
        bottom = self.fixed * self.targets + self.slope * predicted
        return bottom + (bottom == 0)


def quotient_test(pair: LabelPair, *, studentised: bool = True) -> Tail | None:
    """Test precision or F of one label by all swaps: their difference, or how many standard errors it has.

    Swapping tests whether the systems are interchangeable. Equal precisions of systems that predict a label
    more and less often are not enough for that, but in standard errors the swaps have the same law (Janssen
    1997; Chung & Romano 2013). The variance is Σ (c − c')² over cases, c = (hit − m · share)/b being a case's
    part in value h/b, where m is the value of both together, which swaps leave as it is (the score test of
    Leisenring, Alonzo & Pepe 2000 and Kosinski 2013). Squares are compared as whole numbers. Where there are
    too many swaps the score test is normal, and the plain one None.

    >>> quotient_test(LabelPair(50, 30, 8, 2, 10, 1, 4)).exact
    Fraction(459, 8192)
    """
    hits, alarms = pair.hits, pair.alarms
    said = f"all swaps of {hits + alarms:,} disagreements"
    said += ", differences in standard errors" if studentised else ""
    gap, spread = pair.parts(pair.only_first_hit, pair.only_first_alarm, studentised=studentised)
    if gap == 0:
        return Tail.counted(Fraction(1), said)

    def is_beyond(x: Integers, y: Integers) -> NDArray[np.bool_]:
        columns, rows = x[:, None].astype(float), y[None, :].astype(float)
        gaps, spreads = pair.parts(columns, rows, studentised=studentised)
        left, right = gaps**2 * float(spread), float(gap) ** 2 * spreads
        result = np.asarray(left >= right)
        for i, j in np.argwhere(np.abs(left - right) <= UNCLEAR * (left + right)):
            exact_gap, exact_spread = pair.parts(int(x[i]), int(y[j]), studentised=studentised)
            result[i, j] = exact_gap**2 * spread >= gap**2 * exact_spread
        return result

    if hits + alarms <= FEW and (hits + 1) * (alarms + 1) <= MOST_CELLS:
        beyond = is_beyond(np.arange(hits + 1), np.arange(alarms + 1))
        rows = np.array(ways(alarms), dtype=object) @ beyond.T.astype(object)
        count = int(rows @ np.array(ways(hits), dtype=object))
        return Tail.counted(Fraction(count, 1 << (hits + alarms)), said)
    for negligible in (QUICK, NEGLIGIBLE):
        (x, shares), (y, weights) = coin_law(hits, negligible), coin_law(alarms, negligible)
        if len(x) * len(y) > MOST_SUMMED:
            break
        step = max(1, MOST_CELLS // len(y))
        blocks = (slice(start, start + step) for start in range(0, len(x), step))
        found = sum(float(shares[block] @ (is_beyond(x[block], y) @ weights)) for block in blocks)
        if found > math.exp(-negligible / 2):
            return from_probability(found, said)
    if not studentised:
        return None
    root = abs(gap) / math.sqrt(spread)
    return Tail.approximated(math.erfc(root / math.sqrt(2)), 0.0, "normal law of the score test")


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
    return monte_carlo_tail(count, f"swaps of {said}", number, seed)


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
        found[:, column] = resolved.of_view(view_of(moved, size, resolved)).imag / STEP
    return np.nan_to_num(found, nan=0.0, posinf=0.0, neginf=0.0)
