"""Measures of rankings as functions of tie groups."""
