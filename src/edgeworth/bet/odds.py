"""Prices of a bet: what is fair, and what a house with a margin offers."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import SupportsFloat

import numpy as np
from numpy.typing import ArrayLike, NDArray

from edgeworth.bet.validation import as_shares, describe_place
from edgeworth.common.arrays import Floats
from edgeworth.common.choices import OddsForm
from edgeworth.common.exact_numbers import read_fraction
from edgeworth.errors import InputError, OptionError

LARGEST_MARGIN = 1e6


def fair_odds(shares: ArrayLike) -> NDArray[np.float64]:
    """Compute the decimal odds at which a bet on each label is worth nothing to either side: ``1/r``.

    Parameters
    ----------
    shares : array_like
        The share r of each label.

    Returns
    -------
    array
        The odds. In words, 1/r is "(1−r) to r against". A share of 0 or 1 has no fair odds and gives nan.

    Examples
    --------
    >>> fair_odds([0.25, 0.75]).round(4).tolist()
    [4.0, 1.3333]
    """
    share = as_shares(shares, "shares")
    priced = (share > 0) & (share < 1)
    odds = np.full(share.shape, np.nan)
    np.divide(1.0, share, out=odds, where=priced)
    return odds


def house_odds(shares: ArrayLike, margin: float = 0.0) -> NDArray[np.float64]:
    """Compute the decimal odds of a house with an overround: ``1/(r (1 + margin))``.

    Parameters
    ----------
    shares : array_like
        The share r of each label.
    margin : float
        The overround, such as 0.05.

    Returns
    -------
    array
        The odds.

    Examples
    --------
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


# For each form: what is needed, whether odds are that, and what a unit returns in all.
_FORMS: dict[str, tuple[str, Callable[[Fraction], bool], Callable[[Fraction], Fraction]]] = {
    "decimal": ("decimal odds are finite and above 1", lambda odds: odds > 1, lambda odds: odds),
    "fractional": ("fractional odds are above 0, like 5/2", lambda odds: odds > 0, lambda odds: 1 + odds),
    "american": (
        "American odds are at least +100 or at most -100",
        lambda odds: abs(odds) >= 100,
        lambda odds: 1 + (odds / 100 if odds > 0 else -100 / odds),
    ),
    "probability": (
        "an implied probability lies between 0 and 1",
        lambda odds: 0 < odds < 1,
        lambda odds: 1 / odds,
    ),
}


def decimal_odds(odds: object, *, form: OddsForm) -> Floats:
    """Convert odds to decimal odds: what one unit returns in all, including the stake.

    Parameters
    ----------
    odds : number, str or array_like
        One price or several: numbers, fractions, or text such as "5/2", "evens" and "+150".
    form : {"decimal", "fractional", "american", "probability"}
        The form of the odds.

    Returns
    -------
    array
        The decimal odds. The arithmetic is exact.

    Examples
    --------
    >>> decimal_odds(["5/2", "5:2", "evens"], form="fractional").tolist()
    [3.5, 3.5, 2.0]
    """
    if form not in _FORMS:
        raise OptionError(f"odds come in the forms {', '.join(_FORMS)}; saw {form!r}")
    needed, is_good, returned = _FORMS[form]
    items = np.asarray(odds, dtype=object)
    prices = np.empty(items.shape)
    for index, item in np.ndenumerate(items):
        price = _exact(item, form)
        if not is_good(price):
            raise InputError(f"{needed}; saw {item!r}{describe_place(index)}")
        try:
            prices[index] = float(returned(price))
        except OverflowError:
            raise InputError(f"odds of {item!r} are too large{describe_place(index)}") from None
    return prices


def _exact(value: object, form: OddsForm) -> Fraction:
    """Convert what is written to a fraction; to 0, which are no odds in any form, where it is no number."""
    try:
        if isinstance(value, str):
            text = value.strip()
            if form == "fractional" and text.lower() in ("evens", "even", "evs"):
                return Fraction(1)
            text = text.replace(":", "/")
            # 5/2 written for decimal or American odds is a fractional price, one more than its quotient.
            # Only American odds are written with a plus sign.
            is_other = ("/" in text and form in ("decimal", "american")) or (
                text.startswith("+") and form != "american"
            )
            return Fraction(0) if is_other else read_fraction(text.replace("−", "-"))
        if isinstance(value, (bool, np.bool_)):
            return Fraction(0)
        if isinstance(value, (Fraction, int)):
            return Fraction(value)
        if isinstance(value, Decimal):
            return read_fraction(str(value))
        return Fraction(repr(float(value))) if isinstance(value, SupportsFloat) else Fraction(0)
    except (ValueError, TypeError, ZeroDivisionError, OverflowError):
        return Fraction(0)
