"""What the README shows is what happens."""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path

import pytest

from command_line import call, flat

ROOT = Path(__file__).resolve().parents[2]
# The pages of the site are run by tests/docs.
PAGES = [ROOT / "README.md", *sorted({*(ROOT / "docs").glob("*.md")} - {ROOT / "docs" / "index.md"})]


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    examples = doctest.DocTestParser().get_doctest(
        page.read_text(encoding="utf-8").replace("```", ""), {}, page.name, str(page), 0
    )
    failures: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(examples, out=failures.append)
    assert not failures, "".join(failures)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([\w./-]+\.\w+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


TRANSCRIPT = re.compile(r"^\$ edgeworth ((?:.*\\\n)*.*)\n((?:[╭│╰].*\n)+)", flags=re.MULTILINE)
SHOWN = [
    pytest.param(words, panel, id=f"{page.name}: {words[:40]}")
    for page in PAGES
    for words, panel in TRANSCRIPT.findall(page.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("words", "panel"), SHOWN)
def test_verdicts_of_commands_are_what_they_say(
    words: str, panel: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    stdout = call(ROOT, capsys, *shlex.split(words.replace("\\\n", " "))).stdout
    assert flat(panel) == flat(stdout[: stdout.index("╯") + 1])


CHECK = re.compile(r"^\$ edgeworth (check (?:.*\\\n)*.*)\n([^`$]*)```", flags=re.MULTILINE)


def test_the_gate_of_the_readme_prints_what_it_shows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    [(words, output)] = CHECK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert call(ROOT, capsys, *shlex.split(words.replace("\\\n", " "))).stdout == output


def test_the_readme_shows_commands() -> None:
    assert len(SHOWN) >= 2
