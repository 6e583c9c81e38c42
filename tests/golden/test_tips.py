"""Labels as tips at the odds of each case: profit, interval and test beside fractions and scipy."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import edgeworth as ew
from command_line import call, refused
from edgeworth.errors import InputError, OptionError

Capture = pytest.CaptureFixture[str]
TRUTH = ["a", "b", "a", "a", "b", "a"]
TIPS = ["a", "a", "a", "b", "b", "a"]
ODDS = {"a": ["2", "3", "5/2", "2", "3", "2"], "b": ["2", "3/2", "5/3", "4", "2", "4"]}
TAKEN = [Fraction(ODDS[tip][row]) for row, tip in enumerate(TIPS)]
WON = [tip == truth for tip, truth in zip(TIPS, TRUTH, strict=True)]


def write(folder: Path) -> Path:
    path = folder / "tips.csv"
    lines = [
        f"{truth},{tip},{float(Fraction(ODDS['a'][row]))},{float(Fraction(ODDS['b'][row])):.17g},{float(TAKEN[row])}"
        for row, (truth, tip) in enumerate(zip(TRUTH, TIPS, strict=True))
    ]
    path.write_text("\n".join(["truth,tip,odds_a,odds_b,taken", *lines]) + "\n", encoding="utf-8")
    return path


def chance_of(profit: Fraction) -> Fraction:
    """Go through all outcomes of six tips, each of which comes true once in as many cases as it pays."""
    fraction = Fraction(0)
    for outcome in product((True, False), repeat=len(TAKEN)):
        earned = sum(odds - 1 if won else -1 for odds, won in zip(TAKEN, outcome, strict=True))
        chances = (1 / odds if won else 1 - 1 / odds for odds, won in zip(TAKEN, outcome, strict=True))
        if earned >= profit:
            fraction += np.prod([*chances])
    return fraction


@pytest.mark.parametrize("columns", ["odds_a,odds_b", "odds_b,odds_a", "taken"])
def test_tips_earn_what_the_fractions_say(columns: str, tmp_path: Path, capsys: Capture) -> None:
    words = ["evaluate", str(write(tmp_path)), "--truth", "truth", "--prediction", "tip", "--odds", columns]
    tips = json.loads(call(tmp_path, capsys, *words, "--json", "-").stdout)["tips"]
    net = [odds - 1 if won else Fraction(-1) for odds, won in zip(TAKEN, WON, strict=True)]
    assert (tips["bets"], tips["won"]) == (6, sum(WON))
    assert tips["profit"] == pytest.approx(float(sum(net)))
    assert tips["p_value"] == pytest.approx(float(chance_of(sum(net, Fraction(0)))), rel=1e-9)
    assert tips["low"] < tips["rate"] < tips["high"]
    gained = sum(x for x in net if x > 0)
    assert tips["break_even_commission"] == pytest.approx(float(1 - WON.count(False) / gained))
    # At that commission the tips earn nothing.
    taken = f"{tips['break_even_commission']:.17g}"
    none = json.loads(call(tmp_path, capsys, *words, "--commission", taken, "--json", "-").stdout)["tips"]
    assert none["profit"] == pytest.approx(0, abs=1e-12)


def test_a_tip_that_is_no_decision_is_no_bet() -> None:
    taken = [float(x) for x in TAKEN]
    tips = ew.evaluate(truth=TRUTH, prediction=TIPS, odds=taken, abstain="b").numbers["tips"]
    assert tips["bets"] == TIPS.count("a")


def test_what_claims_nothing_of_tips() -> None:
    given = {"truth": TRUTH, "prediction": TIPS, "odds": [float(x) for x in TAKEN]}
    assert "tips" in ew.evaluate(**given).verdict
    assert "tips" not in ew.evaluate(**given, predictions_made="in-sample").verdict
    one = ew.evaluate(truth=["a", "b"], prediction=["a", "-"], abstain="-", odds=[2.0, 2.0])
    assert "p = 0.500, one-sided" in one.verdict
    assert one.numbers["tips"]["low"] < 0


def test_what_tips_do_not_go_with(tmp_path: Path, capsys: Capture) -> None:
    words = [str(write(tmp_path)), "--truth", "truth", "--prediction", "tip", "--odds"]
    with pytest.raises(InputError, match="2 rows of odds for 6 tips"):
        ew.evaluate(truth=TRUTH, prediction=TIPS, odds=[2.0, 3.0])
    assert "named after" in refused(call(tmp_path, capsys, "evaluate", *words, "taken,odds_b"))
    assert "cluster" in refused(call(tmp_path, capsys, "evaluate", *words, "taken", "--cluster", "odds_a"))
    assert "evaluate" in refused(call(tmp_path, capsys, "tally", *words, "taken", "-o", "x.json"))


@pytest.mark.parametrize("winners", [99, 100, 1234])
def test_a_long_record_is_written_in_every_form(winners: int, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "tips.csv"
    rows = ["a,a,2.1"] * winners + ["b,a,2.1"] * 90 + ["b,b,1.5", "a,b,1.5"]
    path.write_text("\n".join(["y,tip,odds", *rows]) + "\n", encoding="utf-8")
    words = ["evaluate", str(path), "--truth", "y", "--prediction", "tip", "--odds", "odds"]
    page = tmp_path / "tips.html"
    text = call(tmp_path, capsys, *words, "--html", str(page)).stdout
    came_true = f"{winners + 1:,}"
    assert re.search(rf"winners\W+{came_true} of", text)
    assert came_true in page.read_text(encoding="utf-8")


def test_commission_is_on_the_odds_of_the_tips_alone() -> None:
    # Ten tips at 1.5, six of which come true: 6 · 1.5 − 10 = −1, less a tenth of the winnings −1.3.
    truth = ["a"] * 6 + ["b"] * 4 + ["b"] * 10
    tips = ["a"] * 10 + ["b"] * 10
    given = {"truth": truth, "prediction": tips, "odds": [1.5] * 10 + [1.01] * 10}
    charged = ew.evaluate(**given, commission=0.1)
    profit = 6 * 0.5 * 0.9 - 4 + 10 * 0.01 * 0.9
    assert charged.numbers["tips"]["profit"] == pytest.approx(profit)
    assert charged.numbers["tips"]["commission"] == 0.1
    assert "has a yield of −6.1% after 10.0% commission (" in charged.verdict
    # One verdict on money: fair odds are not the odds of these tips.
    for report in (charged, ew.evaluate(**given, commission=0.1, bets=True)):
        assert "unit bet" not in report.verdict
        assert report.numbers["payoffs"] == ew.evaluate(**given).numbers["payoffs"]
    assert charged.provenance["commission"] == 0.1
    with pytest.raises(OptionError, match="odds of your own"):
        ew.evaluate(**given, overround=0.05)


@pytest.mark.parametrize(
    ("away", "written"), [("-1", "-1"), ("-1.0", "-1"), ("none", "none"), ("-1,none", "-1")]
)
def test_a_number_that_is_no_decision_is_no_bet(
    away: str, written: str, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "tips.csv"
    rows = ["0,0,2.0", "1,1,2.0", f"0,{written},2.0", "1,0,2.0", f"1,{written},2.0"]
    path.write_text("\n".join(["y,tip,odds", *rows]) + "\n", encoding="utf-8")
    words = ["evaluate", str(path), "--truth", "y", "--prediction", "tip", "--odds", "odds"]
    payload = json.loads(call(tmp_path, capsys, *words, f"--abstain={away}", "--json", "-").stdout)
    assert payload["tips"]["bets"] == 3
    assert payload["estimates"]["coverage"]["value"] == pytest.approx(3 / 5)


def test_with_data_odds_are_columns() -> None:
    frame = pd.DataFrame({"y": ["a", "b"] * 10, "tip": ["a", "a"] * 10, "price": [2.0, 2.1] * 10})
    with pytest.raises(OptionError, match="with data, odds must be names of columns; saw ndarray"):
        ew.evaluate(frame, truth="y", prediction="tip", odds=frame["price"].to_numpy())
