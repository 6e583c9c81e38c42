"""How often intervals cover with clusters, weights and rare classes, and how often constants are named.

    script/coverage clusters-rankings -n 2000
    python bench/clusters.py 500 --only weights

Beside Edgeworth stand the usual alternatives in the same samples: rows as independent, Wald, the delta method
alone, and the percentile bootstrap (of clusters, if there are any). tests/calibration has a small sample.
"""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from coverage_records import Record, rate, run_grids
from numpy.typing import NDArray
from scipy import optimize, stats

import edgeworth as ew
from edgeworth.core.estimates import Estimate
from edgeworth.decisions.cost_report import constant_p_value
from edgeworth.decisions.payoffs_and_costs import costs, expected_cost
from edgeworth.decisions.views import resolve
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.tally import ForecastTally, Opponent
from edgeworth.methods import Delta
from edgeworth.sources.columns import encode

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]
BOOTSTRAP_DRAWS = 400
QUANTILE = float(stats.norm.ppf(0.975))
TAILS = (0.025, 0.975)


@dataclass
class Tries:
    """The intervals of one measure by one method: how many cover, carry a caveat, and how wide they are."""

    samples: int = 0
    covered: int = 0
    caveats: int = 0
    covered_or_caveat: int = 0
    width: float = 0.0

    def add(self, low: float, high: float, truth: float, *, caveat: bool = False) -> None:
        """Count one interval."""
        covers = bool(low <= truth <= high)
        self.samples += 1
        self.covered += covers
        self.caveats += caveat
        self.covered_or_caveat += covers or caveat
        self.width += high - low if math.isfinite(high - low) else 0.0

    def add_estimate(self, estimate: Estimate, truth: float) -> None:
        """Count the interval of an estimate, which may carry a caveat."""
        low, high = estimate.interval()
        self.add(low, high, truth, caveat=estimate.caveat is not None)

    def record(self, setting: str, method: str, n: int, clusters: int | None = None) -> Record:
        """Make the record of a setting."""
        coverage, error = rate(self.covered, self.samples)
        return Record(
            setting, method, n, clusters=clusters, coverage=coverage, se=error, samples=self.samples,
            caveats=self.caveats / self.samples, width=self.width / self.samples,
            covers_or_caveat=self.covered_or_caveat / self.samples,
        )  # fmt: skip


def wald(mean: float, error: float) -> tuple[float, float]:
    """Compute the usual normal bounds."""
    return mean - QUANTILE * error, mean + QUANTILE * error


def percentiles(values: Floats) -> tuple[float, float]:
    """Compute the percentile bounds of resampled values."""
    low, high = np.nanquantile(values, TAILS)
    return float(low), float(high)


def cluster_sizes(rng: np.random.Generator, clusters: int, kind: str) -> Integers:
    """Draw sizes of clusters, 15 on average: equal, moderately unequal or very unequal."""
    if kind == "equal":
        return np.full(clusters, 15)
    if kind == "Poisson":
        return 1 + rng.poisson(14, clusters)
    if kind == "gamma":
        return np.maximum(2, np.round(rng.gamma(4, 15 / 4, clusters))).astype(int)
    return np.maximum(1, np.round(np.exp(rng.normal(2.3, 1, clusters)))).astype(int)


def ranked_clusters(
    rng: np.random.Generator, clusters: int, kind: str
) -> tuple[Flags, Floats, Floats, Integers]:
    """Draw cases whose prevalence and scores vary between clusters (standard deviation of scores 1)."""
    cluster = np.repeat(np.arange(clusters), cluster_sizes(rng, clusters, kind))
    truth = rng.random(len(cluster)) < rng.beta(3, 7, clusters)[cluster]
    effect = rng.normal(0, 1, clusters)[cluster]
    scores = rng.normal(size=len(cluster)) + 1.2 * truth + effect
    return truth, scores, 1 / (1 + np.exp(1.3 - 0.8 * scores)), cluster


def clustered_rankings(samples: int) -> Iterator[Record]:
    """Yield coverage for the ROC area, average precision and the Brier score in 20 and 40 clusters."""
    for kind in ("equal", "Poisson", "gamma", "lognormal"):
        truth, scores, chances, _ = ranked_clusters(np.random.default_rng(9), 60_000, kind)
        big = ew.Ranking.from_scores(truth, scores)
        values = {name: ew.measure(big, name) for name in ("roc_auc", "average_precision")}
        values["brier"] = float(((truth - chances) ** 2).mean())
        for number in (20, 40):
            rng = np.random.default_rng(1)
            tries: defaultdict[tuple[str, str], Tries] = defaultdict(Tries)
            for _ in range(samples):
                truth, scores, chances, cluster = ranked_clusters(rng, number, kind)
                resampled = resample_rankings(truth, scores, (truth - chances) ** 2, cluster, rng)
                ranking = ew.Ranking.from_scores(truth, scores, clusters=cluster)
                plain = ew.Ranking.from_scores(truth, scores)
                forecasts = Forecasts.of(truth * 1, chances, labels=[0, 1])
                opponent = Opponent.class_shares(forecasts, (0.7, 0.3))
                tally = ForecastTally.of(forecasts, opponent, clusters=encode(cluster, "cluster"))
                losses = (truth - chances) ** 2
                for name, value in values.items():
                    estimate = ew.estimate(tally if name == "brier" else ranking, name)
                    tries[name, "Edgeworth, --cluster"].add_estimate(estimate, value)
                    bounds = (
                        wald(float(losses.mean()), float(losses.std(ddof=1)) / math.sqrt(len(losses)))
                        if name == "brier"
                        else ew.estimate(plain, name).interval()
                    )
                    tries[name, "rows as independent"].add(*bounds, value)
                    tries[name, "cluster bootstrap"].add(*percentiles(resampled[name]), value)
            for (name, method), item in tries.items():
                yield item.record(f"{NAMES[name]}, {kind} sizes", method, 15 * number, number)


NAMES = {
    "roc_auc": "ROC area",
    "average_precision": "average precision",
    "brier": "Brier score",
    "mcc": "MCC",
    "kappa": "kappa",
    "macro_f": "macro F",
}


def resample_rankings(
    truth: Flags, scores: Floats, losses: Floats, cluster: Integers, rng: np.random.Generator
) -> dict[str, Floats]:
    """Resample whole clusters, and measure each resample."""
    number = int(cluster.max()) + 1
    times = rng.multinomial(number, np.full(number, 1 / number), size=BOOTSTRAP_DRAWS)
    order = np.argsort(-scores)
    weights = times[:, cluster[order]].astype(np.float64)
    targets, others = weights * truth[order], weights * ~truth[order]
    above_targets, above_others = targets.cumsum(axis=1), others.cumsum(axis=1)
    hits, rest = above_targets[:, -1], above_others[:, -1]
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.where(targets > 0, above_targets / (above_targets + above_others), 0.0)
        return {
            "roc_auc": 1 - (targets * above_others).sum(axis=1) / (hits * rest),
            "average_precision": (targets * precision).sum(axis=1) / hits,
            "brier": (weights @ losses[order]) / weights.sum(axis=1),
        }


FOLDS, REPEATS, ROWS, FEATURES = 5, 4, 200, 4
CLUSTER_DEVIATION = 0.6
"""The standard deviation of cluster effects in a feature, whose own is 1."""


def repeated_folds(samples: int) -> Iterator[Record]:
    """Yield coverage for the mean over the folds of repeated cross-validation, rows or groups as clusters.

    Each of the 20 models is a least squares fit. What intervals have to cover is the mean of their expected
    values for a fold of new rows.
    """
    for clusters, words in ((ROWS, "each row one cluster"), (40, "40 clusters of 5 rows")):
        rng = np.random.default_rng(3)
        tries: defaultdict[tuple[str, str], Tries] = defaultdict(Tries)
        while tries["roc_auc", "Edgeworth, --cluster"].samples < samples:
            lists, separations = cross_validated(rng, clusters)
            values = {
                "roc_auc": float(stats.norm.cdf(separations / 2**0.5).mean()),
                "average_precision": float(expected_precision(separations).mean()),
            }
            estimates = {name: ew.estimate(lists, name) for name in values}
            if any(estimate.law is None for estimate in estimates.values()):
                continue  # a fold with fewer than two targets
            for name, estimate in estimates.items():
                tries[name, "Edgeworth, --cluster"].add_estimate(estimate, values[name])
                independent = ew.estimate(replace(lists, clusters=None), name).interval()
                tries[name, "folds as independent"].add(*independent, values[name])
        for (name, method), item in tries.items():
            setting = f"{NAMES[name]}, {FOLDS} folds × {REPEATS} repeats, {words}"
            yield item.record(setting, method, ROWS, clusters)


def cross_validated(rng: np.random.Generator, clusters: int) -> tuple[ew.RankedLists, Floats]:
    """Cross-validate a least squares fit, and find how far apart each model's scores of the classes are.

    The distance is in standard deviations of the scores of new rows of one class.
    """
    cluster = np.arange(ROWS) % clusters
    truth = rng.random(ROWS) < 0.3
    deviation = CLUSTER_DEVIATION if clusters < ROWS else 0.0
    effects = rng.normal(0, deviation, (clusters, FEATURES))
    features = 0.6 * truth[:, None] + rng.normal(size=(ROWS, FEATURES)) + effects[cluster]
    design = np.c_[features, np.ones(ROWS)]
    scores, numbers, separations = [], [], []
    for repeat in range(REPEATS):
        fold = (rng.permutation(clusters) % FOLDS)[cluster]
        score = np.zeros(ROWS)
        for number in range(FOLDS):
            test = fold == number
            weights = np.linalg.lstsq(design[~test], truth[~test] * 2.0 - 1, rcond=None)[0]
            score[test] = design[test] @ weights
            slopes = weights[:-1]
            separations.append(0.6 * slopes.sum() / ((1 + deviation**2) * (slopes @ slopes)) ** 0.5)
        scores.append(score)
        numbers.append(fold + FOLDS * repeat)
    lists = ew.RankedLists.from_scores(
        np.tile(truth, REPEATS),
        np.concatenate(scores),
        groups=np.concatenate(numbers),
        clusters=np.tile(cluster, REPEATS),
    )
    return lists, np.array(separations)


@functools.cache
def _precision_by_separation() -> tuple[Floats, Floats]:
    """Simulate the average precision of a fold of new rows, for several distances between the classes."""
    rng, draws, size = np.random.default_rng(0), 20_000, ROWS // FOLDS
    separations, values = np.linspace(-0.5, 2.5, 13), []
    for separation in separations:
        truth = rng.random((draws, size)) < 0.3
        order = np.argsort(-(rng.normal(size=(draws, size)) + separation * truth), axis=1)
        hits = np.take_along_axis(truth, order, axis=1)
        precision = np.cumsum(hits, axis=1) / np.arange(1, size + 1)
        has_targets = hits.any(axis=1)
        values.append(((precision * hits).sum(axis=1)[has_targets] / hits.sum(axis=1)[has_targets]).mean())
    return separations, np.array(values)


def expected_precision(separations: Floats) -> Floats:
    """Interpolate the expected average precision of a fold of new rows."""
    return np.interp(separations, *_precision_by_separation())


def hits_by_cluster(rng: np.random.Generator, clusters: int, kind: str) -> tuple[Integers, Integers]:
    """Draw the hits and sizes of clusters; in "harder" settings large clusters are hit less often."""
    if kind == "large ones harder":
        sizes = cluster_sizes(rng, clusters, "lognormal")
        chance = 1 / (1 + np.exp(-(2.2 - 0.6 * (np.log(sizes) - 2))))
    else:
        sizes, chance = cluster_sizes(rng, clusters, kind), rng.beta(4, 1.5, clusters)
    return rng.binomial(sizes, chance), sizes


def clustered_accuracy(samples: int) -> Iterator[Record]:
    """Yield coverage for accuracy when large clusters are harder, and when size has nothing to do with it."""
    for kind in ("large ones harder", "lognormal", "Poisson", "equal"):
        hits, sizes = hits_by_cluster(np.random.default_rng(0), 400_000, kind)
        value = hits.sum() / sizes.sum()
        for number in (20, 40, 80):
            rng = np.random.default_rng(1)
            tries: defaultdict[str, Tries] = defaultdict(Tries)
            for _ in range(samples):
                hits, sizes = hits_by_cluster(rng, number, kind)
                cluster = np.repeat(np.arange(number), sizes)
                right = np.arange(len(cluster)) - np.repeat(sizes.cumsum() - sizes, sizes) < hits[cluster]
                table = ew.ContingencyTable.from_labels(np.ones(len(right)), right * 1, clusters=cluster)
                tries["Edgeworth, --cluster"].add_estimate(ew.estimate(table, "accuracy"), value)
                share, rows = hits.sum() / sizes.sum(), sizes.sum()
                tries["rows as independent"].add(*wald(share, math.sqrt(share * (1 - share) / rows)), value)
                drawn = rng.integers(0, number, (BOOTSTRAP_DRAWS, number))
                means = hits[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
                tries["cluster bootstrap"].add(*percentiles(means), value)
            size = "large clusters are harder" if kind == "large ones harder" else f"{kind} sizes"
            for method, item in tries.items():
                yield item.record(f"accuracy, {size}", method, 15 * number, number)


TWO = np.array([[0.45, 0.10], [0.15, 0.30]])
THREE = np.array([[0.30, 0.06, 0.04], [0.05, 0.22, 0.05], [0.05, 0.07, 0.16]])
COMPOSITE = ("mcc", "kappa", "macro_f")


def resampled_tables(cells: Floats, names: tuple[str, ...], size: int) -> dict[str, Floats]:
    """Measure many tables, given as rows of cells."""
    tables = np.zeros((len(cells), size + 1, size))
    tables[:, :size] = cells.reshape(-1, size, size)
    example = ew.ContingencyTable.from_matrix(np.ones((size, size), dtype=np.int64), rows="predicted")
    return {name: np.asarray(resolve(example, name).values(tables)) for name in names}


def lognormal_weights(samples: int) -> Iterator[Record]:
    """Yield coverage for MCC, kappa and macro F of cases with lognormal weights."""
    for shares in (TWO, THREE):
        size = len(shares)
        exact = ew.ContingencyTable.from_matrix(shares, rows="predicted")
        values = {name: ew.measure(exact, name) for name in COMPOSITE}
        for cases, sigma in ((200, 1.0), (200, 2.0), (1000, 2.0)):
            rng = np.random.default_rng(0)
            tries: defaultdict[tuple[str, str], Tries] = defaultdict(Tries)
            for _ in range(samples):
                codes = rng.choice(size**2, cases, p=shares.ravel())
                weights = np.exp(rng.normal(0, sigma, cases))
                table = ew.ContingencyTable.from_labels(codes % size, codes // size, weights=weights)
                times = rng.multinomial(cases, np.full(cases, 1 / cases), size=BOOTSTRAP_DRAWS)
                cells = times @ (weights[:, None] * (codes[:, None] == np.arange(size**2)))
                resampled = resampled_tables(cells, COMPOSITE, size)
                for name, value in values.items():
                    tries[name, "Edgeworth, --weight"].add_estimate(ew.estimate(table, name), value)
                    delta = ew.estimate(table, name, method=Delta()).interval()
                    tries[name, "delta method alone"].add(*delta, value)
                    tries[name, "percentile bootstrap"].add(*percentiles(resampled[name]), value)
            for (name, method), item in tries.items():
                setting = f"{NAMES[name]}, {size} classes, lognormal weights (σ = {sigma:g})"
                yield item.record(setting, method, cases)


def rare_class(samples: int) -> Iterator[Record]:
    """Yield coverage for MCC, kappa and macro F of two classes with few targets."""
    for cases, prevalence, recall, fallout in (
        (300, 0.01, 0.3, 0.007),
        (300, 0.02, 0.5, 0.01),
        (100, 0.05, 0.6, 0.05),
        (1000, 0.005, 0.5, 0.002),
    ):
        shares = np.array(
            [
                [(1 - prevalence) * (1 - fallout), prevalence * (1 - recall)],
                [(1 - prevalence) * fallout, prevalence * recall],
            ]
        )
        exact = ew.ContingencyTable.from_matrix(shares, rows="predicted")
        values = {name: ew.measure(exact, name) for name in COMPOSITE}
        rng = np.random.default_rng(1)
        drawn = rng.multinomial(cases, shares.ravel(), size=samples)
        tries: defaultdict[tuple[str, str], Tries] = defaultdict(Tries)
        for cells, count in zip(*np.unique(drawn, axis=0, return_counts=True), strict=True):
            table = ew.ContingencyTable.from_matrix(cells.reshape(2, 2), rows="predicted")
            again = rng.multinomial(cases, cells / cases, size=BOOTSTRAP_DRAWS).astype(np.float64)
            resampled = resampled_tables(again, COMPOSITE, 2)
            for name, value in values.items():
                estimate = ew.estimate(table, name)
                if estimate.law is None:
                    continue
                delta = ew.estimate(table, name, method=Delta()).interval()
                for _ in range(int(count)):
                    tries[name, "Edgeworth"].add_estimate(estimate, value)
                    tries[name, "delta method alone"].add(*delta, value)
                    tries[name, "percentile bootstrap"].add(*percentiles(resampled[name]), value)
        for (name, method), item in tries.items():
            yield item.record(f"{NAMES[name]}, {prevalence:.1%} targets, recall {recall:g}", method, cases)


def rare_class_of_three(samples: int) -> Iterator[Record]:
    """Yield coverage for macro F and informedness of three classes, one of them rare."""
    for cases, rare in ((120, 0.03), (250, 0.02), (250, 0.03), (500, 0.01), (500, 0.04)):
        rates = np.array(
            [[0.9, 0.15 * 10 / 11, 0.25], [0.1 * 10 / 11, 0.85, 0.25], [0.1 / 11, 0.15 / 11, 0.5]]
        )
        shares = rates * [0.6, 0.4 - rare, rare]
        exact = ew.ContingencyTable.from_matrix(shares, rows="predicted")
        values = {name: ew.measure(exact, name) for name in ("macro_f", "informedness")}
        tries: defaultdict[tuple[str, str], Tries] = defaultdict(Tries)
        for cells in np.random.default_rng(2).multinomial(cases, shares.ravel(), size=samples):
            table = ew.ContingencyTable.from_matrix(cells.reshape(3, 3), rows="predicted")
            for name, value in values.items():
                estimate, delta = (ew.estimate(table, name, method=method) for method in (None, Delta()))
                if estimate.law is not None and delta.law is not None:
                    tries[name, "Edgeworth"].add_estimate(estimate, value)
                    tries[name, "delta method alone"].add(*delta.interval(), value)
        for (name, method), item in tries.items():
            title = NAMES.get(name, name)
            yield item.record(f"{title}, three classes, the rarest {rare:.0%}", method, cases)


def precision_bands(samples: int) -> Iterator[Record]:
    """Yield coverage for precision at a depth by the bands, while the number of targets varies."""
    for cases, prevalence, strength, depths in (
        (200, 0.1, 1.5, (10, 40, 100)),
        (1000, 0.05, 2.0, (50, 100, 500)),
        (150, 0.1, 3.0, (10, 15, 40)),
        (400, 0.05, 3.0, (10, 20, 40)),
    ):
        values = [true_precision(prevalence, strength, depth / cases) for depth in depths]
        rng = np.random.default_rng(0)
        tries: defaultdict[tuple[int, str], Tries] = defaultdict(Tries)
        for _ in range(samples):
            truth = rng.random(cases) < prevalence
            if not truth.any():
                continue
            scores = rng.normal(size=cases) + strength * truth
            bands = ew.rankings.bands(ew.Ranking.from_scores(truth, scores), depths=depths)
            hits = truth[np.argsort(-scores)].cumsum()
            for index, (depth, value) in enumerate(zip(depths, values, strict=True)):
                low, high = float(bands.precision_low[index]), float(bands.precision_high[index])
                tries[depth, "Edgeworth"].add(low, high, value)
                share = hits[depth - 1] / depth
                tries[depth, "Wald"].add(*wald(share, math.sqrt(share * (1 - share) / depth)), value)
        for (depth, method), item in tries.items():
            yield item.record(
                f"precision at {depth}, {prevalence:.0%} targets, d = {strength:g}", method, cases
            )


def true_precision(prevalence: float, strength: float, share: float) -> float:
    """Compute the precision among the share of a binormal population with the highest scores."""

    def taken(cut: float) -> float:
        return float(prevalence * stats.norm.sf(cut - strength) + (1 - prevalence) * stats.norm.sf(cut))

    cut = optimize.brentq(lambda x: taken(x) - share, -10, 12)
    return float(prevalence * stats.norm.sf(cut - strength) / share)


def constants(samples: int) -> Iterator[Record]:
    """Yield how often a constant answer is called cheaper than a guesser whom every constant equals."""
    for classes in (2, 6, 20):
        rng, named = np.random.default_rng(0), np.zeros(2, dtype=np.int64)
        for _ in range(samples):
            cells = rng.multinomial(400, np.full(classes**2, classes**-2.0)).reshape(classes, classes)
            table = ew.ContingencyTable.from_matrix(cells, rows="predicted")
            total = costs(table, 1 - np.eye(classes), rows="predicted")
            best = table.index(total.best_constant)
            saved = expected_cost(table, total.matrix[best] - total.matrix, rows="predicted")
            is_cheaper = ew.estimate(table, saved).interval()[1] < 0
            named += is_cheaper, is_cheaper and constant_p_value(table, total) <= 0.05
        for method, count in zip(("no adjustment", "Edgeworth"), named, strict=True):
            share, error = rate(int(count), samples)
            yield Record(
                f"guesser of {classes} classes", method, 400, rejected=share, se=error, samples=samples
            )


GRIDS: dict[str, Callable[[int], Iterator[Record]]] = {
    "clusters-rankings": clustered_rankings,
    "repeated-folds": repeated_folds,
    "clusters-accuracy": clustered_accuracy,
    "lognormal-weights": lognormal_weights,
    "rare-class": rare_class,
    "rare-class-of-three": rare_class_of_three,
    "precision-bands": precision_bands,
    "constant-costs": constants,
}


if __name__ == "__main__":
    run_grids(GRIDS, __doc__)
