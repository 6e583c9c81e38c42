"""An average precision as it is typed: a fraction, or a decimal number that was rounded."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from edgeworth.common.exact_numbers import read_exact_decimal
from edgeworth.errors import OptionError

LARGEST_DENOMINATOR = 100_000
"""Values with a larger denominator are written as decimal numbers."""


@dataclass(frozen=True)
class TypedValue:
    """A value between 0 and 1 as text, and half a unit of its last digit if it has decimals.

    >>> TypedValue.read("0.9167").least, TypedValue.read("11/12").least
    (Fraction(18333, 20000), Fraction(11, 12))
    """

    text: str
    value: Fraction
    half_unit: Fraction = Fraction(0)

    @classmethod
    def read(cls, text: str) -> TypedValue:
        """Read 11/12 and whole numbers exactly, and other decimal numbers as rounded."""
        text = text.strip()
        try:
            if "/" in text:
                typed = cls(text, Fraction(text.replace(" ", "")))
            else:
                number = read_exact_decimal(text)
                _, _, exponent = number.as_tuple()
                is_rounded = isinstance(exponent, int) and exponent < 0
                half = Fraction(1, 2) / 10 ** -int(exponent) if is_rounded else Fraction(0)
                typed = cls(text, Fraction(number), half)
        except (ValueError, ZeroDivisionError):
            needed = "average precision is a number between 0 and 1, such as 0.9167 or 11/12"
            raise OptionError(f"{needed}; saw {text!r}") from None
        if not 0 <= typed.value <= 1:
            raise OptionError(f"average precision is a number between 0 and 1; saw {text}")
        return typed

    @property
    def least(self) -> Fraction:
        """The smallest value that rounds to the text."""
        return max(Fraction(0), self.value - self.half_unit)

    def explain(self, attained: Fraction | None) -> str:
        """Explain what the text was read as, given the smallest attainable value if it is known."""
        if not self.half_unit:
            return ""
        rounded = f"{self.text} is read as a rounded number"
        if attained is None:
            every = f"every average precision from {float(self.least):.10g} counts"
            return f"{rounded}: {every}. Type a fraction for an exact value."
        if attained <= self.value + self.half_unit:
            return f"{rounded}: the smallest average precision that rounds to it is {write_value(attained)}."
        none = f"No order has an average precision that rounds to {self.text}"
        return f"{none}: the next higher one is {write_value(attained)}."


def write_value(value: Fraction) -> str:
    """Write a short fraction as it is, a long one as a decimal number."""
    return str(value) if value.denominator <= LARGEST_DENOMINATOR else f"{float(value):.6g}"
