"""Pairs as a reader meets them: the better one first, everywhere on a page. JSON keeps the order given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgeworth.comparing.findings import ComparisonFindings

TURNED = {
    "first": "second",
    "second": "first",
    "only_first_right": "only_second_right",
    "only_second_right": "only_first_right",
}
"""What is said of the first is said of the second when a pair is turned round."""


def better_first(findings: ComparisonFindings, first: str, second: str) -> tuple[str, str]:
    """Two systems, the better one by the measure to go by first."""
    ranked = findings.ranked
    return (first, second) if ranked.index(first) <= ranked.index(second) else (second, first)


def ranked_pairs(findings: ComparisonFindings) -> list[tuple[str, str]]:
    """Every pair, the better one first, and the pairs of the best system before the others."""
    ranked = findings.ranked
    return [(a, b) for place, a in enumerate(ranked) for b in ranked[place + 1 :]]


def ranked_disagreements(findings: ComparisonFindings) -> list[Mapping[str, Any]]:
    """Who is right where, pairs in the same order."""
    found = {(one["first"], one["second"]): one for one in findings.disagreements}
    both = {**found, **{(b, a): _turned(one) for (a, b), one in found.items()}}
    return [both[pair] for pair in ranked_pairs(findings) if pair in both]


def _turned(one: Mapping[str, Any]) -> dict[str, Any]:
    return {key: one[TURNED.get(key, key)] for key in one}
