"""Files: 10⁸ rows of two integer columns in Parquet, beside the bare engines, in one run.

The file is made in a temporary folder and removed. Times are the best of a few, bare and ours by turns,
because the machine is noisy and noise only adds.
"""

from __future__ import annotations

import compileall
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
from timing import seconds_in_turns

import edgeworth
from edgeworth.decisions.reading import table_reducer
from edgeworth.sources.opening import open_source

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 10**8
MEGABYTES = 400
COLUMNS = {"truth": "y_true", "prediction": "y_pred"}
MAKE = """
COPY (
  SELECT (hash(i) % 10)::BIGINT AS y_true,
         (CASE WHEN hash(i + 1) % 3 = 0 THEN hash(i + 2) % 10 ELSE hash(i) % 10 END)::BIGINT AS y_pred
  FROM range({rows}) t(i)
) TO '{path}' (FORMAT parquet)
"""


class PlainRows:
    """The same file, as if there were no engine to count it."""

    def __init__(self, path: Path) -> None:
        source = open_source(path)
        self.name, self.is_text, self.batches = source.name, source.is_text, source.batches


def run_command(command: list[str]) -> float:
    """Run a command to its end; megabytes that it had in memory at most."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command} failed")
    return usage.ru_maxrss / 1024


def print_ratio(what: str, ours: float, theirs: float, most: float) -> None:
    mark = "ok" if ours <= most * theirs else "MISSED"
    print(
        f"{what:<62} {ours:7.2f} s  against {theirs:7.2f} s  {ours / theirs:6.2f}×"
        f"  (wanted at most {most:g}×: {mark})"
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "predictions.parquet"
        duckdb.sql(MAKE.format(rows=ROWS, path=path))
        counted = f"SELECT y_true, y_pred, count(*) FROM '{path}' GROUP BY ALL"
        # As pip does when it installs: otherwise what was edited last is compiled at every start.
        compileall.compile_dir(Path(edgeworth.__file__).parent, quiet=2)
        names = [f"--{role}={name}" for role, name in COLUMNS.items()]
        command = [sys.executable, "-m", "edgeworth", "evaluate", str(path), *names]
        bare = [sys.executable, "-c", f'import duckdb; duckdb.sql("{counted}").fetchall()']
        peaks: list[float] = []
        source, plain = open_source(path), PlainRows(path)
        calls: dict[str, Callable[[], Any]] = {
            "engine": lambda: duckdb.execute(counted).fetchall(),
            "ours": lambda: table_reducer(COLUMNS, is_text=False).fold(source),
            "rows": lambda: table_reducer(COLUMNS, is_text=False).fold(plain),
            "arrow": lambda: sum(len(x) for x in pq.ParquetFile(path).iter_batches(use_threads=False)),
            "bare process": lambda: run_command(bare),
            "command": lambda: peaks.append(run_command(command)),
        }
        best = dict(zip(calls, seconds_in_turns(list(calls.values()), 15), strict=True))
        print_ratio(f"table of {ROWS:,} rows, counted by DuckDB", best["ours"], best["engine"], 1.3)
        print_ratio("  the whole command, start-up and report included", best["command"], best["engine"], 2)
        print_ratio("  the same against a process that only counts", best["command"], best["bare process"], 2)
        print_ratio("  without DuckDB, against reading the columns once", best["rows"], best["arrow"], 5)
        mark = "ok" if max(peaks) <= MEGABYTES else "MISSED"
        print(
            f"{'  resident memory of the command, at most':<62} {max(peaks):7.0f} MB "
            f"(wanted at most {MEGABYTES} MB: {mark})"
        )


if __name__ == "__main__":
    main()
