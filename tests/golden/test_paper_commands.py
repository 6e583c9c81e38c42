"""What the papers describe, asked of the command: mixtures, costs of errors, clusters, survival, cuts."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from command_line import call, refused

Capture = pytest.CaptureFixture[str]


def report_of(folder: Path, capsys: Capture, *words: str) -> dict[str, Any]:
    done = call(folder, capsys, *words, "--json", "-")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# -- mixtures ----------------------------------------------------------------------------------------------


def mixed(real: list[Fraction], guess: list[Fraction], informed: Fraction) -> list[list[Fraction]]:
    """Deal 100 cases out one by one: known with this chance, otherwise guessed."""
    return [
        [
            100 * r * (informed * ((i == k) if informed >= 0 else -(i != k)) + (1 - abs(informed)) * g)
            for k, r in enumerate(real)
        ]
        for i, g in enumerate(guess)
    ]


@pytest.mark.parametrize("informed", ["0.15", "1", "0", "-0.5"])
def test_a_mixture_is_what_the_fractions_say(informed: str, tmp_path: Path, capsys: Capture) -> None:
    words = ["mixture", "--real", ".7,.3", "--predicted", ".8,.2", f"--informed={informed}"]
    found = report_of(tmp_path, capsys, *words)
    wanted = mixed([Fraction(7, 10), Fraction(3, 10)], [Fraction(8, 10), Fraction(2, 10)], Fraction(informed))
    counted = found["tally"]["counts"]
    assert counted == [pytest.approx([float(x) for x in row], abs=1e-9) for row in wanted]
    assert found["estimates"]["informedness"]["value"] == pytest.approx(float(informed), abs=1e-12)


def test_whole_cases_of_a_mixture_have_exact_tests(tmp_path: Path, capsys: Capture) -> None:
    words = ["mixture", "--real", ".3,.7", "--predicted", ".3,.7", "--informed", ".2", "--cases", "1000"]
    found = report_of(tmp_path, capsys, *words)
    assert found["tally"]["counts"] == [[132, 168], [168, 532]]
    assert found["guessing"]["at_least"]["kind"] == "exact"


def test_mixtures_that_are_none(tmp_path: Path, capsys: Capture) -> None:
    words = ["mixture", "--real", ".3,.7", "--predicted", ".3,.7", "--informed"]
    assert "above 0" in refused(call(tmp_path, capsys, *words, ".2", "--cases", "0"))
    assert "between 0 and 1" in refused(call(tmp_path, capsys, *words, "1.5"))


# -- costs of errors ---------------------------------------------------------------------------------------

COUNTED = ["table", "30 20; 10 40", "--rows", "predicted", "--labels", "ill,well"]


def test_costs_are_those_of_the_fractions(tmp_path: Path, capsys: Capture) -> None:
    found = report_of(tmp_path, capsys, *COUNTED, "--costs", "0 1; 10 0")["costs"]
    # 20 false alarms and 10 misses; guessing 50 : 50 against 40 : 60; always ill alarms the 60.
    assert found["total"] == 120
    assert found["per_case"]["value"] == pytest.approx(1.2)
    guessing = float(Fraction(50 * 60 * 1 + 50 * 40 * 10, 100**2))
    assert found["at_guessing"] == pytest.approx(guessing)
    assert found["saved"]["value"] == pytest.approx(guessing - 1.2)
    assert (found["best_constant"], found["at_best_constant"]) == ("ill", pytest.approx(0.6))
    assert found["saved_against_best_constant"]["value"] == pytest.approx(-0.6)
    assert found["saved"]["low"] < found["saved"]["value"] < found["saved"]["high"]


def test_costs_of_two_classes_are_tested_as_informedness_is(tmp_path: Path, capsys: Capture) -> None:
    """With the margins fixed the saving is a multiple of the hits, so the two p-values are one."""
    found = report_of(
        tmp_path, capsys, "table", "24 16; 26 34", "--rows", "predicted", "--costs", "0 1; 10 0"
    )
    exact = found["guessing"]["either_way"]["p_value"]
    draws_error = (exact * (1 - exact) / 9999) ** 0.5
    assert found["costs"]["p_value"] == pytest.approx(exact, abs=4 * draws_error)


@pytest.mark.parametrize(
    "text", ["predicted,ill,well\nill,0,1\nwell,10,0\n", "actual,well,ill\nwell,0,1\nill,10,0\n"]
)
def test_costs_from_a_file_go_by_label(text: str, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "costs.csv").write_text(text, encoding="utf-8")
    assert report_of(tmp_path, capsys, *COUNTED, "--costs", "costs.csv")["costs"]["total"] == 120


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("0 1; 10", "2 rows of 2, 1 numbers"),
        ("0 x; 10 0", "no number"),
        ("0 1 2; 3 4 5; 6 7 8", "2 by 2"),
        ("none.csv", "CSV file"),
        ("short.csv", "no cost of 'well' predicted where 'ill'"),
        ("turned.csv", "rows must be"),
        ("empty.csv", "CSV file"),
    ],
)
def test_costs_that_are_none(given: str, said: str, tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "short.csv").write_text("predicted,ill,well\nill,0,1\n", encoding="utf-8")
    (tmp_path / "turned.csv").write_text(",ill,well\nill,0,1\nwell,1,0\n", encoding="utf-8")
    (tmp_path / "empty.csv").write_text("", encoding="utf-8")
    assert said in refused(call(tmp_path, capsys, *COUNTED, "--costs", given))


def test_costs_mean_nothing_with_scores(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a.csv").write_text("y,s\n1,2\n0,1\n", encoding="utf-8")
    words = ["evaluate", "a.csv", "--truth", "y", "--score", "s", "--costs", "0 1; 1 0"]
    assert "costs has no meaning" in refused(call(tmp_path, capsys, *words))
