"""Cross-validated reports and comparisons, with the corrected resampled t test beside them."""

import pickle
from textwrap import dedent
from typing import Any

import nbformat
import numpy as np
import pandas as pd
import polars as pl
import pytest
from nbclient import NotebookClient
from scipy import stats
from sklearn import config_context
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import edgeworth as ew
from edgeworth.errors import InputError, OptionError
from edgeworth.report.report import Report
from edgeworth.report.verdict import Claim, Verdict
from edgeworth.sklearn import cross_evaluate, informedness_scorer
from edgeworth.sklearn.cross_evaluation import MEASURED_ERROR_RATES, Folds, PooledResult, _add_folds
from edgeworth.sklearn.resampled_t import ResampledMean

X, Y = make_classification(240, random_state=3, flip_y=0.2)
TWO = {"logistic": LogisticRegression(), "bayes": GaussianNB()}


def test_the_corrected_test_is_the_naive_one_if_nothing_is_shared() -> None:
    values = np.array([0.1, 0.3, -0.05, 0.2, 0.11])
    peer = stats.ttest_1samp(values, 0)
    mean = ResampledMean.of(values, 0.0)
    assert mean.p_value() == pytest.approx(peer.pvalue, rel=1e-12)
    assert mean.interval(0.9) == pytest.approx(tuple(peer.confidence_interval(0.9)), rel=1e-12)


def test_the_correction_widens_by_nadeau_and_bengios_factor() -> None:
    values = np.array([0.1, 0.3, -0.05, 0.2, 0.11])
    naive, corrected = ResampledMean.of(values, 0.0), ResampledMean.of(values, 1 / 4)
    assert corrected.standard_error / naive.standard_error == pytest.approx(np.sqrt((1 / 5 + 1 / 4) * 5))
    assert np.isnan(ResampledMean.of(np.array([0.5, 0.5]), 0.25).p_value())
    with pytest.raises(InputError, match="two or more"):
        ResampledMean.of(np.array([0.5, np.nan]), 0.25)


def test_a_report_is_on_the_pooled_predictions_of_scikit_learn() -> None:
    cv = StratifiedKFold(6, shuffle=True, random_state=1)
    report = cross_evaluate(LogisticRegression(), X, Y, cv=cv)
    table = ew.ContingencyTable.from_labels(Y, cross_val_predict(LogisticRegression(), X, Y, cv=cv))
    assert report.numbers["estimates"]["informedness"]["value"] == ew.measure(table, "informedness")
    folds = cross_val_score(LogisticRegression(), X, Y, cv=cv, scoring=informedness_scorer)
    estimator = report.numbers["cross_validation"]["systems"]["estimator"]
    assert estimator["values"] == pytest.approx(folds.tolist())
    assert estimator["deviation"] == pytest.approx(folds.std(ddof=1))


def test_a_comparison_has_the_corrected_test_of_its_primary_measure() -> None:
    cv = StratifiedKFold(5)
    comparison = cross_evaluate(TWO, X, Y, cv=cv, n_jobs=2)
    scores = [cross_val_score(value, X, Y, cv=cv, scoring=informedness_scorer) for value in TWO.values()]
    gaps = scores[0] - scores[1]
    t = gaps.mean() / np.sqrt((1 / 5 + 1 / 4) * gaps.var(ddof=1))
    (row,) = comparison.to_dict()["cross_validation"]["next_training_set"]
    assert row["what"] == "logistic − bayes"
    assert row["p_value"] == pytest.approx(2 * stats.t.sf(abs(t), 4))
    assert "The next training set" in str(comparison)


def test_repeats_are_clustered_by_case_and_groups_by_group() -> None:
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0)
    repeated = cross_evaluate(TWO, X, Y, cv=cv)
    assert "720 cases in 240 clusters" in repeated.verdict
    groups = np.repeat(np.arange(60), 4)
    grouped = cross_evaluate(TWO, X, Y, cv=GroupKFold(5), groups=groups)
    assert "240 cases in 60 clusters" in grouped.verdict


def test_probabilities_and_scores_are_asked_for_by_kind() -> None:
    cv = StratifiedKFold(5)
    report = cross_evaluate(GaussianNB(), X, Y, cv=cv, kind="probabilities")
    pooled = cross_val_predict(GaussianNB(), X, Y, cv=cv, method="predict_proba")[:, 1]
    assert report.numbers["means"]["model"]["brier"] == pytest.approx(brier_score_loss(Y, pooled))
    ranked = cross_evaluate({"svc": LinearSVC(), "bayes": GaussianNB()}, X, Y, cv=cv, kind="scores")
    assert ranked.to_dict()["cross_validation"]["measure"] == ranked.findings.headline
    with pytest.raises(OptionError, match="no predict_proba"):
        cross_evaluate(LinearSVC(), X, Y, kind="probabilities")


def test_the_verdict_does_not_promise_what_new_training_sets_may_reverse() -> None:
    features, truth = make_classification(300, random_state=3, flip_y=0.2)
    comparison = cross_evaluate(TWO, features, truth, cv=5, kind="probabilities")
    (row,) = comparison.to_dict()["cross_validation"]["next_training_set"]
    shown = comparison["logistic", "bayes"][comparison.findings.headline].is_shown(0.95)
    assert shown
    assert row["p_value"] >= 0.05
    assert "It is not shown that this holds for the next training set" in comparison.verdict


def test_one_sign_in_every_part_whichever_estimator_comes_first() -> None:
    """Tables subtract from the better system, as the verdict does. JSON keeps the order that was given."""
    logistic, near = ("logistic", LogisticRegression()), ("near", KNeighborsClassifier(1))
    for kind in ("labels", "probabilities", "scores"):
        for pair in ((logistic, near), (near, logistic)):
            comparison = cross_evaluate(dict(pair), X, Y, cv=5, kind=kind)
            assert "logistic beats near" in comparison.verdict
            section = str(comparison).partition("The next training set\n")[2]
            assert "logistic − near" in section
            assert "near − logistic" not in section
            (row,) = comparison.to_dict()["cross_validation"]["next_training_set"]
            claim = next(claim for claim in comparison.verdict.claims if "difference" in claim.numbers)
            assert row["what"] == f"{claim.numbers['first']} − {claim.numbers['second']}"
            assert row["mean"] * claim.numbers["difference"] > 0


def pooled_and_folds(gaps: list[float], *, is_shown: bool, measure: str = "informedness") -> tuple[str, str]:
    """Return the section's text and the verdict for folds with these differences of b and a."""
    folds = Folds("labels", np.arange(10), np.arange(10) % 5, np.zeros(10), {}, (0, 1), 0.25)
    verdict = Verdict([Claim("informedness", "b beats a.", "shown")])
    report = _add_folds(
        Report(verdict, (), (), {}, {}),
        folds=folds,
        measure=measure,
        values={"a": np.zeros(5), "b": np.array(gaps)},
        level=0.95,
        pooled=[PooledResult("b", "a", is_shown)],
        pooled_measure="informedness",
    )
    return " ".join(report.sections[-1].text), str(report.verdict)


CLEAR, UNCLEAR = [0.1, 0.11, 0.09, 0.1, 0.12], [0.1, -0.1, 0.2, -0.2, 0.05]


def test_a_sentence_explains_how_the_two_questions_differ() -> None:
    text, verdict = pooled_and_folds(CLEAR, is_shown=True)
    assert "questions differ" not in text
    assert verdict == "b beats a."
    assert "questions differ" not in pooled_and_folds(UNCLEAR, is_shown=False)[0]
    text, verdict = pooled_and_folds(UNCLEAR, is_shown=True)
    assert "For b and a, the pooled predictions show that b is better. The folds show no clear" in text
    assert "Both can be right, because the questions differ." in text
    assert "It is not shown that this holds for the next training set" in verdict
    text, verdict = pooled_and_folds(CLEAR, is_shown=False)
    assert "show no clear difference. The folds show that b is better." in text
    assert verdict == "b beats a."
    text, verdict = pooled_and_folds([-gap for gap in CLEAR], is_shown=True)
    assert "show that b is better. The folds show that a is better." in text
    assert "For the next training set, a is shown to be better instead" in verdict
    text, verdict = pooled_and_folds(CLEAR, is_shown=True, measure="brier")
    assert "that b is better by informedness. The folds show that a is better by Brier score." in text
    assert verdict == "b beats a."


def test_a_class_that_a_training_fold_lacks_gets_probability_0() -> None:
    truth = np.array(["a", "b"] * 20 + ["c"])
    features = np.c_[np.arange(41) % 2, np.arange(41)]
    splits = [(np.arange(40), np.array([40])), (np.arange(20, 41), np.arange(20))]
    report = cross_evaluate(GaussianNB(), features, truth, cv=splits, kind="probabilities")
    assert report.numbers["scores"]["zeros"]


def test_what_cannot_be_cross_evaluated_is_refused_with_a_way_out() -> None:
    with pytest.raises(InputError, match="looks like regression"):
        cross_evaluate(GaussianNB(), X, X[:, 0])
    with pytest.raises(InputError, match="one label at a time"):
        cross_evaluate(GaussianNB(), X, np.c_[Y, Y])
    with pytest.raises(InputError, match="two classes"):
        cross_evaluate(GaussianNB(), X, np.arange(240) % 3, kind="scores")


def test_regressors_and_missing_classes_are_refused_before_anything_is_fitted() -> None:
    with pytest.raises(InputError, match=r"LinearRegression is a regressor\. Make a grade of each case"):
        cross_evaluate(LinearRegression(), X, np.arange(240))
    with pytest.raises(InputError, match="y is missing in 2 of 240 cases"):
        cross_evaluate(GaussianNB(), X, np.where(np.arange(240) < 2, np.nan, Y))
    with pytest.raises(InputError, match="y is missing in 2 of 240 cases"):
        cross_evaluate(GaussianNB(), X, np.where(np.arange(240) < 2, None, np.where(Y, "a", "b")))
    with pytest.raises(OptionError, match="mapping of names to estimators; saw list"):
        cross_evaluate([GaussianNB()], X, Y)
    with pytest.raises(OptionError, match="saw GaussianNB"):
        cross_evaluate({"bayes": GaussianNB}, X, Y)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_fit_that_fails_is_named(n_jobs: int) -> None:
    with pytest.raises(ValueError, match="'C' parameter") as caught:
        cross_evaluate({"fine": GaussianNB(), "broken": LogisticRegression(C=-1)}, X, Y, n_jobs=n_jobs)
    assert caught.value.__notes__ == ["broken failed on a training set of 192 cases"]


@pytest.mark.parametrize("cv", [LeaveOneOut(), [(np.arange(20), np.arange(20, 40))]])
def test_folds_without_a_spread_still_give_the_pooled_comparison(cv: object) -> None:
    half = np.r_[0:40]
    comparison = cross_evaluate(TWO, X[half], Y[half], cv=cv)
    text = " ".join(str(comparison).split())
    assert "The spread between folds is unknown: informedness is defined in" in text
    assert comparison.to_dict()["cross_validation"]["next_training_set"] == []
    assert "informedness" in comparison.verdict


def test_repeated_scores_are_ranked_within_folds_and_clustered_by_case() -> None:
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=0)
    comparison = cross_evaluate(TWO, X, Y, kind="scores", cv=cv)
    assert "720 cases in 240 clusters" in comparison.verdict
    report = cross_evaluate(TWO["bayes"], X, Y, kind="scores", cv=cv)
    assert "over 12 folds" in report.verdict
    tests = [test for _, test in cv.split(X, Y)]
    scores = [
        TWO["bayes"].fit(X[train], Y[train]).predict_proba(X[test])[:, 1] for train, test in cv.split(X, Y)
    ]
    rows, folds = np.concatenate(tests), np.repeat(np.arange(12), [len(test) for test in tests])
    lists = ew.RankedLists.from_scores(Y[rows], np.concatenate(scores), groups=folds, clusters=rows)
    result, expected = report.numbers["measures"]["roc_auc"], ew.estimate(lists, "roc_auc").to_dict()
    assert (result["low"], result["high"]) == pytest.approx((expected["low"], expected["high"]))
    groups = np.repeat(np.arange(60), 4)
    grouped = cross_evaluate(TWO, X, Y, kind="scores", cv=GroupKFold(5), groups=groups)
    assert "240 cases in 60 clusters" in grouped.verdict


WEIGHTS = np.random.default_rng(0).gamma(2, 0.5, 240)


COUNTS = np.random.default_rng(1).integers(1, 5, 240)


def weighted_predictions(method: str, weights: np.ndarray = WEIGHTS) -> np.ndarray:
    """Fit with weights and predict by hand."""
    predicted = np.zeros(240)
    for train, test in StratifiedKFold(5).split(X, Y):
        fitted = LogisticRegression().fit(X[train], Y[train], sample_weight=weights[train])
        part = getattr(fitted, method)(X[test])
        predicted[test] = part[:, 1] if part.ndim == 2 else part
    return predicted


def test_weights_go_to_fits_and_to_the_evaluation() -> None:
    report = cross_evaluate(LogisticRegression(), X, Y, cv=5, sample_weight=WEIGHTS)
    predicted = weighted_predictions("predict")
    right = predicted == Y
    assert ew.measure(
        ew.ContingencyTable.from_labels(Y, predicted, weights=WEIGHTS), "accuracy"
    ) == pytest.approx(WEIGHTS[right].sum() / WEIGHTS.sum())
    recalls = [WEIGHTS[right & (k == Y)].sum() / WEIGHTS[k == Y].sum() for k in (0, 1)]
    assert report.numbers["estimates"]["informedness"]["value"] == pytest.approx(sum(recalls) - 1)
    values = report.numbers["cross_validation"]["systems"]["estimator"]["values"]
    by_hand = []
    for _, test in StratifiedKFold(5).split(X, Y):
        parts = [test[Y[test] == k] for k in (0, 1)]
        by_hand.append(sum(WEIGHTS[part] @ right[part] / WEIGHTS[part].sum() for part in parts) - 1)
    assert values == pytest.approx(by_hand)


def test_weights_of_probabilities_and_scores() -> None:
    chances = weighted_predictions("predict_proba", COUNTS)
    report = cross_evaluate(LogisticRegression(), X, Y, cv=5, kind="probabilities", sample_weight=COUNTS)
    expected = brier_score_loss(Y, chances, sample_weight=COUNTS)
    assert report.numbers["means"]["model"]["brier"] == pytest.approx(expected)
    values = report.numbers["cross_validation"]["systems"]["estimator"]["values"]
    by_hand = [
        brier_score_loss(Y[test], chances[test], sample_weight=COUNTS[test])
        for _, test in StratifiedKFold(5).split(X, Y)
    ]
    assert values == pytest.approx(by_hand)
    ranked = cross_evaluate(TWO, X, Y, cv=5, kind="scores", measures=["roc_auc"], sample_weight=WEIGHTS)
    odds = weighted_predictions("decision_function")
    areas = [
        roc_auc_score(Y[test], odds[test], sample_weight=WEIGHTS[test])
        for _, test in StratifiedKFold(5).split(X, Y)
    ]
    assert ranked["logistic", "bayes"]["roc_auc"].values[0] == pytest.approx(np.mean(areas))
    with pytest.raises(OptionError, match="for one estimator"):
        cross_evaluate(GaussianNB(), X, Y, kind="scores", sample_weight=WEIGHTS)
    with pytest.raises(OptionError, match="for several estimators"):
        cross_evaluate(TWO, X, Y, kind="probabilities", sample_weight=COUNTS)
    chances = weighted_predictions("predict_proba")
    sampled = cross_evaluate(LogisticRegression(), X, Y, cv=5, kind="probabilities", sample_weight=WEIGHTS)
    expected = brier_score_loss(Y, chances, sample_weight=WEIGHTS)
    assert sampled.numbers["means"]["model"]["brier"] == pytest.approx(expected)


def test_the_last_step_of_a_pipeline_gets_the_weights() -> None:
    scaled = make_pipeline(StandardScaler(), LogisticRegression())
    plain = cross_evaluate(scaled, X, Y, cv=5, kind="probabilities", sample_weight=COUNTS)
    with config_context(enable_metadata_routing=True):
        step = LogisticRegression().set_fit_request(sample_weight=True)
        routed = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), step)
        by_request = cross_evaluate(routed, X, Y, cv=5, kind="probabilities", sample_weight=COUNTS)
    for report in (plain, by_request):
        means = report.numbers["means"]["model"]
        assert means["brier"] == pytest.approx(plain.numbers["means"]["model"]["brier"])
    unweighted = cross_evaluate(scaled, X, Y, cv=5, kind="probabilities")
    assert unweighted.numbers["means"]["model"]["brier"] != pytest.approx(means["brier"])
    nearest = make_pipeline(StandardScaler(), KNeighborsClassifier())
    with pytest.raises(OptionError, match="near: KNeighborsClassifier cannot be fitted with sample_weight"):
        cross_evaluate({"near": nearest, "line": scaled}, X, Y, sample_weight=WEIGHTS)
    with pytest.raises(InputError, match="240 cases need as many weights; saw 3"):
        cross_evaluate(scaled, X, Y, sample_weight=[1, 2, 3])


def test_error_rates_are_those_of_the_measure() -> None:
    known, unknown = (
        " ".join(str(cross_evaluate(TWO, X, Y, cv=5, measures=[measure])).split())
        for measure in ("informedness", "kappa")
    )
    low, high = MEASURED_ERROR_RATES["informedness"]
    assert "the test of informedness" in known
    assert f"in {100 * low:.0f}% to {100 * high:.0f}% of the repetitions" in known
    assert "error rate is unknown for" in unknown


def test_a_comparison_survives_pickling_and_shows_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    comparison = cross_evaluate(TWO, X, Y, cv=3, progress=True)
    assert "6/6" in capsys.readouterr().err
    again = pickle.loads(pickle.dumps(comparison))
    assert again.to_dict()["cross_validation"] == comparison.to_dict()["cross_validation"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_notebook_shows_a_bar_without_widgets() -> None:
    source = """
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB
    from edgeworth.sklearn import cross_evaluate
    report = cross_evaluate(GaussianNB(), *load_iris(return_X_y=True), cv=4, progress=True)
    """
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(dedent(source))])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    (output,) = notebook.cells[0].outputs
    assert output.output_type == "display_data"
    assert output.data["text/plain"] == "fits: 4 of 4"
    assert output.data["text/html"].startswith('<progress value="4" max="4">')


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_come_back_in_the_library_of_the_data(library: Any) -> None:
    frame = library.DataFrame({"x": X[:, 0], "z": X[:, 1], "y": Y})
    features, truth = frame[["x", "z"]], frame["y"]
    for result in (
        cross_evaluate(TWO["bayes"], features, truth),
        cross_evaluate(TWO, features, truth),
        cross_evaluate(TWO, features, Y),
        cross_evaluate(TWO, X, truth),
    ):
        assert isinstance(result.to_frame(), library.DataFrame)


def test_classes_may_be_a_frame_of_one_column() -> None:
    expected = cross_evaluate(LogisticRegression(), X, Y)
    report = cross_evaluate(LogisticRegression(), X, pd.DataFrame({"class": Y}))
    assert report.numbers == expected.numbers
