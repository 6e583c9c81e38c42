"""Skill: how much of the score of constant class shares a forecast takes away."""

from __future__ import annotations

import numpy as np

from edgeworth.errors import OptionError
from edgeworth.tallies.forecast_scores import ForecastScores


def climatology(scores: ForecastScores, score: str) -> float:
    """The mean score of one who always says the class shares of these cases.

    >>> climatology(ForecastScores.from_probabilities([1, 0, 0, 1], [0.8, 0.3, 0.2, 0.6]), "brier")
    0.25
    """
    shares = scores.classes / scores.classes.sum()
    if score == "log":
        present = shares[shares > 0]
        return float(-(present * np.log(present)).sum())
    if score == "brier":
        spread = float((shares * (1 - shares)).sum())
        return spread / 2 if len(shares) == 2 else spread
    raise OptionError(f"skill is of the log or the brier score; saw {score!r}")


def skill(scores: ForecastScores, score: str, system: str | None = None) -> float:
    """1 − score/score of the class shares: 1 is perfect, 0 no better than the shares; nan with one class.

    >>> round(skill(ForecastScores.from_probabilities([1, 0, 0, 1], [0.8, 0.3, 0.2, 0.6]), "brier"), 4)
    0.67
    """
    base = climatology(scores, score)
    return 1 - scores.mean(score, system) / base if base > 0 else float("nan")
