"""From data, joined tables, run logs or tallies of several systems to a comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.json_types import JsonObject
from edgeworth.comparisons.comparison import Comparison, SliceFindings
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import ComparisonFindings, describe_dropped
from edgeworth.comparisons.reading import named_systems
from edgeworth.comparisons.report import whole_or_none
from edgeworth.comparisons.suspicious import suspicious_systems
from edgeworth.core.amounts import check_margin, parse_margin
from edgeworth.core.kinds import AnyKind, SystemTallies, kind_if_tally, kind_of
from edgeworth.core.options import (
    LABELS,
    PROBABILITIES,
    QUERIES,
    SCORES,
    CompareOptions,
    DifferenceOptions,
    Options,
    options_of,
    select_options,
)
from edgeworth.core.registry import canonical_spellings
from edgeworth.core.row_policies import refuse_regression
from edgeworth.errors import EdgeworthError, InputError, OptionError
from edgeworth.pipeline.call_options import (
    change,
    check_options,
    fill_in,
    find_by_word,
    flag_name,
    given_options,
    own_kind,
    refuse_all_but,
    requested_kind,
    set_columns,
    with_folds,
)
from edgeworth.pipeline.join_systems import find_truth, join_grades, join_systems, refuse_tables
from edgeworth.pipeline.slice_differences import with_differences
from edgeworth.pipeline.slices import Slice, cut_slices
from edgeworth.pipeline.tally_record import Origin, TallyRecord
from edgeworth.pipeline.tally_rows import column_names, note_pooled, repeated_cases, settle_weights
from edgeworth.report.frames import library_of
from edgeworth.report.report import make_provenance
from edgeworth.sources.batches import Source, paths_of
from edgeworth.sources.column_roles import names_of
from edgeworth.sources.opening import open_source
from edgeworth.sources.paths import check_unchanged, combine_digests, file_digests, file_states

if TYPE_CHECKING:
    from edgeworth.grades.grades import Grades

PartT = TypeVar("PartT")

AFTER_COUNTING = (
    *options_of(DifferenceOptions),
    *(x for x, (_, o) in options_of(CompareOptions).items() if o.panel in ("Statistics", "Output")),
)
"""Options that mean something with a tally."""

TALLY = "a tally"
MAX_SOURCES_LISTED = 8
"""The most sources of tallies that a comparison lists."""


def comparison_options(arguments: Mapping[str, object]) -> Options:
    """Fill in the options of a comparison."""
    options = fill_in("compare", CompareOptions, arguments)
    measures = canonical_spellings(options["measures"])
    return change(options, data=None, adjust=options["adjust"] or "holm", measures=measures)


def compare_joined(systems: object, options: Options) -> Comparison:
    """Compare systems in tables of their own, or in one long table."""
    requested = requested_kind(options)
    if requested is not None and requested.joins_repeats:
        return _of_joined_grades(systems, options)
    library = library_of(options["data"])
    truth, columns, options, notices = join_systems(options["truth"], systems, options)
    joined = _compare_named(columns, change(options, truth=truth), notices, is_joined=True)
    return replace(joined, library=library)


def compare_columns(systems: object, options: Options) -> Comparison:
    """Compare systems that are arrays, or columns of one table."""
    refuse_tables(options)
    return _compare_named(systems, options)


def _compare_named(
    systems: object, options: Options, joined: tuple[str, ...] = (), *, is_joined: bool = False
) -> Comparison:
    named = named_systems(systems)
    predictions = _predictions(named, options)
    kind = _kind(predictions, options)
    options = with_folds(options, are_ranked=kind.ranks_folds)
    source, truth, notices = _open(kind, options, options["truth"], named)
    paths = paths_of(source)
    states = file_states(paths)
    if source is not None and not is_joined:
        notices += note_pooled(source)
        notices += repeated_cases(source, column_names(source, options["data"]), options)
    options, weighed = settle_weights(source, options)
    read = _read(kind, source, truth, named, options)
    findings = _compare_tallies(read, options)
    parts = "fold" if kind.ranks_folds and options["fold"] is not None else "cluster"
    roles = (parts, "query", "weight") if options["data"] is not None else ()
    columns = {"truth": None if options["data"] is None else truth} | select_options(options, roles)
    listed = _list_systems(named, options["data"])
    about = _about(findings, options, read.source, paths, kind=predictions, systems=listed, **columns)
    if about.get("digest") is not None:
        check_unchanged(paths, states)
    library = library_of(options["data"], truth, systems)
    comparison = Comparison(findings, about, (*joined, *notices, *weighed), options["digits"], library)
    if options["by"] is None:
        return comparison
    return _by_slice(comparison, kind, source, truth, named, options)


def _by_slice(
    whole: Comparison,
    kind: AnyKind,
    source: Source | None,
    truth: object,
    systems: dict[str, object],
    options: Options,
) -> Comparison:
    """Compare the systems in each slice, by the primary measure of the whole."""
    roles = select_options(options, ("cluster", "query", "fold", "id", "weight"))
    columns = {"truth": truth, **roles, **{f"system {name}": system for name, system in systems.items()}}

    def find(part: Slice[object], measure: str) -> ComparisonFindings:
        arrays = dict(part.arrays)
        actual = arrays.pop("truth", truth)
        named = {name: arrays.pop(f"system {name}", column) for name, column in systems.items()}
        read = _read(kind, part.source, actual, named, set_columns(options, arrays))
        return _compare_tallies(read, change(options, measures=[measure]))

    return add_slices(whole, list(cut_slices(source, columns, options["by"])), find, options["level"])


def add_slices(
    whole: Comparison,
    slices: list[Slice[PartT]],
    find: Callable[[Slice[PartT], str], ComparisonFindings],
    level: float,
) -> Comparison:
    """Add the differences in each slice, by the primary measure of all cases.

    ``find`` compares a slice by the measure that it is given: a slice never chooses one of its own.
    """
    headline = whole.findings.headline

    def differences(part: Slice[PartT]) -> dict[tuple[str, str], Difference | EdgeworthError]:
        try:
            findings = find(part, headline)
            if findings.headline == headline:
                return dict(findings.headlines)
            return {pair: findings.difference(*pair)[headline] for pair in whole.findings.pairs}
        except EdgeworthError as error:
            return dict.fromkeys(whole.findings.pairs, error)

    complete_report = partial(
        with_differences,
        slices=slices,
        find=differences,
        measure=headline,
        level=level,
        is_lower_better=whole.findings.direction == "lower",
        are_clustered=whole.findings.unit == "cluster",
        ranked=whole.findings.ranked,
    )

    def compare_slices(measure: str) -> list[SliceFindings]:
        return [(part.by, part.name, _try_slice(find, part, measure)) for part in slices]

    return replace(whole, complete_report=complete_report, compare_slices=compare_slices) if slices else whole


def _try_slice(
    find: Callable[[Slice[PartT], str], ComparisonFindings], part: Slice[PartT], measure: str
) -> ComparisonFindings | EdgeworthError:
    """Compare a slice, or return the error that explains why it cannot be compared."""
    try:
        return find(part, measure)
    except EdgeworthError as error:
        return error


def _about(
    findings: ComparisonFindings, options: Options, source: str, paths: Sequence[Path] = (), **known: object
) -> JsonObject:
    """Write where a comparison came from, and with which options."""
    facts = select_options(options, ("level", "adjust", "seed", "clip", "predictions_made"))
    if source != TALLY:
        facts |= {"power": options["power"], "missing": options["missing"], "dropped": findings.dropped}
        facts |= {"cases": whole_or_none(findings.cases)}
    if options["with_digest"]:
        facts["digest"] = combine_digests(file_digests(paths))
    measures = None if options["measures"] is None else ", ".join(options["measures"])
    return make_provenance(source=source, measures=measures, **{"kind": findings.kind} | facts | known)


def _read(
    kind: AnyKind, source: Source | None, truth: object, systems: dict[str, object], options: Options
) -> SystemTallies:
    """Read several systems, once their options have been checked."""
    options = check_options(options, kind.predictions_of_systems or kind.predictions or kind.name)
    kind.check(options)
    return kind.read_systems(source, truth, systems, options)


def _compare_tallies(read: SystemTallies, options: Options) -> ComparisonFindings:
    """Compare systems, and refuse options that their kind does not take."""
    title = read.kind.systems_title or read.kind.title
    for name in given_options(options).keys() & options_of(DifferenceOptions).keys():
        if name not in read.kind.difference_options:
            raise OptionError(f"{flag_name(name)} is not supported with {title}")
    findings = read.kind.compare(read.tallies, options, clusters=read.clusters)
    notes = (*suspicious_systems(read.tallies), *findings.notes, *describe_dropped(read.dropped))
    margin = None if options["margin"] is None else parse_margin(options["margin"])
    if margin is not None:
        check_margin(findings.headline, margin)
    return replace(
        findings,
        notes=notes,
        dropped=findings.dropped + read.dropped,
        predictions_made=options["predictions_made"],
        margin=margin,
    )


def _as_systems(tally: object) -> SystemTallies:
    """Take what was tallied earlier: one tally of several systems, or a mapping of names to tallies."""
    kinds = {kind_if_tally(member) for member in (tally.values() if isinstance(tally, Mapping) else [tally])}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind is not None and isinstance(tally, Mapping) and (kind.holds_systems or not kind.is_comparable):
        raise OptionError(
            f"tallies of this kind ({kind.title}) cannot be compared with each other: compare the rows, with "
            "one column for each system"
        )
    if kind is None or not kind.is_comparable or kind.holds_systems == isinstance(tally, Mapping):
        raise OptionError(
            'give truth and systems, compare(truth=…, systems={"A": …}), or one tally of them all; '
            f"saw {type(tally).__name__}"
        )
    return SystemTallies(kind, tally, TALLY)


def _open(
    kind: AnyKind, options: Options, truth: object, systems: Mapping[str, object]
) -> tuple[Source | None, object, tuple[str, ...]]:
    """Open the data, and find the column of truth if it was not named."""
    source = None if options["data"] is None else open_source(options["data"])
    if not kind.has_truth:
        if truth is not None:
            raise OptionError(f"truth is not supported with {kind.title}: leave it out")
        return source, None, ()
    if truth is not None:
        return source, truth, ()
    if source is None:
        raise OptionError("truth is needed: the column of actual classes")
    others = [
        *systems.values(),
        *select_options(options, ("cluster", "query", "fold", "id", "weight")).values(),
    ]
    columns = [value if isinstance(value, (list, tuple)) else [value] for value in others]
    taken = [name for names in columns for name in names]
    return source, *find_truth(column_names(source, options["data"]), taken)


def _of_joined_grades(systems: object, options: Options) -> Comparison:
    """Compare grades that are in one table per system, or in one long table."""
    if options["ordered"] or options["horizon"] > 1:
        raise OptionError("--ordered needs one table with a column for each system: join the tables first")
    joined = join_grades(systems, options)
    findings = _compare_tallies(SystemTallies(joined.kind, joined.grades, joined.title), options)
    about = _about(findings, options, joined.title, joined.paths, systems=", ".join(joined.grades))
    library = library_of(options["data"])
    comparison = Comparison(findings, about, joined.notices, options["digits"], library)

    def find(part: Slice[Grades], measure: str) -> ComparisonFindings:
        read = SystemTallies(joined.kind, part.arrays, joined.title)
        return _compare_tallies(read, change(options, measures=[measure]))

    return add_slices(comparison, joined.slices, find, options["level"])


def compare_tallies(data: object, options: Options) -> Comparison:
    """Compare what was tallied earlier: one tally of all systems, or one of each by name."""
    refuse_all_but(options, AFTER_COUNTING)
    tallies = dict(data) if isinstance(data, Mapping) else {"": data}
    counted = {name: tally for name, tally in tallies.items() if isinstance(tally, TallyRecord)}
    unpaired = {name: tally for name, tally in counted.items() if kind_of(tally.tally).has_different_cases}
    _refuse_same_rows({name: tally.origin for name, tally in unpaired.items()})
    finals = tallies | {name: tally.final for name, tally in counted.items()}
    findings = _compare_tallies(_as_systems(finals if isinstance(data, Mapping) else finals[""]), options)
    parts = [part.source for tally in counted.values() for part in tally.origin.parts]
    source = ", ".join(dict.fromkeys(parts[:MAX_SOURCES_LISTED])) or TALLY
    notices = tuple(dict.fromkeys(notice for tally in counted.values() for notice in tally.notices))
    about = _about(findings, change(options, with_digest=False), TALLY) | {"source": source}
    return Comparison(findings, about, notices, digits=options["digits"])


def _refuse_same_rows(origins: Mapping[str, Origin]) -> None:
    """Refuse tallies of the same file: their cases are pairs, and would count as different cases."""
    counted: dict[str, str] = {}
    for name, origin in origins.items():
        for part in origin.parts:
            if part.digest is not None and counted.setdefault(part.digest, name) != name:
                raise InputError(
                    f"{counted[part.digest]} and {name} were counted from the same file, {part.source}, so "
                    "their cases are the same: compare them in pairs, with one --prediction for each system"
                )


def _kind(predictions: str, options: Options) -> AnyKind:
    """Return the kind that reads such predictions of several systems."""
    own = own_kind(options)
    if own is not None:
        return own
    has_queries = predictions == SCORES and options["query"] is not None
    return find_by_word(QUERIES if has_queries else predictions)


def _predictions(systems: Mapping[str, object], options: Options) -> str:
    """Name the requested predictions, or infer them when only one kind fits."""
    kind = options["kind"]
    if isinstance(kind, str):
        return kind
    if kind is not None:
        return kind.predictions or kind.name
    data = options["data"]
    if data is not None:
        wide = [not isinstance(columns, str) for columns in systems.values()]
    else:
        lists = (list, tuple)
        rows = {
            name: isinstance(x, lists) and len(x) > 0 and isinstance(x[0], lists)
            for name, x in systems.items()
        }
        wide = [getattr(x, "ndim", 1) == 2 or rows[name] for name, x in systems.items()]
    if all(wide):
        return PROBABILITIES
    if any(wide):
        raise OptionError("some systems have one column and some several: are these all of one kind?")
    if any(_is_fractional(x, data) for x in systems.values()):
        if options["truth"] is not None and _is_fractional(options["truth"], data):
            refuse_regression(set(_values_of(options["truth"], data).tolist()))
        raise OptionError('the systems gave fractions: pass kind="scores" or kind="probabilities"')
    return LABELS


def _is_fractional(column: object, data: object) -> bool:
    """Return whether an array, or a column of a dataframe, has fractions; a file is not read for this."""
    try:
        array = _values_of(column, data)
    except (TypeError, KeyError, IndexError, ValueError):  # no dataframe; rows of different lengths
        return False
    return array.dtype.kind == "f" and bool((array[np.isfinite(array)] % 1 != 0).any())


def _values_of(column: object, data: object) -> NDArray[np.generic]:  # type: ignore[explicit-any]  # values of any type
    """Return an array, or a column of a dataframe, as an array."""
    return np.asarray(column if data is None else data[column])  # type: ignore[index]  # of a frame


def _list_systems(systems: Mapping[str, object], data: object) -> str:
    """List the systems, with their columns if these have other names."""
    if data is None:
        return ", ".join(systems)
    parts = []
    for name, columns in systems.items():
        names = ", ".join(names_of(columns))
        parts.append(name if names == name else f"{name} ({names})")
    return "; ".join(parts)
