"""What measures, tests and sums of money are called in a comparison."""

from __future__ import annotations

import math
from functools import cache

from edgeworth.core.registry import catalogue
from edgeworth.core.spelling import Spelling
from edgeworth.report.wording import MINUS, called, money, shortened

__all__ = ["called", "has_direction", "in_points", "money_said", "signed", "test_named"]

_MORE = {"informedness": "informed", "accuracy": "right"}
_MORE_OF_LABEL = {"recall": "finds {label}", "precision": "right when it says {label}"}
"""Measures whose difference is a number of cases in a hundred."""

_TESTS = {
    "mcnemar": "McNemar",
    "mcnemar mid-p": "McNemar mid-p",
    "wald": "Wald",
    "t": "paired t",
    "delong": "DeLong",
    "wilcoxon": "Wilcoxon",
    "influence": "jackknife t",
    "diebold-mariano": "Diebold–Mariano",
}


def test_named(name: str) -> str:
    """A test as people call it."""
    return _TESTS.get(name, name.replace("_", " "))


@cache
def has_direction(measure: str) -> bool:
    """Whether more (or less) of a measure is better, or it only describes.

    >>> has_direction("informedness"), has_direction("label_bias[a]")
    (True, False)
    """
    name = Spelling.parse(measure).name
    known = [each for kind in ("decisions", "rankings", "probabilities") for each in catalogue(kind=kind)]
    return not any(each.name == name and each.direction == "neither" for each in known)


def in_points(measure: str) -> str | None:
    """What a system does so many more cases in a hundred; None where a difference is no such thing.

    >>> in_points("informedness"), in_points("recall[spam]"), in_points("precision@5")
    ('informed', 'finds spam', None)
    """
    spelling = Spelling.parse(measure)
    if spelling.depth is not None or spelling.options:
        return None
    if spelling.label is None:
        return _MORE.get(spelling.name)
    words = _MORE_OF_LABEL.get(spelling.name)
    return None if words is None else words.format(label=shortened(str(spelling.label), 30))


def money_said(log_wealth: float) -> str:
    """What $1 has become; a power of ten when that is long.

    >>> money_said(math.log(12.345)), money_said(100.0)
    ('$12.35', '$2.7e43')
    """
    return f"${money(log_wealth) if log_wealth > math.log(1e9) else f'{math.exp(log_wealth):,.2f}'}"


def signed(value: float, decimals: int) -> str:
    """A number of points; −0 never appears."""
    text = f"{abs(value):.{decimals}f}"
    return f"{MINUS if value < 0 and float(text) else ''}{text}"
