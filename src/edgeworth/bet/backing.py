"""Races of more than two outcomes where bets can only be backed."""

from __future__ import annotations

import numpy as np

from edgeworth.arrays import Floats
from edgeworth.bet.checking import ROWS_AT_ONCE

TIE = 1e-12
"""Relative: an expected return this near the reserve counts as equal to it, so nothing is divided by 0."""


def reserves(probabilities: Floats, odds: Floats) -> Floats:
    """What the best bettor keeps of each race's wealth: R with ``R + Σ max(p − R/O, 0) = 1``, the largest.

    Backing a set S leaves ``R = (1 − Σ_S p)/(1 − Σ_S 1/O)``, and the best S holds the outcomes with
    ``p O > R``. The equation is convex and piecewise linear in R, so Newton's steps from R = 1 fall to its
    largest root in at most K of them, without sorting (Kelly 1956; the condition is Smoczynski and
    Tomkins 2010).

    >>> reserves(np.array([[0.5, 0.25, 0.25]]), np.array([[3.0, 3.0, 3.0]])).round(6).tolist()
    [0.75]
    """
    kept = np.empty(len(probabilities))
    for start in range(0, len(kept), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        columns = np.ascontiguousarray(probabilities[rows].T)
        kept[rows] = _fall(columns, np.ascontiguousarray(odds[rows].T))
    return kept


def _fall(probabilities: Floats, odds: Floats) -> Floats:
    """Newton's steps down to the reserve; one race a column."""
    returns, prices = probabilities * odds, 1 / odds
    kept = np.ones(probabilities.shape[1])
    for _ in range(len(probabilities) + 1):
        backed = returns > kept * (1 + TIE)
        left = np.where(backed, 0.0, probabilities).sum(axis=0)
        room = 1 - np.where(backed, prices, 0.0).sum(axis=0)
        step = np.divide(left, room, out=kept.copy(), where=room > TIE)
        if np.array_equal(step, kept):
            break
        kept = np.minimum(step, kept)
    return kept


def backing_stakes(probabilities: Floats, odds: Floats) -> Floats:
    """``f = p − R/O`` on the outcomes that return more than the reserve, nothing on the others."""
    kept = reserves(probabilities, odds)[:, None]
    stakes = probabilities - kept / odds
    stakes[probabilities * odds <= kept * (1 + TIE)] = 0.0
    return stakes


def backing_factors(probabilities: Floats, odds: Floats) -> Floats:
    """The wealth after each outcome: ``p O`` where it was backed, otherwise the reserve."""
    kept = reserves(probabilities, odds)[:, None]
    returns = probabilities * odds
    return np.where(returns <= kept * (1 + TIE), kept, returns)
