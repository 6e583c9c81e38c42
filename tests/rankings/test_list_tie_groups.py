"""Where targets stand in lists: against putting every list in order, one by one."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeworth.errors import OptionError
from edgeworth.rankings.list_tie_groups import tie_groups_of_lists
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.measures import average_precision
from edgeworth.rankings.trec.files import Qrels, TrecRun
from edgeworth.rankings.trec.identifiers import as_identifiers
from edgeworth.sources.columns import Coded

SCORES = st.sampled_from(
    [0.5, 0.5 + 1e-12, 0.25, 0.0, -0.0, 1e300, 2e300, float("inf"), float("-inf"), 0.1, 0.1 + 1e-9]
)
ITEMS = st.lists(st.tuples(st.integers(0, 2), SCORES, st.integers(0, 4)), min_size=1, max_size=14)
THRESHOLDS = st.integers(1, 2)


def id_of(row: int) -> str:
    """Ids whose order is none of rows or lengths, and that differ in their second word too."""
    return f"document{(row * 7919) % 101}é{row}"


def lists_of(items: list[tuple[int, float, int]], relevant_from: int = 1) -> RankedLists:
    truth, scores, groups = (list(column) for column in zip(*items, strict=True))
    ids = [id_of(row) for row in range(len(items))]
    return RankedLists.from_scores(truth, scores, groups=groups, ids=ids, relevant_from=relevant_from)


def rank_key(score: float, text: str, row: int, ties: str) -> tuple[Any, ...]:
    """Sorts descending: score, then what decides among equals."""
    if ties == "trec":
        with np.errstate(over="ignore"):
            return float(np.float32(score)), text.encode()
    return score, -row


def rows_by_query(lists: RankedLists) -> list[list[tuple[float, int, str, int]]]:
    assert lists.ids is not None
    texts = [text.decode() for text in lists.ids.tolist()]
    items = list(
        zip(lists.scores.tolist(), lists.grades.tolist(), texts, itertools.count())
    )  # count has no end
    return [items[start:stop] for start, stop in itertools.pairwise(lists.starts.tolist())]


def assert_strict(lists: RankedLists, ties: str) -> None:
    """Compare with every list put in order."""
    groups = tie_groups_of_lists(lists, ties)
    expected: list[tuple[int, int, int, int, int]] = []
    for number, items in enumerate(rows_by_query(lists)):
        ordered = sorted(items, key=lambda item: rank_key(item[0], item[2], item[3], ties), reverse=True)
        hits = rejected = 0
        for seen, (_, grade, _, _) in enumerate(ordered):
            if grade >= lists.relevant_from:
                expected.append((number, hits, seen, rejected, grade))
                hits += 1
            elif grade >= 0:
                rejected += 1
    assert groups.judgements is not None
    assert groups.grades is not None
    result = zip(
        groups.list_of.tolist(),
        groups.hits_above.tolist(),
        groups.seen_above.tolist(),
        groups.judgements.rejected_above.tolist(),
        groups.grades.grade.tolist(),
        strict=True,
    )
    assert list(result) == expected
    assert groups.grades.group.tolist() == list(range(len(expected)))
    assert set(groups.hits.tolist()) | set(groups.size.tolist()) <= {1.0}
    assert groups.judgements.rejected.tolist() == lists.rejected.tolist()
    assert groups.targets.tolist() == lists.targets.tolist()
    assert groups.ranked.tolist() == lists.sizes.tolist()


def assert_grouped(lists: RankedLists, ties: str) -> None:
    groups = tie_groups_of_lists(lists, ties)
    expected, graded = [], []
    for number, items in enumerate(rows_by_query(lists)):
        hits = seen = 0
        for score in sorted({item[0] for item in items}, reverse=True):
            grades = [item[1] for item in items if item[0] == score]
            values = sorted(grade for grade in grades if grade >= lists.relevant_from)
            if values:
                graded += [(len(expected), grade) for grade in values]
                expected.append((number, hits, seen, len(values), len(grades)))
            hits, seen = hits + len(values), seen + len(grades)
    columns = (groups.list_of, groups.hits_above, groups.seen_above, groups.hits, groups.size)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected
    assert groups.grades is not None
    assert sorted(zip(groups.grades.group.tolist(), groups.grades.grade.tolist(), strict=True)) == graded
    assert groups.judgements is None


@given(items=ITEMS, relevant_from=THRESHOLDS)
@pytest.mark.parametrize("ties", ["trec", "input"])
def test_strict_orders_equal_sorting_each_list(
    items: list[tuple[int, float, int]], relevant_from: int, ties: str
) -> None:
    assert_strict(lists_of(items, relevant_from), ties)


@given(items=ITEMS, relevant_from=THRESHOLDS)
@pytest.mark.parametrize("ties", ["expected", "threshold"])
def test_tie_groups_equal_grouping_each_list(
    items: list[tuple[int, float, int]], relevant_from: int, ties: str
) -> None:
    assert_grouped(lists_of(items, relevant_from), ties)


def test_a_tie_ends_with_its_list() -> None:
    lists = lists_of([(1, 0.5, 0), (0, 0.5, 0), (0, 0.5, 1), (1, 0.5, 1), (1, 0.5, 1)])
    for ties in ("trec", "input"):
        assert_strict(lists, ties)
    assert_grouped(lists, "expected")


SIZES = {
    "of one size": [40] * 20,
    "of one item": [1] * 30,
    "of all sizes": [1, 2, 3, 127, 128, 129, 5, 8, 9, 1023, 1024, 1025, 300, 64, 2, 1],
    "long": [2000, 1500],
    "one": [700],
}


@pytest.mark.parametrize("sizes", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("distinct", [3, 10**6])
def test_lists_of_every_size(sizes: list[int], distinct: int) -> None:
    rng = np.random.default_rng(len(sizes) + distinct)
    number = sum(sizes)
    scores = np.where(rng.random(number) < 0.02, np.inf, rng.integers(0, distinct, number) / 7)
    lists = RankedLists.from_scores(
        rng.integers(0, 8, number) // 6,
        scores,
        groups=np.repeat(np.arange(len(sizes)), sizes),
        ids=[id_of(row) for row in range(number)],
    )
    for ties in ("trec", "input"):
        assert_strict(lists, ties)
    assert_grouped(lists, "expected")


def coded(rows: int, queries: int) -> Coded:
    return Coded(np.arange(rows, dtype=np.intp) % queries, tuple(f"q{number}" for number in range(queries)))


@pytest.mark.parametrize("seed", range(5))
def test_runs_with_unjudged_documents_and_absent_queries(seed: int) -> None:
    rng = np.random.default_rng(seed)
    documents = as_identifiers([id_of(row).encode() for row in range(60)])
    judged = np.sort(rng.choice(60, 40, replace=False))
    queries = coded(60, 4)
    qrels = Qrels(
        "qrels", Coded(queries.codes[judged], queries.labels), documents[judged], rng.integers(-1, 4, 40)
    )
    retrieved = rng.permutation(np.flatnonzero(queries.codes != 2))[:35]
    run = TrecRun(
        "run",
        "tag",
        Coded(queries.codes[retrieved], queries.labels),
        documents[retrieved],
        rng.integers(0, 6, 35) / 3,
    )
    for relevant_from in (1, 2, 4):
        lists = RankedLists.from_qrels(qrels, run, relevant_from=relevant_from)
        for one in (lists, lists.with_absent()):
            for ties in ("trec", "input"):
                assert_strict(one, ties)
            assert_grouped(one, "expected")
            groups = tie_groups_of_lists(one, "trec")
            assert np.isnan(groups.items).all()
            assert groups.grades is not None
            ranked = np.bincount(groups.list_of, minlength=groups.number)
            lost = np.bincount(groups.grades.lost_list, minlength=groups.number)
            assert (ranked + lost).tolist() == one.targets.tolist()
        assert lists.with_absent().queries == ("q0", "q1", "q2", "q3")


def mean_over_orders(items: list[tuple[float, int]]) -> Fraction:
    """Average precision, averaged over every order of the items that the scores allow."""
    groups = [
        [grade for score, grade in items if score == level]
        for level in sorted({score for score, _ in items}, reverse=True)
    ]
    values = []
    for orders in itertools.product(*(list(itertools.permutations(group)) for group in groups)):
        flags = [grade > 0 for grade in itertools.chain.from_iterable(orders)]
        ranks = [rank for rank, flag in enumerate(flags, 1) if flag]
        values.append(sum(Fraction(hit, rank) for hit, rank in enumerate(ranks, 1)) / len(ranks))
    return sum(values, Fraction(0)) / len(values)


@given(st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.3]), st.integers(0, 1)), min_size=1, max_size=6))
def test_expected_ties_are_the_mean_over_all_orders(items: list[tuple[float, int]]) -> None:
    if not any(grade for _, grade in items):
        return
    both = [*items, (0.5, 1), (0.5, 0)]
    scores, truth = zip(*items, *both, strict=True)
    groups = [0] * len(items) + [1] * len(both)
    lists = RankedLists.from_scores(list(truth), list(scores), groups=groups)
    values = average_precision(tie_groups_of_lists(lists, "expected"), None, "targets")
    assert values.tolist() == pytest.approx([float(mean_over_orders(items)), float(mean_over_orders(both))])


def test_ties_by_id_need_ids() -> None:
    lists = RankedLists.from_scores([1, 0], [1, 2], groups=[0, 0])
    with pytest.raises(OptionError, match="these lists have no ids"):
        tie_groups_of_lists(lists, "trec")


@pytest.mark.parametrize("ties", ["expected", "trec", "input"])
def test_nothing_and_no_targets(ties: str) -> None:
    none = RankedLists.from_scores([0, 0], [1, 1], groups=[0, 1], ids=["a", "b"])
    for lists, number in ((none, 2), (none.select([]), 0)):
        groups = tie_groups_of_lists(lists, ties)
        assert (groups.number, len(groups.list_of), groups.targets.sum()) == (number, 0, 0)
