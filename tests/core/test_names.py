"""Measures are found under the names that people use, and are printed under their own."""

from __future__ import annotations

import math

import pytest

import edgeworth as ew
from edgeworth.core.registry import canonical_spelling
from edgeworth.errors import OptionError

SPELT = {
    "f1": "f",
    "F1[spam]": "f[spam]",
    "f1_score": "f",
    "macro_F1": "macro_f",
    "auc": "roc_auc",
    "AUROC": "roc_auc",
    "roc_auc_score": "roc_auc",
    "ap": "average_precision",
    "mAP": "average_precision",
    "mcc": "mcc",
    "j": "informedness",
    "youdens_j": "informedness",
    "tpr[a]": "recall[a]",
    "P@5": "precision@5",
    "P_5": "precision@5",
    "R@100": "recall@100",
    "recall_100": "recall@100",
    "RR": "reciprocal_rank",
    "MRR@10": "reciprocal_rank@10",
    "nDCG@10": "ndcg@10",
    "ndcg_cut_10": "ndcg@10",
    "map_cut_5": "average_precision@5",
    "hit_rate": "recall",
    "hit_rate@5": "success@5",
    "RBP(p=0.8)": "rbp(persistence=0.8)",
    "AP(rel=2)": "average_precision(relevant_from=2)",
    "P(rel=2)@10": "precision@10(relevant_from=2)",
    "ERR@20": "err@20",
    "Judged@10": "judged@10",
    "rps[model]": "ranked[model]",
    "log_loss": "log",
    "brier_score": "brier",
    "cohen_kappa": "kappa",
    "no_such_measure": "no_such_measure",
    "p": "p",
    "dcg": "dcg",
    "deltap": "deltap",  # informedness to some, markedness to others
}


@pytest.mark.parametrize("text", SPELT)
def test_a_measure_has_one_spelling_under_all_its_names(text: str) -> None:
    assert str(canonical_spelling(text)) == SPELT[text]
    assert str(canonical_spelling(SPELT[text])) == SPELT[text]


def test_every_name_and_every_synonym_that_is_a_word_is_found() -> None:
    for measure in ew.catalogue():
        assert canonical_spelling(measure.name).name == measure.name
        for synonym in measure.synonyms:
            word = synonym.replace(" ", "_").replace("'", "").replace("-", "_")
            is_word = word.isidentifier() and word.isascii() and not word.endswith("_")
            if is_word and not synonym.endswith(" at k") and "deltap" not in synonym:
                assert canonical_spelling(word).name == measure.name, synonym


TABLE = ew.ContingencyTable.from_matrix([[3, 1], [2, 4]], rows="predicted", labels=["a", "b"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("accurracy", "did you mean accuracy"),
        ("sensitvity[a]", "did you mean recall"),
        ("auc", "roc_auc is a measure of rankings"),
        ("P@5x", r"did you mean P@5\?"),
        ("P@5", "a depth belongs to a ranking"),
        ("dcg", "did you mean ndcg"),
    ],
)
def test_a_misspelt_name_is_answered_with_the_nearest(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ew.measure(TABLE, text)


def test_a_measure_of_one_label_names_its_mean() -> None:
    table = ew.ContingencyTable.from_matrix([[3, 1, 0], [2, 4, 1], [0, 1, 2]], rows="predicted", labels="abc")
    for name, text in (
        ("F1", "--positive.*macro_f "),
        ("recall", "balanced_accuracy"),
        ("fpr", r"\(--positive\)$"),
    ):
        with pytest.raises(OptionError, match=text):
            ew.measure(table, name)


def test_names_are_known_wherever_a_measure_is_spelt() -> None:
    truth, one, two = [1, 1, 0, 0] * 10, [1, 0, 0, 0] * 10, [1, 1, 1, 0] * 10
    assert ew.estimate(TABLE, "TPR[a]").measure == "recall[a]"
    comparison = ew.compare(truth=truth, systems={"A": one, "B": two}, positive=1, measures=["F1", "MCC"])
    assert comparison.measures == ("f", "mcc")
    assert comparison["A", "B"]["f1"] is comparison["A", "B"]["f"]
    report = ew.evaluate(truth=truth, prediction=one, positive=1, measures=["F1", "Acc" + "uracy"])
    assert list(report.numbers["requested"]) == ["f", "accuracy"]
    assert report.numbers["requested"]["f"]["value"] == pytest.approx(2 / 3)
    scored = ew.evaluate(truth=truth, score=one, measures=["AUC", "P@5"])
    assert list(scored.numbers["requested"]) == ["roc_auc", "precision@5"]
    result = ew.evaluate(truth=truth, probabilities=[0.9, 0.6, 0.2, 0.3] * 10, measures=["auc", "log_loss"])
    assert {name: item["value"] for name, item in result.numbers["requested"].items()} == {
        "roc_auc": 1.0,
        "log": pytest.approx(-sum(map(math.log, (0.9, 0.6, 0.8, 0.7))) / 4),
    }
