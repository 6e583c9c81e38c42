"""Ranked lists as plain values, and back with their shape checked."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from edgeworth.errors import InputError
from edgeworth.sources.columns import as_column
from edgeworth.sources.identifiers import texts_of
from edgeworth.tallies.judgements import Judged
from edgeworth.tallies.labels import canonical_order
from edgeworth.tallies.list_building import Floats, Integers, as_ids
from edgeworth.tallies.serial import count_from_json, labels_from_json, labels_to_json, payload_field

if TYPE_CHECKING:
    from edgeworth.tallies.lists import RankedLists


def lists_to_dict(lists: RankedLists) -> dict[str, Any]:
    """Plain values for JSON, which has no infinite numbers: an infinite score is written as text."""
    return {
        "kind": "ranked_lists",
        "queries": labels_to_json(lists.queries),
        "starts": lists.starts.tolist(),
        "scores": [score if isfinite(score) else str(score) for score in lists.scores.tolist()],
        "grades": lists.grades.tolist(),
        "ids": None if lists.ids is None else texts_of(lists.ids),
        "judged": None if lists.judged is None else lists.judged.to_dict(),
        "relevant_from": lists.relevant_from,
        "unknown_queries": labels_to_json(lists.unknown_queries),
        "dropped": lists.dropped,
        "empty_is_zero": lists.empty_is_zero,
    }


def fields_of_lists(payload: dict[str, Any]) -> dict[str, Any]:
    """The fields that ``lists_to_dict`` described, each of its type."""
    if payload.get("kind") != "ranked_lists":
        raise InputError("a tally of this kind is ranked_lists")
    queries = labels_from_json(payload_field(payload, "queries", list))
    if canonical_order(queries) != queries:
        raise InputError("the queries of ranked lists are all different and in canonical order")
    ids = None if payload.get("ids") is None else payload_field(payload, "ids", list)
    judged = None if payload.get("judged") is None else payload_field(payload, "judged", dict)
    return {
        "queries": queries,
        "starts": integers_from_json(payload, "starts").astype(np.intp),
        "scores": floats_from_json(payload, "scores"),
        "grades": integers_from_json(payload, "grades"),
        "ids": None if ids is None else as_ids(as_column(ids, "ids")),
        "judged": None if judged is None else Judged.from_dict(judged),
        "relevant_from": count_from_json(payload, "relevant_from"),
        "unknown_queries": labels_from_json(payload_field(payload, "unknown_queries", list)),
        "dropped": count_from_json(payload, "dropped"),
        "empty_is_zero": payload_field(payload, "empty_is_zero", bool),
    }


def integers_from_json(payload: dict[str, Any], name: str) -> Integers:
    """A field that is a list of whole numbers."""
    values = payload_field(payload, name, list)
    if not all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        raise InputError(f"{name!r} of a tally is a list of whole numbers")
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        raise InputError(f"{name!r} of a tally holds a number that is too large") from None


def floats_from_json(payload: dict[str, Any], name: str) -> Floats:
    """A field that is a list of numbers, the infinite ones written as text."""
    try:
        return np.array([float(value) for value in payload_field(payload, name, list)], dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name!r} of a tally is a list of numbers") from None
