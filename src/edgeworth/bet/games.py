"""One game that comes out true or false, backed or laid; elementwise over arrays of any shape."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from edgeworth.arrays import Floats
from edgeworth.bet.checking import BookError, as_odds, as_shares, check_fraction, describe_first
from edgeworth.errors import InputError


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
    happened = np.asarray(outcome)
    if happened.dtype.kind not in "biu" or not np.isin(happened, (0, 1)).all():
        raise InputError("outcome says of each game whether it came out true: True or False, 1 or 0")
    try:
        happened, forecast, price = np.broadcast_arrays(happened.astype(bool), forecast, price)
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
    crossed = back > laid
    if crossed.any():
        raise BookError(
            f"backing at {describe_first(back, crossed)} and laying the same at "
            f"{describe_first(laid, crossed)} is an arbitrage: a profit whatever happens, without limit"
        )
    return forecast, np.where(forecast > 1 / back, back, np.where(forecast < 1 / laid, laid, np.nan))


def check_logs(log_factors: ArrayLike) -> Floats:
    """Check log factors of wealth: −inf is ruin, +inf what the rival held impossible, nan is refused."""
    logs = np.asarray(log_factors, float)
    if np.isnan(logs).any():
        where = np.unravel_index(int(np.isnan(logs).argmax()), logs.shape)
        raise InputError(
            f"the wealth factor of case {int(where[0]) + 1:,} is not a number: both forecasts gave 0 to what "
            "happened, or a probability is missing; leave the case out or give it a probability above 0"
        )
    return logs


def running_sum(log_factors: ArrayLike) -> Floats:
    """Add log factors up to each case (along the first axis). After ruin the sum stays −inf.

    >>> running_sum([0.5, -0.2, -np.inf, np.inf])
    array([ 0.5,  0.3, -inf, -inf])
    """
    logs = check_logs(log_factors)
    if np.isfinite(logs).all():
        return np.asarray(np.cumsum(logs, axis=0))
    total = np.cumsum(np.where(np.isfinite(logs), logs, 0.0), axis=0)
    boundless = np.logical_or.accumulate(logs == np.inf, axis=0)
    ruined = np.logical_or.accumulate(logs == -np.inf, axis=0)
    return np.where(ruined, -np.inf, np.where(boundless, np.inf, total))


def whole_sum(log_factors: ArrayLike) -> Floats:
    """Add log factors along the first axis, as ``running_sum`` ends; −inf and +inf add up to −inf."""
    logs = check_logs(log_factors)
    with np.errstate(invalid="ignore"):  # −inf and +inf meet: ruin absorbs, below
        total = logs.sum(axis=0)
    return np.where((logs == -np.inf).any(axis=0), -np.inf, total)
