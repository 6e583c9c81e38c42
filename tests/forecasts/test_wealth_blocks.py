"""Blocks of a path against a plain loop: any cuts, any order of addition, gaps, and what is refused."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeworth.bet.fractional import FRACTIONS, fractional_logs
from edgeworth.errors import MergeError
from edgeworth.forecasts.betting import path as wealth_blocks
from edgeworth.forecasts.betting.path import LOGS, MAX_BLOCKS, SUMS, Blocks, grid_of

LOG_FACTORS = st.one_of(
    st.floats(-3, 3), st.sampled_from([0.0, 0.5, -0.5, math.log(2), -math.log(2), math.inf, -math.inf])
)
PATHS = st.lists(LOG_FACTORS, max_size=40)
MOST = st.sampled_from([1, 2, 4, 7, MAX_BLOCKS])
"""With few blocks allowed, short paths are coarse too."""


def blocks_of(logs: list[float], first: int = 0) -> Blocks:
    values = np.array(logs, dtype=np.float64)
    columns = np.stack([values, np.zeros(len(values)), np.arange(len(values)) / 8], axis=1)
    sums = np.stack([np.arange(len(values)) + first + index for index in range(len(SUMS))], axis=1)
    starts = first + np.arange(len(values))
    return Blocks.of_steps(starts, starts + 1, columns, fractional_logs(values), sums.astype(np.float64))


def whole(blocks: Blocks) -> Blocks:
    """All blocks as one, whatever the grid."""
    with mock.patch.object(wealth_blocks, "MAX_BLOCKS", 1):
        return blocks.coarsen()


def plain(logs: list[float]) -> tuple[float, float, float, float]:
    """End, highest, lowest and largest fall, one case after the other; nothing follows ruin."""
    wealth = top = bottom = fall = 0.0
    for step in logs:
        if wealth == -math.inf:
            break
        wealth = -math.inf if step == -math.inf else wealth + step
        top, bottom = max(top, wealth), min(bottom, wealth)
        fall = max(fall, 0.0 if top == wealth else top - wealth)
    return wealth, top, bottom, fall


def assert_equal(left: Blocks, right: Blocks) -> None:
    assert left.starts.tolist() == right.starts.tolist()
    assert left.ends.tolist() == right.ends.tolist()
    for name in ("logs", "fractions", "sums", "top", "bottom", "drawdown"):
        np.testing.assert_allclose(getattr(left, name), getattr(right, name), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("end", [1, 2, 4095, 4096, 4097, 8192, 8193, 10**6, 10**8, 10**12])
def test_the_grid_is_the_finest_with_few_enough_cells(end: int) -> None:
    size = grid_of(end)
    assert size & (size - 1) == 0
    assert math.ceil(end / size) <= MAX_BLOCKS
    assert size == 1 or math.ceil(end / (size // 2)) > MAX_BLOCKS


def test_no_cases() -> None:
    nothing, some = Blocks.empty(), blocks_of([0.5, -0.5])
    assert (nothing.number, nothing.logs.shape, nothing.sums.shape) == (0, (0, len(LOGS)), (0, len(SUMS)))
    assert nothing.fractions.shape == (0, len(FRACTIONS))
    assert (nothing + nothing).number == 0
    assert nothing.coarsen().number == 0
    assert_equal(nothing + some, some)
    assert_equal(some + nothing, some)


def test_a_case_is_a_block() -> None:
    blocks = blocks_of([0.5, -2.0, math.inf, -math.inf], first=10)
    assert blocks.starts.tolist() == [10, 11, 12, 13]
    assert blocks.ends.tolist() == [11, 12, 13, 14]
    assert blocks.top.tolist() == [0.5, 0.0, math.inf, 0.0]
    assert blocks.bottom.tolist() == [0.0, -2.0, 0.0, -math.inf]
    assert blocks.drawdown.tolist() == [0.0, 2.0, 0.0, math.inf]


@given(logs=PATHS.filter(bool))
def test_joined_blocks_know_what_a_plain_loop_knows(logs: list[float]) -> None:
    joined = whole(blocks_of(logs))
    assert joined.number == 1
    results = [joined.logs[0, 0], joined.top[0], joined.bottom[0], joined.drawdown[0]]
    np.testing.assert_allclose(results, plain(logs), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(joined.sums[0], np.sum(blocks_of(logs).sums, axis=0))
    assert joined.fractions[0, 0] == 0.0


@given(logs=PATHS.filter(bool), most=MOST)
def test_coarse_blocks_lose_neither_highest_nor_lowest(logs: list[float], most: int) -> None:
    with mock.patch.object(wealth_blocks, "MAX_BLOCKS", most):
        coarse = blocks_of(logs).coarsen()
    assert coarse.number <= most
    assert coarse.starts[1:].tolist() == coarse.ends[:-1].tolist()
    for start, end, top, bottom, fall in zip(
        coarse.starts, coarse.ends, coarse.top, coarse.bottom, coarse.drawdown, strict=True
    ):
        np.testing.assert_allclose([top, bottom, fall], plain(logs[start:end])[1:], rtol=1e-12, atol=1e-12)
    assert_equal(whole(coarse), whole(blocks_of(logs)))


@given(
    logs=PATHS,
    most=MOST,
    places=st.lists(st.integers(0, 40), max_size=6),
    first=st.sampled_from([0, 1, 5, 1000]),
    random=st.randoms(use_true_random=False),
)
def test_any_cuts_in_any_order_equal_the_whole(
    logs: list[float], most: int, places: list[int], first: int, random: Any
) -> None:
    edges = [0, *sorted(index % (len(logs) + 1) for index in places), len(logs)]
    cuts = list(itertools.pairwise(edges))
    random.shuffle(cuts)
    with mock.patch.object(wealth_blocks, "MAX_BLOCKS", most):
        expected = blocks_of(logs, first).coarsen()
        shards = [blocks_of_rows(logs, first, start, stop).coarsen() for start, stop in cuts]
        assert_equal(functools.reduce(operator.add, shards, Blocks.empty()), expected)
        middle = len(shards) // 2
        grouped = [
            functools.reduce(operator.add, part, Blocks.empty())
            for part in (shards[:middle], shards[middle:])
        ]
        assert_equal(grouped[0] + grouped[1], expected)


def blocks_of_rows(logs: list[float], first: int, start: int, stop: int) -> Blocks:
    return blocks_of(logs, first)._at(slice(start, stop))


@pytest.mark.parametrize("most", [1, 2, MAX_BLOCKS])
def test_a_gap_stays_a_gap_until_it_is_filled(most: int) -> None:
    logs = [0.1 * index for index in range(8)]
    with mock.patch.object(wealth_blocks, "MAX_BLOCKS", most):
        early, late = blocks_of_rows(logs, 0, 0, 3).coarsen(), blocks_of_rows(logs, 0, 5, 8).coarsen()
        apart = late + early
        held = [position for a, b in zip(apart.starts, apart.ends, strict=True) for position in range(a, b)]
        assert held == [0, 1, 2, 5, 6, 7]
        assert_equal(apart + blocks_of_rows(logs, 0, 3, 5).coarsen(), blocks_of(logs).coarsen())


@pytest.mark.parametrize("most", [1, 2, MAX_BLOCKS])
@pytest.mark.parametrize(
    ("one", "two", "place"),
    [
        ((0, 4), (3, 6), "3"),
        ((0, 8), (2, 3), "2"),
        ((2, 3), (0, 8), "2"),
        ((4, 5), (4, 8), "4"),
        ((0, 1), (0, 1), "0"),
    ],
)
def test_a_position_is_held_once(one: tuple[int, int], two: tuple[int, int], place: str, most: int) -> None:
    logs = [0.1] * 8
    with mock.patch.object(wealth_blocks, "MAX_BLOCKS", most):
        first, second = (blocks_of_rows(logs, 0, *cut).coarsen() for cut in (one, two))
        with pytest.raises(MergeError, match=f"position {place}"):
            first + second


def test_many_cases_are_a_few_thousand_blocks() -> None:
    steps = np.random.default_rng(3).normal(size=300_000)
    shards = [
        Blocks.of_steps(
            first + np.arange(len(part)),
            first + np.arange(1, len(part) + 1),
            np.stack([part, part, part], axis=1),
            part[:, None] * FRACTIONS,
            np.ones((len(part), len(SUMS))),
        ).coarsen()
        for first, part in ((index, steps[index : index + 99_991]) for index in range(0, 300_000, 99_991))
    ]
    blocks = functools.reduce(operator.add, shards[::-1])
    assert blocks.number <= MAX_BLOCKS
    assert blocks.number == math.ceil(300_000 / grid_of(300_000))
    path = np.cumsum(steps)
    np.testing.assert_allclose(np.cumsum(blocks.logs[:, 0]), path[blocks.ends - 1], rtol=0, atol=1e-8)
    joined = whole(blocks)
    assert joined.top[0] == pytest.approx(max(0.0, path.max()), abs=1e-8)
    assert joined.bottom[0] == pytest.approx(min(0.0, path.min()), abs=1e-8)
    falls = np.maximum.accumulate(np.maximum(path, 0.0)) - path
    assert joined.drawdown[0] == pytest.approx(falls.max(), abs=1e-8)
    assert joined.sums[0].tolist() == [300_000.0] * len(SUMS)
