"""A label that holds terminal commands is shown and never obeyed, in every place that shows labels."""

from __future__ import annotations

import csv
import io
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import edgeworth as ew
from command_line import call
from edgeworth.core.measures import quote_label
from edgeworth.report.report import Column, Grid
from edgeworth.report.wording import format_rows
from hostile_text import check_harmless

HOSTILE = {
    "OSC 52 (clipboard)": "\x1b]52;c;Y3VybCB4fHNo\x07",
    "OSC 52 ended by ST": "\x1b]52;c;Y3VybCB4fHNo\x1b\\",
    "CSI (clear the screen)": "\x1b[2J\x1b[H",
    "reset without a bracket": "\x1bc",
    "C1 CSI": "\x9b2J",
    "new line": "ham\nVerdict: all is well",
    "end of bracketed paste": "\x1b[201~; echo owned",
}


def systems(label: str) -> tuple[list[str], dict[str, list[str]]]:
    """Three classes: with two, no table names a class."""
    rng = np.random.default_rng(3)
    truth = rng.choice(np.array([label, "spam", "eggs"], dtype=object), 90)
    first = np.where(rng.random(90) < 0.9, truth, "spam")
    second = np.where(rng.random(90) < 0.5, truth, label)
    return truth.tolist(), {"first": first.tolist(), "second": second.tolist()}


def table(label: str) -> ew.ContingencyTable:
    truth, both = systems(label)
    return ew.ContingencyTable.from_labels(truth, both["first"])


def comparison(label: str) -> ew.Comparison:
    truth, both = systems(label)
    return ew.compare(truth=truth, systems=both)


def merge_error(label: str) -> str:
    one = ew.ContingencyTable.from_labels([label, "b"], [label, "b"], positive=label)
    other = ew.ContingencyTable.from_labels([label, "b"], [label, "b"], positive="b")
    with pytest.raises(ew.EdgeworthError) as refused:
        _ = one + other
    return str(refused.value)


def label_error(label: str) -> str:
    with pytest.raises(ew.EdgeworthError) as refused:
        ew.estimate(table("ham"), f"f[{quote_label(label)}]")
    return str(refused.value)


SHOWN: dict[str, Callable[[str], str]] = {
    "print(comparison)": lambda label: str(comparison(label)),
    "comparison page": lambda label: comparison(label).to_html(),
    "comparison in a notebook": lambda label: comparison(label)._repr_html_(),
    "repr of a comparison": lambda label: repr(comparison(label)),
    "comparison in Markdown": lambda label: comparison(label).report.to_markdown(),
    "comparison in LaTeX": lambda label: comparison(label).to_latex(),
    "comparison in CSV": lambda label: comparison(label).to_csv(),
    "a difference": lambda label: str(next(iter(comparison(label)["first", "second"].values()))),
    "the verdict alone": lambda label: comparison(label).verdict,
    "report of a paired tally": lambda label: str(ew.evaluate(paired(label))),
    "print(table)": lambda label: str(table(label)),
    "an estimate": lambda label: str(ew.estimate(table(label), f"f[{quote_label(label)}]")),
    "print(report)": lambda label: str(ew.evaluate(table(label))),
    "an error about merging": merge_error,
    "an error about a label": label_error,
}


def paired(label: str) -> ew.TallyRecord:
    truth, both = systems(label)
    return ew.tally(truth=truth, prediction=both)


@pytest.mark.parametrize("position", SHOWN)
def test_labels_are_shown_and_never_obeyed(position: str) -> None:
    for label in HOSTILE.values():
        shown = SHOWN[position](label)
        check_harmless(shown)
        # A label has no line of its own: only Markdown and tables of ours begin lines.
        assert "\nVerdict: all is well" not in shown


@pytest.mark.parametrize("name", HOSTILE)
def test_the_last_step_of_a_cell_escapes(name: str) -> None:
    """The name of a measure has its label as a JSON string, whose codes are decoded for people."""
    grid = Grid("", (Column("measure", "measure"),), ((f"f[{quote_label(HOSTILE[name])}]",),))
    ((shown,),) = format_rows(grid)
    check_harmless(shown)
    assert "\n" not in shown


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table for each label, with columns that are called so too."""
    for index, label in enumerate(HOSTILE.values()):
        truth, both = systems(label)
        with (tmp_path / f"d{index}.csv").open("w", encoding="utf-8", newline="") as file:
            rows = zip(truth, both["first"], both["second"], strict=True)
            csv.writer(file).writerows([("y", "a", f"b{label}"), *rows])
    return tmp_path


@pytest.mark.parametrize("position", range(len(HOSTILE)))
def test_the_command_never_writes_a_label_raw(
    position: int, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    label = list(HOSTILE.values())[position]
    columns = ["--truth", "y", "--prediction", "a", "--prediction", f"b{label}"]
    for words in (
        ["compare", f"d{position}.csv", *columns, "--full"],
        ["tally", f"d{position}.csv", *columns, "-o", "t.json"],
        ["report", "t.json", "--full"],
        ["preview", f"d{position}.csv"],
        ["compare", f"d{position}.csv", *columns, "--measure", f"f[no{quote_label(label)}]"],
        ["evaluate", f"d{position}.csv"],
    ):
        done = call(folder, capsys, *words)
        assert done.returncode in (0, 2), done.stderr
        check_harmless(done.stdout + done.stderr)
        assert "\nVerdict" not in done.stdout


EVIL = "touch owned"
NAMES = {
    "a quote, far in": f"{'x' * 190}' && {EVIL} && '{'y' * 190}",
    "long, ends in a command": f"{'x' * 300}' && {EVIL} #",
    "command substitution": f"$({EVIL})",
    "backquotes": f"`{EVIL}`",
    "new line": f"a\n{EVIL}\n",
    "end of bracketed paste": f"a\x1b[201~\r{EVIL}\r",
    "very long": f"{'x' * 9_000}' && {EVIL} #",
}
"""Names of columns, and of files where a file can be called so, that run a command if quoting is broken."""


def pasted(text: str, folder: Path) -> list[str]:
    """Paste every command that was printed into a shell in which ``edgeworth`` does nothing."""
    commands = [line.strip() for line in text.split("\n") if line.startswith("  edgeworth ")]
    for command in commands:
        subprocess.run(["sh", "-c", f"edgeworth() {{ :; }}\n{command}\n"], cwd=folder, check=False)
    assert not (folder / "owned").exists(), text
    return commands


@pytest.mark.parametrize("name", NAMES)
def test_pasting_a_previewed_command_runs_nothing_else(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    column = NAMES[name]
    out = io.StringIO()
    csv.writer(out).writerows([("y", column), *[("a", "b"), ("b", "b"), ("a", "a"), ("b", "a")] * 5])
    (tmp_path / "d.csv").write_text(out.getvalue(), encoding="utf-8")
    done = call(tmp_path, capsys, "preview", "d.csv")
    assert done.returncode == 0, done.stderr
    commands = pasted(done.stdout, tmp_path)
    for command in commands:
        assert column in shlex.split(command)
    is_shown = "\n" not in column and "\x1b" not in column and len(column) < 4_000
    assert bool(commands) == is_shown
    assert ("Some commands are not printed" in done.stdout) == (not is_shown)


@pytest.mark.parametrize("name", [name for name in NAMES if len(NAMES[name]) < 240])
def test_pasting_a_command_for_a_hostile_file_name(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = f"{NAMES[name]}.csv"
    (tmp_path / file).write_text("y,p\n" + "a,a\nb,a\nb,b\na,a\n" * 9, encoding="utf-8")
    done = call(tmp_path, capsys, "preview", file)
    assert done.returncode == 0, done.stderr
    pasted(done.stdout, tmp_path)
    check_harmless(done.stdout)


def test_suggested_options_are_whole_or_not_there() -> None:
    """Errors shorten words of more than 200 characters, which must not break their quotes."""
    from edgeworth.sources.column_roles import _options

    for name in NAMES.values():
        for option in _options("score", [name]) + _options("probabilities", [f"prob_{name}", "prob_b"]):
            words = shlex.split(option)
            assert len(words) == 2
            assert words[1] in (name, f"prob_{name},prob_b", "COLUMN", "COLUMN,COLUMN,…")
            assert len(option) < 200


def test_the_first_night_of_a_job_suggests_no_broken_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    day = f"{'x' * 150}' && {EVIL} #.json"
    ew.tally(truth=["a", "b"], prediction=["a", "b"]).write(tmp_path / day)
    done = call(tmp_path, capsys, "merge", "past.json", day, "-o", "past.json")
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith("edgeworth merge FILE -o past.json")
