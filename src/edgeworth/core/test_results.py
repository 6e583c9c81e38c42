"""Results of tests: tail probabilities with the method that found them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

MAX_STEPS_FROM_MODE = 1 << 20
"""Terms of the hypergeometric law this far from the mode are not summed one by one."""

SMALLEST_FLOAT = 5e-324
"""The smallest float above 0: a probability is never reported as 0."""


@dataclass(frozen=True)
class TestResult:
    """A tail probability between ``low`` and ``high``; ``p_value`` is the one to use in a test.

    Enumeration gives ``exact`` as a fraction, and low = high. Monte Carlo gives a 99% interval around the
    share of draws, and (1 + count)/(1 + draws) as a p-value that is valid however few the draws. A proven
    bound gives low = 0 and itself. A bracket and weighted draws give their upper end as the p-value, an
    approximation itself.
    """

    low: float
    high: float
    p_value: float
    method: str
    exact: Fraction | None = None
    kind: Literal["exact", "bound", "drawn", "bracket", "approximation"] = "exact"

    __test__: ClassVar[bool] = False
    """Keeps pytest from collecting this class, whose name begins with Test."""

    @classmethod
    def from_probability(cls, probability: float, law: str = "hypergeometric") -> TestResult:
        """Make the result of an exact test in floats; a probability too small for one stays above 0."""
        if probability < SMALLEST_FLOAT:
            return cls(0.0, SMALLEST_FLOAT, SMALLEST_FLOAT, f"exact, {law}: below 5e-324", kind="bound")
        value = min(1.0, probability)
        return cls(value, value, value, f"exact, {law}")

    @classmethod
    def from_bound(cls, bound: float) -> TestResult:
        """Make the result of Chatterjee's concentration inequality."""
        return cls(0.0, bound, bound, "proven bound (Chatterjee 2007)", kind="bound")

    @classmethod
    def from_draws(cls, count: int, draws: int, seed: int, what: str = "tables") -> TestResult:
        """Make the result of a Monte Carlo test: draws of tables with the same margins, or of others."""
        from scipy.special import betaincinv

        tail = 0.005
        low = float(betaincinv(count, draws - count + 1, tail)) if count else 0.0
        high = float(betaincinv(count + 1, draws - count, 1 - tail)) if count < draws else 1.0
        method = f"Monte Carlo, {draws:,} {what}, seed {seed}"
        return cls(low, high, (1 + count) / (1 + draws), method, kind="drawn")

    @classmethod
    def from_fraction(cls, probability: Fraction, law: str) -> TestResult:
        """Make the result of an exact test as a fraction; one too small for a float stays above 0."""
        value = float(probability)
        if probability and value < SMALLEST_FLOAT:
            return cls(0.0, SMALLEST_FLOAT, SMALLEST_FLOAT, f"exact, {law}: below 5e-324", probability)
        return cls(value, value, value, f"exact, {law}", probability)

    @classmethod
    def from_bracket(
        cls, log_low: float, log_high: float, method: str, kind: Literal["bound", "drawn", "bracket"]
    ) -> TestResult:
        """Make a result between two bounds, given by their logarithms; the p-value is the upper one."""
        high = math.exp(min(log_high, 0.0))
        if high < SMALLEST_FLOAT:
            return cls(
                0.0,
                SMALLEST_FLOAT,
                SMALLEST_FLOAT,
                f"{method}: below 1e{math.ceil(log_high / math.log(10))}",
                kind=kind,
            )
        return cls(math.exp(min(log_low, 0.0)), high, high, method, kind=kind)

    @classmethod
    def approximate(cls, value: float, error: float, method: str) -> TestResult:
        """Make an approximate result with the size of its error; nothing is proven."""
        low = max(value - error, 0.0)
        high = min(max(value + error, SMALLEST_FLOAT), 1.0)
        return cls(low, high, min(max(value, SMALLEST_FLOAT), 1.0), method, kind="approximation")


def hypergeometric_range(total: int, marked: int, drawn: int) -> tuple[int, int]:
    """Find the fewest and the most marked items among those drawn."""
    return max(0, drawn + marked - total), min(marked, drawn)


def hypergeometric_tails(total: int, marked: int, drawn: int, count: int) -> tuple[float, float]:
    """Compute P(at most count) and P(at least count) of marked items drawn without replacement.

    Terms are summed outwards from ``count`` by the ratio of neighbours, in log space, and divided by the sum
    of all: no factorials, so a tail of 1e-300 is as accurate as one of 0.1, and ten million cases as ten.
    """
    low, high = hypergeometric_range(total, marked, drawn)
    if count < low:
        return 0.0, 1.0
    if count > high:
        return 1.0, 0.0
    mode = (drawn + 1) * (marked + 1) // (total + 2)
    if abs(count - mode) > MAX_STEPS_FROM_MODE:
        return _far_tails(total, marked, drawn, count, below=count < mode)
    down = _log_sum_of_ratios(total, marked, drawn, count, low, -1)
    up = _log_sum_of_ratios(total, marked, drawn, count, high, +1)
    # Both sums hold the term at count, which is 1.
    larger = max(down, up)
    log_total = larger + math.log(math.exp(down - larger) + math.exp(up - larger) - math.exp(-larger))
    return math.exp(down - log_total), math.exp(up - log_total)


def _far_tails(total: int, marked: int, drawn: int, count: int, *, below: bool) -> tuple[float, float]:
    """Compute the tails far from the mode: one term by factorials, then the sum of the near side.

    The logarithms of factorials lose about total · log(total) · 1e-16: 1e-6 for a billion cases.
    """
    term = log_choose(marked, count) + log_choose(total - marked, drawn - count) - log_choose(total, drawn)
    low, high = hypergeometric_range(total, marked, drawn)
    end, step = (low, -1) if below else (high, +1)
    near = math.exp(min(0.0, term + _log_sum_of_ratios(total, marked, drawn, count, end, step)))
    rest = 1 - near + math.exp(min(0.0, term))
    return (near, rest) if below else (rest, near)


def log_choose(n: int, k: int) -> float:
    """Compute the logarithm of a binomial coefficient."""
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _log_sum_of_ratios(total: int, marked: int, drawn: int, count: int, end: int, step: int) -> float:
    """Compute log Σ P(c)/P(count) from count to end; stop when the rest is negligible."""
    log_sum = 0.0
    log_term = 0.0
    position = count
    while position != end:
        length = min(abs(end - position), 1 << 15)
        c = position + step * np.arange(length, dtype=np.float64)
        ratios = step_up(total, marked, drawn, c) if step > 0 else 1 / step_up(total, marked, drawn, c - 1)
        logs: NDArray[np.float64] = log_term + np.cumsum(np.log(ratios))
        peak = float(logs.max())
        if peak > -math.inf:
            log_sum = float(np.logaddexp(log_sum, peak + np.log(np.exp(logs - peak).sum())))
        position += step * length
        log_term = float(logs[-1])
        # Ratios only fall on the way out, so past the mode the rest is less than a geometric series.
        if ratios[-1] < 0.999 and log_term < log_sum - 60:
            break
    return log_sum


def step_up(total: int, marked: int, drawn: int, c: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute P(c + 1)/P(c) of the hypergeometric law."""
    return np.asarray((marked - c) * (drawn - c) / ((c + 1) * (total - marked - drawn + c + 1)))
