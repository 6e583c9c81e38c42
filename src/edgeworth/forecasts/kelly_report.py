"""The report on Kelly's stakes for one race or one game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from edgeworth.common.arrays import finite_or_none
from edgeworth.core.formatting import format_number, format_percent
from edgeworth.report.report import Cell, Column, Grid, Report, Section, make_columns


def stakes_report(
    probabilities: Sequence[float],
    odds: Sequence[float],
    stakes: Sequence[float],
    wealth: Sequence[float],
    growth: float,
    provenance: Mapping[str, object],
) -> Report:
    """What to bet on each outcome, and what becomes of a wealth of 1; one price is that of a game."""
    columns = zip(probabilities, odds, stakes, wealth, strict=len(odds) > 1)
    bets = [(p, o, format_percent(f, 4), finite_or_none(w)) for p, o, f, w in columns]
    is_laid = any(f < 0 for f in stakes)
    if len(odds) == 1:
        rows: tuple[tuple[Cell, ...], ...] = (
            ("true", *bets[0]),
            ("false", 1 - probabilities[0], None, None, finite_or_none(wealth[1])),
        )
        what, title, text = "game", "Kelly's stake", tuple[str, ...]()
        note = "a stake below 0 lays it: takes a backer's bet of that size" if is_laid else ""
    else:
        rows = tuple((number, *bet) for number, bet in enumerate(bets, start=1))
        what, title, text = "race", "Kelly's stakes", _arbitrage(odds)
        note = "a stake below 0 lays the outcome" if is_laid else ""
    heads = make_columns("probability/percent", "odds", "stake/percent", "wealth if it happens")
    grid = Grid("", (Column("outcome", "text" if what == "game" else "count"), *heads), rows, note)
    verdict = f"{_bets(stakes)} Expected growth: {format_number(growth)} nats a {what}."
    numbers = {
        "kind": "kelly",
        "stakes": list(stakes),
        "wealth": list(wealth),
        "growth": finite_or_none(growth),
    }
    return Report(verdict, (Section(title, text, (grid,)),), (), provenance, numbers)


def _bets(stakes: Sequence[float]) -> str:
    is_game = len(stakes) == 1
    named = [("it" if is_game else f"outcome {number}", f) for number, f in enumerate(stakes, start=1)]
    actions = [f"back {name} with {format_percent(f, 2)}" for name, f in named if f > 0]
    actions += [f"lay {name} for {format_percent(-f, 2)}" for name, f in named if f < 0]
    if not actions:
        which = "neither backing nor laying is" if is_game else "no outcome is"
        return f"Bet nothing: {which} worth its price."
    text = f"{', '.join(actions)}."
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
