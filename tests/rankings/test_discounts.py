"""Sums along a tie against adding up, exactly where that is possible."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from edgeworth.rankings.tie_groups import MIN_ARGUMENT_FOR_SERIES, discount_sum, reciprocal_sum


def single(start: int, length: int) -> float:
    return float(reciprocal_sum(np.array(float(start)), np.array(float(length))))


@given(st.integers(0, 60), st.integers(0, 60))
@example(0, 0)
@example(0, MIN_ARGUMENT_FOR_SERIES)
@example(0, MIN_ARGUMENT_FOR_SERIES + 1)
@example(MIN_ARGUMENT_FOR_SERIES - 1, MIN_ARGUMENT_FOR_SERIES)
@example(MIN_ARGUMENT_FOR_SERIES, MIN_ARGUMENT_FOR_SERIES)
@example(MIN_ARGUMENT_FOR_SERIES + 1, MIN_ARGUMENT_FOR_SERIES - 1)
def test_reciprocals_as_fractions(start: int, length: int) -> None:
    exact = sum((Fraction(1, start + j) for j in range(1, length + 1)), Fraction())
    assert single(start, length) == pytest.approx(float(exact), rel=1e-14, abs=0)


@pytest.mark.parametrize("start", [0, 1, 19, 20, 21, 1000, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("length", [1, 19, 20, 21, 1000, 30_000])
def test_short_runs_far_down_keep_their_digits(start: int, length: int) -> None:
    """log(b) − log(a) would have none left: 20 places after the millionth sum to 2e-5."""
    exact = math.fsum(1 / (start + j) for j in range(1, length + 1))
    assert single(start, length) == pytest.approx(exact, rel=1e-14, abs=0)


@pytest.mark.parametrize("length", [10**6, 10**9, 10**15])
def test_long_runs_are_harmonic_numbers(length: int) -> None:
    """Euler: H_n = ln n + γ + 1/(2n) − 1/(12n²) + …"""
    euler = 0.5772156649015328606
    wanted = math.log(length) + euler + 1 / (2 * length) - 1 / (12 * length**2)
    assert single(0, length) == pytest.approx(wanted, rel=1e-14)
    assert single(7, length - 7) == pytest.approx(wanted - math.fsum(1 / j for j in range(1, 8)), rel=1e-14)


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), max_size=8))
def test_many_at_once_equal_one_at_a_time(runs: list[tuple[int, int]]) -> None:
    starts, lengths = (np.array([run[side] for run in runs], dtype=np.float64) for side in (0, 1))
    assert reciprocal_sum(starts, lengths).tolist() == [single(start, length) for start, length in runs]


def test_shapes_are_broadcast() -> None:
    table = reciprocal_sum(np.array([[0.0], [2.0]]), np.array([1.0, 2.0, 30.0]))
    assert table.shape == (2, 3)
    assert table[1, 2] == single(2, 30)
    assert reciprocal_sum(np.zeros(0), np.zeros(0)).shape == (0,)


def test_the_arguments_are_not_changed() -> None:
    start, length = np.array([0.0, 50.0]), np.array([30.0, 30.0])
    reciprocal_sum(start, length)
    assert (start.tolist(), length.tolist()) == ([0.0, 50.0], [30.0, 30.0])


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(0, 300)), min_size=1, max_size=6))
@example([(0, 1), (5, 1), (9, 0)])
@example([(0, 0)])
def test_discounts_equal_adding_up(runs: list[tuple[int, int]]) -> None:
    starts, lengths = (np.array([run[side] for run in runs], dtype=np.float64) for side in (0, 1))
    wanted = [math.fsum(1 / math.log2(start + j + 1) for j in range(1, length + 1)) for start, length in runs]
    assert discount_sum(starts, lengths).tolist() == pytest.approx(wanted, rel=1e-13, abs=1e-13)
