"""Differences between systems that answer the same queries."""
