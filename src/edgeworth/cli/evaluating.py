"""``edgeworth evaluate``, ``table`` and ``trec``: from files or counts to a report."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from edgeworth.arguments import (
    Adjust,
    Commission,
    Hyphen,
    Labels,
    Level,
    Margin,
    Pool,
    Seed,
    Whole,
    matrix,
    named_bookmaker,
    split,
)
from edgeworth.cli.app import app
from edgeworth.cli.output import NO_OUTPUT, Output, show
from edgeworth.errors import OptionError


@app.command
def evaluate(
    file: Annotated[str, Parameter(help="A text file with a header: CSV, TSV, compressed or not.")],
    /,
    *,
    truth: Annotated[str, Parameter(help="The column of real classes.")],
    prediction: Annotated[str | None, Parameter(help="The column of predicted labels.")] = None,
    score: Annotated[
        str | None, Parameter(help="The column of scores to rank by, highest first (instead of labels).")
    ] = None,
    probability: Annotated[
        str | None, Parameter(help="The column of the positive class's probabilities (instead of labels).")
    ] = None,
    probabilities: Annotated[
        str | None, Parameter(help="The columns of each class's probabilities, separated by commas.")
    ] = None,
    against: Annotated[
        str | None,
        Parameter(
            help="With probabilities: the rival's column, or columns separated by commas, to bet against."
        ),
    ] = None,
    odds: Annotated[
        str | None,
        Parameter(help="With probabilities: the columns of decimal odds to bet at, separated by commas."),
    ] = None,
    bookmaker: Annotated[
        Literal["drunken"] | None, Parameter(help="With probabilities: bet against prices drawn at random.")
    ] = None,
    drunk_interval: Annotated[
        str | None,
        Parameter(help="With --bookmaker drunken: the lowest and the highest price, 0,1 if left out."),
    ] = None,
    time: Annotated[
        str | None,
        Parameter(
            help="With probabilities: the column of numbers or ISO dates that puts rows in time order."
        ),
    ] = None,
    ordered: Annotated[
        bool, Parameter(help="With probabilities: the rows are in time order.", negative="")
    ] = False,
    predictions_made: Annotated[
        Literal["before", "cross-validated", "in-sample"] | None,
        Parameter(help="When the probabilities were made: before the outcomes (taken if left out) or not."),
    ] = None,
    stake: Annotated[
        float | None, Parameter(help="With probabilities: the fraction of Kelly's stake, 1 if left out.")
    ] = None,
    ordinal: Annotated[
        bool,
        Parameter(help="With probabilities: the classes are ordered as their columns.", negative=""),
    ] = False,
    normalise: Annotated[
        bool, Parameter(help="Divide each row of probabilities by its sum.", negative="")
    ] = False,
    group: Annotated[
        str | None,
        Parameter(
            help="The column that says which rows belong together: patient, document; with scores, the query."
        ),
    ] = None,
    id: Annotated[  # the word of the option
        str | None, Parameter(help="With scores and groups: the column that names each document.")
    ] = None,
    weight: Annotated[
        str | None,
        Parameter(help="The column of weights: whole numbers count cases, fractions are sampling weights."),
    ] = None,
    weight_kind: Annotated[
        Literal["counts", "sampling"] | None,
        Parameter(help="What the weights are, if not as their look says."),
    ] = None,
    labels: Labels = None,
    positive: Annotated[
        str | None, Hyphen, Parameter(help="The label that is meant where a measure of one label names none.")
    ] = None,
    abstain: Annotated[str | None, Hyphen, Parameter(help="The prediction that means no decision.")] = None,
    missing: Annotated[
        Literal["error", "drop", "abstain"],
        Parameter(
            help="What an empty field means: an error, a row to drop, or (in predictions) no decision."
        ),
    ] = "error",
    level: Level = 0.95,
    seed: Seed = 0,
    pool: Annotated[float | None, Parameter(help="Dollars in the pool of each bet: 10.")] = None,
    margin: Annotated[float | None, Parameter(help="The house's over-round: 0.05 is five per cent.")] = None,
    commission: Annotated[float | None, Parameter(help="The house's share of net winnings.")] = None,
    depth: Annotated[
        int | None, Whole, Parameter(help="With scores: how many items one looks at, for the verdict.")
    ] = None,
    gain: Annotated[float | None, Parameter(help="With scores: what a hit brings.")] = None,
    cost: Annotated[float | None, Parameter(help="With scores: what a look costs.")] = None,
    cells: Annotated[
        int | None,
        Whole,
        Parameter(help="With scores from 0 to 1: bound the memory by counting them in so many equal cells."),
    ] = None,
    relevant_from: Annotated[
        int | None,
        Whole,
        Parameter(help="With scores and groups: the smallest grade that makes a target, 1 if left out."),
    ] = None,
    output: Output = NO_OUTPUT,
) -> None:
    """Evaluate labels, scores or probabilities in a file: informed or lucky, how sure, worth what?"""
    from edgeworth.evaluation import evaluate as run

    output.check(file)
    if probability is not None and probabilities is not None:
        raise OptionError(
            "give either --probability, of the positive class, or --probabilities, of each class"
        )
    report = run(
        file,
        truth=truth,
        prediction=prediction,
        score=score,
        probabilities=probability if probabilities is None else split(probabilities),
        against=None if against is None else split(against),
        odds=split(odds),
        bookmaker=named_bookmaker(bookmaker, seed, drunk_interval),
        time=time,
        ordered=ordered,
        predictions_made=predictions_made,
        stake=stake,
        normalise=normalise,
        ordinal=ordinal,
        group=group,
        id=id,
        weight=weight,
        weight_kind=weight_kind,
        labels=split(labels),
        positive=positive,
        abstain=abstain,
        missing=missing,
        level=level,
        seed=seed,
        pool=pool,
        margin=margin,
        commission=commission,
        depth=depth,
        gain=gain,
        cost=cost,
        cells=cells,
        relevant_from=relevant_from,
    )
    show(report, output)


@app.command
def table(
    counts: Annotated[str, Parameter(help='The counts, row by row: "12 28; 18 42".')],
    /,
    *,
    rows: Annotated[Literal["predicted", "real"], Parameter(help="What the rows of the table are.")],
    labels: Labels = None,
    level: Level = 0.95,
    seed: Seed = 0,
    pool: Pool = 10.0,
    margin: Margin = 0.0,
    commission: Commission = 0.0,
    output: Output = NO_OUTPUT,
) -> None:
    """Evaluate a contingency table that is already counted."""
    from edgeworth.evaluation import evaluate_table
    from edgeworth.tallies import ContingencyTable

    counted = ContingencyTable.from_matrix(matrix(counts), rows=rows, labels=split(labels))
    show(
        evaluate_table(counted, level=level, seed=seed, pool=pool, margin=margin, commission=commission),
        output,
    )


@app.command
def trec(
    qrels: Annotated[str, Parameter(help="Judgements: query, iteration, document, grade.")],
    /,
    *runs: Annotated[str, Parameter(help="Runs: query, Q0, document, rank, score, tag; gzip or not.")],
    measure: Annotated[
        tuple[str, ...], Parameter(help="A measure to take instead of all, such as ndcg@10 or P_10.")
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
    from edgeworth.searching import evaluate_trec

    output.check(qrels, *runs)
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
