"""Variance of means and ratios over clusters of unequal size: CR2 and its degrees of freedom.

The plain sandwich squares each cluster's residual sum. A cluster that holds a share h of the weight pulls
the estimate towards itself, so its residual is too small: CR2 (Bell & McCaffrey 2002) divides its square by
1 − h. If a few large clusters dominate, the variance estimate rests on few of them, and Satterthwaite's
degrees of freedom are small. They belong to the χ² law with the first two moments that the variance has if
cases are independent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.core.policy import MAX_T_OF_CLUSTER_SIZE, MIN_EFFECTIVE_UNITS_FOR_COVERAGE


@dataclass(frozen=True)
class ClusterSpread:
    """A variance from cluster sums, its degrees of freedom, and the effective number of clusters."""

    variance: float
    freedom: float
    effective: float
    from_kurtosis: float = math.inf
    """The degrees of freedom that the kurtosis of the cluster sums leaves."""
    size_t: float = 0.0
    """The t value of the correlation between the size of a cluster and its mean residual."""

    @property
    def caveat(self) -> str | None:
        """Return why an interval from these clusters may cover less than its level, or None."""
        if abs(self.size_t) > MAX_T_OF_CLUSTER_SIZE:
            return "large clusters differ from small ones"
        return effective_units_caveat(self.effective, "clusters")

    @property
    def least(self) -> float:
        """Return the smaller degrees of freedom: those by kurtosis if few clusters hold all errors."""
        return min(self.freedom, self.from_kurtosis)


def cluster_variance_of_ratios(
    residuals: Floats, weights: Floats, coefficients: Floats | None = None, variances: Floats | None = None
) -> ClusterSpread:
    """Estimate the variance of Σ coefficient · ratio over ratios of disjoint cases, by CR2.

    ``residuals`` are for each cluster (row) and ratio (column) the sum of w · (y − ratio), ``weights`` the
    sums of w; one column may be a plain array. ``coefficients`` are 1 by default. ``variances`` are each
    ratio's of a single case, relative to one another, and enter the degrees of freedom alone.
    """
    residuals, weights = (np.asarray(part, dtype=np.float64) for part in (residuals, weights))
    residuals, weights = residuals.reshape(len(residuals), -1), weights.reshape(len(weights), -1)
    ratios = weights.shape[1]
    coefficients = np.ones(ratios) if coefficients is None else np.asarray(coefficients, dtype=np.float64)
    variances = np.ones(ratios) if variances is None else np.asarray(variances, dtype=np.float64)
    totals = weights.sum(axis=0)
    shares = weights / totals
    effective = float(weights.sum()) ** 2 / float((weights.sum(axis=1) ** 2).sum())
    if (shares >= 1).any():  # only one cluster has the ratio, so its variance is unknown
        return ClusterSpread(float("nan"), 0.0, effective)
    size_t = size_correlation(residuals @ (coefficients / totals), weights.sum(axis=1))
    sums = (residuals / np.sqrt(1 - shares)) @ (coefficients / totals)
    # If cases are independent, the sums have variances shares · scale and covariances −Σ scale · pull · pull.
    scale = coefficients**2 * variances / totals
    pull = shares / np.sqrt(1 - shares)
    diagonal = shares @ scale
    overlap = (pull.T @ pull) ** 2
    square = diagonal @ diagonal + scale @ overlap @ scale - ((pull**2 @ scale) ** 2).sum()
    freedom = float(diagonal.sum() ** 2 / square) if square > 0 else 0.0
    return ClusterSpread(float(sums @ sums), freedom, effective, kurtosis_degrees_of_freedom(sums), size_t)


def weighted_degrees_of_freedom(effective: float, square: float, fourth: float) -> float:
    """Compute the degrees of freedom of a variance Σw²r² from Kish's effective number, Σw² and Σw⁴.

    They are Satterthwaite's, (Σw²)²/Σw⁴ − 1, and the effective number − 1 at most.

    >>> weighted_degrees_of_freedom(10.0, 10.0, 10.0)
    9.0
    """
    return max(min(effective, square**2 / fourth) - 1, 0.5)


def effective_units_caveat(effective: float, units: str) -> str | None:
    """Return a caveat if the effective number of clusters or weighted cases is small, or None.

    >>> effective_units_caveat(12.34, "clusters")
    'only 12 effective clusters'
    """
    if effective >= MIN_EFFECTIVE_UNITS_FOR_COVERAGE - 1e-9:
        return None
    return f"only {effective:.2g} effective {units}"


def size_correlation(sums: Floats, sizes: Floats) -> float:
    """Compute the t value of the correlation between cluster sizes and the mean residuals of clusters.

    If large clusters are harder than small ones, a sample without a large cluster is too optimistic and shows
    too little variance. It is 0 if clusters are equally large, or fewer than four.
    """
    means = sums / np.where(sizes > 0, sizes, 1.0)
    spreads = float(np.std(sizes)), float(np.std(means))
    if len(sizes) < 4 or not (spreads[0] > 1e-9 * sizes.max() and spreads[1] > 1e-12 * np.abs(means).max()):
        return 0.0
    correlation = float(np.mean((sizes - sizes.mean()) * (means - means.mean()))) / (spreads[0] * spreads[1])
    return correlation * math.sqrt((len(sizes) - 2) / max(1 - correlation**2, 1e-12))


def kurtosis_degrees_of_freedom(sums: Floats, counts: Floats | None = None) -> float:
    """Compute 2 G/(κ − 1), the degrees of freedom of a variance from G sums whose kurtosis is κ.

    >>> kurtosis_degrees_of_freedom(np.array([1.0, -1.0, 1.0, -1.0]))
    inf
    >>> kurtosis_degrees_of_freedom(np.array([0.0, 0.0, 0.0, 4.0]))
    2.6666666666666665
    """
    counts = np.ones(len(sums)) if counts is None else counts
    squares = sums**2
    clusters = counts.sum()
    second_moment = counts @ squares
    fourth_moment = counts @ squares**2
    kurtosis = clusters * fourth_moment / second_moment**2 if second_moment > 0 else 1.0
    return float(2 * clusters / (kurtosis - 1)) if kurtosis > 1 else math.inf
