"""The measures of probabilities, proper scores, their parts and wealth, and how they are found on a tally."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

import numpy as np

from edgeworth.core.labels import find_label
from edgeworth.core.measures import (
    Direction,
    Measure,
    OutcomeLaw,
    Parameter,
    Requirement,
    Spelling,
    measure_family,
    quote_label,
)
from edgeworth.core.registry import canonical_spelling, measures_by_name, unknown_measure
from edgeworth.core.sampling_distributions import Alternative, SamplingLaw
from edgeworth.core.test_results import TestResult
from edgeworth.errors import OptionError
from edgeworth.forecasts import guidance
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.calibration import Calibration, Reliability
from edgeworth.forecasts.calibration_error import (
    absolute_gap_law,
    expected_calibration_error,
    squared_calibration_error,
    squared_gap_law,
)
from edgeworth.forecasts.calibration_test import (
    can_spiegelhalter_vary,
    spiegelhalter_law,
    spiegelhalter_test,
    spiegelhalter_z,
)
from edgeworth.forecasts.corp_reliability import decompose, pool_values, reliability_bands
from edgeworth.forecasts.kind import SCORES
from edgeworth.forecasts.policy import MIN_CASES_PER_BIN
from edgeworth.forecasts.recalibration import (
    Recalibration,
    contradicts_certainty,
    intercept_in_the_large,
    is_separated,
    law_in_the_large,
    uncertain_part,
)
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.forecasts.scoring_rules import RULES, Rule
from edgeworth.sources.columns import Label


def climatology(scores: ForecastScores, score: str) -> float:
    """Compute the mean score of always forecasting the class shares s of these cases.

    >>> climatology(ForecastScores.from_probabilities([1, 0, 0, 1], [0.8, 0.3, 0.2, 0.6]), "brier")
    0.25
    """
    if score not in RULES:
        raise OptionError(f"skill needs one of the scores {', '.join(RULES)}; saw {score!r}")
    if not scores.cases:
        return float("nan")
    return RULES[score].climatology(np.asarray(scores.classes / scores.total, dtype=np.float64))


def skill(scores: ForecastScores, score: str, system: str | None = None) -> float:
    """1 − score/score of the class shares: 1 is perfect, 0 no better than the shares; nan with one class.

    >>> round(skill(ForecastScores.from_probabilities([1, 0, 0, 1], [0.8, 0.3, 0.2, 0.6]), "brier"), 4)
    0.67
    """
    base = climatology(scores, score)
    return 1 - scores.mean(score, system) / base if base > 0 else float("nan")


CORP = "Dimitriadis, Gneiting & Jordan 2021 (CORP)"
KELLY = "Kelly 1956; Kalia 2011, Assessing classification performance by gambling strategies"

CASES = Requirement(lambda tally, *_: np.sum(tally.cases) > 0, "there are no cases")
CLASSES = Requirement(
    lambda scores, *_: (scores.classes > 0).sum() > 1,
    "only one class came true, so constant shares predict it perfectly",
)


ORDERED = Requirement(lambda wealth: wealth.ordered, "it needs rows in time order (--ordered, ordered=True)")


def _taken(score: str) -> Requirement:
    return Requirement(lambda scores, *_: score in scores.names, f"the {score} score was not computed")


_of_scores = measure_family(scope="scores", kind="probabilities")


def _score(rule: Rule) -> Measure:
    return _of_scores(
        rule.name,
        f"{rule.formula}, the mean",
        lambda scores, system: np.asarray(scores.mean(rule.name, system)),
        ", ".join(rule.synonyms),
        low=0.0,
        high=rule.highest(np.inf),
        chance=f"{rule.climatology_formula}, s the class shares",
        direction="lower",
        source=rule.source,
        title=rule.words,
        guidance=rule.guidance,
        limit=rule.limit,
        needs=(CASES, _taken(rule.name)),
        score=rule.name,
        of_case_mean="mean",
        by_chance=lambda scores: climatology(scores, rule.name),
        bounds=lambda scores: (0.0, rule.highest(len(scores.labels))),
    )


def _skill(rule: Rule) -> Measure:
    name = rule.name
    return _of_scores(
        f"{name}_skill",
        f"1 − {name}/{name} of always forecasting the class shares of these cases",
        lambda scores, system: np.asarray(skill(scores, name, system)),
        ", ".join(rule.skill_synonyms),
        low=-np.inf,
        high=1.0,
        chance="0",
        direction="higher",
        source="Murphy 1973; Gneiting & Raftery 2007",
        title=rule.skill_words,
        guidance=rule.skill_guidance,
        needs=(CASES, _taken(name), CLASSES),
        by_chance=lambda _: 0.0,
        no_interval=(
            "it is a ratio, and the tally does not store the covariance: bet against constant class "
            "shares, or compare two forecasts"
        ),
    )


def _part(name: str, formula: str, chance: str, direction: Direction, synonyms: str) -> Measure:
    is_miscalibration = name == "miscalibration"
    return _of_decomposition(
        name,
        formula,
        lambda curve, score: np.asarray(getattr(decompose(curve, score), name)),
        synonyms,
        chance=chance,
        direction=direction,
        calibration_test=_test_miscalibration if is_miscalibration else None,
        guidance=guidance.MISCALIBRATION if is_miscalibration else None,
    )


def _test_miscalibration(
    curve: Reliability, alternative: Alternative, seed: int, *, score: str
) -> TestResult | None:
    """Test calibration by CORP's miscalibration of the Brier score, which is never too small."""
    if score != "brier" or alternative == "less":
        return None
    bands = reliability_bands(curve, rng=seed)
    count = round(bands.p_value * (1 + bands.draws)) - 1
    return TestResult.from_draws(count, bands.draws, seed, "sets of outcomes drawn as forecast")


_of_decomposition = measure_family(
    scope="calibration",
    kind="probabilities",
    low=0.0,
    high=np.inf,
    source=CORP,
    options={"score": Parameter("brier", choices=("brier", "log"))},
    needs=(CASES,),
    no_interval=(
        "isotonic regression also fits noise: reliability_bands shows how far noise alone goes, and "
        "squared_calibration_error has an interval"
    ),
)

POSSIBLE = Requirement(
    lambda curve: not contradicts_certainty(curve),
    "a forecast of 0 came true or a forecast of 1 did not, so log odds are infinite: set a lowest "
    "probability with --clip (clip=)",
)
BOTH_OUTCOMES = Requirement(
    lambda curve: 0 < uncertain_part(curve).hits.sum() < uncertain_part(curve).cases.sum(),
    "the class came true in every case or in none, apart from forecasts of 0 and 1",
)
VARIED = Requirement(
    lambda curve: len(uncertain_part(curve).values) > 1, "all forecasts are equal, so they have no slope"
)
NOT_SEPARATED = Requirement(
    lambda curve: not is_separated(curve), "a threshold separates the outcomes, so the slope is infinite"
)
SPREAD_FORECASTS = Requirement(can_spiegelhalter_vary, "every forecast is 0, ½ or 1, so z cannot vary")
CASES_PER_BIN = Requirement(
    lambda curve, *, bins, **_: curve.cases.sum() >= MIN_CASES_PER_BIN * bins,
    f"there are fewer than {MIN_CASES_PER_BIN} cases per bin: use fewer bins",
    with_options=True,
)

BINS = {
    "bins": Parameter(10.0, low=1, high=1000, is_whole=True),
    "binning": Parameter("mass", choices=("mass", "width")),
}
PROFILE = "profile likelihood, given the forecasts"

_of_calibration = measure_family(scope="calibration", kind="probabilities", low=-np.inf, high=np.inf)


def _slope(curve: Reliability) -> float:
    return Recalibration.fit(curve).slope


def _slope_law(curve: Reliability) -> SamplingLaw:
    return Recalibration.fit(curve).law("slope")


def _test_slope(curve: Reliability, alternative: Alternative, seed: int) -> TestResult:
    del seed
    return TestResult.approximate(
        _slope_law(curve).p_value(1.0, alternative), 0.0, "likelihood ratio, slope 1"
    )


def _intercept(curve: Reliability, *, slope: str) -> float:
    return Recalibration.fit(curve).intercept if slope == "fitted" else intercept_in_the_large(curve)


def _intercept_law(curve: Reliability, *, slope: str) -> SamplingLaw:
    return Recalibration.fit(curve).law("intercept") if slope == "fitted" else law_in_the_large(curve)


def _test_intercept(curve: Reliability, alternative: Alternative, seed: int, *, slope: str) -> TestResult:
    del seed
    p_value = _intercept_law(curve, slope=slope).p_value(0.0, alternative)
    return TestResult.approximate(p_value, 0.0, "likelihood ratio, intercept 0")


CALIBRATION_MEASURES = (
    _of_calibration(
        "calibration_slope",
        "b in logit P(y) = a + b · logit p, by maximum likelihood; below 1 the forecasts are too extreme",
        lambda curve: np.asarray(_slope(curve)),
        "logistic recalibration, Cox slope",
        chance="1 if calibrated",
        direction="neither",
        source="Cox 1958; Miller et al. 1993; Van Calster et al. 2016",
        needs=(CASES, POSSIBLE, BOTH_OUTCOMES, VARIED, NOT_SEPARATED),
        guidance=guidance.CALIBRATION_SLOPE,
        outcome_law=OutcomeLaw(PROFILE, _slope_law),
        calibration_test=_test_slope,
    ),
    _of_calibration(
        "calibration_intercept",
        "a in logit P(y) = a + b · logit p with b = 1 (in the large), or b fitted; above 0 they are too low",
        lambda curve, slope: np.asarray(_intercept(curve, slope=slope)),
        "calibration in the large",
        chance="0 if calibrated",
        direction="neither",
        source="Cox 1958; Miller et al. 1993; Van Calster et al. 2016",
        options={"slope": Parameter("fixed", choices=("fixed", "fitted"))},
        needs=(
            CASES,
            POSSIBLE,
            BOTH_OUTCOMES,
            Requirement(
                lambda curve, *, slope: slope == "fixed" or not is_separated(curve),
                NOT_SEPARATED.otherwise,
                with_options=True,
            ),
        ),
        outcome_law=OutcomeLaw(PROFILE, _intercept_law),
        calibration_test=_test_intercept,
    ),
    _of_calibration(
        "forecast_bias",
        "mean of p − 1[y]: mean forecast − share of cases in which the class came true",
        lambda curve: np.asarray((curve.cases @ curve.values - curve.hits.sum()) / curve.cases.sum()),
        "mean calibration error",
        low=-1.0,
        high=1.0,
        chance="0 if calibrated",
        direction="neither",
        source="Steyerberg 2019, Clinical Prediction Models",
        title="mean forecast − event rate",
        needs=(CASES,),
        of_case_mean="mean",
        by_chance=lambda _: 0.0,
        ignores_prevalence="always",
    ),
    _of_calibration(
        "ece",
        "Σ n_b/n |share − mean forecast| over bins of equal numbers of cases (binning=mass) or of equal "
        "width, minus the bias due to chance (debias=no keeps it)",
        lambda curve, bins, binning, debias: np.asarray(
            expected_calibration_error(curve, bins=bins, binning=binning, debias=debias)
        ),
        "expected calibration error",
        low=0.0,
        high=1.0,
        chance="a little above 0 even if calibrated",
        direction="lower",
        source="Naeini, Cooper & Hauskrecht 2015; debiased by Kumar, Liang & Ma 2019",
        title="expected calibration error",
        options={**BINS, "debias": Parameter("yes", choices=("yes", "no"))},
        needs=(CASES, CASES_PER_BIN),
        guidance=guidance.ECE,
        outcome_law=OutcomeLaw("half-normal and normal bounds over bins", absolute_gap_law),
    ),
    _of_calibration(
        "squared_calibration_error",
        "Σ n_b/n ((share − mean forecast)² − share(1 − share)/(n_b − 1)) over bins, as in ece",
        lambda curve, bins, binning: np.asarray(squared_calibration_error(curve, bins=bins, binning=binning)),
        "L2 calibration error, unbiased reliability component",
        low=-1.0,
        high=1.0,
        chance="0 if calibrated",
        direction="lower",
        source="Bröcker 2012; Ferro & Fricker 2012; Kumar, Liang & Ma 2019",
        options=BINS,
        needs=(CASES, CASES_PER_BIN),
        outcome_law=OutcomeLaw("normal over bins", squared_gap_law),
    ),
    _of_calibration(
        "spiegelhalter_z",
        "Σ (y − p)(1 − 2p) / √Σ p(1 − p)(1 − 2p)²; above 0 the forecasts are too extreme",
        lambda curve: np.asarray(spiegelhalter_z(curve)),
        "Spiegelhalter's z",
        chance="0 if calibrated",
        direction="neither",
        source="Spiegelhalter 1986",
        title="Spiegelhalter's z",
        needs=(CASES, SPREAD_FORECASTS),
        outcome_law=OutcomeLaw("normal over cases", spiegelhalter_law),
        calibration_test=lambda curve, alternative, seed: spiegelhalter_test(
            pool_values(curve), alternative, seed
        ),
    ),
)
_of_wealth = measure_family(
    scope="wealth",
    kind="probabilities",
    low=-np.inf,
    high=np.inf,
    chance="at most 0 on average",
    direction="higher",
    source=KELLY,
    needs=(CASES,),
)
NO_GROWTH = "no interval is known for it; growth per case has one"

MEASURES = (
    *map(_score, RULES.values()),
    _of_scores(
        "perplexity",
        "exp of the mean of −ln p(y)",
        lambda scores, system: np.exp(scores.mean("log", system)),
        low=1.0,
        high=np.inf,
        chance="exp(−Σ s ln s), s the class shares",
        direction="lower",
        source="Jelinek et al. 1977; Powers 2003",
        needs=(CASES, _taken("log")),
        score="log",
        of_case_mean="exponential",
        by_chance=lambda scores: math.exp(climatology(scores, "log")),
    ),
    *map(_skill, RULES.values()),
    _part(
        "miscalibration",
        "score − score of the forecasts recalibrated by isotonic regression",
        "above 0: even calibrated forecasts can be improved with hindsight",
        "lower",
        "MCB, calibration loss, reliability",
    ),
    _part(
        "discrimination",
        "score of the class's share − score of the recalibrated forecasts",
        "above 0: hindsight finds some order in any forecasts",
        "higher",
        "DSC, resolution",
    ),
    _part(
        "uncertainty",
        "score of always forecasting the class's share",
        "the same, because it does not depend on the forecasts",
        "neither",
        "UNC",
    ),
    *CALIBRATION_MEASURES,
    _of_wealth(
        "wealth",
        "Π factors; against fair prices Π p(y)/q(y)",
        lambda wealth: np.asarray(wealth.wealth),
        "e-value, likelihood ratio",
        low=0.0,
        chance="at most 1 on average",
        no_interval=NO_GROWTH,
        guidance=guidance.WEALTH,
    ),
    _of_wealth(
        "log_wealth",
        "Σ ln factor; against fair prices Σ ln p(y) − ln q(y)",
        lambda wealth: np.asarray(wealth.log_wealth),
        "log likelihood ratio",
        of_case_mean="total",
        by_chance=lambda _: 0.0,
    ),
    _of_wealth(
        "growth",
        "log_wealth/n, nats per case",
        lambda wealth: np.asarray(wealth.log_wealth / wealth.cases),
        "growth rate",
        of_case_mean="mean",
        by_chance=lambda _: 0.0,
        guidance=guidance.GROWTH,
    ),
    _of_wealth(
        "log_maximum",
        "the highest log wealth along the path, at least 0",
        lambda wealth: np.asarray(wealth.log_maximum),
        "running maximum",
        low=0.0,
        chance="above ln x with probability 1/x at most",
        needs=(CASES, ORDERED),
        no_interval=NO_GROWTH,
    ),
    _of_wealth(
        "drawdown",
        "the largest fall of log wealth from a height reached before",
        lambda wealth: np.asarray(wealth.drawdown),
        "maximum drawdown",
        low=0.0,
        chance="depends on the stakes",
        direction="lower",
        needs=(CASES, ORDERED),
        no_interval=NO_GROWTH,
    ),
)


Forecast: TypeAlias = ForecastScores | Calibration | Wealth
"""The tallies of probabilities."""

NameT = TypeVar("NameT", bound=Label)

SCOPES: dict[type, str] = {ForecastScores: "scores", Calibration: "calibration", Wealth: "wealth"}


@dataclass(frozen=True)
class ResolvedForecast:
    """A measure of probabilities with its system or class settled, and its options."""

    measure: Measure
    arguments: dict[str, float | str]
    spelling: str
    system: str | None = None
    """Whose scores are measured; None for a calibration or wealth."""
    label: Label | None = None
    """The class whose calibration is measured; None for scores or wealth."""

    def value(self, tally: Forecast) -> float:
        """Compute the value; nan if it is undefined."""
        if self.undefined(tally) is not None:
            return math.nan
        return float(self.measure.compute(*self._view(tally), **self.arguments))

    def undefined(self, tally: Forecast) -> str | None:
        """Return why there is no value; None when there is one."""
        view = self._view(tally)
        for need in self.measure.needs:
            options = self.arguments if need.with_options else {}
            if not need.holds(*view, **options):
                return need.otherwise
        return None

    def law(self, tally: Forecast) -> SamplingLaw | None:
        """Return the law of a measure of calibration over new outcomes, if it has one."""
        entry = self.measure.outcome_law
        return None if entry is None else entry.law(*self._view(tally), **self.arguments)

    def test_calibration(self, tally: Forecast, seed: int, alternative: Alternative) -> TestResult | None:
        """Test calibration by the measure, if it has a test."""
        test = self.measure.calibration_test
        return None if test is None else test(*self._view(tally), alternative, seed, **self.arguments)

    def by_chance(self, tally: Forecast) -> float:
        """Compute the value of constant class shares; nan if chance has no single value."""
        return math.nan if self.measure.by_chance is None else self.measure.by_chance(tally)

    def range(self, tally: Forecast) -> tuple[float, float]:
        """Return the range of the measure, given how many classes there are."""
        return self.measure.range if self.measure.bounds is None else self.measure.bounds(tally)

    def _view(self, tally: Forecast) -> tuple[object, ...]:
        """Return what the measure is computed from, as positional arguments."""
        if isinstance(tally, ForecastScores):
            return tally, self.system
        if isinstance(tally, Calibration):
            assert self.label is not None
            return (tally.curve(self.label),)
        return (tally,)


def measure_forecasts(tally: Forecast, spelling: str | Measure) -> float:
    """Compute a measure of probabilities; nan when it is undefined."""
    return resolve_forecast(tally, spelling).value(tally)


def resolve_forecast(tally: Forecast, spelling: str | Measure) -> ResolvedForecast:
    """Find the measure, its system or class on this tally, and its options.

    Of several systems one is named, ``brier[model]``; of two classes the second is meant if none is.
    """
    written = Spelling(spelling.name) if isinstance(spelling, Measure) else _parse(spelling)
    measure = (
        spelling
        if isinstance(spelling, Measure)
        else measures_by_name(SCORES, *SCOPES.values()).get(written.name)
    )
    if measure is None:
        raise unknown_measure(written.name)
    if measure.scope != SCOPES[type(tally)]:
        if measure.kind != "probabilities":
            raise unknown_measure(measure.name)
        owner = next(kind.__name__ for kind, scope in SCOPES.items() if scope == measure.scope)
        raise OptionError(f"{measure.name} is a measure of {owner}; this is {type(tally).__name__}")
    if written.depth is not None:
        raise OptionError(f"{written}: only rankings have a depth; these are probabilities")
    resolved = ResolvedForecast(measure, measure.arguments(written.options), str(written))
    if isinstance(tally, ForecastScores):
        return replace(resolved, system=_one_of(tally.systems, written, "system"))
    if isinstance(tally, Calibration):
        labels = tally.labels[1:] if len(tally.labels) == 2 and written.label is None else tally.labels
        return replace(resolved, label=_one_of(labels, written, "class"))
    if written.label is not None:
        raise OptionError(f"{written}: wealth has no system name; write it without one")
    return resolved


def _parse(spelling: object) -> Spelling:
    if not isinstance(spelling, str):
        raise OptionError(f"a measure is written as text, such as 'brier[model]'; saw {spelling!r}")
    return canonical_spelling(spelling, SCORES)


def _one_of(names: tuple[NameT, ...], written: Spelling, noun: str) -> NameT:
    """Return the name that is written, or the only one."""
    if not names:
        raise OptionError(f"{written}: the tally is empty, so it has no {noun}")
    if written.label is not None:
        return names[find_label(written.label, names)]
    if len(names) == 1:
        return names[0]
    examples = ", ".join(f"{written.name}[{quote_label(str(name))}]" for name in names[:3])
    raise OptionError(
        f"{written.name} needs one {noun}, and there are {len(names)}: write "
        f"{examples}{', …' if len(names) > 3 else ''}"
    )
