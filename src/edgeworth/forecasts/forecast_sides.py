"""Model and rival side by side: by their decisions, by their scores and by their wealth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from edgeworth.decisions.table import ContingencyTable
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.scores import ForecastScores

Name: TypeAlias = Literal["error", "log", "brier", "log_likelihood", "log_wealth"]

DECIDING: tuple[Name, ...] = ("error", "log", "log_wealth")
"""What the sentence on agreement is about; the Brier score and the likelihood stand beside them."""


@dataclass(frozen=True)
class Criterion:
    """One way to say who is better: a value for each of two systems, and which of them it prefers."""

    name: Name
    values: dict[str, float]
    """nan where a system has none: who only quotes odds does not bet."""
    better: str | None
    """None where both are alike."""


def sides(
    wealth: Wealth, scores: ForecastScores, tables: dict[str, ContingencyTable]
) -> tuple[Criterion, ...]:
    """MAP error, mean log and Brier score, log likelihood, and log wealth of betting against each other.

    MAP error is the share of cases whose likeliest label was wrong: for two classes it sees of a probability
    only on which side of ½ it lies. The likelihood ratio is exp of the difference of the log likelihoods; at
    full stakes against fair prices it is the wealth.

    >>> from edgeworth.forecasts.forecasts import Forecasts
    >>> from edgeworth.decisions.table import ContingencyTable
    >>> from edgeworth.forecasts.betting.likeliest import chosen_counts
    >>> pair = {name: Forecasts.of([1, 0], [p, q]) for name, p, q in (("A", 0.9, 0.6), ("B", 0.6, 0.6))}
    >>> wealth = Wealth.from_forecasts(*pair.values(), against="B")
    >>> counts = {name: chosen_counts(each) for name, each in pair.items()}
    >>> tables = {name: ContingencyTable.from_matrix(each, rows="predicted") for name, each in counts.items()}
    >>> found = sides(wealth, ForecastScores.from_forecasts(pair), tables)
    >>> [(each.name, each.better) for each in found if each.name in DECIDING]
    [('error', None), ('log', 'A'), ('log_wealth', 'A')]
    """
    if len(scores.systems) != 2:
        return ()
    model, rival = scores.systems
    cases = scores.cases
    errors = {name: 1 - float(table.counts.diagonal().sum()) / cases for name, table in tables.items()}
    logs, briers = ({name: scores.mean(kind, name) for name in scores.systems} for kind in ("log", "brier"))
    likelihoods = {name: -cases * value for name, value in logs.items()}
    # Odds that can only be backed, or part of the stakes, leave the other side without a bet of its own.
    both = wealth.book != "backing" and wealth.stake == 1
    money = {model: wealth.log_wealth, rival: -wealth.log_wealth if both else math.nan}
    growing = None if wealth.log_wealth == 0 else model if wealth.log_wealth > 0 else rival
    return (
        Criterion("error", errors, _lower(errors)),
        Criterion("log", logs, _lower(logs)),
        Criterion("brier", briers, _lower(briers)),
        Criterion("log_likelihood", likelihoods, _lower(logs)),
        Criterion("log_wealth", money, growing),
    )


def _lower(values: dict[str, float]) -> str | None:
    (first, one), (second, two) = values.items()
    if one == two or math.isclose(one, two, rel_tol=1e-12):
        return None
    return first if one < two else second
