"""Closed forms of derivatives by margins, against complex steps of the measures themselves."""

from __future__ import annotations

import numpy as np
import pytest

import edgeworth as ew
from edgeworth.decisions.margin_slopes import margin_slopes
from edgeworth.decisions.resampling import MIN_LABELS_FOR_CLOSED_FORM, influence, variance
from edgeworth.decisions.views import Marginals, marginals, resolve

STEP = 1e-20


@pytest.mark.parametrize(
    "spelling", ["informedness", "markedness", "mcc", "macro_f", "kappa", "balanced_accuracy"]
)
@pytest.mark.parametrize("abstained", [0, 3])
@pytest.mark.parametrize("size", [2, 3, 12])
def test_closed_forms_are_the_derivatives(spelling: str, abstained: int, size: int) -> None:
    rng = np.random.default_rng(size + abstained)
    cells = rng.integers(0, 6, (5, size + 1, size)).astype(float) + np.eye(size + 1, size)
    cells[:, -1] = rng.integers(0, abstained + 1, (5, size))
    table = ew.ContingencyTable.from_matrix(cells[0, :-1].astype(int), rows="predicted", labels=range(size))
    resolved = resolve(table, spelling)
    view = marginals(cells)
    result = margin_slopes(resolved, view)
    assert result is not None
    parts = (view.hits, view.predicted, view.real, view.abstained)
    for part, slopes in enumerate(result):
        for label in range(size):
            moved = list(parts)
            moved[part] = parts[part] + 1j * STEP * (np.arange(size) == label)
            wanted = resolved.of_view(Marginals(*moved)).imag / STEP
            assert slopes[:, label] == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_a_class_without_predictions_has_the_derivatives_of_the_complex_step() -> None:
    """A swap may leave a class without predictions: markedness then leaves it out."""
    cells = np.array([[[5.0, 1, 2], [2, 6, 1], [0, 0, 0], [0, 0, 0]]])
    table = ew.ContingencyTable.from_matrix(cells[0, :-1].astype(int), rows="predicted", labels=range(3))
    resolved, view = resolve(table, "markedness"), marginals(cells)
    result = margin_slopes(resolved, view)
    assert result is not None
    parts = (view.hits, view.predicted, view.real, view.abstained)
    for part, slopes in enumerate(result[:3]):
        for label in range(3):
            moved = list(parts)
            moved[part] = parts[part] + 1j * STEP * (np.arange(3) == label)
            wanted = resolved.of_view(Marginals(*moved)).imag / STEP
            assert slopes[:, label] == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_other_measures_have_no_closed_form() -> None:
    table = ew.ContingencyTable.from_matrix([[3, 1], [1, 3]], rows="predicted", labels=["a", "b"])
    view = marginals(np.ones((1, 3, 2)))
    assert margin_slopes(resolve(table, "weighted_f"), view) is None
    assert margin_slopes(resolve(table, "informedness[a]"), view) is None


@pytest.mark.parametrize("spelling", ["informedness", "markedness", "mcc", "macro_f", "kappa", "accuracy"])
@pytest.mark.parametrize("is_weighted", [False, True])
def test_many_labels_have_the_variance_of_every_cell(spelling: str, is_weighted: bool) -> None:
    """Only occupied cells are summed; ``influence`` has the whole table."""
    rng = np.random.default_rng(6)
    labels = np.arange(MIN_LABELS_FOR_CLOSED_FORM + 20)
    truth = np.concatenate([labels, rng.choice(labels, 400)])
    prediction = [
        None if rng.random() < 0.05 else int(rng.choice([actual, rng.choice(labels)])) for actual in truth
    ]
    weights = rng.random(len(truth)) if is_weighted else None
    options = {} if weights is None else {"weights": weights, "weight_kind": "sampling"}
    table = ew.ContingencyTable.from_labels(truth.tolist(), prediction, missing="abstain", **options)
    resolved = resolve(table, spelling)
    weight = table.cells if table.squared is None else table.squared
    wanted = float((weight * influence(table, resolved) ** 2).sum())
    assert variance(table, resolved) == pytest.approx(wanted, rel=1e-9)
