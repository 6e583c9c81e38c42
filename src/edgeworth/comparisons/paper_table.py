"""A table for a paper: one row per system, one column per measure, the best value in bold.

A dagger marks a value that differs from the baseline's. Its p-value is adjusted by Holm for all comparisons
that the table shows.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from edgeworth.comparisons.findings import ComparisonFindings
from edgeworth.core.formatting import escape_markdown
from edgeworth.core.multiple_testing import holm
from edgeworth.core.sampling_distributions import is_significant
from edgeworth.errors import OptionError
from edgeworth.report.formats import escape_latex, spreadsheet_cell

DAGGER = "†"


@dataclass(frozen=True)
class PaperTable:
    """Values of systems by measure, and the adjusted p-values of their differences from the baseline."""

    measures: Mapping[str, str]
    """How each measure is headed, by its spelling."""
    values: Mapping[str, Mapping[str, float]]
    """The value of each system by measure; nan if it has none."""
    lower_is_better: frozenset[str] = frozenset()
    descriptive: frozenset[str] = frozenset()
    """Measures of which neither direction is better: they are shown, but have no best value and no test."""
    baseline: str | None = None
    adjusted: Mapping[tuple[str, str], float] | None = None
    """Holm's p-value of each system and measure against the baseline."""
    level: float = 0.95
    digits: int = 3
    remark: str = ""
    """What a reader must know of the values, such as that they are over different queries."""

    def is_best(self, system: str, measure: str) -> bool:
        """Return whether no system has a better value, as far as the digits show."""
        if measure in self.descriptive:
            return False
        sign = -1 if measure in self.lower_is_better else 1
        shown = {name: self._rounded(name, measure) for name in self.values}
        known = [sign * value for value in shown.values() if not math.isnan(value)]
        return len(self.values) > 1 and bool(known) and sign * shown[system] == max(known)

    def differs(self, system: str, measure: str) -> bool:
        """Return whether the system differs significantly from the baseline, all comparisons considered."""
        if self.adjusted is None or system == self.baseline:
            return False
        return is_significant(self.adjusted.get((system, measure), 1.0), self.level)

    def _rounded(self, system: str, measure: str) -> float:
        return round(self.values[system][measure], self.digits)

    def _text(self, system: str, measure: str) -> str:
        value = self.values[system][measure]
        return "–" if math.isnan(value) else f"{value:.{self.digits}f}"

    @property
    def note(self) -> str:
        """The legend of the table; empty without a baseline or a remark."""
        if self.adjusted is None:
            return self.remark
        number = len(self.adjusted)
        return (
            f"{DAGGER} differs from {self.baseline} (p < {1 - self.level:.2g}, adjusted by Holm for {number} "
            f"{'comparison' if number == 1 else 'comparisons'}).{f' {self.remark}' if self.remark else ''}"
        )

    def to_latex(self) -> str:
        """Write a tabular with the rules of the booktabs package."""
        heads = " & ".join(["system", *map(escape_latex, self.measures.values())])
        lines = [
            rf"\begin{{tabular}}{{l{'r' * len(self.measures)}}}",
            r"\toprule",
            rf"{heads} \\",
            r"\midrule",
        ]
        for system in self.values:
            cells = [escape_latex(system)]
            for measure in self.measures:
                text = self._text(system, measure).replace("–", "--")
                text = rf"\textbf{{{text}}}" if self.is_best(system, measure) else text
                cells.append(text + (r"$^\dagger$" if self.differs(system, measure) else ""))
            lines.append(rf"{' & '.join(cells)} \\")
        lines += [r"\bottomrule", r"\end{tabular}"]
        if self.note:
            lines.append(f"% {self.note}")
        return "\n".join(lines) + "\n"

    def to_markdown(self) -> str:
        """Write a pipe table."""
        lines = [
            f"| {' | '.join(['system', *map(escape_markdown, self.measures.values())])} |",
            f"|---|{'---:|' * len(self.measures)}",
        ]
        for system in self.values:
            cells = [escape_markdown(system)]
            for measure in self.measures:
                text = self._text(system, measure)
                text = f"**{text}**" if self.is_best(system, measure) else text
                cells.append(text + (DAGGER if self.differs(system, measure) else ""))
            lines.append(f"| {' | '.join(cells)} |")
        return "\n".join(lines) + "\n" + (f"\n{escape_markdown(self.note)}\n" if self.note else "")

    def to_csv(self) -> str:
        """Write values with all their digits, and the adjusted p-value beside each if there is a baseline."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        heads = ["system"]
        for head in self.measures.values():
            heads += [head] if self.adjusted is None else [head, f"{head} adjusted p"]
        writer.writerow(map(spreadsheet_cell, heads))
        for system in self.values:
            cells: list[str | float | None] = [system]
            for measure in self.measures:
                value = self.values[system][measure]
                cells.append(None if math.isnan(value) else value)
                if self.adjusted is not None:
                    cells.append(self.adjusted.get((system, measure)))
            writer.writerow(map(spreadsheet_cell, cells))
        return out.getvalue()


def make_paper_table(
    findings: ComparisonFindings,
    measures: Mapping[str, str],
    values: Mapping[str, Mapping[str, float]],
    *,
    baseline: str | None,
    digits: int,
    remark: str = "",
) -> PaperTable:
    """Arrange compared systems for a paper; ``measures`` maps the spelling of each to its heading."""
    adjusted = None
    first = next(iter(findings.pairs.values()))
    by_direction: dict[str, list[str]] = {"higher": [], "lower": [], "neither": []}
    for name in measures:
        by_direction[first[name].direction if name in first else "higher"].append(name)
    tested = [name for name in measures if name not in by_direction["neither"]]
    if baseline is not None:
        check_baseline(baseline, findings.names)
    if baseline is not None and tested:
        cells = [(name, measure) for name in findings.names if name != baseline for measure in tested]
        p_values = [findings.difference(name, baseline)[measure].p_value() for name, measure in cells]
        adjusted = dict(zip(cells, holm(p_values).tolist(), strict=True))
        untested = ", ".join(measures[name] for name in by_direction["neither"])
        untested = untested and f"Not tested, because neither direction is better: {untested}."
        remark = " ".join(filter(None, (remark, untested)))
    lower, descriptive = (frozenset(by_direction[name]) for name in ("lower", "neither"))
    return PaperTable(
        measures, values, lower, descriptive, baseline, adjusted, findings.level, digits, remark
    )


def check_baseline(baseline: str, names: Sequence[str]) -> None:
    """Refuse a baseline that is not among the systems."""
    if baseline not in names:
        raise OptionError(f"there is no run {baseline!r} to be the baseline; there are {', '.join(names)}")
