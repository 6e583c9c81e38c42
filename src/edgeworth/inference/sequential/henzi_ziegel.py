"""E-values for "the rival's expected score is at least as good in every round" (one step ahead)."""

from __future__ import annotations

from numpy.typing import ArrayLike

from edgeworth.bet.paths import running_sum
from edgeworth.bet.score_bets import Score, kappa, score_log_factors
from edgeworth.inference.sequential.evidence import Evidence

__all__ = ["henzi_ziegel_evidence", "kappa", "score_log_factors"]


def henzi_ziegel_evidence(
    outcomes: ArrayLike,
    probabilities: ArrayLike,
    rivals: ArrayLike,
    *,
    score: Score,
    null: str = "in every round the rival's expected score is at least as good as the model's",
    ordered: bool = True,
) -> Evidence:
    """Evidence that the rival is not always at least as good.

    >>> found = henzi_ziegel_evidence([1] * 30, [0.9] * 30, [0.5] * 30, score="brier")
    >>> round(found.log_e_value, 4), found.rejects(0.05)
    (4.0059, True)
    """
    logs = score_log_factors(outcomes, probabilities, rivals, score=score)
    return Evidence.from_path(running_sum(logs), null=null, ordered=ordered)
