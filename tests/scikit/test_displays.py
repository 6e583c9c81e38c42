"""Displays: the numbers are those of scikit-learn and of our reports, and pictures follow its conventions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot
from scipy import stats
from sklearn import metrics
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    FixedThresholdClassifier,
    KFold,
    RepeatedKFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import edgeworth as ew
from edgeworth import sklearn as ours
from edgeworth.errors import InputError, OptionError
from edgeworth.rankings.cut_bands import cut_band

mpl.use("Agg")

BINARY = [ours.RocDisplay, ours.PrecisionRecallDisplay, ours.HitCurveDisplay, ours.ReliabilityDisplay]


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    pyplot.close("all")


def problem(classes: int = 2) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(classes)
    points = rng.normal(size=(240, 3))
    noise = points[:, 0] + 0.7 * rng.normal(size=240)
    names = np.array(["ash", "birch", "cedar"])[:classes]
    truth = names[np.digitize(noise, np.quantile(noise, np.linspace(0, 1, classes + 1)[1:-1]))]
    return LogisticRegression().fit(points[:120], truth[:120]), points[120:], truth[120:]


def test_roc_is_scikit_learns_with_a_band_around_it() -> None:
    model, points, truth = problem()
    display = ours.RocDisplay.from_estimator(model, points, truth)
    scores = model.decision_function(points)
    fallout, recall, _ = metrics.roc_curve(truth, scores, pos_label="birch", drop_intermediate=False)
    corners = {*zip(fallout.round(9), recall.round(9), strict=True)}
    assert {*zip(display.fallout.round(9), display.recall.round(9), strict=True)} <= corners
    assert display.roc_auc == pytest.approx(metrics.roc_auc_score(truth == "birch", scores), abs=1e-12)
    low, high = display.band
    assert (low <= display.recall).all()
    assert (display.recall <= high).all()
    assert (low < high).all()


def test_average_precision_is_scikit_learns() -> None:
    model, points, truth = problem()
    display = ours.PrecisionRecallDisplay.from_estimator(model, points, truth)
    wanted = metrics.average_precision_score(truth == "birch", model.decision_function(points))
    assert display.average_precision == pytest.approx(wanted, abs=1e-12)
    assert display.prevalence == np.mean(truth == "birch")


@pytest.mark.parametrize("kind", BINARY)
def test_an_estimator_is_its_predictions(kind: Any) -> None:
    model, points, truth = problem()
    one = kind.from_estimator(model, points, truth)
    other = kind.from_predictions(truth, model.predict_proba(points)[:, 1], pos_label="birch")
    for first, second in zip(one.ax_.lines, other.ax_.lines, strict=True):
        np.testing.assert_array_equal(first.get_xydata(), second.get_xydata())
    assert one.figure_ is one.ax_.figure
    assert one.ax_.collections, "a band is drawn"
    assert any(text.get_text().startswith("LogisticRegression") for text in one.ax_.get_legend().get_texts())


def test_a_model_without_probabilities_is_ranked_by_its_decision_function() -> None:
    _, points, truth = problem()
    model = LinearSVC().fit(points[:60], truth[:60])
    display = ours.RocDisplay.from_estimator(model, points[60:], truth[60:])
    wanted = metrics.roc_auc_score(truth[60:] == "birch", model.decision_function(points[60:]))
    assert display.roc_auc == pytest.approx(wanted, abs=1e-12)


def test_the_lowest_cost_is_at_a_threshold_that_scikit_learn_takes() -> None:
    model, points, truth = problem()
    display = ours.CostDisplay.from_estimator(model, points, truth, cost_false_alarm=1, cost_miss=5)
    cut = FixedThresholdClassifier(model, threshold=display.best, pos_label="birch").fit(points, truth)
    cut.estimator_ = model
    predicted = cut.predict(points)
    errors = ((predicted == "birch") & (truth == "ash")).sum()
    misses = ((predicted == "ash") & (truth == "birch")).sum()
    assert display.cost.min() == pytest.approx((errors + 5 * misses) / len(truth), abs=1e-12)


@pytest.mark.parametrize("kind", BINARY)
def test_axes_and_names_are_taken(kind: Any) -> None:
    model, points, truth = problem()
    _, ax = pyplot.subplots()
    display = kind.from_estimator(model, points, truth, ax=ax, name="mine")
    assert display.ax_ is ax
    assert any(text.get_text().startswith("mine") for text in ax.get_legend().get_texts())
    assert display.plot(name="again").ax_ is not ax


@pytest.mark.parametrize("classes", [2, 3])
def test_confusion_is_scikit_learns_with_informedness_of_each_class(classes: int) -> None:
    model, points, truth = problem(classes)
    display = ours.ConfusionInformednessDisplay.from_estimator(model, points, truth)
    labels = [str(label) for label in model.classes_]
    assert display.labels == labels
    prediction = model.predict(points)
    np.testing.assert_array_equal(display.confusion_matrix, metrics.confusion_matrix(truth, prediction))
    for label, value in zip(labels, display.informedness, strict=True):
        recall = np.mean(prediction[truth == label] == label)
        fallout = np.mean(prediction[truth != label] == label)
        assert value == pytest.approx(recall - fallout, abs=1e-12)
    low, high = display.band
    assert ((low < display.informedness) & (display.informedness < high)).all()


def test_costs_are_counted_errors() -> None:
    model, points, truth = problem()
    chances = model.predict_proba(points)[:, 1]
    display = ours.CostDisplay.from_predictions(
        truth, chances, pos_label="birch", cost_false_alarm=1.0, cost_miss=5.0
    )
    for threshold, cost in zip(display.threshold, display.cost, strict=True):
        taken = chances >= threshold
        errors = (taken & (truth == "ash")).sum() + 5 * (~taken & (truth == "birch")).sum()
        assert cost == pytest.approx(errors / len(truth), abs=1e-12)
    tried = [
        ((chances >= t) & (truth == "ash")).sum() + 5 * ((chances < t) & (truth == "birch")).sum()
        for t in chances
    ]
    assert display.cost.min() == pytest.approx(min(tried) / len(truth), abs=1e-12)
    with pytest.raises(OptionError, match="cost_false_alarm and cost_miss"):
        ours.CostDisplay.from_predictions(truth, chances, pos_label="birch")


def test_folds_are_pooled() -> None:
    _, points, truth = problem()
    folds = KFold(4, shuffle=True, random_state=0)
    results = cross_validate(
        LogisticRegression(), points, truth, cv=folds, return_estimator=True, return_indices=True
    )
    display = ours.ReliabilityDisplay.from_cv_results(results, points, truth)
    chances = cross_val_predict(LogisticRegression(), points, truth, cv=folds, method="predict_proba")[:, 1]
    wanted = ours.ReliabilityDisplay.from_predictions(truth, chances, pos_label="birch")
    np.testing.assert_allclose(display.forecast, wanted.forecast)
    np.testing.assert_allclose(display.frequency, wanted.frequency)
    with pytest.raises(OptionError, match="return_indices=True"):
        ours.RocDisplay.from_cv_results(cross_validate(LogisticRegression(), points, truth), points, truth)


def test_a_case_that_several_folds_test_is_one_cluster() -> None:
    _, points, truth = problem()
    cv = RepeatedKFold(n_splits=3, n_repeats=3, random_state=0)
    options: dict[str, Any] = {"return_estimator": True, "return_indices": True}
    results = cross_validate(DecisionTreeClassifier(max_depth=2), points, truth, cv=cv, **options)
    display = ours.ConfusionInformednessDisplay.from_cv_results(results, points, truth)
    rows = np.concatenate(results["indices"]["test"])
    prediction = np.concatenate(
        [m.predict(points[i]) for m, i in zip(results["estimator"], results["indices"]["test"], strict=True)]
    )
    report = ew.evaluate(truth=truth[rows], prediction=prediction, cluster=rows)
    wanted = {row["label"]: row["low"] for row in report.charts["edges"].data["edges"]}
    assert dict(zip(display.labels, display.band[0], strict=True)) == pytest.approx(wanted)


def test_weights_change_curves() -> None:
    model, points, truth = problem()
    weights = np.random.default_rng(0).random(len(truth))
    display = ours.RocDisplay.from_estimator(model, points, truth, sample_weight=weights)
    wanted = metrics.roc_auc_score(truth == "birch", model.decision_function(points), sample_weight=weights)
    assert display.roc_auc == pytest.approx(wanted, abs=1e-12)
    assert ours.HitCurveDisplay.from_estimator(model, points, truth, sample_weight=weights).band is None
    display = ours.PrecisionRecallDisplay.from_estimator(model, points, truth, sample_weight=weights)
    wanted = metrics.average_precision_score(
        truth == "birch", model.decision_function(points), sample_weight=weights
    )
    assert display.average_precision == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("name", ["RocDisplay", "PrecisionRecallDisplay"])
def test_repeated_rows_and_equal_weights_leave_the_bands_of_curves(name: str) -> None:
    """Three repeats of each case as clusters, or weights of one half, are as many cases as one of each."""
    model, points, truth = problem()
    scores, case = model.decision_function(points), np.arange(len(truth))
    chart = {"RocDisplay": "roc", "PrecisionRecallDisplay": "precision_recall"}[name]
    data = {"RocDisplay": "roc", "PrecisionRecallDisplay": "around"}[name]

    def band(repeats: int, **options: object) -> np.ndarray:
        truths, values = np.repeat(truth, repeats), np.repeat(scores, repeats)
        report = ew.evaluate(truth=truths, score=values, positive="birch", **options)
        return np.array([[row["low"], row["high"]] for row in report.charts[chart].data[data]])

    single, repeated = band(1, cluster=case), band(3, cluster=np.repeat(case, 3))
    np.testing.assert_allclose(repeated, single, atol=1e-9)
    np.testing.assert_allclose(band(1, weight=np.full(len(truth), 0.5)), single, atol=1e-9)
    assert (single[:, 0] < single[:, 1]).all()


@pytest.mark.slow
def test_bands_of_clustered_curves_cover_their_level() -> None:
    """Cases come in threes whose scores share a normal effect; the true recall and precision are known."""
    rng, repeats, fallout, recall = np.random.default_rng(8), 40, np.array([0.1, 0.4]), np.array([0.3, 0.7])
    spread = np.sqrt(1 + 0.8**2)
    alarms = stats.norm.sf(stats.norm.isf(recall) + 1 / spread)
    known = {
        ("fallout", "recall"): (fallout, stats.norm.sf(stats.norm.isf(fallout) - 1 / spread)),
        ("recall", "precision"): (recall, 0.3 * recall / (0.3 * recall + 0.7 * alarms)),
    }
    covered = 0
    for _ in range(repeats):
        cluster = np.repeat(np.arange(60), 3)
        truth = rng.random(60).repeat(3) < 0.3
        scores = truth + rng.normal(size=180) + 0.8 * rng.normal(size=60)[cluster]
        ranking = ew.Ranking.from_scores(truth, scores, positive=True, clusters=cluster)
        for (across, along), (at, true) in known.items():
            low, high = cut_band(ranking, across, along, at, 0.95)
            covered += int(((low <= true) & (true <= high)).sum())
    # 95% of 160 are 152. The four values of a repeat depend on each other: the standard error is at most 5.5.
    assert covered >= 152 - 2 * 5.5


def test_systems_are_compared() -> None:
    model, points, truth = problem()
    stump = DecisionTreeClassifier(max_depth=1).fit(points[:60], truth[:60])
    models = {"line": model, "stump": stump}
    display = ours.ComparisonDisplay.from_estimator(models, points, truth, kind="probabilities")
    systems = {name: item.predict_proba(points)[:, 1] for name, item in models.items()}
    comparison = ew.compare(truth=truth, systems=systems, kind="probabilities", positive="birch")
    assert display.verdict == comparison.verdict
    rows = comparison.charts["differences"].data["differences"]
    assert display.difference.tolist() == [row["difference"] for row in rows]
    brier = [metrics.brier_score_loss(truth == "birch", chances) for chances in systems.values()]
    assert pytest.approx(brier[0] - brier[1], abs=1e-12) in display.difference.tolist()


@pytest.mark.parametrize("names", [("good", "bad"), ("bad", "good")])
def test_the_axis_names_the_systems_in_the_order_in_which_they_are_subtracted(names: tuple[str, str]) -> None:
    truth = np.arange(120) % 2
    wrong = {"good": np.arange(120) % 10 == 0, "bad": np.arange(120) % 3 == 0}
    systems = {name: np.where(wrong[name], 1 - truth, truth) for name in names}
    display = ours.ComparisonDisplay.from_predictions(truth, systems)
    first, second = display.ax_.get_xlabel().split(" − ")
    gap = (systems[first] == truth).mean() - (systems[second] == truth).mean()
    assert display.difference[display.what.index("accuracy")] == pytest.approx(gap)


def test_a_difference_that_is_not_finite_is_marked() -> None:
    truth = np.arange(40) % 2
    sure = np.where(np.arange(40) == 0, 1.0, truth)  # probability 0 for the class of the first case
    systems = {"sure": sure, "fair": 0.25 + 0.5 * truth}
    display = ours.ComparisonDisplay.from_predictions(truth, systems, kind="probabilities")
    marked = [text.get_text() for text in display.ax_.texts]
    assert marked == ["no finite difference"] * int((~np.isfinite(display.difference)).sum())
    assert marked


@pytest.mark.parametrize("kind", BINARY)
def test_curves_on_the_same_axes_have_colours_of_their_own(kind: Any) -> None:
    model, points, truth = problem()
    stump = DecisionTreeClassifier(max_depth=2).fit(points[:60], truth[:60])
    _, ax = pyplot.subplots()
    for name, item in {"line": model, "tree": stump}.items():
        kind.from_estimator(item, points, truth, ax=ax, name=name)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(labels) == len(set(labels))
    colours = {line.get_label().split(" (")[0]: line.get_color() for line in ax.lines}
    assert colours["line"] != colours["tree"]


def test_long_labels_are_not_cut() -> None:
    labels = [f"a rather long label {number}" for number in range(6)]
    truth = np.resize(labels, 120)
    display = ours.ConfusionInformednessDisplay.from_predictions(truth, np.roll(truth, 1))
    figure, ax = display.figure_, display.ax_
    figure.canvas.draw()
    for text in (*ax.get_xticklabels(), *ax.get_yticklabels(), ax.xaxis.label, ax.yaxis.label):
        box = text.get_window_extent()
        assert figure.bbox.containsx(box.x0), text
        assert figure.bbox.containsx(box.x1), text
        assert figure.bbox.containsy(box.y0), text
    assert {text.get_rotation() for text in ax.get_xticklabels()} == {45.0}
    compared = ours.ComparisonDisplay.from_predictions(truth, {"a": truth, "b": np.roll(truth, 1)})
    compared.figure_.canvas.draw()
    for text in compared.ax_.get_yticklabels():
        assert compared.figure_.bbox.containsx(text.get_window_extent().x0)


def test_other_folds_are_no_pair() -> None:
    _, points, truth = problem()
    options: dict[str, Any] = {"return_estimator": True, "return_indices": True}
    results = {
        str(seed): cross_validate(
            LogisticRegression(), points, truth, cv=KFold(3, shuffle=True, random_state=seed), **options
        )
        for seed in (0, 1)
    }
    with pytest.raises(InputError, match="different folds"):
        ours.ComparisonDisplay.from_cv_results(results, points, truth)
    same = ours.ComparisonDisplay.from_cv_results({"a": results["0"], "b": results["0"]}, points, truth)
    assert np.abs(same.difference).max() == 0


def test_three_classes_need_a_target() -> None:
    model, points, truth = problem(3)
    with pytest.raises(InputError, match="pos_label"):
        ours.RocDisplay.from_estimator(model, points, truth)
    with pytest.raises(InputError, match="pos_label"):
        ours.ReliabilityDisplay.from_estimator(model, points, truth, pos_label="oak")


@pytest.mark.parametrize("display", [ours.RocDisplay, ours.ReliabilityDisplay, ours.CostDisplay])
def test_one_class_among_three_is_drawn_against_the_rest(display: Any) -> None:
    model, points, truth = problem(3)
    costs = {"cost_false_alarm": 1, "cost_miss": 3} if display is ours.CostDisplay else {}
    shown = display.from_estimator(model, points, truth, pos_label="birch", **costs)
    chances = model.predict_proba(points)[:, 1]
    other = display.from_predictions(truth == "birch", chances, pos_label=True, **costs)
    for first, second in zip(shown.ax_.lines, other.ax_.lines, strict=True):
        np.testing.assert_array_equal(first.get_xydata(), second.get_xydata())
    with pytest.raises(InputError, match="pos_label is one of the classes"):
        display.from_estimator(model, points, truth, pos_label="fir", **costs)


def test_systems_are_compared_by_the_probabilities_of_one_class_among_three() -> None:
    model, points, truth = problem(3)
    dull = LogisticRegression(C=0.001).fit(points, truth)
    shown = ours.ComparisonDisplay.from_estimator(
        {"a": model, "b": dull}, points, truth, kind="probabilities", pos_label="birch"
    )
    is_birch = truth == "birch"
    scores = [np.mean((m.predict_proba(points)[:, 1] - is_birch) ** 2) for m in (model, dull)]
    gap = scores[0] - scores[1] if shown.names == ("a", "b") else scores[1] - scores[0]
    assert shown.difference[shown.what.index("Brier score")] == pytest.approx(gap)


def test_probabilities_of_three_classes_are_no_curve() -> None:
    model, points, truth = problem(3)
    chances = model.predict_proba(points)
    with pytest.raises(InputError, match="pass the probabilities of one class, and that class as pos_label"):
        ours.ReliabilityDisplay.from_predictions(truth, chances, pos_label="birch")
    with pytest.raises(InputError, match="pos_label is one of the classes"):
        ours.ReliabilityDisplay.from_predictions(truth, chances[:, 0], pos_label="fir")


def test_an_estimator_that_is_not_fitted_is_refused_as_by_scikit_learn() -> None:
    _, points, truth = problem()
    with pytest.raises(NotFittedError):
        ours.RocDisplay.from_estimator(LogisticRegression(), points, truth)
