"""Everything worth saying about grades: the mean, guessing, pass@k, and what varies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edgeworth.core.estimates import Estimate, Plan
from edgeworth.core.laws import check_level
from edgeworth.core.tails import Tail
from edgeworth.errors import OptionError
from edgeworth.grades.estimates import estimate_grades
from edgeworth.grades.grades import Grades
from edgeworth.grades.measures import headline_of

TRIES = (2, 3, 5, 10, 20, 50, 100)
"""Numbers of tries for which pass@k is shown, as far as items have them."""


@dataclass(frozen=True)
class VarianceSplit:
    """What varies: items, and repeats of one item; ``from_repeats`` is their share in the mean's variance."""

    between: float
    within: float
    from_repeats: float


@dataclass(frozen=True)
class GradeFindings:
    """What was found about grades."""

    grades: Grades
    level: float
    mean: Estimate
    guess_rate: float | None = None
    corrected: Estimate | None = None
    passes: tuple[Estimate, ...] = ()
    split: VarianceSplit | None = None

    @property
    def estimates(self) -> tuple[Estimate, ...]:
        """List every estimate, the primary one first."""
        return (self.mean, *(() if self.corrected is None else (self.corrected,)), *self.passes)

    @property
    def tail(self) -> Tail | None:
        """Find the exact chance of doing as well by guessing, or as badly where it did worse."""
        return self.mean.chance_tail("greater" if self.mean.value >= self.mean.chance else "less")

    @property
    def is_conclusive(self) -> bool:
        """Tell whether test and interval both show a difference from guessing; without a rate nothing is."""
        if self.guess_rate is None or self.mean.law is None or self.mean.doubt is not None:
            return False
        low, high = self.mean.interval(self.level)
        return self.mean.p_value() < round(1 - self.level, 12) and not low <= self.guess_rate <= high

    @property
    def plan(self) -> Plan | None:
        """Plan for items that would tell the mean from guessing."""
        return None if self.guess_rate is None else self.mean.cases_needed(level=self.level)


def examine_grades(grades: Grades, *, level: float = 0.95, guess_rate: float | None = None) -> GradeFindings:
    """Find everything worth saying about grades."""
    check_level(level)
    if guess_rate is not None:
        if not grades.is_binary:
            raise OptionError("a guess rate is for answers that are right or wrong (--correct)")
        if not 0 < guess_rate < 1:
            raise OptionError(f"a guess rate lies between 0 and 1, 0.25 of four options; saw {guess_rate!r}")
    most = int(grades.repeats.min()) if grades.is_binary else 0
    depths = [*(depth for depth in TRIES if depth < most), *((most,) if most > 1 else ())]
    spelt = None if guess_rate is None else f"corrected_accuracy(guess_rate={guess_rate!r})"
    return GradeFindings(
        grades,
        level,
        estimate_grades(grades, headline_of(grades), guess_rate=guess_rate),
        guess_rate,
        None if spelt is None else estimate_grades(grades, spelt),
        tuple(estimate_grades(grades, f"pass@{depth}", guess_rate=guess_rate) for depth in depths),
        split_variance(grades),
    )


def split_variance(grades: Grades) -> VarianceSplit | None:
    """Split the variance of the mean into what items and what repeats add; None without repeats.

    The variance of item means is that between items and, of each item, that of its repeats over their
    number; an item without repeats is taken to vary as the others do.
    """
    repeats, means = grades.repeats, grades.means
    several = repeats > 1
    if not several.any() or grades.number < 2:
        return None
    spare = np.maximum(repeats - 1, 1)
    rests = np.maximum(grades.squares - grades.sums**2 / repeats, 0)
    pooled = float(rests[several].sum() / (repeats[several] - 1).sum())
    within = np.where(several, rests / spare, pooled)
    noise = float((within / repeats).mean())
    whole = float(means.var(ddof=1))
    return VarianceSplit(
        max(whole - noise, 0.0), float(within.mean()), min(noise / whole, 1.0) if whole else 0.0
    )
