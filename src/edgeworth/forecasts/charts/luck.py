"""Charts of betting: where wealth falls among what luck gives, and Kelly's stakes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from edgeworth.arrays import Floats
from edgeworth.core.formatting import format_percent, format_wealth
from edgeworth.forecasts.charts.wealth import COLOURS, IF_MODEL, IF_PRICES
from edgeworth.forecasts.curves import STAKE_ODDS, STAKE_PROBABILITIES, LawCells, law_cells, stake_surface
from edgeworth.forecasts.findings import ForecastFindings
from edgeworth.report.charts.axes import HIGH, WIDE, LazyData, number_axis, picture_rows, touch_points
from edgeworth.report.charts.chart import INK, PALETTE, SECOND, Chart, Kit, Rows
from edgeworth.report.report import Column
from edgeworth.report.wording import describe_probability

LAW = "drawn only where there is a law"
DRAWN_ODDS = (1.3, 1.5, 2.0, 3.0, 4.0)
WORTH_SAYING = 0.005
"""Probability beyond the ends of the picture that is said in its caption."""


def luck_chart(findings: ForecastFindings) -> Chart:
    """The law of final wealth if the prices are right and if the model is, and what was observed."""
    law, wealth = findings.final_law, findings.bets.wealth
    assert law is not None, LAW
    laws = _laws(findings)
    cells, names = law_cells(law.log_wealth, laws, wealth.log_wealth), list(laws)

    def find() -> Mapping[str, Rows]:
        columns = {"from": cells.low, "to": cells.high, **cells.laws}
        return {"final_wealth": picture_rows(columns)}

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        domain = [float(cells.low[0]), float(cells.high[-1])]
        base = (
            kit.base("final_wealth")
            .transform_fold(names, as_=["who", "probability"])
            .transform_calculate(nothing="0")
        )
        colour = alt.Color(
            "who:N",
            scale=alt.Scale(domain=names, range=[COLOURS[who] for who in names]),
            legend=alt.Legend(title=None, symbolOpacity=0.8, offset=24),
        )
        bars = base.mark_bar(binSpacing=0, opacity=0.5, aria=False).encode(
            x=alt.X(
                "from:Q",
                scale=alt.Scale(domain=domain, nice=False),
                axis=alt.Axis(**number_axis(domain), tickCount=6, labelOverlap=True),
                title="log wealth at the end",
            ),
            x2="to:Q",
            y=alt.Y(
                "probability:Q", stack=None, axis=alt.Axis(format="~%", tickCount=4), title="probability"
            ),
            y2="nothing:Q",
            color=colour,
            tooltip=kit.tooltip(
                {"who": "", "from": ".4~g", "to": ".4~g", "probability": ".3~%"}, {"who": "law"}
            ),
        )
        # Ruin lies left of every number, wealth without bound right of it.
        observed = min(max(wealth.log_wealth, domain[0]), domain[1])
        is_right = observed > (domain[0] + domain[1]) / 2
        here = kit.once().encode(x=alt.datum(observed))
        word = here.mark_text(
            fill=INK,
            fontWeight=600,
            baseline="bottom",
            align="right" if is_right else "left",
            dy=-4,
        ).encode(y=alt.value(0), text=alt.value(f"observed: {_describe_wealth(wealth.log_wealth)}"))
        rule = here.mark_rule(color=SECOND, strokeWidth=2.5)
        return alt.layer(bars, rule, word).properties(width=WIDE, height=HIGH)

    return Chart(
        "final_wealth",
        f"Where this wealth falls among what {'luck gives' if IF_PRICES in names else 'the model expects'}",
        _luck_says(findings, cells),
        LazyData(find),
        draw,
        (Column("from", "number"), Column("to", "number"), *(Column(who, "probability") for who in names)),
    )


def has_luck(findings: ForecastFindings) -> bool:
    """Whether there is a law to draw."""
    return bool(_laws(findings))


def _laws(findings: ForecastFindings) -> dict[str, Floats]:
    """Those that mean something: prices made with hindsight are nobody's luck."""
    law = findings.final_law
    if law is None:
        return {}
    laws = {IF_PRICES: law.prices, IF_MODEL: law.model}
    if findings.bets.wealth.book == "constant":
        del laws[IF_PRICES]
    return {who: each for who, each in laws.items() if math.isfinite(each.sum())}


def _describe_wealth(log_wealth: float) -> str:
    return "ruin" if log_wealth == -math.inf else format_wealth(log_wealth)


def _luck_says(findings: ForecastFindings, cells: LawCells) -> str:
    bets, law = findings.bets, findings.final_law
    assert law is not None, LAW
    said = [f"The wealth at the end is {format_wealth(bets.wealth.log_wealth)}."]
    if bets.luck is not None and IF_PRICES in cells.laws:
        which = {"backing": " divided by their sum", "exchange": " inside the spread at which the model bets"}
        prices = f"If the prices{which.get(bets.wealth.book, '')} are right"
        said.append(f"{prices}, luck gives at least this with probability {describe_probability(bets.luck)}.")
    for who, beyond in cells.beyond.items():
        if beyond > WORTH_SAYING:
            said.append(
                f"{format_percent(beyond, 1)} {who} is not in the picture, but further out, ruin, or "
                "without bound."
            )
    if len(cells.laws) == 1 and bets.wealth.book != "constant":
        other = IF_MODEL if IF_PRICES in cells.laws else IF_PRICES
        said.append(f"No law is drawn {other}: log wealth has no mean then.")
    which_law = "The law is" if len(cells.laws) == 1 else "The laws are"
    said.append(f"{which_law} {'exact' if law.method == 'exact' else 'of ' + law.method}.")
    return " ".join(said)


def stakes_chart(findings: ForecastFindings) -> Chart:
    """Kelly's stake by probability and odds: where one may only back, and where one may lay as well."""
    surface = stake_surface()
    columns = [int(abs(STAKE_ODDS - odds).argmin()) for odds in DRAWN_ODDS]

    def find() -> Mapping[str, Rows]:
        return {
            "stakes": tuple(
                {
                    "odds": f"{odds:g}",
                    "probability": float(STAKE_PROBABILITIES[row]),
                    "back only": max(0.0, float(surface[row, column])),
                    "back and lay": float(surface[row, column]),
                }
                for odds, column in zip(DRAWN_ODDS, columns, strict=True)
                for row in range(len(STAKE_PROBABILITIES))
            )
        }

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        order = [f"{odds:g}" for odds in DRAWN_ODDS]
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
        panels: list[Any] = []
        # Backing only, the same lines end at 0: drawn from their points they would bend beside it.
        for what, scale in (("back only", alt.Scale(domain=[0, 1])), ("back and lay", alt.Scale())):
            y = alt.Y(
                "back and lay:Q",
                scale=scale,
                axis=alt.Axis(format="~%", tickCount=6),
                title="stake, as a share of wealth" if not panels else None,
            )
            touched = touch_points(base).encode(y=alt.Y(f"{what}:Q", scale=scale))
            panels.append(
                alt.layer(zero, base.mark_line(clip=True).encode(y=y), touched).properties(
                    width=(WIDE - 90) // 2, height=HIGH - 40, title=what
                )
            )
        return alt.hconcat(*panels, spacing=16)

    stake, even = float(surface[12, columns[2]]), 1 / DRAWN_ODDS[2]
    part = findings.bets.wealth.fraction
    taken = "" if part == 1 else f" Here {part:g} of it was bet."
    return Chart(
        "stakes",
        "How much to stake",
        f"Kelly's stake is (O p − 1)/(O − 1) of the wealth at odds O and probability p: at odds of 2 and "
        f"{format_percent(float(STAKE_PROBABILITIES[12]))} it is {format_percent(stake)}. Below "
        f"{format_percent(even)} there is "
        f"nothing to back at these odds; one who may lay bets against it, the negative stakes.{taken}",
        LazyData(find),
        draw,
        (Column("odds"), *(Column(each, "percent") for each in ("probability", "back only", "back and lay"))),
    )
