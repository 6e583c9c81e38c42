"""Planning, superstition, and what is put together for a report."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import edgeworth as ew
from edgeworth.decisions.findings import examine_decisions
from edgeworth.errors import OptionError
from edgeworth.methods import Delta


def test_the_planned_number_of_cases_has_the_promised_power() -> None:
    # Plan from a table with known shares, then simulate samples of that size.
    shares = np.array([[0.36, 0.25], [0.14, 0.25]])
    table = ew.ContingencyTable.from_matrix((shares * 200).round().astype(int), rows="predicted")
    estimate = ew.estimate(table, "informedness", method=Delta())
    plan = estimate.cases_needed(power=0.8)
    rng = np.random.default_rng(1)
    drawn = rng.multinomial(int(plan.needed), (table.counts / table.total).ravel(), size=2000).reshape(
        -1, 2, 2
    )
    hits, alarms = drawn[:, 0, 0], drawn[:, 0, 1]
    real, other = drawn[:, :, 0].sum(axis=1), drawn[:, :, 1].sum(axis=1)
    recall, fallout = hits / real, alarms / other
    error = np.sqrt(recall * (1 - recall) / real + fallout * (1 - fallout) / other)
    power = (np.abs(recall - fallout) / error > stats.norm.ppf(0.975)).mean()
    assert power == pytest.approx(0.8, abs=0.03)


def test_more_cases_are_0_when_there_are_enough_and_infinite_without_an_edge() -> None:
    clear = ew.ContingencyTable.from_matrix([[90, 10], [10, 90]], rows="predicted")
    assert ew.estimate(clear, "informedness").cases_needed().more == 0
    nothing = ew.ContingencyTable.from_matrix([[12, 28], [18, 42]], rows="predicted")
    assert math.isinf(ew.estimate(nothing, "informedness").cases_needed().needed)
    single = ew.ContingencyTable.from_matrix([[12, 0], [18, 0]], rows="predicted")
    assert math.isnan(ew.estimate(single, "informedness").cases_needed().needed)
    with pytest.raises(OptionError, match="power"):
        ew.estimate(clear, "informedness").cases_needed(power=1)


def test_superstitious_labels_are_named_only_by_a_corrected_test() -> None:
    # Label c is given to cases that are never c, far more often than chance allows.
    counts = [[60, 10, 30], [10, 60, 30], [30, 30, 2]]
    table = ew.ContingencyTable.from_matrix(counts, rows="predicted", labels=["a", "b", "c"])
    assert ew.decisions.superstitious_labels(table) == ("c",)
    # One label of many slightly below 0 is what guessing looks like.
    rng = np.random.default_rng(2)
    truth, prediction = rng.integers(0, 8, (2, 400))
    guessing = ew.ContingencyTable.from_labels(truth, prediction)
    assert any(ew.measure(guessing, f"informedness[{label}]") < 0 for label in range(8))
    assert ew.decisions.superstitious_labels(guessing) == ()


def test_guessing_seldom_names_a_superstitious_label() -> None:
    rng = np.random.default_rng(3)
    named = 0
    for _ in range(200):
        truth, prediction = rng.integers(0, 5, (2, 150))
        named += bool(ew.decisions.superstitious_labels(ew.ContingencyTable.from_labels(truth, prediction)))
    assert named <= 19  # 5% of 200 is 10; P(more than 19) is below 0.005


def test_holm_is_holm() -> None:
    from statsmodels.stats.multitest import multipletests

    counts = [[40, 5, 5, 20], [5, 8, 20, 12], [5, 20, 9, 10], [20, 12, 12, 8]]
    table = ew.ContingencyTable.from_matrix(counts, rows="predicted")
    p_values = [
        ew.estimate(table, f"informedness[{label}]").p_value(alternative="less") for label in range(4)
    ]
    rejected = multipletests(p_values, alpha=0.05, method="holm")[0]
    assert ew.decisions.superstitious_labels(table) == tuple(np.flatnonzero(rejected))


def test_findings_with_weights_and_clusters_have_no_exact_test_but_settle_by_the_interval() -> None:
    truth, prediction = ew.decisions.simulate_labels([0.5, 0.5], [0.5, 0.5], 0.5, 200, seed=4)
    clustered = ew.ContingencyTable.from_labels(truth, prediction, clusters=np.arange(200) // 2)
    findings = examine_decisions(clustered)
    assert findings.at_least is None
    assert findings.is_conclusive
    assert 0 not in findings.informedness.interval()


def test_undefined_informedness_does_not_stop_the_rest() -> None:
    table = ew.ContingencyTable.from_matrix([[12, 0], [18, 0]], rows="predicted", labels=["a", "b"])
    findings = examine_decisions(table)
    assert findings.informedness.undefined == "only one class is real, so no label has fair odds"
    assert not findings.is_conclusive
    assert findings.overall[4].measure == "accuracy"
    assert findings.overall[4].value == pytest.approx(0.4)
