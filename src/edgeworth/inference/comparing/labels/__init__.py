"""Differences of measures of labels, from joint counts."""
