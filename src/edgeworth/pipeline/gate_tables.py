"""The data of a gate in tables or arrays."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from edgeworth.common.choices import PREDICTIONS_OF_OPTION, Unmatched
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import plural
from edgeworth.core.options import Options, select_options
from edgeworth.core.tallies import Tally, dropped_rows
from edgeworth.errors import EdgeworthError, OptionError, UnmatchedError
from edgeworth.gates.requirements import BASELINE, CANDIDATE
from edgeworth.grades.grades import Grades
from edgeworth.pipeline.call_options import change, own_kind, tally_kind
from edgeworth.pipeline.evaluate_data import count_slices, estimate_of
from edgeworth.pipeline.gate_data import (
    TRUE,
    ByPart,
    GateData,
    ItemCheck,
    Missing,
    attempt,
    check_grades,
    check_tallies,
    gate_comparison_options,
    name_pair,
    pair_difference,
    slice_differences,
    split_ids,
)
from edgeworth.pipeline.tally_record import TallyRecord
from edgeworth.pipeline.tally_rows import Opened, column_names, count, settle_weights
from edgeworth.sources.column_roles import FORMS, GRADED, names_of

if TYPE_CHECKING:
    from edgeworth.comparisons.comparison import Comparison
    from edgeworth.comparisons.difference import Difference


@dataclass(frozen=True, eq=False)
class TableData(GateData):
    """A table or arrays, with the baseline in a column of its own, in another file, or under its name."""

    data: object
    baseline_given: object
    options: Options
    measures: tuple[str, ...]
    by: tuple[str, ...]

    @cached_property
    def opened(self) -> Opened:
        """The candidate's table, with a column for each role."""
        options = self.options
        if options["system"] is not None:
            raise OptionError(
                "one table holds several systems, so only requirements on the baseline can be checked: for a "
                "level, give a table of the candidate alone"
            )
        alone = change(
            options,
            join=None,
            truth_file=None,
            unmatched="drop",
            by=None,
            verb="evaluate",
            with_digest=False,
        )
        opened = Opened.of(self.data, alone)
        options, notices = settle_weights(opened.source, opened.options)
        if tally_kind(options).holds_systems:
            raise OptionError("a gate checks one candidate: give one prediction, and the other as --baseline")
        return Opened(opened.source, options, (*opened.notices, *notices))

    @cached_property
    def record(self) -> TallyRecord:
        """The candidate's tally."""
        return count(self.opened, is_final=True)

    @property
    def form(self) -> str:
        """Which form of predictions the candidate has."""
        forms = select_options(self._roles, (*FORMS, *GRADED))
        return next(name for name, column in forms.items() if column is not None)

    @cached_property
    def _roles(self) -> Options:
        named = select_options(self.options, (*FORMS, *GRADED))
        if any(column is not None for column in named.values()):
            return self.options
        return self.opened.options

    def estimate(self, measure: str) -> Estimate:
        """Estimate a measure of the candidate."""
        return estimate_of(self.record.final, measure, self.opened.options)

    def estimates_by(self, column: str, measure: str) -> ByPart[Estimate]:
        """Count each slice and estimate the measure there."""
        return {
            name: tally
            if isinstance(tally, EdgeworthError)
            else attempt(estimate_of, tally, measure, self.opened.options)
            for name, tally in self._slice_tallies(column).items()
        }

    def _slice_tallies(self, column: str) -> ByPart[Tally]:
        counted = count_slices(self.opened, self.record.final, self._by_column(column))
        return {part.name: tally for part, tally in counted}

    def _by_column(self, column: str) -> object:
        if self.data is not None:
            return [column]
        given = self.options["by"]
        if isinstance(given, Mapping) and column in given:
            return {column: given[column]}
        raise OptionError(f"there is no array {column!r} for slices: pass by={{{column!r}: …}}")

    @cached_property
    def _compared(self) -> tuple[Comparison, Mapping[str, tuple[int, str]]]:
        """The comparison, and how many rows of each table do not match, with the ids of the first ones."""
        try:
            return self._compare("error"), {}
        except UnmatchedError as error:
            return self._compare("drop"), error.unmatched

    def _compare(self, unmatched: Unmatched) -> Comparison:
        from edgeworth.pipeline.compare_data import compare_columns, compare_joined

        options, form, column = self._roles, self.form, self._column
        base = gate_comparison_options(options, self.measures)
        by = self.options["by"] if self.data is None else list(self.by) or None
        if self._has_ids_of_rows:
            base = change(base, id=None, cluster=self.opened.options["cluster"])
        base = change(
            base,
            kind=own_kind(options) or PREDICTIONS_OF_OPTION[form],
            data=self.data,
            truth=options["truth"],
            by=by,
        )
        if options["system"] is not None:
            return compare_joined(column, change(base, unmatched=unmatched))
        if self.is_file:
            if options["join"] is None:
                raise OptionError(
                    "the baseline is another file: name the column that identifies a case (--join COLUMN)"
                )
            tables = dict(zip(self.names, (self.data, self.baseline_given), strict=True))
            return compare_joined(column, change(base, data=tables, unmatched=unmatched))
        return compare_columns(dict(zip(self.names, (column, self.baseline_given), strict=True)), base)

    @property
    def _has_ids_of_rows(self) -> bool:
        """Whether ids name rows, and not items or documents: rows that repeat an id are then a cluster."""
        has_own_ids = self.form in GRADED or self.options["query"] is not None
        return self.options["id"] is not None and self.options["system"] is None and not has_own_ids

    @property
    def _column(self) -> object:
        return select_options(self._roles, [self.form])[self.form]

    @cached_property
    def is_file(self) -> bool:
        """Whether the baseline is a table of its own, and not a column or the name of a system."""
        given = self.baseline_given
        if self.options["system"] is not None or self.data is None:
            return False
        if not isinstance(given, (str, os.PathLike)):
            return hasattr(given, "columns") or hasattr(given, "column_names")
        if isinstance(given, str) and self.options["join"] is None and given in self._columns:
            return False
        return Path(given).exists()

    @cached_property
    def _columns(self) -> list[str]:
        from edgeworth.sources.opening import open_source

        return column_names(open_source(self.data), self.data)

    @cached_property
    def names(self) -> tuple[str, str]:
        """What candidate and baseline are called."""
        column, given = self._column, self.baseline_given
        if self.options["system"] is not None:
            names = self._compared[0].names
            candidates = [name for name in names if name != given]
            if given not in names or len(candidates) != 1:
                raise OptionError(
                    "with --system, --baseline names one of two systems; there are "
                    f"{', '.join(names)}, saw {given!r}"
                )
            return candidates[0], str(given)
        if self.is_file:
            return name_pair(self.data, given)
        if isinstance(column, str) and isinstance(given, str):
            if column == given:
                raise OptionError(f"candidate and baseline are the same column, {given!r}")
            if self.data is not None and given not in self._columns:
                raise OptionError(
                    f"the baseline {given!r} is neither a column nor a file; there are "
                    f"{', '.join(self._columns[:12])}"
                )
            return column, given
        return CANDIDATE, BASELINE

    @property
    def candidate(self) -> str:  # type: ignore[override]  # found in the data
        """What the candidate is called."""
        if self.baseline_given is not None:
            return self.names[0]
        return self._column if isinstance(self._column, str) else CANDIDATE

    @property
    def baseline(self) -> str | None:  # type: ignore[override]  # found in the data
        """What the baseline is called."""
        return None if self.baseline_given is None else self.names[1]

    @property
    def unit(self) -> str:  # type: ignore[override]  # depends on the kind
        """What is counted."""
        options = self.opened.options if self._has_ids_of_rows else self.options
        is_clustered = options["query"] is None and options["cluster"] is not None
        return "cluster" if is_clustered else self.level_unit

    @property
    def level_unit(self) -> str:
        """What is counted for a requirement on the candidate alone: cases, also if they are clustered."""
        own = own_kind(self.options)
        if own is not None:
            return own.unit
        if self.options["query"] is not None:
            return "query"
        return "item" if self.form in GRADED else "case"

    def difference(self, measure: str) -> Difference:
        """Compare the candidate with the baseline."""
        return pair_difference(self._compared[0], self.names, measure)

    def differences_by(self, column: str, measure: str) -> ByPart[Difference]:
        """Compare in each slice."""
        slices = self._compared[0].compare_slices
        return slice_differences(slices, self.names, column, measure)

    def missing(self) -> list[Missing]:
        """List rows of the baseline that the candidate lacks."""
        number, ids = self._unmatched_in(1)
        if not number:
            return []
        candidate, baseline = self.names
        return [
            Missing(f"{number:,} {plural(number, 'row')} of {baseline} vanished from {candidate} ({ids})")
        ]

    def _unmatched_in(self, system: int) -> tuple[int, str]:
        """Count the rows of the candidate (0) or the baseline (1) that the other lacks, with ids."""
        if self.baseline_given is None or not self.measures:
            return 0, ""
        return self._compared[1].get(self.names[system], (0, ""))

    def notices(self) -> tuple[str, ...]:
        """List the columns that were detected, and the rows that were dropped."""
        from edgeworth.comparisons.findings import describe_dropped

        notices = self.opened.notices if "opened" in vars(self) else ()
        if self.baseline_given is not None and self.measures and not self._compared[1]:
            notices += tuple(notice for notice in self._compared[0].notices if notice not in notices)
        dropped = dropped_rows(self.record.tally) if "record" in vars(self) else 0
        if "_compared" in vars(self):
            dropped = self._compared[0].findings.dropped
        new, ids = self._unmatched_in(0)
        if new:
            verb = plural(new, "row of the candidate is new and is", "rows of the candidate are new and are")
            notices += (f"{new:,} {verb} not compared ({ids}).",)
        return (*notices, *describe_dropped(dropped))

    def check_items(self, must_pass: str | Sequence[str]) -> ItemCheck:
        """Check the rows that a column marks, or graded items by their ids."""
        column = must_pass if isinstance(must_pass, str) else ""
        if self.data is not None and column in self._columns:
            marked = {
                name: tally
                for name, tally in self._slice_tallies(column).items()
                if name.strip().lower() in TRUE
            }
            if not marked:
                raise OptionError(f"no row has a true value (1, true, yes, x) in {column!r} (--must-pass)")
            return check_tallies(marked)
        tally, ids = self.record.final, split_ids(must_pass)
        if isinstance(tally, Grades) and tally.ids is not None:
            return check_grades(tally, ids)
        check_tallies({"": tally})
        return self._check_ids(ids)

    def _check_ids(self, ids: Sequence[str]) -> ItemCheck:
        """Check the rows that have some ids."""
        options = self.options
        column = options["id"] if options["id"] is not None else options["join"]
        if column is None or len(names_of(column)) > 1:
            raise OptionError(
                "--must-pass is a column that marks rows, or ids (with --id COLUMN, or --join COLUMN); "
                f"saw {','.join(ids)!r}"
            )
        by = {"id": column} if self.data is None else column
        counted = count_slices(self.opened, self.record.final, by, frozenset(ids))
        rows = {part.name: check_tallies({part.name: tally}) for part, tally in counted}
        wrong = tuple(name for name in ids if name in rows and rows[name].wrong_rows)
        return ItemCheck(len(ids), wrong, tuple(name for name in ids if name not in rows))
