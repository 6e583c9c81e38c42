"""The kind of grades: right or wrong, or points, of each item."""

from __future__ import annotations

from edgeworth.core.kinds import Kind

GRADES = Kind(
    name="grades",
    title="grades",
    tally="edgeworth.grades.grades:Grades",
    measures="edgeworth.grades.measures:MEASURES",
    measure="edgeworth.grades.measures:measure_grades",
    estimate="edgeworth.grades.estimates:estimate_grades",
    report="edgeworth.grades.report:report_grades",
    usual=("accuracy", "mean"),
    items="edgeworth.grades.measures:measure_items",
    predictions="grades",
    terms=("missing",),
    check="edgeworth.grades.reading:check_grades",
    count="edgeworth.grades.reading:count_grades",
    finalise="edgeworth.grades.reading:finalise_grades",
)
