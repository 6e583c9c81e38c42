"""Two predictors of labels: counting both with the truth beside tallying one, and what a comparison costs."""

from __future__ import annotations

import numpy as np
from timing import seconds

import edgeworth as ew
from edgeworth.inference.comparing.labels.label_differences import label_differences

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


if __name__ == "__main__":
    counting()
    comparing()
