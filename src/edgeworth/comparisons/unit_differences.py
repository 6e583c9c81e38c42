"""Where two systems differ query by query: wins, ties, losses, and the largest gains and losses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from edgeworth.common.json_types import JsonObject
from edgeworth.core.formatting import plural, shorten
from edgeworth.report.charts.axes import ticks
from edgeworth.report.charts.chart import FIRST, SECOND, WIDTH, Chart, Kit
from edgeworth.report.report import Cell, Grid, Section, make_columns
from edgeworth.report.wording import describe_measure

MAX_GAINS_SHOWN = 10
"""Queries that gained most, and as many that lost most, in a table of all systems."""

MIN_GAINS_SHOWN = 2
"""The same for each of many systems."""

MAX_SYSTEMS_DRAWN = 6
"""Systems that have a panel of their own in the chart."""

MAX_NAME_LENGTH = 30
"""Characters of a system's name above its panel."""

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
    most = max(MIN_GAINS_SHOWN, MAX_GAINS_SHOWN // max(len(others), 1))
    for name in others:
        differences = unit_differences(values, reference, name)
        counts.append((name, *count_wins(differences)))
        moved = [item for item in differences.items() if abs(item[1]) > SAME_VALUE]
        shown = dict(moved[:most] + moved[-most:])
        changes += [
            (name, query, values[name][query], values[reference][query], difference)
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
        heads = ("system/text", f"{unit}/text", words, f"{words} of {reference}", "difference")
        note = f"the {plural(2, unit)} that gained and lost most; --per-query FILE writes all of them"
        grids.append(Grid(f"Largest differences in {words}", make_columns(*heads), tuple(changes), note))
    return Section(f"{unit.capitalize()} by {unit}", (), tuple(grids), tuple(charts))


def unit_chart(values: UnitValues, reference: str, measure: str, *, unit: str) -> Chart:
    """Draw each system's difference in each query, sorted, gains in one colour and losses in another."""
    others = [name for name in values if name != reference]
    drawn = others[:MAX_SYSTEMS_DRAWN]
    differences = {name: unit_differences(values, reference, name) for name in drawn}
    rows: list[JsonObject] = [
        {
            "system": name,
            unit: query,
            "position": position,
            "difference": value,
            "result": "gain" if value > 0 else "loss",
        }
        for name in drawn
        for position, (query, value) in enumerate(differences[name].items(), 1)
    ]
    number = max((len(own) for own in differences.values()), default=0)
    marks = ticks(value for own in differences.values() for value in own.values())
    words = describe_measure(measure)

    def panel(kit: Kit, name: str) -> object:
        alt, is_last = kit.alt, name == drawn[-1]
        colours = alt.Scale(domain=["gain", "loss"], range=[FIRST, SECOND])
        return (
            kit.base("unit_differences")
            .transform_filter(alt.datum.system == name)
            .mark_bar(size=max(1, min(14, WIDTH // max(number, 1) - 1)))
            .encode(
                x=alt.X(
                    "position:Q",
                    title=f"{plural(2, unit)}, the largest gain first" if is_last else None,
                    axis=alt.Axis(tickMinStep=1),
                    scale=alt.Scale(domain=[0, number + 1], nice=False),
                ),
                y=alt.Y(
                    "difference:Q",
                    title="difference" if len(drawn) > 1 else f"difference in {words}",
                    scale=marks.scale(alt),
                    axis=marks.axis(alt, signed=True),
                ),
                color=alt.Color("result:N", scale=colours, legend=None),
                tooltip=kit.tooltip({unit: "", "difference": "+.4~g"}),
            )
            .properties(
                width=WIDTH,
                height=220 if len(drawn) == 1 else 120,
                **(
                    {}
                    if len(drawn) == 1
                    else {
                        "title": f"{shorten(name, MAX_NAME_LENGTH)} − {shorten(reference, MAX_NAME_LENGTH)}"
                    }
                ),
            )
        )

    def draw(kit: Kit) -> object:
        panels = [panel(kit, name) for name in drawn]
        return panels[0] if len(panels) == 1 else kit.alt.vconcat(*panels, spacing=12)

    sentences = [_describe_wins(own, name, reference, unit) for name, own in differences.items()]
    if len(drawn) < len(others):
        sentences.append(f"The first {len(drawn)} of {len(others)} systems are drawn.")
    difference = f"{drawn[0]} − {reference}" if len(drawn) == 1 else f"Differences from {reference}"
    return Chart(
        "unit_differences",
        f"{difference}, {unit} by {unit}",
        " ".join(sentences),
        {"unit_differences": tuple(rows)},
        draw,
        make_columns("system/text", f"{unit}/text", "difference"),
    )


def _describe_wins(differences: Mapping[str, float], system: str, reference: str, unit: str) -> str:
    """Count in words."""
    wins, ties, losses = count_wins(differences)
    return (
        f"{system} is better in {wins} of {len(differences)} {plural(len(differences), unit)}, "
        f"{reference} in {losses}; {ties} {plural(ties, 'tie', 'ties')}."
    )
