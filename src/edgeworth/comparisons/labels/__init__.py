"""Differences between systems that predict labels."""
