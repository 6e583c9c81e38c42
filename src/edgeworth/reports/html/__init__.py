"""A report as one page that needs no network."""

from edgeworth.reports.html.page import report_to_html

__all__ = ["report_to_html"]
