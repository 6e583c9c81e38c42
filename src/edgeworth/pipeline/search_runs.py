"""Search runs against judgements: reading, measuring, comparing, and tables for a paper."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

import numpy as np

from edgeworth.comparisons.findings import ComparisonFindings
from edgeworth.comparisons.paired_values.differences import compare_queries
from edgeworth.comparisons.paper_table import PaperTable, check_baseline, make_paper_table
from edgeworth.comparisons.report import compose_comparison
from edgeworth.comparisons.unit_differences import unit_chart, unit_section
from edgeworth.core.formatting import digits_shown, format_percent, plural
from edgeworth.core.options import Options
from edgeworth.errors import InputError, OptionError
from edgeworth.rankings.findings import ListFindings, examine_lists
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.measure_lookup import measure_lists
from edgeworth.rankings.measures import TREC_NAMES
from edgeworth.rankings.report import COMPARED_TREC, requested_name, trec_name, trec_report
from edgeworth.rankings.trec.files import Qrels, TrecRun, rank_conflicts, read_qrels, read_run
from edgeworth.rankings.trec.identifiers import texts_of
from edgeworth.rankings.trec.judgements import UNJUDGED
from edgeworth.rankings.trec.names import COUNTS, read_run_measures
from edgeworth.report.formats import grid_to_csv, write_text
from edgeworth.report.frames import Row, estimate_rows
from edgeworth.report.report import Charts, Grid, Report, Section, join_reports, make_columns, make_provenance
from edgeworth.report.wording import describe_measure

MAX_JUDGED_GAP = 0.05
"""Runs whose shares of judged documents differ by this much get a warning: the difference biases means."""

JUDGED_DEPTH = 10
"""The depth at which a report states how many documents were judged."""


@dataclass(frozen=True, repr=False)
class SearchReport(Report):
    """A report on search runs, which also writes a table for a paper and the values of each query."""

    table: PaperTable | None = field(default=None, repr=False)

    def to_latex(self, path: str | Path | None = None) -> str:
        """Write runs × measures as a LaTeX tabular; also to ``path`` when given."""
        return write_text(self._paper_table().to_latex(), path)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Write runs × measures as CSV, with adjusted p-values if there is a baseline.

        Measures have the names that they have in ``to_per_query``.
        """
        table = self._paper_table()
        names = {measure: requested_name(measure) for measure in table.measures}
        return write_text(replace(table, measures=names).to_csv(), path)

    def to_markdown(self, path: str | Path | None = None, *, title: str = "") -> str:
        """Write the report as Markdown, the table of runs and measures before everything else."""
        report = super().to_markdown(title=title)
        head, *rest = report.split("\n", 1) if title else ("", report)
        start = f"{head}\n\n" if title else ""
        return write_text(f"{start}{self._paper_table().to_markdown()}\n{''.join(rest).lstrip()}", path)

    def to_per_query(self, path: str | Path | None = None) -> str:
        """Write one row per run, query and measure as CSV: the queries that the means are over."""
        columns = make_columns("run/text", "query/text", "measure/text", "value")
        rows = tuple(
            (row["system"], row["item"], requested_name(row["measure"]), row["value"]) for row in self.items()
        )
        return write_text(grid_to_csv(Grid("", columns, rows)), path)

    def _paper_table(self) -> PaperTable:
        assert self.table is not None
        return self.table


def evaluate_runs(
    qrels: str | Path, runs: Sequence[str | Path] | Mapping[str, str | Path], options: Options
) -> SearchReport:
    """Evaluate runs, and compare them if there are several."""
    with digits_shown(options["digits"]):
        return replace(_evaluate(qrels, runs, options), digits=options["digits"])


def _evaluate(
    qrels: str | Path, runs: Sequence[str | Path] | Mapping[str, str | Path], options: Options
) -> SearchReport:
    measures = read_run_measures(tuple(options["measures"] or ()))
    level, seed = options["level"], options["seed"]
    grade = 1 if options["relevant_from"] is None else options["relevant_from"]
    if not runs:
        raise OptionError("there is no run to evaluate")
    judged = read_qrels(Path(qrels))
    findings: dict[str, ListFindings] = {}
    warnings: list[str] = []
    for name, run in _read_runs(runs, rank_only=options["rank_only"]).items():
        is_zero = options["no_targets"] == "zero"
        lists, doubts = judge_run(name, run, judged, relevant_from=grade, empty_is_zero=is_zero)
        if options["absent"] == "zero":
            lists = lists.with_absent()
        wanted = measures or tuple(TREC_NAMES.values())
        findings[name] = examine_lists(lists, measures=wanted, ties="trec", level=level, seed=seed)
        warnings += doubts
    baseline = options["baseline"]
    if baseline is not None:
        check_baseline(baseline, list(findings))
        if len(findings) < 2:
            raise OptionError("--baseline needs another run to compare: name two runs or more")
    about = {"qrels": str(qrels), "runs": ", ".join(findings), "measures": ", ".join(measures) or None}
    rules: dict[str, object] = {
        "relevant_from": grade,
        "absent": options["absent"],
        "no_targets": options["no_targets"],
    }
    rules |= {"baseline": baseline, "rank_only": options["rank_only"] or None}
    provenance = make_provenance(**about, **rules, level=level, seed=seed)
    report = trec_report(findings, provenance, are_chosen=bool(measures))
    coverage = {name: _judged_share(run_findings.lists) for name, run_findings in findings.items()}
    # Judgements that list only relevant documents do not show which others were judged.
    has_rejections = any(run_findings.lists.rejected.any() for run_findings in findings.values())
    report = replace(
        report,
        sections=(*report.sections, _counts_section(findings, coverage)),
        warnings=(*warnings, *(_coverage_warnings(coverage) if has_rejections else ()), *report.warnings),
        numbers={**report.numbers, "counts": _counts(findings), "judged_shares": coverage},
        rows=lambda: [
            *chain(
                *(
                    estimate_rows(run, run_findings.estimates.values(), level)
                    for run, run_findings in findings.items()
                )
            )
        ],
        items=lambda: _items(findings),
    )
    headings = _headings(findings, are_chosen=bool(measures))
    values = {
        name: {measure: run_findings.estimates[measure].value for measure in headings}
        for name, run_findings in findings.items()
    }
    if len(findings) < 2:
        table = PaperTable(headings, values, digits=options["digits"])
        return SearchReport(**vars(report), table=table)
    lists_by_run = {name: run_findings.lists for name, run_findings in findings.items()}

    def compare_by(names: list[str] | None) -> ComparisonFindings:
        adjust = options["adjust"] or "holm"
        return compare_queries(
            lists_by_run, measures=names, queries=options["queries"], adjust=adjust, level=level, seed=seed
        )

    compared = compare_by(list(headings) if measures else None)
    has_all = set(headings) <= set(compared.measures)
    table = make_paper_table(
        compared if has_all or baseline is None else compare_by(list(headings)),
        headings,
        values,
        baseline=baseline,
        digits=options["digits"],
        remark=_describe_queries(findings),
    )
    comparison = compose_comparison(compared, provenance)
    # The leaderboard has the mean of each run, so the verdict is that of the comparison.
    whole = replace(
        join_reports(comparison, report),
        verdict=comparison.verdict,
        citation=comparison.citation,
        lead=comparison.lead,
    )
    whole = _with_queries(whole, findings, compared, baseline)
    return SearchReport(**vars(replace(whole, rows=report.rows, items=report.items)), table=table)


def judge_run(
    name: str, run: TrecRun, judged: Qrels, *, relevant_from: int, empty_is_zero: bool = True
) -> tuple[RankedLists, list[str]]:
    """Put a run beside its judgements, and list what may be wrong with the files."""
    lists = RankedLists.from_qrels(judged, run, relevant_from=relevant_from, empty_is_zero=empty_is_zero)
    if not lists.number:
        own, other = run.query.labels[0], judged.query.labels[0]
        raise InputError(
            f"{name}: none of its queries ({own!r}, …) is judged in {judged.name} ({other!r}, …): do both "
            "files have the query in the first column?"
        )
    return lists, [*_conflict_warning(name, run), *_overlap_warning(name, lists, run, judged)]


def _read_runs(
    runs: Sequence[str | Path] | Mapping[str, str | Path], *, rank_only: bool
) -> dict[str, TrecRun]:
    """Read each run under its given name, or else under its tag, its file's name or its path.

    Tags are used if all runs have different ones, and otherwise the names of the files.
    """
    named = runs if isinstance(runs, Mapping) else {}
    name_by_path = {str(path): name for name, path in named.items()}
    paths = [str(path) for path in (named.values() if named else runs)]
    if len(set(paths)) < len(paths):
        raise OptionError("a run is given twice")
    read = {path: read_run(Path(path), rank_only=rank_only) for path in paths}
    candidates = (
        [name_by_path.get(path) or run.tag for path, run in read.items()],
        [name_by_path.get(path) or Path(path).name for path in paths],
        [name_by_path.get(path) or path for path in paths],
    )
    names = next(
        names
        for names in candidates
        if (all(names) and len(set(names)) == len(names)) or names == candidates[-1]
    )
    return dict(zip(names, read.values(), strict=True))


def _conflict_warning(name: str, run: TrecRun) -> list[str]:
    """Warn of a run whose ranks and scores disagree."""
    number, every = rank_conflicts(run), len(run.query.labels)
    if run.rank is not None and np.ptp(run.rank) and not np.ptp(run.score):
        return [
            f"{name}: all scores are equal, so the document ids decide the order, as in trec_eval. If the "
            "ranks are right, add --rank-only."
        ]
    if not number:
        return []
    return [
        f"{name}: ranks and scores disagree in {number:,} of {every:,} {plural(every, 'query')}. The scores "
        "decide, as in trec_eval. If the ranks are right, add --rank-only."
    ]


def _overlap_warning(name: str, lists: RankedLists, run: TrecRun, judged: Qrels) -> list[str]:
    """Warn of a run without a single judged document, whose documents probably have other ids."""
    if (lists.grades > UNJUDGED).any():
        return []
    own, other = (texts_of(ids.document[:1])[0] for ids in (run, judged))
    return [
        f"{name}: none of its documents ({own!r}, …) is judged for its query ({other!r}, …), so every "
        "measure is 0. Do the run and the judgements use the same document ids?"
    ]


def _judged_share(lists: RankedLists) -> float | None:
    """Return the mean share of the first documents that were judged."""
    share = measure_lists(lists, f"judged@{JUDGED_DEPTH}(ties=trec)")
    return None if math.isnan(share) else share


def _coverage_warnings(coverage: Mapping[str, float | None]) -> list[str]:
    """Warn if runs differ in how many of their first documents were judged."""
    known = {name: share for name, share in coverage.items() if share is not None}
    if len(known) < 2 or max(known.values()) - min(known.values()) < MAX_JUDGED_GAP:
        return []
    most, least = max(known, key=known.__getitem__), min(known, key=known.__getitem__)
    return [
        f"Judges saw {format_percent(known[most])} of the first {JUDGED_DEPTH} documents of {most}, but "
        f"{format_percent(known[least])} of {least}. Documents that were not judged count as not relevant, "
        f"which puts {least} at a disadvantage: judge them, or compare by bpref."
    ]


def _counts(findings: Mapping[str, ListFindings]) -> dict[str, dict[str, int]]:
    """Count queries and documents of each run as trec_eval does."""
    counts = {}
    for name, run_findings in findings.items():
        lists = run_findings.lists
        retrieved = int(lists.is_target.sum())
        numbers = (lists.number, len(lists.scores), int(lists.targets.sum()), retrieved)
        counts[name] = dict(zip(COUNTS, numbers, strict=True))
    return counts


def _counts_section(findings: Mapping[str, ListFindings], coverage: Mapping[str, float | None]) -> Section:
    columns = make_columns(
        "run/text", *(f"{name}/count" for name in COUNTS), f"judged@{JUDGED_DEPTH}/percent"
    )
    rows = tuple((name, *numbers.values(), coverage[name]) for name, numbers in _counts(findings).items())
    note = "; ".join(f"{name}: {words}" for name, words in COUNTS.items())
    note += f"; judged@{JUDGED_DEPTH}: the share of the first {JUDGED_DEPTH} documents that were judged"
    return Section("Queries and documents", (), (Grid("", columns, rows, note),))


def _describe_queries(findings: Mapping[str, ListFindings]) -> str:
    """Remark that runs have different queries: each mean is over a run's own, each test over common ones."""
    queries = {name: frozenset(run_findings.lists.queries) for name, run_findings in findings.items()}
    if len(set(queries.values())) == 1:
        return ""
    common = len(frozenset.intersection(*queries.values()))
    numbers = ", ".join(f"{name} {len(own):,}" for name, own in queries.items())
    return f"Means are over each run's own queries ({numbers}), tests over the {common:,} that all have."


def _headings(findings: Mapping[str, ListFindings], *, are_chosen: bool) -> dict[str, str]:
    """Name the columns of the table: the measures that were chosen, or the usual ones."""
    every = next(iter(findings.values())).estimates
    names = [name for name in every if are_chosen or trec_name(name) in COMPARED_TREC]
    return {name: trec_name(name) or describe_measure(name) for name in names}


def _items(findings: Mapping[str, ListFindings]) -> list[Row]:
    return [
        {"system": run, "item": str(query), "measure": name, "value": value}
        for run, run_findings in findings.items()
        for query, name, value in run_findings.counted_values()
    ]


def _with_queries(
    report: Report, findings: Mapping[str, ListFindings], compared: ComparisonFindings, baseline: str | None
) -> Report:
    """Add where runs differ, query by query: against the baseline, or else the best run."""
    measure = compared.headline
    values = {
        name: {str(query): value for query, _, value in run_findings.counted_values([measure])}
        for name, run_findings in findings.items()
    }
    reference = baseline or compared.ranked[-1 if len(findings) == 2 else 0]
    chart = unit_chart(values, reference, measure, unit="query")
    section = unit_section(values, reference, measure, unit="query", charts=[chart.name])
    charts = {**report.charts, chart.name: chart}
    return replace(report, sections=(*report.sections, section), charts=Charts(tuple(charts.values())))
