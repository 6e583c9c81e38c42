"""``edgeworth plan``: how many cases do I need?"""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from edgeworth.cli.output import NO_OUTPUT, Output, show

Amount = Annotated[str | None, Parameter(metavar="AMOUNT")]
Share = Annotated[str | None, Parameter(metavar="SHARE")]
Number = float | None


def plan(
    *,
    difference: Annotated[
        Amount, Parameter(help="The difference to show: 0.02, or 2pp for two points.")
    ] = None,
    margin: Annotated[Amount, Parameter(help="Show that a system is no worse by this much.")] = None,
    width: Annotated[Amount, Parameter(help="The half-width of the interval: 1pp is ±1 point.")] = None,
    cases: Annotated[int | None, Parameter(help="Compute what this many cases can show.")] = None,
    accuracy: Annotated[Share, Parameter(help="The expected share of right answers: 0.8 or 80%.")] = None,
    agreement: Annotated[
        Share, Parameter(help="The share of cases on which both systems are right or both are wrong.")
    ] = None,
    recall: Annotated[Share, Parameter(help="The expected recall, with --targets.")] = None,
    informedness: Annotated[Share, Parameter(help="The expected informedness, with --targets.")] = None,
    roc_area: Annotated[Share, Parameter(help="The expected ROC area, with --targets.")] = None,
    targets: Annotated[Share, Parameter(help="The share of targets among the cases.")] = None,
    sd: Annotated[
        Number, Parameter(help="For points and queries: the standard deviation of a system's values.")
    ] = None,
    correlation: Annotated[
        Number, Parameter(help="The correlation between the values or scores of the two systems.")
    ] = None,
    cluster_size: Annotated[int, Parameter(help="The number of cases per cluster.")] = 1,
    icc: Annotated[float, Parameter(help="The correlation between cases of one cluster.")] = 0.0,
    repeats: Annotated[int, Parameter(help="The number of answers per item and system.")] = 1,
    flip_rate: Annotated[
        Share, Parameter(help="With --repeats: the share of answers that change in a rerun.")
    ] = None,
    rerun_sd: Annotated[
        Number, Parameter(help="With --repeats and --sd: the standard deviation between reruns.")
    ] = None,
    unit: Annotated[str | None, Parameter(help="What a case is called.", metavar="WORD")] = None,
    level: Annotated[float, Parameter(help="Confidence level of intervals.")] = 0.95,
    power: Annotated[
        float, Parameter(help="The power: how often the test detects a difference that exists.")
    ] = 0.8,
    output: Output = NO_OUTPUT,
) -> None:
    """Plan a test before there are data: how many cases are needed, or what a number of cases shows."""
    from edgeworth.planner import plan as run

    report = run(
        difference=difference,
        margin=margin,
        width=width,
        cases=cases,
        accuracy=accuracy,
        agreement=agreement,
        recall=recall,
        informedness=informedness,
        roc_area=roc_area,
        targets=targets,
        sd=sd,
        correlation=correlation,
        cluster_size=cluster_size,
        icc=icc,
        repeats=repeats,
        flip_rate=flip_rate,
        rerun_sd=rerun_sd,
        unit=unit,
        level=level,
        power=power,
    )
    show(report, output)
