"""Ranked lists: how they are built, what they hold, and that they add up."""

from __future__ import annotations

import functools
import itertools
import json
import operator
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeworth.errors import InputError, MergeError, OptionError
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.trec.files import Qrels, TrecRun
from edgeworth.rankings.trec.identifiers import as_identifiers
from edgeworth.sources.columns import Coded, as_column

Row = tuple[int, float, Any, str]
"""Grade, score, query, id."""

QUERIES = st.sampled_from(["b", "a", "10", "9", 10, 9, 2.0, 2, True, 1])
SCORES = st.sampled_from([0.5, 0.25, -1.0, 0.0, -0.0, 1e300, float("inf"), float("-inf")])
ROWS = st.lists(
    st.tuples(st.integers(0, 3), SCORES, QUERIES, st.text("abé", min_size=1, max_size=12)),
    max_size=12,
    unique_by=lambda row: (row[2], row[3]),
)


def from_rows(rows: list[Row], *, with_ids: bool = True, **options: Any) -> RankedLists:
    truth, scores, groups, ids = (as_column([row[index] for row in rows], "") for index in range(4))
    return RankedLists.from_columns(truth, scores, groups, ids if with_ids else None, **options)


def items_of(lists: RankedLists) -> dict[Any, list[tuple[Any, ...]]]:
    """Each query with its items, read back."""
    ids = [None] * len(lists.scores) if lists.ids is None else [text.decode() for text in lists.ids.tolist()]
    items = list(zip(lists.grades.tolist(), lists.scores.tolist(), ids, strict=True))
    edges = lists.starts.tolist()
    return {
        query: items[start:stop]
        for query, (start, stop) in zip(lists.queries, itertools.pairwise(edges), strict=True)
    }


def coded(queries: list[str]) -> Coded:
    labels = tuple(dict.fromkeys(queries))
    return Coded(np.array([labels.index(query) for query in queries], dtype=np.intp), labels)


def qrels_of(judged: dict[tuple[str, str], int]) -> Qrels:
    documents = as_identifiers([document.encode() for _, document in judged])
    grades = np.array(list(judged.values()), dtype=np.int64)
    return Qrels("qrels", coded([query for query, _ in judged]), documents, grades)


def run_of(retrieved: dict[tuple[str, str], float]) -> TrecRun:
    documents = as_identifiers([document.encode() for _, document in retrieved])
    return TrecRun(
        "run", "tag", coded([query for query, _ in retrieved]), documents, np.array(list(retrieved.values()))
    )


# -- from scores ---------------------------------------------------------------------------------------


@given(rows=ROWS, with_ids=st.booleans())
def test_rows_come_together_by_query_in_input_order(rows: list[Row], with_ids: bool) -> None:
    lists = from_rows(rows, with_ids=with_ids)
    expected: dict[Any, list[tuple[Any, ...]]] = defaultdict(list)
    for grade, score, query, text in rows:
        expected[query].append((grade, score, text if with_ids else None))
    assert items_of(lists) == expected
    numbers = [query for query in lists.queries if not isinstance(query, str)]
    assert lists.queries == (*sorted(numbers), *sorted(q for q in lists.queries if isinstance(q, str)))
    targets = {query: sum(grade > 0 for grade, *_ in items) for query, items in expected.items()}
    assert dict(zip(lists.queries, lists.targets.tolist(), strict=True)) == targets
    assert lists.is_whole
    assert not lists.absent


@pytest.mark.parametrize("groups", [[3, 3, 5, 5], [5, 5, 3, 3], [5, 3, 5, 3], ["x", "y", "x", "y"]])
def test_groups_of_every_kind(groups: list[Any]) -> None:
    for column in (groups, np.array(groups), np.array(groups, dtype=object)):
        lists = RankedLists.from_scores([1, 0, 0, 2], [4, 3, 2, 1], groups=column)
        assert lists.queries == tuple(sorted(set(groups)))
        for query, items in items_of(lists).items():
            rows = [row for row in range(4) if groups[row] == query]
            assert items == [((1, 0, 0, 2)[row], float(4 - row), None) for row in rows]


@pytest.mark.parametrize(
    "truth",
    [
        [True, False, True],
        [1, 0, 1],
        np.array([1.0, 0.0, 1.0]),
        np.array([1, 0, 1], dtype=np.uint8),
        as_column([1, False, 1.0], "truth"),
        Coded(np.array([0, 1, 0]), ("1", "0")),
    ],
)
def test_truth_of_every_kind(truth: Any) -> None:
    assert RankedLists.from_scores(truth, [1, 2, 3], groups=[0, 0, 0]).grades.tolist() == [1, 0, 1]


def test_labels_need_the_positive_one_named() -> None:
    lists = RankedLists.from_scores(["spam", "ham", "spam"], [1, 2, 3], groups=[0, 0, 1], positive="spam")
    assert lists.grades.tolist() == [1, 0, 1]
    assert RankedLists.from_scores([-1, 1], [1, 2], groups=[0, 0], positive=1).grades.tolist() == [0, 1]
    with pytest.raises(InputError, match="no row's truth is 'eggs'"):
        RankedLists.from_scores(["spam", "ham"], [1, 2], groups=[0, 0], positive="eggs")


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        (["spam", "ham"], "truth in row 1 is 'spam': grades are whole numbers"),
        ([1, -1], "truth in row 2 is -1: grades are whole numbers of at least 0"),
        ([0.5, 1], "truth in row 1 is 0.5"),
        (np.array([1, 2.5]), "truth in row 2 is 2.5"),
        ([1, None], "truth is missing in row 2"),
        (np.array([1, np.nan]), "truth is missing in row 2"),
    ],
)
def test_what_is_no_grade_is_refused(truth: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        RankedLists.from_scores(truth, [1, 2], groups=[0, 0])


def test_columns_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="truth has 2, scores has 1, groups has 2"):
        RankedLists.from_scores([0, 1], [1], groups=[0, 0])
    with pytest.raises(InputError, match="score in row 2 is missing or NaN"):
        RankedLists.from_scores([0, 1], [1, float("nan")], groups=[0, 0])
    with pytest.raises(InputError, match="scores must be numbers"):
        RankedLists.from_scores([0, 1], ["a", "b"], groups=[0, 0])
    with pytest.raises(InputError, match="the query is missing in row 2"):
        RankedLists.from_scores([0, 1], [1, 2], groups=["a", None])
    with pytest.raises(InputError, match="ids is missing in row 1"):
        RankedLists.from_scores([0, 1], [1, 2], groups=[0, 0], ids=[None, "a"])
    with pytest.raises(InputError, match="query 'q' has id 'x' twice"):
        RankedLists.from_scores([0, 1, 1], [1, 2, 3], groups=["q", "q", "q"], ids=["x", "y", "x"])
    with pytest.raises(InputError, match="no rows"):
        RankedLists.from_scores([], [], groups=[])
    for threshold in (0, -1, 1.5, True, "1"):
        with pytest.raises(OptionError, match="relevant_from"):
            RankedLists.from_scores([1], [1], groups=[0], relevant_from=threshold)  # type: ignore[arg-type]  # wrong on purpose


def test_one_id_in_two_queries_is_no_repeat() -> None:
    lists = RankedLists.from_scores([1, 0], [1, 2], groups=["a", "b"], ids=[7, 7])
    assert lists.ids is not None
    assert lists.ids.tolist() == [b"7", b"7"]


def test_lists_keep_their_own_copy() -> None:
    truth, scores, groups = np.array([1, 0]), np.array([0.5, 0.25]), np.array([0, 0])
    lists = RankedLists.from_scores(truth, scores, groups=groups)
    scores[0] = truth[0] = 9
    assert lists.scores[0] == 0.5
    assert lists.grades[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        lists.scores[0] = 1


def test_the_threshold_decides_what_a_target_is() -> None:
    lists = RankedLists.from_scores([0, 1, 2, 3], [1, 2, 3, 4], groups=[0, 0, 0, 0], relevant_from=2)
    assert (lists.targets.tolist(), lists.rejected.tolist()) == ([2], [2])
    assert lists.with_threshold(1).targets.tolist() == [3]


# -- from qrels and a run ------------------------------------------------------------------------------

JUDGED = {("q2", "a"): 1, ("q2", "b"): 0, ("q2", "c"): 2, ("q10", "a"): -1, ("q10", "d"): 3, ("q3", "a"): 1}
RETRIEVED = {("q10", "a"): 0.5, ("q2", "x"): 0.9, ("q2", "a"): 0.1, ("q10", "é"): 0.5, ("new", "a"): 1.0}


def test_a_run_is_judged_by_qrels() -> None:
    lists = RankedLists.from_qrels(qrels_of(JUDGED), run_of(RETRIEVED))
    assert items_of(lists) == {"q10": [(-1, 0.5, "a"), (-1, 0.5, "é")], "q2": [(-1, 0.9, "x"), (1, 0.1, "a")]}
    assert lists.targets.tolist() == [1, 2]
    assert lists.rejected.tolist() == [0, 1]
    assert [part.tolist() for part in lists.lost] == [[0, 1], [3, 2]]
    assert (lists.absent, lists.unknown_queries, lists.is_whole) == (("q3",), ("new",), False)
    higher = lists.with_threshold(2)
    assert (higher.targets.tolist(), higher.rejected.tolist()) == ([1, 1], [0, 2])


def test_absent_queries_can_be_made_to_count() -> None:
    lists = RankedLists.from_qrels(qrels_of(JUDGED), run_of(RETRIEVED)).with_absent()
    assert lists.queries == ("q10", "q2", "q3")
    assert lists.sizes.tolist() == [2, 2, 0]
    assert lists.targets.tolist() == [1, 2, 1]
    assert not lists.absent
    assert lists.with_absent() is lists


@given(
    judged=st.dictionaries(
        st.tuples(st.sampled_from("abc"), st.text("xyz", min_size=1, max_size=9)), st.integers(-2, 3)
    ),
    retrieved=st.dictionaries(
        st.tuples(st.sampled_from("abcd"), st.text("xyz", min_size=1, max_size=9)), st.floats(-1, 1)
    ),
    threshold=st.integers(1, 3),
)
def test_judging_equals_looking_up_one_by_one(
    judged: dict[tuple[str, str], int], retrieved: dict[tuple[str, str], float], threshold: int
) -> None:
    lists = RankedLists.from_qrels(qrels_of(judged), run_of(retrieved), relevant_from=threshold)
    known = {query for query, _ in judged}
    expected: dict[Any, list[tuple[Any, ...]]] = defaultdict(list)
    for (query, document), score in retrieved.items():
        if query in known:
            expected[query].append((max(judged.get((query, document), -1), -1), score, document))
    assert items_of(lists) == dict(sorted(expected.items()))
    for index, query in enumerate(lists.queries):
        grades = [grade for (q, _), grade in judged.items() if q == query]
        assert lists.targets[index] == sum(grade >= threshold for grade in grades)
        assert lists.rejected[index] == sum(0 <= grade < threshold for grade in grades)
        lost = sorted(lists.lost[1][lists.lost[0] == index].tolist())
        missing = [g for (q, d), g in judged.items() if q == query and (q, d) not in retrieved]
        assert lost == sorted(grade for grade in missing if grade >= threshold)
    assert set(lists.absent) == known - {query for query, _ in retrieved}
    assert set(lists.unknown_queries) == {query for query, _ in retrieved} - known


# -- adding, choosing, writing -------------------------------------------------------------------------


def cut(rows: list[Any], places: list[int]) -> list[list[Any]]:
    edges = [0, *sorted(index % (len(rows) + 1) for index in places), len(rows)]
    return [rows[start:stop] for start, stop in itertools.pairwise(edges)]


@given(rows=ROWS, places=st.lists(st.integers(0, 100), max_size=4), with_ids=st.booleans())
def test_merged_shards_equal_the_whole(rows: list[Row], places: list[int], with_ids: bool) -> None:
    shards = [
        from_rows(shard, with_ids=with_ids) if shard else RankedLists.empty() for shard in cut(rows, places)
    ]
    whole = from_rows(rows, with_ids=with_ids) if rows else RankedLists.empty()
    assert functools.reduce(operator.add, shards) == whole
    assert functools.reduce(lambda right, left: left + right, reversed(shards)) == whole
    assert whole + RankedLists.empty() == whole == RankedLists.empty() + whole


@given(rows=ROWS)
def test_grouping_does_not_matter(rows: list[Row]) -> None:
    one, two, three = (from_rows(part) if part else RankedLists.empty() for part in cut(rows, [4, 8]))
    assert (one + two) + three == one + (two + three)


@given(
    judged=st.dictionaries(st.tuples(st.sampled_from("abc"), st.sampled_from("uvwxyz")), st.integers(-1, 3)),
    retrieved=st.dictionaries(
        st.tuples(st.sampled_from("abcd"), st.sampled_from("uvwxyz")), st.floats(-1, 1)
    ),
    places=st.lists(st.integers(0, 100), max_size=3),
)
def test_a_run_in_pieces_is_judged_as_the_whole_run(
    judged: dict[tuple[str, str], int], retrieved: dict[tuple[str, str], float], places: list[int]
) -> None:
    qrels = qrels_of(judged)
    shards = [
        RankedLists.from_qrels(qrels, run_of(dict(shard))) for shard in cut(list(retrieved.items()), places)
    ]
    whole = RankedLists.from_qrels(qrels, run_of(retrieved))
    assert functools.reduce(operator.add, shards) == whole
    assert [part.tolist() for part in (shards[0] + whole if not shards[0].queries else whole).lost] == [
        part.tolist() for part in whole.lost
    ]


def test_qrels_in_pieces_of_whole_queries_add_up() -> None:
    first = {pair: grade for pair, grade in JUDGED.items() if pair[0] == "q2"}
    second = {pair: grade for pair, grade in JUDGED.items() if pair[0] != "q2"}
    run = run_of(RETRIEVED)
    parts = [RankedLists.from_qrels(qrels_of(part), run) for part in (first, second)]
    assert parts[0] + parts[1] == parts[1] + parts[0] == RankedLists.from_qrels(qrels_of(JUDGED), run)


def test_what_does_not_belong_together_is_refused() -> None:
    def lists(**options: Any) -> RankedLists:
        return RankedLists.from_scores([1, 0], [1, 2], groups=["a", "a"], **options)

    with pytest.raises(MergeError, match="targets from grade 1, the other targets from grade 2"):
        _ = lists() + lists(relevant_from=2)
    with pytest.raises(MergeError, match="with ids, the other items without ids"):
        _ = lists(ids=["x", "y"]) + lists()
    run = RankedLists.from_qrels(qrels_of({("a", "z"): 1}), run_of({("a", "z"): 1.0}))
    with pytest.raises(MergeError, match="all items, the other the items that a run retrieved"):
        _ = lists(ids=["x", "y"]) + run
    with pytest.raises(InputError, match="query 'a' has id 'x' twice"):
        _ = lists(ids=["x", "y"]) + lists(ids=["z", "x"])
    other = RankedLists.from_qrels(qrels_of({("a", "z"): 2}), run_of({("a", "y"): 1.0}))
    with pytest.raises(MergeError, match="query 'a' was judged differently"):
        _ = run + other
    assert run.__add__(1) is NotImplemented  # type: ignore[operator]  # wrong on purpose


def test_some_queries() -> None:
    lists = RankedLists.from_scores([1, 0, 1, 0], [1, 2, 3, 4], groups=[1, 2, 2, 3])
    assert items_of(lists.select([3, 1])) == {1: [(1, 1.0, None)], 3: [(0, 4.0, None)]}
    assert lists.select(["2"]).queries == (2,)
    assert lists.select([]).number == 0
    assert lists.select([1, 2, 3]) is lists
    run = RankedLists.from_qrels(qrels_of(JUDGED), run_of(RETRIEVED))
    assert run.select(run.queries).absent == ()
    assert run.select(["q2"]).targets.tolist() == [2]
    with pytest.raises(InputError, match="no label 4"):
        lists.select([4])


@given(rows=ROWS, with_ids=st.booleans())
def test_plain_values_come_back_through_json(rows: list[Row], with_ids: bool) -> None:
    lists = from_rows(rows, with_ids=with_ids)
    assert RankedLists.from_dict(json.loads(json.dumps(lists.to_dict(), allow_nan=False))) == lists


def test_a_judged_run_comes_back_through_json() -> None:
    lists = RankedLists.from_qrels(qrels_of(JUDGED), run_of(RETRIEVED), relevant_from=2, empty_is_zero=True)
    again = RankedLists.from_dict(json.loads(json.dumps(lists.to_dict(), allow_nan=False)))
    assert again == lists
    assert (again.relevant_from, again.absent, again.empty_is_zero) == (2, ("q3",), True)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "ranking"},
        {"queries": ["q2", "q10"]},
        {"starts": [0, 1]},
        {"starts": [0, 3, 2]},
        {"starts": [0, 2.0, 4]},
        {"scores": [1, 2, 3, "a"]},
        {"scores": [1, 2, 3, "nan"]},
        {"grades": [-2, 0, 0, 0]},
        {"grades": [1, 1, 1, 1]},
        {"grades": [2**70, 0, 0, 0]},
        {"ids": ["a", "a", "b", "c"]},
        {"ids": ["a", "b"]},
        {"relevant_from": 0},
        {"relevant_from": "1"},
        {"judged": {"queries": ["q2"], "starts": [0, 0], "grades": [], "numbers": []}},
        {"judged": {"queries": ["q10", "q2"], "starts": [0, 0, 2], "grades": [1, 0], "numbers": [1, 1]}},
        {"judged": {"queries": ["q10", "q2"], "starts": [0, 0, 9], "grades": [0, 1], "numbers": [1, 1]}},
        {"dropped": -1},
    ],
)
def test_plain_values_that_are_no_lists_are_refused(change: dict[str, Any]) -> None:
    payload = RankedLists.from_qrels(qrels_of(JUDGED), run_of(RETRIEVED)).to_dict()
    with pytest.raises((InputError, OptionError)):
        RankedLists.from_dict(payload | change)


def test_lists_say_what_they_are() -> None:
    lists = RankedLists.from_scores([1, 0, 1], [1, 2, 3], groups=[1, 1, 2])
    assert repr(lists) == "<RankedLists: 2 lists, 3 items, 2 targets>"
    assert lists != 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(lists)
