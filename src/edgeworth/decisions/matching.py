"""Matching of clusters without names to the classes that make them most informed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats
from edgeworth.core.tails import Tail
from edgeworth.decisions.guessing import random_tables
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import InputError, check_seed
from edgeworth.sources.columns import Label

MOST_MAPS = 200_000
"""The most maps that are all tried; with more of them the best is searched for."""

STARTS = 30
SMALLEST_GAIN = 1e-14

Places = NDArray[np.intp]


@dataclass(frozen=True)
class Problem:
    """Counts of clusters (rows) by classes (columns), and whether a class takes one cluster at most."""

    counts: Floats
    one_to_one: bool

    @cached_property
    def joint(self) -> Floats:
        """Shares of all cases."""
        return np.asarray(self.counts / self.counts.sum())

    @cached_property
    def shares(self) -> Floats:
        """Each cluster's share of the cases."""
        return np.asarray(self.joint.sum(axis=1))

    @cached_property
    def real(self) -> Floats:
        """Each class's share of the cases."""
        return np.asarray(self.joint.sum(axis=0))

    def gains(self, rows: Floats, hits: Floats, classes: Places | None = None) -> Floats:
        """Compute the parts of informedness from the share mapped to a class and the share of hits in it."""
        real = self.real if classes is None else self.real[classes]
        priced = (real > 0) & (real < 1)
        safe = np.where(priced, real, 0.5)
        return np.where(priced, rows * (hits / safe - rows) / (1 - safe), 0.0)


@dataclass(frozen=True)
class Matching:
    """Clusters mapped to classes; a cluster mapped to None is left out, at zero weight.

    The informedness is a maximum over maps, so it is above 0 even for pure guessing: ``test`` matches again
    in every table that guessing draws, and only that p-value means anything.
    """

    mapping: dict[Label, Label | None]
    informedness: float
    is_exact: bool
    method: str
    table: ContingencyTable = field(repr=False)
    problem: Problem = field(repr=False)

    def test(self, *, draws: int | None = None, seed: int = 0) -> Tail:
        """Compute P(clusters without information, matched as well as they can be, look this good)."""
        return matching_tail(self.problem, self.informedness, draws=draws, seed=seed)


def matching_tail(problem: Problem, informedness: float, *, draws: int | None = None, seed: int = 0) -> Tail:
    """Match tables that guessing draws, and count those that look as good."""
    counts = problem.counts
    if not np.array_equal(counts, counts.round()):
        raise InputError("exact laws of guessing need whole cases; these are weighted")
    is_quick = problem.one_to_one or _best(problem, seed)[2]
    number = draws or (999 if is_quick else 199)
    rows, columns = ([int(x) for x in counts.sum(axis=axis)] for axis in (1, 0))
    count = 0
    for tables in random_tables(rows, columns, number, seed):
        for table in tables:
            again = replace(problem, counts=table.astype(np.float64))
            count += _best(again, seed)[1] >= informedness - 1e-12
    return Tail.drawn(count, number, seed)


def match(table: ContingencyTable, *, one_to_one: bool = True, seed: int = 0) -> Matching:
    """Map predicted labels (clusters) to real classes so that informedness is as large as possible.

    Parameters
    ----------
    table : ContingencyTable
        Clusters as predictions beside the real classes, without abstentions.
    one_to_one : bool
        Whether a class takes at most one cluster.
    seed : int
        The seed of the random starts of a search.

    Returns
    -------
    Matching

    Notes
    -----
    Any cluster may stay without a class. One cluster a class is a linear assignment and exact. With many
    clusters to a class every map is tried when they are few; otherwise single moves improve several starts,
    and the result is the best found.

    Examples
    --------
    >>> table = ContingencyTable.from_labels(["a", "a", "b", "b"], [7, 7, 3, 3])
    >>> match(table).mapping
    {3: 'b', 7: 'a'}
    """
    check_seed(seed)
    if table.abstained.any():
        raise InputError("matching takes every case as clustered; this table has abstentions")
    clusters, classes = np.flatnonzero(table.predicted > 0), np.flatnonzero(table.real > 0)
    if not len(clusters):
        raise InputError("there are no cases to match")
    problem = Problem(table.counts[np.ix_(clusters, classes)].astype(np.float64), one_to_one)
    chosen, value, is_exact, method = _best(problem, seed)
    mapping = {
        table.labels[cluster]: None if place < 0 else table.labels[classes[place]]
        for cluster, place in zip(clusters, chosen, strict=True)
    }
    mapped = table.map_predictions(mapping).without_empty_labels()
    if table.is_counted:
        mapped = replace(mapped, matching=partial(matching_tail, problem, value))
    return Matching(mapping, value, is_exact, method, mapped, problem)


def _best(problem: Problem, seed: int) -> tuple[Places, float, bool, str]:
    clusters, classes = problem.counts.shape
    choices, is_exact = classes + 1, True
    if problem.one_to_one:
        chosen, method = _assignment(problem), "linear assignment, exact"
    elif choices**clusters <= MOST_MAPS:
        chosen, method = _all_maps(problem), f"all {choices**clusters:,} maps tried, exact"
    else:
        is_exact = False
        chosen, method = _search(problem, seed), f"best found from {STARTS} starts by moves"
    return chosen, _informedness_of(problem, chosen), is_exact, method


def _assignment(problem: Problem) -> Places:
    from scipy.optimize import linear_sum_assignment

    clusters, classes = problem.counts.shape
    benefit = problem.gains(problem.shares[:, None], problem.joint)
    # One empty column a cluster lets any of them be left out.
    padded = np.hstack([benefit, np.zeros((clusters, clusters))])
    _, column = linear_sum_assignment(padded, maximize=True)
    return np.where(column < classes, column, -1)


def _informedness_of(problem: Problem, chosen: Places) -> float:
    rows, hits = _class_sums(problem, chosen)
    return float(problem.gains(rows, hits).sum())


def _class_sums(problem: Problem, chosen: Places) -> tuple[Floats, Floats]:
    classes = problem.counts.shape[1]
    taken = np.flatnonzero(chosen >= 0)
    rows = np.bincount(chosen[taken], weights=problem.shares[taken], minlength=classes)
    hits = np.bincount(chosen[taken], weights=problem.joint[taken, chosen[taken]], minlength=classes)
    return rows.astype(np.float64), hits.astype(np.float64)


def _all_maps(problem: Problem) -> Places:
    clusters, classes = problem.counts.shape
    best, best_value = np.zeros(clusters, dtype=np.intp), -np.inf
    every = product(range(-1, classes), repeat=clusters)
    while block := list(islice(every, 1 << 14)):
        maps = np.array(block, dtype=np.intp)
        chosen = maps[:, :, None] == np.arange(classes)
        rows = (chosen * problem.shares[None, :, None]).sum(axis=1)
        hits = (chosen * problem.joint[None]).sum(axis=1)
        values = problem.gains(rows, hits).sum(axis=1)
        top = int(np.argmax(values))
        if values[top] > best_value:
            best, best_value = maps[top], float(values[top])
    return best


def _search(problem: Problem, seed: int) -> Places:
    rng = np.random.default_rng(seed)
    clusters, classes = problem.counts.shape
    lift = problem.counts / np.maximum(problem.counts.sum(axis=0), 1)
    starts = [np.argmax(lift, axis=1), np.argmax(problem.counts, axis=1), _assignment(problem)]
    starts += [rng.integers(-1, classes, clusters) for _ in range(STARTS - len(starts))]
    found = [_improve(problem, start.copy()) for start in starts]
    return max(found, key=lambda chosen: _informedness_of(problem, chosen))


def _improve(problem: Problem, chosen: Places) -> Places:
    """Take the best single move while one helps."""
    while True:
        moves = _move_gains(problem, chosen)
        cluster, place = np.unravel_index(int(np.argmax(moves)), moves.shape)
        if moves[cluster, place] <= SMALLEST_GAIN:
            return chosen
        # The last column stands for leaving the cluster out.
        chosen[cluster] = place if place < problem.counts.shape[1] else -1


def _move_gains(problem: Problem, chosen: Places) -> Floats:
    """Compute what moving each cluster to each class, or (last column) out, would add."""
    rows, hits = _class_sums(problem, chosen)
    now = problem.gains(rows, hits)
    home = np.maximum(chosen, 0)
    placed = chosen >= 0
    own = problem.joint[np.arange(len(chosen)), home]
    without = problem.gains(rows[home] - problem.shares, hits[home] - own, home)
    leave = np.where(placed, without - now[home], 0.0)
    enter = problem.gains(rows + problem.shares[:, None], hits + problem.joint) - now
    moves = np.hstack([leave[:, None] + enter, leave[:, None]])
    moves[np.arange(len(chosen))[placed], chosen[placed]] = 0.0
    return moves
