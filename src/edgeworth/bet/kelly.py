"""Kelly's stakes in games and races, the wealth they make and how fast it grows."""

from __future__ import annotations

from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from edgeworth.bet.exchange import (
    balance_odds,
    cap_stakes,
    cash_levels,
    deal,
    refuse_arbitrage,
    refuse_crossed,
)
from edgeworth.bet.validation import (
    Races,
    add_to_one,
    as_floats,
    as_odds,
    as_outcomes,
    as_races,
    as_shares,
    check_fraction,
    describe_first,
    is_plain,
)
from edgeworth.common.arrays import Floats, row_sums
from edgeworth.common.choices import Unbalanced
from edgeworth.common.threads import map_blocks, row_blocks
from edgeworth.errors import InputError, OptionError


def kelly_game(
    probability: ArrayLike, odds: ArrayLike, *, lay: ArrayLike | None = None, fraction: float = 1.0
) -> Floats:
    """Compute Kelly's stake on "true" in games: ``f = (O p − 1)/(O − 1)``.

    Parameters
    ----------
    probability : array_like
        The probability of "true". Every element is a game of its own.
    odds : array_like
        The decimal odds, to back and to lay.
    lay : array_like, optional
        Other odds to lay at. Infinity means no laying. Between the two there is no bet.
    fraction : float
        The part of Kelly's stake that is bet.

    Returns
    -------
    array
        The stakes as shares of wealth. A negative stake lays a backer's stake of that size.

    Notes
    -----
    Sources: Kelly 1956; Kalia 2011, section 2.2.

    Examples
    --------
    >>> kelly_game([0.6, 0.5, 0.4], 2.0).round(4).tolist()
    [0.2, 0.0, -0.2]
    >>> kelly_game([0.6, 0.48, 0.4], 2.0, lay=2.1).round(4).tolist()
    [0.2, 0.0, -0.1455]
    """
    check_fraction(fraction)
    forecast, price = _deal(probability, odds, lay)
    with np.errstate(invalid="ignore"):
        full = (price * forecast - 1) / (price - 1)
    return np.asarray(fraction * np.where(np.isnan(price), 0.0, full))


def game_factors(
    probability: ArrayLike,
    odds: ArrayLike,
    *,
    outcome: ArrayLike,
    lay: ArrayLike | None = None,
    fraction: float = 1.0,
) -> Floats:
    """Compute the factor by which a game multiplies wealth: ``p/q`` if true, ``(1−p)/(1−q)`` if false.

    Parameters
    ----------
    probability : array_like
        The probability p of "true".
    odds : array_like
        The decimal odds; the price is q = 1/odds.
    outcome : array_like of bool
        Whether each game came out true.
    lay : array_like, optional
        Other odds to lay at. The price q is then p moved into ``[1/L, 1/B]``.
    fraction : float
        The part c of Kelly's stake that is bet. It gives ``1 − c + c p/q``, the bet of a forecast
        ``c p + (1−c) q``.

    Returns
    -------
    array
        The factors.

    Examples
    --------
    >>> game_factors(0.6, 2.0, outcome=[True, False]).tolist()
    [1.2, 0.8]
    """
    check_fraction(fraction)
    forecast, price = _deal(probability, odds, lay)
    happened = as_outcomes(outcome, "outcome")
    try:
        happened, forecast, price = np.broadcast_arrays(happened, forecast, price)
    except ValueError:
        raise InputError(
            f"there are outcomes of shape {happened.shape} for games of shape {forecast.shape}"
        ) from None
    with np.errstate(invalid="ignore"):
        full = np.where(happened, forecast * price, (1 - forecast) * (price / (price - 1)))
    return np.asarray((1 - fraction) + fraction * np.where(np.isnan(price), 1.0, full))


def _deal(probability: ArrayLike, odds: ArrayLike, lay: ArrayLike | None) -> tuple[Floats, Floats]:
    """Find the forecasts and the odds each bets at: the back odds, the lay odds, or nan for no bet."""
    forecast, back = as_shares(probability), as_odds(odds)
    laid = back if lay is None else as_odds(lay, "lay odds", infinite=True)
    try:
        forecast, back, laid = np.broadcast_arrays(forecast, back, laid)
    except ValueError:
        shapes = f"{forecast.shape}, {back.shape} and {laid.shape}"
        raise InputError(f"probabilities, odds and lay odds do not fit together: {shapes}") from None
    refuse_crossed(back, laid)
    return forecast, np.where(forecast > 1 / back, back, np.where(forecast < 1 / laid, laid, np.nan))


NEARLY_FAIR = 1e-12
"""A book whose prices add up to less by no more than this is fair."""

RELATIVE_ROUNDING_ERROR = 1e-15
"""Relative to the sums it is the difference of, a wealth this small is 0: all that is left is rounding."""

MAX_RELATIVE_OVERDRAFT = 1e-9
"""Relative likewise: stakes that lose this much more than the wealth are refused."""


def kelly(
    probabilities: ArrayLike,
    odds: ArrayLike,
    *,
    lay: ArrayLike | None = None,
    fraction: float = 1.0,
    unbalanced: Unbalanced = "refuse",
    normalise: bool = False,
) -> Floats:
    """Compute the stakes, as shares of wealth, with the fastest growth: they maximise ``Σ p_k log W_k``.

    Parameters
    ----------
    probabilities : array_like
        A number is one game. A K-vector is one race, and (n, K) are n races.
    odds : array_like
        The decimal odds to back at. A game is backed or laid at one price.
    lay : array_like, optional
        The odds to lay at; by default races are only backed. Infinity means that an outcome cannot be laid.
    fraction : float
        The part c of the stakes that is bet, as if the forecast were ``c p + (1−c) q`` with the clipped
        prices q. Below 1 it is never ruined.
    unbalanced : {"refuse", "normalise", "cap"}
        What to do if backing and laying is an arbitrage, so that stakes have no limit: raise an error, scale
        the odds until the arbitrage is gone, or keep stakes and liabilities within the wealth.
    normalise : bool
        Whether to divide each row of probabilities by its sum.

    Returns
    -------
    array
        The stakes. A negative stake lays a backer's stake of that size.

    Notes
    -----
    If backing alone is an arbitrage (``Σ 1/O < 1``), everything is staked in proportion, ``f = p``. On a fair
    book with laying the stakes are not unique; these are ``p − q``. Source: Kelly 1956.

    Examples
    --------
    >>> kelly(0.6, 2.0).round(4)
    np.float64(0.2)
    >>> kelly([0.2, 0.4, 0.3, 0.08, 0.02], [5.5, 2.625, 3.25, 6, 21]).round(6).tolist()
    [0.05964, 0.105913, 0.062468, 0.0, 0.0]
    >>> kelly([0.5, 0.36, 0.14], [1.9, 3.2, 4.6], lay=[2.1, 3.6, 5.4]).round(4).tolist()
    [0.0, 0.0489, -0.0443]
    """
    if _is_game(probabilities, odds, lay):
        return kelly_game(probabilities, odds, lay=lay, fraction=fraction)
    races = as_races(probabilities, odds, lay, normalise=normalise)
    return races.shaped(_bet(races, fraction, unbalanced)[0])


def factors_by_outcome(
    probabilities: ArrayLike,
    odds: ArrayLike,
    *,
    lay: ArrayLike | None = None,
    fraction: float = 1.0,
    unbalanced: Unbalanced = "refuse",
    normalise: bool = False,
) -> Floats:
    """Compute the factor of the Kelly bettor's wealth after each outcome.

    Parameters
    ----------
    probabilities, odds, lay, fraction, unbalanced, normalise
        As in ``kelly``.

    Returns
    -------
    array
        The factors; 0 is ruin. A game has two, for true and for false. With backing only, the factor is ``p_k
        O_k`` if k was backed and otherwise the cash kept. With laying it is ``p_k/q_k`` with the clipped
        prices q.

    Examples
    --------
    >>> factors_by_outcome([0.5, 0.25, 0.25], [3, 3, 3]).round(6).tolist()
    [1.5, 0.75, 0.75]
    """
    if _is_game(probabilities, odds, lay):
        return game_factors(probabilities, odds, outcome=[True, False], lay=lay, fraction=fraction)
    races = as_races(probabilities, odds, lay, normalise=normalise)
    return races.shaped(_bet(races, fraction, unbalanced)[1])


def wealth_after(odds: ArrayLike, stakes: ArrayLike, *, lay: ArrayLike | None = None) -> Floats:
    """Compute what a wealth of 1 becomes after each outcome: ``1 − Σ f + f_k O_k``.

    Parameters
    ----------
    odds : array_like
        The decimal odds.
    stakes : array_like
        The stakes as shares of wealth. Negative stakes are laid.
    lay : array_like, optional
        The odds to lay at; by default ``odds``.

    Returns
    -------
    array
        The wealth; a game has two values, for true and for false. Stakes that can lose more than the wealth
        raise an error.

    Examples
    --------
    >>> wealth_after([3, 3, 3], [0.25, 0, 0]).tolist(), wealth_after(2.0, -0.25).tolist()
    ([1.5, 0.75, 0.75], [0.75, 1.25])
    """
    book, bets = as_odds(odds), as_floats(stakes, "stakes")
    laid = book if lay is None else as_odds(lay, "lay odds", infinite=True)
    try:
        bets, book, laid = np.broadcast_arrays(bets, book, laid)
    except ValueError:
        raise InputError(f"there are stakes of shape {bets.shape} at odds of shape {book.shape}") from None
    if not np.isfinite(bets).all():
        raise InputError(f"stakes must be finite; saw {describe_first(bets, ~np.isfinite(bets))}")
    with np.errstate(invalid="ignore"):
        paid = np.where(bets > 0, bets * book, np.where(bets < 0, bets * laid, 0.0))
    if bets.ndim == 0:
        wealth = np.stack([1 - bets + paid, 1 - bets])
    else:
        wealth = 1 - bets.sum(axis=-1, keepdims=True) + paid
    size = 1 + np.abs(bets).sum(axis=-1 if bets.ndim else None, keepdims=bets.ndim > 0) + np.abs(paid)
    overdrawn = wealth < -MAX_RELATIVE_OVERDRAFT * size
    if overdrawn.any():
        raise InputError(
            f"these stakes lose more than the wealth: it becomes {describe_first(wealth, overdrawn)}"
        )
    return np.where(wealth <= RELATIVE_ROUNDING_ERROR * size, 0.0, wealth)


def growth(
    probabilities: ArrayLike,
    odds: ArrayLike,
    stakes: ArrayLike,
    *,
    lay: ArrayLike | None = None,
    normalise: bool = False,
) -> Floats:
    """Compute the expected growth of log wealth in nats, ``Σ p_k log W_k``.

    Parameters
    ----------
    probabilities : array_like
        The probabilities of the outcomes. Outcomes of probability 0 do not count.
    odds : array_like
        The decimal odds.
    stakes : array_like
        The stakes as shares of wealth. Negative stakes are laid.
    lay : array_like, optional
        The odds to lay at; by default ``odds``.
    normalise : bool
        Whether to divide each row of probabilities by its sum.

    Returns
    -------
    array
        The growth; −inf if ruin is possible. For one game it is ``p log(1 + f(O−1)) + (1−p) log(1−f)``.

    Examples
    --------
    >>> growth([0.5, 0.25, 0.25], [3, 3, 3], [0.25, 0, 0]).round(8)
    np.float64(0.05889152)
    """
    wealth = wealth_after(odds, stakes, lay=lay)
    forecast = as_shares(probabilities)
    if forecast.ndim == 0 and np.ndim(stakes) == 0 and wealth.shape == (2,):
        forecast = np.stack([forecast, 1 - forecast])
    elif forecast.ndim == 0 or forecast.shape[-1] != wealth.shape[-1] or max(forecast.ndim, wealth.ndim) > 2:
        raise InputError(f"there are probabilities of shape {forecast.shape} for outcomes of {wealth.shape}")
    forecast = add_to_one(forecast, normalise=normalise)
    try:
        forecast, wealth = np.broadcast_arrays(forecast, wealth)
    except ValueError:
        raise InputError(
            f"there are {len(forecast):,} races of probabilities, {len(wealth):,} of stakes"
        ) from None
    with np.errstate(divide="ignore"):
        logs = np.log(wealth, out=np.zeros(wealth.shape), where=forecast > 0)
    return np.asarray((forecast * logs).sum(axis=-1))


def _bet(races: Races, fraction: float, unbalanced: Unbalanced) -> tuple[Floats, Floats]:
    """Compute a fraction of the best stakes, and the factors of the wealth that they make."""
    check_fraction(fraction)
    p, back, lay = races.probabilities, races.odds, races.lay
    if unbalanced not in get_args(Unbalanced):
        raise OptionError(f"unbalanced is one of {', '.join(get_args(Unbalanced))}; saw {unbalanced!r}")
    if lay is not None and unbalanced == "cap":
        stakes, full = cap_stakes(p, back, lay)
    else:
        nearest = np.ones(len(p))
        if lay is None:
            # Who only backs an under-round book keeps nothing.
            nearest[row_sums(1 / back) < 1 - NEARLY_FAIR] = 0
            lay = np.broadcast_to(np.inf, back.shape)
        else:
            if unbalanced == "normalise":
                back, lay = balance_odds(back, lay)
            refuse_arbitrage(back, lay)
        stakes, full = _best_stakes(p, back, lay, nearest)
    return fraction * stakes, (1 - fraction) + fraction * full


BLOCK_ROWS = 1 << 14
"""Races that are bet on at once."""


def _best_stakes(p: Floats, back: Floats, lay: Floats, nearest: Floats) -> tuple[Floats, Floats]:
    """Compute the stakes of an exchange block by block, and the factors that they make."""

    def stake(rows: slice[int, int, None]) -> tuple[Floats, Floats]:
        races = p[rows], back[rows], lay[rows]
        return deal(*races, cash_levels(races[0], 1 / races[2], 1 / races[1], nearest[rows])[0])

    parts = map_blocks(stake, row_blocks(len(p), BLOCK_ROWS))
    stakes, factors = zip(*parts, strict=True)
    return np.concatenate(stakes), np.concatenate(factors)


def _is_game(*values: ArrayLike | None) -> bool:
    """Return whether plain numbers throughout make it one game that comes out true or false."""
    return all(part is None or is_plain(part) for part in values)
