"""What is said of a ranking holds something: no depth at which any order would do as well."""

from __future__ import annotations

import re

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.rankings.charts import ranking_charts
from edgeworth.rankings.findings import examine_ranking
from edgeworth.rankings.intervals.bands import thin_roc_curve


def hits(items: int, targets: int) -> ew.Ranking:
    return ew.Ranking.from_hits([1] * targets + [0] * (items - targets))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("items", "targets", "depth"),
    [
        # As many as there are targets, or 10 of a long list with fewer, but at most half of the list.
        (1000, 30, 30),
        (1000, 400, 400),
        (1000, 5, 10),
        (1000, 501, 500),
        (20_000, 10_036, 10_000),
        (999, 400, 400),
        (20, 3, 10),
        (19, 3, 3),
        (3, 1, 1),
        (1, 1, 1),
    ],
)
def test_the_depth_of_the_verdict(items: int, targets: int, depth: int) -> None:
    assert examine_ranking(hits(items, targets)).depth == depth


def test_a_depth_beyond_the_list_is_told_and_says_nothing() -> None:
    rng = np.random.default_rng(0)
    truth = rng.random(2000) < 0.5
    score = rng.random(2000) + 0.2 * truth
    beyond = ew.evaluate(truth=truth, score=score, depth=100_000)
    assert beyond.warnings[0] == "The list has only 2,000 items, so depth 100,000 is the whole list."
    assert re.match(r"The ranking beats random order: average precision 0\.\d+ \(95% CI ", beyond.verdict)
    assert "top" not in beyond.verdict
    every = ew.evaluate(truth=truth, score=score, depth=2000)
    assert every.verdict == beyond.verdict
    assert not [warning for warning in every.warnings if "depth" in warning]
    usual = ew.evaluate(truth=truth, score=score)
    assert "The top 1,000 of 2,000 (half of the list) holds" in usual.verdict
    assert f"of {truth.sum():,} targets; " in usual.verdict
    other = ew.evaluate(truth=~truth, score=-score)
    assert f"The top {(~truth).sum()} of 2,000 (as many as there are targets) holds" in other.verdict


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_weights_in_another_order_draw_the_same_points(seed: int) -> None:
    """Sums of weights differ in their last digits: the points of the pictures do not."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(20, 400))
    truth = rng.random(size) < 0.4
    score = rng.integers(0, 40, size).astype(float)
    weights = rng.integers(1, 30, size) / 10
    whole = ew.Ranking.from_scores(truth, score, weights=weights, positive=True)
    cuts = np.array_split(rng.permutation(size), 5)
    parts = [
        ew.Ranking.from_scores(truth[cut], score[cut], weights=weights[cut], positive=True) for cut in cuts
    ]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged + part
    for most in (20, 160):
        one, other = thin_roc_curve(whole, most), thin_roc_curve(merged, most)
        np.testing.assert_allclose(one[1:], other[1:], atol=1e-12)
    result, again = examine_ranking(whole), examine_ranking(merged)
    assert result.depth == again.depth
    drawn = [ranking_charts(item)["hits"].rows() for item in (result, again)]
    assert len(drawn[0]) == len(drawn[1])
    assert (result.best and result.best.threshold) == (again.best and again.best.threshold)


def test_small_steps_of_a_long_list_are_no_straight_line() -> None:
    """Each step of two hundred thousand items is a corner, however small."""
    rng = np.random.default_rng(1)
    score = rng.random(200_000)
    truth = rng.random(200_000) < score
    _, fallout, recall = thin_roc_curve(ew.Ranking.from_scores(truth, score))
    area = float(np.trapezoid(recall, fallout))
    assert area == pytest.approx(ew.measure(ew.Ranking.from_scores(truth, score), "roc_auc"), abs=2e-3)
    assert len(recall) > 100


@pytest.mark.slow
def test_of_two_labels_the_first_is_named_the_more_biased() -> None:
    rng = np.random.default_rng(4)
    for _ in range(30):
        size = int(rng.integers(30, 200))
        truth, text = rng.integers(0, 2, size), rng.integers(0, 2, size)
        for prediction in (text, 1 - text):
            description = ew.evaluate(truth=truth, prediction=prediction).charts["bias"].description
            assert description.startswith(("0 is predicted ", "Each class is predicted as often"))
