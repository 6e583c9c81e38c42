"""Gaps between the rankings of slices, and between means over lists."""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np

from edgeworth.core.formatting import format_count, plural
from edgeworth.core.slice_gaps import Gap, Units, correlate_clusters, gap_between
from edgeworth.rankings.estimates import estimate_lists
from edgeworth.rankings.intervals.methods import (
    Places,
    clustered_effects,
    has_influence,
    influence_of,
    typical_weights,
)
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.measure_lookup import measure_counted, parse_measure, resolve_ranking
from edgeworth.rankings.measures import MEASURES
from edgeworth.rankings.policy import MIN_CLASS_CASES_FOR_GAP
from edgeworth.rankings.ranking import Ranking


def ranking_units(ranking: Ranking) -> Units:
    """Count the cases, the effective number of weighted ones, or the clusters."""
    if ranking.clusters is not None:
        return Units(float(ranking.clusters.number), are_clusters=True)
    total = float(ranking.total)
    square = ranking.targets.square_total + ranking.background.square_total + float(ranking.unranked)
    return Units(total if ranking.is_counted or not square else total**2 / square)


def ranking_base_rates(ranking: Ranking) -> dict[str, float]:
    """Compute the share of targets."""
    total = float(ranking.total)
    return {str(ranking.target): float(ranking.target_total) / total if total else math.nan}


def moves_with_prevalence(measure: str) -> bool:
    """Return whether a ranking's measure changes with the share of targets."""
    name = parse_measure(measure).name
    entry = next((entry for entry in MEASURES if entry.name == name), None)
    return entry is None or entry.ignores_prevalence != "always"


def harmonic_cases(ranking: Ranking) -> float:
    """Compute m·b/(m + b) of m targets and b other cases, to which the variance of a ROC area is inverse."""
    targets, background = float(ranking.target_total), float(ranking.background.total)
    return targets * background / (targets + background) if targets + background else 0.0


def describe_few_cases(ranking: Ranking) -> str | None:
    """Explain that there are too few targets or other cases for a claim, or return None."""
    needed = f"{MIN_CLASS_CASES_FOR_GAP} are needed"
    for number, noun in ((ranking.target_total, "target"), (ranking.background.total, "other item")):
        if float(number) < MIN_CLASS_CASES_FOR_GAP:
            return f"{format_count(float(number))} {plural(float(number), noun)}; {needed}"
    return None


def cluster_effects(ranking: Ranking, measure: str) -> dict[Hashable, float]:
    """Sum what the cases of each cluster add to average precision or ROC area; empty without clusters."""
    clusters = ranking.clusters
    if clusters is None:
        return {}
    resolved = resolve_ranking(ranking, measure)
    if not has_influence(resolved):
        return {}
    units = typical_weights(ranking)
    influence = influence_of(Places.of(ranking.tie_groups), resolved, units)
    cases, effects = clustered_effects(ranking, clusters, influence, units)
    sums = np.bincount(cases.codes, cases.weights * effects, minlength=cases.number)
    return dict(zip(clusters.names, sums.tolist(), strict=True))


def gap_of_lists(part: RankedLists, rest: RankedLists, measure: str, *, seed: int = 0) -> Gap:
    """Compare the mean over the lists of a part with that of the rest.

    A query whose items are in both has two lists, which are not independent.
    """
    estimates = [estimate_lists(lists, measure, seed=seed) for lists in (part, rest)]
    correlation = correlate_clusters(*(_effects(lists, measure) for lists in (part, rest)))
    return gap_between(*estimates, correlation=correlation)


def _effects(lists: RankedLists, measure: str) -> dict[Hashable, float]:
    """Subtract the mean from the value of each query."""
    values = measure_counted(lists, measure)
    mean = sum(values.values()) / max(len(values), 1)
    return {query: value - mean for query, value in values.items()}
