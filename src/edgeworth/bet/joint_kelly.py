"""Kelly's stakes on independent games that are open at the same time, without enumerating joint outcomes.

Let a game return ``r_k`` after its outcome k, in units of the bankroll, and let c be the cash that is kept.
The wealth of a round is ``W = c + Σ_i r_i``, a sum of independent terms, so ``E e^{−tW}`` is a product.
With ``1/W = ∫ e^{−tW} dt`` and ``1/W² = ∫ t e^{−tW} dt`` over t > 0, the expected growth, its slopes
``E[X/W]`` and its curvatures ``E[XX'/W²]`` are one-dimensional integrals. The substitution
``t = exp(u − e^{−u−s})`` makes the trapezoidal rule converge exponentially (Takahasi and Mori 1974). The
shift s is 0 unless wealth can grow so much that ``E e^{−tW}`` changes at small t, where points are sparse.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats
from edgeworth.errors import EdgeworthError

LEFT_END = -3.6
"""Where the grid in u begins, less the shift: t is below 1e-17 there."""

MAX_WEALTH_UNSHIFTED = 16.0
"""Up to this wealth the grid needs no shift. From about 50 on, integrals would lose digits."""

MAX_EXPONENT = 38.0
"""Where the grid ends: e^{−tW} is below 1e-16 for the smallest wealth."""

MAX_GRID_STEP = 0.15
"""The largest step of the grid; integrals are then right to about 1e-12 of their value."""

SMALLEST_WEALTH = 1e-9
"""A smaller wealth is integrated as if it were this large; stakes that leave so little are not the best."""

MAX_STEPS = 100
"""Newton's steps until a round is refused; fifteen games of three outcomes take about eight."""

MAX_GROWTH_SHORTFALL = 1e-10
"""How far the growth of the stakes may be from the best, in nats: the conditions of optimality bound it."""

COMPLEMENTARITY = 1e-14
"""What holdings times what they return too little may add up to; stakes are then right to about 1e-7."""

NOT_HELD = 1e-9
"""Holdings below this are only what the interior-point method keeps above 0."""

VALUES_AT_ONCE = 1 << 20
"""Values of an integrand that are held at once: rounds × points × outcomes."""


@dataclass(frozen=True)
class Rounds:
    """Rounds of as many independent games each: chances (rounds, games, outcomes), and returns.

    ``returns[r, g, k, b]`` is what a unit on bet b of game g returns after outcome k, stake included.
    """

    chances: Floats
    returns: Floats

    def select(self, rows: NDArray[np.intp]) -> Rounds:
        """Take some rounds."""
        return Rounds(self.chances[rows], self.returns[rows])


def joint_stakes(
    chances: Floats, returns: Floats, rounds: NDArray[np.intp]
) -> tuple[Floats, dict[int, float]]:
    """Find the stakes that make the expected growth of each round largest.

    Parameters
    ----------
    chances : array, (games, outcomes)
        The probabilities of each game's outcomes.
    returns : array, (games, outcomes, bets)
        What a unit on each bet returns after each outcome, stake included.
    rounds : array of int, (games,)
        The round of each game. Games of one round are open at the same time.

    Returns
    -------
    stakes : array, (games, bets)
        Shares of the bankroll at the start of the round. Those of a round add up to at most 1. A game without
        value (no bet returns more than its stake on average) has none.
    growth : dict
        The expected growth of each round that has a bet, in nats.

    Examples
    --------
    >>> stakes, growth = joint_stakes(
    ...     np.array([[0.6, 0.4], [0.6, 0.4]]), np.array([[[2.0], [0.0]]] * 2), np.array([0, 0])
    ... )
    >>> stakes.ravel().round(7).tolist(), round(5 / 26, 7)
    ([0.1923077, 0.1923077], 0.1923077)
    """
    stakes = np.zeros((len(chances), returns.shape[2]))
    growth: dict[int, float] = {}
    with_value = np.flatnonzero(((chances[..., None] * returns).sum(axis=1) > 1).any(axis=1))
    with_value = with_value[np.argsort(rounds[with_value], kind="stable")]
    names, starts, sizes = np.unique(rounds[with_value], return_index=True, return_counts=True)
    for size in np.unique(sizes).tolist():
        firsts = np.flatnonzero(sizes == size)
        block = max(1, VALUES_AT_ONCE // (64 * size * max(returns.shape[1:])))
        for part in np.split(firsts, range(block, len(firsts), block)):
            games = with_value[starts[part][:, None] + np.arange(size)]
            solved = Rounds(chances[games], returns[games])
            best = _solve(solved)
            stakes[games] = best
            growth.update(zip(names[part].tolist(), expected_growth(solved, best).tolist(), strict=True))
    return stakes, growth


def expected_growth(rounds: Rounds, stakes: Floats) -> Floats:
    """Compute ``E log W`` of each round in nats; −inf if all can be lost.

    >>> even = Rounds(np.full((1, 2, 2), [0.6, 0.4]), np.full((1, 2, 2, 1), [[2.0], [0.0]]))
    >>> one, two, three = 0.36 * np.log(1.4), 0.48 * np.log(1.0), 0.16 * np.log(0.6)
    >>> bool(np.isclose(expected_growth(even, np.full((1, 2, 1), 0.2))[0], one + two + three, rtol=1e-12))
    True
    """
    cash = 1 - stakes.sum(axis=(1, 2))
    points = _Integrals.of(rounds, cash, stakes)
    # ∫ (e^{−t} − E e^{−tW})/t dt is E log W (Frullani). A grid that ends where e^{−tW} does serves both.
    integrand = (np.exp(-points.t) - points.transform) / points.t
    growth = (points.weights * integrand).sum(axis=1)
    return np.where(points.lowest > 0, growth, -np.inf)


def shortfall(rounds: Rounds, stakes: Floats) -> Floats:
    """Bound how far the growth of stakes is from the best: ``log max E[X/W]``."""
    slopes = _Integrals.of(rounds, 1 - stakes.sum(axis=(1, 2)), stakes).slopes(rounds)
    return np.asarray(np.log(slopes.max(axis=1)))


@dataclass(frozen=True)
class _Integrals:
    """The points t of each round (rounds, points), their weights and what is integrated there."""

    t: Floats
    weights: Floats
    transform: Floats
    """E e^{−tW}."""
    tilted: Floats
    """The chances of each outcome weighted by e^{−tr}: (rounds, games, points, outcomes)."""
    lowest: Floats
    """The smallest wealth of each round."""

    @classmethod
    def of(cls, rounds: Rounds, cash: Floats, stakes: Floats) -> _Integrals:
        """Place the points of each round by its smallest wealth."""
        returned = (rounds.returns @ stakes[..., None])[..., 0]
        least = np.where(rounds.chances > 0, returned, np.inf).min(axis=2)
        # What outcomes without a chance return does not matter.
        returned = np.where(rounds.chances > 0, returned, least[..., None])
        lowest = cash + least.sum(axis=1)
        highest = cash + returned.max(axis=2).sum(axis=1)
        shifts = np.log(np.maximum(highest / MAX_WEALTH_UNSHIFTED, 1.0))
        starts = LEFT_END - shifts
        ends = np.log(MAX_EXPONENT / np.clip(lowest, SMALLEST_WEALTH, 1.0))
        number = int(np.ceil((ends - starts).max() / MAX_GRID_STEP)) + 1
        u = starts[:, None] + (ends - starts)[:, None] * np.linspace(0.0, 1.0, number)
        slope = np.exp(-u - shifts[:, None])
        t = np.exp(u - slope)
        weights = t * (1 + slope) * ((ends - starts) / (number - 1))[:, None]
        exponents = (returned - least[..., None])[:, :, None, :] * -t[:, None, :, None]
        tilted = np.exp(exponents, out=exponents)
        tilted *= rounds.chances[:, :, None, :]
        sums = tilted.sum(axis=3)
        tilted /= sums[..., None]
        transform = np.exp(-t * lowest[:, None]) * sums.prod(axis=1)
        return cls(t, weights, transform, tilted, lowest)

    def slopes(self, rounds: Rounds) -> Floats:
        """Return E[X/W] for cash (first) and for each bet."""
        return self._slopes(self.tilted @ rounds.returns, self.weights * self.transform)

    @staticmethod
    def _slopes(means: Floats, masses: Floats) -> Floats:
        number = len(masses)
        bets = (masses[:, None, None, :] @ means)[:, :, 0, :].reshape(number, -1)
        return np.concatenate([masses.sum(axis=1, keepdims=True), bets], axis=1)

    def derivatives(self, rounds: Rounds) -> tuple[Floats, Floats]:
        """Return the slopes E[X/W] and the curvatures E[XX'/W²] for cash and bets."""
        means = self.tilted @ rounds.returns
        number, games, points, bets = means.shape
        masses = self.weights * self.transform
        slopes = self._slopes(means, masses)
        masses = masses * self.t
        ones = np.ones((number, points, 1))
        wide = np.concatenate([ones, means.swapaxes(1, 2).reshape(number, points, games * bets)], axis=2)
        curvatures = (wide * masses[..., None]).swapaxes(1, 2) @ wide
        # Two bets of one game have one outcome: their product has a mean of its own.
        chances = (masses[:, None, None, :] @ self.tilted)[:, :, 0, :]
        own = (rounds.returns * chances[..., None]).swapaxes(2, 3) @ rounds.returns
        for game in range(games):
            block = slice(1 + game * bets, 1 + (game + 1) * bets)
            curvatures[:, block, block] = own[:, game]
        return slopes, curvatures


def _solve(rounds: Rounds) -> Floats:
    """Maximise ``E log w·X`` over holdings w of cash and bets, at least 0, that add up to 1.

    The best holdings and what they return too little, ``z = 1 − E[X/W]``, are at least 0, and one of each
    pair is 0. Newton's steps, relative to w and z, follow ``w z = μ`` while μ falls to 0 (Wright 1997,
    Primal-Dual Interior-Point Methods). Rounds that are solved are set aside. ``log max E[X/W]`` bounds
    how far the growth is from the best (Cover and Thomas 2006, Elements of Information Theory, section 16.2).
    """
    number, games, _, bets = rounds.returns.shape
    size = 1 + games * bets
    # Bets that can never return more than wealth does are padding.
    exists = (
        np.concatenate([np.ones((number, 1)), rounds.returns.max(axis=2).reshape(number, -1)], axis=1) > 0
    )
    held = exists / exists.sum(axis=1, keepdims=True)
    lack = np.ones(held.shape)
    open_rows, result = np.arange(number), np.zeros(held.shape)
    identity = np.eye(size)
    for _ in range(MAX_STEPS):
        open_rounds = rounds.select(open_rows)
        slopes, curvatures = _Integrals.of(
            open_rounds, held[:, 0], held[:, 1:].reshape(-1, games, bets)
        ).derivatives(open_rounds)
        product = held * lack
        is_best = (product.sum(axis=1) <= COMPLEMENTARITY) & (slopes.max(axis=1) <= 1 + MAX_GROWTH_SHORTFALL)
        if is_best.any():
            result[open_rows[is_best]] = held[is_best]
            keep = ~is_best
            open_rows, held, lack, product = open_rows[keep], held[keep], lack[keep], product[keep]
            slopes, curvatures = slopes[keep], curvatures[keep]
        if not len(open_rows):
            break
        barrier = product.sum(axis=1, keepdims=True) / exists[open_rows].sum(axis=1, keepdims=True) / 10
        matrix = curvatures * held[:, :, None] * held[:, None, :] + product[..., None] * identity
        is_missing = ~exists[open_rows]
        matrix += is_missing[..., None] * identity
        slope = np.where(is_missing, 0.0, held * slopes - held + barrier)
        step = np.linalg.solve(matrix, slope[..., None])[..., 0]
        relative = np.divide(barrier, product, out=np.ones_like(product), where=~is_missing) - 1 - step
        lack, held = _move(lack, relative), _move(held, step)
    else:
        raise EdgeworthError(
            "no stakes were found within 1e-10 nats of the best growth: odds or probabilities are too extreme"
        )
    result /= result.sum(axis=1, keepdims=True)
    stakes = result[:, 1:].reshape(number, games, bets)
    # What only the method keeps above 0 is not held, unless it keeps wealth above 0.
    without = np.where(stakes < NOT_HELD, 0.0, stakes)
    is_enough = shortfall(rounds, without) <= MAX_GROWTH_SHORTFALL
    return np.where(is_enough[:, None, None], without, stakes)


def _move(values: Floats, change: Floats) -> Floats:
    """Change values relative to themselves, as far as they stay above 0."""
    length = 0.99 / np.maximum(0.99, -change.min(axis=1, keepdims=True))
    return np.asarray(values * (1 + length * change))
