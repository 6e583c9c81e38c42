"""Charts of comparisons: differences with intervals, who is right where, the race, groups told apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from edgeworth.inference.comparing import ComparisonFindings
from edgeworth.measures.views import finite_or_none
from edgeworth.reports.charts.chart import Chart, Charts, Kit
from edgeworth.reports.charts.theme import FIRST, INK, SECOND, WIDTH
from edgeworth.reports.comparison_words import called
from edgeworth.reports.report import Column
from edgeworth.reports.wording import level_said, short_names, shortened

MOST_LINES = 30
STEP = 26


def comparison_charts(findings: ComparisonFindings) -> Charts:
    """The charts of a comparison."""
    charts = [_differences(findings)]
    if len(findings.names) > 2:
        charts.append(_groups(findings))
    if findings.disagreements:
        charts.append(_disagreements(findings))
    if findings.race is not None and findings.race.paths:
        charts.append(_race(findings))
    return Charts(tuple(charts))


def _differences(findings: ComparisonFindings) -> Chart:
    """Measures of two systems; of more, pairs by the measure to go by."""
    is_pair = len(findings.names) == 2
    if is_pair:
        found = list(next(iter(findings.pairs.values())).values())
        names = [called(each.measure) for each in found]
        settled = [each.p_value() < 1 - findings.level for each in found]
    else:
        pairs = _ranked_pairs(findings)
        found = [findings.difference(*pair)[findings.headline] for pair in pairs]
        names = [f"{shortened(a, 30)} − {shortened(b, 30)}" for a, b in pairs]
        settled = [findings.is_settled(*pair) for pair in pairs]
    rows = []
    for name, each, is_settled in list(zip(short_names(names, 60), found, settled, strict=True))[:MOST_LINES]:
        low, high = each.interval(findings.level)
        rows.append(
            {
                "what": name,
                "difference": finite_or_none(each.difference),
                "low": finite_or_none(low),
                "high": finite_or_none(high),
                "p": finite_or_none(each.p_value()),
                "told apart": "told apart" if is_settled else "not told apart",
            }
        )
    first, second = findings.names[:2]
    what = f"{first} less {second}" if is_pair else f"difference of {called(findings.headline)}"
    apart = sum(settled)
    return Chart(
        "differences",
        f"Differences with {level_said(findings.level)} intervals",
        f"{apart} of {len(settled)} {'measures' if is_pair else 'pairs'} tell "
        f"{f'{first} and {second}' if is_pair else 'two systems'} apart.",
        {"differences": tuple(rows)},
        _forest([row["what"] for row in rows], what),
        (
            Column("what"),
            *(Column(name, "number") for name in ("difference", "low", "high")),
            Column("p", "probability"),
            Column("told apart"),
        ),
    )


def _forest(order: list[Any], title: str) -> Callable[[Kit], Any]:
    def draw(kit: Kit) -> Any:
        alt = kit.alt
        base = kit.base("differences").encode(
            y=alt.Y("what:N", sort=order, title=None, axis=alt.Axis(labelLimit=260)),
            color=alt.Color(
                "told apart:N",
                scale=alt.Scale(domain=["told apart", "not told apart"], range=[FIRST, "#8a8f98"]),
                legend=alt.Legend(title=None),
            ),
            tooltip=[
                alt.Tooltip("what:N"),
                *(alt.Tooltip(f"{name}:Q", format="+.3f") for name in ("difference", "low", "high")),
                alt.Tooltip("p:Q", format=".2~g"),
            ],
        )
        bars = base.mark_rule(strokeWidth=3, opacity=0.6).encode(x=alt.X("low:Q", title=title), x2="high:Q")
        dots = base.mark_point(filled=True, size=70, opacity=1).encode(x="difference:Q")
        zero = kit.once().mark_rule(strokeDash=[4, 3], color=INK, opacity=0.6)
        return (zero.encode(x=alt.datum(0)) + bars + dots).properties(width=WIDTH, height=alt.Step(STEP))

    return draw


def _groups(findings: ComparisonFindings) -> Chart:
    """Systems by rank; a bar for each group of those that cannot be told apart."""
    ranked = findings.ranked[:MOST_LINES]
    names = dict(zip(ranked, short_names(ranked), strict=True))
    letters = findings.letters
    systems = tuple(
        {
            "system": names[name],
            "value": finite_or_none(findings.values[name][findings.headline]),
            "groups": letters[name],
        }
        for name in ranked
    )
    order = [row["system"] for row in systems]

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        base = kit.base("groups").encode(y=alt.Y("system:N", sort=order, title=None))
        bars = base.mark_bar(color=FIRST, opacity=0.85, cornerRadius=2).encode(
            x=alt.X("value:Q", title=called(findings.headline)),
            tooltip=[
                alt.Tooltip("system:N"),
                alt.Tooltip("value:Q", format=".4f"),
                alt.Tooltip("groups:N"),
            ],
        )
        texts = base.mark_text(align="left", dx=6).encode(x="value:Q", text="groups:N")
        return (bars + texts).properties(width=WIDTH, height=alt.Step(STEP))

    return Chart(
        "groups",
        "Groups that cannot be told apart",
        "Systems that share a letter cannot be told apart: "
        + "; ".join(f"{row['system']} {row['groups']}" for row in systems[:10])
        + ".",
        {"groups": systems},
        draw,
        (Column("system"), Column("value", "number"), Column("groups")),
    )


def _disagreements(findings: ComparisonFindings) -> Chart:
    """Where one is right and the other is not, pair by pair."""
    rows = []
    for one in findings.disagreements[:MOST_LINES]:
        first, second = (shortened(one[key], 30) for key in ("first", "second"))
        pair = f"{first} – {second}"
        rows += [
            {"pair": pair, "who": "only the first is right", "cases": one["only_first_right"], "side": -1},
            {"pair": pair, "who": "only the second is right", "cases": one["only_second_right"], "side": 1},
        ]
    drawn = tuple(row | {"drawn": row["side"] * row["cases"]} for row in rows)
    order = list(dict.fromkeys(row["pair"] for row in rows))

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        return (
            kit.base("disagreements")
            .mark_bar(cornerRadius=2)
            .encode(
                x=alt.X(
                    "drawn:Q",
                    title="cases on which only one is right",
                    axis=alt.Axis(labelExpr="format(abs(datum.value), ',~g')"),
                ),
                y=alt.Y("pair:N", sort=order, title=None, axis=alt.Axis(labelLimit=260)),
                color=alt.Color(
                    "who:N",
                    scale=alt.Scale(
                        domain=["only the first is right", "only the second is right"], range=[FIRST, SECOND]
                    ),
                    legend=alt.Legend(title=None),
                ),
                tooltip=[alt.Tooltip("pair:N"), alt.Tooltip("who:N"), alt.Tooltip("cases:Q", format=",~g")],
            )
            .properties(width=WIDTH, height=alt.Step(STEP))
        )

    one = findings.disagreements[0]
    return Chart(
        "disagreements",
        "Where only one of them is right",
        f"Only {one['first']} is right on {one['only_first_right']:,.6g} cases, only {one['second']} on "
        f"{one['only_second_right']:,.6g}.",
        {"disagreements": drawn},
        draw,
        (Column("pair"), Column("who"), Column("cases", "count")),
    )


def _race(findings: ComparisonFindings) -> Chart:
    """Log wealth on the way: of the system ahead against each other one."""
    race = findings.race
    assert race is not None
    leader, *others = race.standings
    rows = []
    for name, short in zip(others, short_names(others), strict=True):
        for position, value in zip(race.positions.tolist(), race.path(leader, name).tolist(), strict=True):
            rows.append({"cases": position, "against": short, "log wealth": finite_or_none(value)})

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        lines = (
            kit.base("race")
            .mark_line()
            .encode(
                x=alt.X("cases:Q", title="cases settled"),
                y=alt.Y("log wealth:Q", title=f"log wealth of {shortened(leader, 40)}"),
                color=alt.Color("against:N", sort=short_names(others), legend=alt.Legend(title="against")),
                tooltip=[
                    alt.Tooltip("cases:Q", format=","),
                    alt.Tooltip("against:N"),
                    alt.Tooltip("log wealth:Q", format=".2f"),
                ],
            )
        )
        zero = kit.once().mark_rule(strokeDash=[4, 3], color=INK, opacity=0.6)
        return (zero.encode(y=alt.datum(0)) + lines).properties(width=WIDTH, height=280)

    ends = "; ".join(f"against {name} {race.against(leader, name):.2f}" for name in others[:8])
    return Chart(
        "race",
        "The wealth race",
        f"Log wealth of {leader} at the end: {ends}.",
        {"race": tuple(rows)},
        draw,
        (Column("cases", "count"), Column("against"), Column("log wealth", "number")),
    )


def _ranked_pairs(findings: ComparisonFindings) -> list[tuple[str, str]]:
    """Every pair, the better one first."""
    ranked = findings.ranked
    return [(a, b) for place, a in enumerate(ranked) for b in ranked[place + 1 :]]
