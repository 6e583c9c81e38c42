"""Su & Zhang's simulation of random selection, done again beside exact coverage: two Markdown tables.

10,000 random orders of 245 targets among 3000 items. For recall r(t): the mean and deviation over orders,
what our bands say of them, how often they cover in the simulation and exactly (the hits are hypergeometric),
and the published numbers. "Survival" is the source's own method. For average precision: the methods that give
it an interval; ``Influence()`` lets the number of targets vary too, which random selection does not, so here
it covers more than it says. Deterministic; about a minute.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

import edgeworth as ew
from edgeworth.core.laws import normal_quantile, wilson_bounds
from edgeworth.methods import Boyd, Influence, Survival
from edgeworth.rankings.intervals.bands import effective_targets

Floats = NDArray[np.float64]
ITEMS, TARGETS, RUNS, SEED = 3000, 245, 10_000, 0
DEPTHS = (50, 100, 245, 500, 1500, 2500)
LEVELS = (0.80, 0.95)
PUBLISHED = {
    50: (0.01680, 0.00791, 0.00793, 0.7407, 0.9241),
    100: (0.03341, 0.01108, 0.01130, 0.7763, 0.9160),
    245: (0.08168, 0.01682, 0.01739, 0.8014, 0.9406),
    500: (0.16675, 0.02289, 0.02373, 0.8206, 0.9563),
    1500: (0.49948, 0.03052, 0.03188, 0.8208, 0.9538),
    2500: (0.83296, 0.02290, 0.02375, 0.8197, 0.9541),
}
"""t: true r(t) and its deviation, mean of the estimated deviation, coverage at 80% and 95%."""
PUBLISHED_PRECISION = (0.08395, 0.00514, 0.7642, 0.9320)
CHECKED = 50
"""Orders whose vectorised bands are compared with those of ``ew.rankings.bands``."""


def random_ranks(generator: np.random.Generator) -> NDArray[np.int64]:
    """The ranks of the targets in each order, ascending."""
    rows = [generator.choice(ITEMS, TARGETS, replace=False, shuffle=False) for _ in range(RUNS)]
    return np.sort(np.array(rows), axis=1) + 1


def window(depth: int) -> tuple[int, int]:
    """Where the local precision at a depth is taken: from half of it to one and a half."""
    half = math.ceil(depth / 2)
    return depth - half, min(ITEMS, depth + half)


def deviation(hits: Floats, around: Floats, depth: int, method: str) -> Floats:
    """The standard deviation that the band at a depth claims for recall."""
    recall = hits / TARGETS
    return np.sqrt(recall * (1 - recall) / trials(hits, around, depth, method))


def trials(hits: Floats, around: Floats, depth: int, method: str) -> Floats:
    """How many targets would make recall vary so much at a fixed threshold."""
    if method == "survival":
        return np.full(hits.shape, float(TARGETS))
    start, end = window(depth)
    at = np.full(hits.shape, float(depth))
    return effective_targets(hits / TARGETS, around / (end - start), at, float(ITEMS), float(TARGETS))


def bounds(hits: Floats, around: Floats, depth: int, level: float, method: str) -> tuple[Floats, Floats]:
    """The band of recall, as ``ew.rankings.bands`` has it, for many orders at once."""
    recall, quantile = hits / TARGETS, normal_quantile(level)
    if method == "survival":
        reach = quantile * deviation(hits, around, depth, method)
        low, high = recall - reach, recall + reach
    else:
        size = trials(hits, around, depth, method)
        low, high = wilson_bounds(recall * size, size, quantile)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def covers(hits: Floats, around: Floats, depth: int, level: float, method: str) -> NDArray[np.bool_]:
    low, high = bounds(hits, around, depth, level, method)
    return (low <= depth / ITEMS) & (depth / ITEMS <= high)


def joint_law(depth: int) -> tuple[Floats, Floats, Floats]:
    """Hits down to a depth and around it, with their probabilities: multivariate hypergeometric."""

    def log_choose(many: int, few: Floats) -> Floats:
        possible = (few >= 0) & (few <= many)
        chosen = np.where(possible, few, 0.0)
        logs = gammaln(many + 1.0) - gammaln(chosen + 1) - gammaln(many - chosen + 1)
        return np.where(possible, logs, -np.inf)

    def plausible(items: int) -> Floats:
        mean = items * TARGETS / ITEMS
        spread = 8 * math.sqrt(mean * (1 - TARGETS / ITEMS) * (ITEMS - items) / (ITEMS - 1)) + 4
        return np.arange(
            max(0, math.floor(mean - spread)), min(TARGETS, items, math.ceil(mean + spread)) + 1.0
        )

    start, end = window(depth)
    parts = (start, depth - start, end - depth, ITEMS - end)
    first, second, third = np.meshgrid(*(plausible(part) for part in parts[:3]), indexing="ij")
    counts = (first, second, third, TARGETS - first - second - third)
    logs = sum(log_choose(part, count) for part, count in zip(parts, counts, strict=True))
    probability = np.exp(logs - log_choose(ITEMS, np.array(float(TARGETS))))
    alive = probability > 0
    return (first + second)[alive], (second + third)[alive], probability[alive]


def check(ranks: NDArray[np.int64]) -> None:
    """The vectorised bands are those of the public function."""
    for row in ranks[:CHECKED]:
        flags = np.zeros(ITEMS, dtype=np.int8)
        flags[row - 1] = 1
        ranking = ew.Ranking.from_hits(flags)
        for depth in DEPTHS:
            start, end = window(depth)
            hits, around = np.array([flags[:depth].sum() * 1.0]), np.array([flags[start:end].sum() * 1.0])
            for method in ("population", "survival"):
                band = ew.rankings.bands(ranking, depths=[depth], level=0.8, method=method)
                ours = bounds(hits, around, depth, 0.8, method)
                np.testing.assert_allclose((band.recall_low, band.recall_high), ours, atol=1e-12)


def recall_rows(ranks: NDArray[np.int64]) -> Iterator[list[str]]:
    errors: dict[tuple[str, float], list[float]] = {}
    for depth in DEPTHS:
        start, end = window(depth)
        hits = (ranks <= depth).sum(axis=1) * 1.0
        around = ((ranks > start) & (ranks <= end)).sum(axis=1) * 1.0
        exact_hits, exact_around, probability = joint_law(depth)
        true, spread, their_spread, *published = PUBLISHED[depth]
        law = ew.chance.hits(ITEMS, TARGETS, depth)
        row = [str(depth), f"{law.mean / TARGETS:.5f}", f"{law.standard_deviation / TARGETS:.5f}"]
        row += [
            f"{(hits / TARGETS).mean():.5f}",
            f"{(hits / TARGETS).std():.5f}",
            f"{true:.5f}",
            f"{spread:.5f}",
        ]
        row += [f"{deviation(hits, around, depth, name).mean():.5f}" for name in ("population", "survival")]
        row.append(f"{their_spread:.5f}")
        for level, seen in zip(LEVELS, published, strict=True):
            for method in ("population", "survival"):
                simulated = covers(hits, around, depth, level, method).mean()
                exact = probability @ covers(exact_hits, exact_around, depth, level, method)
                errors.setdefault((method, level), []).append(abs(exact - level))
                row += [f"{simulated:.4f}", f"{exact:.4f}"]
            errors.setdefault(("published", level), []).append(abs(seen - level))
            row.append(f"{seen:.4f}")
        yield row
    last = ["mean error"] + [""] * 9
    for level in LEVELS:
        for method in ("population", "survival"):
            last += ["", f"{np.mean(errors[method, level]):.4f}"]
        last.append(f"{np.mean(errors['published', level]):.4f}")
    yield last


def precision_rows(ranks: NDArray[np.int64]) -> Iterator[list[str]]:
    law = ew.chance.average_precision(ITEMS, TARGETS)
    methods = (Survival(), Influence(), Boyd())
    values, spreads = np.empty(RUNS), np.empty((len(methods), RUNS))
    covered = np.zeros((len(methods), len(LEVELS)))
    for index, row in enumerate(ranks):
        flags = np.zeros(ITEMS, dtype=np.int8)
        flags[row - 1] = 1
        ranking = ew.Ranking.from_hits(flags)
        for place, method in enumerate(methods):
            estimate = ew.estimate(ranking, "average_precision", method=method)
            values[index], spreads[place, index] = estimate.value, estimate.standard_error
            covered[place] += [law.mean in estimate.interval(level) for level in LEVELS]
    shared = [
        f"{law.mean:.5f}",
        f"{math.sqrt(law.variance):.5f}",
        f"{values.mean():.5f}",
        f"{values.std():.5f}",
    ]
    for method, spread, share in zip(methods, spreads, covered / RUNS, strict=True):
        yield [str(method), *shared, f"{spread.mean():.5f}", *(f"{each:.4f}" for each in share)]
    mean, spread, *published = PUBLISHED_PRECISION
    yield [
        "published",
        "0.08399",
        "0.00561",
        f"{mean:.5f}",
        "",
        f"{spread:.5f}",
        *(f"{x:.4f}" for x in published),
    ]


def table(head: list[str], rows: Iterator[list[str]]) -> None:
    print("| " + " | ".join(head) + " |")
    print("|" + "---|" * len(head))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def main() -> None:
    ranks = random_ranks(np.random.default_rng(SEED))
    check(ranks)
    coverage = [
        f"{kind}, {level:.0%}"
        for level in LEVELS
        for kind in ("population simulated", "exact", "survival simulated", "exact", "published")
    ]
    said = ["true r(t)", "true std", "mean r(t)", "std", "published r(t)", "published std"]
    mean = ["mean std, population", "mean std, survival", "mean std, published"]
    table(["t", *said, *mean, *coverage], recall_rows(ranks))
    said = ["true AP", "true std", "mean AP", "std", "mean std"]
    table(["method", *said, *(f"covered, {level:.0%}" for level in LEVELS)], precision_rows(ranks))


if __name__ == "__main__":
    main()
