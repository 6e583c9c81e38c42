"""Cells and points of charts of forecasts."""

from __future__ import annotations

import math

import numpy as np
import pytest

from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.curves import LAW_CELLS, LAW_POINTS, law_cells, turns


def test_ruin_after_wealth_without_bound() -> None:
    wealth = Wealth.from_probabilities([1, 1, 1], [0.5, 0.0, 0.5], against=[0.0, 0.5, 0.5])
    assert turns(wealth) == ((1, "without bound"), (2, "ruin"))


@pytest.mark.parametrize("number", range(1, LAW_POINTS))
def test_cells_always_fit_into_the_points(number: int) -> None:
    """A law that rises over so many of the points, at either end of them."""
    points = np.arange(float(LAW_POINTS))
    most = LAW_POINTS - 1
    for start in {0, most - number}:
        law = np.clip((points - start) / number, 0, 1)
        cells = law_cells(points, {"law": law}, math.inf)
        assert len(cells.low) <= LAW_CELLS
        assert set(np.diff(cells.low)) | {cells.high[0] - cells.low[0]} == {cells.high[-1] - cells.low[-1]}
        assert cells.laws["law"].sum() + cells.beyond["law"] == pytest.approx(1)
        assert cells.beyond["law"] <= 1.01 / number * (number < most)
