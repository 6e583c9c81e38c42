"""Probabilities from arrays or the columns of a file to findings: which column is which, and who bets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.bet import Bookmaker, Drunken, Market
from edgeworth.errors import OptionError
from edgeworth.inference import ForecastFindings, examine_forecasts
from edgeworth.pairing import columns_of, read_whole
from edgeworth.sources import Label
from edgeworth.sources.times import as_times
from edgeworth.tallies import ForecastScores, Wealth
from edgeworth.tallies.bookmaker_forecasts import as_races, bookmaker_forecasts
from edgeworth.tallies.calibration import Reliability
from edgeworth.tallies.forecast_columns import Forecasts
from edgeworth.tallies.forecast_pairs import ForecastPairs
from edgeworth.tallies.ladder import rungs
from edgeworth.tallies.likeliest import likeliest
from edgeworth.tallies.named_forecasts import forecasts_of_columns, order_of_columns, rival_of_columns
from edgeworth.tallies.serial import labels_to_json
from edgeworth.tallies.wealth import Book, PredictionsMade
from edgeworth.tallies.wealth_times import is_tied

Floats = NDArray[np.float64]

FAIRLY = {"backing": ", divided by their sum,", "exchange": ", inside the spread,"}
"""At which prices the games of a ladder are played, where a book has more than one."""


@dataclass(frozen=True)
class ForecastTerms:
    """What the caller says about probabilities: whose they are, how they bet, and what is to be shown."""

    labels: Sequence[Label] | None = None
    positive: Label | None = None
    normalise: bool = False
    ordered: bool = False
    predictions_made: PredictionsMade = "before"
    stake: float = 1.0
    ordinal: bool = False
    level: float = 0.95
    seed: int = 0

    @property
    def reading(self) -> dict[str, Any]:
        """How probabilities are read."""
        return {"labels": self.labels, "positive": self.positive, "normalise": self.normalise}


@dataclass(frozen=True)
class ReadForecasts:
    """The model's probabilities and what they bet against, checked; nothing of it means class shares."""

    forecasts: Forecasts
    rival: Forecasts | None = None
    bookmaker: Bookmaker | None = None
    times: NDArray[np.int64] | None = None
    source: str = "arrays"
    warnings: tuple[str, ...] = ()


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
) -> ReadForecasts:
    """Columns that are in memory; those of dataframes may be called as the classes, in any order."""
    forecasts = Forecasts.of(truth, probabilities, **terms.reading)
    rival = None if against is None else Forecasts.beside(forecasts, truth, against, **terms.reading)
    warnings: tuple[str, ...] = ()
    if odds is not None:
        bookmaker, warnings = _market(as_races(odds, forecasts))
    times = None if time is None else as_times(time)
    return ReadForecasts(forecasts, rival, bookmaker, times, "arrays", warnings)


def read_file(
    data: Any,
    truth: str,
    probabilities: Any,
    against: Any,
    odds: Any,
    bookmaker: Bookmaker | None,
    time: str | None,
    terms: ForecastTerms,
) -> ReadForecasts:
    """Columns of a file or dataframe by name; one stands for the positive class, several for a class each."""
    roles = {"probabilities": probabilities, "against": against, "odds": odds}
    wanted = {role: columns_of(names, role) for role, names in roles.items() if names is not None}
    numbers = list(dict.fromkeys(name for names in wanted.values() for name in names))
    read = read_whole(data, list(dict.fromkeys([truth, *([] if time is None else [time])])), numbers)
    happened = read.labels[truth]
    tables = {role: np.stack([read.numbers[name] for name in names], 1) for role, names in wanted.items()}
    given = {role: (tables[role], wanted[role], terms.reading) for role in wanted}
    forecasts = forecasts_of_columns(happened, *given["probabilities"])
    rival = None if against is None else rival_of_columns(forecasts, happened, *given["against"])
    warnings: tuple[str, ...] = ()
    if odds is not None:
        bookmaker, warnings = _market(_races(forecasts, tables["odds"], wanted["odds"], terms))
    times = None if time is None else as_times(read.labels[time], time)
    slips = _slips(truth, wanted)
    return ReadForecasts(forecasts, rival, bookmaker, times, read.name, (*slips, *warnings))


def _slips(truth: str, wanted: dict[str, list[str]]) -> tuple[str, ...]:
    """What was asked for and can hardly have been meant."""
    said = []
    if truth in wanted["probabilities"]:
        said.append(f"Truth and probability are the same column, {truth!r}.")
    if wanted.get("against") == wanted["probabilities"]:
        said.append(f"Model and rival are the same: {', '.join(map(repr, wanted['probabilities']))}.")
    return tuple(said)


def _races(forecasts: Forecasts, table: Floats, columns: Sequence[str], terms: ForecastTerms) -> Floats:
    if len(columns) != forecasts.size:
        return as_races(table[:, 0] if len(columns) == 1 else table, forecasts, columns=columns)
    order = order_of_columns(columns, forecasts, terms.reading, "odds")
    return as_races(table[:, order], forecasts, columns=[columns[place] for place in order])


def _market(races: Floats) -> tuple[Market, tuple[str, ...]]:
    if races.ndim == 2:
        return Market(races), ()
    said = (
        "One column of odds is a price at which the positive class is backed and laid alike; where it can "
        "only be backed, give the odds of both classes."
    )
    return Market(races), (said,)


def examined(read: ReadForecasts, terms: ForecastTerms) -> Examined:
    """Let the model bet, score both, and find out why the scores are what they are."""
    forecasts, bookmaker = read.forecasts, read.bookmaker
    betting: dict[str, Any] = {
        "stake": terms.stake,
        "ordered": terms.ordered,
        "times": read.times,
        "predictions_made": terms.predictions_made,
    }
    expected = None
    if bookmaker is not None:
        wealth = Wealth.from_bookmaker(forecasts, bookmaker, **betting)
        rival = bookmaker_forecasts(forecasts, bookmaker)
        expected = _over_all_prices(forecasts, bookmaker)
        betting["against"] = wealth.against + FAIRLY.get(wealth.book, "")
    else:
        book: Book = "constant" if read.rival is None else "fair"
        who = "constant class shares" if read.rival is None else "the rival"
        betting |= {"book": book, "against": who}
        rival = _class_shares(forecasts) if read.rival is None else read.rival
        wealth = Wealth.from_forecasts(forecasts, rival, **betting)
    ladder = {}
    if terms.ordinal:
        if forecasts.size == 2:
            raise OptionError("ordinal has no meaning with two classes: the one game says it all")
        mine, its = rungs(forecasts), rungs(rival)
        ladder = {label: Wealth.from_forecasts(mine[label], its[label], **betting) for label in mine}
    systems = {"model": forecasts, wealth.against: rival}
    scores = ForecastScores.from_forecasts(systems)
    tables = {name: likeliest(each) for name, each in systems.items()}
    pairs = ForecastPairs.from_forecasts(forecasts, rival) if forecasts.size == 2 else None
    curves = _curves(forecasts)
    about = {"source": read.source, "against": wealth.against, "cases": wealth.cases}
    about |= _said(terms, forecasts)
    warnings = (*_known_together(read.times), *read.warnings)
    # What follows needs tallies alone: the forecasts themselves may go.
    del read, forecasts, rival, systems
    findings = examine_forecasts(
        wealth,
        scores,
        curves,
        tables,
        ladder=ladder,
        pairs=pairs,
        level=terms.level,
        seed=terms.seed,
        expected_log_wealth=expected,
    )
    return Examined(findings, about, warnings)


def _curves(forecasts: Forecasts) -> dict[Label, Reliability]:
    """What happened at each forecast value, class by class; of two classes the second says it all."""
    places = range(1, 2) if forecasts.size == 2 else range(forecasts.size)
    return {
        forecasts.labels[place]: Reliability.of(
            forecasts.probabilities[:, place], forecasts.codes == place, None
        )
        for place in places
    }


def _over_all_prices(forecasts: Forecasts, bookmaker: Bookmaker) -> float | None:
    """The mean log wealth over all prices that a drunkard draws; None where it is not known."""
    if not isinstance(bookmaker, Drunken):
        return None
    rows = forecasts.probabilities[:, 1] if forecasts.size == 2 else forecasts.probabilities
    if forecasts.size > 2 and (bookmaker.low, bookmaker.high) != (0, 1):
        return None
    return bookmaker.expected_log_wealth(forecasts.codes, rows)


def _class_shares(forecasts: Forecasts) -> Forecasts:
    """Without a rival, the class shares of these very cases."""
    shares = np.bincount(forecasts.codes, minlength=forecasts.size) / len(forecasts.codes)
    return replace(forecasts, probabilities=np.broadcast_to(shares, forecasts.probabilities.shape))


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


def _said(terms: ForecastTerms, forecasts: Forecasts) -> dict[str, Any]:
    """The terms, with the labels as they were understood."""
    labels = None if forecasts.told in ("places", "positive") else labels_to_json(forecasts.labels)
    said = {name: getattr(terms, name) for name in terms.__dataclass_fields__}
    return said | {"labels": labels}
