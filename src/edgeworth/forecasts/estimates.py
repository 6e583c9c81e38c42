"""Estimates of the measures of probabilities: means over cases, whose sums and squares the tallies keep."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from edgeworth.core.clusters import ClusterSpread, effective_units_caveat, weighted_degrees_of_freedom
from edgeworth.core.estimates import (
    ChanceTest,
    Estimate,
    Method,
    law_or_reason,
    no_test,
    undefined_estimate,
)
from edgeworth.core.measures import Measure
from edgeworth.core.sampling_distributions import (
    Alternative,
    CautiousLaw,
    ClusterLaw,
    NormalLaw,
    SamplingLaw,
    Scale,
    few_clusters_caveat,
    natural_scale,
    student_quantile,
)
from edgeworth.core.test_results import TestResult
from edgeworth.errors import OptionError
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.calibration import Calibration, Reliability
from edgeworth.forecasts.measures import Forecast, ResolvedForecast, resolve_forecast
from edgeworth.forecasts.policy import MAX_HOEFFDING_P_VALUE
from edgeworth.forecasts.possible_differences import PossibleDifferences
from edgeworth.forecasts.robust_calibration import NULLS, CalibrationCells, bias_law, robust_law
from edgeworth.forecasts.scarce_outcomes import HOEFFDING, HoeffdingLaw, rare_outcome_caveat
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.forecasts.scoring_rules import RULES
from edgeworth.forecasts.sequential import (
    BURN_IN,
    BlockSums,
    ConfidenceSequence,
    asymptotic_sequence,
    empirical_bernstein,
)
from edgeworth.sources.columns import Label

RELATIVE_ROUNDING_ERROR = 1e-13
"""A variance smaller than this share of the mean square is rounding."""


@dataclass(frozen=True)
class AcrossCases:
    """Student's t interval over cases, which are taken as independent.

    Parameters
    ----------
    scale : {"natural", "identity"}
        "natural" keeps the interval inside the range of the score: the logit for a bounded score, and the
        logarithm for one that is bounded below. "identity" is the plain t interval.

    Examples
    --------
    >>> import edgeworth as ew
    >>> scores = ew.ForecastScores.from_probabilities([1, 0, 1, 0] * 5, [0.8, 0.3, 0.5, 0.1] * 5)
    >>> print(ew.estimate(scores, "brier", method=ew.methods.AcrossCases(scale="identity")))
    brier 0.098 (95% CI 0.05 to 0.14, Student's t over cases); chance level 0.250
    """

    scale: Literal["natural", "identity"] = "natural"

    def __post_init__(self) -> None:
        if self.scale not in ("natural", "identity"):
            raise OptionError(f'the scale is "natural" or "identity"; saw {self.scale!r}')

    def law(self, tally: Forecast, resolved: ResolvedForecast) -> SamplingLaw:
        """Return Student's t with cases − 1 degrees of freedom.

        :meta private:
        """
        measure, caveat = resolved.measure, None
        if isinstance(tally, ForecastScores) and measure.of_case_mean and measure.score in tally.names:
            row = tally.names.index(measure.score)
            system = tally.index_of(resolved.system)
            if tally.clusters is not None or tally.weighting is not None:
                return self._robust_law(tally, resolved)
            total = float(tally.sums[row, system])
            square = float(tally.products[row, system, system])
            caveat = rare_outcome_caveat(tally)
        elif isinstance(tally, Calibration) and tally.needs_robust_laws:
            return _calibration_law(tally, resolved)
        elif isinstance(tally, Calibration) and measure.of_case_mean and resolved.label is not None:
            total, square = _bias_sums(tally.curve(resolved.label))
        elif isinstance(tally, Wealth) and measure.of_case_mean:
            total, square = _log_factors(tally)
        else:
            raise OptionError(f"{self} supports only means over cases, not {resolved.spelling}")
        mean, error = _mean_and_error(tally.cases, total, square)
        if measure.of_case_mean == "total":
            mean, error = mean * tally.cases, error * tally.cases
        elif measure.of_case_mean == "exponential":
            mean, error = math.exp(mean), math.exp(mean) * error
        is_plain = self.scale == "identity"
        scale = Scale() if is_plain else natural_scale(*resolved.range(tally), mean)
        if caveat is not None:
            return CautiousLaw(mean, error, scale, tally.cases - 1.0, caveat)
        return NormalLaw(mean, error, scale, tally.cases - 1.0)

    def _robust_law(self, tally: ForecastScores, resolved: ResolvedForecast) -> SamplingLaw:
        """Return Student's t with the variance and degrees of freedom that clusters or weights leave."""
        if resolved.measure.of_case_mean == "total":
            raise OptionError(f"an interval for {resolved.spelling} is not supported with clusters")
        spread = score_spread(tally, resolved.measure.score, tally.index_of(resolved.system))
        if not spread.variance > 0:
            units = "cluster" if tally.clusters is not None else "case"
            raise OptionError(f"every {units} has the same value, so the variance cannot be estimated")
        mean, error = tally.mean(resolved.measure.score, resolved.system), math.sqrt(spread.variance)
        if resolved.measure.of_case_mean == "exponential":
            mean, error = math.exp(mean), math.exp(mean) * error
        scale = Scale() if self.scale == "identity" else natural_scale(*resolved.range(tally), mean)
        if tally.clusters is None:
            caveat = effective_units_caveat(spread.effective, "cases")
            return CautiousLaw(mean, error, scale, spread.freedom, caveat)
        return ClusterLaw(mean, error, scale, spread.freedom, spread.caveat)

    def __str__(self) -> str:
        return "Student's t over cases"


@dataclass(frozen=True)
class AcrossClusters(AcrossCases):
    """Clusters are the sample: mean ± quantile of Student's t · standard error, by CR2 and Satterthwaite."""

    def __str__(self) -> str:
        return "Student's t over clusters (CR2)"


@dataclass(frozen=True)
class AcrossWeightedCases(AcrossCases):
    """Weighted rows are the sample: weighted mean ± quantile of Student's t · linearised standard error.

    The variance of Σwx/Σw is Σw²(x − mean)²/(Σw)², times n/(n − 1) with Kish's effective number of cases
    n = (Σw)²/Σw². The degrees of freedom are Satterthwaite's, (Σw²)²/Σw⁴ − 1, and n − 1 at most.
    """

    def __str__(self) -> str:
        return "Student's t over weighted cases"


def score_spread(scores: ForecastScores, score: str, system: int, other: int | None = None) -> ClusterSpread:
    """Estimate the variance of a mean score, or of a difference of two, over clusters or weighted cases."""
    if scores.clusters is not None:
        return scores.clusters.spread(score, system, other)
    weighting, row = scores.weighting, scores.names.index(score)
    assert weighting is not None
    total, effective = scores.total, scores.effective_cases
    products = weighting.products[row]
    mean, linear = float(scores.sums[row, system]) / total, float(weighting.sums[row, system])
    square = float(products[system, system])
    if other is not None:
        mean -= float(scores.sums[row, other]) / total
        linear -= float(weighting.sums[row, other])
        square += float(products[other, other] - 2 * products[system, other])
    if not math.isfinite(mean):
        raise OptionError(
            "it is infinite because a forecast of probability 0 came true, so it has no interval"
        )
    if effective <= 1 + 1e-9:
        raise OptionError("there is only one case, so the variance cannot be estimated")
    spread = square - 2 * mean * linear + mean**2 * weighting.square
    if not spread > RELATIVE_ROUNDING_ERROR * square:
        spread = 0.0
    variance = spread / total**2 * effective / (effective - 1)
    freedom = weighted_degrees_of_freedom(effective, weighting.square, weighting.fourth)
    return ClusterSpread(variance, freedom, effective)


def calibration_cells(tally: Calibration, label: Label) -> CalibrationCells:
    """Return the cases of one class, for measures of calibration with weights or clusters."""
    curve = tally.curve(label)
    if tally.clusters is None:
        return CalibrationCells.of_weighted(curve)
    ranking = tally.clusters.ranking(tally.labels, tally.labels.index(label))
    if ranking is None or ranking.clusters is None:
        raise OptionError("intervals for calibration are not supported with clusters and several classes")
    return CalibrationCells.of_clusters(curve, ranking.clusters)


def _calibration_law(tally: Calibration, resolved: ResolvedForecast) -> SamplingLaw:
    """Return the law of a measure of calibration with weights or clusters."""
    measure, label = resolved.measure, resolved.label
    assert label is not None
    value = resolved.value(tally)
    if measure.name == "forecast_bias" and tally.clusters is not None:
        return bias_law(tally.clusters.bias_spread(tally.labels.index(label)), value)
    cells = calibration_cells(tally, label)
    return robust_law(cells, measure.name, value, resolved.arguments, bounds=resolved.range(tally))


@dataclass(frozen=True)
class GivenForecasts:
    """The interval for fixed forecasts and random outcomes: slope, intercept and errors of calibration.

    Parameters
    ----------
    technique : str
        How the distribution of the measure is computed. Estimates fill it in.

    Examples
    --------
    >>> import edgeworth as ew
    >>> calibration = ew.Calibration.from_probabilities([1, 0, 1, 0] * 5, [0.8, 0.3, 0.5, 0.1] * 5)
    >>> ew.estimate(calibration, "calibration_intercept[1]", method=ew.methods.GivenForecasts()).method
    GivenForecasts(technique='')
    """

    technique: str = ""

    def law(self, tally: Forecast, resolved: ResolvedForecast) -> SamplingLaw:
        """Return the measure's own distribution.

        :meta private:
        """
        law = resolved.law(tally)
        if law is None:
            raise OptionError(f"GivenForecasts() supports only calibration errors, not {resolved.spelling}")
        return law

    def __str__(self) -> str:
        return self.technique or "outcomes drawn given the forecasts"


def _bias_sums(curve: Reliability) -> tuple[float, float]:
    """Compute Σ and Σ² of forecast − outcome over single cases."""
    total = float(curve.cases @ curve.values - curve.hits.sum())
    misses = curve.cases - curve.hits
    return total, float(curve.hits @ (curve.values - 1) ** 2 + misses @ curve.values**2)


def _log_factors(wealth: Wealth) -> tuple[float, float]:
    """Compute Σ and Σ² of the log factors of single cases."""
    logs = wealth.blocks.logs[:, 0]
    if wealth.cases == len(logs):
        return wealth.log_wealth, float((logs**2).sum())
    if wealth.book in ("fair", "constant") and wealth.fraction == 1:
        # At full stakes against fair prices a log factor is a difference of log scores: squares are kept.
        return wealth.log_wealth, float(wealth.sums("log_square").sum())
    raise OptionError(
        "a path this long is stored in blocks, so with a fraction of the stakes or with backed odds the "
        "variance cannot be estimated"
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
    if scores.clusters is not None or scores.weighting is not None:
        return _paired_robust_test(scores, score, (first, second), name, alternative)
    try:
        mean, error = _mean_and_error(scores.cases, total, square)
    except OptionError:
        return None
    p_value = NormalLaw(mean, error, Scale(), scores.cases - 1.0).p_value(0.0, alternative)
    return TestResult.approximate(p_value, 0.0, f"paired t test against {name}")


def _paired_robust_test(
    scores: ForecastScores,
    score: str,
    systems: tuple[int, int],
    name: str,
    alternative: Alternative,
) -> TestResult | None:
    try:
        spread = score_spread(scores, score, *systems)
    except OptionError:
        return None
    if not spread.variance > 0 or _has_few_clusters(scores, spread):
        return None
    row = scores.names.index(score)
    mean = float(scores.sums[row, systems[0]] - scores.sums[row, systems[1]]) / scores.total
    p_value = NormalLaw(mean, math.sqrt(spread.variance), Scale(), spread.freedom).p_value(0.0, alternative)
    over = "weighted cases" if scores.clusters is None else "clusters (CR2)"
    return TestResult.approximate(p_value, 0.0, f"paired t test against {name} over {over}")


def _has_few_clusters(scores: ForecastScores, spread: ClusterSpread) -> bool:
    """Return whether there are too few clusters for a claim."""
    return scores.clusters is not None and few_clusters_caveat(spread.freedom) is not None


def _mean_and_error(cases: int, total: float, square: float) -> tuple[float, float]:
    if not (math.isfinite(total) and math.isfinite(square)):
        raise OptionError(
            "it is infinite because a forecast of probability 0 came true, so it has no interval"
        )
    if cases < 2:
        raise OptionError("there is only one case, so the variance cannot be estimated")
    mean = total / cases
    spread = square - cases * mean**2
    if not spread > RELATIVE_ROUNDING_ERROR * square:
        raise OptionError("every case has the same value, so the variance cannot be estimated")
    return mean, math.sqrt(spread / (cases - 1) / cases)


def estimate_forecasts(
    tally: Forecast,
    measure: str | Measure,
    *,
    method: Method | None = None,
    seed: int = 0,
) -> Estimate:
    """Estimate a measure of probabilities with its uncertainty.

    Its chance level is that of the class shares of these cases, taken as known. A mean score has no p-value
    against it: what the shares score varies with the outcomes, so only a paired test compares the two. The
    p-value of a slope, an intercept, a z or a miscalibration is that of calibration.
    """
    resolved = resolve_forecast(tally, measure)
    undefined = resolved.undefined(tally)
    if undefined is not None:
        return undefined_estimate(tally, resolved.spelling, undefined, float(tally.cases))
    if method is not None and not isinstance(method, (AcrossCases, GivenForecasts)):
        raise OptionError(
            f"{method} does not apply to probabilities: use AcrossCases() for means over cases, and "
            "GivenForecasts() for slope, intercept and errors of calibration"
        )
    chosen = _usual_method(tally, resolved) if method is None else method
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
        chance_test=_calibration_test(tally, resolved, law, seed),
        no_chance_test=CHANCE_VARIES if isinstance(tally, ForecastScores) else None,
        size=float(tally.cases),
    )


def _usual_method(tally: Forecast, resolved: ResolvedForecast) -> Method:
    """Choose the method of an interval: over cases, weighted cases or clusters, or given the forecasts."""
    is_clustered = not isinstance(tally, Wealth) and tally.clusters is not None
    is_weighted = isinstance(tally, ForecastScores) and tally.weighting is not None
    if is_clustered:
        return AcrossClusters()
    if is_weighted or (isinstance(tally, Calibration) and tally.needs_robust_laws):
        return AcrossWeightedCases()
    entry = resolved.measure.outcome_law
    return AcrossCases() if entry is None else GivenForecasts(entry.name)


def _calibration_test(
    tally: Forecast, resolved: ResolvedForecast, law: SamplingLaw | None, seed: int
) -> ChanceTest:
    """Return the test of calibration: by drawn outcomes, or by the law over weighted cases or clusters."""
    if not (isinstance(tally, Calibration) and tally.needs_robust_laws):
        return partial(resolved.test_calibration, tally, seed)
    null = NULLS.get(resolved.measure.name)
    return no_test if null is None or law is None else partial(_test_law, law, null, tally.clusters is None)


def _test_law(law: SamplingLaw, null: float, is_weighted: bool, alternative: Alternative) -> TestResult:
    over = "weighted cases" if is_weighted else "clusters (CR2)"
    return TestResult.approximate(law.p_value(null, alternative), 0.0, f"t test over {over}")


APPROXIMATELY = "approximately"
"""How ``AverageDifference.holds`` begins if the bounds are approximate."""

NOT_BEFORE = {
    "cross-validated": f"{APPROXIMATELY}, because the predictions are cross-validated",
    "in-sample": "not for new cases: the model had seen these outcomes",
}

INFINITE_SCORE = (
    "a log score is infinite because a forecast of probability 0 came true, so the mean has no interval"
)
"""Why there is no difference of log scores."""


@dataclass(frozen=True)
class AverageDifference:
    """The mean difference of a score, baseline − model: above 0 the model scores better.

    ``holds`` describes what the bounds hold for at the level. ``sequence`` are the bounds after each case, or
    None if only those at the end are valid. No difference is larger than ``reach``.
    """

    mean: float
    low: float
    high: float
    level: float
    holds: str
    method: str
    sequence: ConfidenceSequence | None
    reach: float = math.inf
    no_winner: str | None = None
    """Why too little happened to name a better forecaster; None if one may be named."""
    caveat: str | None = None
    """Why the bounds are Hoeffding's, if they name a better forecaster."""

    @property
    def model_less_baseline(self) -> AverageDifference:
        """The difference as it is reported, model − baseline: below 0 the model scores better."""
        sequence = None if self.sequence is None else self.sequence.mirror()
        return replace(self, mean=-self.mean, low=-self.high, high=-self.low, sequence=sequence)

    @property
    def at_all_times(self) -> bool:
        """Whether all bounds hold at once, so that you may look at any time and stop."""
        return self.sequence is not None and self.holds == "at all times"

    @property
    def is_approximate(self) -> bool:
        """Whether the bounds reach their level only approximately."""
        return self.holds.startswith(APPROXIMATELY)

    @property
    def is_uninformative(self) -> bool:
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
        shares = f"{APPROXIMATELY}, for many independent cases; class shares come from the same cases"
        holds = shares if hindsight else "if the cases are independent"
        bounds = _student_bounds(blocks, level, reach)
        difference = AverageDifference(*bounds, level, holds, "Student's t over cases", None, reach)
    return replace(difference, holds=NOT_BEFORE.get(wealth.predictions_made, holds))


def robust_difference(scores: ForecastScores, score: str, level: float, wealth: Wealth) -> AverageDifference:
    """Compute the mean difference of scores, baseline − model, with an interval over clusters or weights."""
    row, reach = scores.names.index(score), RULES[score].highest(len(scores.labels))
    mean = float(scores.sums[row, 1] - scores.sums[row, 0]) / scores.total
    low = high = math.nan
    try:
        spread = score_spread(scores, score, 1, 0)
    except OptionError:
        spread = None
    if spread is not None and spread.variance > 0 and not _has_few_clusters(scores, spread):
        away = student_quantile(level, max(spread.freedom, 1.0)) * math.sqrt(spread.variance)
        low, high = max(mean - away, -reach), min(mean + away, reach)
    method, units = (AcrossClusters(), "clusters") if scores.clusters else (AcrossWeightedCases(), "cases")
    holds = f"if the {units} are independent"
    if wealth.book == "constant":
        holds = f"{APPROXIMATELY}, for many independent {units}; class shares come from the same cases"
    holds = NOT_BEFORE.get(wealth.predictions_made, holds)
    return AverageDifference(mean, low, high, level, holds, str(method), None, reach)


def bound_if_scarce(
    difference: AverageDifference,
    score: str,
    scarcity: str | None,
    *,
    scores: ForecastScores,
    possible: PossibleDifferences | None,
) -> AverageDifference:
    """Replace Student's t by Hoeffding's bounds if too little happened, and name no winner but by them.

    Outcomes of a cluster may go together in any way. By Cauchy and Schwarz, the squared range of a cluster of
    m cases is at most m times the sum of their squared ranges.
    """
    if scarcity is None or difference.at_all_times:
        return difference
    unbounded = replace(difference, no_winner=scarcity)
    is_weighted_in_clusters = scores.clusters is not None and scores.weighting is not None
    if possible is None or difference.sequence is not None or is_weighted_in_clusters:
        return unbounded
    index = possible.names.index(score)
    square = float(possible.squared_ranges[index])
    if not math.isfinite(square):
        reason = f"a forecaster gives probability 0 to a class, so the {score} score has no bound"
        return replace(
            unbounded, low=math.nan, high=math.nan, method=HOEFFDING, no_winner=f"{scarcity}; {reason}"
        )
    largest = 1.0 if scores.clusters is None else float(scores.clusters.cases.max())
    low, high = (float(sums[index]) / scores.total for sums in (possible.lowest, possible.highest))
    law = HoeffdingLaw(difference.mean, math.sqrt(largest * square) / scores.total, low, high, math.nan)
    low, high = law.interval(difference.level)
    bounded = replace(unbounded, low=low, high=high, method=HOEFFDING)
    if law.p_value(0.0, "two-sided") > MAX_HOEFFDING_P_VALUE:
        return bounded
    return replace(bounded, no_winner=None, caveat=scarcity)


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
