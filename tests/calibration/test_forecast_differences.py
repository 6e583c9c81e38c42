"""Seeded: equal forecasters are told apart as often as was said, and money is not made from a fair game."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from edgeworth.comparisons.forecasts.bets import CaseClusters, forecast_duel
from edgeworth.comparisons.forecasts.differences import compare_forecasts, mean_score_difference
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.findings import examine_bets
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.gamma_mixture import GammaMixture
from edgeworth.forecasts.sequential import Evidence

Floats = NDArray[np.float64]
RUNS = 4000


def equals(rng: np.random.Generator, cases: int) -> tuple[NDArray[np.int64], Floats, Floats]:
    """Two forecasters whose errors are exchangeable: each is off by its own noise of the same law."""
    true = rng.uniform(0.1, 0.9, cases)
    p, q = (np.clip(true + rng.uniform(-0.15, 0.15, cases), 0.02, 0.98) for _ in range(2))
    return (rng.random(cases) < true).astype(np.int64), p, q


LOSSES: dict[str, Callable[[NDArray[np.int64], Floats], Floats]] = {
    "log": lambda y, p: -np.log(np.where(y == 1, p, 1 - p)),
    "brier": lambda y, p: (p - y) ** 2,
}
"""The scores of each case, by their definitions."""


def within(rejected: int, runs: int = RUNS) -> bool:
    return 0.04 <= rejected / runs <= 0.06


@pytest.mark.parametrize("cases", [200, 1000])
def test_equal_forecasters_are_told_apart_in_five_of_a_hundred(cases: int) -> None:
    rng = np.random.default_rng(cases)
    rejected, covered, better = {"log": 0, "brier": 0}, {"log": 0, "brier": 0}, 0
    for _ in range(RUNS):
        y, p, q = equals(rng, cases)
        for score, loss in LOSSES.items():
            difference = mean_score_difference(loss(y, p), loss(y, q), names=("A", "B"), score=score)
            interval = difference.interval(0.95)
            rejected[score] += difference.p_value() <= 0.05
            covered[score] += interval.low <= 0 <= interval.high
        better += difference.probability_better <= 0.3
    assert all(within(value) for value in rejected.values()), rejected
    assert all(0.935 <= member / RUNS <= 0.965 for member in covered.values()), covered
    # If neither is better the posterior probability is uniform.
    assert better / RUNS == pytest.approx(0.3, abs=0.025)


@pytest.mark.parametrize("horizon", [1, 3])
def test_diebold_and_mariano_keep_their_level(horizon: int) -> None:
    """Differences that overlap as those of forecasts some steps ahead do: a moving average."""
    rng = np.random.default_rng(30 + horizon)
    rejected = naive = 0
    for _ in range(RUNS):
        steps = rng.laplace(size=200 + horizon - 1)
        losses = np.convolve(steps, np.ones(horizon), "valid")
        names = {"names": ("A", "B"), "score": "log"}
        rejected += mean_score_difference(losses, np.zeros(200), horizon=horizon, **names).p_value() <= 0.05
        naive += mean_score_difference(losses, np.zeros(200), **names).p_value() <= 0.05
    assert within(rejected), rejected / RUNS
    # Taken for independent, three of a kind are told apart far too often.
    assert within(naive) if horizon == 1 else naive / RUNS > 0.2


def test_groups_keep_the_level_where_cases_do_not() -> None:
    """Symmetric, as differences of exchangeable forecasters are."""
    rng = np.random.default_rng(40)
    groups = CaseClusters.of(np.repeat(np.arange(200), 5), 1000)
    rejected = naive = 0
    for _ in range(RUNS):
        losses = np.repeat(rng.laplace(size=200), 5) + 0.5 * rng.normal(size=1000)
        nothing = np.zeros(1000)
        rejected += (
            mean_score_difference(losses, nothing, names=("A", "B"), score="log", clusters=groups).p_value()
            <= 0.05
        )
        naive += mean_score_difference(losses, nothing, names=("A", "B"), score="log").p_value() <= 0.05
    assert within(rejected), rejected / RUNS
    assert naive / RUNS > 0.2


def test_no_money_is_made_from_the_true_prices() -> None:
    """E-values average at most 1: three standard errors are allowed, and wealth itself averages exactly 1."""
    rng = np.random.default_rng(50)
    results: dict[str, list[float]] = {name: [] for name in ("first", "mixture", "rounds", "second")}
    rejected = 0
    for _ in range(1000):
        true = rng.uniform(0.2, 0.8, 200)
        other = np.clip(true + rng.uniform(-0.05, 0.05, 200), 0.01, 0.99)
        y = (rng.random(200) < true).astype(np.int64)
        wealth = Wealth.from_probabilities(y, other, against=true, ordered=True)
        bets = examine_bets(replace(wealth, games=None))  # the exact law of luck takes long
        turned = forecast_duel(Wealth.from_probabilities(y, true, against=other, ordered=True), "A", "B")
        assert bets.brier_rounds is not None
        assert bets.mixture is not None
        results["first"].append(bets.against_rival.e_value)
        results["mixture"].append(bets.mixture.e_value)
        results["rounds"].append(bets.brier_rounds.e_value)
        results["second"].append(turned.for_second.e_value)
        rejected += bets.against_rival.p_value <= 0.05
    for name, values in results.items():
        error = np.std(values, ddof=1) / math.sqrt(len(values))
        assert error < 0.05
        assert np.mean(values) <= 1 + 3 * error, name
        if name in ("first", "second", "mixture"):
            assert np.mean(values) >= 1 - 4 * error, name
    assert rejected / 1000 <= 0.05


def test_equal_expected_scores_make_no_e_value_grow() -> None:
    """The truth halfway between the two makes their expected Brier scores equal in every round."""
    rng = np.random.default_rng(60)
    values, rejected, missed = [], 0, 0
    mixture = GammaMixture.tuned(v_opt=10.0, alpha=0.05, c=2.0)
    for _ in range(600):
        p, q = rng.uniform(0.1, 0.9, (2, 300))
        y = (rng.random(300) < (p + q) / 2).astype(np.int64)
        duel = forecast_duel(Wealth.from_probabilities(y, p, against=q, ordered=True), "A", "B")
        sequence = duel.brier_sequence
        paths = (mixture.log_value(side * sequence.cases * sequence.mean, sequence.V) for side in (-1, 1))
        evidence = [Evidence.from_path(path, null="equal scores") for path in paths]
        values += [requirement.e_value for requirement in evidence]
        rejected += any(item.p_value <= 0.025 for item in evidence)
        missed += bool(((sequence.low > 0) | (sequence.high < 0)).any())
    error = np.std(values, ddof=1) / math.sqrt(len(values))
    assert np.mean(values) <= 1 + 3 * error
    assert rejected / 600 <= 0.05
    assert missed / 600 <= 0.05


def test_copies_make_no_money_when_a_group_is_one_bet() -> None:
    """Ten rows of each of twenty patients, all alike: as cases they reject the truth one time in five."""
    rng = np.random.default_rng(70)
    groups = np.repeat(np.arange(20), 10)
    runs, values, rejected, naive, missed = 600, [], 0, 0, 0
    for _ in range(runs):
        true = rng.uniform(0.2, 0.8, 20)
        other = np.clip(true + rng.uniform(-0.15, 0.15, 20), 0.02, 0.98)
        y = (rng.random(20) < true).astype(np.intp)
        rows = [Forecasts(y, np.stack([1 - x, x], axis=1), (0, 1))[groups] for x in (other, true)]
        findings = compare_forecasts(
            dict(zip("AB", rows, strict=True)), clusters=groups, ordered=True, measures=["brier"]
        )
        assert findings.race is not None
        evidence = findings.race.evidence["A", "B"]
        values.append(evidence.e_value)
        rejected += evidence.p_value <= 0.05
        naive += Wealth.from_forecasts(rows[0], rows[1]).e_value >= 20
        # Who scores better on average over patients: the truth does.
        sequence = findings.duels[0].brier_sequence
        expected = np.cumsum((other - true) ** 2) / np.arange(1, 21)
        missed += bool(((sequence.low > expected) | (sequence.high < expected)).any())
    error = np.std(values, ddof=1) / math.sqrt(runs)
    assert np.mean(values) <= 1 + 3 * error
    assert rejected / runs <= 0.05
    assert naive / runs > 0.1
    assert missed / runs <= 0.05


def test_groups_that_are_mixed_up_make_no_money_either() -> None:
    """Rows of groups 1 2 3 1 2 3, the second a copy of the first: at the end the mean is at most 1."""
    rng = np.random.default_rng(71)
    groups, values = np.tile(np.arange(30), 2), []
    for _ in range(800):
        true = rng.uniform(0.2, 0.8, 30)
        y = (rng.random(30) < true).astype(np.intp)
        other = np.clip(np.tile(true, 2) + rng.uniform(-0.1, 0.1, 60), 0.02, 0.98)
        both = {
            name: Forecasts(np.tile(y, 2), np.stack([1 - x, x], axis=1), (0, 1))
            for name, x in (("A", other), ("B", np.tile(true, 2)))
        }
        race = compare_forecasts(both, clusters=groups, ordered=True, measures=["brier"]).race
        assert race is not None
        assert not race.ordered
        values.append(race.evidence["A", "B"].e_value)
    assert np.mean(values) <= 1 + 3 * np.std(values, ddof=1) / math.sqrt(len(values))


@pytest.mark.parametrize("sizes", [[3] * 39 + [100], [3] * 19 + [20], [2] * 30 + [40] * 5])
def test_equal_forecasters_in_clusters_of_unequal_size_are_told_apart_in_five_of_a_hundred(
    sizes: list[int],
) -> None:
    """21 to 23% of samples before CR2, with one cluster of 100 among 39 of 3."""
    rng, runs = np.random.default_rng(len(sizes)), 2000
    codes = np.repeat(np.arange(len(sizes)), sizes)
    clusters = CaseClusters.of(codes, len(codes))
    rejected = 0
    for _ in range(runs):
        shared, first, second = rng.normal(size=(3, len(sizes)))[:, codes]
        truth = rng.normal(size=len(codes)) + shared > 0
        one, two = ((1 / (1 + np.exp(-0.8 * item)) - truth) ** 2 for item in (first, second))
        difference = mean_score_difference(one, two, names=("A", "B"), score="brier", clusters=clusters)
        assert difference.law is not None
        rejected += difference.p_value() <= 0.05
    # Five of a hundred, and three standard errors of 2,000 draws; it may be careful.
    assert 0.02 <= rejected / runs <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)
