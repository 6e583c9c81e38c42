"""Verdicts of comparisons: whole sentences, for the usual and for the odd."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.report.verdict import Verdict

T = ["a"] * 20 + ["b"] * 20


def said(*counts: tuple[str, int]) -> list[str]:
    return [label for label, number in counts for _ in range(number)]


def verdict(truth: Any, systems: Any, **options: Any) -> Verdict:
    result = ew.compare(truth=truth, systems=systems, **options).verdict
    assert isinstance(result, Verdict)
    return result


GOOD = said(("a", 18), ("b", 20), ("a", 2))
BAD = said(("a", 10), ("b", 18), ("a", 12))


def test_a_clear_difference_has_levels_interval_test_and_sample_size() -> None:
    # Only one is right on 18 cases, always the same one: 2 of 2^18 swaps are as far apart.
    verdict_text = verdict(T, {"good": GOOD, "bad": BAD}, measures=["accuracy"])
    interval = r"95% CI \+\d\d\.\d to \+\d\d\.\d"
    assert re.fullmatch(
        r"good beats bad: accuracy 90\.0% vs 45\.0%, \+45\.0 points "
        rf"\({interval}; exact randomisation p = 7\.6e-6; 40 cases\)\.",
        verdict_text,
    )


def test_an_open_one_says_what_it_takes() -> None:
    close = said(("a", 17), ("b", 21), ("a", 2))
    verdict_text = verdict(T, {"good": GOOD, "close": close}, measures=["accuracy"])
    assert verdict_text.startswith(
        "No clear difference between good and close: accuracy 90.0% vs 87.5%, +2.5 points ("
    )
    claims = {claim.about: claim for claim in verdict_text.claims}
    assert claims["accuracy"].strength == "not shown"
    assert claims["accuracy"].numbers["difference"] == pytest.approx(1 / 40)
    assert claims["sample size"].numbers["power"] == 0.8
    assert "disagreements" not in claims


def test_the_same_on_every_case_is_said_only_of_the_same() -> None:
    same = verdict(T, {"one": GOOD, "two": GOOD})
    assert same.startswith("one and two gave the same answers: informedness 0.80 (95% CI ")
    swapped = said(("a", 18), ("b", 2)) + said(("a", 2), ("b", 18))
    other = said(("b", 2), ("a", 18)) + said(("b", 18), ("a", 2))
    verdict_text = verdict(T, {"one": swapped, "two": other}, measures=["accuracy"])
    assert verdict_text.startswith("one and two have the same accuracy, 90.0% (95% CI −15.")
    assert verdict_text.endswith("; 40 cases).")


def test_a_measure_of_a_label_names_it() -> None:
    verdict_text = verdict(T, {"good": GOOD, "bad": BAD}, measures=["recall[a]"])
    assert verdict_text.startswith("good beats bad: recall[a] 0.90 vs 0.50, +0.40 (")
    verdict_text = verdict(T, {"good": GOOD, "bad": BAD}, measures=["precision[b]"])
    assert "precision[b]" in verdict_text
    verdict_text = verdict(T, {"good": GOOD, "bad": BAD}, measures=["f[a](alpha=0.3)"])
    assert "F[a](alpha=0.3) 0." in verdict_text


def test_a_measure_without_a_direction_has_no_better_one() -> None:
    much = said(("a", 40))
    verdict_text = verdict(T, {"good": GOOD, "much": much}, measures=["label_bias[a]"])
    assert verdict_text.startswith("much and good differ: label bias[a] 0.50 vs 0.00, +0.50 (")
    assert "Neither direction is better." in verdict_text
    assert "beats" not in verdict_text
    three = verdict(T, {"good": GOOD, "much": much, "bad": BAD}, measures=["label_bias[a]"])
    assert (
        three
        == "much has the highest label bias[a] of 3 systems, 0.50 (40 cases). Neither direction is better."
    )


def test_a_measure_that_not_all_have_is_said_to_be_passed_over() -> None:
    never = said(("a", 40))
    verdict_text = verdict(T, {"good": GOOD, "never": never}, measures=["precision[b]", "accuracy"])
    assert "Compared by accuracy, because precision[b] is not defined for every system: " in verdict_text
    assert "good beats never: accuracy " in verdict_text


def test_a_system_without_a_value_leads_nobody_and_shares_no_letter() -> None:
    never = said(("a", 40))
    comparison = ew.compare(
        truth=T, systems={"good": GOOD, "never": never, "bad": BAD}, measures=["precision[b]"]
    )
    assert comparison.verdict.startswith("good has the highest precision[b] of 3 systems, ")
    assert comparison.verdict.count("never has no value to compare.") == 1
    assert "difference from never" not in comparison.verdict
    assert comparison.letters["never"] == ""


def test_who_ruled_out_what_happened_is_not_crowned() -> None:
    truth = [1, 0, 1, 1] * 10
    sure = [1.0, 0.0, 1.0, 0.9] * 9 + [1.0, 0.0, 0.0, 0.9]
    careful = [0.8, 0.2, 0.8, 0.8] * 10
    verdict_text = verdict(truth, {"sure": sure, "careful": careful}, kind="probabilities")
    assert "log score is not defined for every system: " in verdict_text
    assert (
        "sure gave probability 0 to an outcome that occurred in 1 case, so the mean log score is infinite"
        in verdict_text
    )
    assert " inf" not in verdict_text.replace("infinite", "")


@pytest.mark.parametrize(("cases", "name"), [(120, "studentised randomisation"), (2_200, "jackknife t")])
def test_a_test_is_called_by_where_its_p_value_comes_from(cases: int, name: str) -> None:
    """Up to 1,000 targets it is counted in swaps of the two, from then on it is Student's t."""
    rng = np.random.default_rng(2)
    truth = np.repeat([1, 0], cases // 2)
    systems = {"one": truth + rng.normal(size=cases), "two": truth + rng.normal(size=cases)}
    comparison = ew.compare(truth=truth, systems=systems, kind="scores", measures=["roc_auc"])
    roc_auc = comparison["one", "two"]["roc_auc"]
    method = roc_auc.tests["influence"].method
    assert ("swaps" in method) == (name == "studentised randomisation") == ("Student" not in method)
    assert f"; {name} p " in comparison.verdict
    assert f"; {name} p " in comparison.report.citation
    grid = next(section for section in comparison.report.sections if section.title == "Tests").grids[0]
    assert grid.rows[0][1] == name
    assert f",{name}," in comparison.to_csv()


def evidence(truth: Any, systems: Any, **options: Any) -> str:
    """Read the section on evidence."""
    report = ew.compare(truth=truth, systems=systems, kind="probabilities", **options).report
    [section] = [x for x in report.sections if x.title == "Evidence against each other"]
    return " ".join(section.text)


def test_in_sample_forecasts_prove_nothing() -> None:
    rng = np.random.default_rng(0)
    p = rng.random(300)
    truth = (rng.random(300) < p).astype(int)
    systems = {"model": p, "flat": np.full(300, 0.5)}
    plain = evidence(truth, systems)
    null = "the probabilities of flat are the true ones, given all that model knew"
    assert f"There is evidence against the hypothesis that {null} (p < 1e-6, two-sided)" in plain
    assert "It does not say which is better on average" in plain
    assert "evidence" not in verdict(truth, systems, kind="probabilities")
    assert "vidence against the hypothesis" not in evidence(truth, systems, predictions_made="in-sample")
    fitted = verdict(truth, systems, kind="probabilities", predictions_made="in-sample")
    assert "beats" not in fitted
    folded = evidence(truth, systems, predictions_made="cross-validated")
    assert "if these were out-of-sample predictions" in folded


def test_lower_is_better_for_scores_of_probabilities() -> None:
    rng = np.random.default_rng(1)
    p = rng.random(400)
    truth = (rng.random(400) < p).astype(int)
    verdict_text = verdict(
        truth, {"flat": np.full(400, 0.5), "model": p}, kind="probabilities", measures=["brier"]
    )
    assert re.match(
        r"model beats flat: Brier score 0\.\d+ vs 0\.250, −0\.\d+ \(95% CI −0\.\d+ to −0\.", verdict_text
    )
    assert "lower is better" in verdict_text


@pytest.mark.slow
@pytest.mark.parametrize("number", [3, 6, 12])
def test_many_systems_fit_a_narrow_terminal(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(number)
    truth = rng.integers(0, 2, 150)
    systems = {
        f"a system with quite a long name, number {k}": np.where(
            rng.random(150) < 0.6 + 0.02 * k, truth, 1 - truth
        )
        for k in range(number)
    }
    report = ew.compare(truth=truth, systems=systems, measures=["accuracy"]).report
    monkeypatch.setattr("edgeworth.report.terminal.PLAIN_WIDTH", 80)
    lines = str(report).splitlines()
    assert max(map(len, lines)) <= 80
    # A name is never broken into slivers: each row of the standings is one line.
    for k in range(number):
        # The end is kept, by which the names differ.
        assert any(line.startswith("a system wi") and f"number {k} " in line for line in lines), k


@pytest.mark.parametrize(("queries", "is_short"), [(5, True), (6, False)])
def test_few_queries_have_no_small_p_value(queries: int, is_short: bool) -> None:
    group = np.repeat(np.arange(queries), 6)
    truth = np.tile([1, 1, 0, 0, 0, 0], queries)
    good, bad = truth + np.tile([0.0, 0, 0, 0, 0, 0.5], queries), -truth + 0.01 * group * truth
    bad = bad + np.where(group % 2, np.tile([0, 1.5, 0, 0, 0, 0], queries), 0)
    compared = ew.compare(truth=truth, systems={"good": good, "bad": bad}, kind="scores", query=group)
    # Of n signs all alike are two of 2ⁿ.
    assert compared["good", "bad"]["average_precision"].p_value() == 2 / 2**queries
    assert (
        "5 queries are too few for this test: its smallest p-value is 0.062" in compared.verdict
    ) == is_short
    assert compared.findings.is_conclusive("good", "bad") != is_short


def test_the_best_two_are_named_so_only_if_no_other_system_is_between_them() -> None:
    first, third = np.zeros(400, int), np.zeros(400, int)
    first[:280] = 1
    second = first.copy()
    second[:9] = 0
    third[np.random.default_rng(3).permutation(400)[:269]] = 1
    verdict = ew.compare(systems={"A": first, "B": second, "C": third}, kind="correct").verdict
    assert "A beats B" in verdict
    assert "best two" not in verdict
    assert "A (70.0%) and C (67.2%)" in verdict
    close = {"A": first, "C": third, "D": np.r_[np.ones(60, int), np.zeros(340, int)]}
    verdict = ew.compare(systems=close, kind="correct").verdict
    assert "No clear difference between A and C, the best two of 3 systems" in verdict
    assert "A beats D (15.0%)" in verdict


def test_a_pair_that_is_clear_only_alone_says_so() -> None:
    def right(*spans: tuple[int, int]) -> Any:
        answers = np.zeros(400, int)
        for start, stop in spans:
            answers[start:stop] = 1
        return answers

    # A is right alone on 40 items and B on 22, while C and D are equally good.
    systems = {"A": right((0, 260)), "B": right((40, 282)), "C": right((0, 100)), "D": right((40, 140))}
    comparison = ew.compare(systems=systems, kind="correct")
    assert comparison["A", "B"]["accuracy"].p_value() < 0.05
    assert comparison["A", "B"]["accuracy"].interval()[0] > 0
    assert comparison.findings.adjusted["A", "B"] > 0.05
    alone = "Alone, this pair would differ clearly; among 6 pairs it does not."
    assert "the best two of 4 systems: accuracy 65.0% vs 60.5%, +4.5 points" in comparison.verdict
    assert alone in comparison.verdict
    systems["A"] = right((0, 244))
    assert alone not in ew.compare(systems=systems, kind="correct").verdict
