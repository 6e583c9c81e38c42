"""Approximate randomisation made exact: swap two systems' outputs case by case, and count.

If neither system is better, who said what on a case is a matter of a coin: of all 2^D ways of swapping the
outputs of the D cases on which they disagree, how many give a difference at least as large as the observed
one? With targets and background only two numbers matter of a way: the discordant targets that fall to the
first system, X ~ Bin(n₁, ½), and the discordant background, Y ~ Bin(n₀, ½). Nothing is shuffled.

Yeh 2000, More accurate tests for the statistical significance of result differences; Noreen 1989.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.comparing.paired import Paired
from edgeworth.comparing.randomisation.many_classes import CLASS_MEASURES, ClassPair, classes_test
from edgeworth.comparing.randomisation.sign_sums import Effort
from edgeworth.comparing.randomisation.staircase import TWO_CLASS_MEASURES, Staircase, two_class_measure
from edgeworth.core.labels import canonical, list_labels
from edgeworth.core.tails import Tail
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.columns import Label


def randomisation_test(
    paired: Paired,
    first: str,
    second: str,
    measure: str,
    *,
    positive: Label | None = None,
    alpha: float = 0.5,
    draws: int = 10_000,
    seed: int = 0,
    effort: Effort = "full",
) -> Tail:
    """Test a difference by swapping outputs at random: P(one at least as large, ties included).

    With ``positive`` the measure is of that label against the rest: precision, recall, f (``alpha`` is the
    weight of recall), accuracy, informedness; always exact. Without it accuracy, balanced accuracy or
    Powers' informedness of all classes: exact or a certified bracket when the disagreements are few,
    otherwise Monte Carlo with ``draws`` and ``seed``; ``effort`` says how much is tried before.

    An abstention is an output like any other, swapped with it: it is never right, never predicts the target,
    and the case stays in every total. So recall is of all targets, and overall informedness has the
    abstentions at zero weight.

    >>> paired = Paired.from_labels([1, 1, 1, 0, 0], {"a": [1, 1, 1, 0, 0], "b": [1, 0, 0, 1, 0]})
    >>> randomisation_test(paired, "a", "b", "f", positive=1).exact
    Fraction(1, 4)
    """
    if positive is not None:
        return two_class_test(TwoClassPair.from_paired(paired, first, second, positive), measure, alpha=alpha)
    if measure in TWO_CLASS_MEASURES and measure not in CLASS_MEASURES:
        raise OptionError(f"{measure} is of one label: say which (positive=, --positive)")
    pair = ClassPair.from_paired(paired, first, second)
    return classes_test(pair, measure, draws=draws, seed=seed, effort=effort)


@dataclass(frozen=True)
class TwoClassPair:
    """Targets and background, and on how many of each both systems, or only one, predicted the target."""

    targets: int
    background: int
    both_hit: int
    only_first_hit: int
    only_second_hit: int
    both_alarm: int
    only_first_alarm: int
    only_second_alarm: int

    def __post_init__(self) -> None:
        counts = {field.name: getattr(self, field.name) for field in fields(self)}
        for name, count in counts.items():
            if isinstance(count, bool) or not isinstance(count, int) or count < 0:
                raise InputError(f"{name} is a whole number of cases of at least 0; saw {count!r}")
        for kind, inside in (("targets", "hit"), ("background", "alarm")):
            predicted = sum(count for name, count in counts.items() if name.endswith(inside))
            if predicted > counts[kind]:
                raise InputError(f"{predicted:,} of {counts[kind]:,} {kind} were predicted to be the target")

    @classmethod
    def from_paired(cls, paired: Paired, first: str, second: str, positive: Label) -> Self:
        """One label against the rest; an abstention is not a prediction of the target."""
        pair = ClassPair.from_paired(paired, first, second)
        labels = paired.joint.labels[paired.joint.domains[0]]
        if canonical(positive) not in labels:
            raise InputError(f"there is no label {positive!r}; there are {list_labels(labels)}")
        target = 1 + labels.index(canonical(positive))
        real, one, two = pair.truth == target, pair.first == target, pair.second == target

        def total(where: NDArray[np.bool_]) -> int:
            return int(pair.counts[where].sum())

        every = [total(kind & said) for kind in (real, ~real) for said in (one & two, one & ~two, ~one & two)]
        return cls(total(real), total(~real), *every)

    @property
    def disagreements(self) -> int:
        """Cases on which only one of the systems predicted the target."""
        return self.only_first_hit + self.only_second_hit + self.only_first_alarm + self.only_second_alarm


def two_class_test(pair: TwoClassPair, measure: str, *, alpha: float | Fraction = 0.5) -> Tail:
    """Test one label against the rest by Yeh's randomisation, exact for any number of cases.

    >>> two_class_test(TwoClassPair(50, 50, 30, 8, 2, 10, 1, 4), "informedness").p_value
    0.03515625
    """
    judged = two_class_measure(measure, pair.targets, pair.background, alpha)
    gap = judged.gap(
        pair.both_hit + pair.only_first_hit,
        pair.both_alarm + pair.only_first_alarm,
        pair.both_hit + pair.only_second_hit,
        pair.both_alarm + pair.only_second_alarm,
    )
    hits = pair.only_first_hit + pair.only_second_hit
    alarms = pair.only_first_alarm + pair.only_second_alarm
    said = f"all swaps of {pair.disagreements:,} disagreements"
    return Staircase(judged, pair.both_hit, pair.both_alarm, hits, alarms).two_sided(gap, said)
