"""Read runs and judgements that BEIR, MTEB and ranx write as JSON: ``{query: {document: score}}``."""

from __future__ import annotations

import math
import sys
from pathlib import Path

from msgspec import Struct

from edgeworth.errors import InputError
from edgeworth.sources.json_values import convert, parse_json
from edgeworth.sources.paths import read_whole_file

META = "mteb_model_meta"
Dictionary = tuple[str, list[str], list[str], list[float]]
"""The system (or the file if it names none), and the query, document and value of each score."""


class Model(Struct):
    """MTEB's description of the model."""

    model_name: str


def read_dictionary(path: Path, kind: type[int] | type[float]) -> Dictionary:
    """Read scores (``kind`` is float) or grades (int); MTEB nests them in a subset and a split."""
    lists, name = parse_json(read_whole_file(path), path), str(path)
    if isinstance(lists, dict) and META in lists:
        name = convert(lists.pop(META), Model, f"{path}, {META}").model_name
        for what in ("subset", "split"):
            if not isinstance(lists, dict) or len(lists) != 1:
                held = ", ".join(lists) if isinstance(lists, dict) and lists else "nothing"
                raise InputError(f"{path} holds {held:.200}: pass one file per {what}")
            [lists] = lists.values()
    if not isinstance(lists, dict):
        raise InputError(f"{path}: {{query: {{document: score}}}} is needed; is this a run in JSON?")
    queries, documents, values = [], [], []
    for query, scores in lists.items():
        for document, value in scores.items() if isinstance(scores, dict) else [("", scores)]:
            if not document or not _is_value(value, kind):
                wanted = f"documents with {'whole grades' if kind is int else 'scores'} are needed"
                saw = f"{value!r:.60} for {document!r:.60}"
                raise InputError(f"{path}, query {query!r:.60}: {wanted}; saw {saw}")
            queries.append(query)
            documents.append(document)
            values.append(kind(value))
    if not values:
        raise InputError(f"{path} is empty: {{query: {{document: score}}}} is needed")
    return name, queries, documents, values


def _is_value(value: object, kind: type[int] | type[float]) -> bool:
    """Return whether a value is a score, or a grade that fits into 64 bits."""
    if not isinstance(value, (int, float)):
        return False
    if kind is float:
        return abs(value) <= LARGEST_FLOAT or value in (math.inf, -math.inf)
    return abs(value) < LARGEST_GRADE and value == int(value)


LARGEST_FLOAT = int(sys.float_info.max)
LARGEST_GRADE = 2**63
