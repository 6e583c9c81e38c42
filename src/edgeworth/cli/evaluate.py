"""``edgeworth evaluate``, ``table``, ``ranking`` and ``trec``: from files, counts or hits to a report."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from edgeworth.choices import Rows
from edgeworth.cli.options import (
    DrunkInterval,
    Files,
    OneProbability,
    named_files,
    split_names,
    with_options,
)
from edgeworth.cli.output import NO_OUTPUT, Output, show
from edgeworth.options import (
    HouseOptions,
    PartOptions,
    ReadOptions,
    Redeclared,
    ReportOptions,
    StatisticsOptions,
    TrecOptions,
)
from edgeworth.progress import progress_of


@with_options(OneProbability, ReadOptions, PartOptions, DrunkInterval, ReportOptions, "measures")
def evaluate(*files: Files, output: Output = NO_OUTPUT, **options: Any) -> None:
    """Evaluate labels, scores or probabilities in a file: informed or lucky, how sure, worth what?"""
    from edgeworth.evaluation import evaluate as run

    by_name, files = split_names(files)
    data = named_files(files, "evaluate") if by_name is None else by_name
    output.check(files, options)
    with progress_of("working"):
        report = run(data, with_digest=output.tells_origin, **options)
    show(report, output)


@with_options(Redeclared, "costs", HouseOptions, StatisticsOptions, "measures")
def table(
    counts: Annotated[str, Parameter(help='The counts, row by row: "12 28; 18 42".')],
    /,
    *,
    rows: Annotated[Rows, Parameter(help="What the rows of the table are.")],
    output: Output = NO_OUTPUT,
    **options: Any,
) -> None:
    """Evaluate a contingency table that is already counted."""
    from edgeworth.decisions.matrices import parse_matrix
    from edgeworth.decisions.table import ContingencyTable
    from edgeworth.evaluation import evaluate as run

    output.check((), options)
    counted = ContingencyTable.from_matrix(
        parse_matrix(counts, "the table"), rows=rows, labels=options.pop("labels", None)
    )
    show(run(counted, **options), output)


@with_options("depth", "gain", "cost", "method", StatisticsOptions, "measures")
def ranking(
    hits: Annotated[str, Parameter(help="A 1 for each target and a 0 for each other item, in rank order.")],
    /,
    *,
    output: Output = NO_OUTPUT,
    **options: Any,
) -> None:
    """Evaluate a ranking written as 0s and 1s: hits, recall and precision at each rank, average precision."""
    from edgeworth.questions import hits_report

    output.check((), options)
    show(hits_report(hits, **options), output)


@with_options(TrecOptions)
def trec(
    qrels: Annotated[str, Parameter(help="Judgements: query, iteration, document, grade.")],
    /,
    *runs: Annotated[
        str, Parameter(help="Runs: query, Q0, document, rank, score, tag; gzip or not; NAME=FILE names one.")
    ],
    output: Output = NO_OUTPUT,
    **options: Any,
) -> None:
    """Evaluate search runs against judgements: trec_eval's measures and tie rule, with intervals."""
    from edgeworth.questions import evaluate_trec

    by_name, runs = split_names(runs)
    output.check((qrels, *runs), options)
    with progress_of("working"):
        report = evaluate_trec(qrels, runs if by_name is None else by_name, **options)
    show(report, output)
