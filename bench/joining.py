"""Two files joined by an id and compared, beside DuckDB's join of the same files: seconds and megabytes.

python bench/joining.py [ROWS]
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROUNDS = 3
WAYS = ("duckdb", "join", "compare")


def write(folder: Path, rows: int) -> None:
    """Write the truth and the guesses of two systems, each file in an order of its own."""
    import pyarrow as pa
    import pyarrow.csv

    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, rows)
    for name in "ab":
        guess = np.where(rng.random(rows) < 0.6, truth, rng.integers(0, 3, rows))
        order = rng.permutation(rows)
        columns = {"id": [f"q{index}" for index in order]}
        columns |= {x: [f"c{code}" for code in y[order]] for x, y in {"y": truth, "p": guess}.items()}
        pyarrow.csv.write_csv(pa.table(columns), folder / f"{name}.csv")


def run(way: str, folder: Path) -> tuple[float, float]:
    """Time one way in this process: seconds of the clock and of the processor."""
    files = [str(folder / f"{name}.csv") for name in "ab"]
    start = time.perf_counter(), time.process_time()
    if way == "duckdb":
        import duckdb

        query = "SELECT a.y, a.p, b.p, count(*) FROM '{}' a JOIN '{}' b USING (id) GROUP BY ALL"
        duckdb.execute(query.format(*files)).fetchall()
    elif way == "join":
        from edgeworth.core.options import CompareOptions
        from edgeworth.pipeline.call_options import change, fill_in
        from edgeworth.pipeline.join_systems import join_systems

        join_systems("y", "p", change(fill_in("compare", CompareOptions, {"join": "id"}), data=files))
    else:
        import edgeworth as ew

        ew.compare(files, truth="y", systems="p", join="id")
    return time.perf_counter() - start[0], time.process_time() - start[1]


def main(rows: int) -> None:
    """Print the best of some rounds, each in a process of its own."""
    with tempfile.TemporaryDirectory() as name:
        write(Path(name), rows)
        best: dict[str, tuple[float, ...]] = {}
        for way in WAYS * ROUNDS:
            command = [sys.executable, __file__, way, name]
            stdout = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            values = tuple(map(float, stdout.split()))
            best[way] = min(best.get(way, values), values)
    for way, (wall, cpu, memory) in best.items():
        ratio = f"{wall / best['duckdb'][0]:.2f}x wall, {cpu / best['duckdb'][1]:.2f}x processor"
        print(f"{way:8} {wall:6.2f} s, {cpu:6.2f} s of the processor, {memory:5.0f} MB: {ratio}")


if __name__ == "__main__":
    if len(sys.argv) > 2:
        wall, cpu = run(sys.argv[1], Path(sys.argv[2]))
        print(wall, cpu, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 10**6)
