"""Results of promptfoo, ``.json`` or ``.jsonl``: every provider and prompt in one file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from edgeworth.errors import InputError
from edgeworth.sources.formats import ending
from edgeworth.sources.json_values import Document, read_json, read_json_lines
from edgeworth.sources.nesting import check_nesting
from edgeworth.sources.runs.run import Item, Run, as_grade, make_run

TOOL = "promptfoo"
VERSION = 3
TASK = "tests"
"""Results of several files are joined by their tests, so all files have one task name."""
ERROR = 2
"""The failureReason of a missing answer; that of a failed assertion is 1."""


# -- the fields that are read, by promptfoo's names --------------------------------------------------------


class Provider(Struct):
    """The model that answered."""

    id: str = ""
    label: str | None = None


class Prompt(Struct):
    """The prompt that was used."""

    label: str | None = None


class Row(Struct, rename="camel"):
    """One answer; promptfoo writes names as testIdx."""

    test_idx: int | str
    provider: Provider | str
    prompt: Prompt
    success: object
    score: object
    prompt_idx: int | str | None = None
    failure_reason: int | None = None
    named_scores: dict[str, object] | None = None
    vars: dict[str, object] | None = None


class Version(Struct):
    """The version of the layout, which is checked before the rest is decoded."""

    version: int


class Versioned(Struct):
    """A file, of which only the version is decoded."""

    results: Version


class Rows(Struct):
    """The list of answers in a file's results."""

    results: list[Row]


class File(Struct):
    """A ``.json`` file."""

    results: Rows


def read_results(path: Path) -> list[Run]:
    """Read a file of results: each provider with each prompt is a system."""
    items_by_system: dict[tuple[str, str], list[Item]] = {}
    for location, row in _lines(path) if ending(path) == ".jsonl" else _results(path):
        location = f"{location} (testIdx {row.test_idx})"
        name = row.provider if isinstance(row.provider, str) else row.provider.label or row.provider.id
        if not name:
            raise InputError(f"{location}: the field 'provider' has neither an id nor a label")
        prompt = row.prompt.label or f"prompt {row.prompt_idx}"
        items_by_system.setdefault((name, prompt), []).append(_item(row, location))
    if not items_by_system:
        raise InputError(f"{path} holds no results")
    is_one = len({prompt for _, prompt in items_by_system}) == 1
    note = "Tests with the same vars are one item, and repeats are averaged."
    return [
        make_run(TOOL, name if is_one else f"{name}, {prompt}", TASK, path, items, note)
        for (name, prompt), items in items_by_system.items()
    ]


def _lines(path: Path) -> Iterator[tuple[str, Row]]:
    """Read the results of a ``.jsonl`` file, with their locations."""
    for location, line in read_json_lines(path):
        yield location, Document(line, location).decode(Row)


def _results(path: Path) -> Iterator[tuple[str, Row]]:
    """Read the results of a ``.json`` file, with their locations."""
    whole = read_json(path)
    version = whole.decode(Versioned).results.version
    if version != VERSION:
        raise InputError(f"{path} holds results of version {version}; only version {VERSION} can be read")
    for number, row in enumerate(whole.decode(File, "result").results.results, start=1):
        yield f"{path}, result {number:,}", row


def _item(row: Row, location: str) -> Item:
    is_error = row.failure_reason == ERROR
    scores = {"pass": row.success, "score": row.score, **(row.named_scores or {})}
    grades: dict[str, float] = {}
    for name, value in ({} if is_error else scores).items():
        grade = as_grade(value)
        if grade is None:
            raise InputError(f"{location}: {name} must be a number, true or false; saw {value!r:.60}")
        grades[name] = grade
    values = row.vars or {}
    check_nesting(values, f"{location}, vars")
    key = json.dumps(values, sort_keys=True, ensure_ascii=False) if values else str(row.test_idx)
    return Item(key, grades, is_error=is_error, about={"vars": values})
