"""In sample nothing is shown, whatever the kind; folds of a cross-validation are ranked or told apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

import edgeworth as ew
from edgeworth.errors import OptionError

RNG = np.random.default_rng(5)
TRUTH = RNG.random(200) < 0.4
RIGHT = np.where(RNG.random(200) < 0.8, TRUTH, ~TRUTH)
SCORE = (RNG.normal(size=200) + 2 * TRUTH).round(3)
FOLD = np.arange(200) % 5
KINDS: dict[str, dict[str, Any]] = {
    "labels": {"truth": TRUTH, "prediction": RIGHT},
    "scores": {"truth": TRUTH, "score": SCORE},
    "probabilities": {"truth": TRUTH, "probabilities": 1 / (1 + np.exp(1 - SCORE))},
    "grades": {"correct": (RIGHT == TRUTH).astype(int)},
}


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_shown_in_sample(kind: str) -> None:
    plain, fitted = (ew.evaluate(**KINDS[kind], predictions_made=made) for made in ("before", "in-sample"))
    assert any(claim["strength"] in ("shown", "estimated") for claim in plain.to_dict()["claims"])
    assert not any(claim["strength"] == "shown" for claim in fitted.to_dict()["claims"])
    assert fitted.provenance["predictions_made"] == "in-sample"


@pytest.mark.parametrize("kind", ["labels", "scores", "probabilities"])
def test_no_winner_is_named_in_sample(kind: str) -> None:
    (own,) = (value for name, value in KINDS[kind].items() if name != "truth")
    systems = {"a": own, "b": np.roll(own, 7)}
    assert " beats " in ew.compare(truth=TRUTH, systems=systems, kind=kind).verdict
    fitted = ew.compare(truth=TRUTH, systems=systems, kind=kind, predictions_made="in-sample")
    assert not any(claim["strength"] == "shown" for claim in fitted.to_dict()["claims"])


@pytest.mark.parametrize("kind", ["labels", "scores", "probabilities"])
def test_systems_have_no_places_in_sample(kind: str) -> None:
    (own,) = (value for name, value in KINDS[kind].items() if name != "truth")
    systems = {"a": own, "b": np.roll(own, 7), "c": np.roll(own, 11)}
    assert ew.compare(truth=TRUTH, systems=systems, kind=kind).ranks["a"] == (1, 1)
    fitted = ew.compare(truth=TRUTH, systems=systems, kind=kind, predictions_made="in-sample")
    assert (fitted.ranks, fitted.tied_for_first, {*fitted.letters.values()}) == ({}, (), {""})
    numbers = fitted.to_dict()["comparison"]
    assert not any(pair["is_conclusive"] for pair in numbers["pairs"])
    columns = fitted.report.sections[0].grids[0].columns
    assert not {"rank", "letters"} & {column.name for column in columns}
    assert "leaderboard" not in fitted.report.charts


@pytest.mark.parametrize("kind", ["labels", "probabilities", "grades"])
def test_each_fold_is_judged_by_itself(kind: str) -> None:
    report = ew.evaluate(**KINDS[kind], fold=FOLD)
    measure = report.numbers["slices"]["measure"]
    slices = {row["slice"]: row for row in report.numbers["slices"]["slices"] if row["measure"] == measure}
    part = {name: values[FOLD == 3] for name, values in KINDS[kind].items()}
    alone = ew.evaluate(**part, measures=[measure])
    frame = alone.to_frame("pandas").set_index("measure")
    assert sorted(slices) == list("01234")
    assert slices["3"]["value"] == pytest.approx(frame.loc[measure, "value"], rel=1e-12)
    assert report.provenance["predictions_made"] == "cross-validated"
    assert any("cross-validated" in warning for warning in report.warnings)


def test_roc_areas_of_probabilities_rank_within_folds() -> None:
    """Models that are shifted from fold to fold rank as before within each, and as luck across them."""
    shifted = 1 / (1 + np.exp(1 - SCORE - 6 * FOLD))
    report = ew.evaluate(truth=TRUTH, probabilities=shifted, fold=FOLD)
    folds = [np.arange(number, 200, 5) for number in range(5)]
    alone = [roc_auc_score(TRUTH[fold], shifted[fold]) for fold in folds]
    assert report.numbers["roc_area"]["True"] == pytest.approx(np.mean(alone))
    assert "ROC area" not in report.verdict + report.citation


def test_folds_of_a_comparison_and_of_a_column() -> None:
    data = pd.DataFrame({"y": TRUTH, "a": RIGHT, "b": np.roll(RIGHT, 3), "fold": FOLD})
    comparison = ew.compare(data, truth="y", systems=["a", "b"], fold="fold")
    sliced = ew.compare(data, truth="y", systems=["a", "b"], by="fold")
    assert comparison.report.numbers["slices"] == sliced.report.numbers["slices"]
    with pytest.raises(OptionError, match="fold and by are both given"):
        ew.evaluate(data, truth="y", prediction="a", fold="fold", by="b")
    with pytest.raises(OptionError, match="fold is not supported with a tally"):
        ew.tally(data, truth="y", prediction="a", fold="fold")
