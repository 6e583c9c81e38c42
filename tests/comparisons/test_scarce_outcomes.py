"""Forecasters when almost nothing happened: counts, Hoeffding's bounds, and what is reported everywhere."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.comparisons.forecasts.bets import CaseClusters
from edgeworth.comparisons.forecasts.differences import compare_forecasts
from edgeworth.comparisons.forecasts.scarce_outcomes import too_little_happened
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.possible_differences import PossibleDifferences


def constant(codes: list[int], *shares: float) -> Forecasts:
    return Forecasts(np.array(codes), np.tile(shares, (len(codes), 1)), tuple(range(len(shares))))


def test_the_rarer_of_two_classes_and_failures_of_the_top_class_are_counted() -> None:
    for events, expected in ((9, "the rarer outcome occurred in 9 cases"), (10, None)):
        codes = [1] * events + [0] * 100
        pair = constant(codes, 0.9, 0.1), constant(codes, 0.8, 0.2)
        reason = too_little_happened(*pair)
        assert reason is None if expected is None else reason is not None and reason.startswith(expected)
    codes = [1] * 50 + [0] * 50
    right = np.where(np.arange(100)[:, None] < 50, [[0.2, 0.8]], [[0.8, 0.2]])
    sure = Forecasts(np.array(codes), right, (0, 1))
    assert "in 0 cases a system's most likely class did not occur" in (too_little_happened(sure, sure) or "")
    # A tie of ½ is no failure.
    assert too_little_happened(sure, constant(codes, 0.5, 0.5)) is not None
    assert too_little_happened(sure, constant(codes, 0.51, 0.49)) is None


def test_small_classes_count_together_and_impossible_ones_do_not_count() -> None:
    shares = [0.9, *[0.02] * 5]
    codes = [0] * 60 + [label for label in range(1, 6) for _ in range(4)]
    assert too_little_happened(constant(codes, *shares), constant(codes, *shares)) is None
    three = [0] * 50 + [1] * 50 + [2] * 5
    assert too_little_happened(constant(three, 0.5, 0.4, 0.1), constant(three, 0.5, 0.4, 0.1)) is not None
    never = [0] * 50 + [1] * 50
    assert too_little_happened(constant(never, 0.6, 0.4, 0.0), constant(never, 0.5, 0.5, 0.0)) is None
    assert too_little_happened(constant(never, 0.6, 0.4, 0.0), constant(never, 0.5, 0.4, 0.1)) is not None


def test_clusters_are_counted_and_not_their_rows() -> None:
    codes = [1] * 40 + [0] * 400
    pair = constant(codes, 0.9, 0.1), constant(codes, 0.8, 0.2)
    clusters = CaseClusters.of(np.arange(440) // 8, 440)
    assert too_little_happened(*pair) is None
    assert "5 clusters" in (too_little_happened(*pair, clusters) or "")


@pytest.mark.parametrize("score", ["brier", "log", "spherical"])
def test_common_events_do_not_make_up_for_rare_ones_in_which_forecasts_differ(score: str) -> None:
    codes = [0, 1] * 50 + [0] * 100
    first, second = (np.repeat(p, 100) for p in ([0.45, 0.0001], [0.4505, 0.01]))
    pair = Forecasts.of(codes, first), Forecasts.of(codes, second)
    assert too_little_happened(*pair) is None
    assert (
        too_little_happened(*pair, score=score)
        == "too few unlikely outcomes occurred, and these weigh most in the difference"
    )
    # With the expected number of events in the second half, enough has happened.
    seen = Forecasts.of([0, 1] * 50 + [1] + [0] * 99, first)
    assert too_little_happened(seen, replace(seen, probabilities=pair[1].probabilities), score=score) is None


def test_the_variance_seen_is_one_on_average_if_the_truth_is_halfway() -> None:
    """Enumerated: all outcomes of three cases with three classes."""
    rng = np.random.default_rng(0)
    one, two = rng.dirichlet(np.ones(3), (2, 3))
    middle, total = (one + two) / 2, 0.0
    for codes in product(range(3), repeat=3):
        systems = [Forecasts(np.array(codes), p, (0, 1, 2)) for p in (one, two)]
        chance = math.prod(middle[case, code] for case, code in enumerate(codes))
        total += chance * PossibleDifferences.of(*systems, ["spherical"]).variance_seen("spherical")
    assert total == pytest.approx(1)


@pytest.mark.parametrize("score", ["brier", "log"])
def test_bounds_hold_for_every_true_probability(score: str) -> None:
    """Enumerated: all outcomes of six cases, weighed by any true probability."""
    p, q = np.array([0.99, 0.9, 0.95, 0.97, 0.92, 0.98]), np.array([0.9, 0.99, 0.93, 0.9, 0.97, 0.9])
    both = [np.stack([1 - x, x], axis=1) for x in (p, q)]

    def loss(x: np.ndarray, y: np.ndarray) -> np.ndarray:
        chance = np.where(y, x, 1 - x)
        return -np.log(chance) if score == "log" else (1 - chance) ** 2

    outcomes = [np.array(way) for way in product((0, 1), repeat=6)]
    bounds = []
    for codes in outcomes:
        systems = {name: Forecasts(codes, x, (0, 1)) for name, x in zip("AB", both, strict=True)}
        bounds.append(compare_forecasts(systems, measures=[score]).pairs["A", "B"][score].interval(0.8))
    for true in ([0.99] * 6, [0.5] * 6, [0.9, 0.99, 0.2, 0.7, 0.97, 0.6]):
        chances = np.array(true)
        weights = [float(np.prod(np.where(way, chances, 1 - chances))) for way in outcomes]
        gains = [(loss(p, way) - loss(q, way)).mean() for way in outcomes]
        expected = float(np.dot(weights, gains))
        assert (
            sum(w for w, (low, high) in zip(weights, bounds, strict=True) if low <= expected <= high) >= 0.8
        )


def test_the_interval_is_hoeffdings_by_hand() -> None:
    codes = [1] * 99 + [0]
    systems = {"sure": constant(codes, 0.0001, 0.9999), "calibrated": constant(codes, 0.01, 0.99)}
    brier = compare_forecasts(systems).pairs["sure", "calibrated"]["brier"]
    if_event, if_not = 0.0001**2 - 0.01**2, 0.9999**2 - 0.99**2
    reach = (if_not - if_event) * math.sqrt(math.log(2 / 0.05) / (2 * 100))
    mean = (99 * if_event + if_not) / 100
    assert list(brier.interval(0.95)) == pytest.approx(
        [max(mean - reach, if_event), min(mean + reach, if_not)]
    )


def test_reason_replaces_the_p_value_everywhere() -> None:
    truth = np.array([1] * 99 + [0])
    rng = np.random.default_rng(1)
    sure, calibrated = rng.uniform(0.9998, 1, 100), rng.uniform(0.985, 0.995, 100)
    systems = {"sure": sure, "calibrated": calibrated}
    comparison = ew.compare(truth=truth, systems=systems, kind="probabilities", positive=1)
    difference = comparison["sure", "calibrated"]["log"]
    assert math.isnan(difference.p_value())
    assert math.isnan(difference.probability_better)
    assert not comparison.findings.is_conclusive("sure", "calibrated")
    assert comparison.verdict.startswith("No winner is named between calibrated and sure")
    assert "no test" in comparison.verdict
    pair = comparison.to_dict()["comparison"]["pairs"][0]
    assert pair["measures"]["log"]["p_value"] is None
    assert "occurred in 1 case" in pair["measures"]["log"]["no_winner"]
    assert pair["plan"]["needed"] is None
    frame = comparison.to_frame("pandas")
    assert frame.p.isna().all()
    assert frame.caveat.str.contains("occurred in 1 case").all()
    assert "occurred in 1 case" in comparison.to_html()
    assert "occurred in 1 case" in str(comparison)
    assert "no test; no winner is named" in str(difference)


def test_bounds_that_exclude_0_name_the_winner() -> None:
    truth = np.arange(400) % 2
    rng = np.random.default_rng(3)
    good, bad = (np.where(truth, p, 1 - p) + rng.normal(0, 0.02, 400) for p in (0.8, 0.6))
    comparison = ew.compare(truth=truth, systems={"good": good, "bad": bad}, kind="probabilities")
    brier = comparison["good", "bad"]["brier"]
    assert (list(brier.tests), brier.no_winner) == (["hoeffding"], None)
    assert brier.p_value() < 1e-6
    assert "did not occur" in (brier.caveat or "")
    assert comparison.verdict.startswith("good beats bad")


def test_probability_0_leaves_the_log_score_without_a_bound() -> None:
    codes = [1] * 30
    systems = {"certain": constant(codes, 0.0, 1.0), "careful": constant(codes, 0.1, 0.9)}
    pair = compare_forecasts(systems).pairs["certain", "careful"]
    assert "probability 0" in (pair["log"].no_interval or "")
    assert pair["brier"].no_interval is None
    assert pair["brier"].no_winner is not None


def test_ordered_rows_keep_the_sequence_of_a_bounded_score() -> None:
    codes = [1] * 99 + [0]
    systems = {"sure": constant(codes, 0.001, 0.999), "calibrated": constant(codes, 0.01, 0.99)}
    pair = compare_forecasts(systems, ordered=True).pairs["sure", "calibrated"]
    assert next(iter(pair["brier"].tests)) == "sequence"
    assert pair["log"].no_winner is not None
    assert "as they arrive" in (pair["log"].no_interval or "")


def test_a_mean_score_with_few_rare_outcomes_carries_a_caveat_and_passes_no_gate() -> None:
    truth = [1] * 3 + [0] * 97
    forecasts = np.full(100, 1e-4)
    scores = ew.ForecastScores.from_probabilities(truth, forecasts)
    assert "the rarer outcome occurred in 3 cases" in str(ew.estimate(scores, "brier").caveat)
    gate = ew.check(truth=truth, probabilities=forecasts, positive=1, require="brier <= 0.5")
    assert gate.outcome == "undecided"
    common = ew.ForecastScores.from_probabilities([1] * 10 + [0] * 90, np.full(100, 0.1))
    assert ew.estimate(common, "brier").caveat is None


def test_a_bound_too_small_for_a_float_is_not_written_as_zero() -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 4_000)
    better = 0.5 + 0.0005 * (2 * truth - 1)
    comparison = ew.compare(
        truth=truth, systems={"A": np.full(4_000, 0.5), "B": better}, kind="probabilities", measures=["log"]
    )
    assert 0 < comparison["A", "B"]["log"].p_value() < 1e-300
    assert "Hoeffding p < 1e-6" in comparison.verdict


def test_the_rare_ones_of_several_classes_are_named() -> None:
    one = constant([0] * 50 + [1] * 50 + [2] * 5, 0.5, 0.4, 0.1)
    assert (too_little_happened(one, one) or "").startswith("the rarest outcome (2) occurred in 5 cases")
    two = constant([0] * 50 + [1] * 3 + [2] * 5, 0.5, 0.4, 0.1)
    assert (too_little_happened(two, two) or "").startswith("the rare outcomes (1, 2 together) occurred in 8")
