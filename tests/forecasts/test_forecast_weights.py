"""Probabilities of rows with sampling weights, and calibration of rows in clusters."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.optimize import minimize
from scipy.special import expit, logit

import edgeworth as ew
from edgeworth.errors import EdgeworthError, MergeError, OptionError
from edgeworth.forecasts.calibration import Calibration, Reliability
from edgeworth.forecasts.parts import part_of_tally
from edgeworth.pipeline.tally_record import TallyRecord

COLUMNS: dict[str, Any] = {"truth": "y", "probabilities": "p"}
POINT_VALUES = (
    "brier",
    "log",
    "spherical",
    "perplexity",
    "brier_skill",
    "roc_auc",
    "forecast_bias",
    "calibration_slope",
    "calibration_intercept",
    "calibration_intercept(slope=fitted)",
    "ece(debias=no)",
    "miscalibration",
    "discrimination",
    "accuracy",
    "informedness",
)


def frame(seed: int = 0, rows: int = 240) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    p = np.round(expit(rng.normal(0, 1.2, rows)), 2).clip(0.01, 0.99)
    return pd.DataFrame(
        {
            "y": (rng.random(rows) < expit(0.7 * logit(p) + 0.2)).astype(int),
            "p": p,
            "q": np.round(np.clip(p + rng.normal(0, 0.1, rows), 0.05, 0.95), 3),
            "w": np.exp(rng.normal(size=rows)),
            "count": rng.integers(1, 5, rows),
            "patient": rng.integers(0, 30, rows),
            "site": np.where(rng.random(rows) < 0.5, "north", "south"),
        }
    )


def counted(data: pd.DataFrame, **more: Any) -> Any:
    return ew.tally(data, **COLUMNS, against="q", **more).final


@pytest.mark.parametrize("measure", POINT_VALUES)
def test_whole_sampling_weights_have_the_values_of_repeated_rows(measure: str) -> None:
    data = frame(1)
    weighted = counted(data, weight="count", weight_kind="sampling")
    repeated = counted(data.loc[np.repeat(data.index, data["count"])])
    assert ew.estimate(weighted, measure).value == pytest.approx(
        ew.estimate(repeated, measure).value, rel=1e-9
    )


@pytest.mark.parametrize("measure", [*POINT_VALUES, "squared_calibration_error", "spiegelhalter_z", "ece"])
def test_the_unit_of_weights_does_not_matter(measure: str) -> None:
    data = frame(2)
    small, large = (
        ew.estimate(counted(data.assign(w=data.w * unit), weight="w", weight_kind="sampling"), measure)
        for unit in (1.0, 1000.0)
    )
    assert large.value == pytest.approx(small.value, rel=1e-9)
    if small.law is not None:
        assert large.interval() == pytest.approx(small.interval(), rel=1e-6)


@pytest.mark.parametrize("measure", ["brier", "forecast_bias", "calibration_slope", "calibration_intercept"])
def test_equal_weights_have_nearly_the_interval_of_rows_without_weights(measure: str) -> None:
    data = frame(3, rows=2000).assign(w=2.5)
    data["y"] = (np.random.default_rng(30).random(2000) < data.p).astype(int)
    weighted, plain = (ew.estimate(counted(data, **more), measure) for more in ({"weight": "w"}, {}))
    assert weighted.value == pytest.approx(plain.value, rel=1e-9)
    # Slope and intercept have a robust variance instead of the likelihood's, which agree for many cases.
    assert weighted.interval() == pytest.approx(plain.interval(), rel=0.02, abs=0.004)


def test_weighted_brier_score_and_its_error_are_those_of_numpy() -> None:
    data = frame(4)
    estimate = ew.estimate(counted(data, weight="w"), "brier")
    squares, w = ((data.y - data.p) ** 2).to_numpy(), data.w.to_numpy()
    mean = np.average(squares, weights=w)
    effective = w.sum() ** 2 / (w**2).sum()
    variance = (w**2 * (squares - mean) ** 2).sum() / w.sum() ** 2 * effective / (effective - 1)
    assert estimate.value == pytest.approx(mean, rel=1e-12)
    assert estimate.standard_error == pytest.approx(math.sqrt(variance), rel=1e-9)
    log = -np.log(np.where(data.y == 1, data.p, 1 - data.p))
    assert ew.measure(part_of_tally(counted(data, weight="w"), "log")[0], "log") == pytest.approx(
        np.average(log, weights=w)
    )


def test_the_weighted_slope_and_its_error_are_those_of_a_weighted_regression() -> None:
    data = frame(5)
    y, log_odds, w = data.y.to_numpy(), logit(data.p.to_numpy()), data.w.to_numpy()
    design = np.stack([np.ones_like(log_odds), log_odds], axis=1)

    def loss(b: Any) -> float:
        return -float((w * (y * (design @ b) - np.logaddexp(0, design @ b))).sum())

    fit = minimize(loss, [0.0, 1.0], method="BFGS", options={"gtol": 1e-9}).x
    mu = expit(design @ fit)
    bread = np.linalg.inv(design.T @ (design * (w * mu * (1 - mu))[:, None]))
    scores = design * (w * (y - mu))[:, None]
    effective = w.sum() ** 2 / (w**2).sum()
    sandwich = bread @ (scores.T @ scores) @ bread * effective / (effective - 1)
    slope = ew.estimate(counted(data, weight="w"), "calibration_slope")
    intercept = ew.estimate(counted(data, weight="w"), "calibration_intercept(slope=fitted)")
    assert (intercept.value, slope.value) == pytest.approx(tuple(fit), abs=1e-5)
    assert slope.standard_error == pytest.approx(math.sqrt(sandwich[1, 1]), rel=1e-4)
    assert intercept.standard_error == pytest.approx(math.sqrt(sandwich[0, 0]), rel=1e-4)


def test_forecast_bias_of_clusters_has_the_interval_of_clustered_grades() -> None:
    data = frame(6)
    estimate = ew.estimate(counted(data, cluster="patient"), "forecast_bias")
    grades = ew.evaluate(grade=(data.p - data.y).to_numpy(), cluster=data.patient.to_numpy())
    other = json.loads(grades.to_json())["estimates"]["mean"]
    assert estimate.value == pytest.approx(other["value"])
    assert estimate.standard_error == pytest.approx(other["standard_error"])


def test_a_bias_gap_of_slices_that_share_clusters_is_that_of_the_clusters_themselves() -> None:
    # With every cluster in both slices, the gap is a mean of differences within clusters.
    rng = np.random.default_rng(7)
    effect = np.repeat(rng.normal(0, 0.1, 60), 40)
    p = np.clip(0.5 + effect + rng.normal(0, 0.15, 2400), 0.02, 0.98)
    data = pd.DataFrame(
        {
            "y": (rng.random(2400) < np.clip(0.5 - 2 * effect, 0, 1)).astype(int),
            "p": p,
            "patient": np.repeat(np.arange(60), 40),
            "site": np.tile(["north", "south"], 1200),
        }
    )
    report = ew.evaluate(data, **COLUMNS, cluster="patient", by="site")
    slices = json.loads(report.to_json())["slices"]
    gap = next(row for row in slices["slices"] if row["measure"] == "forecast_bias")
    bias = (data.p - data.y).groupby([data.patient, data.site]).mean().unstack()
    apart = bias["north"] - bias["south"]
    assert abs(gap["gap"]) == pytest.approx(abs(apart.mean()))
    low, high = gap["gap_low"], gap["gap_high"]
    quantile = stats.t.ppf((1 + slices["level_of_gaps"]) / 2, 59)
    width = 2 * quantile * apart.std() / math.sqrt(60)
    assert high - low == pytest.approx(width, rel=0.05)


@pytest.mark.parametrize("kind", ["frame", "file", "arrays"])
def test_every_input_has_the_same_weighted_scores(kind: str, tmp_path: Path) -> None:
    data = frame(8)
    data.loc[5, "w"] = 0.0
    options: dict[str, Any] = {**COLUMNS, "weight": "w"}
    source: Any = data
    if kind == "file":
        source = tmp_path / "rows.csv"
        data.to_csv(source, index=False)
    if kind == "arrays":
        source = None
        options = {role: data[column].to_numpy() for role, column in options.items()}
    report = ew.evaluate(source, **options)
    numbers = json.loads(report.to_json())
    expected = np.average((data.y - data.p) ** 2, weights=data.w)
    assert numbers["means"]["model"]["brier"] == pytest.approx(expected)
    share = np.average(data.y, weights=data.w)
    assert numbers["means"]["against"]["brier"] == pytest.approx(share * (1 - share))
    assert numbers["effective_cases"] == pytest.approx(data.w.sum() ** 2 / (data.w**2).sum())
    assert numbers["wealth"] is None
    assert "Effective sample size" in " ".join(report.warnings)


def test_weighted_parts_add_up_and_survive_a_file(tmp_path: Path) -> None:
    data = frame(9)
    options: dict[str, Any] = {**COLUMNS, "against": "q", "weight": "w", "cluster": "patient"}
    parts = [ew.tally(part, **options) for part in (data[:100], data[100:])]
    whole = ew.tally(data, **options).final
    paths = [tmp_path / f"{index}.json" for index in range(2)]
    for part, path in zip(parts, paths, strict=True):
        part.write(path)
    merged = TallyRecord.merge([ew.read_tally(path) for path in paths]).final
    for measure in ("brier", "roc_auc", "calibration_slope", "forecast_bias", "accuracy"):
        first, second = (ew.estimate(tally, measure) for tally in (merged, whole))
        assert first.value == pytest.approx(second.value)
        assert first.interval() == pytest.approx(second.interval())
    whole_weights = ew.tally(data.assign(w=data["count"]), **options)
    with pytest.raises(MergeError, match="sampling weights"):
        TallyRecord.merge([parts[0], whole_weights])


@pytest.mark.parametrize(
    "more", [{"odds": ["p", "q"]}, {"ordered": True}, {"orders": 10}, {"goal": 2.0}, {"bets": True}]
)
def test_what_has_no_weights_is_refused_by_name(more: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=r"--weight \(weight=\) is not supported with"):
        ew.evaluate(frame(10), **COLUMNS, weight="w", **more)


def test_compare_refuses_weights_instead_of_ignoring_them() -> None:
    with pytest.raises(OptionError, match=r"--weight .* is not supported with compare on probabilities"):
        ew.compare(frame(10), truth="y", systems={"p": "p", "q": "q"}, kind="probabilities", weight="w")


def test_fractions_that_are_declared_as_counts_are_refused() -> None:
    with pytest.raises(EdgeworthError, match="does not count cases"):
        ew.evaluate(frame(10), **COLUMNS, weight="w", weight_kind="counts")


def test_wealth_and_its_slices_are_not_supported_with_weights() -> None:
    data = frame(11)
    assert "not supported with weights" in str(ew.estimate(counted(data, weight="w"), "growth").undefined)
    report = ew.evaluate(data, **COLUMNS, weight="w", by="site")
    gaps = json.loads(report.to_json())["slices"]["slices"]
    assert {gap["measure"] for gap in gaps} == {"roc_auc", "forecast_bias"}
    assert all(math.isfinite(gap["gap_low"]) for gap in gaps)
    with pytest.raises(OptionError, match="slices by growth are not supported with weights"):
        ew.evaluate(data, **COLUMNS, weight="w", by="site", measures=["growth"])


def test_brier_slices_of_clusters_count_the_clusters_of_all_others() -> None:
    # The rest of three slices has the clusters of both others, not those of one of them.
    data = frame(12, rows=900).assign(
        site=np.tile(["a", "b", "c"], 300), patient=np.repeat(np.arange(90), 10)
    )
    report = ew.evaluate(data, **COLUMNS, cluster="patient", by="site", measures=["brier"])
    gaps = json.loads(report.to_json())["slices"]["slices"]
    two = ew.evaluate(
        data.assign(site=np.where(data.site == "a", "a", "other")),
        **COLUMNS,
        cluster="patient",
        by="site",
        measures=["brier"],
    )
    expected = json.loads(two.to_json())["slices"]["slices"]
    first, second = (next(g for g in rows if g["slice"] == "a") for rows in (gaps, expected))
    assert first["p_value"] == pytest.approx(second["p_value"], rel=1e-6)


def test_few_effective_cases_add_a_caveat() -> None:
    data = frame(14, rows=40)
    for measure in ("brier", "forecast_bias"):
        assert "effective cases" in str(ew.estimate(counted(data, weight="w"), measure).caveat)
        assert ew.estimate(counted(frame(14), weight="w"), measure).caveat is None


def test_one_weighted_case_has_no_interval() -> None:
    curve = Reliability.of(np.array([0.3]), np.array([True]), weights=np.array([2.0]))
    part = Calibration((0, 1), (curve.mirror(), curve))
    assert "one case" in str(ew.estimate(part, "forecast_bias").no_interval)


@pytest.mark.slow
@pytest.mark.parametrize("sigma", [0.5, 1.0])
def test_weighted_intervals_cover(sigma: float) -> None:
    rng = np.random.default_rng(13)
    measures = {"brier": None, "forecast_bias": 0.0, "calibration_slope": 1.0}
    nodes, masses = np.polynomial.hermite_e.hermegauss(60)
    chances = expit(1.5 * nodes)
    measures["brier"] = float((masses / masses.sum()) @ (chances * (1 - chances)))
    inside = dict.fromkeys(measures, 0)
    draws = 400
    for _ in range(draws):
        p = expit(rng.normal(0, 1.5, 200))
        data = pd.DataFrame(
            {"y": rng.random(200) < p, "p": p, "q": 0.5, "w": np.exp(rng.normal(0, sigma, 200))}
        )
        tally = counted(data.astype({"y": int}), weight="w")
        for measure, truth in measures.items():
            low, high = ew.estimate(tally, measure).interval()
            inside[measure] += low <= truth <= high
    # Three standard errors below 92%.
    assert min(inside.values()) / draws > 0.92 - 3 * math.sqrt(0.08 * 0.92 / draws)
