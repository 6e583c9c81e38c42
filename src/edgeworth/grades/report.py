"""The report on grades: tables and a chart made from the findings."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from edgeworth.arrays import finite_or_none
from edgeworth.core.formatting import format_level, plural
from edgeworth.decisions.report import estimate_row, tail_to_dict
from edgeworth.grades.findings import GradeFindings, examine_grades
from edgeworth.grades.verdict import grades_citation, grades_verdict, grades_warnings
from edgeworth.report.charts.chart import FIRST, WIDTH, Chart, Kit
from edgeworth.report.report import About, Charts, Column, Grid, Report, Section, make_columns

BARS = 20
UNNAMED = ("correct", "is_correct", "grade", "score")
"""Names of columns that do not name who answered."""


def report_grades(tallied: Any, asked: Any, about: About) -> Report:
    """Examine grades and report on them."""
    grades = tallied.final
    findings = examine_grades(grades, level=asked.level, guess_rate=asked.get("guess_rate"))
    columns = tallied.terms.get("columns", {})
    name = next((columns[role] for role in ("correct", "grade") if role in columns), "")
    known = {"items": grades.number, "grades": grades.rows_counted, "guess_rate": findings.guess_rate}
    known["lower_is_better"] = grades.lower_is_better or None
    sections = [_level_section(findings), _repeats_section(findings)]
    return Report(
        verdict=grades_verdict(findings, "" if name.lower() in UNNAMED else name),
        citation=grades_citation(findings),
        lead="items",
        sections=tuple(section for section in sections if section is not None),
        warnings=grades_warnings(findings),
        provenance=about(**known),
        numbers=_numbers(findings),
        charts=Charts(lambda: _charts(findings)),
    )


def _level_section(findings: GradeFindings) -> Section:
    level = format_level(findings.level)
    columns = make_columns("measure/measure", "value", f"{level} CI/interval", "chance level", "method/text")
    rows = tuple(estimate_row(estimate, findings.level) for estimate in findings.estimates)
    return Section("How good", (), (Grid("", columns, rows),), ("items",), is_main=True)


def _repeats_section(findings: GradeFindings) -> Section | None:
    split = findings.split
    if split is None:
        return None
    columns = make_columns("what/text", "standard deviation", "share of the variance of item means/percent")
    rows = (
        ("between items", math.sqrt(split.between), 1 - split.from_repeats),
        ("between repeats of an item", math.sqrt(split.within), split.from_repeats),
    )
    return Section("Items and repeats", (), (Grid("", columns, rows),), is_main=True)


def _numbers(findings: GradeFindings) -> dict[str, Any]:
    grades, split, plan = findings.grades, findings.split, findings.plan
    guessing = None
    if findings.guess_rate is not None:
        guessing = {
            "rate": findings.guess_rate,
            "at_least": tail_to_dict(findings.mean.chance_tail("greater")),
            "either_way": tail_to_dict(findings.mean.chance_tail("two-sided")),
            "p_value": finite_or_none(findings.mean.p_value()),
        }
    return {
        "kind": "grades",
        "level": findings.level,
        "is_conclusive": findings.is_conclusive,
        "estimates": {each.measure: each.to_dict(findings.level) for each in findings.estimates},
        "guessing": guessing,
        "variance": None if split is None else vars(split),
        "plan": plan and {"needed": finite_or_none(plan.needed), "more": finite_or_none(plan.more)},
        "items": grades.number,
        "grades": grades.rows_counted,
        "unscored": grades.unscored,
        "clusters": None if grades.cluster_names is None else len(grades.cluster_names),
        "freedom": finite_or_none(getattr(findings.mean.law, "freedom", math.inf)),
    }


def _charts(findings: GradeFindings) -> Iterable[Chart]:
    """Draw how many items have which mean grade."""
    grades = findings.grades
    values = np.unique(grades.means)
    if len(values) <= BARS:
        ends = [(float(value), float(value)) for value in values]
        numbers = [int(grades.items[grades.means == value].sum()) for value in values]
    else:
        counted, edges = np.histogram(grades.means, bins=BARS, weights=grades.items)
        ends = list(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True))
        numbers = counted.astype(int).tolist()
    texts = [f"{low:.3g}" if low == high else f"{low:.3g} to {high:.3g}" for low, high in ends]
    rows = tuple({"grade": text, "items": number} for text, number in zip(texts, numbers, strict=True))
    what = "mean grade of an item" if grades.has_repeats else "grade"

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        across = alt.X("grade:N", sort=texts, title=what)
        bars = kit.base("items").mark_bar(color=FIRST).encode(x=across, y=alt.Y("items:Q", title="items"))
        return bars.encode(tooltip=kit.tooltip({"grade": "", "items": ",d"})).properties(width=WIDTH)

    most = max(numbers)
    said = f"{most:,} {plural(most, 'item has', 'items have')} grade {texts[numbers.index(most)]}."
    table = (Column("grade"), Column("items", "count"))
    yield Chart("items", "Items by grade", said, {"items": rows}, draw, table)
