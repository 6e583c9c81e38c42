"""Backing and laying when every bet must be covered by itself, so that no book has unlimited stakes."""

from __future__ import annotations

import numpy as np

from edgeworth.arrays import Floats
from edgeworth.bet.checking import BOOK_TOLERANCE
from edgeworth.bet.exchange import dealt, levels, refuse_crossed

HALVINGS = 60
COVERED = 1e-12


def capped(p: Floats, back: Floats, lay: Floats) -> tuple[Floats, Floats]:
    """The best stakes whose backs and liabilities, ``Σ f⁺ + Σ f⁻(L − 1)``, add up to at most the wealth.

    The dual is one-dimensional. With shadow prices e (wealth after k is ``p_k/e_k``) of sum S ≤ 1, a back
    asks ``e_k ≤ 1/B_k`` and a lay ``S − e_k ≤ 1 − 1/L_k``, so ``e_k = clip(p_k/λ, S − 1 + 1/L_k, 1/B_k)``;
    S = 1 while cash is left over, otherwise S is where the cash ``λ − Σ (λ − p/e)⁺`` runs out, found by 60
    halvings. Where backing everything is an arbitrage that is ``f = p``.
    """
    refuse_crossed(back, lay)
    stakes, factors = p.copy(), p * back
    under = (1 / back).sum(axis=1) < 1 - BOOK_TOLERANCE
    offered = (1 / lay).sum(axis=1) <= 1
    netted = ~under & offered
    if netted.any():
        target = np.clip(1.0, (1 / lay[netted]).sum(axis=1), (1 / back[netted]).sum(axis=1))
        level = levels(p[netted], 1 / lay[netted], 1 / back[netted], target, nearest=0.0)
        stakes[netted], factors[netted] = dealt(p[netted], back[netted], lay[netted], level)
    short = ~under & ~(netted & (tied_up(stakes, lay) <= 1 + COVERED))
    if short.any():
        stakes[short], factors[short] = _covered(p[short], back[short], lay[short])
    return stakes, factors


def tied_up(stakes: Floats, lay: Floats) -> Floats:
    """What backs cost and lays may lose, each bet by itself."""
    with np.errstate(invalid="ignore"):
        liability = np.where(stakes < 0, -stakes * (lay - 1), 0.0)
    return np.asarray((np.maximum(stakes, 0.0) + liability).sum(axis=1))


def _covered(p: Floats, back: Floats, lay: Floats) -> tuple[Floats, Floats]:
    high = 1 / back
    small, large = np.zeros(len(p)), np.ones(len(p))
    for _ in range(HALVINGS):
        middle = (small + large) / 2
        level, low, wealth = _at(p, high, lay, middle)
        with np.errstate(invalid="ignore"):  # λ is infinite where the sum is too large anyway
            left = level - np.maximum(level[:, None] - wealth, 0.0).sum(axis=1)
        too_large = (low.sum(axis=1) > middle) | (left < 0)
        small, large = np.where(too_large, small, middle), np.where(too_large, middle, large)
    cash, wealth = _settled(p, lay, small, *_at(p, high, lay, small))
    over = np.where(np.abs(wealth - cash) > COVERED * cash, wealth - cash, 0.0)
    return np.maximum(over, 0.0) / back + np.minimum(over, 0.0) / lay, wealth


def _settled(
    p: Floats, lay: Floats, total: Floats, level: Floats, low: Floats, wealth: Floats
) -> tuple[Floats, Floats]:
    """λ and the wealth after each outcome with no cash left over, where the shadow prices leave them open.

    They leave λ open when every price is at a bound, and the wealth after what cannot happen where a lay of
    it just begins to pay.
    """
    begins = (p == 0) & (np.abs(total[:, None] - 1 + 1 / lay) <= COVERED)
    never = (p == 0) & ~begins & (low == 0)
    most = _spent(np.where(begins | never, np.inf, wealth))
    least = _spent(np.where(never, np.inf, np.where(begins, 0.0, wealth)))
    cash = np.clip(level, least, np.maximum(least, most))[:, None]
    left = cash - np.where(begins | never, 0.0, np.maximum(cash - wealth, 0.0)).sum(axis=1, keepdims=True)
    laid = np.maximum(cash - left / np.maximum(begins.sum(axis=1, keepdims=True), 1), 0.0)
    return cash, np.where(never, cash, np.where(begins, laid, wealth))


def _spent(wealth: Floats) -> Floats:
    """λ with ``λ = Σ (λ − w)⁺``, no cash left: the least of ``(w₁ + … + w_m)/(m − 1)``, w ascending."""
    sums = np.cumsum(np.sort(wealth, axis=1), axis=1)[:, 1:]
    return np.asarray((sums / np.arange(1, sums.shape[1] + 1)).min(axis=1))


def _at(p: Floats, high: Floats, lay: Floats, total: Floats) -> tuple[Floats, Floats, Floats]:
    """λ, the lowest shadow prices and the wealth after each outcome, when they add up to ``total``."""
    low = np.minimum(np.maximum(total[:, None] - 1 + 1 / lay, 0.0), high)
    level = levels(p, low, high, np.minimum(np.maximum(total, low.sum(axis=1)), high.sum(axis=1)))
    cash = level[:, None]
    with np.errstate(invalid="ignore"):
        backed, laid = p > cash * high, p < cash * low
    bound = np.where(backed, high, np.where(laid, low, 1.0))
    return level, low, np.where(backed | laid, p / bound, cash)
