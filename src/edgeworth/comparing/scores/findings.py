"""Compare the scores that several systems gave to the same cases: from paired scores to findings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from edgeworth.comparing.findings import (
    ComparisonFindings,
    Terms,
    all_pairs,
    check_systems,
    pairs_with_progress,
    summarise_pairs,
)
from edgeworth.comparing.paired_scores import PairedScores
from edgeworth.comparing.scores.differences import score_difference, shared_permutations

MEASURES = ("average_precision", "roc_auc")


def compare_scores(
    paired: PairedScores,
    *,
    measures: Sequence[str] | None = None,
    method: Any = None,
    level: float = 0.95,
    seed: int = 0,
    **terms: Unpack[Terms],
) -> ComparisonFindings:
    """Compare the scores that several systems gave to the same cases."""
    names = paired.names
    check_systems(names, level)
    # Swapping two systems takes up to seconds a pair: many pairs share what is quick for two.
    swaps = None if len(names) == 2 else shared_permutations(paired, len(all_pairs(names)))
    options: dict[str, Any] = {"method": method, "permutations": swaps, "seed": seed}
    pairs = {
        pair: [score_difference(paired, *pair, measure, **options) for measure in measures or MEASURES]
        for pair in pairs_with_progress(names)
    }
    return summarise_pairs(
        "scores",
        {pair: {each.measure: each for each in found} for pair, found in pairs.items()},
        unit="case" if paired.groups is None else "group",
        level=level,
        **terms,
        cases=float(len(paired)),
        seed=seed,
        dropped=paired.dropped,
    )
