"""Differences of two rankings of the same cases, the cases drawn again.

Where a case stands among the others never changes, so each system is sorted once; a replicate only counts how
often each place was drawn, the same cases for both systems.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from edgeworth.arrays import Values
from edgeworth.comparing.case_standing import CaseStanding
from edgeworth.comparing.paired_scores import PairedScores
from edgeworth.comparing.scores.score_effects import steps_of_places
from edgeworth.errors import OptionError
from edgeworth.progress import told_rounds
from edgeworth.rankings.along import ResolvedRanking

CHUNK = 1 << 19
"""Places, or cases, held at once."""


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
        found.append(differences_of(counts[0], counts[1], standings, resolved))
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


def differences_of(
    one: Values, two: Values, standings: tuple[CaseStanding, CaseStanding], resolved: ResolvedRanking
) -> Values:
    """The difference of two systems' rankings, cases counted by place, a replicate a row."""
    values = [
        resolved.values(steps_of_places(counts, standing.steps))
        for counts, standing in zip((one, two), standings, strict=True)
    ]
    return np.asarray(values[0] - values[1])
