"""Measures of grades: each is a mean over items of a value that an item's repeats give."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.core.measures import Measure, Requirement, Spelling, measure_family
from edgeworth.core.registry import canonical_spelling, measures_by_name, unknown_measure
from edgeworth.errors import OptionError
from edgeworth.grades import guidance
from edgeworth.grades.grades import Grades
from edgeworth.grades.kind import GRADES
from edgeworth.sources.columns import Label

BINARY = Requirement(lambda grades: grades.is_binary, "grades are not all right (1) or wrong (0): use mean")

REPEATED = Requirement(
    lambda grades: bool((grades.repeats > 1).any()),
    "no item was answered twice: repeats of an item need the same id",
)

_of_grades = measure_family(
    scope="grades", kind="grades", chance="the guess rate g", direction="higher", source="", low=0, high=1
)


def item_means(grades: Grades, _depth: int) -> Floats:
    """Return the mean of each item's repeats."""
    return grades.means


def pass_at(grades: Grades, depth: int) -> Floats:
    """Compute 1 − C(n − c, k)/C(n, k) of each item with c of n repeats right; nan with fewer than k.

    >>> pass_at(Grades.from_grades([1] * 3 + [0] * 7, ids=["a"] * 10), 5).round(6).tolist()
    [0.916667]
    """
    tries, right = grades.repeats, grades.sums
    missed = np.ones(len(tries))
    for draw in range(min(depth, int(tries.max()))):
        missed *= np.maximum(tries - right - draw, 0) / np.maximum(tries - draw, 1)
    return np.where(tries >= depth, 1 - missed, np.nan)


def pass_all(grades: Grades, depth: int) -> Floats:
    """Compute C(c, k)/C(n, k) of each item with c of n repeats right: the chance that k tries are all right.

    >>> pass_all(Grades.from_grades([1] * 6 + [0] * 4, ids=["a"] * 10), 2).round(6).tolist()
    [0.333333]
    """
    tries, right = grades.repeats, grades.sums
    probability = np.ones(len(tries))
    for draw in range(min(depth, int(tries.max()))):
        probability *= np.maximum(right - draw, 0) / np.maximum(tries - draw, 1)
    return np.where(tries >= depth, probability, np.nan)


def flip_rate(grades: Grades, _depth: int) -> Floats:
    """Compute 2c(n − c)/(n(n − 1)) of each item with c of n repeats right: how often two repeats differ.

    >>> flip_rate(Grades.from_grades([1, 1, 0], ids=["a"] * 3), 1).round(6).tolist()
    [0.666667]
    """
    tries, right = grades.repeats, grades.sums
    return np.where(tries > 1, 2 * right * (tries - right) / np.maximum(tries * (tries - 1), 1), np.nan)


MEASURES = (
    _of_grades(
        "mean",
        "Σ_i (Σ_j x_ij / k_i) / I",
        item_means,
        "average grade, mean score",
        low=-np.inf,
        high=np.inf,
        chance="none",
        title="mean grade",
        is_mean_of_grades=True,
        guidance=guidance.MEAN,
    ),
    _of_grades(
        "accuracy",
        "Σ_i (right_i / k_i) / I",
        item_means,
        "acc, share correct, exact match, solve rate",
        needs=(BINARY,),
        is_share_of_right_answers=True,
        guidance=guidance.ACCURACY,
    ),
    _of_grades(
        "pass",
        "Σ_i [1 − C(k_i − right_i, k)/C(k_i, k)] / I",
        pass_at,
        needs=(BINARY,),
        depth="required",
        is_share_of_right_answers=True,
        chance="1 − (1 − g)^k",
        source="Chen et al. 2021, Evaluating Large Language Models Trained on Code",
        guidance=guidance.PASS,
    ),
    _of_grades(
        "pass_all",
        "Σ_i C(right_i, k)/C(k_i, k) / I",
        pass_all,
        "pass^k, pass hat k, reliability over k tries",
        needs=(BINARY,),
        depth="required",
        chance="g^k",
        guidance=guidance.PASS_ALL,
        source="Yao et al. 2024, τ-bench: A Benchmark for Tool-Agent-User Interaction in Real-World Domains",
    ),
    _of_grades(
        "flip_rate",
        "Σ_i 2 right_i (k_i − right_i)/(k_i (k_i − 1)) / I",
        flip_rate,
        "flip rate, rerun disagreement",
        needs=(BINARY, REPEATED),
        direction="lower",
        chance="2 g (1 − g)",
    ),
)


@dataclass(frozen=True, eq=False)
class ItemValues:
    """The value of a measure in each entry of a tally, nan where an item has none."""

    measure: Measure
    spelling: str
    depth: int
    grades: Grades
    values: Floats
    undefined: str | None = None

    def level_of_guesses(self, guess_rate: float) -> float:
        """Compute the expected value if every try is a guess that is right at this rate."""
        if self.measure.compute is pass_all:
            return float(guess_rate**self.depth)
        if self.measure.compute is flip_rate:
            return 2 * guess_rate * (1 - guess_rate)
        return float(1 - (1 - guess_rate) ** self.depth)

    @property
    def mean(self) -> float:
        """Take the mean over items that have a value."""
        known = ~np.isnan(self.values)
        items = self.grades.items[known]
        return float(self.values[known] @ items / items.sum()) if known.any() else np.nan


def resolve_grades(grades: Grades, measure: str | Measure) -> ItemValues:
    """Find the measure that a spelling means, and its value in each item."""
    catalogue = measures_by_name(GRADES, "grades")
    spelling = Spelling(measure.name) if isinstance(measure, Measure) else canonical_spelling(measure, GRADES)
    if spelling.name not in catalogue:
        raise unknown_measure(spelling.name)
    entry, depth = catalogue[spelling.name], spelling.depth or 1
    entry.arguments(spelling.options)
    if (
        (entry.depth == "required") != (spelling.depth is not None)
        or spelling.label is not None
        or spelling.depth == 0
    ):
        raise OptionError(f"write {entry.spelling}, as in accuracy or pass@5; saw {str(spelling)!r}")
    undefined = next((need.otherwise for need in entry.needs if not need.holds(grades)), None)
    undefined = undefined if grades.has_cases else "there are no grades"
    values = np.full(len(grades.items), np.nan) if undefined else np.asarray(entry.compute(grades, depth))
    if undefined is None and np.isnan(values).all():
        undefined = f"no item has {depth} repeats: pass --id to name the items, or choose a smaller k"
    return ItemValues(entry, str(spelling), depth, grades, values, undefined)


def measure_grades(grades: Grades, measure: str | Measure) -> float:
    """Compute a measure of grades; nan if it is undefined."""
    return resolve_grades(grades, measure).mean


def measure_items(grades: Grades, measure: str | Measure) -> dict[Label, float]:
    """Compute a measure of each item that has an id."""
    return dict(zip(grades.ids or (), resolve_grades(grades, measure).values.tolist(), strict=False))
