"""Progress: told by long operations, drawn on a terminal, silent elsewhere, and gone when interrupted."""

from __future__ import annotations

import io
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import edgeworth as ew
from edgeworth.cli import main
from edgeworth.cli import progress_bars as bars
from edgeworth.common.progress import Advance, listen_to_progress, track_progress
from edgeworth.methods import Bootstrap


@contextmanager
def heard(into: list[tuple[str, float, float | None]]) -> Iterator[None]:
    @contextmanager
    def note(what: str, total: float | None) -> Iterator[Advance]:
        yield lambda number: into.append((what, number, total))

    with listen_to_progress(note):
        yield


def test_draws_pairs_and_rows_are_told() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 500)
    table = ew.ContingencyTable.from_labels(truth, rng.integers(0, 2, 500))
    notes: list[tuple[str, float, float | None]] = []
    with heard(notes):
        ew.estimate(table, "kappa", method=Bootstrap(draws=500, rng=1))
        ew.compare(
            truth=truth, systems={name: rng.integers(0, 2, 500) for name in "abc"}, measures=["accuracy"]
        )
    done = {what: sum(number for name, number, _ in notes if name == what) for what, *_ in notes}
    assert done["draws"] >= 500
    assert done["pairs compared"] == 3
    assert done["rows read"] == 500


def test_nobody_listening_costs_nothing_and_nesting_ends() -> None:
    notes: list[tuple[str, float, float | None]] = []
    with track_progress("unheard", 1) as done:
        done(1)
    with heard(notes), track_progress("heard", 2) as done:
        done(2)
    with track_progress("unheard", 1) as done:
        done(1)
    assert notes == [("heard", 2, 2)]


def test_a_display_is_on_the_screen_only_while_it_is_open_and_an_operation_is_under_way() -> None:
    screen = io.StringIO()
    shown = bars.Bars(Console(file=screen, force_terminal=True, width=120))
    with shown.bar("short", 10):
        assert not shown.display.live.is_started
    shown.open()
    assert screen.getvalue() == ""
    with shown.bar("pairs", 2) as pairs, shown.bar("draws", None) as draws:
        assert shown.display.live.is_started
        draws(1500)
        pairs(1)
        shown.display.refresh()
    assert not shown.display.live.is_started
    for text in ("pairs", "draws", "1 of 2", "1,500"):
        assert text in screen.getvalue()
    assert "short" not in screen.getvalue()
    with shown.bar("left", 1):
        shown.open(False)
        assert not shown.display.live.is_started


@pytest.mark.parametrize("to", [[], ["--json", "-"], ["--html", "page.html"]])
def test_an_operation_is_under_way_until_a_command_writes_its_output(
    to: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("x.csv").write_text("y,p\n" + "1,1\n0,0\n" * 50, encoding="utf-8")
    ended = []

    @contextmanager
    def note(what: str, _: float | None) -> Iterator[Advance]:
        yield lambda _: None
        assert capsys.readouterr().out == ""
        ended.append(what)

    with listen_to_progress(note), pytest.raises(SystemExit) as end:
        main(["evaluate", "x.csv", "--truth", "y", "--prediction", "p", *to])
    assert end.value.code == 0
    assert "working" in ended
    assert ended[-1] == "writing"
    assert bool(capsys.readouterr().out)


@pytest.mark.slow
def test_without_a_terminal_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("y,p\n" + "1,1\n0,0\n" * 50, encoding="utf-8")
    command = [sys.executable, "-m", "edgeworth", "evaluate", "x.csv", "--truth", "y", "--prediction", "p"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr == ""


def environment_with_progress() -> dict[str, str]:
    """Undo what conftest.py sets for all tests."""
    return {name: value for name, value in os.environ.items() if name != "EDGEWORTH_PROGRESS"}


def screen_of(
    code: str, folder: Path, *, interrupt_at: bytes | None = None, stdout: int | None = None
) -> tuple[int, bytes]:
    """What a program shows on a terminal; interrupted, if asked for, when something is seen."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=stdout or theirs,
        stderr=theirs,
        cwd=folder,
        env=environment_with_progress(),
    )
    os.close(theirs)
    seen, deadline = b"", time.monotonic() + 60
    try:
        while time.monotonic() < deadline:
            if not select.select([ours], [], [], 1)[0]:
                continue
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            seen += part
            if interrupt_at is not None and interrupt_at in seen:
                child.send_signal(signal.SIGINT)
                interrupt_at = None
        return child.wait(30), seen
    finally:
        child.kill()
        child.wait()
        os.close(ours)


HEAD = """
import sys, time
import edgeworth.cli.progress_bars as bars
from edgeworth.cli import app, main
from edgeworth.common.progress import track_progress
bars.SECONDS_BEFORE_BARS = 0
class Bars(bars.Bars):
    def __init__(self, console):
        super().__init__(console)
        global display
        display = self.display
bars.Bars = Bars
def seen():
    while not display.live.is_started:
        time.sleep(0.01)
"""
STEPS = """
@app.command
def wait():
    with track_progress("waits", 1000) as done:
        while True:
            done(1)
            time.sleep(0.02)
main(["wait"])
"""
ONE_STEP = """
@app.command
def wait():
    with track_progress("one long step", 1) as done:
        seen()
    sys.stdout.write("the result")
main(["wait"])
"""
NESTED = """
@app.command
def wait():
    with track_progress("pairs", 2) as pairs:
        seen()
        for _ in range(2):
            with track_progress("draws", 2) as draws:
                draws(1)
                display.refresh()
            pairs(1)
    sys.stdout.write("the result")
main(["wait"])
"""
WRITES = """
from pathlib import Path
from edgeworth.report.report import Report
@app.command
def wait():
    def slow(report, full=False):
        with track_progress("one long step", 1):
            time.sleep(60)
    Report.to_dict = slow
    Report("v", (), (), {}).to_json("out.json")
main(["wait"])
"""


@pytest.mark.parametrize("code", [STEPS, WRITES])
def test_an_interrupt_on_a_terminal_ends_in_a_sentence(code: str, tmp_path: Path) -> None:
    sign = b"waits" if code is STEPS else b"one long step"
    status, seen = screen_of(HEAD + code, tmp_path, interrupt_at=sign)
    assert status == 130
    assert seen.count(b"edgeworth: interrupted") == 1
    assert b"Traceback" not in seen
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("code", "message"),
    [(ONE_STEP, [b"one long step"]), (NESTED, [b"pairs", b"draws", b"1 of 2"])],
)
def test_what_is_slow_shows_on_a_terminal_and_goes_before_the_result(
    code: str, message: list[bytes], tmp_path: Path
) -> None:
    status, seen = screen_of(HEAD + code, tmp_path)
    assert status == 0
    for item in message:
        assert item in seen
    assert seen.rstrip().endswith(b"the result")
    assert seen.rindex(message[0]) < seen.index(b"the result")


def test_progress_stays_out_of_what_is_piped_on(tmp_path: Path) -> None:
    with (tmp_path / "out.txt").open("wb") as file:
        status, seen = screen_of(HEAD + ONE_STEP, tmp_path, stdout=file.fileno())
    assert status == 0
    assert b"one long step" in seen
    assert (tmp_path / "out.txt").read_bytes() == b"the result"


def test_lines_tell_of_the_widest_operation_whose_end_is_known() -> None:
    lines = bars.Lines()
    assert lines.line(3) == "edgeworth: working (3 s)\n"
    with lines.operation("working", None), lines.operation("pairs compared", 19_900) as pairs:
        pairs(5_000)
        with lines.operation("draws", 10) as draws:
            draws(2)
            assert lines.line(12.4) == "edgeworth: pairs compared: 5,000 of 19,900 (12 s)\n"
    with lines.operation("working", None), lines.operation("\x1b[2Jrows read", None) as rows:
        rows(1_000)
        line = lines.line(1_234)
        assert "\x1b" not in line
        assert line.endswith("[2Jrows read: 1,000 (1,234 s)\n")
    assert not lines.under_way


LINES = """
import sys, threading
import edgeworth.cli.progress_bars as bars
from edgeworth.cli import app, main
from edgeworth.common.progress import track_progress
bars.SECONDS_BEFORE_FIRST_LINE = bars.SECONDS_BETWEEN_LINES = 0.01
told = threading.Event()
line = bars.Lines.line
def tell(self, seconds):
    if self.under_way and self.under_way[-1].done:
        told.set()
    return line(self, seconds)
bars.Lines.line = tell
@app.command
def wait():
    with track_progress("pairs compared", 2) as done:
        done(1)
        told.wait(60)
    sys.stdout.write("the result")
main(["wait"])
"""


def test_a_pipe_gets_lines_on_standard_error_only() -> None:
    command, environment = [sys.executable, "-c", LINES], environment_with_progress()
    child = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert child.stdout == "the result"
    assert "edgeworth: pairs compared: 1 of 2 (" in child.stderr
    assert "\x1b" not in child.stderr
    assert {line[:11] for line in child.stderr.splitlines()} == {"edgeworth: "}


def test_a_variable_of_the_environment_turns_progress_off() -> None:
    code = LINES.replace("told.wait(60)", "told.wait(1)")
    environment = environment_with_progress() | {"EDGEWORTH_PROGRESS": "off"}
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert (child.stdout, child.stderr) == ("the result", "")
