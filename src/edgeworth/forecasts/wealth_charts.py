"""Charts of a bettor's wealth: its way, what each case added, what luck gives, and Kelly's stakes."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from edgeworth.bet.kelly import kelly_game
from edgeworth.common.arrays import Floats
from edgeworth.core.formatting import (
    format_cases,
    format_level,
    format_number,
    format_percent,
    format_wealth,
    plural,
)
from edgeworth.core.sampling_distributions import alpha_of
from edgeworth.forecasts.case_axis import CaseAxis
from edgeworth.forecasts.curves import (
    MAX_BAND_POINTS_DRAWN,
    MAX_POINTS_DRAWN,
    FinalLaw,
    Paths,
    returns,
    thin,
    turns,
)
from edgeworth.forecasts.findings import Bets, ForecastFindings
from edgeworth.forecasts.verdict import describe_crowd, describe_luck, describe_orders
from edgeworth.report.charts.axes import (
    CHANCE,
    HIGH,
    PLAIN,
    WIDE,
    band_between,
    colour_layer,
    mark_observed,
    number_axis,
    picture_rows,
    touch_points,
)
from edgeworth.report.charts.chart import FIRST, INK, PALETTE, SECOND, THIRD, Chart, Kit, Rows
from edgeworth.report.report import Column, LazyMapping

CASES = "cases settled"
WEALTH, LIKELIHOOD = "wealth", "likelihood ratio"
"""What the charts are about: wealth if the user brought odds or asked for bets, and otherwise likelihoods."""
IF_MODEL, IF_PRICES = "if the model is right", "if the prices are right"
COLOURS = {WEALTH: FIRST, LIKELIHOOD: FIRST, IF_MODEL: THIRD, IF_PRICES: CHANCE}
ENDS = ("", " low", " high")
MIN_VISIBLE_DISTANCE = 0.02
"""A line nearer to 0 than this share of the axis is one with it."""
MAX_PATHS_DRAWN = 8
"""The most paths that are drawn one by one."""
LARGEST_WEALTH = math.log(1e6)
"""Log wealth beyond which only its logarithm is drawn."""
MARGIN = 30
"""Room to the right of a picture for the name of a line."""


def _quantity(findings: ForecastFindings, *, has_bets: bool) -> str:
    """Name what grows over the cases."""
    return WEALTH if has_bets or findings.is_about_bets else LIKELIHOOD


def wealth_chart(findings: ForecastFindings, *, has_bets: bool = False) -> Chart:
    """Draw the path of log wealth, what to expect of it, and the line above which it is evidence."""
    wealth = findings.bets.wealth
    threshold = -math.log(1 - findings.level)
    quantity = _quantity(findings, has_bets=has_bets)
    logarithm = f"log {quantity}"
    # Prices made with hindsight are not what anybody expected.
    shown = [IF_MODEL] if wealth.book == "constant" else [IF_MODEL, IF_PRICES]

    case_axis = CaseAxis(CASES, findings.dates)
    drawn = [logarithm, *(f"{assumption}{end}" for assumption in shown for end in ENDS)]

    def find() -> Mapping[str, Rows]:
        path = findings.path.drawn(MAX_POINTS_DRAWN)
        bands = {IF_MODEL: path.expected, IF_PRICES: path.priced}
        columns = {
            f"{assumption}{end}": bands[assumption][row]
            for assumption in shown
            for row, end in enumerate(ENDS)
        }
        names = ["1", *map(format_wealth, path.log_wealth.tolist())]
        start = {logarithm: 0.0, **dict.fromkeys(columns, 0.0)}
        rows = (start, *picture_rows({logarithm: path.log_wealth, **columns}))
        placed = zip(case_axis.rows(np.append(0, path.cases)), names, rows, strict=True)
        return {"wealth": tuple({**place, quantity: name, **row} for place, name, row in placed)}

    def draw(kit: Kit) -> object:
        alt = kit.alt
        wide = WIDE - MARGIN
        base = kit.base("wealth").encode(x=_cases_axis(kit, case_axis, wealth.cases))
        y = alt.Y(
            f"{logarithm}:Q",
            title=f"{logarithm} (natural)",
            axis=alt.Axis(**number_axis(_ends(findings)), tickCount=6),
        )
        colours = {assumption: COLOURS[assumption] for assumption in (quantity, *shown)}
        layers = [kit.once().mark_rule(opacity=0.35).encode(y=alt.datum(0))]
        for assumption in reversed(shown):
            expected = base.mark_line(strokeDash=[5, 4], strokeWidth=1.5).encode(y=alt.Y(f"{assumption}:Q"))
            layers += [
                band_between(alt, base, f"{assumption} low", f"{assumption} high", COLOURS[assumption]),
                colour_layer(alt, expected, assumption, colours),
            ]
        if _is_seen(findings, threshold):
            line = kit.once().encode(y=alt.datum(threshold))
            layers += [
                line.mark_rule(strokeDash=[2, 3], opacity=0.7),
                line.mark_text(align="left", dx=5).encode(x=alt.value("width"), text=alt.value("1/α")),
            ]
        layers += [
            colour_layer(alt, base.mark_line(strokeJoin="round").encode(y=y), quantity, colours),
            touch_points(base).encode(
                y=f"{logarithm}:Q",
                tooltip=kit.tooltip({**case_axis.tooltip, quantity: "", **dict.fromkeys(drawn, ",.4~g")}),
            ),
            *_turn_marks(kit, findings, quantity, case_axis),
        ]
        return alt.layer(*layers).properties(width=wide, height=HIGH)

    return Chart(
        "wealth",
        _wealth_title(quantity),
        f"{_became(findings, quantity)}{_expected(findings, quantity)} The line at {format_wealth(threshold)}"
        f"{'' if _is_seen(findings, threshold) else ' (too near to 0 to be drawn)'}: "
        f"{_describe_line(findings)}.",
        LazyMapping(find),
        draw,
        (
            *case_axis.columns,
            Column(quantity),
            *(Column(name, "number") for name in drawn),
        ),
    )


def _wealth_title(quantity: str) -> str:
    """Name the chart: it is about bets only if the user brought odds or asked for bets."""
    return "Wealth after each case, from a start of 1" if quantity == WEALTH else "How the evidence grew"


def _became(findings: ForecastFindings, quantity: str) -> str:
    wealth = findings.bets.wealth
    shuffled = "" if wealth.ordered else " The rows have no time order, so they are shown in random order."
    for cases, turn in turns(findings.way)[-1:]:
        if quantity == WEALTH:
            name = "All capital is lost" if turn == "ruin" else "Infinite wealth"
        else:
            name = f"The likelihood ratio is {'0' if turn == 'ruin' else 'infinite'}"
        by = "at" if wealth.blocks.number == wealth.cases else "by"
        return f"{name}{f' {by} case {cases:,}' if wealth.ordered else ''}.{shuffled}"
    subject = "Wealth" if quantity == WEALTH else "The likelihood ratio"
    end = f"{subject} reached {format_wealth(wealth.log_wealth)} after {format_cases(wealth.cases)}"
    if shuffled:
        return f"{end}.{shuffled}"
    low, high = format_wealth(wealth.log_minimum), format_wealth(wealth.log_maximum)
    fall = format_percent(-math.expm1(-wealth.drawdown))
    if quantity != WEALTH:
        return f"{end}: lowest {low}, highest {high}."
    return f"{end}: lowest {low}, highest {high}, worst drawdown {fall}."


def _expected(findings: ForecastFindings, quantity: str) -> str:
    """Describe the range of paths if the model is right, or return nothing if its wealth is unbounded."""
    low, high = findings.path.expected[1:, -1].tolist()
    if not math.isfinite(high - low):
        return ""
    first, last = format_wealth(low), format_wealth(high)
    ends = f"between {first} and {last}"
    if first == last:
        ends = f"at a log {quantity} of {format_number(low)} to {format_number(high)}"
    return f" If the model is right, {format_level(findings.level)} of paths end {ends}."


def _describe_line(findings: ForecastFindings) -> str:
    wealth, alpha = findings.bets.wealth, format_level(alpha_of(findings.level))
    if wealth.predictions_made == "in-sample":
        return "no evidence here, because the model had seen these outcomes"
    if wealth.book == "constant" and wealth.fraction < 1:
        return "no evidence here, because class shares counted on these cases need full stakes"
    remark = (
        " (approximately: the predictions are cross-validated)" if wealth.predictions_made != "before" else ""
    )
    if wealth.book == "constant":
        return (
            f"with constant shares, the final value exceeds it with probability at most {alpha}{remark}. "
            "Earlier values are no evidence, because the shares were counted on these cases"
        )
    if wealth.ordered:
        return f"if the prices are right, it is ever reached with probability at most {alpha}{remark}"
    return f"if the prices are right, the final value exceeds it with probability at most {alpha}{remark}"


def orders_chart(findings: ForecastFindings, orders: Paths) -> Chart:
    """Draw wealth over random orders of the cases."""
    blocks = findings.bets.wealth.blocks
    together = int((blocks.ends - blocks.starts).max())
    runs = "" if together == 1 else f" Cases change places in runs of up to {together:,}."
    description = f"{describe_orders(orders)} Every order ends with the same wealth.{runs}"
    return _paths_chart("orders", "Wealth over random orders of the cases", description, orders)


def bookmakers_chart(crowd: Paths, dates: NDArray[np.datetime64] | None) -> Chart:
    """Draw wealth against many drunken bookmakers."""
    description = f"Log wealth at the end: {describe_crowd(crowd)}."
    return _paths_chart("bookmakers", "Wealth against many drunken bookmakers", description, crowd, dates)


def _paths_chart(
    name: str, title: str, description: str, paths: Paths, dates: NDArray[np.datetime64] | None = None
) -> Chart:
    """Draw many paths of wealth: a few of them, the median and a band, on the log and the natural scale."""
    number, ends, band = len(paths.log_wealth), ("low", "median", "high"), paths.spread()
    case_axis = CaseAxis(CASES, dates)
    panels = {"log wealth": ("datum['{}']", band)}
    # Ruin and wealth without bound have no place on a natural scale, and huge wealth leaves nothing to see.
    if np.isfinite(paths.log_wealth).all() and band.max() < LARGEST_WEALTH:
        panels["wealth"] = ("exp(datum['{}'])", np.exp(band))

    def find() -> Mapping[str, Rows]:
        indices, path_rows = thin(len(paths.cases), most=MAX_BAND_POINTS_DRAWN), list[Mapping[str, object]]()
        places = case_axis.rows(np.append(0, paths.cases[indices]))
        for path, logs in enumerate(paths.log_wealth[:MAX_PATHS_DRAWN]):
            rows = ({"one": 0.0}, *picture_rows({"one": logs[indices]}))
            path_rows += ({"way": path, **place, **row} for place, row in zip(places, rows, strict=True))
        lines = (dict.fromkeys(ends, 0.0), *picture_rows(dict(zip(ends, band, strict=True))))
        placed = zip(case_axis.rows(np.append(0, paths.cases)), lines, strict=True)
        return {name: tuple({**place, **row} for place, row in placed), "ways": tuple(path_rows)}

    def draw(kit: Kit) -> object:
        alt, drawn = kit.alt, []
        x = _cases_axis(kit, case_axis, int(paths.cases[-1]))
        form = {**case_axis.tooltip, **dict.fromkeys(ends, ",.4~g")}
        for quantity, (value, reach) in panels.items():
            base = kit.base(name).encode(x=x)
            base = base.transform_calculate(**{end: value.format(end) for end in ends})
            path_lines = (
                kit.base("ways").encode(x=x, detail="way:N").transform_calculate(one=value.format("one"))
            )
            axis = alt.Axis(**number_axis(reach[np.isfinite(reach)].tolist()), tickCount=5)
            # One way may tower over all others.
            scale = alt.Scale(domain=[0, reach.max()]) if quantity == "wealth" else alt.Scale()
            layers = (
                band_between(alt, base, "low", "high", FIRST),
                path_lines.mark_line(strokeWidth=0.8, opacity=0.6, color=CHANCE, clip=True).encode(y="one:Q"),
                base.mark_line().encode(y=alt.Y("median:Q", title=quantity, axis=axis, scale=scale)),
                touch_points(base).encode(y="median:Q", tooltip=kit.tooltip(form)),
            )
            size = {"width": WIDE - MARGIN, "height": HIGH // len(panels) - 10}
            drawn.append(alt.layer(*layers).properties(**size))
        return alt.vconcat(*drawn, spacing=14)

    drawn_paths = min(MAX_PATHS_DRAWN, number)
    caption = (
        f"The line is the median of {number} paths; the band contains 90% of them; {drawn_paths} are drawn."
    )
    columns = (*case_axis.columns, *(Column(end, "number") for end in ends))
    return Chart(name, title, f"{description} {caption}", LazyMapping(find), draw, columns)


def returns_chart(findings: ForecastFindings, *, has_bets: bool = False) -> Chart:
    """Draw what each case added to log wealth; the reader can zoom into a range."""
    wealth = findings.bets.wealth
    ends, logs = returns(findings.way)
    together, last_run = int(ends[0]), int(ends[-1] - ends[-2]) if len(ends) > 1 else int(ends[0])
    quantity = _quantity(findings, has_bets=has_bets)
    logarithm = f"log {quantity}"
    change = "log return" if quantity == WEALTH else "change of the log"
    axis_title = f"{change} per case" if together == 1 else f"{change} per {together:,} cases"
    return_axis, way_axis = CaseAxis("case", findings.dates), CaseAxis(CASES, findings.dates)

    def find() -> Mapping[str, Rows]:
        path = findings.path.drawn(2 * MAX_BAND_POINTS_DRAWN)
        factors = map(format_wealth, logs.tolist())
        rows = zip(return_axis.rows(ends), picture_rows({change: logs}), factors, strict=True)
        wealth_rows = ({logarithm: 0.0}, *picture_rows({logarithm: path.log_wealth}))
        way = zip(way_axis.rows(np.append(0, path.cases)), wealth_rows, strict=True)
        return {
            "returns": tuple({**place, **row, "factor": factor} for place, row, factor in rows),
            "way": tuple({**place, **row} for place, row in way),
        }

    def draw(kit: Kit) -> object:
        alt = kit.alt
        stretch = alt.selection_interval(name="stretch", encodings=["x"])
        x = alt.X(
            return_axis.field,
            scale=alt.Scale(domain=stretch, nice=False, padding=6),
            axis=return_axis.axis(kit, wealth.cases),
            title=None,
        )
        colour = alt.Color(
            "side:N", scale=alt.Scale(domain=["gain", "loss", "none"], range=[FIRST, SECOND, CHANCE])
        )
        # What is no number is ruin, or wealth without bound.
        size = f"datum.factor === '0' ? -1 : datum['{change}'] === null ? 1 : datum['{change}']"
        base = kit.base("returns").transform_calculate(size=size, nothing="0")
        base = base.transform_calculate(side="datum.size > 0 ? 'gain' : datum.size < 0 ? 'loss' : 'none'")
        base = base.encode(
            x=x,
            color=colour.legend(None),
            tooltip=kit.tooltip(
                {**return_axis.tooltip, "factor": "", change: "+.4~g"},
                {"case": "case" if together == 1 else "up to case", "factor": f"{quantity} times"},
            ),
        )
        y = alt.Y(f"{change}:Q", title=axis_title, axis=alt.Axis(format=PLAIN, tickCount=5))
        stems = base.mark_rule(strokeWidth=1.5 if len(ends) > 60 else 4, clip=True, aria=False)
        above = HIGH - 110
        gone = [
            base.transform_filter(f"datum['{change}'] === null && datum.side === '{side}'")
            .mark_point(shape="cross", filled=True, angle=45, size=70, opacity=1, clip=True, aria=False)
            .encode(y=alt.value(height))
            for side, height, log in (("gain", 6, math.inf), ("loss", above - 6, -math.inf))
            if log in logs
        ]
        picture = alt.layer(
            kit.once().mark_rule(opacity=0.5).encode(y=alt.datum(0)),
            stems.encode(y=y, y2="nothing:Q"),
            *gone,
        ).properties(width=WIDE - MARGIN, height=above)
        wealth_panel = (
            kit.base("way")
            .mark_area(line={"color": FIRST, "strokeWidth": 1.5}, color=FIRST, opacity=0.15)
            .encode(
                x=_cases_axis(kit, way_axis, wealth.cases),
                y=alt.Y(
                    f"{logarithm}:Q",
                    title=logarithm if quantity == WEALTH else "log ratio",
                    axis=alt.Axis(tickCount=3, **number_axis(_ends(findings))),
                ),
            )
            .properties(width=WIDE - MARGIN, height=60, name="way")
            .add_params(stretch)
        )
        return alt.vconcat(picture, wealth_panel, spacing=10)

    won, lost = int((logs > 0).sum()), int((logs < 0).sum())
    of = plural(len(logs), "case") if together == 1 else f"runs of {together:,} cases"
    best, worst = format_wealth(float(logs.max())), format_wealth(float(logs.min()))
    last = "" if last_run == together else f" The last run has {format_cases(last_run)}."
    subject = quantity if quantity == WEALTH else f"the {quantity}"
    won_or_lost = ("won", "lost") if quantity == WEALTH else ("favour the model", "do not")
    counts = f"{won:,} of {len(logs):,} {of} {won_or_lost[0]} and {lost:,} {won_or_lost[1]}"
    return Chart(
        "returns",
        "What each case added" if together == 1 else f"What every {together:,} cases added",
        findings.with_names(f"{counts}; the best multiplied {subject} by {best}, the worst by {worst}.{last}")
        + " Select a range below to zoom.",
        LazyMapping(find),
        draw,
        (*return_axis.columns, Column(change, "number"), Column("factor")),
    )


def _cases_axis(kit: Kit, case_axis: CaseAxis, cases: int) -> object:
    """Make the horizontal axis of a chart over cases."""
    zero = {"zero": True} if case_axis.dates is None else {}
    return kit.alt.X(
        case_axis.field,
        scale=kit.alt.Scale(nice=False, **zero),
        axis=case_axis.axis(kit, cases),
        title=case_axis.title(CASES),
    )


def _ends(findings: ForecastFindings) -> list[float]:
    """Return where the lines and bands of log wealth end."""
    path = findings.path
    values = (curve[-1] for curve in (path.log_wealth, *path.expected, *path.priced))
    return [float(value) for value in values if math.isfinite(value)]


def _is_seen(findings: ForecastFindings, threshold: float) -> bool:
    """Return whether the line at 1/α can be seen apart from 0 on an axis this long."""
    path = findings.way
    ends = [0.0, threshold, path.log_minimum, path.log_maximum, *_ends(findings)]
    finite_ends = [value for value in ends if math.isfinite(value)]
    return threshold > MIN_VISIBLE_DISTANCE * (max(finite_ends) - min(finite_ends))


def _turn_marks(kit: Kit, findings: ForecastFindings, quantity: str, case_axis: CaseAxis) -> list[object]:
    """Mark the case after which wealth is 0 or infinite with a line and a word."""
    alt, wealth = kit.alt, findings.bets.wealth
    layers = []
    for cases, name in turns(findings.way):
        place = alt.InlineData(values=case_axis.rows(np.array([cases])))
        at_case = alt.Chart(place).encode(x=alt.X(case_axis.field))
        is_right = cases > wealth.cases / 2
        down = name == "ruin"
        word = "all lost" if down else name
        if quantity != WEALTH:
            word = f"ratio {'0' if down else 'infinite'}"
        layers += [
            at_case.mark_rule(color=SECOND, strokeWidth=2, strokeDash=[6, 3]),
            at_case.mark_text(
                fill=INK,
                fontWeight=600,
                align="right" if is_right else "left",
                dx=-6 if is_right else 6,
            ).encode(y=alt.value(HIGH - 10 if down else 10), text=alt.value(word)),
        ]
    return layers


STAKE_ODDS = (1.3, 1.5, 2.0, 3.0, 4.0)
STAKE_PROBABILITIES = np.round(np.linspace(0.0, 1.0, 21), 10)
MIN_HEIGHT_SEEN = 0.002
"""The height of a bar, relative to the highest, below which it is less than a pixel."""
MIN_SHARE_MENTIONED = 0.005
"""Probability beyond the ends of the picture that its caption states."""


def luck_chart(findings: ForecastFindings, *, has_bets: bool = False) -> Chart:
    """Draw the law of final wealth if the prices or the model are right, and what was observed."""
    law, wealth, laws = findings.final_law, findings.bets.wealth, drawn_laws(findings)
    assert law is not None, "drawn only where there is a law"
    quantity = _quantity(findings, has_bets=has_bets)
    points = law.log_wealth
    names, domain = list(laws), _stretch(points, laws, wealth.log_wealth)

    def find() -> Mapping[str, Rows]:
        columns = {"from": points[:-1], "to": points[1:]} | {
            assumption: np.diff(laws[assumption]) for assumption in names
        }
        return {"final_wealth": picture_rows(columns)}

    def draw(kit: Kit) -> object:
        alt = kit.alt
        base = (
            kit.base("final_wealth")
            .transform_fold(names, as_=["assumption", "probability"])
            .transform_calculate(nothing="0")
        )
        colour = alt.Color(
            "assumption:N",
            scale=alt.Scale(domain=names, range=[COLOURS[assumption] for assumption in names]),
            legend=alt.Legend(title=None, symbolOpacity=0.8, offset=24),
        )
        bars = base.mark_bar(binSpacing=0, opacity=0.5, aria=False, clip=True).encode(
            x=alt.X(
                "from:Q",
                scale=alt.Scale(domain=domain, nice=False),
                axis=alt.Axis(**number_axis(domain), tickCount=6, labelOverlap=True),
                title=f"log {quantity} at the end",
            ),
            x2="to:Q",
            y=alt.Y(
                "probability:Q", stack=None, axis=alt.Axis(format="~%", tickCount=4), title="probability"
            ),
            y2="nothing:Q",
            color=colour,
            tooltip=kit.tooltip(
                {"assumption": "", "from": ".4~g", "to": ".4~g", "probability": ".3~%"},
                {"assumption": "distribution"},
            ),
        )
        # Ruin lies left of every number, wealth without bound right of it.
        observed = min(max(wealth.log_wealth, domain[0]), domain[1])
        end = (
            "all lost"
            if wealth.log_wealth == -math.inf and quantity == WEALTH
            else format_wealth(wealth.log_wealth)
        )
        layers = [bars, *mark_observed(kit, observed, domain, f"observed: {end}")]
        return alt.layer(*layers).properties(width=WIDE, height=HIGH)

    return Chart(
        "final_wealth",
        f"Distribution of the final {quantity} {'under luck' if IF_PRICES in names else IF_MODEL}",
        _describe_luck(findings.bets, law, laws, quantity),
        LazyMapping(find),
        draw,
        (
            Column("from", "number"),
            Column("to", "number"),
            *(Column(assumption, "probability") for assumption in names),
        ),
    )


def _stretch(points: Floats, laws: Mapping[str, Floats], observed: float) -> list[float]:
    """Return the ends of the picture: where bars can be seen, and what was observed."""
    heights = np.max([np.diff(cumulative) for cumulative in laws.values()], axis=0)
    seen = np.flatnonzero(heights >= MIN_HEIGHT_SEEN * heights.max())
    low, high = float(points[seen[0]]), float(points[seen[-1] + 1])
    end = min(max(observed, float(points[0])), float(points[-1]))
    return [min(low, end), max(high, end)]


def drawn_laws(findings: ForecastFindings) -> dict[str, Floats]:
    """Return the meaningful ones: prices made with hindsight leave no room for luck."""
    law = findings.final_law
    if law is None:
        return {}
    laws = {IF_PRICES: law.prices, IF_MODEL: law.model}
    if findings.bets.wealth.book == "constant":
        del laws[IF_PRICES]
    return {assumption: law for assumption, law in laws.items() if math.isfinite(law.sum())}


def _describe_luck(bets: Bets, law: FinalLaw, laws: Mapping[str, Floats], quantity: str) -> str:
    sentences = [f"The {quantity} at the end is {format_wealth(bets.wealth.log_wealth)}."]
    if bets.luck is not None and IF_PRICES in laws:
        sentences.append(describe_luck(bets.luck, bets.wealth.book, quantity))
    for assumption, cumulative in laws.items():
        beyond = float(cumulative[0] + 1 - cumulative[-1])
        if beyond > MIN_SHARE_MENTIONED:
            sentences.append(f"{format_percent(beyond, 1)} {assumption} lies outside the picture.")
    if len(laws) == 1 and bets.wealth.book != "constant":
        other = IF_MODEL if IF_PRICES in laws else IF_PRICES
        sentences.append(f"No distribution is drawn {other}, because its logarithm has no mean then.")
    which_law = "The distribution is" if len(laws) == 1 else "The distributions are"
    sentences.append(f"{which_law} {law.method}.")
    return " ".join(sentences)


def stakes_chart(findings: ForecastFindings) -> Chart:
    """Kelly's stake by probability and odds: where one may only back, and where one may lay as well."""

    def find() -> Mapping[str, Rows]:
        return {
            "stakes": tuple(
                {"odds": f"{odds:g}", "probability": p, "back only": max(0.0, f), "back and lay": f}
                for odds in STAKE_ODDS
                for p, f in zip(
                    STAKE_PROBABILITIES.tolist(),
                    kelly_game(STAKE_PROBABILITIES, odds).round(12).tolist(),
                    strict=True,
                )
            )
        }

    def draw(kit: Kit) -> object:
        alt = kit.alt
        order = [f"{odds:g}" for odds in STAKE_ODDS]
        base = kit.base("stakes").encode(
            x=alt.X("probability:Q", axis=alt.Axis(format=".0%", values=[0, 0.5, 1]), title="probability"),
            color=alt.Color(
                "odds:N",
                sort=order,
                scale=alt.Scale(domain=order, range=list(PALETTE[: len(order)])),
                legend=alt.Legend(title="decimal odds", symbolType="stroke", symbolStrokeWidth=3),
            ),
            tooltip=kit.tooltip(
                {"odds": "", "probability": ".0%", "back only": ".1%", "back and lay": "+.1%"}
            ),
        )
        zero = kit.once().mark_rule(opacity=0.5).encode(y=alt.datum(0))
        panels: list[object] = []
        # Backing only, the same lines end at 0: drawn from their points they would bend beside it.
        for title, scale in (("back only", alt.Scale(domain=[0, 1])), ("back and lay", alt.Scale())):
            y = alt.Y(
                "back and lay:Q",
                scale=scale,
                axis=alt.Axis(format="~%", tickCount=6),
                title="stake, as a share of wealth" if not panels else None,
            )
            touched = touch_points(base).encode(y=alt.Y(f"{title}:Q", scale=scale))
            panels.append(
                alt.layer(zero, base.mark_line(clip=True).encode(y=y), touched).properties(
                    width=(WIDE - 90) // 2, height=HIGH - 40, title=title
                )
            )
        return alt.hconcat(*panels, spacing=16)

    part = findings.bets.wealth.fraction
    fraction_text = "" if part == 1 else f" Here {part:g} of it was bet."
    return Chart(
        "stakes",
        "Kelly's stake by probability and odds",
        "Kelly's stake is (O p − 1)/(O − 1) of the wealth at odds O and probability p: at odds of 2 and 60% "
        "it is 20%. Below 50% there is nothing to back at these odds; a negative stake is laid on an "
        f"exchange.{fraction_text}",
        LazyMapping(find),
        draw,
        (Column("odds"), *(Column(name, "percent") for name in ("probability", "back only", "back and lay"))),
    )
