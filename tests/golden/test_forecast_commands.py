"""Probabilities on the command line: bets against a rival, odds and a drunkard, and Kelly's stakes."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from command_line import call, flat, refused
from edgeworth.bet import Drunken
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.findings import examine_bets
from edgeworth.sample import sample_file

TWO = ["evaluate", "two.csv", "--truth", "y", "--probability", "p"]
THREE = ["evaluate", "three.csv", "--truth", "y", "--probabilities", "p_a,p_b,p_c"]


def two_file(folder: Path, number: int = 60) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Truth, model, rival and time; the odds are the rival's with a margin."""
    rng = np.random.default_rng(2)
    q = np.round(rng.uniform(0.2, 0.8, number), 3)
    p = np.round(np.clip(q + rng.normal(0, 0.15, number), 0.02, 0.98), 3)
    truth, time = (rng.random(number) < p).astype(int), rng.permutation(number)
    odds = np.round(1 / np.stack([1 - q, q], axis=1) / 1.04, 3)
    names = np.where(truth == 1, "yes", "no")
    lines = [f"{y},{a},{b},{o[0]},{o[1]},{t}" for y, a, b, o, t in zip(names, p, q, odds, time, strict=True)]
    (folder / "two.csv").write_text("y,p,q,o_no,o_yes,t\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return truth, p, q, time


def three_file(folder: Path, number: int = 40) -> tuple[list[str], np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    thousandths = [rng.multinomial(994, rng.dirichlet(np.ones(3)), number) + 2 for _ in range(2)]
    p, q = (counts / 1000 for counts in thousandths)
    truth = [str(rng.choice(["a", "b", "c"], p=row)) for row in p]
    lines = [",".join([y, *map(str, a), *map(str, b)]) for y, a, b in zip(truth, p, q, strict=True)]
    text = "y,p_a,p_b,p_c,q_a,q_b,q_c\n" + "\n".join(lines) + "\n"
    (folder / "three.csv").write_text(text, encoding="utf-8")
    return truth, p, q


def report_of(folder: Path, capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    done = call(folder, capsys, *words, "--full", "--json", "-")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    payload: dict[str, Any] = json.loads(done.stdout)
    return payload


def assert_wealth(report: dict[str, Any], wealth: Wealth) -> None:
    result = report["wealth"]
    assert result["log_wealth"] == pytest.approx(wealth.log_wealth, abs=1e-9)
    for name in ("log_maximum", "log_minimum", "drawdown"):
        known = getattr(wealth, name) if wealth.ordered else None
        assert result[name] == (None if known is None else pytest.approx(known, abs=1e-9))
    way = wealth if wealth.ordered else wealth.shuffle(report["provenance"]["seed"])
    assert result["path"]["log_wealth"] == pytest.approx(way.path.tolist(), abs=1e-9)
    assert result["path"]["cases"] == way.positions.tolist()
    assert (result["cases"], result["ordered"]) == (wealth.cases, wealth.ordered)
    evidence = examine_bets(wealth).against_rival
    reported = report["evidence"]["mixture" if wealth.against == "the market's odds" else "full_stakes"]
    assert reported["p_value"] == pytest.approx(evidence.p_value, rel=1e-9)
    assert reported["null"] == evidence.null


# -- two classes -------------------------------------------------------------------------------------------


def test_a_rival_from_end_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth, p, q, _ = two_file(tmp_path)
    done = call(tmp_path, capsys, *TWO, "--against", "q", "--ordered", "--full", "--json", "out.json")
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert report["verdict"] in flat(done.stdout)
    wealth = Wealth.from_probabilities(truth, p, against=q, ordered=True)
    assert_wealth(report, wealth)
    assert report["kind"] == "probabilities"
    for null in (requirement["null"] for requirement in report["evidence"].values()):
        named = null.replace("the rival", "q").replace("the model", "p")
        assert named.split(",")[0][:20] in flat(done.stdout)
    differences = (p - truth) ** 2 - (q - truth) ** 2
    assert report["sequences"]["brier"]["mean"] == pytest.approx(differences.mean(), abs=1e-12)
    low, high = (report["sequences"]["brier"][name] for name in ("low", "high"))
    assert low < differences.mean() < high
    assert report["means"]["model"]["brier"] == pytest.approx(((p - truth) ** 2).mean(), abs=1e-12)
    log_score = -np.log(np.where(truth == 1, p, 1 - p)).mean()
    assert report["means"]["model"]["log"] == pytest.approx(log_score, abs=1e-12)
    parts = report["decomposition"]["brier"]["yes"]
    total = parts["miscalibration"] - parts["discrimination"] + parts["uncertainty"]
    assert total == pytest.approx(parts["score"], abs=1e-12)
    assert parts["score"] == pytest.approx(((p - truth) ** 2).mean(), abs=1e-12)
    assert set(report["tables"]) == {"model", "against"}
    assert "scores" in report


def test_unordered_rows_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth, p, q, _ = two_file(tmp_path)
    report = report_of(tmp_path, capsys, *TWO, "--against", "q")
    assert_wealth(report, Wealth.from_probabilities(truth, p, against=q))
    assert "The row order is unknown" in " ".join(report["warnings"])
    assert all(requirement["log_maximum"] is None for requirement in report["evidence"].values())


def test_time_puts_rows_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth, p, q, time = two_file(tmp_path)
    order = np.argsort(time)
    wealth = Wealth.from_probabilities(truth[order], p[order], against=q[order], ordered=True)
    assert_wealth(report_of(tmp_path, capsys, *TWO, "--against", "q", "--time", "t"), wealth)


def test_odds_are_backed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth, p, q, _ = two_file(tmp_path)
    odds = np.round(1 / np.stack([1 - q, q], axis=1) / 1.04, 3)
    report = report_of(tmp_path, capsys, *TWO, "--odds", "o_no,o_yes", "--ordered")
    assert_wealth(report, Wealth.from_probabilities(truth, p, odds=odds, ordered=True))
    assert "no outcome is likelier than its price" in report["evidence"]["mixture"]["null"]
    assert "full_stakes" not in report["evidence"]
    assert report["evidence"].get("reverse") is None


def test_odds_that_leave_a_sure_profit_prove_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At 2.5 and 2.5 the prices add up to 0.8: that no outcome is likelier than its price cannot be true."""
    (tmp_path / "sure.csv").write_text("y,p,o0,o1\n1,.6,2,2\n0,.3,2.5,2.5\n1,.8,2,2\n", encoding="utf-8")
    words = ["evaluate", "sure.csv", "--truth", "y", "--probability", "p", "--odds", "o0,o1"]
    message = refused(call(tmp_path, capsys, *words))
    assert "row 2" in message
    assert "arbitrage" in message


@pytest.mark.slow
def test_a_drunken_bookmaker(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth, p, _, _ = two_file(tmp_path)
    for seed in (0, 7):
        words = [*TWO, "--bookmaker", "drunken", "--seed", str(seed)]
        report = report_of(tmp_path, capsys, *words)
        assert_wealth(report, Wealth.from_probabilities(truth, p, bookmaker=Drunken(rng=seed)))
        assert report["wealth"]["against"] == "a drunken bookmaker"


def test_half_the_stake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth, p, q, _ = two_file(tmp_path)
    report = report_of(tmp_path, capsys, *TWO, "--against", "q", "--fraction", ".5")
    assert_wealth(report, Wealth.from_probabilities(truth, p, against=q, fraction=0.5))
    assert report["wealth"]["fraction"] == 0.5


@pytest.mark.parametrize("made", ["cross-validated", "in-sample"])
def test_predictions_that_were_not_made_before(
    made: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    two_file(tmp_path)
    report = report_of(tmp_path, capsys, *TWO, "--against", "q", "--ordered", "--predictions-made", made)
    text = {"cross-validated": report["warnings"], "in-sample": [report["verdict"]]}[made]
    assert len(text) == 1
    assert made.replace("-s", " s") in text[0]
    assert report["wealth"]["predictions_made"] == made


def test_without_a_rival_the_class_shares_are_the_rival(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth, p, _, _ = two_file(tmp_path)
    report = report_of(tmp_path, capsys, *TWO, "--ordered")
    share = truth.mean()
    expected = np.log(np.where(truth == 1, p / share, (1 - p) / (1 - share))).sum()
    assert report["wealth"]["log_wealth"] == pytest.approx(expected, abs=1e-9)
    assert report["evidence"]["full_stakes"]["e_value"] == pytest.approx(math.exp(expected), rel=1e-9)
    # Shares counted on these outcomes were not known on the way.
    assert not any(requirement["ordered"] for requirement in report["evidence"].values())
    assert "shares" in report["verdict"]
    done = call(tmp_path, capsys, *TWO)
    assert "s's" not in done.stdout


def test_the_positive_class_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    two_file(tmp_path)
    yes = report_of(tmp_path, capsys, *TWO, "--against", "q", "--positive", "yes")
    assert yes["wealth"] == report_of(tmp_path, capsys, *TWO, "--against", "q")["wealth"]
    no = report_of(tmp_path, capsys, *TWO, "--against", "q", "--positive", "no")
    assert no["wealth"]["log_wealth"] != pytest.approx(yes["wealth"]["log_wealth"])


def test_birth_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with sample_file() as path:
        words = ["evaluate", str(path), "--truth", "low", "--probability", "larger_probability"]
        words += ["--against", "smaller_probability", "--predictions-made", "cross-validated"]
        report = report_of(tmp_path, capsys, *words)
    assert report["wealth"]["log_wealth"] == pytest.approx(5.323494, abs=1e-6)
    assert report["means"]["model"]["log"] * 189 == pytest.approx(108.416752, abs=1e-5)
    assert report["means"]["against"]["log"] * 189 == pytest.approx(113.740246, abs=1e-5)
    assert report["evidence"]["full_stakes"]["e_value"] == pytest.approx(np.exp(5.323494), rel=1e-5)
    assert "$" not in report["verdict"]
    # 20 TP, 16 FP, 39 FN, 114 TN against 5, 7, 54, 123: top-1 error and wealth agree, unlike in the source.
    errors = report["side_by_side"]["error"]
    assert errors["values"] == pytest.approx({"model": 55 / 189, "against": 61 / 189})
    assert {report["side_by_side"][name]["better"] for name in ("error", "log", "log_wealth")} == {"model"}
    with sample_file() as path:
        shown = flat(call(tmp_path, capsys, *words[:1], str(path), *words[2:], "--full").stdout)
    assert "Top-1 error and log score agree on these cases: larger_probability is better" in shown
    assert "top-1 error 29.1% 32.3% larger_probability" in shown
    assert "1 20.6% 10.6% 31.2%" in shown
    assert "1 28.6% 2.6% 31.2%" in shown
    assert "no sign of miscalibration" in shown
    assert "approximately, because the predictions are cross-validated" in shown


# -- more classes ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_columns_are_named_by_their_class(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth, p, q = three_file(tmp_path)
    wealth = Wealth.from_probabilities(truth, p, against=q, labels=["a", "b", "c"])
    report = report_of(tmp_path, capsys, *THREE, "--against", "q_a,q_b,q_c")
    assert_wealth(report, wealth)
    words = ["evaluate", "three.csv", "--truth", "y", "--probabilities", "p_c,p_a,p_b"]
    moved = report_of(tmp_path, capsys, *words, "--against", "q_c,q_a,q_b")
    assert moved["wealth"]["log_wealth"] == pytest.approx(wealth.log_wealth, abs=1e-9)
    assert set(moved["decomposition"]["brier"]) == {"a", "b", "c"}


def test_columns_of_a_rival_in_another_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where columns are named by their class, the rival's are found by name or the order is refused."""
    truth, p, q = three_file(tmp_path)
    wealth = Wealth.from_probabilities(truth, p, against=q, labels=["a", "b", "c"])
    done = call(tmp_path, capsys, *THREE, "--against", "q_c,q_a,q_b", "--json", "-")
    if done.returncode == 0:
        assert json.loads(done.stdout)["wealth"]["log_wealth"] == pytest.approx(wealth.log_wealth, abs=1e-9)
    else:
        refused(done)


def test_labels_are_declared_for_columns_with_other_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth, p, q = three_file(tmp_path)
    text = (tmp_path / "three.csv").read_text(encoding="utf-8")
    (tmp_path / "three.csv").write_text(text.replace("p_a,p_b,p_c", "one,two,three"), encoding="utf-8")
    words = ["evaluate", "three.csv", "--truth", "y", "--probabilities", "one,two,three"]
    report = report_of(tmp_path, capsys, *words, "--against", "q_a,q_b,q_c", "--labels", "a,b,c")
    assert_wealth(report, Wealth.from_probabilities(truth, p, against=q, labels=["a", "b", "c"]))


def test_rows_are_normalised_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "n.csv").write_text("y,p_a,p_b\na,2e-1,2e-1\nb,.1,.3\na,.6,.2\n", encoding="utf-8")
    words = ["evaluate", "n.csv", "--truth", "y", "--probabilities", "p_a,p_b"]
    assert "row 1 add up to 0.4" in refused(call(tmp_path, capsys, *words))
    report = report_of(tmp_path, capsys, *words, "--normalise")
    expected = math.log(0.5 * 0.75 * 0.75 / ((2 / 3) ** 2 * (1 / 3)))
    assert report["wealth"]["log_wealth"] == pytest.approx(expected, abs=1e-12)


def test_more_classes_against_their_shares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth, p, _ = three_file(tmp_path)
    places = np.array(["abc".index(y) for y in truth])
    shares = np.bincount(places, minlength=3) / len(places)
    expected = float(np.log(p[np.arange(len(places)), places] / shares[places]).sum())
    report = report_of(tmp_path, capsys, *THREE)
    assert report["wealth"]["log_wealth"] == pytest.approx(expected, abs=1e-9)


# -- infinite numbers --------------------------------------------------------------------------------------


def test_ruin_is_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.csv").write_text("y,p,q\n1,.9,.5\n1,0,.5\n0,.2,.5\n", encoding="utf-8")
    words = ["evaluate", "r.csv", "--truth", "y", "--probability", "p", "--against", "q", "--ordered"]
    report = report_of(tmp_path, capsys, *words)
    assert "probability 0 to the actual class in 1 of 3 cases" in report["verdict"]
    assert report["wealth"]["ruined"] is True
    assert report["wealth"]["log_wealth"] is None
    assert call(tmp_path, capsys, *words).returncode == 0


def test_what_the_rival_ruled_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "r.csv").write_text("y,p,q\n1,.9,.5\n1,.1,0\n0,.2,.5\n", encoding="utf-8")
    words = ["evaluate", "r.csv", "--truth", "y", "--probability", "p", "--against", "q"]
    report = report_of(tmp_path, capsys, *words)
    assert "evidence that q's probabilities are not exactly right (p < 1e-6" in report["verdict"]
    assert report["wealth"]["ruined"] is False
    assert report["evidence"]["full_stakes"]["p_value"] == 0
    assert call(tmp_path, capsys, *words).returncode == 0


# -- Kelly -------------------------------------------------------------------------------------------------


def test_five_runners(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["kelly", "--probabilities", ".2,.4,.3,.08,.02", "--odds", "5.5,2.625,3.25,6,21"]
    shown = flat(call(tmp_path, capsys, *words).stdout)
    for stake in ("5.96%", "10.59%", "6.25%", "0.00%"):
        assert stake in shown
    report = report_of(tmp_path, capsys, *words)
    assert report["stakes"] == pytest.approx([0.059640, 0.105913, 0.062468, 0, 0], abs=5e-7)
    assert report["stakes"][3:] == [0.0, 0.0]
    kept = 0.7719794
    assert report["wealth"][3:] == pytest.approx([kept, kept], abs=5e-8)
    assert report["wealth"][:3] == pytest.approx([1.1, 1.05, 0.975], abs=1e-12)
    half = report_of(tmp_path, capsys, *words, "--fraction", ".5")
    assert half["stakes"] == pytest.approx([stake / 2 for stake in report["stakes"]], abs=1e-12)


def test_kelly_without_an_edge(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["kelly", "--probabilities", ".5,.5", "--odds", "1.9,1.9"]
    assert report_of(tmp_path, capsys, *words)["verdict"].startswith("Bet nothing")


@pytest.mark.parametrize(
    ("probabilities", "odds", "wanted_message"),
    [
        (".5,.4", "2,2", "1"),
        (".5,1.5", "2,2", "0 and 1"),
        (".5,.5", "1,2", "above 1"),
        (".5,.5", "2,2,2", "shapes"),
        (".5,half", "2,2", "must be numbers"),
        (".5,.5", "2,nan", "above 1"),
        ("", "", "K probabilities"),
    ],
)
def test_bad_questions_to_kelly(
    probabilities: str, odds: str, wanted_message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["kelly", "--probabilities", probabilities, "--odds", odds]
    assert wanted_message in refused(call(tmp_path, capsys, *words))


# -- bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "wanted_message"),
    [
        ("y,p\n1,.5\n0,1.5\n", "row 2 has 1.5"),
        ("y,p\n1,-.1\n0,.5\n", "row 1 has -0.1"),
        ("y,p\n1,.5\n0,nan\n", "row 2"),
        ("y,p\n1,.5\n0,\n", "row 2"),
        ("y,p\n1,.5\n,.5\n", "y is missing in row 2"),
        ("y,p\n1,high\n0,low\n", "must be numbers"),
        ("y,p\n1,inf\n0,.5\n", "row 1"),
        ("y,p\na,.5\nb,.5\nc,.5\n", "a, b, c"),
        ("y,p\nmaybe,.5\nperhaps,.5\n", "--positive"),
        ("y,p\n", "no rows"),
        ("y,q\n1,.5\n", "no column 'p'"),
    ],
)
def test_bad_probabilities(
    content: str, wanted_message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.csv").write_text(content, encoding="utf-8")
    words = ["evaluate", "bad.csv", "--truth", "y", "--probability", "p"]
    assert wanted_message in refused(call(tmp_path, capsys, *words)).replace("'a', 'b', 'c'", "a, b, c")


@pytest.mark.parametrize(
    ("content", "wanted_message"),
    [
        ("y,p_a,p_b\na,.5,.5\nb,.5,.4\n", "row 2 add up to 0.9"),
        ("y,p_a,p_b\na,.5,.5\nc,.5,.5\n", "c"),
        ("y,p_a,p_b\na,.5,.5\nb,.5,.5\nc,.5,.5\n", "2 columns"),
        ("y,p_a,p_b\na,1.2,-.2\nb,.5,.5\n", "row 1, column 1 has 1.2"),
        ("y,p_a,p_b\na,.5,\nb,.5,.5\n", "row 1, column 2"),
        ("y,p_a\na,.5\nb,.5\n", "p_b"),
    ],
)
def test_bad_rows_of_probabilities(
    content: str, wanted_message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.csv").write_text(content, encoding="utf-8")
    words = ["evaluate", "bad.csv", "--truth", "y", "--probabilities", "p_a,p_b"]
    assert wanted_message in refused(call(tmp_path, capsys, *words))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "wanted_message"),
    [
        (["--probability", "p", "--prediction", "y"], "one of prediction"),
        (["--probability", "p", "--score", "p"], "one of prediction"),
        (["--probability", "p", "--probabilities", "p,q"], "either --probability"),
        (["--probability", "p", "--against", "q", "--odds", "o_no,o_yes"], "one"),
        (["--probability", "p", "--against", "q", "--bookmaker", "drunken"], "one"),
        (["--probability", "p", "--odds", "o_no,o_yes", "--bookmaker", "drunken"], "one"),
        (["--probability", "p", "--odds", "q,p", "--labels", "no,yes"], "above 1"),
        (["--probability", "p", "--odds", "q"], "above 1"),
        (["--probability", "p", "--odds", "o_no,o_yes,o_yes"], "odds need a column for each of"),
        (["--probability", "p", "--against", "nothing"], "no column 'nothing'"),
        (["--probability", "p", "--against", "y"], "must be numbers"),
        (["--probability", "p", "--against", "q,q,q"], "3 columns"),
        (["--probability", "p", "--against", "t"], "the rival's probabilities"),
        (["--probability", "p", "--time", "y"], "must be numbers"),
        (["--probability", "p", "--fraction", "2"], "fraction"),
        (["--probability", "p", "--fraction", "much"], "much"),
        (["--probability", "p", "--bookmaker", "sober"], "drunken"),
        (["--probability", "p", "--predictions-made", "after"], "before"),
        (["--probability", "p", "--level", "95"], "level"),
        (["--probability", "p", "--positive", "maybe"], "maybe"),
        (["--probability", "p", "--depth", "3"], "depth is not supported with probabilities"),
        (["--prediction", "y", "--against", "q"], "against is not supported with labels"),
        (["--prediction", "y", "--fraction", ".5"], "fraction is not supported with labels"),
        (["--prediction", "y", "--ordered"], "ordered is not supported with labels"),
        (["--prediction", "y", "--normalise"], "normalise is not supported with labels"),
        (["--score", "p", "--time", "t"], "time is not supported with scores"),
        ([], "exactly one of prediction"),
        (["--odds", "p,q"], "named after the classes"),
    ],
)
def test_bad_words(
    words: list[str], wanted_message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    two_file(tmp_path)
    assert wanted_message in refused(call(tmp_path, capsys, "evaluate", "two.csv", "--truth", "y", *words))


def test_incomplete_rows_are_dropped_also_in_time_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A season with empty odds is the season without these games."""
    rows = ["2024-01-03,1,.6,1.9,2.2", "2024-01-01,0,.3,2.5,1.6", "2024-01-02,1,.7,1.8,2.3"]
    lacking = [rows[0], "2024-01-02,1,.9,,", *rows[1:], "2024-01-04,0,.2,2.1,"]
    for name, lines in (("whole.csv", rows), ("lacking.csv", lacking)):
        (tmp_path / name).write_text("\n".join(["day,y,p,o_no,o_yes", *lines]) + "\n", encoding="utf-8")
    words = ["--truth", "y", "--probability", "p", "--odds", "o_no,o_yes", "--time", "day", "--labels", "0,1"]
    whole, dropped = (
        report_of(tmp_path, capsys, "evaluate", name, *words, "--missing", choice)
        for name, choice in (("whole.csv", "error"), ("lacking.csv", "drop"))
    )
    assert dropped["ledger"] == whole["ledger"]
    assert dropped["scores"] == whole["scores"]
    assert any("2 incomplete rows" in warning for warning in dropped["warnings"])


def test_what_both_ruled_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "z.csv").write_text("y,p,q\n1,.5,.5\n1,0,0\n0,.5,.5\n", encoding="utf-8")
    words = ["evaluate", "z.csv", "--truth", "y", "--probability", "p", "--against", "q"]
    assert "row 2: both gave probability 0" in refused(call(tmp_path, capsys, *words))


@pytest.mark.parametrize(
    ("content", "row"),
    [
        ("y,p,q,t\n1,.5,.5,3\n0,1.5,.5,2\n0,.5,.5,1\n1,.5,.5,0\n", "row 2"),
        ("y,p,q,t\n1,0,0,9\n0,.5,.5,1\n", "row 1"),
    ],
)
def test_errors_name_the_row_of_the_file_also_when_rows_are_put_in_order(
    content: str, row: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "t.csv").write_text(content, encoding="utf-8")
    words = ["evaluate", "t.csv", "--truth", "y", "--probability", "p", "--against", "q", "--time", "t"]
    assert row in refused(call(tmp_path, capsys, *words))
