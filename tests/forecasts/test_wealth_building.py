"""Blocks built a run of cases at a time beside every case by itself, however many cores there are."""

from __future__ import annotations

import functools
import operator
from typing import Any
from unittest import mock

import numpy as np
import pytest

from edgeworth.bet.fractional import fractional_logs
from edgeworth.common import threads
from edgeworth.forecasts.betting import path as wealth_blocks
from edgeworth.forecasts.betting import path as wealth_building
from edgeworth.forecasts.betting.wealth import Wealth

FIELDS = ("starts", "ends", "logs", "fractions", "sums", "top", "bottom", "drawdown")


def forecasts(cases: int, classes: int, *, wild: bool = False) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(cases)
    truth = rng.integers(0, classes, cases)
    p, q = (rng.dirichlet(np.full(classes, 0.7), cases) for _ in range(2))
    if wild:
        others = np.eye(classes)[(truth + 1) % classes]
        mine, its, sure = rng.permutation(cases)[:9].reshape(3, 3)
        p[mine], q[its] = others[mine], others[its]
        q[sure] = others[sure] * (1 - 1e-30) + 1e-30 * np.eye(classes)[truth[sure]]
    return truth, p, q


def made(cases: int, classes: int, *, wild: bool = False, **options: Any) -> Wealth:
    truth, p, q = forecasts(cases, classes, wild=wild)
    return Wealth.from_probabilities(truth, p, against=q, labels=range(classes), **options)


def assert_same(one: Wealth, two: Wealth, tolerance: float) -> None:
    for name in FIELDS:
        np.testing.assert_allclose(
            getattr(one.blocks, name), getattr(two.blocks, name), rtol=tolerance, atol=tolerance
        )


@pytest.mark.parametrize("first", [0, 1, 5, 64, 1000])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("wild", [False, True])
@pytest.mark.parametrize("stake", [1.0, 0.5])
def test_runs_equal_cases_put_together(first: int, classes: int, wild: bool, stake: float) -> None:
    options: dict[str, Any] = {"wild": wild, "first": first, "fraction": stake}
    singly = made(700, classes, **options)
    with mock.patch.object(wealth_blocks, "MAX_BLOCKS", 40):
        expected = singly.blocks.coarsen()
        with mock.patch.object(wealth_building, "CASES_PER_PIECE", 128):
            result = made(700, classes, **options)
    assert 1 < result.blocks.number <= 40 + 1
    for name in FIELDS:
        np.testing.assert_allclose(
            getattr(result.blocks, name), getattr(expected, name), rtol=1e-12, atol=1e-12, err_msg=name
        )


def test_cells_longer_than_a_piece_are_put_together() -> None:
    singly = made(700, 3)
    with (
        mock.patch.object(wealth_blocks, "MAX_BLOCKS", 3),
        mock.patch.object(wealth_building, "CASES_PER_PIECE", 32),
    ):
        result = made(700, 3)
        assert result.blocks.ends.tolist() == [256, 512, 700]
        assert_same(result, Wealth(singly.labels, singly.blocks.coarsen()), 1e-12)


def test_fractions_of_a_path_case_by_case_are_those_of_each_case() -> None:
    truth, p, q = forecasts(300, 3)
    logs = np.log(p[np.arange(300), truth]) - np.log(q[np.arange(300), truth])
    np.testing.assert_allclose(made(300, 3).blocks.fractions, fractional_logs(logs), rtol=1e-12, atol=1e-15)


def test_shards_make_the_whole() -> None:
    truth, p, q = forecasts(20_000, 3, wild=True)
    whole = made(20_000, 3, wild=True)
    parts = [
        Wealth.from_probabilities(
            truth[start:stop], p[start:stop], against=q[start:stop], first=start, labels=range(3)
        )
        for start, stop in ((12_345, 20_000), (0, 7), (7, 12_345))
    ]
    assert_same(functools.reduce(operator.add, parts), whole, 1e-12)


def test_the_number_of_cores_changes_nothing() -> None:
    results = []
    for cores in (1, 2, 7):
        with mock.patch.object(threads, "available_cores", lambda number=cores: number):
            results.append(made(200_001, 2, wild=True))
    for other in results[1:]:
        for name in FIELDS:
            np.testing.assert_array_equal(getattr(other.blocks, name), getattr(results[0].blocks, name))
