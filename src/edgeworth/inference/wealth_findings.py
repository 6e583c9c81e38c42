"""Everything worth saying about a forecaster's bets, computed once."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from edgeworth.bet.paths import running_sum
from edgeworth.errors import InputError
from edgeworth.inference.laws import check_level
from edgeworth.inference.sequential import (
    BlockSums,
    ConfidenceSequence,
    Evidence,
    better_of,
    block_asymptotic_sequence,
    block_empirical_bernstein,
)
from edgeworth.inference.tails import Tail
from edgeworth.inference.wealth_law import LogWealthLaw
from edgeworth.measures.calibration_parts import Decomposition, decomposed
from edgeworth.measures.skill import skill
from edgeworth.measures.views import Values
from edgeworth.sources.columns import Label
from edgeworth.tallies import Calibration, ContingencyTable, ForecastScores, Wealth

FAIR_NULL = "{prices} are the true ones, given all that the model knew"
CONSTANT_NULL = "the classes come with constant shares, whatever these are and whatever the model knew"
BACKING_NULL = "no outcome is likelier than its price, given all that the model knew"
REVERSE_NULL = "the model's probabilities are the true ones, given all that {against} knew"
ROUND_NULL = "in every round {whose} expected {score} score is at least as good as the model's"


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
    brier_sequence: ConfidenceSequence
    log_sequence: ConfidenceSequence | None
    luck: Tail | None
    """P(wealth this large if the prices are the true probabilities)."""

    @property
    def stronger(self) -> Evidence:
        """The direction that proves more; where both were looked at, both are paid for."""
        if self.against_model is None:
            return self.against_rival
        return better_of(self.against_rival, self.against_model)

    @property
    def growth(self) -> float:
        """Nats a case."""
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
    ladder: dict[Label, Bets]
    """For ordered classes, the games on "at most this class"."""

    @property
    def skills(self) -> dict[str, dict[str, float]]:
        """For each system, how much better its scores are than those of constant class shares."""
        return {
            system: {score: skill(self.scores, score, system) for score in ("log", "brier")}
            for system in self.scores.systems
        }

    @property
    def right_and_wrong(self) -> dict[str, tuple[int, int]]:
        """For each system, how often its likeliest label was right, and how often not."""
        right = {system: int(table.counts.diagonal().sum()) for system, table in self.tables.items()}
        return {system: (number, self.scores.cases - number) for system, number in right.items()}

    @property
    def expected_path(self) -> tuple[Values, Values]:
        """Mean and standard deviation of log wealth along the path if the model is right."""
        wealth = self.bets.wealth
        variance = np.cumsum(wealth.sums("model_variance"))
        return np.cumsum(wealth.sums("model_mean")), np.sqrt(variance)


def examine_bets(wealth: Wealth, *, level: float = 0.95) -> Bets:
    """What a path of wealth proves."""
    check_level(level)
    if not wealth.cases:
        raise InputError("there are no bets to settle")
    ordered, fair = wealth.ordered, wealth.book == "fair"
    nulls = {"fair": FAIR_NULL, "backing": BACKING_NULL, "constant": CONSTANT_NULL}
    null = nulls[wealth.book].format(prices=_prices_of(wealth.against))
    # Shares counted on these cases price them at least as well as the true constant ones would: the wealth
    # against them is an e-value, but not its way there, nor that of any other bet.
    hindsight = wealth.book == "constant"
    ordered = ordered and not hindsight
    two = len(wealth.labels) == 2 and fair
    counts = wealth.blocks.ends - wealth.blocks.starts
    brier = BlockSums(counts, wealth.sums("brier"), wealth.sums("brier_square"))
    # A difference of Brier scores lies in ±1 for two classes and in ±2 for more.
    width = 2.0 if len(wealth.labels) == 2 else 4.0
    return Bets(
        wealth=wealth,
        against_rival=Evidence(wealth.log_wealth, wealth.log_maximum if ordered else None, "greater", null),
        against_model=_reverse(wealth) if fair and wealth.stake == 1 else None,
        mixture=None if hindsight else Evidence.from_path(wealth.mixture_path, null=null, ordered=ordered),
        brier_rounds=_rounds(wealth, "henzi_brier", "Brier") if two else None,
        log_rounds=_rounds(wealth, "henzi_log", "log") if two else None,
        brier_sequence=block_empirical_bernstein(brier, c=width, level=level),
        log_sequence=_log_sequence(wealth, level),
        luck=None if hindsight else _luck(wealth),
    )


def _reverse(wealth: Wealth) -> Evidence:
    """The rival's bets against the model are the same bets turned round."""
    null = REVERSE_NULL.format(against=wealth.against)
    # Where both were ruined within a block its sum does not tell who was first: the rival has nothing then.
    both = np.isnan(wealth.sums("log"))
    path = running_sum(np.where(both, -np.inf, -wealth.blocks.logs[:, 0]))
    largest = max(0.0, float(path.max()))
    if np.isfinite(path).all():
        largest = max(largest, -wealth.log_minimum)
    return Evidence(float(path[-1]), largest if wealth.ordered else None, "less", null)


def _prices_of(against: str) -> str:
    return "the rival's probabilities" if against == "the rival" else f"the prices of {against}"


def _rounds(wealth: Wealth, name: str, score: str) -> Evidence:
    whose = "the rival's" if wealth.against == "the rival" else "the bookmaker's"
    null = ROUND_NULL.format(whose=whose, score=score)
    return Evidence.from_path(wealth.bet_path(name), null=null, ordered=wealth.ordered)


def _log_sequence(wealth: Wealth, level: float) -> ConfidenceSequence | None:
    """None where a log score is infinite: its mean has no interval."""
    sums, squares = wealth.sums("log"), wealth.sums("log_square")
    if not (np.isfinite(sums).all() and np.isfinite(squares).all()):
        return None
    counts = wealth.blocks.ends - wealth.blocks.starts
    return block_asymptotic_sequence(BlockSums(counts, sums, squares), level=level)


def _luck(wealth: Wealth) -> Tail | None:
    if wealth.games is None or math.isnan(wealth.log_wealth):
        return None
    games = wealth.games
    law = LogWealthLaw.of(games.log_factors, games.prices, games.counts)
    return law.tail(wealth.log_wealth)


def examine_forecasts(
    wealth: Wealth,
    scores: ForecastScores,
    calibrations: dict[str, Calibration],
    tables: dict[str, ContingencyTable],
    *,
    ladder: dict[Label, Wealth] | None = None,
    level: float = 0.95,
) -> ForecastFindings:
    """Bets, scores, and why the scores are what they are."""
    first = next(iter(calibrations.values()))
    # With two classes the second says it all: the first is its mirror.
    labels = first.labels[1:] if len(first.labels) == 2 else first.labels
    parts = {
        score: {label: decomposed(first.curve(label), score) for label in labels}
        for score in ("brier", "log")
    }
    steps = {label: examine_bets(each, level=level) for label, each in (ladder or {}).items()}
    return ForecastFindings(examine_bets(wealth, level=level), scores, parts, tables, level, steps)
