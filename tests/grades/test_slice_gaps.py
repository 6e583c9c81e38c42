"""Gaps between means without a known range: three unseen items must not reverse them."""

from __future__ import annotations

import math
from functools import reduce
from operator import add

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.grades.slice_gaps import gap_of_grades
from edgeworth.pipeline.slice_gaps import compare_slices
from edgeworth.pipeline.slices import Slice


def is_reversed(part: np.ndarray, rest: np.ndarray) -> bool:
    """Let three items of a side be like the largest or the smallest one of all, and compare the means."""
    gap, every = part.mean() - rest.mean(), np.concatenate([part, rest])
    for extreme in (every.min(), every.max()):
        for one, other, sign in ((part, rest, 1), (rest, part, -1)):
            moved = one.mean() + 3 * (extreme - one.mean()) / len(one)
            if sign * (moved - other.mean()) * gap <= 0:
                return True
    return False


@pytest.mark.parametrize("sigma", [0.2, 1.0, 1.5])
def test_a_gap_that_three_unseen_items_reverse_is_withheld(sigma: float) -> None:
    rng, withheld = np.random.default_rng(int(10 * sigma)), []
    for _ in range(40):
        part, rest = rng.lognormal(0, sigma, 160), rng.lognormal(rng.uniform(0, 0.5), sigma, 700)
        gap = gap_of_grades(*(ew.Grades.from_grades(values) for values in (part, rest)), "mean")
        assert gap.no_claim is None
        assert (gap.withheld is not None) == is_reversed(part, rest)
        withheld.append(gap.withheld is not None)
    assert sigma < 1 or any(withheld)
    assert sigma > 1 or not all(withheld)


def test_clusters_count_as_items() -> None:
    values = np.concatenate([np.tile([1.0, 2.0], 800), np.tile([1.3, 2.3], 800)])
    clusters = [f"c{index // 10}" for index in range(3200)]
    values[-10:] = 40.0
    values[[0, 1600]] += 0.01  # clusters without any spread have no interval
    halves = [slice(0, 1600), slice(1600, 3200)]
    one, other = (ew.Grades.from_grades(values[half], clusters=clusters[half]) for half in halves)
    # Three clusters like the last one add 3 · 385/1600 = 0.72 to the first mean, and the gap is 0.54.
    assert gap_of_grades(one, other, "mean").withheld is not None
    # Three rows like it would add 0.07.
    one, other = (ew.Grades.from_grades(values[half]) for half in halves)
    assert gap_of_grades(one, other, "mean").withheld is None


def test_a_withheld_gap_counts_among_the_gaps_that_are_adjusted_for() -> None:
    rng = np.random.default_rng(1)
    tallies = [ew.Grades.from_grades(rng.lognormal(0, 1.5, 200)) for _ in range(6)]
    slices = [Slice("slice", str(index), 200, None, {}) for index in range(6)]
    table = compare_slices(slices, tallies, reduce(add, tallies), ("mean",), level=0.95)
    assert table.level_of_gaps == pytest.approx(1 - 0.05 / 6)
    assert not any(math.isnan(row.adjusted_p_value) for row in table.rows)


def test_a_slice_that_lacks_rare_large_grades_is_not_called_worse() -> None:
    part, rest = np.tile([4.9, 5.1], 100), np.tile([4.9, 5.1], 900)
    rest[:20] = 105.0  # a share of 1 in 90: 200 items lack such a grade with probability 0.11
    tallies = [ew.Grades.from_grades(values) for values in (part, rest)]
    slices = [Slice("slice", name, 300, None, {}) for name in ("part", "rest")]
    table = compare_slices(slices, tallies, reduce(add, tallies), ("mean",), level=0.95)
    row = next(row for row in table.rows if row.slice == "part")
    assert row.adjusted_p_value < 0.001
    assert row.gap_high < 0
    assert not row.is_shown
    assert row.no_claim is not None
    assert "would reverse" in row.no_claim


def test_a_gap_without_a_range_says_what_unseen_items_could_do() -> None:
    rng = np.random.default_rng(6)
    part, rest = rng.normal(5.0, 1.0, 400), rng.normal(6.0, 1.0, 800)
    values = {"site": ["a"] * 400 + ["b"] * 800}
    report = ew.evaluate(grade=np.concatenate([part, rest]), by=values)
    needed = (rest.mean() - part.mean()) * 400 / 3
    expected = f"3 more items that are {needed:.0f} from the mean each"
    assert expected in report.verdict
    rows = report.to_dict()["slices"]["slices"]
    assert all(expected in row["caveat"] for row in rows)
    assert expected in " ".join(report.to_html().split())
    tallies = [ew.Grades.from_grades(x, grade_range=(0, 12)) for x in (part, rest)]
    assert gap_of_grades(*tallies, "mean").caveat is None
    # An unseen value would have to be more than a hundred times the range of those seen.
    many = [ew.Grades.from_grades(np.tile(x, 20)) for x in (part, rest)]
    assert gap_of_grades(*many, "mean").caveat is None


def test_a_slice_that_lacks_rare_failures_is_not_called_worse_within_a_range() -> None:
    """Both slices have a mean of 91.2. One fails in 4% of its items, and often in none of 60."""
    rng, runs, named, plain = np.random.default_rng(8), 200, 0, 0
    for _ in range(runs):
        safe = rng.normal(91.2, 1.5, 60)
        risky = np.where(rng.random(60) < 0.04, 0, rng.normal(95, 1.5, 60))
        values = [x.clip(0, 100) for x in (safe, risky)]
        tallies = [ew.Grades.from_grades(x, grade_range=(0, 100)) for x in values]
        gap = gap_of_grades(*tallies, "mean")
        low, high = gap.interval(0.95)
        plain += high < 0 or low > 0
        named += gap.withheld is None and (high < 0 or low > 0)
    assert plain / runs > 0.09
    assert named / runs <= 0.02


def test_three_items_at_an_end_of_the_range_decide_what_is_withheld() -> None:
    low, high = np.tile([49.0, 51.0], 60), np.tile([54.0, 56.0], 60)
    tallies = [ew.Grades.from_grades(x, grade_range=(0, 100)) for x in (low, high)]
    # Three of 120 items at 0 and not 55 lower the mean by 1.375; three at 100 and not 50 raise it by 1.25.
    assert gap_of_grades(*tallies, "mean").withheld is None
    nearer = ew.Grades.from_grades(high - 3.7, grade_range=(0, 100))  # a gap of 1.3; 3 · 51.3/120 = 1.28
    assert gap_of_grades(tallies[0], nearer, "mean").withheld is None
    nearest = ew.Grades.from_grades(high - 3.75, grade_range=(0, 100))  # a gap of 1.25
    withheld = gap_of_grades(tallies[0], nearest, "mean").withheld
    assert withheld == "3 more items at an end of the range would reverse the gap"
