"""Odds, Kelly stakes and bookmakers: functions of probabilities and prices, which know nothing of tables."""

from typing import Protocol

from edgeworth.bet.bookmakers import Bookmaker, Commission, Drunken, Market, Quote
from edgeworth.bet.exchange import arbitrage, clipped_prices
from edgeworth.bet.flat import FlatStakes, flat_stakes, ruin_probability
from edgeworth.bet.kelly import factors_by_outcome, game_factors, growth, kelly, kelly_game, wealth_after
from edgeworth.bet.odds import decimal_odds, fair_odds, house_odds
from edgeworth.bet.rounds import kelly_payoff, kelly_together
from edgeworth.bet.validation import BookError
from edgeworth.common.choices import BookmakerName
from edgeworth.core.random_seeds import Rng
from edgeworth.errors import OptionError

__all__ = [
    "BOOKMAKERS",
    "BookError",
    "Bookmaker",
    "Commission",
    "Drunken",
    "FlatStakes",
    "Market",
    "Quote",
    "arbitrage",
    "clipped_prices",
    "decimal_odds",
    "factors_by_outcome",
    "fair_odds",
    "flat_stakes",
    "game_factors",
    "growth",
    "house_odds",
    "kelly",
    "kelly_game",
    "kelly_payoff",
    "kelly_together",
    "ruin_probability",
    "wealth_after",
]


class BookmakerMaker(Protocol):
    """Makes a bookmaker, or several of a kind, from the lowest and the highest price and a seed."""

    def __call__(
        self, low: float = ..., high: float = ..., rng: Rng = ..., *, bookmakers: int = ...
    ) -> Bookmaker: ...


BOOKMAKERS: dict[BookmakerName, BookmakerMaker] = {"drunken": Drunken}
"""The bookmakers that ``--bookmaker`` knows, by name. Each is made from its price range and a seed.

>>> BOOKMAKERS["drunken"](0.2, 0.8, rng=1)
Drunken(low=0.2, high=0.8, rng=1, first=0)
"""


def named_bookmaker(bookmaker: object, *, seed: int = 0) -> Bookmaker:
    """Return a bookmaker, or make the one of a name.

    >>> named_bookmaker("drunken", seed=1)
    Drunken(low=0.0, high=1.0, rng=1, first=0)
    """
    if isinstance(bookmaker, Bookmaker):
        return bookmaker
    if isinstance(bookmaker, str) and bookmaker in BOOKMAKERS:
        return BOOKMAKERS[bookmaker](rng=seed)
    names = ", ".join(repr(name) for name in BOOKMAKERS)
    raise OptionError(
        f"bookmaker is {names} or a bookmaker of ew.bet, such as ew.bet.Drunken(0.15, 0.85); saw "
        f"{bookmaker!r}. Pass odds, or the names of their columns, as odds=…"
    )
