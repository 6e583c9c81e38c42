"""Probabilities from a file, batch by batch: rows a second, and memory that does not grow with the rows.

Each run is a process of its own, whose peak of resident memory is read when it has ended.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from timing import run_process

CLASSES = 5
ROWS = (10**6, 10**7)
MOST_BYTES = 600 * 10**6

CHILD = """
import json, resource, sys, time
import edgeworth as ew
columns = [f"p_{k}" for k in range(int(sys.argv[2]))]
start = time.perf_counter()
report = ew.evaluate(sys.argv[1], truth="y", probabilities=columns, ordered=True)
taken = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({"seconds": taken, "cores": used.ru_utime + used.ru_stime, "peak": used.ru_maxrss * 1024}))
"""


def write(path: Path, rows: int) -> None:
    """A Parquet file of so many rows, written a piece at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng, writer = np.random.default_rng(rows), None
    for start in range(0, rows, 10**5):
        number = min(10**5, rows - start)
        chances = rng.dirichlet(np.ones(CLASSES), number)
        truth = (rng.random((number, 1)) > np.cumsum(chances, axis=1)).sum(axis=1)
        truth = np.minimum(truth, CLASSES - 1)
        table = pa.table({"y": truth} | {f"p_{k}": chances[:, k] for k in range(CLASSES)})
        writer = writer or pq.ParquetWriter(path, table.schema)
        writer.write_table(table)
    assert writer is not None
    writer.close()


def main() -> None:
    peaks = []
    for rows in ROWS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "forecasts.parquet"
            write(path, rows)
            result = run_process(CHILD, str(path), str(CLASSES))
        peaks.append(result["peak"])
        mark = "ok" if result["peak"] < MOST_BYTES else "MISSED"
        print(
            f"{rows:12,} rows × {CLASSES} classes  {result['seconds']:7.1f} s  "
            f"({result['cores']:.1f} s of cores)  {rows / result['seconds']:10,.0f} rows/s  "
            f"peak {result['peak'] / 1e6:6.0f} MB "
            f"(wanted below {MOST_BYTES / 1e6:.0f}: {mark})"
        )
    print(f"peak from {ROWS[0]:,} to {ROWS[-1]:,} rows: × {peaks[-1] / peaks[0]:.2f}")


if __name__ == "__main__":
    main()
