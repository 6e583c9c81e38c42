"""What ``rng`` may be in public functions, and the one seed that it becomes."""

from __future__ import annotations

import os
from numbers import Integral
from typing import Protocol, TypeAlias, runtime_checkable

from edgeworth.errors import OptionError, check_whole

SEED_BITS = 32
"""The number of bits of a drawn seed: every language reads such an integer from JSON without rounding."""


@runtime_checkable
class IntegerGenerator(Protocol):
    """A ``numpy.random.Generator``, described so that numpy is not imported before it is needed."""

    def integers(self, low: int, high: int) -> int:
        """Draw an integer between ``low`` and ``high`` − 1."""
        ...


Rng: TypeAlias = int | IntegerGenerator | None
"""A seed, a ``numpy.random.Generator``, or None for new random numbers each time (SPEC 7)."""


def make_seed(rng: Rng) -> int:
    """Make the seed of everything that one call draws.

    An integer is the seed itself. A generator draws one, so that its next use differs. None draws one from
    the system's entropy; results record the seed, so that they can be repeated.

    >>> make_seed(7)
    7
    """
    if rng is None:
        return int.from_bytes(os.urandom(SEED_BITS // 8))
    if isinstance(rng, Integral) and not isinstance(rng, bool):
        check_whole(int(rng), "a seed", 0)
        return int(rng)
    if isinstance(rng, IntegerGenerator):
        return int(rng.integers(0, 1 << SEED_BITS))
    raise OptionError(f"rng is a seed (a whole number), a numpy Generator or None; saw {rng!r}")
