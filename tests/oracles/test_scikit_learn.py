"""Agreement with scikit-learn on random labels, with and without weights, for everything both compute."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn import metrics

import edgeworth as ew
from edgeworth.errors import OptionError

EXACT = {"rel": 1e-10, "abs": 1e-12}


@dataclass(frozen=True)
class Sample:
    """Random labels of K classes with some agreement, and the table of them."""

    truth: NDArray[np.int64]
    prediction: NDArray[np.int64]
    weights: NDArray[np.float64] | None
    table: ew.ContingencyTable

    @property
    def labels(self) -> range:
        return range(len(self.table.labels))

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return self.truth, self.prediction

    @property
    def weighting(self) -> dict[str, NDArray[np.float64] | None]:
        return {"sample_weight": self.weights}


@cache
def sample(classes: int, seed: int, weighted: bool) -> Sample:
    rng = np.random.default_rng([classes, seed])
    truth = rng.choice(classes, size=200, p=rng.dirichlet(np.full(classes, 5.0)))
    guess = rng.choice(classes, size=200, p=rng.dirichlet(np.full(classes, 5.0)))
    prediction = np.where(rng.random(200) < 0.5, truth, guess)
    # Every label occurs in both, so that scikit-learn's stand-ins for undefined values do not come in.
    truth[:classes] = prediction[classes : 2 * classes] = np.arange(classes)
    weights = rng.exponential(size=200) if weighted else None
    table = ew.ContingencyTable.from_labels(truth, prediction, weights=weights)
    return Sample(truth, prediction, weights, table)


samples = pytest.mark.parametrize(
    "data",
    [
        sample(classes, seed, weighted)
        for classes in range(2, 7)
        for seed in (0, 1)
        for weighted in (False, True)
    ],
    ids=lambda s: f"{len(s.labels)}-{'weighted' if s.weights is not None else 'counted'}",
)
counted = pytest.mark.parametrize(
    "data",
    [sample(classes, seed, False) for classes in range(2, 7) for seed in (0, 1)],
    ids=lambda s: len(s.labels),
)


@samples
def test_confusion_matrix(data: Sample) -> None:
    """scikit-learn has reality in rows."""
    theirs = metrics.confusion_matrix(*data.arrays, **data.weighting)
    np.testing.assert_allclose(data.table.counts.T, theirs, rtol=1e-12)
    read_back = ew.ContingencyTable.from_matrix(theirs, rows="real")
    assert ew.measure(read_back, "informedness") == pytest.approx(
        ew.measure(data.table, "informedness"), **EXACT
    )


@samples
def test_overall_scores(data: Sample) -> None:
    theirs = {
        "accuracy": metrics.accuracy_score(*data.arrays, **data.weighting),
        "error_rate": metrics.zero_one_loss(*data.arrays, **data.weighting),
        "balanced_accuracy": metrics.balanced_accuracy_score(*data.arrays, **data.weighting),
        "adjusted_balanced_accuracy": metrics.balanced_accuracy_score(
            *data.arrays, **data.weighting, adjusted=True
        ),
        "mcc": metrics.matthews_corrcoef(*data.arrays, **data.weighting),
        "kappa": metrics.cohen_kappa_score(*data.arrays, **data.weighting),
        "macro_f": metrics.f1_score(*data.arrays, **data.weighting, average="macro"),
        "weighted_f": metrics.f1_score(*data.arrays, **data.weighting, average="weighted"),
        "macro_precision": metrics.precision_score(*data.arrays, **data.weighting, average="macro"),
        "weighted_precision": metrics.precision_score(*data.arrays, **data.weighting, average="weighted"),
    }
    for name, value in theirs.items():
        assert ew.measure(data.table, name) == pytest.approx(value, **EXACT), name


@samples
def test_scores_that_go_by_another_name(data: Sample) -> None:
    """Macro recall is balanced accuracy; micro recall, precision and F are accuracy."""
    recall = metrics.recall_score(*data.arrays, **data.weighting, average="macro")
    assert ew.measure(data.table, "balanced_accuracy") == pytest.approx(recall, **EXACT)
    for score in (metrics.recall_score, metrics.precision_score, metrics.f1_score):
        micro = score(*data.arrays, **data.weighting, average="micro")
        assert ew.measure(data.table, "accuracy") == pytest.approx(micro, **EXACT)


@samples
def test_scores_of_each_label(data: Sample) -> None:
    options = {"average": None, **data.weighting}
    theirs = {
        "recall": metrics.recall_score(*data.arrays, **options),
        "precision": metrics.precision_score(*data.arrays, **options),
        "f": metrics.f1_score(*data.arrays, **options),
        "jaccard": metrics.jaccard_score(*data.arrays, **options),
    }
    for name, values in theirs.items():
        ours = [ew.measure(data.table, f"{name}[{label}]") for label in data.labels]
        assert ours == pytest.approx(values.tolist(), **EXACT), name


@samples
@pytest.mark.parametrize("beta", [0.25, 0.5, 1.0, 2.0, 10.0])
def test_f_with_beta_is_f_with_alpha(data: Sample, beta: float) -> None:
    """alpha = beta²/(1 + beta²), not beta²: F = 1/(alpha/recall + (1 − alpha)/precision)."""
    alpha = beta**2 / (1 + beta**2)
    theirs = metrics.fbeta_score(*data.arrays, beta=beta, average=None, **data.weighting)
    ours = [ew.measure(data.table, f"f[{label}](alpha={alpha!r})") for label in data.labels]
    assert ours == pytest.approx(theirs.tolist(), **EXACT)
    for name in ("macro", "weighted"):
        theirs = metrics.fbeta_score(*data.arrays, beta=beta, average=name, **data.weighting)
        assert ew.measure(data.table, f"{name}_f(alpha={alpha!r})") == pytest.approx(theirs, **EXACT)


@samples
def test_one_label_against_the_rest(data: Sample) -> None:
    """The 2 x 2 tables of scikit-learn, [[tn, fp], [fn, tp]], from which the rates follow."""
    tables = metrics.multilabel_confusion_matrix(*data.arrays, **data.weighting)
    for label, ((tn, fp), (fn, tp)) in zip(data.labels, tables, strict=True):
        theirs = {
            "inverse_recall": tn / (tn + fp),
            "fallout": fp / (tn + fp),
            "miss_rate": fn / (fn + tp),
            "inverse_precision": tn / (tn + fn),
            "false_discovery_rate": fp / (tp + fp),
            "label_accuracy": (tp + tn) / (tp + tn + fp + fn),
        }
        for name, value in theirs.items():
            assert ew.measure(data.table, f"{name}[{label}]") == pytest.approx(value, **EXACT), name


@samples
def test_one_label_against_the_rest_as_two_classes(data: Sample) -> None:
    """A label's MCC, and its informedness as adjusted balanced accuracy of "this label or not"."""
    for label in data.labels:
        arrays = [column == label for column in data.arrays]
        mcc = metrics.matthews_corrcoef(*arrays, **data.weighting)
        assert ew.measure(data.table, f"mcc[{label}]") == pytest.approx(mcc, **EXACT)
        edge = metrics.balanced_accuracy_score(*arrays, **data.weighting, adjusted=True)
        assert ew.measure(data.table, f"informedness[{label}]") == pytest.approx(edge, **EXACT)
        plus, minus = metrics.class_likelihood_ratios(*arrays, **data.weighting)
        assert ew.measure(data.table, f"positive_likelihood_ratio[{label}]") == pytest.approx(plus, **EXACT)
        assert ew.measure(data.table, f"negative_likelihood_ratio[{label}]") == pytest.approx(minus, **EXACT)


@counted
def test_information(data: Sample) -> None:
    """scikit-learn counts in nats, Edgeworth in bits."""
    bits = metrics.mutual_info_score(*data.arrays) / math.log(2)
    assert ew.measure(data.table, "mutual_information") == pytest.approx(bits, **EXACT)
    homogeneity = metrics.homogeneity_score(*data.arrays)
    assert ew.measure(data.table, "information_share") == pytest.approx(homogeneity, **EXACT)


@counted
def test_pairs(data: Sample) -> None:
    assert ew.measure(data.table, "rand_index") == pytest.approx(metrics.rand_score(*data.arrays), **EXACT)
    adjusted = metrics.adjusted_rand_score(*data.arrays)
    assert ew.measure(data.table, "adjusted_rand_index") == pytest.approx(adjusted, **EXACT)


@counted
def test_frequency_weights_are_rows_repeated(data: Sample) -> None:
    times = np.arange(len(data.truth)) % 4
    table = ew.ContingencyTable.from_labels(*data.arrays, weights=times)
    repeated = [np.repeat(column, times) for column in data.arrays]
    assert table.is_counted
    np.testing.assert_array_equal(table.counts.T, metrics.confusion_matrix(*repeated))
    kappa = metrics.cohen_kappa_score(*repeated)
    assert ew.measure(table, "kappa") == pytest.approx(kappa, **EXACT)


@pytest.mark.parametrize("beta", [0.0, 0.5, 1.0, 2.0])
def test_f_of_beta(beta: float) -> None:
    rng = np.random.default_rng(7)
    truth, predicted = rng.integers(0, 2, 200), rng.integers(0, 2, 200)
    table = ew.ContingencyTable.from_labels(truth, predicted)
    wanted = metrics.fbeta_score(truth, predicted, beta=beta)
    assert ew.measure(table, f"f[1](beta={beta})") == pytest.approx(wanted, rel=1e-12)


def test_beta_that_is_none() -> None:
    table = ew.ContingencyTable.from_labels([0, 1], [0, 1])
    for spelling in ("f[1](beta=-1)", "f[1](beta=x)", "f[1](beta=1, alpha=0.5)", "mcc(beta=1)"):
        with pytest.raises(OptionError):
            ew.measure(table, spelling)
