"""What measures, tests and sums of money are called in a comparison."""

from __future__ import annotations

import math
from functools import cache

from edgeworth.measures import Spelling, catalogue
from edgeworth.reports.wording import MINUS, shortened

_MORE = {"informedness": "informed", "accuracy": "right"}
_MORE_OF_LABEL = {"recall": "finds {label}", "precision": "right when it says {label}"}
"""Measures whose difference is a number of cases in a hundred."""

_CALLED = {
    "average_precision": "average precision",
    "roc_auc": "ROC area",
    "log": "log score",
    "brier": "Brier score",
    "ranked": "ranked probability score",
    "spherical": "spherical score",
    "mcc": "MCC",
    "f": "F",
}
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


def called(measure: str) -> str:
    """A measure as people call it; options stay, but for the tie rule.

    >>> called("average_precision(ties=trec)"), called("f[1](alpha=0.3)"), called("precision@10")
    ('average precision', 'F[1](alpha=0.3)', 'precision@10')
    """
    spelling = Spelling.parse(measure)
    label = "" if spelling.label is None else f"[{shortened(str(spelling.label), 30)}]"
    depth = "" if spelling.depth is None else f"@{spelling.depth}"
    options = ", ".join(f"{key}={value}" for key, value in spelling.options.items() if key != "ties")
    name = _CALLED.get(spelling.name, spelling.name.replace("_", " "))
    return f"{name}{label}{depth}{f'({options})' if options else ''}"


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
    ('$12.35', '$10^43')
    """
    if log_wealth > math.log(1e9):
        return f"$10^{log_wealth / math.log(10):.0f}"
    return f"${math.exp(log_wealth):,.2f}"


def e_value_said(log_e_value: float) -> str:
    """An e-value with the digits that matter.

    >>> e_value_said(math.log(20)), e_value_said(-math.inf), e_value_said(80.0)
    ('20', '0', '5.5e+34')
    """
    if math.isinf(log_e_value):
        return "0" if log_e_value < 0 else "without bound"
    if log_e_value > 709:
        return f"10^{log_e_value / math.log(10):.0f}"
    value = math.exp(log_e_value)
    if value < 1 or value >= 1e6:
        return f"{value:.2g}"
    return f"{value:,.3g}" if value < 1000 else f"{value:,.0f}"


def number_word(value: float) -> str:
    """A difference with the digits that matter: .141, .0032."""
    text = f"{abs(value):.3f}" if abs(value) >= 0.0995 or value == 0 else f"{abs(value):#.2g}"
    sign = MINUS if value < 0 and float(text) else ""
    return sign + (text[1:] if text.startswith("0.") and "e" not in text else text)


def signed(value: float, decimals: int) -> str:
    """A number of points; −0 never appears."""
    text = f"{abs(value):.{decimals}f}"
    return f"{MINUS if value < 0 and float(text) else ''}{text}"
