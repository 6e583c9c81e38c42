"""The ledger of a report on bets: tables, the bankroll's curve, sentences about money."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from edgeworth.bet.ledger import Ledger
from edgeworth.common.arrays import finite_or_none, plain_values
from edgeworth.common.choices import Period
from edgeworth.common.json_types import JsonObject
from edgeworth.core.formatting import (
    format_dollars,
    format_level,
    format_number,
    format_p_value,
    format_percent,
    format_signed_percent,
    plural,
)
from edgeworth.core.options import Options
from edgeworth.core.sampling_distributions import alpha_of, is_significant
from edgeworth.errors import OptionError
from edgeworth.forecasts.betting.season import MeanValue, Season
from edgeworth.forecasts.curves import MAX_POINTS_DRAWN, thin
from edgeworth.forecasts.findings import ForecastFindings
from edgeworth.forecasts.tally import ForecastTally
from edgeworth.report.charts.axes import CHANCE, HIGH, WIDE, picture_rows, touch_points
from edgeworth.report.charts.chart import FIRST, SECOND, Chart, Kit, Rows
from edgeworth.report.report import Cell, Column, Grid, LazyMapping, Section, make_columns

MAX_TIMES_START = 1e6
"""A bankroll this many times its start is described by its growth per round: no market pays that much."""

SMALLEST_SHARE_SHOWN = 0.005
"""A bankroll below this share of its start is as good as lost."""

AXIS_ROOM = 55
"""Room for the labels of the money axis, so that two panels begin at one place."""

LOG_SCALE_FROM = 100.0
"""From this ratio of the highest to the lowest bankroll on, the curve has a logarithmic axis."""

MAX_PERIODS_SHOWN = 60
"""Months, seasons or years in the table of a report; JSON has all."""

BANKROLL = "Bankroll"
LEDGER = "Profit"


def describe_yield(ledger: Ledger, level: float) -> str:
    """Write the yield with its interval."""
    low, high = (format_signed_percent(end) for end in ledger.interval(level))
    return f"yield {format_signed_percent(ledger.rate)} ({format_level(level)} CI {low} to {high})"


def explain_no_skill(profit: float, low: float, *, is_rare: bool) -> str:
    """Explain why a profit, with the lower bound of its yield, shows no skill; ``is_rare``: its test rejects.

    >>> explain_no_skill(5.0, -0.1, is_rare=False), explain_no_skill(5.0, 0.1, is_rare=False)
    ('which luck can explain', 'but the two-sided test does not confirm a profit')
    """
    if profit <= 0:
        return "so there is no sign of skill"
    if low > 0:
        return "but the two-sided test does not confirm a profit"
    return "but its interval includes 0" if is_rare else "which luck can explain"


def describe_end(ledger: Ledger) -> str:
    """Describe the end of the bankroll."""
    start, end, rounds = ledger.start, ledger.end, len(ledger.bankroll)
    if end > start * MAX_TIMES_START:
        rate = math.expm1(math.log(end / start) / max(rounds, 1)) if math.isfinite(end) else math.inf
        return f"would have grown the bankroll by {format_percent(rate, 1)} per round"
    if end < start * SMALLEST_SHARE_SHOWN:
        return f"would have lost nearly all of {format_dollars(start)}"
    return f"would have turned {format_dollars(start)} into {format_dollars(end)}"


def yield_numbers(ledger: Ledger, level: float) -> dict[str, float]:
    """Return the numbers of a claim about settled bets."""
    low, high = ledger.interval(level)
    return {
        "yield": ledger.rate,
        "yield_low": low,
        "yield_high": high,
        "level": level,
        "bets": len(ledger),
        "profit": ledger.profit,
        "turnover": ledger.turnover,
    }


def describe_rounds(ledger: Ledger) -> str:
    """Count the rounds: days with bets if they are dates."""
    number = len(ledger.bankroll)
    is_daily = ledger.dates is not None and ledger.names == tuple(ledger.dates.astype(str).tolist())
    unit = "betting day" if is_daily else "round"
    return f"{number:,} {plural(number, unit)}"


def _describe_moment(ledger: Ledger, index: int) -> str:
    return "the start" if index < 0 else ledger.names[index]


def describe_drawdown(ledger: Ledger) -> str:
    """Write the worst fall with its dates."""
    worst = ledger.drawdown
    if worst.amount <= 0:
        return "none"
    size = format_percent(worst.share, 1) if ledger.start > 0 else format_dollars(worst.amount)
    peak, trough = (_describe_moment(ledger, index) for index in (worst.peak, worst.trough))
    return f"{size} ({peak} to {trough})"


def ledger_section(
    ledger: Ledger, *, period: Period | None, level: float, text: tuple[str, ...] = ()
) -> Section:
    """Tabulate the ledger, and each month, season or year if asked for."""
    has_bankroll = ledger.start > 0
    low, high = ledger.interval(level)
    rows: list[tuple[Cell, ...]] = [
        ("bets placed", f"{len(ledger):,}"),
        ("turnover", format_dollars(ledger.turnover)),
        ("profit", format_dollars(ledger.profit)),
        ("yield (profit / turnover)", format_signed_percent(ledger.rate) if len(ledger) else "–"),
        (
            f"yield, {format_level(level)} CI",
            f"{format_signed_percent(low)} to {format_signed_percent(high)}",
        ),
        ("bets won", f"{ledger.won:,} ({format_percent(ledger.win_rate, 1)})" if len(ledger) else "–"),
        ("average odds", format_number(ledger.average_odds)),
    ]
    if has_bankroll:
        rows += [
            ("final bankroll", format_dollars(ledger.end)),
            ("highest bankroll", format_dollars(ledger.highest)),
        ]
    rows += [
        ("worst drawdown", describe_drawdown(ledger)),
        ("longest losing run", f"{ledger.longest_losing_run:,} {plural(ledger.longest_losing_run, 'bet')}"),
    ]
    grids = [Grid("", make_columns("ledger/text", "value/text"), tuple(rows))]
    if period is not None:
        grids.append(_period_grid(ledger, period))
    title = BANKROLL if has_bankroll else LEDGER
    return Section(title, text, tuple(grids), ("bankroll",), is_main=True)


def _period_grid(ledger: Ledger, period: Period) -> Grid:
    has_bankroll = ledger.start > 0
    heads = [f"{period}/text", "bets/count", "turnover/dollars", "profit/dollars", "yield/percent"]
    heads += ["won/percent", "bankroll at the end/dollars" if has_bankroll else "profit so far/dollars"]
    rows = [
        (
            name,
            len(part),
            part.turnover,
            part.profit,
            finite_or_none(part.rate),
            finite_or_none(part.win_rate),
            part.end,
        )
        for name, part in ledger.periods(period)
    ]
    is_cut = len(rows) > MAX_PERIODS_SHOWN
    note = f"the last {MAX_PERIODS_SHOWN} of {len(rows):,}; JSON has all" if is_cut else ""
    return Grid(f"By {period}", make_columns(*heads), tuple(rows[-MAX_PERIODS_SHOWN:]), note)


def ledger_numbers(ledger: Ledger, *, period: Period | None, level: float) -> JsonObject:
    """Return the numbers of a ledger for JSON."""
    low, high = ledger.interval(level)
    worst = ledger.drawdown
    return {
        **_totals(ledger),
        "yield_low": low,
        "yield_high": high,
        "average_odds": ledger.average_odds,
        "rounds": len(ledger.bankroll),
        "start": ledger.start,
        "highest": ledger.highest,
        "drawdown": {
            "amount": worst.amount,
            "share": worst.share if ledger.start > 0 else None,
            "from": _describe_moment(ledger, worst.peak),
            "to": _describe_moment(ledger, worst.trough),
        },
        "longest_losing_run": ledger.longest_losing_run,
        "periods": None
        if period is None
        else [{"period": name, **_totals(part)} for name, part in ledger.periods(period)],
        "path": {"round": list(ledger.names), "bankroll": ledger.bankroll.tolist()},
    }


def _totals(ledger: Ledger) -> JsonObject:
    return {
        "bets": len(ledger),
        "turnover": ledger.turnover,
        "profit": ledger.profit,
        "yield": ledger.rate,
        "win_rate": ledger.win_rate,
        "end": ledger.end,
    }


def closing_line_text(season: Season, level: float) -> tuple[tuple[str, ...], JsonObject] | None:
    """Describe the closing-line value in a sentence, and its numbers; None without closing odds or bets."""
    closing = season.closing
    if closing is None or not len(closing.fair):
        return None
    fair, raw = (MeanValue.of(values, closing.rounds, level) for values in (closing.fair, closing.raw))
    size, low, high = (format_signed_percent(x) for x in (fair.mean, fair.low, fair.high))
    if math.isnan(fair.low):
        conclusion, interval = "too few rounds for an interval", ""
    else:
        is_shown = is_significant(fair.p_value, level) and (fair.low > 0 or fair.high < 0)
        better = "better" if fair.mean > 0 else "worse"
        conclusion = f"the odds taken were {better} than the closing line"
        conclusion = conclusion if is_shown else "no clear difference from the closing line"
        interval = (
            f" ({format_level(level)} CI {low} to {high}; t test clustered by round, "
            f"{format_p_value(fair.p_value)}; {len(closing.fair):,} bets)"
        )
    text = (
        f"Closing-line value {size}{interval}: {conclusion}. It is the mean of log(odds taken × closing "
        "probability), with the overround removed. Against the raw closing odds it is "
        f"{format_signed_percent(raw.mean)}."
    )
    numbers = {
        name: {"mean_log": x.mean, "low": x.low, "high": x.high, "p_value": x.p_value, "freedom": x.freedom}
        for name, x in (("fair", fair), ("raw", raw))
    }
    return (text,), {**numbers, "bets": len(closing.fair)}


def bankroll_chart(ledger: Ledger) -> Chart:
    """Draw the bankroll after each round, by date where rounds have one, with its worst fall."""
    has_dates, has_bankroll = ledger.dates is not None, ledger.start > 0
    x_name = "date" if has_dates else "round number"
    y_name = "bankroll" if has_bankroll else "profit"
    worst = ledger.drawdown
    lowest = float(min(ledger.start, ledger.bankroll.min(initial=ledger.start)))
    is_fall_drawn = worst.amount > 0 and len(ledger.bankroll) > 1
    is_log = has_bankroll and lowest > 0 and ledger.highest / lowest > LOG_SCALE_FROM

    def times() -> list[object]:
        if ledger.dates is None:
            return list(range(1, len(ledger.bankroll) + 1))
        # With a time of day Vega takes the date as the reader's own, without one as that of Greenwich.
        return [f"{date}T00:00" for date in ledger.dates]

    def find() -> Mapping[str, Rows]:
        shown = thin(len(ledger.bankroll), most=MAX_POINTS_DRAWN)
        x = times()
        rows = picture_rows({y_name: ledger.bankroll[shown]})
        named = ({x_name: x[index], "round": ledger.names[index]} for index in shown.tolist())
        rows_by_name = {"bankroll": tuple({**name, **row} for name, row in zip(named, rows, strict=True))}
        if is_fall_drawn:
            rows_by_name["fall"] = ({"from": x[max(worst.peak, 0)], "to": x[worst.trough]},)
        return rows_by_name

    def draw(kit: Kit) -> object:
        if not is_log:
            return panel(kit, HIGH, is_log=False, is_last=True)
        # A bankroll that grew much is drawn on both scales, one above the other.
        natural, logarithmic = (panel(kit, HIGH // 2, is_log=x, is_last=x) for x in (False, True))
        return kit.alt.vconcat(natural, logarithmic, spacing=10)

    def panel(kit: Kit, height: int, *, is_log: bool, is_last: bool) -> object:
        alt = kit.alt
        scale = alt.Scale(type="log") if is_log else alt.Scale(zero=False)
        x = alt.X(
            f"{x_name}:{'T' if has_dates else 'Q'}",
            title=None if has_dates else x_name,
            axis=alt.Axis(grid=False, tickCount=8, labelOverlap=True, labels=is_last),
        )
        extent = {"minExtent": AXIS_ROOM, "maxExtent": AXIS_ROOM}
        money = "$,.2~r" if is_log else _money_format(ledger)
        axis = alt.Axis(format=money, tickCount=5, **extent)
        y = alt.Y(f"{y_name}:Q", title=f"{y_name} (log scale)" if is_log else y_name, scale=scale, axis=axis)
        base = kit.base("bankroll").encode(x=x)
        layers = [kit.once().mark_rule(opacity=0.5, color=CHANCE).encode(y=alt.datum(ledger.start))]
        if is_fall_drawn:
            band = kit.base("fall").mark_rect(color=SECOND, opacity=0.12)
            layers.append(band.encode(x=alt.X(f"from:{'T' if has_dates else 'Q'}"), x2="to"))
        layers += [
            base.mark_line(color=FIRST, strokeJoin="round", interpolate="step-after").encode(y=y),
            touch_points(base).encode(
                y=alt.Y(f"{y_name}:Q", scale=scale), tooltip=kit.tooltip({"round": "", y_name: "$,.2f"})
            ),
        ]
        return alt.layer(*layers).properties(width=WIDE, height=height)

    fall = "" if worst.amount <= 0 else f" Worst drawdown {describe_drawdown(ledger)}, shaded."
    end = "The bankroll" if has_bankroll else "The profit"
    title = "Bankroll after each round" if has_bankroll else "Running profit"
    scale = " The lower axis is logarithmic." if is_log else ""
    description = (
        f"{end} ends at {format_dollars(ledger.end)} after {describe_rounds(ledger)} and "
        f"{len(ledger):,} {plural(len(ledger), 'bet')}.{fall}{scale}"
    )
    columns = (Column("round"), Column(y_name, "dollars"))
    return Chart("bankroll", title, description, LazyMapping(find), draw, columns)


def evidence_chart(season: Season, level: float) -> Chart:
    """Draw the evidence against the market after each round, with the line above which it is clear."""
    has_dates = season.dates is not None
    x_name, kind = ("date", "T") if has_dates else ("round number", "Q")
    path, threshold = season.evidence_path, -math.log(1 - level)

    def find() -> Mapping[str, Rows]:
        shown = thin(len(path), most=MAX_POINTS_DRAWN)
        rows = picture_rows({"log evidence": path[shown]})
        times = (
            list(range(1, len(path) + 1))
            if season.dates is None
            else [f"{day}T00:00" for day in season.dates]
        )
        return {
            "evidence": tuple(
                {x_name: times[index], "round": season.names[index], **row}
                for index, row in zip(shown.tolist(), rows, strict=True)
            )
        }

    def draw(kit: Kit) -> object:
        alt = kit.alt
        axis = alt.Axis(grid=False, tickCount=8, labelOverlap=True)
        x = alt.X(f"{x_name}:{kind}", title=None if has_dates else x_name, axis=axis)
        y = alt.Y("log evidence:Q", title="log e-value (natural)")
        base = kit.base("evidence").encode(x=x)
        line = kit.once().mark_rule(strokeDash=[2, 3], opacity=0.8).encode(y=alt.datum(threshold))
        tooltip = kit.tooltip({"round": "", "log evidence": ",.4~g"})
        layers = (
            line,
            base.mark_line(color=FIRST).encode(y=y),
            touch_points(base).encode(y=y, tooltip=tooltip),
        )
        return alt.layer(*layers).properties(width=WIDE, height=HIGH)

    since = season.clear_since(level)
    crossed = "was never crossed" if since is None else f"was first crossed on {since}"
    description = (
        "Evidence that some outcomes were likelier than their odds imply. The line at an e-value of "
        f"{1 / (1 - level):.4g} {crossed}. If no outcome is likelier than its odds imply, it "
        "is ever crossed with probability at most "
        f"{format_level(alpha_of(level))}."
    )
    columns = (Column("round"), Column("log evidence", "number"))
    return Chart("evidence", "Evidence against the market", description, LazyMapping(find), draw, columns)


def _money_format(ledger: Ledger) -> str:
    """Choose cents for small amounts, and dollars for large ones."""
    largest = float(np.abs(ledger.bankroll).max(initial=ledger.start))
    return "$,.2f" if largest < 100 else "$,.0f"


def check_bets(options: Options, tally: ForecastTally) -> float:
    """Check the options of bets, and give the money that the bankroll starts with."""
    start, season = options["bankroll"], tally.season
    is_in_rounds = season is not None and season.is_in_rounds
    for name, value in (("period", options["period"]), ("bankroll", start)):
        if value is not None and not is_in_rounds:
            raise OptionError(
                f"--{name} ({name}=) needs bets in time order: pass --odds a,b,c with --time COLUMN"
            )
    if options["commission"] is not None and "commission" not in tally.against:
        raise OptionError("--commission (commission=) cannot be applied to a tally: evaluate the data again")
    if start is not None and not 0 < start < math.inf:
        raise OptionError(f"--bankroll (bankroll=) must be above 0; saw {start!r}")
    return 1.0 if start is None else float(start)


def season_numbers(findings: ForecastFindings, period: Period | None) -> JsonObject | None:
    """Return the numbers of a season's ledger for JSON; None without a ledger."""
    season, ledger = findings.season, findings.ledger
    if season is None or ledger is None:
        return None
    numbers = ledger_numbers(ledger, period=period, level=findings.level)
    expected = season.settlement.expected_growth if findings.bets.wealth.fraction == 1 else None
    more: JsonObject = {
        "clear_since": season.clear_since(findings.level),
        "expected_log_growth": expected,
        "log_evidence": season.evidence_path,
    }
    return {name: plain_values(value) for name, value in (numbers | more).items()}


def describe_flat_stakes(findings: ForecastFindings) -> tuple[str, ...]:
    """Describe what unit stakes earn at real odds."""
    flat = findings.flat
    if flat is None or not flat.bets:
        return ()
    low, high = flat.interval(findings.level)
    interval = f"{format_percent(low, 1)} to {format_percent(high, 1)}"
    return (
        "Unit stakes on the outcome with the highest expected return, if above 1: "
        f"{flat.bets:,} {plural(flat.bets, 'bet')}, profit {format_number(flat.profit)} units, return "
        f"{format_percent(flat.rate, 1)} of the stakes ({format_level(findings.level)} CI {interval}).",
    )


def flat_stakes_numbers(findings: ForecastFindings) -> JsonObject | None:
    """Return the numbers of unit stakes for JSON; None without odds."""
    if findings.flat is None:
        return None
    low, high = findings.flat.interval(findings.level)
    return {
        **{name: getattr(findings.flat, name) for name in ("bets", "profit", "rate")},
        "low": low,
        "high": high,
    }
