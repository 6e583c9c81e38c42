"""The power of tests at the sizes that are planned for it, by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import edgeworth as ew

DRAWS = 2000
ERROR = 2 * math.sqrt(0.8 * 0.2 / DRAWS)


def planned(**given: object) -> int:
    return int(ew.plan(**given).numbers["needed"])  # type: ignore[arg-type]  # many options


def is_in_range(power: float) -> bool:
    """Tell whether a simulated power lies within 77% to 85%, or two standard errors from it."""
    return 0.77 - ERROR <= power <= 0.85 + ERROR


@pytest.mark.parametrize(
    ("difference", "accuracy", "agreement"), [(0.02, 0.75, 0.85), (0.05, 0.6, 0.8), (0.03, 0.9, 0.93)]
)
def test_mcnemars_test_has_the_planned_power(difference: float, accuracy: float, agreement: float) -> None:
    cases = planned(difference=difference, accuracy=accuracy, agreement=agreement)
    share = 1 - agreement
    rng = np.random.default_rng(1)
    chances = [(share + difference) / 2, (share - difference) / 2, agreement]
    wins, losses, _ = rng.multinomial(cases, chances, size=DRAWS).T
    p_values = 2 * stats.binom.cdf(np.minimum(wins, losses), wins + losses, 0.5)
    assert is_in_range(float(np.mean(p_values < 0.05)))


@pytest.mark.parametrize(("margin", "agreement"), [(0.02, 0.9), (0.05, 0.8)])
def test_a_margin_is_shown_with_the_planned_power(margin: float, agreement: float) -> None:
    cases, share = planned(margin=margin, agreement=agreement), 1 - agreement
    wins, losses, _ = np.random.default_rng(2).multinomial(cases, [share / 2, share / 2, agreement], DRAWS).T
    gap, linear = wins - losses + cases * margin, -(2 * cases - wins + losses) * margin - wins - losses
    root = np.sqrt(linear**2 - 8 * cases * losses * margin * (1 + margin))
    score = gap / np.sqrt(cases * ((root - linear) / (2 * cases) - margin * (1 + margin)))
    assert is_in_range(float(np.mean(score > stats.norm.ppf(0.975))))


def test_means_repeats_and_clusters_have_the_planned_power() -> None:
    rng = np.random.default_rng(3)
    queries = planned(difference=0.05, sd=0.25, correlation=0.5)
    values = rng.normal(0.05, 0.25, (DRAWS, queries))
    assert is_in_range(float(np.mean(stats.ttest_1samp(values, 0, axis=1).pvalue < 0.05)))

    # Items with a rate of their own: half are easy to both systems, and the rest flips.
    rates = np.array([[0.9, 0.9], [0.2, 0.4], [0.6, 0.6]])
    kinds = np.array([0.5, 0.25, 0.25])
    gain = float(kinds @ (rates[:, 1] - rates[:, 0]))
    flips = float(kinds @ (2 * rates * (1 - rates)).mean(axis=1))
    disagreement = float(kinds @ (rates[:, 0] * (1 - rates[:, 1]) + rates[:, 1] * (1 - rates[:, 0])))
    accuracy = float(kinds @ rates[:, 0])
    items = planned(
        difference=gain, accuracy=accuracy, agreement=1 - disagreement, repeats=3, flip_rate=flips
    )
    chosen = rng.choice(3, (DRAWS, items), p=kinds)
    means = [rng.binomial(3, rates[chosen, system]) / 3 for system in (0, 1)]
    assert is_in_range(float(np.mean(stats.ttest_1samp(means[1] - means[0], 0, axis=1).pvalue < 0.05)))

    cases = planned(difference=0.1, sd=0.5, correlation=0.5, cluster_size=5, icc=0.3)
    shared, own = rng.normal(size=(DRAWS, cases // 5)), rng.normal(size=(DRAWS, cases // 5, 5)).mean(axis=2)
    clusters = 0.1 + 0.5 * (math.sqrt(0.3) * shared + math.sqrt(0.7) * own)
    assert is_in_range(float(np.mean(stats.ttest_1samp(clusters, 0, axis=1).pvalue < 0.05)))


@pytest.mark.slow
def test_compare_shows_an_roc_area_with_the_planned_power() -> None:
    rng, draws, area = np.random.default_rng(4), 150, 0.8
    cases = planned(difference=0.1, roc_area=area, targets=0.4, correlation=0.5)
    real = np.arange(cases) < round(0.4 * cases)
    shifts = [math.sqrt(2) * stats.norm.ppf(x) * real for x in (area + 0.05, area - 0.05)]
    count = 0
    for _ in range(draws):
        noise = rng.normal(size=cases)
        other = 0.5 * noise + math.sqrt(0.75) * rng.normal(size=cases)
        systems = {"a": noise + shifts[0], "b": other + shifts[1]}
        comparison = ew.compare(truth=real.astype(int), systems=systems, kind="scores", measures=["roc_area"])
        count += comparison["a", "b"]["roc_area"].p_value() < 0.05
    assert 0.7 <= count / draws <= 0.9
