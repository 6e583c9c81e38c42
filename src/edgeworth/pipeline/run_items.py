"""The items of run logs, ready to be judged: systems, tasks, scorers, errors, clusters and answers."""

from __future__ import annotations

import difflib
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypedDict, cast

import numpy as np

from edgeworth.common.arrays import Floats
from edgeworth.common.choices import ErrorRule
from edgeworth.core.formatting import cut_middle, plural
from edgeworth.core.options import Options, select_options
from edgeworth.errors import InputError, OptionError
from edgeworth.grades.grades import Grades, check_bounds
from edgeworth.pipeline.slices import NO_VALUE, Slice, cut_slices
from edgeworth.sources.column_roles import names_of
from edgeworth.sources.joining import as_text
from edgeworth.sources.runs.reading import read_runs
from edgeworth.sources.runs.run import Item, Run, choice_probabilities, name_options
from edgeworth.sources.text_files import find_field

Systems = Mapping[str, list[Run]]
Tasks = Mapping[str, Mapping[str, Run]]
"""The run of each system, by task; each has the grades of one scorer."""

COLUMNS = ("truth", "prediction", "score", "probabilities", "correct", "grade", "join", "system", "master")
"""Options of tables: a call that has one of them is about rows and columns."""
TOGETHER = "The verdict covers the questions of all tasks together, each with equal weight."
MAX_LOGS_LISTED = 4
LISTED_IDS, LONGEST_ID = 3, 40
"""Ids that a sentence names, and how many signs of each: a hash is long."""


# -- systems ---------------------------------------------------------------------------------------------


def find_systems(data: object, options: Options, *, read_reruns: bool = False) -> Systems:
    """Read run logs, by system; an empty mapping if the data are something else, or columns are named.

    With ``read_reruns``, every log of a folder is read, unless the folder has a name.
    """
    if any(value is not None for value in select_options(options, COLUMNS).values()):
        return {}
    if isinstance(data, Mapping):
        return _named_systems(data)
    paths = data if isinstance(data, (list, tuple)) else [data]
    logs = read_runs(data, read_reruns=read_reruns)
    pairs = [(path, run) for path, runs in zip(paths, logs, strict=False) for run in runs]
    times = Counter((run.system, run.task) for _, run in pairs)
    repeated = {system for (system, _), number in times.items() if number > 1}
    systems: dict[str, list[Run]] = {}
    labels = _label_paths([path for path, _ in pairs]) if repeated else {}
    # A folder that names no system may still hold several.
    held = Counter(path for path, _ in {(path, run.system) for path, run in pairs})
    for path, run in pairs:
        name = run.system
        if name in repeated:
            is_name_needed = run.is_system_named or held[path] > 1
            name = f"{name} ({labels[path]})" if is_name_needed else labels[path]
        systems.setdefault(name, []).append(run)
    return systems


def _label_paths(paths: Sequence[object]) -> dict[object, str]:
    """Label paths by their names, or by their folders too if some names are equal.

    >>> _label_paths(["a/one.json", "a/two.json"]), _label_paths(["run1/log.json", "run2/log.json"])
    ({'a/one.json': 'one.json', 'a/two.json': 'two.json'}, {'run1/log.json': 'run1', 'run2/log.json': 'run2'})
    """
    absolute = {path: Path(str(path)).absolute() for path in paths}
    if len({path.name for path in absolute.values()}) == len(absolute):
        return {path: file.name for path, file in absolute.items()}
    common = os.path.commonpath([file.parent for file in absolute.values()])
    parts = {path: file.relative_to(common).parts for path, file in absolute.items()}
    longest = max(map(len, parts.values()))
    depth = next(n for n in range(1, longest + 1) if len({x[:n] for x in parts.values()}) == len(parts))
    return {path: "/".join(folders[:depth]) for path, folders in parts.items()}


def _named_systems(data: Mapping[str, object]) -> Systems:
    """Read the logs of each name. A name whose logs hold several systems is put before each of them."""
    paths: dict[str, list[object]] = {
        str(name): list(files) if isinstance(files, (list, tuple)) else [files]
        for name, files in data.items()
    }
    every = [path for files in paths.values() for path in files]
    if not every or not all(isinstance(path, (str, os.PathLike)) for path in every):
        return {}
    runs_by_file = iter(read_runs(every))
    systems: dict[str, list[Run]] = {}
    for name, files in paths.items():
        runs = [run for _ in files for run in next(runs_by_file, ())]
        are_several = len({run.system for run in runs}) > 1
        for run in runs:
            systems.setdefault(f"{name} ({run.system})" if are_several else name, []).append(run)
    return systems


# -- from the runs of a task to one of all tasks ---------------------------------------------------------


def common_tasks(systems: Systems, options: Options) -> Tasks:
    """Find the tasks that all systems have, each judged by one scorer."""
    tasks: dict[str, dict[str, Run]] = {}
    for name, runs in systems.items():
        for run in runs:
            if name in tasks.get(run.task, {}):
                paths = f"{tasks[run.task][name].path} and {run.path}"
                raise InputError(
                    f"{paths} are both logs of {name} on task {run.task!r}: name each (NAME=FILE)"
                )
            tasks.setdefault(run.task, {})[name] = run
    common = {task: task_runs for task, task_runs in tasks.items() if len(task_runs) == len(systems)}
    if not common:
        held = "; ".join(f"{runs[0].path} has {', '.join(x.task for x in runs)}" for runs in systems.values())
        unnamed = next((runs[0].path for runs in systems.values() if not runs[0].is_task_named), None)
        advice = f". The task of {unnamed} is taken from its name: keep samples_TASK_DATE.jsonl"
        raise InputError(f"the logs have no task in common: {held}{'' if unnamed is None else advice}")
    wanted = options["scorer"]
    judged = {task: _by_scorer(task_runs, wanted, len(common)) for task, task_runs in common.items()}
    if not any(judged.values()):
        raise _no_scorer(wanted, common)
    return {task: task_runs for task, task_runs in judged.items() if task_runs}


def _no_scorer(wanted: str | None, tasks: Tasks) -> OptionError:
    """Make the error for logs without the requested scorer, or without one in common."""
    if wanted is None:
        runs = [run for task_runs in tasks.values() for run in task_runs.values()]
        held = "; ".join(f"{run.path} has {', '.join(run.grades)}" for run in runs[:MAX_LOGS_LISTED])
        return OptionError(f"no scorer in common (--scorer): {held}")
    scorers = {
        task: dict.fromkeys(name for run in task_runs.values() for name in run.grades)
        for task, task_runs in tasks.items()
    }
    every = dict.fromkeys(name for names in scorers.values() for name in names)
    near = difflib.get_close_matches(wanted, [*every, *(name.split(",")[0] for name in every)], n=1)
    advice = f"; did you mean {near[0]}?" if near else ";"
    held = "; ".join(f"{task} has {', '.join(names)}" for task, names in scorers.items())
    return OptionError(f"no scorer {wanted} (--scorer){advice} {held}")


def _by_scorer(runs: Mapping[str, Run], wanted: str | None, tasks: int) -> dict[str, Run]:
    """Keep the grades of the requested scorer, or of the first; an empty mapping if a run lacks it."""
    first = next(iter(runs.values()))
    common = [name for name in first.grades if all(name in run.grades for run in runs.values())]
    scorer = next((name for name in common if wanted in (None, name, name.split(",")[0])), None)
    others = ", ".join(name for name in common if name != scorer)
    limit = "; it leaves out tasks without that scorer" if tasks > 1 else ""
    notes = [f"{first.task}: other scorers are {others} (--scorer{limit})."] if others else []
    return {} if scorer is None else {name: run.keep(scorer, notes) for name, run in runs.items()}


def describe_unreadable(systems: Systems) -> list[str]:
    """Write which logs of the folders cannot be read, and why."""
    errors = dict.fromkeys(error for runs in systems.values() for run in runs for error in run.unreadable)
    return [f"A log is left out: {error}." for error in errors]


def describe_same_dates(systems: Systems) -> list[str]:
    """Write which logs of the folders have the same date, so that none is known to be the newest."""
    return list(dict.fromkeys(text for runs in systems.values() for run in runs for text in run.warnings))


def describe_skipped_tasks(systems: Systems, tasks: Tasks) -> list[str]:
    """Write which tasks are left out, and why."""
    held = {name: {run.task for run in runs} for name, runs in systems.items()}
    skipped = sorted(set.union(*held.values()) - set(tasks))
    by_reason: dict[str, list[str]] = {}
    for task in skipped:
        lacking = [name for name, own in held.items() if task not in own]
        reason = f"{', '.join(lacking)} did not run" if lacking else "no scorer in all logs graded"
        by_reason.setdefault(reason, []).append(task)
    return [
        f"{plural(len(listed), 'Task')} {', '.join(listed)} left out: {reason} "
        f"{plural(len(listed), 'it', 'them')}."
        for reason, listed in by_reason.items()
    ]


def merge_tasks(runs: Sequence[Run]) -> Run:
    """Make one run of those of several tasks, in which the same id may mean two items."""
    if len(runs) == 1:
        return runs[0]
    has_clusters = any(run.clusters for run in runs)
    items = [
        item._replace(
            id=f"{run.task}: {item.id}",
            cluster=f"{run.task}: {item.cluster or item.id}" if has_clusters else None,
            grades={"": next(iter(item.grades.values()))},
        )
        for run in runs
        for item in run.items
    ]
    return replace(runs[0], items=tuple(items))


# -- the answers that count ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answers:
    """Every answer of each system, all tasks together, and which of them count."""

    runs: Mapping[str, Run]
    options: Options
    unmatched: Mapping[str, Sequence[str]]
    """The items of each system that are left out because another system lacks them."""

    @classmethod
    def of(cls, tasks: Tasks, names: Sequence[str], options: Options) -> Answers:
        """Put the tasks together and keep the items that all systems have."""
        runs = {name: merge_tasks([task_runs[name] for task_runs in tasks.values()]) for name in names}
        if options["cluster"] is not None:
            runs = _with_clusters(runs, str(options["cluster"]))
        common = set.intersection(*(set(run.ids) for run in runs.values()))
        unmatched = {name: sorted(set(run.ids) - common) for name, run in runs.items()}
        if any(unmatched.values()) and (not common or options["unmatched"] == "error"):
            listed = "; ".join(f"{len(x):,} of {name} ({_list_ids(x)})" for name, x in unmatched.items() if x)
            which = "no item" if not common else "not every item"
            raise InputError(f"{which} is in the logs of all systems; unmatched: {listed}")
        return cls({name: run.having(common) for name, run in runs.items()}, options, unmatched)

    @property
    def errors(self) -> dict[str, int]:
        """Count the answers of each system that errored."""
        return {name: sum(item.is_error for item in run.items) for name, run in self.runs.items()}

    @property
    def unscored(self) -> dict[str, int]:
        """Count the answers of each system that did not error and have no grade."""
        return {name: sum(map(has_no_grade, run.items)) for name, run in self.runs.items()}

    @property
    def number(self) -> int:
        """Count the answers of all systems."""
        return sum(len(run.items) for run in self.runs.values())

    def judged(self, errors: ErrorRule) -> dict[str, Run]:
        """Keep the answers that have a grade; with ``errors="wrong"``, errors get the worst one."""
        worst = self.worst_grade() if errors == "wrong" and any(self.errors.values()) else None
        runs = {}
        for name, run in self.runs.items():
            [scorer] = run.grades
            items = []
            for item in run.items:
                if item.is_error and worst is not None:
                    items.append(item._replace(grades={scorer: worst}))
                elif not item.is_error and not has_no_grade(item):
                    items.append(item)
            runs[name] = replace(run, items=tuple(items))
        common = set.intersection(*(set(run.ids) for run in runs.values()))
        if not common:
            reason = "a grade" if len(runs) == 1 else "grades from every system"
            raise InputError(f"{next(iter(self.runs.values())).path}: no item has {reason}")
        return {name: run.having(common) for name, run in runs.items()}

    def worst_grade(self) -> float:
        """Find the grade of a wrong answer: the worse end of the range, or else 0 if no grade is below it."""
        options = self.options
        if options["grade_range"] is not None:
            low, high = check_bounds(options["grade_range"])
            return high if options["lower_is_better"] else low
        grades = np.array([grade_of(item) for run in self.runs.values() for item in run.items])
        if options["lower_is_better"] or np.nanmin(grades) < 0:
            raise OptionError(
                "the worst grade is unknown, so an error cannot count as wrong (--errors wrong): pass the "
                "lowest and the highest grade (--grade-range LOW,HIGH)"
            )
        return 0.0

    def describe_unmatched_items(self) -> list[str]:
        """Write which answers do not count, one sentence per cause."""
        errors, unscored, total = sum(self.errors.values()), sum(self.unscored.values()), self.number
        sentences = []
        if errors and self.options["errors"] == "drop":
            verb = plural(errors, "errored and is excluded", "errored and are excluded")
            advice = f"To count {plural(errors, 'it', 'them')} as wrong, use --errors wrong."
            sentences.append(f"{errors:,} of {_count(total)} {verb}{self._by_system(self.errors)}. {advice}")
        if unscored:
            verb = plural(unscored, "has no grade and is excluded", "have no grade and are excluded")
            sentences.append(f"{unscored:,} of {_count(total)} {verb}{self._by_system(self.unscored)}.")
        if sentences and len(self.runs) > 1:
            items = len({item.id for run in self.runs.values() for item in run.items})
            kept = len(
                {item.id for run in self.judged(self.options["errors"]).values() for item in run.items}
            )
            if kept < items:
                sentences.append(f"The comparison uses {kept:,} of {items:,} questions.")
            sentences = [" ".join(sentences)]
        return [*sentences, *self._describe_unmatched()]

    def _describe_unmatched(self) -> list[str]:
        """Write which questions are dropped because some systems did not answer them."""
        numbers = {name: len(ids) for name, ids in self.unmatched.items() if ids}
        if not numbers:
            return []
        number = len({item for ids in self.unmatched.values() for item in ids})
        claim = f"{number:,} {plural(number, 'question')} dropped"
        if len(self.runs) > 2:
            return [f"{claim}, because not every system answered them{self._by_system(numbers)}."]
        if len(numbers) == 1:
            return [f"{claim}: answered by {next(iter(numbers))} only."]
        parts = ", ".join(f"{number:,} answered by {name} only" for name, number in numbers.items())
        return [f"{claim}: {parts}."]

    def describe_errors(self) -> list[str]:
        """Write that errors count as wrong, if there are any."""
        errors = sum(self.errors.values())
        if not errors or self.options["errors"] == "drop":
            return []
        verb = plural(errors, "errored and counts as wrong", "errored and count as wrong")
        return [f"{errors:,} of {_count(self.number)} {verb}{self._by_system(self.errors)}."]

    def _by_system(self, numbers: Mapping[str, int]) -> str:
        if len(self.runs) == 1:
            return ""
        most_first = sorted(numbers.items(), key=lambda pair: -pair[1])
        return f": {', '.join(f'{number:,} in {name}' for name, number in most_first if number)}"


def _count(answers: int) -> str:
    return f"{answers:,} {plural(answers, 'answer')}"


def _list_ids(ids: Sequence[str]) -> str:
    more = ", …" if len(ids) > LISTED_IDS else ""
    listed = ", ".join(repr(cut_middle(item_id, LONGEST_ID)) for item_id in ids[:LISTED_IDS])
    return f"{listed}{more}"


def short_ids(items: Iterable[Item], *, has_tasks: bool) -> dict[str, str]:
    """Name items by the number of their document, if the log identifies them by a hash."""
    named = [(item.id, item.about["doc_id"], item.about["task"]) for item in items if "doc_id" in item.about]
    texts = {name: f"{task}: {number}" if has_tasks else str(number) for name, number, task in named}
    return texts if len(set(texts.values())) == len(texts) else {}


# -- fields of items -------------------------------------------------------------------------------------


def _fields_of_items(runs: Mapping[str, Run], name: str, flag: str) -> dict[str, str | None]:
    """Find a field of each item, by id. If a log lacks the field, another system's log provides it."""
    values: dict[str, str | None] = {}
    known: dict[str, None] = {}
    for run in runs.values():
        for item in run.items:
            known |= {key: None for key, x in item.about.items() if not isinstance(x, (dict, list))}
            value = find_field(item.about, name)
            text = as_text(value) if isinstance(value, (str, int, float)) else None
            seen = values.setdefault(item.id, text)
            if seen is None:
                values[item.id] = text
            elif text not in (None, seen):
                raise InputError(
                    f"{run.path}, item {item.id!r:.60}: the field {name!r:.60} ({flag}) is {text!r:.60}, but "
                    f"elsewhere {seen!r:.60}. An item needs one value in all logs and repeats"
                )
    if set(values.values()) == {None}:
        raise OptionError(f"no item has a field {name!r:.60} ({flag}); there are {', '.join(known)}")
    return values


def _with_clusters(runs: Mapping[str, Run], field: str) -> dict[str, Run]:
    """Put items into clusters by one of their fields."""
    if not isinstance(field, str):
        raise OptionError("cluster is the name of a field of the items in run logs, such as metadata.passage")
    clusters = _fields_of_items(runs, field, "--cluster")
    without = [item for item, cluster in clusters.items() if cluster is None]
    if without:
        number = f"{len(without):,} {plural(len(without), 'item has', 'items have')}"
        raise InputError(f"{number} no field {field!r} for --cluster: {_list_ids(without)}")
    return {
        name: replace(
            run, items=tuple(item._replace(cluster=clusters[item.id]) for item in run.items), cluster=field
        )
        for name, run in runs.items()
    }


def _crossed_fields(runs: Mapping[str, Run], name: str) -> dict[str, str | None]:
    """Find a field of each item, or the values of several that ``topic:level`` crosses."""
    try:
        return _fields_of_items(runs, name, "--by")
    except OptionError:
        if ":" not in name:
            raise
    fields = [_fields_of_items(runs, part, "--by") for part in name.split(":")]
    return {item: ", ".join(values[item] or NO_VALUE for values in fields) for item in fields[0]}


def cut_runs(runs: Mapping[str, Run], tasks: Tasks, options: Options) -> list[Slice[Run]]:
    """Cut runs by fields of their items, or by task if there are several; the arrays are runs."""
    ids = list(dict.fromkeys(item.id for run in [*runs.values()][::-1] for item in run.items))
    several = ["task"] if len(tasks) > 1 else []
    columns = {}
    for name in several if options["by"] is None else names_of(options["by"]) or [str(options["by"])]:
        values = _crossed_fields(runs, name)
        columns[name] = [values[item] for item in ids]
    slices = []
    for part in cut_slices(None, {"ids": ids}, columns):
        kept = cast(list[str], part.arrays["ids"])
        slices.append(part.with_arrays({name: run.having(kept) for name, run in runs.items()}))
    return slices


def grade_of(item: Item) -> float:
    """Return the grade of an item of which one scorer is kept."""
    [grade] = item.grades.values()
    return grade


def has_no_grade(item: Item) -> bool:
    """Return whether an answer did not error and was not graded either."""
    return not item.is_error and bool(np.isnan(grade_of(item)))


# -- grades and answers ----------------------------------------------------------------------------------


def make_grades(run: Run, options: Options) -> Grades:
    """Tally the grades of a run."""
    [values] = run.grades.values()
    return Grades.from_grades(
        values,
        ids=run.ids,
        clusters=run.clusters,
        grade_range=options["grade_range"],
        lower_is_better=bool(options["lower_is_better"]),
    )


class GuessRate(TypedDict, total=False):
    """The share of right answers that guessing gets, if it is known."""

    guess_rate: float | None


def find_guess_rate(run: Run, options: Options) -> GuessRate:
    """Find how often a guess is right, if every item is multiple choice and is right or wrong."""
    if options["guess_rate"] is not None:
        return {"guess_rate": options["guess_rate"]}
    rates = [1 / item.options for item in run.items if item.is_choice]
    is_points = options["lower_is_better"] or options["grade_range"] not in (None, (0, 1))
    is_right_or_wrong = not is_points and all(grade_of(item) in (0, 1) for item in run.items)
    if len(rates) < len(run.items) or not is_right_or_wrong:
        return {}
    return {"guess_rate": float(np.mean(rates))}


class Choices(NamedTuple):
    """The options that systems chose in multiple-choice questions that all of them answered."""

    truth: Sequence[str]
    labels: Sequence[str]
    clusters: Sequence[str] | None
    """The cluster of each question, if some share one."""
    predictions: Mapping[str, Sequence[str | None]]
    probabilities: Mapping[str, Floats]
    """The probability of each option by system; none if a system did not log them."""
    tasks: Sequence[str]
    """The tasks of these questions."""
    are_repeated: bool
    """Whether a question has several answers."""


def find_choices(runs: Mapping[str, Run], options: Options) -> Choices | None:
    """Find the options that all systems chose, joined by id and repeat; None if they were not judged so."""
    if options["lower_is_better"]:
        return None
    chosen: dict[str, dict[tuple[str, int], Item]] = {name: {} for name in runs}
    for name, run in runs.items():
        repeats: Counter[str] = Counter()
        for item in run.items:
            repeats[item.id] += 1
            if item.is_choice:
                chosen[name][item.id, repeats[item.id]] = item
    keys = sorted(set.intersection(*map(set, chosen.values())))
    kept = {name: [items[key] for key in keys] for name, items in chosen.items()}
    if not all(any(item.answer is not None for item in items) for items in kept.values()):
        return None
    # A scorer may choose by another rule, or give partial credit: its grades are not about these answers.
    if any(grade_of(item) != float(item.answer == item.truth) for items in kept.values() for item in items):
        return None
    first, path = next(iter(kept.values())), next(iter(runs.values())).path
    for name, items in kept.items():
        for one, other in zip(first, items, strict=True):
            if one.truth != other.truth:
                where = f"{path} and {runs[name].path}, item {one.id!r}"
                raise InputError(f"{where}: the right answers (target) differ; are these the same task?")
    labels = name_options(max(item.options for item in first))
    units = [item.cluster or item.id for item in first]
    tables = {name: choice_probabilities(items, len(labels)) for name, items in kept.items()}
    known = {name: table for name, table in tables.items() if table is not None}
    return Choices(
        truth=[labels[item.truth or 0] for item in first],
        labels=labels,
        clusters=units if len(set(units)) < len(units) else None,
        predictions={
            name: [None if item.answer is None else labels[item.answer] for item in items]
            for name, items in kept.items()
        },
        probabilities=known if len(known) == len(tables) else {},
        tasks=list(dict.fromkeys(str(item.about["task"]) for item in first)),
        are_repeated=len({item.id for item in first}) < len(first),
    )
