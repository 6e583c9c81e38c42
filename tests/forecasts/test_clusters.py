"""Probabilities of rows in clusters, with weights that count cases, and with missing values."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import edgeworth as ew
from edgeworth.errors import EdgeworthError, OptionError


def frame(seed: int = 0, clusters: int = 40) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(clusters), 1 + rng.poisson(6, clusters))
    effect = rng.normal(size=clusters)[patient]
    truth = (rng.random(len(patient)) < 1 / (1 + np.exp(-effect))).astype(int)
    noise = rng.normal(0, 0.4, len(patient))
    return pd.DataFrame(
        {
            "y": truth,
            "p": np.round(1 / (1 + np.exp(-(0.8 * effect + noise))), 2),
            "q": 0.5,
            "patient": [f"p{x}" for x in patient],
            "w": rng.integers(0, 4, len(patient)),
        }
    )


def tally(data: Any, **more: Any) -> Any:
    return ew.tally(
        data, **({"truth": "y", "probabilities": "p", "against": "q", "cluster": "patient"} | more)
    )


def test_a_mean_score_has_the_interval_of_the_same_values_as_clustered_grades() -> None:
    # A case's Brier score is a grade, and grades of items in clusters have CR2 intervals of their own.
    data = frame(1)
    estimate = ew.estimate(tally(data).final, "brier", method=None)
    grades = ew.evaluate(
        truth=None, grade=((data.y - data.p) ** 2).to_numpy(), cluster=data.patient.to_numpy()
    )
    other = json.loads(grades.to_json())["estimates"]["mean"]
    assert estimate.value == pytest.approx(other["value"])
    assert estimate.standard_error == pytest.approx(other["standard_error"])


def test_the_difference_to_the_other_forecaster_is_over_clusters() -> None:
    data = frame(2)
    estimate = ew.estimate(tally(data).final, "brier")
    sums = ((data.y - data.p) ** 2 - 0.25).groupby(data.patient).sum()
    sizes = data.groupby("patient").size()
    mean = sums.sum() / sizes.sum()
    shares = sizes / sizes.sum()
    variance = (((sums - mean * sizes) ** 2) / (1 - shares)).sum() / sizes.sum() ** 2
    test = estimate.test_against_chance("two-sided")
    assert test is not None
    # Student's tail at this distance, with between 20 and 39 degrees of freedom.
    from scipy import stats

    distance = abs(mean) / math.sqrt(variance)
    assert 2 * stats.t.sf(distance, 39) <= test.p_value <= 2 * stats.t.sf(distance, 20)


def test_rankings_and_decisions_rest_on_clusters_too() -> None:
    data = frame(3)
    forecasts = tally(data).final
    ranking = ew.Ranking.from_scores(data.y, data.p, clusters=data.patient)
    for measure in ("roc_auc", "average_precision"):
        expected = ew.estimate(ranking, measure).interval()
        assert ew.estimate(forecasts, measure).interval() == pytest.approx(expected)
    decided = data[data.p != 0.5]
    table = ew.ContingencyTable.from_labels(decided.y, (decided.p > 0.5) * 1, clusters=decided.patient)
    estimate = ew.estimate(tally(decided).final, "accuracy")
    assert estimate.interval() == pytest.approx(ew.estimate(table, "accuracy").interval())


def test_three_classes_have_clusters() -> None:
    rng = np.random.default_rng(4)
    truth, cluster = rng.integers(0, 3, 300), rng.integers(0, 30, 300)
    probabilities = rng.dirichlet(np.ones(3), 300)
    report = ew.evaluate(truth=truth, probabilities=probabilities, cluster=cluster)
    assert "over clusters" in str(report)
    record = ew.tally(
        truth=truth, probabilities=probabilities, against=np.full((300, 3), 1 / 3), cluster=cluster
    )
    table = ew.ContingencyTable.from_labels(truth, probabilities.argmax(axis=1), clusters=cluster)
    estimate = ew.estimate(record.final, "kappa")
    assert estimate.interval() == pytest.approx(ew.estimate(table, "kappa").interval())


def test_parts_add_up_and_come_back_from_files(tmp_path: Path) -> None:
    data = frame(5)
    whole, parts = tally(data), [tally(data[:100]), tally(data[100:])]
    merged = parts[0] + parts[1]
    results = [ew.estimate(record.final, "brier").to_dict() for record in (whole, merged)]
    assert results[0]["low"] == pytest.approx(results[1]["low"])
    whole.write(tmp_path / "all.json")
    assert ew.read_tally(tmp_path / "all.json").final == whole.final
    with pytest.raises(EdgeworthError, match="do not merge"):
        _ = parts[0] + tally(data[100:], cluster=None)


def test_a_copy_of_every_row_changes_no_interval_and_no_evidence() -> None:
    data = frame(6)
    first, second = (ew.estimate(tally(x).final, "brier") for x in (data, pd.concat([data, data])))
    assert first.interval() == pytest.approx(second.interval())
    evidence = [tally(x).final.clusters.log_wealth for x in (data, pd.concat([data, data]))]
    assert evidence[0] == pytest.approx(evidence[1])


def test_shares_that_do_best_on_clusters_bound_the_evidence() -> None:
    clusters = tally(frame(7)).final.clusters
    least = clusters.log_wealth_against_shares
    for share in np.linspace(0.02, 0.98, 49):
        counts = clusters.classes / clusters.cases[:, None]
        against = -float((clusters.score_sums("log", 0) / clusters.cases).sum())
        against -= float((counts @ np.log([1 - share, share])).sum())
        assert least <= against + 1e-9


@pytest.mark.parametrize("kind", ["frame", "file", "arrays"])
def test_weights_count_cases_and_missing_rows_are_dropped(kind: str, tmp_path: Path) -> None:
    data = frame(8)
    data.loc[[3, 8], "p"] = np.nan
    data["y"] = data.y.astype(float)
    data.loc[20, "y"] = np.nan
    options: dict[str, Any] = {"truth": "y", "probabilities": "p", "weight": "w", "missing": "drop"}
    source: Any = data
    if kind == "file":
        source = tmp_path / "rows.csv"
        data.to_csv(source, index=False)
    if kind == "arrays":
        source = None
        options |= {role: data[options[role]].to_numpy() for role in ("truth", "probabilities", "weight")}
    result = ew.evaluate(source, **options)
    complete = data.dropna()
    repeated = complete.loc[np.repeat(complete.index, complete.w)]
    expected = ew.evaluate(repeated.astype({"y": int}), truth="y", probabilities="p")
    assert result.provenance["dropped"] == 3
    scores = [json.loads(report.to_json())["scores"] for report in (result, expected)]
    assert scores[0]["sums"] == pytest.approx(np.array(scores[1]["sums"]))
    assert sum(scores[0]["classes"]) == int(complete.w.sum())


def test_what_is_not_supported_says_so() -> None:
    data = frame(9)
    columns = {"truth": data.y, "probabilities": data.p}
    with pytest.raises(OptionError, match=r"clusters .* are not supported with --ordered"):
        ew.evaluate(**columns, cluster=data.patient, ordered=True)
    with pytest.raises(EdgeworthError, match="missing"):
        ew.evaluate(**columns, cluster=[None, *data.patient[1:]])
    growth = ew.estimate(tally(data).final, "growth")
    assert "not supported with clusters" in str(growth.undefined)


def test_one_cluster_has_no_interval() -> None:
    data = frame(10).assign(patient="one")
    assert "one cluster" in str(ew.estimate(tally(data).final, "brier").no_interval)


def test_few_effective_clusters_are_a_caveat_beside_calibration_and_roc_area() -> None:
    data = frame(clusters=15)
    sizes = data.groupby("patient").size()
    few = f"only {sizes.sum() ** 2 / (sizes**2).sum():.2g} effective clusters"
    report = ew.evaluate(data, truth="y", probabilities="p", cluster="patient")
    quality = next(claim for claim in report.to_dict()["claims"] if claim["about"] == "calibration")
    assert f", but {few})" in quality["text"]
    grids = {section.title: section.grids[0] for section in report.sections if section.grids}
    for title in ("Calibration", "Brier and log score decomposition"):
        assert grids[title].columns[-1].name == "caveat"
        assert any(few in str(row[-1]) for row in grids[title].rows)
    many = ew.evaluate(frame(clusters=60), truth="y", probabilities="p", cluster="patient")
    grids = {section.title: section.grids[0] for section in many.sections if section.grids}
    assert not any("effective clusters" in str(row[-1]) for row in grids["Calibration"].rows)


def test_calibration_is_not_tested_with_a_handful_of_clusters() -> None:
    report = ew.evaluate(frame(clusters=4), truth="y", probabilities="p", cluster="patient")
    assert "too few cases or clusters to test calibration" in report.verdict
