"""Each compared system against chance: enumeration and SciPy's tests of one system by itself."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

import edgeworth as ew
from edgeworth.comparisons.chance import AgainstChance
from edgeworth.comparisons.verdict import describe_chance
from edgeworth.errors import OptionError

RNG = np.random.default_rng(7)
TRUTH = RNG.integers(0, 2, 90)
GOOD = np.where(RNG.random(90) < 0.75, TRUTH, 1 - TRUTH)
POOR = RNG.integers(0, 2, 90)


def chance_of(comparison: ew.Comparison) -> dict[str, AgainstChance]:
    return dict(comparison.findings.chance)


def test_labels_are_tested_against_guessing_by_fishers_exact_test() -> None:
    comparison = ew.compare(truth=TRUTH, systems={"poor": POOR, "good": GOOD}, positive=1)
    assert comparison.findings.chance_null == "guessing"
    for name, labels in (("good", GOOD), ("poor", POOR)):
        result = chance_of(comparison)[name]
        counts = [[int(((labels == p) & (t == TRUTH)).sum()) for t in (1, 0)] for p in (1, 0)]
        assert result.p_value == pytest.approx(stats.fisher_exact(counts, alternative="greater").pvalue)
        assert result.chance == 0
        assert result.value == comparison.findings.values[name]["informedness"]
    assert comparison.findings.is_better_than_chance("good")
    assert not comparison.findings.is_better_than_chance("poor")


def test_the_chance_level_of_accuracy_is_that_of_each_systems_margins() -> None:
    comparison = ew.compare(truth=TRUTH, systems={"good": GOOD, "poor": POOR}, measures=["accuracy"])
    for name, labels in (("good", GOOD), ("poor", POOR)):
        share, text = TRUTH.mean(), labels.mean()
        assert chance_of(comparison)[name].chance == pytest.approx(share * text + (1 - share) * (1 - text))


def average_precision(places: tuple[int, ...]) -> Fraction:
    return sum((Fraction(i, index) for i, index in enumerate(places, 1)), Fraction(0)) / len(places)


def test_scores_are_tested_against_every_order() -> None:
    """Of 9 items with 3 targets there are 84 orders."""
    truth = [1, 1, 0, 1, 0, 0, 0, 0, 0]
    systems = {"a": list(range(9, 0, -1)), "b": [5, 9, 8, 3, 7, 6, 4, 2, 1]}
    places = {"a": (1, 2, 4), "b": (1, 5, 7)}
    orders = [average_precision(pair) for pair in combinations(range(1, 10), 3)]
    result = chance_of(ew.compare(truth=truth, systems=systems, kind="scores"))
    for name, own in places.items():
        value = average_precision(own)
        as_good = sum(order >= value for order in orders)
        assert result[name].value == pytest.approx(float(value))
        assert result[name].chance == pytest.approx(float(sum(orders) / 84))
        assert result[name].p_value == pytest.approx(as_good / 84)
    areas = chance_of(ew.compare(truth=truth, systems=systems, kind="scores", measures=["roc_auc"]))
    for name, scores in systems.items():
        sides = [[s for s, y in zip(scores, truth, strict=True) if y == side] for side in (1, 0)]
        known = stats.mannwhitneyu(*sides, alternative="greater", method="exact").pvalue
        assert (areas[name].p_value, areas[name].chance) == (pytest.approx(known), 0.5)


def test_queries_are_tested_against_random_orders_of_those_that_all_systems_have() -> None:
    """Of two queries with 5 items and 2 targets there are 10 orders each; a third is of one system only."""
    hits = {"a": [[1, 0, 1, 0, 0], [1, 1, 0, 0, 0]], "b": [[0, 1, 0, 0, 1], [1, 0, 0, 1, 0]]}
    lists = {}
    for name, queries in hits.items():
        own = [*queries, [0, 0, 0, 1, 1]] if name == "a" else queries
        groups = np.repeat(np.arange(len(own)), 5)
        truth = np.concatenate(own)
        lists[name] = ew.RankedLists.from_scores(truth, list(range(5, 0, -1)) * len(own), groups=groups)
    orders = [average_precision(pair) for pair in combinations(range(1, 6), 2)]
    means = [(one + other) / 2 for one in orders for other in orders]
    result = chance_of(ew.compare(lists))
    for name, queries in hits.items():
        places = [tuple(i for i, hit in enumerate(query, 1) if hit) for query in queries]
        value = sum(map(average_precision, places)) / 2
        known = sum(mean >= value for mean in means) / len(means)
        assert result[name].chance == pytest.approx(float(sum(means) / 100))
        assert result[name].p_value == pytest.approx(known, abs=4 * (known * (1 - known) / 9_999) ** 0.5)


def test_right_and_wrong_answers_are_tested_against_a_guess_rate() -> None:
    right = {"large": [1] * 40 + [0] * 30, "small": [1] * 20 + [0] * 50}
    comparison = ew.compare(truth=None, systems=right, kind="correct", guess_rate=0.25)
    for name, answers in right.items():
        known = stats.binomtest(sum(answers), 70, 0.25, alternative="greater").pvalue
        assert chance_of(comparison)[name].p_value == pytest.approx(known)
        assert chance_of(comparison)[name].chance == 0.25
    section = next(item for item in comparison.report.sections if item.title == "Each against guessing")
    assert section.text == (
        f"small is not shown to be better than guessing (two-sided Holm p = {2 * known:.3f}).",
    )
    without = ew.compare(truth=None, systems=right, kind="correct")
    assert without.to_dict()["comparison"]["chance"] is None
    assert "guessing" not in str(without)
    with pytest.raises(OptionError, match="must be between 0 and 1"):
        ew.compare(truth=None, systems=right, kind="correct", guess_rate=25)
    with pytest.raises(OptionError, match="right or wrong"):
        ew.compare(truth=None, systems={"a": [0.5, 1], "b": [1, 0.2]}, kind="grades", guess_rate=0.25)


@pytest.mark.parametrize("is_clustered", [False, True])
def test_probabilities_are_tested_against_the_class_shares_case_by_case(is_clustered: bool) -> None:
    chances = {"sure": np.clip(0.5 + 0.25 * (2 * TRUTH - 1), 0, 1) * 0.9, "vague": np.full(90, 0.4)}
    cluster = np.arange(90) if is_clustered else None  # of one case each
    comparison = ew.compare(
        truth=TRUTH, systems=chances, kind="probabilities", measures=["brier"], cluster=cluster
    )
    for name, item in chances.items():
        differences = (item - TRUTH) ** 2 - (TRUTH.mean() - TRUTH) ** 2
        known = stats.ttest_1samp(differences, 0.0, alternative="less").pvalue
        result = chance_of(comparison)[name]
        assert result.p_value == pytest.approx(known, rel=1e-6)
        assert result.chance == pytest.approx(((TRUTH.mean() - TRUTH) ** 2).mean())


def test_clusters_are_exchanged_whole_or_not_chance_of() -> None:
    clusters = np.arange(90) // 6
    labels = ew.compare(truth=TRUTH, systems={"good": GOOD, "poor": POOR}, cluster=clusters)
    table = ew.ContingencyTable.from_labels(TRUTH, GOOD, clusters=clusters)
    alone = ew.estimate(table, "informedness").test_against_chance("greater")
    assert alone is not None
    assert chance_of(labels)["good"].p_value == alone.p_value
    scores = {"good": TRUTH + RNG.normal(size=90), "poor": RNG.normal(size=90)}
    for value in chance_of(ew.compare(truth=TRUTH, systems=scores, kind="scores", cluster=clusters)).values():
        assert np.isnan(value.p_value)
        assert "not a valid null" in str(value.undefined)
        assert value.chance > 0


def test_scores_within_folds_have_the_chance_level_of_their_folds() -> None:
    fold = np.arange(90) % 3
    scores = {"good": TRUTH + RNG.normal(size=90), "poor": RNG.normal(size=90)}
    options: dict[str, Any] = {"kind": "scores", "fold": fold, "measures": ["roc_auc"]}
    comparison = ew.compare(truth=TRUTH, systems=scores, **options)
    for name, item in chance_of(comparison).items():
        assert item.value == pytest.approx(comparison.findings.values[name]["roc_auc"])
        assert item.chance == pytest.approx(0.5)
    assert comparison.findings.is_better_than_chance("good")


def test_text_table_and_json_say_the_same() -> None:
    comparison = ew.compare(truth=TRUTH, systems={"good": GOOD, "poor": POOR})
    plain = comparison.to_dict()
    chance = plain["comparison"]["chance"]
    assert (chance["null"], chance["measure"]) == ("guessing", "informedness")
    assert {name: item["is_better"] for name, item in chance["systems"].items()} == {
        "good": True,
        "poor": False,
    }
    # The winner is better than guessing, so the verdict does not discuss the other.
    assert "chance" not in [claim["about"] for claim in plain["claims"]]
    section = next(member for member in comparison.report.sections if member.title == "Each against guessing")
    assert section.text[0].startswith("poor is not shown to be better than guessing")
    for row in section.grids[0].rows:
        own = chance["systems"][str(row[0])]
        assert row[1:5] == (own["value"], own["chance"], own["p_value"], own["adjusted_p_value"])
    both = ew.compare(truth=TRUTH, systems={"good": GOOD, "best": TRUTH})
    assert "chance" not in [entry["about"] for entry in both.to_dict()["claims"]]
    assert "Both systems are better than guessing." in str(both)
    fitted = ew.compare(truth=TRUTH, systems={"good": GOOD, "best": TRUTH}, predictions_made="in-sample")
    assert not any(
        system["is_better"] for system in fitted.to_dict()["comparison"]["chance"]["systems"].values()
    )


def test_many_systems_are_tested_by_the_laws_of_their_intervals() -> None:
    systems = {f"s{number}": np.where(RNG.random(90) < 0.8, TRUTH, 1 - TRUTH) for number in range(11)}
    comparison = ew.compare(truth=TRUTH, systems=systems, measures=["accuracy"])
    for name, labels in systems.items():
        known = ew.estimate(ew.ContingencyTable.from_labels(TRUTH, labels), "accuracy")
        result = chance_of(comparison)[name]
        assert result.p_value == known.p_value(known.chance, "greater")
        assert result.method == "distribution of the interval, Wilson"
    assert "All 11 systems are better than guessing." in str(comparison)


def test_one_system_that_can_be_tested_is_named_alone() -> None:
    comparison = ew.compare(truth=TRUTH, systems={"good": GOOD, "poor": POOR}, positive=1)
    findings = comparison.findings
    untested = replace(findings.chance["poor"], p_value=float("nan"))
    alone = replace(findings, chance={**findings.chance, "poor": untested})
    assert describe_chance(alone) == "good is better than guessing; the other systems have no such test."


def test_a_citation_without_an_interval_has_no_empty_one() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 60)
    systems = {"a": truth + rng.normal(size=60), "b": rng.normal(size=60)}
    comparison = ew.compare(truth=truth, systems=systems, kind="scores", cluster=rng.integers(0, 3, 60))
    assert "(no interval)" in comparison.report.citation
    assert "CI" not in comparison.report.citation
