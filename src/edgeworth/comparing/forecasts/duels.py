"""Two forecasters bet against each other: what wealth proves either way, and sequences of their scores.

Each bets Kelly's stakes at the other's fair prices. The first's log wealth is Σ log p(y) − log q(y), the
second's its negative. An e-value of the first speaks against "the second's probabilities are the true ones"
and the other way round; neither says who is better on average. That is what the confidence sequences are for,
of the mean score difference, first less second: lower is better.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import finite_or_none, plain_values
from edgeworth.bet.fractional import running_sum
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.findings import examine_bets
from edgeworth.forecasts.sequential.bernstein import BernsteinSequence
from edgeworth.forecasts.sequential.evidence import Direction, Evidence, better_of
from edgeworth.forecasts.sequential.sequences import ConfidenceSequence

MOST_POINTS = 512
"""Points of a path that a chart shows."""

TRUE_NULL = "the probabilities of {other} are the true ones, given all that {bettor} knew"
GROUP_NULL = "the probabilities of {other} are the true ones, given all that {bettor} knew of other groups"
ROUND_NULL = "in every round the expected {score} score of {other} is at least as good as that of {bettor}"
MEAN_NULL = "at no time was {better} better than {worse} by the average of their expected Brier scores"

Kind = TypeVar("Kind", bound=ConfidenceSequence)


@dataclass(frozen=True)
class Duel:
    """What two forecasters' bets against each other prove.

    ``for_first`` is the first's wealth, evidence against the second's probabilities; ``for_second`` the
    reverse. With ordered cases their maximum on the way counts (a p-value good at any time), otherwise the
    end. ``sequences`` are of the mean difference, first less second: of Brier scores (empirical Bernstein)
    and log scores (asymptotic; None where one is infinite).
    """

    first: str
    second: str
    wealth: Wealth
    for_first: Evidence
    for_second: Evidence
    mixture: Evidence
    """The first's, capital divided over stake fractions, so that none has to be chosen."""
    brier_rounds: Evidence | None
    log_rounds: Evidence | None
    """Bets on the scores themselves, of two classes: Henzi and Ziegel's."""
    brier_sequence: BernsteinSequence
    log_sequence: ConfidenceSequence | None
    level: float = 0.95
    unit: str = "case"
    """What is one bet: a case, or a group of cases."""

    @property
    def cases(self) -> int:
        """How many bets were settled: of cases, or of groups."""
        return self.wealth.cases

    @property
    def log_wealth(self) -> float:
        """The first's log wealth against the second."""
        return self.wealth.log_wealth

    @property
    def growth(self) -> float:
        """The first's log wealth a case."""
        return self.log_wealth / self.cases

    @property
    def stronger(self) -> Evidence:
        """The direction that proves more, both paid for."""
        return better_of(self.for_first, self.for_second)

    @property
    def reverse_path(self) -> NDArray[np.float64]:
        """The second's log wealth against the first after each block: minus the first's, but for ruin."""
        # Where both were ruined within a block its sum does not tell who was first; both have nothing then.
        both = np.isnan(self.wealth.sums("log"))
        return running_sum(np.where(both, -np.inf, -self.wealth.blocks.logs[:, 0]))

    def mean_evidence(self, better: str) -> Evidence:
        """An e-value for "this one's expected Brier scores are lower on average"; ``better_of`` for both."""
        if better not in (self.first, self.second):
            raise OptionError(f"the duel is between {self.first!r} and {self.second!r}; saw {better!r}")
        worse = self.second if better == self.first else self.first
        direction: Direction = "less" if better == self.first else "greater"
        null = MEAN_NULL.format(better=better, worse=worse)
        return self.brier_sequence.evidence(direction, null=null, ordered=self.wealth.ordered)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, paths at no more points than a chart shows."""
        places = thin(self.wealth.blocks.number)
        sequences = {"brier": self.brier_sequence, "log": self.log_sequence}
        found = {
            "first": self.first,
            "second": self.second,
            "cases": self.cases,
            "unit": self.unit,
            "ordered": self.wealth.ordered,
            "log_wealth": self.log_wealth,
            "growth": self.growth,
            "for_first": plain_evidence(self.for_first),
            "for_second": plain_evidence(self.for_second),
            "stronger": plain_evidence(self.stronger),
            "mixture": plain_evidence(self.mixture),
            "better_on_average": {
                name: plain_evidence(self.mean_evidence(name)) for name in (self.first, self.second)
            },
            "rounds": {"brier": plain_evidence(self.brier_rounds), "log": plain_evidence(self.log_rounds)},
            "sequences": {
                name: None if each is None else _plain_sequence(each, places)
                for name, each in sequences.items()
            },
            "path": {"cases": self.wealth.positions[places], "log_wealth": self.wealth.path[places]},
        }
        return {name: plain_values(value) for name, value in found.items()}


def forecast_duel(
    wealth: Wealth, first: str, second: str, *, level: float = 0.95, unit: str = "case"
) -> Duel:
    """Find what the first's wealth against the second proves, either way; a bet is on one ``unit``.

    >>> wealth = Wealth.from_probabilities([1, 0, 1], [0.6, 0.3, 0.8], against=[0.5, 0.5, 0.5])
    >>> duel = forecast_duel(wealth, "A", "B")
    >>> round(duel.for_first.e_value, 4), round(duel.for_second.e_value, 4), round(duel.stronger.e_value, 4)
    (2.688, 0.372, 1.344)
    >>> duel.for_first.null
    'the probabilities of B are the true ones, given all that A knew'
    """
    if first == second:
        raise InputError(f"nobody bets against themselves; saw {first!r} twice")
    if wealth.book != "fair" or wealth.fraction != 1:
        raise OptionError(
            "two forecasters bet whole Kelly stakes at each other's fair prices; "
            f"saw a stake of {wealth.fraction:g} and prices that are {wealth.book}"
        )
    # The exact law of luck takes seconds, and a comparison does not ask for it.
    bets = examine_bets(replace(wealth, games=None), level=level)
    assert bets.against_model is not None
    assert bets.mixture is not None
    assert isinstance(bets.brier_sequence, BernsteinSequence)
    said = true_null(first, second, unit)
    brier_rounds, log_rounds = (
        found and replace(found, null=ROUND_NULL.format(score=score, other=second, bettor=first))
        for found, score in ((bets.brier_rounds, "Brier"), (bets.log_rounds, "log"))
    )
    return Duel(
        first,
        second,
        wealth,
        replace(bets.against_rival, null=said),
        replace(bets.against_model, null=true_null(second, first, unit)),
        replace(bets.mixture, null=said),
        brier_rounds,
        log_rounds,
        _negate(bets.brier_sequence),
        None if bets.log_sequence is None else _negate(bets.log_sequence),
        level,
        unit,
    )


def true_null(bettor: str, other: str, unit: str) -> str:
    """State the null hypothesis that the bettor's wealth is evidence against."""
    return (TRUE_NULL if unit == "case" else GROUP_NULL).format(other=other, bettor=bettor)


def thin(number: int, most: int = MOST_POINTS) -> NDArray[np.intp]:
    """Choose at most so many of a path's points, evenly, the last among them.

    >>> thin(10, 4)
    array([0, 3, 6, 9])
    """
    return np.unique(np.linspace(0, number - 1, min(most, number)).round().astype(np.intp))


def plain_evidence(found: Evidence | None) -> dict[str, Any] | None:
    """Convert evidence to plain values."""
    return (
        None
        if found is None
        else {
            "log_e_value": finite_or_none(found.log_e_value),
            "e_value": finite_or_none(found.e_value),
            "p_value": found.p_value,
            "anytime": found.ordered,
            "null": found.null,
        }
    )


def _negate(sequence: Kind) -> Kind:
    """Turn what the first gained on the second into a difference, first less second."""
    return replace(sequence, mean=-sequence.mean, low=-sequence.high, high=-sequence.low)


def _plain_sequence(sequence: ConfidenceSequence, places: NDArray[np.intp]) -> dict[str, Any]:
    columns = {"mean": sequence.mean, "low": sequence.low, "high": sequence.high}
    return {
        **{name: getattr(sequence.last, name) for name in columns},
        "level": sequence.level,
        "method": sequence.method,
        "undefined": getattr(sequence, "undefined", None),
        "path": {"cases": sequence.cases[places], **{name: x[places] for name, x in columns.items()}},
    }
