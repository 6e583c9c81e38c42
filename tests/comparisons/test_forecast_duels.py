"""Duels beside plain sums of logarithms, all outcomes of small games, and the sequences turned round."""

from __future__ import annotations

import itertools
import json
import math
from typing import Any

import numpy as np
import pytest

from edgeworth.comparisons.forecasts.bets import Duel, forecast_duel, thin
from edgeworth.errors import InputError
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.sequential import asymptotic_sequence, empirical_bernstein

P, Q = np.array([0.6, 0.3, 0.8, 0.9, 0.25]), np.array([0.5, 0.6, 0.7, 0.2, 0.4])


def duel(truth: Any, p: Any, q: Any, *, level: float = 0.95, **options: Any) -> Duel:
    return forecast_duel(Wealth.from_probabilities(truth, p, against=q, **options), "A", "B", level=level)


def made(cases: int, classes: int = 2, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p, q = (rng.dirichlet(np.ones(classes) + 1, cases) for _ in range(2))
    return rng.integers(0, classes, cases), p, q


def test_e_values_are_likelihood_ratios_either_way_and_fair_by_all_outcomes() -> None:
    means = np.zeros((2, 2))
    for truth in itertools.product((0, 1), repeat=5):
        y = np.array(truth)
        mine, its = (np.where(y == 1, item, 1 - item) for item in (P, Q))
        result = duel(list(truth), P, Q, labels=(0, 1), ordered=True)
        ratio = float(np.prod(mine / its))
        assert result.for_first.e_value == pytest.approx(ratio, rel=1e-12)
        assert result.for_second.e_value == pytest.approx(1 / ratio, rel=1e-12)
        largest = max(1.0, float(np.cumprod(mine / its).max()))
        assert result.for_first.p_value == pytest.approx(1 / largest, rel=1e-12)
        for index, chance in enumerate((its, mine)):
            means[index] += np.prod(chance) * np.array([result.for_first.e_value, result.for_second.e_value])
    # If B is right A's wealth is 1 on average, if A is right B's is.
    assert means[0, 0] == pytest.approx(1, rel=1e-12)
    assert means[1, 1] == pytest.approx(1, rel=1e-12)
    assert means[1, 0] > 1


def test_without_an_order_only_the_end_counts() -> None:
    result = duel([1, 1, 0], [0.9, 0.9, 0.9], [0.5, 0.5, 0.5])
    assert result.for_first.log_maximum is None
    assert result.for_first.p_value == 1.0
    ordered = duel([1, 1, 0], [0.9, 0.9, 0.9], [0.5, 0.5, 0.5], ordered=True)
    assert ordered.for_first.p_value == pytest.approx(1 / 1.8**2, rel=1e-12)


def test_sequences_are_of_the_first_less_the_second() -> None:
    truth, p, q = made(700)
    result = duel(truth, p, q, level=0.9, ordered=True)
    y = truth == 1
    brier = (p[:, 1] - y) ** 2 - (q[:, 1] - y) ** 2
    expected = empirical_bernstein(brier, level=0.9)
    assert result.brier_sequence is not None
    np.testing.assert_allclose(result.brier_sequence.mean, expected.mean, atol=1e-12)
    np.testing.assert_allclose(result.brier_sequence.low, expected.low, atol=1e-12)
    np.testing.assert_allclose(result.brier_sequence.high, expected.high, atol=1e-12)
    assert result.brier_sequence.level == 0.9
    log = -np.log(np.where(y, p[:, 1], p[:, 0])) + np.log(np.where(y, q[:, 1], q[:, 0]))
    assert result.log_sequence is not None
    wanted = asymptotic_sequence(log, level=0.9)
    np.testing.assert_allclose(result.log_sequence.low, wanted.low, atol=1e-9)
    np.testing.assert_allclose(result.log_sequence.high, wanted.high, atol=1e-9)


def test_a_better_forecaster_comes_out_ahead_everywhere() -> None:
    rng = np.random.default_rng(3)
    true = rng.uniform(0.05, 0.95, 4000)
    y = (rng.random(4000) < true).astype(int)
    result = duel(y, true, np.full(4000, 0.5), ordered=True)
    assert result.wealth.log_wealth > 0
    assert result.for_first.p_value <= 1e-6
    assert result.for_second.p_value > 0.5
    assert result.brier_sequence.high[-1] < 0
    assert result.log_sequence is not None
    assert result.log_sequence.high[-1] < 0


@pytest.mark.parametrize("classes", [2, 4])
def test_identical_systems_prove_nothing(classes: int) -> None:
    truth, p, _ = made(500, classes)
    result = duel(truth, p, p, ordered=True)
    assert result.wealth.log_wealth == 0.0
    for evidence in (result.for_first, result.for_second):
        assert (evidence.e_value, evidence.p_value) == (1.0, 1.0)
    assert (result.brier_sequence.mean == 0).all()
    assert result.brier_sequence.low[-1] < 0 < result.brier_sequence.high[-1]


def test_nulls_name_who_is_meant() -> None:
    truth, p, q = made(100)
    result = duel(truth, p, q)
    assert result.for_first.null == "the probabilities of B are the true ones, given all that A knew"
    assert result.for_second.null == "the probabilities of A are the true ones, given all that B knew"


def test_ruin_is_ruin_both_ways() -> None:
    result = duel([1, 0, 1], [0.5, 1.0, 0.5], [0.5, 0.5, 0.5], ordered=True)
    assert (result.wealth.log_wealth, result.for_second.log_e_value) == (-math.inf, math.inf)
    assert result.log_sequence is None
    both = duel([1, 0, 1], [0.5, 1.0, 0.5], [0.5, 0.5, 0.0], ordered=True)
    assert (both.wealth.log_wealth, both.for_second.log_e_value) == (-math.inf, -math.inf)
    assert both.wealth.reverse_path.tolist() == [0.0, math.inf, -math.inf]


def test_plain_values_are_json_with_few_points() -> None:
    truth, p, q = made(9000, 3)
    result = duel(truth, p, q, ordered=True)
    shown = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert len(shown["sequences"]["brier"]["path"]["cases"]) == 512
    assert shown["sequences"]["brier"]["path"]["cases"][-1] == 9000
    assert shown["sequences"]["brier"]["path"]["low"][-1] == shown["sequences"]["brier"]["low"]
    assert shown["ordered"] is True
    json.dumps(duel([1, 0], [0.5, 1.0], [0.5, 0.5]).to_dict(), allow_nan=False)


@pytest.mark.parametrize("number", [1, 2, 511, 512, 513, 4096])
def test_thinned_paths_keep_both_ends(number: int) -> None:
    places = thin(number)
    assert (places[0], places[-1]) == (0, number - 1)
    assert len(places) == min(512, number)
    assert np.ptp(np.diff(places)) <= 1 if number > 2 else True


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="no bets"):
        forecast_duel(Wealth.empty(), "A", "B")
