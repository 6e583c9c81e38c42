"""Agreement with scikit-learn: log loss, Brier scores, isotonic regression."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, d2_log_loss_score, log_loss

from edgeworth.core.registry import measure
from edgeworth.forecasts.calibration import Calibration
from edgeworth.forecasts.corp_reliability import decompose, recalibrate
from edgeworth.forecasts.scores import ForecastScores

many = pytest.mark.parametrize("seed", range(5))


@many
@pytest.mark.parametrize("classes", [2, 3, 10, 20])
def test_log_and_brier(classes: int, seed: int) -> None:
    rng = np.random.default_rng([seed, classes])
    probabilities = rng.dirichlet(np.full(classes, 0.5), 400)
    truth = rng.integers(0, classes, 400)
    truth[:classes] = range(classes)
    scores = ForecastScores.from_probabilities(truth, probabilities)
    assert scores.mean("log") == pytest.approx(log_loss(truth, probabilities), rel=1e-12)
    one_hot = np.eye(classes)[truth]
    expected = ((probabilities - one_hot) ** 2).sum(axis=1).mean() / (2 if classes == 2 else 1)
    assert scores.mean("brier") == pytest.approx(expected, rel=1e-12)
    theirs = probabilities[:, 1] if classes == 2 else probabilities
    assert scores.mean("brier") == pytest.approx(brier_score_loss(truth, theirs), rel=1e-12)


@many
@pytest.mark.parametrize("classes", [2, 4])
def test_skill_is_d2(classes: int, seed: int) -> None:
    rng = np.random.default_rng([seed, classes])
    probabilities = rng.dirichlet(np.full(classes, 2.0), 300)
    truth = rng.integers(0, classes, 300)
    truth[:classes] = range(classes)
    scores = ForecastScores.from_probabilities(truth, probabilities)
    assert measure(scores, "log_skill") == pytest.approx(d2_log_loss_score(truth, probabilities), abs=1e-12)


@many
def test_one_column_and_labels_in_words(seed: int) -> None:
    rng = np.random.default_rng(seed)
    forecast, truth = rng.random(300), np.where(rng.random(300) < 0.3, "spam", "ham")
    scores = ForecastScores.from_probabilities(truth, forecast, positive="spam")
    assert scores.mean("brier") == pytest.approx(
        brier_score_loss(truth, forecast, pos_label="spam"), rel=1e-12
    )
    assert scores.mean("log") == pytest.approx(log_loss(truth == "spam", forecast), rel=1e-12)
    both = np.stack([1 - forecast, forecast], axis=1)
    again = ForecastScores.from_probabilities(truth, both)
    assert again.labels == scores.labels == ("ham", "spam")
    np.testing.assert_allclose(again.sums, scores.sums, rtol=1e-13)


@many
@pytest.mark.parametrize("digits", [1, 2, 16])
def test_isotonic_fit(digits: int, seed: int) -> None:
    rng = np.random.default_rng([seed, digits])
    forecast = rng.random(500).round(digits)
    truth = (rng.random(500) < forecast**2).astype(int)
    curve = Calibration.from_probabilities(truth, forecast).curve(1)
    theirs = IsotonicRegression(y_min=0, y_max=1).fit(forecast, truth)
    np.testing.assert_allclose(recalibrate(curve), theirs.predict(curve.values), atol=1e-12)
    parts = decompose(curve, "brier")
    fitted = theirs.predict(forecast)
    base = np.full(500, truth.mean())
    assert parts.score == pytest.approx(brier_score_loss(truth, forecast), rel=1e-12)
    gain = brier_score_loss(truth, base) - brier_score_loss(truth, fitted)
    assert parts.discrimination == pytest.approx(gain, abs=1e-13)
    assert parts.uncertainty == pytest.approx(brier_score_loss(truth, base), rel=1e-12)
