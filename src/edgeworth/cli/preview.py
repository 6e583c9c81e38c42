"""``edgeworth preview``: what a file holds, and what can be asked of it."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

from edgeworth.cli.options import Files, named_files

LABELS = 6
"""A column of more different values is taken for numbers or text, not for labels."""


def preview(*files: Files) -> None:
    """Print what a file holds, run logs and tables alike, and the commands to ask about it."""
    from edgeworth.core.formatting import displayable, text_table
    from edgeworth.sources.runs.reading import read_runs

    data = named_files(files, "preview")
    runs = [run for found in read_runs(data) for run in found]
    if runs:
        title = f"{' and '.join(dict.fromkeys(run.tool for run in runs))}: {len(runs):,} runs"
        heads: tuple[str, ...] = ("system", "task", "items", "answers", "scorers")
        rows: list[Any] = [(x.system, x.task, len(set(x.ids)), len(x.ids), "; ".join(x.grades)) for x in runs]
        asks = ["evaluate {}", *(["compare {}"] if len({run.system for run in runs}) > 1 else [])]
        asks += [f"{asks[-1]} --scorer {shlex.quote(name)}" for name in [*runs[0].grades][1:2]]
    elif len(files) == 1 and (lists := _documents(Path(files[0]))):
        title, heads, asks = f"Documents by query: {lists[0]}", ("queries", "documents"), ["trec QRELS {}"]
        rows = [(len(set(lists[1])), len(set(lists[2])))]
    else:
        title, heads, rows, asks = _table(data)
    commands = [f"  edgeworth {each.format(shlex.join(files))}" for each in asks]
    text = "\n".join([title, "", text_table(heads, rows), "", "To ask of it:", *commands])
    sys.stdout.write("".join(f"{displayable(line)}\n" for line in text.split("\n")))


def _documents(path: Path) -> Any:
    """Read a dictionary of documents by query; None where a file is something else."""
    from edgeworth.errors import InputError
    from edgeworth.sources.runs.retrieval import read_dictionary

    try:
        return read_dictionary(path, float) if path.suffix == ".json" else None
    except InputError:
        return None


def _table(data: Any) -> tuple[str, Any, list[Any], list[str]]:
    """Describe the columns of a table, and find commands by their names and by the values they share."""
    from edgeworth.sources.columns import encode
    from edgeworth.sources.opening import open_source
    from edgeworth.sources.roles import guess_roles
    from edgeworth.tallying import column_names

    source = open_source(data)
    names = column_names(source, data)
    batch = next(iter(source.batches(names)))
    labels = {name: [str(x) for x in encode(batch.columns[name], name).labels] for name in names}
    rows = [(name, len(x), ", ".join(x[:4])) for name, x in labels.items()]
    few = {name: set(x) for name, x in labels.items() if 2 <= len(x) <= LABELS}
    truth = guess_roles(names, {}).roles.get("truth")
    pairs = [(a, b) for a in few for b in few if a != b and few[a] == few[b] and truth in (None, a)]
    systems = [f"--prediction {shlex.quote(b)}" for a, b in pairs if a == pairs[0][0]]
    asks = ["evaluate {} --truth COLUMN --prediction COLUMN", "evaluate {} --correct COLUMN"]
    if names == ["query-id", "corpus-id", "score"]:
        asks = ["trec {} RUN"]
    elif pairs:
        command = "evaluate" if len(systems) == 1 else "compare"
        asks = [f"{command} {{}} --truth {shlex.quote(pairs[0][0])} {' '.join(systems)}"]
    title = f"{source.name}: {len(names):,} columns; values among the first {len(batch):,} rows"
    return title, ("column", "different values", "such as"), rows, asks
