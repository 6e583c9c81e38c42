"""Flat metrics for experiment trackers, and a real MLflow store that takes them."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import edgeworth as ew
from edgeworth.report.metrics import Metrics, clean_name

ACCEPTED = re.compile(r"[A-Za-z_][A-Za-z0-9_/]*")
"""What both MLflow (letters, digits, _ - . space : /) and W&B take as the name of a metric.

W&B sorts and filters by names of letters, digits and _ that start with no digit. It groups panels by /."""


def cases(number: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    probabilities = rng.beta(1, 2, number)
    return (rng.random(number) < probabilities).astype(int), probabilities


@given(st.text(max_size=400))
def test_every_name_is_one_that_trackers_accept(name: str) -> None:
    clean = clean_name(name)
    assert ACCEPTED.fullmatch(clean)
    assert len(clean) <= 250


def test_two_labels_that_become_one_name_keep_both_values() -> None:
    metrics = Metrics()
    for label, value in {"a b": 1.0, "a_b": 2.0, "a?b": 3.0}.items():
        metrics.add(f"recall[{label}]", value)
    assert metrics == {"recall_a_b": 1.0, "recall_a_b_2": 2.0, "recall_a_b_3": 3.0}


def test_labels_have_their_measures_with_intervals() -> None:
    truth, probabilities = cases()
    report = ew.evaluate(truth=truth, prediction=(probabilities > 0.5).astype(int), costs="0 1; 5 0")
    metrics = report.to_metrics()
    table = ew.ContingencyTable.from_labels(truth, (probabilities > 0.5).astype(int))
    assert metrics["recall_0"] == pytest.approx(ew.measure(table, "recall[0]"))
    low, high = ew.estimate(table, "informedness").interval(0.95)
    assert (metrics["informedness_low"], metrics["informedness_high"]) == pytest.approx((low, high))
    wrong = table.counts
    assert metrics["cost_per_case"] == pytest.approx((wrong[0, 1] + 5 * wrong[1, 0]) / len(truth))
    assert metrics["cases"] == len(truth)
    assert all(isinstance(value, float) and not math.isnan(value) for value in metrics.values())


def test_labels_have_break_even_margins_only_with_bets() -> None:
    truth, probabilities = cases()
    prediction = (probabilities > 0.5).astype(int)
    without = ew.evaluate(truth=truth, prediction=prediction)
    assert "break_even_margin" not in without.to_metrics()
    assert "break_even_margin" not in set(without.to_frame("pandas")["measure"])
    for bets in ({"bets": True}, {"overround": 0.05}, {"commission": 0.02}):
        report = ew.evaluate(truth=truth, prediction=prediction, **bets)
        assert "break_even_margin" in report.to_metrics()


def test_probabilities_and_scores_have_scores_thresholds_and_costs() -> None:
    truth, probabilities = cases()
    brier = ew.evaluate(truth=truth, probabilities=probabilities).to_metrics()
    assert brier["brier"] == pytest.approx(np.mean((truth - probabilities) ** 2))
    assert brier["brier_low"] < brier["brier"] < brier["brier_high"]
    assert brier["ece_1_low"] <= brier["ece_1"]
    ranked = ew.evaluate(truth=truth, score=probabilities, cost_false_alarm=1, cost_miss=5).to_metrics()
    flagged = probabilities >= ranked["threshold"]
    assert ranked["threshold_recall"] == pytest.approx(flagged[truth == 1].mean())
    expected = (flagged & (truth == 0)).mean() + 5 * (~flagged & (truth == 1)).mean()
    assert ranked["threshold_cost"] == pytest.approx(expected)
    assert "threshold_cross_fitted_cost_low" in ranked


def test_a_slice_has_its_value_and_the_p_value_of_its_gap() -> None:
    truth, probabilities = cases()
    part = np.where(np.arange(len(truth)) % 2, "north", "south")
    report = ew.evaluate(truth=truth, prediction=(probabilities > 0.5).astype(int), by={"region": part})
    metrics = report.to_metrics()
    name = "region/north/informedness"
    assert metrics[f"{name}_gap"] == pytest.approx(metrics[name] - metrics["region/south/informedness"])
    assert f"{name}_gap_p" in metrics
    assert f"{name}_p" not in metrics


def test_a_comparison_has_both_values_and_their_difference() -> None:
    truth, probabilities = cases()
    systems = {"lab/a": (probabilities > 0.5).astype(int), "b": (probabilities > 0.2).astype(int)}
    comparison = ew.compare(truth=truth, systems=systems)
    metrics = comparison.to_metrics()
    difference = comparison["lab/a", "b"]["informedness"]
    assert metrics["lab_a_minus_b/informedness"] == difference.difference
    assert metrics["lab_a/informedness"] - metrics["b/informedness"] == pytest.approx(difference.difference)
    assert metrics["lab_a_minus_b/informedness_p"] == difference.p_value()


def test_infinite_values_are_left_out() -> None:
    truth, probabilities = cases()
    probabilities[0] = 1.0 - truth[0]
    metrics = ew.evaluate(truth=truth, probabilities=probabilities).to_metrics()
    assert "log" not in metrics
    assert all(map(math.isfinite, metrics.values()))


def test_folds_of_cross_validation_have_their_mean_their_spread_and_the_corrected_test() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score
    from sklearn.naive_bayes import GaussianNB

    from edgeworth.sklearn import cross_evaluate, informedness_scorer

    truth, probabilities = cases()
    features = np.c_[probabilities, np.random.default_rng(0).normal(size=len(truth))]
    models = {"line": LogisticRegression(), "bayes": GaussianNB()}
    metrics = cross_evaluate(models, features, truth, cv=5).to_metrics()
    folds = {
        name: cross_val_score(model, features, truth, cv=5, scoring=informedness_scorer)
        for name, model in models.items()
    }
    for name, values in folds.items():
        assert metrics[f"{name}/informedness_fold_mean"] == pytest.approx(values.mean())
        assert metrics[f"{name}/informedness_fold_deviation"] == pytest.approx(values.std(ddof=1))
    gaps = folds["line"] - folds["bayes"]
    assert metrics["line_minus_bayes/informedness_next_training_set"] == pytest.approx(gaps.mean())
    t = gaps.mean() / math.sqrt((1 / 5 + 1 / 4) * gaps.var(ddof=1))
    assert metrics["line_minus_bayes/informedness_next_training_set_p"] == pytest.approx(
        2 * stats.t.sf(abs(t), 4)
    )
    single = cross_evaluate(models["line"], features, truth, cv=5).to_metrics()
    assert single["informedness_fold_mean"] == pytest.approx(folds["line"].mean())
    assert single["folds"] == 5


@pytest.mark.slow
def test_an_mlflow_store_keeps_the_metrics_and_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import mlflow

    monkeypatch.chdir(tmp_path)  # MLflow writes pages into a folder beside
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    truth, probabilities = cases()
    report = ew.evaluate(truth=truth, prediction=(probabilities > 0.5).astype(int))
    metrics = report.to_metrics()
    with mlflow.start_run() as run:
        mlflow.log_metrics(metrics)
        mlflow.log_text(page := report.to_html(), "report.html")
    kept = mlflow.get_run(run.info.run_id)
    assert kept.data.metrics == metrics
    assert mlflow.artifacts.load_text(f"{kept.info.artifact_uri}/report.html") == page
