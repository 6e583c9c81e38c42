"""The data of a gate in tallies that were counted before."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import cast

from edgeworth.comparisons.comparison import Comparison
from edgeworth.comparisons.difference import Difference
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import plural
from edgeworth.core.kinds import kind_if_tally, kind_of
from edgeworth.core.options import Options, select_options
from edgeworth.core.tallies import Tally
from edgeworth.errors import OptionError
from edgeworth.grades.grades import Grades
from edgeworth.pipeline.call_options import flag_name, given_options, refuse_all_but
from edgeworth.pipeline.compare_data import (
    compare_tallies,
    comparison_options,
)
from edgeworth.pipeline.evaluate_data import estimate_of
from edgeworth.pipeline.gate_data import (
    GateData,
    ItemCheck,
    Missing,
    check_grades,
    describe_data,
    list_ids,
    name_pair,
    pair_difference,
    split_ids,
)
from edgeworth.pipeline.tally_file import is_tally_file, read_tally
from edgeworth.pipeline.tally_record import TallyRecord

SEARCH_RUN_OPTIONS = ("qrels", "relevant_from", "queries", "level", "rng", "digits", "power")
"""What can be decided about search runs beside their files."""

DIFFERENT_CASES = (
    "These tallies do not show which cases they count, so the candidate and the baseline are compared as "
    "independent samples. To compare them on the same cases, check the predictions themselves."
)


@dataclass(frozen=True, eq=False)
class TallyData(GateData):
    """What was counted already: a tally of the candidate and one of the baseline, or one of both."""

    tallies: Mapping[str, TallyRecord]
    options: Options
    measures: tuple[str, ...]
    candidate: str
    baseline: str | None

    @classmethod
    def of(cls, data: object, baseline: object, options: Options, measures: Sequence[str]) -> TallyData:
        """Read tally files and find candidate and baseline."""
        refuse_all_but(options, ("level", "rng", "digits", "power", "guess_rate", "queries", "abstentions"))
        if isinstance(data, Mapping):
            raise OptionError("a gate checks one candidate: pass its tally as data and the other as baseline")
        own = _as_record(data)
        if kind_of(own.tally).holds_systems:
            names = list(getattr(own.tally, "names", ()))
            candidates = [name for name in names if name != baseline]
            if baseline not in names or len(candidates) != 1:
                raise OptionError(f"--baseline names one of the systems {', '.join(names)}; saw {baseline!r}")
            return cls({"": own}, options, tuple(measures), candidates[0], str(baseline))
        if baseline is None:
            candidate, _ = name_pair(data, None)
            return cls({candidate: own}, options, tuple(measures), candidate, None)
        candidate, reference = name_pair(data, baseline)
        pair = {candidate: own, reference: _as_record(baseline)}
        kinds = [kind_of(record.tally).title for record in pair.values()]
        if len(set(kinds)) > 1:
            raise OptionError(
                f"candidate and baseline are of one kind; saw {kinds[0]} in {candidate} and {kinds[1]} in "
                f"{reference}"
            )
        return cls(pair, options, tuple(measures), candidate, reference)

    @classmethod
    def of_search_runs(
        cls, data: object, baseline: object, options: Options, measures: Sequence[str]
    ) -> TallyData:
        """Read search runs and their judgements: one list per query."""
        from edgeworth.pipeline.search_runs import judge_run
        from edgeworth.rankings.trec.files import read_qrels, read_run

        for name in given_options(options):
            if name not in SEARCH_RUN_OPTIONS:
                raise OptionError(f"{flag_name(name)} is not supported with search runs (--qrels)")
        if baseline is not None and str(data) == str(baseline):
            raise OptionError(f"candidate and baseline are the same run, {data}: name two files")
        judged = read_qrels(_as_path(options["qrels"], "judgements"))
        grade = 1 if options["relevant_from"] is None else options["relevant_from"]
        records: dict[str, TallyRecord] = {}
        pair = zip(name_pair(data, baseline), (data, baseline), strict=True)
        for name, run in pair if baseline is not None else [next(pair)]:
            lists, notices = judge_run(name, read_run(_as_path(run, name)), judged, relevant_from=grade)
            records[name] = TallyRecord(lists, notices=tuple(notices))
        candidate, *others = records
        return cls(records, options, tuple(measures), candidate, others[0] if others else None)

    @cached_property
    def comparison(self) -> Comparison:
        """The comparison of both tallies."""
        given = select_options(self.options, ("level", "rng", "power", "digits"))
        options = comparison_options({**given, "measures": list(self.measures)})
        return compare_tallies(self.tallies.get("", dict(self.tallies)), options)

    @property
    def unit(self) -> str:  # type: ignore[override]  # depends on the kind
        """What is counted."""
        return self.comparison.findings.unit if self.measures else self.level_unit

    @property
    def level_unit(self) -> str:
        """What is counted for a requirement on the candidate alone."""
        return kind_of(next(iter(self.tallies.values())).final).unit

    def estimate(self, measure: str) -> Estimate:
        """Estimate a measure of the candidate."""
        if "" in self.tallies:
            tally = self.tallies[""].final
            if not hasattr(tally, "table_alone"):
                raise OptionError(
                    f"a tally of several systems has no {measure} of one: tally the candidate alone"
                )
            return estimate_of(tally.table_alone(self.candidate), measure, self.options)
        return estimate_of(self.tallies[self.candidate].final, measure, self.options)

    def difference(self, measure: str) -> Difference:
        """Compare candidate and baseline."""
        return pair_difference(self.comparison, self.names, measure)

    def missing(self) -> list[Missing]:
        """List items or queries that the candidate lacks."""
        if self.baseline is None or "" in self.tallies:
            return []
        tallies = [self.tallies[name].final for name in self.names]
        kept, before = (kind_of(tally).unit_names(tally) for tally in tallies)
        if kept is None or before is None:
            return []
        kept_names = set(kept)
        gone = [str(name) for name in before if name not in kept_names]
        if not gone:
            return []
        units = plural(len(gone), kind_of(tallies[0]).unit)
        return [Missing(f"{len(gone):,} {units} vanished from {self.candidate} ({list_ids(gone)})")]

    def notices(self) -> tuple[str, ...]:
        """List what the reader should know about how the tallies were counted."""
        notices = dict.fromkeys(notice for record in self.tallies.values() for notice in record.notices)
        if self.measures and all(kind_of(x.final).has_different_cases for x in self.tallies.values()):
            notices[DIFFERENT_CASES] = None
        return tuple(notices)

    def check_items(self, must_pass: str | Sequence[str]) -> ItemCheck:
        """Check graded items by their ids."""
        tally = self.tallies.get(self.candidate, next(iter(self.tallies.values()))).final
        if not isinstance(tally, Grades) or tally.ids is None:
            raise OptionError("--must-pass with a tally needs grades that have ids")
        return check_grades(tally, split_ids(must_pass))


def _as_record(data: object) -> TallyRecord:
    if is_tally_file(data):
        return read_tally(str(data))
    if isinstance(data, TallyRecord):
        return data
    if kind_if_tally(data) is None:
        raise OptionError(f"the candidate is a tally, so the baseline is one too; saw {describe_data(data)}")
    return TallyRecord(cast(Tally, data))


def _as_path(run: object, name: str) -> Path:
    if isinstance(run, (str, os.PathLike)):
        return Path(run)
    raise OptionError(f"with --qrels, the {name} is one file; saw {describe_data(run)}")
