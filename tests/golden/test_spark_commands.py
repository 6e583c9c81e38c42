"""The command on Spark: the same report as without, and nothing half-written when it is killed."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edgeworth.cli import main
from spark_session import MASTER, OPTIONS, spark_session

pytestmark = [pytest.mark.java, pytest.mark.xdist_group("spark")]

ROWS = 200_000
COMMAND = ["evaluate", "rows.csv", "--truth", "y", "--prediction", "guess"]
ON_SPARK = ["--engine", "spark", "--master", MASTER]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "a b [1] ü"
    path.mkdir()
    rng = np.random.default_rng(3)
    truth, guess = rng.integers(3, size=ROWS), rng.integers(3, size=ROWS)
    lines = (f"{real},{text}" for real, text in zip(truth, guess, strict=True))
    (path / "rows.csv").write_text("\n".join(["y,guess", *lines]) + "\n")
    monkeypatch.chdir(path)
    return path


def is_folding(session: int) -> bool:
    """Whether one of the processes that a run has started is a Python worker of Spark."""
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            is_ours = entry.name.isdecimal() and os.getsid(int(entry.name)) == session
            if is_ours and b"pyspark.daemon" in (entry / "cmdline").read_bytes():
                return True
    return False


def tally(folder: Path, *more: str) -> Any:
    with pytest.raises(SystemExit) as ended:
        main([*COMMAND, "--json", "report.json", *more])
    assert ended.value.code == 0
    return json.loads((folder / "report.json").read_text())["tally"]


def test_killed_in_the_middle_and_run_again(folder: Path) -> None:
    run = subprocess.Popen(
        [sys.executable, "-m", "edgeworth", *COMMAND, "--json", "report.json", *ON_SPARK],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"SPARK_SUBMIT_OPTS": OPTIONS},
    )
    try:
        until = time.monotonic() + 240
        while not is_folding(run.pid) and run.poll() is None and time.monotonic() < until:
            time.sleep(0.02)
        assert run.poll() is None, run.communicate()
        os.kill(run.pid, signal.SIGKILL)
    finally:
        # What it had started goes with it.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(run.pid, signal.SIGKILL)
    shown, text = run.communicate()
    assert shown == ""
    # The Java runtime itself says the one, whatever is set, and the command the other where it takes long.
    rest = [line for line in text.splitlines() if "incubator" not in line]
    assert [line for line in rest if not line.startswith("edgeworth: working (")] == []
    assert sorted(path.name for path in folder.iterdir()) == ["rows.csv"]
    # Again in this process, on the Spark that is running for the other tests.
    spark_session()
    assert tally(folder, *ON_SPARK) == tally(folder)
