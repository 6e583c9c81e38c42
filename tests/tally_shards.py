"""Shards for tests of tally files, and reports compared but for where they came from."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from command_line import call

Row: TypeAlias = tuple[object, ...]
Command: TypeAlias = Callable[..., str]


def commanding(folder: Path, capsys: pytest.CaptureFixture[str]) -> Command:
    """The command, which must succeed: what it shows."""

    def run(*words: str) -> str:
        done = call(folder, capsys, *words)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def written(path: Path, header: str, rows: Sequence[Row]) -> None:
    """A file of rows."""
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def told(path: Path) -> dict[str, Any]:
    """A report but for where it came from."""
    payload: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    del payload["provenance"]
    return payload


def close(one: Any, two: Any) -> bool:
    """Equal, floats to 1e-12."""
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(close(one[key], two[key]) for key in one)
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(close, one, two))
    if isinstance(one, float) and isinstance(two, float):
        return one == pytest.approx(two, rel=1e-12, abs=1e-12)
    return bool(one == two)
