"""Means of grades: what may be claimed with a stated range, without one, and by how many items."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import edgeworth as ew


def compared(one: Any, two: Any, **options: Any) -> ew.Comparison:
    return ew.compare(truth=None, systems={"one": one, "two": two}, kind="grades", **options)


def times(items: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    slow = rng.lognormal(1, 0.3, items)
    return slow * rng.uniform(0.6, 1.05, items), slow


def test_without_a_range_few_items_claim_the_typical_item() -> None:
    fast, slow = times(30)
    comparison = compared(fast, slow, lower_is_better=True)
    mean = comparison["one", "two"]["mean"]
    wins, losses = int((fast < slow).sum()), int((fast > slow).sum())
    assert mean.typical == (wins, losses)
    assert comparison["two", "one"]["mean"].typical == (losses, wins)
    assert mean.p_value() == pytest.approx(stats.binomtest(wins, wins + losses).pvalue)
    assert mean.no_winner is not None
    assert math.isnan(mean.probability_better)
    assert not comparison.findings.is_conclusive("one", "two")
    assert comparison.verdict.startswith(
        f"one does better than two on {wins} of 30 items and worse on {losses}"
    )
    assert (
        "names no winner, because a rare large value may be missing from 30 items: state"
        in comparison.verdict
    )
    assert "exact" not in comparison.verdict
    claims = comparison.to_dict()["claims"]
    assert [(claim["about"], claim["strength"]) for claim in claims][:2] == [
        ("typical item", "shown"),
        ("mean", "not shown"),
    ]
    assert "rare large value" in comparison.to_frame("pandas").caveat[0]


def test_a_higher_mean_counts_its_own_wins_and_equals_show_nothing() -> None:
    rng = np.random.default_rng(2)
    one, two = rng.normal(size=(2, 40))
    comparison = compared(one, two)
    assert comparison["one", "two"]["mean"].typical == (int((one > two).sum()), int((one < two).sum()))
    assert comparison.verdict.startswith("No clear difference between one and two on the typical item")


def test_a_mean_names_a_winner_from_the_minimum_on() -> None:
    for items, is_named in ((149, False), (150, True)):
        comparison = compared(*times(items), lower_is_better=True)
        assert comparison.findings.is_conclusive("one", "two") is is_named
    assert comparison["one", "two"]["mean"].typical is None


def test_five_more_of_the_worst_item_seen_must_not_reverse_the_mean() -> None:
    fast, slow = times(200)
    gain = float((slow - fast).sum())
    for against, is_named in ((gain / 7, True), (gain / 5.5, False)):
        # One item against the winner: the sum that is left must exceed five of it.
        late = fast.copy()
        late[0] = slow[0] + against
        comparison = compared(late, slow, lower_is_better=True)
        mean = comparison["one", "two"]["mean"]
        assert (mean.no_winner is None) is is_named
        total = -mean.difference * 200
        assert bool(total > 5 * (late - slow).max()) is is_named


def test_a_mean_that_one_item_decides_has_a_caveat() -> None:
    fast, slow = times(200)
    plain = compared(fast, slow, lower_is_better=True)["one", "two"]["mean"]
    assert "variance" not in (plain.caveat or "")
    late = fast.copy()
    late[0] += 10
    gaps = late - slow
    share = ((gaps - gaps.mean()) ** 2).max() / ((gaps - gaps.mean()) ** 2).sum()
    comparison = compared(late, slow, lower_is_better=True)
    expected = f"one item carries {share:.0%} of the variance"
    assert expected in (comparison["one", "two"]["mean"].caveat or "")
    assert expected in comparison.to_frame("pandas").caveat[0]
    assert expected in comparison.verdict
    # A cluster of one item counts as that item.
    ids, clusters = range(200), [str(i) for i in range(200)]
    systems = {
        name: ew.Grades.from_grades(x, ids=ids, clusters=clusters, lower_is_better=True)
        for name, x in (("one", late), ("two", slow))
    }
    by_cluster = ew.compare(systems)["one", "two"]["mean"].caveat or ""
    assert expected.replace("item", "cluster") in by_cluster


def test_without_a_range_the_winner_says_what_unseen_items_could_do() -> None:
    """Time-outs in 1% of the items are missing from 200 items in 13% of samples, and only a caveat helps."""
    fast, slow = times(200)
    comparison = compared(fast, slow, lower_is_better=True)
    mean = comparison["one", "two"]["mean"]
    value = float((slow - fast).sum()) / 3
    expected = f"3 more items on which one is worse by {value:.1f} each (state the grade range"
    assert "one beats two" in comparison.verdict
    assert (
        "Rare grades far outside those seen could reverse this, for example " + expected in comparison.verdict
    )
    [claim] = [x for x in comparison.to_dict()["claims"] if x["strength"] == "shown"]
    for line in (
        claim["text"],
        str(mean),
        mean.to_dict()["caveat"],
        comparison.to_frame("pandas").caveat[0],
    ):
        assert expected in line
    assert expected in str(comparison["two", "one"]["mean"].mirror().to_dict()["caveat"])
    assert expected in mean._repr_html_()
    assert expected in comparison.report.to_html()
    # The caveat is about unseen values: three such items do reverse the mean.
    unseen = np.append(fast, [slow.mean() + value + 0.01] * 3), np.append(slow, [slow.mean()] * 3)
    assert unseen[0].mean() > unseen[1].mean()


def test_unseen_items_need_no_caveat_if_they_would_have_to_be_absurd_or_nothing_is_shown() -> None:
    ordinary = compared(*times(6000), lower_is_better=True)
    assert ordinary["one", "two"]["mean"].caveat is None
    within = compared(*times(200), lower_is_better=True, grade_range=(0, 10))
    assert within["one", "two"]["mean"].caveat is None
    rng = np.random.default_rng(5)
    grades = rng.normal(size=200)
    equal = compared(grades, grades + rng.normal(0, 0.5, 200) - np.where(np.arange(200) % 2, 1, -1))
    assert not equal.findings.is_conclusive("one", "two")
    assert equal["one", "two"]["mean"].caveat is None


def test_the_best_of_three_says_what_unseen_items_could_do_and_warns_once() -> None:
    fast, slow = times(200)
    systems = {"one": fast, "two": slow, "three": 1.5 * slow}
    comparison = ew.compare(truth=None, systems=systems, kind="grades", lower_is_better=True)
    [claim] = [x for x in comparison.to_dict()["claims"] if "beats both others" in x["text"]]
    assert "3 more items on which one is worse by" in claim["text"]
    assert not any("3 more" in warning for warning in comparison.report.warnings)
    pairs = comparison.to_frame("pandas").query("first == 'one'")
    assert len(pairs) == 2
    assert all("could reverse this" in caveat for caveat in pairs.caveat)


def test_a_stated_range_bounds_what_three_unseen_items_could_do() -> None:
    rng = np.random.default_rng(3)
    two = rng.uniform(0, 9, 60)
    for gain, is_named in ((0.45, False), (0.55, True)):
        # 60 · 0.5 = 3 · 10
        one = two + gain + np.where(np.arange(60) % 2, 0.1, -0.1)
        comparison = compared(one, two, grade_range=(0, 10))
        assert comparison.findings.is_conclusive("one", "two") is is_named
        assert next(iter(comparison["one", "two"]["mean"].tests)) == "permutation"
    assert comparison["one", "two"]["mean"].caveat is None
    few = compared(one[:40], two[:40], grade_range=(0, 10))["one", "two"]["mean"]
    assert "40 items are few" in (few.caveat or "")


def test_a_difference_that_is_unclear_anyway_has_no_caveat_about_a_reversal() -> None:
    rng = np.random.default_rng(1)
    one = rng.integers(0, 11, 60).astype(float)
    for gain, reason in (
        (0.05, None),
        (0.6, "3 more items at the other end of the range would reverse this"),
    ):
        two = np.clip(one + rng.normal(gain, 0.8, 60), 0, 10).round()
        comparison = compared(one, two, grade_range=(0, 10))
        mean = comparison["two", "one"]["mean"]
        assert 0 < mean.difference * 60 <= 3 * 10
        assert (mean.p_value() > 0.2) is (reason is None)
        assert mean.no_winner == reason
        assert ("would reverse" in str(comparison)) is (reason is not None)
        assert mean.unseen_shifts == (0.5, 0.5)


def test_right_or_wrong_and_shares_are_untouched() -> None:
    right = np.arange(40) % 4 > 0
    for options in ({}, {"lower_is_better": True}):
        result = compared(right.astype(float), 1.0 - right, **options)
        difference = result["one", "two"][result.findings.headline]
        assert (difference.no_winner, difference.typical) == (None, None)
        assert next(iter(difference.tests)) == "mcnemar"


def test_clusters_are_the_units_that_are_counted() -> None:
    fast, slow = times(300)
    ids, clusters = range(300), [str(i // 10) for i in range(300)]
    systems = {
        name: ew.Grades.from_grades(x, ids=ids, clusters=clusters, lower_is_better=True)
        for name, x in (("one", fast), ("two", slow))
    }
    difference = ew.compare(systems)["one", "two"]["mean"]
    assert difference.typical is not None
    assert sum(difference.typical) == 30


def test_three_systems_claim_the_typical_item_of_the_first_two() -> None:
    fast, slow = times(30)
    comparison = ew.compare(
        truth=None,
        systems={"one": fast, "two": slow, "three": slow + 1},
        kind="grades",
        lower_is_better=True,
    )
    assert "one does better than two on " in comparison.verdict
    assert "Holm p" in comparison.verdict
    assert set(comparison.ranks.values()) == {(1, 3)}
