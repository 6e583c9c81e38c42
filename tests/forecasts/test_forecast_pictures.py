"""Turns of wealth in charts of forecasts."""

from __future__ import annotations

from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.curves import turns


def test_ruin_after_wealth_without_bound() -> None:
    wealth = Wealth.from_probabilities([1, 1, 1], [0.5, 0.0, 0.5], against=[0.0, 0.5, 0.5])
    assert turns(wealth) == ((1, "without bound"), (2, "ruin"))
