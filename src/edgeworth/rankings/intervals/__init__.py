"""Intervals and bands of ranking measures."""
