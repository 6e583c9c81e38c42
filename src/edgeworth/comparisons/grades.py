"""Grades of several systems, compared item by item."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.common.choices import QueryRule
from edgeworth.comparisons.chance import GUESSING
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import ComparisonFindings, Pair, PairsOptions
from edgeworth.comparisons.graded_means import guard_mean
from edgeworth.comparisons.labels.proportions import PairedProportions
from edgeworth.comparisons.ordered_losses import loss_sequence, ordered_difference, pair_columns
from edgeworth.comparisons.paired_values.differences import ValuesOfMeasure, compare_values, match_queries
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import plural
from edgeworth.core.on_demand import OnDemand
from edgeworth.decisions.posteriors import probability_of_winning
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.sequential import ConfidenceSequence
from edgeworth.grades.estimates import estimate_grades
from edgeworth.grades.findings import check_guess_rate, describe_answers
from edgeworth.grades.grades import Grades
from edgeworth.grades.measures import resolve_grades
from edgeworth.sources.columns import Label

BETA = "Beta posterior of the items on which only one system is right, Jeffreys' prior"


def compare_grades(
    grades: Mapping[str, Grades],
    *,
    measures: Sequence[str] | None = None,
    guess_rate: float | None = None,
    queries: QueryRule = "intersection",
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    ordered: bool = False,
    horizon: int = 1,
    **pairs_options: Unpack[PairsOptions],
) -> ComparisonFindings:
    """Compare graded systems on the items that all of them have, and each with guessing at a rate.

    Items that are ``ordered`` are in time order by their ids, and grades are of forecasts ``horizon`` ahead.
    """
    first = next(iter(grades.values()))
    for name, system in grades.items():
        if system.ids is None:
            raise InputError(f"systems are compared item by item, but grades of {name} have no ids: pass ids")
        if (system.lower_is_better, system.bounds) != (first.lower_is_better, first.bounds):
            raise OptionError(f"grades of {name} have another direction or range than the first system's")
        check_guess_rate(system, guess_rate)

    reasons: dict[str, str] = {}

    def values(spelling: str) -> ValuesOfMeasure:
        resolved = {name: resolve_grades(system, spelling) for name, system in grades.items()}
        spelt = next(iter(resolved.values())).spelling
        undefined = next((measure.undefined for measure in resolved.values() if measure.undefined), None)
        if undefined is not None:
            reasons[spelt] = undefined
        own_direction = next(iter(resolved.values())).measure.direction
        is_lower = own_direction == "lower" or (first.lower_is_better and spelt == "mean")
        values_of_systems = {
            name: (grades[name].ids or (), measure.values) for name, measure in resolved.items()
        }
        low, high = (0.0, 1.0) if spelt != "mean" else first.bounds
        return spelt, "lower" if is_lower else "higher", high - low, values_of_systems

    def alone(name: str, measure: str, items: tuple[Label, ...]) -> Estimate:
        return estimate_grades(grades[name].select(items), measure, guess_rate=guess_rate)

    usual = "accuracy" if all(system.is_binary for system in grades.values()) else "mean"
    are_shares = all(system.is_share for system in grades.values())

    reach, in_order = first.bounds[1] - first.bounds[0], ordered or horizon > 1

    def refine(difference: Difference, values: Floats, clusters: Sequence[Hashable] | None) -> Difference:
        """Replace the interval and test of a mean by those for items in order, or for right and wrong."""
        if in_order:
            return ordered_difference(difference, values, horizon, reach)
        if are_shares or difference.measure != "mean":
            return _by_discordance(difference, values, clusters)
        return guard_mean(difference, values, reach, clusters)

    clusters, unscored = _clusters(grades), {name: x.unscored for name, x in grades.items() if x.unscored}
    findings = compare_values(
        "grades",
        map(values, measures or [usual]),
        unit="row" if in_order else "item",
        clusters=clusters,
        refine=refine,
        reasons=reasons,
        # Intervals of one system, and tests against guessing, are for independent items.
        alone=None if in_order else alone,
        chance_null="" if guess_rate is None or in_order else GUESSING,
        notes=_describe_unscored(unscored),
        queries=queries,
        level=level,
        draws=draws,
        seed=seed,
        **pairs_options,
    )
    findings = replace(
        findings,
        has_obvious_measure=findings.headline == "accuracy",
        answers=_describe_repeats([*grades.values()]),
    )
    if not (ordered and horizon == 1 and math.isfinite(reach)):
        return findings
    *_, by_system = values(findings.headline)
    matched = match_queries(by_system, queries=queries, unit="row")

    def sequence(pair: Pair) -> ConfidenceSequence:
        return loss_sequence(pair_columns(matched.values, matched.names, pair), reach, level)

    return replace(findings, loss_sequences=OnDemand(findings.pairs, sequence))


def _describe_unscored(unscored: Mapping[str, int]) -> list[str]:
    """Write how many answers have no grade, by system."""
    total = sum(unscored.values())
    if not total:
        return []
    verb = plural(total, "answer has no grade and is", "answers have no grade and are")
    systems = ", ".join(f"{number:,} in {name}" for name, number in unscored.items())
    return [f"{total:,} {verb} excluded: {systems}."]


def _describe_repeats(grades: Sequence[Grades]) -> str:
    """Write how many answers the items that all systems have got, if some were repeated."""
    if not any((system.repeats > 1).any() for system in grades):
        return ""
    common = set.intersection(*(set(system.ids or ()) for system in grades))
    return describe_answers([system.select(common) for system in grades])


def _clusters(grades: Mapping[str, Grades]) -> dict[Label, Hashable] | None:
    """Find the cluster of each item, on which all systems that have clusters must agree."""
    cluster_of_item: dict[Label, Hashable] = {}
    for system in grades.values():
        for item, cluster in zip(system.ids or (), system.clusters or (), strict=False):
            if cluster_of_item.setdefault(item, cluster) != cluster:
                raise InputError(
                    f"item {item!r} is in two clusters, {cluster_of_item[item]!r} and {cluster!r}"
                )
    return cluster_of_item or None


def _by_discordance(
    difference: Difference, values: Floats, clusters: Sequence[Hashable] | None
) -> Difference:
    """Compare right or wrong answers by items on which only one system is right: McNemar, and Tango."""
    if not ((values == 0) | (values == 1)).all():
        return difference
    ahead = values @ [1, -1]
    wins, losses = (int((ahead == sign).sum()) for sign in (1, -1))
    law = PairedProportions(wins, losses, len(values))
    if clusters is not None:
        wide = law.over_clusters(clusters, ahead, np.ones(len(ahead)))
        return (
            difference
            if wide is None
            else replace(difference, law=wide, interval_method=str(wide), no_interval=None)
        )
    return replace(
        difference,
        law=law,
        tests=law.tests(),
        probability_better=probability_of_winning(wins, losses),
        probability_method=BETA,
        effect=law.effect(),
        interval_method=str(law),
        discordant=(wins, losses),
        no_interval=None,
    )
