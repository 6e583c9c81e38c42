"""Files appear whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import edgeworth as ew
from command_line import call, refused
from edgeworth.report.formats import write_file
from edgeworth.report.report import Grid, Report, Section, make_columns


def test_text_and_bytes_are_written(tmp_path: Path) -> None:
    write_file(tmp_path / "a.txt", "süß")
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "süß"
    write_file(tmp_path / "b.png", b"\x89PNG")
    assert (tmp_path / "b.png").read_bytes() == b"\x89PNG"


@pytest.mark.parametrize("problem", [KeyboardInterrupt, MemoryError])
def test_an_interrupt_leaves_the_old_file_and_no_other(
    problem: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report.html"
    write_file(target, "old")

    def interrupted(*_: Any) -> None:
        raise problem

    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(problem):
        write_file(target, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert target.read_text(encoding="utf-8") == "old"


def test_a_killed_run_leaves_no_half_report(tmp_path: Path) -> None:
    code = (
        "import sys, time, pathlib, edgeworth.report.formats as w\n"
        "pathlib.Path.replace = lambda *_: (print('written', flush=True), time.sleep(60))\n"
        "w.write_file(pathlib.Path(sys.argv[1]), 'x' * 10**6)\n"
    )
    target = tmp_path / "report.html"
    command = [sys.executable, "-c", code, str(target)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"written\n"
        os.kill(child.pid, signal.SIGKILL)
    assert not target.exists()
    write_file(target, "again")
    assert target.read_text(encoding="utf-8") == "again"


def test_links_and_pipes_stay_what_they_are(tmp_path: Path) -> None:
    write_file(tmp_path / "real.txt", "old")
    (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
    write_file(tmp_path / "link.txt", "new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_text(encoding="utf-8") == "new"
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as reader:
        read = reader.submit((tmp_path / "pipe").read_text, encoding="utf-8")
        write_file(tmp_path / "pipe", "through")
        assert read.result(10) == "through"
    assert (tmp_path / "pipe").is_fifo()


def test_what_is_read_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.csv").write_text("y,p\n" + "1,1\n0,0\n" * 20, encoding="utf-8")
    words = ["evaluate", "x.csv", "--truth", "y", "--prediction", "p"]
    for extra, text in (
        (["--json", "x.csv"], "x.csv is read, so nothing is written over it"),
        (["--json", "o", "--html", "o"], "two outputs would be written to one file"),
        (["--html", "nowhere/o.html"], "'nowhere/o.html' cannot be written: there is no such folder"),
        (["--html", ""], "'' cannot be written: there is no such folder"),
        (["--chart", "edges", "o.gif"], "the file of a chart must end in svg, png, pdf, json"),
    ):
        assert text in refused(call(tmp_path, capsys, *words, *extra))
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_pictures_on_a_page_keep_their_labels() -> None:
    labels = ["1.0012", "1.0031", '3.14159 role="y" z']
    report = ew.evaluate(truth=labels * 10, prediction=labels * 10)
    page = report.to_html()
    for label in labels:
        assert f">{label.replace(chr(34), '&quot;')}</text>" in page or f">{label}</text>" in page


def test_pictures_have_the_format_of_their_ending(tmp_path: Path) -> None:
    report = ew.evaluate(truth=[1, 0, 1, 0] * 10, prediction=[1, 0, 0, 0] * 10)
    chart = report.charts["edges"]
    starts = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "json": b"{"}
    for ending, start in starts.items():
        path = tmp_path / f"edges.{ending}"
        chart.save(path)
        assert path.read_bytes().startswith(start)
    with pytest.raises(ew.EdgeworthError, match=r"svg, png, pdf, json; saw 'edges\.gif'"):
        chart.save(tmp_path / "edges.gif")
    with pytest.raises(ew.EdgeworthError, match="there is no chart 'edge'; there are contingency"):
        _ = report.charts["edge"]


def test_a_chart_does_what_altair_does() -> None:
    chart = ew.evaluate(truth=[1, 0, 1, 0] * 10, prediction=[1, 0, 0, 0] * 10).charts["bias"]
    narrow = chart.properties(width=120).to_dict()
    assert narrow["width"] == 120
    assert chart.altair().to_dict()["$schema"].endswith(".json")


def test_the_repr_of_a_report_is_one_short_line() -> None:
    rows = tuple((f"row {number}", float(number)) for number in range(1000))
    section = Section("A long section", grids=(Grid("", make_columns("name/text", "value"), rows),))
    verdict = "The model\nis better. " + "It is very much so. " * 100
    report = Report(verdict, (section,), (), {"source": "\x1b[2J" + "folder/" * 100 + "data.csv"})
    shown = repr(report)
    assert shown.startswith("<Report on ␛[2J")
    assert "data.csv: The model␊is better. It is" in shown
    assert shown.endswith("…>")
    assert len(shown) < 200
