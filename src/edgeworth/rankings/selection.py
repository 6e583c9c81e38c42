"""The report on random selection itself: what chance does to average precision and to hits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from edgeworth.core.tails import Tail
from edgeworth.decisions.report import tail_to_dict
from edgeworth.rankings.chance.hits import HitsLaw
from edgeworth.rankings.chance.law import AveragePrecisionLaw
from edgeworth.report.report import Cell, Column, Grid, Report, Section
from edgeworth.report.wording import figure, option_said, probability_words, tail_cell


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
        f"{depth} of {figure(law.mean)}, give or take {figure(law.standard_deviation)}."
    ]
    if value is not None and tail is not None:
        said.append(
            f"It reaches {option_said(value)} with probability {probability_words(tail)} ({tail.method})."
        )
    if hits_law is not None:
        said.append(f"Within the first {hits_law.t:,} it finds {figure(hits_law.mean)} targets on average.")
    if hits is not None and hits_tail is not None:
        said.append(f"It finds {hits:,} or more with probability {probability_words(hits_tail)}.")
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
        (f"{name} of at least {option_said(asked)}", tail_cell(found), found.low, found.high, found.method)
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
