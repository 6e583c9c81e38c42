"""Kelly's stakes and games at one price on the command line, and what the drunkard shows."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from command_line import call, flat, refused
from edgeworth.bet import Drunken, decimal_odds, kelly
from edgeworth.forecasts.betting.wealth import Wealth

Capture = pytest.CaptureFixture[str]


def report_of(folder: Path, capsys: Capture, *words: str) -> dict[str, Any]:
    done = call(folder, capsys, *words, "--full", "--json", "-")
    assert done.returncode == 0, done.stderr
    payload: dict[str, Any] = json.loads(done.stdout)
    return payload


def games_file(folder: Path, number: int = 50) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    p, odds = np.round(rng.uniform(0.1, 0.9, number), 3), np.round(rng.uniform(1.2, 6, number), 3)
    truth = (rng.random(number) < p).astype(int)
    lines = [f"{y},{a},{o}" for y, a, o in zip(truth, p, odds, strict=True)]
    (folder / "games.csv").write_text("y,p,o\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return truth, p, odds


# -- Kelly -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "stake", "message"),
    [
        ([".6", "2"], Fraction(1, 5), "Back the event with 20% of the bankroll. Keep 80%."),
        ([".4", "2"], Fraction(-1, 5), "Lay a backer's stake of 20% of the bankroll (liability 20%)."),
        ([".5", "2"], Fraction(0), "Bet nothing"),
        ([".3", "7:3"], Fraction(0), "Bet nothing"),
        ([".6", "1/1"], Fraction(1, 5), "Back the event with 20% of the bankroll."),
        ([".45", "2", "--lay", "inf"], Fraction(0), "Bet nothing"),
        (
            [".6", "evens", "--odds-form", "fractional", "--fraction", ".5"],
            Fraction(1, 10),
            "Back the event with 10%",
        ),
    ],
)
def test_one_game(words: list[str], stake: Fraction, message: str, tmp_path: Path, capsys: Capture) -> None:
    line = ["kelly", "--probabilities", words[0], "--odds", words[1], *words[2:]]
    report = report_of(tmp_path, capsys, *line)
    assert report["stakes"] == pytest.approx([float(stake)], abs=1e-15)
    assert report["wealth"] == pytest.approx([1 + float(stake), 1 - float(stake)])
    assert report["verdict"].startswith(message)
    assert f"true {float(words[0]):.1%}" in flat(call(tmp_path, capsys, *line).stdout)


@pytest.mark.parametrize(
    ("probabilities", "odds", "message"),
    [
        (
            "0.5,0.3,0.2",
            "2.2,3.4,4",
            "Stake the whole bankroll: 50% on outcome 1, 30% on outcome 2, 20% on outcome 3. Alone, a bet on "
            "outcome 3 loses on average; here it insures the others. "
            "Expected long-run growth: +0.90% per race.",
        ),
        (
            "0.6,0.2,0.2",
            "2,2,2",
            "Back outcome 1 with 20% of the bankroll. Keep 80%. Expected long-run growth: +2.03% per race.",
        ),
        ("0.3,0.3,0.4", "2,2,2", "Bet nothing: no outcome is worth the odds."),
    ],
)
def test_the_verdict_on_a_race(
    probabilities: str, odds: str, message: str, tmp_path: Path, capsys: Capture
) -> None:
    report = report_of(tmp_path, capsys, "kelly", "--probabilities", probabilities, "--odds", odds)
    assert report["verdict"] == message
    if report["growth"]:
        assert f"+{math.expm1(report['growth']):.2%} per race" in message


@pytest.mark.parametrize(
    ("form", "odds", "lay"),
    [
        ("fractional", "7/2,13/8,9/4", "4,7/4,5/2"),
        ("american", "+350,162.5,+225", "400,+175,250"),
        ("american", "-50000,-50000,-50000", None),
        ("probability", "2/9,.38,.31", None),
    ],
)
def test_odds_in_every_form(form: Any, odds: str, lay: str | None, tmp_path: Path, capsys: Capture) -> None:
    line = [
        "kelly",
        "--probabilities",
        ".3,.4,.3",
        "--odds",
        odds,
        "--odds-form",
        form,
        "--unbalanced",
        "cap",
    ]
    report = report_of(tmp_path, capsys, *line, *(["--lay", lay] if lay else []))
    prices = decimal_odds(odds.split(","), form=form)
    laid = None if lay is None else decimal_odds(lay.split(","), form=form)
    known = kelly([0.3, 0.4, 0.3], prices, lay=laid, unbalanced="cap")
    assert report["stakes"] == pytest.approx(known.tolist(), abs=1e-12)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--odds", "5/2,evens"], "odds of outcome 2: decimal odds are finite and above 1; saw 'evens'"),
        (
            ["--odds", "2,evens"],
            "outcome 2: decimal odds are finite and above 1; saw 'evens'; use --odds-form",
        ),
        (["--odds", "2,50", "--odds-form", "american"], "odds of outcome 1: American odds"),
        (["--odds", "2,2", "--lay", "2.1,1"], "lay odds of outcome 2"),
        (["--odds", "2.2,2.2", "--lay", "2.3,2.3"], "unbalanced='normalise'"),
        (["--probabilities", ".5,.4", "--odds", "2,2"], "normalise divides by the sum"),
        (["--probabilities", "60%,.4", "--odds", "2,2"], "saw '60%'"),
        (["--probabilities", ".5", "--odds", "2", "--normalise"], "need a race"),
        (["--probabilities", "1.5", "--odds", "2"], "between 0 and 1"),
    ],
)
def test_what_kelly_says_when_it_refuses(
    words: list[str], message: str, tmp_path: Path, capsys: Capture
) -> None:
    given = words if "--probabilities" in words else ["--probabilities", ".5,.5", *words]
    assert message in refused(call(tmp_path, capsys, "kelly", *given))


def test_what_kelly_recommends_it_can_do(tmp_path: Path, capsys: Capture) -> None:
    off = ["kelly", "--probabilities", ".5,.4", "--odds", "2.5,1.7"]
    known = kelly([5 / 9, 4 / 9], [2.5, 1.7])
    assert report_of(tmp_path, capsys, *off, "--normalise")["stakes"] == pytest.approx(known.tolist())
    book = ["kelly", "--probabilities", ".5,.5", "--odds", "2.2,2.2", "--lay", "2.3,2.3"]
    choices: tuple[Literal["normalise", "cap"], ...] = ("normalise", "cap")
    for choice in choices:
        stakes = kelly([0.5, 0.5], [2.2, 2.2], lay=[2.3, 2.3], unbalanced=choice)
        report = report_of(tmp_path, capsys, *book, "--unbalanced", choice)
        assert report["stakes"] == pytest.approx(stakes.tolist(), abs=1e-12)


# -- one price a case --------------------------------------------------------------------------------------


def test_one_column_of_odds_is_only_backed(tmp_path: Path, capsys: Capture) -> None:
    """C1 without laying: with f = (Op − 1)/(O − 1) if that is above 0, wealth is 1 + f(O − 1) or 1 − f."""
    truth, p, odds = games_file(tmp_path)
    line = ["evaluate", "games.csv", "--truth", "y", "--probability", "p", "--odds", "o"]
    report = report_of(tmp_path, capsys, *line)
    stakes = np.maximum((odds * p - 1) / (odds - 1), 0.0)
    known = np.log(np.where(truth == 1, 1 + stakes * (odds - 1), 1 - stakes)).sum()
    assert report["wealth"]["log_wealth"] == pytest.approx(known, abs=1e-9)
    assert report["wealth"]["against"] == "the market's odds"
    assert "no outcome is likelier than its price" in report["evidence"]["mixture"]["null"]
    assert "reverse" not in report["evidence"]
    brier = ((1 / odds - truth) ** 2).mean()
    assert report["means"]["against"]["brier"] == pytest.approx(brier, abs=1e-12)


# -- the drunkard ------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("interval", [None, (0.15, 0.85), (0.0, 0.4)])
def test_the_drunkard_beside_what_was_to_be_expected(
    interval: tuple[float, float] | None, tmp_path: Path, capsys: Capture
) -> None:
    truth, p, _ = games_file(tmp_path)
    ends = interval or (0.0, 1.0)
    line = [
        "evaluate",
        "games.csv",
        "--truth",
        "y",
        "--probability",
        "p",
        "--bookmaker",
        "drunken",
        "--seed",
        "4",
    ]
    line += [] if interval is None else ["--drunk-interval", f"{ends[0]},{ends[1]}"]
    report = report_of(tmp_path, capsys, *line)
    wealth = Wealth.from_probabilities(truth, p, bookmaker=Drunken(*ends, rng=4))
    assert report["wealth"]["log_wealth"] == pytest.approx(wealth.log_wealth, abs=1e-9)
    came = np.where(truth == 1, p, 1 - p)
    # The mean of log q over the interval, by the midpoints of many cells.
    middles = ends[0] + (ends[1] - ends[0]) * (np.arange(200_000) + 0.5) / 200_000
    log_q, log_not = np.log(middles).mean(), np.log(1 - middles).mean()
    expected = float(np.log(came).sum() - np.where(truth == 1, log_q, log_not).sum())
    assert report["drunken"]["expected_log_wealth"] == pytest.approx(expected, abs=1e-3)
    if interval is None:
        assert expected == pytest.approx(np.log(came).sum() + len(p), abs=1e-3)
    share = truth.mean()
    lead = np.log(came).sum() - np.log(np.where(truth == 1, share, 1 - share)).sum()
    assert report["drunken"]["shares_log_wealth"] == pytest.approx(wealth.log_wealth - lead, abs=1e-9)
    assert "no opponent" in report["verdict"]
    assert "rules out" not in report["verdict"]
    assert f"it is {report['drunken']['expected_log_wealth']:.3g} on average" in report["verdict"]
    shown = flat(call(tmp_path, capsys, *line, "--full").stdout)
    assert "the log wealth of two bettors differs by their log scores" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--drunk-interval", ".1,.9"], "drunk-interval needs --bookmaker drunken"),
        (["--bookmaker", "drunken", "--drunk-interval", ".1"], "the lowest and the highest price"),
        (["--bookmaker", "drunken", "--drunk-interval", ".9,.1"], "0 <= low < high <= 1"),
        (["--bookmaker", "drunken", "--drunk-interval", "a,b"], "saw 'a'"),
        (["--bookmakers", "5"], "bookmakers needs --bookmaker drunken"),
        (["--bookmaker", "drunken", "--bookmakers", "0"], "bookmakers is a whole number of at least 1"),
    ],
)
def test_intervals_that_are_none(words: list[str], message: str, tmp_path: Path, capsys: Capture) -> None:
    games_file(tmp_path)
    line = ["evaluate", "games.csv", "--truth", "y", "--probability", "p", *words]
    assert message in refused(call(tmp_path, capsys, *line))


def test_many_drunkards_at_odds_of_the_command(tmp_path: Path, capsys: Capture) -> None:
    truth, p, _ = games_file(tmp_path)
    line = ["evaluate", "games.csv", "--truth", "y", "--probability", "p", "--bookmaker", "drunken"]
    line += ["--drunk-interval", "1.3,4", "--bookmakers", "9", "--seed", "4"]
    report = report_of(tmp_path, capsys, *line)
    prices = (Drunken(1.3, 4, rng=4, number=number).prices((len(p),)) for number in range(9))
    ends = np.sort([np.log(np.where(truth, p / q, (1 - p) / (1 - q))).sum() for q in prices])
    shown = {
        name: report["drunken"]["bookmakers"]["log_wealth"][name][-1] for name in ("low", "median", "high")
    }
    assert list(shown.values()) == pytest.approx(ends[[0, 4, 8]])
    assert "bookmakers" in report["charts"]


def test_orders_and_a_goal_of_the_command(tmp_path: Path, capsys: Capture) -> None:
    _, p, _ = games_file(tmp_path)
    line = ["evaluate", "games.csv", "--truth", "y", "--probability", "p", "--bookmaker", "drunken"]
    report = report_of(tmp_path, capsys, *line, "--orders", "50", "--goal", "100")
    orders, end = report["wealth"]["orders"], report["wealth"]["log_wealth"]
    assert orders["number"] == 50
    assert [orders["log_wealth"][name][-1] for name in ("low", "median", "high")] == pytest.approx([end] * 3)
    assert orders["log_minimum"]["median"] <= 0 <= orders["drawdown"]["low"]
    assert orders["log_maximum"]["low"] >= end - 1e-9
    assert report["goal"]["cases"] == pytest.approx(len(p) * math.log(100) / end)
    assert report["provenance"]["orders"] == 50


def test_more_classes_against_the_drunkard(tmp_path: Path, capsys: Capture) -> None:
    rng = np.random.default_rng(1)
    p = rng.multinomial(1000, [0.5, 0.3, 0.2], 30) / 1000
    truth = [rng.choice(3, p=row) for row in p]
    text = "y,p_0,p_1,p_2\n" + "\n".join(
        f"{y},{','.join(map(str, row))}" for y, row in zip(truth, p, strict=True)
    )
    (tmp_path / "three.csv").write_text(text + "\n", encoding="utf-8")
    line = [
        "evaluate",
        "three.csv",
        "--truth",
        "y",
        "--probabilities",
        "p_0,p_1,p_2",
        "--bookmaker",
        "drunken",
    ]
    score = math.fsum(math.log(row[y]) for y, row in zip(truth, p, strict=True))
    expected = report_of(tmp_path, capsys, *line)["drunken"]["expected_log_wealth"]
    assert expected == pytest.approx(score + 30 * 1.5, abs=1e-9)
    narrow = report_of(tmp_path, capsys, *line, "--drunk-interval", ".1,.7")
    assert narrow["drunken"]["expected_log_wealth"] is None
    assert "no opponent" in narrow["verdict"]


def test_several_bets_that_insure_others(tmp_path: Path, capsys: Capture) -> None:
    words = ["--probabilities", ".5,.3,.2", "--odds", "2.5,3,4"]
    verdict = report_of(tmp_path, capsys, "kelly", *words)["verdict"]
    assert "Alone, bets on outcome 2 and outcome 3 lose on average; here they insure the others." in verdict
