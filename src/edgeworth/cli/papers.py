"""``edgeworth reproduce``: the numbers of the papers that Edgeworth comes from, beside ours."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import Parameter

from edgeworth.cli.options import Whole
from edgeworth.cli.output import NO_OUTPUT, Output, show
from edgeworth.common.choices import PaperName
from edgeworth.common.progress import track_progress

DRIFTED = 1


def reproduce(
    paper: Annotated[PaperName, Parameter(help="Which paper.")],
    /,
    *,
    items: Annotated[
        int | None, Whole, Parameter(help="With su-zhang: also print its table for this many items.")
    ] = None,
    targets: Annotated[
        int | None, Whole, Parameter(help="With su-zhang: the number of targets among the items.")
    ] = None,
    seed: Annotated[int, Whole, Parameter(help="The seed of the simulations.")] = 0,
    output: Output = NO_OUTPUT,
) -> None:
    """Recompute every number that a source paper prints, and explain those that differ.

    Exit code 1: a number differs for no known reason.
    """
    from edgeworth import papers

    with track_progress("working"):
        report = papers.reproduce(paper, items=items, targets=targets, rng=seed)
    show(report, output)
    if report.numbers["counts"]["drifted"]:
        sys.exit(DRIFTED)
