"""Every sequence of outcomes gone through: fair games average 1, and seldom ever look like a proof."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from edgeworth.bet.fractional import Score, fractional_logs, kappa, running_sum
from edgeworth.errors import InputError
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.findings import Bets, examine_bets
from edgeworth.forecasts.sequential import Evidence, better_of

CASES = 8
Past = tuple[int, ...]
Forecaster = Callable[[Past], Fraction]


def laplace(past: Past) -> Fraction:
    """Learns from what happened."""
    return Fraction(sum(past) + 1, len(past) + 2)


def stubborn(_: Past) -> Fraction:
    return Fraction(3, 5)


def gambler(past: Past) -> Fraction:
    """Bets boldly on a change, and is certain now and then."""
    if len(past) % 4 == 3:
        return Fraction(1 - past[-1])
    return Fraction(1, 10) if past and past[-1] else Fraction(17, 20)


def even(_: Past) -> Fraction:
    return Fraction(1, 2)


GAMES = [(laplace, even), (stubborn, even), (gambler, even), (gambler, laplace), (even, laplace)]
NAMES = [f"{model.__name__} against {rival.__name__}" for model, rival in GAMES]


def given(probability: Fraction, outcome: int) -> Fraction:
    return probability if outcome else 1 - probability


def every_sequence() -> Iterator[Past]:
    return itertools.product((0, 1), repeat=CASES)


def forecasts(forecaster: Forecaster, outcomes: Past) -> list[Fraction]:
    return [forecaster(outcomes[:t]) for t in range(CASES)]


def logarithm(value: Fraction) -> float:
    return math.log(value) if value else -math.inf


@functools.cache
def bet_on(model: Forecaster, rival: Forecaster, outcomes: Past, stake: float = 1.0) -> Bets:
    """What a report says of the bets on one sequence of outcomes."""
    p, q = ([float(forecast) for forecast in forecasts(name, outcomes)] for name in (model, rival))
    options: dict[str, Any] = {"labels": [0, 1], "ordered": True, "fraction": stake}
    return examine_bets(Wealth.from_probabilities(list(outcomes), p, against=q, **options))


def check_process(
    model: Forecaster,
    rival: Forecaster,
    evidence: Callable[[Bets], Evidence | None],
    exact_path: Callable[[Past], list[Fraction]],
    stake: float = 1.0,
) -> None:
    """E[W] = 1 and P(max W ≥ 1/α) ≤ α under the rival's probabilities, summed over all outcomes."""
    mean, exact_mean = 0.0, Fraction(0)
    reached = dict.fromkeys([Fraction(1, 2), Fraction(1, 5), Fraction(1, 20)], Fraction(0))
    for outcomes in every_sequence():
        q = forecasts(rival, outcomes)
        chance = math.prod((given(item, y) for item, y in zip(q, outcomes, strict=True)), start=Fraction(1))
        result, wealth = evidence(bet_on(model, rival, outcomes, stake)), exact_path(outcomes)
        assert result is not None
        assert result.log_e_value == pytest.approx(logarithm(wealth[-1]), rel=1e-12, abs=1e-13)
        assert result.log_maximum == pytest.approx(max(0.0, logarithm(max(wealth))), rel=1e-12, abs=1e-13)
        exact_mean += chance * wealth[-1]
        mean += float(chance) * result.e_value
        for alpha in reached:
            if result.p_value <= alpha * (1 + 1e-12):
                reached[alpha] += chance
    assert exact_mean == 1
    assert mean == pytest.approx(1, abs=1e-12)
    for alpha, probability in reached.items():
        assert probability <= alpha


def exact_wealth(model: Forecaster, rival: Forecaster, fraction: Fraction, outcomes: Past) -> list[Fraction]:
    wealth, path = Fraction(1), []
    for p, q, y in zip(forecasts(model, outcomes), forecasts(rival, outcomes), outcomes, strict=True):
        wealth *= given(fraction * p + (1 - fraction) * q, y) / given(q, y)
        path.append(wealth)
    return path


@pytest.mark.slow
@pytest.mark.parametrize(("model", "rival"), GAMES, ids=NAMES)
@pytest.mark.parametrize("stake", [Fraction(1), Fraction(1, 4)])
def test_full_stakes_and_a_quarter_of_them(model: Forecaster, rival: Forecaster, stake: Fraction) -> None:
    check_process(
        model,
        rival,
        lambda answer: answer.against_rival,
        lambda outcomes: exact_wealth(model, rival, stake, outcomes),
        stake=float(stake),
    )


@pytest.mark.slow
@pytest.mark.parametrize(("model", "rival"), GAMES, ids=NAMES)
def test_all_stakes_at_once(model: Forecaster, rival: Forecaster) -> None:
    def averaged(outcomes: Past) -> list[Fraction]:
        paths = [exact_wealth(model, rival, Fraction(k, 20), outcomes) for k in range(21)]
        return [sum(column, Fraction(0)) / 21 for column in zip(*paths, strict=True)]

    check_process(model, rival, lambda answer: answer.mixture, averaged)


@pytest.mark.slow
@pytest.mark.parametrize("score", ["brier", "log"])
@pytest.mark.parametrize("inside", [0.0, 0.4, 1.0])
@pytest.mark.parametrize(
    ("model", "rival"), [GAMES[0], GAMES[2], GAMES[3]], ids=[NAMES[0], NAMES[2], NAMES[3]]
)
def test_a_rival_at_least_as_good_in_every_round(
    model: Forecaster, rival: Forecaster, inside: float, score: Score
) -> None:
    """The truth lies at κ (0), part of the way to the rival's forecast, or at it (1), in every round."""
    mean, chances = 0.0, 0.0
    reached = dict.fromkeys([0.5, 0.2, 0.05], 0.0)
    for outcomes in every_sequence():
        p, q = (
            np.array([float(forecast) for forecast in forecasts(name, outcomes)]) for name in (model, rival)
        )
        price = kappa(p, q, score=score)[0]
        truth = price + inside * (q - price)
        chance = float(np.prod(np.where(outcomes, truth, 1 - truth)))
        bets = bet_on(model, rival, outcomes)
        computed = bets.brier_rounds if score == "brier" else bets.log_rounds
        assert computed is not None
        chances += chance
        mean += chance * computed.e_value if chance else 0.0
        for alpha in reached:
            reached[alpha] += chance * (computed.p_value <= alpha)
    assert chances == pytest.approx(1, abs=1e-12)
    assert mean <= 1 + 1e-12
    if inside == 0.0 and model is not gambler:
        assert mean == pytest.approx(1, abs=1e-12)
    for alpha, probability in reached.items():
        assert probability <= alpha


def steps_as_wealth(factors: np.ndarray) -> Wealth:
    """A path whose factors are these, each between 0 and 2: the bets at even prices that were won."""
    return Wealth.from_probabilities([1] * len(factors), factors / 2, against=np.full(len(factors), 0.5))


def test_long_mixtures_by_plain_sums() -> None:
    """Beyond 4,096 cases the path is kept in blocks: its points are those of the path case by case."""
    factors = np.exp(np.random.default_rng(5).normal(0, 0.05, 10_000))
    wealth = steps_as_wealth(factors)
    grid = np.arange(21) / 20
    sums = np.cumsum(np.log(1 - grid + np.outer(factors, grid)), axis=0)
    path = np.log(np.exp(sums - 3).mean(axis=1)) + 3
    np.testing.assert_allclose(wealth.mixture_path, path[wealth.positions - 1], rtol=1e-9, atol=1e-9)
    mixture = examine_bets(wealth).mixture
    assert mixture is not None
    assert mixture.log_e_value == pytest.approx(path[-1], abs=1e-9)


def test_the_mixture_is_never_far_behind_the_best_fraction() -> None:
    rng = np.random.default_rng(6)
    factors = np.where(rng.random(2000) < 0.55, 1.6, 0.4)
    best = max(float(np.log(1 - c + c * factors).sum()) for c in np.arange(21) / 20)
    assert best - math.log(21) <= steps_as_wealth(factors).mixture_path[-1] <= best


def test_ruin_and_the_impossible() -> None:
    steps = [0.3, -math.inf, 1.0, math.inf, -math.inf, 2.0]
    assert running_sum(steps).tolist() == [0.3, *[-math.inf] * 5]
    assert running_sum([math.inf, 1.0, -math.inf]).tolist() == [math.inf, math.inf, -math.inf]
    p, q = [0.6, 0.0, 0.8, 0.5, 0.0, 0.9], [0.5, 0.5, 0.5, 0.0, 0.5, 0.5]
    wealth = Wealth.from_probabilities([1] * 6, p, against=q, ordered=True)
    path = wealth.mixture_path
    assert np.isfinite(path[:3]).all()
    assert (path[3:] == math.inf).all()
    bets = examine_bets(wealth)
    assert bets.mixture is not None
    assert (bets.mixture.p_value, bets.mixture.e_value) == (0, math.inf)
    assert Evidence.from_path(running_sum([-math.inf, 5.0]), null="prices are true").p_value == 1


def test_huge_wealth_stays_in_logarithms() -> None:
    mixture = examine_bets(
        Wealth.from_probabilities([1] * 5000, [0.9] * 5000, against=[0.9 / math.e**3] * 5000)
    ).mixture
    assert mixture is not None
    assert mixture.log_e_value == pytest.approx(15_000 - math.log(21), abs=0.01)
    assert mixture.e_value == math.inf
    assert 0 < mixture.p_value < 1e-300
    np.testing.assert_allclose(
        fractional_logs([800.0, 1e-12], [0.5]), [[800 - math.log(2)], [5e-13]], rtol=1e-11
    )


def test_order_and_directions() -> None:
    up = Evidence.from_path([1.0, 5.0, 4.0], null="A is no better")
    down = Evidence.from_path([-1.0, -5.0, -4.0], null="B is no better")
    assert up.p_value == pytest.approx(math.exp(-5))
    assert replace(up, log_maximum=None).p_value == pytest.approx(math.exp(-4))
    assert down.p_value == 1
    better = better_of(down, up)
    assert better.null == "A is no better"
    assert better.p_value == pytest.approx(2 * math.exp(-5))
    assert better.e_value == pytest.approx(math.exp(4) / 2)
    unordered = better_of(replace(up, log_maximum=None), replace(down, log_maximum=None))
    assert unordered.p_value == pytest.approx(2 * math.exp(-4))
    assert better_of(down, down).p_value == 1
    with pytest.raises(InputError, match="both with their order"):
        better_of(up, replace(down, log_maximum=None))


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="saw nan"):
        Evidence(math.nan, None, "prices are true")
    with pytest.raises(InputError, match="at least the last"):
        Evidence(2.0, 1.0, "prices are true")
