"""Measures of grades: each is a mean over items of a value that an item's repeats give."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from edgeworth.arrays import Floats, Integers
from edgeworth.core.measures import Measure, Option, Requirement, Spelling, measure_family
from edgeworth.core.registry import measures_by_name, spell, unknown
from edgeworth.errors import OptionError
from edgeworth.grades.grades import Grades

CATALOGUE = "edgeworth.grades.measures:MEASURES"
BINARY = Requirement(lambda grades: grades.is_binary, "grades are not all 0 or 1: use mean")

_of_grades = measure_family(
    scope="grades", kind="grades", chance="the guess rate", direction="higher", source="", low=0.0, high=1.0
)


def item_means(grades: Grades, depth: int | None) -> Floats:
    """Give the mean of each item's repeats."""
    del depth
    return grades.means


def pass_at(grades: Grades, depth: int | None) -> Floats:
    """Compute 1 − C(n − c, k)/C(n, k) of each item with c of n repeats right; nan with fewer than k.

    >>> pass_at(Grades.from_grades([1] * 3 + [0] * 7, ids=["a"] * 10), 5).round(6).tolist()
    [0.916667]
    """
    tries, right, drawn = grades.repeats, grades.sums, depth or 1
    missed = np.ones(len(tries))
    for place in range(min(drawn, int(tries.max(initial=0)))):
        missed *= np.maximum(tries - right - place, 0) / np.maximum(tries - place, 1)
    return np.where(tries >= drawn, 1 - missed, np.nan)


def corrected(grades: Grades, depth: int | None, guess_rate: float) -> Floats:
    """Correct each item's mean for guessing: (mean − g)/(1 − g)."""
    return (item_means(grades, depth) - guess_rate) / (1 - guess_rate)


MEAN = _of_grades(
    "mean",
    "Σ_i (Σ_j x_ij / k_i) / I",
    item_means,
    "mean grade, average grade",
    low=-np.inf,
    high=np.inf,
    chance="none",
    title="mean grade",
)
ACCURACY = _of_grades(
    "accuracy",
    "Σ_i (right_i / k_i) / I",
    item_means,
    "share correct, exact match, pass rate, solve rate",
    needs=(BINARY,),
)
PASS = _of_grades(
    "pass",
    "Σ_i [1 − C(k_i − right_i, k)/C(k_i, k)] / I",
    pass_at,
    "pass at k",
    needs=(BINARY,),
    depth="required",
    chance="1 − (1 − g)^k",
    source="Chen et al. 2021, Evaluating Large Language Models Trained on Code",
)
CORRECTED = _of_grades(
    "corrected_accuracy",
    "(accuracy − g)/(1 − g)",
    corrected,
    "Abbott's formula, correction for guessing, knowledge rate",
    needs=(BINARY,),
    low=-np.inf,
    chance="0",
    options={"guess_rate": Option(0.0, low=0.0, high=0.999)},
    title="accuracy corrected for guessing",
)
MEASURES = (MEAN, ACCURACY, PASS, CORRECTED)


@dataclass(frozen=True, eq=False)
class ItemValues:
    """The value of a measure in each item that has one, and what a mean over items needs."""

    measure: Measure
    spelling: str
    grades: Grades
    values: Floats
    """A value for each entry of the tally; nan where an item has none."""
    bounds: tuple[float, float]
    undefined: str | None = None

    @property
    def is_valued(self) -> Floats:
        """Tell which entries have a value."""
        return np.asarray(~np.isnan(self.values))

    @property
    def items(self) -> Integers:
        """Count the items of each entry that has a value."""
        return np.where(self.is_valued, self.grades.items, 0)

    @property
    def mean(self) -> float:
        """Take the mean over items."""
        known = self.is_valued
        return float(self.values[known] @ self.grades.items[known] / self.items.sum())


def resolve_grades(grades: Grades, measure: str | Measure) -> ItemValues:
    """Find the measure that a spelling means, and its value in each item."""
    known = measures_by_name(CATALOGUE, "grades")
    spelt = Spelling(measure.name) if isinstance(measure, Measure) else spell(measure, CATALOGUE)
    if spelt.name not in known:
        raise unknown(spelt.name)
    found = known[spelt.name]
    if (found.depth == "required") != (spelt.depth is not None) or spelt.label is not None:
        raise OptionError(f"write {found.spelling}, such as pass@5; saw {str(spelt)!r}")
    if spelt.depth == 0:
        raise OptionError("pass@k counts from 1; saw pass@0")
    arguments = found.arguments(spelt.options)
    bounds = (0.0, 1.0) if grades.is_binary else grades.bounds
    if found is CORRECTED:
        guess = float(arguments["guess_rate"])
        bounds = (-guess / (1 - guess), 1.0)
    undefined = next((need.otherwise for need in found.needs if not need.holds(grades)), None)
    if not grades.has_cases:
        undefined = "there are no grades"
    values = np.full(len(grades.items), np.nan)
    if undefined is None:
        compute: Callable[..., Floats] = found.compute
        values = compute(grades, spelt.depth, **arguments)
        if np.isnan(values).all():
            undefined = f"no item has {spelt.depth} repeats: name the items (id), or take a smaller k"
    return ItemValues(found, str(spelt), grades, values, bounds, undefined)


def measure_grades(grades: Grades, measure: str | Measure) -> float:
    """Compute a measure of grades; nan where it is undefined."""
    found = resolve_grades(grades, measure)
    return found.mean if found.undefined is None else np.nan


def measure_items(grades: Grades, measure: str | Measure) -> dict[str, float]:
    """Compute a measure of each item that has an id."""
    return dict(zip(grades.ids or (), resolve_grades(grades, measure).values.tolist(), strict=False))


def headline_of(grades: Grades) -> str:
    """Name the measure to go by: accuracy of right or wrong answers, else the mean grade."""
    return "accuracy" if grades.is_binary else "mean"
