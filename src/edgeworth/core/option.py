"""What an option is, and with which predictions it means something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

ColumnInput: TypeAlias = object
"""The name of a column of the data, or an array, series or list of any library."""

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
"""The panels of the help, and with what the options of each mean something unless they say otherwise."""


@dataclass(frozen=True)
class Option:
    """One option: what it means, where it means something, and how the command reads it."""

    help: str
    panel: str
    kinds: tuple[str, ...] = ()
    default: object = None
    read: Read | None = None
    """What is typed, where the type does not say it; of any type it is the name of a column."""
    flag: str | None = None
    """How the command spells it, where that is not its name; empty where the command does not have it."""
    metavar: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "kinds", self.kinds or PANELS[self.panel])
