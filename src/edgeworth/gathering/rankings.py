"""Scores, batch by batch, into a ranking."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from edgeworth.gathering.finding import nothing_left, settled_kind
from edgeworth.sources import Batch, Label, Source, fold
from edgeworth.sources.scores import as_scores
from edgeworth.sources.weights import as_weights
from edgeworth.tallies import Ranking
from edgeworth.tallies.cells import Cells, as_cells, check_unit_range
from edgeworth.tallies.labelled_scores import LabelledScores, MissingScore
from edgeworth.tallies.labels import parsed
from edgeworth.tallies.policies import WeightKind


def tally_ranking(
    source: Source,
    columns: dict[str, str],
    *,
    weight_kind: WeightKind | None = None,
    positive: Label | None = None,
    cells: Cells = None,
    missing: MissingScore = "error",
) -> Ranking:
    """Fold a source into a ranking."""
    options = {
        "weight_kind": settled_kind(source, columns, weight_kind),
        "cells": as_cells(cells),
        "missing": missing,
    }
    prepare = partial(
        _labelled_scores, columns=columns, options=options, is_unit=isinstance(cells, (int, np.integer))
    )
    labelled = fold(source, list(columns.values()), prepare, LabelledScores.empty())
    if not any(len(run.scores) for run in labelled.runs.values()):
        raise nothing_left(source, labelled.dropped)
    if source.is_text:
        labels = list(labelled.runs)
        labelled = labelled.renamed(dict(zip(labels, parsed(labels), strict=True)))
    return Ranking.from_labelled(labelled, positive=positive)


def _labelled_scores(
    batch: Batch, columns: dict[str, str], options: dict[str, Any], is_unit: bool
) -> LabelledScores:
    roles = {role: batch.columns[name] for role, name in columns.items()}
    scores = as_scores(roles["score"], columns["score"], batch.first_row)
    if is_unit:
        check_unit_range(scores)
    weights = as_weights(roles["weight"], columns["weight"]) if "weight" in roles else None
    return LabelledScores.from_columns(
        roles["truth"], scores, weights=weights, first_row=batch.first_row, **options
    )
