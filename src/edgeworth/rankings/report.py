"""The report on one ranking: findings in, sections and tables out. Arranges numbers, computes none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from edgeworth.arrays import finite_or_none
from edgeworth.core.estimates import Estimate
from edgeworth.core.formatting import format_count, format_level, format_number, plural
from edgeworth.core.tails import Tail
from edgeworth.decisions.report import estimate_row, tail_to_dict
from edgeworth.rankings.chance.hits import HitsLaw
from edgeworth.rankings.chance.law import AveragePrecisionLaw
from edgeworth.rankings.charts import ranking_charts
from edgeworth.rankings.findings import Look, RankingFindings, examine_ranking
from edgeworth.rankings.verdict import ranking_verdict
from edgeworth.report.report import About, Cell, Column, Grid, Report, Section
from edgeworth.report.wording import (
    describe_measure,
    describe_probability,
    format_option,
    tail_cell,
)


def report_ranking(tallied: Any, asked: Any, about: About) -> Report:
    """Examine a ranking and report on it."""
    ranking = tallied.final
    looks = {name: asked.get(name) for name in ("depth", "gain", "cost")}
    findings = examine_ranking(ranking, level=asked.level, seed=asked.seed, **looks)
    return ranking_report(findings, about(**looks, items=ranking.total, targets=ranking.target_total))


def ranking_report(findings: RankingFindings, provenance: Mapping[str, Any]) -> Report:
    """Arrange what was found."""
    charts = ranking_charts(findings)
    found = (
        (_quality(findings), ("roc", "chance")),
        (_looks(findings), ("hits", "precision_recall")),
        (_cut(findings), ()),
        (_worth(findings), ("value",)),
    )
    return Report(
        verdict=ranking_verdict(findings),
        sections=tuple(
            replace(section, charts=tuple(name for name in names if name in charts))
            for section, names in found
            if section is not None
        ),
        warnings=ranking_warnings(findings),
        provenance=provenance,
        numbers=_numbers(findings),
        charts=charts,
    )


def ranking_warnings(findings: RankingFindings) -> tuple[str, ...]:
    """One sentence each."""
    ranking, said = findings.ranking, []
    if ranking.dropped:
        rows = plural(ranking.dropped, "row was", "rows were")
        said.append(f"{ranking.dropped:,} {rows} dropped for a missing value.")
    asked = findings.asked_depth
    if asked is not None and asked > ranking.ranked_total:
        items = f"{format_count(float(ranking.ranked_total))} {plural(ranking.ranked_total, 'item')}"
        said.append(f"The list has {items}: depth {asked:,} is all of it.")
    for estimate in (findings.average_precision, findings.roc_auc):
        if estimate.doubt is not None:
            said.append(
                f"The interval of {describe_measure(estimate.measure)} may not cover as it says: "
                f"{estimate.doubt}."
            )
    if findings.tie_bracket is not None:
        worst, best = (format_number(value) for value in findings.tie_bracket)
        said.append(
            f"Targets are tied with other items: average precision is the mean over random orders of ties; "
            f"it is {worst} in the worst order and {best} in the best."
        )
    if ranking.bins is not None:
        said.append(f"Scores were put into {len(ranking.bins):,} bins; within a bin they count as tied.")
    if ranking.unranked:
        said.append(
            f"{format_count(float(ranking.unranked))} targets have no score and stand below everything."
        )
    if not ranking.is_counted:
        said.append("Rows are weighted: exact laws of chance are left out.")
    return tuple(said)


def _quality(findings: RankingFindings) -> Section:
    level = format_level(findings.level)
    columns = (
        Column("measure", "measure"),
        Column("value", "number"),
        Column(f"{level} interval", "interval"),
        Column("by chance", "number"),
        Column("method"),
    )
    rows = [estimate_row(x, findings.level) for x in (findings.average_precision, findings.roc_auc)]
    rows += [(name, finite_or_none(value), (None, None), None, "") for name, value in findings.plain.items()]
    grids = [Grid("", columns, tuple(rows))]
    if findings.tail is not None:
        what = "as well" if findings.is_better else "as badly"
        heads = (Column("random selection would do"), Column("probability", "probability"), Column("method"))
        line = (f"{what}, by average precision", tail_cell(findings.tail), findings.tail.method)
        grids.append(Grid("", heads, (line,)))
    return Section("How good is the ranking", (), tuple(grids))


def _looks(findings: RankingFindings) -> Section | None:
    if not findings.looks:
        return None
    level = format_level(findings.level)
    columns = (
        Column("first", "count"),
        Column("hits", "count"),
        Column("by chance", "count"),
        Column("precision", "number"),
        Column(f"{level} interval", "interval"),
        Column("recall", "number"),
        Column("lift", "number"),
        Column("P(chance)", "probability"),
    )
    rows = tuple(_look_row(look, findings.level) for look in findings.looks)
    note = (
        "intervals take the score at that depth as a fixed threshold; "
        "lift: precision over the share of targets; P(chance): random selection finds as many"
        f"{_why_no_chance(findings)}"
    )
    return Section("Looking at the first items", (), (Grid("", columns, rows, note),))


def _why_no_chance(findings: RankingFindings) -> str:
    """A tie that straddles a depth makes hits a mean over orders, which has no hypergeometric law."""
    ranking = findings.ranking
    if all(look.at_least is not None for look in findings.looks):
        return ""
    return "; – where a tie straddles the depth" if ranking.is_counted else "; – with sampling weights"


def _look_row(look: Look, level: float) -> tuple[Cell, ...]:
    low, high = look.precision.interval(level)
    return (
        look.depth,
        int(look.hits) if float(look.hits).is_integer() else look.hits,
        look.by_chance,
        finite_or_none(look.precision.value),
        (finite_or_none(low), finite_or_none(high)),
        finite_or_none(look.recall.value),
        finite_or_none(look.lift),
        None if look.at_least is None else tail_cell(look.at_least),
    )


def _cut(findings: RankingFindings) -> Section | None:
    best = findings.best
    if best is None:
        return None
    table = best.table
    columns = (
        Column("decision ↓  really →"),
        *(Column(str(label), "count") for label in table.labels),
    )
    rows = tuple((str(label), *row) for label, row in zip(table.labels, table.counts.tolist(), strict=True))
    where = (
        "" if findings.ranking.is_placed else f"scores of at least {format_option(float(best.threshold))}, "
    )
    items = f"the first {format_count(best.depth)} {plural(best.depth, 'item')}"
    text = (
        f"Taking {where}{items}, as targets has informedness {format_number(best.informedness)}: recall "
        "exceeds "
        "fallout by most there. It is the best cut found in these very data: expect less of it on new ones.",
    )
    return Section("Where to cut", text, (Grid("", columns, rows),))


def _worth(findings: RankingFindings) -> Section | None:
    worth = findings.worth
    if worth is None:
        return None
    rows: tuple[tuple[Cell, ...], ...] = (
        (f"value of looking at the first {findings.depth:,}", worth.at_depth),
        ("best depth of this list", format_count(worth.best_depth)),
        ("value there (the best found)", worth.best_value),
    )
    title = f"What it is worth: {format_option(worth.gain)} a hit, {format_option(worth.cost)} a look"
    return Section(title, (), (Grid("", (Column("what"), Column("value", "number")), rows),))


def _numbers(findings: RankingFindings) -> dict[str, Any]:
    level, ranking = findings.level, findings.ranking
    estimates = (findings.average_precision, findings.roc_auc)
    return {
        "kind": "ranking",
        "level": level,
        "settled": findings.is_conclusive,
        "items": ranking.total,
        "targets": ranking.target_total,
        "unranked": ranking.unranked,
        "estimates": {x.measure: x.to_dict(level) for x in estimates},
        "values": {name: finite_or_none(value) for name, value in findings.plain.items()},
        "random_selection": {
            "direction": "as well" if findings.is_better else "as badly",
            "tail": tail_to_dict(findings.tail),
        },
        "looks": [_look_to_dict(look, level) for look in findings.looks],
        "best_cut": _best_to_dict(findings),
        "worth": None if findings.worth is None else vars(findings.worth),
        "ties": None
        if findings.tie_bracket is None
        else {"worst": findings.tie_bracket[0], "best": findings.tie_bracket[1]},
        "curve": _curve_to_dict(findings),
    }


def _look_to_dict(look: Look, level: float) -> dict[str, Any]:
    def said(estimate: Estimate) -> dict[str, Any]:
        return estimate.to_dict(level)

    return {
        "depth": look.depth,
        "hits": look.hits,
        "by_chance": look.by_chance,
        "precision": said(look.precision),
        "recall": said(look.recall),
        "lift": finite_or_none(look.lift),
        "random_selection": tail_to_dict(look.at_least),
    }


def _best_to_dict(findings: RankingFindings) -> dict[str, Any] | None:
    best = findings.best
    if best is None:
        return None
    return {
        "threshold": finite_or_none(best.threshold),
        "depth": best.depth,
        "informedness": best.informedness,
        "tally": best.table.to_dict(),
    }


def _curve_to_dict(findings: RankingFindings) -> dict[str, Any] | None:
    curve = findings.curve
    if curve is None:
        return None
    found = curve.bands
    return {
        "method": found.method,
        "depth": found.depth.tolist(),
        "recall": found.recall.tolist(),
        "recall_low": found.recall_low.tolist(),
        "recall_high": found.recall_high.tolist(),
        "precision": found.precision.tolist(),
        "precision_low": found.precision_low.tolist(),
        "precision_high": found.precision_high.tolist(),
        "random_hits_low": curve.chance_low.tolist(),
        "random_hits_high": curve.chance_high.tolist(),
    }


def selection_report(
    law: AveragePrecisionLaw,
    value: float | None,
    tail: Tail | None,
    hits_law: HitsLaw | None,
    hits: int | None,
    hits_tail: Tail | None,
    provenance: Mapping[str, Any],
) -> Report:
    """Mean and spread of random selection, and how often it does as well as asked."""
    depth = "" if law.depth == law.n else f" within the first {law.depth:,}"
    said = [
        f"Random selection among {law.n:,} items, {law.m:,} of them targets, has a mean average precision"
        f"{depth} of {format_number(law.mean)}, give or take {format_number(law.standard_deviation)}."
    ]
    if value is not None and tail is not None:
        said.append(
            f"It reaches {format_option(value)} with probability {describe_probability(tail)} "
            f"({tail.method})."
        )
    if hits_law is not None:
        said.append(
            f"Within the first {hits_law.t:,} it finds {format_number(hits_law.mean)} targets on average."
        )
    if hits is not None and hits_tail is not None:
        said.append(f"It finds {hits:,} or more with probability {describe_probability(hits_tail)}.")
    rows: list[tuple[Cell, ...]] = [
        ("mean", law.mean),
        ("standard deviation", law.standard_deviation),
        ("share of targets", law.share),
    ]
    grid = Grid(
        "Average precision by random selection", (Column("what"), Column("value", "number")), tuple(rows)
    )
    tails = [("average precision", value, tail), ("hits", hits, hits_tail)]
    lines = tuple(
        (f"{name} of at least {format_option(asked)}", tail_cell(found), found.low, found.high, found.method)
        for name, asked, found in tails
        if asked is not None and found is not None
    )
    columns = (
        Column("what"),
        Column("probability", "probability"),
        Column("at least", "probability"),
        Column("at most", "probability"),
        Column("method"),
    )
    grids = (grid, Grid("Probabilities", columns, lines)) if lines else (grid,)
    return Report(
        verdict=" ".join(said),
        sections=(Section("Random selection", (), grids),),
        warnings=(),
        provenance=provenance,
        numbers={
            "kind": "chance",
            "average_precision": {
                "mean": law.mean,
                "variance": law.variance,
                "standard_deviation": law.standard_deviation,
                "value": value,
                "tail": tail_to_dict(tail),
            },
            "hits": None
            if hits_law is None
            else {
                "mean": hits_law.mean,
                "variance": hits_law.variance,
                "value": hits,
                "tail": tail_to_dict(hits_tail),
            },
        },
    )
