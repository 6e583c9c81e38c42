"""Checked probabilities beside the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from edgeworth.common.arrays import Floats, Numbers
from edgeworth.errors import OptionError
from edgeworth.forecasts.class_columns import (
    Classes,
    CodedTruth,
    LabelSource,
    ReadingOptions,
    class_by_name,
    order_beside,
    pair_of,
)
from edgeworth.sources.alignment import aligned
from edgeworth.sources.columns import Label
from edgeworth.sources.numbers import are_rounded, as_probabilities, check_probabilities, names_of_columns

RowSelection: TypeAlias = "slice[int | None, int | None, int | None] | NDArray[np.intp]"
"""Consecutive rows, or the index of each row."""

RESCALED = "Note: some rows of probabilities add up to 1 only within rounding. Each was divided by its sum."


@dataclass(frozen=True)
class Forecasts:
    """Checked probabilities (n, K) and the class that came true in each row."""

    codes: NDArray[np.intp]
    probabilities: Floats
    labels: tuple[Label, ...]
    label_source: LabelSource = "places"
    are_rescaled: bool = False
    """Whether rows that were off by rounding were divided by their sums."""
    weights: Floats | None = None
    """Sampling weights of the rows, if they have some."""

    @classmethod
    @aligned
    def of(
        cls,
        truth: object,
        probabilities: object,
        *,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
        normalise: bool = False,
        first_row: int = 1,
        name: str = "probabilities",
        columns: Sequence[Label] | None = None,
    ) -> Self:
        """Check a batch. ``labels`` name the columns; for one column, ``positive`` names its class.

        Give a dataframe as it is: its columns may be called as the classes, in any order. ``columns`` are the
        names of a file's; unlike a dataframe's they must tell the classes, unless labels or places do.

        >>> Forecasts.of(["b", "a"], [[0.2, 0.8], [0.7, 0.3]]).codes.tolist()
        [1, 0]
        """
        values = as_probabilities(probabilities, name)
        came = CodedTruth.of(
            truth,
            values,
            labels=labels,
            positive=positive,
            named=names_of_columns(probabilities) if columns is None else columns,
            must_tell=columns is not None,
            first_row=first_row,
            name=name,
        )
        rows = check_probabilities(values, name=name, first_row=first_row, normalise=normalise)
        is_off = rows is not values and not normalise and are_rounded(values)
        return cls(came.codes, rows, came.labels, came.label_source, is_off)

    @classmethod
    def beside(
        cls,
        first: Forecasts,
        truth: object,
        probabilities: object,
        *,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
        normalise: bool = False,
        name: str = "the rival's probabilities",
    ) -> Forecasts:
        """Read another system's probabilities of the same cases, columns in the order of the first one's.

        >>> model = Forecasts.of(["b", "a"], [[0.2, 0.8], [0.7, 0.3]])
        >>> Forecasts.beside(model, ["b", "a"], [0.5, 0.4], positive="a").probabilities.tolist()
        [[0.5, 0.5], [0.4, 0.6]]
        """
        values = as_probabilities(probabilities, name)
        if values.ndim == 1:
            called = class_by_name(names_of_columns(probabilities), first.labels)
            if first.label_source != "positive" or called is not None:
                labels = pair_of(first.labels, positive if called is None else called)
            else:
                labels = first.labels
            probabilities, positive = values, None
        reading: ReadingOptions = {"labels": labels, "positive": positive, "normalise": normalise}
        return cls.of(truth, probabilities, name=name, **reading).in_order_of(first, name)

    def in_order_of(self, first: Forecasts, name: str = "the rival's probabilities") -> Forecasts:
        """Put the columns in the order of another system's classes, which must be the same."""
        if self.labels == first.labels:
            return self
        order = order_beside(self, first, name)
        indices = np.argsort(order)
        return replace(
            self,
            codes=indices[self.codes],
            probabilities=self.probabilities[:, order],
            labels=first.labels,
            label_source=first.label_source,
        )

    def clip(self, least: float | None) -> Self:
        """Raise smaller probabilities to this one, and divide such rows by their sums; None changes nothing.

        >>> Forecasts.of([1, 0], [0.0, 0.5]).clip(0.25).probabilities.tolist()
        [[0.8, 0.2], [0.5, 0.5]]
        """
        if least is None:
            return self
        if not 0 < least < 1 / self.size:
            raise OptionError(
                f"--clip (clip=) must be above 0 and below 1/{self.size} with these classes; saw {least!r}"
            )
        low = (self.probabilities < least).any(axis=1)
        rows = self.probabilities.copy()
        rows[low] = np.maximum(rows[low], least)
        rows[low] /= rows[low].sum(axis=1, keepdims=True)
        return replace(self, probabilities=rows)

    @property
    def size(self) -> int:
        """Return the number of classes."""
        return len(self.labels)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: RowSelection) -> Self:
        """Return some of the rows, or all of them in another order."""
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, codes=self.codes[rows], probabilities=self.probabilities[rows], weights=weights)

    def weigh(self, weights: Floats | None) -> Self:
        """Return the rows sampling weights; None changes nothing."""
        return self if weights is None else replace(self, weights=weights)

    @property
    def class_totals(self) -> Numbers:
        """Count the cases of each class, or add up their weights."""
        return np.asarray(np.bincount(self.codes, self.weights, minlength=self.size))

    def of_truth(self, values: Floats) -> Floats:
        """Take the entry of each row in the column that came true."""
        return np.asarray(values[np.arange(len(values)), self.codes])

    @cached_property
    def happened(self) -> Floats:
        """Return p(y), the probability of what came true in each row."""
        return self.of_truth(self.probabilities)


def forecasts_of_columns(
    codes: NDArray[np.intp],
    classes: Classes,
    table: Floats,
    order: Sequence[int],
    *,
    name: str = "probabilities",
    first_row: int = 1,
    normalise: bool = False,
) -> Forecasts:
    """Check probabilities and put each class in its place, from columns in the order that was found.

    >>> model = Forecasts.of([1], [0.5])
    >>> forecasts_of_columns(model.codes, model, np.array([[0.25]]), [0]).probabilities.tolist()
    [[0.25, 0.75]]
    """
    is_off = False
    if len(order) > 1:
        # Columns that stand in order already are not copied.
        moved = table if list(order) == list(range(table.shape[1])) else table[:, order]
        rows = check_probabilities(moved, name=name, first_row=first_row, normalise=normalise)
        is_off = rows is not moved and not normalise and are_rounded(table)
    else:
        rows = check_probabilities(table[:, 0], name=name, first_row=first_row, normalise=normalise)
        rows = rows if list(order) == [1] else np.ascontiguousarray(rows[:, ::-1])
    return Forecasts(codes, rows, classes.labels, classes.label_source, is_off)


def cumulative_games(forecasts: Forecasts) -> dict[Label, Forecasts]:
    """Compute the forecasts of "at most this class" for each class but the last, in the order of columns.

    The Brier scores of the cumulative_games add up to the ranked probability score.
    """
    below = np.cumsum(forecasts.probabilities, axis=1)
    games: dict[Label, Forecasts] = {}
    for index, label in enumerate(forecasts.labels[:-1]):
        # Sums of probabilities may round past 1.
        share = np.minimum(below[:, index], 1.0)
        codes = (forecasts.codes <= index).astype(np.intp)
        names = (f"above {label}", f"at most {label}")
        games[label] = Forecasts(codes, np.stack([1 - share, share], axis=1), names)
    return games


def argmax_table(forecasts: Forecasts) -> Numbers:
    """Count how often the label of highest probability (rows) met each truth (columns).

    Where m labels are equally likely, each counts as 1/m of a case: who has to choose chooses by lot. Without
    such ties the counts are whole numbers.

    >>> argmax_table(Forecasts.of([1, 0, 1], [0.5, 0.2, 0.9])).tolist()
    [[1.0, 0.5], [0.0, 1.5]]
    """
    columns = np.ascontiguousarray(forecasts.probabilities.T)
    best = columns == columns.max(axis=0)
    ties = best.sum(axis=0)
    shares = best / ties
    if forecasts.weights is not None:
        shares = shares * forecasts.weights
    counts = np.stack([np.bincount(forecasts.codes, row, minlength=forecasts.size) for row in shares])
    return counts if (ties > 1).any() or forecasts.weights is not None else counts.astype(np.int64)
