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
    Parameter,
    Requirement,
    Spelling,
    measure_family,
    quote_label,
)
from edgeworth.core.registry import canonical_spelling, measures_by_name, unknown_measure
from edgeworth.errors import OptionError
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.calibration import Calibration
from edgeworth.forecasts.kind import SCORES
from edgeworth.forecasts.reliability import decompose
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.forecasts.scoring_rules import RULES, Rule
from edgeworth.sources.columns import Label


def climatology(scores: ForecastScores, score: str) -> float:
    """The mean score of one who always says the class shares s of these cases.

    >>> climatology(ForecastScores.from_probabilities([1, 0, 0, 1], [0.8, 0.3, 0.2, 0.6]), "brier")
    0.25
    """
    if score not in RULES:
        raise OptionError(f"skill is of one of the scores {', '.join(RULES)}; saw {score!r}")
    if not scores.cases:
        return float("nan")
    return RULES[score].climatology(scores.classes / scores.cases)


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
    "only one class came true, which constant shares foretell perfectly",
)


ORDERED = Requirement(lambda wealth: wealth.ordered, "rows without an order in time (ordered) have no way")


def _taken(score: str) -> Requirement:
    return Requirement(lambda scores, *_: score in scores.names, f"the {score} score was not taken")


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
        f"1 − {name}/{name} of always saying the class shares of these cases",
        lambda scores, system: np.asarray(skill(scores, name, system)),
        ", ".join(rule.skill_synonyms),
        low=-np.inf,
        high=1.0,
        chance="0",
        direction="higher",
        source="Murphy 1973; Gneiting & Raftery 2007",
        title=rule.skill_words,
        needs=(CASES, _taken(name), CLASSES),
        by_chance=lambda _: 0.0,
        no_interval=(
            "it is a quotient of which the tally does not keep the covariance: bet against constant class "
            "shares, or compare two forecasts"
        ),
    )


def _part(name: str, formula: str, chance: str, direction: Direction, synonyms: str) -> Measure:
    return _of_calibration(
        name,
        formula,
        lambda curve, score: np.asarray(getattr(decompose(curve, score), name)),
        synonyms,
        chance=chance,
        direction=direction,
    )


_of_calibration = measure_family(
    scope="calibration",
    kind="probabilities",
    low=0.0,
    high=np.inf,
    source=CORP,
    options={"score": Parameter("brier", choices=("brier", "log"))},
    needs=(CASES,),
    no_interval="isotonic regression fits luck too: reliability_bands says how far luck alone goes",
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
NO_GROWTH = "growth and log_wealth have intervals"

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
        "mcb, calibration loss, reliability",
    ),
    _part(
        "discrimination",
        "score of the class's share − score of the recalibrated forecasts",
        "above 0: hindsight finds some order in any forecasts",
        "higher",
        "dsc, resolution",
    ),
    _part(
        "uncertainty",
        "score of always saying the class's share",
        "the same: forecasts have no part in it",
        "neither",
        "unc",
    ),
    _of_wealth(
        "wealth",
        "Π factors; against fair prices Π p(y)/q(y)",
        lambda wealth: np.asarray(wealth.wealth),
        "e-value, likelihood ratio",
        low=0.0,
        chance="at most 1 on average",
        no_interval=NO_GROWTH,
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
        "log_wealth/n, nats a case",
        lambda wealth: np.asarray(wealth.log_wealth / wealth.cases),
        "growth rate",
        of_case_mean="mean",
        by_chance=lambda _: 0.0,
    ),
    _of_wealth(
        "log_maximum",
        "the highest log wealth on the way, at least 0",
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
        return next((need.otherwise for need in self.measure.needs if not need.holds(*view)), None)

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
        raise OptionError(f"{written}: a depth belongs to a ranking; these are probabilities")
    resolved = ResolvedForecast(measure, measure.arguments(written.options), str(written))
    if isinstance(tally, ForecastScores):
        return replace(resolved, system=_one_of(tally.systems, written, "system"))
    if isinstance(tally, Calibration):
        labels = tally.labels[1:] if len(tally.labels) == 2 and written.label is None else tally.labels
        return replace(resolved, label=_one_of(labels, written, "class"))
    if written.label is not None:
        raise OptionError(f"{written}: wealth is of one bettor; write it without a name")
    return resolved


def _parse(spelling: object) -> Spelling:
    if not isinstance(spelling, str):
        raise OptionError(f"a measure is written as text, such as 'brier[model]'; saw {spelling!r}")
    return canonical_spelling(spelling, SCORES)


def _one_of(names: tuple[NameT, ...], written: Spelling, what: str) -> NameT:
    """Return the name that is written, or the only one."""
    if not names:
        raise OptionError(f"{written}: the tally is empty, so it has no {what}")
    if written.label is not None:
        return names[find_label(written.label, names)]
    if len(names) == 1:
        return names[0]
    examples = ", ".join(f"{written.name}[{quote_label(str(name))}]" for name in names[:3])
    raise OptionError(
        f"there are {len(names)} of them, and {written.name} is of one {what}: write {examples}"
        f"{', …' if len(names) > 3 else ''}"
    )
