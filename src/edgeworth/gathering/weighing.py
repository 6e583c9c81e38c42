"""Weights of shards: whole numbers in one and fractions in the next are all sampling weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Self, TypeVar

import numpy as np

from edgeworth.errors import InputError
from edgeworth.sources import Batch, Source, fold
from edgeworth.sources.weights import as_weights
from edgeworth.tallies import ClusteredTable, ContingencyTable, Paired
from edgeworth.tallies.joint import JointCounts, Numbers
from edgeworth.tallies.labelled_scores import LabelledScores
from edgeworth.tallies.runs import Run

LARGEST_EXACT = 1 << 53
"""Whole numbers beyond it are rounded as floats."""

Weighed = TypeVar("Weighed", ContingencyTable, ClusteredTable, Paired, LabelledScores)


@dataclass(frozen=True)
class _Wholeness:
    """Whether every weight so far was a whole number: the smallest of tallies."""

    is_whole: bool = True

    def __add__(self, other: Self) -> Self:
        return self if not self.is_whole else other


def weights_are_whole(source: Source, column: str) -> bool:
    """Whether every weight is a whole number, by its type or as it is written: a pass over that column."""
    return fold(source, [column], partial(_wholeness, column=column), _Wholeness()).is_whole


def _wholeness(batch: Batch, column: str) -> _Wholeness:
    return _Wholeness(as_weights(batch.columns[column], column).dtype.kind == "i")


def in_whole_cases(tally: Weighed) -> Weighed:
    """Sums of weights that all were whole numbers, as counts of cases.

    Until all shards are there it is not known whether whole numbers are counts, so they travel as sampling
    weights, with their squares.
    """
    if isinstance(tally, ContingencyTable):
        return replace(tally, cells=_counts(tally.cells), squared=None)
    if isinstance(tally, ClusteredTable):
        return replace(tally, table=in_whole_cases(tally.table), joint=_whole_joint(tally.joint))
    if isinstance(tally, Paired):
        return replace(tally, joint=_whole_joint(tally.joint))
    return replace(tally, runs={label: _whole_run(run) for label, run in tally.runs.items()})


def _whole_joint(joint: JointCounts) -> JointCounts:
    return replace(joint, weight=_counts(joint.weight), square=None)


def _whole_run(run: Run) -> Run:
    return run if run.weight is None else Run(run.scores, _counts(run.weight))


def _counts(sums: Numbers) -> Numbers:
    # A sum that rounding has brought down to the limit may have been beyond it.
    if sums.size and sums.max() >= LARGEST_EXACT:
        raise InputError(
            f"weights of one kind of case add up to {sums.max():.3g}, beyond the whole numbers that a tally "
            'file holds exactly: say weight_kind="counts" (--weight-kind counts)'
        )
    return sums.astype(np.int64)
