"""Coverage and type I error of grades, exact or by simulation with its standard error."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import edgeworth as ew
from edgeworth.comparisons.grades import compare_grades


def test_right_or_wrong_is_covered_at_every_rate() -> None:
    """Exact: every number of right answers by its binomial probability."""
    results = []
    for number in (15, 40, 120):
        grades = (ew.Grades.from_grades([1] * right + [0] * (number - right)) for right in range(number + 1))
        bounds = np.array([list(ew.estimate(grade, "accuracy").interval()) for grade in grades])
        for rate in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.97):
            inside = (bounds[:, 0] <= rate) & (rate <= bounds[:, 1])
            results.append(binom.pmf(np.arange(number + 1), number, rate) @ inside)
    assert min(results) >= 0.91
    assert 0.94 <= np.mean(results) <= 0.96


@pytest.mark.parametrize(("rate", "correlation"), [(0.7, 0.1), (0.9, 0.3)])
def test_clustered_answers_are_covered(rate: float, correlation: float) -> None:
    rng, size, hits = np.random.default_rng(2), 1 / correlation - 1, 0
    sizes = np.repeat(range(20), [2, 4, 6, 8] * 5)
    for _ in range(400):
        rates = rng.beta(rate * size, (1 - rate) * size, 20)[sizes]
        estimate = ew.estimate(ew.Grades.from_grades(rng.random(100) < rates, clusters=sizes), "accuracy")
        hits += rate in estimate.interval()
    # Two standard errors of 400 draws below 92.5%.
    assert hits / 400 >= 0.925 - 2 * np.sqrt(0.925 * 0.075 / 400)


def test_equal_systems_differ_significantly_no_more_often_than_the_level() -> None:
    rng, ids, result = np.random.default_rng(3), np.repeat(range(25), 2), 0
    for _ in range(300):
        rates = np.repeat(rng.beta(2, 1, 25), 2)
        pair = {name: ew.Grades.from_grades(rng.random(50) < rates, ids=ids) for name in "ab"}
        result += compare_grades(pair).pairs["a", "b"]["accuracy"].p_value() < 0.05
    assert result / 300 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 300)


def test_pass_at_k_is_covered_where_a_few_items_are_never_solved() -> None:
    rng, ids, truth, hits = np.random.default_rng(4), np.repeat(range(30), 9), 0.98 * (1 - 0.3**5), 0
    for _ in range(400):
        rates = np.where(rng.random(30) < 0.02, 0.0, 0.7)[ids]
        grades = ew.Grades.from_grades((rng.random(270) < rates).astype(int), ids=ids)
        hits += truth in ew.estimate(grades, "pass@5").interval()
    # Two standard errors of 400 draws below 92.5%.
    assert hits / 400 >= 0.925 - 2 * np.sqrt(0.925 * 0.075 / 400)


def test_pass_hat_k_is_covered_where_a_few_items_are_always_solved() -> None:
    rng, ids, truth, hits = np.random.default_rng(5), np.repeat(range(30), 9), 0.02 + 0.98 * 0.3**3, 0
    for _ in range(400):
        rates = np.where(rng.random(30) < 0.02, 1.0, 0.3)[ids]
        grades = ew.Grades.from_grades((rng.random(270) < rates).astype(int), ids=ids)
        hits += truth in ew.estimate(grades, "pass^3").interval()
    assert hits / 400 >= 0.925 - 2 * np.sqrt(0.925 * 0.075 / 400)


@pytest.mark.parametrize(("weak", "low", "high"), [(0.8, 0.0, 0.05), (0.6, 0.75, 1.0)])
def test_a_slice_is_called_weaker_where_it_is(weak: float, low: float, high: float) -> None:
    rng, draws, result = np.random.default_rng(6), 200, 0
    for _ in range(draws):
        topic = rng.choice(list("abc"), 400)
        right = rng.random(400) < np.where(topic == "a", weak, 0.8)
        slices = ew.evaluate(correct=right.astype(int), by=topic).numbers["slices"]["slices"]
        result += any(row["is_shown"] for row in slices)
    error = 2 * np.sqrt(0.05 * 0.95 / draws)
    assert low - error <= result / draws <= high + error


@pytest.mark.parametrize(("items", "grade_range"), [(30, None), (149, None), (30, (0, 100))])
def test_rare_large_grades_are_covered_or_the_mean_has_a_caveat(
    items: int, grade_range: tuple[float, float] | None
) -> None:
    """Seconds with 4% time-outs: most samples of 30 items hold one at most, and the interval is too short."""
    rng, held = np.random.default_rng(7), 0
    for _ in range(100):
        seconds = np.where(rng.random(items) < 0.04, 60.0, rng.uniform(1, 3, items))
        estimate = ew.estimate(ew.Grades.from_grades(seconds, grade_range=grade_range), "mean")
        low, high = estimate.interval()
        held += low <= 0.04 * 60 + 0.96 * 2 <= high or "could change it" in (estimate.caveat or "")
    assert held >= 91
