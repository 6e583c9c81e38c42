"""The table of readers: which tool wrote a file, and what reads it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from edgeworth.errors import InputError
from edgeworth.sources.formats import ending
from edgeworth.sources.paths import (
    expand_paths,
    first_line,
    local_path,
    natural_key,
    read_head,
    refuse_folder,
)
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
    beside: Callable[[Path], list[Path]] = lambda _: []
    """Lists other files that are read with one."""


READERS = [
    Reader(inspect_logs.TOOL, (".eval",), (), inspect_logs.read_log),
    Reader(inspect_logs.TOOL, (".json",), (b'"eval"', b'"run_id"', b'"task"'), inspect_logs.read_log),
    Reader(lm_eval.TOOL, (".jsonl",), (b'"doc_id"', b'"doc"'), lm_eval.read_samples, lm_eval.results_beside),
    Reader(promptfoo.TOOL, (".json",), (b'"evalId"', b'"results"'), promptfoo.read_results),
    Reader(promptfoo.TOOL, (".jsonl",), (b'"promptIdx"', b'"testIdx"'), promptfoo.read_results),
]


def register_reader(reader: Reader) -> None:
    """Have the logs of another tool read; the reader that was registered last is asked first.

    Its ``read`` gives the runs of a file; ``edgeworth.sources.runs.run.make_run`` makes one of its items.
    """
    READERS.insert(0, reader)


def find_reader(path: Path) -> Reader | None:
    """Find the reader of a file; None where no tool that is known wrote it."""
    possible = [each for each in READERS if ending(path) in each.endings]
    try:
        if not possible or not path.is_file():
            return None
        head = read_head(path, str(path))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {first_line(error)}") from None
    except InputError:  # what reads it says why
        return next((each for each in possible if not each.marks), None)
    return next((each for each in possible if all(mark in head for mark in each.marks)), None)


def read_runs(data: Any) -> list[list[Run]]:
    """Read the runs of each path that was given; an empty list where none of them is a run log.

    Of a folder one log of each system and task is read: the newest that finished, by the date in its name.
    """
    given = data if isinstance(data, (list, tuple)) else [data]
    if not all(isinstance(each, (str, os.PathLike)) and "://" not in str(each) for each in given):
        return []
    found = {str(each): _files(local_path(each)) for each in given}
    logs = [name for name, files in found.items() if files]
    if not logs:
        return []
    if len(logs) < len(found):
        other = next(name for name, files in found.items() if not files)
        expand_paths(other)  # refuses what does not exist
        raise InputError(f"{other} is no run log that is known, and {logs[0]} is one: give logs, or tables")
    expand_paths([file for each in given for file, _ in found[str(each)]])  # refuses what is named twice
    return [_choose([run for file, reader in files for run in reader.read(file)]) for files in found.values()]


def _files(path: Path) -> list[tuple[Path, Reader]]:
    """List the run logs that a path means, with their readers, the oldest first."""
    files = [path]
    try:
        is_folder = path.is_dir()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {first_line(error)}") from None
    if is_folder:
        below = os.walk(path, onerror=refuse_folder)
        files = [Path(parent) / name for parent, _, names in below for name in names]
        files.sort(key=lambda file: natural_key(file.name))
    readers = [(file, find_reader(file)) for file in files]
    return [(file, reader) for file, reader in readers if reader is not None]


def log_files(data: str | os.PathLike[str]) -> list[Path]:
    """List every file that reading the run logs of a path opens."""
    return [each for file, reader in _files(local_path(data)) for each in (file, *reader.beside(file))]


def _choose(runs: list[Run]) -> list[Run]:
    """Keep the newest run that finished for each system and task; if none did, the newest with a score."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in _name_variants(runs):
        groups.setdefault((run.system, run.task), []).append(run)
    chosen = []
    for group in groups.values():
        scored = [run for run in group if run.grades]
        if not scored:
            stopped = f"the run did not finish (status {group[-1].unfinished!r})"
            raise InputError(f"{group[-1].path}: {stopped}, and none of its answers has a score")
        finished = [run for run in scored if not run.unfinished]
        chosen.append((finished or scored)[-1])
    kept = {run.path for run in chosen}
    earlier = sorted({run.path for run in runs if not run.unfinished} - kept)
    stopped_early = sorted({run.path for run in runs if run.unfinished} - kept)
    notes = [f"Logs of earlier runs are left out: {', '.join(earlier)}."] if earlier else []
    if stopped_early:
        notes.append(f"Logs of runs that did not finish are left out: {', '.join(stopped_early)}.")
    return [replace(run, notes=(*run.notes, *notes)) for run in chosen]


def _name_variants(runs: list[Run]) -> list[Run]:
    """Name systems by the arguments that differ between runs of one model on one task."""
    arguments: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for run in runs:
        arguments.setdefault((run.system, run.task), []).append(run.arguments)
    differing: dict[str, set[str]] = {}
    for (system, _), passed in arguments.items():
        names = {name for each in passed for name in each}
        varied = {name for name in names if len({each.get(name) for each in passed}) > 1}
        differing.setdefault(system, set()).update(varied)
    named = []
    for run in runs:
        told = {name: run.arguments[name] for name in run.arguments if name in differing[run.system]}
        variant = ", ".join(f"{name}={value}" for name, value in told.items())
        named.append(replace(run, system=f"{run.system} ({variant})") if variant else run)
    return named
