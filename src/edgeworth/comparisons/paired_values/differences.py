"""Two systems on the same queries or items: a difference of means over them, and what is known about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import compress
from types import MappingProxyType
from typing import TypeAlias, Unpack

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.common.choices import QueryRule
from edgeworth.comparisons.chance import RANDOM_SELECTION
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import (
    ComparisonFindings,
    Pair,
    PairsOptions,
    all_pairs,
    compare_pairs,
    level_of_one,
)
from edgeworth.comparisons.paired_values.exact_values import Scaled, cluster_sums, scale_units
from edgeworth.comparisons.paired_values.paired_tests import mean_difference, sign_test, wilcoxon_test
from edgeworth.comparisons.paired_values.permutation import SharedSignFlips, draws_for_pairs, sign_flip_tail
from edgeworth.comparisons.paired_values.tukey import randomised_tukey
from edgeworth.comparisons.policy import MAX_UNITS_FLIPPED
from edgeworth.core.estimates import Estimate, estimate
from edgeworth.core.formatting import plural
from edgeworth.core.labels import canonical_order, label_positions
from edgeworth.core.measures import Direction
from edgeworth.core.on_demand import OnDemand
from edgeworth.core.test_results import TestResult
from edgeworth.errors import InputError
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.measure_lookup import resolve_ranking, values_in_mean, with_ties
from edgeworth.rankings.report import tie_warnings
from edgeworth.sources.columns import Label

MAX_SYSTEMS_NAMED = 3
"""How many systems that lack queries are named: those that lack most."""

POSTERIOR = "Student's t posterior of the mean difference, flat prior on mean and logarithm of spread"


@dataclass(frozen=True, eq=False)
class MatchedQueries:
    """Values of several systems on their common queries: one row per query, one column per system."""

    names: tuple[str, ...]
    queries: tuple[Label, ...]
    values: Floats
    note: str | None
    """What was left out, as a sentence; None when nothing was."""


UnitValues: TypeAlias = tuple[tuple[Label, ...], Floats]
"""The queries, or other units, of a system, and its value in each."""


def query_values(lists: RankedLists, spelling: str) -> UnitValues:
    """Compute the value of each query; nan if a query has none.

    A query without targets has no value, or 0 if that is how the lists count it.
    """
    return lists.queries, values_in_mean(lists, resolve_ranking(lists, spelling))


def match_queries(
    values: Mapping[str, UnitValues], *, queries: QueryRule = "intersection", unit: str = "query"
) -> MatchedQueries:
    """Match the values of systems on the queries that all have, or raise an error if queries differ.

    >>> of_both = {"A": ((1, 2, 3), np.array([0.5, 0.25, 1.0])), "B": ((2, 3), np.array([0.75, 0.5]))}
    >>> matched = match_queries(of_both)
    >>> matched.queries, matched.values.tolist(), matched.note
    ((2, 3), [[0.25, 0.75], [1.0, 0.5]], '1 query dropped: in A only')
    """
    first = next(iter(values.values()))[0]
    are_same = all(ids == first for ids, _ in values.values())
    common = first if are_same else set.intersection(*(set(ids) for ids, _ in values.values()))
    left_out = {name: len(ids) - len(common) for name, (ids, _) in values.items()}
    if queries == "error" and any(left_out.values()):
        name = next(name for name, number in left_out.items() if number)
        example = canonical_order(set(values[name][0]).difference(common))[0]
        raise InputError(
            f"systems have different queries: {left_out[name]:,} of {name}, such as {example!r}, are not in "
            'all; queries="intersection" drops them'
        )
    if not common:
        held = " and ".join(f"{name} ({next(iter(ids), None)!r}, …)" for name, (ids, _) in values.items())
        raise InputError(f"{held} have no {unit} in common, so nothing can be compared")
    chosen = first if are_same else canonical_order(common)
    table = np.stack(
        [numbers if are_same else numbers[label_positions(chosen, ids)] for ids, numbers in values.values()],
        axis=1,
    )
    is_defined = np.asarray(~np.isnan(table).any(axis=1))
    dropped = (
        {f"in {name} only": number for name, number in left_out.items()}
        if len(values) == 2
        else _count_incomplete({name: set(ids) for name, (ids, _) in values.items()}, len(common))
    )
    if is_defined.any():  # otherwise the difference is undefined for a reason of its own
        dropped["a system has no value there"] = int((~is_defined).sum())
    note = "; ".join(
        f"{number:,} {plural(number, unit)} dropped: {reason}" for reason, number in dropped.items() if number
    )
    kept = tuple(compress(chosen, is_defined)), table[is_defined]
    return MatchedQueries(tuple(values), *kept, note or None)


def _count_incomplete(units: Mapping[str, set[Label]], common: int) -> dict[str, int]:
    """Count the units that some system lacks, and name the systems that lack most.

    >>> _count_incomplete({"A": {1, 2, 3}, "B": {2, 3}, "C": {3}}, 1)
    {'not in every system (C lacks 2, B lacks 1)': 2}
    """
    every = set[Label]().union(*units.values())
    lacking = {name: len(every) - len(own) for name, own in units.items() if len(own) < len(every)}
    worst = sorted(lacking, key=lambda name: -lacking[name])[:MAX_SYSTEMS_NAMED]
    texts = [f"{name} lacks {lacking[name]:,}" for name in worst]
    if len(lacking) > len(worst):
        texts.append(f"{len(lacking) - len(worst):,} more lack some")
    return {f"not in every system ({', '.join(texts)})": len(every) - common}


def value_difference(
    first: Sequence[float] | Floats,
    second: Sequence[float] | Floats,
    *,
    measure: str,
    names: tuple[str, str] = ("first", "second"),
    direction: Direction = "higher",
    reach: float = math.inf,
    clusters: Sequence[Hashable] | None = None,
    caveat: str | None = None,
    permute: Callable[[Scaled], TestResult] = sign_flip_tail,
    scale: Callable[[], Scaled] | None = None,
) -> Difference:
    """Compare the means of paired values by permutation, t, Wilcoxon and sign tests.

    ``reach`` is how far apart two values may be, and the bounds of the interval stay within it. ``permute``
    is the permutation test of the differences as whole numbers, which ``scale`` computes. Tests are computed
    when they are needed. With more than ``MAX_UNITS_FLIPPED`` values, t is the only test.

    >>> result = value_difference([0.5, 0.6, 0.9, 1.0], [0.4, 0.5, 0.7, 0.8], measure="average_precision")
    >>> round(result.difference, 4), result.p_value(), list(result.tests)
    (0.15, 0.125, ['permutation', 't', 'wilcoxon', 'sign'])
    """
    first_values, second_values = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    differences = first_values - second_values
    size = float(max(abs(first_values).max(initial=0), abs(second_values).max(initial=0)))
    mean = mean_difference(differences, clusters=clusters, size=size, reach=reach)
    student = mean.test()
    tests: Mapping[str, TestResult] = {} if math.isnan(student.p_value) else {"t": student}
    is_same = mean.value == 0
    if len(first_values) <= MAX_UNITS_FLIPPED:
        # The values are held, not their differences: these would be many arrays for many pairs.
        scale = scale or (lambda: scale_units(first_values - second_values, clusters=clusters, size=size))
        of_units = {"permutation": permute, "wilcoxon": wilcoxon_test, "sign": sign_test}
        tests = OnDemand(
            ("permutation", *tests, "wilcoxon", "sign"),
            lambda name: student if name == "t" else of_units[name](scale()),
        )
        is_same = not scale().total
    better = mean.probability_above if direction == "higher" else 1 - mean.probability_above
    values = [math.fsum(column.tolist()) / len(column) for column in (first_values, second_values)]
    return Difference(
        measure,
        *names,
        # Means that differ by rounding alone do not differ.
        values=(values[0], values[0] if is_same else values[1]),
        direction=direction,
        law=mean.law,
        interval_method="" if mean.law is None else "Student's t over paired differences",
        tests=tests,
        probability_better=math.nan if direction == "neither" else better,
        probability_method=POSTERIOR,
        effect=mean.effect(),
        cases=float(mean.units),
        no_interval=mean.no_law,
        no_winner=mean.caveat,
        caveat=caveat,
    )


MEASURES = ("average_precision", "ndcg@10", "precision@10", "reciprocal_rank")


def compare_queries(
    lists: Mapping[str, RankedLists],
    *,
    measures: Sequence[str] | None = None,
    queries: QueryRule = "intersection",
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    **pairs_options: Unpack[PairsOptions],
) -> ComparisonFindings:
    """Compare ranked lists query by query, as ``compare_values`` does.

    Runs of search engines have trec_eval's tie rule, unless a measure names another one.
    """
    rules = {system.default_ties for system in lists.values()}
    ties = rules.pop() if len(rules) == 1 else None

    def values(spelling: str) -> ValuesOfMeasure:
        resolved = resolve_ranking(next(iter(lists.values())), with_ties(spelling, ties))
        values_of_systems = {name: query_values(system, resolved.spelling) for name, system in lists.items()}
        low, high = resolved.measure.range
        return resolved.spelling, resolved.measure.direction, high - low, values_of_systems

    def alone(name: str, measure: str, queries: tuple[Label, ...]) -> Estimate:
        return estimate(lists[name].select(queries), measure, rng=seed)

    notes = tie_warnings(lists) if ties is not None else []
    measured = map(values, measures or MEASURES)
    return compare_values(
        "lists",
        measured,
        queries=queries,
        level=level,
        draws=draws,
        seed=seed,
        notes=notes,
        alone=alone,
        chance_null=RANDOM_SELECTION,
        **pairs_options,
    )


ValuesOfMeasure: TypeAlias = tuple[str, Direction, float, Mapping[str, UnitValues]]
"""A measure, its direction, how far apart two values may be, and each system's value in each unit."""


def compare_values(
    kind: str,
    measured: Iterable[ValuesOfMeasure],
    *,
    unit: str = "query",
    queries: QueryRule = "intersection",
    clusters: Mapping[Label, Hashable] | None = None,
    refine: Callable[[Difference, Floats, Sequence[Hashable] | None], Difference] = lambda difference, *_: (
        difference
    ),
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    notes: Sequence[str] = (),
    reasons: Mapping[str, str] = MappingProxyType({}),
    alone: Callable[[str, str, tuple[Label, ...]], Estimate] | None = None,
    chance_null: str = "",
    **pairs_options: Unpack[PairsOptions],
) -> ComparisonFindings:
    """Compare systems by their values in the units that all have.

    ``clusters`` names the cluster of each unit; clusters are then the independent units.
    ``refine`` replaces a difference, given the two systems' values, one column each, and the clusters.
    ``reasons`` explain why a measure is undefined for a whole system.
    ``alone`` estimates a measure of one system in these units, which is tested against ``chance_null``.
    """
    match = partial(match_queries, queries=queries, unit=unit)
    by_measure = {measure: (which, reach, match(values)) for measure, which, reach, values in measured}
    headline, (_, _, judged) = next(iter(by_measure.items()))
    names = judged.names
    # Of many pairs random signs are drawn once for all, and only the first measure's are counted.
    many = by_measure if len(names) > 3 else {}
    one_of_many = level_of_one(level, math.comb(len(names), 2), pairs_options.get("adjust", "holm"))
    most = draws_for_pairs(draws, one_of_many)
    shared = {
        name: SharedSignFlips(
            matched.values,
            draws=draws,
            seed=seed,
            is_counted=name == headline,
            most=most if name == headline else 0,
        )
        for name, (_, _, matched) in many.items()
        if 0 < len(matched.queries) <= MAX_UNITS_FLIPPED and clusters is None
    }
    tukey: dict[Pair, float] | None = None
    if pairs_options.get("adjust") == "tukey" and 0 < len(judged.queries) <= MAX_UNITS_FLIPPED:
        held = judged.values
        if clusters is not None:  # a cluster's units are dealt alike
            cluster_names = [clusters[query] for query in judged.queries]
            held = np.array([cluster_sums(column, cluster_names) for column in held.T], dtype=np.float64).T
        p_values = randomised_tukey(held, draws=draws, seed=seed)
        tukey = {(a, b): float(p_values[names.index(a), names.index(b)]) for a, b in all_pairs(names)}

    def differences(first: str, second: str) -> Mapping[str, Difference]:
        return OnDemand(by_measure, lambda measure: difference(first, second, measure))

    def difference(first: str, second: str, measure: str) -> Difference:
        direction, reach, matched = by_measure[measure]
        if not matched.queries:
            reason = reasons.get(measure, f"no {unit} has a value of both {first} and {second}")
            nothing = (math.nan, math.nan)
            bare = Difference(measure, first, second, nothing, direction, cases=0.0)
            return replace(bare, undefined=reason, caveat=matched.note)
        columns = names.index(first), names.index(second)
        first_values, second_values = (matched.values[:, column] for column in columns)
        permute: Callable[[Scaled], TestResult] = partial(sign_flip_tail, draws=draws, seed=seed)
        scale: Callable[[], Scaled] | None = None
        if measure in shared:
            permute = partial(shared[measure].tail, *columns)
            scale = partial(shared[measure].units, *columns)
        unit_clusters = None if clusters is None else [clusters[query] for query in matched.queries]
        plain_difference = value_difference(
            first_values,
            second_values,
            measure=measure,
            names=(first, second),
            direction=direction,
            reach=reach,
            clusters=unit_clusters,
            caveat=matched.note,
            permute=permute,
            scale=scale,
        )
        return refine(plain_difference, matched.values[:, columns], unit_clusters)

    left_out = (matched.note for _, _, matched in by_measure.values() if matched.note)
    units = len(judged.queries if clusters is None else {clusters[query] for query in judged.queries})
    findings = compare_pairs(
        kind,
        names,
        differences,
        unit=unit if clusters is None else "cluster",
        headline=headline,
        level=level,
        **pairs_options,
        tukey=tukey,
        alone=None if alone is None else lambda name, measure: alone(name, measure, judged.queries),
        chance_null=chance_null,
        cases=float(units),
        seed=seed,
        notes=(*notes, *dict.fromkeys(f"{note[0].upper()}{note[1:]}." for note in left_out)),
    )
    if clusters is None:
        return findings
    return replace(findings, clustered=float(len(judged.queries)), clustered_unit=unit)
