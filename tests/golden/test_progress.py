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


@pytest.mark.parametrize(("patience", "appears"), [(0.0, True), (60.0, False)])
def test_a_bar_appears_only_for_what_is_long(
    patience: float, appears: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bars, "PATIENCE", patience)
    bar = bars._Bar("draws", 10)
    bar.advance(5)
    assert (bar.drawn is not None) == appears
    bar.stop()


def test_without_a_terminal_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("y,p\n" + "1,1\n0,0\n" * 50, encoding="utf-8")
    command = [sys.executable, "-m", "edgeworth", "evaluate", "x.csv", "--truth", "y", "--prediction", "p"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr == ""


SLOW = """
import time
import edgeworth.cli.bars as bars
bars.PATIENCE = 0.0
from edgeworth.cli import app, main
from edgeworth.progress import told
@app.command
def wait():
    with told("waits", 1000) as done:
        for _ in range(1000):
            done(1)
            time.sleep(0.02)
main(["wait"])
"""


def test_an_interrupt_on_a_terminal_ends_in_a_sentence() -> None:
    ours, theirs = pty.openpty()
    child = subprocess.Popen([sys.executable, "-c", SLOW], stdout=theirs, stderr=theirs)
    os.close(theirs)
    seen = b""
    try:
        deadline = time.monotonic() + 60
        while b"waits" not in seen and time.monotonic() < deadline:
            if select.select([ours], [], [], 1)[0]:
                seen += os.read(ours, 65536)
        assert b"waits" in seen
        child.send_signal(signal.SIGINT)
        assert child.wait(30) == 130
        while select.select([ours], [], [], 1)[0]:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            seen += part
        assert b"edgeworth: interrupted" in seen
        assert b"Traceback" not in seen
    finally:
        child.kill()
        child.wait()
        os.close(ours)
