"""Differences of two rankings of the same cases, drawn again: bootstrap, and systems swapped at random.

Where a case stands among the others never changes, so each system is sorted once; a replicate only counts how
often each place was drawn, the same cases for both systems.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from edgeworth.errors import OptionError
from edgeworth.inference.comparing.scores.score_effects import steps_of_places
from edgeworth.inference.tails import Tail
from edgeworth.measures.along import ResolvedRanking
from edgeworth.measures.views import Values
from edgeworth.progress import told_rounds
from edgeworth.tallies.case_standing import CaseStanding
from edgeworth.tallies.paired_scores import PairedScores

CHUNK = 1 << 19
"""Places, or cases, held at once."""

EQUAL = 1e-12
"""Differences closer than this are the same number with other rounding."""


def bootstrap_differences(
    paired: PairedScores, first: str, second: str, resolved: ResolvedRanking, draws: int, seed: int
) -> Values:
    """The difference in replicates: as many targets and as much background, each class by itself; or groups.

    Where there are groups, whole groups are drawn, whatever their classes; the number of targets then varies.
    """
    if not paired.is_counted:
        raise OptionError("a bootstrap of rankings draws whole cases; with sampling weights use Influence()")
    if paired.groups is not None and paired.units < 2:
        raise OptionError("all cases are in one group: there is nothing to resample")
    standings = (paired.standing(first), paired.standing(second))
    fill = _filler(paired, standings)
    size = max(1, CHUNK // max(1, sum(standing.places for standing in standings)))

    generator = np.random.default_rng(seed)
    found = []
    for start in told_rounds(draws, size, "draws"):
        counts = [np.zeros((min(size, draws - start), standing.places)) for standing in standings]
        for rows in zip(*counts, strict=True):
            fill(rows, generator)
        found.append(_differences(counts[0], counts[1], standings, resolved))
    return np.concatenate(found)


Filler = Callable[[tuple[Values, ...], np.random.Generator], None]


def _filler(paired: PairedScores, standings: tuple[CaseStanding, CaseStanding]) -> Filler:
    """How one replicate's cases are drawn and counted by place, for both systems at once."""
    places = [standing.place for standing in standings]
    weights = None if paired.weights is None else paired.weights.astype(np.float64)
    if paired.groups is not None:
        codes, number = paired.groups.codes, paired.units

        def of_groups(rows: tuple[Values, ...], generator: np.random.Generator) -> None:
            chosen = np.bincount(generator.integers(0, number, size=number), minlength=number)
            times = chosen[codes] if weights is None else chosen[codes] * weights
            for row, place in zip(rows, places, strict=True):
                row += np.bincount(place, weights=times, minlength=len(row))

        return of_groups
    classes = [np.flatnonzero(paired.targets), np.flatnonzero(~paired.targets)]
    if weights is not None:
        totals = [int(paired.weights[rows].sum()) for rows in classes]  # type: ignore[index]  # there are some
        shares = [weights[rows] / weights[rows].sum() for rows in classes]

        def of_counts(rows: tuple[Values, ...], generator: np.random.Generator) -> None:
            for cases, total, share in zip(classes, totals, shares, strict=True):
                if total:
                    times = generator.multinomial(total, share)
                    for row, place in zip(rows, places, strict=True):
                        row += np.bincount(place[cases], weights=times, minlength=len(row))

        return of_counts
    split = [[place[rows] for place in places] for rows in classes]

    def of_cases(rows: tuple[Values, ...], generator: np.random.Generator) -> None:
        for parts in split:
            number = len(parts[0])
            chosen = generator.integers(0, number, size=number) if number else np.zeros(0, dtype=np.int64)
            for row, part in zip(rows, parts, strict=True):
                row += np.bincount(part[chosen], minlength=len(row))

    return of_cases


def _differences(
    one: Values, two: Values, standings: tuple[CaseStanding, CaseStanding], resolved: ResolvedRanking
) -> Values:
    values = [
        resolved.values(steps_of_places(counts, standing.steps))
        for counts, standing in zip((one, two), standings, strict=True)
    ]
    return np.asarray(values[0] - values[1])


def permutation_tail(
    paired: PairedScores, first: str, second: str, resolved: ResolvedRanking, draws: int, seed: int
) -> Tail:
    """P(a difference as large), the two systems' ranks swapped at random case by case (or group by group).

    After Venkatraman & Begg (1996) and Bandos, Rockette & Gur (2005): scores of different systems are not on
    one scale, so their ranks are swapped, and ties that this makes are taken as the measure takes ties. What
    is tested is that the two are exchangeable: equal values of the measure are not enough when the systems'
    hits are spread differently.
    """
    if paired.weights is not None:
        raise OptionError("swapping systems needs single cases; these have weights")
    ranks = [_midranks(paired.row(name)) for name in (first, second)]
    levels = np.concatenate([row[paired.targets] for row in ranks])
    standings = [CaseStanding.among(levels, row, paired.targets) for row in ranks]
    one, two = (standing.place for standing in standings)
    width = standings[0].places
    both = (np.bincount(one, minlength=width) + np.bincount(two, minlength=width)).astype(np.float64)
    generator = np.random.default_rng(seed)
    codes = None if paired.groups is None else paired.groups.codes

    def swapped(swap: NDArray[np.bool_]) -> Values:
        places = np.where(swap, two, one) + np.arange(len(swap))[:, None] * width
        counts = np.bincount(places.ravel(), minlength=len(swap) * width).reshape(len(swap), width)
        return _differences(counts.astype(np.float64), both - counts, (standings[0], standings[0]), resolved)

    observed = abs(float(swapped(np.zeros((1, len(paired)), dtype=bool))[0]))
    size = max(1, CHUNK // max(1, len(paired), width))
    count = 0
    for start in told_rounds(draws, size, "draws"):
        shape = (min(size, draws - start), paired.units)
        swap = generator.integers(0, 2, size=shape, dtype=np.uint8).astype(bool)
        values = swapped(swap if codes is None else swap[:, codes])
        count += int((np.abs(values) >= observed - EQUAL).sum())
    what = "cases" if codes is None else "groups"
    said = f"Monte Carlo, ranks of the two swapped in random {what}, {draws:,} draws, seed {seed}"
    return replace(Tail.drawn(count, draws, seed), method=said)


def _midranks(scores: Values) -> Values:
    """Ranks from the lowest; tied cases share the mean of theirs."""
    _, level, counts = np.unique(scores, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[level])
