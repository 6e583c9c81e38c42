"""The section of a report that lists the class of each matched cluster."""

from __future__ import annotations

from dataclasses import replace

from edgeworth.common.choices import Match
from edgeworth.core.labels import MAX_LABELS_SHOWN
from edgeworth.decisions.matching import Matching, match
from edgeworth.decisions.table import ContingencyTable
from edgeworth.errors import OptionError
from edgeworth.report.report import Cell, Grid, Report, Section, make_columns


def match_table(table: ContingencyTable, how: Match, *, seed: int) -> tuple[ContingencyTable, Matching]:
    """Match the clusters of a table to classes. The new table carries the test of its matching."""
    if table.clusters is not None or not table.is_counted:
        raise OptionError(
            "--match cannot be used with --weight or --cluster: its test needs independent cases"
        )
    matching = match(table.without_abstentions(), one_to_one=how == "one", rng=seed)
    matched = table.map_predictions(matching.mapping).without_empty_labels()
    return replace(matched, matching=matching.table.matching), matching


def with_matching(report: Report, table: ContingencyTable, matching: Matching) -> Report:
    """Add the class of each matched cluster to a report."""
    rows: list[tuple[Cell, ...]] = []
    for cluster, label in matching.mapping.items():
        row = table.index(cluster)
        cases = table.predicted[row].item()
        hits = None if label is None else table.counts[row, table.index(label)].item()
        rows.append((str(cluster), cases, "no class" if label is None else str(label), hits))
    shown = sorted(rows, key=lambda row: -float(row[1]))[:MAX_LABELS_SHOWN]  # type: ignore[arg-type]  # cases
    columns = make_columns("cluster/text", "cases/count", "matched to/text", "of that class/count")
    note = f"Matched for the highest informedness: {matching.method}"
    section = Section("Clusters", (), (Grid("", columns, tuple(shown), note),), is_main=True)
    numbers = {
        "mapping": {
            str(cluster): None if label is None else str(label) for cluster, label in matching.mapping.items()
        },
        "informedness": matching.informedness,
        "method": matching.method,
    }
    sections = (*report.sections[:2], section, *report.sections[2:])
    return replace(report, sections=sections, numbers={**report.numbers, "matching": numbers})
