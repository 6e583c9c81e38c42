"""The CORP decomposition: its identity, its bounds, and its known values."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgeworth.errors import OptionError
from edgeworth.forecasts.calibration import Calibration, Reliability
from edgeworth.forecasts.corp_reliability import decompose, recalibrate

CELL = st.tuples(st.integers(1, 20), st.floats(0, 1)).map(lambda x: (x[0], round(x[0] * x[1])))
CURVES = st.dictionaries(st.integers(0, 20), CELL, min_size=1, max_size=12).map(
    lambda cells: curve_of([(value / 20, *cells[value]) for value in sorted(cells)])
)
both = pytest.mark.parametrize("score", ["brier", "log"])


def curve_of(cells: list[tuple[float, int, int]]) -> Reliability:
    values, cases, hits = (np.array(part) for part in zip(*cells, strict=True))
    return Reliability(values.astype(float), cases, hits)


def isotonic(curve: Reliability) -> list[Fraction]:
    """max over starts of min over ends of pooled shares, in fractions."""
    cases, hits = curve.cases.tolist(), curve.hits.tolist()
    size = len(cases)
    return [
        max(
            min(Fraction(sum(hits[a : b + 1]), sum(cases[a : b + 1])) for b in range(i, size))
            for a in range(i + 1)
        )
        for i in range(size)
    ]


def mean_score(curve: Reliability, values: Any, score: str) -> float:
    """One case after the other."""
    lost = []
    for value, cases, hits in zip(map(float, values), curve.cases.tolist(), curve.hits.tolist(), strict=True):
        for count, missed in ((hits, 1 - value), (cases - hits, value)):
            if count and score == "brier":
                lost.append(count * missed**2)
            elif count:
                lost.append(math.inf if missed == 1 else -count * math.log1p(-missed))
    return math.fsum(lost) / int(curve.cases.sum())


@given(curve=CURVES)
def test_recalibration_is_the_isotonic_fit(curve: Reliability) -> None:
    result = recalibrate(curve)
    assert result.tolist() == [float(x) for x in isotonic(curve)]
    assert np.all(np.diff(result) >= 0)


@both
@given(curve=CURVES)
def test_the_parts_make_the_score_and_none_is_negative(score: str, curve: Reliability) -> None:
    parts = decompose(curve, score)
    assert parts.score == pytest.approx(mean_score(curve, curve.values, score), rel=1e-12, abs=1e-15)
    again = parts.miscalibration - parts.discrimination + parts.uncertainty
    assert again == pytest.approx(parts.score, rel=1e-12, abs=1e-15)
    assert min(parts.miscalibration, parts.discrimination, parts.uncertainty) >= -1e-14
    share = Fraction(int(curve.hits.sum()), int(curve.cases.sum()))
    flat = mean_score(curve, [share] * len(curve.values), score)
    assert parts.uncertainty == pytest.approx(flat, rel=1e-12, abs=1e-15)
    best = mean_score(curve, isotonic(curve), score)
    assert parts.discrimination == pytest.approx(flat - best, rel=1e-10, abs=1e-14)


@both
@given(curve=CURVES)
def test_discrimination_is_the_same_for_any_rising_recalibration(score: str, curve: Reliability) -> None:
    bent = Reliability(curve.values**3 / 2 + 0.1, curve.cases, curve.hits)
    one, other = decompose(curve, score), decompose(bent, score)
    assert one.discrimination == other.discrimination
    assert one.uncertainty == other.uncertainty
    assert one.recalibrated.tolist() == other.recalibrated.tolist()


@both
def test_perfect_calibration(score: str) -> None:
    parts = decompose(curve_of([(0.0, 5, 0), (0.25, 8, 2), (0.5, 4, 2), (1.0, 3, 3)]), score)
    assert parts.miscalibration == 0
    assert parts.recalibrated.tolist() == [0, 0.25, 0.5, 1]
    fitted = decompose(curve_of([(0.1, 10, 4), (0.6, 10, 9)]), score).recalibrated
    assert decompose(curve_of([(fitted[0], 10, 4), (fitted[1], 10, 9)]), score).miscalibration == 0


def test_known_brier_score() -> None:
    curve = Calibration.from_probabilities([0], [0.271], positive=1).curve(1)
    assert decompose(curve, "brier").score == pytest.approx(0.073441, rel=1e-14)


def test_by_hand() -> None:
    # Forecasts the wrong way round are pooled: nothing is told apart.
    parts = decompose(curve_of([(0.2, 10, 8), (0.8, 10, 2)]), "brier")
    assert parts.recalibrated.tolist() == [0.5, 0.5]
    assert parts.score == pytest.approx(0.52)
    assert parts.discrimination == 0
    assert parts.uncertainty == 0.25
    assert parts.miscalibration == pytest.approx(0.27)


def test_log_score_with_zeros() -> None:
    right = decompose(curve_of([(0.0, 5, 0), (1.0, 5, 5)]), "log")
    assert (right.score, right.miscalibration) == (0, 0)
    assert right.discrimination == right.uncertainty == pytest.approx(math.log(2))
    for wrong in (curve_of([(0.0, 5, 1), (1.0, 5, 5)]), curve_of([(0.0, 5, 0), (1.0, 5, 4)])):
        parts = decompose(wrong, "log")
        assert parts.score == parts.miscalibration == math.inf
        assert math.isfinite(parts.discrimination)
        assert parts.discrimination > 0
    same = decompose(curve_of([(0.3, 4, 0), (0.5, 4, 0)]), "log")
    assert (same.uncertainty, same.discrimination) == (0, 0)
    assert same.miscalibration == same.score > 0


def test_nothing_is_undefined() -> None:
    nothing = Reliability(np.zeros(0), np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))
    for score in ("brier", "log"):
        parts = decompose(nothing, score)
        assert math.isnan(parts.score)
        assert math.isnan(parts.miscalibration)
        assert len(parts.recalibrated) == 0


def test_other_scores_are_refused() -> None:
    with pytest.raises(OptionError, match="saw 'spherical'"):
        decompose(curve_of([(0.5, 2, 1)]), "spherical")
