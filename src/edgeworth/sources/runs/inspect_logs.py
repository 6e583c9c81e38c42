"""Logs of Inspect: ``.eval``, a zip archive of JSON packed with zstd, and ``.json``."""

from __future__ import annotations

import json
from pathlib import Path

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
"""The grades that Inspect's accuracy gives to text."""
SUMMARIES = "summaries.json"
"""The file of an archive with a summary of every sample."""


# -- the fields that are read, with Inspect's names --------------------------------------------------------


class Version(Struct):
    """The version of a log's layout, which is checked before the rest is decoded."""

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
    task_args: dict[str, object] | None = None
    task_args_passed: dict[str, object] | None = None
    solver_args: dict[str, object] | None = None
    solver_args_passed: dict[str, object] | None = None


class Metric(Struct):
    """A metric that Inspect computed."""

    params: dict[str, object] | None = None


class Metrics(Struct):
    """The metrics of one scorer."""

    metrics: dict[str, Metric] | None = None


class Results(Struct):
    """The results that Inspect computed."""

    scores: list[Metrics] | None = None


class Header(Struct):
    """A log without its samples."""

    eval: Evaluation
    status: str = "started"
    results: Results | None = None


class Score(Struct):
    """The score that one scorer gave to a sample."""

    value: object | UnsetType = UNSET
    answer: object = None


class Sample(Struct):
    """One answer, or the summary of one."""

    id: int | str
    scores: dict[str, Score] | None = None
    error: object = None
    choices: list[object] | None = None
    target: str | list[str] | None = None
    metadata: dict[str, object] | None = None


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
        raise InputError(f"{path} is an Inspect log of version {version}; only version {VERSION} can be read")
    header = whole.decode(Header, "score")
    samples = whole.decode(Samples, "sample").samples if parts is None else _decode_samples(parts)
    cluster, about = _cluster(header), header.eval
    items = [_item(sample, f"{path}, sample {n:,}", cluster) for n, sample in enumerate(samples, start=1)]
    notes = []
    reducers = [] if about.config is None else about.config.epochs_reducer or []
    reducers = [reducer for reducer in reducers if reducer != "mean"]
    if reducers:
        notes.append(f"Edgeworth averages the epochs; the log reduces them with {', '.join(reducers)}.")
    run = runs.make_run(
        TOOL,
        about.model,
        about.task,
        path,
        items,
        *notes,
        unfinished="" if header.status == "success" else header.status,
        planned=_planned(about),
        cluster="" if cluster is None else f"metadata.{cluster}",
        arguments=_arguments(about, f"{path}, eval"),
    )
    return [run]


def _planned(about: Evaluation) -> int | None:
    """Return the number of answers that were planned: one per sample and epoch."""
    ids = None if about.dataset is None else about.dataset.sample_ids
    epochs = None if about.config is None else about.config.epochs
    return None if ids is None else len(ids) * (1 if epochs is None else epochs)


def _arguments(about: Evaluation, location: str) -> dict[str, str]:
    """Return the arguments of the task and of the solver, by name."""
    arguments: dict[str, object] = {"solver": about.solver} if about.solver else {}
    arguments |= (about.task_args if about.task_args_passed is None else about.task_args_passed) or {}
    arguments |= (about.solver_args if about.solver_args_passed is None else about.solver_args_passed) or {}
    check_nesting(arguments, location)
    return {name: as_words(value) for name, value in arguments.items()}


def as_words(value: object) -> str:
    """Write a value of JSON as text, and text as it is."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _read_archive(path: Path) -> tuple[Document, list[Document]]:
    """Unpack the header and the summaries, or the samples if there are no summaries."""

    def wanted(names: list[str]) -> list[str]:
        header = "header.json" if "header.json" in names else "_journal/start.json"
        if header not in names:
            raise InputError(f"{path}: header.json is missing; is this an Inspect log?")
        samples = [name for name in names if name.startswith("samples/")]
        return [header, *([SUMMARIES] if SUMMARIES in names else samples)]

    header, *parts = (Document(content, f"{path}, {name}") for name, content in read_archive(path, wanted))
    return header, parts


def _decode_samples(parts: list[Document]) -> list[Sample]:
    """Decode the samples of an archive: all of them in one file, or one in each."""
    if len(parts) == 1 and parts[0].location.endswith(SUMMARIES):
        return parts[0].decode(list[Sample], "sample")
    return [part.decode(Sample) for part in parts]


def _cluster(header: Header) -> str | None:
    """Return the metadata key by which the log's own standard error is clustered."""
    scores = [] if header.results is None else header.results.scores or []
    metrics = (metric for score in scores for metric in (score.metrics or {}).values())
    clusters = (metric.params.get("cluster") for metric in metrics if metric.params is not None)
    return next((cluster for cluster in clusters if isinstance(cluster, str)), None)


def _item(sample: Sample, location: str, cluster: str | None) -> Item:
    location = f"{location} (id {sample.id})"
    grades: dict[str, float] = {}
    answers: list[object] = []
    for scorer, score in ({} if sample.error else sample.scores or {}).items():
        if score.value is UNSET:
            raise InputError(f"{location}, score {scorer!r}: the field 'value' is missing")
        parts = score.value if isinstance(score.value, dict) else {"": score.value}
        for key, value in parts.items():
            grade = runs.as_grade(value, WORDS)
            if grade is None:
                message = f"the value {value!r:.60} is not a grade: grades are numbers or C, I, P, N"
                raise InputError(f"{location}, score {scorer!r}: {message}")
            grades[f"{scorer}.{key}" if key else scorer] = grade
        answers.append(score.answer)
    choices = runs.name_options(len(sample.choices or ()))
    target = sample.target
    target = target[0] if isinstance(target, list) and len(target) == 1 else target
    metadata = sample.metadata or {}
    check_nesting(metadata, f"{location}, metadata")
    group = None if cluster is None else metadata.get(cluster)
    return Item(
        id=str(sample.id),
        grades=grades,
        cluster=None if group is None else str(group),
        options=len(choices),
        truth=choices.index(target) if isinstance(target, str) and target in choices else None,
        answer=next((choices.index(x) for x in answers if isinstance(x, str) and x in choices), None),
        is_error=bool(sample.error),
        about={"metadata": metadata},
    )
