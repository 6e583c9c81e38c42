"""Forecasters on cases in which almost nothing happened: when no winner is named, and what is reported.

A forecast of 0.9999 for what happens 99% of the time beats a forecast of 0.99 in every sample without
a surprise. No statistic of such a sample warns, because the errors that would hurt have not occurred. So two
counts decide whether a mean score may name a winner: cases of the rarer outcome, and cases in which a
forecaster's most likely class did not occur. And the difference must vary at least half as much as it would
if the true probabilities were halfway between both forecasts.

Below them the interval is Hoeffding's, given the forecasts. A case with outcome k adds d_i(k) to the
difference, one of K numbers that are known before the outcome, so it lies in a known range of width r_i. With
independent outcomes

    P(|d̄ − E d̄| ≥ t) ≤ 2 exp(−2 n² t² / Σ r_i²)

(Hoeffding 1963, Journal of the American Statistical Association 58, 13–30, theorem 2), whatever the true
probabilities are. This holds for every score, the log score too, unless a forecaster gives probability 0 to a
class. If these bounds exclude 0, they name the winner; otherwise none is named, and no p-value is reported.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.forecasts.bets import CaseClusters
from edgeworth.comparisons.policy import (
    MAX_CLASSES_FOR_VARIANCE_SEEN,
    MAX_HOEFFDING_P_VALUE,
    MIN_VARIANCE_SEEN,
)
from edgeworth.core.sampling_distributions import Alternative, choose_tail
from edgeworth.core.test_results import TestResult
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.policy import MIN_CASES_OF_RARER_OUTCOME
from edgeworth.forecasts.scarce_outcomes import explain_scarcity
from edgeworth.forecasts.scoring_rules import case_scores

HOEFFDING = "Hoeffding's bounds, given these forecasts"
NO_TEST = "too little happened for a test of the mean score"


def too_little_happened(
    first: Forecasts, second: Forecasts, clusters: CaseClusters | None = None, *, score: str | None = None
) -> str | None:
    """Explain why too little happened to name a better forecaster; None if enough did.

    The rarer outcome of two classes is the class with fewer cases. With more classes, those with fewer than
    ten cases count as one outcome, unless neither forecaster ever gives them a probability. With clusters,
    clusters that hold such a case are counted. With a ``score``, the outcomes must also vary as much as the
    forecasts let expect (``variance_seen``).

    >>> sure, calibrated = (Forecasts.of([1] * 99 + [0], np.full(100, p)) for p in (0.9999, 0.99))
    >>> too_little_happened(sure, calibrated)
    'the rarer outcome occurred in 1 case, and a t test needs 10'
    """
    unit = "case" if clusters is None else "cluster"

    def count(is_such: NDArray[np.bool_]) -> int:
        return int(is_such.sum()) if clusters is None else len(np.unique(clusters.codes[is_such]))

    classes = _rare_classes(first, second)
    rare = count(np.isin(first.codes, classes)) if classes.size else None
    failed = count(_top_class_failed(first) | _top_class_failed(second))
    reason = explain_scarcity(rare, failed, unit)
    if reason is None and score is not None and len(first.labels) <= MAX_CLASSES_FOR_VARIANCE_SEEN:
        is_enough = variance_seen(first, second, score) >= MIN_VARIANCE_SEEN
        reason = None if is_enough else "the outcomes that change the difference most hardly occurred"
    return reason


def variance_seen(first: Forecasts, second: Forecasts, score: str) -> float:
    """Divide the variance of a difference by the one that forecasts halfway between the two imply.

    Many cases in which the forecasts are nearly the same can hide that nothing happened in the few cases in
    which they differ. Case i adds d_i(k) to the difference if outcome k occurs. Halfway between two forecasts
    their expected Brier scores are equal.

    >>> codes = [0, 1] * 50 + [0] * 100
    >>> first, second = (np.repeat(p, 100) for p in ([0.45, 0.0001], [0.4505, 0.01]))
    >>> pair = Forecasts.of(codes, first), Forecasts.of(codes, second)
    >>> round(variance_seen(*pair, "brier"), 2)
    0.12
    """
    possible = _possible_differences(first, second, score)
    # Outcomes that a forecaster rules out have no variance; if one occurs, the log score is undefined.
    possible[~np.isfinite(possible)] = 0.0
    shares = (first.probabilities.T + second.probabilities.T) / 2
    means = (shares * possible).sum(axis=0)
    implied = float((shares * (possible - means) ** 2).sum())
    observed = possible[first.codes, np.arange(len(first))] - means
    return float(observed @ observed) / implied if implied > 0 else 1.0


def _rare_classes(first: Forecasts, second: Forecasts) -> NDArray[np.intp]:
    """Find the classes with too few cases, never the most common one."""
    counts = np.bincount(first.codes, minlength=len(first.labels))
    is_possible = (first.probabilities > 0).any(axis=0) | (second.probabilities > 0).any(axis=0)
    is_rare = (counts < MIN_CASES_OF_RARER_OUTCOME) & (is_possible | (counts > 0))
    is_rare[counts.argmax()] = False
    return np.flatnonzero(is_rare)


def _top_class_failed(forecasts: Forecasts) -> NDArray[np.bool_]:
    """Find the cases in which a class was more likely than the one that occurred; a tie is no failure."""
    return np.asarray(forecasts.of_truth(forecasts.probabilities) < forecasts.probabilities.max(axis=1))


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


def bound_difference(
    difference: Difference,
    reason: str,
    first: Forecasts,
    second: Forecasts,
    *,
    clusters: CaseClusters | None = None,
    horizon: int = 1,
    ordered: bool = False,
) -> Difference:
    """Replace Student's t by bounds that hold however rare the outcomes are, and name no winner but by them.

    Outcomes of a cluster may go together in any way. Forecasts ``horizon`` steps ahead overlap: every
    ``horizon``-th is independent, which multiplies Σ r² by it (Janson 2004, Random Structures & Algorithms
    24, 234–248).
    """
    bare = replace(
        difference,
        law=None,
        tests={},
        probability_better=math.nan,
        probability_method="",
        effect=None,
        interval_method="",
        no_winner=reason,
        no_test=NO_TEST,
        caveat=None,
    )
    if ordered:
        return replace(bare, no_interval="Hoeffding's bounds do not hold for rows checked as they arrive")
    possible = _possible_differences(first, second, difference.measure)
    if not np.isfinite(possible).all():
        reason_for_no_interval = (
            f"a system gives probability 0 to a class, so its {difference.measure} score has no bound"
        )
        return replace(bare, no_interval=reason_for_no_interval)
    low, high = possible.min(axis=0), possible.max(axis=0)
    ranges = high - low
    if clusters is not None:
        ranges = np.bincount(clusters.codes, weights=ranges)
    cases = len(first)
    scale = math.sqrt(horizon * float(ranges @ ranges)) / cases
    law = HoeffdingLaw(
        difference.difference, scale, float(low.mean()), float(high.mean()), difference.standard_error
    )
    bounded = replace(bare, law=law, interval_method=HOEFFDING, no_interval=None)
    p_value = law.p_value(0.0, "two-sided")
    if p_value > MAX_HOEFFDING_P_VALUE:
        return bounded
    test = TestResult(0.0, p_value, p_value, HOEFFDING, kind="bound")
    return replace(bounded, tests={"hoeffding": test}, no_winner=None, no_test=None, caveat=reason)


def _possible_differences(first: Forecasts, second: Forecasts, score: str) -> Floats:
    """Compute what each case would add to the difference if each class occurred: a row per class."""
    rows = []
    for index in range(len(first.labels)):
        codes = np.full_like(first.codes, index)
        with np.errstate(divide="ignore", invalid="ignore"):
            first_scores, second_scores = (
                case_scores(replace(system, codes=codes), (score,))[0] for system in (first, second)
            )
            rows.append(first_scores - second_scores)
    return np.array(rows)
