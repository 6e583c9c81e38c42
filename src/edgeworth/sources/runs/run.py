"""A run: the answers of one system on one task, which every reader of run logs returns."""

from __future__ import annotations

import re
import string
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.errors import InputError

STAMP = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}")
"""The date and time in the names of logs of Inspect and lm-evaluation-harness."""


class Item(NamedTuple):
    """One answer in a log. Options of multiple choice are identified by their position, from 0."""

    id: str
    grades: Mapping[str, float]
    """The grade by scorer; NaN or absent if the answer was not scored."""
    cluster: str | None = None
    options: int = 0
    """The number of options to choose from; 0 if it is not multiple choice."""
    truth: int | None = None
    answer: int | None = None
    log_likelihoods: Sequence[float] | None = None
    is_error: bool = False
    about: dict[str, object] = {}  # noqa: RUF012  # it is never changed
    """Other fields of the item in the log, or records of fields, by name."""
    answers: Mapping[str, int] = {}  # it is never changed
    """The answers of scorers that choose an option by a rule of their own, by scorer."""

    @property
    def is_choice(self) -> bool:
        """Whether it is multiple choice with one right answer."""
        return self.truth is not None and self.options > 1

    def judged_by(self, scorer: str) -> Item:
        """Keep the grade of one scorer, and the answer by its rule."""
        item = self._replace(grades={scorer: self.grades.get(scorer, np.nan)})
        if scorer not in self.answers:
            return item
        return item._replace(answer=self.answers[scorer], log_likelihoods=None)


@dataclass(frozen=True)
class Run:
    """The answers of one system on one task; repeats of an item have the same id."""

    tool: str
    system: str
    task: str
    path: str
    items: tuple[Item, ...]
    notes: tuple[str, ...] = ()
    """Notes on how the log was read."""
    unfinished: str = ""
    """The status in the log of a run that did not finish; empty if it finished."""
    planned: int | None = None
    """The number of answers that were planned, if the log has it."""
    cluster: str = ""
    """The field of items by which they are clustered."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """Arguments of the task and the solver: one model with two prompts is two systems."""
    is_system_named: bool = True
    """Whether the log names the system; otherwise the folder does."""
    is_task_named: bool = True
    """Whether the log names the task; otherwise the file does."""
    unreadable: tuple[str, ...] = ()
    """Errors of other logs of the same folder, which are left out."""
    warnings: tuple[str, ...] = ()
    """Warnings about other logs of the same folder, none of which is known to be the newest."""

    @property
    def date_or_name(self) -> str:
        """The date and time in the name of the log, or the whole name."""
        name = Path(self.path).name
        stamp = STAMP.search(name)
        return name if stamp is None else stamp[0]

    @cached_property
    def ids(self) -> list[str]:
        """The id of each answer."""
        return [item.id for item in self.items]

    @cached_property
    def clusters(self) -> list[str] | None:
        """The cluster of each answer, or None if some answer has none."""
        clusters = [item.cluster for item in self.items if item.cluster is not None]
        return clusters if len(clusters) == len(self.items) else None

    @cached_property
    def grades(self) -> dict[str, Floats]:
        """The grades by scorer, the tool's main one first; NaN if an answer was not scored."""
        names = dict.fromkeys(name for item in self.items for name in item.grades)
        return {name: np.array([x.grades.get(name, np.nan) for x in self.items]) for name in names}

    def keep(self, scorer: str, notes: Sequence[str] = ()) -> Run:
        """Return the run with the grades and answers of one scorer, and with more notes."""
        items = (item.judged_by(scorer) for item in self.items)
        return replace(self, items=tuple(items), notes=(*self.notes, *notes))

    def having(self, ids: Collection[str]) -> Run:
        """Return the run with only these items."""
        wanted = set(ids)
        return replace(self, items=tuple(item for item in self.items if item.id in wanted))

    def of_task(self, task: str, note: str) -> Run:
        """Return the run as one of another task, with one more note."""
        items = (item._replace(about={**item.about, "task": task}) for item in self.items)
        return replace(self, task=task, items=tuple(items), notes=(*self.notes, note))


def make_run(
    tool: str,
    system: str,
    task: str,
    path: Path,
    items: Sequence[Item],
    *notes: str,
    unfinished: str = "",
    planned: int | None = None,
    cluster: str = "",
    arguments: Mapping[str, str] | None = None,
) -> Run:
    """Make a run from the items of a log. Only an unfinished run may lack items or scores."""
    if not items and not unfinished:
        raise InputError(f"{path}: task {task!r} has no items")
    run = Run(
        *(tool, system, task, str(path)),
        tuple(_with_fields(item, task) for item in items),
        notes,
        unfinished=unfinished,
        planned=planned,
        cluster=cluster,
        arguments=arguments or {},
    )
    if not run.grades and not unfinished:
        raise InputError(f"{path}: no item of task {task!r} has a score; was the log written before scoring?")
    return run


def _with_fields(item: Item, task: str) -> Item:
    """Make the fields of an item's records available without the record's name, and add the task."""
    fields = (x.items() for x in item.about.values() if isinstance(x, dict))
    return item._replace(about={**dict(chain(*fields)), **item.about, "task": task})


def name_options(number: int) -> list[str]:
    """Name options by position.

    >>> name_options(3)
    ['A', 'B', 'C']
    """
    letters = string.ascii_uppercase
    return list(letters[:number]) if number <= len(letters) else [str(n + 1) for n in range(number)]


def choice_probabilities(items: Sequence[Item], options: int) -> Floats | None:
    """Return the softmax of the log-likelihoods, or None if they are not logged."""
    table = np.full((len(items), options), -np.inf)
    for row, item in enumerate(items):
        if item.log_likelihoods is None:
            return None
        table[row, : item.options] = item.log_likelihoods
    odds = np.exp(table - table.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def as_grade(value: object, words: Mapping[str, float] | None = None) -> float | None:
    """Return the grade of a number, a boolean or a known word, or None for anything else."""
    if isinstance(value, (bool, int, float)):
        try:
            return float(value)
        except OverflowError:
            return None
    return (words or {}).get(value) if isinstance(value, str) else None
