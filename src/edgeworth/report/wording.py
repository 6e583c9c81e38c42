"""Numbers as people say them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import cache

from edgeworth.core.formatting import (
    MINUS,
    UNDEFINED,
    belief_figure,
    figure,
    interval_figure,
    p_figure,
    probability_figure,
)
from edgeworth.core.formatting import wealth_figure as money
from edgeworth.core.registry import words_of
from edgeworth.core.spelling import Spelling
from edgeworth.core.tails import Tail
from edgeworth.errors import OptionError
from edgeworth.report.report import AtMost, Cell, Kind

share_said = figure
"""A share, by the rule for all numbers."""

__all__ = [
    "MINUS",
    "about",
    "called",
    "cases_said",
    "figure",
    "interval_decimals",
    "level_said",
    "money",
    "number_said",
    "odds_of_chance",
    "option_said",
    "origin_said",
    "p_said",
    "percent",
    "plural",
    "probability_words",
    "share_said",
    "shortened",
    "shown",
    "system_said",
    "tail_cell",
]


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
    """A cell as text.

    >>> shown(0.5139, "number"), shown((1.277, None), "interval"), shown("macro_f", "measure")
    ('.514', '1.277 or more', 'macro F')
    """
    if value is None:
        return UNDEFINED
    if isinstance(value, str):
        return called(value) if kind == "measure" else value
    if isinstance(value, tuple):
        return interval_figure(*value)
    if isinstance(value, AtMost):
        return at_most_said(value)
    if kind == "count":
        return f"{value:,}" if isinstance(value, int) else number_said(value)
    if kind == "percent":
        return percent(value, 1)
    if kind == "dollars":
        text = f"{abs(value):,.2f}"
        return f"{MINUS if value < 0 and float(text.replace(',', '')) else ''}${text}"
    if kind == "probability":
        return probability_figure(value)
    return belief_figure(value) if kind == "belief" else figure(value)


def plural(number: float, one: str, many: str | None = None) -> str:
    """The word for a number of things."""
    return one if number == 1 else many or f"{one}s"


def number_said(value: float) -> str:
    """A count; with a decimal when it is a mean of counts."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def probability_words(tail: Tail) -> str:
    """A tail as people say it: never 0, and "below" where only a bound is known or it hardly matters."""
    if tail.exact == 0:
        return "0: it cannot happen"
    said = probability_figure(tail.p_value)
    if said[0] in "<>":
        return f"{'below' if said[0] == '<' else 'above'} {said[2:]}"
    if isinstance(tail_cell(tail), AtMost):
        return f"at most {said}"
    return said if tail.kind in ("exact", "bracket") else f"about {said}"


def tail_cell(tail: Tail) -> float:
    """The p-value of a tail for a table: a bound, or the least that so many draws can give, is at most that.

    >>> [shown(tail_cell(tail), "probability") for tail in (Tail.drawn(0, 10_000, 0), Tail.bounded(0.02))]
    ['≤ 1e-4', '≤ .020']
    """
    is_bound = tail.kind == "bound" or (tail.kind == "drawn" and tail.low == 0)
    return AtMost(tail.p_value) if is_bound else tail.p_value


def at_most_said(value: float) -> str:
    """A bound of a probability with its sign; one too small to be counted has its own."""
    said = probability_figure(value)
    return said if said[0] in "<>" else f"≤ {said}"


def p_said(tail: Tail) -> str:
    """A p-value with its sign.

    >>> p_said(Tail.drawn(0, 10_000, 0)), p_said(Tail.hypergeometric(0.012))
    ('p ≤ 1e-4', 'p = .012')
    """
    value = tail_cell(tail)
    return f"p {at_most_said(value)}" if isinstance(value, AtMost) else p_figure(value)


def shortened(text: str, most: int) -> str:
    """A text of at most so many signs; what is left out is marked."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def cases_said(number: int) -> str:
    """1 case, 2 cases."""
    return f"{number:,} {plural(number, 'case')}"


def system_said(system: str) -> str:
    """A forecaster within a sentence: the model needs its article, the others have theirs."""
    return "the model" if system == "model" else system


@cache
def called(measure: str) -> str:
    """A measure as people call it, by the catalogue; options stay, but for the tie rule.

    >>> called("average_precision(ties=trec)"), called("f[1](alpha=0.3)"), called("precision@10")
    ('average precision', 'F[1](alpha=0.3)', 'precision@10')
    """
    try:
        spelling = Spelling.parse(measure)
    except OptionError:
        return measure
    label = "" if spelling.label is None else f"[{shortened(str(spelling.label), 30)}]"
    depth = "" if spelling.depth is None else f"@{spelling.depth}"
    options = ", ".join(f"{key}={value}" for key, value in spelling.options.items() if key != "ties")
    return f"{words_of(spelling.name)}{label}{depth}{f'({options})' if options else ''}"


def option_said(value: object) -> str:
    """What a run was asked for, or found, in the line that says where a report comes from.

    >>> option_said(10.0), option_said(["a", "b"]), option_said(False), option_said(373.42099999)
    ('10', 'a, b', 'no', '373.421')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}".replace("-", MINUS)
    if isinstance(value, list | tuple):
        return ", ".join(map(option_said, value))
    return f"{value:,}" if isinstance(value, int) and value >= 10_000 else str(value)


def origin_said(provenance: Mapping[str, object], without: Iterable[str] = ()) -> str:
    """Where a report comes from, in a line.

    >>> origin_said({"source": "x.csv", "predictions_made": "before", "weight": None})
    'source x.csv · predictions made before'
    """
    left_out = set(without)
    shown = ((name, provenance[name]) for name in provenance if name not in left_out)
    return " · ".join(
        f"{name.replace('_', ' ')} {option_said(value)}"
        for name, value in shown
        if value not in (None, "", [], ())
    )
