"""Average precision, ROC area, bootstrap: edgeworth beside scikit-learn and numpy, in one run."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score
from timing import line, memory_line, seconds

import edgeworth as ew
from edgeworth.methods import Bootstrap


def long_lists() -> None:
    rng = np.random.default_rng(0)
    truth = (rng.random(10**7) < 0.02).astype(np.int64)
    scores = rng.normal(size=10**7) + truth

    def both() -> tuple[float, float]:
        ranking = ew.Ranking.from_scores(truth, scores)
        return ew.measure(ranking, "average_precision"), ew.measure(ranking, "roc_auc")

    ours = seconds(both)
    sort = seconds(lambda: np.sort(scores))
    theirs = seconds(lambda: average_precision_score(truth, scores), repeat=1)
    line("AP and ROC area of 10⁷ scores, 2% targets", ours, theirs, 20)
    line("  the same against np.sort of the scores, at most 2×", ours, sort, 0.5)
    memory_line(both, 2 * scores.nbytes)
    value, area = both()
    assert abs(value - average_precision_score(truth, scores)) < 1e-12
    assert abs(area - roc_auc_score(truth, scores)) < 1e-12
    ranking = ew.Ranking.from_scores(truth, scores)
    interval = seconds(lambda: ew.estimate(ranking, "average_precision"), repeat=2)
    print(f"{'  its interval':<58} {interval * 1e3:9.1f} ms")


def bootstrap() -> None:
    for share in (0.02, 0.5):
        rng = np.random.default_rng(1)
        truth = (rng.random(10**5) < share).astype(np.int64)
        scores = rng.normal(size=10**5) + truth
        ranking = ew.Ranking.from_scores(truth, scores)
        method = Bootstrap(draws=1000, rng=7)
        ours = seconds(lambda r=ranking, m=method: ew.estimate(r, "average_precision", method=m), repeat=3)

        def loop(t: np.ndarray = truth, s: np.ndarray = scores, draws: int = 20) -> None:
            generator = np.random.default_rng(2)
            for _ in range(draws):
                rows = generator.integers(0, len(t), len(t))
                average_precision_score(t[rows], s[rows])

        theirs = seconds(loop, repeat=1) * 50
        wanted = 100 if share == 0.02 else 1
        line(f"1000 bootstrap replicates of AP, 10⁵ scores, {share:.0%} targets", ours, theirs, wanted)


def growth() -> None:
    """Time and memory of a report as the list grows."""
    for power in (4, 5, 6, 7):
        rng = np.random.default_rng(3)
        truth = rng.random(10**power) < 0.02
        scores = rng.normal(size=10**power) + 2 * truth
        taken = seconds(lambda t=truth, s=scores: ew.evaluate(truth=t, score=s), repeat=1)
        print(f"{f'whole report, 10^{power} scores, 2% targets':<58} {taken * 1e3:9.1f} ms")


if __name__ == "__main__":
    long_lists()
    bootstrap()
    growth()
