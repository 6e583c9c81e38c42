"""Grades: right or wrong answers and points, item by item, with repeats and clusters."""

from edgeworth.grades.grades import Grades

__all__ = ["Grades"]
