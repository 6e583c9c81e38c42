"""Tables as Markdown, LaTeX and CSV: read back by a reader that is not ours."""

from __future__ import annotations

import csv
import io
import re

import pytest

from edgeworth.core.formatting import displayable
from edgeworth.report.formats import grid_to_csv, grid_to_latex, grid_to_markdown, report_to_markdown
from edgeworth.report.report import Column, Grid, Report, Section

HOSTILE = [
    "plain",
    "a|b",
    "</script><script>alert(1)</script>",
    "100% & more_of #1 {x} ~y^z \\n",
    'quote "inside", and comma',
    "line\nbreak",
    "*bold* [link](x) `code`",
    "[red]",
    "*",
    "$x$ &lt; ~~y~~ # z",
    "tab\tand\x07bell",
]


def grid(names: list[str]) -> Grid:
    columns = (Column("name"), Column("n", "count"), Column("share", "percent"), Column("95%", "interval"))
    rows = tuple((name, 1234 + k, -0.125, (-0.5, 0.25)) for k, name in enumerate(names))
    return Grid("A title", columns, rows, "a note")


def test_csv_reads_back_with_all_digits() -> None:
    third = 1 / 3
    table = Grid(
        "", (Column("x", "number"), Column("iv", "interval")), ((third, (third, None)), (None, None))
    )
    rows = list(csv.reader(io.StringIO(grid_to_csv(table))))
    assert rows[0] == ["x", "iv low", "iv high"]
    assert float(rows[1][0]) == third
    assert float(rows[1][1]) == third
    assert rows[1][2] == ""
    assert rows[2] == ["", "", ""]


def test_csv_keeps_hostile_names() -> None:
    rows = list(csv.reader(io.StringIO(grid_to_csv(grid(HOSTILE)))))
    assert [row[0].removeprefix("'") for row in rows[1:]] == [displayable(name) for name in HOSTILE]
    assert not [row[0] for row in rows if row[0].startswith(("=", "+", "-", "@"))]
    assert {len(row) for row in rows} == {5}


def test_markdown_has_one_line_a_row_and_the_same_number_of_cells() -> None:
    lines = [line for line in grid_to_markdown(grid(HOSTILE)).splitlines() if line.startswith("|")]
    assert len(lines) == 2 + len(HOSTILE)
    cells = [len(re.findall(r"(?<!\\)\|", line)) - 1 for line in lines]
    assert set(cells) == {4}
    text = "\n".join(lines)
    assert "<script>" not in text
    assert "−12.5%" in text


@pytest.mark.parametrize("name", HOSTILE)
def test_latex_has_no_bare_special_sign(name: str) -> None:
    body = grid_to_latex(grid([name])).split("\\midrule\n")[1].splitlines()[0]
    assert body.endswith(r"\\")
    cells = re.split(r"(?<!\\)&", body.removesuffix(r"\\"))
    assert len(cells) == 4
    assert not re.search(r"(?<!\\)[%#_]", cells[0])
    assert cells[2].strip() == r"$-$12.5\%"
    assert cells[0].count("{") == cells[0].count("}")


def test_latex_rows_do_not_begin_with_an_option_of_the_line_before() -> None:
    """A bracket or a star after the end of a row would belong to it."""
    rows = grid_to_latex(grid(["[1ex]", "*", "x"])).split("\\midrule\n")[1].splitlines()[:3]
    assert [row[0] for row in rows] == ["{", "{", "x"]
    assert rows[0].startswith("{[}1ex]")
    assert rows[1].startswith("{*}")


def test_powers_of_ten_in_a_paper_and_in_markdown() -> None:
    columns = (Column("x"), Column("p", "probability"), Column("d", "number"), Column("P", "belief"))
    table = Grid("", columns, (("1e-5", 1e-30, -4.93e-5, 1.0),))
    assert r"1e-5 & $<$ $10^{-12}$ & $-4.9\times10^{-5}$ & \textgreater{} 0.999 \\" in grid_to_latex(table)
    assert "| 1e-5 | &lt; 1e-12 | −4.9e-5 | &gt; 0.999 |" in grid_to_markdown(table)
    assert grid_to_csv(table).splitlines()[1] == "1e-5,1e-30,-4.93e-05,1.0"


def test_measures_are_words_for_people_and_names_for_machines() -> None:
    table = Grid("", (Column("measure", "measure"), Column("v", "number")), (("macro_f", 0.5),))
    assert grid_to_markdown(table).splitlines()[-1] == "| macro F | 0.500 |"
    assert "macro F & 0.500" in grid_to_latex(table)
    assert grid_to_csv(table).splitlines()[1] == "macro_f,0.5"
    assert table.to_dict()["rows"] == [["macro_f", 0.5]]


def test_several_verdicts_stay_apart_and_names_are_not_markup() -> None:
    report = Report("# one is better.\n1. costs $5 and $6.", (), ("- so it is.",), {"source": "x"})
    lines = report_to_markdown(report, title="All #1").splitlines()
    assert lines[0] == r"# All \#1"
    assert lines[2:5] == [r"> \# one is better.", ">", r"> 1\. costs \$5 and \$6."]
    assert lines[6] == r"- \- so it is."


def test_a_whole_report_in_markdown_says_everything() -> None:
    report = Report(
        "It is *so*.", (Section("First", ("A line.",), (grid(["x"]),)),), ("Beware.",), {"edgeworth": "1"}
    )
    text = report_to_markdown(report)
    for part in (
        r"> It is \*so\*.",
        "- Beware.",
        "## First",
        "A line.",
        "**A title**",
        "a note",
        "*edgeworth 1*",
    ):
        assert part in text
