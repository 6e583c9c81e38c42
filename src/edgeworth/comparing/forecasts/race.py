"""The wealth of each forecaster against each: who would have taken whose money.

At each other's fair prices log W(A, B) = Σ log p_A(y) − log p_B(y) = −log W(B, A): the difference of two sums
of log scores, so a tally of scores has the whole table, and log W(A, C) = log W(A, B) + log W(B, C). Only the
way there, and with it a p-value good at any time, takes the duels themselves.

Probability 0 for what happened is ruin: −inf for the one, +inf for the other. Where both were ruined, each
bet ends with nothing; from sums alone it cannot be told whether it could be settled at all, and it is nan.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, permutations
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats, plain_values
from edgeworth.comparing.forecasts.duels import Duel, plain_evidence, thin, true_null
from edgeworth.errors import InputError
from edgeworth.forecasts.sequential.evidence import Evidence, better_of

Pair: TypeAlias = tuple[str, str]


@dataclass(frozen=True, eq=False)
class WealthRace:
    """Log wealth of each system (row) against each (column), and what it proves.

    ``evidence[a, b]`` is a's wealth as evidence against b's probabilities, there for every pair whose bet
    could be settled, unless there is none (``no_evidence``). ``paths[a, b]`` is a's log wealth after
    ``positions`` cases: for one order of each pair, and for both where someone was ruined and the one is not
    minus the other.
    """

    names: tuple[str, ...]
    cases: int
    log_wealth: Floats
    evidence: Mapping[Pair, Evidence] = field(repr=False)
    positions: NDArray[np.int64] = field(repr=False, default_factory=lambda: np.zeros(0, dtype=np.int64))
    paths: Mapping[Pair, Floats] = field(repr=False, default_factory=dict)
    ordered: bool = False
    unit: str = "case"
    """What is one bet: a case, or a group of cases."""
    no_evidence: str | None = None
    """Why wealth proves nothing here; there is no evidence then."""

    def __post_init__(self) -> None:
        self.log_wealth.setflags(write=False)

    def against(self, bettor: str, other: str) -> float:
        """Give the log wealth of one against another."""
        return float(self.log_wealth[self._place(bettor), self._place(other)])

    def growth(self, bettor: str, other: str) -> float:
        """Give the log wealth a case (or group, where that is a bet), in nats."""
        return self.against(bettor, other) / self.cases

    def stronger(self, first: str, second: str) -> Evidence | None:
        """Find the direction that proves more, both paid for; None where there is no evidence."""
        if math.isnan(self.against(first, second)) or self.no_evidence is not None:
            return None
        return better_of(self.evidence[first, second], self.evidence[second, first])

    def path(self, bettor: str, other: str) -> Floats:
        """Give the log wealth after ``positions`` cases; empty when only sums were kept."""
        self.against(bettor, other)  # refuses names that are not there
        if (bettor, other) in self.paths:
            return self.paths[bettor, other]
        return -self.paths[other, bettor] if (other, bettor) in self.paths else np.zeros(0)

    @cached_property
    def wins(self) -> dict[str, int]:
        """How many others each is ahead of, less those that it is behind."""
        signs = np.sign(np.nan_to_num(self.log_wealth, nan=0.0))
        return dict(zip(self.names, signs.sum(axis=1).astype(int).tolist(), strict=True))

    @property
    def standings(self) -> tuple[str, ...]:
        """The systems, the one ahead of most others first; ties in the order given."""
        return tuple(sorted(self.names, key=lambda name: -self.wins[name]))

    @property
    def leader(self) -> str | None:
        """The one that is ahead of every other; None when no one is."""
        first = self.standings[0]
        return first if self.wins[first] == len(self.names) - 1 else None

    def rows(self) -> list[dict[str, Any]]:
        """List every bettor against every other, the furthest ahead first."""
        found = []
        for bettor, other in permutations(self.standings, 2):
            wealth, reason = self.against(bettor, other), self.no_evidence
            if math.isnan(wealth):
                reason = f"{bettor} and {other} both gave probability 0 to something that happened"
            row = {"bettor": bettor, "against": other, "log_wealth": wealth, "growth": wealth / self.cases}
            row |= {"evidence": plain_evidence(self.evidence.get((bettor, other)))}
            found.append(row | {"ruined": wealth == -math.inf, "undefined": reason})
        return [plain_values(row) for row in found]

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        plain = ("names", "cases", "ordered", "unit", "no_evidence", "leader", "standings")
        stronger = {pair: plain_evidence(self.stronger(*pair)) for pair in combinations(self.standings, 2)}
        paths = [{"bettor": a, "against": b, "log_wealth": path} for (a, b), path in self.paths.items()]
        found = {name: getattr(self, name) for name in plain} | {
            "race": self.rows(),
            "stronger": [{"first": a, "second": b, **each} for (a, b), each in stronger.items() if each],
            "positions": self.positions,
            "paths": paths,
        }
        return {name: plain_values(value) for name, value in found.items()}

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise InputError(f"there is no system {name!r}; there are {', '.join(map(repr, self.names))}")
        return self.names.index(name)


def race_of_sums(names: tuple[str, ...], sums: Floats, cases: int, unit: str = "case") -> WealthRace:
    """Race all against all by sums of log scores over cases, or of the means of groups over groups.

    It says how the race ended, not how it went.
    """
    _check_race(names, cases)
    with np.errstate(invalid="ignore"):  # two infinite sums: cannot be told
        table = sums[None, :] - sums[:, None]
    np.fill_diagonal(table, 0.0)
    evidence = {
        (names[a], names[b]): Evidence(
            float(table[a, b]), None, "greater", true_null(names[a], names[b], unit)
        )
        for a, b in permutations(range(len(sums)), 2)
        if not np.isnan(table[a, b])
    }
    return WealthRace(names, cases, table, evidence, unit=unit)


def race_of_duels(duels: Sequence[Duel]) -> WealthRace:
    """Race all against all by the duels of every pair, on the same cases, with their paths."""
    names = tuple(dict.fromkeys(name for duel in duels for name in (duel.first, duel.second)))
    if not duels:
        raise InputError("a race takes at least one duel")
    _check_race(names, duels[0].cases)
    fought = [frozenset((duel.first, duel.second)) for duel in duels]
    wanted = {frozenset(pair) for pair in combinations(names, 2)}
    if len(fought) != len(wanted) or set(fought) != wanted:
        raise InputError(f"{len(names)} systems race in {len(wanted)} duels, one a pair; saw {len(duels)}")
    positions, ordered = duels[0].wealth.positions, duels[0].wealth.ordered
    for duel in duels:
        if not np.array_equal(duel.wealth.positions, positions) or duel.wealth.ordered != ordered:
            raise InputError("the duels of a race are over the same cases, all ordered or none")
    table, places = np.zeros((len(names), len(names))), thin(len(positions))
    evidence: dict[Pair, Evidence] = {}
    paths: dict[Pair, Floats] = {}
    for duel in duels:
        a, b = names.index(duel.first), names.index(duel.second)
        table[a, b], back = duel.log_wealth, duel.for_second.log_e_value
        # Minus the same number but for rounding, unless someone was ruined.
        table[b, a] = -table[a, b] if np.isfinite(table[a, b]) else back
        evidence[duel.first, duel.second], evidence[duel.second, duel.first] = duel.for_first, duel.for_second
        path = duel.wealth.path[places]
        paths[duel.first, duel.second] = path
        if not np.isfinite(path).all():
            paths[duel.second, duel.first] = duel.reverse_path[places]
    return WealthRace(
        names, duels[0].cases, table, evidence, positions[places], paths, ordered, duels[0].unit
    )


def _check_race(names: Sequence[str], cases: int) -> None:
    if len(names) < 2:
        raise InputError(f"a race needs two systems at least; saw {len(names)}")
    if not cases:
        raise InputError("there are no cases to bet on")
