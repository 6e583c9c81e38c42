"""Two predictors of labels: counting both with the truth beside tallying one, and what a comparison costs."""

from __future__ import annotations

import numpy as np
from timing import line, seconds

import edgeworth as ew
from edgeworth.comparisons.labels.differences import compare_labels, label_differences

ROWS = 10**7
MOST = 2.5
"""Times the tally of one predictor that counting two may cost."""


def predictors(rows: int, labels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth, and two predictors that are right nine times in ten."""
    rng = np.random.default_rng(labels)
    truth, one, two = rng.integers(0, labels, (3, rows))
    one = np.where(rng.random(rows) < 0.9, truth, one)
    return truth, one, np.where(rng.random(rows) < 0.9, truth, two)


def counting() -> None:
    for labels in (2, 10, 40, 100):
        truth, one, two = predictors(ROWS, labels)
        single = seconds(lambda t=truth, p=one: ew.ContingencyTable.from_labels(t, p))
        both = seconds(lambda t=truth, p=one, q=two: ew.Paired.from_labels(t, {"one": p, "two": q}))
        mark = "ok" if both <= MOST * single else "MISSED"
        print(
            f"{f'10⁷ rows of integers, {labels} labels: one predictor':<58} {single * 1e3:9.1f} ms  "
            f"two {both * 1e3:9.1f} ms  {both / single:5.2f}× (wanted at most {MOST:g}×: {mark})"
        )


def comparing() -> None:
    for labels, rows in ((2, 10**4), (10, 10**5)):
        truth, one, two = predictors(rows, labels)
        paired = ew.Paired.from_labels(truth, {"one": one, "two": two})
        taken = seconds(lambda pair=paired: label_differences(pair, "one", "two"), repeat=3)
        print(f"{f'all usual differences, {rows:,} cases, {labels} labels':<58} {taken * 1e3:9.1f} ms")


def whole() -> None:
    """From rows to findings, beside tallying one predictor; and all pairs of many systems."""
    truth, one, two = predictors(ROWS, 2)
    single = seconds(lambda: ew.ContingencyTable.from_labels(truth, one))
    paired = ew.Paired.from_labels(truth, {"one": one, "two": two})
    rest = seconds(lambda: compare_labels(paired), repeat=3)
    print(f"{'10⁷ rows, two labels: one table':<50} {single * 1e3:9.1f} ms  then {rest * 1e3:9.1f} ms")
    rng = np.random.default_rng(0)
    real = rng.choice(5, 400, p=[0.4, 0.25, 0.15, 0.12, 0.08])
    many = {
        f"system {i}": np.where(rng.random(400) < 0.55 + 0.02 * i, real, rng.integers(0, 5, 400))
        for i in range(12)
    }
    tally = ew.Paired.from_labels(real, many)
    line(
        "12 systems × 400 rows, 5 classes, limit 8 s", seconds(lambda: compare_labels(tally), 1), 8.0, 1, "s"
    )


if __name__ == "__main__":
    counting()
    comparing()
    whole()
