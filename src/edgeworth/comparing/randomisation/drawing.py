"""What every test by Monte Carlo asks for."""

from __future__ import annotations

from edgeworth.errors import OptionError, check_seed


def check_draws(draws: object, seed: int) -> None:
    """Refuse a number of draws, or a seed, that cannot be."""
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < 1:
        raise OptionError(f"draws is a whole number of at least 1; saw {draws!r}")
    check_seed(seed)
