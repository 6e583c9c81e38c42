"""What a reader should know before believing the numbers."""

from __future__ import annotations

from edgeworth.core.labels import looks_missing
from edgeworth.decisions.findings import DecisionFindings
from edgeworth.report.wording import percent

FEW = 5


def decision_warnings(findings: DecisionFindings) -> tuple[str, ...]:
    """One sentence each."""
    table = findings.table
    said = []
    if table.dropped:
        said.append(f"{table.dropped:,} rows with a missing value were dropped.")
    suspicious = [str(label) for label in table.labels if looks_missing(label)]
    if suspicious:
        said.append(
            f"The label {', '.join(map(repr, suspicious))} looks like a missing value; it counts as a label."
        )
    unreal, share = findings.never_real
    if unreal:
        said.append(
            f"{percent(share, 1)} of the predictions are of labels that are never real "
            f"({_listed([str(label) for label in unreal])}): they have no fair odds, informedness is over "
            "the other labels, and such bets only lose. If one of them means no decision, say so (--abstain)."
        )
    rare = [str(x) for x, r in zip(table.labels, table.real, strict=True) if 0 < r < FEW]
    if rare:
        said.append(
            f"Fewer than {FEW} real cases of {_listed(rare)}: their intervals are wide and approximate."
        )
    if findings.superstitious:
        said.append(
            f"Superstitious labels, worse than guessing by a test corrected for their number: "
            f"{_listed([str(x) for x in findings.superstitious])}. Dropping them after having looked is a "
            "selection; the gain will be smaller on new cases."
        )
    if not table.is_counted:
        said.append(_about_weights(findings))
    if table.clusters is not None:
        number = table.clusters.number
        said.append(
            f"Rows of one cluster are taken as alike: intervals rest on {number:,} "
            f"cluster{'s' if number != 1 else ''}{', which is few.' if number < 20 else '.'}"
        )
    if len(table.labels) > len(findings.labels):
        said.append(
            f"Only the {len(findings.labels)} most frequent of {len(table.labels):,} labels are shown singly."
        )
    return tuple(said)


def _about_weights(findings: DecisionFindings) -> str:
    table = findings.table
    if not table.counts_alike:
        size = f"{table.effective_size:,.0f}"
        return f"Rows are weighted: they tell as much as {size} equal ones, and exact tests are left out."
    if (table.cells == table.cells.round()).all():
        return "The weights are fractions by their type, so exact tests are left out; do they count cases?"
    return "The counts are not whole numbers: each unit is taken as one case, and exact tests are left out."


def _listed(labels: list[str]) -> str:
    return ", ".join(labels[:5]) + (f" and {len(labels) - 5} more" if len(labels) > 5 else "")
