"""The pages on the papers name what exists, and explain every reason that a report gives."""

from __future__ import annotations

import re
from operator import attrgetter
from pathlib import Path

import pytest

import edgeworth as ew
from edgeworth.cli import app
from edgeworth.papers import read_paper

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "papers"
PAGE = "\n".join(path.read_text(encoding="utf-8") for path in sorted(FOLDER.glob("*.md")))
ROWS = [line.strip("|").split(" | ") for line in PAGE.splitlines() if line.startswith("| ")]


def test_every_python_name_exists() -> None:
    names = set(re.findall(r"`(?:ew\.)([A-Za-z][\w.]*\w)", PAGE))
    assert len(names) > 20
    for name in names:
        assert attrgetter(name)(ew) is not None
    for attribute in re.findall(r"`Wealth\.(\w+)`", PAGE):
        assert hasattr(ew.Wealth, attribute)


def test_every_measure_exists() -> None:
    """What stands alone in the second column, in letters like a measure's, is one or is called otherwise."""
    known = {measure.name for measure in ew.catalogue()}
    others = {"ContingencyTable", "probability_better", "rows", "positive", "ordered", "time", "edgeworth"}
    for row in ROWS:
        for text in re.findall(
            r"`([a-z_]+(?:\[\w+\])?(?:@\w)?(?:\([^`]*\))?)`", re.sub(r"charts? `\w+`", "", row[1])
        ):
            assert re.split(r"[\[@(]", text)[0] in known | others, text


def test_every_option_and_command_exists() -> None:
    options = {
        name
        for command in app
        if not command.startswith("-")
        for argument in app[command].assemble_argument_collection()
        for name in argument.names
    }
    values = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE))
    assert len(values) > 15
    assert values <= options, values - options
    assert set(re.findall(r"`edgeworth ([a-z]+)", PAGE)) <= set(app)


@pytest.mark.parametrize("name", ["powers", "su-zhang", "kalia"])
def test_every_reason_is_explained(name: str) -> None:
    paper = read_paper(name)
    for reason in paper.reasons:
        assert f"*{reason}*" in PAGE, reason
    assert f"# {paper.title}" in (FOLDER / f"{name}.md").read_text(encoding="utf-8")
