"""From rows, or from a tally, to a report."""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING

from edgeworth.common.json_types import JsonObject
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import digits_shown
from edgeworth.core.kinds import kind_of
from edgeworth.core.measures import quote_label
from edgeworth.core.options import Options, select_options
from edgeworth.core.registry import canonical_spellings
from edgeworth.core.serialization import plain_label
from edgeworth.core.tallies import Tally, dropped_rows, labels_of
from edgeworth.errors import EdgeworthError, OptionError
from edgeworth.pipeline.call_options import change, check_options, set_columns, tally_kind
from edgeworth.pipeline.tally_record import Part, TallyRecord
from edgeworth.pipeline.tally_rows import OTHER_ROLES, Opened, count, note_pooled, settle_weights
from edgeworth.report.frames import Row, estimate_rows, library_of
from edgeworth.report.report import Report, Section, make_provenance
from edgeworth.sources.column_roles import FORMS, GRADED

if TYPE_CHECKING:
    from edgeworth.pipeline.slices import Slice

MAX_PARTS_LISTED = 20
"""The most sources of a merged tally that a report lists."""

MAX_LABELS_IN_FRAME = 200
"""The most labels whose own measures are rows of a frame."""


def evaluate_rows(data: object, options: Options) -> Report:
    """Read rows of data, or arrays among the options, and report on them."""
    opened = Opened.of(data, options)
    options, notices = settle_weights(opened.source, opened.options)
    notices = (*opened.notices, *note_pooled(opened.source), *notices)
    opened = replace(opened, options=options, notices=notices)
    if tally_kind(options).holds_systems:
        raise OptionError("evaluate takes one prediction: use ew.compare for several")
    record = count(opened, is_final=True)
    roles = select_options(options, ("truth", *FORMS, *GRADED))
    report = replace(report_tally(record, options), library=library_of(data, *roles.values()))
    if options["odds"] is not None and tally_kind(options).predicts_classes:
        from edgeworth.pipeline.flat_stakes import with_tips

        report = with_tips(report, opened.source, options, labels_of(record.final))
    if options["by"] is None:
        return report
    report = _by_slice(report, opened, record.final)
    return report.limit_claims("in-sample") if options["predictions_made"] == "in-sample" else report


def _by_slice(report: Report, opened: Opened, whole: object) -> Report:
    """Compare each slice with the rest: a slice is counted and estimated as the whole is."""
    from edgeworth.pipeline.slice_gaps import with_slices

    options, kind = opened.options, kind_of(whole)
    requested = canonical_spellings(options["measures"])
    measures = _defined(whole, requested, options) if requested else kind.slice_measures(whole)
    counted = count_slices(opened, whole, options["by"])
    slices = [part for part, _ in counted]
    tallies = [tally for _, tally in counted]
    level, seed = options["level"], options["seed"]
    with digits_shown(options["digits"]):
        report = with_slices(report, slices, tallies, whole, measures, level=level, seed=seed)
    folds = [tally for tally in tallies if not isinstance(tally, EdgeworthError)]
    return kind.report_folds(report, folds) if folds and options["fold"] is not None else report


def count_slices(
    opened: Opened, whole: object, by: object, only: Collection[str] | None = None
) -> list[tuple[Slice[object], Tally | EdgeworthError]]:
    """Cut the rows and count each slice as the whole was counted, or keep the error that this raises.

    With ``only``, other values of the columns are left out.
    """
    from edgeworth.pipeline.slices import cut_slices

    inherited = kind_of(whole).slice_options(whole, opened.options)
    options = change(opened.options, labels=inherited["labels"], positive=inherited["positive"])
    roles = select_options(options, (role for role in (*FORMS, *GRADED, *OTHER_ROLES) if role != "by"))
    counted: list[tuple[Slice[object], Tally | EdgeworthError]] = []
    for part in cut_slices(opened.source, roles, by, only):
        try:
            record = count(Opened(part.source, set_columns(options, part.arrays)), is_final=True)
            counted.append((part, record.final))
        except EdgeworthError as error:
            counted.append((part, error))
    return counted


def _defined(whole: object, measures: list[str], options: Options) -> list[str]:
    """Keep the measures that are defined on all cases; if none is, keep the first."""
    return [name for name in measures if estimate_of(whole, name, options).undefined is None] or measures[:1]


def report_tally(tallied: TallyRecord, options: Options) -> Report:
    """Report on a tally, counted in one piece or merged."""
    kind = kind_of(tallied.final)
    if kind.predictions:
        check_options(change(options, labels=None, positive=None), kind.predictions)
    with digits_shown(options["digits"]):
        report = kind.report(tallied, options, partial(about_tally, tallied, options))
    if options["measures"] and kind.has_estimates:
        report = with_measures(report, tallied.final, options)
    made = tallied.terms.get("predictions_made", options["predictions_made"])
    if "predictions_made" not in kind.terms or made == "in-sample":
        report = report.limit_claims(made)
    report = replace(with_rows(report, tallied, options), library=tallied.library)
    return report.with_notices(tallied.notices, options["digits"])


def with_measures(report: Report, tally: object, options: Options) -> Report:
    """Put the requested measures before the others."""
    from edgeworth.report.estimates import estimates_grid

    measures = canonical_spellings(options["measures"]) or ()
    estimates = [estimate_of(tally, measure, options) for measure in measures]
    numbers = {estimate.measure: estimate.to_dict(options["level"]) for estimate in estimates}
    section = Section("Requested measures", (), (estimates_grid(estimates, options["level"]),), is_main=True)
    return replace(
        report, sections=(section, *report.sections), numbers={**report.numbers, "requested": numbers}
    )


def with_rows(report: Report, tallied: TallyRecord, options: Options) -> Report:
    """Make the report's rows of its estimates, and of the values of items."""
    tally, columns = tallied.final, tallied.terms.get("columns", {})
    kind = kind_of(tally)
    roles = (role for role in (*FORMS, *GRADED) if columns.get(role, role) != role)
    system = next((columns[role] for role in roles), "")
    if not kind.has_estimates:
        return report

    @cache
    def estimates() -> list[Estimate]:
        names = canonical_spellings(options["measures"]) or []
        labels = [quote_label(str(label)) for label in getattr(tally, "labels", ())][:MAX_LABELS_IN_FRAME]
        for name in kind.usual:
            names += [name.replace("[]", f"[{label}]") for label in labels] if "[]" in name else [name]
        candidates = (estimate_of(tally, name, options) for name in dict.fromkeys(names))
        return [estimate for estimate in candidates if estimate.undefined is None]

    def items() -> list[Row]:
        values = {x.measure: kind.items(tally, x.measure) for x in estimates()}
        return [
            {"system": system, "item": str(item), "measure": name, "value": value}
            for name, item_values in values.items()
            for item, value in item_values.items()
            if not math.isnan(value)
        ]

    return replace(report, rows=lambda: estimate_rows(system, estimates(), options["level"]), items=items)


def estimate_of(tally: object, measure: str, options: Options) -> Estimate:
    """Estimate a measure with the options of the call."""
    return kind_of(tally).estimate(tally, measure, seed=options["seed"], guess_rate=options["guess_rate"])


def about_tally(tallied: TallyRecord, options: Options, **known: object) -> JsonObject:
    """Write where a report on a tally came from: the sources, and the options of counting and reporting."""
    terms, origin = dict(tallied.terms), tallied.origin
    columns = terms.pop("columns", {})
    if terms.get("labels") is not None:
        terms["labels"] = [*map(plain_label, terms["labels"])]
    first = origin.parts[0] if origin.parts else Part("a tally")
    is_one = origin.number <= 1
    sources: JsonObject = {
        "source": first.source if is_one else f"{origin.number:,} sources, merged",
        "digest": first.digest if is_one else origin.digest,
        "rows": origin.rows,
    }
    if not is_one:
        more = origin.number - MAX_PARTS_LISTED
        sources["parts"] = [describe_part(part) for part in origin.parts[:MAX_PARTS_LISTED]]
        sources["parts"] += [f"… and {more:,} more"] if more > 0 else []
    rest = {
        "level": options["level"],
        "seed": options["seed"],
        "predictions_made": options["predictions_made"],
    }
    rest |= terms | known
    # Missing values among probabilities are errors, so that nothing is ever dropped there.
    dropped = dropped_rows(tallied.tally) if hasattr(tallied.tally, "dropped") else None
    return make_provenance(**(sources | columns | rest), dropped=dropped)


def describe_part(part: Part) -> str:
    """Describe one source of several.

    >>> describe_part(Part("monday.csv", None, 1200, 3))
    'monday.csv: 1,200 rows, 3 dropped'
    """
    rows = "" if part.rows is None else f": {part.rows:,} row{'s' if part.rows != 1 else ''}"
    return f"{part.source}{rows}{f', {part.dropped:,} dropped' if part.dropped else ''}"
