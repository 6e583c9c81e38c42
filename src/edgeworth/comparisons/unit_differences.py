"""Where two systems differ query by query: wins, ties, losses, and the largest gains and losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from edgeworth.common.json_types import JsonObject
from edgeworth.core.formatting import plural
from edgeworth.report.charts.axes import ticks
from edgeworth.report.charts.chart import FIRST, SECOND, WIDTH, Chart, Kit
from edgeworth.report.report import Cell, Grid, Section, make_columns
from edgeworth.report.wording import describe_measure

MAX_GAINS_SHOWN = 10
"""Queries that gained most, and as many that lost most, in a table."""

SAME_VALUE = 1e-9
"""Values closer than this tie: they differ by rounding alone."""

UnitValues = Mapping[str, Mapping[str, float]]
"""The value of each unit (query), by system."""


def unit_differences(values: UnitValues, reference: str, system: str) -> dict[str, float]:
    """Subtract the reference from the system for each query that both have, the largest gain first."""
    own, other = values[system], values[reference]
    differences = {unit: own[unit] - other[unit] for unit in own if unit in other}
    return dict(sorted(differences.items(), key=lambda item: -item[1]))


def count_wins(differences: Mapping[str, float]) -> tuple[int, int, int]:
    """Count wins, ties and losses.

    >>> count_wins({"a": 0.2, "b": 0.0, "c": -0.1, "d": 0.3})
    (2, 1, 1)
    """
    wins = sum(value > SAME_VALUE for value in differences.values())
    losses = sum(value < -SAME_VALUE for value in differences.values())
    return wins, len(differences) - wins - losses, losses


def unit_section(
    values: UnitValues, reference: str, measure: str, *, unit: str, charts: Sequence[str]
) -> Section:
    """Report wins, ties and losses of each system against the reference, and the largest gains and losses."""
    others = [name for name in values if name != reference]
    counts: list[tuple[Cell, ...]] = []
    changes: list[tuple[Cell, ...]] = []
    for name in others:
        differences = unit_differences(values, reference, name)
        counts.append((name, *count_wins(differences)))
        moved = [item for item in differences.items() if abs(item[1]) > SAME_VALUE]
        shown = dict(moved[:MAX_GAINS_SHOWN] + moved[-MAX_GAINS_SHOWN:])
        if len(others) == 1:
            changes += [
                (query, values[name][query], values[reference][query], difference)
                for query, difference in shown.items()
            ]
    words = describe_measure(measure)
    grids = [
        Grid(
            f"Against {reference}, by {words}",
            make_columns("system/text", "wins/count", "ties/count", "losses/count"),
            tuple(counts),
        )
    ]
    if changes:
        heads = (f"{unit}/text", others[0], reference, "difference")
        note = f"the {plural(2, unit)} that gained and lost most; --per-query FILE writes all of them"
        grids.append(Grid(f"Largest differences in {words}", make_columns(*heads), tuple(changes), note))
    return Section(f"{unit.capitalize()} by {unit}", (), tuple(grids), tuple(charts))


def unit_chart(values: UnitValues, reference: str, system: str, measure: str, *, unit: str) -> Chart:
    """Draw the difference in each query, sorted, gains in one colour and losses in another."""
    differences = unit_differences(values, reference, system)
    rows: list[JsonObject] = [
        {unit: name, "position": position, "difference": value, "result": "gain" if value > 0 else "loss"}
        for position, (name, value) in enumerate(differences.items(), 1)
    ]
    wins, ties, losses = count_wins(differences)
    marks = ticks(differences.values())
    words = describe_measure(measure)

    def draw(kit: Kit) -> object:
        alt = kit.alt
        colours = alt.Scale(domain=["gain", "loss"], range=[FIRST, SECOND])
        return (
            kit.base("unit_differences")
            .mark_bar(size=max(1, min(14, WIDTH // max(len(rows), 1) - 1)))
            .encode(
                x=alt.X(
                    "position:Q",
                    title=f"{plural(2, unit)}, the largest gain first",
                    axis=alt.Axis(tickMinStep=1),
                ),
                y=alt.Y(
                    "difference:Q",
                    title=f"difference in {words}",
                    scale=marks.scale(alt),
                    axis=marks.axis(alt, signed=True),
                ),
                color=alt.Color("result:N", scale=colours, legend=None),
                tooltip=kit.tooltip({unit: "", "difference": "+.4~g"}),
            )
            .properties(width=WIDTH, height=220)
        )

    text = (
        f"{system} is better in {wins} of {len(differences)} {plural(len(differences), unit)}, "
        f"{reference} in {losses}; {ties} {plural(ties, 'tie', 'ties')}."
    )
    return Chart(
        "unit_differences",
        f"{system} − {reference}, {unit} by {unit}",
        text,
        {"unit_differences": tuple(rows)},
        draw,
        make_columns(f"{unit}/text", "difference"),
    )
