"""How margins are read, and how the levels of a measure and their differences are written.

Shares of right answers are percentages, and their differences are points: 74.5%, +12.5 points. Other measures
are plain numbers, and their differences have a sign: 0.67, +0.19.
"""

from __future__ import annotations

import math
import re

from edgeworth.core.estimates import Interval
from edgeworth.core.formatting import (
    MAX_DIGITS,
    MINUS,
    UNDEFINED,
    are_apart,
    format_apart,
    format_number,
    format_together,
)
from edgeworth.core.registry import canonical_spelling, catalogue, find_by_name
from edgeworth.errors import OptionError

_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE]([-+]?[0-9]{1,3}))?(?: ?(pp|%))?")

ZERO_POINTS = 1e-9
"""A number of points below this is what rounding leaves of 0."""


def parse_margin(margin: object) -> float:
    """Read a margin: a positive number, or percentage points.

    >>> parse_margin("1pp"), parse_margin("0.02"), parse_margin(0.005)
    (0.01, 0.02, 0.005)
    """
    if isinstance(margin, str) and (match := _AMOUNT.fullmatch(margin.strip())):
        value = float(f"{match[1]}e{match[2] or 0}")
        # 0.3 and 0.3 % differ by the last digit of a float unless the division is the last step.
        value = value / 100 if match[3] else value
    elif isinstance(margin, (int, float)) and not isinstance(margin, bool):
        value = float(margin)
    else:
        raise OptionError(
            f"a margin is a positive number such as 0.02, or points such as 1pp; saw {margin!r}"
        )
    if not 0 < value < math.inf:
        raise OptionError(f"a margin is larger than 0; saw {margin!r}")
    return value


def measure_range(measure: str) -> Interval:
    """Find the values that a measure can have, in any kind of predictions.

    >>> measure_range("recall[fraud]"), measure_range("informedness")
    (Interval(low=0.0, high=1.0), Interval(low=-1.0, high=1.0))
    """
    name = canonical_spelling(measure).name
    entries = [entry for entry in catalogue() if entry.name == name]
    if not entries:
        return Interval(-math.inf, math.inf)
    return Interval(min(entry.low for entry in entries), max(entry.high for entry in entries))


def parse_share(name: str, share: object) -> float:
    """Read a share between 0 and 1: a number, or a percentage.

    >>> parse_share("accuracy", "80%"), parse_share("accuracy", "80pp"), parse_share("accuracy", 0.8)
    (0.8, 0.8, 0.8)
    """
    value = math.nan
    if isinstance(share, str) and (match := _AMOUNT.fullmatch(share.strip())):
        value = float(f"{match[1]}e{match[2] or 0}") / (100 if match[3] else 1)
    elif isinstance(share, (int, float)) and not isinstance(share, bool):
        value = float(share)
    if not 0 < value < 1:
        raise OptionError(f"{name} is a share between 0 and 1, such as 0.75 or 75%; saw {share!r}")
    return value


def exceeds_range(measure: str, amount: float) -> bool:
    """Return whether an amount is at least as large as any difference in a measure.

    >>> exceeds_range("accuracy", 3), exceeds_range("accuracy", 0.03)
    (True, False)
    """
    low, high = measure_range(measure)
    return amount >= high - low


def check_margin(measure: str, margin: float) -> None:
    """Refuse a margin that no difference could exceed."""
    if exceeds_range(measure, margin):
        hint = "" if margin <= 1 or margin % 1 else f" ({margin:g}pp means {margin:g} points)"
        raise OptionError(
            f"no difference in {canonical_spelling(measure).name} can exceed a margin of {margin:g}: state a "
            f"smaller one{hint}"
        )


def is_share(measure: str) -> bool:
    """Return whether a measure is a share of right answers, which is written in percent.

    >>> is_share("accuracy"), is_share("pass@5"), is_share("informedness")
    (True, True, False)
    """
    entry = find_by_name(canonical_spelling(measure).name)
    return entry is not None and entry.is_share_of_right_answers


def describe_amount(measure: str, amount: float) -> str:
    """Write a margin: in points for a share of right answers, otherwise as a number.

    >>> describe_amount("accuracy", 0.01), describe_amount("informedness", 0.02)
    ('1 point', '0.02')
    """
    if not is_share(measure):
        return f"{amount:.6g}"
    points = f"{100 * amount:.6g}"
    return f"{points} {'point' if points == '1' else 'points'}"


def format_levels(measure: str, *values: float, gap: float = math.nan) -> list[str]:
    """Write levels of a measure with as many decimals as show the gap between them.

    >>> format_levels("accuracy", 0.745, 0.62, gap=0.125)
    ['74.5%', '62.0%']
    >>> format_levels("informedness", 0.757, 0.515, gap=0.242)
    ['0.76', '0.52']
    >>> format_levels("informedness", 2 / 3, 1 / 3, gap=1 / 3)  # 0.67 and 0.33 would differ by 0.34
    ['0.667', '0.333']
    >>> format_levels("informedness", 0.5132, 0.5081, gap=0.0051)
    ['0.5132', '0.5081']
    """
    is_percent = is_share(measure)
    if not is_percent and not all(abs(value) < 10 for value in values):
        return format_apart(*values)
    scale, least = (100.0, 1) if is_percent else (1.0, 2)
    size = abs(gap) * scale
    first_digit = -math.floor(math.log10(size)) if ZERO_POINTS < size < math.inf else 0
    decimals = max(least, first_digit if is_percent else first_digit + 1)
    texts: list[str] = []
    for tried in range(min(decimals, MAX_DIGITS), MAX_DIGITS):
        texts = [_fixed(value * scale, tried) for value in values]
        if are_apart(values, texts) and (tried > decimals or _adds_up(values, gap, scale, tried)):
            break
    return [f"{text}%" if is_percent and text != UNDEFINED else text for text in texts]


def _adds_up(values: tuple[float, ...], gap: float, scale: float, decimals: int) -> bool:
    """Return whether two rounded levels differ by the rounded gap; true if there is no gap to compare."""
    if len(values) != 2 or not math.isfinite(gap):
        return True
    first, second = (round(value * scale, decimals) for value in values)
    return abs(abs(first - second) - round(abs(gap) * scale, decimals)) < 0.5 * 10.0**-decimals


def format_level_with_interval(measure: str, value: float, interval: Interval) -> list[str]:
    """Write a level and the ends of its interval.

    >>> format_level_with_interval("accuracy", 0.7, Interval(0.612, 0.775))
    ['70.0%', '61.2%', '77.5%']
    """
    if not is_share(measure):
        return format_together(value, *interval)
    decimals = _decimals_of_points(100 * (interval.high - interval.low))
    return [f"{_fixed(100 * number, decimals)}%" for number in (value, *interval)]


def format_difference(measure: str, difference: float, interval: Interval) -> list[str]:
    """Write a difference with its sign, in points for a share of right answers, and the ends of its interval.

    >>> format_difference("accuracy", 0.125, Interval(0.0691, 0.1812))
    ['+12.5 points', '+6.9', '+18.1']
    >>> format_difference("brier", -0.0831, Interval(-0.1234, -0.0412))
    ['−0.083', '−0.12', '−0.04']
    """
    if not is_share(measure):
        return [_signed(text) for text in format_together(difference, *interval)]
    points, *ends = (100 * number for number in (difference, *interval))
    decimals = _decimals_of_points(ends[1] - ends[0])
    own = max(decimals, 1 - math.floor(math.log10(abs(points)))) if abs(points) > ZERO_POINTS else decimals
    size = _signed(_fixed(points, min(own, MAX_DIGITS)))
    word = "point" if abs(round(points, own)) == 1 else "points"
    return [f"{size} {word}", *(_signed(_nonzero(end, decimals)) for end in ends)]


def _decimals_of_points(width: float) -> int:
    """Choose the decimals of percentages: one, or as many more as an interval narrower than a point needs."""
    return 1 if not ZERO_POINTS < width < 1 else 1 + math.ceil(-math.log10(width))


def _nonzero(number: float, decimals: int) -> str:
    """Write a number with up to three more decimals if it would look like 0."""
    tries = (_fixed(number, more) for more in range(decimals, decimals + 3))
    return next((text for text in tries if text.strip("0.")), _fixed(number, decimals))


def _fixed(number: float, decimals: int) -> str:
    """Write a number with a fixed number of decimals; what rounds to 0 has no sign."""
    if not math.isfinite(number):
        return format_number(number)
    if abs(number) < ZERO_POINTS:
        return f"{0:.{decimals}f}"
    text = f"{abs(number):,.{decimals}f}"
    return f"{MINUS if number < 0 and text.strip('0.') else ''}{text}"


def _signed(text: str) -> str:
    """Put a plus before a positive number; 0 is written as 0."""
    if not text.strip("0."):
        return "0"
    return text if text[0] in (MINUS, UNDEFINED) else f"+{text}"
