"""The data of a release gate: run logs, tallies, or tables and arrays.

Each form has a subclass of ``GateData``, which uses the functions of ``evaluate`` and ``compare``.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, ParamSpec, TypeAlias, TypeVar

from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import cut_middle, plural
from edgeworth.core.kinds import AnyKind, Kind, kind_if_tally, kind_of
from edgeworth.core.options import CheckOptions, CompareOptions, Options, options_of, select_options
from edgeworth.core.tallies import Tally
from edgeworth.errors import EdgeworthError, OptionError
from edgeworth.gates.requirements import BASELINE, CANDIDATE, Requirement
from edgeworth.grades.grades import Grades
from edgeworth.pipeline.call_options import change, fill_in, set_columns, typed_name
from edgeworth.pipeline.slices import names_of_slices
from edgeworth.pipeline.tally_file import is_tally_file
from edgeworth.pipeline.tally_record import TallyRecord, holds_tallies
from edgeworth.pipeline.tally_rows import with_named_columns

if TYPE_CHECKING:
    from edgeworth.comparisons.comparison import Comparison, SliceFindings
    from edgeworth.comparisons.difference import Difference
    from edgeworth.comparisons.findings import ComparisonFindings
    from edgeworth.sources.runs.run import Item

Value = TypeVar("Value")
Arguments = ParamSpec("Arguments")
ByPart: TypeAlias = dict[str, Value | EdgeworthError]
"""A value per slice or task, by its name, or the error that explains why there is none."""

MAX_LISTED = 3
"""Items that a sentence names."""
MAX_ABSENT_LISTED = 5
"""Absent items that a sentence names."""
TRUE = frozenset({"1", "1.0", "true", "yes", "y", "t", "x", "must", "must pass"})
"""Values of a column that mark items which must be right."""


class Missing(NamedTuple):
    """Something that vanished, or is not finished: the gate fails unless that is allowed."""

    text: str
    """A sentence without its full stop."""
    allowed_by: str = "--allow-missing"
    """The options that allow it."""

    @property
    def is_allowed_as_missing(self) -> bool:
        """Whether ``--allow-missing`` allows it."""
        return "--allow-missing" in self.allowed_by


class ItemCheck(NamedTuple):
    """How many items had to be right, and which are wrong or absent."""

    number: int
    wrong: tuple[str, ...]
    absent: tuple[str, ...] = ()
    wrong_rows: float = 0.0
    """How many rows are wrong, if the rows have no ids."""
    example: str = ""
    """An id that is accepted, if some absent id is of no item."""

    def describe_wrong(self) -> str:
        """Write how many of the items that had to be right are wrong, and which."""
        number = self.wrong_rows or len(self.wrong)
        unit = plural(self.number, "row" if self.wrong_rows else "item")
        names = f" ({list_ids(self.wrong)})" if self.wrong else ""
        verb = "is" if number == 1 else "are"
        return f"{number:,.0f} of the {self.number:,} {unit} that must pass {verb} wrong{names}."

    def describe_absent(self) -> str:
        """Write which of the items that had to be right are absent, and what an id looks like."""
        example = f" (an id of these logs is {self.example!r})" if self.example else ""
        return f"Items that must pass are absent: {list_ids(self.absent, MAX_ABSENT_LISTED)}{example}."


class GateData(ABC):
    """What a gate asks of its data: estimates, differences, and what is missing."""

    candidate: str = CANDIDATE
    baseline: str | None = None
    unit: str = "case"
    tasks: tuple[str, ...] = ()
    """The tasks of run logs, if there are several."""

    @property
    def level_unit(self) -> str:
        """What is counted for a requirement on the candidate alone."""
        return self.unit

    @property
    def names(self) -> tuple[str, str]:
        """The names of candidate and baseline."""
        return self.candidate, self.baseline or ""

    @abstractmethod
    def estimate(self, measure: str) -> Estimate:
        """Estimate a measure of the candidate."""

    @abstractmethod
    def difference(self, measure: str) -> Difference:
        """Compare the candidate with the baseline, candidate less baseline."""

    def estimates_by(self, column: str, measure: str) -> ByPart[Estimate]:
        """Estimate a measure in each slice."""
        raise self._no_slices(column, measure)

    def differences_by(self, column: str, measure: str) -> ByPart[Difference]:
        """Compare in each slice."""
        raise self._no_slices(column, measure)

    def check_requirement(self, rule: Requirement) -> None:  # noqa: B027  # most data accept all of them
        """Refuse a requirement that can never be decided with data of this kind."""

    def missing(self) -> list[Missing]:
        """List what vanished since the baseline, and runs that did not finish."""
        return []

    def notices(self) -> tuple[str, ...]:
        """List remarks on the reading, such as detected columns."""
        return ()

    def check_items(self, must_pass: str | Sequence[str]) -> ItemCheck:
        """Check the items that must be right, by their ids or by a column that marks them."""
        raise OptionError(f"must-pass items need right-or-wrong answers with ids; saw {must_pass!r}")

    def _no_slices(self, column: str, *_: object) -> OptionError:
        return OptionError(f"a tally is counted already, so it has no column {column!r} for slices")


def open_gate(
    data: object,
    baseline: object,
    given: Mapping[str, object],
    *,
    measures: Sequence[str],
    by: Sequence[str],
) -> GateData:
    """Open the data of a gate: run logs, tallies, or tables and arrays.

    ``measures`` are those that are compared with the baseline, ``by`` the columns of all slices.
    """
    options = with_named_columns(data, fill_in("evaluate", CheckOptions, given))
    if options["qrels"] is not None:
        from edgeworth.pipeline.gate_tallies import TallyData

        return TallyData.of_search_runs(data, baseline, options, measures)
    if holds_tallies(data) or is_tally_file(data):
        from edgeworth.pipeline.gate_tallies import TallyData

        return TallyData.of(data, baseline, options, measures)
    if data is not None and options["truth"] is None:
        from edgeworth.pipeline.run_items import find_systems

        if systems := find_systems(data, change(options, by=None)):
            from edgeworth.pipeline.gate_runs import RunData

            return RunData.of(systems, data, baseline, options)
    if isinstance(data, Mapping) and data and all(isinstance(x, (str, os.PathLike)) for x in data.values()):
        raise OptionError("a name (NAME=FILE) is for run logs: give a table without one")
    _refuse_system_as_column(data, options)
    from edgeworth.pipeline.gate_tables import TableData

    return TableData(data, baseline, options, tuple(measures), tuple(by))


def _refuse_system_as_column(data: object, options: Options) -> None:
    """Raise an error if a column is named as a system of run logs is."""
    from edgeworth.pipeline.run_items import COLUMNS, find_systems
    from edgeworth.sources.runs.reading import log_files

    given = {name: x for name, x in select_options(options, COLUMNS).items() if isinstance(x, str)}
    if not given or not isinstance(data, (str, os.PathLike)) or "://" in str(data) or not log_files(data):
        return
    systems = find_systems(data, set_columns(change(options, by=None), dict.fromkeys(given)))
    for name, value in given.items():
        if value in systems:
            raise OptionError(f"{value!r} is a system of run logs: leave out {typed_name(name)}")


def attempt(
    compute: Callable[Arguments, Value], *args: Arguments.args, **given: Arguments.kwargs
) -> Value | EdgeworthError:
    """Compute a value, or return the error that explains why there is none."""
    try:
        return compute(*args, **given)
    except EdgeworthError as error:
        return error


def pair_difference(
    comparison: Comparison | ComparisonFindings, names: tuple[str, str], measure: str
) -> Difference:
    """Take the difference of one pair, first less second, by a measure under any of its spellings."""
    from edgeworth.comparisons.comparison import Comparison

    findings = comparison.findings if isinstance(comparison, Comparison) else comparison
    differences = findings.difference(*names)
    return differences[measure] if measure in differences else Comparison(findings)[names][measure]


def gate_comparison_options(options: Options, measures: Sequence[str]) -> Options:
    """Turn the options of a gate into those of a comparison."""
    from edgeworth.pipeline.compare_data import comparison_options

    given = {
        name: value
        for name, value in select_options(options, options_of(CheckOptions)).items()
        if name in options_of(CompareOptions)
    }
    return comparison_options({**given, "measures": list(measures), "with_digest": False})


def slice_differences(
    slices: Callable[[str], list[SliceFindings]] | None, names: tuple[str, str], column: str, measure: str
) -> ByPart[Difference]:
    """Take the difference of one pair in the slices of one column."""
    differences: ByPart[Difference] = {}
    for by, name, findings in slices(measure) if slices is not None else ():
        if by != column:
            continue
        if isinstance(findings, EdgeworthError):
            differences[name] = findings
        else:
            differences[name] = pair_difference(findings, names, measure)
    return differences


def check_tallies(marked: ByPart[Tally]) -> ItemCheck:
    """Count the rows that are not right."""
    number, wrong = 0.0, 0.0
    for tally in marked.values():
        if isinstance(tally, EdgeworthError):
            raise tally
        counted = kind_of(tally).wrong_cases(tally)
        if counted is None:
            raise OptionError("--must-pass needs labels, or answers that are right or wrong")
        number, wrong = number + counted[0], wrong + counted[1]
    return ItemCheck(round(number), (), wrong_rows=wrong)


def split_ids(must_pass: str | Sequence[str]) -> list[str]:
    """Split ids at commas."""
    parts = must_pass.split(",") if isinstance(must_pass, str) else list(must_pass)
    ids = [str(part).strip() for part in parts]
    if not all(ids) or not ids:
        raise OptionError(f"--must-pass is a list of ids separated by commas; saw {must_pass!r}")
    return ids


def check_grades(grades: Grades, ids: Sequence[str]) -> ItemCheck:
    """Find the items that are wrong in some repeat, or absent."""
    if not grades.is_binary:
        raise OptionError("--must-pass needs answers that are right or wrong, and these are points")
    means = {str(item): mean for item, mean in zip(grades.ids or (), grades.means.tolist(), strict=False)}
    wrong = tuple(item for item in ids if item in means and means[item] < 1)
    return ItemCheck(len(ids), wrong, tuple(item for item in ids if item not in means))


def name_pair(data: object, baseline: object) -> tuple[str, str]:
    """Name candidate and baseline by their files, unless the names are equal or there are no files."""
    pair = {CANDIDATE: data, BASELINE: baseline}
    candidate, reference = (
        Path(file).stem if isinstance(file, (str, os.PathLike)) else name for name, file in pair.items()
    )
    return (candidate, reference) if candidate != reference else (CANDIDATE, BASELINE)


def describe_data(data: object) -> str:
    """Name data in an error: the path of a file, otherwise the type."""
    return str(data) if isinstance(data, (str, os.PathLike)) else type(data).__name__


def list_items(items: Iterable[Item]) -> str:
    return list_ids([item.id for item in items])


def list_ids(ids: Sequence[str], limit: int = MAX_LISTED) -> str:
    listed = ", ".join(cut_middle(name, 40) for name in ids[:limit])
    return f"{listed}, …" if len(ids) > limit else listed


def known_kinds(data: object, kind: object) -> tuple[AnyKind, ...]:
    """List the kinds whose measures are looked up first: the one that was passed, and that of a tally."""
    tally = data.tally if isinstance(data, TallyRecord) else data
    own = (kind if isinstance(kind, Kind) else None, kind_if_tally(tally))
    return tuple(x for x in own if x is not None)


def names_of_columns(by: object) -> list[str]:
    """List the columns of slices: names, or the keys of arrays by name."""
    if by is None:
        return []
    return list(map(str, by)) if isinstance(by, Mapping) else names_of_slices(by)
