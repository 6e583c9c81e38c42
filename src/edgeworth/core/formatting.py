"""How numbers are written wherever people read them. JSON and CSV keep all digits.

One rule. Three decimals, more where two digits that matter need them, and no 0 before the point: .514, .012,
.0097. Below .0001 and from a thousand million on, a power of ten: 4.9e-5, 1.2e43. From 100 on one decimal,
none if the number is whole or has five digits before the point. Probabilities stop where nobody counts any
more: < 1e-12, > .999. What is undefined is –. Per cent and dollars keep their 0: 0.5%, $0.52."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

MINUS = "−"
UNDEFINED = "–"

NOISE = 1e-12
"""A number below is what rounding leaves of 0; a probability below is said to be."""

SMALL, LARGE = 1e-4, 1e9
"""Beyond these a number is written as a power of ten."""


def figure(value: float) -> str:
    """A measure, a score, a difference.

    >>> [figure(x) for x in (0.5139, -0.012, 0.0096, 4.93e-5, 0.0, 1.2773, 480.0, 2345.67, 1.23e43)]
    ['.514', '−.012', '.0096', '4.9e-5', '0', '1.277', '480', '2,345.7', '1.2e43']
    """
    if math.isnan(value):
        return UNDEFINED
    size = abs(value)
    if size < NOISE:
        return "0"
    return f"{MINUS if value < 0 else ''}{_size(size)}"


def _size(size: float) -> str:
    if math.isinf(size):
        return "∞"
    if size < SMALL or size >= LARGE:
        return power_of_ten(size)
    if size < 0.00995:
        text = f"{size:#.2g}"
    elif size < 99.9995:
        text = f"{size:.3f}"
    else:
        text = f"{size:,.0f}" if size >= 9999.95 or size.is_integer() else f"{size:,.1f}"
    return text.removeprefix("0") if text != "0" else text


def power_of_ten(size: float) -> str:
    """Two digits and a power; a round number has one.

    >>> power_of_ten(4.93e-5), power_of_ten(5e-7), power_of_ten(9.96e20)
    ('4.9e-5', '5e-7', '1e21')
    """
    digits, _, power = f"{size:.1e}".partition("e")
    return f"{digits.removesuffix('.0')}e{int(power)}"


def probability_figure(value: float) -> str:
    """A p-value, a chance: 0 and 1 only where it is.

    >>> [probability_figure(p) for p in (0.0, 1e-40, 4.93e-5, 0.0122, 0.48, 0.9998, 1.0)]
    ['0', '< 1e-12', '4.9e-5', '.012', '.480', '> .999', '1']
    """
    if math.isnan(value):
        return UNDEFINED
    if value <= 0 or value >= 1:
        return "0" if value <= 0 else "1"
    if value < NOISE:
        return "< 1e-12"
    return "> .999" if value >= 0.9995 else _size(value)


def belief_figure(value: float) -> str:
    """A probability that is itself approximate or drawn, such as that of being better: never 0, never 1.

    >>> [belief_figure(p) for p in (0.0, 0.0002, 0.764, 1.0)]
    ['< .001', '< .001', '.764', '> .999']
    """
    if math.isnan(value):
        return UNDEFINED
    if value < 0.0005 or value >= 0.9995:
        return "< .001" if value < 0.0005 else "> .999"
    return f"{value:.3f}".removeprefix("0")


def p_figure(value: float) -> str:
    """A p-value with its sign.

    >>> p_figure(0.012), p_figure(1e-30), p_figure(1.0)
    ('p = .012', 'p < 1e-12', 'p = 1')
    """
    said = probability_figure(value)
    return f"p {said}" if said[0] in "<>" else f"p = {said}"


def at_most_figure(value: float) -> str:
    """A bound of a p-value, to be read after "at most".

    >>> at_most_figure(0.0098), at_most_figure(1e-300)
    ('.0098', '1e-12')
    """
    return "1" if value >= 0.9995 else probability_figure(value).removeprefix("< ")


def interval_figure(low: float | None, high: float | None) -> str:
    """Both ends, or the one there is.

    >>> interval_figure(-0.069, 0.145), interval_figure(1.277, None), interval_figure(None, None)
    ('−.069 to .145', '1.277 or more', '–')
    """
    if low is None:
        return UNDEFINED if high is None else f"{figure(high)} or less"
    return f"{figure(low)} or more" if high is None else f"{figure(low)} to {figure(high)}"


def wealth_figure(log_wealth: float) -> str:
    """Wealth, or an e-value, from its logarithm, whatever its size: three digits, whole from 100 on.

    >>> [wealth_figure(math.log(x)) for x in (1234.6, 12.345, 2.0, 0.52)], wealth_figure(100.0)
    (['1,235', '12.3', '2', '.52'], '2.7e43')
    """
    if math.isinf(log_wealth) or math.isnan(log_wealth):
        return UNDEFINED if math.isnan(log_wealth) else "more than any number" if log_wealth > 0 else "0"
    if math.log(SMALL) <= log_wealth < math.log(LARGE):
        value = math.exp(log_wealth)
        text = f"{value:,.0f}" if value >= 99.95 else f"{value:.3g}" if value >= 0.0995 else _size(value)
        return text.removeprefix("0") if text.startswith("0.") else text
    power = math.floor(log_wealth / math.log(10))
    # Of a logarithm beyond floats only the digits are made a number.
    digits, _, more = power_of_ten(math.exp(log_wealth - power * math.log(10))).partition("e")
    return f"{digits}e{power + int(more)}"


def html_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table with a caption; everything in it is text, whatever it looks like.

    >>> html_table("a < b", [], [[1]])
    '<table><caption>a &lt; b</caption><tbody><tr><td>1</td></tr></tbody></table>'
    """
    top = "".join(f"<th>{escape(str(head))}</th>" for head in heads)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(_said(cell))}</td>' for cell in row)}</tr>" for row in rows)
    head = f"<thead><tr>{top}</tr></thead>" if heads else ""
    return f"<table><caption>{escape(title)}</caption>{head}<tbody>{lines}</tbody></table>"


def _said(cell: object) -> str:
    if isinstance(cell, float):
        return figure(cell)
    return f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else str(cell)
