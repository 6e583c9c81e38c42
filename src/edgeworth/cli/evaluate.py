"""``edgeworth evaluate``, ``table``, ``ranking`` and ``trec``: from files, counts or hits to a report."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from edgeworth.cli.options import (
    DrunkInterval,
    NamedFiles,
    OneProbability,
    OptionValue,
    named_files,
    split_names,
    with_options,
)
from edgeworth.cli.output import NO_OUTPUT, NO_SEARCH_OUTPUT, Output, SearchOutput, show
from edgeworth.common.choices import Rows
from edgeworth.common.progress import track_progress
from edgeworth.core.data_options import PartOptions
from edgeworth.core.options import (
    HouseOptions,
    ReadOptions,
    Redeclared,
    ReportOptions,
    StatisticsOptions,
    TrecOptions,
)
from edgeworth.errors import InputError, OptionError


@with_options(OneProbability, ReadOptions, PartOptions, DrunkInterval, ReportOptions, "measures")
def evaluate(*files: NamedFiles, output: Output = NO_OUTPUT, **options: OptionValue) -> None:
    """Evaluate labels, scores, probabilities or grades in a file, with intervals and tests."""
    from edgeworth.evaluation import evaluate as run

    by_name, files = split_names(files)
    data = named_files(files, "evaluate") if by_name is None else by_name
    output.check(files, options)
    with track_progress("working"):
        report = run(data, with_digest=output.has_output_file, **options)
    show(report, output)


COUNTS = (
    'The counts, row by row: "12 28; 18 42". Several tables of different cases are compared: '
    'train="50 10; 5 35" test="40 20; 10 30".'
)


@with_options(Redeclared, "costs", HouseOptions, StatisticsOptions, "measures")
def table(
    *counts: Annotated[str, Parameter(help=COUNTS)],
    rows: Annotated[Rows, Parameter(help="What the rows of the table are.")],
    output: Output = NO_OUTPUT,
    **options: OptionValue,
) -> None:
    """Evaluate a contingency table that is already counted, or compare several of different cases."""
    from edgeworth.decisions.matrices import parse_matrix
    from edgeworth.decisions.table import ContingencyTable
    from edgeworth.evaluation import evaluate as run

    output.check((), options)
    labels = options.pop("labels", None)
    named = _named_counts(counts)
    tables = {
        name: ContingencyTable.from_matrix(parse_matrix(text, name), rows=rows, labels=labels)
        for name, text in named.items()
    }
    for name, counts_table in tables.items():
        if not counts_table.total:
            raise InputError(f"every count of {name} is 0")
    if len(tables) == 1:
        show(run(*tables.values(), **options), output)
        return
    for name, counts_table in tables.items():
        if len(counts_table.labels) < 2:
            raise OptionError(f'{name} has one class: write a table row by row, "12 28; 18 42"')
    from edgeworth.comparison import compare

    positive = options.pop("positive", None)
    if positive is not None:
        tables = {name: counts_table.declare(positive=positive) for name, counts_table in tables.items()}
    for name in ("costs", "bets", *HouseOptions.__annotations__):
        if options.pop(name, None):
            raise OptionError(f"--{name} needs one table; saw {len(tables)}")
    show(compare(tables, **options).report, output)


def _named_counts(counts: tuple[str, ...]) -> dict[str, str]:
    """Split NAME=COUNTS; counts without a name are numbered."""
    if not counts:
        raise OptionError('give the counts of a table, row by row: "12 28; 18 42"')
    named: dict[str, str] = {}
    for number, text in enumerate(counts, start=1):
        name, sign, rest = text.rpartition("=")
        name = name.strip() if sign else "the table" if len(counts) == 1 else f"table {number}"
        if name in named:
            raise OptionError(f"two tables are called {name!r}: give each a name of its own")
        named[name] = rest
    return named


@with_options("depth", "gain", "cost", "method", StatisticsOptions, "measures")
def ranking(
    hits: Annotated[str, Parameter(help="A 1 for each target and a 0 for each other item, in rank order.")],
    /,
    *,
    output: Output = NO_OUTPUT,
    **options: OptionValue,
) -> None:
    """Evaluate a ranking written as 0s and 1s: hits, recall and precision at each rank, average precision."""
    from edgeworth.calculators import hits_report

    output.check((), options)
    show(hits_report(hits, **options), output)


@with_options(TrecOptions)
def trec(
    qrels: Annotated[str, Parameter(help="Judgements: query, iteration, document, grade.")],
    /,
    *runs: Annotated[
        str,
        Parameter(
            help="Runs: query, Q0, document, rank, score, tag (or MS MARCO, CSV, JSON); NAME=FILE names one."
        ),
    ],
    output: SearchOutput = NO_SEARCH_OUTPUT,
    **options: OptionValue,
) -> None:
    """Evaluate search runs against judgements: trec_eval's measures and tie rule, with intervals."""
    from edgeworth.calculators import evaluate_trec

    by_name, runs = split_names(runs)
    output.check((qrels, *runs), options)
    with track_progress("working"):
        report = evaluate_trec(qrels, runs if by_name is None else by_name, **options)
    show(report, output, csv=report.to_csv, latex=report.to_latex, per_query=report.to_per_query)
