"""Run logs and tables for gates, written by the tests themselves."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

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


def tango_bounds(wins: Any, losses: Any, trials: float, z: float = 1.959963985) -> tuple[Any, Any]:
    """Bounds of the difference of two paired shares: Tango (1998), his formulas written out.

    They are the differences at which the score test just rejects, found by bisection.
    """
    wins, losses = (np.atleast_1d(np.asarray(count, float)) for count in (wins, losses))

    def lower(wins: Any, losses: Any) -> Any:
        value = (wins - losses) / trials
        low, high = np.full(len(wins), -1.0), value
        for _ in range(60):
            delta = (low + high) / 2
            linear = (2 * trials - wins + losses) * delta - wins - losses
            root = np.sqrt(np.maximum(linear**2 + 8 * trials * losses * delta * (1 - delta), 0))
            variance = trials * ((root - linear) / (2 * trials) + delta * (1 - delta))
            is_rejected = wins - losses - trials * delta >= z * np.sqrt(np.maximum(variance, 0))
            low, high = np.where(is_rejected, delta, low), np.where(is_rejected, high, delta)
        return low

    return lower(wins, losses), -lower(losses, wins)


def wilson_low(right: float, trials: int) -> float:
    """Compute the lower end of Wilson's interval by its formula."""
    z, share = float(stats.norm.ppf(0.975)), right / trials
    centre = share + z**2 / (2 * trials)
    reach = z * math.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    return (centre - reach) / (1 + z**2 / trials)
