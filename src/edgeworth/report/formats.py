"""Write tables as LaTeX, Markdown and CSV, and write files safely."""

from __future__ import annotations

import contextlib
import csv
import errno
import io
import os
import re
import stat
from pathlib import Path

from edgeworth.core.formatting import MINUS, displayable, escape_markdown
from edgeworth.errors import InputError
from edgeworth.report.report import Cell, Grid, Report
from edgeworth.report.wording import describe_provenance, format_rows

_LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
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
    "χ": r"$\chi$",
    "Φ": r"$\Phi$",
    "∞": r"$\infty$",
    "·": r"$\cdot$",
    "…": r"\ldots{}",
    "|": r"\textbar{}",
}
_POWER = re.compile(rf"([<>≤] )?({MINUS}?)([0-9.]+)e(-?[0-9]+)")


def grid_to_markdown(grid: Grid) -> str:
    """Write a pipe table with numbers aligned to the right.

    >>> from edgeworth.report.report import Column
    >>> print(grid_to_markdown(Grid("", (Column("a|b"), Column("n", "count")), (("x", 1200),))), end="")
    | a\\|b | n |
    |:---|---:|
    | x | 1,200 |
    """
    heads = [escape_markdown(column.name) for column in grid.columns]
    rule = [":---" if column.is_text else "---:" for column in grid.columns]
    lines = [f"| {' | '.join(heads)} |", f"|{'|'.join(rule)}|"]
    lines += [f"| {' | '.join(map(escape_markdown, row))} |" for row in format_rows(grid)]
    title = f"**{escape_markdown(grid.title)}**\n\n" if grid.title else ""
    note = f"\n{escape_markdown(grid.note)}\n" if grid.note else ""
    return title + "\n".join(lines) + "\n" + note


def grid_to_latex(grid: Grid) -> str:
    """Write a tabular with the rules of the booktabs package.

    >>> from edgeworth.report.report import Column
    >>> print(grid_to_latex(Grid("", (Column("what"), Column("share", "percent")), (("a_b", 0.5),))), end="")
    \\begin{tabular}{lr}
    \\toprule
    what & share \\\\
    \\midrule
    a\\_b & 50.0\\% \\\\
    \\bottomrule
    \\end{tabular}
    """
    shape = "".join("l" if column.is_text else "r" for column in grid.columns)
    heads = " & ".join(escape_latex(column.name) for column in grid.columns)
    texts = [column.is_text for column in grid.columns]
    cells = [
        [escape_latex(cell) if text else _latex_number(cell) for cell, text in zip(row, texts, strict=True)]
        for row in format_rows(grid)
    ]
    rows = [f"{_latex_start(' & '.join(row))} \\\\" for row in cells]
    parts = [rf"\begin{{tabular}}{{{shape}}}", r"\toprule", rf"{heads} \\", r"\midrule", *rows]
    return "\n".join([*parts, r"\bottomrule", r"\end{tabular}"]) + "\n"


def grid_to_csv(grid: Grid) -> str:
    """Write numbers with all their digits; an interval takes two columns, and undefined is empty.

    >>> from edgeworth.report.report import Column
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
    writer.writerow(map(spreadsheet_cell, heads))
    for row in grid.rows:
        cells: list[Cell] = []
        for cell, column in zip(row, grid.columns, strict=True):
            wide = column.kind == "interval"
            cells += list(cell) if isinstance(cell, tuple) else [cell, None] if wide else [cell]
        writer.writerow(map(spreadsheet_cell, cells))
    return out.getvalue()


def spreadsheet_cell(cell: Cell) -> Cell:
    """Return a cell for a spreadsheet: an apostrophe keeps text from being read as a formula.

    >>> spreadsheet_cell("=1+2"), spreadsheet_cell("a=1"), spreadsheet_cell(-1.5)
    ("'=1+2", 'a=1', -1.5)
    """
    if isinstance(cell, str):
        return f"'{displayable(cell)}" if cell.lstrip()[:1] in set("=+-@") else displayable(cell)
    return "" if cell is None else cell


def report_to_markdown(report: Report, *, title: str = "") -> str:
    """Write the whole report: title, verdict, warnings, sections, provenance."""
    # ">" between the lines keeps several verdicts from becoming one paragraph.
    parts = [f"# {escape_markdown(title)}"] if title else []
    parts.append("\n>\n".join(f"> {_paragraph(line)}" for line in report.verdict.splitlines()))
    if report.warnings:
        parts.append("\n".join(f"- {_paragraph(warning)}" for warning in report.warnings))
    for section in report.sections:
        parts.append(f"## {escape_markdown(section.title)}")
        parts += [_paragraph(line) for line in section.text]
        parts += [grid_to_markdown(grid).rstrip("\n") for grid in section.grids]
    return "\n\n".join([*parts, f"*{escape_markdown(describe_provenance(report.provenance))}*"]) + "\n"


def _paragraph(text: str) -> str:
    r"""Escape the beginning of a paragraph that looks like a list.

    >>> print(_paragraph("1. is better"), _paragraph("- is better"), _paragraph("1.5 is better"))
    1\. is better \- is better 1.5 is better
    """
    return re.sub(r"^([0-9]*)([-+.)])(?=\s)", r"\1\\\2", escape_markdown(text))


def escape_latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in displayable(text))


def _latex_number(text: str) -> str:
    r"""Write a power of ten as a paper does.

    >>> print(_latex_number("< 1e-12"), _latex_number("4.9e-5"), _latex_number("0.012"))
    $<$ $10^{-12}$ $4.9\times10^{-5}$ 0.012
    """
    match = _POWER.fullmatch(text)
    if match is None:
        return escape_latex(text)
    sign, minus, digits, power = match.groups()
    factor = "" if digits == "1" else rf"{digits}\times"
    before = f"{_LATEX['≤'] if sign[0] == '≤' else f'${sign[0]}$'} " if sign else ""
    return f"{before}${'-' if minus else ''}{factor}10^{{{power}}}$"


def _latex_start(row: str) -> str:
    r"""Protect a star or a bracket, which would be read as an option of the ``\\`` before.

    >>> print(_latex_start("[a] & 1"), _latex_start("a & 1"))
    {[}a] & 1 a & 1
    """
    return f"{{{row[0]}}}{row[1:]}" if row[:1] in ("[", "*") else row


def write_text(text: str, path: str | Path | None) -> str:
    """Return a text, and write it to ``path`` if there is one."""
    if path is not None:
        write_file(Path(path), text)
    return text


def make_folder(folder: Path) -> None:
    """Make a folder, with those above it, unless it exists."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"the folder {folder} cannot be made: {why}") from None


def write_file(path: Path, content: str | bytes) -> None:
    """Write to a temporary name and rename it, so that an interrupted run leaves no half file.

    A link stays a link, and a file keeps its mode. A pipe or a device is written to directly.
    """
    temporary = None
    try:
        data = content.encode() if isinstance(content, str) else content
        path = Path(os.path.realpath(path))
        mode = path.stat().st_mode if path.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            path.write_bytes(data)
            return
        temporary = path.with_name(f".{os.urandom(6).hex()}.part")
        with temporary.open("xb") as file:
            if mode is not None:
                temporary.chmod(stat.S_IMODE(mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        _sync_folder(path.parent)
    except (OSError, ValueError) as error:
        # A name may be invalid for the file system, and a text may hold half a character.
        why = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"{path} cannot be written: {why}") from None
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink()


def _sync_folder(folder: Path) -> None:
    """Make a renaming survive a power failure, on systems that can sync a folder."""
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:  # a folder that may not be read, or a system that opens none
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EACCES):
            raise
    finally:
        os.close(descriptor)
