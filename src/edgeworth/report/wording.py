"""Write numbers, probabilities, measures and provenance as reports show them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache

from edgeworth.common.arrays import finite_or_none
from edgeworth.core.estimates import Estimate, Plan
from edgeworth.core.formatting import (
    MIN_P_VALUE_WRITTEN,
    MINUS,
    UNDEFINED,
    displayable,
    format_apart,
    format_belief,
    format_count,
    format_dollars,
    format_interval,
    format_level,
    format_number,
    format_p_value,
    format_percent,
    format_probability,
    format_rounded,
    format_together,
    shorten,
)
from edgeworth.core.measures import Spelling
from edgeworth.core.registry import measure_title
from edgeworth.core.test_results import TestResult
from edgeworth.errors import OptionError
from edgeworth.report.report import AtMost, Cell, ColumnFormat, Grid

_FORMATS: dict[str, Callable[[float], str]] = {
    "count": format_count,
    "percent": lambda value: format_percent(value, 1),
    "dollars": format_dollars,
    "probability": format_probability,
    "belief": format_belief,
}


def format_cell(value: Cell, kind: ColumnFormat) -> str:
    """Write a cell of a table as text.

    >>> format_cell(0.5139, "number"), format_cell((1.277, None), "interval")
    ('0.514', '1.28 or more')
    >>> format_cell("macro_f", "measure")
    'macro F'
    """
    if value is None:
        return UNDEFINED
    if isinstance(value, str):
        # The label of a measure is decoded from JSON here, so what it holds is escaped again, last of all.
        return displayable(describe_measure(value) if kind == "measure" else value)
    if isinstance(value, tuple):
        return format_interval(*value)
    if isinstance(value, AtMost):
        return _format_at_most(value)
    if kind == "count" and isinstance(value, int):
        return f"{value:,}"
    return _FORMATS.get(kind, format_number)(value)


def format_rows(grid: Grid, most: int | None = None) -> list[list[str]]:
    """Write the cells of a table as text; ``most`` limits the number of rows.

    A number and its interval get enough digits to distinguish the number from both ends.
    """
    kinds = [column.kind for column in grid.columns]
    texts = []
    for row in grid.rows[:most]:
        cells = [format_cell(cell, kind) for cell, kind in zip(row, kinds, strict=True)]
        for index, bounds in enumerate(row[1:], start=1):
            value = row[index - 1]
            if isinstance(bounds, tuple) and kinds[index - 1] == "number" and isinstance(value, float):
                cells[index - 1 : index + 1] = _format_beside(value, *bounds)
        texts.append(cells)
    return texts


def _format_beside(value: float, low: float | None, high: float | None) -> tuple[str, str]:
    """Write a number and its interval for two cells side by side."""
    if low is None and high is None:
        return format_number(value), UNDEFINED
    own, *ends = format_apart(value, *(end for end in (low, high) if end is not None))
    if len(ends) == 2:
        return own, " to ".join(ends)
    return own, f"{ends[0]} or {'less' if low is None else 'more'}"


def describe_odds(tail: TestResult) -> str:
    """Write a p-value as "1 in N" or in percent; a bound is marked as one.

    >>> [describe_odds(TestResult.from_probability(p)) for p in (1 / 1520, 0.47, 1e-12)]
    ['1 in 1,500', '47%', 'less than 1 in a million']
    >>> describe_odds(TestResult.from_draws(0, 10_000, 0))
    'at most 1 in 10,000'
    """
    probability = tail.p_value
    if probability < MIN_P_VALUE_WRITTEN:
        return "less than 1 in a million"
    at_most = "at most " if isinstance(p_value_cell(tail), AtMost) else ""
    odds = format_percent(probability) if probability >= 0.1 else f"1 in {format_rounded(1 / probability)}"
    return f"{at_most}{odds}"


def describe_plan(plan: Plan, units: str, what: str) -> str:
    """Write how many cases are needed to detect an effect of the observed size.

    >>> describe_plan(Plan(100, 834.2, 0.8, 0.95), "cases", "a difference")
    'Confirming a difference of this size needs about 830 cases (100 now; 80% power).'
    """
    now = f"{format_count(plan.cases)} now; {format_percent(plan.power)} power"
    return f"Confirming {what} of this size needs about {format_rounded(plan.needed)} {units} ({now})."


def describe_estimate(estimate: Estimate, level: float) -> str:
    """Write a value with its interval: 0.22 (95% CI 0.09 to 0.35)."""
    if estimate.law is None:
        return f"{format_number(estimate.value)} (no interval: {estimate.no_interval})"
    low, high = estimate.interval(level)
    value, *ends = format_together(estimate.value, low, high)
    caveat = "" if estimate.caveat is None else f", but {estimate.caveat}"
    return f"{value} ({format_level(level)} CI {ends[0]} to {ends[1]}{caveat})"


def describe_probability(tail: TestResult) -> str:
    """Write a probability: never as 0, and with "below" if it is tiny or only a bound is known."""
    if tail.exact == 0:
        return "0, because it is impossible"
    text = format_probability(tail.p_value)
    if text[0] in "<>":
        return f"{'below' if text[0] == '<' else 'above'} {text[2:]}"
    if isinstance(p_value_cell(tail), AtMost):
        return f"at most {text}"
    return text if tail.kind in ("exact", "bracket") else f"about {text}"


def format_like(estimate: Estimate, level: float, *values: float) -> list[str]:
    """Write values with as many decimals as the estimate beside them; numbers below 10 have two or more."""
    decimals = describe_estimate(estimate, level).partition(" ")[0].partition(".")[2]
    if not decimals.isdigit():
        return list(map(format_number, values))
    texts = []
    for value in values:
        places = len(decimals) if abs(value) >= 10 else max(len(decimals), 2)
        text = f"{value:,.{places}f}".replace("-", MINUS)
        # A value that is not 0 does not look like it.
        texts.append(text if text.strip(f"{MINUS}0.") or not value else format_number(value))
    return texts


_KINDS = {
    "exact": ", exact",
    "bracket": ", exact",
    "drawn": ", simulated",
    "approximation": ", approximate",
    "bound": "",
}
"""How a p-value is known; ≤ and < already mark a bound."""


def describe_test(tail: TestResult) -> str:
    """Write a p-value and how it is known.

    >>> describe_test(TestResult.from_probability(0.0007)), describe_test(TestResult.from_bound(2.8e-8))
    ('p = 0.00070, exact', 'p < 1e-6')
    """
    return f"{describe_p_value(tail)}{_KINDS[tail.kind]}"


def interval_cell(bounds: Iterable[float]) -> tuple[float | None, float | None]:
    """Make a cell of bounds; an infinite or unknown bound is open."""
    low, high = map(finite_or_none, bounds)
    return low, high


def p_value_cell(tail: TestResult) -> float:
    """Make a cell of a p-value: a bound, or the smallest value that the draws allow, is marked as such.

    >>> tails = TestResult.from_draws(0, 10_000, 0), TestResult.from_bound(0.02)
    >>> [format_cell(p_value_cell(tail), "probability") for tail in tails]
    ['≤ 1e-4', '≤ 0.020']
    """
    is_bound = tail.kind == "bound" or (tail.kind == "drawn" and tail.low == 0)
    return AtMost(tail.p_value) if is_bound else tail.p_value


def describe_p_value(tail: TestResult) -> str:
    """Write a p-value with =, ≤ or, if it is tiny, <.

    >>> describe_p_value(TestResult.from_draws(0, 10_000, 0))
    'p ≤ 1e-4'
    >>> [describe_p_value(TestResult.from_probability(p)) for p in (0.012, 1e-30)]
    ['p = 0.012', 'p < 1e-6']
    """
    cell = p_value_cell(tail)
    is_bound = isinstance(cell, AtMost) and cell >= MIN_P_VALUE_WRITTEN
    return f"p {_format_at_most(cell)}" if is_bound else format_p_value(cell)


def _format_at_most(value: float) -> str:
    """Write an upper bound with ≤; a tiny one has < already."""
    text = format_probability(value)
    return text if text[0] in "<>" else f"≤ {text}"


MIN_CASES_TO_SUSPECT = 10
"""With fewer cases, identical answers are no reason for a warning."""


def describe_constant(name: str, value: str) -> str:
    """Warn about a column that has one value.

    >>> describe_constant("prediction", "spam")
    'prediction is spam in every case, so it cannot distinguish cases. Is this the right column?'
    """
    return f"{name} is {value} in every case, so it cannot distinguish cases. Is this the right column?"


@cache
def describe_measure(measure: str) -> str:
    """Return a measure's title from the catalogue, with its options except the tie rule.

    >>> describe_measure("average_precision(ties=trec)"), describe_measure("f[1](alpha=0.3)")
    ('average precision', 'F[1](alpha=0.3)')
    """
    try:
        spelling = Spelling.parse(measure)
    except OptionError:
        return measure
    label = "" if spelling.label is None else f"[{shorten(str(spelling.label), 30)}]"
    depth = "" if spelling.depth is None else f"@{spelling.depth}"
    options = ", ".join(f"{key}={value}" for key, value in spelling.options.items() if key != "ties")
    return f"{measure_title(spelling.name)}{label}{depth}{f'({options})' if options else ''}"


def list_measures(measures: Iterable[str]) -> str:
    """Join the titles of measures by "or"; a measure of several labels is named once.

    >>> list_measures(["recall[a]", "recall[b]", "accuracy"])
    'recall[a, b] or accuracy'
    """
    by_name: dict[str, list[str]] = {}
    for measure in measures:
        words = describe_measure(measure)
        name, bracket, label = words.partition("[")
        is_plain = bracket and label.endswith("]")
        by_name.setdefault(name if is_plain else words, []).extend([label[:-1]] if is_plain else [])
    named = (f"{name}[{', '.join(labels)}]" if labels else name for name, labels in by_name.items())
    return " or ".join(named).replace(f" {MINUS} ", " minus ")


def group_titles(titles: Sequence[str]) -> str:
    """List titles of sections, those of one part or of several like parts in brackets after its name.

    >>> group_titles(["Tests", "a: Tests", "a: Costs", "b: Tests", "b: Costs"])
    'Tests, a and b (Tests, Costs)'
    """
    alone: list[str] = []
    parts: dict[str, list[str]] = {}
    for title in titles:
        part, colon, rest = title.partition(": ")
        if colon:
            parts.setdefault(part, []).append(rest)
        else:
            alone.append(title)
    alike: dict[str, list[str]] = {}
    for part, inner_titles in parts.items():
        alike.setdefault(group_titles(inner_titles), []).append(part)
    return ", ".join([*alone, *(f"{enumerate_names(names)} ({inside})" for inside, names in alike.items())])


def enumerate_names(names: Sequence[str]) -> str:
    """Join names by commas and "and".

    >>> enumerate_names(["a"]), enumerate_names(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


_NOTICE = re.compile(r"(?:[^.:]+: )?(?:Took '|Assumed: |Note: )")


def is_notice(warning: str) -> bool:
    """Return whether a sentence only states how the data were read, so that it is no warning.

    >>> is_notice("Took 'label' as truth."), is_notice("12 rows were dropped.")
    (True, False)
    """
    return _NOTICE.match(warning) is not None


def format_option(value: object) -> str:
    """Write an option or a fact for the line of provenance.

    >>> format_option(10.0), format_option(["a", "b"]), format_option(False), format_option(373.42099999)
    ('10', 'a, b', 'no', '373.421')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}".replace("-", MINUS)
    if isinstance(value, list | tuple):
        return ", ".join(map(format_option, value))
    return f"{value:,}" if isinstance(value, int) and value >= 10_000 else str(value)


def describe_provenance(provenance: Mapping[str, object], without: Iterable[str] = ()) -> str:
    """Write the provenance of a report in one line.

    >>> describe_provenance({"source": "x.csv", "predictions_made": "before", "weight": None})
    'source x.csv · predictions made before'
    """
    return " · ".join(f"{name} {text}" for name, text in list_provenance(provenance, without))


def list_provenance(provenance: Mapping[str, object], without: Iterable[str] = ()) -> list[tuple[str, str]]:
    """Return the name and the text of each fact of the provenance that is not empty."""
    left_out = set(without)
    return [
        (name.replace("_", " "), format_option(value))
        for name, value in provenance.items()
        if name not in left_out and value not in (None, "", [], ())
    ]
