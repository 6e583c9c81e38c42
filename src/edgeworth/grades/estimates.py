"""Estimates of grades: means over items with intervals, and the test against a guess rate."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from edgeworth.arrays import Floats
from edgeworth.core.clusters import ClusterSpread, shown_freedom, spread_of_ratios
from edgeworth.core.estimates import Estimate, undefined_estimate
from edgeworth.core.laws import (
    Alternative,
    ClopperPearsonLaw,
    ClusterLaw,
    NewcombeLaw,
    NormalLaw,
    SamplingLaw,
    Scale,
)
from edgeworth.core.measures import Combination, Measure
from edgeworth.core.tails import Tail
from edgeworth.errors import OptionError
from edgeworth.grades.grades import Grades
from edgeworth.grades.measures import ItemValues, resolve_grades

NO_SPREAD = 1e-24
"""A variance, relative to the square of the range or of the mean, below which items are all the same."""


@dataclass(frozen=True)
class ItemMean:
    """The interval of a mean over items: items, or clusters of them, are what varies."""

    words: str = "Student's t over items"

    def law(self, tally: Any, resolved: Any) -> SamplingLaw:  # noqa: ARG002  # one signature for all
        """Make the law of the mean."""
        return law_of_mean(resolved)[1]

    def __str__(self) -> str:
        return self.words


def law_of_mean(found: ItemValues) -> tuple[str, SamplingLaw]:
    """Choose the law of a mean over items, and name it.

    Right or wrong answers have Wilson's. Where grades are bounded, Wilson's is taken at as many independent
    right or wrong answers as have the variance that items, or clusters of them, show; else Student's t.
    """
    kept = found.is_valued
    values, items = found.values[kept], found.items[kept]
    clusters = None if found.grades.clusters is None else found.grades.clusters[kept]
    (low, high), number = found.bounds, float(items.sum())
    alone = _spread_of_items(values, items)
    spread = alone if clusters is None else _spread_of_clusters(values, items, clusters)
    over = "items" if clusters is None else "clusters (CR2)"
    if not math.isfinite(high - low):
        if not spread.variance > NO_SPREAD * max(found.mean**2, 1e-300):
            raise OptionError(f"the mean is the same in all {over}, so nothing tells how much it varies")
        make = NormalLaw if clusters is None else ClusterLaw
        error = math.sqrt(spread.variance)
        return f"Student's t over {over}", make(found.mean, error, Scale("identity"), spread.least)
    width = high - low
    share = min(max((found.mean - low) / width, 0.0), 1.0)
    is_all_or_nothing = bool(((values == low) | (values == high)).all())
    known = spread.variance > NO_SPREAD * width**2 and 0 < share < 1
    most = number if is_all_or_nothing else _trials(share, width, alone, number)
    left = _trials(share, width, spread, spread.effective) if known else spread.effective
    left = float(np.clip(left, spread.effective, max(most, spread.effective)))
    is_plain = clusters is None and is_all_or_nothing
    one = np.ones(1)
    combination = Combination(
        low,
        width * one,
        share * left * one,
        left * one,
        fewest=spread.effective * one,
        freedoms=None if is_plain else spread.least * one,
        freedom=math.inf if clusters is None or spread.effective == number else spread.freedom,
    )
    words = "Wilson" if is_plain else f"Wilson at the variance between {over}"
    return words, NewcombeLaw(combination)


def _trials(share: float, width: float, spread: ClusterSpread, otherwise: float) -> float:
    """Count the right or wrong answers whose share has that variance."""
    return share * (1 - share) * width**2 / spread.variance if spread.variance > 0 else otherwise


def _spread_of_items(values: Floats, items: Any) -> ClusterSpread:
    number = float(items.sum())
    rests = values - values @ items / number
    variance = float(items @ rests**2) / (number * (number - 1)) if number > 1 else math.nan
    return ClusterSpread(variance, number - 1, number, shown_freedom(rests, items))


def _spread_of_clusters(values: Floats, items: Any, clusters: Any) -> ClusterSpread:
    rests = values - values @ items / items.sum()
    present, places = np.unique(clusters, return_inverse=True)
    if len(present) < 2:
        raise OptionError("all items are in one cluster: nothing tells how much clusters vary")
    sums, sizes = (np.bincount(places, weights=each).astype(np.float64) for each in (items * rests, items))
    return spread_of_ratios(sums, sizes)


def estimate_grades(
    tally: Grades,
    measure: str | Measure,
    *,
    method: Any = None,
    seed: int = 0,
    guess_rate: float | None = None,
) -> Estimate:
    """Estimate a measure of grades with its uncertainty, and test it against a guess rate."""
    del seed
    if method is not None and not isinstance(method, ItemMean):
        raise OptionError(f"{method} does not apply to grades, whose intervals are over items")
    found = resolve_grades(tally, measure)
    number = float(found.items.sum())
    if found.undefined is not None:
        return undefined_estimate(tally, found.spelling, found.undefined, number)
    try:
        words, law = law_of_mean(found)
        reason = None
    except OptionError as error:
        words, law, reason = "", None, str(error)
    chance = _chance(found, guess_rate)
    is_exact = words == "Wilson" and found.measure.name in ("accuracy", "mean") and not math.isnan(chance)
    right = round(found.mean * number)
    return Estimate(
        found.spelling,
        found.mean,
        chance,
        ItemMean(words) if words else None,
        None,
        reason,
        tally,
        law,
        chance_test=partial(_binomial, right, number, chance) if is_exact else lambda _: None,
        size=number,
    )


def _chance(found: ItemValues, guess_rate: float | None) -> float:
    """Give the value that guessing has."""
    if found.measure.name == "corrected_accuracy":
        return 0.0
    if guess_rate is None or not found.grades.is_binary:
        return math.nan
    # Of many ids of pass@k one guesses k times.
    depth = int(found.spelling.partition("@")[2] or 1)
    return float(1 - (1 - guess_rate) ** depth)


def _binomial(right: int, number: float, chance: float, alternative: Alternative) -> Tail:
    """Compute the exact binomial tail of so many right answers by guessing."""
    p_value = ClopperPearsonLaw(right, number).p_value(chance, alternative)
    return Tail(p_value, p_value, p_value, "exact binomial test", kind="exact")
