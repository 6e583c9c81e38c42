"""Scores of each class as they are read: all while they are few, of the largest classes only how many.

This is what one pass over rows of unknown number can keep. When nothing had to be left out it is a ranking;
otherwise the rare classes are still whole, and a target is usually rare.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from numpy.typing import NDArray

from edgeworth.arrays import Floats
from edgeworth.core.policies import WeightKind
from edgeworth.rankings.scores.background import Rows, blocks_of
from edgeworth.rankings.scores.labelled_scores import LabelledScores, MissingScore, rows_of_classes
from edgeworth.rankings.scores.runs import Run
from edgeworth.sources.columns import Column, Label

MOST_ROWS = 1 << 22
"""Rows up to which every score is kept."""


@dataclass(frozen=True, eq=False)
class ClassScores:
    """How many rows each class has, and the scores of as many classes as ``most`` rows allow."""

    most: int = MOST_ROWS
    rows: Mapping[Label, int] = field(default_factory=dict)
    kept: Mapping[Label, tuple[Rows, ...]] = field(default_factory=dict)
    dropped: int = 0

    @classmethod
    def from_columns(
        cls,
        truth: Column,
        scores: Floats,
        *,
        weights: NDArray[Any] | None = None,
        weight_kind: WeightKind | None = None,
        missing: MissingScore = "error",
        first_row: int = 1,
        most: int = MOST_ROWS,
    ) -> Self:
        """One batch of rows."""
        classes, dropped = rows_of_classes(
            truth, scores, weights=weights, weight_kind=weight_kind, missing=missing, first_row=first_row
        )
        rows: dict[Label, int] = {}
        kept: dict[Label, tuple[Rows, ...]] = {}
        for label, chosen, heavy in classes:
            rows[label] = rows.get(label, 0) + len(chosen)
            kept[label] = (*kept.get(label, ()), (chosen, heavy))
        return cls(most, rows, kept, dropped)._within()

    def __add__(self, other: Self) -> Self:
        """All rows of both."""
        rows, kept = dict(self.rows), dict(self.kept)
        for label, number in other.rows.items():
            is_kept = label in other.kept and (label in kept or label not in rows)
            rows[label] = rows.get(label, 0) + number
            if is_kept:
                kept[label] = kept.get(label, ()) + other.kept[label]
            else:
                kept.pop(label, None)
        whole = replace(self, rows=rows, kept=kept, dropped=self.dropped + other.dropped)
        return whole._within()

    def _within(self) -> Self:
        """Without the scores of the largest classes, as far as they are too many."""
        kept = dict(self.kept)
        while kept and sum(self.rows[label] for label in kept) > self.most:
            del kept[max(kept, key=self.rows.__getitem__)]
        return self if len(kept) == len(self.kept) else replace(self, kept=kept)

    def only(self, labels: Collection[Label]) -> Self:
        """Some classes, whatever their number of rows."""
        rows = {label: number for label, number in self.rows.items() if label in labels}
        return replace(self, rows=rows, kept={label: self.kept[label] for label in rows})

    @property
    def total(self) -> int:
        """All rows that have a class and a score."""
        return sum(self.rows.values())

    @property
    def is_whole(self) -> bool:
        """True when every score was kept."""
        return len(self.kept) == len(self.rows)

    def run(self, labels: Collection[Label]) -> Run:
        """The sorted scores of some classes, all of which were kept."""
        run = Run.empty()
        for scores, weights in blocks_of([rows for label in labels for rows in self.kept.get(label, ())]):
            run = run + Run.of(scores, weights, may_change=True)
        return run

    def labelled(self) -> LabelledScores:
        """The sorted scores of each class, when all were kept."""
        assert self.is_whole
        return LabelledScores({label: self.run([label]) for label in self.rows}, None, self.dropped)
