"""Probabilities: from proper scores, calibration and bets to what they prove and are worth."""

from edgeworth.forecasts import sequential
from edgeworth.forecasts.betting.law import LogWealthLaw, wealth_law
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.calibration import Calibration
from edgeworth.forecasts.corp_reliability import reliability_bands
from edgeworth.forecasts.findings import examine_bets
from edgeworth.forecasts.scores import ForecastScores

__all__ = [
    "Calibration",
    "ForecastScores",
    "LogWealthLaw",
    "Wealth",
    "examine_bets",
    "reliability_bands",
    "sequential",
    "wealth_law",
]
