"""Every measure of one label against its definition, in fractions counted from a list of cases.

Nothing below calls the program to compute what is expected. A case is a pair (predicted, real); None stands
for "undefined". Roots turn the exact counts into floats at the last step.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import edgeworth as ew
from brute_force import DEGENERATE, Matrix, Number, check, matrices, over

Case = tuple[int, int]
HALF = Fraction(1, 2)


def minus(left: Number, right: Number) -> Number:
    return None if left is None or right is None else left - right


class Against:
    """One label against the rest, counted case by case."""

    def __init__(self, cases: list[Case], label: int) -> None:
        self.n = len(cases)
        self.tp = sum(p == label and r == label for p, r in cases)
        self.fp = sum(p == label and r != label for p, r in cases)
        self.fn = sum(p != label and r == label for p, r in cases)
        self.tn = sum(p != label and r != label for p, r in cases)
        self.recall, self.precision = over(self.tp, self.tp + self.fn), over(self.tp, self.tp + self.fp)
        self.fallout, self.omission = over(self.fp, self.fp + self.tn), over(self.fn, self.fn + self.tn)
        self.inverse_recall = over(self.tn, self.fp + self.tn)
        self.inverse_precision = over(self.tn, self.fn + self.tn)


def harmonic(hits: int, false: int, missed: int, alpha: Fraction) -> Number:
    """F: recall when alpha is 1, precision when it is 0; between them 0 as soon as nothing was found."""
    recall, precision = over(hits, hits + missed), over(hits, hits + false)
    if alpha in (0, 1):
        return recall if alpha == 1 else precision
    if hits == 0:
        return None if false + missed == 0 else Fraction(0)
    return 1 / (alpha / recall + (1 - alpha) / precision)


def geometric(left: Number, right: Number) -> Number:
    return None if left is None or right is None else math.sqrt(left * right)


def matthews(s: Against) -> Number:
    square = (s.tp + s.fp) * (s.tp + s.fn) * (s.tn + s.fp) * (s.tn + s.fn)
    return None if square == 0 else (s.tp * s.tn - s.fp * s.fn) / math.sqrt(square)


DEFINITIONS: dict[str, Callable[[Against], Number]] = {
    "recall": lambda s: s.recall,
    "fallout": lambda s: s.fallout,
    "precision": lambda s: s.precision,
    "inverse_recall": lambda s: s.inverse_recall,
    "inverse_precision": lambda s: s.inverse_precision,
    "miss_rate": lambda s: over(s.fn, s.tp + s.fn),
    "false_discovery_rate": lambda s: over(s.fp, s.tp + s.fp),
    "false_omission_rate": lambda s: s.omission,
    "label_accuracy": lambda s: over(s.tp + s.tn, s.n),
    "prevalence": lambda s: over(s.tp + s.fn, s.n),
    "predicted_share": lambda s: over(s.tp + s.fp, s.n),
    "jaccard": lambda s: over(s.tp, s.tp + s.fp + s.fn),
    "f": lambda s: harmonic(s.tp, s.fp, s.fn, HALF),
    "inverse_f": lambda s: harmonic(s.tn, s.fn, s.fp, HALF),
    "g": lambda s: geometric(s.precision, s.recall),
    "inverse_g": lambda s: geometric(s.inverse_precision, s.inverse_recall),
    "informedness": lambda s: minus(s.recall, s.fallout),
    "markedness": lambda s: minus(s.precision, s.omission),
    "mcc": matthews,
    "positive_likelihood_ratio": lambda s: over(s.recall, s.fallout),
    "negative_likelihood_ratio": lambda s: over(minus(Fraction(1), s.recall), s.inverse_recall),
    "diagnostic_odds_ratio": lambda s: over(s.tp * s.tn, s.fp * s.fn),
    "lift": lambda s: over(s.precision, over(s.tp + s.fn, s.n)),
    "label_bias": lambda s: over(s.fp - s.fn, s.n),
    "evenness": lambda s: over((s.tp + s.fn) * (s.tn + s.fp), s.n**2),
}


def cases_of(matrix: Matrix) -> list[Case]:
    return [(p, r) for p, row in enumerate(matrix) for r, count in enumerate(row) for _ in range(count)]


def test_every_measure_of_a_label_has_a_definition_here() -> None:
    assert set(DEFINITIONS) == {m.name for m in ew.catalogue(kind="decisions") if m.scope == "label"}


@pytest.mark.parametrize("name", DEFINITIONS)
@pytest.mark.parametrize("matrix", DEGENERATE.values(), ids=DEGENERATE.keys())
def test_degenerate_tables(name: str, matrix: Matrix) -> None:
    table = ew.ContingencyTable.from_matrix(matrix, rows="predicted")
    for label in range(len(matrix)):
        expected = DEFINITIONS[name](Against(cases_of(matrix), label))
        check(table, f"{name}[{label}]", expected)
        assert (ew.estimate(table, f"{name}[{label}]").undefined is None) == (expected is not None)


@given(matrices)
def test_random_tables(matrix: Matrix) -> None:
    table = ew.ContingencyTable.from_matrix(matrix, rows="predicted")
    for label in range(len(matrix)):
        seen = Against(cases_of(matrix), label)
        for name, definition in DEFINITIONS.items():
            check(table, f"{name}[{label}]", definition(seen))


@given(matrices, st.sampled_from(["0", "1/10", "1/4", "1/3", "3/4", "1"]))
@example([[2, 1], [0, 0]], "0")
@example([[2, 0], [1, 0]], "1")
def test_f_with_any_weight_on_recall(matrix: Matrix, weight: str) -> None:
    table = ew.ContingencyTable.from_matrix(matrix, rows="predicted")
    alpha = Fraction(weight)
    for label in range(len(matrix)):
        s = Against(cases_of(matrix), label)
        check(table, f"f[{label}](alpha={float(alpha)!r})", harmonic(s.tp, s.fp, s.fn, alpha))
        check(table, f"inverse_f[{label}](alpha={float(alpha)!r})", harmonic(s.tn, s.fn, s.fp, alpha))


@given(matrices, st.sampled_from([0.1, 0.3, 0.7, 1 / 3]))
@example([[1, 2], [3, 0]], 0.1)
def test_sampling_weights_change_nothing_but_the_scale(matrix: Matrix, weight: float) -> None:
    """Cells of 0.1 and 0.2 do not add up to a tidy 0.3; an empty cell must stay empty all the same."""
    table = ew.ContingencyTable.from_matrix(weight * np.array(matrix), rows="predicted")
    for label in range(len(matrix)):
        seen = Against(cases_of(matrix), label)
        for name, definition in DEFINITIONS.items():
            check(table, f"{name}[{label}]", definition(seen))
