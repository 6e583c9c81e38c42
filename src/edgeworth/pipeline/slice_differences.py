"""Differences between systems in each slice."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar

from edgeworth.common.arrays import finite_or_none
from edgeworth.common.escaping import visible
from edgeworth.common.json_types import JsonObject
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import Pair
from edgeworth.core.formatting import plural
from edgeworth.core.multiple_testing import holm
from edgeworth.core.sampling_distributions import is_significant, outer_interval
from edgeworth.core.slice_gaps import Units
from edgeworth.errors import EdgeworthError
from edgeworth.pipeline.slices import (
    MAX_REASONS_FOR_NO_VALUE,
    MAX_SLICES_NAMED,
    MAX_SLICES_SHOWN,
    Slice,
    add_section,
    describe_too_few,
    format_slice_level,
    name_slice,
    name_units,
)
from edgeworth.report.report import Cell, Grid, Report, Section, make_columns
from edgeworth.report.verdict import Claim, Strength
from edgeworth.report.wording import describe_measure

PartT = TypeVar("PartT")
PairDifferences: TypeAlias = Mapping[Pair, Difference | EdgeworthError]
"""The difference between each pair of systems in one slice, or the error that explains why there is none."""


@dataclass(frozen=True)
class DifferenceRow:
    """The difference between two systems in one slice, with bounds and a p-value that hold together."""

    by: str
    slice: str
    cases: float
    value: float
    low: float
    high: float
    p_value: float
    undefined: str | None
    rows: int
    no_claim: str | None
    first: str
    second: str
    better: str | None
    measure: str
    caveat: str | None = None
    """What the reader of the interval and the p-value must know."""
    adjusted_p_value: float = math.nan
    is_shown: bool = False

    @property
    def remark(self) -> str:
        """Explain in the row why no winner is named, or what to know before reading it."""
        return f"no winner: {self.no_claim}" if self.no_claim is not None else self.caveat or ""

    def mirror(self) -> DifferenceRow:
        """Return the second system minus the first."""
        return replace(
            self, first=self.second, second=self.first, value=-self.value, low=-self.high, high=-self.low
        )

    def to_dict(self) -> JsonObject:
        """Return the values for JSON and frames."""
        return dict(vars(self))


def with_differences(
    report: Report,
    slices: Iterable[Slice[PartT]],
    find: Callable[[Slice[PartT]], PairDifferences],
    measure: str,
    level: float,
    *,
    is_lower_better: bool,
    are_clustered: bool,
    ranked: Sequence[str] = (),
) -> Report:
    """Add the differences between systems in each slice: simultaneous intervals, and p-values by Holm.

    ``find`` returns differences by pair of systems. ``ranked`` are the systems, the best on all cases first:
    tables show pairs in this order, and the weakest slice is the one in which the better system of a pair is
    the least ahead.
    """
    differences = [(part, pair, result) for part in slices for pair, result in find(part).items()]
    level_of_each = 1 - (1 - level) / max(sum(_why_undefined(x) is None for *_, x in differences), 1)
    rows = [
        _difference_row(part, pair, result, measure, level_of_each, are_clustered=are_clustered)
        for part, pair, result in differences
    ]
    adjusted = holm([row.p_value for row in rows]).tolist()
    rows = [
        replace(
            row,
            adjusted_p_value=p,
            is_shown=row.is_shown and is_significant(p, level) and row.no_claim is None,
        )
        for row, p in zip(rows, adjusted, strict=True)
    ]

    def strength(row: DifferenceRow) -> float:
        value = _as_ranked(row, ranked).value
        return math.inf if math.isnan(value) else -value if is_lower_better else value

    rows.sort(key=strength)
    in_order = [_as_ranked(row, ranked) for row in rows]
    sentence, notes = _describe_differences(rows, measure)
    grid = _difference_grid(in_order, measure, level_of_each, are_clustered=are_clustered)
    numbers = {"measure": measure, "level": level, "level_of_each": level_of_each, "adjust": "holm"}
    columns = ", ".join(dict.fromkeys(row.by for row in rows))
    section = Section(f"By {columns}", notes, (grid,), is_main=True)
    strength_of_claim: Strength = "shown" if any(row.is_shown for row in rows) else "not shown"
    claim = Claim("slices", visible(sentence), strength_of_claim)
    remarks = [row.remark for row in rows]
    return add_section(report, section, [row.to_dict() for row in rows], remarks, numbers, claim)


def _as_ranked(row: DifferenceRow, ranked: Sequence[str]) -> DifferenceRow:
    """Turn the difference of a pair around if the second system has the higher rank."""
    return row if ranked.index(row.first) < ranked.index(row.second) else row.mirror()


def _why_undefined(result: Difference | EdgeworthError) -> str | None:
    """Return why there is no difference, or None if there is one."""
    return str(result) if isinstance(result, EdgeworthError) else result.undefined


def _difference_row(
    part: Slice[object],
    pair: Pair,
    result: Difference | EdgeworthError,
    measure: str,
    level_of_each: float,
    *,
    are_clustered: bool,
) -> DifferenceRow:
    """Make the row of the difference of a pair of systems in a slice."""
    row = DifferenceRow(
        part.by,
        part.name,
        float(part.rows),
        *(math.nan, math.nan, math.nan, math.nan),
        undefined=_why_undefined(result),
        rows=part.rows,
        no_claim=None,
        first=pair[0],
        second=pair[1],
        better=None,
        measure=measure,
    )
    if isinstance(result, EdgeworthError) or result.undefined is not None:
        return row
    low, high = outer_interval(result.law, level_of_each)
    units = Units(float(result.cases), are_clusters=are_clustered)
    return replace(
        row,
        cases=units.number,
        value=result.difference,
        low=low,
        high=high,
        p_value=result.p_value(),
        no_claim=describe_too_few(units) or result.describe_no_winner(),
        caveat=result.caveat,
        better=result.better,
        is_shown=bool(result.is_shown(level_of_each)),
    )


def _describe_differences(rows: Sequence[DifferenceRow], measure: str) -> tuple[str, tuple[str, ...]]:
    """Write which system is better in which slices, in one sentence, and notes on the others."""
    words, groups = describe_measure(measure), dict[str, list[str]]()
    columns = " and ".join(dict.fromkeys(row.by for row in rows))
    for row in rows:
        if row.is_shown:
            worse = row.second if row.better == row.first else row.first
            start = f"{row.better} beats {worse} in"
            groups.setdefault(start, []).append(_name(row, rows))
    parts = []
    for start, names in groups.items():
        more = len(names) - MAX_SLICES_NAMED
        listed = [*names[:MAX_SLICES_NAMED], f"{more} more"] if more > 0 else names
        parts.append(f"{start} {' and '.join(filter(None, (', '.join(listed[:-1]), listed[-1])))}")
    is_any_claimed = any(row.no_claim is None and row.undefined is None for row in rows)
    no_difference = f"the two systems are not shown to differ in any slice ({words})"
    if len({name for row in rows for name in (row.first, row.second)}) > 2:
        no_difference = f"no two systems are shown to differ in any slice ({words})"
    shown = no_difference if is_any_claimed else "no winner is named in any slice"
    sentence = f"By {columns}, {'; '.join(parts) or shown}."
    # Every pair of systems has a row for each slice.
    slices = dict.fromkeys((row.by, row.slice, row.undefined) for row in rows)
    reasons = Counter(reason for *_, reason in slices if reason is not None)
    notes = []
    for reason, number in reasons.most_common(MAX_REASONS_FOR_NO_VALUE):
        notes.append(f"{number:,} {plural(number, 'slice has', 'slices have')} no {words}: {reason}.")
    return sentence, tuple(notes)


def _name(row: DifferenceRow, rows: Sequence[DifferenceRow]) -> str:
    return name_slice(row.by, row.slice, (other.by for other in rows))


def _difference_grid(
    rows: Sequence[DifferenceRow], measure: str, level_of_each: float, *, are_clustered: bool
) -> Grid:
    pairs = list(dict.fromkeys((row.first, row.second) for row in rows))
    has_several_pairs = len(pairs) > 1
    names = ("system", "other") if has_several_pairs else ()
    value = describe_measure(measure)
    if pairs:
        value += f", {' − '.join(names or pairs[0])}"
    # Rows of one cluster are one case, and rows of unequal weight carry the information of fewer cases.
    is_dependent = any(row.cases < row.rows for row in rows)
    counts = ("rows", name_units(are_clusters=are_clustered)) if is_dependent else ("cases",)
    heads = ["slice/text", *(f"{x}/text" for x in names), *(f"{x}/count" for x in counts), f"{value}/number"]
    heads += [f"{format_slice_level(level_of_each)} CI/interval", "Holm p/probability"]
    has_remarks = any(row.remark for row in rows[:MAX_SLICES_SHOWN])
    heads += ["caveat/text"] if has_remarks else []
    cells: list[tuple[Cell, ...]] = []
    for row in rows[:MAX_SLICES_SHOWN]:
        numbers = (row.value, row.low, row.high, row.adjusted_p_value)
        value_cell, low, high, p_value = map(finite_or_none, numbers)
        systems = (row.first, row.second) if has_several_pairs else ()
        sizes = (row.rows, round(row.cases)) if is_dependent else (round(row.cases),)
        remark = (row.remark,) if has_remarks else ()
        cells.append((_name(row, rows), *systems, *sizes, value_cell, (low, high), p_value, *remark))
    note = "lowest difference first; intervals adjusted by Bonferroni, p-values by Holm"
    if len(rows) > MAX_SLICES_SHOWN:
        note += f"; the weakest {MAX_SLICES_SHOWN} of {len(rows):,}, the others are in the JSON"
    return Grid("", make_columns(*heads), tuple(cells), note)
