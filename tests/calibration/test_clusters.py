"""Seeded: intervals cover with clusters and rare classes, or carry a caveat (bench/clusters.py has more)."""

from __future__ import annotations

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.decisions.cost_report import constant_p_value
from edgeworth.decisions.payoffs_and_costs import costs

RUNS = 400
# With 400 runs a share of 95% has a standard error of 1.1 points; 0.915 is 3.2 of them below.
LOW = 0.915


def drawn(rng: np.random.Generator, clusters: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    sizes = np.maximum(2, np.round(rng.gamma(4, 15 / 4, clusters))).astype(int)
    cluster = np.repeat(np.arange(clusters), sizes)
    truth = rng.random(len(cluster)) < rng.beta(3, 7, clusters)[cluster]
    return truth, rng.normal(size=len(cluster)) + 1.2 * truth + rng.normal(size=clusters)[cluster], cluster


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["roc_auc", "average_precision", "brier"])
def test_clustered_intervals_cover_with_20_clusters(measure: str) -> None:
    def forecast(scores: np.ndarray) -> np.ndarray:
        return 1 / (1 + np.exp(1.3 - 0.8 * scores))

    truth, scores, _ = drawn(np.random.default_rng(9), 40_000)
    expected = float(((truth - forecast(scores)) ** 2).mean())
    if measure != "brier":
        expected = ew.measure(ew.Ranking.from_scores(truth, scores), measure)
    rng, covered, plain = np.random.default_rng(1), 0, 0
    for _ in range(RUNS):
        truth, scores, cluster = drawn(rng, 20)
        rows = {"truth": truth * 1, "probabilities": forecast(scores), "against": np.full(len(truth), 0.3)}
        tallies = (
            [ew.tally(**rows, cluster=cluster).final, ew.tally(**rows).final]
            if measure == "brier"
            else [ew.Ranking.from_scores(truth, scores, clusters=of) for of in (cluster, None)]
        )
        results = [expected in ew.estimate(tally, measure).interval() for tally in tallies]
        covered, plain = covered + results[0], plain + results[1]
    assert covered / RUNS >= LOW
    assert plain / RUNS <= 0.88


@pytest.mark.slow
def test_accuracy_covers_or_carries_a_caveat_when_large_clusters_are_harder() -> None:
    def sizes_and_hits(rng: np.random.Generator, clusters: int) -> tuple[np.ndarray, np.ndarray]:
        sizes = np.maximum(1, np.round(np.exp(rng.normal(2.3, 1, clusters)))).astype(int)
        return sizes, rng.binomial(sizes, 1 / (1 + np.exp(-(2.2 - 0.6 * (np.log(sizes) - 2)))))

    sizes, hits = sizes_and_hits(np.random.default_rng(0), 200_000)
    expected, rng = hits.sum() / sizes.sum(), np.random.default_rng(2)
    silent = []
    for _ in range(RUNS):
        sizes, hits = sizes_and_hits(rng, 80)
        right = np.concatenate([np.arange(size) < hit for size, hit in zip(sizes, hits, strict=True)])
        cluster = np.repeat(np.arange(80), sizes)
        estimate = ew.estimate(
            ew.ContingencyTable.from_labels(np.ones(len(right)), right * 1, clusters=cluster), "accuracy"
        )
        silent += [] if estimate.caveat is not None else [expected in estimate.interval()]
    # Few samples are left without a caveat, so that hardly any sample misleads.
    assert len(silent) - sum(silent) <= 0.03 * RUNS


def test_sizes_that_mean_nothing_seldom_cause_a_caveat() -> None:
    rng, caveats = np.random.default_rng(3), 0
    for _ in range(RUNS):
        sizes = 1 + rng.poisson(9, 60)
        hits = rng.binomial(sizes, rng.beta(4, 1.5, 60))
        right = np.concatenate([np.arange(size) < hit for size, hit in zip(sizes, hits, strict=True)])
        table = ew.ContingencyTable.from_labels(
            np.ones(len(right)), right * 1, clusters=np.repeat(np.arange(60), sizes)
        )
        caveats += ew.estimate(table, "accuracy").caveat is not None
    # The level of the criterion is about 5%; 400 runs have an error of 1.1 points.
    assert caveats / RUNS <= 0.09


@pytest.mark.parametrize("measure", ["mcc", "kappa", "macro_f"])
def test_a_rare_class_of_two_is_covered(measure: str) -> None:
    shares = np.array([[0.98307, 0.007], [0.00693, 0.003]])  # 1% targets, recall 0.3, fallout 0.7%
    expected = ew.measure(ew.ContingencyTable.from_matrix(shares, rows="predicted"), measure)
    drawn_tables = np.random.default_rng(4).multinomial(300, shares.ravel(), size=RUNS)
    covered = defined = 0
    for cells, count in zip(*np.unique(drawn_tables, axis=0, return_counts=True), strict=True):
        estimate = ew.estimate(
            ew.ContingencyTable.from_matrix(cells.reshape(2, 2), rows="predicted"), measure
        )
        if estimate.law is not None:
            covered, defined = covered + int(count) * (expected in estimate.interval()), defined + int(count)
    assert covered / defined >= LOW


def test_a_rare_class_of_three_is_covered_or_has_a_caveat() -> None:
    """Macro F weighs a class of 2% as much as the others; informedness does not need the caveat."""
    recalls = np.array([[0.9, 0.14, 0.25], [0.09, 0.85, 0.25], [0.01, 0.01, 0.5]])
    shares = recalls * [0.6, 0.38, 0.02]
    exact = ew.ContingencyTable.from_matrix(shares, rows="predicted")
    expected, runs, silent = ew.measure(exact, "macro_f"), 150, []
    for cells in np.random.default_rng(12).multinomial(250, shares.ravel(), size=runs):
        table = ew.ContingencyTable.from_matrix(cells.reshape(3, 3), rows="predicted")
        estimate = ew.estimate(table, "macro_f")
        rarest = int(cells.reshape(3, 3).sum(axis=0)[2])
        if 0 < rarest < 10:
            cases = "1 case" if rarest == 1 else f"{rarest} cases"
            assert estimate.caveat == f"class 2 has {cases}, so the interval may be too narrow"
        else:
            silent.append(expected in estimate.interval())
        assert ew.estimate(table, "informedness").caveat is None
    assert len(silent) <= 0.1 * runs


def test_an_interval_of_few_targets_is_not_a_point() -> None:
    table = ew.ContingencyTable.from_matrix([[296, 2], [2, 0]], rows="predicted")
    low, high = ew.estimate(table, "mcc").interval()
    assert low < -0.005 < 0.1 < high


@pytest.mark.parametrize("depth", [40, 100])
def test_bands_of_precision_cover_while_the_number_of_targets_varies(depth: int) -> None:
    rng = np.random.default_rng(5)
    # The precision of the best fifth, or half, of a large population.
    truth = rng.random(2_000_000) < 0.1
    best = np.argpartition(-(rng.normal(size=len(truth)) + 1.5 * truth), depth * 10_000)[: depth * 10_000]
    expected = truth[best].mean()
    covered = 0
    for _ in range(RUNS):
        truth = rng.random(200) < 0.1
        band = ew.rankings.bands(
            ew.Ranking.from_scores(truth, rng.normal(size=200) + 1.5 * truth), depths=[depth]
        )
        covered += band.precision_low[0] <= expected <= band.precision_high[0]
    assert covered / RUNS >= LOW


def test_a_constant_is_seldom_called_cheaper_than_a_guesser() -> None:
    rng, named = np.random.default_rng(6), 0
    for _ in range(200):
        cells = rng.multinomial(300, np.full(36, 1 / 36)).reshape(6, 6)
        table = ew.ContingencyTable.from_matrix(cells, rows="predicted")
        named += constant_p_value(table, costs(table, 1 - np.eye(6), rows="predicted")) <= 0.05
    # Two-sided tests, so some of these are dearer; 200 runs have an error of 1.5 points at 5%.
    assert named / 200 <= 0.09
