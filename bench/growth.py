"""What more rows, targets, labels and machines cost: times, peaks of memory, and the slope between sizes.

Files are made in a temporary folder and removed. Each count runs in a process of its own, whose imports are
not timed; a slope of 1 means that twice as much takes twice as long.
"""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import duckdb
import numpy as np
from timing import run_process, seconds

import edgeworth as ew

ROUNDS = 3

CHILD = """
import json, resource, sys, time
import edgeworth as ew
import pyarrow.parquet, duckdb, scipy.special, edgeworth.evaluation
path, words = sys.argv[1], json.loads(sys.argv[2])
before = time.perf_counter()
report = ew.evaluate(path, **words)
taken = time.perf_counter() - before
print(json.dumps([taken, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6]))
"""

LABELS = """
SELECT (hash(i) % {labels})::INTEGER AS y,
       (CASE WHEN hash(i + 1) % 3 = 0 THEN hash(i + 2) % {labels} ELSE hash(i) % {labels} END)::INTEGER AS p
FROM range({rows}) t(i)
"""
SCORES = """
SELECT (hash(i) % {every} = 0)::TINYINT AS y,
       (hash(i + 1)::DOUBLE / 1.8446744073709552e19 + (hash(i) % {every} = 0)::INTEGER) / 2 AS s
FROM range({rows}) t(i)
"""
FORECASTS = """
SELECT (hash(i)::DOUBLE / 1.8446744073709552e19 < p)::TINYINT AS y, p, q
FROM (SELECT i, hash(i + 1)::DOUBLE / 1.8446744073709552e19 AS p, 0.5::DOUBLE AS q FROM range({rows}) t(i))
"""

Case = tuple[int, str, dict[str, str]]


def measured(query: str, words: dict[str, str]) -> tuple[float, float]:
    """Seconds, the best of some, and megabytes, the most of them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        duckdb.connect().execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
        results = [run_process(CHILD, str(path), json.dumps(words)) for _ in range(ROUNDS)]
    return min(taken for taken, _ in results), max(peak for _, peak in results)


def print_growth(title: str, cases: Sequence[Case]) -> None:
    """A table of sizes, with the slope of time between neighbours."""
    print(f"\n{title}\n{'size':>14} {'seconds':>9} {'slope':>6} {'peak MB':>8}")
    before: tuple[int, float] | None = None
    for size, query, words in cases:
        taken, peak = measured(query, words)
        print(f"{size:>14,} {taken:>9.3f} {slope(before, (size, taken)):>6} {peak:>8.0f}", flush=True)
        before = size, taken


def slope(before: tuple[int, float] | None, now: tuple[int, float]) -> str:
    """How fast time grows with size: the difference of logarithms of times over that of sizes."""
    if before is None:
        return ""
    return f"{math.log(now[1] / before[1]) / math.log(now[0] / before[0]):.2f}"


def print_merging(title: str, sizes: Sequence[int], make: Callable[[int], list[ew.ContingencyTable]]) -> None:
    print(f"\n{title}\n{'size':>14} {'seconds':>9} {'slope':>6}")
    before: tuple[int, float] | None = None
    for size in sizes:
        tables = make(size)
        taken = seconds(lambda tables=tables: sum(tables[1:], tables[0]), ROUNDS)
        print(f"{size:>14,} {taken:>9.4f} {slope(before, (size, taken)):>6}")
        before = size, taken


def tables(number: int, labels: int) -> list[ew.ContingencyTable]:
    rng = np.random.default_rng(0)
    return [
        ew.ContingencyTable.from_matrix(rng.integers(0, 9, (labels, labels)), rows="real")
        for _ in range(number)
    ]


def main() -> None:
    decisions = {"truth": "y", "prediction": "p"}
    scores = {"truth": "y", "score": "s"}
    bets = {"truth": "y", "probabilities": "p", "against": "q"}
    print_growth(
        "labels, ten of them, by rows",
        [(n, LABELS.format(labels=10, rows=n), decisions) for n in (10**6, 10**7, 10**8)],
    )
    print_growth(
        "labels, 10⁷ rows, by the number of labels",
        [(k, LABELS.format(labels=k, rows=10**7), decisions) for k in (2, 10, 50, 200)],
    )
    print_growth(
        "scores, one target in fifty, by rows",
        [(n, SCORES.format(every=50, rows=n), scores) for n in (5 * 10**6, 10**7, 5 * 10**7)],
    )
    print_growth(
        "scores, 2·10⁷ rows, by targets",
        [(2 * 10**7 // k, SCORES.format(every=k, rows=2 * 10**7), scores) for k in (2000, 200, 20)],
    )
    print_growth(
        "probabilities of two classes against a rival, by rows",
        [(n, FORECASTS.format(rows=n), bets) for n in (10**6, 10**7)],
    )
    print_merging("adding tables of 100×100, by their number", (10, 100, 1000), lambda n: tables(n, 100))
    print_merging("adding 100 tables, by labels", (10, 100, 300), lambda k: tables(100, k))


if __name__ == "__main__":
    main()
