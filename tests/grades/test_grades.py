"""Grades: the tally, its measures and intervals, against enumeration and other libraries."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy import stats

import edgeworth as ew
from edgeworth.errors import InputError, MergeError, OptionError
from edgeworth.grades.estimates import estimate_grades
from edgeworth.grades.findings import split_variance

WORDS = ["C", "i", "TRUE", "False", "Yes", "no", "1", "0", 1, 0, True, False, 1.0]
MEANT = [1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]


def test_right_and_wrong_are_written_in_many_ways() -> None:
    rows = range(len(WORDS))
    result = ew.Grades.from_grades(WORDS, ids=rows)
    assert [result.sums[(result.ids or ()).index(str(row))] for row in rows] == MEANT
    assert ew.evaluate(correct=WORDS).numbers["items"] == len(WORDS)


@pytest.mark.parametrize(("value", "message"), [("maybe", "'maybe'"), (2, "2"), (0.5, "0.5"), ("", "''")])
def test_anything_else_is_refused_with_its_row(value: Any, message: str) -> None:
    with pytest.raises(InputError, match=rf"correct must be 1/0.*row 3 has {message}"):
        ew.evaluate(correct=[1, 0, value])


def test_rows_without_ids_collapse_and_unscored_ones_are_counted_apart() -> None:
    result = ew.Grades.from_grades(np.tile([1.0, 0.0, 1.0, np.nan], 25_000))
    assert (result.items.tolist(), result.sums.tolist(), result.unscored) == (
        [25_000, 50_000],
        [0, 1],
        25_000,
    )
    assert ew.measure(result, "accuracy") == pytest.approx(2 / 3)
    with pytest.raises(InputError, match=r"row 2: missing=.drop"):
        ew.evaluate(correct=[1, None, 0])
    assert "1 answer has no grade" in str(ew.evaluate(correct=[1, None, 0], missing="drop"))


def test_repeats_are_averaged_within_items_and_items_weigh_alike() -> None:
    result = ew.Grades.from_grades([1, 0, 0, 0, 1], ids=["a", "a", "a", "a", "b"])
    assert ew.measure(result, "accuracy") == 0.625
    again = result + ew.Grades.from_grades([1], ids=["b"])
    assert again.repeats.tolist() == [4, 2]
    with pytest.raises(MergeError, match="with ids and grades without ids"):
        _ = result + ew.Grades.from_grades([1])
    with pytest.raises(InputError, match="item 'a' is in two clusters"):
        ew.Grades.from_grades([1, 0], ids=["a", "a"], clusters=["x", "y"])


@pytest.mark.parametrize("tries", [(4, 0), (4, 1), (4, 3), (4, 4), (7, 2)])
def test_pass_at_k_is_the_share_of_draws_that_hold_a_right_answer(tries: tuple[int, int]) -> None:
    number, right = tries
    answers = [1] * right + [0] * (number - right)
    result = ew.Grades.from_grades([*answers, 1, 1], ids=["a"] * number + ["b", "b"])
    for drawn in range(1, number + 1):
        chosen = list(combinations(answers, drawn))
        share = sum(any(item) for item in chosen) / len(chosen)
        expected = (share + 1) / 2 if drawn <= 2 else share
        assert ew.measure(result, f"pass@{drawn}") == pytest.approx(expected, rel=1e-12)
    assert "no item has 8 repeats" in str(ew.estimate(result, "pass@8").undefined)


@pytest.mark.parametrize("tries", [(4, 0), (4, 1), (4, 3), (4, 4), (7, 5)])
def test_pass_hat_k_is_the_share_of_draws_whose_answers_are_all_right(tries: tuple[int, int]) -> None:
    number, right = tries
    answers = [1] * right + [0] * (number - right)
    result = ew.Grades.from_grades([*answers, 1, 0], ids=["a"] * number + ["b", "b"])
    for drawn in range(1, number + 1):
        chosen = list(combinations(answers, drawn))
        share = sum(all(item) for item in chosen) / len(chosen)
        expected = (share + [0.5, 0.0][drawn - 1]) / 2 if drawn <= 2 else share
        assert ew.measure(result, f"pass_all@{drawn}") == pytest.approx(expected, rel=1e-12)
        assert ew.measure(result, f"pass^{drawn}") == ew.measure(result, f"pass_all@{drawn}")
    assert "no item has 8 repeats" in str(ew.estimate(result, "pass^8").undefined)


def test_the_flip_rate_is_the_share_of_pairs_of_repeats_that_differ() -> None:
    answers = {"a": [1, 1, 0, 1, 0], "b": [1, 1], "c": [0, 1, 0], "alone": [1]}
    rows = [(item, x) for item, values in answers.items() for x in values]
    grades = ew.Grades.from_grades([x for _, x in rows], ids=[item for item, _ in rows])
    shares = [np.mean([x != y for x, y in combinations(v, 2)]) for v in answers.values() if len(v) > 1]
    assert ew.measure(grades, "flip_rate") == pytest.approx(np.mean(shares), rel=1e-12)
    alone = ew.estimate(ew.Grades.from_grades([1, 0], ids=["a", "b"]), "flip_rate")
    assert "no item was answered twice" in str(alone.undefined)


def test_both_measures_of_tries_are_unbiased() -> None:
    """Over all outcomes of four tries at rate p, means are 1 − (1 − p)^k and p^k exactly."""
    rate, number = 0.3, 4
    for drawn in (1, 2, 3):
        totals = {"pass": 0.0, "pass_all": 0.0}
        for answers in product([0, 1], repeat=number):
            grades = ew.Grades.from_grades(answers, ids=["a"] * number)
            weight = rate ** sum(answers) * (1 - rate) ** (number - sum(answers))
            for name in totals:
                totals[name] += weight * ew.measure(grades, f"{name}@{drawn}")
        assert totals["pass"] == pytest.approx(1 - (1 - rate) ** drawn, rel=1e-12)
        assert totals["pass_all"] == pytest.approx(rate**drawn, rel=1e-12)


def test_the_chance_level_of_tries_is_that_of_independent_guesses() -> None:
    grades = ew.Grades.from_grades([1, 0, 1, 1], ids=["a", "a", "b", "b"])
    assert estimate_grades(grades, "pass@2", guess_rate=0.25).chance == pytest.approx(1 - 0.75**2)
    assert estimate_grades(grades, "pass_all@2", guess_rate=0.25).chance == pytest.approx(0.25**2)


def test_the_interval_of_right_or_wrong_is_wilsons_and_its_test_is_the_binomial() -> None:
    grades = ew.Grades.from_grades([1] * 31 + [0] * 69)
    peer = stats.binomtest(31, 100, 0.25, alternative="greater")
    both = peer.proportion_ci(method="wilson")
    interval = stats.binomtest(31, 100).proportion_ci(method="wilson")
    assert both.high == 1.0
    assert list(ew.estimate(grades, "accuracy").interval()) == pytest.approx([*interval], rel=1e-9)
    report = ew.evaluate(grades, guess_rate=0.25)
    assert report.numbers["guessing"]["at_least"]["p_value"] == pytest.approx(peer.pvalue, rel=1e-9)
    assert not report.numbers["is_conclusive"]
    assert report.verdict.startswith("No clear difference from guessing (")
    corrected = report.numbers["estimates"]["corrected_accuracy"]
    assert corrected["value"] == pytest.approx((0.31 - 0.25) / 0.75)
    assert corrected["low"] == pytest.approx((interval.low - 0.25) / 0.75)


def test_unbounded_grades_have_students_t() -> None:
    values = np.random.default_rng(3).uniform(size=40) * 9
    result = ew.estimate(ew.Grades.from_grades(values), "mean")
    expected = stats.t.interval(0.95, 39, values.mean(), stats.sem(values))
    assert list(result.interval()) == pytest.approx(expected, rel=1e-9)
    assert ew.estimate(ew.Grades.from_grades([2.0, 2.0]), "mean").no_interval is not None


def test_bounds_hold_the_interval_and_refuse_grades_beyond_them() -> None:
    result = ew.estimate(ew.Grades.from_grades([5, 5, 5, 4.5], grade_range=(0, 5)), "mean")
    assert 0 < result.interval().low < result.value < result.interval().high <= 5
    with pytest.raises(InputError, match="between 0 and 5; row 2 has 6"):
        ew.evaluate(grade=[1, 6], grade_range=(0, 5))
    with pytest.raises(InputError, match=r"as in \(0, 5\); saw \(5, 0\)"):
        ew.evaluate(grade=[1, 2], grade_range=(5, 0))


def test_clusters_widen_the_interval_and_few_of_them_conclude_nothing() -> None:
    right = np.repeat(np.random.default_rng(0).random(30) < 0.7, 10)
    alone = ew.estimate(ew.Grades.from_grades(right), "accuracy").interval()
    clustered = ew.estimate(ew.Grades.from_grades(right, clusters=np.repeat(range(30), 10)), "accuracy")
    assert clustered.interval().high - clustered.interval().low > 2 * (alone.high - alone.low)
    singly = ew.estimate(ew.Grades.from_grades(right, clusters=range(300)), "accuracy").interval()
    assert list(singly) == pytest.approx(list(alone))
    few = ew.evaluate(correct=right[:60], cluster=np.repeat(range(3), 20), guess_rate=0.1)
    assert not few.numbers["is_conclusive"]
    assert any("2.0 degrees of freedom" in warning for warning in few.warnings)


def test_the_variance_of_item_means_splits_into_items_and_repeats() -> None:
    table = np.random.default_rng(1).normal(size=(50, 4)) + np.random.default_rng(2).normal(size=(50, 1))
    split = split_variance(ew.Grades.from_grades(table.ravel(), ids=np.repeat(range(50), 4)))
    assert split is not None
    within, whole = table.var(axis=1, ddof=1).mean(), table.mean(axis=1).var(ddof=1)
    assert split.within == pytest.approx(within)
    assert split.between == pytest.approx(whole - within / 4)
    assert split.from_repeats == pytest.approx(within / 4 / whole)
    assert split_variance(ew.Grades.from_grades([1, 0, 1])) is None


def test_measures_and_options_that_do_not_fit_are_refused() -> None:
    points = ew.Grades.from_grades([0.5, 1.0])
    assert math.isnan(ew.measure(points, "accuracy"))
    for spelling in ("pass", "accuracy@3", "pass@0"):
        with pytest.raises(OptionError, match="pass@5"):
            ew.measure(points, spelling)
    with pytest.raises(OptionError, match="right or wrong"):
        ew.evaluate(points, guess_rate=0.25)
    with pytest.raises(OptionError, match="truth is not supported with grades"):
        ew.evaluate(correct=[1, 0], truth=[1, 0])


def test_a_tally_file_reports_as_the_data_do(tmp_path: Any) -> None:
    rng = np.random.default_rng(4)
    right, ids = rng.random(90) < 0.6, np.repeat(range(30), 3)
    whole = ew.evaluate(correct=right, id=ids).numbers["estimates"]
    parts = [ew.tally(correct=right[part], id=ids[part]) for part in (slice(40), slice(40, None))]
    for number, part in enumerate(parts):
        part.write(tmp_path / f"{number}.json")
    merged = ew.TallyRecord.merge([ew.read_tally(tmp_path / f"{number}.json") for number in (0, 1)])
    assert ew.evaluate(merged).numbers["estimates"] == whole


def test_a_column_called_correct_is_detected_where_nothing_else_is(tmp_path: Any) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("question,target,is_correct\nq1,a,1\nq2,b,0\nq3,a,1\n")
    report = ew.evaluate(path)
    assert report.numbers["estimates"]["accuracy"]["value"] == pytest.approx(2 / 3)
    assert "Took 'is_correct' as correct." in report.warnings
    path.write_text("y_true,y_pred,correct\na,a,1\nb,a,0\na,a,1\nb,b,1\n")
    assert ew.evaluate(path).numbers["kind"] == "decisions"


def test_a_report_has_claims_a_page_and_a_chart() -> None:
    report = ew.evaluate(grade=[120.0, 80, 95, 210, 130], lower_is_better=True)
    assert "lower is better" in report.verdict
    assert [claim["about"] for claim in report.to_dict()["claims"]] == ["mean"]
    assert sum(row["items"] for row in report.charts["items"].data["items"]) == 5
    assert "Items by grade" in report.to_html()


@pytest.mark.parametrize(("right", "items", "rate"), [(9, 10, 0.7), (4, 5, 0.5), (2, 20, 0.25), (1, 1, 0.5)])
def test_more_items_are_planned_for_the_binomial_test(right: int, items: int, rate: float) -> None:
    tally = ew.Grades.from_grades([1] * right + [0] * (items - right))
    planned = int(estimate_grades(tally, "accuracy", guess_rate=rate).cases_needed().needed)

    def power(number: int) -> float:
        every = range(number + 1)
        sides = [(stats.binom.cdf(x, number, rate), stats.binom.sf(x - 1, number, rate)) for x in every]
        law = stats.binom(number, right / items).pmf(every)
        return sum(p for p, both in zip(law, sides, strict=True) if 2 * min(both) <= 0.05)

    assert power(planned) >= 0.8
    assert all(power(fewer) < 0.8 for fewer in range(2, planned))


def test_intervals_of_grades_by_methods_that_are_asked_for() -> None:
    """Wilson and Clopper-Pearson as in SciPy; the bootstrap of items and clusters by its variance."""
    right = np.array([1] * 57 + [0] * 23)
    grades, test = ew.Grades.from_grades(right), stats.binomtest(57, 80)
    for method, known in ((ew.methods.Wilson(), "wilson"), (ew.methods.ClopperPearson(), "exact")):
        result = ew.estimate(grades, "accuracy", method=method)
        wanted = test.proportion_ci(method=known)
        assert tuple(result.interval()) == pytest.approx((wanted.low, wanted.high))
        assert str(result.method) == str(method)
    draws = ew.methods.Bootstrap(draws=20_000)
    points, clusters = np.random.default_rng(0).normal(size=400), np.arange(400) // 8
    plain = ew.estimate(ew.Grades.from_grades(points), "mean", method=draws).standard_error
    assert plain == pytest.approx(points.std() / 20, rel=0.03)
    whole = ew.Grades.from_grades(points, clusters=clusters)
    means = points.reshape(50, 8).mean(axis=1)
    assert ew.estimate(whole, "mean", method=draws).standard_error == pytest.approx(
        means.std() / math.sqrt(50), rel=0.03
    )


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (ew.methods.Wilson(), "these grades have no range"),
        (ew.methods.ClopperPearson(), "right or wrong once"),
        (ew.methods.Delta(), "does not apply to grades: use Wilson"),
        (ew.methods.AcrossCases(), "does not apply to grades: use Wilson"),
        (ew.methods.Influence(), "does not apply to grades: use Wilson"),
    ],
)
def test_methods_that_do_not_suit_grades_are_refused_in_a_sentence(method: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        ew.estimate(ew.Grades.from_grades([0.2, 3.1, 5.0]), "mean", method=method)


@pytest.mark.parametrize(
    ("options", "caveat"),
    [
        ({}, "fewer than 150 items: a rare large value could change it"),
        (
            {"grade_range": (0, 9)},
            "fewer than 50 items: a rare grade at the end of the range could change it",
        ),
        (
            {"cluster": [number // 2 for number in range(40)]},
            "only 20 effective clusters, and fewer than 150 clusters: a rare large value could change it",
        ),
    ],
)
def test_a_mean_of_few_grades_has_a_caveat_in_the_verdict_and_the_table(
    options: dict[str, Any], caveat: str
) -> None:
    report = ew.evaluate(grade=[1.0, 2.0, 4.0, 7.0, 3.0] * 8, **options)
    clusters = " in 20 clusters" if options.get("cluster") else ""
    assert f", but {caveat}; 40 items{clusters})" in report.verdict
    [row] = report.sections[0].grids[0].rows
    assert str(row[-1]).endswith(f", but {caveat}")


def test_many_grades_and_right_or_wrong_answers_have_no_caveat() -> None:
    few, many = [1.0, 2.0, 4.0, 7.0, 3.0] * 10, [1.0, 2.0, 4.0, 7.0, 3.0] * 30
    assert ew.estimate(ew.Grades.from_grades(few, grade_range=(0, 9)), "mean").caveat is None
    assert ew.estimate(ew.Grades.from_grades(many), "mean").caveat is None
    assert ew.estimate(ew.Grades.from_grades(many[:-1]), "mean").caveat is not None
    assert ew.estimate(ew.Grades.from_grades([1, 0, 1]), "accuracy").caveat is None
    drawn = ew.estimate(ew.Grades.from_grades(few), "mean", method=ew.methods.Bootstrap(draws=100))
    assert "could change it" in str(drawn.caveat)


@pytest.mark.parametrize("wrong", [1e71, -1e71, 1e308, float("inf")])
def test_a_grade_whose_variance_no_float_holds_is_refused(wrong: float) -> None:
    for options in ({}, {"id": list(range(10)) * 3}, {"cluster": list(range(10)) * 3}):
        with pytest.raises(InputError, match="row 1 has"):
            ew.evaluate(grade=[wrong, 1.0, 2.0] * 10, **options)
    with pytest.raises(InputError, match="the grade range must be"):
        ew.evaluate(grade=[1.0, 2.0, 0.0] * 10, grade_range=(0, 1e71))


@pytest.mark.filterwarnings("error")
def test_the_largest_grades_have_the_interval_of_small_ones() -> None:
    small, large = (
        ew.evaluate(grade=[x, x / 4, x / 2] * 60).numbers["estimates"]["mean"] for x in (1.0, 1e70)
    )
    for name in ("value", "low", "high"):
        assert large[name] == pytest.approx(1e70 * small[name])
