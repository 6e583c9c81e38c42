"""Numbers that are read exactly."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction

LARGEST_EXPONENT = 400
"""No float has a larger power of ten, and as a fraction 1e999999999 takes minutes and gigabytes."""


def read_exact_decimal(text: str) -> Decimal:
    """Read a decimal number, or raise ValueError if it is none or its power of ten is out of reach.

    >>> read_exact_decimal("2.50")
    Decimal('2.50')
    """
    try:
        number = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"not a number: {text!r}") from None
    if not number.is_finite() or abs(number.adjusted()) > LARGEST_EXPONENT:
        raise ValueError(f"out of reach: {text!r}")
    return number


def read_fraction(text: str) -> Fraction:
    """Read a decimal number or a quotient exactly, or raise ValueError or ZeroDivisionError.

    >>> read_fraction("2.5"), read_fraction("11/12")
    (Fraction(5, 2), Fraction(11, 12))
    """
    return Fraction(text) if "/" in text else Fraction(read_exact_decimal(text))
