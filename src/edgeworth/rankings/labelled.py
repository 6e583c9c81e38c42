"""Scores, batch by batch, by real class: which class is the target is not yet said, so that shards merge."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from edgeworth.core.labels import parsed
from edgeworth.core.policies import WeightKind
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.rankings import _labelled_scores
from edgeworth.rankings.scores.cells import Cells, as_cells
from edgeworth.rankings.scores.labelled_scores import LabelledScores, MissingScore
from edgeworth.sources.columns import Label
from edgeworth.sources.reducing import Reducer


def labelled_reducer(
    columns: dict[str, str],
    *,
    weight_kind: WeightKind | None = None,
    cells: Cells = None,
    missing: MissingScore = "error",
) -> Reducer[LabelledScores]:
    """How a batch becomes sorted scores of each class."""
    options: dict[str, Any] = {"weight_kind": weight_kind, "cells": as_cells(cells), "missing": missing}
    is_unit = isinstance(cells, (int, np.integer))
    prepare = partial(_labelled_scores, columns=columns, options=options, is_unit=is_unit)
    return Reducer(tuple(columns.values()), prepare, LabelledScores.empty())


def settled_ranking(labelled: LabelledScores, *, is_text: bool, positive: Label | None = None) -> Ranking:
    """All labels are known now: those of text may be numbers, and one of them is the target."""
    if is_text:
        labels = list(labelled.runs)
        labelled = labelled.renamed(dict(zip(labels, parsed(labels), strict=True)))
    return Ranking.from_labelled(labelled, positive=positive)
