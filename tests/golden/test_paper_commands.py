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
