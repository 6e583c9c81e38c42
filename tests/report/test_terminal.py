"""Tables on a terminal of any width: nothing is cut off, and rows keep their names."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from edgeworth.report.report import Cell, Column, Grid, Report, Section
from edgeworth.report.terminal import plain_text, print_report

WORDS = ("odds", "comes in with a long heading", "won", "share of bets", "weighted", "interval")
COLUMNS = (Column("bet on"), *(Column(word, "number") for word in WORDS[:-1]), Column("95%", "interval"))
ROWS: tuple[tuple[Cell, ...], ...] = tuple(
    (name, *(100 * row + index + 0.125 for index in range(5)), (-0.069, 0.145))
    for row, name in enumerate(("spam", "a label of five words", "x" * 40))
)


def drawn(width: int, grid: Grid) -> str:
    out = io.StringIO()
    report = Report("v", (Section("s", (), (grid,)),), (), {"source": "x", "level": 0.95, "pool": 10.0})
    print_report(report, Console(file=out, width=width))
    return out.getvalue()


@pytest.mark.parametrize("width", [50, 60, 80, 120, 300])
def test_no_number_is_cut_at_any_width(width: int) -> None:
    text = drawn(width, Grid("", COLUMNS, ROWS))
    assert max(map(len, text.splitlines())) <= width
    for row in range(3):
        for position in range(5):
            value = 100 * row + position + 0.125
            shown = f"{value:.3f}" if value < 1 else f"{value:.2f}" if value < 10 else f"{value:.0f}"
            assert shown in text
    assert text.count("−0.069 to 0.145") == 3
    assert text.count("spam") == text.count("bet on"), "each part says its rows again"


def test_a_table_that_fits_stands_in_one_piece() -> None:
    assert drawn(120, Grid("", COLUMNS, ROWS)).count("bet on") == 1
    assert drawn(50, Grid("", COLUMNS, ROWS)).count("bet on") > 1


def test_what_is_markup_elsewhere_is_text_here_and_wide_signs_take_two_places() -> None:
    columns = (Column("[bold]名"), Column(":smile:", "count"), Column("[/]", "count"))
    lines = drawn(80, Grid("", columns, (("[red]x", 1, 2), ("名名名名名", 30, 4)))).splitlines()
    start = lines.index("[bold]名    :smile:  [/]")
    assert lines[start + 1 : start + 3] == ["[red]x            1    2", "名名名名名       30    4"]


def test_a_new_line_in_a_label_is_seen_and_not_obeyed() -> None:
    grid = Grid("", (Column("label"), Column("count", "count")), (("a\nb", 1), ("c", 2)))
    lines = [line.split() for line in drawn(80, grid).splitlines()]
    position = lines.index(["label", "count"])
    assert lines[position + 1 : position + 3] == [["a␊b", "1"], ["c", "2"]]


def test_a_new_line_in_a_heading_is_seen_and_not_obeyed() -> None:
    grid = Grid("", (Column("label"), Column("a\nb", "count")), (("x", 1), ("y", 2)))
    lines = [line.split() for line in drawn(80, grid).splitlines()]
    position = lines.index(["label", "a␊b"])
    assert lines[position + 1 : position + 3] == [["x", "1"], ["y", "2"]]


def test_where_a_report_comes_from_is_said_without_digits_of_no_use() -> None:
    report = Report("v", (), (), {"cases": 373.42099999999994, "labels": ["a", "b"], "digest": "sha256:0"})
    text = plain_text(report)
    assert "cases 373.421 · labels a, b" in text
    assert "sha256" not in text
