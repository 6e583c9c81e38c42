"""Bets against "the rival's expected score is at least as good in every round" (one step ahead).

Model p and rival q forecast the same event; κ is the probability of the event at which both would expect
the same score. If p > q the rival is at least as good exactly when the true probability θ ≤ κ, if p < q
when θ ≥ κ. A bet on π between κ and p against the price κ multiplies wealth by π/κ if the event happens and
(1−π)/(1−κ) if not; its mean is 1 + (θ−κ)(π−κ)/(κ(1−κ)), at most 1 for every such θ. We take π = (κ+p)/2.
(Henzi & Ziegel 2022, Biometrika 109, 647–663; forecasts of the next outcome only.)

    Brier: κ = (p+q)/2, so π = ¾p + ¼q.    Log: κ = log((1−a)/(1−b)) / (logit b − logit a), a < b being p
    and q.

Log score at 0 and 1. The rival said "impossible": κ is his forecast, and the event makes wealth infinite.
The model said "impossible": κ is its forecast, the limit of the factors is ½ if the event happens and 1 if
not. Both said opposite certainties: for 0 < θ < 1 both expect to lose without limit and nothing is
compared; no bet.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from edgeworth.arrays import Floats
from edgeworth.errors import InputError, OptionError

Score: TypeAlias = Literal["brier", "log"]


def kappa(probabilities: ArrayLike, rivals: ArrayLike, *, score: Score) -> tuple[Floats, Floats]:
    """κ and 1 − κ, each to full precision; p where p = q.

    >>> [part.round(6) for part in kappa([0.75, 0.001], [0.25, 0.5], score="log")]
    [array([0.5     , 0.100213]), array([0.5     , 0.899787])]
    """
    p, q = _checked(probabilities, "probabilities"), _checked(rivals, "rivals")
    if score == "brier":
        return np.asarray((p + q) / 2), np.asarray(((1 - p) + (1 - q)) / 2)
    if score != "log":
        raise OptionError(f'a score is "brier" or "log"; saw {score!r}')
    low, high = np.minimum(p, q), np.maximum(p, q)
    gain, loss = _log_ratio(high, low, high - low), _log_ratio(1 - low, 1 - high, high - low)
    with np.errstate(invalid="ignore"):  # 0/0 where p = q; ∞/∞ where 0 meets 1
        below, above = loss / (gain + loss), gain / (gain + loss)
    below = np.where(np.isinf(loss), 1.0, np.where(np.isinf(gain), 0.0, below))
    above = np.where(np.isinf(gain), 1.0, np.where(np.isinf(loss), 0.0, above))
    middle = (low == 0) & (high == 1)
    below, above = np.where(middle, 0.5, below), np.where(middle, 0.5, above)
    same = low == high
    # Rounding may not carry κ past p: the bet would then be on the wrong side.
    return (
        np.where(same, p, np.clip(below, low, high)),
        np.where(same, 1 - p, np.clip(above, 1 - high, 1 - low)),
    )


def score_log_factors(
    outcomes: ArrayLike, probabilities: ArrayLike, rivals: ArrayLike, *, score: Score
) -> Floats:
    """Log of the factor of each case: between log ½ and +inf, 0 where p = q.

    >>> np.exp(score_log_factors([1, 0, 1], [0.8, 0.8, 0.5], [0.4, 0.4, 0.5], score="brier")).round(6)
    array([1.166667, 0.75    , 1.      ])
    """
    p, q = _checked(probabilities, "probabilities"), _checked(rivals, "rivals")
    happened = np.asarray(outcomes)
    if not ((happened == 0) | (happened == 1)).all():
        raise InputError("outcomes are 1 where the event happened and 0 where not")
    if not p.shape == q.shape == happened.shape:
        raise InputError(
            f"outcomes, probabilities and rivals are of one length; saw shapes {happened.shape}, {p.shape} "
            f"and {q.shape}"
        )
    price, complement = kappa(p, q, score=score)
    # π/κ = ½ + p/(2κ) = 1 + (p−κ)/(2κ), and the like for the complement. 0/0 is the model's own certainty.
    with np.errstate(divide="ignore", invalid="ignore"):
        yes = np.where(p > 0, np.log1p((p - price) / (2 * price)), np.log(0.5))
        no = np.where(p < 1, np.log1p((price - p) / (2 * complement)), np.log(0.5))
    opposite = np.abs(p - q) == 1 if score == "log" else np.zeros(p.shape, bool)
    idle = (p == q) | opposite
    return np.where(idle, 0.0, np.where(happened == 1, yes, no))


def _checked(probabilities: ArrayLike, name: str) -> Floats:
    values = np.asarray(probabilities, float)
    wrong = ~((values >= 0) & (values <= 1))
    if wrong.any():
        raise InputError(f"{name} lie between 0 and 1; saw {float(values[wrong].ravel()[0])!r}")
    return values


def _log_ratio(large: Floats, small: Floats, difference: Floats) -> Floats:
    """log(large/small), by their difference when close: 1 − p and 1 − q have already lost some of it."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        near = np.log1p(difference / small)
        return np.where(large < 2 * small, near, np.log(large) - np.log(small))
