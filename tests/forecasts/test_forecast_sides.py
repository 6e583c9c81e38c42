"""Decisions, scores and wealth side by side: the source's example, and cases where they disagree."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from edgeworth.bet import Market
from edgeworth.decisions.table import ContingencyTable
from edgeworth.forecasts.betting.wealth import Wealth, bookmaker_forecasts
from edgeworth.forecasts.findings import Criterion, sides
from edgeworth.forecasts.forecasts import Forecasts, argmax_table
from edgeworth.forecasts.scores import ForecastScores


def likeliest(forecasts: Forecasts) -> ContingencyTable:
    """The table of the likeliest labels."""
    return ContingencyTable.from_matrix(argmax_table(forecasts), rows="predicted", labels=forecasts.labels)


def found(truth: Any, p: Any, q: Any, **options: Any) -> dict[str, Criterion]:
    systems = {"model": Forecasts.of(truth, p), "against": Forecasts.of(truth, q)}
    wealth = Wealth.from_forecasts(*systems.values(), **options)
    tables = {name: likeliest(item) for name, item in systems.items()}
    return {side.name: side for side in sides(wealth, ForecastScores.from_forecasts(systems), tables)}


def test_the_same_labels_and_different_probabilities() -> None:
    """The source's first figure: equal modal classes, a less peaked distribution."""
    truth = [0, 1, 2, 0]
    peaked = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.8, 0.1, 0.1]]
    flat = [[0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [0.3, 0.3, 0.4], [0.4, 0.3, 0.3]]
    text = found(truth, peaked, flat)
    assert text["error"].values == {"model": 0.0, "against": 0.0}
    assert text["error"].better is None
    assert text["log"].better == text["brier"].better == text["log_wealth"].better == "model"
    assert text["log_wealth"].values["model"] == pytest.approx(4 * math.log(2), rel=1e-12)
    assert text["log_wealth"].values["against"] == pytest.approx(-4 * math.log(2), rel=1e-12)


def test_map_error_may_prefer_the_worse_forecaster() -> None:
    """Timid and right of the threshold against sharp, wrong once just beyond it."""
    truth = [1] * 9 + [1]
    sharp, timid = [0.95] * 9 + [0.49], [0.51] * 10
    text = found(truth, sharp, timid)
    assert text["error"].values == pytest.approx({"model": 0.1, "against": 0.0})
    assert text["error"].better == "against"
    assert text["log"].better == text["log_likelihood"].better == text["log_wealth"].better == "model"
    gap = text["log_likelihood"].values["model"] - text["log_likelihood"].values["against"]
    assert text["log_wealth"].values["model"] == pytest.approx(gap, rel=1e-12)


def test_alike() -> None:
    text = found([1, 0], [0.6, 0.3], [0.6, 0.3])
    assert {value.better for value in text.values()} == {None}


def test_part_of_the_stakes_leaves_the_rival_without_a_bet() -> None:
    text = found([1, 0], [0.6, 0.3], [0.5, 0.5], fraction=0.5)
    assert math.isnan(text["log_wealth"].values["against"])
    assert text["log_wealth"].better == "model"


def test_a_market_that_can_only_be_backed() -> None:
    truth, odds = [1, 0, 1], np.array([[1.9, 1.9]] * 3)
    model = Forecasts.of(truth, [0.51, 0.49, 0.5])
    wealth = Wealth.from_bookmaker(model, Market(odds))
    systems = {"model": model, "the market's odds": bookmaker_forecasts(model, Market(odds))}
    tables = {name: likeliest(item) for name, item in systems.items()}
    texts = {side.name: side for side in sides(wealth, ForecastScores.from_forecasts(systems), tables)}
    # No outcome is worth its price, so nothing is bet; the log score is better all the same.
    assert (wealth.log_wealth, texts["log_wealth"].better) == (0, None)
    assert texts["log"].better == "model"
    assert math.isnan(texts["log_wealth"].values["the market's odds"])
    assert systems["the market's odds"].probabilities == pytest.approx(np.full((3, 2), 0.5))


def test_one_system_has_no_sides() -> None:
    only = Forecasts.of([1, 0], [0.6, 0.3])
    wealth = Wealth.from_forecasts(only, only)
    assert sides(wealth, ForecastScores.from_forecasts({"model": only}), {"model": likeliest(only)}) == ()


def test_equally_likely_labels_share_a_case() -> None:
    """Of m likeliest labels each counts 1/m: the mean over all ways to choose."""
    rows = [[0.4, 0.4, 0.2], [1 / 3, 1 / 3, 1 / 3], [0.2, 0.5, 0.3], [0.25, 0.375, 0.375]]
    table = likeliest(Forecasts.of([0, 2, 1, 0], rows, labels=range(3)))
    known = np.zeros((3, 3))
    for truth, row in zip([0, 2, 1, 0], rows, strict=True):
        best = [k for k in range(3) if row[k] == max(row)]
        for k in best:
            known[k, truth] += 1 / len(best)
    np.testing.assert_allclose(table.counts, known, rtol=1e-15)
    assert table.counts.sum() == pytest.approx(4)
    alone = likeliest(Forecasts.of([0, 1], [[0.6, 0.4], [0.3, 0.7]], labels=range(2)))
    assert alone.counts.dtype.kind == "i"
