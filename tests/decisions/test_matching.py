"""Matching clusters to classes: against all maps, and its test against pure guessing."""

from __future__ import annotations

import itertools
import pickle
import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth.decisions.guessing import random_tables
from edgeworth.decisions.matching import Problem, _informedness_of, _search, matching_tail
from edgeworth.errors import InputError


def best_by_trying_all(counts: np.ndarray, *, one_to_one: bool) -> float:
    """Informedness at zero weight of every map, from its definition."""
    clusters, classes = counts.shape
    total = counts.sum()
    real = counts.sum(axis=0) / total
    best = -np.inf
    for chosen in itertools.product([*range(classes), None], repeat=clusters):
        named = [c for c in chosen if c is not None]
        if one_to_one and len(set(named)) < len(named):
            continue
        value = 0.0
        for label in set(named):
            if not 0 < real[label] < 1:
                continue
            own = [k for k in range(clusters) if chosen[k] == label]
            predicted, hits = counts[own].sum() / total, counts[own, label].sum() / total
            value += predicted * (hits / real[label] - (predicted - hits) / (1 - real[label]))
        best = max(best, value)
    return best


tables = (
    st.tuples(st.integers(2, 4), st.integers(2, 3))
    .flatmap(
        lambda shape: st.lists(
            st.integers(0, 9), min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]
        ).map(lambda cells: np.array(cells).reshape(shape))
    )
    .filter(lambda counts: counts.sum() > 0)
)


def as_table(counts: np.ndarray) -> ew.ContingencyTable:
    """Clusters k0, k1, … against classes c0, c1, …."""
    truth, prediction = [], []
    for (cluster, real), number in np.ndenumerate(counts):
        truth += [f"c{real}"] * int(number)
        prediction += [f"k{cluster}"] * int(number)
    return ew.ContingencyTable.from_labels(truth, prediction)


@given(tables)
def test_both_modes_find_the_best_of_all_maps(counts: np.ndarray) -> None:
    table = as_table(counts)
    single = ew.match(table)
    many = ew.match(table, one_to_one=False)
    assert single.is_exact
    assert single.informedness == pytest.approx(best_by_trying_all(counts, one_to_one=True), abs=1e-12)
    assert many.informedness == pytest.approx(best_by_trying_all(counts, one_to_one=False), abs=1e-12)


@given(tables)
def test_the_mapped_table_has_the_informedness_of_the_match(counts: np.ndarray) -> None:
    for one_to_one in (True, False):
        matching = ew.match(as_table(counts), one_to_one=one_to_one)
        value = ew.measure(matching.table, "informedness(abstentions=zero_weight)")
        assert matching.informedness == pytest.approx(0.0 if np.isnan(value) else value, abs=1e-12)


@pytest.mark.slow
def test_the_search_finds_what_trying_all_maps_finds() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        counts = rng.integers(0, 12, (5, 3)).astype(float) + 0.5
        problem = Problem(counts, one_to_one=False)
        best = best_by_trying_all(counts, one_to_one=False)
        assert _informedness_of(problem, _search(problem, 0)) == pytest.approx(best, abs=1e-12)


def test_a_search_says_that_it_is_one() -> None:
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 4, 400)
    clusters = truth * 5 + rng.integers(0, 5, 400)
    matching = ew.match(ew.ContingencyTable.from_labels(truth, 100 + clusters), one_to_one=False)
    assert not matching.is_exact
    assert matching.method.startswith("best found")
    # Each cluster holds one class only, so the right map is known.
    assert matching.mapping == {100 + cluster: cluster // 5 for cluster in range(20)}
    assert matching.informedness == pytest.approx(1.0)


@given(tables, st.integers(0, 9), st.sampled_from([1, 7, 1 << 20]))
@settings(max_examples=15)
def test_the_test_counts_the_draws_in_which_the_best_map_is_as_good(
    counts: np.ndarray, seed: int, block: int
) -> None:
    matching = ew.match(as_table(counts), one_to_one=False)
    kept = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
    (drawn,) = random_tables(kept.sum(axis=1).tolist(), kept.sum(axis=0).tolist(), 20, seed)
    best = [best_by_trying_all(table, one_to_one=False) for table in drawn]
    as_good = sum(value >= matching.informedness - 1e-12 for value in best)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("edgeworth.decisions.matching.MAX_VALUES_AT_ONCE", block)
        assert matching.test(draws=20, rng=seed).p_value == (as_good + 1) / 21


def test_seven_clusters_of_four_classes_are_tested_in_little_memory() -> None:
    # 78,125 maps in each of 999 tables: 600 MB if they were held at once.
    rng = np.random.default_rng(0)
    truth, clusters = rng.integers(0, 4, 120), rng.integers(100, 107, 120)
    table = ew.ContingencyTable.from_labels(truth, clusters)
    matching = ew.match(table, one_to_one=False)
    assert matching.method == "all 78,125 maps tried, exact"
    tracemalloc.start()
    try:
        result = matching.test()
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()
    # A search by single moves in the same tables finds a lower bound of each table's best.
    problem = Problem(table.counts[4:, :4].astype(float), one_to_one=False)
    (drawn,) = random_tables(*(problem.counts.sum(axis=axis).astype(int).tolist() for axis in (1, 0)), 999, 0)
    searched = [replace(problem, counts=item.astype(float)) for item in drawn[:100]]
    bounds = [_informedness_of(member, _search(member, 0)) for member in searched]
    at_least = sum(value >= matching.informedness - 1e-12 for value in bounds)
    assert result.p_value >= (at_least + 1) / 1000


def test_a_report_runs_the_test_of_its_matching_once() -> None:
    rng = np.random.default_rng(4)
    truth, clusters = rng.integers(0, 2, 60), rng.integers(100, 103, 60)
    matched = ew.match(ew.ContingencyTable.from_labels(truth, clusters), one_to_one=False)
    with pytest.MonkeyPatch.context() as patch:
        calls: list[int] = []
        run = matching_tail

        def count(*arguments: Any, **options: Any) -> Any:
            calls.append(1)
            return run(*arguments, **options)

        patch.setattr("edgeworth.decisions.matching.matching_tail", count)
        ew.evaluate(truth=truth, prediction=clusters, match="many").to_json()
        assert len(calls) == 1
    again = pickle.loads(pickle.dumps(matched.table))
    assert again.matching(seed=3).p_value == matched.test(rng=3).p_value


@pytest.mark.slow
def test_the_naive_test_of_a_match_rejects_guessing_and_ours_does_not() -> None:
    # K = C = 5, N = 100: matched informedness tested as if it had not been matched rejects pure guessing 92%
    # of the time at 5%; matching again in every draw does so about 5% of the time.
    rng = np.random.default_rng(3)
    naive = honest = 0
    runs = 100
    for run in range(runs):
        truth, clusters = rng.integers(0, 5, (2, 100))
        matching = ew.match(ew.ContingencyTable.from_labels(truth, clusters))
        value = ew.measure(matching.table, "informedness(abstentions=drop)")
        law = ew.chance.informedness(matching.table, draws=499, rng=run)
        naive += law.tail(value).p_value < 0.05
        honest += matching.test(draws=99, rng=run).p_value <= 0.05
    assert naive >= 80
    assert honest <= 13  # P(more than 13 of 100 at 5%) is below 0.001


def test_what_cannot_be_matched_is_said() -> None:
    table = ew.ContingencyTable.from_labels(["a", "b"], ["x", "?"], abstain="?")
    with pytest.raises(InputError, match="abstentions"):
        ew.match(table)
    weighted = ew.ContingencyTable.from_labels(["a", "b"], ["x", "y"], weights=[0.5, 0.7])
    with pytest.raises(InputError, match="needs counts"):
        ew.match(weighted).test()
