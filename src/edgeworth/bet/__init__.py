"""Odds, stakes and bookmakers. Pure: takes shares, probabilities and prices, knows nothing of tables."""

from edgeworth.bet.bookmakers import Bookmaker, Commission, Market, Quote, Rival
from edgeworth.bet.checking import BookError
from edgeworth.bet.drunken import Drunken
from edgeworth.bet.exchange import arbitrage, clipped_prices
from edgeworth.bet.games import game_factors, kelly_game
from edgeworth.bet.kelly import factors, factors_by_outcome, fair_factors, growth, kelly, wealth_after
from edgeworth.bet.odds import (
    american_odds,
    decimal_odds,
    fair_odds,
    fractional_odds,
    house_odds,
    implied_probability,
)
from edgeworth.bet.rounds import kelly_together

__all__ = [
    "BookError",
    "Bookmaker",
    "Commission",
    "Drunken",
    "Market",
    "Quote",
    "Rival",
    "american_odds",
    "arbitrage",
    "clipped_prices",
    "decimal_odds",
    "factors",
    "factors_by_outcome",
    "fair_factors",
    "fair_odds",
    "fractional_odds",
    "game_factors",
    "growth",
    "house_odds",
    "implied_probability",
    "kelly",
    "kelly_game",
    "kelly_together",
    "wealth_after",
]
