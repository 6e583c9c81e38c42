"""Estimates of the measures of probabilities: means over cases, whose sums and squares the tallies keep."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from edgeworth.core.definition import Measure
from edgeworth.core.estimates import Estimate, law_or_reason, undefined_estimate
from edgeworth.core.laws import NormalLaw, SamplingLaw
from edgeworth.core.scales import Scale, natural_scale
from edgeworth.decisions.methods import Method
from edgeworth.errors import OptionError
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.resolving import Forecast, ResolvedForecast, resolve_forecast
from edgeworth.forecasts.scores import ForecastScores

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
    if wealth.book != "backing" and wealth.stake == 1:
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


def estimate_forecasts(tally: Forecast, measure: str | Measure, *, method: Method | None = None) -> Estimate:
    """A measure of probabilities with its uncertainty.

    Its chance level is that of the class shares of these cases, taken as known.
    """
    resolved = resolve_forecast(tally, measure)
    undefined = resolved.undefined(tally)
    if undefined is not None:
        return undefined_estimate(tally, resolved.spelling, undefined)
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
    )
