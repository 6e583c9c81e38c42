"""Scores of forecasts against brute force in fractions, their merging, and what is refused."""

from __future__ import annotations

import copy
import itertools
import json
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeworth.errors import InputError, MergeError
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scores import BLOCK_VALUES, ForecastScores
from edgeworth.forecasts.scoring_rules import PROPER_SCORES, case_scores

Rows = list[tuple[int, tuple[float, ...]]]

PARTS = st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any)
ROW = st.tuples(st.integers(0, 2), PARTS.map(lambda parts: tuple(x / sum(parts) for x in parts)))
ROWS: st.SearchStrategy[Rows] = st.lists(ROW, max_size=12)
LABELS = ("low", "middle", "high")


def scored(rows: Rows) -> ForecastScores:
    """Two systems: the forecast, and one half-way to knowing nothing."""
    table = np.array([row[1] for row in rows]).reshape(len(rows), 3)
    systems = {"sharp": table, "dull": table / 2 + 1 / 6}
    return ForecastScores.from_probabilities([LABELS[row[0]] for row in rows], systems, labels=LABELS)


def brute_force(score: str, row: list[float], came: int) -> float:
    """One case, in fractions until the last step."""
    p = [Fraction(x) for x in row]
    y = [Fraction(k == came) for k in range(len(p))]
    if score == "log":
        return math.inf if p[came] == 0 else -math.log(p[came])
    if score == "brier":
        if len(p) == 2:
            return float((1 - p[came]) ** 2)
        return float(sum((a - b) ** 2 for a, b in zip(p, y, strict=True)))
    if score == "ranked":
        steps = itertools.accumulate(a - b for a, b in zip(p, y, strict=True))
        return float(sum(x**2 for x in list(steps)[:-1]))
    assert score == "spherical", score
    return 1 - float(p[came]) / math.sqrt(sum(x**2 for x in p))


@pytest.mark.parametrize("classes", [2, 3, 7, 16, 17])
@pytest.mark.parametrize("score", PROPER_SCORES)
def test_sums_and_products_by_brute_force(score: str, classes: int) -> None:
    rng = np.random.default_rng(classes)
    truth = rng.integers(0, classes, 60)
    systems = {name: rng.dirichlet(np.full(classes, spread), 60) for name, spread in [("a", 0.5), ("b", 5.0)]}
    scores = ForecastScores.from_probabilities(truth, systems)
    single = {
        name: [
            brute_force(score, row, came) for row, came in zip(table.tolist(), truth.tolist(), strict=True)
        ]
        for name, table in systems.items()
    }
    index = PROPER_SCORES.index(score)
    for s, one in enumerate(single.values()):
        assert scores.sums[index, s] == pytest.approx(math.fsum(one), rel=1e-12)
        for r, other in enumerate(single.values()):
            product = math.fsum(x * y for x, y in zip(one, other, strict=True))
            assert scores.products[index, s, r] == pytest.approx(product, rel=1e-12)
    for name, one in single.items():
        assert scores.mean(score, name) == pytest.approx(math.fsum(one) / 60, rel=1e-12)
    assert scores.classes.tolist() == [int((truth == k).sum()) for k in range(classes)]


@pytest.mark.parametrize("classes", [3, 20])
@pytest.mark.parametrize("score", ["brier", "spherical", "ranked"])
def test_a_nearly_perfect_forecast_keeps_its_digits(score: str, classes: int) -> None:
    row = [2.0**-31, 1 - 2.0**-30, 2.0**-31, *[0.0] * (classes - 3)]
    p = [Fraction(x) for x in row]
    squares = p[0] ** 2 + p[2] ** 2
    norm = math.sqrt(squares + p[1] ** 2)
    expected = {
        "brier": float(squares + (1 - p[1]) ** 2),
        "ranked": float(squares),
        "spherical": float(squares) / (norm * (norm + float(p[1]))),
    }
    scores = ForecastScores.from_probabilities([1], [row], labels=range(classes))
    # The ranked score adds the probabilities up first, which rounds at 1.
    tolerance = 1e-6 if score == "ranked" else 1e-12
    assert scores.mean(score) == pytest.approx(expected[score], rel=tolerance)
    # Beside rows of which enough is left.
    among = case_scores(Forecasts.of([0, 1, 2], [row] * 3, labels=range(classes)), [score])[0]
    assert among[1] == pytest.approx(expected[score], rel=tolerance)
    assert min(among[0], among[2]) > 0.5


def test_hand_calculated() -> None:
    scores = ForecastScores.from_probabilities(["rain"], [0.271], positive="sun")
    assert scores.mean("brier") == pytest.approx(0.073441, rel=1e-12)
    scores = ForecastScores.from_probabilities([2], [[0.5, 0.25, 0.25]], labels=range(3))
    assert scores.mean("ranked") == pytest.approx(0.25 + 0.5625)
    assert scores.mean("brier") == pytest.approx(0.25 + 0.0625 + 0.5625)
    assert scores.mean("spherical") == pytest.approx(1 - 0.25 / math.sqrt(0.375))


def test_probability_0_that_came_true_is_counted_and_never_clipped() -> None:
    scores = ForecastScores.from_probabilities(
        [1, 0, 1], {"certain": [0.0, 0.0, 0.5], "careful": [0.1, 0.1, 0.5]}
    )
    assert scores.mean("log", "certain") == math.inf
    assert scores.zeros.tolist() == [1, 0]
    assert math.isfinite(scores.mean("log", "careful"))
    assert scores.mean("brier", "certain") == pytest.approx(1.25 / 3)
    # Infinite scores are left out of the products, which stay finite.
    assert scores.products[0, 0, 0] == pytest.approx(math.log(2) ** 2)
    assert scores.products[0, 0, 1] == pytest.approx(math.log(2) ** 2 - 0)
    tiny = ForecastScores.from_probabilities([1], [5e-324])
    assert tiny.zeros.tolist() == [0]
    assert tiny.mean("log") == pytest.approx(-math.log(5e-324))


def test_more_rows_than_a_block() -> None:
    rng = np.random.default_rng(0)
    block = BLOCK_VALUES // 3
    number = 2 * block + 3
    table, truth = rng.dirichlet(np.ones(3), number), rng.integers(0, 3, number)
    scores = ForecastScores.from_probabilities(truth, table)
    happened = table[np.arange(number), truth]
    assert scores.cases == number
    assert scores.mean("log") == pytest.approx(-np.log(happened).mean(), rel=1e-12)
    assert scores.mean("brier") == pytest.approx(((table - np.eye(3)[truth]) ** 2).sum(1).mean(), rel=1e-12)
    for row in (block, number - 1):
        wrong = table.copy()
        wrong[row] = 0.3
        with pytest.raises(InputError, match=f"row {row + 1:,} add up to 0.9,"):
            ForecastScores.from_probabilities(truth, wrong)


def same(left: ForecastScores, right: ForecastScores) -> bool:
    return (
        (left.systems, left.labels, left.names) == (right.systems, right.labels, right.names)
        and np.array_equal(left.classes, right.classes)
        and np.array_equal(left.zeros, right.zeros)
        and np.allclose(left.sums, right.sums, rtol=1e-12, atol=1e-300)
        and np.allclose(left.products, right.products, rtol=1e-12, atol=1e-300)
    )


@given(rows=ROWS, cuts=st.lists(st.integers(0, 12), min_size=2, max_size=2))
def test_the_laws_of_merging(rows: Rows, cuts: list[int]) -> None:
    whole = scored(rows)
    nothing = ForecastScores.empty()
    assert nothing + whole == whole == whole + nothing
    low, high = sorted(cuts)
    one, two, three = scored(rows[:low]), scored(rows[low:high]), scored(rows[high:])
    assert same((one + two) + three, one + (two + three))
    assert same(one + two + three, whole)
    assert same(three + one + two, whole)
    again = ForecastScores.from_dict(json.loads(json.dumps(whole.to_dict(), allow_nan=False)))
    assert again == whole


def test_nothing() -> None:
    nothing = ForecastScores.empty()
    assert nothing + nothing == nothing
    assert ForecastScores.from_dict(json.loads(json.dumps(nothing.to_dict()))) == nothing
    assert math.isnan(scored([]).mean("log", "sharp"))
    assert scored([]).cases == 0


def test_what_does_not_merge() -> None:
    base = ForecastScores.from_probabilities([0, 1], [0.5, 0.5])
    for other in (
        ForecastScores.from_probabilities([0, 1], {"other": [0.5, 0.5]}),
        ForecastScores.from_probabilities(["n", "y"], [0.5, 0.5]),
        ForecastScores.from_probabilities([0, 1], [0.5, 0.5], scores=("log",)),
    ):
        with pytest.raises(MergeError, match="cannot be added"):
            _ = base + other
    with pytest.raises(TypeError):
        _ = base + 1  # type: ignore[operator]  # the point of the test


def payload() -> dict[str, Any]:
    systems = {"a": [[0.5, 0.25, 0.25], [0, 0.5, 0.5]], "b": [[0.4, 0.3, 0.3], [0.2, 0.4, 0.4]]}
    return ForecastScores.from_probabilities([1, 0], systems).to_dict()


TAMPERED: dict[str, tuple[tuple[Any, ...], Any]] = {
    "kind": (("kind",), "calibration"),
    "no systems": (("systems",), []),
    "systems of one name": (("systems",), ["a", "a"]),
    "systems of no name": (("systems",), ["a", 1]),
    "labels too few": (("labels",), [0, 1]),
    "labels the same": (("labels",), [0, 1, 1]),
    "a negative count": (("classes", 0), -1),
    "half a count": (("classes", 0), 0.5),
    "cases left out": (("classes",), [0, 0, 0]),
    "an unknown score": (("scores", 0), "luck"),
    "a score twice": (("scores", 0), "brier"),
    "finite in spite of zeros": (("sums", 0, 0), 1.0),
    "infinite without zeros": (("sums", 0, 1), None),
    "an infinite Brier score": (("sums", 1, 1), None),
    "infinite by name": (("sums", 1, 1), math.inf),
    "not a number": (("sums", 1, 1), math.nan),
    "a negative sum": (("sums", 1, 1), -1.0),
    "a sum beyond its squares": (("sums", 1, 1), 50.0),
    "text": (("sums", 1, 1), "much"),
    "sums in other rows": (("sums",), [[None, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1.0]]),
    "zeros denied": (("zeros", 0), 0),
    "more zeros than cases": (("zeros", 0), 3),
    "zeros too few": (("zeros",), [1]),
    "products not symmetric": (("products", 1, 0, 1), 0.01),
    "a negative product": (("products", 1, 0, 0), -1.0),
    "an infinite product": (("products", 1, 0, 0), math.inf),
    "products without rows": (("products",), [0.0] * 16),
    "squares too small": (("products", 1, 0, 0), 1e-9),
}


@pytest.mark.parametrize(("path", "value"), TAMPERED.values(), ids=TAMPERED)
def test_tampering_is_refused(path: tuple[Any, ...], value: Any) -> None:
    good = payload()
    assert ForecastScores.from_dict(copy.deepcopy(good)).to_dict() == good
    inside: Any = good
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    with pytest.raises(InputError):
        ForecastScores.from_dict(good)


@pytest.mark.parametrize("name", ["systems", "labels", "classes", "scores", "sums", "products", "zeros"])
def test_a_part_left_out_is_refused(name: str) -> None:
    good = payload()
    del good[name]
    with pytest.raises(InputError, match=name):
        ForecastScores.from_dict(good)


TRUTHS: dict[str, Any] = {
    "list": [0, 1, 1],
    "array": np.array([0, 1, 1]),
    "int8": np.array([0, 1, 1], dtype=np.int8),
    "unsigned": np.array([0, 1, 1], dtype=np.uint8),
    "floats": [0.0, 1.0, 1.0],
    "booleans": [False, True, True],
    "array of booleans": np.array([False, True, True]),
    "text": ["no", "yes", "yes"],
    "array of text": np.array(["no", "yes", "yes"]),
    "digits": ["0", "1", "1"],
    "categories": pd.Series(["no", "yes", "yes"], dtype="category"),
    "polars categories": pl.Series(["no", "yes", "yes"], dtype=pl.Categorical),
    "pandas nullable": pd.Series([0, 1, 1], dtype="Int64"),
    "signs": [-1, 1, 1],
    "one column": np.array([[0], [1], [1]]),
}


@pytest.mark.parametrize("truth", TRUTHS.values(), ids=TRUTHS)
def test_truth_of_every_kind(truth: Any) -> None:
    expected = ForecastScores.from_probabilities([0, 1, 1], [0.2, 0.9, 0.6]).sums
    column = np.array([0.2, 0.9, 0.6])
    for values in (column, np.stack([1 - column, column], axis=1)):
        scores = ForecastScores.from_probabilities(truth, values)
        np.testing.assert_allclose(scores.sums, expected, rtol=1e-14)
        assert scores.classes.tolist() == [1, 2]


def test_whole_numbers_are_places_of_columns_whether_seen_or_not() -> None:
    table = [[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]
    for truth in ([0, 2], np.array([0, 2]), [0.0, 2.0], pd.Series([0, 2], dtype="Int64")):
        scores = ForecastScores.from_probabilities(truth, table, scores=["log"])
        assert scores.labels == (0, 1, 2)
        assert scores.sums[0, 0] == pytest.approx(-math.log(0.2 * 0.8))
    for ones in ([1, 1], np.array([1, 1]), [True, True]):
        assert ForecastScores.from_probabilities(ones, [0.5, 0.5]).labels == (0, 1)
        assert ForecastScores.from_probabilities(ones, [0.5, 0.5], positive=1).labels == (0, 1)


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, lambda x: [float(y) for y in x]])
def test_labels_that_may_count_columns_from_0_or_from_1_are_asked_about(kind: Any) -> None:
    """Places 1 and 2 of three columns, or the first two of 1, 2, 3? These are not the same columns."""
    table = np.array([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8], [0.6, 0.2, 0.2], [0.3, 0.3, 0.4]])
    with pytest.raises(
        InputError, match=r"neither 0 nor 3 .* from 0 or from 1: name the classes in column order"
    ):
        ForecastScores.from_probabilities(kind([1, 2, 1, 2]), table)
    frame = pd.DataFrame(table)  # nobody named these columns 0, 1, 2
    with pytest.raises(InputError, match="from 0 or from 1"):
        ForecastScores.from_probabilities(kind([1, 2, 1, 2]), frame)
    for labels, expected in (([0, 1, 2], 0.3 * 0.8 * 0.2 * 0.4), ([1, 2, 3], 0.2 * 0.1 * 0.6 * 0.3)):
        scores = ForecastScores.from_probabilities(kind([1, 2, 1, 2]), table, labels=labels)
        assert scores.sums[0, 0] == pytest.approx(-math.log(expected))
    assert ForecastScores.from_probabilities(kind([1, 2, 3, 1]), table).labels == (1, 2, 3)
    assert ForecastScores.from_probabilities(kind([0, 2, 0, 2]), table).labels == (0, 1, 2)


def test_the_positive_class_of_one_column() -> None:
    for positive in ("no", "yes"):
        scores = ForecastScores.from_probabilities(
            ["no", "yes"], [0.9, 0.2], positive=positive, scores=["brier"]
        )
        assert scores.sums[0, 0] == pytest.approx(0.05 if positive == "no" else 0.81 + 0.64)
        declared = ForecastScores.from_probabilities(
            ["no", "yes"], [0.9, 0.2], positive=positive, labels=["yes", "no"], scores=["brier"]
        )
        assert declared.sums == scores.sums
        assert declared.labels == scores.labels
    assert ForecastScores.from_probabilities([0, 1], [0.9, 0.2], positive=0).mean("brier") == pytest.approx(
        0.025
    )
    assert ForecastScores.from_probabilities([0, 1], [0.9, 0.2], positive="0").labels == (1, 0)
    # What the forecasts are of need not have come true.
    none = ForecastScores.from_probabilities(["ham", "ham"], [0.1, 0.2], positive="spam")
    assert none.labels == ("ham", "spam")
    assert none.mean("brier") == pytest.approx(0.025)
    with pytest.raises(InputError, match="no label 'perhaps'"):
        ForecastScores.from_probabilities(["no", "yes"], [0.9, 0.2], positive="perhaps")
    with pytest.raises(InputError, match="no label 'perhaps'"):
        ForecastScores.from_probabilities(["no", "yes"], [0.9, 0.2], positive="perhaps", labels=["no", "yes"])


REFUSED: dict[str, tuple[Any, Any, dict[str, Any], str]] = {
    "more truth than forecasts": ([0, 1, 1], [0.5, 0.5], {}, "truth has 3 rows, the probabilities have 2"),
    "which is positive": (["ham", "spam"], [0.5, 0.5], {}, "name the class of the probability"),
    "exchanged": ([0.1, 0.7, 0.4], [1, 0, 1], {}, "exchanged"),
    "odds": ([0, 1], [[1.9, 2.1], [1.5, 3.0]], {}, "1.9: .*--odds"),
    "percent of each class": ([0, 1], [[60, 40], [30, 70]], {}, "by 100"),
    "percent": ([0, 1], [90.4, 30.0], {}, "by 100"),
    "three classes, one column": (["a", "b", "c"], [0.5] * 3, {"positive": "a"}, "for two classes"),
    "columns without names": (["a", "b"], [[0.2, 0.3, 0.5]] * 2, {}, "3 columns .* 2 labels .*labels="),
    "booleans, three columns": (np.array([True, False]), [[0.2, 0.3, 0.5]] * 2, {}, "2 labels"),
    "a class without a column": (
        ["a", "b", "c"],
        [[0.5, 0.5]] * 3,
        {"labels": ["a", "b"]},
        "truth is 'c' in row 3",
    ),
    "a number without a column": (
        np.array([0, 1, 2]),
        [[0.5, 0.5]] * 3,
        {"labels": [0, 1]},
        "truth is 2 in row 3",
    ),
    "below all columns": (np.array([0, -1]), [[0.5, 0.5]] * 2, {"labels": [0, 1]}, "truth is -1 in row 2"),
    "labels too few": ([0, 1], [[0.2, 0.3, 0.5]] * 2, {"labels": [0, 1]}, "3 different labels"),
    "labels the same": ([0, 1], [[0.5, 0.5]] * 2, {"labels": [0, 0.0]}, "2 different labels"),
    "missing truth": ([0, None], [0.5, 0.5], {}, "truth is missing in row 2"),
    "missing number": (np.array([0, np.nan]), [0.5, 0.5], {}, "truth is missing in row 2"),
    "missing, declared": (["a", None], [[0.5, 0.5]] * 2, {"labels": ["a", "b"]}, "missing in row 2"),
    "all missing": ([None, None], [0.5, 0.5], {}, "truth is missing in row 1"),
    "no rows": ([], np.zeros((0, 2)), {}, "there are no rows"),
    "no rows, one column": ([], [], {}, "there are no rows"),
    "an unknown score": ([0], [0.5], {"scores": ["logg"]}, "saw 'logg'"),
    "a score as text": ([0], [0.5], {"scores": "log"}, "a list of some of"),
    "no score": ([0], [0.5], {"scores": []}, "at least one score"),
    "a score twice": ([0], [0.5], {"scores": ["log", "log"]}, "once"),
    "no systems": ([0], {}, {}, "no forecasts"),
    "names that are written alike": ([0], {1: [0.5], "1": [0.5]}, {}, "different names"),
    "the system is named": ([0], {"a": [0.5], "b": [1.5]}, {}, "probabilities of b must be between 0 and 1"),
}


@pytest.mark.parametrize(("truth", "values", "options", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(truth: Any, values: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        ForecastScores.from_probabilities(truth, values, **options)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_columns_of_a_frame_are_found_by_their_names(library: Any) -> None:
    columns = {"cat": [0.1, 0.6], "dog": [0.7, 0.3], "ant": [0.2, 0.1]}
    scores = ForecastScores.from_probabilities(["dog", "cat"], library(columns))
    assert scores.labels == ("cat", "dog", "ant")
    assert scores.mean("log") == pytest.approx(-math.log(0.42) / 2)
    by_number = ForecastScores.from_probabilities([2, 1], library({"2": [0.7, 0.4], "1": [0.3, 0.6]}))
    assert by_number.labels == (2, 1)
    assert by_number.mean("log") == pytest.approx(-math.log(0.42) / 2)
    other = library({"p_cat": [0.1, 0.6], "p_dog": [0.9, 0.4]})
    assert ForecastScores.from_probabilities(["dog", "cat"], other).labels == ("cat", "dog")


def test_systems_with_their_columns_in_another_order() -> None:
    one = pd.DataFrame({"cat": [0.1, 0.6], "dog": [0.9, 0.4]})
    scores = ForecastScores.from_probabilities(["dog", "cat"], {"one": one, "two": one[["dog", "cat"]]})
    assert scores.labels == ("cat", "dog")
    assert scores.classes.tolist() == [1, 1]
    assert scores.sums[:, 0].tolist() == scores.sums[:, 1].tolist()
    mixed = {"rows": one.to_numpy(), "column": [0.1, 0.6]}
    scores = ForecastScores.from_probabilities(["dog", "cat"], mixed, positive="cat")
    np.testing.assert_allclose(scores.sums[:, 0], scores.sums[:, 1], rtol=1e-14)
    with pytest.raises(InputError, match="probabilities of two have the classes"):
        ForecastScores.from_probabilities(["dog", "cat"], {"one": one, "two": one.assign(ant=0.0)})


@pytest.mark.parametrize(("one", "two"), [(3, 4), (4, 3), (3, 20), (2, 3), (20, 3)])
def test_systems_of_other_classes_are_refused(one: int, two: int) -> None:
    systems = {"A": np.full((50, one), 1 / one), "B": np.full((50, two), 1 / two)}
    with pytest.raises(
        InputError, match=r"probabilities of B have the classes 0, 1.* the first system has 0, 1"
    ):
        ForecastScores.from_probabilities([0, 1] * 25, systems)


def test_systems_by_name() -> None:
    scores = ForecastScores.from_probabilities([0, 1], {"a": [0.5, 0.5], "b": [0.2, 0.9]}, scores=["brier"])
    assert repr(scores) == "<ForecastScores: 2 cases, 2 systems>"
    for wrong in (None, "c"):
        with pytest.raises(InputError, match="there are 'a', 'b'"):
            scores.mean("brier", wrong)
    with pytest.raises(InputError, match="'log' was not computed"):
        scores.mean("log", "a")
    with pytest.raises(ValueError, match="read-only"):
        scores.sums[0, 0] = 1


def test_checked_forecasts_of_other_cases_are_refused() -> None:
    table = np.array([[0.5, 0.5], [0.2, 0.8]])
    one, two = Forecasts.of([0, 1], table), Forecasts.of([1, 0], table)
    assert ForecastScores.from_forecasts({"one": one}).cases == 2
    with pytest.raises(InputError, match="same cases"):
        ForecastScores.from_forecasts({"one": one, "two": two})
    with pytest.raises(InputError, match="no forecasts"):
        ForecastScores.from_forecasts({})


def test_columns_first_or_row_by_row_is_the_same() -> None:
    rng = np.random.default_rng(3)
    table, truth = rng.dirichlet(np.ones(4), 50), rng.integers(0, 4, 50)
    expected = ForecastScores.from_probabilities(truth, table)
    scores = ForecastScores.from_probabilities(truth, np.asfortranarray(table))
    np.testing.assert_allclose(scores.sums, expected.sums, rtol=1e-13)
    doubled = ForecastScores.from_probabilities(truth, table * 0.5, normalise=True)
    np.testing.assert_allclose(doubled.sums, expected.sums, rtol=1e-12)
