"""What a report on probabilities asks, warns of and leaves out, and the reasons it gives."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edgeworth.bet import Commission, Drunken, Market
from edgeworth.comparison import compare
from edgeworth.core.test_results import TestResult
from edgeworth.errors import OptionError
from edgeworth.evaluation import evaluate
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.verdict import describe_tail
from edgeworth.report.report import Report


def made(number: int = 130, seed: int = 2) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    q = rng.uniform(0.2, 0.8, number)
    p = np.clip(q + rng.normal(0, 0.15, number), 0.02, 0.98)
    return {"truth": (rng.random(number) < p).astype(int), "probabilities": p, "against": q}


def words(report: Report) -> str:
    return " ".join(str(report).split())


# -- when the predictions were made ------------------------------------------------------------------------


def test_when_predictions_were_made_is_asked_for() -> None:
    asked = "Assumed: the predictions were made before the outcomes"
    assert any(warning.startswith(asked) for warning in evaluate(**made()).warnings)
    for text in ("before", "cross-validated", "in-sample"):
        report = evaluate(**made(), predictions_made=text)
        assert not any(warning.startswith(asked) for warning in report.warnings)


def test_luck_is_left_out_where_nothing_holds() -> None:
    report = evaluate(**made(), predictions_made="in-sample")
    assert "a likelihood ratio this large" not in words(report)
    assert report.to_dict()["luck"] is None
    assert report.to_dict()["luck_undefined_reason"] == "the model had seen these outcomes"
    before = words(evaluate(**made(), predictions_made="before"))
    assert "a likelihood ratio this large has probability" in before


def test_luck_against_class_shares_has_a_reason() -> None:
    columns = {name: value for name, value in made().items() if name != "against"}
    result = evaluate(**columns).to_dict()
    assert result["luck"] is None
    assert "counted on these cases" in result["luck_undefined_reason"]


# -- many games --------------------------------------------------------------------------------------------


def test_luck_beyond_the_games_that_are_kept() -> None:
    report = evaluate(**made(6000, 1), predictions_made="before")
    luck = report.to_dict()["luck"]
    assert luck["kind"] in ("bracket", "bound")
    assert luck["method"] in words(report)
    assert "off by" in report.numbers["chart_data"]["final_wealth"]["method"]


def test_luck_in_words() -> None:
    assert describe_tail(TestResult(0.27, 0.33, 0.33, "", kind="bracket")) == "between 0.270 and 0.330"
    assert describe_tail(TestResult(0.3301, 0.3302, 0.3302, "", kind="bracket")) == "0.330"
    assert describe_tail(TestResult(0.0, 0.004, 0.004, "", kind="bound")) == "at most 0.0040"
    assert describe_tail(TestResult(0.0, 1e-40, 1e-40, "", kind="bound")) == "below 1e-12"
    assert describe_tail(TestResult(0.25, 0.25, 0.25, "")) == "0.250"


# -- names -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bookmaker", "against", "knew"),
    [
        (lambda q: Market(1 / q), "the market's odds", "the market"),
        (lambda q: Commission(0.05, Market(1 / q)), "the market's odds less 5% commission", "the market"),
        (lambda _: Drunken(rng=1), "a drunken bookmaker", "the bookmaker"),
        (lambda _: Drunken(0.2, 0.8), "a drunken bookmaker (0.2 to 0.8)", "the bookmaker"),
    ],
)
def test_bookmakers_of_single_games_and_their_names(bookmaker: Any, against: str, knew: str) -> None:
    columns = made()
    q = columns.pop("against")
    report = evaluate(**columns, bookmaker=bookmaker(q))
    result = report.to_dict()
    assert result["wealth"]["against"] == against
    assert against in report.verdict
    if "reverse" in result["evidence"]:
        assert result["evidence"]["reverse"]["null"].endswith(f"given all that {knew} knew")
    assert "odds knew" not in words(report)


def test_a_price_with_commission_is_a_spread() -> None:
    """Wealth at one price less commission, by the odds that a backer and a layer are left with."""
    columns = made()
    q, p, truth = columns["against"], columns["probabilities"], columns["truth"]
    wealth = Wealth.from_probabilities(truth, p, bookmaker=Commission(0.05, Market(1 / q)))
    back, lay = 1 + (1 / q - 1) * 0.95, 1 + (1 / q - 1) / 0.95
    price = np.clip(p, 1 / lay, 1 / back)
    known = np.log(np.where(truth == 1, p / price, (1 - p) / (1 - price))).sum()
    assert wealth.log_wealth == pytest.approx(known, abs=1e-9)
    assert wealth.book == "exchange"


@pytest.mark.parametrize("tilt", [1.0, 1.35, 3.0])
def test_calibration_of_several_classes_is_judged_by_adjusted_p_values(tilt: float) -> None:
    rng = np.random.default_rng(6)
    p = rng.dirichlet([4, 4, 4], 300)
    truth = (rng.random(300)[:, None] > p.cumsum(axis=1)).sum(axis=1)
    given = p**tilt / (p**tilt).sum(axis=1, keepdims=True)
    report = evaluate(truth=truth, probabilities=given, predictions_made="before")
    plain = [value["combined_p_value"] for value in report.to_dict()["reliability"].values()]
    match = re.search(
        r"(?:show (no sign of )miscalibration|are miscalibrated)[^(]*"
        r"\((?:[mc][^;]*; )*p (=|≤) ([\d.e-]+), adjusted for 3 classes[;)]",
        report.verdict,
    )
    assert match is not None
    assert float(match[3]) == pytest.approx(min(1, 3 * min(plain)), rel=0.06)
    assert (match[2] == "≤") == (min(plain) < 0.001)
    assert (match[1] is None) == (3 * min(plain) <= 0.05)
    classes = re.findall(r"\b([012]): (no sign of )?miscalibrat.*?p [=≤] ([\d.e-]+), adjusted", words(report))
    assert [float(label[2]) for label in classes] == [pytest.approx(min(1, 3 * x), rel=0.06) for x in plain]


@pytest.mark.parametrize("only", [0, 1])
def test_one_class_alone_is_said_first_and_no_winner_is_named(only: int) -> None:
    p = np.random.default_rng(1).uniform(0.2, 0.9, 60)
    alone = evaluate(truth=[only] * 60, probabilities=p, labels=[0, 1]).verdict
    assert [claim.about for claim in alone.claims] == ["classes", "calibration"]
    assert f"({only})" in alone.claims[0].text
    chance = np.random.default_rng(1).uniform(0.005, 0.02, 60)
    pair = (1 - chance, 1 - chance / 2) if only else (chance, chance / 2)
    beside = evaluate(truth=[only] * 60, probabilities=pair[1], against=pair[0], labels=[0, 1]).verdict
    assert [claim.about for claim in beside.claims] == ["classes", "score", "calibration"]
    assert beside.claims[1].strength == "not shown"
    assert "the rarer outcome never occurred" in beside.claims[1].text


@pytest.mark.parametrize("only", [0, 1])
def test_one_class_alone_names_a_winner_if_bounds_for_all_true_probabilities_do(only: int) -> None:
    p = np.random.default_rng(1).uniform(0.2, 0.9, 60)
    report = evaluate(truth=[only] * 60, probabilities=p, against=p**2, labels=[0, 1])
    pair = compare(truth=[only] * 60, systems={"p": p, "q": p**2}, kind="probabilities", labels=[0, 1])
    assert report.verdict.claims[1].strength == "shown"
    assert pair["p", "q"]["brier"].better == ("q" if only == 0 else "p")
    assert list(pair["p", "q"]["brier"].tests) == ["hoeffding"]


# -- slips -------------------------------------------------------------------------------------------------


def test_columns_that_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "c.csv"
    rows = zip(*made(20).values(), strict=True)
    path.write_text("y,p,q\n" + "".join(f"{y},{p},{q}\n" for y, p, q in rows), encoding="utf-8")
    same = evaluate(path, truth="y", probabilities="p", against="p").warnings
    assert "Model and rival are the same: 'p'." in same
    leak = evaluate(path, truth="y", probabilities="y", against="q").warnings
    assert "Truth and probability are the same column, 'y'." in leak
    fine = evaluate(path, truth="y", probabilities="p", against="q").warnings
    assert not any("same" in warning for warning in fine)


# -- infinite scores ---------------------------------------------------------------------------------------


def test_an_infinite_log_score_has_a_row_and_a_reason() -> None:
    report = evaluate(truth=[1, 1, 0], probabilities=[0.5, 0.0, 0.2], against=[0.5] * 3)
    section = next(item for item in report.sections if item.title == "Difference in mean score")
    row = next(row for row in section.grids[0].rows if row[0] == "log score")
    assert row[1:3] == (None, (None, None))
    assert "a log score is infinite" in str(row[3])
    result = report.to_dict()["sequences"]["log"]
    assert result["mean"] is None
    assert "a log score is infinite" in result["undefined"]


# -- ordered classes ---------------------------------------------------------------------------------------


def three(number: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    p, q = (rng.dirichlet(np.ones(3), number) for _ in range(2))
    return np.array([rng.choice(3, p=row) for row in p]), p, q


@pytest.mark.slow
def test_a_ladder_against_odds_is_played_at_their_shares() -> None:
    truth, p, q = three()
    report = evaluate(truth=truth, probabilities=p, odds=1 / (1.05 * q), ordinal=True)
    cumulative_games = report.to_dict()["cumulative_games"]
    assert list(cumulative_games) == ["0", "1"]
    for index in (0, 1):
        mine, its = (rows[:, : index + 1].sum(axis=1) for rows in (p, q))
        known = np.log(np.where(truth <= index, mine / its, (1 - mine) / (1 - its))).sum()
        assert cumulative_games[str(index)]["log_wealth"] == pytest.approx(known, abs=1e-9)
    assert "with the overround removed, are the true ones" in cumulative_games["0"]["evidence"]["null"]
    drunken = evaluate(truth=truth, probabilities=p, bookmaker=Drunken(rng=1), ordinal=True)
    assert list(drunken.to_dict()["cumulative_games"]) == ["0", "1"]


def test_two_classes_have_no_ladder() -> None:
    with pytest.raises(OptionError, match="needs three or more classes"):
        evaluate(**made(), ordinal=True)
    with pytest.raises(OptionError, match="needs three or more classes"):
        evaluate(**made(), ordinal=True, predictions_made="in-sample")


# -- ties of the likeliest label ---------------------------------------------------------------------------


def test_ties_are_counted_in_parts() -> None:
    report = evaluate(truth=[1, 1, 0], probabilities=[0.9, 0.4, 0.2], against=[0.5] * 3)
    errors = report.to_dict()["side_by_side"]["error"]["values"]
    assert errors == pytest.approx({"model": 1 / 3, "against": 1 / 2})
    assert "if m labels are equally likely, each counts as 1/m of a case" in words(report)
    whole = evaluate(truth=[1, 1, 0], probabilities=[0.9, 0.4, 0.2], against=[0.6] * 3)
    assert "equally likely" not in words(whole)


# -- the line of evidence ----------------------------------------------------------------------------------


def test_a_line_that_cannot_be_told_from_0_is_not_drawn() -> None:
    """Log wealth in the hundreds: 1/α, a log of 3, lies on the line at 0."""
    drawn, result = ">1/α<", "too near to 0 to be drawn"
    near = evaluate(**made()).charts["wealth"]
    assert drawn in near.svg()
    assert result not in near.description
    far = evaluate(truth=[1, 0] * 500, probabilities=[0.9, 0.1] * 500, against=[0.5] * 1000).charts["wealth"]
    assert drawn not in far.svg()
    assert f"The line at 20 ({result}): " in far.description


@pytest.mark.parametrize("order", [[1, 0, 2], [2, 0, 1], [0, 1, 2]])
def test_columns_in_another_order_are_asked_about(order: list[int]) -> None:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 3, 300)
    probabilities = np.where(np.eye(3)[truth] > 0, 0.6, 0.2)
    report = evaluate(truth=truth, probabilities=probabilities[:, order])
    asked = any("in the order 0, 1, 2" in warning for warning in report.warnings)
    assert asked == (order != [0, 1, 2])


def test_scores_that_are_lower_for_targets_are_asked_about() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 200)
    for scores, is_asked in ((-truth, True), (truth, False), (0 * truth, False)):
        report = evaluate(truth=truth, score=scores + rng.normal(size=200))
        assert any("negate the scores" in warning for warning in report.warnings) == is_asked


def test_a_median_that_is_approximate_is_called_about() -> None:
    """The distinct games, and so the law of wealth, are kept up to 4,096 of them."""
    rng = np.random.default_rng(6)
    for number, is_kept in ((50, True), (4_500, False)):
        p = rng.uniform(0.45, 0.55, number)
        truth = (rng.random(number) < p).astype(int)
        report = evaluate(truth=truth, probabilities=p, against=np.full(number, 0.5), positive=1, goal=2)
        sentences = " ".join(text for section in report.sections for text in section.text)
        assert ("has become about $" in sentences + report.verdict) == (not is_kept)
        assert "after these cases in the median" in sentences + report.verdict


def test_the_name_of_a_column_stays_as_it_is_at_the_start_of_a_sentence(tmp_path: Path) -> None:
    columns = made(40)
    columns["against"][0] = 1.0 - columns["truth"][0]
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    text = "\n".join(",".join(map(str, row)) for row in [("y", "p", "q"), *rows])
    (tmp_path / "rows.csv").write_text(text)
    report = evaluate(tmp_path / "rows.csv", truth="y", probabilities="p", against="q")
    assert any(warning.startswith("q gave probability 0 ") for warning in report.warnings)
