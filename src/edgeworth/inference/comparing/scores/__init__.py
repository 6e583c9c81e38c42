"""Differences of average precision and ROC area of two rankings of the same cases."""
