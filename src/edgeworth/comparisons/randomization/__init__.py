"""Randomisation tests: swap two systems case by case."""
