"""Numbers as people say them."""

from __future__ import annotations

import math
from collections.abc import Iterable

from edgeworth.inference import Tail
from edgeworth.reports.report import Cell, Kind

MINUS = "−"


def percent(share: float, decimals: int = 0) -> str:
    """0.153 as 15%; −0 never appears."""
    text = f"{abs(share) * 100:,.{decimals}f}"
    sign = MINUS if share < 0 and float(text.replace(",", "")) != 0 else ""
    return f"{sign}{text}%"


def interval_decimals(low: float, high: float) -> int:
    """Whole per cents, or a decimal when the interval is narrower than two of them."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return 0
    width = (high - low) * 100
    return 0 if width >= 2 else 1 if width >= 0.2 else 2


def level_said(level: float) -> str:
    """0.95 as 95%."""
    return f"{level * 100:g}%"


def odds_of_chance(probability: float) -> str:
    """A p-value as a frequency: "once in 90 tries"."""
    if probability > 0.5:
        return "more often than not"
    if probability > 0.4:
        return "about every other try"
    if probability < 1e-9:
        return "less than once in a billion tries"
    return f"once in {_two_digits(1 / probability):,} tries"


def _two_digits(number: float) -> int:
    """Rounded to two significant digits, from 100 on."""
    if number < 100:
        return round(number)
    scale = 10 ** (math.floor(math.log10(number)) - 1)
    return int(round(number / scale) * scale)


def about(number: float) -> str:
    """A count rounded to two digits."""
    return f"{_two_digits(number):,}"


def shown(value: Cell, kind: Kind) -> str:
    """A cell as text."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        low, high = (shown(bound, "number") for bound in value)
        return "–" if value == (None, None) else f"{low} to {high}"
    if kind == "count":
        return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
    if kind == "percent":
        return percent(value, 1)
    if kind == "dollars":
        text = f"{abs(value):,.2f}"
        return f"{MINUS if value < 0 and float(text.replace(',', '')) else ''}${text}"
    if kind == "probability":
        return probability_said(value)
    text = f"{abs(value):.3f}"
    return f"{MINUS if value < 0 and float(text) else ''}{text}"


def probability_said(value: float) -> str:
    """A probability with the digits that matter."""
    if value == 0:
        return "0"
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1e}"


def plural(number: float, one: str, many: str | None = None) -> str:
    """The word for a number of things."""
    return one if number == 1 else many or f"{one}s"


def number_said(value: float) -> str:
    """A count; with a decimal when it is a mean of counts."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def share_said(value: float) -> str:
    """A share with the digits that matter: .520, .0520, 3.1e-06."""
    text = f"{value:.3f}" if value >= 0.0995 or value == 0 else f"{value:#.3g}"
    return text[1:] if text.startswith("0.") and "e" not in text else text


def probability_words(tail: Tail) -> str:
    """A tail as people say it: never 0, and "below" where only a bound is known or it hardly matters."""
    value = tail.p_value
    if tail.exact == 0:
        return "0: it cannot happen"
    if value < 1e-12:
        return "below 1e-12"
    text = f"{value:.2g}" if value >= 1e-4 else f"{value:.0e}".replace("e-0", "e-")
    if tail.kind == "bound" or (tail.kind == "drawn" and tail.low == 0):
        return f"below {text}"
    return text if tail.kind in ("exact", "bracket") else f"about {text}"


def short_names(names: Iterable[object], most: int = 60) -> list[str]:
    """Names cut to a length that a chart can hold, still different from each other.

    >>> short_names(["spam", "a" * 50, "a" * 60], most=5)
    ['spam', 'aaaa…', 'aaaa… (2)']
    """
    seen: dict[str, int] = {}
    found = []
    for name in names:
        cut = shortened(str(name), most)
        seen[cut] = seen.get(cut, 0) + 1
        found.append(cut if seen[cut] == 1 else f"{cut} ({seen[cut]})")
    return found


def shortened(text: str, most: int) -> str:
    """A text of at most so many signs; what is left out is marked."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def cases_said(number: int) -> str:
    """1 case, 2 cases."""
    return f"{number:,} {plural(number, 'case')}"


def bound_shown(p_value: float) -> float:
    """A bound of a p-value to show: beyond 1e-300 floats have no digits to say it with, only 0 is 0."""
    return max(p_value, 1e-300) if p_value > 0 else 0.0


def system_said(system: str) -> str:
    """A forecaster within a sentence: the model needs its article, the others have theirs."""
    return "the model" if system == "model" else system


def money(log_wealth: float) -> str:
    """Wealth from its logarithm, whatever its size."""
    if math.isinf(log_wealth):
        return "more than any number" if log_wealth > 0 else "0"
    if abs(log_wealth) < 13:
        value = math.exp(log_wealth)
        return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    power = math.floor(log_wealth / math.log(10))
    digits = f"{math.exp(log_wealth - power * math.log(10)):.2g}"
    # 9.96 has two digits as 10, which is 1 a power higher.
    return f"1e{power + 1:+d}" if digits == "10" else f"{digits}e{power:+d}"
