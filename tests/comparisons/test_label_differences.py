"""Differences between predictors of labels: what is said of them, and published numbers."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import (  # type: ignore[import-untyped]  # it has no stubs
    mcnemar as peer_mcnemar,
)

import edgeworth as ew
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.labels.differences import label_differences
from edgeworth.comparisons.labels.joint_cells import joint_cells, one_vs_rest, usual_spellings
from edgeworth.comparisons.labels.randomization import swap_test
from edgeworth.decisions.views import resolve
from edgeworth.methods import Bootstrap, ClopperPearson, Delta, Dirichlet

DECISIONS = [
    f"{measure.name}[1]" if measure.scope == "label" else measure.name
    for measure in ew.catalogue()
    if measure.kind == "decisions"
]


def label_difference(paired: ew.Paired, first: str, second: str, spelling: str, **options: Any) -> Difference:
    return label_differences(paired, first, second, [spelling], **options)[spelling]


def pair(cases: int, labels: int, seed: int, **options: Any) -> ew.Paired:
    rng = np.random.default_rng(seed)
    truth, noise, other = rng.integers(0, labels, (3, cases))
    one = np.where(rng.random(cases) < 0.7, truth, noise)
    two = np.where(rng.random(cases) < 0.7, one, np.where(rng.random(cases) < 0.5, truth, other))
    return ew.Paired.from_labels(truth, {"one": one, "two": two}, **options)


def options_of(cases: int, together: int) -> list[dict[str, Any]]:
    return [{}, {"clusters": np.arange(cases) // together}, {"weights": np.full(cases, 0.5)}]


def discordant(wins: int, losses: int, both_right: int, both_wrong: int = 0) -> ew.Paired:
    one = [1] * wins + [0] * losses + [1] * both_right + [0] * both_wrong
    two = [0] * wins + [1] * losses + [1] * both_right + [0] * both_wrong
    return ew.Paired.from_labels([1] * len(one), {"one": one, "two": two})


def test_wins_losses_and_draws_of_goutte_and_gaussier() -> None:
    """8 wins, 5 losses, 37 draws: 0.7966793709; and McNemar's test beside the peer's."""
    difference = label_difference(discordant(8, 5, 30, 7), "one", "two", "accuracy")
    assert difference.probability_better == pytest.approx(0.7966793709, abs=5e-11)
    assert difference.difference == pytest.approx(3 / 50)
    peer = peer_mcnemar([[30, 8], [5, 7]], exact=True).pvalue
    assert difference.tests["mcnemar"].p_value == pytest.approx(peer, rel=1e-12)
    assert difference.p_value() == difference.p_value("randomisation") == pytest.approx(peer, rel=1e-12)


def test_an_error_rate_is_accuracy_turned_round() -> None:
    paired = pair(200, 3, seed=1)
    right, wrong = (label_difference(paired, "one", "two", name) for name in ("accuracy", "error_rate"))
    assert wrong.difference == pytest.approx(-right.difference)
    assert list(wrong.interval()) == pytest.approx([-bound for bound in reversed([*right.interval()])])
    assert wrong.probability_better == pytest.approx(right.probability_better)
    assert (wrong.better, wrong.is_higher_better) == (right.better, False)
    assert wrong.p_value() == right.p_value()


@pytest.mark.parametrize("spelling", ["informedness", "f[1]", "accuracy", "recall[0]", "mcc"])
@pytest.mark.parametrize("options", options_of(300, 5), ids=["plain", "clusters", "weights"])
def test_the_other_way_round(spelling: str, options: dict[str, Any]) -> None:
    paired = pair(300, 3, seed=2, **options)
    result, turned = (
        label_difference(paired, *names, spelling) for names in (("one", "two"), ("two", "one"))
    )
    mirrored = turned.mirror()
    assert mirrored.values == result.values
    assert list(mirrored.interval()) == pytest.approx(list(result.interval()), abs=1e-12)
    assert mirrored.p_value("wald") == pytest.approx(result.p_value("wald"))
    # Draws differ, by at most a few of their standard errors.
    assert mirrored.probability_better == pytest.approx(result.probability_better, abs=0.025)
    assert mirrored.effect is not None
    assert result.effect is not None
    assert mirrored.effect.value == pytest.approx(result.effect.value)


@pytest.mark.parametrize("options", options_of(90, 5), ids=["plain", "clusters", "weights"])
@pytest.mark.parametrize("labels", [2, 3])
def test_identical_predictors(labels: int, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(3)
    truth, text = rng.integers(0, labels, (2, 90))
    paired = ew.Paired.from_labels(truth, {"one": text, "two": text}, **options)
    for spelling in usual_spellings(paired.table("one")):
        difference = label_difference(paired, "one", "two", spelling)
        assert difference.difference == 0
        low, high = difference.interval()
        assert low < 0 < high or (math.isnan(low) and difference.no_interval is not None)
        assert difference.p_value() == 1
        assert {tail.p_value for tail in difference.tests.values()} == {1.0}
        assert difference.probability_better == 0.5
        assert difference.better is None
        assert difference.caveat is not None
        assert "distinguishes the two by" in difference.caveat


def test_disagreement_elsewhere_says_nothing_of_a_label() -> None:
    paired = ew.Paired.from_labels(
        ["a", "b", "c", "c"], {"one": ["a", "b", "b", "c"], "two": ["a", "c", "c", "c"]}
    )
    difference = label_difference(paired, "one", "two", "f[a]")
    assert (difference.difference, difference.p_value(), difference.law) == (0, 1, None)
    assert difference.caveat is not None


@pytest.mark.parametrize("method", [None, Delta(), Bootstrap(), Dirichlet()])
def test_no_disagreement_is_no_certainty(method: Any) -> None:
    """Tango's interval of no discordant case among n is ±z²/(n + z²); of two classes squared and added."""
    truth = np.repeat([0, 1], [40, 20])
    paired = ew.Paired.from_labels(truth, {"one": truth, "two": truth})
    reach = {n: 1.959963984540054**2 / (n + 1.959963984540054**2) for n in (20, 40, 60)}
    known = {"accuracy": reach[60], "recall[1]": reach[20], "informedness": math.hypot(reach[20], reach[40])}
    for spelling, high in known.items():
        difference = label_difference(paired, "one", "two", spelling, method=method)
        assert (
            difference.interval() == pytest.approx((-high, high))
            if method is None
            else difference.law is None
        )


def test_clusters_without_disagreement_are_as_few_as_they_are() -> None:
    """Ten clusters of like size: ±t²/(10 + t²), Student's t with 9 degrees of freedom."""
    truth = np.arange(80) % 2
    options: Any = {"clusters": np.arange(80) // 8}
    paired = ew.Paired.from_labels(truth, {"one": truth, "two": truth}, **options)
    square = stats.t.ppf(0.975, 9) ** 2
    difference = label_difference(paired, "one", "two", "accuracy")
    assert difference.interval() == pytest.approx((-square / (10 + square), square / (10 + square)))
    alone = ew.Paired.from_labels(truth, {"one": truth, "two": truth}, clusters=np.zeros(80, dtype=int))
    assert label_difference(alone, "one", "two", "accuracy").law is None


@pytest.mark.slow
@pytest.mark.parametrize("spelling", DECISIONS)
@pytest.mark.parametrize("options", options_of(240, 6), ids=["plain", "clusters", "weights"])
def test_every_measure_of_decisions(spelling: str, options: dict[str, Any]) -> None:
    """A difference has an interval around it, or a reason why not, and goes through JSON."""
    paired = pair(240, 3, seed=4, **options)
    difference = label_difference(paired, "one", "two", spelling)
    tables = [paired.table(name) for name in ("one", "two")]
    assert difference.values == pytest.approx(
        tuple(ew.measure(table, spelling) for table in tables), nan_ok=True
    )
    if difference.law is None:
        assert difference.no_interval
    else:
        low, high = difference.interval()
        assert low <= difference.difference <= high
    if difference.undefined is None:
        assert "randomisation" in difference.tests
        assert math.isnan(difference.probability_better) or 0 <= difference.probability_better <= 1
    json.dumps(difference.to_dict(), allow_nan=False)


def test_the_tests_there_are() -> None:
    paired = pair(200, 2, seed=5)
    differences = label_differences(paired, "one", "two")
    assert list(differences) == [
        "informedness",
        "markedness",
        "accuracy",
        "mcc",
        "precision[1]",
        "recall[1]",
        "f[1]",
    ]
    for spelling, difference in differences.items():
        names = ["randomisation", "wald"]
        if spelling in ("accuracy", "recall[1]"):
            names[1:1] = ["mcnemar", "mcnemar mid-p"]
        elif spelling != "informedness":
            names[:0] = ["studentised"]
        assert list(difference.tests) == names
        assert difference.tests["randomisation"].kind == "exact"


@pytest.mark.parametrize(
    ("labels", "spelling"),
    [
        (2, "informedness"),
        (2, "balanced_accuracy"),
        (2, "error_rate"),
        (2, "f[0](alpha=0.3)"),
        (3, "informedness"),
        (3, "balanced_accuracy"),
        (3, "miss_rate[2]"),
        (3, "informedness[1]"),
        (3, "label_accuracy[1]"),
    ],
)
def test_exact_randomisation_is_what_brute_force_swaps_give(labels: int, spelling: str) -> None:
    """Two ways of counting that share no code: sums over discordant cases, and tables of every swap."""
    paired = pair(40, labels, seed=15)
    randomisation = label_difference(paired, "one", "two", spelling).tests["randomisation"]
    cells = joint_cells(paired, "one", "two")
    by_tables = swap_test(*one_vs_rest(cells, resolve(cells.tables[0], spelling)))
    assert by_tables.kind == randomisation.kind == "exact"
    assert by_tables.exact == randomisation.exact


def test_usual_measures_of_many_labels() -> None:
    result = usual_spellings(pair(900, 3, seed=6).table("one"))
    assert result[4:8] == ("macro_f", "precision[0]", "recall[0]", "f[0]")
    assert len(result) == 5 + 9
    assert len(usual_spellings(pair(900, 30, seed=6).table("one"))) == 5
    named = ew.Paired.from_labels(["a b", "c"], {"one": ["c", "c"]}, positive="a b")
    assert usual_spellings(named.table(named.names[0]))[-1] == "f[a b]"


def test_weights_that_are_counts_are_cases() -> None:
    rng = np.random.default_rng(7)
    truth, one, two = rng.integers(0, 2, (3, 40))
    times = rng.integers(1, 6, 40)
    counted = ew.Paired.from_labels(truth, {"one": one, "two": two}, weights=times)
    repeated = ew.Paired.from_labels(
        np.repeat(truth, times), {"one": np.repeat(one, times), "two": np.repeat(two, times)}
    )
    for spelling in ("informedness", "f[1]", "accuracy"):
        left, right = (label_difference(paired, "one", "two", spelling) for paired in (counted, repeated))
        assert left.to_dict() == right.to_dict()


@pytest.mark.parametrize("spelling", ["accuracy", "recall[1]", "informedness"])
def test_equal_sampling_weights_are_as_many_cases(spelling: str) -> None:
    difference = label_difference(pair(200, 2, seed=8, weights=np.full(200, 0.3)), "one", "two", spelling)
    assert list(difference.tests) == ["randomisation", "wald"]
    plain = label_difference(pair(200, 2, seed=8), "one", "two", spelling)
    assert difference.p_value() == pytest.approx(plain.p_value(), rel=1e-9)
    assert difference.p_value("wald") == pytest.approx(plain.p_value("wald"))
    assert list(difference.interval()) == pytest.approx(list(plain.interval()))
    assert difference.cases == pytest.approx(200)


def test_clusters_are_the_units() -> None:
    """Rows of a cluster that are copies of each other tell no more than one of them."""
    rng = np.random.default_rng(9)
    truth, one, two = rng.integers(0, 2, (3, 60))
    alone = ew.Paired.from_labels(truth, {"one": one, "two": two})
    copies = ew.Paired.from_labels(
        np.repeat(truth, 4),
        {"one": np.repeat(one, 4), "two": np.repeat(two, 4)},
        clusters=np.repeat(np.arange(60), 4),
    )
    item = ew.Paired.from_labels(truth, {"one": one, "two": two}, clusters=np.arange(60))
    for spelling, single in (("informedness", item), ("mcc", alone)):
        left, right = (
            label_difference(paired, "one", "two", spelling, method=Delta()) for paired in (single, copies)
        )
        assert left.standard_error == pytest.approx(right.standard_error)
        assert list(left.interval()) == pytest.approx(list(right.interval()))
        assert left.cases == right.cases == 60


def test_few_cases_behind_a_difference_are_doubted() -> None:
    truth = np.arange(400) % 2
    one = np.where(np.arange(400) < 2, 1 - truth, truth)
    two = np.where(np.arange(400) == 399, 1 - truth, truth)
    difference = label_difference(ew.Paired.from_labels(truth, {"one": one, "two": two}), "one", "two", "mcc")
    assert difference.caveat is not None
    assert "rests on about 3 of" in difference.caveat


def test_undefined_for_one_of_them() -> None:
    paired = ew.Paired.from_labels([1, 0, 1], {"one": [1, 0, 0], "two": [0, 0, 0]})
    difference = label_difference(paired, "one", "two", "precision[1]")
    assert difference.undefined is not None
    assert difference.undefined.startswith("for two, ")
    assert math.isnan(difference.difference)
    assert math.isnan(difference.p_value())
    assert difference.tests == {}


def test_all_cases_in_one_cluster() -> None:
    difference = label_difference(pair(50, 2, seed=10, clusters=["all"] * 50), "one", "two", "informedness")
    assert difference.law is None
    assert difference.no_interval is not None
    assert "one cluster" in difference.no_interval


def test_a_chosen_method() -> None:
    paired = pair(400, 3, seed=11)
    difference = label_difference(paired, "one", "two", "accuracy", method=Bootstrap(draws=3000, rng=5))
    default = label_difference(paired, "one", "two", "accuracy")
    assert difference.standard_error == pytest.approx(default.standard_error, rel=0.05)
    assert [*difference.interval()] == pytest.approx([*default.interval()], abs=0.006)
    with pytest.raises(ew.EdgeworthError, match="saw ClopperPearson"):
        label_difference(paired, "one", "two", "accuracy", method=ClopperPearson())


def test_effects() -> None:
    paired = pair(500, 2, seed=12)
    difference = label_difference(paired, "one", "two", "informedness", method=Delta())
    assert difference.effect is not None
    assert difference.effect.name == "standardised difference"
    deviation = difference.standard_error * math.sqrt(500)
    assert difference.effect.value == pytest.approx(difference.difference / deviation)
    low, high = difference.effect.interval()
    assert low < difference.effect.value < high
    odds = label_difference(discordant(25, 2, 40), "one", "two", "accuracy").effect
    assert odds is not None
    assert math.exp(odds.interval().low) == pytest.approx(3.1169, rel=2e-5)  # Fagerland et al. 2017


def test_seeds_decide_draws_alone() -> None:
    paired = pair(300, 3, seed=13)
    same = [label_difference(paired, "one", "two", "mcc", seed=4) for _ in range(2)]
    assert same[0].probability_better == same[1].probability_better
    other = label_difference(paired, "one", "two", "mcc", seed=5)
    assert other.probability_better != same[0].probability_better
    assert other.interval() == same[0].interval()


def test_abstentions_are_compared_too() -> None:
    paired = ew.Paired.from_labels(
        [1, 0] * 30,
        {"one": ([1, 0, 1, None] * 15), "two": ([1, 1, 0, 0, 1, 0] * 10)},
        missing="abstain",
    )
    for spelling in ("informedness", "accuracy", "coverage", "informedness(abstentions=discount)"):
        difference = label_difference(paired, "one", "two", spelling)
        low, high = difference.interval()
        assert low <= difference.difference <= high
        assert 0 < difference.p_value() <= 1


def test_who_is_not_there() -> None:
    with pytest.raises(ew.EdgeworthError, match="no predictor 'three'"):
        label_difference(pair(20, 2, seed=14), "one", "three", "accuracy")


def test_clusters_of_one_case_have_the_variance_of_each_class() -> None:
    """CR2 of independent cases: the unbiased variance of the differences within each real class."""
    rng = np.random.default_rng(19)
    truth, one, two = rng.random((3, 80)) < np.array([[0.2], [0.5], [0.4]])
    paired = ew.Paired.from_labels(truth, {"one": one, "two": two}, clusters=np.arange(80))
    gaps = one.astype(float) - two
    variance = sum(gaps[truth == real].var(ddof=1) / (truth == real).sum() for real in (False, True))
    difference = label_difference(paired, "one", "two", "informedness")
    assert difference.standard_error == pytest.approx(math.sqrt(variance))


def test_one_cluster_with_most_of_a_class_names_no_winner() -> None:
    truth = np.r_[np.ones(100), np.zeros(300)].astype(int)
    good, bad = truth, np.r_[np.zeros(90), np.ones(10), np.zeros(300)].astype(int)
    clusters = np.r_[np.zeros(97), [1, 2, 3], np.arange(300) % 60 + 4].astype(int)
    difference = label_difference(
        ew.Paired.from_labels(truth, {"good": good, "bad": bad}, clusters=clusters),
        "good",
        "bad",
        "recall[1]",
    )
    assert difference.no_winner is not None
    assert "degrees of freedom" in difference.no_winner
    assert not difference.is_shown(0.95)


@pytest.mark.parametrize("seed", range(3))
def test_swaps_with_abstentions_are_those_of_the_measure(seed: int) -> None:
    """An abstention is swapped like any output and is never right: counted exactly or gone through."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, 16)
    texts = {
        name: [None if rng.random() < 0.25 else int(x) for x in rng.integers(0, 2, 16)] for name in ("a", "b")
    }
    paired = ew.Paired.from_labels(truth, texts, missing="abstain")
    cells = joint_cells(paired, "a", "b")
    for spelling in ("accuracy", "error_rate", "balanced_accuracy", "recall[1]", "precision[1]", "f[1]"):
        randomisation = label_difference(paired, "a", "b", spelling).tests["randomisation"]
        assert randomisation.exact == swap_test(cells, resolve(cells.tables[0], spelling)).exact, spelling


def test_refusing_to_answer_does_not_win() -> None:
    """336 of 500 right against 32 right and 468 refused."""
    truth = np.arange(500) % 2
    bold = np.where(np.arange(500) < 336, truth, 1 - truth)
    coward = [int(x) if i < 32 else None for i, x in enumerate(truth)]
    systems = {"bold": bold, "coward": coward}
    comparison = ew.compare(truth=truth, systems=systems, missing="abstain")
    assert comparison["bold", "coward"]["accuracy"].values == pytest.approx((336 / 500, 32 / 500))
    assert comparison["bold", "coward"]["coverage"].values == pytest.approx((1.0, 32 / 500))
    # Informedness of the decided cases, 0.344 and 1, times coverage.
    assert comparison["bold", "coward"]["informedness"].values == pytest.approx((0.344, 0.064))
    assert comparison.verdict.startswith("bold beats coward")
    decided = ew.compare(truth=truth, systems=systems, missing="abstain", abstentions="drop")
    assert decided["bold", "coward"]["accuracy"].values == (1.0, 1.0)
    assert decided.verdict.startswith("Judged on the 32 of 500 cases that every system decided.")


def test_right_or_wrong_is_judged_by_accuracy() -> None:
    truth = np.ones(200, dtype=int)
    better, worse = (np.arange(200) >= wrong for wrong in (20, 56))
    comparison = ew.compare(truth=truth, systems={"better": better.astype(int), "worse": worse.astype(int)})
    assert comparison.findings.headline == "accuracy"
    assert "only one class occurs" in comparison.verdict
    assert "better beats worse: accuracy 90.0% vs 72.0%, +18.0 points (" in comparison.verdict


@pytest.mark.slow
def test_every_measure_of_a_pair_is_drawn() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 10, 400)
    predictions = {
        name: np.where(rng.random(400) < p, truth, rng.integers(0, 10, 400))
        for name, p in (("a", 0.8), ("b", 0.7))
    }
    comparison = ew.compare(truth=truth, systems=predictions)
    assert len(comparison.measures) == 35
    assert len(comparison.report.charts["differences"].data["differences"]) == 35


def test_precisions_with_hardly_an_error_are_told_apart_by_fishers_test() -> None:
    """65 of 65 against 392 of 400: standard errors know nothing of errors that were not seen."""
    truth, sure, bold = np.zeros(1000, int), np.zeros(1000, int), np.zeros(1000, int)
    truth[:500], sure[:65], bold[:392], bold[500:508] = 1, 1, 1, 1
    assert stats.fisher_exact([[65, 0], [392, 8]])[1] > 0.5
    comparison = ew.compare(truth=truth, systems={"sure": sure, "bold": bold}, measures=["precision[1]"])
    assert comparison["sure", "bold"]["precision[1]"].no_winner is not None
    bold[500:900] = 1
    comparison = ew.compare(truth=truth, systems={"sure": sure, "bold": bold}, measures=["precision[1]"])
    assert comparison["sure", "bold"]["precision[1]"].no_winner is None


def rare_class(cases: int, share: float) -> ew.Paired:
    """Make two systems of three classes, of which the first hardly predicts the rare one."""
    rng = np.random.default_rng(cases)
    truth = rng.choice(3, cases, p=[0.6, 0.4 - share, share])
    shy, bold = (
        np.where(rng.random(cases) < right, truth, rng.integers(0, 2, cases)) for right in (0.9, 0.7)
    )
    shy[np.flatnonzero(truth == 2)[3:]] = 0
    return ew.Paired.from_labels(truth, {"shy": shy, "bold": bold})


def test_a_rare_class_among_three_names_no_winner() -> None:
    paired = rare_class(400, 0.05)
    spellings = ["informedness", "accuracy", "macro_f", "kappa", "markedness", "mcc"]
    differences = label_differences(paired, "shy", "bold", spellings)
    assert [name for name, item in differences.items() if item.no_winner is None] == [
        "informedness",
        "accuracy",
    ]
    assert "a system predicts class 2 " in (differences["macro_f"].no_winner or "")
    assert "no winner is named" in str(differences["macro_f"])
    report = str(ew.compare(paired, measures=["macro_f"]))
    assert "No winner is named" in report or "No clear difference" in report
    assert "no winner: a system predicts class 2" in " ".join(report.split())


def test_many_small_classes_count_together() -> None:
    rng = np.random.default_rng(5)
    truth = np.arange(120) % 12
    good, bad = (np.where(rng.random(120) < right, truth, rng.integers(0, 12, 120)) for right in (0.9, 0.4))
    paired = ew.Paired.from_labels(truth, {"good": good, "bad": bad})
    macro_f = label_differences(paired, "good", "bad", ["macro_f"])["macro_f"]
    assert macro_f.no_winner is None
    assert macro_f.is_shown(0.95)
