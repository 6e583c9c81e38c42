"""Weights of shards that all turned out to be whole numbers, as counts of cases."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from edgeworth.comparing.paired import Paired
from edgeworth.core.joint_counts import JointCounts, Numbers
from edgeworth.decisions.clusters import Clusters
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import InputError
from edgeworth.rankings.scores.by_class import ScoresByClass
from edgeworth.rankings.scores.sorted_scores import SortedScores

LARGEST_EXACT = 1 << 53
"""Whole numbers beyond it are rounded as floats."""

Weighed = TypeVar("Weighed", ContingencyTable, Paired, ScoresByClass)


def in_whole_cases(tally: Weighed) -> Weighed:
    """Sums of weights that all were whole numbers, as counts of cases.

    Until all shards are there it is not known whether whole numbers are counts, so they travel as sampling
    weights, with their squares.
    """
    if isinstance(tally, ContingencyTable):
        clusters = None if tally.clusters is None else Clusters(_whole_joint(tally.clusters.joint))
        return replace(tally, cells=_counts(tally.cells), squared=None, clusters=clusters)
    if isinstance(tally, Paired):
        return replace(tally, joint=_whole_joint(tally.joint))
    return replace(tally, scores={label: _whole_run(run) for label, run in tally.scores.items()})


def _whole_joint(joint: JointCounts) -> JointCounts:
    return replace(joint, weight=_counts(joint.weight), square=None)


def _whole_run(run: SortedScores) -> SortedScores:
    return run if run.weight is None else SortedScores(run.scores, _counts(run.weight))


def _counts(sums: Numbers) -> Numbers:
    # A sum that rounding has brought down to the limit may have been beyond it.
    if sums.size and sums.max() >= LARGEST_EXACT:
        raise InputError(
            f"weights of one kind of case add up to {sums.max():.3g}, beyond the whole numbers that a tally "
            'file holds exactly: say weight_kind="counts" (--weight-kind counts)'
        )
    return sums.astype(np.int64)
