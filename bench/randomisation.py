"""Exact randomisation: seconds against the limits, beside shuffling for the same accuracy."""

from __future__ import annotations

import numpy as np
from timing import line, seconds

from edgeworth.comparisons.labels.differences import label_differences
from edgeworth.comparisons.labels.joint_cells import joint_cells
from edgeworth.comparisons.labels.randomization import randomisation_test, swap_test
from edgeworth.comparisons.paired import Paired
from edgeworth.comparisons.randomization.coins import mcnemar
from edgeworth.decisions.views import resolve


def pair_of(*counts: int) -> Paired:
    """Targets that both find, only the first, only the second, none; background in the same order."""
    kinds = [(y, a, b) for y in (1, 0) for a, b in ((1, 1), (1, 0), (0, 1), (0, 0))]
    truth, one, two = zip(*kinds, strict=True)
    return Paired.from_labels(truth, {"a": one, "b": two}, weights=np.array(counts))


def two_classes() -> None:
    """One label: hundred thousand cases, ten million."""
    thousand = pair_of(12_000, 265, 235, 7_500, 3_000, 240, 260, 76_500)
    lakh = pair_of(1_200_000, 25_200, 24_800, 750_000, 300_000, 24_900, 25_100, 7_650_000)
    for measure in ("f[1]", "precision[1]"):
        for what, pair in (
            ("10⁵ cases, 10³ disagreements", thousand),
            ("10⁷ cases, 10⁵ disagreements", lakh),
        ):
            cells = joint_cells(pair, "a", "b")
            judged = cells, resolve(cells.tables[0], measure)
            took = seconds(lambda x=judged: swap_test(*x, studentised=True), 3)
            p_value = swap_test(*judged, studentised=True).p_value
            line(f"{measure}, {what} (p = {p_value:.4f}), limit", took, 1.0, 1)
    line("McNemar, 10⁷ discordant, limit", seconds(lambda: mcnemar(5_003_000, 4_997_000), 3), 0.1, 1)


def shuffled() -> None:
    """Shuffling itself, 100 times, scaled to a relative error of 1% at p = 0.2."""
    rng = np.random.default_rng(0)
    truth, one = (rng.random(100_000) < 0.2), (rng.random(100_000) < 0.2)
    two = one ^ (rng.random(100_000) < 0.01)

    def hundred() -> None:
        for _ in range(100):
            swap = rng.random(len(one)) < 0.5
            a, b = np.where(swap, two, one), np.where(swap, one, two)
            _ = [2 * (x & truth).sum() / (truth.sum() + x.sum()) for x in (a, b)]

    needed = 0.8 / (0.2 * 0.01**2)
    cells = joint_cells(pair_of(12_000, 265, 235, 7_500, 3_000, 240, 260, 76_500), "a", "b")
    ours = seconds(lambda: swap_test(cells, resolve(cells.tables[0], "f[1]")), 3)
    line("f exactly, beside shuffling to 1%", ours, seconds(hundred, 1) / 100 * needed, 100, "s")


def classes() -> None:
    """Powers' informedness over several classes."""
    for number, differ in ((3, 200), (4, 100), (4, 200), (5, 200), (5, 1_000), (10, 200), (20, 5_000)):
        rng = np.random.default_rng(number)
        truth = rng.choice(number, size=20_000, p=rng.dirichlet(np.full(number, 5.0)))
        one = np.where(rng.random(20_000) < 0.7, truth, rng.integers(0, number, 20_000))
        two = one.copy()
        where = rng.choice(20_000, differ, replace=False)
        two[where] = (one[where] + rng.integers(1, number, differ)) % number
        swap = rng.random(20_000) < 0.45
        one[swap], two[swap] = two[swap], one[swap]
        cells = joint_cells(Paired.from_labels(truth, {"a": one, "b": two}), "a", "b")
        judged = resolve(cells.tables[0], "informedness")
        took = seconds(lambda x=(cells, judged): randomisation_test(*x), 2)
        tail = randomisation_test(cells, judged)
        line(f"{number} classes, {differ:,} disagreements, limit", took, 5.0, 1, "s")
        width = (tail.high - tail.low) / tail.high
        print(f"  p = {tail.p_value:.5g}, ends apart {width:.1e}; {tail.method}")


def clusters() -> None:
    """Documents with counts of their own."""
    for number, most in ((20, 1_000), (100, 10), (1_000, 6), (10_000, 20)):
        rng = np.random.default_rng(number)
        cluster = np.repeat(np.arange(number), rng.integers(1, most, number))
        truth = rng.integers(0, 2, len(cluster))
        predictions = {name: np.where(rng.random(len(truth)) < 0.6, truth, 1 - truth) for name in ("a", "b")}
        paired = Paired.from_labels(truth, predictions, clusters=cluster)
        for measure in ("f[1]", "recall[1]"):
            took = seconds(lambda p=paired, m=measure: label_differences(p, "a", "b", [m]), 2)
            tail = label_differences(paired, "a", "b", [measure])[measure].tests["randomisation"]
            line(f"{measure}, {number:,} clusters of up to {most:,}, limit", took, 5.0, 1, "s")
            print(f"  p = {tail.p_value:.5g}; {tail.method}")


if __name__ == "__main__":
    two_classes()
    shuffled()
    classes()
    clusters()
