"""Who scores better on average: the mean difference of a score, its bounds, and how far these hold."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from edgeworth.core.laws import student_quantile
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.sequential.asymptotic import block_asymptotic_sequence
from edgeworth.forecasts.sequential.bernstein import block_empirical_bernstein
from edgeworth.forecasts.sequential.sequences import BlockSums, ConfidenceSequence

NOT_BEFORE = {
    "cross-validated": "roughly: the predictions are cross-validated",
    "in-sample": "not for new cases: the model had seen these outcomes",
}

INFINITE_SCORE = "a log score is infinite, since probability 0 came true: its mean has no interval"
"""Why there is no difference of log scores."""


@dataclass(frozen=True)
class AverageDifference:
    """The mean difference of a score, rival less model: above 0 the model scores better.

    ``holds`` says in words for what the bounds hold at the level; ``sequence`` are the bounds on the way,
    None where only those at the end mean anything; no difference is larger than ``reach``.
    """

    mean: float
    low: float
    high: float
    level: float
    holds: str
    method: str
    sequence: ConfidenceSequence | None
    reach: float = math.inf

    @property
    def at_all_times(self) -> bool:
        """Whether the bounds on the way hold all at once, so that one may look and stop when one likes."""
        return self.sequence is not None and self.holds == "at all times"

    @property
    def says_nothing(self) -> bool:
        """Whether the bounds are all that is possible, or there are none."""
        return math.isnan(self.low) or (self.low <= -self.reach and self.high >= self.reach)


def brier_difference(wealth: Wealth, level: float) -> AverageDifference:
    """By the empirical Bernstein sequence; by Student's t against shares counted on these very cases."""
    reach = brier_range(wealth) / 2
    if wealth.book == "constant":
        return _with_hindsight(_blocks(wealth, "brier"), wealth, level, reach)
    sequence = block_empirical_bernstein(_blocks(wealth, "brier"), c=brier_range(wealth), level=level)
    holds = "at all times" if wealth.ordered else "if the cases are independent"
    return _of_sequence(sequence, NOT_BEFORE.get(wealth.predictions_made, holds), reach)


def log_difference(wealth: Wealth, level: float) -> AverageDifference | None:
    """By the asymptotic sequence; None where a log score is infinite: its mean has no interval."""
    if not (np.isfinite(wealth.sums("log")).all() and np.isfinite(wealth.sums("log_square")).all()):
        return None
    blocks = _blocks(wealth, "log")
    if wealth.book == "constant":
        return _with_hindsight(blocks, wealth, level, math.inf)
    sequence = block_asymptotic_sequence(blocks, level=level)
    holds = f"asymptotically, from case {sequence.burn_in} on"
    holds += "" if wealth.ordered else ", if the cases are independent"
    return _of_sequence(sequence, NOT_BEFORE.get(wealth.predictions_made, holds))


def brier_range(wealth: Wealth) -> float:
    """c: a difference of Brier scores lies in ±1 for two classes and in ±2 for more."""
    return 2.0 if len(wealth.labels) == 2 else 4.0


def _blocks(wealth: Wealth, score: str) -> BlockSums:
    counts = wealth.blocks.ends - wealth.blocks.starts
    return BlockSums(counts, wealth.sums(score), wealth.sums(f"{score}_square"))


def _of_sequence(sequence: ConfidenceSequence, holds: str, reach: float = math.inf) -> AverageDifference:
    last = sequence.last
    return AverageDifference(
        last.mean, last.low, last.high, sequence.level, holds, sequence.method, sequence, reach
    )


def _with_hindsight(blocks: BlockSums, wealth: Wealth, level: float, reach: float) -> AverageDifference:
    """Mean ± t · standard error, within ±reach.

    Each difference depends on all outcomes through the shares, so no sequence holds. But fitted shares
    minimise their own score: to first order it does not matter that they were fitted, and for many cases the
    plain interval is that of the difference to the true constant shares.
    """
    cases, total = int(blocks.counts.sum()), float(blocks.sums.sum())
    mean = total / cases
    low, high = math.nan, math.nan
    spread = float(blocks.squares.sum()) - cases * mean**2
    if cases > 1 and spread > 1e-13 * float(blocks.squares.sum()):
        error = math.sqrt(spread / (cases - 1) / cases)
        away = student_quantile(level, cases - 1) * error
        low, high = max(mean - away, -reach), min(mean + away, reach)
    holds = "roughly, for many independent cases: the shares were counted on these"
    holds = NOT_BEFORE.get(wealth.predictions_made, holds)
    return AverageDifference(mean, low, high, level, holds, "Student's t over cases", None, reach)
