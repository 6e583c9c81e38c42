"""Swapping outputs of many classes, and the law of sums with random signs under it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from edgeworth.comparisons.labels.joint_cells import joint_cells
from edgeworth.comparisons.labels.randomization import randomisation_test
from edgeworth.comparisons.paired import Paired
from edgeworth.comparisons.randomization.coins import mcnemar, random_heads
from edgeworth.comparisons.randomization.sign_sums import (
    COARSE,
    FINE,
    SignSums,
    grid_tail,
    sign_sum_tail,
)
from edgeworth.core.test_results import TestResult
from edgeworth.decisions.views import resolve
from edgeworth.errors import OptionError

Labels = Sequence[object]


def accuracy(truth: Labels, output: Labels) -> Fraction:
    return Fraction(sum(y == k for y, k in zip(truth, output, strict=True)), len(truth))


def balanced_accuracy(truth: Labels, output: Labels) -> Fraction:
    real = Counter(truth)
    hits = Counter(y for y, k in zip(truth, output, strict=True) if y == k)
    return sum((Fraction(hits[y], n) for y, n in real.items()), Fraction(0)) / len(real)


def informedness(truth: Labels, output: Labels) -> Fraction:
    """Σ p_l (recall_l − fallout_l) as it is written, over the labels that have odds."""
    cases, total = len(truth), Fraction(0)
    for label in set(truth):
        real = sum(y == label for y in truth)
        predicted = sum(k == label for k in output)
        hits = sum(y == k == label for y, k in zip(truth, output, strict=True))
        if real < cases:
            edge = Fraction(hits, real) - Fraction(predicted - hits, cases - real)
            total += Fraction(predicted, cases) * edge
    return total


def swap_outputs(paired: Paired, measure: str, seed: int = 0) -> TestResult:
    cells = joint_cells(paired, *paired.names)
    return randomisation_test(cells, resolve(cells.tables[0], measure), seed=seed)


MEASURES: dict[str, Callable[[Labels, Labels], Fraction]] = {
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "informedness": informedness,
}


def brute_force(
    truth: Labels, first: Labels, second: Labels, value: Callable[[Labels, Labels], Fraction]
) -> Fraction:
    differ = [i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]
    differences = []
    for swaps in product([False, True], repeat=len(differ)):
        one, two = list(first), list(second)
        for i, swap in zip(differ, swaps, strict=True):
            if swap:
                one[i], two[i] = two[i], one[i]
        differences.append(abs(value(truth, one) - value(truth, two)))
    return Fraction(sum(d >= differences[0] for d in differences), len(differences))


def random_labels(classes: int, cases: int, differ: int, seed: int) -> tuple[Labels, Labels, Labels]:
    rng = np.random.default_rng(seed)
    truth = rng.choice(classes, size=cases, p=rng.dirichlet(np.full(classes, 3.0)))
    first = np.where(rng.random(cases) < 0.6, truth, rng.integers(0, classes, cases))
    second = first.copy()
    where = rng.choice(cases, differ, replace=False)
    second[where] = (first[where] + rng.integers(1, classes, differ)) % classes
    # Who gave which output is a coin already, so p-values are not all tiny.
    swap = rng.random(cases) < 0.48
    first[swap], second[swap] = second[swap], first[swap]
    return truth.tolist(), first.tolist(), second.tolist()


@pytest.mark.parametrize("classes", [2, 3, 4])
@pytest.mark.parametrize("seed", range(7))
def test_equals_every_swap(classes: int, seed: int) -> None:
    truth, one, two = random_labels(classes, 14, 7, 100 * classes + seed)
    paired = Paired.from_labels(truth, {"one": one, "two": two})
    for measure, value in MEASURES.items():
        ours = swap_outputs(paired, measure)
        assert ours.exact == brute_force(truth, one, two, value), measure


@pytest.mark.parametrize("seed", range(6))
def test_abstentions_stay_in_the_totals_and_earn_nothing(seed: int) -> None:
    truth, one, two = random_labels(3, 12, 7, seed)
    rng = np.random.default_rng(seed)
    one, two = ([None if rng.random() < 0.25 else k for k in output] for output in (one, two))
    paired = Paired.from_labels(truth, {"one": one, "two": two}, missing="abstain")
    for measure in ("accuracy", "balanced_accuracy"):
        assert swap_outputs(paired, measure).exact == brute_force(truth, one, two, MEASURES[measure])


def test_a_label_without_odds_is_worth_nothing() -> None:
    truth, one, two = ["a", "a", "b", "b"], ["a", "z", "b", "z"], ["b", "a", "b", "a"]
    paired = Paired.from_labels(truth, {"one": one, "two": two})
    assert swap_outputs(paired, "informedness").exact == brute_force(truth, one, two, informedness)


def test_accuracy_of_many_classes_is_mcnemar() -> None:
    truth, one, two = random_labels(6, 4_000, 900, 8)
    paired = Paired.from_labels(truth, {"one": one, "two": two})
    seen = paired.discordance("one", "two")
    same = mcnemar(int(seen.only_first_right), int(seen.only_second_right)).exact
    assert swap_outputs(paired, "accuracy").exact == same


def test_identical_systems() -> None:
    paired = Paired.from_labels([1, 2, 3], {"a": [1, 2, 1], "b": [1, 2, 1]})
    for measure in MEASURES:
        assert swap_outputs(paired, measure).exact == 1


@pytest.mark.slow
@pytest.mark.parametrize(("classes", "differ"), [(3, 200), (4, 200), (5, 200)])
def test_200_disagreements_need_no_draws(classes: int, differ: int) -> None:
    truth, one, two = random_labels(classes, 800, differ, 40 + classes)
    paired = Paired.from_labels(truth, {"one": one, "two": two})
    tail = swap_outputs(paired, "informedness")
    assert tail.kind == "bracket"
    assert tail.high - tail.low <= 2e-3 * tail.high
    # Shuffling outright, with the measure as it is written.
    rng, draws = np.random.default_rng(1), 4_000
    a, b, y = np.array(one), np.array(two), np.array(truth)
    swap = rng.random((draws, len(y))) < 0.5
    gaps = np.abs(
        _informedness_of_rows(y, np.where(swap, b, a)) - _informedness_of_rows(y, np.where(swap, a, b))
    )
    observed = abs(_informedness_of_rows(y, a[None]) - _informedness_of_rows(y, b[None]))
    share = float((gaps >= observed - 1e-12).mean())
    assert 0.01 < share < 0.99
    assert abs(tail.p_value - share) < 4 * math.sqrt(share * (1 - share) / draws)


def _informedness_of_rows(truth: np.ndarray, outputs: np.ndarray) -> np.ndarray:
    total = np.zeros(len(outputs))
    for label in np.unique(truth):
        real = truth == label
        predicted = outputs == label
        total += predicted.mean(axis=1) * (predicted[:, real].mean(axis=1) - predicted[:, ~real].mean(axis=1))
    return total


def test_balanced_classes_are_whole_numbers() -> None:
    """Five classes of 40: the amounts have a small common unit, and 200 disagreements need no bracket."""
    truth = np.repeat(np.arange(5), 40)
    rng = np.random.default_rng(2)
    one, two = (np.where(rng.random(200) < 0.5, truth, rng.integers(0, 5, 200)) for _ in range(2))
    two = np.where(one == two, (one + 1) % 5, two)
    tail = swap_outputs(Paired.from_labels(truth, {"a": one, "b": two}), "informedness")
    assert tail.kind == "exact"


# -- the law of sums with random signs ---------------------------------------------------------------------


def all_signs(amounts: Sequence[int], observed: int) -> Fraction:
    sums = [
        sum(s * a for s, a in zip(signs, amounts, strict=True))
        for signs in product((-1, 1), repeat=len(amounts))
    ]
    return Fraction(sum(abs(s) >= abs(observed) for s in sums), len(sums))


@pytest.mark.parametrize("seed", range(12))
def test_sums_with_random_signs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    amounts = rng.integers(0, (3, 8, 10**12)[seed % 3], 11).tolist()
    if seed % 2:
        amounts = [a * 10**30 + (a % 3) for a in amounts]
    signs = rng.choice([-1, 1], 11).tolist()
    observed = sum(s * a for s, a in zip(signs, amounts, strict=True))
    assert sign_sum_tail(Counter(amounts), observed).exact == all_signs(amounts, observed)


def many_amounts(seed: int) -> SignSums:
    rng = np.random.default_rng(seed)
    amounts = {int(a): int(rng.integers(1, 8)) for a in rng.choice(np.arange(1, 60), 9, replace=False)}
    coins = [a for a, n in amounts.items() for _ in range(n)]
    observed = sum(coins) * (1, 2, 5)[seed % 3] // 9
    return SignSums.of(amounts, observed)


@pytest.mark.parametrize("seed", range(9))
def test_the_ways_of_counting_agree(seed: int) -> None:
    sums = many_amounts(seed)
    packed = sums.count_by_polynomial()
    assert sums.coins > 30 or packed == sums.count_by_halves()
    grid = grid_tail(sums.amounts, sums.counts, sums.least_heads)
    assert grid is not None
    assert grid[0] == grid[1]
    assert grid[0] == pytest.approx(math.log(packed) - sums.coins * math.log(2), abs=1e-10)


@pytest.mark.parametrize("reach", [0, 3, 8, 9])
def test_brackets_hold_the_truth(reach: int) -> None:
    """Amounts too long for whole cells, but few enough to count by halves; out to the last sum of all."""
    amounts = [10**15 + 7**k for k in range(3, 15)]
    counts = [3, 2, 4, 3, 2, 3, 4, 2, 3, 2, 4, 3]
    largest = sum(a * n for a, n in zip(amounts, counts, strict=True))
    least = largest // 2 + largest * reach // 18 + 1
    ways = SignSums(tuple(amounts), tuple(counts), 2 * least - largest).count_by_halves()
    result = grid_tail(amounts, counts, least)
    if ways:
        truth = math.log(ways) - sum(counts) * math.log(2)
        assert result is None or result[0] <= truth <= result[1]
        assert result is not None or reach > 0


def test_far_tails_on_whole_cells() -> None:
    """1000 coins, probabilities down to 1e-200, against the binomial."""
    for heads in (520, 700, 900, 990, 1_000):
        exact = Fraction(sum(math.comb(1_000, k) for k in range(heads, 1_001)), 2**1000)
        result = grid_tail([3], [1_000], 3 * heads)
        assert result is not None
        assert result[0] == pytest.approx(math.log(exact), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_coarse_grid_holds_what_a_fine_one_holds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    amounts = [10**18 + int(a) for a in rng.integers(1, 10**18, 14)]
    counts = rng.integers(1, 6, 14).tolist()
    largest = sum(a * n for a, n in zip(amounts, counts, strict=True))
    fine, coarse = (grid_tail(amounts, counts, largest * 3 // 5, grid) for grid in (FINE, COARSE))
    assert fine is not None
    assert coarse is not None
    assert coarse[0] <= fine[0] <= fine[1] <= coarse[1] <= coarse[0] + 0.02


def test_grids_give_the_same_answer_as_far_as_they_go() -> None:
    sums = many_amounts(1)
    amounts = dict(zip(sums.amounts, sums.counts, strict=True))
    full, quick = (sign_sum_tail(amounts, sums.observed, grid=grid) for grid in (FINE, COARSE))
    assert full.exact is not None
    assert full.exact == quick.exact
    huge = {10**11 + a**5: n for a, n in amounts.items()}
    observed = sum(a * n for a, n in huge.items()) // 5
    drawn = sign_sum_tail(huge, observed, grid=None, draws=20_000)
    assert drawn.kind == "drawn"
    assert drawn.low <= sign_sum_tail(huge, observed).p_value <= drawn.high


def test_random_heads_are_binomial() -> None:
    coins = np.array([0, 1, 5, 64, 65, 300])
    heads = random_heads(np.random.default_rng(3), coins, 40_000)
    assert heads.shape == (6, 40_000)
    assert (heads >= 0).all()
    assert (heads <= coins[:, None]).all()
    np.testing.assert_allclose(heads.mean(axis=1), coins / 2, atol=5 * math.sqrt(300) / 2 / 200)
    np.testing.assert_allclose(heads.var(axis=1)[1:], coins[1:] / 4, rtol=0.05)
    shares = np.bincount(heads[2], minlength=6) / 40_000
    np.testing.assert_allclose(shares, [math.comb(5, k) / 32 for k in range(6)], atol=0.012)


def test_single_coins_are_fair_and_independent() -> None:
    heads = random_heads(np.random.default_rng(3), np.ones(4, dtype=np.int64), 40_001)
    assert heads.shape == (4, 40_001)
    together = np.bincount(np.array([8, 4, 2, 1]) @ heads, minlength=16) / 40_001
    np.testing.assert_allclose(together, 1 / 16, atol=5 * math.sqrt(1 / 16 / 40_001))
    # Neighbouring draws come from one byte.
    following = np.bincount(2 * heads[0, :-1].astype(int) + heads[0, 1:], minlength=4) / 40_000
    np.testing.assert_allclose(following, 1 / 4, atol=5 * math.sqrt(1 / 4 / 40_000))


def test_draws_beyond_reach_agree_with_the_bracket() -> None:
    rng = np.random.default_rng(0)
    amounts = {10**25 + 10**22 * int(a): 5 for a in rng.integers(1, 10**5, 30)}
    sums = SignSums.of(amounts, sum(amounts) // 2)
    bracket = sums.bracket("swaps", FINE)
    assert bracket is not None
    assert bracket.kind == "bracket"
    drawn = sums.monte_carlo("swaps", 20_000, 3)
    assert drawn.kind == "drawn"
    assert abs(drawn.p_value - bracket.p_value) < 4 * math.sqrt(bracket.p_value / 20_000)
    assert "20,000 swaps, seed 3" in drawn.method


@pytest.mark.parametrize("huge", [False, True])
def test_draws_count_ties(huge: bool) -> None:
    """Of sums of three equal amounts, all reach the smallest distance; p = (1 + draws)/(1 + draws)."""
    sums = SignSums((1, 10**40) if huge else (1, 3), (0, 3) if huge else (0, 1), 10**40 if huge else 3)
    assert sums.monte_carlo("swaps", 500, 0).p_value == 1.0


def test_many_disagreements_are_drawn_and_repeat() -> None:
    truth, one, two = random_labels(10, 6_000, 3_000, 4)
    paired = Paired.from_labels(truth, {"one": one, "two": two})
    tails = [swap_outputs(paired, "informedness", seed) for seed in (5, 5, 6)]
    assert tails[0].kind == "drawn"
    assert tails[0] == tails[1]
    assert tails[0].method != tails[2].method
    count = tails[0].p_value * 10_001 - 1
    assert count == pytest.approx(round(count), abs=1e-9)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(OptionError, match="draws"):
        sign_sum_tail({1: 2}, 2, draws=0)
