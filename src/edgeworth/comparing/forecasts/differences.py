"""Differences of mean scores between two forecasters on the same cases; lower scores are better.

d_i is the first's score of case i less the second's. The mean d̄ has variance s²/n for independent cases, and
Σ_g (Σ_{i in g} (d_i − d̄))² / (1 − n_g/n) / n² for independent clusters of n_g cases (CR2, and Satterthwaite's
degrees of freedom). Σd and Σd² follow from sums and products of the scores, Σd² = Σx² − 2Σxy + Σy², so a
tally merged from shards is enough for the first.

Forecasts h steps ahead have errors that overlap, so differences up to h − 1 apart go together. With
γ_k = Σ_{t>k} (d_t − d̄)(d_{t−k} − d̄)/n

    V = γ_0 + 2 Σ_{k<h} w_k γ_k,  w_k = 1 (rectangular) or 1 − k/h (Newey and West),  DM = d̄ / √(V/n)

(Diebold & Mariano 1995, Journal of Business & Economic Statistics 13, 253–263). With few cases DM rejects too
often; times √((n + 1 − 2h + h(h − 1)/n)/n), and held against Student's t with n − 1 degrees of freedom, it
nearly keeps its level (Harvey, Leybourne & Newbold 1997, International Journal of Forecasting 13, 281–291).
For h = 1 that is the paired t test, to the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from edgeworth.arrays import Floats
from edgeworth.comparing.difference import Difference, Effect
from edgeworth.comparing.forecasts.bets import CaseClusters
from edgeworth.core.clusters import FEWEST_FREEDOM
from edgeworth.core.laws import Alternative, NormalLaw, Scale, choose_tail
from edgeworth.core.tails import Tail
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.estimates import mean_difference
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.forecasts.scoring_rules import RULES, SCORES, case_scores

LOST = 1e-10
"""Σd² below this share of Σx² + Σy² may be off by a thousandth: products are rounded before they cancel."""

FEW = 30
"""Fewer units make the t test lean on differences that are nearly normal."""

PLAIN = Scale("identity")
SINGLE = "one case has no spread"
POSTERIOR = "Student's t posterior of the mean score difference, flat prior on mean and logarithm of spread"


def forecast_difference(scores: ForecastScores, first: str, second: str, score: str) -> Difference:
    """Compare a mean score of two systems by the tally alone: sums, and sums of products.

    >>> systems = {"A": [0.8, 0.3, 0.5, 0.9], "B": [0.6, 0.4, 0.5, 0.5]}
    >>> tally = ForecastScores.from_probabilities([1, 0, 1, 1], systems)
    >>> found = forecast_difference(tally, "A", "B", "brier")
    >>> round(found.difference, 4), found.better, round(found.p_value(), 4)
    (-0.1075, 'A', 0.1235)
    """
    if first == second:
        raise InputError(f"a system is not compared with itself; saw {first!r} twice")
    if score not in scores.names:
        raise InputError(f"the score {score!r} was not taken; there are {', '.join(scores.names)}")
    row, a, b = scores.names.index(score), scores.place(first), scores.place(second)
    cases, sums, products = scores.cases, scores.sums[row], scores.products[row]
    means = (scores.mean(score, first), scores.mean(score, second))
    zeros = (int(scores.zeros[a]), int(scores.zeros[b])) if score == "log" else (0, 0)
    bare = _without_law(score, (first, second), means, cases, zeros)
    if bare.undefined is not None:
        return bare
    both = float(products[a, a] + products[b, b])
    squares = float(products[a, a] - products[a, b] + (products[b, b] - products[a, b]))
    total = float(sums[a] - sums[b])
    # Cauchy and Schwarz: only equal scores have Σx² = Σxy = Σy².
    if products[a, a] == products[a, b] == products[b, b] and total == 0:
        return _identical(bare)
    if cases < 2:
        return replace(bare, no_interval=SINGLE)
    spread = squares - total**2 / cases
    if spread <= LOST * both:
        reason = (
            "the scores are so much alike that their products do not tell the spread of the difference: "
            "it takes the scores of each case"
        )
        return replace(bare, no_interval=reason)
    return _with_t_test(bare, spread / (cases - 1), cases)


def forecast_case_difference(
    forecasts: Mapping[str, Forecasts],
    first: str,
    second: str,
    score: str,
    **options: Any,
) -> Difference:
    """Compare a mean score by the cases, with the options of ``mean_score_difference``.

    >>> truth, one, two = [1, 0, 1, 1], [0.8, 0.3, 0.5, 0.9], [0.6, 0.4, 0.5, 0.5]
    >>> systems = {name: Forecasts.of(truth, p) for name, p in (("A", one), ("B", two))}
    >>> found = forecast_case_difference(systems, "A", "B", "brier", clusters=[1, 1, 2, 3])
    >>> round(found.difference, 4), found.cases, "degrees of freedom" in found.no_interval
    (-0.1075, 3, True)
    """
    if first == second:
        raise InputError(f"a system is not compared with itself; saw {first!r} twice")
    if score not in SCORES:
        raise InputError(f"there is no score {score!r}; there are {', '.join(SCORES)}")
    missing = [name for name in (first, second) if name not in forecasts]
    if missing:
        raise InputError(f"there is no system {missing[0]!r}; there are {', '.join(map(repr, forecasts))}")
    one, two = forecasts[first], forecasts[second]
    if one.labels != two.labels or not np.array_equal(one.codes, two.codes):
        raise InputError("forecasts are compared on the same cases and classes")
    mine, its = (case_scores(each, (score,))[0] for each in (one, two))
    options["reach"] = RULES[score].highest(len(one.labels))
    return mean_score_difference(mine, its, names=(first, second), score=score, **options)


def mean_score_difference(
    first: Floats,
    second: Floats,
    *,
    names: tuple[str, str],
    score: str,
    clusters: Any = None,
    horizon: int = 1,
    kernel: Kernel = "rectangular",
    ordered: bool = False,
    reach: float = math.inf,
) -> Difference:
    """Compare two means of scores, one number a case, lower being better.

    ``clusters`` names the cluster of each case: clusters are independent, cases within one need not be.
    ``horizon`` is how many steps ahead the forecasts were made, with cases in the order of time; above 1
    Diebold and Mariano's test gives interval and p-value. Cases that are ``ordered``, looked at as they come,
    have the confidence sequence of differences within ±``reach``.
    """
    one, two = check_losses(first, names[0]), check_losses(second, names[1])
    if len(one) != len(two):
        raise InputError(f"scores of the same cases are needed; saw {len(one):,} and {len(two):,} of them")
    if clusters is not None and horizon > 1:
        raise OptionError("clusters are independent and a horizon joins neighbours: give one of the two")
    cases = len(one)
    means = (float(one.mean()), float(two.mean())) if cases else (math.nan, math.nan)
    bare = _without_law(score, names, means, cases, (int(np.isinf(one).sum()), int(np.isinf(two).sum())))
    if bare.undefined is not None:
        return bare
    differences = one - two
    if clusters is not None:
        return _with_clusters(bare, differences, clusters)
    if not differences.any():
        return _identical(bare) if horizon == 1 else _identical(bare, ("diebold-mariano",))
    if cases < 2:
        return replace(bare, no_interval=SINGLE)
    found = diebold_mariano(one, two, horizon=horizon, kernel=kernel)
    if found.tail is None:
        return replace(bare, no_interval=found.undefined)
    if horizon == 1:
        student = _with_t_test(bare, float(differences.var(ddof=1)), cases)
        return _with_sequence(student, differences, reach) if ordered else student
    return replace(
        _with_student_law(bare, found.standard_error, cases - 1),
        tests={"diebold-mariano": found.tail},
        doubt=found.doubt or _few(cases, "cases"),
    )


def _with_clusters(bare: Difference, differences: Floats, clusters: Any) -> Difference:
    cases = len(differences)
    coded = clusters if isinstance(clusters, CaseClusters) else CaseClusters.of(clusters, cases)
    number = coded.number
    bare = replace(bare, cases=number)
    if not differences.any():
        return _identical(bare, ("t", "wald"))
    if number < 2:
        return replace(bare, no_interval="one cluster has no spread between clusters")
    found = mean_difference(differences, clusters=coded.codes)
    if math.isnan(found.error):
        return replace(bare, no_interval="the clusters are all alike: they have no spread to judge by")
    freedom = found.freedom
    if freedom < FEWEST_FREEDOM:
        reason = (
            f"a few large clusters hold most cases, which leaves {freedom:.1f} degrees of freedom: too few "
            "to tell who is better"
        )
        return replace(bare, no_interval=reason, doubt=reason)
    ratio, said = bare.difference / found.error, f"CR2 over {number:,} clusters"
    tests = {"t": student(ratio, freedom, said), "wald": student(ratio, math.inf, said)}
    return replace(_with_student_law(bare, found.error, freedom), tests=tests, doubt=_few(number, "clusters"))


def _with_t_test(bare: Difference, variance: float, cases: int) -> Difference:
    """Add the law and the tests, given the variance of one independent case's difference."""
    error = math.sqrt(variance / cases)
    ratio = bare.difference / error
    tests = {"t": student(ratio, cases - 1), "wald": student(ratio, math.inf)}
    effect = standardised_effect(bare.difference / math.sqrt(variance), cases)
    # At horizon 1, with the correction for few cases, Diebold and Mariano's test is the paired t test.
    said = f"Diebold–Mariano, corrected for few cases, {tests['t'].method}"
    tests["diebold-mariano"] = replace(tests["t"], method=said)
    found = _with_student_law(bare, error, cases - 1)
    return replace(found, tests=tests, effect=effect, doubt=_few(cases, "cases"))


@dataclass(frozen=True, eq=False)
class SequenceLaw:
    """The confidence sequence of a mean of differences within ±reach, as it is after the last case."""

    differences: Floats
    reach: float
    standard_error: float

    def interval(self, level: float) -> tuple[float, float]:
        """Give the bounds that hold at all times at a level."""
        found = mean_difference(self.differences, level=level, ordered=True, reach=self.reach)
        return found.low, found.high

    def p_value(self, null: float, alternative: Alternative) -> float:
        """Find the level at which the null just leaves the interval."""
        is_above = null > float(self.differences.mean())

        def is_kept(log_tail: float) -> bool:
            low, high = self.interval(-math.expm1(log_tail))
            return not (null > high if is_above else null < low)

        # From a level of next to 0 to one at which floats end.
        near, far = -1e-9, math.log(1e-15)
        for _ in range(40):
            middle = (near + far) / 2
            near, far = (near, middle) if is_kept(middle) else (middle, far)
        tail = math.exp(far) / 2
        return choose_tail(*((tail, 1 - tail) if is_above else (1 - tail, tail)), alternative)


def _with_sequence(student: Difference, differences: Floats, reach: float) -> Difference:
    """Let the confidence sequence decide, as it does where one system is judged against another."""
    law = SequenceLaw(differences, reach, student.standard_error)
    method = mean_difference(differences, ordered=True, reach=reach).method
    p_value = law.p_value(0.0, "two-sided")
    tests = {"sequence": Tail.approximated(p_value, 0.0, f"good at any time: {method}")} | dict(student.tests)
    return replace(student, law=law, tests=tests, interval_method=method)


def _with_student_law(bare: Difference, error: float, freedom: float) -> Difference:
    value = bare.difference
    return replace(
        bare,
        law=NormalLaw(value, error, PLAIN, freedom),
        interval_method="Student's t",
        # Lower is better.
        probability_better=float(scipy.special.stdtr(freedom, -value / error)),
        probability_method=POSTERIOR,
    )


def student(ratio: float, freedom: float, said: str = "") -> Tail:
    """Compute a two-sided p-value by Student's t, or by the normal law where freedom is infinite."""
    law, tail = "normal approximation", float(scipy.special.ndtr(-abs(ratio)))
    if math.isfinite(freedom):
        law = f"Student's t with {round(freedom, 1):,g} degrees of freedom"
        tail = float(scipy.special.stdtr(freedom, -abs(ratio)))
    return Tail.approximated(2 * tail, 0.0, f"{law}, {said}" if said else law)


def standardised_effect(value: float, cases: int, level: float = 0.95) -> Effect:
    """Give d̄/s a normal interval with variance 1/n + d²/(2(n − 1)) (Hedges & Olkin 1985).

    >>> effect = standardised_effect(0.5, 100)
    >>> round(effect.low, 3), round(effect.high, 3)
    (0.292, 0.708)
    """
    law = NormalLaw(value, math.sqrt(1 / cases + value**2 / (2 * (cases - 1))), PLAIN)
    return Effect.of("standardised mean difference", value, law.interval, level)


def _without_law(
    score: str, names: tuple[str, str], values: tuple[float, float], cases: int, zeros: tuple[int, int]
) -> Difference:
    undefined = None if cases else "there are no cases"
    if any(zeros):
        counts = f"{names[0]} in {zeros[0]:,} cases, {names[1]} in {zeros[1]:,}"
        undefined = (
            f"probability 0 was given to what happened ({counts}), so a mean {score} score is infinite"
        )
    return Difference(score, *names, values, "lower", cases=cases, undefined=undefined)


def _identical(bare: Difference, tests: tuple[str, ...] = ("t", "wald", "diebold-mariano")) -> Difference:
    """Describe two systems with the same score in every case."""
    alike = Tail(1.0, 1.0, 1.0, "every difference is 0")
    return replace(
        bare,
        # Sums of the same numbers in another order may round otherwise.
        values=(bare.values[0], bare.values[0]),
        law=NormalLaw(0.0, 0.0, PLAIN),
        tests=dict.fromkeys(tests, alike),
        probability_better=0.5,
        probability_method="every difference is 0: neither is better",
    )


def _few(number: int, unit: str) -> str | None:
    return None if number >= FEW else f"{number} {unit} are few: the test leans on nearly normal differences"


Kernel: TypeAlias = Literal["rectangular", "newey-west"]

ALIKE = 1e-13
"""A spread of this share of the squares is rounding, not data."""


@dataclass(frozen=True)
class DieboldMariano:
    """The test's statistic and what it says; ``statistic`` is corrected for few cases, ``plain`` is not.

    ``standard_error`` is that of the mean difference, the correction included, so that the statistic is the
    mean over it. ``kernel`` is the one that was used; ``doubt`` says why if another one was asked for.
    """

    mean: float
    kernel: Kernel
    standard_error: float = math.nan
    statistic: float = math.nan
    plain: float = math.nan
    tail: Tail | None = None
    undefined: str | None = None
    doubt: str | None = None

    @property
    def p_value(self) -> float:
        """Two-sided; nan when undefined."""
        return math.nan if self.tail is None else self.tail.p_value


def diebold_mariano(
    first: ArrayLike, second: ArrayLike, *, horizon: int = 1, kernel: Kernel = "rectangular"
) -> DieboldMariano:
    """Test whether two forecasters' expected losses are equal, cases in the order of time.

    ``horizon`` is how many steps ahead the forecasts were made. The rectangular V may come out negative; then
    Newey and West's, which may not, is used.

    >>> found = diebold_mariano([0.5, 0.75, 0.25, 1.0], [0.25, 0.25, 0.5, 0.5])
    >>> round(found.statistic, 6), round(found.p_value, 6), found.tail.method
    (1.414214, 0.252215, "Diebold–Mariano, corrected for few cases, Student's t with 3 degrees of freedom")
    """
    one, two = check_losses(first, "first"), check_losses(second, "second")
    if len(one) != len(two):
        raise InputError(f"losses of the same cases are needed; saw {len(one):,} and {len(two):,} of them")
    cases = len(one)
    if kernel not in get_args(Kernel):
        raise OptionError(f"kernel is one of {', '.join(get_args(Kernel))}; saw {kernel!r}")
    if isinstance(horizon, bool) or not isinstance(horizon, (int, np.integer)) or horizon < 1:
        raise OptionError(f"the horizon is a whole number of steps, 1 or more; saw {horizon!r}")
    if not (np.isfinite(one).all() and np.isfinite(two).all()):
        infinite = [int((~np.isfinite(each)).sum()) for each in (one, two)]
        reason = f"losses are infinite: {infinite[0]:,} of the first and {infinite[1]:,} of the second"
        return DieboldMariano(math.nan, kernel, undefined=reason)
    if cases < 2 or horizon >= cases:
        mean = float((one - two).mean()) if cases else math.nan
        reason = f"forecasts {horizon} ahead need more than {horizon} cases; there are {cases:,}"
        return DieboldMariano(mean, kernel, undefined=reason)
    return _test_mean(one - two, int(horizon), kernel)


def _test_mean(differences: NDArray[np.float64], horizon: int, kernel: Kernel) -> DieboldMariano:
    cases, mean = len(differences), float(differences.mean())
    if not differences.any():
        return DieboldMariano(0.0, kernel, 0.0, 0.0, 0.0, Tail(1.0, 1.0, 1.0, "every difference is 0"))
    rest = differences - mean
    if (rest**2).sum() <= ALIKE * (differences**2).sum():
        reason = "the differences are all alike: they have no spread to judge their mean by"
        return DieboldMariano(mean, kernel, undefined=reason)
    variance, doubt = long_run_variance(rest, horizon, kernel), None
    if variance <= 0 and kernel == "rectangular":
        kernel, variance = "newey-west", long_run_variance(rest, horizon, "newey-west")
        doubt = "the rectangular variance is not above 0: Newey and West's weights were used"
    if variance <= 0:
        reason = "the variance of the mean is not above 0, whatever the weights"
        return DieboldMariano(mean, kernel, undefined=reason)
    plain_error = math.sqrt(variance / cases)
    # n + 1 − 2h + h(h − 1)/n = (n − h)(n − h + 1)/n
    error = plain_error / math.sqrt((cases - horizon) * (cases - horizon + 1) / cases**2)
    statistic = mean / error
    ahead = "" if horizon == 1 else f", {horizon} ahead ({kernel})"
    law = f"Student's t with {cases - 1:,} degrees of freedom"
    p_value = 2 * float(scipy.special.stdtr(cases - 1, -abs(statistic)))
    tail = Tail.approximated(p_value, 0.0, f"Diebold–Mariano{ahead}, corrected for few cases, {law}")
    return DieboldMariano(mean, kernel, error, statistic, mean / plain_error, tail, None, doubt)


def long_run_variance(rest: NDArray[np.float64], horizon: int, kernel: Kernel) -> float:
    """Compute γ_0 + 2 Σ_{k<h} w_k γ_k of differences less their mean.

    >>> [long_run_variance(np.array([1.0, 1.0, -2.0]), 2, kernel) for kernel in ("rectangular", "newey-west")]
    [1.3333333333333333, 1.6666666666666667]
    """
    total = float((rest**2).sum())
    for lag in range(1, horizon):
        weight = 1 - lag / horizon if kernel == "newey-west" else 1.0
        total += 2 * weight * float((rest[lag:] * rest[:-lag]).sum())
    return total / len(rest)


def check_losses(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """Check that there is one number a case and none is missing; it may be infinite."""
    losses = np.asarray(values, dtype=np.float64)
    if losses.ndim != 1:
        raise InputError(f"the {name} losses are one number a case; saw an array of shape {losses.shape}")
    if np.isnan(losses).any():
        row = int(np.isnan(losses).argmax()) + 1
        raise InputError(f"the {name} losses: row {row:,} is missing (nan)")
    return losses
