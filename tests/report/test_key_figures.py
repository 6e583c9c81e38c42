"""The numbers in large type at the top of a page."""

from __future__ import annotations

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.report.html.key_figures import key_figures
from edgeworth.report.report import Report

TRUTH = ["a", "b"] * 30
GOOD = ["a", "b"] * 27 + ["b", "b"] * 3
POOR = ["a", "a"] * 15 + ["b", "b"] * 15


def test_a_comparison_shows_both_levels_and_their_difference_the_better_system_first() -> None:
    comparison = ew.compare(truth=TRUTH, systems={"poor": POOR, "good": GOOD})
    levels = [figure for figure in key_figures(comparison.report) if figure.label in ("good", "poor")]
    # Recall − fallout: 27/30 − 0/30, and 15/30 − 15/30.
    assert [(figure.label, figure.value) for figure in levels] == [("good", "0.90"), ("poor", "0.00")]
    difference = next(figure for figure in key_figures(comparison.report) if figure.label == "Difference")
    assert difference.value == "+0.90"
    assert difference.detail.startswith("95% CI +0.")


def test_a_leaderboard_shows_the_first_two_and_their_difference() -> None:
    right = {"low": [1] * 40 + [0] * 60, "best": [1] * 90 + [0] * 10, "second": [0] * 30 + [1] * 70}
    comparison = ew.compare(truth=None, systems=right, kind="grades")
    figures = key_figures(comparison.report)
    assert [(figure.label, figure.value) for figure in figures] == [
        *(("best", "90.0%"), ("second", "70.0%"), ("Difference", "+20.0 points"), ("Cases", "100"))
    ]


def test_an_evaluation_shows_its_headline_with_interval_p_value_and_size() -> None:
    report = ew.evaluate(truth=TRUTH, prediction=GOOD)
    figures = {figure.label: figure for figure in key_figures(report)}
    assert figures["Informedness"].value == "0.90"
    assert figures["p-value"].value == "< 1e-6"
    assert figures["Cases"].value == "60"


def test_a_p_value_that_is_only_bounded_has_the_sign_of_the_verdict() -> None:
    truth = ["a", "b", "c"] * 60
    report = ew.evaluate(truth=truth, prediction=[*truth[:90], *["a"] * 90])
    figures = {figure.label: figure for figure in key_figures(report)}
    assert "(p ≤ 1e-5, simulated)" in report.verdict
    assert figures["p-value"].value == "≤ 1e-5"
    assert report.verdict.claims[1].to_dict()["numbers"]["p_value"] == 1e-5


def test_a_report_without_claims_has_none() -> None:
    assert key_figures(Report("It is so.", (), (), {})) == ()


def test_the_page_holds_names_with_full_stops_and_markup_as_text() -> None:
    comparison = ew.compare(truth=TRUTH, systems={"gpt 4. <b>mini</b>": GOOD, "poor": POOR})
    page = comparison.to_html()
    assert "<dt>gpt 4. &lt;b&gt;mini&lt;/b&gt;</dt>" in page
    assert "<strong>gpt 4. &lt;b&gt;mini&lt;/b&gt; " in page


def test_probabilities_show_both_mean_scores_and_their_difference_and_no_p_value_of_calibration() -> None:
    truth = [0, 1] * 40
    rng = np.random.default_rng(3)
    forecasts = np.clip(0.5 + 0.2 * (2 * np.array(truth) - 1) + rng.normal(0, 0.2, 80), 0.01, 0.99)
    figures = key_figures(ew.evaluate(truth=truth, probabilities=forecasts))
    brier = float(np.mean((forecasts - truth) ** 2))
    assert [figure.label for figure in figures] == [
        *("the model", "constant class shares", "Difference", "Cases")
    ]
    assert float(figures[0].value) == pytest.approx(brier, abs=0.0005)
    assert figures[1].value == "0.250"
    assert float(figures[2].value.replace("−", "-")) == pytest.approx(brier - 0.25, abs=0.005)


def test_an_interval_that_too_few_outcomes_support_is_not_shown_in_large_type() -> None:
    truth = [1] + [0] * 99
    report = ew.evaluate(truth=truth, probabilities=np.full(100, 0.0001), against=np.full(100, 0.01))
    assert key_figures(report) == ()
    [claim, *_] = report.verdict.claims
    assert claim.strength == "not shown"
    assert "the rarer outcome occurred in 1 case" in claim.text


def test_a_chosen_threshold_and_the_cost_expected_at_it_are_two_figures() -> None:
    rng = np.random.default_rng(3)
    truth = rng.random(600) < 0.2
    report = ew.evaluate(
        truth=truth, score=rng.normal(truth.astype(float)), cost_false_alarm=1, cost_miss=20, positive=True
    )
    figures = {figure.label: figure for figure in key_figures(report)}
    [claim] = [claim for claim in report.verdict.claims if claim.about == "threshold"]
    numbers = claim.numbers
    assert float(figures["Threshold"].value.replace("−", "-")) == pytest.approx(numbers["threshold"], 0.01)
    assert figures["Threshold"].detail == ""
    cost = figures["Cost per case on new data"]
    assert float(cost.value) == pytest.approx(numbers["value"], 0.02)
    assert cost.detail.startswith("95% CI ")


def test_a_cut_of_ranks_is_shown_as_a_depth() -> None:
    hits = [1, 1, 0, 1, *[0, 0, 0, 1] * 10, *[0] * 20]
    report = ew.evaluate(ew.Ranking.from_hits(hits), recall_at_least=0.5)
    figures = {figure.label: figure.value for figure in key_figures(report)}
    assert "Threshold" not in figures
    assert sum(hits[: int(figures["Depth"])]) / sum(hits) >= 0.5
    assert any(label.startswith("Precision on ") for label in figures)
