"""Intervals that keep a width where the sample shows no error: combinations of paired proportions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.labels.differences import label_differences
from edgeworth.comparisons.labels.joint_cells import joint_cells
from edgeworth.comparisons.labels.proportions import PairedCombination, PairedProportions, paired_combination
from edgeworth.core.sampling_distributions import NormalLaw
from edgeworth.decisions.views import resolve
from edgeworth.errors import OptionError
from edgeworth.methods import Delta, Tango


def constant_against_perfect(cases: int) -> ew.Paired:
    truth = np.arange(cases) % 2
    return ew.Paired.from_labels(truth, {"perfect": truth, "constant": np.ones(cases, int)})


def noisy(cases: int, classes: int, seed: int) -> ew.Paired:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, cases)
    predictions = {
        name: np.where(rng.random(cases) < right, truth, rng.integers(0, classes, cases))
        for name, right in (("one", 0.7), ("two", 0.5))
    }
    return ew.Paired.from_labels(truth, predictions)


def found(paired: ew.Paired, spelling: str, **options: Any) -> Difference:
    first, second = paired.names
    return label_differences(paired, first, second, [spelling], **options)[spelling]


@pytest.mark.parametrize("cases", [10, 60, 400])
def test_perfect_against_constant_is_not_known_to_the_last_digit(cases: int) -> None:
    for spelling in ("informedness", "informedness[1]", "balanced_accuracy", "accuracy", "recall[0]"):
        difference = found(constant_against_perfect(cases), spelling)
        low, high = difference.interval()
        assert low < difference.difference < high or high == 1
        assert (high - low) > 1 / cases
        assert "Tango" in difference.interval_method
        assert difference.no_interval is None


def test_each_class_by_itself_is_tango_s_interval_and_both_are_squared_and_added() -> None:
    paired = noisy(80, 2, seed=1)
    cells = joint_cells(paired, "one", "two")
    law = paired_combination(cells, resolve(cells.tables[0], "informedness"))
    assert law is not None
    # Recall of either class, by itself, from the same tallies.
    recalls = [found(paired, f"recall[{label}]") for label in (0, 1)]
    distances = [(x.difference - x.interval(0.9).low, x.interval(0.9).high - x.difference) for x in recalls]
    assert law.value == pytest.approx(sum(x.difference for x in recalls))
    low, high = law.interval(0.9)
    assert low == pytest.approx(law.value - math.hypot(*(down for down, _ in distances)), abs=1e-9)
    assert high == pytest.approx(law.value + math.hypot(*(up for _, up in distances)), abs=1e-9)
    error = math.hypot(*(x.standard_error for x in recalls))
    assert law.standard_error == pytest.approx(error, rel=1e-12)
    half = paired_combination(cells, resolve(cells.tables[0], "balanced_accuracy"))
    assert half is not None
    assert half.interval(0.9) == pytest.approx((low / 2, high / 2), abs=1e-9)


def test_many_cases_make_it_the_delta_method_s_interval() -> None:
    for classes, spelling in ((2, "informedness"), (3, "balanced_accuracy"), (3, "informedness[1]")):
        paired = noisy(20_000, classes, seed=2)
        here, delta = (
            found(paired, spelling),
            found(paired, spelling, method=Delta()),
        )
        assert isinstance(here.law, PairedCombination)
        assert isinstance(delta.law, NormalLaw)
        assert list(here.interval()) == pytest.approx(list(delta.interval()), abs=2e-4)
        assert here.standard_error == pytest.approx(delta.standard_error, rel=1e-3)


def test_its_p_value_is_the_level_at_which_the_interval_just_reaches_the_null() -> None:
    law = PairedCombination(((1.0, PairedProportions(7, 2, 40)), (-1.0, PairedProportions(1, 4, 50))))
    for null in (0.0, 0.1, 0.5):
        level = 1 - law.p_value(null, "two-sided")
        assert min(abs(bound - null) for bound in law.interval(level)) < 1e-9
    upper, lower = law.p_value(0.0, "greater"), law.p_value(0.0, "less")
    assert upper + lower == pytest.approx(1)
    assert 2 * min(upper, lower) == pytest.approx(law.p_value(0.0, "two-sided"))
    assert law.p_value(law.value, "two-sided") == 1
    turned = PairedCombination(((1.0, PairedProportions(2, 7, 40)), (-1.0, PairedProportions(4, 1, 50))))
    assert turned.interval(0.9) == pytest.approx([-x for x in law.interval(0.9)][::-1])


def test_precision_without_an_error_has_newcombe_s_interval() -> None:
    truth = [1] * 20 + [0] * 20
    paired = ew.Paired.from_labels(truth, {"one": [1] * 12 + [0] * 28, "two": [1] * 15 + [0] * 25})
    difference = found(paired, "precision[1]")
    assert difference.difference == 0
    low, high = difference.interval()
    # Wilson: 12/12 from 0.757, 15/15 from 0.796.
    wilson = [1 / (1 + 1.959964**2 / n) for n in (12, 15)]
    assert (low, high) == pytest.approx((wilson[0] - 1, 1 - wilson[1]), abs=1e-6)
    assert "as if of different cases" in difference.interval_method


def test_what_has_no_such_interval_says_why_it_has_none() -> None:
    paired = constant_against_perfect(60)
    for spelling in ("kappa", "macro_informedness"):
        difference = found(paired, spelling)
        assert difference.law is None
        assert math.isnan(difference.interval().low)
        assert difference.no_interval is not None
        assert "no case in the sample changes the difference" in difference.no_interval
        assert "wald" not in difference.tests
    asked = found(paired, "informedness", method=Delta())
    assert asked.law is None
    assert asked.no_interval is not None
    # Clusters that all say the same.
    truth = np.arange(40) % 2
    predictions = {"perfect": truth, "constant": np.ones(40, int)}
    clustered = found(ew.Paired.from_labels(truth, predictions, clusters=np.arange(40) // 4), "informedness")
    assert clustered.law is None
    assert clustered.no_interval is not None
    assert "no cluster in the sample changes" in clustered.no_interval
    assert math.isnan(clustered.probability_better)


def test_it_needs_independent_cases_that_all_were_decided() -> None:
    truth = np.arange(40) % 2
    predictions = {"one": np.r_[truth[:30], 1 - truth[30:]], "two": np.r_[1 - truth[:9], truth[9:]]}
    for paired in (
        ew.Paired.from_labels(truth, predictions, clusters=np.arange(40) // 2),
        ew.Paired.from_labels(
            truth, {**predictions, "two": [None, *predictions["two"][1:].tolist()]}, missing="abstain"
        ),
    ):
        cells = joint_cells(paired, "one", "two")
        assert paired_combination(cells, resolve(cells.tables[0], "informedness")) is None
        assert isinstance(found(paired, "informedness").law, NormalLaw)
    with pytest.raises(OptionError, match="proportions of the same cases"):
        found(noisy(60, 3, seed=3), "informedness", method=Tango())
    assert isinstance(found(noisy(60, 2, seed=3), "informedness", method=Tango()).law, PairedCombination)


def test_many_labels_are_compared_without_a_table_of_tables() -> None:
    truth = np.arange(1200) // 2
    one, two = np.where(np.arange(1200) % 10 == 0, 0, truth), np.where(np.arange(1200) % 4 == 0, 1, truth)
    difference = ew.compare(truth=truth, systems={"one": one, "two": two}, measures=["accuracy"])[
        "one", "two"
    ]["accuracy"]
    right = [(item == truth) for item in (one, two)]
    assert difference.discordant == (int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum()))
    assert difference.difference == pytest.approx(right[0].mean() - right[1].mean())
