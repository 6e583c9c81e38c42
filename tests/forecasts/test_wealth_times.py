"""Cases known together: wealth is looked at between times, and an order within them proves nothing."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgeworth.errors import InputError
from edgeworth.forecasts.betting import path as wealth_blocks
from edgeworth.forecasts.betting import path as wealth_times
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.findings import examine_bets


def made(cases: int, classes: int, *, wild: bool = False, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    p, q = (rng.dirichlet(np.full(classes, 0.8), cases) for _ in range(2))
    truth = rng.integers(0, classes, cases)
    if wild:
        others = np.eye(classes)[(truth + 1) % classes]
        mine, its = rng.permutation(cases)[:4].reshape(2, 2)
        p[mine], q[its] = others[mine], others[its]
    return truth, p, q


def plain(logs: np.ndarray, times: np.ndarray) -> list[float]:
    """Log wealth after each time, one case after the other; nothing follows ruin."""
    path, now = [], 0.0
    for time in sorted(set(times.tolist())):
        for step in logs[times == time]:
            now = -math.inf if -math.inf in (step, now) else now + float(step)
        path.append(now)
    return path


@settings(max_examples=40)
@given(
    times=st.lists(st.integers(0, 8), min_size=4, max_size=60),
    classes=st.sampled_from([2, 3]),
    wild=st.booleans(),
    most=st.sampled_from([3, 8, 4096]),
    piece=st.sampled_from([4, 16, 1 << 14]),
    first=st.sampled_from([0, 5]),
)
def test_the_path_between_times_is_that_of_a_plain_loop(
    times: list[int], classes: int, wild: bool, most: int, piece: int, first: int
) -> None:
    when = np.array(times)
    truth, p, q = made(len(when), classes, wild=wild)
    options: dict[str, Any] = {"against": q, "labels": range(classes), "first": first}
    with (
        mock.patch.object(wealth_blocks, "MAX_BLOCKS", most),
        mock.patch.object(wealth_times, "CASES_PER_PIECE", piece),
    ):
        wealth = Wealth.from_probabilities(truth, p, times=when, **options)
    with np.errstate(divide="ignore"):
        logs = np.log(p[np.arange(len(when)), truth]) - np.log(q[np.arange(len(when)), truth])
    path = plain(logs, when)
    ends = np.cumsum(np.unique(when, return_counts=True)[1])
    assert wealth.ordered
    assert wealth.cases == len(when)
    # A block ends where a time does, and the highest point is one between times.
    assert set(wealth.positions.tolist()) <= set(ends.tolist())
    if most > len(when) + first:
        assert wealth.positions.tolist() == ends.tolist()
        np.testing.assert_allclose(wealth.path, path, rtol=1e-12, atol=1e-12)
    assert wealth.log_maximum == pytest.approx(max(0.0, *path), abs=1e-10)
    assert wealth.log_minimum == pytest.approx(min(0.0, *path), abs=1e-10)
    for name in ("price_mean", "brier", "brier_square"):
        whole = Wealth.from_probabilities(truth, p, **options)
        np.testing.assert_allclose(wealth.sums(name).sum(), whole.sums(name).sum(), rtol=1e-9)


@pytest.mark.parametrize("stake", [1.0, 0.5])
def test_the_order_within_a_time_changes_nothing(stake: float) -> None:
    truth, p, q = made(300, 2)
    times = np.random.default_rng(1).integers(0, 30, 300)
    order = np.lexsort([truth, times])
    one, two = (
        Wealth.from_probabilities(truth[rows], p[rows], against=q[rows], times=times[rows], fraction=stake)
        for rows in (np.arange(300), order)
    )
    for name in wealth_blocks.Blocks.FIELDS:
        left, right = getattr(one.blocks, name), getattr(two.blocks, name)
        np.testing.assert_allclose(left, right, rtol=1e-9, atol=1e-12)
    assert one.log_maximum == pytest.approx(two.log_maximum)


def test_different_times_are_an_order() -> None:
    truth, p, q = made(200, 3)
    times = np.random.default_rng(2).permutation(200)
    order = np.argsort(times)
    wealth = Wealth.from_probabilities(truth, p, against=q, labels=range(3), times=times)
    expected = Wealth.from_probabilities(
        truth[order], p[order], against=q[order], labels=range(3), ordered=True
    )
    assert wealth == expected


@pytest.mark.slow
def test_many_cases_stay_small_and_merge() -> None:
    cases = 40_000
    truth, p, q = made(cases, 2)
    times = np.sort(np.random.default_rng(3).integers(0, 9_000, cases))
    whole = Wealth.from_probabilities(truth, p, against=q, times=times)
    assert whole.blocks.number <= wealth_blocks.MAX_BLOCKS
    half = int(np.searchsorted(times, 4_500))
    parts = [
        Wealth.from_probabilities(truth[rows], p[rows], against=q[rows], times=times[rows], first=rows.start)
        for rows in (slice(half, cases), slice(0, half))
    ]
    joined = parts[0] + parts[1]
    assert joined.log_maximum == pytest.approx(whole.log_maximum, rel=1e-12)
    assert joined.log_wealth == pytest.approx(whole.log_wealth, rel=1e-12)
    assert joined.positions.tolist() == whole.positions.tolist()
    assert Wealth.from_dict(whole.to_dict()) == whole


def test_every_case_has_a_time() -> None:
    truth, p, q = made(5, 2)
    with pytest.raises(InputError, match="there are 4 times for 5 cases"):
        Wealth.from_probabilities(truth, p, against=q, times=[1, 2, 3, 4])
    with pytest.raises(InputError, match="row 3 has 'soon'"):
        Wealth.from_probabilities(truth, p, against=q, times=["2026-01-01", "2026-01-02", "soon", "x", "y"])
    p[1], q[1] = np.eye(2)[1 - truth[1]], np.eye(2)[1 - truth[1]]
    with pytest.raises(InputError, match="row 2: both gave probability 0"):
        Wealth.from_probabilities(truth, p, against=q, times=[5, 4, 3, 2, 1])


# -- what it proves ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_sorted_by_outcome_within_a_time_the_maximum_is_no_evidence_by_all_outcomes() -> None:
    """Two times of four fair games each, given as a file sorted by what happened."""
    p, times = [0.7] * 8, np.repeat([0, 1], 4)
    tops: list[tuple[Fraction, dict[str, float]]] = []
    for outcomes in itertools.product([0, 1], repeat=8):
        truth = np.concatenate([np.sort(outcomes[:4])[::-1], np.sort(outcomes[4:])[::-1]])
        bets = examine_bets(Wealth.from_probabilities(truth, p, against=[0.5] * 8, times=times))
        results = {"full": bets.against_rival, "mixture": bets.mixture, "rounds": bets.brier_rounds}
        tops.append(
            (Fraction(1, 256), {name: item.log_maximum or 0.0 for name, item in results.items() if item})
        )
        naive = examine_bets(Wealth.from_probabilities(truth, p, against=[0.5] * 8, ordered=True))
        tops[-1][1]["naive"] = naive.against_rival.log_maximum or 0.0
    failed = set()
    for name in ("full", "mixture", "rounds", "naive"):
        for level in {top[name] for _, top in tops}:
            reached = sum((chance for chance, top in tops if top[name] >= level - 1e-12), Fraction(0))
            if float(reached) > math.exp(-level) * (1 + 1e-9):
                failed.add(name)
    assert failed == {"naive"}


@pytest.mark.slow
def test_a_true_null_is_seldom_rejected_when_times_tie() -> None:
    """10 days of 60 games: the file lists what came true first, and the model likes it too well by far."""
    rng = np.random.default_rng(4)
    days, games, runs = 10, 60, 300
    times = np.repeat(np.arange(days), games)
    shares = np.full(days * games, 0.5)
    rejected = {"tied": 0, "naive": 0}
    for _ in range(runs):
        truth = (rng.random((days, games)) < 0.5).astype(int)
        sorted_rows = -np.sort(-truth, axis=1).ravel()
        options: dict[str, Any] = {"against": shares}
        tied = Wealth.from_probabilities(sorted_rows, shares + 0.1, times=times, **options)
        naive = Wealth.from_probabilities(sorted_rows, shares + 0.1, ordered=True, **options)
        rejected["tied"] += tied.log_maximum >= math.log(20)
        rejected["naive"] += naive.log_maximum >= math.log(20)
    assert rejected["naive"] > 0.9 * runs
    # 5% of 300 are 15, with a deviation of 3.8.
    assert rejected["tied"] <= 15 + 3 * 3.8
