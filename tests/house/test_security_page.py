"""The security page promises only what tests show, and lists every exit code."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
PROMISED = PAGE[PAGE.index("| promise | test |") : PAGE.index("JSON reports and tally files")]
ROWS = PROMISED.strip().splitlines()[2:]


@pytest.mark.parametrize("row", ROWS)
def test_every_promise_names_tests_that_exist(row: str) -> None:
    _, promise, tests, _ = row.split("|")
    names = re.findall(r"`(tests/[^`]+\.py)`", tests)
    assert promise.strip()
    assert names
    for name in names:
        assert "\ndef test_" in (ROOT / name).read_text(encoding="utf-8"), name


def test_every_exit_code_is_listed() -> None:
    codes = PAGE[PAGE.index("## Exit codes") : PAGE.index("## How to report")]
    assert {"0", "1", "2", "3", "70", "120", "129", "130", "143"} <= set(re.findall(r"\b[0-9]+\b", codes))


def test_numbers_that_overflow_print_no_warnings(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("g,h\n1e70,-1e70\n1e70,1e70\n0,0\n")
    for words in (["evaluate", "--grade", "g"], ["compare", "--grade", "g", "--grade", "h"]):
        command = [sys.executable, "-m", "edgeworth", words[0], "g.csv", *words[1:]]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0
        assert "Warning" not in done.stderr
