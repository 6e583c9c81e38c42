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


def test_findings_with_clusters_settle_by_exchanging_them() -> None:
    truth, prediction = ew.decisions.simulate_labels([0.5, 0.5], [0.5, 0.5], 0.5, 200, seed=4)
    clustered = ew.ContingencyTable.from_labels(truth, prediction, clusters=np.arange(200) // 2)
    findings = examine_decisions(clustered)
    assert findings.at_least.kind == "drawn"
    assert findings.is_conclusive
    assert 0 not in findings.informedness.interval()


def test_undefined_informedness_does_not_stop_the_rest() -> None:
    table = ew.ContingencyTable.from_matrix([[12, 0], [18, 0]], rows="predicted", labels=["a", "b"])
    findings = examine_decisions(table)
    assert findings.informedness.undefined == "only one class is real, so no label has fair odds"
    assert not findings.is_conclusive
    assert findings.overall[4].measure == "accuracy"
    assert findings.overall[4].value == pytest.approx(0.4)


def with_refusals() -> tuple[list[str], list[str]]:
    rng = np.random.default_rng(17)
    truth = rng.choice(["a", "b", "c"], 400, p=[0.5, 0.3, 0.2])
    prediction = np.where(rng.random(400) < 0.6, truth, rng.choice(["a", "b", "c"], 400))
    return truth.tolist(), np.where(rng.random(400) < 0.3, "-", prediction).tolist()


def test_a_refusal_is_not_right() -> None:
    truth, prediction = with_refusals()
    table = ew.ContingencyTable.from_labels(truth, prediction, abstain="-")
    pairs = list(zip(truth, prediction, strict=True))
    right = sum(t == p for t, p in pairs)
    assert ew.measure(table, "accuracy") == right / 400
    assert ew.measure(table, "error_rate") == pytest.approx(1 - right / 400)
    recalls = {}
    for label in "abc":
        hits, real = sum(t == p == label for t, p in pairs), truth.count(label)
        said = prediction.count(label)
        recalls[label] = hits / real
        assert ew.measure(table, f"recall[{label}]") == hits / real
        assert ew.measure(table, f"miss_rate[{label}]") == pytest.approx(1 - hits / real)
        assert ew.measure(table, f"precision[{label}]") == hits / said
        assert ew.measure(table, f"f[{label}]") == pytest.approx(2 * hits / (real + said))
        others = [(t, p) for t, p in pairs if t != label]
        kept_off = sum(p not in (label, "-") for _, p in others)
        assert ew.measure(table, f"inverse_recall[{label}]") == kept_off / len(others)
    assert ew.measure(table, "balanced_accuracy") == pytest.approx(sum(recalls.values()) / 3)
    decided = [pair for pair in pairs if pair[1] != "-"]
    kept = ew.ContingencyTable.from_labels(*zip(*decided, strict=True))
    assert ew.measure(table, "informedness") == pytest.approx(
        ew.measure(kept, "informedness") * len(decided) / 400
    )
    assert table.without_abstentions() == kept


def test_derivatives_see_refusals() -> None:
    table = ew.ContingencyTable.from_labels(*with_refusals(), abstain="-")
    for spelling in ("accuracy", "recall[b]", "inverse_recall[b]", "f[b]", "balanced_accuracy", "macro_f"):
        error = ew.estimate(table, spelling, method=ew.methods.Delta()).standard_error
        drawn = ew.estimate(table, spelling, method=ew.methods.Bootstrap(draws=4000)).standard_error
        assert error == pytest.approx(drawn, rel=0.05), spelling


def test_decided_cases_are_judged_alone_where_that_is_asked_and_said() -> None:
    truth, prediction = with_refusals()
    plain = ew.evaluate(truth=truth, prediction=prediction, abstain="-").to_dict()
    alone = ew.evaluate(truth=truth, prediction=prediction, abstain="-", abstentions="left-out").to_dict()
    share = 1 - prediction.count("-") / 400
    for report in (plain, alone):
        assert report["estimates"]["coverage"]["value"] == pytest.approx(share)
    assert alone["estimates"]["accuracy"]["value"] == pytest.approx(
        plain["estimates"]["accuracy"]["value"] / share
    )
    assert f"{share:.0%}" in alone["verdict"]
    assert "Only decided cases are judged" in alone["verdict"]
    clustered = ew.ContingencyTable.from_labels(truth, prediction, abstain="-", clusters=np.arange(400) // 3)
    left = clustered.without_abstentions()
    assert left.clusters is not None
    assert left.clusters.cells(left.labels)[2].sum() == left.total


def test_every_table_has_its_coverage() -> None:
    report = ew.evaluate(truth=["a", "b", "a"], prediction=["a", "b", "b"]).to_dict()
    assert report["estimates"]["coverage"]["value"] == 1
