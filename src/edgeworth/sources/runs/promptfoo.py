"""Results of promptfoo, ``.json`` or ``.jsonl``: every provider and prompt in one file."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from edgeworth.errors import InputError
from edgeworth.sources.runs.run import Item, Run, as_grade, make_run, need, read_json, read_json_lines

TOOL = "promptfoo"
VERSION = 3
TASK = "tests"
"""Results of two days are joined by their tests, whatever the files are called."""
ERROR = 2
"""The failureReason of an answer that never came; a failed assertion is 1."""


def read_results(path: Path) -> list[Run]:
    """Read a ``.json`` file of results."""
    whole = read_json(path)
    results = need(whole, "results", str(path), dict)
    version = need(results, "version", f"{path}, results")
    if version != VERSION:
        raise InputError(
            f"{path} holds results of version {version}; version {VERSION} of promptfoo's can be read"
        )
    rows = need(results, "results", f"{path}, results", list)
    places = (f"{path}, result {number:,}" for number in range(1, len(rows) + 1))
    return _runs(zip(places, rows, strict=True), path)


def read_lines(path: Path) -> list[Run]:
    """Read a ``.jsonl`` file of results."""
    return _runs(read_json_lines(path), path)


def _runs(rows: Iterable[tuple[str, Any]], path: Path) -> list[Run]:
    """Sort the rows by provider and prompt: each pair of them is a system."""
    found: dict[tuple[str, str], list[Item]] = {}
    for place, row in rows:
        place = f"{place} (testIdx {need(row, 'testIdx', place)})"
        provider = need(row, "provider", place, (dict, str))
        name = provider if isinstance(provider, str) else provider.get("label") or need(provider, "id", place)
        prompt = need(row, "prompt", place, dict)
        label = str(prompt.get("label") or f"prompt {row.get('promptIdx')}")
        found.setdefault((str(name), label), []).append(_item(row, place))
    prompts = {prompt for _, prompt in found}
    note = "Items are the tests by their vars: repeats of one are averaged."
    return [
        make_run(TOOL, name if len(prompts) == 1 else f"{name}, {prompt}", TASK, path, items, note)
        for (name, prompt), items in found.items()
    ]


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
    return Item(key, grades, is_error=is_error)
