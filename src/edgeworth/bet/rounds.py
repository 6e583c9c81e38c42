"""Several games in one period: all stakes are placed before any outcome is known."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from edgeworth.arrays import Floats
from edgeworth.bet.checking import as_races, check_fraction, is_plain
from edgeworth.bet.kelly import kelly_game
from edgeworth.errors import EdgeworthError, InputError

LARGEST_ROUND = 1 << 16
"""Joint outcomes that can happen, at most."""

SHORTFALL = 1e-9
"""How far the growth may fall short of the best, in nats; every answer is certified to it."""

NEWTON_STEPS = 200

NOT_HELD = 1e-9


def kelly_together(
    games: Sequence[tuple[ArrayLike, ArrayLike]], *, fraction: float = 1.0, normalise: bool = False
) -> list[Floats]:
    """Compute Kelly's stakes on independent games that are played at once.

    Parameters
    ----------
    games
        A pair (probabilities, odds) for each game: K-vectors for a race, plain numbers for a bet on "true".
        At most 65,536 joint outcomes may be possible.
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
    The stakes maximise ``E log W`` over the joint outcomes. This concave programme is solved by a barrier
    method. Every answer is certified: with
    ``g_i = E[X_i/W]``, the return of bet i (or of cash) in units of wealth, the conditions of optimality are
    ``g ≤ 1`` with equality on what is held, and ``log max g`` bounds how far the growth is from the best,
    here at most 1e-9 nats (Cover and Thomas, Elements of Information Theory, section 16.2).

    Examples
    --------
    >>> [stakes.round(4).tolist() for stakes in kelly_together([(0.6, 2.0), (0.6, 2.0)])]
    [0.1923, 0.1923]
    """
    check_fraction(fraction)
    tables = [_table(number, game, normalise=normalise) for number, game in enumerate(games)]
    if not tables:
        raise InputError("there is no game to bet on")
    joint = int(np.prod([np.count_nonzero(chances) for chances, _ in tables], dtype=object))
    if joint > LARGEST_ROUND:
        raise InputError(
            f"these {len(tables)} games have {joint:,} joint outcomes, more than {LARGEST_ROUND:,}: "
            "bet on fewer games at once"
        )
    chances, returns = _joint_outcomes(tables)
    held = _best(chances, returns)
    gap = float(np.log(_returns_of(chances, returns, held).max()))
    if gap > SHORTFALL:
        raise EdgeworthError(
            f"no stakes were found within {SHORTFALL:g} nats of the best growth ({gap:.2g} off): odds or "
            "probabilities are too extreme; bet on fewer games at once"
        )
    stakes = fraction * held[1:]
    ends = np.cumsum([0, *(payoffs.shape[1] for _, payoffs in tables)])
    shapes = [np.shape(odds) for _, odds in games]
    return [
        stakes[start:end].reshape(shape) for (start, end), shape in zip(pairwise(ends), shapes, strict=True)
    ]


def _table(number: int, game: tuple[ArrayLike, ArrayLike], *, normalise: bool) -> tuple[Floats, Floats]:
    """The chances of a game's outcomes, and what a unit on each bet returns after each of them."""
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
        raise InputError(f"game {number} has many rows; give each race as a game of its own")
    return races.probabilities[0], np.diag(races.odds[0])


def _joint_outcomes(tables: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    """Chances of the joint outcomes that can happen; in columns what cash and each bet return."""
    chances, returns = np.ones(1), np.ones((1, 1))
    for game_chances, payoffs in tables:
        possible = game_chances > 0
        ours, pays = game_chances[possible], payoffs[possible]
        before, now = (
            np.repeat(np.arange(len(chances)), len(ours)),
            np.tile(np.arange(len(ours)), len(chances)),
        )
        chances = chances[before] * ours[now]
        returns = np.hstack([returns[before], pays[now]])
    return chances / chances.sum(), returns


def _returns_of(chances: Floats, returns: Floats, held: Floats) -> Floats:
    """``E[X_i/W]``: the return of each holding in units of wealth; its mean over what is held is 1."""
    return np.asarray((chances / (returns @ held)) @ returns)


def _best(chances: Floats, returns: Floats) -> Floats:
    """A barrier method: ``E log W + μ Σ log w`` is maximised while μ falls to 0.

    At its maximum ``g ≤ 1 + m μ`` for m holdings. The unknowns are relative changes of the holdings.
    """
    held = np.full(returns.shape[1], 1 / returns.shape[1])
    barrier = 1.0
    while barrier * len(held) > SHORTFALL / 1000:
        barrier /= 4
        for _ in range(NEWTON_STEPS):
            shares = returns * held / (returns @ held)[:, None]
            slope = chances @ shares + barrier
            bent = shares.T @ (shares * chances[:, None]) + barrier * np.eye(len(held))
            along, across = np.linalg.solve(bent, np.stack([slope, held], axis=1)).T
            step = along - across * (held @ along) / (held @ across)
            decrement = float(step @ slope) / barrier
            if decrement < 1e-10:
                break
            # Damped as for self-concordant functions: holdings stay above 0 (Boyd and Vandenberghe, 9.6).
            held = held * (1 + step / (1 + np.sqrt(decrement)))
            held = held / held.sum()
    # What the barrier alone keeps above 0 is not held.
    without = np.where((held < NOT_HELD) & (_returns_of(chances, returns, held) < 1), 0.0, held)
    return without / without.sum() if (returns @ without).min() > 0 else held
