"""The law of log wealth when the outcomes of the games have given probabilities.

With the bookmaker's prices it is the law of luck alone; with the model's forecasts it is what the model
expects. Sums of few steps are enumerated. For more steps,
P(S ≥ x) = E[exp(θS)] exp(−θx) · E_θ[exp(−θ(S−x)); S ≥ x] is enclosed between Graham and Vaaler's two
functions on a grid of frequencies, as for average precision (``rankings/chance/tail_bounds.py``). The last
resort is a normal law of log wealth, with Berry and Esseen's error.

If there are too many distinct games to keep, sums of moments give the law, with proven bounds of its error.
S is log wealth, a sum of independent steps. Each of these bounds on P(S ≥ x) under the prices is valid:

- **Normal**: Φ((mean − x)/sd) ± ε, ε = 0.56 Σ E|step − mean|³/sd³ (Berry and Esseen; the constant is
  Shevtsova's, 2010, Doklady Mathematics 82, 862–864).
- **Tilted**: at full stakes and prices backed and laid alike the factor of a step is p/q, so
  P(S ≥ x) = E[exp(−S); S ≥ x] under the model's own probabilities. With log wealth normal there, mean m and
  deviation s, that is exp(s²/2 − m) Φ((m − x)/s − s), and by partial integration at most 2ε exp(−x) off, ε
  that of the model's law: small where x is what the model expects, however small the probability.
- **Chernoff**: at most exp(log E√W − x/2), for what lies between what prices and model expect.
- **Markov**: at most exp(−x), since wealth grows by nothing on average if the prices are right.

All of it takes sums over cases only, so blocks of any number of cases merge into it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from edgeworth.bet.fractional import whole_sum
from edgeworth.bet.validation import as_floats
from edgeworth.common.arrays import Floats
from edgeworth.core.test_results import SMALLEST_FLOAT, TestResult
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.betting.log_returns import (
    LogReturns,
    MergedOutcomes,
    characteristic_function,
    enclose_tail,
    log_moment,
    tilt_towards,
)
from edgeworth.forecasts.betting.path import MAX_DISTINCT_GAMES
from edgeworth.forecasts.betting.wealth import Wealth

Method = Literal["exact", "bracket", "normal"]

RELATIVE_SLACK = 1e-12
"""A log wealth means the attainable ones around it, this far times the sum of the largest log factors."""

MAX_CELLS_FOR_BRACKET = 1 << 20
"""Steps times outcomes beyond which log wealth is taken as normal."""

WAVES_PERIOD = 40.0
"""The period of the inversion, in standard deviations."""
WAVES_END = 6000.0
"""The highest frequency, per standard deviation: it resolves steps of a thousandth of a deviation."""
NEGLIGIBLE_AMPLITUDE = 1e-10
"""A characteristic function this small is taken as 0."""
EXTREME_TAIL_SHARE = 1e-5
"""Quantiles nearer to 0 or 1 are taken from the corrected normal law."""

BERRY_ESSEEN = 0.56
"""Shevtsova (2010, Doklady Mathematics 82, 862–864)."""


@dataclass(frozen=True, eq=False)
class LogWealthLaw:
    """The distribution of log wealth ``S = Σ log factors`` over independent games. Ruin (−inf) is final.

    Attributes
    ----------
    steps : LogReturns
        The games: log factors and probabilities of the outcomes.

    Examples
    --------
    >>> law = LogWealthLaw.of(np.log([[1.2, 0.8], [0.6, 1.4], [1.6, 0.4]]), np.full((3, 2), 0.5))
    >>> round(law.mean, 10), round(law.variance, 10), round(law.mean_wealth, 10)
    (-0.3307312421, 0.7010319184, 1.0)
    >>> round(law.tail(np.log(1.2 * 1.4 * 1.6)).p_value, 12), round(law.tail(np.log(1.15)).p_value, 12)
    (0.125, 0.375)
    >>> law.ruin == law.boundless == 0, round(law.standard_deviation, 3), round(law.log_mean_wealth, 10)
    (True, 0.837, 0.0)
    """

    steps: LogReturns

    @classmethod
    def of(
        cls, log_factors: ArrayLike, probabilities: ArrayLike, counts: ArrayLike | None = None
    ) -> LogWealthLaw:
        """Make the distribution from games.

        Parameters
        ----------
        log_factors : array_like, (games, outcomes)
            The log factor of wealth after each outcome.
        probabilities : array_like, (games, outcomes)
            The probability of each outcome.
        counts : array_like, optional
            How often each game occurs.

        Returns
        -------
        LogWealthLaw
            The distribution of the sum.
        """
        return cls(LogReturns.of(log_factors, probabilities, counts))

    @cached_property
    def ruin(self) -> float:
        """The probability of ruin, P(S = −inf)."""
        return -math.expm1(_powers(-self.steps.ruin, self.steps.counts))

    @cached_property
    def boundless(self) -> float:
        """The probability of infinite wealth, P(S = +inf)."""
        left = 1 - self.steps.ruin
        share = np.divide(self.steps.boundless, left, out=np.zeros_like(left), where=left > 0)
        return (1 - self.ruin) * -math.expm1(_powers(-np.minimum(share, 1.0), self.steps.counts))

    @property
    def mean(self) -> float:
        """The mean ``Σ_i Σ_k π_ik L_ik``: −inf if ruin is possible, otherwise +inf if infinite wealth is."""
        if self.ruin > 0:
            return -math.inf
        return math.inf if self.boundless > 0 else self._sum_moments.mean

    @property
    def variance(self) -> float:
        """The variance ``Σ_i Σ_k π_ik (L_ik − mean_i)²``; nan if the mean is infinite.

        For two outcomes it is ``Σ π(1−π)(logit p − logit q)²``.
        """
        return self._sum_moments.variance if math.isfinite(self.mean) else math.nan

    @property
    def standard_deviation(self) -> float:
        """The square root of the variance."""
        return math.sqrt(self.variance)

    @cached_property
    def log_mean_wealth(self) -> float:
        """The logarithm of mean wealth, ``Σ_i log Σ_k π_ik exp L_ik``; 0 if fair prices are the truth."""
        with np.errstate(divide="ignore"):
            means = scipy.special.logsumexp(self.steps.log_factors, b=self.steps.probabilities, axis=1)
        return _whole(self.steps.counts, means)

    @property
    def mean_wealth(self) -> float:
        """The mean wealth, which may be infinite."""
        return math.exp(self.log_mean_wealth) if self.log_mean_wealth < 709 else math.inf

    # -- tails -----------------------------------------------------------------------------------------

    def tail(self, log_wealth: float, *, method: Method | None = None) -> TestResult:
        """Compute P(S ≥ log wealth) by the strongest method that takes no more than seconds.

        Parameters
        ----------
        log_wealth : float
            The log wealth that was reached.
        method : str, optional
            The method, if you want another one.

        Returns
        -------
        TestResult
            The probability, its kind and its method.
        """
        x = float(log_wealth)
        if math.isnan(x):
            raise InputError("log wealth is a number, −inf or +inf; saw nan")
        if x == -math.inf:
            return TestResult(1.0, 1.0, 1.0, "exact, any wealth reaches it", Fraction(1))
        low, high = self.steps.extremes
        if x > high + self._slack or math.isinf(low):
            return _floating(self.boundless, "no finite wealth reaches it")
        if method in (None, "exact") and (answer := self._exact(x)) is not None:
            return answer
        few = self.steps.log_factors.size <= MAX_CELLS_FOR_BRACKET
        if (method == "bracket" or (method is None and few)) and (answer := self._bracket(x)) is not None:
            return answer
        if method in ("exact", "bracket"):
            raise OptionError(
                f"method {method!r} cannot compute this tail of {self.steps.counts.sum():,} steps; omit "
                "method= to use the most accurate one that can"
            )
        normal = self._normal(x)
        if method is None and normal.low == 0 and not self.boundless:
            tilt = tilt_towards(self.steps, x)
            bound = log_moment(self.steps, tilt)[0] - tilt * (x - self._slack)
            return TestResult.from_bracket(-math.inf, bound, "proven bound (Chernoff 1952)", "bound")
        return normal

    @property
    def _slack(self) -> float:
        return RELATIVE_SLACK * max(1.0, float(self.steps.counts @ abs(self.steps.finite_logs).max(axis=1)))

    @property
    def _finite(self) -> float:
        """Return P(S is finite)."""
        return math.exp(_powers(-(self.steps.ruin + self.steps.boundless), self.steps.counts))

    @cached_property
    def _merged(self) -> MergedOutcomes | None:
        return MergedOutcomes.of(self.steps)

    def _exact(self, x: float) -> TestResult | None:
        if self._merged is None:
            return None
        method = f"{self._merged.outcomes:,} outcomes" if self._merged.outcomes > 1 else "the only outcome"
        # A step that is never finite leaves no finite sum.
        log = self._merged.log_probability(x - self._slack) if self._finite > 0 else -math.inf
        return _floating(min(1.0, math.exp(log) + self.boundless), method, log)

    def _bracket(self, x: float) -> TestResult | None:
        """Bracket P(S ≥ x), computed from the nearer tail."""
        steps, slack, spread = self.steps, self._slack, self._finite
        low, high = steps.extremes
        if x <= low + slack or x >= high - slack or high - low <= slack:
            everything = x <= low + slack
            value = spread if everything else math.exp(_log_top(steps))
            return _floating(min(1.0, value + self.boundless), "one end of all outcomes")
        sign = 1.0 if x >= log_moment(steps, 0.0)[1] else -1.0
        mirrored = steps if sign > 0 else LogReturns(-steps.log_factors, steps.probabilities, steps.counts)
        enclosure = enclose_tail(mirrored, sign * x, slack)
        if enclosure is None:
            return None
        method = f"bracket, {enclosure[2]:,} frequencies"
        if sign > 0 and not self.boundless:
            return TestResult.from_bracket(enclosure[0], enclosure[1], method, "bracket")
        near, far = math.exp(enclosure[0]), math.exp(min(enclosure[1], 0.0))
        ends = (near, far) if sign > 0 else (spread - far, spread - near)
        bottom, top = (min(max(end + self.boundless, SMALLEST_FLOAT), 1.0) for end in ends)
        return TestResult(bottom, top, top, method, kind="bracket")

    @cached_property
    def _sum_moments(self) -> Moments:
        """Sum the moments of all steps, given that S is finite."""
        return Moments(*(float(self.steps.counts @ part) for part in _moments(self.steps)))

    def _normal(self, x: float) -> TestResult:
        """Approximate finite log wealth by a normal law, within Berry and Esseen's bound."""
        moments, error = self._sum_moments, self._sum_moments.error
        if moments.variance <= 0:
            return _floating(
                self.boundless + self._finite * (x <= moments.mean + self._slack), "the only outcome"
            )
        value = float(scipy.special.ndtr((moments.mean - x) / math.sqrt(moments.variance)))
        method = f"log-normal approximation, off by {error:.2g} at most (Berry and Esseen)"
        return TestResult.approximate(self.boundless + self._finite * value, self._finite * error, method)

    # -- quantiles -------------------------------------------------------------------------------------

    @cached_property
    def _sums(self) -> tuple[Floats, Floats] | None:
        return None if self._merged is None else self._merged.sums()

    def quantile(self, probability: float) -> float:
        """Compute the least x with P(S ≤ x) ≥ probability.

        Parameters
        ----------
        probability : float
            The probability.

        Returns
        -------
        float
            The quantile, within 1e-12 for up to 2²⁰ distinct sums. Beyond, it is within about a thousandth of
            the standard deviation.

        Examples
        --------
        >>> LogWealthLaw.of([[1.0, -1.0]], [[0.5, 0.5]], [2]).quantile(0.5)
        0.0
        """
        if not 0 < probability < 1:
            raise OptionError(f"the probability of a quantile must lie between 0 and 1; saw {probability}")
        finite_share = probability - self.ruin - RELATIVE_SLACK
        if finite_share <= 0 < self.ruin:
            return -math.inf
        if finite_share > self._finite:
            return math.inf
        if self._sums is not None:
            values, shares = self._sums
            return float(values[min(int(np.searchsorted(np.cumsum(shares), finite_share)), len(values) - 1)])
        share = (finite_share + RELATIVE_SLACK) / self._finite
        if self._waves is not None and EXTREME_TAIL_SHARE < share < 1 - EXTREME_TAIL_SHARE:
            return self._waves.quantile(share)
        return self._cornish_fisher(share)

    @cached_property
    def _waves(self) -> Waves | None:
        """Return the law of finite log wealth in frequencies, or None if there are too many games."""
        mean, variance = self._sum_moments.mean, self._sum_moments.variance
        return Waves.of(self.steps, mean, math.sqrt(variance)) if variance > 0 else None

    def _cornish_fisher(self, share: float) -> float:
        """Return the normal quantile, corrected for skewness: ``mean + sd (z + γ (z² − 1)/6)``."""
        mean, deviation = self._sum_moments.mean, math.sqrt(self._sum_moments.variance)
        z = float(scipy.special.ndtri(share))
        if not deviation:
            return mean
        skewness = float(self.steps.counts @ _third_moments(self.steps)) / deviation**3
        return mean + deviation * (z + skewness * (z * z - 1) / 6)

    def cumulative(self, points: ArrayLike) -> Floats | None:
        """Compute P(S ≤ x) at each x, including ruin.

        Parameters
        ----------
        points : array_like
            The values x. Sums within 1e-12 above x count.

        Returns
        -------
        array or None
            The probabilities; None beyond 2²⁰ outcomes.

        Examples
        --------
        >>> LogWealthLaw.of([[1.0, -1.0]], [[0.5, 0.5]], [2]).cumulative([-3.0, -2.0, 0.5, 2.0])
        array([0.  , 0.25, 0.75, 1.  ])
        """
        if self._sums is None:
            return None
        values, shares = self._sums
        below = np.append(0.0, np.cumsum(shares))
        indices = np.searchsorted(values, np.asarray(points, float) + self._slack, side="right")
        # If no step is ever finite, no sum is.
        finite = below[indices] if self._finite > 0 else 0.0 * below[indices]
        return np.asarray(np.minimum(self.ruin + finite, 1.0))


def wealth_law(wealth: Wealth, *, truth: Literal["prices", "model"] | ArrayLike = "prices") -> LogWealthLaw:
    """Find the law of final log wealth over the games that were played, under any given truth.

    Parameters
    ----------
    wealth : Wealth
        The settled bets.
    truth : {"prices", "model"} or array-like
        The true probabilities: the prices (luck alone), the model's forecasts, a K-vector that holds in every
        game, or a row for each of the distinct ``wealth.games``.

    Returns
    -------
    LogWealthLaw

    Notes
    -----
    Cases with true probabilities of their own go to ``LogWealthLaw.of(log_factors, probabilities)``.

    Examples
    --------
    >>> wealth = Wealth.from_probabilities([1, 0, 1], [0.6, 0.3, 0.8], against=[0.5, 0.5, 0.5])
    >>> round(wealth_law(wealth).mean, 10), round(wealth_law(wealth, truth="model").mean, 10)
    (-0.3307312421, 0.2951631491)
    >>> round(wealth_law(wealth, truth=[0.4, 0.6]).mean, 10)
    -0.2362850813
    """
    games = wealth.games
    if games is None:
        raise OptionError(
            f"this path has more than {MAX_DISTINCT_GAMES:,} distinct games, so they were not stored: pass "
            "the log factors and true probabilities of its cases to LogWealthLaw.of"
        )
    if isinstance(truth, str):
        if truth not in ("prices", "model"):
            raise OptionError(f'truth is "prices", "model" or true probabilities; saw {truth!r}')
        chances = games.prices if truth == "prices" else games.probabilities
    else:
        probabilities = as_floats(truth, "true probabilities")
        if probabilities.shape not in (games.prices.shape, games.prices.shape[1:]):
            raise InputError(
                f"true probabilities are {len(wealth.labels)} numbers, or a row of them for each of the "
                f"{len(games.counts):,} distinct games; saw the shape {probabilities.shape}"
            )
        chances = np.broadcast_to(probabilities, games.prices.shape)
    return LogWealthLaw.of(games.log_factors, chances, games.counts)


def _moments(steps: LogReturns) -> tuple[Floats, Floats, Floats]:
    """Return mean, variance and third absolute moment of each step if it is finite (nan if it never is)."""
    totals = steps.finite.sum(axis=1, keepdims=True)
    shares = np.divide(steps.finite, totals, out=np.full_like(steps.finite, np.nan), where=totals > 0)
    mean = (shares * steps.finite_logs).sum(axis=1)
    off = abs(steps.finite_logs - mean[:, None])
    return mean, (shares * off**2).sum(axis=1), (shares * off**3).sum(axis=1)


def _third_moments(steps: LogReturns) -> Floats:
    """Return the third central moment of each step, given that it is finite."""
    totals = steps.finite.sum(axis=1, keepdims=True)
    shares = steps.finite / totals
    off = steps.finite_logs - (shares * steps.finite_logs).sum(axis=1, keepdims=True)
    return np.asarray((shares * off**3).sum(axis=1))


@dataclass(frozen=True, eq=False)
class Waves:
    """The characteristic function of a sum at odd multiples of half a frequency (Davies 1973).

    ``P(S ≤ x) = ½ − Σ_k Im[φ(ω_k) exp(−iω_k x)]/(π(k + ½))`` with ``ω_k = (k + ½) 2π/period``, but for what
    lies half a period away. High frequencies are damped, so that the series ends.

    Source: R. B. Davies, Numerical inversion of a characteristic function, Biometrika 60 (1973), 415–417.
    """

    mean: float
    deviation: float
    angles: Floats
    weights: NDArray[np.complex128]

    @classmethod
    def of(cls, steps: LogReturns, mean: float, deviation: float) -> Waves | None:
        """Compute the characteristic function at every frequency, or return None if they are too many."""
        index = np.arange(math.ceil(WAVES_END * WAVES_PERIOD / (2 * math.pi)), dtype=np.float64) + 0.5
        angles: Floats = index * (2 * math.pi / (WAVES_PERIOD * deviation))
        inversion = characteristic_function(
            steps, 0.0, angles, mean, np.full(len(angles), NEGLIGIBLE_AMPLITUDE)
        )
        if inversion is None:
            return None
        # Flat at low frequencies, where it would shift quantiles.
        damped = np.exp(-36 * (angles * deviation / WAVES_END) ** 6)
        return cls(mean, deviation, angles, inversion[0] * damped / (math.pi * index))

    def quantile(self, share: float) -> float:
        """Find where P(S ≤ x) is the share."""
        from scipy.optimize import brentq

        def above(away: float) -> float:
            turned = self.weights * np.exp(-1j * self.angles * away)
            return 0.5 - float(turned.imag.sum()) - share

        reach = WAVES_PERIOD / 4 * self.deviation
        return self.mean + float(brentq(above, -reach, reach, xtol=1e-9 * self.deviation))


def _floating(value: float, method: str, log: float = -math.inf) -> TestResult:
    """Return a result that is exact except for floating-point rounding."""
    if 0 < value < SMALLEST_FLOAT or (value == 0 and log > -math.inf):
        return TestResult(0.0, SMALLEST_FLOAT, SMALLEST_FLOAT, f"exact, {method}: below 5e-324", kind="bound")
    return TestResult(value, value, value, f"exact, {method}", Fraction(0) if value == 0 else None)


def _whole(counts: NDArray[np.int64], logs: Floats) -> float:
    """Return Σ counts · logs, which is −inf if any log is."""
    return float(whole_sum(counts * logs))


def _powers(less: Floats, counts: NDArray[np.int64]) -> float:
    """Return log Π (1 + less)^counts."""
    with np.errstate(divide="ignore"):
        return _whole(counts, np.log1p(np.maximum(less, -1.0)))


def _log_top(steps: LogReturns) -> float:
    """Return log P(every step has its largest finite log factor)."""
    logs = np.where(steps.finite > 0, steps.finite_logs, -np.inf)
    best = steps.finite * (logs == logs.max(axis=1, keepdims=True))
    return _whole(steps.counts, np.log(best.sum(axis=1)))


@dataclass(frozen=True)
class Moments:
    """Mean and variance of log wealth, and the sum of the third absolute central moments of its steps."""

    mean: float
    variance: float
    third: float

    @classmethod
    def of(cls, wealth: Wealth, side: str) -> Moments:
        """Compute the moments when the "price" is right, or when the "model" is."""
        with np.errstate(invalid="ignore"):
            parts = (wealth.sums(f"{side}_{name}").sum() for name in ("mean", "variance", "third"))
        return cls(*map(float, parts))

    @property
    def is_normal(self) -> bool:
        """Whether there is a normal law to compare with: finite moments, some spread."""
        return math.isfinite(self.mean + self.variance + self.third) and self.variance > 0

    @property
    def error(self) -> float:
        """How far P(S ≤ x) may be from the normal law, at any x."""
        cubed = self.variance * math.sqrt(self.variance) if self.is_normal else 0.0
        return min(1.0, BERRY_ESSEEN * self.third / cubed) if cubed > 0 else 1.0


def luck_of_moments(wealth: Wealth) -> TestResult:
    """P(at least this wealth) if the prices are right: between the best of the bounds.

    >>> q = np.linspace(0.3, 0.6, 5000)
    >>> truth, p = (np.arange(5000) % 20 < 9).astype(int), q + 0.01
    >>> result = luck_of_moments(Wealth.from_probabilities(truth, p, against=q))
    >>> result.kind, round(result.low, 3), round(result.high, 3)
    ('bracket', 0.323, 0.34)
    """
    x = wealth.log_wealth
    if x == -math.inf:
        return TestResult(1.0, 1.0, 1.0, "exact, any wealth reaches it", Fraction(1))
    if x == math.inf:
        return TestResult(0.0, 0.0, 0.0, "exact, no finite wealth reaches it", Fraction(0))
    bounds = list(_bounds(wealth, x))
    low, (_, best, source) = max(bound[0] for bound in bounds), min(bounds, key=lambda bound: bound[1])
    high = min(max(best, SMALLEST_FLOAT), 1.0)
    if low <= 0:
        return TestResult(0.0, high, high, f"proven bound ({source})", kind="bound")
    return TestResult(min(low, high), high, high, f"proven bracket ({source})", kind="bracket")


def _bounds(wealth: Wealth, x: float) -> Iterator[tuple[float, float, str]]:
    """Return the best lower and upper bound, each with its source."""
    price, model = Moments.of(wealth, "price"), Moments.of(wealth, "model")
    if price.is_normal:
        value = float(scipy.special.ndtr((price.mean - x) / math.sqrt(price.variance)))
        yield value - price.error, value + price.error, "normal law, Berry and Esseen's error"
    if model.is_normal and wealth.fraction == 1 and wealth.book in ("fair", "exchange"):
        spread = math.sqrt(model.variance)
        log_share = float(scipy.special.log_ndtr((model.mean - x) / spread - spread))
        value = _exponential(model.variance / 2 - model.mean + log_share)
        off = 2 * model.error * _exponential(-x)
        yield value - off, value + off, "normal law tilted to the model, Berry and Esseen's error"
    half = float(wealth.sums("price_log_half").sum())
    yield 0.0, _exponential(half - x / 2), "Chernoff's inequality"
    yield 0.0, _exponential(-x), "Markov's inequality"


def _exponential(logarithm: float) -> float:
    return math.exp(min(logarithm, 700.0))
