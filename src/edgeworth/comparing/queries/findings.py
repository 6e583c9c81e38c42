"""Compare ranked lists query by query: from the lists of several systems to findings."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Unpack

from edgeworth.choices import QueryRule
from edgeworth.comparing.difference import Difference
from edgeworth.comparing.findings import (
    ComparisonFindings,
    Pair,
    Terms,
    all_pairs,
    check_systems,
    summarise_pairs,
)
from edgeworth.comparing.queries.differences import (
    groups_of_queries,
    match_queries,
    query_difference,
    query_values,
)
from edgeworth.comparing.queries.permutation import SharedSigns
from edgeworth.comparing.queries.tukey import randomised_tukey
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.resolving import resolve_ranking

MEASURES = ("average_precision", "ndcg@10", "precision@10", "reciprocal_rank")


def compare_queries(
    lists: Mapping[str, RankedLists],
    *,
    measures: Sequence[str] | None = None,
    queries: QueryRule = "intersection",
    groups: Mapping[Any, Hashable] | None = None,
    level: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
    **terms: Unpack[Terms],
) -> ComparisonFindings:
    """Compare ranked lists query by query.

    ``groups`` names the group of each query, where queries come in groups that belong together (one user's,
    variants of one question): the unit is then the group.
    """
    names = tuple(lists)
    check_systems(names, level)
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
        many = len(names) > 3 and len(matched.queries) > 0 and groups is None
        shared = SharedSigns.of(matched.values, **drawing) if many else None
        for first, second in pairs:
            pairs[first, second][resolved.spelling] = query_difference(
                matched,
                first,
                second,
                measure=resolved.spelling,
                direction=resolved.measure.direction,
                groups=groups,
                shared=shared,
                exact=not headline,
                **drawing,
            )
        if not headline:
            headline, cases = resolved.spelling, float(len(matched.queries))
            if terms.get("adjust") == "tukey" and len(matched.queries):
                units = None if groups is None else groups_of_queries(matched.queries, groups)
                p_values = randomised_tukey(matched.values, groups=units, **drawing).p_values
                tukey = {(a, b): float(p_values[names.index(a), names.index(b)]) for a, b in pairs}
    return summarise_pairs(
        "lists",
        pairs,
        unit="query" if groups is None else "group",
        headline=headline,
        level=level,
        **terms,
        tukey=tukey,
        cases=cases,
        seed=seed,
        notes=tuple(dict.fromkeys(notes)),
    )
