"""The section that puts decisions, scores and wealth of model and rival side by side."""

from __future__ import annotations

import math

from edgeworth.decisions.table import ContingencyTable
from edgeworth.forecasts.forecast_sides import DECIDING, Criterion
from edgeworth.forecasts.wealth_findings import ForecastFindings
from edgeworth.report.report import Cell, Column, Grid, Section
from edgeworth.report.wording import figure, money, percent, system_said

NAMES = {
    "error": "MAP error",
    "log": "log score",
    "brier": "Brier score",
    "log_likelihood": "likelihood ratio",
    "log_wealth": "wealth",
}
MOST_LABELS = 8
"""Classes of a confusion table that a terminal can show."""


def sides_section(findings: ForecastFindings) -> Section:
    """Where the ways to say who is better agree, and where not."""
    model, rival = findings.scores.systems
    columns = (Column("on these cases"), Column(model), Column(rival), Column("better"))
    rows = tuple((NAMES[each.name], *_shown(each), each.better or "alike") for each in findings.sides)
    note = (
        "MAP error: how often the likeliest label was wrong; likelihood ratio: to the other; wealth: of 1 "
        "bet against the other, at full stakes and fair prices the likelihood ratio"
    )
    if any(table.counts.dtype.kind == "f" for table in findings.tables.values()):
        note += "; where m labels are equally likely, each counts as 1/m of a case"
    grids = [Grid("", columns, rows, note)]
    if len(findings.scores.labels) <= MOST_LABELS:
        grids += [_confusion(system, table) for system, table in findings.tables.items()]
    return Section("Decisions beside probabilities", (agreement(findings),), tuple(grids))


def agreement(findings: ForecastFindings) -> str:
    """Whether MAP error, log score and wealth prefer the same forecaster, in a sentence."""
    chosen = {each.name: each.better for each in findings.sides if each.name in DECIDING}
    blind = (
        "MAP error sees only on which side of ½ a probability lies"
        if len(findings.scores.labels) == 2
        else "MAP error sees only which label is the likeliest"
    )
    if len(set(chosen.values())) == 1:
        winner = chosen["error"]
        said = (
            "find both alike" if winner is None else f"agree on these cases: {system_said(winner)} is better"
        )
        return f"MAP error, log score and wealth {said}. {blind}; the other two see all of it."
    parts = [
        f"{'the ' if name == 'log' else ''}{NAMES[name]} "
        f"{'finds both alike' if better is None else f'prefers {system_said(better)}'}"
        for name, better in chosen.items()
    ]
    return f"They disagree on these cases: {', '.join(parts[:-1])} and {parts[-1]}. {blind}."


def _shown(each: Criterion) -> tuple[str, ...]:
    values = tuple(each.values.values())
    if each.name == "log_likelihood":
        apart = values[0] - values[1]
        # Where both are infinite neither is likelier than the other.
        values = (math.nan, math.nan) if math.isnan(apart) else (apart, -apart)
    return tuple("–" if math.isnan(value) else _one(each.name, value) for value in values)


def _one(name: str, value: float) -> str:
    if name == "error":
        return percent(value, 1)
    if name in ("log", "brier"):
        return figure(value)
    return money(value)


def _confusion(system: str, table: ContingencyTable) -> Grid:
    """Per cent of all cases: rows are what happened, columns the likeliest label."""
    counts, total = table.counts.T, float(table.counts.sum())
    names = [str(label) for label in table.labels]
    columns = (
        Column("really"),
        *(Column(f"said {name}", "percent") for name in names),
        Column("all", "percent"),
    )
    rows: list[tuple[Cell, ...]] = [
        (name, *(float(x) / total for x in row), float(row.sum()) / total)
        for name, row in zip(names, counts, strict=True)
    ]
    rows.append(("all", *(float(x) / total for x in counts.sum(axis=0)), 1.0))
    return Grid(f"{_capitalised(system_said(system))}: likeliest labels", columns, tuple(rows))


def _capitalised(text: str) -> str:
    return text[:1].upper() + text[1:]
