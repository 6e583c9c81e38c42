"""A pair stands in one order everywhere on a page, the better one first; JSON keeps the order given."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy import stats

import edgeworth as ew
from edgeworth.core.test_results import TestResult
from edgeworth.report.report import AtMost, Grid, Report
from edgeworth.report.wording import describe_probability, format_cell, p_value_cell


def systems(**rates: float) -> tuple[Any, dict[str, Any]]:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 1500)
    return truth, {name: np.where(rng.random(1500) < rate, truth, 1 - truth) for name, rate in rates.items()}


def grid(report: Report, title: str) -> Grid:
    return next(section.grids[0] for section in report.sections if section.title.startswith(title))


def column(table: Grid, name: str) -> list[Any]:
    index = [item.name for item in table.columns].index(name)
    return [row[index] for row in table.rows]


def test_the_table_of_two_agrees_with_its_verdict() -> None:
    truth, given = systems(baseline=0.6, candidate=0.75)
    comparison = ew.compare(truth=truth, systems=given)
    assert comparison.verdict.startswith("candidate beats baseline: informedness 0.514 vs 0.196, +0.32 (")
    table = grid(comparison.report, "Which is better")
    assert [item.name for item in table.columns][1:4] == ["candidate", "baseline", "candidate − baseline"]
    difference = column(table, "candidate − baseline")[0]
    assert difference == pytest.approx(-comparison["baseline", "candidate"]["informedness"].difference)
    assert difference > 0
    posterior = grid(comparison.report, "Posterior probability")
    assert column(posterior, "P(candidate better)")[0] > 0.5
    low, high = column(table, "95% CI")[0]
    assert low < difference < high
    drawn = comparison.report.charts["differences"]
    assert drawn.data["differences"][0]["difference"] == pytest.approx(difference)
    assert ">candidate − baseline<" in drawn.svg()
    # Python and JSON keep the order in which the systems were given.
    result = comparison.to_dict()["comparison"]
    assert result["names"] == ["baseline", "candidate"]
    assert result["disagreements"][0]["first"] == "baseline"


@pytest.mark.parametrize("names", [("worse", "better"), ("better", "worse")])
def test_citation_and_tests_read_alike_in_whatever_order_systems_are_given(names: tuple[str, str]) -> None:
    rng = np.random.default_rng(5)
    ability = {"worse": 0.3, "better": 0.6}
    grades = {name: rng.random(40) ** (1 / ability[name]) for name in sorted(ability)}
    comparison = ew.compare({name: ew.Grades.from_grades(grades[name], ids=range(40)) for name in names})
    cited = re.search(r"of (\w+) − (\w+): \+([\d.]+) \(95% CI ([−+\d.]+) to", comparison.report.citation)
    assert cited is not None
    assert cited.groups()[:2] == ("better", "worse")
    t = stats.ttest_rel(grades["better"], grades["worse"])
    assert float(cited[3]) == pytest.approx((grades["better"] - grades["worse"]).mean(), abs=0.006)
    assert float(cited[4].replace("−", "-")) == pytest.approx(t.confidence_interval().low, abs=0.006)
    text = " ".join(map(str, column(grid(comparison.report, "Tests"), "method")))
    ahead = int((grades["better"] > grades["worse"]).sum())
    assert f"|t| = {t.statistic:.3g}," in text
    assert f"{ahead} against {40 - ahead}," in text


def test_right_alone_is_counted_for_the_right_one() -> None:
    truth, given = systems(baseline=0.6, candidate=0.75)
    only = {
        name: int(((given[name] == truth) & (given[other] != truth)).sum())
        for name, other in (("baseline", "candidate"), ("candidate", "baseline"))
    }
    report = ew.compare(truth=truth, systems=given).report
    rows: Any = grid(report, "Where they differ").rows
    lines = dict(rows)
    assert lines["only candidate right"] == only["candidate"]
    assert lines["only baseline right"] == only["baseline"]
    assert report.charts["disagreements"].description == (
        f"Only candidate is right on {only['candidate']} cases and only baseline on {only['baseline']}."
    )


def test_pairs_of_three_stand_in_one_order() -> None:
    truth, given = systems(worst=0.55, best=0.8, middle=0.7)
    report = ew.compare(truth=truth, systems=given).report
    wanted = [("best", "middle"), ("best", "worst"), ("middle", "worst")]
    for title in ("Pairs", "Where they differ", "Sample size"):
        table = grid(report, title)
        assert list(zip(column(table, "system"), column(table, "other"), strict=True)) == wanted, title
    table = grid(report, "Where they differ")
    for (first, second), number in zip(wanted, column(table, "only system"), strict=True):
        assert number == int(((given[first] == truth) & (given[second] != truth)).sum())
    description = report.charts["disagreements"].description
    assert re.match(
        r"Between the two leaders, only best is right on \d+ cases and only middle on ", description
    )
    names = [item.name for item in grid(report, "Leaderboard").columns][:5]
    assert names == ["system", "informedness", "95% CI", "rank", "first"]
    drawn: Any = report.charts["leaderboard"].data["leaderboard"]
    assert [(row["system"], row["place"]) for row in drawn] == [("best", 1), ("middle", 2), ("worst", 3)]


def test_only_ordered_cases_have_a_confidence_sequence() -> None:
    """A report of rows in no order gives one interval for a mean difference, that of a fixed sample."""
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 150)
    given = {name: np.clip(0.3 + 0.3 * truth + rng.normal(0, 0.1, 150), 0.05, 0.95) for name in "ab"}
    for ordered in (False, True):
        comparison = ew.compare(truth=truth, systems=given, kind="probabilities", ordered=ordered)
        plain, text = comparison.to_dict(), str(comparison)
        [duel] = plain["comparison"]["duels"]
        assert [sequence is not None for sequence in duel["sequences"].values()] == [ordered, ordered]
        assert ("confidence sequence" in text) == ordered
        brier = comparison["a", "b"]["brier"]
        squares = (given["a"] - truth) ** 2 - (given["b"] - truth) ** 2
        known = stats.ttest_1samp(squares, 0.0).confidence_interval(0.95)
        assert (tuple(brier.interval()) == pytest.approx((known.low, known.high))) != ordered
        if ordered:
            bounds = [duel["sequences"]["brier"][end] for end in ("low", "high")]
            assert bounds == pytest.approx(list(brier.interval()))


def test_sequences_of_three_stand_in_that_order_too() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 400)
    given = {
        name: np.clip(np.where(truth == 1, p, 1 - p) + rng.normal(0, 0.05, 400), 0.05, 0.95)
        for name, p in (("c", 0.55), ("a", 0.7), ("b", 0.6))
    }
    report = ew.compare(truth=truth, systems=given, kind="probabilities", ordered=True).report
    section = next(x for x in report.sections if x.title == "Evidence against each other")
    rows: Any = section.grids[1].rows
    assert list(dict.fromkeys(row[:2] for row in rows)) == [("a", "b"), ("a", "c"), ("b", "c")]
    for first, second, score, mean, (low, high) in rows:
        assert low < mean < high
        if score == "Brier":
            squares = [np.mean((given[name] - truth) ** 2) for name in (first, second)]
            assert mean == pytest.approx(squares[0] - squares[1], abs=1e-12)


def test_a_small_difference_is_not_one_of_0_points() -> None:
    truth = np.repeat([0, 1], 1250)
    one, two = truth.copy(), truth.copy()
    one[:400] = 1
    two[800:1204] = 1
    comparison = ew.compare(truth=truth, systems={"one": one, "two": two}, measures=["informedness"])
    assert comparison["one", "two"]["informedness"].difference == pytest.approx(0.0032)
    assert "informedness 0.6800 vs 0.6768, +0.0032 (95% CI −" in comparison.verdict
    ends = re.findall(r"CI (\S+) to (\S+);", comparison.verdict)[0]
    assert all(re.fullmatch(r"[−+]\d+\.\d{3}", end) for end in ends)


@pytest.mark.parametrize(
    ("tail", "cell", "words"),
    [
        (TestResult.from_draws(0, 10_000, 0), "≤ 1e-4", "at most 1e-4"),
        (TestResult.from_draws(1, 10_000, 0), "0.00020", "about 0.00020"),
        (TestResult.from_bound(0.01), "≤ 0.010", "at most 0.010"),
        (TestResult.from_bound(1e-40), "< 1e-12", "below 1e-12"),
        (TestResult.from_probability(0.012), "0.012", "0.012"),
    ],
)
def test_the_least_that_draws_can_give_is_a_bound(tail: TestResult, cell: str, words: str) -> None:
    assert format_cell(p_value_cell(tail), "probability") == cell
    assert describe_probability(tail) == words


def test_verdict_and_tables_say_a_bound_alike() -> None:
    truth, given = systems(good=0.85, bad=0.6)
    report = ew.compare(truth=truth, systems=given, measures=["mcc"], cluster=np.arange(1500) // 2).report
    assert "randomisation p ≤ 1e-4; " in report.verdict
    result = column(grid(report, "Which is better"), "p")[0]
    assert isinstance(result, AtMost)
    assert format_cell(result, "probability") == "≤ 1e-4"
    assert format_cell(column(grid(report, "Tests"), "p")[0], "probability") == "≤ 1e-4"
    # A number like any other for whoever counts with it.
    assert f"{float(result)!r}," in report.to_json()
