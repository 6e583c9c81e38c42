"""Merging a thousand tallies of 100×100: in memory, and as files by the command."""

from __future__ import annotations

import contextlib
import io
import tempfile
import time
from pathlib import Path

import numpy as np
from timing import limit_line, seconds

import edgeworth as ew
from edgeworth.cli import main

SHARDS, LABELS, ROWS = 1000, 100, 20_000


def shards() -> list[ew.TallyRecord]:
    rng = np.random.default_rng(0)
    results = []
    for _ in range(SHARDS):
        truth = rng.integers(0, LABELS, ROWS)
        prediction = np.where(rng.random(ROWS) < 0.5, truth, rng.integers(0, LABELS, ROWS))
        results.append(ew.tally(truth=truth, prediction=prediction))
    return results


def merge_by_command(folder: Path) -> float:
    """The command inside this process, without the start of Python."""
    start = time.perf_counter()
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
        main(["merge", "shard*.json", "-o", "merged.json"])
    return time.perf_counter() - start


def run() -> None:
    tallies = shards()
    tables = [tally.tally for tally in tallies]
    limit_line(
        f"adding {SHARDS:,} tables of {LABELS}×{LABELS}", seconds(lambda: sum(tables[1:], tables[0])), 1
    )
    limit_line(
        f"merging {SHARDS:,} tallies with their origins", seconds(lambda: ew.TallyRecord.merge(tallies)), 1
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for index, tallied in enumerate(tallies):
            tallied.write(folder / f"shard{index}.json")
        size = sum(path.stat().st_size for path in folder.iterdir())
        paths = sorted(folder.glob("shard*.json"))
        limit_line(
            f"reading {SHARDS:,} files of {size / SHARDS / 1e3:.0f} kB", seconds(lambda: _read(paths), 3), 3
        )
        limit_line("edgeworth merge 'shard*.json'", min(merge_by_command(folder) for _ in range(3)), 4)
        merged = ew.read_tally(folder / "merged.json")
        assert isinstance(merged.final, ew.ContingencyTable)
        assert merged.final.total == SHARDS * ROWS


def _read(paths: list[Path]) -> None:
    for path in paths:
        ew.read_tally(path)


if __name__ == "__main__":
    run()
