"""A run: what one system did on one task, as every reader of run logs gives it."""

from __future__ import annotations

import json
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from edgeworth.arrays import Floats
from edgeworth.errors import InputError
from edgeworth.sources.paths import read_whole_file


class Item(NamedTuple):
    """One answer as a log tells it. Options of multiple choice are known by their position, from 0."""

    id: str
    grades: Mapping[str, float]
    """By scorer; NaN, or nothing, where it was not scored."""
    cluster: str | None = None
    options: int = 0
    """How many options there were to choose from; 0 where it is no multiple choice."""
    truth: int | None = None
    answer: int | None = None
    log_likelihoods: Sequence[float] | None = None
    is_error: bool = False


@dataclass(frozen=True)
class Run:
    """What one system did on one task: a row for each answer, repeats of an item under one id."""

    tool: str
    system: str
    task: str
    path: str
    ids: tuple[str, ...]
    grades: Mapping[str, Floats]
    """By scorer or metric, the tool's main one first; NaN where an item was not scored."""
    clusters: tuple[str, ...] | None = None
    labels: tuple[str, ...] = ()
    """The options of multiple choice, by position: A, B, C, …"""
    truth: tuple[str, ...] | None = None
    prediction: tuple[str | None, ...] | None = None
    probabilities: Floats | None = field(default=None, repr=False)
    guess_rate: float | None = None
    """The mean of one over the number of options."""
    errors: int = 0
    """How many rows ended with an error instead of an answer."""
    notes: tuple[str, ...] = ()
    """How the log was mapped, in sentences."""


def make_run(tool: str, system: str, task: str, path: Path, items: Sequence[Item], *notes: str) -> Run:
    """Make a run of the items of a log."""
    if not items:
        raise InputError(f"{path}: task {task!r} holds no items")
    names = dict.fromkeys(name for item in items for name in item.grades)
    if not names:
        raise InputError(f"{path}: no item of task {task!r} has a score; was the log written before scoring?")
    grades = {name: np.array([item.grades.get(name, np.nan) for item in items]) for name in names}
    clusters = tuple(item.cluster for item in items if item.cluster is not None)
    run = Run(
        tool=tool,
        system=system,
        task=task,
        path=str(path),
        ids=tuple(item.id for item in items),
        grades=grades,
        clusters=clusters if len(clusters) == len(items) else None,
        errors=sum(item.is_error for item in items),
        notes=notes,
    )
    return _with_choices(run, items)


def _with_choices(run: Run, items: Sequence[Item]) -> Run:
    """Add the answers and the choice probabilities where every item is multiple choice."""
    if any(item.truth is None or item.options < 2 for item in items):
        return run
    labels = name_options(max(item.options for item in items))
    chosen = {
        "labels": labels,
        "truth": tuple(labels[item.truth] for item in items if item.truth is not None),
        "guess_rate": float(np.mean([1 / item.options for item in items])),
    }
    if any(item.answer is not None for item in items):
        chosen["prediction"] = tuple(None if x.answer is None else labels[x.answer] for x in items)
    if all(item.log_likelihoods is not None for item in items):
        table = np.full((len(items), len(labels)), -np.inf)
        for row, item in enumerate(items):
            table[row, : item.options] = item.log_likelihoods
        chosen["probabilities"] = _softmax(table)
    return Run(**{**run.__dict__, **chosen})


def _softmax(table: Floats) -> Floats:
    odds = np.exp(table - table.max(axis=1, keepdims=True))
    shares: Floats = odds / odds.sum(axis=1, keepdims=True)
    return shares


def name_options(number: int) -> tuple[str, ...]:
    """Name options by position.

    >>> name_options(3)
    ('A', 'B', 'C')
    """
    letters = string.ascii_uppercase
    return tuple(letters[:number] if number <= len(letters) else map(str, range(1, number + 1)))


# -- JSON, with sentences on what is wrong ---------------------------------------------------------------


def parse_json(content: bytes | bytearray, place: str) -> Any:
    """Parse JSON; NaN is a number here, as the tools write it."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{place} is not JSON, or only a part of it: {error}") from None


def read_json(path: Path) -> Any:
    """Read a file of JSON."""
    return parse_json(read_whole_file(path), str(path))


def read_json_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """Read a file of JSON lines: where each stands, and what it holds."""
    for number, line in enumerate(bytes(read_whole_file(path)).splitlines(), start=1):
        if line.strip():
            place = f"{path}, line {number:,}"
            yield place, parse_json(line, place)


def need(record: Any, name: str, place: str, kind: type | tuple[type, ...] = object) -> Any:
    """Take a field of a record, or say where it is missing or of another kind."""
    if not isinstance(record, dict):
        raise InputError(f"{place}: an object with the field {name!r} is needed; saw {_shown(record)}")
    if name not in record:
        raise InputError(f"{place}: the field {name!r} is missing; there are {_shown(', '.join(record))}")
    value = record[name]
    if not isinstance(value, kind):
        raise InputError(f"{place}: the field {name!r} cannot be {_shown(value)}")
    return value


def as_grade(value: Any, words: Mapping[str, float] | None = None) -> float | None:
    """Read a grade: a number, true or false, or a word that means one; None where it is none of these."""
    if isinstance(value, (bool, int, float)):
        return float(value)
    return (words or {}).get(value) if isinstance(value, str) else None


def _shown(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
