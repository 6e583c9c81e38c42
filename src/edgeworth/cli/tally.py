"""``edgeworth tally``, ``merge`` and ``report``: count here, add up there, report where it is read."""

from __future__ import annotations

import shlex
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from edgeworth.cli.arguments import Adjust, Column, Hyphen, Labels, Whole, split
from edgeworth.cli.options import (
    NO_COLUMNS,
    NO_QUESTION,
    Columns,
    Engine,
    Files,
    Master,
    Question,
    named_files,
    on_engine,
    read_files,
)
from edgeworth.cli.output import NO_OUTPUT, Output, show
from edgeworth.errors import InputError, OptionError
from edgeworth.progress import progress_of

if TYPE_CHECKING:
    from edgeworth.tallied import Tallied

Target = Annotated[
    str,
    Hyphen,
    Parameter(
        name=["--output", "-o"],
        metavar="FILE",
        help="The tally file to write (.gz too); - is standard output.",
    ),
]
TallyFiles = Annotated[
    str, Parameter(help="Tally files, in the order of their rows; patterns may be quoted.")
]
Again = Annotated[bool, Parameter(help="Count a source twice that is in two of the files.", negative="")]

NOT_TO_BE_MERGED = (
    "without a rival this can be reported on by itself, but not merged with others: "
    "give --against, --odds or --bookmaker"
)


def tally(
    *files: Files,
    prediction: Annotated[
        tuple[str, ...],
        Column,
        Parameter(help="The column of predicted labels; several to be compared.", negative=""),
    ] = (),
    columns: Columns = NO_COLUMNS,
    rows_before: Annotated[
        int | None,
        Whole,
        Parameter(
            help="With probabilities: how many rows of the path in time come before these; left out, files "
            "follow each other as they are named in merge."
        ),
    ] = None,
    engine: Engine = "auto",
    master: Master = None,
    output: Target,
) -> None:
    """Count a part of the data into a small file, to be merged with others and reported on later.

    Probabilities merge only against a rival: --against, --odds or --bookmaker.
    """
    from edgeworth.tallying import tally as run

    data = named_files(files)
    NO_OUTPUT.check(*read_files(files), output=output)
    one = prediction[0] if len(prediction) == 1 else None
    words = columns.read() | on_engine(engine, master)
    several = {name: name for name in prediction} or None
    with progress_of("working"):
        counted = run(data, prediction=several if one is None else one, rows_before=rows_before, **words)
    _write(counted, output)
    if getattr(counted.tally, "shares", None) is not None:
        sys.stderr.write(f"edgeworth: {NOT_TO_BE_MERGED}\n")


def merge(
    *files: TallyFiles,
    output: Target,
    again: Again = False,
) -> None:
    """Add tally files up; one of them may be the one that is written, as in a nightly job."""
    from edgeworth.forecasts.betting.joining import describe_gaps
    from edgeworth.tallied import merge_tallies

    NO_OUTPUT.check(output=output)
    _check_past(files, output)
    with progress_of("working"):
        merged = merge_tallies(_read(files), again=again)
    _write(merged, output)
    gaps = describe_gaps(merged.tally)
    if gaps is not None:
        sys.stderr.write(f"edgeworth: {gaps}\n")


def report(
    *files: TallyFiles,
    labels: Labels = None,
    positive: Annotated[
        str | None,
        Hyphen,
        Parameter(metavar="LABEL"),
        Parameter(help="The label that is meant, if not the one said when counting."),
    ] = None,
    measure: Annotated[
        tuple[str, ...],
        Parameter(metavar="MEASURE"),
        Parameter(help="Of several predictors: a measure to compare by, instead of the usual.", negative=""),
    ] = (),
    adjust: Adjust | None = None,
    again: Again = False,
    question: Question = NO_QUESTION,
    output: Output = NO_OUTPUT,
) -> None:
    """Report on a tally file, or on several as if they were merged."""
    from edgeworth.tallied import merge_tallies
    from edgeworth.tally_reports import evaluate_tally

    output.check(*read_files(files))
    with progress_of("working"):
        merged = merge_tallies(_read(files), again=again)
        found = evaluate_tally(
            merged,
            labels=split(labels),
            positive=positive,
            measures=measure or None,
            adjust=adjust,
            **asdict(question),
        )
    show(found, output)


def _check_past(files: tuple[str, ...], output: str) -> None:
    """On the first night of a nightly job there is no past to add a day to."""
    others = [name for name in files if name != output]
    if output in files and others and not Path(output).exists():
        words = shlex.join(["edgeworth", "merge", *others, "-o", output])
        raise InputError(f"{output} does not exist yet: on the first day, {words}")


def _read(files: tuple[str, ...]) -> list[Tallied]:
    from edgeworth.sources.paths import expand_paths
    from edgeworth.tally_files import read_tally

    if not files:
        raise OptionError("name the tally files")
    found = []
    names = expand_paths(list(files)) if len(files) > 1 else expand_paths(files[0])
    with progress_of("tallies read", len(names)) as done:
        for name in names:
            found.append(read_tally(name))
            done(1)
    return found


def _write(tallied: Tallied, output: str) -> None:
    from edgeworth.tally_files import tally_text, write_tally

    if output == "-":
        sys.stdout.buffer.write(tally_text(tallied).encode())
        return
    write_tally(tallied, output)
    sys.stdout.write(f"{output}: {_said(tallied)}\n")


def _said(tallied: Tallied) -> str:
    """What a tally file holds, in a line."""
    from edgeworth.tallied import dropped_rows

    origin = tallied.origin
    rows = "rows" if origin.rows is None else f"{origin.rows:,} row{'s' if origin.rows != 1 else ''}"
    dropped = dropped_rows(tallied.tally)
    lost = f" ({dropped:,} dropped)" if dropped else ""
    row = ", one after the other" if origin.number > 1 and tallied.terms.get("ordered") else ""
    return f"{rows}{lost} of {origin.number:,} source{'s' if origin.number != 1 else ''}{row}"
