"""Limits that decide what a report may claim, for every kind of prediction."""

MIN_DEGREES_OF_FREEDOM = 4.0 - 1e-9
"""With fewer degrees of freedom, cluster intervals cover too little to name a winner by them."""
