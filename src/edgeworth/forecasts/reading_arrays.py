"""Probabilities from arrays or the columns of a file to findings: who bets against whom, and what is found.

Columns of a file are read batch by batch; ``time``, and a bookmaker who has odds for every case, need all of
the rows at once, as arrays are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats
from edgeworth.bet.bookmakers import Bookmaker, Market
from edgeworth.comparing.reading import read_whole
from edgeworth.core.plain import labels_to_json
from edgeworth.forecasts.betting.path import is_tied
from edgeworth.forecasts.betting.settling import as_races
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.named_columns import forecasts_of_columns, order_of_columns, rival_of_columns
from edgeworth.forecasts.reading import (
    ONE_PRICE,
    ForecastColumns,
    ForecastTerms,
    races_of_columns,
    tally_forecasts,
)
from edgeworth.forecasts.tally import ForecastTally, Opponent
from edgeworth.sources.numbers import as_times
from edgeworth.sources.opening import open_source

if TYPE_CHECKING:
    from edgeworth.forecasts.findings import ForecastFindings

__all__ = [
    "Examined",
    "ForecastTerms",
    "ReadForecasts",
    "examined_evidence",
    "read_arrays",
    "read_file",
]


@dataclass(frozen=True)
class ReadForecasts:
    """What was counted, and where it came from."""

    evidence: ForecastTally
    source: str = "arrays"


@dataclass(frozen=True)
class Examined:
    """Findings, what to remember of how they came about, and what the caller should know."""

    findings: ForecastFindings
    about: dict[str, Any]
    warnings: tuple[str, ...]


def read_arrays(
    truth: Any,
    probabilities: Any,
    against: Any,
    odds: Any,
    bookmaker: Bookmaker | None,
    time: Any,
    terms: ForecastTerms,
    *,
    first: int = 0,
) -> ReadForecasts:
    """Columns that are in memory; those of dataframes may be called as the classes, in any order.

    ``first`` is the position of the first row in the whole path.
    """
    forecasts = Forecasts.of(truth, probabilities, **terms.reading)
    rival = None if against is None else Forecasts.beside(forecasts, truth, against, **terms.reading)
    notes: tuple[str, ...] = ()
    if odds is not None:
        bookmaker, notes = _market(as_races(odds, forecasts))
    times = None if time is None else as_times(time)
    return ReadForecasts(_whole(forecasts, rival, bookmaker, times, notes, terms, first))


def read_file(
    data: Any,
    truth: str,
    probabilities: Any,
    against: Any,
    odds: Any,
    bookmaker: Bookmaker | None,
    time: str | None,
    terms: ForecastTerms,
    *,
    first: int = 0,
) -> ReadForecasts:
    """Columns of a file or dataframe by name; one stands for the positive class, several for a class each.

    ``first`` is the position of the first row in the whole path.
    """
    columns = ForecastColumns.named(truth, probabilities, against, odds)
    if time is None and (bookmaker is None or bookmaker.is_random):
        source = open_source(data)
        evidence = tally_forecasts(source, columns, terms, bookmaker=bookmaker, first=first)
        return ReadForecasts(evidence, source.name)
    read = read_whole(data, list(dict.fromkeys([truth, *([] if time is None else [time])])), columns.numbers)
    happened, notes = read.labels[truth], columns.slips

    def table(names: tuple[str, ...]) -> Floats:
        return np.stack([read.numbers[name] for name in names], 1)

    model = forecasts_of_columns(happened, table(columns.probabilities), columns.probabilities, terms.reading)
    rival = None
    if columns.against:
        rival = rival_of_columns(model, table(columns.against), columns.against, terms.reading)
    if columns.odds:
        order = None
        if len(columns.odds) == model.size:
            order = order_of_columns(columns.odds, model, terms.reading, "odds")
        bookmaker, said = _market(races_of_columns(model, table(columns.odds), columns.odds, order))
        notes += said
    times = None if time is None else as_times(read.labels[time], time)
    return ReadForecasts(_whole(model, rival, bookmaker, times, notes, terms, first), read.name)


def _market(races: Floats) -> tuple[Market, tuple[str, ...]]:
    return Market(races), () if races.ndim == 2 else (ONE_PRICE,)


def _whole(
    forecasts: Forecasts,
    rival: Forecasts | None,
    bookmaker: Bookmaker | None,
    times: NDArray[np.int64] | None,
    notes: tuple[str, ...],
    terms: ForecastTerms,
    first: int,
) -> ForecastTally:
    """All cases at once."""
    if bookmaker is not None:
        opponent = Opponent(bookmaker=bookmaker)
    elif rival is not None:
        opponent = Opponent(rival)
    else:
        counts = np.bincount(forecasts.codes, minlength=forecasts.size)
        opponent = Opponent.class_shares(forecasts, tuple((counts / len(forecasts)).tolist()))
    notes = (*_known_together(times), *notes)
    # Odds that are there for every case are counted from these cases on, not from where they stand.
    is_placed = bookmaker is None or bookmaker.is_random
    betting = terms.betting | {"times": times, "first": first if is_placed else 0}
    evidence = ForecastTally.of(forecasts, opponent, notes=notes, **betting).settled()
    return evidence if is_placed else evidence.moved(first)


def examined_evidence(evidence: ForecastTally, terms: ForecastTerms, source: str) -> Examined:
    """What the bets prove, how good the scores are, and why they are what they are."""
    from edgeworth.forecasts.findings import examine_forecasts

    findings = examine_forecasts(
        evidence.wealth,
        evidence.scores,
        evidence.reliability,
        evidence.tables,
        cumulative_games=evidence.cumulative_games,
        pairs=evidence.pairs if evidence.pairs.labels else None,
        level=terms.level,
        seed=terms.seed,
        expected_log_wealth=evidence.expected_log_wealth,
    )
    about = {"source": source, "against": evidence.against, "cases": evidence.cases}
    return Examined(findings, about | _said(terms, evidence), evidence.warnings)


def _known_together(times: NDArray[np.int64] | None) -> tuple[str, ...]:
    """Rows of one time have no order among them, which the reader must know."""
    if times is None or not is_tied(np.sort(times)):
        return ()
    counts = np.bincount(times)
    shared = int(counts[counts > 1].sum())
    return (
        f"{shared:,} of {len(times):,} rows share their time with others, so their order is not known: "
        "wealth is looked at between times only.",
    )


def _said(terms: ForecastTerms, evidence: ForecastTally) -> dict[str, Any]:
    """The terms, with the labels as they were understood."""
    labels = None if evidence.label_source in ("places", "positive") else labels_to_json(evidence.labels)
    said = {name: getattr(terms, name) for name in terms.__dataclass_fields__ if name != "fraction"}
    return said | {"labels": labels, "stake": terms.fraction}
