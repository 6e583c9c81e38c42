"""From data, or from a tally, to a report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache, partial
from os import PathLike
from typing import Any, Unpack

from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import digits_shown
from edgeworth.core.kinds import Kind, kind_of
from edgeworth.core.measures import quote_label
from edgeworth.core.options import (
    LABELS,
    SEVERAL,
    EvaluateOptions,
    ManyOptions,
    ReportOptions,
    options_of,
)
from edgeworth.core.registry import canonical_spelling, canonical_spellings, catalogue
from edgeworth.core.serialization import plain_label
from edgeworth.errors import OptionError
from edgeworth.pipeline.call_options import Asked, flag_name, takes
from edgeworth.pipeline.tally_record import Part, TallyRecord, dropped_rows
from edgeworth.pipeline.tally_rows import OTHER_ROLES, Opened, canonical_terms, count, settle_weights
from edgeworth.report.frames import Row, estimate_rows, library_of
from edgeworth.report.report import Report, Section, make_provenance
from edgeworth.sources.alignment import aligned
from edgeworth.sources.column_roles import FORMS, GRADED

LISTED_PARTS = 20
"""So many sources of a merged tally are listed in a report."""

MOST_LABELS = 200
"""So many labels have measures of their own among the rows of a frame."""

AFTER_COUNTING = (*options_of(ReportOptions), *options_of(ManyOptions), "labels", "positive", "with_digest")
"""Options that mean something with a tally."""


@takes(EvaluateOptions)
@aligned
def evaluate(data: Any = None, **options: Unpack[EvaluateOptions]) -> Report:
    """Evaluate labels, scores or probabilities: informed or lucky, how sure is that, and worth what?

    Parameters
    ----------
    data : path, dataframe or tally, optional
        A file (CSV, TSV, Parquet, JSON lines, Arrow; a list of them, a folder, a pattern), a dataframe of any
        library, or what was counted already: a ``ContingencyTable``, a ``Ranking``, what ``ew.tally`` made.
        Also run logs, or a mapping of names to them.
        The options name its columns; without ``data`` they are arrays.

    Returns
    -------
    Report
        ``print(report)``, ``report.verdict``, ``report.to_html(path)``, ``report.to_json(path)``.

    Notes
    -----
    Give one of ``prediction`` (labels), ``score`` (a ranking), ``probabilities`` (forecasts), ``correct``
    (right or wrong) or ``grade`` (points); a run log needs none of them.

    Examples
    --------
    >>> report = evaluate(truth=["a", "b", "b", "a"] * 10, prediction=["a", "b", "a", "a"] * 10)
    >>> report.numbers["estimates"]["informedness"]["value"]
    0.5
    >>> from edgeworth import ContingencyTable
    >>> table = ContingencyTable.from_matrix([[12, 28], [18, 42]], rows="predicted")
    >>> evaluate(table).numbers["estimates"]["informedness"]["value"]
    0.0
    """
    asked = Asked.of(EvaluateOptions, options)
    if is_tally(data):
        return report_of(_restated(data, asked), asked)
    if data is not None and asked.truth is None:
        from edgeworth.pipeline.run_items import find_systems
        from edgeworth.pipeline.run_logs import evaluate_runs

        if systems := find_systems(data, asked):
            return evaluate_runs(systems, asked, evaluate)
    if isinstance(data, Mapping) and data and all(isinstance(x, (str, PathLike)) for x in data.values()):
        raise OptionError("a name (NAME=FILE) is for run logs and for compare: give a table without one")
    opened = Opened.of(data, asked)
    asked, notices = settle_weights(opened.source, opened.asked)
    opened = replace(opened, asked=asked, notices=(*opened.notices, *notices))
    if opened.asked.predictions == SEVERAL:
        raise OptionError("several predictions are compared: ew.compare")
    tallied = count(opened, is_final=True)
    report = replace(report_of(tallied, asked), library=library_of(data))
    if asked.odds is not None and asked.predictions == LABELS:
        from edgeworth.pipeline.flat_stakes import with_tips

        report = with_tips(report, opened.source, asked, tallied.final.labels)
    if asked.by is None:
        return report
    report = _by_slice(report, opened, tallied.final)
    return report.limit_claims("in-sample") if asked.predictions_made == "in-sample" else report


def _by_slice(report: Report, opened: Opened, whole: Any) -> Report:
    """Add the measure to go by in each slice: the slice is counted and estimated as the whole is."""
    from edgeworth.pipeline.slices import Slice, cut_slices, with_slices

    asked, kind = opened.asked, kind_of(whole)
    names = canonical_spellings(asked.measures) or [name for name in kind.usual if "[]" not in name]
    estimates = [estimate_of(whole, name, asked) for name in names]
    overall = next((each for each in estimates if each.undefined is None), estimates[0])
    inherited = kind.slice_options(whole, asked.options)
    asked = asked.having(labels=inherited["labels"], positive=inherited["positive"])
    roles = {role: asked.get(role) for role in (*FORMS, *GRADED, *OTHER_ROLES) if role != "by"}

    folds: list[Any] = []

    def find(part: Slice) -> dict[Any, Estimate]:
        counted = count(Opened(part.source, asked.having(**part.arrays)), is_final=True)
        folds.append(counted.final)
        return {(): estimate_of(counted.final, overall.measure, asked)}

    directions = (
        each.direction for each in catalogue() if each.name == canonical_spelling(overall.measure).name
    )
    is_lower = next(directions, "higher") == "lower" or getattr(whole, "lower_is_better", False)
    slices = cut_slices(opened.source, roles, asked.by)
    terms = (slices, find, overall.measure, asked.level)
    report = with_slices(report, *terms, is_lower_better=is_lower, overall=overall)
    return kind.report_folds(report, folds) if folds and asked.fold is not None else report


def is_tally(data: Any) -> bool:
    """Tell what was counted already from data that are yet to be read."""
    return isinstance(data, TallyRecord) or isinstance(getattr(type(data), "kind", None), (str, Kind))


def _restated(tally: Any, asked: Asked) -> TallyRecord:
    """Declare other labels of a tally, or another one positive, where that needs no new count."""
    tallied = tally if isinstance(tally, TallyRecord) else TallyRecord(tally)
    asked.refuse_all_but(AFTER_COUNTING)
    given = {name: asked.get(name) for name in ("labels", "positive") if asked.get(name) is not None}
    for name in given:
        if name not in kind_of(tallied.tally).redeclared:
            raise OptionError(f"{flag_name(name)} was decided when this was counted: count it anew")
    return replace(tallied, terms={**tallied.terms, **canonical_terms(given)})


def report_of(tallied: TallyRecord, asked: Asked) -> Report:
    """Report on a tally, counted in one piece or merged."""
    kind = kind_of(tallied.final)
    if kind.predictions:
        asked.having(labels=None, positive=None).checked(kind.predictions)
    with digits_shown(asked.digits):
        report = kind.report(tallied, asked.options, partial(about_tally, tallied, asked))
    if asked.get("measures") and kind.has_estimates:
        report = with_measures(report, tallied.final, asked)
    made = tallied.terms.get("predictions_made", asked.get("predictions_made"))
    if "predictions_made" not in kind.terms or made == "in-sample":
        report = report.limit_claims(made)
    report = with_rows(report, tallied, asked)
    return report.with_notices(tallied.notices, asked.digits)


def with_measures(report: Report, tally: Any, asked: Asked) -> Report:
    """Put the measures that were asked for before the others."""
    from edgeworth.report.estimates import estimates_grid

    found = [estimate_of(tally, each, asked) for each in canonical_spellings(asked.measures) or ()]
    numbers = {each.measure: each.to_dict(asked.level) for each in found}
    section = Section("Measures asked for", (), (estimates_grid(found, asked.level),), is_main=True)
    return replace(report, sections=(section, *report.sections), numbers={**report.numbers, "asked": numbers})


def with_rows(report: Report, tallied: TallyRecord, asked: Asked) -> Report:
    """Let the report make rows of its estimates, and of the values of items."""
    tally, columns = tallied.final, tallied.terms.get("columns", {})
    kind = kind_of(tally)
    roles = (role for role in (*FORMS, *GRADED) if columns.get(role, role) != role)
    system = next((columns[role] for role in roles), "")
    if not kind.has_estimates:
        return report

    @cache
    def estimates() -> list[Estimate]:
        names = canonical_spellings(asked.get("measures")) or []
        labels = [quote_label(str(label)) for label in getattr(tally, "labels", ())][:MOST_LABELS]
        for name in kind.usual:
            names += [name.replace("[]", f"[{label}]") for label in labels] if "[]" in name else [name]
        found = (estimate_of(tally, each, asked) for each in dict.fromkeys(names))
        return [each for each in found if each.undefined is None]

    def items() -> list[Row]:
        values = {each.measure: kind.items(tally, each.measure) for each in estimates()}
        return [
            {"system": system, "item": str(item), "measure": name, "value": value}
            for name, found in values.items()
            for item, value in found.items()
        ]

    return replace(report, rows=lambda: estimate_rows(system, estimates(), asked.level), items=items)


def estimate_of(tally: Any, measure: str, asked: Asked) -> Estimate:
    """Estimate a measure as was asked."""
    return kind_of(tally).estimate(tally, measure, seed=asked.seed, guess_rate=asked.get("guess_rate"))


def about_tally(tallied: TallyRecord, asked: Asked, **known: Any) -> dict[str, Any]:
    """Say where a report on a tally came from: what was asked then and now, and the sources."""
    terms, origin = dict(tallied.terms), tallied.origin
    columns = terms.pop("columns", {})
    if terms.get("labels") is not None:
        terms["labels"] = [*map(plain_label, terms["labels"])]
    first = origin.parts[0] if origin.parts else Part("a tally")
    is_one = origin.number <= 1
    sources: dict[str, Any] = {
        "source": first.source if is_one else f"{origin.number:,} sources, merged",
        "digest": first.digest if is_one else origin.digest,
        "rows": origin.rows,
    }
    if not is_one:
        more = origin.number - LISTED_PARTS
        sources["parts"] = [describe_part(part) for part in origin.parts[:LISTED_PARTS]]
        sources["parts"] += [f"… and {more:,} more"] if more > 0 else []
    rest = {"level": asked.level, "seed": asked.seed, "predictions_made": asked.get("predictions_made")}
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
