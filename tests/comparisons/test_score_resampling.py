"""Replicates that sort once, against sorting anew; swapped systems, against all swaps."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score, roc_auc_score

from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.comparisons.scores.differences import score_difference, shared_permutations
from edgeworth.comparisons.scores.influence import resolve_measure
from edgeworth.comparisons.scores.resampling import SwappedRanks, bootstrap_differences
from edgeworth.comparisons.scores.sampling_distributions import CalibratedLaw
from edgeworth.core.sampling_distributions import BootstrapLaw
from edgeworth.errors import OptionError
from edgeworth.methods import Bootstrap

OF_SCIKIT_LEARN: dict[str, Any] = {
    "roc_auc": roc_auc_score,
    "average_precision(ties=threshold)": average_precision_score,
}


def sample(size: int, seed: int, levels: int, **more: Any) -> PairedScores:
    """Scores with ties, in so many levels."""
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < 0.3
    scores = {
        name: np.round(levels * (rng.normal(size=size) + strength * truth))
        for name, strength in (("a", 1.5), ("b", 1.0))
    }
    return PairedScores.from_scores(truth, scores, **more)


@pytest.mark.parametrize("spelling", OF_SCIKIT_LEARN)
@pytest.mark.parametrize("levels", [1, 5, 1000])
def test_replicates_are_the_same_as_sorting_the_drawn_cases(spelling: str, levels: int) -> None:
    paired = sample(80, seed=1, levels=levels)
    draws = bootstrap_differences(paired, "a", "b", resolve_measure(paired, spelling)[0], 12, seed=4)
    # The same cases, drawn in the same order: targets and then background of each replicate.
    generator = np.random.default_rng(4)
    classes = [np.flatnonzero(paired.targets), np.flatnonzero(~paired.targets)]
    score = OF_SCIKIT_LEARN[spelling]
    for draw in draws:
        rows = np.concatenate([part[generator.integers(0, len(part), size=len(part))] for part in classes])
        truth = paired.targets[rows]
        expected = score(truth, paired.row("a")[rows]) - score(truth, paired.row("b")[rows])
        assert draw == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_clusters_are_drawn_whole(weighted: bool) -> None:
    clusters = np.random.default_rng(2).integers(0, 25, size=120)
    counts = np.random.default_rng(3).integers(1, 4, size=120) if weighted else np.ones(120, dtype=np.int64)
    paired = sample(120, seed=2, levels=3, clusters=clusters, weights=counts if weighted else None)
    draws = bootstrap_differences(paired, "a", "b", resolve_measure(paired, "roc_auc")[0], 20, seed=5)
    generator = np.random.default_rng(5)
    names = np.unique(clusters)
    for draw in draws:
        chosen = names[generator.integers(0, len(names), size=len(names))]
        rows = np.concatenate([np.flatnonzero(clusters == name) for name in chosen])
        rows = np.repeat(rows, counts[rows])
        truth = paired.targets[rows]
        areas = [roc_auc_score(truth, paired.row(name)[rows]) for name in ("a", "b")]
        assert draw == pytest.approx(areas[0] - areas[1], abs=1e-12)


def test_counts_are_drawn_as_cases() -> None:
    counts = np.random.default_rng(6).integers(1, 5, size=60)
    paired = sample(60, seed=3, levels=2, weights=counts)
    draws = bootstrap_differences(paired, "a", "b", resolve_measure(paired, "roc_auc")[0], 20, seed=6)
    generator = np.random.default_rng(6)
    for draw in draws:
        times = np.zeros(60, dtype=np.int64)
        for part in (paired.targets, ~paired.targets):
            times[part] = generator.multinomial(counts[part].sum(), counts[part] / counts[part].sum())
        rows = np.repeat(np.arange(60), times)
        areas = [roc_auc_score(paired.targets[rows], paired.row(name)[rows]) for name in ("a", "b")]
        assert draw == pytest.approx(areas[0] - areas[1], abs=1e-12)


@pytest.mark.parametrize("spelling", ["roc_auc", "average_precision"])
def test_the_bootstrap_and_the_effects_agree(spelling: str) -> None:
    paired = sample(1500, seed=7, levels=1000)
    drawn = score_difference(paired, "a", "b", spelling, method=Bootstrap(draws=1000, rng=1))
    known = score_difference(paired, "a", "b", spelling)
    assert list(drawn.tests) == ["bootstrap", "permutation"]
    assert drawn.standard_error == pytest.approx(known.standard_error, rel=0.1)
    assert tuple(drawn.interval()) == pytest.approx(tuple(known.interval()), abs=known.standard_error / 3)
    again = score_difference(paired, "a", "b", spelling, method=Bootstrap(draws=1000, rng=1))
    assert again.to_dict() == drawn.to_dict()


def test_many_chunks_are_as_good_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    paired = sample(100, seed=8, levels=1000)
    resolved = resolve_measure(paired, "average_precision")[0]
    whole = bootstrap_differences(paired, "a", "b", resolved, 50, seed=1)
    swapped = SwappedRanks.of(paired, "a", "b", resolved, 100, seed=1)
    monkeypatch.setattr("edgeworth.comparisons.scores.resampling.MAX_PLACES_AT_ONCE", 700)
    assert np.array_equal(bootstrap_differences(paired, "a", "b", resolved, 50, seed=1), whole)
    again = SwappedRanks.of(paired, "a", "b", resolved, 100, seed=1)
    assert again.differences == pytest.approx(swapped.differences, abs=1e-14)
    assert again.distances == pytest.approx(swapped.distances, abs=1e-5)
    assert again.tail == swapped.tail


# -- swapping the systems ---------------------------------------------------------------------------------


def every_swap(paired: PairedScores, units: list[list[int]], score: Any) -> Fraction:
    """The share of all swaps with a difference at least as large, ranks swapped and ranked anew."""
    one, two = rankdata(paired.row("a")), rankdata(paired.row("b"))

    def difference(left: Any, right: Any) -> float:
        return float(abs(score(paired.targets, left) - score(paired.targets, right)))

    observed = difference(one, two)
    count = 0
    for swap in itertools.product([False, True], repeat=len(units)):
        rows = np.zeros(len(paired), dtype=bool)
        for swapped, cases in zip(swap, units, strict=True):
            rows[cases] = swapped
        count += difference(np.where(rows, two, one), np.where(rows, one, two)) >= observed - 1e-12
    return Fraction(count, 2 ** len(units))


@pytest.mark.slow
@pytest.mark.parametrize("spelling", OF_SCIKIT_LEARN)
@pytest.mark.parametrize("seed", [1, 2])
def test_swapped_cases_against_all_swaps(spelling: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    truth = np.arange(8) < 4
    scores = {"a": rng.permutation(8) + 3 * truth, "b": rng.integers(0, 5, 8)}
    paired = PairedScores.from_scores(truth, scores)
    exact = every_swap(paired, [[case] for case in range(8)], OF_SCIKIT_LEARN[spelling])
    tail = SwappedRanks.of(paired, "a", "b", resolve_measure(paired, spelling)[0], 4000, seed=seed).tail
    assert tail.low <= float(exact) <= tail.high  # a 99% interval, and these seeds are inside
    assert tail.kind == "drawn"
    assert tail.p_value >= 1 / 4001


def test_swapped_clusters_against_all_swaps() -> None:
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(7), 3)
    truth = rng.random(21) < 0.5
    scores = {"a": rng.normal(size=21) + truth, "b": rng.normal(size=21)}
    paired = PairedScores.from_scores(truth, scores, clusters=clusters)
    units = [np.flatnonzero(clusters == cluster).tolist() for cluster in range(7)]
    exact = every_swap(paired, units, roc_auc_score)
    tail = SwappedRanks.of(paired, "a", "b", resolve_measure(paired, "roc_auc")[0], 4000, seed=1).tail
    assert tail.low <= float(exact) <= tail.high
    assert "clusters" in tail.method


@pytest.mark.parametrize(
    ("spelling", "law", "message"),
    [("precision@30", BootstrapLaw, "bootstrap"), ("roc_auc", CalibratedLaw, "influence")],
)
def test_an_interval_says_how_it_was_found(spelling: str, law: type, message: str) -> None:
    difference = score_difference(sample(100, seed=1, levels=9), "a", "b", spelling)
    assert isinstance(difference.law, law)
    assert difference.interval_method.startswith(message)


def test_how_many_permutations_are_made() -> None:
    short, weighted = sample(100, seed=1, levels=9), sample(100, seed=1, levels=9, weights=np.ones(100))
    assert "999 swaps" in score_difference(short, "a", "b", "roc_auc").tests["permutation"].method
    assert (
        "150 swaps"
        in score_difference(short, "a", "b", "roc_auc", permutations=150).tests["permutation"].method
    )
    both = ["influence", "delong"]
    assert list(score_difference(short, "a", "b", "roc_auc", permutations=0).tests) == both
    assert list(score_difference(weighted, "a", "b", "roc_auc").tests) == both
    counted = score_difference(sample(100, seed=1, levels=9, weights=np.ones(100, int)), "a", "b", "roc_auc")
    assert counted.to_dict() == score_difference(short, "a", "b", "roc_auc").to_dict()
    assert shared_permutations(short, 3) == 999
    assert shared_permutations(short, 50) == 399
    assert shared_permutations(short, 190) == 99
    assert shared_permutations(short, 210) == 0
    longer = score_difference(sample(3000, seed=1, levels=9), "a", "b", "roc_auc")
    assert "599 swaps" in longer.tests["influence"].method
    long = sample(30_000, seed=1, levels=1000)
    assert shared_permutations(long, 3) == 0
    assert list(score_difference(long, "a", "b", "average_precision").tests) == ["influence"]


def test_what_cannot_be_drawn() -> None:
    one_cluster = sample(50, seed=1, levels=3, clusters=["x"] * 50)
    with pytest.raises(OptionError, match="one cluster"):
        score_difference(one_cluster, "a", "b", "roc_auc", method=Bootstrap())
    # All targets are in one of 20 clusters, so that a third of the replicates have none.
    truth = np.repeat([True, False], [5, 95])
    rng = np.random.default_rng(1)
    scores = {"a": rng.normal(size=100), "b": rng.normal(size=100)}
    lonely = PairedScores.from_scores(truth, scores, clusters=np.repeat(np.arange(20), 5))
    with pytest.raises(OptionError, match="undefined in"):
        score_difference(lonely, "a", "b", "roc_auc", method=Bootstrap(draws=100))
