"""Many tests at once: p-values adjusted so that a level holds for the whole family."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import combinations
from string import ascii_letters
from typing import Any

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats


def holm(p_values: Sequence[float] | NDArray[Any]) -> Floats:
    """Adjust by Holm's step-down: the chance of any false finding is at most the level.

    ``max_{j ≤ i} (m − j + 1) p_(j)``, at most 1 (Holm 1979). A test without a p-value (nan) is none of the m.

    >>> holm([0.01, 0.04, 0.03, float("nan")]).tolist()
    [0.03, 0.06, 0.06, nan]
    """
    return _adjust(p_values, lambda rising: np.maximum.accumulate(np.arange(len(rising), 0, -1) * rising))


def benjamini_hochberg(p_values: Sequence[float] | NDArray[Any]) -> Floats:
    """Adjust by Benjamini and Hochberg's step-up: the expected share of false findings is at most the level.

    ``min_{j ≥ i} m p_(j)/j``, at most 1 (1995), for tests that are independent or positively dependent. A
    test without a p-value (nan) is none of the m.

    >>> benjamini_hochberg([0.01, 0.04, 0.03]).round(10).tolist()
    [0.03, 0.04, 0.04]
    """

    def step_up(rising: Floats) -> Floats:
        steps = len(rising) / np.arange(1.0, len(rising) + 1) * rising
        return np.minimum.accumulate(steps[::-1])[::-1]

    return _adjust(p_values, step_up)


def _adjust(p_values: Sequence[float] | NDArray[Any], adjust: Callable[[Floats], Floats]) -> Floats:
    """Adjust the p-values that are numbers in their rising order, and give them back in their own."""
    values = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(values, kind="stable")[: len(values) - int(np.isnan(values).sum())]
    result = np.full(len(values), np.nan)
    result[order] = np.minimum(adjust(values[order]), 1.0)
    return result


Group = frozenset[int]


def compact_letters(names: Sequence[str], apart: Collection[frozenset[str]]) -> dict[str, str]:
    """Give each system, in order of rank, its letters, from the pairs that can be told apart.

    Two systems share a letter if and only if they are not told apart; "a" is in the best system's group.
    After z come A to Z, then a2, b2, and so on.

    >>> compact_letters(["x", "y", "z"], {frozenset({"x", "z"})})
    {'x': 'a', 'y': 'ab', 'z': 'b'}
    """
    place = {name: index for index, name in enumerate(names)}
    groups = letter_groups(len(names), [(place[one], place[other]) for one, other in map(tuple, apart)])
    written = [""] * len(names)
    for number, group in enumerate(groups):
        for member in group:
            again, place_of = divmod(number, len(ascii_letters))
            written[member] += ascii_letters[place_of] + (str(again + 1) if again else "")
    return dict(zip(names, written, strict=True))


def letter_groups(number: int, apart: Collection[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Find the groups of systems (by rank) without significant differences.

    All begin in one group. A pair that is told apart splits every group that holds both, into one without
    either; a group inside another is absorbed. What is left are the largest groups without a pair told
    apart. A group all of whose pairs are together elsewhere says nothing new and is dropped.

    >>> letter_groups(3, [(0, 2)])
    [(0, 1), (1, 2)]
    """
    groups: list[Group] = [frozenset(range(number))] if number else []
    for one, other in sorted({(min(pair), max(pair)) for pair in apart}):
        split = [group for group in groups if one in group and other in group]
        whole = [group for group in groups if not (one in group and other in group)]
        parts = {part for group in split for part in (group - {one}, group - {other})}
        # Groups that were not split are not inside one another, nor can they be inside a part of another.
        larger = whole + sorted(parts, key=lambda part: (-len(part), sorted(part)))
        groups = whole + [part for part in larger[len(whole) :] if not any(part < other for other in larger)]
    return [tuple(sorted(group)) for group in _needed(sorted(groups, key=sorted))]


def _needed(groups: list[Group]) -> list[Group]:
    """Drop groups whose pairs are all in other groups, the last ones first."""
    held = Counter(pair for group in groups for pair in _pairs(group))
    kept = list(groups)
    for group in reversed(groups):
        if all(held[pair] > 1 for pair in _pairs(group)):
            kept.remove(group)
            held.subtract(_pairs(group))
    return kept


def _pairs(group: Group) -> list[tuple[int, ...]]:
    """Pair each member with itself and with every other."""
    return [(member,) for member in group] + list(combinations(sorted(group), 2))
