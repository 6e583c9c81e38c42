"""The report on many ranked lists, and on the runs of search engines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgeworth.arrays import finite_or_none
from edgeworth.core.formatting import format_level, plural
from edgeworth.core.spelling import Spelling
from edgeworth.decisions.report import estimate_row
from edgeworth.rankings.list_charts import list_charts, run_charts
from edgeworth.rankings.list_findings import ListFindings, examine_lists
from edgeworth.rankings.measures import TREC_NAMES
from edgeworth.rankings.report import against_chance_to_dict, chance_grids, estimates_grid
from edgeworth.rankings.verdict import lists_verdict
from edgeworth.report.report import About, Column, Grid, Report, Section
from edgeworth.report.wording import describe_measure

SHOWN_LISTS = 20
SHOWN_TREC = (
    "map",
    "Rprec",
    "bpref",
    "recip_rank",
    "ndcg",
    "ndcg_cut_10",
    "P_5",
    "P_10",
    "P_20",
    "recall_100",
    "recall_1000",
    "success_1",
    "success_10",
)
COMPARED_TREC = ("map", "Rprec", "ndcg", "P_10", "recip_rank")
SHOWN_RUNS = 4
_OURS = {ours: theirs for theirs, ours in TREC_NAMES.items()}


def report_lists(tallied: Any, asked: Any, about: About) -> Report:
    """Examine ranked lists and report on them."""
    lists = tallied.final
    findings = examine_lists(lists, level=asked.level, seed=asked.seed)
    return lists_report(findings, about(lists=lists.number, items=len(lists.scores)))


def lists_report(findings: ListFindings, provenance: Mapping[str, Any]) -> Report:
    """The report on lists from one source."""
    return Report(
        verdict=lists_verdict(findings),
        sections=(_means(findings), _each(findings)),
        warnings=list_warnings(findings),
        provenance=provenance,
        numbers={"kind": "lists", "level": findings.level, **_numbers(findings)},
        charts=list_charts(findings),
    )


def trec_report(runs: Mapping[str, ListFindings], provenance: Mapping[str, Any]) -> Report:
    """The report on one or more runs against the same judgements."""
    sections: list[Section] = [] if len(runs) == 1 else [_side_by_side(runs)]
    warnings, verdicts = list[str](), list[str]()
    for name, findings in runs.items():
        if len(runs) <= SHOWN_RUNS:
            sections.append(_trec_means(name, findings))
        if len(runs) == 1:
            sections.append(_each(findings, name))
        who = f"{name}: " if len(runs) > 1 else ""
        warnings += [f"{who}{said}" for said in list_warnings(findings)]
        verdicts.append(f"{who}{lists_verdict(findings)}")
    first = next(iter(runs.values()))
    return Report(
        verdict="\n".join(verdicts),
        sections=tuple(sections),
        warnings=tuple(warnings),
        provenance=provenance,
        numbers={
            "kind": "trec",
            "level": first.level,
            **(_numbers(first) if len(runs) == 1 else {}),
            "runs": {name: _numbers(found) for name, found in runs.items()},
        },
        charts=run_charts(runs),
    )


def trec_name(spelling: str) -> str | None:
    """trec_eval's name for a measure with its tie rule; None where it has none.

    >>> trec_name("precision@10(ties=trec)"), trec_name("precision@10")
    ('P_10', None)
    """
    written = Spelling.parse(spelling)
    if written.options.get("ties") != "trec":
        return None
    rest = {name: value for name, value in written.options.items() if name != "ties"}
    return _OURS.get(str(Spelling(written.name, written.label, written.depth, rest)))


def list_warnings(findings: ListFindings) -> tuple[str, ...]:
    """Which queries a mean is not over, and why."""
    lists, said = findings.lists, []
    rule = "counted as 0" if lists.empty_is_zero else "left out of means"
    left_out = (
        (findings.without_targets, "", f"without a target {rule}."),
        (
            len(lists.absent),
            "judged ",
            'without a list left out of means (absent="zero", --absent zero, counts them as 0).',
        ),
        (len(lists.unknown_queries), "", "of the run without judgements left out."),
    )
    for number, which, why in left_out:
        if number:
            said.append(f"{number:,} {which}{plural(number, 'query', 'queries')} {why}")
    if 1 < findings.counted < 20:
        said.append(f"{findings.counted} lists are few: intervals over lists are approximate.")
    return tuple(said)


def _means(findings: ListFindings) -> Section:
    rows = (estimate_row(estimate, findings.level) for estimate in findings.estimates.values())
    grids = (estimates_grid("mean of", rows, findings.level), *chance_grids(findings, "random orders"))
    return Section("Means over lists", (), grids)


def _side_by_side(runs: Mapping[str, ListFindings]) -> Section:
    """Runs in lines, the usual measures in columns."""
    asked = list(next(iter(runs.values())).estimates)
    names = asked if len(asked) <= len(COMPARED_TREC) else [x for x in asked if trec_name(x) in COMPARED_TREC]
    columns = (
        Column("run"),
        *(Column(trec_name(name) or describe_measure(name), "number") for name in names),
    )
    rows = tuple(
        (run, *(finite_or_none(found.estimates[name].value) for name in names)) for run, found in runs.items()
    )
    return Section("Means of the runs", (), (Grid("", columns, rows),), tuple(run_charts(runs)))


def _trec_means(name: str, findings: ListFindings) -> Section:
    columns = (
        Column("measure", "measure"),
        Column("trec_eval"),
        Column("mean", "number"),
        Column(f"{format_level(findings.level)} interval", "interval"),
    )
    rows = tuple(
        (measure, trec_name(measure) or "", *estimate_row(estimate, findings.level)[1:3])
        for measure, estimate in findings.estimates.items()
        if len(findings.estimates) <= len(SHOWN_TREC) or trec_name(measure) in SHOWN_TREC
    )
    hidden = len(findings.estimates) - len(rows)
    note = f"{hidden} more {plural(hidden, 'measure is', 'measures are')} in the JSON" if hidden else ""
    return Section(f"Means of {name}", (), (Grid("", columns, rows, note),))


def _each(findings: ListFindings, name: str = "") -> Section:
    shown = list(findings.estimates)[:4]
    columns = (Column("list"), *(Column(describe_measure(measure), "number") for measure in shown))
    rows = tuple(
        (str(query), *(finite_or_none(values[measure]) for measure in shown))
        for query, values in list(findings.queries.items())[:SHOWN_LISTS]
    )
    more = findings.lists.number - SHOWN_LISTS
    note = (
        f"the first {SHOWN_LISTS} of {findings.lists.number:,} lists; all are in the JSON" if more > 0 else ""
    )
    title = f"List by list{f', {name}' if name else ''}"
    return Section(title, (), (Grid("", columns, rows, note),), tuple(list_charts(findings)))


def _numbers(findings: ListFindings) -> dict[str, Any]:
    level, lists = findings.level, findings.lists
    return {
        "queries": {
            str(query): {measure: finite_or_none(value) for measure, value in values.items()}
            for query, values in findings.queries.items()
        },
        "means": {name: finite_or_none(x.value) for name, x in findings.estimates.items()},
        "measures": {
            name: {**x.to_dict(level), "trec_name": trec_name(name)} for name, x in findings.estimates.items()
        },
        "lists": {
            "counted": findings.counted,
            "without_targets": findings.without_targets,
            "absent": [str(query) for query in lists.absent],
            "unknown": [str(query) for query in lists.unknown_queries],
        },
        "settled": findings.is_conclusive if findings.lists.is_whole else None,
        "random_order": against_chance_to_dict(findings),
    }
