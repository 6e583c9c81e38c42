"""``edgeworth preview``: what a file holds, and what can be asked of it."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from edgeworth.cli.options import Files, named_files
from edgeworth.errors import InputError

if TYPE_CHECKING:
    from edgeworth.sources.runs.run import Run

MAX_COMMAND_LENGTH = 4_000
"""Longer commands are not printed, because a reader cannot check them before pasting."""
NOT_PRINTED = (
    "  Some commands are not printed: a name in them is very long, or holds characters that a terminal would "
    "obey. Rename it first."
)


@dataclass(frozen=True)
class Preview:
    """What a file holds, and commands for it in which ``{}`` stands for the files."""

    title: str
    heads: tuple[str, ...]
    rows: Sequence[Sequence[object]]
    commands: Sequence[str]
    warnings: Sequence[str] = ()
    hints: Sequence[str] = ()
    """Sentences below the commands."""


def preview(*files: Files) -> None:
    """Print what a file holds, run logs and tables alike, and the commands to try."""
    from edgeworth.common.escaping import is_visible
    from edgeworth.core.formatting import displayable, text_table
    from edgeworth.sources.runs.reading import read_runs

    data = named_files(files, "preview")
    runs = [run for group in read_runs(data) for run in group]
    contents = (
        _preview_runs(runs)
        if runs
        else _preview_documents(files) or _preview_search(files) or _preview_table(data)
    )
    commands = [f"edgeworth {command.replace('{}', shlex.join(files), 1)}" for command in contents.commands]
    # Pasted into a shell, a command that is shortened or escaped after quoting could run what a name holds.
    exact = [command for command in commands if is_visible(command) and len(command) <= MAX_COMMAND_LENGTH]
    lines = [displayable(contents.title), "", text_table(contents.heads, contents.rows), ""]
    if contents.warnings:
        lines += ["Check first:", *(f"  {displayable(warning)}" for warning in contents.warnings), ""]
    lines += ["Commands to try:"]
    lines += [f"  {command}" for command in exact]
    lines += [NOT_PRINTED] if len(exact) < len(commands) else []
    if contents.hints:
        lines += ["", *map(displayable, contents.hints)]
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _preview_runs(runs: Sequence[Run]) -> Preview:
    """List the runs of evaluation logs."""
    from edgeworth.core.formatting import plural
    from edgeworth.sources.runs.reading import SKIPPED

    rows = [
        (
            run.system,
            run.task,
            len(set(run.ids)),
            len(run.ids),
            run.unfinished or "finished",
            "; ".join(run.grades),
        )
        for run in runs
    ]
    skipped = dict.fromkeys(note for run in runs for note in run.notes if note.startswith(SKIPPED))
    commands = ["evaluate {}"]
    if len({run.system for run in runs}) > 1:
        commands.append("compare {}")
    # Another scorer would leave out the tasks that lack it.
    shared = [name for name in runs[0].grades if all(name in run.grades for run in runs)]
    commands += [f"{commands[-1]} --scorer {shlex.quote(name)}" for name in shared[1:2]]
    has_earlier = any(note.startswith(f"{SKIPPED} earlier") for note in skipped)
    same_dates = dict.fromkeys(warning for run in runs for warning in run.warnings)
    has_reruns = has_earlier or bool(same_dates) or any(len(set(run.ids)) < len(run.ids) for run in runs)
    commands += ["noise {}"] if has_reruns and len({run.system for run in runs}) == 1 else []
    tools = " and ".join(dict.fromkeys(run.tool for run in runs))
    systems, tasks = len({run.system for run in runs}), len({run.task for run in runs})
    title = f"{tools}: {systems:,} {plural(systems, 'system')}, {tasks:,} {plural(tasks, 'task')}"
    heads = ("system", "task", "items", "answers", "status", "scorers")
    errors = dict.fromkeys(error for run in runs for error in run.unreadable)
    warnings = [*(f"A log is left out: {error}." for error in errors), *same_dates, *skipped]
    return Preview(title, heads, rows, commands, warnings)


def _preview_documents(files: tuple[str, ...]) -> Preview | None:
    """Count the queries and documents of a JSON dictionary of documents by query; None if it is not one."""
    from edgeworth.sources.runs.retrieval import read_dictionary

    if len(files) != 1 or Path(files[0]).suffix != ".json":
        return None
    try:
        lists = read_dictionary(Path(files[0]), float)
    except InputError:
        return None
    if not lists:
        return None
    rows = [(len(set(lists[1])), len(set(lists[2])))]
    return Preview(f"Documents by query: {lists[0]}", ("queries", "documents"), rows, ["trec QRELS {}"])


def _preview_search(files: tuple[str, ...]) -> Preview | None:
    """Describe a file of TREC judgements or a search run; None for anything else."""
    from edgeworth.rankings.trec.files import detect_layout, read_qrels, read_run

    if len(files) != 1:
        return None
    path = Path(files[0])
    layout = detect_layout(path)
    if layout is None:
        return None
    heads = ("queries", "lines", "examples")
    if layout == "qrels":
        qrels = read_qrels(path)
        rows = [(len(qrels.query.labels), len(qrels.grade), str(qrels.query.labels[0]))]
        return Preview(f"TREC judgements (qrels): {path.name}", heads, rows, ["trec {} RUN"])
    run = read_run(path)
    rows = [(len(run.query.labels), len(run.score), str(run.query.labels[0]))]
    return Preview(f"Search run: {run.tag or path.name}", heads, rows, ["trec QRELS {}"])


def _preview_table(data: object) -> Preview:
    """List the columns of a table, and what looks like a mistake."""
    from edgeworth.cli.preview_commands import suggest_clusters, suggest_commands
    from edgeworth.pipeline.tally_rows import column_names
    from edgeworth.sources.columns import Coded, encode
    from edgeworth.sources.opening import open_source
    from edgeworth.sources.suspicious import describe_suspects

    source = open_source(data)
    names = column_names(source, data)
    batch = next(iter(source.batches(names)))
    columns: dict[str, Coded] = {}
    for name in names:
        with contextlib.suppress(InputError):  # an object or an array: its fields are columns
            columns[name] = encode(batch.columns[name], name)
    rows = [
        (name, len(column.labels), ", ".join(map(str, column.labels[:4]))) for name, column in columns.items()
    ]
    is_judgements = names == ["query-id", "corpus-id", "score"]
    commands = ["trec {} RUN"] if is_judgements else suggest_commands(columns)
    return Preview(
        f"{source.name}: {len(columns):,} columns; values in the first {len(batch):,} rows",
        ("column", "distinct values", "examples"),
        rows,
        commands,
        describe_suspects(columns),
        suggest_clusters(columns, commands),
    )
