"""Randomisation: what swapping the outputs of two systems would do, counted exactly where it can be."""
