"""Planning, superstition, and what is put together for a report."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import edgeworth as ew
from edgeworth.decisions.findings import examine_decisions
from edgeworth.errors import InputError, OptionError


@pytest.mark.slow
@pytest.mark.parametrize(
    "counts", [[[19, 1], [1, 19]], [[70, 30], [30, 70]], [[9, 10], [1, 80]], [[72, 50], [28, 50]]], ids=str
)
def test_the_exact_test_has_the_power_that_was_planned(counts: list[list[int]]) -> None:
    # Plan from a table with known shares, then test samples of that size as the product does.
    table = ew.ContingencyTable.from_matrix(counts, rows="predicted")
    plan = ew.estimate(table, "informedness").cases_needed(power=0.8)
    rng = np.random.default_rng(1)
    drawn = rng.multinomial(int(plan.needed), (table.counts / table.total).ravel(), size=4000)
    tables, times = np.unique(drawn, axis=0, return_counts=True)
    shown = 0
    for cells, number in zip(tables.reshape(-1, 2, 2), times, strict=True):
        if (cells.sum(axis=0) > 0).all() and (cells.sum(axis=1) > 0).all():
            shown += number * (exact_p_value(cells) <= 0.05)
    # The standard error of a share of 4,000 is 0.006.
    assert 0.77 <= shown / 4000 <= 0.83


@pytest.mark.parametrize(
    "counts",
    [[[44, 11, 4], [11, 17, 2], [4, 2, 5]], [[11, 5, 5, 5], [5, 11, 5, 4], [4, 5, 11, 5], [5, 4, 4, 11]]],
)
def test_the_plan_of_several_labels_has_its_power(counts: list[list[int]]) -> None:
    # By the exact standard deviation of guessing, whose law is close to normal.
    table = ew.ContingencyTable.from_matrix(counts, rows="predicted")
    needed = int(ew.estimate(table, "informedness").cases_needed(power=0.8).needed)
    rng, shown, size = np.random.default_rng(2), 0, len(counts)
    for cells in rng.multinomial(needed, (table.counts / table.total).ravel(), size=1500).reshape(
        -1, size, size
    ):
        drawn = ew.ContingencyTable.from_matrix(cells, rows="predicted")
        deviation = ew.chance.informedness(drawn).standard_deviation
        shown += abs(ew.measure(drawn, "informedness")) >= stats.norm.ppf(0.975) * deviation
    # The standard error of a share of 1,500 is 0.010; the interval asks for a few more cases.
    assert 0.77 - 0.02 <= shown / 1500 <= 0.87 + 0.02


def exact_p_value(cells: np.ndarray) -> float:
    """P(hits at least as far from their mean), of scipy's hypergeometric law."""
    (hits, _), total = cells[0], int(cells.sum())
    predicted, real = int(cells[0].sum()), int(cells[:, 0].sum())
    law = stats.hypergeom(total, real, predicted)
    every = np.arange(min(predicted, real) + 1)
    far = np.abs(every - predicted * real / total) >= abs(hits - predicted * real / total) - 1e-9
    return float(law.pmf(every)[far].sum())


def test_more_cases_are_0_when_there_are_enough_and_infinite_without_an_edge() -> None:
    clear = ew.ContingencyTable.from_matrix([[90, 10], [10, 90]], rows="predicted")
    assert ew.estimate(clear, "informedness").cases_needed().more == 0
    nothing = ew.ContingencyTable.from_matrix([[12, 28], [18, 42]], rows="predicted")
    assert math.isinf(ew.estimate(nothing, "informedness").cases_needed().needed)
    single = ew.ContingencyTable.from_matrix([[12, 0], [18, 0]], rows="predicted")
    assert math.isnan(ew.estimate(single, "informedness").cases_needed().needed)
    assert math.isnan(ew.estimate(single, "informedness").cases_needed().more)
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


def test_superstitious_labels_are_a_sentence_with_their_test() -> None:
    """The p-value by SciPy's hypergeometric law, times the number of labels (Holm's first step)."""
    counts = [[60, 10, 30], [10, 60, 30], [30, 30, 2]]
    table = ew.ContingencyTable.from_matrix(counts, rows="predicted", labels=["a", "b", "c"])
    report = ew.evaluate(table)
    p_value = 3 * stats.hypergeom.cdf(2, 262, 62, 62)
    result = report.numbers["worse_than_guessing"]
    assert result["c"] == pytest.approx(p_value, rel=1e-9)
    assert (result["a"], result["b"]) == (1.0, 1.0)
    edge = 2 / 62 - 60 / 200
    expected_text = f"c (informedness −{-edge:.3f}, p = 4.1e-6) do worse than guessing"
    assert any(expected_text in warning for warning in report.warnings), report.warnings
    assert f"{p_value:.1e}" == "4.1e-06"


def test_labels_below_0_that_may_be_luck_are_told_with_the_test() -> None:
    rng = np.random.default_rng(2)
    truth, prediction = rng.integers(0, 8, (2, 400))
    report = ew.evaluate(truth=truth, prediction=prediction)
    text = " ".join(text for section in report.sections for text in section.text)
    assert "2 of 8 labels have informedness below 0, but none does significantly worse than guessing" in text
    assert report.numbers["superstitious"] == []
    assert not any("worse than guessing" in warning for warning in report.warnings)


def test_chance_levels_of_recall_and_precision_are_columns() -> None:
    """The poster's 40% and 30%: the share of predictions, and the share of cases."""
    table = ew.ContingencyTable.from_matrix([[12, 28], [18, 42]], rows="predicted")
    section = next(x for x in ew.evaluate(table).sections if x.title == "Class by class")
    grid = section.grids[0]
    names = [column.name for column in grid.columns]
    rows = {str(row[0]): dict(zip(names, row, strict=True)) for row in grid.rows}
    assert (rows["0"]["recall by guessing"], rows["0"]["precision by guessing"]) == (0.4, 0.3)
    assert (rows["1"]["recall by guessing"], rows["1"]["precision by guessing"]) == (0.6, 0.7)


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
    truth, prediction = ew.decisions.simulate_labels([0.5, 0.5], [0.5, 0.5], 0.5, 200, rng=4)
    clustered = ew.ContingencyTable.from_labels(truth, prediction, clusters=np.arange(200) // 2)
    findings = examine_decisions(clustered)
    assert findings.at_least.kind == "drawn"
    assert findings.is_conclusive
    assert 0 not in findings.informedness.interval()


def test_undefined_informedness_does_not_stop_the_rest() -> None:
    table = ew.ContingencyTable.from_matrix([[12, 0], [18, 0]], rows="predicted", labels=["a", "b"])
    findings = examine_decisions(table)
    assert findings.informedness.undefined == "only one class occurs"
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
        expected_text = prediction.count(label)
        recalls[label] = hits / real
        assert ew.measure(table, f"recall[{label}]") == hits / real
        assert ew.measure(table, f"miss_rate[{label}]") == pytest.approx(1 - hits / real)
        assert ew.measure(table, f"precision[{label}]") == hits / expected_text
        assert ew.measure(table, f"f[{label}]") == pytest.approx(2 * hits / (real + expected_text))
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
    alone = ew.evaluate(truth=truth, prediction=prediction, abstain="-", abstentions="drop").to_dict()
    share = 1 - prediction.count("-") / 400
    for report in (plain, alone):
        assert report["estimates"]["coverage"]["value"] == pytest.approx(share)
    assert alone["estimates"]["accuracy"]["value"] == pytest.approx(
        plain["estimates"]["accuracy"]["value"] / share
    )
    assert f"{share:.0%}" in alone["verdict"]
    assert "These are the answered cases" in alone["verdict"]
    clustered = ew.ContingencyTable.from_labels(truth, prediction, abstain="-", clusters=np.arange(400) // 3)
    left = clustered.without_abstentions()
    assert left.clusters is not None
    assert left.clusters.cells(left.labels)[2].sum() == left.total


def test_every_table_has_its_coverage() -> None:
    report = ew.evaluate(truth=["a", "b", "a"], prediction=["a", "b", "b"]).to_dict()
    assert report["estimates"]["coverage"]["value"] == 1


def test_right_answers_are_not_said_to_be_confusion() -> None:
    table = ew.ContingencyTable.from_matrix([[41, 3, 3], [3, 2, 0], [3, 0, 2]], rows="predicted")
    assert stats.chi2_contingency(table.counts).pvalue < 0.05
    assert "χ²" not in ew.evaluate(table).verdict


def test_labels_that_are_exchanged_are_said_to_be_confused() -> None:
    exchanged = ew.ContingencyTable.from_matrix([[12, 40, 6], [42, 12, 9], [10, 12, 50]], rows="predicted")
    assert "shows no information" not in ew.evaluate(exchanged).verdict
    chi_square = stats.chi2_contingency(exchanged.counts).statistic
    assert f"χ² = {chi_square:.0f}" in ew.evaluate(exchanged).verdict
    assert "systematically confused" in ew.evaluate(exchanged).verdict
    noise = np.random.default_rng(4).integers(0, 3, (2, 150))
    assert "related" not in ew.evaluate(truth=noise[0], prediction=noise[1]).verdict


def test_predictions_that_are_fractions_are_refused_at_once() -> None:
    rng = np.random.default_rng(5)
    with pytest.raises(InputError, match="fractions"):
        ew.evaluate(truth=rng.integers(0, 2, 500), prediction=rng.random(500))
    # Classes that are fractions are classes.
    halves = rng.integers(0, 3, 90) / 2
    assert ew.ContingencyTable.from_labels(halves, halves).labels == (0, 0.5, 1)


def test_a_matched_table_carries_the_test_of_its_matching() -> None:
    # Noise matched to classes looks informed; a test that forgets the matching rejects it far too often.
    rng = np.random.default_rng(6)
    rejected = 0
    for _ in range(40):
        truth, clusters = rng.integers(0, 5, 100), rng.integers(100, 108, 100)
        matching = ew.decisions.match(ew.ContingencyTable.from_labels(truth, clusters))
        own = matching.test(draws=99).p_value
        carried = matching.table.matching(draws=99)
        assert carried.p_value == own
        rejected += own <= 0.05
    assert rejected <= 7  # P(more than 7 of 40 at 5%) is below 0.001
    result = ew.evaluate(matching.table).to_dict()["guessing"]
    assert result["at_least"]["p_value"] == result["either_way"]["p_value"] == matching.test().p_value


@pytest.mark.parametrize(
    "options",
    [{"weights": np.linspace(0.5, 1.5, 100)}, {"clusters": np.arange(100)}],
    ids=["w", "c"],
)
def test_a_rare_class_of_weighted_or_clustered_rows_reads_like_the_plain_one(options: dict[str, Any]) -> None:
    truth, prediction = np.zeros((2, 100), dtype=int)
    truth[:3] = prediction[:3] = prediction[3::3] = 1
    plain = examine_decisions(ew.ContingencyTable.from_labels(truth, prediction))
    result = examine_decisions(ew.ContingencyTable.from_labels(truth, prediction, **options))
    assert plain.either_way.p_value == pytest.approx(17 / 385)
    assert result.either_way.p_value == pytest.approx(17 / 385, abs=0.003)
    assert tuple(result.informedness.interval()) == pytest.approx(plain.informedness.interval(), abs=0.01)
