"""All tables with given margins, counted by what their diagonal adds up to. Whole numbers throughout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import comb

MOST_WORK = 360_000
"""Cells looked at before giving up, some tenths of a second; a cell costs more as its binomials grow."""

ROUGH = 2
"""The number of steps foreseen is an upper bound, so a little more than the limit is worth a try."""


class TooMany(Exception):  # noqa: N818  # a signal between two functions, never seen by a user
    """There are more tables than can be enumerated."""


def enumerate_hits(
    predicted: Sequence[int], real: Sequence[int], weights: Sequence[int]
) -> dict[int, tuple[int, int]]:
    """For each value of ``Σ_l weights_l hits_l``: the ways of guessing that give it, and the tables.

    Classes are dealt with one after the other; what matters of the past is how many predictions of each
    label are left and what the diagonal has added up to, so tables that agree in both are counted together.

    >>> enumerate_hits([1, 1], [1, 1], [1, 1])
    {0: (1, 1), 2: (1, 1)}
    """
    states: dict[tuple[tuple[int, ...], int], tuple[int, int]] = {(tuple(predicted), 0): (1, 1)}
    work, cost = 0.0, len(predicted) * (1 + (sum(real) / 200) ** 2)
    if 10 * cost > MOST_WORK:
        raise TooMany
    # What is left when all other classes are done fills the last one in one way: let it be the largest.
    order = sorted(range(len(real)), key=lambda label: real[label])
    steps = {label: _number_of_compositions(real[label], predicted) for label in order[:-1]}
    # Each way of filling the first class is a state of its own, so it is known now if the second is too much.
    first, second = [*steps.values(), 1, 1][:2]
    if first * cost > MOST_WORK or first * second > ROUGH * MOST_WORK:
        raise TooMany
    for label in order:
        if label != order[-1] and len(states) * steps[label] > ROUGH * MOST_WORK:
            raise TooMany
        following: dict[tuple[tuple[int, ...], int], tuple[int, int]] = {}
        for (left, total), (ways, tables) in states.items():
            for taken in _compositions(real[label], left):
                work += cost
                if work > MOST_WORK:
                    raise TooMany
                many = ways
                for available, chosen in zip(left, taken, strict=True):
                    if chosen:
                        many *= comb(available, chosen)
                rest = tuple(a - c for a, c in zip(left, taken, strict=True))
                key = (rest, total + weights[label] * taken[label])
                before = following.get(key, (0, 0))
                following[key] = (before[0] + many, before[1] + tables)
        states = following
    result: dict[int, tuple[int, int]] = {}
    for (_, total), (ways, tables) in states.items():
        before = result.get(total, (0, 0))
        result[total] = (before[0] + ways, before[1] + tables)
    return dict(sorted(result.items()))


def _compositions(number: int, limits: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """All ways of writing a number as a sum of parts within limits."""
    if len(limits) == 1:
        if number <= limits[0]:
            yield (number,)
        return
    room = sum(limits[1:])
    for first in range(max(0, number - room), min(number, limits[0]) + 1):
        for rest in _compositions(number - first, limits[1:]):
            yield (first, *rest)


def _number_of_compositions(number: int, limits: Sequence[int]) -> int:
    """How many there are, without making them."""
    counts = [1] + [0] * number
    for limit in limits:
        running = [0, *accumulate(counts)]
        counts = [running[n + 1] - running[max(0, n - limit)] for n in range(number + 1)]
    return counts[number]
