"""Declared bins: memory is bounded, and what is lost is only the order inside a bin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth import Ranking
from edgeworth.errors import InputError, MergeError, OptionError
from edgeworth.rankings.scores.sorted_scores import as_bins

# -- edges ---------------------------------------------------------------------------------------------


def test_a_number_divides_the_range_from_nought_to_one() -> None:
    for number in (1, 3, 10, 1000):
        edges = as_bins(number)
        assert edges is not None
        assert edges.tolist() == [index / number for index in range(number)]
    assert as_bins(np.int64(2)).tolist() == [0.0, 0.5]
    assert as_bins(None) is None


def test_edges_are_taken_as_they_are() -> None:
    for edges in ([-1, 0, 2.5], np.array([-1, 0, 2.5]), (-1, 0, 2.5)):
        assert as_bins(edges).tolist() == [-1.0, 0.0, 2.5]
    assert str(as_bins([-0.0])[0]) == "0.0"


REFUSED: dict[str, Any] = {
    "no bins": 0,
    "fewer than none": -3,
    "a truth": True,
    "no edges": [],
    "falling": [0.5, 0.2],
    "twice": [0.5, 0.5],
    "an infinite edge": [0.0, math.inf],
    "an edge that is NaN": [0.0, math.nan],
    "a matrix": [[0.1, 0.2], [0.3, 0.4]],
    "ragged": [[0.1], [0.3, 0.4]],
    "one fraction": 0.5,
    "text": "ten",
    "edges as text": ["low", "high"],
    "an object": {},
}


@pytest.mark.parametrize("bins", REFUSED.values(), ids=REFUSED)
def test_what_are_no_bins_is_refused(bins: Any) -> None:
    with pytest.raises(OptionError, match="bins"):
        as_bins(bins)
    with pytest.raises(OptionError, match="bins"):
        Ranking.from_scores([1, 0], [0.5, 0.2], bins=bins)


# -- scores in bins -----------------------------------------------------------------------------------


def test_a_score_goes_to_the_lower_edge_of_its_cell() -> None:
    scores = [-5, -0.0, 0.0, 0.49, 0.5, 0.99, 7, math.inf, -math.inf]
    ranking = Ranking.from_scores([1] * len(scores), scores, bins=[0.0, 0.5, 0.9])
    assert ranking.targets.scores.tolist() == [-math.inf, 0.0, 0.5, 0.9]
    assert ranking.targets.weight is not None
    assert ranking.targets.weight.tolist() == [2, 3, 1, 3]


def test_one_belongs_to_the_last_of_equal_bins() -> None:
    ranking = Ranking.from_scores([1, 0, 1, 0], [0.0, 0.25, 1.0, 0.75], bins=4)
    assert ranking.targets.scores.tolist() == [0.0, 0.75]
    assert ranking.background.scores.tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    ("scores", "seen"),
    [([0.5, 1.01], "1.01"), ([-0.01, 0.5], "-0.01"), ([0.5, math.inf], "inf"), ([-math.inf, 0.5], "-inf")],
)
def test_a_number_of_bins_is_for_scores_from_nought_to_one(scores: list[float], seen: str) -> None:
    with pytest.raises(InputError, match=f"scores must lie between 0 and 1; saw {seen}: pass the edges"):
        Ranking.from_scores([1, 0], scores, bins=4)
    assert Ranking.from_scores([1, 0], scores, bins=[0.0, 0.25, 0.5, 0.75]).total == 2


def test_a_missing_score_hides_no_score_outside() -> None:
    with pytest.raises(InputError, match="scores must lie between 0 and 1; saw 5"):
        Ranking.from_scores([1, 0, 1], [math.nan, 0.2, 5.0], bins=4, missing="drop")
    assert Ranking.from_scores([1, 0, 1], [math.nan, 0.2, 0.5], bins=4, missing="drop").dropped == 1


def test_memory_is_bounded_by_the_bins() -> None:
    rng = np.random.default_rng(5)
    ranking = Ranking.from_scores(rng.integers(0, 2, 20_000), rng.random(20_000), bins=50)
    assert len(ranking.targets.scores) + len(ranking.background.scores) <= 100
    assert ranking.total == 20_000
    assert ranking.is_counted


cases = st.lists(
    st.tuples(
        st.integers(0, 1), st.integers(0, 100).map(lambda x: x / 100), st.sampled_from([0.0, 0.3, 1.0, 2.5])
    ),
    min_size=1,
    max_size=25,
)
numbers = st.sampled_from([1, 2, 5, 10, 50])
BRACKETED = ("roc_auc", "pr_auc", "best_informedness", "average_precision(ties=expected)")


@settings(max_examples=30)
@given(cases, numbers)
def test_bins_are_ties_and_nothing_else(rows: list[tuple[int, float, float]], number: int) -> None:
    """The ranking on bins is the ranking of the scores moved to their edges by hand."""
    truth, scores, weights = (list(column) for column in zip(*rows, strict=True))
    moved = [max(index / number for index in range(number) if index / number <= score) for score in scores]
    for options in ({}, {"weights": weights}):
        in_bins = Ranking.from_scores(truth, scores, bins=number, **options)
        by_hand = Ranking.from_scores(truth, moved, **options)
        for spelling in (*BRACKETED, "average_precision", "ndcg", "precision@3", "hits@5", "best_depth"):
            assert ew.measure(in_bins, spelling) == pytest.approx(
                ew.measure(by_hand, spelling), rel=1e-12, abs=1e-12, nan_ok=True
            )
        for level in (0.0, 0.2, 0.5, 0.75):
            if level * number == int(level * number):
                result, exact = in_bins.at_threshold(level), Ranking.from_scores(truth, scores, **options)
                assert np.allclose(result.cells, exact.at_threshold(level).cells, rtol=1e-12)


@given(cases, numbers)
def test_the_exact_value_lies_between_the_best_and_the_worst_order(
    rows: list[tuple[int, float, float]], number: int
) -> None:
    truth, scores, _ = (list(column) for column in zip(*rows, strict=True))
    if 1 not in truth:
        truth = [*truth[1:], 1]
    exact, in_bins = Ranking.from_scores(truth, scores), Ranking.from_scores(truth, scores, bins=number)
    low, high = (ew.measure(in_bins, f"average_precision(ties={ties})") for ties in ("worst", "best"))
    for ties in ("expected", "best", "worst"):
        assert low - 1e-12 <= ew.measure(exact, f"average_precision(ties={ties})") <= high + 1e-12
    assert low - 1e-12 <= ew.measure(in_bins, "average_precision") <= high + 1e-12


def test_fine_bins_lose_nothing() -> None:
    rng = np.random.default_rng(8)
    scores = rng.integers(0, 64, 500) / 64
    truth = rng.random(500) < scores
    for spelling in (
        "average_precision",
        "roc_auc",
        "ndcg",
        "pr_auc",
        "eleven_point_precision",
        "precision@7",
    ):
        exact = ew.measure(Ranking.from_scores(truth, scores), spelling)
        assert ew.measure(Ranking.from_scores(truth, scores, bins=64), spelling) == pytest.approx(
            exact, rel=1e-13
        )


# -- merging -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("left", "right", "message"),
    [
        (4, 5, "4 bins and 5 bins"),
        (4, None, "4 bins and exact scores"),
        (None, 4, "exact scores and 4 bins"),
        ([0.0, 0.5], [0.0, 0.6], "2 bins and 2 bins with other edges"),
    ],
)
def test_unequal_bins_do_not_merge(left: Any, right: Any, message: str) -> None:
    one, two = (Ranking.from_scores([1, 0], [0.5, 0.2], bins=bins) for bins in (left, right))
    with pytest.raises(MergeError, match=f"rankings with different bins cannot be merged: {message}"):
        one + two


@given(cases, st.integers(0, 25), numbers)
def test_shards_on_equal_bins_add_up(
    rows: list[tuple[int, float, float]], position: int, number: int
) -> None:
    def of(part: list[tuple[int, float, float]]) -> Ranking:
        if not part:
            return Ranking.empty()
        return Ranking.from_scores([row[0] for row in part], [row[1] for row in part], bins=number)

    assert of(rows[:position]) + of(rows[position:]) == of(rows) == of(rows[position:]) + of(rows[:position])


def test_the_edges_are_not_to_be_changed() -> None:
    edges = np.array([0.0, 0.5])
    ranking = Ranking.from_scores([1, 0], [0.5, 0.2], bins=edges)
    edges[1] = 0.9
    assert ranking.bins is not None
    assert ranking.bins.tolist() == [0.0, 0.5]
    with pytest.raises(ValueError, match="read-only"):
        ranking.bins[0] = 3
