"""Grades of several systems, compared item by item."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.common.choices import QueryRule
from edgeworth.comparisons.chance import GUESSING
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import ComparisonFindings, PairsOptions
from edgeworth.comparisons.labels.proportions import PairedProportions
from edgeworth.comparisons.paired_values.differences import ValuesOfMeasure, compare_values
from edgeworth.core.estimates import Estimate
from edgeworth.decisions.posteriors import probability_of_winning
from edgeworth.errors import InputError, OptionError
from edgeworth.grades.estimates import estimate_grades
from edgeworth.grades.findings import check_guess_rate
from edgeworth.grades.grades import Grades
from edgeworth.grades.measures import resolve_grades
from edgeworth.sources.columns import Label

BETA = "Beta posterior of who is right where only one is, Jeffreys' prior"


def compare_grades(
    grades: Mapping[str, Grades],
    *,
    measures: Sequence[str] | None = None,
    guess_rate: float | None = None,
    queries: QueryRule = "intersection",
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    **pairs_options: Unpack[PairsOptions],
) -> ComparisonFindings:
    """Compare graded systems on the items that all of them have, and each with guessing at a rate."""
    first = next(iter(grades.values()))
    for name, each in grades.items():
        if each.ids is None:
            raise InputError(f"systems are compared item by item, and grades of {name} have no ids: give ids")
        if (each.lower_is_better, each.bounds) != (first.lower_is_better, first.bounds):
            raise OptionError(f"grades of {name} have another direction or range than the first system's")
        check_guess_rate(each, guess_rate)

    reasons: dict[str, str] = {}

    def values(spelling: str) -> ValuesOfMeasure:
        resolved = {name: resolve_grades(each, spelling) for name, each in grades.items()}
        spelt = next(iter(resolved.values())).spelling
        undefined = next((each.undefined for each in resolved.values() if each.undefined), None)
        if undefined is not None:
            reasons[spelt] = undefined
        is_lower = first.lower_is_better and spelt == "mean"
        found = {name: (grades[name].ids or (), each.values) for name, each in resolved.items()}
        low, high = (0.0, 1.0) if spelt != "mean" else first.bounds
        return spelt, "lower" if is_lower else "higher", high - low, found

    def alone(name: str, measure: str, items: tuple[Label, ...]) -> Estimate:
        return estimate_grades(grades[name].select(items), measure, guess_rate=guess_rate)

    usual = "accuracy" if all(each.is_binary for each in grades.values()) else "mean"
    clusters, unscored = _clusters(grades), {name: x.unscored for name, x in grades.items() if x.unscored}
    return compare_values(
        "grades",
        map(values, measures or [usual]),
        unit="item",
        clusters=clusters,
        refine=_by_discordance,
        reasons=reasons,
        alone=None if guess_rate is None else alone,
        chance_null="" if guess_rate is None else GUESSING,
        notes=[f"{number:,} answers of {name} have no grade." for name, number in unscored.items()],
        queries=queries,
        level=level,
        draws=draws,
        seed=seed,
        **pairs_options,
    )


def _clusters(grades: Mapping[str, Grades]) -> dict[Label, Hashable] | None:
    """Find the cluster of each item, on which all systems that have clusters must agree."""
    found: dict[Label, Hashable] = {}
    for each in grades.values():
        for item, cluster in zip(each.ids or (), each.clusters or (), strict=False):
            if found.setdefault(item, cluster) != cluster:
                raise InputError(f"item {item!r} is in two clusters, {found[item]!r} and {cluster!r}")
    return found or None


def _by_discordance(found: Difference, values: Floats, clusters: Sequence[Hashable] | None) -> Difference:
    """Compare right or wrong answers by items on which only one system is right: McNemar, and Tango."""
    if not ((values == 0) | (values == 1)).all():
        return found
    ahead = values @ [1, -1]
    wins, losses = (int((ahead == sign).sum()) for sign in (1, -1))
    law = PairedProportions(wins, losses, len(values))
    if clusters is not None:
        wide = law.over_clusters(clusters, ahead, np.ones(len(ahead)))
        return (
            found if wide is None else replace(found, law=wide, interval_method=str(wide), no_interval=None)
        )
    return replace(
        found,
        law=law,
        tests=law.tests(),
        probability_better=probability_of_winning(wins, losses),
        probability_method=BETA,
        effect=law.effect(),
        interval_method=str(law),
        discordant=(wins, losses),
        no_interval=None,
    )
