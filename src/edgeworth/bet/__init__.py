"""Odds and stakes. Pure: takes shares, probabilities and prices, knows nothing of tables."""

from edgeworth.bet.odds import fair_odds, house_odds

__all__ = ["fair_odds", "house_odds"]
