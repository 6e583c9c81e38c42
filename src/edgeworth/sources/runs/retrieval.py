"""Runs and judgements as BEIR, MTEB and ranx write them in JSON: ``{query: {document: score}}``."""

from __future__ import annotations

import math
from pathlib import Path

from edgeworth.errors import InputError
from edgeworth.sources.runs.run import need, read_json

META = "mteb_model_meta"
Dictionary = tuple[str, list[str], list[str], list[float]]
"""The system, or the file where it names none, and for each score its query and document."""


def read_dictionary(path: Path, kind: type[int] | type[float]) -> Dictionary:
    """Read scores (``kind`` is float) or grades (int); MTEB's stand below the model, a subset and a split."""
    lists, name = read_json(path), str(path)
    if isinstance(lists, dict) and META in lists:
        name = need(lists.pop(META), "model_name", f"{path}, {META}", str)
        for what in ("subset", "split"):
            if len(lists) != 1:
                raise InputError(f"{path} holds {', '.join(lists)}: give a file for each {what}")
            [lists] = lists.values()
    if not isinstance(lists, dict):
        raise InputError(f"{path}: {{query: {{document: score}}}} is needed; is this a run in JSON?")
    queries, documents, values = [], [], []
    for query, scores in lists.items():
        for document, value in scores.items() if isinstance(scores, dict) else [("", scores)]:
            is_number = isinstance(value, (int, float)) and not math.isnan(value)
            if not is_number or not document or (kind is int and value != int(value)):
                wanted = f"documents with {'whole grades' if kind is int else 'scores'} are needed"
                raise InputError(f"{path}, query {query!r}: {wanted}; saw {value!r:.60} for {document!r}")
            queries.append(query)
            documents.append(document)
            values.append(kind(value))
    return name, queries, documents, values
