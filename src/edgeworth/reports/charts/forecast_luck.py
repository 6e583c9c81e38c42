"""Charts of betting: where wealth falls among what luck gives, and Kelly's stakes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from edgeworth.inference import ForecastFindings
from edgeworth.inference.forecast_curves import STAKE_ODDS, STAKE_PROBABILITIES, stake_surface
from edgeworth.inference.forecast_pictures import LawCells, law_cells
from edgeworth.reports.charts.chart import Chart, Kit, Rows
from edgeworth.reports.charts.forecast_wealth import COLOURS, IF_MODEL, IF_PRICES
from edgeworth.reports.charts.parts import HIGH, WIDE, Later, axis_format, pictured, touch_points
from edgeworth.reports.charts.theme import FIRST, SECOND
from edgeworth.reports.report import Column
from edgeworth.reports.wording import money, percent, probability_words

LAW = "drawn only where there is a law"
DRAWN_ODDS = (1.3, 1.5, 2.0, 3.0, 4.0)
SHADES = ("#9ecae1", "#5fa2d0", FIRST, "#14517c", "#0a2f4a")
WORTH_SAYING = 0.005
"""Probability beyond the ends of the picture that is said in its caption."""


def luck_chart(findings: ForecastFindings) -> Chart:
    """The law of final wealth if the prices are right and if the model is, and what was observed."""
    law, wealth = findings.final_law, findings.bets.wealth
    assert law is not None, LAW
    cells = law_cells(law)
    shown = _laws(findings, cells)

    def find() -> Mapping[str, Rows]:
        columns = {"from": cells.low, "to": cells.high, **shown}
        return {"final_wealth": pictured(columns)}

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        domain = [float(cells.low[0]), float(cells.high[-1])]
        base = (
            kit.base("final_wealth")
            .transform_fold(list(shown), as_=["who", "probability"])
            .transform_calculate(nothing="0")
        )
        colour = alt.Color(
            "who:N",
            scale=alt.Scale(domain=list(shown), range=[COLOURS[who] for who in shown]),
            legend=alt.Legend(title=None, symbolOpacity=0.8, offset=24),
        )
        bars = base.mark_bar(binSpacing=0, opacity=0.5, aria=False).encode(
            x=alt.X(
                "from:Q",
                scale=alt.Scale(domain=domain, nice=False),
                axis=alt.Axis(format=axis_format(domain), tickCount=6, labelOverlap=True),
                title="log wealth at the end",
            ),
            x2="to:Q",
            y=alt.Y(
                "probability:Q", stack=None, axis=alt.Axis(format="~%", tickCount=4), title="probability"
            ),
            y2="nothing:Q",
            color=colour,
            tooltip=[
                alt.Tooltip("who:N", title="law"),
                alt.Tooltip("from:Q", format=".4~g"),
                alt.Tooltip("to:Q", format=".4~g"),
                alt.Tooltip("probability:Q", format=".3~%"),
            ],
        )
        # Ruin lies left of every number, wealth without bound right of it.
        observed = min(max(wealth.log_wealth, domain[0]), domain[1])
        is_right = observed > (domain[0] + domain[1]) / 2
        here = kit.once().encode(x=alt.datum(observed))
        word = here.mark_text(
            fill=SECOND,
            fontWeight=600,
            baseline="bottom",
            align="right" if is_right else "left",
            dy=-4,
        ).encode(y=alt.value(0), text=alt.value(f"observed: {_observed(wealth.log_wealth)}"))
        rule = here.mark_rule(color=SECOND, strokeWidth=2.5)
        return alt.layer(bars, rule, word).properties(width=WIDE, height=HIGH)

    names = list(shown)
    return Chart(
        "final_wealth",
        f"Where this wealth falls among what {'luck gives' if IF_PRICES in names else 'the model expects'}",
        _luck_says(findings, cells, names),
        Later(find),
        draw,
        (Column("from", "number"), Column("to", "number"), *(Column(who, "probability") for who in names)),
    )


def _laws(findings: ForecastFindings, cells: LawCells) -> dict[str, Any]:
    """Those that mean something: prices made with hindsight are nobody's luck."""
    laws = {IF_PRICES: cells.prices, IF_MODEL: cells.model}
    if findings.bets.wealth.book == "constant":
        del laws[IF_PRICES]
    return {who: law for who, law in laws.items() if math.isfinite(law.sum())} or {IF_MODEL: cells.model}


def _observed(log_wealth: float) -> str:
    return "ruin" if log_wealth == -math.inf else money(log_wealth)


def _luck_says(findings: ForecastFindings, cells: LawCells, names: list[str]) -> str:
    bets, law = findings.bets, findings.final_law
    assert law is not None, LAW
    said = [f"The wealth at the end is {money(bets.wealth.log_wealth)}."]
    if bets.luck is not None and IF_PRICES in names:
        which = {"backing": " divided by their sum", "exchange": " inside the spread at which the model bets"}
        prices = f"If the prices{which.get(bets.wealth.book, '')} are right"
        said.append(f"{prices}, luck gives at least this with probability {probability_words(bets.luck)}.")
    beyond = dict(zip((IF_PRICES, IF_MODEL), cells.beyond, strict=True))
    for who in names:
        if beyond[who] > WORTH_SAYING:
            said.append(f"A share of {percent(beyond[who], 1)} {who} lies beyond the picture, ruin among it.")
    said.append(f"The laws are {'exact' if law.method == 'exact' else 'of ' + law.method}.")
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
        chosen = alt.selection_point(name="odds", fields=["odds"], bind="legend")
        order = [f"{odds:g}" for odds in DRAWN_ODDS]
        base = kit.base("stakes").encode(
            x=alt.X("probability:Q", axis=alt.Axis(format=".0%", values=[0, 0.5, 1]), title="probability"),
            color=alt.Color(
                "odds:N",
                sort=order,
                scale=alt.Scale(domain=order, range=list(SHADES)),
                legend=alt.Legend(title="decimal odds", symbolType="stroke", symbolStrokeWidth=3),
            ),
            tooltip=[
                alt.Tooltip("odds:N"),
                alt.Tooltip("probability:Q", format=".0%"),
                alt.Tooltip("back only:Q", format=".1%"),
                alt.Tooltip("back and lay:Q", format="+.1%"),
            ],
        )
        lines = base.mark_line(clip=True).encode(opacity=alt.condition(chosen, alt.value(1), alt.value(0.12)))
        zero = kit.once().mark_rule(opacity=0.5).encode(y=alt.datum(0))
        panels = []
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
                alt.layer(zero, lines.encode(y=y), touched).properties(
                    width=(WIDE - 90) // 2, height=HIGH - 40, title=what, name=what.replace(" ", "_")
                )
            )
        panels[0] = panels[0].add_params(chosen)
        return alt.hconcat(*panels, spacing=16)

    stake, even = float(surface[12, columns[2]]), 1 / DRAWN_ODDS[2]
    part = findings.bets.wealth.stake
    taken = "" if part == 1 else f" Here {part:g} of it was bet."
    return Chart(
        "stakes",
        "How much to stake",
        f"Kelly's stake is (O p − 1)/(O − 1) of the wealth at odds O and probability p: at odds of 2 and "
        f"{percent(float(STAKE_PROBABILITIES[12]))} it is {percent(stake)}. Below {percent(even)} there is "
        "nothing to back at these odds; one who may lay bets against it, the negative stakes. A click on an "
        f"entry of the legend shows these odds alone.{taken}",
        Later(find),
        draw,
        (
            Column("odds"),
            Column("probability", "percent"),
            Column("back only", "percent"),
            Column("back and lay", "percent"),
        ),
    )
