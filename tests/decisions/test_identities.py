"""What must hold between measures: two classes, mixtures, abstentions, and any number of cases."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import edgeworth as ew
from edgeworth.errors import OptionError

BASE = [[5, 1, 0, 2], [0, 3, 4, 1], [2, 0, 6, 0], [1, 1, 0, 7]]
counts = st.integers(0, 30)
two_by_two = st.lists(st.lists(counts, min_size=2, max_size=2), min_size=2, max_size=2)


def table_of(matrix: object) -> ew.ContingencyTable:
    return ew.ContingencyTable.from_matrix(matrix, rows="predicted")


def values(table: ew.ContingencyTable, *names: str) -> list[float]:
    return [ew.measure(table, name) for name in names]


# -- two classes --------------------------------------------------------------------------------------------


@given(two_by_two)
def test_two_classes(matrix: list[list[int]]) -> None:
    """MATH A3, A4, A8: one edge for both labels, which is v*; chi² = N·B·M; MCC² = B·M."""
    table = table_of(matrix)
    assume(all(table.predicted > 0) and all(table.real > 0))
    edge, mark, correlation, chi = values(table, "informedness", "markedness", "mcc", "chi_square")
    assert values(table, "informedness[0]", "informedness[1]") == pytest.approx([edge, edge], abs=1e-12)
    assert values(table, "markedness[0]", "markedness[1]") == pytest.approx([mark, mark], abs=1e-12)
    assert ew.measure(table, "break_even_margin") == pytest.approx(edge, abs=1e-12)
    assert ew.measure(table, "adjusted_balanced_accuracy") == pytest.approx(edge, abs=1e-12)
    assert correlation**2 == pytest.approx(edge * mark, abs=1e-12)
    assert ew.measure(table, "mcc[0]") == pytest.approx(correlation, abs=1e-12)
    assert chi == pytest.approx(table.total * edge * mark, abs=1e-9)
    assert ew.measure(table, "cramers_v") == pytest.approx(abs(correlation), abs=1e-9)


@given(two_by_two)
def test_markedness_is_informedness_turned_round(matrix: list[list[int]]) -> None:
    turned = ew.measure(table_of(np.array(matrix).T.tolist()), "informedness")
    assert ew.measure(table_of(matrix), "markedness") == pytest.approx(turned, abs=1e-12, nan_ok=True)


# -- mixtures -----------------------------------------------------------------------------------------------


def shares(sizes: list[int]) -> list[float]:
    return [size / sum(sizes) for size in sizes]


@st.composite
def mixtures(draw: st.DrawFn, most: int = 6) -> tuple[list[float], list[float]]:
    """Real shares above 0, guess shares that may be 0."""
    size = draw(st.integers(2, most))
    real = draw(st.lists(st.integers(1, 40), min_size=size, max_size=size))
    guess = draw(st.lists(st.integers(0, 40), min_size=size, max_size=size).filter(any))
    return shares(real), shares(guess)


@given(mixtures(), st.floats(0, 1), st.sampled_from([1.0, 100.0, 12345.0]))
def test_informedness_recovers_the_informed_fraction(
    mixture: tuple[list[float], list[float]], informed: float, cases: float
) -> None:
    table = ew.decisions.informed_mixture(*mixture, informed, cases=cases)
    assert ew.measure(table, "informedness") == pytest.approx(informed, abs=1e-12)


@given(mixtures(most=2), st.floats(-1, 0))
def test_informedness_recovers_a_wrongly_informed_fraction_of_two(
    mixture: tuple[list[float], list[float]], informed: float
) -> None:
    table = ew.decisions.informed_mixture(*mixture, informed)
    assert ew.measure(table, "informedness") == pytest.approx(informed, abs=1e-12)


def test_a_wrongly_informed_fraction_of_three_is_refused() -> None:
    with pytest.raises(OptionError, match="two classes"):
        ew.decisions.informed_mixture([0.5, 0.3, 0.2], [0.5, 0.3, 0.2], -0.1)


# -- abstentions --------------------------------------------------------------------------------------------


def edge_sum(hits: list[int], predicted: list[int], real: list[int], cases: int) -> Fraction | None:
    """Σ P_l (hits/R − false/(N − R)) / N over the labels bet on that are real sometimes, not always."""
    priced = [label for label in range(len(real)) if predicted[label] and 0 < real[label] < cases]
    if not priced:
        return None
    edges = {
        label: Fraction(hits[label], real[label])
        - Fraction(predicted[label] - hits[label], cases - real[label])
        for label in priced
    }
    return sum(predicted[label] * edges[label] for label in priced) / Fraction(cases)


def with_abstentions(matrix: list[list[int]], policy: str) -> Fraction | None:
    """MATH A6, both routes, from the definition; the last row of the matrix holds the abstentions."""
    decided, abstained = matrix[:-1], matrix[-1]
    hits = [row[label] for label, row in enumerate(decided)]
    predicted, real = [sum(row) for row in decided], [sum(column) for column in zip(*decided, strict=True)]
    kept, away = sum(predicted), sum(abstained)
    if policy == "zero_weight":
        everyone = [here + gone for here, gone in zip(real, abstained, strict=True)]
        return edge_sum(hits, predicted, everyone, kept + away)
    informed = edge_sum(hits, predicted, real, kept)
    if informed is None or policy == "drop":
        return informed
    return informed * Fraction(kept, kept + away)


three_labels = st.lists(
    st.lists(st.integers(0, 6) | st.just(0), min_size=3, max_size=3), min_size=4, max_size=4
)


@pytest.mark.parametrize("policy", ["discount", "zero_weight", "drop"])
@given(three_labels)
@example([[0, 0, 0], [0, 0, 0], [0, 0, 0], [1, 2, 3]])
@example([[2, 0, 0], [1, 0, 0], [0, 0, 0], [0, 2, 3]])
def test_informedness_with_abstentions(policy: str, matrix: list[list[int]]) -> None:
    table = ew.ContingencyTable(("a", "b", "c"), np.array(matrix))
    spelling = f"informedness(abstentions={policy})"
    expected = with_abstentions(matrix, policy)
    value = ew.measure(table, spelling)
    if expected is None:
        assert math.isnan(value)
        assert not str(ew.estimate(table, spelling).undefined).startswith("its formula")
    else:
        assert value == pytest.approx(float(expected), abs=1e-12)
    if policy == "discount":
        assert ew.measure(table, "informedness") == pytest.approx(value, nan_ok=True)


def test_all_abstained_is_not_no_cases() -> None:
    """Six cases and no decision: whatever is undefined then, it is not for want of cases."""
    table = ew.ContingencyTable(("a", "b"), np.array([[0, 0], [0, 0], [4, 2]]))
    assert ew.measure(table, "coverage") == 0.0
    reason = ew.estimate(table, "informedness").undefined
    assert reason is not None
    assert reason != "there are no cases"


def test_guessing_that_abstains_on_one_class_is_not_worth_0_at_zero_weight() -> None:
    """Decided cases independent, all abstentions in class a: by hand G(a) = 6/16 − 6/8, G(b) = 2/8 − 2/16."""
    table = ew.ContingencyTable(("a", "b"), np.array([[6, 6], [2, 2], [8, 0]]))
    by_hand = 12 / 24 * (6 / 16 - 6 / 8) + 4 / 24 * (2 / 8 - 2 / 16)
    result = ew.estimate(table, "informedness(abstentions=zero_weight)")
    assert result.value == pytest.approx(by_hand, abs=1e-12)
    assert result.chance == pytest.approx(by_hand, abs=1e-12)


# -- averages of F ------------------------------------------------------------------------------------------

NEVER_PREDICTED = [[3, 1, 2], [2, 4, 1], [0, 0, 0]]
NEVER_REAL = [[3, 1, 0], [2, 4, 0], [1, 1, 0]]


@pytest.mark.parametrize("matrix", [BASE, NEVER_PREDICTED, NEVER_REAL])
def test_f_without_weight_on_recall_is_precision(matrix: list[list[int]]) -> None:
    """Undefined where precision is, too: a class that is never predicted has no precision of 0."""
    table = table_of(matrix)
    for average in ("macro", "weighted"):
        plain = ew.measure(table, f"{average}_precision")
        assert ew.measure(table, f"{average}_f(alpha=0)") == pytest.approx(plain, nan_ok=True), average


def test_f_with_all_weight_on_recall_is_recall() -> None:
    table = table_of(NEVER_PREDICTED)
    assert ew.measure(table, "macro_f(alpha=1)") == pytest.approx(ew.measure(table, "balanced_accuracy"))
    assert ew.measure(table, "weighted_f(alpha=1)") == pytest.approx(ew.measure(table, "accuracy"))
    # A label that is never real has no recall to average.
    assert math.isnan(ew.measure(table_of(NEVER_REAL), "macro_f(alpha=1)"))


# -- any number of cases ------------------------------------------------------------------------------------

MANY = 10**9
FOLLOW_THE_NUMBER_OF_CASES = ("rand_index", "adjusted_rand_index", "chi_square")


@pytest.mark.parametrize(
    "name",
    [
        m.name
        for m in ew.catalogue(kind="decisions")
        if m.scope != "label" and m.name not in FOLLOW_THE_NUMBER_OF_CASES
    ],
)
def test_many_cases_change_no_measure_of_the_table(name: str) -> None:
    few, many = table_of(BASE), table_of(np.array(BASE) * MANY)
    assert ew.measure(many, name) == pytest.approx(ew.measure(few, name), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("name", [m.name for m in ew.catalogue(kind="decisions") if m.scope == "label"])
def test_many_cases_change_no_measure_of_a_label(name: str) -> None:
    few, many = table_of(BASE), table_of(np.array(BASE) * MANY)
    for label in range(4):
        before, after = (ew.measure(table, f"{name}[{label}]") for table in (few, many))
        assert after == pytest.approx(before, rel=1e-12, abs=1e-12, nan_ok=True)


def test_chi_square_grows_with_the_cases() -> None:
    few, many = (ew.measure(table_of(item), "chi_square") for item in (BASE, np.array(BASE) * MANY))
    assert many == pytest.approx(MANY * few, rel=1e-12)


def test_pairs_of_many_cases() -> None:
    """The Rand indices in whole numbers: pairs together in both, in one, and altogether."""
    cells = [[count * MANY for count in row] for row in BASE]
    both = sum(math.comb(count, 2) for row in cells for count in row)
    predicted = sum(math.comb(sum(row), 2) for row in cells)
    real = sum(math.comb(sum(column), 2) for column in zip(*cells, strict=True))
    every = math.comb(sum(map(sum, cells)), 2)
    expected = Fraction(predicted * real, every)
    rand = Fraction(every - predicted - real + 2 * both, every)
    adjusted = (both - expected) / (Fraction(predicted + real, 2) - expected)
    seen = values(table_of(cells), "rand_index", "adjusted_rand_index")
    assert seen == pytest.approx([float(rand), float(adjusted)], rel=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_one_real_class_among_many_weighted_labels_has_no_odds(seed: int) -> None:
    """Nine weights add up differently by rows and by columns; that difference is not a second class."""
    matrix = np.zeros((9, 9))
    matrix[:, 0] = np.random.default_rng(seed).random(9)
    table = table_of(matrix)
    for name in ("informedness", "informedness[0]", "macro_informedness", "mcc", "break_even_commission"):
        assert math.isnan(ew.measure(table, name)), name
