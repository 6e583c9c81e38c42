"""``edgeworth preview``: what a file holds, and what can be asked of it."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from edgeworth.cli.options import Files, named_files
from edgeworth.errors import InputError

LABELS = 6
"""A column of more different values is taken for numbers or text, not for labels."""
TRUTHS, QUERIES = ("y", "expected", "rel", "relevance"), ("query", "query_id", "qid")
"""What columns of truth and of queries may be called too, for a suggestion."""
MEASURED = ("latency", "time", "duration", "seconds", "cost", "weight")
"""What is said of an answer and predicts nothing, though it may lie between 0 and 1."""
LONGEST_COMMAND = 4_000
"""Longer commands are not printed: nobody can check what they paste."""
NOT_PRINTED = (
    "  Some commands are not printed: a name in them is very long, or holds characters that a terminal would "
    "obey. Rename it first."
)
FORMS = ("--truth COLUMN --prediction", "--truth COLUMN --score", "--truth COLUMN --probability", "--correct")


def preview(*files: Files) -> None:
    """Print what a file holds, run logs and tables alike, and the commands to ask about it."""
    from edgeworth.common.escaping import is_visible
    from edgeworth.core.formatting import displayable, text_table
    from edgeworth.sources.runs.reading import read_runs

    data = named_files(files, "preview")
    doubts: list[str] = []
    runs = [run for found in read_runs(data) for run in found]
    if runs:
        title = f"{' and '.join(dict.fromkeys(run.tool for run in runs))}: {len(runs):,} runs"
        heads: tuple[str, ...] = ("system", "task", "items", "answers", "status", "scorers")
        rows: list[Any] = [
            (x.system, x.task, len(set(x.ids)), len(x.ids), x.unfinished or "finished", "; ".join(x.grades))
            for x in runs
        ]
        asks = ["evaluate {}", *(["compare {}"] if len({run.system for run in runs}) > 1 else [])]
        asks += [f"{asks[-1]} --scorer {shlex.quote(name)}" for name in [*runs[0].grades][1:2]]
    elif len(files) == 1 and (lists := _documents(Path(files[0]))):
        title, heads, asks = f"Documents by query: {lists[0]}", ("queries", "documents"), ["trec QRELS {}"]
        rows = [(len(set(lists[1])), len(set(lists[2])))]
    else:
        title, heads, rows, asks, doubts = _table(data)
    commands = [f"edgeworth {each.replace('{}', shlex.join(files), 1)}" for each in asks]
    # Pasted into a shell, a command that is shortened or escaped after quoting could run what a name holds.
    exact = [command for command in commands if is_visible(command) and len(command) <= LONGEST_COMMAND]
    lines = [displayable(title), "", text_table(heads, rows), ""]
    if doubts:
        lines += ["Check first:", *(f"  {displayable(doubt)}" for doubt in doubts), ""]
    lines += ["To ask of it:"]
    lines += [f"  {command}" for command in exact]
    lines += [NOT_PRINTED] if len(exact) < len(commands) else []
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def _documents(path: Path) -> Any:
    """Read a dictionary of documents by query; None where a file is something else."""
    from edgeworth.sources.runs.retrieval import read_dictionary

    with contextlib.suppress(InputError):
        return read_dictionary(path, float) if path.suffix == ".json" else None


def _table(data: Any) -> tuple[str, Any, list[Any], list[str], list[str]]:
    """Describe the columns of a table, find commands, and list what looks like a mistake."""
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
    rows = [(name, len(x.labels), ", ".join(map(str, x.labels[:4]))) for name, x in columns.items()]
    asks = ["trec {} RUN"] if names == ["query-id", "corpus-id", "score"] else _suggest(columns)
    title = f"{source.name}: {len(columns):,} columns; values among the first {len(batch):,} rows"
    return title, ("column", "different values", "such as"), rows, asks, describe_suspects(columns)


def _suggest(columns: Mapping[str, Any]) -> list[str]:
    """Find commands by the names of columns, and by the values that they have or share."""
    from edgeworth.core.labels import parse_labels, usual_positive
    from edgeworth.sources.column_roles import NAMES_BY_ROLE
    from edgeworth.sources.numbers import NUMBER

    labels = {name: [str(x) for x in coded.labels] for name, coded in columns.items()}
    few = {name: {*x} for name, x in labels.items() if 2 <= len(x) <= LABELS}
    numbers = {name: [*map(float, x)] for name, x in labels.items() if x and all(map(NUMBER.fullmatch, x))}
    many = [x for x in numbers if len(labels[x]) > LABELS and not any(y in x.lower() for y in MEASURED)]
    shares = [name for name, x in numbers.items() if min(x) >= 0 and max(x) <= 1]
    asks: list[str] = []

    def called(among: Iterable[str], *names: str) -> list[str]:
        return [name for name in among if name.rpartition(".")[2].lower() in names]

    def ask(option: str, names: Sequence[str], given: str = "", positive: str = "") -> None:
        for number in sorted({1, len(names)}) if names else ():
            said = "".join([given, *(f" {option} {shlex.quote(name)}" for name in names[:number])])
            has_gaps = any(columns[x].codes.min() < 0 for x in shlex.split(said) if x in columns)
            said += positive and f" --positive {shlex.quote(positive)}"
            said += " --missing drop" if has_gaps and not option.startswith(("--prob", "--odds")) else ""
            asks.append(f"{'evaluate' if number == 1 else 'compare'} {{}}{said}")

    truths, right = called(few, *NAMES_BY_ROLE["truth"], *TRUTHS), called(few, *NAMES_BY_ROLE["correct"])
    if not truths:
        right = right or [name for name in few if few[name] == {"True", "False"}]
        right += [name for name in few if right and few[name] == few[right[0]] and name not in right]
        # What lies deeper is of a part of the answer.
        right = [name for name in right if "." not in name] or right
    ask("--correct", right)
    for truth in truths[:1] or ([] if right else few):
        given, there = f" --truth {shlex.quote(truth)}", columns[truth].codes >= 0
        alike = [x for x in few if few[x] == few[truth] and (columns[x].codes[there] >= 0).any()]
        ask("--prediction", [x for x in alike if x not in (truth, *right)], given)
        is_binary = len(few[truth]) == 2
        query = "".join(f" --query {shlex.quote(x)}" for x in called(columns, *QUERIES))
        ends = Counter(x.removesuffix(label) for label in few[truth] for x in numbers if x.endswith(label))
        starts = [x for x, number in ends.items() if number == len(few[truth])]
        beside = {f"{start}{label}" for start in starts for label in few[truth]}
        usual = "" if usual_positive(parse_labels(labels[truth])) is not None else "CLASS"
        by_class: dict[str, list[str]] = {}
        for name in [x for x in many if x in shares and x not in beside and is_binary]:
            own = [x for x in few[truth] if name.endswith(x) and not NUMBER.fullmatch(x)]
            by_class.setdefault(max(own, key=len, default=usual), []).append(name)
        for positive, names in by_class.items():
            ask("--probability", names, given, positive)
        scores = called(numbers, *NAMES_BY_ROLE["score"])
        scores += [x for x in many if min(numbers[x]) < 0 and x not in scores]
        ask("--score", scores if is_binary or query else [], f"{given}{query}", "" if query else usual)
        for start in starts[:1]:
            classes = [f"{start}{label}" for label in labels[truth]]
            are_odds = all(min(numbers[name]) > 1 for name in classes)
            option = "--odds" if are_odds else "--probabilities"
            ask(option, [",".join(classes)] if are_odds or {*classes} <= {*shares} else [], given)
        if asks:
            break
    return asks or [f"evaluate {{}} {form} COLUMN" for form in FORMS]
