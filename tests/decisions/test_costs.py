"""A user's own costs, against adding them up case by case."""

from __future__ import annotations

import math

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.decisions.cost_report import saving_measure
from edgeworth.errors import InputError, OptionError

# Rows predicted: ill or well; columns real. A missed illness costs 10, a false alarm 1.
COUNTS = [[12, 28], [18, 42]]
COSTS = [[0.0, 1.0], [10.0, 0.5]]
TABLE = ew.ContingencyTable.from_matrix(COUNTS, rows="predicted", labels=["ill", "well"])
EACH_CASE = [
    COSTS[predicted][real]
    for predicted in range(2)
    for real in range(2)
    for _ in range(COUNTS[predicted][real])
]


def test_costs_add_up() -> None:
    result = ew.decisions.costs(TABLE, COSTS, rows="predicted")
    assert result.total == pytest.approx(sum(EACH_CASE), abs=1e-12)
    assert result.per_case == pytest.approx(sum(EACH_CASE) / 100, abs=1e-12)
    np.testing.assert_allclose(result.cells, [[0, 28], [180, 21]], atol=1e-12)


def test_rows_may_be_real() -> None:
    turned = ew.decisions.costs(TABLE, [[0, 10], [1, 0.5]], rows="real")
    assert turned.total == ew.decisions.costs(TABLE, COSTS, rows="predicted").total


def test_the_yardsticks() -> None:
    """Guessing 40 : 60 against 30 : 70, and always one answer."""
    result = ew.decisions.costs(TABLE, COSTS, rows="predicted")
    guessing = sum(p * r * COSTS[i][k] for i, p in enumerate((0.4, 0.6)) for k, r in enumerate((0.3, 0.7)))
    assert result.at_guessing == pytest.approx(guessing, abs=1e-12)
    always_ill, always_well = 0.7 * 1, 0.3 * 10 + 0.7 * 0.5
    assert (result.best_constant, result.at_best_constant) == (
        "ill",
        pytest.approx(min(always_ill, always_well)),
    )


def test_expected_cost_is_a_measure_with_the_error_of_a_mean() -> None:
    """The delta method's variance of a mean is the variance of one case's cost over N."""
    result = ew.estimate(TABLE, ew.decisions.expected_cost(TABLE, COSTS, rows="predicted"))
    assert result.value == pytest.approx(np.mean(EACH_CASE), abs=1e-12)
    assert result.standard_error == pytest.approx(np.std(EACH_CASE) / 10, abs=1e-12)
    interval = result.interval(0.95)
    assert interval.low < result.value < interval.high
    # Guessing with the same shares, as above.
    assert result.chance == pytest.approx(0.4 * 0.7 * 1 + 0.6 * 0.3 * 10 + 0.6 * 0.7 * 0.5, abs=1e-12)


def test_an_interval_stays_within_what_can_be_paid() -> None:
    """Nobody's mean cost is below the least cost or above the greatest."""
    few = ew.ContingencyTable.from_matrix([[3, 1], [2, 4]], rows="predicted")
    interval = ew.estimate(
        few, ew.decisions.expected_cost(few, [[0, 1], [10, 0]], rows="predicted")
    ).interval(0.99)
    assert 0 <= interval.low <= interval.high <= 10


def test_costs_that_are_all_alike() -> None:
    result = ew.estimate(TABLE, ew.decisions.expected_cost(TABLE, [[2, 2], [2, 2]], rows="predicted"))
    assert result.value == pytest.approx(2.0, abs=1e-12)
    assert result.law is None
    assert result.no_interval is not None


def test_costs_of_no_cases() -> None:
    nothing = ew.ContingencyTable.from_matrix([[0, 0], [0, 0]], rows="predicted")
    with pytest.raises(InputError, match="no cases"):
        ew.decisions.costs(nothing, COSTS, rows="predicted")
    result = ew.estimate(nothing, ew.decisions.expected_cost(nothing, COSTS, rows="predicted"))
    assert math.isnan(result.value)
    assert result.undefined == "there are no cases with a decision"


@pytest.mark.parametrize(
    "matrix",
    [
        [[0, 1]],
        [[0, 1, 2], [1, 0, 2], [1, 1, 0]],
        [[0, math.nan], [1, 0]],
        [[0, math.inf], [1, 0]],
        [[0, 1], [1]],
        [["free", "dear"], ["dear", "free"]],
        None,
    ],
    ids=["one row", "too large", "nan", "infinite", "ragged", "words", "nothing"],
)
def test_a_matrix_that_does_not_fit(matrix: object) -> None:
    with pytest.raises(InputError, match="2 by 2"):
        ew.decisions.costs(TABLE, matrix, rows="predicted")
    with pytest.raises(InputError, match="2 by 2"):
        ew.decisions.expected_cost(TABLE, matrix, rows="predicted")


def test_rows_must_be_said() -> None:
    with pytest.raises(OptionError, match="rows"):
        ew.decisions.costs(TABLE, COSTS, rows="truth")


def test_costs_made_for_another_table() -> None:
    three = ew.ContingencyTable.from_matrix([[3, 1, 0], [2, 4, 1], [0, 0, 5]], rows="predicted")
    with pytest.raises(ew.EdgeworthError):
        ew.measure(three, ew.decisions.expected_cost(TABLE, COSTS, rows="predicted"))


def test_the_slope_of_what_is_saved() -> None:
    """The gradient, which holds up to a constant, against differences over a small step."""
    counts, costs = (
        np.array([[9.0, 4, 2], [3, 8, 1], [2, 5, 7]]),
        np.array([[0.0, 1, 5], [2, 0, 1], [9, 3, 0]]),
    )
    measure, step = saving_measure(costs), 1e-5
    result = measure.gradient(counts)  # type: ignore[misc]  # this measure has one
    moves = step * np.eye(9).reshape(9, 3, 3)
    slopes = (measure.compute(counts + moves) - measure.compute(counts - moves)) / (2 * step)
    change = result.ravel() - slopes
    assert change == pytest.approx(np.full(9, change.mean()), abs=1e-8)


@pytest.mark.parametrize(
    ("matrix", "begin"),
    [
        ("0 5; 1 0", "The predictions cost 0.11 per case (95% CI "),
        ("0 1; 100 0", "Always predicting 0 costs least: 0.50 per case, significantly less than "),
    ],
)
def test_costs_that_were_asked_for_lead_the_verdict(matrix: str, begin: str) -> None:
    table = ew.ContingencyTable.from_matrix([[190, 6], [14, 194]], rows="predicted")
    report = ew.evaluate(table, costs=matrix)
    assert report.verdict.startswith(begin)
    assert ". Guessing with the same shares costs " in report.verdict
