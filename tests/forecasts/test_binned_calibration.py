"""Reliability in bounded memory: exact up to a number of forecasts, on cells beyond, wherever it is cut."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from typing import Any
from unittest import mock

import numpy as np
import pytest

from edgeworth.errors import InputError
from edgeworth.forecasts import calibration as bounded
from edgeworth.forecasts.calibration import CELLS, BoundedReliability, Reliability, cells_of
from edgeworth.forecasts.corp_reliability import decompose

EDGES = [0.0, 5e-324, 1e-300, 2.0**-60, 0.25, 0.5, np.nextafter(0.5, 1), 0.75, 1 - 2.0**-53, 1.0]


def forecasts(cases: int, seed: int = 0) -> tuple[Any, Any]:
    """Even ones, tiny ones and near-certain ones, and some values very often."""
    rng = np.random.default_rng(seed)
    values = np.concatenate(
        [
            rng.random(cases // 2),
            10.0 ** rng.uniform(-20, 0, cases // 4),
            1 - 10.0 ** rng.uniform(-16, 0, cases // 8),
            rng.choice([*EDGES, -0.0, 0.3], cases // 8),
        ]
    )
    rng.shuffle(values)
    return values, rng.random(len(values)) < np.clip(values + 0.05, 0, 1)


def counted(values: Any, came_true: Any, cuts: list[int]) -> BoundedReliability:
    edges = [0, *sorted(cut % (len(values) + 1) for cut in cuts), len(values)]
    total = BoundedReliability.of(np.zeros(0), np.zeros(0, dtype=bool))
    for start, stop in pairwise(edges):
        total = total + BoundedReliability.of(values[start:stop], came_true[start:stop])
    return total


def by_cells(values: Any, came_true: Any) -> dict[int, tuple[int, int, Fraction]]:
    """Cases, hits and the exact mean of each cell, one case after the other."""
    results: dict[int, tuple[int, int, Fraction]] = {}
    for cell, value, hit in zip(cells_of(values).tolist(), values.tolist(), came_true.tolist(), strict=True):
        cases, hits, total = results.get(cell, (0, 0, Fraction(0)))
        results[cell] = (cases + 1, hits + hit, total + Fraction(value))
    return {cell: (cases, hits, total / cases) for cell, (cases, hits, total) in results.items()}


@pytest.mark.parametrize("most", [len(EDGES), 700, 10**6])
@pytest.mark.parametrize("cuts", [[1], [0, 300, 800], [100, 100, 640]])
def test_cuts_do_not_matter(most: int, cuts: list[int]) -> None:
    values, came_true = forecasts(800)
    with mock.patch.object(bounded, "MAX_DISTINCT_FORECASTS", most):
        whole, parts = counted(values, came_true, []), counted(values, came_true, cuts)
        assert whole.is_rounded == parts.is_rounded == (len(np.unique(values)) > most)
        np.testing.assert_array_equal(parts.cases, whole.cases)
        np.testing.assert_array_equal(parts.hits, whole.hits)
        np.testing.assert_allclose(parts.values, whole.values, rtol=1e-13)


def test_few_values_are_counted_as_they_are() -> None:
    values, came_true = forecasts(800)
    result, plain = counted(values, came_true, [300]), Reliability.of(values, came_true)
    assert result.to_dict() == {"is_rounded": False, **plain.to_dict()}


def test_many_values_are_counted_at_the_mean_of_their_cells() -> None:
    values, came_true = forecasts(800)
    with mock.patch.object(bounded, "MAX_DISTINCT_FORECASTS", 10):
        curve = counted(values, came_true, [100, 400])
    expected = by_cells(values, came_true)
    assert cells_of(curve.values).tolist() == sorted(expected)
    assert curve.cases.tolist() == [expected[cell][0] for cell in sorted(expected)]
    assert curve.hits.tolist() == [expected[cell][1] for cell in sorted(expected)]
    for value, cell in zip(curve.values.tolist(), sorted(expected), strict=True):
        assert value == pytest.approx(float(expected[cell][2]), rel=1e-12, abs=0)


def test_cells_ascend_and_are_narrow() -> None:
    values, _ = forecasts(40_000)
    values = np.unique(np.concatenate([values, EDGES]))
    cells = cells_of(values)
    assert (np.diff(cells) >= 0).all()
    assert cells.min() == 0
    assert cells.max() == CELLS - 1
    together = np.flatnonzero(np.diff(cells) == 0)
    apart = values[together + 1] - values[together]
    small = np.minimum(values, 1 - values)[together]
    assert (apart <= np.where(small < 2.0**-60, 2.0**-60 * 1.001, small / 4096 * (1 + 1e-12))).all()
    # What is certain is told from what is nearly so.
    for end, near in ((0.0, 5e-324), (1.0, 1 - 2.0**-53)):
        assert len(set(cells_of(np.array([end, near])).tolist())) == 2


def test_means_stay_in_their_cells() -> None:
    """A mean of very many equal numbers may be rounded beyond them, and into the next cell."""
    # Of the cells nearest to 1 many are narrower than the distance of two floats there.
    values = np.unique(np.concatenate([forecasts(40_000)[0], EDGES]))
    cases = np.random.default_rng(6).integers(1, 1 << 40, len(values))
    cells, starts = np.unique(cells_of(values), return_index=True)
    result = Reliability(values, cases, np.zeros_like(cases)).together(starts)
    np.testing.assert_array_equal(cells_of(result.values), cells)
    assert (np.diff(result.values) > 0).all()


@pytest.mark.parametrize("score", ["brier", "log"])
def test_rounding_hardly_moves_the_parts_of_a_score(score: str) -> None:
    rng = np.random.default_rng(5)
    values = rng.beta(0.3, 0.6, 20_000)
    came_true = rng.random(20_000) < 0.8 * values + 0.1
    exact = decompose(Reliability.of(values, came_true, None), score)
    with mock.patch.object(bounded, "MAX_DISTINCT_FORECASTS", 1000):
        bounded_reliability = BoundedReliability.of(values, came_true)
        assert bounded_reliability.is_rounded
        rounded = decompose(bounded_reliability, score)
    assert np.isfinite(exact.score)
    # A case is off by 1/4096 at most, and many cases by much less.
    assert rounded.score == pytest.approx(exact.score, abs=1 / 4096 / 10)
    assert rounded.miscalibration == pytest.approx(exact.miscalibration, abs=1 / 4096 / 10)
    assert rounded.uncertainty == pytest.approx(exact.uncertainty, rel=1e-12)


@pytest.mark.parametrize("most", [10, 10**6])
def test_plain_values_come_back_through_json(most: int) -> None:
    values, came_true = forecasts(400)
    with mock.patch.object(bounded, "MAX_DISTINCT_FORECASTS", most):
        bounded_reliability = BoundedReliability.of(values, came_true)
        payload = json.loads(json.dumps(bounded_reliability.to_dict(), allow_nan=False))
        assert BoundedReliability.from_dict(payload) == bounded_reliability
        assert bounded_reliability != BoundedReliability.of(values[:9], came_true[:9])
        assert bounded_reliability != 1


def test_wrong_files_are_refused() -> None:
    exact = BoundedReliability.of(np.array([0.3, 0.3 + 1e-9, 0.7]), np.array([True, False, True])).to_dict()
    with pytest.raises(InputError, match="one value in each cell"):
        BoundedReliability.from_dict(exact | {"is_rounded": True})
    with mock.patch.object(bounded, "MAX_DISTINCT_FORECASTS", 2), pytest.raises(InputError, match="too many"):
        BoundedReliability.from_dict(exact)
    with pytest.raises(InputError, match="is_rounded"):
        BoundedReliability.from_dict({name: exact[name] for name in ("values", "cases", "hits")})
