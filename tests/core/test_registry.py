"""What the catalogue says of each measure is complete, and true: ranges, chance levels, search."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import edgeworth as ew

CATALOGUE = ew.catalogue(kind="decisions")
every_measure = pytest.mark.parametrize("measure", CATALOGUE, ids=lambda m: f"{m.scope}-{m.name}")
matrices = st.integers(1, 5).flatmap(
    lambda size: st.lists(
        st.lists(st.integers(0, 9) | st.just(0), min_size=size, max_size=size), min_size=size, max_size=size
    )
)


def written(measure: ew.Measure, label: object) -> str:
    return f"{measure.name}[{label}]" if measure.scope == "label" else measure.name


def table_of(matrix: object) -> ew.ContingencyTable:
    return ew.ContingencyTable.from_matrix(matrix, rows="predicted")


@every_measure
def test_metadata_is_complete(measure: ew.Measure) -> None:
    assert measure.name.isidentifier()
    for text in (measure.formula, measure.chance, measure.source):
        assert text == text.strip()
        assert text
    assert measure.scope in ("label", "overall", "cells")
    assert measure.direction in ("higher", "lower", "neither")
    low, high = measure.range
    assert low < high
    assert measure.needs, "every measure is undefined somewhere, and says why"
    assert all(word == word.strip() and word for word in measure.synonyms)
    assert measure.spelling.startswith(measure.name)


def test_a_name_is_one_measure_of_a_label_and_one_of_the_whole_at_most() -> None:
    keys = [(measure.name, measure.scope == "label") for measure in CATALOGUE]
    assert len(set(keys)) == len(keys)


def test_a_synonym_belongs_to_one_name_and_is_no_other_measures_name() -> None:
    owners: dict[str, set[str]] = {}
    for measure in CATALOGUE:
        for synonym in measure.synonyms:
            owners.setdefault(synonym.lower(), set()).add(measure.name)
    assert {synonym: names for synonym, names in owners.items() if len(names) > 1} == {}
    assert set(owners) & {measure.name for measure in CATALOGUE} == set()


@pytest.mark.slow
@given(matrices)
@example([[20, 4], [15, 3]])
@example([[2, 0, 0], [0, 0, 3], [0, 4, 0]])
@example([[1, 0, 0], [0, 1, 0], [0, 0, 3]])
@example([[1, 0, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0], [0, 1, 0, 0]])
def test_values_lie_within_the_range(matrix: list[list[int]]) -> None:
    """To the last digit: a share of 1.0000000000000002 or minus 2e-16 bits would be printed, and logged."""
    table = table_of(matrix)
    for measure in CATALOGUE:
        for label in range(len(matrix)) if measure.scope == "label" else [None]:
            value = ew.measure(table, written(measure, label))
            assert math.isnan(value) or measure.low <= value <= measure.high, (measure.name, value)


# -- what guessing gives ------------------------------------------------------------------------------------

# Exact independence: every cell is the product of its margins' shares. All classes real, all predicted.
PREDICTED, REAL = (2, 3, 5), (4, 1, 2)
GUESSING = table_of(np.outer(PREDICTED, REAL))
P, R = [Fraction(p, 10) for p in PREDICTED], [Fraction(r, 7) for r in REAL]
AGREE = sum(p * r for p, r in zip(P, R, strict=True))

# The words of the catalogue, and what they come to for a label with predicted share p and prevalence r.
LABEL_CHANCE: dict[str, Callable[[Fraction, Fraction], float]] = {
    "the label's predicted share": lambda p, _: p,
    "the label's prevalence": lambda _, r: r,
    "1 − the label's predicted share": lambda p, _: 1 - p,
    "1 − the label's prevalence": lambda _, r: 1 - r,
    "p r + (1 − p)(1 − r)": lambda p, r: p * r + (1 - p) * (1 - r),
    "p r / (p + r − p r)": lambda p, r: p * r / (p + r - p * r),
    "p r / (alpha r + (1 − alpha) p)": lambda p, r: p * r / (r / 2 + p / 2),
    "(1 − p)(1 − r) / (alpha (1 − r) + (1 − alpha)(1 − p))": lambda p, r: (
        (1 - p) * (1 - r) / ((1 - r) / 2 + (1 - p) / 2)
    ),
    "√(p r)": lambda p, r: math.sqrt(p * r),
    "√((1 − p)(1 − r))": lambda p, r: math.sqrt((1 - p) * (1 - r)),
    "0": lambda _, __: 0,
    "1": lambda _, __: 1,
}
TABLE_CHANCE: dict[str, float] = {
    "0": 0.0,
    "Σ_l p_l r_l": AGREE,
    "1 − Σ_l p_l r_l": 1 - AGREE,
    "1 / real classes (when guesses are only of those)": 1 / 3,
    "Σ_l p_l r_l − (1 − Σ_l p_l r_l)/(K − 1)": AGREE - (1 - AGREE) / 2,
    "H(R)": -sum(float(r) * math.log2(r) for r in R),
}


@pytest.mark.parametrize(
    "measure",
    [m for m in CATALOGUE if m.scope == "label" and m.chance != "itself"],
    ids=lambda m: m.name,
)
def test_a_labels_chance_level_is_what_guessing_gives(measure: ew.Measure) -> None:
    for label in range(3):
        expected = LABEL_CHANCE[measure.chance](P[label], R[label])
        assert ew.measure(GUESSING, f"{measure.name}[{label}]") == pytest.approx(float(expected), abs=1e-12)
        assert ew.estimate(GUESSING, f"{measure.name}[{label}]").chance == pytest.approx(
            float(expected), abs=1e-12
        )


# The adjusted Rand index is 0 on average over guesses, not at their average (the next test).
ON_AVERAGE = "adjusted_rand_index"
SPELT_OUT = [m for m in CATALOGUE if m.chance in TABLE_CHANCE and m.scope != "label" and m.name != ON_AVERAGE]


@pytest.mark.parametrize("measure", SPELT_OUT, ids=lambda m: m.name)
def test_a_tables_chance_level_is_what_guessing_gives(measure: ew.Measure) -> None:
    expected = float(TABLE_CHANCE[measure.chance])
    assert ew.measure(GUESSING, measure.name) == pytest.approx(expected, abs=1e-12)
    assert ew.estimate(GUESSING, measure.name).chance == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("measure", [m for m in SPELT_OUT if m.chance == "0"], ids=lambda m: m.name)
@given(
    st.lists(st.integers(0, 5), min_size=3, max_size=3), st.lists(st.integers(0, 5), min_size=3, max_size=3)
)
def test_a_chance_of_0_is_0_whatever_the_margins(
    measure: ew.Measure, predicted: list[int], real: list[int]
) -> None:
    """Also where a label is predicted and never real, or real and never predicted."""
    value = ew.measure(table_of(np.outer(predicted, real)), measure.name)
    assert math.isnan(value) or value == pytest.approx(0.0, abs=1e-12)


REAL_CLASSES, GUESSES = (0, 0, 0, 1, 1, 2), (0, 0, 1, 1, 2, 2)


def over_all_guesses(name: str) -> np.ndarray:
    """A measure of every order of the guesses: the exact law of guessing with these margins."""
    tables = [ew.ContingencyTable.from_labels(REAL_CLASSES, order) for order in permutations(GUESSES)]
    distinct: dict[bytes, float] = {}
    values = []
    for table in tables:
        key = table.counts.tobytes()
        if key not in distinct:
            distinct[key] = ew.measure(table, name)
        values.append(distinct[key])
    return np.array(values)


@pytest.mark.parametrize("name", ["informedness", "markedness", "kappa", "mcc", "adjusted_rand_index"])
def test_guessing_averages_0(name: str) -> None:
    assert over_all_guesses(name).mean() == pytest.approx(0.0, abs=1e-12)


def test_chi_square_averages_about_its_degrees_of_freedom() -> None:
    """Exactly N/(N-1) (K-1)² (Haldane 1940), here 6/5 · 4."""
    assert over_all_guesses("chi_square").mean() == pytest.approx(6 / 5 * 4, abs=1e-12)


@pytest.mark.parametrize(
    "name", ["rand_index", "adjusted_rand_index", "chi_square", "accuracy", "balanced_accuracy"]
)
def test_the_chance_of_an_estimate_is_the_mean_over_guesses(name: str) -> None:
    table = ew.ContingencyTable.from_labels(REAL_CLASSES, GUESSES)
    assert ew.estimate(table, name).chance == pytest.approx(over_all_guesses(name).mean(), abs=1e-12)


# -- finding a measure --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Youden", "informedness"),
        ("youden's j", "informedness"),
        ("Peirce", "informedness"),
        ("DeltaP", "markedness"),
        ("sensitivity", "recall"),
        ("Matthews", "mcc"),
        ("Tanimoto", "jaccard"),
        ("balanced accuracy", "balanced_accuracy"),
        ("likelihood ratio", "positive_likelihood_ratio"),
        ("rand index", "rand_index"),
    ],
)
def test_search_finds(words: str, name: str) -> None:
    assert name in {measure.name for measure in ew.catalogue(words=words)}


def test_search_finds_nothing() -> None:
    assert ew.catalogue(words="xyzzy") == ()
