"""The kind of grades: right or wrong, or points, of each item."""

from __future__ import annotations

from edgeworth.core.kinds import Kind

GRADES = Kind(
    name="grades",
    title="grades",
    tally="edgeworth.grades.grades:Grades",
    predictions="grades",
)
