"""Wealth: the path of a model that bets, and what is derived from it."""
