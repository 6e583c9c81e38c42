"""Differences of rankings against published figures, placements counted one by one, and leaving cases out."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

import edgeworth as ew
from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.comparisons.scores.differences import score_difference
from edgeworth.comparisons.scores.sampling_distributions import ScoreDifferenceLaw
from edgeworth.errors import InputError, OptionError
from edgeworth.methods import Bootstrap
from edgeworth.rankings.intervals.methods import Influence, Survival

Floats = NDArray[np.float64]

# -- published ------------------------------------------------------------------------------------------

# 113 patients with a subarachnoid haemorrhage (Turck et al. 2010, Intensive Care Medicine 36:107; the data
# aSAH of the R package pROC): 41 with a poor outcome, then 72 with a good one. The WFNS grade less 1, and of
# two concentrations the places of the patients' values, as far as patients of the other outcome tell them
# apart: worked out from the placements in pROC's tests/testthat/helper-deLongPlacementsCpp-expected.R.
WFNS = """
2 1 3 4 4 4 4 1 4 1 0 1 4 3 3 1 4 4 4 1 4 1 4 1 3 4 3 3 0 3 3 1 1 4 4 1 1 4 4 4 4
0 0 0 0 4 0 1 1 0 1 1 0 0 0 1 0 1 0 0 2 3 0 3 0 4 4 0 0 1 3 0 0 1 1 0 1
0 1 1 0 0 0 0 1 0 1 0 0 2 1 3 1 0 3 0 0 4 3 1 1 0 0 0 2 0 1 1 3 3 0 0 0
"""
S100B = """
8 5 11 7 25 30 28 2 19 4 2 23 21 27 30 15 30 30 30 2 30
17 0 4 13 30 15 30 3 15 8 5 6 13 30 9 30 18 30 30 25
8 9 5 1 26 12 5 5 1 3 1 4 6 2 12 2 6 8 12 1 11 9 20 4 29 26 11 2 24 26 6 3 4 3 1 8
5 9 10 1 1 4 1 4 3 11 4 3 19 6 16 2 5 18 2 1 14 22 5 10 3 9 5 2 1 12 10 26 12 10 29 27
"""
NDKA = """
37 24 28 35 3 9 18 43 47 43 43 14 32 39 5 7 30 1 51 39 16
18 22 30 41 26 39 7 49 34 3 12 39 3 11 43 20 32 45 18 35
0 8 6 17 4 34 4 38 29 38 36 46 10 4 23 4 4 50 25 13 13 38 2 6 4 12 27 6 33 44 6 4 23 10 6 27
42 40 15 21 48 4 36 13 17 17 33 2 36 23 10 17 38 17 21 6 13 17 42 8 23 26 44 19 23 10 42 15 31 40 4 29
"""
AREAS = {"wfns": 0.823678861788618, "s100b": 0.731368563685637, "ndka": 0.611957994579946}


def asah() -> PairedScores:
    texts = {"wfns": WFNS, "s100b": S100B, "ndka": NDKA}
    return PairedScores.from_scores(
        [1] * 41 + [0] * 72, {name: np.array(text.split(), dtype=float) for name, text in texts.items()}
    )


# Statistic, p-value and 95% interval of roc.test in pROC's tests/testthat/test-roc.test.R.
@pytest.mark.parametrize(
    ("first", "second", "statistic", "p_value", "interval"),
    [
        ("wfns", "s100b", 2.20898359144091, 0.0271757822291882, (0.0104061769564846, 0.174214419249478)),
        ("wfns", "ndka", 2.79777591868904, 0.00514557970691098, (0.0634011709339876, 0.3600405634833566)),
        ("ndka", "s100b", -1.39077002573558, 0.164295175223054, (-0.2876917446341914, 0.0488706064228094)),
    ],
)
def test_delong_as_published(
    first: str, second: str, statistic: float, p_value: float, interval: tuple[float, float]
) -> None:
    difference = score_difference(asah(), first, second, "roc_auc", permutations=0)
    assert difference.values == pytest.approx((AREAS[first], AREAS[second]), rel=1e-13)
    assert difference.difference / difference.standard_error == pytest.approx(statistic, rel=1e-12)
    assert difference.p_value("delong") == pytest.approx(p_value, rel=1e-11)
    half = (interval[1] - interval[0]) / 2
    assert difference.standard_error == pytest.approx(half / stats.norm.isf(0.025), rel=1e-12)
    # Ours is Student's, with the same middle, where no swaps set it right.
    low, high = difference.interval(0.95)
    assert (low + high) / 2 == pytest.approx((interval[0] + interval[1]) / 2, rel=1e-10)
    assert isinstance(difference.law, ScoreDifferenceLaw)
    wider = stats.t.isf(0.025, difference.law.freedom) / stats.norm.isf(0.025)
    assert (high - low) / 2 == pytest.approx(half * wider, rel=1e-10)
    # The test to go by is that of the interval.
    assert difference.p_value() == pytest.approx(
        2 * stats.t.sf(abs(statistic), difference.law.freedom), rel=1e-9
    )
    assert min(abs(bound) for bound in difference.interval(1 - difference.p_value())) < 1e-9
    assert difference.probability_better == pytest.approx(
        stats.t.cdf(statistic, difference.law.freedom), rel=1e-9
    )


# -- counted one by one ----------------------------------------------------------------------------------

CASES = st.lists(
    st.tuples(st.booleans(), st.integers(0, 6), st.integers(0, 6), st.integers(0, 4), st.integers(1, 3)),
    min_size=6,
    max_size=18,
).filter(lambda rows: 2 <= sum(row[0] for row in rows) <= len(rows) - 2)


def columns(rows: list[Any]) -> tuple[NDArray[np.bool_], Floats, Floats, NDArray[Any], NDArray[Any]]:
    truth, one, two, clusters, counts = (np.array(column) for column in zip(*rows, strict=True))
    return truth, one.astype(float), two.astype(float), clusters, counts


def wins(truth: NDArray[np.bool_], scores: Floats) -> Floats:
    """Each target against each background case: 1, ½ or 0."""
    pairs = np.subtract.outer(scores[truth], scores[~truth])
    return np.asarray((pairs > 0) + (pairs == 0) / 2)


def placement_effects(truth: NDArray[np.bool_], one: Floats, two: Floats) -> Floats:
    """What each case adds to the difference of areas, from all pairs."""
    difference = wins(truth, one) - wins(truth, two)
    many, rest = difference.shape
    effects = np.zeros(len(truth))
    effects[truth] = (difference.mean(axis=1) - difference.mean()) / math.sqrt(many * (many - 1))
    effects[~truth] = (difference.mean(axis=0) - difference.mean()) / math.sqrt(rest * (rest - 1))
    return effects


@settings(max_examples=30)
@given(rows=CASES)
def test_the_area_has_the_covariance_of_delong(rows: list[Any]) -> None:
    truth, one, two, _, _ = columns(rows)
    difference = score_difference(
        PairedScores.from_scores(truth, {"one": one, "two": two}), "one", "two", "roc_auc", permutations=0
    )
    assert difference.difference == pytest.approx(
        wins(truth, one).mean() - wins(truth, two).mean(), abs=1e-14
    )
    if difference.law is not None:
        # V10 and V01, their covariances over m and n: DeLong, DeLong & Clarke-Pearson's own arrangement.
        both = [wins(truth, scores) for scores in (one, two)]
        parts = [
            np.cov([table.mean(axis=axis) for table in both]) / both[0].shape[1 - axis] for axis in (1, 0)
        ]
        contrast = np.array([1.0, -1.0])
        assert difference.standard_error**2 == pytest.approx(
            contrast @ (parts[0] + parts[1]) @ contrast, rel=1e-9, abs=1e-20
        )


@settings(max_examples=30)
@given(rows=CASES)
def test_clusters_are_summed_before_they_are_squared(rows: list[Any]) -> None:
    truth, one, two, clusters, _ = columns(rows)
    effects = placement_effects(truth, one, two)
    paired = PairedScores.from_scores(truth, {"one": one, "two": two}, clusters=clusters)
    difference = score_difference(paired, "one", "two", "roc_auc", permutations=0)
    names = set(clusters.tolist())
    if difference.law is None or difference.standard_error == 0:
        return
    # Leaving out a cluster with a share h of a class moves that class's part by 1/(1 − h) times its effects.
    sums = []
    for name in names:
        parts = []
        for label in (True, False):
            mine = [k for k in np.flatnonzero(truth == label) if clusters[k] == name]
            cases = int((truth == label).sum())
            factor = (1 - 1 / cases) / (1 - len(mine) / cases)
            parts.append(factor * math.fsum(effects[k] for k in mine))
        sums.append(math.fsum(parts))
    expected = math.fsum(value**2 for value in sums)
    assert difference.standard_error**2 == pytest.approx(expected, rel=1e-9, abs=1e-20)
    assert difference.cases == len(names)


@pytest.mark.parametrize("spelling", ["roc_auc", "average_precision"])
def test_clusters_of_unequal_size_are_left_out_in_turn(spelling: str) -> None:
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(40), [*[6] * 38, 50, 90])
    truth = rng.random(len(clusters)) < 0.4
    scores = [truth + rng.normal(size=len(clusters)) + rng.normal(size=40)[clusters] / 2 for _ in "ab"]
    paired = PairedScores.from_scores(truth, {"a": scores[0], "b": scores[1]}, clusters=clusters)
    difference = score_difference(paired, "a", "b", spelling, permutations=0)
    without = []
    for cluster in range(40):
        kept = clusters != cluster
        one, two = (
            ew.measure(ew.Ranking.from_scores(truth[kept], score[kept]), spelling) for score in scores
        )
        without.append(one - two)
    error = math.sqrt(39 / 40 * np.sum((np.array(without) - np.mean(without)) ** 2))
    assert difference.standard_error == pytest.approx(error, rel=0.05)
    assert isinstance(difference.law, ScoreDifferenceLaw)
    assert 4 <= difference.law.freedom < 12  # 40 clusters, most cases in two of them


def test_one_cluster_with_most_cases_names_no_winner() -> None:
    clusters = np.repeat(np.arange(30), [*[2] * 29, 200])
    paired = drawn(258, seed=6, clusters=clusters)
    difference = score_difference(paired, "a", "b", "roc_auc")
    assert difference.law is None
    assert not difference.tests
    assert "degrees of freedom" in str(difference.no_interval)
    assert difference.caveat == difference.no_interval


def jackknife(truth: NDArray[np.bool_], one: Floats, two: Floats, spelling: str) -> float:
    """Tukey's variance: (n − 1)/n Σ (D without case i − mean of these)²."""

    def difference(kept: NDArray[np.bool_]) -> float:
        values = [
            ew.measure(ew.Ranking.from_scores(truth[kept], scores[kept]), spelling) for scores in (one, two)
        ]
        return values[0] - values[1]

    without = np.array([difference(np.arange(len(truth)) != case) for case in range(len(truth))])
    return float((len(truth) - 1) / len(truth) * ((without - without.mean()) ** 2).sum())


@pytest.mark.parametrize("spelling", ["average_precision", "average_precision(ties=threshold)"])
@settings(max_examples=30)
@given(rows=CASES)
def test_average_precision_is_the_jackknife(spelling: str, rows: list[Any]) -> None:
    truth, one, two, _, _ = columns(rows)
    paired = PairedScores.from_scores(truth, {"one": one, "two": two})
    difference = score_difference(paired, "one", "two", spelling, permutations=0)
    assert difference.measure == spelling
    if difference.law is not None:
        expected = jackknife(truth, one, two, spelling)
        assert difference.standard_error**2 == pytest.approx(expected, rel=1e-8, abs=1e-18)


@pytest.mark.slow
@pytest.mark.parametrize("spelling", ["roc_auc", "average_precision", "precision@3", "recall@2", "lift@3"])
@settings(max_examples=30)
@given(rows=CASES)
def test_values_are_those_of_each_ranking(spelling: str, rows: list[Any]) -> None:
    truth, one, two, _, counts = columns(rows)
    paired = PairedScores.from_scores(truth, {"one": one, "two": two}, weights=counts)
    method = None if spelling in ("roc_auc", "average_precision") else Bootstrap(draws=20)
    try:
        difference = score_difference(paired, "one", "two", spelling, method=method)
    except OptionError:
        return  # too few of the 20 replicates differ
    for value, name in zip(difference.values, ("one", "two"), strict=True):
        assert value == pytest.approx(ew.measure(paired.ranking(name), spelling), rel=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("spelling", ["roc_auc", "average_precision", "average_precision(ties=threshold)"])
@settings(max_examples=30)
@given(rows=CASES)
def test_counts_are_rows_repeated(spelling: str, rows: list[Any]) -> None:
    truth, one, two, clusters, counts = columns(rows)
    for clustered in (False, True):
        counted = PairedScores.from_scores(
            truth, {"one": one, "two": two}, weights=counts, clusters=clusters if clustered else None
        )
        truth_, one_, two_, clusters_ = (np.repeat(column, counts) for column in (truth, one, two, clusters))
        repeated = PairedScores.from_scores(
            truth_, {"one": one_, "two": two_}, clusters=clusters_ if clustered else None
        )
        left, right = (
            score_difference(paired, "one", "two", spelling, permutations=0) for paired in (counted, repeated)
        )
        assert left.values == pytest.approx(right.values, rel=1e-12)
        assert left.standard_error == pytest.approx(right.standard_error, rel=1e-7, abs=1e-12, nan_ok=True)
        assert tuple(left.interval()) == pytest.approx(tuple(right.interval()), abs=1e-9, nan_ok=True)
        assert left.cases == right.cases


# -- laws -------------------------------------------------------------------------------------------------


def drawn(size: int, seed: int, shared: float = 0.5, prevalence: float = 0.3, **more: Any) -> PairedScores:
    rng = np.random.default_rng(seed)
    truth = rng.random(size) < prevalence
    common = rng.normal(size=size) * math.sqrt(shared)
    scores = {
        name: common + math.sqrt(1 - shared) * rng.normal(size=size) + strength * truth
        for name, strength in (("a", 1.5), ("b", 1.0))
    }
    return PairedScores.from_scores(truth, scores, **more)


@pytest.mark.parametrize("spelling", ["roc_auc", "average_precision", "precision@50"])
def test_identical_systems_do_not_differ(spelling: str) -> None:
    scores = drawn(300, seed=1).row("a")
    truth = drawn(300, seed=1).targets
    # A monotone transformation ranks alike.
    paired = PairedScores.from_scores(truth, {"a": scores, "b": scores, "c": np.exp(scores)})
    for other in ("b", "c"):
        difference = score_difference(paired, "a", other, spelling)
        assert difference.difference == 0
        assert difference.p_value() == 1
        assert difference.probability_better == 0.5
        assert difference.better is None
        assert difference.no_interval is not None
        assert difference.to_dict()["low"] is None


@pytest.mark.parametrize("spelling", ["roc_auc", "average_precision", "recall@100"])
def test_naming_the_second_first_mirrors_everything(spelling: str) -> None:
    paired = drawn(500, seed=2)
    one = score_difference(paired, "a", "b", spelling).mirror()
    two = score_difference(paired, "b", "a", spelling)
    assert one.difference == pytest.approx(two.difference, abs=1e-15)
    assert tuple(one.interval(0.9)) == pytest.approx(tuple(two.interval(0.9)), abs=1e-12)
    assert one.probability_better == pytest.approx(two.probability_better, abs=1e-12)
    assert {name: tail.p_value for name, tail in one.tests.items()} == pytest.approx(
        {name: tail.p_value for name, tail in two.tests.items()}, abs=0.02
    )
    assert one.effect is not None
    assert two.effect is not None
    assert one.effect.to_dict() == pytest.approx(two.effect.to_dict(), abs=1e-12)


@pytest.mark.parametrize("spelling", ["roc_auc", "average_precision"])
def test_only_the_order_of_scores_counts(spelling: str) -> None:
    paired = drawn(400, seed=3)
    other = PairedScores.from_scores(
        paired.targets, {"a": np.exp(paired.row("a")), "b": 3 * paired.row("b") - 7}
    )
    left, right = (score_difference(item, "a", "b", spelling) for item in (paired, other))
    assert left.to_dict() == right.to_dict()


@pytest.mark.parametrize("spelling", ["roc_auc", "average_precision(ties=threshold)"])
def test_clusters_of_one_case_each_change_nothing(spelling: str) -> None:
    plain, clustered = drawn(300, seed=4), drawn(300, seed=4, clusters=np.arange(300))
    left, right = (score_difference(item, "a", "b", spelling, permutations=0) for item in (plain, clustered))
    assert left.values == pytest.approx(right.values, rel=1e-12)
    assert left.standard_error == pytest.approx(right.standard_error, rel=1e-12)
    assert tuple(left.interval()) == pytest.approx(tuple(right.interval()), rel=1e-9)
    assert left.p_value() == pytest.approx(right.p_value(), rel=1e-9)


@pytest.mark.parametrize("spelling", ["roc_auc", "average_precision"])
def test_repeating_every_case_teaches_nothing_when_copies_are_clustered(spelling: str) -> None:
    plain = drawn(400, seed=5)
    rows = np.repeat(np.arange(400), 4)
    copies = {name: plain.row(name)[rows] for name in ("a", "b")}
    alone = score_difference(plain, "a", "b", spelling, permutations=0)
    clustered = PairedScores.from_scores(plain.targets[rows], copies, clusters=rows)
    together = score_difference(clustered, "a", "b", spelling, permutations=0)
    # Copies are ties, and corrections for the number of cases are a little smaller.
    assert together.standard_error == pytest.approx(alone.standard_error, rel=0.03)
    loose = score_difference(
        PairedScores.from_scores(plain.targets[rows], copies), "a", "b", spelling, permutations=0
    )
    assert loose.standard_error == pytest.approx(alone.standard_error / 2, rel=0.03)


@pytest.mark.parametrize("spelling", ["roc_auc", "average_precision"])
def test_sampling_weights_of_one_change_nothing_and_their_unit_does_not_matter(spelling: str) -> None:
    threshold = "average_precision(ties=threshold)" if spelling != "roc_auc" else spelling
    plain = score_difference(drawn(300, seed=6), "a", "b", threshold)
    rng = np.random.default_rng(7)
    ones = score_difference(drawn(300, seed=6, weights=np.ones(300)), "a", "b", spelling)
    assert ones.measure == threshold
    assert ones.difference == pytest.approx(plain.difference, rel=1e-12)
    assert ones.standard_error == pytest.approx(plain.standard_error, rel=1e-12)
    weights = rng.uniform(0.5, 2, 300)
    light, heavy = (
        score_difference(drawn(300, seed=6, weights=unit * weights), "a", "b", spelling)
        for unit in (1.0, 10.0)
    )
    assert light.difference == pytest.approx(heavy.difference, rel=1e-12)
    assert tuple(light.interval()) == pytest.approx(tuple(heavy.interval()), rel=1e-9)
    assert light.standard_error > plain.standard_error


def test_a_weighted_area_sums_weights_before_it_squares_them() -> None:
    rng = np.random.default_rng(8)
    weights = rng.uniform(0.5, 2, 60)
    paired = drawn(60, seed=8, weights=weights)
    truth = paired.targets
    w, v = weights[truth], weights[~truth]
    tables = [wins(truth, paired.row(name)) for name in ("a", "b")]
    difference = tables[0] - tables[1]
    value = w @ difference @ v / (w.sum() * v.sum())
    units = [(x @ x) / x.sum() for x in (w, v)]
    of_targets = w * (difference @ v / v.sum() - value) / math.sqrt(w.sum() * (w.sum() - units[0]))
    of_rest = v * (w @ difference / w.sum() - value) / math.sqrt(v.sum() * (v.sum() - units[1]))
    result = score_difference(paired, "a", "b", "roc_auc")
    assert result.difference == pytest.approx(value, rel=1e-12)
    assert result.standard_error**2 == pytest.approx(of_targets @ of_targets + of_rest @ of_rest, rel=1e-10)


# -- the ends, and what cannot be done --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("truth", "spelling", "message"),
    [
        ([0, 0, 0, 0], "average_precision", "there are no targets"),
        ([0, 0, 0, 0], "roc_auc", "there are no targets"),
        ([1, 1, 1, 1], "roc_auc", "every ranked item is a target"),
        ([0, 0, 0, 0], "recall@2", "no"),
    ],
)
def test_undefined_is_a_reason(truth: list[int], spelling: str, message: str) -> None:
    paired = PairedScores.from_scores(truth, {"a": [1, 2, 3, 4], "b": [4, 3, 2, 1]})
    difference = score_difference(paired, "a", "b", spelling)
    assert difference.undefined is not None
    assert message in difference.undefined
    assert math.isnan(difference.difference)
    assert math.isnan(difference.p_value())
    assert difference.to_dict()["difference"] is None


def test_one_target_has_a_difference_and_no_interval() -> None:
    paired = PairedScores.from_scores([1, 0, 0, 0], {"a": [9, 2, 3, 4], "b": [1, 3, 2, 4]})
    difference = score_difference(paired, "a", "b", "average_precision")
    assert difference.difference == 0.75
    assert difference.no_interval is not None
    assert "two targets" in difference.no_interval
    assert list(difference.tests) == ["permutation"]
    with pytest.raises(OptionError, match="two targets"):
        score_difference(paired, "a", "b", "average_precision", method=Influence())


@pytest.mark.parametrize("spelling", ["roc_auc", "average_precision"])
def test_a_perfect_ranking_has_an_interval_all_the_same(spelling: str) -> None:
    rng = np.random.default_rng(9)
    truth = np.arange(100) < 40
    middling = rng.normal(size=100) + truth
    scores = {"perfect": truth + rng.random(100) / 2, "too": truth + rng.random(100) / 2, "b": middling}
    paired = PairedScores.from_scores(truth, scores)
    difference = score_difference(paired, "perfect", "b", spelling)
    low, high = difference.interval()
    assert 0 < low < difference.difference < high <= 1
    both = score_difference(paired, "perfect", "too", spelling)
    assert both.difference == 0
    assert both.p_value() == 1
    low, high = both.interval()
    assert -0.25 < low < 0 < high < 0.25
    backwards = PairedScores.from_scores(truth, {"a": scores["perfect"], "b": -scores["perfect"]})
    most = score_difference(backwards, "a", "b", "roc_auc")
    assert most.difference == 1
    assert most.p_value() < 1e-6
    assert 0.7 < most.interval().low < 1
    assert most.interval().high == 1


def test_doubt_is_said() -> None:
    assert "targets: with fewer than 50" in str(
        score_difference(drawn(60, seed=1), "a", "b", "roc_auc").caveat
    )
    assert score_difference(drawn(600, seed=1), "a", "b", "roc_auc").caveat is None
    clustered = drawn(600, seed=1, clusters=np.arange(600) % 20)
    assert "only 20 clusters" in str(score_difference(clustered, "a", "b", "roc_auc").caveat)
    drawn_again = score_difference(drawn(60, seed=1), "a", "b", "roc_auc", method=Bootstrap(draws=200))
    assert "targets: with fewer than 50" in str(drawn_again.caveat)


def test_options_that_do_not_apply() -> None:
    paired = drawn(100, seed=1)
    method: Any
    for method, spelling, text in (
        (Influence(), "precision@10", "use Bootstrap"),
        (Survival(), "roc_auc", "not for differences of rankings"),
        (Bootstrap, "roc_auc", "a method is an object"),
    ):
        with pytest.raises(OptionError, match=text):
            score_difference(paired, "a", "b", spelling, method=method)
    for permutations in (-1, 1, 98):
        with pytest.raises(OptionError, match=f"permutations.*{permutations}|{permutations} permutations"):
            score_difference(paired, "a", "b", "roc_auc", permutations=permutations)
    with pytest.raises(OptionError, match="precision@100"):
        score_difference(paired, "a", "b", "precision")
    with pytest.raises(InputError, match="there is no system 'c'"):
        score_difference(paired, "a", "c", "roc_auc")
    one_cluster = drawn(100, seed=1, clusters=np.zeros(100, dtype=int))
    assert "one cluster" in str(score_difference(one_cluster, "a", "b", "roc_auc").no_interval)
    weighted = drawn(100, seed=1, weights=np.full(100, 0.5))
    with pytest.raises(OptionError, match="whole cases"):
        score_difference(weighted, "a", "b", "roc_auc", method=Bootstrap())
    with pytest.raises(OptionError, match="weights"):
        score_difference(weighted, "a", "b", "roc_auc", permutations=99)
    assert "ties=threshold" in str(
        score_difference(weighted, "a", "b", "average_precision(ties=expected)").undefined
    )
    assert "ranks" in str(score_difference(weighted, "a", "b", "reciprocal_rank").undefined)


@pytest.mark.parametrize("lacking", ["y", "a", "c"])
def test_a_comparison_of_a_file_drops_rows_that_lack_truth_score_or_cluster(
    lacking: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    truth = np.tile([0, 1, 1], 30)
    a, b = rng.normal(size=(2, 90))
    whole = pd.DataFrame({"y": truth, "a": a + truth, "b": b, "c": np.arange(90) // 5})
    frame = whole.astype({lacking: "object"})
    frame.loc[[4, 40], lacking] = None
    frame.to_csv(tmp_path / "s.csv", index=False)
    named = {"truth": "y", "systems": ["a", "b"], "kind": "scores", "cluster": "c"}
    expected = ew.compare(whole.drop(index=[4, 40]), **named)["a", "b"]["roc_auc"]
    for data in (frame, tmp_path / "s.csv"):
        comparison = ew.compare(data, missing="drop", **named)
        assert comparison["a", "b"]["roc_auc"].values == expected.values
        assert comparison["a", "b"]["roc_auc"].interval() == pytest.approx(expected.interval())
        assert comparison.provenance["dropped"] == 2
        with pytest.raises(InputError, match=r"missing .* \(2 such rows\): .*--missing drop"):
            ew.compare(data, **named)


def test_folds_and_clusters_of_compared_queries_are_refused_by_their_names() -> None:
    columns = {"truth": [0, 1] * 10, "systems": {"a": range(20), "b": range(20)}, "query": [0, 1] * 10}
    with pytest.raises(OptionError, match="fold is not supported with queries"):
        ew.compare(kind="scores", fold=[0] * 20, **columns)
    with pytest.raises(OptionError, match="cluster is not supported with queries"):
        ew.compare(kind="scores", fold=[0] * 20, cluster=[0] * 20, **columns)
