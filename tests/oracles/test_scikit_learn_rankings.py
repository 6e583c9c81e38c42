"""Agreement with scikit-learn on random rankings, with ties, with frequencies and with sampling weights."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics

import edgeworth as ew

EXACT = {"rel": 1e-11, "abs": 1e-12}
DISTINCT = (3, 12, 10**6)
"""Different scores: a few large ties, many small ones, none."""


@dataclass(frozen=True)
class Sample:
    """Random scores that know something of the truth."""

    truth: NDArray[np.int64]
    scores: NDArray[np.float64]
    weights: NDArray[Any] | None

    @property
    def ranking(self) -> ew.Ranking:
        return ew.Ranking.from_scores(self.truth, self.scores, weights=self.weights)

    @property
    def weighting(self) -> dict[str, NDArray[Any] | None]:
        return {"sample_weight": self.weights}


@cache
def sample(seed: int, distinct: int, weighting: str) -> Sample:
    rng = np.random.default_rng([seed, distinct])
    truth = (rng.random(150) < 0.3).astype(np.int64)
    truth[:2] = 0, 1
    scores = np.floor((rng.random(150) + 0.4 * truth) * distinct) / distinct
    weights = {"none": None, "counts": rng.integers(0, 4, 150), "sampling": rng.exponential(size=150)}[
        weighting
    ]
    if weights is not None:
        weights[:2] = 1
    return Sample(truth, scores, weights)


SAMPLES = {
    f"{weighting}, {distinct} scores, {seed}": sample(seed, distinct, weighting)
    for weighting in ("none", "counts", "sampling")
    for distinct in DISTINCT
    for seed in range(3)
}
samples = pytest.mark.parametrize("data", SAMPLES.values(), ids=SAMPLES)


@samples
def test_average_precision(data: Sample) -> None:
    theirs = metrics.average_precision_score(data.truth, data.scores, **data.weighting)
    assert ew.measure(data.ranking, "average_precision(ties=threshold)") == pytest.approx(theirs, **EXACT)


@samples
def test_roc_area(data: Sample) -> None:
    theirs = metrics.roc_auc_score(data.truth, data.scores, **data.weighting)
    assert ew.measure(data.ranking, "roc_auc") == pytest.approx(theirs, **EXACT)


@samples
def test_best_informedness_is_the_highest_point_of_the_curve(data: Sample) -> None:
    false, true, _ = metrics.roc_curve(data.truth, data.scores, drop_intermediate=False, **data.weighting)
    assert ew.measure(data.ranking, "best_informedness") == pytest.approx(np.max(true - false), **EXACT)


@samples
def test_interpolated_precision_is_the_upper_envelope(data: Sample) -> None:
    precision, recall, _ = metrics.precision_recall_curve(data.truth, data.scores, **data.weighting)
    # Their last point, precision 1 at recall 0, is not a cut.
    precision, recall = precision[:-1], recall[:-1]
    for level in (0.0, 0.15, 0.33, 0.71, 0.97):
        theirs = precision[recall >= level].max()
        value = ew.measure(data.ranking, f"interpolated_precision(recall={level})")
        assert value == pytest.approx(theirs, **EXACT)


@samples
def test_every_point_of_the_precision_recall_curve(data: Sample) -> None:
    precision, recall, thresholds = metrics.precision_recall_curve(data.truth, data.scores, **data.weighting)
    ranking = data.ranking
    chosen = range(0, len(thresholds), max(1, len(thresholds) // 12))
    for index in chosen:
        table = ranking.at_threshold(thresholds[index])
        assert ew.measure(table, "precision") == pytest.approx(precision[index], **EXACT)
        assert ew.measure(table, "recall") == pytest.approx(recall[index], **EXACT)


@samples
def test_every_point_of_the_error_trade_off(data: Sample) -> None:
    false_alarms, misses, thresholds = metrics.det_curve(data.truth, data.scores, **data.weighting)
    ranking = data.ranking
    for index in range(0, len(thresholds), max(1, len(thresholds) // 12)):
        if np.isfinite(thresholds[index]):
            table = ranking.at_threshold(thresholds[index])
            assert ew.measure(table, "fallout") == pytest.approx(false_alarms[index], **EXACT)
            assert ew.measure(table, "miss_rate") == pytest.approx(misses[index], **EXACT)


@samples
def test_a_cut_is_the_confusion_matrix(data: Sample) -> None:
    for threshold in (0.2, 0.5, 2 / 3, 1.1):
        theirs = metrics.confusion_matrix(
            data.truth, data.scores >= threshold, labels=[0, 1], **data.weighting
        )
        assert data.ranking.at_threshold(threshold).counts == pytest.approx(theirs.T, **EXACT)


WHOLE = {name: data for name, data in SAMPLES.items() if data.weights is None}


@pytest.mark.parametrize("data", WHOLE.values(), ids=WHOLE)
@pytest.mark.parametrize("depth", [None, 1, 7, 40, 150, 400])
def test_gain_of_a_ranking(data: Sample, depth: int | None) -> None:
    """Theirs averages over ties too, unless told otherwise."""
    theirs = metrics.ndcg_score(data.truth[None], data.scores[None], k=depth)
    at = "" if depth is None else f"@{depth}"
    assert ew.measure(data.ranking, f"ndcg{at}") == pytest.approx(theirs, **EXACT)


@pytest.mark.parametrize("distinct", DISTINCT)
@pytest.mark.parametrize("depth", [None, 3, 10])
def test_gain_of_graded_lists(distinct: int, depth: int | None) -> None:
    rng = np.random.default_rng(distinct)
    grades = rng.integers(0, 4, (12, 25))
    grades[:, 0] = 1
    scores = rng.integers(0, distinct, (12, 25)) / 7
    lists = ew.RankedLists.from_scores(grades.ravel(), scores.ravel(), groups=np.repeat(np.arange(12), 25))
    at = "" if depth is None else f"@{depth}"
    assert ew.measure(lists, f"ndcg{at}") == pytest.approx(
        metrics.ndcg_score(grades, scores, k=depth), **EXACT
    )
    exponential = metrics.ndcg_score(2.0**grades - 1, scores, k=depth)
    assert ew.measure(lists, f"ndcg{at}(gain=exponential)") == pytest.approx(exponential, **EXACT)
    item = ew.measure_each(lists, f"ndcg{at}")
    for query in range(12):
        alone = metrics.ndcg_score(grades[query][None], scores[query][None], k=depth)
        assert item[query] == pytest.approx(alone, **EXACT)


@pytest.mark.parametrize("distinct", DISTINCT)
def test_many_lists_of_average_precision(distinct: int) -> None:
    """Their label-ranking measure averages over lists; it takes whole ties, as a threshold does."""
    rng = np.random.default_rng(distinct)
    truth = (rng.random((15, 20)) < 0.3).astype(np.int64)
    truth[:, 0] = 1
    scores = rng.integers(0, distinct, (15, 20)) / 3
    lists = ew.RankedLists.from_scores(truth.ravel(), scores.ravel(), groups=np.repeat(np.arange(15), 20))
    theirs = metrics.label_ranking_average_precision_score(truth, scores)
    assert ew.measure(lists, "average_precision(ties=threshold)") == pytest.approx(theirs, **EXACT)
    first = [metrics.average_precision_score(row, score) for row, score in zip(truth, scores, strict=True)]
    assert ew.measure(lists, "average_precision(ties=threshold)") == pytest.approx(np.mean(first), **EXACT)
    areas = [metrics.roc_auc_score(row, score) for row, score in zip(truth, scores, strict=True)]
    assert list(ew.measure_each(lists, "roc_auc").values()) == pytest.approx(areas, **EXACT)


@pytest.mark.parametrize("depth", [1, 3, 8])
def test_success_is_top_k_accuracy(depth: int) -> None:
    rng = np.random.default_rng(depth)
    truth, scores = rng.integers(0, 10, 40), rng.random((40, 10))
    flags = np.arange(10) == truth[:, None]
    lists = ew.RankedLists.from_scores(flags.ravel(), scores.ravel(), groups=np.repeat(np.arange(40), 10))
    theirs = metrics.top_k_accuracy_score(truth, scores, k=depth, labels=range(10))
    assert ew.measure(lists, f"success@{depth}") == pytest.approx(theirs, **EXACT)
