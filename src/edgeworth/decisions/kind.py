"""The kind of decisions: labels counted in a contingency table."""

from __future__ import annotations

from edgeworth.core.kinds import Kind

TABLE = Kind(
    name="contingency_table",
    title="labels",
    tally="edgeworth.decisions.table:ContingencyTable",
    measures="edgeworth.decisions.measures:MEASURES",
    measure="edgeworth.decisions.views:measure_table",
    estimate="edgeworth.decisions.estimates:estimate_table",
    report="edgeworth.decisions.report:report_table",
    usual=(
        *("informedness", "markedness", "mcc", "kappa", "accuracy", "balanced_accuracy", "macro_f"),
        *("recall[]", "precision[]", "f[]", "informedness[]"),
    ),
    predictions="labels",
    roles=("truth", "prediction"),
    terms=("missing", "positive", "labels", "abstain", "weight_kind"),
    redeclared=("labels", "positive"),
    count="edgeworth.decisions.reading:count_labels",
    finalise="edgeworth.decisions.reading:finalise_table",
)
