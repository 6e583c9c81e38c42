"""Charts of reports: values that draw themselves when they are looked at."""

from edgeworth.reports.charts.chart import Chart, Charts

__all__ = ["Chart", "Charts"]
