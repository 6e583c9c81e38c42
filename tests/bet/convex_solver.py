"""The best growth by a general solver that knows nothing of Kelly: the oracle of these tests."""

from __future__ import annotations

import numpy as np
from scipy.optimize import LinearConstraint, minimize


def payoff_matrix(back: np.ndarray, lay: np.ndarray | None) -> np.ndarray:
    """Profit of a unit of each bet (columns) after each outcome (rows)."""
    outcomes = len(back)
    backs = np.diag(back) - np.ones((outcomes, outcomes))
    if lay is None:
        return backs
    open_to_lay = np.isfinite(lay)
    lays = np.ones((outcomes, outcomes)) - np.diag(np.where(open_to_lay, lay, 0.0))
    return np.hstack([backs, lays[:, open_to_lay]])


def best_growth(
    p: np.ndarray, back: np.ndarray, lay: np.ndarray | None = None, *, collateral: bool = False
) -> float:
    """The largest Σ p log W over stakes of at least 0 that cannot lose more than the wealth.

    ``collateral`` asks besides that backs and liabilities, each by itself, are within the wealth.
    """
    profits = payoff_matrix(back, lay)
    bets = profits.shape[1]
    cost = np.concatenate([np.ones(len(back)), np.zeros(bets - len(back))])
    if lay is not None:
        cost[len(back) :] = lay[np.isfinite(lay)] - 1
    possible = p > 0

    def negative(stakes: np.ndarray) -> tuple[float, np.ndarray]:
        left = np.maximum(1 + profits[possible] @ stakes, 1e-12)
        return -float(p[possible] @ np.log(left)), -((p[possible] / left) @ profits[possible])

    constraints = [LinearConstraint(profits, -1.0, np.inf)]
    if collateral or lay is None:
        constraints.append(LinearConstraint(cost, -np.inf, 1.0))
    best = -np.inf
    for scale in (0.3, 0.01):
        start = np.full(bets, scale / bets) / np.maximum(cost, 1.0)
        optimum = minimize(
            negative,
            start,
            jac=True,
            method="SLSQP",
            bounds=[(0.0, None)] * bets,
            constraints=constraints,
            options={"ftol": 1e-14, "maxiter": 1000},
        )
        stakes = np.maximum(optimum.x, 0.0)
        left = 1 + profits @ stakes
        spent = float(cost @ stakes) if collateral or lay is None else 0.0
        shrunk = stakes / max(1.0, spent, 1 - float(left.min()))
        with np.errstate(divide="ignore", invalid="ignore"):
            reached = float(p[possible] @ np.log(1 + profits[possible] @ shrunk))
        if np.isfinite(reached):
            best = max(best, reached)
    return best
