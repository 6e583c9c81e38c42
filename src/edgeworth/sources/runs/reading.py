"""The table of readers: which tool wrote a file, and what reads it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from edgeworth.errors import InputError
from edgeworth.sources.formats import ending
from edgeworth.sources.paths import HEAD_BYTES, expand_paths, local_path, natural_key
from edgeworth.sources.runs import inspect_logs, lm_eval, promptfoo
from edgeworth.sources.runs.run import Run


@dataclass(frozen=True)
class Reader:
    """How the logs of a tool are recognised, and what reads one."""

    tool: str
    endings: tuple[str, ...]
    marks: tuple[bytes, ...]
    """What the first 64 kB hold, all of it: names of fields that only this tool writes."""
    read: Callable[[Path], list[Run]]


READERS = [
    Reader(inspect_logs.TOOL, (".eval",), (), inspect_logs.read_archive),
    Reader(inspect_logs.TOOL, (".json",), (b'"eval"', b'"run_id"', b'"task"'), inspect_logs.read_whole_log),
    Reader(lm_eval.TOOL, (".jsonl",), (b'"doc_id"', b'"doc"'), lm_eval.read_samples),
    Reader(promptfoo.TOOL, (".json",), (b'"evalId"', b'"results"'), promptfoo.read_results),
    Reader(promptfoo.TOOL, (".jsonl",), (b'"promptIdx"', b'"testIdx"'), promptfoo.read_lines),
]


def register_reader(
    tool: str, endings: Sequence[str], marks: Sequence[bytes], read: Callable[[Path], list[Run]]
) -> None:
    """Have the logs of another tool read: files with one of these endings whose start holds all marks.

    ``read`` gives the runs of a file; ``edgeworth.sources.runs.run.make_run`` makes one of its items. The
    reader that was registered last is asked first.
    """
    READERS.insert(0, Reader(tool, tuple(endings), tuple(marks), read))


def find_reader(path: Path) -> Reader | None:
    """Find the reader of a file; None where no tool that is known wrote it."""
    possible = [each for each in READERS if ending(path) in each.endings]
    if not possible or not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError:
        return None
    return next((each for each in possible if all(mark in head for mark in each.marks)), None)


def read_runs(data: Any) -> list[list[Run]]:
    """Read the runs of each path that was given; an empty list where none of them is a run log.

    Of a folder the newest log of each system and task is read, by the date in its name.
    """
    given = data if isinstance(data, (list, tuple)) else [data]
    if not given or not all(isinstance(each, (str, os.PathLike)) and each != "-" for each in given):
        return []
    if any("://" in str(each) for each in given):
        return []
    found = [_files(local_path(each)) for each in given]
    if not any(found):
        return []
    for each, files in zip(given, found, strict=True):
        if not files:
            other = next(name for name, logs in zip(given, found, strict=True) if logs)
            raise InputError(f"{each} is no run log that is known, and {other} is one: give logs, or tables")
    expand_paths([file for files in found for file, _ in files])  # refuses a file that is named twice
    return [_newest([run for file, reader in files for run in reader.read(file)]) for files in found]


def _files(path: Path) -> list[tuple[Path, Reader]]:
    """List the run logs that a path means, with their readers, the oldest first."""
    files = sorted(path.rglob("*"), key=lambda file: natural_key(file.name)) if path.is_dir() else [path]
    readers = [(file, find_reader(file)) for file in files]
    return [(file, reader) for file, reader in readers if reader is not None]


def _newest(runs: list[Run]) -> list[Run]:
    """Keep the last run of each system and task, and say how many were left out."""
    latest: dict[tuple[str, str], Run] = {}
    for run in runs:
        older = latest.get((run.system, run.task))
        if older is not None and older.path != run.path:
            run = replace(run, notes=(*run.notes, f"{older.path}, of an earlier run, is left out."))
        latest[run.system, run.task] = run
    return list(latest.values())
