"""Confidence sequences against loops, trees of all outcomes and the formulas as printed."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import gammainc, gammaln

from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.gamma_mixture import GammaMixture
from edgeworth.forecasts.sequential import (
    BURN_IN,
    CASES_OF_NARROWEST_INTERVAL,
    BlockSums,
    asymptotic_sequence,
    better_of,
    empirical_bernstein,
    radius,
    tuned_square,
)

RNG = np.random.default_rng(11)
VALUES = np.clip(RNG.normal(0.05, 0.4, 300), -1, 1)


def printed_log_m(s: float, v: float, c: float, rho: float) -> float:
    r, a, b = rho / c**2, (v + rho) / c**2, (c * s + v + rho) / c**2
    constant = r * math.log(r) - gammaln(r) - math.log(gammainc(r, r))
    return float(constant + gammaln(a) + math.log(gammainc(a, b)) - a * math.log(b) + (c * s + v) / c**2)


def test_case_by_case_equals_a_loop_over_the_published_formula() -> None:
    alpha, c = 0.05, 2.0
    rho = 10 / (2 * math.log(1 / alpha) + math.log(1 + 2 * math.log(1 / alpha)))
    sequence = empirical_bernstein(VALUES)
    total = variation = mean = 0.0
    for t, value in enumerate(VALUES, start=1):
        variation += (value - mean) ** 2
        total += value
        mean = total / t
        v = max(1.0, variation)
        u = brentq(
            lambda s, v=v: printed_log_m(s, v, c, rho) - math.log(2 / alpha),
            0,
            10 * (5 + math.sqrt(v)),
            xtol=1e-13,
        )
        assert (sequence.cases[t - 1], sequence.mean[t - 1], sequence.V[t - 1]) == pytest.approx(
            (t, mean, variation), rel=1e-12
        )
        # No average of differences within ±1 lies outside.
        bounds = max(mean - u / t, -1.0), min(mean + u / t, 1.0)
        assert (sequence.low[t - 1], sequence.high[t - 1]) == pytest.approx(bounds, rel=1e-10, abs=1e-11)
    assert sequence.last == (sequence.mean[-1], sequence.low[-1], sequence.high[-1])


@pytest.mark.parametrize("c", [1.0, 2.0, 4.0])
def test_nothing_is_said_beyond_what_is_possible(c: float) -> None:
    for values in ([c / 2] * 40, [-c / 2] * 40, [0.0] * 40, np.tile([c / 2, -c / 2], 20)):
        sequence = empirical_bernstein(values, c=c)
        assert (sequence.low >= -c / 2).all()
        assert (sequence.high <= c / 2).all()
        assert (sequence.low <= sequence.mean).all()
        assert (sequence.mean <= sequence.high).all()
    few, many = empirical_bernstein([0.0, 0.0], c=c), empirical_bernstein([0.0] * 400, c=c)
    assert few.last[1:] == (-c / 2, c / 2)
    assert many.high[-1] < c / 2


@pytest.mark.parametrize("size", [1, 7, 100, 300, 1000])
def test_blocks_equal_the_same_centres_given_case_by_case(size: int) -> None:
    starts = np.arange(0, 300, size)
    before = [VALUES[:start].mean() if start else 0.0 for start in starts]
    centres = np.repeat(before, np.diff(np.append(starts, 300)))
    blocks = empirical_bernstein(BlockSums.of(VALUES, size=size))
    ends = blocks.cases - 1
    np.testing.assert_allclose(blocks.V, np.cumsum((VALUES - centres) ** 2)[ends], rtol=1e-11, atol=1e-12)
    np.testing.assert_allclose(blocks.mean, empirical_bernstein(VALUES).mean[ends], rtol=1e-11, atol=1e-12)
    if size == 1:
        np.testing.assert_allclose(blocks.low, empirical_bernstein(VALUES).low, rtol=1e-11)


def test_long_blocks_cost_little_width() -> None:
    values = np.clip(np.random.default_rng(12).normal(0.1, 0.2, 50_000), -1, 1)
    whole, blocks = empirical_bernstein(values), empirical_bernstein(BlockSums.of(values, size=1024))
    ratio = (blocks.high - blocks.low) / (whole.high - whole.low)[blocks.cases - 1]
    assert ratio.min() >= 1
    assert ratio[-1] < 1.01  # the first block, centred on 0, adds 1024 · .1² to a V of 2000


Adversary = Callable[[np.ndarray, int], tuple[np.ndarray, np.ndarray, np.ndarray]]


def fair_coin(total: np.ndarray, _: int) -> tuple[np.ndarray, ...]:
    return np.ones_like(total), -np.ones_like(total), np.full_like(total, 0.5)


def rare_gain(total: np.ndarray, _: int) -> tuple[np.ndarray, ...]:
    """Many small losses hide one large gain, of mean 0."""
    return np.ones_like(total), np.full_like(total, -0.05), np.full_like(total, 0.05 / 1.05)


def bold(total: np.ndarray, _: int) -> tuple[np.ndarray, ...]:
    """Behind: large even bets. Ahead: nothing happens any more, so V stands still."""
    up = np.where(total > 1.5, 0.0, 1.0)
    return up, -up, np.full_like(total, 0.5)


def late_payer(total: np.ndarray, t: int) -> tuple[np.ndarray, ...]:
    """Conditional means −.4, .4, −.4, …: their sum is never above 0."""
    mean = -0.4 if t % 2 == 0 else 0.4
    return np.ones_like(total), -np.ones_like(total), np.full_like(total, (1 + mean) / 2)


ADVERSARIES = [fair_coin, rare_gain, bold, late_payer]


@pytest.mark.parametrize("adversary", ADVERSARIES, ids=lambda item: item.__name__)
@pytest.mark.parametrize("v_opt", [0.3, 10.0])
def test_no_way_of_stopping_gains_on_average(adversary: Adversary, v_opt: float) -> None:
    """The best stopping rule, found backwards over all 2^14 sequences, expects at most 1."""
    mixture, depth = GammaMixture.tuned(v_opt=v_opt, alpha=0.05, c=2.0), 14
    total, variation = np.zeros(1), np.zeros(1)
    wealth, chances = [np.ones(1)], []
    for t in range(depth):
        up, down, chance = adversary(total, t)
        mean = total / t if t else np.zeros(1)
        chances.append(chance)
        variation = np.stack([variation + (up - mean) ** 2, variation + (down - mean) ** 2], axis=1).ravel()
        total = np.stack([total + up, total + down], axis=1).ravel()
        wealth.append(np.exp(mixture.log_value(total, variation)))
    best = wealth[depth]
    for t in range(depth - 1, -1, -1):
        going_on = chances[t] * best[0::2] + (1 - chances[t]) * best[1::2]
        best = np.maximum(wealth[t], going_on)
    assert best[0] <= 1 + 1e-12


def test_the_interval_misses_no_more_often_than_it_says_over_all_sequences() -> None:
    # Coins whose chances depend on the past; a level of one half, so that something is missed at all.
    misses, chances, cases = 0.0, 0.0, 10
    for code in range(2**cases):
        outcomes = [code >> index & 1 for index in range(cases)]
        chance, means, heads = 1.0, [], 0
        for t, head in enumerate(outcomes):
            probability = 0.5 if t == 0 else 0.85 - 0.7 * (heads / t)
            means.append(2 * probability - 1)
            chance *= probability if head else 1 - probability
            heads += head
        sequence = empirical_bernstein([2.0 * head - 1 for head in outcomes], level=0.5, v_opt=3.0)
        truth = np.cumsum(means) / np.arange(1, cases + 1)
        misses += chance * bool(((truth < sequence.low) | (truth > sequence.high)).any())
        chances += chance
    assert chances == pytest.approx(1)
    assert misses <= 0.5


def test_evidence_of_both_directions() -> None:
    sequence = empirical_bernstein(np.tile([0.5, 0.1], 150))
    up, down = sequence.evidence("greater"), sequence.evidence("less")
    assert up.p_value <= 1e-6
    assert down.p_value == 1
    assert "above 0" in up.null
    assert better_of(up, down).p_value == pytest.approx(2 * up.p_value)
    mirrored = empirical_bernstein(-np.tile([0.5, 0.1], 150)).evidence("less")
    assert mirrored.log_e_value == pytest.approx(up.log_e_value, rel=1e-12)


def test_differences_without_change() -> None:
    sequence = empirical_bernstein(np.zeros(50))
    assert (sequence.V == 0).all()
    assert (sequence.low < 0).all()
    assert (sequence.low == -sequence.high).all()
    assert len(empirical_bernstein([])) == 0
    with pytest.raises(InputError, match="no last interval"):
        _ = empirical_bernstein([]).last


def test_what_the_bounded_sequence_refuses() -> None:
    with pytest.raises(InputError, match=r"case 2 is 1\.5, outside \[-1, 1\]"):
        empirical_bernstein([0.0, 1.5])
    assert len(empirical_bernstein([0.0, 1.5], c=4.0)) == 2
    with pytest.raises(InputError, match="case 1 is inf"):
        empirical_bernstein([math.inf])
    with pytest.raises(InputError, match="one number per case"):
        empirical_bernstein([[0.1]])
    with pytest.raises(OptionError, match="confidence level"):
        empirical_bernstein([0.1], level=95)
    with pytest.raises(OptionError, match="length of the range"):
        empirical_bernstein([0.1], c=0.0)
    with pytest.raises(OptionError, match="direction"):
        empirical_bernstein([0.1]).evidence("up")  # type: ignore[arg-type]  # a direction that is not there
    with pytest.raises(InputError, match="these sums are larger"):
        empirical_bernstein(BlockSums([2], [5.0], [13.0]))  # type: ignore[arg-type]  # lists do too
    with pytest.raises(InputError, match="leave empty blocks out"):
        BlockSums([0], [0.0], [0.0])  # type: ignore[arg-type]  # as above
    with pytest.raises(InputError, match="three lists"):
        BlockSums([1, 2], [0.0], [0.0])  # type: ignore[arg-type]  # as above


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.2])
def test_the_tuned_asymptotic_interval_is_narrowest_where_it_should_be(alpha: float) -> None:
    for deviation in (1.0, 0.03):
        best = minimize_scalar(
            lambda log, s=deviation: float(radius(CASES_OF_NARROWEST_INTERVAL, s**2, math.exp(log), alpha)),
            bounds=(-15, 10),
            method="bounded",
            options={"xatol": 1e-9},
        )
        assert math.exp(best.x) == pytest.approx(tuned_square(alpha, deviation**2), rel=1e-4)


def test_asymptotic_case_by_case_equals_a_loop() -> None:
    values = np.random.default_rng(13).exponential(2.0, 400) + 1e6
    sequence = asymptotic_sequence(values)
    square = tuned_square(0.05, float(values[:BURN_IN].var(ddof=1)))
    assert np.isnan(sequence.low[: BURN_IN - 1]).all()
    for t in (100, 101, 399, 400):
        grown = t * square * values[:t].var(ddof=1)
        reach = math.sqrt(2 * (grown + 1) / (t**2 * square) * math.log(math.sqrt(grown + 1) / 0.05))
        assert sequence.high[t - 1] - sequence.mean[t - 1] == pytest.approx(reach, rel=1e-8)
        assert sequence.mean[t - 1] == pytest.approx(values[:t].mean(), rel=1e-14)
    assert sequence.undefined is None


def test_asymptotic_blocks_equal_the_cases() -> None:
    values = np.random.default_rng(14).normal(0.2, 1.0, 1000)
    blocks = asymptotic_sequence(BlockSums.of(values, size=BURN_IN))
    whole = asymptotic_sequence(values)
    for name in ("mean", "low", "high", "V"):
        np.testing.assert_allclose(getattr(blocks, name), getattr(whole, name)[blocks.cases - 1], rtol=1e-11)


def test_the_unit_does_not_matter() -> None:
    values = np.random.default_rng(15).exponential(1.0, 500)
    nats, bits = asymptotic_sequence(values), asymptotic_sequence(values / math.log(2))
    np.testing.assert_allclose(bits.low * math.log(2), nats.low, rtol=1e-11)


def test_nothing_is_shown_without_enough() -> None:
    few = asymptotic_sequence(np.arange(20.0))
    assert np.isnan(few.low).all()
    assert "burn-in of 100" in str(few.undefined)
    alike = asymptotic_sequence(np.full(300, 0.1))
    assert np.isnan(alike.high).all()
    assert "all differences are equal" in str(alike.undefined)
    late = asymptotic_sequence(np.append(np.zeros(150), [1.0, 0.0]))
    assert np.isnan(late.low[:150]).all()
    assert np.isfinite(late.low[150:]).all()
    with pytest.raises(InputError, match="forecast of probability 0 came true"):
        asymptotic_sequence([0.1, -math.inf])
