"""Kelly's stakes in games and races, the wealth they make and how fast it grows."""

from __future__ import annotations

from typing import get_args

import numpy as np
from numpy.typing import ArrayLike

from edgeworth.bet.checking import (
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
from edgeworth.bet.exchange import (
    balance_odds,
    cap_stakes,
    cash_levels,
    deal,
    refuse_arbitrage,
    refuse_crossed,
)
from edgeworth.common.arrays import Floats, row_sums
from edgeworth.common.choices import Unbalanced
from edgeworth.common.threads import map_blocks, row_blocks
from edgeworth.errors import InputError, OptionError


def kelly_game(
    probability: ArrayLike, odds: ArrayLike, *, lay: ArrayLike | None = None, fraction: float = 1.0
) -> Floats:
    """Stake on "true": ``f = (O p − 1)/(O − 1)``; below zero lay it for a backer's stake of ``−f``.

    ``odds`` are backed and laid alike unless ``lay`` gives other odds to lay at (infinite: no laying); in
    between there is no bet. Every element is a game of its own. Kelly (1956); Kalia (2011), section 2.2.

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
    """Compute what a game multiplies wealth by: ``p/q`` if true, ``(1−p)/(1−q)`` if false, with q = 1/O.

    With back and lay odds q is the probability moved into ``[1/L, 1/B]``, and a fraction c of the stakes
    gives ``1 − c + c p/q``: the bet of someone whose forecast is ``c p + (1−c) q``.

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
    """Compute the stakes, as shares of wealth, that make it grow fastest: they maximise ``Σ p_k log W_k``.

    Plain numbers are one game backed or (below zero) laid at one price; a K-vector is one race, (n, K) many.
    Races are backed only, unless ``lay`` gives odds to lay at (infinite: not that outcome); a stake below
    zero lays for a backer's stake of that size. An under-round book (``Σ 1/O < 1``) is an arbitrage: backing
    only, everything is staked in proportion, ``f = p``. With laying its stakes have no limit, and
    ``unbalanced`` says what to do: "refuse", "normalise" (scale the odds until the arbitrage is gone) or
    "cap" (in every race, stakes and liabilities within the wealth). On a fair book with laying the stakes are
    not unique; these are ``p − q``. A fraction c bets c of the stakes, as if the forecast were
    ``c p + (1−c) q`` with q the clipped prices, and below 1 is never ruined. Kelly (1956).

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
    """Compute the factor of the Kelly bettor's wealth after each outcome; a game gives (true, false).

    Backing only: ``p_k O_k`` where k was backed, otherwise the cash kept. Back and lay: ``p_k/q_k`` with q
    the clipped prices. 0 is ruin.

    >>> factors_by_outcome([0.5, 0.25, 0.25], [3, 3, 3]).round(6).tolist()
    [1.5, 0.75, 0.75]
    """
    if _is_game(probabilities, odds, lay):
        return game_factors(probabilities, odds, outcome=[True, False], lay=lay, fraction=fraction)
    races = as_races(probabilities, odds, lay, normalise=normalise)
    return races.shaped(_bet(races, fraction, unbalanced)[1])


def wealth_after(odds: ArrayLike, stakes: ArrayLike, *, lay: ArrayLike | None = None) -> Floats:
    """Compute a wealth of 1 after each outcome, ``1 − Σ f + f_k O_k``; a game gives (true, false).

    Stakes below zero are laid, at ``lay`` or else at ``odds``. More than the wealth cannot be lost: such
    stakes are refused.

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
        left = np.stack([1 - bets + paid, 1 - bets])
    else:
        left = 1 - bets.sum(axis=-1, keepdims=True) + paid
    size = 1 + np.abs(bets).sum(axis=-1 if bets.ndim else None, keepdims=bets.ndim > 0) + np.abs(paid)
    overdrawn = left < -MAX_RELATIVE_OVERDRAFT * size
    if overdrawn.any():
        raise InputError(
            f"these stakes lose more than the wealth: it becomes {describe_first(left, overdrawn)}"
        )
    return np.where(left <= RELATIVE_ROUNDING_ERROR * size, 0.0, left)


def growth(
    probabilities: ArrayLike,
    odds: ArrayLike,
    stakes: ArrayLike,
    *,
    lay: ArrayLike | None = None,
    normalise: bool = False,
) -> Floats:
    """Compute the expected growth of log wealth in nats, ``Σ p_k log W_k``; −inf when ruin is possible.

    For one game ``p log(1 + f(O−1)) + (1−p) log(1−f)``. What cannot happen does not count.

    >>> growth([0.5, 0.25, 0.25], [3, 3, 3], [0.25, 0, 0]).round(8)
    np.float64(0.05889152)
    """
    left = wealth_after(odds, stakes, lay=lay)
    forecast = as_shares(probabilities)
    if forecast.ndim == 0 and np.ndim(stakes) == 0 and left.shape == (2,):
        forecast = np.stack([forecast, 1 - forecast])
    elif forecast.ndim == 0 or forecast.shape[-1] != left.shape[-1] or max(forecast.ndim, left.ndim) > 2:
        raise InputError(f"there are probabilities of shape {forecast.shape} for outcomes of {left.shape}")
    forecast = add_to_one(forecast, normalise=normalise)
    try:
        forecast, left = np.broadcast_arrays(forecast, left)
    except ValueError:
        raise InputError(
            f"there are {len(forecast):,} races of probabilities, {len(left):,} of stakes"
        ) from None
    with np.errstate(divide="ignore"):
        logs = np.log(left, out=np.zeros(left.shape), where=forecast > 0)
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


def _is_game(*given: ArrayLike | None) -> bool:
    """Tell whether plain numbers throughout make it one game that comes out true or false."""
    return all(part is None or is_plain(part) for part in given)
