"""``edgeworth noise``: how noisy is my benchmark?"""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from edgeworth.cli.options import NamedFiles, named_files, numbers, split_names
from edgeworth.cli.output import NO_OUTPUT, Output, show
from edgeworth.common.choices import ErrorRule
from edgeworth.common.progress import track_progress


def _columns(text: str) -> Parameter:
    return Parameter(help=text, metavar="COLUMN", negative="")


def noise(
    *files: NamedFiles,
    correct: Annotated[
        tuple[str, ...], _columns("A column of right or wrong: once per run, or once with --id.")
    ] = (),
    grade: Annotated[tuple[str, ...], _columns("A column of grades: once per run, or once with --id.")] = (),
    prediction: Annotated[
        tuple[str, ...], _columns("A column of predicted labels: once per run, or once with --id.")
    ] = (),
    score: Annotated[
        tuple[str, ...], _columns("A column of scores: once per run, or once with --id or --query.")
    ] = (),
    probability: Annotated[
        tuple[str, ...],
        _columns("A column of the positive class's probabilities: once per run, or once with --id."),
    ] = (),
    truth: Annotated[str | None, Parameter(help="The column of actual classes.", metavar="COLUMN")] = None,
    positive: Annotated[
        str | None,
        Parameter(help="With scores and probabilities: the positive class.", metavar="LABEL"),
    ] = None,
    query: Annotated[str | None, Parameter(help="With --score: the column of queries.", metavar="COLUMN")] = (
        None
    ),
    measure: Annotated[
        str | None,
        Parameter(
            help="The measure for scores (average_precision) or probabilities (brier).", metavar="NAME"
        ),
    ] = None,
    id: Annotated[str | None, Parameter(help="The column that identifies an item.", metavar="COLUMN")] = None,
    require: Annotated[
        tuple[str, ...],
        Parameter(
            help="A requirement of a gate, as check takes it; may be given again.",
            metavar="TEXT",
            negative="",
        ),
    ] = (),
    requirements: Annotated[
        str | None, Parameter(help="A TOML file of requirements, as check reads it.", metavar="FILE")
    ] = None,
    scorer: Annotated[str | None, Parameter(help="In run logs: the scorer to use.", metavar="NAME")] = None,
    errors: Annotated[
        ErrorRule, Parameter(help="In run logs: whether answers that errored are dropped or count as wrong.")
    ] = ("drop"),
    grade_range: Annotated[
        str | None, Parameter(help="The lowest and the highest grade.", metavar="LOW,HIGH")
    ] = None,
    lower_is_better: Annotated[bool, Parameter(help="Lower grades are better.", negative="")] = False,
    level: Annotated[float, Parameter(help="Confidence level of intervals.")] = 0.95,
    power: Annotated[
        float, Parameter(help="The power: how often the test detects a difference that exists.")
    ] = 0.8,
    seed: Annotated[int, Parameter(help="The seed of simulated runs.")] = 0,
    output: Output = NO_OUTPUT,
) -> None:
    """Measure how much one system's answers change between runs, and what that hides."""
    from edgeworth.reruns import noise as run

    by_name, files = split_names(files)
    data = named_files(files, "noise") if by_name is None else by_name
    output.check(files if requirements is None else (*files, requirements))
    bounds = None if grade_range is None else tuple(numbers(grade_range, "grade-range"))
    with track_progress("working"):
        report = run(
            data,
            correct=correct,
            grade=grade,
            prediction=prediction,
            score=score,
            probabilities=probability,
            query=query,
            measure=measure,
            truth=truth,
            positive=positive,
            id=id,
            require=require,
            requirements=requirements,
            scorer=scorer,
            errors=errors,
            grade_range=bounds,  # type: ignore[arg-type]  # checked when it is used
            lower_is_better=lower_is_better,
            level=level,
            power=power,
            rng=seed,
        )
    show(report, output)
