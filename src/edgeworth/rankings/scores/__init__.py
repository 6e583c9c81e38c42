"""Sorted scores and what is counted of them."""
