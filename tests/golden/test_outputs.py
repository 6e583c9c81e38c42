"""Where a report goes: files, standard output, one thing alone there, and under which title."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from command_line import call, refused

TABLE = ("table", "12 28; 18 42", "--rows", "predicted")
SAME = [f"{'ab'[k % 2]},{'ab'[k // 3 % 2]},{'ab'[k // 5 % 2]}" for k in range(60)]


@pytest.fixture
def compared(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "x.csv").write_text("\n".join(["y,p,q", *SAME]) + "\n", encoding="utf-8")
    return ("compare", "x.csv", "--truth", "y", "--prediction", "p", "--prediction", "q")


def test_each_format_on_standard_output_is_alone_there(
    tmp_path: Path, compared: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    begins = {
        "--json": "{",
        "--html": "<!doctype html>",
        "--markdown": "> ",
        "--csv": "measure,first,second,",
        "--latex": "\\begin{tabular}",
    }
    for option, begin in begins.items():
        done = call(tmp_path, capsys, *compared, option, "-")
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(begin)
        assert "Verdict ─" not in done.stdout
        assert done.stderr == ""
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"], "nothing is written to a file called -"


@pytest.mark.parametrize("pair", ["json html", "json markdown", "html markdown", "json html markdown"])
def test_two_things_on_standard_output_are_refused(
    pair: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = [word for name in pair.split() for word in (f"--{name}", "-")]
    assert "only one output can go to standard output" in refused(call(tmp_path, capsys, *TABLE, *asked))


@pytest.mark.parametrize("pair", [("--csv", "--html"), ("--latex", "--markdown"), ("--csv", "--latex")])
def test_tables_share_standard_output_with_nothing(
    pair: tuple[str, str], tmp_path: Path, compared: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    done = call(tmp_path, capsys, *compared, pair[0], "-", pair[1], "-")
    assert done.returncode == 2
    assert "standard output" in done.stderr


def test_a_file_and_standard_output_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = call(tmp_path, capsys, *TABLE, "--json", "-", "--html", "page.html", "--markdown", "page.md")
    assert json.loads(done.stdout)["kind"] == "decisions"
    assert (tmp_path / "page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (tmp_path / "page.md").read_text(encoding="utf-8").startswith("> ")


def test_the_title_stands_on_the_page_as_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    title = "Spam & <b>ham</b>, round 2"
    asked = ("--title", title, "--html", "page.html", "--markdown", "page.md")
    assert call(tmp_path, capsys, *TABLE, *asked).returncode == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<title>Spam &amp; &lt;b&gt;ham&lt;/b&gt;, round 2" in page
    assert "<b>ham" not in page
    first = (tmp_path / "page.md").read_text(encoding="utf-8").splitlines()[0]
    assert first == "# Spam & &lt;b&gt;ham&lt;/b&gt;, round 2"


def test_a_title_of_nothing_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--title needs a page" in refused(call(tmp_path, capsys, *TABLE, "--title", "x"))
    assert "--title needs a page" in refused(
        call(tmp_path, capsys, *TABLE, "--title", "x", "--json", "out.json")
    )
    assert list(tmp_path.iterdir()) == []
