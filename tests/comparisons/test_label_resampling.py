"""Randomisation of any measure, against going through every swap row by row."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.labels import randomization
from edgeworth.comparisons.labels.differences import label_differences
from edgeworth.comparisons.labels.joint_cells import JointCells, joint_cells, one_vs_rest
from edgeworth.comparisons.labels.methods import delta_law
from edgeworth.comparisons.labels.randomization import randomisation_test, swap_test
from edgeworth.comparisons.paired import Paired
from edgeworth.core.test_results import TestResult
from edgeworth.decisions.views import Resolved, resolve


def label_difference(paired: ew.Paired, first: str, second: str, spelling: str, **options: Any) -> Difference:
    return label_differences(paired, first, second, [spelling], **options)[spelling]


def rows(cases: int, labels: int, seed: int, agree: float = 0.7) -> tuple[Any, Any, Any]:
    """Truth and two predictors of some skill that often say the same."""
    rng = np.random.default_rng(seed)
    truth, noise, other = rng.integers(0, labels, (3, cases))
    one = np.where(rng.random(cases) < 0.6, truth, noise)
    two = np.where(rng.random(cases) < agree, one, np.where(rng.random(cases) < 0.6, truth, other))
    return truth, one, two


def focused(paired: ew.Paired, spelling: str) -> tuple[JointCells, Resolved]:
    cells = joint_cells(paired, "one", "two")
    return one_vs_rest(cells, resolve(cells.tables[0], spelling))


def _named(columns: tuple[Any, Any, Any]) -> tuple[Any, dict[str, Any]]:
    return columns[0], {"one": columns[1], "two": columns[2]}


def enumerated(columns: tuple[Any, Any, Any], spelling: str, units: Any, labels: list[int]) -> Fraction:
    """Every way of swapping the two predictors' outputs, unit by unit."""
    truth = np.asarray(columns[0], dtype=np.intp)
    # No decision is the row after the last label.
    one, two = (
        np.array([len(labels) if label is None else label for label in column], dtype=np.intp)
        for column in columns[1:]
    )

    def value(message: Any) -> float:
        cells = np.zeros((len(labels) + 1, len(labels)), dtype=np.int64)
        np.add.at(cells, (message, truth), 1)
        result = ew.measure(ew.ContingencyTable(tuple(labels), cells), spelling)
        return 0.0 if math.isnan(result) else result

    def gap(swapped: Any) -> float:
        return abs(value(np.where(swapped, two, one)) - value(np.where(swapped, one, two)))

    observed, count, ways = gap(np.zeros(len(truth), dtype=bool)), 0, 0
    for coins in itertools.product([False, True], repeat=int(max(units)) + 1):
        result = gap(np.array(coins)[units])
        count += result >= observed - 1e-12
        ways += 1
    return Fraction(count, ways)


@pytest.mark.slow
@pytest.mark.parametrize("spelling", ["markedness", "mcc", "macro_f", "accuracy", "f[1]", "informedness"])
@pytest.mark.parametrize("labels", [2, 3])
def test_swaps_of_cases_against_all_of_them(spelling: str, labels: int) -> None:
    columns = rows(9, labels, seed=20 + labels, agree=0.3)
    cells, resolved = focused(ew.Paired.from_labels(*_named(columns)), spelling)
    expected = enumerated(columns, spelling, np.arange(9), list(range(labels)))
    assert swap_test(cells, resolved).exact == expected


@pytest.mark.parametrize("spelling", ["informedness", "recall[1]", "accuracy"])
def test_swaps_with_abstentions(spelling: str) -> None:
    truth, one, two = (column.tolist() for column in rows(8, 2, seed=23, agree=0.2))
    one[2], two[5], one[7], two[7] = None, None, None, None
    paired = ew.Paired.from_labels(truth, {"one": one, "two": two}, missing="abstain")
    expected = enumerated((truth, one, two), spelling, np.arange(8), [0, 1])
    assert swap_test(*focused(paired, spelling)).exact == expected


@pytest.mark.parametrize("spelling", ["markedness", "f[1]", "informedness", "accuracy"])
@pytest.mark.parametrize("weighted", [False, True])
def test_swaps_of_whole_clusters(spelling: str, weighted: bool) -> None:
    columns = rows(24, 2, seed=24, agree=0.4)
    clusters = np.repeat(np.arange(8), 3)
    paired = ew.Paired.from_labels(
        *_named(columns), clusters=clusters, weights=np.full(24, 0.1) if weighted else None
    )
    result = swap_test(*focused(paired, spelling)).exact
    assert result == enumerated(columns, spelling, clusters, [0, 1])


@pytest.mark.parametrize("measure", ["informedness", "accuracy", "f"])
def test_swaps_agree_with_the_sum_over_discordant_cases(measure: str) -> None:
    truth, one, two = rows(120, 2, seed=25)
    paired = ew.Paired.from_labels(truth, {"one": one, "two": two})
    result = swap_test(*focused(paired, "f[1]" if measure == "f" else measure))
    assert result.exact == randomisation_test(*focused(paired, "f[1]" if measure == "f" else measure)).exact


def test_drawn_swaps_agree_with_exact_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(randomization, "MAX_SWAPS_SUMMED", 0)
    truth, one, two = rows(6000, 2, seed=26)
    paired = ew.Paired.from_labels(truth, {"one": one, "two": two})
    exact = randomisation_test(*focused(paired, "informedness")).p_value
    drawn = swap_test(*focused(paired, "informedness"), draws=20_000, seed=3)
    differ = int((one != two).sum())
    assert drawn.method == f"Monte Carlo, 20,000 swaps of {differ} cases that differ, seed 3"
    assert drawn.kind == "drawn"
    assert drawn.low <= exact <= drawn.high


def test_many_clusters_are_drawn() -> None:
    truth, one, two = rows(400, 3, seed=27)
    cells, resolved = focused(
        ew.Paired.from_labels(truth, {"one": one, "two": two}, clusters=np.arange(400) // 10), "markedness"
    )
    tail = swap_test(cells, resolved, draws=4000, seed=1)
    assert tail.method.startswith("Monte Carlo, 4,000 swaps of ")
    assert tail.method.endswith(" clusters that differ, seed 1")
    # With so many clusters Wald's test is about right, and an independent check of the draws.
    assert tail.p_value == pytest.approx(delta_law(cells, resolved).p_value(0.0, "two-sided"), abs=0.06)


@pytest.mark.parametrize("studentised", [False, True])
def test_equal_sampling_weights_are_swapped_as_cases(studentised: bool) -> None:
    named = _named(rows(60, 3, seed=34))
    weighted, plain = (
        swap_test(
            *focused(ew.Paired.from_labels(*named, **options), "mcc"), studentised=studentised, draws=2000
        )
        for options in ({"weights": np.full(60, 0.5)}, {})
    )
    assert weighted.p_value == plain.p_value
    assert "effective number" in weighted.method


@pytest.mark.parametrize("spelling", ["informedness", "accuracy", "recall[1]", "precision[1]", "f[1]"])
@pytest.mark.parametrize("seed", range(6))
def test_clusters_are_counted_exactly(spelling: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = 24
    truth, clusters = rng.integers(0, 2, rows), rng.integers(0, 7, rows)
    one, two = (np.where(rng.random(rows) < 0.7, truth, 1 - truth) for _ in range(2))
    paired = Paired.from_labels(truth, {"one": one, "two": two}, clusters=clusters)
    randomisation = label_difference(paired, "one", "two", spelling).tests["randomisation"]

    def value(message: Any) -> Fraction:
        hits = int(((truth == 1) & (message == 1)).sum())
        alarms, targets = int(((truth == 0) & (message == 1)).sum()), int((truth == 1).sum())
        right, ratio = int((truth == message).sum()), ratio_or_0
        return {
            "informedness": ratio(hits, targets) - ratio(alarms, rows - targets),
            "accuracy": Fraction(right, rows),
            "recall[1]": ratio(hits, targets),
            "precision[1]": ratio(hits, hits + alarms),
            "f[1]": ratio(2 * hits, hits + alarms + targets),
        }[spelling]

    seen, names = abs(value(one) - value(two)), np.unique(clusters)
    count = 0
    for swaps in itertools.product((False, True), repeat=len(names)):
        swapped = np.isin(clusters, names[np.array(swaps)])
        first, second = np.where(swapped, two, one), np.where(swapped, one, two)
        count += abs(value(first) - value(second)) >= seen
    assert randomisation.exact == Fraction(count, 2 ** len(names))


# -- nothing to divide by ------------------------------------------------------------------------------


def every_swap(truth: list[int], one: list[Any], two: list[Any], value: Callable[..., Fraction]) -> Fraction:
    """Every swap of every case, values as fractions."""
    observed = abs(value(truth, one) - value(truth, two))
    count = 0
    for swaps in itertools.product((False, True), repeat=len(truth)):
        left = [b if swap else a for a, b, swap in zip(one, two, swaps, strict=True)]
        right = [a if swap else b for a, b, swap in zip(one, two, swaps, strict=True)]
        count += abs(value(truth, left) - value(truth, right)) >= observed
    return Fraction(count, 2 ** len(truth))


def ratio_or_0(top: int, bottom: int) -> Fraction:
    return Fraction(top, bottom) if bottom else Fraction(0)


def precision_of(label: int) -> Callable[[list[int], list[Any]], Fraction]:
    def value(truth: list[int], message: list[Any]) -> Fraction:
        hits = sum(s == label == t for t, s in zip(truth, message, strict=True))
        return ratio_or_0(hits, sum(s == label for s in message))

    return value


def f_of(label: int) -> Callable[[list[int], list[Any]], Fraction]:
    """Of all cases: one without a decision is not found."""

    def value(truth: list[int], message: list[Any]) -> Fraction:
        hits = sum(s == label == t for t, s in zip(truth, message, strict=True))
        real = sum(t == label for t in truth)
        return ratio_or_0(2 * hits, real + sum(s == label for s in message))

    return value


def markedness(truth: list[int], message: list[Any]) -> Fraction:
    """Of two classes: precision less false omission rate; without a prediction of each, 0."""
    kept = [(t, s) for t, s in zip(truth, message, strict=True) if s is not None]
    positive, negative = ([t for t, s in kept if s == label] for label in (1, 0))
    if not positive or not negative:
        return Fraction(0)
    return Fraction(sum(positive), len(positive)) - Fraction(sum(negative), len(negative))


def randomised(truth: list[int], one: list[Any], two: list[Any], spelling: str) -> TestResult:
    paired = ew.Paired.from_labels(truth, {"one": one, "two": two}, missing="abstain")
    return label_difference(paired, "one", "two", spelling).tests["randomisation"]


def test_precision_does_not_depend_on_who_abstained() -> None:
    truth, one, two = [0, 1, 2, 2, 0, 2], [0, None, 2, 0, 0, 1], [0, 1, 2, 2, 1, 2]
    assert every_swap(truth, one, two, precision_of(1)) == Fraction(3, 4)
    assert randomised(truth, one, two, "precision[1]").exact == Fraction(3, 4)


@pytest.mark.parametrize("seed", range(12))
def test_without_predictions_a_measure_counts_as_0(seed: int) -> None:
    """Few cases, some of them abstained on, so that many swaps leave nothing to divide by."""
    rng = np.random.default_rng(seed)
    predicted = np.array([0, 0, 1, None], dtype=object) if seed % 2 else np.array([0, 1], dtype=object)
    while True:
        truth = rng.integers(0, 2, 7).tolist()
        one, two = (rng.choice(predicted, 7).tolist() for _ in range(2))
        if all({0, 1} <= set(item) for item in (truth, one, two)):
            break
    for spelling, value in (("precision[1]", precision_of(1)), ("f[1]", f_of(1)), ("markedness", markedness)):
        expected = every_swap(truth, one, two, value)
        assert randomised(truth, one, two, spelling).exact == expected, spelling
