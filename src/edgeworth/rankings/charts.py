"""Charts of one ranking: hits, precision and recall, ROC, value at depth, and chance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgeworth.core.formatting import format_count, format_level, format_number, plural
from edgeworth.rankings.findings import RankingFindings
from edgeworth.rankings.value_charts import COLOURS, DEPTH, OURS, RANDOM, chance_chart, value_chart
from edgeworth.report.charts.axes import (
    CHANCE,
    HIGH,
    WIDE,
    LazyData,
    band_between,
    colour_layer,
    number_axis,
    table_rows,
    touch_points,
)
from edgeworth.report.charts.chart import FIRST, SECOND, Chart, Kit, Rows
from edgeworth.report.report import Charts, Column


def ranking_charts(findings: RankingFindings) -> Charts:
    """The charts of a report on a ranking; none where there is nothing to find, or nothing else."""
    if not findings.can_be_drawn:
        return Charts()
    charts = [_hits(findings), _precision_recall(findings), _roc(findings)]
    if findings.worth is not None:
        charts.append(value_chart(findings))
    if findings.has_chance_law:
        charts.append(chance_chart(findings))
    return Charts(tuple(charts))


def _hits(findings: RankingFindings) -> Chart:
    level, look = format_level(findings.level), findings.look

    def find() -> Mapping[str, Rows]:
        curve = findings.hit_curve
        found, chance = curve.recall_span, curve.chance_span
        columns = {
            DEPTH: curve.depth,
            "hits": curve.hits,
            "found": curve.recall,
            "low": found and found.low,
            "high": found and found.high,
            "by chance": curve.by_chance,
            "chance low": chance and chance.low,
            "chance high": chance and chance.high,
        }
        return {"hits": table_rows(columns)}

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        is_log = findings.targets_are_rare
        scale = alt.Scale(type="log" if is_log else "linear", nice=not is_log)
        axis = alt.Axis(
            **number_axis([float(findings.ranking.ranked_total)]),
            tickCount=6,
            tickMinStep=1,
            labelOverlap=True,
            grid=not is_log,
        )
        base = kit.base("hits").encode(
            x=alt.X(f"{DEPTH}:Q", scale=scale, axis=axis, title=f"{DEPTH}{' (log scale)' if is_log else ''}")
        )
        layers = []
        if findings.hit_curve.recall_span is not None:
            layers = [
                band_between(alt, base, "chance low", "chance high", CHANCE),
                band_between(alt, base, "low", "high", FIRST),
            ]
        share = alt.Y("by chance:Q", title="share of targets found", axis=alt.Axis(format=".0%"))
        layers += [
            colour_layer(
                alt, base.mark_line(strokeDash=[5, 4], strokeWidth=1.5).encode(y=share), RANDOM, COLOURS
            ),
            colour_layer(alt, base.mark_line(strokeJoin="round").encode(y="found:Q"), OURS, COLOURS),
            base.transform_filter(alt.datum[DEPTH] == findings.depth)
            .mark_point(filled=True, size=60, color=FIRST, opacity=1)
            .encode(y="found:Q"),
            touch_points(base).encode(
                y="found:Q",
                tooltip=[
                    alt.Tooltip(f"{DEPTH}:Q", format=","),
                    alt.Tooltip("hits:Q", format=",.1~f"),
                    *(alt.Tooltip(f"{name}:Q", format=".1%") for name in ("found", "low", "high")),
                    *(alt.Tooltip(f"{name}:Q", format=".1%") for name in ("by chance", "chance high")),
                ],
            ),
        ]
        return alt.layer(*layers).properties(width=WIDE, height=HIGH)

    bands = f" The bands hold {level} at each depth." if findings.ranking.is_counted else ""
    targets = float(findings.ranking.target_total)
    return Chart(
        "hits",
        "What is found by looking at the first items",
        f"The first {look.depth:,} items hold {format_count(look.hits)} of {format_count(targets)} "
        f"{plural(targets, 'target')}; random selection finds {look.by_chance:,.3g} of them there.{bands}",
        LazyData(find),
        draw,
        (
            Column(DEPTH, "count"),
            Column("hits", "count"),
            *(Column(name, "percent") for name in ("found", "low", "high")),
            *(Column(name, "percent") for name in ("by chance", "chance low", "chance high")),
        ),
    )


def _precision_recall(findings: RankingFindings) -> Chart:
    level, share = format_level(findings.level), findings.share

    def find() -> Mapping[str, Rows]:
        curve, band = findings.hit_curve, findings.precision_band
        span = curve.precision_span
        columns = {
            DEPTH: curve.depth,
            "recall": curve.recall,
            "precision": curve.precision,
            "low": span and span.low,
            "high": span and span.high,
        }
        around: Rows = ()
        if band is not None:
            around = table_rows({"recall": band.recall, "low": band.low, "high": band.high})
        return {"precision_recall": table_rows(columns), "around": around}

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        whole = alt.Scale(domain=[0, 1])
        x = alt.X(
            "recall:Q", scale=whole, axis=alt.Axis(format=".0%"), title="recall: share of targets found"
        )
        y = alt.Y(
            "precision:Q",
            scale=whole,
            axis=alt.Axis(format=".0%"),
            title="precision: share of looks that hit",
        )
        base = kit.base("precision_recall").encode(x=x, y=y)
        chance = kit.once().mark_rule(strokeDash=[5, 4], strokeWidth=1.5)
        layers = []
        if findings.precision_band is not None:
            layers.append(band_between(alt, kit.base("around").encode(x=x), "low", "high", FIRST))
        layers += [
            colour_layer(alt, chance.encode(y=alt.datum(share)), RANDOM, COLOURS),
            colour_layer(alt, base.mark_line(strokeJoin="round").encode(order=f"{DEPTH}:Q"), OURS, COLOURS),
            touch_points(base).encode(
                tooltip=[
                    alt.Tooltip(f"{DEPTH}:Q", format=","),
                    *(alt.Tooltip(f"{name}:Q", format=".1%") for name in ("recall", "precision")),
                    *(alt.Tooltip(f"{name}:Q", format=".1%") for name in ("low", "high")),
                ]
            ),
        ]
        return alt.layer(*layers).properties(width=WIDE, height=HIGH)

    has_band = findings.ranking.is_counted and findings.ranking.targets.total
    band = f" The band holds {level} at each recall." if has_band else ""
    return Chart(
        "precision_recall",
        "Precision against recall",
        f"Average precision is {format_number(findings.average_precision.value)}; random selection keeps a "
        f"precision of {format_number(share)}, the share of targets.{band}",
        LazyData(find),
        draw,
        (
            Column(DEPTH, "count"),
            *(Column(name, "percent") for name in ("recall", "precision", "low", "high")),
        ),
    )


def _roc(findings: RankingFindings) -> Chart:
    best = findings.best

    def find() -> Mapping[str, Rows]:
        curve = findings.roc_curve
        columns = {DEPTH: curve.depth, "fallout": curve.fallout, "recall": curve.recall}
        return {"roc": table_rows(columns)}

    def draw(kit: Kit) -> Any:
        alt = kit.alt
        whole = alt.Scale(domain=[0, 1])
        x = alt.X(
            "fallout:Q", scale=whole, axis=alt.Axis(format=".0%"), title="fallout: share of the rest taken"
        )
        y = alt.Y(
            "recall:Q", scale=whole, axis=alt.Axis(format=".0%"), title="recall: share of targets taken"
        )
        base = kit.base("roc").encode(x=x, y=y)
        diagonal = kit.once().mark_rule(strokeDash=[5, 4], strokeWidth=1.5)
        ends = {"x": alt.datum(0), "x2": alt.datum(1), "y": alt.datum(0), "y2": alt.datum(1)}
        layers = [
            colour_layer(alt, diagonal.encode(**ends), RANDOM, COLOURS),
            colour_layer(alt, base.mark_line(strokeJoin="round").encode(order=f"{DEPTH}:Q"), OURS, COLOURS),
            touch_points(base).encode(
                tooltip=[
                    alt.Tooltip(f"{DEPTH}:Q", format=",.1~f"),
                    *(alt.Tooltip(f"{name}:Q", format=".1%") for name in ("fallout", "recall")),
                ]
            ),
        ]
        if best is not None:
            layers += _best_mark(kit, best.fallout, best.recall)
        return alt.layer(*layers).properties(width=HIGH, height=HIGH)

    cut = (
        ""
        if best is None
        else f" The best cut takes {best.recall:.1%} of the targets and {best.fallout:.1%} of the rest."
    )
    return Chart(
        "roc",
        "Recall against fallout (ROC)",
        f"A target stands above other items with probability {format_number(findings.roc_auc.value)}, the "
        "area "
        f"under the curve; .500 is chance.{cut}",
        LazyData(find),
        draw,
        (Column(DEPTH, "count"), Column("fallout", "percent"), Column("recall", "percent")),
    )


def _best_mark(kit: Kit, fallout: float, recall: float) -> list[Any]:
    """The best cut. Below and to the right of it is room for its name, unless it lies at the bottom."""
    alt = kit.alt
    base = kit.once().encode(x=alt.datum(fallout), y=alt.datum(recall))
    dot = base.mark_point(filled=True, size=70, color=SECOND, opacity=1)
    if recall < 0.15:
        return [dot]
    ends = {"align": "right", "dx": -2} if fallout > 0.75 else {"align": "left", "dx": 9}
    return [dot, base.mark_text(dy=14, **ends).encode(text=alt.value("best cut"))]
