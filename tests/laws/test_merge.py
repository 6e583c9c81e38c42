"""The laws of merging, written once and held against every tally.

Counts must agree exactly; sums of float weights depend on the order of addition, so to 1e-12.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
import operator
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeworth import (
    Calibration,
    ContingencyTable,
    ForecastScores,
    Grades,
    Paired,
    RankedLists,
    Ranking,
    Wealth,
)
from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.pairs import ForecastPairs
from edgeworth.forecasts.tally import ForecastTally, Opponent
from edgeworth.rankings.scores.by_class import ScoresByClass
from edgeworth.rankings.scores.sorted_scores import as_bins
from edgeworth.sources.columns import as_column, encode

Row = tuple[Any, Any, Any, int, float, str]
"""Truth, prediction, second prediction, frequency, sampling weight, cluster."""

# True and 1 are one label to Python, and so are 2 and 2.0: the laws must hold for them too.
LABELS = st.sampled_from(["cat", "dog", "Cat", "", 10, 9, 1, 0, True, False, 2.0, 2, 2.5, -1])
MAYBE = st.one_of(LABELS, st.none())


def rows_of(
    truth: st.SearchStrategy[Any], prediction: st.SearchStrategy[Any]
) -> st.SearchStrategy[list[Row]]:
    return st.lists(
        st.tuples(
            truth,
            prediction,
            prediction,
            st.sampled_from([0, 1, 2, 7, 2**53 + 1]),
            st.sampled_from([0.0, 0.1, 1 / 3, 1.0, 2.5, 1e-9, 1e9]),
            st.sampled_from(["ann", "bob", "cho"]),
        ),
        max_size=10,
    )


COMPLETE, ABSTAINING, INCOMPLETE = rows_of(LABELS, LABELS), rows_of(LABELS, MAYBE), rows_of(MAYBE, MAYBE)


def column(rows: list[Row], position: int) -> Any:
    return as_column([row[position] for row in rows], str(position))


def table(rows: list[Row], **options: Any) -> ContingencyTable:
    return ContingencyTable.from_columns(column(rows, 0), column(rows, 1), **options)


def clustered(rows: list[Row], **options: Any) -> ContingencyTable:
    return table(rows, clusters=column(rows, 5), **options)


def paired(rows: list[Row], **options: Any) -> Paired:
    if not rows:
        # from_labels refuses to be given nothing, which is right for a user and not for a shard.
        return Paired.empty()
    predictions = {"first": [row[1] for row in rows], "second": [row[2] for row in rows]}
    return Paired.from_labels([row[0] for row in rows], predictions, **options)


def paired_in_groups(rows: list[Row], **options: Any) -> Paired:
    predictions = {"first": column(rows, 1), "second": column(rows, 2)}
    return Paired.from_columns(column(rows, 0), predictions, column(rows, 5), **options)


SCORE_OF: dict[Any, float] = {
    "cat": 0.5,
    "dog": -2.0,
    "Cat": math.inf,
    "": -math.inf,
    None: math.nan,
    10: 10.0,
    9: 9.0,
    1: 1.0,
    0: -0.0,
    2: 2.0,
    2.5: 0.5,
    -1: 0.0,
}
"""What a prediction is worth as a score: ties, infinite ones, and both signs of 0."""


def ranking(rows: list[Row], **options: Any) -> Ranking:
    """Text is sought and numbers are not, so that every shard knows its target."""
    truth = ["yes" if isinstance(row[0], str) else None if row[0] is None else "no" for row in rows]
    scores = np.array([SCORE_OF[row[1]] for row in rows], dtype=np.float64)
    labelled = ScoresByClass.from_columns(as_column(truth, "truth"), scores, **options)
    if not labelled.scores:
        # from_scores_by_class refuses to guess a target, which is right for a user and not for a shard.
        return replace(Ranking.empty(), dropped=labelled.dropped)
    return Ranking.from_scores_by_class(labelled)


def lists(rows: list[Row], **options: Any) -> RankedLists:
    if not rows:
        return RankedLists.empty()
    grades = as_column([int(isinstance(row[0], str)) + int(row[0] == 10) * 2 for row in rows], "truth")
    scores = as_column([SCORE_OF[row[1]] for row in rows], "scores")
    return RankedLists.from_columns(grades, scores, column(rows, 5), **options)


def paired_scores(rows: list[Row], **options: Any) -> PairedScores:
    complete = [row for row in rows if row[0] is not None and row[1] is not None and row[2] is not None]
    if not complete:
        # As above: a shard may be empty, or lack what it needs in every row.
        return replace(PairedScores.empty(), dropped=len(rows))
    truth = ["yes" if isinstance(row[0], str) else None if row[0] is None else "no" for row in rows]
    scores = {name: [SCORE_OF[row[index]] for row in rows] for index, name in ((1, "one"), (2, "two"))}
    return PairedScores.from_scores(truth, scores, **options)


FORECAST_OF: dict[Any, float] = {
    "cat": 0.5,
    "dog": 0.37,
    "Cat": 0.0,
    "": 1.0,
    10: 0.11,
    9: 0.82,
    1: 0.66,
    0: 0.29,
    2: 0.05,
    2.5: 0.93,
    -1: 0.74,
}
"""What a prediction is worth as a probability; 0 and 1 are ruin when they are wrong."""

RIVALS = (0.23, 0.41, 0.58, 0.87)


def forecasts(rows: list[Row]) -> tuple[Forecasts, Forecasts]:
    """A model that may be ruined and a rival that may not, of two classes."""
    truth = np.array([int(isinstance(row[0], str)) for row in rows], dtype=np.intp)
    p = np.array([FORECAST_OF[row[1]] for row in rows], dtype=np.float64)
    q = np.array([RIVALS[len(str(row[2])) % 4] for row in rows], dtype=np.float64)
    made = (Forecasts(truth, np.stack([1 - item, item], axis=1), ("no", "yes")) for item in (p, q))
    model, rival = made
    return model, rival


def scores(rows: list[Row]) -> ForecastScores:
    if not rows:
        return ForecastScores.empty()
    model, rival = forecasts(rows)
    return ForecastScores.from_forecasts({"model": model, "rival": rival})


def calibration(rows: list[Row], **options: Any) -> Calibration:
    return Calibration.from_forecasts(forecasts(rows)[0], **options) if rows else Calibration.empty()


def pairs(rows: list[Row]) -> ForecastPairs:
    return ForecastPairs.from_forecasts(*forecasts(rows)) if rows else ForecastPairs.empty()


STARTS = (0, 3051 << 15)
"""At the start of a path cases are kept singly; up to 10⁸ of them 32,768 share a block."""

FEW_CASES = [
    ("cat", "dog", "dog", 1, 1.0, "ann"),
    (9, "dog", 10, 1, 1.0, "ann"),
    ("dog", 9, 2.5, 1, 1.0, "ann"),
    (0, 2.5, "", 1, 1.0, "ann"),
    ("cat", "Cat", "cat", 1, 1.0, "ann"),
    (2, "", 9, 1, 1.0, "ann"),
]
"""Few, so that the path of a run that was seen before need not be built again; the last two are ruin."""


def placed(cases: tuple[list[Row], int]) -> Any:
    """Rows that know their position, as shards of a path do wherever they were cut."""
    rows, start = cases
    return [(*row, max(0, start - 3) + index) for index, row in enumerate(rows)]


PLACED = st.tuples(st.lists(st.sampled_from(FEW_CASES), max_size=8), st.sampled_from(STARTS)).map(placed)


def wealth(rows: list[Any]) -> Wealth:
    total = Wealth.empty()
    # A run of neighbours is built at once; whatever is apart is merged.
    for _, run in itertools.groupby(enumerate(rows), lambda pair: pair[1][-1] - pair[0]):
        total = total + path_of(tuple(row for _, row in run))
    return total


@functools.cache
def path_of(run: tuple[Any, ...]) -> Wealth:
    return Wealth.from_forecasts(*forecasts(list(run)), first=int(run[0][-1]), ordered=True)


def evidence(rows: list[Any]) -> ForecastTally:
    total = ForecastTally.empty()
    for _, run in itertools.groupby(enumerate(rows), lambda pair: pair[1][-1] - pair[0]):
        total = total + evidence_of(tuple(row for _, row in run))
    return total


@functools.cache
def evidence_of(run: tuple[Any, ...]) -> ForecastTally:
    model, rival = forecasts(list(run))
    return ForecastTally.of(model, Opponent(rival), first=int(run[0][-1]), ordered=True)


def evidence_in_clusters(rows: list[Any]) -> ForecastTally:
    total = ForecastTally.empty()
    for _, run in itertools.groupby(enumerate(rows), lambda pair: pair[1][-1] - pair[0]):
        cases = [row for _, row in run]
        model, rival = forecasts(cases)
        clusters = encode(as_column([str(row[1])[:1] for row in cases], "clusters"), "clusters")
        first = int(cases[0][-1])
        total = total + ForecastTally.of(model, Opponent(rival), first=first, clusters=clusters)
    return total


def grades(rows: list[Row], **options: Any) -> Grades:
    """A grade of each prediction, 0.1 apart so that sums round; a missing one is unscored."""
    values = [None if row[1] is None else SCORE_OF[row[1]] for row in rows]
    finite = [None if value is None or math.isinf(value) else value + 0.1 for value in values]
    return Grades.from_grades(np.array(finite, dtype=np.float64), **options)


def right_or_wrong(rows: list[Row]) -> Grades:
    values = [None if row[1] is None else isinstance(row[1], str) for row in rows]
    return Grades.from_grades(values, ids=column(rows, 5), clusters=[row[5] > "b" for row in rows])


def frequencies(rows: list[Row]) -> Any:
    return np.array([row[3] for row in rows], dtype=np.int64)


def sampling(rows: list[Row]) -> Any:
    return np.array([row[4] for row in rows], dtype=np.float64)


@dataclass(frozen=True)
class Kind:
    """A way to count rows into a tally."""

    count: Callable[[list[Row]], Any]
    rows: st.SearchStrategy[list[Row]] = COMPLETE
    is_exact: bool = True
    has_order: bool = False
    """The rows keep their order, so that the sides of a sum matter."""


KINDS = {
    "table": Kind(table),
    "table of frequencies": Kind(lambda rows: table(rows, weights=frequencies(rows))),
    "table of sampling weights": Kind(lambda rows: table(rows, weights=sampling(rows)), is_exact=False),
    "table with abstentions": Kind(lambda rows: table(rows, missing="abstain", abstain="dog"), ABSTAINING),
    "table with dropped rows": Kind(lambda rows: table(rows, missing="drop", abstain=9), INCOMPLETE),
    "paired": Kind(paired),
    "paired with frequencies": Kind(lambda rows: paired(rows, weights=frequencies(rows))),
    "paired with sampling weights": Kind(lambda rows: paired(rows, weights=sampling(rows)), is_exact=False),
    "paired with abstentions": Kind(lambda rows: paired(rows, missing="abstain", abstain="dog"), ABSTAINING),
    "paired in groups": Kind(paired_in_groups),
    "paired in groups with frequencies": Kind(lambda rows: paired_in_groups(rows, weights=frequencies(rows))),
    "paired in groups with weights": Kind(
        lambda rows: paired_in_groups(rows, weights=sampling(rows)), is_exact=False
    ),
    "paired in groups with abstentions": Kind(
        lambda rows: paired_in_groups(rows, missing="abstain", abstain="dog"), ABSTAINING
    ),
    "paired in groups with dropped rows": Kind(
        lambda rows: paired_in_groups(rows, missing="drop"), INCOMPLETE
    ),
    "clustered": Kind(clustered),
    "clustered with frequencies": Kind(lambda rows: clustered(rows, weights=frequencies(rows))),
    "clustered with weights": Kind(lambda rows: clustered(rows, weights=sampling(rows)), is_exact=False),
    "clustered with abstentions": Kind(
        lambda rows: clustered(rows, missing="abstain", abstain="dog"), ABSTAINING
    ),
    "clustered with dropped rows": Kind(lambda rows: clustered(rows, missing="drop"), INCOMPLETE),
    "ranking": Kind(ranking),
    "ranking with frequencies": Kind(
        lambda rows: ranking(rows, weights=np.minimum(frequencies(rows), 2**40))
    ),
    "ranking with sampling weights": Kind(lambda rows: ranking(rows, weights=sampling(rows)), is_exact=False),
    "ranking on cells": Kind(lambda rows: ranking(rows, bins=as_bins([-1.0, 0.0, 0.5, 9.5]))),
    "ranking with dropped rows": Kind(lambda rows: ranking(rows, missing="drop"), INCOMPLETE),
    "ranking in clusters": Kind(lambda rows: ranking(rows, clusters=column(rows, 5))),
    "ranking in clusters with weights": Kind(
        lambda rows: ranking(rows, clusters=column(rows, 5), weights=sampling(rows)), is_exact=False
    ),
    "ranking in clusters on cells": Kind(
        lambda rows: ranking(rows, clusters=column(rows, 5), bins=as_bins([-1.0, 0.0, 0.5, 9.5]))
    ),
    "ranking in clusters with dropped rows": Kind(
        lambda rows: ranking(rows, clusters=column(rows, 5), missing="drop"), INCOMPLETE
    ),
    "lists": Kind(lists, has_order=True),
    "forecast scores": Kind(scores, is_exact=False),
    "calibration": Kind(calibration),
    "calibration on steps": Kind(lambda rows: calibration(rows, step=0.1)),
    "pairs of forecasts": Kind(pairs),
    "grades": Kind(grades, INCOMPLETE),
    "grades in clusters": Kind(lambda rows: grades(rows, clusters=column(rows, 5)), INCOMPLETE),
    "grades of items": Kind(lambda rows: grades(rows, ids=column(rows, 5)), INCOMPLETE, is_exact=False),
    "right or wrong": Kind(right_or_wrong, INCOMPLETE),
    # Sums depend on the order of addition, and numpy's last digit on how many it takes at once.
    "wealth": Kind(wealth, PLACED, is_exact=False),
    "evidence of forecasts": Kind(evidence, PLACED, is_exact=False),
    "evidence of forecasts in clusters": Kind(evidence_in_clusters, PLACED, is_exact=False),
}

every_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


def same_values(left: Any, right: Any) -> bool:
    """Nested plain values, floats to 1e-12."""
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=1e-12, abs_tol=1e-300)
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same_values(left[key], right[key]) for key in left)
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same_values, left, right))
    return bool(left == right)


def assert_same(left: Any, right: Any, kind: Kind) -> None:
    assert type(left) is type(right)
    if kind.is_exact:
        assert left == right
    assert same_values(left.to_dict(), right.to_dict())


def counts_of(tally: Any) -> list[Any]:
    if isinstance(tally, ContingencyTable):
        joint = None if tally.clusters is None else tally.clusters.joint
        return [tally.cells, *([] if joint is None else [joint.rows, joint.weight])]
    if isinstance(tally, Ranking):
        return [np.asarray(tally.targets.total), np.asarray(tally.background.total)]
    if isinstance(tally, RankedLists):
        return [tally.grades, tally.starts]
    if isinstance(tally, Calibration):
        return [part for curve in tally.curves for part in (curve.cases, curve.hits)] or [np.zeros(0, int)]
    if isinstance(tally, ForecastPairs):
        return [tally.counts, tally.hits]
    if isinstance(tally, PairedScores):
        counted = tally.targets.astype(np.int64) if tally.weights is None else tally.weights
        return [counted]
    if isinstance(tally, Grades):
        return [tally.items, tally.repeats]
    return [tally.joint.rows, tally.joint.weight]


def cut(rows: list[Row], places: list[int]) -> list[list[Row]]:
    edges = [0, *sorted(index % (len(rows) + 1) for index in places), len(rows)]
    return [rows[start:stop] for start, stop in itertools.pairwise(edges)]


@pytest.mark.slow
@every_kind
@given(data=st.data())
def test_adding_nothing_changes_nothing(kind: Kind, data: st.DataObject) -> None:
    tally = kind.count(data.draw(kind.rows))
    nothing = type(tally).empty()
    # Adding nothing involves no rounding, so it is exact for weights too.
    assert nothing + tally == tally
    assert tally + nothing == tally


@pytest.mark.slow
@every_kind
@given(data=st.data())
def test_grouping_does_not_matter(kind: Kind, data: st.DataObject) -> None:
    rows = data.draw(kind.rows)
    one, two, three = (kind.count(rows[start::3]) for start in range(3))
    assert_same((one + two) + three, one + (two + three), kind)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if not kind.has_order])
@given(data=st.data())
def test_sides_do_not_matter(name: str, data: st.DataObject) -> None:
    kind = KINDS[name]
    rows = data.draw(kind.rows)
    one, two = kind.count(rows[::2]), kind.count(rows[1::2])
    assert_same(one + two, two + one, kind)


@pytest.mark.slow
@every_kind
@given(data=st.data(), places=st.lists(st.integers(0, 100), max_size=5))
def test_merged_shards_equal_the_whole(kind: Kind, data: st.DataObject, places: list[int]) -> None:
    rows = data.draw(kind.rows)
    shards = [kind.count(shard) for shard in cut(rows, places)]
    whole = kind.count(rows)
    assert_same(sum(shards[1:], shards[0]), whole, kind)
    if kind.has_order:
        return
    backwards = functools.reduce(operator.add, reversed(shards), type(whole).empty())
    assert_same(backwards, whole, kind)


@pytest.mark.slow
@every_kind
@given(data=st.data())
def test_plain_values_come_back_through_json(kind: Kind, data: st.DataObject) -> None:
    tally = kind.count(data.draw(kind.rows))
    again = type(tally).from_dict(json.loads(json.dumps(tally.to_dict(), allow_nan=False)))
    # JSON writes floats so that they read back as the same float, so this is exact for weights too.
    assert again == tally


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.is_exact])
@given(data=st.data())
def test_counts_stay_integers(name: str, data: st.DataObject) -> None:
    kind = KINDS[name]
    rows = data.draw(kind.rows)
    tally = kind.count(rows[::2]) + kind.count(rows[1::2])
    assert {counts.dtype for counts in counts_of(tally)} == {np.dtype(np.int64)}


@given(rows=COMPLETE)
def test_table_equals_counting_pairs_one_by_one(rows: list[Row]) -> None:
    counted = table(rows)
    pairs = Counter((row[0], row[1]) for row in rows)
    assert set(counted.labels) == {label for pair in pairs for label in pair}
    for row, predicted in enumerate(counted.labels):
        for index, real in enumerate(counted.labels):
            assert counted.counts[row, index] == pairs[real, predicted]


@given(one=COMPLETE, two=COMPLETE)
def test_merged_labels_are_the_union_in_canonical_order(one: list[Row], two: list[Row]) -> None:
    merged = table(one) + table(two)
    assert set(merged.labels) == {label for row in one + two for label in row[:2]}
    numbers = [label for label in merged.labels if not isinstance(label, str)]
    texts = [label for label in merged.labels if isinstance(label, str)]
    assert merged.labels == (*sorted(numbers), *sorted(texts))
