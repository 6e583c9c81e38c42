"""Matching of unnamed clusters to the classes that make informedness largest."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats, Integers
from edgeworth.common.progress import track_progress, track_rounds
from edgeworth.core.random_seeds import Rng, make_seed
from edgeworth.core.test_results import TestResult
from edgeworth.decisions.guessing import random_tables
from edgeworth.decisions.policy import MAX_MAPS_TRIED, SEARCH_STARTS
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import InputError
from edgeworth.sources.columns import Label

MAX_VALUES_AT_ONCE = 1 << 20
"""The most values of maps in tables that are computed at once: 8 MB."""

ROUNDING_ERROR = 1e-12
"""A table drawn by guessing whose informedness falls short by no more than this counts as equally good."""

SMALLEST_GAIN = 1e-14
"""A move that adds less to informedness is rounding error."""

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

    @property
    def number_of_maps(self) -> int:
        """The number of ways to map clusters to classes or leave them out."""
        clusters, classes = self.counts.shape
        return int((classes + 1) ** clusters)

    @property
    def has_few_maps(self) -> bool:
        """Whether all maps can be tried."""
        return self.number_of_maps <= MAX_MAPS_TRIED

    def gains(self, rows: Floats, hits: Floats, classes: Places | None = None) -> Floats:
        """Compute the parts of informedness from the share mapped to a class and the share of hits in it."""
        real = self.real if classes is None else self.real[classes]
        priced = (real > 0) & (real < 1)
        safe = np.where(priced, real, 0.5)
        return np.where(priced, rows * (hits / safe - rows) / (1 - safe), 0.0)


@dataclass(frozen=True)
class Matching:
    """A mapping of clusters to classes with the informedness that it reaches.

    The informedness is a maximum over mappings, so it is above 0 even for pure guessing. Use the p-value of
    ``test``, which matches again in every table that guessing draws.

    Attributes
    ----------
    mapping : dict
        The class of each cluster. None leaves the cluster out, with weight 0.
    informedness : float
        The largest informedness found.
    is_exact : bool
        Whether no mapping reaches more.
    method : str
        How the mapping was found.
    table : ContingencyTable
        The table after the mapping.
    problem : Problem
        The counts of clusters by classes.

    Examples
    --------
    >>> import edgeworth as ew
    >>> table = ContingencyTable.from_labels(["a", "a", "b", "b"] * 5, [7, 7, 3, 3] * 5)
    >>> matching = ew.match(table)
    >>> matching.mapping, matching.informedness, matching.is_exact
    ({3: 'b', 7: 'a'}, 1.0, True)
    """

    mapping: dict[Label, Label | None]
    informedness: float
    is_exact: bool
    method: str
    table: ContingencyTable = field(repr=False)
    problem: Problem = field(repr=False)

    def test(self, *, draws: int | None = None, rng: Rng = 0) -> TestResult:
        """Test whether clusters without information, matched as well as possible, reach this informedness.

        Parameters
        ----------
        draws : int, optional
            The number of random tables; by default as many as the p-value needs.
        rng : int, numpy Generator or None
            The seed, or the source, of random numbers.

        Returns
        -------
        TestResult
            The p-value and its kind.

        Examples
        --------
        >>> import edgeworth as ew
        >>> table = ContingencyTable.from_labels(["a", "a", "b", "b"] * 3, [7, 7, 3, 3] * 3)
        >>> test = ew.match(table).test()
        >>> round(test.p_value, 4), test.kind
        (0.002, 'drawn')
        """
        return matching_tail(self.problem, self.informedness, draws=draws, seed=make_seed(rng))


@dataclass(frozen=True, eq=False)
class MatchingTest:
    """The test of a matched table, which a report needs several times and runs once."""

    problem: Problem = field(repr=False)
    informedness: float
    results: dict[tuple[int | None, int], TestResult] = field(default_factory=dict, repr=False)

    def __call__(self, *, draws: int | None = None, seed: int = 0) -> TestResult:
        """Compute P(clusters without information, matched as well as they can be, look this good)."""
        if (draws, seed) not in self.results:
            tail = matching_tail(self.problem, self.informedness, draws=draws, seed=seed)
            self.results[draws, seed] = tail
        return self.results[draws, seed]


def matching_tail(
    problem: Problem, informedness: float, *, draws: int | None = None, seed: int = 0
) -> TestResult:
    """Match clusters in random tables, and count the tables with at least this informedness."""
    counts = problem.counts
    if not np.array_equal(counts, counts.round()):
        raise InputError("the exact distribution of guessing needs counts; these rows are weighted")
    number = draws or (999 if problem.one_to_one or problem.has_few_maps else 199)
    rows, columns = ([int(x) for x in counts.sum(axis=axis)] for axis in (1, 0))
    needed = informedness - ROUNDING_ERROR
    count = 0
    for tables in random_tables(rows, columns, number, seed):
        if problem.has_few_maps and not problem.one_to_one:
            count += int((_best_of_all_maps(problem, tables) >= needed).sum())
            continue
        with track_progress("tables matched", len(tables)) as done:
            for table in tables:
                again = replace(problem, counts=table.astype(np.float64))
                count += _best(again, seed)[1] >= needed
                done(1)
    return TestResult.from_draws(count, number, seed)


def _best_of_all_maps(problem: Problem, tables: Integers) -> Floats:
    """Find the largest informedness of any map in each of many tables that have the problem's margins.

    The margins fix the share R_c that a map sends to class c. So the informedness of a map,
    ``Σ_c (R_c h_c / r_c − R_c²) / (1 − r_c)``, is linear in the hits ``h_c``, sums of cells. A block of
    maps and all tables are one matrix product.
    """
    joint = tables.reshape(len(tables), -1).T / problem.counts.sum()
    has_odds = (problem.real > 0) & (problem.real < 1)
    real = np.where(has_odds, problem.real, 0.5)
    best = np.full(len(tables), -np.inf)
    block_size = max(1, MAX_VALUES_AT_ONCE // len(tables))
    maps = problem.number_of_maps
    for start in track_rounds(maps, block_size, "maps tried"):
        chosen = _choices(problem, start, min(start + block_size, maps)) & has_odds
        shares = np.einsum("mkc,k->mc", chosen, problem.shares)
        weights = chosen * (shares / (real * (1 - real)))[:, None, :]
        fixed = (shares**2 / (1 - real)).sum(axis=1)
        values = weights.reshape(len(weights), -1) @ joint
        values -= fixed[:, None]
        np.maximum(best, values.max(axis=0), out=best)
    return best


def _choices(problem: Problem, start: int, stop: int) -> NDArray[np.bool_]:
    """Return whether each map (axis 0) sends a cluster (axis 1) to a class (axis 2), for a range of maps."""
    clusters, classes = problem.counts.shape
    choices = np.unravel_index(np.arange(start, stop), (classes + 1,) * clusters)
    # The first choice of a cluster is to be left out.
    return np.asarray(np.stack(choices, axis=1)[:, :, None] == np.arange(1, classes + 1))


def match(table: ContingencyTable, *, one_to_one: bool = True, rng: Rng = 0) -> Matching:
    """Map predicted labels (clusters) to real classes so that informedness is largest.

    Parameters
    ----------
    table : ContingencyTable
        Clusters as predictions beside the real classes, without abstentions.
    one_to_one : bool
        Whether a class takes at most one cluster.
    rng : int, numpy Generator or None
        The seed, or the generator, of the random starts, which only a search needs. None means a new seed.

    Returns
    -------
    Matching
        The mapping, its informedness and its test.

    Notes
    -----
    A cluster may stay without a class. With ``one_to_one=True`` the problem is a linear assignment, and the
    best mapping is found exactly. With ``one_to_one=False`` every mapping is tried if there are few. If there
    are many, a search from several random starts moves one cluster at a time, and a better mapping may exist.
    The mapping is chosen on these data, so its informedness is optimistic. The test allows for that: it
    matches random guesses in the same way.

    Examples
    --------
    >>> table = ContingencyTable.from_labels(["a", "a", "b", "b"], [7, 7, 3, 3])
    >>> match(table).mapping
    {3: 'b', 7: 'a'}
    """
    if table.abstained.any():
        raise InputError("matching needs a cluster for every case; this table has abstentions")
    clusters, classes = np.flatnonzero(table.predicted > 0), np.flatnonzero(table.real > 0)
    if not len(clusters):
        raise InputError("there are no cases to match")
    problem = Problem(table.counts[np.ix_(clusters, classes)].astype(np.float64), one_to_one)
    class_of_cluster, value, is_exact, method = _best(problem, make_seed(rng))
    mapping = {
        table.labels[cluster]: None if class_index < 0 else table.labels[classes[class_index]]
        for cluster, class_index in zip(clusters, class_of_cluster, strict=True)
    }
    matched_table = table.map_predictions(mapping).without_empty_labels()
    if table.is_counted:
        matched_table = replace(matched_table, matching=MatchingTest(problem, value))
    return Matching(mapping, value, is_exact, method, matched_table, problem)


def _best(problem: Problem, seed: int) -> tuple[Places, float, bool, str]:
    is_exact = True
    if problem.one_to_one:
        chosen, method = _assignment(problem), "linear assignment, exact"
    elif problem.has_few_maps:
        chosen, method = _all_maps(problem), f"all {problem.number_of_maps:,} maps tried, exact"
    else:
        is_exact = False
        chosen, method = _search(problem, seed), f"best found from {SEARCH_STARTS} starts by moves"
    return chosen, float(_informedness_of(problem, chosen)), is_exact, method


def _assignment(problem: Problem) -> Places:
    from scipy.optimize import linear_sum_assignment

    clusters, classes = problem.counts.shape
    benefit = problem.gains(problem.shares[:, None], problem.joint)
    # One empty column a cluster lets any of them be left out.
    padded = np.hstack([benefit, np.zeros((clusters, clusters))])
    _, column = linear_sum_assignment(padded, maximize=True)
    return np.where(column < classes, column, -1)


def _informedness_of(problem: Problem, chosen: Places) -> Floats:
    """Compute the informedness of maps; a map is a row of ``chosen``, or all of it."""
    rows, hits = _class_sums(problem, chosen)
    return np.asarray(problem.gains(rows, hits).sum(axis=-1))


def _class_sums(problem: Problem, chosen: Places) -> tuple[Floats, Floats]:
    """Sum the shares and the hits of the clusters that maps send to each class."""
    classes = problem.counts.shape[1]
    is_sent = chosen[..., None] == np.arange(classes)
    rows = (is_sent * problem.shares[:, None]).sum(axis=-2)
    hits = (is_sent * problem.joint).sum(axis=-2)
    return rows, hits


def _all_maps(problem: Problem) -> Places:
    best, best_value = np.zeros(len(problem.counts), dtype=np.intp), -np.inf
    maps, block_size = problem.number_of_maps, 1 << 14
    for start in range(0, maps, block_size):
        chosen = _choices(problem, start, min(start + block_size, maps))
        rows = (chosen * problem.shares[None, :, None]).sum(axis=1)
        hits = (chosen * problem.joint[None]).sum(axis=1)
        values = problem.gains(rows, hits).sum(axis=1)
        top = int(np.argmax(values))
        if values[top] > best_value:
            best_value = float(values[top])
            best = np.where(chosen[top].any(axis=1), chosen[top].argmax(axis=1), -1)
    return best


def _search(problem: Problem, seed: int) -> Places:
    rng = np.random.default_rng(seed)
    clusters, classes = problem.counts.shape
    lift = problem.counts / np.maximum(problem.counts.sum(axis=0), 1)
    starts = [np.argmax(lift, axis=1), np.argmax(problem.counts, axis=1), _assignment(problem)]
    starts += [rng.integers(-1, classes, clusters) for _ in range(SEARCH_STARTS - len(starts))]
    improved = _improve(problem, np.stack(starts))
    return np.asarray(improved[np.argmax(_informedness_of(problem, improved))])


def _improve(problem: Problem, starts: Places) -> Places:
    """Improve each start by its best single move until no move helps."""
    classes = problem.counts.shape[1]
    maps = starts.copy()
    active = np.arange(len(maps))
    while len(active):
        moves = _move_gains(problem, maps[active]).reshape(len(active), -1)
        best = moves.argmax(axis=1)
        is_better = moves[np.arange(len(best)), best] > SMALLEST_GAIN
        active, best = active[is_better], best[is_better]
        cluster, target = np.divmod(best, classes + 1)
        # The last column means that the cluster has no class.
        maps[active, cluster] = np.where(target < classes, target, -1)
    return maps


def _move_gains(problem: Problem, chosen: Places) -> Floats:
    """Compute what each move of a cluster to a class, or out (last column), adds to informedness."""
    rows, hits = _class_sums(problem, chosen)
    current = problem.gains(rows, hits)
    own_class = np.maximum(chosen, 0)
    is_mapped = chosen >= 0
    own_hits = problem.joint[np.arange(chosen.shape[1]), own_class]
    take_own = partial(np.take_along_axis, indices=own_class, axis=1)
    without = problem.gains(take_own(rows) - problem.shares, take_own(hits) - own_hits, own_class)
    gain_of_leaving = np.where(is_mapped, without - take_own(current), 0.0)[:, :, None]
    gain_after_entering = problem.gains(
        rows[:, None] + problem.shares[:, None], hits[:, None] + problem.joint
    )
    moves = np.concatenate(
        [gain_of_leaving + gain_after_entering - current[:, None], gain_of_leaving], axis=2
    )
    maps, clusters = np.nonzero(is_mapped)
    moves[maps, clusters, chosen[is_mapped]] = 0.0
    return moves
