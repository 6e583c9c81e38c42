"""Every measure of all cells against its definition, in fractions counted from a list of cases.

Nothing below calls the program to compute what is expected. A case is a pair (predicted, real); None stands
for "undefined". Pairs of cases are listed one by one. Roots and logarithms come at the last step.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import edgeworth as ew
from brute_force import DEGENERATE, Matrix, Number, check, matrices, over


class Cases:
    """All cases of a table, and how often each cell, prediction and class occurs."""

    def __init__(self, matrix: Matrix) -> None:
        cells = [(p, r, count) for p, row in enumerate(matrix) for r, count in enumerate(row)]
        self.rows = [(p, r) for p, r, count in cells for _ in range(count)]
        self.n, self.joint = len(self.rows), Counter(self.rows)
        self.of_predicted, self.of_real = (Counter(c[side] for c in self.rows) for side in (0, 1))


def entropy(counts: Counter) -> Number:
    n = counts.total()
    return math.fsum(-c / n * math.log2(c / n) for c in counts.values()) if n else None


def mutual_information(cases: Cases) -> Number:
    if not cases.n:
        return None
    return math.fsum(
        c / cases.n * math.log2(c * cases.n / (cases.of_predicted[p] * cases.of_real[r]))
        for (p, r), c in cases.joint.items()
    )


def information_share(cases: Cases) -> Number:
    return mutual_information(cases) / entropy(cases.of_real) if len(cases.of_real) > 1 else None


def chi_square(cases: Cases) -> Number:
    if not cases.n:
        return None
    cells = [(p, r) for p in cases.of_predicted for r in cases.of_real]
    expected = {(p, r): Fraction(cases.of_predicted[p] * cases.of_real[r], cases.n) for p, r in cells}
    return sum((cases.joint[cell] - expected[cell]) ** 2 / expected[cell] for cell in cells)


def cramers_v(cases: Cases) -> Number:
    smaller = min(len(cases.of_predicted), len(cases.of_real))
    return math.sqrt(chi_square(cases) / (cases.n * (smaller - 1))) if smaller > 1 else None


def pairs(cases: Cases) -> tuple[int, int, int, int]:
    """Of all pairs of cases: how many share the prediction, the reality, both; and how many there are."""
    same = [(a[0] == b[0], a[1] == b[1]) for a, b in combinations(cases.rows, 2)]
    return sum(p for p, _ in same), sum(r for _, r in same), sum(p and r for p, r in same), len(same)


def rand_index(cases: Cases) -> Number:
    agree = [(a[0] == b[0]) == (a[1] == b[1]) for a, b in combinations(cases.rows, 2)]
    return over(sum(agree), len(agree))


def adjusted_rand_index(cases: Cases) -> Number:
    predicted, real, both, every = pairs(cases)
    expected = over(predicted * real, every)
    return None if expected is None else over(both - expected, Fraction(predicted + real, 2) - expected)


DEFINITIONS: dict[str, Callable[[Cases], Number]] = {
    "conditional_entropy": lambda t: entropy(t.of_real) - mutual_information(t) if t.n else None,
    "mutual_information": mutual_information,
    "information_share": information_share,
    "real_entropy": lambda t: entropy(t.of_real),
    "rand_index": rand_index,
    "adjusted_rand_index": adjusted_rand_index,
    "chi_square": chi_square,
    "cramers_v": cramers_v,
}
FOLLOW_THE_NUMBER_OF_CASES = ("rand_index", "adjusted_rand_index", "chi_square")


def test_every_measure_of_all_cells_has_a_definition_here() -> None:
    assert set(DEFINITIONS) == {m.name for m in ew.catalogue(kind="decisions") if m.scope == "cells"}


@pytest.mark.parametrize("name", DEFINITIONS)
@pytest.mark.parametrize("matrix", DEGENERATE.values(), ids=DEGENERATE.keys())
def test_degenerate_tables(name: str, matrix: Matrix) -> None:
    check(ew.ContingencyTable.from_matrix(matrix, rows="predicted"), name, DEFINITIONS[name](Cases(matrix)))


@pytest.mark.parametrize("name", DEFINITIONS)
@pytest.mark.parametrize("matrix", DEGENERATE.values(), ids=DEGENERATE.keys())
def test_an_estimate_is_undefined_exactly_where_the_measure_is(name: str, matrix: Matrix) -> None:
    result = ew.estimate(ew.ContingencyTable.from_matrix(matrix, rows="predicted"), name)
    assert (result.undefined is None) == (DEFINITIONS[name](Cases(matrix)) is not None)
    assert math.isnan(result.value) == (result.undefined is not None)


@given(matrices)
def test_random_tables(matrix: Matrix) -> None:
    table = ew.ContingencyTable.from_matrix(matrix, rows="predicted")
    cases = Cases(matrix)
    for name, definition in DEFINITIONS.items():
        check(table, name, definition(cases))


@given(matrices, st.sampled_from([0.1, 0.3, 0.7, 1 / 3]))
def test_sampling_weights_change_nothing_but_the_scale(matrix: Matrix, weight: float) -> None:
    table = ew.ContingencyTable.from_matrix(weight * np.array(matrix), rows="predicted")
    cases = Cases(matrix)
    for name in sorted(set(DEFINITIONS) - set(FOLLOW_THE_NUMBER_OF_CASES)):
        check(table, name, DEFINITIONS[name](cases))


@pytest.mark.parametrize("name", DEFINITIONS)
def test_the_table_of_nothing(name: str) -> None:
    check(ew.ContingencyTable.empty(), name, None)
