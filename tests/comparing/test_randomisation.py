"""Swapping one label's outputs: every way of swapping, one by one, is the oracle."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from edgeworth.comparing.paired import Paired
from edgeworth.comparing.randomisation.classes import TwoClassPair, randomisation_test, two_class_test
from edgeworth.comparing.randomisation.coins import FEW, mcnemar
from edgeworth.comparing.randomisation.staircase import TWO_CLASS_MEASURES, Staircase, two_class_measure
from edgeworth.errors import InputError, OptionError

Cases = Sequence[tuple[object, object]]
"""Truth and output of each case; the target is 1, None is an abstention."""


def quotient(top: int, bottom: int | Fraction) -> Fraction:
    return Fraction(top) / bottom if bottom else Fraction(0)


def count(cases: Cases, real: bool, said: bool) -> int:
    return sum(((y == 1) == real) and ((k == 1) == said) for y, k in cases)


def f_with(alpha: Fraction) -> Callable[[Cases], Fraction]:
    def value(cases: Cases) -> Fraction:
        hits, misses, alarms = count(cases, True, True), count(cases, True, False), count(cases, False, True)
        return quotient(hits, alpha * (hits + misses) + (1 - alpha) * (hits + alarms))

    return value


MEASURES: dict[str, Callable[[Cases], Fraction]] = {
    "precision": lambda c: quotient(count(c, True, True), count(c, True, True) + count(c, False, True)),
    "recall": lambda c: quotient(count(c, True, True), sum(y == 1 for y, _ in c)),
    "f": f_with(Fraction(1, 2)),
    "accuracy": lambda c: quotient(count(c, True, True) + count(c, False, False), len(c)),
    "informedness": lambda c: (
        quotient(count(c, True, True), sum(y == 1 for y, _ in c))
        - quotient(count(c, False, True), sum(y != 1 for y, _ in c))
    ),
}


def brute_force(
    truth: Sequence[object],
    first: Sequence[object],
    second: Sequence[object],
    value: Callable[[Cases], Fraction],
) -> Fraction:
    """The share of all 2^n swaps with a difference at least as large as the observed one."""

    def difference(swaps: Sequence[bool]) -> Fraction:
        one = [b if swap else a for a, b, swap in zip(first, second, swaps, strict=True)]
        two = [a if swap else b for a, b, swap in zip(first, second, swaps, strict=True)]
        return value(list(zip(truth, one, strict=True))) - value(list(zip(truth, two, strict=True)))

    observed = abs(difference([False] * len(truth)))
    every = [abs(difference(swaps)) >= observed for swaps in product([False, True], repeat=len(truth))]
    return Fraction(sum(every), len(every))


def random_labels(seed: int) -> tuple[list[object], list[object], list[object]]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 10))
    outputs: list[object] = [0, 1, None] if seed % 3 == 0 else [0, 1]
    truth: list[object] = rng.integers(0, 2, n).tolist()
    truth[:2] = [0, 1]
    # Some systems hardly ever predict the target, so that 0/0 is met.
    odds = [0.9, 0.1] if seed % 4 == 1 else [0.5, 0.5]
    share = np.array(odds if len(outputs) == 2 else [*odds, 0.4])
    one, two = ([outputs[i] for i in rng.choice(len(outputs), n, p=share / share.sum())] for _ in range(2))
    return truth, one, two


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24))
def test_equals_every_swap(seed: int) -> None:
    truth, one, two = random_labels(seed)
    paired = Paired.from_labels(truth, {"one": one, "two": two}, missing="abstain")
    for measure, value in MEASURES.items():
        ours = randomisation_test(paired, "one", "two", measure, positive=1)
        assert ours.exact == brute_force(truth, one, two, value), measure
    for alpha in (Fraction(0), Fraction(3, 10), Fraction(1)):
        ours = randomisation_test(paired, "one", "two", "f", positive=1, alpha=float(alpha))
        assert ours.exact == brute_force(truth, one, two, f_with(alpha))


def grid(pair: TwoClassPair, measure: str) -> Fraction:
    """The whole grid of (X, Y), each value a Fraction."""
    values: dict[str, Callable[[int, int], Fraction]] = {
        "precision": lambda h, f: quotient(h, h + f),
        "recall": lambda h, _: quotient(h, pair.targets),
        "f": lambda h, f: quotient(2 * h, pair.targets + h + f),
        "accuracy": lambda h, f: Fraction(h - f, pair.targets + pair.background),
        "informedness": lambda h, f: quotient(h, pair.targets) - quotient(f, pair.background),
    }
    value = values[measure]
    n1, n0 = pair.only_first_hit + pair.only_second_hit, pair.only_first_alarm + pair.only_second_alarm

    def difference(x: int, y: int) -> Fraction:
        mine = value(pair.both_hit + x, pair.both_alarm + y)
        return mine - value(pair.both_hit + n1 - x, pair.both_alarm + n0 - y)

    observed = abs(difference(pair.only_first_hit, pair.only_first_alarm))
    total = sum(
        math.comb(n1, x) * math.comb(n0, y)
        for x in range(n1 + 1)
        for y in range(n0 + 1)
        if abs(difference(x, y)) >= observed
    )
    return Fraction(total, 2 ** (n1 + n0))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("measure", TWO_CLASS_MEASURES)
def test_equals_the_whole_grid(seed: int, measure: str) -> None:
    rng = np.random.default_rng(seed)
    hits, alarms = rng.integers(0, 25, 3).tolist(), rng.integers(0, 25, 3).tolist()
    if seed % 3 == 0:
        hits[0] = alarms[0] = 0
    targets, background = sum(hits) + int(rng.integers(0, 40)), sum(alarms) + int(rng.integers(0, 40))
    pair = TwoClassPair(targets, background, *hits, *alarms)
    assert two_class_test(pair, measure).exact == grid(pair, measure)


@pytest.mark.parametrize("measure", TWO_CLASS_MEASURES)
def test_floats_equal_fractions(measure: str) -> None:
    """The sum in logarithms, asked about what is small enough to be counted."""
    for pair in (
        TwoClassPair(5_000, 9_000, 3_000, 420, 380, 700, 310, 290),
        TwoClassPair(5_000, 9_000, 3_000, 600, 200, 700, 100, 500),
        TwoClassPair(5_000, 9_000, 0, 60, 1_000, 0, 1, 500),
    ):
        judged = two_class_measure(measure, pair.targets, pair.background, 0.5)
        first = (pair.both_hit + pair.only_first_hit, pair.both_alarm + pair.only_first_alarm)
        second = (pair.both_hit + pair.only_second_hit, pair.both_alarm + pair.only_second_alarm)
        deal = Staircase(
            judged,
            pair.both_hit,
            pair.both_alarm,
            pair.only_first_hit + pair.only_second_hit,
            pair.only_first_alarm + pair.only_second_alarm,
        )
        exact = two_class_test(pair, measure)
        assert exact.exact is not None
        ours = 2 * math.exp(deal.log_lead(abs(judged.gap(*first, *second))))
        assert ours == pytest.approx(float(exact.exact), rel=1e-11)


def test_large_recall_is_a_binomial() -> None:
    pair = TwoClassPair(10**7, 10**7, 10**6, 50_700, 49_300, 5, 900, 40_000)
    expected = 2 * float(binom.cdf(49_300, 100_000, 0.5))
    assert two_class_test(pair, "recall").p_value == pytest.approx(expected, rel=1e-10)
    assert pair.disagreements > FEW


def test_accuracy_is_mcnemar_at_any_size() -> None:
    for scale in (1, 10, 1_000, 100_000):
        pair = TwoClassPair(
            900 * scale, 900 * scale, 20 * scale, 9 * scale, 6 * scale, 3, 2 * scale, 4 * scale
        )
        same = mcnemar(13 * scale, 8 * scale)
        assert two_class_test(pair, "accuracy").p_value == pytest.approx(same.p_value, rel=1e-10)


def test_large_f_agrees_with_draws() -> None:
    pair = TwoClassPair(2_000_000, 8_000_000, 1_200_000, 25_200, 24_800, 300_000, 24_900, 25_100)
    rng = np.random.default_rng(5)
    draws = 200_000
    x = pair.both_hit + rng.binomial(50_000, 0.5, draws)
    y = pair.both_alarm + rng.binomial(50_000, 0.5, draws)
    ex, ey = 2 * pair.both_hit + 50_000 - x, 2 * pair.both_alarm + 50_000 - y
    gaps = np.abs(2 * x / (pair.targets + x + y) - 2 * ex / (pair.targets + ex + ey))
    one = 2 * 1_225_200 / (pair.targets + 1_225_200 + 324_900)
    two = 2 * 1_224_800 / (pair.targets + 1_224_800 + 325_100)
    share = float((gaps >= one - two - 1e-15).mean())
    ours = two_class_test(pair, "f").p_value
    assert abs(ours - share) < 4 * math.sqrt(share * (1 - share) / draws)


def test_identical_systems_differ_by_chance_alone() -> None:
    paired = Paired.from_labels([1, 0, 1, 0], {"a": [1, 0, 0, 1], "b": [1, 0, 0, 1]})
    for measure in TWO_CLASS_MEASURES:
        assert randomisation_test(paired, "a", "b", measure, positive=1).exact == 1


def test_the_order_of_the_systems_does_not_matter() -> None:
    pair = TwoClassPair(60, 60, 20, 12, 5, 4, 3, 7)
    turned = TwoClassPair(60, 60, 20, 5, 12, 4, 7, 3)
    for measure in TWO_CLASS_MEASURES:
        assert two_class_test(pair, measure).exact == two_class_test(turned, measure).exact


def test_ties_are_decided_in_whole_numbers() -> None:
    """1/3 + 1/6 against 1/2 is a tie that floats get wrong: precision 1/3 less 1/6, many times over."""
    pair = TwoClassPair(30, 300, 1, 9, 4, 2, 18, 23)
    assert two_class_test(pair, "precision").exact == grid(pair, "precision")
    assert two_class_test(pair, "informedness").exact == grid(pair, "informedness")


def test_no_targets_at_all() -> None:
    pair = TwoClassPair(0, 9, 0, 0, 0, 1, 2, 3)
    for measure in ("recall", "precision", "f", "informedness"):
        assert two_class_test(pair, measure).exact == 1
    assert two_class_test(pair, "accuracy").exact == 1


def test_what_cannot_be_is_refused() -> None:
    weighted = Paired.from_labels([1, 0, 1], {"a": [1, 0, 0], "b": [1, 1, 1]}, weights=[0.5, 1.5, 1.0])
    with pytest.raises(OptionError, match="weights that are not counts"):
        randomisation_test(weighted, "a", "b", "f", positive=1)
    paired = Paired.from_labels([1, 0, 1], {"a": [1, 0, 0], "b": [1, 1, 1]})
    with pytest.raises(OptionError, match="positive="):
        randomisation_test(paired, "a", "b", "precision")
    with pytest.raises(OptionError, match="'mcc'"):
        randomisation_test(paired, "a", "b", "mcc", positive=1)
    with pytest.raises(InputError, match="no label 7"):
        randomisation_test(paired, "a", "b", "f", positive=7)
    with pytest.raises(InputError, match="no predictor 'c'"):
        randomisation_test(paired, "a", "c", "f", positive=1)
    with pytest.raises(OptionError, match="alpha"):
        randomisation_test(paired, "a", "b", "f", positive=1, alpha=1.5)


def test_counts_as_weights_are_cases() -> None:
    one = Paired.from_labels([1, 0, 1], {"a": [1, 0, 0], "b": [0, 1, 1]}, weights=np.array([3, 2, 1]))
    many = Paired.from_labels(
        [1] * 3 + [0] * 2 + [1], {"a": [1] * 3 + [0] * 2 + [0], "b": [0] * 3 + [1] * 2 + [1]}
    )
    for measure in TWO_CLASS_MEASURES:
        ours = randomisation_test(one, "a", "b", measure, positive=1)
        assert ours.exact == randomisation_test(many, "a", "b", measure, positive=1).exact
