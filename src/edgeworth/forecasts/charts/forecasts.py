"""Charts of probabilities: wealth and returns, luck, stakes, two forecasters, scores, reliability."""

from __future__ import annotations

from edgeworth.forecasts.charts.forecast_rivals import has_bounds, probabilities_chart, sequence_chart
from edgeworth.forecasts.charts.luck import has_luck, luck_chart, stakes_chart
from edgeworth.forecasts.charts.reliability import reliability_chart
from edgeworth.forecasts.charts.wealth import returns_chart, wealth_chart
from edgeworth.forecasts.wealth_findings import ForecastFindings
from edgeworth.report.charts.chart import Charts


def forecast_charts(findings: ForecastFindings) -> Charts:
    """The charts of a report on probabilities; none where there would be nothing to see."""
    wealth = findings.bets.wealth
    charts = [wealth_chart(findings), returns_chart(findings)]
    if has_luck(findings):
        charts.append(luck_chart(findings))
    if len(wealth.labels) == 2:
        charts.append(stakes_chart(findings))
    # Constant shares are one price for every case.
    if findings.pairs is not None and wealth.book != "constant":
        charts.append(probabilities_chart(findings))
    if has_bounds(findings.bets.brier) or has_bounds(findings.bets.log):
        charts.append(sequence_chart(findings))
    charts.append(reliability_chart(findings))
    return Charts(tuple(charts))
