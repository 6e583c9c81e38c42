"""The pictures of the explanations, computed by Edgeworth when the site is built."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import NormalDist
from typing import Any

import altair as alt
import numpy as np
from coverage_charts import COLOURS

import edgeworth as ew

Row = dict[str, Any]
WIDTH = 520
GREY = "#9a9a9a"


def draw_explanation_figures(source: Path) -> None:
    """Draw the picture of each explanation for its page."""
    folder = source / "explanations" / "figures"
    folder.mkdir(parents=True, exist_ok=True)
    charts = {
        "common-class": common_class(),
        "inflated": inflated(),
        "random-orders": random_orders(),
        "paired": paired(),
        "bankrolls": bankrolls(),
    }
    for name, chart in charts.items():
        # Browsers may have a wider font than the one that the labels were measured with.
        legend = chart.configure_legend(orient="top", title=None, labelLimit=300, columnPadding=30)
        legend.configure_view(stroke="#ddd").save(str(folder / f"{name}.svg"))


def common_class() -> alt.Chart:
    """Draw the measures of a model that always names the common class, by the share of that class."""
    rows = [
        {"share": share / 100, "measure": name, "value": ew.measure(table, name)}
        for share in range(50, 100)
        for table in [_table([[share, 100 - share], [0, 0]])]
        for name in ("accuracy", "informedness")
    ]
    return _lines(rows, "share", "share of the common class", ("accuracy", "informedness"))


def inflated() -> alt.Chart:
    """Draw the measures of a model that knows 20% of the answers, by how often it guesses +."""
    names = {
        "recall": "recall[+]",
        "precision": "precision[+]",
        "F": "f[+]",
        "accuracy": "accuracy",
        "informedness": "informedness",
    }
    rows = [
        {"guess": guess / 100, "measure": name, "value": ew.measure(table, spelling)}
        for guess in range(5, 96)
        for table in [
            ew.decisions.informed_mixture(
                [0.3, 0.7], [guess / 100, 1 - guess / 100], 0.2, cases=1000, labels=["+", "-"]
            )
        ]
        for name, spelling in names.items()
    ]
    return _lines(rows, "guess", "share of guesses that are +", tuple(names))


def random_orders() -> alt.Chart:
    """Draw how often a random order reaches an average precision, exactly and by a normal distribution."""
    law = ew.chance.average_precision(20, 5)
    normal = NormalDist(law.mean, law.variance**0.5)
    rows = [
        {"average precision": x, "method": method, "chance": chance}
        for x in np.linspace(0.2, 0.95, 60).tolist()
        for method, chance in (
            ("normal distribution", 1 - normal.cdf(x)),
            ("all 15,504 orders", law.tail(x).p_value),
        )
        if chance > 1e-6
    ]
    methods = ("normal distribution", "all 15,504 orders")
    return (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line()
        .encode(
            x=alt.X("average precision:Q", scale=alt.Scale(zero=False), axis=alt.Axis(tickCount=8)),
            y=alt.Y(
                "chance:Q",
                title="share of orders at least as good",
                scale=alt.Scale(type="log"),
                axis=alt.Axis(values=[10.0**power for power in range(-6, 1)], format="~g"),
            ),
            color=_colour("method", methods),
        )
        .properties(width=WIDTH, height=220)
    )


def paired() -> alt.VConcatChart:
    """Draw two intervals that overlap, above the interval of their difference, which excludes 0."""
    first = [1] * 119 + [1] * 23 + [0] * 7 + [0] * 51
    second = [1] * 119 + [0] * 23 + [1] * 7 + [0] * 51
    levels = []
    for name, answers in (("first", first), ("second", second)):
        estimate = ew.estimate(ew.Grades.from_grades(answers), "accuracy")
        levels.append(_interval(name, estimate.value, estimate.interval()))
    systems = {"first": first, "second": second}
    comparison = ew.compare(truth=None, systems=systems, kind="grades")
    difference = comparison["first", "second"]["accuracy"]
    gap = _interval("first − second", difference.difference, difference.interval())
    zero = alt.Chart(alt.InlineData(values=[{"x": 0}])).mark_rule(strokeDash=[4, 4]).encode(x="x:Q")
    return alt.vconcat(
        _intervals(levels, "share of right answers", (0.5, 0.8), COLOURS[2]),
        alt.layer(zero, _intervals([gap], "difference, question by question", (-0.1, 0.2), COLOURS[0])),
    )


def bankrolls() -> alt.LayerChart:
    """Draw simulated bankrolls at fair prices, and one of a bettor who knows more than the prices."""
    rng = np.random.default_rng(4)
    fair = [_path(rng.random(1000) < 0.5) for _ in range(40)]
    rows = [
        {"bettor": str(number), "bets": bets, "bankroll": value}
        for number, path in enumerate([*fair, _path(rng.random(1000) < 0.55)])
        for bets, value in path
    ]
    x = alt.X("bets:Q")
    powers = alt.Axis(values=[10.0**power for power in range(-6, 4, 2)], format="~g")
    y = alt.Y("bankroll:Q", scale=alt.Scale(type="log"), title="what 1 unit has become", axis=powers)
    guesses = alt.Chart(alt.InlineData(values=[row for row in rows if row["bettor"] != str(len(fair))]))
    knows = alt.Chart(alt.InlineData(values=[row for row in rows if row["bettor"] == str(len(fair))]))
    limit = alt.Chart(alt.InlineData(values=[{"y": 20, "text": "20"}]))
    return alt.layer(
        guesses.mark_line(color=GREY, strokeWidth=0.7, opacity=0.6).encode(x=x, y=y, detail="bettor:N"),
        knows.mark_line(color=COLOURS[0], strokeWidth=2).encode(x=x, y=y),
        limit.mark_rule(strokeDash=[4, 4]).encode(y="y:Q"),
        limit.mark_text(align="left", dx=-WIDTH / 2 + 4, dy=-7).encode(y="y:Q", text="text:N"),
    ).properties(width=WIDTH, height=240)


def _path(wins: np.ndarray[Any, np.dtype[np.bool_]]) -> list[tuple[int, float]]:
    """Return the bankroll after every tenth bet of 10% of it at even odds."""
    bankroll = np.concatenate([[1.0], np.cumprod(np.where(wins, 1.1, 0.9))])
    return [(number, float(bankroll[number])) for number in range(0, len(bankroll), 10)]


def _table(counts: Sequence[Sequence[float]]) -> ew.ContingencyTable:
    return ew.ContingencyTable.from_matrix(counts, rows="predicted", labels=["+", "-"])


def _interval(name: str, value: float, ends: tuple[float, float]) -> Row:
    return {"name": name, "value": value, "low": ends[0], "high": ends[1]}


def _intervals(rows: Sequence[Row], title: str, domain: tuple[float, float], colour: str) -> alt.LayerChart:
    """Draw one interval per row, with a dot at its value."""
    base = alt.Chart(alt.InlineData(values=list(rows))).encode(
        y=alt.Y("name:N", title=None, sort=None, axis=alt.Axis(minExtent=90))
    )
    x = alt.X("low:Q", title=title, scale=alt.Scale(domain=domain), axis=alt.Axis(format=".0%", tickCount=6))
    layers = (
        base.mark_rule(color=colour, strokeWidth=2).encode(x=x, x2="high:Q"),
        base.mark_point(color=colour, filled=True, size=70, opacity=1).encode(x="value:Q"),
    )
    return alt.layer(*layers).properties(width=WIDTH, height=28 * len(rows))


def _lines(rows: Sequence[Row], x: str, title: str, measures: Iterable[str]) -> alt.Chart:
    """Draw one line per measure; informedness is the thick one."""
    return (
        alt.Chart(alt.InlineData(values=list(rows)))
        .mark_line()
        .encode(
            x=alt.X(
                f"{x}:Q", title=title, scale=alt.Scale(zero=False), axis=alt.Axis(format=".0%", tickCount=5)
            ),
            y=alt.Y("value:Q", title=None, scale=alt.Scale(domain=[0, 1])),
            color=_colour("measure", tuple(measures)),
            size=alt.condition(alt.datum.measure == "informedness", alt.value(3), alt.value(1.5)),
        )
        .properties(width=WIDTH, height=220)
    )


def _colour(field: str, names: Sequence[str]) -> alt.Color:
    """Colour the last of some names blue, and the others in the colours that follow."""
    colours = [*["#e07b00", "#7a7a7a", "#2a9d5c", "#8e5ea2"][: len(names) - 1], COLOURS[0]]
    return alt.Color(
        f"{field}:N", title=None, sort=list(names), scale=alt.Scale(domain=list(names), range=colours)
    )
