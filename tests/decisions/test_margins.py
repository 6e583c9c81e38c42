"""The test of equal margins, against statsmodels, the binomial law and its own level."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special
from statsmodels.stats.contingency_tables import SquareTable

import edgeworth as ew
from edgeworth.decisions.margins import _binomial_tail, _chi_square_tail, equal_margins


def table_of(counts: object) -> ew.ContingencyTable:
    return ew.ContingencyTable.from_matrix(counts, rows="predicted")  # type: ignore[arg-type]  # a matrix


@pytest.mark.parametrize("classes", [3, 4, 6])
def test_more_classes_against_statsmodels(classes: int) -> None:
    counts = np.random.default_rng(classes).integers(1, 20, (classes, classes))
    wanted = SquareTable(counts, shift_zeros=False).homogeneity(method="stuart_maxwell")
    result = equal_margins(table_of(counts))
    assert result is not None
    assert result.p_value == pytest.approx(wanted.pvalue, rel=1e-9)


def test_two_classes_are_binomial() -> None:
    result = equal_margins(table_of([[20, 9], [2, 30]]))
    assert result is not None
    assert result.p_value == pytest.approx(2 * sum(math.comb(11, k) for k in range(3)) / 2**11)


def test_two_pairs_confused_apart_are_two_binary_questions() -> None:
    """Stuart–Maxwell is then the sum of two χ² of McNemar, each with one degree of freedom."""
    counts = [[9, 7, 0, 0], [3, 9, 0, 0], [0, 0, 9, 5], [0, 0, 4, 9]]
    result = equal_margins(table_of(counts))
    assert result is not None
    assert result.p_value == pytest.approx(math.exp(-((4**2 / 10) + (1**2 / 9)) / 2))


def test_where_there_is_nothing_to_test() -> None:
    assert equal_margins(table_of([[5, 0], [0, 5]])) is None
    assert equal_margins(table_of([[5, 0.5], [2, 5]])) is None


def test_it_holds_its_level() -> None:
    """Symmetric tables of three classes, 300 cases: rejected at 5% in one of twenty."""
    rng = np.random.default_rng(1)
    shares = np.array([[0.3, 0.06, 0.04], [0.06, 0.25, 0.05], [0.04, 0.05, 0.15]])
    tables = rng.multinomial(300, shares.ravel(), size=2000).reshape(-1, 3, 3)
    rejected = np.mean([result.p_value <= 0.05 for x in tables if (result := equal_margins(table_of(x)))])
    assert rejected == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / 2000))


def test_tails_against_special_functions() -> None:
    for freedom in (1, 2, 3, 8, 251):
        for square in (0.0, 0.3, 2.0, 30.0, 400.0):
            assert _chi_square_tail(square, freedom) == pytest.approx(
                special.chdtrc(freedom, square), rel=1e-9
            )
    for few, trials in ((0, 1), (3, 11), (50, 100), (4_900, 10_000), (499_000, 1_000_000)):
        assert _binomial_tail(few, trials) == pytest.approx(special.bdtr(few, trials, 0.5), rel=1e-7)
