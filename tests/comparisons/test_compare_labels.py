"""Labels of several predictors: plans for the level a pair must beat, and what many pairs are spared."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.labels.differences import compare_labels, label_differences
from edgeworth.comparisons.labels.independent import compare_independent
from edgeworth.comparisons.paired_scores import PairedScores
from edgeworth.comparisons.planning import mcnemar_cases_needed, units_needed
from edgeworth.comparisons.scores.differences import compare_scores
from edgeworth.core.sampling_distributions import NormalLaw, Scale
from edgeworth.core.test_results import TestResult


def label_difference(paired: ew.Paired, first: str, second: str, spelling: str, **options: Any) -> Difference:
    return label_differences(paired, first, second, [spelling], **options)[spelling]


def paired(cases: int, classes: int, systems: int, seed: int = 0) -> ew.Paired:
    rng = np.random.default_rng(seed)
    truth = rng.choice(classes, cases, p=np.arange(1, classes + 1) / np.arange(1, classes + 1).sum())
    predictions = {
        f"s{i}": np.where(rng.random(cases) < 0.55 + 0.02 * i, truth, rng.integers(0, classes, cases))
        for i in range(systems)
    }
    return ew.Paired.from_labels(truth, predictions)


def discordant(only_first: int, only_second: int, both: int) -> ew.Paired:
    """Accuracy of two predictors of class 1, of which half the cases are."""
    right = [1] * (only_first + only_second + both)
    one = [1] * only_first + [0] * only_second + [1] * both
    two = [0] * only_first + [1] * only_second + [1] * both
    return ew.Paired.from_labels([*right, 0], {"one": [*one, 0], "two": [*two, 0]})


# -- planning ------------------------------------------------------------------------------------------


def test_proportions_are_planned_for_the_test_they_have() -> None:
    tally = discordant(6, 1, 492)
    for spelling, cases in (("accuracy", 500), ("recall[1]", 500)):
        plan = units_needed(label_difference(tally, "one", "two", spelling))
        assert plan.cases == cases
        # By hand: 1,142 cases with 1.4% disagreements split 6 to 1; the normal law asks for 1,557.
        assert plan.needed == 1142
        assert plan == mcnemar_cases_needed(6, 1, 500)
        turned = units_needed(label_difference(tally, "one", "two", spelling).mirror())
        assert turned == plan
    law = units_needed(label_difference(tally, "one", "two", "mcc"))
    assert law.needed != 1142


def test_planning_millions() -> None:
    plan = mcnemar_cases_needed(900_000, 899_000, 10**7)
    # (z₀.₉₇₅ √s + z₀.₈ √(s − d²))²/d², with s = 0.1799 and d = 0.0001.
    expected = (1.959964 * math.sqrt(0.1799) + 0.841621 * math.sqrt(0.1799 - 1e-8)) ** 2 / 1e-8
    assert plan.needed == pytest.approx(expected, rel=1e-5)
    # On either side of where the normal law takes over.
    few, many = (mcnemar_cases_needed(n * 0.5, n * 0.4, n * 10).detectable for n in (21_000, 23_000))
    assert few == pytest.approx(many * math.sqrt(23 / 21), rel=5e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("adjust", "level"), [("holm", 1 - 0.05 / 6), ("benjamini-hochberg", 1 - 0.05 / 6), ("none", 0.95)]
)
def test_plans_are_for_the_level_that_a_pair_must_beat(adjust: str, level: float) -> None:
    tally = paired(300, 2, 4)
    findings = compare_labels(tally, adjust=adjust, power=0.9)  # type: ignore[arg-type]  # a literal
    for pair, plan in findings.plans.items():
        assert plan.level == pytest.approx(level)
        assert plan.power == 0.9
        assert plan == units_needed(findings.pairs[pair]["informedness"], level=plan.level, power=0.9)
    alone = compare_labels(paired(300, 2, 2), adjust=adjust)  # type: ignore[arg-type]  # a literal
    assert alone.plans["s0", "s1"].level == 0.95


# -- levels --------------------------------------------------------------------------------------------


def test_effects_and_what_is_said_beside_them_are_at_the_level_asked() -> None:
    tally = paired(200, 2, 2)
    for level in (0.8, 0.99):
        for value in compare_labels(tally, level=level).difference("s0", "s1").values():
            assert value.effect is not None
            assert value.to_dict(level)["effect"]["level"] == level
    twins = ew.Paired.from_labels([0, 1] * 20, {"a": [0, 1] * 20, "b": [0, 1] * 20})
    caveat = compare_labels(twins, level=0.8).difference("a", "b")["accuracy"].caveat
    assert caveat is not None
    # 1 − 0.2^(1/40) = 3.94%.
    assert "up to 3.94% of new cases may (80% upper bound)" in caveat


def test_test_and_interval_may_disagree_and_it_is_known() -> None:
    law = NormalLaw(0.1, 0.05, Scale())  # p = 0.0455: away from 0 at 95%, not at 99%
    difference = Difference("f", "A", "B", (0.6, 0.5), law=law)
    assert not difference.disagrees(0.95)
    assert not difference.disagrees(0.99)
    exact = Difference("f", "A", "B", (0.6, 0.5), law=law, tests={"x": TestResult(0.06, 0.06, 0.06, "exact")})
    assert exact.disagrees(0.95)
    assert not exact.disagrees(0.9)
    assert exact.to_dict(0.95)["disagrees"] is True
    assert not Difference("f", "A", "B", (math.nan, 0.5), undefined="no targets").disagrees()
    # At the level itself, 1 − 0.95 is above 0.05 in floats: 0.05 is no finding.
    edge = Difference("f", "A", "B", (0.6, 0.5), law=law, tests={"x": TestResult(0.05, 0.05, 0.05, "exact")})
    assert edge.disagrees(0.95)


def test_the_roc_area_s_test_and_interval_never_disagree() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        truth = rng.integers(0, 2, 30)
        scores = {name: truth * lead + rng.normal(size=30) for name, lead in (("a", 0.4), ("b", 1.6))}
        difference = compare_scores(PairedScores.from_scores(truth, scores)).difference("a", "b")
        for level in (0.9, 0.95, 0.99):
            assert not any(value.disagrees(level) for value in difference.values())


# -- many pairs ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_many_pairs_are_spared_what_takes_long() -> None:
    tally = paired(400, 5, 4)
    findings = compare_labels(tally, measures=["informedness", "accuracy", "markedness"])

    for differences in findings.pairs.values():
        test = differences["informedness"].tests["randomisation"]
        assert test.kind in ("exact", "bracket")
        assert test.high <= test.low * 1.02
        assert differences["accuracy"].tests["randomisation"].kind == "exact"
        assert differences["markedness"].tests["randomisation"].kind == "drawn"


@pytest.mark.slow
def test_a_coarse_bracket_holds_the_fine_one() -> None:
    tally = paired(400, 5, 4)
    coarse = compare_labels(tally, measures=["informedness"])
    for pair in (("s0", "s3"), ("s1", "s2")):
        fine = label_difference(tally, *pair, "informedness").tests["randomisation"]
        rough = coarse.difference(*pair)["informedness"].tests["randomisation"]
        assert rough.low <= fine.low <= fine.high <= rough.high


# -- different cases -----------------------------------------------------------------------------------


def test_tables_of_different_cases() -> None:
    big, small = (
        ew.ContingencyTable.from_matrix(counts, rows="predicted", labels=["no", "yes"])
        for counts in ([[25, 5], [10, 10]], [[12, 3], [2, 3]])
    )
    spellings = ["precision[yes]", "recall[yes]"]
    pair = compare_independent({"big": big, "small": small}, measures=spellings).pairs["big", "small"]
    assert [value.first for value in pair.values()] == ["big", "big"]
    # Goutte & Gaussier's: P(precision of the second > first) 0.6522223722, recall 0.2371815636.
    assert 1 - pair["precision[yes]"].probability_better == pytest.approx(0.6522223722, abs=1e-9)
    assert 1 - pair["recall[yes]"].probability_better == pytest.approx(0.2371815636, abs=1e-9)
    usual = compare_independent({"big": big, "small": small}).pairs["big", "small"]
    assert tuple(usual)[:4] == ("informedness", "markedness", "accuracy", "mcc")
    assert all(member.undefined is None for member in usual.values())


def test_coverage_stands_in_every_table_where_a_system_refuses() -> None:
    truth, sure = [0, 1] * 20, [0, 1] * 20
    shy = [None, None, *sure[2:]]
    paired = ew.Paired.from_labels(truth, {"sure": sure, "shy": shy}, missing="abstain")
    assert compare_labels(paired).measures[1] == "coverage"
    findings = compare_labels(paired, measures=["accuracy", "mcc"])
    assert findings.measures == ("accuracy", "coverage", "mcc")
    assert findings.headline == "accuracy"
    assert findings.values["shy"]["coverage"] == 0.95
    assert compare_labels(paired, measures=["accuracy"], abstentions="drop").measures == ("accuracy",)
    apart = ew.compare({name: paired.table(name) for name in paired.names}, measures=["accuracy"])
    assert apart.measures == ("accuracy", "coverage")


@pytest.mark.parametrize("name", ["abstentions", "adjust", "kind", "missing", "predictions_made", "queries"])
def test_a_word_that_an_option_does_not_know_is_refused(name: str) -> None:
    with pytest.raises(ew.EdgeworthError, match=f"{name} is one of .*; saw 'often'"):
        ew.compare(truth=[1, 0, 1], systems={"a": [1, 0, 0], "b": [1, 1, 1]}, **{name: "often"})
    if name in ("abstentions", "missing", "predictions_made"):
        with pytest.raises(ew.EdgeworthError, match=f"{name} is one of .*; saw 'often'"):
            ew.evaluate(truth=[1, 0, 1], prediction=[1, 0, 0], **{name: "often"})


def test_the_clearest_differences_of_single_classes_are_shown_first() -> None:
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 10, 600)
    one = np.where(rng.random(600) < 0.9, truth, 0)
    two = np.where((truth == 7) & (rng.random(600) < 0.5), 0, one)
    compared = ew.compare(truth=truth, systems={"one": one, "two": two})
    main, every, *_ = compared.report.sections
    shown = [row[0] for row in main.grids[0].rows]
    overall = [name for name in compared.measures if "[" not in name]
    assert shown[: len(overall)] == overall
    result = compared["one", "two"]
    labelled = [name for name in compared.measures if "[" in name]
    known = {
        name: abs(result[name].difference) / result[name].standard_error
        for name in labelled
        if result[name].standard_error > 0
    }
    clearest = sorted(known, key=known.__getitem__, reverse=True)
    assert [*overall, *clearest][: len(shown)] == shown
    assert "recall[7]" in shown
    assert every.title == "All measures"
    assert [row[0] for row in every.grids[0].rows] == list(compared.measures)
