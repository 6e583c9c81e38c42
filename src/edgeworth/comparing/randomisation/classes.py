"""Approximate randomisation made exact: swap two systems' outputs case by case, and count.

If neither system is better, who said what on a case is a matter of a coin: of all 2^D ways of swapping the
outputs of the D cases on which they disagree, how many give a difference at least as large as the observed
one? With targets and background only two numbers matter of a way: the discordant targets that fall to the
first system, X ~ Bin(n₁, ½), and the discordant background, Y ~ Bin(n₀, ½). Nothing is shuffled.
Yeh 2000, More accurate tests for the statistical significance of result differences; Noreen 1989.

Over all classes accuracy and balanced accuracy are sums over cases. Powers' informedness is not: it weighs a
label's edge by how often the label is predicted, a product of two things a swap changes,
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
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from edgeworth.arrays import Integers
from edgeworth.comparing.paired import Paired
from edgeworth.comparing.randomisation.coins import (
    FEW,
    NEGLIGIBLE,
    QUICK,
    from_logarithm,
    likely_heads,
    log_probabilities,
    ways,
)
from edgeworth.comparing.randomisation.sign_sums import Effort, sign_sum_tail
from edgeworth.comparing.randomisation.staircase import (
    TWO_CLASS_MEASURES,
    UNCLEAR,
    Quotient,
    Staircase,
    two_class_measure,
)
from edgeworth.core.labels import canonical, list_labels
from edgeworth.core.tails import Tail
from edgeworth.errors import InputError, OptionError
from edgeworth.sources.columns import Label

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


MOST_CELLS = 1 << 20
"""Pairs (x, y) that are counted in whole numbers; more are summed in floating point, in blocks of as many."""

MOST_SUMMED = 1 << 23
"""Pairs beyond which the normal law says as much."""


def studentised_test(pair: TwoClassPair, measure: str, *, alpha: float | Fraction = 0.5) -> Tail:
    """Test precision or F of one label by how many standard errors they are apart, outputs being swapped.

    Swapping tests whether the systems are interchangeable. Equal precisions of systems that predict a label
    more and less often are not enough for that, but in standard errors the swaps have the same law (Janssen
    1997; Chung & Romano 2013). The variance is Σ (c − c')² over cases, c = (hit − m · share)/b being a case's
    part in value h/b, where m is the value of both together, which swaps leave as it is (the score test of
    Leisenring, Alonzo & Pepe 2000 and Kosinski 2013). Squares are compared as whole numbers.

    >>> studentised_test(TwoClassPair(50, 50, 30, 8, 2, 10, 1, 4), "precision").exact
    Fraction(459, 8192)
    """
    judged = two_class_measure(measure, pair.targets, pair.background, alpha)
    assert isinstance(judged, Quotient)
    hits, alarms = pair.only_first_hit + pair.only_second_hit, pair.only_first_alarm + pair.only_second_alarm
    said = f"all swaps of {pair.disagreements:,} disagreements, differences in standard errors"
    gap, spread = _score_parts(pair, judged, pair.only_first_hit, pair.only_first_alarm)
    if gap == 0:
        return Tail.counted(Fraction(1), said)

    def is_beyond(x: Integers, y: Integers) -> NDArray[np.bool_]:
        gaps, spreads = _score_parts(pair, judged, x[:, None].astype(float), y[None, :].astype(float))
        left, right = gaps**2 * float(spread), float(gap) ** 2 * spreads
        result = np.asarray(left >= right)
        for i, j in np.argwhere(np.abs(left - right) <= UNCLEAR * (left + right)):
            exact_gap, exact_spread = _score_parts(pair, judged, int(x[i]), int(y[j]))
            result[i, j] = exact_gap**2 * spread >= gap**2 * exact_spread
        return result

    if hits + alarms <= FEW and (hits + 1) * (alarms + 1) <= MOST_CELLS:
        beyond = is_beyond(np.arange(hits + 1), np.arange(alarms + 1))
        rows = np.array(ways(alarms), dtype=object) @ beyond.T.astype(object)
        return Tail.counted(
            Fraction(int(rows @ np.array(ways(hits), dtype=object)), 1 << (hits + alarms)), said
        )
    for negligible in (QUICK, NEGLIGIBLE):
        x, y = likely_heads(hits, negligible), likely_heads(alarms, negligible)
        if len(x) * len(y) > MOST_SUMMED:
            break
        weights, step = np.exp(log_probabilities(alarms, y)), max(1, MOST_CELLS // len(y))
        blocks = (x[start : start + step] for start in range(0, len(x), step))
        found = sum(float(np.exp(log_probabilities(hits, b)) @ (is_beyond(b, y) @ weights)) for b in blocks)
        if found > math.exp(-negligible / 2):
            return from_logarithm(math.log(found), said)
    root = abs(gap) / math.sqrt(spread)
    return Tail.approximated(math.erfc(root / math.sqrt(2)), 0.0, "normal law of the score test")


def _score_parts(pair: TwoClassPair, judged: Quotient, x: Any, y: Any) -> tuple[Any, Any]:
    """Compute the difference, and its variance, times factors that make them whole numbers."""
    hits, alarms = pair.only_first_hit + pair.only_second_hit, pair.only_first_alarm + pair.only_second_alarm
    mine, its = pair.both_hit + x, pair.both_hit + hits - x
    one = judged.bottom(mine, pair.both_alarm + y)
    two = judged.bottom(its, pair.both_alarm + alarms - y)
    top, bottom = (
        2 * pair.both_hit + hits,
        2 * judged.fixed + judged.slope * (2 * (pair.both_hit + pair.both_alarm) + hits + alarms),
    )
    each = judged.fixed // pair.targets if pair.targets else 0
    hit, miss, alarm = bottom - top * (each + judged.slope), -top * each, -top * judged.slope
    parts = (
        (pair.both_hit, hit, hit),
        (x, hit, miss),
        (hits - x, miss, hit),
        (pair.targets - pair.both_hit - hits, miss, miss),
        (pair.both_alarm, alarm, alarm),
        (y, alarm, 0),
        (alarms - y, 0, alarm),
    )
    spread = sum(count * (first * two - second * one) ** 2 for count, first, second in parts)
    return bottom * (mine * two - its * one), spread


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
