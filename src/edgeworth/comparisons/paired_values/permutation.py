"""The sign-flip permutation test of paired differences (Fisher 1935), with ties decided in whole numbers.

If two systems are equally good, a unit's two values could as well have been the other way round: every choice
of signs is equally likely, and p = P(|Σ ± d_i| ≥ |Σ d_i|). Units without a difference double both counts and
are left out."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats, Integers
from edgeworth.common.progress import track_rounds
from edgeworth.comparisons.paired_values.exact_values import (
    NEAR_TIES,
    RELATIVE_ROUNDING,
    ClusterNames,
    NumbersToCompare,
    Scaled,
    scale_units,
    scale_values,
)
from edgeworth.comparisons.randomization.sign_sums import COARSE, FINE, SignSums
from edgeworth.core.random_seeds import Rng, make_seed
from edgeworth.core.test_results import TestResult
from edgeworth.errors import check_whole

SIGNS_DRAWN = 99_999
"""With one more, the choice seen, p-values come in steps of 0.00001."""

MAX_SIGNS_AT_ONCE = 1 << 21
"""Signs held at once."""

SIGNS_PER_BYTE = 8
"""A random byte gives signs to as many units."""


def permutation_test(
    differences: NumbersToCompare,
    *,
    clusters: ClusterNames | None = None,
    size: float | None = None,
    draws: int = SIGNS_DRAWN,
    rng: Rng = 0,
) -> TestResult:
    """Test whether paired differences have mean 0 by flipping their signs (Fisher's permutation test).

    Parameters
    ----------
    differences : array_like
        The first system's value minus the second's, one per query or case: numbers or fractions.
    clusters : array_like, optional
        The cluster of each difference; the signs of a cluster are flipped together.
    size : float, optional
        The largest value that the differences were taken from, which bounds their rounding errors; by
        default the largest difference.
    draws : int
        How many choices of signs are drawn if there are too many to count all of them.
    rng : int, numpy Generator or None
        The seed, or the source, of those draws.

    Returns
    -------
    TestResult
        The two-sided p-value with how it was found: ``exact`` is a fraction if all signs were counted,
        ``low`` and ``high`` bound it where signs were drawn.

    Notes
    -----
    If the two systems are equally good, every choice of signs is equally likely, and
    ``p = P(|Σ ± d_i| ≥ |Σ d_i|)`` (Fisher 1935, The Design of Experiments). Ties count as extreme and are
    decided in whole numbers: floats within rounding of small fractions are those fractions. Drawn p-values
    are ``(1 + count)/(1 + draws)``.

    Examples
    --------
    >>> from edgeworth.comparisons.paired_values.permutation import permutation_test
    >>> permutation_test([0.3, 0.1, 0.2, 0.0]).exact
    Fraction(1, 4)
    >>> permutation_test([0.3, 0.1, 0.2, 0.1], clusters=["a", "a", "b", "c"]).p_value
    0.25
    >>> permutation_test([0.0, 0.0]).p_value
    1.0
    """
    return sign_flip_tail(
        scale_units(differences, clusters=clusters, size=size), draws=draws, seed=make_seed(rng)
    )


def sign_flip_tail(units: Scaled, *, draws: int = SIGNS_DRAWN, seed: int = 0) -> TestResult:
    """Test whole numbers by counting signs, by bracketing their number on a grid, or by draws."""
    check_whole(draws, "draws", 1)
    sums, what = sign_sums_of(units)
    result = sums.exact(what, FINE.most_units) or sums.bracket(what, COARSE)
    return result or sums.monte_carlo(what, draws, seed)


def sign_sums_of(units: Scaled) -> tuple[SignSums, str]:
    """Put whole numbers as amounts with random signs, and name the choices of signs."""
    kept = units.without_zeros()
    # A flip changes the sum Σ ± a by 2a, so rounding by at most 2 · slack a unit.
    observed = abs(int(kept.numbers.sum())) - 2 * kept.slack * len(kept.numbers)
    amounts = Counter(np.abs(kept.numbers).tolist())
    what = f"choices of {len(kept.numbers):,} signs{kept.rule and f'; {kept.rule}'}"
    return SignSums.of(amounts, max(observed, 0)), what


MIN_DRAWS_BEYOND = 100
"""With this many of the first draws at least as far out, a p-value is known well enough, and is not small."""

MAX_SHARED_DRAWS = 1_000_000
"""Choices of signs that are drawn for all pairs together at most."""


def draws_for_pairs(draws: int, level_of_one: float) -> int:
    """Find how many draws let a p-value be small enough for the level that one of many pairs must beat.

    >>> draws_for_pairs(10_000, 0.95), draws_for_pairs(10_000, 1 - 0.05 / 1_000)
    (10000, 25000)
    """
    needed = math.ceil(round(1.25 / (1 - level_of_one), 6))
    return max(draws, min(needed, MAX_SHARED_DRAWS))


@dataclass(frozen=True, eq=False)
class SharedSignFlips:
    """Permutation tests of all pairs of systems, one column per system, with the same random signs.

    Few units have their exact law, if asked. Sums that rounding may have made different count as ties, which
    can only make a p-value larger. ``draws`` are drawn for every pair. Up to ``most`` are drawn for pairs
    that few of the first draws exceed, so that p-values can be small enough for many pairs. Stopping early is
    valid, as in Besag & Clifford 1991, Sequential Monte Carlo p-values: a pair that stops has a p-value of
    its first draws above ``MIN_DRAWS_BEYOND/draws``, and one that goes on would have had a smaller one.
    """

    values: Floats
    draws: int
    seed: int = 0
    is_counted: bool = True
    most: int = 0

    def __post_init__(self) -> None:
        check_whole(self.draws, "draws", 1)

    @cached_property
    def exact_numbers(self) -> Scaled | None:
        """The values as whole numbers of one unit, if they are fractions; differences are then exact too."""
        scaled = scale_values(self.values.ravel())
        return None if scaled.slack else scaled

    def units(self, first: int, second: int) -> Scaled:
        """Scale the differences of two systems to whole numbers."""
        exact, first_values, second_values = self.exact_numbers, self.values[:, first], self.values[:, second]
        if exact is None:
            size = float(max(abs(first_values).max(initial=0), abs(second_values).max(initial=0)))
            return scale_units(first_values - second_values, size=size)
        numbers = exact.numbers.reshape(self.values.shape)
        return Scaled(numbers[:, first] - numbers[:, second], 0, exact.rule)

    def tail(self, first: int, second: int, units: Scaled) -> TestResult:
        """Test two systems, in the order of their columns, whose differences are these whole numbers."""
        if self.is_counted:
            counted, what = sign_sums_of(units)
            exact = counted.exact(what, COARSE.most_units)
            if exact is not None:
                return exact
        count, draws = (int(numbers[first, second]) for numbers in self._exceeded)
        return TestResult.from_draws(
            count, draws, self.seed, f"choices of {len(self.values):,} signs; {NEAR_TIES}"
        )

    @cached_property
    def _exceeded(self) -> tuple[Integers, Integers]:
        """How many draws are at least as far out as each pair, and how many draws it had."""
        systems = self.values.shape[1]
        same = 2 * RELATIVE_ROUNDING * float(np.abs(self.values).max(initial=0.0)) * len(self.values)
        least = np.full((systems, systems), math.inf)
        for first, second in combinations(range(systems), 2):
            gap = math.fsum((self.values[:, first] - self.values[:, second]).tolist())
            least[first, second] = abs(gap) - same
        generator, counts = np.random.default_rng(self.seed), np.zeros(least.shape, dtype=np.int64)
        is_open = np.triu(np.ones(least.shape, dtype=bool), 1)
        drawn = np.full(least.shape, self.draws)
        self._draw(self.draws, MAX_SIGNS_AT_ONCE, generator, least, is_open, counts)
        more = self.most - self.draws
        is_open &= counts < MIN_DRAWS_BEYOND
        if more > 0 and is_open.any():
            self._draw(more, 4 * MAX_SIGNS_AT_ONCE, generator, least, is_open, counts)
            drawn += more * is_open
        return counts, drawn

    def _draw(
        self,
        number: int,
        at_once: int,
        generator: np.random.Generator,
        least: Floats,
        is_open: NDArray[np.bool_],
        counts: Integers,
    ) -> None:
        """Add the draws that are at least as far out, for pairs that are still open."""
        rows = max(1, at_once // max(1, len(self.values)))
        partners = [np.flatnonzero(row).tolist() for row in is_open]
        for start in track_rounds(number, rows, "draws"):
            shape = (min(rows, number - start), -(-len(self.values) // SIGNS_PER_BYTE))
            bits = np.unpackbits(generator.integers(0, 256, size=shape, dtype=np.uint8), axis=1)
            signs = 2.0 * bits[:, : len(self.values)] - 1
            sums = np.ascontiguousarray((signs @ self.values).T)
            gap = np.empty(shape[0])
            for first, others in enumerate(partners):
                for second in others:
                    np.subtract(sums[first], sums[second], out=gap)
                    np.abs(gap, out=gap)
                    counts[first, second] += np.count_nonzero(gap >= least[first, second])
