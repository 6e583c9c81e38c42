"""Recognise which tool wrote a run log, and read it."""

from __future__ import annotations

import contextlib
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

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
from edgeworth.sources.runs.run import STAMP, Run

SKIPPED = "Skipped logs of"
"""How a note on logs begins that a folder holds and that are not used."""


@dataclass(frozen=True)
class Reader:
    """How the logs of a tool are recognised and read."""

    tool: str
    endings: tuple[str, ...]
    marks: tuple[bytes, ...]
    """Names of fields that only this tool writes; the first 64 kB must hold all of them."""
    read: Callable[[Path], list[Run]]
    beside: Callable[[Path], list[Path]] = lambda _: []
    """Returns the other files that are read with a log."""


READERS = [
    Reader(inspect_logs.TOOL, (".eval",), (), inspect_logs.read_log),
    Reader(inspect_logs.TOOL, (".json",), (b'"eval"', b'"run_id"', b'"task"'), inspect_logs.read_log),
    Reader(lm_eval.TOOL, (".jsonl",), (b'"doc_id"', b'"doc"'), lm_eval.read_samples, lm_eval.results_beside),
    Reader(promptfoo.TOOL, (".json",), (b'"evalId"', b'"results"'), promptfoo.read_results),
    Reader(promptfoo.TOOL, (".jsonl",), (b'"promptIdx"', b'"testIdx"'), promptfoo.read_results),
]


def register_reader(reader: Reader) -> None:
    """Register a reader for the logs of another tool; later readers take precedence.

    Its ``read`` returns the runs of a file; ``edgeworth.sources.runs.run.make_run`` makes a run from items.
    """
    READERS.insert(0, reader)


def find_reader(path: Path) -> Reader | None:
    """Return the reader for a file, or None if it is not a known run log."""
    possible = [reader for reader in READERS if ending(path) in reader.endings]
    try:
        if not possible or not path.is_file():
            return None
        head = read_head(path, str(path))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {first_line(error)}") from None
    except InputError:  # the reader raises a better error
        return next((reader for reader in possible if not reader.marks), None)
    return next((reader for reader in possible if all(mark in head for mark in reader.marks)), None)


def read_runs(data: object, *, read_reruns: bool = False) -> list[list[Run]]:
    """Read the runs of each path; return an empty list if no path is a run log.

    In a folder, one log per system and task is read: the newest finished one, by the date in its name. If
    several may be the newest, the last one is read, and each run has a warning. With ``read_reruns``, all
    logs are read. Logs that cannot be read are left out if there are others, and each run has their errors.
    """
    values = data if isinstance(data, (list, tuple)) else [data]
    paths = [path for path in values if isinstance(path, (str, os.PathLike)) and "://" not in str(path)]
    if len(paths) < len(values):
        return []
    files_by_path = {str(path): _files(local_path(path)) for path in paths}
    logs = [name for name, files in files_by_path.items() if files]
    for name, files in files_by_path.items():
        if not files:
            _refuse_totals(local_path(name))
    if not logs:
        return []
    if len(logs) < len(files_by_path):
        other = next(name for name, files in files_by_path.items() if not files)
        # This raises an error if the path does not exist.
        expand_paths(other)
        raise InputError(
            f"{other} is not a known run log, but {logs[0]} is: pass only run logs, or only tables"
        )
    # This raises an error if a file is named twice.
    expand_paths([file for path in paths for file, _ in files_by_path[str(path)]])
    groups = [_read_files(files) for files in files_by_path.values()]
    shared_tasks = find_shared_tasks([run for runs in groups for run in runs])
    choose = _choose_per_file if read_reruns else _choose
    return [
        choose([shared_tasks.get(run.path, run) for run in runs], name)
        for name, runs in zip(files_by_path, groups, strict=True)
    ]


def _refuse_totals(path: Path) -> None:
    """Raise an error for results of lm-evaluation-harness, or a folder of nothing else: they lack answers."""
    if path.is_dir():
        with contextlib.suppress(InputError):
            expand_paths(path)
            return
    totals = lm_eval.find_totals(path)
    if totals is not None:
        raise InputError(
            f"{totals} holds only totals: pass the samples of each task (samples_*.jsonl) or their folder; "
            "lm_eval writes samples with --log_samples"
        )


def _read_files(files: Sequence[tuple[Path, Reader]]) -> list[Run]:
    """Read the logs of a folder, or one log; leave out those that cannot be read unless none can."""
    runs: list[Run] = []
    errors: list[InputError] = []
    for file, reader in files:
        try:
            runs += reader.read(file)
        except InputError as error:
            errors.append(error)
    if errors and not runs:
        raise errors[0]
    return [replace(run, unreadable=tuple(map(str, errors))) for run in runs] if errors else runs


def find_shared_tasks(runs: list[Run]) -> dict[str, Run]:
    """Find the runs whose logs name no task and hold the documents of another log, by path.

    They are returned as runs of that log's task.
    """
    same: dict[str, list[Run]] = {}
    tasks = {run.path: run for run in runs if run.is_task_named}
    for run in runs:
        if not run.is_task_named:
            first = next((other for other in tasks.values() if _hold_same_documents(run, other)), run)
            same.setdefault(first.path, []).append(run)
            tasks[first.path] = first
    shared: dict[str, Run] = {}
    number = 0
    for path, group in same.items():
        first = tasks[path]
        if not first.is_task_named and len(group) == 1:
            continue
        number += not first.is_task_named
        task = first.task if first.is_task_named else f"unnamed task{f' {number}' if number > 1 else ''}"
        names = ", ".join(dict.fromkeys(Path(run.path).name for run in group))
        note = (
            f"The task is not in the file names ({names}). The files hold the same documents, so they count "
            f"as one task, {task}."
        )
        shared |= {run.path: run.of_task(task, note) for run in group}
    return shared


def _hold_same_documents(run: Run, other: Run) -> bool:
    """Return whether at least half of the documents of the shorter log are in the other one."""
    documents, others = ({item.id: item.about.get("doc") for item in x.items} for x in (run, other))
    shared = sum(others[name] == document for name, document in documents.items() if name in others)
    return run.tool == other.tool and 2 * shared >= min(len(documents), len(others)) > 0


def _files(path: Path) -> list[tuple[Path, Reader]]:
    """Return the run logs at a path with their readers, the oldest first."""
    files = [path]
    try:
        is_folder = path.is_dir()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {first_line(error)}") from None
    if is_folder:
        below = os.walk(path, onerror=refuse_folder)
        files = [Path(parent) / name for parent, _, names in below for name in names]
        files.sort(key=lambda file: (natural_key(file.name), natural_key(file.parent)))
    readers = [(file, find_reader(file)) for file in files]
    return [(file, reader) for file, reader in readers if reader is not None]


def log_files(data: str | os.PathLike[str]) -> list[Path]:
    """Return every file that is opened to read the run logs at a path."""
    return [opened for file, reader in _files(local_path(data)) for opened in (file, *reader.beside(file))]


def _choose(runs: list[Run], data: str) -> list[Run]:
    """Keep the newest finished run per system and task, or the newest with a score if none finished."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in _name_variants(runs):
        groups.setdefault((run.system, run.task), []).append(run)
    chosen = []
    alike: dict[str, list[list[Run]]] = {}
    for group in groups.values():
        scored = [run for run in group if run.grades]
        if not scored:
            stopped = f"the run did not finish (status {group[-1].unfinished!r})"
            raise InputError(f"{group[-1].path}: {stopped}, and none of its answers has a score")
        finished = [run for run in scored if not run.unfinished]
        usable = finished or scored
        chosen.append(usable[-1])
        same = _possibly_newest(usable)
        if len({run.path for run in same}) > 1:
            alike.setdefault(same[0].system, []).append(same)
    chosen_paths = {run.path for run in chosen}
    same_paths = {run.path for groups in alike.values() for group in groups for run in group}
    earlier = sorted({run.path for run in runs if not run.unfinished} - chosen_paths - same_paths)
    stopped_early = sorted({run.path for run in runs if run.unfinished} - chosen_paths - same_paths)
    notes = [f"{SKIPPED} earlier runs: {', '.join(earlier)}."] if earlier else []
    if stopped_early:
        notes.append(f"{SKIPPED} unfinished runs: {', '.join(stopped_early)}.")
    is_one_system = len({run.system for run in chosen}) == 1
    warnings = tuple(
        _warn_of_same_dates(system, groups, data if is_one_system else "") for system, groups in alike.items()
    )
    return [replace(run, notes=(*run.notes, *notes), warnings=warnings) for run in chosen]


def _possibly_newest(runs: Sequence[Run]) -> list[Run]:
    """Keep the runs that may be the newest: the last ones, and files that name neither task nor date."""
    ordered = [run.date_or_name for run in runs if _has_order(run)]
    return [run for run in runs if not _has_order(run) or run.date_or_name == ordered[-1]]


def _has_order(run: Run) -> bool:
    return run.is_task_named or STAMP.search(Path(run.path).name) is not None


def _choose_per_file(runs: list[Run], data: str) -> list[Run]:
    """Keep a run per system, task and file."""
    files: dict[str, list[Run]] = {}
    for run in runs:
        files.setdefault(run.path, []).append(run)
    return [run for own in files.values() for run in _choose(own, data)]


def _warn_of_same_dates(system: str, groups: Sequence[Sequence[Run]], data: str) -> str:
    """Warn that none of several runs of a system is known to be the newest, and name the one that was used.

    ``data`` is empty if they hold other systems too, because ``noise`` takes the logs of one.
    """
    number = max(len(group) for group in groups)
    used = dict.fromkeys(_label_last([Path(run.path) for run in group]) for group in groups)
    reason = "cannot be ordered by the dates in their names"
    if all(len({run.date_or_name for run in group}) == 1 for group in groups):
        are_dated = all(STAMP.search(Path(group[-1].path).name) for group in groups)
        reason = f"have the same {'date' if are_dated else 'name'}"
    verb = "was" if len(used) == 1 else "were"
    advice = f"edgeworth noise {shlex.quote(data)}" if data else "pass only these logs to edgeworth noise."
    return (
        f"{number} runs of {system} {reason}; {', '.join(used)} {verb} used. To measure the noise: {advice}"
    )


def _label_last(paths: Sequence[Path]) -> str:
    """Name the last of several logs by the folder in which they differ, or by its file.

    >>> _label_last([Path("runs/run1/a.json"), Path("runs/run2/a.json")])
    'run2'
    """
    below = [path.parts[len(Path(os.path.commonpath(paths)).parts) :] for path in paths]
    return below[-1][0]


def _name_variants(runs: list[Run]) -> list[Run]:
    """Name systems by the arguments that differ between runs of one model on one task."""
    arguments: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for run in runs:
        arguments.setdefault((run.system, run.task), []).append(run.arguments)
    differing: dict[str, set[str]] = {}
    for (system, _), passed in arguments.items():
        names = {name for run_arguments in passed for name in run_arguments}
        varied = {name for name in names if len({run_arguments.get(name) for run_arguments in passed}) > 1}
        differing.setdefault(system, set()).update(varied)
    named = []
    for run in runs:
        varied_arguments = {
            name: run.arguments[name] for name in run.arguments if name in differing[run.system]
        }
        variant = ", ".join(f"{name}={value}" for name, value in varied_arguments.items())
        named.append(replace(run, system=f"{run.system} ({variant})") if variant else run)
    return named
