"""Rankings as plain values, and back with their parts checked."""

from __future__ import annotations

from types import NoneType
from typing import TYPE_CHECKING, Any

import numpy as np

from edgeworth.errors import InputError
from edgeworth.tallies.cells import as_cells
from edgeworth.tallies.runs import are_apart, run_from_dict
from edgeworth.tallies.serial import count_from_json, labels_from_json, labels_to_json, numbers_from_json

if TYPE_CHECKING:
    from edgeworth.tallies.rankings import Ranking


def ranking_to_dict(ranking: Ranking) -> dict[str, Any]:
    """Plain values for JSON."""
    return {
        "kind": "ranking",
        "targets": ranking.targets.to_dict(),
        "background": ranking.background.to_dict(),
        "unranked": ranking.unranked,
        "labels": [None if x is None else labels_to_json((x,))[0] for x in ranking.labels],
        "cells": None if ranking.cells is None else ranking.cells.tolist(),
        "dropped": ranking.dropped,
        "placed": ranking.is_placed,
    }


def ranking_fields(payload: Any) -> tuple[Any, ...]:
    """What ``ranking_to_dict`` described, in the order of the ranking's fields."""
    if not isinstance(payload, dict) or payload.get("kind") != "ranking":
        raise InputError("a tally of this kind is a ranking")
    names = payload.get("labels")
    if not isinstance(names, list) or len(names) != 2:
        raise InputError("a ranking has two labels, of the background and of the targets")
    labels_from_json([name for name in names if name is not None])
    if names[0] == names[1] is not None:
        raise InputError(f"background and targets have different labels; saw {names[0]!r} twice")
    unranked = numbers_from_json([payload.get("unranked")], "unranked")
    edges, placed = payload.get("cells"), payload.get("placed", False)
    if unranked.shape != (1,) or not isinstance(edges, (list, NoneType)) or not isinstance(placed, bool):
        raise InputError(
            "a ranking has a number of unranked targets, edges of cells or none, and placed or not"
        )
    targets, background = (run_from_dict(payload.get(name)) for name in ("targets", "background"))
    cells = as_cells(edges)
    if cells is not None:
        known = np.concatenate([[-np.inf], cells])
        if not all(
            np.isin(scores, known).all() for run in (targets, background) for scores in (run.scores, run.ends)
        ):
            raise InputError("the scores of a ranking on cells are the lower edges of its cells")
    if targets.highest is not None or not are_apart(targets, background):
        raise InputError(
            "a collapsed ranking keeps the scores of its targets, and none lies in a span of its background"
        )
    dropped = count_from_json(payload, "dropped")
    return targets, background, unranked[0].item(), (names[0], names[1]), cells, dropped, placed
