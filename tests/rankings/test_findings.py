"""Findings about a ranking, or about many lists: the numbers are those of the functions they come from."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.errors import InputError, OptionError
from edgeworth.rankings.findings import examine_lists, examine_ranking
from edgeworth.rankings.verdict import lists_verdict, ranking_verdict


def ranking(seed: int, size: int = 400, strength: float = 1.0, share: float = 0.15) -> ew.Ranking:
    rng = np.random.default_rng(seed)
    truth = (rng.random(size) < share).astype(int)
    return ew.Ranking.from_scores(truth, rng.normal(size=size) + strength * truth)


def lists(seed: int, number: int = 12, items: int = 30, strength: float = 1.0) -> ew.RankedLists:
    rng = np.random.default_rng(seed)
    truth = (rng.random(number * items) < 0.2).astype(int)
    truth[::items] = 1
    return ew.RankedLists.from_scores(
        truth, rng.normal(size=len(truth)) + strength * truth, groups=np.repeat(np.arange(number), items)
    )


def same(first: ew.Estimate, second: ew.Estimate) -> bool:
    return first.to_dict() == second.to_dict()


def test_estimates_are_those_of_estimate() -> None:
    given = ranking(1)
    findings = examine_ranking(given, level=0.9, depth=40)
    assert same(findings.average_precision, ew.estimate(given, "average_precision"))
    assert same(findings.roc_auc, ew.estimate(given, "roc_auc"))
    for name, value in findings.plain.items():
        assert value == ew.measure(given, name)
    look = findings.at_verdict_depth
    assert look.depth == 40
    assert same(look.precision, ew.estimate(given, "precision@40"))
    assert same(look.recall, ew.estimate(given, "recall@40"))
    assert look.hits == ew.measure(given, "hits@40")
    assert look.by_chance == pytest.approx(40 * given.target_total / given.total)
    assert look.lift == pytest.approx(look.hits / look.by_chance)
    assert look.at_least is not None
    chance = ew.chance.hits(int(given.total), int(given.target_total), 40).tail(int(look.hits))
    assert look.at_least.p_value == pytest.approx(chance.p_value)
    assert findings.plan == findings.average_precision.cases_needed(level=0.9)


def test_every_look_counts_its_hits() -> None:
    given = ranking(2)
    findings = examine_ranking(given)
    assert [look.depth for look in findings.by_depth] == sorted({look.depth for look in findings.by_depth})
    for look in findings.by_depth:
        assert look.hits == ew.measure(given, f"hits@{look.depth}")
        assert look.precision.value == pytest.approx(look.hits / look.depth)
        assert look.recall.value == pytest.approx(look.hits / given.target_total)


@pytest.mark.slow
@pytest.mark.parametrize(("strength", "is_better"), [(2.0, True), (-2.0, False)])
def test_either_way_from_chance_is_settled(strength: float, is_better: bool) -> None:
    findings = examine_ranking(ranking(3, strength=strength))
    assert findings.is_better == is_better
    assert findings.is_conclusive
    side: Any = "greater" if is_better else "less"
    # What is hopeless is settled by a proven bound: never below the tail itself.
    assert findings.average_precision.test_against_chance(side).low <= findings.tail.p_value < 0.001
    assert ("worse than" in ranking_verdict(findings)) != is_better
    assert {claim.strength for claim in ranking_verdict(findings).claims} == {"shown", "estimated"}


def test_chance_is_not_settled() -> None:
    findings = examine_ranking(ranking(4, size=120, strength=0.0))
    assert not findings.is_conclusive
    assert findings.tail.p_value > 0.025
    side: Any = "greater" if findings.is_better else "less"
    assert findings.tail == ew.estimate(findings.ranking, "average_precision").test_against_chance(side)
    claims = {claim.about: claim for claim in ranking_verdict(findings).claims}
    assert claims["average_precision"].strength == claims["chance"].strength == "not shown"
    assert claims["average_precision"].numbers["value"] == findings.average_precision.value


def test_the_verdict_speaks_the_estimate_s_numbers() -> None:
    findings = examine_ranking(ranking(5, size=1000), level=0.9)
    low, high = ew.estimate(findings.ranking, "average_precision").interval(0.9)
    verdict_text = ranking_verdict(findings)
    for bound in (low, high, findings.average_precision.value):
        assert f"{bound:.2f}" in verdict_text
    assert "90% CI" in verdict_text
    assert f"{findings.at_verdict_depth.hits} of {findings.ranking.target_total} targets" in verdict_text


@pytest.mark.slow
@pytest.mark.parametrize("targets", [5, 20, 29])
def test_few_targets_are_doubted(targets: int) -> None:
    rng = np.random.default_rng(targets)
    truth = np.repeat([1, 0], [targets, 800])
    given = ew.Ranking.from_scores(truth, rng.normal(size=len(truth)) + truth)
    for estimate in (examine_ranking(given).average_precision, examine_ranking(given).roc_auc):
        assert f"only {targets} targets" in str(estimate.caveat)
        assert estimate.to_dict()["caveat"] == estimate.caveat


def test_many_targets_are_not_doubted() -> None:
    findings = examine_ranking(ranking(6, size=3000))
    assert findings.average_precision.caveat is None
    assert findings.roc_auc.caveat is None


def test_little_background_is_doubted_too() -> None:
    rng = np.random.default_rng(7)
    truth = np.repeat([1, 0], [500, 12])
    given = ew.Ranking.from_scores(truth, rng.normal(size=len(truth)) + truth)
    assert "only 12 background cases" in str(examine_ranking(given).average_precision.caveat)


def test_worth_by_trying_every_depth() -> None:
    given = ranking(8)
    gain, cost = 7.0, 2.0
    findings = examine_ranking(given, depth=50, gain=gain, cost=cost)
    values = [gain * ew.measure(given, f"hits@{depth}") - cost * depth for depth in range(1, 401)]
    worth = findings.worth
    assert worth is not None
    assert worth.at_depth == pytest.approx(values[49])
    assert worth.best_value == pytest.approx(max(0.0, *values))
    assert worth.best_depth == 1 + int(np.argmax(values))
    assert f"Review the top {worth.best_depth:,.0f} of 400: " in ranking_verdict(findings)


def test_looking_may_never_pay() -> None:
    findings = examine_ranking(ranking(9), gain=1.0, cost=5.0)
    assert findings.worth is not None
    assert (findings.worth.best_depth, findings.worth.best_value) == (0, 0)
    assert "Review no item: " in ranking_verdict(findings)
    with pytest.raises(OptionError, match="both"):
        examine_ranking(ranking(9), gain=1.0)


def test_the_best_cut_is_the_best_of_all_thresholds() -> None:
    given = ranking(10)
    best = examine_ranking(given).best
    assert best is not None
    scores = np.concatenate([given.targets.scores, given.background.scores])
    heights = [ew.measure(given.at_threshold(float(score)), "informedness") for score in scores]
    assert best.informedness == pytest.approx(max(heights))
    assert ew.measure(best.table, "informedness") == pytest.approx(best.informedness)
    assert best.informedness == pytest.approx(ew.measure(given, "best_informedness"))
    assert best.depth == int((scores >= best.threshold).sum())


def test_the_curve_has_bands_of_both_kinds() -> None:
    given = ranking(11)
    curve = examine_ranking(given, level=0.8).curve
    assert curve is not None
    again = ew.rankings.bands(given, depths=curve.bands.depth, level=0.8)
    assert np.array_equal(curve.bands.recall_low, again.recall_low)
    for index in (0, 20, 99):
        depth = int(curve.bands.depth[index])
        law = ew.chance.hits(int(given.total), int(given.target_total), depth)
        assert (curve.chance_low[index], curve.chance_high[index]) == law.interval(0.8)


def test_ties_are_bracketed_where_they_matter() -> None:
    assert examine_ranking(ranking(12)).tie_bracket is None
    rng = np.random.default_rng(13)
    truth = rng.integers(0, 2, 60)
    tied = ew.Ranking.from_scores(truth, rng.integers(0, 4, 60).astype(float))
    bracket = examine_ranking(tied).tie_bracket
    assert bracket is not None
    assert bracket[0] < ew.measure(tied, "average_precision") < bracket[1]


@pytest.mark.parametrize(
    ("hits", "message"),
    [([0, 0, 0], "no targets"), ([1, 1, 1], "every ranked item is a target"), ([0, 1, 0, 0], "two targets")],
)
def test_little_to_say_is_said(hits: list[int], message: str) -> None:
    findings = examine_ranking(ew.Ranking.from_hits(hits))
    assert message in ranking_verdict(findings)
    if not any(hits):
        assert (findings.by_depth, findings.curve, findings.tail) == ((), None, None)


def test_weights_leave_the_exact_test_out() -> None:
    rng = np.random.default_rng(14)
    truth = np.repeat([1, 0], [100, 900])
    weighted = ew.Ranking.from_scores(
        truth, rng.normal(size=1000) + 2 * truth, weights=rng.uniform(0.5, 1.5, 1000)
    )
    findings = examine_ranking(weighted)
    assert findings.tail is None
    assert findings.curve is not None
    assert findings.curve.bands is None
    low, high = findings.average_precision.interval()
    assert findings.is_conclusive == (not low <= findings.average_precision.chance <= high)
    assert "The interval excludes the chance level" in ranking_verdict(findings)


def test_depths_are_checked_and_cut_at_the_end() -> None:
    short = ew.Ranking.from_hits([1, 0, 1, 0, 0])
    assert examine_ranking(short).depth == 2
    assert ranking_verdict(examine_ranking(short, depth=50)).startswith(
        "No clear difference from random order: average precision 0.83"
    )
    bad: Any
    for bad in (0, -2, 2.5, "10"):
        with pytest.raises(OptionError, match="depth"):
            examine_ranking(short, depth=bad)
    with pytest.raises(InputError, match="no items"):
        examine_ranking(ew.Ranking.empty())


@pytest.mark.slow
def test_list_findings_are_those_of_estimate() -> None:
    given = lists(21)
    findings = examine_lists(given, level=0.9)
    for name, estimate in findings.estimates.items():
        assert same(estimate, ew.estimate(given, name))
        assert {query: item[name] for query, item in findings.queries.items()} == ew.measure_each(given, name)
    assert findings.headline.measure == "average_precision"
    assert findings.tail == ew.estimate(given, "average_precision").test_against_chance("greater")
    assert findings.tail.p_value < 0.01
    values = sorted(ew.measure_each(given, "average_precision").values())
    assert findings.spread == pytest.approx((values[0], float(np.median(values)), values[-1]))
    low, high = findings.headline.interval(0.9)
    verdict_text = lists_verdict(findings)
    for number in (low, high, findings.headline.value, values[0], values[-1]):
        assert (f"{number:.2f}" if number < 0.995 else "1.00") in verdict_text


def test_lists_without_targets_are_counted_as_told() -> None:
    given = ew.RankedLists.from_scores(
        [1, 0, 0, 0, 0, 1], [3.0, 2, 2, 1, 1, 2], groups=["a", "a", "b", "b", "c", "c"]
    )
    findings = examine_lists(given)
    assert (findings.without_targets, findings.counted) == (1, 2)
    assert findings.headline.value == 1
    assert math.isnan(findings.queries["b"]["average_precision"])
    with pytest.raises(InputError, match="no lists"):
        examine_lists(ew.RankedLists.empty())


def test_the_tie_policy_reaches_every_measure() -> None:
    given = ew.RankedLists.from_scores(
        [0, 1, 0, 1], [1.0, 1, 1, 1], groups=["a", "a", "b", "b"], ids=["x", "y", "x", "y"]
    )
    findings = examine_lists(given, measures=("average_precision", "ndcg", "precision@1"), ties="trec")
    assert all("ties=trec" in name for name in findings.estimates)
    # Higher document ids come first in trec_eval: y, a target, in both lists.
    assert findings.headline.value == 1
    assert examine_lists(given, measures=("average_precision",), ties="input").headline.value == 0.5
