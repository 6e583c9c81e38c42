"""Calibration against counting one by one, its merging, and what is refused."""

from __future__ import annotations

import copy
import json
import math
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeworth.errors import InputError, MergeError, OptionError
from edgeworth.forecasts.calibration import Calibration, Reliability, steps_to_one

Rows = list[tuple[str, tuple[float, ...]]]

PARTS = st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any)
ROWS: st.SearchStrategy[Rows] = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c"]), PARTS.map(lambda x: tuple(p / sum(x) for p in x))),
    max_size=12,
)
STEPS = st.sampled_from([None, 0.5, 0.1, 0.01, 1 / 3])


def counted(rows: Rows, step: float | None = None) -> Calibration:
    table = np.array([row[1] for row in rows]).reshape(len(rows), 3)
    return Calibration.from_probabilities([row[0] for row in rows], table, labels=["a", "b", "c"], step=step)


@given(rows=ROWS)
def test_counting_one_by_one(rows: Rows) -> None:
    result = counted(rows)
    assert result.cases == len(rows)
    for index, label in enumerate(["a", "b", "c"]):
        cases = Counter(row[1][index] for row in rows)
        hits = Counter(row[1][index] for row in rows if row[0] == label)
        curve = result.curve(label)
        assert curve.values.tolist() == sorted(cases)
        assert curve.cases.tolist() == [cases[value] for value in sorted(cases)]
        assert curve.hits.tolist() == [hits[value] for value in sorted(cases)]
        assert curve.cases.dtype == curve.hits.dtype == np.int64


@given(rows=ROWS, step=STEPS, cuts=st.lists(st.integers(0, 12), min_size=2, max_size=2))
def test_the_laws_of_merging(rows: Rows, step: float | None, cuts: list[int]) -> None:
    whole, nothing = counted(rows, step), Calibration.empty()
    assert nothing + whole == whole == whole + nothing
    low, high = sorted(cuts)
    one, two, three = (counted(part, step) for part in (rows[:low], rows[low:high], rows[high:]))
    assert (one + two) + three == one + (two + three) == three + two + one == whole
    assert Calibration.from_dict(json.loads(json.dumps(whole.to_dict(), allow_nan=False))) == whole


def test_nothing() -> None:
    nothing = Calibration.empty()
    assert nothing.cases == 0
    assert nothing + nothing == nothing
    assert Calibration.from_dict(nothing.to_dict()) == nothing


@pytest.mark.parametrize("step", [0.5, 1 / 3, 0.25, 0.2, 0.1, 0.05, 0.01, 0.001, 1 / 7])
def test_steps_bound_the_values_and_end_at_1(step: float) -> None:
    rng = np.random.default_rng(0)
    forecast = np.append(rng.random(2000), [0.0, 1.0, 1 - 1e-9, 1e-9])
    curve = Calibration.from_probabilities(rng.integers(0, 2, 2004), forecast, step=step).curve(1)
    number = steps_to_one(step)
    assert curve.values.tolist() == [k / number for k in np.round(curve.values * number)]
    assert curve.values[0] == 0
    assert curve.values[-1] == 1
    assert len(curve.values) <= number + 1
    assert curve.cases.sum() == 2004


@pytest.mark.parametrize("step", [0, -0.1, 0.15, 0.4, 0.6, 1, math.nan, math.inf, "0.1", 1e-300])
def test_steps_of_which_no_whole_number_makes_1(step: Any) -> None:
    with pytest.raises(OptionError, match="the step must be 1 divided by"):
        Calibration.from_probabilities([0, 1], [0.5, 0.5], step=step)


def test_both_signs_of_0_are_one_value() -> None:
    curve = Calibration.from_probabilities([0, 1], [0.0, -0.0]).curve(1)
    assert curve.values.tolist() == [0.0]
    assert curve.hits.tolist() == [1]


def test_columns_of_a_frame_are_found_by_their_names() -> None:
    frame = pd.DataFrame({"dog": [0.7, 0.4], "cat": [0.3, 0.6]})
    calibration = Calibration.from_probabilities(["dog", "cat"], frame)
    assert calibration.labels == ("dog", "cat")
    assert calibration.curve("dog").hits.tolist() == [0, 1]


def test_labels_are_found_or_refused() -> None:
    calibration = Calibration.from_probabilities([1, 0], [0.8, 0.3])
    assert calibration.curve("1") == calibration.curve(1) == calibration.curves[1]
    assert repr(calibration) == "<Calibration: 2 cases, 2 classes>"
    with pytest.raises(InputError, match="no label 7"):
        calibration.curve(7)
    with pytest.raises(ValueError, match="read-only"):
        calibration.curve(1).hits[0] = 5


def test_what_does_not_merge() -> None:
    base = Calibration.from_probabilities([0, 1], [0.5, 0.5])
    for other in (
        Calibration.from_probabilities(["n", "y"], [0.5, 0.5]),
        Calibration.from_probabilities([0, 1], [0.5, 0.5], step=0.1),
    ):
        with pytest.raises(MergeError, match="cannot be added"):
            _ = base + other
    for wrong in (base, base.curves[0]):
        with pytest.raises(TypeError):
            _ = wrong + 1  # type: ignore[operator]  # the point of the test


def payload() -> dict[str, Any]:
    return Calibration.from_probabilities([1, 0, 1, 1], [0.25, 0.25, 0.5, 1.0], step=0.25).to_dict()


TAMPERED: dict[str, tuple[tuple[Any, ...], Any]] = {
    "kind": (("kind",), "forecast_scores"),
    "labels too few": (("labels",), [1]),
    "labels the same": (("labels",), [1, 1]),
    "a step of text": (("step",), "0.25"),
    "a step that is true": (("step",), True),
    "a negative step": (("step",), -0.25),
    "a step that is not a number": (("step",), math.nan),
    "a step that does not divide 1": (("step",), 0.3),
    "no curve": (("curves", 0), None),
    "a curve of text": (("curves", 0), "values"),
    "values missing": (("curves", 0), {"cases": [4], "hits": [1]}),
    "values that fall": (("curves", 1, "values"), [0.5, 0.25, 1.0]),
    "a value twice": (("curves", 1, "values"), [0.25, 0.25, 1.0]),
    "values beyond 1": (("curves", 1, "values"), [0.25, 0.5, 1.5]),
    "values below 0": (("curves", 1, "values"), [-0.25, 0.5, 1.0]),
    "values not numbers": (("curves", 1, "values"), [0.25, 0.5, math.nan]),
    "values in rows": (("curves", 1, "values"), [[0.25, 0.5, 1.0]]),
    "values too few": (("curves", 1, "values"), [0.25, 0.5]),
    "half a case": (("curves", 1, "cases"), [1.5, 1.5, 1]),
    "a value without cases": (("curves", 1, "cases"), [4, 0, 0]),
    "more hits than cases": (("curves", 1, "hits"), [3, 0, 0]),
    "hits missing": (("curves", 1, "hits"), [0, 1, 1]),
    "cases of one class only": (("curves", 1, "cases"), [3, 1, 1]),
}


@pytest.mark.parametrize(("path", "value"), TAMPERED.values(), ids=TAMPERED)
def test_tampering_is_refused(path: tuple[Any, ...], value: Any) -> None:
    good = payload()
    assert Calibration.from_dict(copy.deepcopy(good)).to_dict() == good
    inside: Any = good
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    with pytest.raises(InputError):
        Calibration.from_dict(good)


def test_curves_are_equal_by_value() -> None:
    one = Reliability(np.array([0.5]), np.array([2]), np.array([1]))
    assert one == Reliability(np.array([0.5]), np.array([2]), np.array([1]))
    assert one != Reliability(np.array([0.5]), np.array([2]), np.array([2]))
    assert one != 1
