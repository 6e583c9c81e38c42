"""Samples of lm-evaluation-harness, ``samples_TASK_DATE.jsonl``, beside ``results_DATE.json``."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

from msgspec import Struct

from edgeworth.errors import InputError
from edgeworth.sources.json_values import convert, parse_json, read_json, read_json_lines
from edgeworth.sources.paths import read_head
from edgeworth.sources.runs.run import Item, Run, as_grade, make_run

TOOL = "lm-evaluation-harness"
NAME = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d{2}-\d{2}T.*)?\.jsonl?(\.gz)?")
RESULTS_NAME = re.compile(r"results_\d{4}-\d{2}-\d{2}.*\.json")
RESULTS_MARK = b'"results"'

_OPTION = re.compile(r"[0-9]{1,9}")


class Line(Struct):
    """The fields that a line of every task has; a line has one more field per metric."""

    doc_id: int | str
    metrics: list[str]
    doc: object = None
    doc_hash: str | None = None
    filter: str | None = "none"
    target: object = None
    filtered_resps: list[object] | None = None
    arguments: object = None


class Results(Struct):
    """The file of results in the folder of the samples."""

    model_name: str | None = None


def read_samples(path: Path) -> list[Run]:
    """Read the samples of one task: one line per document and filter."""
    named = NAME.fullmatch(path.name)
    task = path.name.split(".")[0] if named is None else named["task"]
    documents: dict[str, Item] = {}
    seen: Counter[tuple[str, str]] = Counter()
    skipped: set[str] = set()
    is_hashed = False
    for location, content in read_json_lines(path):
        parsed = parse_json(content, location)
        line = convert(parsed, Line, location)
        fields = convert(parsed, dict[str, object], location)
        location = f"{location} (doc_id {line.doc_id})"
        filter_name = str(line.filter)
        is_hashed = bool(line.doc_hash)
        key = str(line.doc_hash or line.doc_id)
        seen[key, filter_name] += 1
        # Two documents with the same text are two items, in the order of the file.
        key = key if seen[key, filter_name] == 1 else f"{key}#{seen[key, filter_name]}"
        grades = {}
        for metric in line.metrics:
            if metric not in fields:
                raise InputError(f"{location}: the field {metric!r} is missing, although metrics lists it")
            grade = as_grade(fields[metric])
            if grade is None:
                skipped.add(metric)
            else:
                grades[metric if filter_name == "none" else f"{metric},{filter_name}"] = grade
        item = documents.get(key) or _choices(line, key, location)
        documents[key] = item._replace(
            grades={**item.grades, **grades}, about={"doc": line.doc, "doc_id": line.doc_id}
        )
    notes = [f"Items are joined by {'doc_hash' if is_hashed else 'doc_id'}."]
    notes += [f"{name} is skipped, because it does not grade single items." for name in sorted(skipped)]
    model = _model_in_results(path)
    system = model or path.absolute().parent.name
    run = make_run(TOOL, system, task, path, list(documents.values()), *notes)
    return [replace(run, is_system_named=model is not None, is_task_named=named is not None)]


def _choices(line: Line, key: str, location: str) -> Item:
    """Read the log-likelihood of each option, if the task is multiple choice with one right answer."""
    answers, target = line.filtered_resps or [], str(line.target)
    is_choice = len(answers) > 1 and all(isinstance(x, list) and len(x) == 2 for x in answers)
    if not is_choice or not _OPTION.fullmatch(target):
        return Item(key, {})
    try:
        log_likelihoods = [float(answer[0]) for answer in answers if isinstance(answer, list)]
        if math.isnan(sum(log_likelihoods)) or not math.isfinite(max(log_likelihoods)):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{location}: filtered_resps holds a log-likelihood that is not a number") from None
    if "acc_mutual_info" in line.metrics:
        log_likelihoods = log_likelihoods[
            : len(log_likelihoods) // 2
        ]  # the other half is without the question
    truth = int(target)
    if truth >= len(log_likelihoods):
        raise InputError(f"{location}: target is option {truth} of {len(log_likelihoods)}, counted from 0")
    by_length = _by_length(line.arguments, log_likelihoods)
    return Item(
        key,
        {},
        None,
        len(log_likelihoods),
        truth,
        log_likelihoods.index(max(log_likelihoods)),
        log_likelihoods,
        answers=by_length,
    )


def _by_length(arguments: object, log_likelihoods: list[float]) -> dict[str, int]:
    """Return the option that acc_norm chooses, which has the highest log-likelihood per character."""
    requests = list(arguments.values()) if isinstance(arguments, dict) else arguments
    if not isinstance(requests, list) or len(requests) < len(log_likelihoods):
        return {}
    texts = [
        request.get("arg_1") if isinstance(request, dict) else None
        for request in requests[: len(log_likelihoods)]
    ]
    lengths = [len(text.removeprefix(" ")) for text in texts if isinstance(text, str)]
    if len(lengths) < len(texts) or 0 in lengths:
        return {}
    shares = [value / length for value, length in zip(log_likelihoods, lengths, strict=True)]
    return {"acc_norm": shares.index(max(shares))}


def results_beside(path: Path) -> list[Path]:
    """Return the files of results beside the samples, which name the model."""
    return sorted(path.absolute().parent.glob("results_*.json"))


def find_totals(path: Path) -> Path | None:
    """Find a file of results at a path or in a folder, which has no answers; None if there is none."""
    files = sorted(path.rglob("results_*.json")) if path.is_dir() else [path]
    named = (file for file in files if RESULTS_NAME.fullmatch(file.name) and file.is_file())
    return next((file for file in named if RESULTS_MARK in read_head(file, str(file))), None)


def _model_in_results(path: Path) -> str | None:
    """Return the model's name from the results beside the samples, or None if they do not name it."""
    results = results_beside(path)
    return read_json(results[-1]).decode(Results).model_name or None if results else None
