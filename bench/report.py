"""From a million rows to a page: how long, how large, how much memory beyond the input."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

import edgeworth as ew

ROWS = 10**6


def made() -> dict[str, tuple[int, Callable[[], Any]]]:
    """Each kind of prediction: bytes of its columns, and the report on them."""
    rng = np.random.default_rng(0)
    strength = rng.normal(size=ROWS)
    truth = (strength + rng.normal(size=ROWS) > 0.8).astype(np.int64)
    text = (strength > 0.8).astype(np.int64)
    chance = 1 / (1 + np.exp(-1.2 * (strength - 0.8)))
    rival = np.full(ROWS, truth.mean())
    other = np.where(rng.random(ROWS) < 0.9, text, 1 - text)
    return {
        "labels": (2 * truth.nbytes, lambda: ew.evaluate(truth=truth, prediction=text)),
        "scores": (2 * truth.nbytes, lambda: ew.evaluate(truth=truth, score=strength)),
        "probabilities": (
            3 * truth.nbytes,
            lambda: ew.evaluate(truth=truth, probabilities=chance, against=rival, ordered=True),
        ),
        "comparison": (
            3 * truth.nbytes,
            lambda: ew.compare(truth=truth, systems={"one": text, "two": other}).report,
        ),
    }


def main() -> None:
    ew.evaluate(truth=[0, 1] * 20, prediction=[0, 1] * 20).to_html()  # the drawing library, once
    heads = ("evaluate", "page", "both", "page size", "memory")
    print(f"{ROWS:,} rows      " + "  ".join(f"{head:>11}" for head in heads))
    for name, (size, evaluate) in made().items():
        start = time.perf_counter()
        report = evaluate()
        middle = time.perf_counter()
        page = report.to_html()
        end = time.perf_counter()
        tracemalloc.start()
        evaluate().to_html()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(
            f"{name:<15} {middle - start:11.2f} s {end - middle:11.2f} s {end - start:10.2f} s"
            f"  {len(page) / 1e6:8.2f} MB  {peak / size:6.2f} × input"
        )


if __name__ == "__main__":
    main()
