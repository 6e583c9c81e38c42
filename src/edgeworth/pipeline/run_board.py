"""Run logs of several systems as one page: a leaderboard, and a matrix of systems and tasks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from edgeworth.common.arrays import finite_or_none
from edgeworth.comparisons.comparison import Comparison
from edgeworth.comparisons.findings import ComparisonFindings
from edgeworth.comparisons.leaderboard import MAX_NAME_LENGTH, leaderboard_section
from edgeworth.core.formatting import cut_middle, format_level
from edgeworth.core.kinds import kind_of
from edgeworth.core.options import Options
from edgeworth.pipeline.call_options import change
from edgeworth.pipeline.run_items import Tasks, cut_runs, make_grades
from edgeworth.report.report import Cell, Column, Grid, Report, Section
from edgeworth.report.verdict import Claim, Verdict
from edgeworth.report.wording import describe_measure
from edgeworth.sources.runs.run import Run

MAX_TASKS_SHOWN = 12
"""Tasks that the matrix shows as columns; the JSON has all."""

MACRO, MICRO = "macro average", "micro average"

TaskValues = dict[str, dict[str, float]]
"""The measure of each system in each task."""


def measure_tasks(runs: Mapping[str, Run], tasks: Tasks, measure: str, options: Options) -> TaskValues:
    """Measure each system in each task; nothing if there is one task only."""
    if len(tasks) < 2:
        return {}
    values: TaskValues = {name: {} for name in runs}
    for part in cut_runs(runs, tasks, change(options, by=None)):
        for name, run in part.arrays.items():
            grades = make_grades(run, options)
            values[name][part.name] = kind_of(grades).measure(grades, measure)
    return values


def with_tasks(report: Report, findings: ComparisonFindings, values: TaskValues) -> Report:
    """Add the matrix of systems and tasks below the leaderboard, with both averages."""
    if not values or len(findings.names) < 2:
        return report
    tasks = list(next(iter(values.values())))
    micro = {name: findings.values[name][findings.headline] for name in findings.names}
    macro = {name: math.fsum(row.values()) / len(row) for name, row in values.items()}
    shown = tasks[:MAX_TASKS_SHOWN]
    rows: list[tuple[Cell, ...]] = []
    for name in findings.ranked:
        numbers = (*(values[name][task] for task in shown), macro[name], micro[name])
        rows.append((cut_middle(name, MAX_NAME_LENGTH), *map(finite_or_none, numbers)))
    columns = (Column("system"), *(Column(head, "number") for head in (*shown, MACRO, MICRO)))
    what = describe_measure(findings.headline)
    note = f"{what}; macro: every task counts the same; micro: every item counts the same"
    if len(tasks) > len(shown):
        note += f"; the first {len(shown)} of {len(tasks)} tasks, the others are in the JSON"
    section = Section("Systems by task", (), (Grid("", columns, tuple(rows), note),), is_main=True)
    board = {
        "measure": findings.headline,
        "systems": {
            name: {
                "tasks": {task: finite_or_none(value) for task, value in values[name].items()},
                "macro_average": finite_or_none(macro[name]),
                "micro_average": finite_or_none(micro[name]),
            }
            for name in findings.ranked
        },
    }
    sections = list(report.sections)
    sections.insert(1, section)
    return replace(report, sections=tuple(sections), numbers={**report.numbers, "by_task": board})


def lead_with_board(gathered: Report, comparison: Comparison) -> Report:
    """Put the leaderboard of comparable systems before the reports of each."""
    findings, compared = comparison.findings, comparison.report
    by_task = [section for section in compared.sections if section.title == "Systems by task"]
    own = tuple(replace(section, is_main=False) for section in gathered.sections)
    return replace(
        gathered,
        verdict=compared.verdict,
        citation=compared.citation,
        sections=(leaderboard_section(findings), *by_task, *own),
        charts=compared.charts,
        lead=compared.lead,
        warnings=compared.warnings,
        numbers={
            **gathered.numbers,
            **{
                name: compared.numbers[name] for name in ("comparison", "by_task") if name in compared.numbers
            },
        },
    )


def lead_with_values(gathered: Report, reports: Mapping[str, Report], reason: str, level: float) -> Report:
    """Put a table of systems that cannot be compared before the reports of each, without ranks."""
    rows: list[tuple[Cell, ...]] = []
    for name, report in reports.items():
        for row in [*report.rows()][:1]:
            bounds = finite_or_none(row["low"]), finite_or_none(row["high"])
            measure = describe_measure(row["measure"])
            cells = (
                cut_middle(name, MAX_NAME_LENGTH),
                measure,
                finite_or_none(row["value"]),
                bounds,
                row["cases"],
            )
            rows.append(cells)
    heads = (Column("system"), Column("measure"), Column("value", "number"))
    columns = (*heads, Column(f"{format_level(level)} CI", "interval"), Column("items", "count"))
    grid = Grid("", columns, tuple(rows), "in the order of the logs; not ranked")
    claim = Claim("ranking", f"The {len(reports)} systems are not ranked: {reason}.", "undefined")
    own = tuple(replace(section, is_main=False) for section in gathered.sections)
    return replace(
        gathered,
        verdict=Verdict([claim]),
        sections=(Section("Systems", (), (grid,), is_main=True), *own),
    )
