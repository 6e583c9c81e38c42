"""Systems that were graded, compared item by item."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import edgeworth as ew
from edgeworth.comparisons.labels.proportions import PairedProportions
from edgeworth.comparisons.paired_values.permutation import permutation_test
from edgeworth.comparisons.randomization.coins import mcnemar
from edgeworth.errors import InputError, OptionError

RNG = np.random.default_rng(8)
ONE, OTHER = RNG.random(80) < 0.8, RNG.random(80) < 0.6


def graded(values: Any, ids: Any = None, **options: Any) -> ew.Grades:
    return ew.Grades.from_grades(values, ids=range(len(values)) if ids is None else ids, **options)


def test_right_or_wrong_is_mcnemars_test_with_tangos_interval() -> None:
    difference = ew.compare({"one": graded(ONE), "other": graded(OTHER)})["one", "other"]["accuracy"]
    wins, losses = int((ONE & ~OTHER).sum()), int((OTHER & ~ONE).sum())
    assert difference.difference == pytest.approx((wins - losses) / 80)
    assert difference.p_value() == mcnemar(wins, losses).p_value
    assert list(difference.interval()) == pytest.approx(PairedProportions(wins, losses, 80).interval(0.95))
    assert difference.discordant == (wins, losses)


def test_clustered_answers_stay_within_their_range() -> None:
    """One is nearly always right where the other is wrong: Student's t over clusters goes beyond 1."""
    topics = [f"topic {number // 4}" for number in range(24)]
    good, bad = np.ones(24), np.r_[1, 1, 1, np.zeros(21)]
    comparison = ew.compare({"good": graded(good, clusters=topics), "bad": graded(bad, clusters=topics)})
    difference = comparison["good", "bad"]["accuracy"]
    sums = (good - bad).reshape(6, 4).mean(axis=1)
    assert stats.ttest_1samp(sums, 0).confidence_interval().high > 1
    assert difference.interval().high < 1
    assert next(iter(difference.tests)) == "permutation"
    same = ew.compare({"one": graded(good, clusters=topics), "two": graded(good, clusters=topics)})
    square = stats.t.ppf(0.975, 5) ** 2
    assert same["one", "two"]["accuracy"].interval().high == pytest.approx(square / (6 + square))


def test_grades_within_a_range_differ_by_no_more_than_it() -> None:
    points = {"good": [5, 5, 5, 4], "bad": [0, 0, 1, 3]}
    comparison = ew.compare({name: graded(item, grade_range=(0, 5)) for name, item in points.items()})
    assert comparison["good", "bad"]["mean"].interval().high == 5
    free = ew.compare({name: graded(member) for name, member in points.items()})
    assert free["good", "bad"]["mean"].interval().high > 5


def test_items_are_joined_by_id_and_those_left_out_are_said() -> None:
    shuffled = RNG.permutation(80)
    shorter = graded(OTHER[shuffled][:70], ids=shuffled[:70])
    comparison = ew.compare({"one": graded([*ONE, None]), "other": shorter})
    kept = shuffled[:70]
    expected = ONE[kept].mean() - OTHER[kept].mean()
    assert comparison["one", "other"]["accuracy"].difference == pytest.approx(expected)
    assert "10 items dropped: in one only." in comparison.report.warnings
    assert any(
        "1 answer has no grade and is excluded: 1 in one." in warning
        for warning in comparison.report.warnings
    )


def test_items_that_one_system_lacks_are_said_once_and_are_in_no_slice() -> None:
    rows = pd.DataFrame({"model": ["a"] * 40 + ["b"] * 37, "q": [*range(40), *range(37)]})
    rows["ok"], rows["half"] = (rows.q + (rows.model == "b")) % 3 == 0, rows.q % 2
    comparison = ew.compare(rows, truth=None, systems="ok", kind="correct", system="model", id="q", by="half")
    assert (comparison.findings.cases, len(comparison.report.warnings)) == (37, 1)
    slices = comparison.report.numbers["slices"]["slices"]
    assert {row["slice"]: row["cases"] for row in slices} == {"0": 19, "1": 18}


def test_repeats_and_points_are_tested_by_sign_flips_of_item_means() -> None:
    values = {name: RNG.integers(0, 6, (12, 3)) for name in ("a", "b")}
    ids = np.repeat(range(12), 3)
    grades = {name: graded(x.ravel(), ids, grade_range=(0, 5)) for name, x in values.items()}
    difference = ew.compare(grades)["a", "b"]["mean"]
    differences = values["a"].mean(axis=1) - values["b"].mean(axis=1)
    assert difference.difference == pytest.approx(differences.mean())
    assert difference.p_value() == permutation_test(differences).p_value
    assert difference.tests["permutation"].kind == "exact"


def test_clusters_flip_together_and_few_of_them_name_no_winner() -> None:
    clusters = np.repeat(range(20), 4)
    data = {"one": graded(ONE, clusters=clusters), "other": graded(OTHER, clusters=clusters)}
    comparison = ew.compare(data)
    accuracy = comparison["one", "other"]["accuracy"]
    sums = (ONE.astype(float) - OTHER).reshape(20, 4).sum(axis=1)
    assert (accuracy.p_value(), accuracy.cases) == (permutation_test(sums).p_value, 20)
    assert comparison.findings.unit == "cluster"
    three = {
        name: graded(np.full(30, right), clusters=np.repeat(range(3), 10))
        for name, right in (("a", 1), ("b", 0))
    }
    three["a"] = graded([0, *[1] * 29], clusters=np.repeat(range(3), 10))
    assert ew.compare(three)["a", "b"]["accuracy"].no_winner is not None
    other = graded(OTHER, clusters=clusters[::-1])
    with pytest.raises(InputError, match="is in two clusters"):
        ew.compare({"one": data["one"], "other": other})


def test_lower_is_better_and_rules_must_agree() -> None:
    fast, slow = RNG.uniform(1, 2, 160), RNG.uniform(2, 3, 160)
    comparison = ew.compare(
        truth=None, systems={"fast": fast, "slow": slow}, kind="grades", lower_is_better=True
    )
    assert comparison.verdict.startswith("fast beats slow: mean grade ")
    with pytest.raises(OptionError, match="another direction or range"):
        ew.compare({"a": graded(fast), "b": graded(slow, lower_is_better=True)})
    with pytest.raises(InputError, match="grades of a have no ids"):
        ew.compare({"a": ew.Grades.from_grades(fast), "b": graded(slow)})


def test_columns_side_by_side_are_compared_row_by_row(tmp_path: Any) -> None:
    path = tmp_path / "wide.csv"
    rows = [
        f"q{i},{'C' if a else 'I'},{'C' if b else 'I'}"
        for i, (a, b) in enumerate(zip(ONE, OTHER, strict=True))
    ]
    path.write_text("\n".join(["id,large,small", *rows]))
    expected = ew.compare({"large": graded(ONE), "small": graded(OTHER)})["large", "small"]["accuracy"]
    for options in ({}, {"id": "id"}):
        comparison = ew.compare(path, truth=None, systems=["large", "small"], kind="correct", **options)
        assert comparison["large", "small"]["accuracy"].to_dict() == expected.to_dict()
    with pytest.raises(InputError, match="id must be 1/0"):
        ew.compare(path, truth=None, systems=["large", "id"], kind="correct")


def test_many_systems_are_adjusted_and_pass_at_k_is_compared_on_items_that_have_it() -> None:
    data = {
        name: graded(RNG.random(90) < rate, np.repeat(range(30), 3))
        for name, rate in zip("abcd", (0.2, 0.5, 0.5, 0.9), strict=True)
    }
    for adjust in ("holm", "tukey"):
        comparison = ew.compare(data, adjust=adjust, measures=["accuracy", "pass@3"])  # type: ignore[arg-type]  # words
        assert comparison.letters["d"] == "a"
        assert not set(comparison.letters["a"]) & set(comparison.letters["d"])
    assert comparison["d", "a"]["pass@3"].cases == 30


def test_a_million_items_take_students_t() -> None:
    values = RNG.normal(size=(2, 25_000))
    difference = ew.compare(truth=None, systems={"a": values[0], "b": values[1]}, kind="grades")["a", "b"][
        "mean"
    ]
    assert list(difference.tests) == ["t"]


def test_an_option_of_other_predictions_is_refused() -> None:
    systems = {name: ew.Grades.from_grades([1, 0, 1], ids=["a", "b", "c"]) for name in ("A", "B")}
    with pytest.raises(OptionError, match="abstentions is not supported with grades"):
        ew.compare(systems, abstentions="drop")


def test_without_an_interval_no_winner_is_named() -> None:
    grades = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    comparison = ew.compare(truth=None, systems={"a": grades + 0.1, "b": grades}, kind="grades")
    difference = comparison["a", "b"][comparison.findings.headline]
    assert difference.p_value() < 0.05
    assert not difference.is_shown(0.95)


def test_systems_that_never_differ_gave_the_same_answers() -> None:
    right = [1, 0] * 15
    compared = ew.compare(truth=None, systems={"a": right, "b": right}, kind="correct")
    assert "a and b gave the same answers: accuracy 50.0%" in compared.verdict


def test_the_verdict_counts_the_answers_of_repeated_items() -> None:
    twice, thrice = np.repeat(range(20), 2), np.repeat(range(20), 3)
    one, two = graded(RNG.random(40) < 0.8, twice), graded(RNG.random(40) < 0.7, twice)
    assert "20 items, 2 answers each" in ew.compare({"a": one, "b": two}).verdict
    more = graded(RNG.random(60) < 0.7, thrice)
    assert "20 items, 40 to 60 answers per system" in ew.compare({"a": one, "b": more}).verdict
    topics = (twice // 4).tolist()
    a, b = (graded(RNG.random(40) < rate, twice, clusters=topics) for rate in (0.8, 0.7))
    assert "20 items, 2 answers each, in 5 clusters" in ew.compare({"a": a, "b": b}).verdict
    assert "20 items, 2 answers each, in 5 clusters" in ew.evaluate(a).verdict
    assert "answers" not in ew.compare({"a": graded(ONE), "b": graded(OTHER)}).verdict


def test_the_agreement_that_a_plan_needs_is_printed() -> None:
    comparison = ew.compare({"one": graded(ONE), "other": graded(OTHER)})
    alike = int((ONE == OTHER).sum())
    assert comparison["one", "other"]["accuracy"].agreement == pytest.approx(alike / 80)
    assert f"Both right or both wrong: {alike} of 80 items." in str(comparison.report)
    truth = RNG.permutation([1, 0] * 40)
    answers = {"one": np.where(ONE, truth, 1 - truth), "other": np.where(OTHER, truth, 1 - truth)}
    by_labels = ew.compare(truth=truth, systems=answers)
    assert f"Both right or both wrong: {alike} of 80 cases." in str(by_labels.report)
