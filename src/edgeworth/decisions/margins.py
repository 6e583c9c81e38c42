"""The test of equal margins: is each class predicted as often as it is real?"""

from __future__ import annotations

import math

import numpy as np

from edgeworth.core.test_results import TestResult
from edgeworth.decisions.policy import MAX_CLASSES_FOR_EQUAL_MARGINS
from edgeworth.decisions.table import ContingencyTable


def equal_margins(table: ContingencyTable) -> TestResult | None:
    """Test whether labels are predicted as often as they are real, over the decided cases.

    With two classes the errors of one kind are binomial among all errors (McNemar, exact); with more the
    quadratic form of the differences is χ² with one degree of freedom less than there are classes (Stuart
    1955, Maxwell 1970). None with weights or clusters, of more than 500 classes, and where nothing is wrong.

    >>> table = ContingencyTable.from_matrix([[20, 9], [2, 30]], rows="predicted")
    >>> round(equal_margins(table).p_value, 4)
    0.0654
    """
    counts = table.counts.astype(np.float64)
    errors = counts - np.diag(counts.diagonal())
    confused = np.flatnonzero(errors.sum(axis=0) + errors.sum(axis=1))
    if not table.is_plain or not table.is_counted or not 2 <= len(confused) <= MAX_CLASSES_FOR_EQUAL_MARGINS:
        return None
    if len(confused) == 2:
        fewer, more = sorted((errors[confused[0], confused[1]], errors[confused[1], confused[0]]))
        return TestResult.from_probability(2 * _binomial_tail(int(fewer), int(fewer + more)), "McNemar")
    errors = errors[np.ix_(confused, confused)]
    differences = errors.sum(axis=1) - errors.sum(axis=0)
    covariance = np.diag(errors.sum(axis=0) + errors.sum(axis=1)) - errors - errors.T
    # Classes that are confused only among themselves each cost a degree of freedom.
    chi_square = float(differences @ np.linalg.pinv(covariance, rcond=1e-12, hermitian=True) @ differences)
    freedom = int(np.linalg.matrix_rank(covariance, hermitian=True))
    return TestResult.approximate(
        _chi_square_tail(chi_square, freedom), 0.0, f"Stuart–Maxwell, χ² = {chi_square:.3g}"
    )


def _binomial_tail(few: int, trials: int) -> float:
    """Compute P(X ≤ few) for fair coins, with ``few`` at most half of them, until terms are negligible."""
    log_coefficient = math.lgamma(trials + 1) - math.lgamma(few + 1) - math.lgamma(trials - few + 1)
    numbers = few - np.arange(min(few, int(10 * math.sqrt(trials)) + 50), dtype=np.float64)
    steps = np.cumsum(np.log(numbers / (trials - numbers + 1)))
    return float(math.exp(log_coefficient - trials * math.log(2)) * (1 + np.exp(steps).sum()))


def _chi_square_tail(square: float, freedom: int) -> float:
    """Compute P(χ² ≥ square) as a finite sum, without loading special functions."""
    half, odd = square / 2, freedom % 2
    if not half:
        return 1.0
    powers = np.arange(freedom // 2) + odd / 2
    terms = [math.exp(power * math.log(half) - half - math.lgamma(power + 1)) for power in powers]
    return min(1.0, sum(terms) + (math.erfc(math.sqrt(half)) if odd else 0.0))
