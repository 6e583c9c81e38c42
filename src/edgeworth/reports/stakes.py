"""The report on Kelly's stakes for one race."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from edgeworth.measures.views import finite_or_none
from edgeworth.reports.report import Cell, Column, Grid, Report, Section
from edgeworth.reports.wording import percent


def stakes_report(
    probabilities: Sequence[float],
    odds: Sequence[float],
    stakes: Sequence[float],
    wealth: Sequence[float],
    growth: float,
    provenance: Mapping[str, Any],
) -> Report:
    """What to bet on each outcome, and what becomes of a wealth of 1."""
    columns = (
        Column("outcome", "count"),
        Column("probability", "percent"),
        Column("odds", "number"),
        Column("stake"),
        Column("wealth if it happens", "number"),
    )
    lines = zip(probabilities, odds, stakes, wealth, strict=True)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (place, p, o, percent(f, 4), finite_or_none(w)) for place, (p, o, f, w) in enumerate(lines, start=1)
    )
    bets = [f"{percent(f, 2)} on outcome {place}" for place, f in enumerate(stakes, start=1) if f]
    said = f"Bet {', '.join(bets)}" if bets else "Bet nothing: no outcome is worth its price"
    note = "a stake below 0 lays the outcome"
    return Report(
        verdict=f"{said}. Expected growth: {growth:.6f} nats a race.",
        sections=(Section("Kelly's stakes", (), (Grid("", columns, rows, note),)),),
        warnings=(),
        provenance=provenance,
        numbers={
            "kind": "kelly",
            "stakes": list(stakes),
            "wealth": list(wealth),
            "growth": finite_or_none(growth),
        },
    )
