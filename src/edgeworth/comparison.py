"""The second question: which one is better? From data, arrays or tallies to a comparison."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from edgeworth.common.choices import Predictions
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import ComparisonFindings
from edgeworth.comparisons.reading import named_systems
from edgeworth.comparisons.report import compose_comparison, difference_grid, difference_rows, whole_or_none
from edgeworth.comparisons.suspicious import suspicious_systems
from edgeworth.core.formatting import digits_shown
from edgeworth.core.kinds import Kind, SystemTallies, find_predictions, kind_if_tally, kind_of
from edgeworth.core.options import (
    GRADES,
    LABELS,
    PROBABILITIES,
    QUERIES,
    SCORES,
    SEVERAL,
    CompareOptions,
    DifferenceOptions,
    options_of,
)
from edgeworth.core.registry import canonical_spelling, canonical_spellings
from edgeworth.errors import EdgeworthError, InputError, OptionError
from edgeworth.pipeline.call_options import Asked, flag_name, is_given, takes
from edgeworth.pipeline.join_systems import find_truth, join_grades, join_systems, refuse_tables
from edgeworth.pipeline.run_items import find_systems
from edgeworth.pipeline.run_logs import compare_runs
from edgeworth.pipeline.slices import Slice, cut_slices, with_slices
from edgeworth.pipeline.tally_file import is_tally_file, read_tally
from edgeworth.pipeline.tally_record import Origin, TallyRecord
from edgeworth.pipeline.tally_rows import column_names, repeated_cases, settle_weights
from edgeworth.report.formats import grid_to_csv, grid_to_latex, grid_to_markdown, write_text
from edgeworth.report.frames import PAIR_COLUMNS, library_of, make_frame
from edgeworth.report.report import Report, make_provenance
from edgeworth.sources.alignment import aligned
from edgeworth.sources.batches import Source
from edgeworth.sources.joining import name_systems
from edgeworth.sources.opening import open_source
from edgeworth.sources.paths import check_unchanged, combine_digests, file_digests, file_states

AFTER_COUNTING = (
    *options_of(DifferenceOptions),
    *(x for x, (_, o) in options_of(CompareOptions).items() if o.panel in ("Statistics", "Output")),
)
"""Options that mean something with a tally."""

TALLY = "a tally"
LISTED_SOURCES = 8


@dataclass(frozen=True)
class Comparison:
    """Systems compared pair by pair: ``comparison["A", "B"]["informedness"].difference`` is A less B."""

    findings: ComparisonFindings
    provenance: Mapping[str, Any] = field(default_factory=dict, repr=False)
    notices: tuple[str, ...] = field(default=(), repr=False)
    """What was taken without being said, for the reader to know first."""
    digits: int = 3
    library: str = field(default="", repr=False)
    """The library whose frame was compared."""
    finish: Callable[[Report], Report] | None = field(default=None, repr=False)
    """What else the report says, where more is known than the differences."""

    @property
    def names(self) -> tuple[str, ...]:
        """The systems, as they were given."""
        return self.findings.names

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that were compared, the primary one among them."""
        return self.findings.measures

    @property
    def letters(self) -> dict[str, str]:
        """Letters of each system, the best first: those that share one do not differ significantly."""
        return self.findings.letters

    @property
    def ranks(self) -> dict[str, tuple[int, int]]:
        """The places that each system may have, best and worst; all of them hold together at the level."""
        return self.findings.ranks

    @property
    def tied_for_first(self) -> tuple[str, ...]:
        """The systems that none is shown to be better than."""
        return self.findings.tied_for_first

    def __getitem__(self, pair: tuple[str, str]) -> Differences:
        """The differences of two systems, first less second."""
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise OptionError(f'ask for a pair of systems, comparison["A", "B"]; saw {pair!r}')
        for name in pair:
            if name not in self.names:
                raise OptionError(f"there is no system {name!r}; there are {', '.join(self.names)}")
        if pair[0] == pair[1]:
            raise OptionError(f"a pair is two different systems; saw {pair[0]!r} twice")
        return Differences(self.findings.difference(*pair))

    def __getstate__(self) -> dict[str, Any]:
        """Compute what waits to be looked at, so that the comparison can be pickled without its data."""
        known = {each.name: getattr(self, each.name) for each in fields(self)}
        return known | {"finish": self.finish and partial(_as_finished, self._finished)}

    @cached_property
    def _finished(self) -> Report:
        """The report of the findings, with what else is known."""
        with digits_shown(self.digits):
            report = compose_comparison(self.findings, self.provenance)
            return report if self.finish is None else self.finish(report)

    @cached_property
    def report(self) -> Report:
        """The comparison as a report."""
        report = self._finished
        if self.findings.race is None or self.findings.is_in_sample:
            report = report.limit_claims(self.findings.predictions_made)
        return report.with_notices(self.notices, self.digits)

    @property
    def verdict(self) -> str:
        """Who is better, how surely, and how many cases would decide."""
        return self.report.verdict

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        return self.report.to_dict()

    def to_json(self, path: str | Path | None = None) -> str:
        """The report as JSON; also written to ``path`` when given."""
        return self.report.to_json(path)

    def to_html(self, path: str | Path | None = None, **options: Any) -> str:
        """The report as a page that needs no network, as of ``Report.to_html``."""
        return self.report.to_html(path, **options)

    def to_frame(self, library: str | None = None) -> Any:
        """Make a frame with one row per pair, slice and measure: ``value`` is first less second.

        Pairs have the order in which the systems were given, in slices too, as in ``to_dict`` and
        ``to_csv``. ``level`` is the confidence level of each interval: those of slices hold together, so
        theirs is higher.
        """
        rows = [*difference_rows(self.findings), *self.report.rows()]
        return make_frame(rows, PAIR_COLUMNS, library or self.library)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Every pair and measure in a line, with all digits."""
        return write_text(grid_to_csv(difference_grid(self.findings)), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """The same table for a paper, with the rules of booktabs."""
        return write_text(grid_to_latex(difference_grid(self.findings)), path)

    def to_markdown(self, path: str | Path | None = None) -> str:
        """The same table for a web page."""
        return write_text(grid_to_markdown(difference_grid(self.findings)), path)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self.report._repr_html_()

    def __str__(self) -> str:
        return str(self.report)


def _as_finished(finished: Report, composed: Report) -> Report:
    """Take the report that was finished before the comparison was pickled."""
    return replace(composed, **{each.name: getattr(finished, each.name) for each in fields(Report)})


class Differences(dict[str, Difference]):
    """Differences by measure; ``f`` means ``f[spam]`` where only one such measure was compared."""

    def __missing__(self, measure: str) -> Difference:
        same = [name for name in self if _is_meant(measure, name)]
        if len(same) != 1:
            known = ", ".join(same or self)
            raise OptionError(f"{measure!r} was not compared, or could be several; there are {known}")
        return self[same[0]]


@takes(CompareOptions)
@aligned
def compare(truth: Any = None, systems: Any = None, **options: Unpack[CompareOptions]) -> Comparison:
    """Compare the labels, scores or probabilities of two or more systems for the same cases.

    Parameters
    ----------
    truth : array, or name of a column of ``data``
        The actual classes; left out, the column of ``data`` whose name leaves no doubt. What was counted
        earlier is compared as it is, without ``systems``: a ``Paired``, a ``PairedScores`` or a mapping of
        names to ``RankedLists`` or ``Grades``; a mapping of names to ``ContingencyTable`` are systems judged
        on different cases.
    systems : mapping of names to arrays, or to names of columns of ``data``
        What each system gave; a list of columns names systems by their columns. With ``join`` or ``system``
        one column, or the list of each class's, that all systems have, or a mapping of names to such.

    Returns
    -------
    Comparison
        ``comparison["A", "B"]["informedness"]`` is the difference, first less second: ``.difference``,
        ``.interval(level)``, ``.p_value()``, ``.probability_better``.

    Examples
    --------
    >>> truth = [1] * 50 + [0] * 50
    >>> careful, careless = [1] * 45 + [0] * 55, [1] * 30 + [0] * 45 + [1] * 25
    >>> comparison = compare(truth, {"careful": careful, "careless": careless})
    >>> round(comparison["careful", "careless"]["informedness"].difference, 3)
    0.8
    """
    asked = Asked.of(CompareOptions, options)
    asked = asked.having(adjust=asked.adjust or "holm", measures=canonical_spellings(asked.measures))
    if systems is None:
        return _of_tallies(truth, asked) if asked.data is None else _of_logs(asked.having(truth=truth))
    joined: tuple[str, ...] = ()
    if asked.join is not None or asked.system is not None:
        if asked.kind in (GRADES, "correct"):
            return _of_joined_grades(systems, asked)
        truth, systems, asked, joined = join_systems(truth, systems, asked)
    else:
        refuse_tables(asked)
    named = named_systems(systems)
    predictions = _kind(asked.kind, named, asked.data)
    are_scores = predictions == SCORES
    asked = asked.with_folds(are_ranked=are_scores)
    is_listed = are_scores and asked.query is not None
    kind = find_predictions(QUERIES if is_listed else GRADES if predictions == "correct" else predictions)
    source, truth, notices = _open(asked, truth, named)
    paths: Sequence[Path] = getattr(source, "paths", ())
    states = file_states(paths)
    if source is not None and not joined:
        notices += repeated_cases(source, column_names(source, asked.data), asked)
    asked, weighed = settle_weights(source, asked)
    read = _read(kind, source, truth, named, asked)
    findings = _find(read, asked)
    parts = "fold" if are_scores and asked.fold is not None else "cluster"
    roles = (parts, "query", "weight") if asked.data is not None else ()
    given = {"truth": None if asked.data is None else truth} | {role: asked.get(role) for role in roles}
    listed = _list_systems(named, asked.data)
    about = _about(findings, asked, read.source, paths, kind=predictions, systems=listed, **given)
    if about.get("digest") is not None:
        check_unchanged(paths, states)
    found = Comparison(findings, about, (*joined, *notices, *weighed), asked.digits, library_of(asked.data))
    return found if asked.by is None else _by_slice(found, kind, source, truth, named, asked)


def _by_slice(
    whole: Comparison,
    kind: Kind[Any],
    source: Source | None,
    truth: Any,
    systems: dict[str, Any],
    asked: Asked,
) -> Comparison:
    """Compare in each slice as in the whole, by the measure to go by."""
    roles = {name: asked.get(name) for name in ("cluster", "query", "fold", "id", "weight")}
    given = {"truth": truth, **roles, **{f"system {name}": each for name, each in systems.items()}}

    def find(part: Slice, measure: str) -> ComparisonFindings:
        arrays = dict(part.arrays)
        actual = arrays.pop("truth", truth)
        named = {name: arrays.pop(f"system {name}", each) for name, each in systems.items()}
        read = _read(kind, part.source, actual, named, asked.having(**arrays))
        return _find(read, asked.having(measures=[measure]))

    return _with_slices(whole, list(cut_slices(source, given, asked.by)), find, asked.level)


def _with_slices(
    whole: Comparison, slices: list[Slice], find: Callable[[Slice, str], ComparisonFindings], level: float
) -> Comparison:
    """Add the differences in each slice, by the primary measure of all cases.

    ``find`` compares a slice by the measure that it is given: a slice never chooses one of its own.
    """
    headline = whole.findings.headline

    def differences(part: Slice) -> dict[tuple[str, str], Difference | EdgeworthError]:
        try:
            found = find(part, headline)
        except EdgeworthError as error:
            return dict.fromkeys(whole.findings.pairs, error)
        if found.headline == headline:
            return dict(found.headlines)
        return {pair: found.difference(*pair)[headline] for pair in whole.findings.pairs}

    finish = partial(
        with_slices,
        slices=slices,
        find=differences,
        measure=headline,
        level=level,
        is_lower_better=whole.findings.direction == "lower",
        ranked=whole.findings.ranked,
    )
    return replace(whole, finish=finish) if slices else whole


def _about(
    findings: ComparisonFindings, asked: Asked, source: str, paths: Sequence[Path] = (), **known: Any
) -> dict[str, Any]:
    """Say where a comparison came from, and what was asked."""
    given = {name: asked.get(name) for name in ("level", "adjust", "seed", "clip", "predictions_made")}
    if source != TALLY:
        given |= {"power": asked.power, "missing": asked.missing, "dropped": findings.dropped}
        given |= {"cases": whole_or_none(findings.cases)}
    if asked.with_digest:
        given["digest"] = combine_digests(file_digests(paths))
    measures = None if asked.measures is None else ", ".join(asked.measures)
    return make_provenance(source=source, measures=measures, **{"kind": findings.kind} | given | known)


def _read(
    kind: Kind[Any], source: Source | None, truth: object, systems: dict[str, object], asked: Asked
) -> SystemTallies:
    """Read several systems, once their options have been checked."""
    asked = asked.checked(SEVERAL if kind.predictions == LABELS else kind.predictions)
    kind.check(asked.options)
    return kind.read_systems(source, truth, systems, asked.options)


def _find(read: SystemTallies, asked: Asked) -> ComparisonFindings:
    """Compare systems, and refuse options that their kind does not take."""
    title = "tables of different cases" if read.kind.predictions == LABELS else read.kind.title
    for name, (_, option) in options_of(DifferenceOptions).items():
        if name not in read.kind.difference_options and is_given(asked.get(name), option):
            raise OptionError(f"{flag_name(name)} has no meaning with {title}")
    findings = read.kind.compare(read.tallies, asked.options, clusters=read.clusters)
    notes = (*suspicious_systems(read.tallies), *findings.notes)
    return replace(findings, notes=notes, predictions_made=asked.get("predictions_made"))


def _as_systems(tally: object) -> SystemTallies:
    """Take what was tallied earlier: one tally of several systems, or a mapping of names to tallies."""
    kinds = {kind_if_tally(each) for each in (tally.values() if isinstance(tally, Mapping) else [tally])}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind is not None and isinstance(tally, Mapping) and (kind.holds_systems or not kind.is_comparable):
        raise OptionError(
            f"tallies of this kind ({kind.title}) cannot be compared with each other: compare the rows, with "
            "one column for each system"
        )
    if kind is None or not kind.is_comparable or kind.holds_systems == isinstance(tally, Mapping):
        raise OptionError(
            'give truth and systems, compare(truth, {"A": …, "B": …}), or one tally of them all; '
            f"saw {type(tally).__name__}"
        )
    return SystemTallies(kind, tally, TALLY)


def _open(asked: Asked, truth: Any, systems: Mapping[str, Any]) -> tuple[Source | None, Any, tuple[str, ...]]:
    """Open the data, and find the column of truth where nobody named it."""
    source = None if asked.data is None else open_source(asked.data)
    if asked.kind in (GRADES, "correct"):
        if truth is not None:
            raise OptionError("truth has no meaning with grades, which say already what is right")
        return source, None, ()
    if truth is not None:
        return source, truth, ()
    if source is None:
        raise OptionError("truth is needed: the column of actual classes")
    others = [*systems.values(), *(asked.get(name) for name in ("cluster", "query", "fold", "id", "weight"))]
    wide = [each if isinstance(each, (list, tuple)) else [each] for each in others]
    taken = [name for each in wide for name in each]
    return source, *find_truth(column_names(source, asked.data), taken)


def _of_logs(asked: Asked) -> Comparison:
    """Compare the systems of run logs, or of tally files."""
    if tallies := _read_tallies(asked.data):
        one = next(iter(tallies.values())) if len(tallies) == 1 else None
        if one is not None and kind_of(one.tally).predictions != SEVERAL:
            raise OptionError("a comparison needs two tallies, or one tally of several systems")
        return _of_tallies(tallies if one is None else one, asked.having(data=None))
    found = find_systems(asked.data, asked)
    if not found:
        data = list(asked.data.values()) if isinstance(asked.data, Mapping) else asked.data
        for table in data if isinstance(data, (list, tuple)) else [data]:
            open_source(table)  # what cannot be read is told first
        flags = "--prediction, --score, --probability, --probabilities, --correct, --grade"
        often = "twice at least" if asked.join is None and asked.system is None else "once"
        raise OptionError(f"no run log is given: say what to compare, {often} (systems=): one of {flags}")
    comparison: Comparison = compare_runs(found, asked, compare, _with_slices)
    return comparison


def _of_joined_grades(systems: Any, asked: Asked) -> Comparison:
    """Compare the grades in tables of their own, or of one long table."""
    joined = join_grades(systems, asked)
    findings = _find(SystemTallies(joined.kind, joined.grades, joined.title), asked)
    about = _about(findings, asked, joined.title, joined.paths, systems=", ".join(joined.grades))
    found = Comparison(findings, about, joined.notices, asked.digits)

    def find(part: Slice, measure: str) -> ComparisonFindings:
        read = SystemTallies(joined.kind, part.arrays, joined.title)
        return _find(read, asked.having(measures=[measure]))

    return _with_slices(found, joined.slices, find, asked.level)


def _read_tallies(data: Any) -> dict[str, TallyRecord]:
    """Read tally files by the names of their systems; nothing if some of the data are no tally files."""
    files = data if isinstance(data, (list, tuple, Mapping)) else [data]
    named = dict(files) if isinstance(files, Mapping) else dict(zip(name_systems(files), files, strict=True))
    others = [file for file in named.values() if not is_tally_file(file)]
    if len(others) == len(named):
        return {}
    if others:
        raise InputError(f"{others[0]} is no tally file, and others are: tally it too (edgeworth tally)")
    return {str(name): read_tally(file) for name, file in named.items()}


def _of_tallies(given: Any, asked: Asked) -> Comparison:
    """Compare what was tallied earlier: one tally of all systems, or one of each by name."""
    asked.refuse_all_but(AFTER_COUNTING)
    each = dict(given) if isinstance(given, Mapping) else {"": given}
    counted = {name: tally for name, tally in each.items() if isinstance(tally, TallyRecord)}
    tables = {name: tally for name, tally in counted.items() if kind_of(tally.tally).predictions == LABELS}
    _refuse_same_rows({name: tally.origin for name, tally in tables.items()})
    finals = each | {name: tally.final for name, tally in counted.items()}
    findings = _find(_as_systems(finals if isinstance(given, Mapping) else finals[""]), asked)
    parts = [part.source for tally in counted.values() for part in tally.origin.parts]
    source = ", ".join(dict.fromkeys(parts[:LISTED_SOURCES])) or TALLY
    notices = tuple(dict.fromkeys(notice for tally in counted.values() for notice in tally.notices))
    about = _about(findings, asked.having(with_digest=False), TALLY) | {"source": source}
    return Comparison(findings, about, notices, digits=asked.digits)


def _refuse_same_rows(origins: Mapping[str, Origin]) -> None:
    """Refuse tallies of the same file: their cases are pairs, and would be taken as different ones."""
    counted: dict[str, str] = {}
    for name, origin in origins.items():
        for part in origin.parts:
            if part.digest is not None and counted.setdefault(part.digest, name) != name:
                raise InputError(
                    f"{counted[part.digest]} and {name} were counted from the same file, {part.source}, so "
                    "their cases are the same: compare them in pairs, with one --prediction for each system"
                )


def _kind(kind: Predictions | None, systems: Mapping[str, Any], data: Any) -> str:
    """The kind that was said, or the only one it can be."""
    if kind is not None:
        return kind
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
        raise OptionError('the systems gave fractions: say kind="scores" or kind="probabilities"')
    return LABELS


def _is_fractional(column: Any, data: Any) -> bool:
    """Whether an array, or a column of a dataframe, has fractions; a file is not looked at twice."""
    try:
        array = np.asarray(column if data is None else data[column])
    except (TypeError, KeyError, IndexError, ValueError):  # no dataframe; rows of different lengths
        return False
    return array.dtype.kind == "f" and bool((array[np.isfinite(array)] % 1 != 0).any())


def _is_meant(asked: str, name: str) -> bool:
    """Whether a measure without a label, depth or options means this one."""
    wanted, known = canonical_spelling(asked), canonical_spelling(name)
    return (
        wanted.name == known.name
        and all(getattr(wanted, part) in (None, getattr(known, part)) for part in ("label", "depth"))
        and (not wanted.options or wanted.options == known.options)
    )


def _list_systems(systems: Mapping[str, Any], data: Any) -> str:
    """List the systems, with their columns where these are called otherwise."""
    if data is None:
        return ", ".join(systems)
    parts = []
    for name, columns in systems.items():
        said = columns if isinstance(columns, str) else ", ".join(columns)
        parts.append(name if said == name else f"{name} ({said})")
    return "; ".join(parts)
