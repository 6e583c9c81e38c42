"""The chart of a margin: how much better each system may be than another, beside the margin."""

from __future__ import annotations

from edgeworth.common.arrays import plain_values
from edgeworth.comparisons.findings import ComparisonFindings
from edgeworth.comparisons.margins import margin_tests
from edgeworth.core.amounts import describe_amount, is_share
from edgeworth.core.formatting import format_level
from edgeworth.report.charts.axes import ticks
from edgeworth.report.charts.axis_names import AXIS_LABEL_PIXELS, axis_names
from edgeworth.report.charts.chart import FIRST, INK, SECOND, WIDTH, Chart, Kit, Rows
from edgeworth.report.report import make_columns
from edgeworth.report.wording import describe_measure

MAX_LINES = 30
PIXELS_PER_LINE = 30
NEUTRAL = "#8a8f98"
OUTCOMES = {"equivalent": "#2a9d55", "no worse": FIRST, "worse": SECOND, "undecided": NEUTRAL}


def margin_chart(findings: ComparisonFindings) -> Chart:
    """Draw the interval of how much better each system is, with lines at minus and plus the margin."""
    tests = margin_tests(findings)[:MAX_LINES]
    margin = findings.margin or 0.0
    names = axis_names([f"{test.first} against {test.second}" for test in tests], 40)
    rows: Rows = tuple(
        plain_values(
            {
                "what": name,
                "gain": (1 if test.difference.is_higher_better else -1) * test.difference.difference,
                "low": test.interval.low,
                "high": test.interval.high,
                "outcome": test.outcome,
            }
        )
        for name, test in zip(names.names, tests, strict=True)
    )
    ends = [row[key] for row in rows for key in ("gain", "low", "high")]
    marks = ticks([*ends, -1.2 * margin, 1.2 * margin])

    def draw(kit: Kit) -> object:
        alt = kit.alt
        shown = [outcome for outcome in OUTCOMES if any(row["outcome"] == outcome for row in rows)]
        scale = alt.Scale(domain=shown, range=[OUTCOMES[outcome] for outcome in shown])
        base = kit.base("margin").encode(
            y=alt.Y(
                "what:N",
                sort=list(names.names),
                title=None,
                axis=alt.Axis(**{**names.options, "labelLimit": 2 * AXIS_LABEL_PIXELS}),
            ),
            color=alt.Color("outcome:N", scale=scale, legend=alt.Legend(title=None)),
            tooltip=kit.tooltip(
                {"what": "", "gain": "+.4~g", "low": "+.4~g", "high": "+.4~g", "outcome": ""}
            ),
        )
        title = f"how much better by {describe_measure(findings.headline)}"
        axis = marks.axis(alt, signed=True)
        if is_share(findings.headline):
            title, axis = f"{title}, points", marks.points_axis(alt)
        across = alt.X("low:Q", title=title, scale=marks.scale(alt), axis=axis)
        bars = base.mark_rule(strokeWidth=2, opacity=1).encode(x=across, x2="high:Q")
        dots = base.mark_point(filled=True, size=70, opacity=1).encode(x="gain:Q")
        edge = kit.once().mark_rule(color=INK, opacity=0.7, strokeWidth=1.5)
        zero = kit.once().mark_rule(strokeDash=[4, 3], color=INK, opacity=0.6)
        lines = (
            edge.encode(x=alt.datum(-margin)) + edge.encode(x=alt.datum(margin)) + zero.encode(x=alt.datum(0))
        )
        return (lines + bars + dots).properties(width=WIDTH, height=PIXELS_PER_LINE * max(len(rows), 2))

    decided = sum(test.outcome != "undecided" for test in tests)
    amount = describe_amount(findings.headline, margin)
    return Chart(
        "margin",
        f"Gains with {format_level(findings.level)} intervals, and the margin",
        f"The margin is {amount}. A system is no worse if its interval lies to the right of the left line. "
        f"{decided} of {len(tests)} are decided.",
        {"margin": rows},
        draw,
        make_columns("what/text", "gain", "low", "high", "outcome/text"),
    )
