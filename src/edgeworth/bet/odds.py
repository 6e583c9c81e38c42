"""Prices of a bet: what is fair, and what a house with a margin offers."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.arrays import Floats
from edgeworth.bet.checking import describe_first, describe_place
from edgeworth.choices import OddsForm
from edgeworth.errors import InputError, OptionError

LARGEST_MARGIN = 1e6


def fair_odds(shares: ArrayLike) -> NDArray[np.float64]:
    """Compute the decimal odds at which a bet on each label is worth nothing to either side: ``1/r``.

    The same price spoken is "(1-r) to r against". A share of 0 or 1 has no fair odds (there is
    nothing to win, or nothing to lose) and gives ``nan``.

    >>> fair_odds([0.25, 0.75]).round(4).tolist()
    [4.0, 1.3333]
    """
    try:
        share = np.asarray(shares, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"shares must be numbers between 0 and 1; saw {shares!r}") from None
    outside = ~((share >= 0) & (share <= 1))
    if outside.any():
        raise OptionError(f"shares must lie between 0 and 1; saw {float(share[outside][0])}")
    priced = (share > 0) & (share < 1)
    odds = np.full(share.shape, np.nan)
    np.divide(1.0, share, out=odds, where=priced)
    return odds


def house_odds(shares: ArrayLike, margin: float = 0.0) -> NDArray[np.float64]:
    """Compute the decimal odds of a house with over-round ``margin``: ``1/(r (1 + margin))``.

    >>> house_odds([0.25, 0.75], margin=0.25).round(4).tolist()
    [3.2, 1.0667]
    """
    check_margin(margin)
    return fair_odds(shares) / (1.0 + margin)


def check_margin(margin: float) -> None:
    """Refuse a house margin at which no price exists."""
    if not (isinstance(margin, (int, float)) and -1 < margin <= LARGEST_MARGIN):
        ends = f"above -1 (0.05 means 5%), at most {LARGEST_MARGIN:g}"
        raise OptionError(f"the house margin lies {ends}; saw {margin!r}")


def check_commission(commission: float) -> None:
    """Refuse a commission that is not a share of the winnings."""
    if not (isinstance(commission, (int, float)) and np.isfinite(commission) and 0 <= commission <= 1):
        raise OptionError(f"the commission is a share of winnings, from 0 to 1; saw {commission!r}")


_NEEDED = {
    "decimal": "decimal odds are finite and above 1",
    "fractional": "fractional odds are above 0, like 5/2",
    "american": "American odds are at least +100 or at most -100",
    "probability": "an implied probability lies between 0 and 1",
}


def decimal_odds(odds: Any, *, form: OddsForm) -> Floats:
    """Convert odds to decimal odds: what a unit returns in all, stake included.

    >>> decimal_odds(["5/2", "evens"], form="fractional").tolist()
    [3.5, 2.0]
    """
    return _converted(odds, form, lambda net: 1 + net, lambda net: 1 + net)


def american_odds(odds: Any, *, form: OddsForm) -> Floats:
    """Convert odds to American odds: what 100 wins (from evens up), or minus the stake that wins 100.

    Parameters
    ----------
    odds
        One price or an array of them: numbers, fractions, or text such as ``"5/2"``, ``"evens"``, ``"+150"``.
    form
        How they are written: "decimal", "fractional", "american" or "probability".

    Returns
    -------
    Floats
        An array of the shape of ``odds``.

    Notes
    -----
    With net winnings ``b = O − 1`` of a unit, American odds are ``100 b`` where ``b ≥ 1`` and ``−100/b``
    below. The arithmetic is exact (fractions) unless ``odds`` is an array of numbers.

    Examples
    --------
    >>> american_odds([2.5, 1.5, 2.0], form="decimal").tolist()
    [150.0, -200.0, 100.0]
    """

    def floating(net: Floats) -> Floats:
        return np.where(net >= 1, 100 * net, -100 / net)

    return _converted(odds, form, lambda net: 100 * net if net >= 1 else -100 / net, floating)


def implied_probability(odds: Any, *, form: OddsForm) -> Floats:
    """Convert odds to the probability at which they are fair, ``1/O``.

    Parameters
    ----------
    odds
        One price or an array of them: numbers, fractions, or text such as ``"5/2"``, ``"evens"``, ``"+150"``.
    form
        How they are written: "decimal", "fractional", "american" or "probability".

    Returns
    -------
    Floats
        An array of the shape of ``odds``. Over all outcomes of a race a house's add up to more than 1, by its
        over-round.

    Examples
    --------
    >>> implied_probability(["+150", "-200"], form="american").round(4).tolist()
    [0.4, 0.6667]
    """
    return _converted(odds, form, lambda net: 1 / (1 + net), lambda net: 1 / (1 + net))


def fractional_odds(odds: Any, *, form: OddsForm) -> Any:
    """Convert odds to fractional odds, exactly: a ``Fraction`` won per unit, or an object array of them.

    >>> fractional_odds(2.625, form="decimal"), str(fractional_odds("0.4", form="probability"))
    (Fraction(13, 8), '3/2')
    """
    _check_form(form)
    if _is_one(odds):
        return _net(odds, form, "")
    items = np.asarray(odds, dtype=object)
    exact = [_net(item, form, describe_place(index)) for index, item in np.ndenumerate(items)]
    result = np.empty(items.shape, dtype=object)
    result.ravel()[:] = exact
    return result


def _converted(
    odds: Any, form: OddsForm, exact: Callable[[Fraction], Fraction], floating: Callable[[Floats], Floats]
) -> Floats:
    _check_form(form)
    if isinstance(odds, np.ndarray) and odds.dtype.kind in "fiu":
        return np.asarray(floating(_net_floats(odds.astype(np.float64), form)))
    net = fractional_odds(odds, form=form)
    if isinstance(net, Fraction):
        return np.asarray(float(exact(net)))
    return np.array([float(exact(value)) for value in net.ravel()]).reshape(net.shape)


def _net(value: Any, form: OddsForm, place: str) -> Fraction:
    """Compute the net return of a unit, exactly."""
    number = _number(value, form, place)
    if form == "decimal" and number > 1:
        return number - 1
    if form == "fractional" and number > 0:
        return number
    if form == "american" and abs(number) >= 100:
        return number / 100 if number > 0 else -100 / number
    if form == "probability" and 0 < number < 1:
        return 1 / number - 1
    raise InputError(f"{_NEEDED[form]}; saw {value!r}{place}")


def _number(value: Any, form: OddsForm, place: str) -> Fraction:
    try:
        if isinstance(value, (bool, np.bool_)):
            raise ValueError
        if isinstance(value, str):
            text = value.strip()
            if form == "fractional" and text.lower() in ("evens", "even", "evs"):
                return Fraction(1)
            # 5/2 written for decimal or American odds is a fractional price, one more than its quotient.
            if "/" in text and form in ("decimal", "american"):
                raise ValueError
            return Fraction(text.replace("−", "-"))
        if isinstance(value, (Fraction, int, Decimal)):
            return Fraction(value)
        return Fraction(repr(float(value)))
    except (ValueError, TypeError, ZeroDivisionError, OverflowError):
        raise InputError(f"{_NEEDED[form]}; saw {value!r}{place}") from None


def _net_floats(odds: Floats, form: OddsForm) -> Floats:
    with np.errstate(invalid="ignore"):
        good = {
            "decimal": odds > 1,
            "fractional": odds > 0,
            "american": np.abs(odds) >= 100,
            "probability": (odds > 0) & (odds < 1),
        }[form] & np.isfinite(odds)
    if not good.all():
        raise InputError(f"{_NEEDED[form]}; saw {describe_first(odds, ~good)}")
    if form == "decimal":
        return odds - 1
    if form == "fractional":
        return odds
    if form == "american":
        return np.where(odds > 0, odds / 100, -100 / odds)
    return (1 - odds) / odds


def _is_one(odds: Any) -> bool:
    return isinstance(odds, (str, Fraction, Decimal)) or np.ndim(odds) == 0


def _check_form(form: str) -> None:
    if form not in get_args(OddsForm):
        raise OptionError(f"odds come in the forms {', '.join(get_args(OddsForm))}; saw {form!r}")
