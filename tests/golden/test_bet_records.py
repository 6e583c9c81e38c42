"""``edgeworth ledger`` and ``edgeworth stakes``: by hand, by enumeration, and with wrong input."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import call, refused
from edgeworth.bet import kelly_together
from edgeworth.pipeline.bet_records import report_bets

Capture = pytest.CaptureFixture[str]

BETS = [
    ("2025-01-04", "won", 2.5, 10.0),
    ("2025-01-04", "lost", 3.0, 20.0),
    ("2025-01-07", "half-won", 1.9, 10.0),
    ("2025-02-01", "void", 4.0, 50.0),
    ("2025-02-01", "lost", 2.0, 10.0),
    ("2025-02-03", "half-lost", 2.2, 10.0),
    ("2025-02-09", "won", 3.5, 10.0),
]
"""Profits 15, −20, 4.5, 0, −10, −5 and 25."""


def bets_file(folder: Path) -> Path:
    rows = [",".join(map(str, bet)) for bet in BETS]
    path = folder / "bets.csv"
    path.write_text("date,result,odds,stake\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def ledger_of(folder: Path, capsys: Capture, *words: str) -> dict[str, Any]:
    done = call(folder, capsys, "ledger", *words, "--json", "-")
    assert done.returncode == 0, done.stderr
    payload: dict[str, Any] = json.loads(done.stdout)
    return payload


def test_a_record_by_hand(tmp_path: Path, capsys: Capture) -> None:
    bets_file(tmp_path)
    report = ledger_of(tmp_path, capsys, "bets.csv", "--period", "month")
    ledger = report["ledger"]
    assert (ledger["bets"], ledger["void"], ledger["turnover"]) == (6, 1, 70.0)
    assert ledger["profit"] == pytest.approx(9.5)
    assert ledger["yield"] == pytest.approx(9.5 / 70)
    assert ledger["win_rate"] == pytest.approx(3 / 6)
    assert ledger["average_odds"] == pytest.approx((2.5 + 3 + 1.9 + 2 + 2.2 + 3.5) / 6)
    assert ledger["path"] == {
        "round": ["2025-01-04", "2025-01-07", "2025-02-01", "2025-02-03", "2025-02-09"],
        "bankroll": pytest.approx([-5, -0.5, -10.5, -15.5, 9.5]),
    }
    assert ledger["drawdown"]["amount"] == pytest.approx(15.5)
    assert (ledger["drawdown"]["from"], ledger["drawdown"]["to"]) == ("the start", "2025-02-03")
    assert ledger["longest_losing_run"] == 2
    assert [(part["period"], part["profit"]) for part in ledger["periods"]] == [
        ("2025-01", pytest.approx(-0.5)),
        ("2025-02", pytest.approx(10.0)),
    ]
    assert "informedness" not in json.dumps(report)


def test_luck_equals_enumeration_in_fractions(tmp_path: Path) -> None:
    """Each bet at risk wins with probability 1/odds; half of a half-won bet is void."""
    at_risk = [
        (Fraction(str(odds)), Fraction(stake) / (2 if "half" in result else 1))
        for _, result, odds, stake in BETS
        if result != "void"
    ]
    total = Fraction(0)
    for outcome in product([True, False], repeat=len(at_risk)):
        chance, profit = Fraction(1), Fraction(0)
        for won, (odds, stake) in zip(outcome, at_risk, strict=True):
            chance *= 1 / odds if won else 1 - 1 / odds
            profit += stake * (odds - 1) if won else -stake
        total += chance if profit >= Fraction("9.5") else 0
    report = report_bets(str(bets_file(tmp_path)))
    assert report.numbers["ledger"]["luck"]["p_value"] == pytest.approx(float(total), rel=1e-9)


TWELVE_BETS = """date,result,odds,stake
2025-03-01,won,2.10,20
2025-03-01,lost,3.40,10
2025-03-02,lost,1.80,30
2025-03-05,half-lost,1.95,40
2025-03-05,void,5.00,25
2025-03-08,lost,2.75,15
2025-03-08,half-won,2.05,20
2025-03-15,won,4.50,10
2025-04-02,lost,6.00,5
2025-04-02,won,1.50,50
2025-04-09,void,2.00,10
2025-04-12,won,3.20,12.5
"""
"""Profits 22, −10, −30, −20, 0, −15, 10.5, 35, −5, 25, 0 and 27.5."""


def test_a_loss_is_called_a_loss(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "bets.csv").write_text("result,odds,stake\nlost,2.0,10\nwon,1.5,4\n", encoding="utf-8")
    printed = " ".join(call(tmp_path, capsys, "ledger", "bets.csv").stdout.replace("│", " ").split())
    assert "The bets lost $8.00 on $14.00 staked in 2 bets, yield −57.1% (95% CI " in printed
    assert "so there is no sign of skill. Chance of a result this good, if each bet wins" in printed


@pytest.mark.parametrize(
    ("wins", "begin", "end"),
    [
        (60, "The bets were worth more than their odds: they made $20.00 on $100.00 staked in 100 bets", "."),
        (51, "The bets made $2.00 on $100.00 staked in 100 bets", ", which luck can explain."),
        (50, "The bets broke even on $100.00 staked in 100 bets", ", so there is no sign of skill."),
        (45, "The bets lost $10.00 on $100.00 staked in 100 bets", ", so there is no sign of skill."),
    ],
)
def test_the_conclusion_on_a_record_comes_first(
    wins: int, begin: str, end: str, tmp_path: Path, capsys: Capture
) -> None:
    rows = "1,2.0\n" * wins + "0,2.0\n" * (100 - wins)
    (tmp_path / "bets.csv").write_text(f"won,odds\n{rows}", encoding="utf-8")
    report = json.loads(call(tmp_path, capsys, "ledger", "bets.csv", "--level", "0.9", "--json", "-").stdout)
    first, _, rest = report["verdict"].partition(" Chance of a result this good")
    assert first.startswith(begin)
    assert first.endswith(f"){end}")
    assert "(p = " in rest
    assert rest.endswith(", one-sided).")


def test_every_printed_number_of_twelve_bets(tmp_path: Path, capsys: Capture) -> None:
    """Typed in from a computation in fractions that enumerates all 1,024 outcomes."""
    (tmp_path / "bets.csv").write_text(TWELVE_BETS, encoding="utf-8")
    ledger = ledger_of(tmp_path, capsys, "bets.csv")["ledger"]
    assert (ledger["bets"], ledger["void"], ledger["longest_losing_run"]) == (10, 2, 4)
    assert (ledger["turnover"], ledger["profit"]) == pytest.approx((212.5, 40.0))
    assert ledger["luck"]["p_value"] == pytest.approx(0.28042392228668217, rel=1e-12)
    assert ledger["path"]["bankroll"] == pytest.approx([12, -18, -38, -42.5, -7.5, 12.5, 12.5, 40])
    printed = " ".join(call(tmp_path, capsys, "ledger", "bets.csv").stdout.replace("│", " ").split())
    for words in (
        "2 void bets not counted.",
        "bets placed 10",
        "turnover $212.50",
        "profit $40.00",
        "yield (profit / turnover) +18.8%",
        "bets won 5 (50.0%)",
        "average odds 2.92",
        "worst drawdown $54.50 (2025-03-01 to 2025-03-08)",
        "longest losing run 4 bets",
        "0.280, one-sided)",
    ):
        assert words in printed
    printed = " ".join(call(tmp_path, capsys, "ledger", "bets.csv", "--bankroll", "100").stdout.split())
    # The bankroll falls from 112 to 57.5.
    assert "worst drawdown 48.7% (2025-03-01 to 2025-03-08)" in printed
    assert "final bankroll $140.00" in printed


def test_commission_and_units(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "tips.csv").write_text("result,odds\n1,3.0\n0,2.0\n1,2.0\n", encoding="utf-8")
    ledger = ledger_of(tmp_path, capsys, "tips.csv", "--commission", "0.05")["ledger"]
    assert ledger["turnover"] == 3
    assert ledger["profit"] == pytest.approx(0.95 * 2 - 1 + 0.95)


@pytest.mark.parametrize("name", ["won", "win"])
def test_a_column_of_zeros_and_ones_says_which_bets_won(name: str, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "bets.csv").write_text(f"{name},odds,stake\n1,2.5,4\n0,3,2\n", encoding="utf-8")
    ledger = ledger_of(tmp_path, capsys, "bets.csv")["ledger"]
    assert ledger["profit"] == pytest.approx(1.5 * 4 - 2)


def test_wrong_records_are_named(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "odd.csv").write_text("result,odds\nwon,2.0\nmaybe,2.0\n", encoding="utf-8")
    assert "row 2" in refused(call(tmp_path, capsys, "ledger", "odd.csv"))
    (tmp_path / "none.csv").write_text("outcome,price\nwon,0.5\n", encoding="utf-8")
    assert "0.5 is not decimal odds" in refused(call(tmp_path, capsys, "ledger", "none.csv"))
    (tmp_path / "void.csv").write_text("result,odds\nvoid,2.0\n", encoding="utf-8")
    assert "no settled bet" in refused(call(tmp_path, capsys, "ledger", "void.csv"))


FIXTURES = "game,outcome,probability,odds\nA,home,0.52,2.1\nA,draw,0.26,3.5\nA,away,0.22,3.9\nB,win,0.6,1.9\n"


def test_stakes_in_money(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "fixtures.csv").write_text(FIXTURES, encoding="utf-8")
    words = ["stakes", "fixtures.csv", "--bankroll", "1000", "--fraction", "0.25", "--commission", "0.02"]
    done = call(tmp_path, capsys, *words, "--json", "-")
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    net = 1 + 0.98 * (np.array([2.1, 3.5, 3.9]) - 1)
    race, game = kelly_together([([0.52, 0.26, 0.22], net), (0.6, 1 + 0.98 * 0.9)], fraction=0.25)
    stakes = [bet["stake"] for bet in report["bets"]]
    np.testing.assert_allclose(stakes, 1000 * np.append(race, game), atol=1e-4)
    assert report["largest_loss"] == pytest.approx(sum(stakes), rel=1e-9)
    f, g = stakes[0] / 1000, stakes[3] / 1000
    growth = sum(
        p * q * np.log(1 + x + y)
        for p, x in ((0.52, f * (net[0] - 1)), (0.48, -f))
        for q, y in ((0.6, g * 0.98 * 0.9), (0.4, -g))
    )
    assert report["expected_log_growth"] == pytest.approx(growth, abs=1e-10)


def test_a_hedge_is_named_and_profits_are_of_the_game(tmp_path: Path, capsys: Capture) -> None:
    """Two of three outcomes backed at known odds: the draw has 0.22 × 3.6 = 0.792, so it is only a hedge."""
    (tmp_path / "fixtures.csv").write_text(
        "game,outcome,probability,odds\nA,home,0.6,2.1\nA,draw,0.22,3.6\nB,home,0.4,2\nB,away,0.5,1.9\n"
    )
    done = call(tmp_path, capsys, "stakes", "fixtures.csv", "--bankroll", "1000", "--json", "-")
    report = json.loads(done.stdout)
    [section] = report["sections"]
    assert section["text"] == [
        "The bet on draw in A is a hedge: by itself it has no value (0.22 × 3.6 = 0.792, not above 1), but "
        "it pays when the other bets on the game lose."
    ]
    home, draw, *none = [bet["stake"] for bet in report["bets"]]
    assert none == [0, 0]  # game B has no value
    # The stationary point of 0.6 log(1 + 1.1h − d) + 0.22 log(1 + 2.6d − h) + 0.18 log(1 − h − d).
    h, d = home / 1000, draw / 1000
    wins, draws, loses = 1 + 1.1 * h - d, 1 + 2.6 * d - h, 1 - h - d
    assert d > 0
    assert 0.6 * 1.1 / wins - 0.22 / draws - 0.18 / loses == pytest.approx(0, abs=1e-5)
    assert -0.6 / wins + 0.22 * 2.6 / draws - 0.18 / loses == pytest.approx(0, abs=1e-5)
    [grid] = section["tables"]
    index = [column["name"] for column in grid["columns"]].index("game's profit")
    profits = {row[1]: row[index] for row in grid["rows"]}
    assert profits == pytest.approx({"home": 1.1 * home - draw, "draw": 2.6 * draw - home})


def test_wrong_fixtures_are_named(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "sum.csv").write_text(
        "game,outcome,probability,odds\nA,h,0.7,2\nA,a,0.5,2\n", encoding="utf-8"
    )
    assert "A: the probabilities add up to 1.2" in refused(
        call(tmp_path, capsys, "stakes", "sum.csv", "--bankroll", "9")
    )
    (tmp_path / "games.csv").write_text("Date,odds\n2024-01-01,2\n")
    named = refused(call(tmp_path, capsys, "stakes", "games.csv", "--bankroll", "9"))
    assert "games.csv has no columns 'game', 'outcome', 'probability'" in named
    assert "one row per outcome, with the columns game, outcome, probability and odds" in named
    (tmp_path / "percent.csv").write_text("game,outcome,probability,odds\nA,h,52%,2\n")
    named = refused(call(tmp_path, capsys, "stakes", "percent.csv", "--bankroll", "9"))
    assert "write 0.52" in named
    assert "--missing" not in named
    (tmp_path / "same.csv").write_text(
        "game,outcome,probability,odds\nA,h,0.4,2\nA,h,0.5,2\n", encoding="utf-8"
    )
    assert "listed twice" in refused(call(tmp_path, capsys, "stakes", "same.csv", "--bankroll", "9"))


@pytest.mark.parametrize(
    ("form", "odds"),
    [
        ("american", ["+150", "-110", "200", "-400"]),
        ("fractional", ["3/2", "10/11", "2/1", "1/4"]),
        ("decimal", ["2.5", "1.909090909090909", "3", "1.25"]),
    ],
)
def test_odds_in_other_forms_are_the_same_bets(
    form: str, odds: list[str], tmp_path: Path, capsys: Capture
) -> None:
    rows = zip(("won", "lost", "half-won", "won"), odds, strict=True)
    (tmp_path / "bets.csv").write_text("result,odds\n" + "".join(f"{x},{y}\n" for x, y in rows))
    ledger = ledger_of(tmp_path, capsys, "bets.csv", "--odds-form", form)["ledger"]
    assert ledger["profit"] == pytest.approx(1.5 - 1 + 1 + 0.25)
    assert ledger["average_odds"] == pytest.approx((2.5 + 21 / 11 + 3 + 1.25) / 4)


def test_american_odds_are_not_taken_for_decimal_odds(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "long.csv").write_text("result,odds\nwon,150\nlost,210\n")
    assert "pass --odds-form american" in refused(call(tmp_path, capsys, "ledger", "long.csv"))
    (tmp_path / "short.csv").write_text("result,odds\nwon,150\nlost,-110\n")
    assert "row 2: -110 is not decimal odds" in refused(call(tmp_path, capsys, "ledger", "short.csv"))
    (tmp_path / "large.csv").write_text("result,odds\nwon,1.5\nlost,1e999\n")
    assert "row 2: '1e999' is not decimal odds" in refused(call(tmp_path, capsys, "ledger", "large.csv"))
    # One price with a sign among decimal odds: 150 would be the best bet of a lifetime.
    (tmp_path / "sign.csv").write_text("result,odds\nwon,2.5\nlost,+150\n")
    assert "row 2: '+150' is not decimal odds" in refused(call(tmp_path, capsys, "ledger", "sign.csv"))
    (tmp_path / "text.csv").write_text("result,odds\nwon,5/2\n")
    wanted = "For other odds, pass --odds-form (fractional, american, probability)"
    assert wanted in refused(call(tmp_path, capsys, "ledger", "text.csv"))
    assert ledger_of(tmp_path, capsys, "long.csv", "--odds-form", "decimal")["ledger"]["profit"] == 148


@pytest.mark.parametrize(
    ("rows", "loss"),
    [
        ("a,h,1,2.2", 100.0),  # sure of it, and the stake may be lost all the same
        ("a,h,0.5,2.1\na,d,0.5,2.1", -5.0),  # an arbitrage
        ("a,h,0.6,2\na,d,0.4,2.2\na,a,0,9", 100.0),  # an outcome that the model rules out
    ],
)
def test_the_largest_loss_is_over_all_outcomes(
    rows: str, loss: float, tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / "fixtures.csv").write_text(f"game,outcome,probability,odds\n{rows}\n")
    done = call(tmp_path, capsys, "stakes", "fixtures.csv", "--bankroll", "100", "--json", "-")
    plan = json.loads(done.stdout)
    assert plan["largest_loss"] == pytest.approx(loss, abs=1e-4)
    assert ("no result loses money" in plan["verdict"]) == (loss < 0)


def test_preview_suggests_the_ledger(tmp_path: Path, capsys: Capture) -> None:
    bets_file(tmp_path)
    assert "edgeworth ledger bets.csv" in call(tmp_path, capsys, "preview", "bets.csv").stdout


@pytest.mark.parametrize("result", ["pending", "", "half_lost", "Open"])
def test_preview_suggests_the_ledger_for_bets_of_every_result(
    result: str, tmp_path: Path, capsys: Capture
) -> None:
    (tmp_path / "bets.csv").write_text(f"date,result,odds\n2025-01-01,won,2\n2025-01-02,{result},2\n")
    assert "edgeworth ledger bets.csv" in call(tmp_path, capsys, "preview", "bets.csv").stdout


@pytest.mark.parametrize("rows", ["won,odds\n1,2.5\n0,3\n", "Win,price\nTrue,2.5\nfalse,3\n"])
def test_preview_suggests_the_ledger_for_bets_of_0_and_1(rows: str, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "bets.csv").write_text(rows, encoding="utf-8")
    assert "edgeworth ledger bets.csv" in call(tmp_path, capsys, "preview", "bets.csv").stdout
    (tmp_path / "bets.csv").write_text(rows.replace("won", "label").replace("Win", "label"))
    assert "edgeworth ledger" not in call(tmp_path, capsys, "preview", "bets.csv").stdout


def test_preview_suggests_the_ledger_beside_forecasts(tmp_path: Path, capsys: Capture) -> None:
    rows = "".join(f"{index % 2},{index / 20},2.{index}\n" for index in range(9))
    (tmp_path / "bets.csv").write_text(f"won,p,odds\n{rows}", encoding="utf-8")
    printed = call(tmp_path, capsys, "preview", "bets.csv").stdout
    assert "edgeworth ledger bets.csv" in printed
    assert "edgeworth evaluate bets.csv --truth won --probability p" in printed


def test_preview_suggests_stakes_for_fixtures(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "next.csv").write_text("game,outcome,probability,odds\na,h,0.5,2.2\na,d,0.3,3.1\n")
    printed = call(tmp_path, capsys, "preview", "next.csv").stdout
    assert "edgeworth stakes next.csv --bankroll 1000" in printed


@pytest.mark.parametrize("result", ["", "pending", "Open", "unsettled"])
def test_bets_without_a_result_yet_are_counted_apart(result: str, tmp_path: Path, capsys: Capture) -> None:
    path = bets_file(tmp_path)
    settled = ledger_of(tmp_path, capsys, "bets.csv")["ledger"]
    assert settled["pending"] == 0
    with path.open("a", encoding="utf-8") as file:
        file.write(f"2025-01-05,{result},2.0,10.0\n2025-03-01,{result},1.8,10.0\n")
    ledger = ledger_of(tmp_path, capsys, "bets.csv")["ledger"]
    assert ledger == settled | {"pending": 2}
    assert "2 bets without a result yet not counted." in call(tmp_path, capsys, "ledger", "bets.csv").stdout


def test_the_interval_of_a_yield_contains_it(tmp_path: Path, capsys: Capture) -> None:
    """Also if all bets won, or one bet at long odds made the profit: no chance is above 1."""
    rows = "2025-01-04,won,2.1,10\n2025-01-05,lost,3.2,5\n2025-01-06,won,250,1\n"
    (tmp_path / "one.csv").write_text(f"date,result,odds,stake\n{rows}", encoding="utf-8")
    (tmp_path / "all.csv").write_text("result,odds,stake\nwon,10,1\nwon,1.5,10\n", encoding="utf-8")
    for name in ("one.csv", "all.csv"):
        ledger = ledger_of(tmp_path, capsys, name)["ledger"]
        assert ledger["yield_low"] < ledger["yield"] <= ledger["yield_high"] + 1e-12
        assert ledger["yield_low"] < ledger["yield_high"] - 0.1


def test_wrong_values_are_named_with_advice(tmp_path: Path, capsys: Capture) -> None:
    head = "result,odds,stake\n"
    for name, text, message in (
        ("comma", 'won,"2,5",1\n', "write 2.5"),
        ("missing", "won,2.5,\n", "stake is missing in row 1"),
        ("below", "won,2.5,-1\n", "stake must be a sum of money, at least 0; saw -1 in row 1"),
    ):
        (tmp_path / f"{name}.csv").write_text(head + text, encoding="utf-8")
        assert message in refused(call(tmp_path, capsys, "ledger", f"{name}.csv"))
    (tmp_path / "right.csv").write_text(f"{head}won,2.5,1\n", encoding="utf-8")
    named = refused(call(tmp_path, capsys, "ledger", "right.csv", "--level", "95"))
    assert "a confidence level lies between 0 and 1" in named


def test_fixtures_with_wrong_numbers_are_named_or_warned_of(tmp_path: Path, capsys: Capture) -> None:
    head = "game,outcome,probability,odds\nA,home,0.5,2.1\n"
    for name, row, message in (
        ("empty", "B,home,0.5,\n", "odds is missing in row 2"),
        ("american", "B,home,0.5,-110\n", "saw -110 in row 2, column odds, which looks like American odds"),
        (
            "percent",
            "B,home,52,2\n",
            "probabilities lie between 0 and 1; saw 52 in row 2, column probability",
        ),
    ):
        (tmp_path / f"{name}.csv").write_text(head + row, encoding="utf-8")
        assert message in refused(call(tmp_path, capsys, "stakes", f"{name}.csv", "--bankroll", "9"))
    (tmp_path / "large.csv").write_text(f"{head}B,home,0.5,250\n", encoding="utf-8")
    command = ("stakes", "large.csv", "--bankroll", "9")
    warnings = json.loads(call(tmp_path, capsys, *command, "--json", "-").stdout)["warnings"]
    assert "home in B has probability 0.5 at net odds of 250: each unit staked returns 125" in warnings[0]
    named = refused(call(tmp_path, capsys, *command, "--fraction", "0"))
    assert "the fraction of the Kelly stakes must be above 0, and at most 1; saw 0" in named


def test_luck_explains_no_profit_whose_interval_excludes_0(tmp_path: Path) -> None:
    path, ways = tmp_path / "bets.csv", dict[str, int]()
    rng = np.random.default_rng(4)
    for _ in range(300):
        odds = rng.uniform(1.3, 6, 30)
        won = rng.random(30) < np.minimum(1.35 / odds, 0.99)
        rows = "".join(f"{'won' if w else 'lost'},{o:.2f}\n" for w, o in zip(won, odds, strict=True))
        path.write_text(f"result,odds\n{rows}", encoding="utf-8")
        [claim] = report_bets(path).verdict.claims
        low, p_value, gain = (
            claim.numbers["yield_low"],
            float(claim.numbers["p_value"]),
            claim.numbers["yield"],
        )
        expected = "so there is no sign of skill"
        if gain > 0:
            expected = "which luck can explain" if low <= 0 else "does not confirm a profit"
            expected = "but its interval includes 0" if low <= 0 and p_value <= 0.025 else expected
            expected = "worth more than their odds" if low > 0 and p_value <= 0.025 else expected
        assert expected in claim.text
        ways[expected] = ways.get(expected, 0) + 1
    assert len(ways) >= 4


def test_a_record_that_breaks_even_has_no_profit(tmp_path: Path) -> None:
    path = tmp_path / "bets.csv"
    path.write_text("result,odds,stake\nwon,1.1,10\nwon,1.1,20\nlost,2,3\n", encoding="utf-8")
    verdict = report_bets(path).verdict
    assert "The bets broke even on $33.00" in verdict
    assert "so there is no sign of skill" in verdict
