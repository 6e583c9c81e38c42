"""Logs of Inspect: ``.eval``, a zip archive of JSON packed with zstd, and ``.json``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from edgeworth.errors import InputError
from edgeworth.sources.formats import ending
from edgeworth.sources.json_values import Document, read_json
from edgeworth.sources.nesting import check_nesting
from edgeworth.sources.runs import run as runs
from edgeworth.sources.runs.archives import read_archive
from edgeworth.sources.runs.run import Item, Run

TOOL = "Inspect"
VERSION = 2
WORDS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""What Inspect's accuracy counts for text."""
SUMMARIES = "summaries.json"
"""All samples of an archive in short."""


# -- the fields that are read, by Inspect's names ----------------------------------------------------------


class Version(Struct):
    """The version of a log's layout, which is looked at before the rest."""

    version: int


class Config(Struct):
    """How a task was run."""

    epochs: int | None = None
    epochs_reducer: list[str] | None = None


class Dataset(Struct):
    """The samples that a task has."""

    sample_ids: list[int | str] | None = None


class Evaluation(Struct):
    """What was evaluated."""

    task: str
    model: str
    config: Config | None = None
    dataset: Dataset | None = None
    solver: str | None = None
    task_args: dict[str, Any] | None = None
    task_args_passed: dict[str, Any] | None = None
    solver_args: dict[str, Any] | None = None
    solver_args_passed: dict[str, Any] | None = None


class Metric(Struct):
    """A metric that Inspect computed."""

    params: dict[str, Any] | None = None


class Metrics(Struct):
    """The metrics of one scorer."""

    metrics: dict[str, Metric] | None = None


class Results(Struct):
    """What Inspect computed of the samples."""

    scores: list[Metrics] | None = None


class Header(Struct):
    """All of a log but its samples."""

    eval: Evaluation
    status: str = "started"
    results: Results | None = None


class Score(Struct):
    """What one scorer said of a sample."""

    value: Any | UnsetType = UNSET
    answer: Any = None


class Sample(Struct):
    """One answer, or the summary of one."""

    id: int | str
    scores: dict[str, Score] | None = None
    error: Any = None
    choices: list[Any] | None = None
    target: str | list[str] | None = None
    metadata: dict[str, Any] | None = None


class Samples(Struct):
    """The samples of a ``.json`` log."""

    samples: list[Sample]


def read_log(path: Path) -> list[Run]:
    """Read a log."""
    if ending(path) == ".eval":
        whole, parts = _read_archive(path)
    else:
        whole = read_json(path)
        parts = None
    version = whole.decode(Version).version
    if version != VERSION:
        raise InputError(f"{path} is an Inspect log of version {version}; version {VERSION} can be read")
    header = whole.decode(Header, "score")
    samples = whole.decode(Samples, "sample").samples if parts is None else _decode_samples(parts)
    cluster, about = _cluster(header), header.eval
    items = [_item(each, f"{path}, sample {n:,}", cluster) for n, each in enumerate(samples, start=1)]
    notes = []
    reducers = [] if about.config is None else about.config.epochs_reducer or []
    reducers = [each for each in reducers if each != "mean"]
    if reducers:
        notes.append(f"Epochs are averaged here; the log reduces them by {', '.join(reducers)}.")
    known: dict[str, Any] = {"planned": _planned(about), "arguments": _arguments(about, f"{path}, eval")}
    known["cluster"] = "" if cluster is None else f"metadata.{cluster}"
    known["unfinished"] = "" if header.status == "success" else header.status
    return [runs.make_run(TOOL, about.model, about.task, path, items, *notes, **known)]


def _planned(about: Evaluation) -> int | None:
    """Count the answers that the run was to have: each sample once per epoch."""
    ids = None if about.dataset is None else about.dataset.sample_ids
    epochs = None if about.config is None else about.config.epochs
    return None if ids is None else len(ids) * (1 if epochs is None else epochs)


def _arguments(about: Evaluation, place: str) -> dict[str, str]:
    """Find what was passed to the task and to the solver, by name."""
    found: dict[str, Any] = {"solver": about.solver} if about.solver else {}
    found |= (about.task_args if about.task_args_passed is None else about.task_args_passed) or {}
    found |= (about.solver_args if about.solver_args_passed is None else about.solver_args_passed) or {}
    check_nesting(found, place)
    return {name: as_words(value) for name, value in found.items()}


def as_words(value: Any) -> str:
    """Write a value of JSON as text, and text as it is."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _read_archive(path: Path) -> tuple[Document, list[Document]]:
    """Unpack the header and the summaries, or the samples if there are no summaries."""

    def wanted(names: list[str]) -> list[str]:
        header = "header.json" if "header.json" in names else "_journal/start.json"
        if header not in names:
            raise InputError(f"{path}: header.json is missing; is this a log of Inspect?")
        samples = [name for name in names if name.startswith("samples/")]
        return [header, *([SUMMARIES] if SUMMARIES in names else samples)]

    header, *parts = (Document(content, f"{path}, {name}") for name, content in read_archive(path, wanted))
    return header, parts


def _decode_samples(parts: list[Document]) -> list[Sample]:
    """Decode the samples of an archive: all of them in one file, or one in each."""
    if len(parts) == 1 and parts[0].place.endswith(SUMMARIES):
        return parts[0].decode(list[Sample], "sample")
    return [part.decode(Sample) for part in parts]


def _cluster(header: Header) -> str | None:
    """Find the key of metadata by which the log's own standard error is clustered."""
    scores = [] if header.results is None else header.results.scores or []
    metrics = (metric for score in scores for metric in (score.metrics or {}).values())
    clusters = (each.params.get("cluster") for each in metrics if each.params is not None)
    return next((each for each in clusters if isinstance(each, str)), None)


def _item(sample: Sample, place: str, cluster: str | None) -> Item:
    place = f"{place} (id {sample.id})"
    grades: dict[str, float] = {}
    answers = []
    for scorer, score in ({} if sample.error else sample.scores or {}).items():
        if score.value is UNSET:
            raise InputError(f"{place}, score {scorer!r}: the field 'value' is missing")
        parts = score.value if isinstance(score.value, dict) else {"": score.value}
        for key, each in parts.items():
            grade = runs.as_grade(each, WORDS)
            if grade is None:
                said = f"the value {each!r:.60} is no grade; numbers and C, I, P, N are"
                raise InputError(f"{place}, score {scorer!r}: {said}")
            grades[f"{scorer}.{key}" if key else scorer] = grade
        answers.append(score.answer)
    choices = runs.name_options(len(sample.choices or ()))
    target = sample.target
    target = target[0] if isinstance(target, list) and len(target) == 1 else target
    metadata = sample.metadata or {}
    check_nesting(metadata, f"{place}, metadata")
    group = None if cluster is None else metadata.get(cluster)
    return Item(
        id=str(sample.id),
        grades=grades,
        cluster=None if group is None else str(group),
        options=len(choices),
        truth=choices.index(target) if target in choices else None,
        answer=next((choices.index(each) for each in answers if each in choices), None),
        is_error=bool(sample.error),
        about={"metadata": metadata},
    )
