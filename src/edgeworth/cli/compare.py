"""``edgeworth compare``: which one is better?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from edgeworth.cli.arguments import Adjust, Column, File, Label, Labels, Level, Seed, Several, Whole, split
from edgeworth.cli.options import Files, named_files, read_files
from edgeworth.cli.output import NO_OUTPUT, Output, show
from edgeworth.errors import OptionError
from edgeworth.progress import progress_of

if TYPE_CHECKING:
    from edgeworth.comparison import Comparison, Kind


def compare(
    *files: Files,
    truth: Annotated[
        str | None, Column, Parameter(help="The column of real classes; guessed where plain.")
    ] = None,
    prediction: Annotated[
        tuple[str, ...],
        Several,
        Column,
        Parameter(help="A column of predicted labels; once for each system."),
    ] = (),
    score: Annotated[
        tuple[str, ...],
        Several,
        Column,
        Parameter(help="A column of scores, highest first; once for each system."),
    ] = (),
    probability: Annotated[
        tuple[str, ...],
        Several,
        Column,
        Parameter(help="A column of the positive class's probabilities; once for each system."),
    ] = (),
    probabilities: Annotated[
        tuple[str, ...],
        Several,
        Parameter(
            help="NAME=p_a,p_b,p_c: a system's columns, one a class; once for each system.",
            metavar="NAME=COLUMN,…",
        ),
    ] = (),
    group: Annotated[
        str | None,
        Column,
        Parameter(help="The column of what is independent: patient, document; with scores, the query."),
    ] = None,
    pooled: Annotated[
        bool,
        Parameter(help="With scores and groups: one ranking of all rows, groups only as units.", negative=""),
    ] = False,
    id: Annotated[  # the word of the option
        str | None, Column, Parameter(help="With scores and groups: the column that names each document.")
    ] = None,
    measure: Annotated[
        tuple[str, ...],
        Several,
        Parameter(
            help="A measure to compare by, instead of the usual ones; the first decides the verdict.",
            metavar="MEASURE",
        ),
    ] = (),
    weight: Annotated[str | None, Column, Parameter(help="The column of weights.")] = None,
    labels: Labels = None,
    positive: Annotated[
        str | None, Label, Parameter(help="The label that is meant where a measure of one label names none.")
    ] = None,
    abstain: Annotated[str | None, Label, Parameter(help="The prediction that means no decision.")] = None,
    missing: Annotated[
        Literal["error", "drop", "abstain"], Parameter(help="What an empty field means, as in evaluate.")
    ] = "error",
    ordered: Annotated[
        bool, Parameter(help="With probabilities: the rows are in time order.", negative="")
    ] = False,
    predictions_made: Annotated[
        Literal["before", "cross-validated", "in-sample"],
        Parameter(help="When the probabilities were made: before the outcomes, or not."),
    ] = "before",
    normalise: Annotated[
        bool, Parameter(help="Divide each row of probabilities by its sum.", negative="")
    ] = False,
    horizon: Annotated[
        int, Whole, Parameter(help="With probabilities: how many rows ahead each forecast was made.")
    ] = 1,
    adjust: Adjust = "holm",
    power: Annotated[float, Parameter(help="The power for which the number of cases needed is told.")] = 0.8,
    queries: Annotated[
        Literal["intersection", "error"],
        Parameter(help="Compare on the queries that all systems have, or only if these are the same."),
    ] = "intersection",
    relevant_from: Annotated[
        int, Whole, Parameter(help="With scores and groups: the smallest grade that makes a target.")
    ] = 1,
    weight_kind: Annotated[
        Literal["counts", "sampling"] | None,
        Parameter(help="What the weights are, if not as their look says."),
    ] = None,
    csv: Annotated[
        str | None,
        File,
        Parameter(help="Write all pairs and measures as CSV; - is standard output, alone."),
    ] = None,
    latex: Annotated[
        str | None, File, Parameter(help="Write the same table for a paper; - is standard output, alone.")
    ] = None,
    level: Level = 0.95,
    seed: Seed = 0,
    output: Output = NO_OUTPUT,
) -> None:
    """Compare two or more systems on the same cases: which is better, how sure is that?"""
    from edgeworth.comparison import compare as run

    data = named_files(files, "measure", "adjust", "pooled", "power", "horizon", "queries", "csv", "latex")
    output.check(*read_files(files), csv=csv, latex=latex)
    kind, systems = _systems(prediction, score, probability, probabilities)
    with progress_of("working"):
        comparison = run(
            truth,
            systems,
            data=data,
            kind=kind,
            groups=group,
            ids=id,
            pooled=pooled,
            measures=measure or None,
            labels=split(labels),
            positive=positive,
            weights=weight,
            abstain=abstain,
            missing=missing,
            ordered=ordered,
            predictions_made=predictions_made,
            normalise=normalise,
            horizon=horizon,
            adjust=adjust,
            power=power,
            queries=queries,
            relevant_from=relevant_from,
            weight_kind=weight_kind,
            level=level,
            seed=seed,
            with_digest=output.tells_origin,
        )
    show(comparison.report, output, quiet=_tables(comparison, csv, latex))


def _systems(
    prediction: tuple[str, ...],
    score: tuple[str, ...],
    probability: tuple[str, ...],
    probabilities: tuple[str, ...],
) -> tuple[Kind, Any]:
    """The kind of prediction, and the columns of each system by its name."""
    given: dict[str, tuple[str, ...]] = {
        "--prediction": prediction,
        "--score": score,
        "--probability": probability,
        "--probabilities": probabilities,
    }
    said = [name for name, columns in given.items() if columns]
    if not said:
        raise OptionError(f"say what to compare, twice at least: one of {', '.join(given)}")
    if len(said) > 1:
        raise OptionError(f"systems of one comparison are of one kind; saw {' and '.join(said)}")
    if said == ["--probabilities"]:
        wide = {}
        for text in probabilities:
            name, sign, columns = text.partition("=")
            if not sign:
                raise OptionError(f"name the system of these columns, NAME=p_a,p_b; saw {text!r}")
            if name in wide:
                raise OptionError(f"two systems are called {name!r}: give each a name of its own")
            wide[name] = split(columns)
        return "probabilities", wide
    kinds: dict[str, Kind] = {
        "--prediction": "labels",
        "--score": "scores",
        "--probability": "probabilities",
    }
    return kinds[said[0]], list(given[said[0]])


def _tables(comparison: Comparison, csv: str | None, latex: str | None) -> bool:
    """Tables for files; True when standard output was taken by one."""
    taken = False
    for path, text in ((csv, comparison.to_csv), (latex, comparison.to_latex)):
        if path == "-":
            sys.stdout.buffer.write(text().encode())
            taken = True
        elif path is not None:
            text(path)
    return taken
