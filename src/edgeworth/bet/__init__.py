"""Odds, Kelly stakes and bookmakers: functions of probabilities and prices, which know nothing of tables."""

from collections.abc import Callable

from edgeworth.bet.bookmakers import Bookmaker, Commission, Drunken, Market, Quote
from edgeworth.bet.checking import BookError
from edgeworth.bet.exchange import arbitrage, clipped_prices
from edgeworth.bet.flat import FlatStakes, flat_stakes, ruin_probability
from edgeworth.bet.kelly import factors_by_outcome, game_factors, growth, kelly, kelly_game, wealth_after
from edgeworth.bet.odds import decimal_odds, fair_odds, house_odds
from edgeworth.bet.rounds import kelly_payoff, kelly_together
from edgeworth.choices import BookmakerName

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


BOOKMAKERS: dict[BookmakerName, Callable[..., Bookmaker]] = {"drunken": Drunken}
"""Bookmakers that the command knows by name; each is made from its lowest and highest price and a seed."""
