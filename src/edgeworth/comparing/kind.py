"""The kinds of what is compared: several systems on the same cases."""

from __future__ import annotations

from edgeworth.core.kinds import Kind

PAIRED = Kind(
    name="paired",
    title="labels of several systems",
    tally="edgeworth.comparing.paired:Paired",
    report="edgeworth.comparing.report:report_paired",
    predictions="several",
    roles=("truth",),
    terms=("missing", "positive", "abstain", "weight_kind"),
    redeclared=("positive",),
    count="edgeworth.comparing.reading:count_several",
    finalise="edgeworth.comparing.reading:finalise_pairs",
)
PAIRED_SCORES = Kind(
    "paired_scores", "scores of several systems", "edgeworth.comparing.paired_scores:PairedScores"
)
