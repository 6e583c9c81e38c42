"""Agreement with PyCM on random tables, for everything both compute. PyCM says "None" where we say nan."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from pycm import ConfusionMatrix

import edgeworth as ew

EXACT = {"rel": 1e-10, "abs": 1e-12}

OF_A_LABEL = {
    "recall": "TPR",
    "inverse_recall": "TNR",
    "precision": "PPV",
    "inverse_precision": "NPV",
    "fallout": "FPR",
    "miss_rate": "FNR",
    "false_discovery_rate": "FDR",
    "false_omission_rate": "FOR",
    "label_accuracy": "ACC",
    "prevalence": "PRE",
    "predicted_share": "TOPR",
    "f": "F1",
    "g": "G",
    "informedness": "BM",
    "markedness": "MK",
    "mcc": "MCC",
    "jaccard": "J",
    "positive_likelihood_ratio": "PLR",
    "negative_likelihood_ratio": "NLR",
    "diagnostic_odds_ratio": "DOR",
    "f(alpha=0.2)": "F05",  # beta² = 1/4, and alpha = beta²/(1 + beta²)
    "f(alpha=0.8)": "F2",  # beta² = 4
}
OF_A_TABLE = {
    "accuracy": "Overall_ACC",
    "error_rate": "Overall_ACC",  # compared with its complement below
    "balanced_accuracy": "TPR_Macro",
    "macro_precision": "PPV_Macro",
    "macro_f": "F1_Macro",
    "kappa": "Kappa",
    "mcc": "Overall_MCC",
    "real_entropy": "ReferenceEntropy",
    "mutual_information": "MutualInformation",
    "information_share": "RCI",
    "chi_square": "Chi_Squared",
    "cramers_v": "V",
    "adjusted_rand_index": "ARI",
}


@dataclass(frozen=True)
class Pair:
    """One table in both programs."""

    ours: ew.ContingencyTable
    theirs: ConfusionMatrix


def pycm_of(counts: NDArray[np.int64]) -> ConfusionMatrix:
    """PyCM has reality in rows; ours has predictions there."""
    size = len(counts)
    rows = {str(k): {str(row): int(counts[row, k]) for row in range(size)} for k in range(size)}
    return ConfusionMatrix(matrix=rows)


def pair(counts: NDArray[np.int64]) -> Pair:
    labels = [str(k) for k in range(len(counts))]
    return Pair(ew.ContingencyTable.from_matrix(counts, rows="predicted", labels=labels), pycm_of(counts))


def random_counts(classes: int, seed: int) -> NDArray[np.int64]:
    rng = np.random.default_rng([classes, seed])
    return rng.integers(1, 12, size=(classes, classes)) + np.diag(rng.integers(0, 20, size=classes))


def sparse_counts(classes: int, seed: int) -> NDArray[np.int64]:
    """Many empty cells; every class is real and every label predicted, for PyCM needs that."""
    rng = np.random.default_rng([classes, seed, 7])
    counts = rng.integers(1, 9, size=(classes, classes)) * (rng.random((classes, classes)) < 0.3)
    return counts + np.roll(np.diag(rng.integers(1, 9, size=classes)), seed % 2, axis=1)


full = pytest.mark.parametrize(
    "pair",
    [pair(random_counts(k, seed)) for k in range(2, 7) for seed in range(3)],
    ids=lambda p: len(p.ours.labels),
)
sparse = pytest.mark.parametrize(
    "pair",
    [pair(sparse_counts(k, seed)) for k in range(2, 6) for seed in range(4)],
    ids=lambda p: len(p.ours.labels),
)


def spelt(name: str, label: str) -> str:
    head, bracket, options = name.partition("(")
    return f"{head}[{label}]{bracket}{options}"


def number(value: float | str) -> float:
    return float("nan") if value == "None" else float(value)


@full
def test_each_label(pair: Pair) -> None:
    for name, theirs in OF_A_LABEL.items():
        for label, value in getattr(pair.theirs, theirs).items():
            assert ew.measure(pair.ours, spelt(name, label)) == pytest.approx(value, **EXACT), (name, label)


@sparse
def test_each_label_of_a_sparse_table(pair: Pair) -> None:
    """With empty cells ratios become undefined: in both programs, in the same places.

    Only PyCM's diagnostic odds ratio, a quotient of likelihood ratios, is lost where it could be 0.
    """
    for name, theirs in OF_A_LABEL.items() - {("diagnostic_odds_ratio", "DOR")}:
        for label, value in getattr(pair.theirs, theirs).items():
            ours = ew.measure(pair.ours, spelt(name, label))
            assert ours == pytest.approx(number(value), **EXACT, nan_ok=True), (name, label)


@full
def test_the_whole_table(pair: Pair) -> None:
    for name, theirs in OF_A_TABLE.items():
        value = getattr(pair.theirs, theirs)
        expected = 1 - value if name == "error_rate" else value
        assert ew.measure(pair.ours, name) == pytest.approx(expected, **EXACT), name


@sparse
def test_the_whole_of_a_sparse_table(pair: Pair) -> None:
    for name in (
        "kappa",
        "mcc",
        "mutual_information",
        "real_entropy",
        "information_share",
        "adjusted_rand_index",
    ):
        value = number(getattr(pair.theirs, OF_A_TABLE[name]))
        assert ew.measure(pair.ours, name) == pytest.approx(value, **EXACT), name


@full
def test_conditional_entropy(pair: Pair) -> None:
    """PyCM's is of the prediction given the truth; ours, H(R|P), is its H on the table turned round."""
    turned = pycm_of(pair.ours.counts.T)
    assert ew.measure(pair.ours, "conditional_entropy") == pytest.approx(turned.ConditionalEntropy, **EXACT)


@full
def test_informedness_is_bm_weighted_by_predicted_share(pair: Pair) -> None:
    """TOP is how often each label was predicted; PyCM's default weight, P, gives the real-weighted one."""
    theirs = pair.theirs
    weighted = theirs.weighted_average("BM", weight=theirs.TOP)
    assert ew.measure(pair.ours, "informedness") == pytest.approx(weighted, **EXACT)
    by_reality = theirs.weighted_average("BM", weight=theirs.P)
    assert ew.measure(pair.ours, "real_weighted_informedness") == pytest.approx(by_reality, **EXACT)
    assert ew.measure(pair.ours, "macro_informedness") == pytest.approx(theirs.average("BM"), **EXACT)


@full
def test_markedness_is_mk_weighted_by_real_share(pair: Pair) -> None:
    weighted = pair.theirs.weighted_average("MK", weight=pair.theirs.P)
    assert ew.measure(pair.ours, "markedness") == pytest.approx(weighted, **EXACT)


@full
def test_micro_informedness_is_pooled(pair: Pair) -> None:
    pooled = pair.theirs.TPR_Micro + pair.theirs.TNR_Micro - 1
    assert ew.measure(pair.ours, "micro_informedness") == pytest.approx(pooled, **EXACT)


@full
def test_weighted_averages(pair: Pair) -> None:
    for name, theirs in (("weighted_f", "F1"), ("weighted_precision", "PPV")):
        value = pair.theirs.weighted_average(theirs, weight=pair.theirs.P)
        assert ew.measure(pair.ours, name) == pytest.approx(value, **EXACT), name
