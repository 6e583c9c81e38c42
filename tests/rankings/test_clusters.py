"""Rankings whose rows come in clusters: against leaving clusters out by hand, files, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.errors import EdgeworthError, OptionError
from edgeworth.methods import Bootstrap


def drawn(seed: int, clusters: int = 30, decimals: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(clusters), 2 + rng.poisson(6, clusters))
    truth = (rng.random(len(cluster)) < 0.35).astype(int)
    scores = rng.normal(size=len(cluster)) + truth + rng.normal(0, 0.7, clusters)[cluster]
    return truth, np.round(scores, decimals), cluster


def jackknife_error(truth: np.ndarray, scores: np.ndarray, cluster: np.ndarray, spelling: str) -> float:
    """Tukey's error from leaving out one cluster after the other."""
    names = np.unique(cluster)
    left = [
        ew.measure(ew.Ranking.from_scores(truth[cluster != x], scores[cluster != x]), spelling) for x in names
    ]
    return float(np.sqrt((len(names) - 1) * np.var(left)))


@pytest.mark.parametrize("spelling", ["roc_auc", "average_precision"])
@pytest.mark.parametrize("seed", range(4))
def test_the_error_is_that_of_the_jackknife_over_clusters(spelling: str, seed: int) -> None:
    truth, scores, cluster = drawn(seed)
    estimate = ew.estimate(ew.Ranking.from_scores(truth, scores, clusters=cluster), spelling)
    # To first order only: leaving out a cluster of a thirtieth also moves the others' effects.
    assert estimate.standard_error == pytest.approx(
        jackknife_error(truth, scores, cluster, spelling), rel=0.08
    )


@pytest.mark.parametrize("spelling", ["roc_auc", "average_precision"])
def test_clusters_of_one_case_change_nothing(spelling: str) -> None:
    truth, scores, _ = drawn(5)
    alone = ew.Ranking.from_scores(truth, scores, clusters=np.arange(len(truth)))
    plain = ew.estimate(ew.Ranking.from_scores(truth, scores), spelling)
    estimate = ew.estimate(alone, spelling)
    assert estimate.value == plain.value
    assert estimate.standard_error == pytest.approx(plain.standard_error)


def test_copies_of_a_row_in_one_cluster_are_one_row() -> None:
    truth, scores, _ = drawn(6, decimals=6)
    once = ew.estimate(ew.Ranking.from_scores(truth, scores), "roc_auc")
    rows = np.repeat(np.arange(len(truth)), 5)
    copied = ew.Ranking.from_scores(truth[rows], scores[rows], clusters=rows)
    # The jackknife over clusters divides by (m − 1)² where DeLong's variance has m(m − 1), m about 70.
    assert ew.estimate(copied, "roc_auc").standard_error == pytest.approx(once.standard_error, rel=0.01)
    as_rows = ew.estimate(ew.Ranking.from_scores(truth[rows], scores[rows]), "roc_auc")
    assert as_rows.standard_error < 0.5 * once.standard_error


@pytest.mark.parametrize("depth", [10, 37, 90])
def test_a_cut_has_the_clusters_of_its_table(depth: int) -> None:
    truth, scores, cluster = drawn(7, decimals=6)
    ranking = ew.Ranking.from_scores(truth, scores, clusters=cluster)
    predicted = np.zeros(len(truth), dtype=int)
    predicted[np.argsort(-scores)[:depth]] = 1
    by_hand = ew.ContingencyTable.from_labels(truth, predicted, clusters=cluster)
    for measure in ("precision[1]", "recall[1]", "informedness"):
        bounds = ew.estimate(ranking.at_depth(depth), measure).interval()
        assert bounds == pytest.approx(ew.estimate(by_hand, measure).interval())


def test_ties_at_a_cut_are_shared_among_clusters() -> None:
    truth, scores, cluster = drawn(8, decimals=0)
    table = ew.Ranking.from_scores(truth, scores, clusters=cluster).at_depth(50)
    assert table.clusters is not None
    _, cells, weights = table.clusters.cells(table.labels)
    assert np.bincount(cells, weights=weights, minlength=6).reshape(3, 2) == pytest.approx(table.cells)


def test_whole_clusters_are_resampled() -> None:
    truth, scores, cluster = drawn(9)
    ranking = ew.Ranking.from_scores(truth, scores, clusters=cluster)
    estimate = ew.estimate(ranking, "roc_auc", method=Bootstrap(draws=4000))
    assert estimate.standard_error == pytest.approx(ew.estimate(ranking, "roc_auc").standard_error, rel=0.12)


def test_files_tallies_and_arrays_agree(tmp_path: Path) -> None:
    truth, scores, cluster = drawn(10)
    for name, rows in (("all", slice(None)), ("one", slice(0, 90)), ("two", slice(90, None))):
        lines = [f"{y},{s},p{c}" for y, s, c in zip(truth[rows], scores[rows], cluster[rows], strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["y,s,patient", *lines]) + "\n", encoding="utf-8")
    options = {"truth": "y", "score": "s", "cluster": "patient"}
    whole = ew.evaluate(tmp_path / "all.csv", **options)
    parts = [ew.tally(tmp_path / f"{name}.csv", **options) for name in ("one", "two")]
    merged = ew.evaluate(parts[0] + parts[1])
    arrays = ew.estimate(ew.Ranking.from_scores(truth, scores, clusters=cluster), "roc_auc").to_dict()
    results = [json.loads(report.to_json())["estimates"]["roc_auc"] for report in (whole, merged)]
    assert results[0] == results[1]
    assert (results[0]["low"], results[0]["high"]) == pytest.approx((arrays["low"], arrays["high"]))
    parts[0].write(tmp_path / "one.json")
    again = ew.read_tally(tmp_path / "one.json") + parts[1]
    assert again.final == merged_ranking(parts)


def merged_ranking(parts: list[ew.TallyRecord]) -> ew.Ranking:
    ranking: ew.Ranking = (parts[0] + parts[1]).final
    return ranking


def test_a_missing_cluster_is_an_error_or_a_dropped_row() -> None:
    truth, scores, cluster = [0, 1, 0, 1], [0.1, 0.4, 0.2, 0.3], ["a", None, "b", "a"]
    with pytest.raises(EdgeworthError, match="cluster is missing"):
        ew.Ranking.from_scores(truth, scores, clusters=cluster)
    kept = ew.Ranking.from_scores(truth, scores, clusters=cluster, missing="drop")
    assert (kept.total, kept.dropped) == (3, 1)


def test_what_clusters_do_not_support_says_so() -> None:
    truth, scores, cluster = drawn(11)
    ranking = ew.Ranking.from_scores(truth, scores, clusters=cluster)
    with pytest.raises(OptionError, match="not supported with clusters"):
        ew.rankings.bands(ranking)
    with pytest.raises(EdgeworthError, match="has clusters, the other has none"):
        _ = ranking + ew.Ranking.from_scores(truth, scores)
    one = ew.Ranking.from_scores(truth, scores, clusters=np.zeros(len(truth)))
    assert "one cluster" in str(ew.estimate(one, "roc_auc").no_interval)


def test_few_or_unequal_clusters_are_a_caveat_beside_the_interval() -> None:
    few = ew.Ranking.from_scores(*drawn(12, clusters=20)[:2], clusters=drawn(12, clusters=20)[2])
    estimate = ew.estimate(few, "roc_auc")
    assert "effective clusters" in str(estimate.caveat)
    assert str(estimate.caveat) in str(estimate)
    assert estimate.to_dict()["caveat"] == estimate.caveat
    many = ew.Ranking.from_scores(*drawn(13, clusters=60)[:2], clusters=drawn(13, clusters=60)[2])
    assert ew.estimate(many, "roc_auc").caveat is None


def test_chance_at_a_depth_counts_clusters_of_equal_items_once() -> None:
    """Of 20 clusters of ten equal items two are targets: a random one is a target with probability 2/20."""
    truth, clusters = np.repeat([1, 0], [20, 180]), np.arange(200) // 10
    scores = np.repeat(np.linspace(1, 0, 20), 10)
    report = ew.evaluate(truth=truth, score=scores, cluster=clusters, positive=1)
    ranking = ew.Ranking.from_scores(truth, scores, clusters=clusters)
    for depth, probability in ((10, 2 / 20), (20, 1 / 190)):
        test = ew.estimate(ranking, f"precision@{depth}").test_against_chance("greater")
        assert test is not None
        assert test.p_value == pytest.approx(probability)
    assert "With clusters it is approximate" in " ".join(str(report).split())
