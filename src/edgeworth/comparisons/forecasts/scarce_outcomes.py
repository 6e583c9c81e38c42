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
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.forecasts.bets import CaseClusters
from edgeworth.core.test_results import TestResult
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.policy import (
    MAX_CLASSES_FOR_VARIANCE_SEEN,
    MAX_HOEFFDING_P_VALUE,
    MIN_CASES_OF_RARER_OUTCOME,
)
from edgeworth.forecasts.possible_differences import PossibleDifferences, possible_differences
from edgeworth.forecasts.scarce_outcomes import HOEFFDING, HoeffdingLaw, explain_scarcity
from edgeworth.sources.columns import Label

MAX_OUTCOMES_NAMED = 3
NO_TEST = "too little happened for a test of the mean score"


def too_little_happened(
    first: Forecasts, second: Forecasts, clusters: CaseClusters | None = None, *, score: str | None = None
) -> str | None:
    """Explain why too little happened to name a better forecaster; None if enough did.

    The rarer outcome of two classes is the class with fewer cases. With more classes, those with fewer than
    ten cases count as one outcome, unless neither forecaster ever gives them a probability. With clusters,
    clusters that hold such a case are counted. With a ``score``, its difference must also vary as much as
    the forecasts let expect (``PossibleDifferences.variance_seen``).

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
    variance_seen = None
    if score is not None and len(first.labels) <= MAX_CLASSES_FOR_VARIANCE_SEEN:
        variance_seen = PossibleDifferences.of(first, second, (score,)).variance_seen(score)
    outcome = _name_outcome([first.labels[index] for index in classes], len(first.labels))
    return explain_scarcity(rare, failed, unit, variance_seen=variance_seen, outcome=outcome)


def _name_outcome(rare: Sequence[Label], classes: int) -> str:
    """Name the rarer outcome, which may be several of more than two classes.

    >>> _name_outcome(["C"], 4), _name_outcome(["A", "C"], 4), _name_outcome([1], 2)
    ('the rarest outcome (C)', 'the rare outcomes (A, C together)', 'the rarer outcome')
    """
    if classes == 2 or not rare:
        return "the rarer outcome"
    if len(rare) > MAX_OUTCOMES_NAMED:
        return f"the {len(rare)} rarest outcomes together"
    names = ", ".join(map(str, rare))
    return f"the rarest outcome ({names})" if len(rare) == 1 else f"the rare outcomes ({names} together)"


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
    possible = possible_differences(first, second, difference.measure)
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
