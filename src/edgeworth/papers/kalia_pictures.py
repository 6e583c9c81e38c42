"""Draw the figures of Kalia 2011 in the paper's form: surfaces of stakes, returns, paths and scatters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from edgeworth.bet.kelly import kelly_game
from edgeworth.common.arrays import Floats, Integers
from edgeworth.forecasts.betting.wealth import Wealth
from edgeworth.forecasts.case_charts import ScatterPanel, paths_chart, scatter_chart
from edgeworth.report.charts.axes import HIGH, WIDE, picture_rows
from edgeworth.report.charts.chart import FIRST, Chart, Kit, Rows
from edgeworth.report.report import Column, LazyMapping

PROBABILITIES = np.linspace(0.05, 0.95, 37)
SURFACE_ODDS = np.linspace(1.3, 4.0, 28)
"""The odds over which the paper draws its surfaces."""


def prediction_chart() -> Chart:
    """Draw Figure 1: two predictive distributions with one likeliest class."""
    models = {"Model A": (0.05, 0.9, 0.05), "Model B": (0.3, 0.4, 0.3)}

    def find() -> Mapping[str, Rows]:
        return {
            "predictions": tuple(
                {"model": model, "class": name, "probability": share}
                for model, shares in models.items()
                for name, share in zip("123", shares, strict=True)
            )
        }

    def draw(kit: Kit) -> object:
        alt = kit.alt
        bars = (
            kit.base("predictions")
            .mark_bar(color=FIRST)
            .encode(
                x=alt.X("class:N", axis=alt.Axis(labelAngle=0)),
                y=alt.Y(
                    "probability:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%", tickCount=4)
                ),
                row=alt.Row("model:N", title=None),
            )
        )
        return bars.properties(width=WIDE - 60, height=HIGH // 2 - 20)

    return Chart(
        "figure_1_predictions",
        "Figure 1: two models, one likeliest class",
        "Model A is nearly certain of class 2, and model B is not. Both have the same likeliest class, so "
        "they have the same error.",
        LazyMapping(find),
        draw,
        (Column("model"), Column("class"), Column("probability", "percent")),
    )


def surface_chart() -> Chart:
    """Draw Figures 2 and 3: Kelly's fraction over probabilities and odds, with lays and without."""
    p, odds = (grid.ravel() for grid in np.meshgrid(PROBABILITIES, SURFACE_ODDS))
    stakes = kelly_game(p, odds)

    def find() -> Mapping[str, Rows]:
        return {
            "surface": picture_rows(
                {"probability": p, "odds": odds, "back and lay": stakes, "back only": np.maximum(stakes, 0.0)}
            )
        }

    def draw(kit: Kit) -> object:
        alt = kit.alt
        panels: list[object] = []
        for what, lowest in (("back and lay", -2.0), ("back only", 0.0)):
            cells = (
                kit.base("surface")
                .mark_rect()
                .encode(
                    x=alt.X("probability:O", axis=alt.Axis(format=".2~f", labelOverlap=True, labelAngle=0)),
                    y=alt.Y("odds:O", sort="descending", axis=alt.Axis(format=".1f", labelOverlap=True)),
                    color=alt.Color(
                        f"{what}:Q",
                        title="fraction",
                        scale=alt.Scale(scheme="blueorange", domain=[lowest, 1], domainMid=0, clamp=True),
                    ),
                    tooltip=kit.tooltip({"probability": ".2f", "odds": ".1f", what: "+.2f"}),
                )
            )
            panels.append(cells.properties(width=(WIDE - 90) // 2, height=HIGH - 60, title=what))
        return alt.hconcat(*panels, spacing=30).resolve_scale(color="independent")

    return Chart(
        "figures_2_3_surface",
        "Figures 2 and 3: the fraction that is staked, by probability and odds",
        "The fraction of wealth is (O p − 1)/(O − 1). It is 0 if O p = 1. A negative fraction means a lay "
        "(a bet against the outcome); if lays are not allowed, it is 0 instead.",
        LazyMapping(find),
        draw,
        (
            Column("probability", "number"),
            Column("odds", "number"),
            *map(_number, ("back and lay", "back only")),
        ),
    )


def _number(name: str) -> Column:
    return Column(name, "number")


def pictures(experiments: Mapping[str, tuple[Integers, Floats, Floats]], seed: int) -> Iterable[Chart]:
    """Draw the pictures of two experiments: what happened, the model's probabilities, and the bookmaker's."""
    yield prediction_chart()
    yield surface_chart()
    for data, paths, scatter in (
        ("simulated", "figure_4", "figure_5"),
        ("births", "figures_6_7", "figure_8"),
    ):
        truth, model, rival = experiments[data]
        # As in the paper, the cases are in random order; the file of births is sorted by outcome.
        wealth = Wealth.from_probabilities(truth, model, against=rival).shuffle(seed)
        words = paths.replace("_", " ", 1).replace("_", " and ").capitalize()
        yield paths_chart(f"{paths}_paths", f"{words}: {data}, returns and wealth", wealth)
        named = scatter.replace("_", " ").capitalize()
        panel = ScatterPanel("", truth == 1, model, rival)
        title = f"{named}: {data}, case by case"
        yield scatter_chart(f"{scatter}_scatter", title, (panel,), ("the model", "the bookmaker"))


PICTURES = (
    "figure_1_predictions",
    "figures_2_3_surface",
    "figure_4_paths",
    "figure_5_scatter",
    "figures_6_7_paths",
    "figure_8_scatter",
)
