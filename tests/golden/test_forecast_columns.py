"""Columns of a file on the command line: told by name or asked about, errors by row, times of all kinds."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest

import edgeworth as ew
from command_line import call, refused
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.findings import examine_forecasts


def write(folder: Path, name: str, **columns: Any) -> None:
    pd.DataFrame(columns).to_csv(folder / name, index=False)


def evaluated(folder: Path, capsys: pytest.CaptureFixture[str], words: str) -> dict[str, Any]:
    done = call(folder, capsys, "evaluate", *words.split(), "--json", "-")
    assert done.returncode == 0, done.stderr
    payload: dict[str, Any] = json.loads(done.stdout)
    return payload


def said(folder: Path, capsys: pytest.CaptureFixture[str], words: str) -> str:
    return refused(call(folder, capsys, *words.split()))


# -- odds and rivals are found by name ---------------------------------------------------------------------

TRUTH = ["yes", "no", "yes", "yes", "no", "yes"]
MODEL = np.array([0.7, 0.4, 0.9, 0.6, 0.2, 0.8])
ODDS = {"o_no": np.array([1.8, 1.9, 2.6, 2.1, 1.3, 3.1]), "o_yes": np.array([2.1, 1.9, 1.5, 1.8, 4.0, 1.4])}


def games(folder: Path, **more: Any) -> float:
    """A file of games, and the log wealth of betting at its odds."""
    write(folder, "two.csv", y=TRUTH, p=MODEL, **ODDS, a=ODDS["o_no"], b=ODDS["o_yes"], **more)
    table = np.stack([ODDS["o_no"], ODDS["o_yes"]], axis=1)
    return Wealth.from_probabilities(TRUTH, MODEL, odds=table, labels=["no", "yes"]).log_wealth


@pytest.mark.parametrize("odds", ["o_no,o_yes", "o_yes,o_no"])
@pytest.mark.parametrize("more", ["", "--positive yes", "--labels no,yes"])
def test_odds_beside_one_probability(
    odds: str, more: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = games(tmp_path)
    report = evaluated(tmp_path, capsys, f"two.csv --truth y --probability p --odds {odds} {more}")
    assert report["wealth"]["log_wealth"] == pytest.approx(expected, abs=1e-12)


def test_odds_whose_names_say_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = games(tmp_path)
    words = "evaluate two.csv --truth y --probability p --odds a,b"
    asked = said(tmp_path, capsys, words)
    assert "a, b, are not named after the classes 'no', 'yes'" in asked
    assert "pass the class of each column, in the same order (--labels CLASS,CLASS)" in asked
    report = evaluated(tmp_path, capsys, "two.csv --truth y --probability p --odds a,b --labels no,yes")
    assert report["wealth"]["log_wealth"] == pytest.approx(expected, abs=1e-12)
    # Labels say the order of the odds; of which class the single column is remains a question.
    turned = "two.csv --truth y --probability p --odds b,a --labels yes,no"
    assert "--positive" in said(tmp_path, capsys, f"evaluate {turned}")
    report = evaluated(tmp_path, capsys, f"{turned} --positive yes")
    assert report["wealth"]["log_wealth"] == pytest.approx(expected, abs=1e-12)
    # Also where classes are 0 and 1: o_win,o_lose need not be in that order.
    write(tmp_path, "won.csv", y=[1, 0], p=[0.7, 0.4], o_win=[2.0, 1.5], o_lose=[1.9, 2.4])
    words = "evaluate won.csv --truth y --probability p --odds o_win,o_lose"
    assert "are not named after the classes 0, 1" in said(tmp_path, capsys, words)


def test_one_column_of_odds_is_laid_only_at_odds_to_lay_at(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games(tmp_path)
    price = 1 / ODDS["o_yes"]
    won = np.array(TRUTH) == "yes"
    line = "two.csv --truth y --probability p --odds o_yes"
    backed = np.maximum((MODEL - price) / (1 - price), 0.0)
    expected = np.log(np.where(won, 1 + backed * (1 / price - 1), 1 - backed)).sum()
    report = evaluated(tmp_path, capsys, line)
    assert report["wealth"]["log_wealth"] == pytest.approx(expected, abs=1e-12)
    assert "bets only back the positive class" in " ".join(report["warnings"])
    # Laid at the same price, wealth is p/q or (1 − p)/(1 − q).
    both = np.log(np.where(won, MODEL / price, (1 - MODEL) / (1 - price))).sum()
    report = evaluated(tmp_path, capsys, f"{line} --lay o_yes")
    assert report["wealth"]["log_wealth"] == pytest.approx(both, abs=1e-12)


ANIMALS = ["cat", "cow", "cow", "cat", "cow"]
P_CAT = np.array([0.9, 0.2, 0.3, 0.6, 0.1])
Q_CAT = np.array([0.6, 0.5, 0.4, 0.5, 0.3])
IS_CAT = np.array(ANIMALS) == "cat"
CATTLE = np.log(np.where(IS_CAT, P_CAT / Q_CAT, (1 - P_CAT) / (1 - Q_CAT))).sum()


def cattle(folder: Path) -> None:
    columns = {"p_cat": P_CAT, "p_cow": 1 - P_CAT, "q_cow": 1 - Q_CAT, "q_cat": Q_CAT}
    write(folder, "cattle.csv", y=ANIMALS, one=P_CAT, two=1 - P_CAT, **columns)


@pytest.mark.parametrize(
    "words",
    [
        "--probabilities p_cat,p_cow --against q_cat,q_cow",
        "--probabilities p_cat,p_cow --against q_cow,q_cat",
        "--probabilities p_cow,p_cat --against q_cat,q_cow",
        "--probabilities p_cat,p_cow --against q_cow,q_cat --labels cat,cow",
        "--probabilities p_cow,p_cat --against q_cow,q_cat --labels cat,cow",
        "--probabilities one,two --against q_cow,q_cat --labels cat,cow",
        "--probability p_cat --positive cat --against q_cow,q_cat",
        "--probabilities p_cow,p_cat --against q_cat --positive cat",
    ],
)
def test_classes_that_begin_alike(words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cattle(tmp_path)
    report = evaluated(tmp_path, capsys, f"cattle.csv --truth y {words}")
    assert report["wealth"]["log_wealth"] == pytest.approx(CATTLE, abs=1e-12)


@pytest.mark.parametrize("labels", ["", "--labels cat,cow"])
def test_a_rival_that_is_not_named_as_the_model_is(
    labels: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cattle(tmp_path)
    words = f"evaluate cattle.csv --truth y --probabilities p_cat,p_cow --against one,two {labels}"
    result = said(tmp_path, capsys, words)
    assert "one, two, are not named after the classes 'cat', 'cow'" in result
    assert "rename them" in result


@pytest.mark.parametrize(
    "systems",
    [
        "A=p_cat,p_cow B=q_cat,q_cow",
        "A=p_cow,p_cat B=q_cow,q_cat",
        "A=p_cat,p_cow B=q_cow,q_cat --labels cat,cow",
    ],
)
def test_comparisons_find_columns_by_name(systems: str, tmp_path: Path) -> None:
    cattle(tmp_path)
    pairs, _, labels = systems.partition(" --labels ")
    columns = {pair[0]: pair[2:].split(",") for pair in pairs.split()}
    options: dict[str, Any] = {"labels": labels.split(",")} if labels else {}
    difference = ew.compare(
        tmp_path / "cattle.csv", truth="y", systems=columns, kind="probabilities", **options
    )["A", "B"]["log"].difference
    assert abs(difference) == pytest.approx(CATTLE / 5, abs=1e-12)
    with pytest.raises(ew.EdgeworthError, match="rename them"):
        ew.compare(tmp_path / "cattle.csv", truth="y", systems={"A": ["p_cat", "p_cow"], "B": ["one", "two"]})


# -- what is refused, and where ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "words", "parts"),
    [
        ("y,p\n1,.5\n0,60%\n", "--probability p", ["p must be numbers", "'60%' in row 2"]),
        ("y,p\n1,.5\n0,.5\n1,abc\n", "--probability p", ["'abc' in row 3"]),
        ('y,p\n1,.5\n0,"0,6"\n', "--probability p", ["'0,6' in row 2"]),
        ("y,p,q\n1,.5,.5\n0,.5,x\n", "--probability p --against q", ["q must be numbers", "row 2"]),
        ("y,p,t\n1,.5,1\n0,.5,\n", "--probability p --time t", ["t is missing in row 2"]),
        ("y,p,t\n1,.5,2026-01-01\n0,.5,soon\n", "--probability p --time t", ["row 2 has 'soon'"]),
        (
            "y,p_a,p_b,p_c\na,.5,.3,.2\nb,.5,.3,.2\nd,.5,.3,.2\n",
            "--probabilities p_a,p_b,p_c",
            ["3 columns, p_a, p_b, p_c", "truth is 'd' in row 3", "--labels"],
        ),
        (
            "y,a,b,c\n1,.5,.3,.2\n2,.5,.3,.2\n1,.5,.3,.2\n",
            "--probabilities a,b,c",
            ["from 0 or from 1", "--labels"],
        ),
        (
            "y,p,o_0,o_1\n1,.5,2,2\n0,.5,,2\n",
            "--probability p --odds o_1,o_0",
            ["above 1", "nan in row 2, column o_0"],
        ),
        (
            "y,p,o_0,o_1\n1,.5,2,2\n0,.5,2,.9\n",
            "--probability p --odds o_0,o_1",
            ["0.9 in row 2, column o_1"],
        ),
        (
            "y,p,o_0,o_1\n1,.5,2,2\n0,.5,2,2\n",
            "--probability p --odds o_0,o_1,o_1",
            ["odds need a column for each of 0, 1; saw 3, o_0, o_1, o_1"],
        ),
    ],
)
def test_refusals(
    content: str, words: str, parts: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.csv").write_text(content, encoding="utf-8")
    result = said(tmp_path, capsys, f"evaluate bad.csv --truth y {words}")
    for part in parts:
        assert part in result
    assert "shape" not in result


def test_places_that_are_not_in_doubt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "y,p_1,p_2,p_3,u,v,w\n1,.5,.3,.2,.5,.3,.2\n2,.1,.7,.2,.1,.7,.2\n"
    (tmp_path / "n.csv").write_text(text, encoding="utf-8")
    shares = 2 * math.log(2)
    for words in ("--probabilities p_1,p_2,p_3", "--probabilities u,v,w --labels 1,2,3"):
        report = evaluated(tmp_path, capsys, f"n.csv --truth y {words}")
        assert report["wealth"]["log_wealth"] == pytest.approx(math.log(0.5 * 0.7) + shares)
    report = evaluated(tmp_path, capsys, "n.csv --truth y --probabilities u,v,w --labels 0,1,2")
    assert report["wealth"]["log_wealth"] == pytest.approx(math.log(0.3 * 0.2) + shares)


# -- time --------------------------------------------------------------------------------------------------

WHEN = {
    "dates": ["2026-03-01", "2025-11-30", "2026-02-28", "2026-12-24", "2026-03-02", "2025-12-01"],
    "datetimes": [
        "2026-03-01T12:00",
        "2026-03-01T09:30",
        "2026-03-01T10:00",
        "2026-03-02",
        "2026-03-01T18:00",
        "2026-03-01T09:45",
    ],
}


@pytest.mark.parametrize("kind", WHEN)
def test_rows_are_put_in_order_by_dates(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games(tmp_path, t=WHEN[kind], q=[0.5] * 6)
    report = evaluated(tmp_path, capsys, "two.csv --truth y --probability p --against q --time t")
    order = [1, 5, 2, 0, 4, 3]
    expected = Wealth.from_probabilities(
        np.array(TRUTH)[order], MODEL[order], against=[0.5] * 6, ordered=True
    )
    assert report["wealth"]["path"]["log_wealth"] == pytest.approx(expected.path.tolist(), abs=1e-12)
    assert not any("share their time" in warning for warning in report["warnings"])
    arrays = ew.evaluate(truth=TRUTH, probabilities=MODEL, against=[0.5] * 6, time=WHEN[kind]).to_dict()
    assert arrays["wealth"] == report["wealth"]


def test_a_file_sorted_by_outcome_within_a_day_proves_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Four days of 40 even games each, of which half came true, those first."""
    days = np.repeat(["2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"], 40)
    truth = np.tile(np.repeat([1, 0], 20), 4)
    write(tmp_path, "days.csv", y=truth, p=np.full(160, 0.7), q=np.full(160, 0.5), day=days)
    words = "days.csv --truth y --probability p --against q"
    report = evaluated(tmp_path, capsys, f"{words} --time day")
    assert report["wealth"]["path"]["cases"] == [40, 80, 120, 160]
    for name, result in report["evidence"].items():
        assert name == "reverse" or result["p_value"] == 1
    assert report["wealth"]["log_maximum"] == 0
    assert any("160 of 160 rows share their time with others" in warning for warning in report["warnings"])
    row_by_row = evaluated(tmp_path, capsys, f"{words} --ordered")
    assert row_by_row["evidence"]["full_stakes"]["p_value"] < 0.01


def test_what_is_found_is_found_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games(tmp_path, t=[5, 4, 3, 2, 1, 0], q=[0.5] * 6)
    with mock.patch("edgeworth.forecasts.report.examine_forecasts", wraps=examine_forecasts) as examine:
        evaluated(tmp_path, capsys, "two.csv --truth y --probability p --against q --time t")
    assert examine.call_count == 1


def test_the_labels_of_the_caller_are_not_changed(tmp_path: Path) -> None:
    cattle(tmp_path)
    labels = ["cow", "cat"]
    report = ew.evaluate(tmp_path / "cattle.csv", truth="y", probabilities=["p_cat", "p_cow"], labels=labels)
    assert labels == ["cow", "cat"]
    assert report.to_dict()["provenance"]["labels"] == ["cat", "cow"]
