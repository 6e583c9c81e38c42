"""Best of a few runs, side by side, and what memory a call takes beyond its input."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any


def seconds(call: Callable[[], Any], repeat: int = 5) -> float:
    """The fastest of some runs: the machine is noisy, and noise only adds."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def seconds_in_turns(calls: Sequence[Callable[[], Any]], rounds: int = 20) -> list[float]:
    """The fastest run of each call, by turns: what else the machine does falls on all of them alike."""
    taken = [[seconds(call, 1) for call in calls] for _ in range(rounds)]
    return [min(each) for each in zip(*taken, strict=True)]


def peak_bytes(call: Callable[[], Any]) -> int:
    """The largest amount of memory allocated at once during a call."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def line(what: str, ours: float, theirs: float, wanted: float, unit: str = "ms") -> None:
    """One comparison: times, ratio, and whether it reaches what was promised."""
    scale = {"ms": 1e3, "s": 1.0}[unit]
    ratio = theirs / ours
    mark = "ok" if ratio >= wanted else "MISSED"
    print(
        f"{what:<58} {ours * scale:9.1f} {unit}  against {theirs * scale:9.1f} {unit}  {ratio:7.1f}×"
        f"  (wanted {wanted:g}×: {mark})"
    )
