"""Two forecasters bet against each other: e-values of their wealth, and confidence sequences of their scores.

Each bets Kelly's stakes at the other's fair prices. The first's log wealth is Σ log p(y) − log q(y), and the
second's is its negative. An e-value of the first is evidence against "the second's probabilities are true",
and the other way round. Neither shows which is better on average. The confidence sequences do: they are for
the mean score difference, first minus second, and lower is better.

Where cases come in clusters (patients, matches, documents) a cluster is one bet. Its rows may be copies of
each other, and the product of their factors would count one piece of luck many times over, so a cluster's
factor is the geometric mean of its rows' factors: copies count once, and log W(A, B) = −log W(B, A) holds.
It is an e-value. Let E[f_i | outcomes of other clusters before i] ≤ 1 for every row i: the other's
probability is true for the row, given what the bettor knew of other clusters. By the inequality of the means
``Π_g geometric mean ≤ Π_g mean of f_i in g``, and the right side is the average, over all ways to choose one
row of each cluster, of the product of the chosen rows' factors. Those rows are of different clusters, so each
such product has a mean of at most 1, however rows of one cluster depend on each other. If the rows of each
cluster are consecutive, the products after each cluster are a supermartingale, and the largest on the way is
evidence too. If clusters are mixed, only the final product is. The mean score of a cluster has the bounds of
a score, so confidence sequences are for the average over clusters.

In a race every system bets against every other. log W(A, B) is the difference of two sums of log scores, so
the whole table follows from a tally of scores, and log W(A, C) = log W(A, B) + log W(B, C). Only the path,
and with it an anytime-valid p-value, needs the duels themselves. Probability 0 for the outcome is ruin: −inf
for that system, +inf for the other. If both were ruined, each bet ends with nothing. The sums alone do not
show whether the bet could be settled, so the result is then nan.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations, permutations
from typing import TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats, finite_or_none, plain_values
from edgeworth.common.choices import PredictionsMade
from edgeworth.core.cluster_codes import encode_clusters
from edgeworth.errors import InputError
from edgeworth.forecasts.betting.path import MAX_BLOCKS, SUMS, Blocks
from edgeworth.forecasts.betting.wealth import RIVAL, Wealth
from edgeworth.forecasts.curves import thin
from edgeworth.forecasts.estimates import mean_sequence, score_blocks
from edgeworth.forecasts.findings import examine_bets
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scoring_rules import RULES
from edgeworth.forecasts.sequential import ConfidenceSequence, Evidence, better_of
from edgeworth.sources.columns import MISSING, check_not_missing


@dataclass(frozen=True)
class Duel:
    """What two forecasters' bets against each other prove.

    ``for_first`` is the first's wealth, evidence against the second's probabilities; ``for_second`` the
    reverse. With ordered cases their maximum on the way counts (a p-value good at any time), otherwise the
    end. Sequences are of the mean difference, first less second: of Brier scores (empirical Bernstein) and
    log scores (asymptotic; None if one is infinite). Only ordered cases have them: a sample of fixed size
    has one interval, that of the differences. ``unit`` is what one bet is on.
    """

    first: str
    second: str
    wealth: Wealth
    for_first: Evidence
    for_second: Evidence
    brier_sequence: ConfidenceSequence | None
    log_sequence: ConfidenceSequence | None
    unit: str = "case"

    def to_dict(self) -> dict[str, object]:
        """Return plain values, with sequences at no more points than a chart shows."""
        shown = thin(self.wealth.blocks.number)
        sequences = {"brier": self.brier_sequence, "log": self.log_sequence}
        fields = {
            **{name: getattr(self, name) for name in ("first", "second", "unit")},
            "cases": self.wealth.cases,
            "ordered": self.wealth.ordered,
            "sequences": {
                name: sequence and _plain_sequence(sequence, shown) for name, sequence in sequences.items()
            },
        }
        return {name: plain_values(value) for name, value in fields.items()}


def forecast_duel(
    wealth: Wealth, first: str, second: str, *, level: float = 0.95, unit: str = "case"
) -> Duel:
    """Find what the first's wealth against the second proves, either way; a bet is on one ``unit``.

    >>> wealth = Wealth.from_probabilities([1, 0, 1], [0.6, 0.3, 0.8], against=[0.5, 0.5, 0.5])
    >>> duel = forecast_duel(wealth, "A", "B")
    >>> round(duel.for_first.e_value, 4), round(duel.for_second.e_value, 4)
    (2.688, 0.372)
    >>> duel.for_first.null
    'the probabilities of B are the true ones, given all that A knew'
    """
    # The exact law of luck takes seconds, and a comparison does not ask for it.
    bets = examine_bets(replace(wealth, games=None), level=level)
    assert bets.against_model is not None
    sequences: dict[str, ConfidenceSequence | None] = dict.fromkeys(("brier", "log"))
    for score in sequences if wealth.ordered else ():
        blocks = score_blocks(wealth, score)
        if blocks is not None:
            reach = RULES[score].highest(len(wealth.labels))
            sequences[score] = _negate(mean_sequence(blocks, level=level, reach=reach))
    return Duel(
        first,
        second,
        wealth,
        replace(bets.against_rival, null=true_null(first, second, unit)),
        replace(bets.against_model, null=true_null(second, first, unit)),
        sequences["brier"],
        sequences["log"],
        unit,
    )


def true_null(bettor: str, other: str, unit: str) -> str:
    """State the null hypothesis that the bettor's wealth is evidence against."""
    known = f"all that {bettor} knew{'' if unit == 'case' else ' about other clusters'}"
    return f"the probabilities of {other} are the true ones, given {known}"


class PlainEvidence(TypedDict):
    """Evidence as plain values; None is an infinite number."""

    log_e_value: float | None
    e_value: float | None
    p_value: float | None
    anytime: bool
    null: str


class WealthRow(TypedDict):
    """What one forecaster would have won from another, as plain values."""

    bettor: str
    against: str
    log_wealth: float | None
    growth: float | None
    evidence: PlainEvidence | None
    ruined: bool
    undefined: str | None


def plain_evidence(evidence: Evidence | None) -> PlainEvidence | None:
    """Convert evidence to plain values."""
    if evidence is None:
        return None
    return {
        "log_e_value": finite_or_none(evidence.log_e_value),
        "e_value": finite_or_none(evidence.e_value),
        "p_value": finite_or_none(evidence.p_value),
        "anytime": evidence.ordered,
        "null": evidence.null,
    }


def _negate(sequence: ConfidenceSequence) -> ConfidenceSequence:
    """Turn what the first gained on the second into a difference, first less second."""
    return replace(sequence, mean=-sequence.mean, low=-sequence.high, high=-sequence.low)


def _plain_sequence(sequence: ConfidenceSequence, shown: NDArray[np.intp]) -> dict[str, object]:
    columns = {"mean": sequence.mean, "low": sequence.low, "high": sequence.high}
    return {
        **dict(zip(columns, sequence.last, strict=True)),
        "level": sequence.level,
        "method": sequence.method,
        "undefined": sequence.undefined,
        "path": {"cases": sequence.cases[shown], **{name: x[shown] for name, x in columns.items()}},
    }


SQUARES = {"brier_square": "brier", "log_square": "log"}
"""Sums of squares are of the clusters' means."""


@dataclass(frozen=True, eq=False)
class CaseClusters:
    """The cluster of each case, clusters numbered as they first appear."""

    codes: NDArray[np.intp]
    number: int

    @classmethod
    def of(cls, clusters: object, cases: int) -> CaseClusters:
        """Number the clusters of all cases; none may be missing.

        >>> CaseClusters.of(["b", "a", "b"], 3).codes.tolist()
        [0, 1, 0]
        """
        codes = encode_clusters(clusters).codes
        if len(codes) != cases:
            raise InputError(f"clusters has {len(codes):,} rows, the scores have {cases:,}")
        check_not_missing(codes == MISSING, "clusters")
        _, first, position = np.unique(codes, return_index=True, return_inverse=True)
        order = np.empty(len(first), dtype=np.intp)
        order[np.argsort(first)] = np.arange(len(first))
        return cls(order[position], len(first))

    @property
    def are_consecutive(self) -> bool:
        """Whether the rows of each cluster are consecutive."""
        return bool((np.diff(self.codes) >= 0).all())

    def means(self, rows: Floats) -> Floats:
        """Average each cluster's rows, along the first axis; nan where +inf meets −inf."""
        order = np.argsort(self.codes, kind="stable")
        sizes = np.bincount(self.codes, minlength=self.number)
        with np.errstate(invalid="ignore"):
            totals = np.add.reduceat(rows[order], np.cumsum(sizes) - sizes, axis=0)
        return np.asarray(totals / sizes.reshape(-1, *[1] * (rows.ndim - 1)))


def wealth_of_clusters(
    first: Forecasts,
    second: Forecasts,
    clusters: CaseClusters,
    *,
    against: str = RIVAL,
    ordered: bool = False,
    predictions_made: PredictionsMade = "before",
) -> Wealth:
    """Compute the first's wealth against the second where a cluster is one bet; ``cases`` counts clusters.

    >>> truth, sure, even = [1, 1, 0], [0.8, 0.8, 0.4], [0.5, 0.5, 0.5]
    >>> p, q = (Forecasts.of(truth, each) for each in (sure, even))
    >>> wealth = wealth_of_clusters(p, q, CaseClusters.of(["one", "one", "other"], 3))
    >>> wealth.cases, round(wealth.wealth, 6)
    (2, 1.92)
    """
    parts = [
        # So few rows are kept one by one.
        Wealth.from_forecasts(first[rows], second[rows], against=against, predictions_made=predictions_made)
        for rows in (slice(start, start + MAX_BLOCKS) for start in range(0, len(first), MAX_BLOCKS))
    ]
    rows = Blocks.end_to_end([part.blocks for part in parts])
    if rows.number != len(first):
        raise InputError(
            f"there are {len(first):,} rows and {rows.number:,} bets: each row is a bet by itself"
        )
    sums = clusters.means(rows.sums)
    for name, score in SQUARES.items():
        sums[:, SUMS.index(name)] = sums[:, SUMS.index(score)] ** 2
    # A system that is ruined in one row of a cluster has nothing left for the other rows.
    logs, fractions = (clusters.means(values) for values in (rows.logs, rows.fractions))
    for values in (logs, fractions):
        values[np.isnan(values)] = -np.inf
    starts = np.arange(clusters.number)
    blocks = Blocks.of_steps(starts, starts + 1, logs, fractions, sums)
    return Wealth(
        first.labels,
        blocks.coarsen(),
        against,
        ordered=ordered and clusters.are_consecutive,
        predictions_made=predictions_made,
    )


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
    """What is one bet: a case, or a cluster of cases."""
    no_evidence: str | None = None
    """Why wealth proves nothing here; there is no evidence then."""

    def __post_init__(self) -> None:
        self.log_wealth.setflags(write=False)

    def against(self, bettor: str, other: str) -> float:
        """Return the log wealth of one against another."""
        return float(self.log_wealth[self.names.index(bettor), self.names.index(other)])

    def stronger(self, first: str, second: str) -> Evidence | None:
        """Find the direction that proves more, both paid for; None if there is no evidence."""
        if math.isnan(self.against(first, second)) or self.no_evidence is not None:
            return None
        return better_of(self.evidence[first, second], self.evidence[second, first])

    def path(self, bettor: str, other: str) -> Floats:
        """Return the log wealth after ``positions`` cases; empty when only sums were kept."""
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

    def rows(self) -> list[WealthRow]:
        """List every bettor against every other, the furthest ahead first."""
        rows: list[WealthRow] = []
        for bettor, other in permutations(self.standings, 2):
            wealth, reason = self.against(bettor, other), self.no_evidence
            if math.isnan(wealth):
                reason = f"{bettor} and {other} both gave probability 0 to an outcome that occurred"
            rows.append(
                {
                    "bettor": bettor,
                    "against": other,
                    "log_wealth": finite_or_none(wealth),
                    "growth": finite_or_none(wealth / self.cases),
                    "evidence": plain_evidence(self.evidence.get((bettor, other))),
                    "ruined": wealth == -math.inf,
                    "undefined": reason,
                }
            )
        return rows

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        plain = ("names", "cases", "ordered", "unit", "no_evidence", "leader", "standings")
        stronger = {pair: plain_evidence(self.stronger(*pair)) for pair in combinations(self.names, 2)}
        paths = [{"bettor": a, "against": b, "log_wealth": path} for (a, b), path in self.paths.items()]
        fields = {name: getattr(self, name) for name in plain} | {
            "race": self.rows(),
            "stronger": [
                {"first": a, "second": b, **evidence} for (a, b), evidence in stronger.items() if evidence
            ],
            "positions": self.positions,
            "paths": paths,
        }
        return {name: plain_values(value) for name, value in fields.items()}


def race_of_sums(names: tuple[str, ...], sums: Floats, cases: int, unit: str = "case") -> WealthRace:
    """Race all against all by sums of log scores over cases, or of the means of clusters over clusters.

    It has the final wealth only, not the path.
    """
    with np.errstate(invalid="ignore"):  # two infinite sums have no difference
        table = sums[None, :] - sums[:, None]
    np.fill_diagonal(table, 0.0)
    evidence = {
        (names[a], names[b]): Evidence(float(table[a, b]), None, true_null(names[a], names[b], unit))
        for a, b in permutations(range(len(sums)), 2)
        if not np.isnan(table[a, b])
    }
    return WealthRace(names, cases, table, evidence, unit=unit)


def race_of_duels(duels: Sequence[Duel]) -> WealthRace:
    """Race all against all by the duels of every pair, on the same cases, with their paths."""
    names = tuple(dict.fromkeys(name for duel in duels for name in (duel.first, duel.second)))
    positions, ordered = duels[0].wealth.positions, duels[0].wealth.ordered
    table, shown = np.zeros((len(names), len(names))), thin(len(positions))
    evidence: dict[Pair, Evidence] = {}
    paths: dict[Pair, Floats] = {}
    for duel in duels:
        a, b = names.index(duel.first), names.index(duel.second)
        table[a, b], back = duel.wealth.log_wealth, duel.for_second.log_e_value
        # Minus the same number but for rounding, unless someone was ruined.
        table[b, a] = -table[a, b] if np.isfinite(table[a, b]) else back
        evidence[duel.first, duel.second], evidence[duel.second, duel.first] = duel.for_first, duel.for_second
        path = duel.wealth.path[shown]
        paths[duel.first, duel.second] = path
        if not np.isfinite(path).all():
            paths[duel.second, duel.first] = duel.wealth.reverse_path[shown]
    return WealthRace(
        names, duels[0].wealth.cases, table, evidence, positions[shown], paths, ordered, duels[0].unit
    )
