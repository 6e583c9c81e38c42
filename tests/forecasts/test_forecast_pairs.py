"""Pairs of probabilities on a grid, and what bookmakers say as forecasts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from edgeworth.bet import Drunken, Market
from edgeworth.errors import InputError
from edgeworth.forecasts.betting.wealth import Wealth, bookmaker_forecasts
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.pairs import CELLS_PER_SIDE, ForecastPairs


def made(number: int = 500, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    p, q = rng.random(number), np.round(rng.random(number), 2)
    return (rng.random(number) < p).astype(int), p, q


def test_cells_hold_what_a_loop_counts() -> None:
    truth, p, q = made()
    forecast_pairs = ForecastPairs.from_forecasts(Forecasts.of(truth, p), Forecasts.of(truth, q))
    counts, hits = (
        np.zeros((CELLS_PER_SIDE, CELLS_PER_SIDE), int),
        np.zeros((CELLS_PER_SIDE, CELLS_PER_SIDE), int),
    )
    for y, a, b in zip(truth, p, q, strict=True):
        cell = (
            min(int(a * CELLS_PER_SIDE), CELLS_PER_SIDE - 1),
            min(int(b * CELLS_PER_SIDE), CELLS_PER_SIDE - 1),
        )
        counts[cell] += 1
        hits[cell] += y
    assert forecast_pairs.counts.tolist() == counts.tolist()
    assert forecast_pairs.hits.tolist() == hits.tolist()
    assert forecast_pairs.counts.sum() == 500


def test_0_and_1_are_in_the_first_and_the_last_cell() -> None:
    truth = [1, 0]
    forecast_pairs = ForecastPairs.from_forecasts(
        Forecasts.of(truth, [1.0, 0.0]), Forecasts.of(truth, [0.0, 1.0])
    )
    assert (forecast_pairs.counts[CELLS_PER_SIDE - 1, 0], forecast_pairs.counts[0, CELLS_PER_SIDE - 1]) == (
        1,
        1,
    )
    assert (forecast_pairs.hits[CELLS_PER_SIDE - 1, 0], forecast_pairs.hits[0, CELLS_PER_SIDE - 1]) == (1, 0)


def test_what_does_not_fit_is_refused() -> None:
    two = Forecasts.of([1, 0], [0.5, 0.2])
    pair = ForecastPairs.from_forecasts(two, two)
    payload = pair.to_dict()
    for wrong in ({"kind": "wealth"}, {"counts": [[1]]}, {"labels": payload["labels"][:1]}):
        with pytest.raises(InputError):
            ForecastPairs.from_dict(payload | wrong)
    more_hits = [[x + 1 for x in row] for row in payload["counts"]]
    with pytest.raises(InputError, match="fit together"):
        ForecastPairs.from_dict(payload | {"hits": more_hits})


def test_a_drunkards_prices_are_those_of_the_bets() -> None:
    truth, p, _ = made(50)
    forecasts, bookmaker = Forecasts.of(truth, p), Drunken(rng=4)
    text = bookmaker_forecasts(forecasts, bookmaker)
    wealth = Wealth.from_bookmaker(forecasts, bookmaker)
    assert wealth.log_wealth == pytest.approx(
        np.log(forecasts.of_truth(p_ratio(forecasts, text))).sum(), rel=1e-12
    )
    later = bookmaker_forecasts(forecasts[20:], bookmaker, first=20)
    assert later.probabilities.tolist() == text.probabilities[20:].tolist()


def p_ratio(forecasts: Forecasts, rival: Forecasts) -> Any:
    return forecasts.probabilities / rival.probabilities


def test_a_spread_leaves_prices_inside_it() -> None:
    forecasts = Forecasts.of([0, 1], [[0.7, 0.3], [0.5, 0.5]])
    market = Market([[1.9, 1.9]] * 2, lay=[[2.2, 2.2]] * 2)
    probabilities = bookmaker_forecasts(forecasts, market).probabilities
    assert (probabilities >= 1 / 2.2 - 1e-12).all()
    assert (probabilities <= 1 / 1.9 + 1e-12).all()
    assert probabilities.sum(axis=1) == pytest.approx([1, 1])
