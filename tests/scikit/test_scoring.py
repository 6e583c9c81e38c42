"""Scores with scikit-learn's signatures agree with scikit-learn where it has them, and serve its searches."""

from __future__ import annotations

import inspect
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.typing import NDArray
from scipy.special import expit
from sklearn import metrics
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score, cross_validate
from sklearn.tree import DecisionTreeClassifier

import edgeworth as ew
from edgeworth.errors import InputError
from edgeworth.sklearn import (
    average_precision_score,
    average_precision_scorer,
    brier_scorer,
    growth_score,
    growth_scorer,
    informedness_score,
    informedness_scorer,
    log_scorer,
    markedness_score,
    markedness_scorer,
    roc_auc_scorer,
    spherical_scorer,
)

EXACT = {"rel": 1e-10, "abs": 1e-12}
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "rare_targets.py"

Labels = NDArray[np.int64]
Floats = NDArray[np.float64]


def labels(classes: int, seed: int) -> tuple[Labels, Labels, Floats]:
    """Truth, predictions that agree with it half of the time, and weights."""
    rng = np.random.default_rng([classes, seed])
    truth = rng.integers(classes, size=120)
    prediction = np.where(rng.random(120) < 0.5, truth, rng.integers(classes, size=120))
    return truth, prediction, rng.exponential(size=120)


def scores(seed: int, *, distinct: int) -> tuple[Labels, Floats, Floats]:
    """Rare targets, scores rounded so that they tie, and weights."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(300) < 0.1).astype(np.int64)
    truth[:2] = [0, 1]
    values = np.round((truth + rng.normal(size=300)) * distinct) / distinct
    return truth, values, rng.exponential(size=300)


# -- decisions ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_two_classes_are_scikit_learns_recalls_and_precisions(seed: int) -> None:
    truth, prediction, weights = labels(2, seed)
    for weighting in ({}, {"sample_weight": weights}):
        balanced = metrics.balanced_accuracy_score(truth, prediction, adjusted=True, **weighting)
        assert informedness_score(truth, prediction, **weighting) == pytest.approx(balanced, **EXACT)
        precisions = metrics.precision_score(truth, prediction, average=None, **weighting)
        assert markedness_score(truth, prediction, **weighting) == pytest.approx(sum(precisions) - 1, **EXACT)


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_square_of_correlation_with_one_label_is_informedness_times_markedness(classes: int) -> None:
    truth, prediction, weights = labels(classes, 0)
    for label in range(classes):
        options: dict[str, Any] = {"pos_label": label, "sample_weight": weights}
        product = informedness_score(truth, prediction, **options) * markedness_score(
            truth, prediction, **options
        )
        correlation = metrics.matthews_corrcoef(truth == label, prediction == label, sample_weight=weights)
        assert product == pytest.approx(correlation**2, **EXACT)


@pytest.mark.parametrize("score", [informedness_score, markedness_score])
@pytest.mark.parametrize("classes", [2, 4])
def test_scores_are_the_measures_of_the_table(score: Any, classes: int) -> None:
    truth, prediction, weights = labels(classes, 1)
    name = score.__name__.removesuffix("_score")
    table = ew.ContingencyTable.from_labels(truth, prediction, weights=weights)
    assert score(truth, prediction, sample_weight=weights) == ew.measure(table, name)
    for label in range(classes):
        one = score(truth, prediction, sample_weight=weights, pos_label=label)
        assert one == pytest.approx(ew.measure(table, f"{name}[{label}]"), **EXACT)


@pytest.mark.parametrize("score", [informedness_score, markedness_score])
def test_labels_come_in_any_clothes(score: Any) -> None:
    truth, prediction, _ = labels(3, 2)
    wanted = score(truth, prediction)
    names = np.array(["ash", "birch", "cedar"])
    assert score(truth.tolist(), prediction.tolist()) == wanted
    assert score(names[truth], names[prediction].astype(object)) == wanted
    assert score(pd.Series(names[truth]), pd.Categorical(names[prediction])) == wanted
    assert score(truth.astype(float), prediction) == wanted
    assert score(truth, prediction, labels=[2, 0, 1, 7]) == pytest.approx(wanted, **EXACT)
    assert score(truth, prediction, sample_weight=np.full(120, 3)) == pytest.approx(wanted, **EXACT)


@pytest.mark.parametrize("score", [informedness_score, markedness_score])
def test_a_label_outside_those_declared_is_refused(score: Any) -> None:
    with pytest.raises(InputError, match="the labels declared are 0, 1, but there is also 2"):
        score([0, 1, 2], [0, 1, 2], labels=[0, 1])
    with pytest.raises(InputError, match="7"):
        score([0, 1], [0, 1], pos_label=7)


def test_undefined_is_nan() -> None:
    assert math.isnan(informedness_score([1, 1], [0, 1]))
    assert math.isnan(informedness_score([0, 1], [2, 2]))
    assert math.isnan(informedness_score([0, 1], [0, 1], labels=[0, 1, 2], pos_label=2))
    assert math.isnan(informedness_score([0, 1], [0, 1], sample_weight=[0.0, 0.0]))
    assert math.isnan(markedness_score([0, 1], [1, 1]))
    assert math.isnan(markedness_score([2, 2], [0, 1]))
    assert (informedness_score([0, 1], [1, 1]), markedness_score([1, 1], [0, 1])) == (0.0, 0.0)


# -- scorers -----------------------------------------------------------------------------------------------


def noisy_classes() -> tuple[Floats, Labels]:
    rng = np.random.default_rng(5)
    points = rng.normal(size=(150, 3))
    return points, (points[:, 0] + 0.5 * rng.normal(size=150) > 0).astype(np.int64)


def test_cross_validation_scores_each_fold() -> None:
    points, classes = noisy_classes()
    model = LogisticRegression()
    ours = cross_val_score(model, points, classes, scoring=informedness_scorer)
    balanced = cross_val_score(model, points, classes, scoring="balanced_accuracy")
    assert ours.tolist() == pytest.approx((2 * balanced - 1).tolist(), **EXACT)
    marked = cross_val_score(model, points, classes, scoring=markedness_scorer)
    precision = cross_val_score(model, points, classes, scoring="precision_macro")
    assert marked.tolist() == pytest.approx((2 * precision - 1).tolist(), **EXACT)


def test_a_search_keeps_the_best_informed() -> None:
    points, classes = noisy_classes()
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0),
        {"max_depth": [1, 2, 20]},
        scoring={"informedness": informedness_scorer, "markedness": markedness_scorer},
        refit="informedness",
    ).fit(points, classes)
    mean_test_informedness = search.cv_results_["mean_test_informedness"]
    assert search.best_index_ == int(np.argmax(mean_test_informedness))
    assert search.best_score_ == max(mean_test_informedness) > 0.5


def test_a_fold_of_one_class_is_nan_and_not_0() -> None:
    points, classes = noisy_classes()
    model = LogisticRegression().fit(points, classes)
    ones = classes == 1
    assert math.isnan(informedness_scorer(model, points[ones], classes[ones]))


# -- rankings ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("distinct", [1, 3, 10_000_000])
@pytest.mark.parametrize("seed", range(4))
def test_rankings_with_ties_and_weights_are_scored_as_by_scikit_learn(
    seed: int, distinct: int, weighted: bool
) -> None:
    truth, values, weights = scores(seed, distinct=distinct)
    weighting = {"sample_weight": weights} if weighted else {}
    theirs = metrics.average_precision_score(truth, values, **weighting)
    assert average_precision_score(truth, values, **weighting) == pytest.approx(theirs, **EXACT)


@pytest.mark.parametrize("pos_label", ["active", "decoy"])
def test_targets_may_be_named(pos_label: str) -> None:
    truth, values, _ = scores(0, distinct=3)
    names = np.where(truth == 1, "active", "decoy")
    theirs = metrics.average_precision_score(names, values, pos_label=pos_label)
    assert average_precision_score(names, values, pos_label=pos_label) == pytest.approx(theirs, **EXACT)


def test_tied_cases_in_expected_order() -> None:
    """A target and another case that tie: first with precision 1 or second with 1/2, so 3/4 on average."""
    assert average_precision_score([1, 0], [5.0, 5.0]) == 0.5
    assert average_precision_score([1, 0], [5.0, 5.0], ties="expected") == pytest.approx(0.75, **EXACT)
    assert average_precision_score([1, 0], [5.0, 5.0], ties="best") == 1.0
    assert average_precision_score([1, 0], [5.0, 5.0], ties="worst") == 0.5


def test_without_ties_their_treatment_does_not_matter() -> None:
    truth, values, _ = scores(1, distinct=10_000_000)
    assert len(set(values)) == len(values)
    plain, expected = (
        average_precision_score(truth, values, ties=ties) for ties in ("threshold", "expected")
    )
    assert plain == pytest.approx(expected, **EXACT)


def test_rankings_without_targets_or_background_have_no_score() -> None:
    assert math.isnan(average_precision_score([0, 0], [1.0, 2.0]))
    assert average_precision_score([1, 1], [1.0, 2.0]) == 1.0
    with pytest.raises(InputError, match="name the target"):
        average_precision_score(["active", "decoy"], [1.0, 2.0])


# -- the package -------------------------------------------------------------------------------------------


def test_signatures_are_scikit_learns() -> None:
    """What scikit-learn's own functions take by keyword, ours take by the same name."""
    pairs = [
        (informedness_score, ["y_true", "y_pred"], {"labels", "pos_label", "sample_weight"}),
        (markedness_score, ["y_true", "y_pred"], {"labels", "pos_label", "sample_weight"}),
        (average_precision_score, ["y_true", "y_score"], {"pos_label", "sample_weight", "ties"}),
    ]
    for function, positional, keywords in pairs:
        parameters = inspect.signature(function).parameters.values()
        assert [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD] == positional
        assert {p.name for p in parameters if p.kind is p.KEYWORD_ONLY} == keywords


def test_without_scikit_learn_one_sentence_says_what_to_install() -> None:
    code = "import sys; sys.modules['sklearn'] = None; import edgeworth.sklearn"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert shown.returncode == 1
    assert shown.stderr.splitlines()[-1] == (
        "edgeworth.errors.MissingExtraError: edgeworth.sklearn needs libraries that are not installed: "
        "pip install 'edgeworth[sklearn]'"
    )


SCORERS = {
    "average_precision": (
        average_precision_scorer,
        lambda y, s, w: metrics.average_precision_score(y, s, sample_weight=w),
    ),
    "roc_auc": (roc_auc_scorer, lambda y, s, w: metrics.roc_auc_score(y, s, sample_weight=w)),
    "log": (log_scorer, lambda y, s, w: -metrics.log_loss(y, expit(s), sample_weight=w)),
    "brier": (brier_scorer, lambda y, s, w: -metrics.brier_score_loss(y, expit(s), sample_weight=w)),
}
"""Each with scikit-learn's answer of truth, decision function and weights."""


@pytest.mark.parametrize("name", SCORERS)
def test_weights_reach_scorers_through_metadata_routing(name: str) -> None:
    points, classes = noisy_classes()
    weights = np.random.default_rng(1).random(len(classes))
    scorer, theirs = SCORERS[name]
    model = LogisticRegression().fit(points, classes)
    decision = model.decision_function(points)
    assert scorer(model, points, classes) == pytest.approx(theirs(classes, decision, None), **EXACT)
    folds = list(KFold(3).split(points))
    with sklearn.config_context(enable_metadata_routing=True):
        routed = clone(scorer).set_score_request(sample_weight=True)
        test_score = cross_validate(
            LogisticRegression().set_fit_request(sample_weight=False),
            points,
            classes,
            scoring=routed,
            cv=folds,
            params={"sample_weight": weights},
        )["test_score"]
    for score, (train, test) in zip(test_score, folds, strict=True):
        fitted = LogisticRegression().fit(points[train], classes[train])
        wanted = theirs(classes[test], fitted.decision_function(points[test]), weights[test])
        assert score == pytest.approx(wanted, **EXACT)


@pytest.mark.parametrize("scorer", [informedness_scorer, markedness_scorer, growth_scorer, spherical_scorer])
def test_whole_weights_are_repeated_cases(scorer: Any) -> None:
    points, classes = noisy_classes()
    model = LogisticRegression().fit(points, classes)
    weights = np.random.default_rng(2).integers(1, 4, len(classes))
    repeated = np.repeat(np.arange(len(classes)), weights)
    wanted = scorer(model, points[repeated], classes[repeated])
    assert scorer(model, points, classes, sample_weight=weights) == pytest.approx(wanted, rel=1e-10)


def test_a_fold_without_targets_has_no_average_precision() -> None:
    points, classes = noisy_classes()
    model = LogisticRegression().fit(points, classes)
    assert math.isnan(average_precision_scorer(model, points[classes == 0], classes[classes == 0]))


@pytest.mark.slow
def test_the_example_of_rare_targets_runs() -> None:
    shown = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLE)], capture_output=True, text=True, check=False
    )
    assert not shown.stderr
    assert shown.returncode == 0
    lines = shown.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    for name in ("logistic regression", "nearest neighbours", "support vector machine", "LAGO"):
        assert sum(line.startswith(f"{name}  ") for line in lines) == 1, name


@pytest.mark.parametrize("classes", [2, 3])
def test_models_are_selected_by_wealth(classes: int) -> None:
    """Growth is the log score's lead over the class shares; sums of folds as scikit-learn's own losses."""
    rng = np.random.default_rng(classes)
    truth = np.array(["a", "b", "c"])[np.arange(90) % classes]
    points = (np.arange(90) % classes)[:, None] + rng.normal(size=(90, 1))
    model = LogisticRegression().fit(points, truth)
    chances = model.predict_proba(points)
    shares = np.full(classes, 1 / classes)
    loss = metrics.log_loss(truth, chances, labels=model.classes_)
    assert log_scorer(model, points, truth) == pytest.approx(-loss, rel=1e-12)
    assert growth_scorer(model, points, truth) == pytest.approx(np.log(classes) - loss, rel=1e-12)
    even = np.broadcast_to(shares, chances.shape)
    against = growth_score(truth, chances, against=even, labels=model.classes_)
    assert against == pytest.approx(np.log(classes) - loss, rel=1e-10)
    squares = ((chances - (truth[:, None] == model.classes_)) ** 2).sum(axis=1).mean()
    halved = squares / (2 if classes == 2 else 1)
    assert brier_scorer(model, points, truth) == pytest.approx(-halved, rel=1e-12)
    folds = cross_val_score(LogisticRegression(), points, truth, scoring=growth_scorer, cv=3)
    assert np.isfinite(folds).all()


def test_scorers_of_rankings_need_two_classes() -> None:
    model = DummyClassifier().fit([[0]] * 3, [0, 1, 2])
    with pytest.raises(InputError, match="need two classes; saw 3: use log_scorer or brier_scorer"):
        roc_auc_scorer(model, [[0]] * 3, [0, 1, 2])
