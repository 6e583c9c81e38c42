"""``edgeworth tally``, ``merge`` and ``report``: count here, add up there, report where it is read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from edgeworth.cli.app import print_note
from edgeworth.cli.options import (
    DrunkInterval,
    Files,
    Hyphen,
    OneProbability,
    OptionValue,
    named_files,
    with_options,
)
from edgeworth.cli.output import NO_OUTPUT, Output, show
from edgeworth.common.escaping import shell_word
from edgeworth.common.progress import track_progress
from edgeworth.core.formatting import displayable, plural
from edgeworth.core.options import ManyOptions, Redeclared, ReportOptions, TallyOptions
from edgeworth.errors import InputError, OptionError

if TYPE_CHECKING:
    from edgeworth.pipeline.tally_record import TallyRecord

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
Again = Annotated[bool, Parameter(help="Count a source twice if two of the files hold it.", negative="")]

MAX_FILES_IN_SUGGESTED_COMMAND = 8
"""The most files that a suggested command names."""
NOT_TO_BE_MERGED = (
    "without an opponent, this tally can be reported on but not merged with others: "
    "give --against, --odds or --bookmaker"
)


@with_options(
    OneProbability,
    TallyOptions,
    DrunkInterval,
    several={"prediction": "The column of predicted labels; give it several times to compare systems."},
)
def tally(*files: Files, output: Target, **options: OptionValue) -> None:
    """Count a part of the data into a small file, to be merged with others and reported on later.

    Probabilities merge only against an opponent: --against, --odds or --bookmaker.
    """
    from edgeworth.pipeline.tally_rows import tally as run

    data = named_files(files, "tally")
    NO_OUTPUT.check(files, options, output=output)
    columns = options.pop("prediction", ())
    prediction = columns[0] if len(columns) == 1 else {name: name for name in columns} or None
    with track_progress("working"):
        counted = run(data, prediction=prediction, **options)
    _write(counted, output)
    if getattr(counted.tally, "shares", None) is not None:
        print_note(NOT_TO_BE_MERGED)


def merge(*files: TallyFiles, output: Target, again: Again = False) -> None:
    """Add up tally files. The output may be one of the inputs, as in a nightly job."""
    from edgeworth.core.kinds import kind_of
    from edgeworth.pipeline.tally_file import locked
    from edgeworth.pipeline.tally_record import TallyRecord

    NO_OUTPUT.check(output=output)
    _check_past(files, output)
    with track_progress("working"), locked(output) as check:
        merged = TallyRecord.merge(_read(files), again=again)
        check()
        _write(merged, output)
    gaps = kind_of(merged.tally).describe_gaps(merged.tally)
    if gaps is not None:
        print_note(gaps)


@with_options(ReportOptions, ManyOptions, Redeclared)
def report(
    *files: TallyFiles, again: Again = False, output: Output = NO_OUTPUT, **options: OptionValue
) -> None:
    """Report on a tally file, or on several as if they were merged."""
    from edgeworth.evaluation import evaluate
    from edgeworth.pipeline.tally_record import TallyRecord

    output.check(files, options)
    with track_progress("working"):
        result = evaluate(TallyRecord.merge(_read(files), again=again), **options)
    show(result, output)


def _check_past(files: tuple[str, ...], output: str) -> None:
    """Raise an error that explains the first run of a nightly job if the file to add to does not exist."""
    others = [name for name in files if name != output]
    if output in files and others and not Path(output).exists():
        names = [shell_word(name, "FILE") for name in others[:MAX_FILES_IN_SUGGESTED_COMMAND]]
        names += ["…"] if len(others) > MAX_FILES_IN_SUGGESTED_COMMAND else []
        words = " ".join(["edgeworth merge", *names, "-o", shell_word(output, "FILE")])
        raise InputError(f"{output} does not exist yet: on the first day, run {words}")


def _read(files: tuple[str, ...]) -> list[TallyRecord]:
    from edgeworth.pipeline.tally_file import read_tally
    from edgeworth.sources.paths import expand_paths

    if not files:
        raise OptionError("name the tally files")
    records = []
    names = expand_paths(files)
    with track_progress("tallies read", len(names)) as done:
        for name in names:
            records.append(read_tally(name))
            done(1)
    return records


def _write(tallied: TallyRecord, output: str) -> None:
    from edgeworth.pipeline.tally_file import tally_text, write_tally

    if output == "-":
        sys.stdout.buffer.write(tally_text(tallied).encode())
        return
    write_tally(tallied, output)
    sys.stdout.write(f"{displayable(output)}: {_describe(tallied)}\n")


def _describe(tallied: TallyRecord) -> str:
    """Describe a tally file in one line."""
    from edgeworth.core.tallies import dropped_rows

    origin = tallied.origin
    rows = "rows" if origin.rows is None else f"{origin.rows:,} {plural(origin.rows, 'row')}"
    dropped = dropped_rows(tallied.tally)
    lost = f" ({dropped:,} dropped)" if dropped else ""
    row = ", in time order" if origin.number > 1 and tallied.terms.get("ordered") else ""
    return f"{rows}{lost} of {origin.number:,} {plural(origin.number, 'source')}{row}"
