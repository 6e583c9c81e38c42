"""The distribution of any weighted count of right answers under guessing with the same margins.

Hold fixed how often each label is predicted and how often each class is real, and let predictions fall on
cases at random. Informedness, markedness, accuracy, kappa and MCC are then all ``Σ_l slope_l · hits_l`` up
to a constant, so one law serves them: exact by enumeration when the tables are few, hypergeometric for two
labels, a proven bound far out in the tail, Monte Carlo in between. Values are compared as integers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import comb
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import MAX_EXACT_INTEGER, Floats
from edgeworth.core.random_seeds import Rng, make_seed
from edgeworth.core.sampling_distributions import Alternative, alpha_of, normal_quantile
from edgeworth.core.test_results import SMALLEST_FLOAT, TestResult, hypergeometric_tails
from edgeworth.decisions.clusters import Clusters
from edgeworth.decisions.effective_sizes import effective_cases
from edgeworth.decisions.policy import (
    MAX_CASES_DRAWN,
    MAX_CASES_PLANNED_BY_DRAWS,
    MAX_ENUMERATION_WORK,
    MAX_REPORTED_BOUND,
    TABLES_PER_PLANNED_SIZE,
)
from edgeworth.decisions.table import ContingencyTable
from edgeworth.decisions.views import Resolved, at_guessing
from edgeworth.errors import InputError, OptionError

WORK_OVERESTIMATE = 2
"""The work foreseen is an upper bound, so work up to this many times the limit is tried."""


class TooMany(Exception):  # noqa: N818  # a signal between two functions, never seen by a user
    """There are more tables than can be enumerated."""


def enumerate_hits(
    predicted: Sequence[int], real: Sequence[int], weights: Sequence[int]
) -> dict[int, tuple[int, int]]:
    """Count, for each value of ``Σ_l weights_l hits_l``, the ways of guessing and the tables that give it.

    Classes are filled one after the other. Tables with the same predictions left and the same sum so far are
    counted together.

    >>> enumerate_hits([1, 1], [1, 1], [1, 1])
    {0: (1, 1), 2: (1, 1)}
    """
    states: dict[tuple[tuple[int, ...], int], tuple[int, int]] = {(tuple(predicted), 0): (1, 1)}
    work, cost = 0.0, len(predicted) * (1 + (sum(real) / 200) ** 2)
    if 10 * cost > MAX_ENUMERATION_WORK:
        raise TooMany
    # What is left when all other classes are done fills the last one in one way: let it be the largest.
    order = sorted(range(len(real)), key=lambda label: real[label])
    steps = {label: _number_of_compositions(real[label], predicted) for label in order[:-1]}
    # Each way of filling the first class is a state of its own, so it is known now if the second is too much.
    first, second = [*steps.values(), 1, 1][:2]
    if first * cost > MAX_ENUMERATION_WORK or first * second > WORK_OVERESTIMATE * MAX_ENUMERATION_WORK:
        raise TooMany
    for label in order:
        if label != order[-1] and len(states) * steps[label] > WORK_OVERESTIMATE * MAX_ENUMERATION_WORK:
            raise TooMany
        next_states: dict[tuple[tuple[int, ...], int], tuple[int, int]] = {}
        for (remaining, total), (ways, tables) in states.items():
            for taken in _compositions(real[label], remaining):
                work += cost
                if work > MAX_ENUMERATION_WORK:
                    raise TooMany
                products = ways
                for available, chosen in zip(remaining, taken, strict=True):
                    if chosen:
                        products *= comb(available, chosen)
                rest = tuple(a - c for a, c in zip(remaining, taken, strict=True))
                key = (rest, total + weights[label] * taken[label])
                previous = next_states.get(key, (0, 0))
                next_states[key] = (previous[0] + products, previous[1] + tables)
        states = next_states
    result: dict[int, tuple[int, int]] = {}
    for (_, total), (ways, tables) in states.items():
        previous = result.get(total, (0, 0))
        result[total] = (previous[0] + ways, previous[1] + tables)
    return dict(sorted(result.items()))


def _compositions(number: int, limits: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Generate all ways of writing a number as a sum of parts within limits."""
    if len(limits) == 1:
        if number <= limits[0]:
            yield (number,)
        return
    room = sum(limits[1:])
    for first in range(max(0, number - room), min(number, limits[0]) + 1):
        for rest in _compositions(number - first, limits[1:]):
            yield (first, *rest)


def _number_of_compositions(number: int, limits: Sequence[int]) -> int:
    """Count the compositions without making them."""
    counts = [1] + [0] * number
    for limit in limits:
        running = [0, *accumulate(counts)]
        counts = [running[n + 1] - running[max(0, n - limit)] for n in range(number + 1)]
    return counts[number]


Slopes: TypeAlias = Callable[[list[int], list[int]], list[Fraction]]
"""A function of how often each label is predicted and real: what a right answer for each label is worth."""

FLOAT_TOLERANCE = Fraction(1, 10**12)
"""A float is taken for the nearest attainable value within this distance."""


@dataclass(frozen=True)
class GuessingLaw:
    """The law of ``Σ_l slope_l (hits_l − expected hits_l)`` for guesses with fixed margins."""

    predicted: tuple[int, ...]
    real: tuple[int, ...]
    slopes: tuple[Fraction, ...]
    seed: int = 0
    draws: int | None = None

    def __post_init__(self) -> None:
        if sum(self.predicted) != sum(self.real) or sum(self.real) == 0:
            raise InputError("guessing needs at least one case, and as many predictions as cases")

    @property
    def cases(self) -> int:
        """The number of cases."""
        return sum(self.real)

    @property
    def mean(self) -> float:
        """The mean, which is 0: guessing earns nothing on average."""
        return 0.0

    @cached_property
    def variance(self) -> float:
        """The exact variance Σ_l Σ_k slope_l slope_k cov(hits_l, hits_k), in O(K)."""
        total = self.cases
        if total < 2:
            return 0.0
        p, r = (np.array(margin, dtype=np.float64) for margin in (self.predicted, self.real))
        slope = np.array([float(value) for value in self.slopes])
        own = (slope**2 * p * r * ((total - p) * (total - r) - p * r)).sum()
        return float((own + (slope * p * r).sum() ** 2) / (total**2 * (total - 1.0)))

    @cached_property
    def standard_deviation(self) -> float:
        """The square root of the variance."""
        return math.sqrt(self.variance)

    # -- in whole numbers: value = (Σ weight_l hits_l − centre) / unit ----------------------------------

    @cached_property
    def _unit(self) -> int:
        return math.lcm(*(slope.denominator for slope in self.slopes))

    @cached_property
    def _weights(self) -> list[int]:
        return [int(slope * self._unit) for slope in self.slopes]

    @cached_property
    def _centre(self) -> Fraction:
        terms = zip(self._weights, self.predicted, self.real, strict=True)
        return Fraction(sum(w * p * r for w, p, r in terms), self.cases)

    def value_of(self, hits: Sequence[int]) -> Fraction:
        """Compute the exact value of a table with these hits."""
        return (sum(w * h for w, h in zip(self._weights, hits, strict=True)) - self._centre) / self._unit

    def _threshold(self, value: float | Fraction) -> Fraction:
        """Find the sum of weights from which a table counts as at least this large."""
        exact = value if isinstance(value, Fraction) else Fraction(value) - FLOAT_TOLERANCE
        return exact * self._unit + self._centre

    # -- tails -----------------------------------------------------------------------------------------

    def tail(self, value: float | Fraction) -> TestResult:
        """Compute P(at least this large) under guessing."""
        return self._find_tail(self._threshold(value), None)

    def lower_tail(self, value: float | Fraction) -> TestResult:
        """Compute P(at most this large) under guessing."""
        return replace(self, slopes=tuple(-slope for slope in self.slopes)).tail(-value)

    def two_sided(self, value: float | Fraction) -> TestResult:
        """Compute P(at least this far from 0, on either side) under guessing."""
        upper = self._threshold(value if value >= 0 else -value)
        lower = 2 * self._centre - upper
        return self._find_tail(upper, lower)

    @cached_property
    def _ways_by_sum(self) -> dict[int, tuple[int, int]] | None:
        """Return the ways and tables of each sum of weights, if there are few enough tables."""
        try:
            return enumerate_hits(self.predicted, self.real, self._weights)
        except TooMany:
            return None

    @property
    def tables(self) -> int | None:
        """The number of tables with these margins, when they were few enough to enumerate."""
        return None if self._ways_by_sum is None else sum(tables for _, tables in self._ways_by_sum.values())

    def _find_tail(self, upper: Fraction, lower: Fraction | None) -> TestResult:
        if lower is not None and upper <= lower:
            return TestResult.from_fraction(Fraction(1), "every table is at least as far from 0")
        if self._ways_by_sum is not None:
            all_ways = sum(ways for ways, _ in self._ways_by_sum.values())
            extreme_ways = sum(
                ways
                for total, (ways, _) in self._ways_by_sum.items()
                if total >= upper or (lower is not None and total <= lower)
            )
            method = f"all {self.tables:,} tables" if self.tables != 1 else "the only possible table"
            return TestResult.from_fraction(Fraction(extreme_ways, all_ways), method)
        if self.cases >= MAX_EXACT_INTEGER:
            return TestResult.from_bound(max(self._concentration(upper), SMALLEST_FLOAT))
        occupied = [i for i, (p, r) in enumerate(zip(self.predicted, self.real, strict=True)) if p or r]
        if len(occupied) == 2:
            return self._hypergeometric(occupied[0], occupied[1], upper, lower)
        bound = max(self._concentration(upper), SMALLEST_FLOAT)
        is_bounded = bound < MAX_REPORTED_BOUND or self.cases > MAX_CASES_DRAWN
        return TestResult.from_bound(bound) if is_bounded else self._monte_carlo(upper, lower)

    def _hypergeometric(self, first: int, second: int, upper: Fraction, lower: Fraction | None) -> TestResult:
        """Compute a tail for two labels, whose sum is linear in the first label's hits."""
        total, p, r = self.cases, self.predicted[first], self.real[first]
        slope = self._weights[first] + self._weights[second]
        offset = self._weights[second] * (total - p - r)
        if slope == 0:
            return TestResult(1.0, 1.0, 1.0, "the same for every table", Fraction(1))

        def beyond(threshold: Fraction, sign: int) -> float:
            """Compute P(sum at least the threshold), or with sign −1 at most."""
            edge = (threshold - offset) / slope
            if sign * slope > 0:
                return hypergeometric_tails(total, r, p, math.ceil(edge))[1]
            return hypergeometric_tails(total, r, p, math.floor(edge))[0]

        return TestResult.from_probability(
            beyond(upper, 1) + (beyond(lower, -1) if lower is not None else 0.0)
        )

    def _concentration(self, upper: Fraction) -> float:
        """Compute Chatterjee's bound 2 exp(−t²/(4E + 2t)) for sums over a random permutation."""
        largest = max(abs(weight) for weight in self._weights)
        if largest == 0 or upper <= self._centre or min(self._weights) < 0 < max(self._weights):
            return 1.0
        mean = abs(float(self._centre / largest))
        distance = float((upper - self._centre) / largest)
        return min(1.0, 2 * math.exp(-(distance**2) / (4 * mean + 2 * distance)))

    def _monte_carlo(self, upper: Fraction, lower: Fraction | None) -> TestResult:
        draws = self.draws or draws_within_seconds(len(self.real))
        weights = np.array([float(slope) for slope in self.slopes])
        # Rounding can only make a table count as extreme that is a hair short of it.
        tolerance = 1e-9 * float(np.abs(weights).max())
        upper_limit = float(upper / self._unit) - tolerance
        lower_limit = -math.inf if lower is None else float(lower / self._unit) + tolerance
        count = 0
        for tables in random_tables(self.predicted, self.real, draws, self.seed):
            sums = np.diagonal(tables, axis1=1, axis2=2) @ weights
            count += int(((sums >= upper_limit) | (sums <= lower_limit)).sum())
        return TestResult.from_draws(count, draws, self.seed)


def draws_within_seconds(labels: int) -> int:
    """Count the tables that can be drawn in about four seconds (a table costs about labels² · 0.1 µs)."""
    return int(min(99_999, max(199, 4e7 / labels**2)))


def random_tables(
    predicted: Sequence[int], real: Sequence[int], draws: int, seed: int
) -> Iterator[NDArray[np.int64]]:
    """Draw tables (rows predicted) with fixed margins, in rounds of bounded size."""
    from scipy.stats import random_table

    if sum(predicted) > MAX_CASES_DRAWN:
        raise InputError(f"tables can be drawn for at most {MAX_CASES_DRAWN:,} cases")
    round_size = max(1, (1 << 22) // max(len(predicted) * len(real), 1))
    sizes = [min(round_size, draws - start) for start in range(0, draws, round_size)]
    if min(np.count_nonzero(predicted), np.count_nonzero(real)) == 1:
        # The margins leave one table only, and scipy's draws of such tables have negative counts.
        only = np.outer(predicted, real) // sum(predicted)
        return (np.repeat(only[None], size, axis=0) for size in sizes)
    rng = np.random.default_rng(seed)
    law = random_table(predicted, real)
    return (law.rvs(size=size, random_state=rng).astype(np.int64) for size in sizes)


def guessing_law(
    table: ContingencyTable, slopes: Slopes, *, rng: Rng = 0, draws: int | None = None
) -> GuessingLaw:
    """Compute the distribution under guessing of a measure that is linear in the diagonal for fixed margins.

    Parameters
    ----------
    table : ContingencyTable
        The table whose margins are kept.
    slopes : callable
        A function of the predicted and the real counts of each label that returns the slope of the measure on
        each diagonal cell, as fractions.
    rng : int, numpy Generator or None
        The seed, or the source, of random numbers if tables are drawn.
    draws : int, optional
        The number of tables to draw if an exact result is out of reach.

    Returns
    -------
    GuessingLaw
        The distribution of the measure minus its mean.

    Examples
    --------
    >>> from fractions import Fraction
    >>> table = ContingencyTable.from_matrix([[3, 1], [1, 3]], rows="predicted")
    >>> law = guessing_law(table, lambda predicted, real: [Fraction(1, sum(real))] * 2)
    >>> law.tail(0.25).exact
    Fraction(17, 70)
    """
    if not table.is_counted:
        raise InputError("the exact distribution of guessing needs counts; these rows are weighted")
    predicted, real = table.predicted.tolist(), table.real.tolist()
    if table.total == 0:
        raise InputError("there are no cases")
    return GuessingLaw(tuple(predicted), tuple(real), tuple(slopes(predicted, real)), make_seed(rng), draws)


RELATIVE_ROUNDING_ERROR = 1e-12
"""A drawn value that falls short by no more than this share counts as equally extreme."""


def guessing_tail(
    tally: ContingencyTable, resolved: Resolved, alternative: Alternative, seed: int = 0
) -> TestResult | None:
    """Compute P(guessing is at least as extreme), exactly if possible.

    Clusters of one size exchange their predictions. Weighted cases and other clusters are replaced by the
    effective number of independent cases of each class, which is approximate.
    """
    if tally.matching is not None:
        return None if alternative == "less" else tally.matching(seed=seed)
    clusters = tally.clusters
    if clusters is not None and clusters.number < 2:
        return None
    if clusters is not None:
        sizes = np.bincount(clusters.cells(tally.labels)[0], weights=clusters.joint.weight)
        # With one row per cluster, the squares of sums are the sums of squares.
        squares = tally.cells if tally.squared is None else tally.squared
        is_single = (sizes**2).sum() <= squares.sum() * (1 + 1e-9)
        if not is_single and resolved.position is None and tally.is_counted and sizes.min() == sizes.max():
            return _exchange_tail(tally, clusters, resolved, alternative, seed)
        tally = replace(tally, clusters=None) if is_single else tally
    if tally.clusters is None and tally.is_counted:
        return _independent_tail(tally, resolved, alternative, seed)
    real = tally.cells.sum(axis=0)
    counts = tally.cells * (effective_cases(tally) / np.where(real > 0, real, 1))
    rounded_table = replace(tally, cells=np.rint(counts).astype(np.int64), squared=None, clusters=None)
    if rounded_table.total == 0 or resolved.undefined(rounded_table) is not None:
        return None
    test = _independent_tail(rounded_table, resolved, alternative, seed)
    if tally.clusters is None and np.allclose(counts, rounded_table.cells, rtol=1e-9, atol=1e-9):
        return test
    method = f"{test.method.removeprefix('exact, ')} at the effective sample size, approximate"
    return replace(test, method=method, kind="approximation", exact=None)


def _independent_tail(
    tally: ContingencyTable, resolved: Resolved, alternative: Alternative, seed: int
) -> TestResult:
    hits, sign = np.diagonal(tally.counts).tolist(), 1
    if resolved.position is not None:
        if resolved.measure.direction == "neither":
            raise OptionError(
                f"{resolved.spelling} has the same value for every guess with these margins; pass null= to "
                "test another value"
            )
        # All measures of a label follow from its hits once the margins are fixed.
        p, r = (margin[resolved.position].item() for margin in (tally.predicted, tally.real))
        total, slopes = int(tally.total), (Fraction(1), Fraction(0))
        law = GuessingLaw((p, total - p), (r, total - r), slopes, seed)
        hits, sign = [hits[resolved.position], 0], 1 if resolved.measure.direction == "higher" else -1
    elif resolved.measure.guessing is not None and not (
        tally.abstained.any() and resolved.arguments.get("abstentions") == "zero_weight"
    ):
        law = guessing_law(tally, resolved.measure.guessing, rng=seed)
    else:
        return _drawn_tail(tally, resolved, alternative, seed)
    value = law.value_of(hits)
    if alternative == "two-sided":
        return law.two_sided(value)
    return law.tail(value) if (alternative == "greater") == (sign > 0) else law.lower_tail(value)


def _exchange_tail(
    table: ContingencyTable, clusters: Clusters, resolved: Resolved, alternative: Alternative, seed: int
) -> TestResult:
    """Test by giving each cluster the predictions of another cluster of the same size, in any order."""
    cluster, cell, weight = clusters.cells(table.labels)
    order = np.argsort(cluster, kind="stable")
    rows = np.repeat(cell[order], weight[order].astype(np.int64)).reshape(clusters.number, -1)
    predicted, real = np.divmod(rows, len(table.labels))
    draws = int(min(9_999, max(199, 2e7 / rows.size)))
    rng = np.random.default_rng(seed)

    def exchange() -> NDArray[np.int64]:
        guess = rng.permuted(predicted[rng.permutation(clusters.number)], axis=1)
        return np.bincount((guess * len(table.labels) + real).ravel(), minlength=table.cells.size)

    count, tables_at_once = 0, max(1, (1 << 22) // table.cells.size)
    for start in range(0, draws, tables_at_once):
        drawn = np.stack([exchange() for _ in range(min(tables_at_once, draws - start))])
        count += _count_beyond(table, resolved, alternative, drawn.reshape(-1, *table.cells.shape))
    return TestResult.from_draws(count, draws, seed, "exchanges of clusters")


def _drawn_tail(
    table: ContingencyTable, resolved: Resolved, alternative: Alternative, seed: int
) -> TestResult:
    """Test by drawing tables of guessing, for measures without an exact distribution."""
    if table.predicted.sum() > MAX_CASES_DRAWN:
        return TestResult(0.0, 1.0, 1.0, "not drawn: too many cases", kind="bound")
    draws = draws_within_seconds(len(table.labels))
    count = 0
    for tables in random_tables(table.predicted.tolist(), table.real.tolist(), draws, seed):
        abstained = np.broadcast_to(table.abstained, (len(tables), 1, tables.shape[2]))
        count += _count_beyond(table, resolved, alternative, np.concatenate([tables, abstained], axis=1))
    return TestResult.from_draws(count, draws, seed)


def _count_beyond(
    table: ContingencyTable, resolved: Resolved, alternative: Alternative, drawn: NDArray[np.int64]
) -> int:
    """Count the drawn tables whose measure is at least as extreme as that of the table."""
    observed, chance_level = float(resolved.values(table.cells)), at_guessing(resolved, table)
    # Rounding may make a table count as extreme, never as harmless.
    tolerance = RELATIVE_ROUNDING_ERROR * max(1.0, abs(observed))
    values = resolved.values(drawn)
    if alternative == "two-sided":
        is_extreme = np.abs(values - chance_level) >= abs(observed - chance_level) - tolerance
    elif alternative == "greater":
        is_extreme = values >= observed - tolerance
    else:
        is_extreme = values <= observed + tolerance
    # A draw in which the measure is undefined counts against the claim.
    return int((is_extreme | np.isnan(values)).sum())


def cases_for_power(
    table: ContingencyTable,
    resolved: Resolved,
    level: float,
    power: float,
    approximate_cases: int,
    error: float,
) -> int | None:
    """Find how many cases like these the exact test needs for a power, or None if there is no exact test.

    With more than two labels, the difference must be z_level standard deviations of guessing plus z_power
    standard errors. With two labels, small sample sizes are tried one by one on tables drawn with the shares
    of this one. A larger ``approximate_cases``, found by the normal law, is corrected for the steps of the
    exact test (Casagrande, Pike & Smith 1978).
    """
    if not table.is_counted or not table.is_plain or table.matching is not None or table.abstained.any():
        return None
    slopes = resolved.measure.guessing
    if resolved.position is None and slopes is None:
        return None
    if resolved.position is None and slopes is not None and len(table.labels) > 2:
        law = guessing_law(table, slopes)
        required_difference = (
            normal_quantile(level) * law.standard_deviation + NormalDist().inv_cdf(power) * error
        )
        # The verdict needs the interval too, whose sample size is the approximate number.
        return max(
            approximate_cases,
            math.ceil(
                law.cases * (required_difference / float(law.value_of(np.diag(table.counts).tolist()))) ** 2
            ),
        )
    binary_table = table if resolved.position is None else table.one_against_rest(resolved.label)
    shares: Floats = np.asarray(binary_table.counts / binary_table.total, dtype=np.float64)
    if approximate_cases > MAX_CASES_PLANNED_BY_DRAWS:
        first, second = shares.sum(axis=0)
        distance = abs(shares[0, 0] / first - shares[0, 1] / second)
        return math.ceil(
            approximate_cases
            / 4
            * (1 + math.sqrt(1 + 2 / (approximate_cases * first * second * distance))) ** 2
        )
    for cases in range(4, 4 * MAX_CASES_PLANNED_BY_DRAWS):
        drawn = np.random.default_rng(cases).multinomial(cases, shares.ravel(), size=TABLES_PER_PLANNED_SIZE)
        p_values = _two_sided_p_values(drawn.reshape(-1, 2, 2))
        if (p_values < alpha_of(level)).mean() >= power:
            return cases
    return None


def _two_sided_p_values(tables: NDArray[np.int64]) -> NDArray[np.float64]:
    """Compute P(hits at least as far from their mean) for tables of two labels and equal size."""
    predicted, real = tables[:, 0].sum(axis=1, keepdims=True), tables[:, :, 0].sum(axis=1, keepdims=True)
    total = tables.sum(axis=(1, 2))[:, None]
    mean = predicted * real / np.maximum(total, 1)
    hits = np.arange(int(np.minimum(predicted, real).max()) + 1)

    log_factorial = np.append(0.0, np.log(np.arange(1, int(total.max()) + 1)).cumsum())

    def log_choose(n: NDArray[np.int64], k: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(log_factorial[n] - log_factorial[k] - log_factorial[n - k])

    is_possible = (hits <= np.minimum(predicted, real)) & (hits >= predicted + real - total)
    possible_hits = np.where(is_possible, hits, np.maximum(0, predicted + real - total))
    logs = (
        log_choose(real, possible_hits)
        + log_choose(total - real, predicted - possible_hits)
        - log_choose(total, predicted)
    )
    is_extreme = is_possible & (np.abs(hits - mean) >= np.abs(tables[:, :1, 0] - mean) - 1e-9)
    return np.asarray(np.where(is_extreme, np.exp(logs), 0).sum(axis=1))
