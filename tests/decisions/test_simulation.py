"""One who is informed part of the time and guesses otherwise (MATH A5)."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth import ContingencyTable
from edgeworth.decisions import informed_mixture, simulate_labels
from edgeworth.errors import OptionError


def shares(size: int) -> st.SearchStrategy[list[float]]:
    weights = st.lists(st.floats(0.05, 1), min_size=size, max_size=size)
    return weights.map(lambda parts: [part / sum(parts) for part in parts])


@given(st.integers(2, 5).flatmap(lambda size: st.tuples(shares(size), shares(size))), st.floats(0, 1))
def test_the_formula_cell_by_cell(pair: tuple[list[float], list[float]], informed: float) -> None:
    real, guess = pair
    table = informed_mixture(real, guess, informed, cases=1000)
    for row, guessed in enumerate(guess):
        for column, occurring in enumerate(real):
            known = occurring if row == column else 0
            expected = 1000 * ((1 - informed) * guessed * occurring + informed * known)
            assert table.counts[row, column] == pytest.approx(expected, rel=1e-12, abs=1e-12)


@given(st.floats(0.05, 0.95), st.floats(0.05, 0.95), st.floats(-1, 0, exclude_max=True))
def test_two_classes_may_be_informed_the_wrong_way(real: float, guess: float, informed: float) -> None:
    table = informed_mixture([real, 1 - real], [guess, 1 - guess], informed)
    size = -informed
    expected = [
        [(1 - size) * guess * real, (1 - size) * guess * (1 - real) + size * (1 - real)],
        [(1 - size) * (1 - guess) * real + size * real, (1 - size) * (1 - guess) * (1 - real)],
    ]
    np.testing.assert_allclose(table.counts, expected, rtol=1e-12, atol=1e-15)


def test_figure_one_model_three_and_four() -> None:
    """Powers' Figure 1: 70/30 real, 80/20 guessed, informed 15% of the time, then misinformed as often."""
    third = informed_mixture([0.7, 0.3], [0.8, 0.2], 0.15, cases=100, labels=["a", "b"])
    assert third.labels == ("a", "b")
    np.testing.assert_allclose(third.counts, [[58.1, 20.4], [11.9, 9.6]], rtol=1e-12)
    fourth = informed_mixture([0.7, 0.3], [0.8, 0.2], -0.15, cases=100)
    np.testing.assert_allclose(fourth.counts, [[47.6, 24.9], [22.4, 5.1]], rtol=1e-12)


def test_simulated_shares_are_as_asked() -> None:
    real, guess, informed, cases = [0.5, 0.3, 0.2], [0.1, 0.1, 0.8], 0.4, 400_000
    truth, prediction = simulate_labels(real, guess, informed, cases, rng=7)
    seen = ContingencyTable.from_labels(truth, prediction).counts / cases
    expected = 0.6 * np.outer(guess, real) + 0.4 * np.diag(real)
    # Five standard errors of each share: seeded, so this passes always or never.
    assert np.all(np.abs(seen - expected) < 5 * np.sqrt(expected * (1 - expected) / cases))


def test_each_class_may_have_its_own_informed_rate() -> None:
    real, guess, rates, cases = [0.9, 0.1], [0.9, 0.1], [0.2, 0.9], 400_000
    truth, prediction = simulate_labels(real, guess, rates, cases, rng=8)
    for label, rate in enumerate(rates):
        recall = np.mean(prediction[truth == label] == label)
        expected = rate + (1 - rate) * guess[label]
        spread = np.sqrt(expected * (1 - expected) / np.sum(truth == label))
        assert abs(recall - expected) < 5 * spread


def test_simulated_misinformation_says_the_opposite() -> None:
    truth, prediction = simulate_labels([0.5, 0.5], [0.5, 0.5], -1, 1000, rng=9)
    assert np.all(truth != prediction)
    truth, prediction = simulate_labels([0.5, 0.5], [0.5, 0.5], 1, 1000, rng=9)
    assert np.all(truth == prediction)


def test_a_seed_gives_the_same_rows_again() -> None:
    one, again, other = (simulate_labels([0.5, 0.5], [0.5, 0.5], 0.3, 100, rng=seed) for seed in (1, 1, 2))
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(
    ("real", "guess", "informed"),
    [
        ([0.5, 0.6], [0.5, 0.5], 0.1),
        ([0.5, 0.5], [0.5, 0.4], 0.1),
        ([1.5, -0.5], [0.5, 0.5], 0.1),
        ([float("nan"), 0.5], [0.5, 0.5], 0.1),
        ([[0.5, 0.5]], [0.5, 0.5], 0.1),
        ([0.5, 0.5], [0.2, 0.3, 0.5], 0.1),
        ([0.5, 0.5], [0.5, 0.5], 1.1),
        ([0.5, 0.5], [0.5, 0.5], -1.1),
        ([0.5, 0.5], [0.5, 0.5], float("nan")),
        ([0.2, 0.3, 0.5], [0.2, 0.3, 0.5], -0.1),
    ],
)
def test_what_is_no_mixture(real: Any, guess: Any, informed: float) -> None:
    with pytest.raises(OptionError):
        informed_mixture(real, guess, informed)
    with pytest.raises(OptionError):
        simulate_labels(real, guess, informed, 10, rng=1)


def test_as_many_informed_rates_as_classes() -> None:
    with pytest.raises(OptionError):
        simulate_labels([0.5, 0.5], [0.5, 0.5], [0.1, 0.2, 0.3], 10, rng=1)


@pytest.mark.parametrize(
    ("predicted", "real"),
    [((3, 2), (2, 3)), ((4, 1), (4, 1)), ((2, 2, 3), (1, 4, 2)), ((1, 5, 1), (1, 5, 1))],
)
def test_the_lowest_informedness_is_that_of_the_worst_table(
    predicted: tuple[int, ...], real: tuple[int, ...]
) -> None:
    """Every table with these margins, by dealing the real classes to the predictions in every order."""
    labels = [label for label, number in enumerate(predicted) for _ in range(number)]
    classes = [label for label, number in enumerate(real) for _ in range(number)]
    orders = set(itertools.permutations(classes))
    worst = min(
        ew.measure(ew.ContingencyTable.from_labels(order, labels), "informedness") for order in orders
    )
    total = sum(real)
    result = ew.decisions.lowest_informedness([r / total for r in real], [p / total for p in predicted])
    assert result == pytest.approx(worst, abs=1e-12)
