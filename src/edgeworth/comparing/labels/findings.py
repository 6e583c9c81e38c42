"""Compare the labels that several predictors gave to the same cases: from joint counts to findings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Unpack

from edgeworth.comparing.findings import (
    ComparisonFindings,
    Terms,
    check_systems,
    pairs_with_progress,
    summarise_pairs,
)
from edgeworth.comparing.labels.differences import default_spellings, label_differences
from edgeworth.comparing.paired import Paired

MEASURES = ("informedness", "markedness", "accuracy", "mcc")
"""Measures of many systems: those of single labels are left out, for there are pairs enough to read."""


def compare_labels(
    paired: Paired,
    *,
    measures: Sequence[str] | None = None,
    method: Any = None,
    level: float = 0.95,
    seed: int = 0,
    **terms: Unpack[Terms],
) -> ComparisonFindings:
    """Compare the labels of several predictors of the same cases."""
    check_systems(paired.names, level)
    is_many = len(paired.names) > 3
    spellings = tuple(measures or (MEASURES if is_many else default_spellings(paired)))
    options: dict[str, Any] = {"method": method, "seed": seed, "level": level, "quick": is_many}
    pairs = {
        pair: label_differences(paired, *pair, spellings, **options)
        for pair in pairs_with_progress(paired.names)
    }
    return summarise_pairs(
        "labels",
        pairs,
        unit="group" if paired.is_grouped else "case",
        level=level,
        **terms,
        cases=float(paired.total),
        seed=seed,
        disagreements=tuple(_disagreement(paired, *pair) for pair in pairs),
        dropped=paired.dropped,
    )


def _disagreement(paired: Paired, first: str, second: str) -> dict[str, Any]:
    found = paired.discordance(first, second)
    return {"first": first, "second": second, **asdict(found), "disagreements": found.disagreements}
