"""Report what changed between two JSON reports, and whether it is more than noise."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import scipy.special
from msgspec import UNSET
from msgspec.structs import asdict

from edgeworth.common.arrays import finite_or_none, plain_values
from edgeworth.common.json_types import JsonValue
from edgeworth.core.amounts import format_difference, format_levels
from edgeworth.core.estimates import Interval
from edgeworth.core.formatting import format_p_value, plural
from edgeworth.core.multiple_testing import holm
from edgeworth.core.policy import (
    MIN_ITEMS_WITHOUT_RANGE,
    UNSEEN_ITEMS_TO_SURVIVE,
    WORST_ITEMS_TO_SURVIVE,
)
from edgeworth.core.registry import find_by_name
from edgeworth.core.sampling_distributions import is_significant
from edgeworth.errors import InputError
from edgeworth.report.report import Cell, Grid, Report, Section, make_columns, make_provenance
from edgeworth.report.report_file import LEVEL, MAX_NUMBER, ExtremesRecord, ReportFile, ReportRecord
from edgeworth.report.verdict import Claim, Verdict
from edgeworth.report.wording import describe_measure

MAX_CHANGES_NAMED = 3
"""The most changes that the verdict names; the table has all."""

SKIPPED = (
    "sections",
    "charts",
    "claims",
    "pairs",
    "leader",
    "error_rates",
    "provenance",
    "by_task",
    "best_cut",
)
"""Parts of a report that repeat values, hold no values of measures, or hold values at a threshold chosen from
the data: their intervals take the threshold as given, so a new threshold would look like a change."""


PAIRED_COMMAND = "edgeworth compare"
"""The command that pairs the cases of two systems."""

SAME_DATA = ("digest", "truth", "prediction", "score", "probabilities", "correct", "grade")
"""What two reports on the same data have in common."""


class Key(NamedTuple):
    """What a value is about: a system, a slice (or the requirement of a gate), and a measure."""

    system: str
    part: str
    measure: str


class Value(NamedTuple):
    """A value and its interval, with the level of the interval."""

    value: float
    low: float
    high: float
    level: float
    cases: float = math.nan
    """The number of independent items or clusters, if the report has one beside the value."""


class Extremes(NamedTuple):
    """How far the grades of a report lie apart, and how far they may."""

    units: float = math.nan
    unit: str = "items"
    reach: float = math.inf
    """How far apart two grades may be; infinite without a known range."""
    below: float = 0.0
    above: float = 0.0
    """How far the most extreme item or cluster lies below the mean, and above it."""


class Change(NamedTuple):
    """How a value changed, with an interval and a p-value."""

    key: Key
    old: Value
    new: Value
    low: float
    high: float
    p_value: float
    pairs: int = 0
    """On how many items or queries both reports are paired; 0 for independent samples."""
    no_claim: str | None = None
    """Why nothing is claimed, also if test and interval show a change."""

    @property
    def difference(self) -> float:
        """The new value minus the old one."""
        return self.new.value - self.old.value


def diff_reports(old: str | Path, new: str | Path) -> Report:
    """Report what changed from one JSON report to another."""
    first, second = ReportFile(old), ReportFile(new)
    records = first.record, second.record
    kinds = [record.kind or record.schema for record in records]
    if kinds[0] != kinds[1]:
        raise InputError(
            f"the reports are of different kinds: {old} is {kinds[0]!r} and {new} is {kinds[1]!r}"
        )
    before, after = dict(_values(first)), dict(_values(second))
    are_clustered = [any(part.is_clustered for part in record.parts.values()) for record in records]
    units = [{} if any(are_clustered) else _unit_values(record) for record in records]
    extremes = [_extremes(record) for record in records]
    changes = [
        _compare_reports(key, before[key], after[key], (units[0], units[1]), (extremes[0], extremes[1]))
        for key in before
        if key in after
    ]
    if are_clustered[0] != are_clustered[1]:
        reason = "only one report allows for clusters (use --cluster in both)"
        changes = [change._replace(no_claim=reason) for change in changes]
    if not changes:
        raise InputError(f"{old} and {new} have no measure with an interval in common")
    is_same = _are_same_data(*(record.provenance or {} for record in records))
    adjusted = holm([change.p_value for change in changes]).tolist()
    clear = [
        not is_same and is_significant(p_value, LEVEL) and not change.low <= 0 <= change.high
        for change, p_value in zip(changes, adjusted, strict=True)
    ]
    withheld = [
        change for change, is_clear in zip(changes, clear, strict=True) if is_clear and change.no_claim
    ]
    shown = [is_clear and not change.no_claim for change, is_clear in zip(changes, clear, strict=True)]
    lists = _list_differences(before, after)
    claims = [
        *_claims(changes, adjusted, shown, is_same),
        *_withheld_claims(withheld),
        *(Claim("coverage", text) for text in lists.values()),
    ]
    outcomes = [record.outcome for record in records if record.outcome is not None]
    if len(outcomes) == 2:
        claims.insert(0, Claim("outcome", f"The gate's outcome was {outcomes[0]} and is {outcomes[1]}."))
    return Report(
        verdict=Verdict(claims),
        sections=(_section(changes, adjusted, shown, is_same, are_clustered=any(are_clustered)),),
        warnings=(),
        provenance=make_provenance(source=f"{old}, {new}", level=LEVEL),
        numbers={
            "kind": "changes",
            "is_same_data": is_same,
            "changes": [
                plain_values(
                    {
                        **change.key._asdict(),
                        "old": change.old.value,
                        "new": change.new.value,
                        "difference": change.difference,
                        "low": change.low,
                        "high": change.high,
                        "p_value": change.p_value,
                        "adjusted_p_value": p_value,
                        "is_shown": is_shown,
                        "pairs": change.pairs or None,
                        "no_claim": change.no_claim,
                    }
                )
                for change, p_value, is_shown in zip(changes, adjusted, shown, strict=True)
            ],
            "gone": [key._asdict() for key in before if key not in after],
            "added": [key._asdict() for key in after if key not in before],
        },
    )


def _are_same_data(old: Mapping[str, JsonValue], new: Mapping[str, JsonValue]) -> bool:
    """Return whether both reports were made from the same columns of the same file."""
    return old.get("digest") is not None and all(old.get(name) == new.get(name) for name in SAME_DATA)


def _values(report: ReportFile) -> Iterator[tuple[Key, Value]]:
    """Find every value that has an interval, by system, slice and measure."""
    comparison = report.record.comparison
    if comparison is not None:
        for system, bounds in (comparison.intervals or {}).items():
            level = (comparison.values or {}).get(system, {}).get(comparison.headline)
            if level is not None and bounds.low is not None and bounds.high is not None:
                cases = math.nan if comparison.cases is None else comparison.cases
                known = Value(level, bounds.low, bounds.high, comparison.level, cases)
                yield Key(system, "", comparison.headline), known
    for system in report.record.reports or {}:
        for key, value in _walk(report.tree["reports"][system], LEVEL):
            yield key._replace(system=system), value
    rest = {name: part for name, part in report.tree.items() if name not in ("comparison", "reports")}
    yield from _walk(rest, LEVEL)


def _walk(part: JsonValue, level: float) -> Iterator[tuple[Key, Value]]:
    """Find estimates, slices and requirements in a report on one system."""
    if isinstance(part, Mapping):
        levels = (_number(part.get(name)) for name in ("level_of_each", "level"))
        level = next((known for known in levels if 0 < known < 1), level)
        measure = part.get("measure")
        # Differences between two systems in a slice are no values of one system.
        if isinstance(measure, str) and "first" not in part:
            value = _value(part, level)
            if value is not None:
                slice_name = f"{part.get('by', '')} {part['slice']}" if "slice" in part else ""
                where = str(part.get("requirement") or slice_name)
                if part.get("part"):
                    where = f"{where} [{part['part']}]"
                yield Key("", where, measure), value
        for name, inner in part.items():
            if name not in SKIPPED:
                yield from _walk(inner, level)
    elif isinstance(part, list):
        for inner in part:
            yield from _walk(inner, level)


def _value(part: Mapping[str, JsonValue], level: float) -> Value | None:
    """Read a value with its interval; None if it has none."""
    value, low, high = (
        _number(x) for x in (part.get("quantity", part.get("value")), part.get("low"), part.get("high"))
    )
    if any(map(math.isnan, (value, low, high))):
        return None
    return Value(value, low, high, level, _number(part.get("cases")))


def _number(value: JsonValue) -> float:
    """Return a number of a report; nan if it is unknown, or none that a report can have."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= MAX_NUMBER:
        return math.nan
    return float(value)


def _compare(key: Key, old: Value, new: Value) -> Change:
    """Compare two values as independent samples, by squaring and adding the sides of their intervals.

    This is Newcombe's method for any two intervals (Zou & Donner 2008, Statistics in Medicine 27, 1693–1702).
    """
    change = new.value - old.value
    down = math.hypot(_side(new, new.value - new.low), _side(old, old.high - old.value))
    up = math.hypot(_side(new, new.high - new.value), _side(old, old.value - old.low))
    z = float(scipy.special.ndtri((1 + LEVEL) / 2))
    error = down if change > 0 else up
    if change == 0:
        p_value = 1.0
    elif error > 0:
        p_value = 2 * float(scipy.special.ndtr(-abs(change) / error))
    else:
        p_value = math.nan
    return Change(key, old, new, change - z * down, change + z * up, p_value)


def _extremes(report: ReportRecord) -> dict[str, Extremes | None]:
    """Find how far grades may lie apart, by system; None for right or wrong answers."""
    return {
        system: None if part.extremes is None else _known_extremes(part.extremes)
        for system, part in report.parts.items()
        if part.extremes is not UNSET
    }


def _known_extremes(record: ExtremesRecord) -> Extremes:
    """Leave out what is unknown."""
    return Extremes(**{name: value for name, value in asdict(record).items() if value is not None})


def _unit_values(report: ReportRecord) -> dict[Key, dict[str, float]]:
    """Find the values of single queries or items, by system and measure."""
    values: dict[Key, dict[str, float]] = {}
    for system, part in report.parts.items():
        for query, measures in (part.queries if isinstance(part.queries, dict) else {}).items():
            for measure, value in (measures if isinstance(measures, dict) else {}).items():
                if math.isfinite(number := _number(value)):
                    values.setdefault(Key(system, "", measure), {})[query] = number
        if part.item_grades and part.estimates:
            grades = {item: grade for item, grade in part.item_grades.items() if grade is not None}
            values[Key(system, "", next(iter(part.estimates)))] = grades
    return values


def _compare_reports(
    key: Key,
    old: Value,
    new: Value,
    units: tuple[Mapping[Key, Mapping[str, float]], Mapping[Key, Mapping[str, float]]],
    extremes: tuple[Mapping[str, Extremes | None], Mapping[str, Extremes | None]],
) -> Change:
    """Pair single items if both reports hold the same ones; otherwise compare independent samples."""
    before, after = (side.get(key, {}) for side in units)
    change, differences = _compare(key, old, new), []
    if len(before) >= 2 and before.keys() == after.keys():
        differences = [after[unit] - before[unit] for unit in before]
        low, high, p_value = _paired_test(differences)
        if not math.isnan(low):
            change = Change(key, old, new, low, high, p_value, len(differences))
    sides = [side.get(key.system, Extremes()) for side in extremes]
    known = [side for side in sides if side is not None]
    entry = find_by_name(key.measure) if known else None
    if entry is None or not entry.is_mean_of_grades:
        return change
    return change._replace(no_claim=_rare_grades(change, differences, known[0], known[-1]))


def _rare_grades(change: Change, differences: Sequence[float], old: Extremes, new: Extremes) -> str | None:
    """Return why grades that a sample lacks could reverse a change of the mean, or None.

    These are the rules by which ``compare`` names no winner, and by which a slice differs from the rest.
    """
    units = min(
        side.units if math.isnan(value.cases) else value.cases
        for side, value in ((old, change.old), (new, change.new))
    )
    size, reach = abs(change.difference), max(old.reach, new.reach)
    if math.isfinite(reach):
        number, shift, which = UNSEEN_ITEMS_TO_SURVIVE, reach, "at the other end of the range"
    elif not units >= MIN_ITEMS_WITHOUT_RANGE:
        known = "so few" if math.isnan(units) else f"{units:,.0f}"
        return f"a rare large value could reverse a change of the mean of {known} {old.unit}"
    elif differences:
        sign = math.copysign(1.0, change.difference)
        number, which = WORST_ITEMS_TO_SURVIVE, "like the worst one"
        shift = max(-sign * x for x in differences)
    else:
        lower, higher = (old, new) if change.difference > 0 else (new, old)
        gain, loss = max(lower.above, higher.above + size), max(higher.below, lower.below + size)
        number, shift, which = UNSEEN_ITEMS_TO_SURVIVE, max(gain, loss), "like the most extreme one"
    if size > number * shift / units:
        return None
    return f"{number} more {old.unit} {which} would reverse this"


def _paired_test(differences: Sequence[float]) -> tuple[float, float, float]:
    """Compute Student's interval and p-value of a mean; right or wrong answers have McNemar's exact p-value.

    >>> [round(number, 4) for number in _paired_test([0.1, 0.3, 0.2, 0.4])]
    [0.0446, 0.4554, 0.0305]
    """
    number = len(differences)
    mean = math.fsum(differences) / number
    variance = math.fsum((x - mean) ** 2 for x in differences) / (number - 1)
    error = math.sqrt(variance / number)
    if error == 0:
        return (0.0, 0.0, 1.0) if mean == 0 else (math.nan, math.nan, math.nan)
    reach = float(scipy.special.stdtrit(number - 1, (1 + LEVEL) / 2)) * error
    p_value = 2 * float(scipy.special.stdtr(number - 1, -abs(mean) / error))
    if set(differences) <= {-1, 0, 1}:
        gains, losses = (sum(x == sign for x in differences) for sign in (1, -1))
        p_value = min(1.0, 2 * float(scipy.special.bdtr(min(gains, losses), gains + losses, 0.5)))
    return mean - reach, mean + reach, p_value


def _side(value: Value, width: float) -> float:
    """Turn one side of an interval into a standard error."""
    return max(width, 0.0) / float(scipy.special.ndtri((1 + value.level) / 2))


def _list_differences(before: Mapping[Key, Value], after: Mapping[Key, Value]) -> dict[str, str]:
    """Write which systems, slices and measures were removed or added."""
    sentences = {}
    for column, noun in (("system", "system"), ("part", "slice or requirement"), ("measure", "measure")):
        old, new = ({getattr(key, column): None for key in keys} for keys in (before, after))
        for word, names in (
            ("Gone", [x for x in old if x not in new]),
            ("New", [x for x in new if x not in old]),
        ):
            if names:
                more = f" and {len(names) - 5} more" if len(names) > 5 else ""
                sentences[f"{word} {noun}"] = f"{word} {noun}: {', '.join(names[:5])}{more}."
    return sentences


def _claims(changes: list[Change], adjusted: list[float], shown: list[bool], is_same: bool) -> list[Claim]:
    """Write what changed, and whether it is more than noise."""
    moved = sum(change.difference != 0 for change in changes)
    counted = f"{len(changes)} {plural(len(changes), 'value')}"
    if is_same:
        cause = "" if not moved else " They come from other options or another version, not from new data."
        verb = plural(moved, "differs", "differ")
        return [Claim("changes", f"Both reports are on the same data. {moved} of {counted} {verb}.{cause}")]
    clear = [change for change, is_shown in zip(changes, shown, strict=True) if is_shown]
    if not clear:
        text = f"No change is more than noise ({counted} compared)."
        if not changes[0].no_claim:
            leading = f"{_describe(changes[0])[:-1]}; Holm {format_p_value(adjusted[0])})"
            text = f"{text[:-1]}: {leading}."
        return [Claim("changes", text, "not shown")]
    clear.sort(key=lambda change: change.p_value)
    named = "; ".join(map(_describe, clear[:MAX_CHANGES_NAMED]))
    text = f"{len(clear)} of {counted} changed by more than noise: {named}."
    return [Claim("changes", text, "shown")]


def _withheld_claims(withheld: list[Change]) -> list[Claim]:
    """Write why some changes are not claimed, though test and interval show them."""
    by_reason: dict[str, list[Change]] = {}
    for change in withheld:
        by_reason.setdefault(str(change.no_claim), []).append(change)
    claims = []
    for reason, changes in by_reason.items():
        more = f" and {len(changes) - 1} more" if len(changes) > 1 else ""
        text = f"Nothing is claimed about this change: {_describe(changes[0])}{more}. The reason: {reason}."
        claims.append(Claim("no claim", text, "not shown"))
    return claims


def _describe(change: Change) -> str:
    names = [name for name in (change.key.system, change.key.part) if name]
    where = f" of {', '.join(names)}" if names else ""
    measure, size = change.key.measure, change.difference
    value, low, high = format_difference(measure, size, Interval(change.low, change.high))
    old, new = format_levels(measure, change.old.value, change.new.value)
    return f"{describe_measure(measure)}{where} went from {old} to {new}, {value} (95% CI {low} to {high})"


def _describe_pairs(changes: list[Change], *, are_clustered: bool) -> str:
    """Write which changes are paired, and what the others assume."""
    if are_clustered:
        return (
            "two independent samples, from the intervals of both reports, which allow for clusters "
            "(approximate). Items of one cluster depend on each other, so single items are not paired. If "
            "both are on the same cases, edgeworth compare pairs them by cluster"
        )
    number = max(change.pairs for change in changes)
    paired = f"paired on the {number:,} items or queries that both reports hold"
    independent = (
        "compared as two independent samples, from the intervals of both reports (approximate), because the "
        "reports do not hold the same single cases. If both are on the same cases, this is conservative as "
        "long as the systems tend to err on the same ones: a real change may be missed. For the paired "
        f"answer, run {PAIRED_COMMAND} on the predictions"
    )
    if all(change.pairs for change in changes):
        return paired
    if number and all(change.pairs or change.key.part for change in changes):
        return (
            f"values of all cases are {paired}; values of slices are compared as two independent samples "
            "(approximate), because the reports do not hold which items are in a slice. If both are on the "
            "same cases, a real change may be missed: edgeworth compare with --by pairs slices too"
        )
    return f"some values are {paired}; the others are {independent}" if number else independent


def _section(
    changes: list[Change], adjusted: list[float], shown: list[bool], is_same: bool, *, are_clustered: bool
) -> Section:
    """Tabulate every value of both reports, the clearest change first."""
    has_systems = any(change.key.system for change in changes)
    has_parts = any(change.key.part for change in changes)
    rows: list[tuple[Cell, ...]] = []
    order = sorted(
        range(len(changes)), key=lambda i: (not shown[i], adjusted[i] if adjusted[i] == adjusted[i] else 2)
    )
    for index in order:
        change = changes[index]
        names = [*((change.key.system,) if has_systems else ()), *((change.key.part,) if has_parts else ())]
        finding = "same data" if is_same else "yes" if shown[index] else "no"
        rows.append(
            (
                *names,
                describe_measure(change.key.measure),
                change.old.value,
                change.new.value,
                change.difference,
                None if is_same else (change.low, change.high),
                None if is_same else finite_or_none(adjusted[index]),
                finding,
            )
        )
    heads = [*(("system/text",) if has_systems else ()), *(("slice/text",) if has_parts else ())]
    columns = make_columns(
        *heads,
        "measure/text",
        "old",
        "new",
        "change",
        "95% CI/interval",
        "Holm p/probability",
        "clear/text",
    )
    note = f"clear: more than noise; {_describe_pairs(changes, are_clustered=are_clustered)}"
    return Section("What changed", (), (Grid("", columns, tuple(rows), note),), is_main=True)
