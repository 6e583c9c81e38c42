"""The law of log wealth: how fast, and how narrow. A Markdown table; about a minute.

    python bench/wealth_law.py

Random two- and three-way games at the rival's prices; the tail is asked for at z standard deviations above
the mean. Beside it one million simulated wealths where they can see the tail at all.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from edgeworth.forecasts.betting.law import LogWealthLaw

Floats = NDArray[np.float64]


def games(n: int, outcomes: int, seed: int = 0) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.full(outcomes, 2.0), n), rng.dirichlet(np.full(outcomes, 2.0), n)
    return np.log((0.7 * q + 0.3 * p) / q), q


def simulated(logs: Floats, q: Floats, x: float, draws: int = 1_000_000) -> float:
    rng, total = np.random.default_rng(1), np.zeros(draws)
    for row, shares in zip(logs, q, strict=True):
        total += row[np.searchsorted(np.cumsum(shares)[:-1], rng.random(draws))]
    return float((total >= x).mean())


def row(name: str, logs: Floats, q: Floats, z: float, counts: NDArray[np.int64] | None = None) -> None:
    law = LogWealthLaw.of(logs, q, counts)
    x = law.mean + z * law.standard_deviation
    start = time.perf_counter()
    tail = law.tail(x)
    took = time.perf_counter() - start
    width = (tail.high - tail.low) / tail.high
    drawn = f"{simulated(logs, q, x):.3g}" if counts is None and len(logs) <= 100 else ""
    shown = f"{tail.p_value:.4g} | {width:.1e} | {drawn}"
    print(f"| {name} | {z} | {took:.2f} s | {tail.method} | {shown} |", flush=True)


def main() -> None:
    print("| steps | z | time | method | P | relative width | simulated |")
    print("|---|---|---|---|---|---|---|")
    for n in (20, 40, 100, 4096, 100_000):
        for z in (-1.0, 2.0, 6.0):
            row(f"{n:,} two-way", *games(n, 2), z)
    for n in (12, 20, 4096):
        row(f"{n:,} three-way", *games(n, 3), 2.0)
    row("4,096 alike, two-way", *games(1, 2), 3.0, np.array([4096]))
    row("1,000,000 alike, two-way", *games(1, 2), 3.0, np.array([1_000_000]))
    row("4,096 alike, three-way", *games(1, 3), 3.0, np.array([4096]))
    logs, q = games(4096, 2)
    row("4,096 two-way, rounded to 0.01", np.round(logs, 2), q, 3.0)


if __name__ == "__main__":
    main()
