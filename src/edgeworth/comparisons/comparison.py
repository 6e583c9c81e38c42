"""A comparison of systems as its user sees it: differences by pair and measure, and a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TypeAlias

from edgeworth.common.escaping import visible
from edgeworth.common.json_types import JsonObject
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import ComparisonFindings
from edgeworth.comparisons.report import compose_comparison, difference_grid, difference_rows
from edgeworth.core.formatting import digits_shown, html_table
from edgeworth.core.registry import canonical_spelling
from edgeworth.errors import EdgeworthError, OptionError
from edgeworth.report.charts.chart import Chart
from edgeworth.report.formats import grid_to_csv, grid_to_latex, grid_to_markdown, write_text
from edgeworth.report.frames import PAIR_COLUMNS, Frame, make_frame
from edgeworth.report.metrics import comparison_metrics
from edgeworth.report.report import Report

NAMES_IN_REPR = 5
"""Systems that the short description of a comparison names."""


SliceFindings: TypeAlias = tuple[str, str, ComparisonFindings | EdgeworthError]
"""A column, one of its values, and the comparison of the cases that have it, or why there is none."""


@dataclass(frozen=True, repr=False)
class Comparison:
    """A comparison of two or more systems: ``comparison["A", "B"]["informedness"].difference`` is A minus B.

    ``ew.compare`` makes comparisons.

    Attributes
    ----------
    findings : ComparisonFindings
        The differences of all pairs, with their intervals and tests.
    provenance : mapping
        What was compared: files, columns, options and versions.
    notices : tuple of str
        Assumptions that the reader should know first.
    digits : int
        The number of digits in tables.

    Examples
    --------
    >>> import edgeworth as ew
    >>> truth = [1, 0] * 60
    >>> systems = {"a": [1, 0] * 50 + [0, 1] * 10, "b": [1, 0] * 40 + [0, 1] * 20}
    >>> comparison = ew.compare(truth=truth, systems=systems)
    >>> comparison.verdict[:39]
    'a beats b: informedness 0.667 vs 0.333,'
    >>> round(comparison["a", "b"]["informedness"].difference, 3)
    0.333
    >>> comparison.names, comparison.ranks, comparison.tied_for_first, comparison.letters
    (('a', 'b'), {'a': (1, 1), 'b': (2, 2)}, ('a',), {'a': 'a', 'b': 'b'})
    >>> comparison.measures[0], sorted(comparison.charts)[:2], comparison.report.lead
    ('informedness', ['differences', 'disagreements'], 'differences')
    """

    findings: ComparisonFindings
    provenance: Mapping[str, object] = field(default_factory=dict, repr=False)
    notices: tuple[str, ...] = field(default=(), repr=False)
    """What was assumed without being requested; reports show it first."""
    digits: int = 3
    library: str = field(default="", repr=False)
    """The library whose frame was compared."""
    complete_report: Callable[[Report], Report] | None = field(default=None, repr=False)
    """Adds to the report what is known beyond the differences: slices, tasks, unfinished runs."""
    compare_slices: Callable[[str], list[SliceFindings]] | None = field(default=None, repr=False)
    """Compares in each slice by a measure, if there are slices."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems, in the order in which you passed them."""
        return self.findings.names

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that were compared, including the primary one."""
        return self.findings.measures

    @property
    def letters(self) -> dict[str, str]:
        """The letters of each system, best first. Systems that share a letter do not differ significantly."""
        return self.findings.letters

    @property
    def ranks(self) -> dict[str, tuple[int, int]]:
        """The best and the worst rank that each system may have. All of them hold together at the level."""
        return self.findings.ranks

    @property
    def tied_for_first(self) -> tuple[str, ...]:
        """The systems that no other system is shown to beat."""
        return self.findings.tied_for_first

    def __getitem__(self, pair: tuple[str, str]) -> Differences:
        """Return the differences of two systems, first minus second."""
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise OptionError(f'ask for a pair of systems, comparison["A", "B"]; saw {pair!r}')
        for name in pair:
            if name not in self.names:
                raise OptionError(f"there is no system {name!r}; there are {', '.join(self.names)}")
        if pair[0] == pair[1]:
            raise OptionError(f"a pair is two different systems; saw {pair[0]!r} twice")
        return Differences(self.findings.difference(*pair))

    def __getstate__(self) -> dict[str, object]:
        """Compute what is still to be computed, so that the comparison can be pickled without its data."""
        state: dict[str, object] = {field.name: getattr(self, field.name) for field in fields(self)}
        complete_report = self.complete_report and partial(_restore_finished_report, self._completed)
        return state | {"complete_report": complete_report, "compare_slices": None}

    @cached_property
    def _completed(self) -> Report:
        with digits_shown(self.digits):
            report = compose_comparison(self.findings, self.provenance)
            return report if self.complete_report is None else self.complete_report(report)

    @cached_property
    def report(self) -> Report:
        """The comparison as a report."""
        report = self._completed
        if self.findings.race is None or self.findings.is_in_sample:
            report = report.limit_claims(self.findings.predictions_made)
        return report.with_notices(self.notices, self.digits)

    @property
    def charts(self) -> Mapping[str, Chart]:
        """The charts of the report, by name."""
        return self.report.charts

    @property
    def verdict(self) -> str:
        """The conclusion: which system is better, with levels, difference, interval, test and sample size."""
        return self.report.verdict

    def to_dict(self, *, full: bool = False) -> JsonObject:
        """Return the report as plain values for JSON.

        Parameters
        ----------
        full : bool
            Whether to include the rows behind every chart, and all digits of curves.

        Returns
        -------
        dict
            The report, as from ``Report.to_dict``.

        Examples
        --------
        >>> import edgeworth as ew
        >>> comparison = ew.compare(truth=[1, 0] * 20, systems={"a": [1, 0] * 20, "b": [1, 1] * 20})
        >>> comparison.to_dict()["kind"]
        'comparison'
        """
        return self.report.to_dict(full=full)

    def to_json(self, path: str | Path | None = None, *, full: bool = False) -> str:
        """Write the report as JSON text.

        Parameters
        ----------
        path : str or Path, optional
            Also write the text to this file.
        full : bool
            Whether to include the rows behind every chart, and all digits of curves.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> import json
        >>> import edgeworth as ew
        >>> comparison = ew.compare(truth=[1, 0] * 20, systems={"a": [1, 0] * 20, "b": [1, 1] * 20})
        >>> json.loads(comparison.to_json())["verdict"] == comparison.verdict
        True
        """
        return self.report.to_json(path, full=full)

    def to_metrics(self) -> dict[str, float]:
        """Return values and differences as a flat dictionary, for experiment trackers such as MLflow and W&B.

        Returns
        -------
        dict of str to float
            A system's value is ``A/informedness``. A difference, first minus second in the order in which you
            passed the systems, is ``A_minus_B/informedness``, with ``_low``, ``_high`` and ``_p``.

        Examples
        --------
        >>> import edgeworth as ew
        >>> comparison = ew.compare(truth=[1, 0] * 20, systems={"a": [1, 0] * 20, "b": [1, 1] * 20})
        >>> metrics = comparison.to_metrics()
        >>> metrics["a/informedness"], metrics["a_minus_b/informedness"]
        (1.0, 1.0)
        """
        rows = [*difference_rows(self.findings), *self.report.rows()]
        return comparison_metrics(self.findings.values, rows, self.findings.cases, self.report.numbers)

    def to_html(self, path: str | Path | None = None, *, title: str = "") -> str:
        """Write the report as one page that needs no network.

        Parameters
        ----------
        path : str or Path, optional
            Also write the page to this file.
        title : str
            The title of the page.

        Returns
        -------
        str
            The page.

        Examples
        --------
        >>> import edgeworth as ew
        >>> comparison = ew.compare(truth=[1, 0] * 20, systems={"a": [1, 0] * 20, "b": [1, 1] * 20})
        >>> comparison.to_html(title="Which model?").startswith("<!doctype html>")
        True
        """
        return self.report.to_html(path, title=title)

    def to_frame(self, library: str | None = None) -> Frame:
        """Return a frame with one row per pair, slice and measure.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default that of the frame you compared, or one that is installed.

        Returns
        -------
        DataFrame or Table
            ``value`` is first minus second, for pairs in the order in which you passed the systems. ``level``
            is the confidence level of each interval. Intervals of slices hold together, so their level is
            higher.

        Examples
        --------
        >>> import edgeworth as ew
        >>> comparison = ew.compare(truth=[1, 0] * 20, systems={"a": [1, 0] * 20, "b": [1, 1] * 20})
        >>> list(comparison.to_frame("pandas").columns[:4])
        ['first', 'second', 'by', 'slice']
        """
        rows = [*difference_rows(self.findings), *self.report.rows()]
        return make_frame(rows, PAIR_COLUMNS, library or self.library)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Write one line per pair and measure, with all digits.

        Parameters
        ----------
        path : str or Path, optional
            Also write the text to this file.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> import edgeworth as ew
        >>> comparison = ew.compare(truth=[1, 0] * 20, systems={"a": [1, 0] * 20, "b": [1, 1] * 20})
        >>> comparison.to_csv().splitlines()[0].split(",")[:6]
        ['measure', 'first', 'second', 'first value', 'second value', 'difference']
        """
        return write_text(grid_to_csv(difference_grid(self.findings)), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """Write the table for a paper. It needs LaTeX's package booktabs.

        Parameters
        ----------
        path : str or Path, optional
            Also write the text to this file.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> import edgeworth as ew
        >>> comparison = ew.compare(truth=[1, 0] * 20, systems={"a": [1, 0] * 20, "b": [1, 1] * 20})
        >>> "toprule" in comparison.to_latex()
        True
        """
        return write_text(grid_to_latex(difference_grid(self.findings)), path)

    def to_markdown(self, path: str | Path | None = None) -> str:
        """Write the table as Markdown.

        Parameters
        ----------
        path : str or Path, optional
            Also write the text to this file.

        Returns
        -------
        str
            The text.

        Examples
        --------
        >>> import edgeworth as ew
        >>> comparison = ew.compare(truth=[1, 0] * 20, systems={"a": [1, 0] * 20, "b": [1, 1] * 20})
        >>> comparison.to_markdown().startswith("|")
        True
        """
        return write_text(grid_to_markdown(difference_grid(self.findings)), path)

    def _repr_html_(self) -> str:
        """Show the report in a notebook."""
        return self.report._repr_html_()

    def _repr_markdown_(self) -> str:
        """Show the report where a notebook becomes Markdown."""
        return self.report._repr_markdown_()

    def __str__(self) -> str:
        return str(self.report)

    def __repr__(self) -> str:
        names = ", ".join(self.names[:NAMES_IN_REPR])
        more = len(self.names) - NAMES_IN_REPR
        listed = f"{names} and {more:,} more" if more > 0 else names
        return visible(f"<Comparison by {self.findings.headline}: {listed}>")


def _restore_finished_report(finished: Report, composed: Report) -> Report:
    """Take the report that was finished before the comparison was pickled."""
    return replace(composed, **{field.name: getattr(finished, field.name) for field in fields(Report)})


class Differences(dict[str, Difference]):
    """Differences by measure; ``f`` means ``f[spam]`` if only one such measure was compared."""

    def _repr_html_(self) -> str:
        """Show one row per measure in a notebook."""
        names = next(([x.first, x.second] for x in self.values()), [])
        heads = ["measure", *names, "difference", "95% CI", "test"]
        return html_table(" − ".join(names), heads, (x.row() for x in self.values()))

    def __missing__(self, measure: str) -> Difference:
        same = [name for name in self if _is_meant(measure, name)]
        if len(same) != 1:
            known = ", ".join(same or self)
            raise OptionError(f"{measure!r} was not compared, or could be several; there are {known}")
        return self[same[0]]


def _is_meant(requested: str, name: str) -> bool:
    """Return whether a measure without a label, depth or options means this one."""
    wanted, known = canonical_spelling(requested), canonical_spelling(name)
    return (
        wanted.name == known.name
        and all(getattr(wanted, part) in (None, getattr(known, part)) for part in ("label", "depth"))
        and (not wanted.options or wanted.options == known.options)
    )
