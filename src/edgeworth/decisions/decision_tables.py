"""Tables of decisions as pictures: the contingency table and the bookmaker's dollars, square by square."""

from __future__ import annotations

from typing import Any

from edgeworth.arrays import finite_or_none, ratio
from edgeworth.decisions.findings import DecisionFindings
from edgeworth.report.charts.chart import Chart, Kit, Rows
from edgeworth.report.charts.names import DrawnNames, drawn_names
from edgeworth.report.charts.theme import GAINS, INK, ON_SQUARES, SHARES
from edgeworth.report.report import Column

SQUARE_NAMES = 18
"""Signs of a name above a table, where it stands at a slope."""

SIGN = 7
"""Points that a sign of a name takes, at most times."""

FIGURES_OF_COUNTS, FIGURES_OF_DOLLARS = 12, 8
"""Labels up to which the squares have room for figures."""


def contingency_chart(findings: DecisionFindings) -> Chart:
    """What was predicted against what it really was; a square's colour is its share of the real class."""
    table = findings.table
    names = drawn_names(table.labels, SQUARE_NAMES)
    labels, counts = names.names, table.counts.tolist()
    shares = ratio(table.counts, table.real).tolist()
    rows = tuple(
        {
            "predicted": labels[row],
            "real": labels[column],
            "cases": counts[row][column],
            "share of real": finite_or_none(shares[row][column]),
        }
        for row in range(len(labels))
        for column in range(len(labels))
    )

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        squares = kit.base("contingency").encode(
            x=alt.X("real:N", sort=list(labels), title="really", axis=_top(alt, names)),
            y=alt.Y("predicted:N", sort=list(labels), title="predicted", axis=_left(alt, names)),
            tooltip=[
                alt.Tooltip("predicted:N"),
                alt.Tooltip("real:N"),
                alt.Tooltip("cases:Q", format=","),
                alt.Tooltip("share of real:Q", format=".1%"),
            ],
        )
        colour = alt.Color(
            "share of real:Q",
            scale=alt.Scale(range=list(SHARES), domain=[0, 1]),
            legend=alt.Legend(title="share of the real class", format=".0%", gradientLength=160),
        )
        figures = ("cases:Q", ",.6~g") if len(labels) <= FIGURES_OF_COUNTS else None
        return _squares(alt, squares, colour, "share of real", figures, len(labels))

    right = sum(counts[place][place] for place in range(len(labels)))
    return Chart(
        "contingency",
        "What was predicted, and what it really was",
        f"{right:,.6g} of {table.total:,.6g} decided cases are on the diagonal: the prediction was right."
        + names.said,
        {"contingency": rows},
        draw,
        (Column("predicted"), Column("real"), Column("cases", "count"), Column("share of real", "percent")),
    )


def dollars_chart(findings: DecisionFindings) -> Chart:
    """The dollars of each bet by what came in."""
    money = findings.payoffs
    names = drawn_names(money.labels, SQUARE_NAMES)
    labels, cells = names.names, money.cells.tolist()
    rows: Rows = tuple(
        {
            "bet on": labels[row],
            "comes in": labels[column],
            "dollars": finite_or_none(cells[row][column]),
            "odds": finite_or_none(float(money.odds[row])),
        }
        for row in range(len(labels))
        for column in range(len(labels))
    )
    most = max((abs(row["dollars"]) for row in rows if row["dollars"] is not None), default=0.0) or 1.0

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        squares = kit.base("dollars").encode(
            x=alt.X("comes in:N", sort=list(labels), title="comes in", axis=_top(alt, names)),
            y=alt.Y("bet on:N", sort=list(labels), title="bet on", axis=_left(alt, names)),
            tooltip=[
                alt.Tooltip("bet on:N"),
                alt.Tooltip("comes in:N"),
                alt.Tooltip("dollars:Q", format="$,.2f"),
                alt.Tooltip("odds:Q", format=".2f", title="fair odds"),
            ],
        )
        # As far to either side: a dollar lost is as dark as a dollar won.
        colour = alt.Color(
            "dollars:Q",
            scale=alt.Scale(range=list(GAINS), domain=[-most, 0, most]),
            legend=alt.Legend(
                title="dollars lost (orange) and won (blue)",
                format="$,.0f" if most >= 2 else "$,.2f",
                values=[-most, 0, most],
                gradientLength=160,
            ),
        )
        figures = ("dollars:Q", "$,.2f") if len(labels) <= FIGURES_OF_DOLLARS else None
        return _squares(alt, squares, colour, "dollars", figures, len(labels))

    total = "nothing that can be counted" if money.total != money.total else f"${money.total:,.2f}"
    return Chart(
        "bookmaker",
        "What each bet won and lost at fair odds",
        f"With ${money.pool:g} in the pool of each bet, the predictions earn {total} in all.{names.said}",
        {"dollars": rows},
        draw,
        (Column("bet on"), Column("comes in"), Column("dollars", "dollars"), Column("odds", "number")),
    )


def _squares(
    alt: Any, base: Any, colour: Any, shade: str, figures: tuple[str, str] | None, labels: int
) -> Any:
    """Coloured squares, with figures where there is room; where there is no value there is no square."""
    # Round corners take five times the room on a page, and are not seen on small squares.
    squares = base.mark_rect(cornerRadius=2 if labels <= FIGURES_OF_COUNTS else 0)
    drawn = squares.encode(color=colour)
    if figures is not None:
        field, form = figures
        drawn += base.mark_text().encode(
            text=alt.Text(field, format=form),
            color=alt.condition(f"isValid(datum[{shade!r}])", alt.value(ON_SQUARES), alt.value(INK)),
        )
    size = labels * _side(labels)
    return drawn.properties(width=size, height=size)


def _side(labels: int) -> int:
    """The side of a square, in whole points: between others seams would show."""
    wide = 56 if labels <= FIGURES_OF_DOLLARS else 36 if labels <= FIGURES_OF_COUNTS else 22
    return max(160 // labels, min(wide, 520 // labels))


def _top(alt: Any, names: DrawnNames) -> Any:
    """An axis above a square table; long names stand at a slope."""
    is_long = SIGN * max(map(len, names.drawn)) > _side(len(names.drawn))
    # Every name: without this the axis leaves out some of many, and a table needs all its heads.
    return alt.Axis(orient="top", labelAngle=-45 if is_long else 0, labelOverlap=False, **names.options)


def _left(alt: Any, names: DrawnNames) -> Any:
    return alt.Axis(**names.options)
