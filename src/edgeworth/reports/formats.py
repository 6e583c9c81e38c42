"""Tables for papers, web pages and spreadsheets: LaTeX, Markdown and CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from edgeworth.reports.report import Cell, Grid, Report
from edgeworth.reports.wording import MINUS, shown

_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    MINUS: r"$-$",
    "–": "--",
    "↓": r"$\downarrow$",
    "→": r"$\rightarrow$",
    "×": r"$\times$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "½": r"$\frac{1}{2}$",
    "²": r"$^2$",
}


def grid_to_markdown(grid: Grid) -> str:
    """A pipe table; numbers to the right.

    >>> from edgeworth.reports.report import Column
    >>> print(grid_to_markdown(Grid("", (Column("a|b"), Column("n", "count")), (("x", 1200),))), end="")
    | a\\|b | n |
    |:---|---:|
    | x | 1,200 |
    """
    heads = [_markdown(column.name) for column in grid.columns]
    rule = [":---" if column.kind == "text" else "---:" for column in grid.columns]
    lines = [f"| {' | '.join(heads)} |", f"|{'|'.join(rule)}|"]
    lines += [f"| {' | '.join(map(_markdown, row))} |" for row in _texts(grid)]
    title = f"**{_markdown(grid.title)}**\n\n" if grid.title else ""
    note = f"\n{_markdown(grid.note)}\n" if grid.note else ""
    return title + "\n".join(lines) + "\n" + note


def grid_to_latex(grid: Grid) -> str:
    """A tabular with the rules of the booktabs package.

    >>> from edgeworth.reports.report import Column
    >>> print(grid_to_latex(Grid("", (Column("what"), Column("share", "percent")), (("a_b", 0.5),))), end="")
    \\begin{tabular}{lr}
    \\toprule
    what & share \\\\
    \\midrule
    a\\_b & 50.0\\% \\\\
    \\bottomrule
    \\end{tabular}
    """
    shape = "".join("l" if column.kind == "text" else "r" for column in grid.columns)
    heads = " & ".join(_latex(column.name) for column in grid.columns)
    rows = [f"{' & '.join(map(_latex, row))} \\\\" for row in _texts(grid)]
    parts = [rf"\begin{{tabular}}{{{shape}}}", r"\toprule", rf"{heads} \\", r"\midrule", *rows]
    return "\n".join([*parts, r"\bottomrule", r"\end{tabular}"]) + "\n"


def grid_to_csv(grid: Grid) -> str:
    """Plain numbers with all their digits; an interval takes two columns, and undefined is empty.

    >>> from edgeworth.reports.report import Column
    >>> print(grid_to_csv(Grid("", (Column("m"), Column("95%", "interval")), (("x", (0.25, None)),))), end="")
    m,95% low,95% high
    x,0.25,
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    heads: list[str] = []
    for column in grid.columns:
        ends = (" low", " high") if column.kind == "interval" else ("",)
        heads += [f"{column.name}{end}" for end in ends]
    writer.writerow(heads)
    for row in grid.rows:
        cells: list[Cell] = []
        for cell, column in zip(row, grid.columns, strict=True):
            wide = column.kind == "interval"
            cells += list(cell) if isinstance(cell, tuple) else [cell, None] if wide else [cell]
        writer.writerow(["" if cell is None else cell for cell in cells])
    return out.getvalue()


def report_to_markdown(report: Report) -> str:
    """The whole report: verdict, warnings, sections, origin."""
    parts = [f"> {_markdown(line)}" for line in report.verdict.splitlines()]
    said = ["\n".join(parts), *(f"- {_markdown(warning)}" for warning in report.warnings)]
    for section in report.sections:
        said.append(f"## {_markdown(section.title)}")
        said += [_markdown(line) for line in section.text]
        said += [grid_to_markdown(grid).rstrip("\n") for grid in section.grids]
    origin = " · ".join(f"{name} {value}" for name, value in report.provenance.items() if value != "")
    return "\n\n".join([*said, f"*{_markdown(origin)}*"]) + "\n"


def _texts(grid: Grid) -> Iterable[list[str]]:
    for row in grid.rows:
        yield [shown(cell, column.kind) for cell, column in zip(row, grid.columns, strict=True)]


def _markdown(text: str) -> str:
    """Signs that Markdown or HTML would read are taken as they stand."""
    for sign in "\\|*_`[]":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("<", "&lt;").replace(">", "&gt;").replace("\n", " ").replace("\r", " ")


def _latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text.replace("\n", " ").replace("\r", " "))
