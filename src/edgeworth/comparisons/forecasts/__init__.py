"""Differences between systems that give probabilities."""
