"""``edgeworth stakes`` and ``edgeworth ledger``: what to bet now, and what past bets show."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from edgeworth.cli.output import NO_OUTPUT, Output, show
from edgeworth.common.choices import OddsForm, Period
from edgeworth.common.progress import track_progress


def stakes(
    fixtures: Annotated[
        str, Parameter(help="A file with one row per outcome: game, outcome, probability and odds.")
    ],
    /,
    *,
    bankroll: Annotated[float, Parameter(help="The money that you have for all bets together.")],
    fraction: Annotated[float, Parameter(help="The fraction of Kelly's stakes.")] = 1.0,
    commission: Annotated[float, Parameter(help="The share of winnings that the house keeps.")] = 0.0,
    game: Annotated[str, Parameter(help="The column of games.", metavar="COLUMN")] = "game",
    outcome: Annotated[str, Parameter(help="The column of outcomes.", metavar="COLUMN")] = "outcome",
    probability: Annotated[
        str, Parameter(help="The column of probabilities.", metavar="COLUMN")
    ] = "probability",
    odds: Annotated[str, Parameter(help="The column of decimal odds.", metavar="COLUMN")] = "odds",
    output: Output = NO_OUTPUT,
) -> None:
    """Compute Kelly's joint stakes, in money, for games that are open at the same time."""
    from edgeworth.pipeline.open_games import report_stakes

    output.check((fixtures,), {})
    columns = {"game": game, "outcome": outcome, "probability": probability, "odds": odds}
    report = report_stakes(fixtures, bankroll=bankroll, fraction=fraction, commission=commission, **columns)
    show(report, output)


def ledger(
    bets: Annotated[
        str, Parameter(help="A file with one row per bet: its result, its odds, and if they vary its stake.")
    ],
    /,
    *,
    result: Annotated[
        str | None,
        Parameter(
            help="The column of results: won, lost, void, half-won or half-lost; detected by its name.",
            metavar="COLUMN",
        ),
    ] = None,
    odds: Annotated[
        str | None, Parameter(help="The column of decimal odds; detected by its name.", metavar="COLUMN")
    ] = None,
    stake: Annotated[
        str | None, Parameter(help="The column of stakes; one unit each if there is none.", metavar="COLUMN")
    ] = None,
    time: Annotated[
        str | None, Parameter(help="The column of dates that puts bets in time order.", metavar="COLUMN")
    ] = None,
    date_format: Annotated[
        str | None, Parameter(help="How dates are written if not as ISO does: dd/mm/yyyy.", metavar="FORMAT")
    ] = None,
    odds_form: Annotated[
        OddsForm | None,
        Parameter(help="The form of the odds, if they are not decimal: 5/2, +250, or a probability."),
    ] = None,
    commission: Annotated[float | None, Parameter(help="The share of winnings that the house keeps.")] = None,
    bankroll: Annotated[
        float | None, Parameter(help="The money at the start; drawdowns are then shares of the bankroll.")
    ] = None,
    period: Annotated[
        Period | None, Parameter(help="Show the ledger by month, season (July to June) or year.")
    ] = None,
    level: Annotated[float, Parameter(help="Confidence level of intervals.")] = 0.95,
    seed: Annotated[int, Parameter(help="Seed of random numbers.")] = 0,
    output: Output = NO_OUTPUT,
) -> None:
    """Report on a record of bets: yield, profit curve, drawdown, and luck against skill."""
    from edgeworth.pipeline.bet_records import report_bets

    output.check((bets,), {})
    with track_progress("working"):
        report = report_bets(
            bets,
            result=result,
            odds=odds,
            stake=stake,
            time=time,
            date_format=date_format,
            odds_form=odds_form,
            commission=commission,
            bankroll=bankroll,
            period=period,
            level=level,
            seed=seed,
        )
    show(report, output)
