"""What a tally file says beside its tally, as plain values and back: every field is checked."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from typing import Any, get_args

import numpy as np

from edgeworth.comparing.paired import Paired
from edgeworth.core.plain import (
    COUNT,
    FLAG,
    LABEL,
    NEEDED,
    NUMBER,
    TEXT,
    WHOLE,
    Field,
    checked,
    dump_fields,
    kind_of,
    list_of,
    load_fields,
    nested,
    one_of,
    optional,
    spelt,
)
from edgeworth.core.policies import Missing, PredictionsMade, WeightKind
from edgeworth.counting_terms import TERMS
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import InputError
from edgeworth.forecasts.tally import ForecastEvidence
from edgeworth.rankings.lists import RankedLists
from edgeworth.rankings.scores.labelled_scores import LabelledScores
from edgeworth.tallied import DIGEST, NAMED_PARTS, Origin, Part, Tallied, dropped_rows

COUNTED = {
    "contingency_table": "labels",
    "clustered_table": "labels",
    "paired": "several",
    "labelled_scores": "scores",
    "ranked_lists": "lists",
    "forecasts": "probabilities",
}
"""What was counted, by the kind of its tally; other kinds are made in Python, on no terms."""

OPTIONS: dict[str, Field] = {
    "columns": checked(
        "an object of text",
        lambda x: isinstance(x, dict) and all(isinstance(name, str) for name in x.values()),
    ),
    "missing": one_of(*get_args(Missing)),
    "positive": LABEL,
    "labels": list_of(LABEL),
    "abstain": LABEL,
    "weight_kind": one_of(*get_args(WeightKind)),
    "cells": Field(
        "a number of cells, or their edges",
        lambda x: list_of(NUMBER, least=1).load(x) if isinstance(x, list) else COUNT.load(x),
    ),
    "relevant_from": WHOLE,
    "normalise": FLAG,
    "ordinal": FLAG,
    "ordered": FLAG,
    "stake": NUMBER,
    "predictions_made": one_of(*get_args(PredictionsMade)),
    "bookmaker": TEXT,
}
"""The options of a tally; which of them a kind may have is in ``TERMS``."""

STATE = {"text": FLAG.of("is_text"), "whole_weights": optional(FLAG, NEEDED).of("has_whole_weights")}
PLACED = {"placed": FLAG.of("is_placed")}

ORIGIN = {
    "rows": optional(COUNT, NEEDED),
    "number": COUNT,
    "parts": list_of(nested(Part), least=1),
    "fingerprints": list_of(spelt(r"[0-9a-f]{16}(\+[0-9a-f]{16})*"), least=1),
    "digest": DIGEST,
}
PROVENANCE = {"edgeworth": TEXT, "versions": TEXT, "dropped": COUNT, "notices": list_of(TEXT)} | ORIGIN


# -- terms -----------------------------------------------------------------------------------------------


def terms_to_dict(tallied: Tallied) -> dict[str, Any]:
    """The options and flags of a tally as plain values."""
    options = {name: OPTIONS[name].dump(value) for name, value in tallied.terms.items() if value is not None}
    return options | dump_fields(STATE | (PLACED if tallied.is_placed else {}), tallied)


def terms_from_dict(payload: Mapping[str, Any], tally: Any) -> dict[str, Any]:
    """The options of a tally (``terms``) and its flags, by the names that ``Tallied`` has for them."""
    kind = kind_of(tally)
    known = (*TERMS[COUNTED[kind]], "columns") if kind in COUNTED else ()
    options = {name: OPTIONS[name] for name in known if name in payload}
    placed = PLACED if "placed" in payload and kind in ("forecasts", "wealth") else {}
    found = load_fields(options | STATE | placed, payload, f"the terms of its {kind}", is_closed=True)
    terms = {name: found.pop(name) for name in options}
    _check_roles(terms.get("columns", {}), tally)
    whole = found["has_whole_weights"]
    if whole is not None and ("weight" not in terms.get("columns", {}) or "weight_kind" in terms):
        raise InputError("its terms say whether weights are whole, but none are to be settled")
    if whole is not None:
        _check_sums(tally, whole)
    return found | {"terms": terms}


def _check_roles(columns: Mapping[str, str], tally: Any) -> None:
    """Check that every role that is needed has a column."""
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

    return dump_fields(ORIGIN, tallied.origin) | {
        "edgeworth": __version__,
        "versions": f"Python {platform.python_version()}, numpy {np.__version__}",
        "dropped": dropped_rows(tallied.tally),
        "notices": list(tallied.notices),
    }


def provenance_from_dict(payload: Mapping[str, Any], tally: Any) -> dict[str, Any]:
    """The sources of a tally (``origin``), and what a report on it begins with (``notices``)."""
    found = load_fields(PROVENANCE, payload, "its provenance", is_closed=True)
    parts, dropped, number = tuple(found["parts"]), found["dropped"], found["number"]
    origin = Origin(parts, tuple(found["fingerprints"]), found["rows"])
    marks = len(origin.fingerprints)
    if number != marks or len(parts) != min(marks, NAMED_PARTS):
        raise InputError(
            f"its provenance tells {len(parts):,} sources and {marks:,} fingerprints of {number:,}"
        )
    if origin.digest != found["digest"]:
        raise InputError("its fingerprints do not fit their digest")
    if dropped != dropped_rows(tally):
        raise InputError(f"{dropped:,} rows were dropped, says its provenance, not its tally")
    if len(parts) == marks:
        _check_whole(parts, origin.rows, dropped)
    return {"origin": origin, "notices": tuple(found["notices"])}


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
