"""ROC area under random selection: against all orders, and against SciPy's Mann–Whitney test."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

import edgeworth as ew
from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.comparisons.scores.differences import score_difference
from edgeworth.core import registry
from edgeworth.errors import OptionError
from edgeworth.rankings.estimates import orders_by_inversions
from edgeworth.rankings.policy import MAX_PAIRS_COUNTED

ALTERNATIVES: tuple[Any, ...] = ("greater", "less", "two-sided")


def area(hits: tuple[int, ...]) -> Fraction:
    """The share of pairs in the right order, as a fraction."""
    pairs = wins = 0
    for (i, first), (j, second) in itertools.combinations(enumerate(hits), 2):
        assert i < j
        if first != second:
            pairs, wins = pairs + 1, wins + first
    return Fraction(wins, pairs)


def tail_of(hits: Any, alternative: Any, unranked: int = 0) -> Any:
    return ew.estimate(ew.Ranking.from_hits(list(hits), unranked=unranked), "roc_auc").test_against_chance(
        alternative
    )


@pytest.mark.parametrize(("items", "targets"), [(2, 1), (5, 2), (7, 3), (8, 4), (9, 2), (10, 7)])
def test_the_exact_tail_counts_all_orders(items: int, targets: int) -> None:
    orders = [
        tuple(int(i in places) for i in range(items))
        for places in itertools.combinations(range(items), targets)
    ]
    areas = {hits: area(hits) for hits in orders}
    for hits in orders[:: max(1, len(orders) // 25)]:
        good = Fraction(sum(value >= areas[hits] for value in areas.values()), len(orders))
        bad = Fraction(sum(value <= areas[hits] for value in areas.values()), len(orders))
        expected = {"greater": good, "less": bad, "two-sided": min(Fraction(1), 2 * min(good, bad))}
        for alternative in ALTERNATIVES:
            tail = tail_of(hits, alternative)
            assert tail.exact == expected[alternative]
            assert tail.p_value == float(expected[alternative])


@given(st.integers(1, 12), st.integers(1, 12))
def test_orders_are_all_counted_once(targets: int, background: int) -> None:
    counts = orders_by_inversions(targets, background)
    assert sum(counts) == math.comb(targets + background, targets)
    assert counts == counts[::-1]
    assert min(counts) >= 0
    assert len(counts) == targets * background + 1


@given(st.lists(st.integers(0, 1), min_size=2, max_size=40))
def test_without_ties_it_is_scipy_s_exact_test(hits: list[int]) -> None:
    assume(0 < sum(hits) < len(hits))
    scores = -np.arange(len(hits))
    flags = np.array(hits) == 1
    for alternative in ALTERNATIVES:
        theirs = stats.mannwhitneyu(
            scores[flags], scores[~flags], alternative=alternative, method="exact"
        ).pvalue
        assert tail_of(hits, alternative).p_value == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("levels", [2, 4, 30])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_with_ties_it_is_scipy_s_normal_approximation(levels: int, alternative: Any) -> None:
    rng = np.random.default_rng(levels)
    for size in (250, 400):
        truth = rng.random(size) < 0.3
        truth[:2] = [True, False]
        scores = rng.integers(0, levels, size).astype(float) + truth
        scores[:2] = 1.0
        theirs = stats.mannwhitneyu(
            scores[truth], scores[~truth], alternative=alternative, method="asymptotic"
        ).pvalue
        tail = ew.estimate(ew.Ranking.from_scores(truth, scores), "roc_auc").test_against_chance(alternative)
        assert tail.kind == "approximation"
        assert tail.p_value == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("sizes", [(1, 11, 28), (5, 3, 4), (2, 9, 1, 8)])
def test_with_ties_and_few_targets_orders_keep_their_ties(sizes: tuple[int, ...], alternative: Any) -> None:
    targets = 4
    law: dict[float, Fraction] = {}
    for hits in itertools.product(*(range(min(size, targets) + 1) for size in sizes)):
        if sum(hits) == targets:
            ways = math.prod(math.comb(*pair) for pair in zip(sizes, hits, strict=True))
            area = round(ew.measure(tied_ranking(sizes, hits), "roc_auc"), 9)
            law[area] = law.get(area, Fraction()) + Fraction(ways, math.comb(sum(sizes), targets))
    assert sum(law.values()) == 1
    seen = tied_ranking(sizes, (1, targets - 1, *(0 for _ in sizes[2:])))
    value = round(ew.measure(seen, "roc_auc"), 9)
    beyond = [p for area, p in law.items() if (area >= value if alternative == "greater" else area <= value)]
    tail = ew.estimate(seen, "roc_auc").test_against_chance(alternative)
    assert tail is not None
    assert tail.kind == "drawn"
    assert tail.low <= sum(beyond) <= tail.high  # 99% of seeds


def tied_ranking(sizes: tuple[int, ...], hits: tuple[int, ...]) -> ew.Ranking:
    """Some targets in each group of tied items, the best group first."""
    truth = [k < many for size, many in zip(sizes, hits, strict=True) for k in range(size)]
    return ew.Ranking.from_scores(truth, -np.repeat(np.arange(len(sizes)), sizes))


def test_beyond_many_pairs_it_is_normal_and_close_to_the_exact_law() -> None:
    rng = np.random.default_rng(3)
    targets = 142
    assert targets * targets > MAX_PAIRS_COUNTED
    hits = rng.permutation(np.repeat([1, 0], [targets, targets]))
    hits[:20] = np.sort(hits[:20])[::-1]
    scores = -np.arange(len(hits))
    exact = stats.mannwhitneyu(scores[hits == 1], scores[hits == 0], alternative="greater", method="exact")
    tail = tail_of(hits, "greater")
    assert tail.kind == "approximation"
    assert tail.p_value == pytest.approx(exact.pvalue, rel=0.02)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_a_target_never_ranked_stands_last(alternative: Any) -> None:
    hits = [1, 0, 1, 0, 0, 1, 0]
    assert tail_of(hits, alternative, 1).exact == tail_of([*hits, 1], alternative).exact
    # Several of them stand last in one tie.
    scores = np.array([7.0, 6, 5, 4, 3, 2, 1, 0, 0, 0])
    truth = np.array([*hits, 1, 1, 1]) == 1
    theirs = stats.mannwhitneyu(scores[truth], scores[~truth], alternative=alternative, method="asymptotic")
    assert tail_of(hits, alternative, 3).p_value == pytest.approx(theirs.pvalue, rel=1e-9)


def test_all_tied_is_no_evidence() -> None:
    ranking = ew.Ranking.from_scores([1, 0, 1, 0], [0.5] * 4)
    for alternative in ALTERNATIVES:
        assert ew.estimate(ranking, "roc_auc").p_value(alternative=alternative) == 1


def test_tails_are_never_0_and_the_default_is_two_sided() -> None:
    ranking = ew.Ranking.from_hits([1] * 100 + [0] * 150)
    estimate = ew.estimate(ranking, "roc_auc")
    greater = estimate.p_value(alternative="greater")
    assert greater == pytest.approx(1 / math.comb(250, 100))
    assert estimate.p_value() == pytest.approx(2 * greater)
    longer = ew.estimate(ew.Ranking.from_hits([1] * 4000 + [0] * 4000), "roc_auc")
    assert 0 < longer.p_value(alternative="greater") < 1e-300
    assert longer.p_value(alternative="less") == 1


def test_other_ways_to_say_it_are_refused() -> None:
    with pytest.raises(OptionError, match="alternative"):
        ew.estimate(ew.Ranking.from_hits([1, 0, 1]), "roc_auc").p_value(alternative="larger")  # type: ignore[arg-type]  # wrong on purpose


def test_a_registered_measure_gets_the_methods_of_its_theory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_REGISTERED", [])
    [area_entry] = [entry for entry in ew.catalogue(kind="rankings") if entry.name == "roc_auc"]
    ranking = ew.Ranking.from_hits([1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0])
    try:
        ew.register(replace(area_entry, name="win_share", synonyms=()))
        own, usual = (ew.estimate(ranking, name) for name in ("win_share", "roc_auc"))
        assert isinstance(own.method, ew.methods.Influence)
        assert own.interval(0.95) == usual.interval(0.95)
        assert own.test_against_chance("greater") == usual.test_against_chance("greater")
        paired = PairedScores.from_scores(
            [1, 1, 1, 0, 0, 0, 0], {"a": [7, 6, 4, 5, 3, 2, 1], "b": [7, 3, 4, 5, 6, 2, 1]}
        )
        assert "delong" in score_difference(paired, "a", "b", "win_share").tests
    finally:
        monkeypatch.undo()
        registry.measures_by_name.cache_clear()
        registry._names_by_letters.cache_clear()
