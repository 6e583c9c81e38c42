"""The options of bets: against whom, at which odds, and what the report shows of them."""

from __future__ import annotations

from typing import Annotated, TypedDict

from edgeworth.common.choices import OverroundMethod, Period
from edgeworth.core.option import LABELS, PROBABILITIES, ColumnInput, Option


class MarketOptions(TypedDict, total=False):
    """Whom probabilities bet against, at which odds, and when."""

    against: Annotated[
        ColumnInput,
        Option(
            "The column or columns of another model's probabilities, to bet against.", "Bets", read="columns"
        ),
    ]
    odds: Annotated[
        ColumnInput,
        Option(
            "The columns of decimal odds of each class, separated by commas. Without predictions, the odds "
            "are the forecasts. With labels, one column can hold the odds of each prediction.",
            "Bets",
            (LABELS, PROBABILITIES),
            read="columns",
            in_python="The columns of decimal odds of each class. Without predictions, the odds are the "
            "forecasts. With labels, one column can hold the odds of each prediction.",
        ),
    ]
    lay: Annotated[
        ColumnInput,
        Option("The columns of decimal odds at which each class can be laid.", "Bets", read="columns"),
    ]
    closing_odds: Annotated[
        ColumnInput,
        Option(
            "The columns of each class's closing odds: the report adds the closing-line value of the bets.",
            "Bets",
            read="columns",
        ),
    ]
    remove_overround: Annotated[
        OverroundMethod | None,
        Option(
            "How odds become probabilities, multiplicative by default. With this option, --probabilities and "
            "--against can be columns of odds.",
            "Bets",
            in_python="How odds become probabilities, multiplicative by default. With this option, "
            "probabilities and against can be columns of odds.",
        ),
    ]
    round: Annotated[
        ColumnInput,
        Option(
            "The column of rounds: bets of one round are open at the same time and share the bankroll. By "
            "default, the calendar date of --time.",
            "Bets",
            in_python="The column of rounds: bets of one round are open at the same time and share the "
            "bankroll. By default, the calendar date of time.",
        ),
    ]
    bookmaker: Annotated[object, Option("Bet against prices drawn at random.", "Bets", read="bookmaker")]
    fraction: Annotated[float | None, Option("The fraction of Kelly's stake, 1 by default.", "Bets")]


class HouseOptions(TypedDict, total=False):
    """The house that labels bet against."""

    pool: Annotated[float | None, Option("Dollars in the pool of each bet, such as 10.", "Bets", (LABELS,))]
    overround: Annotated[float | None, Option("The overround of the house: 0.05 is 5%.", "Bets", (LABELS,))]
    commission: Annotated[
        float | None, Option("The house's share of net winnings.", "Bets", (LABELS, PROBABILITIES))
    ]
    bets: Annotated[
        bool,
        Option(
            "Also report what bets on the predictions would earn.",
            "Bets",
            (LABELS, PROBABILITIES),
            default=False,
        ),
    ]


class LedgerOptions(TypedDict, total=False):
    """What a report shows of bets."""

    orders: Annotated[
        int | None, Option("Show wealth over this many random orders of the cases, such as 400.", "Bets")
    ]
    period: Annotated[
        Period | None,
        Option(
            "With --odds and dates: the ledger by month, season (July to June) or year.",
            "Bets",
            in_python="With odds and dates: the ledger by month, season (July to June) or year.",
        ),
    ]
    bankroll: Annotated[
        float | None, Option("The money that the bankroll starts with, 1 by default.", "Bets")
    ]
    goal: Annotated[
        float | None, Option("Report how many cases it takes to turn $1 into this much, such as 100.", "Bets")
    ]
