"""The probabilities behind a book's odds: its overround removed in one of three ways."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from edgeworth.bet.validation import as_odds
from edgeworth.common.arrays import Floats
from edgeworth.common.choices import OverroundMethod
from edgeworth.errors import InputError

HALVINGS = 60
"""Halvings of an interval of parameters: the last bit of a float."""


def remove_overround(odds: ArrayLike, method: OverroundMethod = "multiplicative") -> Floats:
    """Compute the probabilities behind decimal odds, each row of which belongs to one game.

    Parameters
    ----------
    odds : array-like, (K,) or (n, K)
        The odds of all outcomes of a game.
    method : {"multiplicative", "power", "shin"}
        How the overround is spread over the outcomes.

    Returns
    -------
    Floats
        Probabilities that add up to 1, in the shape of the odds.

    Notes
    -----
    With prices ``π = 1/O`` and their sum Π: multiplicative is ``π/Π``, power is ``π^k`` with k such that the
    sum is 1, and Shin's is ``(√(z² + 4(1−z)π²/Π) − z)/(2(1−z))``, where z is the share of bettors who know
    the outcome (Shin 1993, Economic Journal 103; Jullien and Salanié 1994). Shin's model has no solution if
    Π < 1; such rows are divided by their sum.

    Examples
    --------
    >>> remove_overround([2.6, 2.4, 4.3], "shin").round(7).tolist()
    [0.3729941, 0.4047794, 0.2222265]
    """
    book = as_odds(odds)
    if book.ndim not in (1, 2) or book.shape[-1] < 2:
        raise InputError(f"odds of a game have a column for each outcome; saw the shape {book.shape}")
    prices = 1 / np.atleast_2d(book)
    total = prices.sum(axis=1, keepdims=True)
    if method == "power":
        # K prices as large as the largest bound the exponent.
        largest = np.log(prices.shape[1]) / -np.log(prices.max(axis=1, keepdims=True))
        probabilities = _halve(lambda k: prices**k, np.zeros_like(total), largest)
    elif method == "shin":
        shares = prices**2 / total
        probabilities = _halve(
            lambda z: (np.sqrt(z * z + 4 * (1 - z) * shares) - z) / (2 * (1 - z)),
            np.zeros_like(total),
            np.full_like(total, 1 - 1e-9),
        )
        probabilities = np.where(total > 1, probabilities, prices)
    else:
        probabilities = prices
    probabilities = probabilities / probabilities.sum(axis=1, keepdims=True)
    return np.asarray(probabilities[0] if book.ndim == 1 else probabilities)


def _halve(rows: Callable[[Floats], Floats], low: Floats, high: Floats) -> Floats:
    """Find the parameter of each row at which its values, falling in the parameter, add up to 1."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_above = rows(middle).sum(axis=1, keepdims=True) > 1
        low, high = np.where(is_above, middle, low), np.where(is_above, high, middle)
    return rows((low + high) / 2)
