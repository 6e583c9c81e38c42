"""``edgeworth evaluate``, ``table`` and ``trec``: from files or counts to a report."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from cyclopts import Parameter

from edgeworth.cli.arguments import Adjust, Level, Seed, Whole, matrix
from edgeworth.cli.options import Files, named_files, read_files, with_options
from edgeworth.cli.output import NO_OUTPUT, Output, show
from edgeworth.options import HouseOptions, Ordered, ReadOptions, ReportOptions, StatisticsOptions
from edgeworth.progress import progress_of


@with_options(ReadOptions, ReportOptions)
def evaluate(*files: Files, output: Output = NO_OUTPUT, **options: Any) -> None:
    """Evaluate labels, scores or probabilities in a file: informed or lucky, how sure, worth what?"""
    from edgeworth.evaluation import evaluate as run

    data = named_files(files, evaluate)
    output.check(*read_files(files))
    with progress_of("working"):
        report = run(data, with_digest=output.tells_origin, **options)
    show(report, output)


@with_options(Ordered, HouseOptions, StatisticsOptions, own=False)
def table(
    counts: Annotated[str, Parameter(help='The counts, row by row: "12 28; 18 42".')],
    /,
    *,
    rows: Annotated[
        Literal["predicted", "actual", "real"], Parameter(help="What the rows of the table are.")
    ],
    output: Output = NO_OUTPUT,
    **options: Any,
) -> None:
    """Evaluate a contingency table that is already counted."""
    from edgeworth.decisions.table import ContingencyTable
    from edgeworth.evaluation import evaluate as run

    counted = ContingencyTable.from_matrix(matrix(counts), rows=rows, labels=options.pop("labels", None))
    show(run(counted, **options), output)


def trec(
    qrels: Annotated[str, Parameter(help="Judgements: query, iteration, document, grade.")],
    /,
    *runs: Annotated[str, Parameter(help="Runs: query, Q0, document, rank, score, tag; gzip or not.")],
    measure: Annotated[
        tuple[str, ...],
        Parameter(metavar="MEASURE"),
        Parameter(help="A measure to take instead of all, such as ndcg@10 or P_10."),
    ] = (),
    relevant_from: Annotated[
        int, Whole, Parameter(help="The smallest grade that makes a document relevant.")
    ] = 1,
    absent: Annotated[
        Literal["leave_out", "zero"],
        Parameter(help="What a judged query counts for which the run has no list."),
    ] = "leave_out",
    no_targets: Annotated[
        Literal["leave_out", "zero"], Parameter(help="What a query without a relevant document counts.")
    ] = "leave_out",
    queries: Annotated[
        Literal["intersection", "error"],
        Parameter(help="Compare runs on the queries that all of them have, or only if these are the same."),
    ] = "intersection",
    adjust: Adjust = "holm",
    level: Level = 0.95,
    seed: Seed = 0,
    output: Output = NO_OUTPUT,
) -> None:
    """Evaluate search runs against judgements: trec_eval's measures and tie rule, with intervals."""
    from edgeworth.questions import evaluate_trec

    output.check(qrels, *runs)
    with progress_of("working"):
        report = evaluate_trec(
            qrels,
            runs,
            measures=measure,
            relevant_from=relevant_from,
            absent=absent,
            no_targets=no_targets,
            queries=queries,
            adjust=adjust,
            level=level,
            seed=seed,
        )
    show(report, output)
