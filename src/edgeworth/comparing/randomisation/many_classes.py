"""Randomisation of measures of all classes: differences that are sums over the cases that disagree.

Accuracy and balanced accuracy are sums over cases. Powers' informedness is not: it weighs a label's edge by
how often the label is predicted, a product of two things a swap changes,
``B = (1/N) Σ_l P_l (N h_l − R_l P_l) / (R_l (N − R_l))`` with h hits, P predictions and R real cases. But
swapping leaves both systems' hits H = h + h' and predictions T = P + P' together as they are, and a
difference of squares is a sum times a difference:
``B − B' = Σ_l [T_l (h_l − h'_l) + (H_l − 2 R_l T_l/N) (P_l − P'_l)] / (2 R_l (N − R_l))``.
So an output k on a case of class y is worth a fixed amount whichever system gives it, and the difference is
a sum of whole numbers (in a common unit) with random signs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np

from edgeworth.arrays import Integers
from edgeworth.comparing.paired import Paired
from edgeworth.comparing.randomisation.sign_sums import Effort, sign_sum_tail
from edgeworth.core.labels import list_labels
from edgeworth.core.tails import Tail
from edgeworth.errors import InputError, OptionError

CLASS_MEASURES = ("accuracy", "informedness", "balanced_accuracy")


@dataclass(frozen=True, eq=False)
class ClassPair:
    """How often each combination of a real class and two systems' outputs occurred.

    Classes are numbered from 1; an output of 0 is an abstention.
    """

    truth: Integers
    first: Integers
    second: Integers
    counts: Integers

    @classmethod
    def from_paired(cls, paired: Paired, first: str, second: str) -> Self:
        """Two of the systems of a tally."""
        if paired.joint.square is not None:
            raise OptionError(
                "randomisation swaps whole cases, and these have weights that are not counts; "
                'say weight_kind="counts" if they are, or use the bootstrap'
            )
        for name in (first, second):
            if name not in paired.names:
                raise InputError(f"there is no predictor {name!r}; there are {list_labels(paired.names)}")
        keys = paired.joint.keys.astype(np.int64)
        one, two = (keys[:, 1 + paired.names.index(name)] for name in (first, second))
        return cls(keys[:, 0], one, two, paired.joint.weight.astype(np.int64))


def classes_test(
    pair: ClassPair, measure: str, *, draws: int = 10_000, seed: int = 0, effort: Effort = "full"
) -> Tail:
    """Test a measure of all classes by Yeh's randomisation; an abstention earns nothing.

    >>> from edgeworth.comparing.paired import Paired
    >>> truth, one, two = [1, 1, 2, 2, 3, 3], [1, 1, 2, 2, 3, 3], [1, 2, 2, 3, 3, 1]
    >>> pair = ClassPair.from_paired(Paired.from_labels(truth, {"a": one, "b": two}), "a", "b")
    >>> classes_test(pair, "informedness").exact
    Fraction(1, 4)
    """
    differ = pair.first != pair.second
    keys = zip(*(column[differ].tolist() for column in (pair.truth, pair.first, pair.second)), strict=True)
    by_output, by_hit = ([0, *values] for values in worths(measure, *_margins(pair)))
    amounts: Counter[int] = Counter()
    observed = 0
    for (truth, first, second), count in zip(keys, pair.counts[differ].tolist(), strict=True):
        amount = by_output[first] - by_output[second]
        amount += by_hit[first] * (first == truth) - by_hit[second] * (second == truth)
        amounts[abs(amount)] += count
        observed += amount * count
    return sign_sum_tail(
        amounts, observed, draws=draws, seed=seed, different=_different_sums(pair), effort=effort
    )


def _different_sums(pair: ClassPair) -> float:
    """Bound the different sums: of a real class, by how often all outputs but one fell to the first."""
    differ = pair.first != pair.second
    bound = 1.0
    for truth in np.unique(pair.truth[differ]):
        here = differ & (pair.truth == truth)
        met = np.concatenate([pair.first[here], pair.second[here]])
        times = np.bincount(met, weights=np.concatenate([pair.counts[here]] * 2))
        bound *= float(np.prod(np.sort(times[times > 0])[:-1] + 1))
    return bound


def worths(
    measure: str, real: Sequence[int], hits: Sequence[int], predicted: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Find what an output of each label is worth, and what more when right, in whole numbers of one unit.

    ``hits`` and ``predicted`` are of both systems together.
    """
    if measure not in CLASS_MEASURES:
        raise OptionError(
            f"there is no randomisation test of {measure!r} over all classes; there is one of "
            + ", ".join(CLASS_MEASURES)
        )
    cases = sum(real)
    every = [_worth(measure, cases, *label) for label in zip(real, hits, predicted, strict=True)]
    unit = math.lcm(*(part.denominator for parts in every for part in parts))
    return [int(output * unit) for output, _ in every], [int(right * unit) for _, right in every]


def _margins(pair: ClassPair) -> tuple[list[int], list[int], list[int]]:
    """Count real cases, and both systems' hits and predictions, of each label."""
    labels = int(max(column.max(initial=0) for column in (pair.truth, pair.first, pair.second)))
    real, hits, predicted = np.zeros((3, labels + 1), dtype=np.int64)
    np.add.at(real, pair.truth, pair.counts)
    for output in (pair.first, pair.second):
        right = output == pair.truth
        np.add.at(hits, output[right], pair.counts[right])
        np.add.at(predicted, output, pair.counts)
    return real[1:].tolist(), hits[1:].tolist(), predicted[1:].tolist()


def _worth(measure: str, cases: int, real: int, hits: int, predicted: int) -> tuple[Fraction, Fraction]:
    """One label's; one that is never or always real has no fair odds, and earns nothing."""
    if measure == "accuracy":
        return Fraction(0), Fraction(1)
    if measure == "balanced_accuracy":
        return Fraction(0), Fraction(1, real) if real else Fraction(0)
    if not 0 < real < cases:
        return Fraction(0), Fraction(0)
    odds = 2 * real * (cases - real)
    return Fraction(cases * hits - 2 * real * predicted, cases * odds), Fraction(predicted, odds)
