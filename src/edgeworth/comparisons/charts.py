"""Charts of comparisons: differences with intervals, who is right where, the race, ranks."""

from __future__ import annotations

from collections.abc import Sequence

from edgeworth.common.arrays import finite_or_none, plain_values
from edgeworth.common.json_types import JsonObject
from edgeworth.comparisons.findings import ComparisonFindings
from edgeworth.comparisons.leaderboard import drawn_charts, systems_chart
from edgeworth.comparisons.margin_chart import margin_chart
from edgeworth.core.amounts import is_share
from edgeworth.core.formatting import format_level, format_number, plural
from edgeworth.core.sampling_distributions import is_significant
from edgeworth.report.charts.axes import ticks
from edgeworth.report.charts.axis_names import (
    AXIS_LABEL_PIXELS,
    MAX_NAME_LENGTH,
    AxisNames,
    axis_names,
    distinct_names,
)
from edgeworth.report.charts.chart import FIRST, INK, SECOND, WIDTH, Chart, Kit, Rows
from edgeworth.report.report import Charts, Column, make_columns
from edgeworth.report.wording import describe_measure

MAX_LINES = 30
PIXELS_PER_LINE = 26
LEGEND_COLUMNS = 3
PAIRED_NAME_LENGTH = 16
"""Signs of a name that stands beside another one."""


def comparison_charts(findings: ComparisonFindings) -> Charts:
    """Draw the charts of a comparison."""
    drawn = drawn_charts(findings)
    charts = [systems_chart(findings)] if drawn["systems"] else []
    charts.append(_differences(findings))
    if findings.margin is not None:
        charts.append(margin_chart(findings))
    if drawn["leaderboard"]:
        charts.append(_leaderboard(findings))
    if findings.disagreements:
        charts.append(_disagreements(findings))
    if findings.race is not None and findings.race.paths:
        charts.append(_race(findings))
    return Charts(tuple(charts))


CLEAR, UNCLEAR = "clear", "not clear"
"""A difference is clear if test and interval show it, and nothing that the sample lacks could reverse it."""


def _differences(findings: ComparisonFindings) -> Chart:
    """Draw all measures of two systems, or the deciding measure of each pair of more systems."""
    is_pair = len(findings.names) == 2
    if is_pair:
        differences = list(findings.difference(*findings.ranked).values())
        names = axis_names(
            (describe_measure(difference.measure) for difference in differences), 2 * PAIRED_NAME_LENGTH
        )
        conclusive = [
            is_significant(difference.p_value(), findings.level) and difference.is_shown(findings.level)
            for difference in differences
        ]
    else:
        pairs = findings.ranked_pairs
        differences = [findings.difference(*pair)[findings.headline] for pair in pairs[:MAX_LINES]]
        names = _paired_names(findings.ranked, pairs[:MAX_LINES], "−")
        conclusive = [findings.is_conclusive(*pair) for pair in pairs]
    rows: list[JsonObject] = []
    for name, difference, is_apart in zip(names.names, differences, conclusive, strict=False):
        low, high = difference.interval(findings.level)
        row = {
            "what": name,
            "difference": difference.difference,
            "low": low,
            "high": high,
            "p": difference.p_value(),
        }
        rows.append(plain_values(row) | {"finding": CLEAR if is_apart else UNCLEAR})
    marks = ticks(row[key] for row in rows for key in ("difference", "low", "high"))
    what = f"difference of {describe_measure(findings.headline)}"
    are_shares = all(is_share(difference.measure) for difference in differences)
    number, apart = len(conclusive), sum(conclusive)
    verb = plural(apart, "differs", "differ")
    text = f"{apart} of {number:,} pairs {verb} clearly.{_cut(number, 'pairs')}"
    if is_pair:
        what = " − ".join(axis_names(findings.ranked).drawn)
        text = f"{apart} of {number} differences {plural(apart, 'is', 'are')} clear"
        text += f"; p-values are not adjusted for {number} measures."
        if number == 1:
            text = f"The difference is {'' if apart else 'not '}clear."

    def draw(kit: Kit) -> object:
        alt = kit.alt
        base = kit.base("differences").encode(
            y=alt.Y("what:N", sort=list(names.names), title=None, axis=_wide_axis(kit, names)),
            color=_two_colours(kit, "finding", [CLEAR, UNCLEAR]),
            tooltip=kit.tooltip(
                {"what": "", "difference": "+.4~g", "low": "+.4~g", "high": "+.4~g", "p": ".4~g"}
            ),
        )
        across = alt.X(
            "low:Q",
            title=f"{what}, points" if are_shares else what,
            scale=marks.scale(alt),
            axis=marks.points_axis(alt) if are_shares else marks.axis(alt, signed=True),
        )
        bars = base.mark_rule(strokeWidth=2, opacity=1).encode(x=across, x2="high:Q")
        dots = base.mark_point(filled=True, size=70, opacity=1).encode(x="difference:Q")
        zero = kit.once().mark_rule(strokeDash=[4, 3], color=INK, opacity=0.6)
        return (zero.encode(x=alt.datum(0)) + bars + dots).properties(
            width=WIDTH, height=PIXELS_PER_LINE * len(rows)
        )

    return Chart(
        "differences",
        f"Differences with {format_level(findings.level)} intervals",
        text,
        {"differences": tuple(rows)},
        draw,
        make_columns("what/text", "difference", "low", "high", "p/probability", "finding/text"),
    )


def _two_colours(kit: Kit, column: str, values: list[str], second: str = "#8a8f98") -> object:
    """Return the first of two values the first colour."""
    scale = kit.alt.Scale(domain=values, range=[FIRST, second])
    return kit.alt.Color(f"{column}:N", scale=scale, legend=kit.alt.Legend(title=None))


def _cut(number: int, what: str) -> str:
    return "" if number <= MAX_LINES else f" The first {MAX_LINES} of {number:,} {what} are drawn."


def _paired_names(systems: Sequence[str], pairs: Sequence[tuple[str, str]], sign: str) -> AxisNames:
    """Join the names of two systems as an axis shows them."""
    shown_names = axis_names(systems, PAIRED_NAME_LENGTH)
    position = {name: index for index, name in enumerate(systems)}

    def joined(names: Sequence[str], most: int) -> tuple[str, ...]:
        return distinct_names((f"{names[position[a]]} {sign} {names[position[b]]}" for a, b in pairs), most)

    # Each name was cut already: 10 signs more leave room for what makes equal ones different.
    return AxisNames(
        joined(shown_names.names, 2 * MAX_NAME_LENGTH + 10),
        joined(shown_names.drawn, 2 * PAIRED_NAME_LENGTH + 10),
    )


def _wide_axis(kit: Kit, names: AxisNames) -> object:
    """Make room for the names of pairs."""
    return kit.alt.Axis(**{**names.options, "labelLimit": 2 * AXIS_LABEL_PIXELS})


LETTER_SHARE = 0.03
"""The width of a letter beside a rank, as a share of the axis of a phone."""


def _rank_ticks(number: int) -> list[int]:
    """Choose the ranks that have a tick: the first, the last, and about four between them.

    >>> _rank_ticks(3), _rank_ticks(12)
    ([1, 2, 3], [1, 4, 7, 10, 12])
    """
    step = max(1, round((number - 1) / 4))
    ranks = list(range(1, number, step))
    return [*(rank for rank in ranks if rank == 1 or number - rank > step / 2), number]


def _leaderboard(findings: ComparisonFindings) -> Chart:
    """Draw the systems by rank: the places that each may have, its value and its letters."""
    letters, number = findings.letters, len(findings.ranks)
    ranks = dict(list(findings.ranks.items())[:MAX_LINES])
    names = axis_names(ranks)
    systems: Rows = tuple(
        {
            "system": label,
            "place": position,
            "best": best,
            "worst": worst,
            "value": finite_or_none(findings.values[name][findings.headline]),
            "letters": letters[name],
            "finding": "tied for first" if best == 1 else "not first",
        }
        for position, (label, (name, (best, worst))) in enumerate(
            zip(names.names, ranks.items(), strict=True), start=1
        )
    )

    def draw(kit: Kit) -> object:
        alt = kit.alt
        base = kit.base("leaderboard").encode(
            y=alt.Y("system:N", sort=list(names.names), title=None, axis=alt.Axis(**names.options)),
            color=_two_colours(kit, "finding", ["tied for first", "not first"]),
            tooltip=kit.tooltip({"system": "", "value": ".4f", "best": "", "worst": "", "letters": ""}),
        )
        # Letters stand beyond the last rank, so the axis has room for them.
        room = 0.5 + number * LETTER_SHARE * max(len(text) for text in letters.values())
        scale = alt.Scale(domain=[0.5, number + room], nice=False)
        axis = alt.Axis(tickMinStep=1, format="d", values=_rank_ticks(number))
        bars = base.mark_rule(strokeWidth=6, opacity=0.45, strokeCap="round").encode(
            x=alt.X("best:Q", title="rank", scale=scale, axis=axis), x2="worst:Q"
        )
        dots = base.mark_point(filled=True, size=70, opacity=1).encode(x="place:Q")
        texts = base.mark_text(align="left", dx=8, dy=-8).encode(x="worst:Q", text="letters:N")
        return (bars + dots + texts).properties(width=WIDTH, height=PIXELS_PER_LINE * len(systems))

    tied = [name for name, row in zip(names.drawn, systems, strict=True) if row["best"] == 1]
    first = f"{'First' if len(tied) == 1 else 'Tied for first'}: {', '.join(tied)}."
    return Chart(
        "leaderboard",
        f"Ranks with {format_level(findings.level)} intervals, by {describe_measure(findings.headline)}",
        f"{first} Systems that share a letter do not differ significantly." + _cut(number, "systems"),
        {"leaderboard": systems},
        draw,
        make_columns("system/text", "place/count", "best/count", "worst/count", "value", "letters/text"),
    )


def _disagreements(findings: ComparisonFindings) -> Chart:
    """Draw where only one of a pair is right."""
    every = findings.ranked_disagreements
    shown = every[:MAX_LINES]
    pairs = [(str(disagreement["first"]), str(disagreement["second"])) for disagreement in shown]
    names = _paired_names(list(dict.fromkeys(name for pair in pairs for name in pair)), pairs, "–")
    sides = {"first": -1, "second": 1}
    is_one = len(pairs) == 1
    systems = axis_names(pairs[0], PAIRED_NAME_LENGTH).drawn if is_one else ("the first", "the second")
    labels = {side: f"only {system}" for side, system in zip(sides, systems, strict=True)}
    drawn: Rows = tuple(
        {"pair": pair, "who": labels[side], "cases": cases, "side": sign, "drawn": sign * cases}
        for pair, disagreement in zip(names.names, shown, strict=True)
        for side, sign in sides.items()
        for cases in (
            disagreement["only_first_right"] if side == "first" else disagreement["only_second_right"],
        )
    )
    marks = ticks((row["drawn"] for row in drawn), whole=True)

    def draw(kit: Kit) -> object:
        alt, title = kit.alt, "cases on which only one system is right"
        return (
            kit.base("disagreements")
            .mark_bar(cornerRadius=2)
            .encode(
                x=alt.X("drawn:Q", title=title, scale=marks.scale(alt), axis=marks.axis(alt, unsigned=True)),
                y=alt.Y(
                    "pair:N",
                    sort=list(names.names),
                    title=None,
                    axis=None if is_one else _wide_axis(kit, names),  # the legend names the two of one pair
                ),
                color=_two_colours(kit, "who", list(labels.values()), SECOND),
                tooltip=kit.tooltip({"pair": "", "who": "", "cases": ",~g"}),
            )
            .properties(width=WIDTH, height=PIXELS_PER_LINE * len(pairs))
        )

    disagreement = shown[0]
    first, second = disagreement["first"], disagreement["second"]
    begins = "Only" if len(every) == 1 else "Between the two leaders, only"
    return Chart(
        "disagreements",
        "Cases on which only one system is right",
        f"{begins} {first} is right on {disagreement['only_first_right']:,.6g} cases and only {second} on "
        f"{disagreement['only_second_right']:,.6g}." + _cut(len(every), "pairs"),
        {"disagreements": drawn},
        draw,
        (Column("pair"), Column("who"), Column("cases", "count")),
    )


def _race(findings: ComparisonFindings) -> Chart:
    """Draw the log wealth of the leading system against each other one."""
    race = findings.race
    assert race is not None
    leader, *others = race.standings
    names = axis_names(others)
    rows = tuple(
        {"cases": position, "against": short, "log wealth": finite_or_none(value)}
        for name, short in zip(others, names.names, strict=True)
        for position, value in zip(race.positions.tolist(), race.path(leader, name).tolist(), strict=True)
    )

    def draw(kit: Kit) -> object:
        alt = kit.alt
        legend = alt.Legend(title="against", columns=LEGEND_COLUMNS, **names.options)
        lines = (
            kit.base("race")
            .mark_line()
            .encode(
                x=alt.X("cases:Q", title="cases"),
                y=alt.Y("log wealth:Q", title=f"log e-value of {axis_names([leader]).drawn[0]}"),
                color=alt.Color("against:N", sort=list(names.names), legend=legend),
                tooltip=kit.tooltip({"cases": ",", "against": "", "log wealth": ".2f"}),
            )
        )
        zero = kit.once().mark_rule(strokeDash=[4, 3], color=INK, opacity=0.6)
        return (zero.encode(y=alt.datum(0)) + lines).properties(width=WIDTH, height=280)

    ends = "; ".join(f"against {name} {format_number(race.against(leader, name))}" for name in others[:8])
    return Chart(
        "race",
        "Evidence as cases come in",
        f"Final log e-value of {leader}: {ends}.",
        {"race": rows},
        draw,
        (Column("cases", "count"), Column("against"), Column("log wealth", "number")),
    )
