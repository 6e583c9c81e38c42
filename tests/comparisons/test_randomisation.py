"""Swapping one label's outputs: every way of swapping, one by one, is the oracle."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from edgeworth.comparisons.labels.joint_cells import joint_cells, one_vs_rest
from edgeworth.comparisons.labels.randomization import randomisation_test
from edgeworth.comparisons.paired import Paired
from edgeworth.comparisons.randomization import sign_sums
from edgeworth.comparisons.randomization.coins import mcnemar
from edgeworth.comparisons.randomization.sign_sums import sign_sum_tail
from edgeworth.core.test_results import TestResult
from edgeworth.decisions.views import resolve

Cases = Sequence[tuple[object, object]]
"""Truth and output of each case; the target is 1, None is an abstention."""


def quotient(top: int, bottom: int | Fraction) -> Fraction:
    return Fraction(top) / bottom if bottom else Fraction(0)


def count(cases: Cases, real: bool, message: bool) -> int:
    return sum(((y == 1) == real) and ((k == 1) == message) for y, k in cases)


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


def swap(paired: Paired, measure: str) -> TestResult:
    """Swap outputs, and judge label 1."""
    cells = joint_cells(paired, "one", "two")
    name, *options = measure.split("(")
    name = f"{'label_accuracy' if name == 'accuracy' else name}[1]{'(' + options[0] if options else ''}"
    return randomisation_test(*one_vs_rest(cells, resolve(cells.tables[0], name)))


@pytest.mark.parametrize("seed", range(9))
def test_equals_every_swap(seed: int) -> None:
    truth, one, two = random_labels(seed)
    paired = Paired.from_labels(truth, {"one": one, "two": two}, missing="abstain")
    for measure, value in MEASURES.items():
        # Of cases that were all decided; otherwise swapping changes which are.
        if None not in (*one, *two) or measure not in ("accuracy", "informedness"):
            assert swap(paired, measure).exact == brute_force(truth, one, two, value), measure
    for alpha in (Fraction(0), Fraction(3, 10), Fraction(1)):
        assert swap(paired, f"f(alpha={float(alpha)})").exact == brute_force(truth, one, two, f_with(alpha))


def test_a_large_sum_is_a_binomial_or_two() -> None:
    expected = 2 * float(binom.cdf(49_300, 100_000, 0.5))
    assert sign_sum_tail({7: 100_000}, 7 * 1_400).p_value == pytest.approx(expected, rel=1e-10)
    for scale in (1, 1_000, 100_000):
        same = mcnemar(13 * scale, 8 * scale).p_value
        # The same sum of two amounts, one of them too small to matter.
        result = sign_sum_tail({10**12: 21 * scale, 1: 2}, 5 * scale * 10**12 - 2)
        assert result.p_value == pytest.approx(same, rel=1e-10)


def test_floats_equal_fractions(monkeypatch: pytest.MonkeyPatch) -> None:
    amounts = {90: 800, 50: 1100}
    exact = [sign_sum_tail(amounts, observed) for observed in (900, 9_000, 60_000)]
    monkeypatch.setattr("edgeworth.comparisons.randomization.sign_sums.MAX_COINS_AS_FRACTION", 0)
    for before, observed in zip(exact, (900, 9_000, 60_000), strict=True):
        result = sign_sum_tail(amounts, observed)
        assert before.exact is not None
        assert result.exact is None
        assert result.p_value == pytest.approx(before.p_value, rel=1e-11)


def test_identical_systems_differ_by_chance_alone() -> None:
    paired = Paired.from_labels([1, 0, 1, 0], {"one": [1, 0, 0, 1], "two": [1, 0, 0, 1]})
    for measure in MEASURES:
        assert swap(paired, measure).exact == 1


def test_ties_that_floats_get_wrong_count() -> None:
    """1/3 + 1/6 against 1/2 is a tie that floats get wrong: precision 1/3 less 1/6, many times over."""
    rows = [(1, 1, 1), (1, 1, 0), (1, 0, 1), (1, 0, 0), (0, 1, 1), (0, 1, 0), (0, 0, 1)]
    truth, one, two = map(list, zip(*rows, strict=True))
    counts = np.array([1, 9, 4, 16, 2, 18, 23])
    paired = Paired.from_labels(truth, {"one": one, "two": two}, weights=counts)

    def difference(x: int, y: int) -> Fraction:
        return quotient(1 + x, 3 + x + y) - quotient(14 - x, 57 - x - y)

    total = sum(
        math.comb(13, x) * math.comb(41, y)
        for x in range(14)
        for y in range(42)
        if abs(difference(x, y)) >= abs(difference(9, 18))
    )
    assert swap(paired, "precision").exact == Fraction(total, 2**54)


def test_counts_as_weights_are_cases() -> None:
    one = Paired.from_labels([1, 0, 1], {"one": [1, 0, 0], "two": [0, 1, 1]}, weights=np.array([3, 2, 1]))
    many = Paired.from_labels(
        [1] * 3 + [0] * 2 + [1], {"one": [1] * 3 + [0] * 2 + [0], "two": [0] * 3 + [1] * 2 + [1]}
    )
    for measure in MEASURES:
        assert swap(one, measure).exact == swap(many, measure).exact


@pytest.mark.parametrize("away", [0.5, 2, 6])
def test_the_law_of_many_coins_is_that_of_their_ways(away: float, monkeypatch: pytest.MonkeyPatch) -> None:
    amounts, counts = [1000003, 2000029, 1500007], [420, 610, 480]
    spread = math.sqrt(sum(n * x * x for x, n in zip(amounts, counts, strict=True))) / 2
    least = int(sum(n * x for x, n in zip(amounts, counts, strict=True)) / 2 + away * spread)
    exact = sign_sums.grid_tail(amounts, counts, least, sign_sums.COARSE)
    monkeypatch.setattr(sign_sums, "MAX_COINS_AS_WAYS", 400)
    assert sign_sums.grid_tail(amounts, counts, least, sign_sums.COARSE) == pytest.approx(exact, rel=1e-11)
