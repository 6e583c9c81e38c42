"""Kalia's pictures: what they draw is what the formulas say."""

from __future__ import annotations

import numpy as np
import pytest

from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.case_charts import ScatterPanel, paths_chart, scatter_chart
from edgeworth.papers.kalia_pictures import surface_chart

TRUTH, P, Q = np.array([1, 0, 1, 1]), np.array([0.7, 0.4, 0.6, 0.2]), np.array([0.5, 0.5, 0.5, 0.5])


def test_paths_are_products_of_single_returns() -> None:
    wealth = Wealth.from_probabilities(TRUTH, P, against=Q, ordered=True)
    rows = paths_chart("paths", "", wealth).data["paths"]
    returns = np.where(TRUTH == 1, P / Q, (1 - P) / (1 - Q))
    growth = np.cumsum(np.log(P * P / Q + (1 - P) ** 2 / (1 - Q)))
    for name, known in {
        "single return": returns,
        "log return": np.log(returns),
        "wealth W": np.cumprod(returns),
        "log wealth": np.cumsum(np.log(returns)),
        "log M": np.cumsum(np.log(returns)) - growth,
        "expected log wealth": np.cumsum(P * np.log(P / Q) + (1 - P) * np.log((1 - P) / (1 - Q))),
    }.items():
        assert [row[name] for row in rows] == pytest.approx(known.tolist(), rel=1e-5)


def test_the_surface_is_kellys_fraction() -> None:
    for row in surface_chart().data["surface"]:
        p, odds = float(str(row["probability"])), float(str(row["odds"]))
        known = (odds * p - 1) / (odds - 1)
        assert row["back and lay"] == pytest.approx(known, abs=1e-4)
        assert row["back only"] == pytest.approx(max(0.0, known), abs=1e-4)


def test_a_scatter_has_a_point_per_case() -> None:
    rows = scatter_chart("scatter", "", [ScatterPanel("", TRUTH == 1, P, Q)], ("a", "b")).data["scatter"]
    assert [row["model"] for row in rows] == pytest.approx(P.tolist())
    assert [row["outcome"] for row in rows] == ["came true", "did not", "came true", "came true"]
