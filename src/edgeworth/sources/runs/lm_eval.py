"""Samples of lm-evaluation-harness, ``samples_TASK_DATE.jsonl``, beside ``results_DATE.json``."""

from __future__ import annotations

import math
import re
from collections import Counter
from pathlib import Path
from typing import Any

from msgspec import Struct

from edgeworth.errors import InputError
from edgeworth.sources.json_values import convert, parse_json, read_json, read_json_lines
from edgeworth.sources.runs.run import Item, Run, as_grade, make_run

TOOL = "lm-evaluation-harness"
NAME = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d{2}-\d{2}T.*)?\.jsonl?(\.gz)?")


_OPTION = re.compile(r"[0-9]{1,9}")


class Line(Struct):
    """The fields of a line that every task has; each metric has one more, by its own name."""

    doc_id: int | str
    metrics: list[str]
    doc: Any = None
    doc_hash: str | None = None
    filter: str | None = "none"
    target: Any = None
    filtered_resps: list[Any] | None = None
    arguments: Any = None


class Results(Struct):
    """The results that stand beside the samples."""

    model_name: str | None = None


def read_samples(path: Path) -> list[Run]:
    """Read the samples of one task: a line for each document and filter."""
    named = NAME.fullmatch(path.name)
    task = path.name.split(".")[0] if named is None else named["task"]
    documents: dict[str, Item] = {}
    seen: Counter[tuple[str, str]] = Counter()
    skipped: set[str] = set()
    is_hashed = False
    for place, content in read_json_lines(path):
        fields = parse_json(content, place)
        line = convert(fields, Line, place)
        place = f"{place} (doc_id {line.doc_id})"
        kept = str(line.filter)
        is_hashed = bool(line.doc_hash)
        key = str(line.doc_hash or line.doc_id)
        seen[key, kept] += 1
        # Two documents with the same text are two items, in the order in which they stand.
        key = key if seen[key, kept] == 1 else f"{key}#{seen[key, kept]}"
        grades = {}
        for metric in line.metrics:
            if metric not in fields:
                raise InputError(f"{place}: the field {metric!r} is missing, which metrics names")
            grade = as_grade(fields[metric])
            if grade is None:
                skipped.add(metric)
            else:
                grades[metric if kept == "none" else f"{metric},{kept}"] = grade
        item = documents.get(key) or _choices(line, key, place)
        documents[key] = item._replace(grades={**item.grades, **grades}, about={"doc": line.doc})
    notes = [f"Items are joined by {'doc_hash' if is_hashed else 'doc_id'}."]
    notes += [f"{name} is no grade of single items and is left out." for name in sorted(skipped)]
    return [make_run(TOOL, _model(path), task, path, list(documents.values()), *notes)]


def _choices(line: Line, key: str, place: str) -> Item:
    """Read the log-likelihood of each option, if the task is multiple choice with one right answer."""
    answers, target = line.filtered_resps or [], str(line.target)
    is_choice = len(answers) > 1 and all(isinstance(x, list) and len(x) == 2 for x in answers)
    if not is_choice or not _OPTION.fullmatch(target):
        return Item(key, {})
    try:
        found = [float(answer[0]) for answer in answers]
        if math.isnan(sum(found)) or not math.isfinite(max(found)):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{place}: filtered_resps holds a log-likelihood that is no number") from None
    if "acc_mutual_info" in line.metrics:
        found = found[: len(found) // 2]  # the other half is without the question
    truth = int(target)
    if truth >= len(found):
        raise InputError(f"{place}: target is option {truth} of {len(found)}, counted from 0")
    by_length = _by_length(line.arguments, found)
    return Item(key, {}, None, len(found), truth, found.index(max(found)), found, answers=by_length)


def _by_length(arguments: Any, log_likelihoods: list[float]) -> dict[str, int]:
    """Find the option that acc_norm chooses: the highest log-likelihood per character of the option."""
    given = list(arguments.values()) if isinstance(arguments, dict) else arguments
    if not isinstance(given, list) or len(given) < len(log_likelihoods):
        return {}
    texts = [each.get("arg_1") if isinstance(each, dict) else None for each in given[: len(log_likelihoods)]]
    lengths = [len(text.removeprefix(" ")) for text in texts if isinstance(text, str)]
    if len(lengths) < len(texts) or 0 in lengths:
        return {}
    shares = [value / length for value, length in zip(log_likelihoods, lengths, strict=True)]
    return {"acc_norm": shares.index(max(shares))}


def results_beside(path: Path) -> list[Path]:
    """List the results that were written with the samples, which name the model."""
    return sorted(path.absolute().parent.glob("results_*.json"))


def _model(path: Path) -> str:
    """Name the model as the results beside the samples do, or else by the folder."""
    results = results_beside(path)
    name = read_json(results[-1]).decode(Results).model_name if results else None
    return name or path.absolute().parent.name
