"""The wealth of every case, block and stake fraction beside scikit-learn's log loss, which is one number."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import log_loss
from timing import memory_line, seconds

from edgeworth.bet.fractional import fraction_sums, fractional_logs
from edgeworth.forecasts.betting.wealth import Wealth


def tallies(classes: int) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, classes, 10**6)
    mine, its = (rng.dirichlet(np.ones(classes), 10**6) for _ in range(2))

    def ours() -> Wealth:
        return Wealth.from_probabilities(truth, mine, against=its)

    taken, theirs = seconds(ours, repeat=7), seconds(lambda: log_loss(truth, mine))
    print(
        f"{f'wealth against a rival, 10⁶ × {classes}':<58} {taken * 1e3:9.1f} ms  "
        f"log_loss of one of them {theirs * 1e3:.1f} ms, {taken / theirs:.2f} of it"
    )
    memory_line(ours, mine.nbytes + its.nbytes)


def fractions() -> None:
    """Twenty-one stakes: a logarithm for every case and stake, and one for sixteen cases."""
    steps = np.random.default_rng(1).normal(0, 0.3, (128, 256))
    plain = seconds(lambda: [fractional_logs(run).sum(axis=0) for run in steps])
    ours = seconds(lambda: fraction_sums(steps.ravel(), np.arange(128) * 256))
    print(
        f"{'21 stake fractions, 32,768 cases, one thread':<58} {ours * 1e3:9.1f} ms  "
        f"a logarithm each {plain * 1e3:.1f} ms, {plain / ours:.1f}×"
    )


if __name__ == "__main__":
    tallies(5)
    tallies(2)
    fractions()
