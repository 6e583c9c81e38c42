"""What a bookmaker's prices say as forecasts, so that they can be scored beside the model's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from edgeworth.bet import Bookmaker, Drunken, Quote, clipped_prices
from edgeworth.errors import InputError
from edgeworth.tallies.forecast_columns import Forecasts
from edgeworth.tallies.joint import Floats
from edgeworth.tallies.labels import listed


def bookmaker_forecasts(forecasts: Forecasts, bookmaker: Bookmaker, *, first: int = 0) -> Forecasts:
    """The probabilities behind the prices of these cases; ``first`` is the position of the first one.

    >>> from edgeworth.bet import Market
    >>> forecasts = Forecasts.of([0, 1], np.array([[0.5, 0.5], [0.6, 0.4]]))
    >>> bookmaker_forecasts(forecasts, Market([[1.6, 1.6], [1.2, 3.6]])).probabilities.tolist()
    [[0.5, 0.5], [0.75, 0.25]]
    """
    if is_one_game(bookmaker, forecasts):
        assert isinstance(bookmaker, Drunken)
        price = bookmaker.prices((first + len(forecasts),))[first:]
        return replace(forecasts, probabilities=np.stack([1 - price, price], axis=1))
    return quote_forecasts(forecasts, quoted(bookmaker, forecasts, first))


def is_one_game(bookmaker: Bookmaker, forecasts: Forecasts) -> bool:
    """Whether a case is one game: a drunkard's price of the second of two classes, backed and laid alike."""
    return isinstance(bookmaker, Drunken) and forecasts.size == 2


def quote_forecasts(forecasts: Forecasts, quote: Quote) -> Forecasts:
    """Prices that can only be backed are divided by their sum, which takes the margin off evenly.

    Of two prices, those inside the spread at which the model bets: no others speak better for the bookmaker.
    """
    if quote.lay is None:
        prices = 1 / quote.back
        return replace(forecasts, probabilities=prices / prices.sum(axis=1, keepdims=True))
    return replace(forecasts, probabilities=clipped_prices(forecasts.probabilities, quote.back, quote.lay))


def quoted(bookmaker: Bookmaker, forecasts: Forecasts, first: int) -> Quote:
    """The odds of these cases; prices drawn at random are drawn from the first case of the whole path on."""
    cases, outcomes = forecasts.probabilities.shape
    if not isinstance(bookmaker, Drunken) or not first:
        return bookmaker.quote((cases, outcomes))
    whole = bookmaker.quote((first + cases, outcomes))
    return Quote(whole.back[first:], None if whole.lay is None else whole.lay[first:])


def as_races(odds: Any, forecasts: Forecasts) -> Floats:
    """Odds as a column for each class and a row for each case."""
    values = np.asarray(odds, dtype=np.float64)
    if values.ndim == 1 and len(values) == forecasts.size and len(forecasts.codes) != forecasts.size:
        values = np.broadcast_to(values, forecasts.probabilities.shape)
    if values.shape != forecasts.probabilities.shape:
        raise InputError(
            f"odds need a column for each of {listed(forecasts.labels)}, one row a case; "
            f"saw shape {values.shape}"
        )
    return values
