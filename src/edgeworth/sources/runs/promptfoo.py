"""Results of promptfoo, ``.json`` or ``.jsonl``: every provider and prompt in one file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from edgeworth.errors import InputError
from edgeworth.sources.formats import ending
from edgeworth.sources.json_values import Document, read_json, read_json_lines
from edgeworth.sources.nesting import check_nesting
from edgeworth.sources.runs.run import Item, Run, as_grade, make_run

TOOL = "promptfoo"
VERSION = 3
TASK = "tests"
"""Results of two days are joined by their tests, whatever the files are called."""
ERROR = 2
"""The failureReason of an answer that never came; a failed assertion is 1."""


# -- the fields that are read, by promptfoo's names --------------------------------------------------------


class Provider(Struct):
    """What answered."""

    id: str = ""
    label: str | None = None


class Prompt(Struct):
    """What it was asked with."""

    label: str | None = None


class Row(Struct, rename="camel"):
    """One answer; promptfoo writes names as testIdx."""

    test_idx: int | str
    provider: Provider | str
    prompt: Prompt
    success: Any
    score: Any
    prompt_idx: int | str | None = None
    failure_reason: int | None = None
    named_scores: dict[str, Any] | None = None
    vars: dict[str, Any] | None = None


class Version(Struct):
    """The version of the layout, which is looked at before the rest."""

    version: int


class Versioned(Struct):
    """A file by its version alone."""

    results: Version


class Rows(Struct):
    """The answers below a file's results."""

    results: list[Row]


class File(Struct):
    """A ``.json`` file."""

    results: Rows


def read_results(path: Path) -> list[Run]:
    """Read a file of results: each provider with each prompt is a system."""
    found: dict[tuple[str, str], list[Item]] = {}
    for place, row in _lines(path) if ending(path) == ".jsonl" else _results(path):
        place = f"{place} (testIdx {row.test_idx})"
        name = row.provider if isinstance(row.provider, str) else row.provider.label or row.provider.id
        if not name:
            raise InputError(f"{place}: the field 'provider' has neither an id nor a label")
        prompt = row.prompt.label or f"prompt {row.prompt_idx}"
        found.setdefault((name, prompt), []).append(_item(row, place))
    if not found:
        raise InputError(f"{path} holds no results")
    is_one = len({prompt for _, prompt in found}) == 1
    note = "Items are the tests by their vars: repeats of one are averaged."
    return [
        make_run(TOOL, name if is_one else f"{name}, {prompt}", TASK, path, items, note)
        for (name, prompt), items in found.items()
    ]


def _lines(path: Path) -> Iterator[tuple[str, Row]]:
    """Read the results of a ``.jsonl`` file, with their places."""
    for place, line in read_json_lines(path):
        yield place, Document(line, place).decode(Row)


def _results(path: Path) -> Iterator[tuple[str, Row]]:
    """Read the results of a ``.json`` file, with their places."""
    whole = read_json(path)
    version = whole.decode(Versioned).results.version
    if version != VERSION:
        raise InputError(f"{path} holds results of version {version}; version {VERSION} can be read")
    for number, row in enumerate(whole.decode(File, "result").results.results, start=1):
        yield f"{path}, result {number:,}", row


def _item(row: Row, place: str) -> Item:
    is_error = row.failure_reason == ERROR
    given = {"pass": row.success, "score": row.score, **(row.named_scores or {})}
    grades: dict[str, float] = {}
    for name, value in ({} if is_error else given).items():
        grade = as_grade(value)
        if grade is None:
            raise InputError(f"{place}: {name} is no number, and neither true nor false; saw {value!r:.60}")
        grades[name] = grade
    values = row.vars or {}
    check_nesting(values, f"{place}, vars")
    key = json.dumps(values, sort_keys=True, ensure_ascii=False) if values else str(row.test_idx)
    return Item(key, grades, is_error=is_error, about={"vars": values})
