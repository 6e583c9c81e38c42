"""Gaps of slices: each slice compared with the rest of its column, in words and as tables."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from edgeworth.common.arrays import finite_or_none
from edgeworth.common.escaping import visible
from edgeworth.common.json_types import JsonObject
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import (
    MINUS,
    format_apart,
    format_p_value,
    format_percent,
    format_together,
    plural,
)
from edgeworth.core.kinds import AnyKind, kind_of
from edgeworth.core.measures import Direction
from edgeworth.core.multiple_testing import holm
from edgeworth.core.registry import find_in_kind
from edgeworth.core.sampling_distributions import NormalLaw, is_significant, outer_interval
from edgeworth.core.slice_gaps import (
    Gap,
    Units,
    average_effects,
    average_estimates,
    correlate_clusters,
    gap_between,
)
from edgeworth.core.tallies import Tally, dropped_rows
from edgeworth.errors import EdgeworthError
from edgeworth.pipeline.slices import (
    MAX_CLASS_SHARES_SHOWN,
    MAX_GAP_CAVEATS_IN_CLAIM,
    MAX_REASONS_FOR_NO_GAP,
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
from edgeworth.report.verdict import Claim
from edgeworth.report.wording import describe_measure, list_measures


@dataclass(frozen=True)
class SliceEstimate:
    """The value of a measure in one slice, and the gap between the slice and the rest."""

    part: Slice[object]
    requested: str
    """The measure as the caller wrote it; ``measure`` is how the estimate spells it."""
    measure: str
    estimate: Estimate | None
    gap: Gap
    units: Units
    rest_value: float = math.nan
    base_rates: Mapping[str, float] = field(default_factory=dict)
    undefined: str | None = None
    """Why the slice has no value."""


@dataclass(frozen=True)
class SliceRow:
    """One row of a table of slices: the estimates with intervals and p-values that hold together."""

    slice_estimate: SliceEstimate
    value: float
    low: float
    high: float
    gap_low: float
    gap_high: float
    adjusted_p_value: float
    direction: Direction
    is_share: bool
    """Whether the value is a share of right answers, which is written in percent."""
    is_one_of_two: bool
    """Whether its column has two slices, which have one gap."""
    level: float

    @property
    def by(self) -> str:
        """Name the column whose values are the slices."""
        return self.slice_estimate.part.by

    @property
    def slice(self) -> str:
        """Name the slice."""
        return self.slice_estimate.part.name

    @property
    def measure(self) -> str:
        """Spell the measure."""
        return self.slice_estimate.measure

    @property
    def requested(self) -> str:
        """Spell the measure as the caller wrote it."""
        return self.slice_estimate.requested

    @property
    def rows(self) -> int:
        """Count the rows."""
        return self.slice_estimate.part.rows

    @property
    def cases(self) -> float:
        """Count the independent cases or clusters."""
        return self.slice_estimate.units.number

    @property
    def gap(self) -> float:
        """Return the value minus that of the rest."""
        return self.slice_estimate.gap.value

    @property
    def undefined(self) -> str | None:
        """Explain why the slice has no value."""
        return self.slice_estimate.undefined

    @property
    def no_gap(self) -> str | None:
        """Explain why there is no gap."""
        return self.slice_estimate.gap.undefined

    @property
    def no_claim(self) -> str | None:
        """Explain why nothing is claimed, though test and interval may show a gap."""
        gap = self.slice_estimate.gap
        excludes_zero = self.gap_low > 0 or self.gap_high < 0
        return gap.no_claim or (gap.withheld if excludes_zero else None)

    @property
    def caveat(self) -> str | None:
        """Explain what the reader of the intervals must know."""
        estimate = self.slice_estimate.estimate
        own = None if estimate is None else estimate.caveat
        return "; ".join(text for text in (own, self.slice_estimate.gap.caveat) if text) or None

    @property
    def remark(self) -> str:
        """Explain in the row why nothing is claimed, or what to know before reading the intervals."""
        return f"no claim: {self.no_claim}" if self.no_claim is not None else self.caveat or ""

    @property
    def is_shown(self) -> bool:
        """Return whether test and interval both show that the slice is weaker than the rest.

        For a measure without a better direction, return whether they show that it differs.
        """
        return self.is_different and not self.is_stronger

    @property
    def is_different(self) -> bool:
        """Return whether test and interval both show that the slice is weaker or stronger than the rest."""
        if self.no_claim is not None or not is_significant(self.adjusted_p_value, self.level):
            return False
        return bool(self.gap_low > 0 or self.gap_high < 0)

    @property
    def is_stronger(self) -> bool:
        """Return whether the interval of the gap is on the better side of 0, if one side is better."""
        is_above, is_below = bool(self.gap_low > 0), bool(self.gap_high < 0)
        return {"higher": is_above, "lower": is_below, "neither": False}[self.direction]

    @property
    def strength(self) -> float:
        """Return a number that is smallest for the weakest slice.

        If neither side is better, the slice with the largest gap counts as the weakest.
        """
        value = {"higher": self.value, "lower": -self.value, "neither": -abs(self.gap)}[self.direction]
        return math.inf if math.isnan(value) else value

    def to_dict(self) -> JsonObject:
        """Return the values for JSON and frames."""
        source = self.slice_estimate
        return {
            "by": self.by,
            "slice": self.slice,
            "measure": self.measure,
            "cases": self.cases,
            "rows": self.rows,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "rest": source.rest_value,
            "gap": self.gap,
            "gap_low": self.gap_low,
            "gap_high": self.gap_high,
            "p_value": source.gap.p_value,
            "test": source.gap.test,
            "undefined": self.undefined,
            "no_gap": self.no_gap,
            "caveat": self.caveat,
            "no_claim": self.no_claim,
            "base_rates": dict(source.base_rates),
            "adjusted_p_value": self.adjusted_p_value,
            "is_shown": self.is_shown,
        }


def compare_slices(
    slices: Sequence[Slice[object]],
    tallies: Sequence[object],
    whole: object,
    measures: Sequence[str],
    *,
    level: float,
    seed: int = 0,
) -> GapTable:
    """Compare each slice with the rest of its column, by each measure.

    ``tallies`` are those of the slices, or the errors that explain why a slice has none. Gaps of all slices,
    columns and measures are one family: their p-values are adjusted by Holm, their intervals by Bonferroni.
    Slices that are too small for a claim do not belong to the family. The two slices of a column with two
    values have one gap.
    """
    kind = kind_of(whole)
    estimates = [
        estimate
        for measure in measures
        for estimate in _estimate_slices(kind, slices, tallies, measure, seed)
    ]
    families = [_family(estimate, estimates) for estimate in estimates]
    gaps = {family: estimate.gap for family, estimate in zip(families, estimates, strict=True)}
    tested = [family for family, gap in gaps.items() if gap.no_claim is None and not math.isnan(gap.p_value)]
    adjusted = dict(zip(tested, holm([gaps[family].p_value for family in tested]).tolist(), strict=True))
    values = sum(estimate.undefined is None for estimate in estimates)
    # If no gap may be claimed, the intervals of all of them hold together.
    intervals = len(tested) or sum(gap.law is not None for gap in gaps.values())
    level_of_each, level_of_gaps = (1 - (1 - level) / max(number, 1) for number in (values, intervals))
    # The catalogue is long: each measure is looked up once.
    entries = {measure: find_in_kind(kind, measure) for measure in {x.measure for x in estimates}}
    is_lower_better = bool(getattr(whole, "lower_is_better", False))
    rows: list[SliceRow] = []
    for estimate, family in zip(estimates, families, strict=True):
        entry, gap = entries[estimate.measure], estimate.gap
        direction: Direction = "higher" if entry is None else entry.direction
        low, high = (gap.outer_interval if intervals > 1 else gap.interval)(level_of_gaps)
        rows.append(
            SliceRow(
                estimate,
                *_value_and_bounds(estimate.estimate, level_of_each),
                low,
                high,
                adjusted_p_value=adjusted.get(family, math.nan),
                direction="lower" if is_lower_better else direction,
                is_share=entry is not None and entry.is_share_of_right_answers,
                is_one_of_two=not family[-1],
                level=level,
            )
        )
    rows.sort(key=lambda row: (measures.index(row.requested), row.strength))
    return GapTable(rows, level_of_each, level_of_gaps)


def _value_and_bounds(estimate: Estimate | None, level: float) -> tuple[float, float, float]:
    """Return a value and its interval, which holds together with many others; nan if it is undefined."""
    if estimate is None or estimate.undefined is not None:
        return math.nan, math.nan, math.nan
    return estimate.value, *outer_interval(estimate.law, level)


def with_slices(
    report: Report,
    slices: Sequence[Slice[object]],
    tallies: Sequence[object],
    whole: object,
    measures: Sequence[str],
    *,
    level: float,
    seed: int = 0,
) -> Report:
    """Add the measures in each slice, and the gap between the slice and the rest of the cases."""
    kind = kind_of(whole)
    table = compare_slices(slices, tallies, whole, measures, level=level, seed=seed)
    rows = [row.to_dict() for row in table.rows]
    moving = [measure for measure in measures if kind.moves_with_prevalence(whole, measure)]
    texts = (*table.notes(), *_describe_base_rates(moving))
    grids = tuple(table.grid(measure, with_base_rates=measure in moving) for measure in measures)
    numbers = {"measure": rows[0]["measure"] if rows else measures[0], "level": level, "adjust": "holm"}
    numbers |= {"level_of_each": table.level_of_each, "level_of_gaps": table.level_of_gaps}
    shown = [row.to_dict() for row in table.claimed_rows()]
    claim = Claim(
        "slices",
        visible(table.summarise(moving)),
        "shown" if shown else "not shown",
        {name: shown[0][name] for name in CLAIMED} if shown else {},
        shown[0]["test"] if shown else "",
    )
    columns = ", ".join(dict.fromkeys(part.by for part in slices))
    section = Section(f"By {columns}", texts, grids, is_main=True)
    return add_section(report, section, rows, [row.remark for row in table.rows], numbers, claim)


CLAIMED = ("by", "slice", "measure", "value", "rest", "gap", "gap_low", "gap_high", "adjusted_p_value")
"""The numbers of a claim about a slice."""


def _estimate_slices(
    kind: AnyKind, slices: Sequence[Slice[object]], tallies: Sequence[object], measure: str, seed: int
) -> list[SliceEstimate]:
    """Estimate a measure in each slice, and its gap to all other slices of the same column."""
    result: list[SliceEstimate] = []
    for column in dict.fromkeys(part.by for part in slices):
        counted: list[_SliceTally] = []
        for part, tally in zip(slices, tallies, strict=True):
            if part.by == column:
                try:
                    counted.append(_SliceTally.of(kind, part, tally, measure, seed))
                except EdgeworthError as error:
                    gap, units = Gap(math.nan, undefined=str(error)), Units(float(part.rows))
                    result.append(
                        SliceEstimate(part, measure, measure, None, gap, units, undefined=str(error))
                    )
        for item, (gap, rest_value) in zip(counted, _gaps_to_rest(counted, seed), strict=True):
            result.append(
                SliceEstimate(
                    item.part,
                    measure,
                    item.estimate.measure,
                    item.estimate,
                    gap,
                    item.units,
                    rest_value,
                    kind.base_rates(item.whole),
                    item.estimate.undefined,
                )
            )
    return result


@dataclass(frozen=True)
class _SliceTally:
    """A slice with its tally, the part of it that the measure is computed from, and the estimate."""

    part: Slice[object]
    whole: object
    tally: Tally
    spelling: str
    estimate: Estimate
    units: Units
    effects: Mapping[Hashable, float]
    """What each cluster adds to the estimate, for a kind that measures within slices."""

    @classmethod
    def of(cls, kind: AnyKind, part: Slice[object], tally: object, measure: str, seed: int) -> _SliceTally:
        """Estimate a measure in a slice, or raise the error that counting it raised."""
        if isinstance(tally, EdgeworthError):
            raise tally
        part = part.without_rows(dropped_rows(tally))
        own, spelling = kind.slice_part(tally, measure)
        own_kind = kind_of(own)
        estimate = own_kind.estimate(own, spelling, seed=seed)
        effects = own_kind.cluster_effects(own, spelling) if estimate.law is not None else {}
        return cls(part, tally, own, spelling, estimate, own_kind.independent_units(own), effects)


def _gaps_to_rest(counted: Sequence[_SliceTally], seed: int) -> list[tuple[Gap, float]]:
    """Compute the gap of each slice to the others, and the value of these."""
    if any(kind_of(item.tally).measures_within_slices for item in counted):
        return [_gap_to_mean(item, [x for x in counted if x is not item]) for item in counted]
    if len(counted) == 2:
        gap, rest = _gap_to_rest(counted[0], counted[1].tally, seed)
        return [(gap, rest), (gap.mirror(), counted[0].estimate.value)]
    rests = _sums_of_others([item.tally for item in counted])
    return [_gap_to_rest(item, rest, seed) for item, rest in zip(counted, rests, strict=True)]


def _gap_to_rest(item: _SliceTally, rest: Tally | None, seed: int) -> tuple[Gap, float]:
    """Compute the gap of one slice to the sum of the others.

    None is claimed if either side has too few independent units.
    """
    if rest is None:
        return Gap(math.nan, undefined=NO_OTHERS), math.nan
    kind = kind_of(rest)
    try:
        gap, value = kind.gap(item.tally, rest, item.spelling, seed=seed), kind.measure(rest, item.spelling)
    except EdgeworthError as error:
        return Gap(math.nan, undefined=str(error)), math.nan
    too_few = describe_too_few(item.units) or describe_too_few(kind.independent_units(rest))
    return replace(gap, no_claim=too_few or gap.no_claim), value


def _gap_to_mean(item: _SliceTally, others: Sequence[_SliceTally]) -> tuple[Gap, float]:
    """Compute the gap of one slice to the mean over the others, each measured by itself."""
    kind = kind_of(item.tally)
    weights = [kind.weight_in_rest(x.tally) if x.estimate.law is not None else 0.0 for x in others]
    rest = average_estimates([x.estimate for x in others], weights)
    if rest is None:
        return Gap(math.nan, undefined=NO_OTHERS), math.nan
    # A cluster with cases in several slices makes them dependent.
    effects, ratio = average_effects([x.effects for x in others], weights)
    if isinstance(rest.law, NormalLaw) and ratio != 1:
        rest = replace(rest, law=replace(rest.law, standard_error=ratio * rest.law.standard_error))
    correlation = correlate_clusters(item.effects, effects)
    units = Units(sum(x.units.number for x in others), are_clusters=item.units.are_clusters)
    too_few = describe_too_few(item.units) or describe_too_few(units)
    if too_few is None and (own := kind.gap_caveat(item.tally)):
        too_few = f"the slice has {own}"
    if too_few is None and all(kind.gap_caveat(x.tally) for x in others):
        # The rest is a mean over slices, each ranked by itself.
        largest = max(others, key=lambda x: kind.weight_in_rest(x.tally))
        too_few = f"the largest other slice has {kind.gap_caveat(largest.tally)}"
    return gap_between(item.estimate, rest, correlation=correlation, no_claim=too_few), rest.value


NO_OTHERS = "there are no other slices to compare it with"


def _sums_of_others(tallies: Sequence[Tally]) -> Iterator[Tally | None]:
    """Yield for each tally the sum of all others, by halving: each is added about log₂ times."""

    def visit(inside: Sequence[Tally], outside: Tally | None) -> Iterator[Tally | None]:
        if len(inside) == 1:
            yield outside
            return
        middle = len(inside) // 2
        for chosen, others in ((inside[:middle], inside[middle:]), (inside[middle:], inside[:middle])):
            total = outside
            for tally in others:
                total = tally if total is None else total + tally
            yield from visit(chosen, total)

    if tallies:
        yield from visit(tallies, None)


def _family(estimate: SliceEstimate, estimates: Sequence[SliceEstimate]) -> tuple[str, str, str]:
    """Name the gap of a slice: the two slices of a column share theirs."""
    column = estimate.requested, estimate.part.by
    number = sum((x.requested, x.part.by) == column and x.estimate is not None for x in estimates)
    is_one_of_two = number == 2 and estimate.estimate is not None
    return *column, "" if is_one_of_two else estimate.part.name


@dataclass(frozen=True)
class GapTable:
    """The rows of all slices, which can be written as sentences and tables."""

    rows: list[SliceRow]
    level_of_each: float = math.nan
    level_of_gaps: float = math.nan

    def claimed_rows(self) -> list[SliceRow]:
        """Choose for each measure the slices that are shown to be weaker; if there are none, the stronger."""
        rows = [row for row in self.rows if row.is_different]
        with_weaker = {row.requested for row in rows if row.is_shown}
        return [row for row in rows if row.is_shown or row.requested not in with_weaker]

    def summarise(self, moving: Collection[str] = ()) -> str:
        """Write what the slices show; the measures in ``moving`` change with the shares of the classes."""
        shown = self.claimed_rows()
        if shown:
            measures = dict.fromkeys(row.measure for row in shown)
            parts = [self._describe_shown([x for x in shown if x.measure == name]) for name in measures]
            caveats = dict.fromkeys(row.slice_estimate.gap.caveat for row in shown)
            sentences = [f"{text[0].upper()}{text[1:]}." for text in caveats if text is not None]
            sentences = sentences[:MAX_GAP_CAVEATS_IN_CLAIM]
            names = dict.fromkeys(describe_measure(row.measure) for row in shown if row.requested in moving)
            if names:
                gaps = f"{plural(len(names), 'gap')} in {' and '.join(names)}"
                sentences.append(f"Different shares of the classes can explain the {gaps}.")
            return " ".join([*(f"{part}." for part in parts), *sentences])
        words = list_measures(dict.fromkeys(row.measure for row in self.rows))
        columns = " and ".join(dict.fromkeys(row.by for row in self.rows))
        tested = [row for row in self.rows if not math.isnan(row.adjusted_p_value)]
        if not tested:
            reason = self._describe_reason()
            return f"By {columns}, no slice can be compared with the rest in {words}{reason}."
        clearest = min(tested, key=lambda row: row.adjusted_p_value)
        smallest = format_p_value(clearest.adjusted_p_value)
        test = f"Holm {smallest}" if self._has_several_gaps else smallest
        if clearest.no_claim is not None:
            test += f", not claimed because {clearest.no_claim}"
        elif is_significant(clearest.adjusted_p_value, clearest.level):
            test += ", but the interval of this gap includes 0"
        slices = len({(row.by, row.slice) for row in self.rows})
        none = "neither of the two slices" if slices == 2 else f"none of the {slices:,} slices"
        return f"By {columns}, {none} is shown to differ from the rest in {words} (smallest {test})."

    @property
    def _has_several_gaps(self) -> bool:
        return len({(row.measure, row.by, row.is_one_of_two or row.slice) for row in self.rows}) > 1

    def _describe_reason(self) -> str:
        """Write the most common reason why slices have no claim, no gap or no value, and an example."""
        reasons = [row.undefined or row.no_gap or row.no_claim for row in self.rows]
        counts = Counter(filter(None, reasons))
        if not counts:
            return ""
        reason, number = counts.most_common(1)[0]
        if number == len(self.rows):
            return f": {reason}"
        return f": for {self._name(self.rows[reasons.index(reason)])}, {reason}"

    def _name(self, row: SliceRow) -> str:
        return name_slice(row.by, row.slice, (other.by for other in self.rows))

    def _describe_shown(self, shown: Sequence[SliceRow]) -> str:
        """Name the slices that are weaker, that are stronger, or that differ, in one measure."""
        first = shown[0]
        words = describe_measure(first.measure)
        is_neutral = first.direction == "neither"
        comparative = "better" if first.is_stronger else "worse"
        if len(shown) == 1 or (first.is_one_of_two and len({row.by for row in shown}) == 1):
            pairs = (row.slice for row in self.rows if row.by == first.by and row.slice != first.slice)
            other = next(pairs) if first.is_one_of_two else "the rest"
            verb = "differs from" if is_neutral else f"does {comparative} than"
            levels, gap = self._write_gap(first)
            return f"By {first.by}, {first.slice} {verb} {other}: {words} {levels}, {gap}"
        named = [f"{self._name(row)} ({_format_gap(row)[0]})" for row in shown[:MAX_SLICES_NAMED]]
        more = len(shown) - len(named)
        slices = ", ".join(named) + (f" and {more} more" if more else "")
        columns = " and ".join(dict.fromkeys(row.by for row in shown))
        verb = "differs from" if is_neutral else f"is {comparative} than in"
        return f"By {columns}, {words} {verb} the rest in {slices}"

    def _write_gap(self, row: SliceRow) -> tuple[str, str]:
        """Write both levels, and the gap with its interval and p-value."""
        gap, low, high = _format_gap(row)
        values = [row.value, row.slice_estimate.rest_value]
        levels = " vs ".join(
            [format_percent(x, 1) for x in values] if row.is_share else format_apart(*values)
        )
        p_value = format_p_value(row.adjusted_p_value)
        test = f"Holm {p_value}" if self._has_several_gaps else p_value
        interval = f"{format_slice_level(self.level_of_gaps)} CI {low} to {high}"
        return levels, f"gap {gap} ({interval}, {test})"

    def notes(self) -> tuple[str, ...]:
        """Write why some slices have no value or no gap; rows explain why they have no claim."""
        texts = []
        values = Counter((row.measure, row.undefined) for row in self.rows if row.undefined is not None)
        for (measure, reason), number in values.most_common(MAX_REASONS_FOR_NO_VALUE):
            verb = plural(number, "slice has", "slices have")
            texts.append(f"{number:,} {verb} no {describe_measure(measure)}: {reason}.")
        gaps = Counter(row.no_gap for row in self.rows if row.no_gap and row.undefined is None)
        for no_gap, number in gaps.most_common(MAX_REASONS_FOR_NO_GAP):
            verb = plural(number, "slice has", "slices have")
            texts.append(f"{number:,} {verb} no gap to the rest: {no_gap}.")
        return tuple(texts)

    def grid(self, requested: str, *, with_base_rates: bool) -> Grid:
        """Make the table of one measure."""
        rows = [row for row in self.rows if row.requested == requested]
        words = describe_measure(rows[0].measure) if rows else requested
        # Rows of one cluster are one case, and rows of unequal weight carry the information of fewer cases.
        is_dependent = any(row.cases < row.rows for row in rows)
        units = name_units(are_clusters=any(row.slice_estimate.units.are_clusters for row in rows))
        counts = ["rows", units] if is_dependent else ["cases"]
        p_value = "Holm p" if self._has_several_gaps else "p"
        heads = ["slice/text", *(f"{name}/count" for name in counts), f"{words}/number"]
        heads += [f"{format_slice_level(self.level_of_each)} CI/interval", "gap to the rest/number"]
        heads += [
            f"{format_slice_level(self.level_of_gaps)} CI of the gap/interval",
            f"{p_value}/probability",
        ]
        rates = _rates_shown(rows) if with_base_rates else ()
        has_remarks = any(row.remark for row in rows[:MAX_SLICES_SHOWN])
        ends = [*(f"share of {label}/number" for label in rates), *(["caveat/text"] if has_remarks else [])]
        columns = [*make_columns(*heads, *ends)]
        columns[len(counts) + 2] = replace(columns[len(counts) + 2], is_extra=True)
        cells: list[tuple[Cell, ...]] = []
        paired_columns: set[str] = set()
        for row in rows[:MAX_SLICES_SHOWN]:
            # The two slices of a column have one gap, which is shown beside the first of them.
            is_repeated = row.is_one_of_two and row.by in paired_columns
            paired_columns.add(row.by)
            bounds = (row.gap, row.gap_low, row.gap_high, row.adjusted_p_value)
            gap, gap_low, gap_high, p = (None if is_repeated else finite_or_none(x) for x in bounds)
            value, low, high = map(finite_or_none, (row.value, row.low, row.high))
            numbers = (row.rows, round(row.cases)) if is_dependent else (round(row.cases),)
            base_rates = row.slice_estimate.base_rates
            shares = [finite_or_none(base_rates.get(label, math.nan)) for label in rates]
            remark = (row.remark,) if has_remarks else ()
            cells.append(
                (self._name(row), *numbers, value, (low, high), gap, (gap_low, gap_high), p, *shares, *remark)
            )
        note = "weakest first; the rest of a slice is all other slices of its column"
        if self._has_several_gaps:
            note += "; intervals adjusted by Bonferroni, p-values by Holm"
        if len(rows) > MAX_SLICES_SHOWN:
            note += f"; the weakest {MAX_SLICES_SHOWN} of {len(rows):,}, the others are in the JSON"
        return Grid("", tuple(columns), tuple(cells), note)


def _format_gap(row: SliceRow) -> tuple[str, str, str]:
    """Write a gap and its bounds with their signs; a gap between shares of right answers in points."""
    numbers = [row.gap, row.gap_low, row.gap_high]
    if row.is_share:
        texts = [f"{abs(100 * number):.1f}" for number in numbers]
        texts[0] += " points"
    else:
        texts = format_together(*map(abs, numbers)) if min(numbers) > 0 else format_together(*numbers)
        texts = [text.lstrip(f"-{MINUS}") for text in texts]
    signs = ("+" if number > 0 else MINUS if number < 0 else "" for number in numbers)
    gap, low, high = (f"{sign}{text}" for sign, text in zip(signs, texts, strict=True))
    return gap, low, high


def _rates_shown(rows: Sequence[SliceRow]) -> tuple[str, ...]:
    """Choose the classes whose shares a table shows: the second of two, or the most common of more."""
    rates = [(row.rows, row.slice_estimate.base_rates) for row in rows]
    labels = list(dict.fromkeys(label for _, shares in rates for label in shares))
    if len(labels) <= 2:
        return tuple(labels[-1:])
    totals = {label: sum(shares.get(label, 0.0) * number for number, shares in rates) for label in labels}
    return tuple(sorted(labels, key=lambda label: -totals[label])[:MAX_CLASS_SHARES_SHOWN])


def _describe_base_rates(moving: Sequence[str]) -> tuple[str, ...]:
    """Warn that measures move with the shares of the classes."""
    if not moving:
        return ()
    words = " and ".join(describe_measure(measure) for measure in moving)
    verb = plural(len(moving), "moves", "move")
    return (
        f"{words[0].upper()}{words[1:]} {verb} with the shares of the classes, so different base rates can "
        "explain a gap.",
    )
