"""Two systems on the same queries: the values that are compared, what is left out, and what is said."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats

import edgeworth as ew
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.paired_values.differences import (
    compare_queries,
    match_queries,
    query_values,
    value_difference,
)
from edgeworth.comparisons.paired_values.exact_values import Scaled
from edgeworth.comparisons.paired_values.permutation import SharedSignFlips, permutation_test, sign_flip_tail
from edgeworth.errors import InputError

ITEMS = 6


def lists_of(seed: int, queries: list[str], strength: float, targets: int = 2) -> ew.RankedLists:
    """The same truth for every seed, scores that know more of it the stronger they are."""
    truth = np.tile(np.repeat([1, 0], [targets, ITEMS - targets]), len(queries))
    scores = np.random.default_rng(seed).normal(size=len(truth)) + strength * truth
    return ew.RankedLists.from_scores(truth, scores, groups=np.repeat(queries, ITEMS))


def list_difference(
    first: ew.RankedLists,
    second: ew.RankedLists,
    measure: str,
    names: tuple[str, str] = ("first", "second"),
    **options: Any,
) -> Difference:
    findings = compare_queries({names[0]: first, names[1]: second}, measures=[measure], **options)
    return findings.pairs[names][measure]


QUERIES = [f"q{k}" for k in range(24)]
STRONG, WEAK = lists_of(1, QUERIES, 1.5), lists_of(2, QUERIES, 0.3)


@pytest.mark.parametrize("measure", ["average_precision", "ndcg", "precision@3", "reciprocal_rank"])
def test_the_difference_is_that_of_the_means_with_every_test(measure: str) -> None:
    difference = list_difference(STRONG, WEAK, measure, names=("A", "B"))
    first, second = (np.array(list(ew.measure_each(lists, measure).values())) for lists in (STRONG, WEAK))
    assert difference.values == pytest.approx((ew.measure(STRONG, measure), ew.measure(WEAK, measure)))
    assert list(difference.tests) == ["permutation", "t", "wilcoxon", "sign"]
    theirs = stats.ttest_rel(first, second)
    assert difference.p_value("t") == pytest.approx(theirs.pvalue, rel=1e-9)
    low, high = difference.interval(0.9)
    assert (low, high) == pytest.approx(tuple(theirs.confidence_interval(0.9)), rel=1e-9)
    assert difference.p_value() == difference.p_value("permutation")
    wins, losses = int((first > second + 1e-12).sum()), int((first < second - 1e-12).sum())
    assert difference.p_value("sign") == pytest.approx(stats.binomtest(wins, wins + losses).pvalue, rel=1e-12)
    assert difference.cases == 24
    assert difference.effect is not None
    assert difference.effect.value == pytest.approx((first - second).mean() / (first - second).std(ddof=1))
    assert difference.probability_better == pytest.approx(
        1 - theirs.pvalue / 2 if theirs.statistic > 0 else theirs.pvalue / 2
    )
    assert (difference.better, difference.is_higher_better, difference.caveat) == ("A", True, None)
    assert difference.measure == measure


def test_identical_systems_differ_by_nothing_with_p_1() -> None:
    difference = list_difference(STRONG, STRONG, "average_precision", names=("A", "B"))
    assert difference.difference == 0
    assert {name: tail.p_value for name, tail in difference.tests.items()} == dict.fromkeys(
        ("permutation", "t", "wilcoxon", "sign"), 1.0
    )
    assert (difference.probability_better, difference.better, difference.law, difference.effect) == (
        0.5,
        None,
        None,
        None,
    )
    assert difference.no_interval is not None


def test_the_other_way_round_it_is_mirrored() -> None:
    one = list_difference(STRONG, WEAK, "ndcg", names=("A", "B"))
    other = list_difference(WEAK, STRONG, "ndcg", names=("B", "A"))
    mirrored = other.mirror()
    assert mirrored.values == one.values
    assert mirrored.probability_better == pytest.approx(one.probability_better)
    assert mirrored.interval() == one.interval()
    assert [mirrored.p_value(name) for name in mirrored.tests] == pytest.approx(
        [one.p_value(name) for name in one.tests]
    )


def test_queries_that_only_one_has_are_left_out_and_counted() -> None:
    first, second = lists_of(1, QUERIES[:20], 1.0), lists_of(2, QUERIES[3:], 0.5)
    difference = list_difference(first, second, "average_precision", names=("A", "B"))
    assert difference.cases == 17
    assert difference.caveat == ("3 queries dropped: in A only; 4 queries dropped: in B only")
    values = ew.measure_each(first, "average_precision")
    assert difference.values[0] == pytest.approx(np.mean([values[query] for query in QUERIES[3:20]]))
    with pytest.raises(InputError, match="different queries: 3 of A, such as 'q0', are not in all"):
        list_difference(first, second, "average_precision", names=("A", "B"), queries="error")
    assert list_difference(STRONG, WEAK, "ndcg", queries="error").cases == 24


def test_queries_without_targets_are_left_out_or_count_as_0() -> None:
    truth, clusters = [1, 0, 0, 0, 1, 0], ["a", "a", "b", "b", "c", "c"]
    first = ew.RankedLists.from_scores(truth, [2, 1, 2, 1, 2, 1], groups=clusters)
    second = ew.RankedLists.from_scores(truth, [1, 2, 2, 1, 2, 1], groups=clusters)
    queries, values = query_values(first, "precision@1")
    assert math.isnan(values[queries.index("b")])
    difference = list_difference(first, second, "precision@1")
    assert (difference.cases, difference.values) == (2, (1.0, 0.5))
    assert difference.caveat == "1 query dropped: a system has no value there"


def test_a_query_without_targets_counts_as_0_where_the_lists_say_so() -> None:
    from dataclasses import replace

    truth, clusters = [1, 0, 0, 0], ["a", "a", "b", "b"]
    lists = ew.RankedLists.from_scores(truth, [2, 1, 2, 1], groups=clusters)
    counted = replace(lists, empty_is_zero=True)
    queries, values = query_values(counted, "average_precision")
    assert (queries, values.tolist()) == (("a", "b"), [1.0, 0.0])
    # The mean of these values is the measure of the lists.
    assert ew.measure(counted, "average_precision") == 0.5


def test_nothing_in_common_is_an_error_and_no_values_are_undefined() -> None:
    with pytest.raises(InputError, match=r"A \('\w+', …\) and B \('\w+', …\) have no query in common"):
        list_difference(lists_of(1, ["x"], 1), lists_of(1, ["y"], 1), "ndcg", names=("A", "B"))
    without = ew.RankedLists.from_scores([0, 0], [1, 2], groups=["x", "x"])
    difference = list_difference(without, without, "ndcg", names=("A", "B"))
    assert difference.undefined == "no query has a value of both A and B"
    assert math.isnan(difference.difference)
    assert math.isnan(difference.p_value())
    assert difference.to_dict()["difference"] is None


def test_several_systems_are_matched_at_once() -> None:
    values = {
        "A": ((1, 2, 3, 4), np.array([0.1, 0.2, 0.3, math.nan])),
        "B": ((2, 3, 4, 5), np.array([0.5, 0.6, 0.1, 0.9])),
        "C": ((3, 2, 4), np.array([0.9, 0.7, 0.2])),
    }
    matched = match_queries(values)
    assert matched.queries == (2, 3)
    assert matched.values.tolist() == [[0.2, 0.5, 0.7], [0.3, 0.6, 0.9]]
    lacking = "C lacks 2, A lacks 1, B lacks 1"
    assert matched.note == (
        f"2 queries dropped: not in every system ({lacking}); 1 query dropped: a system has no value there"
    )


def drawn_lists(systems: int, queries: int) -> dict[str, ew.RankedLists]:
    rng = np.random.default_rng(8)
    truth, queried = (rng.random(queries * 10) < 0.3).astype(int), np.repeat(np.arange(queries), 10)
    truth[::10] = 1
    return {
        f"s{i}": ew.RankedLists.from_scores(
            truth, truth * 0.3 * i + rng.normal(size=queries * 10), groups=queried
        )
        for i in range(systems)
    }


def test_of_many_pairs_the_first_measure_is_counted_and_the_others_are_drawn() -> None:
    lists = drawn_lists(5, 20)
    findings = compare_queries(lists, measures=["average_precision", "precision@5"], draws=4_999)
    alone = compare_queries({name: lists[name] for name in ("s0", "s4")}, measures=["average_precision"])
    for differences in findings.pairs.values():
        assert differences["average_precision"].tests["permutation"].kind == "exact"
        assert differences["precision@5"].tests["permutation"].kind == "drawn"
    one, other = (x.difference("s0", "s4")["average_precision"] for x in (findings, alone))
    assert one.p_value() == other.p_value()
    for test in ("t", "wilcoxon", "sign"):
        assert one.p_value(test) == pytest.approx(other.p_value(test), rel=1e-9)


def test_where_less_is_better_the_probability_turns_round() -> None:
    first, second = [0.1, 0.2, 0.15, 0.3], [0.2, 0.5, 0.2, 0.4]
    higher, lower = (
        value_difference(first, second, measure="loss", direction=direction)
        for direction in ("higher", "lower")
    )
    assert higher.probability_better < 0.1
    assert lower.probability_better == pytest.approx(1 - higher.probability_better)
    assert (higher.better, lower.better) == ("second", "first")
    neither = value_difference(first, second, measure="size", direction="neither")
    assert math.isnan(neither.probability_better)


def test_means_that_differ_by_rounding_alone_do_not_differ() -> None:
    difference = value_difference([0.1, 0.2, 0.7], [0.7 - 0.4, 0.6, 0.1], measure="precision@10")
    assert sum([0.1, 0.2, 0.7]) / 3 == pytest.approx(sum([0.7 - 0.4, 0.6, 0.1]) / 3, abs=1e-15)
    assert difference.difference == 0
    assert difference.better is None
    assert difference.p_value() == 1


def test_the_seed_decides() -> None:
    rng = np.random.default_rng(5)
    first, second = rng.random(800), rng.random(800)
    one, same, other = (
        value_difference(first, second, measure="x", permute=partial(sign_flip_tail, draws=999, seed=seed))
        for seed in (3, 3, 4)
    )
    assert one.p_value() == same.p_value() != other.p_value()


def test_a_difference_that_never_varies_has_no_t() -> None:
    difference = value_difference([0.5, 0.25, 0.75], [0.25, 0.0, 0.5], measure="x")
    assert list(difference.tests) == ["permutation", "wilcoxon", "sign"]
    assert difference.no_interval is not None
    assert "the same in every unit" in difference.no_interval
    assert difference.p_value() == 0.25


@pytest.mark.parametrize("steps", [None, 10])
def test_shared_draws_enclose_the_exact_value(steps: int | None) -> None:
    """Twelve units are counted, whatever their values; a 99% interval of 20,000 draws holds that."""
    rng = np.random.default_rng(1)
    values = np.clip(0.5 + rng.normal(0, 0.1, (12, 4)) + 0.03 * np.arange(4), 0, 1)
    values = values if steps is None else np.rint(values * steps) / steps
    shared = SharedSignFlips(values, draws=20_000, seed=2, is_counted=False)
    for first, second in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)):
        exact = permutation_test(values[:, first] - values[:, second], size=1.0)
        assert exact.exact is not None
        drawn = shared.tail(first, second, Scaled.of([]))
        assert drawn.low <= exact.p_value <= drawn.high
    alike = SharedSignFlips(np.array([[0.1 + 0.2, 0.3]] * 5), draws=99, seed=0, is_counted=False)
    assert alike.tail(0, 1, Scaled.of([])).p_value == 1
