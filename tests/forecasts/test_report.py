"""The report on probabilities says no more than holds, in words that fit, and has the data of its charts."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from edgeworth.bet import Commission, Drunken, Market
from edgeworth.calculators import kelly_report
from edgeworth.core.formatting import format_cases, format_wealth
from edgeworth.errors import OptionError
from edgeworth.evaluation import evaluate
from edgeworth.report.report import Grid, Report


def made(number: int = 130, seed: int = 2) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    q = rng.uniform(0.2, 0.8, number)
    p = np.clip(q + rng.normal(0, 0.15, number), 0.02, 0.98)
    return {"truth": (rng.random(number) < p).astype(int), "probabilities": p, "against": q}


def without_rival(number: int = 130) -> dict[str, Any]:
    return {name: value for name, value in made(number).items() if name != "against"}


def odds_of(columns: dict[str, Any]) -> dict[str, Any]:
    q = columns["against"]
    odds = 1 / np.stack([1 - q, q], axis=1) / 1.04
    return {"truth": columns["truth"], "probabilities": columns["probabilities"], "odds": odds}


def three(number: int = 25) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    p, q = (rng.dirichlet(np.ones(3), number) for _ in range(2))
    truth = np.array([rng.choice(3, p=row) for row in p])
    return {"truth": truth, "probabilities": p, "against": q}


def grid(report: Report, title: str, position: int = 0) -> Grid:
    return next(section for section in report.sections if section.title == title).grids[position]


def words(report: Report) -> str:
    return " ".join(str(report).split())


# -- no more than holds ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("columns", "options", "claimed"),
    [
        (made(), {"ordered": True}, True),
        (made(), {}, False),
        (odds_of(made()), {"ordered": True}, True),
        (odds_of(made()), {}, False),
        (without_rival(), {"ordered": True}, False),
        (without_rival(), {}, False),
        (made(), {"ordered": True, "predictions_made": "cross-validated"}, False),
        (made(), {"ordered": True, "predictions_made": "in-sample"}, False),
        (three(), {"ordered": True, "ordinal": True}, True),
        (three(), {"ordinal": True}, False),
    ],
)
def test_at_all_times_is_said_only_where_it_holds(
    columns: dict[str, Any], options: dict[str, Any], claimed: bool
) -> None:
    report = evaluate(**columns, **options)
    rows = grid(report, "Difference in mean score").rows
    assert ("at all times" in str(rows[0][-1])) == claimed
    assert all("at all times" not in str(row[-1]) for row in rows[1:])
    assert ("confidence sequence" in report.verdict) == (claimed and "Too few" not in report.verdict)
    text = words(report).replace("no interval holds at all times", "")
    assert ("at all times" in text) == claimed


@pytest.mark.slow
def test_the_log_sequence_is_asymptotic_from_a_case_on() -> None:
    for ordered, holds in (
        (True, "asymptotically, from case 100 on"),
        (False, "if the cases are independent"),
    ):
        differences = grid(evaluate(**made(), ordered=ordered), "Difference in mean score")
        row = differences.rows[1]
        assert row[0] == "log score"
        # Scores that hold alike have one note instead of a column.
        assert holds in (str(row[-1]) if len(row) == 4 else differences.note)
    few = grid(evaluate(**made(40), ordered=True), "Difference in mean score").rows[1]
    assert few[2:] == ((None, None), "undefined: fewer cases than the burn-in of 100")


def test_an_interval_of_all_that_is_possible_says_nothing() -> None:
    report = evaluate(truth=[1, 0, 1], probabilities=[0.6, 0.4, 0.7], against=[0.5] * 3, ordered=True)
    row = grid(report, "Difference in mean score").rows[0]
    assert row[2] == (-1.0, 1.0)
    assert "the whole range" in str(row[3])
    assert report.verdict.startswith("Too few cases to compare")
    assert "1.0000" not in report.verdict


def test_luck_at_odds_with_a_margin_is_one_case_of_the_hypothesis() -> None:
    assert "one case of many that the hypothesis allows" in words(evaluate(**odds_of(made())))
    fair = words(evaluate(**made()))
    assert "'s probabilities are right, a likelihood ratio this large has probability" in fair
    assert "one case of many" not in fair


def test_part_of_the_stakes_against_class_shares_proves_by_the_full_ones() -> None:
    full, half = (evaluate(**without_rival(), fraction=fraction) for fraction in (1.0, 0.5))
    assert half.numbers["evidence"] == full.numbers["evidence"]
    assert half.numbers["wealth"]["log_wealth"] < full.numbers["wealth"]["log_wealth"]
    assert half.verdict == full.verdict
    named = grid(evaluate(**made(), fraction=0.5), "Evidence").rows[0][0]
    assert named == "0.5 of Kelly's stakes"


def test_in_sample_says_that_nothing_holds() -> None:
    report = evaluate(**made(), predictions_made="in-sample", ordered=True)
    assert [claim["about"] for claim in report.to_dict()["claims"]] == ["in sample"]


# -- words -------------------------------------------------------------------------------------------------


def test_numbers_of_cases() -> None:
    assert (format_cases(1), format_cases(2), format_cases(1200)) == ("1 case", "2 cases", "1,200 cases")
    one = evaluate(truth=[1], probabilities=[0.9], against=[0.5], labels=[0, 1])
    assert "; 1 case;" in one.verdict
    ruined = evaluate(truth=[1, 1, 0], probabilities=[0.9, 0.0, 0.2], against=[0.5] * 3)
    assert "probability 0 to the actual class in 1 of 3 cases" in ruined.verdict


@pytest.mark.parametrize(
    ("log_wealth", "message"),
    [
        (0.0, "1"),
        (float("inf"), "infinite"),
        (-float("inf"), "0"),
        (np.log(12345), "12,345"),
        (np.log(999_000), "999,000"),
        (np.log(9.97e20), "over 1 million"),
        (np.log(9.99e-30), "under 1e-6"),
        (1605.4 * np.log(10), "over 1 million"),
    ],
)
def test_money(log_wealth: float, message: str) -> None:
    assert format_wealth(float(log_wealth)) == message


def test_a_bound_beyond_what_floats_can_say() -> None:
    """The smallest float is no p-value to print."""
    report = evaluate(truth=[1] * 1200, probabilities=[0.9] * 1200, against=[0.45] * 1200, labels=[0, 1])
    assert report.numbers["wealth"]["log_wealth"] == pytest.approx(1200 * np.log(2))
    assert report.numbers["evidence"]["full_stakes"]["p_value"] == 5e-324
    assert "| likelihood ratio | over 1 million | &lt; 1e-12 |" in report.to_markdown()


@pytest.mark.parametrize("option", [{}, {"cluster": np.arange(80) // 2}, {"weight": np.linspace(0.5, 2, 80)}])
def test_scores_of_the_only_model_are_written_without_its_name(option: dict[str, object]) -> None:
    p = np.random.default_rng(2).uniform(0.1, 0.9, 80)
    truth, groups = (np.random.default_rng(3).random(80) < p).astype(int), np.arange(80) % 2
    report = evaluate(truth=truth, probabilities=p, positive=1, measures=["brier"], by=groups, **option)
    assert "Brier score (" in report.verdict.split("By ")[-1]
    assert "[model]" not in str(report) + report.to_html()
    assert report.numbers["requested"]["brier"]["value"] == pytest.approx(
        np.average((truth - p) ** 2, weights=option.get("weight"))
    )


# -- scores ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["market", "drunkard"])
def test_whoever_is_compared_stands_in_the_table_of_scores(kind: str) -> None:
    columns = odds_of(made()) if kind == "market" else without_rival() | {"bookmaker": Drunken(rng=1)}
    report = evaluate(**columns)
    against = report.numbers["wealth"]["against"]
    scores = grid(report, "Scores")
    assert [column.name for column in scores.columns[1:]] == ["model", against]
    by_name = {str(row[0]): row for row in scores.rows}
    # The mean difference of the Brier scores is the difference of the means.
    model, rival = by_name["Brier score"][1:]
    assert isinstance(model, float)
    assert isinstance(rival, float)
    assert model - rival == pytest.approx(report.numbers["sequences"]["brier"]["mean"], abs=1e-12)


def test_the_ranked_score_is_shown_for_three_classes_and_skill_says_its_base() -> None:
    two, more = (grid(evaluate(**columns), "Scores") for columns in (made(), three()))
    assert "ranked probability score" not in [row[0] for row in two.rows]
    assert "ranked probability score" in [row[0] for row in more.rows]
    for item in (two, more):
        assert "slightly too low" in item.note


# -- reliability -------------------------------------------------------------------------------------------


def test_reliability_is_capped_on_the_terminal_and_whole_in_json() -> None:
    report = evaluate(**made(800))
    table, result = grid(report, "Reliability"), report.numbers["reliability"]["1"]
    assert len(table.rows) <= 12 < len(result["levels"])
    assert "JSON has all" in table.note
    assert sum(result["cases"]) == sum(level["cases"] for level in result["levels"]) == 800
    assert len(result["forecast"]) == len(result["recalibrated"]) == len(result["low"]) == len(result["high"])
    assert len(result["forecast"]) <= 502
    assert f"p = {result['combined_p_value']:.3f}" in words(report)
    assert result["miscalibration"] == pytest.approx(
        report.numbers["decomposition"]["brier"]["1"]["miscalibration"], abs=0.005
    )


def test_reliability_of_many_classes_shows_the_worst() -> None:
    rng = np.random.default_rng(5)
    p = rng.dirichlet(np.ones(9), 200)
    truth = np.array([rng.choice(9, p=row) for row in p])
    report = evaluate(truth=truth, probabilities=p)
    table = grid(report, "Reliability")
    assert len({row[0] for row in table.rows}) == 6
    assert "6 of 9 classes" in table.note
    assert set(report.numbers["reliability"]) == {str(label) for label in range(9)}
    # Nine classes are too many for a confusion table on a terminal, not for JSON.
    assert len(next(s for s in report.sections if s.title.startswith("Top-1")).grids) == 1
    assert set(report.numbers["tables"]) == {"model", "against"}


# -- side by side ------------------------------------------------------------------------------------------


def test_agreement_and_disagreement_in_a_sentence() -> None:
    agree = next(s for s in evaluate(**made()).sections if s.title == "Top-1 decisions")
    assert "agree on these cases: the model is better" in agree.text[0]
    sharp, timid = [0.95] * 9 + [0.49], [0.51] * 10
    report = evaluate(truth=[1] * 10, probabilities=sharp, against=timid, labels=[0, 1])
    result = next(s for s in report.sections if s.title == "Top-1 decisions")
    assert "top-1 error prefers the opponent and the log score prefers the model" in result.text[0]
    rows = {str(row[0]): row for row in result.grids[0].rows}
    assert rows["top-1 error"][1:] == ("10.0%", "0.0%", "the opponent")
    assert "wealth" not in rows  # it repeats the likelihood ratio, and nobody asked for bets
    asked = evaluate(truth=[1] * 10, probabilities=sharp, against=timid, labels=[0, 1], goal=100)
    rows = {str(row[0]): row for row in grid(asked, "Top-1 decisions").rows}
    assert rows["wealth"][1] == rows["likelihood ratio"][1]
    alike = evaluate(truth=[1, 0], probabilities=[0.6, 0.2], against=[0.6, 0.2])
    assert "are equal for both" in words(alike)


def test_confusion_tables_are_per_cent_of_all_cases() -> None:
    report = evaluate(truth=[1, 1, 0, 0], probabilities=[0.9, 0.2, 0.3, 0.4], against=[0.6] * 4)
    first, second = (grid(report, "Top-1 decisions", index) for index in (1, 2))
    assert first.title == "Likeliest labels of the model"
    assert first.rows == (
        ("0", 0.5, 0.0, 0.5),
        ("1", 0.25, 0.25, 0.5),
        ("all", 0.75, 0.25, 1.0),
    )
    assert second.rows[1] == ("1", 0.0, 0.5, 0.5)
    numbers = report.numbers["side_by_side"]["error"]
    assert numbers == {"values": {"model": 0.25, "against": 0.5}, "better": "model"}


# -- the data of charts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 60, 20_000])
def test_chart_data_are_bounded_and_plain(number: int) -> None:
    report = evaluate(**made(number), labels=[0, 1], ordered=True)
    again = json.loads(report.to_json(full=True))
    path = again["wealth"]["path"]
    assert {len(values) for values in path.values()} == {min(number, 512)} or number > 512
    assert len(path["cases"]) <= 512
    assert set(path) >= {"cases", "log_wealth", "expected", "expected_low", "expected_high", "priced_low"}
    assert path["cases"][-1] == number
    assert again["wealth"]["log_threshold"] == pytest.approx(np.log(20), rel=1e-9)
    data = again["chart_data"]
    assert len(data["returns"]["cases"]) == len(data["returns"]["log_return"]) <= 512
    law = data["final_wealth"]
    assert len(law["log_wealth"]) == len(law["prices"]) == len(law["model"]) <= 200
    assert law["observed"] == again["wealth"]["log_wealth"]
    pairs = data["probability_pairs"]
    assert np.shape(pairs["counts"]) == (40, 40)
    assert np.sum(pairs["counts"]) == number
    assert len(pairs["edges"]) == 41
    sequence = again["sequences"]["brier"]["path"]
    assert len(sequence["cases"]) == len(sequence["low"]) <= 512
    # The threshold, which has no chart, adds as much whatever the number of cases is.
    assert len(json.dumps(again.pop("best_cut"))) < 5_000
    again["sections"] = [section for section in again["sections"] if section["title"] != "Where to cut"]
    assert len(json.dumps(again, ensure_ascii=False, indent=2)) < 700_000


def test_charts_that_need_two_classes_are_left_out_of_three() -> None:
    data = evaluate(**three()).numbers["chart_data"]
    assert data["probability_pairs"] is None
    assert data["final_wealth"] is not None


def test_no_path_of_a_sequence_against_class_shares() -> None:
    numbers = evaluate(**without_rival(), ordered=True).numbers
    assert numbers["sequences"]["brier"]["path"] is None
    assert numbers["sequences"]["brier"]["holds"].startswith("approximately")


def test_ruin_has_its_charts() -> None:
    report = evaluate(truth=[1, 1, 0], probabilities=[0.9, 0.0, 0.2], against=[0.5] * 3, ordered=True)
    again = json.loads(report.to_json(full=True))
    assert again["wealth"]["path"]["log_wealth"] == [pytest.approx(np.log(1.8)), None, None]
    assert again["chart_data"]["returns"]["log_return"][1] is None
    assert again["chart_data"]["final_wealth"]["observed"] is None


# -- Kelly's stakes ----------------------------------------------------------------------------------------


def test_stakes_in_words() -> None:
    backed = kelly_report([0.2, 0.4, 0.3, 0.08, 0.02], [5.5, 2.625, 3.25, 6, 21])
    assert backed.verdict.startswith("Back outcome 1 with 5.96% of the bankroll, back outcome 2 with 10.59%,")
    assert "Keep 77.20%." in backed.verdict
    laid = kelly_report([0.5, 0.36, 0.14], [1.9, 3.2, 4.6], lay=[2.1, 3.6, 5.4])
    assert "lay a backer's stake of 4.43% on outcome 3 (liability 19.51%)" in laid.verdict
    assert "a negative stake is laid" in words(laid)
    assert "a negative stake is laid" not in words(backed)


def test_an_arbitrage_is_named() -> None:
    sure = kelly_report([0.6, 0.4], [2.0, 2.1])
    assert "sure profit of 2.44% (an arbitrage)" in words(sure)
    assert "arbitrage" not in words(kelly_report([0.6, 0.4], [2.0, 2.0]))


# -- rows that stand in no order, zeros, and what was clipped ------------------------------------------------


def test_rows_sorted_by_outcome_are_warned_of_and_shown_in_a_random_order() -> None:
    """Births.csv has its 130 zeros first, then its 59 ones."""
    rng = np.random.default_rng(5)
    truth = np.repeat([0, 1], [130, 59])
    p, q = rng.uniform(0.05, 0.6, 189), rng.uniform(0.05, 0.6, 189)
    report = evaluate(truth=truth, probabilities=p, against=q)
    assert any("sorted by outcome" in warning for warning in report.warnings)
    wealth = report.numbers["wealth"]
    assert (wealth["log_maximum"], wealth["log_minimum"], wealth["drawdown"]) == (None, None, None)
    assert wealth["path"]["log_wealth"][-1] == pytest.approx(wealth["log_wealth"], rel=1e-9)
    given = np.cumsum(np.log(np.where(truth == 1, p / q, (1 - p) / (1 - q))))
    assert not np.allclose(wealth["path"]["log_wealth"], given)
    mixed = rng.permutation(189)
    other = evaluate(truth=truth[mixed], probabilities=p[mixed], against=q[mixed])
    assert not any("sorted by outcome" in warning for warning in other.warnings)
    assert other.verdict == report.verdict
    # Against class shares that are counted on the same cases, the order matters only if it is claimed.
    for ordered in (False, True):
        alone = evaluate(truth=truth, probabilities=p, ordered=ordered)
        assert any("sorted by outcome" in warning for warning in alone.warnings) == ordered


def test_a_table_without_intervals_gives_the_reason_in_its_rows() -> None:
    for cases in (1, 2):
        differences = grid(
            evaluate(
                truth=[1, 0][:cases], probabilities=[0.9, 0.2][:cases], labels=[0, 1], against=[0.5] * cases
            ),
            "Difference in mean score",
        )
        assert "intervals hold" not in differences.note or all(None not in row[2] for row in differences.rows)


def test_zeros_leave_scores_area_and_calibration_and_are_stated() -> None:
    """A random forest that gave 0 to what happened in a few rows is not only ruined."""
    rng = np.random.default_rng(6)
    true = rng.uniform(0.02, 0.98, 3000)
    truth, p = (rng.random(3000) < true).astype(int), np.round(true, 1)
    zeros = int((p[truth == 1] == 0).sum() + (p[truth == 0] == 1).sum())
    assert zeros
    report = evaluate(
        truth=truth, probabilities=p, against=np.clip(true + rng.normal(0, 0.2, 3000), 0.02, 0.98)
    )
    assert [claim["about"] for claim in report.to_dict()["claims"]] == ["score", "calibration", "zeros"]
    assert f"in {zeros} of 3,000 cases" in report.verdict
    assert report.numbers["roc_area"]["1"] == pytest.approx(roc_auc_score(truth, p), rel=1e-12)
    clipped = evaluate(truth=truth, probabilities=p, clip=1e-3)
    assert clipped.provenance["clip"] == 1e-3
    assert any("0.001" in warning and "--clip" in warning for warning in clipped.warnings)
    rows = np.where(p < 1e-3, 1e-3 / 1.001, np.where(p > 1 - 1e-3, 1 / 1.001, p))
    log = -np.log(np.where(truth == 1, rows, 1 - rows)).mean()
    assert clipped.numbers["means"]["model"]["log"] == pytest.approx(log, rel=1e-9)
    with pytest.raises(OptionError, match="clip"):
        evaluate(truth=truth, probabilities=p, clip=0.6)


@pytest.mark.parametrize("races", [True, False])
def test_a_commission_is_no_part_of_what_a_market_thinks(races: bool) -> None:
    """Its Brier score is that of the odds it offers, its bets are settled at those it pays."""
    rng = np.random.default_rng(7)
    price = rng.uniform(0.2, 0.8, 60)
    truth, p = (rng.random(60) < price).astype(int), np.clip(price + rng.normal(0, 0.1, 60), 0.05, 0.95)
    odds = 1 / (np.stack([1 - price, price], axis=1) * 1.04) if races else 1 / price
    plain, taken = (
        evaluate(truth=truth, probabilities=p, bookmaker=book)
        for book in (Market(odds), Commission(0.05, Market(odds)))
    )
    brier = ((price - truth) ** 2).mean()
    for report in (plain, taken):
        means = report.numbers["means"]
        assert means["against"]["brier"] == pytest.approx(brier, rel=1e-9)
        mine = means["model"]["brier"]
        assert report.numbers["sequences"]["brier"]["mean"] == pytest.approx(mine - brier, rel=1e-9)
    assert taken.numbers["wealth"]["log_wealth"] != plain.numbers["wealth"]["log_wealth"]


def test_a_p_value_that_no_draw_reached_is_a_bound() -> None:
    """Of 1,000 draws the smallest p-value is at most 0.001, not 0.0010."""
    report = evaluate(truth=[0, 1] * 200, probabilities=[0.9, 0.1] * 200)
    assert "p ≤ 0.001" in report.verdict
    assert "p ≤ 0.001" in words(report)
