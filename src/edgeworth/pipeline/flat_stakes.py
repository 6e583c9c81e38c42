"""Labels as tips: one unit on each predicted label, at the odds that were offered on it in that case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from edgeworth.bet.flat import FlatStakes, flat_stakes
from edgeworth.bet.validation import as_odds
from edgeworth.common.arrays import Floats
from edgeworth.core.formatting import (
    format_level,
    format_number,
    format_percent,
    format_signed_percent,
    plural,
)
from edgeworth.core.labels import as_labels, list_labels, parse_labels
from edgeworth.core.options import Options, select_options
from edgeworth.core.row_reading import read_whole
from edgeworth.core.sampling_distributions import is_significant
from edgeworth.core.test_results import TestResult
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.betting.law import LogWealthLaw
from edgeworth.forecasts.class_columns import labels_of_columns
from edgeworth.forecasts.ledger_report import explain_no_skill
from edgeworth.report.report import Grid, Report, Section, make_columns
from edgeworth.report.verdict import Claim, Verdict
from edgeworth.report.wording import describe_p_value
from edgeworth.sources.batches import Source
from edgeworth.sources.column_roles import names_of
from edgeworth.sources.columns import Label, as_column, encode_all


def tips_tail(profit: float, odds: Floats) -> TestResult:
    """P(unit stakes earn this much) if each tip comes true once in as many cases as its odds pay.

    No other chances at which no tip returns more than its stake give more.

    >>> round(tips_tail(1.0, np.array([2.0, 2.0, 2.0])).p_value, 9)
    0.5
    """
    chances = np.stack([1 / odds, 1 - 1 / odds], axis=1)
    return LogWealthLaw.of(np.stack([odds - 1, np.full(len(odds), -1.0)], axis=1), chances).tail(profit)


def with_tips(report: Report, source: Source | None, options: Options, labels: Sequence[Label]) -> Report:
    """Add what one unit on each prediction earned at the odds of its case."""
    for name in ("weight", "cluster", "match"):
        if select_options(options, [name])[name] is not None:
            raise OptionError(
                f"{name} is not supported with labels and odds, because each tip is one independent unit"
            )
    if options["overround"]:
        raise OptionError(
            "overround (--overround) changes fair odds, and these are odds of your own: leave out one of them"
        )
    truth, tipped, offered = _read(source, options, labels)
    away = set(as_labels(options["abstain"]))
    if source is not None and source.is_text:
        # Labels of a text file are numbers if all of them are, and so is the one that means no decision.
        away |= {parse_labels([str(label)])[0] for label in away}
    is_bet = np.array([tip not in away for tip in tipped.tolist()])
    won, odds = (truth == tipped)[is_bet], as_odds(offered[is_bet])
    if not len(odds):
        raise InputError("there is no tip to bet on: no prediction is a decision")
    gained, lost = float((odds[won] - 1).sum()), int((~won).sum())
    commission = options["commission"] or 0.0
    odds = 1 + (odds - 1) * (1 - commission)
    stakes = flat_stakes(won, odds)
    tail = tips_tail(stakes.profit, odds)
    low, high = stakes.interval(options["level"])
    numbers = {
        "bets": stakes.bets,
        "won": stakes.bets - lost,
        "profit": stakes.profit,
        "rate": stakes.rate,
        "low": low,
        "high": high,
        "p_value": tail.p_value,
        "commission": commission,
        "break_even_commission": 1 - lost / gained if gained else None,
    }
    rows = (
        ("winners", f"{stakes.bets - lost:,} of {stakes.bets:,}"),
        ("profit, units", format_number(stakes.profit)),
        ("break-even commission", format_percent(1 - lost / gained, 1) if gained else "–"),
    )
    note = (
        f"p: probability of this profit if each tip wins with probability 1/odds ({tail.method}); interval: "
        "score test; each tip is one unit at the odds of its own row"
    )
    grid = Grid("", make_columns("tips/text", "value/text"), rows, note)
    # Informedness and bets at fair odds are other questions: the sections answer them, the verdict does not.
    verdict = Verdict([_claim(stakes, tail, (low, high), options["level"], commission)])
    # Predictions of a model that has seen the outcomes are described, and nothing is claimed.
    return replace(
        report,
        verdict=report.verdict if options["predictions_made"] == "in-sample" else verdict,
        sections=(Section("Tips at the odds", (), (grid,), is_main=True), *report.sections),
        numbers={**report.numbers, "tips": numbers},
    )


def _claim(
    stakes: FlatStakes, tail: TestResult, bounds: tuple[float, float], level: float, commission: float
) -> Claim:
    low, high = bounds
    charged = f" after {format_percent(commission, 1)} commission" if commission else ""
    is_shown = bool(low > 0 and is_significant(2 * tail.p_value, level))
    ends = f"{format_signed_percent(low)} to {format_signed_percent(high)}"
    number = f"{stakes.bets:,} {plural(stakes.bets, 'tip')}"
    yielded = (
        f"one unit on each of {number} has a yield of {format_signed_percent(stakes.rate)}{charged} "
        f"({format_level(level)} CI {ends}; {describe_p_value(tail)}, one-sided)"
    )
    if is_shown:
        text = f"The tips were worth more than their odds: {yielded}."
    else:
        ending = explain_no_skill(stakes.rate, low, is_rare=is_significant(2 * tail.p_value, level))
        text = f"{yielded[0].upper()}{yielded[1:]}, {ending}."
    return Claim("tips", text, "shown" if is_shown else "not shown", {"value": stakes.rate}, tail.method)


def _read(
    source: Source | None, options: Options, labels: Sequence[Label]
) -> tuple[NDArray[np.object_], NDArray[np.object_], Floats]:
    """Read the truth and the tip of each case, and the odds of the tip."""
    if source is None:
        pair = [
            encode_all(as_column(column, role), role)
            for role, column in select_options(options, ("truth", "prediction")).items()
        ]
        offered, names = np.asarray(options["odds"], dtype=np.float64), None
        columns = offered[:, None] if offered.ndim == 1 else offered
    else:
        names = names_of(options["odds"])
        if not names:
            given = type(options["odds"]).__name__
            raise OptionError(f"with data, odds must be names of columns; saw {given}")
        columns_of_labels = [names_of(options["truth"])[0], names_of(options["prediction"])[0]]
        read = read_whole(source, columns_of_labels, names)
        pair = [read.labels[name] for name in columns_of_labels]
        columns = np.stack([read.numbers[name] for name in names], axis=1)
    truth, tipped = (np.array([*coded.labels], dtype=object)[coded.codes] for coded in pair)
    if len(columns) != len(truth):
        raise InputError(f"there are {len(columns):,} rows of odds for {len(truth):,} tips")
    if columns.shape[1] == 1:
        return truth, tipped, columns[:, 0]
    order = (
        options["labels"]
        if names is None or options["labels"] is not None
        else labels_of_columns(names, labels)
    )
    if order is None or len(order) != columns.shape[1]:
        raise InputError(
            f"odds need one column with the odds of each tip, or one column per class "
            f"({list_labels(labels)}), named after the classes or in the order of labels (labels=, --labels)"
        )
    position = {label: number for number, label in enumerate(order)}
    # A tip that no column is of could not be placed: its odds are missing, and refused.
    columns = np.append(columns, np.full((len(columns), 1), np.nan), axis=1)
    return truth, tipped, columns[range(len(columns)), [position.get(tip, -1) for tip in tipped]]
