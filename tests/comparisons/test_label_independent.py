"""Two predictors judged on different cases: published numbers and peers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.proportion import (  # type: ignore[import-untyped]  # it has no stubs
    confint_proportions_2indep,
)

import edgeworth as ew
from edgeworth.comparison import Comparison
from edgeworth.comparisons.labels.independent import compare_independent, independent_difference
from edgeworth.core.multiple_testing import holm
from edgeworth.errors import EdgeworthError
from edgeworth.methods import Delta


def table(hits: int, alarms: int, misses: int, rejections: int = 30) -> ew.ContingencyTable:
    return ew.ContingencyTable.from_matrix(
        [[hits, alarms], [misses, rejections]], rows="predicted", labels=["yes", "no"]
    )


ALICE, BOB = table(10, 10, 5), table(3, 2, 3)


@pytest.mark.parametrize(
    ("spelling", "expected"),
    [("f[yes]", 0.4263074017), ("precision[yes]", 0.6522223722), ("recall[yes]", 0.2371815636)],
)
def test_the_posterior_of_goutte_and_gaussier(spelling: str, expected: float) -> None:
    difference = independent_difference(BOB, ALICE, spelling)
    assert difference.probability_better == pytest.approx(expected, abs=5e-11)
    turned = independent_difference(ALICE, BOB, spelling)
    assert turned.probability_better == pytest.approx(1 - expected, abs=5e-11)


@pytest.mark.parametrize("spelling", ["recall[yes]", "precision[yes]", "accuracy"])
def test_proportions_beside_the_peer(spelling: str) -> None:
    one, two = table(56, 11, 14, 69), table(48, 20, 32, 51)
    difference = independent_difference(one, two, spelling)
    counts = {
        "recall[yes]": (56, 70, 48, 80),
        "precision[yes]": (56, 67, 48, 68),
        "accuracy": (125, 150, 99, 151),
    }
    expected = confint_proportions_2indep(*counts[spelling], method="newcomb", compare="diff")
    assert list(difference.interval()) == pytest.approx(list(expected), abs=1e-9)
    assert list(difference.tests) == ["newcombe", "wald"]
    # The level at which the interval just reaches 0.
    low, high = difference.interval(1 - difference.p_value())
    assert min(abs(low), abs(high)) < 1e-9


def test_newcombes_own_example() -> None:
    """56/70 against 48/80: 0.0524 to 0.3339 (Newcombe 1998)."""
    difference = independent_difference(table(56, 5, 14), table(48, 5, 32), "recall[yes]")
    assert [round(bound, 4) for bound in difference.interval()] == [0.0524, 0.3339]


@pytest.mark.parametrize("spelling", ["f[yes]", "mcc", "kappa"])
def test_variances_add_up(spelling: str) -> None:
    one, two = table(56, 11, 14, 69), table(48, 20, 32, 51)
    difference = independent_difference(one, two, spelling)
    errors = [ew.estimate(item, spelling, method=Delta()).standard_error for item in (one, two)]
    assert difference.standard_error == pytest.approx(math.hypot(*errors), rel=1e-12)
    assert difference.cases == 301


def test_informedness_by_draws_and_by_its_normal_law() -> None:
    one, two = table(560, 110, 140, 690), table(520, 170, 180, 630)
    difference = independent_difference(one, two, "informedness")
    assert difference.standard_error == pytest.approx(
        math.hypot(*(ew.estimate(item, "informedness").standard_error for item in (one, two)))
    )
    z = difference.difference / difference.standard_error
    assert difference.probability_better == pytest.approx(0.5 * math.erfc(-z / math.sqrt(2)), abs=0.01)
    assert difference.better == "first"


def test_clusters_and_weights() -> None:
    rng = np.random.default_rng(1)
    truth, text = rng.integers(0, 2, (2, 120))
    clustered = ew.ContingencyTable.from_labels(truth, text, clusters=np.arange(120) // 6)
    weighted = ew.ContingencyTable.from_labels(truth, text, weights=rng.uniform(0.5, 2, 120))
    difference = independent_difference(clustered, weighted, "informedness", first="A", second="B")
    errors = [
        ew.estimate(item, "informedness", method=Delta()).standard_error for item in (clustered, weighted)
    ]
    assert difference.standard_error == pytest.approx(math.hypot(*errors))
    assert (difference.first, difference.second) == ("A", "B")
    assert list(difference.tests) == ["wald"]
    assert difference.probability_method == "delta method, flat prior"
    plain: Any = ew.ContingencyTable.from_labels(truth, text)
    low, high = difference.interval()
    normal = 1.96 * difference.standard_error
    assert high - low > 2 * normal  # Student's t, with fewer degrees of freedom than clusters and rows
    assert independent_difference(plain, plain, "informedness").difference == 0


def test_undefined_and_lower_is_better() -> None:
    empty = table(0, 0, 5)
    difference = independent_difference(ALICE, empty, "precision[yes]")
    assert difference.undefined is not None
    assert difference.undefined.startswith("for second, ")
    wrong, right = (independent_difference(ALICE, BOB, name) for name in ("error_rate", "accuracy"))
    assert not wrong.is_higher_better
    assert wrong.better == right.better
    # Draws of the same posterior: half of them above 0 either way.
    assert wrong.probability_better == pytest.approx(right.probability_better, abs=0.02)
    assert math.isnan(independent_difference(ALICE, BOB, "prevalence[yes]").probability_better)


def test_at_an_end_the_delta_method_sees_nothing() -> None:
    perfect = table(10, 0, 0)
    difference = independent_difference(perfect, perfect, "mcc")
    assert difference.law is None
    assert difference.no_interval is not None
    assert difference.probability_better == pytest.approx(0.5, abs=0.02)


def test_a_comparison_holds_independent_systems() -> None:
    tables = {"A": table(560, 110, 140, 690), "B": table(480, 200, 320, 510), "C": table(470, 210, 330, 500)}
    findings = compare_independent(tables)
    assert (findings.kind, findings.unit, findings.cases) == ("labels", "case", 4520)
    assert findings.measures[:4] == ("informedness", "markedness", "accuracy", "mcc")
    for (first, second), differences in findings.pairs.items():
        for spelling, item in differences.items():
            alone = independent_difference(tables[first], tables[second], spelling)
            assert item.values == alone.values
            assert item.interval() == alone.interval()
            assert item.p_value() == alone.p_value()
            assert item.interval_method
    assert [findings.is_conclusive(*pair) for pair in findings.pairs] == [True, True, False]
    assert findings.letters == {"A": "a", "B": "b", "C": "b"}
    p_values = [findings.pairs[pair]["informedness"].p_value() for pair in findings.pairs]
    assert list(findings.adjusted.values()) == holm(p_values).tolist()
    comparison = Comparison(findings)
    assert comparison["B", "A"]["accuracy"].difference == -comparison["A", "B"]["accuracy"].difference
    assert comparison.verdict.startswith("A beats both others: informedness ")
    assert "different cases" in " ".join(comparison.report.warnings)
    assert not findings.disagreements


def test_as_many_cases_as_planned_would_tell_independent_systems_apart() -> None:
    plan = compare_independent({"A": table(60, 20, 40, 80), "B": table(55, 20, 45, 80)}).plans["A", "B"]
    times = plan.needed / plan.cases
    counts = [[round(times * count) for count in row] for row in ((60, 20, 40, 80), (55, 20, 45, 80))]
    error = independent_difference(table(*counts[0]), table(*counts[1]), "informedness").standard_error
    assert 0.05 / error == pytest.approx(1.95996 + 0.84162, rel=0.01)


def test_labels_that_one_table_lacks_are_not_compared() -> None:
    one = ew.ContingencyTable.from_labels(["a", "b", "c"] * 9, ["a", "c", "c"] * 9)
    two = ew.ContingencyTable.from_labels(["a", "b"] * 9, ["a", "b", "b"] * 6)
    findings = compare_independent({"one": one, "two": two})
    assert {"recall[a]", "recall[b]"} <= set(findings.measures)
    assert "recall[c]" not in findings.measures
    with pytest.raises(EdgeworthError, match="two systems"):
        compare_independent({"one": one})


def test_a_mapping_of_tables_is_compared_as_systems_of_different_cases() -> None:
    truth = ["yes"] * 30 + ["no"] * 30
    right, half = truth, ["yes", "no"] * 30
    tables = {
        "A": ew.ContingencyTable.from_labels(truth, right),
        "B": ew.ContingencyTable.from_labels(truth, half),
    }
    comparison = ew.compare(tables, level=0.9, measures=["accuracy"])
    findings = compare_independent(tables, level=0.9, measures=["accuracy"])
    assert comparison.findings.to_dict() == findings.to_dict()
    assert comparison["A", "B"]["accuracy"].difference == 0.5
    assert comparison["B", "A"]["accuracy"].difference == -0.5
    assert "different cases" in comparison.report.warnings[0]
    for wrong in ({"A": tables["A"]}, {"A": tables["A"], "B": 3}, tables["A"]):
        with pytest.raises(EdgeworthError):
            ew.compare(wrong)
    for option in ({"cluster": "x"}, {"method": Delta()}, {"horizon": 2}):
        with pytest.raises(EdgeworthError, match="is not supported"):
            ew.compare(tables, **option)
