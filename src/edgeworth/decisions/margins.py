"""The test of equal margins: is each class predicted as often as it is real?"""

from __future__ import annotations

import numpy as np
import scipy.special

from edgeworth.core.tails import SMALLEST, Tail
from edgeworth.decisions.table import ContingencyTable

MOST_CLASSES = 500


def equal_margins(table: ContingencyTable) -> Tail | None:
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
    kept = np.flatnonzero(errors.sum(axis=0) + errors.sum(axis=1))
    if not table.is_plain or not table.is_counted or not 2 <= len(kept) <= MOST_CLASSES:
        return None
    if len(kept) == 2:
        few, many = sorted((errors[kept[0], kept[1]], errors[kept[1], kept[0]]))
        p_value = min(1.0, 2 * float(scipy.special.bdtr(few, int(few + many), 0.5)))
        return Tail(p_value, p_value, max(p_value, SMALLEST), "exact, McNemar")
    errors = errors[np.ix_(kept, kept)]
    gaps = errors.sum(axis=1) - errors.sum(axis=0)
    spread = np.diag(errors.sum(axis=0) + errors.sum(axis=1)) - errors - errors.T
    # Classes that are confused only among themselves each cost a degree of freedom.
    square = float(gaps @ np.linalg.pinv(spread, rcond=1e-12, hermitian=True) @ gaps)
    freedom = int(np.linalg.matrix_rank(spread, hermitian=True))
    p_value = max(float(scipy.special.chdtrc(freedom, square)), SMALLEST)
    return Tail(p_value, p_value, p_value, f"Stuart–Maxwell, χ² = {square:.3g}", kind="approximation")
