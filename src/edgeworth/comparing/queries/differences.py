"""Two systems on the same queries: a difference of means over queries, and what is known about it."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats
from edgeworth.choices import QueryRule
from edgeworth.comparing.difference import Difference
from edgeworth.comparing.findings import ComparisonFindings, Pair, Terms, all_pairs, compare_pairs
from edgeworth.comparing.queries.exact_values import Scaled, scale_units
from edgeworth.comparing.queries.paired_tests import mean_difference, sign_test, wilcoxon_test
from edgeworth.comparing.queries.permutation import SharedSigns, sign_flip_tail
from edgeworth.comparing.queries.tukey import randomised_tukey
from edgeworth.core.formatting import plural
from edgeworth.core.labels import canonical_order
from edgeworth.core.measures import Direction
from edgeworth.core.tails import Tail
from edgeworth.errors import InputError, OptionError
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.resolving import resolve_ranking, tie_groups_of
from edgeworth.sources.columns import Label

POSTERIOR = "Student's t posterior of the mean difference, flat prior on mean and logarithm of spread"


@dataclass(frozen=True, eq=False)
class MatchedQueries:
    """Values of several systems on the queries that all of them have: a row a query, a column a system."""

    names: tuple[str, ...]
    queries: tuple[Label, ...]
    values: Floats
    left_out: Mapping[str, int]
    """How many queries of each system some other one does not have."""
    undefined: int = 0
    """Queries that all have, but of which some have no value: left out as well."""

    @property
    def note(self) -> str | None:
        """What was left out, as a sentence; None when nothing was."""
        found = {f"of {name} that not every system has": number for name, number in self.left_out.items()}
        found["in which a system has no value"] = self.undefined
        parts = [f"{n:,} {plural(n, 'query', 'queries')} {which}" for which, n in found.items() if n]
        return f"left out: {'; '.join(parts)}" if parts else None


def query_values(lists: RankedLists, spelling: str) -> dict[Label, float]:
    """The values that a mean over queries is of; nan where a query has none.

    A query without targets has none, or counts as 0 where the lists say so.
    """
    resolved = resolve_ranking(lists, spelling)
    values = resolved.values(tie_groups_of(lists, resolved))
    lists = resolved.retarget(lists)
    values = np.where(lists.targets == 0, 0.0 if lists.empty_is_zero else math.nan, values)
    return dict(zip(lists.queries, values.tolist(), strict=True))


def match_queries(
    values: Mapping[str, Mapping[Any, float]], *, queries: QueryRule = "intersection"
) -> MatchedQueries:
    """Values of systems by query, for the queries that all have: or an error where they differ.

    >>> matched = match_queries({"A": {1: 0.5, 2: 0.25, 3: 1.0}, "B": {2: 0.75, 3: 0.5}})
    >>> matched.queries, matched.values.tolist(), matched.note
    ((2, 3), [[0.25, 0.75], [1.0, 0.5]], 'left out: 1 query of A that not every system has')
    """
    if queries not in ("intersection", "error"):
        raise OptionError(f'queries is "intersection" or "error"; saw {queries!r}')
    if len(values) < 2:
        raise InputError(f"a comparison needs at least two systems; saw {len(values)}")
    common = set.intersection(*(set(each) for each in values.values()))
    left_out = {name: len(each.keys() - common) for name, each in values.items()}
    if queries == "error" and any(left_out.values()):
        name, each = next((name, each) for name, each in values.items() if each.keys() - common)
        example = canonical_order(each.keys() - common)[0]
        raise InputError(
            f"systems have different queries: {left_out[name]:,} of {name}, such as {example!r}, are not in "
            'all; queries="intersection" leaves them out'
        )
    if not common:
        raise InputError(f"no query is common to {' and '.join(values)}: nothing can be compared")
    chosen = canonical_order(common)
    table = np.array([[each[query] for each in values.values()] for query in chosen], dtype=np.float64)
    is_defined = np.asarray(~np.isnan(table).any(axis=1))
    return MatchedQueries(
        tuple(values),
        tuple(query for query, defined in zip(chosen, is_defined, strict=True) if defined),
        table[is_defined],
        left_out,
        int((~is_defined).sum()),
    )


def query_difference(
    matched: MatchedQueries,
    first: str,
    second: str,
    *,
    measure: str,
    direction: Direction = "higher",
    clusters: Mapping[Any, Hashable] | None = None,
    shared: SharedSigns | None = None,
    exact: bool = True,
    **drawing: int,
) -> Difference:
    """The difference of two of the systems whose queries were matched.

    ``shared`` are random signs for all pairs of many systems; ``exact`` says whether this measure's signs are
    counted before any are drawn; ``drawing`` are draws and seed.
    """
    if not matched.queries:
        why = f"no query has a value of both {first} and {second}"
        nothing = (math.nan, math.nan)
        return Difference(
            measure, first, second, nothing, direction, cases=0.0, undefined=why, doubt=matched.note
        )
    places = [matched.names.index(name) for name in (first, second)]
    columns = [matched.values[:, place] for place in places]
    known = None
    if shared is not None and clusters is None:
        known = shared.units(*places), shared.tail(*places, exact=exact)
    return value_difference(
        columns[0],
        columns[1],
        measure=measure,
        names=(first, second),
        direction=direction,
        clusters=None if clusters is None else clusters_of_queries(matched.queries, clusters),
        doubt=matched.note,
        known=known,
        **drawing,
    )


def value_difference(
    first: Sequence[float] | NDArray[Any],
    second: Sequence[float] | NDArray[Any],
    *,
    measure: str,
    names: tuple[str, str] = ("first", "second"),
    direction: Direction = "higher",
    clusters: Sequence[Hashable] | None = None,
    doubt: str | None = None,
    known: tuple[Scaled, Tail] | None = None,
    **drawing: int,
) -> Difference:
    """The difference of means of paired values, with its tests: permutation, t, Wilcoxon and sign.

    ``known`` are the differences as whole numbers and the permutation test of them, where they are known.

    >>> found = value_difference([0.5, 0.6, 0.9, 1.0], [0.4, 0.5, 0.7, 0.8], measure="average_precision")
    >>> round(found.difference, 4), found.p_value(), list(found.tests)
    (0.15, 0.125, ['permutation', 't', 'wilcoxon', 'sign'])
    """
    one, other = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if one.shape != other.shape or one.ndim != 1:
        raise InputError(
            f"paired values need one value of each a unit; saw shapes {one.shape}, {other.shape}"
        )
    differences, size = one - other, float(max(abs(one).max(initial=0), abs(other).max(initial=0)))
    mean = mean_difference(differences, clusters=clusters, size=size)
    if known is None:
        units = scale_units(differences, clusters=clusters, size=size)
        known = units, sign_flip_tail(units, **drawing)
    units, permuted = known
    tests = {"permutation": permuted}
    student = mean.test()
    if not math.isnan(student.p_value):
        tests["t"] = student
    tests |= {"wilcoxon": wilcoxon_test(units), "sign": sign_test(units)}
    better = mean.probability_above if direction == "higher" else 1 - mean.probability_above
    values = [math.fsum(column.tolist()) / len(column) for column in (one, other)]
    return Difference(
        measure,
        *names,
        # Means that differ by rounding alone do not differ.
        values=(values[0], values[1] if units.total else values[0]),
        direction=direction,
        law=mean.law,
        interval_method="" if mean.law is None else "Student's t over units",
        tests=tests,
        probability_better=math.nan if direction == "neither" else better,
        probability_method=POSTERIOR,
        effect=mean.effect(),
        cases=float(mean.units),
        no_interval=mean.no_law,
        doubt=doubt,
    )


def clusters_of_queries(queries: tuple[Label, ...], clusters: Mapping[Any, Hashable]) -> list[Hashable]:
    """The cluster of each query; every query needs one."""
    missing = [query for query in queries if query not in clusters]
    if missing:
        raise InputError(f"every query needs a cluster; {missing[0]!r} has none")
    return [clusters[query] for query in queries]


MEASURES = ("average_precision", "ndcg@10", "precision@10", "reciprocal_rank")


def compare_queries(
    lists: Mapping[str, RankedLists],
    *,
    measures: Sequence[str] | None = None,
    queries: QueryRule = "intersection",
    clusters: Mapping[Any, Hashable] | None = None,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    **terms: Unpack[Terms],
) -> ComparisonFindings:
    """Compare ranked lists query by query.

    ``clusters`` names the cluster of each query, where queries come in clusters that belong together (one
    user's, variants of one question): the unit is then the cluster.
    """
    names = tuple(lists)
    pairs: dict[Pair, dict[str, Difference]] = {pair: {} for pair in all_pairs(names)}
    drawing = {"draws": draws, "seed": seed}
    notes: list[str] = []
    tukey: dict[Pair, float] | None = None
    headline = ""
    cases = math.nan
    for spelling in measures or MEASURES:
        resolved = resolve_ranking(next(iter(lists.values())), spelling)
        matched = match_queries(
            {name: query_values(each, spelling) for name, each in lists.items()}, queries=queries
        )
        if matched.note is not None:
            notes.append(f"{matched.note[0].upper()}{matched.note[1:]}.")
        # Of many pairs random signs are drawn once for all, and only the first measure's are counted.
        many = len(names) > 3 and len(matched.queries) > 0 and clusters is None
        shared = SharedSigns.of(matched.values, **drawing) if many else None
        for first, second in pairs:
            pairs[first, second][resolved.spelling] = query_difference(
                matched,
                first,
                second,
                measure=resolved.spelling,
                direction=resolved.measure.direction,
                clusters=clusters,
                shared=shared,
                exact=not headline,
                **drawing,
            )
        if not headline:
            headline, cases = resolved.spelling, float(len(matched.queries))
            if terms.get("adjust") == "tukey" and len(matched.queries):
                units = None if clusters is None else clusters_of_queries(matched.queries, clusters)
                p_values = randomised_tukey(matched.values, clusters=units, **drawing).p_values
                tukey = {(a, b): float(p_values[names.index(a), names.index(b)]) for a, b in pairs}
    return compare_pairs(
        "lists",
        names,
        lambda *pair: pairs[pair],
        unit="query" if clusters is None else "cluster",
        headline=headline,
        level=level,
        **terms,
        tukey=tukey,
        cases=cases,
        seed=seed,
        notes=tuple(dict.fromkeys(notes)),
    )
