"""The command called inside this process: a start costs most of a second, a call nothing."""

from __future__ import annotations

import contextlib
import re
import subprocess
from pathlib import Path

import pytest

from edgeworth.cli import main


def call(
    folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str
) -> subprocess.CompletedProcess[str]:
    with contextlib.chdir(folder), pytest.raises(SystemExit) as left:
        main(list(arguments))
    shown = capsys.readouterr()
    # A command that takes long, as on a busy machine, tells so.
    text = re.sub(r"(?m)^edgeworth: .* \([0-9,]+ s\)\n", "", shown.err)
    return subprocess.CompletedProcess(arguments, int(left.value.code or 0), shown.out, text)


def flat(text: str) -> str:
    return " ".join(text.replace("│", " ").split())


def refused(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 2, done.stdout
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("edgeworth: ")
    return done.stderr
