"""All pairs of several systems, of labels, scores or ranked lists: from tallies to findings."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from edgeworth.comparing.difference import Difference
from edgeworth.comparing.findings import (
    Adjust,
    ComparisonFindings,
    Pair,
    all_pairs,
    enough_names,
    headline_of,
    put_together,
    told_pairs,
)
from edgeworth.comparing.labels.differences import default_spellings, label_differences
from edgeworth.comparing.paired import Paired
from edgeworth.comparing.paired_scores import PairedScores
from edgeworth.comparing.queries.differences import (
    QueryRule,
    groups_of_queries,
    match_queries,
    matched_difference,
    query_values,
)
from edgeworth.comparing.queries.shared_signs import SharedSigns
from edgeworth.comparing.queries.tukey import randomised_tukey
from edgeworth.comparing.scores.differences import score_difference, shared_permutations
from edgeworth.core.laws import check_level
from edgeworth.rankings.along import resolve_ranking
from edgeworth.rankings.lists import RankedLists

OF_LABELS = ("informedness", "markedness", "accuracy", "mcc")
OF_SCORES = ("average_precision", "roc_auc")
OF_LISTS = ("average_precision", "ndcg@10", "precision@10", "reciprocal_rank")


def compare_labels(
    paired: Paired,
    *,
    measures: Sequence[str] | None = None,
    method: Any = None,
    level: float = 0.95,
    power: float = 0.8,
    adjust: Adjust = "holm",
    seed: int = 0,
) -> ComparisonFindings:
    """Compare labels of several predictors of the same cases."""
    check_level(level)
    names = enough_names(paired.names)
    # Of many systems the measures of single labels are left out: there are pairs enough to read.
    usual = default_spellings(paired) if len(names) <= 3 else OF_LABELS
    spellings = tuple(measures or usual)
    pairs = {
        pair: label_differences(
            paired, *pair, spellings, method=method, seed=seed, level=level, quick=len(names) > 3
        )
        for pair in told_pairs(names)
    }
    return put_together(
        "labels",
        names,
        pairs,
        unit="group" if paired.is_grouped else "case",
        headline=headline_of(pairs),
        level=level,
        power=power,
        adjust=adjust,
        cases=float(paired.total),
        seed=seed,
        disagreements=tuple(_disagreement(paired, *pair) for pair in pairs),
        dropped=paired.dropped,
        notes=_dropped(paired.dropped),
    )


def compare_scores(
    paired: PairedScores,
    *,
    measures: Sequence[str] | None = None,
    method: Any = None,
    level: float = 0.95,
    power: float = 0.8,
    adjust: Adjust = "holm",
    seed: int = 0,
) -> ComparisonFindings:
    """Compare scores that several systems gave to the same cases."""
    check_level(level)
    names = enough_names(paired.names)
    # Swapping two systems takes up to seconds a pair: many pairs share what is quick for two.
    swaps = None if len(names) == 2 else shared_permutations(paired, len(all_pairs(names)))
    pairs = {
        pair: {
            found.measure: found
            for found in (
                score_difference(paired, *pair, measure, method=method, permutations=swaps, seed=seed)
                for measure in measures or OF_SCORES
            )
        }
        for pair in told_pairs(names)
    }
    return put_together(
        "scores",
        names,
        pairs,
        unit="case" if paired.groups is None else "group",
        headline=headline_of(pairs),
        level=level,
        power=power,
        adjust=adjust,
        cases=float(len(paired)),
        seed=seed,
        dropped=paired.dropped,
        notes=_dropped(paired.dropped),
    )


def compare_lists(
    lists: Mapping[str, RankedLists],
    *,
    measures: Sequence[str] | None = None,
    queries: QueryRule = "intersection",
    groups: Mapping[Any, Hashable] | None = None,
    level: float = 0.95,
    power: float = 0.8,
    adjust: Adjust = "holm",
    draws: int = 10_000,
    seed: int = 0,
) -> ComparisonFindings:
    """Compare ranked lists query by query.

    ``groups`` names the group of each query, where queries come in groups that belong together (one user's,
    variants of one question): the unit is then the group.
    """
    check_level(level)
    names = enough_names(tuple(lists))
    pairs: dict[Pair, dict[str, Difference]] = {pair: {} for pair in all_pairs(names)}
    notes: list[str] = []
    tukey: dict[Pair, float] | None = None
    headline = ""
    cases = math.nan
    for spelling in measures or OF_LISTS:
        resolved = resolve_ranking(next(iter(lists.values())), spelling)
        matched = match_queries(
            {name: query_values(each, spelling) for name, each in lists.items()}, queries=queries
        )
        if matched.note is not None:
            notes.append(f"{matched.note[0].upper()}{matched.note[1:]}.")
        # Of many pairs random signs are drawn once for all, and only the first measure's are counted.
        many = len(names) > 3 and len(matched.queries) > 0 and groups is None
        shared = SharedSigns.of(matched.values, draws=draws, seed=seed) if many else None
        for first, second in pairs:
            pairs[first, second][resolved.spelling] = matched_difference(
                matched,
                first,
                second,
                measure=resolved.spelling,
                direction=resolved.measure.direction,
                groups=groups,
                draws=draws,
                seed=seed,
                shared=shared,
                exact=not headline,
            )
        if not headline:
            headline, cases = resolved.spelling, float(len(matched.queries))
            if adjust == "tukey" and len(matched.queries):
                units = None if groups is None else groups_of_queries(matched.queries, groups)
                p_values = randomised_tukey(matched.values, groups=units, draws=draws, seed=seed).p_values
                place = {name: index for index, name in enumerate(names)}
                tukey = {(a, b): float(p_values[place[a], place[b]]) for a, b in pairs}
    return put_together(
        "lists",
        names,
        pairs,
        unit="query" if groups is None else "group",
        headline=headline,
        level=level,
        power=power,
        adjust=adjust,
        tukey=tukey,
        cases=cases,
        seed=seed,
        notes=tuple(dict.fromkeys(notes)),
    )


def _disagreement(paired: Paired, first: str, second: str) -> dict[str, Any]:
    found = paired.discordance(first, second)
    words = (
        "both_right",
        "only_first_right",
        "only_second_right",
        "both_wrong_alike",
        "both_wrong_differently",
        "disagreements",
    )
    return {"first": first, "second": second, **{word: getattr(found, word) for word in words}}


def _dropped(number: int) -> tuple[str, ...]:
    return (f"{number:,} rows were dropped for missing values.",) if number else ()
