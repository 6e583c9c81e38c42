"""Exact average precision of a Parquet file larger than one would keep: two passes beside reading it once.

Each call runs in a process of its own, so that its peak of resident memory is its own.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from timing import line, run_process

SIZES = (10**6, 10**7, 5 * 10**7)
SHARE = 0.02
ROUNDS = 3
CHUNK = 1 << 20

CHILD = """
import json, resource, sys, time
path = sys.argv[1]
{imports}
cpu, start = time.process_time(), time.perf_counter()
{work}
taken = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
print(json.dumps([taken, peak, value, time.process_time() - cpu]))
"""

# The first read_table imports pyarrow.dataset, which takes longer than a million rows.
AT_ONCE = (
    "import pyarrow.dataset, pyarrow.parquet as pq",
    "value = pq.read_table(path, columns=['truth', 'score']).num_rows",
)
IN_BATCHES = (
    "import pyarrow.parquet as pq",
    "value = sum(b.num_rows for b in pq.ParquetFile(path).iter_batches(1 << 17, columns=['truth', 'score']))",
)
EXACT = (
    "import edgeworth as ew, pyarrow.parquet; from edgeworth.rankings.reading import tally_ranking\n"
    "from edgeworth.sources.opening import open_source",
    "ranking = tally_ranking(open_source(path), {'truth': 'truth', 'score': 'score'})\n"
    "value = ew.measure(ranking, 'average_precision')",
)


def write(path: Path, rows: int) -> None:
    """Scores of doubles and a truth of bytes, a chunk at a time: this process stays small too."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(3)
    types: dict[str, Any] = {"truth": pa.int8(), "score": pa.float64()}
    schema = pa.schema(types)
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, CHUNK):
            number = min(CHUNK, rows - start)
            truth = (rng.random(number) < SHARE).astype(np.int8)
            scores = rng.normal(size=number) + 2 * truth
            writer.write_table(pa.Table.from_arrays([pa.array(truth), pa.array(scores)], schema=schema))


def measured(path: Path, what: tuple[str, str]) -> list[float]:
    """Seconds, megabytes, the value, and seconds of all cores together."""
    code = CHILD.format(imports=what[0], work=what[1])
    result: list[float] = run_process(code, str(path))
    return result


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        print("        rows   read at once   in batches   exact AP   ratios          peak  AP")
        for rows in SIZES:
            path = Path(folder) / f"{rows}.parquet"
            write(path, rows)
            # In turns, so that what else the machine does falls on all of them.
            rounds = [[measured(path, what) for what in (AT_ONCE, IN_BATCHES, EXACT)] for _ in range(ROUNDS)]
            whole, batches, ours = (min(taken[index][0] for taken in rounds) for index in range(3))
            cores = [min(taken[position][3] for taken in rounds) for position in range(3)]
            peak, value = max(taken[2][1] for taken in rounds), rounds[0][2][2]
            print(
                f"{rows:>12,} {whole:>12.2f} s {batches:>10.2f} s {ours:>8.2f} s {ours / whole:>6.1f}× "
                f"{ours / batches:>6.1f}× {peak:>5.0f} MB  {value:.6f}"
            )
        named = zip(("at once", "in batches", "AP"), cores, strict=True)
        text = ", ".join(f"{name} {taken:.2f} s" for name, taken in named)
        print(f"{'  of all cores together (a busy machine stretches the rest)':<58} {text}")
        line("exact AP of 5·10⁷ rows, 2% targets, against read_table", ours, whole, 1 / 5, unit="s")
        line("  the same against reading batches and keeping none", ours, batches, 1 / 5, unit="s")
        mark = "ok" if peak < 1000 else "MISSED"
        print(f"{'  peak of resident memory':<58} {peak:9.0f} MB  (wanted below 1000 MB: {mark})")


if __name__ == "__main__":
    main()
