"""The probabilities behind a bookmaker's prices, and odds as a column for each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from edgeworth.arrays import Floats
from edgeworth.bet.bookmakers import Bookmaker, Commission, Quote
from edgeworth.bet.checking import check_odds
from edgeworth.bet.exchange import clipped_prices
from edgeworth.core.labels import list_labels, usual_positive
from edgeworth.errors import InputError
from edgeworth.forecasts.class_columns import labels_of_columns, list_columns, without_column
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.sources.columns import Label
from edgeworth.sources.numbers import as_probabilities, names_of_columns


def bookmaker_forecasts(forecasts: Forecasts, bookmaker: Bookmaker, *, first: int = 0) -> Forecasts:
    """The probabilities behind the prices of these cases; ``first`` is the position of the first one.

    They are those of the odds that are offered: a commission is no part of what a market thinks.

    >>> from edgeworth.bet import Market
    >>> forecasts = Forecasts.of([0, 1], np.array([[0.5, 0.5], [0.6, 0.4]]))
    >>> bookmaker_forecasts(forecasts, Market([[1.6, 1.6], [1.2, 3.6]])).probabilities.tolist()
    [[0.5, 0.5], [0.75, 0.25]]
    """
    bookmaker = bookmaker.bookmaker if isinstance(bookmaker, Commission) else bookmaker
    prices = game_prices(bookmaker, forecasts, first)
    if prices is not None:
        return replace(forecasts, probabilities=np.stack([1 - prices, prices], axis=1))
    return quote_forecasts(forecasts, quote_cases(bookmaker, forecasts, first))


def game_prices(bookmaker: Bookmaker, forecasts: Forecasts, first: int = 0) -> Floats | None:
    """Of games that are backed and laid alike, the price of the second of two classes; else None."""
    if not _is_game(bookmaker, forecasts):
        return None
    return bookmaker.starting_at(first).game_prices(len(forecasts))


def _is_game(bookmaker: Bookmaker, forecasts: Forecasts) -> bool:
    return forecasts.size == 2 and bookmaker.is_game(len(forecasts))


def quote_forecasts(forecasts: Forecasts, quote: Quote) -> Forecasts:
    """Prices that can only be backed are divided by their sum, which takes the margin off evenly.

    Of two prices, those inside the spread at which the model bets: no others speak better for the bookmaker.
    """
    if quote.lay is None:
        prices = 1 / quote.back
        return replace(forecasts, probabilities=prices / prices.sum(axis=1, keepdims=True))
    return replace(forecasts, probabilities=clipped_prices(forecasts.probabilities, quote.back, quote.lay))


def quote_cases(bookmaker: Bookmaker, forecasts: Forecasts, first: int) -> Quote:
    """The odds of these cases; prices that are drawn at random are those of their positions in the path."""
    shape, bookmaker = forecasts.probabilities.shape, bookmaker.starting_at(first)
    return bookmaker.quote(shape[:1]).two_way() if _is_game(bookmaker, forecasts) else bookmaker.quote(shape)


def as_races(
    odds: Any, forecasts: Forecasts, *, columns: Sequence[Label] | None = None, first_row: int = 1
) -> Floats:
    """Odds as a column for each class and a row for each case; one column of two classes is of the positive.

    ``columns`` are the names of columns that stand in the order of the classes, for errors. A dataframe's own
    columns may be called as the classes, in any order.
    """
    values, names = as_probabilities(odds, "odds"), names_of_columns(odds)
    cases, size = forecasts.probabilities.shape
    if values.shape == (cases,) and size == 2 and _is_of_last(forecasts):
        check_odds(values[:, None], outcomes=columns or [forecasts.labels[1]], first_row=first_row)
        return values
    if values.shape == (size,) and cases != size:
        values = np.broadcast_to(values, (cases, size))
    if values.shape != (cases, size):
        seen = "one" if values.ndim == 1 else str(values.shape[1])
        what = f"{seen}, {list_columns(columns)}" if columns else seen
        rows = "" if len(values) == cases else f" of {len(values):,} rows where there are {cases:,} cases"
        raise InputError(f"odds need a column for each of {list_labels(forecasts.labels)}; saw {what}{rows}")
    if names is not None and columns is None:
        values, columns = _by_name(values, names, forecasts)
    check_odds(values, outcomes=columns or forecasts.labels, first_row=first_row)
    return values


def _is_of_last(forecasts: Forecasts) -> bool:
    """Whether odds of one class can only be of the last."""
    return forecasts.label_source == "positive" or usual_positive(forecasts.labels) == forecasts.labels[1]


def _by_name(
    values: Floats, names: Sequence[Label], forecasts: Forecasts
) -> tuple[Floats, Sequence[Label] | None]:
    """A dataframe's columns in the order of the classes, and their names."""
    found = labels_of_columns(names, forecasts.labels)
    if found is not None:
        order = [found.index(label) for label in forecasts.labels]
        return values[:, order], [names[place] for place in order]
    missing = without_column(names, forecasts.labels)
    if len(missing) < forecasts.size:
        raise InputError(
            f"the columns of odds, {list_columns(names)}, are not named after the classes "
            f"{list_labels(forecasts.labels)}: there is none for {list_labels(missing)}"
        )
    return values, None
