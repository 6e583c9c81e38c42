"""Several games in one period: all stakes are placed before any outcome is known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from edgeworth.bet.joint_kelly import joint_stakes
from edgeworth.bet.kelly import NEARLY_FAIR, kelly_game
from edgeworth.bet.validation import add_to_one, as_floats, as_races, as_shares, check_fraction, is_plain
from edgeworth.common.arrays import Floats
from edgeworth.errors import InputError


def kelly_together(
    games: Sequence[tuple[ArrayLike, ArrayLike]], *, fraction: float = 1.0, normalise: bool = False
) -> list[Floats]:
    """Compute Kelly's stakes on independent games that are played at once.

    Parameters
    ----------
    games
        A pair (probabilities, odds) for each game: K-vectors for a race, plain numbers for a bet on "true".
    fraction
        The part of the best stakes that is bet.
    normalise
        Whether probabilities that do not add up to 1 are divided by their sum.

    Returns
    -------
    list of Floats
        The stakes on each game, shares of the wealth in the shape of its odds. Outcomes are backed only, and
        all stakes together are at most the wealth.

    Notes
    -----
    The stakes maximise ``E log W`` over the joint outcomes, which are not enumerated: the expected growth is
    an integral in one dimension (``edgeworth.bet.joint_kelly``). An interior-point method solves this concave
    programme, and every answer is certified: with ``g_i = E[X_i/W]``, the return of bet i (or of cash) in
    units of wealth, ``log max g`` bounds how far the growth is from the best (Cover and Thomas, Elements of
    Information Theory, section 16.2). It is at most 1e-10 nats.

    Examples
    --------
    >>> [stakes.round(4).tolist() for stakes in kelly_together([(0.6, 2.0), (0.6, 2.0)])]
    [0.1923, 0.1923]
    """
    check_fraction(fraction)
    tables = [_table(number, game, normalise=normalise) for number, game in enumerate(games)]
    if not tables:
        raise InputError("there is no game to bet on")
    outcomes, bets = (max(payoffs.shape[axis] for _, payoffs in tables) for axis in (0, 1))
    chances, returns = np.zeros((len(tables), outcomes)), np.zeros((len(tables), outcomes, bets))
    for number, (own, payoffs) in enumerate(tables):
        chances[number, : len(own)] = own
        returns[number, : payoffs.shape[0], : payoffs.shape[1]] = payoffs
    stakes = fraction * joint_stakes(chances, returns, np.zeros(len(tables), dtype=np.intp))[0]
    shapes = [np.shape(odds) for _, odds in games]
    return [
        own[: payoffs.shape[1]].reshape(shape)
        for own, (_, payoffs), shape in zip(stakes, tables, shapes, strict=True)
    ]


def kelly_payoff(probabilities: ArrayLike, returns: ArrayLike, *, back_only: bool = False) -> float:
    """Compute Kelly's stake in a sole position that returns so much of each unit with these probabilities.

    Parameters
    ----------
    probabilities : array-like
        The probability of each outcome.
    returns : array-like
        What a unit returns after each outcome, stake included: 0 when it is lost.
    back_only : bool
        Whether the position can only be bought. Otherwise a negative stake sells it at the same price.

    Returns
    -------
    float
        The share f of the wealth, at most 1, that maximises ``Σ p_k log(1 + f X_k)`` with the payoff
        ``X_k = returns_k − 1``. It is below 0 when the position loses on average.

    Notes
    -----
    Kalia (2011, section 2.1) has −∞ ≤ f ≤ 1. A position that cannot win is sold without limit, which is an
    arbitrage: an error unless ``back_only``.

    Examples
    --------
    >>> round(kelly_payoff([0.5, 0.3, 0.2], [1.5, 1.0, 0.2]), 4)
    0.3214
    >>> round(kelly_payoff([0.4, 0.6], [2, 0]), 4), kelly_payoff([0.4, 0.6], [2, 0], back_only=True)
    (-0.2, 0.0)
    """
    from scipy.optimize import brentq

    chances, pays = add_to_one(as_shares(probabilities), normalise=False), as_floats(returns, "returns")
    if pays.shape != chances.shape or chances.ndim != 1 or not (np.isfinite(pays) & (pays >= 0)).all():
        raise InputError("a position needs one finite return of at least 0 for each probability")
    possible = chances > 0
    chances, payoffs = chances[possible], pays[possible] - 1
    mean = float(chances @ payoffs)
    if abs(mean) <= NEARLY_FAIR * float(np.abs(payoffs).max()) or (back_only and mean < 0):
        return 0.0
    highest = float(payoffs.max())
    if highest <= 0:
        raise InputError(
            "this position never wins, so selling it is a sure profit (an arbitrage) and has no best stake; "
            "use back_only if it can only be bought"
        )

    def slope(stake: float) -> float:
        """Return the derivative of the expected log wealth, times the smallest wealth to keep it finite."""
        wealth = 1 + stake * payoffs
        least = float(wealth.min())
        if least <= 0:
            return float(np.sign(-stake))
        return float(chances @ (payoffs / (wealth / least)))

    if mean > 0:
        return 1.0 if slope(1.0) >= 0 else float(brentq(slope, 0.0, 1.0, xtol=1e-15))
    return float(brentq(slope, -1 / highest, 0.0, xtol=1e-15))


def _table(number: int, game: tuple[ArrayLike, ArrayLike], *, normalise: bool) -> tuple[Floats, Floats]:
    """Return the chances of a game's outcomes and the return of a unit on each bet after each of them."""
    try:
        probabilities, odds = game
    except (TypeError, ValueError):
        raise InputError(f"game {number} must be a pair: probabilities, odds") from None
    try:
        if is_plain(probabilities) and is_plain(odds):
            kelly_game(probabilities, odds)  # for its checks
            p = float(np.asarray(probabilities))
            return np.array([p, 1 - p]), np.array([[float(np.asarray(odds))], [0.0]])
        races = as_races(probabilities, odds, None, normalise=normalise)
    except InputError as error:
        raise InputError(f"game {number}: {error}") from None
    if not races.single:
        raise InputError(f"game {number} has many rows; pass each race as a game of its own")
    return races.probabilities[0], np.diag(races.odds[0])
