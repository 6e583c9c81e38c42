"""Reports as values, and their rendering. No mathematics here."""

from edgeworth.reports.decisions import decisions_report
from edgeworth.reports.report import Column, Grid, Report, Section

__all__ = ["Column", "Grid", "Report", "Section", "decisions_report"]
