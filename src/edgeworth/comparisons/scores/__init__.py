"""Differences between systems that score the same cases."""
