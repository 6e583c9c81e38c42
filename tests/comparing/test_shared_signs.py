"""Random signs for all pairs at once: the p-values that draws of each pair's own would give."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from edgeworth.comparing.queries.differences import compare_queries
from edgeworth.comparing.queries.exact_values import scale_table
from edgeworth.comparing.queries.permutation import SharedSigns, permutation_test
from edgeworth.errors import OptionError
from edgeworth.rankings.lists import RankedLists

Floats = NDArray[np.float64]


def table(units: int, systems: int, seed: int, *, steps: int | None = None) -> Floats:
    rng = np.random.default_rng(seed)
    found = np.clip(0.5 + rng.normal(0, 0.1, (units, systems)) + 0.03 * np.arange(systems), 0, 1)
    return np.asarray(found if steps is None else np.rint(found * steps) / steps)


def shared(values: Floats, **options: Any) -> SharedSigns:
    found = SharedSigns.of(values, **options)
    assert found is not None
    return found


@pytest.mark.parametrize("steps", [None, 10])
def test_draws_enclose_the_exact_value(steps: int | None) -> None:
    """Twelve units are counted, whatever their values; a 99% interval of 20,000 draws holds that."""
    values = table(12, 4, seed=1, steps=steps)
    signs = shared(values, draws=20_000, seed=2)
    for first in range(4):
        for second in range(first):
            exact = permutation_test(values[:, first] - values[:, second], size=1.0)
            drawn = signs.monte_carlo(first, second)
            assert exact.exact is not None
            assert drawn.low <= exact.p_value <= drawn.high
            assert signs.tail(first, second, exact=True).exact == exact.exact
            assert signs.tail(first, second, exact=False).kind == "drawn"


def test_ties_are_ties() -> None:
    """Tenths that add up to the same in many ways: every draw that ties counts."""
    values = np.array([[0.3, 0.1], [0.2, 0.1], [0.7, 0.6], [0.1, 0.2], [0.6, 0.5], [0.1, 0.1]])
    exact = permutation_test([Fraction(2, 10), *[Fraction(1, 10)] * 2, Fraction(-1, 10), Fraction(1, 10)])
    assert exact.exact is not None
    drawn = shared(values, draws=50_000).monte_carlo(0, 1)
    assert drawn.p_value == pytest.approx(exact.p_value, abs=0.01)
    assert shared(np.array([[0.1 + 0.2, 0.3]] * 5), draws=99).monte_carlo(0, 1).p_value == 1


def test_a_pair_has_the_same_draws_whoever_else_is_there() -> None:
    values = table(200, 5, seed=3)
    whole, part = (shared(x, draws=999, seed=4) for x in (values, values[:, :3]))
    assert whole.monte_carlo(0, 2).p_value == part.monte_carlo(0, 2).p_value
    assert whole.monte_carlo(0, 2).p_value == whole.monte_carlo(2, 0).p_value
    again = shared(values, draws=999, seed=5)
    assert any(whole.monte_carlo(0, i).p_value != again.monte_carlo(0, i).p_value for i in (1, 2))


def test_whole_numbers_of_one_step() -> None:
    found = scale_table(np.array([[1 / 3, 1 / 2], [1 / 6, 1.0]]))
    assert found.numbers.tolist() == [[2, 3], [1, 6]]
    assert found.slack == 0
    values = np.random.default_rng(6).random((30, 3))
    grid = scale_table(values)
    assert grid.slack > 0
    step = values[0, 0] / grid.numbers[0, 0]
    assert np.abs(grid.numbers * step - values).max() < 2.0**-40


def test_draws_are_checked() -> None:
    with pytest.raises(OptionError, match="draws is a whole number"):
        SharedSigns.of(table(3, 4, seed=7), draws=0)


def lists_of(systems: int, queries: int) -> dict[str, RankedLists]:
    rng = np.random.default_rng(8)
    truth, clusters = (rng.random(queries * 10) < 0.3).astype(int), np.repeat(np.arange(queries), 10)
    truth[::10] = 1
    return {
        f"s{i}": RankedLists.from_scores(
            truth, truth * 0.3 * i + rng.normal(size=queries * 10), groups=clusters
        )
        for i in range(systems)
    }


def test_of_many_pairs_the_first_measure_is_counted_and_the_others_are_drawn() -> None:
    lists = lists_of(5, 20)
    found = compare_queries(lists, measures=["average_precision", "precision@5"], draws=4_999)
    alone = compare_queries({name: lists[name] for name in ("s0", "s4")}, measures=["average_precision"])
    for differences in found.pairs.values():
        assert differences["average_precision"].tests["permutation"].kind == "exact"
        assert differences["precision@5"].tests["permutation"].kind == "drawn"
    one, other = (x.difference("s0", "s4")["average_precision"] for x in (found, alone))
    assert one.p_value() == other.p_value()
    for test in ("t", "wilcoxon", "sign"):
        assert one.p_value(test) == pytest.approx(other.p_value(test), rel=1e-9)


def test_queries_may_come_in_clusters() -> None:
    """Each query twice, its copies in one cluster: what one of each says, to the last digit."""
    rng = np.random.default_rng(9)
    truth = rng.integers(0, 2, (12, 6))
    truth[:, 0] = 1
    scores = {
        name: rng.normal(size=(12, 6)) + lead * truth for name, lead in (("a", 0.2), ("b", 1), ("c", 2))
    }

    def lists(copies: int) -> dict[str, RankedLists]:
        queries = np.repeat(10 * np.arange(12)[None, :] + np.arange(copies)[:, None], 6)
        return {
            name: RankedLists.from_scores(
                np.tile(truth.ravel(), copies), np.tile(x.ravel(), copies), groups=queries
            )
            for name, x in scores.items()
        }

    options: dict[str, Any] = {"measures": ["average_precision"], "adjust": "tukey", "draws": 999}
    once = compare_queries(lists(1), **options)
    twice = compare_queries(lists(2), **options)
    clustered = compare_queries(
        lists(2), clusters={10 * i + j: i for i in range(12) for j in range(2)}, **options
    )
    assert (once.unit, twice.unit, clustered.unit) == ("query", "query", "cluster")
    for pair, differences in clustered.pairs.items():
        left, right = differences["average_precision"], once.pairs[pair]["average_precision"]
        assert left.cases == 12
        assert left.difference == pytest.approx(right.difference, rel=1e-12)
        for test in right.tests:
            assert left.p_value(test) == pytest.approx(right.p_value(test), rel=1e-9), test
        assert twice.pairs[pair]["average_precision"].p_value("t") < right.p_value("t")
        assert clustered.adjusted[pair] == once.adjusted[pair]
