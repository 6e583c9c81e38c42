"""The sign-flip permutation test of paired differences (Fisher 1935), with ties decided in whole numbers.

If two systems are equally good, a unit's two values could as well have been the other way round: every choice
of signs is equally likely, and p = P(|Σ ± d_i| ≥ |Σ d_i|). Units without a difference double both counts and
are left out."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats
from edgeworth.comparing.queries.exact_values import (
    GRID_BITS,
    LIMIT,
    NEAR_TIES,
    ROUNDING,
    Scaled,
    scale_units,
)
from edgeworth.comparing.randomisation.coins import from_probability
from edgeworth.comparing.randomisation.sign_sums import ways_by_polynomial
from edgeworth.core.tails import Tail
from edgeworth.errors import check_draws

DRAWS = 99_999
"""With one more, the choice seen, p-values come in steps of 0.00001."""

MOST_UNITS = 40
"""Units whose sign choices are all gone through, half of them at a time: 2^20 sums a half."""

MOST_LARGE_UNITS = 32
"""The same where the whole numbers need more than 64 bits."""

MOST_DIGITS = 4e6
"""Digits of 30 bits that are added within some milliseconds."""

MOST_CELLS = 2e7
"""Cells of a law over whole numbers, times units, that are added within some ten milliseconds."""

FEW_UNITS = 30
"""The same for one pair among many: some milliseconds."""

AT_ONCE = 1 << 21
"""Signs held at once."""

BITS = 8
"""A random byte gives signs to as many units."""


def permutation_test(
    differences: Sequence[Any] | NDArray[Any],
    *,
    clusters: Sequence[Hashable] | NDArray[Any] | None = None,
    size: float | None = None,
    draws: int = DRAWS,
    seed: int = 0,
) -> Tail:
    """Test whether paired differences have mean 0 by flipping their signs (Fisher's permutation test).

    Parameters
    ----------
    differences : array_like
        The first system's value less the second's, one a query or case: numbers or ``Fraction``s.
    clusters : array_like, optional
        The cluster of each difference; the signs of a cluster are flipped together.
    size : float, optional
        The largest value that the differences were taken from, which says how far these may be rounded;
        without it, the largest difference.
    draws : int
        How many choices of signs are drawn where all of them are too many to count.
    seed : int
        The seed of those draws.

    Returns
    -------
    Tail
        The two-sided p-value with how it was found: ``exact`` is a fraction where all signs were counted,
        ``low`` and ``high`` bound it where signs were drawn.

    Notes
    -----
    If the two systems are equally good, every choice of signs is equally likely, and
    ``p = P(|Σ ± d_i| ≥ |Σ d_i|)`` (Fisher 1935, The Design of Experiments). Ties count as extreme and are
    decided in whole numbers: floats within rounding of small fractions are those fractions. Drawn p-values
    are ``(1 + count)/(1 + draws)``.

    Examples
    --------
    >>> from edgeworth.comparing.queries.permutation import permutation_test
    >>> permutation_test([0.3, 0.1, 0.2, 0.0]).exact
    Fraction(1, 4)
    >>> permutation_test([0.3, 0.1, 0.2, 0.1], clusters=["a", "a", "b", "c"]).p_value
    0.25
    >>> permutation_test([0.0, 0.0]).p_value
    1.0
    """
    return sign_flip_tail(scale_units(differences, clusters=clusters, size=size), draws=draws, seed=seed)


def sign_flip_tail(units: Scaled, *, draws: int = DRAWS, seed: int = 0) -> Tail:
    """Test whole numbers by their law, by halves (``exact_sign_flips``), or by draws."""
    check_draws(draws, seed)
    return exact_sign_flips(units) or _monte_carlo(units, draws, seed)


def exact_sign_flips(units: Scaled, *, most_units: int = MOST_UNITS) -> Tail | None:
    """Count all signs; None where there are too many units with too many different values.

    Units up to ``most_units`` are gone through half of them at a time, whatever their values.
    """
    kept = units.without_zeros()
    number, needed = len(kept.numbers), _needed(kept)
    if needed is None:
        return Tail.counted(Fraction(1), "every choice of signs gives as much")
    magnitudes = np.sort(np.abs(kept.numbers))
    total = int(magnitudes.sum())
    said = f"all 2^{number} choices of signs{kept.rule and f'; {kept.rule}'}"
    if not kept.slack and total * number * (number + 1) <= 30 * MOST_DIGITS:
        return Tail.counted(Fraction(2 * ways_by_polynomial(magnitudes.tolist(), needed), 2**number), said)
    if not kept.slack and total * number <= MOST_CELLS:
        # Above 0 throughout, so the sum in floats is good to some n · 1e-16 of itself.
        p_value = 2 * _share_by_cells(magnitudes, needed)
        return from_probability(p_value, said)
    is_small = total < LIMIT
    if number > min(most_units, MOST_UNITS if is_small else MOST_LARGE_UNITS):
        return None
    return Tail.counted(Fraction(2 * _count_by_halves(magnitudes, needed), 2**number), said)


def _needed(units: Scaled) -> int | None:
    """How large the magnitudes with a plus must be together; None when every choice of signs will do."""
    # Σ ± a = 2 Σ₊ a − Σ a. A flip changes the sum by 2a, so rounding by at most 2 · slack a unit.
    observed = abs(int(units.numbers.sum())) - 2 * units.slack * len(units.numbers)
    if observed <= 0:
        return None
    return (int(np.abs(units.numbers).sum()) + observed + 1) // 2


def _share_by_cells(magnitudes: NDArray[Any], needed: int) -> float:
    """Subsets that add up to what is needed, as a share of all: the law kept as floats."""
    law = np.zeros(int(magnitudes.sum()) + 1)
    law[0], reach = 1.0, 1
    for magnitude in magnitudes.tolist():
        law[:reach] /= 2
        # The sum reads all of the old law before it is written.
        law[magnitude : reach + magnitude] += law[:reach].copy()
        reach += magnitude
    return float(law[needed:].sum())


def _count_by_halves(magnitudes: NDArray[Any], needed: int) -> int:
    """How many they are: for each of up to 2^20 sums of one half, how many of the other make up the rest."""
    halves = []
    for half in (magnitudes[::2], magnitudes[1::2]):
        sums = np.zeros(1, dtype=magnitudes.dtype)
        for magnitude in half:
            sums = np.concatenate([sums, sums + magnitude])
        halves.append(np.sort(sums))
    first, second = halves
    return len(first) * len(second) - int(np.searchsorted(second, needed - first, side="left").sum())


def _monte_carlo(units: Scaled, draws: int, seed: int) -> Tail:
    """(1 + count)/(1 + draws) over random signs."""
    coarse = units.without_zeros().within(GRID_BITS + 1)
    needed = _needed(coarse)
    count = draws
    if needed is not None:
        magnitudes = np.abs(coarse.numbers)
        sums = _random_sums(magnitudes, draws, seed)
        count = int(((sums >= needed) | (sums <= magnitudes.sum() - needed)).sum())
    said = f"Monte Carlo, {draws:,} choices of signs, seed {seed}; {coarse.rule}"
    return replace(Tail.drawn(count, draws, seed), method=said)


def _random_sums(magnitudes: NDArray[np.int64], draws: int, seed: int) -> NDArray[np.int64]:
    """Sum random subsets: a random byte chooses among eight magnitudes, by a table of their 256 sums."""
    generator = np.random.default_rng(seed)
    padded = np.concatenate([magnitudes, np.zeros(-len(magnitudes) % BITS, dtype=np.int64)])
    sums = np.zeros(draws, dtype=np.int64)
    for eight in padded.reshape(-1, BITS):
        table = np.zeros(1, dtype=np.int64)
        for magnitude in eight:
            table = np.concatenate([table, table + magnitude])
        sums += table[np.frombuffer(generator.bytes(draws), np.uint8)]
    return sums


Shared: TypeAlias = Callable[[int, int, Scaled], Tail]
"""The permutation test of two columns whose differences are these whole numbers."""


def shared_sign_flips(values: Floats, *, draws: int, seed: int, is_counted: bool = True) -> Shared:
    """Test pairs of many systems (a column each): by the law of few units if asked, else by shared draws.

    Sums that rounding may have made different count as ties, which can only make a p-value larger.
    """
    check_draws(draws, seed)
    generator, rows = np.random.default_rng(seed), max(1, AT_ONCE // len(values))
    parts = []
    for start in range(0, draws, rows):
        shape = (min(rows, draws - start), -(-len(values) // BITS))
        bits = np.unpackbits(generator.integers(0, 256, size=shape, dtype=np.uint8), axis=1)
        parts.append((2.0 * bits[:, : len(values)] - 1) @ values)
    sums, same = np.concatenate(parts), 2 * ROUNDING * float(np.abs(values).max(initial=0.0)) * len(values)
    said = f"Monte Carlo, {draws:,} choices of signs, seed {seed}; {NEAR_TIES}"

    def tail(first: int, second: int, units: Scaled) -> Tail:
        exact = exact_sign_flips(units, most_units=FEW_UNITS) if is_counted else None
        if exact is not None:
            return exact
        least = abs(math.fsum((values[:, first] - values[:, second]).tolist())) - same
        count = int((np.abs(sums[:, first] - sums[:, second]) >= least).sum())
        return replace(Tail.drawn(count, draws, seed), method=said)

    return tail
