"""Scores by real class as plain values, and back with their shape checked."""

from __future__ import annotations

from typing import Any

import numpy as np

from edgeworth.errors import InputError
from edgeworth.tallies.cells import as_cells
from edgeworth.tallies.labelled_scores import LabelledScores
from edgeworth.tallies.runs import run_from_dict
from edgeworth.tallies.serial import count_from_json, labels_from_json, labels_to_json, payload_field


def labelled_to_dict(labelled: LabelledScores) -> dict[str, Any]:
    """Plain values for JSON."""
    labels = labelled.labels
    return {
        "kind": "labelled_scores",
        "labels": labels_to_json(labels),
        "runs": [labelled.runs[label].to_dict() for label in labels],
        "cells": None if labelled.cells is None else labelled.cells.tolist(),
        "dropped": labelled.dropped,
    }


def labelled_from_dict(payload: dict[str, Any]) -> LabelledScores:
    """The scores that ``labelled_to_dict`` described."""
    if payload.get("kind") != "labelled_scores":
        raise InputError("a tally of this kind is labelled_scores")
    labels = labels_from_json(payload_field(payload, "labels", list))
    runs = payload_field(payload, "runs", list)
    if len(set(labels)) < len(labels) or len(runs) != len(labels):
        raise InputError("scores by class have one run for each of their labels, which are all different")
    cells = None if payload.get("cells") is None else as_cells(payload_field(payload, "cells", list))
    found = {label: run_from_dict(run) for label, run in zip(labels, runs, strict=True)}
    if cells is not None:
        known = np.concatenate([[-np.inf], cells])
        if not all(np.isin(run.scores, known).all() for run in found.values()):
            raise InputError("the scores of a ranking on cells are the lower edges of its cells")
    return LabelledScores(found, cells, count_from_json(payload, "dropped"))
