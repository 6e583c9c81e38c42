"""The sign-flip permutation test of paired differences (Fisher 1935), with ties decided in whole numbers.

If two systems are equally good, a unit's two values could as well have been the other way round: every choice
of signs is equally likely, and p = P(|Σ ± d_i| ≥ |Σ d_i|). Units without a difference double both counts and
are left out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Floats
from edgeworth.comparing.queries.exact_values import NEAR_TIES, ROUNDING, Scaled, scale_units
from edgeworth.comparing.randomisation.sign_sums import COARSE, FINE, SignSums
from edgeworth.core.tails import Tail
from edgeworth.errors import check_draws

DRAWS = 99_999
"""With one more, the choice seen, p-values come in steps of 0.00001."""

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
    """Test whole numbers by counting signs, by bracketing their number on a grid, or by draws."""
    check_draws(draws, seed)
    sums, what = sign_sums_of(units)
    found = sums.exact(what, FINE.most_units) or sums.bracket(what, COARSE)
    return found or sums.monte_carlo(what, draws, seed)


def sign_sums_of(units: Scaled) -> tuple[SignSums, str]:
    """Put whole numbers as amounts with random signs, and name the choices of signs."""
    kept = units.without_zeros()
    # A flip changes the sum Σ ± a by 2a, so rounding by at most 2 · slack a unit.
    observed = abs(int(kept.numbers.sum())) - 2 * kept.slack * len(kept.numbers)
    amounts = Counter(np.abs(kept.numbers).tolist())
    what = f"choices of {len(kept.numbers):,} signs{kept.rule and f'; {kept.rule}'}"
    return SignSums.of(amounts, max(observed, 0)), what


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

    def tail(first: int, second: int, units: Scaled) -> Tail:
        if is_counted:
            counted, what = sign_sums_of(units)
            exact = counted.exact(what, COARSE.most_units)
            if exact is not None:
                return exact
        least = abs(math.fsum((values[:, first] - values[:, second]).tolist())) - same
        count = int((np.abs(sums[:, first] - sums[:, second]) >= least).sum())
        return Tail.drawn(count, draws, seed, f"choices of {len(values):,} signs; {NEAR_TIES}")

    return tail
