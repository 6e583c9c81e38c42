"""The kinds of what is compared: several systems on the same cases."""

from __future__ import annotations

from edgeworth.core.kinds import Kind

PAIRED = Kind("paired", "predictions of several systems", "edgeworth.comparing.paired:Paired")
PAIRED_SCORES = Kind(
    "paired_scores", "scores of several systems", "edgeworth.comparing.paired_scores:PairedScores"
)
