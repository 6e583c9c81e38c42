"""A record of bets: result, odds and stake of each. Was the profit skill or luck?"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypedDict, Unpack, get_args

import numpy as np

from edgeworth.bet.ledger import PENDING, Ledger, parse_result
from edgeworth.bet.odds import check_commission, decimal_odds
from edgeworth.bet.validation import LEAST_AMERICAN_ODDS
from edgeworth.common.arrays import Floats, plain_values
from edgeworth.common.choices import OddsForm, Period
from edgeworth.core.formatting import format_dollars, plural
from edgeworth.core.row_reading import read_whole
from edgeworth.core.sampling_distributions import check_level, is_significant
from edgeworth.core.test_results import TestResult
from edgeworth.errors import InputError, OptionError
from edgeworth.forecasts.betting.law import LogWealthLaw
from edgeworth.forecasts.betting.season import name_days
from edgeworth.forecasts.ledger_report import (
    bankroll_chart,
    describe_yield,
    explain_no_skill,
    ledger_numbers,
    ledger_section,
    yield_numbers,
)
from edgeworth.report.report import Charts, Report, make_provenance
from edgeworth.report.verdict import Claim, Verdict
from edgeworth.report.wording import describe_odds, describe_p_value, format_option
from edgeworth.sources.batches import Source, known_columns
from edgeworth.sources.columns import Coded, encode
from edgeworth.sources.numbers import describe_notation
from edgeworth.sources.opening import open_source
from edgeworth.sources.times import Times, read_times

COLUMN_NAMES = {
    "result": ("result", "outcome", "settled", "status", "won", "win"),
    "odds": ("odds", "price", "decimal_odds"),
    "stake": ("stake", "stakes", "amount"),
    "time": ("date", "time", "settled_at", "placed_at"),
}
"""What the columns of a record of bets are usually called."""

FORM_NAMES: dict[OddsForm, str] = {
    "decimal": "decimal",
    "fractional": "fractional",
    "american": "American",
    "probability": "probability",
}
"""What each form of odds is called in a message."""

SMALLEST_PROFIT = 0.005
"""A smaller profit is less than a cent, and may be a rounding error."""

LUCK_DRAWS = 20_000
"""Simulated records if the exact law takes too long."""


class RecordOptions(TypedDict, total=False):
    """Find the columns a record of bets has, and what is reported."""

    result: str | None
    odds: str | None
    stake: str | None
    time: str | None
    date_format: str | None
    odds_form: OddsForm | None
    commission: float | None
    bankroll: float | None
    period: Period | None
    level: float
    seed: int


def report_bets(data: object, **options: Unpack[RecordOptions]) -> Report:
    """Report on a record of bets: yield, profit curve, drawdown, and luck against skill.

    Parameters
    ----------
    data : path or dataframe
        One row per bet, with its result (won, lost, void, half-won or half-lost) and its decimal odds.
    **options
        ``result``, ``odds``, ``stake`` and ``time`` name columns, which are detected if left out. Without a
        stake every bet is one unit. ``odds_form`` is the form of the odds if they are not decimal.
        ``commission`` is the share of winnings that the house keeps.

    Returns
    -------
    Report

    Notes
    -----
    The null hypothesis of the p-value: each bet wins with probability 1/odds, so no bet was worth more than
    its stake. A void bet, and one without a result yet, counts as none; half of a half-won or half-lost bet
    is void.
    """
    source = open_source(data)
    columns = _columns(source, options)
    level, commission = options.get("level", 0.95), options.get("commission") or 0.0
    check_commission(commission)
    check_level(level)
    read = _read(source, columns, options.get("date_format"), options.get("odds_form"))
    parts, odds, stakes, times, pending = read
    ledger = book_bets(parts, 1 + (odds - 1) * (1 - commission), stakes, times, start=options.get("bankroll"))
    if not len(ledger):
        raise InputError(f"{source.name} has no settled bet: all are void or have no result yet")
    assert ledger.risked is not None
    luck = luck_of_bets(ledger.profit, ledger.odds, ledger.risked, options.get("seed", 0))
    period = options.get("period")
    if period is not None and ledger.dates is None:
        raise OptionError(f"--period {period} needs the dates of the bets: add --time COLUMN")
    charge = f" after {format_option(100 * commission)}% commission" if commission else ""
    notes = () if times is not None else (NO_TIMES,)
    # A void bet has no stake in the ledger, and none is at risk.
    void = int((parts == 0).sum())
    left_out = [f"{void:,} void {plural(void, 'bet')} not counted."] if void else []
    if pending:
        left_out.append(f"{pending:,} {plural(pending, 'bet')} without a result yet not counted.")
    text = (" ".join(left_out),) if left_out else ()
    section = ledger_section(ledger, period=period, level=level, text=text)
    numbers = ledger_numbers(ledger, period=period, level=level)
    numbers |= {
        "void": void,
        "pending": pending,
        "luck": {"p_value": luck.p_value, "method": luck.method},
        "commission": commission,
    }
    return Report(
        verdict=Verdict([_claim(ledger, luck, level, charge)]),
        sections=(replace(section, charts=("bankroll",)),),
        warnings=notes,
        provenance=make_provenance(
            source=source.name,
            **columns,
            odds_form=options.get("odds_form"),
            commission=commission or None,
            level=level,
        ),
        numbers={"kind": "bets", "level": level, "ledger": {x: plain_values(y) for x, y in numbers.items()}},
        charts=Charts((bankroll_chart(ledger),)),
        lead="bankroll",
    )


NO_TIMES = (
    "The bets have no dates, so the order of the rows is taken as their order in time. Pass --time COLUMN to "
    "see dates."
)


def book_bets(
    parts: Floats, odds: Floats, stakes: Floats, times: Times | None, *, start: float | None = None
) -> Ledger:
    """Book bets in time order.

    ``parts`` is the part of each stake that won (above 0) or lost (below 0); the rest came back.

    >>> ledger = book_bets(np.array([1.0, -0.5, 0.0]), np.full(3, 2.0), np.full(3, 10.0), None)
    >>> ledger.profit, ledger.turnover, ledger.risked.tolist()
    (5.0, 20.0, [10.0, 5.0, 0.0])
    """
    if start is not None and not 0 < start < math.inf:
        raise OptionError(f"the bankroll starts with a sum of money above 0; saw {start!r}")
    rounds, names, dates = (
        (np.arange(len(parts)), tuple(f"bet {number + 1:,}" for number in range(len(parts))), None)
        if times is None
        else name_days(times)
    )
    order = np.argsort(rounds if times is None else times.ranks, kind="stable")
    rounds, parts, odds, stakes = rounds[order], parts[order], odds[order], stakes[order]
    risked = stakes * np.abs(parts)
    profits = np.where(parts > 0, risked * (odds - 1), -risked)
    settled = np.where(parts != 0, stakes, 0.0)
    by_round = np.bincount(rounds, profits, minlength=len(names)).astype(np.float64)
    begin = 0.0 if start is None else float(start)
    path = begin + np.cumsum(by_round)
    return Ledger(names, dates, rounds, settled, odds, profits, path, begin, risked)


def luck_of_bets(profit: float, odds: Floats, stakes: Floats, seed: int) -> TestResult:
    """Compute P(profit at least this large) if each bet wins with probability 1/odds.

    No other chances at which no bet returns more than its stake give a larger one.

    >>> round(luck_of_bets(1.0, np.full(3, 2.0), np.ones(3), 0).p_value, 9)
    0.5
    """
    at_risk = stakes > 0
    odds, stakes = odds[at_risk], stakes[at_risk]
    chances = np.stack([1 / odds, 1 - 1 / odds], axis=1)
    gains = np.stack([stakes * (odds - 1), -stakes], axis=1)
    # The law takes steps of about one: money may be in any unit.
    scale = float(np.abs(gains).mean())
    tail = LogWealthLaw.of(gains / scale, chances).tail(profit / scale)
    if tail.kind in ("exact", "bracket"):
        return tail
    rng = np.random.default_rng(seed)
    count, block = 0, max(1, (1 << 22) // len(odds))
    for first in range(0, LUCK_DRAWS, block):
        number = min(block, LUCK_DRAWS - first)
        won = rng.random((number, len(odds))) < chances[:, 0]
        count += int((np.where(won, gains[:, 0], gains[:, 1]).sum(axis=1) >= profit - 1e-9 * scale).sum())
    return TestResult.from_draws(count, LUCK_DRAWS, seed, "records")


def _claim(ledger: Ledger, luck: TestResult, level: float, charge: str) -> Claim:
    low, _ = ledger.interval(level)
    is_rare = is_significant(2 * luck.p_value, level)
    is_shown = bool(low > 0 and is_rare)
    number, profit = len(ledger), ledger.profit
    outcome = "broke even"
    if abs(profit) >= SMALLEST_PROFIT:
        outcome = f"{'made' if profit > 0 else 'lost'} {format_dollars(abs(profit))}"
    outcome += (
        f"{charge} on {format_dollars(ledger.turnover)} staked in {number:,} {plural(number, 'bet')}, "
        f"{describe_yield(ledger, level)}"
    )
    if is_shown:
        conclusion = f"The bets were worth more than their odds: they {outcome}"
    else:
        gain = profit if abs(profit) >= SMALLEST_PROFIT else 0.0
        conclusion = f"The bets {outcome}, {explain_no_skill(gain, low, is_rare=is_rare)}"
    text = (
        f"{conclusion}. Chance of a result this good, if each bet wins with probability 1/odds: "
        f"{describe_odds(luck)} ({describe_p_value(luck)}, one-sided)."
    )
    numbers = {**yield_numbers(ledger, level), "p_value": luck.p_value}
    if ledger.start > 0:
        numbers |= {"start": ledger.start, "end": ledger.end}
    return Claim("profit", text, "shown" if is_shown else "not shown", numbers, luck.method)


def _columns(source: Source, options: RecordOptions) -> dict[str, str]:
    """Find the columns that were not named by their usual names."""
    names = known_columns(source) or ()
    lowered = {name.lower(): name for name in names}
    named = {
        "result": options.get("result"),
        "odds": options.get("odds"),
        "stake": options.get("stake"),
        "time": options.get("time"),
    }
    columns = {}
    for role, usual in COLUMN_NAMES.items():
        name = named[role] or next((lowered[alias] for alias in usual if alias in lowered), None)
        if name is not None:
            columns[role] = name
        elif role in ("result", "odds"):
            raise OptionError(
                f"{source.name} has no column called {role}: name it with --{role} COLUMN; its columns are "
                f"{', '.join(names)}"
            )
    return columns


def _read(
    source: Source, columns: dict[str, str], date_format: str | None, odds_form: OddsForm | None
) -> tuple[Floats, Floats, Floats, Times | None, int]:
    """Read the settled bets, and count those without a result yet."""
    labelled = [columns["result"], columns["odds"], *([columns["time"]] if "time" in columns else [])]
    numeric = [columns["stake"]] if "stake" in columns else []
    read = read_whole(source, labelled, numeric, may_be_missing=(columns["result"],))
    results = read.labels[columns["result"]]
    parts = _parts(results, columns["result"])
    is_settled = ~np.isnan(parts)
    odds = _odds(read.labels[columns["odds"]], columns["odds"], odds_form)
    stakes = read.numbers[columns["stake"]] if "stake" in columns else np.ones(len(odds))
    if not (np.isfinite(stakes) & (stakes >= 0)).all():
        row = int(np.argmin(np.isfinite(stakes) & (stakes >= 0))) + 1
        stake, name = stakes[row - 1], columns["stake"]
        if np.isnan(stake):
            raise InputError(f"{name} is missing in row {row:,}: write 0 if nothing was staked")
        raise InputError(f"{name} must be a sum of money, at least 0; saw {stake:g} in row {row:,}")
    times = None
    if "time" in columns:
        dates = read.labels[columns["time"]]
        if not is_settled.all():
            dates = encode(np.array(dates.labels, dtype=object)[dates.codes[is_settled]], columns["time"])
        times = read_times(dates, columns["time"], 1, date_format)
    return parts[is_settled], odds[is_settled], stakes[is_settled], times, int((~is_settled).sum())


def _odds(odds: Coded, name: str, form: OddsForm | None) -> Floats:
    """Read odds as decimal odds, or raise an error that names the row of an invalid one."""
    decimal = []
    for code, label in enumerate(odds.labels):
        try:
            decimal.append(float(decimal_odds([str(label)], form=form or "decimal")[0]))
        except InputError:
            row = int(np.argmax(odds.codes == code)) + 1
            forms = ", ".join(other for other in get_args(OddsForm) if other != (form or "decimal"))
            advice = describe_notation(str(label)) if form in (None, "decimal") else ""
            raise InputError(
                f"{name}, row {row:,}: {label!r} is not {FORM_NAMES[form or 'decimal']} odds{advice}. For "
                f"other odds, pass --odds-form ({forms})"
            ) from None
    if form is None and min(decimal, default=0.0) >= LEAST_AMERICAN_ODDS:
        raise InputError(
            f"all odds in {name} are {LEAST_AMERICAN_ODDS} or more, as American odds are: pass --odds-form "
            "american, or --odds-form decimal if they are decimal"
        )
    return np.array(decimal)[odds.codes]


def _parts(results: Coded, name: str) -> Floats:
    """Read results, nan for none yet, or raise an error that names the row of an invalid one."""
    parts = []
    for code, label in enumerate(results.labels):
        if str(label).strip().lower() in PENDING:
            parts.append(math.nan)
            continue
        try:
            parts.append(parse_result(label))
        except InputError as error:
            row = int(np.argmax(results.codes == code)) + 1
            raise InputError(f"{name}, row {row:,}: {error}") from None
    return np.array([*parts, math.nan])[results.codes]  # the code of a missing value is -1
