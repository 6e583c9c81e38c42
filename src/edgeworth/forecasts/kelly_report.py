"""The report on Kelly's stakes for one race or one game."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from edgeworth.common.arrays import finite_or_none
from edgeworth.core.formatting import format_number, format_percent, plural
from edgeworth.report.report import Cell, Column, Grid, Report, Section, make_columns
from edgeworth.report.wording import enumerate_names

MAX_GROWTH_WRITTEN = 100.0
"""Growth per race beyond 10,000% is only written to be more."""

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
    verdict = _stakes_verdict(probabilities, odds, stakes, growth, lay)
    numbers = {
        "kind": "kelly",
        "stakes": list(stakes),
        "wealth": list(wealth),
        "growth": finite_or_none(growth),
    }
    return Report(verdict, (Section(title, text, (grid,)),), (), provenance, numbers)


def _stakes_verdict(
    probabilities: Sequence[float],
    odds: Sequence[float],
    stakes: Sequence[float],
    growth: float,
    lay: Sequence[float] | None,
) -> str:
    """Write what to back and what to lay, why a losing bet is among them, and the expected growth."""
    is_game = len(stakes) == 1
    names = ["the event"] if is_game else [f"outcome {number}" for number in range(1, len(stakes) + 1)]
    backed = [k for k, stake in enumerate(stakes) if stake > 0]
    laid = [k for k, stake in enumerate(stakes) if stake < 0]
    if not backed and not laid:
        return (
            f"Bet nothing: {'neither backing nor laying is' if is_game else 'no outcome is'} worth the odds."
        )
    # Bets that are laid are not paid from the bankroll.
    cash = 0.0 if laid else max(0.0, 1 - sum(stakes))
    lay_odds = odds if lay is None else lay
    liabilities = {k: -stakes[k] * (lay_odds[k] - 1) for k in laid}
    shares = [*map(abs, stakes), cash, *liabilities.values()]
    decimals = 0 if all(abs(100 * x - round(100 * x)) < 1e-7 for x in shares) else 2
    amounts = [format_percent(abs(stake), decimals) for stake in stakes]
    if backed and not laid and cash < 1e-9 and not is_game:
        text = f"Stake the whole bankroll: {', '.join(f'{amounts[k]} on {names[k]}' for k in backed)}."
    else:
        amounts[(backed or laid)[0]] += " of the bankroll"
        actions = [f"back {names[k]} with {amounts[k]}" for k in backed]
        for k, liability in liabilities.items():
            on = "" if is_game else f" on {names[k]}"
            cost = format_percent(liability, decimals)
            actions.append(f"lay a backer's stake of {amounts[k]}{on} (liability {cost})")
        text = f"{', '.join(actions)}.{f' Keep {format_percent(cash, decimals)}.' if cash > 1e-9 else ''}"
    insurance = [names[k] for k in backed if probabilities[k] * odds[k] < 1 - 1e-9]
    if insurance:
        which = enumerate_names(insurance)
        one = f"a bet on {which} loses on average; here it insures the others"
        several = f"bets on {which} lose on average; here they insure the others"
        text += f" Alone, {plural(len(insurance), one, several)}."
    text = text[0].upper() + text[1:]
    if not math.isfinite(growth):
        return text
    rate = f"over {format_percent(MAX_GROWTH_WRITTEN)}"
    if growth <= math.log1p(MAX_GROWTH_WRITTEN):
        rate = f"{'+' if growth > 0 else ''}{format_percent(math.expm1(growth), 2)}"
    return f"{text} Expected long-run growth: {rate} per {'game' if is_game else 'race'}."


def _arbitrage(odds: Sequence[float]) -> tuple[str, ...]:
    prices = sum(1 / o for o in odds)
    if prices >= 1 - 1e-9:
        return ()
    return (
        f"The prices add up to {format_number(prices)}, below 1: backing every outcome in proportion to its "
        f"price is a sure profit of {format_percent(1 / prices - 1, 2)} (an arbitrage), whatever the "
        "probabilities.",
    )
