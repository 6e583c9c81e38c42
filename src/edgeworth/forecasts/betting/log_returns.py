"""The steps of log wealth, one per game, and all their sums if these are few enough to be enumerated.

Steps that differ only by a constant are counted together: for c two-way steps with the same distance between
winning and losing, only the number of wins matters, which has c + 1 values instead of 2ᶜ. The groups of steps
are then divided into two halves. For each sum of the first half, a search in the sorted sums of the second
half counts those that reach far enough: 2ⁿ outcomes for twice 2ⁿᐟ² sums (Horowitz and Sahni 1974, J. ACM 21,
277–292).

For more steps, P(S ≥ x) is bounded from below and from above: the law is tilted until its mean is near x, and
the indicator of S ≥ x is enclosed by Graham and Vaaler's two functions, whose mean needs the characteristic
function on a grid of frequencies only (``rankings/chance/tail_bounds.py``).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.common.arrays import PROBABILITY_SUM_TOLERANCE, Floats
from edgeworth.errors import InputError
from edgeworth.rankings.chance.tail_bounds import majorant_coefficients

Sums = tuple[Floats, Floats]
NOTHING: Sums = (np.zeros(1), np.zeros(1))
"""The sum of no steps: 0, with the logarithm of its probability."""

MAX_SUMS_PER_HALF = 1 << 20
"""Sums in one half: about half a second."""

MAX_MERGED_CELLS = 1 << 25
"""Steps times sums when equal steps are counted, some 30 ns each."""

MAX_STEPS_PAIRED = 1 << 14
"""Steps that are looked at one by one for a partner."""


@dataclass(frozen=True, eq=False)
class LogReturns:
    """Log factors and probabilities: one row per step, one column per outcome. Step i occurs counts[i] times.

    Outcomes of probability 0 have a log factor of 0.
    """

    log_factors: Floats
    probabilities: Floats
    counts: NDArray[np.int64]

    @classmethod
    def of(
        cls, log_factors: ArrayLike, probabilities: ArrayLike, counts: ArrayLike | None = None
    ) -> LogReturns:
        """Check and divide by the row sums.

        >>> LogReturns.of([[0.0, np.nan]], [[1.0, 0.0]]).log_factors
        array([[0., 0.]])
        """
        logs, shares = np.array(log_factors, dtype=np.float64), np.array(probabilities, dtype=np.float64)
        if logs.ndim != 2 or logs.shape != shares.shape or not logs.shape[1]:
            raise InputError(
                "log factors and probabilities must be two tables of the same shape, with one row per "
                f"step and one column per outcome; saw the shapes {logs.shape} and {shares.shape}"
            )
        _check_shares(shares)
        logs[shares == 0] = 0.0
        unknown = np.isnan(logs).any(axis=1)
        if unknown.any():
            raise InputError(
                f"step {int(unknown.argmax()) + 1:,} has an outcome of positive probability whose wealth "
                "factor is not a number, because both forecasts gave it probability 0: drop the step or "
                "raise the probability above 0"
            )
        numbers = _checked_counts(counts, len(logs))
        keep = numbers > 0
        return cls(logs[keep], (shares / shares.sum(axis=1, keepdims=True))[keep], numbers[keep])

    @cached_property
    def finite(self) -> Floats:
        """The probabilities of outcomes with a finite log factor, 0 for the others."""
        return np.where(np.isfinite(self.log_factors), self.probabilities, 0.0)

    @cached_property
    def log_finite(self) -> Floats:
        """The logarithms of ``finite``."""
        with np.errstate(divide="ignore"):
            return np.log(self.finite)

    @cached_property
    def finite_logs(self) -> Floats:
        """The log factors, 0 where infinite."""
        return np.where(np.isfinite(self.log_factors), self.log_factors, 0.0)

    @cached_property
    def ruin(self) -> Floats:
        """The probability of ruin in each step."""
        return np.asarray(np.minimum((self.probabilities * (self.log_factors == -np.inf)).sum(axis=1), 1.0))

    @cached_property
    def boundless(self) -> Floats:
        """The probability in each step that wealth becomes infinite."""
        return np.asarray(np.minimum((self.probabilities * (self.log_factors == np.inf)).sum(axis=1), 1.0))

    @cached_property
    def extremes(self) -> tuple[float, float]:
        """The least and the greatest finite log wealth there can be."""
        possible = self.finite > 0
        low = np.where(possible, self.finite_logs, np.inf).min(axis=1)
        high = np.where(possible, self.finite_logs, -np.inf).max(axis=1)
        return float((self.counts * low).sum()), float((self.counts * high).sum())


def _check_shares(shares: Floats) -> None:
    inside = ((shares >= 0) & (shares <= 1 + PROBABILITY_SUM_TOLERANCE)).all(axis=1)
    wrong = ~(inside & (abs(shares.sum(axis=1) - 1) <= PROBABILITY_SUM_TOLERANCE))
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            "the probabilities of a step lie between 0 and 1 and add up to 1; "
            f"those of step {row + 1:,} are {shares[row].tolist()}"
        )


def _checked_counts(counts: ArrayLike | None, rows: int) -> NDArray[np.int64]:
    numbers = np.ones(rows, dtype=np.int64) if counts is None else np.asarray(counts)
    if numbers.shape != (rows,) or numbers.dtype.kind not in "iu" or (numbers < 0).any():
        raise InputError(f"counts are {rows} whole numbers of at least 0, one per step")
    return numbers.astype(np.int64)


def group_steps(steps: LogReturns) -> tuple[float, dict[tuple[float, ...], list[tuple[int, Floats]]]]:
    """The sum of the lowest log factors, and steps by their gaps above these (equal to the last bit).

    Of each kind of step: how often it occurs, and the logarithms of its probabilities.
    """
    base, groups = 0.0, dict[tuple[float, ...], list[tuple[int, Floats]]]()
    for logs, shares, count in zip(steps.finite_logs, steps.finite, steps.counts.tolist(), strict=True):
        values, indices = np.unique(logs[shares > 0], return_inverse=True)
        if len(values):
            base += count * float(values[0])
            weights = np.log(np.bincount(indices, shares[shares > 0]))
            groups.setdefault(tuple((values - values[0]).tolist()), []).append((count, weights))
    return base, groups


@dataclass(frozen=True)
class MergedOutcomes:
    """All sums of some steps, each one of ours and one of theirs, with the logarithms of probabilities."""

    base: float
    ours: Sums
    theirs: Sums

    @classmethod
    def of(cls, steps: LogReturns) -> MergedOutcomes | None:
        """None if the sums are too many."""
        if len(steps.counts) > MAX_STEPS_PAIRED:
            return None
        base, groups = group_steps(steps)
        steps_by_gaps = {gaps: sum(count for count, _ in members) for gaps, members in groups.items()}
        # Of c steps with k gaps there are c + k over k counts of outcomes.
        sizes = {gaps: math.comb(c + len(gaps) - 1, len(gaps) - 1) for gaps, c in steps_by_gaps.items()}
        halves: tuple[list[tuple[float, ...]], ...] = ([], [])
        for gaps in sorted(sizes, key=lambda gaps: -sizes[gaps]):
            half = min(halves, key=lambda half: math.prod(sizes[key] for key in half))
            half.append(gaps)
            too_many = math.prod(sizes[key] for key in half) > MAX_SUMS_PER_HALF
            if too_many or (len(gaps) > 1 and sizes[gaps] * steps_by_gaps[gaps] > MAX_MERGED_CELLS):
                return None
        ours, theirs = (
            reduce(_add_sums, (_sum_alike(gaps, groups[gaps]) for gaps in half), NOTHING) for half in halves
        )
        return cls(base, ours, theirs)

    @property
    def outcomes(self) -> int:
        """The number of distinct outcomes."""
        return len(self.ours[0]) * len(self.theirs[0])

    def log_probability(self, threshold: float) -> float:
        """log P(finite sum ≥ threshold)."""
        (ours, our_logs), (theirs, their_logs) = self.ours, self.theirs
        above = np.append(np.logaddexp.accumulate(their_logs[::-1])[::-1], -np.inf)
        reached = our_logs + above[np.searchsorted(theirs, threshold - self.base - ours)]
        return float(np.logaddexp.reduce(reached))

    def sums(self) -> tuple[Floats, Floats] | None:
        """List the sums, ascending, with their probabilities; None if there are more than a million."""
        if self.outcomes > MAX_SUMS_PER_HALF:
            return None
        values, logs = _add_sums(self.ours, self.theirs)
        return values + self.base, np.exp(logs)


def _sum_alike(gaps: tuple[float, ...], members: Sequence[tuple[int, Floats]]) -> Sums:
    """Return the sums of steps with the same gaps, adding one step at a time."""
    if len(gaps) == 1:
        return np.zeros(1), sum((count * logs for count, logs in members), np.zeros(1))
    total = NOTHING
    for count, logs in members:
        for _ in range(count):
            total = _add_sums((np.array(gaps), logs), total)
    return total


def _add_sums(first: Sums, second: Sums) -> Sums:
    """Return the ascending distinct sums of two sets, with the logarithms of their probabilities."""
    values, logs = (np.add.outer(*columns).ravel() for columns in zip(first, second, strict=True))
    order = np.argsort(values, kind="stable")
    values = values[order]
    starts = np.flatnonzero(np.diff(values, prepend=-np.inf))
    return values[starts], np.logaddexp.reduceat(logs[order], starts)


BRACKET_WIDTHS = (1e-3, 1e-2, 1e-1)
"""Relative widths of a bracket where the law is smooth; the first that takes seconds only."""

MAX_SHARE_OUTSIDE_WINDOW = 1e-7
"""What may lie outside the window, relative to what is to be found."""

RELATIVE_ROUNDING_ALLOWANCE, ABSOLUTE_ROUNDING_ALLOWANCE = 1e-8, 1e-10
"""Relative and absolute allowances for rounding, far above what it comes to; more for many steps."""

MAX_EXPONENTIALS = 60_000_000
"""Exponentials, some 40 ns each."""


def enclose_tail(steps: LogReturns, x: float, slack: float) -> tuple[float, float, int] | None:
    """log P(x ≤ S < ∞) from below and from above, and the frequencies it took; None if they are too many.

    P(S > x) lies between the same ends.
    """
    tilt = tilt_towards(steps, x)
    base, _, variance = log_moment(steps, tilt)
    scale = 1 / (1 + 2.5 * tilt * math.sqrt(variance))
    tolerance = MAX_SHARE_OUTSIDE_WINDOW * scale
    period = window(steps, x, tilt, tolerance)
    for width in BRACKET_WIDTHS:
        count = math.ceil(tilt * period / width) + 1
        j, ratio = np.arange(count, dtype=np.float64), tilt * period / count
        angles, enough = 2 * np.pi * j / period, 0.02 * ratio * scale * np.sqrt((j + 1) / count)
        inversion = characteristic_function(steps, tilt, angles, x, enough)
        if inversion is not None:
            break
    else:
        return None
    turned, left = inversion
    above, below = majorant_coefficients(ratio, j / count)
    weights, nudge = np.where(j > 0, 2.0, 1.0) / count, np.exp(1j * angles * slack)
    dropped = float((weights * np.maximum(abs(above), abs(below)) * left).sum())
    high = float((weights * (above * turned * nudge).real).sum()) + dropped
    low = float((weights * (below * turned / nudge).real).sum()) - dropped
    # Repetition only adds to the majorant; the minorant must give back what falls outside one period.
    more = 1e-15 * float(steps.counts @ (1 + tilt * abs(steps.finite_logs).max(axis=1)))
    low = low * -math.expm1(-tilt * period) - 3 * tolerance - ABSOLUTE_ROUNDING_ALLOWANCE - more
    high = min(max(high, 0.0), 1.0) + ABSOLUTE_ROUNDING_ALLOWANCE + more
    log_low = (
        base - tilt * (x + slack) + math.log(low) - RELATIVE_ROUNDING_ALLOWANCE - more
        if low > 0
        else -math.inf
    )
    return log_low, base - tilt * (x - slack) + math.log(high) + RELATIVE_ROUNDING_ALLOWANCE + more, count


def log_moment(steps: LogReturns, tilt: float) -> tuple[float, float, float]:
    """log E[exp(θS); S finite], and the mean and variance of S under the law tilted by θ."""
    logs, _, mean, spread = _tilt(steps, tilt)
    return float(steps.counts @ logs), float(steps.counts @ mean), float(steps.counts @ spread)


def _tilt(steps: LogReturns, tilt: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Return log E[exp(θ step)], the tilted probabilities, and each step's mean and variance under them."""
    terms = steps.log_finite + tilt * steps.finite_logs
    top = terms.max(axis=1, keepdims=True)
    weights = np.exp(terms - top)
    sums = weights.sum(axis=1, keepdims=True)
    shares = weights / sums
    mean = (shares * steps.finite_logs).sum(axis=1)
    spread = (shares * (steps.finite_logs - mean[:, None]) ** 2).sum(axis=1)
    return (top + np.log(sums))[:, 0], shares, mean, spread


def tilt_towards(steps: LogReturns, x: float) -> float:
    """θ > 0 with tilted mean near x; any is right, this one is narrow."""
    from scipy.optimize import brentq

    _, mean, variance = log_moment(steps, 0.0)
    unit = 1 / math.sqrt(variance)
    if x <= mean + 0.5 / unit:
        return 0.5 * unit
    high = unit
    while (tilted := log_moment(steps, high))[1] < x:
        if tilted[2] < 1e-9 * variance:  # as good as at the upper end of all outcomes
            return high
        high *= 2
    return float(brentq(lambda tilt: log_moment(steps, tilt)[1] - x, 0.0, high, rtol=1e-3))


def window(steps: LogReturns, x: float, tilt: float, tolerance: float) -> float:
    """Outside one period the tilted law and exp(−θ(S − x)) have less than the tolerance (Chernoff)."""
    start, _, variance = log_moment(steps, tilt)

    def reach(sign: float) -> float:
        shifts = [sign * size / math.sqrt(variance) for size in (2.0, 4.0, 6.0)]
        logs = [log_moment(steps, tilt + s)[0] - start - s * x - math.log(tolerance) for s in shifts]
        return max(0.0, min(log / abs(s) for log, s in zip(logs, shifts, strict=True)))

    low, high = steps.extremes
    before, after = min(reach(-1.0), x - low), min(reach(1.0), high - x)
    return max(after, before - math.log(tolerance) / tilt)


def characteristic_function(
    steps: LogReturns, tilt: float, angles: Floats, x: float, enough: Floats
) -> tuple[NDArray[np.complex128], Floats] | None:
    """E_θ[exp(i·angle·(S − x))], and by how much it may be off: what is below ``enough`` is dropped."""
    _, shares, means, variances = _tilt(steps, tilt)
    spread = steps.counts * variances
    order = np.argsort(-spread, kind="stable")[: np.count_nonzero(spread)]
    # Steps are centred, so that no angle is large; what that moves is put back at the end.
    away = float(steps.counts @ means) - x
    offsets = steps.finite_logs[order] - means[order, None]
    shares, counts = shares[order], steps.counts[order]
    values, left = np.exp(1j * angles * away), np.zeros(len(angles))
    alive, work, start, at_once = np.arange(len(angles)), 0, 0, 8
    while start < len(order) and len(alive):
        part = slice(start, start + at_once)
        work += len(alive) * offsets[part].size
        if work > MAX_EXPONENTIALS:
            return None
        for indices in np.array_split(alive, max(1, len(alive) * at_once * offsets.shape[1] // 300_000)):
            turns = np.exp(1j * offsets[part, :, None] * angles[indices])
            factors = (shares[part, :, None] * turns).sum(axis=1) ** counts[part, None]
            values[indices] *= factors.prod(axis=0)
        size = abs(values[alive])
        small = size <= enough[alive]
        left[alive[small]] = size[small]
        values[alive[small]] = 0.0
        alive, start = alive[~small], start + at_once
        at_once = min(256, at_once * 2) if len(alive) < 4096 else 8
    return values, left
