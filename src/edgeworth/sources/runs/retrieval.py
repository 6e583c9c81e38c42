"""Runs and judgements as BEIR, MTEB and ranx write them in JSON: ``{query: {document: score}}``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

from edgeworth.errors import InputError
from edgeworth.sources.runs.run import read_json

META = "mteb_model_meta"


class Dictionary(NamedTuple):
    """The pairs of query and document of a file, with a score or a grade each."""

    name: str
    """The system, where the file names it, or else the file."""
    queries: list[str]
    documents: list[str]
    values: list[float]


def read_dictionary(path: Path, kind: type[int] | type[float]) -> Dictionary:
    """Read scores (``kind`` is float) or grades (int); MTEB's stand below the model, subset and split."""
    lists = read_json(path)
    about = lists.pop(META, None) if isinstance(lists, dict) else None
    while _depth(lists) > 2:
        if len(lists) > 1:
            raise InputError(f"{path} holds {', '.join(lists)}: give a file for each of them")
        lists = next(iter(lists.values()))
    if _depth(lists) != 2:
        raise InputError(f"{path}: {{query: {{document: score}}}} is needed; is this a run in JSON?")
    name = about.get("model_name") if isinstance(about, dict) else None
    found = Dictionary(str(name or path), [], [], [])
    for query, scores in lists.items():
        for document, value in scores.items() if isinstance(scores, dict) else [("", scores)]:
            is_number = isinstance(value, (int, float)) and not math.isnan(value)
            if not is_number or not document or (kind is int and value != int(value)):
                need = "whole grades" if kind is int else "scores"
                place = f"{path}, query {query!r}"
                raise InputError(f"{place}: documents with {need} are needed; saw {value!r} for {document!r}")
            found.queries.append(query)
            found.documents.append(document)
            found.values.append(kind(value))
    return found


def _depth(value: Any) -> int:
    """Count how deep dictionaries lie in each other, along the first entries."""
    depth = 0
    while isinstance(value, dict):
        depth, value = depth + 1, next((each for each in value.values() if each != {}), None)
    return depth
