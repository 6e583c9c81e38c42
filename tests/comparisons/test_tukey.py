"""Randomised Tukey HSD against enumeration of all ways to deal, as fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, permutations, product

import numpy as np
import pytest

from edgeworth.common import threads
from edgeworth.comparisons.paired_values.permutation import permutation_test
from edgeworth.comparisons.paired_values.tukey import randomised_tukey
from edgeworth.core.test_results import TestResult
from edgeworth.errors import OptionError

Row = tuple[Fraction, ...]


def tail(p_value: float, draws: int) -> TestResult:
    """A 99% interval of what more draws would give."""
    return TestResult.from_draws(round(p_value * (1 + draws)) - 1, draws, 0)


def enumerated(rows: list[Row]) -> dict[tuple[int, int], Fraction]:
    """P(max − min ≥ |difference of sums|) of each pair, every order of every row gone through."""
    sums = [sum(column, Fraction()) for column in zip(*rows, strict=True)]
    ranges = []
    for dealt in product(*(list(permutations(row)) for row in rows)):
        totals = [sum(column, Fraction()) for column in zip(*dealt, strict=True)]
        ranges.append(max(totals) - min(totals))
    return {
        (i, j): Fraction(sum(r >= abs(sums[i] - sums[j]) for r in ranges), len(ranges))
        for i, j in combinations(range(len(sums)), 2)
    }


def test_draws_enclose_enumeration_with_ties() -> None:
    missed = 0
    for seed in range(5):
        rng = np.random.default_rng(seed)
        # Thirds and tenths: sums tie as fractions and not as floats.
        rows = [
            tuple(Fraction(int(k), int(rng.choice([3, 10]))) for k in rng.integers(0, 4, 3)) for _ in range(4)
        ]
        result = randomised_tukey([[float(x) for x in row] for row in rows], draws=20_000, seed=seed)
        for (i, j), expected in enumerated(rows).items():
            drawn = tail(result[i, j], 20_000)
            missed += not drawn.low <= expected <= drawn.high
            assert result[i, j] == result[j, i]
    # 15 intervals of 99%, three at a time from the same draws.
    assert missed <= 1


def test_a_tie_of_fractions_counts_as_beyond() -> None:
    # The first is ahead by 1/3 + 1/6 + 1/10 = 3/5, which other ways to deal reach exactly.
    rows: list[Row] = [
        (Fraction(1, 3), Fraction(0)),
        (Fraction(1, 6), Fraction(0)),
        (Fraction(1, 10), Fraction(0)),
    ]
    rows += [(Fraction(0), Fraction(1, 2)), (Fraction(1, 2), Fraction(0))]
    expected = enumerated(rows)[0, 1]
    values = [[float(x) for x in row] for row in rows]
    result = tail(randomised_tukey(values, draws=20_000, seed=1)[0, 1], 20_000)
    assert result.low <= expected <= result.high


def test_two_systems_are_the_permutation_test() -> None:
    rng = np.random.default_rng(6)
    values = rng.random((18, 2)) + np.array([0.1, 0.0])
    exact = permutation_test(values[:, 0] - values[:, 1]).p_value
    result = tail(randomised_tukey(values, draws=50_000, seed=1)[0, 1], 50_000)
    assert 0.02 < exact < 0.9
    assert result.low <= exact <= result.high


def test_identical_systems_have_p_1() -> None:
    column = np.random.default_rng(0).random((50, 1))
    assert (randomised_tukey(np.repeat(column, 4, axis=1), draws=200) == 1).all()
    twins = np.concatenate([column, column, column[::-1]], axis=1)
    result = randomised_tukey(twins, draws=500)
    assert result[0, 1] == 1
    # One unit alone tells nothing: whoever is dealt what, the range is the same.
    assert (randomised_tukey([[0.1, 0.5, 0.9]], draws=99)[0, 1] == 1).all()


def test_a_system_far_ahead_stands_apart() -> None:
    rng = np.random.default_rng(2)
    values = rng.random((80, 5))
    values[:, 3] += 0.5
    result = randomised_tukey(values, draws=999, seed=3)
    others = [0, 1, 2, 4]
    assert (result[3, others] == 1 / 1000).all()
    assert (np.diag(result) == 1).all()
    assert all(result[i, j] > 0.05 for i, j in combinations(others, 2))


def test_the_seed_decides() -> None:
    values = np.random.default_rng(4).random((30, 25))
    one, two, three = (randomised_tukey(values, draws=900, seed=seed) for seed in (5, 6, 5))
    assert not np.array_equal(one, two)
    assert np.array_equal(one, three)


def test_the_number_of_cores_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(4).random((10, 4))
    results = []
    for cores in (1, 3):
        monkeypatch.setattr(threads, "available_cores", lambda number=cores: number)
        results.append(randomised_tukey(values, draws=3_500))
    assert np.array_equal(*results)


def test_no_draws_are_refused() -> None:
    with pytest.raises(OptionError, match="draws"):
        randomised_tukey([[0.1, 0.2]], draws=0)
