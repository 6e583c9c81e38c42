"""How often a gate passes, fails or stays undecided for a system of known quality.

The quality is assumed, never estimated: unchanged, worse by the margin, exactly at the bound. Only nuisance
parameters come from the data: how often two systems disagree, or the standard error. They are not known
exactly, so each rate has a range, over a 95% interval of the nuisance parameter.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol, TypeAlias

import numpy as np
import scipy

from edgeworth.common.arrays import Floats
from edgeworth.core.sampling_distributions import normal_quantile, student_quantile
from edgeworth.gates.anytime import log_wealth
from edgeworth.gates.policy import MAX_TRIALS_ENUMERATED, MAX_UNITS_SIMULATED, MIN_SKEWNESS_SIMULATED
from edgeworth.gates.requirements import Region

DEVIATION_POINTS = 60
"""Points at which the law of an estimated standard deviation is evaluated."""

SIMULATED_SAMPLES = 10_000
"""Samples of skewed units that are drawn: the standard error of a rate is at most 0.5 points."""

NEGLIGIBLE_RANGE = 0.005
"""A narrower range of a rate is printed as one number."""

POWER_TOLERANCE = 0.005
"""The power of the distance that is stated as detected differs by at most this from the stated power."""

MAX_STEPS_TO_POWER = 20
"""A distance that is not found in as many steps is not stated."""

MAX_POINTS_OF_A_BET = 1_500
"""Points of an anytime gate: each is a mixture over several hundred stakes."""

Scenario: TypeAlias = Literal["unchanged", "worse", "better", "at the bound"]


class Chance(NamedTuple):
    """A probability, and its range over what is not known. The value is nan if only the range is known."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class ErrorRate:
    """How often a gate decides each way if the system has an assumed quality."""

    scenario: Scenario
    truth: float
    """The assumed value of the measure, or of the difference from the baseline."""
    passes: Chance
    fails: Chance

    @property
    def undecided(self) -> Chance:
        """How often the gate stays undecided."""
        low = max(0.0, 1 - self.passes.high - self.fails.high)
        high = min(1.0, 1 - self.passes.low - self.fails.low)
        value = 1 - self.passes.value - self.fails.value
        if math.isnan(value):
            return Chance(value, low, high)
        value = max(0.0, value)
        return Chance(value, min(low, value), max(value, high))

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        rates = {"pass": self.passes, "undecided": self.undecided, "fail": self.fails}
        return {"scenario": self.scenario, "truth": self.truth} | {k: x._asdict() for k, x in rates.items()}


class Levels(NamedTuple):
    """The levels of the intervals by which a requirement passes and fails."""

    passing: float
    failing: float

    @classmethod
    def of(cls, level: float, tests: int = 1) -> Levels:
        """Correct the level of failing for all tests of the gate (Holm's first step)."""
        return cls(level, 1 - (1 - level) / max(tests, 1))


class OutcomeModel(Protocol):
    """How often a requirement passes and fails, as a function of the true value."""

    def chances(self, truth: float, region: Region, levels: Levels) -> tuple[float, float]:
        """Compute the probabilities of passing and of failing."""

    def variants(self) -> Sequence[OutcomeModel]:
        """Return the models at the ends of what is known of the nuisance parameter."""

    def spread(self, truth: float) -> float:
        """Compute the standard error at a true value."""


@dataclass(frozen=True)
class ProportionModel:
    """Right-or-wrong answers of one system: the number of right ones is binomial, without nuisance."""

    trials: float
    is_anytime: bool = False

    def chances(self, truth: float, region: Region, levels: Levels) -> tuple[float, float]:
        """Sum the probabilities of the numbers of right answers whose Wilson interval clears the bound."""
        trials, truth = max(1, round(self.trials)), min(max(truth, 0.0), 1.0)
        right = np.arange(trials + 1, dtype=np.float64)
        if trials > MAX_TRIALS_ENUMERATED or (self.is_anytime and trials > MAX_POINTS_OF_A_BET):
            z = np.linspace(-6, 6, 2001)
            right = np.clip(trials * truth + z * math.sqrt(trials * truth * (1 - truth)), 0, trials)
            probability = np.exp(-(z**2) / 2)
        else:
            logs = scipy.special.xlogy(right, truth) + scipy.special.xlog1py(trials - right, -truth)
            probability = np.exp(
                logs - scipy.special.betaln(right + 1, trials - right + 1) - math.log(trials + 1)
            )
        probability = probability / probability.sum()
        is_passed, is_failed = np.ones(len(right), bool), np.zeros(len(right), bool)
        for bound, sign in ((region.low, 1), (region.high, -1)):
            if not math.isfinite(bound):
                continue
            way = sign * (right / trials - bound)
            if self.is_anytime:
                enough = [-math.log(1 - level) for level in levels]
                wealth = (
                    log_wealth(right, np.zeros(len(right)), trials, bound, 0.0) if 0 < bound < 1 else way * 0
                )
                is_passed &= (wealth >= enough[0]) & (way > 0)
                is_failed |= (wealth >= enough[1]) & (way < 0)
            else:
                error = math.sqrt(max(bound * (1 - bound), 0.0) / trials)
                is_passed &= (way >= normal_quantile(levels.passing) * error) & (0 < bound < 1)
                is_failed |= way < -normal_quantile(levels.failing) * error
        return float(probability @ is_passed), float(probability @ is_failed)

    def variants(self) -> Sequence[OutcomeModel]:
        """Return nothing, because the true share determines the distribution."""
        return ()

    def spread(self, truth: float) -> float:
        """Compute √(p(1−p)/n)."""
        return math.sqrt(max(truth * (1 - truth), 0.0) / self.trials)


@dataclass(frozen=True)
class NormalModel:
    """Any other measure: a normal estimate, whose standard error is estimated with degrees of freedom."""

    error: float
    freedom: float = math.inf
    """The degrees of freedom of the interval's quantile."""
    units: float = math.inf
    """The number of units behind the standard error."""
    width: float = 1.0
    """The width of the interval divided by that of a normal law with this error: above 1 with few trials."""
    skewness: float = 0.0
    """The skewness of what one unit adds to a mean."""
    shifts: tuple[float, float] = (0.0, 0.0)
    """How far a few unseen units could lower and raise the estimate: a decision must survive that."""

    errors: tuple[float, ...] = ()
    """The ends of the interval of the standard error, if they do not follow from the number of units."""

    def chances(self, truth: float, region: Region, levels: Levels) -> tuple[float, float]:
        """Integrate over the estimate and over its estimated standard deviation."""
        if not self.error > 0:
            return math.nan, math.nan
        bounds = [(end - truth) / self.error for end in region]
        reaches = [self.width * student_quantile(level, self.freedom) for level in levels]
        if math.isfinite(self.freedom) and self._mean_skewness >= MIN_SKEWNESS_SIMULATED:
            return self._simulate(bounds, reaches)
        scales = np.ones(1)
        if math.isfinite(self.freedom):
            parts = (np.arange(DEVIATION_POINTS) + 0.5) / DEVIATION_POINTS
            scales = np.sqrt(scipy.special.chdtri(self.freedom, parts) / self.freedom)
        (low, high), (passing, failing) = bounds, (reach * scales for reach in reaches)
        down, up = (shift / self.error for shift in self.shifts)
        normal = scipy.special.ndtr
        is_passed = normal(high - np.maximum(passing, up)) - normal(low + np.maximum(passing, down))
        is_failed = normal(low - np.maximum(failing, up)) + normal(-(high + np.maximum(failing, down)))
        return float(np.maximum(is_passed, 0.0).mean()), float(np.minimum(is_failed, 1.0).mean())

    @property
    def _mean_skewness(self) -> float:
        return abs(self.skewness) / math.sqrt(self.freedom + 1)

    def _simulate(self, bounds: Sequence[float], reaches: Sequence[float]) -> tuple[float, float]:
        """Count decisions in samples of skewed units, whose mean and standard deviation go together."""
        units = round(min(self.freedom + 1, MAX_UNITS_SIMULATED))
        means, scales = draw_skewed_means(units, max(round(self._mean_skewness * math.sqrt(units), 1), 0.1))
        means = means if self.skewness > 0 else -means
        (low, high), (passing, failing) = bounds, (reach * scales for reach in reaches)
        down, up = (shift / self.error for shift in self.shifts)
        is_passed = (means > low + np.maximum(passing, down)) & (means < high - np.maximum(passing, up))
        is_failed = (means < low - np.maximum(failing, up)) | (means > high + np.maximum(failing, down))
        return float(is_passed.mean()), float(is_failed.mean())

    def variants(self) -> Sequence[OutcomeModel]:
        """Take the ends of the 95% interval of the standard error."""
        if self.errors:
            return [replace(self, error=error, errors=()) for error in self.errors]
        freedom = min(self.freedom, self.units - 1)
        if not 0 < freedom < math.inf:
            return ()
        quantiles = scipy.special.chdtri(freedom, np.array([0.025, 0.975]))
        return [replace(self, error=self.error * math.sqrt(freedom / x)) for x in quantiles]

    def spread(self, truth: float) -> float:
        """Return the standard error, which is the same for every true value."""
        del truth
        return self.error


@lru_cache(maxsize=64)
def draw_skewed_means(units: int, skewness: float) -> tuple[Floats, Floats]:
    """Draw samples of gamma units: their means in true standard errors, and their relative deviations.

    A gamma variable with shape 4/γ² has the skewness γ. The seed is fixed, so a rate is always the same.
    """
    rng, shape = np.random.default_rng(0), 4 / skewness**2
    samples = (rng.gamma(shape, 1.0, (SIMULATED_SAMPLES, units)) - shape) / math.sqrt(shape)
    return samples.mean(axis=1) * math.sqrt(units), samples.std(axis=1, ddof=1)


def error_rate(
    model: OutcomeModel, scenario: Scenario, truth: float, region: Region, levels: Levels
) -> ErrorRate:
    """Compute how often a requirement passes and fails if the true value is ``truth``."""
    passes, fails = model.chances(truth, region, levels)
    variants = [(passes, fails), *(variant.chances(truth, region, levels) for variant in model.variants())]
    all_passes, all_fails = zip(*variants, strict=True)
    return ErrorRate(
        scenario,
        truth,
        Chance(passes, min(all_passes), max(all_passes)),
        Chance(fails, min(all_fails), max(all_fails)),
    )


def scenarios_of(
    region: Region, reference: str, model: OutcomeModel, possible: Region, levels: Levels, *, power: float
) -> dict[Scenario, float]:
    """Choose the true values at which a gate's error rates are stated.

    A margin: unchanged, and worse by the margin. A bound: the bound itself, and on both sides the smallest
    distance from it that is detected with the power.
    """
    if reference == "baseline" and not region.ends_at_zero:
        worse = region.low if math.isfinite(region.low) and region.low < 0 else region.high
        is_margin = region.low < 0 if math.isfinite(region.low) else region.high > 0
        if is_margin:
            return {"unchanged": 0.0, "worse": worse}
    bound, sign = (region.low, 1) if math.isfinite(region.low) else (region.high, -1)
    distance = nearest_detected(model, bound, region, possible, levels, power)
    if math.isnan(distance):
        distance = nearest_detected(model, bound, region, possible, levels, power, is_pass=False)
    first: Scenario = "unchanged" if reference == "baseline" and bound == 0 else "at the bound"
    truths: dict[Scenario, float] = {first: bound, "better": bound + sign * distance}
    truths["worse"] = bound - sign * distance
    return {name: truth for name, truth in truths.items() if possible.low <= truth <= possible.high}


def nearest_detected(
    model: OutcomeModel,
    bound: float,
    region: Region,
    possible: Region,
    levels: Levels,
    power: float,
    *,
    is_pass: bool = True,
) -> float:
    """Find how far from a bound a true value passes, or fails, with the power; nan if no possible value does.

    >>> region, model = Region(0.7, math.inf), NormalModel(0.02)
    >>> round(nearest_detected(model, 0.7, region, Region(0.0, 1.0), Levels.of(0.95), 0.8) / 0.02, 2)
    2.8
    """
    is_up = is_pass == math.isfinite(region.low)
    low, high = 0.0, possible.high - bound if is_up else bound - possible.low
    spread, needed = model.spread(bound), float(scipy.special.ndtri(power))
    distance = min((normal_quantile(levels.passing) + needed) * spread, high)
    for _ in range(MAX_STEPS_TO_POWER):
        chances = model.chances(bound + distance if is_up else bound - distance, region, levels)
        chance = chances[0 if is_pass else 1]
        if math.isnan(chance) or (chance < power and distance == high):
            return math.nan
        if abs(chance - power) <= POWER_TOLERANCE:
            return distance
        low, high = (distance, high) if chance < power else (low, distance)
        # In standard errors, the normal quantile of the power grows nearly as fast as the distance.
        distance += spread * (needed - float(scipy.special.ndtri(min(max(chance, 1e-6), 1 - 1e-6))))
        if not low < distance < high:
            distance = (low + high) / 2 if math.isfinite(high) else 2 * low
    return math.nan


def combine_rates(parts: Sequence[Sequence[ErrorRate]], *, are_independent: bool) -> list[ErrorRate]:
    """Combine the rates of all requirements: the gate passes if all pass, and fails if one fails.

    Slices and tasks have different items, so their outcomes are independent. Requirements for the same items
    are not: only a range is known then, which allows for any dependence between them.
    """
    if not parts:
        return []
    if len(parts) == 1:
        return list(parts[0])
    names = [rate.scenario for rate in parts[0]]
    shared = [name for name in names if all(name in (rate.scenario for rate in part) for part in parts)]
    combined = []
    for name in shared:
        rates = [next(rate for rate in part if rate.scenario == name) for part in parts]
        passes = _all([rate.passes for rate in rates], are_independent=are_independent)
        no_fails = [Chance(1 - x.value, 1 - x.high, 1 - x.low) for x in (rate.fails for rate in rates)]
        kept = _all(no_fails, are_independent=are_independent)
        fails = Chance(1 - kept.value, 1 - kept.high, 1 - kept.low)
        truth = rates[0].truth if len({rate.truth for rate in rates}) == 1 else math.nan
        combined.append(ErrorRate(name, truth, passes, fails))
    return combined


def _all(chances: Iterable[Chance], *, are_independent: bool) -> Chance:
    """Compute the probability that all of several events happen."""
    values, lows, highs = zip(*chances, strict=True)
    if are_independent:
        return Chance(math.prod(values), math.prod(lows), math.prod(highs))
    low, high = max(0.0, math.fsum(lows) - len(lows) + 1), min(highs)
    return Chance(high if high - low < NEGLIGIBLE_RANGE else math.nan, low, high)


def describe_chance_of(chance: Chance) -> str:
    """Write a probability in percent, with its range if that is wider than rounding.

    >>> describe_chance_of(Chance(0.81, 0.76, 0.85)), describe_chance_of(Chance(0.0012, 0.001, 0.002))
    ('81% (76% to 85%)', '0.1%')
    >>> describe_chance_of(Chance(math.nan, 0.24, 0.63))
    '24% to 63%'
    """
    own, low, high = (_percent(x) for x in chance)
    if math.isnan(chance.value) and not math.isnan(chance.low):
        return f"{low} to {high}"
    return own if low == high or chance.high - chance.low < 0.01 else f"{own} ({low} to {high})"


def _percent(share: float) -> str:
    if math.isnan(share):
        return "unknown"
    if 0 < share < 0.0005:
        return "< 0.1%"
    return f"{100 * share:.0f}%" if share >= 0.1 or share == 0 else f"{100 * share:.1f}%"


def rates_to_dicts(rates: Iterable[ErrorRate]) -> list[Mapping[str, object]]:
    """Return plain values of several rates."""
    return [rate.to_dict() for rate in rates]
