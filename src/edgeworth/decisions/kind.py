"""The kind of decisions: labels counted in a contingency table."""

from __future__ import annotations

from edgeworth.core.kinds import Kind

TABLE = Kind(
    name="contingency_table",
    title="a contingency table",
    tally="edgeworth.decisions.table:ContingencyTable",
    measures="edgeworth.decisions.measures:MEASURES",
    measure="edgeworth.decisions.views:measure_table",
    estimate="edgeworth.decisions.estimates:estimate_table",
    report="edgeworth.evaluation:report_labels",
)
