"""The report on Kelly's stakes for one race or one game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from edgeworth.arrays import finite_or_none
from edgeworth.core.formatting import format_number, format_percent
from edgeworth.report.report import Cell, Column, Grid, Report, Section, make_columns


def stakes_report(
    probabilities: Sequence[float],
    odds: Sequence[float],
    stakes: Sequence[float],
    wealth: Sequence[float],
    growth: float,
    provenance: Mapping[str, Any],
) -> Report:
    """What to bet on each outcome, and what becomes of a wealth of 1."""
    rows = tuple(
        (place, p, o, format_percent(f, 4), finite_or_none(w))
        for place, (p, o, f, w) in enumerate(zip(probabilities, odds, stakes, wealth, strict=True), start=1)
    )
    note = "a stake below 0 lays the outcome" if any(f < 0 for f in stakes) else ""
    grid = Grid("", (Column("outcome", "count"), *COLUMNS), rows, note)
    said = f"{_bets(stakes)} Expected growth: {format_number(growth)} nats a race."
    section = Section("Kelly's stakes", _arbitrage(odds), (grid,))
    return Report(said, (section,), (), provenance, _numbers(stakes, wealth, growth))


def game_report(
    probability: float,
    odds: float,
    stake: float,
    wealth: Sequence[float],
    growth: float,
    provenance: Mapping[str, Any],
) -> Report:
    """What to bet on a game that comes true or not; ``wealth`` is that after the one and after the other."""
    rows: tuple[tuple[Cell, ...], ...] = (
        ("true", probability, odds, format_percent(stake, 4), finite_or_none(wealth[0])),
        ("false", 1 - probability, None, None, finite_or_none(wealth[1])),
    )
    if stake > 0:
        said = f"Back it with {format_percent(stake, 2)}. Keep {format_percent(1 - stake, 2)}."
    else:
        idle = "Bet nothing: neither backing nor laying is worth its price."
        said = f"Lay it for {format_percent(-stake, 2)}." if stake < 0 else idle
    note = "a stake below 0 lays it: takes a backer's bet of that size" if stake < 0 else ""
    section = Section("Kelly's stake", (), (Grid("", (Column("outcome"), *COLUMNS), rows, note),))
    said += f" Expected growth: {format_number(growth)} nats a game."
    return Report(said, (section,), (), provenance, _numbers([stake], wealth, growth))


COLUMNS = make_columns("probability/percent", "odds", "stake/percent", "wealth if it happens")


def _numbers(stakes: Sequence[float], wealth: Sequence[float], growth: float) -> dict[str, Any]:
    return {
        "kind": "kelly",
        "stakes": list(stakes),
        "wealth": list(wealth),
        "growth": finite_or_none(growth),
    }


def _bets(stakes: Sequence[float]) -> str:
    named = list(enumerate(stakes, start=1))
    said = [f"back outcome {place} with {format_percent(f, 2)}" for place, f in named if f > 0]
    said += [f"lay outcome {place} for {format_percent(-f, 2)}" for place, f in named if f < 0]
    if not said:
        return "Bet nothing: no outcome is worth its price."
    text = f"{', '.join(said)}."
    kept = 1 - sum(stakes)
    # What is laid is no part of the wealth that is put down.
    kept_said = f" Keep {format_percent(kept, 2)}." if all(f >= 0 for f in stakes) and kept > 1e-9 else ""
    return text[:1].upper() + text[1:] + kept_said


def _arbitrage(odds: Sequence[float]) -> tuple[str, ...]:
    prices = sum(1 / o for o in odds)
    if prices >= 1 - 1e-9:
        return ()
    return (
        f"The prices add up to {format_number(prices)}, below 1: backing every outcome in proportion to its "
        f"price is a sure profit of {format_percent(1 / prices - 1, 2)} (an arbitrage), whatever the "
        "probabilities.",
    )
