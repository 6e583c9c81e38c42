"""Bets where a cluster of cases is one bet: copies count once, and whatever dependence leaves an e-value."""

from __future__ import annotations

import functools
import itertools
import math
import operator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from edgeworth.comparisons.forecasts.bets import CaseClusters, forecast_duel, wealth_of_clusters
from edgeworth.comparisons.forecasts.differences import compare_forecasts
from edgeworth.errors import InputError
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.forecasts import Forecasts

Floats = NDArray[np.float64]


def two(y: Any, **chances: Any) -> dict[str, Forecasts]:
    """Forecasts of two classes from the probability of the second."""
    codes = np.asarray(y, dtype=np.intp)
    return {
        name: Forecasts(codes, np.stack([1 - np.asarray(p), np.asarray(p)], axis=1), (0, 1))
        for name, p in chances.items()
    }


def drawn(cases: int, seed: int) -> dict[str, Forecasts]:
    rng = np.random.default_rng(seed)
    p, q = rng.uniform(0.05, 0.95, (2, cases))
    return two(rng.integers(0, 2, cases), A=p, B=q)


def of_clusters(given: dict[str, Forecasts], clusters: Any, **options: Any) -> Wealth:
    return wealth_of_clusters(
        given["A"], given["B"], CaseClusters.of(clusters, len(given["A"])), against="B", **options
    )


def test_copies_of_a_case_are_one_bet() -> None:
    given = drawn(50, seed=1)
    rows = np.repeat(np.arange(50), 7)
    copies = {name: item[rows] for name, item in given.items()}
    alone = Wealth.from_forecasts(given["A"], given["B"], against="B", ordered=True)
    clustered = of_clusters(copies, rows, ordered=True)
    assert clustered.cases == 50
    np.testing.assert_allclose(clustered.path, alone.path, rtol=1e-12)
    np.testing.assert_allclose(clustered.mixture_path, alone.mixture_path, rtol=1e-10)
    left, right = forecast_duel(alone, "A", "B"), forecast_duel(clustered, "A", "B", unit="cluster")
    assert right.unit == "cluster"
    assert left.for_first.p_value == pytest.approx(right.for_first.p_value, rel=1e-12)
    for one, other in (
        (left.brier_sequence, right.brier_sequence),
        (left.log_sequence, right.log_sequence),
    ):
        assert one is not None
        assert other is not None
        np.testing.assert_allclose(other.low, one.low, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(other.high, one.high, rtol=1e-9, atol=1e-12)


def test_clusters_of_one_change_nothing_and_many_rows_are_kept_apart() -> None:
    given = drawn(9_000, seed=2)
    alone = Wealth.from_forecasts(given["A"], given["B"], against="B", ordered=True)
    clustered = of_clusters(given, np.arange(9_000), ordered=True)
    assert clustered.ordered
    assert clustered.log_wealth == pytest.approx(alone.log_wealth, rel=1e-12)
    assert clustered.log_maximum == pytest.approx(alone.log_maximum, rel=1e-12)
    np.testing.assert_array_equal(clustered.positions, alone.positions)


def test_a_cluster_counts_the_mean_of_its_log_factors() -> None:
    given = drawn(40, seed=3)
    rng = np.random.default_rng(4)
    names = rng.integers(0, 11, 40)
    factors = [np.log(value.of_truth(value.probabilities)) for value in given.values()]
    logs = factors[0] - factors[1]
    first = list(dict.fromkeys(names.tolist()))
    expected = np.cumsum([logs[names == name].mean() for name in first])
    result = of_clusters(given, names)
    np.testing.assert_allclose(result.path, expected, rtol=1e-12)
    back = of_clusters({"A": given["B"], "B": given["A"]}, names)
    np.testing.assert_allclose(back.path, -expected, rtol=1e-12)


@pytest.mark.parametrize("dependence", ["copies", "opposites", "one outcome decides"])
def test_the_mean_is_at_most_one_whatever_rows_of_a_cluster_have_to_do_with_each_other(
    dependence: str,
) -> None:
    """Enumerated: clusters (0, 2) and (1, 3) interleaved; q is a row's true chance given the other one."""
    # Where the outcome is sure to be 1, a chance below 1 pays less than it should.
    second = Fraction(99, 100) if dependence == "one outcome decides" else Fraction(1, 2)
    q = [Fraction(1, 2), Fraction(1, 2), second, second]
    p = [Fraction(4, 5), Fraction(1, 4), Fraction(9, 10), Fraction(2, 3)]
    follows = {"copies": (0, 1), "opposites": (1, 0), "one outcome decides": (1, 1)}[dependence]
    total, naive = 0.0, Fraction(0)
    for y0, y1 in itertools.product((0, 1), repeat=2):
        outcomes = [y0, y1, follows[y0], follows[y1]]
        given = two(outcomes, A=[float(x) for x in p], B=[float(x) for x in q])
        total += of_clusters(given, ["x", "y", "x", "y"]).wealth / 4
        factors = [(a if y else 1 - a) / (b if y else 1 - b) for a, b, y in zip(p, q, outcomes, strict=True)]
        naive += functools.reduce(operator.mul, factors) / 4
    assert total <= 1
    if dependence == "copies":
        assert naive > Fraction(6, 5)


def test_only_clusters_that_stand_together_have_a_largest_wealth_on_the_way() -> None:
    given = drawn(6, seed=5)
    assert of_clusters(given, [1, 1, 0, 0, 2, 2], ordered=True).ordered
    mixed = of_clusters(given, [1, 0, 1, 0, 2, 2], ordered=True)
    assert not mixed.ordered
    findings = compare_forecasts(given, clusters=[1, 0, 1, 0, 2, 2], ordered=True)
    assert findings.race is not None
    assert findings.race.evidence["A", "B"].log_maximum is None
    assert any("are not adjacent" in note for note in findings.notes)


def test_ruin_in_one_row_of_a_cluster_is_ruin() -> None:
    given = two([1, 1, 1], A=[0.0, 0.9, 0.5], B=[0.5, 0.5, 0.4])
    assert of_clusters(given, [1, 1, 2]).log_wealth == -math.inf
    assert of_clusters({"A": given["B"], "B": given["A"]}, [1, 1, 2]).log_wealth == math.inf
    # Each of them ruined in another row of one cluster: both have nothing.
    both = two([1, 1, 1], A=[0.0, 0.9, 0.5], B=[0.5, 0.0, 0.4])
    duel = forecast_duel(of_clusters(both, [1, 1, 2]), "A", "B", unit="cluster")
    assert duel.for_first.log_e_value == duel.for_second.log_e_value == -math.inf


def test_clusters_are_numbered_as_they_appear_and_checked() -> None:
    case_clusters = CaseClusters.of(np.array(["z", "a", "z", "m"], dtype=object), 4)
    assert case_clusters.codes.tolist() == [0, 1, 0, 2]
    assert not case_clusters.are_consecutive
    assert CaseClusters.of([5, 5, 3], 3).are_consecutive
    with pytest.raises(InputError, match="clusters has 3 rows"):
        CaseClusters.of([1, 2, 3], 4)
    with pytest.raises(InputError, match="missing in row 2"):
        CaseClusters.of(np.array(["a", None], dtype=object), 2)
