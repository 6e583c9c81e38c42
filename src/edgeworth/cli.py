"""The command: the same words as the Python functions. Heavy imports wait until a command needs them."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

from cyclopts import App, CycloptsError, Parameter

from edgeworth import __version__
from edgeworth.arguments import (
    Commission,
    Hyphen,
    Json,
    Labels,
    Level,
    Margin,
    Pool,
    Seed,
    Whole,
    matrix,
    named_bookmaker,
    numbers,
    split,
)
from edgeworth.errors import EdgeworthError, OptionError

if TYPE_CHECKING:
    from edgeworth.reports import Report

BAD_INPUT = 2

app = App(
    name="edgeworth",
    version=__version__,
    help="Are these predictions informed, or lucky? How sure is that, and what is the edge worth?",
)


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
    time: Annotated[
        str | None, Parameter(help="With probabilities: the column of numbers that puts rows in time order.")
    ] = None,
    ordered: Annotated[
        bool, Parameter(help="With probabilities: the rows are in time order.", negative="")
    ] = False,
    predictions_made: Annotated[
        Literal["before", "cross-validated", "in-sample"] | None,
        Parameter(help="When the probabilities were made: before the outcomes, or not."),
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
    json: Json = None,
) -> None:
    """Evaluate labels, scores or probabilities in a file: informed or lucky, how sure, worth what?"""
    from edgeworth.evaluation import evaluate as run

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
        bookmaker=named_bookmaker(bookmaker, seed),
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
    _show(report, json)


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
    json: Json = None,
) -> None:
    """Evaluate a contingency table that is already counted."""
    from edgeworth.evaluation import evaluate_table
    from edgeworth.tallies import ContingencyTable

    counted = ContingencyTable.from_matrix(matrix(counts), rows=rows, labels=split(labels))
    _show(
        evaluate_table(counted, level=level, seed=seed, pool=pool, margin=margin, commission=commission),
        json,
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
    level: Level = 0.95,
    seed: Seed = 0,
    json: Json = None,
) -> None:
    """Evaluate search runs against judgements: trec_eval's measures and tie rule, with intervals."""
    from edgeworth.evaluation import evaluate_trec

    report = evaluate_trec(
        qrels,
        runs,
        measures=measure,
        relevant_from=relevant_from,
        absent=absent,
        no_targets=no_targets,
        level=level,
        seed=seed,
    )
    _show(report, json)


@app.command
def chance(
    *,
    items: Annotated[int, Whole, Parameter(help="How many items there are.")],
    targets: Annotated[int, Whole, Parameter(help="How many of them are targets.")],
    average_precision: Annotated[
        float | None, Parameter(help="The average precision that chance has to reach.")
    ] = None,
    hits: Annotated[
        int | None, Whole, Parameter(help="The hits that chance has to reach, within the depth.")
    ] = None,
    depth: Annotated[
        int | None, Whole, Parameter(help="How many items one looks at; all of them if left out.")
    ] = None,
    over: Annotated[
        Literal["targets", "reachable"],
        Parameter(help="With a depth: average precision over all targets, or over those within reach."),
    ] = "targets",
    seed: Seed = 0,
    json: Json = None,
) -> None:
    """What random selection does: the law of average precision, or of hits, and the chance of a value."""
    from edgeworth.questions import chance_report

    report = chance_report(
        items,
        targets,
        average_precision=average_precision,
        hits=hits,
        depth=depth,
        over=over,
        seed=seed,
    )
    _show(report, json)


@app.command
def kelly(
    *,
    probabilities: Annotated[str, Parameter(help="The probability of each outcome, separated by commas.")],
    odds: Annotated[str, Parameter(help="The decimal odds on each outcome, separated by commas.")],
    lay: Annotated[
        str | None, Parameter(help="The odds at which each outcome can be laid; backing only if left out.")
    ] = None,
    fraction: Annotated[float, Parameter(help="The fraction of the full stakes.")] = 1.0,
    json: Json = None,
) -> None:
    """Kelly's stakes for one race: what share of the wealth to bet on each outcome."""
    from edgeworth.questions import kelly_report

    prices = None if lay is None else numbers(lay, "lay")
    report = kelly_report(
        numbers(probabilities, "probabilities"), numbers(odds, "odds"), lay=prices, fraction=fraction
    )
    _show(report, json)


@app.command
def measures(
    *words: Annotated[str, Parameter(help="Only measures whose name or synonyms hold these words.")],
) -> None:
    """List the measures: spelling, formula, range, chance level, source."""
    from edgeworth.measures import search
    from edgeworth.reports.terminal import print_measures

    found = search(" ".join(words))
    if not found:
        raise OptionError(f"no measure or synonym holds {' '.join(words)!r}")
    print_measures(found)


@app.command
def demo(*, folder: Annotated[Path, Parameter(help="Where to write the files.")] = Path()) -> None:
    """Evaluate the sample data that come with Edgeworth, and write edgeworth-demo.json."""
    from edgeworth.evaluation import evaluate as run
    from edgeworth.sample import SAMPLE_STORY, sample_file

    with sample_file() as path:
        report = run(path, truth="low", prediction="larger_model", positive="1")
    target = folder / "edgeworth-demo.json"
    report.to_json(target)
    sys.stdout.write(f"{SAMPLE_STORY}\n\n")
    _show(report, None)
    sys.stdout.write(f"\nEverything above, and the numbers behind it, is in {target}\n")


def _show(report: Report, json: str | None) -> None:
    if json == "-":
        # JSON is UTF-8 whatever the terminal is.
        sys.stdout.buffer.write(report.to_json().encode())
        return
    if json is not None:
        report.to_json(json)
    from edgeworth.reports.terminal import print_report

    print_report(report)


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command. Exit code 0: done; 2: bad input, with a sentence on standard error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a sign shows a question mark, not a traceback.
            stream.reconfigure(errors="replace")
    try:
        app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
        sys.stdout.flush()
    except (EdgeworthError, CycloptsError) as error:
        sys.stderr.write(f"edgeworth: {error}\n")
        sys.exit(BAD_INPUT)
    except BrokenPipeError:
        # The reader (head, less) has gone, which is no error; nothing more may be written to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
    except KeyboardInterrupt:
        sys.stderr.write("edgeworth: interrupted\n")
        sys.exit(130)
    sys.exit(0)
