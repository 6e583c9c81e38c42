"""What a tally file says beside its tally, as plain values and back: every field is checked.

Files come from elsewhere, and a checksum that fits says only that nobody slipped.
"""

from __future__ import annotations

import math
import platform
import re
from collections.abc import Callable, Mapping
from typing import Any, get_args

import numpy as np

from edgeworth.counting_terms import TERMS
from edgeworth.errors import InputError
from edgeworth.tallied import NAMED_PARTS, Origin, Part, Tallied, dropped_rows
from edgeworth.tallies import ContingencyTable, Paired, RankedLists, Wealth
from edgeworth.tallies.forecast_evidence import ForecastEvidence
from edgeworth.tallies.labelled_scores import LabelledScores
from edgeworth.tallies.policies import Missing, PredictionsMade, WeightKind
from edgeworth.tallies.serial import labels_from_json, labels_to_json
from edgeworth.tallies.travelling import kind_of

COUNTED = {
    "contingency_table": "labels",
    "clustered_table": "labels",
    "paired": "several",
    "labelled_scores": "scores",
    "ranked_lists": "lists",
    "forecasts": "probabilities",
}
"""What was counted, by the kind of its tally; other kinds are made in Python, on no terms."""

PART = ("source", "digest", "rows", "dropped")
PROVENANCE = (
    *("edgeworth", "versions", "rows", "dropped", "number"),
    *("parts", "fingerprints", "digest", "notices"),
)

MARK = re.compile(r"[0-9a-f]{16}(\+[0-9a-f]{16})*")
DIGEST = re.compile("sha256:[0-9a-f]{64}")


# -- terms -----------------------------------------------------------------------------------------------


def terms_to_dict(tallied: Tallied) -> dict[str, Any]:
    """What was asked, and what is still to be settled, as plain values."""
    said = {name: value for name, value in tallied.terms.items() if value is not None}
    # Labels that JSON lacks are written as in the tally itself.
    said |= {name: labels_to_json([said[name]])[0] for name in ("positive", "abstain") if name in said}
    said |= {"labels": labels_to_json(said["labels"])} if "labels" in said else {}
    said |= {"placed": True} if tallied.is_placed else {}
    return said | {"text": tallied.is_text, "whole_weights": tallied.has_whole_weights}


def terms_from_dict(payload: Mapping[str, Any], tally: Any) -> tuple[dict[str, Any], bool, bool | None, bool]:
    """Terms that belong to a tally; whether labels are text, weights whole, and its place on a path said."""
    terms = dict(payload)
    is_text, whole = terms.pop("text", None), terms.pop("whole_weights", "")
    placed = terms.pop("placed", False)
    if not isinstance(placed, bool) or (placed and not isinstance(tally, (ForecastEvidence, Wealth))):
        raise InputError(f"its terms cannot have {_shown(placed)} as 'placed' with {kind_of(tally)}")
    if not isinstance(is_text, bool) or not (whole is None or isinstance(whole, bool)):
        raise InputError("its terms say whether labels are text and weights are whole")
    kind = COUNTED.get(kind_of(tally))
    known = () if kind is None else (*TERMS[kind], "columns")
    for name, value in terms.items():
        if name not in known:
            raise InputError(f"its terms have {name!r}, which means nothing with {kind_of(tally)}")
        if not CHECKS[name](value):
            raise InputError(f"its term {name!r} cannot be {_shown(value)}")
    _check_roles(terms.get("columns", {}), tally)
    if whole is not None and ("weight" not in terms.get("columns", {}) or "weight_kind" in terms):
        raise InputError("its terms say whether weights are whole, but none are to be settled")
    if whole is not None:
        _check_sums(tally, whole)
    return terms, is_text, whole, placed


def _check_roles(columns: Mapping[str, str], tally: Any) -> None:
    """Who says which columns were read says it of all that are needed."""
    needed: tuple[str, ...] = {
        "labels": ("truth", "prediction"),
        "scores": ("truth", "score"),
        "lists": ("truth", "score", "group"),
    }.get(COUNTED.get(kind_of(tally), ""), ())
    if isinstance(tally, Paired):
        needed = ("truth", *(f"prediction of {name}" for name in tally.names))
    missing = [role for role in needed if role not in columns] if columns else []
    if missing:
        raise InputError(f"its terms have no column of {missing[0]}")


def _check_sums(tally: Any, whole: bool) -> None:
    """Weights that are yet to be settled travel as sums with their squares; those of whole ones are whole."""
    sums: list[tuple[Any, Any]]
    if isinstance(tally, ContingencyTable):
        sums = [(tally.cells, tally.squared)]
        if tally.clusters is not None:
            sums += [(tally.clusters.joint.weight, tally.clusters.joint.square)]
    elif isinstance(tally, Paired):
        sums = [(tally.joint.weight, tally.joint.square)]
    else:
        sums = [(run.weight, run.square) for run in tally.runs.values() if len(run.scores)]
    for weight, square in sums:
        if weight is None or (square is None and weight.any()):
            raise InputError("its terms say whether weights are whole, but cases are counted")
        if whole and np.any(weight != np.floor(weight)):
            raise InputError("its terms say that all weights are whole, but their sums are not")


# -- provenance ------------------------------------------------------------------------------------------


def provenance_to_dict(tallied: Tallied) -> dict[str, Any]:
    """Where a tally came from, as plain values."""
    from edgeworth import __version__

    origin = tallied.origin
    return {
        "edgeworth": __version__,
        "versions": f"Python {platform.python_version()}, numpy {np.__version__}",
        "rows": origin.rows,
        "dropped": dropped_rows(tallied.tally),
        "number": origin.number,
        "parts": [part_to_dict(part) for part in origin.parts],
        "fingerprints": list(origin.fingerprints),
        "digest": origin.digest,
        "notices": list(tallied.notices),
    }


def provenance_from_dict(payload: Mapping[str, Any], tally: Any) -> tuple[Origin, tuple[str, ...]]:
    """The sources of a tally, and the sentences that a report on it begins with."""
    _check_fields(payload, PROVENANCE, "its provenance")
    for name in PROVENANCE:
        if not CHECKS_OF_ORIGIN[name](payload[name]):
            raise InputError(f"its provenance cannot have {_shown(payload[name])} as {name!r}")
    parts = tuple(part_from_dict(part) for part in payload["parts"])
    origin = Origin(parts, tuple(payload["fingerprints"]), payload["rows"])
    marks = len(origin.fingerprints)
    if payload["number"] != marks or len(parts) != min(marks, NAMED_PARTS):
        raise InputError(
            f"its provenance tells {len(parts):,} sources and {marks:,} fingerprints of {payload['number']:,}"
        )
    if origin.digest != payload["digest"]:
        raise InputError("its fingerprints do not fit their digest")
    if payload["dropped"] != dropped_rows(tally):
        raise InputError(f"{payload['dropped']:,} rows were dropped, says its provenance, not its tally")
    if len(parts) == marks:
        _check_whole(parts, origin.rows, payload["dropped"])
    return origin, tuple(payload["notices"])


def part_to_dict(part: Part) -> dict[str, Any]:
    """One source, as plain values."""
    return {"source": part.source, "digest": part.digest, "rows": part.rows, "dropped": part.dropped}


def part_from_dict(payload: Any) -> Part:
    """The source that ``part_to_dict`` described."""
    if not isinstance(payload, dict):
        raise InputError(f"a source of it is {_shown(payload)}, not an object")
    _check_fields(payload, PART, "a source of it")
    for name in PART:
        if not CHECKS_OF_PARTS[name](payload[name]):
            raise InputError(f"a source of it cannot have {_shown(payload[name])} as {name!r}")
    return Part(payload["source"], payload["digest"], payload["rows"], payload["dropped"])


def _check_whole(parts: tuple[Part, ...], rows: int | None, dropped: int) -> None:
    """All sources are told, so they must add up."""
    known = [part.rows for part in parts if part.rows is not None]
    if (sum(known) if len(known) == len(parts) else None) != rows:
        raise InputError(f"its sources do not add up to {'unknown' if rows is None else f'{rows:,}'} rows")
    if sum(part.dropped for part in parts) != dropped:
        raise InputError(f"its sources do not add up to {dropped:,} dropped rows")


def check_rows(tallied: Tallied) -> None:
    """Without weights, each row that was read is counted once or was dropped."""
    rows, dropped = tallied.origin.rows, dropped_rows(tallied.tally)
    counted = None if "weight" in tallied.terms.get("columns", {}) else _cases(tallied.tally)
    if rows is not None and counted is not None and counted + dropped != rows:
        raise InputError(f"it counts {counted:,} rows and {dropped:,} dropped ones, but {rows:,} were read")
    if rows is not None and dropped > rows:
        raise InputError(f"{dropped:,} rows were dropped of {rows:,}")


def _cases(tally: Any) -> int | None:
    """How many rows were counted, where each counts once."""
    if isinstance(tally, ContingencyTable):
        return int(tally.cells.sum())
    if isinstance(tally, Paired):
        return int(tally.joint.rows.sum())
    if isinstance(tally, LabelledScores):
        runs = tally.runs.values()
        return sum(len(run.scores) if run.weight is None else int(run.weight.sum()) for run in runs)
    if isinstance(tally, RankedLists):
        return len(tally.scores)
    return tally.cases if isinstance(tally, ForecastEvidence) else None


# -- one field -------------------------------------------------------------------------------------------


def _check_fields(payload: Mapping[str, Any], names: tuple[str, ...], what: str) -> None:
    for name in names:
        if name not in payload:
            raise InputError(f"{what} has no {name!r}")
    for name in payload:
        if name not in names:
            raise InputError(f"{what} has {name!r}, which means nothing")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_truth(value: Any) -> bool:
    return isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_whole(value) and bool(value >= 0)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_label(value: Any) -> bool:
    try:
        labels_from_json([value])
    except InputError:
        return False
    return True


def _one_of(literal: Any) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and value in get_args(literal)


def _list_of(check: Callable[[Any], bool], *, least: int = 0) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and len(value) >= least and all(map(check, value))


def _or_null(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or check(value)


def _spelt(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and pattern.fullmatch(value) is not None


def _is_columns(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_text, value.values()))


def _is_cells(value: Any) -> bool:
    return _is_count(value) or _list_of(_is_number, least=1)(value)


CHECKS: dict[str, Callable[[Any], bool]] = {
    "columns": _is_columns,
    "missing": _one_of(Missing),
    "positive": _is_label,
    "labels": _list_of(_is_label),
    "abstain": _is_label,
    "weight_kind": _one_of(WeightKind),
    "cells": _is_cells,
    "relevant_from": _is_whole,
    "normalise": _is_truth,
    "ordinal": _is_truth,
    "ordered": _is_truth,
    "stake": _is_number,
    "predictions_made": _one_of(PredictionsMade),
    "bookmaker": _is_text,
}

CHECKS_OF_PARTS: dict[str, Callable[[Any], bool]] = {
    "source": _is_text,
    "digest": _or_null(_spelt(DIGEST)),
    "rows": _or_null(_is_count),
    "dropped": _is_count,
}

CHECKS_OF_ORIGIN: dict[str, Callable[[Any], bool]] = {
    "edgeworth": _is_text,
    "versions": _is_text,
    "rows": _or_null(_is_count),
    "dropped": _is_count,
    "number": _is_count,
    "parts": _list_of(lambda part: isinstance(part, dict), least=1),
    "fingerprints": _list_of(_spelt(MARK), least=1),
    "digest": _spelt(DIGEST),
    "notices": _list_of(_is_text),
}
