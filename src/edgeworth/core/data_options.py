"""The options for which data are used: slices, run logs, and the files of several systems."""

from __future__ import annotations

from typing import Annotated, TypedDict

from edgeworth.common.choices import ErrorRule, Unmatched
from edgeworth.core.option import ColumnInput, ColumnNames, Option


class PartOptions(TypedDict, total=False):
    """Which part of the cases, or of run logs, is judged."""

    by: Annotated[
        ColumnNames,
        Option(
            "The columns whose values are slices, each compared with the rest; sex:site crosses two columns.",
            "Input",
            read="columns",
        ),
    ]

    scorer: Annotated[
        str | None,
        Option(
            "In run logs: the scorer to use. By default, the first in the log.",
            "Run logs",
            metavar="NAME",
        ),
    ]
    errors: Annotated[
        ErrorRule,
        Option(
            "In run logs: whether answers that errored are excluded (drop) or count as wrong.",
            "Run logs",
            default="drop",
        ),
    ]


class JoinOptions(TypedDict, total=False):
    """How the rows of several systems are put side by side."""

    join: Annotated[
        ColumnNames,
        Option("Each file is a system: join their rows by this column, or several.", "Input", read="columns"),
    ]
    truth_file: Annotated[
        object,
        Option("The file that has the truth, if files are joined.", "Input", read="text", metavar="FILE"),
    ]
    system: Annotated[
        ColumnInput,
        Option("For a file with one row per system and case: the column that names the system.", "Input"),
    ]
    unmatched: Annotated[
        Unmatched,
        Option("Whether an id that some systems lack is dropped or is an error.", "Input", default="drop"),
    ]
    concatenate: Annotated[
        bool, Option("Several files are parts of one table, one below the other.", "Input", default=False)
    ]
    allow_unfinished: Annotated[
        bool, Option("In run logs: decide even if a run did not finish.", "Run logs", default=False)
    ]
