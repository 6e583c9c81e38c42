"""Every sequence of outcomes gone through: fair games average 1, and seldom ever look like a proof."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest

from edgeworth.bet.paths import running_sum
from edgeworth.errors import InputError, OptionError
from edgeworth.inference.sequential.evidence import Evidence, better_of
from edgeworth.inference.sequential.henzi_ziegel import kappa, score_log_factors
from edgeworth.inference.sequential.mixtures import (
    FRACTIONS,
    fraction_sums,
    fractional_logs,
    log_average,
    mixture_block_path,
    mixture_evidence,
    mixture_path,
)

CASES = 8
GRID = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(3, 4), Fraction(1)]
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


def check_process(
    rival: Forecaster,
    log_path: Callable[[Past, list[float]], np.ndarray],
    exact_path: Callable[[Past], list[Fraction]] | None,
    model: Forecaster,
) -> None:
    """E[W] = 1 and P(max W ≥ 1/α) ≤ α under the rival's probabilities, summed over all outcomes."""
    mean, exact_mean = 0.0, Fraction(0)
    reached = dict.fromkeys([Fraction(1, 2), Fraction(1, 5), Fraction(1, 20)], Fraction(0))
    for outcomes in every_sequence():
        p, q = forecasts(model, outcomes), forecasts(rival, outcomes)
        chance = math.prod((given(each, y) for each, y in zip(q, outcomes, strict=True)), start=Fraction(1))
        steps = [logarithm(given(a, y) / given(b, y)) for a, b, y in zip(p, q, outcomes, strict=True)]
        path = log_path(outcomes, steps)
        if exact_path is not None:
            wealth = exact_path(outcomes)
            np.testing.assert_allclose(path, [logarithm(each) for each in wealth], rtol=1e-12, atol=1e-13)
            exact_mean += chance * wealth[-1]
        mean += float(chance) * math.exp(path[-1])
        found = Evidence.from_path(path, null="the rival's prices are true")
        for alpha in reached:
            if found.p_value <= alpha * (1 + 1e-12):
                reached[alpha] += chance
    assert exact_mean == (1 if exact_path is not None else 0)
    assert mean == pytest.approx(1, abs=1e-12)
    for alpha, probability in reached.items():
        assert probability <= alpha


def exact_wealth(model: Forecaster, rival: Forecaster, fraction: Fraction, outcomes: Past) -> list[Fraction]:
    wealth, path = Fraction(1), []
    for p, q, y in zip(forecasts(model, outcomes), forecasts(rival, outcomes), outcomes, strict=True):
        wealth *= given(fraction * p + (1 - fraction) * q, y) / given(q, y)
        path.append(wealth)
    return path


@pytest.mark.parametrize(("model", "rival"), GAMES, ids=NAMES)
def test_full_stakes(model: Forecaster, rival: Forecaster) -> None:
    check_process(
        rival,
        lambda _, steps: running_sum(steps),
        lambda outcomes: exact_wealth(model, rival, Fraction(1), outcomes),
        model,
    )


@pytest.mark.parametrize(("model", "rival"), GAMES, ids=NAMES)
def test_a_third_of_the_stakes(model: Forecaster, rival: Forecaster) -> None:
    check_process(
        rival,
        lambda _, steps: running_sum(fractional_logs(steps, [1 / 3]))[:, 0],
        lambda outcomes: exact_wealth(model, rival, Fraction(1, 3), outcomes),
        model,
    )


@pytest.mark.parametrize(("model", "rival"), GAMES, ids=NAMES)
def test_all_stakes_at_once(model: Forecaster, rival: Forecaster) -> None:
    def averaged(outcomes: Past) -> list[Fraction]:
        paths = [exact_wealth(model, rival, fraction, outcomes) for fraction in GRID]
        return [sum(column, Fraction(0)) / len(GRID) for column in zip(*paths, strict=True)]

    grid = [float(fraction) for fraction in GRID]
    check_process(rival, lambda _, steps: mixture_path(steps, grid), averaged, model)


@pytest.mark.parametrize("score", ["brier", "log"])
@pytest.mark.parametrize("inside", [0.0, 0.4, 1.0])
@pytest.mark.parametrize(
    ("model", "rival"), [GAMES[0], GAMES[2], GAMES[3]], ids=[NAMES[0], NAMES[2], NAMES[3]]
)
def test_a_rival_at_least_as_good_in_every_round(
    model: Forecaster, rival: Forecaster, inside: float, score: str
) -> None:
    """The truth lies at κ (0), part of the way to the rival's forecast, or at it (1), in every round."""
    mean, chances = 0.0, 0.0
    reached = dict.fromkeys([0.5, 0.2, 0.05], 0.0)
    for outcomes in every_sequence():
        p = np.array([float(each) for each in forecasts(model, outcomes)])
        q = np.array([float(each) for each in forecasts(rival, outcomes)])
        price = kappa(p, q, score=score)[0]  # type: ignore[arg-type]  # one of the two
        truth = price + inside * (q - price)
        chance = float(np.prod(np.where(outcomes, truth, 1 - truth)))
        path = running_sum(score_log_factors(outcomes, p, q, score=score))  # type: ignore[arg-type]  # as above
        found = Evidence.from_path(path, null="the rival is at least as good in every round")
        chances += chance
        mean += chance * found.e_value if chance else 0.0
        for alpha in reached:
            reached[alpha] += chance * (found.p_value <= alpha)
    assert chances == pytest.approx(1, abs=1e-12)
    assert mean <= 1 + 1e-12
    if inside == 0.0 and model is not gambler:
        assert mean == pytest.approx(1, abs=1e-12)
    for alpha, probability in reached.items():
        assert probability <= alpha


def test_blocks_add_up_to_the_path() -> None:
    rng = np.random.default_rng(4)
    steps = rng.normal(0, 0.4, 500)
    path = mixture_path(steps)
    ends = [100, 101, 350, 500]
    blocks = [fraction_sums(steps[start:end]) for start, end in zip([0, *ends], ends, strict=False)]
    np.testing.assert_allclose(mixture_block_path(blocks), path[np.array(ends) - 1], rtol=1e-12)
    np.testing.assert_allclose(log_average(sum(blocks)), path[-1], rtol=1e-12)
    assert mixture_block_path(np.zeros((0, 21))).shape == (0,)
    assert (fraction_sums([]) == 0).all()


def test_long_paths_go_on_where_a_chunk_ended() -> None:
    rng = np.random.default_rng(5)
    steps = rng.normal(0, 0.05, 40_000)
    path = mixture_path(steps)
    sums = np.cumsum(fractional_logs(steps), axis=0)
    np.testing.assert_allclose(path, np.log(np.exp(sums - 3).mean(axis=1)) + 3, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(fraction_sums(steps), sums[-1], rtol=1e-9, atol=1e-9)


def test_the_mixture_is_never_far_behind_the_best_fraction() -> None:
    rng = np.random.default_rng(6)
    steps = np.log(np.where(rng.random(2000) < 0.55, 1.6, 0.4))
    best = fraction_sums(steps).max()
    assert best - math.log(len(FRACTIONS)) <= mixture_path(steps)[-1] <= best


def test_ruin_and_the_impossible() -> None:
    steps = [0.3, -math.inf, 1.0, math.inf, -math.inf, 2.0]
    assert running_sum(steps).tolist() == [0.3, *[-math.inf] * 5]
    assert running_sum([math.inf, 1.0, -math.inf]).tolist() == [math.inf, math.inf, -math.inf]
    path = mixture_path(steps)
    assert np.isfinite(path[:3]).all()
    assert (path[3:] == math.inf).all()
    sums = fraction_sums(steps)
    assert sums[0] == 0
    assert sums[-1] == -math.inf
    assert (sums[1:-1] == math.inf).all()
    halves = fraction_sums(steps[:3]), fraction_sums(steps[3:])
    np.testing.assert_array_equal(mixture_block_path(halves), path[[2, 5]])
    found = mixture_evidence(steps, null="prices are true")
    assert found.p_value == 0
    assert found.e_value == math.inf
    assert Evidence.from_path(running_sum([-math.inf, 5.0]), null="prices are true").p_value == 1


def test_huge_wealth_stays_in_logarithms() -> None:
    found = mixture_evidence(np.full(5000, 3.0), null="prices are true")
    assert found.log_e_value == pytest.approx(15_000 - math.log(21), abs=0.01)
    assert found.e_value == math.inf
    assert 0 < found.p_value < 1e-300
    np.testing.assert_allclose(
        fractional_logs([800.0, 1e-12], [0.5]), [[800 - math.log(2)], [5e-13]], rtol=1e-11
    )


def test_order_and_directions() -> None:
    up = Evidence.from_path([1.0, 5.0, 4.0], null="A is no better", direction="greater")
    down = Evidence.from_path([-1.0, -5.0, -4.0], null="B is no better", direction="less")
    assert up.p_value == pytest.approx(math.exp(-5))
    assert up.unordered().p_value == pytest.approx(math.exp(-4))
    assert math.isnan(up.unordered().maximum)
    assert down.p_value == 1
    better = better_of(down, up)
    assert (better.direction, better.null) == ("greater", "A is no better")
    assert better.p_value == pytest.approx(2 * math.exp(-5))
    assert better.e_value == pytest.approx(math.exp(4) / 2)
    unordered = better_of(up.unordered(), down.unordered())
    assert unordered.p_value == pytest.approx(2 * math.exp(-4))
    assert better_of(down, down).p_value == 1
    with pytest.raises(InputError, match="both with their order"):
        better_of(up, down.unordered())


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="case 1 is not a number"):
        running_sum([0.1, math.nan])
    with pytest.raises(OptionError, match="from 0 to 1"):
        fractional_logs([0.1], [0.5, 1.5])
    with pytest.raises(InputError, match="one number a case"):
        fractional_logs([[0.1]], [0.5])
    with pytest.raises(InputError, match="one row a block"):
        mixture_block_path([0.1, 0.2])
    with pytest.raises(InputError, match="saw nan"):
        Evidence(math.nan, None, "greater", "prices are true")
    with pytest.raises(InputError, match="at least the last"):
        Evidence(2.0, 1.0, "greater", "prices are true")
