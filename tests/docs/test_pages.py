"""Every block of every documentation page runs and prints what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from page_blocks import DOCS, FENCE, matches, page_folder, run_page, shorten, written_pages
from page_files import JAVA_PAGES, PAGE_FILES, SLOW_PAGES

PAGES = {path.relative_to(DOCS).as_posix(): path for path in written_pages()}
LANGUAGES = {"console", "python", "bash", "text", "json", "yaml", "toml", "sql", "diff", "csv", "r"}
"""Of these only console and python run; bash holds installation, the others show files."""
INSTALLATION = re.compile(r"(pip|pipx|uv|python3? -m (venv|pip)|source|git|script/|\.venv/bin/|#|$)")
MAX_LINES = 200
MAX_TASK_LINES = 150


def marked(page: str) -> object:
    marks = [pytest.mark.java] if page in JAVA_PAGES else []
    return pytest.param(page, marks=[*marks, *([pytest.mark.slow] if page in SLOW_PAGES else [])])


@pytest.mark.parametrize("page", [marked(page) for page in PAGES if FENCE.search(PAGES[page].read_text())])
def test_blocks_print_what_the_page_shows(page: str, tmp_path: Path) -> None:
    page_folder(page, tmp_path)
    problems = run_page(PAGES[page], tmp_path).problems
    assert not problems, "\n\n".join(problems) + f"\n\nscript/docs --update docs/{page}"


@pytest.mark.parametrize("page", PAGES)
def test_a_page_has_one_title_and_is_short(page: str) -> None:
    text = PAGES[page].read_text(encoding="utf-8")
    assert text.startswith("# "), "a page starts with its title"
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    assert len(re.findall(r"^# ", prose, re.M)) == 1
    is_task = page.startswith(("have/", "want/", "start/"))
    assert len(text.splitlines()) <= (MAX_TASK_LINES if is_task else MAX_LINES)


@pytest.mark.parametrize("page", PAGES)
def test_blocks_that_do_not_run_are_no_code(page: str) -> None:
    text = PAGES[page].read_text(encoding="utf-8")
    for language, body in re.findall(r"^```([^\n]*)\n(.*?)^```$", text, re.M | re.S):
        assert language in LANGUAGES or language.startswith("{"), f"a block of {language!r}"
        if language == "bash":
            for line in body.splitlines():
                assert INSTALLATION.match(line), f"use a console block, which runs: {line}"


def test_files_are_for_pages_that_exist() -> None:
    assert {*PAGE_FILES, *JAVA_PAGES, *SLOW_PAGES} <= set(PAGES)


def test_elided_output() -> None:
    assert matches(["a", "...", "d"], ["a", "b", "c", "d"])
    assert not matches(["a", "..."], ["b", "a"])
    assert matches(["╭", "╰", "..."], ["╭", "╰"])
    assert shorten(["╭", "│ old", "╰", "..."], ["╭", "│ new", "│ longer", "╰", "more"]) == [
        *("╭", "│ new", "│ longer", "╰", "...")
    ]
    assert shorten(["?", "..."], ["╭", "╰", "more"]) == ["╭", "╰", "..."]
    assert shorten(["old", "...", "Part", "1", "..."], ["new", "x", "Part", "2", "y"]) == [
        *("new", "...", "Part", "2", "..."),
    ]
    assert shorten(["old", "...", "Part", "1"], ["new", "x", "Part", "2", "y"]) == [
        *("new", "...", "Part", "2", "y"),
    ]
    assert shorten(["old", "...", "Gone"], ["new", "x"]) == ["new", "...", "Gone"]
    assert shorten(["old", "...", "Gone", "..."], ["new", "x"]) == ["new", "...", "Gone", "..."]
    assert shorten(["?"], ["one", "two"]) == ["one", "two"]


def test_a_wrong_page_fails(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Wrong\n\n```console\n$ edgeworth kelly --probabilities 0.6 --odds 2\nnothing\n```\n\n"
        "```console\n$ edgeworth evaluate missing.csv\n```\n\n"
        "```python\n>>> x = 6\n>>> x * 7\n41\n```\n\n```python\nassert x == 5\n```\n"
    )
    ran = run_page(page, tmp_path)
    assert len(ran.problems) == 4
    assert "\n42\n" in ran.text
    assert "nothing" not in ran.text
    page.write_text(ran.text)
    assert len(run_page(page, tmp_path).problems) == 2
