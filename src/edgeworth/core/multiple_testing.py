"""Many tests at once: p-values adjusted so that a level holds for the whole family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import combinations
from string import ascii_letters

import numpy as np

from edgeworth.common.arrays import Floats


def holm(p_values: Sequence[float] | Floats) -> Floats:
    """Adjust by Holm's step-down: the chance of any false finding is at most the level.

    ``max_{j ≤ i} (m − j + 1) p_(j)``, at most 1 (Holm 1979). A test without a p-value (nan) is none of the m.

    >>> holm([0.01, 0.04, 0.03, float("nan")]).tolist()
    [0.03, 0.06, 0.06, nan]
    """
    return _adjust(
        p_values, lambda ascending: np.maximum.accumulate(np.arange(len(ascending), 0, -1) * ascending)
    )


def benjamini_hochberg(p_values: Sequence[float] | Floats) -> Floats:
    """Adjust by Benjamini and Hochberg's step-up: the expected share of false findings is at most the level.

    ``min_{j ≥ i} m p_(j)/j``, at most 1 (1995), for tests that are independent or positively dependent. A
    test without a p-value (nan) is none of the m.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(10).tolist()
    [0.03, 0.04, 0.04]
    """

    def step_up(ascending: Floats) -> Floats:
        steps = len(ascending) / np.arange(1.0, len(ascending) + 1) * ascending
        return np.minimum.accumulate(steps[::-1])[::-1]

    return _adjust(p_values, step_up)


def _adjust(p_values: Sequence[float] | Floats, adjust: Callable[[Floats], Floats]) -> Floats:
    """Adjust the p-values that are numbers, and return them in their original order."""
    values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")[: len(values) - int(np.isnan(values).sum())]
    result = np.full(len(values), np.nan)
    result[order] = np.minimum(adjust(values[order]), 1.0)
    return result


Group = frozenset[int]


def compact_letters(names: Sequence[str], apart: Collection[frozenset[str]]) -> dict[str, str]:
    """Assign letters to systems, in order of rank, from the pairs that differ significantly.

    Two systems share a letter if and only if they do not differ; the best system has "a".
    After z come A to Z, then a2, b2, and so on.

    >>> compact_letters(["x", "y", "z"], {frozenset({"x", "z"})})
    {'x': 'a', 'y': 'ab', 'z': 'b'}
    """
    index_of = {name: index for index, name in enumerate(names)}
    pairs = [(index_of[one], index_of[other]) for one, other in map(tuple, apart)]
    groups = letter_groups(len(names), pairs)
    letters = [""] * len(names)
    for number, group in enumerate(groups):
        for member in group:
            rounds, position = divmod(number, len(ascii_letters))
            letters[member] += ascii_letters[position] + (str(rounds + 1) if rounds else "")
    return dict(zip(names, letters, strict=True))


def letter_groups(systems: int, apart: Collection[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Find the groups of systems (by rank) without significant differences.

    All systems begin in one group. A pair that differs splits every group that holds both, into one group
    without either; a group inside another is absorbed. The largest groups without a pair that differs are
    left. A group all of whose pairs are together in other groups adds nothing and is dropped.

    >>> letter_groups(3, [(0, 2)])
    [(0, 1), (1, 2)]
    """
    groups: list[Group] = [frozenset(range(systems))] if systems else []
    for one, other in sorted({(min(pair), max(pair)) for pair in apart}):
        split = [group for group in groups if one in group and other in group]
        whole = [group for group in groups if not (one in group and other in group)]
        parts = {part for group in split for part in (group - {one}, group - {other})}
        # Groups that were not split are not inside one another, nor can they be inside a part of another.
        larger = whole + sorted(parts, key=lambda part: (-len(part), sorted(part)))
        groups = whole + [part for part in larger[len(whole) :] if not any(part < other for other in larger)]
    return [tuple(sorted(group)) for group in _drop_redundant(sorted(groups, key=sorted))]


def _drop_redundant(groups: list[Group]) -> list[Group]:
    """Drop groups whose pairs are all in other groups, the last ones first."""
    occurrences = Counter(pair for group in groups for pair in _pairs(group))
    kept = list(groups)
    for group in reversed(groups):
        if all(occurrences[pair] > 1 for pair in _pairs(group)):
            kept.remove(group)
            occurrences.subtract(_pairs(group))
    return kept


def _pairs(group: Group) -> list[tuple[int, ...]]:
    """Pair each member with itself and with every other."""
    return [(member,) for member in group] + list(combinations(sorted(group), 2))
