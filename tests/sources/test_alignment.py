"""Series whose indexes are the same but in different orders are refused wherever arrays are taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import edgeworth as ew
from edgeworth.comparisons.paired import Paired
from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.errors import InputError
from edgeworth.sklearn.scoring import informedness_score
from edgeworth.sources.alignment import check_alignment

RNG = np.random.default_rng(0)
TRUTH = pd.Series(RNG.integers(0, 2, 60), index=[f"case {number}" for number in range(60)])
LABELS = pd.Series(np.where(RNG.random(60) < 0.8, TRUTH, 1 - TRUTH), index=TRUTH.index)
SCORES = LABELS * 0.5 + RNG.random(60) / 2.5
OTHER = LABELS.sample(frac=1, random_state=1)
"""The labels in another order, with the index that tells so."""
CHANCES = pd.DataFrame({0: 1 - SCORES, 1: SCORES})

CALLS: dict[str, Callable[[], Any]] = {
    "prediction": lambda: ew.evaluate(truth=TRUTH, prediction=OTHER),
    "weight": lambda: ew.evaluate(truth=TRUTH, prediction=LABELS, weight=OTHER + 1),
    "cluster": lambda: ew.evaluate(truth=TRUTH, prediction=LABELS, cluster=OTHER),
    "by": lambda: ew.evaluate(truth=TRUTH, prediction=LABELS, by=OTHER),
    "topic": lambda: ew.evaluate(truth=TRUTH, prediction=LABELS, by={"topic": OTHER}),
    "odds": lambda: ew.evaluate(truth=TRUTH, prediction=LABELS, odds=OTHER + 1.5),
    "score": lambda: ew.evaluate(truth=TRUTH, score=OTHER),
    "query": lambda: ew.evaluate(truth=TRUTH, score=SCORES, query=OTHER),
    "probabilities": lambda: ew.evaluate(truth=TRUTH, probabilities=CHANCES.loc[OTHER.index]),
    "against": lambda: ew.evaluate(truth=TRUTH, probabilities=SCORES, against=SCORES[OTHER.index]),
    "time": lambda: ew.evaluate(truth=TRUTH, probabilities=SCORES, time=OTHER),
    "tallied prediction": lambda: ew.tally(truth=TRUTH, prediction=OTHER),
    "graded cluster": lambda: ew.evaluate(grade=SCORES, cluster=OTHER),
    "b": lambda: ew.compare(truth=TRUTH, systems={"a": LABELS, "b": OTHER}),
    "b of scores": lambda: ew.compare(truth=TRUTH, systems={"a": SCORES, "b": OTHER}, kind="scores"),
    "compared cluster": lambda: ew.compare(
        truth=TRUTH, systems={"a": LABELS, "b": 1 - LABELS}, cluster=OTHER
    ),
    "compared slices": lambda: ew.compare(truth=TRUTH, systems={"a": LABELS, "b": 1 - LABELS}, by=OTHER),
    "from_labels": lambda: ew.ContingencyTable.from_labels(TRUTH, OTHER),
    "weights": lambda: ew.ContingencyTable.from_labels(TRUTH, LABELS, weights=OTHER + 1),
    "clusters": lambda: ew.ContingencyTable.from_labels(TRUTH, LABELS, clusters=OTHER),
    "paired": lambda: Paired.from_labels(TRUTH, {"a": LABELS, "b": OTHER}),
    "paired scores": lambda: PairedScores.from_scores(TRUTH, {"a": SCORES, "b": OTHER}),
    "ranking": lambda: ew.Ranking.from_scores(TRUTH, OTHER),
    "lists": lambda: ew.RankedLists.from_scores(TRUTH, SCORES, OTHER),
    "grades": lambda: ew.Grades.from_grades(SCORES, clusters=OTHER),
    "forecast scores": lambda: ew.ForecastScores.from_probabilities(TRUTH, SCORES[OTHER.index]),
    "calibration": lambda: ew.Calibration.from_probabilities(TRUTH, SCORES[OTHER.index]),
    "wealth": lambda: ew.Wealth.from_probabilities(TRUTH, SCORES, against=SCORES[OTHER.index]),
    "scikit-learn": lambda: informedness_score(TRUTH, OTHER),
}


@pytest.mark.parametrize("name", CALLS)
def test_an_index_in_another_order_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"the same index in different orders.*\.reindex\(.*to_numpy\(\)"):
        CALLS[name]()


def test_the_refusal_names_both_and_its_advice_helps() -> None:
    with pytest.raises(InputError, match=r"^truth and b have .*\(b\.reindex\(truth\.index\)\)"):
        ew.compare(truth=TRUTH, systems={"a": LABELS, "b": OTHER})
    aligned = ew.ContingencyTable.from_labels(TRUTH, OTHER.reindex(TRUTH.index))
    assert aligned.to_dict() == ew.ContingencyTable.from_labels(TRUTH, LABELS).to_dict()
    by_position = ew.ContingencyTable.from_labels(TRUTH, OTHER.to_numpy())
    assert by_position.to_dict() != aligned.to_dict()


@pytest.mark.parametrize(
    "prediction",
    [
        LABELS.reset_index(drop=True),
        LABELS.tolist(),
        LABELS.to_numpy(),
        pl.Series(LABELS.to_numpy()),
        LABELS.set_axis(range(100, 160)),
    ],
    ids=["fresh index", "list", "array", "polars", "other index"],
)
def test_rows_without_a_common_index_are_paired_by_position(prediction: Any) -> None:
    result = ew.ContingencyTable.from_labels(TRUTH, prediction)
    assert result.to_dict() == ew.ContingencyTable.from_labels(TRUTH, LABELS).to_dict()


@pytest.mark.parametrize(
    ("first", "second", "is_refused"),
    [
        ([1, 1, 2], [1, 2, 1], True),
        ([1, 1, 2], [1, 2, 2], False),
        (["a", 1, None], [None, "a", 1], True),
        ([("x", 1), ("x", 2)], [("x", 2), ("x", 1)], True),
        ([0, 1, 2], [0, 1], False),
        ([0.0, 1.0], [0, 1], False),
    ],
)
def test_which_indexes_are_the_same_in_another_order(first: Any, second: Any, is_refused: bool) -> None:
    columns = {"truth": pd.Series(0, index=first), "prediction": pd.Series(0, index=second)}
    if is_refused:
        with pytest.raises(InputError, match="truth and prediction"):
            check_alignment(columns)
        with pytest.raises(InputError, match=r"probabilities\[0\] and probabilities\[1\]"):
            check_alignment({"probabilities": [*columns.values()]})
    else:
        check_alignment(columns)
