"""Skill: how much of the score of constant class shares a forecast takes away.

The shares are those of the very cases that are scored, as is usual (and as in the uncertainty of the CORP
decomposition, so that skill = (discrimination − miscalibration)/uncertainty). Nobody knew them beforehand:
they score better than the true shares would, the Brier score by the factor 1 − 1/n on average and the log
score by about (K − 1)/(2n), so a skill is a little lower than it would be against known shares, never higher.
"""

from __future__ import annotations

from edgeworth.errors import OptionError
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.forecasts.scoring_rules import RULES


def climatology(scores: ForecastScores, score: str) -> float:
    """The mean score of one who always says the class shares s of these cases.

    >>> climatology(ForecastScores.from_probabilities([1, 0, 0, 1], [0.8, 0.3, 0.2, 0.6]), "brier")
    0.25
    """
    if score not in RULES:
        raise OptionError(f"skill is of one of the scores {', '.join(RULES)}; saw {score!r}")
    if not scores.cases:
        return float("nan")
    return RULES[score].climatology(scores.classes / scores.cases)


def skill(scores: ForecastScores, score: str, system: str | None = None) -> float:
    """1 − score/score of the class shares: 1 is perfect, 0 no better than the shares; nan with one class.

    >>> round(skill(ForecastScores.from_probabilities([1, 0, 0, 1], [0.8, 0.3, 0.2, 0.6]), "brier"), 4)
    0.67
    """
    base = climatology(scores, score)
    return 1 - scores.mean(score, system) / base if base > 0 else float("nan")
