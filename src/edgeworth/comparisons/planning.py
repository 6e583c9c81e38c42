"""How many cases would show which of two systems is better, and which difference these cases could show."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np
import scipy
from numpy.typing import NDArray

from edgeworth.common.arrays import plain_values
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.policy import MIN_DISAGREEMENTS_FOR_NORMAL_PLAN, MIN_UNITS_FOR_NORMAL_PLAN
from edgeworth.core.estimates import Plan
from edgeworth.core.policy import MIN_ITEMS_WITHOUT_RANGE
from edgeworth.core.sampling_distributions import (
    NormalLaw,
    SamplingLaw,
    bisect,
    check_level,
    normal_quantile,
    student_quantile,
    unmirror,
)
from edgeworth.errors import OptionError

ZERO_DIFFERENCE = 1e-12
"""A difference below this is none."""

DEVIATIONS_ENUMERATED = 7.0
"""Standard deviations beyond which a number of disagreements is not met: once in a million millions."""

NORMAL_END = 9.0
"""Where the normal law ends in floating point."""

FARTHEST_SERIES = 1e6
"""scipy's series for noncentral t gives nan for noncentralities far beyond."""

DETECTABLE_TOLERANCE = 1e-9
"""How near a difference that can be shown is found."""

_legendre = cache(np.polynomial.legendre.leggauss)


@dataclass(frozen=True)
class SampleSizePlan(Plan):
    """The total of independent units (cases, clusters, queries) that would show which system is better.

    ``detectable`` is the smallest true difference that the present units show with that power.
    """

    detectable: float

    def to_dict(self) -> dict[str, object]:
        """Return plain values; infinite and unknown ones are None."""
        names = ("cases", "needed", "more", "detectable", "power", "level")
        return {name: plain_values(getattr(self, name)) for name in names}


def units_needed(difference: Difference, *, level: float = 0.95, power: float = 0.8) -> SampleSizePlan:
    """Compute how many units like these would show a difference as large as the observed one.

    ``n · ((z_level + z_power) · standard error / difference)²``: the error shrinks with √n. If the law is
    Student's t over units, its power is that of the noncentral t, which asks for a few more. Proportions of
    the same cases (accuracy, recall) are planned for their own test, the exact one of discordant cases, and
    sums over cases (informedness) for the randomisation test.
    """
    check_level(level)
    if not 0 < power < 1:
        raise OptionError(f"power lies between 0 and 1; saw {power!r}")
    if difference.discordant is not None and difference.undefined is None and difference.cases > 0:
        return mcnemar_cases_needed(*difference.discordant, difference.cases, level=level, power=power)
    distance, size = abs(difference.difference), difference.cases
    if difference.amounts is not None and difference.undefined is None and size > 0:
        return swap_cases_needed(difference.amounts, distance, size, level=level, power=power)
    is_planned = difference.undefined is None and difference.no_test is None
    if not is_planned or math.isnan(distance) or not size > 0:
        return SampleSizePlan(size, math.nan, power, level, math.nan)
    error, freedom = _error(difference.law, level)
    if not error > 0:
        return SampleSizePlan(
            size, math.inf if distance < ZERO_DIFFERENCE else math.nan, power, level, math.nan
        )
    is_student = freedom == size - 1 and size < MIN_UNITS_FOR_NORMAL_PLAN
    normal_reach = normal_quantile(level) + float(scipy.special.ndtri(power))
    reach = _student_reach(freedom, level, power) if is_student else normal_reach
    if distance < ZERO_DIFFERENCE:
        return SampleSizePlan(size, math.inf, power, level, reach * error)
    effect = distance / (error * math.sqrt(size))
    ratio = normal_reach / effect if effect > 0 else math.inf
    if not math.isfinite(ratio * ratio):
        return SampleSizePlan(size, math.inf, power, level, reach * error)
    # Fewer signs than these cannot all be alike by a chance below the level.
    fewest = math.ceil(1 - math.log2(1 - level))
    normal = max(float(fewest), math.ceil(ratio * ratio))
    needed = (
        normal
        if normal >= MIN_UNITS_FOR_NORMAL_PLAN or math.isinf(freedom)
        else _student_units(effect, normal, level, power)
    )
    least = 0.0 if difference.typical is None else float(MIN_ITEMS_WITHOUT_RANGE)
    return SampleSizePlan(size, max(needed, least), power, level, reach * error)


def swap_cases_needed(
    amounts: Mapping[int, int], distance: float, cases: float, *, level: float = 0.95, power: float = 0.8
) -> SampleSizePlan:
    """Compute how many cases the randomisation test of a sum over cases needs.

    ``amounts`` are what a case on which the systems differ adds to the difference, in a whole unit, with the
    number of such cases, and ``distance`` is the size of the difference. If all amounts have one size, this
    is McNemar's test. Otherwise a case adds d: swapped sums have variance E d² per case, the sum itself
    E d² − (E d)². Both are taken as normal, with enough disagreements for a p-value below the level.
    """
    counted = {amount: count for amount, count in amounts.items() if amount and count}
    disagreements, total = sum(counted.values()), abs(sum(a * n for a, n in counted.items()))
    if not disagreements:
        return SampleSizePlan(cases, math.inf, power, level, math.nan)
    unit = distance / total if total else math.nan
    if len({abs(amount) for amount in counted}) == 1:
        wins = sum(count for amount, count in counted.items() if amount > 0)
        plan = mcnemar_cases_needed(wins, disagreements - wins, cases, level=level, power=power)
        return replace(plan, detectable=plan.detectable * cases * unit * abs(next(iter(counted))))
    share, square = disagreements / cases, sum(a * a * n for a, n in counted.items()) / cases
    fewest = math.ceil(1 - math.log2(1 - level))
    detectable = math.nan
    if _reaches(cases, share, fewest, power):
        detectable = _detectable_sum(cases, square, level, power) * cases * unit
    if not total:
        return SampleSizePlan(cases, math.inf, power, level, detectable)
    mean = total / cases
    normal = math.ceil((_normal_reach(square, mean, level, power) / mean) ** 2)
    enough = math.ceil(fewest / share)
    while not _reaches(enough, share, fewest, power):
        enough = math.ceil(1.01 * enough) + 1
    return SampleSizePlan(cases, float(max(normal, enough)), power, level, detectable)


def _reaches(cases: float, share: float, fewest: int, power: float) -> bool:
    """Return whether a number of cases holds enough disagreements with a probability."""
    return 1 - float(scipy.special.bdtr(fewest - 1, math.floor(cases), share)) >= power


def _detectable_sum(cases: float, square: float, level: float, power: float) -> float:
    """Find the smallest mean per case that a number of cases shows, given its mean square."""
    mean = 0.0
    for _ in range(20):  # square − mean² hardly moves
        mean = min(_normal_reach(square, mean, level, power) / math.sqrt(cases), math.sqrt(square))
    return mean


def mcnemar_cases_needed(
    wins: float, losses: float, cases: float, *, level: float = 0.95, power: float = 0.8
) -> SampleSizePlan:
    """Compute how many cases the exact McNemar test needs, from its wins, losses and all cases.

    The power is exact: over the binomial number of disagreements, and the binomial split of each number.
    """
    share = (wins + losses) / cases
    if not share:
        return SampleSizePlan(cases, math.inf, power, level, math.nan)
    majority = max(wins, losses) / (wins + losses)
    detectable = _detectable_lead(cases, share, level, power)
    if wins == losses:
        return SampleSizePlan(cases, math.inf, power, level, detectable)
    lead = share * (2 * majority - 1)
    normal = _normal_reach(share, lead, level, power) / lead
    if normal**2 * share > MIN_DISAGREEMENTS_FOR_NORMAL_PLAN:
        return SampleSizePlan(cases, math.ceil(normal**2), power, level, detectable)
    fewer, enough = 0, max(1, math.ceil(normal**2))
    while mcnemar_power(enough, share, majority, level=level) < power:
        fewer, enough = enough, 2 * enough
    number = range(fewer + 1, enough + 1)
    index = bisect_left(number, True, key=lambda n: mcnemar_power(n, share, majority, level=level) >= power)
    return SampleSizePlan(cases, float(number[index]), power, level, detectable)


def _detectable_lead(cases: float, share: float, level: float, power: float) -> float:
    """Find the smallest lead that the cases show with this share of disagreements; nan if none."""
    if cases * share > MIN_DISAGREEMENTS_FOR_NORMAL_PLAN:
        lead = 0.0
        for _ in range(20):  # share − lead² hardly moves
            lead = _normal_reach(share, lead, level, power) / math.sqrt(cases)
        return lead
    if mcnemar_power(cases, share, 1.0, level=level) < power:
        return math.nan
    most = bisect(
        lambda part: mcnemar_power(cases, share, part, level=level) >= power, 0.5, 1.0, DETECTABLE_TOLERANCE
    )
    return share * (2 * most - 1)


def mcnemar_power(cases: float, share: float, majority: float, *, level: float = 0.95) -> float:
    """Compute the power of the exact McNemar test of systems that disagree on a share of the cases.

    ``majority`` is the better one's part of the disagreements.
    """
    cases = math.floor(cases)
    middle, spread = cases * share, math.sqrt(cases * share * (1 - share)) + 1
    low, high = (
        max(0, math.floor(middle - DEVIATIONS_ENUMERATED * spread)),
        min(cases, math.ceil(middle + DEVIATIONS_ENUMERATED * spread)),
    )
    disagreements = np.arange(low, high + 1, dtype=np.float64)
    fewest = _critical(low, high, (1 - level) / 2)
    shown = _tail(fewest, disagreements, majority) + _tail(fewest, disagreements, 1 - majority)
    return float(_binomial(disagreements, cases, share) @ shown)


def _binomial(count: NDArray[np.float64], trials: float, share: float) -> NDArray[np.float64]:
    """Compute the binomial probability of each count."""
    logs = scipy.special.xlogy(count, share) + scipy.special.xlog1py(trials - count, -share)
    logs -= scipy.special.betaln(count + 1, trials - count + 1) + math.log(trials + 1)
    return np.asarray(np.exp(logs))


@lru_cache(64)  # a plan asks for the same ones at every step
def _critical(low: int, high: int, tail: float) -> NDArray[np.float64]:
    """Find the most wins of the loser that are significant, for each number of disagreements.

    It is -1 if even none is not significant.
    """
    trials = np.arange(low, high + 1, dtype=np.float64)
    guess = np.floor(trials / 2 + scipy.special.ndtri(tail) * np.sqrt(trials) / 2)
    # The normal guess is off by one at most, but for few trials: step until it fits.
    while (are_many := _tail(guess, trials) > tail).any():
        guess = guess - are_many
    while (are_few := _tail(guess + 1, trials) <= tail).any():
        guess = guess + are_few
    return np.maximum(guess, -1.0)


def _tail(count: NDArray[np.float64], trials: NDArray[np.float64], share: float = 0.5) -> NDArray[np.float64]:
    """Compute the lower tail of a binomial number."""
    return np.where(
        count < 0, 0.0, scipy.special.bdtr(np.clip(count, 0, trials), trials.astype(np.int64), share)
    )


def _error(law: SamplingLaw | None, level: float) -> tuple[float, float]:
    """Find the standard error and its degrees of freedom."""
    if law is None:
        return math.nan, math.inf
    inner, _ = unmirror(law)
    if isinstance(inner, NormalLaw) and math.isfinite(inner.freedom):
        return inner.standard_error, inner.freedom
    low, high = law.interval(level)
    # At the end of a range the standard error is 0 and the interval is not.
    return max(law.standard_error, (high - low) / (2 * normal_quantile(level))), math.inf


def _normal_reach(share: float, lead: float, level: float, power: float) -> float:
    """Compute √cases times the lead that McNemar's test shows with that power, by the normal law."""
    reach, other = normal_quantile(level), float(scipy.special.ndtri(power))
    return reach * math.sqrt(share) + other * math.sqrt(share - lead**2)


def _student_reach(freedom: float, level: float, power: float) -> float:
    """Compute how many standard errors from 0 Student's t shows a difference with that power."""
    # Student's quantile and ten more times its spread: any power is reached there.
    far = student_quantile(level, freedom) * 10 + 10
    return bisect(lambda reach: _student_power(freedom, reach, level) >= power, 0.0, far)


def _student_power(freedom: float, reach: float, level: float) -> float:
    critical = student_quantile(level, freedom)
    return 1 - noncentral_t(freedom, reach, critical) + noncentral_t(freedom, reach, -critical)


def noncentral_t(freedom: float, centre: float, statistic: float) -> float:
    """Compute P(T ≤ t) of Student's t with noncentrality δ: ``T = (Z + δ)/s``, s = √(χ²_ν/ν).

    Far out, where scipy's series fails, ``Φ(−δ) + ∫ φ(z) P(s ≥ (z + δ)/t) dz`` over z > −δ is smooth.

    >>> round(noncentral_t(9, 1.0, 2.0), 6), round(noncentral_t(5, 10.0, 50.0), 6)
    (0.804144, 0.999031)
    """
    if statistic < 0:
        return 1 - noncentral_t(freedom, -centre, -statistic)
    if statistic <= math.sqrt(2 * freedom) and abs(centre) <= FARTHEST_SERIES:
        return float(scipy.special.nctdtr(freedom, centre, statistic))
    below = float(scipy.special.ndtr(-centre))
    low, high = max(-centre, -NORMAL_END), NORMAL_END
    if low >= high or statistic == 0:
        return below
    nodes, weights = _legendre(200)
    z = low + (high - low) * (nodes + 1) / 2
    with np.errstate(over="ignore"):
        squares = freedom * ((z + centre) / statistic) ** 2
    beyond = scipy.special.chdtrc(freedom, squares)
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    return below + (high - low) / 2 * float(weights @ (density * beyond))


def _student_units(effect: float, normal: float, level: float, power: float) -> float:
    """Find the fewest units with that power, starting from the normal law's number."""

    def is_enough(units: float) -> bool:
        return _student_power(units - 1, effect * math.sqrt(units), level) >= power

    units = normal
    while not is_enough(units):
        units += 1
    while units > 2 and is_enough(units - 1):
        units -= 1
    return units
