"""Paired values of two systems: Student's t, the effect size, Wilcoxon's signed ranks and the sign test.

The permutation test (``permutation.py``) and Student's t ask about the mean, which is what is compared.
Wilcoxon's test and the sign test ask about something else, and are offered, not advised.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import scipy

from edgeworth.common.arrays import Floats
from edgeworth.comparisons.difference import Effect
from edgeworth.comparisons.paired_values.exact_values import (
    RELATIVE_ROUNDING,
    ClusterNames,
    NumbersToCompare,
    Scaled,
)
from edgeworth.comparisons.paired_values.permutation import sign_sums_of
from edgeworth.comparisons.planning import noncentral_t
from edgeworth.comparisons.randomization.coins import lower_tail
from edgeworth.core.clusters import cluster_variance_of_ratios
from edgeworth.core.sampling_distributions import (
    NormalLaw,
    Scale,
    bisect,
    few_clusters_caveat,
    normal_quantile,
)
from edgeworth.core.test_results import TestResult

MAX_BRACKET_STEPS = 200
"""Steps by which a bracket is widened at most."""


@dataclass(frozen=True)
class LawWithinReach(NormalLaw):
    """Student's t, cut at the largest difference there can be: that takes nothing from its coverage."""

    reach: float = math.inf
    skewness: float = 0.0
    """The skewness of the differences, which does not move the interval but how often a gate errs."""

    def interval(self, level: float) -> tuple[float, float]:
        """Return the bounds that are possible."""
        low, high = super().interval(level)
        return max(low, -self.reach), min(high, self.reach)


@dataclass(frozen=True)
class MeanDifference:
    """The mean of paired differences with its standard error over independent units.

    >>> result = mean_difference([0.1, 0.3, 0.2, 0.4])
    >>> round(result.value, 4), round(result.statistic, 4), round(result.test().p_value, 4)
    (0.25, 3.873, 0.0305)
    """

    value: float
    standard_error: float
    """0 when all differences are the same up to rounding; nan for a single unit."""
    units: int
    freedom: float
    """The degrees of freedom of Student's t, fewer than units where clusters are unequal."""
    caveat: str | None = None
    """Why clusters are too few, or too unequal, to name a winner by."""
    reach: float = math.inf
    """How large a difference may be."""
    skewness: float = 0.0
    """The skewness of the units' differences, corrected for few units."""

    @property
    def statistic(self) -> float:
        """Student's t; nan where nothing varies."""
        return self.value / self.standard_error if self.standard_error > 0 else math.nan

    @property
    def no_law(self) -> str | None:
        """Why nothing is known about how far off the mean may be; None when it is known."""
        if self.standard_error > 0:
            return None
        if self.units < 2:
            return "with a single unit, the variability cannot be estimated"
        same = "the difference is the same" if self.value else "both have the same value"
        return f"{same} in every unit, so its variability cannot be estimated"

    @property
    def law(self) -> NormalLaw | None:
        """Student's t around the mean."""
        if self.no_law is not None:
            return None
        return LawWithinReach(
            self.value, self.standard_error, Scale(), self.freedom, self.reach, self.skewness
        )

    def test(self) -> TestResult:
        """Test by Student's t, two-sided; without variation p is 1 if there is no difference, else nan."""
        if self.law is not None:
            # A two-sided test is the same whichever system comes first, and so are its words.
            method = f"Student's |t| = {abs(self.statistic):.3g}, {self.freedom:.4g} degrees of freedom"
            return TestResult.approximate(self.law.p_value(0.0, "two-sided"), 0.0, method)
        p_value = math.nan if self.value else 1.0
        return TestResult(p_value, p_value, p_value, f"Student's t: {self.no_law}", kind="approximation")

    @property
    def probability_above(self) -> float:
        """P(true mean > 0) under a flat prior on the mean and on the logarithm of the spread.

        The posterior of the mean is then Student's t around the mean seen. One half when there is no
        difference anywhere, nan when differences do not vary.
        """
        if self.law is not None:
            return float(scipy.special.stdtr(self.freedom, self.statistic))
        return math.nan if self.value else 0.5

    def effect(self) -> Effect | None:
        """Compute Cohen's d_z, mean over standard deviation; its interval is exact for normal differences.

        ``d_z = t/√n``; t has a noncentral law with parameter δ = √n · (true d_z), and the bounds are the δ
        that leave (1 − level)/2 beyond the t seen (Steiger & Fouladi 1997). None where nothing varies.
        """
        value = self.statistic / math.sqrt(self.units)
        return None if self.law is None else Effect("Cohen's d_z", value, self._effect_bounds)

    def _effect_bounds(self, level: float) -> tuple[float, float]:
        tail, root = (1 - level) / 2, math.sqrt(self.units)
        low = _noncentrality(self.freedom, self.statistic, 1 - tail)
        return low / root, _noncentrality(self.freedom, self.statistic, tail) / root


def mean_difference(
    differences: NumbersToCompare,
    *,
    clusters: ClusterNames | None = None,
    size: float | None = None,
    reach: float = math.inf,
) -> MeanDifference:
    """Compute the mean difference over cases, and its standard error over cases or clusters.

    With clusters the mean is a ratio, Σ sums / Σ sizes, and its error is CR2's (``core/clusters.py``), which
    is the usual one when every cluster is one case. ``size`` is the largest value that the differences were
    taken from: spread within its rounding is none; ``reach`` is how large a difference may be.
    """
    values = np.asarray(differences, dtype=np.float64)
    if clusters is None:
        sums, sizes = values, np.ones(len(values))
    else:
        code_of_cluster: dict[Hashable, int] = {}
        codes = [code_of_cluster.setdefault(cluster, len(code_of_cluster)) for cluster in clusters]
        sums, sizes = (
            np.bincount(codes, weights).astype(np.float64) for weights in (values, np.ones(len(codes)))
        )
    mean = math.fsum(values.tolist()) / len(values)
    rests = sums - sizes * mean
    units = len(sums)
    # Differences that would all be the same, had they not been rounded, are.
    same = RELATIVE_ROUNDING * float(max(abs(values).max(), abs(size or 0.0)) * sizes.max())
    if units > 1 and float(abs(rests).max()) <= same:
        return MeanDifference(0.0 if abs(mean) <= same else mean, 0.0, units, units - 1.0)
    if clusters is None or units < 2:
        error = math.sqrt(units / (units - 1) * float(rests @ rests)) / len(values) if units > 1 else math.nan
        return MeanDifference(mean, error, units, units - 1.0, reach=reach, skewness=sample_skewness(rests))
    spread = cluster_variance_of_ratios(rests, sizes)
    freedom, caveat = round(spread.freedom, 9), few_clusters_caveat(spread.freedom)
    error = math.sqrt(spread.variance)
    return MeanDifference(mean, error, units, freedom, caveat, reach, sample_skewness(rests))


def sample_skewness(rests: Floats) -> float:
    """Compute the skewness of values around their mean, corrected for the bias of few values.

    This is Fisher's G1, √(n(n−1))/(n−2) times the plain skewness.

    >>> round(sample_skewness(np.array([-1.0, -1.0, -1.0, 3.0])), 3)
    2.0
    """
    number = len(rests)
    variance = float(rests @ rests) / number
    if number < 3 or variance <= 0:
        return 0.0
    plain = float((rests**3).mean()) / variance**1.5
    return float(plain * math.sqrt(number * (number - 1)) / (number - 2))


def wilcoxon_test(units: Scaled) -> TestResult:
    """Test by Wilcoxon's signed ranks: P(|Σ ± rank| ≥ |Σ sign · rank|) over equally likely signs.

    Units without a difference are left out before ranking (Wilcoxon 1945), equal magnitudes share their mean
    rank, and the law is that of the ranks as they are, ties included: exact up to some hundred units, normal
    with a correction for continuity beyond.

    >>> wilcoxon_test(Scaled.of([3, -1, 2, 4])).exact
    Fraction(1, 4)
    """
    ranked = signed_ranks(units)
    sums, what = sign_sums_of(ranked)
    exact = sums.exact(what, 0)
    if exact is not None:
        return exact
    variance = sum(count * rank**2 for rank, count in zip(sums.amounts, sums.counts, strict=True))
    # Sums of signed ranks are an even number apart.
    p_value = float(2 * scipy.special.ndtr(-max(sums.observed - 1, 0) / math.sqrt(variance)))
    method = f"normal approximation, {sums.coins:,} signed ranks, ties taken into account"
    return TestResult.approximate(p_value, 0.0, method)


def signed_ranks(units: Scaled) -> Scaled:
    """Compute twice the mean rank of each magnitude that is not 0, with its sign: whole numbers.

    >>> signed_ranks(Scaled.of([0, 5, -2, 5])).numbers.tolist()
    [0, 5, -2, 5]
    """
    signs, magnitudes = units.signs, np.abs(units.numbers)
    order = np.argsort(magnitudes, kind="stable")
    order = order[signs[order] != 0]
    # Magnitudes within rounding of the one before are tied with it.
    is_first = np.ones(len(order), dtype=bool)
    is_first[1:] = np.diff(magnitudes[order]) > 2 * units.slack
    starts = np.flatnonzero(is_first)
    sizes = np.diff(np.append(starts, len(order)))
    ranks = np.zeros(len(magnitudes), dtype=np.int64)
    ranks[order] = np.repeat(2 * starts + sizes + 1, sizes)
    return Scaled(ranks * signs)


def sign_test(units: Scaled) -> TestResult:
    """Test wins against losses: twice the smaller binomial tail, without units that do not differ.

    >>> sign_test(Scaled.of([5, 1, 2, -1, 0])).exact
    Fraction(5, 8)
    """
    signs = units.signs
    fewer, more = sorted((int((signs > 0).sum()), int((signs < 0).sum())))
    method = f"{more:,} against {fewer:,}, {len(units.numbers) - fewer - more:,} ties left out"
    return lower_tail(fewer + more, fewer, method)


def _noncentrality(freedom: float, statistic: float, probability: float) -> float:
    """Find the δ at which P(T ≤ t) has this value; it falls as δ rises."""

    def below(centre: float) -> float:
        return noncentral_t(freedom, centre, statistic)

    reach = normal_quantile(0.999999) * math.sqrt(1 + statistic**2 / (2 * freedom))
    low, high = statistic - reach, statistic + reach
    while below(low) < probability and low > statistic - MAX_BRACKET_STEPS * reach:
        low -= reach
    while below(high) > probability and high < statistic + MAX_BRACKET_STEPS * reach:
        high += reach
    return bisect(lambda centre: below(centre) <= probability, low, high)
