"""When too little happened for a mean score to name the better of two forecasters.

A forecast of 0.9999 for what happens 99% of the time beats a forecast of 0.99 in every sample without a
surprise. Two counts decide whether a difference of mean scores is claimed: cases of the rarer outcome, and
cases in which a forecaster's most likely class did not occur.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from edgeworth.core.formatting import plural
from edgeworth.core.registry import measure
from edgeworth.decisions.table import ContingencyTable
from edgeworth.forecasts.policy import MIN_CASES_OF_RARER_OUTCOME, MIN_CASES_TOP_CLASS_FAILED
from edgeworth.forecasts.scores import ForecastScores


def explain_scarcity(rare: int | None, failed: int, unit: str = "case") -> str | None:
    """Explain why too little happened to name a better forecaster; None if enough did.

    ``rare`` counts the cases of the rarer outcome, None if no class is rare. ``failed`` counts the cases in
    which a forecaster's most likely class did not occur.

    >>> explain_scarcity(1, 1)
    'the rarer outcome occurred in 1 case, and a t test needs 10'
    """
    if rare is not None and rare < MIN_CASES_OF_RARER_OUTCOME:
        occurred = "never occurred" if not rare else f"occurred in {rare} {plural(rare, unit)}"
        return f"the rarer outcome {occurred}, and a t test needs {MIN_CASES_OF_RARER_OUTCOME}"
    if failed < MIN_CASES_TOP_CLASS_FAILED:
        return (
            f"in {failed} {plural(failed, unit)} a system's most likely class did not occur, and a t test "
            f"needs {MIN_CASES_TOP_CLASS_FAILED}"
        )
    return None


def scarcity_of_tally(scores: ForecastScores, tables: Mapping[str, ContingencyTable]) -> str | None:
    """Explain scarcity by the cases of each class and each system's most likely classes.

    A tally does not hold in how many cases one system or the other failed, so the larger number counts.
    Weighted cases count as their effective number.
    """
    rare = count_rarer_outcome(scores)
    shares_failed = [1 - measure(table, "accuracy") for table in tables.values()]
    return explain_scarcity(rare, round(max(shares_failed) * scores.effective_cases))


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
