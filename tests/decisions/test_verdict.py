"""The verdict says what is true, whatever the data are."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from scipy import stats

import edgeworth as ew
from edgeworth.core.formatting import format_percent
from edgeworth.decisions.findings import examine_decisions
from edgeworth.decisions.verdict import decisions_verdict
from edgeworth.errors import OptionError
from edgeworth.methods import Bootstrap
from edgeworth.report.verdict import Claim, Verdict
from edgeworth.report.wording import format_cell


def verdict_of(counts: Any, **options: Any) -> Verdict:
    table = ew.ContingencyTable.from_matrix(counts, rows="predicted")
    return decisions_verdict(examine_decisions(table, **options))


def claims(verdict: str) -> dict[str, Claim]:
    assert isinstance(verdict, Verdict)
    return {claim.about: claim for claim in verdict.claims}


def spread(size: int, diagonal: int, off: int) -> np.ndarray:
    counts = np.full((size, size), off)
    np.fill_diagonal(counts, diagonal)
    return counts


def test_informed_and_conclusive() -> None:
    # Model 3 of Figure 1, ten times over.
    text = verdict_of([[581, 204], [119, 96]])
    result = claims(text)
    assert result["informedness"].numbers["value"] == pytest.approx(0.15)
    assert result["informedness"].strength == result["chance"].strength == "shown"
    assert set(result) == {"informedness", "chance"}, "bets only where they are asked for"
    bets = claims(verdict_of([[581, 204], [119, 96]], bets=True))["bets"]
    assert bets.numbers["break_even_margin"] == pytest.approx(0.15)


def test_the_golden_verdict() -> None:
    assert verdict_of([[581, 204], [119, 96]]) == (
        "The predictions beat guessing: informedness 0.15 (95% CI 0.09 to 0.21) on 1,000 cases, as good as "
        "knowing the answer in 15% of cases and guessing the rest. Chance of doing this well by guessing: "
        "less than 1 in a million (p < 1e-6, exact)."
    )


def test_not_conclusive_says_what_it_would_take() -> None:
    result = claims(verdict_of([[58, 20], [12, 10]]))
    assert result["informedness"].strength == result["chance"].strength == "not shown"
    assert result["sample size"].numbers["power"] == 0.8
    assert result["sample size"].numbers["more_cases"] > 0


def test_no_edge_is_not_proof_of_none() -> None:
    result = claims(verdict_of([[12, 28], [18, 42]]))
    assert result["informedness"].strength == "not shown"
    assert "sample size" not in result, "of no edge there is no size to plan for"


def test_worse_than_guessing() -> None:
    two = verdict_of([[10, 30], [30, 10]])
    assert "worse than guessing" in two
    assert "50% of cases and gave the opposite" in two
    # For more classes the size has no such reading.
    assert "opposite" not in verdict_of(spread(6, 3, 30))
    assert claims(verdict_of([[10, 13], [13, 10]]))["informedness"].strength == "not shown"


def test_a_p_value_is_written_once() -> None:
    assert "(p < 1e-6)." in verdict_of(spread(6, 3, 30))
    assert "(p < 1e-6, exact)." in verdict_of([[581, 204], [119, 96]])


@pytest.mark.parametrize("more", [{}, {"weight": np.arange(40) % 3 / 2}, {"cluster": np.arange(40) % 9}])
def test_one_answer_for_every_case_is_no_better_than_guessing(more: dict[str, Any]) -> None:
    report = ew.evaluate(truth=[0, 1] * 20, prediction=[1] * 40, **more)
    assert "gives the same answer in all " in report.verdict
    assert ", so its informedness is 0. It cannot be better than guessing (p = 1, " in report.verdict
    assert claims(report.verdict)["chance"].numbers["p_value"] == 1
    assert claims(report.verdict)["informedness"].numbers["value"] == 0


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        (
            [[581, 204], [119, 96]],
            "gains 15% of its stake on average; a house margin of 15% takes all of it.",
        ),
        (spread(4, 60, 5), "gains 220% of its stake on average."),
        (spread(4, 5, 60), "loses 89% of its stake on average."),
        ([[12, 28], [18, 42]], "just breaks even."),
    ],
)
def test_bets_at_fair_odds(counts: Any, sentence: str) -> None:
    table = ew.ContingencyTable.from_matrix(counts, rows="predicted")
    recalls = table.counts.diagonal() / table.actual
    claim = claims(verdict_of(counts, bets=True))["bets"]
    assert claim.numbers["unit_return"] == pytest.approx(recalls.sum() - 1, abs=1e-12)
    bet = "a bet on each prediction, at odds that are fair for the share of its class,"
    assert claim.text == f"On these cases, {bet} {sentence}"


def test_no_draw_as_good_gives_a_bound_from_their_number() -> None:
    report = ew.evaluate(ew.ContingencyTable.from_matrix(spread(4, 45, 30), rows="predicted"))
    tail = report.to_dict()["guessing"]["at_least"]
    assert tail["method"].startswith("Monte Carlo")
    assert tail["low"] == 0
    assert "p ≤ " in claims(report.verdict)["chance"].text


def test_interval_and_test_that_disagree_say_so() -> None:
    result = claims(verdict_of([[3, 0], [0, 3]]))
    assert result["chance"].strength == "not shown"
    assert result["chance"].numbers["p_value"] == pytest.approx(0.1)
    assert "two-sided p = 0.100, exact; the interval is approximate" in result["chance"].text


def test_the_weakest_class_is_named() -> None:
    result = claims(verdict_of(np.array([[40, 3, 12], [5, 45, 14], [5, 2, 24]])))
    assert result["weakest class"].numbers["recall"] == pytest.approx(24 / 50)
    assert (
        "Weakest class: 2, with recall 0.480 against 0.850 in the other classes (p = "
        in result["weakest class"].text
    )
    # Among 100 cases of the others 85 are right: Fisher's exact test, three classes.
    fisher = stats.fisher_exact([[24, 26], [85, 15]], alternative="less").pvalue
    assert result["weakest class"].numbers["p_value"] == pytest.approx(3 * fisher)


def test_no_class_is_weakest_because_no_cluster_was_left_for_it() -> None:
    truth = [f"c{index % 4}" for index in range(200)]
    clusters = [f"k{index % 4 % 3}" for index in range(200)]
    result = ew.evaluate(truth=truth, prediction=clusters, match="one")
    recalls = [own[f"recall[{label}]"]["value"] for label, own in result.numbers["labels"].items()]
    assert min(recalls) == 0
    assert "weakest class" not in claims(result.verdict)


def test_a_class_that_is_weakest_by_luck_is_not_named() -> None:
    # 28 of 40 right against 64 of 80: Fisher's p is 0.16, before anything is said of choosing the class.
    counts = np.array([[32, 4, 6], [4, 32, 6], [4, 4, 28]])
    assert claims(verdict_of(counts))["informedness"].strength == "shown"
    assert "weakest class" not in claims(verdict_of(counts))
    assert "weakest class" in claims(verdict_of(counts * 8))


@pytest.mark.parametrize("more", [{"weight": np.full(480, 0.5)}, {"cluster": np.arange(480) % 96}])
def test_the_weakest_class_with_weights_or_clusters(more: dict[str, Any]) -> None:
    truth = np.repeat([0, 1, 2], 160)
    named = {}
    for hits in (115, 60):
        right = np.concatenate([np.arange(160) < 128, np.arange(160) < 128, np.arange(160) < hits])
        order = np.random.default_rng(1).permutation(480)
        given = {"truth": truth[order], "prediction": np.where(right, truth, (truth + 1) % 3)[order]}
        result = claims(ew.evaluate(**given, **more).verdict)
        named[hits] = result.get("weakest class")
    assert named[115] is None
    assert named[60] is not None
    assert "compared by intervals, adjusted for 3 classes" in named[60].text
    assert "p_value" not in named[60].numbers


def test_a_report_has_a_sentence_to_cite() -> None:
    report = ew.evaluate(ew.ContingencyTable.from_matrix([[581, 204], [119, 96]], rows="predicted"))
    for part in ("0.15 (95% CI 0.09 to 0.21)", "Newcombe", "n = 1,000", "2 classes", "p < 1e-6"):
        assert part in report.citation


def test_one_cluster_cannot_tell() -> None:
    report = ew.evaluate(truth=[0, 1] * 5, prediction=[1, 0] * 3 + [0, 1] * 2, cluster=[1] * 10)
    assert "all cases are in one cluster" in report.verdict
    assert "nan" not in report.verdict
    assert not report.to_dict()["is_conclusive"]
    assert report.to_dict()["superstitious"] == []
    assert any("allow for 1 cluster;" in warning for warning in report.warnings)


@pytest.mark.parametrize("options", [{"weight": [0.5, 1.5]}, {"cluster": ["ann", "bob"]}])
def test_two_perfect_rows_prove_nothing(options: dict[str, Any]) -> None:
    report = ew.evaluate(truth=[0, 1], prediction=[0, 1], **options)
    assert not report.to_dict()["is_conclusive"]
    assert report.to_dict()["guessing"]["at_least"]["p_value"] == 0.5
    assert report.to_dict()["estimates"]["informedness"]["low"] < 0


def test_clusters_of_no_weight_are_none() -> None:
    rng = np.random.default_rng(1)
    truth, prediction = rng.integers(0, 2, (2, 24))
    clusters = np.arange(24) // 8
    plain = ew.ContingencyTable.from_labels(truth, prediction, clusters=clusters, weights=np.ones(24))
    padded = ew.ContingencyTable.from_labels(
        np.append(truth, np.zeros(20, dtype=int)),
        np.append(prediction, np.zeros(20, dtype=int)),
        clusters=np.append(clusters, np.arange(100, 120)),
        weights=np.append(np.ones(24), np.zeros(20)),
    )
    assert padded.clusters.number == plain.clusters.number == 3
    assert ew.estimate(padded, "informedness").interval() == ew.estimate(plain, "informedness").interval()


def test_abstention_is_told_apart_from_the_rest() -> None:
    truth, prediction = ["a", "b"] * 30, ["a", "b", "a", "a", "b", "b"] * 10
    report = ew.evaluate(truth=[*truth, "a", "b"] * 2, prediction=[*prediction, "?", "?"] * 2, abstain="?")
    assert "It answers 97% of cases" in report.verdict
    names = report.to_dict()["estimates"]
    assert names["informedness"]["value"] == pytest.approx(
        names["informedness(abstentions=drop)"]["value"] * 120 / 124
    )
    assert "informedness(abstentions=zero_weight)" in names


def test_the_decided_part_is_not_forgotten_at_the_end_of_the_range() -> None:
    report = ew.evaluate(
        truth=[0, 0, 1, 1, 0, 1, 0, 1], prediction=[0, 0, 1, 1, "?", "?", "?", "?"], abstain="?"
    ).to_dict()["estimates"]
    assert report["informedness"]["low"] < report["informedness(abstentions=drop)"]["low"]


def test_labels_never_real_and_a_single_class() -> None:
    report = ew.evaluate(truth=["a", "b"] * 20, prediction=["a", "b", "a", "c"] * 10)
    assert any("25.0% of predictions are labels absent from the truth (c)" in x for x in report.warnings)
    spelt = ew.evaluate(truth=["cat", "dog"] * 20, prediction=["cat", "dog", "Cat", "dog "] * 10)
    assert ["'Cat' and 'cat', 'dog ' and 'dog'" in x and "odds" not in x for x in spelt.warnings] == [True]
    single = ew.evaluate(truth=["a"] * 10, prediction=["a", "b"] * 5)
    assert "cannot be judged: only one class occurs" in single.verdict
    strangers = ew.evaluate(truth=["a", "b"] * 5, prediction=["x", "y"] * 5)
    assert "ew.match" in strangers.verdict


def test_slips_are_pointed_out() -> None:
    report = ew.evaluate(truth=[0, 1] * 9, prediction=[0, 1] * 9, abstain="nope")
    assert any("No prediction is 'nope'" in warning for warning in report.warnings)


def test_the_terms_of_a_house_reach_the_verdict() -> None:
    text = verdict_of([[581, 204], [119, 96]], overround=0.6)
    assert "loses 28.1%" in claims(text)["bets"].text


def test_a_seed_reaches_what_is_drawn() -> None:
    table = ew.ContingencyTable.from_matrix(np.diag([4, 5, 6]), rows="predicted")
    assert ew.estimate(table, "kappa", rng=1).interval() != ew.estimate(table, "kappa", rng=2).interval()
    wrong: Any
    for wrong in (-1, "a", True):
        with pytest.raises(OptionError, match="seed"):
            ew.estimate(table, "kappa", rng=wrong)
        with pytest.raises(OptionError, match="seed"):
            Bootstrap(rng=wrong)


def test_absurd_sums_are_refused_and_odd_labels_make_json() -> None:
    with pytest.raises(OptionError, match="pool"):
        verdict_of([[5, 1], [2, 4]], pool=1e308)
    with pytest.raises(OptionError, match="margin"):
        verdict_of([[5, 1], [2, 4]], overround=1e308)
    with pytest.raises(OptionError, match="margin"):
        verdict_of([[5, 1], [2, 4]], overround=1e308)
    day = np.array(["2020-01-01", "2020-01-02"] * 5, dtype="datetime64[ns]")
    report = ew.evaluate(truth=day, prediction=day[::-1])
    assert json.loads(report.to_json())["tally"]["labels"][0].startswith("datetime")


@pytest.mark.parametrize(
    ("value", "message"),
    [(0.153, "15%"), (-0.153, "−15%"), (-0.001, "−0.1%"), (-1e-15, "0%"), (12.0, "1,200%")],
)
def test_percent(value: float, message: str) -> None:
    assert format_percent(value) == message


def test_cells_of_a_table() -> None:
    assert format_cell(None, "number") == "–"
    assert format_cell((0.1, None), "interval") == "0.100 or more"
    assert format_cell(-1.5, "dollars") == "−$1.50"
    assert format_cell(1234567, "count") == "1,234,567"
    assert format_cell(0.00012, "probability") == "0.00012"


def test_too_few_clusters_are_the_reason_where_the_interval_leaves_0_out() -> None:
    truth = np.arange(200) % 2
    prediction = np.where(np.arange(200) % 40 == 0, 1 - truth, truth)
    clusters = np.repeat(np.arange(5), [120, 20, 20, 20, 20])
    report = ew.evaluate(truth=truth, prediction=prediction, cluster=clusters)
    estimate = report.numbers["estimates"]["informedness"]
    assert estimate["low"] > 0
    assert estimate["caveat"] is not None
    assert not report.numbers["is_conclusive"]
    assert "includes 0" not in report.verdict


def test_counts_beside_an_abstaining_predictor_agree_with_its_values() -> None:
    truth = ["a"] * 60 + ["b"] * 80 + ["c"] * 60
    prediction = ["a"] * 45 + ["?"] * 15 + ["b"] * 60 + ["!"] * 20 + ["c"] * 40 + ["a"] * 15 + ["?"] * 5
    report = ew.evaluate(truth=truth, prediction=prediction, abstain=["?", "!"])
    assert "n = 200 cases, 160 of them with a decision, 3 classes" in report.citation
    (grid,) = next(section for section in report.sections if section.title == "Class by class").grids
    heads = [column.name for column in grid.columns]
    assert heads[:5] == ["class", "actual", "no decision", "predicted", "recall"]
    for row in grid.rows:
        label, actual, away, _, recall = row[:5]
        assert actual == truth.count(str(label))
        right = sum(t == p == label for t, p in zip(truth, prediction, strict=True))
        assert recall == pytest.approx(right / actual)
        undecided = sum(t == label and p in "?!" for t, p in zip(truth, prediction, strict=True))
        assert away == undecided
    assert any("15 of 60 cases of c" in step for step in report.next_steps)
    decided = ew.evaluate(truth=truth, prediction=prediction, abstain=["?", "!"], abstentions="drop")
    assert "n = 160 cases with a decision, 80% of all, 3 classes" in decided.citation
    nobody = ew.evaluate(truth=truth, prediction=truth)
    assert "n = 200, 3 classes" in nobody.citation


def test_integers_that_hardly_repeat_look_like_a_regression() -> None:
    rng = np.random.default_rng(0)
    truth, prediction = rng.integers(0, 500, (2, 200))

    def warns(truth: object, prediction: object) -> bool:
        warnings = ew.evaluate(truth=truth, prediction=prediction).warnings
        return any("looks like a regression" in warning for warning in warnings)

    assert warns(truth, prediction)
    assert not warns(truth, np.where(rng.random(200) < 0.7, truth, prediction))  # identifiers that are found
    assert not warns(truth % 40, prediction % 40)  # classes that repeat
    assert not warns([f"n{x}" for x in truth], [f"n{x}" for x in prediction])  # names


@pytest.mark.parametrize("seed", range(6))
def test_an_interval_that_excludes_chance_without_a_test_is_caveated(seed: int) -> None:
    """With one case in most classes, none or a few right: the delta method has nearly no variance."""
    truth, prediction = np.random.default_rng(seed).integers(0, 500, (2, 200))
    report = ew.evaluate(truth=[f"n{x}" for x in truth], prediction=[f"n{x}" for x in prediction])
    right = int((truth == prediction).sum())
    assert report.verdict.startswith("No clear difference from guessing: ")
    assert f"but only {right} prediction{' is' if right == 1 else 's are'} right" in report.verdict
    assert "so the interval is too narrow" in report.verdict


@pytest.mark.parametrize("predicted", [["b"] * 63 + ["c"] * 22, ["c"] * 40 + ["b"] * 45])
def test_the_accuracy_of_the_most_common_class_counts_cases_without_a_decision(predicted: list[str]) -> None:
    truth = ["a"] * 115 + ["b"] * 63 + ["c"] * 22
    report = ew.evaluate(truth=truth, prediction=["none"] * 115 + predicted, abstain="none")
    [grid] = [grid for grid in report.sections[0].grids if grid.title == "Overall"]
    assert grid.note.endswith(f"always predicting a has an accuracy of {115 / 200:.3f}")
    [row] = [row for row in grid.rows if row[0] == "accuracy"]
    right = sum(x == y for x, y in zip(truth[115:], predicted, strict=True))
    assert row[1] == pytest.approx(right / 200)
