"""Progress: told by long operations, drawn on a terminal, silent elsewhere, and gone when interrupted."""

from __future__ import annotations

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

import edgeworth as ew
from edgeworth.cli import bars
from edgeworth.progress import Advance, listening, told


@contextmanager
def heard(into: list[tuple[str, float, float | None]]) -> Iterator[None]:
    @contextmanager
    def note(what: str, total: float | None) -> Iterator[Advance]:
        yield lambda number: into.append((what, number, total))

    with listening(note):
        yield


def test_draws_pairs_and_rows_are_told() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 500)
    table = ew.ContingencyTable.from_labels(truth, truth)
    notes: list[tuple[str, float, float | None]] = []
    with heard(notes):
        ew.estimate(table, "kappa", method=ew.Bootstrap(draws=500, seed=1))
        ew.compare(truth, {name: rng.integers(0, 2, 500) for name in "abc"}, measures=["accuracy"])
    done = {what: sum(number for name, number, _ in notes if name == what) for what, *_ in notes}
    assert done["draws"] >= 500
    assert done["pairs compared"] == 3
    assert done["rows read"] == 500


def test_nobody_listening_costs_nothing_and_nesting_ends() -> None:
    notes: list[tuple[str, float, float | None]] = []
    with told("unheard", 1) as done:
        done(1)
    with heard(notes), told("heard", 2) as done:
        done(2)
    with told("unheard", 1) as done:
        done(1)
    assert notes == [("heard", 2, 2)]


@pytest.mark.parametrize(("patience", "appears"), [(0.05, True), (60.0, False)])
def test_a_bar_appears_only_for_what_is_long(
    patience: float, appears: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the clock: the operation itself tells nothing until it is over."""
    monkeypatch.setattr(bars, "PATIENCE", patience)
    shown = bars.Bars()
    with shown.bar("draws", 10) as done:
        deadline = time.monotonic() + (20 if appears else 0.3)
        while shown.display is None and time.monotonic() < deadline:
            time.sleep(0.01)
        assert (shown.display is not None) == appears
        done(10)
    shown.close()
    assert shown.display is None
    assert shown.under_way == []


def test_without_a_terminal_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("y,p\n" + "1,1\n0,0\n" * 50, encoding="utf-8")
    command = [sys.executable, "-m", "edgeworth", "evaluate", "x.csv", "--truth", "y", "--prediction", "p"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr == ""


def screen_of(
    code: str, folder: Path, *, interrupt_at: bytes | None = None, stdout: int | None = None
) -> tuple[int, bytes]:
    """What a program shows on a terminal; interrupted, if asked for, when something is seen."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen([sys.executable, "-c", code], stdout=stdout or theirs, stderr=theirs, cwd=folder)
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
import edgeworth.cli.bars as bars
bars.PATIENCE = 0.1
from edgeworth.cli import app, main
from edgeworth.progress import told
"""
STEPS = """
@app.command
def wait():
    with told("waits", 1000) as done:
        for _ in range(1000):
            done(1)
            time.sleep(0.02)
main(["wait"])
"""
ONE_STEP = """
@app.command
def wait():
    with told("one long step", 1) as done:
        time.sleep(%s)
        done(1)
    sys.stdout.write("the result")
main(["wait"])
"""
UNTOLD = """
@app.command
def wait():
    time.sleep(1)
    sys.stdout.write("the result")
main(["wait"])
"""
NESTED = """
@app.command
def wait():
    with told("pairs", 2) as pairs:
        for _ in range(2):
            with told("draws", 2) as draws:
                for _ in range(2):
                    time.sleep(0.3)
                    draws(1)
            pairs(1)
    sys.stdout.write("the result")
main(["wait"])
"""
WRITES = """
from pathlib import Path
from edgeworth.reports import writing
from edgeworth.reports.report import Report
@app.command
def wait():
    def slow(report):
        with told("one long step", 1):
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
    ("code", "said"),
    [(ONE_STEP % 1, [b"one long step"]), (UNTOLD, [b"working"]), (NESTED, [b"pairs", b"draws", b"1 of 2"])],
)
def test_what_is_slow_shows_on_a_terminal_and_goes_before_the_result(
    code: str, said: list[bytes], tmp_path: Path
) -> None:
    status, seen = screen_of(HEAD + code, tmp_path)
    assert status == 0
    for each in said:
        assert each in seen
    assert seen.rstrip().endswith(b"the result")
    assert seen.rindex(said[0]) < seen.index(b"the result")


def test_progress_stays_out_of_what_is_piped_on(tmp_path: Path) -> None:
    with (tmp_path / "out.txt").open("wb") as file:
        status, seen = screen_of(HEAD + ONE_STEP % 1, tmp_path, stdout=file.fileno())
    assert status == 0
    assert b"one long step" in seen
    assert (tmp_path / "out.txt").read_bytes() == b"the result"
