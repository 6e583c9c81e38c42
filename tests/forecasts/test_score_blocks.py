"""Scores of forecasts do not depend on how rows lie in memory, nor on the blocks they are scored in."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pandas as pd
import pytest

from edgeworth.errors import InputError
from edgeworth.forecasts import scores as score_sums
from edgeworth.forecasts.forecasts import Forecasts
from edgeworth.forecasts.scores import ForecastScores
from edgeworth.forecasts.scoring_rules import PROPER_SCORES, case_scores

LENGTHS = (1, 2, 1023, 1024, 1025, 2048, 3000)


@pytest.fixture(params=["one block", "many blocks"], autouse=True)
def blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows are one block; here they are many, too."""
    if request.param == "many blocks":
        monkeypatch.setattr(score_sums, "BLOCK_VALUES", 1 << 10)


def table_of(cases: int, classes: int, seed: int) -> Any:
    """Rows of many kinds: certain, nearly certain, spread."""
    rng = np.random.default_rng(seed)
    table = rng.dirichlet(np.full(classes, 0.3), cases)
    table[::5] = np.eye(classes)[rng.integers(0, classes, len(table[::5]))]
    return table


@pytest.mark.slow
@pytest.mark.parametrize("cases", LENGTHS)
@pytest.mark.parametrize("classes", [2, 3, 16, 17])
def test_scores_of_rows_however_they_lie(cases: int, classes: int) -> None:
    codes = np.random.default_rng(classes).integers(0, classes, cases)
    codes[0] = 0
    table = table_of(cases, classes, cases)
    # The oracle is row by row.
    forecasts = Forecasts.of(codes, table, labels=range(classes))
    item = np.array([case_scores(forecasts[i : i + 1], PROPER_SCORES)[:, 0] for i in range(cases)]).T
    for rows in (table, np.asfortranarray(table)):
        result = ForecastScores.from_probabilities(codes, rows, labels=range(classes))
        again = ForecastScores.from_forecasts({"forecast": forecasts})
        for scores in (result, again):
            np.testing.assert_allclose(scores.sums[:, 0], item.sum(axis=1), rtol=1e-12)
            finite = np.where(np.isfinite(item), item, 0)
            np.testing.assert_allclose(scores.products[:, 0, 0], (finite**2).sum(axis=1), rtol=1e-12)
            assert scores.zeros.tolist() == [np.isinf(item[0]).sum()]
            assert scores.classes.tolist() == np.bincount(codes, minlength=classes).tolist()


@pytest.mark.parametrize("cases", LENGTHS)
def test_what_is_mended_is_mended_in_every_block(cases: int) -> None:
    """Rounded rows, −0, classes in another order, and what is normalised."""
    codes = np.random.default_rng(3).integers(0, 3, cases)
    codes[0] = 0
    table = table_of(cases, 3, cases)
    expected = ForecastScores.from_probabilities(codes, table, labels=range(3)).sums
    names = np.array(["a", "b", "c"])
    for given_table, terms in (
        (table * 0.7, {"normalise": True}),
        (np.where(table == 0, -0.0, table), {}),
        (table * (1 - 4e-7 * np.arange(cases)[:, None] / cases), {}),
    ):
        scores = ForecastScores.from_probabilities(codes, given_table, labels=range(3), **terms)
        np.testing.assert_allclose(scores.sums, expected, rtol=1e-9)
    turned = pd.DataFrame(table[:, [2, 0, 1]], columns=["c", "a", "b"])
    systems = {"one": pd.DataFrame(table, columns=list("abc")), "two": turned}
    scores = ForecastScores.from_probabilities(names[codes], systems)
    np.testing.assert_allclose(scores.sums, np.repeat(expected, 2, axis=1), rtol=1e-12)
    wrong = table.copy()
    wrong[-1, 1] = np.nan
    with pytest.raises(InputError, match=f"row {cases:,}, column 2 is missing"):
        ForecastScores.from_probabilities(codes, wrong, labels=range(3))


@pytest.mark.parametrize("classes", [2, 3, 17])
def test_a_matrix_is_a_table(classes: int) -> None:
    table = table_of(40, classes, 1)
    codes = np.arange(40) % classes
    with pytest.warns(PendingDeprecationWarning, match="matrix subclass"):
        matrix = np.asmatrix(table)
    scores = ForecastScores.from_probabilities(codes, matrix)
    assert scores == ForecastScores.from_probabilities(codes, table)


@pytest.mark.slow
def test_memory_is_that_of_a_block_whatever_the_number_of_classes() -> None:
    """4,096 rows of 2,000 classes, each to be mended: a block of them is 4 MB, the table 65."""
    table = table_of(4096, 2000, 2) * (1 - 1e-8)
    codes = np.arange(4096) % 2000
    tracemalloc.start()
    try:
        ForecastScores.from_probabilities(codes, table, labels=range(2000))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < table.nbytes
