"""Prices of a bet: what is fair, and what a house with a margin offers."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.errors import OptionError

LARGEST_MARGIN = 1e6


def fair_odds(shares: ArrayLike) -> NDArray[np.float64]:
    """Decimal odds at which a bet on each label is worth nothing to either side: ``1/r``.

    The same price spoken is "(1-r) to r against". A share of 0 or 1 has no fair odds (there is
    nothing to win, or nothing to lose) and gives ``nan``.

    >>> fair_odds([0.25, 0.75]).round(4).tolist()
    [4.0, 1.3333]
    """
    try:
        share = np.asarray(shares, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"shares must be numbers between 0 and 1; saw {shares!r}") from None
    if not np.all((share >= 0) & (share <= 1)):
        raise OptionError(f"shares must lie between 0 and 1; saw {_first_outside(share)}")
    priced = (share > 0) & (share < 1)
    odds = np.full(share.shape, np.nan)
    np.divide(1.0, share, out=odds, where=priced)
    return odds


def house_odds(shares: ArrayLike, margin: float = 0.0) -> NDArray[np.float64]:
    """Decimal odds offered by a house with over-round ``margin``: ``1/(r (1 + margin))``.

    >>> house_odds([0.25, 0.75], margin=0.25).round(4).tolist()
    [3.2, 1.0667]
    """
    check_margin(margin)
    return fair_odds(shares) / (1.0 + margin)


def check_margin(margin: float) -> None:
    """Refuse a house margin at which no price exists."""
    if not (isinstance(margin, (int, float)) and -1 < margin <= LARGEST_MARGIN):
        most = f"{LARGEST_MARGIN:g}"
        raise OptionError(f"the house margin lies above -1 (0.05 means 5%), at most {most}; saw {margin!r}")


def check_commission(commission: float) -> None:
    """Refuse a commission that is not a share of the winnings."""
    if not (isinstance(commission, (int, float)) and np.isfinite(commission) and 0 <= commission <= 1):
        raise OptionError(f"the commission is a share of winnings, from 0 to 1; saw {commission!r}")


def _first_outside(share: NDArray[np.float64]) -> float:
    flat = share.ravel()
    return float(flat[~((flat >= 0) & (flat <= 1))][0])
