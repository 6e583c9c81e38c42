"""Rankings: what columns become one, what a cut counts, and what does not merge or come back."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth import ContingencyTable, EdgeworthError, Ranking
from edgeworth.errors import InputError, MergeError, OptionError
from edgeworth.rankings.scores.by_class import ScoresByClass
from edgeworth.sources.columns import as_column

INFINITE = math.inf
SCORES = [0.9, 0.4, 0.4, 0.1]


def scores_of(ranking: Ranking) -> tuple[list[float], list[float]]:
    """Scores of targets and of background, each as often as it occurs."""
    runs = (ranking.targets, ranking.background)
    return tuple(
        run.scores.tolist() if run.weight is None else np.repeat(run.scores, run.weight).tolist()
        for run in runs
    )


# -- truth ---------------------------------------------------------------------------------------------

PLAIN: dict[str, Any] = {
    "booleans": [True, False, True, False],
    "numpy booleans": np.array([True, False, True, False]),
    "integers": [1, 0, 1, 0],
    "small integers": np.array([1, 0, 1, 0], dtype=np.int8),
    "unsigned": np.array([1, 0, 1, 0], dtype=np.uint64),
    "floats": np.array([1.0, 0.0, 1.0, 0.0]),
    "single floats": np.array([1, 0, 1, 0], dtype=np.float32),
    "floats in a list": [1.0, 0.0, 1.0, 0.0],
    "minus one and one": [1, -1, 1, -1],
    "minus one as float": np.array([1.0, -1.0, 1.0, -1.0]),
    "yes and no": ["yes", "no", "yes", "no"],
    "in capitals": ["Yes", "No", "Yes", "No"],
    "y and n": np.array(["y", "n", "y", "n"]),
    "positive": ["pos", "neg", "pos", "neg"],
    "plus": ["+", "-", "+", "-"],
    "true as text": ["true", "false", "true", "false"],
    "pandas": pd.Series([1, 0, 1, 0]),
    "pandas booleans": pd.Series([True, False, True, False]),
    "pandas nullable": pd.Series([1, 0, 1, 0], dtype="Int64"),
    "pandas nullable booleans": pd.Series([True, False, True, False], dtype="boolean"),
    "pandas categories": pd.Series(["yes", "no", "yes", "no"]).astype("category"),
    "pandas index": pd.Series([1, 0, 1, 0], index=[7, 7, 1, 0]),
    "polars": pl.Series([1, 0, 1, 0]),
    "polars booleans": pl.Series([True, False, True, False]),
    "polars categories": pl.Series(["yes", "no", "yes", "no"], dtype=pl.Categorical),
    "polars enum": pl.Series(["yes", "no", "yes", "no"], dtype=pl.Enum(["no", "yes"])),
    "arrow": pa.array([1, 0, 1, 0]),
    "arrow booleans": pa.array([True, False, True, False]),
    "one column": np.array([[1], [0], [1], [0]]),
}


@pytest.mark.parametrize("truth", PLAIN.values(), ids=PLAIN)
def test_truth_of_every_kind(truth: Any) -> None:
    ranking = Ranking.from_scores(truth, SCORES)
    assert scores_of(ranking) == ([0.4, 0.9], [0.1, 0.4])
    assert ew.measure(ranking, "roc_auc") == 0.875
    assert ranking.at_threshold(0.5).counts.sum() == 4


NAMED: dict[str, tuple[Any, Any]] = {
    "text": (["spam", "ham", "spam", "ham"], "spam"),
    "several others": (["spam", "ham", "spam", "eggs"], "spam"),
    "numbers": ([2, 1, 2, 1], 2),
    "numbers as they are written": ([2, 1, 2, 1], "2"),
    "the lower number": ([0, 1, 0, 1], 0),
    "numpy's number": ([2, 1, 2, 1], np.int64(2)),
    "floats": ([2.0, 1.5, 2.0, 1.5], 2),
    "bytes": ([b"spam", b"ham", b"spam", b"ham"], "spam"),
    "True": ([True, False, True, False], True),
    "False": ([False, True, False, True], False),
    "grades": ([3, 0, 3, 1], 3),
}


@pytest.mark.parametrize(("truth", "positive"), NAMED.values(), ids=NAMED)
def test_the_positive_class_is_named(truth: list[Any], positive: Any) -> None:
    ranking = Ranking.from_scores(truth, SCORES, positive=positive)
    assert scores_of(ranking) == ([0.4, 0.9], [0.1, 0.4])
    assert str(ranking.target) == (positive if isinstance(positive, str) else str(positive))


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        (["spam", "ham", "ham", "ham"], "truth has the labels 'ham', 'spam': name the target"),
        ([1, 2, 2, 2], "truth has the labels 1, 2: name the target"),
        ([0, 1, 2, 0], "truth has the labels 0, 1, 2"),
        (["a"] * 4, "truth has the label 'a': name the target"),
        ([-1] * 4, "truth has the label -1: name the target"),
        ([0.2, 0.3, 0.3, 0.4], r"0\.2, 0\.3, 0\.4"),
    ],
)
def test_an_unclear_target_is_asked_for(truth: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Ranking.from_scores(truth, SCORES)


def test_a_positive_label_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match=r"there is no label 'spma'; the labels are .*spam"):
        Ranking.from_scores(["spam", "ham"], [1, 2], positive="spma")


def test_a_score_given_as_truth_is_recognised() -> None:
    scores = np.linspace(0, 1, 6000)
    with pytest.raises(InputError, match="looks like regression"):
        Ranking.from_scores(scores, scores)


@pytest.mark.parametrize(
    ("truth", "target", "rest"),
    [
        ([1, 1], 1, "not 1"),
        ([0, 0], 1, 0),
        (["no", "no"], "yes", "no"),
        (["Yes", "Yes"], "Yes", "not Yes"),
        (np.array([False, False]), True, False),
    ],
)
def test_one_class_only(truth: Any, target: Any, rest: Any) -> None:
    ranking = Ranking.from_scores(truth, [1, 2])
    assert (ranking.target, ranking.rest) == (target, rest)
    assert ranking.total == 2
    assert math.isnan(ew.measure(ranking, "roc_auc"))
    table = ranking.at_threshold(1.5)
    assert table.counts.sum() == 2
    assert table.positive == target


@pytest.mark.parametrize("others", [["a", "b"], ["a"], ["a", "b", "other one"]])
def test_a_target_called_other_is_kept_apart_from_the_rest(others: list[str]) -> None:
    """The rest of several classes has a name of our own; a class may have that name already."""
    truth = ["other", *others]
    ranking = Ranking.from_scores(truth, list(range(len(truth))), positive="other")
    assert ranking.target == "other"
    assert ranking.rest != "other"
    table = ranking.at_threshold(1)
    assert table.counts[table.labels.index("other")].sum() == len(others)
    one, two = (Ranking.from_scores(["other", name], [1, 2], positive="other") for name in ("a", "b"))
    assert (one + two).rest != "other"
    assert (one + two).at_threshold(1).counts.sum() == 4


# -- scores, weights, missing --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "scores",
    [
        [4, 2, 2, 1],
        np.array([4, 2, 2, 1], dtype=np.float32),
        np.array([4, 2, 2, 1], dtype=np.uint8),
        pl.Series([4, 2, 2, 1]),
        pd.Series([4, 2, 2, 1], dtype="Int64"),
        pa.array([4.0, 2, 2, 1]),
    ],
    ids=lambda scores: type(scores).__name__,
)
def test_scores_of_other_kinds(scores: Any) -> None:
    assert Ranking.from_scores([1, 0, 1, 0], scores) == Ranking.from_scores(
        [1, 0, 1, 0], [4.0, 2.0, 2.0, 1.0]
    )


def test_decisions_are_scores_too() -> None:
    ranking = Ranking.from_scores([1, 0, 1, 0], [True, False, False, False])
    assert ew.measure(ranking, "average_precision(ties=threshold)") == 0.75


def test_infinite_scores_rank_first_and_last() -> None:
    ranking = Ranking.from_scores([1, 0, 1, 0], [INFINITE, 5, -INFINITE, -7])
    assert ranking.at_threshold(INFINITE).counts.tolist() == [[2, 1], [0, 1]]
    assert ranking.at_threshold(-INFINITE).counts.tolist() == [[0, 0], [2, 2]]
    assert ew.measure(ranking, "average_precision") == pytest.approx((1 + 2 / 4) / 2)


def test_zero_has_one_sign() -> None:
    ranking = Ranking.from_scores([1, 0], [0.0, -0.0])
    assert ew.measure(ranking, "roc_auc") == 0.5
    assert ranking == Ranking.from_scores([1, 0], [-0.0, 0.0])
    assert "-0.0" not in json.dumps(ranking.to_dict())
    counted = Ranking.from_scores([1, 1, 0], [0.0, -0.0, 1.0], weights=[1, 2, 1])
    assert counted.targets.scores.tolist() == [0.0]


ROWS = ([1, 0, 1], [0.5, 0.2, 0.1])
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "a missing score": ({"scores": [0.5, None, 0.1]}, r"the score is missing \(or not a number\) in row 2"),
    "NaN": (
        {"scores": [0.5, 0.2, math.nan]},
        r"the score is missing \(or not a number\) in row 3 \(1 such row\)",
    ),
    "a missing class": (
        {"truth": [1, None, None]},
        r"truth is missing .* in row 2 \(2 such rows\): to drop such rows, pass missing=",
    ),
    "NaN as class": ({"truth": np.array([math.nan, 0, 1])}, r"truth is missing .* in row 1"),
    "a policy of decisions": ({"missing": "abstain"}, 'missing must be "error" or "drop"'),
    "text": ({"scores": ["a", "b", "c"]}, "scores must be numbers"),
    "huge whole numbers": ({"scores": [2**60, 1, 2]}, r"beyond 2\^53"),
    "fewer scores": ({"scores": [1, 2]}, "truth has 3, scores has 2"),
    "fewer weights": ({"weights": [1, 2]}, "scores has 3, weights has 2"),
    "a negative weight": ({"weights": [1, 1, -1]}, "weights must be finite and at least 0; row 3 has -1"),
    "a weight that is NaN": ({"weights": [1.0, math.nan, 1]}, "row 2 has nan"),
    "an infinite weight": ({"weights": [INFINITE, 1, 1]}, "row 1 has inf"),
    "weights as text": ({"weights": ["x", "y", "z"]}, "weights must be numbers"),
    "fractions as counts": (
        {"weights": [0.5, 1, 1], "weight_kind": "counts"},
        "whole numbers; row 1 has 0.5",
    ),
    "an unknown kind of weights": ({"weights": [1, 1, 1], "weight_kind": "best"}, "weight_kind is"),
    "negative unranked": ({"unranked": -1}, "unranked must be at least 0"),
    "unranked that is NaN": ({"unranked": math.nan}, "unranked must be at least 0"),
    "unranked without end": ({"unranked": INFINITE}, "unranked must be at least 0"),
    "unranked as text": ({"unranked": "two"}, "unranked must be at least 0"),
}


@pytest.mark.parametrize(("change", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_ranked_is_refused(change: dict[str, Any], message: str) -> None:
    given = {"truth": ROWS[0], "scores": ROWS[1]} | change
    with pytest.raises(EdgeworthError, match=message):
        Ranking.from_scores(given.pop("truth"), given.pop("scores"), **given)


@pytest.mark.parametrize("nothing", [([], []), (np.zeros(0, dtype=bool), np.zeros(0))])
def test_nothing_is_refused(nothing: tuple[Any, Any]) -> None:
    with pytest.raises(InputError, match="there are no cases: truth and scores are empty"):
        Ranking.from_scores(*nothing)


@pytest.mark.parametrize("options", [{}, {"positive": 1}])
def test_nothing_that_is_complete_is_refused_in_those_words(options: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="there are no cases: all 2 rows lack"):
        Ranking.from_scores([1, None], [None, 0.5], missing="drop", **options)


def test_incomplete_rows_are_dropped_and_counted() -> None:
    truth = ["yes", None, "no", "yes", "no", None]
    scores = [0.5, 0.4, math.nan, 0.3, 0.2, None]
    ranking = Ranking.from_scores(truth, scores, missing="drop")
    assert ranking.dropped == 3
    assert scores_of(ranking) == ([0.3, 0.5], [0.2])
    assert ranking.at_threshold(0.4).dropped == 3
    complete = Ranking.from_scores(["yes", "yes", "no"], [0.5, 0.3, 0.2], missing="drop")
    assert (complete.targets, complete.background) == (ranking.targets, ranking.background)
    assert complete.dropped == 0


def test_rows_of_weight_nought_that_are_incomplete_are_not_overlooked() -> None:
    """Whether another row is incomplete must not decide about this one."""
    with pytest.raises(InputError, match=r"the score is missing .* in row 1"):
        Ranking.from_scores([1, 0], [math.nan, 0.2], weights=[0, 1])
    alone = Ranking.from_scores([1, 0], [math.nan, 0.2], weights=[0, 1], missing="drop")
    beside = Ranking.from_scores([1, 0, 1], [math.nan, 0.2, math.nan], weights=[0, 1, 1], missing="drop")
    assert (alone.dropped, beside.dropped) == (1, 2)


def test_whole_weights_count_and_fractions_weigh() -> None:
    counted = Ranking.from_scores([1, 0, 1], [0.5, 0.2, 0.1], weights=[2, 3, 0])
    assert counted.is_counted
    assert (counted.target_total, counted.ranked_total) == (2, 3 + 2)
    assert isinstance(counted.target_total, int)
    assert counted.targets.scores.tolist() == [0.5]
    sampled = Ranking.from_scores([1, 0, 1], [0.5, 0.2, 0.5], weights=[2.0, 3.0, 1.5])
    assert not sampled.is_counted
    assert sampled.targets.weight is not None
    assert sampled.targets.square is not None
    assert (sampled.targets.weight.tolist(), sampled.targets.square.tolist()) == ([3.5], [4.0 + 2.25])
    declared = Ranking.from_scores([1, 0], [0.5, 0.2], weights=[2, 3], weight_kind="sampling")
    assert not declared.is_counted
    assert Ranking.from_scores([1, 0], [0.5, 0.2], weights=[2.0, 3.0], weight_kind="counts").is_counted
    assert not Ranking.from_scores([1, 0], [0.5, 0.2], unranked=0.5).is_counted


def test_counts_and_weights_add_up_to_weights() -> None:
    counted = Ranking.from_scores([1, 1, 0], [0.5, 0.5, 0.2])
    sampled = Ranking.from_scores([1, 0], [0.5, 0.7], weights=[0.5, 0.25])
    for both in (counted + sampled, sampled + counted):
        assert both.targets.weight is not None
        assert both.targets.square is not None
        assert both.targets.weight.tolist() == [2.5]
        assert both.targets.square.tolist() == [2.25]
        assert both.background.scores.tolist() == [0.2, 0.7]


def test_the_arrays_of_the_caller_are_neither_changed_nor_kept() -> None:
    truth, scores = np.array([1, 0, 1]), np.array([0.3, 0.2, 0.9])
    ranking = Ranking.from_scores(truth, scores)
    scores[:] = 0.0
    truth[:] = 0
    assert scores_of(ranking) == ([0.3, 0.9], [0.2])
    with pytest.raises(ValueError, match="read-only"):
        ranking.targets.scores[0] = 1.0


# -- hits ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "hits", [[1, 0, 1], [True, False, True], np.array([1.0, 0.0, 1.0]), pd.Series([1, 0, 1]), (1, 0, 1)]
)
def test_hits_from_best_to_worst(hits: Any) -> None:
    ranking = Ranking.from_hits(hits)
    assert ew.measure(ranking, "average_precision") == pytest.approx((1 + 2 / 3) / 2)
    assert ranking.at_depth(2).counts.tolist() == [[0, 1], [1, 1]]


@given(st.lists(st.integers(0, 1), min_size=1, max_size=30), st.integers(0, 3))
def test_hits_equal_falling_scores(hits: list[int], unranked: int) -> None:
    listed = Ranking.from_hits(hits, unranked=unranked)
    scored = Ranking.from_scores(hits, [-index for index in range(len(hits))], unranked=unranked)
    assert listed.target_total == sum(hits) + unranked
    for spelling in ("average_precision", "roc_auc", "ndcg", "precision@2", "recall@3"):
        assert ew.measure(listed, spelling) == pytest.approx(ew.measure(scored, spelling), nan_ok=True)


@pytest.mark.parametrize(
    ("hits", "message"),
    [
        ([1, 2, 0], "hits are 1 or 0; saw 2"),
        ([1, None], "hits are 1 or 0; saw nan"),
        ([0.5], "hits are 1 or 0; saw 0.5"),
        ([], "the list is empty"),
        (["yes", "no"], "hits must be numbers"),
    ],
)
def test_what_is_no_hit_is_refused(hits: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Ranking.from_hits(hits)


def test_lists_of_hits_do_not_merge() -> None:
    listed, scored = Ranking.from_hits([1, 0]), Ranking.from_scores([1, 0], [1, 2])
    for left, right in ((listed, listed), (listed, scored), (scored, listed)):
        with pytest.raises(MergeError, match="have ranks but no scores"):
            left + right
    assert listed + Ranking.empty() == listed == Ranking.empty() + listed


# -- cuts ----------------------------------------------------------------------------------------------

Row = tuple[int, float, int]
"""Truth, score, frequency."""

LEVELS = st.sampled_from([0.0, 0.25, 0.5, 1.0, INFINITE, -INFINITE, 1e308, 5e-324])
rows_strategy = st.lists(st.tuples(st.integers(0, 1), LEVELS, st.integers(0, 3)), min_size=1, max_size=7)


def decided(table: ContingencyTable) -> list[list[float]]:
    """Cells with predictions in rows, background first."""
    assert table.labels == (0, 1)
    return table.counts.tolist()


@given(rows_strategy, st.integers(0, 2), LEVELS | st.sampled_from([0.3, 2.0]))
def test_a_threshold_counts_row_by_row(rows: list[Row], unranked: int, threshold: float) -> None:
    truth, scores, often = (list(column) for column in zip(*rows, strict=True))
    for weights, of in ((None, [1] * len(rows)), (often, often)):
        ranking = Ranking.from_scores(
            truth, scores, weights=weights, unranked=unranked, positive=_known(truth)
        )
        wanted = [[0, unranked], [0, 0]]
        for real, score, number in zip(truth, scores, of, strict=True):
            wanted[int(score >= threshold)][real] += number
        table = ranking.at_threshold(threshold)
        if set(truth) == {0, 1}:
            assert decided(table) == wanted
        assert table.cells.dtype == np.int64
        assert table.counts.sum() == sum(of) + unranked


def _known(truth: list[int]) -> int | None:
    return 1 if 1 in truth else None


def mean_table(rows: list[tuple[int, float]], depth: int) -> list[list[Fraction]]:
    """The table at a depth, averaged over every order of tied rows."""
    groups = [
        sorted(set(itertools.permutations([real for real, score in rows if score == level])))
        for level in sorted({score for _, score in rows}, reverse=True)
    ]
    orders = [list(itertools.chain.from_iterable(parts)) for parts in itertools.product(*groups)]
    cells = [[Fraction(0), Fraction(0)], [Fraction(0), Fraction(0)]]
    for order in orders:
        for index, real in enumerate(order):
            cells[int(index < depth)][real] += Fraction(1, len(orders))
    return cells


ENDS: list[Row] = [(1, INFINITE, 1), (0, INFINITE, 1), (0, INFINITE, 1), (1, 0.5, 1), (0, -INFINITE, 1)]


@given(rows_strategy, st.integers(1, 9))
@example(ENDS, 1)
@example(ENDS, 2)
@example([(1, -INFINITE, 1), (0, -INFINITE, 1), (1, 1.0, 1)], 2)
@example([(1, 1e308, 1), (0, 1e308, 1), (1, INFINITE, 1)], 2)
def test_a_depth_is_the_mean_over_all_orders(rows: list[Row], depth: int) -> None:
    rows = [*rows, (1, 0.5, 1), (0, 0.5, 1)]
    truth, scores, often = (list(column) for column in zip(*rows, strict=True))
    spread = [(real, score) for real, score, number in rows for _ in range(number)]
    for ranking, of in (
        (Ranking.from_scores(truth, scores), [(real, score) for real, score, _ in rows]),
        (Ranking.from_scores(truth, scores, weights=often), spread),
    ):
        if len(of) > 12:
            continue
        table = ranking.at_depth(depth)
        wanted = mean_table(of, depth)
        for result, exact in zip(decided(table), wanted, strict=True):
            assert result == pytest.approx([float(number) for number in exact], abs=1e-12)
        if all(number.denominator == 1 for row in wanted for number in row) and table.cells.dtype == np.int64:
            assert decided(table) == wanted


def test_a_tie_that_straddles_the_depth() -> None:
    ranking = Ranking.from_scores([1, 0, 0, 1], [2, 2, 2, 1], unranked=1)
    table = ranking.at_depth(1)
    assert decided(table) == [
        [pytest.approx(4 / 3), pytest.approx(8 / 3)],
        [pytest.approx(2 / 3), pytest.approx(1 / 3)],
    ]
    assert not table.is_counted
    assert decided(ranking.at_depth(3)) == [[0, 2], [2, 1]]
    assert ranking.at_depth(3).is_counted
    assert decided(ranking.at_depth(4)) == decided(ranking.at_depth(10**12)) == [[0, 1], [2, 2]]


def test_sampling_weights_at_a_depth_are_shares_of_weight() -> None:
    ranking = Ranking.from_scores([1, 0, 1, 0], [3, 2, 2, 1], weights=[1.0, 1.0, 3.0, 5.0])
    assert decided(ranking.at_depth(1)) == [[6.0, 3.0], [0.0, 1.0]]
    assert decided(ranking.at_depth(3)) == [[5.5, 1.5], [0.5, 2.5]]
    table = ranking.at_threshold(2)
    assert table.squared is not None
    assert decided(table) == [[5.0, 0.0], [1.0, 4.0]]
    assert table.squared[:2].tolist() == [[25.0, 0.0], [1.0, 10.0]]


@pytest.mark.parametrize("depth", [0, -1, 2.5, math.nan, "two", None])
def test_what_is_no_depth_is_refused(depth: Any) -> None:
    with pytest.raises(EdgeworthError, match="a depth is a"):
        Ranking.from_scores([1, 0, 1], [3, 2, 1]).at_depth(depth)


@pytest.mark.parametrize("threshold", [math.nan, "half", None])
def test_what_is_no_threshold_is_refused(threshold: Any) -> None:
    with pytest.raises(EdgeworthError, match="threshold"):
        Ranking.from_scores([1, 0, 1], [3, 2, 1]).at_threshold(threshold)


def test_a_cut_is_a_table_with_its_positive_label() -> None:
    ranking = Ranking.from_scores(["spam", "ham", "eggs"], [3, 2, 1], positive="spam")
    table = ranking.at_threshold(2)
    assert (table.labels, table.positive) == (("other", "spam"), "spam")
    assert ew.measure(table, "precision") == ew.measure(ranking, "precision@2") == 0.5


# -- merging -------------------------------------------------------------------------------------------


def test_rankings_of_different_targets_do_not_merge() -> None:
    spam = Ranking.from_scores(["spam", "ham"], [1, 2], positive="spam")
    ham = Ranking.from_scores(["spam", "ham"], [1, 2], positive="ham")
    with pytest.raises(MergeError, match="different targets: 'spam' and 'ham'"):
        spam + ham
    assert (spam + spam).labels == ("ham", "spam")
    assert (spam + Ranking.from_scores(["spam", "eggs"], [1, 2], positive="spam")).rest == "other"
    assert (Ranking.from_scores([0, 0], [1, 2]) + Ranking.from_scores([1, 1], [1, 2])).labels == (0, 1)
    with pytest.raises(TypeError):
        spam + 1


@pytest.mark.parametrize(
    "tally",
    [
        Ranking.from_scores([1, 0], [0.5, 0.2], weights=[0, 0]),
        Ranking.from_scores([1, 0], [0.5, 0.2], weights=[0.0, 0.0]),
        Ranking.from_scores([1, 0], [0.5, 0.2], weights=[0, 0], bins=4),
        Ranking.from_scores([1, 0], [0.5, 0.2], weights=[0, 2], bins=4),
        Ranking.from_scores([1, None], [0.5, 0.2], missing="drop"),
        Ranking.from_scores([0, 0], [0.5, 0.2], unranked=2),
    ],
    ids=str,
)
def test_adding_nothing_keeps_names_and_cells(tally: Ranking) -> None:
    """Rows that weigh nothing leave no scores, but they had a class."""
    assert tally + Ranking.empty() == tally
    assert Ranking.empty() + tally == tally


def test_unranked_targets_add_up() -> None:
    one = Ranking.from_scores([1, 0], [1, 2], unranked=2)
    assert (one + one).unranked == 4
    assert (one + one).target_total == 6
    assert (one + Ranking.from_scores([1, 0], [1, 2], unranked=0.5)).unranked == 2.5


labelled_rows = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", "c", None]), st.sampled_from([0.1, 0.2, 0.3, math.nan]), st.integers(0, 2)
    ),
    min_size=1,
    max_size=9,
)


def labelled(rows: list[Any], **options: Any) -> ScoresByClass:
    truth = as_column([row[0] for row in rows], "truth")
    scores = np.array([row[1] for row in rows], dtype=np.float64)
    return ScoresByClass.from_columns(truth, scores, missing="drop", **options)


@given(labelled_rows, st.integers(0, 9), st.booleans())
def test_scores_by_class_merge_before_the_target_is_known(
    rows: list[Any], position: int, is_weighted: bool
) -> None:
    def of(part: list[Any]) -> ScoresByClass:
        return labelled(
            part, weights=np.array([row[2] for row in part], dtype=np.int64) if is_weighted else None
        )

    whole, parts = of(rows), of(rows[:position]) + of(rows[position:])
    assert whole.labels == parts.labels
    assert whole.dropped == parts.dropped
    for target in whole.labels:
        assert Ranking.from_scores_by_class(whole, positive=target) == Ranking.from_scores_by_class(
            parts, positive=target
        )


def test_classes_get_new_names() -> None:
    known = labelled([("a", 0.1), ("b", 0.2), ("c", 0.3)])
    merged = known.rename({"a": "x", "b": "x", "c": "y"})
    assert merged.labels == ("x", "y")
    assert merged.scores["x"].scores.tolist() == [0.1, 0.2]


# -- plain values --------------------------------------------------------------------------------------

EVERY: dict[str, Ranking] = {
    "empty": Ranking.empty(),
    "plain": Ranking.from_scores([1, 0, 1], [0.5, 0.2, 0.5]),
    "text": Ranking.from_scores(["spam", "ham", "eggs"], [3, 2, 1], positive="spam"),
    "counts": Ranking.from_scores([1, 0, 1], [0.5, 0.2, 0.5], weights=[2, 0, 2**53 - 3]),
    "weights": Ranking.from_scores([1, 0, 1], [0.5, 0.2, 0.5], weights=[0.1, 0.2, 1e-60]),
    "no weight": Ranking.from_scores([1, 0], [0.5, 0.2], weights=[0.0, 0.0]),
    "cells": Ranking.from_scores([1, 0, 1], [0.5, 0.2, 0.99], bins=10),
    "below the first edge": Ranking.from_scores([1, 0, 1], [0.5, -2, 0.99], bins=[0.0, 0.5]),
    "hits": Ranking.from_hits([1, 0, 0, 1]),
    "unranked": Ranking.from_scores([1, 0], [0.5, 0.2], unranked=3),
    "unranked of numpy": Ranking.from_scores([1, 0], [0.5, 0.2], unranked=np.int64(3)),
    "unranked weight": Ranking.from_scores([1, 0], [0.5, 0.2], unranked=0.25),
    "dropped": Ranking.from_scores([1, None, 0], [0.5, 0.2, 0.1], missing="drop"),
    "infinite": Ranking.from_scores([1, 0], [INFINITE, -INFINITE]),
    "infinite twice": Ranking.from_scores(
        [1, 0, 1, 0, 0], [INFINITE, INFINITE, INFINITE, -INFINITE, -INFINITE]
    ),
    "one class": Ranking.from_scores([1, 1], [0.5, 0.2]),
}


@pytest.mark.parametrize("ranking", EVERY.values(), ids=EVERY)
def test_plain_values_come_back_through_json(ranking: Ranking) -> None:
    again = Ranking.from_dict(json.loads(json.dumps(ranking.to_dict(), allow_nan=False)))
    assert again == ranking
    assert again.to_dict() == ranking.to_dict()
    assert again.is_counted == ranking.is_counted


def changed(ranking: Ranking, **fields: Any) -> dict[str, Any]:
    payload: dict[str, Any] = json.loads(json.dumps(ranking.to_dict()))
    return payload | fields


def with_run(ranking: Ranking, **fields: Any) -> dict[str, Any]:
    payload = changed(ranking)
    return payload | {"targets": payload["targets"] | fields}


PLAIN_ONE, COUNTS, WEIGHTS, CELLS = (EVERY[name] for name in ("plain", "counts", "weights", "cells"))
DAMAGED: dict[str, Any] = {
    "nothing": {},
    "another kind": changed(PLAIN_ONE, kind="ranked_lists"),
    "no targets": changed(PLAIN_ONE, targets=None),
    "targets as a list": changed(PLAIN_ONE, targets=[0.5]),
    "no background": {key: value for key, value in changed(PLAIN_ONE).items() if key != "background"},
    "no scores": with_run(PLAIN_ONE, scores=None),
    "scores as text": with_run(PLAIN_ONE, scores=["0.5", "0.7"]),
    "a score that is NaN": with_run(PLAIN_ONE, scores=[0.5, math.nan]),
    "a score that says nan": with_run(PLAIN_ONE, scores=["nan"]),
    "a null score": with_run(PLAIN_ONE, scores=[None]),
    "a boolean score": with_run(PLAIN_ONE, scores=[True]),
    "nested scores": with_run(PLAIN_ONE, scores=[[0.5]]),
    "a score beyond floats": with_run(PLAIN_ONE, scores=[10**400]),
    "falling scores": with_run(PLAIN_ONE, scores=[0.5, 0.4]),
    "infinity first": with_run(PLAIN_ONE, scores=["inf", 0.5]),
    "a weighted score twice": with_run(COUNTS, scores=[0.5, 0.5], weight=[1, 2]),
    "infinity twice with weights": with_run(COUNTS, scores=["inf", "inf"], weight=[1, 2]),
    "too many weights": with_run(COUNTS, weight=[1, 2]),
    "a weight too few": with_run(COUNTS, weight=[]),
    "a negative weight": with_run(COUNTS, weight=[-1]),
    "a weight that is NaN": with_run(WEIGHTS, weight=[math.nan]),
    "an infinite weight": with_run(WEIGHTS, weight=[INFINITE]),
    "a weight as text": with_run(COUNTS, weight=["2"]),
    "nested weights": with_run(COUNTS, weight=[[2]]),
    "weights without squares": with_run(WEIGHTS, square=None),
    "counts with squares": with_run(COUNTS, square=[4.0]),
    "squares without weights": with_run(PLAIN_ONE, square=[1.0, 1.0]),
    "a negative square": with_run(WEIGHTS, square=[-1.0]),
    "too many squares": with_run(WEIGHTS, square=[1.0, 1.0]),
    "no labels": changed(PLAIN_ONE, labels=None),
    "one label": changed(PLAIN_ONE, labels=[0]),
    "three labels": changed(PLAIN_ONE, labels=[0, 1, 2]),
    "a list as label": changed(PLAIN_ONE, labels=[0, [1]]),
    "one label twice": changed(PLAIN_ONE, labels=["a", "a"]),
    "no unranked": changed(PLAIN_ONE, unranked=None),
    "unranked negative": changed(PLAIN_ONE, unranked=-1),
    "unranked as text": changed(PLAIN_ONE, unranked="1"),
    "unranked as a boolean": changed(PLAIN_ONE, unranked=True),
    "unranked as a list": changed(PLAIN_ONE, unranked=[1, 2]),
    "unranked as a short list": changed(PLAIN_ONE, unranked=[1]),
    "unranked as an empty list": changed(PLAIN_ONE, unranked=[]),
    "unranked NaN": changed(PLAIN_ONE, unranked=math.nan),
    "dropped as text": changed(PLAIN_ONE, dropped="0"),
    "dropped negative": changed(PLAIN_ONE, dropped=-1),
    "no dropped": changed(PLAIN_ONE, dropped=None),
    "placed as text": changed(PLAIN_ONE, placed="no"),
    "cells as text": changed(CELLS, cells="ten"),
    "cells as a number": changed(CELLS, cells=10),
    "cells as an object": changed(CELLS, cells={}),
    "falling cells": changed(CELLS, cells=[0.5, 0.2]),
    "ragged cells": changed(CELLS, cells=[[0.5], [0.2, 0.1]]),
    "no cells at all": changed(CELLS, cells=[]),
    "scores that are not on the cells": changed(CELLS, cells=[0.0, 0.35]),
}


@pytest.mark.parametrize("payload", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_ranking_is_refused(payload: dict[str, Any]) -> None:
    with pytest.raises(EdgeworthError):
        Ranking.from_dict(payload)


def test_rankings_are_equal_by_value() -> None:
    one = Ranking.from_scores([1, 0], [0.5, 0.2])
    assert one == Ranking.from_scores([0, 1], [0.2, 0.5])
    assert one != Ranking.from_scores([1, 0], [0.5, 0.3])
    assert one != Ranking.from_scores([1, 0], [0.5, 0.2], unranked=1)
    assert one != Ranking.from_scores([1, 0], [0.5, 0.2], weights=[1, 1])
    assert one != Ranking.from_scores([True, False, None], [0.5, 0.2, 0.1], missing="drop")
    assert one != "ranking"
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_rankings_say_what_they_are() -> None:
    assert repr(Ranking.from_scores([1, 0], [1, 2])) == "<Ranking: 1 target among 2 items>"
    assert repr(Ranking.from_scores([0, 0], [1, 2], unranked=2)) == "<Ranking: 2 targets among 4 items>"
    assert repr(Ranking.empty()) == "<Ranking: 0 targets among 0 items>"


def test_an_empty_ranking_has_no_values() -> None:
    for measure in ew.catalogue(kind="rankings"):
        spelling = f"{measure.name}@3" if measure.depth == "required" else measure.name
        assert ew.measure(Ranking.empty(), spelling) == pytest.approx(
            math.nan if measure.needs else 0.0, nan_ok=True
        )
    with pytest.raises(OptionError, match="add a depth"):
        ew.measure(Ranking.empty(), "precision")
