"""Bookmakers set the prices that a forecast bets against.

A price is what a unit of winnings costs, ``q = 1/O``. Shapes are ``(n,)`` for n games (the price of "true")
or ``(n, K)`` for n races. A new bookmaker is a subclass of ``Bookmaker`` in a file of its own and an entry in
``edgeworth.bet``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from edgeworth.arrays import Floats
from edgeworth.bet.checking import add_to_one, as_odds, as_shares, freeze
from edgeworth.errors import InputError, OptionError

NO_WINNINGS = float(np.nextafter(1.0, 2.0))
"""Odds that return the stake and nothing: what is backed at them is wealth that was kept."""


@dataclass(frozen=True)
class Quote:
    """Decimal odds to back at, and to lay at; ``lay`` is None where nothing can be laid."""

    back: Floats
    lay: Floats | None

    def two_way(self) -> Quote:
        """Odds on "true" as odds on both outcomes, "false" first: who lays the one backs the other.

        A lay at L wins a unit for L − 1 at risk, so it backs "false" at ``L/(L − 1)``.

        >>> both = Quote(np.array([4.0]), np.array([5.0])).two_way()
        >>> both.back.tolist(), [[round(odds, 4) for odds in row] for row in both.lay.tolist()]
        ([[1.25, 4.0]], [[1.3333, 5.0]])
        """
        if self.lay is None:
            return Quote(np.stack([np.full_like(self.back, NO_WINNINGS), self.back], axis=-1), None)
        back = np.stack([_other_side(self.lay), self.back], axis=-1)
        return Quote(back, np.stack([_other_side(self.back), self.lay], axis=-1))


class Bookmaker(ABC):
    """Anyone who quotes odds for games or races of a shape."""

    @property
    @abstractmethod
    def description(self) -> str:
        """Who that is, within a sentence: "bets against …"."""

    @abstractmethod
    def quote(self, shape: tuple[int, ...]) -> Quote:
        """Quote odds for every game or race."""

    @abstractmethod
    def is_game(self, cases: int) -> bool:
        """Tell whether so many cases of two classes are games at one price each, of "true"."""

    @property
    def offer(self) -> str:
        """What is offered, within a sentence: "… less 5% commission"."""
        return self.description

    @property
    def is_random(self) -> bool:
        """Whether prices are drawn for any number of cases, and none is held for each case."""
        return False

    @property
    def price_range(self) -> tuple[float, float] | None:
        """Between which ends fair prices are drawn; None where they are not drawn."""
        return None

    def starting_at(self, case: int) -> Bookmaker:  # noqa: ARG002  # for those whose prices depend on it
        """Shift drawn prices to those of the cases from ``case`` on; held prices stay as they are."""
        return self

    def game_prices(self, games: int) -> Floats | None:
        """Compute the prices of "true" in so many games; None where they are not backed and laid alike."""
        quote = self.quote((games,))
        return 1 / quote.back if quote.lay is not None and np.array_equal(quote.back, quote.lay) else None


@dataclass(frozen=True, eq=False)
class Rival(Bookmaker):
    """Another forecaster, who offers fair prices: its own probabilities, backed and laid alike.

    >>> Rival([0.25, 0.5]).prices((2,)).tolist(), Rival([0.25, 0.5]).quote((2,)).back.tolist()
    ([0.25, 0.5], [4.0, 2.0])
    """

    description = "the rival"
    offer = "the rival's prices"

    probabilities: ArrayLike

    def is_game(self, cases: int) -> bool:
        """Tell whether there is a probability of "true" for every case."""
        return _one_each(np.asarray(self.probabilities), cases, "the rival's probabilities")

    def __post_init__(self) -> None:
        forecast = as_shares(self.probabilities, "the rival's probabilities")
        if forecast.ndim == 2:
            forecast = add_to_one(forecast, normalise=False)
        object.__setattr__(self, "probabilities", freeze(forecast))

    def prices(self, shape: tuple[int, ...]) -> Floats:
        """The rival's probabilities."""
        return _broadcast(np.asarray(self.probabilities), shape, "the rival's probabilities")

    def quote(self, shape: tuple[int, ...]) -> Quote:
        """Fair odds ``1/q``; infinite where the rival rules something out."""
        with np.errstate(divide="ignore"):
            odds = 1 / self.prices(shape)
        return Quote(odds, odds)


@dataclass(frozen=True, eq=False)
class Market(Bookmaker):
    """Quoted decimal odds. Games are backed and laid at one price; races are backed, and laid at ``lay``.

    >>> Market([3.2, 1.0666666666666667]).prices((2,)).tolist()
    [0.3125, 0.9375]
    """

    description = "the market's odds"

    odds: ArrayLike
    lay: ArrayLike | None = None

    def is_game(self, cases: int) -> bool:
        """Tell whether there are odds on "true" for every case."""
        return _one_each(np.asarray(self.odds), cases, "the market's odds")

    def __post_init__(self) -> None:
        object.__setattr__(self, "odds", freeze(as_odds(self.odds)))
        if self.lay is not None:
            object.__setattr__(self, "lay", freeze(as_odds(self.lay, "lay odds", infinite=True)))

    def prices(self, shape: tuple[int, ...]) -> Floats:
        """Implied prices ``1/O``, which add up to one and the over-round."""
        return 1 / _broadcast(np.asarray(self.odds), shape, "the market's odds")

    def quote(self, shape: tuple[int, ...]) -> Quote:
        """The odds as they stand."""
        back = _broadcast(np.asarray(self.odds), shape, "the market's odds")
        if self.lay is None:
            return Quote(back, back if len(shape) == 1 else None)
        return Quote(back, _broadcast(np.asarray(self.lay), shape, "the market's lay odds"))

    @property
    def shares(self) -> Floats:
        """The implied prices of each race divided by their sum: what the market thinks, roughly."""
        prices = 1 / np.asarray(self.odds)
        return np.asarray(prices / prices.sum(axis=-1, keepdims=True))


@dataclass(frozen=True, eq=False)
class Commission(Bookmaker):
    """A book that keeps a share of the winnings: other odds, at which the same bets pay the same.

    A back at O nets ``B = 1 + (O−1)(1−c)``; a lay at O is a lay at ``L = 1 + (O−1)/(1−c)``. Exact for one
    game. In a race the commission is reckoned on each bet by itself, which is never less than on the net.

    >>> taken = Commission(0.05, Market([2.0])).quote((1,))
    >>> taken.back.round(4).tolist(), taken.lay.round(4).tolist()
    ([1.95], [2.0526])
    """

    rate: float
    bookmaker: Bookmaker

    def __post_init__(self) -> None:
        if not (isinstance(self.rate, (int, float)) and 0 <= self.rate < 1):
            raise OptionError(f"the commission is a share of winnings, from 0 to below 1; saw {self.rate!r}")

    @property
    def description(self) -> str:
        """Who that is, within a sentence: "the market's odds less 5% commission"."""
        return f"{self.bookmaker.offer} less {self.rate * 100:g}% commission"

    @property
    def is_random(self) -> bool:
        """Whether the bookmaker behind it draws prices."""
        return self.bookmaker.is_random

    def is_game(self, cases: int) -> bool:
        """Tell whether they are games to the bookmaker behind it."""
        return self.bookmaker.is_game(cases)

    def starting_at(self, case: int) -> Commission:
        """Shift the bookmaker behind it."""
        return replace(self, bookmaker=self.bookmaker.starting_at(case))

    def prices(self, shape: tuple[int, ...]) -> Floats:
        """What a unit of winnings costs to back, commission paid."""
        return 1 / self.quote(shape).back

    def quote(self, shape: tuple[int, ...]) -> Quote:
        """Effective odds to back and to lay."""
        offered, kept = self.bookmaker.quote(shape), 1 - self.rate
        lay = None if offered.lay is None else 1 + (offered.lay - 1) / kept
        return Quote(1 + (offered.back - 1) * kept, lay)


def _one_each(values: Floats, cases: int, name: str) -> bool:
    """Whether these are one number a case and not one a class; two numbers for two cases may be either."""
    if values.shape == (cases,) == (2,):
        raise InputError(
            f"two of {name} for two cases of two classes may be one a case or one a class: give a row for "
            "each case and a column for each class"
        )
    return values.shape == (cases,)


def _other_side(odds: Floats) -> Floats:
    """``O/(O − 1)``; where that is 1 to the last bit there is nothing to win."""
    with np.errstate(invalid="ignore"):
        return np.fmax(odds / (odds - 1), NO_WINNINGS)


def _broadcast(values: Floats, shape: tuple[int, ...], name: str) -> Floats:
    if values.shape == shape or (len(shape) == 2 and values.shape == shape[1:]) or values.ndim == 0:
        return np.broadcast_to(values, shape)
    raise InputError(f"{name} have the shape {values.shape}, the forecasts {shape}")
