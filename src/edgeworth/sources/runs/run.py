"""A run: what one system did on one task, as every reader of run logs gives it."""

from __future__ import annotations

import string
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.errors import InputError


class Item(NamedTuple):
    """One answer as a log tells it. Options of multiple choice are known by their position, from 0."""

    id: str
    grades: Mapping[str, float]
    """By scorer; NaN, or nothing, where it was not scored."""
    cluster: str | None = None
    options: int = 0
    """How many options there were to choose from; 0 where it is no multiple choice."""
    truth: int | None = None
    answer: int | None = None
    log_likelihoods: Sequence[float] | None = None
    is_error: bool = False
    about: dict[str, Any] = {}  # noqa: RUF012  # nobody writes to it
    """What else the log says of the item: fields, or records of them, by name."""
    answers: Mapping[str, int] = {}  # nobody writes to it
    """The answers of scorers that choose an option by a rule of their own, by scorer."""

    @property
    def is_choice(self) -> bool:
        """Tell whether it is multiple choice with one right answer."""
        return self.truth is not None and self.options > 1

    def judged_by(self, scorer: str) -> Item:
        """Keep the grade of one scorer, and the answer by its rule."""
        item = self._replace(grades={scorer: self.grades.get(scorer, np.nan)})
        if scorer not in self.answers:
            return item
        return item._replace(answer=self.answers[scorer], log_likelihoods=None)


@dataclass(frozen=True)
class Run:
    """What one system did on one task: an item for each answer, repeats under one id."""

    tool: str
    system: str
    task: str
    path: str
    items: tuple[Item, ...]
    notes: tuple[str, ...] = ()
    """How the log was mapped, in sentences."""
    unfinished: str = ""
    """The status that the log gives of a run that did not finish; empty if it finished."""
    planned: int | None = None
    """How many answers the run was to have, if the log says it."""
    cluster: str = ""
    """The field of items by which they are clustered."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """What the task and the solver were called with: one model with two prompts is two systems."""

    @cached_property
    def ids(self) -> list[str]:
        """The id of each answer."""
        return [item.id for item in self.items]

    @cached_property
    def clusters(self) -> list[str] | None:
        """The cluster of each answer, where every one has one."""
        found = [item.cluster for item in self.items if item.cluster is not None]
        return found if len(found) == len(self.items) else None

    @cached_property
    def grades(self) -> dict[str, Floats]:
        """The grades by scorer, the tool's main one first; NaN where an answer was not scored."""
        names = dict.fromkeys(name for item in self.items for name in item.grades)
        return {name: np.array([x.grades.get(name, np.nan) for x in self.items]) for name in names}

    def keep(self, scorer: str, notes: Sequence[str] = ()) -> Run:
        """Make the same with the grades and the answers of one scorer, and with more notes."""
        items = (item.judged_by(scorer) for item in self.items)
        return replace(self, items=tuple(items), notes=(*self.notes, *notes))

    def having(self, ids: Collection[str]) -> Run:
        """Make the same with these items alone."""
        kept = set(ids)
        return replace(self, items=tuple(item for item in self.items if item.id in kept))


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
    """Make a run of the items of a log. Only a run that did not finish may have no items and no scores."""
    if not items and not unfinished:
        raise InputError(f"{path}: task {task!r} holds no items")
    run = Run(
        *(tool, system, task, str(path)),
        tuple(_know_fields(item, task) for item in items),
        notes,
        unfinished=unfinished,
        planned=planned,
        cluster=cluster,
        arguments=arguments or {},
    )
    if not run.grades and not unfinished:
        raise InputError(f"{path}: no item of task {task!r} has a score; was the log written before scoring?")
    return run


def _know_fields(item: Item, task: str) -> Item:
    """Let the fields of an item's records be found without the record's name, and the task as one."""
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
    """Compute the softmax of the log-likelihoods; None where they are not logged."""
    table = np.full((len(items), options), -np.inf)
    for row, item in enumerate(items):
        if item.log_likelihoods is None:
            return None
        table[row, : item.options] = item.log_likelihoods
    odds = np.exp(table - table.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def as_grade(value: Any, words: Mapping[str, float] | None = None) -> float | None:
    """Read a grade: a number, true or false, or a word that means one; None where it is none of these."""
    if isinstance(value, (bool, int, float)):
        try:
            return float(value)
        except OverflowError:
            return None
    return (words or {}).get(value) if isinstance(value, str) else None
