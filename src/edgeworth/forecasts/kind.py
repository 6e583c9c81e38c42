"""The kinds of forecasts: everything that a report needs of probabilities, and its parts."""

from __future__ import annotations

from edgeworth.core.kinds import Kind

CATALOGUE = "edgeworth.forecasts.measures:MEASURES"
MEASURE = "edgeworth.forecasts.measures:measure_forecasts"
ESTIMATE = "edgeworth.forecasts.estimates:estimate_forecasts"

FORECASTS = Kind(
    name="forecasts",
    title="probabilities",
    tally="edgeworth.forecasts.tally:ForecastTally",
    estimate="edgeworth.forecasts.findings:estimate_tally",
    report="edgeworth.forecasts.report:report_forecasts",
    usual=("brier", "log", "ranked", "spherical", "accuracy"),
    predictions="probabilities",
    terms=(
        "labels",
        "positive",
        "normalise",
        "clip",
        "ordinal",
        "ordered",
        "fraction",
        "predictions_made",
        "bookmaker",
    ),
    check="edgeworth.forecasts.reading:check_forecasts",
    count="edgeworth.forecasts.reading:count_forecasts",
)
SCORES = Kind(
    "forecast_scores",
    "scores of forecasts",
    "edgeworth.forecasts.scores:ForecastScores",
    CATALOGUE,
    MEASURE,
    ESTIMATE,
)
CALIBRATION = Kind(
    "calibration",
    "a calibration",
    "edgeworth.forecasts.calibration:Calibration",
    CATALOGUE,
    MEASURE,
    ESTIMATE,
)
WEALTH = Kind("wealth", "wealth", "edgeworth.forecasts.betting.wealth:Wealth", CATALOGUE, MEASURE, ESTIMATE)
