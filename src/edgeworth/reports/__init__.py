"""Reports as values, and their rendering. No mathematics here."""

from typing import TYPE_CHECKING

from edgeworth.lazy_names import lazy_names

if TYPE_CHECKING:
    from edgeworth.reports.decisions import decisions_report
    from edgeworth.reports.forecasts import forecasts_report
    from edgeworth.reports.lists import lists_report, trec_report
    from edgeworth.reports.rankings import ranking_report
    from edgeworth.reports.report import Column, Grid, Report, Section
    from edgeworth.reports.selection import selection_report
    from edgeworth.reports.stakes import stakes_report
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "decisions": ("decisions_report",),
            "forecasts": ("forecasts_report",),
            "lists": ("lists_report", "trec_report"),
            "rankings": ("ranking_report",),
            "report": ("Column", "Grid", "Report", "Section"),
            "selection": ("selection_report",),
            "stakes": ("stakes_report",),
        },
    )

__all__ = [
    "Column",
    "Grid",
    "Report",
    "Section",
    "decisions_report",
    "forecasts_report",
    "lists_report",
    "ranking_report",
    "selection_report",
    "stakes_report",
    "trec_report",
]
