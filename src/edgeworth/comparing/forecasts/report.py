"""The section of a report on forecasters who bet against each other."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

from edgeworth.arrays import finite_or_none
from edgeworth.comparing.findings import ComparisonFindings
from edgeworth.comparing.forecasts.bets import WealthRace
from edgeworth.core.formatting import format_level, format_wealth
from edgeworth.report.report import Column, Grid, Section

SHOWN_PAIRS = 45
"""All pairs of ten systems; the rest is in the JSON."""


def race_section(race: WealthRace, findings: ComparisonFindings) -> Section:
    columns = (
        Column("bettor"),
        Column("against"),
        Column("log wealth", "number"),
        Column("a case", "number"),
        Column("e-value"),
        Column("p", "probability"),
    )
    plain = itemgetter("bettor", "against", "log_wealth", "growth")
    rows = tuple(
        (*plain(one), _evidence(one), one["evidence"] and one["evidence"]["p_value"])
        for one in race.rows()[: 2 * SHOWN_PAIRS]
    )
    if findings.no_evidence is not None:
        text: tuple[str, ...] = (f"What wealth proves is left out: {findings.no_evidence}.",)
        bare = tuple(row[:4] for row in rows)
        return Section("Betting against each other", text, (Grid("", columns[:4], bare),), ("race",))
    text = (
        "Each bets Kelly's stakes on every case at the other's fair prices. An e-value of the bettor speaks "
        'against "the other\'s probabilities are the true ones, given all that the bettor knew"; it does not '
        "say who is better on average.",
    )
    grids = [Grid("", columns, rows, "e-values and p of each direction and pair by itself")]
    if findings.duels:
        grids.append(_sequences(findings))
    return Section("Betting against each other", text, tuple(grids), ("race",))


def _evidence(one: Mapping[str, Any]) -> str:
    evidence = one["evidence"]
    if evidence is None:
        return str(one["undefined"])
    if evidence["log_e_value"] is None:
        return "0 (ruined)" if one["ruined"] else "without bound"
    return format_wealth(evidence["log_e_value"])


def _sequences(findings: ComparisonFindings) -> Grid:
    """Tabulate the mean score differences with their confidence sequences."""
    rows = []
    duels = {(duel.first, duel.second): duel for duel in findings.duels}
    for pair in findings.ranked_pairs[:SHOWN_PAIRS]:
        duel = duels[findings.as_given(*pair)]
        sign = 1 if pair[0] == duel.first else -1
        for name, sequence in (("Brier", duel.brier_sequence), ("log", duel.log_sequence)):
            if sequence is not None and len(sequence.mean):
                mean, *ends = (sign * float(x[-1]) for x in (sequence.mean, sequence.low, sequence.high))
                low, high = (finite_or_none(end) for end in ends[::sign])
                rows.append((*pair, name, finite_or_none(mean), (low, high)))
    ordered = bool(findings.race is not None and findings.race.ordered)
    level = format_level(findings.level)
    columns = (
        Column("first"),
        Column("second"),
        Column("score"),
        Column("mean difference", "number"),
        Column(f"{level} confidence sequence", "interval"),
    )
    when = (
        "rows are in time order, so the interval may be looked at as often as one likes"
        if ordered
        else "rows are in no order of time: the interval is for the end only"
    )
    note = f"first less second, lower is better; {when}; of the log score it is asymptotic"
    return Grid("Mean score differences", columns, tuple(rows), note)
