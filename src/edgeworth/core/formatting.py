"""How numbers are written for people. JSON and CSV keep all digits.

Numbers below 1 have three decimals, or more if two significant digits need them: 0.514, 0.012, 0.0097. From 1
on, numbers have three significant digits, and whole numbers have all: 1.28, 12.3, 2,346. Numbers close to 1
have enough digits to differ from it: 0.9992, 99.96%. Below 0.0001 and from 10^9, a power of ten: 4.9e-5.
Probabilities are cut off at the ends: < 1e-12, > 0.999. An undefined value is –. ``digits_shown`` sets other
numbers of digits."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape
from itertools import chain, combinations, count
from unicodedata import east_asian_width

from edgeworth.common.escaping import visible
from edgeworth.errors import OptionError

_ENTITY = re.compile(r"&(?=#?[A-Za-z0-9]+;)")

MINUS = "−"
UNDEFINED = "–"

ZERO_TOLERANCE = 1e-12
"""A smaller number is a rounding error of 0; a smaller probability is written as a bound."""

MIN_P_VALUE_WRITTEN = 1e-6
"""A smaller p-value is written as a bound in sentences."""

MIN_PLAIN_NUMBER, MAX_PLAIN_SIZE = 1e-4, 1e9
MAX_PLAIN_DOLLARS = 1e12
"""Beyond these a number is written as a power of ten."""

MAX_DIGITS = 15
"""A float has no more digits than these."""

USUAL_LEVELS = (0.1, 0.05, 0.01, 0.001)
"""A p-value that is not one of these is never written as one: a reader compares it with them."""

_DIGITS: ContextVar[int] = ContextVar("digits", default=3)


@contextmanager
def digits_shown(digits: int | None) -> Iterator[None]:
    """Write numbers with this many digits inside the block; None changes nothing.

    >>> with digits_shown(5):
    ...     format_number(0.123456789)
    '0.12346'
    """
    if digits is not None and not 2 <= digits <= MAX_DIGITS:
        raise OptionError(f"2 to {MAX_DIGITS} digits can be shown; saw {digits!r}")
    token = _DIGITS.set(_DIGITS.get() if digits is None else digits)
    try:
        yield
    finally:
        _DIGITS.reset(token)


def format_number(value: float) -> str:
    """Write a measure, a score, a difference.

    >>> [format_number(x) for x in (0.5139, -0.012, 0.0096, 4.93e-5, 0.0, 1.2773, 480.0, 2345.67, 1.23e43)]
    ['0.514', '−0.012', '0.0096', '4.9e-5', '0', '1.28', '480', '2,346', '1.2e43']
    """
    if math.isnan(value):
        return UNDEFINED
    size = abs(value)
    if size < ZERO_TOLERANCE:
        return "0"
    return f"{MINUS if value < 0 else ''}{_format_size(size)}"


def _format_size(size: float) -> str:
    if math.isinf(size):
        return "∞"
    if size < MIN_PLAIN_NUMBER or size >= MAX_PLAIN_SIZE:
        return _format_power_of_ten(size)
    if size >= 100 and float(size).is_integer():
        return f"{size:,.0f}"
    digits, from_one = _DIGITS.get(), abs(1 - size)
    kept = digits if size >= 1 else digits - 1
    decimals = max(digits if size < 1 else 0, kept - 1 - _exponent(size, kept - 1))
    return f"{size:,.{max(decimals, -_exponent(from_one)) if from_one > ZERO_TOLERANCE else digits - 1}f}"


def _exponent(size: float, decimals: int = 0) -> int:
    """Find the power of ten of a number that is rounded to some decimals: 9.96 is 1e1."""
    return int(f"{size:.{decimals}e}".partition("e")[2])


def _format_power_of_ten(size: float) -> str:
    """Write two digits, or the number set by ``digits_shown``, and a power; a round number has one digit.

    >>> _format_power_of_ten(4.93e-5), _format_power_of_ten(5e-7), _format_power_of_ten(9.96e20)
    ('4.9e-5', '5e-7', '1e21')
    """
    digits, _, power = f"{size:.{max(_DIGITS.get() - 2, 1)}e}".partition("e")
    whole, _, decimals = digits.partition(".")
    return f"{digits if decimals.strip('0') else whole}e{int(power)}"


def format_probability(value: float) -> str:
    """Write a p-value or a chance: 0, 1 and the usual levels of tests only where it is exactly that.

    >>> [format_probability(p) for p in (0.0, 1e-40, 4.93e-5, 0.0122, 0.48, 0.9998, 1.0)]
    ['0', '< 1e-12', '4.9e-5', '0.012', '0.480', '> 0.999', '1']
    >>> [format_probability(p) for p in (0.0496, 0.04998, 0.05, 0.0502)]
    ['0.0496', '0.04998', '0.050', '0.0502']
    """
    if math.isnan(value):
        return UNDEFINED
    if value <= 0 or value >= 1:
        return "0" if value <= 0 else "1"
    if value < ZERO_TOLERANCE:
        return "< 1e-12"
    if value >= 0.9995:
        return "> 0.999"
    level = next((x for x in USUAL_LEVELS if ZERO_TOLERANCE < abs(value - x) < x / 20), None)
    if level is None:
        return _format_size(value)
    return format_apart(value, level)[0]


def format_belief(value: float) -> str:
    """Write a probability that is itself approximate or drawn, such as that of being better: never 0 or 1.

    >>> [format_belief(p) for p in (0.0, 0.0002, 0.764, 1.0)]
    ['< 0.001', '< 0.001', '0.764', '> 0.999']
    """
    if math.isnan(value):
        return UNDEFINED
    if value < 0.0005 or value >= 0.9995:
        return "< 0.001" if value < 0.0005 else "> 0.999"
    return f"{value:.3f}"


def format_p_value(value: float) -> str:
    """Write a p-value with its sign.

    >>> format_p_value(0.012), format_p_value(2e-5), format_p_value(1e-30), format_p_value(1.0)
    ('p = 0.012', 'p = 0.00002', 'p < 1e-6', 'p = 1')
    """
    if value < MIN_P_VALUE_WRITTEN:
        return "p < 1e-6"
    if 1e-5 <= value < MIN_PLAIN_NUMBER and _DIGITS.get() == 3:
        return f"p = {value:.6f}".rstrip("0")
    text = format_probability(value)
    return f"p {text}" if text[0] in "<>" else f"p = {text}"


def format_bound(value: float) -> str:
    """Write a bound of a p-value, to be read after "at most".

    >>> format_bound(0.0098), format_bound(1e-300)
    ('0.0098', '1e-12')
    """
    return "1" if value >= 0.9995 else format_probability(value).removeprefix("< ")


def format_interval(low: float | None, high: float | None) -> str:
    """Write both ends, or the one there is.

    >>> format_interval(-0.069, 0.145), format_interval(1.277, None), format_interval(None, None)
    ('−0.069 to 0.145', '1.28 or more', '–')
    """
    if low is None:
        return UNDEFINED if high is None else f"{format_number(high)} or less"
    return f"{format_number(low)} or more" if high is None else " to ".join(format_apart(low, high))


def format_wealth(log_wealth: float) -> str:
    """Write wealth, or an e-value, given its logarithm: three digits, and beyond a million only that.

    >>> [format_wealth(math.log(x)) for x in (1234.6, 12.345, 2.0, 0.52)], format_wealth(100.0)
    (['1,235', '12.3', '2', '0.52'], 'over 1 million')
    """
    if math.isinf(log_wealth) or math.isnan(log_wealth):
        return UNDEFINED if math.isnan(log_wealth) else "infinite" if log_wealth > 0 else "0"
    if abs(log_wealth) >= math.log(1e6):
        return "over 1 million" if log_wealth > 0 else "under 1e-6"
    value = math.exp(log_wealth)
    return f"{value:,.0f}" if value >= 99.95 else f"{value:.3g}" if value >= 0.0995 else _format_size(value)


def format_money(log_wealth: float) -> str:
    """Write what $1 has become; from a million on, only that it is more.

    >>> format_money(math.log(12.345)), format_money(100.0), format_money(-10.0)
    ('$12.35', 'over $1 million', 'less than $0.01')
    """
    if math.isinf(log_wealth):
        return "infinite" if log_wealth > 0 else "$0"
    if log_wealth >= math.log(1e6):
        return "over $1 million"
    value = math.exp(log_wealth)
    if value < 0.005:
        return "less than $0.01"
    return f"${value:,.0f}" if value >= 99.5 else f"${value:,.2f}"


def format_percent(share: float, decimals: int = 0) -> str:
    """Write 0.153 as 15% and 0.9996 as 99.96%: only 0 and 1 are 0% and 100%; −0 never appears."""
    gap = min(abs(share), abs(1 - abs(share)))
    decimals = max(decimals, -2 - _exponent(gap)) if gap > ZERO_TOLERANCE else decimals
    return f"{_format_decimals(share * 100, decimals)}%"


def format_signed_percent(share: float) -> str:
    """Write a yield with its sign.

    >>> format_signed_percent(0.0123), format_signed_percent(-0.05)
    ('+1.2%', '−5.0%')
    """
    return f"{'+' if share > 0 else ''}{format_percent(share, 1)}"


def format_dollars(value: float) -> str:
    """Write an amount to the cent; one that no one has is written as a power of ten.

    >>> format_dollars(-1234.5), format_dollars(-0.001), format_dollars(-6.93e32)
    ('−$1,234.50', '$0.00', '−$6.9e32')
    """
    text = format_number(value) if abs(value) >= MAX_PLAIN_DOLLARS else _format_decimals(value, 2)
    return f"{MINUS}${text[1:]}" if text.startswith(MINUS) else f"${text}"


def _format_decimals(value: float, decimals: int) -> str:
    """Write a number with a fixed number of decimals; what rounds to 0 has no sign."""
    text = f"{abs(value):,.{decimals}f}"
    return f"{MINUS if value < 0 and text.strip('0.') else ''}{text}"


def format_together(value: float, low: float, high: float) -> list[str]:
    """Write a value and its bounds with as many decimals as the interval is wide, or the digits asked for.

    The value has two digits that matter at least, and numbers that differ are written differently.

    >>> format_together(0.2156, 0.0889, 0.3512), format_together(0.13, -0.0045, 0.2604)
    (['0.22', '0.09', '0.35'], ['0.130', '−0.004', '0.260'])
    >>> format_together(0.0051, -0.0523, 0.0625), format_together(0.0019, 0.00188, 0.00192)
    (['0.0051', '−0.05', '0.06'], ['0.001900', '0.001880', '0.001920'])
    >>> format_together(-0.0374, -0.0521, -0.0227)
    ['−0.037', '−0.052', '−0.023']
    """
    numbers = (value, low, high)
    if _DIGITS.get() != 3 or not (math.isfinite(low) and max(map(abs, numbers)) < 10):
        return format_apart(*numbers)
    width = high - low
    # Whole per cents, or as many decimals more as an interval narrower than five of them needs.
    least = (
        2
        if width >= 0.05 or width < ZERO_TOLERANCE
        else 2 + math.ceil(math.log10(0.05 / width) - ZERO_TOLERANCE)
    )
    own = 0 if abs(value) < ZERO_TOLERANCE else 1 - _exponent(abs(value), 1)

    def is_distinct(number: float, decimals: int) -> bool:
        # What is not 0 or 1 is not shown as that: an end shows on which side of it it lies.
        return round(abs(number), decimals) not in (0, 1)

    reaches = zip(numbers, (8, least + 3, least + 3), strict=True)
    shown = max(next((d for d in range(least, most) if is_distinct(x, d)), least) for x, most in reaches)

    def written(number: float, decimals: int) -> str:
        is_fine = is_distinct(number, decimals) or abs(number) in (0, 1)
        return _format_decimals(number, decimals) if is_fine else format_number(number)

    trials = []
    for decimals in range(shown, MAX_DIGITS):
        more = max(decimals, own)
        # A value that is tiny beside its interval is written as if alone.
        size = format_number(value) if more > decimals + 3 else written(value, more)
        trials.append([size, written(low, decimals), written(high, decimals)])
        is_ordered = round(low, decimals) <= round(value, more) <= round(high, decimals)
        if are_apart(numbers, trials[-1]) and (is_ordered or not low <= value <= high):
            return trials[-1]
    return trials[0]


def format_apart(*numbers: float) -> list[str]:
    """Write numbers with enough digits that different numbers look different.

    >>> format_apart(0.514, 0.12341, 0.12344), format_apart(0.5, 0.1, 0.7)
    (['0.51400', '0.12341', '0.12344'], ['0.500', '0.100', '0.700'])
    """
    texts: list[str] = []
    for digits in range(_DIGITS.get(), MAX_DIGITS + 1):
        with digits_shown(digits):
            texts = [format_number(number) for number in numbers]
        if are_apart(numbers, texts):
            return texts
    return texts


def are_apart(numbers: Sequence[float], texts: Sequence[str]) -> bool:
    """Return whether numbers that differ by more than rounding are written differently."""
    pairs = combinations(zip(numbers, texts, strict=True), 2)
    return not any(
        one[1] == other[1] and abs(one[0] - other[0]) > ZERO_TOLERANCE * max(1.0, abs(one[0]))
        for one, other in pairs
    )


def format_level(level: float) -> str:
    """Write a confidence level: 0.95 as 95%."""
    return f"{level * 100:g}%"


def format_count(value: float) -> str:
    """Write a count; with a decimal when it is a mean of counts."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"


def format_rounded(number: float) -> str:
    """Write a count rounded to two digits from 100 on."""
    scale = 1 if number < 100 else 10 ** (math.floor(math.log10(number)) - 1)
    return f"{int(round(number / scale) * scale):,}"


def format_cases(number: int) -> str:
    """Write 1 case, 2 cases."""
    return f"{number:,} {plural(number, 'case')}"


def in_clusters(number: int | None) -> str:
    """Write how many clusters a sample has, or nothing if its cases are independent.

    >>> in_clusters(20), in_clusters(1), in_clusters(None)
    (' in 20 clusters', ' in 1 cluster', '')
    """
    return "" if number is None else f" in {number:,} {plural(number, 'cluster')}"


def plural(number: float, one: str, many: str | None = None) -> str:
    """Choose the word for a number of things."""
    return one if number == 1 else many or (f"{one[:-1]}ies" if one.endswith("ry") else f"{one}s")


_NUMBER_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


def spell_out(number: int) -> str:
    """Write a small number as a word: six, 13."""
    return _NUMBER_WORDS[number] if 0 <= number < len(_NUMBER_WORDS) else f"{number:,}"


def unique_name(name: str, others: Collection[str]) -> str:
    """Add a number to a name that others have.

    >>> unique_name("tests", []), unique_name("tests", ["tests", "tests (2)"])
    ('tests', 'tests (3)')
    """
    trials = chain([name], (f"{name} ({number})" for number in count(2)))
    return next(trial for trial in trials if trial not in others)


def shorten(text: str, most: int) -> str:
    """Cut a text to at most this many characters; an ellipsis marks the cut."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


LONGEST_WORD, LONGEST_TEXT = 200, 4_000
_LONG_WORD = re.compile(rf"\S{{{LONGEST_WORD + 1},}}")


def displayable(text: str) -> str:
    r"""Make a text of names that anybody may have given one for people: every sign is seen, none too many.

    >>> print(displayable("a\x1b[31m b\u202e\n"), len(displayable("x" * 1_000_000)))
    a␛[31m b[U+202E]␊ 200
    """
    text = cut_middle(text, LONGEST_TEXT)
    return visible(_LONG_WORD.sub(lambda word: cut_middle(word[0], LONGEST_WORD), text))


def cut_middle(text: str, most: int) -> str:
    """Cut the middle out of a text that has too many signs; wide signs count twice.

    >>> cut_middle("gradient boosting, 200 trees", 15), cut_middle("spam", 15)
    ('gradien…0 trees', 'spam')
    """
    if len(text) <= most and width_of(text) <= most:
        return text
    front, back, taken, room = iter(text), reversed(text), ["", ""], [0, 0]
    while True:
        side = int(room[0] > room[1])
        sign = next(back if side else front)
        room[side] += width_of(sign)
        if sum(room) > most - 1:
            return f"{taken[0]}…{taken[1]}"
        taken[side] = sign + taken[1] if side else taken[0] + sign


def width_of(text: str) -> int:
    """Count the columns that a text takes on a terminal."""
    return sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text)


def html_table(title: str, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Make a table with a caption, in which all markup is escaped.

    Its own style keeps columns apart in notebooks that have no style for tables, such as marimo.

    >>> html_table("a < b", [], [[1]]).partition("</style>")[2]
    '<caption>a &lt; b</caption><tbody><tr><td>1</td></tr></tbody></table>'
    """
    top = "".join(f"<th>{escape(displayable(str(head)))}</th>" for head in heads)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(_cell_text(x))}</td>' for x in row)}</tr>" for row in rows)
    head = f"<thead><tr>{top}</tr></thead>" if heads else ""
    style = "<style>.edgeworth-table :is(th, td) { padding: .25em .75em; }</style>"
    caption = f"<caption>{escape(displayable(title))}</caption>"
    return f'<table class="edgeworth-table">{style}{caption}{head}<tbody>{lines}</tbody></table>'


def markdown_table(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """Make a table of names and texts in Markdown, under a title; everything in it is text.

    >>> print(markdown_table("a*b", [("value", "0.5")]), end="")
    | a\\*b | |
    |:---|:---|
    | value | 0.5 |
    """
    lines = (f"| {escape_markdown(name)} | {escape_markdown(text)} |\n" for name, text in rows)
    return f"| {escape_markdown(title)} | |\n|:---|:---|\n{''.join(lines)}"


def escape_markdown(text: str) -> str:
    """Escape the signs that Markdown or HTML would read."""
    text = _ENTITY.sub("&amp;", displayable(text))
    for sign in "\\|*_`[]#$~":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("<", "&lt;").replace(">", "&gt;")


def text_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Set a table as lines of text: the first column to the left, the others to the right.

    >>> print(text_table(["", "a"], [["x", 10], ["long", 1234]]))
              a
    x        10
    long  1,234
    """
    lines = [list(map(displayable, heads)), *([_cell_text(cell) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]) for line in lines
    )


def _cell_text(cell: object) -> str:
    if isinstance(cell, float):
        return format_number(cell)
    return f"{cell:,}" if isinstance(cell, int) and not isinstance(cell, bool) else displayable(str(cell))
