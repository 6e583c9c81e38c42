"""The numbers behind a report on forecasts and their bets, computed once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.bet.bookmakers import DESCRIPTION, Market
from edgeworth.bet.flat import FlatStakes
from edgeworth.bet.fractional import whole_sum
from edgeworth.bet.ledger import Ledger
from edgeworth.core.estimates import Estimate, estimate
from edgeworth.core.measures import Spelling
from edgeworth.core.sampling_distributions import check_level
from edgeworth.core.test_results import TestResult
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.betting.law import Moments, luck_of_moments, wealth_law
from edgeworth.forecasts.betting.season import Season
from edgeworth.forecasts.betting.wealth import CLASS_SHARES, RIVAL, Wealth
from edgeworth.forecasts.calibration import Calibration, Reliability
from edgeworth.forecasts.calibration_test import CalibrationTest
from edgeworth.forecasts.clusters import ForecastClusters
from edgeworth.forecasts.corp_reliability import (
    Decomposition,
    ReliabilityBands,
    decompose,
    recalibrate,
    reliability_bands,
)
from edgeworth.forecasts.curves import FinalLaw, Paths, WealthPath, final_law
from edgeworth.forecasts.estimates import (
    RELATIVE_ROUNDING_ERROR,
    AverageDifference,
    bound_if_scarce,
    calibration_cells,
    robust_difference,
    score_difference,
)
from edgeworth.forecasts.measures import climatology, skill
from edgeworth.forecasts.pairs import ForecastPairs, ForecastPoints
from edgeworth.forecasts.parts import area_estimate, calibration_of
from edgeworth.forecasts.policy import MAX_CLASSES_SHOWN, MAX_RELIABILITY_DRAWS
from edgeworth.forecasts.robust_calibration import RobustCalibrationTest
from edgeworth.forecasts.scarce_outcomes import scarcity_of_tally
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.forecasts.sequential import Evidence, better_of
from edgeworth.forecasts.tally import AGAINST, MODEL, ForecastTally
from edgeworth.sources.columns import Label

Name: TypeAlias = Literal["error", "log", "brier", "log_likelihood", "log_wealth"]

DECIDING: tuple[Name, ...] = ("error", "log", "log_wealth")
"""The criteria of the sentence on agreement; the Brier score and the likelihood are only in the table."""


@dataclass(frozen=True)
class Criterion:
    """One criterion for the better of two systems: the value of each, and which of them it prefers."""

    name: Name
    values: dict[str, float]
    """nan if a system has no value: a system that only quotes odds does not bet."""
    better: str | None
    """None if both are alike."""


def sides(
    wealth: Wealth, scores: ForecastScores, tables: dict[str, ContingencyTable]
) -> tuple[Criterion, ...]:
    """Top-1 error, mean log and Brier score, log likelihood, and log wealth of betting against each other.

    Top-1 error is the share of cases whose likeliest label was wrong: of two classes it sees of a probability
    only on which side of ½ it lies. The likelihood ratio is exp of the difference of the log likelihoods; at
    full stakes against fair prices it is the wealth.

    >>> from edgeworth.forecasts.forecasts import Forecasts
    >>> from edgeworth.decisions.table import ContingencyTable
    >>> from edgeworth.forecasts.forecasts import argmax_table
    >>> pair = {name: Forecasts.of([1, 0], [p, q]) for name, p, q in (("A", 0.9, 0.6), ("B", 0.6, 0.6))}
    >>> wealth = Wealth.from_forecasts(*pair.values(), against="B")
    >>> counts = {name: argmax_table(each) for name, each in pair.items()}
    >>> tables = {name: ContingencyTable.from_matrix(each, rows="predicted") for name, each in counts.items()}
    >>> result = sides(wealth, ForecastScores.from_forecasts(pair), tables)
    >>> [(each.name, each.better) for each in result if each.name in DECIDING]
    [('error', None), ('log', 'A'), ('log_wealth', 'A')]
    """
    if len(scores.systems) != 2:
        return ()
    model, rival = scores.systems
    cases = scores.total
    errors = {name: 1 - float(table.counts.diagonal().sum()) / cases for name, table in tables.items()}
    logs, briers = ({name: scores.mean(kind, name) for name in scores.systems} for kind in ("log", "brier"))
    likelihoods = {name: -cases * value for name, value in logs.items()}
    # Odds that can only be backed, or part of the stakes, leave the other side without a bet of its own.
    is_symmetric = wealth.book != "backing" and wealth.fraction == 1
    money = {model: wealth.log_wealth, rival: -wealth.log_wealth if is_symmetric else math.nan}
    growing = None if wealth.log_wealth == 0 else model if wealth.log_wealth > 0 else rival
    return (
        Criterion("error", errors, _lower(errors)),
        Criterion("log", logs, _lower(logs)),
        Criterion("brier", briers, _lower(briers)),
        Criterion("log_likelihood", likelihoods, _lower(logs)),
        Criterion("log_wealth", money, growing),
    )


def _lower(values: dict[str, float]) -> str | None:
    (first, first_value), (second, second_value) = values.items()
    if first_value == second_value or math.isclose(first_value, second_value, rel_tol=1e-12):
        return None
    return first if first_value < second_value else second


NULLS = {
    "fair": "{prices} are the true ones, given all that the model knew",
    "exchange": "every true probability lies between the outcome's prices to lay and to back at, given all "
    "that the model knew",
    "backing": "no outcome is likelier than its price, given all that the model knew",
    "constant": "the classes come with constant shares, whatever these are and whatever the model knew",
}
REVERSE_NULL = "the model's probabilities are the true ones, given all that {who} knew"
ROUND_NULL = "in every case {whose} expected {score} score is at least as good as the model's"


@dataclass(frozen=True)
class Bets:
    """One bettor's wealth and what it proves."""

    wealth: Wealth
    against_rival: Evidence
    against_model: Evidence | None
    """The reverse bet; there is none where odds are only backed."""
    mixture: Evidence | None
    """Capital divided over stake fractions; prices made with hindsight allow only the full stakes."""
    brier_rounds: Evidence | None
    log_rounds: Evidence | None
    brier: AverageDifference
    log: AverageDifference | None
    """Difference of mean scores; None if a log score is infinite."""
    luck: TestResult | None
    """P(wealth this large if the prices are the true probabilities); where the hypothesis allows many, under
    one of them: the prices with the overround removed, or those inside the spread at which the model bets."""
    luck_undefined_reason: str | None = None
    """Why luck is undefined."""

    @property
    def stronger(self) -> Evidence:
        """The direction that proves more; where both were looked at, both are paid for."""
        if self.against_model is None:
            return self.against_rival
        return better_of(self.against_rival, self.against_model)

    @property
    def growth(self) -> float:
        """Nats per case."""
        return self.wealth.log_wealth / self.wealth.cases

    @property
    def rate(self) -> float:
        """What a case added to wealth, as a share of it, on geometric average."""
        return math.expm1(self.growth) if self.growth < 700 else math.inf

    @property
    def p_value(self) -> float:
        """Against the rival's prices; looking in both directions is paid for where both were looked at."""
        return min(1.0, self.against_rival.p_value * (1 if self.against_model is None else 2))


@dataclass(frozen=True)
class ForecastFindings:
    """The numbers behind a report on probabilities."""

    bets: Bets
    scores: ForecastScores
    parts: dict[str, dict[Label, Decomposition]]
    """For each score, each class's decomposition."""
    tables: dict[str, ContingencyTable]
    """For each system, the labels of highest probability against the truth."""
    level: float
    cumulative_games: dict[Label, Bets]
    """For ordered classes, the games on "at most this class"."""
    reliability: dict[Label, ReliabilityBands]
    """Of the model, for the classes that have a decomposition."""
    area_estimates: dict[Label, Estimate]
    """The area under the ROC curve of the model's probabilities of each of these classes."""
    counted: Calibration
    """What happened at each probability of every class."""
    pairs: ForecastPairs | None
    """Of two classes, which probabilities model and rival gave."""
    points: ForecastPoints | None = None
    """The probabilities of model and rival case by case, while there are few enough to draw each."""
    expected_log_wealth: float | None = None
    """Against a drunken bookmaker: the mean over all his prices; None if that is not known."""
    flat: FlatStakes | None = None
    """Unit stakes at a bookmaker's odds."""
    names: Mapping[str, str] = field(default_factory=dict)
    """What the user calls a system, if that is known."""
    seed: int = 0
    orders: Paths | None = None
    """Wealth over random orders of the cases."""
    crowd: Paths | None = None
    """Wealth against many drunken bookmakers."""
    goal: float | None = None
    """What $1 is to become."""
    season: Season | None = None
    """The bets at quoted odds, round by round."""
    ledger: Ledger | None = None
    """What they did to a bankroll; None if the rounds are not known."""
    dates: NDArray[np.datetime64] | None = None
    """The date of each case in time order, if it is known."""

    @property
    def is_weighted(self) -> bool:
        """Return whether rows have sampling weights, which bets ignore."""
        return self.scores.weighting is not None

    @property
    def is_robust(self) -> bool:
        """Return whether rows are weighted or clustered, so that they are not equal and independent."""
        return self.is_weighted or self.scores.clusters is not None

    @property
    def has_odds(self) -> bool:
        """Whether the user brought odds."""
        return self.bets.wealth.against.startswith(Market.description)

    @property
    def is_about_bets(self) -> bool:
        """Whether the user brought odds or asked for bets; otherwise reports are about likelihoods."""
        asked = self.goal is not None or self.orders is not None or self.bets.wealth.fraction < 1
        return asked or self.has_odds or self.is_drunken

    def with_ledger(self, start: float) -> ForecastFindings:
        """Book the bets of the season from a bankroll, if its rounds are known and it stays finite."""
        if self.season is None or not self.season.is_in_rounds:
            return self
        with np.errstate(over="ignore", invalid="ignore"):
            ledger = self.season.ledger(self.bets.wealth.fraction, start)
        return replace(self, ledger=ledger) if ledger.bankroll.max(initial=start) < math.inf else self

    def name(self, system: str) -> str:
        """Name the model or its opponent within a sentence."""
        short = self.short_name(system)
        return "a constant forecast of the class shares" if short == CLASS_SHARES else short

    def short_name(self, system: str) -> str:
        """Name the model or its opponent where there is little room."""
        if system in self.names:
            return self.names[system]
        if system == MODEL:
            return "the model"
        against = self.bets.wealth.against
        return "the opponent" if against == RIVAL else against

    def heading(self, system: str) -> str:
        """Name the model or its opponent in the head of a table."""
        return self.names.get(system, MODEL if system == MODEL else self.bets.wealth.against)

    def with_names(self, text: str) -> str:
        """Call the model and the baseline by their names in a sentence on bets."""
        return text.replace("the model", self.name(MODEL)).replace(RIVAL, self.name(AGAINST))

    @property
    def areas(self) -> dict[Label, float]:
        """The value of each ROC area; nan if it is undefined."""
        return {label: area.value for label, area in self.area_estimates.items()}

    @cached_property
    def calibration(self) -> dict[Label, dict[str, Estimate]]:
        """Slope, intercept, error and z of the few classes that stray furthest from calibration."""
        return {label: _calibration_estimates(self.counted, label) for label in self.furthest}

    def detectable_overconfidence(self, label: Label) -> float | None:
        """Compute how many times too extreme log odds must be to be detected; all classes are tested."""
        alpha = (1 - self.level) / len(self.reliability)
        test = self.reliability[label].test
        return test.detectable_overconfidence(alpha) if isinstance(test, CalibrationTest) else None

    @property
    def furthest(self) -> dict[Label, ReliabilityBands]:
        """The few classes that stray furthest from calibration."""
        by_p_value = sorted(self.reliability, key=lambda label: self.reliability[label].test.p_value)
        worst = by_p_value[:MAX_CLASSES_SHOWN]
        return {label: bands for label, bands in self.reliability.items() if label in worst}

    @property
    def is_drunken(self) -> bool:
        """Whether the prices were drawn at random."""
        return self.bets.wealth.against.startswith(DESCRIPTION)

    @property
    def shares_log_wealth(self) -> float:
        """Log wealth of bets on the class shares of the cases, at the same fair prices and full stakes.

        Two such bettors differ by their log scores at any prices.
        """
        model = self.scores.systems[0]
        lead = climatology(self.scores, "log") - self.scores.mean("log", model)
        return self.bets.wealth.log_wealth - self.scores.cases * lead

    @property
    def skills(self) -> dict[str, dict[str, float]]:
        """For each system, how much better its scores are than those of constant class shares."""
        return {
            system: {score: skill(self.scores, score, system) for score in self.scores.names}
            for system in self.scores.systems
        }

    @property
    def sides(self) -> tuple[Criterion, ...]:
        """Compare model and rival by decisions, scores and wealth; wealth is left out with weights."""
        criteria = sides(self.bets.wealth, self.scores, self.tables)
        if not self.is_weighted:
            return criteria
        return tuple(x for x in criteria if x.name not in ("log_likelihood", "log_wealth"))

    def cases_to(self, goal: float) -> tuple[float, float, float]:
        """Compute how many cases turn $1 into the goal, its logarithm over growth per case (Breiman 1961).

        The part of the last case that exceeds the goal is ignored. The number is infinite if wealth does not
        grow beyond rounding, and if it is infinite, because that says nothing about other cases.
        """
        if not 1 < goal < math.inf:
            raise OptionError(f"--goal (goal=) must be above 1, the wealth at the start; saw {goal!r}")
        growth = estimate(self.bets.wealth, "growth")
        rates = (growth.value, *reversed(growth.interval(self.level)))
        value, soon, late = (
            math.log(goal) / x if RELATIVE_ROUNDING_ERROR < x < math.inf else math.inf for x in rates
        )
        return value, soon, late

    @cached_property
    def expected_median(self) -> float:
        """The median of log wealth at the end if the model is right; of very many distinct games its mean."""
        wealth = self.bets.wealth
        law = None if wealth.games is None else wealth_law(wealth, truth="model")
        return Moments.of(wealth, "model").mean if law is None else law.quantile(0.5)

    @cached_property
    def path(self) -> WealthPath:
        """Wealth on its way, with what was to be expected."""
        return WealthPath.of(self.way, self.level)

    @cached_property
    def way(self) -> Wealth:
        """The bets in the order in which they are shown: a random one if the rows have none."""
        return self.bets.wealth if self.bets.wealth.ordered else self.bets.wealth.shuffle(self.seed)

    @cached_property
    def final_law(self) -> FinalLaw | None:
        """The law of final wealth, None without spread."""
        return final_law(self.bets.wealth)


def examine_bets(wealth: Wealth, *, level: float = 0.95) -> Bets:
    """Find what a path of wealth proves.

    Parameters
    ----------
    wealth : Wealth
        The settled bets.
    level : float
        The level of confidence sequences.

    Returns
    -------
    Bets
        E-values with their p-values, confidence sequences of the mean score differences, and the probability
        of at least this wealth by luck alone.

    Notes
    -----
    If the prices are the true probabilities, the mean of the wealth is at most 1, and it ever reaches 1/α
    with probability at most α (Ville 1939).

    Examples
    --------
    >>> wealth = Wealth.from_probabilities([1, 0, 1], [0.6, 0.3, 0.8], against=[0.5, 0.5, 0.5], ordered=True)
    >>> result = examine_bets(wealth)
    >>> round(result.against_rival.e_value, 6), round(result.against_rival.p_value, 6)
    (2.688, 0.372024)
    """
    check_level(level)
    if not wealth.cases:
        raise InputError("there are no bets to settle")
    is_market = wealth.against.startswith(Market.description)
    ordered, fair = wealth.ordered, wealth.book in ("fair", "exchange") and not is_market
    null = NULLS[wealth.book].format(prices=_prices_of(wealth.against))
    hindsight = wealth.book == "constant"
    two = len(wealth.labels) == 2 and fair
    brier, log = (score_difference(wealth, score, level) for score in ("brier", "log"))
    assert brier is not None
    luck_undefined_reason = _luck_undefined_reason(wealth)
    mixture = None if hindsight else Evidence.from_path(wealth.mixture_path, null=null, ordered=ordered)
    # Against a market the evidence is the same for every fraction of Kelly's stakes.
    full = mixture if is_market else None
    if full is None:
        full = Evidence(wealth.log_wealth, wealth.log_maximum if ordered else None, null)
    return Bets(
        wealth=wealth,
        against_rival=_against_shares(wealth, null) if hindsight else full,
        against_model=_reverse(wealth) if fair and wealth.fraction == 1 else None,
        mixture=mixture,
        brier_rounds=_rounds(wealth, "henzi_brier", "Brier") if two else None,
        log_rounds=_rounds(wealth, "henzi_log", "log") if two else None,
        brier=brier,
        log=log,
        luck=_luck(wealth) if luck_undefined_reason is None else None,
        luck_undefined_reason=luck_undefined_reason,
    )


def _against_shares(wealth: Wealth, null: str) -> Evidence:
    """Compute the likelihood ratio to the class shares of these cases, for any part of the stakes.

    No constant shares make the outcomes likelier, so the ratio is at most that to the true ones, whose mean
    is 1: an e-value at the end, for all constant shares at once, but not on the way there. Of a part c of the
    stakes, Π (1 − c + c p/q), that is not known: there the bettor, too, profits from the hindsight.
    """
    return Evidence(float(whole_sum(wealth.sums("log"))), None, null)


def _reverse(wealth: Wealth) -> Evidence:
    """Return the rival's bets against the model, which are the opposite bets."""
    null = REVERSE_NULL.format(who=_opponent(wealth.against))
    path = wealth.reverse_path
    largest = max(0.0, float(path.max()))
    if np.isfinite(path).all():
        largest = max(largest, -wealth.log_minimum)
    return Evidence(float(path[-1]), largest if wealth.ordered else None, null)


def _prices_of(against: str) -> str:
    descriptions = {RIVAL: "the rival's probabilities", "the market's odds": "the market's prices"}
    return descriptions.get(against, f"the prices of {against}")


def _opponent(against: str) -> str:
    """Name the opponent in a sentence about what it forecast."""
    if against == RIVAL:
        return against
    return "the market" if against.startswith("the market's odds") else "the bookmaker"


def _rounds(wealth: Wealth, name: str, score: str) -> Evidence:
    whose = "the rival's" if wealth.against == RIVAL else "the bookmaker's"
    null = ROUND_NULL.format(whose=whose, score=score)
    return Evidence.from_path(wealth.bet_path(name), null=null, ordered=wealth.ordered)


def _luck_undefined_reason(wealth: Wealth) -> str | None:
    """Explain why the wealth is not compared with that of luck, or return None."""
    if wealth.book == "constant":
        return "the class shares were counted on these cases, so they were not known beforehand"
    if wealth.predictions_made == "in-sample":
        return "the model had seen these outcomes"
    return None


def _parts(curves: Mapping[Label, Reliability]) -> dict[str, dict[Label, Decomposition]]:
    """Decompose the Brier and log score of each class, recalibrated once for both."""
    fitted = {label: recalibrate(curve) for label, curve in curves.items()}
    return {
        score: {label: decompose(curve, score, fitted=fitted[label]) for label, curve in curves.items()}
        for score in ("brier", "log")
    }


def _luck(wealth: Wealth) -> TestResult:
    """Compute luck from the law of the games if they are kept, else from the sums of their moments."""
    if wealth.games is None:
        return luck_of_moments(wealth)
    return wealth_law(wealth).tail(wealth.log_wealth)


CALIBRATION_SHOWN = ("calibration_slope", "calibration_intercept", "ece", "spiegelhalter_z")
"""The measures of calibration that a report shows beside miscalibration."""


def _calibration_estimates(calibration: Calibration, label: Label) -> dict[str, Estimate]:
    """Estimate the calibration of one class."""
    return {name: estimate(calibration, str(Spelling(name, label=str(label)))) for name in CALIBRATION_SHOWN}


def examine_forecasts(
    tally: ForecastTally, *, level: float = 0.95, seed: int = 0, orders: int | None = None
) -> ForecastFindings:
    """Find what the bets prove, how good the scores are, and why the model's are what they are."""
    crowd = [wealth if wealth.ordered else wealth.shuffle(seed) for wealth in (tally.wealth, *tally.crowd)]
    curves = tally.reliability
    scores = replace(tally.scores, clusters=tally.clusters)
    bets = examine_bets(tally.wealth, level=level)
    if tally.season is not None and tally.season.is_in_rounds:
        bets = _settled_in_rounds(bets, tally.season, seed)
    if tally.clusters is not None:
        bets = _over_clusters(bets, scores, tally.clusters, level)
    elif tally.is_weighted:
        bets = _over_weights(bets, scores, level)
    bets = _bound_scarce_scores(bets, scores, tally)
    draws = max(100, min(1000, MAX_RELIABILITY_DRAWS // len(curves)))
    calibration = calibration_of(tally)
    return ForecastFindings(
        bets=bets,
        scores=scores,
        parts=_parts(curves),
        tables=tally.tables,
        level=level,
        cumulative_games={
            label: examine_bets(wealth, level=level) for label, wealth in tally.cumulative_games.items()
        },
        reliability={
            label: _robust_bands(
                reliability_bands(curve, level=level, draws=draws, rng=seed), calibration, label
            )
            for label, curve in curves.items()
        },
        area_estimates={label: area_estimate(tally, label) for label in curves},
        counted=calibration,
        pairs=tally.pairs if tally.pairs.labels else None,
        points=tally.points,
        dates=tally.dates,
        expected_log_wealth=tally.expected_log_wealth,
        flat=None if tally.flat is None else FlatStakes(int(tally.flat[0]), *tally.flat[1:].tolist()),
        seed=seed,
        orders=None if orders is None else Paths.of_orders(tally.wealth, orders, seed),
        crowd=Paths.of(crowd[0], crowd) if tally.crowd else None,
        season=tally.season,
    )


def _robust_bands(bands: ReliabilityBands, calibration: Calibration, label: Label) -> ReliabilityBands:
    """Replace the test by drawn outcomes, if rows are weighted or come in clusters."""
    if not calibration.needs_robust_laws:
        return bands
    try:
        test = RobustCalibrationTest.of(calibration_cells(calibration, label))
    except OptionError:
        test = RobustCalibrationTest(math.nan, {})
    return replace(bands, test=test)


def _over_clusters(bets: Bets, scores: ForecastScores, clusters: ForecastClusters, level: float) -> Bets:
    """Replace what takes rows as independent: one bet per cluster, score differences over clusters."""
    hindsight = bets.wealth.book == "constant"
    log_wealth = clusters.log_wealth_against_shares if hindsight else clusters.log_wealth
    evidence = Evidence(log_wealth, None, bets.against_rival.null)
    reason = "rows of one cluster are not independent"
    return replace(_robust_bets(bets, scores, level, reason), against_rival=evidence)


def _over_weights(bets: Bets, scores: ForecastScores, level: float) -> Bets:
    """Replace what takes rows as equal. Wealth ignores weights, so it is no evidence here."""
    return _robust_bets(bets, scores, level, "bets ignore sampling weights")


def _robust_bets(bets: Bets, scores: ForecastScores, level: float, no_luck: str) -> Bets:
    """Keep only what allows for weights and clusters; ``no_luck`` is why the test of luck is left out."""
    is_finite = bool(np.isfinite(scores.sums[scores.names.index("log")]).all())
    return replace(
        bets,
        against_model=None,
        mixture=None,
        brier_rounds=None,
        log_rounds=None,
        brier=robust_difference(scores, "brier", level, bets.wealth),
        log=robust_difference(scores, "log", level, bets.wealth) if is_finite else None,
        luck=None,
        luck_undefined_reason=no_luck,
    )


def _bound_scarce_scores(bets: Bets, scores: ForecastScores, tally: ForecastTally) -> Bets:
    """Replace intervals for differences of mean scores where too little happened for Student's t."""

    def bound(difference: AverageDifference, score: str) -> AverageDifference:
        scarcity = scarcity_of_tally(scores, tally.tables, tally.possible, score)
        return bound_if_scarce(difference, score, scarcity, scores=scores, possible=tally.possible)

    log = None if bets.log is None else bound(bets.log, "log")
    return replace(bets, brier=bound(bets.brier, "brier"), log=log)


def _settled_in_rounds(bets: Bets, season: Season, seed: int) -> Bets:
    """Take evidence and luck from rounds settled together: games of a round may then depend on each other."""
    evidence = Evidence.from_path(season.evidence_path, null=bets.against_rival.null)
    luck = None if bets.luck is None else season.luck(bets.wealth.fraction, seed)
    return replace(bets, against_rival=evidence, mixture=evidence, luck=luck)
