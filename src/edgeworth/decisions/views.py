"""Views of a table that measures are computed from, and the lookup of measures by their spelling."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from edgeworth.common.arrays import MAX_EXACT_INTEGER, Values, difference
from edgeworth.core.measures import Measure, Requirement, Spelling, quote_label
from edgeworth.core.registry import canonical_spelling, measures_by_name, unknown_measure
from edgeworth.decisions.kind import TABLE
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.columns import Label


@dataclass(frozen=True)
class LabelView:
    """One label against the rest: hits, times predicted, times real, all cases."""

    hits: Values
    predicted: Values
    real: Values
    total: Values
    abstained: Values = 0.0
    """The undecided cases of the label; the other counts are of decided cases."""
    undecided: Values = 0.0
    """The undecided cases of all labels."""

    @property
    def every_real(self) -> Values:
        """The number of cases of the label, decided or not."""
        return self.real + self.abstained

    @property
    def every_other(self) -> Values:
        """The number of cases of other classes, decided or not."""
        return self.not_real + difference(self.undecided, self.abstained, self.undecided)

    @cached_property
    def false_alarms(self) -> Values:
        """The number of cases predicted but not real."""
        return difference(self.predicted, self.hits, self.predicted)

    @property
    def misses(self) -> Values:
        """The number of cases real but not predicted."""
        return difference(self.real, self.hits, self.real)

    @property
    def every_misses(self) -> Values:
        """The number of cases of the label, decided or not, that were not predicted as it."""
        return difference(self.every_real, self.hits, self.every_real)

    @property
    def rejections(self) -> Values:
        """The number of cases neither predicted nor real."""
        return difference(self.not_real, self.predicted - self.hits, self.total)

    @property
    def determinant(self) -> Values:
        """N hits − P R, without the rounding of large products that nearly cancel."""
        return self.hits * self.rejections - self.false_alarms * self.misses

    @cached_property
    def not_real(self) -> Values:
        """The number of cases of other classes."""
        return difference(self.total, self.real, self.total)

    @property
    def not_predicted(self) -> Values:
        """The number of predictions of other labels."""
        return difference(self.total, self.predicted, self.total)


@dataclass(frozen=True)
class Marginals:
    """The diagonal and the margins of a table, one entry per label along the last axis."""

    hits: Values
    predicted: Values
    real: Values
    abstained: Values

    @cached_property
    def total(self) -> Values:
        """The number of decided cases."""
        return np.asarray(self.real.sum(axis=-1))

    @cached_property
    def undecided(self) -> Values:
        """The number of cases without a decision."""
        return np.asarray(self.abstained.sum(axis=-1))

    @property
    def every_real(self) -> Values:
        """How often each class was real, in decided and undecided cases."""
        return self.real + self.abstained

    def by_label(self) -> LabelView:
        """View each label against the rest."""
        total, undecided = self.total[..., None], self.undecided[..., None]
        return LabelView(self.hits, self.predicted, self.real, total, self.abstained, undecided)


TableView: TypeAlias = "LabelView | Marginals | Values"
"""What a measure is computed from: one label, the margins, or an array of cells."""


def marginals(cells: Values) -> Marginals:
    """View cells (…, K+1, K), whose last row holds the abstentions."""
    cells = as_floats(cells)
    counts = cells[..., :-1, :]
    return Marginals(
        np.diagonal(counts, axis1=-2, axis2=-1), counts.sum(axis=-1), counts.sum(axis=-2), cells[..., -1, :]
    )


def as_floats(cells: Values) -> Values:
    """Turn integers into floats, as products of four margins of a large table would overflow."""
    return cells.astype(np.float64) if cells.dtype.kind == "i" else cells


@dataclass(frozen=True)
class Resolved:
    """A measure with the label and the options that it has on one table."""

    measure: Measure
    position: int | None
    label: Label | None
    arguments: dict[str, float | str]
    spelling: str

    def view(self, cells: Values) -> TableView:
        """Make the view of cells (…, K+1, K) that the measure takes."""
        if self.measure.scope == "cells":
            return as_floats(cells)[..., :-1, :]
        margins = marginals(cells)
        return margins if self.position is None else label_view(margins, self.position)

    def values(self, cells: Values) -> Values:
        """Compute the measure of one table or of a stack of them; nan if it is undefined."""
        return self.of_view(self.view(cells))

    def of_view(self, view: TableView) -> Values:
        """Compute the measure of a view."""
        return np.asarray(self.measure.compute(view, **self.arguments))

    def undefined(self, table: ContingencyTable) -> str | None:
        """Return why the measure has no value on this table, or None if it has one."""
        if self.measure.counts_pairs and not table.is_counted:
            return "it counts pairs of cases, which weighted rows do not have"
        if not math.isnan(self.values(table.cells)):
            return None
        view = marginals(table.cells) if self.measure.scope == "cells" else self.view(table.cells)
        for need in self.measure.needs:
            if not need.holds(view):
                return need.otherwise.format(label=self.label)
        return f"its formula, {self.measure.formula}, divides by 0 here"


def label_view(view: Marginals, position: int) -> LabelView:
    """View one label of a table or of a stack of them."""
    hits, predicted, real, abstained = (
        part[..., position] for part in (view.hits, view.predicted, view.real, view.abstained)
    )
    return LabelView(hits, predicted, real, view.total, abstained, view.undecided)


def check_decisions(tally: object) -> None:
    """Raise an error if a tally is not a table of decisions."""
    if not isinstance(tally, ContingencyTable):
        raise OptionError(f"a measure needs a tally such as a ContingencyTable; saw {type(tally).__name__}")


def find_measure(name: str, *, is_label: bool) -> Measure | None:
    """Find the measure of one label, or of the whole table, under this name."""
    scopes = ("label",) if is_label else ("overall", "cells")
    return measures_by_name(TABLE, *scopes).get(name)


def measure_table(table: ContingencyTable, spelling: str | Measure) -> float:
    """Compute a measure of decisions; nan when it is undefined."""
    resolved = resolve(table, spelling)
    if resolved.measure.counts_pairs and not table.is_counted:
        return math.nan
    return float(resolved.values(table.cells))


def resolve(table: ContingencyTable, spelling: str | Measure) -> Resolved:
    """Find the measure, its label on this table, and its options."""
    check_decisions(table)
    if table.is_counted and table.actual.sum() > MAX_EXACT_INTEGER:
        raise InputError(
            f"measures need at most 2^53 = {MAX_EXACT_INTEGER:,} cases, which floats hold exactly; "
            f"saw {table.actual.sum():,}"
        )
    if isinstance(spelling, Measure):
        return _resolve_label(table, spelling, Spelling(spelling.name))
    if not isinstance(spelling, str):
        raise OptionError(f"a measure is written as text, such as 'recall[spam]'; saw {spelling!r}")
    parsed = canonical_spelling(spelling, TABLE)
    if parsed.depth is not None:
        raise OptionError(f"{parsed}: a depth belongs to a ranking; this is a table of decisions")
    overall_measure = find_measure(parsed.name, is_label=False)
    label_measure = find_measure(parsed.name, is_label=True)
    if overall_measure is None and label_measure is None:
        raise unknown_measure(parsed.name)
    measure = overall_measure if parsed.label is None and overall_measure is not None else label_measure
    if measure is None:
        raise OptionError(f"{parsed.name} is a measure of the whole table; write it without a label")
    return _resolve_label(table, measure, parsed)


def _resolve_label(table: ContingencyTable, measure: Measure, parsed: Spelling) -> Resolved:
    arguments = measure.arguments(parsed.options)
    if measure.scope != "label":
        return Resolved(measure, None, None, arguments, str(parsed))
    label = parsed.label
    position = table.index(label) if label is not None else _position_of_positive(table, measure.name)
    return Resolved(measure, position, table.labels[position], arguments, str(parsed))


def _position_of_positive(table: ContingencyTable, name: str) -> int:
    if table.positive is None:
        mean = canonical_spelling(f"macro_{name}", TABLE).name
        has_mean = find_measure(mean, is_label=False) is not None
        examples = ", ".join(f"{name}[{quote_label(str(label))}]" for label in table.labels[:3])
        raise OptionError(
            f"{name} is a measure of one label: write {examples}{', …' if len(table.labels) > 3 else ''}, "
            "or name the positive label (--positive)"
            f"{f'; {mean} is the mean over labels' if has_mean else ''}"
        )
    return table.labels.index(table.positive)


def at_guessing(resolved: Resolved, table: ContingencyTable) -> float:
    """Compute the measure's chance level: its value on the mean table of guessing with the same margins."""
    if resolved.measure.chance == "0" and not table.abstained.any():
        return 0.0
    if resolved.measure.expected is not None:
        return float(resolved.measure.expected(resolved.view(table.cells)))
    return float(resolved.values(expected_cells(table)))


def expected_cells(table: ContingencyTable) -> Values:
    """Compute the mean table of guessing with the same margins; abstentions stay as they are."""
    cells = table.cells.astype(np.float64)
    total = cells[:-1].sum()
    if total > 0:
        cells[:-1] = np.outer(cells[:-1].sum(axis=1), cells[:-1].sum(axis=0)) / total
    return cells


CASES = Requirement(lambda view: view.total > 0, "there are no cases with a decision")
IS_REAL = Requirement(lambda view: view.real > 0, "no case is actually {label}")
IS_PREDICTED = Requirement(lambda view: view.predicted > 0, "no case was predicted as {label}")
OTHERS_REAL = Requirement(lambda view: view.not_real > 0, "every case is actually {label}")
OTHERS_PREDICTED = Requirement(lambda view: view.not_predicted > 0, "every case was predicted as {label}")
HAS_CASES = Requirement(lambda view: view.every_real > 0, IS_REAL.otherwise)
OTHERS_HAVE_CASES = Requirement(lambda view: view.every_other > 0, OTHERS_REAL.otherwise)
IS_SEEN = Requirement(
    lambda view: view.predicted + view.every_real > 0, "{label} was neither predicted nor real in any case"
)
HAS_FALSE_ALARMS = Requirement(
    lambda view: view.false_alarms > 0, "no case was wrongly predicted as {label}, so the ratio is infinite"
)
HAS_REJECTIONS = Requirement(
    lambda view: view.rejections > 0, "every case outside {label} was predicted as {label}"
)
HAS_MISSES = Requirement(
    lambda view: view.misses > 0, "no case of {label} was missed, so the ratio is infinite"
)
OTHERS_SEEN = Requirement(
    lambda view: view.not_predicted + view.every_other > 0, "every case is {label}, predicted and real"
)


ANY_CASE = Requirement(lambda view: view.total + view.undecided > 0, "there are no cases")
TWO_REAL = Requirement(
    lambda view: ((view.real > 0) & (view.by_label().not_real > 0)).any(axis=-1), "only one class occurs"
)
TWO_PREDICTED = Requirement(
    lambda view: ((view.predicted > 0) & (view.by_label().not_predicted > 0)).any(axis=-1),
    "only one label was ever predicted",
)
SOME_COMMON = Requirement(
    lambda view: ((view.real > 0) & (view.predicted > 0)).any(axis=-1),
    "none of the predicted labels occurs in the truth",
)
GUESSING_ERRS = Requirement(
    lambda view: (view.predicted * view.by_label().not_real).sum(axis=-1) > 0,
    "truth and prediction have only one label, the same one",
)
ALL_PREDICTED = Requirement(
    lambda view: ((view.predicted > 0) | (view.every_real == 0)).all(axis=-1),
    "a real class was never predicted, so it has no precision",
)
SOMETHING_WON = Requirement(
    lambda view: ((view.real > 0) * view.hits * view.by_label().not_real).sum(axis=-1) > 0,
    "no bet wins anything at fair odds, so no commission is due",
)
