"""Charts of one ranking and of many lists: hits, precision and recall, ROC, value, chance; lists and runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TypeAlias

import numpy as np

from edgeworth.common.arrays import Values, finite_or_none
from edgeworth.common.json_types import JsonObject
from edgeworth.core.formatting import MINUS, format_count, format_level, format_number, format_percent, plural
from edgeworth.rankings.cut_bands import cut_band
from edgeworth.rankings.findings import ListFindings, RankingFindings, Worth
from edgeworth.rankings.intervals.bands import (
    CURVE_POINTS,
    HitCurve,
    bands,
    binned_law,
    can_bin_law,
    precision_at_recall,
    roc_band,
    thin_roc_curve,
    value_curve_at,
)
from edgeworth.rankings.intervals.methods import Survival
from edgeworth.rankings.policy import MAX_CLUSTERED_ENTRIES_WITH_BANDS
from edgeworth.rankings.ranking import Ranking
from edgeworth.rankings.thresholds import ThresholdChoice, cost_curve
from edgeworth.report.charts.axes import (
    CHANCE,
    HIGH,
    PLAIN,
    WIDE,
    band_between,
    colour_layer,
    mark_observed,
    number_axis,
    table_rows,
    touch_points,
)
from edgeworth.report.charts.axis_names import AxisNames, axis_names
from edgeworth.report.charts.chart import FIRST, SECOND, Altair, Chart, Kit, Rows
from edgeworth.report.report import Charts, Column, ColumnFormat, LazyMapping, make_columns
from edgeworth.report.wording import describe_probability

OURS, RANDOM = "this ranking", "random selection"
COLOURS = {OURS: FIRST, RANDOM: CHANCE}
DEPTH = "items reviewed"
DASHED: JsonObject = {"strokeDash": [5, 4], "strokeWidth": 1.5}
DOT: JsonObject = {"filled": True, "opacity": 1}
FORMATS = {"count": ",.1~f", "percent": ".1%", "number": ",.4~g"}
"""How a column of a kind is written under a pointer."""


Formats: TypeAlias = Mapping[str, ColumnFormat]


def _same_format(names: Iterable[str], column_format: ColumnFormat) -> Formats:
    return dict.fromkeys(names, column_format)


def ranking_charts(findings: RankingFindings) -> Charts:
    """Make the charts of a report on a ranking; none if there are no targets, or only targets."""
    if not findings.can_be_drawn or findings.curve is None:
        return Charts()
    ranking, curve = findings.ranking, findings.curve
    charts = [_hits(findings, curve), _precision_recall(findings, curve), _roc(findings)]
    if isinstance(findings.average_precision.method, Survival):
        charts.append(_survival(findings, curve.depth))
    best = findings.best
    if best is not None and best.goal.cost_miss is not None and not ranking.is_placed:
        charts.append(_costs(findings, best))
    if findings.worth is not None:
        charts.append(_value(findings, findings.worth))
    if ranking.is_counted and can_bin_law(int(ranking.total), int(ranking.target_total)):
        charts.append(_chance(findings))
    return Charts(tuple(charts))


def _chart(
    name: str,
    title: str,
    caption: str,
    find: Callable[[], Sequence[Values | None]],
    draw: Callable[[Kit], object],
    kinds: Formats,
    also: Callable[[], Mapping[str, Rows]] = dict,
) -> Chart:
    """Build a chart whose columns of numbers are computed when it is drawn."""
    data = LazyMapping(lambda: {name: table_rows(dict(zip(kinds, find(), strict=True))), **also()})
    return Chart(name, title, caption, data, draw, tuple(Column(*column) for column in kinds.items()))


def _has_cut_bands(ranking: Ranking) -> bool:
    """Return whether the curves of a weighted or clustered ranking have bands."""
    if ranking.is_placed or ranking.unranked:
        return False
    clusters = ranking.clusters
    return clusters is None or (
        clusters.number > 1 and len(clusters.codes) <= MAX_CLUSTERED_ENTRIES_WITH_BANDS
    )


def _lines(
    kit: Kit, base: Altair, chance: Altair, encoding: Mapping[str, str], kinds: Formats
) -> list[Altair]:
    """Draw the line of random selection, the line of this ranking, and its points under the pointer."""
    touched = {channel: field for channel, field in encoding.items() if channel != "order"}
    formats = {column: FORMATS[kind] for column, kind in kinds.items()}
    return [
        colour_layer(kit.alt, chance, RANDOM, COLOURS),
        colour_layer(kit.alt, base.mark_line(strokeJoin="round").encode(**encoding), OURS, COLOURS),
        touch_points(base).encode(**touched, tooltip=kit.tooltip(formats)),
    ]


def _layer(alt: Altair, layers: Iterable[Altair], width: int = WIDE) -> Altair:
    return alt.layer(*layers).properties(width=width, height=HIGH)


def _hits(findings: RankingFindings, curve: HitCurve) -> Chart:
    top, ranking = findings.at_verdict_depth, findings.ranking
    has_band = ranking.is_counted and ranking.clusters is None
    shares = ("found", "low", "high", "by chance", "chance low", "chance high")
    kinds: Formats = {DEPTH: "count", "hits": "count", **_same_format(shares, "percent")}

    def find() -> Sequence[Values | None]:
        around, chance = curve.bands, (curve.chance_low, curve.chance_high)
        low, high = (None if hits is None else hits / curve.targets for hits in chance)
        recalls = (curve.recall, around and around.recall_low, around and around.recall_high)
        return curve.depth, curve.hits, *recalls, curve.by_chance, low, high

    def draw(kit: Kit) -> object:
        alt = kit.alt
        # Where targets are rare, all that matters happens at the top.
        is_log = ranking.ranked_total > 1000 and ranking.target_total < 0.02 * ranking.total
        scale = alt.Scale(type="log" if is_log else "linear", nice=not is_log)
        numbers = number_axis([float(ranking.ranked_total)])
        axis = alt.Axis(**numbers, tickCount=6, tickMinStep=1, labelOverlap=True, grid=not is_log)
        title = f"{DEPTH}{' (log scale)' if is_log else ''}"
        base = kit.base("hits").encode(x=alt.X(f"{DEPTH}:Q", scale=scale, axis=axis, title=title))
        share = alt.Y("by chance:Q", title="share of targets found", axis=alt.Axis(format=".0%"))
        pairs = (("chance low", "chance high", CHANCE), ("low", "high", FIRST))
        dashed = base.mark_line(**DASHED).encode(y=share)
        chance, ranking_line, touch = _lines(kit, base, dashed, {"y": "found:Q"}, kinds)
        marked_depth = base.transform_filter(alt.datum[DEPTH] == findings.depth)
        marked_depth = marked_depth.mark_point(size=60, color=FIRST, **DOT)
        around = [band_between(alt, base, *band) for band in pairs if has_band]
        return _layer(alt, [*around, chance, ranking_line, marked_depth.encode(y="found:Q"), touch])

    level = format_level(findings.level)
    held = f" The bands are {level} intervals at each depth." if has_band else ""
    targets = float(ranking.target_total)
    return _chart(
        "hits",
        "Targets found in the first items",
        f"The first {top.depth:,} items hold {format_count(top.hits)} of {format_count(targets)} "
        f"{plural(targets, 'target')}; random selection finds {top.by_chance:,.3g} of them there.{held}",
        find,
        draw,
        kinds,
    )


def _share(channel: Altair, alt: Altair, name: str, description: str) -> Altair:
    """Return an axis from 0 to 1."""
    scale, axis = alt.Scale(domain=[0, 1]), alt.Axis(format=".0%")
    return channel(f"{name}:Q", scale=scale, axis=axis, title=f"{name}: {description}")


def _precision_recall(findings: RankingFindings, curve: HitCurve) -> Chart:
    ranking, around = findings.ranking, curve.bands
    kinds: Formats = {DEPTH: "count", **_same_format(("recall", "precision", "low", "high"), "percent")}
    share = float(ranking.target_total / ranking.total)
    is_plain = ranking.is_counted and ranking.clusters is None
    has_band = bool(ranking.targets.total) and (is_plain or _has_cut_bands(ranking))

    def find() -> Sequence[Values | None]:
        ends = (around and around.precision_low, around and around.precision_high)
        return curve.depth, curve.recall, curve.hits / curve.depth, *ends

    def find_band() -> Mapping[str, Rows]:
        band = precision_at_recall(curve)
        if band is None and has_band:
            at = np.linspace(0, float(curve.recall[-1]), CURVE_POINTS)[1:]
            low, high = cut_band(ranking, "recall", "precision", at, findings.level)
            band = {"recall": at, "low": low, "high": high}
        return {"around": () if band is None else table_rows(band)}

    def draw(kit: Kit) -> object:
        alt = kit.alt
        x = _share(alt.X, alt, "recall", "share of targets found")
        y = _share(alt.Y, alt, "precision", "share of items reviewed that are targets")
        base = kit.base("precision_recall").encode(x=x, y=y)
        band = kit.base("around").encode(x=x)
        chance = kit.once().mark_rule(**DASHED).encode(y=alt.datum(share))
        lines = _lines(kit, base, chance, {"order": f"{DEPTH}:Q"}, kinds)
        return _layer(alt, [*([band_between(alt, band, "low", "high", FIRST)] if has_band else []), *lines])

    level = format_level(findings.level)
    kind = f"is a {level} interval" if is_plain else f"covers at least {level}"
    band_note = f" The band {kind} at each recall." if has_band else ""
    return _chart(
        "precision_recall",
        "Precision against recall",
        f"Average precision is {format_number(findings.average_precision.value)}; random selection keeps a "
        f"precision of {format_number(share)}, the share of targets.{band_note}",
        find,
        draw,
        kinds,
        find_band,
    )


def _survival(findings: RankingFindings, depths: Values) -> Chart:
    """Draw the share of targets still to be found, with hits as events and ranks as times (Su & Zhang)."""
    ranking = findings.ranking
    kinds: Formats = {DEPTH: "count", **_same_format(("survival", "low", "high", "by chance"), "percent")}

    def find() -> Sequence[Values]:
        around = bands(ranking, depths=depths, level=findings.level, method="survival")
        shares = (1 - around.recall, 1 - around.recall_high, 1 - around.recall_low)
        return depths, *shares, 1 - depths / float(ranking.total)

    def draw(kit: Kit) -> object:
        alt = kit.alt
        base = kit.base("survival").encode(x=alt.X(f"{DEPTH}:Q"))
        percent, title = alt.Axis(format=".0%"), "share of targets still to be found"
        share = alt.Y("by chance:Q", scale=alt.Scale(domain=[0, 1]), axis=percent, title=title)
        chance = base.mark_line(**DASHED).encode(y=share)
        lines = _lines(kit, base, chance, {"y": "survival:Q"}, kinds)
        return _layer(alt, [band_between(alt, base, "low", "high", FIRST), *lines])

    return _chart(
        "survival",
        "Survival: targets still to be found",
        f"S(t) is the share of targets below the first t items; random selection leaves 1 − t/n. The band "
        f"is a {format_level(findings.level)} interval at each depth, with the ranks of targets fixed.",
        find,
        draw,
        kinds,
    )


def _roc(findings: RankingFindings) -> Chart:
    best = findings.best
    kinds: Formats = {DEPTH: "count", **_same_format(("fallout", "recall", "low", "high"), "percent")}

    def find() -> Sequence[Values | None]:
        depth, fallout, recall = thin_roc_curve(findings.ranking)
        around = roc_band(findings.ranking, fallout, recall, findings.level)
        if around is None and has_band:
            around = cut_band(findings.ranking, "fallout", "recall", fallout, findings.level)
        return depth, fallout, recall, *(around or (None, None))

    is_plain = findings.ranking.is_counted and findings.ranking.clusters is None
    has_band = is_plain or _has_cut_bands(findings.ranking)

    def draw(kit: Kit) -> object:
        alt = kit.alt
        base = kit.base("roc").encode(
            x=_share(alt.X, alt, "fallout", "share of other items selected"),
            y=_share(alt.Y, alt, "recall", "share of targets selected"),
        )
        ends = {"x": alt.datum(0), "x2": alt.datum(1), "y": alt.datum(0), "y2": alt.datum(1)}
        diagonal = kit.once().mark_rule(**DASHED).encode(**ends)
        around = [band_between(alt, base, "low", "high", FIRST)] if has_band else []
        layers = [*around, *_lines(kit, base, diagonal, {"order": f"{DEPTH}:Q"}, kinds)]
        if best is not None:
            layers += _best_mark(kit, best.fallout, best.recall)
        return _layer(alt, layers, HIGH)

    band_note = (
        f" The band covers at least {format_level(findings.level)} at each fallout." if has_band else ""
    )
    cut = ""
    if best is not None:
        recall_text, fallout_text = format_percent(best.recall, 1), format_percent(best.fallout, 1)
        cut = f" The best cut selects {recall_text} of the targets and {fallout_text} of the other items."
    return _chart(
        "roc",
        "Recall against fallout (ROC)",
        f"A target ranks above another item with probability {format_number(findings.roc_auc.value)}, the "
        f"area under the curve; 0.500 is chance.{cut}{band_note}",
        find,
        draw,
        kinds,
    )


def _costs(findings: RankingFindings, best: ThresholdChoice) -> Chart:
    """Draw the cost of false alarms and misses at each threshold."""
    names = ("threshold", "cost per case", "low", "high")
    constant = {name: cost.value for name, cost in best.constant_costs.items()}

    def draw(kit: Kit) -> object:
        alt = kit.alt
        base = kit.base("cost").encode(x=alt.X("threshold:Q", scale=alt.Scale(zero=False, nice=False)))
        y = alt.Y("cost per case:Q", scale=alt.Scale(zero=True))
        line = base.mark_line(color=FIRST, strokeJoin="round").encode(y=y)
        at_best = base.transform_filter(alt.datum["threshold"] == best.threshold)
        rules = [kit.once().mark_rule(**DASHED).encode(y=alt.datum(value)) for value in constant.values()]
        point = at_best.mark_point(size=70, color=SECOND, **DOT).encode(y=y)
        formats = dict.fromkeys(names, FORMATS["number"])
        touch = touch_points(base).encode(y=y, tooltip=kit.tooltip(formats))
        return _layer(alt, [band_between(alt, base, "low", "high", FIRST), *rules, line, point, touch])

    always = ", ".join(f"{name} costs {format_number(value)}" for name, value in constant.items())
    lowest = format_number(best.estimates["cost"].value)
    return _chart(
        "cost",
        "Cost per case at each threshold",
        f"The threshold {format_number(best.threshold)} has the lowest cost per case on these data, "
        f"{lowest}; {always}. The band is a {format_level(findings.level)} interval for a threshold fixed "
        "beforehand.",
        lambda: tuple(cost_curve(findings.ranking, best, findings.level).values()),
        draw,
        _same_format(names, "number"),
    )


def _best_mark(kit: Kit, fallout: float, recall: float) -> list[Altair]:
    """Mark the best cut, with its name below and to the right unless it lies at the bottom."""
    alt = kit.alt
    base = kit.once().encode(x=alt.datum(fallout), y=alt.datum(recall))
    dot = base.mark_point(size=70, color=SECOND, **DOT)
    if recall < 0.15:
        return [dot]
    ends = {"align": "right", "dx": -2} if fallout > 0.75 else {"align": "left", "dx": 9}
    return [dot, base.mark_text(dy=14, **ends).encode(text=alt.value("best cut"))]


def _value(findings: RankingFindings, worth: Worth) -> Chart:
    """Draw the value of reviewing at each depth, if gain and cost are known."""
    kinds: Formats = {DEPTH: "count", **_same_format(("value", "low", "high", "by chance"), "number")}
    terms = {"gain": worth.gain, "cost": worth.cost, "best_depth": worth.best_depth}
    curve = cache(
        lambda: value_curve_at(findings.ranking, **terms, depth=findings.depth, level=findings.level)
    )

    def draw(kit: Kit) -> object:
        alt = kit.alt
        depths, values = (np.asarray(column).tolist() for column in list(curve().values())[:2])
        axis = alt.Axis(**number_axis(depths), tickCount=6, tickMinStep=1, labelOverlap=True)
        base = kit.base("value").encode(x=alt.X(f"{DEPTH}:Q", axis=axis, scale=alt.Scale(nice=False)))
        figures = alt.Axis(**number_axis(values))
        chance = base.mark_line(**DASHED).encode(y=alt.Y("by chance:Q", title="value", axis=figures))
        layers = [kit.once().mark_rule(opacity=0.4).encode(y=alt.datum(0))]
        if findings.ranking.is_counted:
            layers.append(band_between(alt, base, "low", "high", FIRST))
        layers += _lines(kit, base, chance, {"y": "value:Q"}, kinds)
        if worth.best_depth > 0:
            best_point = kit.once().encode(x=alt.datum(worth.best_depth))
            layers += [
                best_point.mark_rule(color=SECOND, strokeWidth=1.5, opacity=0.7),
                best_point.mark_point(size=70, color=SECOND, **DOT).encode(y=alt.datum(worth.best_value)),
            ]
        return _layer(alt, layers)

    terms_note = f"Gain {_amount(worth.gain)} per target found, cost {_amount(worth.cost)} per item reviewed"
    outcome = f"the best depth is {worth.best_depth:,.0f} items, worth {_amount(worth.best_value)}"
    if worth.best_depth == 0:
        outcome = "reviewing never pays"
    return _chart(
        "value",
        "Value of reviewing the first items",
        f"{terms_note}, {outcome}; the first {findings.depth:,} are worth {_amount(worth.at_depth)}.",
        lambda: tuple(curve().values()),
        draw,
        kinds,
    )


def _chance(findings: RankingFindings) -> Chart:
    """Draw the law of average precision under random selection, and this ranking."""
    observed, mean = findings.average_precision.value, findings.average_precision.chance
    items, targets = int(findings.ranking.total), int(findings.ranking.target_total)
    find_law = cache(lambda: binned_law(items, targets))

    def draw(kit: Kit) -> object:
        alt = kit.alt
        law = find_law()
        ends = [*law.low.tolist(), *law.high.tolist(), observed]
        room = 0.03 * (max(ends) - min(ends)) or 0.05
        domain = [max(0.0, min(ends) - room), min(1.0, max(ends) + room)]
        scale = alt.Scale(domain=domain, nice=False)
        axis = alt.Axis(format=PLAIN, tickCount=6, labelOverlap=True)
        share = alt.Axis(format="~%", tickCount=4)
        base = kit.base("chance").transform_calculate(nothing="0")
        base = base.encode(
            x=alt.X("from:Q", scale=scale, axis=axis, title="average precision"),
            y=alt.Y("probability:Q", axis=share, title="share of random orders"),
            y2="nothing:Q",
            tooltip=kit.tooltip({"from": ".4~g", "to": ".4~g", "probability": ".2~%"}),
        )
        if np.array_equal(law.low, law.high):
            shape = base.mark_rule(strokeWidth=3, color=CHANCE)
        else:
            # A stroke keeps a law in sight that is narrower than a point of the picture.
            bars = base.mark_bar(color=CHANCE, stroke=CHANCE, strokeWidth=0.7, binSpacing=0)
            shape = bars.encode(x2="to:Q")
        label = f"this ranking {format_number(observed)}"
        return _layer(alt, [shape, *mark_observed(kit, observed, domain, label)])

    adverb, tail = "well" if findings.is_better else "badly", findings.tail
    odds = "" if tail is None else f" and do as {adverb} with probability {describe_probability(tail)}"
    return _chart(
        "chance",
        "This ranking among random orders",
        f"Random orders of the same items reach an average precision of {format_number(mean)} on average"
        f"{odds}; this ranking reaches {format_number(observed)}.",
        lambda: (find_law().low, find_law().high, find_law().probability),
        draw,
        {"from": "number", "to": "number", "probability": "probability"},
    )


def _amount(value: float) -> str:
    return f"{value:,.6g}".replace("-", MINUS)


MAX_LISTS_DRAWN = 200
"""The most lists that are drawn one by one; more are drawn as this many quantiles."""
NAMED_LISTS = 40
"""The most lists that have rows with their names."""
MAX_RUNS_DRAWN = 40
PIXELS_PER_RUN = 18
RANDOM_ORDERS = "random orders"


def list_charts(findings: ListFindings) -> Charts:
    """List the charts of a report on many lists."""
    return Charts((_queries(findings),)) if findings.headline.undefined is None else Charts()


def run_charts(runs: Mapping[str, ListFindings]) -> Charts:
    """List the charts of a report on one or more runs."""
    if len(runs) == 1:
        return list_charts(next(iter(runs.values())))
    defined = {name: findings for name, findings in runs.items() if findings.headline.undefined is None}
    return Charts((_run_means(defined),)) if defined else Charts()


def _queries(findings: ListFindings) -> Chart:
    headline, number = findings.headline, findings.counted
    drawn = min(number, MAX_LISTS_DRAWN)
    shares = [(index + 0.5) / drawn for index in range(drawn)]
    lists = sorted(findings.counted_by_name(), key=lambda pair: pair[1])
    if number > MAX_LISTS_DRAWN:
        quantiles = np.quantile(findings.values, shares).tolist()
        lists = [(f"{share:.2%} of lists below", x) for share, x in zip(shares, quantiles, strict=True)]
    measure = _describe_spelling(headline.measure)
    names = axis_names(name for name, _ in lists)
    rows = tuple(
        {"list": name, "below": share, "value": finite_or_none(value)}
        for name, share, (_, value) in zip(names.names, shares, lists, strict=True)
    )
    is_named = number <= NAMED_LISTS
    low, middle, high = (format_number(value) for value in findings.spread)
    units = plural(2, findings.unit)
    spread = "" if low == high else f"; {units} range from {low} to {high}, median {middle}"
    chance = finite_or_none(headline.chance)
    at_random = "" if chance is None else f"; random orders reach {format_number(chance)} on average"
    mean = format_number(headline.value)
    return Chart(
        "queries",
        f"{findings.unit.capitalize()} by {findings.unit}: {measure}",
        f"The mean over {number:,} {plural(number, findings.unit)} is {mean}{spread}{at_random}.",
        {"queries": rows, "mean": (_mean_row(findings),)},
        lambda kit: _draw_lists(kit, findings, names if is_named else None),
        (Column("list"), Column("below", "percent"), Column("value", "number")),
    )


def _mean_row(findings: ListFindings) -> dict[str, float | None]:
    low, high = findings.headline.interval(findings.level)
    numbers = {"mean": findings.headline.value, "low": low, "high": high}
    return {name: finite_or_none(number) for name, number in numbers.items()}


def _draw_lists(kit: Kit, findings: ListFindings, names: AxisNames | None) -> object:
    """Draw one line per named list, the best on top, or else the share of lists below each value."""
    alt = kit.alt
    axis = alt.Axis(format=PLAIN, tickCount=6)
    value = alt.X(
        "value:Q", title=_describe_spelling(findings.headline.measure), axis=axis, scale=alt.Scale(zero=True)
    )
    if names is not None:
        order, axis = list(names.names[::-1]), alt.Axis(grid=True, **names.options)
        across, height = alt.Y("list:N", sort=order, title=None, axis=axis), PIXELS_PER_RUN * len(names.names)
    else:
        axis, scale = alt.Axis(format=".0%", tickCount=5), alt.Scale(domain=[0, 1])
        across, height = alt.Y("below:Q", title="share of lists below", axis=axis, scale=scale), HIGH
    base = kit.base("queries").encode(y=across, tooltip=kit.tooltip({"list": "", "value": ".4~g"}))
    dots = base.mark_point(color=FIRST, size=40, **DOT).encode(x=value)
    mean = kit.base("mean")
    layers = [mean.mark_rect(color=SECOND, opacity=0.14).encode(x=alt.X("low:Q"), x2="high:Q")]
    chance = finite_or_none(findings.headline.chance)
    mean_name = f"mean over {plural(2, findings.unit)}"
    places = {mean_name: findings.headline.value} | ({} if chance is None else {RANDOM_ORDERS: chance})
    colours = dict(zip(places, (SECOND, CHANCE), strict=False))
    for name, offset in places.items():
        rule = mean.mark_rule(strokeWidth=2) if name == mean_name else mean.mark_rule(**DASHED)
        layers.append(colour_layer(alt, rule, name, colours).encode(x=alt.datum(offset)))
    return alt.layer(*layers, dots).properties(width=WIDE - 60, height=height)


def _run_means(runs: Mapping[str, ListFindings]) -> Chart:
    first = next(iter(runs.values()))
    level, measure = format_level(first.level), _describe_spelling(first.headline.measure)
    order = sorted(runs.items(), key=lambda run: -run[1].headline.value)
    top = order[0][1]
    names = axis_names(name for name, _ in order[:MAX_RUNS_DRAWN])
    rows: Rows = tuple(
        {"run": name, **_mean_row(findings), "lists": findings.counted}
        for name, (_, findings) in zip(names.names, order, strict=False)
    )

    def draw(kit: Kit) -> object:
        alt = kit.alt
        base = kit.base("means").encode(
            y=alt.Y("run:N", sort=list(names.names), title=None, axis=alt.Axis(**names.options)),
            tooltip=kit.tooltip({"run": "", "mean": ".4~g", "low": ".4~g", "high": ".4~g", "lists": ","}),
        )
        spans = base.mark_rule(strokeWidth=2, color=FIRST).encode(
            x=alt.X("low:Q", title=f"mean {measure}, with {level} CI", scale=alt.Scale(zero=False)),
            x2="high:Q",
        )
        dots = base.mark_point(size=70, color=FIRST, **DOT).encode(x="mean:Q")
        return alt.layer(spans, dots).properties(width=WIDE - 60, height=26 * len(rows))

    low, high = (format_number(bound) for bound in top.headline.interval(top.level))
    around = f" ({level} CI {low} to {high})" if top.headline.law is not None else ""
    drawn = (
        f" The chart shows the first {MAX_RUNS_DRAWN} of {len(order):,} runs."
        if len(order) > MAX_RUNS_DRAWN
        else ""
    )
    return Chart(
        "means",
        "Mean of each run, with intervals",
        f"{names.names[0]} has the highest mean {measure}, {format_number(top.headline.value)}{around}."
        f"{drawn}",
        {"means": rows},
        draw,
        make_columns("run/text", "mean", "low", "high", "lists/count"),
    )


def _describe_spelling(spelling: str) -> str:
    """Name a measure and its depth in words, without its options."""
    return spelling.split("(")[0].replace("_", " ")
