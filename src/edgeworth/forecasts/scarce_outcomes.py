"""When too little happened for a mean score to name the better of two forecasters.

A forecast of 0.9999 for what happens 99% of the time beats a forecast of 0.99 in every sample without a
surprise. Two counts decide whether a t test may claim a difference of mean scores: cases of the rarer
outcome, and cases in which a forecaster's most likely class did not occur. The difference must also vary at
least half as much as forecasts halfway between both imply.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from edgeworth.core.formatting import plural
from edgeworth.core.registry import measure
from edgeworth.core.sampling_distributions import Alternative, choose_tail
from edgeworth.decisions.table import ContingencyTable
from edgeworth.forecasts.policy import (
    MIN_CASES_OF_RARER_OUTCOME,
    MIN_CASES_TOP_CLASS_FAILED,
    MIN_VARIANCE_SEEN,
)
from edgeworth.forecasts.possible_differences import PossibleDifferences
from edgeworth.forecasts.scores import ForecastScores

HOEFFDING = "Hoeffding's bounds, given these forecasts"


def explain_scarcity(
    rare: int | None,
    failed: int,
    unit: str = "case",
    *,
    variance_seen: float | None = None,
    outcome: str = "the rarer outcome",
) -> str | None:
    """Explain why too little happened to name a better forecaster; None if enough did.

    ``rare`` counts the cases of the rarer outcome, None if no class is rare. ``failed`` counts the cases in
    which a forecaster's most likely class did not occur. ``variance_seen`` divides the variance of the
    difference by the one that the forecasts imply; None if it is not known. ``outcome`` is what the rarer
    outcome is called.

    >>> explain_scarcity(1, 1)
    'the rarer outcome occurred in 1 case, and a t test needs 10'
    """
    if rare is not None and rare < MIN_CASES_OF_RARER_OUTCOME:
        occurred = "never occurred" if not rare else f"occurred in {rare} {plural(rare, unit)}"
        return f"{outcome} {occurred}, and a t test needs {MIN_CASES_OF_RARER_OUTCOME}"
    if failed < MIN_CASES_TOP_CLASS_FAILED:
        return (
            f"in {failed} {plural(failed, unit)} a system's most likely class did not occur, and a t test "
            f"needs {MIN_CASES_TOP_CLASS_FAILED}"
        )
    if variance_seen is not None and variance_seen < MIN_VARIANCE_SEEN:
        return "too few unlikely outcomes occurred, and these weigh most in the difference"
    return None


def scarcity_of_tally(
    scores: ForecastScores,
    tables: Mapping[str, ContingencyTable],
    possible: PossibleDifferences | None,
    score: str,
) -> str | None:
    """Explain scarcity for a score, by cases of each class, most likely classes, and the variance seen.

    A tally does not hold in how many cases one system or the other failed, so the larger number counts.
    Weighted cases count as their effective number.
    """
    rare = count_rarer_outcome(scores)
    shares_failed = [1 - measure(table, "accuracy") for table in tables.values()]
    failed = round(max(shares_failed) * scores.effective_cases)
    variance_seen = None if possible is None else possible.variance_seen(score)
    return explain_scarcity(rare, failed, variance_seen=variance_seen)


def count_rarer_outcome(scores: ForecastScores) -> int | None:
    """Count the cases of the classes that are too rare for a t test; None if no class is."""
    counts = np.asarray(scores.classes) * (scores.effective_cases / sum(scores.classes))
    is_rare = counts < MIN_CASES_OF_RARER_OUTCOME
    is_rare[counts.argmax()] = False
    return int(counts[is_rare].sum()) if is_rare.any() else None


def rare_outcome_caveat(scores: ForecastScores) -> str | None:
    """Return the caveat of an interval for a mean score if the errors that would raise it may be missing."""
    rare = count_rarer_outcome(scores)
    if rare is None or rare >= MIN_CASES_OF_RARER_OUTCOME:
        return None
    return f"the rarer outcome occurred in {rare} {plural(rare, 'case')}, so the interval may be too narrow"


@dataclass(frozen=True, eq=False)
class HoeffdingLaw:
    """Bounds for a mean of independent differences that lie in known ranges."""

    value: float
    scale: float
    """√Σ r² / n, over independent units with ranges r."""
    lowest: float
    highest: float
    """The least and the greatest mean that the forecasts allow."""
    standard_error: float

    def interval(self, level: float) -> tuple[float, float]:
        """Return the bounds at a level, within what the forecasts allow."""
        reach = self.scale * math.sqrt(math.log(2 / (1 - level)) / 2)
        return max(self.value - reach, self.lowest), min(self.value + reach, self.highest)

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Bound the p-value: the level at which the null just leaves the interval."""
        distance = abs(null - self.value) / self.scale if self.scale else math.inf
        tail = 0.0 if not self.lowest <= null <= self.highest else math.exp(-2 * distance**2)
        tail = min(tail, 0.5)
        return choose_tail(*((tail, 1 - tail) if null > self.value else (1 - tail, tail)), alternative)
