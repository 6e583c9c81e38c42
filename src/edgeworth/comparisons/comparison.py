"""A comparison of systems as its user sees it: differences by pair and measure, and a report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from pathlib import Path

from edgeworth.common.json_types import JsonObject
from edgeworth.comparisons.difference import Difference
from edgeworth.comparisons.findings import ComparisonFindings
from edgeworth.comparisons.report import compose_comparison, difference_grid, difference_rows
from edgeworth.core.formatting import digits_shown
from edgeworth.core.registry import canonical_spelling
from edgeworth.errors import OptionError
from edgeworth.report.charts.chart import Chart
from edgeworth.report.formats import grid_to_csv, grid_to_latex, grid_to_markdown, write_text
from edgeworth.report.frames import PAIR_COLUMNS, Frame, make_frame
from edgeworth.report.report import Report

NAMES_IN_REPR = 5
"""Systems that the short description of a comparison names."""


@dataclass(frozen=True, repr=False)
class Comparison:
    """Systems compared pair by pair: ``comparison["A", "B"]["informedness"].difference`` is A less B."""

    findings: ComparisonFindings
    provenance: Mapping[str, object] = field(default_factory=dict, repr=False)
    notices: tuple[str, ...] = field(default=(), repr=False)
    """What was taken without being said, for the reader to know first."""
    digits: int = 3
    library: str = field(default="", repr=False)
    """The library whose frame was compared."""
    finish: Callable[[Report], Report] | None = field(default=None, repr=False)
    """What else the report says, where more is known than the differences."""

    @property
    def names(self) -> tuple[str, ...]:
        """The systems, as they were given."""
        return self.findings.names

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that were compared, the primary one among them."""
        return self.findings.measures

    @property
    def letters(self) -> dict[str, str]:
        """Letters of each system, the best first: those that share one do not differ significantly."""
        return self.findings.letters

    @property
    def ranks(self) -> dict[str, tuple[int, int]]:
        """The places that each system may have, best and worst; all of them hold together at the level."""
        return self.findings.ranks

    @property
    def tied_for_first(self) -> tuple[str, ...]:
        """The systems that none is shown to be better than."""
        return self.findings.tied_for_first

    def __getitem__(self, pair: tuple[str, str]) -> Differences:
        """The differences of two systems, first less second."""
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
        return state | {"finish": self.finish and partial(_as_finished, self._finished)}

    @cached_property
    def _finished(self) -> Report:
        with digits_shown(self.digits):
            report = compose_comparison(self.findings, self.provenance)
            return report if self.finish is None else self.finish(report)

    @cached_property
    def report(self) -> Report:
        """The comparison as a report."""
        report = self._finished
        if self.findings.race is None or self.findings.is_in_sample:
            report = report.limit_claims(self.findings.predictions_made)
        return report.with_notices(self.notices, self.digits)

    @property
    def charts(self) -> Mapping[str, Chart]:
        """The charts of the report, by name."""
        return self.report.charts

    @property
    def verdict(self) -> str:
        """Who is better, how surely, and how many cases would decide."""
        return self.report.verdict

    def to_dict(self) -> JsonObject:
        """Everything as plain values."""
        return self.report.to_dict()

    def to_json(self, path: str | Path | None = None) -> str:
        """The report as JSON; also written to ``path`` when given."""
        return self.report.to_json(path)

    def to_html(self, path: str | Path | None = None, *, title: str = "") -> str:
        """The report as a page that needs no network, as of ``Report.to_html``."""
        return self.report.to_html(path, title=title)

    def to_frame(self, library: str | None = None) -> Frame:
        """Make a frame with one row per pair, slice and measure: ``value`` is first less second.

        Pairs have the order in which the systems were given, in slices too, as in ``to_dict`` and
        ``to_csv``. ``level`` is the confidence level of each interval: those of slices hold together, so
        theirs is higher.
        """
        rows = [*difference_rows(self.findings), *self.report.rows()]
        return make_frame(rows, PAIR_COLUMNS, library or self.library)

    def to_csv(self, path: str | Path | None = None) -> str:
        """Every pair and measure in a line, with all digits."""
        return write_text(grid_to_csv(difference_grid(self.findings)), path)

    def to_latex(self, path: str | Path | None = None) -> str:
        """The same table for a paper, with the rules of booktabs."""
        return write_text(grid_to_latex(difference_grid(self.findings)), path)

    def to_markdown(self, path: str | Path | None = None) -> str:
        """The same table for a web page."""
        return write_text(grid_to_markdown(difference_grid(self.findings)), path)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return self.report._repr_html_()

    def __str__(self) -> str:
        return str(self.report)

    def __repr__(self) -> str:
        names = ", ".join(self.names[:NAMES_IN_REPR])
        more = len(self.names) - NAMES_IN_REPR
        listed = f"{names} and {more:,} more" if more > 0 else names
        return f"<Comparison by {self.findings.headline}: {listed}>"


def _as_finished(finished: Report, composed: Report) -> Report:
    """Take the report that was finished before the comparison was pickled."""
    return replace(composed, **{field.name: getattr(finished, field.name) for field in fields(Report)})


class Differences(dict[str, Difference]):
    """Differences by measure; ``f`` means ``f[spam]`` where only one such measure was compared."""

    def __missing__(self, measure: str) -> Difference:
        same = [name for name in self if _is_meant(measure, name)]
        if len(same) != 1:
            known = ", ".join(same or self)
            raise OptionError(f"{measure!r} was not compared, or could be several; there are {known}")
        return self[same[0]]


def _is_meant(options: str, name: str) -> bool:
    """Whether a measure without a label, depth or options means this one."""
    wanted, known = canonical_spelling(options), canonical_spelling(name)
    return (
        wanted.name == known.name
        and all(getattr(wanted, part) in (None, getattr(known, part)) for part in ("label", "depth"))
        and (not wanted.options or wanted.options == known.options)
    )
