"""Recompute Su & Zhang, "Statistical Inference for Recall, Precision and Average Precision"."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import edgeworth as ew
from edgeworth.common.arrays import Floats
from edgeworth.core.sampling_distributions import normal_quantile
from edgeworth.errors import OptionError
from edgeworth.papers.printed import Ours
from edgeworth.report.report import Column, Grid, Section

ITEMS, TARGETS, ORDERS = 3000, 245, 10_000
DEPTHS = (50, 100, 245, 500, 1500, 2500)
LEVELS = (0.80, 0.95)
EXAMPLE = {"Algorithm 1": (1, 1, 0, 1, 0, 0, 0, 0), "Algorithm 2": (0, 1, 0, 0, 1, 1, 0, 0)}
SLACK = 4 / math.sqrt(ORDERS)
"""The tolerance for a mean over the slides' random orders, in standard deviations of one order."""
MAX_ITEMS = 100_000
MAX_ITEMS_DRAWN = 30_000_000
"""Items in all random orders: longer lists get fewer orders."""


def compute(seed: int = 0) -> Ours:
    """Compute every number, by section; the random orders are drawn from the seed."""
    examples = {f"Example, {name}": _example(ew.Ranking.from_hits(hits)) for name, hits in EXAMPLE.items()}
    law, (n, m) = ew.chance.average_precision(8, 3), (8, 3)
    hits = {t: ew.chance.hits(ITEMS, TARGETS, t) for t in DEPTHS}
    return {
        **examples,
        "General case, Algorithm 1: H_ij by resampling the hits": _general_case(EXAMPLE["Algorithm 1"]),
        f"P(T_j = k), n = {n}, m = {m}": {
            f"P(T_{j} = {k})": ew.chance.hit_rank(n, m, j).probability(k)
            for j in range(1, m + 1)
            for k in range(j, n - m + j + 1)
        },
        f"E(AP) and Var(AP), n = {n}, m = {m}": {
            "E(AP), by the sums over T_i": law.mean,
            "Var(AP), by the sums over T_i and T_j": law.variance,
            "E(AP), from AP ~ N(π, σ_ap)": law.mean,
        },
        f"CLT, n = {ITEMS}, m = {TARGETS}": {
            **{f"Var(h({t}))": law.variance for t, law in hits.items()},
            **{f"std of r({t})": law.standard_deviation / TARGETS for t, law in hits.items()},
            **{f"std of p({t})": law.standard_deviation / t for t, law in hits.items()},
        },
        "Simulation, recall": {
            f"t = {t}: {what}": (value, spread * SLACK)
            for t in DEPTHS
            for what, (value, spread) in recall_under_chance(ITEMS, TARGETS, t).items()
        },
        "Simulation, average precision": _average_precision_rows(seed),
    }


def _example(ranking: ew.Ranking) -> dict[str, float]:
    """Return h(t), r(t) and p(t) at each rank, and AP."""
    names = {"h": "hits", "r": "recall", "p": "precision"}
    values = {f"{x}({t})": ew.measure(ranking, f"{y}@{t}") for t in range(1, 9) for x, y in names.items()}
    return values | {"AP": ew.measure(ranking, "average_precision")}


def _general_case(hits: Sequence[int], depth: int = 2) -> dict[str, float]:
    """Return H_ij, S(t) and its variance if the observed hits are resampled; the slides leave H_ij open."""
    survival = ew.rankings.hit_survival(ew.Ranking.from_hits(hits), depths=[depth])
    m = survival.targets
    matrix = {f"H_{i + 1}{j + 1}": survival.transition[i, j] for i in range(m) for j in range(m)}
    resampled = float(survival.survival[0])
    return matrix | {
        f"S({depth}), the mean of π_i": float(survival.still_to_come(depth).mean()),
        f"Var(S({depth})), by Σ π_i(1 - π_i)/m²": resampled * (1 - resampled) / m,
    }


def recall_under_chance(items: int, targets: int, t: int) -> dict[str, tuple[float, float]]:
    """Return r(t) under random selection and its survival view, exactly; each with its spread."""
    law = ew.chance.hits(items, targets, t)
    low, high = law.interval(1 - 1e-9)
    shares = np.array([law.probability(hits) for hits in range(low, high + 1)])
    recall = np.arange(low, high + 1) / targets
    deviations = np.sqrt(recall * (1 - recall) / targets)
    mean, spread, estimated = law.mean / targets, law.standard_deviation / targets, float(shares @ deviations)
    varying = math.sqrt(max(0.0, float(shares @ deviations**2) - estimated**2))
    moments = {
        "r(t)": (mean, spread),
        "Std(r(t))": (spread, spread / math.sqrt(2)),
        "E(r(t))": (mean, spread),
    }
    moments["E[Std(r(t))]"] = (estimated, varying)
    for level in LEVELS:
        covered = float(shares[np.abs(recall - t / items) <= normal_quantile(level) * deviations].sum())
        moments[f"coverage of {level:.0%}"] = (covered, math.sqrt(covered * (1 - covered)))
    return moments


def random_orders(items: int, targets: int, seed: int) -> dict[str, Floats]:
    """Draw random orders; return AP and its survival deviations with S before each hit and at it."""
    orders, orders_at_once = min(ORDERS, MAX_ITEMS_DRAWN // items), max(1, MAX_ITEMS_DRAWN // 20 // items)
    rng, index = np.random.default_rng(seed), np.arange(1, targets + 1)
    parts_by_name: dict[str, list[Floats]] = {"AP": [], "before": [], "at": []}
    for start in range(0, orders, orders_at_once):
        drawn = rng.random((min(orders_at_once, orders - start), items), dtype=np.float32)
        positions = np.sort(drawn.argpartition(targets - 1, axis=1)[:, :targets], axis=1)
        ranks = positions.astype(np.float64) + 1
        parts_by_name["AP"].append((index / ranks).mean(axis=1))
        parts_by_name["before"].append(survival_deviations(ranks, index - 1))
        parts_by_name["at"].append(survival_deviations(ranks, index))
    return {name: np.concatenate(parts) for name, parts in parts_by_name.items()}


def survival_deviations(ranks: Floats, hits: NDArray[np.int64]) -> Floats:
    """Return √Var(AP) per row of ranks, by Cov(S(t_i), S(t_j)) = S(t_j)(1 − S(t_i))/m with S = 1 − hits/m."""
    targets = ranks.shape[1]
    steps, left = hits / ranks, (targets - hits) / ranks
    sums = left * steps + 2 * left * (np.cumsum(steps, axis=1) - steps)
    return np.asarray(np.sqrt(sums.sum(axis=1) / targets**3))


def _survival_row(values: Floats, deviations: Floats, centre: float) -> dict[str, tuple[float, float]]:
    """Return the mean estimated deviation and the coverage of AP ± z deviations, each with its spread."""
    moments = {"E[Std(AP)]": (float(deviations.mean()), float(deviations.std()))}
    for level in LEVELS:
        covered = float((np.abs(values - centre) <= normal_quantile(level) * deviations).mean())
        moments[f"coverage of {level:.0%}"] = (covered, math.sqrt(covered * (1 - covered)))
    return moments


def _average_precision_rows(seed: int) -> dict[str, float | tuple[float, float]]:
    """Return the rows of AP; if our orders are drawn too, both simulations have an error."""
    law, orders = ew.chance.average_precision(ITEMS, TARGETS), random_orders(ITEMS, TARGETS, seed)
    mean, spread = law.mean, law.standard_deviation
    pi, sigma = TARGETS / ITEMS, normal_deviation(ITEMS, TARGETS)
    printed = _survival_row(orders["AP"], orders["before"], mean)
    right = _survival_row(orders["AP"], orders["at"], mean)
    around = _survival_row(orders["AP"], orders["before"], pi)
    del around["E[Std(AP)]"]
    drawn = printed | {f"{what}, S at the hits": value for what, value in right.items()}
    drawn |= {f"in brackets: {what}": value for what, value in around.items()}
    return {
        "AP, exact": mean,
        "Std(AP), exact": spread,
        "E(AP), simulated": (mean, spread * SLACK),
        **{what: (value, deviation * SLACK * math.sqrt(2)) for what, (value, deviation) in drawn.items()},
        "in brackets: π": (pi, sigma * SLACK),
        "in brackets: σ_ap, at the expected ranks of the hits": (sigma, sigma * SLACK / math.sqrt(2)),
    }


def normal_deviation(n: int, m: int) -> float:
    """Return the slides' σ_ap at the expected ranks t_i = i(n + 1)/(m + 1)."""
    pi, index = m / n, np.arange(1, m + 1)
    ranks = np.array([ew.chance.hit_rank(n, m, i).mean for i in range(1, m + 1)])
    variances = (pi * (1 - pi) + (ranks - 1) * pi * ((m - 1) / (n - 1) - pi)) / ranks
    return math.sqrt(float((variances * (2 * index - 1)).sum())) / m


def own_simulation(items: int, targets: int, seed: int = 0) -> Section:
    """Make the simulation's table for the user's numbers of items and targets."""
    if not 2 <= targets < items <= MAX_ITEMS:
        needed = f"at least 2 targets, more items than targets, and at most {MAX_ITEMS:,} items"
        raise OptionError(f"the simulation needs {needed}; saw {items:,} items and {targets:,} targets")
    depths = {max(1, min(items - 1, round(t / ITEMS * items))) for t in DEPTHS if t != TARGETS} | {targets}
    rows: list[tuple[str | float, ...]] = []
    for t in sorted(depths):
        (mean, _), (spread, _), _, *rest = recall_under_chance(items, targets, t).values()
        rows.append((f"r({t})", mean, spread, *(value for value, _ in rest)))
    orders, law = random_orders(items, targets, seed), ew.chance.average_precision(items, targets)
    for name, how in (("AP", "at"), ("AP, S before the hits", "before")):
        rest = list(_survival_row(orders["AP"], orders[how], law.mean).values())
        rows.append((name, law.mean, law.standard_deviation, *(value for value, _ in rest)))
    heads = ("mean", "std", "E[Std], survival view", "coverage of 80%", "coverage of 95%")
    note = (
        f"Rows of recall are exact. E[Std] and coverage of AP are from {len(orders['AP']):,} random orders."
    )
    grid = Grid("", (Column(""), *(Column(head, "number") for head in heads)), tuple(rows), note)
    return Section(f"Random selection, n = {items:,}, m = {targets:,}", (), (grid,))
