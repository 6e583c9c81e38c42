"""Findings about grades: the mean, guessing, pass@k and pass^k, and the sources of variance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from edgeworth.core.estimates import Estimate
from edgeworth.core.sampling_distributions import NewcombeLaw, is_significant
from edgeworth.errors import OptionError
from edgeworth.grades.estimates import estimate_grades
from edgeworth.grades.grades import Grades
from edgeworth.grades.policy import PASS_AT_K_DEPTHS


@dataclass(frozen=True)
class VarianceSplit:
    """What varies: items, and repeats of one item; ``from_repeats`` is their share in item means."""

    between: float
    within: float
    from_repeats: float


@dataclass(frozen=True)
class GradeFindings:
    """The numbers behind a report on grades: the mean, then those that need a guess rate or repeats."""

    grades: Grades
    level: float
    estimates: tuple[Estimate, ...]
    guess_rate: float | None = None
    split: VarianceSplit | None = None

    @property
    def mean(self) -> Estimate:
        """The accuracy, or the mean grade."""
        return self.estimates[0]

    @property
    def is_conclusive(self) -> bool:
        """Whether test and interval both show a difference from guessing. It is False without a rate."""
        if self.guess_rate is None or self.mean.law is None or self.mean.no_claim is not None:
            return False
        low, high = self.mean.interval(self.level)
        return is_significant(self.mean.p_value(), self.level) and not low <= self.guess_rate <= high


def describe_answers(systems: Sequence[Grades]) -> str:
    """Write how many answers the items have in each system, or nothing if no item has several.

    >>> twice = Grades.from_grades([1, 0, 1, 1], ids=["a", "a", "b", "b"])
    >>> describe_answers([twice]), describe_answers([twice, Grades.from_grades([1, 0], ids=["a", "b"])])
    ('2 answers each', '2 to 4 answers per system')
    """
    repeats = {int(number) for grades in systems for number in np.unique(grades.repeats)}
    if repeats <= {1}:
        return ""
    if len(repeats) == 1:
        return f"{repeats.pop():,} answers each"
    totals = sorted({grades.rows_counted for grades in systems})
    number = " to ".join(f"{total:,}" for total in dict.fromkeys((totals[0], totals[-1])))
    return f"{number} answers{' per system' if len(systems) > 1 else ''}"


def check_guess_rate(grades: Grades, guess_rate: float | None) -> None:
    """Raise an error if a guess rate is not a share, or if answers are not right or wrong."""
    if guess_rate is not None and not grades.is_binary:
        raise OptionError("--guess-rate needs answers that are right or wrong (--correct)")
    if guess_rate is not None and not 0 < guess_rate < 1:
        raise OptionError(
            f"a guess rate must be between 0 and 1, such as 0.25 for four options; saw {guess_rate!r}"
        )


def examine_grades(grades: Grades, *, level: float, guess_rate: float | None = None) -> GradeFindings:
    """Estimate and test everything that a report on grades needs."""
    check_guess_rate(grades, guess_rate)
    most = int(grades.repeats.min()) if grades.is_binary else 0
    depths = [*(depth for depth in PASS_AT_K_DEPTHS if depth < most), *((most,) if most > 1 else ())]
    of_tries = (f"{name}@{depth}" for name in ("pass", "pass_all") for depth in depths)
    measures = ["accuracy" if grades.is_binary else "mean", *of_tries]
    first, *rest = (estimate_grades(grades, name, guess_rate=guess_rate) for name in measures)
    corrected = () if guess_rate is None else (correct_for_guessing(first, guess_rate),)
    return GradeFindings(grades, level, (first, *corrected, *rest), guess_rate, split_variance(grades))


def correct_for_guessing(accuracy: Estimate, guess_rate: float) -> Estimate:
    """Estimate (accuracy − g)/(1 − g), the share of answers that are known and not guessed (Abbott 1925)."""
    law, scale = accuracy.law, 1 / (1 - guess_rate)
    if isinstance(law, NewcombeLaw):
        moved = replace(law.combination, constant=-guess_rate * scale, coefficients=np.array([scale]))
        law = NewcombeLaw(moved)
    value = (accuracy.value - guess_rate) * scale
    return replace(accuracy, measure="corrected_accuracy", value=value, chance=0.0, law=law)


def split_variance(grades: Grades) -> VarianceSplit | None:
    """Split the variance of item means between items and their repeats. Return None without repeats.

    It is the variance between items and, of each item, that of its repeats over their number; an item
    without repeats is taken to vary as the others do.
    """
    repeats, several = grades.repeats, grades.repeats > 1
    whole = float(grades.means.var(ddof=1)) if len(repeats) > 1 else 0.0
    if not several.any() or not whole:
        return None
    rests = np.maximum(grades.squares - grades.sums**2 / repeats, 0)
    pooled = float(rests.sum() / (repeats - 1).sum())
    within = np.where(several, rests / np.maximum(repeats - 1, 1), pooled)
    noise = float((within / repeats).mean())
    return VarianceSplit(max(whole - noise, 0.0), float(within.mean()), min(noise / whole, 1.0))
