"""Bookmakers set the prices that a forecast bets against.

A price is what a unit of winnings costs, ``q = 1/O``. Shapes are ``(n,)`` for n games (the price of "true")
or ``(n, K)`` for n races. A new bookmaker is a subclass of ``Bookmaker`` in a file of its own and an entry in
``edgeworth.bet``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from edgeworth.bet.validation import as_floats, as_odds, freeze
from edgeworth.common.arrays import Floats
from edgeworth.common.choices import OverroundMethod
from edgeworth.core.random_seeds import Rng, make_seed
from edgeworth.errors import InputError, OptionError, check_whole

NO_WINNINGS = float(np.nextafter(1.0, 2.0))
"""Odds that return the stake and nothing: what is backed at them is wealth that was kept."""


@dataclass(frozen=True)
class Quote:
    """A quote: decimal odds to back at and to lay at.

    Attributes
    ----------
    back : array
        The odds to back at.
    lay : array or None
        The odds to lay at; None if nothing can be laid.

    Examples
    --------
    >>> quote = Quote(np.array([4.0]), np.array([5.0]))
    >>> quote.back.tolist(), quote.lay.tolist()
    ([4.0], [5.0])
    """

    back: Floats
    lay: Floats | None

    def two_way(self) -> Quote:
        """Convert odds on "true" to odds on both outcomes, "false" first.

        Returns
        -------
        Quote
            Laying one outcome is backing the other. A lay at L wins one unit and risks L − 1, so it backs
            "false" at ``L/(L − 1)``.

        Examples
        --------
        >>> both = Quote(np.array([4.0]), np.array([5.0])).two_way()
        >>> both.back.tolist(), [[round(odds, 4) for odds in row] for row in both.lay.tolist()]
        ([[1.25, 4.0]], [[1.3333, 5.0]])
        """
        if self.lay is None:
            return Quote(np.stack([np.full_like(self.back, NO_WINNINGS), self.back], axis=-1), None)
        back = np.stack([_other_side(self.lay), self.back], axis=-1)
        return Quote(back, np.stack([_other_side(self.back), self.lay], axis=-1))


class Bookmaker(ABC):
    """A bookmaker: anything that quotes odds for games (two outcomes, one price) or races (several outcomes).

    Examples
    --------
    >>> market = Market([3.2, 1.25])
    >>> isinstance(market, Bookmaker), market.description, market.is_random
    (True, "the market's odds", False)
    """

    @property
    @abstractmethod
    def description(self) -> str:
        """The name of the bookmaker in a sentence: "bets against …"."""

    @abstractmethod
    def quote(self, shape: tuple[int, ...]) -> Quote:
        """Quote odds for every game or race.

        Parameters
        ----------
        shape : tuple of int
            ``(n,)`` for n games, or ``(n, K)`` for n races of K outcomes.

        Returns
        -------
        Quote
            The odds.

        Examples
        --------
        >>> Market([3.2, 1.25]).quote((2,)).back.tolist()
        [3.2, 1.25]
        """

    @abstractmethod
    def is_game(self, cases: int) -> bool:
        """Return whether cases of two classes are games with one price each, that of "true".

        Parameters
        ----------
        cases : int
            The number of cases.

        Returns
        -------
        bool
            Whether they are games.

        Examples
        --------
        >>> Market([3.2, 1.25, 2.0]).is_game(3)
        True
        """

    @property
    def is_random(self) -> bool:
        """Whether prices are drawn, for any number of cases."""
        return False

    def starting_at(self, case: int) -> Bookmaker:  # noqa: ARG002  # for those whose prices depend on it
        """Shift drawn prices to those of the cases from ``case`` on; other prices stay.

        Parameters
        ----------
        case : int
            The position of the first case.

        Returns
        -------
        Bookmaker
            The bookmaker for these cases.

        Examples
        --------
        >>> market = Market([3.2, 1.25])
        >>> market.starting_at(1) is market
        True
        """
        return self

    def game_prices(self, games: int) -> Floats | None:
        """Return the prices of "true" in games, or None if they are not backed and laid at one price.

        :meta private:
        """
        quote = self.quote((games,))
        return 1 / quote.back if quote.lay is not None and np.array_equal(quote.back, quote.lay) else None


@dataclass(frozen=True, eq=False)
class Market(Bookmaker):
    """A market: decimal odds as they were quoted.

    Games are backed and laid at one price. Races are backed, and laid at ``lay``.

    Parameters
    ----------
    odds : array_like, (n,) or (n, K)
        Odds on "true" for n games, or on each outcome of n races.
    lay : array_like, optional
        The odds to lay at.
    overround : {"multiplicative", "power", "shin"}
        How the overround is removed when the odds are read as probabilities.

    Examples
    --------
    >>> Market([3.2, 1.25]).quote((2,)).back.tolist()
    [3.2, 1.25]
    """

    description = "the market's odds"

    odds: ArrayLike
    lay: ArrayLike | None = None
    overround: OverroundMethod = "multiplicative"
    """How the overround is removed when the odds are read as probabilities."""

    def is_game(self, cases: int) -> bool:
        """Return whether there are odds on "true" for every case.

        :meta private:
        """
        shape = np.shape(self.odds)
        if shape == (cases,) == (2,):
            raise InputError(
                "two odds for two cases of two classes may be one per case or one per class: pass a table "
                "with one row per case and one column per class"
            )
        return shape == (cases,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "odds", freeze(as_odds(self.odds)))
        if self.lay is not None:
            object.__setattr__(self, "lay", freeze(as_odds(self.lay, "lay odds", infinite=True)))

    def quote(self, shape: tuple[int, ...]) -> Quote:
        """Return the odds as they are.

        :meta private:
        """
        back = _broadcast(np.asarray(self.odds), shape, "the market's odds")
        if self.lay is None:
            return Quote(back, back if len(shape) == 1 else None)
        return Quote(back, _broadcast(np.asarray(self.lay), shape, "the market's lay odds"))


@dataclass(frozen=True, eq=False)
class Commission(Bookmaker):
    """A bookmaker that keeps a share of the winnings, as odds at which the same bets pay the same.

    Parameters
    ----------
    rate : float
        The commission c on net winnings, such as 0.05.
    bookmaker : Bookmaker or array_like
        The bookmaker. Decimal odds are taken as a ``Market``.

    Notes
    -----
    A back at O becomes ``1 + (O−1)(1−c)``, and a lay at O becomes ``1 + (O−1)/(1−c)``. This is exact for one
    game. In a race the commission applies to each bet alone, which is never less than on the net winnings.

    Examples
    --------
    >>> taken = Commission(0.05, Market([2.0])).quote((1,))
    >>> taken.back.round(4).tolist(), taken.lay.round(4).tolist()
    ([1.95], [2.0526])
    >>> Commission(0.05, Market([2.0])).description, Commission(0.05, Market([2.0])).is_random
    ("the market's odds less 5% commission", False)
    """

    rate: float
    bookmaker: Bookmaker
    """Whose odds they are; decimal odds are taken as those of a ``Market``."""

    def __post_init__(self) -> None:
        if not (isinstance(self.rate, (int, float)) and 0 <= self.rate < 1):
            raise OptionError(f"the commission is a share of winnings, from 0 to below 1; saw {self.rate!r}")
        if not isinstance(self.bookmaker, Bookmaker):
            object.__setattr__(self, "bookmaker", _market_of(self.bookmaker))

    @property
    def description(self) -> str:
        """The name in a sentence, such as "the market's odds less 5% commission"."""
        return f"{self.bookmaker.description} less {self.rate * 100:g}% commission"

    @property
    def is_random(self) -> bool:
        """Whether the bookmaker behind it draws prices."""
        return self.bookmaker.is_random

    def is_game(self, cases: int) -> bool:
        """Return whether they are games to the bookmaker behind it.

        :meta private:
        """
        return self.bookmaker.is_game(cases)

    def starting_at(self, case: int) -> Commission:
        """Shift the bookmaker behind it.

        :meta private:
        """
        return replace(self, bookmaker=self.bookmaker.starting_at(case))

    def quote(self, shape: tuple[int, ...]) -> Quote:
        """Return the effective odds to back and to lay.

        :meta private:
        """
        offered, payout_share = self.bookmaker.quote(shape), 1 - self.rate
        lay = None if offered.lay is None else 1 + (offered.lay - 1) / payout_share
        return Quote(1 + (offered.back - 1) * payout_share, lay)


def _market_of(odds: ArrayLike) -> Market:
    """Make a market of decimal odds; names of columns are refused with the way to read them."""
    try:
        numbers = as_floats(odds, "odds")
    except InputError:
        raise OptionError(
            f"a commission needs a bookmaker or decimal odds; saw {odds!r}. If these are names of columns, "
            "pass the columns themselves: ew.bet.Commission(0.05, data[[…]])"
        ) from None
    return Market(numbers)


def _other_side(odds: Floats) -> Floats:
    """Return ``O/(O − 1)``, raised to ``NO_WINNINGS`` if it rounds to 1."""
    with np.errstate(invalid="ignore"):
        return np.fmax(odds / (odds - 1), NO_WINNINGS)


def _broadcast(values: Floats, shape: tuple[int, ...], name: str) -> Floats:
    if values.shape == shape or (len(shape) == 2 and values.shape == shape[1:]) or values.ndim == 0:
        return np.broadcast_to(values, shape)
    raise InputError(f"{name} have the shape {values.shape}, the forecasts {shape}")


DESCRIPTION = "a drunken bookmaker"

CASES_AT_ONCE = 1 << 16
"""Cases whose prices are drawn by one generator, so that a later case can be had without all before it."""

RACES_AT_ONCE = 1 << 10
"""The same for prices that are drawn until they suit: then all prices of a block are drawn."""

MIN_ACCEPTANCE_RATE = 0.001
"""If fewer of the drawn prices suit, an error is raised instead of drawing on."""


@dataclass(frozen=True)
class Drunken(Bookmaker):
    """A bookmaker that draws prices at random for every case (Kalia 2011).

    Parameters
    ----------
    low, high : float
        The range of the price of "true", drawn uniformly. Ends of at least 1 are odds, also drawn uniformly,
        for games only. The prices of a race of K outcomes are uniform on the simplex, or on the part of it
        where each lies between ``low`` and ``high``.
    rng : int, numpy Generator or None
        The seed, or the source, of the prices.
    first : int
        The position of the first case. The prices of a case depend only on its position.
    bookmakers : int
        How many such bookmakers a report shows.
    number : int
        Which of them this is.

    Examples
    --------
    >>> Drunken(0.15, 0.85, rng=1).prices((3,)).round(3).tolist()
    [0.508, 0.815, 0.251]
    >>> (1 / Drunken(1.3, 4, rng=1).prices((3,))).round(3).tolist()
    [2.682, 3.866, 1.689]
    >>> Drunken(rng=1).seed, Drunken(rng=1).description
    (1, 'a drunken bookmaker')
    """

    is_random = True

    low: float = 0.0
    high: float = 1.0
    rng: Rng = 0
    first: int = 0
    bookmakers: int = field(default=1, repr=False)
    number: int = field(default=0, repr=False)

    @property
    def seed(self) -> int:
        """The seed of the prices."""
        return make_seed(self.rng)

    @property
    def description(self) -> str:
        """The name in a sentence, with the range of prices if it is not 0 to 1."""
        if (self.low, self.high) == (0, 1):
            return DESCRIPTION
        return f"{DESCRIPTION} ({'odds ' * (self.high > 1)}{self.low:g} to {self.high:g})"

    def is_game(self, cases: int) -> bool:  # noqa: ARG002  # the base class asks with it
        """Return True: any number of cases of two classes are games.

        :meta private:
        """
        return True

    def starting_at(self, case: int) -> Drunken:
        """Shift to the prices of the cases from ``case`` on.

        >>> (Drunken(rng=1).starting_at(2).prices((1,)) == Drunken(rng=1).prices((3,))[2:]).tolist()
        [True]

        :meta private:
        """
        return replace(self, first=self.first + case)

    def game_prices(self, games: int) -> Floats:
        """Draw the prices of "true" in games.

        :meta private:
        """
        return self.prices((games,))

    def __post_init__(self) -> None:
        object.__setattr__(self, "rng", make_seed(self.rng))
        check_whole(self.first, "the position of the first case", 0)
        check_whole(self.bookmakers, "bookmakers", 1)
        numbers = all(isinstance(end, (int, float, np.floating)) for end in (self.low, self.high))
        if not (numbers and (0 <= self.low < self.high <= 1 or 1 <= self.low < self.high < np.inf)):
            raise OptionError(
                f"prices are drawn between low and high, 0 <= low < high <= 1, or odds from 1 on; "
                f"saw {self.low!r} and {self.high!r}"
            )

    def prices(self, shape: tuple[int, ...]) -> Floats:
        """Draw prices.

        Parameters
        ----------
        shape : tuple of int
            ``(n,)`` for n games, or ``(n, K)`` for n races of K outcomes.

        Returns
        -------
        array
            The prices, which are probabilities.
        """
        if len(shape) not in (1, 2):
            raise InputError(f"prices are for n games, (n,), or n races of K outcomes, (n, K); saw {shape}")
        drawn = list(self._blocks(shape))
        return np.concatenate(drawn) if drawn else np.empty(shape)

    def quote(self, shape: tuple[int, ...]) -> Quote:
        """Return fair odds at the drawn prices, to back and to lay.

        :meta private:
        """
        odds = 1 / self.prices(shape)
        return Quote(odds, odds)

    def expected_of_games(self, true: int, cases: int) -> float:
        """Compute −Σ E log q(y) over games, of which ``true`` came true.

        :meta private:
        """
        if_true = _mean_log(self.low, self.high)
        if_false = _mean_log(1 - self.high, 1 - self.low)
        if self.high > 1:
            if_true, if_false = -if_true, _mean_log(self.low - 1, self.high - 1) - if_true
        return -true * if_true - (cases - true) * if_false

    def expected_of_races(self, cases: int, outcomes: int) -> float:
        """Compute −Σ E log q(y) over races of K outcomes: 1 + 1/2 + … + 1/(K−1) each.

        :meta private:
        """
        if (self.low, self.high) != (0, 1):
            raise OptionError("the expected log wealth in races is known for prices on all of (0, 1) only")
        return float((1 / np.arange(1, outcomes)).sum()) * cases

    def _blocks(self, shape: tuple[int, ...]) -> Iterator[Floats]:
        """Yield the prices of each block of cases, each drawn by its own generator."""
        is_full_block = len(shape) == 2 and self._is_bounded(shape[1])
        length = RACES_AT_ONCE if is_full_block else CASES_AT_ONCE
        last = self.first + shape[0]
        for block in range(self.first // length, -(-last // length) if shape[0] else 0):
            start, end = max(self.first - block * length, 0), min(last - block * length, length)
            generator = np.random.default_rng([self.seed, self.number, block])
            yield self._draw(generator, (length if is_full_block else end, *shape[1:]))[start:end]

    def _draw(self, generator: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        """Draw the next prices, and draw again any price of exactly 0 or 1."""
        if len(shape) == 2:
            return self._simplex(generator, *shape)
        drawn = self._uniform(generator, shape)
        while drawn.size and not (drawn.min() > 0 and drawn.max() < 1):
            again = (drawn <= 0) | (drawn >= 1)
            drawn[again] = self._uniform(generator, (int(again.sum()),))
        return drawn

    def _uniform(self, generator: np.random.Generator, shape: tuple[int, ...]) -> Floats:
        drawn = self.low + (self.high - self.low) * generator.random(shape)
        return 1 / drawn if self.high > 1 else drawn

    def _is_bounded(self, outcomes: int) -> bool:
        """Return whether ``high`` refuses some prices that are above ``low`` and add up to 1."""
        return self.high < self.low + (1 - outcomes * self.low) * (1 - 1e-12)

    def _simplex(self, generator: np.random.Generator, races: int, outcomes: int) -> Floats:
        low, room, bounded = self.low, 1 - outcomes * self.low, self._is_bounded(outcomes)
        if self.high > 1:
            raise OptionError("odds are drawn for games of two classes; for races pass prices, from 0 to 1")
        if outcomes < 2 or room <= 0 or outcomes * self.high <= 1:
            raise OptionError(
                f"{outcomes} prices that add up to 1 cannot all lie between {self.low:g} and {self.high:g}"
            )
        drawn = np.empty((races, outcomes))
        waiting = np.arange(races)
        tried = 0
        while len(waiting):
            spread = generator.standard_exponential((len(waiting), outcomes))
            drawn[waiting] = low + room * spread / spread.sum(axis=1, keepdims=True)
            tried += len(waiting)
            # The smallest price bounds the largest from above, up to rounding, which is no reason to refuse.
            too_high = bounded and (drawn[waiting] > self.high).any(axis=1)
            waiting = waiting[too_high | (drawn[waiting] <= 0).any(axis=1)]
            if tried > (races + 10) / MIN_ACCEPTANCE_RATE:
                raise OptionError(
                    f"prices of {outcomes} outcomes between {self.low:g} and {self.high:g} are too "
                    "rare to draw; choose a wider interval"
                )
        return drawn


def _mean_log(low: float, high: float) -> float:
    """Return E log U for U uniform between low and high."""

    def integral(end: float) -> float:
        return end * np.log(end) - end if end > 0 else 0.0

    return float((integral(high) - integral(low)) / (high - low))
