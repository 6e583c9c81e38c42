"""Logs of Inspect: ``.eval``, a zip archive of JSON packed with zstd, and ``.json``."""

from __future__ import annotations

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

from edgeworth.errors import InputError, MissingExtraError
from edgeworth.sources.formats import ending
from edgeworth.sources.paths import LARGEST_STREAM, LARGEST_WHOLE, MOST_PACKED
from edgeworth.sources.runs import run as runs
from edgeworth.sources.runs.run import Item, Run, need

TOOL = "Inspect"
VERSION = 2
WORDS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""What Inspect's accuracy counts for text."""
ZSTD, LOCAL_HEADER = 93, 30
"""A method that Python cannot unpack before 3.14, and the bytes before a file's name in an archive."""


def read_log(path: Path) -> list[Run]:
    """Read a log."""
    if ending(path) == ".eval":
        header, samples = _read_archive(path)
    else:
        header = runs.read_json(path)
        samples = need(header, "samples", path, list)
    version = need(header, "version", path)
    if version != VERSION:
        raise InputError(f"{path} is an Inspect log of version {version}; version {VERSION} can be read")
    about = need(header, "eval", path, dict)
    task, system = need(about, "task", f"{path}, eval", str), need(about, "model", f"{path}, eval", str)
    cluster, status = _cluster(header), header.get("status", "started")
    items = [_item(each, f"{path}, sample {n:,}", cluster) for n, each in enumerate(samples, start=1)]
    notes = []
    if cluster is not None:
        notes.append(f"Clusters are metadata.{cluster}, as in the log's own standard error.")
    reducers = [each for each in (about.get("config") or {}).get("epochs_reducer") or () if each != "mean"]
    if reducers:
        notes.append(f"Epochs are averaged here; the log reduces them by {', '.join(reducers)}.")
    known: dict[str, Any] = {"planned": _planned(about), "arguments": _arguments(about)}
    known["unfinished"] = "" if status == "success" else str(status)
    return [runs.make_run(TOOL, system, task, path, items, *notes, **known)]


def _planned(about: dict[str, Any]) -> int | None:
    """Count the answers that the run was to have: each sample once per epoch."""
    dataset, config = about.get("dataset"), about.get("config")
    ids = dataset.get("sample_ids") if isinstance(dataset, dict) else None
    epochs = config.get("epochs") if isinstance(config, dict) else None
    return len(ids) * (epochs if isinstance(epochs, int) else 1) if isinstance(ids, list) else None


def _arguments(about: dict[str, Any]) -> dict[str, str]:
    """Find what was passed to the task and to the solver, by name."""
    found: dict[str, Any] = {"solver": about["solver"]} if about.get("solver") else {}
    for name in ("task_args", "solver_args"):
        passed = about.get(f"{name}_passed", about.get(name))
        found |= passed if isinstance(passed, dict) else {}
    return {str(name): as_words(value) for name, value in found.items()}


def _read_archive(path: Path) -> tuple[Any, Any]:
    """Unpack the header and the summaries, or the samples where there are no summaries."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            header = "header.json" if "header.json" in names else "_journal/start.json"
            if header not in names:
                raise InputError(f"{path}: header.json is missing; is this a log of Inspect?")
            samples = [name for name in names if name.startswith("samples/")]
            wanted = [header, *(["summaries.json"] if "summaries.json" in names else samples)]
            found = [_unpack(archive, archive.getinfo(name), f"{path}, {name}") for name in wanted]
    except (zipfile.BadZipFile, EOFError, OSError) as error:
        raise InputError(f"{path} cannot be read: it is damaged, or only a part ({error})") from None
    return found[0], found[1] if "summaries.json" in names else found[1:]


def _unpack(archive: zipfile.ZipFile, info: zipfile.ZipInfo, place: str) -> Any:
    """Unpack and parse one file of an archive, and never more of it than it says it has."""
    most = min(LARGEST_WHOLE, max(LARGEST_STREAM, MOST_PACKED * info.compress_size))
    if info.file_size > most:
        raise InputError(f"{place} is too large to be read: it has unpacked more than {most:,} bytes")
    if info.compress_type != ZSTD:
        return runs.parse_json(archive.read(info), place)
    try:
        import pyarrow as pa
    except ImportError:
        raise MissingExtraError("reading .eval logs", "logs") from None
    file: Any = archive.fp
    file.seek(info.header_offset)
    head = file.read(LOCAL_HEADER)
    file.seek(sum(int.from_bytes(head[at : at + 2], "little") for at in (26, 28)), 1)
    content = bytearray()
    with pa.CompressedInputStream(pa.BufferReader(file.read(info.compress_size)), "zstd") as stream:
        while len(content) <= info.file_size and (piece := stream.read(1 << 20)):
            content += piece
    if len(content) != info.file_size or zlib.crc32(content) != info.CRC:
        raise InputError(f"{place} is damaged: it is not the {info.file_size:,} bytes that it says it is")
    return runs.parse_json(content, place)


def as_words(value: Any) -> str:
    """Write a value of JSON as text, and text as it is."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _cluster(header: dict[str, Any]) -> str | None:
    """Find the key of metadata by which the log's own standard error is clustered."""
    scores = (header.get("results") or {}).get("scores") or []
    metrics = (metric for score in scores for metric in (score.get("metrics") or {}).values())
    return next((x["params"]["cluster"] for x in metrics if "cluster" in (x.get("params") or {})), None)


def _item(sample: Any, place: str, cluster: str | None) -> Item:
    name = str(need(sample, "id", place))
    grades: dict[str, float] = {}
    answers = []
    for scorer, score in ({} if sample.get("error") else sample.get("scores") or {}).items():
        where = f"{place} (id {name}), score {scorer!r}"
        value = need(score, "value", where)
        parts = value if isinstance(value, dict) else {"": value}
        for key, each in parts.items():
            grade = runs.as_grade(each, WORDS)
            if grade is None:
                raise InputError(f"{where}: the value {each!r} is no grade; numbers and C, I, P, N are")
            grades[f"{scorer}.{key}" if key else scorer] = grade
        answers.append(score.get("answer"))
    choices = runs.name_options(len(sample.get("choices") or ()))
    target = sample.get("target")
    target = target[0] if isinstance(target, list) and len(target) == 1 else target
    group = None if cluster is None else (sample.get("metadata") or {}).get(cluster)
    return Item(
        id=name,
        grades=grades,
        cluster=None if group is None else str(group),
        options=len(choices),
        truth=choices.index(target) if target in choices else None,
        answer=next((choices.index(each) for each in answers if each in choices), None),
        is_error=bool(sample.get("error")),
        about={"metadata": sample.get("metadata")},
    )
