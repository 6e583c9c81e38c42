"""Estimates of the measures of probabilities: means over cases, whose sums and squares the tallies keep."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from edgeworth.core.estimates import Estimate, Method, law_or_reason, undefined_estimate
from edgeworth.core.laws import NormalLaw, SamplingLaw, Scale, natural_scale, student_quantile
from edgeworth.core.measures import Measure
from edgeworth.errors import OptionError
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.measures import Forecast, ResolvedForecast, resolve_forecast
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.forecasts.sequential.sequences import (
    BlockSums,
    ConfidenceSequence,
    asymptotic_sequence,
    empirical_bernstein,
)

ROUNDING = 1e-13
"""A variance smaller than this share of the mean square is rounding."""


@dataclass(frozen=True)
class AcrossCases:
    """Cases are the sample: mean ± quantile of Student's t · standard error, cases taken as independent.

    The interval is made on a scale that keeps it inside the score's range: the logit of a bounded one, the
    log of one that is bounded below. ``AcrossCases(scale="identity")`` is the plain t interval.
    """

    scale: Literal["natural", "identity"] = "natural"

    def __post_init__(self) -> None:
        if self.scale not in ("natural", "identity"):
            raise OptionError(f'the scale is "natural" or "identity"; saw {self.scale!r}')

    def law(self, tally: Forecast, resolved: ResolvedForecast) -> SamplingLaw:
        """Student's t with cases − 1 degrees of freedom."""
        if isinstance(tally, ForecastScores) and resolved.measure.name in tally.names:
            score, place = tally.names.index(resolved.measure.name), tally.place(resolved.subject)
            total, square = float(tally.sums[score, place]), float(tally.products[score, place, place])
            times = 1
        elif isinstance(tally, Wealth) and resolved.measure.name in ("growth", "log_wealth"):
            total, square = _log_factors(tally)
            times = tally.cases if resolved.measure.name == "log_wealth" else 1
        else:
            raise OptionError(f"{self} is for means over cases, which {resolved.spelling} is not")
        mean, error = _mean_and_error(tally.cases, total, square)
        plain = self.scale == "identity"
        scale = Scale("identity") if plain else natural_scale(*resolved.range(tally), mean * times)
        return NormalLaw(mean * times, error * times, scale, tally.cases - 1.0)

    def __str__(self) -> str:
        return "Student's t over cases"


def _log_factors(wealth: Wealth) -> tuple[float, float]:
    """Σ and Σ² of the log factors of single cases."""
    logs = wealth.blocks.logs[:, 0]
    if wealth.cases == len(logs):
        return wealth.log_wealth, float((logs**2).sum())
    if wealth.book != "backing" and wealth.fraction == 1:
        # At full stakes against fair prices a log factor is a difference of log scores: squares are kept.
        return wealth.log_wealth, float(wealth.sums("log_square").sum())
    raise OptionError(
        "a path this long is kept in blocks, and at part of the stakes or on backed odds nothing tells how "
        "much its cases vary"
    )


def _mean_and_error(cases: int, total: float, square: float) -> tuple[float, float]:
    if not (math.isfinite(total) and math.isfinite(square)):
        raise OptionError("it is infinite, since probability 0 came true: no interval holds it")
    if cases < 2:
        raise OptionError("one case does not tell how much cases vary")
    mean = total / cases
    spread = square - cases * mean**2
    if not spread > ROUNDING * square:
        raise OptionError("every case has the same value, so nothing tells how much they vary")
    return mean, math.sqrt(spread / (cases - 1) / cases)


def estimate_forecasts(
    tally: Forecast,
    measure: str | Measure,
    *,
    method: Method | None = None,
    seed: int = 0,  # noqa: ARG001  # one signature for all kinds
) -> Estimate:
    """A measure of probabilities with its uncertainty.

    Its chance level is that of the class shares of these cases, taken as known.
    """
    resolved = resolve_forecast(tally, measure)
    undefined = resolved.undefined(tally)
    if undefined is not None:
        return undefined_estimate(tally, resolved.spelling, undefined, float(tally.cases))
    if method is not None and not isinstance(method, AcrossCases):
        raise OptionError(f"{method} does not apply to probabilities: means over cases have AcrossCases()")
    chosen: Method = AcrossCases() if method is None else method
    law, no_interval = law_or_reason(chosen, tally, resolved, required=method is not None)
    return Estimate(
        measure=resolved.spelling,
        value=resolved.value(tally),
        chance=resolved.by_chance(tally),
        method=None if law is None else chosen,
        undefined=None,
        no_interval=no_interval,
        tally=tally,
        law=law,
        size=float(tally.cases),
    )


NOT_BEFORE = {
    "cross-validated": "roughly: the predictions are cross-validated",
    "in-sample": "not for new cases: the model had seen these outcomes",
}

INFINITE_SCORE = "a log score is infinite, since probability 0 came true: its mean has no interval"
"""Why there is no difference of log scores."""


@dataclass(frozen=True)
class AverageDifference:
    """The mean difference of a score, rival less model: above 0 the model scores better.

    ``holds`` says in words for what the bounds hold at the level; ``sequence`` are the bounds on the way,
    None where only those at the end mean anything; no difference is larger than ``reach``.
    """

    mean: float
    low: float
    high: float
    level: float
    holds: str
    method: str
    sequence: ConfidenceSequence | None
    reach: float = math.inf

    @property
    def at_all_times(self) -> bool:
        """Whether the bounds on the way hold all at once, so that one may look and stop when one likes."""
        return self.sequence is not None and self.holds == "at all times"

    @property
    def says_nothing(self) -> bool:
        """Whether the bounds are all that is possible, or there are none."""
        return math.isnan(self.low) or (self.low <= -self.reach and self.high >= self.reach)


def brier_difference(wealth: Wealth, level: float) -> AverageDifference:
    """By the empirical Bernstein sequence; by Student's t against shares counted on these very cases."""
    reach = brier_range(wealth) / 2
    if wealth.book == "constant":
        return _with_hindsight(_blocks(wealth, "brier"), wealth, level, reach)
    sequence = empirical_bernstein(_blocks(wealth, "brier"), c=brier_range(wealth), level=level)
    holds = "at all times" if wealth.ordered else "if the cases are independent"
    return _of_sequence(sequence, NOT_BEFORE.get(wealth.predictions_made, holds), reach)


def log_difference(wealth: Wealth, level: float) -> AverageDifference | None:
    """By the asymptotic sequence; None where a log score is infinite: its mean has no interval."""
    if not (np.isfinite(wealth.sums("log")).all() and np.isfinite(wealth.sums("log_square")).all()):
        return None
    blocks = _blocks(wealth, "log")
    if wealth.book == "constant":
        return _with_hindsight(blocks, wealth, level, math.inf)
    sequence = asymptotic_sequence(blocks, level=level)
    holds = f"asymptotically, from case {sequence.burn_in} on"
    holds += "" if wealth.ordered else ", if the cases are independent"
    return _of_sequence(sequence, NOT_BEFORE.get(wealth.predictions_made, holds))


def brier_range(wealth: Wealth) -> float:
    """c: a difference of Brier scores lies in ±1 for two classes and in ±2 for more."""
    return 2.0 if len(wealth.labels) == 2 else 4.0


def _blocks(wealth: Wealth, score: str) -> BlockSums:
    counts = wealth.blocks.ends - wealth.blocks.starts
    return BlockSums(counts, wealth.sums(score), wealth.sums(f"{score}_square"))


def _of_sequence(sequence: ConfidenceSequence, holds: str, reach: float = math.inf) -> AverageDifference:
    last = sequence.last
    return AverageDifference(
        last.mean, last.low, last.high, sequence.level, holds, sequence.method, sequence, reach
    )


def _with_hindsight(blocks: BlockSums, wealth: Wealth, level: float, reach: float) -> AverageDifference:
    """Mean ± t · standard error, within ±reach.

    Each difference depends on all outcomes through the shares, so no sequence holds. But fitted shares
    minimise their own score: to first order it does not matter that they were fitted, and for many cases the
    plain interval is that of the difference to the true constant shares.
    """
    cases, total = int(blocks.counts.sum()), float(blocks.sums.sum())
    mean = total / cases
    low, high = math.nan, math.nan
    spread = float(blocks.squares.sum()) - cases * mean**2
    if cases > 1 and spread > 1e-13 * float(blocks.squares.sum()):
        error = math.sqrt(spread / (cases - 1) / cases)
        away = student_quantile(level, cases - 1) * error
        low, high = max(mean - away, -reach), min(mean + away, reach)
    holds = "roughly, for many independent cases: the shares were counted on these"
    holds = NOT_BEFORE.get(wealth.predictions_made, holds)
    return AverageDifference(mean, low, high, level, holds, "Student's t over cases", None, reach)
