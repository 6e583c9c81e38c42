"""Every output of a report appears whole or not at all, whatever happens on the way."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import edgeworth as ew
from edgeworth.report.formats import write_file
from edgeworth.report.report import Report

TRUTH, SAID = ["a", "b"] * 30, ["a", "b", "b", "a", "a", "b"] * 10
INJECTED = Path(__file__).with_name("injected.py")
COMMAND = ["table", "12 28; 18 42", "--rows", "predicted"]


def comparison() -> ew.Comparison:
    return ew.compare(truth=TRUTH, systems={"A": SAID, "B": TRUTH[::-1]})


def chart_file(path: Path) -> None:
    ew.evaluate(truth=TRUTH, prediction=SAID).charts["bias"].save(path.with_suffix(".json"))


REPORT = Report("It is so.", (), (), {})
WRITERS: dict[str, Callable[[Path], Any]] = {
    "json": REPORT.to_json,
    "html": REPORT.to_html,
    "markdown": REPORT.to_markdown,
    "csv": comparison().to_csv,
    "latex": comparison().to_latex,
    "table in markdown": comparison().to_markdown,
    "tally": ew.tally(truth=TRUTH, prediction=SAID).write,
    "packed tally": lambda path: ew.tally(truth=TRUTH, prediction=SAID).write(f"{path}.gz"),
    "chart": chart_file,
}
STEPS: dict[str, tuple[Any, str]] = {
    "open": (Path, "open"),
    "chmod": (Path, "chmod"),
    "fsync": (os, "fsync"),
    "rename": (Path, "replace"),
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("writer", WRITERS)
def test_a_step_that_fails_leaves_the_old_file(
    writer: str, step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out"
    WRITERS[writer](target)
    (written,) = tmp_path.iterdir()
    written.write_bytes(b"old")
    home, name = STEPS[step]

    step_itself = getattr(home, name)

    def fail(*arguments: Any, **options: Any) -> Any:
        if step == "open" and "b" not in "".join(map(str, arguments[1:])):
            return step_itself(*arguments, **options)  # templates are read
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(home, name, fail)
    with pytest.raises(ew.EdgeworthError, match="cannot be written: No space left on device"):
        WRITERS[writer](target)
    monkeypatch.undo()
    assert [path.name for path in tmp_path.iterdir()] == [written.name]
    assert written.read_bytes() == b"old"


def run(fault: str, step: int, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command with a fault at a step; outputs are written over old ones."""
    for name in ("o.json", "o.md"):
        (folder / name).write_text('{"old": true}')
    outputs = ["--json", "o.json", "--markdown", "o.md"]
    command = [sys.executable, str(INJECTED), fault, str(step), *COMMAND, *outputs]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("step", range(1, 12))
def test_signals_and_faults_at_every_step(step: int, tmp_path: Path) -> None:
    """Two files, each opened, made like the old one, synced, renamed, and its folder synced: ten steps."""
    codes = {"ENOSPC": 2, "EACCES": 2, "SIGINT": 130, "SIGTERM": 143, "SIGKILL": -signal.SIGKILL}
    fault = list(codes)[step % len(codes)] if step < 11 else "SIGKILL"
    done = run(fault, step, tmp_path)
    assert done.returncode == (codes[fault] if step < 11 else 0), done.stderr
    assert "Traceback" not in done.stderr
    left = [path.name for path in tmp_path.iterdir() if path.name not in ("o.json", "o.md")]
    assert left == [] or (fault == "SIGKILL" and all(name.endswith(".part") for name in left))
    text = (tmp_path / "o.json").read_text(encoding="utf-8")
    assert json.loads(text).keys() >= {"verdict"} or text == '{"old": true}'
    assert (tmp_path / "o.md").read_text(encoding="utf-8")[-1] in "}\n"
    again = run("ENOSPC", 99, tmp_path)
    assert again.returncode == 0
    assert "verdict" in json.loads((tmp_path / "o.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_a_file_that_is_written_over_keeps_its_mode(mode: int, tmp_path: Path) -> None:
    target = tmp_path / "r.json"
    target.write_text("old")
    target.chmod(mode)
    REPORT.to_json(target)
    assert stat.S_IMODE(target.stat().st_mode) == mode
    assert json.loads(target.read_text(encoding="utf-8"))["verdict"] == "It is so."


@pytest.mark.parametrize("size", [250, 255])
def test_the_longest_names_are_written(size: int, tmp_path: Path) -> None:
    write_file(tmp_path / ("x" * size), "text")
    assert [len(path.name) for path in tmp_path.iterdir()] == [size]


@pytest.mark.parametrize("name", ["x" * 256, "ü" * 128, "a\0b", "no folder/x"])
def test_names_that_cannot_be_are_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(ew.EdgeworthError, match="cannot be written"):
        write_file(tmp_path / name, "text")
    done = (
        edgeworth(["table", "1", "--rows", "predicted", "--json"], tmp_path, name)
        if "\0" not in name
        else None
    )
    assert done is None or (done.returncode == 2 and done.stderr.count("\n") == 1)


def edgeworth(words: list[str], folder: Path, shell: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command; ``shell`` is what a shell does to its streams."""
    line = f'exec "$@" {shell}'
    command = ["sh", "-c", line, "sh", sys.executable, "-m", "edgeworth", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shell", "words", "code", "message"),
    [
        (">&-", COMMAND, 2, "standard output cannot be written"),
        (">&-", [*COMMAND, "--json", "-"], 2, "standard output cannot be written"),
        (">/dev/full", COMMAND, 2, "standard output cannot be written"),
        ("2>&-", COMMAND, 0, ""),
        ("2>&-", ["table", "1 2", "--rows", "predicted"], 2, ""),
        (">&- 2>&-", COMMAND, 2, ""),
        ("<&-", COMMAND, 0, ""),
        ("<&-", ["evaluate", "-", "--truth", "y", "--prediction", "p"], 2, "edgeworth: "),
        ("2>/dev/full", ["table", "1 2", "--rows", "predicted"], 2, ""),
    ],
)
def test_streams_that_are_closed_or_full(
    shell: str, words: list[str], code: int, message: str, tmp_path: Path
) -> None:
    done = edgeworth(words, tmp_path, shell=shell)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert message in done.stderr


def test_a_closed_stream_is_not_taken_by_a_file(tmp_path: Path) -> None:
    """The next file to be opened would be standard output, and what is shown would be written into it."""
    done = edgeworth([*COMMAND, "--json", "o.json"], tmp_path, shell=">&-")
    assert done.returncode == 2
    assert "verdict" in json.loads((tmp_path / "o.json").read_text(encoding="utf-8"))


def test_a_fault_of_ours_has_a_code_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from command_line import call

    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("division\nby zero")

    monkeypatch.setattr("edgeworth.evaluation.evaluate", broken)
    done = call(tmp_path, capsys, *COMMAND)
    assert done.returncode == 70
    assert done.stderr.count("\n") == 1
    assert "ZeroDivisionError" in done.stderr
