"""Tails of average precision under chance: seconds, and how wide the answer is, beside plain shuffling."""

from __future__ import annotations

import numpy as np
from timing import line, seconds

from edgeworth.rankings.chance.law import AveragePrecisionLaw, average_precision


def report(law: AveragePrecisionLaw, value: float, limit: float, repeat: int) -> None:
    """One tail: its time against a limit, and its relative width (for draws: the half-width)."""
    took = seconds(lambda: law.tail(value), repeat)
    tail = law.tail(value)
    away = (value - law.mean) / law.standard_deviation
    what = f"P(AP ≥ {value:.4g}), n={law.n}, m={law.m}, {away:.1f} sd, limit {limit:g} s"
    line(what, took, limit, 1, "s" if limit > 1 else "ms")
    width = (tail.high - tail.low) / tail.low if tail.low else float("inf")
    if tail.kind == "drawn":
        width /= 2
    mark = "ok" if width < 0.03 else "WIDE"
    print(f"{'  ' + tail.method:<58} {tail.low:.6g} to {tail.high:.6g}: {width:.2%} (wanted 3%: {mark})")


def shuffling() -> None:
    """What a permutation test would have to do for the same precision: 10⁴ shuffles, scaled up."""
    rng, law = np.random.default_rng(0), average_precision(100, 10)
    order = np.repeat([1.0, 0.0], [10, 90])

    def shuffled() -> int:
        hits = rng.permuted(np.tile(order, (10_000, 1)), axis=1)
        precision = (hits * hits.cumsum(axis=1) / np.arange(1, 101)).sum(axis=1) / 10
        return int((precision >= 0.4).sum())

    tail = law.tail(0.4)
    # A 99% half-width of 1% needs 2.576²/(0.01² P) shuffles.
    needed = 2.576**2 / (0.01**2 * tail.low)
    theirs = seconds(shuffled, 2) * needed / 10_000
    line(
        f"the same by {needed:.1e} shuffles (extrapolated)", seconds(lambda: law.tail(0.4)), theirs, 100, "s"
    )


def moments() -> None:
    fresh = iter(range(10**6))

    def one() -> None:
        law = average_precision(10**6 + next(fresh), 10**4)
        _ = law.mean, law.variance

    line("mean and variance of 10⁶ items, limit 50 ms", seconds(one), 0.05, 1)


if __name__ == "__main__":
    moments()
    for value in (0.2, 0.4, 0.7, 0.95):
        report(average_precision(100, 10), value, 0.1, 5)
    large = average_precision(3000, 245)
    for away in (-3, 0, 2, 5, 10, 30):
        report(large, large.mean + away * large.standard_deviation, 5.0, 2)
    for value in (0.5, 0.89):
        report(large, value, 5.0, 2)
    shuffling()
