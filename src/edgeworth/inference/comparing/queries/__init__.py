"""Differences of values of each query: permutation, t, Wilcoxon, sign, randomised Tukey."""
