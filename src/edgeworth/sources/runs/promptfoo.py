"""Results of promptfoo, ``.json`` or ``.jsonl``: every provider and prompt in one file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from edgeworth.errors import InputError
from edgeworth.sources.formats import ending
from edgeworth.sources.runs.run import Item, Run, as_grade, make_run, need, read_json, read_json_lines

TOOL = "promptfoo"
VERSION = 3
TASK = "tests"
"""Results of two days are joined by their tests, whatever the files are called."""
ERROR = 2
"""The failureReason of an answer that never came; a failed assertion is 1."""


def read_results(path: Path) -> list[Run]:
    """Read a file of results: each provider with each prompt is a system."""
    found: dict[tuple[str, str], list[Item]] = {}
    for place, row in read_json_lines(path) if ending(path) == ".jsonl" else _results(path):
        place = f"{place} (testIdx {need(row, 'testIdx', place)})"
        provider = need(row, "provider", place, (dict, str))
        name = provider if isinstance(provider, str) else provider.get("label") or need(provider, "id", place)
        prompt = need(row, "prompt", place, dict).get("label") or f"prompt {row.get('promptIdx')}"
        found.setdefault((str(name), str(prompt)), []).append(_item(row, place))
    is_one = len({prompt for _, prompt in found}) == 1
    note = "Items are the tests by their vars: repeats of one are averaged."
    return [
        make_run(TOOL, name if is_one else f"{name}, {prompt}", TASK, path, items, note)
        for (name, prompt), items in found.items()
    ]


def _results(path: Path) -> Iterator[tuple[str, Any]]:
    """Read the results of a ``.json`` file, with their places."""
    results = need(read_json(path), "results", path, dict)
    version = need(results, "version", f"{path}, results")
    if version != VERSION:
        raise InputError(f"{path} holds results of version {version}; version {VERSION} can be read")
    for number, row in enumerate(need(results, "results", f"{path}, results", list), start=1):
        yield f"{path}, result {number:,}", row


def _item(row: dict[str, Any], place: str) -> Item:
    is_error = row.get("failureReason") == ERROR
    given = {"pass": need(row, "success", place), "score": need(row, "score", place)}
    grades: dict[str, float] = {}
    for name, value in ({} if is_error else given | (row.get("namedScores") or {})).items():
        grade = as_grade(value)
        if grade is None:
            raise InputError(f"{place}: {name} is no number, and neither true nor false; saw {value!r}")
        grades[name] = grade
    values = row.get("vars") or {}
    key = json.dumps(values, sort_keys=True, ensure_ascii=False) if values else str(row["testIdx"])
    return Item(key, grades, is_error=is_error, about={"vars": values})
