"""Every measure of a whole table against its definition, in fractions counted from a list of cases.

Nothing below calls the program to compute what is expected. A case is a pair (predicted, real); None stands
for "undefined". Roots turn the exact counts into floats at the last step. Measures of one label have the same
treatment in tests/decisions/test_per_label.py, those of every cell in tests/decisions/test_information.py.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import edgeworth as ew
from brute_force import DEGENERATE, Matrix, Number, check, matrices, over

Case = tuple[int, int]


def average(pairs: Iterable[tuple[int, Number]]) -> Number:
    """The mean of (weight, value) pairs; one undefined value makes it undefined."""
    pairs = list(pairs)
    if any(value is None for _, value in pairs):
        return None
    return over(sum((w * v for w, v in pairs), Fraction(0)), sum(w for w, _ in pairs))


class Label:
    """One label against the rest."""

    def __init__(self, cases: list[Case], label: int) -> None:
        self.hits = sum(p == r == label for p, r in cases)
        self.predicted, self.real = (sum(c[side] == label for c in cases) for side in (0, 1))
        n = len(cases)
        self.recall, self.precision = over(self.hits, self.real), over(self.hits, self.predicted)
        fallout = over(self.predicted - self.hits, n - self.real)
        omission = over(self.real - self.hits, n - self.predicted)
        self.edge = None if None in (self.recall, fallout) else self.recall - fallout
        self.mark = None if None in (self.precision, omission) else self.precision - omission
        # F with the usual weights: twice the hits over all that was said and all that there was.
        self.f = over(2 * self.hits, self.predicted + self.real)


class Cases:
    """All cases of a table."""

    def __init__(self, matrix: Matrix) -> None:
        cells = [(p, r, count) for p, row in enumerate(matrix) for r, count in enumerate(row)]
        self.rows: list[Case] = [(p, r) for p, r, count in cells for _ in range(count)]
        self.n = len(self.rows)
        self.labels = [Label(self.rows, label) for label in range(len(matrix))]
        self.real = [s for s in self.labels if s.real]
        self.predicted = [s for s in self.labels if s.predicted]
        self.used = [s for s in self.labels if s.real or s.predicted]
        self.accuracy = over(sum(p == r for p, r in self.rows), self.n)
        self.agreement = over(sum(s.predicted * s.real for s in self.labels), self.n**2)
        self.of_predicted, self.of_real = (Counter(c[side] for c in self.rows) for side in (0, 1))
        self.recall_sum = sum((s.recall for s in self.real), Fraction(0))


def shared_edge(cases: Cases, share: str, value: str) -> Number:
    """Σ share·edge over the labels whose edge is defined; undefined when none of them has a share."""
    priced = [s for s in cases.labels if getattr(s, value) is not None and getattr(s, share)]
    return over(sum(getattr(s, share) * getattr(s, value) for s in priced), cases.n) if priced else None


def adjusted_balanced_accuracy(cases: Cases) -> Number:
    balanced, chance = average((1, s.recall) for s in cases.real), over(1, len(cases.real))
    return over(balanced - chance, 1 - chance) if cases.real else None


def micro_informedness(cases: Cases) -> Number:
    """Pooled recall less pooled fallout over the labels in use, each against the rest."""
    wrong = sum(s.predicted - s.hits for s in cases.used)
    fallout = over(wrong, sum(cases.n - s.real for s in cases.used))
    return None if fallout is None else cases.accuracy - fallout


def gorodkin(cases: Cases) -> Number:
    spread = math.prod(
        cases.n**2 - sum(c * c for c in side.values()) for side in (cases.of_predicted, cases.of_real)
    )
    return None if not spread else float(cases.n**2 * (cases.accuracy - cases.agreement)) / math.sqrt(spread)


def average_f(cases: Cases) -> Number:
    if not cases.n or any(s.hits == 0 for s in cases.predicted):
        return Fraction(0) if cases.n else None
    return 1 / sum(Fraction(s.predicted, cases.n) / s.f for s in cases.predicted)


def average_g(cases: Cases) -> Number:
    """0 as soon as a predicted label has no hits, real or not."""
    if not cases.n or any(s.hits == 0 for s in cases.predicted):
        return Fraction(0) if cases.n else None
    return math.prod(math.sqrt(s.precision * s.recall) ** (s.predicted / cases.n) for s in cases.predicted)


def unit_return(cases: Cases, margin: float = 0, commission: float = 0) -> Number:
    """One unit on every prediction, settled case by case; no commission on a bet that wins less than 0."""
    profit = Fraction(0)
    for predicted, real in cases.rows:
        net = Fraction(cases.n, cases.of_real[real]) / (1 + Fraction(margin)) - 1
        profit += -1 if predicted != real else net * (1 - Fraction(commission)) if net > 0 else net
    return over(profit, cases.n)


def break_even_commission(cases: Cases) -> Number:
    if not cases.n:
        return None
    lost = over(1 - cases.accuracy, cases.recall_sum - cases.accuracy)
    return None if lost is None else 1 - lost


DEFINITIONS: dict[str, Callable[[Cases], Number]] = {
    "informedness": lambda t: shared_edge(t, "predicted", "edge"),
    "markedness": lambda t: shared_edge(t, "real", "mark"),
    "accuracy": lambda t: t.accuracy,
    "error_rate": lambda t: over(sum(p != r for p, r in t.rows), t.n),
    "balanced_accuracy": lambda t: average((1, s.recall) for s in t.real),
    "adjusted_balanced_accuracy": adjusted_balanced_accuracy,
    "macro_informedness": lambda t: average((1, s.edge) for s in t.labels if s.edge is not None),
    "micro_informedness": micro_informedness,
    "real_weighted_informedness": lambda t: shared_edge(t, "real", "edge"),
    "mcc": gorodkin,
    "kappa": lambda t: over(t.accuracy - t.agreement, 1 - t.agreement) if t.n else None,
    "coverage": lambda t: over(t.n, t.n),
    "average_f": average_f,
    "average_g": average_g,
    "macro_f": lambda t: average((1, s.f) for s in t.used),
    "weighted_f": lambda t: average((s.real, s.f) for s in t.real),
    "macro_precision": lambda t: average((1, s.precision) for s in t.used),
    "weighted_precision": lambda t: average((s.real, s.precision) for s in t.real),
    "break_even_margin": lambda t: t.recall_sum - 1 if t.n else None,
    "break_even_commission": break_even_commission,
    "unit_return": unit_return,
}


def test_every_measure_of_a_table_has_a_definition_here() -> None:
    assert set(DEFINITIONS) == {m.name for m in ew.catalogue(kind="decisions") if m.scope == "overall"}


@pytest.mark.parametrize("name", DEFINITIONS)
@pytest.mark.parametrize("matrix", DEGENERATE.values(), ids=DEGENERATE.keys())
def test_degenerate_tables(name: str, matrix: Matrix) -> None:
    check(ew.ContingencyTable.from_matrix(matrix, rows="predicted"), name, DEFINITIONS[name](Cases(matrix)))


@pytest.mark.parametrize("name", DEFINITIONS)
@pytest.mark.parametrize("matrix", DEGENERATE.values(), ids=DEGENERATE.keys())
def test_an_estimate_is_undefined_exactly_where_the_measure_is(name: str, matrix: Matrix) -> None:
    estimate = ew.estimate(ew.ContingencyTable.from_matrix(matrix, rows="predicted"), name)
    assert (estimate.undefined is None) == (DEFINITIONS[name](Cases(matrix)) is not None)
    assert math.isnan(estimate.value) == (estimate.undefined is not None)


@given(matrices)
def test_random_tables(matrix: Matrix) -> None:
    table = ew.ContingencyTable.from_matrix(matrix, rows="predicted")
    cases = Cases(matrix)
    for name, definition in DEFINITIONS.items():
        check(table, name, definition(cases))


@given(matrices, st.sampled_from([0.1, 0.3, 0.7, 1 / 3]))
def test_sampling_weights_change_nothing_but_the_scale(matrix: Matrix, weight: float) -> None:
    """Cells of 0.1 and 0.2 do not add up to a tidy 0.3; what is undefined must stay so all the same."""
    table = ew.ContingencyTable.from_matrix(weight * np.array(matrix), rows="predicted")
    cases = Cases(matrix)
    for name, definition in DEFINITIONS.items():
        check(table, name, definition(cases))


@given(matrices, st.sampled_from([0.0, 0.05, 0.5, 4.0, -0.25]), st.sampled_from([0.0, 0.02, 0.5, 1.0]))
@example([[3, 1], [2, 4]], 4.0, 0.5)
def test_unit_bets_at_a_house(matrix: Matrix, margin: float, commission: float) -> None:
    table = ew.ContingencyTable.from_matrix(matrix, rows="predicted")
    spelling = f"unit_return(overround={margin}, commission={commission})"
    check(table, spelling, unit_return(Cases(matrix), margin, commission))
