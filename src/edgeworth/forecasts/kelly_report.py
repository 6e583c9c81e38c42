"""The report on Kelly's stakes for one race or one game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from edgeworth.common.arrays import finite_or_none
from edgeworth.core.formatting import format_number, format_percent
from edgeworth.report.report import Cell, Column, Grid, Report, Section, make_columns

LAID = "a negative stake is laid: you accept a backer's bet of that size"


def stakes_report(
    probabilities: Sequence[float],
    odds: Sequence[float],
    stakes: Sequence[float],
    wealth: Sequence[float],
    growth: float,
    provenance: Mapping[str, object],
    lay: Sequence[float] | None = None,
) -> Report:
    """Report what to bet on each outcome, and the wealth afterwards; one price is that of a game."""
    columns = zip(probabilities, odds, stakes, wealth, strict=len(odds) > 1)
    bets = [(p, o, format_percent(f, 2), finite_or_none(w)) for p, o, f, w in columns]
    is_laid = any(f < 0 for f in stakes)
    if len(odds) == 1:
        rows: tuple[tuple[Cell, ...], ...] = (
            ("true", *bets[0]),
            ("false", 1 - probabilities[0], None, None, finite_or_none(wealth[1])),
        )
        unit, title, text = "game", "Kelly's stake", tuple[str, ...]()
        note = LAID if is_laid else ""
    else:
        rows = tuple((number, *bet) for number, bet in enumerate(bets, start=1))
        unit, title, text = "race", "Kelly's stakes", _arbitrage(odds)
        note = LAID if is_laid else ""
    heads = make_columns("probability/percent", "odds", "stake/percent", "wealth if it happens")
    grid = Grid("", (Column("outcome", "text" if unit == "game" else "count"), *heads), rows, note)
    bets_text = _describe_bets(stakes, odds if lay is None else lay)
    verdict = f"{bets_text} Expected growth: {format_number(growth)} nats per {unit}."
    numbers = {
        "kind": "kelly",
        "stakes": list(stakes),
        "wealth": list(wealth),
        "growth": finite_or_none(growth),
    }
    return Report(verdict, (Section(title, text, (grid,)),), (), provenance, numbers)


def _describe_bets(stakes: Sequence[float], lay: Sequence[float]) -> str:
    """Describe what to back and what to lay, with the liability of each lay bet."""
    is_game = len(stakes) == 1
    names = ["it"] if is_game else [f"outcome {number}" for number in range(1, len(stakes) + 1)]
    # The first amount names what all of them are shares of.
    amounts = [format_percent(abs(f), 2) for f in stakes]
    order = sorted((k for k, f in enumerate(stakes) if f != 0), key=lambda k: stakes[k] < 0)
    if order:
        amounts[order[0]] += " of the bankroll"
    actions = []
    for k in order:
        if stakes[k] > 0:
            actions.append(f"back {names[k]} with {amounts[k]}")
        else:
            laid = "" if is_game else f" on {names[k]}"
            liability = format_percent(-stakes[k] * (lay[k] - 1), 2)
            actions.append(f"lay a backer's stake of {amounts[k]}{laid} (liability {liability})")
    if not actions:
        options = "neither backing nor laying is" if is_game else "no outcome is"
        return f"Bet nothing: {options} worth the odds."
    text = f"{', '.join(actions)}."
    cash = 1 - sum(stakes)
    # Bets that are laid are not paid from the wealth.
    cash_text = f" Keep {format_percent(cash, 2)}." if all(f >= 0 for f in stakes) and cash > 1e-9 else ""
    return text[:1].upper() + text[1:] + cash_text


def _arbitrage(odds: Sequence[float]) -> tuple[str, ...]:
    prices = sum(1 / o for o in odds)
    if prices >= 1 - 1e-9:
        return ()
    return (
        f"The prices add up to {format_number(prices)}, below 1: backing every outcome in proportion to its "
        f"price is a sure profit of {format_percent(1 / prices - 1, 2)} (an arbitrage), whatever the "
        "probabilities.",
    )
