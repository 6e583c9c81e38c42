"""Labels as tips: one unit on each predicted label, at the odds that were offered on it in that case."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from edgeworth.bet.checking import as_odds
from edgeworth.bet.flat import FlatStakes, flat_stakes
from edgeworth.common.arrays import Floats
from edgeworth.core.formatting import format_level, format_percent, plural
from edgeworth.core.labels import as_labels, list_labels, parse_labels
from edgeworth.core.options import select_options
from edgeworth.core.row_reading import read_whole
from edgeworth.core.test_results import TestResult
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.betting.law import LogWealthLaw
from edgeworth.forecasts.class_columns import labels_of_columns
from edgeworth.report.report import Grid, Report, Section, make_columns
from edgeworth.report.verdict import Claim, Verdict
from edgeworth.report.wording import describe_p_value
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


def with_tips(report: Report, source: Any, options: Any, labels: Sequence[Label]) -> Report:
    """Add what one unit on each prediction earned at the odds of its case."""
    for name in ("weight", "cluster", "match"):
        if select_options(options, [name])[name] is not None:
            raise OptionError(f"tips are one unit each, and independent: odds do not go with {name}")
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
    found = flat_stakes(won, odds)
    tail = tips_tail(found.profit, odds)
    low, high = found.interval(options["level"])
    numbers = {
        "bets": found.bets,
        "won": found.bets - lost,
        "profit": found.profit,
        "rate": found.rate,
        "low": low,
        "high": high,
        "p_value": tail.p_value,
        "commission": commission,
        "break_even_commission": 1 - lost / gained if gained else None,
    }
    rows = (
        ("tips that came true", found.bets - lost),
        ("profit, units", found.profit),
        ("break-even commission", numbers["break_even_commission"]),
    )
    note = (
        f"p: as much profit if each tip comes true once in as many cases as its odds pay ({tail.method}); "
        "interval: score test of each return; a single column of odds is taken as those of each tip"
    )
    grid = Grid("", make_columns("what/text", "value"), rows, note)
    # A bet at fair odds is another question, and would read as a second answer.
    others = (claim for claim in getattr(report.verdict, "claims", ()) if claim.about != "bets")
    claims = [_claim(found, tail, (low, high), options["level"], commission), *others]
    # What a model had seen is described, and claims nothing.
    return replace(
        report,
        verdict=report.verdict if options["predictions_made"] == "in-sample" else Verdict(claims),
        sections=(Section("Tips at the odds", (), (grid,), is_main=True), *report.sections),
        numbers={**report.numbers, "tips": numbers},
    )


def _claim(
    found: FlatStakes, tail: TestResult, bounds: tuple[float, float], level: float, commission: float
) -> Claim:
    low, high = bounds
    charged = f" after {format_percent(commission, 1)} commission" if commission else ""
    is_shown = bool(low > 0 and tail.p_value < round(1 - level, 12) / 2)
    interval = f"{format_level(level)} CI {format_percent(low, 1)} to {format_percent(high, 1)}"
    said = (
        f"One unit on each of {found.bets:,} {plural(found.bets, 'tip')} returned "
        f"{format_percent(found.rate, 1)} of the stakes{charged} "
        f"({interval}; {describe_p_value(tail)}, one-sided): "
        f"{'the tips were worth more than their odds' if is_shown else 'no profit beyond luck is shown'}."
    )
    return Claim("tips", said, "shown" if is_shown else "not shown", {"value": found.rate}, tail.method)


def _read(source: Any, options: Any, labels: Sequence[Label]) -> tuple[Any, Any, Floats]:
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
        read = read_whole(source, [options["truth"], options["prediction"]], names)
        pair = [read.labels[options["truth"]], read.labels[options["prediction"]]]
        columns = np.stack([read.numbers[name] for name in names], axis=1)
    truth, tipped = (np.array([*each.labels], dtype=object)[each.codes] for each in pair)
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
            f"odds are one column, those of each tip, or one for each of {list_labels(labels)}, named after "
            "them or in the order of labels (labels=, --labels)"
        )
    place = {label: number for number, label in enumerate(order)}
    # A tip that no column is of could not be placed: its odds are missing, and refused.
    columns = np.append(columns, np.full((len(columns), 1), np.nan), axis=1)
    return truth, tipped, columns[range(len(columns)), [place.get(tip, -1) for tip in tipped]]
