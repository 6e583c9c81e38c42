"""Differences of scores of probabilities, and bets of one forecaster against the other."""
