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

ROUNDING = 1e-14


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
    method and finished by Newton's steps on what is backed. Every answer is certified: with
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
    gap = _gap(chances, returns, held)
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


def _gradient(chances: Floats, returns: Floats, held: Floats) -> Floats:
    """``E[X_i/W]``: the return of each holding in units of wealth; its mean over what is held is 1."""
    return np.asarray((chances / (returns @ held)) @ returns)


def _gap(chances: Floats, returns: Floats, held: Floats) -> float:
    """A bound on how far the growth is from the best, in nats."""
    return float(np.log(_gradient(chances, returns, held).max()))


def _best(chances: Floats, returns: Floats) -> Floats:
    central = _central(chances, returns)
    return min((_polish(chances, returns, central), central), key=lambda found: _gap(chances, returns, found))


def _growth(chances: Floats, returns: Floats, held: Floats) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        grown = float(chances @ np.log(returns @ held))
    return grown if np.isfinite(grown) else -np.inf


def _central(chances: Floats, returns: Floats) -> Floats:
    """A barrier method: ``E log W + μ Σ log w`` is maximised while μ falls to 0.

    At its maximum ``g ≤ 1 + m μ`` for m holdings. The unknowns are relative changes of the holdings.
    """
    held = np.full(returns.shape[1], 1 / returns.shape[1])
    barrier = 1.0
    while barrier * len(held) > SHORTFALL / 100:
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
    return held


def _polish(chances: Floats, returns: Floats, held: Floats) -> Floats:
    """Newton's steps on the support: drop what a step takes below 0, add what returns more than wealth."""
    unwanted = (held < 1e-9) & (_gradient(chances, returns, held) < 1)
    without = np.where(unwanted, 0.0, held)
    without = without / without.sum()
    if np.isfinite(_growth(chances, returns, without)):
        held = without
    for _ in range(NEWTON_STEPS):
        slope = _gradient(chances, returns, held)
        support = (held > 0) | (slope > 1 + 1e-12)
        if np.abs(slope[support] - 1).max() < 1e-12:
            break
        step = np.zeros_like(held)
        step[support] = _direction(chances, returns[:, support], held[support], slope[support])
        moved = _move(chances, returns, held, step)
        if moved is None:
            break
        held = moved
    return held


def _direction(chances: Floats, returns: Floats, held: Floats, slope: Floats) -> Floats:
    """The step that maximises the quadratic approximation with the sum of holdings unchanged."""
    weighed = returns * (np.sqrt(chances) / (returns @ held))[:, None]
    size = len(held)
    system = np.ones((size + 1, size + 1))
    system[:size, :size] = weighed.T @ weighed
    system[size, size] = 0.0
    return np.asarray(np.linalg.lstsq(system, np.append(slope, 0.0), rcond=1e-14)[0][:size])


def _move(chances: Floats, returns: Floats, held: Floats, step: Floats) -> Floats | None:
    """The longest feasible part of a step that is an improvement; None when none is.

    Near the top growth cannot be told apart in floating point while its slopes still can.
    """
    falling = step < 0
    blocked = falling & (held == 0)
    step = np.where(blocked, 0.0, step)
    step[held > 0] -= (held / held.sum() * step.sum())[held > 0]
    falling = step < 0
    longest = min(1.0, float((held[falling] / -step[falling]).min(initial=np.inf)))
    before, gap = _growth(chances, returns, held), _gradient(chances, returns, held).max()
    length = longest
    for _ in range(40):
        after = held + length * step
        after[after < 1e-15] = 0.0
        after /= after.sum()
        gained = _growth(chances, returns, after) - before
        if gained > ROUNDING or (gained > -ROUNDING and _gradient(chances, returns, after).max() < gap):
            return np.asarray(after)
        length /= 2
    return None
