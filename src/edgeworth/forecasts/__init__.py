"""Probabilities: proper scores, calibration, and the wealth of a model that bets."""
