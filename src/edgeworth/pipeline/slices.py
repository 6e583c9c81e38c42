"""Slices: a measure, or a difference of systems, in each part of the cases; one way for all kinds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from edgeworth.common.arrays import finite_or_none, plain_values
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import format_level, format_number, plural
from edgeworth.core.multiple_testing import holm
from edgeworth.core.sampling_distributions import NewcombeLaw
from edgeworth.core.test_results import hypergeometric_tails
from edgeworth.errors import EdgeworthError, OptionError
from edgeworth.report.frames import Row, chance_p_value
from edgeworth.report.report import Cell, Grid, Report, Section, make_columns
from edgeworth.report.wording import describe_measure
from edgeworth.sources.batches import Source
from edgeworth.sources.column_roles import names_of
from edgeworth.sources.columns import MISSING, Column, as_column, concatenate, encode
from edgeworth.sources.joining import as_text
from edgeworth.sources.opening import ArraySource

MOST_SLICES, SHOWN, FEW = 1000, 50, 30
"""So many slices of a column are counted, and shown; with fewer cases a slice is called small."""


class Slice(NamedTuple):
    """The cases that have one value in a column: their source, or else their arrays by role."""

    by: str
    name: str
    rows: int
    source: Source | None
    arrays: Mapping[str, Any]


def cut_slices(source: Source | None, given: Mapping[str, Any], by: Any) -> Iterator[Slice]:
    """Cut the rows of a source, read into memory once, or arrays by role, by each value of each column."""
    if source is None:
        named = by if isinstance(by, Mapping) else {"by": by}
        columns = {name: as_column(values, name) for name, values in named.items()}
    else:
        kept = _keep(source, [*names_of(by), *(name for each in given.values() for name in names_of(each))])
        columns = {name: kept[name] for name in names_of(by)}
    for name, column in columns.items():
        coded = encode(column, name)
        if len(coded.labels) > MOST_SLICES:
            raise OptionError(
                f"{name} has {len(coded.labels):,} values, and at most {MOST_SLICES:,} slices are counted: "
                "put them into bins beforehand"
            )
        for code, label in [*enumerate(coded.labels), (MISSING, "(no value)")]:
            rows = np.flatnonzero(coded.codes == code)
            part, arrays = None, {}
            if source is None:
                arrays = {role: _take(values, rows) for role, values in given.items()}
            else:
                part = ArraySource({key: _take(values, rows) for key, values in kept.items()}, source.name)
                part.is_text = source.is_text
            if len(rows):
                yield Slice(name, as_text(label), len(rows), part, arrays)


def _keep(source: Source, names: Sequence[str]) -> dict[str, Column]:
    """Read columns whole; where batches hold different kinds of values, as labels."""
    parts: dict[str, list[Column]] = {name: [] for name in names}
    for batch in source.batches(list(parts)):
        for name, found in parts.items():
            found.append(batch.columns[name])
    for name, found in parts.items():
        if len({x.dtype.kind if isinstance(x, np.ndarray) else "" for x in found}) > 1:
            parts[name] = [encode(x, name) for x in found]
    return {name: found[0] if len(found) == 1 else concatenate(found) for name, found in parts.items()}


def _take(values: Any, rows: Any) -> Any:
    """Take some rows of an array, a series, a frame or a list."""
    if values is None or isinstance(values, (list, tuple)):
        return values and [values[row] for row in rows]
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    return values.take(rows) if hasattr(values, "to_pylist") else values[rows]


def with_slices(
    report: Report,
    slices: Iterable[Slice],
    find: Callable[[Slice], Mapping[Any, Any]],
    measure: str,
    level: float,
    *,
    is_lower_better: bool,
    overall: Estimate | None = None,
    ranked: Sequence[str] = (),
) -> Report:
    """Add a measure in each slice, the weakest first: simultaneous intervals, and p-values by Holm.

    ``find`` gives estimates, or differences by pair of systems; ``overall`` is the estimate of all cases.
    ``ranked`` are compared systems, the best of all cases first: tables show pairs in this order, and their
    weakest slice is the one in which the better system of a pair is the least ahead.
    """
    found = [(part, pair, each) for part in slices for pair, each in _try(find, part).items()]
    of_each = 1 - (1 - level) / max(sum(_why(each) is None for *_, each in found), 1)
    rows = [_row(part, pair, each, of_each) for part, pair, each in found]
    sign = -1 if is_lower_better else 1
    for row, adjusted in zip(rows, holm([row["p_value"] for row in rows]).tolist(), strict=True):
        row["adjusted_p_value"] = adjusted
        if "first" in row:
            row["is_shown"] &= adjusted < round(1 - level, 12) and row["cases"] >= FEW
        elif overall is not None:
            row["is_shown"] = row["cases"] >= FEW and _is_weaker(row, overall, of_each, sign)

    def strength(row: Row) -> float:
        value = _as_ranked(row, ranked)["value"]
        return math.inf if math.isnan(value) else sign * value

    rows.sort(key=strength)
    shown = [_as_ranked(row, ranked) for row in rows]
    text, grid = _describe(rows, measure, overall), _grid(shown, measure, of_each, level)
    numbers = {"measure": measure, "level": level, "level_of_each": of_each, "adjust": "holm"}
    columns = " and ".join(dict.fromkeys(row["by"] for row in rows))
    before, section = report.rows, Section(f"By {columns}", text, (grid,), is_main=True)
    return replace(
        report,
        sections=(*report.sections[:1], section, *report.sections[1:]),
        numbers={**report.numbers, "slices": {**numbers, "slices": plain_values(rows)}},
        rows=lambda: _add_rows(before(), rows, measure, of_each),
    )


def _as_ranked(row: Row, ranked: Sequence[str]) -> Row:
    """Turn the difference of a pair around if the second system is the one of the higher rank."""
    if "first" not in row or ranked.index(row["first"]) < ranked.index(row["second"]):
        return row
    turned = {"first": row["second"], "second": row["first"]}
    return {**row, **turned, "value": -row["value"], "low": -row["high"], "high": -row["low"]}


def _try(find: Callable[[Slice], Mapping[Any, Any]], part: Slice) -> Mapping[Any, Any]:
    try:
        return find(part)
    except EdgeworthError as error:
        return {(): error}


def _why(result: Any) -> str | None:
    """Say why there is no result."""
    return str(result) if isinstance(result, EdgeworthError) else result.undefined


def _row(part: Slice, pair: Any, result: Any, of_each: float) -> dict[str, Any]:
    """Make a row of a slice's estimate, or of the difference of a pair of systems there."""
    row: dict[str, Any] = {"by": part.by, "slice": part.name, "cases": float(part.rows)}
    row |= dict.fromkeys(("value", "low", "high", "p_value"), math.nan)
    row |= {"undefined": _why(result), "is_shown": False, "rows": part.rows}
    if pair:
        row |= {"first": pair[0], "second": pair[1], "better": None}
    if row["undefined"] is not None:
        return row
    law = result.law
    outer = law.outer_interval if isinstance(law, NewcombeLaw) else result.interval
    row["low"], row["high"] = outer(of_each)
    if pair:
        own = {"value": result.difference, "p_value": result.p_value(), "better": result.better}
        return row | own | {"cases": float(result.cases), "is_shown": bool(result.is_shown(of_each))}
    return row | {"cases": float(result.size), "value": result.value, "p_value": chance_p_value(result)}


def _is_weaker(row: Row, overall: Estimate, of_each: float, sign: int) -> bool:
    """Tell whether a slice is weaker than a sample of all cases, drawn without replacement, would be."""
    if math.isnan(row["value"]):
        return False
    counts = row["value"] * row["cases"], overall.value * overall.size
    right, of_all = map(round, counts)
    if overall.measure == "accuracy" and abs(counts[0] - right) + abs(counts[1] - of_all) < 1e-6:
        tail = hypergeometric_tails(round(overall.size), of_all, round(row["cases"]), right)[0]
        return tail <= (1 - of_each) / 2
    others = max(overall.size / row["cases"] - 1, 0.0)
    end, reach = (row["low"], 1) if sign < 0 else (row["high"], 0)
    margin = math.sqrt(others) * abs(overall.value - overall.interval(of_each)[reach])
    is_apart = sign * row["value"] < sign * overall.value - margin
    return bool(is_apart and sign * end < sign * overall.value)


def _describe(rows: Sequence[Row], measure: str, overall: Estimate | None) -> tuple[str, ...]:
    """Say which slices stand apart, weaker than all cases or with a better system, and how many are small."""
    words, groups = describe_measure(measure), dict[str, list[str]]()
    nothing, weaker = f"No slice shows a difference in {words}.", ""
    if overall is not None:
        weaker = f"weaker than all cases ({words} {format_number(overall.value)})"
        nothing = f"No slice is shown to be {weaker}."
    for row in rows:
        if row["is_shown"]:
            start = f"Shown to be {weaker}:"
            if "better" in row:
                worse = row["second"] if row["better"] == row["first"] else row["first"]
                start = f"{row['better']} is better than {worse} in"
            groups.setdefault(start, []).append(_name(row, rows))
    said = [f"{start} {', '.join(names)}." for start, names in groups.items()] or [nothing]
    # Every pair of systems has a row for each slice.
    of_slices = dict.fromkeys((row["by"], row["slice"], row["undefined"]) for row in rows)
    reasons = Counter(why for *_, why in of_slices if why is not None)
    said = [] if all(row["undefined"] is not None for row in rows) else said
    for why, number in reasons.most_common(3):
        said.append(f"{number:,} {plural(number, 'slice has', 'slices have')} no {words}: {why}.")
    small = len({(row["by"], row["slice"]) for row in rows if row["cases"] < FEW})
    if small:
        few, them = plural(small, "slice has", "slices have"), plural(small, "it", "them")
        said.append(f"{small:,} {few} fewer than {FEW} independent cases: nothing is claimed of {them}.")
    return tuple(said)


def _name(row: Row, rows: Sequence[Row]) -> str:
    """Name a slice, with its column where there are several."""
    return str(row["slice"]) if len({x["by"] for x in rows}) == 1 else f"{row['by']} {row['slice']}"


def _grid(rows: Sequence[Row], measure: str, of_each: float, level: float) -> Grid:
    pairs = list(dict.fromkeys((row["first"], row["second"]) for row in rows if "first" in row))
    names = {"system": "first", "other": "second"} if len(pairs) > 1 else {}
    value = describe_measure(measure)
    if pairs:
        value += f", {' − '.join(names or pairs[0])}"
    tests = ("adjusted_p_value",) if pairs else ()
    # Rows of one cluster are one case, and rows of unequal weight tell as much as fewer.
    is_dependent = any(row["cases"] < row["rows"] for row in rows)
    counts = {"rows": "rows", "independent": "cases"} if is_dependent else {"cases": "cases"}
    heads = ["slice/text", *(f"{x}/text" for x in names), *(f"{x}/count" for x in counts), f"{value}/number"]
    heads += [f"{100 * of_each:.4g}% CI/interval", *("Holm p/probability" for _ in tests)]
    shown: list[tuple[Cell, ...]] = []
    for row in rows[:SHOWN]:
        value_cell, low, high, *p_value = (finite_or_none(row[x]) for x in ("value", "low", "high", *tests))
        own = [row.get(name, "") for name in names.values()] + [round(row[x]) for x in counts.values()]
        shown.append((_name(row, rows), *own, value_cell, (low, high), *p_value))
    note = f"weakest first; intervals hold together at about {format_level(level)} (Bonferroni)"
    if tests:
        note += "; p-values adjusted by Holm"
    if len(rows) > SHOWN:
        note += f"; the weakest {SHOWN} of {len(rows):,}, the others are in the JSON"
    return Grid("", make_columns(*heads), tuple(shown), note)


def _add_rows(whole: Sequence[Row], rows: Sequence[Row], measure: str, of_each: float) -> list[Row]:
    """Put the rows of slices below those of all cases."""
    known = {"system": whole[0]["system"] if whole else "", "measure": measure, "level": of_each}
    tests = ({"p": row["p_value"], "p_adjusted": row["adjusted_p_value"]} for row in rows)
    return [*whole, *({**known, **row, **test} for row, test in zip(rows, tests, strict=True))]
