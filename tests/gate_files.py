"""Run logs and tables for gates, written by the tests themselves."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from run_logs import inspect_log, inspect_sample


def write_log(
    path: Path,
    right: Sequence[int],
    *,
    model: str = "lab/small",
    task: str = "quiz",
    first: int = 0,
    topics: Sequence[str] = ("a", "b"),
    **header: object,
) -> Path:
    """Write a log in which an item is right (1) or wrong (0), or errored (−1)."""
    samples = []
    for number, value in enumerate(right, start=first):
        sample = inspect_sample(
            number, "C" if value == 1 else "I", metadata={"topic": topics[number % len(topics)]}
        )
        if value == -1:
            sample |= {"error": {"message": "timeout"}, "scores": {}}
        samples.append(sample)
    path.write_text(json.dumps(inspect_log(samples, model=model, task=task, **header)))
    return path


def answers(wins: int, losses: int, both: int, neither: int = 0) -> tuple[list[int], list[int]]:
    """Right or wrong answers of a candidate and a baseline."""
    candidate = [1] * wins + [0] * losses + [1] * both + [0] * neither
    baseline = [0] * wins + [1] * losses + [1] * both + [0] * neither
    return candidate, baseline
