"""Estimates of the measures of probabilities: means over cases, whose sums and squares the tallies keep."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from edgeworth.core.estimates import ChanceTest, Estimate, Method, law_or_reason, undefined_estimate
from edgeworth.core.measures import Measure
from edgeworth.core.sampling_distributions import (
    Alternative,
    NormalLaw,
    SamplingLaw,
    Scale,
    natural_scale,
    student_quantile,
)
from edgeworth.core.test_results import TestResult
from edgeworth.errors import OptionError
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.measures import Forecast, ResolvedForecast, resolve_forecast
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.forecasts.scoring_rules import RULES
from edgeworth.forecasts.sequential import (
    BURN_IN,
    BlockSums,
    ConfidenceSequence,
    asymptotic_sequence,
    empirical_bernstein,
)

RELATIVE_ROUNDING_ERROR = 1e-13
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
        """Return Student's t with cases − 1 degrees of freedom."""
        measure = resolved.measure
        if isinstance(tally, ForecastScores) and measure.of_case_mean and measure.score in tally.names:
            row = tally.names.index(measure.score)
            system = tally.index_of(resolved.system)
            total = float(tally.sums[row, system])
            square = float(tally.products[row, system, system])
        elif isinstance(tally, Wealth) and measure.of_case_mean:
            total, square = _log_factors(tally)
        else:
            raise OptionError(f"{self} is for means over cases, which {resolved.spelling} is not")
        mean, error = _mean_and_error(tally.cases, total, square)
        if measure.of_case_mean == "total":
            mean, error = mean * tally.cases, error * tally.cases
        elif measure.of_case_mean == "exponential":
            mean, error = math.exp(mean), math.exp(mean) * error
        is_plain = self.scale == "identity"
        scale = Scale() if is_plain else natural_scale(*resolved.range(tally), mean)
        return NormalLaw(mean, error, scale, tally.cases - 1.0)

    def __str__(self) -> str:
        return "Student's t over cases"


def _log_factors(wealth: Wealth) -> tuple[float, float]:
    """Σ and Σ² of the log factors of single cases."""
    logs = wealth.blocks.logs[:, 0]
    if wealth.cases == len(logs):
        return wealth.log_wealth, float((logs**2).sum())
    if wealth.book in ("fair", "constant") and wealth.fraction == 1:
        # At full stakes against fair prices a log factor is a difference of log scores: squares are kept.
        return wealth.log_wealth, float(wealth.sums("log_square").sum())
    raise OptionError(
        "a path this long is kept in blocks, and at part of the stakes or on backed odds nothing tells how "
        "much its cases vary"
    )


CHANCE_VARIES = (
    "the score of the class shares varies with the outcomes, so a mean score is tested against it case by "
    "case: evaluate the probabilities, or compare two systems"
)
"""Why a mean score is not tested against its chance level."""


def paired_score_test(
    scores: ForecastScores, score: str, system: str, other: str, *, name: str
) -> ChanceTest:
    """Make the paired t test of two systems' mean scores: "greater" means that the system's is higher.

    ``name`` is what the result calls the other system.
    """
    return partial(_paired_t_test, scores, score, system, other, name)


def _paired_t_test(
    scores: ForecastScores, score: str, system: str, other: str, name: str, alternative: Alternative
) -> TestResult | None:
    row = scores.names.index(score)
    first = scores.index_of(system)
    second = scores.index_of(other)
    total = float(scores.sums[row, first]) - float(scores.sums[row, second])
    products = scores.products[row]
    square = float(products[first, first] - 2 * products[first, second] + products[second, second])
    try:
        mean, error = _mean_and_error(scores.cases, total, square)
    except OptionError:
        return None
    p_value = NormalLaw(mean, error, Scale(), scores.cases - 1.0).p_value(0.0, alternative)
    return TestResult.approximate(p_value, 0.0, f"paired t test against {name}")


def _mean_and_error(cases: int, total: float, square: float) -> tuple[float, float]:
    if not (math.isfinite(total) and math.isfinite(square)):
        raise OptionError("it is infinite, since probability 0 came true: no interval holds it")
    if cases < 2:
        raise OptionError("one case does not tell how much cases vary")
    mean = total / cases
    spread = square - cases * mean**2
    if not spread > RELATIVE_ROUNDING_ERROR * square:
        raise OptionError("every case has the same value, so nothing tells how much they vary")
    return mean, math.sqrt(spread / (cases - 1) / cases)


def estimate_forecasts(
    tally: Forecast,
    measure: str | Measure,
    *,
    method: Method | None = None,
    seed: int = 0,  # noqa: ARG001  # one signature for all kinds
) -> Estimate:
    """Estimate a measure of probabilities with its uncertainty.

    Its chance level is that of the class shares of these cases, taken as known. A mean score has no p-value
    against it: what the shares score varies with the outcomes, so only a paired test compares the two.
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
        no_chance_test=CHANCE_VARIES if isinstance(tally, ForecastScores) else None,
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
    """The mean difference of a score, baseline − model: above 0 the model scores better.

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


def mean_sequence(
    differences: ArrayLike | BlockSums, *, level: float = 0.95, reach: float = math.inf
) -> ConfidenceSequence:
    """Bound the mean on the way: by empirical Bernstein within ±reach, asymptotically without bounds."""
    if math.isfinite(reach):
        return empirical_bernstein(differences, c=2 * reach, level=level)
    return asymptotic_sequence(differences, level=level)


def score_difference(wealth: Wealth, score: str, level: float) -> AverageDifference | None:
    """Compute the mean difference of Brier or log scores, baseline − model; None if a log score is infinite.

    Cases in order have a confidence sequence. Else they are a sample of fixed size, mean ± t · error.
    Against class shares counted on these cases each difference depends on all outcomes, so no sequence
    holds. But fitted shares minimise their own score: to first order it does not matter that they were
    fitted, and for many cases the plain interval is that of the difference to the true constant shares.
    """
    blocks = score_blocks(wealth, score)
    if blocks is None:
        return None
    hindsight = wealth.book == "constant"
    reach = RULES[score].highest(len(wealth.labels))
    if wealth.ordered and not hindsight:
        sequence = mean_sequence(blocks, level=level, reach=reach)
        holds = "at all times" if math.isfinite(reach) else f"asymptotically, from case {BURN_IN} on"
        difference = AverageDifference(*sequence.last, level, holds, sequence.method, sequence, reach)
    else:
        shares = "roughly, for many independent cases: the shares were counted on these"
        holds = shares if hindsight else "if the cases are independent"
        bounds = _student_bounds(blocks, level, reach)
        difference = AverageDifference(*bounds, level, holds, "Student's t over cases", None, reach)
    return replace(difference, holds=NOT_BEFORE.get(wealth.predictions_made, holds))


def _student_bounds(blocks: BlockSums, level: float, reach: float) -> tuple[float, float, float]:
    """Compute the mean of a sample and its bounds within ±reach; nan if cases do not vary."""
    cases, square = int(blocks.counts.sum()), float(blocks.squares.sum())
    mean = float(blocks.sums.sum()) / cases
    spread = square - cases * mean**2
    if cases < 2 or not spread > RELATIVE_ROUNDING_ERROR * square * (cases - 1):
        return mean, math.nan, math.nan
    away = student_quantile(level, cases - 1.0) * math.sqrt(spread / (cases - 1) / cases)
    return mean, max(mean - away, -reach), min(mean + away, reach)


def score_blocks(wealth: Wealth, score: str) -> BlockSums | None:
    """Return the sums of score differences, baseline − model, per block; None if one is infinite."""
    sums, squares = wealth.sums(score), wealth.sums(f"{score}_square")
    if not (np.isfinite(sums).all() and np.isfinite(squares).all()):
        return None
    return BlockSums(wealth.blocks.ends - wealth.blocks.starts, sums, squares)
