"""What an option is, and with which predictions it means something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

ColumnInput: TypeAlias = object
"""The name of a column of the data, or an array, series or list of any library."""
ColumnNames: TypeAlias = object
"""Names of columns, or arrays by name."""

Read = Literal[
    "bookmaker", "columns", "label", "label,…", "labels", "method", "range", "text", "texts", "whole"
]

LABELS, SEVERAL, SCORES, QUERIES, PROBABILITIES = "labels", "several", "scores", "queries", "probabilities"
GRADES = "grades"
DECISIONS = (LABELS, SEVERAL)
WEIGHTED = (*DECISIONS, SCORES, PROBABILITIES)
CLUSTERED = (*DECISIONS, SCORES, PROBABILITIES, GRADES)
THRESHOLDS = (SCORES, PROBABILITIES)
OF_CLASSES = (LABELS, SEVERAL, SCORES, QUERIES, PROBABILITIES)
EVERY = (*OF_CLASSES, GRADES)
RUN_LOGS = "run logs"
"""What predictions can be: labels of one system or of several, scores in one ranking or one per query, …"""


PANELS: dict[str, tuple[str, ...]] = {
    "Input": EVERY,
    "Labels": DECISIONS,
    "Scores": (SCORES,),
    "Probabilities": (PROBABILITIES,),
    "Bets": (PROBABILITIES,),
    "Grades": (GRADES,),
    "Run logs": (RUN_LOGS,),
    "Statistics": EVERY,
    "Output": EVERY,
}
"""The panels of the help, and the predictions that the options of each are for unless they name their own."""


@dataclass(frozen=True)
class Option:
    """One option: its help, the predictions that it is for, its default, and how the command reads it."""

    help: str
    panel: str
    kinds: tuple[str, ...] = ()
    default: object = None
    read: Read | None = None
    """The form of its value on the command, if the type does not determine it."""
    flag: str | None = None
    """Its flag on the command, if that is not its name; empty if the command does not have it."""
    metavar: str | None = None
    in_python: str | None = None
    """The help of the parameter in Python, if it differs from the command's."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", self.kinds or PANELS[self.panel])
