"""Best of a few runs side by side, memory of a call, and runs in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any


def seconds(call: Callable[[], Any], repeat: int = 5) -> float:
    """Take the fastest of some runs: the machine is noisy, and noise only adds."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def seconds_in_turns(calls: Sequence[Callable[[], Any]], rounds: int = 20) -> list[float]:
    """Take the fastest run of each call, by turns: what else the machine does falls on all of them alike."""
    taken = [[seconds(call, 1) for call in calls] for _ in range(rounds)]
    return [min(item) for item in zip(*taken, strict=True)]


def peak_bytes(call: Callable[[], Any]) -> int:
    """Find the largest amount of memory allocated at once during a call."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def run_process(code: str, *arguments: str) -> Any:
    """Run code in a process of its own, whose peak of memory is its own too, and read the JSON it prints."""
    return json.loads(subprocess.check_output([sys.executable, "-c", code, *arguments], text=True))


def memory_line(call: Callable[[], Any], given: float) -> None:
    """Print the memory of a call beside the bytes it was given."""
    peak = peak_bytes(call) / 1e6
    print(f"{'  memory beyond the input':<58} {peak:9.1f} MB  input {given / 1e6:.0f} MB")


def limit_line(what: str, taken: float, most: float, note: str = "") -> None:
    """Print a time beside the limit it should keep."""
    mark = "ok" if taken <= most else "MISSED"
    print(f"{what:<62} {taken:8.3f} s{note}  (wanted at most {most:g} s: {mark})")


def line(what: str, ours: float, theirs: float, wanted: float, unit: str = "ms") -> None:
    """Print one comparison: times, ratio, and whether it reaches what was promised."""
    scale = {"ms": 1e3, "s": 1.0}[unit]
    ratio = theirs / ours
    mark = "ok" if ratio >= wanted else "MISSED"
    print(
        f"{what:<58} {ours * scale:9.1f} {unit}  against {theirs * scale:9.1f} {unit}  {ratio:7.1f}×"
        f"  (wanted {wanted:g}×: {mark})"
    )
