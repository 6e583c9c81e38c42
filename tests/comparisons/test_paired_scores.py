"""Scores of several systems on the same cases: each one's ranking is the one made from it alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth import Ranking
from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.errors import InputError, MergeError, OptionError
from edgeworth.pipeline.tally_record import TallyRecord
from edgeworth.rankings.intervals.clusters import CaseRanks

SCORES = st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 0.5, 2.0, np.inf])
ROWS = st.lists(
    st.tuples(st.sampled_from(["spam", "ham", "news"]), SCORES, SCORES, st.integers(0, 3)),
    min_size=1,
    max_size=30,
)


@pytest.mark.parametrize("kind", [None, "counts", "sampling"])
@given(rows=ROWS)
def test_each_ranking_is_the_one_made_from_its_scores_alone(kind: Any, rows: list[Any]) -> None:
    truth, one, two, counts = (list(column) for column in zip(*rows, strict=True))
    truth[0] = "spam"
    weights = {None: None, "counts": counts, "sampling": [0.25 * count for count in counts]}[kind]
    paired = PairedScores.from_scores(truth, {"one": one, "two": two}, positive="spam", weights=weights)
    for name, scores in (("one", one), ("two", two)):
        alone = Ranking.from_scores(truth, scores, positive="spam", weights=weights)
        assert paired.ranking(name).to_dict() == alone.to_dict()


@pytest.mark.parametrize(
    ("truth", "positive", "expected"),
    [
        ([0, 1, 1], None, [False, True, True]),
        ([True, False, False], None, [True, False, False]),
        (["no", "yes", "no"], None, [False, True, False]),
        ([1.0, 0.0, 1.0], None, [True, False, True]),
        (["a", "b", "c"], "b", [False, True, False]),
        (np.array([0, 1, 1]), 0, [True, False, False]),
        ([1, 1, 1], None, [True, True, True]),
        ([0, 0, 0], None, [False, False, False]),
    ],
)
def test_the_target_is_found_as_it_is_for_one_ranking(
    truth: Any, positive: Any, expected: list[bool]
) -> None:
    paired = PairedScores.from_scores(truth, {"a": [1, 2, 3]}, positive=positive)
    assert paired.targets.tolist() == expected
    assert paired.ranking("a") == Ranking.from_scores(truth, [1, 2, 3], positive=positive)


def brute_force_place(scores: list[float], targets: list[bool], case: int) -> int:
    """Steps, tied background and gaps, one case at a time."""
    levels = sorted({score for score, target in zip(scores, targets, strict=True) if target}, reverse=True)
    above = sum(level > scores[case] for level in levels)
    if targets[case]:
        return above
    return (len(levels) if scores[case] in levels else 2 * len(levels)) + above


@given(st.lists(st.tuples(st.booleans(), SCORES), max_size=25))
def test_every_case_stands_where_counting_puts_it(rows: list[tuple[bool, float]]) -> None:
    targets, scores = [row[0] for row in rows], [row[1] for row in rows]
    where = np.array(targets, dtype=bool)
    column = np.array(scores, dtype=np.float64)
    ranks = CaseRanks.among(column[where], column, where)
    assert ranks.place.tolist() == [brute_force_place(scores, targets, case) for case in range(len(rows))]
    assert ranks.places == 3 * len(set(column[where].tolist())) + 1


def test_incomplete_rows_are_named_or_dropped() -> None:
    truth, scores = [1, 0, None, 1, 0], {"a": [1, 2, 3, 4, 5], "b": [1, float("nan"), 3, None, 5]}
    with pytest.raises(InputError, match=r"the score of 'b' is missing .* in row 2 \(3 such rows\)"):
        PairedScores.from_scores(truth, scores)
    with pytest.raises(InputError, match=r"truth is missing .* in row 3 \(1 such row\)"):
        PairedScores.from_scores(truth, {"a": scores["a"]})
    with pytest.raises(InputError, match=r"the cluster is missing .* in row 1"):
        PairedScores.from_scores([1, 0], {"a": [1, 2]}, clusters=[None, "x"])
    kept = PairedScores.from_scores(truth, scores, missing="drop", clusters=["x", "y", "y", "y", "x"])
    assert kept.dropped == 3
    assert kept.scores.tolist() == [[1, 5], [1, 5]]
    assert kept.clusters is not None
    assert kept.clusters.labels == ("x",)
    assert kept.ranking("a").dropped == 3


@pytest.mark.parametrize(
    ("truth", "scores", "more", "message"),
    [
        ([1, 0], {"a": [1, 2, 3]}, {}, "truth has 2, the score of 'a' has 3"),
        ([1, 0], {"a": [1, 2], "b": [1]}, {}, "truth has 2, the score of 'a' has 2, the score of 'b' has 1"),
        ([1, 0], {"a": ["x", "y"]}, {}, "scores of 'a' must be numbers"),
        ([1, 0], [[1, 2]], {}, "given by name"),
        ([1, 0], {}, {}, "no systems"),
        ([1, 0], {3: [1, 2]}, {}, "is text; saw 3"),
        ([], {"a": []}, {}, "there are no cases: truth and scores are empty"),
        ([None, None], {"a": [1, 2]}, {"missing": "drop"}, "all 2 rows lack truth or score"),
        (["a", "b"], {"a": [1, 2]}, {}, "name the target"),
        (["a", "b"], {"a": [1, 2]}, {"positive": "c"}, "there is no label 'c'"),
        ([1, 0], {"a": [1, 2]}, {"weights": [1]}, "weights has 1"),
        ([1, 0], {"a": [1, 2]}, {"weights": [1, -1]}, "row 2 has -1"),
        ([1, 0], {"a": [1, 2]}, {"clusters": ["x"]}, "clusters has 1"),
    ],
)
def test_bad_input_gets_a_sentence(truth: Any, scores: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        PairedScores.from_scores(truth, scores, **more)


def test_other_refusals() -> None:
    paired = PairedScores.from_scores([1, 0], {"a": [1, 2]})
    with pytest.raises(InputError, match="there is no system 'b'; there are 'a'"):
        paired.row("b")
    with pytest.raises(OptionError, match='missing is "error" or "drop"'):
        PairedScores.from_scores([1, 0], {"a": [1, 2]}, missing="abstain")  # type: ignore[arg-type]  # wrong
    other: Any
    for other, text in (
        (PairedScores.from_scores([1, 0], {"b": [1, 2]}), "one tally pairs 'a', the other 'b'"),
        (PairedScores.from_scores([1, 0], {"a": [1, 2]}, clusters=[1, 2]), "one tally has clusters"),
        (PairedScores.from_scores([1, 0], {"a": [1, 2]}, weights=[0.5, 1]), "sampling weights"),
        (PairedScores.from_scores([1, 0], {"a": [1, 2]}, positive=0), "different targets: 1 and 0"),
    ):
        with pytest.raises(MergeError, match=text):
            paired + other


def test_clusters_merge_by_name() -> None:
    one = PairedScores.from_scores([1, 0, 1], {"a": [1, 2, 3]}, clusters=["bob", "ann", "bob"])
    two = PairedScores.from_scores([0, 1], {"a": [4, 5]}, clusters=["cho", "ann"])
    both = (one + two).clusters
    assert both is not None
    assert [both.labels[code] for code in both.codes] == ["bob", "ann", "bob", "cho", "ann"]
    assert both.labels == ("ann", "bob", "cho")
    assert (one + two).units == 3


def test_units_are_clusters_or_cases() -> None:
    scores = {"a": [1.0, 2.0, 3.0]}
    assert PairedScores.from_scores([1, 0, 1], scores).units == 3
    assert PairedScores.from_scores([1, 0, 1], scores, weights=[2, 5, 0]).units == 7
    assert PairedScores.from_scores([1, 0, 1], scores, weights=[0.2, 0.5, 0.1]).units == 3
    assert PairedScores.from_scores([1, 0, 1], scores, clusters=[7, 7, 9]).units == 2


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("kind", "paired"),
        ("names", ["a", "a"]),
        ("names", ["a", 2]),
        ("targets", [1, 0, 1]),
        ("scores", [[1, 2, 3]]),
        ("scores", [[1, 2, 3], [1, 2]]),
        ("scores", [[1, 2, 3], [1, 2, "x"]]),
        ("scores", [[1, 2, 3], [1, 2, True]]),
        ("scores", [[1, 2, 3], [1, 2, float("nan")]]),
        ("scores", [[1, 2, 3], 4]),
        ("scores", [[1, 2, 3], [1, 2, 10**400]]),
        ("weights", [1, 2]),
        ("weights", [1, 2, 0]),
        ("weights", 3),
        ("groups", [0, 0, 1]),
        ("groups", {"labels": ["x", "y"], "codes": [0, 0, 0]}),
        ("groups", {"labels": ["x", "x"], "codes": [0, 1, 0]}),
        ("groups", {"labels": ["x"], "codes": [0, 1, 0]}),
        ("groups", {"labels": ["x", "y"], "codes": [0, 1]}),
        ("labels", [1, 1]),
        ("labels", [1]),
        ("dropped", -1),
    ],
)
def test_a_tally_that_does_not_fit_together_is_refused(field: str, value: Any) -> None:
    paired = PairedScores.from_scores(
        [1, 0, 1], {"a": [1, 2, 3], "b": [3, 2, np.inf]}, clusters=["x", "y", "x"]
    )
    payload = json.loads(json.dumps(paired.to_dict(), allow_nan=False))
    assert PairedScores.from_dict(payload) == paired
    with pytest.raises(InputError):
        PairedScores.from_dict(payload | {field: value})


def test_equality_sees_every_part() -> None:
    def make(**more: Any) -> PairedScores:
        return PairedScores.from_scores([1, 0, 1], {"a": [1, 2, 3]}, **more)

    kinds = [
        make(),
        make(positive=0),
        make(weights=[1, 1, 1]),
        make(clusters=[1, 1, 2]),
        make(clusters=[1, 2, 2]),
    ]
    for index, left in enumerate(kinds):
        assert [left == right for right in kinds] == [other == index for other in range(len(kinds))]
    assert make() != "scores"
    assert repr(make()) == "<PairedScores: 1 systems on 3 cases, 2 of them targets>"


def test_a_tally_file_of_several_systems_is_compared(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(200) < 0.3
    paired = PairedScores.from_scores(
        truth, {name: truth * gap + rng.normal(size=200) for name, gap in (("a", 1.5), ("b", 0.2))}
    )
    TallyRecord(paired).write(tmp_path / "scores.json")
    of_file, of_value = ew.compare(tmp_path / "scores.json"), ew.compare(paired)
    assert of_file.verdict == of_value.verdict
    difference = of_file["a", "b"]["roc_auc"].difference
    systems = dict(zip(paired.names, paired.scores, strict=True))
    values = [ew.measure(Ranking.from_scores(truth, systems[name]), "roc_auc") for name in ("a", "b")]
    assert difference == pytest.approx(values[0] - values[1], abs=1e-12)
